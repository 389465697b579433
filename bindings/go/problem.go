package chorale

// #include "shim.h"
import "C"

import "unsafe"

// TextList is a list of texts of a problem. Lists of value names have the numbers from TextsValues on.
type TextList int32

// Lists.
const (
	TextsNone    TextList = C.CHORALE_TEXTS_NONE    // no list
	TextsLabels  TextList = C.CHORALE_TEXTS_LABELS  // by label; at least as many as any chain has labels
	TextsTokens  TextList = C.CHORALE_TEXTS_TOKENS  // by token id; any number
	TextsWords   TextList = C.CHORALE_TEXTS_WORDS   // by position, of all chains one after the other
	TextsSpaces  TextList = C.CHORALE_TEXTS_SPACES  // by position: white space before each word; one blank if absent
	TextsChains  TextList = C.CHORALE_TEXTS_CHAINS  // by chain
	TextsGroups  TextList = C.CHORALE_TEXTS_GROUPS  // by group, for groups from 0 on
	TextsCliques TextList = C.CHORALE_TEXTS_CLIQUES // by clique
	TextsKinds   TextList = C.CHORALE_TEXTS_KINDS   // by kind of clique; any number
	TextsValues  TextList = C.CHORALE_TEXTS_VALUES  // the first list of value names; the others follow
)

// Problem is a model with its names, gold labels and notes, in memory and as a file. Any number of
// goroutines may read it, and one at a time may change it.
type Problem handle

func newProblem(problem *C.chorale_problem, from ...*handle) *Problem {
	h := newHandle(unsafe.Pointer(problem), func(pointer unsafe.Pointer) {
		C.chorale_problem_destroy((*C.chorale_problem)(pointer))
	})
	h.relate(from...)
	return (*Problem)(h)
}

// NewProblem makes a problem of a model, without names, gold labels and notes.
func NewProblem(model *Model, host *Host) (*Problem, error) {
	c, m := model.begin()
	defer c.end()
	in := c.host(host)
	if c.err != nil {
		return nil, c.err
	}
	var problem *C.chorale_problem
	if c.failed(C.chorale_problem_create(in, m, &problem, c.detail)) {
		return nil, c.err
	}
	return newProblem(problem, (*handle)(model), (*handle)(host)), nil
}

// LoadProblem loads a problem file, which is mapped into memory: the file must not be written to or
// truncated while the problem or its model lives. Pipes are read; devices and directories are refused.
func LoadProblem(path string, host *Host) (*Problem, error) {
	for i := 0; i < len(path); i++ {
		if path[i] == 0 {
			return nil, refuse(ErrInputOutput, "the path %q has a NUL in it", path)
		}
	}
	c := begin()
	defer c.end()
	in := c.host(host)
	if c.err != nil {
		return nil, c.err
	}
	name := C.CString(path)
	defer C.free(unsafe.Pointer(name))
	var problem *C.chorale_problem
	if c.failed(C.chorale_problem_load(in, name, &problem, c.detail)) {
		return nil, c.err
	}
	return newProblem(problem, (*handle)(host)), nil
}

// ReadProblem reads the bytes of a problem file, which are copied.
func ReadProblem(bytes []byte, host *Host) (*Problem, error) {
	c := begin()
	defer c.end()
	in := c.host(host)
	if c.err != nil {
		return nil, c.err
	}
	from := bytes
	if len(from) == 0 {
		from = []byte{0}
	}
	var problem *C.chorale_problem
	if c.failed(C.chorale_problem_read(in, first(from), C.size_t(len(bytes)), 0, &problem, c.detail)) {
		return nil, c.err
	}
	return newProblem(problem, (*handle)(host)), nil
}

// Close frees the problem; handles of its model remain valid.
func (p *Problem) Close() error { return (*handle)(p).close() }

func (p *Problem) read() (*call, *C.chorale_problem) {
	c := begin()
	return c, (*C.chorale_problem)(c.share((*handle)(p)))
}

// change makes a change while no other call uses the problem.
func (p *Problem) change(do func(*call, *C.chorale_problem) C.chorale_status) error {
	c := begin()
	defer c.end()
	problem := (*C.chorale_problem)(c.alone((*handle)(p)))
	if c.err != nil {
		return c.err
	}
	c.failed(do(c, problem))
	return c.err
}

// Model is a new handle of the model, which the caller closes.
func (p *Problem) Model() (*Model, error) {
	c, problem := p.read()
	defer c.end()
	if c.err != nil {
		return nil, c.err
	}
	return newModel(C.chorale_model_retain(C.chorale_problem_model(problem)), (*handle)(p)), nil
}

// SetTexts replaces a list; an empty list removes it.
func (p *Problem) SetTexts(list TextList, texts []string) error {
	return p.change(func(c *call, problem *C.chorale_problem) C.chorale_status {
		return C.chorale_problem_set_texts(problem, C.chorale_text_list(list), c.texts(texts), C.sizeof_chorale_text, C.int64_t(len(texts)), c.detail)
	})
}

// TextCount is the number of texts of a list; 0 if the list is absent, and for a closed handle.
func (p *Problem) TextCount(list TextList) int {
	c, problem := p.read()
	defer c.end()
	return int(C.chorale_problem_text_count(problem, C.chorale_text_list(list)))
}

func goText(bytes *C.char, length C.size_t) (string, bool) {
	if bytes == nil {
		return "", false
	}
	return string(unsafe.Slice((*byte)(unsafe.Pointer(bytes)), int(length))), true
}

func (p *Problem) text(of func(*C.chorale_problem, *C.size_t) *C.char) (string, bool) {
	c, problem := p.read()
	defer c.end()
	if problem == nil {
		return "", false
	}
	var length C.size_t
	bytes := of(problem, &length)
	return goText(bytes, length)
}

// Text is a text of a list, numbered from 0; false if there is none.
func (p *Problem) Text(list TextList, index int) (string, bool) {
	return p.text(func(problem *C.chorale_problem, length *C.size_t) *C.char {
		return C.chorale_problem_text(problem, C.chorale_text_list(list), C.int64_t(index), length)
	})
}

// Texts are all texts of a list; nil if the list is absent, and for a closed handle.
func (p *Problem) Texts(list TextList) []string {
	c, problem := p.read()
	defer c.end()
	if problem == nil {
		return nil
	}
	count := C.chorale_problem_text_count(problem, C.chorale_text_list(list))
	if count == 0 {
		return nil
	}
	bytes, lengths := make([]*C.char, count), make([]C.size_t, count)
	C.chorale_go_texts(problem, C.chorale_text_list(list), count, &bytes[0], &lengths[0])
	texts := make([]string, count)
	for i := range texts {
		texts[i], _ = goText(bytes[i], lengths[i])
	}
	return texts
}

func problemCliques(problem *C.chorale_problem) int {
	return int(C.chorale_model_clique_count(C.chorale_problem_model(problem)))
}

func problemPositions(problem *C.chorale_problem) int {
	return int(C.chorale_go_positions(C.chorale_problem_model(problem)))
}

// SetCliques sets by clique its kind (an index into TextsKinds, or -1) and the list that names its
// values; nil leaves either unchanged.
func (p *Problem) SetCliques(kinds []int32, values []TextList) error {
	return p.change(func(c *call, problem *C.chorale_problem) C.chorale_status {
		c.check("kinds", len(kinds), problemCliques(problem))
		c.check("values", len(values), problemCliques(problem))
		if c.err != nil {
			return C.CHORALE_OK
		}
		return C.chorale_problem_set_cliques(problem, ints(kinds), (*C.chorale_text_list)(first(values)), c.detail)
	})
}

// CliqueKind is the kind of a clique, or -1.
func (p *Problem) CliqueKind(clique int) int32 {
	c, problem := p.read()
	defer c.end()
	if problem == nil {
		return -1
	}
	return int32(C.chorale_problem_clique_kind(problem, C.int64_t(clique)))
}

// ValueName is the name of a value of a clique; false if it has none.
func (p *Problem) ValueName(clique int, value int32) (string, bool) {
	return p.text(func(problem *C.chorale_problem, length *C.size_t) *C.char {
		return C.chorale_problem_value_name(problem, C.int64_t(clique), C.int32_t(value), length)
	})
}

// SetGold sets the gold labels, by position of all chains, -1 if unknown; nil removes them.
func (p *Problem) SetGold(gold []int32) error {
	return p.change(func(c *call, problem *C.chorale_problem) C.chorale_status {
		c.check("gold", len(gold), problemPositions(problem))
		if c.err != nil {
			return C.CHORALE_OK
		}
		return C.chorale_problem_set_gold(problem, ints(gold), c.detail)
	})
}

// Gold is a copy of the gold labels; nil if there are none.
func (p *Problem) Gold() []int32 {
	c, problem := p.read()
	defer c.end()
	if problem == nil {
		return nil
	}
	return copied[int32](unsafe.Pointer(C.chorale_problem_gold(problem)), problemPositions(problem))
}

// SetNote sets a note; an empty text removes it.
func (p *Problem) SetNote(name, text string) error {
	return p.change(func(c *call, problem *C.chorale_problem) C.chorale_status {
		title, content := []byte(name), []byte(text)
		return C.chorale_problem_set_note(problem, (*C.char)(first(title)), C.size_t(len(title)), (*C.char)(first(content)), C.size_t(len(content)), c.detail)
	})
}

// Note is the text of the note with a name; false if there is none.
func (p *Problem) Note(name string) (string, bool) {
	c, problem := p.read()
	defer c.end()
	if problem == nil {
		return "", false
	}
	var length C.size_t
	for i := C.chorale_problem_note_count(problem); i > 0; i-- {
		bytes := C.chorale_problem_note_name(problem, i-1, &length)
		if known, _ := goText(bytes, length); known == name {
			bytes = C.chorale_problem_note(problem, i-1, &length)
			return goText(bytes, length)
		}
	}
	return "", false
}

// NoteNames are the names of all notes, in the order of setting.
func (p *Problem) NoteNames() []string {
	c, problem := p.read()
	defer c.end()
	if problem == nil {
		return nil
	}
	var names []string
	var length C.size_t
	for i := C.int64_t(0); i < C.chorale_problem_note_count(problem); i++ {
		bytes := C.chorale_problem_note_name(problem, i, &length)
		name, _ := goText(bytes, length)
		names = append(names, name)
	}
	return names
}

// Bytes is the problem in the form of a file.
func (p *Problem) Bytes() ([]byte, error) {
	c, problem := p.read()
	defer c.end()
	if c.err != nil {
		return nil, c.err
	}
	var needed C.size_t
	if c.failed(C.chorale_problem_write(problem, nil, 0, &needed, c.detail)) {
		return nil, c.err
	}
	bytes := make([]byte, int(needed))
	if c.failed(C.chorale_problem_write(problem, first(bytes), needed, nil, c.detail)) {
		return nil, c.err
	}
	return bytes, nil
}

// Save writes the problem to a file. After a failure or crash the file is either the old one or the
// complete new one.
func (p *Problem) Save(path string) error {
	for i := 0; i < len(path); i++ {
		if path[i] == 0 {
			return refuse(ErrInputOutput, "the path %q has a NUL in it", path)
		}
	}
	c, problem := p.read()
	defer c.end()
	if c.err != nil {
		return c.err
	}
	name := C.CString(path)
	defer C.free(unsafe.Pointer(name))
	c.failed(C.chorale_problem_save(problem, name, c.detail))
	return c.err
}
