package chorale

import (
	"context"
	"errors"
	"math"
	"strings"
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
	if potential.Family() != FamilyCallback || potential.Values() != 2 || must(potential.Score([]int64{3, 1}, 4)) != 9 {
		t.Error("a callback potential")
	}
	solver := must(NewCliqueSolver(nil))
	problem := &CliqueProblem{Members: 3, Values: 2, Scores: []float64{0, 1, 0, 1, 0, 1}}
	x, _, err := solver.Solve(potential, problem, nil)
	check(t, err)
	if list(x) != "0 0 0" {
		t.Error(x)
	}
	model := sentencesOf(potential)
	run := must(NewRun(model, nil, nil))
	for _, call := range []func() error{
		func() error { _, err := potential.Score([]int64{3, 1}, 4); return err },
		func() error { _, _, err := solver.Solve(potential, problem, nil); return err },
		func() error { run.Reset(); _, err := run.Solve(nil); return err },
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
	run.Close()
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
	builder := must(NewModelBuilder(nil))
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

// item is an Instance with one position. The unary score of label v is scores[v]. Messages and
// Decode return the error that fault() returns.
type item struct {
	scores []float64
	fault  func() error
}

func (o *item) Shape() (length, labels int) { return 1, len(o.scores) }

func (o *item) Messages(incoming, outgoing [][]float64) error {
	for p := range outgoing {
		for v, score := range o.scores {
			outgoing[p][v] = score
			for q := range incoming {
				if q != p {
					outgoing[p][v] += incoming[q][v]
				}
			}
		}
	}
	return o.fault()
}

func (o *item) Decode(incoming [][]float64, labelling, values []int32) (float64, error) {
	best := math.Inf(-1)
	for v, score := range o.scores {
		total := score
		for q := range incoming {
			total += incoming[q][v]
		}
		if total > best {
			best = total
			labelling[0] = int32(v)
		}
	}
	for p := range values {
		values[p] = labelling[0]
	}
	return o.scores[labelling[0]], o.fault()
}

func TestInstances(t *testing.T) {
	before := callbacksLeft()
	fault := errors.New("the other machine is gone")
	var fails func() error
	func() {
		builder := must(NewModelBuilder(nil))
		clique := must(builder.AddCliques(&CliqueSetup{Values: 2, Potential: must(NewPotts(2, 0.4, nil))}, 1))
		for _, scores := range [][]float64{{1, 0}, {1, 0}, {0, 0.5}} {
			o := &item{scores, func() error {
				if fails != nil {
					return fails()
				}
				return nil
			}}
			number := must(builder.AddInstance(o))
			check(t, builder.AddMembers(clique, &Members{Chains: []int64{int64(number)}, Tables: [][]int32{{}}}))
		}
		_, err := builder.AddInstance(&item{nil, nil})
		refused(t, err, ErrSize)
		_, err = builder.AddInstance(nil)
		refused(t, err, ErrNullArgument)
		model := must(builder.Freeze())
		options := NewRunOptions()
		options.Threads = 2
		run := must(NewRun(model, options, nil))
		model.Close()
		builder.Close()
		check(t, run.Reset())
		collectGarbage()
		result := must(run.Solve(context.Background()))
		if labels := must(run.AllLabels(Together)); list(flat(labels)) != "0 0 0" || !near(result.Score, 2+0.4*9) {
			t.Error(labels, result.Score)
		}
		_, _, err = model.Chain(0)
		refused(t, err, ErrClosed)
		_, _, err = run.model.Chain(0)
		refused(t, err, ErrKind)
		check(t, run.Reset())
		fails = func() error { return fault }
		_, err = run.Solve(nil)
		refused(t, err, ErrCallbackStopped)
		refused(t, err, fault)
		fails = func() error { panic("instance") }
		panics(t, "instance", func() { run.Solve(nil) })
		fails = nil
		_, err = run.Solve(nil)
		check(t, err)
	}()
	if !settled(func() bool { return liveCallbacks.Load() <= before }) {
		t.Errorf("%d callbacks are left", liveCallbacks.Load()-before)
	}
}

func collectGarbage() { settled(func() bool { return true }) }

func TestProgressAndExecutors(t *testing.T) {
	model := sentences(nil, nil)
	rounds := 0
	options := NewRunOptions()
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
	var late []func()
	for name, executor := range map[string]Executor{
		"several":  func(workers int, work func()) { several(workers, work) },
		"too many": func(workers int, work func()) { several(3*workers, work) },
		"nothing":  func(int, func()) {},
		"too late": func(_ int, work func()) { late = append(late, work) },
	} {
		options.Executor = executor
		if got := must(run2(model, options)); got != want {
			t.Errorf("%s: %s and not %s", name, got, want)
		}
	}
	for _, work := range late {
		work()
	}
	options.Executor = func(int, func()) { panic("executor") }
	panics(t, "executor", func() { run2(model, options) })
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
	if _, err := run.Solve(nil); err != nil {
		return "", err
	}
	text, err := run.JSON()
	return string(text), err
}

func TestLogAndMemory(t *testing.T) {
	before := callbacksLeft()
	var said []string
	host := must(NewHost(-1, func(level LogLevel, message string) {
		if level == LogWarning {
			said = append(said, message)
		}
	}))
	builder := must(NewModelBuilder(host))
	must(builder.AddCliques(&CliqueSetup{Values: 2, Potential: must(NewPotts(2, 1, nil))}, 1))
	must(builder.Freeze()).Close()
	builder.Close()
	if len(said) == 0 || !strings.Contains(said[0], "clique") {
		t.Error(said)
	}
	if host.Bytes() != 0 || host.Blocks() != 0 {
		t.Errorf("%d bytes in %d blocks are left", host.Bytes(), host.Blocks())
	}
	potential := must(NewPotts(2, 1, &PotentialOptions{Host: host}))
	if host.Bytes() == 0 || host.Blocks() == 0 {
		t.Error("nothing is counted")
	}
	host.Close() // the potential keeps what it needs of the host alive
	potential.Close()
	if live := liveCallbacks.Load(); live > before {
		t.Errorf("%d callbacks are left", live-before)
	}
	shouting := must(NewHost(-1, func(LogLevel, string) { panic("log") }))
	builder = must(NewModelBuilder(shouting))
	must(builder.AddCliques(&CliqueSetup{Values: 2, Potential: must(NewPotts(2, 1, nil))}, 1))
	panics(t, "log", func() { builder.Freeze() })
}

// Makes the same model under about forty limits of memory, one after the other, all below what the
// model needs. The call that runs out of memory fails with ErrOutOfMemory, and no memory is leaked.
func TestOutOfMemory(t *testing.T) {
	whole := must(NewHost(-1, nil))
	model := sentences(whole, &PotentialOptions{Host: whole})
	needed := whole.Bytes()
	model.Close()
	if needed == 0 || !settled(func() bool { return whole.Bytes() == 0 }) {
		t.Fatalf("%d bytes are left", whole.Bytes())
	}
	for limit := int64(0); limit < needed; limit += 1 + needed/40 {
		host := must(NewHost(limit, nil))
		func() {
			defer func() {
				if err, ok := recover().(error); !ok || !errors.Is(err, ErrOutOfMemory) {
					t.Errorf("within %d bytes: %v", limit, err)
				}
			}()
			sentences(host, &PotentialOptions{Host: host})
		}()
		if !settled(func() bool { return host.Bytes() == 0 }) {
			t.Errorf("within %d bytes: %d are left", limit, host.Bytes())
		}
	}
}
