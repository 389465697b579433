//go:build chorale_gc

package chorale

import "runtime"

// collect forces a collection whenever a handle is used, so that what is not kept alive is missed at once.
func collect() { runtime.GC() }
