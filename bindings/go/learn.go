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

// Basis is a function of the counts of a clique that a weight is learnt for. n is the number of members, n_v how many show v.
type Basis int32

// Bases.
const (
	BasisAgreement    Basis = C.CHORALE_BASIS_AGREEMENT     // sum_v n_v^2 / n: the strength of an Agreement
	BasisLogAgreement Basis = C.CHORALE_BASIS_LOG_AGREEMENT // sum_v n_v^2 / log n
	BasisShare        Basis = C.CHORALE_BASIS_SHARE         // index i = 1, 2, 3: sum_v max(0, n_v - i n / 4)
	BasisMajority     Basis = C.CHORALE_BASIS_MAJORITY      // n_v where a is the majority, at index a times the number of columns, and v
	BasisCentre       Basis = C.CHORALE_BASIS_CENTRE        // n_v where the centre shows c, at index c times the number of columns, and v
	BasisSingle       Basis = C.CHORALE_BASIS_SINGLE        // sum_v n_v; with Classes what any label that counts is worth
	BasisEmpty        Basis = C.CHORALE_BASIS_EMPTY         // n_EMPTY
	BasisConflict     Basis = C.CHORALE_BASIS_CONFLICT      // n_CONFLICT
	BasisOut          Basis = C.CHORALE_BASIS_OUT           // n_OUT
	BasisValue        Basis = C.CHORALE_BASIS_VALUE         // index v: n_v
)

// String is the name of a basis in lower case.
func (b Basis) String() string { return C.GoString(C.chorale_basis_name(C.chorale_basis(b))) }

// WeightRule bounds weights. The last rule that fits a weight counts; a rule for a basis that is not learnt by default makes
// it learnt.
type WeightRule struct {
	Kind        int     // -1: every kind that can have the basis
	Basis       Basis   // what the weight is of
	Index       int     // -1: every index
	Least, Most float64 // infinite: no bound; equal: the weight is frozen
}

// LearnProgress is told after each run over a problem.
type LearnProgress struct {
	Runs     int // done so far
	RunsMost int // that there may be at most
}

// LearnOptions say how [Learn] works. They are made by [NewLearnOptions].
type LearnOptions struct {
	Rules     []WeightRule             // bounds of weights
	Costs     []float64                // Labels x Labels: of giving the second label where the first is gold; nil: 1 for each wrong label
	Labels    int                      // of Costs
	Classes   []int32                  // by label: what it counts as for micro F1, -1: it does not; Costs must be nil. nil: not F1
	Seen      []float64                // by problem: the share of what the final tagger will have seen, above 0, at most 1; nil: 1
	Folds     int                      // at most, at least 2; 10 by default
	Level     float64                  // of significance, above 0 and below 1; 0.05 by default
	Run       *RunOptions              // of the runs in learning, whose limits, Progress and host are not looked at; nil: quick ones
	TimeLimit time.Duration            // NoLimit: none but that of the context
	Progress  func(LearnProgress) bool // true ends the call as a cancel would; may be nil
	Host      *Host                    // memory and log; may be nil
}

// NewLearnOptions returns the defaults, which nil stands for too.
func NewLearnOptions() *LearnOptions {
	var told C.chorale_learn_options
	C.chorale_learn_options_init(&told, C.sizeof_chorale_learn_options)
	return &LearnOptions{Folds: int(told.folds), Level: float64(told.level), TimeLimit: duration(told.time_limit)}
}

// Learnt is what [Learn] found. It never changes; any number of goroutines may use it.
type Learnt handle

func newLearnt(learnt *C.chorale_learnt, from ...*handle) *Learnt {
	h := newHandle(unsafe.Pointer(learnt), func(pointer unsafe.Pointer) {
		C.chorale_learnt_destroy((*C.chorale_learnt)(pointer))
	})
	h.relate(from...)
	return (*Learnt)(h)
}

// Learn learns weights for the kinds of cliques of problems with gold labels, whose scores come from taggers that have not
// seen these. options: nil for the defaults.
//
// Where the context (nil: none) ends the call, both a result that applies nothing and the error of the context are given. A
// TimeLimit of the options, and a Progress that asks for the end, are outcomes of the report without an error.
//
// Errors: [ErrNullArgument] (no problem, a nil one), [ErrShape] (Costs, Seen), [ErrSize] (Folds, empty Classes),
// [ErrOutOfRange] (Level, Costs, Seen, Rules, Classes: below -1, or none that counts), [ErrNotANumber], [ErrInfinite],
// [ErrLabelsMismatch] (Costs, Classes, chains of different numbers of labels), [ErrNoGold], [ErrOneGroup], [ErrKind] (no
// clique has a kind; a rule for a basis that its kind cannot have; Costs and Classes both), [ErrModelMismatch], and those of
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
		return made, ctx.Err() // nil where Progress asked for the end
	}
	return made, nil
}

// kind is a number that C keeps in 32 bits.
func (c *call) kind(name string, kind int) C.int32_t {
	if int(int32(kind)) != kind {
		c.fail(refuse(ErrOutOfRange, "%s is %d", name, kind))
	}
	return C.int32_t(kind)
}

// NewAgreeingProblem makes the problem around the model that [Decode] would make of a corpus: agreement k is kind k of its
// cliques. gold: labels by position of the corpus, -1 where not known; may be nil.
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

// ReadLearnt makes a result of what [Learnt.JSON] gave.
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

// Close frees the result; potentials and models made of it live on.
func (l *Learnt) Close() error { return (*handle)(l).close() }

func (l *Learnt) begin() (*call, *C.chorale_learnt) {
	c := begin()
	return c, (*C.chorale_learnt)(c.share((*handle)(l)))
}

// Apply makes the model of a problem with the learnt potentials in its cliques that have kinds.
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

// Potential makes the potential of a kind over `values` values, for cliques of any size. centreValue: of a kind with a
// centre, what the centre shows; -1 otherwise.
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

// Applied is what of the weights is not 0.
type Applied int32

// Applied.
const (
	AppliedNothing Applied = C.CHORALE_APPLIED_NOTHING // every weight is 0
	AppliedBonuses Applied = C.CHORALE_APPLIED_BONUSES // agreement bases are 0
	AppliedAll     Applied = C.CHORALE_APPLIED_ALL     // every basis
)

// LearnWarning is a set of flags.
type LearnWarning int32

// Warnings.
const (
	WarningGoldForbidden LearnWarning = C.CHORALE_WARNING_GOLD_FORBIDDEN // gold labels that their chains forbid
	WarningLabelUnseen   LearnWarning = C.CHORALE_WARNING_LABEL_UNSEEN   // a gold label that is forbidden at every position
	WarningSingleClique  LearnWarning = C.CHORALE_WARNING_SINGLE_CLIQUE  // a kind of one clique
	WarningBaseKnows     LearnWarning = C.CHORALE_WARNING_BASE_KNOWS     // the tagger may have seen the gold labels
	WarningFewGroups     LearnWarning = C.CHORALE_WARNING_FEW_GROUPS     // too few for any gain to be credible
)

// Gain is a cost less another on held-out groups, with a 95 % interval and a p-value.
type Gain struct {
	Gain         float64 // the difference
	Lower, Upper float64 // its 95 % interval
	P            float64 // one-sided
}

// LearntReport tells how learning went. Costs are sums over held-out groups.
type LearntReport struct {
	Outcome                                  Outcome      // how the call ended
	Applied                                  Applied      // what the last gate lets through
	Warnings                                 LearnWarning // what is odd about the input
	Groups, Folds, Positions, Kinds, Weights int          // numbers of each; positions are those with gold labels
	Runs                                     int          // over single problems
	Unit, Regularisation, GoldBonus          float64      // of the scores; lambda; for weaker taggers, 0: none
	BaseCost, ControlCost, AllCost           float64      // of the tagger's own labels, of bonuses alone, of all bases
	Gain                                     Gain         // BaseCost less AllCost
	AgreementGain                            Gain         // ControlCost less AllCost; P: of agreement, from members where these can be exchanged
	F1                                       float64      // micro F1 of the tagger's own labels, 0 to 1, where there are Classes; else 0
	Temperature                              float64      // for [Run.Probabilities]; 0: not known
}

func newReport() *C.chorale_learnt_report {
	report := new(C.chorale_learnt_report)
	C.chorale_learnt_report_init(report, C.sizeof_chorale_learnt_report)
	return report
}

// Report tells how learning went.
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

// Verdict is what became of a kind.
type Verdict int32

// Verdicts.
const (
	VerdictKept       Verdict = C.CHORALE_VERDICT_KEPT        // its gain is credible
	VerdictNoCliques  Verdict = C.CHORALE_VERDICT_NO_CLIQUES  // of this kind
	VerdictScreened   Verdict = C.CHORALE_VERDICT_SCREENED    // gold labels look no different to it than the tagger's own
	VerdictNoGain     Verdict = C.CHORALE_VERDICT_NO_GAIN     // its gain on held-out groups is not credible
	VerdictNotApplied Verdict = C.CHORALE_VERDICT_NOT_APPLIED // nothing is
)

// LearntKind is what was found of one kind.
type LearntKind struct {
	Kind             int     // its number
	Verdict          Verdict // kept, or why not
	Cliques, Members int     // numbers of each
	ScreeningP       float64 // 1 where nothing was screened
	Gain             Gain    // over the tagger's own labels, of the kind alone; 0 where not learnt, or where there is one kind
}

// Kinds are all kinds, in order.
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

// LearntWeight is one weight.
type LearntWeight struct {
	Kind         int     // its number
	Basis        Basis   // what the weight is of
	Index        int     // 0 where the basis has none
	Weight       float64 // as applied
	Lower, Upper float64 // a 95 % interval
	Least, Most  float64 // bounds
}

// Weights are all weights, by kind, basis and index.
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

// Lines are what was found, for a person.
func (l *Learnt) Lines() (string, error) { return l.text(C.CHORALE_TEXT_LINES) }

// JSON is all that was found, for [ReadLearnt].
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
