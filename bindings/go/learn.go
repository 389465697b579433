package chorale

// #include "shim.h"
import "C"

import (
	"context"
	"runtime/cgo"
	"time"
	"unsafe"
)

// A clique may have a kind, a number; all cliques of one kind share a strength. The tagger's labels
// are the best labels of the chains without cliques. Results are measured by cross-validation on
// groups (documents) that are held out, that is, labelled as learnt from other groups.

// LearnProgress is the progress of learning after each run over a problem.
type LearnProgress struct {
	Runs     int // number of runs done so far
	RunsMost int // upper bound on the number of runs
}

// LearnOptions are the options of [Learn]. They are made by [NewLearnOptions].
type LearnOptions struct {
	Costs            []float64                // Labels x Labels costs, where the row is the gold label and the column the label given; nil: 1 for each wrong label
	Labels           int                      // number of labels of Costs
	Classes          []int32                  // for each label its class in micro F1, which is then maximised, or -1 if the label does not count; Costs must then be nil. nil: Costs apply
	Begins           []bool                   // for each label whether it begins a span: F1 is then that of spans. Needs Classes. nil: F1 is that of positions
	MayLowerAccuracy bool                     // whether something may be applied that lowers accuracy by more than a standard error
	WithoutGold      bool                     // the strength is found without gold labels, from the errors that the tagger expects of itself: it says how strongly members should agree, not whether they do
	Threads          int                      // number of threads, 1 by default; the result is the same for any number
	TimeLimit        time.Duration            // time after which no further strength is tried, five minutes by default; NoLimit: only the context limits it
	Progress         func(LearnProgress) bool // called after each run; if it returns true, the call ends as after a cancel. May be nil
	Host             *Host                    // provides memory and a log; may be nil
}

// NewLearnOptions returns the default options, which also apply where the options are nil.
func NewLearnOptions() *LearnOptions {
	return &LearnOptions{Threads: 1, TimeLimit: 5 * time.Minute}
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

// Learn learns from problems with gold labels how strongly the members of cliques should agree. The
// scores must come from taggers that have not seen the gold labels. options: nil for the defaults.
//
// If the context (nil: none) ends the call, Learn returns both a result in which nothing is applied
// and the error of the context. If the TimeLimit of the options ends the call, or Progress ends it
// by returning true, the outcome in the report says so and there is no error.
//
// Errors: [ErrNullArgument] (no problem, or a nil one), [ErrShape] (Costs, Begins), [ErrSize] (empty
// Classes), [ErrOutOfRange] (Costs; Classes below -1, or without a label that counts),
// [ErrNotANumber], [ErrInfinite], [ErrLabelsMismatch] (Costs, Classes, or chains of different
// numbers of labels), [ErrNoGold], [ErrOneGroup], [ErrKind] (no clique has a kind; both Costs and
// Classes; Begins without Classes), [ErrModelMismatch], and those of [NewRun] and [Run.Solve].
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
	*told = C.chorale_learn_options{struct_size: C.sizeof_chorale_learn_options}
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
	if options.Begins != nil {
		if options.Classes != nil {
			c.check("options.Begins", len(options.Begins), len(options.Classes))
		}
		begins := make([]C.int32_t, len(options.Begins))
		for i, begin := range options.Begins {
			begins[i] = flag(begin)
		}
		told.begins = (*C.int32_t)(lend(&c.memory, begins))
	}
	told.may_lower_accuracy, told.without_gold = flag(options.MayLowerAccuracy), flag(options.WithoutGold)
	c.least("options.Threads", options.Threads, 1)
	told.threads = C.int64_t(options.Threads)
	told.time_limit = seconds(options.TimeLimit)
	told.cancel = (*C.chorale_cancel)(c.share((*handle)(cancel)))
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

// Verdict says why strengths are applied, or why nothing is.
type Verdict int32

// The verdicts.
const (
	VerdictGain           Verdict = C.CHORALE_VERDICT_GAIN            // applied: held-out groups cost less
	VerdictWithoutGold    Verdict = C.CHORALE_VERDICT_WITHOUT_GOLD    // applied: found without gold labels
	VerdictNoAgreement    Verdict = C.CHORALE_VERDICT_NO_AGREEMENT    // members agree no more than members dealt at random
	VerdictNoGain         Verdict = C.CHORALE_VERDICT_NO_GAIN         // held-out groups do not cost less
	VerdictMayBeChance    Verdict = C.CHORALE_VERDICT_MAY_BE_CHANCE   // they do, but so few groups, or so little, may be chance
	VerdictLowersAccuracy Verdict = C.CHORALE_VERDICT_LOWERS_ACCURACY // every strength lowers accuracy
	VerdictInterrupted    Verdict = C.CHORALE_VERDICT_INTERRUPTED     // cancelled, or the time ended before any strength was tried
)

// LearnWarning is a set of flags that say what is unusual in the problems.
type LearnWarning int32

// The flags.
const (
	WarningGoldForbidden LearnWarning = C.CHORALE_WARNING_GOLD_FORBIDDEN // some chains forbid some of their gold labels
	WarningBaseKnows     LearnWarning = C.CHORALE_WARNING_BASE_KNOWS     // the tagger may have seen the gold labels: more than 99 % of its labels are right
	WarningFewGroups     LearnWarning = C.CHORALE_WARNING_FEW_GROUPS     // fewer than 8 groups
	WarningOneLabel      LearnWarning = C.CHORALE_WARNING_ONE_LABEL      // without gold: the tagger gives nearly all positions one label, so agreement may spread it
)

// Figures say how good labels are, on held-out groups. Precision, Recall and F1 are from 0 to 1, and
// 0 unless LearnOptions.Classes were given.
type Figures struct {
	Cost                  float64 // what is maximised, as a cost that adds up over groups
	Precision, Recall, F1 float64 // of all classes together
	Accuracy              float64 // the share of right labels
}

// LearntReport is the report of learning. Everything is counted on held-out groups.
type LearntReport struct {
	Outcome                                        Outcome      // how the call ended
	Applied                                        bool         // whether strengths are applied
	Verdict                                        Verdict      // why they are applied, or why nothing is
	Warnings                                       LearnWarning // what is unusual in the problems: a set of flags
	Groups, Positions, Kinds, Runs                 int          // the numbers of groups, of positions with gold labels, of kinds of cliques, and of runs made, each over one problem
	Tagger, Control, Agreeing                      Figures      // of the tagger's own labels, of those under bonuses alone, and of the labels that agree
	Changed, ChangedRightBefore, ChangedRightAfter int          // labels that agreement changed; how many of these were right before, and how many are now
	AgreementP, GainP                              float64      // p-values: of the test whether members agree beyond chance, and of the gain in cost over the tagger; negative: unknown
	ExpectedErrors                                 float64      // without gold: errors that the tagger expects among its labels
	Temperature, ChangedTemperature                float64      // temperatures of positions that keep the tagger's label, and of those whose label agreement changed; 0: unknown. A row p of Run.Probabilities at temperature 1 is calibrated by raising its entries to the power 1 / temperature and dividing them by their sum
}

func newReport() *C.chorale_learnt_report {
	report := new(C.chorale_learnt_report)
	report.struct_size = C.sizeof_chorale_learnt_report
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
		Outcome: Outcome(r.outcome), Applied: r.applied != 0, Verdict: Verdict(r.verdict), Warnings: LearnWarning(r.warnings),
		Groups: int(r.groups), Positions: int(r.positions), Kinds: int(r.kinds), Runs: int(r.runs),
		Tagger: Figures{
			float64(r.tagger_cost), float64(r.tagger_precision), float64(r.tagger_recall), float64(r.tagger_f1), float64(r.tagger_accuracy),
		},
		Control: Figures{
			float64(r.control_cost), float64(r.control_precision), float64(r.control_recall), float64(r.control_f1), float64(r.control_accuracy),
		},
		Agreeing: Figures{
			float64(r.agreeing_cost), float64(r.agreeing_precision), float64(r.agreeing_recall), float64(r.agreeing_f1), float64(r.agreeing_accuracy),
		},
		Changed: int(r.changed), ChangedRightBefore: int(r.changed_right_before), ChangedRightAfter: int(r.changed_right_after),
		AgreementP: float64(r.agreement_p), GainP: float64(r.gain_p), ExpectedErrors: float64(r.expected_errors),
		Temperature: float64(r.temperature), ChangedTemperature: float64(r.changed_temperature),
	}, nil
}

// LearntKind is the result for one kind of cliques.
type LearntKind struct {
	Kind             int     // number of the kind
	UsesLogOdds      bool    // for centred cliques: whether the strength multiplies log-odds of the gold labels
	Cliques, Members int     // the numbers of cliques of the kind, and of their members
	Strength         float64 // as applied; 0 if nothing is
	Bonus            float64 // as applied, for each member whose label counts
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
			int(k.kind), k.uses_log_odds != 0, int(k.cliques), int(k.members), float64(k.strength), float64(k.bonus),
		}
	}
	return kinds, nil
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
