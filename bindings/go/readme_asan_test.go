//go:build asan && system

package chorale

var readmeTags = []string{"-asan", "-tags", "system"}
