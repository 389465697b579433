/* Chorale: collective inference with symmetric clique potentials.
 *
 * One include for everything that is stable. Read the headers in this order:
 *   decode.h     from a tagger's scores, and what ought to agree, to labels and reasons: enough for
 *                most programs
 *   problem.h    a model with its names and gold labels, in memory and as a file
 *   learn.h      from labelled documents to strengths; provisional
 *   rules.h      what the labelling of a chain must look like; provisional
 *   model.h      models of chains, trees and cliques: builder and frozen model
 *   run.h        collective inference over a model
 *   chain.h      chains and trees: best labelling, k-best, max-marginals, margins
 *   clique.h     clique inference: best values, max-marginals, bounds
 *   potential.h  symmetric potentials
 *   property.h   properties of labellings
 *   base.h       statuses, outcomes, the host program; the others use it
 *   version.h    the version of the library
 *
 * What these headers declare is stable, but for what is provisional: a program compiled with them
 * runs on every later library of the same CHORALE_ABI. What is provisional may change until version
 * 1.0. experimental.h, which this header does not include, has what may change or go in any version.
 *
 * To compile: cc program.c -lchorale. The static library needs the C++ runtime too (-lstdc++ -lm).
 *
 * Rules that hold everywhere:
 *   - A call that can fail returns a chorale_status and takes an optional error struct last.
 *     Comments leave out the prefixes of constants: "Errors: SIZE" means CHORALE_ERROR_SIZE.
 *   - A failed call changes nothing, except that its output arrays may hold partial results.
 *   - Some calls fill a buffer whose size the caller cannot know. They take `capacity`, the size of
 *     the buffer in elements (text: bytes), and `needed`, which receives the number of elements of
 *     the whole output and may be NULL. With a NULL buffer and capacity 0 the call only stores this
 *     number. If the buffer is too small, the call fails with CAPACITY and writes nothing to the
 *     buffer, but still stores the number.
 *   - Several threads may at once make calls that take the same handle as const. While a call takes
 *     a handle as non-const, no other thread may make a call with this handle. "Any thread" at a
 *     call means that several threads may make the call at once.
 *   - The library never prints, exits, aborts, or reads the environment or the locale.
 *   - Callbacks run only during a call, and must return. Progress, log and allocator callbacks run
 *     on the thread of the call. Callbacks of potentials and of instances (experimental.h)
 *     also run on the worker threads of a run, which are threads of the library or of the caller's
 *     executor. An exception or longjmp out of a callback is undefined behaviour: to end a call
 *     early, return non-zero or raise a cancel flag.
 *   - Between calls the library has no threads, and no state outside handles. So after a fork the
 *     child may use every handle that no other thread was using at the time of the fork. After a
 *     fork inside a callback the child may only exec or _exit.
 *   - A thread that makes a call needs 64 KiB of free stack, besides what its callbacks need.
 *   - Inside a call floating-point exceptions do not trap, also in callbacks; afterwards they trap as
 *     before.
 *   - Structs begin with struct_size, which the caller sets to the size of the struct. In all other
 *     fields 0 means the documented default, so that this sets everything:
 *     `chorale_run_options options = {.struct_size = sizeof options};` (C++ before 2020: all zeros,
 *     then an assignment). Nothing a caller may want is written as 0 where 0 means a default.
 *   - A time limit of 0 or plus infinity is none; in learn.h 0 is 300 seconds. A negative one has
 *     passed already: calls do what they do under every limit, and no more.
 *   - Sizes are int64_t, so that negative sizes are detected; values are int32_t. Bytes of texts and
 *     files, and sizes of structs, are size_t.
 *   - A row stride of 0 means rows without gaps; any other row stride must be at least the length
 *     of a row. An array that also has a column stride (chain.h) may be stored by columns; then any
 *     strides are allowed with which no two entries overlap.
 */
#ifndef CHORALE_CHORALE_H
#define CHORALE_CHORALE_H

/* clang-format off: in reading order */
#include "chorale/version.h"
#include "chorale/base.h"
#include "chorale/decode.h"
#include "chorale/problem.h"
#include "chorale/learn.h"
#include "chorale/rules.h"
#include "chorale/model.h"
#include "chorale/run.h"
#include "chorale/chain.h"
#include "chorale/clique.h"
#include "chorale/potential.h"
#include "chorale/property.h"
/* clang-format on */

#endif
