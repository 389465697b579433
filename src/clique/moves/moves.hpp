// Local improvement of labellings: single-member moves (ICM), monotone polish of convex sums.
#pragma once

#include "clique/instance.hpp"
#include "potential/count_score.hpp"

#include <type_traits>

namespace chorale {

// Smallest improvement that counts, as a fraction of the score's magnitude. Smaller differences may
// be rounding, which could make moves cycle.
inline constexpr double kLeastImprovement = 1e-13;

// Moves one member at a time to its best column while that raises the score.
template <class Score> class SingleMoves {
public:
  SingleMoves(Layout &layout, const Instance &instance) noexcept
      : instance_(&instance), score_(layout, instance.potential),
        counts_(layout.take<std::int32_t>(instance.columns)) {}

  // Improves `assignment` (n); returns its score. `sweeps`: number of sweeps over all members that
  // may still be made, decremented by each.
  double improve(gsl::span<std::int32_t> assignment, Limits &limits,
                 std::int64_t &sweeps) noexcept {
    return improve(*instance_, assignment, limits, sweeps);
  }
  // The same with other member scores than the instance's. `in` has the members, row, count and
  // member_sum of an Instance.
  template <class Rows>
  double improve(const Rows &in, gsl::span<std::int32_t> labelling, Limits &limits,
                 std::int64_t &sweeps) noexcept {
    std::int32_t *assignment = labelling.data();
    if (!in.count(assignment, counts_))
      return kForbidden;
    score_.reset(counts_);
    const MeasuredSum start = in.member_sum(assignment);
    if (start.total == kForbidden)
      return kForbidden; // interrupted, or a forbidden entry: gains of single moves are undefined
    double members = start.total;
    const double least = kLeastImprovement * (start.magnitude + magnitude_of(score_.total()));
    std::int32_t unmoved = 0;
    Pace pace(limits, instance_->columns * score_.work(), in.members);
    for (std::int32_t i = 0; unmoved < in.members && sweeps > 0; ++i) {
      if (i == in.members) {
        i = 0;
        --sweeps;
        if (sweeps == 0)
          break;
      }
      if (!pace.next())
        break;
      if constexpr (std::is_same_v<Rows, Instance>)
        in.offer_kept(assignment, members + score_.total());
      const std::int32_t from = assignment[i];
      const double *row = in.row(i);
      const std::int32_t to = best_move(row, from, least);
      if (instance_->interrupted())
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
  // no move gains more than `least`. `row` (K): the member's scores.
  std::int32_t best_move(const double *row, std::int32_t from, double least) noexcept {
    std::int32_t to = from;
    double best = row[from] + score_.total() + least;
    for (std::int32_t v = 0; v < instance_->columns; ++v) {
      if (v == from || row[v] == kForbidden)
        continue;
      const double moved = row[v] + score_.after(from, v);
      if (moved > best) {
        best = moved;
        to = v;
      }
    }
    return to;
  }

  const Instance *instance_;
  Score score_;
  std::int32_t *counts_;
};

// A convex f_v lies above its tangents: f_v(n') >= f_v(n) + s (n' - n) for any slope s between the
// differences left and right of n. So the score cannot fall if every member takes argmax_v psi_iv +
// s_v at once. Repeats until no member changes.
class MonotonePolish {
public:
  MonotonePolish(Layout &layout, const Instance &instance) noexcept;

  // As SingleMoves::improve; `steps` counts repetitions over all members.
  double improve(gsl::span<std::int32_t> labelling, Limits &limits, std::int64_t &steps) noexcept;

private:
  const Instance *instance_;
  std::int32_t *counts_;
  std::int32_t *next_;
  double *slopes_;
};

} // namespace chorale
