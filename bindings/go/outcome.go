package chorale

// #include "shim.h"
import "C"

import (
	"time"
	"unsafe"
)

// Version returns the version of the loaded library, as "MAJOR.MINOR.PATCH".
func Version() string { return C.GoString(C.chorale_version()) }

// ABI returns the version number of the binary interface of the loaded library.
func ABI() int { return int(C.chorale_abi()) }

// Cancel is a flag by which any goroutine asks computations to end early.
type Cancel handle

// NewCancel makes a flag that is not raised.
func NewCancel() (*Cancel, error) {
	c := begin()
	defer c.end()
	var cancel *C.chorale_cancel
	if c.failed(C.chorale_cancel_create(nil, &cancel, c.detail)) {
		return nil, c.err
	}
	h := newHandle(unsafe.Pointer(cancel), func(pointer unsafe.Pointer) {
		C.chorale_cancel_destroy((*C.chorale_cancel)(pointer))
	})
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

// seconds returns a time limit for C. 0 means no limit, and a negative limit has passed.
func seconds(limit time.Duration) C.double { return C.double(limit.Seconds()) }

// String returns the name of the outcome, such as "iteration-limit".
func (o Outcome) String() string { return C.GoString(C.chorale_outcome_name(C.chorale_outcome(o))) }
