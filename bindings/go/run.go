package chorale

// #include "shim.h"
import "C"

import (
	"context"
	"errors"
	"runtime/cgo"
	"time"
	"unsafe"
)

// Schedule is the order in which cliques and chains answer each other.
type Schedule int32

// Schedules.
const (
	ScheduleAll          Schedule = C.CHORALE_SCHEDULE_ALL
	ScheduleDisagreement Schedule = C.CHORALE_SCHEDULE_DISAGREEMENT
)

// MessageNumber is what messages are stored as.
type MessageNumber int32

// Message numbers.
const (
	MessagesFloat64     MessageNumber = C.CHORALE_MESSAGES_FLOAT64
	MessagesFloat32     MessageNumber = C.CHORALE_MESSAGES_FLOAT32
	MessagesMagnitude16 MessageNumber = C.CHORALE_MESSAGES_MAGNITUDE16
	MessagesAuto        MessageNumber = C.CHORALE_MESSAGES_AUTO
)

// Executor does the work of a run on goroutines of the caller: it calls work from up to `workers` of them at once and
// returns when these calls have. Nothing is lost if it does less: what is left is done on the calling goroutine.
type Executor func(workers int, work func())

// Progress is told after every round and every step of the bound.
type Progress struct {
	Round           int
	MessagesChanged int
	Score           float64
	BestScore       float64
	UpperBound      float64
}

// RunOptions as in chorale/run.h; made by [NewRunOptions].
type RunOptions struct {
	Rounds         int
	Damping        float64
	Schedule       Schedule
	Algorithm      Algorithm
	ExactMarginals bool
	Polish         bool
	RestrictRange  bool
	JointMode      JointMode
	MessageNumber  MessageNumber
	BeamWidth      int
	Budget         int
	Threads        int
	Executor       Executor            // nil: the library's own threads; otherwise Threads is the number of workers
	TimeLimit      time.Duration       // for each call; NoLimit: none but that of the context
	Progress       func(Progress) bool // true ends the call as a cancel would; may be nil
	BoundSteps     int
	Host           *Host
}

// NewRunOptions returns the defaults, which nil stands for too.
func NewRunOptions() *RunOptions {
	var told C.chorale_run_options
	C.chorale_run_options_init(&told, C.sizeof_chorale_run_options)
	return &RunOptions{
		Rounds: int(told.rounds), Damping: float64(told.damping), Schedule: Schedule(told.schedule),
		Algorithm: Algorithm(told.algorithm), ExactMarginals: told.exact_marginals != 0, Polish: told.polish != 0,
		RestrictRange: told.restrict_range != 0, JointMode: JointMode(told.joint_mode),
		MessageNumber: MessageNumber(told.message_element), BeamWidth: int(told.beam_width), Budget: int(told.budget),
		Threads: int(told.threads), TimeLimit: duration(told.time_limit), BoundSteps: int(told.bound_steps),
	}
}

func (c *call) runOptions(options *RunOptions) *C.chorale_run_options {
	told := new(C.chorale_run_options)
	C.chorale_run_options_init(told, C.sizeof_chorale_run_options)
	told.rounds = C.int64_t(options.Rounds)
	told.damping = C.double(options.Damping)
	told.schedule = C.chorale_schedule(options.Schedule)
	told.algorithm = C.chorale_algorithm(options.Algorithm)
	told.exact_marginals = flag(options.ExactMarginals)
	told.polish = flag(options.Polish)
	told.restrict_range = flag(options.RestrictRange)
	told.joint_mode = C.chorale_joint_mode(options.JointMode)
	told.message_element = C.chorale_message_element(options.MessageNumber)
	told.beam_width = C.int64_t(options.BeamWidth)
	told.budget = C.int64_t(options.Budget)
	told.threads = C.int64_t(options.Threads)
	told.time_limit = seconds(options.TimeLimit)
	told.bound_steps = C.int64_t(options.BoundSteps)
	return told
}

// RunCost is the size and cost of a run, before it is made.
type RunCost struct {
	RunBytes, ModelBytes, ScoreBytes int
	ChainSteps, CliqueScores         float64
}

// EstimateRun tells the size and cost of a run.
func EstimateRun(model *Model, options *RunOptions) (RunCost, error) {
	if options == nil {
		options = NewRunOptions()
	}
	c, m := model.begin()
	defer c.end()
	if c.err != nil {
		return RunCost{}, c.err
	}
	cost := new(C.chorale_run_cost)
	C.chorale_run_cost_init(cost, C.sizeof_chorale_run_cost)
	if c.failed(C.chorale_run_estimate(m, c.runOptions(options), cost, c.detail)) {
		return RunCost{}, c.err
	}
	return RunCost{
		int(cost.run_bytes), int(cost.model_bytes), int(cost.score_bytes),
		float64(cost.chain_steps), float64(cost.clique_scores),
	}, nil
}

// Run is one inference over a model; one goroutine at a time, results by any number while none computes.
type Run struct {
	h         *handle
	model     *Model
	cancel    *Cancel
	timeLimit time.Duration
	chains    map[int]*ownChain // what SetChain gave it
}

// ownChain is a chain in C memory that a run reads.
type ownChain struct {
	copies
	transitions *Transitions
}

// NewRun creates a run. options: nil for the defaults. earlier: nil, or a run whose messages and labelling it starts from.
func NewRun(model *Model, options *RunOptions, earlier *Run) (_ *Run, err error) {
	if options == nil {
		options = NewRunOptions()
	}
	run := &Run{timeLimit: options.TimeLimit, chains: map[int]*ownChain{}}
	if run.model, err = model.Clone(); err != nil {
		return nil, err
	}
	if run.cancel, err = NewCancel(options.Host); err != nil {
		run.model.Close()
		return nil, err
	}
	// Also after a panic of a callback.
	defer func() {
		if run.h == nil {
			run.model.Close()
			run.cancel.Close()
		}
	}()
	c := begin()
	defer c.end()
	m := (*C.chorale_model)(c.share((*handle)(run.model)))
	cancel := (*C.chorale_cancel)(c.share((*handle)(run.cancel)))
	host := c.host(options.Host)
	var from *C.chorale_run
	if earlier != nil {
		from = (*C.chorale_run)(c.share(earlier.h))
	}
	if c.err != nil {
		return nil, c.err
	}
	told := c.runOptions(options)
	told.cancel = cancel
	var callbacks *runCallbacks
	var user cgo.Handle
	if options.Executor != nil || options.Progress != nil {
		callbacks = &runCallbacks{executor: options.Executor, progress: options.Progress}
		c.watched = append(c.watched, &callbacks.failures)
		user = newCallback(callbacks)
	}
	var created *C.chorale_run
	status := C.chorale_go_run_create(host, m, told, C.uintptr_t(user), C.int(flag(options.Executor != nil)), C.int(flag(options.Progress != nil)), from, &created, c.detail)
	if c.failed(status) {
		if callbacks != nil {
			dropCallback(user)
		}
		return nil, c.err
	}
	chains := run.chains
	run.h = newHandle(unsafe.Pointer(created), func(pointer unsafe.Pointer) {
		C.chorale_run_destroy((*C.chorale_run)(pointer))
		for _, chain := range chains {
			chain.release()
		}
		if callbacks != nil {
			dropCallback(user)
		}
	})
	run.h.relate((*handle)(run.model), (*handle)(options.Host))
	run.h.keep = append(run.h.keep, run.model, run.cancel)
	if callbacks != nil {
		run.h.watching = append(run.h.watching, &callbacks.failures)
	}
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
	if idle { // otherwise with the garbage
		r.model.Close()
		r.cancel.Close()
	}
	return nil
}

func (r *Run) begin(alone bool) (*call, *C.chorale_run) {
	c := begin()
	return c, (*C.chorale_run)(c.acquire(r.handle(), alone))
}

// RunResult is what a call on a run says, as in chorale/run.h.
type RunResult struct {
	Outcome          Outcome
	Proven           bool
	Rounds           int
	BestRound        int
	Score            float64
	ChainScore       float64
	CliqueScore      float64
	OwnScore         float64
	RoundsScore      float64
	PolishedScore    float64
	PolishedOwnScore float64
	UpperBound       float64
	Gap              float64
	ChangedChains    int
	MessagesChanged  int
	ChainUpdates     int
	CliqueUpdates    int
}

func newRunResult() *C.chorale_run_result {
	result := new(C.chorale_run_result)
	C.chorale_run_result_init(result, C.sizeof_chorale_run_result)
	return result
}

func runResult(r *C.chorale_run_result) RunResult {
	return RunResult{
		Outcome(r.outcome), r.proven != 0, int(r.rounds), int(r.best_round), float64(r.score), float64(r.chain_score),
		float64(r.clique_score), float64(r.own_score), float64(r.rounds_score), float64(r.polished_score),
		float64(r.polished_own_score), float64(r.upper_bound), float64(r.gap), int(r.changed_chains),
		int(r.messages_changed), int(r.chain_updates), int(r.clique_updates),
	}
}

// compute runs a call under a context: its deadline is a time limit, and when it is cancelled the flag is raised. How that
// ends is an outcome, and the best labelling until then stays.
func (r *Run) compute(ctx context.Context, call func(*C.chorale_run, *C.chorale_run_result, *C.chorale_error) C.chorale_status) (RunResult, error) {
	c, run := r.begin(true)
	defer c.end()
	if c.err != nil {
		return RunResult{}, c.err
	}
	if ctx == nil {
		ctx = context.Background()
	}
	limit := r.timeLimit
	if deadline, ok := ctx.Deadline(); ok {
		left := time.Until(deadline)
		if left < 0 {
			left = 0
		}
		if limit < 0 || left < limit {
			limit = left
		}
	}
	cancel := (*C.chorale_cancel)(c.share((*handle)(r.cancel)))
	if c.err != nil {
		return RunResult{}, c.err
	}
	C.chorale_cancel_lower(cancel)
	if c.failed(C.chorale_run_set_limits(run, seconds(limit), cancel, c.detail)) {
		return RunResult{}, c.err
	}
	if ctx.Done() != nil {
		if errors.Is(ctx.Err(), context.Canceled) {
			C.chorale_cancel_raise(cancel)
		}
		over, gone := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(gone)
			select {
			case <-ctx.Done():
				if errors.Is(ctx.Err(), context.Canceled) { // a deadline is seen by the run itself
					C.chorale_cancel_raise(cancel)
				}
			case <-over:
			}
		}()
		defer func() {
			close(over)
			<-gone
		}()
	}
	result := newRunResult()
	if c.failed(call(run, result, c.detail)) {
		return RunResult{}, c.err
	}
	return runResult(result), nil
}

// Solve runs to the end: the rounds that are left, polish, bound. It may be called again.
func (r *Run) Solve(ctx context.Context) (RunResult, error) {
	return r.compute(ctx, func(run *C.chorale_run, result *C.chorale_run_result, detail *C.chorale_error) C.chorale_status {
		return C.chorale_run_solve(run, result, detail)
	})
}

// Step does one round; the first call round 0, the chains by themselves.
func (r *Run) Step(ctx context.Context) (RunResult, error) {
	return r.compute(ctx, func(run *C.chorale_run, result *C.chorale_run_result, detail *C.chorale_error) C.chorale_status {
		return C.chorale_run_step(run, result, detail)
	})
}

// Polish does the polish alone.
func (r *Run) Polish(ctx context.Context) (RunResult, error) {
	return r.compute(ctx, func(run *C.chorale_run, result *C.chorale_run_result, detail *C.chorale_error) C.chorale_status {
		return C.chorale_run_polish(run, result, detail)
	})
}

// Bound does so many more steps of the bound; the run has to be made with BoundSteps.
func (r *Run) Bound(ctx context.Context, steps int) (RunResult, error) {
	return r.compute(ctx, func(run *C.chorale_run, result *C.chorale_run_result, detail *C.chorale_error) C.chorale_status {
		return C.chorale_run_bound(run, C.int64_t(steps), result, detail)
	})
}

// Reset forgets messages, labellings and what SetChain gave.
func (r *Run) Reset() error {
	c, run := r.begin(true)
	defer c.end()
	if c.err != nil {
		return c.err
	}
	C.chorale_run_reset(run)
	for number, chain := range r.chains {
		chain.release()
		delete(r.chains, number)
	}
	return nil
}

// SetChain makes the run read a chain from other scores of the same shape, which are copied.
func (r *Run) SetChain(number int, chain *Chain) error {
	c, run := r.begin(true)
	defer c.end()
	if c.err != nil {
		return c.err
	}
	own := &ownChain{}
	kept := false
	defer func() {
		if !kept {
			own.release()
		}
	}()
	told := c.chain(chain, &own.copies)
	if c.err != nil {
		return c.err
	}
	if chain.Transitions != nil {
		if own.transitions, c.err = chain.Transitions.Clone(); c.err != nil {
			return c.err
		}
	}
	if c.failed(C.chorale_run_set_chain(run, C.int64_t(number), told, c.detail)) {
		return c.err
	}
	kept = true
	if before := r.chains[number]; before != nil {
		before.release()
	}
	r.chains[number] = own
	return nil
}

func (o *ownChain) release() {
	o.copies.release()
	if o.transitions != nil {
		o.transitions.Close()
	}
}

// Labelling says of which labelling results speak.
type Labelling bool

// Labellings: the best so far, and the chains' own best ones.
const (
	Best Labelling = false
	Own  Labelling = true
)

// Result is what the last call returned.
func (r *Run) Result() (RunResult, error) {
	c, run := r.begin(false)
	defer c.end()
	if c.err != nil {
		return RunResult{}, c.err
	}
	result := newRunResult()
	if c.failed(C.chorale_run_get_result(run, result, c.detail)) {
		return RunResult{}, c.err
	}
	return runResult(result), nil
}

// Labels are those of a chain.
func (r *Run) Labels(chain int, of Labelling) ([]int32, error) {
	c, run := r.begin(false)
	defer c.end()
	if c.err != nil {
		return nil, c.err
	}
	labels := make([]int32, r.model.ChainLength(chain))
	if c.failed(C.chorale_run_labels(run, C.int64_t(chain), flag(bool(of)), c.room(labels), C.int64_t(len(labels)), c.detail)) {
		return nil, c.err
	}
	return labels, nil
}

// room is where C writes labels: somewhere even if there are none.
func (c *call) room(labels []int32) *C.int32_t {
	if len(labels) == 0 {
		return (*C.int32_t)(c.memory.allocate(4))
	}
	return ints(labels)
}

// AllLabels are the labels of all chains, one after the other.
func (r *Run) AllLabels(of Labelling) ([]int32, error) {
	c, run := r.begin(false)
	defer c.end()
	if c.err != nil {
		return nil, c.err
	}
	total := 0
	for chain := r.model.Chains() - 1; chain >= 0; chain-- {
		total += r.model.ChainLength(chain)
	}
	labels := make([]int32, total)
	if c.failed(C.chorale_run_all_labels(run, flag(bool(of)), c.room(labels), C.int64_t(total), c.detail)) {
		return nil, c.err
	}
	return labels, nil
}

// ChainScore is phi of a chain, and whether its labels differ from its own best.
func (r *Run) ChainScore(chain int, of Labelling) (score float64, changed bool, _ error) {
	c, run := r.begin(false)
	defer c.end()
	if c.err != nil {
		return 0, false, c.err
	}
	var phi C.double
	var differs C.int32_t
	c.failed(C.chorale_run_chain_score(run, C.int64_t(chain), flag(bool(of)), &phi, &differs, c.detail))
	return float64(phi), differs != 0, c.err
}

// CliqueScore is C of a clique.
func (r *Run) CliqueScore(clique int, of Labelling) (float64, error) {
	c, run := r.begin(false)
	defer c.end()
	if c.err != nil {
		return 0, c.err
	}
	var score C.double
	c.failed(C.chorale_run_clique_score(run, C.int64_t(clique), flag(bool(of)), &score, c.detail))
	return float64(score), c.err
}

// Values are what the members of a clique show: R for EMPTY, R + 1 for CONFLICT, -1 for a value outside a dictionary.
func (r *Run) Values(clique int, of Labelling) ([]int32, error) {
	c, run := r.begin(false)
	defer c.end()
	if c.err != nil {
		return nil, c.err
	}
	values := make([]int32, r.model.CliqueMembers(clique))
	if c.failed(C.chorale_run_values(run, C.int64_t(clique), flag(bool(of)), c.room(values), C.int64_t(len(values)), c.detail)) {
		return nil, c.err
	}
	return values, nil
}

// Payment is why a chain changed.
type Payment struct {
	Clique   int
	Member   int
	Position int // -1 for a whole chain or an instance
	OwnValue int32
	Value    int32
	Amount   float64
}

// Payments are all that cliques pay to a chain.
func (r *Run) Payments(chain int) ([]Payment, error) {
	c, run := r.begin(false)
	defer c.end()
	if c.err != nil {
		return nil, c.err
	}
	var paid []C.chorale_payment
	for {
		var count C.int64_t
		if c.failed(C.chorale_run_payments(run, C.int64_t(chain), (*C.chorale_payment)(first(paid)), C.int64_t(len(paid)), &count, c.detail)) {
			return nil, c.err
		}
		if int(count) <= len(paid) {
			paid = paid[:count]
			break
		}
		paid = make([]C.chorale_payment, count)
	}
	payments := make([]Payment, len(paid))
	for i, p := range paid {
		payments[i] = Payment{int(p.clique), int(p.member), int(p.position), int32(p.own_value), int32(p.value), float64(p.amount)}
	}
	return payments, nil
}

// MaxMarginals are those of the positions of a chain under the final messages, T x m, and margins, T.
func (r *Run) MaxMarginals(chain int) (marginals, margins []float64, _ error) {
	c, run := r.begin(true)
	defer c.end()
	if c.err != nil {
		return nil, nil, c.err
	}
	told := new(C.chorale_chain)
	C.chorale_chain_init(told, C.sizeof_chorale_chain)
	m := (*C.chorale_model)(c.share((*handle)(r.model)))
	if c.err != nil || c.failed(C.chorale_model_get_chain(m, C.int64_t(chain), told, nil, c.detail)) {
		return nil, nil, c.err
	}
	length, labels := int(told.length), int(told.labels)
	marginals, margins = make([]float64, length*labels), make([]float64, length)
	if c.failed(C.chorale_run_max_marginals(run, C.int64_t(chain), doubles(marginals), 0, doubles(margins), c.detail)) {
		return nil, nil, c.err
	}
	return marginals, margins, nil
}

// JSON is the whole result as chorale/run.h lays it out.
func (r *Run) JSON() ([]byte, error) {
	c, run := r.begin(false)
	defer c.end()
	if c.err != nil {
		return nil, c.err
	}
	var needed C.size_t
	if c.failed(C.chorale_run_json(run, nil, 0, &needed, c.detail)) {
		return nil, c.err
	}
	text := make([]byte, int(needed))
	if c.failed(C.chorale_run_json(run, (*C.char)(first(text)), needed, nil, c.detail)) {
		return nil, c.err
	}
	return text[:len(text)-1], nil
}
