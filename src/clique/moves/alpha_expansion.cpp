// alpha_expansion.hpp explains the words used here.
#include "clique/moves/alpha_expansion.hpp"

#include "base/sort.hpp"
#include "clique/moves/moves.hpp"

#include <algorithm>

namespace chorale {

AlphaExpansion::AlphaExpansion(Layout &layout, const Instance &instance) noexcept
    : instance_(&instance), counts_(layout.take<std::int32_t>(instance.columns)),
      occupied_(layout.take<std::int32_t>(std::min(instance.members, instance.columns))),
      start_(layout.take<std::int32_t>(instance.columns)),
      movable_(layout.take<std::int32_t>(instance.columns)),
      leaving_start_(layout.take<std::int64_t>(instance.columns)),
      order_(layout.take<Ranked>(instance.members)),
      best_(layout.take<double>(std::int64_t{instance.members} + 1)),
      next_(layout.take<double>(std::int64_t{instance.members} + 1)),
      leaving_(layout.take<std::int32_t>(
          product_of_counts(std::int64_t{instance.members} + 1,
                            std::min(instance.members, instance.columns)))) {}

double AlphaExpansion::improve(const Instance &in, gsl::span<std::int32_t> labelling,
                               Limits &limits, std::int64_t &rounds) noexcept {
  // Updates the score move by move, since after an interruption there is no time to add it up.
  double members = in.member_score(labelling);
  if (!in.count(labelling, in.by_column(counts_)))
    return kForbidden;
  double kept = members + score_of_columns();
  note_occupied();
  std::int32_t unchanged = 0;
  for (std::int32_t alpha = 0; unchanged < in.columns; ++alpha) {
    if (alpha == in.columns) {
      alpha = 0;
      if (--rounds <= 0)
        break;
    }
    if (!limits.spend(in.members))
      break;
    const bool raised = expand(alpha, labelling, limits, &members);
    if (raised) {
      kept = members + score_of_columns();
      note_occupied();
    }
    unchanged = raised ? 0 : unchanged + 1;
  }
  const double score = in.member_score(labelling);
  if (!in.count(labelling, in.by_column(counts_)))
    return kept;
  return score + score_of_columns();
}

double AlphaExpansion::score_of_columns() const noexcept {
  // Announces the work of this function and of note_occupied(), which is called after it.
  instance_->spend(8 * std::int64_t{instance_->columns});
  double score = 0;
  for (std::int32_t v = 0; v < instance_->columns; ++v)
    score += instance_->potential.tables[v][counts_[v]];
  return score;
}

void AlphaExpansion::note_occupied() noexcept {
  occupied_count_ = 0;
  for (std::int32_t v = 0; v < instance_->columns; ++v)
    if (counts_[v] > 0)
      occupied_[occupied_count_++] = v;
}

bool AlphaExpansion::expand(std::int32_t alpha, gsl::span<std::int32_t> labelling, Limits &limits,
                            double *members) noexcept {
  const Instance &in = *instance_;
  std::int32_t *const assignment = labelling.data();
  const std::int32_t *const first = occupied_;
  const std::int32_t *const end_of_columns = first + occupied_count_;

  // Sorts members by column, and within each column by descending gain. Members that may not take
  // alpha have a gain of minus infinity, so they come last.
  std::int32_t before = 0;
  for (const std::int32_t *at = first; at != end_of_columns; ++at) {
    start_[*at] = movable_[*at] = before;
    before += counts_[*at];
  }
  if (!in_stretches(in, in.members, 16, [&](std::int64_t begin, std::int64_t end) {
        for (auto i = static_cast<std::int32_t>(begin); i < end; ++i) {
          const std::int32_t v = assignment[i];
          order_[movable_[v]++] = {in.score(i, alpha) - in.score(i, v), i};
        }
      }))
    return false;
  for (const std::int32_t *at = first; at != end_of_columns; ++at) {
    const std::int32_t v = *at;
    if (!sort_within(in, order_ + start_[v], counts_[v], [](const Ranked &a, const Ranked &b) {
          return a.gain > b.gain || (a.gain == b.gain && a.member < b.member);
        }))
      return false;
    movable_[v] = 0;
    if (v != alpha)
      while (movable_[v] < counts_[v] && order_[start_[v] + movable_[v]].gain > kForbidden)
        ++movable_[v];
  }

  // Computes D (alpha_expansion.hpp) over the columns other than alpha that have members. D is made
  // of table entries and gains only. It leaves out the member scores before the move, whose sum is
  // in `staying`.
  const MeasuredSum staying = in.member_sum(labelling);
  if (in.interrupted())
    return false;
  const double *f_alpha = in.potential.tables[alpha] + counts_[alpha];
  MeasuredSum stay;
  stay.add(f_alpha[0]);
  std::int64_t used = 0;
  std::int32_t total_movable = 0;
  best_[0] = 0;
  for (const std::int32_t *at = first; at != end_of_columns; ++at) {
    const std::int32_t v = *at;
    if (v == alpha)
      continue;
    const double *f = in.potential.tables[v] + counts_[v];
    stay.add(f[0]);
    leaving_start_[v] = used;
    const std::int32_t reachable = total_movable + movable_[v];
    std::int32_t *choice = leaving_ + used;
    used += reachable + 1;
    if (!in_stretches(limits, reachable + 1, 4, [&](std::int64_t begin, std::int64_t end) {
          std::fill(next_ + begin, next_ + end, kForbidden);
          std::fill(choice + begin, choice + end, 0);
        }))
      return false;
    double gained = 0;
    for (std::int32_t l = 0; l <= movable_[v]; ++l) {
      const double column = gained + f[-l];
      if (!in_stretches(limits, total_movable + 1, 4, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t k = begin; k < end; ++k)
              if (best_[k] + column > next_[k + l]) {
                next_[k + l] = best_[k] + column;
                choice[k + l] = l;
              }
          }))
        return false;
      if (l < movable_[v])
        gained += order_[start_[v] + l].gain;
    }
    std::swap(best_, next_);
    total_movable = reachable;
  }

  std::int32_t best_moved = 0;
  double best = stay.total + kLeastImprovement * (stay.magnitude + staying.magnitude);
  if (!in_stretches(limits, total_movable + 1, 4, [&](std::int64_t begin, std::int64_t end) {
        for (auto k = static_cast<std::int32_t>(std::max<std::int64_t>(begin, 1)); k < end; ++k)
          if (best_[k] + f_alpha[k] > best) {
            best = best_[k] + f_alpha[k];
            best_moved = k;
          }
      }))
    return false;
  if (best_moved == 0)
    return false;
  for (const std::int32_t *at = end_of_columns; at != first;) {
    const std::int32_t v = *--at;
    if (v == alpha)
      continue;
    const std::int32_t l = leaving_[leaving_start_[v] + best_moved];
    for (std::int32_t rank = 0; rank < l; ++rank) {
      const Ranked &ranked = order_[start_[v] + rank];
      assignment[ranked.member] = alpha;
      *members += ranked.gain;
    }
    counts_[v] -= l;
    counts_[alpha] += l;
    best_moved -= l;
  }
  return true;
}

} // namespace chorale
