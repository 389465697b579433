package chorale

// #include "shim.h"
import "C"

import (
	"strings"
	"unsafe"
)

// Problem is a model with its names, gold labels and notes, which can be saved to a file and
// loaded. Any number of goroutines may read it while none changes it; only one at a time may change
// it.
type Problem handle

// path returns a path for C, which may be read until the call ends.
func (c *call) path(path string) *C.char {
	if strings.IndexByte(path, 0) >= 0 {
		c.fail(refuse(ErrInputOutput, "the path %q has a NUL in it", path))
	}
	return (*C.char)(c.text(path + "\x00"))
}

// ReadProblem makes a problem from the bytes of a problem file, which are copied.
func ReadProblem(bytes []byte) (*Problem, error) {
	c := begin()
	defer c.end()
	from := bytes
	if len(from) == 0 {
		from = []byte{0}
	}
	var problem *C.chorale_problem
	if c.failed(C.chorale_problem_read(nil, first(from), C.size_t(len(bytes)), 0, &problem, c.detail)) {
		return nil, c.err
	}
	return newProblem(problem), nil
}

func (p *Problem) read() (*call, *C.chorale_problem) {
	c := begin()
	return c, (*C.chorale_problem)(c.share(p.handle()))
}

// Model returns the model of the problem as a new handle, which the caller closes.
func (p *Problem) Model() (*Model, error) {
	c, problem := p.read()
	defer c.end()
	if c.err != nil {
		return nil, c.err
	}
	return newModel(C.chorale_model_retain(C.chorale_problem_model(problem)), p.handle()), nil
}

// SetTexts sets or replaces a list of texts. An empty slice removes the list; but a list of value
// names remains, as an empty list. To add a list of value names, pass TextsValues plus the number
// of such lists so far.
func (p *Problem) SetTexts(list TextList, texts []string) error {
	c := begin()
	defer c.end()
	problem := (*C.chorale_problem)(c.alone(p.handle()))
	if c.err == nil {
		c.failed(C.chorale_problem_set_texts(problem, C.chorale_text_list(list), c.texts(texts), C.sizeof_chorale_text, C.int64_t(len(texts)), c.detail))
	}
	return c.err
}

func goText(bytes *C.char, length C.size_t) (string, bool) {
	if bytes == nil {
		return "", false
	}
	return string(unsafe.Slice((*byte)(unsafe.Pointer(bytes)), int(length))), true
}

// Text returns the text of a list that has the given index, from 0; false if there is no such text.
func (p *Problem) Text(list TextList, index int) (string, bool) {
	c, problem := p.read()
	defer c.end()
	var length C.size_t
	bytes := C.chorale_problem_text(problem, C.chorale_text_list(list), C.int64_t(index), &length)
	return goText(bytes, length)
}

// Texts returns all texts of a list; nil if the list is absent, and for a closed handle.
func (p *Problem) Texts(list TextList) []string {
	c, problem := p.read()
	defer c.end()
	count := C.chorale_problem_text_count(problem, C.chorale_text_list(list))
	if count == 0 {
		return nil
	}
	texts := make([]string, int(count))
	for i := range texts {
		var length C.size_t
		bytes := C.chorale_problem_text(problem, C.chorale_text_list(list), C.int64_t(i), &length)
		texts[i], _ = goText(bytes, length)
	}
	return texts
}

func problemCliques(problem *C.chorale_problem) int {
	return int(C.chorale_model_clique_count(C.chorale_problem_model(problem)))
}

func problemPositions(problem *C.chorale_problem) int {
	positions := 0
	for _, length := range lengthsOf(C.chorale_problem_model(problem)) {
		positions += length
	}
	return positions
}

// Gold returns a copy of the gold labels, as [Problem.SetGold] takes them; nil if there are none.
func (p *Problem) Gold() []int32 {
	c, problem := p.read()
	defer c.end()
	return copied[int32](unsafe.Pointer(C.chorale_problem_gold(problem)), problemPositions(problem))
}

// Bytes returns the problem in the form of a problem file.
func (p *Problem) Bytes() ([]byte, error) {
	c, problem := p.read()
	defer c.end()
	return filled(c, func(to *byte, capacity C.size_t, needed *C.size_t) C.chorale_status {
		return C.chorale_problem_write(problem, unsafe.Pointer(to), capacity, needed, c.detail)
	})
}
