package chorale

// #include "shim.h"
import "C"

import "unsafe"

// A potential is a function of the counts n_v, where n_v is the number of members of a clique with
// the value v, one of R values; n is the number of all members. A function f_v of the count of one
// value is given as a table, whose entry k is f_v(k).

// Potential is a function of the counts of a clique, the numbers of its members with each value. It
// never changes, and any goroutine may use it.
type Potential handle

// PotentialOptions are the options of all functions that make a potential; nil means the zero
// value.
type PotentialOptions struct {
	Scale   Scale  // the factor by which the potential is multiplied
	Shape   Shape  // the shape of the tables of NewSum; other potentials ignore it
	Counted []byte // a byte for each value; 0: the value is uncounted, that is, its members add nothing and it is never the majority. nil: every value is counted
}

// table returns the rows of a table in one array. It refuses rows of different lengths.
func (c *call) table(name string, rows [][]float64) (all []float64, columns C.int64_t) {
	c.names = map[string]string{"table_count": "len(" + name + ")"}
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

// newPotential makes a potential by calling `create`, which calls the library. watching: where the
// potential's callback stores its panics and errors; nil if the potential has no callback.
func newPotential(values int, options *PotentialOptions, watching *failures,
	create func(c *call, options *C.chorale_potential_options, potential **C.chorale_potential) C.chorale_status) (*Potential, error) {
	if options == nil {
		options = &PotentialOptions{}
	}
	c := begin()
	defer c.end()
	if values >= 1 {
		c.check("options.Counted", len(options.Counted), values)
	}
	if c.err != nil {
		return nil, c.err
	}
	told := &C.chorale_potential_options{struct_size: C.sizeof_chorale_potential_options}
	told.scale = C.chorale_scale(options.Scale)
	told.shape = C.chorale_shape(options.Shape)
	told.counted = (*C.uint8_t)(lend(c, options.Counted))
	var potential *C.chorale_potential
	status := create(c, told, &potential)
	if c.err != nil || c.failed(status) {
		return nil, c.err
	}
	h := potentialHandle(potential)
	if watching != nil {
		h.watching = append(h.watching, watching)
	}
	return (*Potential)(h), nil
}

func potentialHandle(potential *C.chorale_potential) *handle {
	return newHandle(unsafe.Pointer(potential), func(pointer unsafe.Pointer) {
		C.chorale_potential_release((*C.chorale_potential)(pointer))
	})
}

// NewPotts makes the Potts potential: lambda * sum_v n_v^2.
func NewPotts(values int, lambda float64, options *PotentialOptions) (*Potential, error) {
	return newPotential(values, options, nil, func(c *call, options *C.chorale_potential_options, potential **C.chorale_potential) C.chorale_status {
		return C.chorale_potential_create_potts(nil, C.int64_t(values), C.double(lambda), options, potential, c.detail)
	})
}

// NewEntropy makes the entropy potential: lambda * sum_v n_v log n_v, with 0 log 0 = 0.
func NewEntropy(values int, lambda float64, options *PotentialOptions) (*Potential, error) {
	return newPotential(values, options, nil, func(c *call, options *C.chorale_potential_options, potential **C.chorale_potential) C.chorale_status {
		return C.chorale_potential_create_entropy(nil, C.int64_t(values), C.double(lambda), options, potential, c.detail)
	})
}

// NewSum makes the potential sum_v f_v(n_v). tables: one row for each value, or one row for all
// values. Column k of row v is f_v(k); minus infinity forbids the count k. With L columns, cliques
// may have up to L - 1 members.
func NewSum(values int, tables [][]float64, options *PotentialOptions) (*Potential, error) {
	return newPotential(values, options, nil, func(c *call, options *C.chorale_potential_options, potential **C.chorale_potential) C.chorale_status {
		all, columns := c.table("tables", tables)
		if c.err != nil {
			return C.CHORALE_OK
		}
		return C.chorale_potential_create_sum(nil, C.int64_t(values), doubles(all), C.int64_t(len(tables)), columns, 0, options, potential, c.detail)
	})
}

// NewMax makes the potential max_v f_v(n_v) over the counted values v, with tables as in [NewSum].
func NewMax(values int, tables [][]float64, options *PotentialOptions) (*Potential, error) {
	return newPotential(values, options, nil, func(c *call, options *C.chorale_potential_options, potential **C.chorale_potential) C.chorale_status {
		all, columns := c.table("tables", tables)
		if c.err != nil {
			return C.CHORALE_OK
		}
		return C.chorale_potential_create_max(nil, C.int64_t(values), doubles(all), C.int64_t(len(tables)), columns, 0, options, potential, c.detail)
	})
}

// NewCardinality makes a potential that depends on the count of one value. Exactly two of the
// values must be counted (PotentialOptions.Counted); table[k] is the potential if k members have
// the higher-numbered of these two values.
func NewCardinality(values int, table []float64, options *PotentialOptions) (*Potential, error) {
	return newPotential(values, options, nil, func(c *call, options *C.chorale_potential_options, potential **C.chorale_potential) C.chorale_status {
		c.names = map[string]string{"length": "len(table)"}
		return C.chorale_potential_create_cardinality(nil, C.int64_t(values), doubles(table), C.int64_t(len(table)), options, potential, c.detail)
	})
}

// NewMakespan makes the makespan potential: the maximum over the counted values v of lambda * n_v.
func NewMakespan(values int, lambda float64, options *PotentialOptions) (*Potential, error) {
	return newPotential(values, options, nil, func(c *call, options *C.chorale_potential_options, potential **C.chorale_potential) C.chorale_status {
		return C.chorale_potential_create_makespan(nil, C.int64_t(values), C.double(lambda), options, potential, c.detail)
	})
}

// NewSquareMakespan makes the square makespan potential: the maximum over the counted values v of
// lambda * n_v^2.
func NewSquareMakespan(values int, lambda float64, options *PotentialOptions) (*Potential, error) {
	return newPotential(values, options, nil, func(c *call, options *C.chorale_potential_options, potential **C.chorale_potential) C.chorale_status {
		return C.chorale_potential_create_square_makespan(nil, C.int64_t(values), C.double(lambda), options, potential, c.detail)
	})
}

// NewMajority makes the potential bias[a] + sum_v weights[a * values + v] * n_v, where a is the
// value with the highest count. If several values have the highest count, a is the one that gives
// the highest potential. weights: values x values. bias: one entry for each value; nil for zeros.
func NewMajority(values int, weights, bias []float64, options *PotentialOptions) (*Potential, error) {
	return newPotential(values, options, nil, func(c *call, options *C.chorale_potential_options, potential **C.chorale_potential) C.chorale_status {
		if values >= 1 {
			c.present("weights", len(weights), product(values, values))
			c.check("bias", len(bias), values)
		}
		if c.err != nil {
			return C.CHORALE_OK
		}
		return C.chorale_potential_create_majority(nil, C.int64_t(values), doubles(weights), 0, doubles(bias), options, potential, c.detail)
	})
}

// NewPairs makes the potential that adds up scores[x_i * values + x_j] over all ordered pairs of
// distinct members i and j, where x_i is the value of i. scores: values x values numbers, which
// need not be symmetric.
func NewPairs(values int, scores []float64, options *PotentialOptions) (*Potential, error) {
	return newPotential(values, options, nil, func(c *call, options *C.chorale_potential_options, potential **C.chorale_potential) C.chorale_status {
		if values >= 1 {
			c.present("scores", len(scores), product(values, values))
		}
		if c.err != nil {
			return C.CHORALE_OK
		}
		return C.chorale_potential_create_pairs(nil, C.int64_t(values), doubles(scores), 0, options, potential, c.detail)
	})
}

// NewCallback makes a potential that calls the function score with the counts, one for each value,
// and the number of members. If score returns minus infinity, the counts are forbidden; if it
// returns an error, the computation ends. The result of score must depend only on its arguments.
// Several goroutines may call it at once. counts is valid only until score returns.
func NewCallback(values int, score func(counts []int64, members int64) (float64, error), options *PotentialOptions) (*Potential, error) {
	if score == nil {
		return nil, refuse(ErrNullArgument, "score is nil")
	}
	told := &counter{score: score}
	return newPotential(values, options, &told.failures, func(c *call, options *C.chorale_potential_options, potential **C.chorale_potential) C.chorale_status {
		user := newCallback(told)
		status := C.chorale_go_potential_create_callback(nil, C.int64_t(values), C.uintptr_t(user), options, potential, c.detail)
		if status != C.CHORALE_OK {
			dropCallback(user)
		}
		return status
	})
}

// Close releases this handle. Models keep the potential alive.
func (p *Potential) Close() error { return (*handle)(p).close() }

// Score returns the potential for given counts, where counts[v] of `members` members have the value
// v; minus infinity if the counts are forbidden.
func (p *Potential) Score(counts []int64, members int64) (float64, error) {
	c := begin()
	defer c.end()
	potential := (*C.chorale_potential)(c.share((*handle)(p)))
	if c.err != nil {
		return 0, c.err
	}
	var score C.double
	c.names = map[string]string{"values": "len(counts)"}
	c.failed(C.chorale_potential_score(potential, (*C.int64_t)(first(counts)), C.int64_t(len(counts)), C.int64_t(members), &score, c.detail))
	return float64(score), c.err
}
