// Moves of several members at once in convex sums, into one column or out of the fullest column.
// They are for labellings that no move of a single member improves any more.
//
// Let x be the labelling and n_v its counts. The gain of member i by a move to column v leaves out
// the change of f_v: it is psi_iv - psi_i,u - (f_u(n_u) - f_u(n_u - 1)), where u = x_i. A convex
// f_u lies above its tangents, so moving k members to column v changes the score by at least
//
//     f_v(n_v + k) - f_v(n_v) + the sum of the gains of these members
//
// For a threshold t, the group of column v consists of the members whose gain by a move to v
// exceeds t. The thresholds tried are t = f_v(m - 1) - f_v(m) for a few m a little above n_v: if a
// member of gain t joins v as the m-th member, the score does not change. One loop over all scores
// gives the lower bound for a few thresholds of every column. The group with the greatest lower
// bound is moved, even if the bound is negative: single moves of the other members may raise the
// score afterwards.
//
// Notation (instance.hpp): n members, K columns; psi_iv is the score of member i at column v, f_v
// the table of column v.
#pragma once

#include "clique/instance.hpp"

namespace chorale {

class GroupMoves {
public:
  GroupMoves(Layout &layout, const Instance &instance) noexcept;
  // True if a move takes milliseconds at most. Moves cannot be interrupted, so they must be short.
  static bool pay_for(const Instance &instance) noexcept {
    return std::int64_t{instance.members} * instance.columns <= 1 << 18;
  }

  // True if at least four fifths of the members have the same column. Moves of groups then gain
  // almost nothing.
  bool nearly_agree(gsl::span<const std::int32_t> labelling) noexcept;

  // Among the groups of at least two members, moves the one with the greatest lower bound. False if
  // no group has two members. O(n K). Selects the code for the vector units of the machine
  // (cpu.hpp).
  bool move_group(gsl::span<std::int32_t> labelling) noexcept;

  // Moves members out of the fullest column v, to give a search another start. Assumes that only
  // three fifths of the members of v stay there: each member of v moves to its best other column if
  // that column is then better than v. True if at least two members have moved and the score falls
  // by less than the last step of the table, f_v(n_v) - f_v(n_v - 1). For this test, an upper bound
  // on the fall is computed from the tangents of the other columns' tables. If false, `labelling`
  // has been changed but is of no use. O(n).
  bool thin_fullest(gsl::span<std::int32_t> labelling) noexcept;

private:
  // Threshold j of column v is minus the step of f_v from n_v + kMore[j] - 1 to n_v + kMore[j].
  static constexpr std::int32_t kMore[] = {2, 5};
  static constexpr int kThresholds = 2;

  void prepare(gsl::span<const std::int32_t> labelling) noexcept;
  void leave_out_own(gsl::span<const std::int32_t> labelling) noexcept;

  const Instance *instance_;
  std::int32_t *counts_;  // K: n_v
  double *join_;          // K: f_v(n_v + 1) - f_v(n_v)
  double *stay_;          // n: psi_i,u + f_u(n_u) - f_u(n_u - 1), u = x_i; gain: psi_iv - stay_[i]
  double *threshold_;     // kThresholds x K: threshold by j and column
  double *gains_;         // kThresholds x K: sum of the gains above the threshold
  std::int64_t *movable_; // kThresholds x K: number of members with gains above the threshold
};

} // namespace chorale
