// concave_flow.hpp explains the words used here.
#include "clique/flows/concave_flow.hpp"

#include <algorithm>

namespace chorale {

ConcaveFlow::ConcaveFlow(Layout &layout, const Instance &instance, bool messages) noexcept
    : instance_(&instance), flow_(layout, instance.members, instance.columns, messages),
      free_row_(layout.take<double>(instance.columns)),
      tables_(instance.potential.has_rest() ? layout.take<const double *>(instance.columns)
                                            : nullptr),
      flat_(instance.potential.has_rest()
                ? layout.take<double>(std::int64_t{instance.members} + 1)
                : nullptr) {}

SumView ConcaveFlow::concave_view() noexcept {
  const CliquePotential &potential = instance_->potential;
  SumView view(*instance_);
  if (!potential.has_rest())
    return view;
  const double *rest = potential.tables[potential.rest];
  rises_ = rest[view.members] > rest[view.members - 1];
  if (!rises_)
    return view;
  std::copy(potential.tables, potential.tables + potential.columns, tables_);
  std::fill(flat_, flat_ + view.members + 1, 0.0);
  tables_[potential.rest] = flat_;
  view.tables = tables_;
  return view;
}

std::int32_t ConcaveFlow::place_all(const SumView &view, std::int32_t tolerated,
                                    Limits &limits) noexcept {
  flow_.reset(view, {});
  std::int32_t left_out = 0;
  for (std::int32_t i = 0; i < view.members && left_out <= tolerated; ++i) {
    if (!limits.spend(view.columns) || view.interrupted())
      break;
    left_out += flow_.place(i) ? 0 : 1;
  }
  return left_out;
}

void ConcaveFlow::take_optimum(const SumView &view, Solution &solution) noexcept {
  const std::int64_t n = instance_->members;
  const double score =
      instance_->member_score(flow_.assignment()) + view.clique_score(flow_.counts());
  if (instance_->interrupted())
    return;
  if (score > solution.score) {
    solution.score = score;
    std::copy_n(flow_.assignment().data(), n, solution.assignment.data());
  }
  if (rises_) {
    const std::int32_t rest = instance_->potential.rest;
    double nothing_counts = 0;
    for (std::int64_t i = 0; i < n; ++i)
      nothing_counts += instance_->score(i, rest);
    if (nothing_counts > solution.score) {
      solution.score = nothing_counts;
      std::fill_n(solution.assignment.data(), n, rest);
    }
  }
  // The flow is optimal, so its score is an upper bound.
  solution.bound = std::min(solution.bound, solution.score);
}

void ConcaveFlow::add_nothing_counts(Matrix<double> messages) const noexcept {
  const std::int64_t n = instance_->members;
  const std::int64_t rest = instance_->potential.rest;
  double total = 0;
  std::int64_t barred = 0;
  for (std::int64_t i = 0; i < n; ++i)
    if (const double own = instance_->score(i, rest); own > kForbidden)
      total += own;
    else
      ++barred;
  for (std::int64_t i = 0; i < n; ++i) {
    const double own = instance_->score(i, rest);
    double &message = messages.row(i).data()[rest];
    if (own > kForbidden && barred == 0)
      message = std::max(message, total - own);
    else if (own == kForbidden && barred == 1)
      message = std::max(message, total);
  }
}

void ConcaveFlow::run(const SolveOptions &, Limits &limits, Solution &solution) noexcept {
  const SumView view = concave_view();
  const std::int32_t left_out = place_all(view, 0, limits);
  solution.iterations += view.members;
  if (limits.interruption() != Interruption::none || view.interrupted())
    return;
  if (left_out > 0)
    solution.infeasible = true;
  else
    take_optimum(view, solution);
}

bool ConcaveFlow::messages(Limits &limits, Solution &solution, Matrix<double> messages) noexcept {
  const std::int64_t n = instance_->members;
  const std::int64_t K = instance_->columns;
  if (!clear_messages(*instance_, messages))
    return false;
  SumView view = concave_view();
  const std::int32_t left_out = place_all(view, 1, limits);
  solution.iterations += n;
  if (limits.interruption() != Interruption::none || view.interrupted())
    return false;

  if (left_out == 0) {
    take_optimum(view, solution);
    flow_.find_residuals();
    const double optimum =
        instance_->member_score(flow_.assignment()) + view.clique_score(flow_.counts());
    if (view.interrupted())
      return false;
    Pace pace(view, 8 + 4 * K, n);
    for (std::int64_t i = 0; i < n; ++i) {
      if (!pace.next())
        return false;
      const std::int32_t u = flow_.assignment().data()[i];
      const double others = optimum - instance_->score(i, u);
      double *to = messages.row(i).data();
      for (std::int32_t v = 0; v < K; ++v)
        to[v] = others - flow_.residual(v, u);
    }
    if (rises_)
      add_nothing_counts(messages);
    return true;
  }

  solution.infeasible = true;
  // Sets of members that can be placed together are the independent sets of a matroid. So if the
  // flow leaves out two members, no labelling becomes feasible by allowing one member all columns.
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
      for (std::int32_t j = 0; j < i; ++j)
        std::fill_n(messages.row(j).data(), K, kForbidden);
      return false;
    }
    double *to = messages.row(i).data();
    for (std::int32_t v = 0; v < K; ++v)
      to[v] = optimum - flow_.residual(v, flow_.assignment().data()[i]);
  }
  if (rises_)
    add_nothing_counts(messages);
  return true;
}

} // namespace chorale
