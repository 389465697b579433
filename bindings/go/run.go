package chorale

// #include "shim.h"
import "C"

import (
	"context"
	"errors"
	"time"
	"unsafe"
)

// NoRounds, as RunOptions.Rounds, means that a run has only its start.
const NoRounds = int(C.CHORALE_NO_ROUNDS)

// Run is one inference over a model. One goroutine at a time may use it to compute; any number may
// read results while none computes.
//
// [Run.Solve] takes a context; nil means a context that never ends. If the deadline or the cancellation of the context ends the call, the call returns
// both the result so far, whose outcome is [Deadline] or [Cancelled], and the error of the context.
// The best labelling so far is kept, and the next call continues where this one ended. Until the
// start is complete there is no labelling, and the score is minus infinity. If a limit in the options
// of the run ends the call, or Progress ends it by returning true, the outcome says so and there is
// no error. After any other error the result is the zero value.
type Run struct {
	h         *handle
	model     *Model
	cancel    *Cancel
	timeLimit time.Duration
}

// NewRun creates a run. options: nil for the defaults. earlier: nil, or a run whose messages and
// best labelling the new run starts from.
func NewRun(model *Model, options *RunOptions, earlier *Run) (*Run, error) {
	return newRun(options, func(c *call, run *Run, told *C.chorale_run_options) (*C.chorale_run, func()) {
		m := (*C.chorale_model)(c.share(model.handle()))
		var from *C.chorale_run
		if earlier != nil {
			from = (*C.chorale_run)(c.share(earlier.h))
		}
		var created *C.chorale_run
		if c.err != nil || c.failed(C.chorale_run_create(nil, m, told, from, &created, c.detail)) {
			return nil, nil
		}
		run.model = newModel(C.chorale_model_retain(m), model.handle())
		return created, func() { C.chorale_run_destroy(created) }
	})
}

// newRun makes a run. It calls create with options that have the run's cancel flag and callbacks.
// create makes an object of the library with these options: a run, or a decoded corpus, which
// owns a run. create also sets run.model, and returns the library's run and a function that
// frees the object.
func newRun(options *RunOptions, create func(*call, *Run, *C.chorale_run_options) (*C.chorale_run, func())) (*Run, error) {
	if options == nil {
		options = &RunOptions{}
	}
	cancel, err := NewCancel()
	if err != nil {
		return nil, err
	}
	run := &Run{cancel: cancel, timeLimit: options.TimeLimit}
	defer func() {
		if run.h == nil {
			cancel.Close()
		}
	}()
	c := begin()
	defer c.end()
	told := (*C.chorale_run_options)(c.memory.allocate(C.sizeof_chorale_run_options)) // C stores the callback's cgo.Handle in it as a pointer
	*told = *c.runOptionsInC(options)
	told.cancel = (*C.chorale_cancel)(c.share(cancel.handle()))
	if c.err != nil {
		return nil, c.err
	}
	if options.Progress != nil {
		C.chorale_go_run_callback(told, c.callback(&progressed[Progress]{tell: options.Progress}))
	}
	created, destroy := create(c, run, told)
	if created == nil {
		return nil, c.err
	}
	users := c.callbacks
	run.h = newHandle(unsafe.Pointer(created), func(unsafe.Pointer) {
		destroy()
		for _, user := range users {
			dropCallback(user)
		}
	})
	c.keepCallbacks(run.h)
	run.h.relate(run.model.handle())
	run.h.keep = append(run.h.keep, run.model, run.cancel)
	return run, nil
}

func (r *Run) handle() *handle {
	if r == nil {
		return nil
	}
	return r.h
}

// Close frees the run.
func (r *Run) Close() error {
	if r == nil || r.h == nil {
		return nil
	}
	r.h.close()
	r.h.mu.Lock()
	idle := r.h.pointer == nil
	r.h.mu.Unlock()
	if idle { // otherwise a call still uses the run, and the garbage collector frees model and flag later
		r.model.Close()
		r.cancel.Close()
	}
	return nil
}

// chain returns a chain of the model; its arrays are valid until the call ends.
func (r *Run) chain(c *call, number int) (chain C.chorale_chain) {
	if c.err != nil {
		return chain
	}
	chain.struct_size = C.sizeof_chorale_chain
	if model := (*C.chorale_model)(c.share(r.model.handle())); c.err == nil {
		c.failed(C.chorale_model_get_chain(model, C.int64_t(number), &chain, nil, c.detail))
	}
	return chain
}

func (r *Run) length(c *call, number int) int { return int(r.chain(c, number).length) }

func (r *Run) entries(c *call, number int) int {
	return r.length(c, number) * int(r.chain(c, number).labels)
}

// during makes a call, and raises the flag `cancel` when the context ends meanwhile. A context that
// ends by its deadline raises the flag only if atDeadline is true.
func during(ctx context.Context, cancel *C.chorale_cancel, atDeadline bool, call func() C.chorale_status) C.chorale_status {
	if ctx.Done() == nil {
		return call()
	}
	raise := func() {
		if atDeadline || !errors.Is(ctx.Err(), context.DeadlineExceeded) {
			C.chorale_cancel_raise(cancel)
		}
	}
	if ctx.Err() != nil {
		raise()
		return call()
	}
	over, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		select {
		case <-ctx.Done():
			raise()
		case <-over:
		}
	}()
	defer func() {
		close(over)
		<-gone
	}()
	return call()
}

// Solve does all remaining rounds, then the local search and the bound as far as the options ask for
// them. A further call does up to RunOptions.Rounds more rounds.
func (r *Run) Solve(ctx context.Context) (RunResult, error) {
	c := begin()
	defer c.end()
	run := (*C.chorale_run)(c.alone(r.handle()))
	if c.err != nil {
		return RunResult{}, c.err
	}
	if ctx == nil {
		ctx = context.Background()
	}
	// The limit of the call is the deadline of ctx or the time limit of the options, whichever comes
	// first.
	limit := r.timeLimit
	deadline, timed := ctx.Deadline()
	if timed {
		left := time.Until(deadline)
		if left <= 0 {
			left = -1
		}
		if timed = limit == 0 || left < limit; timed {
			limit = left
		}
	}
	cancel := (*C.chorale_cancel)(c.share(r.cancel.handle()))
	if c.err != nil {
		return RunResult{}, c.err
	}
	C.chorale_cancel_lower(cancel)
	if c.failed(C.chorale_run_set_limits(run, seconds(limit), cancel, c.detail)) {
		return RunResult{}, c.err
	}
	// If the deadline of ctx is the limit of the call, the library itself ends the call then, so the
	// deadline need not raise the flag.
	result := C.chorale_run_result{struct_size: C.sizeof_chorale_run_result}
	if c.failed(during(ctx, cancel, !timed, func() C.chorale_status {
		return C.chorale_run_solve(run, &result, c.detail)
	})) {
		return RunResult{}, c.err
	}
	told := runResult(&result)
	switch {
	case told.Outcome == Cancelled:
		return told, ctx.Err() // nil if a callback, not the context, ended the call
	case told.Outcome == Deadline && timed:
		return told, context.DeadlineExceeded // not ctx.Err(), since the context's own timer may fire a moment later
	}
	return told, nil
}

// SetAllowed allows only some labels of a position, in this run only. allowed: one entry for each
// label, false forbids the label; nil lifts the restriction of an earlier call. The run must have
// been created with RunOptions.Edits; otherwise the error is [ErrState].
func (r *Run) SetAllowed(number, position int, allowed []bool) error {
	c := begin()
	defer c.end()
	run := (*C.chorale_run)(c.alone(r.handle()))
	if c.err == nil && allowed != nil {
		// The library cannot check the length: it reads as many bytes as the chain has labels.
		if labels := int(r.chain(c, number).labels); c.err == nil && len(allowed) != labels {
			c.fail(refuse(ErrShape, "allowed has %d elements, and the chain has %d labels", len(allowed), labels))
		}
	}
	if c.err == nil {
		c.failed(C.chorale_run_set_allowed(run, C.int64_t(number), C.int64_t(position), octets(flags[byte](allowed)), c.detail))
	}
	return c.err
}

// Labelling selects the labelling of a run that a result describes.
type Labelling int32

// The labellings of a run.
const (
	Together Labelling = C.CHORALE_TOGETHER // the labelling with the highest score found so far
	Alone    Labelling = C.CHORALE_ALONE    // the best labelling of every chain without its cliques
)

// AllChains, in place of the number of a chain, stands for all chains of the model.
const AllChains = int(C.CHORALE_ALL_CHAINS)

// cut divides a slice into rows of the given lengths, which share its memory.
func cut[T any](all []T, lengths []int) [][]T {
	rows := make([][]T, len(lengths))
	from := 0
	for i, length := range lengths {
		rows[i] = all[from : from+length : from+length]
		from += length
	}
	return rows
}
