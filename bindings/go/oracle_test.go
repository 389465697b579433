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
	solver := must(NewCliqueSolver(nil))
	defer solver.Close()
	for round := 0; round < rounds(60); round++ {
		n, R := 1+random.Intn(4), 2+random.Intn(2)
		lambda := float64(random.Intn(9)-4) / 4
		table := NewTable([][]float64{randomScores(random, n+1)})
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
			potentials = append(potentials, must(NewCardinality(2, table.Scores, nil)))
		}
		problem := &CliqueProblem{Members: n, Values: R, Scores: randomScores(random, n*(R+1)), RowStride: R + 1}
		for _, potential := range potentials {
			if random.Intn(2) == 0 {
				potential = must(potential.Clone())
			}
			score := func(x []int32) float64 {
				counts, total := make([]int64, R), 0.0
				for i, v := range x {
					counts[v]++
					total += problem.Scores[i*(R+1)+int(v)]
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
			options := NewCliqueOptions()
			options.Gap = 0
			x, result, err := solver.Solve(potential, problem, options)
			check(t, err)
			if !near(result.Score, score(x)) || result.Score > best+1e-9 || (result.Proven && !near(result.Score, best)) {
				t.Fatalf("score %v, best %v, proven %v", result.Score, best, result.Proven)
			}
			switch potential.Family() {
			case FamilySum, FamilyMax, FamilyMajority:
				if !result.Proven {
					t.Fatalf("not proven: %v, %v", potential.Family(), result)
				}
			}
			evaluated := must(solver.Score(potential, problem, x))
			if evaluated.Score != result.Score {
				t.Fatalf("evaluated %v, solved %v", evaluated.Score, result.Score)
			}
			m, _, result, err := solver.MaxMarginals(potential, problem, nil, MarginalScore)
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
	solver := must(NewChainSolver(nil))
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
		chain := &Chain{Length: T, Labels: m, Unary: narrow(randomScores(random, T*(m+1))), UnaryRowStride: m + 1, Transitions: transitions}
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

// Messages and decoding under properties give the same results as enumerating all labellings.
func TestMessagesAgainstEnumeration(t *testing.T) {
	random := seeded(t)
	solver := must(NewChainSolver(nil))
	defer solver.Close()
	names := []string{"B-A", "I-A", "O"}
	labels := must(LabelMapFromNames(SchemeBIO, names))
	automaton := NewAutomaton()
	automaton.Labels, automaton.Classes, automaton.States, automaton.Values = 3, 1, 2, 3
	automaton.Next = []int32{0, 0, 1, 1, 0, 1}
	automaton.Actions = []int32{-1, FireLabel, -1, FireLabel, 2, -1}
	automaton.EndActions = []int32{-1, 0}
	builder := must(NewPropertyBuilder(3, 1, 4, nil))
	state := must(builder.AddState())
	check(t, builder.Rule(0, Any, 2, state, FireTable))
	check(t, builder.EndRule(state, 3))
	check(t, builder.Table(-1, 0))
	properties := []*Property{
		must(NewProperty(automaton, nil)), must(builder.Finish(nil)), must(NewPositionLabel(labels, 1, nil)),
		must(NewTokenLabel(labels, 1, nil)), must(NewFirstLabel(labels, []byte{0, 0, 1}, nil)),
		must(NewNextLabel(labels, 0, nil, EndsAtIgnored, -1, nil)),
		must(NewTokenBefore(labels, 0, nil, SpansIgnored, 4, 3, nil)),
		must(NewLocalProperty(3, 1, 3, []int32{0, 1, 2, -1, -1, -2, -2, -2, 2, 1, 0, -1}, nil, nil)),
	}
	for round := 0; round < rounds(80); round++ {
		T := 1 + random.Intn(3)
		chain := &Chain{Length: T, Labels: 3, Unary: Float64s(randomScores(random, T*3)), Edges: Float64s(randomScores(random, 9))}
		var on []Attachment
		for p := 1 + random.Intn(2); p > 0; p-- {
			property := must(properties[random.Intn(len(properties))].Clone())
			a := Attachment{Property: property, Table: make([]int32, T)}
			for i := range a.Table {
				a.Table[i] = int32(random.Intn(property.Values()+1) - 1)
			}
			if random.Intn(2) == 0 {
				a.Dictionary = must(NewDictionary([]int32{0, 2}, UnlistedAsValue, nil))
			}
			a.Message = randomScores(random, a.Values()+2)
			on = append(on, a)
		}
		best := math.Inf(-1)
		expected := make([][]float64, len(on))
		for p := range on {
			expected[p] = make([]float64, on[p].Values()+2)
			for v := range expected[p] {
				expected[p][v] = math.Inf(-1)
			}
		}
		everyLabelling(T, 3, func(y []int32) {
			total := must(chain.Score(y))
			shown := make([]int32, len(on))
			for p := range on {
				shown[p] = must(on[p].Shown(y, nil))
				if fired := must(on[p].Fired(y, nil)); (len(fired) == 0) != (int(shown[p]) == on[p].Values()) {
					t.Fatalf("fired %v, shown %d", fired, shown[p])
				}
				total += on[p].Message[shown[p]]
			}
			best = math.Max(best, total)
			for p, v := range shown {
				expected[p][v] = math.Max(expected[p][v], total-on[p].Message[v])
			}
		})
		options := NewMessageOptions()
		options.Mode = JointExact
		sent, _, err := solver.Messages(chain, on, options)
		check(t, err)
		for p := range sent {
			for v := range sent[p] {
				if !near(sent[p][v], expected[p][v]) {
					t.Fatalf("message %v, expected %v", sent[p], expected[p])
				}
			}
		}
		y, values, result, err := solver.Decode(chain, on, options)
		check(t, err)
		if !near(result.Score, best) || !result.Exact {
			t.Fatalf("decoded %v, best %v", result.Score, best)
		}
		for p := range on {
			if must(on[p].Shown(y, nil)) != values[p] {
				t.Fatal("values of the labelling")
			}
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
		builder := must(NewModelBuilder(nil))
		property := must(NewFirstLabel(labels, nil, nil))
		dictionary := must(NewBestDictionary(nil, []float64{1, 2}, 2, UnlistedAsValue, nil))
		words := must(builder.AddCliques(&CliqueSetup{Values: 2, Potential: must(NewPotts(2, 0.5, nil))}, 1))
		firsts := must(builder.AddCliques(&CliqueSetup{Property: property, Dictionary: dictionary, Potential: must(NewMakespan(3, 0.75, nil))}, 1))
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
		options := NewRunOptions()
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
		labelled := flat(must(run.AllLabels(Together)))
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
		if model.CliqueCount() != 3 || model.MemberCount() != 9 || model.CliqueCentreValues(centred) != 2 || model.CliqueMessageSize(firsts) != 5 || model.CliqueValues(words) != 2 {
			t.Fatal("sizes of the model")
		}
		if members := must(model.Members(words)); len(members) != 3 || members[2] != (Member{2, 1}) {
			t.Fatal("a member")
		}
		run.Close()
		model.Close()
	}
	if proofs < rounds(40)/4 {
		t.Errorf("only %d runs proven", proofs)
	}
}
