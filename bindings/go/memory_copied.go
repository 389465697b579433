//go:build !go1.22

package chorale

// lent is memory that C may read until it is released: without a pinner, pointers inside structs must lead to memory of C.
type lent struct{ copies }
