package chorale

// #include "shim.h"
import "C"

import "math"

// corpus returns a corpus as a C struct whose arrays C may read until the call ends, and the
// offsets of the chains.
func (c *call) corpus(corpus *Corpus) (*C.chorale_corpus, []int64) {
	if corpus == nil {
		c.fail(refuse(ErrNullArgument, "corpus is nil"))
		return nil, nil
	}
	labels := corpus.Labels
	c.least("corpus.Labels", labels, 1)
	if c.err != nil {
		return nil, nil
	}
	offsets, size := corpus.Offsets, sizeOf(corpus.Unary)
	if offsets == nil { // a corpus of single items: each whole row of Unary is a chain
		offsets = make([]int64, size/labels+1)
		for i := range offsets {
			offsets[i] = int64(i)
		}
	}
	offsets = c.parts("corpus.Offsets", offsets, math.MaxInt)
	if c.err != nil {
		return nil, nil
	}
	chains := len(offsets) - 1
	positions := int(offsets[chains])
	if int64(positions) > offsets[0] {
		c.present("corpus.Unary", size, product(positions, labels))
	}
	if corpus.Tokens != nil {
		c.present("corpus.Tokens", len(corpus.Tokens), positions)
	}
	c.check("corpus.Edges", sizeOf(corpus.Edges), product(positions, labels, labels))
	c.check("corpus.Forced", len(corpus.Forced), positions)
	c.check("corpus.Allowed", len(corpus.Allowed), product(positions, labels))
	c.check("corpus.Groups", len(corpus.Groups), chains)
	c.check("corpus.Counts", len(corpus.Counts), chains)
	told := c.corpusInC(corpus)
	told.element = c.element(corpus.Unary, corpus.Edges)
	told.chains = C.int64_t(chains)
	told.offsets = (*C.int64_t)(lend(c, offsets))
	told.tokens = c.tokens(corpus.Tokens)
	return told, offsets
}

// tokens makes token ids readable for C. A slice that is empty but not nil must get an address too,
// because to C a null pointer means that the chain or corpus has no tokens.
func (c *call) tokens(tokens []int32) *C.int32_t {
	if tokens != nil && len(tokens) == 0 {
		return (*C.int32_t)(c.memory.allocate(4))
	}
	return (*C.int32_t)(lend(c, tokens))
}

// AddCorpus adds all chains of a corpus, and copies their arrays. It returns the number of the
// first chain, from which the chains are numbered in order, and how many chains there are. After an
// error no chain has been added. Errors are those of [ModelBuilder.AddChain].
func (b *ModelBuilder) AddCorpus(corpus *Corpus) (first, count int, _ error) {
	c, builder := b.begin()
	defer c.end()
	told, offsets := c.corpus(corpus)
	if c.err != nil {
		return 0, 0, c.err
	}
	var from C.int64_t
	if c.failed(C.chorale_model_builder_add_corpus(builder, told, &from, c.detail)) {
		return 0, 0, c.err
	}
	for i, begin := range offsets[:len(offsets)-1] {
		b.lengths = append(b.lengths, int(offsets[i+1]-begin))
	}
	return int(from), len(offsets) - 1, nil
}

// parts returns the offsets that divide an array of `entries` entries into parts: `offsets`, or, if
// that is nil, the offsets of one part with all entries. It refuses offsets beyond the array, which
// the library cannot. Only the last offset is checked: if an earlier one is greater, the offsets
// descend somewhere, and the library refuses them before it reads the array.
func (c *call) parts(name string, offsets []int64, entries int) []int64 {
	if offsets == nil {
		return []int64{0, int64(entries)}
	}
	last := len(offsets) - 1
	if last < 0 {
		c.fail(refuse(ErrShape, "%s has 0 elements, and needs one more than there are parts", name))
	} else if offsets[last] > int64(entries) {
		c.fail(refuse(ErrOutOfRange, "%s[%d] is %d, and there are %d entries", name, last, offsets[last], entries))
	}
	return offsets
}
