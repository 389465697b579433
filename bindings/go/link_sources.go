//go:build !system

package chorale

// The library is compiled as a part of this package, from the file chorale.cpp in its directory.

// #cgo CPPFLAGS: -DCHORALE_STATIC -I${SRCDIR}/../../include
// #cgo CXXFLAGS: -std=c++20 -O3 -g0 -I${SRCDIR}/../../src
// #cgo LDFLAGS: -lm -lpthread
import "C"
