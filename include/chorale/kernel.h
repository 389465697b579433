/* The calls of chain.h and message.h without a solver. They are stateless and re-entrant, work in
 * scratch memory of the caller, and allocate nothing.
 *
 * scratch: `bytes` bytes aligned to 64. The number that chorale_chain_solver_bytes or
 *   chorale_message_bytes gives for the task suffices. Contents are undefined afterwards. Calls on
 *   different scratch memory may run at the same time. Errors: ALIGNMENT, WORKSPACE_TOO_SMALL.
 * All other arguments are those of the function of chain.h or message.h that has the same name
 * after the prefix: chorale_kernel_solve takes those of chorale_chain_solve. chorale_chain_score,
 * chorale_property_shown and chorale_property_fired need neither a solver nor scratch memory, so
 * this header has no variants of them.
 */
#ifndef CHORALE_KERNEL_H
#define CHORALE_KERNEL_H

#include "chorale/message.h"

CHORALE_BEGIN_DECLS

CHORALE_API chorale_status chorale_kernel_solve(void *scratch, size_t bytes,
                                               const chorale_chain *chain, int32_t *labelling,
                                               chorale_chain_result *result, chorale_error *error);
CHORALE_API chorale_status chorale_kernel_max_marginals(
    void *scratch, size_t bytes, const chorale_chain *chain, double *marginals, int64_t row_stride,
    double *edge_marginals, double *margins, int32_t *labelling, chorale_chain_result *result,
    chorale_error *error);
CHORALE_API chorale_status chorale_kernel_k_best(void *scratch, size_t bytes,
                                                 const chorale_chain *chain, int64_t k,
                                                 int32_t *labellings, int64_t row_stride,
                                                 double *scores, int64_t *found,
                                                 chorale_error *error);
CHORALE_API chorale_status chorale_kernel_messages(
    void *scratch, size_t bytes, const chorale_chain *chain, const chorale_attachment *attachments,
    int64_t count, const chorale_message_options *options, double *const *outgoing,
    chorale_message_result *result, chorale_error *error);
CHORALE_API chorale_status chorale_kernel_decode(
    void *scratch, size_t bytes, const chorale_chain *chain, const chorale_attachment *attachments,
    int64_t count, const chorale_message_options *options, int32_t *labelling, int32_t *values,
    chorale_message_result *result, chorale_error *error);

CHORALE_END_DECLS

#endif
