//go:build chorale_gc

package chorale

import "runtime"

// collect forces a garbage collection. It is called whenever a handle is used, so that tests with
// the tag chorale_gc fail if something is not kept alive.
func collect() { runtime.GC() }
