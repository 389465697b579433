// Package chorale labels many sequences together: it takes the scores of any CRF or neural tagger and finds the labels
// that agree with each other, softly, fast, and with a certificate of how good the answer is. It covers the whole of the
// library of the same name.
//
// [Decode] is the front door: a [Corpus] of scores and some [Agreement] values in, labels and the reasons for them out. What
// it does can be had in single calls, which offer more: a [ModelBuilder] makes a [Model], over which a [Run] computes.
// [Prices] link models that have members of the same cliques, where one model would be too large.
//
// # Arrays
//
// Slices are borrowed for the length of one call; models copy what they are given. Shapes and strides are checked against
// the slices before the library reads them; a stride of 0 means rows without gaps. Scores are [Float64s] or [Float32s].
//
// In what follows T is the number of positions of a chain, m that of its labels, n that of the members of a clique and n_v of
// those that show value v, R the number of values. A member that shows nothing is EMPTY, number R; one that shows several
// values is CONFLICT, number R + 1.
//
// # Lifetimes
//
// Everything that holds memory of the library has a Close, and is freed with the garbage at the latest. A call on a closed
// handle is [ErrClosed]; closing during a call waits, without blocking, for its end. Closing twice does nothing.
//
// # Goroutines
//
// Potential, Transitions, Property, Dictionary, Model, Host and Cancel may be used by any number of goroutines at once.
// A builder, a solver, a Scratch, a Problem that is changed and a Run that computes belong to one at a time: a call that
// comes in between is [ErrBusy].
//
// # Errors
//
// Errors are *[Error], with a [Status] that errors.Is finds and a message that names the argument, its value and the rule.
// How a computation ended is an [Outcome], not an error; a call that its context has ended gives both the result so far
// and the error of the context.
//
// # Callbacks
//
// A panic in a callback ends the computation, as far as that can be ended, and goes on in the goroutine that made the call
// (of calls that share a callback and run at once, in one of them). An error that a callback returns is wrapped by the error
// of the call.
// What is given to a potential, an instance or a host as a callback is referred to until the library lets go of it; a callback that
// refers to its own model keeps both alive for good, unless the model is closed.
package chorale
