// Package chorale labels many sequences together: it takes the scores of any CRF or neural tagger
// and finds labels that agree with each other and, on request, an upper bound on the score of all
// labellings. It has all of the library that is stable. In every struct of options, the zero value
// of a field is the default, and so is nil in place of the struct.
//
// [Decode] is the simplest interface: it takes a [Corpus] of scores and some [Agreement] values,
// and returns labels and the reasons for them. The types that Decode uses inside offer more: a
// [ModelBuilder] makes a [Model], and a [Run] computes a labelling of the model.
//
// # Arrays
//
// Slices are borrowed for the length of one call; models copy their arrays. Before the library
// reads a slice, its length is checked. Matrices are in one slice, row after row without gaps. Scores
// are [Float64s] or [Float32s].
//
// # Words
//
// A chain is a sequence or tree of positions, each of which has one label; a single item is a chain
// of one position. A labelling is one label for each position. T is the number of positions of a
// chain, m the number of labels.
//
// A clique is a group of n members that are scored together. A member is a position of a chain, or a
// whole chain. Each member has one of R values. The potential of the
// clique is a function of the counts n_v, the numbers of members with each value v. In a position
// clique the value of a member is its label, or a value assigned to this label; the clique is
// centred if one more position, the centre, selects the potential by its own value. In a property
// clique the members are whole chains, and the value of a member is the value of a [Property].
//
// A property reads the labels of a chain and fires (outputs) a value, or nothing, at each position.
// The value of the property on the chain is EMPTY if it fires nothing, v if it fires v and no other
// value, and CONFLICT if it fires two different values. In slices EMPTY has the number R and
// CONFLICT R + 1. A clique of a problem file may use only a subset of the property's values, a
// dictionary; one more value, UNLISTED, may then stand for all values outside the subset.
//
// Chains belong to groups, such as documents. An [Agreement] says which labels or property values
// should agree, and thereby defines cliques: for instance, the positions with the same word form a
// clique.
//
// The score of a labelling is the sum of the scores of all chains plus the potentials of all
// cliques; comments call this sum equation 1, phi_i the score of chain i, and C_p the potential of
// clique p. A message goes from a clique to a member or back, as in max-product belief propagation.
// It is a row of scores, one for each value of the member: the best score of everything on the
// sender's side, given this value. A max-marginal is the best score of a labelling that has a given
// label at a given position; the margin of a position is its greatest max-marginal minus the second
// greatest.
//
// # Experimental
//
// Tables of mentions ([Settle], [Ledger]), a problem as bytes, and the formats of stored messages may
// change or go in any version. This package leaves out what else is experimental in the library, such
// as prices and dictionaries.
//
// # Lifetimes
//
// Values of types that hold memory of the library are called handles. Each has a method Close; the
// garbage collector frees handles that were not closed. A call on a closed handle fails with
// [ErrClosed]. Close does not interrupt calls: it returns at once, and the memory is freed when the
// last call on the handle ends. Closing twice does nothing.
//
// # Goroutines
//
// Any number of goroutines may use a Potential, Transitions, Property, Model or Cancel
// at once. Only one at a time may use a builder or a solver, change a Problem, or
// compute with a Run; another call at the same time fails with [ErrBusy].
//
// # Errors
//
// Errors are *[Error]: they have a [Status], which errors.Is finds, and a message that names the
// argument, its value and the rule that the value breaks. How a computation ended is an [Outcome],
// not an error. A call that ends early because of its context returns both the result so far and
// the error of the context.
//
// # Callbacks
//
// A panic in a callback ends the computation, if a callback of this kind can end it, and then
// continues in the goroutine that made the call. If several calls use the callback at the same
// time, the panic continues in one of their goroutines. An error that a callback returns is wrapped
// by the error of the call. The library keeps the callback of a potential alive as long
// as the potential exists. If such a callback refers to its own model, neither is ever freed, unless
// the model is closed.
package chorale
