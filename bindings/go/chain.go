package chorale

// #include "shim.h"
import "C"

import "math"

// chain converts a chain to a C struct, after checking that every array is long enough for its
// shape.
func (c *call) chain(chain *Chain) *C.chorale_chain {
	if chain == nil {
		return c.chainInC(nil)
	}
	length, labels := chain.Length, chain.Labels
	c.least("chain.Length", length, 0)
	c.least("chain.Labels", labels, 1)
	if length > math.MaxInt32-1 {
		c.fail(refuse(ErrSizeOverflow, "chain.Length is %d, and may be at most 2^31 - 2", length))
	}
	if c.err != nil {
		return c.chainInC(nil)
	}
	element := c.element(chain.Unary, chain.Edges, chain.Start, chain.End)
	c.present("chain.Unary", sizeOf(chain.Unary), product(length, labels))
	matrices := 0
	if edges := sizeOf(chain.Edges); edges > 0 {
		matrices = edges / product(labels, labels)
		if matrices*labels*labels != edges {
			c.fail(refuse(ErrShape, "chain.Edges has %d elements, which are no matrices of %d x %d", edges, labels, labels))
		}
	}
	told := c.chainInC(chain)
	told.element = element
	told.edge_matrices = C.int64_t(matrices)
	return told
}

// Score returns the score of a labelling, or minus infinity if the labelling is forbidden.
// labelling: one label for each position.
func (chain *Chain) Score(labelling []int32) (score float64, _ error) {
	c := begin()
	defer c.end()
	told := c.chain(chain)
	c.present("labelling", len(labelling), int(told.length))
	if c.err == nil {
		c.failed(C.chorale_chain_score(told, ints(labelling), (*C.double)(&score), c.detail))
	}
	return score, c.err
}

// MaxMarginals are the max-marginals of a chain of T positions with m labels: the best score of a
// labelling that has a given label at a position, or two given labels at the ends of an edge.
type MaxMarginals struct {
	Marginals []float64 // T x m: the best score with each label at each position
	Edges     []float64 // (T - 1) x m x m, matrix t - 1 for the edge to position t: the best score with two given labels at the ends of the edge; row: label of the earlier position (of the parent), column: label of position t
	Margins   []float64 // for each position its greatest max-marginal minus the second greatest; plus infinity if only one label is allowed there, 0 if none is
	Labelling []int32   // the best labelling; nil if every labelling is forbidden
}

// KBest holds the k best labellings of a chain, best first.
type KBest struct {
	Labellings [][]int32 // row j: the labelling of rank j, one label for each position
	Scores     []float64 // score of each labelling
}

// ChainSolver is a reusable workspace for chains. One goroutine at a time may use it.
type ChainSolver handle

// MaxMarginals computes the max-marginals of all positions and edges, the margins, and the best
// labelling.
func (s *ChainSolver) MaxMarginals(chain *Chain) (*MaxMarginals, ChainResult, error) {
	c := begin()
	defer c.end()
	solver := (*C.chorale_chain_solver)(c.alone(s.handle()))
	told := c.chain(chain)
	if c.err != nil {
		return nil, ChainResult{}, c.err
	}
	T, m := chain.Length, chain.Labels
	edges := product(T-1, m, m)
	if edges >= 1<<48 {
		return nil, ChainResult{}, refuse(ErrSizeOverflow, "edge marginals of %d positions and %d labels", T, m)
	}
	all := &MaxMarginals{make([]float64, T*m), make([]float64, edges), make([]float64, T), c.labels(T)}
	result := &C.chorale_chain_result{struct_size: C.sizeof_chorale_chain_result}
	if c.failed(C.chorale_chain_max_marginals(solver, told, doubles(all.Marginals), 0, doubles(all.Edges), doubles(all.Margins), ints(all.Labelling), result, c.detail)) {
		return nil, ChainResult{}, c.err
	}
	all.Labelling = found(all.Labelling)
	return all, chainResult(result), nil
}

// KBest returns the k best labellings of a chain, best first, or all allowed labellings if there
// are fewer than k. A tree is refused with [ErrNotAChain].
func (s *ChainSolver) KBest(chain *Chain, k int) (*KBest, error) {
	c := begin()
	defer c.end()
	solver := (*C.chorale_chain_solver)(c.alone(s.handle()))
	told := c.chain(chain)
	c.least("k", k, 1)
	if c.err != nil {
		return nil, c.err
	}
	T := chain.Length
	if product(k, T+1) >= 1<<34 {
		return nil, refuse(ErrSizeOverflow, "%d labellings of %d positions", k, T)
	}
	labellings, scores := make([]int32, k*T), make([]float64, k)
	var count C.int64_t
	if c.failed(C.chorale_chain_k_best(solver, told, C.int64_t(k), ints(labellings), 0, doubles(scores), &count, c.detail)) {
		return nil, c.err
	}
	all := &KBest{Scores: scores[:count]}
	for j := 0; j < int(count); j++ {
		all.Labellings = append(all.Labellings, labellings[j*T:(j+1)*T:(j+1)*T])
	}
	return all, nil
}
