#include "capi/chain_call.hpp"

#include <gsl/gsl>

namespace chorale {

chorale_status take_joint_options(const Report &report, const chorale_run_options &given,
                                  std::int32_t labels, JointOptions &to) noexcept {
  const chorale_joint_mode mode = given.joint_mode;
  if (mode != CHORALE_JOINT_AUTO && mode != CHORALE_JOINT_EXACT &&
      mode != CHORALE_JOINT_LOCAL_SCORES && mode != CHORALE_JOINT_BEAM)
    return report.unknown_constant("options->joint_mode", mode, "a CHORALE_JOINT_ constant");
  CHORALE_CHECK(check_size(report, "options->beam_width", given.beam_width, 0));
  CHORALE_CHECK(check_size(report, "options->max_states", given.max_states, 0));
  // Limits beam and states, since dynamic programs store a configuration (a joint state of the
  // properties, run.h) and a label in one 32-bit number.
  const std::int64_t limit = INT32_MAX / (4 * std::int64_t{labels});
  const auto size = [limit](std::int64_t asked, std::int32_t by_default) {
    return static_cast<std::int32_t>(std::min(value_or<std::int64_t>(asked, by_default), limit));
  };
  to.mode = mode;
  to.beam_width = size(given.beam_width, to.beam_width);
  to.budget = size(given.max_states, to.budget);
  return CHORALE_OK;
}

chorale_status ChainCall::take_chain(const chorale_chain *given) noexcept {
  chorale_chain chain{};
  CHORALE_CHECK(take_struct(report_, "chain", given, chain));
  return check_chain(report_, chain, view);
}

template <class Check>
chorale_status ChainCall::check_named(std::int32_t k, Check &&check) const noexcept {
  char fields[32], property[48], table[48];
  if (is_single_)
    TextWriter(fields, sizeof fields) << "attachment->";
  else
    TextWriter(fields, sizeof fields) << "attachments[" << k << "].";
  TextWriter(property, sizeof property) << std::string_view(fields) << "property";
  TextWriter(table, sizeof table) << std::string_view(fields) << "table";
  return check(report_, AttachmentNames{fields, property, table}, attachments.at(k));
}

chorale_status ChainCall::take_attachments(const chorale_attachment *given,
                                           std::int64_t count) noexcept {
  CHORALE_CHECK(check_size(report_, "count", count, 0));
  CHORALE_CHECK(check_array(report_, given, count, "attachments"));
  first_ = given;
  attachments = {read_attachment, this, gsl::narrow_cast<std::int32_t>(count)};
  for (std::int32_t k = 0; k < attachments.count; ++k) {
    chorale_attachment copy{};
    char name[32];
    TextWriter(name, sizeof name) << "attachments[" << k << "]";
    CHORALE_CHECK(read_struct_of(report_, name, given, k, copy));
    if (!copy.property)
      return report_.null_argument("attachments[", k, "].property");
    CHORALE_CHECK(
        check_named(k, [&](const auto &...of) noexcept { return check_attachment(of..., view); }));
  }
  return CHORALE_OK;
}

Attached ChainCall::read_attachment(const void *call, std::int32_t k) noexcept {
  const auto &self = *static_cast<const ChainCall *>(call);
  chorale_attachment copy{};
  std::memcpy(&copy, struct_at(self.first_, k), std::min(self.first_->struct_size, sizeof copy));
  return {copy.property, copy.dictionary, copy.classes, copy.table, copy.message, self.view.length};
}

chorale_status ChainCall::check_attachments() const noexcept {
  for (std::int32_t k = 0; k < attachments.count; ++k)
    CHORALE_CHECK(check_named(k, check_attachment_numbers));
  return CHORALE_OK;
}

chorale_status ChainCall::take_attachment(const chorale_attachment *given,
                                          std::int64_t length) noexcept {
  CHORALE_CHECK(check_given(report_, "attachment", given));
  CHORALE_CHECK(check_least(report_, length, 0, "length"));
  if (length > kLongest)
    return report_.fail(CHORALE_ERROR_SIZE_OVERFLOW, "length is ", length, "; it must be at most ",
                        kLongest);
  chorale_attachment copy{};
  CHORALE_CHECK(read_struct(report_, "attachment", given, copy));
  CHORALE_CHECK(check_given(report_, "attachment->property", copy.property));
  view.length = gsl::narrow_cast<std::int32_t>(length);
  view.labels = copy.property->labels;
  CHORALE_CHECK(check_parents(report_, view));
  is_single_ = true;
  CHORALE_CHECK(take_attachments(given, 1));
  return check_attachments();
}

chorale_status ChainCall::take_options(const chorale_run_options *given) noexcept {
  chorale_run_options read{};
  CHORALE_CHECK(read_struct(report_, "options", given, read));
  CHORALE_CHECK(take_joint_options(report_, read, view.labels, options));
  return options.budget < 1 ? too_large() : chorale_status{CHORALE_OK};
}

chorale_status ChainCall::too_large() const noexcept {
  return report_.fail(CHORALE_ERROR_SIZE_OVERFLOW, "the workspace of ", view.length, " positions, ",
                      view.labels, " labels and ", attachments.count,
                      " properties exceeds the address space");
}

chorale_status ChainCall::reserve(chorale_chain_solver &solver, std::size_t bytes) const noexcept {
  if (solver.workspace.reserve(bytes))
    return CHORALE_OK;
  if (bytes == SIZE_MAX)
    return too_large();
  return report_.out_of_memory(bytes);
}

} // namespace chorale
