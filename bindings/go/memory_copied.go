//go:build !go1.22

package chorale

// lent is memory that C may read until it is released. Slices are copied to C memory, since
// pointers inside C structs may point to Go memory only if it is pinned, which this package does
// from Go 1.22 on.
type lent struct{ copies }
