// Package chorale labels many sequences together: it takes the scores of any CRF or neural tagger
// and finds labels that agree with each other, with an upper bound on the score of any other
// labels. It covers the whole of the library of the same name.
//
// [Decode] is the simplest interface: from a [Corpus] of scores and some [Agreement] values to
// labels and the reasons for them. It is implemented on public calls, which offer more: a
// [ModelBuilder] makes a [Model], over which a [Run] computes. [Prices] link models that have
// members of the same cliques, when one model would be too large.
//
// # Arrays
//
// Slices are borrowed for the length of one call; models copy their arrays. Shapes and strides are
// checked against the slices before the library reads them; a stride of 0 means rows without gaps.
// Scores are [Float64s] or [Float32s].
//
// # Words
//
// A chain is a sequence or tree of positions, each of which has one label; a single item is a chain
// of one position. A labelling is one label for each position. T is the number of positions of a
// chain, m the number of labels.
//
// A clique is a group of n members that are scored together. A member is a position of a chain, a
// whole chain, or a port of an [Instance]. It has one of R values. The potential of the clique is a
// function of the counts n_v, the numbers of members with each value v. In a position clique the
// value of a member is its label, or a value assigned to this label; the clique is centred if one
// more position, the centre, selects the potential by its own value. In a property clique the
// members are whole chains, and the value of a member is that of a [Property], which fires a value,
// or nothing, at each position. A chain is EMPTY if nothing fires, and CONFLICT if two different
// values fire. In slices EMPTY has the number R and CONFLICT R + 1. A clique may use only a subset
// of the property's values, a [Dictionary], in which one more value, OUT, may stand for all others.
//
// Chains belong to groups, such as documents. An [Agreement] says which labels or property values
// should agree, and so which cliques there are: of the positions with the same word, for instance.
//
// The score of a labelling is the sum of the scores of all chains plus the potentials of all
// cliques. A message goes from a clique to a member or back, as in max-product belief propagation:
// for each value of the member it has the best score of everything on the sender's side, given this
// value. A max-marginal is the best score of a labelling that has a given label at a given
// position; the margin of a position is its greatest max-marginal minus the second greatest.
//
// # Lifetimes
//
// Every type that holds memory of the library has a method Close; the garbage collector frees what
// was not closed. A call on a closed handle fails with [ErrClosed]. Close does not interrupt calls:
// it returns at once, and the memory is freed when the last call on the handle ends. Closing twice
// does nothing.
//
// # Goroutines
//
// Any number of goroutines may use a Potential, Transitions, Property, Dictionary, Model, Host or
// Cancel at once. Only one at a time may use a builder, a solver or a Scratch, change a Problem, or
// compute with a Run; another call at the same time fails with [ErrBusy].
//
// # Errors
//
// Errors are *[Error]: they have a [Status], which errors.Is finds, and a message that names the
// argument, its value and the rule. How a computation ended is an [Outcome], not an error. A call
// that its context ended returns both the result so far and the error of the context.
//
// # Callbacks
//
// A panic in a callback ends the computation, if it can be ended, and continues in the goroutine
// that made the call; if several calls share the callback, in one of their goroutines. An error
// that a callback returns is wrapped by the error of the call. The library keeps the callback of a
// potential, an instance or a host alive as long as the object exists. If such a callback refers to
// its own model, both live forever, unless the model is closed.
package chorale
