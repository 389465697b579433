// max_pass.hpp explains the words used here.
#include "clique/passes/max_pass.hpp"

namespace chorale {

MaxPass::MaxPass(Layout &layout, const Instance &instance) noexcept
    : instance_(&instance), sweep_(layout, instance),
      without_up_(layout.take<double>(std::int64_t{instance.members} + 2)),
      without_from_(layout.take<double>(std::int64_t{instance.members} + 2)),
      with_up_(layout.take<double>(std::int64_t{instance.members} + 2)),
      with_from_(layout.take<double>(std::int64_t{instance.members} + 2)) {}

MaxPass::Leaver MaxPass::cheapest_leaver(std::int32_t alpha, std::int32_t except) const noexcept {
  const Instance &in = *instance_;
  Leaver cheapest;
  Pace pace(in, 4 * in.columns, in.members);
  for (std::int32_t i = 0; i < in.members; ++i) {
    if (!pace.next())
      return {};
    if (i == except)
      continue;
    for (std::int32_t v = 0; v < in.columns; ++v) {
      if (v == alpha || v == in.potential.rest || in.score(i, v) == kForbidden)
        continue;
      const double loss = in.score(i, in.potential.rest) - in.score(i, v);
      if (loss < cheapest.loss)
        cheapest = {i, v, loss};
    }
  }
  return cheapest;
}

void MaxPass::run(Limits &limits, Solution &solution) noexcept {
  const Instance &in = *instance_;
  const std::int32_t rest = in.potential.rest;
  double best = kForbidden;
  std::int32_t best_count = 0;
  Leaver best_leaver;
  bool complete = true;
  for (std::int32_t alpha = 0; alpha < in.columns && complete; ++alpha) {
    if (alpha == rest)
      continue;
    complete = limits.spend(in.columns) && sweep_.order_by(alpha);
    if (!complete)
      break;
    const double before = best;
    const double *f = in.potential.tables[alpha];
    const auto offer = [&](double total, std::int32_t k, const Leaver &leaver) {
      if (total > best) {
        best = total;
        best_count = k;
        best_leaver = leaver;
      }
    };
    double members = sweep_.base();
    Pace pace(in, 8, sweep_.allowed() - sweep_.forced() + 1);
    for (std::int32_t k = sweep_.forced();; ++k) {
      complete = pace.next();
      if (!complete)
        break;
      if (k > 0 || rest < 0 || sweep_.counts().data()[rest] < in.members) {
        offer(members + f[k], k, {});
      } else if (const Leaver leaver = cheapest_leaver(alpha, -1); leaver.member >= 0) {
        offer(members - leaver.loss + f[0], 0, leaver);
      }
      if (k == sweep_.allowed())
        break;
      members += sweep_.at(k).gain;
    }
    complete = complete && !in.interrupted();
    if (!complete)
      break;
    // Writes the labelling before the next pass, which overwrites sweep_.
    if (best > before && best > solution.score) {
      complete = sweep_.write(best_count, solution.assignment);
      if (!complete)
        break;
      solution.score = best;
      if (best_leaver.member >= 0)
        solution.assignment.data()[best_leaver.member] = best_leaver.column;
    }
    ++solution.iterations;
  }

  if (complete && rest >= 0) {
    double members = 0;
    complete = in_stretches(in, in.members, 8, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i)
        members += in.score(i, rest);
    });
    if (complete && members > best) {
      best = members;
      if (best > solution.score) {
        solution.score = best;
        std::fill_n(solution.assignment.data(), in.members, rest);
      }
    }
  }
  if (complete) {
    solution.bound = std::min(solution.bound, best);
    solution.infeasible = best == kForbidden;
  }
}

bool MaxPass::messages(Limits &limits, Solution &solution, Matrix<double> messages) noexcept {
  const Instance &in = *instance_;
  if (!clear_messages(in, messages))
    return false;
  for (std::int32_t alpha = 0; alpha < in.columns; ++alpha) {
    if (alpha == in.potential.rest)
      continue;
    if (!limits.spend(in.columns) || !pass_messages(alpha, messages))
      return false;
    ++solution.iterations;
  }
  return !in.potential.has_rest() || raise_all_at_rest(in, messages);
}

bool MaxPass::pass_messages(std::int32_t alpha, Matrix<double> messages) noexcept {
  const Instance &in = *instance_;
  const std::int32_t rest = in.potential.rest;
  const double *f = in.potential.tables[alpha];
  if (!sweep_.order_by(alpha))
    return false;
  const std::int32_t forced = sweep_.forced();
  const std::int32_t allowed = sweep_.allowed();

  double gains = 0;
  double without_up = kForbidden;
  double with_up = kForbidden;
  Pace up(in, 16, allowed - forced + 1);
  for (std::int32_t k = forced; k <= allowed; ++k) {
    if (!up.next())
      return false;
    if (k > 0)
      without_up = std::max(without_up, gains + f[k]);
    if (k < in.members)
      with_up = std::max(with_up, gains + f[k + 1]);
    without_up_[k] = without_up;
    with_up_[k] = with_up;
    without_from_[k] = k > 1 ? gains + f[k - 1] : kForbidden;
    with_from_[k] = k > 0 ? gains + f[k] : kForbidden;
    if (k < allowed)
      gains += sweep_.at(k).gain;
  }
  Pace down(in, 8, allowed - forced + 1);
  for (std::int32_t k = allowed; k > forced; --k) {
    if (!down.next())
      return false;
    without_from_[k - 1] = std::max(without_from_[k - 1], without_from_[k]);
    with_from_[k - 1] = std::max(with_from_[k - 1], with_from_[k]);
  }

  // Number of members at counted columns other than alpha in labelling `forced`, the first of the
  // pass; without a rest column 0, and not used. If it is above 0, not all members are in the rest
  // column even if none has alpha, so the potential is then at least f_alpha(0).
  const std::int32_t counting = rest < 0 ? 0 : in.members - forced - sweep_.counts().data()[rest];
  Leaver cheapest;
  Leaver next;
  if (rest >= 0 && counting <= 1 && forced <= 1) {
    cheapest = cheapest_leaver(alpha, -1);
    if (cheapest.member >= 0)
      next = cheapest_leaver(alpha, cheapest.member);
  }

  Pace members(in, 32 + 4 * in.columns, in.members);
  for (std::int32_t rank = 0; rank < in.members; ++rank) {
    if (!members.next())
      return false;
    const auto [gain, i, other] = sweep_.at(rank);
    const bool is_forced = rank < forced;
    const double base = sweep_.base() - in.score(i, is_forced ? alpha : other);
    double without = kForbidden;
    double with = kForbidden;
    if (is_forced) {
      without = without_from_[forced];
      with = with_from_[forced];
    } else {
      without = without_up_[std::min(rank, allowed)];
      with = with_up_[std::min(rank, allowed)];
      if (rank < allowed) {
        without = std::max(without, without_from_[rank + 1] - gain);
        with = std::max(with, with_from_[rank + 1] - gain);
      }
    }
    // none: the score, minus `base`, of the labelling in which member i is fixed and no member has
    // alpha. It is f_alpha(0), or minus infinity if another member must have alpha. none_for_rest:
    // the same with member i fixed to the rest column. If all members would then be in the rest
    // column, another member moves to a counted column, and its loss is subtracted.
    const bool none_possible = forced - (is_forced ? 1 : 0) == 0;
    const double none = none_possible ? f[0] : kForbidden;
    double none_for_rest = none;
    if (rest >= 0 && none_possible && counting - (!is_forced && other != rest ? 1 : 0) == 0)
      none_for_rest = none - (cheapest.member == i ? next : cheapest).loss;

    double *to = messages.row(i).data();
    for (std::int32_t v = 0; v < in.columns; ++v) {
      const double found = v == alpha  ? with
                           : v == rest ? std::max(without, none_for_rest)
                                       : std::max(without, none);
      to[v] = std::max(to[v], base + found);
    }
  }
  return !in.interrupted();
}

} // namespace chorale
