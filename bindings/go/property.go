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

// Property is a function that maps the labelling of a chain to one value. It never changes, and any
// goroutine may use it.
type Property handle

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
