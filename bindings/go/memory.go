package chorale

// #include "shim.h"
import "C"

import (
	"math"
	"math/bits"
	"unsafe"
)

// copies copies slices to C memory. Its method release frees the copies.
type copies struct{ blocks []unsafe.Pointer }

func (c *copies) allocate(bytes int) unsafe.Pointer {
	if bytes == 0 {
		bytes = 1
	}
	block := C.malloc(C.size_t(bytes)) // never nil: the Go runtime ends the program if there is no memory
	c.blocks = append(c.blocks, block)
	return block
}

func (c *copies) place(memory unsafe.Pointer, bytes int) unsafe.Pointer {
	block := c.allocate(bytes)
	C.memcpy(block, memory, C.size_t(bytes))
	return block
}

func (c *copies) release() {
	for _, block := range c.blocks {
		C.free(block)
	}
	c.blocks = nil
}

// lend makes a slice readable for C until the call ends, and returns the address to pass to C; nil if
// the slice is empty.
func lend[T any](c *call, slice []T) unsafe.Pointer {
	if len(slice) == 0 {
		return nil
	}
	return c.memory.place(unsafe.Pointer(&slice[0]), len(slice)*int(unsafe.Sizeof(slice[0])))
}

// first returns the address of the first element of a slice, or nil if the slice is empty. It is
// for slices that are passed to C directly, not inside a struct.
func first[T any](slice []T) unsafe.Pointer {
	if len(slice) == 0 {
		return nil
	}
	return unsafe.Pointer(&slice[0])
}

// doubles, ints, longs, octets and lists return what first returns, as a pointer to the C element type.
func doubles(slice []float64) *C.double           { return (*C.double)(first(slice)) }
func ints(slice []int32) *C.int32_t               { return (*C.int32_t)(first(slice)) }
func longs(slice []int64) *C.int64_t              { return (*C.int64_t)(first(slice)) }
func octets(slice []byte) *C.uint8_t              { return (*C.uint8_t)(first(slice)) }
func lists(slice []TextList) *C.chorale_text_list { return (*C.chorale_text_list)(first(slice)) }

// text copies a string to C memory.
func (c *call) text(text string) unsafe.Pointer {
	block := c.memory.allocate(len(text))
	copy(unsafe.Slice((*byte)(block), len(text)), text)
	return block
}

func (c *call) chars(text string) *C.char { return (*C.char)(c.text(text)) }

// texts copies strings to C memory, as an array of structs of address and length.
func (c *call) texts(strings []string) *C.chorale_text {
	all := make([]C.chorale_text, len(strings))
	for i, text := range strings {
		all[i] = C.chorale_text{bytes: (*C.char)(c.text(text)), length: C.size_t(len(text))}
	}
	return (*C.chorale_text)(lend(c, all))
}

// strings copies strings to C memory, as an array of addresses and an array of lengths.
func (c *call) strings(strings []string) (**C.char, *C.size_t) {
	addresses, lengths := make([]unsafe.Pointer, len(strings)), make([]C.size_t, len(strings))
	for i, text := range strings {
		addresses[i], lengths[i] = c.text(text), C.size_t(len(text))
	}
	return (**C.char)(lend(c, addresses)), (*C.size_t)(lend(c, lengths))
}

// product returns the product of sizes: 0 if one is not above 0, and more than the length of any slice
// on overflow.
func product(sizes ...int) int {
	total := 1
	for _, size := range sizes {
		if size <= 0 {
			return 0
		}
		high, low := bits.Mul64(uint64(total), uint64(size))
		if total = int(low); high != 0 || total < 0 {
			total = math.MaxInt
		}
	}
	return total
}

// check refuses a slice with fewer than `needed` elements. An empty slice counts as not given, and
// is accepted.
func (c *call) check(name string, length, needed int) {
	if length > 0 {
		c.present(name, length, needed)
	}
}

// present refuses a slice with fewer than `needed` elements, even if the slice is empty.
func (c *call) present(name string, length, needed int) {
	if length < needed {
		c.fail(refuse(ErrShape, "%s has %d elements, and its shape takes %d", name, length, needed))
	}
}

// least refuses an argument that is below the least allowed value.
func (c *call) least(name string, value, least int) {
	if value < least {
		c.fail(refuse(ErrSize, "%s is %d, and must be at least %d", name, value, least))
	}
}

func flag(value bool) C.int32_t {
	if value {
		return 1
	}
	return 0
}

func flags[T byte | C.int32_t](values []bool) []T {
	all := make([]T, len(values))
	for i, value := range values {
		all[i] = T(flag(value))
	}
	return all
}

// numbers makes an array for the library to fill; nil if the call has failed.
func (c *call) numbers(count int) []float64 {
	if c.err != nil {
		return nil
	}
	return make([]float64, count)
}

// labels makes an array for the library to fill, as numbers does.
func (c *call) labels(count int) []int32 {
	if c.err != nil {
		return nil
	}
	labels := make([]int32, count)
	if count > 0 {
		labels[0] = unwritten
	}
	return labels
}

const unwritten = -2

// found returns labels that the library was to fill, or nil if it has not.
func found(labels []int32) []int32 {
	if len(labels) > 0 && labels[0] == unwritten {
		return nil
	}
	return labels
}

// filled returns the entries that `fill` writes. It calls fill first without a buffer, for the number
// of entries, and then with a buffer of this size.
func filled[T any, N C.int64_t | C.size_t](c *call, fill func(to *T, capacity N, needed *N) C.chorale_status) ([]T, error) {
	var needed N
	if c.err != nil || c.failed(fill(nil, 0, &needed)) {
		return nil, c.err
	}
	all := make([]T, needed)
	if needed > 0 && c.failed(fill(&all[0], needed, nil)) {
		return nil, c.err
	}
	return all, nil
}

// listed returns the structs that `fill` writes, each converted for Go.
func listed[In, Out any](c *call, fill func(to *In, capacity C.int64_t, needed *C.int64_t) C.chorale_status, convert func(*In) Out) ([]Out, error) {
	found, err := filled(c, fill)
	if len(found) == 0 {
		return nil, err
	}
	return converted(found, convert), nil
}

func converted[In, Out any](all []In, convert func(*In) Out) []Out {
	made := make([]Out, len(all))
	for i := range all {
		made[i] = convert(&all[i])
	}
	return made
}
