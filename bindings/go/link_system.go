//go:build system

package chorale

// #cgo CPPFLAGS: -DCHORALE_GO_SYSTEM
// #cgo pkg-config: chorale
import "C"
