package chorale

// #include "shim.h"
import "C"

import "unsafe"

// Scores is a list of scores of one of two element types: [Float64s] or [Float32s].
type Scores interface {
	element() C.chorale_element
	size() int
	placeIn(to placer) unsafe.Pointer
}

// Float64s are scores in double precision. Converting a []float64 to Float64s makes no copy.
type Float64s []float64

// Float32s are scores in single precision. The library adds them in double precision.
type Float32s []float32

func (s Float64s) element() C.chorale_element       { return C.CHORALE_FLOAT64 }
func (s Float64s) size() int                        { return len(s) }
func (s Float64s) placeIn(to placer) unsafe.Pointer { return lend(to, s) }
func (s Float32s) element() C.chorale_element       { return C.CHORALE_FLOAT32 }
func (s Float32s) size() int                        { return len(s) }
func (s Float32s) placeIn(to placer) unsafe.Pointer { return lend(to, s) }

func sizeOf(scores Scores) int {
	if scores == nil {
		return 0
	}
	return scores.size()
}

func placeScores(to placer, scores Scores) unsafe.Pointer {
	if scores == nil {
		return nil
	}
	return scores.placeIn(to)
}

// element returns the element type of the given scores, and refuses scores of different types.
// Scores that are empty or nil fit any type.
func (c *call) element(all ...Scores) C.chorale_element {
	kind, known := C.chorale_element(C.CHORALE_FLOAT64), false
	for _, scores := range all {
		if sizeOf(scores) == 0 {
			if scores != nil && !known {
				kind = scores.element() // used if all scores are empty, as for a chain without positions
			}
			continue
		}
		if known && scores.element() != kind {
			c.fail(refuse(ErrShape, "scores are Float64s and Float32s; those of one chain must be of one type"))
		}
		kind, known = scores.element(), true
	}
	return kind
}

// Mask says which labels may follow each other, and which may be first and last. Each field holds
// bytes, where 0 forbids.
type Mask struct {
	Matrix []byte // labels x labels; the row is the label before, the column the label after
	Start  []byte // for each label whether it may be the first
	End    []byte // for each label whether it may be the last
}

// Mask returns the mask for labels with the given names, which must follow the scheme.
func (scheme Scheme) Mask(names []string) (*Mask, error) {
	c := begin()
	defer c.end()
	addresses, lengths := c.strings(names)
	c.names = map[string]string{"labels": "len(names)"}
	m := len(names)
	mask := &Mask{make([]byte, m*m), make([]byte, m), make([]byte, m)}
	if c.failed(C.chorale_scheme_mask(C.chorale_scheme(scheme), addresses, lengths, C.int64_t(m), octets(mask.Matrix), octets(mask.Start), octets(mask.End), c.detail)) {
		return nil, c.err
	}
	return mask, nil
}

// Transitions are transition scores that many chains can share. They never change, and any
// goroutine may use them.
type Transitions handle

// TransitionsOptions are the layout of the matrix and further scores for [NewTransitions]; nil
// means the zero value.
type TransitionsOptions struct {
	Orientation  Orientation // what the rows of the matrix are
	RowStride    int         // distance between two rows, in elements; 0: rows without gaps
	ColumnStride int         // distance between two entries of a row, in elements; 0 means 1
	Start        Scores      // m start scores, by label of the first position; nil: zeros
	End          Scores      // m end scores, by label of the last position; nil: zeros
	Mask         *Mask       // forbids transitions, first labels and last labels; nil: all are allowed
}

// matrix refuses negative strides, and returns the row and column strides to use. A column stride
// of 0 means 1, and a row stride of 0 means rows without gaps.
func (c *call) matrix(name string, labels, row, column int) (int, int) {
	if row < 0 || column < 0 {
		c.fail(refuse(ErrStride, "%s has strides %d and %d, and they must not be negative", name, row, column))
	}
	if column == 0 {
		column = 1
	}
	if row == 0 {
		row = product(labels, column)
	}
	return row, column
}

func transitionsHandle(transitions *C.chorale_transitions) *handle {
	return newHandle(unsafe.Pointer(transitions), func(pointer unsafe.Pointer) {
		C.chorale_transitions_release((*C.chorale_transitions)(pointer))
	})
}

// NewTransitions makes transitions from a matrix of labels x labels scores, which is copied. If
// scores is nil, all are 0.
func NewTransitions(labels int, scores Scores, options *TransitionsOptions) (*Transitions, error) {
	if options == nil {
		options = &TransitionsOptions{}
	}
	c := begin()
	defer c.end()
	c.least("labels", labels, 1)
	row, column := c.matrix("scores", labels, options.RowStride, options.ColumnStride)
	element := c.element(scores, options.Start, options.End)
	if c.err == nil {
		c.check("scores", sizeOf(scores), extent([]int{labels, labels}, []int{row, column}))
		c.check("options.Start", sizeOf(options.Start), labels)
		c.check("options.End", sizeOf(options.End), labels)
		if options.Mask != nil {
			c.check("options.Mask.Matrix", len(options.Mask.Matrix), product(labels, labels))
			c.check("options.Mask.Start", len(options.Mask.Start), labels)
			c.check("options.Mask.End", len(options.Mask.End), labels)
		}
	}
	if c.err != nil {
		return nil, c.err
	}
	told := new(C.chorale_transitions_options)
	told.struct_size = C.sizeof_chorale_transitions_options
	told.element = element
	told.orientation = C.chorale_orientation(options.Orientation)
	told.row_stride = C.int64_t(options.RowStride)
	told.column_stride = C.int64_t(options.ColumnStride)
	told.start = placeScores(&c.memory, options.Start)
	told.end = placeScores(&c.memory, options.End)
	if options.Mask != nil {
		told.mask = (*C.uint8_t)(lend(&c.memory, options.Mask.Matrix))
		told.start_mask = (*C.uint8_t)(lend(&c.memory, options.Mask.Start))
		told.end_mask = (*C.uint8_t)(lend(&c.memory, options.Mask.End))
	}
	var transitions *C.chorale_transitions
	if c.failed(C.chorale_transitions_create(nil, C.int64_t(labels), placeScores(&c.memory, scores), told, &transitions, c.detail)) {
		return nil, c.err
	}
	h := transitionsHandle(transitions)
	return (*Transitions)(h), nil
}

// Clone returns a second handle of the same transitions. Each handle is closed separately.
func (t *Transitions) Clone() (*Transitions, error) {
	c := begin()
	defer c.end()
	transitions := (*C.chorale_transitions)(c.share((*handle)(t)))
	if c.err != nil {
		return nil, c.err
	}
	h := transitionsHandle(C.chorale_transitions_retain(transitions))
	h.relate((*handle)(t))
	return (*Transitions)(h), nil
}

// Close releases this handle. Models keep the transitions alive.
func (t *Transitions) Close() error { return (*handle)(t).close() }
