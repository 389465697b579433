//go:build chorale_gc

package chorale

import "runtime"

// collect forces a garbage collection whenever a handle is used, so that tests find objects that are not
// kept alive.
func collect() { runtime.GC() }
