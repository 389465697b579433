package chorale

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
)

// threeDocuments holds the scores of three documents, each with three mentions of one name: for
// each mention the scores of its two labels.
var threeDocuments = [][]float64{
	{2, 0, 1, 0, 0.5, 0},
	{1.5, 0, 1, 0, 0, 0.25},
	{0, 0.5, 0, 0.75, 0, 1},
}

// itemModel returns a model of single items with two labels. The first `size` items form a clique,
// the next `size` items another, and so on.
func itemModel(scores []float64, size int, potential *Potential) *Model {
	builder := must(NewModelBuilder())
	defer builder.Close()
	for i := 0; i < len(scores)/2; i++ {
		if i%size == 0 {
			must(builder.AddCliques(&CliqueSetup{Values: 2, Potential: potential}, 1))
		}
		chain := must(builder.AddChain(&Chain{Length: 1, Labels: 2, Unary: Float64s(scores[2*i : 2*i+2])}, nil))
		if err := builder.AddMembers(i/size, &Members{Chains: []int64{int64(chain)}, Positions: []int64{0}}); err != nil {
			panic(err)
		}
	}
	return must(builder.Freeze())
}

func scaledPotts(lambda float64) *Potential {
	return must(NewPotts(2, lambda, &PotentialOptions{Scale: ScaleByMembers}))
}

func TestANameInThreeDocuments(t *testing.T) {
	potential := scaledPotts(1)
	var documents []*Prices
	for _, scores := range threeDocuments {
		other := scaledPotts(7)
		model := itemModel(scores, 3, other)
		documents = append(documents, must(NewPrices(model, []int{0}, nil)))
		check(t, model.Close()) // the prices keep the model alive
		check(t, other.Close())
	}
	whole := itemModel(flat(threeDocuments), 9, potential)
	for _, want := range []struct {
		begin, counts []int64
		score         float64
	}{{[]int64{0, 0}, []int64{5, 4}, 13.06}, {[]int64{9, 0}, []int64{9, 0}, 15}, {[]int64{0, 9}, []int64{1, 8}, 11.72}} {
		prices, _, err := potential.Prices(want.begin, 9)
		check(t, err)
		counts, labels, score, before := []int64{}, []int32{}, 0.0, math.Inf(-1)
		for round := 0; round < 3; round++ {
			counts, labels, score = make([]int64, 2), nil, 0
			for _, document := range documents {
				part, result, err := document.Solve(nil, [][]float64{prices})
				check(t, err)
				if result.Outcome != Complete {
					t.Error(result.Outcome)
				}
				score += part
				for v, count := range must(document.Counts())[0] {
					counts[v] += count
				}
				labels = append(labels, must(document.Labels(AllChains, Together))...)
			}
			next, agreement, err := potential.Prices(counts, 9)
			check(t, err)
			prices = next
			if score += agreement; score < before {
				t.Errorf("%v after %v", score, before)
			}
			before = score
		}
		if counts[0] != want.counts[0] || counts[1] != want.counts[1] || math.Abs(score-want.score) > 0.005 {
			t.Errorf("%v, %v", counts, score)
		}
		// In one model of all documents, these labels have the same score.
		if told := must(whole.Score(labels)); !near(told.Score, score) {
			t.Errorf("%v in one model, and %v", told.Score, score)
		}
	}
	for _, document := range documents {
		check(t, document.Close())
	}
}

func TestWhatPricesTell(t *testing.T) {
	model := itemModel([]float64{0.5, 0, 0, 1, 0.25, 0, 0, 0.125}, 2, must(NewPotts(2, 0.5, nil)))
	p := must(NewPrices(model, []int{1, 0}, nil))
	_, err := p.Counts()
	refused(t, err, ErrNoLabelling)
	score, result, err := p.Solve(nil, [][]float64{{0, 1}, {2, 0}})
	check(t, err)
	if score != 0.5+0.125 || result.Score != score+2*2+2*1 || must(p.Result()) != result {
		t.Error(score, result)
	}
	if counts := must(p.Counts()); counts[0][0] != 0 || counts[0][1] != 2 || counts[1][0] != 2 || counts[1][1] != 0 {
		t.Error(counts)
	}
	if own := must(p.Labels(1, Alone)); own[0] != 1 || must(p.Labels(1, Together))[0] != 0 {
		t.Error(own)
	}
	if reasons := must(p.Reasons(1)); len(reasons) != 1 || reasons[0].Amount != 2 {
		t.Error(reasons)
	}
	// Without prices, shared cliques add nothing; a clique that is not shared adds its potential.
	if score, _, err = p.Solve(nil, nil); err != nil || score != 0.5+1+0.25+0.125 {
		t.Error(score, err)
	}
	some := must(NewPrices(model, []int{0}, nil))
	if score, _, err = some.Solve(nil, [][]float64{{0, 0}}); err != nil || score != 0.5+1+0.25+0.5*4 {
		t.Error(score, err)
	}
}

func TestPricesAreSlopesAndMostIsABound(t *testing.T) {
	potts := must(NewPotts(2, 0.5, nil))
	prices, score, err := potts.Prices([]int64{3, 2}, 7) // two members have no value
	if err != nil || prices[0] != 3 || prices[1] != 2 || score != 6.5 {
		t.Error(prices, score, err)
	}
	paid := []float64{1.5, 2.25}
	most := math.Inf(-1)
	for a := int64(0); a <= 7; a++ {
		for b := int64(0); a+b <= 7; b++ {
			_, score, err := potts.Prices([]int64{a, b}, 7)
			check(t, err)
			most = math.Max(most, score-paid[0]*float64(a)-paid[1]*float64(b))
		}
	}
	if told := must(potts.Most(paid, 7)); !near(told, most) {
		t.Errorf("%v, not %v", told, most)
	}
}

func TestPricesThatCannotBe(t *testing.T) {
	refuses := func(err error, want Status, message string) {
		t.Helper()
		if refused(t, err, want); err == nil || !strings.Contains(err.Error(), message) {
			t.Errorf("%v, without %s", err, message)
		}
	}
	potts := must(NewPotts(2, 1, nil))
	model := itemModel([]float64{0, 1, 2, 0}, 1, potts)
	create := func(cliques ...int) error {
		_, err := NewPrices(model, cliques, nil)
		return err
	}
	refuses(create(0, 2), ErrOutOfRange, "cliques[1] is 2")
	refuses(create(-1), ErrOutOfRange, "cliques[0] is -1")
	refuses(create(1, 1), ErrDuplicateMember, "cliques[1] is clique 1")
	options := &RunOptions{}
	options.Damping = 2
	_, err := NewPrices(model, nil, options)
	refuses(err, ErrOutOfRange, "Damping is 2")

	p := must(NewPrices(model, []int{0, 1}, nil))
	solve := func(rows ...[]float64) error {
		_, _, err := p.Solve(nil, rows)
		return err
	}
	check(t, solve([]float64{3, 0}, []float64{0, 3}))
	refuses(solve([]float64{0, 0}), ErrShape, "prices has 1 rows")
	refuses(solve([]float64{0, 0}, []float64{0}), ErrShape, "prices[1] has 1 elements")
	for wrong, status := range map[float64]Status{math.NaN(): ErrNotANumber, math.Inf(1): ErrInfinite, 1e300: ErrOutOfRange} {
		refuses(solve([]float64{0, 0}, []float64{wrong, 0}), status, "prices[1][0] is")
		refuses(solve([]float64{0, wrong}, []float64{0, 0}), status, "prices[0][1] is")
		_, err := potts.Most([]float64{0, wrong}, 3)
		refuses(err, status, "prices[1] is")
	}
	if counts := must(p.Counts()); counts[0][0] != 1 || counts[1][1] != 1 {
		t.Errorf("the last labelling did not stay: %v", counts)
	}

	prices := func(of *Potential, counts ...int64) error {
		_, _, err := of.Prices(counts, 3)
		return err
	}
	refuses(prices(potts, 1), ErrValuesMismatch, "len(counts) is 1")
	refuses(prices(potts), ErrNullArgument, "counts")
	refuses(prices(potts, 2, 2), ErrOutOfRange, "counts[1] is 2")
	refuses(prices(potts, -1, 2), ErrOutOfRange, "counts[0] is -1")
	_, err = potts.Most([]float64{1}, 3)
	refuses(err, ErrValuesMismatch, "len(prices) is 1")
	concave := must(NewPotts(2, -1, nil))
	refuses(prices(concave, 1, 2), ErrKind, "convex")
	_, err = concave.Most([]float64{0, 0}, 3)
	refuses(err, ErrKind, "convex")

	check(t, p.Close())
	check(t, p.Close())
	refused(t, solve(), ErrClosed)
	_, err = p.Counts()
	refused(t, err, ErrClosed)
	_, err = p.Labels(AllChains, Together)
	refused(t, err, ErrClosed)
	var none *Prices
	_, _, err = none.Solve(nil, nil)
	refused(t, err, ErrClosed)
	check(t, none.Close())
	_, err = NewPrices(nil, nil, nil)
	refused(t, err, ErrClosed)
	check(t, concave.Close())
	refused(t, prices(concave, 1, 2), ErrClosed)
	_, err = concave.Most([]float64{0, 0}, 3)
	refused(t, err, ErrClosed)
}

func TestPricesEndWithTheirContextAndCallbacks(t *testing.T) {
	before := callbacksLeft()
	failure := errors.New("a potential")
	own := must(NewCallback(2, func([]int64, int64) (float64, error) { return 0, failure }, nil))
	model := itemModel([]float64{0, 1, 2, 0}, 1, own)
	// The potentials of shared cliques are never called.
	p := must(NewPrices(model, []int{0, 1}, nil))
	score, _, err := p.Solve(context.Background(), [][]float64{{0, 0}, {0, 0}})
	if err != nil || score != 3 {
		t.Error(score, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	score, result, err := p.Solve(ctx, nil)
	if !errors.Is(err, context.Canceled) || result.Outcome != Cancelled || score != 3 {
		t.Error(score, result.Outcome, err)
	}
	if score, _, err = p.Solve(nil, nil); err != nil || score != 3 {
		t.Error(score, err)
	}
	check(t, p.Close())
	if p, err = NewPrices(model, []int{0}, nil); err == nil {
		_, _, err = p.Solve(nil, nil)
		check(t, p.Close())
	}
	if !errors.Is(err, failure) {
		t.Error(err)
	}
	options := &RunOptions{}
	options.Progress = func(Progress) bool { return true }
	potts := must(NewPotts(2, 1, nil))
	p = must(NewPrices(itemModel([]float64{0, 1, 2, 0}, 1, potts), []int{0}, options))
	if _, result, err = p.Solve(nil, nil); err != nil || result.Outcome != Cancelled {
		t.Error(result.Outcome, err)
	}
	check(t, p.Close())
	check(t, model.Close())
	check(t, own.Close())
	if left := callbacksLeft(); left != before {
		t.Errorf("%d callbacks are left", left-before)
	}
}
