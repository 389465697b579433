package chorale

// #include "shim.h"
import "C"

import (
	"context"
	"fmt"
	"strconv"
	"strings"
)

// Prices is a run of one model with shared cliques: cliques that have members in other models too,
// because one model with all members would be too large. For each shared clique, each model sends
// counts, the numbers of its members with each value. It receives prices: the price of a value is
// the score that is added to every member with this value. The caller repeats two steps: it adds up
// the counts of all models and computes prices from them with [Potential.Prices], and it solves
// every model under these prices. If the potential is convex and every model is solved to its
// maximum, the score of all models together never decreases.
//
// One goroutine at a time may solve; any number may read results while none solves. In the results,
// the score of a shared clique is the sum of the prices of its members.
type Prices struct {
	run    *Run // the run, whose handle also owns the prices; used only to read results
	prices *C.chorale_prices
	values []int // for each shared clique the number of values of its potential
}

// NewPrices makes a run of a model in which `cliques` are shared. Prices replace the potentials of
// these cliques; of such a potential only the number of values is used. The other cliques are
// solved as in any run. options: nil for the defaults; Edits is ignored, and [MessagesAuto] is
// taken as [MessagesFloat64].
func NewPrices(model *Model, cliques []int, options *RunOptions) (*Prices, error) {
	p := &Prices{values: make([]int, len(cliques))}
	run, err := newRun(options, func(c *call, run *Run, told *C.chorale_run_options) (*C.chorale_run, func()) {
		m := (*C.chorale_model)(c.share((*handle)(model)))
		if c.err != nil {
			return nil, nil
		}
		numbers := wide(cliques)
		var created *C.chorale_prices
		if c.failed(C.chorale_prices_create(nil, m, longs(numbers), C.int64_t(len(numbers)), told, &created, c.detail)) {
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

// reads returns the run, which may be used only to read results.
func (p *Prices) reads() *Run {
	if p == nil {
		return nil
	}
	return p.run
}

// Close frees the prices and their run.
func (p *Prices) Close() error { return p.reads().Close() }

// Solve labels the model under prices. The result does not depend on earlier calls: the same prices
// give the same labels. prices: one row for each shared clique, in the order in which the cliques
// were passed to [NewPrices]. A row has an entry for each value of the clique's potential; if the
// potential has R + 2 values, the last two are EMPTY (no value) and CONFLICT (several values). nil:
// all prices are 0.
//
// score is the score of the chains and of the cliques that are not shared, without prices: what
// this model contributes to the score of all models together. It is minus infinity if no labelling
// was found. If the deadline or the cancellation of the context (nil: none) ends the call, Solve
// returns both the result so far, with the outcome [Cancelled], and the error of the context. If
// prices are refused, the last labelling is kept.
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
		err = ctx.Err() // nil if a callback, not the context, ended the call
	}
	return float64(found), result, err
}

// flat returns the entries of all rows in one array, after checking the lengths of the rows.
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

// placed rewrites an error about an entry of `numbers`, the library's one array of all prices, so
// that it names the row and the entry of the caller's prices.
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

// Counts returns how many members of each shared clique have each value, under the labelling of the
// last Solve. The shape is that of the prices that [Prices.Solve] takes: one row for each shared
// clique, with one entry for each value of its potential. All rows are parts of one array. Members
// with a value outside the clique's dictionary are not counted. Members with EMPTY or CONFLICT are
// counted only if the potential has R + 2 values, which include these two.
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

// Result returns the result of the last Solve, as [Run.Result] does.
func (p *Prices) Result() (RunResult, error) { return p.reads().Result() }

// Labels returns the labels of one chain, as [Run.Labels] does.
func (p *Prices) Labels(chain int, of Labelling) ([]int32, error) { return p.reads().Labels(chain, of) }

// Reasons returns the reasons of a chain, or of [AllChains], as [Run.Reasons] does.
func (p *Prices) Reasons(chain int) ([]Reason, error) { return p.reads().Reasons(chain) }
