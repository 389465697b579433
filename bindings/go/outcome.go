package chorale

// #include "shim.h"
import "C"

import "time"

// Version returns the version of the loaded library, as "MAJOR.MINOR.PATCH".
func Version() string { return C.GoString(C.chorale_version()) }

// ABI returns the version number of the binary interface of the loaded library.
func ABI() int { return int(C.chorale_abi()) }

// Cancel is a flag by which any goroutine asks computations to end early.
type Cancel handle

// Raise raises the flag: every computation that was given this flag ends early. Any goroutine may
// call it at any time. It does nothing on a closed flag.
func (f *Cancel) Raise() {
	c := begin()
	defer c.end()
	C.chorale_cancel_raise((*C.chorale_cancel)(c.share(f.handle())))
}

// String returns "scores", "transitions", "cliques", "undecided" or "unknown".
func (o Obstacle) String() string {
	switch o {
	case ObstacleScores:
		return "scores"
	case ObstacleTransitions:
		return "transitions"
	case ObstacleCliques:
		return "cliques"
	case ObstacleUndecided:
		return "undecided"
	}
	return "unknown"
}

// seconds returns a time limit for C. 0 means no limit, and a negative limit has passed.
func seconds(limit time.Duration) C.double { return C.double(limit.Seconds()) }

// String returns the name of the outcome, such as "iteration-limit".
func (o Outcome) String() string { return C.GoString(C.chorale_outcome_name(C.chorale_outcome(o))) }
