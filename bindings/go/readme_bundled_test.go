//go:build !system

package chorale

var readmeTags []string
