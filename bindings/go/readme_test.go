package chorale

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// modulePath returns the module path of a go.mod file.
func modulePath(t *testing.T, file string) string {
	t.Helper()
	path := regexp.MustCompile(`(?m)^module (\S+)$`).FindSubmatch(must(os.ReadFile(file)))
	if path == nil {
		t.Fatal("no module path in " + file)
	}
	return string(path[1])
}

// The module path is one that can be fetched, occurs in exactly three files, and can be changed by
// one script.
func TestModulePath(t *testing.T) {
	path := modulePath(t, "go.mod")
	if host := strings.Split(path, "/")[0]; !strings.Contains(host, ".") || !strings.HasSuffix(path, "/bindings/go") {
		t.Errorf("%s cannot be fetched", path)
	}
	spelled := map[string]bool{"go.mod": true, "example_test.go": true, "README.md": true}
	all, _ := filepath.Glob("*")
	for _, file := range all {
		text, err := os.ReadFile(file)
		if err == nil && strings.Contains(string(text), path) != spelled[file] {
			t.Errorf("%s: %s is there: %v", file, path, !spelled[file])
		}
	}
	folder := t.TempDir()
	script := filepath.Join(folder, "module.sh")
	check(t, os.WriteFile(script, must(os.ReadFile("module.sh")), 0o777))
	for file := range spelled {
		check(t, os.WriteFile(filepath.Join(folder, file), must(os.ReadFile(file)), 0o666))
	}
	for _, wrong := range []string{"", "chorale", "chorale/bindings/go", "host.org/chorale", "host.org/a b/bindings/go"} {
		if exec.Command("bash", script, wrong).Run() == nil {
			t.Errorf("%q is taken", wrong)
		}
	}
	const other = "host.example.org/somebody/chorale/bindings/go"
	if output, err := exec.Command("bash", script, other).CombinedOutput(); err != nil {
		t.Fatal(err, string(output))
	}
	for file := range spelled {
		text := string(must(os.ReadFile(filepath.Join(folder, file))))
		if strings.Contains(text, path) || !strings.Contains(text, other) {
			t.Errorf("%s has another path", file)
		}
	}
}

// The programs of the README, and of the site's page on Go, are built as modules of their own and
// print what is said there.
func TestReadme(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: short")
	}
	program := regexp.MustCompile("(?s)```go\n(package main.*?)```.*?```\n(.*?)```")
	programs := program.FindAllSubmatch(must(os.ReadFile("README.md")), -1)
	if page, err := os.ReadFile("../../examples/guide/docs/guides/go.md"); err == nil {
		programs = append(programs, program.FindAllSubmatch(page, -1)...)
	} else if !os.IsNotExist(err) {
		t.Fatal(err)
	}
	if len(programs) < 1 {
		t.Fatal("no programs")
	}
	here, err := os.Getwd()
	check(t, err)
	path := modulePath(t, "go.mod")
	module := "module example\n\ngo 1.19\n\nrequire " + path + " v0.3.0\n\nreplace " + path + " => " + here + "\n"
	for _, blocks := range programs {
		folder := t.TempDir()
		check(t, os.WriteFile(filepath.Join(folder, "main.go"), blocks[1], 0o666))
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
}
