//go:build asan && !bundled

package chorale

var readmeTags = []string{"-asan"}
