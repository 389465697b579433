package chorale

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const problemFolder = "../../tests/problems"

func list(numbers []int32) string {
	return strings.Trim(fmt.Sprint(numbers), "[]")
}

// tableOf solves a problem and returns its results as lines, in the form in which expected.tsv, the
// table of expected results, has them.
func tableOf(t *testing.T, file string, problem *Problem, options *RunOptions) []string {
	t.Helper()
	model := must(problem.Model())
	defer model.Close()
	options.BoundSteps = 8
	run := must(NewRun(model, options, nil))
	defer run.Close()
	result := must(run.Solve(context.Background()))
	var lines []string
	tell := func(what string, number int, content string) {
		lines = append(lines, fmt.Sprintf("%s\t%s\t%d\t%s", file, what, number, content))
	}
	number := func(what string, number int, value float64) {
		tell(what, number, fmt.Sprintf("%016x", math.Float64bits(value)))
	}
	tell("outcome", 0, fmt.Sprint(int32(result.Outcome)))
	number("score", 0, result.Score)
	number("own_score", 0, result.OwnScore)
	number("upper_bound", 0, result.UpperBound)
	together := must(run.Labels(AllChains, Together))
	scores := must(model.Score(together))
	var all []int32
	for chain := 0; chain < model.ChainCount(); chain++ {
		labels, own := must(run.Labels(chain, Together)), must(run.Labels(chain, Alone))
		tell("labels", chain, list(labels))
		tell("own_labels", chain, list(own))
		number("chain_score", chain, scores.ChainScores[chain])
		all = append(all, labels...)
	}
	if list(all) != list(together) {
		t.Errorf("%s: labels of all chains differ", file)
	}
	for clique := 0; clique < model.CliqueCount(); clique++ {
		number("clique_score", clique, scores.CliqueScores[clique])
	}
	return lines
}

// The problem files, which the tests of every language read, give the results of expected.tsv bit
// for bit: with threads, from files, from copied bytes, and after writing the problem again.
func TestProblemFiles(t *testing.T) {
	table, err := os.ReadFile(filepath.Join(problemFolder, "expected.tsv"))
	if err != nil {
		t.Skip("skipped: no problem files")
	}
	var expected []string // without the values of members, for which the package has no call
	for _, line := range strings.Split(strings.TrimSpace(string(table)), "\n")[1:] {
		if strings.Split(line, "\t")[1] != "values" {
			expected = append(expected, line)
		}
	}
	files, _ := filepath.Glob(filepath.Join(problemFolder, "*.chorale"))
	if len(files) < 10 {
		t.Fatalf("only %d files", len(files))
	}
	threads := &RunOptions{}
	threads.Threads = 3
	var lines []string
	for _, path := range files {
		file := filepath.Base(path)
		problem := must(LoadProblem(path))
		once := tableOf(t, file, problem, &RunOptions{})
		lines = append(lines, once...)
		content := must(os.ReadFile(path))
		if !bytes.Equal(must(problem.Bytes()), content) {
			t.Errorf("%s: written again it differs", file)
		}
		read := must(ReadProblem(content))
		saved := filepath.Join(t.TempDir(), file)
		check(t, read.Save(saved))
		again := must(LoadProblem(saved))
		for _, same := range [][]string{
			tableOf(t, file, problem, threads),
			tableOf(t, file, read, &RunOptions{}), tableOf(t, file, again, &RunOptions{}),
		} {
			if strings.Join(once, "\n") != strings.Join(same, "\n") {
				t.Errorf("%s: results differ", file)
			}
		}
		read.Close()
		again.Close()
		problem.Close()
	}
	if len(lines) != len(expected) {
		t.Fatalf("%d lines, expected %d", len(lines), len(expected))
	}
	for i, line := range lines {
		if line != expected[i] {
			t.Errorf("%s, expected %s", line, expected[i])
		}
	}
}

func TestProblemTexts(t *testing.T) {
	model := sentences(nil)
	defer model.Close()
	problem := must(NewProblem(model))
	defer problem.Close()
	check(t, problem.SetTexts(TextsLabels, []string{"Other", "Place", "Person"}))
	check(t, problem.SetTexts(TextsWords, []string{"in", "Washington", "near", "Washington", "says", "Washing\x00ton"}))
	check(t, problem.SetTexts(TextsKinds, []string{"word"}))
	check(t, problem.SetCliques([]int32{0}, []TextList{TextsLabels}))
	check(t, problem.SetGold([]int32{0, 1, 0, 1, -1, 1}))
	for _, p := range []*Problem{problem, must(ReadProblem(must(problem.Bytes())))} {
		if got := p.Texts(TextsLabels); strings.Join(got, " ") != "Other Place Person" {
			t.Error(got)
		}
		if got, ok := p.Text(TextsWords, 5); !ok || got != "Washing\x00ton" {
			t.Errorf("%q", got)
		}
		if _, ok := p.Text(TextsTokens, 0); ok || p.Texts(TextsTokens) != nil || len(p.Texts(TextsWords)) != 6 {
			t.Error("texts that are not there")
		}
		if got := list(p.Gold()); got != "0 1 0 1 -1 1" {
			t.Error(got)
		}
	}
	refused(t, problem.SetTexts(TextsLabels, []string{"\xff", "b", "c"}), ErrText)
	refused(t, problem.SetTexts(TextsWords, []string{"one"}), ErrShape)
	refused(t, problem.SetTexts(TextList(50), []string{"one"}), ErrUnknownConstant)
	refused(t, problem.SetGold([]int32{0}), ErrShape)
	refused(t, problem.SetGold([]int32{0, 1, 0, 1, -1, 3}), ErrOutOfRange)
	refused(t, problem.SetCliques([]int32{-2}, nil), ErrOutOfRange)
	check(t, problem.SetGold(nil))
	if problem.Gold() != nil {
		t.Error("gold labels after their removal")
	}
}

func TestDamagedProblems(t *testing.T) {
	model := sentences(nil)
	content := must(must(NewProblem(model)).Bytes())
	read := func(bytes []byte) error {
		_, err := ReadProblem(bytes)
		return err
	}
	check(t, read(content))
	refused(t, read(nil), ErrFileTruncated)
	refused(t, read(make([]byte, 4096)), ErrFileFormat)
	refused(t, read(content[:len(content)-1]), ErrFileTruncated)
	for at := 0; at < len(content); at += 7 {
		content[at] ^= 0x40
		if read(content) == nil {
			t.Errorf("byte %d", at)
		}
		content[at] ^= 0x40
	}
	_, err := LoadProblem(filepath.Join(t.TempDir(), "none"))
	refused(t, err, ErrInputOutput)
	_, err = LoadProblem("a\x00b")
	refused(t, err, ErrInputOutput)
	refused(t, must(ReadProblem(content)).Save(filepath.Join(t.TempDir(), "no", "folder")), ErrInputOutput)
}
