package chorale

// #include "shim.h"
import "C"

import (
	"fmt"
	"unsafe"
)

// ModelBuilder collects chains, trees and cliques for a model. One goroutine at a time may use it.
type ModelBuilder handle

func (b *ModelBuilder) begin() (*call, *C.chorale_model_builder) {
	c := begin()
	return c, (*C.chorale_model_builder)(c.alone(b.handle()))
}

// AddChain adds a chain or tree and returns its number. Its arrays are copied.
func (b *ModelBuilder) AddChain(chain *Chain, options *ChainOptions) (int, error) {
	c, builder := b.begin()
	defer c.end()
	told := c.chain(chain)
	with := c.chainOptionsInC(options)
	if options != nil && options.Tokens != nil && c.err == nil {
		c.present("options.Tokens", len(options.Tokens), chain.Length)
		with.tokens = c.tokens(options.Tokens)
	}
	if c.err != nil {
		return 0, c.err
	}
	var index C.int64_t
	if c.failed(C.chorale_model_builder_add_chain(builder, told, with, &index, c.detail)) {
		return 0, c.err
	}
	b.lengths = append(b.lengths, chain.Length)
	return int(index), nil
}

// CliqueSetup describes a clique that is to be added. With a Property it is a property clique,
// whose members are whole chains. Otherwise it is a position clique, which may have a centre.
type CliqueSetup struct {
	Property *Property // the property whose value is the value of a member; nil: a position clique
	// Values is R of a position clique. LabelValues holds the value of each label, from 0 to Values -
	// 1, or -1 for EMPTY (no value); nil: each label is its own value.
	Values      int
	LabelValues []int32
	Potential   *Potential // over R values, or over R + 2 values: the last two are then EMPTY and CONFLICT
	// CentrePotentials replace Potential in a centred clique: one for each value of the centre.
	CentrePotentials  []*Potential
	CentreLabelValues []int32 // for each label of the centre's position the value of the centre; nil: each label is its own value
}

// AddCliques adds `count` cliques without members, all with the same setup. It returns the number
// of the first clique, from which the cliques are numbered in order. After an error no clique has
// been added.
func (b *ModelBuilder) AddCliques(setup *CliqueSetup, count int) (first int, _ error) {
	c, builder := b.begin()
	defer c.end()
	told := c.cliqueSetup(setup)
	if c.err != nil {
		return 0, c.err
	}
	var from C.int64_t
	if c.failed(C.chorale_model_builder_add_cliques(builder, told, C.int64_t(count), &from, c.detail)) {
		return 0, c.err
	}
	// Runs over the model report the panics and errors of the callbacks of its potentials.
	b.handle().relate(setup.Potential.handle())
	for _, potential := range setup.CentrePotentials {
		b.handle().relate(potential.handle())
	}
	return int(from), nil
}

func (c *call) cliqueSetup(setup *CliqueSetup) *C.chorale_clique_setup {
	if setup == nil {
		c.fail(refuse(ErrNullArgument, "setup is nil"))
		return nil
	}
	told := c.cliqueSetupInC(setup)
	told.labels = C.int64_t(len(setup.LabelValues))
	told.centre_labels = C.int64_t(len(setup.CentreLabelValues))
	potentials := make([]unsafe.Pointer, len(setup.CentrePotentials))
	for i, potential := range setup.CentrePotentials {
		potentials[i] = c.share(potential.handle())
	}
	told.centre_potentials = (**C.chorale_potential)(lend(c, potentials))
	told.centre_values = C.int64_t(len(potentials))
	return told
}

// Members are members of one clique, or of several consecutive cliques, for
// [ModelBuilder.AddMembers]; nil means the zero value.
type Members struct {
	// Offsets has one element more than there are cliques: clique first + i gets the members
	// Offsets[i] to Offsets[i + 1] - 1 of the slices below, in this order. nil: all go to one clique.
	Offsets []int64
	Chains  []int64 // by member: the number of a chain
	// Positions holds, by member, a position of its chain, or -1 for the whole chain. nil: whole
	// chains in property cliques, position 0 in others, as for chains of one position.
	Positions []int64
	// Weights holds, by member, how often it counts in the potential, at least 1. The count of a value
	// is then the sum of the weights of the members with this value, and the sum of all weights takes
	// the place of the number of members. The members' scores do not change. All members of a clique
	// with a weight above 1 must be added in one call. nil: every member counts once.
	Weights []int64
	// CentreChains and CentrePositions hold, by clique, the chain and position of its centre, which
	// replaces one that it had. CentreChains nil: no centre is set; CentrePositions nil: all 0.
	CentreChains, CentrePositions []int64
	Classes                       [][]int32 // by member: the class of each position of its chain; nil: all 0
	Tables                        [][]int32 // by member: the table entry of each position; nil: the tokens of the chain
}

// AddMembers adds members to the cliques first, first + 1 and so on: positions to position cliques, and
// whole chains to property cliques. After an error
// nothing has been added. Errors include [ErrDuplicateMember], [ErrKind] (a position for a property
// clique, a whole chain for another), [ErrWeights] (a weight above 1 in a centred clique, or with a
// potential other than a SUM with convex tables) and [ErrShape].
func (b *ModelBuilder) AddMembers(first int, members *Members) error {
	c, builder := b.begin()
	defer c.end()
	if members == nil {
		c.fail(refuse(ErrNullArgument, "members is nil"))
	}
	if c.err != nil {
		return c.err
	}
	entries := len(members.Chains)
	offsets := c.parts("Offsets", members.Offsets, entries)
	cliques := len(offsets) - 1
	c.exact("Positions", members.Positions, entries)
	c.exact("Weights", members.Weights, entries)
	c.exact("CentreChains", members.CentreChains, cliques)
	c.exact("CentrePositions", members.CentrePositions, cliques)
	told := c.membersInC(members)
	told.first, told.cliques = C.int64_t(first), C.int64_t(cliques)
	told.offsets = (*C.int64_t)(lend(c, offsets))
	told.classes = (**C.int32_t)(b.arrays(c, "Classes", members.Classes, members.Chains))
	told.tables = (**C.int32_t)(b.arrays(c, "Tables", members.Tables, members.Chains))
	if c.err != nil {
		return c.err
	}
	c.failed(C.chorale_model_builder_add_members(builder, told, c.detail))
	return c.err
}

// exact refuses a slice that is given and has not exactly `needed` elements.
func (c *call) exact(name string, slice []int64, needed int) {
	if slice != nil && len(slice) != needed {
		c.fail(refuse(ErrShape, "%s has %d elements; it must have %d", name, len(slice), needed))
	}
}

// arrays lends a slice for each member, as long as its chain, and returns an array of their
// addresses. It leaves out those of chains that do not exist, which the library refuses.
func (b *ModelBuilder) arrays(c *call, name string, slices [][]int32, chains []int64) unsafe.Pointer {
	if slices == nil {
		return nil
	}
	c.check(name, len(slices), len(chains))
	if c.err != nil || len(slices) == 0 {
		return nil
	}
	addresses := make([]unsafe.Pointer, len(slices))
	for i, slice := range slices {
		if chain := chains[i]; chain >= 0 && chain < int64(len(b.lengths)) {
			c.check(fmt.Sprintf("%s[%d]", name, i), len(slice), b.lengths[chain])
			addresses[i] = lend(c, slice)
		}
	}
	return lend(c, addresses)
}

// Model is a frozen model of chains and cliques. It never changes, and any goroutine may use it.
type Model handle

func (m *Model) begin() (*call, *C.chorale_model) {
	c := begin()
	return c, (*C.chorale_model)(c.share(m.handle()))
}

// LabellingScore holds the scores of a labelling under a model. A score is minus infinity where the
// labelling is forbidden.
type LabellingScore struct {
	Score        float64   // the sum of all chain and clique scores
	ChainScores  []float64 // score of each chain, without cliques
	CliqueScores []float64 // potential of each clique
}

// Score computes the score of any labelling, such as gold labels. labels: the label of every
// position, chain after chain.
func (m *Model) Score(labels []int32) (LabellingScore, error) {
	c, model := m.begin()
	defer c.end()
	if c.err != nil {
		return LabellingScore{}, c.err
	}
	chains := make([]float64, int(C.chorale_model_chain_count(model)))
	cliques := make([]float64, int(C.chorale_model_clique_count(model)))
	var score C.double
	if c.failed(C.chorale_model_score(nil, model, ints(labels), C.int64_t(len(labels)), &score, doubles(chains), doubles(cliques), c.detail)) {
		return LabellingScore{}, c.err
	}
	return LabellingScore{float64(score), chains, cliques}, nil
}

// ChainCount returns the number of chains and trees; 0 for a closed handle.
func (m *Model) ChainCount() int {
	c, model := m.begin()
	defer c.end()
	return int(C.chorale_model_chain_count(model))
}

// CliqueCount returns the number of cliques; 0 for a closed handle.
func (m *Model) CliqueCount() int {
	c, model := m.begin()
	defer c.end()
	return int(C.chorale_model_clique_count(model))
}

// ChainLengths returns the number of positions of every chain.
func (m *Model) ChainLengths() []int {
	c, model := m.begin()
	defer c.end()
	return lengthsOf(model)
}

func lengthsOf(model *C.chorale_model) (lengths []int) {
	told := C.chorale_chain{struct_size: C.sizeof_chorale_chain}
	for i := C.int64_t(0); i < C.chorale_model_chain_count(model); i++ {
		C.chorale_model_get_chain(model, i, &told, nil, nil)
		lengths = append(lengths, int(told.length))
	}
	return lengths
}

// Member is one member of a clique.
type Member struct {
	Chain    int   // number of the chain
	Position int   // position within the chain; -1: the member is the whole chain
	Weight   int64 // how often the member counts in the potential
}

// Members returns the members of one clique in the order of adding; a centre comes last. If there
// is no such clique, the error is [ErrOutOfRange].
func (m *Model) Members(clique int) ([]Member, error) {
	c, model := m.begin()
	defer c.end()
	if c.err != nil {
		return nil, c.err
	}
	var needed C.int64_t
	if c.failed(C.chorale_model_get_members(model, C.int64_t(clique), nil, nil, nil, 0, &needed, c.detail)) {
		return nil, c.err
	}
	chains, positions, weights := make([]int64, needed), make([]int64, needed), make([]int64, needed)
	if needed > 0 && c.failed(C.chorale_model_get_members(model, C.int64_t(clique), longs(chains), longs(positions), longs(weights), needed, nil, c.detail)) {
		return nil, c.err
	}
	members := make([]Member, needed)
	for i := range members {
		members[i] = Member{int(chains[i]), int(positions[i]), weights[i]}
	}
	return members, nil
}

func copied[T any](memory unsafe.Pointer, count int) []T {
	if memory == nil || count == 0 {
		return nil
	}
	return append([]T(nil), unsafe.Slice((*T)(memory), count)...)
}

func copiedScores(element C.chorale_element, memory unsafe.Pointer, count int) Scores {
	switch {
	case memory == nil:
		return nil
	case element == C.CHORALE_FLOAT32:
		return Float32s(copied[float32](memory, count))
	}
	return Float64s(copied[float64](memory, count))
}

// Chain returns copies of the arrays and options of a chain. Chain.Transitions is a new handle,
// which the caller closes.
func (m *Model) Chain(number int) (*Chain, *ChainOptions, error) {
	c, model := m.begin()
	defer c.end()
	if c.err != nil {
		return nil, nil, c.err
	}
	told := &C.chorale_chain{struct_size: C.sizeof_chorale_chain}
	with := &C.chorale_chain_options{struct_size: C.sizeof_chorale_chain_options}
	if c.failed(C.chorale_model_get_chain(model, C.int64_t(number), told, with, c.detail)) {
		return nil, nil, c.err
	}
	length, labels := int(told.length), int(told.labels)
	chain := &Chain{Length: length, Labels: labels, Orientation: Orientation(told.orientation)}
	if told.transitions != nil {
		chain.Transitions = newTransitions(C.chorale_transitions_retain(told.transitions), m.handle())
	}
	// A model has copies of all arrays, without gaps.
	chain.Unary = copiedScores(told.element, told.unary, length*labels)
	chain.Edges = copiedScores(told.element, told.edges, int(told.edge_matrices)*labels*labels)
	chain.Start = copiedScores(told.element, told.start, labels)
	chain.End = copiedScores(told.element, told.end, labels)
	chain.Parents = copied[int32](unsafe.Pointer(told.parents), length)
	chain.Forced = copied[int32](unsafe.Pointer(told.forced), length)
	chain.Allowed = copied[byte](unsafe.Pointer(told.allowed), length*labels)
	return chain, &ChainOptions{Group: int64(with.group), Tokens: copied[int32](unsafe.Pointer(with.tokens), length)}, nil
}
