// Package chorale labels many sequences together: it takes the scores of any CRF or neural tagger and
// finds labels that agree with each other, with an upper bound on the score of any other labels. It
// covers the whole of the library of the same name.
//
// [Decode] is the simplest interface: from a [Corpus] of scores and some [Agreement] values to labels
// and the reasons for them. It is implemented on public calls, which offer more: a [ModelBuilder] makes
// a [Model], over which a [Run] computes. [Prices] link models that have members of the same cliques,
// when one model would be too large.
//
// # Arrays
//
// Slices are borrowed for the length of one call; models copy their arrays. Shapes and strides are
// checked against the slices before the library reads them; a stride of 0 means rows without gaps.
// Scores are [Float64s] or [Float32s].
//
// In this documentation T is the number of positions of a chain, m the number of labels, n the number of
// members of a clique, n_v the number of members with value v, and R the number of values. A member
// without a value is EMPTY, number R; one with several values is CONFLICT, number R + 1.
//
// # Lifetimes
//
// Every type that holds memory of the library has a method Close; the garbage collector frees what was
// not closed. A call on a closed handle is [ErrClosed]; closing during a call waits, without blocking,
// for its end. Closing twice does nothing.
//
// # Goroutines
//
// Potential, Transitions, Property, Dictionary, Model, Host and Cancel may be used by any number of goroutines at once.
// A builder, a solver, a Scratch, a Problem during a change and a Run during a computation may be used
// by one at a time: a concurrent call is [ErrBusy].
//
// # Errors
//
// Errors are *[Error], with a [Status] that errors.Is finds and a message that names the argument, its value and the rule.
// How a computation ended is an [Outcome], not an error. A call that was ended by its context returns
// both the result so far and the error of the context.
//
// # Callbacks
//
// A panic in a callback ends the computation, if it can be ended, and continues in the goroutine that
// made the call (if several concurrent calls share the callback, in one of them). An error that a
// callback returns is wrapped by the error of the call.
// A callback of a potential, an instance or a host is kept alive until the library releases it; a
// callback that refers to its own model keeps both alive forever, unless the model is closed.
package chorale
