#include "clique/concave_flow.hpp"

#include <algorithm>

namespace chorale {

ConcaveFlow::ConcaveFlow(Layout &layout, const Instance &instance) noexcept
    : instance_(&instance), flow_(layout, instance.members, instance.columns),
      free_row_(layout.take<double>(instance.columns)) {}

std::int32_t ConcaveFlow::place_all(const SumView &view, std::int32_t tolerated,
                                    Limits &limits) noexcept {
  flow_.reset(view, nullptr);
  std::int32_t left_out = 0;
  for (std::int32_t i = 0; i < view.members && left_out <= tolerated; ++i) {
    if (!limits.spend(view.columns) || view.interrupted())
      break;
    left_out += flow_.place(i) ? 0 : 1;
  }
  return left_out;
}

void ConcaveFlow::take_optimum(Solution &solution) noexcept {
  const double score = instance_->member_score(flow_.assignment()) +
                       SumView(*instance_).clique_score(flow_.counts());
  if (instance_->interrupted())
    return;
  if (score > solution.score) {
    solution.score = score;
    std::copy(flow_.assignment(), flow_.assignment() + instance_->members, solution.assignment);
  }
  // The flow is optimal, so what stands above it is rounding.
  solution.bound = std::min(solution.bound, solution.score);
}

void ConcaveFlow::run(const SolveOptions &, Limits &limits, Solution &solution) noexcept {
  const SumView view(*instance_);
  const std::int32_t left_out = place_all(view, 0, limits);
  solution.iterations += view.members;
  if (limits.interruption() != Interruption::none || view.interrupted())
    return;
  if (left_out > 0)
    solution.infeasible = true;
  else
    take_optimum(solution);
}

bool ConcaveFlow::messages(Limits &limits, Solution &solution, double *messages) noexcept {
  const std::int64_t n = instance_->members;
  const std::int64_t K = instance_->columns;
  if (!in_stretches(*instance_, n, K, [&](std::int64_t begin, std::int64_t end) {
        std::fill(messages + begin * K, messages + end * K, kForbidden);
      }))
    return false;
  SumView view(*instance_);
  const std::int32_t left_out = place_all(view, 1, limits);
  solution.iterations += n;
  if (limits.interruption() != Interruption::none || view.interrupted())
    return false;

  if (left_out == 0) {
    take_optimum(solution);
    flow_.find_residuals();
    const double optimum =
        instance_->member_score(flow_.assignment()) + view.clique_score(flow_.counts());
    if (view.interrupted())
      return false;
    Pace pace(view, 8 + 4 * K, n);
    for (std::int64_t i = 0; i < n; ++i) {
      if (!pace.next())
        return false;
      const std::int32_t u = flow_.assignment()[i];
      const double others = optimum - instance_->score(i, u);
      for (std::int64_t v = 0; v < K; ++v)
        messages[i * K + v] = others - flow_.residual(v, u);
    }
    return true;
  }

  solution.infeasible = true;
  // Members that can be placed together form a matroid: with two left out, no member's own row
  // being free would help.
  if (left_out > 1)
    return true;
  std::fill(free_row_, free_row_ + K, 0.0);
  view.replacement = free_row_;
  for (std::int32_t i = 0; i < n; ++i) {
    view.replaced = i;
    const std::int32_t without = place_all(view, 0, limits);
    solution.iterations += n;
    if (without > 0 && limits.interruption() == Interruption::none)
      continue;
    flow_.find_residuals();
    const double optimum =
        view.member_score(flow_.assignment()) + view.clique_score(flow_.counts());
    if (limits.interruption() != Interruption::none || view.interrupted()) {
      std::fill(messages, messages + i * K, kForbidden);
      return false;
    }
    for (std::int64_t v = 0; v < K; ++v)
      messages[i * K + v] = optimum - flow_.residual(v, flow_.assignment()[i]);
  }
  return true;
}

} // namespace chorale
