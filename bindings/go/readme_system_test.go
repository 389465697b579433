//go:build system && !asan

package chorale

var readmeTags = []string{"-tags", "system"}
