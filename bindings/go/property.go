package chorale

// #include "shim.h"
import "C"

import "unsafe"

// The words of this file. A property reads the positions of a labelled chain in order, and fires a
// value, or nothing, at each position. If exactly one value v fired, once or more often, the
// labelling shows v; it shows EMPTY if nothing fired, and CONFLICT if two different values fired.
// Values are 0 to R - 1. Besides the label, a property may read the class of a position (a small
// number that the caller gives) and the position's entry in a table (such as its token id);
// [Members] hold classes and table. Labels may be grouped into kinds: B-X and I-X are both of
// kind X. A segment is a longest sequence of consecutive labels of one kind; a label such as B-X
// begins a new segment even after a label of its kind. The anchor is the kind of segment that a
// property looks for.

// An action is what a property does at a position. An action of at least 0 is the value to fire;
// the other actions are the following.
const (
	FireNothing int32 = C.CHORALE_FIRE_NOTHING // fires nothing
	FireLabel   int32 = C.CHORALE_FIRE_LABEL   // fires the entry of the position's label in LabelValues
	FireTable   int32 = C.CHORALE_FIRE_TABLE   // fires the position's entry in the table of its chain
)

// Any, in a rule of a [PropertyBuilder], stands for every state added so far, every class or every
// label. As the next state it means that the automaton stays in its state.
const Any int32 = C.CHORALE_ANY

// Automaton defines a property by tables. It reads the positions of a labelling in order. In state
// s, at a position of class c with label y, it takes the action Actions[(s * Classes + c) * Labels
// + y] and moves to the state in Next at the same index. The value of the property is the value
// that has fired; EMPTY if nothing has fired, and CONFLICT if two different values have.
type Automaton struct {
	Labels, Classes, States, Values int // the numbers of labels, of classes of positions, of states, and R; each at least 1

	Start        int32   // the state in which the first position is read
	TableOffset  int32   // FireTable at position t fires the table's entry t + TableOffset
	OutsideValue int32   // the value that FireTable fires if the table has no such entry, where FiresOutside is set
	FiresOutside bool    // whether it fires OutsideValue then; otherwise nothing
	Next         []int32 // the state after a position: States x Classes x Labels
	Actions      []int32 // the action at a position: States x Classes x Labels; nil: nothing fires
	EndActions   []int32 // for each state the action taken after the last position if the chain ends in this state; nil: nothing fires
	LabelValues  []int32 // for each label what FireLabel fires, -1: nothing; nil: the label itself
}

// Property is a function that maps the labelling of a chain to one value. It never changes, and any
// goroutine may use it.
type Property handle

func propertyHandle(property *C.chorale_property) *handle {
	return newHandle(unsafe.Pointer(property), func(pointer unsafe.Pointer) {
		C.chorale_property_release((*C.chorale_property)(pointer))
	})
}

func newProperty(create func(c *call, property **C.chorale_property) C.chorale_status) (*Property, error) {
	c := begin()
	defer c.end()
	var property *C.chorale_property
	status := create(c, &property)
	if c.err != nil || c.failed(status) {
		return nil, c.err
	}
	h := propertyHandle(property)
	return (*Property)(h), nil
}

// NewProperty makes a property from an automaton, whose tables are copied.
func NewProperty(automaton *Automaton) (*Property, error) {
	return newProperty(func(c *call, property **C.chorale_property) C.chorale_status {
		if automaton == nil {
			c.fail(refuse(ErrNullArgument, "automaton is nil"))
			return C.CHORALE_OK
		}
		a := automaton
		for _, size := range []int{a.Labels, a.Classes, a.States} {
			c.least("automaton.Labels, Classes, States", size, 1)
		}
		if c.err != nil {
			return C.CHORALE_OK
		}
		entries := product(a.States, a.Classes, a.Labels)
		c.check("automaton.Next", len(a.Next), entries)
		c.check("automaton.Actions", len(a.Actions), entries)
		c.check("automaton.EndActions", len(a.EndActions), a.States)
		c.check("automaton.LabelValues", len(a.LabelValues), a.Labels)
		if c.err != nil {
			return C.CHORALE_OK
		}
		told := new(C.chorale_automaton)
		told.struct_size = C.sizeof_chorale_automaton
		told.labels = C.int64_t(a.Labels)
		told.classes = C.int64_t(a.Classes)
		told.states = C.int64_t(a.States)
		told.values = C.int64_t(a.Values)
		told.start = C.int32_t(a.Start)
		told.table_offset = C.int32_t(a.TableOffset)
		told.outside_value = C.int32_t(a.OutsideValue)
		told.fires_outside = flag(a.FiresOutside)
		told.next = (*C.int32_t)(lend(&c.memory, a.Next))
		told.actions = (*C.int32_t)(lend(&c.memory, a.Actions))
		told.end_actions = (*C.int32_t)(lend(&c.memory, a.EndActions))
		told.label_values = (*C.int32_t)(lend(&c.memory, a.LabelValues))
		return C.chorale_property_create(nil, told, property, c.detail)
	})
}

// NewLocalProperty makes a local property, the only kind that trees allow: what a position fires
// depends only on its class, its label and the label of its parent (on a chain, of the position
// before). actions: classes x labels x (labels + 1) actions, by class of the position, its label,
// and the label of its parent; the last column is for positions without a parent. values: R.
// labelValues: for each label the value that FireLabel fires, -1 for nothing; nil: the label
// itself.
func NewLocalProperty(labels, classes, values int, actions, labelValues []int32) (*Property, error) {
	return newProperty(func(c *call, property **C.chorale_property) C.chorale_status {
		c.least("labels", labels, 1)
		c.least("classes", classes, 1)
		if c.err == nil {
			c.check("actions", len(actions), product(classes, labels, labels+1))
			c.check("labelValues", len(labelValues), labels)
		}
		if c.err != nil {
			return C.CHORALE_OK
		}
		return C.chorale_property_create_local(nil, C.int64_t(labels), C.int64_t(classes), C.int64_t(values), ints(actions), ints(labelValues), property, c.detail)
	})
}

// Close releases this handle. Models keep the property alive.
func (p *Property) Close() error { return (*handle)(p).close() }

// PropertyBuilder builds an automaton rule by rule. State 0 always exists and is the start. Where
// no rule matches, the automaton stays in its state and fires nothing; where several rules match,
// the rule added last applies. One goroutine at a time may use a builder.
type PropertyBuilder struct {
	h      *handle
	labels int
}

// NewPropertyBuilder makes a builder without rules. labels, classes: the numbers of labels and of
// position classes. values: R, the number of values that may fire.
func NewPropertyBuilder(labels, classes, values int) (*PropertyBuilder, error) {
	c := begin()
	defer c.end()
	var builder *C.chorale_property_builder
	if c.failed(C.chorale_property_builder_create(nil, C.int64_t(labels), C.int64_t(classes), C.int64_t(values), &builder, c.detail)) {
		return nil, c.err
	}
	h := newHandle(unsafe.Pointer(builder), func(pointer unsafe.Pointer) {
		C.chorale_property_builder_destroy((*C.chorale_property_builder)(pointer))
	})
	return &PropertyBuilder{h, labels}, nil
}

// Close frees the builder. Properties made from it remain valid.
func (b *PropertyBuilder) Close() error {
	if b == nil {
		return nil
	}
	return b.h.close()
}

func (b *PropertyBuilder) with(do func(*call, *C.chorale_property_builder) C.chorale_status) error {
	if b == nil {
		return ErrClosed
	}
	c := begin()
	defer c.end()
	builder := (*C.chorale_property_builder)(c.alone(b.h))
	if c.err != nil {
		return c.err
	}
	c.failed(do(c, builder))
	return c.err
}

// AddState adds a state and returns its number.
func (b *PropertyBuilder) AddState() (int32, error) {
	var state C.int32_t
	err := b.with(func(c *call, builder *C.chorale_property_builder) C.chorale_status {
		return C.chorale_property_builder_add_state(builder, &state, c.detail)
	})
	return int32(state), err
}

// Rule adds a rule: in `state`, at a position of class `class` with label `label`, the automaton
// takes the action `action` and moves to the state `next`. Each of state, class, label and next may
// be [Any].
func (b *PropertyBuilder) Rule(state, class, label, next, action int32) error {
	return b.with(func(c *call, builder *C.chorale_property_builder) C.chorale_status {
		return C.chorale_property_builder_rule(builder, C.int32_t(state), C.int32_t(class), C.int32_t(label), C.int32_t(next), C.chorale_action(action), c.detail)
	})
}

// EndRule adds an end rule: if a sequence ends in `state`, which may be [Any], `action` is taken
// after the last position.
func (b *PropertyBuilder) EndRule(state, action int32) error {
	return b.with(func(c *call, builder *C.chorale_property_builder) C.chorale_status {
		return C.chorale_property_builder_end_rule(builder, C.int32_t(state), C.chorale_action(action), c.detail)
	})
}

// Table sets what FireTable fires at position t: the table's entry t + offset, or outsideValue if
// the table has no such entry (-1: nothing).
func (b *PropertyBuilder) Table(offset, outsideValue int32) error {
	return b.with(func(c *call, builder *C.chorale_property_builder) C.chorale_status {
		return C.chorale_property_builder_table(builder, C.int32_t(offset), C.int32_t(outsideValue), c.detail)
	})
}

// Finish makes a property from the rules added so far. The builder can be used further.
// labelValues: for each label the value that FireLabel fires, -1 for nothing; nil: the label
// itself.
func (b *PropertyBuilder) Finish(labelValues []int32) (*Property, error) {
	var property *C.chorale_property
	err := b.with(func(c *call, builder *C.chorale_property_builder) C.chorale_status {
		if c.check("labelValues", len(labelValues), b.labels); c.err != nil {
			return C.CHORALE_OK
		}
		return C.chorale_property_builder_finish(builder, ints(labelValues), &property, c.detail)
	})
	if err != nil {
		return nil, err
	}
	h := propertyHandle(property)
	h.relate(b.h)
	return (*Property)(h), nil
}

// LabelMap maps labels to kinds, so that B-X and I-X are both of kind X.
type LabelMap struct {
	Labels      int     // m, at least 1
	Kinds       int     // number of kinds, at least 1
	KindOfLabel []int32 // for each label its kind, from 0 to Kinds - 1; nil: each label is its own kind
	Begins      []byte  // a byte for each label, other than 0 if the label begins a segment even after a label of its kind, as B-X does; nil: all 0
}

// NewLabelMap returns the map in which each label is its own kind.
func NewLabelMap(labels int) *LabelMap { return &LabelMap{Labels: labels, Kinds: labels} }

// LabelMapFromNames returns the label map for label names that follow a scheme. Kinds are numbered
// in the order in which they first appear.
func LabelMapFromNames(scheme Scheme, names []string) (*LabelMap, error) {
	c := begin()
	defer c.end()
	addresses, lengths := c.strings(names)
	c.names = map[string]string{"labels": "len(names)"}
	m := &LabelMap{Labels: len(names), KindOfLabel: make([]int32, len(names)), Begins: make([]byte, len(names))}
	var kinds C.int64_t
	if c.failed(C.chorale_label_map_from_names(C.chorale_scheme(scheme), addresses, lengths, C.int64_t(len(names)), ints(m.KindOfLabel), octets(m.Begins), &kinds, c.detail)) {
		return nil, c.err
	}
	m.Kinds = int(kinds)
	return m, nil
}

func (c *call) labelMap(m *LabelMap, ignored []byte) *C.chorale_label_map {
	told := new(C.chorale_label_map)
	told.struct_size = C.sizeof_chorale_label_map
	if m == nil {
		c.fail(refuse(ErrNullArgument, "the label map is nil"))
		return told
	}
	c.check("KindOfLabel", len(m.KindOfLabel), m.Labels)
	c.check("Begins", len(m.Begins), m.Labels)
	c.check("ignored", len(ignored), m.Labels)
	if c.err != nil {
		return told
	}
	told.labels = C.int64_t(m.Labels)
	told.kinds = C.int64_t(m.Kinds)
	told.kind_of_label = (*C.int32_t)(lend(&c.memory, m.KindOfLabel))
	told.begins = (*C.uint8_t)(lend(&c.memory, m.Begins))
	return told
}

func mappedProperty(m *LabelMap, ignored []byte, create func(c *call, m *C.chorale_label_map, property **C.chorale_property) C.chorale_status) (*Property, error) {
	return newProperty(func(c *call, property **C.chorale_property) C.chorale_status {
		told := c.labelMap(m, ignored)
		if c.err != nil {
			return C.CHORALE_OK
		}
		return create(c, told, property)
	})
}

// NewPositionLabel makes a property that fires the kind of the label at the given position. On
// shorter chains it fires nothing.
func NewPositionLabel(m *LabelMap, position int) (*Property, error) {
	return mappedProperty(m, nil, func(c *call, m *C.chorale_label_map, property **C.chorale_property) C.chorale_status {
		return C.chorale_property_create_position_label(nil, m, C.int64_t(position), property, c.detail)
	})
}

// NewTokenLabel makes a property that fires the kind of the label of every position whose table
// entry is `token`.
func NewTokenLabel(m *LabelMap, token int32) (*Property, error) {
	return mappedProperty(m, nil, func(c *call, m *C.chorale_label_map, property **C.chorale_property) C.chorale_status {
		return C.chorale_property_create_token_label(nil, m, C.int32_t(token), property, c.detail)
	})
}

// NewFirstLabel makes a property that fires the kind of the first label that is not ignored.
// ignored: a byte for each label, other than 0 if the property ignores the label; nil: all 0.
func NewFirstLabel(m *LabelMap, ignored []byte) (*Property, error) {
	return mappedProperty(m, ignored, func(c *call, m *C.chorale_label_map, property **C.chorale_property) C.chorale_status {
		return C.chorale_property_create_first_label(nil, m, octets(ignored), property, c.detail)
	})
}

// NewNextLabel makes a property that fires, for every segment of the kind `anchor`, the kind of the
// first label after the segment that is not ignored. If the sequence ends before such a label, it
// fires endValue, or nothing if endValue is -1. ignored: a byte for each label, other than 0 if the
// property ignores the label; nil: all 0.
func NewNextLabel(m *LabelMap, anchor int32, ignored []byte, rule SegmentRule, endValue int32) (*Property, error) {
	return mappedProperty(m, ignored, func(c *call, m *C.chorale_label_map, property **C.chorale_property) C.chorale_status {
		return C.chorale_property_create_next_label(nil, m, C.int32_t(anchor), octets(ignored), C.chorale_segment_rule(rule), C.int32_t(endValue), property, c.detail)
	})
}

// NewTokenBefore makes a property that fires, for every segment of the kind `anchor`, the table
// entry of the position before the segment. If the segment starts at the first position, it fires
// startValue, or nothing if startValue is -1. values: R; table entries are from 0 to R - 1, or -1
// for nothing. ignored: a byte for each label, other than 0 if the property ignores the label; nil:
// all 0.
func NewTokenBefore(m *LabelMap, anchor int32, ignored []byte, rule SegmentRule, values int, startValue int32) (*Property, error) {
	return mappedProperty(m, ignored, func(c *call, m *C.chorale_label_map, property **C.chorale_property) C.chorale_status {
		return C.chorale_property_create_token_before(nil, m, C.int32_t(anchor), octets(ignored), C.chorale_segment_rule(rule), C.int64_t(values), C.int32_t(startValue), property, c.detail)
	})
}

// Dictionary is the subset of a property's values that a clique uses. These values are numbered
// again, from 0 in ascending order. One more number, UNLISTED, may stand for all values outside the
// subset. A dictionary never changes, and any goroutine may use it.
type Dictionary handle

func dictionaryHandle(dictionary *C.chorale_dictionary) *handle {
	return newHandle(unsafe.Pointer(dictionary), func(pointer unsafe.Pointer) {
		C.chorale_dictionary_release((*C.chorale_dictionary)(pointer))
	})
}

// NewDictionary makes a dictionary of values of a property. The values may be in any order, and
// repeated. unlisted: how all other values are treated.
func NewDictionary(values []int32, unlisted Unlisted) (*Dictionary, error) {
	c := begin()
	defer c.end()
	var dictionary *C.chorale_dictionary
	c.names = map[string]string{"count": "len(values)"}
	if c.failed(C.chorale_dictionary_create(nil, ints(values), C.int64_t(len(values)), C.chorale_unlisted(unlisted), &dictionary, c.detail)) {
		return nil, c.err
	}
	h := dictionaryHandle(dictionary)
	return (*Dictionary)(h), nil
}

// Close releases this handle. Models keep the dictionary alive.
func (d *Dictionary) Close() error { return (*handle)(d).close() }

// Values returns the number of values, including UNLISTED: R of a clique with this dictionary; 0 for a
// closed handle.
func (d *Dictionary) Values() int {
	c := begin()
	defer c.end()
	return int(C.chorale_dictionary_values((*C.chorale_dictionary)(c.share((*handle)(d)))))
}

// Find returns the number that a value of the property has in the dictionary. For a value outside
// it returns the number of UNLISTED, or -1 without UNLISTED; for a closed handle -1.
func (d *Dictionary) Find(value int32) int32 {
	c := begin()
	defer c.end()
	dictionary := (*C.chorale_dictionary)(c.share((*handle)(d)))
	if dictionary == nil {
		return -1
	}
	return int32(C.chorale_dictionary_find(dictionary, C.int32_t(value)))
}

// Value returns the value of the property that has the given number in the dictionary; -1 for UNLISTED,
// for a number out of range and for a closed handle.
func (d *Dictionary) Value(number int) int32 {
	c := begin()
	defer c.end()
	dictionary := (*C.chorale_dictionary)(c.share((*handle)(d)))
	if dictionary == nil {
		return -1
	}
	return int32(C.chorale_dictionary_value(dictionary, C.int64_t(number)))
}
