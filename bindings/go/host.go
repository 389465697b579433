package chorale

// #include "shim.h"
import "C"

import (
	"math"
	"runtime/cgo"
	"time"
	"unsafe"
)

// Version returns the version of the loaded library, as "MAJOR.MINOR.PATCH".
func Version() string { return C.GoString(C.chorale_version()) }

// ABI returns the version number of the binary interface of the loaded library.
func ABI() int { return int(C.chorale_abi()) }

// LogLevel is how serious a message of the log is.
type LogLevel int32

// The levels of the log.
const (
	LogDebug   LogLevel = C.CHORALE_LOG_DEBUG   // details of a computation
	LogInfo    LogLevel = C.CHORALE_LOG_INFO    // messages of general interest
	LogWarning LogLevel = C.CHORALE_LOG_WARNING // probable mistakes of the caller
)

// Host allocates memory for the objects that are created with it, counts the bytes and may limit
// them, and receives log messages. Each object is created with a host, or with nil, which means no
// limit and no log. Any goroutine may use a host.
type Host handle

// NewHost makes a host. limit: the greatest number of bytes that all objects created with the host
// may have allocated together, negative for no limit; a call that would exceed the limit fails with
// [ErrOutOfMemory]. log: receives messages; may be nil. It is called during calls into the library,
// and must not use the handles of these calls.
func NewHost(limit int64, log func(level LogLevel, message string)) (*Host, error) {
	var told *logger
	var user cgo.Handle
	if log != nil {
		told = &logger{tell: log}
		user = newCallback(told)
	}
	pointer := C.chorale_go_host_create(C.int64_t(limit), C.uintptr_t(user))
	if pointer == nil {
		if log != nil {
			dropCallback(user)
		}
		return nil, refuse(ErrOutOfMemory, "no memory for a host")
	}
	h := newHandle(unsafe.Pointer(pointer), func(pointer unsafe.Pointer) {
		C.chorale_go_host_release((*C.chorale_go_host)(pointer))
	})
	if told != nil {
		h.watching = []*failures{&told.failures}
	}
	return (*Host)(h), nil
}

// Close releases this handle. Objects created with the host keep the host alive.
func (h *Host) Close() error { return (*handle)(h).close() }

// Bytes returns the number of bytes that the host has allocated and not yet freed; 0 for a closed
// host.
func (h *Host) Bytes() int64 {
	return h.count(func(host *C.chorale_go_host) C.int64_t { return C.chorale_go_host_bytes(host) })
}

// Blocks returns the number of blocks of memory that the host has allocated and not yet freed; 0
// for a closed host.
func (h *Host) Blocks() int64 {
	return h.count(func(host *C.chorale_go_host) C.int64_t { return C.chorale_go_host_blocks(host) })
}

func (h *Host) count(of func(*C.chorale_go_host) C.int64_t) int64 {
	c := begin()
	defer c.end()
	host := (*C.chorale_go_host)(c.share((*handle)(h)))
	if host == nil {
		return 0
	}
	return int64(of(host))
}

// host returns the host as a C struct; NULL for nil.
func (c *call) host(h *Host) *C.chorale_host {
	host := (*C.chorale_go_host)(c.optional((*handle)(h)))
	if host == nil {
		return nil
	}
	return C.chorale_go_host_get(host)
}

// Cancel is a flag by which any goroutine asks computations to end early.
type Cancel handle

// NewCancel makes a flag that is not raised.
func NewCancel(host *Host) (*Cancel, error) {
	c := begin()
	defer c.end()
	in := c.host(host)
	if c.err != nil {
		return nil, c.err
	}
	var cancel *C.chorale_cancel
	if c.failed(C.chorale_cancel_create(in, &cancel, c.detail)) {
		return nil, c.err
	}
	h := newHandle(unsafe.Pointer(cancel), func(pointer unsafe.Pointer) {
		C.chorale_cancel_destroy((*C.chorale_cancel)(pointer))
	})
	h.relate((*handle)(host))
	return (*Cancel)(h), nil
}

// Close frees the flag once no call uses it.
func (f *Cancel) Close() error { return (*handle)(f).close() }

func (f *Cancel) with(do func(*C.chorale_cancel)) {
	c := begin()
	defer c.end()
	if cancel := (*C.chorale_cancel)(c.share((*handle)(f))); cancel != nil {
		do(cancel)
	}
}

// Raise raises the flag: every computation that was given this flag ends early. Any goroutine may
// call it at any time. It does nothing on a closed flag.
func (f *Cancel) Raise() {
	f.with(func(cancel *C.chorale_cancel) { C.chorale_cancel_raise(cancel) })
}

// Lower lowers the flag, so that later computations are not ended.
func (f *Cancel) Lower() {
	f.with(func(cancel *C.chorale_cancel) { C.chorale_cancel_lower(cancel) })
}

// IsRaised reports whether the flag is raised.
func (f *Cancel) IsRaised() (raised bool) {
	f.with(func(cancel *C.chorale_cancel) { raised = C.chorale_cancel_is_raised(cancel) != 0 })
	return raised
}

// Outcome says how a computation ended. An outcome is not an error: the call has succeeded, and
// returns the best labelling that it found, if any.
type Outcome int32

// The outcomes.
const (
	Complete       Outcome = C.CHORALE_OUTCOME_COMPLETE        // the algorithm ran to its end
	GapReached     Outcome = C.CHORALE_OUTCOME_GAP_REACHED     // the requested gap between score and upper bound was reached before the end
	IterationLimit Outcome = C.CHORALE_OUTCOME_ITERATION_LIMIT // the limit of rounds, sweeps or steps was reached; an ordinary end
	NodeLimit      Outcome = C.CHORALE_OUTCOME_NODE_LIMIT      // the limit of nodes of branch and bound was reached
	Deadline       Outcome = C.CHORALE_OUTCOME_DEADLINE        // a time limit, or the deadline of a context, was reached
	Cancelled      Outcome = C.CHORALE_OUTCOME_CANCELLED       // a Cancel, a context or a callback asked for the end
	Infeasible     Outcome = C.CHORALE_OUTCOME_INFEASIBLE      // proven: every labelling is forbidden
	NothingFound   Outcome = C.CHORALE_OUTCOME_NOTHING_FOUND   // no allowed labelling was found, without proof that there is none
)

// Obstacle says what forbids every labelling of a chain.
type Obstacle int32

// The obstacles.
const (
	ObstacleUnknown     Obstacle = C.CHORALE_OBSTACLE_UNKNOWN     // an instance, which does not tell
	ObstacleScores      Obstacle = C.CHORALE_OBSTACLE_SCORES      // every label of the position is forbidden: by a score of minus infinity, or by what the chain or an edit allows
	ObstacleTransitions Obstacle = C.CHORALE_OBSTACLE_TRANSITIONS // the position has allowed labels, but transitions, start or end scores forbid all of them
	ObstacleCliques     Obstacle = C.CHORALE_OBSTACLE_CLIQUES     // a clique of which the chain is the only member forbids what the chain allows
	ObstacleUndecided   Obstacle = C.CHORALE_OBSTACLE_UNDECIDED   // no labelling was found that a clique allows, all of whose members are in the chain; there may be one
)

// String returns "scores", "transitions", "cliques", "undecided" or "unknown".
func (o Obstacle) String() string {
	switch o {
	case ObstacleScores:
		return "scores"
	case ObstacleTransitions:
		return "transitions"
	case ObstacleCliques:
		return "cliques"
	case ObstacleUndecided:
		return "undecided"
	}
	return "unknown"
}

// String returns the name of the outcome, such as "iteration-limit".
func (o Outcome) String() string { return C.GoString(C.chorale_outcome_name(C.chorale_outcome(o))) }

// NoLimit is the time limit that means no limit.
const NoLimit time.Duration = -1

func seconds(limit time.Duration) C.double {
	if limit < 0 {
		return C.double(math.Inf(1))
	}
	if limit == 0 {
		return -1
	}
	return C.double(limit.Seconds())
}
