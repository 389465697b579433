package chorale

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"
)

func TestCancelFlag(t *testing.T) {
	flag := must(NewCancel())
	flag.Raise()
	options := &CliqueOptions{}
	options.Cancel = flag
	solver := must(NewCliqueSolver())
	problem := &CliqueProblem{Members: 2, Values: 2, Scores: make([]float64, 4)}
	potential := must(NewPotts(2, 1, nil))
	options.Algorithm = CountBoxes
	_, result, err := solver.Solve(potential, problem, options)
	check(t, err)
	if result.Outcome != Cancelled {
		t.Error(result.Outcome)
	}
	options.Cancel = nil
	options.TimeLimit = -1
	if _, result, err := solver.Solve(potential, problem, options); err != nil || result.Outcome != Deadline {
		t.Error(result.Outcome, err)
	}
	options.TimeLimit = time.Minute
	if _, result, err := solver.Solve(potential, problem, options); err != nil || result.Outcome != Complete {
		t.Error(result.Outcome, err)
	}
	flag.Close()
	flag.Raise()
	options.Cancel = flag
	_, _, err = solver.Solve(potential, problem, options)
	refused(t, err, ErrClosed)
}

func TestErrorsTell(t *testing.T) {
	_, err := NewPotts(0, 1, nil)
	var failure *Error
	if !errors.As(err, &failure) || failure.Status != ErrSize || !strings.Contains(failure.Message, "values") {
		t.Error(err)
	}
	if errors.Is(err, ErrShape) || !errors.Is(err, ErrSize) || Status(7777).Error() != "chorale: unknown status" {
		t.Error("statuses")
	}
	if ABI() != 2 || !strings.HasPrefix(Version(), "0.") || AlphaPass.String() != "alpha-pass" {
		t.Error(Version())
	}
}

func TestPotentialInput(t *testing.T) {
	status := func(want error) func(*Potential, error) {
		return func(p *Potential, err error) { t.Helper(); refused(t, err, want) }
	}
	status(ErrNotANumber)(NewPotts(2, math.NaN(), nil))
	status(ErrUnknownConstant)(NewPotts(2, 1, &PotentialOptions{Scale: 9}))
	status(ErrShape)(NewPotts(3, 1, &PotentialOptions{Counted: []byte{1}}))
	status(ErrShape)(NewSum(2, [][]float64{{1, 2}, {1}}, nil))
	status(ErrShape)(NewSum(3, [][]float64{{1}, {1}}, nil))
	status(ErrNullArgument)(NewMax(2, nil, nil))
	status(ErrShape)(NewMajority(2, make([]float64, 4), []float64{1}, nil))
	status(ErrShape)(NewPairs(3, make([]float64, 8), nil))
	status(ErrNullArgument)(NewCardinality(2, nil, nil))
	potential := must(NewPotts(2, 1, nil))
	_, err := potential.Score([]int64{1}, 1)
	refused(t, err, ErrValuesMismatch)
	_, err = potential.Score(nil, 1)
	refused(t, err, ErrNullArgument)
}

func TestCliqueInput(t *testing.T) {
	solver := must(NewCliqueSolver())
	potential := must(NewPotts(2, 1, nil))
	for want, problem := range map[error]*CliqueProblem{
		ErrNullArgument:   {Members: 1, Values: 2},
		ErrShape:          {Members: 2, Values: 2, Scores: []float64{1}},
		ErrSize:           {Members: -1, Values: 2, Scores: []float64{1}},
		ErrValuesMismatch: {Members: 1, Values: 3, Scores: make([]float64, 3)},
		ErrNotANumber:     {Members: 1, Values: 2, Scores: []float64{0, math.NaN()}},
		ErrOutOfRange:     {Members: 1, Values: 2, Scores: []float64{0, 0}, Fixed: []int32{2}},
	} {
		_, _, err := solver.Solve(potential, problem, nil)
		refused(t, err, want)
		_, _, _, err = solver.MaxMarginals(potential, problem, nil)
		refused(t, err, want)
	}
	_, _, err := solver.Solve(potential, &CliqueProblem{Members: math.MaxInt64, Values: math.MaxInt64, Scores: []float64{1}}, nil)
	refused(t, err, ErrShape)
	_, _, err = solver.Solve(potential, nil, nil)
	refused(t, err, ErrNullArgument)
	problem := &CliqueProblem{Members: 2, Values: 2, Scores: make([]float64, 4), Fixed: []int32{-1, 1}}
	_, err = solver.Score(potential, problem, []int32{0})
	refused(t, err, ErrShape)
	options := &CliqueOptions{}
	options.Start, options.StartAssignment, options.Algorithm = StartAssignment, []int32{0}, ICM
	_, _, err = solver.Solve(potential, problem, options)
	refused(t, err, ErrShape)
	// All values are forbidden, so no assignment is feasible.
	all := math.Inf(-1)
	x, result, err := solver.Solve(potential, &CliqueProblem{Members: 1, Values: 2, Scores: []float64{all, all}}, nil)
	if x != nil || err != nil || result.Outcome != Infeasible {
		t.Error(x, result, err)
	}
}

func TestChainInput(t *testing.T) {
	solver := must(NewChainSolver())
	ok := func() *Chain { return &Chain{Length: 2, Labels: 2, Unary: Float64s{1, 2, 3, 4}} }
	check(t, func() error { _, _, err := solver.Solve(ok()); return err }())
	for name, wrong := range map[string]struct {
		want   error
		change func(*Chain)
	}{
		"length":        {ErrSize, func(c *Chain) { c.Length = -1 }},
		"labels":        {ErrSize, func(c *Chain) { c.Labels = 0 }},
		"long":          {ErrSizeOverflow, func(c *Chain) { c.Length = math.MaxInt64 }},
		"wide":          {ErrShape, func(c *Chain) { c.Labels = math.MaxInt64 }},
		"short":         {ErrShape, func(c *Chain) { c.Unary = Float64s{1, 2, 3} }},
		"none":          {ErrShape, func(c *Chain) { c.Unary = nil }},
		"numbers":       {ErrShape, func(c *Chain) { c.Start = Float32s{1, 2} }},
		"edges":         {ErrShape, func(c *Chain) { c.Edges = Float64s{1, 2, 3} }},
		"edge matrices": {ErrShape, func(c *Chain) { c.Edges = make(Float64s, 100) }},
		"forced":        {ErrShape, func(c *Chain) { c.Forced = []int32{0} }},
		"forced label":  {ErrOutOfRange, func(c *Chain) { c.Forced = []int32{0, 2} }},
		"allowed":       {ErrShape, func(c *Chain) { c.Allowed = []byte{1} }},
		"parents":       {ErrShape, func(c *Chain) { c.Parents = []int32{-1} }},
		"parent":        {ErrParentOrder, func(c *Chain) { c.Parents = []int32{-1, 1} }},
		"constant":      {ErrUnknownConstant, func(c *Chain) { c.Orientation = 5 }},
		"transitions":   {ErrLabelsMismatch, func(c *Chain) { c.Transitions = must(NewTransitions(3, nil, nil)) }},
		"not a number":  {ErrNotANumber, func(c *Chain) { c.Unary = Float32s{1, 2, 3, float32(math.NaN())} }},
		"closed": {ErrClosed, func(c *Chain) {
			c.Transitions = must(NewTransitions(2, nil, nil))
			c.Transitions.Close()
		}},
	} {
		chain := ok()
		wrong.change(chain)
		if _, _, err := solver.Solve(chain); !errors.Is(err, wrong.want) {
			// A parent that is the position itself or a later one may be reported as a cycle instead of a
			// wrong order.
			if name != "parent" || !errors.Is(err, ErrParentCycle) {
				t.Errorf("%s: %v", name, err)
			}
		}
		if _, _, err := solver.MaxMarginals(chain); err == nil {
			t.Errorf("%s: max-marginals", name)
		}
	}
	_, _, err := solver.Solve(nil)
	refused(t, err, ErrNullArgument)
	_, err = solver.KBest(ok(), 0)
	refused(t, err, ErrSize)
	_, err = solver.KBest(ok(), math.MaxInt64)
	refused(t, err, ErrSizeOverflow)
	_, err = ok().Score([]int32{0})
	refused(t, err, ErrShape)
	_, err = ok().Score([]int32{0, 2})
	refused(t, err, ErrOutOfRange)
	if score := must((&Chain{Length: 0, Labels: 2, End: Float64s{1, 2}}).Score(nil)); score != 0 { // no last position takes an end score
		t.Error(score)
	}
	_, err = SchemeBIO.Mask([]string{"Q-X"})
	refused(t, err, ErrLabelName)
	_, err = SchemeBIO.Mask(nil)
	if err == nil {
		t.Error("a mask without names")
	}
	mask := must(SchemeBIO.Mask([]string{"B-X", "I-X", "O"}))
	transitions := must(NewTransitions(3, nil, &TransitionsOptions{Mask: mask}))
	y, _, err := solver.Solve(&Chain{Length: 2, Labels: 3, Unary: Float64s{0, 0, 1, 0, 9, 1}, Transitions: transitions})
	if err != nil || list(y) != "0 1" {
		t.Error(y, err)
	}
	_, err = NewTransitions(3, nil, &TransitionsOptions{Mask: &Mask{Matrix: []byte{1}}})
	refused(t, err, ErrShape)
	_, err = NewTransitions(3, Float64s{1}, nil)
	refused(t, err, ErrShape)
	impossible := ok()
	impossible.Allowed = make([]byte, 4)
	if y, result, err := solver.Solve(impossible); y != nil || err != nil || result.Outcome != Infeasible {
		t.Error(y, result, err)
	}
}

func TestPropertyInput(t *testing.T) {
	automaton := &Automaton{}
	automaton.Labels, automaton.States, automaton.Classes, automaton.Values = 2, 2, 1, 2
	automaton.Next = []int32{0}
	_, err := NewProperty(automaton)
	refused(t, err, ErrShape)
	_, err = NewProperty(nil)
	refused(t, err, ErrNullArgument)
	_, err = NewLocalProperty(2, 1, 2, []int32{0}, nil)
	refused(t, err, ErrShape)
	_, err = NewFirstLabel(NewLabelMap(2), []byte{1})
	refused(t, err, ErrShape)
	_, err = NewFirstLabel(nil, nil)
	refused(t, err, ErrNullArgument)
}

func TestBuilderInput(t *testing.T) {
	builder := must(NewModelBuilder())
	potential := must(NewPotts(2, 1, nil))
	_, err := builder.AddChain(nil, &ChainOptions{})
	refused(t, err, ErrNullArgument)
	chain := &Chain{Length: 2, Labels: 2, Unary: make(Float64s, 4)}
	_, err = builder.AddChain(chain, &ChainOptions{Tokens: []int32{1}})
	refused(t, err, ErrShape)
	must(builder.AddChain(chain, nil))
	_, err = builder.AddCliques(nil, 1)
	refused(t, err, ErrNullArgument)
	_, err = builder.AddCliques(&CliqueSetup{Values: 3, Potential: potential}, 1)
	if err == nil {
		t.Error("a potential of other values")
	}
	_, err = builder.AddCliques(&CliqueSetup{Values: 2, CentrePotentials: []*Potential{nil}}, 1)
	refused(t, err, ErrClosed)
	words := must(builder.AddCliques(&CliqueSetup{Values: 2, Potential: potential}, 1))
	firsts := must(builder.AddCliques(&CliqueSetup{Property: must(NewFirstLabel(NewLabelMap(2), nil)), Potential: potential}, 1))
	refused(t, builder.AddMembers(words, &Members{Chains: []int64{0}, Positions: []int64{2}}), ErrOutOfRange)
	refused(t, builder.AddMembers(words, &Members{Chains: []int64{0}, Positions: []int64{-1}}), ErrKind)
	refused(t, builder.AddMembers(firsts, &Members{Chains: []int64{0}, Positions: []int64{0}}), ErrKind)
	refused(t, builder.AddMembers(firsts, &Members{Chains: []int64{0}, Classes: [][]int32{{0}}}), ErrShape)
	refused(t, builder.AddMembers(firsts, &Members{Chains: []int64{7}, Classes: [][]int32{{0}}}), ErrOutOfRange)
	check(t, builder.AddMembers(firsts, &Members{Chains: []int64{0}, Classes: [][]int32{{0, 0}}}))
	refused(t, builder.AddMembers(firsts, &Members{Chains: []int64{0}}), ErrDuplicateMember)
	refused(t, builder.AddMembers(words, &Members{CentreChains: []int64{0}, CentrePositions: []int64{0}}), ErrKind)
	model := must(builder.Freeze())
	_, err = builder.AddChain(chain, nil)
	refused(t, err, ErrFrozen)
	builder.Close()
	_, err = builder.Freeze()
	refused(t, err, ErrClosed)
	for _, clique := range []int{-1, 2} {
		_, err = model.Members(clique)
		refused(t, err, ErrOutOfRange)
	}
	if model.ChainLengths()[0] != 2 || model.ChainCount() != 1 {
		t.Error("sizes")
	}
	options := &RunOptions{}
	options.Rounds = -2
	_, err = NewRun(model, options, nil)
	refused(t, err, ErrSize)
	run := must(NewRun(model, nil, nil))
	must(run.Solve(nil))
	_, err = run.Labels(0, 2)
	refused(t, err, ErrUnknownConstant)
	_, err = run.Labels(5, Together)
	if err == nil {
		t.Error("labels of no chain")
	}
}

// Calls on handles that are closed or nil fail with ErrClosed.
func TestClosedHandles(t *testing.T) {
	model := sentences(nil)
	run := must(NewRun(model, nil, nil))
	problem := must(NewProblem(model))
	check(t, model.Close())
	check(t, model.Close())
	if _, err := run.Solve(nil); err != nil {
		t.Error(err)
	}
	if again := must(problem.Model()); again.ChainCount() != 3 {
		t.Error("the model of a problem")
	}
	check(t, run.Close())
	check(t, problem.Close())
	for _, model := range []*Model{model, nil, {}} {
		_, err := NewRun(model, nil, nil)
		refused(t, err, ErrClosed)
		_, err = NewProblem(model)
		refused(t, err, ErrClosed)
		if model.ChainCount() != 0 || model.Close() != nil {
			t.Error("a model that is not there")
		}
	}
	for _, run := range []*Run{run, nil, {}} {
		_, err := run.Solve(nil)
		refused(t, err, ErrClosed)
		_, _, err = run.MaxMarginals(0)
		refused(t, err, ErrClosed)
		_, _, err = run.Probabilities(0, 1)
		refused(t, err, ErrClosed)
		check(t, run.Close())
	}
	for _, problem := range []*Problem{problem, nil} {
		_, err := problem.Bytes()
		refused(t, err, ErrClosed)
		refused(t, problem.SetGold(nil), ErrClosed)
		if problem.Gold() != nil || problem.Texts(TextsWords) != nil {
			t.Error("a problem that is not there")
		}
	}
	var potential *Potential
	_, err := potential.Score([]int64{1}, 1)
	refused(t, err, ErrClosed)
	solver := must(NewCliqueSolver())
	_, _, err = solver.Solve(nil, &CliqueProblem{Members: 1, Values: 1, Scores: []float64{0}}, nil)
	refused(t, err, ErrClosed)
	solver.Close()
	var chains *ChainSolver
	_, _, err = chains.Solve(&Chain{Labels: 1})
	refused(t, err, ErrClosed)
	var builder *ModelBuilder
	_, err = builder.Freeze()
	refused(t, err, ErrClosed)
}

// A chain without positions has one labelling, which is empty but not nil.
func TestEmptyLabelling(t *testing.T) {
	solver := must(NewChainSolver())
	defer solver.Close()
	labelling, result, err := solver.Solve(&Chain{Length: 0, Labels: 2})
	if check(t, err); labelling == nil || len(labelling) != 0 || result.Outcome != Complete {
		t.Error(labelling, result)
	}
}
