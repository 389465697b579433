package chorale

// #include "shim.h"
import "C"

import (
	"fmt"
	"runtime"
	"runtime/cgo"
	"unsafe"
)

// The words of this file. A clique is a group of members, each of which has one of R values. The
// potential of a clique is a function of the counts, the numbers of members with each value.
// Members of a position clique are positions; the value of a member is its label, or a value
// assigned to this label. A position clique may be centred: one more position, the centre, selects
// the potential by its value. Members of a property clique are whole chains; the value of a member
// is the value of a [Property]. In arrays R stands for EMPTY (the member has no value), and R + 1
// for CONFLICT (it has several different values).

// Instance is a model of the caller that takes the place of a chain, such as a semi-Markov model or
// a clique tree. It computes messages and decodes by its own methods. Its memberships in cliques
// are numbered from 0 in the order of adding; a message has one score for each value of the
// clique. The slices passed to the methods are valid only until the method returns. A run makes at
// most one call on an instance at a time, but several runs of the model may make calls at the same
// time.
type Instance interface {
	// Shape returns the number of labels in a decoded labelling, and the number of different labels:
	// each label is from 0 to labels - 1. The results must always be the same.
	Shape() (length, labels int)
	// Messages computes the messages of the instance: it writes to outgoing[p][v] the maximum, over
	// the labellings in which membership p has value v, of the labelling's own score plus the sum of
	// incoming[q][value of q] over all other memberships q. Entries that are not written remain minus
	// infinity.
	Messages(incoming, outgoing [][]float64) error
	// Decode finds the labelling for which its own score plus the sum of incoming[p][value of p]
	// over all memberships p is greatest. It writes the labels to labelling and the value of each
	// membership to values, and returns the labelling's own score. If every labelling is forbidden,
	// it returns minus infinity.
	Decode(incoming [][]float64, labelling, values []int32) (score float64, err error)
}

// ModelBuilder collects chains, trees and cliques for a model. One goroutine at a time may use it.
type ModelBuilder struct {
	h       *handle
	lengths []int // number of positions of each chain; -1 for an instance
}

func (b *ModelBuilder) handle() *handle {
	if b == nil {
		return nil
	}
	return b.h
}

// NewModelBuilder makes a builder without chains and cliques.
func NewModelBuilder(host *Host) (*ModelBuilder, error) {
	c := begin()
	defer c.end()
	in := c.host(host)
	if c.err != nil {
		return nil, c.err
	}
	var builder *C.chorale_model_builder
	if c.failed(C.chorale_model_builder_create(in, &builder, c.detail)) {
		return nil, c.err
	}
	h := newHandle(unsafe.Pointer(builder), func(pointer unsafe.Pointer) {
		C.chorale_model_builder_destroy((*C.chorale_model_builder)(pointer))
	})
	h.relate((*handle)(host))
	return &ModelBuilder{h: h}, nil
}

// Close frees the builder. A model made from it remains valid.
func (b *ModelBuilder) Close() error { return b.handle().close() }

func (b *ModelBuilder) begin() (*call, *C.chorale_model_builder) {
	c := begin()
	return c, (*C.chorale_model_builder)(c.alone(b.handle()))
}

// ChainOptions are what a model stores of a chain besides its scores; nil means the zero value.
type ChainOptions struct {
	Group  int64   // number of the document that the chain belongs to; by default, AddRepeatedWords makes separate cliques for each document
	Tokens []int32 // for each position a token id of at least 0, or -1 for none; nil: the chain has no tokens
}

// AddChain adds a chain or tree and returns its number. Its arrays are copied.
func (b *ModelBuilder) AddChain(chain *Chain, options *ChainOptions) (int, error) {
	c, builder := b.begin()
	defer c.end()
	told := c.chain(chain, &c.memory)
	with := new(C.chorale_chain_options)
	with.struct_size = C.sizeof_chorale_chain_options
	if options != nil && c.err == nil {
		if options.Tokens != nil {
			c.present("options.Tokens", len(options.Tokens), chain.Length)
		}
		with.group = C.int64_t(options.Group)
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

// holdInstance owns `user`, the cgo.Handle of an instance's callbacks. Its finalizer drops the
// callbacks when no builder, model or run refers to the holdInstance any more.
type holdInstance struct {
	told *instance
	user cgo.Handle
}

// AddInstance adds an instance and returns its number. Chains and instances are numbered together.
func (b *ModelBuilder) AddInstance(given Instance) (int, error) {
	if given == nil {
		return 0, refuse(ErrNullArgument, "the instance is nil")
	}
	length, labels := given.Shape()
	c, builder := b.begin()
	defer c.end()
	if c.err != nil {
		return 0, c.err
	}
	told := &instance{given: given, length: length}
	user := newCallback(told)
	var index C.int64_t
	if c.failed(C.chorale_go_add_instance(builder, C.int64_t(length), C.int64_t(labels), C.uintptr_t(user), &index, c.detail)) {
		dropCallback(user)
		return 0, c.err
	}
	b.lengths = append(b.lengths, -1)
	hold := &holdInstance{told, user}
	runtime.SetFinalizer(hold, func(hold *holdInstance) { dropCallback(hold.user) })
	b.handle().keep = append(b.handle().keep, hold)
	b.handle().watching = append(b.handle().watching, &told.failures)
	return int(index), nil
}

// CliqueSetup describes a clique that is to be added. With a Property it is a property clique,
// whose members are whole chains. Otherwise it is a position clique, which may have a centre.
type CliqueSetup struct {
	Property   *Property   // the property whose value is the value of a member; nil: a position clique
	Dictionary *Dictionary // the subset of the property's values that the clique uses; nil: all values
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
	b.watch(append([]*Potential{setup.Potential}, setup.CentrePotentials...))
	return int(from), nil
}

func (c *call) cliqueSetup(setup *CliqueSetup) *C.chorale_clique_setup {
	told := new(C.chorale_clique_setup)
	told.struct_size = C.sizeof_chorale_clique_setup
	if setup == nil {
		c.fail(refuse(ErrNullArgument, "setup is nil"))
		return told
	}
	told.property = (*C.chorale_property)(c.optional((*handle)(setup.Property)))
	told.dictionary = (*C.chorale_dictionary)(c.optional((*handle)(setup.Dictionary)))
	told.potential = (*C.chorale_potential)(c.optional((*handle)(setup.Potential)))
	told.values = C.int64_t(setup.Values)
	if count := len(setup.CentrePotentials); count > 0 {
		block := c.memory.allocate(count * int(unsafe.Sizeof(uintptr(0))))
		for i, potential := range setup.CentrePotentials {
			unsafe.Slice((*unsafe.Pointer)(block), count)[i] = c.share((*handle)(potential))
		}
		told.centre_potentials = (**C.chorale_potential)(block)
		told.centre_values = C.int64_t(count)
	}
	if c.err != nil {
		return told
	}
	told.label_values = (*C.int32_t)(lend(&c.memory, setup.LabelValues))
	told.labels = C.int64_t(len(setup.LabelValues))
	told.centre_label_values = (*C.int32_t)(lend(&c.memory, setup.CentreLabelValues))
	told.centre_labels = C.int64_t(len(setup.CentreLabelValues))
	return told
}

// watch remembers where callback potentials store their panics and errors, so that runs over the
// model report them.
func (b *ModelBuilder) watch(potentials []*Potential) {
	for _, potential := range potentials {
		if potential == nil {
			continue
		}
	next:
		for _, told := range potential.watching {
			for _, known := range b.handle().watching {
				if known == told {
					continue next
				}
			}
			b.handle().watching = append(b.handle().watching, told)
		}
	}
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

// AddMembers adds members to the cliques first, first + 1 and so on: positions to position cliques,
// whole chains to property cliques, and instances to any clique without a centre. After an error
// nothing has been added. Errors include [ErrDuplicateMember], [ErrKind] (a position for a property
// clique, a whole chain for another), [ErrWeights] (a weight above 1 in a centred clique, or with a
// potential other than a FamilySum with convex tables) and [ErrShape].
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
	told := new(C.chorale_members)
	told.struct_size = C.sizeof_chorale_members
	told.classes = (**C.int32_t)(b.arrays(c, "Classes", members.Classes, members.Chains))
	told.tables = (**C.int32_t)(b.arrays(c, "Tables", members.Tables, members.Chains))
	if c.err != nil {
		return c.err
	}
	told.first = C.int64_t(first)
	told.cliques = C.int64_t(len(offsets) - 1)
	for _, field := range []struct {
		to    **C.int64_t
		name  string
		slice []int64
		size  int
	}{
		{&told.offsets, "Offsets", offsets, len(offsets)},
		{&told.chains, "Chains", members.Chains, entries},
		{&told.positions, "Positions", members.Positions, entries},
		{&told.weights, "Weights", members.Weights, entries},
		{&told.centre_chains, "CentreChains", members.CentreChains, len(offsets) - 1},
		{&told.centre_positions, "CentrePositions", members.CentrePositions, len(offsets) - 1},
	} {
		if field.slice != nil && len(field.slice) != field.size {
			c.fail(refuse(ErrShape, "%s has %d elements; it must have %d", field.name, len(field.slice), field.size))
			return c.err
		}
		*field.to = (*C.int64_t)(lend(&c.memory, field.slice))
	}
	c.failed(C.chorale_model_builder_add_members(builder, told, c.detail))
	return c.err
}

// arrays lends a slice for each member, as long as its chain, and returns an array of their
// addresses. It leaves out those of instances, and of chains that do not exist, which the library
// refuses.
func (b *ModelBuilder) arrays(c *call, name string, slices [][]int32, chains []int64) unsafe.Pointer {
	if slices == nil {
		return nil
	}
	c.check(name, len(slices), len(chains))
	if c.err != nil || len(slices) == 0 {
		return nil
	}
	block := c.memory.allocate(len(slices) * int(unsafe.Sizeof(uintptr(0))))
	addresses := unsafe.Slice((*unsafe.Pointer)(block), len(slices))
	for i, slice := range slices {
		addresses[i] = nil
		if chain := chains[i]; chain >= 0 && chain < int64(len(b.lengths)) && b.lengths[chain] >= 0 {
			c.check(fmt.Sprintf("%s[%d]", name, i), len(slice), b.lengths[chain])
			addresses[i] = lend(&c.memory, slice)
		}
	}
	return block
}

// RepeatedWords are the options of [ModelBuilder.AddRepeatedWords]. They are made by
// [NewRepeatedWords].
type RepeatedWords struct {
	Minimum     int     // how often a token must occur to get a clique, at least 1; 2 by default
	Across      bool    // whether a clique contains the occurrences in all groups of chains; false: each group has its own clique
	Stop        []int32 // token ids that get no clique
	LabelValues []int32 // value of each label, from 0 to Values - 1, or -1 for EMPTY; nil: each label is its own value
	Values      int     // R, if LabelValues is given
}

// NewRepeatedWords returns the default options, which also apply where the options are nil.
func NewRepeatedWords() *RepeatedWords {
	return &RepeatedWords{Minimum: 2}
}

// AddRepeatedWords adds a position clique for every token that occurs at least options.Minimum
// times in a group of chains, or in all groups together if options.Across is true. The members of
// the clique are all these occurrences. AddRepeatedWords returns the number of the first clique,
// and how many cliques there are.
func (b *ModelBuilder) AddRepeatedWords(potential *Potential, options *RepeatedWords) (clique, count int, _ error) {
	if options == nil {
		options = NewRepeatedWords()
	}
	c, builder := b.begin()
	defer c.end()
	p := (*C.chorale_potential)(c.share((*handle)(potential)))
	if c.err != nil {
		return 0, 0, c.err
	}
	told := new(C.chorale_repeated_words_options)
	told.struct_size = C.sizeof_chorale_repeated_words_options
	c.least("options.Minimum", options.Minimum, 1)
	told.minimum = C.int64_t(options.Minimum)
	told.across = flag(options.Across)
	told.stop = (*C.int32_t)(lend(&c.memory, options.Stop))
	told.stop_count = C.int64_t(len(options.Stop))
	told.label_values = (*C.int32_t)(lend(&c.memory, options.LabelValues))
	told.labels = C.int64_t(len(options.LabelValues))
	told.values = C.int64_t(options.Values)
	var from, many C.int64_t
	if c.failed(C.chorale_model_builder_add_repeated_words(builder, p, told, &from, &many, c.detail)) {
		return 0, 0, c.err
	}
	b.watch([]*Potential{potential})
	return int(from), int(many), nil
}

// Freeze makes a model of the chains and cliques. Afterwards the builder can only be closed.
func (b *ModelBuilder) Freeze() (*Model, error) {
	c, builder := b.begin()
	defer c.end()
	if c.err != nil {
		return nil, c.err
	}
	var model *C.chorale_model
	if c.failed(C.chorale_model_builder_freeze(builder, &model, c.detail)) {
		return nil, c.err
	}
	return newModel(model, b.handle()), nil
}

// Model is a frozen model of chains and cliques. It never changes, and any goroutine may use it.
type Model handle

func newModel(model *C.chorale_model, from ...*handle) *Model {
	h := newHandle(unsafe.Pointer(model), func(pointer unsafe.Pointer) {
		C.chorale_model_release((*C.chorale_model)(pointer))
	})
	h.relate(from...)
	return (*Model)(h)
}

// Clone returns a second handle of the same model. Each handle is closed separately.
func (m *Model) Clone() (*Model, error) {
	c, model := m.begin()
	defer c.end()
	if c.err != nil {
		return nil, c.err
	}
	return newModel(C.chorale_model_retain(model), (*handle)(m)), nil
}

// Close releases this handle. Runs and problems keep the model alive.
func (m *Model) Close() error { return (*handle)(m).close() }

func (m *Model) begin() (*call, *C.chorale_model) {
	c := begin()
	return c, (*C.chorale_model)(c.share((*handle)(m)))
}

// LabellingScore holds the scores of a labelling under a model. A score is minus infinity where the
// labelling is forbidden.
type LabellingScore struct {
	Score        float64   // the sum of all chain and clique scores
	ChainScores  []float64 // score of each chain, without cliques
	CliqueScores []float64 // potential of each clique
}

// Score computes the score of any labelling, such as gold labels. labels: the label of every
// position, chain after chain. If the model has an [Instance], the error is [ErrKind].
func (m *Model) Score(labels []int32, host *Host) (LabellingScore, error) {
	c, model := m.begin()
	defer c.end()
	in := c.host(host)
	if c.err != nil {
		return LabellingScore{}, c.err
	}
	chains := make([]float64, int(C.chorale_model_chain_count(model)))
	cliques := make([]float64, int(C.chorale_model_clique_count(model)))
	var score C.double
	if c.failed(C.chorale_model_score(in, model, ints(labels), C.int64_t(len(labels)), &score, doubles(chains), doubles(cliques), c.detail)) {
		return LabellingScore{}, c.err
	}
	return LabellingScore{float64(score), chains, cliques}, nil
}

func (m *Model) size(of func(*C.chorale_model) C.int64_t) int {
	c, model := m.begin()
	defer c.end()
	if model == nil {
		return 0
	}
	return int(of(model))
}

// ChainCount returns the number of chains, trees and instances. Like all sizes below, it is 0 for a
// closed handle.
func (m *Model) ChainCount() int {
	return m.size(func(m *C.chorale_model) C.int64_t { return C.chorale_model_chain_count(m) })
}

// CliqueCount returns the number of cliques.
func (m *Model) CliqueCount() int {
	return m.size(func(m *C.chorale_model) C.int64_t { return C.chorale_model_clique_count(m) })
}

// MemberCount returns the number of members of all cliques together.
func (m *Model) MemberCount() int {
	return m.size(func(m *C.chorale_model) C.int64_t { return C.chorale_model_member_count(m) })
}

// ChainLength returns the number of positions of a chain; 0 if there is no such chain.
func (m *Model) ChainLength(chain int) int {
	return m.size(func(m *C.chorale_model) C.int64_t { return C.chorale_model_chain_length(m, C.int64_t(chain)) })
}

// CliqueMemberCount returns the number of members of a clique, including its centre; 0 if there is
// no such clique.
func (m *Model) CliqueMemberCount(clique int) int {
	return m.size(func(m *C.chorale_model) C.int64_t { return C.chorale_model_clique_member_count(m, C.int64_t(clique)) })
}

// CliqueValues returns R, the number of values of a clique, without EMPTY and CONFLICT; 0 if there
// is no such clique.
func (m *Model) CliqueValues(clique int) int {
	return m.size(func(m *C.chorale_model) C.int64_t { return C.chorale_model_clique_values(m, C.int64_t(clique)) })
}

// CliqueMessageSize returns the number of scores in a message between a clique and a member: R + 2
// with EMPTY and CONFLICT, R if no member can be EMPTY or CONFLICT, and 0 if there is no such
// clique.
func (m *Model) CliqueMessageSize(clique int) int {
	return m.size(func(m *C.chorale_model) C.int64_t { return C.chorale_model_clique_message_size(m, C.int64_t(clique)) })
}

// CliqueCentreValues returns the number of values of the centre of a clique; 0 if the clique has no
// centre.
func (m *Model) CliqueCentreValues(clique int) int {
	return m.size(func(m *C.chorale_model) C.int64_t {
		return C.chorale_model_clique_centre_values(m, C.int64_t(clique))
	})
}

// Bytes returns the number of bytes that the model has allocated, including its copies of scores.
func (m *Model) Bytes() int {
	return m.size(func(m *C.chorale_model) C.int64_t { return C.int64_t(C.chorale_model_bytes(m)) })
}

// ChainLengths returns the number of positions of every chain.
func (m *Model) ChainLengths() []int {
	c, model := m.begin()
	defer c.end()
	if model == nil {
		return nil
	}
	lengths := make([]int64, C.chorale_model_chain_count(model))
	C.chorale_go_chain_lengths(model, longs(lengths))
	return narrow(lengths)
}

// MemberCounts returns the number of members of every clique.
func (m *Model) MemberCounts() []int {
	c, model := m.begin()
	defer c.end()
	if model == nil {
		return nil
	}
	counts := make([]int64, C.chorale_model_clique_count(model))
	C.chorale_go_member_counts(model, longs(counts))
	return narrow(counts)
}

// Member is one member of a clique.
type Member struct {
	Chain    int // number of the chain, or of the instance
	Position int // position within the chain; -1: the member is the whole chain, or an instance
}

// refuseClique returns the error ErrOutOfRange if the model has no clique with this number.
func refuseClique(model *C.chorale_model, clique int) error {
	if count := int(C.chorale_model_clique_count(model)); clique < 0 || clique >= count {
		return refuse(ErrOutOfRange, "clique is %d; the model has %d cliques", clique, count)
	}
	return nil
}

// Members returns the members of one clique in the order of adding; a centre comes last. If there
// is no such clique, the error is [ErrOutOfRange].
func (m *Model) Members(clique int) ([]Member, error) {
	c, model := m.begin()
	defer c.end()
	if c.err == nil {
		c.err = refuseClique(model, clique)
	}
	if c.err != nil {
		return nil, c.err
	}
	return c.members(model, clique, 1, int(C.chorale_model_clique_member_count(model, C.int64_t(clique)))), c.err
}

// MemberWeights returns how often each member of a clique counts in its potential, in the order of
// [Model.Members]. If there is no such clique, the error is [ErrOutOfRange].
func (m *Model) MemberWeights(clique int) ([]int64, error) {
	c, model := m.begin()
	defer c.end()
	if c.err == nil {
		c.err = refuseClique(model, clique)
	}
	if c.err != nil {
		return nil, c.err
	}
	weights := make([]int64, int(C.chorale_model_clique_member_count(model, C.int64_t(clique))))
	if c.failed(C.chorale_model_get_members(model, C.int64_t(clique), nil, nil, longs(weights), C.int64_t(len(weights)), nil, c.detail)) {
		return nil, c.err
	}
	return weights, nil
}

// AllMembers returns the members of all cliques: row i is what [Model.Members] returns for clique
// i.
func (m *Model) AllMembers() ([][]Member, error) {
	c, model := m.begin()
	defer c.end()
	if c.err != nil {
		return nil, c.err
	}
	counts := m.MemberCounts()
	all := c.members(model, 0, len(counts), int(C.chorale_model_member_count(model)))
	if c.err != nil {
		return nil, c.err
	}
	return cut(all, counts), nil
}

// members returns the members of the cliques first to first + count - 1, `total` in all.
func (c *call) members(model *C.chorale_model, first, count, total int) []Member {
	chains, positions := make([]int64, total), make([]int64, total)
	if c.failed(C.chorale_go_members(model, C.int64_t(first), C.int64_t(count), longs(chains), longs(positions), c.detail)) {
		return nil
	}
	members := make([]Member, total)
	for i := range members {
		members[i] = Member{int(chains[i]), int(positions[i])}
	}
	return members
}

// CliquePotential returns the potential of a clique, as a new handle, which the caller closes. The
// potential is over R or R + 2 values, like the one that the clique was added with. For a centred
// clique, and if there is no such clique, the result is nil without an error.
func (m *Model) CliquePotential(clique int) (*Potential, error) {
	return m.potential(func(model *C.chorale_model) *C.chorale_potential {
		return C.chorale_model_clique_potential(model, C.int64_t(clique))
	})
}

// CliqueCentrePotential returns the potential of a centred clique for one value of its centre, in
// the form that [Model.CliquePotential] describes. If there is no such potential, the result is nil
// without an error.
func (m *Model) CliqueCentrePotential(clique, value int) (*Potential, error) {
	return m.potential(func(model *C.chorale_model) *C.chorale_potential {
		return C.chorale_model_clique_centre_potential(model, C.int64_t(clique), C.int64_t(value))
	})
}

func (m *Model) potential(of func(*C.chorale_model) *C.chorale_potential) (*Potential, error) {
	c, model := m.begin()
	defer c.end()
	if c.err != nil {
		return nil, c.err
	}
	potential := of(model)
	if potential == nil {
		return nil, nil
	}
	h := potentialHandle(C.chorale_potential_retain(potential))
	h.relate((*handle)(m)) // keeps the potential's callback alive, and lets calls on the new handle report its panics and errors
	return (*Potential)(h), nil
}

// CliqueProperty returns the property of a clique as a new handle, which the caller closes. For a
// position clique, and if there is no such clique, the result is nil without an error.
func (m *Model) CliqueProperty(clique int) (*Property, error) {
	c, model := m.begin()
	defer c.end()
	if c.err != nil {
		return nil, c.err
	}
	property := C.chorale_model_clique_property(model, C.int64_t(clique))
	if property == nil {
		return nil, nil
	}
	h := propertyHandle(C.chorale_property_retain(property))
	h.relate((*handle)(m))
	return (*Property)(h), nil
}

// CliqueDictionary returns the dictionary of a clique as a new handle, which the caller closes. If
// the clique has none, and if there is no such clique, the result is nil without an error.
func (m *Model) CliqueDictionary(clique int) (*Dictionary, error) {
	c, model := m.begin()
	defer c.end()
	if c.err != nil {
		return nil, c.err
	}
	dictionary := C.chorale_model_clique_dictionary(model, C.int64_t(clique))
	if dictionary == nil {
		return nil, nil
	}
	h := dictionaryHandle(C.chorale_dictionary_retain(dictionary))
	h.relate((*handle)(m))
	return (*Dictionary)(h), nil
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

// chainLabels returns the number of labels of a chain.
func (m *Model) chainLabels(number int) (int, error) {
	c, model := m.begin()
	defer c.end()
	if c.err != nil {
		return 0, c.err
	}
	told := new(C.chorale_chain)
	told.struct_size = C.sizeof_chorale_chain
	if c.failed(C.chorale_model_get_chain(model, C.int64_t(number), told, nil, c.detail)) {
		return 0, c.err
	}
	return int(told.labels), nil
}

// Chain returns copies of the arrays and options of a chain. Chain.Transitions is a new handle,
// which the caller closes.
func (m *Model) Chain(number int) (*Chain, *ChainOptions, error) {
	c, model := m.begin()
	defer c.end()
	if c.err != nil {
		return nil, nil, c.err
	}
	told, with := new(C.chorale_chain), new(C.chorale_chain_options)
	told.struct_size = C.sizeof_chorale_chain
	with.struct_size = C.sizeof_chorale_chain_options
	if c.failed(C.chorale_model_get_chain(model, C.int64_t(number), told, with, c.detail)) {
		return nil, nil, c.err
	}
	length, labels := int(told.length), int(told.labels)
	chain := &Chain{
		Length: length, Labels: labels, Orientation: Orientation(told.orientation),
		UnaryRowStride: int(told.unary_row_stride), UnaryColumnStride: int(told.unary_column_stride),
		EdgeMatrices: int(told.edge_matrices), EdgeMatrixStride: int(told.edge_matrix_stride),
		EdgeRowStride: int(told.edge_row_stride), EdgeColumnStride: int(told.edge_column_stride),
		AllowedRowStride: int(told.allowed_row_stride),
	}
	if told.transitions != nil {
		h := transitionsHandle(C.chorale_transitions_retain(told.transitions))
		h.relate((*handle)(m))
		chain.Transitions = (*Transitions)(h)
	}
	row, column := c.matrix("chain.Unary", labels, chain.UnaryRowStride, chain.UnaryColumnStride)
	chain.Unary = copiedScores(told.element, told.unary, extent([]int{length, labels}, []int{row, column}))
	row, column = c.matrix("chain.Edges", labels, chain.EdgeRowStride, chain.EdgeColumnStride)
	gap := chain.EdgeMatrixStride
	if gap == 0 {
		gap = labels * row
	}
	chain.Edges = copiedScores(told.element, told.edges, extent([]int{chain.EdgeMatrices, labels, labels}, []int{gap, row, column}))
	chain.Start = copiedScores(told.element, told.start, labels)
	chain.End = copiedScores(told.element, told.end, labels)
	chain.Parents = copied[int32](unsafe.Pointer(told.parents), length)
	chain.Forced = copied[int32](unsafe.Pointer(told.forced), length)
	allowed := chain.AllowedRowStride
	if allowed == 0 {
		allowed = labels
	}
	chain.Allowed = copied[byte](unsafe.Pointer(told.allowed), extent([]int{length, labels}, []int{allowed, 1}))
	return chain, &ChainOptions{Group: int64(with.group), Tokens: copied[int32](unsafe.Pointer(with.tokens), length)}, nil
}
