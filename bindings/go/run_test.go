package chorale

import (
	"context"
	"errors"
	"reflect"
	"testing"
	"time"
)

// watched returns a run with a progress callback.
func watched(progress func(Progress) bool) *Run {
	options := &RunOptions{}
	options.Progress = progress
	options.BoundSteps = 1
	return must(NewRun(sentences(nil), options, nil))
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
			// Gives another goroutine time to raise the cancel flag.
			time.Sleep(100 * time.Millisecond)
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
	options := &RunOptions{}
	options.TimeLimit = -1
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	defer cancel()
	for _, with := range []context.Context{nil, context.Background(), ctx} {
		if result := must(must(NewRun(sentences(nil), options, nil)).Solve(with)); result.Outcome != Deadline {
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
	if result := must(free.Solve(nil)); result.Outcome != Complete {
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
	refused(t, run.SetStrength(0, 1), ErrBusy)
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
	model := sentences(nil)
	want := must(run2(model, &RunOptions{}))
	several(8, func() {
		for i := 0; i < 5; i++ {
			if got := must(run2(model, &RunOptions{})); got != want {
				t.Error(got)
			}
		}
	})
}

func TestResults(t *testing.T) {
	model := sentences(nil)
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
	// A run that starts from a solved run finds nothing better.
	if second := must(must(NewRun(model, nil, run)).Solve(nil)); second.Score != result.Score {
		t.Error(second)
	}
}

// For the same labels, the model and the run compute the same score. A run that starts from given
// labels reaches at least their score.
func TestLabelsOfOnesOwn(t *testing.T) {
	model := sentences(nil)
	run := must(NewRun(model, nil, nil))
	result := must(run.Solve(nil))
	labels, own := must(run.Labels(AllChains, Together)), must(run.Labels(AllChains, Alone))
	found := must(model.Score(labels))
	if found.Score != result.Score || must(model.Score(own)).Score != result.OwnScore {
		t.Error(found, result)
	}
	sum := 0.0
	for _, score := range append(found.ChainScores, found.CliqueScores...) {
		sum += score
	}
	if !near(sum, result.Score) || len(found.ChainScores) != 3 || len(found.CliqueScores) != 1 {
		t.Error(found, result)
	}
	options := &RunOptions{}
	options.Rounds = NoRounds
	options.NoLocalSearch = true
	fresh := must(NewRun(model, options, nil))
	check(t, fresh.SetLabels(labels))
	_, err := fresh.Labels(AllChains, Together)
	refused(t, err, ErrNoLabelling)
	if again := must(fresh.Solve(nil)); again.Score != result.Score {
		t.Error(again, result)
	}
	refused(t, fresh.SetLabels(labels[1:]), ErrShape)
	_, err = model.Score(nil)
	refused(t, err, ErrShape)
	labels[0] = 99
	refused(t, fresh.SetLabels(labels), ErrOutOfRange)
	_, err = model.Score(labels)
	refused(t, err, ErrOutOfRange)
	fresh.Close()
	refused(t, fresh.SetLabels(own), ErrClosed)
}

func TestEdits(t *testing.T) {
	model := sentences(nil)
	plain := must(NewRun(model, nil, nil))
	refused(t, plain.SetStrength(0, 2), ErrState)
	refused(t, plain.SetAllowed(0, 0, nil), ErrState)
	options := &RunOptions{}
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

// Chain returns copies of what was added.
func TestChainOfAModel(t *testing.T) {
	chain, options, err := sentences(nil).Chain(2)
	check(t, err)
	if list(options.Tokens) != "2 9" || chain.Length != 2 || !near(must(chain.Score([]int32{0, 1})), 0.9+1.0+0.2) {
		t.Error(chain, must(chain.Score([]int32{0, 1})))
	}
	check(t, chain.Transitions.Close())
}
