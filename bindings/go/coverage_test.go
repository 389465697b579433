package chorale

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Every stable function of the library is used by the package.
func TestSymbolsAreReached(t *testing.T) {
	lists, _ := filepath.Glob("../../tests/symbols.txt")
	if len(lists) == 0 {
		t.Skip("skipped: no list of symbols")
	}
	var symbols []string
	for _, list := range lists {
		text, err := os.ReadFile(list)
		if err != nil {
			t.Fatal(err)
		}
		symbols = append(symbols, strings.Fields(string(text))...)
	}
	if len(symbols) < 90 {
		t.Fatalf("only %d symbols", len(symbols))
	}
	words := map[string]bool{}
	sources, _ := filepath.Glob("*.go")
	shims, _ := filepath.Glob("shim.c")
	comment := regexp.MustCompile(`//.*`)
	word := regexp.MustCompile(`\w+`)
	for _, path := range append(sources, shims...) {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		source, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range word.FindAllString(comment.ReplaceAllString(string(source), ""), -1) {
			words[found] = true
		}
	}
	for _, symbol := range symbols {
		if !words[symbol] {
			t.Errorf("%s is not reached", symbol)
		}
	}
	if words["chorale_there_is_no_such_function"] {
		t.Error("anything is reached")
	}
}

// Every status in the C header has a constant of the package with the same number.
func TestStatusesAreThoseOfTheHeader(t *testing.T) {
	header, err := os.ReadFile("../../include/chorale/base.h")
	if err != nil {
		t.Skip("skipped: no header")
	}
	source, err := os.ReadFile("constants.go")
	if err != nil {
		t.Fatal(err)
	}
	statuses := regexp.MustCompile(`(CHORALE_ERROR_\w+) = \d+`).FindAllStringSubmatch(string(header), -1)
	if len(statuses) < 40 {
		t.Fatalf("only %d statuses", len(statuses))
	}
	for _, status := range statuses {
		if !regexp.MustCompile(`C\.` + status[1] + `\b`).Match(source) {
			t.Errorf("%s has no sentinel", status[1])
		}
	}
	if Complete.String() != "complete" || IterationLimit.String() != "iteration-limit" {
		t.Error(Complete, IterationLimit)
	}
	if ErrTableTooShort.Error() != "chorale: table too short" {
		t.Error(ErrTableTooShort.Error())
	}
}
