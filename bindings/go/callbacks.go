package chorale

// #include "shim.h"
import "C"

import (
	"runtime/cgo"
	"unsafe"
)

// This file has the Go functions that C calls. C must not keep a Go pointer, so it gets a number, a
// cgo.Handle, and passes the number back as `user`. From this number the Go function finds the
// caller's callback. A panic of the callback must not unwind frames of C: guard (failures.go)
// stores the panic, which continues when the call into C has returned.

type counter struct {
	failures
	score func(counts []int64, members int64) (float64, error)
}

type runCallbacks struct {
	failures
	progress func(Progress) bool
}

type learnCallback struct {
	failures
	progress func(LearnProgress) bool
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
	r := cgo.Handle(user).Value().(*runCallbacks)
	stop := false
	ok := r.guard(func() error {
		stop = r.progress(progress(told))
		return nil
	})
	return flag(stop || !ok)
}

//export choraleGoLearnProgress
func choraleGoLearnProgress(user C.uintptr_t, told *C.chorale_learn_progress) C.int32_t {
	l := cgo.Handle(user).Value().(*learnCallback)
	stop := false
	ok := l.guard(func() error {
		stop = l.progress(learnProgress(told))
		return nil
	})
	return flag(stop || !ok)
}
