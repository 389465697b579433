// Local improvement of labellings. SingleMoves moves one member at a time (ICM), for any potential.
// MonotonePolish moves all members at once and never lowers the score, for convex sums.
//
// Notation (instance.hpp): n members, K columns; psi_iv is the score of member i at column v, f_v
// the table of column v.
#pragma once

#include "base/lanes.hpp"
#include "clique/instance.hpp"
#include "potential/count_score.hpp"

#include <cstring>

namespace chorale {

// Smallest improvement that counts, as a fraction of the score's magnitude (the sum of the absolute
// values of its terms). Smaller differences may be rounding errors, which could make moves cycle.
inline constexpr double kLeastImprovement = 1e-13;

// Moves one member at a time to its best column while that raises the score, in sweeps over the
// members.
//
// In sums without forbidden counts, skips members that cannot gain. join_v is the change of the
// potential when a member joins column v, leave_u the change when a member leaves column u. The
// *lead* of a member i in column u is psi_iu - max (psi_iv + join_v), where the maximum is over the
// other columns v. Once the lead is known, a move of the member changes the score by at most
//
//     leave_u - lead + (greatest rise of any join since then)
//
// While this is negative, no move of the member gains. An upper bound on the last term is rise_, the
// sum over all moves of the greatest rise of any join by the move, minus rise_ at the time when the
// lead was computed.
template <class Score> class SingleMoves {
public:
  SingleMoves(Layout &layout, const Instance &instance) noexcept
      : score_(layout, instance.potential),
        counts_(layout.take_span<std::int32_t>(instance.columns)),
        waiting_(layout.take<std::int32_t>(instance.members)),
        safe_(kIsLinear ? layout.take<double>(instance.members) : nullptr) {}

  // Improves `assignment`, the column of each member of `in`, and returns the score of the result.
  // Returns minus infinity if interrupted before `assignment` was scored, or if some member may not
  // take its column. If interrupted later, or if a callback fails, the moves made so far remain.
  // `sweeps`: number of sweeps that may still be made; each sweep decrements it.
  double improve(const Instance &in, gsl::span<std::int32_t> assignment, Limits &limits,
                 std::int64_t &sweeps) noexcept {
    if constexpr (kIsLinear)
      return on_best_units([&, this]() CHORALE_INLINE_LAMBDA {
        return run(in, assignment, limits, sweeps);
      });
    else
      return run(in, assignment, limits, sweeps);
  }

  CallbackFailure failure() const noexcept { return score_.failure(); }

private:
  static constexpr bool kIsLinear = LinearMoves<Score>;

  CHORALE_INLINE double run(const Instance &in, gsl::span<std::int32_t> labelling, Limits &limits,
                            std::int64_t &sweeps) noexcept {
    std::int32_t *const x = labelling.data();
    if (!in.count(labelling, counts_))
      return kForbidden;
    score_.reset(counts_);
    const MeasuredSum start = in.member_sum(labelling);
    double members = start.total;
    least_ = kLeastImprovement * (start.magnitude + magnitude_of(score_.total()));
    if (members == kForbidden || in.interrupted())
      return kForbidden; // if a member may not take its column, gains are undefined
    rise_ = 0;
    if constexpr (kIsLinear)
      std::fill_n(safe_, in.members, kForbidden); // the first sweep looks at every member
    for (bool moved = true; moved && sweeps > 0; --sweeps) {
      moved = false;
      std::int32_t count = 0;
      if (!list(in, x, &count))
        break;
      for (std::int32_t w = 0; w < count; ++w) {
        const std::int32_t i = waiting_[w];
        const std::int32_t from = x[i];
        score_.weigh(in.weight(i));
        const std::int32_t to = best_move(in, limits, i, from);
        if (to < 0 || in.interrupted())
          return members + score_.total();
        if (to == from)
          continue;
        members += in.row(i)[to] - in.row(i)[from];
        x[i] = to;
        moved = true;
        move(from, to);
      }
    }
    return members + score_.total();
  }

  // Writes to waiting_ the members to look at in a sweep, and their number to *listed. False if
  // interrupted. It has no branch for each member, since the processor could not predict the
  // branch. A member that only the moves of this sweep allow to gain is listed in the next sweep.
  CHORALE_INLINE bool list(const Instance &in, const std::int32_t *x,
                           std::int32_t *listed) noexcept {
    std::int32_t count = 0;
    const bool whole =
        in_stretches(in, in.members, 4, [&](std::int64_t begin, std::int64_t end) {
          for (auto i = static_cast<std::int32_t>(begin); i < end; ++i) {
            waiting_[count] = i;
            if constexpr (kIsLinear)
              count += rise_ + score_.leave()[x[i]] < safe_[i] ? 0 : 1;
            else
              ++count;
          }
        });
    *listed = count;
    return whole;
  }

  // Returns the column v to which moving member i from `from` raises the score most, or `from` if
  // no move gains more than least_; -1 if interrupted.
  CHORALE_INLINE std::int32_t best_move(const Instance &in, Limits &limits, std::int32_t i,
                                        std::int32_t from) noexcept {
    const double *row = in.row(i);
    if constexpr (kIsLinear) {
      if (!limits.spend(32 + in.columns))
        return -1;
      const double *join = score_.join();
      const double best = best_join(row, join, in.columns, from);
      safe_[i] = row[from] + least_ - best + rise_;
      if (!(best > row[from] - score_.leave()[from] + least_))
        return from;
      safe_[i] = kForbidden;
      std::int32_t to = 0;
      while (to == from || row[to] + join[to] != best)
        ++to;
      return to;
    } else {
      std::int32_t to = from;
      double best = row[from] + score_.total() + least_;
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
                     in_stretches(limits, in.columns, score_.work_of_after(), compare)
                 ? to
                 : -1;
    }
  }

  // Returns the maximum of row[v] + join[v] over all v but `besides`, or minus infinity if there is
  // no other v.
  CHORALE_INLINE static double best_join(const double *row, const double *join,
                                         std::int32_t columns, std::int32_t besides) noexcept {
    const Lanes forbidden = Lanes{} + kForbidden;
    // `besides` minus the column of each lane: 0 in the lane of column `besides`, which is left out.
    Indices to_own = besides - Indices{0, 1, 2, 3};
    Lanes highest = forbidden;
    std::int32_t v = 0;
    for (; v + kLanes <= columns; v += kLanes, to_own -= kLanes) {
      Lanes score;
      Lanes offer;
      std::memcpy(&score, row + v, sizeof score);
      std::memcpy(&offer, join + v, sizeof offer);
      score = to_own == Indices{} ? forbidden : score + offer;
      highest = score > highest ? score : highest;
    }
    double best = std::max(std::max(highest[0], highest[1]), std::max(highest[2], highest[3]));
    for (; v < columns; ++v)
      if (v != besides)
        best = std::max(best, row[v] + join[v]);
    return best;
  }

  CHORALE_INLINE void move(std::int32_t from, std::int32_t to) noexcept {
    if constexpr (kIsLinear) {
      const double *join = score_.join();
      const double was[] = {join[from], join[to]};
      score_.move(from, to);
      rise_ += std::max({0.0, join[from] - was[0], join[to] - was[1]});
    } else {
      score_.move(from, to);
    }
  }

  Score score_;
  gsl::span<std::int32_t> counts_; // K: number of members by column
  std::int32_t *waiting_;          // n: members to look at in a sweep
  // n: lead + least_ + rise_ at the time when the lead was computed. A member i is skipped while
  // rise_ + leave < safe_[i]. Minus infinity: the next sweep looks at i. NULL if the score is not
  // LinearMoves.
  double *safe_;
  double least_ = 0; // moves must gain more than this
  double rise_ = 0;  // sum over the moves of the greatest rise of any join
};

// In each step, all members of a convex sum choose their columns at once. Ends when the score no
// longer rises.
//
// A convex f_v lies above its tangents: f_v(k') >= f_v(k) + s (k' - k) for all counts k and k' and
// any slope s from f_v(k) - f_v(k - 1) to f_v(k + 1) - f_v(k). So the score cannot fall if every
// member i takes the column v of greatest psi_iv + s_v, where s_v is such a slope at the present
// count of v. A member of weight w compares psi_iv + w s_v.
class MonotonePolish {
public:
  MonotonePolish(Layout &layout, const Instance &instance) noexcept;

  // Improves `labelling`, the column of each member, and returns the score of the result; minus
  // infinity if interrupted before `labelling` was scored. `steps`: number of steps that may still
  // be made; each step decrements it.
  double improve(const Instance &in, gsl::span<std::int32_t> labelling, Limits &limits,
                 std::int64_t &steps) noexcept;

private:
  std::int32_t *counts_; // K: number of members, or sum of their weights, by column
  std::int32_t *next_;   // n: the labelling that the step makes
  double *slopes_;       // K: the slopes s_v
};

} // namespace chorale
