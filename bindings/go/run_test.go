package chorale

import (
	"context"
	"encoding/json"
	"math"
	"testing"
	"time"
)

// watched is a run that is told of.
func watched(progress func(Progress) bool) *Run {
	options := NewRunOptions()
	options.Progress = progress
	return must(NewRun(sentences(nil, nil), options, nil))
}

func TestContexts(t *testing.T) {
	// Cancelled in the middle of a call: after round 0.
	ctx, cancel := context.WithCancel(context.Background())
	var run *Run
	run = watched(func(p Progress) bool {
		cancel()
		for !run.cancel.IsRaised() {
			time.Sleep(time.Millisecond)
		}
		return false
	})
	result := must(run.Solve(ctx))
	if result.Outcome != Cancelled || result.Rounds != 0 || list(must(run.Labels(2, Best))) != "2 2" {
		t.Error(result)
	}
	// It is cancelled still, and then not any more.
	if result := must(run.Step(ctx)); result.Outcome != Cancelled {
		t.Error(result.Outcome)
	}
	if result := must(run.Polish(context.Background())); result.Outcome == Cancelled {
		t.Error(result.Outcome)
	}
	// Deadlines: in the middle, past, and the run's own.
	slow := func(Progress) bool {
		time.Sleep(30 * time.Millisecond)
		return false
	}
	for _, limit := range []time.Duration{20 * time.Millisecond, -time.Second} {
		ctx, cancel := context.WithTimeout(context.Background(), limit)
		if result := must(watched(slow).Solve(ctx)); result.Outcome != Deadline {
			t.Error(limit, result.Outcome)
		}
		cancel()
	}
	options := NewRunOptions()
	options.TimeLimit = 0
	if result := must(must(NewRun(sentences(nil, nil), options, nil)).Solve(nil)); result.Outcome != Deadline {
		t.Error(result.Outcome)
	}
	// A context that ends with the call leaves nothing behind.
	ctx, cancel = context.WithCancel(context.Background())
	free := watched(nil)
	must(free.Solve(ctx))
	cancel()
	if result := must(free.Solve(nil)); result.Outcome != Complete || free.cancel.IsRaised() {
		t.Error(result.Outcome)
	}
}

func TestRunBelongsToOneGoroutine(t *testing.T) {
	begun, end := make(chan struct{}), make(chan struct{})
	told := false
	run := watched(func(Progress) bool {
		if !told {
			told = true
			close(begun)
			<-end
		}
		return false
	})
	over := make(chan RunResult)
	go func() { over <- must(run.Solve(nil)) }()
	<-begun
	_, err := run.Solve(nil)
	refused(t, err, ErrBusy)
	_, err = run.Labels(0, Best)
	refused(t, err, ErrBusy)
	refused(t, run.Reset(), ErrBusy)
	refused(t, run.SetChain(0, &Chain{}), ErrBusy)
	_, err = NewRun(run.model, nil, run)
	refused(t, err, ErrBusy)
	check(t, run.Close()) // takes effect at the end of the call
	_, err = run.Result()
	refused(t, err, ErrClosed)
	close(end)
	if result := <-over; result.Outcome != Complete {
		t.Error(result.Outcome)
	}
	check(t, run.Close())
}

func TestManyGoroutinesReadAModel(t *testing.T) {
	model := sentences(nil, nil)
	want := must(run2(model, NewRunOptions()))
	several(8, func() {
		for i := 0; i < 5; i++ {
			if got := must(run2(model, NewRunOptions())); got != want {
				t.Error(got)
			}
		}
	})
}

func TestResults(t *testing.T) {
	model := sentences(nil, nil)
	if cost := must(EstimateRun(model, nil)); cost.RunBytes == 0 || cost.ModelBytes != model.Bytes() || cost.ScoreBytes != model.ScoreBytes() {
		t.Error(cost)
	}
	run := must(NewRun(model, nil, nil))
	_, err := run.Labels(0, Best)
	refused(t, err, ErrNoLabelling)
	result := must(run.Solve(nil))
	if again := must(run.Result()); again != result {
		t.Error(again)
	}
	paid := must(run.Payments(2))
	if len(paid) != 1 || paid[0].Position != 1 || paid[0].Value != 1 || paid[0].OwnValue != 2 || !near(paid[0].Amount, 1.6) {
		t.Error(paid)
	}
	if own := must(run.Labels(2, Own)); list(own) != "2 2" {
		t.Error(own)
	}
	if values := must(run.Values(0, Own)); list(values) != "1 1 2" {
		t.Error(values)
	}
	if score, changed, err := run.ChainScore(2, Own); err != nil || !near(score, 2.5) || !changed {
		t.Error(score, changed, err)
	}
	marginals, margins, err := run.MaxMarginals(2)
	check(t, err)
	if len(marginals) != 6 || len(margins) != 2 || marginals[4] < marginals[5] {
		t.Error(marginals, margins)
	}
	var said struct {
		Score  float64
		Chains []struct{ Labels []int32 }
	}
	check(t, json.Unmarshal(must(run.JSON()), &said))
	if said.Score != result.Score || list(said.Chains[2].Labels) != "0 1" {
		t.Error(said)
	}
	// Started from a run, there is nothing left to do.
	if second := must(must(NewRun(model, nil, run)).Solve(nil)); second.Score != result.Score {
		t.Error(second)
	}
}

// Other scores for a chain are copied: what the caller does with them afterwards does not matter.
func TestSetChain(t *testing.T) {
	model := sentences(nil, nil)
	chain, options, err := model.Chain(2)
	check(t, err)
	if list(options.Tokens) != "2 9" || chain.Length != 2 || chain.Transitions.Labels() != 3 {
		t.Error(chain)
	}
	run := must(NewRun(model, nil, nil))
	before := must(run.Solve(nil))
	unary := Float64s{0.9, 0.2, 0.7, 0.1, 1, 9}
	other := *chain
	other.Unary = unary
	check(t, run.SetChain(2, &other))
	check(t, run.SetChain(2, &other))
	chain.Transitions.Close()
	for i := range unary {
		unary[i] = math.NaN()
	}
	collectGarbage()
	if after := must(run.Solve(nil)); !(after.Score > before.Score+5) || list(must(run.Labels(2, Best))) != "2 2" {
		t.Error(after)
	}
	refused(t, run.SetChain(2, &other), ErrClosed) // its transitions
	other.Transitions = nil
	refused(t, run.SetChain(2, &other), ErrNotANumber)
	other.Unary = Float64s{0, 0, 0}
	other.Length = 1
	refused(t, run.SetChain(2, &other), ErrShape)
	refused(t, run.SetChain(9, &other), ErrOutOfRange)
	refused(t, run.SetChain(2, nil), ErrNullArgument)
	check(t, run.Reset())
	if again := must(run.Solve(nil)); again.Score != before.Score {
		t.Error(again)
	}
}
