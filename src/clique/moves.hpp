// Local improvement of a labelling: single-member moves (ICM) and the monotone polish of convex
// sums.
#pragma once

#include "clique/instance.hpp"
#include "potential/count_score.hpp"

#include <utility>

namespace chorale {

// Moves below this fraction of the score are rounding, not improvement; without it, sums of rounded
// differences could go round in circles.
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
  // The same with other scores for the members of the instance: `in` has members, row,
  // best_besides, count and member_score as an Instance.
  template <class Rows>
  double improve(const Rows &in, std::int32_t *assignment, Limits &limits,
                 std::int64_t &sweeps) noexcept {
    in.count(assignment, counts_);
    score_.reset(counts_);
    find_highest_joins();
    double members = in.member_score(assignment);
    const double least = kLeastImprovement * std::max(1.0, std::fabs(members));
    std::int32_t unmoved = 0;
    for (std::int32_t i = 0; unmoved < in.members && sweeps > 0; ++i) {
      if (i == in.members) {
        i = 0;
        --sweeps;
        if (sweeps == 0)
          break;
      }
      const std::int32_t from = assignment[i];
      const double *row = in.row(i);
      if (stays_for_sure(in, i, row, from, least)) {
        ++unmoved;
        continue;
      }
      if (limits.check() != Interruption::none)
        break;
      const std::int32_t to = best_move(row, from, least);
      if (to == from) {
        ++unmoved;
        continue;
      }
      unmoved = 0;
      members += row[to] - row[from];
      score_.move(from, to);
      assignment[i] = to;
      find_highest_joins();
    }
    return members + score_.total();
  }

  CallbackFailure failure() const noexcept { return score_.failure(); }

private:
  // Most members stay, and most of those for a reason that needs no look at their row: the column
  // that is best to join is not worth it, and no other can be, even at the member's best score.
  template <class Rows>
  bool stays_for_sure([[maybe_unused]] const Rows &in, [[maybe_unused]] std::int32_t i,
                      [[maybe_unused]] const double *row, [[maybe_unused]] std::int32_t from,
                      [[maybe_unused]] double least) noexcept {
    if constexpr (LinearMoves<Score>) {
      const double stay = row[from] - score_.leave()[from] + least;
      return in.best_besides(i, favourite_, from) + next_join_ <= stay &&
             (from == favourite_ || row[favourite_] + score_.join()[favourite_] <= stay);
    } else {
      return false;
    }
  }
  void find_highest_joins() noexcept {
    if constexpr (LinearMoves<Score>) {
      const double *join = score_.join();
      favourite_ = 0;
      next_join_ = instance_->columns > 1 ? kForbidden : 0.0;
      for (std::int32_t v = 1; v < instance_->columns; ++v)
        if (join[v] > join[favourite_]) {
          next_join_ = join[favourite_];
          favourite_ = v;
        } else {
          next_join_ = std::max(next_join_, join[v]);
        }
    }
  }

  // The column to which a member moves from `from`, itself if none is better by `least`.
  std::int32_t best_move(const double *row, std::int32_t from, double least) noexcept {
    const std::int32_t K = instance_->columns;
    if constexpr (LinearMoves<Score>) {
      // Standing still is leaving and joining again. Most members stand still, so the maximum comes
      // first and its place only when it is needed.
      double *join = score_.join();
      const double joining = std::exchange(join[from], -score_.leave()[from]);
      const double stay = row[from] + join[from] + least;
      const double best = max_of_sums(row, join, K);
      std::int32_t to = from;
      if (best > stay)
        for (to = 0; row[to] + join[to] != best;)
          ++to;
      join[from] = joining;
      return to;
    } else {
      std::int32_t to = from;
      double best = row[from] + score_.total() + least;
      for (std::int32_t v = 0; v < K; ++v) {
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
  }

  const Instance *instance_;
  Score score_;
  std::int32_t *counts_;
  std::int32_t favourite_ = 0; // the column that adds most to the potential when joined
  double next_join_ = 0;       // what the next one adds
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
