package chorale

// #include "shim.h"
import "C"

import (
	"math"
	"runtime/cgo"
	"sync"
	"unsafe"
)

// This file has the Go functions that C calls. C must not keep a Go pointer, so it gets a number, a
// cgo.Handle, and passes the number back as `user`. From this number the Go function finds the
// caller's callback. A panic of the callback must not unwind frames of C: guard (failures.go)
// stores the panic, which continues when the call into C has returned.

type logger struct {
	failures
	tell func(LogLevel, string)
}

type counter struct {
	failures
	score func(counts []int64, members int64) (float64, error)
}

type instance struct {
	failures
	given  Instance
	length int
}

type runCallbacks struct {
	failures
	executor Executor
	progress func(Progress) bool
}

type learnCallback struct {
	failures
	progress func(LearnProgress) bool
}

//export choraleGoDrop
func choraleGoDrop(user C.uintptr_t) { dropCallback(cgo.Handle(user)) }

//export choraleGoLog
func choraleGoLog(user C.uintptr_t, level C.int32_t, message *C.char) {
	l := cgo.Handle(user).Value().(*logger)
	l.guard(func() error {
		l.tell(LogLevel(level), C.GoString(message))
		return nil
	})
}

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

func rows(memberships C.int64_t, sizes *C.int64_t, pointers **C.double) [][]float64 {
	all := make([][]float64, int(memberships))
	if memberships == 0 {
		return all
	}
	lengths := unsafe.Slice((*int64)(sizes), int(memberships))
	for p, row := range unsafe.Slice((**float64)(unsafe.Pointer(pointers)), int(memberships)) {
		if row != nil {
			all[p] = unsafe.Slice(row, int(lengths[p]))
		}
	}
	return all
}

//export choraleGoMessages
func choraleGoMessages(user C.uintptr_t, memberships C.int64_t, sizes *C.int64_t, incoming, outgoing **C.double) C.int32_t {
	i := cgo.Handle(user).Value().(*instance)
	ok := i.guard(func() error {
		out := rows(memberships, sizes, outgoing)
		for _, row := range out {
			for v := range row {
				row[v] = math.Inf(-1)
			}
		}
		return i.given.Messages(rows(memberships, sizes, incoming), out)
	})
	return flag(!ok)
}

//export choraleGoDecode
func choraleGoDecode(user C.uintptr_t, memberships C.int64_t, sizes *C.int64_t, incoming **C.double, labelling, values *C.int32_t, score *C.double) C.int32_t {
	i := cgo.Handle(user).Value().(*instance)
	ok := i.guard(func() error {
		var labels, shown []int32
		if i.length > 0 {
			labels = unsafe.Slice((*int32)(labelling), i.length)
		}
		if memberships > 0 {
			shown = unsafe.Slice((*int32)(values), int(memberships))
		}
		value, err := i.given.Decode(rows(memberships, sizes, incoming), labels, shown)
		*score = C.double(value)
		return err
	})
	return flag(!ok)
}

//export choraleGoProgress
func choraleGoProgress(user C.uintptr_t, progress *C.chorale_progress) C.int32_t {
	r := cgo.Handle(user).Value().(*runCallbacks)
	stop := false
	ok := r.guard(func() error {
		stop = r.progress(Progress{
			Round:           int(progress.round),
			MessagesChanged: int(progress.messages_changed),
			Score:           float64(progress.score),
			BestScore:       float64(progress.best_score),
			UpperBound:      float64(progress.upper_bound),
		})
		return nil
	})
	return flag(stop || !ok)
}

//export choraleGoLearnProgress
func choraleGoLearnProgress(user C.uintptr_t, progress *C.chorale_learn_progress) C.int32_t {
	l := cgo.Handle(user).Value().(*learnCallback)
	stop := false
	ok := l.guard(func() error {
		stop = l.progress(LearnProgress{Runs: int(progress.runs), RunsMost: int(progress.runs_most)})
		return nil
	})
	return flag(stop || !ok)
}

// work is one parallel loop of the library. Several goroutines call the body of the loop, a C
// function, once for each index from 0 to count - 1. No two goroutines have the same worker number
// at the same time, because a call of the body uses the scratch memory that the library keeps for
// the worker number.
type work struct {
	mu       sync.Mutex
	idle     *sync.Cond // signalled when a goroutine puts its worker number back into free
	next     int64
	count    int64
	free     []int64 // worker numbers that no goroutine has
	working  int
	body     C.chorale_parallel_body
	bodyUser unsafe.Pointer
}

// participate takes one index after another that no goroutine has taken yet, and calls the body for
// it, until all indices are taken. It returns at once if other goroutines have all worker numbers.
func (w *work) participate() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.free) == 0 {
		return
	}
	worker := w.free[len(w.free)-1]
	w.free = w.free[:len(w.free)-1]
	w.working++
	for w.next < w.count {
		i := w.next
		w.next++
		w.mu.Unlock()
		C.chorale_go_call_body(w.body, w.bodyUser, C.int64_t(i), C.int64_t(worker))
		w.mu.Lock()
	}
	w.free = append(w.free, worker)
	w.working--
	w.idle.Broadcast()
}

// finish calls the body for all indices that no goroutine has taken yet, and waits until the calls
// of other goroutines have returned.
func (w *work) finish() {
	w.mu.Lock()
	for w.next < w.count {
		if len(w.free) == 0 {
			w.idle.Wait()
			continue
		}
		w.mu.Unlock()
		w.participate()
		w.mu.Lock()
	}
	for w.working > 0 {
		w.idle.Wait()
	}
	w.mu.Unlock()
}

//export choraleGoParallel
func choraleGoParallel(user C.uintptr_t, count, workers C.int64_t, body C.chorale_parallel_body, bodyUser unsafe.Pointer) {
	r := cgo.Handle(user).Value().(*runCallbacks)
	w := &work{count: int64(count), body: body, bodyUser: bodyUser}
	w.idle = sync.NewCond(&w.mu)
	for worker := int64(workers) - 1; worker >= 0; worker-- {
		w.free = append(w.free, worker)
	}
	r.guard(func() error {
		r.executor(int(workers), w.participate)
		return nil
	})
	w.finish()
}
