// modified_alpha_pass.hpp explains the words used here.
#include "clique/paper/modified_alpha_pass.hpp"

#include "clique/majority/majority.hpp"

#include <algorithm>

namespace chorale {

ModifiedAlphaPass::ModifiedAlphaPass(Layout &layout, const Instance &instance) noexcept
    : instance_(&instance), shifted_(instance), sweep_(layout, shifted_),
      assignment_(layout.take_span<std::int32_t>(instance.members)),
      counts_(layout.take_span<std::int32_t>(instance.columns)) {
  shifted_.scores = layout.take<double>(product_of_counts(instance.members, instance.columns));
  shifted_.best = layout.take<std::int32_t>(instance.members);
  shifted_.second = layout.take<std::int32_t>(instance.members);
  shifted_.best_score = layout.take<double>(instance.members);
  shifted_.second_score = layout.take<double>(instance.members);
}

bool ModifiedAlphaPass::load(std::int32_t alpha) noexcept {
  const std::int64_t K = instance_->columns;
  const double *w = instance_->potential.weights + alpha * K;
  return in_stretches(*instance_, instance_->members, 16 + 4 * K,
                      [&](std::int64_t begin, std::int64_t end) {
                        for (std::int64_t i = begin; i < end; ++i) {
                          double *to = shifted_.scores + i * K;
                          for (std::int64_t v = 0; v < K; ++v)
                            to[v] = instance_->row(i)[v] + w[v];
                          shifted_.note_best(i);
                        }
                      });
}

// Offers the best labelling of the pass of alpha to `solution`. False if interrupted.
bool ModifiedAlphaPass::pass(std::int32_t alpha, Solution &solution) noexcept {
  if (!load(alpha) || !sweep_.order_by(alpha))
    return false;
  std::int32_t *const counts = counts_.data();
  std::copy_n(sweep_.counts().data(), instance_->columns, counts);
  const std::int32_t counted = counted_columns(instance_->potential);
  double best = kForbidden;
  std::int32_t best_count = 0;
  Counts moving{counts};
  const bool whole = sweep_.walk(moving, [&](std::int32_t k, double score) {
    if (k > 0 && score > best && *std::max_element(counts, counts + counted) == k) {
      best = score;
      best_count = k;
    }
    return instance_->spend(2 * std::int64_t{counted});
  });
  if (best_count > 0 && sweep_.write(best_count, assignment_) &&
      instance_->count(assignment_, counts_))
    offer(*instance_, assignment_, counts_, solution);
  return whole;
}

void ModifiedAlphaPass::run(const SolveOptions &options, Limits &limits,
                            Solution &solution) noexcept {
  offer_all_in_rest(*instance_, assignment_, counts_, solution);
  shifted_.potential.limits = &limits;
  const std::int32_t counted = counted_columns(instance_->potential);
  for (std::int32_t alpha = 0; alpha < counted; ++alpha) {
    solution.iteration_limit_hit =
        options.iteration_limit > 0 && solution.iterations >= options.iteration_limit;
    if (solution.iteration_limit_hit || !limits.spend(instance_->columns) ||
        !pass(alpha, solution))
      return;
    ++solution.iterations;
  }
}

} // namespace chorale
