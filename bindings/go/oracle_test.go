package chorale

import (
	"context"
	"math"
	"testing"
)

// Clique inference gives the same results as enumerating all assignments, for every family that has
// an exact solver or a proof of optimality.
func TestCliquesAgainstEnumeration(t *testing.T) {
	random := seeded(t)
	solver := must(NewCliqueSolver())
	defer solver.Close()
	for round := 0; round < rounds(60); round++ {
		n, R := 1+random.Intn(4), 2+random.Intn(2)
		lambda := float64(random.Intn(9)-4) / 4
		table := [][]float64{randomScores(random, n+1)}
		weights := randomScores(random, R*R)
		potentials := []*Potential{
			must(NewPotts(R, lambda, nil)), must(NewEntropy(R, lambda, &PotentialOptions{Scale: ScaleByMembers})),
			must(NewSum(R, table, nil)), must(NewMax(R, table, nil)), must(NewMakespan(R, lambda, nil)),
			must(NewSquareMakespan(R, lambda, nil)), must(NewMajority(R, weights, randomScores(random, R), nil)),
			must(NewPairs(R, weights, nil)), must(NewCallback(R, func(counts []int64, members int64) (float64, error) {
				return lambda * float64(counts[0]*counts[1]), nil
			}, nil)),
		}
		if R == 2 {
			potentials = append(potentials, must(NewCardinality(2, table[0], nil)))
		}
		problem := &CliqueProblem{Members: n, Values: R, Scores: randomScores(random, n*R)}
		for p, potential := range potentials {
			score := func(x []int32) float64 {
				counts, total := make([]int64, R), 0.0
				for i, v := range x {
					counts[v]++
					total += problem.Scores[i*R+int(v)]
				}
				return total + must(potential.Score(counts, int64(n)))
			}
			best, marginals := math.Inf(-1), make([]float64, n*R)
			for i := range marginals {
				marginals[i] = math.Inf(-1)
			}
			everyLabelling(n, R, func(x []int32) {
				total := score(x)
				best = math.Max(best, total)
				for i, v := range x {
					marginals[i*R+int(v)] = math.Max(marginals[i*R+int(v)], total)
				}
			})
			options := &CliqueOptions{}
			options.Prove = true
			x, result, err := solver.Solve(potential, problem, options)
			check(t, err)
			if !near(result.Score, score(x)) || result.Score > best+1e-9 || (result.Proven && !near(result.Score, best)) {
				t.Fatalf("score %v, best %v, proven %v", result.Score, best, result.Proven)
			}
			if isExact := p < 7 || p > 8; isExact && !result.Proven { // all but pairs and callbacks
				t.Fatalf("not proven: potential %d, %v", p, result)
			}
			evaluated := must(solver.Score(potential, problem, x))
			if evaluated.Score != result.Score {
				t.Fatalf("evaluated %v, solved %v", evaluated.Score, result.Score)
			}
			m, _, result, err := solver.MaxMarginals(potential, problem, nil)
			check(t, err)
			for i := range m {
				if m[i] > marginals[i]+1e-9 || (result.MarginalsExact && !near(m[i], marginals[i])) {
					t.Fatalf("marginal %v, exact %v", m[i], marginals[i])
				}
			}
			potential.Close()
		}
	}
}

// Chains and trees give the same results as enumerating all labellings, for both element types,
// with solvers and with scratch memory.
func TestChainsAgainstEnumeration(t *testing.T) {
	random := seeded(t)
	solver := must(NewChainSolver())
	defer solver.Close()
	for round := 0; round < rounds(60); round++ {
		T, m := random.Intn(5), 1+random.Intn(3)
		narrow := func(scores []float64) Scores {
			if round%2 == 0 {
				return Float64s(scores)
			}
			singles := make(Float32s, len(scores))
			for i, score := range scores {
				singles[i] = float32(score)
			}
			return singles
		}
		transitions := must(NewTransitions(m, narrow(randomScores(random, m*m)), &TransitionsOptions{
			Orientation: Orientation(random.Intn(2)), Start: narrow(randomScores(random, m)),
		}))
		chain := &Chain{Length: T, Labels: m, Unary: narrow(randomScores(random, T*m)), Transitions: transitions}
		tree := T > 0 && random.Intn(3) == 0
		if tree {
			for i := 0; i < T; i++ {
				chain.Parents = append(chain.Parents, int32(random.Intn(i+1)-1))
			}
			chain.Parents[0] = -1
		}
		if random.Intn(2) == 0 && T > 0 {
			chain.Forced = make([]int32, T)
			for i := range chain.Forced {
				chain.Forced[i] = int32(random.Intn(m+1) - 1)
			}
		}
		best, marginals, count := math.Inf(-1), make([]float64, T*m), 0
		for i := range marginals {
			marginals[i] = math.Inf(-1)
		}
		everyLabelling(T, m, func(y []int32) {
			score := must(chain.Score(y))
			if !math.IsInf(score, -1) {
				count++
			}
			best = math.Max(best, score)
			for i, label := range y {
				marginals[i*m+int(label)] = math.Max(marginals[i*m+int(label)], score)
			}
		})
		y, result, err := solver.Solve(chain)
		check(t, err)
		if result.Score != best || must(chain.Score(y)) != best {
			t.Fatalf("score %v, best %v", result.Score, best)
		}
		all, _, err := solver.MaxMarginals(chain)
		check(t, err)
		for i := range marginals {
			if !near(all.Marginals[i], marginals[i]) {
				t.Fatalf("marginal %v, exact %v", all.Marginals[i], marginals[i])
			}
		}
		if tree {
			_, err := solver.KBest(chain, 3)
			refused(t, err, ErrNotAChain)
		} else {
			all := must(solver.KBest(chain, 400))
			if len(all.Scores) != count || all.Scores[0] != best || must(chain.Score(all.Labellings[count-1])) != all.Scores[count-1] {
				t.Fatalf("%d labellings of %d", len(all.Scores), count)
			}
		}
		transitions.Close()
	}
}

// shows returns the value that a chain shows whose positions fire the given values, -1 for none: v, or
// -1 for EMPTY and CONFLICT.
func shows(fired []int32) int32 {
	shown := int32(-1)
	for _, value := range fired {
		if value >= 0 && shown >= 0 && value != shown {
			return -1
		}
		if value >= 0 {
			shown = value
		}
	}
	return shown
}

// Two chains with known labels, in a clique of a property: the score of the clique tells what they
// show. This is compared with what the property fires by its definition.
func TestProperties(t *testing.T) {
	random := seeded(t)
	labels := must(LabelMapFromNames(SchemeBIO, []string{"B-A", "I-A", "O"})) // kinds: 0 is A, 1 is O
	const T, values = 3, 4
	local := []int32{0, 1, 2, -1, -1, -1, -2, -2, -2, 2, 1, 0}
	kind := func(label int32) int32 { return label / 2 }
	begins := func(y []int32, t int) bool { return kind(y[t]) == 0 && (t == 0 || y[t] == 0 || kind(y[t-1]) != 0) }
	for name, of := range map[string]struct {
		property *Property
		fired    func(y, tokens []int32) []int32
	}{
		"automaton": {must(NewProperty(&Automaton{
			Labels: 3, Classes: 1, States: 2, Values: values,
			Next: []int32{0, 0, 1, 1, 0, 1}, Actions: []int32{-1, FireLabel, -1, FireLabel, 2, -1}, EndActions: []int32{-1, 0},
		})), func(y, _ []int32) (fired []int32) {
			state := 0
			for _, label := range y {
				action := []int32{-1, FireLabel, -1, FireLabel, 2, -1}[3*state+int(label)]
				if action == FireLabel {
					action = label
				}
				fired = append(fired, action)
				state = []int{0, 0, 1, 1, 0, 1}[3*state+int(label)]
			}
			return append(fired, []int32{-1, 0}[state])
		}},
		"table": {must(NewProperty(&Automaton{
			Labels: 3, Classes: 1, States: 2, Values: values, TableOffset: -1, FiresOutside: true,
			Next: []int32{0, 0, 1, 1, 1, 1}, Actions: []int32{-1, -1, FireTable, -1, -1, -1}, EndActions: []int32{-1, 3},
		})), func(y, tokens []int32) (fired []int32) {
			for t, label := range y {
				if label == 2 && t == 0 {
					return []int32{0, 3}
				} else if label == 2 {
					return []int32{tokens[t-1], 3}
				}
			}
			return nil
		}},
		"position": {must(NewPositionLabel(labels, 1)), func(y, _ []int32) []int32 { return []int32{kind(y[1])} }},
		"token": {must(NewTokenLabel(labels, 1)), func(y, tokens []int32) (fired []int32) {
			for t, label := range y {
				if tokens[t] == 1 {
					fired = append(fired, kind(label))
				}
			}
			return fired
		}},
		"first": {must(NewFirstLabel(labels, []byte{0, 0, 1})), func(y, _ []int32) []int32 {
			for _, label := range y {
				if label != 2 {
					return []int32{kind(label)}
				}
			}
			return nil
		}},
		"next": {must(NewNextLabel(labels, 0, nil, EndsAtIgnored, -1)), func(y, _ []int32) (fired []int32) {
			for t := 1; t < len(y); t++ {
				if kind(y[t-1]) == 0 && (kind(y[t]) != 0 || begins(y, t)) {
					fired = append(fired, kind(y[t]))
				}
			}
			return fired
		}},
		"before": {must(NewTokenBefore(labels, 0, nil, SpansIgnored, values, 3)), func(y, tokens []int32) (fired []int32) {
			for t := range y {
				if begins(y, t) && t == 0 {
					fired = append(fired, 3)
				} else if begins(y, t) {
					fired = append(fired, tokens[t-1])
				}
			}
			return fired
		}},
		"local": {must(NewLocalProperty(3, 1, values, local, nil)), func(y, _ []int32) (fired []int32) {
			parent := int32(3)
			for _, label := range y {
				action := local[4*label+parent]
				if action == FireLabel {
					action = label
				}
				fired, parent = append(fired, action), label
			}
			return fired
		}},
	} {
		R := map[string]int{"position": 2, "token": 2, "first": 2, "next": 2}[name]
		if R == 0 {
			R = values
		}
		for round := 0; round < rounds(60); round++ {
			builder := must(NewModelBuilder())
			clique := must(builder.AddCliques(&CliqueSetup{Property: of.property, Potential: must(NewPotts(R, 1, nil))}, 1))
			shown := make([]int32, 2)
			for i := range shown {
				y, tokens := make([]int32, T), make([]int32, T)
				for p := range y {
					y[p], tokens[p] = int32(random.Intn(3)), int32(random.Intn(values+1)-1)
				}
				must(builder.AddChain(&Chain{Length: T, Labels: 3, Unary: make(Float64s, 3*T), Forced: y}, &ChainOptions{Tokens: tokens}))
				shown[i] = shows(of.fired(y, tokens))
			}
			check(t, builder.AddMembers(clique, &Members{Chains: []int64{0, 1}}))
			want := 0.0
			for _, value := range shown {
				if value >= 0 {
					want++
				}
			}
			if shown[0] >= 0 && shown[0] == shown[1] {
				want = 4
			}
			run := must(NewRun(must(builder.Freeze()), nil, nil))
			if result := must(run.Solve(nil)); result.CliqueScore != want {
				t.Fatalf("%s: %v, and not %v for %v", name, result.CliqueScore, want, shown)
			}
			run.Close()
			builder.Close()
		}
	}
}

// Runs of models with every kind of clique are compared with enumerating all labellings. Where the
// upper bound meets the score, the score must be the greatest.
func TestRunsAgainstEnumeration(t *testing.T) {
	random := seeded(t)
	proofs := 0
	for round := 0; round < rounds(40); round++ {
		labels := NewLabelMap(2)
		builder := must(NewModelBuilder())
		property := must(NewFirstLabel(labels, nil))
		words := must(builder.AddCliques(&CliqueSetup{Values: 2, Potential: must(NewPotts(2, 0.5, nil))}, 1))
		firsts := must(builder.AddCliques(&CliqueSetup{Property: property, Potential: must(NewMakespan(2, 0.75, nil))}, 1))
		centred := must(builder.AddCliques(&CliqueSetup{Values: 2, CentrePotentials: []*Potential{
			must(NewPotts(2, 0.25, nil)), must(NewPotts(2, -0.5, nil)),
		}}, 1))
		const chains, T = 3, 2
		for i := 0; i < chains; i++ {
			chain := &Chain{Length: T, Labels: 2, Unary: Float64s(randomScores(random, 2*T)), Edges: Float64s(randomScores(random, 4))}
			must(builder.AddChain(chain, nil))
			check(t, builder.AddMembers(firsts, &Members{Chains: []int64{int64(i)}}))
			check(t, builder.AddMembers(words, &Members{Chains: []int64{int64(i)}, Positions: []int64{1}}))
			if i > 0 {
				check(t, builder.AddMembers(centred, &Members{Chains: []int64{int64(i)}, Positions: []int64{0}}))
			}
		}
		check(t, builder.AddMembers(centred, &Members{CentreChains: []int64{0}, CentrePositions: []int64{0}}))
		model := must(builder.Freeze())
		options := &RunOptions{}
		options.BoundSteps = 200
		run := must(NewRun(model, options, nil))
		result := must(run.Solve(context.Background()))
		cliqueScore := func(y []int32) float64 {
			potts := func(lambda float64, v ...int32) float64 {
				ones := 0.0
				for _, value := range v {
					ones += float64(value)
				}
				zeros := float64(len(v)) - ones
				return lambda * (ones*ones + zeros*zeros)
			}
			ones := float64(y[0] + y[2] + y[4])
			total := potts(0.5, y[1], y[3], y[5]) + 0.75*math.Max(ones, 3-ones)
			if y[0] == 0 {
				return total + potts(0.25, y[2], y[4])
			}
			return total + potts(-0.5, y[2], y[4])
		}
		best, found := math.Inf(-1), 0.0
		labelled := must(run.Labels(AllChains, Together))
		everyLabelling(chains*T, 2, func(y []int32) {
			total := cliqueScore(y)
			for i := 0; i < chains; i++ {
				chain, _, err := model.Chain(i)
				check(t, err)
				total += must(chain.Score(y[i*T : (i+1)*T]))
			}
			best = math.Max(best, total)
			if list(y) == list(labelled) {
				found = total
			}
		})
		if !near(result.Score, found) || result.Score > best+1e-9 || result.UpperBound < best-1e-9 {
			t.Fatalf("score %v, of its labels %v, best %v, bound %v", result.Score, found, best, result.UpperBound)
		}
		if result.Proven {
			proofs++
			if !near(result.Score, best) {
				t.Fatal("proven and not the best")
			}
		}
		if members := must(model.Members(words)); len(members) != 3 || members[2] != (Member{2, 1, 1}) {
			t.Fatal("a member")
		}
		run.Close()
		model.Close()
	}
	if proofs < rounds(40)/4 {
		t.Errorf("only %d runs proven", proofs)
	}
}
