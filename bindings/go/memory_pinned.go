//go:build go1.22

package chorale

import (
	"runtime"
	"unsafe"
)

// lent is memory that C may read until it is released. Slices are not copied but pinned, so that
// they do not move.
type lent struct {
	copies
	pinner runtime.Pinner
}

func (l *lent) place(memory unsafe.Pointer, _ int) unsafe.Pointer {
	l.pinner.Pin(memory)
	return memory
}

func (l *lent) release() {
	l.pinner.Unpin()
	l.copies.release()
}
