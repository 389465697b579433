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

// Basis is a function of the counts of a clique, for which a weight is learnt. n is the number of
// members, n_v the number of members with value v.
type Basis int32

// Bases.
const (
	BasisAgreement    Basis = C.CHORALE_BASIS_AGREEMENT     // sum_v n_v^2 / n: the strength of an Agreement
	BasisLogAgreement Basis = C.CHORALE_BASIS_LOG_AGREEMENT // sum_v n_v^2 / log n
	BasisShare        Basis = C.CHORALE_BASIS_SHARE         // index i = 1, 2, 3: sum_v max(0, n_v - i n / 4)
	BasisMajority     Basis = C.CHORALE_BASIS_MAJORITY      // n_v if a is the majority; index: a times the number of columns, plus v
	BasisCentre       Basis = C.CHORALE_BASIS_CENTRE        // n_v if the centre has the value c; index: c times the number of columns, plus v
	BasisSingle       Basis = C.CHORALE_BASIS_SINGLE        // sum_v n_v: a bonus for every value; with Classes for every label that counts
	BasisEmpty        Basis = C.CHORALE_BASIS_EMPTY         // number of EMPTY members
	BasisConflict     Basis = C.CHORALE_BASIS_CONFLICT      // number of CONFLICT members
	BasisOut          Basis = C.CHORALE_BASIS_OUT           // number of members with the value OUT
	BasisValue        Basis = C.CHORALE_BASIS_VALUE         // index v: n_v
)

// String is the name of a basis in lower case.
func (b Basis) String() string { return C.GoString(C.chorale_basis_name(C.chorale_basis(b))) }

// WeightRule bounds the weights of a basis. If several rules match a weight, the last one applies. A
// rule for a basis that is not learnt by default makes it learnt.
type WeightRule struct {
	Kind        int     // -1: every kind that can have the basis
	Basis       Basis   // what the weight is of
	Index       int     // -1: every index
	Least, Most float64 // infinite: no bound; equal: the weight is frozen
}

// LearnProgress is the progress after each run over a problem.
type LearnProgress struct {
	Runs     int // number of runs done so far
	RunsMost int // upper bound on the number of runs
}

// LearnOptions are the options of [Learn]. They are made by [NewLearnOptions].
type LearnOptions struct {
	Rules     []WeightRule             // bounds of weights
	Costs     []float64                // Labels x Labels costs, row: gold label, column: label given; nil: 1 for each wrong label
	Labels    int                      // number of labels of Costs
	Classes   []int32                  // by label: its class in micro F1, or -1 if it does not count; Costs must then be nil. nil: Costs apply
	Seen      []float64                // by problem: the share of the final tagger's training data that its tagger has seen, above 0, at most 1; nil: 1
	Folds     int                      // greatest number of folds, at least 2; 10 by default
	Level     float64                  // level of significance, above 0 and below 1; 0.05 by default
	Run       *RunOptions              // options of the runs in learning; their limits, Progress and host are ignored; nil: defaults with few rounds
	TimeLimit time.Duration            // NoLimit: none but that of the context
	Progress  func(LearnProgress) bool // called after each run; true ends the call like a cancel; may be nil
	Host      *Host                    // memory and log; may be nil
}

// NewLearnOptions returns the defaults, which also apply if options are nil.
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

// Learn learns weights for the kinds of cliques of problems with gold labels. The scores must come from
// taggers that have not seen the gold labels. options: nil for the defaults.
//
// If the context (nil: none) ends the call, Learn returns both a result that applies nothing and the
// error of the context. The TimeLimit of the options, and a Progress that returns true, give an outcome
// in the report and no error.
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

// kind converts the number of a kind to 32 bits for C.
func (c *call) kind(name string, kind int) C.int32_t {
	if int(int32(kind)) != kind {
		c.fail(refuse(ErrOutOfRange, "%s is %d", name, kind))
	}
	return C.int32_t(kind)
}

// NewAgreeingProblem makes a problem with the model that [Decode] would make of a corpus: agreement k is
// kind k of its cliques. gold: labels by position of the corpus, -1 if unknown; may be nil.
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

// ReadLearnt reads a result written by [Learnt.JSON].
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

// Close frees the result; potentials and models made from it remain valid.
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

// Potential makes the potential of a kind over `values` values, for cliques of any size. centreValue:
// for a centred kind, the value of the centre; -1 otherwise.
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

// Applied tells which weights are applied; the others are 0.
type Applied int32

// Applied.
const (
	AppliedNothing Applied = C.CHORALE_APPLIED_NOTHING // all weights are 0
	AppliedBonuses Applied = C.CHORALE_APPLIED_BONUSES // weights of agreement bases are 0
	AppliedAll     Applied = C.CHORALE_APPLIED_ALL     // all weights are applied
)

// LearnWarning is a set of flags.
type LearnWarning int32

// Warnings.
const (
	WarningGoldForbidden LearnWarning = C.CHORALE_WARNING_GOLD_FORBIDDEN // gold labels that their chains forbid
	WarningLabelUnseen   LearnWarning = C.CHORALE_WARNING_LABEL_UNSEEN   // a gold label that is forbidden at every position
	WarningSingleClique  LearnWarning = C.CHORALE_WARNING_SINGLE_CLIQUE  // a kind of one clique
	WarningBaseKnows     LearnWarning = C.CHORALE_WARNING_BASE_KNOWS     // the tagger may have seen the gold labels
	WarningFewGroups     LearnWarning = C.CHORALE_WARNING_FEW_GROUPS     // too few groups for any gain to be significant
)

// Gain is the difference of two costs on held-out groups, with a 95 % interval and a p-value.
type Gain struct {
	Gain         float64 // the difference
	Lower, Upper float64 // its 95 % interval
	P            float64 // one-sided
}

// LearntReport is the report of learning. Costs are sums over held-out groups. The tagger's labels are
// the best labels of the chains without cliques.
type LearntReport struct {
	Outcome                                  Outcome      // how the call ended
	Applied                                  Applied      // which weights are applied
	Warnings                                 LearnWarning // unusual properties of the input
	Groups, Folds, Positions, Kinds, Weights int          // numbers of each; positions are those with gold labels
	Runs                                     int          // over single problems
	Unit, Regularisation, GoldBonus          float64      // unit of the scores; lambda; bonus of gold labels for weaker taggers, 0: none
	BaseCost, ControlCost, AllCost           float64      // cost of the tagger's labels, with bonuses alone, with all bases
	Gain                                     Gain         // BaseCost - AllCost
	AgreementGain                            Gain         // ControlCost - AllCost; if members can be exchanged, P is that of the exchange test of agreement
	F1                                       float64      // micro F1 of the tagger's own labels, 0 to 1, where there are Classes; else 0
	Temperature                              float64      // temperature for [Run.Probabilities]; 0: unknown
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

// Verdict tells whether a kind is applied, and if not, why.
type Verdict int32

// Verdicts.
const (
	VerdictKept       Verdict = C.CHORALE_VERDICT_KEPT        // the kind is applied
	VerdictNoCliques  Verdict = C.CHORALE_VERDICT_NO_CLIQUES  // no clique has the kind
	VerdictScreened   Verdict = C.CHORALE_VERDICT_SCREENED    // its bases do not differ between gold labels and the tagger's labels
	VerdictNoGain     Verdict = C.CHORALE_VERDICT_NO_GAIN     // its gain on held-out groups is not significant
	VerdictNotApplied Verdict = C.CHORALE_VERDICT_NOT_APPLIED // no kind is applied
)

// LearntKind is the result for one kind.
type LearntKind struct {
	Kind             int     // its number
	Verdict          Verdict // whether the kind is applied, and if not, why
	Cliques, Members int     // numbers of each
	ScreeningP       float64 // p-value of the screening; 1 if kinds were not screened
	Gain             Gain    // gain of this kind alone over the tagger's labels; 0 if not learnt, or if it is the only kind
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

// LearntWeight is one learnt weight.
type LearntWeight struct {
	Kind         int     // its number
	Basis        Basis   // what the weight is of
	Index        int     // index of the basis; 0 if it has none
	Weight       float64 // as applied
	Lower, Upper float64 // 95 % interval of the weight
	Least, Most  float64 // bounds of the weight
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

// Lines is the result as lines of text for people.
func (l *Learnt) Lines() (string, error) { return l.text(C.CHORALE_TEXT_LINES) }

// JSON is the whole result, for [ReadLearnt].
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
