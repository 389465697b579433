package chorale

// #include "shim.h"
import "C"

import (
	"math"
	"time"
	"unsafe"
)

// A clique has n members, each with one of R values. The potential of the clique is a function of
// the counts n_v, the numbers of members with each value v. Each member has scores of its own, one
// for each value. An assignment gives each member a value. The score of an assignment is the sum,
// over the members, of the member's own score of its value, plus the potential.

// Algorithm is an algorithm that finds a good assignment of values to the members of a clique. The
// comment of each constant ends with the families of potentials to which the algorithm applies.
type Algorithm int32

// The algorithms.
const (
	Auto                    Algorithm = C.CHORALE_ALGORITHM_AUTO                      // chooses algorithms that suit the potential. Any family
	AlphaPass               Algorithm = C.CHORALE_ALGORITHM_ALPHA_PASS                // for every value v and every number k, tries the assignment in which the k members that lose least by taking v take v, and every other member takes its best value other than v; returns the best of these assignments, which is optimal for FamilyMax. Any family
	GeneralisedAlphaPass    Algorithm = C.CHORALE_ALGORITHM_GENERALISED_ALPHA_PASS    // AlphaPass with a set of up to SubsetSize values in place of v. Any family
	AlphaExpansion          Algorithm = C.CHORALE_ALGORITHM_ALPHA_EXPANSION           // for one value after another, moves to this value the set of members by which the score rises most, until no such move raises the score. FamilySum
	LocalSearch             Algorithm = C.CHORALE_ALGORITHM_LOCAL_SEARCH              // in each step every member takes the value that is best for it at the current counts, until no member changes. FamilySum with convex tables
	ICM                     Algorithm = C.CHORALE_ALGORITHM_ICM                       // iterated conditional modes: changes one member at a time as long as that raises the score. Any family
	ModifiedAlphaPass       Algorithm = C.CHORALE_ALGORITHM_MODIFIED_ALPHA_PASS       // AlphaPass that tries only assignments in which v has the highest count; no guarantee better than half the optimum. FamilyMajority
	LagrangianSubgradient   Algorithm = C.CHORALE_ALGORITHM_LAGRANGIAN_SUBGRADIENT    // Lagrangian relaxation by subgradient steps, with an upper bound. FamilyMajority
	LagrangianGoldenSection Algorithm = C.CHORALE_ALGORITHM_LAGRANGIAN_GOLDEN_SECTION // Lagrangian relaxation by golden section search, with an upper bound. FamilyMajority
	LagrangianConservative  Algorithm = C.CHORALE_ALGORITHM_LAGRANGIAN_CONSERVATIVE   // Lagrangian relaxation by conservative coordinate descent, with an upper bound. FamilyMajority
	ExactMajority           Algorithm = C.CHORALE_ALGORITHM_EXACT_MAJORITY            // computes the optimum. FamilyMajority
	ConcaveFlow             Algorithm = C.CHORALE_ALGORITHM_CONCAVE_FLOW              // computes the optimum. FamilySum with concave tables
	CountBoxes              Algorithm = C.CHORALE_ALGORITHM_COUNT_BOXES               // computes the optimum by branch and bound over the counts; takes exponential time at worst. FamilySum
	DualBound               Algorithm = C.CHORALE_ALGORITHM_DUAL_BOUND                // computes an upper bound, and returns the best assignment met on the way. FamilySum
)

// String returns the name of the algorithm, such as "alpha-pass".
func (a Algorithm) String() string {
	return C.GoString(C.chorale_algorithm_name(C.chorale_algorithm(a)))
}

// AlgorithmNamed returns the algorithm with a name such as "alpha-pass"; false if no algorithm has
// this name.
func AlgorithmNamed(name string) (Algorithm, bool) {
	bytes := []byte(name)
	found := C.chorale_algorithm_from_name((*C.char)(first(bytes)), C.size_t(len(bytes)))
	return Algorithm(found), found >= 0
}

// Start is the assignment from which AlphaExpansion, LocalSearch and ICM start.
type Start int32

// The start assignments.
const (
	StartIndependent Start = C.CHORALE_START_INDEPENDENT // each member's best value by its own scores
	StartValue       Start = C.CHORALE_START_VALUE       // CliqueOptions.StartValue for every member that may take it; for every other member its best value
	StartAssignment  Start = C.CHORALE_START_ASSIGNMENT  // CliqueOptions.StartAssignment
	StartAlphaPass   Start = C.CHORALE_START_ALPHA_PASS  // the result of AlphaPass
)

// CliqueProblem describes the members of one clique. Scores[i * RowStride + v] is the score of
// value v for member i. NaN, plus infinity and magnitudes above 1e280 are refused.
type CliqueProblem struct {
	Members   int       // n, the number of members, at least 1
	Values    int       // R, the number of values of the potential, at least 1
	Scores    []float64 // Members x Values scores; minus infinity forbids a value to a member
	RowStride int       // distance between two rows of Scores; 0: Values
	Fixed     []int32   // for each member the value that it must take, or -1; nil: all free
	Weights   []int64   // for each member how often it counts, at least 1; nil: 1 for all. Weights above 1 need a potential of FamilySum with convex tables
}

// CliqueOptions are the options for solving a clique. They are made by [NewCliqueOptions].
type CliqueOptions struct {
	Algorithm       Algorithm     // the algorithm; if it does not apply to the potential, the call fails with ErrAlgorithmMismatch
	Start           Start         // where AlphaExpansion, LocalSearch and ICM start
	StartValue      int32         // read if Start is StartValue: 0 to R - 1
	SubsetSize      int32         // read by GeneralisedAlphaPass: greatest size of a set of values, at least 1; 2 by default
	StartAssignment []int32       // read if Start is StartAssignment: for each member a value that it may take
	IterationLimit  int           // greatest number of iterations (sweeps, rounds, multiplier steps or flows, depending on the algorithm); 0: a default that depends on the algorithm
	NodeLimit       int           // read by CountBoxes: greatest number of nodes of branch and bound; 0: no limit
	NodePool        int           // read by CountBoxes: greatest number of open nodes; 0: as many as fit in 16 MB, but at least 16 and at most 8192
	Tolerance       float64       // read by the Lagrangian algorithms, which end when complementary slackness is violated by at most this fraction of the largest multiplier that has any effect; at least 0, 0.001 by default
	Gap             float64       // the call ends when upper bound - score is at most Gap * |score|; 0: requests a proof of optimality; negative, the default: no gap is requested
	TimeLimit       time.Duration // time limit of the call; NoLimit: none
	Cancel          *Cancel       // ends the call when raised; may be nil
	ExactMarginals  bool          // whether max-marginals must be exact; if the potential has no exact solver, the call is refused with ErrNotExact
}

// NewCliqueOptions returns the default options, which also apply where the options are nil.
func NewCliqueOptions() *CliqueOptions {
	return &CliqueOptions{SubsetSize: 2, Tolerance: 0.001, Gap: -1, TimeLimit: NoLimit}
}

// CliqueResult holds the scores of an assignment, and says how the call ended. The assignment is
// returned separately.
type CliqueResult struct {
	Outcome        Outcome   // how the call ended
	Algorithm      Algorithm // the algorithm used; if Auto was requested, the algorithm that it chose
	Proven         bool      // whether the assignment is proven to be optimal, up to rounding
	MarginalsExact bool      // whether max-marginals are exact; otherwise each is a lower bound, the score of some assignment with that value
	Score          float64   // MemberScore + CliqueScore; minus infinity if no assignment was found
	MemberScore    float64   // sum of the members' own scores of their values
	CliqueScore    float64   // the potential at the counts of the values
	UpperBound     float64   // upper bound on the score of every assignment; plus infinity if none was computed
	Iterations     int       // number of sweeps, rounds, multiplier steps or flows, depending on the algorithm
	Nodes          int       // number of nodes of branch and bound (CountBoxes)
}

func cliqueResult(r *C.chorale_clique_result) CliqueResult {
	return CliqueResult{
		Outcome:        Outcome(r.outcome),
		Algorithm:      Algorithm(r.algorithm),
		Proven:         r.proven != 0,
		MarginalsExact: r.marginals_exact != 0,
		Score:          float64(r.score),
		MemberScore:    float64(r.member_score),
		CliqueScore:    float64(r.clique_score),
		UpperBound:     float64(r.upper_bound),
		Iterations:     int(r.iterations),
		Nodes:          int(r.nodes),
	}
}

// MarginalForm says what the max-marginals of a clique include.
type MarginalForm int32

// The forms of max-marginals.
const (
	MarginalScore   MarginalForm = C.CHORALE_MARGINAL_SCORE   // the best score of an assignment in which the member has the value
	MarginalMessage MarginalForm = C.CHORALE_MARGINAL_MESSAGE // MarginalScore minus the member's own score of the value: the message of the clique to the member
)

func (c *call) cliqueProblem(problem *CliqueProblem) *C.chorale_clique_problem {
	told := new(C.chorale_clique_problem)
	told.struct_size = C.sizeof_chorale_clique_problem
	if problem == nil {
		c.fail(refuse(ErrNullArgument, "problem is nil"))
		return told
	}
	c.least("problem.Members", problem.Members, 1)
	c.least("problem.Values", problem.Values, 1)
	stride := c.stride("problem.RowStride", problem.RowStride, problem.Values)
	if c.err != nil {
		return told
	}
	if len(problem.Scores) == 0 {
		c.fail(refuse(ErrNullArgument, "problem.Scores is empty"))
	}
	c.check("problem.Scores", len(problem.Scores), extent([]int{problem.Members, problem.Values}, []int{stride, 1}))
	c.check("problem.Fixed", len(problem.Fixed), problem.Members)
	c.check("problem.Weights", len(problem.Weights), problem.Members)
	if problem.Members > math.MaxInt32 {
		c.fail(refuse(ErrSizeOverflow, "problem.Members is %d, and may be at most 2^31 - 1", problem.Members))
	}
	if c.err != nil {
		return told
	}
	told.members = C.int64_t(problem.Members)
	told.values = C.int64_t(problem.Values)
	told.scores = (*C.double)(lend(&c.memory, problem.Scores))
	told.row_stride = C.int64_t(stride)
	told.fixed = (*C.int32_t)(lend(&c.memory, problem.Fixed))
	told.weights = (*C.int64_t)(lend(&c.memory, problem.Weights))
	return told
}

func (c *call) cliqueOptions(options *CliqueOptions, members int) *C.chorale_clique_options {
	told := new(C.chorale_clique_options)
	told.struct_size = C.sizeof_chorale_clique_options
	if options == nil {
		return told
	}
	if options.Start == StartAssignment {
		c.check("options.StartAssignment", len(options.StartAssignment), members)
	}
	told.algorithm = C.chorale_algorithm(options.Algorithm)
	told.start = C.chorale_start(options.Start)
	told.start_value = C.int32_t(options.StartValue)
	c.least("options.SubsetSize", int(options.SubsetSize), 1)
	told.subset_size = C.int32_t(options.SubsetSize)
	told.iteration_limit = C.int64_t(options.IterationLimit)
	told.node_limit = C.int64_t(options.NodeLimit)
	told.node_pool = C.int64_t(options.NodePool)
	told.tolerance = C.double(options.Tolerance)
	told.prove = flag(options.Gap == 0)
	told.gap = C.double(math.Max(options.Gap, 0))
	told.time_limit = seconds(options.TimeLimit)
	told.exact_marginals = flag(options.ExactMarginals)
	told.cancel = (*C.chorale_cancel)(c.optional((*handle)(options.Cancel)))
	if c.err == nil {
		told.start_assignment = (*C.int32_t)(lend(&c.memory, options.StartAssignment))
	}
	return told
}

// CliqueSolver is a reusable workspace for cliques. One goroutine at a time may use it.
type CliqueSolver handle

// NewCliqueSolver makes a solver whose workspace grows as needed.
func NewCliqueSolver(host *Host) (*CliqueSolver, error) {
	c := begin()
	defer c.end()
	in := c.host(host)
	if c.err != nil {
		return nil, c.err
	}
	var solver *C.chorale_clique_solver
	if c.failed(C.chorale_clique_solver_create(in, &solver, c.detail)) {
		return nil, c.err
	}
	h := newHandle(unsafe.Pointer(solver), func(pointer unsafe.Pointer) {
		C.chorale_clique_solver_destroy((*C.chorale_clique_solver)(pointer))
	})
	h.relate((*handle)(host))
	return (*CliqueSolver)(h), nil
}

// Close frees the solver.
func (s *CliqueSolver) Close() error { return (*handle)(s).close() }

// found returns `labels`, or nil if the library was asked to write labels and wrote none: the first
// entry is then still `unwritten`.
func found(labels []int32) []int32 {
	if len(labels) > 0 && labels[0] == unwritten {
		return nil
	}
	return labels
}

const unwritten = -2

func unwrittenLabels(count int) []int32 {
	labels := make([]int32, count)
	if count > 0 {
		labels[0] = unwritten
	}
	return labels
}

// Solve finds the assignment, one value for each member, with the best score: the members' own
// scores plus the potential. options: nil for the defaults. The assignment is nil if no feasible
// assignment was found; the outcome is [Infeasible] if it is proven that there is none. If a limit
// of the options ends the call, this is not an error, and the result is the best assignment so far.
func (s *CliqueSolver) Solve(potential *Potential, problem *CliqueProblem, options *CliqueOptions) ([]int32, CliqueResult, error) {
	c := begin()
	defer c.end()
	solver := (*C.chorale_clique_solver)(c.alone((*handle)(s)))
	p := (*C.chorale_potential)(c.share((*handle)(potential)))
	told := c.cliqueProblem(problem)
	with := c.cliqueOptions(options, int(told.members))
	if c.err != nil {
		return nil, CliqueResult{}, c.err
	}
	assignment := unwrittenLabels(problem.Members)
	result := new(C.chorale_clique_result)
	result.struct_size = C.sizeof_chorale_clique_result
	if c.failed(C.chorale_clique_solve(solver, p, told, with, ints(assignment), result, c.detail)) {
		return nil, CliqueResult{}, c.err
	}
	return found(assignment), cliqueResult(result), nil
}

// MaxMarginals returns marginals[i * Values + v]: for every member i and value v the best score of
// an assignment in which i has v, or minus infinity if no assignment with this value was found.
// form: whether the member's own score is included. assignment is the best assignment found, or nil
// if none was found.
func (s *CliqueSolver) MaxMarginals(potential *Potential, problem *CliqueProblem, options *CliqueOptions, form MarginalForm) (marginals []float64, assignment []int32, _ CliqueResult, _ error) {
	c := begin()
	defer c.end()
	solver := (*C.chorale_clique_solver)(c.alone((*handle)(s)))
	p := (*C.chorale_potential)(c.share((*handle)(potential)))
	told := c.cliqueProblem(problem)
	with := c.cliqueOptions(options, int(told.members))
	if c.err != nil {
		return nil, nil, CliqueResult{}, c.err
	}
	marginals = make([]float64, problem.Members*problem.Values)
	assignment = unwrittenLabels(problem.Members)
	result := new(C.chorale_clique_result)
	result.struct_size = C.sizeof_chorale_clique_result
	if c.failed(C.chorale_clique_max_marginals(solver, p, told, with, C.chorale_marginal_form(form), doubles(marginals), C.int64_t(problem.Values), ints(assignment), result, c.detail)) {
		return nil, nil, CliqueResult{}, c.err
	}
	return marginals, found(assignment), cliqueResult(result), nil
}

// Score computes the score of a given assignment, one value for each member.
func (s *CliqueSolver) Score(potential *Potential, problem *CliqueProblem, assignment []int32) (CliqueResult, error) {
	c := begin()
	defer c.end()
	solver := (*C.chorale_clique_solver)(c.alone((*handle)(s)))
	p := (*C.chorale_potential)(c.share((*handle)(potential)))
	told := c.cliqueProblem(problem)
	if c.err == nil {
		c.present("assignment", len(assignment), problem.Members)
	}
	if c.err != nil {
		return CliqueResult{}, c.err
	}
	result := new(C.chorale_clique_result)
	result.struct_size = C.sizeof_chorale_clique_result
	if c.failed(C.chorale_clique_score(solver, p, told, ints(assignment), result, c.detail)) {
		return CliqueResult{}, c.err
	}
	return cliqueResult(result), nil
}
