package chorale

// #include "shim.h"
import "C"

import (
	"runtime"
	"runtime/cgo"
	"sync"
	"unsafe"
)

// A handle refers to an object of the library and counts the calls that use it. After close, the
// object is freed when no call uses it any more. The garbage collector closes a handle that is no
// longer reachable.
type handle struct {
	mu      sync.Mutex
	pointer unsafe.Pointer
	users   int // number of calls that share the handle; -1: one call uses it alone
	closed  bool
	free    func(unsafe.Pointer) // frees the object; must not refer to the handle itself, which could then never be collected
	// Objects that must live as long as this handle, because C refers to them. The collector finalizes
	// them only after the handle: it finalizes an object only when no other object that still has a
	// finalizer refers to it.
	keep     []any
	watching []*failures
	lengths  []int // of a model builder: the number of positions of each chain
}

func newHandle(pointer unsafe.Pointer, free func(unsafe.Pointer)) *handle {
	h := &handle{pointer: pointer, free: free}
	runtime.SetFinalizer(h, (*handle).finalize)
	return h
}

func (h *handle) finalize() { h.close() }

func (h *handle) close() error {
	if h == nil {
		return nil
	}
	h.mu.Lock()
	h.closed = true
	h.freeUnused()
	h.mu.Unlock()
	runtime.KeepAlive(h)
	return nil
}

// freeUnused frees the object if the handle is closed and no call uses it. The caller holds h.mu.
func (h *handle) freeUnused() {
	if !h.closed || h.users != 0 || h.pointer == nil {
		return
	}
	pointer := h.pointer
	h.pointer = nil
	h.free(pointer)
	runtime.SetFinalizer(h, nil)
}

func (h *handle) acquire(alone bool) error {
	collect()
	if h == nil {
		return ErrClosed
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.closed || h.pointer == nil:
		return ErrClosed
	case h.users < 0 || (alone && h.users > 0):
		return ErrBusy
	case alone:
		h.users = -1
	default:
		h.users++
	}
	return nil
}

func (h *handle) release() {
	h.mu.Lock()
	if h.users < 0 {
		h.users = 0
	} else {
		h.users--
	}
	h.freeUnused()
	h.mu.Unlock()
	runtime.KeepAlive(h)
}

// relate is called for a handle h whose object uses those of other handles. From then on h keeps alive
// what the other handles keep alive, and calls on h report the panics and errors of the callbacks of
// the other handles.
func (h *handle) relate(others ...*handle) {
	for _, other := range others {
		if other != nil {
			h.keep = append(h.keep, other.keep...)
			h.watch(other.watching)
		}
	}
}

func (h *handle) watch(all []*failures) {
next:
	for _, told := range all {
		for _, known := range h.watching {
			if known == told {
				continue next
			}
		}
		h.watching = append(h.watching, told)
	}
}

// A call into the library holds the handles that it uses, the memory that it lends to C, and the
// error struct that C fills.
type call struct {
	memory    lent
	handles   []*handle
	watched   []*failures
	callbacks []cgo.Handle
	detail    *C.chorale_error
	names     map[string]string // Go names of arguments in error messages, by their library names; for this call only
	err       error
}

func begin() *call {
	return &call{detail: new(C.chorale_error), names: map[string]string{}}
}

// name makes error messages of this call name an argument as Go does.
func (c *call) name(argument, inGo string) { c.names[argument] = inGo }

func (c *call) acquire(h *handle, alone bool) unsafe.Pointer {
	if c.err != nil {
		return nil
	}
	if c.err = h.acquire(alone); c.err != nil {
		return nil
	}
	c.handles = append(c.handles, h)
	c.watched = append(c.watched, h.watching...)
	return h.pointer
}

// share marks a handle as used by this call; other calls may use it at the same time.
func (c *call) share(h *handle) unsafe.Pointer { return c.acquire(h, false) }

// alone marks a handle as used by this call; until the call ends, every other call on it fails with
// ErrBusy.
func (c *call) alone(h *handle) unsafe.Pointer { return c.acquire(h, true) }

// optional does what share does, or nothing if the handle is nil.
func (c *call) optional(h *handle) unsafe.Pointer {
	if h == nil {
		return nil
	}
	return c.share(h)
}

func (c *call) fail(err error) {
	if c.err == nil {
		c.err = err
	}
}

// failed reports whether the call has failed. A status other than OK becomes the error of the call.
// If a callback ended the computation by returning an error, that error becomes the Cause.
func (c *call) failed(status C.chorale_status) bool {
	if status != C.CHORALE_OK {
		failure := newError(status, c.detail, c.names)
		if status == C.CHORALE_ERROR_CALLBACK_STOPPED {
			for _, watched := range c.watched {
				if failure.Cause == nil {
					failure.Cause = watched.takeError()
				}
			}
		}
		c.fail(failure)
	}
	return c.err != nil
}

// end releases the handles and the memory of the call. If a callback panicked, its panic continues
// from here.
func (c *call) end() {
	c.memory.release()
	for _, h := range c.handles {
		h.release()
	}
	for _, user := range c.callbacks {
		dropCallback(user)
	}
	for _, watched := range c.watched {
		if panicked := watched.takePanic(); panicked != nil {
			panic(panicked)
		}
	}
}
