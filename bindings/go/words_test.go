package chorale

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

// foreign matches spellings of C that no message may contain: arrows, null pointers, constants,
// types, headers, names with underscores.
var foreign = regexp.MustCompile(`->|\bNULL\b|CHORALE|chorale_|\b\w+_t\b|\.h\b|struct|[a-z]_[a-z]`)

// Messages of errors use the names of this package, not those of C.
func TestMessagesSpeakGo(t *testing.T) {
	nan := math.NaN()
	agree := must(NewPotts(2, 1, nil))
	cliques, chains := must(NewCliqueSolver()), must(NewChainSolver())
	builder := must(NewModelBuilder())
	must(builder.AddChain(&Chain{Length: 2, Labels: 2, Unary: make(Float64s, 4)}, nil))
	words := must(builder.AddCliques(&CliqueSetup{Values: 2, Potential: agree}, 1))
	model := must(must(NewModelBuilder()).Freeze())
	problem := must(NewProblem(sentences(nil)))
	solved := must(NewRun(sentences(nil), nil, nil))
	must(solved.Solve(nil))

	potential := func(_ *Potential, err error) error { return err }
	property := func(_ *Property, err error) error { return err }
	chain := func(change func(*Chain)) error {
		c := &Chain{Length: 2, Labels: 2, Unary: Float64s{1, 2, 3, 4}}
		change(c)
		_, _, err := chains.Solve(c)
		return err
	}
	solve := func(change func(*CliqueProblem, *CliqueOptions)) error {
		p, o := &CliqueProblem{Members: 1, Values: 2, Scores: []float64{0, 0}}, &CliqueOptions{}
		change(p, o)
		_, _, err := cliques.Solve(agree, p, o)
		return err
	}
	run := func(change func(*RunOptions)) error {
		o := &RunOptions{}
		change(o)
		_, err := NewRun(model, o, nil)
		return err
	}
	clique := func(setup CliqueSetup) error { _, err := builder.AddCliques(&setup, 1); return err }
	second := func(_ any, err error) error { return err }
	automaton := func(change func(*Automaton)) error {
		a := &Automaton{}
		a.Labels, a.Classes, a.States, a.Values, a.Next = 2, 1, 1, 2, []int32{0, 0}
		change(a)
		return property(NewProperty(a))
	}
	taught := lesson(t)
	defer taught.Close()
	learning := func(change func(*LearnOptions)) error {
		options := &LearnOptions{}
		change(options)
		_, err := Learn(nil, []*Problem{taught}, options)
		return err
	}
	for begins, err := range map[string]error{
		"values is 0":          potential(NewPotts(0, 1, nil)),
		"lambda is":            potential(NewEntropy(2, nan, nil)),
		"options.Scale is 9":   potential(NewPotts(2, 1, &PotentialOptions{Scale: 9})),
		"options.Shape is 9":   potential(NewPotts(2, 1, &PotentialOptions{Shape: 9})),
		"len(tables) is 3":     potential(NewSum(2, [][]float64{{0}, {0}, {0}}, nil)),
		"len(tables[0]) is 0":  potential(NewMax(2, [][]float64{{}}, nil)),
		"table is nil":         potential(NewCardinality(2, nil, nil)),
		"weights":              potential(NewMajority(1, []float64{nan}, nil, nil)),
		"len(counts) is 1":     second(agree.Score([]int64{1}, 1)),
		"problem.Values is 3":  solve(func(p *CliqueProblem, _ *CliqueOptions) { p.Values, p.Scores = 3, make([]float64, 3) }),
		"problem.Scores[0][1]": solve(func(p *CliqueProblem, _ *CliqueOptions) { p.Scores[1] = nan }),
		"problem.Fixed[0] is":  solve(func(p *CliqueProblem, _ *CliqueOptions) { p.Fixed = []int32{2} }),
		"options.StartAssignment[0] is": solve(func(_ *CliqueProblem, o *CliqueOptions) {
			o.Algorithm, o.Start, o.StartAssignment = ICM, StartAssignment, []int32{7}
		}),
		"options.Algorithm is":                       solve(func(_ *CliqueProblem, o *CliqueOptions) { o.Algorithm = 7777 }),
		"options.Start is":                           solve(func(_ *CliqueProblem, o *CliqueOptions) { o.Start = 7777 }),
		"options.SubsetSize is":                      solve(func(_ *CliqueProblem, o *CliqueOptions) { o.SubsetSize = -1 }),
		"options.IterationLimit is":                  solve(func(_ *CliqueProblem, o *CliqueOptions) { o.IterationLimit = -1 }),
		"options.NodePool is":                        solve(func(_ *CliqueProblem, o *CliqueOptions) { o.NodePool = -1 }),
		"chain.Unary[1][0]":                          chain(func(c *Chain) { c.Unary.(Float64s)[2] = nan }),
		"chain.Forced[1] is":                         chain(func(c *Chain) { c.Forced = []int32{0, 2} }),
		"chain.Parents[1] is":                        chain(func(c *Chain) { c.Parents = []int32{-1, 1} }),
		"chain.Orientation is":                       chain(func(c *Chain) { c.Orientation = 5 }),
		"chain.Start[1]":                             chain(func(c *Chain) { c.Start = Float64s{0, nan} }),
		"the number of matrices of chain.Edges is 3": chain(func(c *Chain) { c.Edges = make(Float64s, 12) }),
		"chain.Labels is 2":                          chain(func(c *Chain) { c.Transitions = must(NewTransitions(3, nil, nil)) }),
		"options.End[0]":                             second(NewTransitions(1, nil, &TransitionsOptions{End: Float64s{nan}})),
		"len(names) is 0":                            second(SchemeBIO.Mask(nil)),
		"LabelMap.Kinds is 5":                        property(NewFirstLabel(&LabelMap{Labels: 2, Kinds: 5}, nil)),
		"LabelMap.KindOfLabel[1] is":                 property(NewFirstLabel(&LabelMap{Labels: 2, Kinds: 2, KindOfLabel: []int32{0, 5}}, nil)),
		"startValue is":                              property(NewTokenBefore(NewLabelMap(2), 1, nil, SpansIgnored, 3, 9)),
		"endValue is":                                property(NewNextLabel(NewLabelMap(2), 1, nil, SpansIgnored, -5)),
		"rule is":                                    property(NewNextLabel(NewLabelMap(2), 1, nil, 9, 0)),
		"automaton.Start is":                         automaton(func(a *Automaton) { a.Start = 4 }),
		"automaton.Next[0]":                          automaton(func(a *Automaton) { a.Next[0] = 4 }),
		"options.Tokens[1] is": func() error {
			_, err := builder.AddChain(&Chain{Length: 2, Labels: 2, Unary: make(Float64s, 4)}, &ChainOptions{Tokens: []int32{0, -7}})
			return err
		}(),
		"setup.Values is -1":               clique(CliqueSetup{Values: -1, Potential: agree}),
		"setup.LabelValues":                clique(CliqueSetup{Values: 2, LabelValues: []int32{7}, Potential: agree}),
		"setup.Potential":                  clique(CliqueSetup{Values: 2}),
		"members.Chains[0]: position is 9": builder.AddMembers(words, &Members{Chains: []int64{0}, Positions: []int64{9}}),
		"first is 9":                       builder.AddMembers(9, &Members{Chains: []int64{0}, Positions: []int64{0}}),
		"options.Rounds is":                run(func(o *RunOptions) { o.Rounds = -2 }),
		"options.Damping is":               run(func(o *RunOptions) { o.Damping = 2 }),
		"options.JointMode is":             run(func(o *RunOptions) { o.JointMode = 9 }),
		"options.MessageElement is":        run(func(o *RunOptions) { o.MessageElement = 9 }),
		"options.Threads is":               run(func(o *RunOptions) { o.Threads = -1 }),
		"options.Costs[0][1] is -1":        learning(func(o *LearnOptions) { o.Costs, o.Labels = []float64{0, -1, 1, 0}, 2 }),
		"chain is 9":                       func() error { _, err := solved.Labels(9, Together); return err }(),
		"evidence.Each is -1":              func() error { _, err := NewLedger(2, Evidence{Most: 1, Each: -1}); return err }(),
		"mentions.Key[1] is 2": func() error {
			_, err := Settle(&Mentions{Keys: 2, Labels: 2, Key: []int32{0, 2}, Label: []int32{0, 1}}, nil)
			return err
		}(),
		"labelling is 7":                       func() error { _, err := solved.Labels(0, 7); return err }(),
		"list is":                              problem.SetTexts(50, []string{"one"}),
		"gold[5], position 1 of chain 2, is 3": problem.SetGold([]int32{0, 1, 0, 1, -1, 3}),
		"path \"/no_such->NULL\"":              func() error { _, err := LoadProblem("/no_such->NULL"); return err }(),
	} {
		var failure *Error
		if !errors.As(err, &failure) {
			t.Errorf("%s: %v", begins, err)
			continue
		}
		if !strings.HasPrefix(failure.Message, begins) {
			t.Errorf("%q does not begin with %q", failure.Message, begins)
		}
		if ours := regexp.MustCompile(`"[^"]*"`).ReplaceAllString(failure.Message, ""); foreign.MatchString(ours) {
			t.Errorf("%q speaks of C", failure.Message)
		}
	}
}

// All names of fields and constants in the error messages of the library's sources are translated
// to names that this package has.
func TestNamesInMessagesAreGos(t *testing.T) {
	fields := map[string][]any{
		"chain": {Chain{}}, "problem": {CliqueProblem{}}, "setup": {CliqueSetup{}}, "automaton": {Automaton{}}, "LabelMap": {LabelMap{}},
		"corpus": {Corpus{}}, "members": {Members{}}, "rules": {Rules{}}, "mentions": {Mentions{}}, "evidence": {Evidence{}},
		"options": {CliqueOptions{}, RunOptions{}, LearnOptions{}, ChainOptions{}, PotentialOptions{}, TransitionsOptions{}},
	}
	constants := ""
	for _, file := range []string{"constants.go", "property.go", "run.go", "problem.go", "decode.go", "table.go"} {
		constants += string(must(os.ReadFile(file)))
	}
	// Names that this package does not have: fields that it sets by itself (strides among them), what is
	// experimental, and element types.
	without := regexp.MustCompile(`^options\.(Borrow|Executor)$|^CHORALE_(CHAIN|CLIQUE)_$|^CHORALE_RULE_$|^CHORALE_MESSAGE_$|^CHORALE_UNLISTED_$|^rules\.Count$|^(instance|attachment|words)\.|Stride$|^pairs\.|^CHORALE_FLOAT|\.Element$`)
	var sources []string
	for _, pattern := range []string{"../../src/*/*.cpp", "../../src/*/*/*.cpp"} {
		sources = append(sources, must(filepath.Glob(pattern))...)
	}
	if len(sources) < 50 {
		t.Skip("skipped: no sources")
	}
	checked := 0
	for _, path := range sources {
		for _, text := range regexp.MustCompile(`"[^"\n]*"`).FindAllString(string(must(os.ReadFile(path))), -1) {
			for _, word := range regexp.MustCompile(`\w+->\w+|CHORALE_\w+`).FindAllString(text, -1) {
				name := goName(word)
				if without.MatchString(name) || without.MatchString(word) || strings.HasPrefix(word, "CHORALE_ERROR") || strings.HasPrefix(word, "CHORALE_CHECK") {
					continue
				}
				known := goNames[word] != "" || strings.Contains(constants, "\t"+name+" ") || strings.Contains(constants, "const "+name+" ")
				if parts := strings.Split(name, "."); len(parts) == 2 {
					for _, of := range fields[parts[0]] {
						_, has := reflect.TypeOf(of).FieldByName(parts[1])
						known = known || has
					}
				}
				checked++
				if !known {
					t.Errorf("%s: %s becomes %s, which Go does not have", filepath.Base(path), word, name)
				}
			}
		}
	}
	if checked < 100 {
		t.Errorf("only %d names", checked)
	}
}
