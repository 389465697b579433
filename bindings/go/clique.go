package chorale

// #include "shim.h"
import "C"

import (
	"time"
)

// String returns the name of the algorithm, such as "alpha-pass".
func (a Algorithm) String() string {
	return C.GoString(C.chorale_algorithm_name(C.chorale_algorithm(a)))
}

// CliqueProblem describes the members of one clique. Scores[i * Values + v] is the score of
// value v for member i. NaN, plus infinity and magnitudes above 1e280 are refused.
type CliqueProblem struct {
	Members int       // n, the number of members, at least 1
	Values  int       // R, the number of values of the potential, at least 1
	Scores  []float64 // Members x Values scores; minus infinity forbids a value to a member
	Fixed   []int32   // for each member the value that it must take, or -1; nil: all free
	Weights []int64   // for each member how often it counts, at least 1; nil: 1 for all. Weights above 1 need a potential of a SUM with convex tables
}

// CliqueOptions are the options for solving a clique. The zero value, like nil, is the defaults.
type CliqueOptions struct {
	Algorithm       Algorithm     // the algorithm; if it does not apply to the potential, the call fails with ErrAlgorithmMismatch
	Start           Start         // where AlphaExpansion, LocalSearch and ICM start
	StartValue      int32         // read if Start is StartValue: 0 to R - 1
	SubsetSize      int32         // read by GeneralisedAlphaPass: greatest size of a set of values; 0: 2
	StartAssignment []int32       // read if Start is StartAssignment: for each member a value that it may take
	IterationLimit  int           // greatest number of iterations (sweeps, rounds, multiplier steps or flows, depending on the algorithm); 0: a default that depends on the algorithm
	NodeLimit       int           // read by CountBoxes: greatest number of nodes of branch and bound; 0: no limit
	NodePool        int           // read by CountBoxes: greatest number of open nodes; 0: as many as fit in 16 MB, but at least 16 and at most 8192
	Tolerance       float64       // read by the Lagrangian algorithms, which end when complementary slackness is violated by at most this fraction of the largest multiplier that has any effect; 0: 0.001
	Gap             float64       // the call ends when upper bound - score is at most Gap * |score|; 0: no gap is requested
	Prove           bool          // requests a proof of optimality: a gap of nothing but rounding
	TimeLimit       time.Duration // time limit of the call; 0: none; negative: it has passed
	Cancel          *Cancel       // ends the call when raised; may be nil
	ExactMarginals  bool          // whether max-marginals must be exact; if the potential has no exact solver, the call is refused with ErrNotExact
}

func (c *call) cliqueProblem(problem *CliqueProblem) *C.chorale_clique_problem {
	if problem == nil {
		return c.cliqueProblemInC(nil)
	}
	c.least("problem.Members", problem.Members, 1)
	c.least("problem.Values", problem.Values, 1)
	if len(problem.Scores) == 0 {
		c.fail(refuse(ErrNullArgument, "problem.Scores is empty"))
	}
	return c.cliqueProblemInC(problem)
}

func (c *call) cliqueOptions(options *CliqueOptions, members int) *C.chorale_clique_options {
	if options != nil && options.Start == StartAssignment {
		c.check("options.StartAssignment", len(options.StartAssignment), members)
	}
	return c.cliqueOptionsInC(options)
}

// CliqueSolver is a reusable workspace for cliques. One goroutine at a time may use it.
type CliqueSolver handle
