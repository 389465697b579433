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
		told := &C.chorale_automaton{struct_size: C.sizeof_chorale_automaton}
		told.labels = C.int64_t(a.Labels)
		told.classes = C.int64_t(a.Classes)
		told.states = C.int64_t(a.States)
		told.values = C.int64_t(a.Values)
		told.start = C.int32_t(a.Start)
		told.table_offset = C.int32_t(a.TableOffset)
		told.outside_value = C.int32_t(a.OutsideValue)
		told.fires_outside = flag(a.FiresOutside)
		told.next = (*C.int32_t)(lend(c, a.Next))
		told.actions = (*C.int32_t)(lend(c, a.Actions))
		told.end_actions = (*C.int32_t)(lend(c, a.EndActions))
		told.label_values = (*C.int32_t)(lend(c, a.LabelValues))
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
	told := &C.chorale_label_map{struct_size: C.sizeof_chorale_label_map}
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
	told.kind_of_label = (*C.int32_t)(lend(c, m.KindOfLabel))
	told.begins = (*C.uint8_t)(lend(c, m.Begins))
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
