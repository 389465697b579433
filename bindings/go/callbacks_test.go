package chorale

import (
	"errors"
	"fmt"
	"math"
	"sync"
	"testing"
)

// panics fails the test unless `call` panics with the value `want`.
func panics(t *testing.T, want any, call func()) {
	t.Helper()
	defer func() {
		t.Helper()
		if got := recover(); got != want {
			t.Errorf("panic %v, expected %v", got, want)
		}
	}()
	call()
}

func TestCallbackPotentials(t *testing.T) {
	before := callbacksLeft()
	fault := errors.New("out of ideas")
	mode := ""
	potential := must(NewCallback(2, func(counts []int64, members int64) (float64, error) {
		switch {
		case mode == "error":
			return 0, fault
		case mode == "panic":
			panic("no idea")
		case mode == "nan":
			return math.NaN(), nil
		}
		return float64(counts[0] * counts[0]), nil
	}, nil))
	if must(potential.Score([]int64{3, 1}, 4)) != 9 {
		t.Error("a callback potential")
	}
	solver := must(NewCliqueSolver())
	problem := &CliqueProblem{Members: 3, Values: 2, Scores: []float64{0, 1, 0, 1, 0, 1}}
	x, _, err := solver.Solve(potential, problem, nil)
	check(t, err)
	if list(x) != "0 0 0" {
		t.Error(x)
	}
	model := sentencesOf(potential)
	for _, call := range []func() error{
		func() error { _, err := potential.Score([]int64{3, 1}, 4); return err },
		func() error { _, _, err := solver.Solve(potential, problem, nil); return err },
		func() error {
			run := must(NewRun(model, nil, nil))
			defer run.Close()
			_, err := run.Solve(nil)
			return err
		},
	} {
		mode = "error"
		err := call()
		refused(t, err, ErrCallbackStopped)
		refused(t, err, fault)
		mode = "nan"
		refused(t, call(), ErrCallbackValue)
		mode = "panic"
		panics(t, "no idea", func() { call() })
		mode = ""
		check(t, call())
	}
	solver.Close()
	potential.Close()
	model.Close()
	if !settled(func() bool { return liveCallbacks.Load() <= before }) {
		t.Errorf("%d callbacks are left", liveCallbacks.Load()-before)
	}
	_, err = NewCallback(0, func([]int64, int64) (float64, error) { return 0, nil }, nil)
	refused(t, err, ErrSize)
	_, err = NewCallback(1, nil, nil)
	refused(t, err, ErrNullArgument)
}

// sentencesOf returns a model of two chains of one position each, both members of one clique with
// the given potential.
func sentencesOf(potential *Potential) *Model {
	builder := must(NewModelBuilder())
	defer builder.Close()
	clique := must(builder.AddCliques(&CliqueSetup{Values: 2, Potential: potential}, 1))
	for i := 0; i < 2; i++ {
		chain := must(builder.AddChain(&Chain{Length: 1, Labels: 2, Unary: Float64s{0, 1}}, nil))
		if err := builder.AddMembers(clique, &Members{Chains: []int64{int64(chain)}, Positions: []int64{0}}); err != nil {
			panic(err)
		}
	}
	return must(builder.Freeze())
}

func collectGarbage() { settled(func() bool { return true }) }

func TestProgressAndThreads(t *testing.T) {
	model := sentences(nil)
	rounds := 0
	options := &RunOptions{}
	options.BoundSteps = 20
	options.Progress = func(p Progress) bool {
		if p.Round > rounds {
			rounds = p.Round
		}
		return false
	}
	run := must(NewRun(model, options, nil))
	result := must(run.Solve(nil))
	if rounds != result.Rounds || rounds == 0 {
		t.Errorf("told of %d rounds of %d", rounds, result.Rounds)
	}
	run.Close()
	options.Progress = func(Progress) bool { return true }
	if result := must(must(NewRun(model, options, nil)).Solve(nil)); result.Outcome != Cancelled {
		t.Error(result.Outcome)
	}
	options.Progress = func(Progress) bool { panic("progress") }
	panics(t, "progress", func() { must(NewRun(model, options, nil)).Solve(nil) })
	options.Progress = nil

	want := must(run2(model, options))
	options.Threads = 3
	if got := must(run2(model, options)); got != want {
		t.Errorf("with threads: %s and not %s", got, want)
	}
}

func several(count int, work func()) {
	var group sync.WaitGroup
	for i := 0; i < count; i++ {
		group.Add(1)
		go func() {
			defer group.Done()
			work()
		}()
	}
	group.Wait()
}

func run2(model *Model, options *RunOptions) (string, error) {
	run, err := NewRun(model, options, nil)
	if err != nil {
		return "", err
	}
	defer run.Close()
	result, err := run.Solve(nil)
	if err != nil {
		return "", err
	}
	labels, err := run.Labels(AllChains, Together)
	return fmt.Sprint(result, labels), err
}
