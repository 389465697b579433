// Local improvement of labellings. SingleMoves moves one member at a time (ICM), for any potential.
// MonotonePolish moves all members at once and never lowers the score, for convex sums.
//
// Notation (instance.hpp): n members, K columns; psi_iv is the score of member i at column v, f_v
// the table of column v.
#pragma once

#include "clique/instance.hpp"
#include "potential/count_score.hpp"

#include <type_traits>

namespace chorale {

// Smallest improvement that counts, as a fraction of the score's magnitude (the sum of the absolute
// values of its terms). Smaller differences may be rounding errors, which could make moves cycle.
inline constexpr double kLeastImprovement = 1e-13;

// Moves one member at a time to its best column while that raises the score.
template <class Score> class SingleMoves {
public:
  SingleMoves(Layout &layout, const Instance &instance) noexcept
      : instance_(&instance), score_(layout, instance.potential),
        counts_(layout.take_span<std::int32_t>(instance.columns)) {}

  // Improves `assignment`, the column of each member, and returns the score of the result. Returns
  // minus infinity if interrupted before `assignment` was scored, or if some member may not take
  // its column. `sweeps`: number of sweeps over all members that may still be made; each sweep
  // decrements it.
  double improve(gsl::span<std::int32_t> assignment, Limits &limits,
                 std::int64_t &sweeps) noexcept {
    return improve(*instance_, assignment, limits, sweeps);
  }
  // Does the same with the member scores of `in` in place of the instance's. `in` must have the
  // functions row(), weight(), count() and member_sum() and the variable `members` of Instance.
  template <class Rows>
  double improve(const Rows &in, gsl::span<std::int32_t> labelling, Limits &limits,
                 std::int64_t &sweeps) noexcept {
    std::int32_t *assignment = labelling.data();
    if (!in.count(labelling, counts_))
      return kForbidden;
    score_.reset(counts_);
    const MeasuredSum start = in.member_sum(labelling);
    if (start.total == kForbidden)
      return kForbidden; // interrupted, or a member may not take its column: gains are undefined
    double members = start.total;
    const double least = kLeastImprovement * (start.magnitude + magnitude_of(score_.total()));
    std::int32_t unmoved = 0;
    for (std::int32_t i = 0; unmoved < in.members && sweeps > 0; ++i) {
      if (i == in.members) {
        i = 0;
        --sweeps;
        if (sweeps == 0)
          break;
      }
      if constexpr (std::is_same_v<Rows, Instance>)
        in.offer_kept(labelling, members + score_.total());
      const std::int32_t from = assignment[i];
      const double *row = in.row(i);
      score_.weigh(in.weight(i));
      const std::int32_t to = best_move(limits, row, from, least);
      if (to < 0 || instance_->interrupted())
        break;
      if (to == from) {
        ++unmoved;
        continue;
      }
      unmoved = 0;
      members += row[to] - row[from];
      score_.move(from, to);
      assignment[i] = to;
    }
    return members + score_.total();
  }

  CallbackFailure failure() const noexcept { return score_.failure(); }

private:
  // Returns the column v to which moving a member from `from` raises the score most, or `from` if
  // no move gains more than `least`; -1 if interrupted. `row` (K): the member's scores.
  std::int32_t best_move(Limits &limits, const double *row, std::int32_t from,
                         double least) noexcept {
    std::int32_t to = from;
    double best = row[from] + score_.total() + least;
    const auto compare = [&](std::int64_t begin, std::int64_t end) {
      for (auto v = static_cast<std::int32_t>(begin); v < end; ++v) {
        if (v == from || row[v] == kForbidden)
          continue;
        const double moved = row[v] + score_.after(from, v);
        if (moved > best) {
          best = moved;
          to = v;
        }
      }
    };
    return limits.spend(score_.work_of_move()) &&
                   in_stretches(limits, instance_->columns, score_.work_of_after(), compare)
               ? to
               : -1;
  }

  const Instance *instance_;
  Score score_;
  gsl::span<std::int32_t> counts_; // K: number of members by column
};

// Lets all members of a convex sum choose their columns at once, until the score no longer rises.
//
// A convex f_v lies above its tangents: f_v(k') >= f_v(k) + s (k' - k) for all counts k and k' and
// any slope s from f_v(k) - f_v(k - 1) to f_v(k + 1) - f_v(k). So the score cannot fall if every
// member i takes the column v of greatest psi_iv + s_v, where s_v is such a slope at the present
// count of v. A member of weight w compares psi_iv + w s_v.
class MonotonePolish {
public:
  MonotonePolish(Layout &layout, const Instance &instance) noexcept;

  // Improves `labelling`, the column of each member, and returns the score of the result; minus
  // infinity if interrupted before `labelling` was scored. In a step all members choose once.
  // `steps`: number of steps that may still be made; each step decrements it.
  double improve(gsl::span<std::int32_t> labelling, Limits &limits, std::int64_t &steps) noexcept;

private:
  const Instance *instance_;
  std::int32_t *counts_;
  std::int32_t *next_;
  double *slopes_;
};

} // namespace chorale
