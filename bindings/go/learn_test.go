package chorale

import (
	"context"
	"strings"
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
	return must(NewAgreeingProblem(corpus, []*Agreement{&Agreement{Kind: AgreeWords}}, gold))
}

func TestLearn(t *testing.T) {
	problem := lesson(t)
	defer problem.Close()
	options := &LearnOptions{}
	options.Threads = 2
	options.Costs, options.Labels = []float64{0, 1, 1, 0}, 2
	learnt := must(Learn(context.Background(), []*Problem{problem}, options))
	defer learnt.Close()
	report := must(learnt.Report())
	if report.Outcome != Complete || report.Groups != 60 || report.Kinds != 1 || report.Positions != 900 {
		t.Errorf("%+v", report)
	}
	if !report.Applied || report.Verdict != VerdictGain || report.AgreementP > 0.05 || report.AgreeingCost >= report.TaggerCost {
		t.Errorf("%+v", report)
	}
	if report.AgreeingAccuracy <= report.TaggerAccuracy || report.ChangedRightAfter <= report.ChangedRightBefore || report.Changed < report.ChangedRightBefore+report.ChangedRightAfter {
		t.Errorf("%+v", report)
	}
	kinds := must(learnt.Kinds())
	if len(kinds) != 1 || kinds[0].Strength <= 0 || kinds[0].UsesLogOdds || kinds[0].Cliques != 300 || kinds[0].Members != 900 {
		t.Errorf("%+v", kinds)
	}
	json := must(learnt.JSON())
	again := must(ReadLearnt(json))
	defer again.Close()
	if must(again.JSON()) != json || !strings.Contains(must(again.Lines()), "agreement") {
		t.Error(json)
	}
	potential := must(again.Potential(0, 2, -1))
	defer potential.Close()
	want := kinds[0].Strength*(4+1)/3 + 3*kinds[0].Bonus
	if found := must(potential.Score([]int64{2, 1}, 3)); !near(found, want) {
		t.Errorf("%g, and not %g", found, want)
	}
	model := must(again.Apply(problem))
	defer model.Close()
	run := must(NewRun(model, nil, nil))
	defer run.Close()
	must(run.Solve(context.Background()))
	wrong := func(labelling Labelling) (count int) {
		gold := problem.Gold()
		for i, label := range must(run.Labels(AllChains, labelling)) {
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

// With Classes micro F1 is maximised. The F1 of the tagger's labels is as computed here from counts
// of right and wrong labels.
func TestLearnF1(t *testing.T) {
	problem := lesson(t)
	defer problem.Close()
	options := &LearnOptions{}
	options.Classes = []int32{-1, 7} // label 0 does not count
	learnt := must(Learn(nil, []*Problem{problem}, options))
	defer learnt.Close()
	report := must(learnt.Report())
	model := must(learnt.Apply(problem))
	defer model.Close()
	run := must(NewRun(model, nil, nil))
	defer run.Close()
	must(run.Solve(nil))
	var hits, missed, invented float64
	gold := problem.Gold()
	for i, label := range must(run.Labels(AllChains, Alone)) {
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
	if !near(report.TaggerF1, f1) {
		t.Errorf("F1 %g; by counts %g", report.TaggerF1, f1)
	}
	if !(report.Temperature > 0) {
		t.Errorf("temperature %g", report.Temperature)
	}
	probabilities, exact, err := run.Probabilities(0, report.Temperature)
	check(t, err)
	if !exact || !near(probabilities[0]+probabilities[1], 1) {
		t.Error(probabilities, exact)
	}
	again := must(ReadLearnt(must(learnt.JSON())))
	defer again.Close()
	if read := must(again.Report()); read.Verdict != report.Verdict || !near(read.TaggerF1, report.TaggerF1) {
		t.Errorf("%+v was read of %+v", read, report)
	}
	plain := must(Learn(nil, []*Problem{problem}, nil))
	defer plain.Close()
	if other := must(plain.Report()); other.TaggerF1 != 0 || other.TaggerCost != missed+invented {
		t.Errorf("%+v", other)
	}
	options.Begins = []bool{false, false}
	spans := must(Learn(nil, []*Problem{problem}, options))
	defer spans.Close()
	if of := must(spans.Report()); of.TaggerF1 != report.TaggerF1 { // every chain has one position
		t.Errorf("%+v", of)
	}
	options.Begins = []bool{true}
	_, err = Learn(nil, []*Problem{problem}, options)
	refused(t, err, ErrShape)
	options.Begins = nil

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

// Progress is called after every run and can end the call.
func TestLearnCallbacks(t *testing.T) {
	before := callbacksLeft()
	problem := lesson(t)
	given := []*Problem{problem}
	options := &LearnOptions{}
	want := must(Learn(nil, given, options))
	var told []LearnProgress
	options.Progress = func(progress LearnProgress) bool {
		told = append(told, progress)
		return false
	}
	learnt := must(Learn(nil, given, options))
	if runs := must(learnt.Report()).Runs; len(told) != runs || told[runs-1].Runs != runs || told[0].RunsMost < runs {
		t.Errorf("%d runs, told %+v", runs, told)
	}
	if must(learnt.JSON()) != must(want.JSON()) {
		t.Error(must(learnt.JSON()))
	}
	options.Progress = func(LearnProgress) bool { return true }
	stopped := must(Learn(nil, given, options))
	if report := must(stopped.Report()); report.Outcome != Cancelled || report.Applied || report.Runs != 1 {
		t.Errorf("%+v", report)
	}
	options.Progress = func(LearnProgress) bool { panic("progress") }
	panics(t, "progress", func() { Learn(nil, given, options) })
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
	_, err := Learn(nil, []*Problem{nil}, nil)
	refused(t, err, ErrNullArgument)
	_, err = Learn(nil, nil, nil)
	refused(t, err, ErrNullArgument)
	_, err = ReadLearnt("{}")
	refused(t, err, ErrText)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	learnt, err := Learn(ctx, given, nil)
	refused(t, err, context.Canceled)
	defer learnt.Close()
	if report := must(learnt.Report()); report.Outcome != Cancelled || report.Applied {
		t.Errorf("%+v", report)
	}
	check(t, problem.SetGold(nil))
	_, err = Learn(nil, given, nil)
	refused(t, err, ErrNoGold)
	options := &LearnOptions{}
	options.WithoutGold = true
	found := must(Learn(nil, given, options))
	defer found.Close()
	if report := must(found.Report()); report.Verdict != VerdictWithoutGold || must(found.Kinds())[0].Strength <= 0 {
		t.Errorf("%+v", report)
	}
	learnt.Close()
	_, err = learnt.Report()
	refused(t, err, ErrClosed)
}
