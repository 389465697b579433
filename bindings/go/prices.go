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

// Prices is a run of a model that has only some of the members of its shared cliques, because all of them together are too
// large for one model. The models send counts, how many of their members have each value, and receive prices, what a member
// is paid for each value. While every round sets prices by the counts of the round before, with [Potential.Prices] of a convex
// potential, and every model is solved to its maximum, the score of all models together does not fall.
//
// One goroutine at a time, results by any number while none solves. In these the payments are scores of the shared cliques.
type Prices struct {
	run    *Run // its handle is that of the whole; it is only read
	prices *C.chorale_prices
	values []int // of the potentials of the shared cliques
}

// NewPrices creates a run of a model, some of whose cliques are shared. Of their potentials the number of values matters
// alone; the other cliques are solved as in any run. options: nil for the defaults; Edits is ignored, and [MessagesAuto] is
// [MessagesFloat64].
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

// reads is the run, for results alone.
func (p *Prices) reads() *Run {
	if p == nil {
		return nil
	}
	return p.run
}

// Close frees the run.
func (p *Prices) Close() error { return p.reads().Close() }

// Solve labels the model under prices, from the beginning: the same prices give the same labels, whatever was solved before.
// prices: a row for each shared clique, in the order of creation, with an entry for each value of its potential (R + 2 values
// are 0 to R - 1, EMPTY, CONFLICT); nil: all prices are 0.
//
// The score is that of the chains and of the cliques that are not shared, without payments: the share of this model in the
// score of all models together; minus infinity where no labelling was found. Where the deadline or the cancellation of the
// context (nil: none) ends the call, both are given: what was found until then, with the outcome [Cancelled], and the error of
// the context. After prices that are refused the last labelling stays.
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

// flat is all rows, one after the other.
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

// placed makes an error name the row and the element of a price.
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

// Counts say how many members of each shared clique have each value in the labelling of the last Solve: rows as [Prices.Solve]
// takes them. Members with a value outside a dictionary, and by a potential over R values those that are EMPTY or CONFLICT,
// are in no count. All rows are parts of one array.
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

// Result is what the last call said, as [Run.Result].
func (p *Prices) Result() (RunResult, error) { return p.reads().Result() }

// Labels are the labels of one chain, as [Run.Labels].
func (p *Prices) Labels(chain int, of Labelling) ([]int32, error) { return p.reads().Labels(chain, of) }

// AllLabels are the labels of all chains, one row a chain, as [Run.AllLabels].
func (p *Prices) AllLabels(of Labelling) ([][]int32, error) { return p.reads().AllLabels(of) }

// ChainScores are the scores of all chains, and whether their labels differ from their own best ones, as [Run.ChainScores].
func (p *Prices) ChainScores(of Labelling) (scores []float64, changed []bool, _ error) {
	return p.reads().ChainScores(of)
}

// CliqueScores are the scores of all cliques, as [Run.CliqueScores]; those of shared cliques are their payments.
func (p *Prices) CliqueScores(of Labelling) ([]float64, error) { return p.reads().CliqueScores(of) }

// AllValues are what the members of all cliques show, one row a clique, as [Run.AllValues].
func (p *Prices) AllValues(of Labelling) ([][]int32, error) { return p.reads().AllValues(of) }

// AllPayments are the payments to all chains, one row a chain, as [Run.AllPayments].
func (p *Prices) AllPayments() ([][]Payment, error) { return p.reads().AllPayments() }

// JSON is the whole result, as [Run.JSON].
func (p *Prices) JSON() ([]byte, error) { return p.reads().JSON() }

// Components are what must lie in one part of a corpus: chains, or whole documents, with a member in the same clique that is not
// shared. What is joined has numbers from 0 to count - 1, for instance documents and cliques in one numbering, with a pair
// first[k], second[k] for each membership. Given is the lowest number of the component of each.
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
