//go:build !bundled

package chorale

// #cgo pkg-config: chorale
import "C"
