// Shared by the calls on a single chain, with or without properties: reads the caller's structs
// into checked views, and reserves the workspace of the solver.
#pragma once

#include "capi/firewall.hpp"
#include "capi/solver_handle.hpp"
#include "chain/checks.hpp"
#include "chain/joint.hpp"
#include "chain/solver.hpp"

namespace chorale {

// Checks the options of joint states, and writes them to `to`, which has the defaults before: they
// remain where a size is 0. labels: greatest number of labels of a chain; if it is too large, the
// sizes in `to` become 0.
chorale_status take_joint_options(const Report &report, const chorale_run_options &given,
                                  std::int32_t labels, JointOptions &to) noexcept;

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

  // take_attachments() reads the caller's structs; needs `view`, as take_chain() sets it.
  // check_attachments() then checks tables, classes and messages.
  chorale_status take_attachments(const chorale_attachment *given, std::int64_t count) noexcept;
  chorale_status check_attachments() const noexcept;
  chorale_status take_options(const chorale_run_options *given) noexcept;

  // For calls that take no chain: reads and checks the attachment of one property to a sequence of
  // `length` positions. For a tree, view.parents must be set before.
  chorale_status take_attachment(const chorale_attachment *given, std::int64_t length) noexcept;

  chorale_status reserve(chorale_chain_solver &solver, std::size_t bytes) const noexcept;
  chorale_status too_large() const noexcept;

private:
  // Calls check(report, names, attachment k). `names`: how error messages name attachment k and its
  // fields.
  template <class Check> chorale_status check_named(std::int32_t k, Check &&check) const noexcept;
  static Attached read_attachment(const void *call, std::int32_t k) noexcept;

  const chorale_attachment *first_ = nullptr;
  bool is_single_ = false; // true if the call takes one attachment, not an array
  const Report &report_;
};

} // namespace chorale
