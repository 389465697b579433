package chorale

// #include "shim.h"
import "C"

import (
	"runtime/cgo"
	"sync"
	"sync/atomic"
	"unsafe"
)

// This file has the Go functions that C calls. C must not keep a Go pointer, so it gets a number, a
// cgo.Handle, and passes the number back as `user`. From this number the Go function finds the
// caller's callback.

type counter struct {
	failures
	score func(counts []int64, members int64) (float64, error)
}

type progressed[T any] struct {
	failures
	tell func(T) bool
}

func (p *progressed[T]) told(progress T) C.int32_t {
	stop := false
	ok := p.guard(func() error {
		stop = p.tell(progress)
		return nil
	})
	return flag(stop || !ok)
}

//export choraleGoDrop
func choraleGoDrop(user C.uintptr_t) { dropCallback(cgo.Handle(user)) }

//export choraleGoCount
func choraleGoCount(user C.uintptr_t, counts *C.int64_t, values, members C.int64_t, score *C.double) C.int32_t {
	f := cgo.Handle(user).Value().(*counter)
	ok := f.guard(func() error {
		value, err := f.score(unsafe.Slice((*int64)(counts), int(values)), int64(members))
		*score = C.double(value)
		return err
	})
	return flag(!ok)
}

//export choraleGoProgress
func choraleGoProgress(user C.uintptr_t, told *C.chorale_progress) C.int32_t {
	return cgo.Handle(user).Value().(*progressed[Progress]).told(progress(told))
}

//export choraleGoLearnProgress
func choraleGoLearnProgress(user C.uintptr_t, told *C.chorale_learn_progress) C.int32_t {
	return cgo.Handle(user).Value().(*progressed[LearnProgress]).told(learnProgress(told))
}

// failures holds the first panic and the first error of a callback until the call into C in which
// they happened has returned: a panic must not unwind frames of C.
type failures struct {
	mu       sync.Mutex
	panicked any
	err      error
}

func (f *failures) watched() *failures { return f }

// guard calls a callback, and stores its panic or error in f. It returns true if there was neither.
func (f *failures) guard(callback func() error) (ok bool) {
	var err error
	done := false
	defer func() {
		// If it is not done, the callback has panicked or called runtime.Goexit. Neither may unwind the
		// frames of C. recover returns nil after Goexit.
		var panicked any
		if !done {
			if panicked = recover(); panicked == nil {
				panicked = "chorale: a callback ended its goroutine"
			}
		}
		if ok = done && err == nil; ok {
			return
		}
		f.mu.Lock()
		defer f.mu.Unlock()
		if f.panicked == nil {
			f.panicked = panicked
		}
		if f.err == nil {
			f.err = err
		}
	}()
	err = callback()
	done = true
	return
}

// takePanic returns the panic, or nil, and forgets it, and with it the error.
func (f *failures) takePanic() any {
	f.mu.Lock()
	defer f.mu.Unlock()
	panicked := f.panicked
	if panicked != nil {
		f.panicked, f.err = nil, nil
	}
	return panicked
}

func (f *failures) takeError() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	err := f.err
	f.err = nil
	return err
}

// liveCallbacks is the number of callbacks that C can still call. Tests check that this number
// falls again when objects are freed.
var liveCallbacks atomic.Int64

func dropCallback(h cgo.Handle) {
	liveCallbacks.Add(-1)
	h.Delete()
}

// callback returns the number by which C calls a callback. The number is valid until the call ends,
// or until it is dropped if keepCallbacks is called before.
func (c *call) callback(callback interface{ watched() *failures }) C.uintptr_t {
	liveCallbacks.Add(1)
	user := cgo.NewHandle(callback)
	c.callbacks = append(c.callbacks, user)
	c.watched = append(c.watched, callback.watched())
	return C.uintptr_t(user)
}

// keepCallbacks keeps the callbacks of the call, which the caller has to drop. Calls on h report
// their panics and errors.
func (c *call) keepCallbacks(h *handle) {
	for _, user := range c.callbacks {
		h.watching = append(h.watching, user.Value().(interface{ watched() *failures }).watched())
	}
	c.callbacks = nil
}
