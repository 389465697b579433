package chorale

import (
	"bytes"
	"errors"
	"math"
	"math/rand"
	"reflect"
	"strings"
	"testing"
)

// corpusOf returns a random corpus, of either element type.
func corpusOf(random *rand.Rand) *Corpus {
	labels, transitions := 2+random.Intn(3), (*Transitions)(nil)
	corpus := &Corpus{Labels: labels, Offsets: []int64{int64(random.Intn(3))}}
	for chains := random.Intn(6); chains > 0; chains-- {
		corpus.Offsets = append(corpus.Offsets, corpus.Offsets[len(corpus.Offsets)-1]+int64(random.Intn(4)))
		corpus.Groups = append(corpus.Groups, int64(random.Intn(3)))
	}
	positions := int(corpus.Offsets[len(corpus.Offsets)-1])
	scores := randomScores(random, positions*labels)
	corpus.Unary = Float64s(scores)
	edges := Float64s(randomScores(random, labels*labels))
	if random.Intn(2) == 0 {
		singles := make(Float32s, len(scores))
		for i, score := range scores {
			singles[i] = float32(score)
		}
		corpus.Unary = singles
	}
	if random.Intn(2) == 0 {
		transitions = must(NewTransitions(labels, edges, nil))
	}
	corpus.Transitions = transitions
	if random.Intn(3) > 0 {
		for i := 0; i < positions; i++ {
			corpus.Tokens = append(corpus.Tokens, int32(random.Intn(4)-1))
		}
	}
	return corpus
}

// part returns scores[from:to] for either element type.
func part(scores Scores, from, to int) Scores {
	if singles, ok := scores.(Float32s); ok {
		return singles[from:to]
	}
	return scores.(Float64s)[from:to]
}

// The calls that add many chains, cliques or members at once give the same model (the same bytes in
// a problem file) and the same results as calls that add them one by one.
func TestBulkCallsAgainstSingleOnes(t *testing.T) {
	random := seeded(t)
	for round := 0; round < rounds(60); round++ {
		corpus := corpusOf(random)
		chains := len(corpus.Offsets) - 1
		cliques := random.Intn(4)
		setup := &CliqueSetup{Values: corpus.Labels, Potential: must(NewPotts(corpus.Labels, 0.25, nil))}
		whole := &CliqueSetup{Property: must(NewFirstLabel(NewLabelMap(corpus.Labels), nil)), Potential: setup.Potential}
		offsets, of, at := []int64{0}, []int64{}, []int64{}
		for c := 0; c < cliques; c++ {
			for i := 0; i < chains; i++ {
				if length := corpus.Offsets[i+1] - corpus.Offsets[i]; length > 0 && random.Intn(2) == 0 {
					of, at = append(of, int64(i)), append(at, random.Int63n(length))
				}
			}
			offsets = append(offsets, int64(len(of)))
		}

		bulk := must(NewModelBuilder())
		first, count, err := bulk.AddCorpus(corpus)
		if err != nil || first != 0 || count != chains {
			t.Fatal(first, count, err)
		}
		firstClique := must(bulk.AddCliques(setup, cliques))
		check(t, bulk.AddMembers(firstClique, &Members{Offsets: offsets, Chains: of, Positions: at}))
		firstWhole := must(bulk.AddCliques(whole, cliques))
		check(t, bulk.AddMembers(firstWhole, &Members{Offsets: offsets, Chains: of}))

		single := must(NewModelBuilder())
		for i := 0; i < chains; i++ {
			from, to := int(corpus.Offsets[i]), int(corpus.Offsets[i+1])
			options := &ChainOptions{Group: corpus.Groups[i]}
			if corpus.Tokens != nil {
				options.Tokens = corpus.Tokens[from:to]
			}
			must(single.AddChain(&Chain{
				Length: to - from, Labels: corpus.Labels, Transitions: corpus.Transitions,
				Unary: part(corpus.Unary, from*corpus.Labels, to*corpus.Labels),
			}, options))
		}
		for c := 0; c < cliques; c++ {
			clique := must(single.AddCliques(setup, 1))
			for j := offsets[c]; j < offsets[c+1]; j++ {
				check(t, single.AddMembers(clique, &Members{Chains: []int64{int64(int(of[j]))}, Positions: []int64{int64(int(at[j]))}}))
			}
		}
		for c := 0; c < cliques; c++ {
			clique := must(single.AddCliques(whole, 1))
			for j := offsets[c]; j < offsets[c+1]; j++ {
				check(t, single.AddMembers(clique, &Members{Chains: []int64{int64(int(of[j]))}}))
			}
		}
		model := must(bulk.Freeze())
		one := must(must(NewProblem(model)).Bytes())
		if !bytes.Equal(one, must(must(NewProblem(must(single.Freeze()))).Bytes())) {
			t.Fatal("other models")
		}

		lengths := model.ChainLengths()
		if len(lengths) != chains || model.CliqueCount() != 2*cliques {
			t.Fatal(lengths, model.CliqueCount())
		}
		for c := 0; c < cliques; c++ {
			for j, member := range must(model.Members(c)) {
				if want := (Member{int(of[offsets[c]+int64(j)]), int(at[offsets[c]+int64(j)]), 1}); member != want {
					t.Fatal(member, want)
				}
			}
		}
		run := must(NewRun(model, nil, nil))
		must(run.Solve(nil))
		for _, labelling := range []Labelling{Together, Alone} {
			labels := cut(must(run.Labels(AllChains, labelling)), lengths)
			for i := 0; i < chains; i++ {
				if list(labels[i]) != list(must(run.Labels(i, labelling))) {
					t.Fatal("chain", i)
				}
			}
		}
		var reasons []Reason
		for i := 0; i < chains; i++ {
			reasons = append(reasons, must(run.Reasons(i))...)
		}
		if all := must(run.Reasons(AllChains)); !reflect.DeepEqual(all, reasons) {
			t.Fatal(all, reasons)
		}
	}
}

// A corpus of single items needs no offsets. AddMembers without positions takes position 0 of
// each item.
func TestCorpusOfItems(t *testing.T) {
	builder := must(NewModelBuilder())
	first, count, err := builder.AddCorpus(&Corpus{Labels: 2, Unary: Float32s{1, 0, 1, 0, 0, 0.5}})
	if err != nil || first != 0 || count != 3 {
		t.Fatal(first, count, err)
	}
	clique := must(builder.AddCliques(&CliqueSetup{Values: 2, Potential: must(NewPotts(2, 0.4, nil))}, 1))
	check(t, builder.AddMembers(clique, &Members{Chains: []int64{0, 1, 2}}))
	check(t, builder.AddMembers(must(builder.AddCliques(&CliqueSetup{Property: must(NewFirstLabel(NewLabelMap(2), nil)), Potential: must(NewPotts(2, 0, nil))}, 1)), &Members{Chains: []int64{2}, Classes: [][]int32{{0}}}))
	run := must(NewRun(must(builder.Freeze()), nil, nil))
	must(run.Solve(nil))
	if list(must(run.Labels(AllChains, Together))) != "0 0 0" || list(must(run.Labels(AllChains, Alone))) != "0 0 1" {
		t.Error(must(run.Labels(AllChains, Together)))
	}
}

func TestBulkInput(t *testing.T) {
	builder := must(NewModelBuilder())
	good := func() *Corpus {
		return &Corpus{Labels: 2, Offsets: []int64{0, 2, 3}, Unary: make(Float64s, 6), Tokens: []int32{0, 1, 0}, Groups: []int64{0, 1}}
	}
	for name, wrong := range map[string]struct {
		want   error
		change func(*Corpus)
	}{
		"labels":      {ErrSize, func(c *Corpus) { c.Labels = 0 }},
		"short":       {ErrShape, func(c *Corpus) { c.Unary = make(Float64s, 5) }},
		"none":        {ErrShape, func(c *Corpus) { c.Unary = nil }},
		"offsets":     {ErrShape, func(c *Corpus) { c.Offsets = []int64{} }},
		"negative":    {ErrOutOfRange, func(c *Corpus) { c.Offsets[0] = -1 }},
		"descending":  {ErrOutOfRange, func(c *Corpus) { c.Offsets[1] = 4 }},
		"far":         {ErrShape, func(c *Corpus) { c.Offsets[2] = math.MaxInt64 }},
		"tokens":      {ErrShape, func(c *Corpus) { c.Tokens = []int32{1} }},
		"no tokens":   {ErrShape, func(c *Corpus) { c.Tokens = []int32{} }},
		"groups":      {ErrShape, func(c *Corpus) { c.Groups = []int64{1} }},
		"counts":      {ErrShape, func(c *Corpus) { c.Counts = []int64{1} }},
		"count":       {ErrOutOfRange, func(c *Corpus) { c.Counts = []int64{1, 0} }},
		"transitions": {ErrLabelsMismatch, func(c *Corpus) { c.Transitions = must(NewTransitions(3, nil, nil)) }},
	} {
		corpus := good()
		wrong.change(corpus)
		if _, count, err := builder.AddCorpus(corpus); !errors.Is(err, wrong.want) || count != 0 {
			t.Errorf("%s: %d, %v", name, count, err)
		}
	}
	_, _, err := builder.AddCorpus(nil)
	refused(t, err, ErrNullArgument)
	// The second chain has an error, so the first, which has none, is not added either.
	corpus := good()
	corpus.Unary.(Float64s)[5] = math.NaN()
	first, count, err := builder.AddCorpus(corpus)
	refused(t, err, ErrNotANumber)
	if first != 0 || count != 0 || !strings.Contains(err.Error(), "corpus.Unary[2][1]") {
		t.Error(first, count, err)
	}
	for i := 0; i < 2; i++ {
		first, count, err = builder.AddCorpus(good())
		if first != 2*i || count != 2 || err != nil {
			t.Error(first, count, err)
		}
	}
	_, err = builder.AddChain(&Chain{Length: 1, Labels: 2, Unary: make(Float64s, 2)}, &ChainOptions{Tokens: []int32{}})
	refused(t, err, ErrShape)
	potential := must(NewPotts(2, 1, nil))
	_, err = builder.AddCliques(nil, 1)
	refused(t, err, ErrNullArgument)
	_, err = builder.AddCliques(&CliqueSetup{Values: 2, Potential: potential}, -1)
	refused(t, err, ErrSize)
	_, err = builder.AddCliques(&CliqueSetup{Values: 3, Potential: potential}, 2)
	refused(t, err, ErrValuesMismatch)
	if clique := must(builder.AddCliques(&CliqueSetup{Values: 2, Potential: potential}, 2)); clique != 0 {
		t.Error(clique)
	}
	refused(t, builder.AddMembers(0, &Members{Offsets: []int64{}, Chains: nil}), ErrShape)
	refused(t, builder.AddMembers(0, &Members{Offsets: []int64{0, 2}, Chains: []int64{0}}), ErrOutOfRange)
	refused(t, builder.AddMembers(0, &Members{Offsets: []int64{0, -1}, Chains: []int64{0}}), ErrOutOfRange)
	refused(t, builder.AddMembers(0, &Members{Chains: []int64{0}, Positions: []int64{0, 1}}), ErrShape)
	refused(t, builder.AddMembers(1, &Members{Offsets: []int64{0, 1, 2}, Chains: []int64{0, 1}}), ErrOutOfRange)
	refused(t, builder.AddMembers(0, &Members{Chains: []int64{0}, Positions: []int64{-1}}), ErrKind)
	refused(t, builder.AddMembers(1, &Members{Chains: []int64{0, 1, 0}}), ErrDuplicateMember)
	err = builder.AddMembers(0, &Members{Offsets: []int64{0, 1, 3}, Chains: []int64{0, 1, 9}})
	refused(t, err, ErrOutOfRange)
	if !strings.Contains(err.Error(), "members.Chains[2]: chain is 9") {
		t.Error(err)
	}
	// None of the refused calls above has added anything.
	check(t, builder.AddMembers(0, &Members{Offsets: []int64{0, 2, 3}, Chains: []int64{0, 1, 0}}))
	model := must(builder.Freeze())
	if len(must(model.Members(0))) != 2 || len(must(model.Members(1))) != 1 {
		t.Error("members")
	}
	for _, call := range []func(*Run) error{
		func(run *Run) error { _, err := run.Labels(AllChains, Alone); return err },
		func(run *Run) error { _, err := run.Reasons(AllChains); return err },
	} {
		run := must(NewRun(model, nil, nil))
		refused(t, call(run), ErrNoLabelling)
		must(run.Solve(nil))
		check(t, call(run))
	}
	builder.Close()
	_, _, err = builder.AddCorpus(good())
	refused(t, err, ErrClosed)
	refused(t, builder.AddMembers(0, &Members{Chains: []int64{0}}), ErrClosed)
	model.Close()
	if model.ChainLengths() != nil {
		t.Error("sizes of a closed model")
	}
	_, err = model.Members(0)
	refused(t, err, ErrClosed)
}

// A centred clique needs a centre.
func TestCentredCliques(t *testing.T) {
	builder := must(NewModelBuilder())
	potts := must(NewPotts(2, 0.5, nil))
	centred := must(builder.AddCliques(&CliqueSetup{Values: 2, CentrePotentials: []*Potential{potts, must(NewMakespan(2, 3, nil))}}, 1))
	must(builder.AddChain(&Chain{Length: 1, Labels: 2, Unary: make(Float64s, 2)}, nil))
	_, err := builder.Freeze()
	refused(t, err, ErrState) // the centred clique has no centre
	check(t, builder.AddMembers(centred, &Members{CentreChains: []int64{0}, CentrePositions: []int64{0}}))
	model := must(builder.Freeze())
	if members := must(model.Members(centred)); len(members) != 1 || members[0] != (Member{0, 0, 1}) {
		t.Error(members)
	}
}
