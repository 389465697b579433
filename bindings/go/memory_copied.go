//go:build !go1.22

package chorale

// lent is memory that C may read until it is released. Without a pinner, pointers inside structs must
// point to memory of C, so slices are copied.
type lent struct{ copies }
