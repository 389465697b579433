//go:build !go1.22

package chorale

// lent is memory that C may read until it is released. Slices are copied to C memory: a pointer
// inside a C struct may point to Go memory only if that memory is pinned, and this package pins
// memory only from Go 1.22 on.
type lent struct{ copies }
