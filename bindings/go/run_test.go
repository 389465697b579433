package chorale

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"testing"
	"time"
)

// watched returns a run with a progress callback.
func watched(progress func(Progress) bool) *Run {
	options := NewRunOptions()
	options.Progress = progress
	options.BoundSteps = 1
	return must(NewRun(sentences(nil, nil), options, nil))
}

// If a context ends during a call or has ended before it, the call returns the result so far and
// the context's error, and the run can be used further.
func TestContexts(t *testing.T) {
	want := must(watched(nil).Solve(nil))
	type step = func(context.Context) (RunResult, error)
	ctx, cancel := context.WithCancel(context.Background())
	var run *Run
	run = watched(func(p Progress) bool {
		if ctx.Err() == nil {
			cancel()
			for !run.cancel.IsRaised() {
				time.Sleep(time.Millisecond)
			}
		}
		return false
	})
	// The context is cancelled after round 0, so there are labels.
	result, err := run.Solve(ctx)
	refused(t, err, context.Canceled)
	if result.Outcome != Cancelled || result.Rounds != 0 || result.Score != result.OwnScore || list(must(run.Labels(2, Together))) != "2 2" {
		t.Error(result)
	}
	if again := must(run.Result()); again != result {
		t.Error(again)
	}
	// With the cancelled context every call ends at once. With another context the next call continues
	// where the run stopped.
	for i := 0; i < 3; i++ {
		if result, err := run.Solve(ctx); !errors.Is(err, context.Canceled) || result.Outcome != Cancelled || result.Score != want.OwnScore {
			t.Error(i, result, err)
		}
	}
	if result, err := run.Solve(context.Background()); err != nil || result.Score != want.Score || result.Outcome != want.Outcome {
		t.Error(result, err)
	}
	// With a context that has ended before the first call, the labels are those of each chain by
	// itself.
	fresh := watched(nil)
	if result, err := fresh.Solve(ctx); !errors.Is(err, context.Canceled) || result.Score != result.OwnScore {
		t.Error(result, err)
	}
	if labels := must(fresh.Labels(0, Together)); !reflect.DeepEqual(labels, must(fresh.Labels(0, Alone))) {
		t.Error(labels)
	}
}

func TestDeadlines(t *testing.T) {
	slow := func(Progress) bool {
		time.Sleep(30 * time.Millisecond)
		return false
	}
	for _, limit := range []time.Duration{20 * time.Millisecond, -time.Second} {
		fresh, run := watched(slow), watched(slow)
		ctx, cancel := context.WithTimeout(context.Background(), limit)
		result, err := run.Solve(ctx)
		refused(t, err, context.DeadlineExceeded)
		if result.Outcome != Deadline || result.Score < result.OwnScore || list(must(run.Labels(2, Alone))) != "2 2" {
			t.Error(limit, result)
		}
		<-ctx.Done()
		if result, err := fresh.Solve(ctx); !errors.Is(err, context.DeadlineExceeded) || result.Outcome != Deadline || result.Score != result.OwnScore {
			t.Error(limit, result, err)
		}
		cancel()
	}
	// If the run's own limit ends the call, there is no error, also if a context has more time.
	options := NewRunOptions()
	options.TimeLimit = 0
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	defer cancel()
	for _, with := range []context.Context{nil, context.Background(), ctx} {
		if result := must(must(NewRun(sentences(nil, nil), options, nil)).Solve(with)); result.Outcome != Deadline {
			t.Error(result.Outcome)
		}
	}
	// If a callback ends the call, there is no error either.
	if result := must(watched(func(Progress) bool { return true }).Solve(ctx)); result.Outcome != Cancelled {
		t.Error(result.Outcome)
	}
	// A context that is cancelled after its call has returned does not cancel the next call.
	ended, end := context.WithCancel(context.Background())
	free := watched(nil)
	must(free.Solve(ended))
	end()
	if result := must(free.Solve(nil)); result.Outcome != Complete || free.cancel.IsRaised() {
		t.Error(result.Outcome)
	}
	// A context may end by a deadline that its method Deadline does not report.
	if result, err := watched(nil).Solve(late{ctx}); !errors.Is(err, context.DeadlineExceeded) || result.Outcome != Cancelled {
		t.Error(result, err)
	}
}

// late is a context that is past a deadline which its method Deadline does not report.
type late struct{ context.Context }

func (late) Deadline() (time.Time, bool) { return time.Time{}, false }
func (late) Err() error                  { return context.DeadlineExceeded }
func (late) Done() <-chan struct{} {
	done := make(chan struct{})
	close(done)
	return done
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
	_, err = run.Labels(0, Together)
	refused(t, err, ErrBusy)
	refused(t, run.Reset(), ErrBusy)
	refused(t, run.SetChain(0, &Chain{}), ErrBusy)
	_, err = NewRun(run.model, nil, run)
	refused(t, err, ErrBusy)
	check(t, run.Close()) // the run is freed when the call that uses it ends
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
	if model.Bytes() == 0 {
		t.Error("a model of no bytes")
	}
	run := must(NewRun(model, nil, nil))
	_, err := run.Labels(0, Together)
	refused(t, err, ErrNoLabelling)
	result := must(run.Solve(nil))
	if again := must(run.Result()); again != result {
		t.Error(again)
	}
	reasons := must(run.Reasons(2))
	if len(reasons) != 1 || reasons[0].Position != 1 || reasons[0].Value != 1 || reasons[0].OwnValue != 2 || !near(reasons[0].Amount, 1.6) {
		t.Error(reasons)
	}
	if own := must(run.Labels(2, Alone)); list(own) != "2 2" {
		t.Error(own)
	}
	if values := must(run.Values(0, Alone)); list(values) != "1 1 2" {
		t.Error(values)
	}
	if score, changed, err := run.ChainScore(2, Alone); err != nil || !near(score, 2.5) || !changed {
		t.Error(score, changed, err)
	}
	marginals, margins, err := run.MaxMarginals(2)
	check(t, err)
	if len(marginals) != 6 || len(margins) != 2 || marginals[4] < marginals[5] {
		t.Error(marginals, margins)
	}
	probabilities, exact, err := run.Probabilities(2, 0.5)
	check(t, err)
	if !exact || len(probabilities) != 6 || !near(probabilities[3]+probabilities[4]+probabilities[5], 1) ||
		probabilities[4] < probabilities[5] {
		t.Error(probabilities, exact)
	}
	if _, _, err := run.Probabilities(2, 0); !errors.Is(err, ErrOutOfRange) {
		t.Error(err)
	}
	var said struct {
		Score  float64
		Chains []struct{ Labels []int32 }
	}
	check(t, json.Unmarshal(must(run.JSON()), &said))
	if said.Score != result.Score || list(said.Chains[2].Labels) != "0 1" {
		t.Error(said)
	}
	// A run that starts from a solved run finds nothing better.
	if second := must(must(NewRun(model, nil, run)).Solve(nil)); second.Score != result.Score {
		t.Error(second)
	}
}

// For the same labels, the model and the run compute the same score. A run that starts from given
// labels reaches at least their score.
func TestLabelsOfOnesOwn(t *testing.T) {
	model := sentences(nil, nil)
	run := must(NewRun(model, nil, nil))
	result := must(run.Solve(nil))
	var labels, own []int32
	for _, row := range must(run.AllLabels(Together)) {
		labels = append(labels, row...)
	}
	for _, row := range must(run.AllLabels(Alone)) {
		own = append(own, row...)
	}
	found := must(model.Score(labels, nil))
	if found.Score != result.Score || must(model.Score(own, nil)).Score != result.OwnScore {
		t.Error(found, result)
	}
	scores, _, err := run.ChainScores(Together)
	check(t, err)
	for i, score := range scores {
		if found.ChainScores[i] != score {
			t.Error(i, found.ChainScores, scores)
		}
	}
	for i, score := range found.CliqueScores {
		if score != must(run.CliqueScore(i, Together)) {
			t.Error(i, found.CliqueScores)
		}
	}
	options := NewRunOptions()
	options.Rounds = 0
	options.LocalSearch = false
	fresh := must(NewRun(model, options, nil))
	check(t, fresh.SetLabels(labels))
	_, err = fresh.AllLabels(Together)
	refused(t, err, ErrNoLabelling)
	if again := must(fresh.Solve(nil)); again.Score != result.Score {
		t.Error(again, result)
	}
	refused(t, fresh.SetLabels(labels[1:]), ErrShape)
	_, err = model.Score(nil, nil)
	refused(t, err, ErrShape)
	labels[0] = 99
	refused(t, fresh.SetLabels(labels), ErrOutOfRange)
	_, err = model.Score(labels, nil)
	refused(t, err, ErrOutOfRange)
	fresh.Close()
	refused(t, fresh.SetLabels(own), ErrClosed)
}

func TestEdits(t *testing.T) {
	model := sentences(nil, nil)
	plain := must(NewRun(model, nil, nil))
	refused(t, plain.SetStrength(0, 2), ErrState)
	refused(t, plain.SetAllowed(0, 0, nil), ErrState)
	options := NewRunOptions()
	options.Edits = true
	run := must(NewRun(model, options, nil))
	before := must(run.Solve(nil))
	labels := must(run.Labels(2, Together))
	allowed := []bool{true, true, true}
	allowed[labels[0]] = false
	check(t, run.SetAllowed(2, 0, allowed))
	must(run.Solve(nil))
	if after := must(run.Labels(2, Together)); after[0] == labels[0] {
		t.Error(after)
	}
	check(t, run.SetAllowed(2, 0, nil))
	check(t, run.SetStrength(0, 0))
	must(run.Solve(nil))
	check(t, run.SetStrength(0, 1))
	if again := must(run.Solve(nil)); again.Score < before.Score-1e-9 {
		t.Error(again)
	}
	refused(t, run.SetAllowed(2, 0, []bool{true}), ErrShape)
	refused(t, run.SetAllowed(2, 0, []bool{false, false, false}), ErrForbiddenValue)
	refused(t, run.SetStrength(0, -1), ErrOutOfRange)
}

// SetChain copies the new scores, so the caller may change them afterwards.
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
	if after := must(run.Solve(nil)); !(after.Score > before.Score+5) || list(must(run.Labels(2, Together))) != "2 2" {
		t.Error(after)
	}
	refused(t, run.SetChain(2, &other), ErrClosed) // the transitions of the new scores are closed
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
