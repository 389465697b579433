package chorale

// #include "shim.h"
import "C"

import (
	"runtime"
	"strings"
	"sync"
	"unsafe"
)

// A handle is an object of the library with the number of its users. It is freed at the end of the last
// call that uses it after it was closed, or by the garbage collector.
type handle struct {
	mu      sync.Mutex
	pointer unsafe.Pointer
	users   int // number of calls that share the handle; -1: one call uses it alone
	closed  bool
	free    func(unsafe.Pointer) // must not refer to the handle
	// Objects to which C refers. They are collected only after this handle, since finalizers run in the
	// order of references.
	keep     []any
	watching []*failures
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

// freeUnused frees a closed handle without users. Called with the lock held.
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

// relate adds relatives to a new handle: it keeps them alive, and its calls report their callbacks'
// failures.
func (h *handle) relate(others ...*handle) {
	for _, other := range others {
		if other != nil {
			h.keep = append(h.keep, other.keep...)
			h.watching = append(h.watching, other.watching...)
		}
	}
}

// A call into the library: the handles that it uses, the memory that it lends, and the error that C
// fills.
type call struct {
	memory  lent
	handles []*handle
	watched []*failures
	detail  *C.chorale_error
	names   map[string]string // Go names of arguments that differ from the C names in this call
	err     error
}

func begin() *call {
	return &call{detail: new(C.chorale_error)}
}

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

// share marks a handle as used by this call, together with others.
func (c *call) share(h *handle) unsafe.Pointer { return c.acquire(h, false) }

// alone marks a handle as used by this call only.
func (c *call) alone(h *handle) unsafe.Pointer { return c.acquire(h, true) }

// optional marks a handle as shared, or does nothing for nil.
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

// failed turns a status other than OK into the error of the call, with the error of a callback as its
// cause.
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

// single rewrites messages for a call with one attachment: without its index.
func (c *call) single() error {
	if failure, ok := c.err.(*Error); ok {
		failure.Message = strings.Replace(failure.Message, "attachments[0].", "", 1)
	}
	return c.err
}

// end releases handles and memory; a panic of a callback continues from here.
func (c *call) end() {
	c.memory.release()
	for _, h := range c.handles {
		h.release()
	}
	for _, watched := range c.watched {
		if value, ok := watched.takePanic(); ok {
			panic(value)
		}
	}
}
