// Moves of several members at once, for convex sums that single moves no longer raise: into one
// column, or out of the fullest one.
//
// A convex f_v lies above its tangents, so moving k members from where they are to column v scores
// at least
//
//     f_v(n_v + k) - f_v(n_v)
//         + the sum of their gains, psi_iv - psi_i,x_i - (f_u(n_u) - f_u(n_u - 1))
//
// with u = x_i. Members who gain more than a threshold are worth moving together when f_v rises by
// that much a member. A few thresholds a column, taken from the steps that its table makes after a
// few more members, tell in one look at all scores which group promises most. What it promises may
// be less than nothing and yet rise once the others have made their single moves.
#pragma once

#include "clique/instance.hpp"

namespace chorale {

class GroupMoves {
public:
  GroupMoves(Layout &layout, const Instance &instance) noexcept;
  // Whether a move is a matter of milliseconds: moves do not look at limits.
  static bool pay_for(const Instance &instance) noexcept {
    return std::int64_t{instance.members} * instance.columns <= 1 << 18;
  }

  // Whether so many members share a column that next to nothing is gained by moving groups.
  bool nearly_agree(const std::int32_t *assignment) noexcept;

  // Moves the most promising group of at least two members in `assignment`; false when there is
  // none. O(n K). Compiled for the machine at hand at run time (AVX2 or not), with the same bits.
  bool move_group(std::int32_t *assignment) noexcept;

  // Moves those out of the fullest column whom a smaller one would not keep; false when they are
  // less than two or lose so much together that their single moves hardly make up for it. O(n).
  bool thin_fullest(std::int32_t *assignment) noexcept;

private:
  // How many members more a column must have for its table to make the step of a threshold.
  static constexpr std::int32_t kMore[] = {2, 5};
  static constexpr int kThresholds = 2;

  struct Variants;

  void prepare(const std::int32_t *assignment) noexcept;
  void leave_out_own(const std::int32_t *assignment) noexcept;

  const Instance *instance_;
  std::int32_t *counts_;  // K
  double *join_;          // K: what columns offer a member more
  double *stay_;          // n: the score at x_i and what column x_i loses without the member
  double *threshold_;     // thresholds x K
  double *gains_;         // thresholds x K: of the members above the threshold
  std::int64_t *movable_; // thresholds x K: how many they are
};

} // namespace chorale
