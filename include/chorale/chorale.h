/* Chorale: collective inference with symmetric clique potentials.
 *
 * One include for the whole library. Read the headers in this order:
 *   version.h    which library this is
 *   status.h     how calls report mistakes of the caller
 *   outcome.h    how computations end
 *   host.h       what the host lends: memory, a log, a way to cancel
 *   potential.h  symmetric potentials
 *   clique.h     clique inference: best values, max-marginals, bounds
 *   chain.h      chains and trees: best labelling, k-best, max-marginals, margins
 *   property.h   properties of labellings: automata, dictionaries of their values
 *   message.h    chains under properties: messages and decoding
 *   kernel.h     the same without a solver, in the caller's scratch memory
 *   model.h      chains, trees and cliques put together: builder and frozen model
 *   corpus.h     many chains, cliques and members in one call
 *   run.h        collective inference over a model
 *   decode.h     the front door: scores in, labels that agree out; read it first
 *   problem.h    a model with the names around it, in memory and as a file
 *
 * Rules that hold everywhere:
 *   - A call that can fail returns a chorale_status and takes an optional error struct last.
 *   - A failed call changes nothing, except that arrays it was to fill may hold partial results.
 *   - A call that fills a buffer whose size the caller cannot know takes `capacity`, how many
 *     elements (of text: bytes) the buffer holds, and last but for the error `needed`, which may be
 *     NULL and receives how many there are. A NULL buffer of capacity 0 asks for that number alone.
 *     A buffer that is too small is CAPACITY: the number is told, and nothing is written to the
 *     buffer.
 *   - A handle passed as const may be used from several threads at once; one passed as
 *     non-const by one thread at a time.
 *   - The library never prints, exits, aborts, or reads the environment or the locale.
 *   - Callbacks are called inside a call, and return to it. Progress, log and allocator are called
 *     on the thread that made the call; potentials and instances on the workers of a run too, which
 *     are threads of its own or of the caller's executor. An exception that leaves a callback, or a
 *     longjmp out of one, is undefined: to end a call from inside, return non-zero or raise a
 *     cancel flag.
 *   - Between calls there are no threads and there is no state outside handles. So after fork the
 *     child may use every handle that no other thread was using at the time, its pages of mapped
 *     problem files included; forked inside a callback, it may only exec or _exit.
 *   - Sizes are int64_t so that a negative one can be seen and refused; values are int32_t.
 *   - A stride of 0 means rows without gaps; any other must be at least the length of a row.
 */
#ifndef CHORALE_CHORALE_H
#define CHORALE_CHORALE_H

#include "chorale/chain.h"
#include "chorale/clique.h"
#include "chorale/corpus.h"
#include "chorale/decode.h"
#include "chorale/host.h"
#include "chorale/kernel.h"
#include "chorale/message.h"
#include "chorale/model.h"
#include "chorale/outcome.h"
#include "chorale/potential.h"
#include "chorale/problem.h"
#include "chorale/property.h"
#include "chorale/run.h"
#include "chorale/status.h"
#include "chorale/version.h"

#endif
