// What the calls on chains share: from the caller's structs to checked views, and the workspace.
#pragma once

#include "capi/firewall.hpp"
#include "capi/solver_handle.hpp"
#include "chain/joint.hpp"
#include "chain/solver.hpp"

namespace chorale {

inline constexpr std::int64_t kLongest = INT32_MAX - 1;

class ChainCall {
public:
  explicit ChainCall(const Report &report) noexcept : report_(report) {}

  ChainView view;
  Attachments attachments;
  JointOptions options{CHORALE_JOINT_AUTO, 300, 1024};

  // Shapes and pointers; then every number.
  chorale_status take_chain(const chorale_chain *given) noexcept;
  chorale_status check_numbers() const noexcept;
  chorale_status check_labelling(const std::int32_t *labelling) const noexcept;

  // take_chain comes first; then tables, classes and messages.
  chorale_status take_attachments(const chorale_attachment *given, std::int64_t count) noexcept;
  chorale_status check_attachments() const noexcept;
  chorale_status take_options(const chorale_message_options *given) noexcept;

  // For what has no chain: the attachment of one property to `length` positions.
  chorale_status take_attachment(const chorale_attachment *given, std::int64_t length) noexcept;

  chorale_status reserve(chorale_chain_solver &solver, std::size_t bytes) const noexcept;
  chorale_status too_large() const noexcept;

private:
  chorale_status check_parents() const noexcept;
  chorale_status check_attachment(std::int32_t k) const noexcept;

  const Report &report_;
};

inline chorale_status check_result(const Report &report,
                                   const chorale_chain_result *result) noexcept {
  chorale_chain_result ignored{};
  return result ? read_struct(report, "result", result, ignored) : CHORALE_OK;
}
inline chorale_status check_result(const Report &report,
                                   const chorale_message_result *result) noexcept {
  chorale_message_result ignored{};
  return result ? read_struct(report, "result", result, ignored) : CHORALE_OK;
}

// Strides of an array of rows x columns numbers: 0 becomes "without gaps"; entries must not lie on
// one another, nor beyond the address space.
chorale_status take_strides(const Report &report, std::string_view name, std::int64_t rows,
                            std::int64_t columns, std::int64_t &row, std::int64_t &column) noexcept;

chorale_status check_number_constants(const Report &report, std::string_view struct_name,
                                      chorale_number number,
                                      chorale_orientation orientation) noexcept;

} // namespace chorale
