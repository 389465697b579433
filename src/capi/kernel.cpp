// Exported C functions of kernel.h. Each does what a call of chain.h or message.h does, with a
// temporary solver whose workspace is the caller's memory `scratch`.
#include "capi/firewall.hpp"
#include "capi/solver_handle.hpp"
#include "chain/solver.hpp"

#include <chorale/experimental/memory.h>

namespace chorale {
namespace {

template <class Call>
chorale_status in_scratch(void *scratch, std::size_t bytes, chorale_error *error,
                          Call &&call) noexcept {
  const chorale_status status = guarded(error, [&](Report &report) -> chorale_status {
    CHORALE_CHECK(check_given(report, "scratch", scratch));
    return check_alignment(report, "scratch", scratch);
  });
  if (status != CHORALE_OK)
    return status;
  chorale_chain_solver solver(static_cast<std::byte *>(scratch), bytes, chorale_host{});
  return call(&solver);
}

} // namespace
} // namespace chorale

using namespace chorale;

extern "C" {

chorale_status chorale_kernel_solve(void *scratch, size_t bytes, const chorale_chain *chain,
                                   int32_t *labelling, chorale_chain_result *result,
                                   chorale_error *error) {
  return in_scratch(scratch, bytes, error, [&](chorale_chain_solver *solver) {
    return chorale_chain_solve(solver, chain, labelling, result, error);
  });
}

chorale_status chorale_kernel_max_marginals(void *scratch, size_t bytes, const chorale_chain *chain,
                                            double *marginals, int64_t row_stride,
                                            double *edge_marginals, double *margins,
                                            int32_t *labelling, chorale_chain_result *result,
                                            chorale_error *error) {
  return in_scratch(scratch, bytes, error, [&](chorale_chain_solver *solver) {
    return chorale_chain_max_marginals(solver, chain, marginals, row_stride, edge_marginals,
                                       margins, labelling, result, error);
  });
}

chorale_status chorale_kernel_k_best(void *scratch, size_t bytes, const chorale_chain *chain,
                                     int64_t k, int32_t *labellings, int64_t row_stride,
                                     double *scores, int64_t *found, chorale_error *error) {
  return in_scratch(scratch, bytes, error, [&](chorale_chain_solver *solver) {
    return chorale_chain_k_best(solver, chain, k, labellings, row_stride, scores, found, error);
  });
}

chorale_status chorale_kernel_messages(void *scratch, size_t bytes, const chorale_chain *chain,
                                       const chorale_attachment *attachments, int64_t count,
                                       const chorale_message_options *options,
                                       double *const *outgoing, chorale_message_result *result,
                                       chorale_error *error) {
  return in_scratch(scratch, bytes, error, [&](chorale_chain_solver *solver) {
    return chorale_chain_messages(solver, chain, attachments, count, options, outgoing, result,
                                  error);
  });
}

chorale_status chorale_kernel_decode(void *scratch, size_t bytes, const chorale_chain *chain,
                                     const chorale_attachment *attachments, int64_t count,
                                     const chorale_message_options *options, int32_t *labelling,
                                     int32_t *values, chorale_message_result *result,
                                     chorale_error *error) {
  return in_scratch(scratch, bytes, error, [&](chorale_chain_solver *solver) {
    return chorale_chain_decode(solver, chain, attachments, count, options, labelling, values,
                                result, error);
  });
}

} // extern "C"
