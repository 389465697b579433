package chorale

import (
	"runtime/cgo"
	"sync"
	"sync/atomic"
)

// failures holds the panics and errors of callbacks until the call into C in which they happened
// has returned.
type failures struct {
	any    atomic.Bool
	mu     sync.Mutex
	panics []any
	errs   []error
}

// guard calls a callback, and stores its panic or error in f. It returns true if there was neither.
func (f *failures) guard(callback func() error) (ok bool) {
	done := false
	defer func() {
		if done {
			return
		}
		// The callback has panicked or called runtime.Goexit. Neither may unwind the frames of C. recover
		// returns nil after Goexit.
		value := recover()
		if value == nil {
			value = "chorale: a callback ended its goroutine"
		}
		f.mu.Lock()
		f.panics = append(f.panics, value)
		f.mu.Unlock()
		f.any.Store(true)
		ok = false
	}()
	err := callback()
	done = true
	if err != nil {
		f.mu.Lock()
		f.errs = append(f.errs, err)
		f.mu.Unlock()
		f.any.Store(true)
	}
	return err == nil
}

func (f *failures) takePanic() (any, bool) {
	if !f.any.Load() {
		return nil, false
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.panics) == 0 {
		return nil, false
	}
	value := f.panics[0]
	f.panics, f.errs = nil, nil
	f.any.Store(false)
	return value, true
}

func (f *failures) takeError() error {
	if !f.any.Load() {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.errs) == 0 {
		return nil
	}
	err := f.errs[0]
	f.errs = nil
	f.any.Store(len(f.panics) > 0)
	return err
}

// liveCallbacks is the number of callbacks that C can still call. Tests check that this number
// falls again when objects are freed.
var liveCallbacks atomic.Int64

func newCallback(value any) cgo.Handle {
	liveCallbacks.Add(1)
	return cgo.NewHandle(value)
}

func dropCallback(h cgo.Handle) {
	liveCallbacks.Add(-1)
	h.Delete()
}
