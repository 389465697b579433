package chorale

// #include "shim.h"
import "C"

// Potential is a function of the counts n_v of a clique, where n_v is the number of its members with
// the value v, one of R values; n is the number of all members. It never changes, and any goroutine
// may use it.
type Potential handle

// table returns the rows of a table in one array. It refuses rows of different lengths.
func (c *call) table(name string, rows [][]float64) (all []float64, columns C.int64_t) {
	for i, row := range rows {
		if len(row) != len(rows[0]) {
			c.fail(refuse(ErrShape, "%s[%d] has %d elements, and %s[0] has %d", name, i, len(row), name, len(rows[0])))
		}
		all = append(all, row...)
	}
	if len(rows) > 0 {
		c.least("len("+name+"[0])", len(rows[0]), 1)
		columns = C.int64_t(len(rows[0]))
	}
	return all, columns
}

func (c *call) potentialOptions(options *PotentialOptions, values int) *C.chorale_potential_options {
	if options != nil {
		c.check("options.Counted", len(options.Counted), values)
	}
	return c.potentialOptionsInC(options)
}

// NewCallback makes a potential that calls the function score with the counts, one for each value,
// and the number of members. If score returns minus infinity, the counts are forbidden; if it
// returns an error, the computation ends. The result of score must depend only on its arguments.
// Several goroutines may call it at once. counts is valid only until score returns.
func NewCallback(values int, score func(counts []int64, members int64) (float64, error), options *PotentialOptions) (*Potential, error) {
	if score == nil {
		return nil, refuse(ErrNullArgument, "score is nil")
	}
	c := begin()
	defer c.end()
	with := c.potentialOptions(options, values)
	if c.err != nil {
		return nil, c.err
	}
	var made *C.chorale_potential
	user := c.callback(&counter{score: score})
	if c.failed(C.chorale_go_potential_create_callback(nil, C.int64_t(values), user, with, &made, c.detail)) {
		return nil, c.err
	}
	potential := newPotential(made)
	c.keepCallbacks(potential.handle())
	return potential, nil
}

// Score returns the potential for given counts, where counts[v] of `members` members have the value
// v; minus infinity if the counts are forbidden.
func (p *Potential) Score(counts []int64, members int64) (score float64, _ error) {
	c := begin()
	defer c.end()
	potential := (*C.chorale_potential)(c.share(p.handle()))
	c.name("values", "len(counts)")
	if c.err == nil {
		c.failed(C.chorale_potential_score(potential, longs(counts), C.int64_t(len(counts)), C.int64_t(members), (*C.double)(&score), c.detail))
	}
	return score, c.err
}
