package chorale

// #include "shim.h"
import "C"

import "unsafe"

// Scores is a list of scores of one of two element types: [Float64s] or [Float32s].
type Scores interface {
	element() C.chorale_element
	size() int
	lend(c *call) unsafe.Pointer
}

// Float64s are scores in double precision. Converting a []float64 to Float64s makes no copy.
type Float64s []float64

// Float32s are scores in single precision. The library adds them in double precision.
type Float32s []float32

func (s Float64s) element() C.chorale_element  { return C.CHORALE_FLOAT64 }
func (s Float64s) size() int                   { return len(s) }
func (s Float64s) lend(c *call) unsafe.Pointer { return lend(c, s) }
func (s Float32s) element() C.chorale_element  { return C.CHORALE_FLOAT32 }
func (s Float32s) size() int                   { return len(s) }
func (s Float32s) lend(c *call) unsafe.Pointer { return lend(c, s) }

func sizeOf(scores Scores) int {
	if scores == nil {
		return 0
	}
	return scores.size()
}

// scores lends scores to C, as lend does.
func (c *call) scores(scores Scores) unsafe.Pointer {
	if scores == nil {
		return nil
	}
	return scores.lend(c)
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
	c.name("labels", "len(names)")
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

// TransitionsOptions are what rows mean and further scores for [NewTransitions]; nil means the zero
// value.
type TransitionsOptions struct {
	Orientation Orientation // what the rows of the matrix are
	Start       Scores      // m start scores, by label of the first position; nil: zeros
	End         Scores      // m end scores, by label of the last position; nil: zeros
	Mask        *Mask       // forbids transitions, first labels and last labels; nil: all are allowed
}

// NewTransitions makes transitions from a matrix of labels x labels scores, which is copied. If
// scores is nil, all are 0.
func NewTransitions(labels int, scores Scores, options *TransitionsOptions) (*Transitions, error) {
	if options == nil {
		options = &TransitionsOptions{}
	}
	c := begin()
	defer c.end()
	element := c.element(scores, options.Start, options.End)
	c.check("scores", sizeOf(scores), product(labels, labels))
	c.check("options.Start", sizeOf(options.Start), labels)
	c.check("options.End", sizeOf(options.End), labels)
	if options.Mask != nil {
		c.check("options.Mask.Matrix", len(options.Mask.Matrix), product(labels, labels))
		c.check("options.Mask.Start", len(options.Mask.Start), labels)
		c.check("options.Mask.End", len(options.Mask.End), labels)
	}
	if c.err != nil {
		return nil, c.err
	}
	told := c.transitionsOptionsInC(options)
	told.element = element
	if options.Mask != nil {
		told.mask = (*C.uint8_t)(lend(c, options.Mask.Matrix))
		told.start_mask = (*C.uint8_t)(lend(c, options.Mask.Start))
		told.end_mask = (*C.uint8_t)(lend(c, options.Mask.End))
	}
	var transitions *C.chorale_transitions
	if c.failed(C.chorale_transitions_create(nil, C.int64_t(labels), c.scores(scores), told, &transitions, c.detail)) {
		return nil, c.err
	}
	return newTransitions(transitions), nil
}
