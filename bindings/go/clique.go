package chorale

// #include "shim.h"
import "C"

// String returns the name of the algorithm, such as "alpha-pass".
func (a Algorithm) String() string {
	return C.GoString(C.chorale_algorithm_name(C.chorale_algorithm(a)))
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
