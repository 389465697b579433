package chorale

// #include "shim.h"
import "C"

import (
	"math"
	"runtime/cgo"
	"time"
	"unsafe"
)

// Version is that of the library that is loaded, "MAJOR.MINOR.PATCH".
func Version() string { return C.GoString(C.chorale_version()) }

// ABI is the number of the binary interface of the library that is loaded.
func ABI() int { return int(C.chorale_abi()) }

// LogLevel is how serious a message of the log is.
type LogLevel int32

// Levels of the log.
const (
	LogDebug   LogLevel = C.CHORALE_LOG_DEBUG   // details of a computation
	LogInfo    LogLevel = C.CHORALE_LOG_INFO    // what may be of interest
	LogWarning LogLevel = C.CHORALE_LOG_WARNING // what is probably a mistake
)

// Host gives the library memory that is counted and may be limited, and a log. Everything that is created takes a host,
// or nil: plain memory and no log. Any goroutine.
type Host handle

// NewHost makes a host. limit: the most bytes that what is created with it may take in all, negative for no limit;
// beyond it calls are [ErrOutOfMemory]. log: may be nil; called in the middle of calls, so it must not use the handles
// that those are on.
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

// Close lets go of the host; what was created with it keeps it.
func (h *Host) Close() error { return (*handle)(h).close() }

// Bytes and Blocks tell what is allocated now; 0 for a host that is closed.
func (h *Host) Bytes() int64 {
	return h.count(func(host *C.chorale_go_host) C.int64_t { return C.chorale_go_host_bytes(host) })
}

// Blocks is how many pieces of memory are allocated now.
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

// host is what C gets of a host: NULL for nil.
func (c *call) host(h *Host) *C.chorale_host {
	host := (*C.chorale_go_host)(c.optional((*handle)(h)))
	if host == nil {
		return nil
	}
	return C.chorale_go_host_get(host)
}

// Cancel is a flag by which any goroutine asks computations to end early.
type Cancel handle

// NewCancel makes a lowered flag.
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

// Raise asks computations to end. Any goroutine, at any time; nothing happens on a closed flag.
func (f *Cancel) Raise() {
	f.with(func(cancel *C.chorale_cancel) { C.chorale_cancel_raise(cancel) })
}

// Lower takes that back.
func (f *Cancel) Lower() {
	f.with(func(cancel *C.chorale_cancel) { C.chorale_cancel_lower(cancel) })
}

// IsRaised reports whether the flag is raised.
func (f *Cancel) IsRaised() (raised bool) {
	f.with(func(cancel *C.chorale_cancel) { raised = C.chorale_cancel_is_raised(cancel) != 0 })
	return raised
}

// Outcome is how a computation ended. It is not an error: the best labelling until then is given.
type Outcome int32

// Outcomes.
const (
	Complete       Outcome = C.CHORALE_OUTCOME_COMPLETE        // the computation came to its own end
	GapReached     Outcome = C.CHORALE_OUTCOME_GAP_REACHED     // the gap that was asked for was reached before that
	IterationLimit Outcome = C.CHORALE_OUTCOME_ITERATION_LIMIT // the limit of iterations or rounds was reached; an ordinary end
	NodeLimit      Outcome = C.CHORALE_OUTCOME_NODE_LIMIT      // the limit of nodes was reached
	Deadline       Outcome = C.CHORALE_OUTCOME_DEADLINE        // a time limit, or the deadline of a context, was reached
	Cancelled      Outcome = C.CHORALE_OUTCOME_CANCELLED       // a Cancel, a context or a callback asked for the end
	Infeasible     Outcome = C.CHORALE_OUTCOME_INFEASIBLE      // proven: every labelling is forbidden
	NothingFound   Outcome = C.CHORALE_OUTCOME_NOTHING_FOUND   // no labelling that is allowed was found; there may be some
)

// String is the name of the outcome: "iteration-limit", say.
func (o Outcome) String() string { return C.GoString(C.chorale_outcome_name(C.chorale_outcome(o))) }

// NoLimit is the time limit of calls that have none.
const NoLimit time.Duration = -1

func seconds(limit time.Duration) C.double {
	if limit < 0 {
		return -1
	}
	return C.double(limit.Seconds())
}

func duration(limit C.double) time.Duration {
	if limit < 0 || float64(limit) > math.MaxInt64/1e9 {
		return NoLimit
	}
	return time.Duration(float64(limit) * 1e9)
}
