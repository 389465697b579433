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

// The words of this file. To decode a chain is to find its best labelling. A run does rounds. Round
// 0 decodes every chain alone, without its cliques. In each further round, all cliques send
// messages to their members, every chain is decoded under these messages, and the chains send
// messages back. The local search then decodes one chain at a time, with all others fixed, while the
// score increases. The bound is an upper bound on the score of every labelling, computed by steps
// of dual ascent. The score of a labelling is the sum of the scores of all chains plus the
// potentials of all cliques.
//
// A member of a clique has one of R values. In arrays R stands for EMPTY (the member has no value),
// and R + 1 for CONFLICT (it has several different values). A clique may have a dictionary, a
// subset of the values of its property; the value UNLISTED may then stand for all others. The
// centre of a clique is a position whose value selects the clique's potential. An [Instance] is a
// model of the caller that takes the place of a chain.

// MessageElement is the number format in which messages are stored.
type MessageElement int32

// The number formats of stored messages.
const (
	MessagesFloat64     MessageElement = C.CHORALE_MESSAGES_FLOAT64     // 8 bytes a number
	MessagesMagnitude16 MessageElement = C.CHORALE_MESSAGES_MAGNITUDE16 // 2 bytes a number, for its distance from the greatest number of the message, rounded to 11 bits
	MessagesAuto        MessageElement = C.CHORALE_MESSAGES_AUTO        // MessagesFloat64 if all messages take less than 256 KB, or if run, model and scores together then take at most twice the bytes of the scores; otherwise MessagesMagnitude16
)

// Executor lets goroutines of the caller do the work of a run: it calls the function `work` from up
// to `workers` goroutines at once, and returns when these calls have returned. The goroutine that
// called the run then does whatever has not been done.
type Executor func(workers int, work func())

// Progress is passed to a callback after every round of a run and every step of the bound.
type Progress struct {
	Round           int     // the round just done; 0: each chain was decoded without its cliques
	MessagesChanged int     // number of messages from cliques to members that changed in the round
	Score           float64 // score of the labelling of this round or step: of all chains and cliques together
	BestScore       float64 // score of the best labelling so far
	UpperBound      float64 // upper bound on the score of every labelling; plus infinity before one has been computed
}

// RunOptions are the options of a run. They are made by [NewRunOptions].
type RunOptions struct {
	Rounds         int                 // greatest number of rounds; 10 by default
	Damping        float64             // the number d in: new message = d * old message + (1 - d) * computed message; at least 0 and below 1, 0 by default
	Algorithm      Algorithm           // the algorithm that computes the messages of cliques; a clique to whose potential it does not apply uses Auto. Auto by default
	ExactMarginals bool                // whether messages of cliques are exact for every potential that has an exact solver
	LocalSearch    bool                // whether one chain at a time is decoded again after the rounds, while the score increases; true by default
	RestrictRange  bool                // whether messages of a property clique cover only values that fire in some member's best labelling without cliques
	JointMode      JointMode           // the method for chains with several properties
	MessageElement MessageElement      // the number format of stored messages; MessagesAuto by default
	BeamWidth      int                 // for several properties: the number of joint states that a beam keeps at each position
	MaxStates      int                 // for several properties: the greatest number of joint states at one position
	Threads        int                 // number of threads, including the calling one; 1 by default
	Executor       Executor            // runs the work on goroutines of the caller; Threads is then the number of workers. nil: the library starts its own threads
	TimeLimit      time.Duration       // limits each call; NoLimit: only the context limits it
	Progress       func(Progress) bool // called after every round and step of the bound; if it returns true, the call ends as after a cancel. May be nil
	BoundSteps     int                 // number of steps of dual ascent for an upper bound; 0: no bound
	Effort         float64             // how long a solve looks for moves of several chains, as a multiple of the usual time; 0: not at all
	Edits          bool                // whether the run allocates the memory that SetAllowed and SetStrength need
	Rules          *Rules              // what the labels must keep; for [Decode] alone
	Host           *Host               // provides memory and a log; may be nil
}

// NewRunOptions returns the default options, which also apply where the options are nil.
func NewRunOptions() *RunOptions {
	return &RunOptions{
		Rounds: 10, LocalSearch: true, MessageElement: MessagesAuto, BeamWidth: 300, MaxStates: 1024, Threads: 1,
		TimeLimit: NoLimit,
	}
}

func (c *call) runOptions(options *RunOptions) *C.chorale_run_options {
	told := (*C.chorale_run_options)(c.memory.allocate(C.sizeof_chorale_run_options))
	*told = C.chorale_run_options{struct_size: C.sizeof_chorale_run_options}
	c.least("options.Rounds", options.Rounds, 0)
	c.least("options.BeamWidth", options.BeamWidth, 1)
	c.least("options.MaxStates", options.MaxStates, 1)
	c.least("options.Threads", options.Threads, 1)
	if told.rounds = C.int64_t(options.Rounds); options.Rounds == 0 {
		told.rounds = C.CHORALE_NO_ROUNDS
	}
	told.damping = C.double(options.Damping)
	told.algorithm = C.chorale_algorithm(options.Algorithm)
	told.exact_marginals = flag(options.ExactMarginals)
	told.no_local_search = flag(!options.LocalSearch)
	told.restrict_range = flag(options.RestrictRange)
	told.joint_mode = C.chorale_joint_mode(options.JointMode)
	told.message_element = C.chorale_message_element(options.MessageElement)
	told.beam_width = C.int64_t(options.BeamWidth)
	told.max_states = C.int64_t(options.MaxStates)
	told.threads = C.int64_t(options.Threads)
	told.time_limit = seconds(options.TimeLimit)
	told.bound_steps = C.int64_t(options.BoundSteps)
	told.effort = C.double(options.Effort)
	told.edits = flag(options.Edits)
	told.rules = c.rules(options.Rules)
	return told
}

// Run is one inference over a model. One goroutine at a time may use it to compute; any number may
// read results while none computes.
//
// [Run.Solve] takes a context; nil means a context that never ends. If the deadline or the cancellation of the context ends the call, the call returns
// both the result so far, whose outcome is [Deadline] or [Cancelled], and the error of the context.
// The best labelling so far is kept, and the next call continues where this one ended. Until round
// 0 is complete there is no labelling, and the score is minus infinity. If a limit in the options
// of the run ends the call, or Progress ends it by returning true, the outcome says so and there is
// no error. After any other error the result is the zero value.
type Run struct {
	h         *handle
	model     *Model
	cancel    *Cancel
	timeLimit time.Duration
	chains    map[int]*ownChain // copies of the chains passed to SetChain, by number
}

// ownChain is a copy, in C memory, of a chain passed to SetChain. The run reads the copy until the
// scores of the chain are replaced again, or the run is reset or freed.
type ownChain struct {
	copies
	transitions *Transitions
}

// NewRun creates a run. options: nil for the defaults. earlier: nil, or a run whose messages and
// best labelling the new run starts from.
func NewRun(model *Model, options *RunOptions, earlier *Run) (*Run, error) {
	return newRun(options, func(c *call, run *Run, host *C.chorale_host, told *C.chorale_run_options) (*C.chorale_run, func()) {
		m := (*C.chorale_model)(c.share((*handle)(model)))
		var from *C.chorale_run
		if earlier != nil {
			from = (*C.chorale_run)(c.share(earlier.h))
		}
		var created *C.chorale_run
		if c.err != nil || c.failed(C.chorale_run_create(host, m, told, from, &created, c.detail)) {
			return nil, nil
		}
		run.model = newModel(C.chorale_model_retain(m), (*handle)(model))
		return created, func() { C.chorale_run_destroy(created) }
	})
}

// newRun makes a run. It calls create with options that have the run's cancel flag and callbacks.
// create makes an object of the library with these options: a run, or prices or a decoded corpus,
// which own a run. create also sets run.model, and returns the library's run and a function that
// frees the object.
func newRun(options *RunOptions, create func(*call, *Run, *C.chorale_host, *C.chorale_run_options) (*C.chorale_run, func())) (*Run, error) {
	if options == nil {
		options = NewRunOptions()
	}
	cancel, err := NewCancel(options.Host)
	if err != nil {
		return nil, err
	}
	run := &Run{cancel: cancel, timeLimit: options.TimeLimit, chains: map[int]*ownChain{}}
	var callbacks *runCallbacks
	var user cgo.Handle
	// Frees what was made so far if the run was not created, also when a callback panics.
	defer func() {
		if run.h == nil {
			cancel.Close()
			if callbacks != nil {
				dropCallback(user)
			}
		}
	}()
	c := begin()
	defer c.end()
	host := c.host(options.Host)
	told := c.runOptions(options)
	told.cancel = (*C.chorale_cancel)(c.share((*handle)(cancel)))
	if c.err != nil {
		return nil, c.err
	}
	if options.Executor != nil || options.Progress != nil {
		callbacks = &runCallbacks{executor: options.Executor, progress: options.Progress}
		c.watched = append(c.watched, &callbacks.failures)
		user = newCallback(callbacks)
		C.chorale_go_run_callbacks(told, C.uintptr_t(user), C.int(flag(options.Executor != nil)), C.int(flag(options.Progress != nil)))
	}
	created, destroy := create(c, run, host, told)
	if created == nil {
		return nil, c.err
	}
	chains := run.chains
	run.h = newHandle(unsafe.Pointer(created), func(unsafe.Pointer) {
		destroy()
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
	if idle { // otherwise a call still uses the run, and the garbage collector frees model and flag later
		r.model.Close()
		r.cancel.Close()
	}
	return nil
}

func (r *Run) begin(alone bool) (*call, *C.chorale_run) {
	c := begin()
	return c, (*C.chorale_run)(c.acquire(r.handle(), alone))
}

// RunResult is the result of a call on a run, except the labels, which [Run.Labels] and similar
// methods return. A field describes the best labelling found so far, unless its comment names
// another labelling.
type RunResult struct {
	Outcome             Outcome // how the call ended
	Proven              bool    // whether the score is proven to be optimal, up to rounding
	Rounds              int     // number of rounds done so far; the start, which decodes chains without cliques, is not counted
	BestRound           int     // the last round that gave a part of the best labelling; if the local search improved the best labelling: a part of the labelling before it
	Score               float64 // ChainScore + CliqueScore; minus infinity if there is no labelling yet
	ChainScore          float64 // sum of the scores of all chains
	CliqueScore         float64 // sum of the potentials of all cliques
	OwnScore            float64 // score of the own labelling (chains decoded without cliques), cliques included
	RoundsScore         float64 // greatest score of the labelling of any round, before the local search
	LocalSearchScore    float64 // score that the local search reached from the best labelling of the rounds
	LocalSearchOwnScore float64 // score that the local search reached from the own labelling
	UpperBound          float64 // upper bound on the score of every labelling; plus infinity if none was computed
	Gap                 float64 // UpperBound - Score
	ChangedChains       int     // number of chains whose labels differ from their own
	MessagesChanged     int     // number of messages from cliques to members that changed in the last round
	ChainUpdates        int     // number of times that a chain sent messages or was decoded, in all rounds
	CliqueUpdates       int     // number of times that a clique sent messages, in all rounds
	LeftOut             int     // number of chains that are left out, since every labelling of them is forbidden; scores and bound are those of the other chains
}

// LeftOut is a chain that a run leaves out, since every labelling of it is forbidden. Its labels are
// -1, or those that it has by itself with ObstacleUndecided, and it counts for nothing in the cliques.
type LeftOut struct {
	Chain    int      // number of the chain
	Position int      // where its labellings are forbidden; -1 if it is a clique that does, or not known
	Obstacle Obstacle // what forbids them
	Clique   int      // with ObstacleCliques and ObstacleUndecided the number of the clique, otherwise -1
}

func newRunResult() *C.chorale_run_result {
	result := new(C.chorale_run_result)
	result.struct_size = C.sizeof_chorale_run_result
	return result
}

func runResult(r *C.chorale_run_result) RunResult {
	return RunResult{
		Outcome(r.outcome), r.proven != 0, int(r.rounds), int(r.best_round), float64(r.score), float64(r.chain_score),
		float64(r.clique_score), float64(r.own_score), float64(r.rounds_score), float64(r.local_search_score),
		float64(r.local_search_own_score), float64(r.upper_bound), float64(r.gap), int(r.changed_chains),
		int(r.messages_changed), int(r.chain_updates), int(r.clique_updates), int(r.left_out),
	}
}

// compute calls a function of the library that may end early, such as a solve. The time limit of
// the call is the deadline of ctx or the time limit of the run's options, whichever comes first.
// The cancellation of ctx raises the cancel flag of the run. compute returns the result of the
// call; the error is that of ctx if ctx ended the call.
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
	deadline, timed := ctx.Deadline()
	if timed {
		left := time.Until(deadline)
		if left < 0 {
			left = 0
		}
		if timed = limit < 0 || left < limit; timed {
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
	// If the deadline of ctx is the time limit of the call, the library itself ends the call then, so
	// the deadline need not raise the flag.
	finish := raiseAtEnd(ctx, cancel, !timed)
	result := newRunResult()
	status := func() C.chorale_status {
		defer finish()
		return call(run, result, c.detail)
	}()
	if c.failed(status) {
		return RunResult{}, c.err
	}
	told := runResult(result)
	switch {
	case told.Outcome == Cancelled:
		return told, ctx.Err() // nil if a callback, not the context, ended the call
	case told.Outcome == Deadline && timed:
		return told, context.DeadlineExceeded // not ctx.Err(), since the context's own timer may fire a moment later
	}
	return told, nil
}

// raiseAtEnd watches a context and raises the flag `cancel` when the context ends. A context that
// ends by its deadline raises the flag only if atDeadline is true. The returned function ends the
// watching.
func raiseAtEnd(ctx context.Context, cancel *C.chorale_cancel, atDeadline bool) (finish func()) {
	if ctx.Done() == nil {
		return func() {}
	}
	raise := func() {
		if atDeadline || !errors.Is(ctx.Err(), context.DeadlineExceeded) {
			C.chorale_cancel_raise(cancel)
		}
	}
	if ctx.Err() != nil {
		raise()
		return func() {}
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
	return func() {
		close(over)
		<-gone
	}
}

// Solve does all remaining rounds, then the local search and the bound as far as the options ask for
// them. A further call does up to RunOptions.Rounds more rounds.
func (r *Run) Solve(ctx context.Context) (RunResult, error) {
	return r.compute(ctx, func(run *C.chorale_run, result *C.chorale_run_result, detail *C.chorale_error) C.chorale_status {
		return C.chorale_run_solve(run, result, detail)
	})
}

// Reset discards messages, labellings, and all that SetAllowed, SetStrength, SetLabels and SetChain
// have set. The run is then in the state of a new run.
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

// SetChain replaces the scores of a chain, in this run only, by the scores of another chain, which
// are copied. The two chains must have the same length, number of labels and shape (both chains, or
// both trees with the same parents).
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

// SetAllowed allows only some labels of a position, in this run only. allowed: one entry for each
// label, false forbids the label; nil lifts the restriction of an earlier call. The run must have
// been created with RunOptions.Edits; otherwise the error is [ErrState].
func (r *Run) SetAllowed(number, position int, allowed []bool) error {
	c, run := r.begin(true)
	defer c.end()
	if c.err != nil {
		return c.err
	}
	var flags *C.uint8_t
	if allowed != nil {
		// The library cannot check the length: it reads as many bytes as the chain has labels.
		labels, err := r.model.chainLabels(number)
		if err == nil && len(allowed) != labels {
			err = refuse(ErrShape, "allowed has %d elements, and the chain has %d labels", len(allowed), labels)
		}
		if err != nil {
			c.fail(err)
			return c.err
		}
		flags = (*C.uint8_t)(c.memory.allocate(len(allowed)))
		to := unsafe.Slice(flags, len(allowed))
		for y, allows := range allowed {
			to[y] = 0
			if allows {
				to[y] = 1
			}
		}
	}
	c.failed(C.chorale_run_set_allowed(run, C.int64_t(number), C.int64_t(position), flags, c.detail))
	return c.err
}

// SetStrength multiplies the potential of a clique by a factor, in this run only. The factor is 0,
// or from 1e-6 to 1e6; 1 restores the potential of the model. The run must have been created with
// RunOptions.Edits; otherwise the error is [ErrState].
func (r *Run) SetStrength(clique int, factor float64) error {
	c, run := r.begin(true)
	defer c.end()
	if c.err == nil {
		c.failed(C.chorale_run_set_strength(run, C.int64_t(clique), C.double(factor), c.detail))
	}
	return c.err
}

// SetLabels replaces the best labelling by a labelling of the caller. labels: the label of every
// position, chain after chain. The next Solve computes the scores of this labelling and of
// the own labelling; no later result scores below either of the two. An [Instance], or a
// chain whose scores forbid its given labels, takes its own labels instead.
func (r *Run) SetLabels(labels []int32) error {
	c, run := r.begin(true)
	defer c.end()
	if c.err == nil {
		c.failed(C.chorale_run_set_labels(run, ints(labels), C.int64_t(len(labels)), c.detail))
	}
	return c.err
}

func (o *ownChain) release() {
	o.copies.release()
	if o.transitions != nil {
		o.transitions.Close()
	}
}

// Labelling selects the labelling of a run that a result describes.
type Labelling int32

// The labellings of a run.
const (
	Together Labelling = C.CHORALE_TOGETHER // the labelling with the highest score found so far
	Alone    Labelling = C.CHORALE_ALONE    // the best labelling of every chain without its cliques
)

// Result returns the result of the last Solve.
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

// numbers returns the entries that `fill` writes. It calls fill first without a buffer, for the
// number of entries, and then with a buffer of this size.
func (c *call) numbers(fill func(to *C.int32_t, capacity C.int64_t, needed *C.int64_t) C.chorale_status) []int32 {
	var needed C.int64_t
	if c.failed(fill(nil, 0, &needed)) {
		return nil
	}
	all := make([]int32, int(needed))
	if needed > 0 && c.failed(fill(ints(all), needed, nil)) {
		return nil
	}
	return all
}

// LeftOut returns the chains that are left out, in ascending order, even if no chain has a labelling.
func (r *Run) LeftOut() ([]LeftOut, error) {
	c, run := r.begin(false)
	defer c.end()
	if c.err != nil {
		return nil, c.err
	}
	var needed C.int64_t
	if c.failed(C.chorale_run_left_out(run, nil, C.sizeof_chorale_left_out, 0, &needed, c.detail)) || needed == 0 {
		return nil, c.err
	}
	found := make([]C.chorale_left_out, needed)
	if c.failed(C.chorale_run_left_out(run, &found[0], C.sizeof_chorale_left_out, needed, nil, c.detail)) {
		return nil, c.err
	}
	left := make([]LeftOut, len(found))
	for i, one := range found {
		left[i] = LeftOut{int(one.chain), int(one.position), Obstacle(one.obstacle), int(one.clique)}
	}
	return left, nil
}

// AllChains, in place of the number of a chain, stands for all chains of the model.
const AllChains = int(C.CHORALE_ALL_CHAINS)

// Labels returns the labels of a chain, one for each position, or those of [AllChains], chain after
// chain; -1 in chains that are left out.
func (r *Run) Labels(chain int, of Labelling) ([]int32, error) {
	c, run := r.begin(false)
	defer c.end()
	if c.err != nil {
		return nil, c.err
	}
	labels := c.numbers(func(to *C.int32_t, capacity C.int64_t, needed *C.int64_t) C.chorale_status {
		return C.chorale_run_labels(run, C.int64_t(chain), C.chorale_labelling(of), to, capacity, needed, c.detail)
	})
	return labels, c.err
}

// AllLabels returns the labels of all chains: row i is what [Run.Labels] returns for chain i. All
// rows are parts of one array, in the order of the chains.
func (r *Run) AllLabels(of Labelling) ([][]int32, error) {
	labels, err := r.Labels(AllChains, of)
	if err != nil {
		return nil, err
	}
	return cut(labels, r.model.ChainLengths()), nil
}

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

// ChainScore returns a chain's own score under a labelling, and whether the labels of the chain
// differ from those that are best without its cliques.
func (r *Run) ChainScore(chain int, of Labelling) (score float64, changed bool, _ error) {
	c, run := r.begin(false)
	defer c.end()
	if c.err != nil {
		return 0, false, c.err
	}
	var phi C.double
	var differs C.int32_t
	c.failed(C.chorale_run_chain_score(run, C.int64_t(chain), C.chorale_labelling(of), &phi, &differs, c.detail))
	return float64(phi), differs != 0, c.err
}

// CliqueScore returns the potential of a clique under a labelling.
func (r *Run) CliqueScore(clique int, of Labelling) (float64, error) {
	c, run := r.begin(false)
	defer c.end()
	if c.err != nil {
		return 0, c.err
	}
	var score C.double
	c.failed(C.chorale_run_clique_score(run, C.int64_t(clique), C.chorale_labelling(of), &score, c.detail))
	return float64(score), c.err
}

// ChainScores returns for every chain what [Run.ChainScore] returns: the chain's own score, and
// whether its labels differ from those that are best without its cliques.
func (r *Run) ChainScores(of Labelling) (scores []float64, changed []bool, _ error) {
	c, run := r.begin(false)
	defer c.end()
	if c.err != nil {
		return nil, nil, c.err
	}
	count := r.model.ChainCount()
	scores, changed = make([]float64, count), make([]bool, count)
	differs := make([]int32, count)
	if c.failed(C.chorale_go_chain_scores(run, C.int64_t(count), C.chorale_labelling(of), doubles(scores), ints(differs), c.detail)) {
		return nil, nil, c.err
	}
	for i, differ := range differs {
		changed[i] = differ != 0
	}
	return scores, changed, nil
}

// CliqueScores returns for every clique what [Run.CliqueScore] returns: its potential.
func (r *Run) CliqueScores(of Labelling) ([]float64, error) {
	c, run := r.begin(false)
	defer c.end()
	if c.err != nil {
		return nil, c.err
	}
	scores := make([]float64, r.model.CliqueCount())
	if c.failed(C.chorale_go_clique_scores(run, C.int64_t(len(scores)), C.chorale_labelling(of), doubles(scores), c.detail)) {
		return nil, c.err
	}
	return scores, nil
}

// Values returns the values of the members of a clique, in the order of adding. With R values these
// are 0 to R - 1, R for EMPTY (no value), R + 1 for CONFLICT (several values), or -1 for a value
// that is not in the clique's dictionary, if the dictionary has no UNLISTED. If the clique has a
// centre, the last entry is the value of the centre.
func (r *Run) Values(clique int, of Labelling) ([]int32, error) {
	c, run := r.begin(false)
	defer c.end()
	if c.err != nil {
		return nil, c.err
	}
	values := c.numbers(func(to *C.int32_t, capacity C.int64_t, needed *C.int64_t) C.chorale_status {
		return C.chorale_run_values(run, C.int64_t(clique), C.chorale_labelling(of), to, capacity, needed, c.detail)
	})
	return values, c.err
}

// AllValues returns the values of the members of all cliques: row i is what [Run.Values] returns
// for clique i.
func (r *Run) AllValues(of Labelling) ([][]int32, error) {
	c, run := r.begin(false)
	defer c.end()
	if c.err != nil {
		return nil, c.err
	}
	counts := r.model.MemberCounts()
	total := 0
	for _, count := range counts {
		total += count
	}
	values, lengths := make([]int32, total), wide(counts)
	if c.failed(C.chorale_go_all_values(run, C.int64_t(len(counts)), longs(lengths), C.chorale_labelling(of), ints(values), c.detail)) {
		return nil, c.err
	}
	return cut(values, counts), nil
}

// Reason is one reason why a chain's labels differ from its best labels without cliques: a clique
// that has a position of the chain, or the whole chain, as a member whose value changed.
type Reason struct {
	Agreement int // in a reason of a [Decoded]: index of the agreement that made the clique; otherwise -1
	Clique    int // number of the clique in the model
	Chain     int // number of the chain
	Position  int // the member's position in the chain; -1: the member is the whole chain, or an instance
	// Evidence for Value: counts of the other members of the clique, without its centre; with weights,
	// sums of their weights. All are 0 for a centre.
	Others         int     // all other members
	AgreeingBefore int     // those that have Value in the best labelling without cliques
	Agreeing       int     // those that have Value in the labelling of all chains together
	OwnValue       int32   // value in the best labelling without cliques: a label or a value of the property; with R values, R is EMPTY (no value) and R + 1 CONFLICT (several values)
	Value          int32   // value in the labelling of all chains together, numbered like OwnValue
	Amount         float64 // decrease of the clique's potential if this member alone took OwnValue again; plus infinity if the potential forbids that
	Member         int     // index of the member within the clique, in the order of adding
}

// Reasons returns the reasons of a chain, or of [AllChains], by chain, then by position (whole chains
// first), then by clique. If the label of a position changed and no reason names the position, the
// label changed because labels of its neighbours did.
func (r *Run) Reasons(chain int) ([]Reason, error) {
	c, run := r.begin(false)
	defer c.end()
	if c.err != nil {
		return nil, c.err
	}
	return c.reasons(func(to *C.chorale_reason, capacity C.int64_t, needed *C.int64_t) C.chorale_status {
		return C.chorale_run_reasons(run, C.int64_t(chain), to, C.sizeof_chorale_reason, capacity, needed, c.detail)
	})
}

// reasons returns the reasons that `fill` writes, as numbers does.
func (c *call) reasons(fill func(to *C.chorale_reason, capacity C.int64_t, needed *C.int64_t) C.chorale_status) ([]Reason, error) {
	var needed C.int64_t
	if c.failed(fill(nil, 0, &needed)) || needed == 0 {
		return nil, c.err
	}
	found := make([]C.chorale_reason, needed)
	if c.failed(fill(&found[0], needed, nil)) {
		return nil, c.err
	}
	reasons := make([]Reason, len(found))
	for i, r := range found {
		reasons[i] = Reason{
			int(r.agreement), int(r.clique), int(r.chain), int(r.position), int(r.others), int(r.agreeing_before),
			int(r.agreeing), int32(r.own_value), int32(r.value), float64(r.amount), int(r.member),
		}
	}
	return reasons, nil
}

// MaxMarginals computes the max-marginals of a chain under the current messages of its cliques: T x
// m numbers, row-major. Entry t * m + y is the best score, messages included, of a labelling of the
// chain with label y at position t. margins: for each position its greatest max-marginal minus the
// second greatest.
func (r *Run) MaxMarginals(chain int) (marginals, margins []float64, _ error) {
	c, run := r.begin(true)
	defer c.end()
	if c.err != nil {
		return nil, nil, c.err
	}
	told := new(C.chorale_chain)
	told.struct_size = C.sizeof_chorale_chain
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

// Probabilities computes the probability of each label at each position of a chain, given the
// current messages of its cliques: T x m numbers, row-major. Let s be the score of a labelling of
// the chain plus the messages. Then the probability of label y at position t is the sum of exp(s /
// temperature) over the labellings with y at t, divided by the same sum over all labellings. The
// temperature is above 0; with 1, scores are taken as log-odds. exact is false if the chain's
// properties have more joint states than MaxStates: then some labellings were left out, or
// properties were approximated.
func (r *Run) Probabilities(chain int, temperature float64) (probabilities []float64, exact bool, _ error) {
	c, run := r.begin(true)
	defer c.end()
	if c.err != nil {
		return nil, false, c.err
	}
	told := new(C.chorale_chain)
	told.struct_size = C.sizeof_chorale_chain
	m := (*C.chorale_model)(c.share((*handle)(r.model)))
	if c.err != nil || c.failed(C.chorale_model_get_chain(m, C.int64_t(chain), told, nil, c.detail)) {
		return nil, false, c.err
	}
	probabilities = make([]float64, int(told.length)*int(told.labels))
	var sums C.int32_t
	if c.failed(C.chorale_run_probabilities(run, C.int64_t(chain), C.double(temperature), doubles(probabilities), 0, &sums, c.detail)) {
		return nil, false, c.err
	}
	return probabilities, sums != 0, nil
}

// JSON returns the whole result as a JSON object. It has the fields outcome, proven, rounds,
// best_round, score, chain_score, clique_score, own_score, upper_bound, gap and changed_chains of
// [RunResult]. The field chains is an array of objects with score, labels and changed, and for a
// chain that changed also own_score, own_labels and reasons. The field cliques is an array of
// objects with score and values. Numbers that are not finite are null.
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
