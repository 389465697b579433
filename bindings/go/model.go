package chorale

// #include "shim.h"
import "C"

import (
	"runtime"
	"runtime/cgo"
	"unsafe"
)

// Instance is a model of the caller that sends messages and decodes, such as a semi-Markov model or a
// clique tree. Its memberships in cliques are its ports, in the order of adding. The slices are valid
// only until the method returns. At most one call is made at a time.
type Instance interface {
	// Shape is the number of labels of a decoded labelling, and an upper bound on these labels; always the
	// same.
	Shape() (length, labels int)
	// Messages fills outgoing[p][v] with the best score of all labellings in which port p has value v, plus
	// incoming[q] of the other ports. Entries that are not written remain minus infinity.
	Messages(incoming, outgoing [][]float64) error
	// Decode fills the best labelling and the value of each port on it, and returns its own score without
	// incoming scores.
	Decode(incoming [][]float64, labelling, values []int32) (score float64, err error)
}

// ModelBuilder collects chains, trees and cliques for a model; one goroutine at a time.
type ModelBuilder struct {
	h       *handle
	lengths []int // by chain; -1: an instance
}

func (b *ModelBuilder) handle() *handle {
	if b == nil {
		return nil
	}
	return b.h
}

// NewModelBuilder makes an empty builder.
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

// Close frees the builder; its model remains valid.
func (b *ModelBuilder) Close() error { return b.handle().close() }

func (b *ModelBuilder) begin() (*call, *C.chorale_model_builder) {
	c := begin()
	return c, (*C.chorale_model_builder)(c.alone(b.handle()))
}

// ChainOptions are further properties of a chain in a model; nil stands for the zero value.
type ChainOptions struct {
	Group  int64   // the document of the chain, for repeated words
	Tokens []int32 // by position token ids >= 0, -1: none; nil: the chain has none
}

// AddChain copies a chain or tree into the model and returns its number.
func (b *ModelBuilder) AddChain(chain *Chain, options *ChainOptions) (int, error) {
	c, builder := b.begin()
	defer c.end()
	told := c.chain(chain, &c.memory)
	with := new(C.chorale_chain_options)
	C.chorale_chain_options_init(with, C.sizeof_chorale_chain_options)
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

// holdInstance keeps the number of an instance alive as long as the handles that refer to it.
type holdInstance struct {
	told *instance
	user cgo.Handle
}

// AddInstance adds an instance and returns its number among the chains.
func (b *ModelBuilder) AddInstance(oracle Instance) (int, error) {
	if oracle == nil {
		return 0, refuse(ErrNullArgument, "the instance is nil")
	}
	length, labels := oracle.Shape()
	c, builder := b.begin()
	defer c.end()
	if c.err != nil {
		return 0, c.err
	}
	told := &instance{oracle: oracle, length: length}
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

// CliqueSetup describes a clique. With a property the clique is a property clique; otherwise its members
// are positions, and it may have a centre.
type CliqueSetup struct {
	Property   *Property   // nil: a clique of positions
	Dictionary *Dictionary // the subset of the property's values that the clique uses; nil: all
	// For a position clique: the value of each label, 0 .. Values-1, or -1 for EMPTY; nil: labels are their
	// own values.
	Values      int
	LabelValues []int32
	Potential   *Potential // over R values, or over R + 2 with EMPTY and CONFLICT last
	// For a centred clique, instead of Potential: one potential for each value of the centre.
	CentrePotentials  []*Potential
	CentreLabelValues []int32 // the value of the centre for each of its labels; nil: the label itself
}

// AddClique adds a clique without members and returns its number.
func (b *ModelBuilder) AddClique(setup *CliqueSetup) (int, error) {
	c, builder := b.begin()
	defer c.end()
	told := c.cliqueSetup(setup)
	if c.err != nil {
		return 0, c.err
	}
	var index C.int64_t
	if c.failed(C.chorale_model_builder_add_clique(builder, told, &index, c.detail)) {
		return 0, c.err
	}
	b.watch(append([]*Potential{setup.Potential}, setup.CentrePotentials...))
	return int(index), nil
}

func (c *call) cliqueSetup(setup *CliqueSetup) *C.chorale_clique_setup {
	told := new(C.chorale_clique_setup)
	C.chorale_clique_setup_init(told, C.sizeof_chorale_clique_setup)
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

// watch lets runs over the model report failures of callback potentials.
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

// MemberOptions are the inputs of a property on a chain; nil stands for the zero value.
type MemberOptions struct {
	Classes []int32 // by position; nil: 0
	Table   []int32 // by position; nil: the tokens of the chain
}

// AddMember adds a whole chain to a property clique, or the next port of an instance to a clique.
func (b *ModelBuilder) AddMember(clique, chain int, options *MemberOptions) error {
	c, builder := b.begin()
	defer c.end()
	with := new(C.chorale_member_options)
	C.chorale_member_options_init(with, C.sizeof_chorale_member_options)
	if options != nil {
		if chain >= 0 && chain < len(b.lengths) && b.lengths[chain] >= 0 {
			c.check("options.Classes", len(options.Classes), b.lengths[chain])
			c.check("options.Table", len(options.Table), b.lengths[chain])
		} else {
			options = nil // an instance, or none at all
		}
	}
	if c.err != nil {
		return c.err
	}
	if options != nil {
		with.classes = (*C.int32_t)(lend(&c.memory, options.Classes))
		with.table = (*C.int32_t)(lend(&c.memory, options.Table))
	}
	c.failed(C.chorale_model_builder_add_member(builder, C.int64_t(clique), C.int64_t(chain), with, c.detail))
	return c.err
}

// AddPosition adds one position of a chain to a position or centred clique.
func (b *ModelBuilder) AddPosition(clique, chain, position int) error {
	c, builder := b.begin()
	defer c.end()
	if c.err != nil {
		return c.err
	}
	c.failed(C.chorale_model_builder_add_position(builder, C.int64_t(clique), C.int64_t(chain), C.int64_t(position), c.detail))
	return c.err
}

// SetWeights sets how often the members of the cliques first, first + 1 .. first + count - 1 count in their
// potentials: counts are then sums of weights, and the sum of all takes the place of n. Scores stay as they
// are. weights: one for each member, at least 1, clique by clique in the order of adding; the members of a
// clique with weights above 1 must all have been added. Errors: [ErrWeights] (a potential that is no convex
// sum, or a centred clique), [ErrShape], [ErrOutOfRange], [ErrSizeOverflow].
func (b *ModelBuilder) SetWeights(first, count int, weights []int64) error {
	c, builder := b.begin()
	defer c.end()
	if c.err != nil {
		return c.err
	}
	c.failed(C.chorale_model_builder_set_weights(builder, C.int64_t(first), C.int64_t(count), longs(weights), C.int64_t(len(weights)), c.detail))
	return c.err
}

// SetCentre sets the centre of a centred clique; a further call replaces it.
func (b *ModelBuilder) SetCentre(clique, chain, position int) error {
	c, builder := b.begin()
	defer c.end()
	if c.err != nil {
		return c.err
	}
	c.failed(C.chorale_model_builder_set_centre(builder, C.int64_t(clique), C.int64_t(chain), C.int64_t(position), c.detail))
	return c.err
}

// RepeatedWords selects the tokens with cliques; made by [NewRepeatedWords].
type RepeatedWords struct {
	Minimum     int     // least number of occurrences of a token with a clique, at least 1; 2 by default
	Across      bool    // true: cliques across all groups; false: within each
	Stop        []int32 // token ids without cliques
	LabelValues []int32 // as in CliqueSetup
	Values      int     // R, where LabelValues is given
}

// NewRepeatedWords returns the defaults, which also apply if options are nil.
func NewRepeatedWords() *RepeatedWords {
	var told C.chorale_repeated_words_options
	C.chorale_repeated_words_options_init(&told, C.sizeof_chorale_repeated_words_options)
	return &RepeatedWords{Minimum: int(told.minimum), Across: told.across != 0}
}

// AddRepeatedWords adds a position clique for every token with at least Minimum occurrences. It returns
// the number of the first clique and the number of cliques.
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
	C.chorale_repeated_words_options_init(told, C.sizeof_chorale_repeated_words_options)
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

// Freeze makes the model; afterwards the builder can only be closed.
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

// Model is a frozen model of chains and cliques. Immutable; any goroutine.
type Model handle

func newModel(model *C.chorale_model, from ...*handle) *Model {
	h := newHandle(unsafe.Pointer(model), func(pointer unsafe.Pointer) {
		C.chorale_model_release((*C.chorale_model)(pointer))
	})
	h.relate(from...)
	return (*Model)(h)
}

// Clone returns another handle of the same model.
func (m *Model) Clone() (*Model, error) {
	c, model := m.begin()
	defer c.end()
	if c.err != nil {
		return nil, c.err
	}
	return newModel(C.chorale_model_retain(model), (*handle)(m)), nil
}

// Close releases the model; runs and problems keep it alive.
func (m *Model) Close() error { return (*handle)(m).close() }

func (m *Model) begin() (*call, *C.chorale_model) {
	c := begin()
	return c, (*C.chorale_model)(c.share((*handle)(m)))
}

// LabellingScore is the score of a labelling under a model; minus infinity if the labelling is
// forbidden.
type LabellingScore struct {
	Score        float64   // the sum of all chain and clique scores
	ChainScores  []float64 // score of each chain
	CliqueScores []float64 // score of each clique
}

// Score returns the score of any labelling, such as gold labels. labels: of all positions, chain by
// chain. A model with an [Instance] is [ErrKind].
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

// Reweigh makes a model in which the potential of clique i is multiplied by factors[i], at least 0; the
// chains are shared.
func (m *Model) Reweigh(factors []float64, host *Host) (*Model, error) {
	c, model := m.begin()
	defer c.end()
	in := c.host(host)
	if c.err == nil {
		c.present("factors", len(factors), int(C.chorale_model_clique_count(model)))
	}
	if c.err != nil {
		return nil, c.err
	}
	var reweighed *C.chorale_model
	if c.failed(C.chorale_model_reweigh(in, model, doubles(factors), &reweighed, c.detail)) {
		return nil, c.err
	}
	return newModel(reweighed, (*handle)(m), (*handle)(host)), nil
}

func (m *Model) size(of func(*C.chorale_model) C.int64_t) int {
	c, model := m.begin()
	defer c.end()
	if model == nil {
		return 0
	}
	return int(of(model))
}

// ChainCount is the number of chains, trees and instances. This and all other sizes are 0 for a closed
// handle and for numbers out of range.
func (m *Model) ChainCount() int {
	return m.size(func(m *C.chorale_model) C.int64_t { return C.chorale_model_chain_count(m) })
}

// CliqueCount is the number of cliques.
func (m *Model) CliqueCount() int {
	return m.size(func(m *C.chorale_model) C.int64_t { return C.chorale_model_clique_count(m) })
}

// MemberCount is the number of members of all cliques together.
func (m *Model) MemberCount() int {
	return m.size(func(m *C.chorale_model) C.int64_t { return C.chorale_model_member_count(m) })
}

// ChainLength is the number of positions of a chain.
func (m *Model) ChainLength(chain int) int {
	return m.size(func(m *C.chorale_model) C.int64_t { return C.chorale_model_chain_length(m, C.int64_t(chain)) })
}

// CliqueMemberCount is the number of members of a clique.
func (m *Model) CliqueMemberCount(clique int) int {
	return m.size(func(m *C.chorale_model) C.int64_t { return C.chorale_model_clique_member_count(m, C.int64_t(clique)) })
}

// CliqueValues is R, the number of values of a clique, without EMPTY and CONFLICT.
func (m *Model) CliqueValues(clique int) int {
	return m.size(func(m *C.chorale_model) C.int64_t { return C.chorale_model_clique_values(m, C.int64_t(clique)) })
}

// CliqueColumns is the number of values of a member: R + 2 with EMPTY and CONFLICT, or R if no member
// can be EMPTY.
func (m *Model) CliqueColumns(clique int) int {
	return m.size(func(m *C.chorale_model) C.int64_t { return C.chorale_model_clique_columns(m, C.int64_t(clique)) })
}

// CliqueCentreValues is the number of values of the centre of a clique; 0 if it has none.
func (m *Model) CliqueCentreValues(clique int) int {
	return m.size(func(m *C.chorale_model) C.int64_t {
		return C.chorale_model_clique_centre_values(m, C.int64_t(clique))
	})
}

// Bytes is the number of bytes that the model has allocated.
func (m *Model) Bytes() int {
	return m.size(func(m *C.chorale_model) C.int64_t { return C.int64_t(C.chorale_model_bytes(m)) })
}

// ScoreBytes is the number of bytes of the scores of its chains.
func (m *Model) ScoreBytes() int {
	return m.size(func(m *C.chorale_model) C.int64_t { return C.int64_t(C.chorale_model_score_bytes(m)) })
}

// ChainLengths are the numbers of positions of all chains, as by [Model.ChainLength], in one call.
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

// MemberCounts are the numbers of members of all cliques, as by [Model.CliqueMemberCount], in one call.
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
	Chain    int // its number
	Position int // within the chain, from 0; -1: the whole chain, or an instance
}

// refuseClique refuses a clique that the model does not have.
func refuseClique(model *C.chorale_model, clique int) error {
	if count := int(C.chorale_model_clique_count(model)); clique < 0 || clique >= count {
		return refuse(ErrOutOfRange, "clique is %d; the model has %d cliques", clique, count)
	}
	return nil
}

// Members are the members of one clique, in the order of adding; a centre is the last. A clique out of
// range is [ErrOutOfRange].
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

// MemberWeights are how often the members of a clique count, in the order of [Model.Members]. A clique out of
// range is [ErrOutOfRange].
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
	for i := range weights {
		weights[i] = int64(C.chorale_model_member_weight(model, C.int64_t(clique), C.int64_t(i)))
	}
	return weights, nil
}

// AllMembers are the members of all cliques, in one call: row i is [Model.Members] of clique i.
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

// members returns the members of `count` cliques from `first` on, which have `total` members together.
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

// CliquePotential is the potential of a clique, with the factors of [Model.Reweigh] applied: a new
// handle, which the caller closes. It is over R values, or over R + 2 if it was given so. nil without an
// error for a centred clique and for a clique out of range.
func (m *Model) CliquePotential(clique int) (*Potential, error) {
	return m.potential(func(model *C.chorale_model) *C.chorale_potential {
		return C.chorale_model_clique_potential(model, C.int64_t(clique))
	})
}

// CliqueCentrePotential is the potential of a centred clique for one value of its centre; otherwise as
// [Model.CliquePotential].
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
	h.relate((*handle)(m)) // a potential of a callback is kept, and watched, with the model
	return (*Potential)(h), nil
}

// CliqueProperty is the property of a clique: a new handle, which the caller closes. nil without an
// error for a clique over positions and for a clique out of range.
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

// CliqueDictionary is the dictionary of a clique; otherwise as [Model.CliqueProperty].
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
	C.chorale_chain_init(told, C.sizeof_chorale_chain)
	if c.failed(C.chorale_model_get_chain(model, C.int64_t(number), told, nil, c.detail)) {
		return 0, c.err
	}
	return int(told.labels), nil
}

// Chain returns copies of a chain's arrays and options. Its transitions are a new handle.
func (m *Model) Chain(number int) (*Chain, *ChainOptions, error) {
	c, model := m.begin()
	defer c.end()
	if c.err != nil {
		return nil, nil, c.err
	}
	told, with := new(C.chorale_chain), new(C.chorale_chain_options)
	C.chorale_chain_init(told, C.sizeof_chorale_chain)
	C.chorale_chain_options_init(with, C.sizeof_chorale_chain_options)
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
