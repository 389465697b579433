package chorale

// #include "shim.h"
import "C"

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Prices is a run of a model with shared cliques, whose other members are in other models, because one
// model with all members would be too large. Each model sends counts, the number of its members with
// each value, and receives prices, the score added to a member for each value. Every round computes the
// prices from the counts of the round before, with [Potential.Prices]. If the potential is convex and
// every model is solved to its maximum, the score of all models together never decreases.
//
// One goroutine at a time; any number may read results while none solves. In the results the scores of
// shared cliques are the prices of their members.
type Prices struct {
	run    *Run // its handle also owns the prices; used only to read results
	prices *C.chorale_prices
	values []int // by shared clique: number of values of its potential
}

// NewPrices creates a run of a model in which `cliques` are shared. Only the number of values of their
// potentials is used; the other cliques are solved as in any run. options: nil for the defaults; Edits
// is ignored, and [MessagesAuto] is [MessagesFloat64].
func NewPrices(model *Model, cliques []int, options *RunOptions) (*Prices, error) {
	p := &Prices{values: make([]int, len(cliques))}
	run, err := newRun(options, func(c *call, run *Run, host *C.chorale_host, told *C.chorale_run_options) (*C.chorale_run, func()) {
		m := (*C.chorale_model)(c.share((*handle)(model)))
		if c.err != nil {
			return nil, nil
		}
		numbers := wide(cliques)
		var created *C.chorale_prices
		if c.failed(C.chorale_prices_create(host, m, longs(numbers), C.int64_t(len(numbers)), told, &created, c.detail)) {
			return nil, nil
		}
		p.prices = created
		for i, clique := range numbers {
			p.values[i] = int(C.chorale_potential_values(C.chorale_model_clique_potential(m, C.int64_t(clique))))
		}
		run.model = newModel(C.chorale_model_retain(m), (*handle)(model))
		return C.chorale_prices_run(created), func() { C.chorale_prices_destroy(created) }
	})
	if err != nil {
		return nil, err
	}
	p.run = run
	return p, nil
}

// reads is the run, used only to read results.
func (p *Prices) reads() *Run {
	if p == nil {
		return nil
	}
	return p.run
}

// Close frees the run.
func (p *Prices) Close() error { return p.reads().Close() }

// Solve labels the model under prices, always from a new start: the same prices give the same labels,
// whatever was solved before.
// prices: a row for each shared clique, in the order of creation, with an entry for each value of its potential (R + 2 values
// are 0 to R - 1, EMPTY, CONFLICT); nil: all prices are 0.
//
// The score is that of the chains and of the cliques that are not shared, without prices: the
// contribution of this model to the score of all models together; minus infinity if no labelling was
// found. If the deadline or the cancellation of the context (nil: none) ends the call, Solve returns
// both the result so far, with the outcome [Cancelled], and the error of the context. If prices are
// refused, the last labelling is kept.
func (p *Prices) Solve(ctx context.Context, prices [][]float64) (score float64, result RunResult, _ error) {
	c, _ := p.reads().begin(true)
	defer c.end()
	if c.err != nil {
		return 0, RunResult{}, c.err
	}
	if ctx == nil {
		ctx = context.Background()
	}
	numbers, err := p.flat(prices)
	c.fail(err)
	cancel := (*C.chorale_cancel)(c.share((*handle)(p.run.cancel)))
	if c.err != nil {
		return 0, RunResult{}, c.err
	}
	C.chorale_cancel_lower(cancel)
	finish := raiseAtEnd(ctx, cancel, true)
	told := newRunResult()
	var found C.double
	status := func() C.chorale_status {
		defer finish()
		return C.chorale_prices_solve(p.prices, doubles(numbers), C.int64_t(len(numbers)), &found, told, c.detail)
	}()
	if c.failed(status) {
		return 0, RunResult{}, p.placed(c.err)
	}
	result = runResult(told)
	if result.Outcome == Cancelled {
		err = ctx.Err() // nil where a callback asked for the end
	}
	return float64(found), result, err
}

// flat returns all rows in one array.
func (p *Prices) flat(rows [][]float64) (all []float64, _ error) {
	if rows == nil {
		return nil, nil
	}
	if len(rows) != len(p.values) {
		return nil, refuse(ErrShape, "prices has %d rows, and there are %d shared cliques", len(rows), len(p.values))
	}
	for i, row := range rows {
		if len(row) != p.values[i] {
			return nil, refuse(ErrShape, "prices[%d] has %d elements, and its potential has %d values", i, len(row), p.values[i])
		}
		all = append(all, row...)
	}
	return all, nil
}

// placed adds the row and the element of a price to an error.
func (p *Prices) placed(err error) error {
	failure, ok := err.(*Error)
	if !ok || !strings.HasPrefix(failure.Message, "numbers[") {
		return err
	}
	number, rest, _ := strings.Cut(strings.TrimPrefix(failure.Message, "numbers["), "]")
	at, malformed := strconv.Atoi(number)
	if malformed != nil {
		return err
	}
	row := 0
	for row < len(p.values)-1 && at >= p.values[row] {
		at -= p.values[row]
		row++
	}
	failure.Message = fmt.Sprintf("prices[%d][%d]%s", row, at, rest)
	return failure
}

// Counts are the numbers of members of each shared clique with each value in the labelling of the last
// Solve: rows as [Prices.Solve] takes them. Not counted: members with a value outside a dictionary, and,
// if the potential has R values, members that are EMPTY or CONFLICT. All rows are parts of one array.
func (p *Prices) Counts() ([][]int64, error) {
	c, _ := p.reads().begin(false)
	defer c.end()
	if c.err != nil {
		return nil, c.err
	}
	var needed C.int64_t
	if c.failed(C.chorale_prices_counts(p.prices, nil, 0, &needed, c.detail)) {
		return nil, c.err
	}
	counts := make([]int64, int(needed))
	if needed > 0 && c.failed(C.chorale_prices_counts(p.prices, longs(counts), needed, nil, c.detail)) {
		return nil, c.err
	}
	return cut(counts, p.values), nil
}

// Result is the result of the last call, as [Run.Result].
func (p *Prices) Result() (RunResult, error) { return p.reads().Result() }

// Labels are the labels of one chain, as [Run.Labels].
func (p *Prices) Labels(chain int, of Labelling) ([]int32, error) { return p.reads().Labels(chain, of) }

// AllLabels are the labels of all chains, one row a chain, as [Run.AllLabels].
func (p *Prices) AllLabels(of Labelling) ([][]int32, error) { return p.reads().AllLabels(of) }

// ChainScores are the scores of all chains, and whether their labels differ from their best ones without
// cliques, as [Run.ChainScores].
func (p *Prices) ChainScores(of Labelling) (scores []float64, changed []bool, _ error) {
	return p.reads().ChainScores(of)
}

// CliqueScores are the scores of all cliques, as [Run.CliqueScores]; those of shared cliques are the
// prices of their members.
func (p *Prices) CliqueScores(of Labelling) ([]float64, error) { return p.reads().CliqueScores(of) }

// AllValues are the values of the members of all cliques, one row for each clique, as [Run.AllValues].
func (p *Prices) AllValues(of Labelling) ([][]int32, error) { return p.reads().AllValues(of) }

// AllPayments are the payments to all chains, one row a chain, as [Run.AllPayments].
func (p *Prices) AllPayments() ([][]Payment, error) { return p.reads().AllPayments() }

// JSON is the whole result, as [Run.JSON].
func (p *Prices) JSON() ([]byte, error) { return p.reads().JSON() }

// Components computes connected components, by which a corpus can be divided into parts: two chains, or
// whole documents, with a member in the same clique that is not shared belong in one part. Items are
// numbered from 0 to count - 1, for instance documents and cliques in one numbering, with a pair
// first[k], second[k] for each membership. Components returns the lowest number of the component of each
// item.
func Components(first, second []int32, count int) ([]int32, error) {
	if len(first) != len(second) {
		return nil, refuse(ErrShape, "first has %d elements, second %d", len(first), len(second))
	}
	if count < 0 || count > math.MaxInt32 {
		return nil, refuse(ErrSize, "count is %d; it must be from 0 to %d", count, math.MaxInt32)
	}
	c := begin()
	defer c.end()
	found := make([]int32, count)
	for i := range found {
		found[i] = int32(i)
	}
	if c.failed(C.chorale_components_join(ints(first), ints(second), C.int64_t(len(first)), ints(found), C.int64_t(count), c.detail)) {
		return nil, c.err
	}
	return found, nil
}
