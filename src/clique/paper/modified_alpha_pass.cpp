// modified_alpha_pass.hpp explains the words used here.
#include "clique/paper/modified_alpha_pass.hpp"

#include "base/sort.hpp"
#include "clique/majority/majority.hpp"

#include <algorithm>

namespace chorale {

ModifiedAlphaPass::ModifiedAlphaPass(Layout &layout, const Instance &instance) noexcept
    : instance_(&instance), gains_(layout.take<double>(instance.members)),
      other_(layout.take<std::int32_t>(instance.members)),
      order_(layout.take<std::int32_t>(instance.members)),
      assignment_(layout.take<std::int32_t>(instance.members)),
      counts_(layout.take_span<std::int32_t>(instance.columns)), bound_to_(0), able_(0),
      score_(layout, instance.potential) {}

bool ModifiedAlphaPass::prepare(std::int32_t alpha) noexcept {
  const double *w = instance_->potential.weights + std::int64_t{alpha} * instance_->columns;
  bound_to_ = 0;
  able_ = 0;
  Pace pace(*instance_, 16 + 2 * instance_->columns, instance_->members);
  for (std::int32_t i = 0; i < instance_->members; ++i) {
    if (!pace.next())
      return false;
    const double *psi = instance_->row(i);
    double highest = kForbidden;
    other_[i] = -1;
    for (std::int32_t v = 0; v < instance_->columns; ++v)
      if (v != alpha && psi[v] + w[v] > highest) {
        highest = psi[v] + w[v];
        other_[i] = v;
      }
    // Every member has a finite score at alpha or at other_[i], so the difference is never NaN.
    gains_[i] = other_[i] < 0 ? kInfinity : (psi[alpha] + w[alpha]) - highest;
    bound_to_ += other_[i] < 0;
    able_ += psi[alpha] > kForbidden;
    order_[i] = i;
  }
  return sort_within(*instance_, order_, instance_->members, [this](auto i, auto j) {
    return gains_[i] != gains_[j] ? gains_[i] > gains_[j] : i < j;
  });
}

// Makes the labelling in which the first k members of order_ have alpha. Requires k >= bound_to_,
// the number of members that have no other column. False if interrupted.
bool ModifiedAlphaPass::label(std::int32_t alpha, std::int32_t k) noexcept {
  return in_stretches(*instance_, instance_->members, 16,
                      [&](std::int64_t begin, std::int64_t end) {
                        for (std::int64_t j = begin; j < end; ++j)
                          assignment_[order_[j]] = j < k ? alpha : other_[order_[j]];
                      }) &&
         instance_->count(instance_->by_member(assignment_), counts_);
}

// Scores the labellings of all k for alpha and offers the best of them to `solution`. False if
// interrupted.
bool ModifiedAlphaPass::sweep(std::int32_t alpha, Limits &limits, Solution &solution) noexcept {
  if (!prepare(alpha) || !label(alpha, bound_to_))
    return false;
  score_.reset(counts_);
  double member_score = instance_->member_score(instance_->by_member(assignment_));
  if (instance_->interrupted())
    return false;
  double best = solution.score;
  std::int32_t best_k = -1;
  bool interrupted = false;
  Pace pace(limits, 32 + score_.work_of_move(), able_ - bound_to_ + 1);
  const std::int32_t counted = counted_columns(instance_->potential);
  for (std::int32_t k = bound_to_;; ++k) {
    if (k > 0 && member_score + score_.total() > best &&
        std::all_of(score_.counts(), score_.counts() + counted,
                    [k](std::int32_t count) { return count <= k; })) {
      best = member_score + score_.total();
      best_k = k;
    }
    interrupted = !pace.next();
    if (k == able_ || interrupted)
      break;
    const std::int32_t i = order_[k];
    score_.move(other_[i], alpha);
    member_score += instance_->score(i, alpha) - instance_->score(i, other_[i]);
  }
  if (best_k >= 0 && label(alpha, best_k)) {
    offer(*instance_, instance_->by_member(assignment_), counts_, solution);
  }
  return !interrupted;
}

void ModifiedAlphaPass::run(const SolveOptions &options, Limits &limits,
                            Solution &solution) noexcept {
  offer_all_in_rest(*instance_, instance_->by_member(assignment_), counts_, solution);
  const std::int32_t counted = counted_columns(instance_->potential);
  for (std::int32_t alpha = 0; alpha < counted; ++alpha) {
    solution.iteration_limit_hit =
        options.iteration_limit > 0 && solution.iterations >= options.iteration_limit;
    if (solution.iteration_limit_hit || !sweep(alpha, limits, solution))
      return;
    ++solution.iterations;
  }
}

} // namespace chorale
