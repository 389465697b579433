package chorale

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"reflect"
	"testing"
)

func mentionsOfTwoKeys() *Mentions {
	return &Mentions{
		Keys: 2, Labels: 2,
		Key:        []int32{0, 0, 0, 1, -1},
		Label:      []int32{0, 0, 1, 0, 1},
		Confidence: []float64{0.6, 0.6, 0.95, 0.8, 0.8},
		Times:      []int64{1, 1, 1, 2, 1},
	}
}

func TestSettle(t *testing.T) {
	evidence := Evidence{Most: 4, Once: 6}
	settled, err := Settle(mentionsOfTwoKeys(), &evidence)
	if err != nil {
		t.Fatal(err)
	}
	first := settled.Mentions[0]
	if first.Label != 1 || !first.Changed || first.Others != 2 || first.AgreeingBefore != 1 || first.Agreeing != 2 {
		t.Errorf("first mention: %+v", first)
	}
	if !(first.Probability > 0.8 && first.ProbabilityBefore < 0.2) || settled.Mentions[3].Others != 0 {
		t.Errorf("probabilities %v", settled.Mentions)
	}
	if key := settled.Keys[0]; key.Label != 1 || key.Conflict || key.Mentions != 3 || key.Expected <= 0 {
		t.Errorf("first key: %+v", key)
	}
	if found, _ := Settle(mentionsOfTwoKeys(), nil); found.Evidence.Origin != EvidenceEstimated || found.Evidence.Mentions != 5 {
		t.Errorf("evidence %+v", found.Evidence)
	}
	answered := mentionsOfTwoKeys()
	answered.Answers = []int32{AnswerDiffers, NoAnswer}
	answered.Scores = []float64{0, -1, 0, -1, -3, 0, 0, -1, math.Inf(-1), 0}
	settled, err = Settle(answered, &evidence)
	if err != nil || settled.Keys[0].Label != -1 || settled.Mentions[2].Label != 1 || settled.Mentions[0].Label != 0 {
		t.Errorf("answered: %+v, %v", settled, err)
	}
	answered.Label = answered.Label[:2]
	if _, err := Settle(answered, nil); !errors.Is(err, ErrShape) {
		t.Errorf("short labels: %v", err)
	}
	if _, err := Settle(nil, nil); !errors.Is(err, ErrNullArgument) {
		t.Errorf("no mentions: %v", err)
	}
}

func TestLedgerIsATable(t *testing.T) {
	evidence := Evidence{Most: 4, Once: 6}
	ledger, err := NewLedger(2, evidence)
	if err != nil {
		t.Fatal(err)
	}
	defer ledger.Close()
	all := mentionsOfTwoKeys()
	told := make([]int32, len(all.Key))
	for i := range all.Key {
		labels, err := ledger.Add(&Mentions{Keys: 2, Labels: 2, Key: all.Key[i : i+1], Label: all.Label[i : i+1],
			Confidence: all.Confidence[i : i+1], Times: all.Times[i : i+1]})
		if err != nil {
			t.Fatal(err)
		}
		told[i] = labels[0]
	}
	changes, err := ledger.Changes(true)
	if err != nil || !reflect.DeepEqual(changes, []LedgerChange{{0, 1, 0}, {1, 1, 0}}) {
		t.Errorf("changes %v, %v", changes, err)
	}
	if again, err := ledger.Changes(false); len(again) != 0 || err != nil {
		t.Errorf("changes %v again, %v", again, err)
	}
	settled, _ := Settle(all, &evidence)
	rows, err := ledger.Rows()
	if err != nil || len(rows) != len(told) {
		t.Fatalf("rows %v, %v", rows, err)
	}
	for i, row := range rows {
		if row.Label != settled.Mentions[i].Label || row.Told != row.Label || row.Key != all.Key[i] {
			t.Errorf("row %d: %+v", i, row)
		}
	}
	if keys, err := ledger.Keys(); err != nil || !reflect.DeepEqual(keys, settled.Keys) {
		t.Errorf("keys %v, %v", keys, err)
	}
	found, err := ledger.Refit(nil)
	settled, _ = Settle(all, nil)
	if err != nil || found != settled.Evidence {
		t.Errorf("evidence %v, %v", found, err)
	}
}

// Texts are spelt as in every other language: the cases are shared.
func TestSpellingIsShared(t *testing.T) {
	text, err := os.ReadFile("../../tests/cases/spelling.json")
	if err != nil {
		t.Skip("skipped: no shared cases")
	}
	var cases []struct {
		Rules         []SpellingRule
		Input, Output string
	}
	if err := json.Unmarshal(text, &cases); err != nil {
		t.Fatal(err)
	}
	tried := 0
	for _, of := range cases {
		if len(of.Rules) > 0 && of.Rules[0] == "unicode" {
			continue // left to the caller
		}
		tried++
		if found := Spell(of.Input, of.Rules...); found != of.Output {
			t.Errorf("%q by %v is %q, not %q", of.Input, of.Rules, found, of.Output)
		}
	}
	if tried < 20 {
		t.Errorf("only %d cases", tried)
	}
}
