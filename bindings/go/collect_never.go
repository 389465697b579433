//go:build !chorale_gc

package chorale

func collect() {}
