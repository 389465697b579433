#include "clique/alpha_expansion.hpp"

#include "clique/moves.hpp"

#include <algorithm>

namespace chorale {

AlphaExpansion::AlphaExpansion(Layout &layout, const Instance &instance) noexcept
    : instance_(&instance), counts_(layout.take<std::int32_t>(instance.columns)),
      start_(layout.take<std::int32_t>(std::int64_t{instance.columns} + 1)),
      movable_(layout.take<std::int32_t>(instance.columns)),
      leaving_start_(layout.take<std::int64_t>(instance.columns)),
      order_(layout.take<Ranked>(instance.members)),
      best_(layout.take<double>(std::int64_t{instance.members} + 1)),
      next_(layout.take<double>(std::int64_t{instance.members} + 1)),
      leaving_(layout.take<std::int32_t>(
          saturating_product(static_cast<std::size_t>(instance.members) + 1,
                             static_cast<std::size_t>(instance.columns)))) {}

double AlphaExpansion::improve(std::int32_t *assignment, Limits &limits,
                               std::int64_t &rounds) noexcept {
  const Instance &in = *instance_;
  std::int32_t unchanged = 0;
  for (std::int32_t alpha = 0; unchanged < in.columns; ++alpha) {
    if (alpha == in.columns) {
      alpha = 0;
      if (--rounds <= 0)
        break;
    }
    if (limits.check_now() != Interruption::none)
      break;
    unchanged = expand(alpha, assignment, limits) ? 0 : unchanged + 1;
  }
  in.count(assignment, counts_);
  double score = in.member_score(assignment);
  for (std::int32_t v = 0; v < in.columns; ++v)
    score += in.potential.tables[v][counts_[v]];
  return score;
}

bool AlphaExpansion::expand(std::int32_t alpha, std::int32_t *assignment, Limits &limits) noexcept {
  const Instance &in = *instance_;
  in.count(assignment, counts_);

  // Members by column, within a column by what they gain; those that may not take alpha last.
  start_[0] = 0;
  for (std::int32_t v = 0; v < in.columns; ++v) {
    start_[v + 1] = start_[v] + counts_[v];
    movable_[v] = start_[v];
  }
  for (std::int32_t i = 0; i < in.members; ++i) {
    const std::int32_t v = assignment[i];
    order_[movable_[v]++] = {in.score(i, alpha) - in.score(i, v), i};
  }
  for (std::int32_t v = 0; v < in.columns; ++v) {
    std::sort(order_ + start_[v], order_ + start_[v + 1], [](const Ranked &a, const Ranked &b) {
      return a.gain > b.gain || (a.gain == b.gain && a.member < b.member);
    });
    movable_[v] = 0;
    if (v != alpha)
      while (movable_[v] < counts_[v] && order_[start_[v] + movable_[v]].gain > kForbidden)
        ++movable_[v];
  }

  // D over the columns; scores are relative to nobody's member score, so gains alone add up.
  const double *f_alpha = in.potential.tables[alpha] + counts_[alpha];
  double stay = f_alpha[0];
  std::int64_t used = 0;
  std::int32_t total_movable = 0;
  best_[0] = 0;
  for (std::int32_t v = 0; v < in.columns; ++v) {
    if (v == alpha)
      continue;
    const double *f = in.potential.tables[v] + counts_[v];
    stay += f[0];
    leaving_start_[v] = used;
    const std::int32_t reachable = total_movable + movable_[v];
    std::int32_t *choice = leaving_ + used;
    used += reachable + 1;
    std::fill(next_, next_ + reachable + 1, kForbidden);
    std::fill(choice, choice + reachable + 1, 0);
    double gained = 0;
    for (std::int32_t l = 0; l <= movable_[v]; ++l) {
      if (limits.check() != Interruption::none)
        return false;
      const double column = gained + f[-l];
      for (std::int32_t k = 0; k <= total_movable; ++k)
        if (best_[k] + column > next_[k + l]) {
          next_[k + l] = best_[k] + column;
          choice[k + l] = l;
        }
      if (l < movable_[v])
        gained += order_[start_[v] + l].gain;
    }
    std::swap(best_, next_);
    total_movable = reachable;
  }

  std::int32_t best_moved = 0;
  double best =
      stay + (stay == kForbidden ? 0.0 : kLeastImprovement * std::max(1.0, std::fabs(stay)));
  for (std::int32_t k = 1; k <= total_movable; ++k)
    if (best_[k] + f_alpha[k] > best) {
      best = best_[k] + f_alpha[k];
      best_moved = k;
    }
  if (best_moved == 0)
    return false;
  for (std::int32_t v = in.columns - 1; v >= 0; --v) {
    if (v == alpha)
      continue;
    const std::int32_t l = leaving_[leaving_start_[v] + best_moved];
    for (std::int32_t rank = 0; rank < l; ++rank)
      assignment[order_[start_[v] + rank].member] = alpha;
    best_moved -= l;
  }
  return true;
}

} // namespace chorale
