//go:build !system

package chorale

//go:generate ./bundle.sh

// The library is compiled as a part of this package, from the file chorale.cpp in its directory.

// #cgo CPPFLAGS: -DCHORALE_STATIC
// #cgo CXXFLAGS: -std=c++20 -O3 -g0
// #cgo LDFLAGS: -lm -lpthread
import "C"
