// Exported C functions of experimental.h on chains; dictionary.cpp has the others.
#include "capi/chain_call.hpp"

namespace chorale {
namespace {

std::size_t message_bytes(const ChainCall &call, JointUse use) noexcept {
  Layout layout;
  const Joint joint(layout, call.view, call.attachments, call.options, use);
  return layout.bytes();
}

chorale_status too_many_states(const Report &report, const ChainCall &call) noexcept {
  return report.fail(CHORALE_ERROR_STATE_SPACE, "options->max_states is ", call.options.budget,
                     "; the joint state of these properties needs more configurations at once");
}

// Writes the scores of a decoded labelling (chain, messages, and their sum) to `result`, and the
// value of each property on the labelling to `values`, unless it is empty. If the labelling is
// forbidden, returns false, may have written some of the scores, and writes no values.
bool judge(const ChainCall &call, gsl::span<const std::int32_t> labelling,
           gsl::span<std::int32_t> values, chorale_message_result &result) noexcept {
  result.chain_score = call.view.score(labelling);
  result.message_score = 0;
  for (std::int32_t k = 0; k < call.attachments.count; ++k) {
    const Attached attached = call.attachments.at(k);
    const std::int32_t shown = attached.evaluate(labelling, call.view.all_parents());
    if (shown < 0)
      return false;
    if (attached.message)
      result.message_score += attached.message[shown];
  }
  result.score = result.chain_score + result.message_score;
  if (result.score == kForbidden)
    return false;
  for (std::int32_t k = 0; values.data() && k < call.attachments.count; ++k)
    values[to_size(k)] = call.attachments.at(k).evaluate(labelling, call.view.all_parents());
  return true;
}

// Body of the calls that use the joint states of a chain's properties: checks the arguments, lays
// out `joint` and calls work(report, call, joint, summary, full, found). `summary`: what `joint`
// tells about its computation. `full`: the result, whose scores work() may set. `found`: work()
// sets it to true if it has found an allowed labelling. Then fills in the other fields of `full`
// and writes it to `result`.
template <class Work>
chorale_status with_joint(chorale_chain_solver *solver, const chorale_chain *chain,
                          const chorale_attachment *attachments, std::int64_t count,
                          const chorale_run_options *options, JointUse use,
                          chorale_message_result *result, chorale_error *error,
                          Work &&work) noexcept {
  return guarded(error, [&](Report &report) -> chorale_status {
    CHORALE_CHECK(check_given(report, "solver", solver));
    ChainCall call(report);
    CHORALE_CHECK(call.take_chain(chain));
    CHORALE_CHECK(call.take_attachments(attachments, count));
    CHORALE_CHECK(call.take_options(options));
    CHORALE_CHECK(call.check_numbers());
    CHORALE_CHECK(call.check_attachments());
    CHORALE_CHECK(check_result(report, result));
    CHORALE_CHECK(call.reserve(*solver, message_bytes(call, use)));
    Layout layout(solver->workspace.data());
    Joint joint(layout, call.view, call.attachments, call.options, use);
    joint.prepare();
    JointSummary summary;
    chorale_message_result full{};
    bool found = false;
    CHORALE_CHECK(work(report, call, joint, summary, full, found));
    if (summary.outcome.overflow)
      return too_many_states(report, call);
    full.outcome = found           ? CHORALE_OUTCOME_COMPLETE
                   : summary.exact ? CHORALE_OUTCOME_INFEASIBLE
                                   : CHORALE_OUTCOME_NOTHING_FOUND;
    full.pruned = summary.outcome.pruned ? 1 : 0;
    full.exact = summary.exact ? 1 : 0;
    full.configurations = summary.outcome.most;
    write_struct(result, full);
    return CHORALE_OK;
  });
}

} // namespace
} // namespace chorale

using namespace chorale;

extern "C" {

chorale_status chorale_chain_messages(chorale_chain_solver *solver, const chorale_chain *chain,
                                      const chorale_attachment *attachments, int64_t count,
                                      const chorale_run_options *options,
                                      double *const *outgoing, chorale_message_result *result,
                                      chorale_error *error) {
  return with_joint(solver, chain, attachments, count, options, JointUse::messages, result, error,
                    [&](Report &report, const ChainCall &, Joint &joint, JointSummary &summary,
                        chorale_message_result &, bool &found) -> chorale_status {
                      CHORALE_CHECK(check_size(report, "count", count));
                      CHORALE_CHECK(check_given(report, "outgoing", outgoing));
                      joint.send({outgoing, to_size(count)}, summary);
                      found = summary.score > kForbidden;
                      return CHORALE_OK;
                    });
}

chorale_status chorale_chain_decode(chorale_chain_solver *solver, const chorale_chain *chain,
                                    const chorale_attachment *attachments, int64_t count,
                                    const chorale_run_options *options, int32_t *labelling,
                                    int32_t *values, chorale_message_result *result,
                                    chorale_error *error) {
  return with_joint(solver, chain, attachments, count, options, JointUse::decoding, result, error,
                    [&](Report &, const ChainCall &call, Joint &joint, JointSummary &summary,
                        chorale_message_result &full, bool &found) -> chorale_status {
                      joint.decode(summary);
                      full.score = full.chain_score = full.message_score = kForbidden;
                      found = !summary.outcome.overflow && summary.score > kForbidden &&
                              judge(call, joint.labelling, span_of(values, count), full);
                      solver->log.write(CHORALE_LOG_DEBUG, "chain of ", call.view.length,
                                        " positions under ", count, " properties: score ",
                                        full.score, ", ", summary.outcome.most, " configurations");
                      if (found && labelling)
                        std::copy_n(joint.labelling.data(), call.view.length, labelling);
                      return CHORALE_OK;
                    });
}

} // extern "C"
