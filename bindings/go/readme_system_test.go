//go:build !bundled && !asan

package chorale

var readmeTags []string
