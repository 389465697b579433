package chorale

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The program of the README is built as a module of its own and prints what the README says.
func TestReadme(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: short")
	}
	text, err := os.ReadFile("README.md")
	check(t, err)
	blocks := regexp.MustCompile("(?s)```go\n(package main.*?)```.*?```\n(.*?)```").FindSubmatch(text)
	if blocks == nil {
		t.Fatal("no program in README.md")
	}
	here, err := os.Getwd()
	check(t, err)
	folder := t.TempDir()
	check(t, os.WriteFile(filepath.Join(folder, "main.go"), blocks[1], 0o666))
	module := "module example\n\ngo 1.19\n\nrequire chorale v0.0.0\n\nreplace chorale => " + here + "\n"
	check(t, os.WriteFile(filepath.Join(folder, "go.mod"), []byte(module), 0o666))
	command := exec.Command("go", append([]string{"run"}, append(readmeTags, ".")...)...)
	command.Dir = folder
	var complaints strings.Builder
	command.Stderr = &complaints
	output, err := command.Output()
	if err != nil {
		t.Fatal(err, complaints.String())
	}
	if string(output) != string(blocks[2]) {
		t.Errorf("%s\nand not\n%s", output, blocks[2])
	}
}
