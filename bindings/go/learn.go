package chorale

// #include "shim.h"
import "C"

import (
	"context"
	"fmt"
	"runtime/cgo"
	"time"
	"unsafe"
)

// The words of this file. A clique may have a kind, a number; all cliques of one kind share the
// weights that are learnt. The potential of a kind is a sum of weights times bases, which are
// functions of the numbers of members with each value. Agreement bases reward members with the same
// value; the other bases, bonuses, add a constant for each member with a certain value. The
// tagger's labels are the best labels of the chains without cliques. Cost is the sum of the costs
// of wrong labels. It is measured by cross-validation: documents (groups) are divided into folds,
// and the groups of a fold are held out, that is, labelled with weights learnt on the other folds.
// The final tagger is the tagger with which the learnt weights will be used; it may be trained on
// more data than the taggers of the problems. The centre of a clique is one more position, whose
// value selects the clique's potential.

// Basis is a function of the counts of a clique; a learnt weight multiplies it in the potential. n
// is the number of members, n_v the number of members with value v. Some bases have several
// weights, each with an index.
type Basis int32

// The bases; BasisAgreement to BasisCentre are agreement bases, the others bonuses.
const (
	BasisAgreement    Basis = C.CHORALE_BASIS_AGREEMENT     // sum_v n_v^2 / n; its weight is the Strength of an Agreement
	BasisLogAgreement Basis = C.CHORALE_BASIS_LOG_AGREEMENT // sum_v n_v^2 / log n
	BasisShare        Basis = C.CHORALE_BASIS_SHARE         // sum_v max(0, n_v - i n / 4), with the index i = 1, 2, 3
	BasisMajority     Basis = C.CHORALE_BASIS_MAJORITY      // n_v if the value a has the highest count, else 0; the index is a * columns + v, where columns is the number of values, EMPTY and CONFLICT included
	BasisCentre       Basis = C.CHORALE_BASIS_CENTRE        // n_v if the centre has the value c, else 0; the index is c * columns + v, with columns as in BasisMajority
	BasisSingle       Basis = C.CHORALE_BASIS_SINGLE        // sum_v n_v: a bonus for every member with a value; if LearnOptions.Classes is given, only for labels that count
	BasisEmpty        Basis = C.CHORALE_BASIS_EMPTY         // number of members that are EMPTY: no value fires
	BasisConflict     Basis = C.CHORALE_BASIS_CONFLICT      // number of members that are CONFLICT: several values fire
	BasisOut          Basis = C.CHORALE_BASIS_OUT           // number of members with the value OUT, which stands for all values outside a dictionary
	BasisValue        Basis = C.CHORALE_BASIS_VALUE         // n_v, with the index v
)

// String returns the name of a basis in lower case, such as "log-agreement".
func (b Basis) String() string { return C.GoString(C.chorale_basis_name(C.chorale_basis(b))) }

// WeightRule sets a lower and an upper bound for the weights of a basis. If several rules match a
// weight, the last one applies. A rule for a basis that is not learnt by default makes it learnt.
type WeightRule struct {
	Kind        int     // the kind of cliques; -1: every kind that can have the basis
	Basis       Basis   // the basis whose weights are bounded
	Index       int     // index of the weight within the basis, 0 if it has only one; -1: every weight
	Least, Most float64 // the bounds; infinite means no bound. Equal bounds fix the weight
}

// LearnProgress is the progress of learning after each run over a problem.
type LearnProgress struct {
	Runs     int // number of runs done so far
	RunsMost int // upper bound on the number of runs
}

// LearnOptions are the options of [Learn]. They are made by [NewLearnOptions].
type LearnOptions struct {
	Rules     []WeightRule             // bounds of weights; where several match, the last one applies
	Costs     []float64                // Labels x Labels costs, where the row is the gold label and the column the label given; nil: 1 for each wrong label
	Labels    int                      // number of labels of Costs
	Classes   []int32                  // for each label its class in micro F1, or -1 if the label does not count; costs are then those of micro F1, and Costs must be nil. nil: Costs apply
	Seen      []float64                // for each problem the share of the final tagger's training data that the problem's tagger has seen, above 0 and at most 1; nil: all 1
	Folds     int                      // greatest number of folds of cross-validation, at least 2; 10 by default
	Level     float64                  // level of significance of tests, above 0 and below 1; 0.05 by default
	Run       *RunOptions              // options of the runs that learning makes; TimeLimit, Progress, BoundSteps and Host in them are ignored. nil: the defaults, but with fewer rounds
	TimeLimit time.Duration            // time limit of the call; NoLimit: only the context limits it
	Progress  func(LearnProgress) bool // called after each run; if it returns true, the call ends as after a cancel. May be nil
	Host      *Host                    // provides memory and a log; may be nil
}

// NewLearnOptions returns the default options, which also apply where the options are nil.
func NewLearnOptions() *LearnOptions {
	var told C.chorale_learn_options
	C.chorale_learn_options_init(&told, C.sizeof_chorale_learn_options)
	return &LearnOptions{Folds: int(told.folds), Level: float64(told.level), TimeLimit: duration(told.time_limit)}
}

// Learnt is the result of [Learn]. It never changes; any number of goroutines may use it.
type Learnt handle

func newLearnt(learnt *C.chorale_learnt, from ...*handle) *Learnt {
	h := newHandle(unsafe.Pointer(learnt), func(pointer unsafe.Pointer) {
		C.chorale_learnt_destroy((*C.chorale_learnt)(pointer))
	})
	h.relate(from...)
	return (*Learnt)(h)
}

// Learn learns weights for the kinds of cliques of problems with gold labels. The scores must come
// from taggers that have not seen the gold labels. options: nil for the defaults.
//
// If the context (nil: none) ends the call, Learn returns both a result in which all weights are 0
// and the error of the context. If the TimeLimit of the options ends the call, or Progress ends it
// by returning true, the outcome in the report says so and there is no error.
//
// Errors: [ErrNullArgument] (no problem, or a nil one), [ErrShape] (Costs, Seen), [ErrSize] (Folds,
// empty Classes), [ErrOutOfRange] (Level, Costs, Seen, Rules; Classes below -1, or without a label
// that counts), [ErrNotANumber], [ErrInfinite], [ErrLabelsMismatch] (Costs, Classes, or chains of
// different numbers of labels), [ErrNoGold], [ErrOneGroup], [ErrKind] (no clique has a kind; a rule
// for a basis that its kind cannot have; both Costs and Classes), [ErrModelMismatch], and those of
// [NewRun] and [Run.Solve].
func Learn(ctx context.Context, problems []*Problem, options *LearnOptions) (*Learnt, error) {
	if ctx == nil {
		ctx = context.Background()
	}
	if options == nil {
		options = NewLearnOptions()
	}
	cancel, err := NewCancel(options.Host)
	if err != nil {
		return nil, err
	}
	defer cancel.Close()
	c := begin()
	defer c.end()
	var users []cgo.Handle
	defer func() {
		for _, user := range users {
			dropCallback(user)
		}
	}()
	host := c.host(options.Host)
	given := make([]*C.chorale_problem, len(problems))
	for i, problem := range problems {
		if problem == nil {
			c.fail(refuse(ErrNullArgument, "problems[%d] is nil", i))
		}
		given[i] = (*C.chorale_problem)(c.share((*handle)(problem)))
	}
	told := (*C.chorale_learn_options)(c.memory.allocate(C.sizeof_chorale_learn_options))
	C.chorale_learn_options_init(told, C.sizeof_chorale_learn_options)
	rules := make([]C.chorale_weight_rule, len(options.Rules))
	for i, rule := range options.Rules {
		rules[i] = C.chorale_weight_rule{
			kind: c.kind(fmt.Sprintf("options.Rules[%d].Kind", i), rule.Kind), basis: C.chorale_basis(rule.Basis),
			index: C.int64_t(rule.Index), least: C.double(rule.Least), most: C.double(rule.Most),
		}
	}
	told.rules = (*C.chorale_weight_rule)(lend(&c.memory, rules))
	told.rule_count = C.int64_t(len(rules))
	if options.Costs != nil {
		c.check("options.Costs", len(options.Costs), product(options.Labels, options.Labels))
		told.costs = (*C.double)(lend(&c.memory, options.Costs))
		told.labels = C.int64_t(options.Labels)
	}
	if options.Classes != nil {
		c.least("len(options.Classes)", len(options.Classes), 1)
		told.classes = (*C.int32_t)(lend(&c.memory, options.Classes))
		if options.Costs == nil {
			told.labels = C.int64_t(len(options.Classes))
		}
	}
	if options.Seen != nil {
		if len(options.Seen) != len(problems) {
			c.fail(refuse(ErrShape, "options.Seen has %d elements for %d problems", len(options.Seen), len(problems)))
		}
		told.seen = (*C.double)(lend(&c.memory, options.Seen))
	}
	told.folds = C.int64_t(options.Folds)
	told.level = C.double(options.Level)
	told.time_limit = seconds(options.TimeLimit)
	told.cancel = (*C.chorale_cancel)(c.share((*handle)(cancel)))
	if options.Run != nil {
		run := c.runOptions(options.Run)
		if options.Run.Executor != nil {
			callbacks := &runCallbacks{executor: options.Run.Executor}
			c.watched = append(c.watched, &callbacks.failures)
			users = append(users, newCallback(callbacks))
			C.chorale_go_run_callbacks(run, C.uintptr_t(users[len(users)-1]), 1, 0)
		}
		told.run = run
	}
	if options.Progress != nil {
		callback := &learnCallback{progress: options.Progress}
		c.watched = append(c.watched, &callback.failures)
		users = append(users, newCallback(callback))
		C.chorale_go_learn_callback(told, C.uintptr_t(users[len(users)-1]))
	}
	if c.err != nil {
		return nil, c.err
	}
	finish := raiseAtEnd(ctx, told.cancel, true)
	var learnt *C.chorale_learnt
	status := func() C.chorale_status {
		defer finish()
		return C.chorale_learn(host, (**C.chorale_problem)(first(given)), C.int64_t(len(given)), told, &learnt, c.detail)
	}()
	if c.failed(status) {
		return nil, c.err
	}
	made := newLearnt(learnt, (*handle)(options.Host))
	report := newReport()
	if c.failed(C.chorale_learnt_get_report(learnt, report, c.detail)) {
		made.Close()
		return nil, c.err
	}
	if Outcome(report.outcome) == Cancelled {
		return made, ctx.Err() // nil if Progress, not the context, ended the call
	}
	return made, nil
}

// kind converts the number of a kind to a 32-bit integer for C.
func (c *call) kind(name string, kind int) C.int32_t {
	if int(int32(kind)) != kind {
		c.fail(refuse(ErrOutOfRange, "%s is %d", name, kind))
	}
	return C.int32_t(kind)
}

// NewAgreeingProblem makes a problem from a corpus and agreements, with the model that [Decode]
// would label. The cliques of agreement k have kind k. gold: the gold label of each position of the
// corpus, -1 if unknown; nil for no gold labels.
func NewAgreeingProblem(corpus *Corpus, agreements []*Agreement, gold []int32, host *Host) (*Problem, error) {
	c := begin()
	defer c.end()
	in := c.host(host)
	given, offsets := c.corpus(corpus)
	all := c.agreements(agreements, offsets)
	if c.err == nil {
		c.check("gold", len(gold), int(offsets[len(offsets)-1]))
	}
	if c.err != nil {
		return nil, c.err
	}
	var problem *C.chorale_problem
	if c.failed(C.chorale_problem_create_agreeing(in, given, (*C.chorale_agreement)(first(all)), C.int64_t(len(all)), ints(gold), &problem, c.detail)) {
		return nil, c.err
	}
	related := []*handle{(*handle)(host)}
	for _, agreement := range agreements {
		related = append(related, (*handle)(agreement.Potential))
	}
	return newProblem(problem, related...), nil
}

// ReadLearnt makes a result from the text that [Learnt.JSON] returned.
func ReadLearnt(json string, host *Host) (*Learnt, error) {
	c := begin()
	defer c.end()
	in := c.host(host)
	if c.err != nil {
		return nil, c.err
	}
	bytes := append([]byte(json), 0)
	var learnt *C.chorale_learnt
	if c.failed(C.chorale_learnt_read(in, (*C.char)(first(bytes)), C.size_t(len(json)), &learnt, c.detail)) {
		return nil, c.err
	}
	return newLearnt(learnt, (*handle)(host)), nil
}

// Close frees the result. Potentials and models made from it remain valid.
func (l *Learnt) Close() error { return (*handle)(l).close() }

func (l *Learnt) begin() (*call, *C.chorale_learnt) {
	c := begin()
	return c, (*C.chorale_learnt)(c.share((*handle)(l)))
}

// Apply makes a model with the chains and cliques of a problem, in which every clique that has a
// kind gets the learnt potential of this kind.
func (l *Learnt) Apply(problem *Problem, host *Host) (*Model, error) {
	c, learnt := l.begin()
	defer c.end()
	in := c.host(host)
	on := (*C.chorale_problem)(c.share((*handle)(problem)))
	if c.err != nil {
		return nil, c.err
	}
	var model *C.chorale_model
	if c.failed(C.chorale_learnt_apply(in, learnt, on, &model, c.detail)) {
		return nil, c.err
	}
	return newModel(model, (*handle)(problem), (*handle)(host)), nil
}

// Potential makes the learnt potential of a kind, for cliques of any size. values: R, the number of
// values of the cliques; if they are property cliques, the potential is over R + 2 values: the last
// two are EMPTY and CONFLICT. centreValue: for a kind of centred cliques, the value of the centre
// that the potential is for; otherwise -1.
func (l *Learnt) Potential(kind, values, centreValue int, host *Host) (*Potential, error) {
	c, learnt := l.begin()
	defer c.end()
	in := c.host(host)
	if c.err != nil {
		return nil, c.err
	}
	var potential *C.chorale_potential
	if c.failed(C.chorale_learnt_potential(in, learnt, C.int64_t(kind), C.int64_t(values), C.int64_t(centreValue), &potential, c.detail)) {
		return nil, c.err
	}
	h := potentialHandle(potential)
	h.relate((*handle)(host))
	return (*Potential)(h), nil
}

// Applied says which of the learnt weights are applied. All other weights are 0.
type Applied int32

// Which weights are applied.
const (
	AppliedNothing Applied = C.CHORALE_APPLIED_NOTHING // no weights
	AppliedBonuses Applied = C.CHORALE_APPLIED_BONUSES // all weights except those of agreement bases
	AppliedAll     Applied = C.CHORALE_APPLIED_ALL     // all weights
)

// LearnWarning is a set of flags that say what is unusual in the problems.
type LearnWarning int32

// The flags.
const (
	WarningGoldForbidden LearnWarning = C.CHORALE_WARNING_GOLD_FORBIDDEN // at some positions the chain's own scores forbid the gold label
	WarningLabelUnseen   LearnWarning = C.CHORALE_WARNING_LABEL_UNSEEN   // some gold label is forbidden by the unary scores at every position of every chain
	WarningSingleClique  LearnWarning = C.CHORALE_WARNING_SINGLE_CLIQUE  // some kind has only one clique
	WarningBaseKnows     LearnWarning = C.CHORALE_WARNING_BASE_KNOWS     // the tagger may have been trained on the gold labels: more than 99 % of its labels are right
	WarningFewGroups     LearnWarning = C.CHORALE_WARNING_FEW_GROUPS     // there are too few groups for any gain to be significant
	WarningBaseGuesses   LearnWarning = C.CHORALE_WARNING_BASE_GUESSES   // the scores tell nothing about the gold labels, which may be misaligned
)

// Gain is the difference of two costs on held-out groups. Its interval and its p-value are computed
// from how the difference varies from group to group.
type Gain struct {
	Gain         float64 // the difference
	Lower, Upper float64 // the ends of its 95 % interval
	P            float64 // the p-value of a one-sided test of whether the difference is above 0
}

// LearntReport is the report of learning. Costs are sums over held-out groups: documents labelled
// with weights learnt on other documents. The tagger's labels are the best labels of the chains
// without cliques.
type LearntReport struct {
	Outcome                                  Outcome      // how the call ended
	Applied                                  Applied      // which weights are applied
	Warnings                                 LearnWarning // what is unusual in the problems: a set of flags
	Groups, Folds, Positions, Kinds, Weights int          // the numbers of groups, folds, positions with gold labels, kinds of cliques, and weights
	Runs                                     int          // number of runs made, each over one problem
	Unit, Regularisation, GoldBonus          float64      // Unit: the temperature at which the tagger's margins are calibrated as log-odds. Regularisation: the strength of regularisation, lambda. GoldBonus: the score added to gold labels, as a mean over problems, if taggers were trained on less data than the final tagger (LearnOptions.Seen), else 0
	BaseCost, ControlCost, AllCost           float64      // BaseCost: cost of the tagger's labels. ControlCost: cost with bonuses alone. AllCost: cost with all bases
	Gain                                     Gain         // gain of all bases over the tagger: BaseCost - AllCost
	AgreementGain                            Gain         // gain of agreement bases over bonuses alone: ControlCost - AllCost. P is that of a permutation test, which exchanges the members of cliques at random and compares how much they agree; if no members could be exchanged, P is the p-value of the gain itself
	F1                                       float64      // micro F1 of the tagger's labels, 0 to 1, if LearnOptions.Classes were given; else 0
	Temperature                              float64      // the temperature for Run.Probabilities at which the model is as sure as it is right on held-out groups; 0: unknown
}

func newReport() *C.chorale_learnt_report {
	report := new(C.chorale_learnt_report)
	C.chorale_learnt_report_init(report, C.sizeof_chorale_learnt_report)
	return report
}

// Report returns the report of learning.
func (l *Learnt) Report() (LearntReport, error) {
	c, learnt := l.begin()
	defer c.end()
	r := newReport()
	if learnt == nil || c.failed(C.chorale_learnt_get_report(learnt, r, c.detail)) {
		return LearntReport{}, c.err
	}
	return LearntReport{
		Outcome: Outcome(r.outcome), Applied: Applied(r.applied), Warnings: LearnWarning(r.warnings), Groups: int(r.groups),
		Folds: int(r.folds), Positions: int(r.positions), Kinds: int(r.kinds), Weights: int(r.weights), Runs: int(r.runs),
		Unit: float64(r.unit), Regularisation: float64(r.regularisation), GoldBonus: float64(r.gold_bonus),
		BaseCost: float64(r.base_cost), ControlCost: float64(r.control_cost), AllCost: float64(r.all_cost),
		Gain:          Gain{float64(r.gain), float64(r.gain_lower), float64(r.gain_upper), float64(r.gain_p)},
		AgreementGain: Gain{float64(r.agreement_gain), float64(r.agreement_lower), float64(r.agreement_upper), float64(r.agreement_p)},
		F1:            float64(r.f1), Temperature: float64(r.temperature),
	}, nil
}

// Verdict says whether the learnt weights of a kind are applied, and if not, why.
type Verdict int32

// The verdicts on a kind.
const (
	VerdictKept       Verdict = C.CHORALE_VERDICT_KEPT        // the weights of the kind are applied
	VerdictNoCliques  Verdict = C.CHORALE_VERDICT_NO_CLIQUES  // no clique has the kind
	VerdictScreened   Verdict = C.CHORALE_VERDICT_SCREENED    // the kind was left out at the start: its bases are about as great on the tagger's labels as on the gold labels
	VerdictNoGain     Verdict = C.CHORALE_VERDICT_NO_GAIN     // the gain of the kind on held-out groups is not significant
	VerdictNotApplied Verdict = C.CHORALE_VERDICT_NOT_APPLIED // no kind is applied, since the gain of all kinds together is not significant
)

// LearntKind is the result for one kind of cliques.
type LearntKind struct {
	Kind             int     // number of the kind
	Verdict          Verdict // whether the kind is applied, and if not, why
	Cliques, Members int     // the numbers of cliques of the kind, and of their members
	ScreeningP       float64 // p-value of the screening, which leaves out kinds whose bases are about as great on the tagger's labels as on the gold labels; 1 if kinds were not screened
	Gain             Gain    // cost of the tagger's labels minus the cost with this kind alone; 0, with P 1, if the kind was not learnt alone
}

// Kinds returns the results of all kinds, in the order of their numbers.
func (l *Learnt) Kinds() ([]LearntKind, error) {
	c, learnt := l.begin()
	defer c.end()
	var needed C.int64_t
	if learnt == nil || c.failed(C.chorale_learnt_kinds(learnt, nil, C.sizeof_chorale_learnt_kind, 0, &needed, c.detail)) || needed == 0 {
		return nil, c.err
	}
	found := make([]C.chorale_learnt_kind, needed)
	if c.failed(C.chorale_learnt_kinds(learnt, &found[0], C.sizeof_chorale_learnt_kind, needed, nil, c.detail)) {
		return nil, c.err
	}
	kinds := make([]LearntKind, len(found))
	for i, k := range found {
		kinds[i] = LearntKind{
			int(k.kind), Verdict(k.verdict), int(k.cliques), int(k.members), float64(k.screening_p),
			Gain{float64(k.gain), float64(k.gain_lower), float64(k.gain_upper), float64(k.p)},
		}
	}
	return kinds, nil
}

// LearntWeight is one learnt weight.
type LearntWeight struct {
	Kind         int     // number of the kind of cliques
	Basis        Basis   // the basis that the weight multiplies
	Index        int     // index of the weight, if the basis has several; otherwise 0
	Weight       float64 // the weight as it is applied
	Lower, Upper float64 // the ends of the weight's 95 % interval
	Least, Most  float64 // the bounds that were set for the weight
}

// Weights returns all weights, ordered by kind, then basis, then index.
func (l *Learnt) Weights() ([]LearntWeight, error) {
	c, learnt := l.begin()
	defer c.end()
	var needed C.int64_t
	if learnt == nil || c.failed(C.chorale_learnt_weights(learnt, nil, C.sizeof_chorale_learnt_weight, 0, &needed, c.detail)) || needed == 0 {
		return nil, c.err
	}
	found := make([]C.chorale_learnt_weight, needed)
	if c.failed(C.chorale_learnt_weights(learnt, &found[0], C.sizeof_chorale_learnt_weight, needed, nil, c.detail)) {
		return nil, c.err
	}
	weights := make([]LearntWeight, len(found))
	for i, w := range found {
		weights[i] = LearntWeight{
			int(w.kind), Basis(w.basis), int(w.index), float64(w.weight), float64(w.lower), float64(w.upper), float64(w.least),
			float64(w.most),
		}
	}
	return weights, nil
}

// Lines returns the result as lines of text for people.
func (l *Learnt) Lines() (string, error) { return l.text(C.CHORALE_TEXT_LINES) }

// JSON returns the whole result as a text that [ReadLearnt] reads.
func (l *Learnt) JSON() (string, error) { return l.text(C.CHORALE_TEXT_JSON) }

func (l *Learnt) text(form C.chorale_text_form) (string, error) {
	c, learnt := l.begin()
	defer c.end()
	var needed C.size_t
	if learnt == nil || c.failed(C.chorale_learnt_text(learnt, form, nil, 0, &needed, c.detail)) {
		return "", c.err
	}
	bytes := make([]byte, int(needed))
	if c.failed(C.chorale_learnt_text(learnt, form, (*C.char)(first(bytes)), needed, nil, c.detail)) {
		return "", c.err
	}
	return string(bytes[:len(bytes)-1]), nil
}
