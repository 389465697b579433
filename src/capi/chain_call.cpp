#include "capi/chain_call.hpp"

#include <gsl/gsl>

namespace chorale {

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
  stride_ = count > 0 ? given->struct_size : 0;
  attachments = {read_attachment, this, gsl::narrow_cast<std::int32_t>(count)};
  for (std::int32_t k = 0; k < attachments.count; ++k) {
    chorale_attachment copy{};
    char name[32];
    TextWriter(name, sizeof name) << "attachments[" << k << "]";
    CHORALE_CHECK(read_struct(report_, name, place(k), copy));
    if (copy.struct_size != stride_)
      return report_.fail(CHORALE_ERROR_STRUCT_SIZE, "attachments[", k, "].struct_size is ",
                          copy.struct_size, "; it must be that of the first, ", stride_);
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
  std::memcpy(&copy, self.place(k), std::min(self.stride_, sizeof copy));
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

chorale_status ChainCall::take_options(const chorale_message_options *given) noexcept {
  chorale_message_options read{};
  CHORALE_CHECK(read_struct(report_, "options", given, read));
  if (read.mode != CHORALE_JOINT_AUTO && read.mode != CHORALE_JOINT_EXACT &&
      read.mode != CHORALE_JOINT_LOCAL_SCORES && read.mode != CHORALE_JOINT_BEAM)
    return report_.unknown_constant("options->mode", read.mode, "a CHORALE_JOINT_ constant");
  CHORALE_CHECK(check_size(report_, "options->beam_width", read.beam_width, 0));
  CHORALE_CHECK(check_size(report_, "options->max_states", read.max_states, 0));
  // Limits beam and states, since dynamic programs store a configuration (a joint state of the
  // properties, message.h) and a label in one 32-bit number.
  const std::int64_t limit = INT32_MAX / (4 * std::int64_t{view.labels});
  options = {read.mode, joint_size(read.beam_width, options.beam_width, limit),
             joint_size(read.max_states, options.budget, limit)};
  if (limit < 1)
    return too_large();
  return CHORALE_OK;
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
