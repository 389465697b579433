// sum_moves.hpp explains the words used here.
#include "clique/moves/sum_moves.hpp"

#include "base/lanes.hpp"
#include "clique/moves/moves.hpp"

#include <cstring>
#include <type_traits>

namespace chorale {
namespace {

// Number of consecutive members among which those to evaluate are selected at a time. The rows of
// the selected members are then prefetched.
constexpr std::int32_t kMembersAhead = 32;

// Prefetches a row of `columns` scores; at most four cache lines.
CHORALE_INLINE void fetch(const double *row, std::int32_t columns) noexcept {
  constexpr std::int32_t line = 8;
  for (std::int32_t v = 0; v < std::min(columns, 4 * line); v += line)
    __builtin_prefetch(row + v);
}

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
      reference_(layout.take<double>(std::int64_t{instance.columns} * kEpochs)),
      most_(layout.take<double>(instance.columns)), safe_(layout.take<double>(instance.members)),
      epoch_of_(layout.take<std::uint8_t>(std::int64_t{instance.members})),
      last_(instance.members <= kFewMembers ? layout.take<std::int32_t>(instance.members)
                                            : nullptr),
      waiting_(instance.members <= kFewMembers ? layout.take<std::int32_t>(instance.members)
                                               : nullptr) {}

constexpr std::int32_t kMovesOfFew = 8; // moves in an epoch of improve_few()

template <class Rows>
CHORALE_INLINE double SumMoves::improve_few(const Rows &in, gsl::span<std::int32_t> labelling,
                                            const LeastScores *least_scores, Limits &limits,
                                            std::int64_t &sweeps) noexcept {
  std::int32_t *const assignment = labelling.data();
  const bool again = least_scores != nullptr;
  const std::int32_t K = in.columns;
  // Announces the work of the loops over all columns, here and in begin_leads() and adjust_leads().
  if (!limits.spend(8 * std::int64_t{K}))
    return kForbidden;
  if (again)
    std::copy(score_.join(), score_.join() + K, most_);
  if (!in.count(labelling, in.by_column(counts_)))
    return kForbidden;
  score_.reset(in.by_column(counts_));
  double members = 0;
  if (again) {
    members = in.member_score(labelling);
  } else {
    const MeasuredSum start = in.member_sum(labelling);
    members = start.total;
    least_ = kLeastImprovement * (start.magnitude + std::fabs(score_.total()));
  }
  if (members == kForbidden) {
    // No leads are known. Minus infinity makes a following improve_again() evaluate every member.
    std::fill(safe_, safe_ + in.members, kForbidden);
    std::copy(assignment, assignment + in.members, last_);
    risen_ = 0;
    return kForbidden;
  }
  const double least = least_;
  if (again)
    adjust_leads(in, labelling, least);
  else if (!begin_leads(in, labelling, least))
    return kForbidden;
  if (instance_->interrupted())
    return kForbidden;
  const double *join = score_.join();
  const double *leave = score_.leave();
  double before = 0; // sum over the earlier epochs of the greatest rise of any join in the epoch
  double rise = 0;   // greatest rise of any join in this epoch
  double *risen = most_;
  std::fill(risen, risen + K, 0.0);
  std::int32_t moves = 0;
  double least_score = again ? least_scores->after_first : kForbidden;
  for (bool moved = true; moved && sweeps > 0; --sweeps) {
    // Lists the members to evaluate in the whole sweep, without a branch on each, which the
    // processor could not predict. A member that may move only because of moves in this sweep is
    // listed in the next sweep.
    moved = false;
    const double so_far = before + rise;
    std::int32_t count = 0;
    for (std::int32_t i = 0; i < in.members; ++i) {
      waiting_[count] = i;
      count += so_far + leave[assignment[i]] < safe_[i] ? 0 : 1;
    }
    for (std::int32_t w = 0; w < count; ++w) {
      if (!limits.spend(32 + K))
        break;
      const std::int32_t i = waiting_[w];
      const std::int32_t from = assignment[i];
      const double *row = in.row(i);
      const double stay = row[from] - leave[from] + least;
      const double best = best_join(row, join, K, from);
      if (!(best > stay)) {
        safe_[i] = row[from] + least - best + before;
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
      if (++moves == kMovesOfFew) {
        before += rise;
        rise = 0;
        moves = 0;
        std::fill(risen, risen + K, 0.0);
      }
      risen[from] += std::max(join[from] - was[0], 0.0);
      risen[to] += std::max(join[to] - was[1], 0.0);
      rise = std::max({rise, risen[from], risen[to]});
    }
    if (instance_->interrupted())
      break;
    if (again) {
      if (members + score_.total() < least_score)
        break;
      least_score = least_scores->after_later;
    }
  }
  risen_ = before + rise;
  std::copy(assignment, assignment + in.members, last_);
  return members + score_.total();
}

template <class Rows>
CHORALE_INLINE double SumMoves::improve_rows(const Rows &in, gsl::span<std::int32_t> labelling,
                                             Limits &limits, std::int64_t &sweeps) noexcept {
  if (in.members <= kFewMembers)
    return improve_few(in, labelling, nullptr, limits, sweeps);
  std::int32_t *const assignment = labelling.data();
  const std::int32_t K = in.columns;
  if (!in.count(labelling, in.by_column(counts_)))
    return kForbidden;
  score_.reset(in.by_column(counts_));
  epoch_ = -1;
  begin_epoch();
  std::fill(epoch_of_, epoch_of_ + in.members, std::uint8_t{0});
  const MeasuredSum start = in.member_sum(labelling);
  if (start.total == kForbidden)
    return kForbidden;
  double members = start.total;
  const double least = kLeastImprovement * (start.magnitude + std::fabs(score_.total()));
  if (!begin_leads(in, labelling, least))
    return kForbidden;
  std::int32_t unmoved = 0;
  std::int32_t waiting[kMembersAhead];
  for (std::int32_t i = 0; unmoved < in.members && sweeps > 0;) {
    if (i == in.members) {
      i = 0;
      --sweeps;
      if (sweeps == 0)
        break;
    }
    // While no member moves, leave and rise_ do not change. So the members to evaluate are selected
    // for kMembersAhead members at once, without a branch for each, and their rows are prefetched.
    const std::int32_t end = std::min(i + kMembersAhead, in.members);
    std::int32_t count = 0;
    if (!limits.spend(4 * kMembersAhead))
      return members + score_.total();
    if constexpr (std::is_same_v<Rows, Instance>)
      in.offer_kept(labelling, members + score_.total());
    for (std::int32_t j = i; j < end; ++j) {
      waiting[count] = j;
      count += rise_[epoch_of_[j]] + score_.leave()[assignment[j]] < safe_[j] ? 0 : 1;
    }
    for (std::int32_t w = 0; w < count; ++w)
      fetch(in.row(waiting[w]), K);
    std::int32_t moved = -1;
    for (std::int32_t w = 0; w < count && moved < 0; ++w) {
      if (!limits.spend(32 + K))
        return members + score_.total();
      const std::int32_t j = waiting[w];
      const std::int32_t from = assignment[j];
      const double *row = in.row(j);
      const double *join = score_.join();
      const double stay = row[from] - score_.leave()[from] + least;
      const double most = best_join(row, most_, K, from);
      safe_[j] = row[from] + least - most;
      epoch_of_[j] = static_cast<std::uint8_t>(epoch_);
      if (most <= stay)
        continue;
      const double best = best_join(row, join, K, from);
      if (!(best > stay))
        continue;
      std::int32_t to = 0;
      while (to == from || row[to] + join[to] != best)
        ++to;
      members += row[to] - row[from];
      assignment[j] = to;
      safe_[j] = kForbidden;
      move(from, to);
      moved = j;
    }
    unmoved = moved < 0 ? unmoved + (end - i) : 0;
    i = moved < 0 ? end : moved + 1;
  }
  return members + score_.total();
}

// Sets safe_ to `least` plus a lower bound on each member's lead. This needs an upper bound on
// psi_iv + join_v over all columns v other than the member's own. For `first`, the column with the
// greatest join, psi_iv + join_v is computed. For all other columns, the bound is the member's best
// score outside its own column, plus the second-greatest join. A SumView does not store best
// scores: for it, sets safe_ to minus infinity, so that every member will be evaluated. False if
// interrupted.
template <class Rows>
CHORALE_INLINE bool SumMoves::begin_leads(const Rows &in, gsl::span<const std::int32_t> labelling,
                                          double least) noexcept {
  [[maybe_unused]] const std::int32_t *const assignment = labelling.data();
  if constexpr (requires { in.best_score; }) {
    const double *join = score_.join();
    std::int32_t first = 0;
    double most = join[0];
    double next = kForbidden;
    for (std::int32_t v = 1; v < in.columns; ++v) {
      if (join[v] > most) {
        next = most;
        most = join[v];
        first = v;
      } else {
        next = std::max(next, join[v]);
      }
    }
    return in_stretches(*instance_, in.members, 16, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        const double *row = in.row(i);
        const std::int32_t from = assignment[i];
        // Chooses by an index, not by a branch on the member's column, which is unpredictable.
        const double others[] = {in.best_score[i] + next, in.second_score[i] + next};
        const double offered[] = {row[first] + most, kForbidden};
        const double other = others[from == in.best[i]];
        const double there = offered[from == first];
        safe_[i] = row[from] + least - (there > other ? there : other);
      }
    });
  } else {
    std::fill(safe_, safe_ + in.members, kForbidden);
    return true;
  }
}

// Turns the leads of the last call into lower bounds on the leads in the present labelling. most_
// has the joins at the end of that call. For `first`, the column whose join has risen most since
// then, psi_iv + join_v is computed for each member. The join of any other column has risen by at
// most `next`, the second-greatest rise. Members whose column has changed get a lead of minus
// infinity, so that they will be evaluated.
template <class Rows>
CHORALE_INLINE void SumMoves::adjust_leads(const Rows &in, gsl::span<const std::int32_t> labelling,
                                           double least) noexcept {
  const std::int32_t *const assignment = labelling.data();
  const double *join = score_.join();
  std::int32_t first = 0;
  double most = kForbidden;
  double next = 0;
  for (std::int32_t v = 0; v < in.columns; ++v) {
    const double rise = join[v] - most_[v];
    if (rise > most) {
      next = std::max(next, most);
      most = rise;
      first = v;
    } else {
      next = std::max(next, rise);
    }
  }
  for (std::int32_t i = 0; i < in.members; ++i) {
    const double *row = in.row(i);
    const std::int32_t from = assignment[i];
    const double offered[] = {row[first] + join[first], kForbidden};
    const double there = offered[from == first];
    const double leads[] = {
        kForbidden, std::min(safe_[i] - (risen_ + next), row[from] + least - there)};
    safe_[i] = leads[from == last_[i]];
  }
}

inline void SumMoves::move(std::int32_t from, std::int32_t to) noexcept {
  score_.move(from, to);
  for (const std::int32_t v : {from, to}) {
    const double join = score_.join()[v];
    const double *reference = reference_ + v * std::int64_t{kEpochs};
    for (std::int32_t epoch = 0; epoch <= epoch_; ++epoch)
      rise_[epoch] = std::max(rise_[epoch], join - reference[epoch]);
    most_[v] = std::max(reference[epoch_], join);
  }
  if (++moves_ >= instance_->members / 256 + 8 && epoch_ + 1 < kEpochs)
    begin_epoch();
}

inline void SumMoves::begin_epoch() noexcept {
  ++epoch_;
  moves_ = 0;
  rise_[epoch_] = 0;
  for (std::int32_t v = 0; v < instance_->columns; ++v)
    reference_[v * std::int64_t{kEpochs} + epoch_] = most_[v] = score_.join()[v];
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
double SumMoves::improve_again(gsl::span<std::int32_t> labelling, const LeastScores &least,
                               Limits &limits, std::int64_t &sweeps) noexcept {
  return on_best_units(
      [this, labelling, &least, &limits, &sweeps]() CHORALE_INLINE_LAMBDA {
        return improve_few(*instance_, labelling, &least, limits, sweeps);
      });
}

} // namespace chorale
