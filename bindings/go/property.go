package chorale

// #include "shim.h"
import "C"

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

// LabelMap maps labels to kinds, so that B-X and I-X are both of kind X. A segment is a longest
// sequence of consecutive labels of one kind.
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
	c.name("labels", "len(names)")
	m := &LabelMap{Labels: len(names), KindOfLabel: make([]int32, len(names)), Begins: make([]byte, len(names))}
	var kinds C.int64_t
	if c.failed(C.chorale_label_map_from_names(C.chorale_scheme(scheme), addresses, lengths, C.int64_t(len(names)), ints(m.KindOfLabel), octets(m.Begins), &kinds, c.detail)) {
		return nil, c.err
	}
	m.Kinds = int(kinds)
	return m, nil
}
