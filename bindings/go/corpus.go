package chorale

// #include "shim.h"
import "C"

import "math"

// Corpus is many chains that have the same number of labels and share their transitions, with their scores end to end.
// Let N be the number of positions of all chains. Positions are numbered by their place in the arrays.
type Corpus struct {
	// By chain the position at which it begins, and after the last chain the position at which that ends: one number more
	// than there are chains, none below the one before it. nil: every chain has one position (single items), and there are
	// as many chains as Unary has rows.
	Offsets []int64
	Labels  int // m, the number of labels, at least 1

	// The score of label y at position p is Unary[p * UnaryRowStride + y * UnaryColumnStride]; minus infinity forbids the
	// label. Strides are counted in elements; 0: rows without gaps, columns side by side.
	Unary             Scores
	UnaryRowStride    int
	UnaryColumnStride int

	Transitions *Transitions // of every chain; nil: zero throughout
	Tokens      []int32      // by position a token id >= 0, or -1 for none; nil: no chain has tokens
	Groups      []int64      // by chain the document that it belongs to; nil: 0 for all
}

// rising refuses offsets that are no ascending numbers >= 0, or that lead beyond `most`.
func (c *call) rising(name string, offsets []int64, most int) {
	before := int64(0)
	for i, offset := range offsets {
		if offset < before {
			c.fail(refuse(ErrOutOfRange, "%s[%d] is %d, and must be at least %d", name, i, offset, before))
			return
		}
		before = offset
	}
	if before > int64(most) {
		c.fail(refuse(ErrOutOfRange, "%s[%d] is %d, and there are %d entries", name, len(offsets)-1, before, most))
	}
}

// AddCorpus copies all chains of a corpus into the model in one call, and returns the number of the first; the others
// follow. Chain by chain it does what [ModelBuilder.AddChain] does, with the same errors, whose message says which chain;
// the chains before that one have been added, and `count` is how many.
func (b *ModelBuilder) AddCorpus(corpus *Corpus) (first, count int, _ error) {
	c, builder := b.begin()
	defer c.end()
	if c.err == nil && corpus == nil {
		c.fail(refuse(ErrNullArgument, "corpus is nil"))
	}
	if c.err != nil {
		return 0, 0, c.err
	}
	labels := corpus.Labels
	c.least("corpus.Labels", labels, 1)
	row, column := c.matrix("corpus.Unary", labels, corpus.UnaryRowStride, corpus.UnaryColumnStride)
	if c.err != nil {
		return 0, 0, c.err
	}
	offsets, size := corpus.Offsets, sizeOf(corpus.Unary)
	if offsets == nil { // as many whole rows as there are
		items := 0
		if last := extent([]int{1, labels}, []int{row, column}); row > 0 && size >= last {
			items = 1 + (size-last)/row
		}
		offsets = make([]int64, items+1)
		for i := range offsets {
			offsets[i] = int64(i)
		}
	}
	if len(offsets) == 0 {
		c.fail(refuse(ErrShape, "corpus.Offsets has 0 elements, and needs one more than there are chains"))
		return 0, 0, c.err
	}
	chains := len(offsets) - 1
	c.rising("corpus.Offsets", offsets, math.MaxInt)
	positions := int(offsets[chains])
	if c.err == nil && positions > int(offsets[0]) {
		c.present("corpus.Unary", size, extent([]int{positions, labels}, []int{row, column}))
	}
	c.check("corpus.Tokens", len(corpus.Tokens), positions)
	c.check("corpus.Groups", len(corpus.Groups), chains)
	sample := c.chain(&Chain{Labels: labels, Unary: corpus.Unary, UnaryRowStride: corpus.UnaryRowStride, UnaryColumnStride: corpus.UnaryColumnStride, Transitions: corpus.Transitions}, &c.memory)
	if c.err != nil {
		return 0, 0, c.err
	}
	bytes := 8
	if sample.element == C.CHORALE_FLOAT32 {
		bytes = 4
	}
	first = len(b.lengths)
	var done C.int64_t
	status := C.chorale_go_add_corpus(builder, sample, C.int64_t(row), C.int64_t(bytes), C.int64_t(chains), longs(offsets), ints(corpus.Tokens), longs(corpus.Groups), &done, c.detail)
	for i := 0; i < int(done); i++ {
		b.lengths = append(b.lengths, int(offsets[i+1]-offsets[i]))
	}
	if c.failed(status) {
		c.about("chain %d of the corpus", int(done))
	}
	return first, int(done), c.err
}

// AddCliques adds `count` cliques without members in one call, all as `setup` says, and returns the number of the first;
// the others follow. The errors are those of [ModelBuilder.AddClique]; after one of them no clique has been added, but
// where memory ran out.
func (b *ModelBuilder) AddCliques(setup *CliqueSetup, count int) (first int, _ error) {
	c, builder := b.begin()
	defer c.end()
	c.least("count", count, 0)
	told := c.cliqueSetup(setup)
	if c.err != nil {
		return 0, c.err
	}
	var from, done C.int64_t
	if c.failed(C.chorale_go_add_cliques(builder, told, C.int64_t(count), &from, &done, c.detail)) {
		return 0, c.err
	}
	if count > 0 {
		b.watch(append([]*Potential{setup.Potential}, setup.CentrePotentials...))
	}
	return int(from), nil
}

// AddPositions adds positions of chains to the cliques first, first + 1 and so on, in one call: clique first + i gets the
// positions positions[j] of the chains chains[j] for j from offsets[i] to offsets[i + 1] - 1, in this order. So there is
// one offset more than cliques; nil: one clique, which gets all. positions: nil for 0 throughout, as of single items.
//
// The errors are those of [ModelBuilder.AddPosition], and the message says for which entry; the entries before that one
// have been added.
func (b *ModelBuilder) AddPositions(first int, offsets, chains, positions []int64) error {
	if positions == nil {
		positions = make([]int64, len(chains))
	}
	return b.addMembers(first, offsets, chains, positions, true)
}

// AddMembers adds whole chains or instances to the cliques first, first + 1 and so on, in one call: clique first + i gets
// the chains chains[j] for j from offsets[i] to offsets[i + 1] - 1. offsets: nil for one clique, which gets all. All
// positions are of class 0, and tables are the tokens of the chains; [ModelBuilder.AddMember] takes others.
//
// The errors are those of AddMember, and the message says for which entry; the entries before that one have been added.
func (b *ModelBuilder) AddMembers(first int, offsets, chains []int64) error {
	return b.addMembers(first, offsets, chains, nil, false)
}

func (b *ModelBuilder) addMembers(first int, offsets, chains, positions []int64, each bool) error {
	c, builder := b.begin()
	defer c.end()
	if offsets == nil {
		offsets = []int64{0, int64(len(chains))}
	}
	if len(offsets) == 0 {
		c.fail(refuse(ErrShape, "offsets has 0 elements, and needs one more than there are cliques"))
	}
	c.rising("offsets", offsets, len(chains))
	if each && len(positions) != len(chains) {
		c.fail(refuse(ErrShape, "positions has %d elements, and chains has %d", len(positions), len(chains)))
	}
	if c.err != nil || len(chains) == 0 {
		return c.err
	}
	var done C.int64_t
	if c.failed(C.chorale_go_add_members(builder, C.int64_t(first), C.int64_t(len(offsets)-1), longs(offsets), longs(chains), longs(positions), &done, c.detail)) {
		c.about("entry %d", int(offsets[0])+int(done))
	}
	return c.err
}
