/* Memory of the caller's own: how many bytes a task needs, solvers in the caller's memory, and solvers
 * that grow in advance.
 *
 * Solvers of create_in live in `bytes` bytes of the caller's memory, aligned to 64, which must outlive
 * the solver; after its destruction the caller may reuse them. Such a solver never allocates, and a
 * task that needs more memory fails with WORKSPACE_TOO_SMALL. It uses the log of `host`, but not its
 * allocator. Errors of both create_in: NULL_ARGUMENT, STRUCT_SIZE, ALIGNMENT, WORKSPACE_TOO_SMALL.
 */
#ifndef CHORALE_EXPERIMENTAL_MEMORY_H
#define CHORALE_EXPERIMENTAL_MEMORY_H

#include "chorale/clique.h"
#include "chorale/experimental/message.h"

CHORALE_BEGIN_DECLS

/* ---- Chains ------------------------------------------------------------------------------ */

/* Tasks of chorale_chain_solver_bytes and chorale_chain_solver_reserve. */
typedef int32_t chorale_chain_task;
enum { CHORALE_CHAIN_SOLVE = 0, CHORALE_CHAIN_MAX_MARGINALS = 1, CHORALE_CHAIN_K_BEST = 2 };

CHORALE_API chorale_status chorale_chain_solver_create_in(const chorale_host *host, void *memory,
                                                          size_t bytes,
                                                          chorale_chain_solver **solver,
                                                          chorale_error *error);
/* Computes how many bytes create_in needs for `task` on this chain, and on every chain that differs
 * from this one only in the entries of its arrays. k: number of labellings for K_BEST, otherwise
 * ignored. Any thread. */
CHORALE_API chorale_status chorale_chain_solver_bytes(const chorale_chain *chain,
                                                      chorale_chain_task task, int64_t k,
                                                      size_t *bytes, chorale_error *error);
/* Grows the workspace so that later calls for `task` do not allocate, on this chain and on every
 * chain that differs from this one only in the entries of its arrays. On failure the solver is
 * unchanged. */
CHORALE_API chorale_status chorale_chain_solver_reserve(chorale_chain_solver *solver,
                                                        const chorale_chain *chain,
                                                        chorale_chain_task task, int64_t k,
                                                        chorale_error *error);

/* ---- Cliques ----------------------------------------------------------------------------- */

/* Tasks of chorale_clique_solver_bytes and chorale_clique_solver_reserve. */
typedef int32_t chorale_clique_task;
enum { CHORALE_CLIQUE_SOLVE = 0, CHORALE_CLIQUE_MAX_MARGINALS = 1 };

CHORALE_API chorale_status chorale_clique_solver_create_in(const chorale_host *host, void *memory,
                                                           size_t bytes,
                                                           chorale_clique_solver **solver,
                                                           chorale_error *error);
/* Computes the bytes that create_in needs for `task` on any problem of at most `members` members
 * with this potential and options (NULL: defaults), without weights. Errors: those of the task itself. Any
 * thread. */
CHORALE_API chorale_status chorale_clique_solver_bytes(const chorale_potential *potential,
                                                       int64_t members,
                                                       const chorale_clique_options *options,
                                                       chorale_clique_task task, size_t *bytes,
                                                       chorale_error *error);
/* Grows the workspace so that `task` does not allocate on problems of at most `members` members
 * with this potential and options. On failure the solver is unchanged. Errors: those of the task
 * itself; WORKSPACE_TOO_SMALL if the solver is in the caller's memory. */
CHORALE_API chorale_status chorale_clique_solver_reserve(chorale_clique_solver *solver,
                                                         const chorale_potential *potential,
                                                         int64_t members,
                                                         const chorale_clique_options *options,
                                                         chorale_clique_task task,
                                                         chorale_error *error);

/* ---- Chains under properties ------------------------------------------------------------- */

/* Tasks of the two functions below: SEND is chorale_chain_messages, DECODE chorale_chain_decode. */
typedef int32_t chorale_message_task;
enum { CHORALE_MESSAGE_SEND = 0, CHORALE_MESSAGE_DECODE = 1 };

/* Computes how many bytes chorale_chain_solver_create_in needs for `task` on this chain with these
 * `count` attachments and options (NULL: defaults). The same number suffices for all chains and
 * attachments that differ from these only in the entries of arrays (messages, scores, tables).
 * Errors: as for the task. Any thread. */
CHORALE_API chorale_status chorale_message_bytes(const chorale_chain *chain,
                                                 const chorale_attachment *attachments,
                                                 int64_t count,
                                                 const chorale_message_options *options,
                                                 chorale_message_task task, size_t *bytes,
                                                 chorale_error *error);
/* Grows the workspace so that `task` does not allocate on this chain and these attachments, nor on
 * those that differ from them only in the entries of arrays. On failure the solver is unchanged. */
CHORALE_API chorale_status chorale_message_reserve(chorale_chain_solver *solver,
                                                   const chorale_chain *chain,
                                                   const chorale_attachment *attachments,
                                                   int64_t count,
                                                   const chorale_message_options *options,
                                                   chorale_message_task task, chorale_error *error);

CHORALE_END_DECLS

#endif
