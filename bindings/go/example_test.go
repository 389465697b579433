package chorale_test

import (
	"context"
	"fmt"
	"strings"
	"time"

	chorale "chorale.example/bindings/go"
)

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// Three mentions of one name. The tagger prefers "place" for two of them, and narrowly "person" for
// the third.
func Example() {
	agreement := must(chorale.NewPotts(2, 0.3, nil))
	defer agreement.Close()
	solver := must(chorale.NewCliqueSolver())
	defer solver.Close()
	problem := &chorale.CliqueProblem{Members: 3, Values: 2, Scores: []float64{2.1, 0.3, 1.9, 0.2, 0.7, 0.9}}
	labels, result, err := solver.Solve(agreement, problem, nil)
	if err != nil {
		panic(err)
	}
	fmt.Printf("labels %v, score %.2f, proven %v\n", labels, result.Score, result.Proven)
	// Output: labels [0 0 0], score 7.40, proven true
}

// Mentions agree in two ways: those of the same name strongly, and all mentions in the document,
// whatever their name, a little.
func ExampleDecode() {
	corpus := &chorale.Corpus{
		Labels: 2, // 0: place, 1: person
		Unary:  chorale.Float64s{2.1, 0.3, 1.9, 0.2, 0.7, 0.9, 0.4, 0.5, 0.2, 1.5},
		Tokens: []int32{5, 5, 5, 6, 7},
		Groups: []int64{0, 0, 0, 0, 1},
	}
	words := &chorale.Agreement{Kind: chorale.AgreeWords}
	words.Strength = 1
	document := &chorale.Agreement{Kind: chorale.AgreeKeys}
	document.Keys = make([]int32, 5) // the same key for all positions
	document.Strength = 0.2
	decoded, err := chorale.Decode(nil, corpus, []*chorale.Agreement{words, document}, nil)
	if err != nil {
		panic(err)
	}
	defer decoded.Close()
	fmt.Println(must(decoded.Alone()), "->", must(decoded.Labels()))
	for _, r := range must(decoded.Reasons()) {
		fmt.Printf("mention %d, agreement %d: %d of %d others were, %d of %d are now, worth %.2f\n", r.Chain, r.Agreement, r.AgreeingBefore, r.Others, r.Agreeing, r.Others, r.Amount)
	}
	// Output:
	// [[0] [0] [1] [1] [1]] -> [[0] [0] [0] [0] [1]]
	// mention 2, agreement 0: 2 of 2 others were, 2 of 2 are now, worth 1.33
	// mention 2, agreement 1: 2 of 3 others were, 3 of 3 are now, worth 0.30
	// mention 3, agreement 1: 2 of 3 others were, 3 of 3 are now, worth 0.30
}

// Bibliographic references of one page agree on the kind of field that follows the title.
func ExampleModelBuilder_AddCliques() {
	names := []string{"B-Author", "I-Author", "B-Title", "I-Title", "B-Venue", "B-Year"}
	page := [][]float32{ // three references of four words: author, title, title, venue; in the third, the tagger narrowly prefers year for the last word
		{3.0, 0, 0.5, 0, 0, 0, 0, 0.2, 2.5, 0, 0.3, 0, 0, 0, 0, 2.0, 0.6, 0, 0, 0, 0, 0.4, 1.9, 0.8},
		{2.8, 0, 0.4, 0, 0, 0, 0, 0.1, 2.2, 0, 0.4, 0, 0, 0, 0, 1.8, 0.5, 0, 0, 0, 0, 0.3, 2.1, 0.9},
		{3.1, 0, 0.2, 0, 0, 0, 0, 0.3, 2.4, 0, 0.1, 0, 0, 0, 0, 1.7, 0.4, 0, 0, 0, 0, 0.2, 1.0, 1.2},
	}
	mask := must(chorale.SchemeBIO.Mask(names))
	transitions := must(chorale.NewTransitions(len(names), nil, &chorale.TransitionsOptions{Mask: mask}))
	kinds := must(chorale.LabelMapFromNames(chorale.SchemeBIO, names))
	// Kind 1 is the title. A title ends where a label of another kind, or an ignored label, follows.
	afterTitle := must(chorale.NewNextLabel(kinds, 1, nil, chorale.EndsAtIgnored, -1))
	agreement := must(chorale.NewPotts(kinds.Kinds, 0.2, nil))

	builder := must(chorale.NewModelBuilder())
	clique := must(builder.AddCliques(&chorale.CliqueSetup{Property: afterTitle, Potential: agreement}, 1))
	for _, unary := range page {
		chain := must(builder.AddChain(&chorale.Chain{
			Length: 4, Labels: len(names), Unary: chorale.Float32s(unary), Transitions: transitions,
		}, nil))
		if err := builder.AddMembers(clique, &chorale.Members{Chains: []int64{int64(chain)}}); err != nil {
			panic(err)
		}
	}
	run := must(chorale.NewRun(must(builder.Freeze()), nil, nil))
	must(run.Solve(context.Background()))
	for reference := range page {
		var spelled []string
		for _, label := range must(run.Labels(reference, chorale.Together)) {
			spelled = append(spelled, names[label])
		}
		fmt.Println(strings.Join(spelled, " "))
	}
	for _, reason := range must(run.Reasons(2)) {
		fmt.Printf("clique %d gains %.2f\n", reason.Clique, reason.Amount)
	}
	// Output:
	// B-Author B-Title I-Title B-Venue
	// B-Author B-Title I-Title B-Venue
	// B-Author B-Title I-Title B-Venue
	// clique 0 gains 0.80
}

// Single mentions of names from many documents, with their scores in one array. The mentions of
// each name are a clique.
func ExampleModelBuilder_AddCorpus() {
	scores := chorale.Float32s{2.1, 0.3, 0.1, 1.9, 0.7, 0.9, 1.8, 0.2, 0.4, 0.6} // five mentions; two scores each: place, person
	builder := must(chorale.NewModelBuilder())
	defer builder.Close()
	first, _, err := builder.AddCorpus(&chorale.Corpus{Labels: 2, Unary: scores})
	if err != nil {
		panic(err)
	}
	agreement := must(chorale.NewPotts(2, 0.3, nil))
	names := must(builder.AddCliques(&chorale.CliqueSetup{Values: 2, Potential: agreement}, 2))
	// Mentions 0, 2 and 3 have one name, and mentions 1 and 4 have another.
	mentions := []int64{0, 2, 3, 1, 4}
	for i := range mentions {
		mentions[i] += int64(first)
	}
	if err := builder.AddMembers(names, &chorale.Members{Offsets: []int64{0, 3, 5}, Chains: mentions}); err != nil {
		panic(err)
	}
	run := must(chorale.NewRun(must(builder.Freeze()), nil, nil))
	defer run.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	result, err := run.Solve(ctx)
	if err != nil && ctx.Err() == nil {
		panic(err) // if ctx has ended, the result is valid: it is the best that was found until then
	}
	fmt.Println(must(run.Labels(chorale.AllChains, chorale.Alone)))
	fmt.Println(must(run.Labels(chorale.AllChains, chorale.Together)), result.Outcome)
	// Output:
	// [0 1 1 0 1]
	// [0 1 0 0 1] complete
}

// A problem file holds a model with names for its labels, positions and other parts.
func ExampleProblem() {
	builder := must(chorale.NewModelBuilder())
	must(builder.AddChain(&chorale.Chain{Length: 2, Labels: 2, Unary: chorale.Float64s{1, 0, 0, 1}}, nil))
	problem := must(chorale.NewProblem(must(builder.Freeze())))
	if err := problem.SetTexts(chorale.TextsLabels, []string{"Other", "Place"}); err != nil {
		panic(err)
	}
	file := must(problem.Bytes())
	read := must(chorale.ReadProblem(file))
	fmt.Println(read.Texts(chorale.TextsLabels), must(read.Model()).ChainCount())
	// Output: [Other Place] 1
}
