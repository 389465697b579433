// Local improvement of a labelling: single-member moves (ICM) and the monotone polish of convex
// sums.
#pragma once

#include "clique/instance.hpp"
#include "potential/count_score.hpp"

namespace chorale {

// Moves below this part of the score's magnitude are rounding, not improvement; without it, sums of
// rounded differences could go round in circles.
inline constexpr double kLeastImprovement = 1e-13;

// Moves one member at a time to its best column while that raises the score.
template <class Score> class SingleMoves {
public:
  SingleMoves(Layout &layout, const Instance &instance) noexcept
      : instance_(&instance), score_(layout, instance.potential),
        counts_(layout.take<std::int32_t>(instance.columns)) {}

  // Improves `assignment`, which scores `score`; returns its score. `sweeps` is how many may still
  // be made, and is counted down.
  double improve(std::int32_t *assignment, Limits &limits, std::int64_t &sweeps) noexcept {
    return improve(*instance_, assignment, limits, sweeps);
  }
  // The same with other scores for the members of the instance: `in` has members, row, count and
  // member_sum as an Instance.
  template <class Rows>
  double improve(const Rows &in, std::int32_t *assignment, Limits &limits,
                 std::int64_t &sweeps) noexcept {
    if (!in.count(assignment, counts_))
      return kForbidden;
    score_.reset(counts_);
    const MeasuredSum start = in.member_sum(assignment);
    if (start.total == kForbidden)
      return kForbidden; // no single move tells how much it gains, or the limits ended it
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
  // The column to which a member moves from `from`, itself if none is better by `least`.
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

// Convex sums lie above their tangents: f_v(n') >= f_v(n) + s (n' - n) for any slope s between the
// steps left and right of n. So if every member takes argmax_v psi_iv + s_v, the score cannot fall
// (DESIGN: "convex sums linearise"). Repeats until nothing changes.
class MonotonePolish {
public:
  MonotonePolish(Layout &layout, const Instance &instance) noexcept;

  // As SingleMoves::improve.
  double improve(std::int32_t *assignment, Limits &limits, std::int64_t &steps) noexcept;

private:
  const Instance *instance_;
  std::int32_t *counts_;
  std::int32_t *next_;
  double *slopes_;
};

} // namespace chorale
