package chorale

// #include "shim.h"
import "C"

import (
	"context"
	"strings"
	"unsafe"
)

// A clique may have a kind, a number; all cliques of one kind share a strength. The tagger's labels
// are the best labels of the chains without cliques. Results are measured by cross-validation on
// groups (documents) that are held out, that is, labelled as learnt from other groups.

// Learnt is the result of [Learn]. It never changes; any number of goroutines may use it.
// Provisional: it may change until version 1.0.
type Learnt handle

// Learn learns from problems with gold labels how strongly the members of cliques should agree. The
// scores must come from taggers that have not seen the gold labels. options: nil for the defaults.
// Provisional: it may change until version 1.0.
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
		options = &LearnOptions{}
	}
	cancel, err := NewCancel()
	if err != nil {
		return nil, err
	}
	defer cancel.Close()
	c := begin()
	defer c.end()
	given := make([]*C.chorale_problem, len(problems))
	for i, problem := range problems {
		if problem == nil {
			c.fail(refuse(ErrNullArgument, "problems[%d] is nil", i))
		}
		given[i] = (*C.chorale_problem)(c.share(problem.handle()))
	}
	told := (*C.chorale_learn_options)(c.memory.allocate(C.sizeof_chorale_learn_options)) // C stores the callback's cgo.Handle in it as a pointer
	*told = *c.learnOptionsInC(options)
	c.check("options.Costs", len(options.Costs), product(options.Labels, options.Labels))
	if options.Classes != nil {
		c.least("len(options.Classes)", len(options.Classes), 1)
		c.check("options.Begins", len(options.Begins), len(options.Classes))
	}
	if options.Costs == nil {
		told.labels = C.int64_t(len(options.Classes))
	}
	told.begins = (*C.int32_t)(lend(c, flags[C.int32_t](options.Begins)))
	told.cancel = (*C.chorale_cancel)(c.share(cancel.handle()))
	if options.Progress != nil {
		C.chorale_go_learn_callback(told, c.callback(&progressed[LearnProgress]{tell: options.Progress}))
	}
	if c.err != nil {
		return nil, c.err
	}
	var learnt *C.chorale_learnt
	if c.failed(during(ctx, told.cancel, true, func() C.chorale_status {
		return C.chorale_learn(nil, (**C.chorale_problem)(first(given)), C.int64_t(len(given)), told, &learnt, c.detail)
	})) {
		return nil, c.err
	}
	made := newLearnt(learnt)
	report, err := made.Report()
	if err == nil && report.Outcome == Cancelled {
		err = ctx.Err() // nil if Progress, not the context, ended the call
	}
	return made, err
}

// NewAgreeingProblem makes a problem from a corpus and agreements, with the model that [Decode]
// would label. The cliques of agreement k have kind k. gold: the gold label of each position of the
// corpus, -1 if unknown; nil for no gold labels.
// Provisional: it may change until version 1.0.
func NewAgreeingProblem(corpus *Corpus, agreements []*Agreement, gold []int32) (*Problem, error) {
	c := begin()
	defer c.end()
	given, offsets := c.corpus(corpus)
	all := c.agreements(agreements, offsets)
	if c.err == nil {
		c.check("gold", len(gold), int(offsets[len(offsets)-1]))
	}
	if c.err != nil {
		return nil, c.err
	}
	var problem *C.chorale_problem
	if c.failed(C.chorale_problem_create_agreeing(nil, given, (*C.chorale_agreement)(first(all)), C.int64_t(len(all)), ints(gold), &problem, c.detail)) {
		return nil, c.err
	}
	related := []*handle{}
	for _, agreement := range agreements {
		related = append(related, agreement.Potential.handle())
	}
	return newProblem(problem, related...), nil
}

// Lines returns the result as lines of text for people.
// Provisional: it may change until version 1.0.
func (l *Learnt) Lines() (string, error) { return l.text(C.CHORALE_TEXT_LINES) }

// JSON returns the whole result as a text that [ReadLearnt] reads.
// Provisional: it may change until version 1.0.
func (l *Learnt) JSON() (string, error) { return l.text(C.CHORALE_TEXT_JSON) }

func (l *Learnt) text(form C.chorale_text_form) (string, error) {
	c := begin()
	defer c.end()
	learnt := (*C.chorale_learnt)(c.share(l.handle()))
	bytes, err := filled(c, func(to *byte, capacity C.size_t, needed *C.size_t) C.chorale_status {
		return C.chorale_learnt_text(learnt, form, (*C.char)(unsafe.Pointer(to)), capacity, needed, c.detail)
	})
	return strings.TrimSuffix(string(bytes), "\x00"), err
}
