package chorale

import (
	"errors"
	"math"
	"math/rand"
	"os"
	"runtime"
	"strconv"
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

// refused fails the test unless errors.Is finds `want` in err.
func refused(t *testing.T, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%v, and not %v", err, want)
	}
}

func near(a, b float64) bool {
	return a == b || math.Abs(a-b) <= 1e-9*math.Max(1, math.Abs(b))
}

// seeded returns a random generator, the same in each run, and logs its seed. The environment
// variable CHORALE_SEED sets the seed.
func seeded(t *testing.T) *rand.Rand {
	seed := int64(20240607)
	if text := os.Getenv("CHORALE_SEED"); text != "" {
		seed = must(strconv.ParseInt(text, 10, 64))
	}
	t.Logf("CHORALE_SEED=%d", seed)
	return rand.New(rand.NewSource(seed))
}

// collected collects garbage and waits until the finalizers of what was found have run. They run one
// after the other: once that of an object has run which became garbage after the first collection,
// those of the first collection have run too. It gives up after ten seconds.
func collected() {
	type sentinel struct{ itself *int }
	for round := 0; round < 2; round++ {
		run := make(chan struct{})
		runtime.SetFinalizer(&sentinel{new(int)}, func(*sentinel) { close(run) })
		runtime.GC()
		select {
		case <-run:
		case <-time.After(10 * time.Second):
		}
	}
}

// settled collects garbage until a condition holds. It returns false if the condition does not hold
// within about a second.
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

// callbacksLeft collects garbage until the number of callbacks that C can still call no longer
// changes, and returns this number. The garbage of earlier tests is then collected.
func callbacksLeft() int64 {
	last := int64(-1)
	settled(func() bool {
		collected()
		now := liveCallbacks.Load()
		same := now == last
		last = now
		return same
	})
	return last
}

// rounds returns how many rounds of a loop to do: a quarter of count with -short, which is used
// under slow detectors such as the address sanitizer.
func rounds(count int) int {
	if testing.Short() {
		return count / 4
	}
	return count
}

// everyLabelling calls visit with every labelling of `length` positions with `labels` labels.
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

// flat returns all rows, one after the other, in one slice.
func flat[T any](rows [][]T) (all []T) {
	for _, row := range rows {
		all = append(all, row...)
	}
	return all
}

// sentences returns a model of three chains of two words each. The second word has the same token
// in all three.
func sentences(options *PotentialOptions) *Model {
	unary := [][]float64{{2.0, 0.1, 0.2, 0.1, 2.2, 0.4}, {1.8, 0.3, 0.1, 0.2, 1.9, 0.5}, {0.9, 0.2, 0.7, 0.1, 1.0, 1.3}}
	edges := Float64s{0, 0.2, 0.2, 0, 0.5, -1, 0, -1, 0.5}
	transitions := must(NewTransitions(3, edges, nil))
	agreement := must(NewPotts(3, 0.4, options))
	builder := must(NewModelBuilder())
	for i, scores := range unary {
		chain := &Chain{Length: 2, Labels: 3, Unary: Float64s(scores), Transitions: transitions}
		must(builder.AddChain(chain, &ChainOptions{Tokens: []int32{int32(i), 9}}))
	}
	word := must(builder.AddCliques(&CliqueSetup{Values: 3, Potential: agreement}, 1))
	if err := builder.AddMembers(word, &Members{Chains: []int64{0, 1, 2}, Positions: []int64{1, 1, 1}}); err != nil {
		panic(err)
	}
	model := must(builder.Freeze())
	builder.Close()
	transitions.Close()
	agreement.Close()
	return model
}
