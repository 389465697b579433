// Moves of several members at once, for convex sums that single moves no longer raise: into one
// column, or out of the fullest one.
//
// A convex f_v lies above its tangents, so moving k members from their columns to column v changes
// the score by at least
//
//     f_v(n_v + k) - f_v(n_v)
//         + the sum of their gains, psi_iv - psi_i,x_i - (f_u(n_u) - f_u(n_u - 1))
//
// with u = x_i. For a threshold t, the group of column v is the members whose gain exceeds t. One
// pass over the scores gives this lower bound for a few thresholds a column; t is minus the step of
// f_v after a few more members, at which a further member neither gains nor loses. The group with
// the greatest lower bound is moved, even if that bound is negative: single moves of the other
// members may raise the score afterwards.
#pragma once

#include "clique/instance.hpp"

namespace chorale {

class GroupMoves {
public:
  GroupMoves(Layout &layout, const Instance &instance) noexcept;
  // True if a move takes milliseconds at most; moves cannot be interrupted.
  static bool pay_for(const Instance &instance) noexcept {
    return std::int64_t{instance.members} * instance.columns <= 1 << 18;
  }

  // True if at least four fifths of the members share a column: moves of groups then gain almost
  // nothing.
  bool nearly_agree(gsl::span<const std::int32_t> labelling) noexcept;

  // Moves the group with the greatest lower bound among those of at least two members; false if
  // there is none. O(n K). For the vector units of the machine (cpu.hpp).
  bool move_group(gsl::span<std::int32_t> labelling) noexcept;

  // Moves the members out of the fullest column that would leave it if it had three fifths of its
  // members, each to its best other column. False if fewer than two leave, or if the loss of member
  // scores and of the column's table together is not below what the column's last member adds; the
  // assignment is then of no use. O(n).
  bool thin_fullest(gsl::span<std::int32_t> labelling) noexcept;

private:
  // A threshold of column v is minus the step of f_v to n_v + kMore[j] members.
  static constexpr std::int32_t kMore[] = {2, 5};
  static constexpr int kThresholds = 2;

  void prepare(const std::int32_t *assignment) noexcept;
  void leave_out_own(const std::int32_t *assignment) noexcept;

  const Instance *instance_;
  std::int32_t *counts_;  // K
  double *join_;          // K: the table's step when one more member joins
  double *stay_;          // n: score at x_i plus the step of the table of x_i to its present count
  double *threshold_;     // kThresholds x K
  double *gains_;         // kThresholds x K: sum of the gains above the threshold
  std::int64_t *movable_; // kThresholds x K: number of members with such gains
};

} // namespace chorale
