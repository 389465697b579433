// Shared by the calls on a single chain, with or without properties: reads the caller's structs
// into checked views, and reserves the workspace of the solver.
#pragma once

#include "capi/firewall.hpp"
#include "capi/solver_handle.hpp"
#include "chain/checks.hpp"
#include "chain/joint.hpp"
#include "chain/solver.hpp"

namespace chorale {

class ChainCall {
public:
  explicit ChainCall(const Report &report) noexcept : report_(report) {}
  ChainCall(const ChainCall &) = delete;
  ChainCall &operator=(const ChainCall &) = delete;

  ChainView view;
  Attachments attachments;
  JointOptions options{CHORALE_JOINT_AUTO, 300, 1024};

  // take_chain() reads the caller's struct and checks shapes and pointers. check_numbers() then
  // checks every number.
  chorale_status take_chain(const chorale_chain *given) noexcept;
  chorale_status check_numbers() const noexcept { return chorale::check_numbers(report_, view); }
  chorale_status check_labelling(const std::int32_t *labelling) const noexcept {
    return chorale::check_labelling(report_, view, span_of(labelling, view.length));
  }

  // take_attachments() reads the caller's structs; needs take_chain() before. check_attachments()
  // then checks tables, classes and messages.
  chorale_status take_attachments(const chorale_attachment *given, std::int64_t count) noexcept;
  chorale_status check_attachments() const noexcept;
  chorale_status take_options(const chorale_message_options *given) noexcept;

  // For calls that take no chain: reads and checks the attachment of one property to a sequence of
  // `length` positions.
  chorale_status take_attachment(const chorale_attachment *given, std::int64_t length) noexcept;

  chorale_status reserve(chorale_chain_solver &solver, std::size_t bytes) const noexcept;
  chorale_status too_large() const noexcept;

private:
  // Returns the caller's attachment k, which lies k * struct_size bytes after the first one. Here
  // struct_size is the size that the caller gave.
  const chorale_attachment *place(std::int32_t k) const noexcept {
    return reinterpret_cast<const chorale_attachment *>(reinterpret_cast<const char *>(first_) +
                                                        to_size(k) * stride_);
  }
  // Calls check(report, names, attachment k). `names`: how error messages name attachment k and its
  // fields.
  template <class Check> chorale_status check_named(std::int32_t k, Check &&check) const noexcept;
  static Attached read_attachment(const void *call, std::int32_t k) noexcept;

  const chorale_attachment *first_ = nullptr;
  std::size_t stride_ = 0;
  bool is_single_ = false; // true if the call takes one attachment, not an array
  const Report &report_;
};

// Checks the struct_size of `result`, which may be NULL. Must be called before anything is written
// to `result`.
template <class Result>
chorale_status check_result(const Report &report, const Result *result) noexcept {
  Result ignored{};
  return read_struct(report, "result", result, ignored);
}

} // namespace chorale
