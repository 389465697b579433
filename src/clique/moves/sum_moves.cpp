// sum_moves.hpp explains the words used here.
#include "clique/moves/sum_moves.hpp"

#include "base/lanes.hpp"
#include "clique/moves/moves.hpp"

#include <cstring>
#include <type_traits>

namespace chorale {
namespace {

// Returns the maximum of row[v] + join[v] over all v but `besides`, or minus infinity if there is
// no other v. Compares in an order that suits vectors; a maximum has the same bits in any order.
CHORALE_INLINE double best_join(const double *row, const double *join, std::int32_t columns,
                                std::int32_t besides) noexcept {
  double best = kForbidden;
  if (columns < kLanes) {
    for (std::int32_t v = 0; v < columns; ++v)
      if (v != besides && row[v] + join[v] > best)
        best = row[v] + join[v];
    return best;
  }
  const Lanes forbidden = {kForbidden, kForbidden, kForbidden, kForbidden};
  // `besides` minus the column that each lane will read next.
  Indices to_own = besides - Indices{0, 1, 2, 3};
  Lanes even = forbidden;
  Lanes odd = forbidden;
  const auto look = [&](std::int32_t v, Lanes & highest) CHORALE_INLINE_LAMBDA {
    Lanes score;
    Lanes offer;
    std::memcpy(&score, row + v, sizeof score);
    std::memcpy(&offer, join + v, sizeof offer);
    score += offer;
    score = to_own == Indices{} ? forbidden : score;
    to_own -= kLanes;
    highest = score > highest ? score : highest;
  };
  std::int32_t v = 0;
  for (; v + 2 * kLanes <= columns; v += 2 * kLanes) {
    look(v, even);
    look(v + kLanes, odd);
  }
  // The last vector ends at the last column and may overlap the vector before.
  if (v + kLanes <= columns) {
    look(v, even);
    v += kLanes;
  }
  if (v < columns) {
    to_own += v - (columns - kLanes);
    look(columns - kLanes, odd);
  }
  even = odd > even ? odd : even;
  const double low = even[0] > even[1] ? even[0] : even[1];
  const double high = even[2] > even[3] ? even[2] : even[3];
  return low > high ? low : high;
}

} // namespace

SumMoves::SumMoves(Layout &layout, const Instance &instance) noexcept
    : instance_(&instance), score_(layout, instance.potential),
      counts_(layout.take<std::int32_t>(instance.columns)),
      safe_(layout.take<double>(instance.members)),
      waiting_(layout.take<std::int32_t>(instance.members)) {}

template <class Rows>
CHORALE_INLINE double SumMoves::improve_rows(const Rows &in, gsl::span<std::int32_t> labelling,
                                             Limits &limits, std::int64_t &sweeps) noexcept {
  std::int32_t *const assignment = labelling.data();
  const std::int32_t K = in.columns;
  // Announces the work of the loops over all columns.
  if (!limits.spend(8 * std::int64_t{K}))
    return kForbidden;
  if (!in.count(labelling, in.by_column(counts_)))
    return kForbidden;
  score_.reset(in.by_column(counts_));
  const MeasuredSum start = in.member_sum(labelling);
  double members = start.total;
  const double least = kLeastImprovement * (start.magnitude + std::fabs(score_.total()));
  if (members == kForbidden || instance_->interrupted())
    return kForbidden;
  std::fill(safe_, safe_ + in.members, kForbidden); // the first sweep evaluates every member
  const double *join = score_.join();
  const double *leave = score_.leave();
  double rise = 0; // sum over the moves of the greatest rise of any join
  for (bool moved = true; moved && sweeps > 0; --sweeps) {
    // Lists the members to evaluate in the whole sweep, without a branch on each, which the
    // processor could not predict. A member that may move only because of moves in this sweep is
    // listed in the next sweep.
    moved = false;
    std::int32_t count = 0;
    if (!in_stretches(limits, in.members, 4, [&](std::int64_t begin, std::int64_t end) {
          for (auto i = static_cast<std::int32_t>(begin); i < end; ++i) {
            waiting_[count] = i;
            count += rise + leave[assignment[i]] < safe_[i] ? 0 : 1;
          }
        }))
      break;
    for (std::int32_t w = 0; w < count; ++w) {
      if (!limits.spend(32 + K))
        break;
      if constexpr (std::is_same_v<Rows, Instance>)
        in.offer_kept(labelling, members + score_.total());
      const std::int32_t i = waiting_[w];
      const std::int32_t from = assignment[i];
      const double *row = in.row(i);
      const double stay = row[from] - leave[from] + least;
      const double best = best_join(row, join, K, from);
      if (!(best > stay)) {
        safe_[i] = row[from] + least - best + rise;
        continue;
      }
      std::int32_t to = 0;
      while (to == from || row[to] + join[to] != best)
        ++to;
      members += row[to] - row[from];
      assignment[i] = to;
      safe_[i] = kForbidden;
      moved = true;
      const double was[] = {join[from], join[to]};
      score_.move(from, to);
      rise += std::max({0.0, join[from] - was[0], join[to] - was[1]});
    }
    if (instance_->interrupted())
      break;
  }
  return members + score_.total();
}

double SumMoves::improve(gsl::span<std::int32_t> labelling, Limits &limits,
                         std::int64_t &sweeps) noexcept {
  return on_best_units(
      [this, labelling, &limits, &sweeps]() CHORALE_INLINE_LAMBDA {
        return improve_rows(*instance_, labelling, limits, sweeps);
      });
}
double SumMoves::improve(const SumView &view, gsl::span<std::int32_t> labelling, Limits &limits,
                         std::int64_t &sweeps) noexcept {
  return on_best_units(
      [this, &view, labelling, &limits, &sweeps]() CHORALE_INLINE_LAMBDA {
        return improve_rows(view, labelling, limits, sweeps);
      });
}

} // namespace chorale
