package chorale

import (
	"context"
	"math"
	"strings"
	"sync/atomic"
	"testing"
)

// lesson returns a problem of 60 documents with 15 positions each: each of five words occurs three
// times. At about a fourth of the positions the scores prefer the wrong label.
func lesson(t *testing.T) *Problem {
	random := seeded(t)
	corpus := &Corpus{Labels: 2}
	var scores Float64s
	var gold []int32
	for document := 0; document < 60; document++ {
		for word := 0; word < 5; word++ {
			label := int32(random.Intn(2))
			for i := 0; i < 3; i++ {
				row := []float64{0, 0}
				shown := label
				if random.Intn(4) == 0 {
					shown = 1 - label
				}
				row[shown] = 1.1
				scores = append(scores, row...)
				corpus.Tokens = append(corpus.Tokens, int32(word))
				corpus.Groups = append(corpus.Groups, int64(document))
				gold = append(gold, label)
			}
		}
	}
	corpus.Unary = scores
	return must(NewAgreeingProblem(corpus, []*Agreement{NewAgreement(AgreeWords)}, gold, nil))
}

func TestLearn(t *testing.T) {
	problem := lesson(t)
	defer problem.Close()
	options := NewLearnOptions()
	options.Run = NewRunOptions()
	options.Run.Rounds, options.Run.Threads = 3, 2
	options.Rules = []WeightRule{{-1, BasisValue, -1, 0, 0}, {0, BasisShare, 2, 0, math.Inf(1)}}
	options.Costs, options.Labels = []float64{0, 1, 1, 0}, 2
	options.Seen = []float64{1}
	learnt := must(Learn(context.Background(), []*Problem{problem}, options))
	defer learnt.Close()
	report := must(learnt.Report())
	if report.Outcome != Complete || report.Groups != 60 || report.Kinds != 1 || report.Weights != 4 || report.Positions != 900 {
		t.Errorf("%+v", report)
	}
	if report.Applied != AppliedAll || report.Gain.P > 0.05 || report.BaseCost-report.AllCost != report.Gain.Gain {
		t.Errorf("%+v", report)
	}
	kinds, weights := must(learnt.Kinds()), must(learnt.Weights())
	if len(kinds) != 1 || kinds[0].Verdict != VerdictKept || kinds[0].Cliques != 300 || kinds[0].Members != 900 {
		t.Errorf("%+v", kinds)
	}
	if len(weights) != 4 || weights[0].Basis.String() != "agreement" || weights[1].Index != 2 || weights[2].Weight != 0 {
		t.Errorf("%+v", weights)
	}
	json := must(learnt.JSON())
	again := must(ReadLearnt(json, nil))
	defer again.Close()
	if must(again.JSON()) != json || !strings.Contains(must(again.Lines()), "agreement") {
		t.Error(json)
	}
	potential := must(again.Potential(0, 2, -1, nil))
	defer potential.Close()
	// The basis Share with index 2 is sum_v max(0, n_v - 2 n / 4): with n = 3 and the counts 2 and 1
	// it is 0.5.
	want := weights[0].Weight*(4+1)/3 + weights[1].Weight*0.5
	if found := must(potential.Score([]int64{2, 1}, 3)); !near(found, want) {
		t.Errorf("%g, and not %g", found, want)
	}
	model := must(again.Apply(problem, nil))
	defer model.Close()
	run := must(NewRun(model, nil, nil))
	defer run.Close()
	must(run.Solve(context.Background()))
	wrong := func(labelling Labelling) (count int) {
		gold := problem.Gold()
		for i, label := range flat(must(run.AllLabels(labelling))) {
			if label != gold[i] {
				count++
			}
		}
		return count
	}
	if wrong(Together) >= wrong(Alone) {
		t.Error(wrong(Together), wrong(Alone))
	}
}

// With Classes the costs are those of micro F1. The F1 of the tagger's labels, and their cost, are
// as computed here from counts of right and wrong labels.
func TestLearnF1(t *testing.T) {
	problem := lesson(t)
	defer problem.Close()
	options := NewLearnOptions()
	options.Classes = []int32{-1, 7} // label 0 does not count
	learnt := must(Learn(nil, []*Problem{problem}, options))
	defer learnt.Close()
	report := must(learnt.Report())
	model := must(learnt.Apply(problem, nil))
	defer model.Close()
	run := must(NewRun(model, nil, nil))
	defer run.Close()
	must(run.Solve(nil))
	var hits, missed, invented float64
	gold := problem.Gold()
	for i, label := range flat(must(run.AllLabels(Alone))) {
		switch {
		case label == 1 && gold[i] == 1:
			hits++
		case label == 1:
			invented++
		case gold[i] == 1:
			missed++
		}
	}
	f1 := 2 * hits / (2*hits + missed + invented)
	if !near(report.F1, f1) || !near(report.BaseCost, missed*(2-f1)+invented*f1) {
		t.Errorf("F1 %g, cost %g; by counts %g, %g", report.F1, report.BaseCost, f1, missed*(2-f1)+invented*f1)
	}
	if !(report.Temperature > 0) {
		t.Errorf("temperature %g", report.Temperature)
	}
	probabilities, exact, err := run.Probabilities(0, report.Temperature)
	check(t, err)
	if !exact || !near(probabilities[0]+probabilities[1], 1) {
		t.Error(probabilities, exact)
	}
	again := must(ReadLearnt(must(learnt.JSON()), nil))
	defer again.Close()
	if read := must(again.Report()); read != report {
		t.Errorf("%+v was read of %+v", read, report)
	}
	plain := must(Learn(nil, []*Problem{problem}, nil))
	defer plain.Close()
	if other := must(plain.Report()); other.F1 != 0 || other.BaseCost != missed+invented {
		t.Errorf("%+v", other)
	}

	refuses := func(want error, classes ...int32) {
		t.Helper()
		options.Classes = append([]int32{}, classes...)
		_, err := Learn(nil, []*Problem{problem}, options)
		refused(t, err, want)
	}
	refuses(ErrSize)
	refuses(ErrOutOfRange, -1, -1)
	refuses(ErrOutOfRange, 0, -2)
	refuses(ErrLabelsMismatch, 0, -1, 1)
	options.Costs, options.Labels = []float64{0, 1, 1, 0}, 2
	refuses(ErrKind, 0, -1)
	refuses(ErrKind, -1)
}

// Progress is called after every run and can end the call. The runs in learning use the executor of
// their options.
func TestLearnCallbacks(t *testing.T) {
	before := callbacksLeft()
	problem := lesson(t)
	given := []*Problem{problem}
	options := NewLearnOptions()
	options.Run = NewRunOptions()
	options.Run.Threads = 2
	want := must(Learn(nil, given, options))
	var told []LearnProgress
	options.Progress = func(progress LearnProgress) bool {
		told = append(told, progress)
		return false
	}
	var asked atomic.Int64
	options.Run.Executor = func(workers int, work func()) {
		asked.Add(1)
		several(workers, work)
	}
	learnt := must(Learn(nil, given, options))
	if runs := must(learnt.Report()).Runs; len(told) != runs || told[runs-1].Runs != runs || told[0].RunsMost < runs {
		t.Errorf("%d runs, told %+v", runs, told)
	}
	if asked.Load() == 0 || must(learnt.JSON()) != must(want.JSON()) {
		t.Errorf("the executor was asked %d times", asked.Load())
	}
	options.Progress = func(LearnProgress) bool { return true }
	stopped := must(Learn(nil, given, options))
	if report := must(stopped.Report()); report.Outcome != Cancelled || report.Applied != AppliedNothing || report.Runs != 1 {
		t.Errorf("%+v", report)
	}
	options.Progress = func(LearnProgress) bool { panic("progress") }
	panics(t, "progress", func() { Learn(nil, given, options) })
	options.Progress = nil
	options.Run.Executor = func(int, func()) { panic("executor") }
	panics(t, "executor", func() { Learn(nil, given, options) })
	for _, learnt := range []*Learnt{want, learnt, stopped} {
		learnt.Close()
	}
	problem.Close()
	if left := callbacksLeft(); left != before {
		t.Errorf("%d callbacks, %d before", left, before)
	}
}

func TestLearnMistakes(t *testing.T) {
	problem := lesson(t)
	defer problem.Close()
	given := []*Problem{problem}
	options := NewLearnOptions()
	options.Level = 2
	_, err := Learn(nil, given, options)
	refused(t, err, ErrOutOfRange)
	options = NewLearnOptions()
	options.Seen = []float64{1, 1}
	_, err = Learn(nil, given, options)
	refused(t, err, ErrShape)
	_, err = Learn(nil, []*Problem{nil}, nil)
	refused(t, err, ErrNullArgument)
	_, err = Learn(nil, nil, nil)
	refused(t, err, ErrNullArgument)
	_, err = ReadLearnt("{}", nil)
	refused(t, err, ErrText)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	learnt, err := Learn(ctx, given, nil)
	refused(t, err, context.Canceled)
	defer learnt.Close()
	if report := must(learnt.Report()); report.Outcome != Cancelled || report.Applied != AppliedNothing {
		t.Errorf("%+v", report)
	}
	check(t, problem.SetGold(nil))
	_, err = Learn(nil, given, nil)
	refused(t, err, ErrNoGold)
	learnt.Close()
	_, err = learnt.Report()
	refused(t, err, ErrClosed)
}
