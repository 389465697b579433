//go:build bundled

package chorale

var readmeTags = []string{"-tags", "bundled"}
