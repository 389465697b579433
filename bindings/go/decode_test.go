package chorale

import (
	"context"
	"errors"
	"math"
	"math/rand"
	"reflect"
	"strings"
	"testing"
	"time"
)

const drawnKeys = 4

// drawn returns a random corpus with Tokens, which are -1 at some positions, and random agreements
// for it.
func drawn(random *rand.Rand) (*Corpus, []*Agreement) {
	corpus := corpusOf(random)
	positions := int(corpus.Offsets[len(corpus.Offsets)-1])
	corpus.Tokens = make([]int32, positions)
	for p := range corpus.Tokens {
		corpus.Tokens[p] = int32(random.Intn(drawnKeys+1) - 1)
	}
	if random.Intn(3) == 0 {
		corpus.Groups = nil
	}
	var agreements []*Agreement
	for count := random.Intn(4); count > 0; count-- {
		kinds := []AgreementKind{AgreeWords, AgreeKeys, AgreeProperty, AgreeCliques}
		agreement := &Agreement{Kind: kinds[random.Intn(len(kinds))]}
		agreement.Across = random.Intn(2) == 0
		agreement.Strength = float64(random.Intn(9)) - 2.5 // not 0, for which Decode finds a strength
		agreement.Minimum = 1 + random.Intn(3)
		if random.Intn(3) == 0 {
			agreement.Potential = must(NewEntropy(corpus.Labels, 0.75, nil))
		}
		switch agreement.Kind {
		case AgreeKeys:
			agreement.Keys = make([]int32, positions)
			for p := range agreement.Keys {
				agreement.Keys[p] = int32(random.Intn(drawnKeys+1) - 1)
			}
			fallthrough
		case AgreeWords:
			if random.Intn(2) == 0 {
				agreement.Stop = []int32{int32(random.Intn(drawnKeys))}
			}
		case AgreeProperty:
			agreement.Property = must(NewFirstLabel(NewLabelMap(corpus.Labels), nil))
		case AgreeCliques:
			agreement.CliqueOffsets = []int64{0}
			for c := random.Intn(3); c > 0; c-- {
				for p := int(corpus.Offsets[0]); p < positions; p++ {
					if random.Intn(2) == 0 {
						agreement.Members = append(agreement.Members, int64(p))
					}
				}
				agreement.CliqueOffsets = append(agreement.CliqueOffsets, int64(len(agreement.Members)))
			}
			if len(agreement.CliqueOffsets) == 2 && random.Intn(2) == 0 {
				agreement.CliqueOffsets = nil // means one clique with all members
			}
		}
		agreements = append(agreements, agreement)
	}
	return corpus, agreements
}

// builtByHand builds the model of a corpus and its agreements by single calls. It also returns, for
// each clique, the index of the agreement that made it.
func builtByHand(corpus *Corpus, agreements []*Agreement) (*Model, []int) {
	builder := must(NewModelBuilder())
	defer builder.Close()
	var members []Member // index p: the chain, and the position in it, of position p of the corpus
	members = append(members, make([]Member, corpus.Offsets[0])...)
	groups := make([]int64, len(corpus.Offsets)-1)
	copy(groups, corpus.Groups)
	for i, group := range groups {
		from, to := int(corpus.Offsets[i]), int(corpus.Offsets[i+1])
		for p := from; p < to; p++ {
			members = append(members, Member{i, p - from, 1})
		}
		must(builder.AddChain(&Chain{
			Length: to - from, Labels: corpus.Labels, Transitions: corpus.Transitions,
			Unary: part(corpus.Unary, from*corpus.Labels, to*corpus.Labels),
		}, &ChainOptions{Group: group, Tokens: corpus.Tokens[from:to]}))
	}
	var origins []int
	for k, agreement := range agreements {
		potential := agreement.Potential
		if potential == nil {
			potential = must(NewPotts(corpus.Labels, agreement.Strength, &PotentialOptions{Scale: ScaleByMembers}))
		}
		// The cliques of an agreement are ordered by group, then by key.
		var cliques [][]Member
		switch agreement.Kind {
		case AgreeCliques:
			offsets := agreement.CliqueOffsets
			if offsets == nil {
				offsets = []int64{0, int64(len(agreement.Members))}
			}
			for c := range offsets[1:] {
				var clique []Member
				for _, p := range agreement.Members[offsets[c]:offsets[c+1]] {
					clique = append(clique, members[p])
				}
				cliques = append(cliques, clique)
			}
		default:
			of := map[[2]int64][]Member{}
			for p := int(corpus.Offsets[0]); p < len(members) && agreement.Kind != AgreeProperty; p++ {
				key := corpus.Tokens[p]
				if agreement.Kind == AgreeKeys {
					key = agreement.Keys[p]
				}
				group := groups[members[p].Chain]
				if agreement.Across {
					group = 0
				}
				if key >= 0 && (agreement.Stop == nil || agreement.Stop[0] != key) {
					of[[2]int64{group, int64(key)}] = append(of[[2]int64{group, int64(key)}], members[p])
				}
			}
			for i, group := range groups {
				if agreement.Across {
					group = 0
				}
				if agreement.Kind == AgreeProperty {
					of[[2]int64{group, 0}] = append(of[[2]int64{group, 0}], Member{i, -1, 1})
				}
			}
			for group := int64(0); group < 3; group++ {
				for key := int64(0); key < drawnKeys; key++ {
					cliques = append(cliques, of[[2]int64{group, key}])
				}
			}
		}
		for _, clique := range cliques {
			if len(clique) < agreement.Minimum {
				continue
			}
			origins = append(origins, k)
			if agreement.Kind == AgreeProperty {
				number := must(builder.AddCliques(&CliqueSetup{Property: agreement.Property, Potential: potential}, 1))
				for _, member := range clique {
					if err := builder.AddMembers(number, &Members{Chains: []int64{int64(member.Chain)}}); err != nil {
						panic(err)
					}
				}
				continue
			}
			number := must(builder.AddCliques(&CliqueSetup{Values: corpus.Labels, Potential: potential}, 1))
			for _, member := range clique {
				if err := builder.AddMembers(number, &Members{Chains: []int64{int64(member.Chain)}, Positions: []int64{int64(member.Position)}}); err != nil {
					panic(err)
				}
			}
		}
	}
	return must(builder.Freeze()), origins
}

// reasonsOf computes the reasons of a result from those of a run with the same labelling. origins: for
// each clique the index of its agreement.
func reasonsOf(run *Run, origins []int) []Reason {
	reasons := must(run.Reasons(AllChains))
	for k := range reasons {
		reasons[k].Agreement = origins[reasons[k].Clique]
	}
	return reasons
}

// Decode gives the same model, labels, result and reasons as a model built by single calls and a
// run of it.
func TestDecodeAgainstCallByCall(t *testing.T) {
	random := seeded(t)
	explained := 0
	for round := 0; round < rounds(160); round++ {
		corpus, agreements := drawn(random)
		options := &RunOptions{}
		options.BoundSteps = random.Intn(4)
		decoded, err := Decode(nil, corpus, agreements, options)
		check(t, err)
		model, origins := builtByHand(corpus, agreements)
		run := must(NewRun(model, options, nil))
		result := must(run.Solve(nil))
		if got := must(decoded.Result()); got != result {
			t.Fatalf("round %d: %v, call by call %v", round, got, result)
		}
		if list(flat(must(decoded.Labels()))) != list(must(run.Labels(AllChains, Together))) || list(flat(must(decoded.Alone()))) != list(must(run.Labels(AllChains, Alone))) {
			t.Fatalf("round %d: other labels", round)
		}
		reasons := must(decoded.Reasons())
		if want := reasonsOf(run, origins); !reflect.DeepEqual(reasons, want) {
			t.Fatalf("round %d: %v, call by call %v", round, reasons, want)
		}
		explained += len(reasons)
		behind := must(decoded.Model())
		if behind.CliqueCount() != len(origins) {
			t.Fatalf("round %d: other cliques", round)
		}
		for clique := range origins {
			if !reflect.DeepEqual(must(behind.Members(clique)), must(model.Members(clique))) {
				t.Fatalf("round %d: other members", round)
			}
		}
		// The run of the result can be solved further like any other run.
		if again, want := must(decoded.Run().Solve(nil)), must(run.Solve(nil)); again != want || again != must(decoded.Result()) {
			t.Fatalf("round %d: %v after more rounds, call by call %v", round, again, want)
		}
		check(t, decoded.Close())
	}
	t.Logf("%d reasons", explained)
	if explained == 0 {
		t.Error("no reasons")
	}
}

// mentions returns a corpus of three mentions of one name. The tagger narrowly prefers a wrong
// label for the last one.
func mentions() *Corpus {
	return &Corpus{Labels: 2, Unary: Float64s{2.1, 0.3, 1.9, 0.2, 0.7, 0.9}, Tokens: []int32{5, 5, 5}}
}

func words() []*Agreement { return []*Agreement{&Agreement{Kind: AgreeWords}} }

func TestDecodeThreeMentions(t *testing.T) {
	decoded, err := Decode(context.Background(), mentions(), words(), nil)
	check(t, err)
	if list(flat(must(decoded.Alone()))) != "0 0 1" || list(flat(must(decoded.Labels()))) != "0 0 0" {
		t.Error(must(decoded.Labels()))
	}
	reasons := must(decoded.Reasons())
	if !(decoded.Strength(0) > 0) || decoded.Strength(1) != 0 {
		t.Error(decoded.Strength(0), decoded.Strength(1))
	}
	amount := decoded.Strength(0) * (9.0 - 5) / 3
	if len(reasons) != 1 || !near(reasons[0].Amount, amount) {
		t.Fatal(reasons)
	}
	reasons[0].Amount = 0
	if want := (Reason{Chain: 2, Others: 2, AgreeingBefore: 2, Agreeing: 2, OwnValue: 1, Member: 2}); reasons[0] != want {
		t.Error(reasons[0])
	}
	// A corpus may be decoded without agreements, and then without tokens; and may be without chains.
	untold := mentions()
	untold.Tokens = nil
	for _, corpus := range []*Corpus{mentions(), untold, {Labels: 2, Offsets: []int64{0}, Tokens: []int32{}}} {
		alone, err := Decode(nil, corpus, nil, nil)
		check(t, err)
		if !reflect.DeepEqual(must(alone.Labels()), must(alone.Alone())) || len(must(alone.Reasons())) != 0 {
			t.Error(must(alone.Labels()))
		}
		check(t, alone.Close())
	}
	_, err = Decode(nil, &Corpus{Labels: 2, Offsets: []int64{0}, Tokens: []int32{}}, words(), nil)
	check(t, err)
	// A chain with a count has the scores and the votes of that many.
	counted := &Corpus{Labels: 2, Unary: Float64s{2, 0, 0, 1}, Tokens: []int32{0, 0}, Counts: []int64{3, 1}}
	many, err := Decode(nil, counted, []*Agreement{{Strength: 1}}, nil)
	check(t, err)
	if result := must(many.Result()); result.OwnScore != 7+10./4 || result.Score != 6+16./4 {
		t.Error(result)
	}
}

// More threads than the library starts are as many as it starts. A time limit that has passed leaves
// every chain its own labels.
func TestDecodeThreadsAndLimits(t *testing.T) {
	plain, err := Decode(nil, mentions(), words(), nil)
	check(t, err)
	options := &RunOptions{}
	options.Threads = 1 << 40
	threads, err := Decode(nil, mentions(), words(), options)
	check(t, err)
	if !reflect.DeepEqual(must(threads.Labels()), must(plain.Labels())) {
		t.Error(must(threads.Labels()))
	}
	options = &RunOptions{}
	options.TimeLimit = -1
	late, err := Decode(nil, mentions(), words(), options)
	check(t, err)
	if result := must(late.Result()); result.Outcome != Deadline || !reflect.DeepEqual(must(late.Labels()), must(plain.Alone())) {
		t.Error(result, must(late.Labels()))
	}
}

// If its context ends the run, Decode returns the result so far and the context's error.
func TestDecodeContexts(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	options := &RunOptions{}
	options.Progress = func(p Progress) bool {
		if ctx.Err() == nil {
			cancel()
			// Gives another goroutine time to raise the cancel flag, which the run reads between cliques.
			time.Sleep(time.Second)
		}
		return false
	}
	decoded, err := Decode(ctx, mentions(), words(), options)
	refused(t, err, context.Canceled)
	result := must(decoded.Result())
	if result.Outcome != Cancelled || result.Rounds != 0 || result.Score != result.OwnScore || list(flat(must(decoded.Labels()))) != "0 0 1" {
		t.Error(result)
	}
	if result := must(decoded.Run().Solve(nil)); result.Outcome != Complete || list(flat(must(decoded.Labels()))) != "0 0 0" {
		t.Error(result)
	}
	check(t, decoded.Close())

	// With a context that has ended before the call, the labels are those of each chain by itself.
	past, end := context.WithTimeout(context.Background(), -time.Second)
	defer end()
	for with, want := range map[context.Context]error{ctx: context.Canceled, past: context.DeadlineExceeded} {
		early, err := Decode(with, mentions(), words(), nil)
		refused(t, err, want)
		if result := must(early.Result()); result.Outcome != Cancelled || result.Score != result.OwnScore {
			t.Error(result)
		}
		if labels := must(early.Labels()); !reflect.DeepEqual(labels, must(early.Alone())) {
			t.Error(labels)
		}
		if result := must(early.Run().Solve(nil)); result.Outcome != Complete {
			t.Error(result)
		}
	}
	// A deadline passes during the run.
	soon, end := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer end()
	options.Progress = func(Progress) bool {
		<-soon.Done()
		time.Sleep(time.Second)
		return false
	}
	decoded, err = Decode(soon, mentions(), words(), options)
	refused(t, err, context.DeadlineExceeded)
	if result := must(decoded.Result()); result.Outcome != Cancelled || result.Score != result.OwnScore {
		t.Error(result)
	}
	// If something other than the context ends the run, the outcome says so and there is no error.
	live, end := context.WithTimeout(context.Background(), time.Hour)
	defer end()
	options.Progress = func(Progress) bool { return true }
	decoded, err = Decode(live, mentions(), words(), options)
	if err != nil || must(decoded.Result()).Outcome != Cancelled {
		t.Error(err)
	}
	options.Progress, options.TimeLimit = nil, -1
	decoded, err = Decode(live, mentions(), words(), options)
	if err != nil || must(decoded.Result()).Outcome != Deadline {
		t.Error(err)
	}
}

// A result owns its run. The transitions of the corpus and the potentials of the agreements may be
// closed before the result, and all memory is freed in the end.
func TestDecodeLifetimes(t *testing.T) {
	before := callbacksLeft()
	options := &RunOptions{}
	options.Progress = func(Progress) bool { return false }
	options.Threads = 2
	calls := 0
	potential := must(NewCallback(2, func(counts []int64, members int64) (float64, error) {
		calls++
		return float64(counts[0]*counts[0]+counts[1]*counts[1]) / float64(members), nil
	}, nil))
	agreement := words()
	agreement[0].Potential = potential
	corpus := mentions()
	corpus.Transitions = must(NewTransitions(2, nil, nil))
	decoded, err := Decode(nil, corpus, agreement, options)
	check(t, err)
	potential.Close()
	corpus.Transitions.Close()
	for i := range corpus.Unary.(Float64s) {
		corpus.Unary.(Float64s)[i] = math.NaN()
	}
	collectGarbage()
	until := calls
	if must(decoded.Run().Reasons(AllChains)); calls == until || list(flat(must(decoded.Labels()))) != "0 0 0" {
		t.Error("another result")
	}
	model := must(decoded.Model())
	run := decoded.Run()
	check(t, decoded.Close())
	check(t, decoded.Close())
	if model.ChainCount() != 3 {
		t.Error(model.ChainCount())
	}
	model.Close()
	if left := callbacksLeft(); left != before {
		t.Errorf("%d callbacks, %d before", left, before)
	}
	_, err = run.Solve(nil)
	refused(t, err, ErrClosed)
	for _, gone := range []*Decoded{decoded, nil} {
		for _, call := range []func() error{
			func() error { _, err := gone.Labels(); return err },
			func() error { _, err := gone.Alone(); return err },
			func() error { _, err := gone.Result(); return err },
			func() error { _, err := gone.Reasons(); return err },
			func() error { _, err := gone.Model(); return err },
		} {
			refused(t, call(), ErrClosed)
		}
		check(t, gone.Close())
	}
	// The run alone keeps the result alive. When neither is referred to any more, the garbage
	// collector frees both.
	options.Progress = nil
	run = must(Decode(nil, mentions(), words(), options)).Run()
	collectGarbage()
	if must(run.Solve(nil)); list(must(run.Labels(AllChains, Together))) != "0 0 0" {
		t.Error("another result")
	}
	// The error that a callback returns is the cause of the call's error, also in a later call on the
	// run.
	refuses, refusal := false, errors.New("no")
	stopping := must(NewCallback(2, func([]int64, int64) (float64, error) {
		if refuses {
			return 0, refusal
		}
		return 1, nil
	}, nil))
	agreement = []*Agreement{{Strength: 1, Minimum: 2, Potential: stopping}}
	decoded, err = Decode(nil, mentions(), agreement, nil)
	check(t, err)
	check(t, decoded.Run().SetLabels([]int32{0, 0, 0}))
	refuses = true
	_, err = decoded.Run().Solve(nil)
	refused(t, err, refusal)
	_, err = Decode(nil, mentions(), agreement, nil)
	refused(t, err, ErrCallbackStopped)
	refused(t, err, refusal)
}

// A panic of a callback continues in the goroutine that called Decode.
func TestDecodePanics(t *testing.T) {
	before := callbacksLeft()
	options := &RunOptions{}
	options.Progress = func(Progress) bool { panic("progress") }
	func() {
		defer func() {
			if value := recover(); value != "progress" {
				t.Error(value)
			}
		}()
		Decode(nil, mentions(), words(), options)
		t.Error("no panic")
	}()
	if left := callbacksLeft(); left != before {
		t.Errorf("%d callbacks, %d before", left, before)
	}
}

// Wrong input gives no result but an error. The message of the error has the Go names of arguments
// and fields, and names the agreement by its index.
func TestDecodeInput(t *testing.T) {
	nan := math.NaN()
	other := must(NewFirstLabel(NewLabelMap(3), nil))
	wide := must(NewPotts(3, 1, nil))
	closed := must(NewPotts(2, 1, nil))
	closed.Close()
	for begins, wrong := range map[string]struct {
		want   error
		kind   AgreementKind
		change func(*Corpus, *Agreement)
	}{
		"agreements[1].Kind is 7":                               {ErrUnknownConstant, 7, nil},
		"agreements[1].Keys is nil":                             {ErrNullArgument, AgreeKeys, nil},
		"agreements[1].Keys has 1 elements":                     {ErrShape, AgreeKeys, func(_ *Corpus, a *Agreement) { a.Keys = []int32{0} }},
		"agreements[1].Keys[1] is -2":                           {ErrOutOfRange, AgreeKeys, func(_ *Corpus, a *Agreement) { a.Keys = []int32{0, -2, 0} }},
		"agreements[1].Property is nil":                         {ErrNullArgument, AgreeProperty, nil},
		"agreements[1].Property has 3 labels":                   {ErrLabelsMismatch, AgreeProperty, func(_ *Corpus, a *Agreement) { a.Property = other }},
		"agreements[1].Potential has 3":                         {ErrValuesMismatch, AgreeWords, func(_ *Corpus, a *Agreement) { a.Potential = wide }},
		"corpus.Uncounted[1] is 9":                              {ErrOutOfRange, AgreeWords, func(c *Corpus, _ *Agreement) { c.Uncounted = []int32{0, 9} }},
		"agreements[1].Strength is NaN":                         {ErrNotANumber, AgreeWords, func(_ *Corpus, a *Agreement) { a.Strength = nan }},
		"agreements[1].Strength is":                             {ErrInfinite, AgreeWords, func(_ *Corpus, a *Agreement) { a.Strength = math.Inf(1) }},
		"agreements[1].Minimum is -1":                           {ErrSize, AgreeWords, func(_ *Corpus, a *Agreement) { a.Minimum = -1 }},
		"agreements[1].CliqueOffsets has 0":                     {ErrShape, AgreeCliques, func(_ *Corpus, a *Agreement) { a.CliqueOffsets = []int64{} }},
		"agreements[1].CliqueOffsets[1] is 2":                   {ErrOutOfRange, AgreeCliques, func(_ *Corpus, a *Agreement) { a.CliqueOffsets = []int64{0, 2} }},
		"agreements[1].CliqueOffsets[1] is -":                   {ErrOutOfRange, AgreeCliques, func(_ *Corpus, a *Agreement) { a.CliqueOffsets = []int64{0, -1} }},
		"agreements[1].CliqueOffsets[2] is 1":                   {ErrOutOfRange, AgreeCliques, func(_ *Corpus, a *Agreement) { a.CliqueOffsets, a.Members = []int64{0, 2, 1}, []int64{0, 1} }},
		"agreements[1].Members[1] is 3":                         {ErrOutOfRange, AgreeCliques, func(_ *Corpus, a *Agreement) { a.Members = []int64{0, 3} }},
		"agreements[1]: ":                                       {ErrDuplicateMember, AgreeCliques, func(_ *Corpus, a *Agreement) { a.Members = []int64{1, 1} }},
		"agreements[0] is over words, and corpus.Tokens is nil": {ErrTokensMissing, AgreeWords, func(c *Corpus, _ *Agreement) { c.Tokens = nil }},
		"corpus.Labels is 0":                                    {ErrSize, AgreeWords, func(c *Corpus, _ *Agreement) { c.Labels = 0 }},
		"corpus.Tokens[1] is -2":                                {ErrOutOfRange, AgreeWords, func(c *Corpus, _ *Agreement) { c.Tokens[1] = -2 }},
		"corpus.Tokens has 0 elements":                          {ErrShape, AgreeWords, func(c *Corpus, _ *Agreement) { c.Tokens = []int32{} }},
		"corpus.Unary[1][0]":                                    {ErrNotANumber, AgreeWords, func(c *Corpus, _ *Agreement) { c.Unary.(Float64s)[2] = nan }},
		"corpus.Offsets[1] is 1":                                {ErrOutOfRange, AgreeWords, func(c *Corpus, _ *Agreement) { c.Offsets = []int64{2, 1} }},
		"chorale: the handle is closed":                         {ErrClosed, AgreeWords, func(_ *Corpus, a *Agreement) { a.Potential = closed }},
		"corpus.Unary has 6 elements, a":                        {ErrShape, AgreeWords, func(c *Corpus, _ *Agreement) { c.Offsets = []int64{0, 4} }},
	} {
		corpus, agreements := mentions(), append(words(), &Agreement{Kind: wrong.kind})
		if wrong.change != nil {
			wrong.change(corpus, agreements[1])
		}
		decoded, err := Decode(nil, corpus, agreements, nil)
		if refused(t, err, wrong.want); err == nil || decoded != nil {
			t.Errorf("%s: %v", begins, decoded)
			continue
		}
		message := err.Error()
		if failure, ok := err.(*Error); ok {
			message = failure.Message
		}
		if !strings.HasPrefix(message, begins) || foreign.MatchString(message) {
			t.Errorf("%q is said, and not %q", message, begins)
		}
	}
	_, err := Decode(nil, nil, nil, nil)
	refused(t, err, ErrNullArgument)
	_, err = Decode(nil, mentions(), []*Agreement{nil}, nil)
	refused(t, err, ErrNullArgument)
	options := &RunOptions{}
	options.Threads = -1
	_, err = Decode(nil, mentions(), words(), options)
	refused(t, err, ErrSize)
}

// With weights, the results of CliqueSolver, Run and Decode equal those found by enumerating all
// labellings. There are only two labels, because with two the library's results are exact.
func TestWeights(t *testing.T) {
	random := rand.New(rand.NewSource(44))
	solver := must(NewCliqueSolver())
	defer solver.Close()
	moved := 0
	for round := 0; round < 100; round++ {
		n := 1 + random.Intn(6)
		strength := 0.25 * float64(1+random.Intn(12))
		scores := make([]float64, 2*n)
		weights := make([]int64, n)
		keys := make([]int32, n)
		for i := range weights {
			scores[2*i] = float64(random.Intn(257))/32 - 4
			weights[i] = int64(1 + random.Intn(5))
		}
		score := func(label func(i int) int) float64 {
			sum, counts := 0.0, [2]float64{}
			for i := range weights {
				sum += scores[2*i+label(i)]
				counts[label(i)] += float64(weights[i])
			}
			return sum + strength/(counts[0]+counts[1])*(counts[0]*counts[0]+counts[1]*counts[1])
		}
		best := math.Inf(-1)
		for bits := 0; bits < 1<<n; bits++ {
			best = math.Max(best, score(func(i int) int { return bits >> i & 1 }))
		}
		equal := func(what string, found float64) {
			if math.Abs(found-best) > 1e-9 {
				t.Errorf("round %d, %s: %v, not %v", round, what, found, best)
			}
		}
		potential := must(NewPotts(2, strength, &PotentialOptions{Scale: ScaleByMembers}))
		problem := &CliqueProblem{Members: n, Values: 2, Scores: scores, Weights: weights}
		assignment, result, err := solver.Solve(potential, problem, nil)
		if err != nil {
			t.Fatal(err)
		}
		equal("clique", result.Score)
		equal("assignment", score(func(i int) int { return int(assignment[i]) }))

		builder := must(NewModelBuilder())
		clique := must(builder.AddCliques(&CliqueSetup{Values: 2, Potential: potential}, 1))
		chains := make([]int64, len(weights))
		for i := range weights {
			chains[i] = int64(must(builder.AddChain(&Chain{Length: 1, Labels: 2, Unary: Float64s(scores[2*i : 2*i+2])}, nil)))
		}
		if err := builder.AddMembers(clique, &Members{Chains: chains, Weights: weights}); err != nil {
			t.Fatal(err)
		}
		model := must(builder.Freeze())
		for i, member := range must(model.Members(clique)) {
			if member.Weight != weights[i] {
				t.Errorf("weight %v, not %v", member.Weight, weights[i])
			}
		}
		model.Close()

		agreement := &Agreement{Kind: AgreeKeys}
		agreement.Keys, agreement.Strength, agreement.Minimum, agreement.Weights = keys, strength, 1, weights
		offsets := make([]int64, n+1)
		for i := range offsets {
			offsets[i] = int64(i)
		}
		corpus := &Corpus{Labels: 2, Offsets: offsets, Unary: Float64s(scores)}
		decoded := must(Decode(context.Background(), corpus, []*Agreement{agreement}, nil))
		labels, alone := must(decoded.Labels()), must(decoded.Alone())
		equal("front door", score(func(i int) int { return int(labels[i][0]) }))
		if !reflect.DeepEqual(labels, alone) {
			moved++
		}
		decoded.Close()
		potential.Close()
		for _, wrong := range []struct {
			weights  []int64
			strength float64
			err      error
		}{
			{append([]int64{0}, weights[1:]...), 1, ErrOutOfRange},
			{append([]int64{2}, weights[1:]...), -1, ErrWeights},
			{append([]int64{math.MaxInt32 + 1}, weights[1:]...), 1, ErrSizeOverflow},
		} {
			agreement.Weights, agreement.Strength = wrong.weights, wrong.strength
			if _, err := Decode(context.Background(), corpus, []*Agreement{agreement}, nil); !errors.Is(err, wrong.err) {
				t.Errorf("round %d: %v, not %v", round, err, wrong.err)
			}
		}
	}
	if moved < 10 {
		t.Errorf("%d moved", moved)
	}
}

func TestChainWithoutLabelling(t *testing.T) {
	never := math.Inf(-1)
	corpus := &Corpus{Labels: 2, Unary: Float64s{2.1, 0.3, never, never, 1.9, 0.2}}
	decoded, err := Decode(nil, corpus, nil, nil)
	check(t, err)
	defer decoded.Close()
	if labels := list(flat(must(decoded.Labels()))); labels != "0 -1 0" {
		t.Error(labels)
	}
	if result := must(decoded.Result()); result.LeftOut != 1 {
		t.Error(result)
	}
	left := must(decoded.Run().LeftOut())
	if len(left) != 1 || left[0] != (LeftOut{1, 0, ObstacleScores, -1}) || left[0].Obstacle.String() != "scores" {
		t.Error(left)
	}
}

// Edge scores of each position, known labels and masks.
func TestScoresOfEachPosition(t *testing.T) {
	free := Corpus{
		Offsets: []int64{0, 3}, Labels: 2, Unary: Float64s{0, 0, 0, 0, 0, 0},
		Edges: Float64s{9, 9, 9, 9, 0, 3, 2, 0, 0, 0, 2, 0},
	}
	forced, masked := free, free
	forced.Forced = []int32{-1, 0, -1}
	masked.Allowed = []byte{1, 1, 1, 1, 0, 1}
	for labels, corpus := range map[string]*Corpus{"0 1 0": &free, "1 0 0": &forced, "0 1 1": &masked} {
		decoded, err := Decode(nil, corpus, nil, nil)
		check(t, err)
		if found := list(flat(must(decoded.Labels()))); found != labels {
			t.Errorf("%s is not %s", found, labels)
		}
		decoded.Close()
	}
	forced.Forced = []int32{0}
	if _, err := Decode(nil, &forced, nil, nil); !errors.Is(err, ErrShape) || !strings.Contains(err.Error(), "corpus.Forced") {
		t.Error(err)
	}
}

// Rules are kept, told and refused.
func TestRulesAreKept(t *testing.T) {
	corpus := &Corpus{Labels: 2, Offsets: []int64{0, 3}, Unary: Float64s{1, 0, 0, 1, 0.5, 0}}
	once := Rule{Each: true}
	decoded, err := Decode(nil, corpus, nil, &RunOptions{Rules: &Rules{Rules: []Rule{once}}})
	if err != nil {
		t.Fatal(err)
	}
	defer decoded.Close()
	labels, _ := decoded.Labels()
	reasons, _ := decoded.RuleReasons()
	ruled, _ := decoded.RuledChains()
	result, _ := decoded.Result()
	if labels[0][2] != 1 || !result.Proven || len(ruled) != 1 || ruled[0].Cost != 0.5 ||
		len(reasons) != 1 || reasons[0] != (RuleReason{0, 2, 0, 0, 0, 1, 0.5}) {
		t.Errorf("%v %v %v %v", labels, result, ruled, reasons)
	}
	twice := Rule{Kind: RuleAtLeast, K: 2, Chains: []int64{0}}
	impossible, err := Decode(nil, corpus, nil, &RunOptions{Rules: &Rules{Rules: []Rule{once, twice}, Map: NewLabelMap(2)}})
	if err != nil {
		t.Fatal(err)
	}
	defer impossible.Close()
	conflicts, _ := impossible.RuleConflicts()
	ruled, _ = impossible.RuledChains()
	if len(conflicts) != 2 || conflicts[0] != (RuleConflict{0, 0, 0}) || ruled[0].State != RulesImpossible {
		t.Errorf("%v %v", conflicts, ruled)
	}
	_, err = Decode(nil, corpus, nil, &RunOptions{Rules: &Rules{Rules: []Rule{once, {Kind: RuleBefore, B: 7}}}})
	if err == nil || !strings.Contains(err.Error(), "rules[1] (before).b is 7") {
		t.Error(err)
	}
}
