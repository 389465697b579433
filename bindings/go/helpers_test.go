package chorale

import (
	"errors"
	"math"
	"math/rand"
	"runtime"
	"testing"
	"time"
)

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// refused wants a status, or ErrClosed or ErrBusy.
func refused(t *testing.T, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%v, and not %v", err, want)
	}
}

func near(a, b float64) bool {
	return a == b || math.Abs(a-b) <= 1e-9*math.Max(1, math.Abs(b))
}

// seeded tells its seed.
func seeded(t *testing.T) *rand.Rand {
	seed := time.Now().UnixNano()
	t.Logf("seed %d", seed)
	return rand.New(rand.NewSource(seed))
}

// settled waits until a condition holds that garbage collections bring about.
func settled(condition func() bool) bool {
	for i := 0; i < 200; i++ {
		runtime.GC()
		if condition() {
			return true
		}
		time.Sleep(5 * time.Millisecond)
	}
	return false
}

// callbacksLeft is how many callbacks are held once what earlier tests forgot is collected.
func callbacksLeft() int64 {
	last := int64(-1)
	settled(func() bool {
		now := liveCallbacks.Load()
		same := now == last
		last = now
		return same
	})
	return last
}

// rounds of a loop: fewer under a detector.
func rounds(count int) int {
	if testing.Short() {
		return count / 4
	}
	return count
}

// everyLabelling calls with all labellings of so many positions.
func everyLabelling(length, labels int, visit func([]int32)) {
	labelling := make([]int32, length)
	for {
		visit(labelling)
		t := length - 1
		for ; t >= 0; t-- {
			if labelling[t]++; int(labelling[t]) < labels {
				break
			}
			labelling[t] = 0
		}
		if t < 0 {
			return
		}
	}
}

func randomScores(random *rand.Rand, count int) []float64 {
	scores := make([]float64, count)
	for i := range scores {
		scores[i] = float64(random.Intn(33)-16) / 4
	}
	return scores
}

// flat is all rows, one after the other.
func flat[T any](rows [][]T) (all []T) {
	for _, row := range rows {
		all = append(all, row...)
	}
	return all
}

// sentences is a model of three chains of two words whose last is the same token.
func sentences(host *Host, options *PotentialOptions) *Model {
	unary := [][]float64{{2.0, 0.1, 0.2, 0.1, 2.2, 0.4}, {1.8, 0.3, 0.1, 0.2, 1.9, 0.5}, {0.9, 0.2, 0.7, 0.1, 1.0, 1.3}}
	edges := Float64s{0, 0.2, 0.2, 0, 0.5, -1, 0, -1, 0.5}
	transitions := must(NewTransitions(3, edges, &TransitionsOptions{Host: host}))
	agreement := must(NewPotts(3, 0.4, options))
	builder := must(NewModelBuilder(host))
	for i, scores := range unary {
		chain := &Chain{Length: 2, Labels: 3, Unary: Float64s(scores), Transitions: transitions}
		must(builder.AddChain(chain, &ChainOptions{Tokens: []int32{int32(i), 9}}))
	}
	if _, _, err := builder.AddRepeatedWords(agreement, nil); err != nil {
		panic(err)
	}
	model := must(builder.Freeze())
	builder.Close()
	transitions.Close()
	agreement.Close()
	return model
}
