// concave_flow.hpp explains the words used here.
#include "clique/flows/concave_flow.hpp"

#include <algorithm>

namespace chorale {

ConcaveFlow::ConcaveFlow(Layout &layout, const Instance &instance, bool messages) noexcept
    : instance_(&instance), flow_(layout, instance, messages),
      own_row_(layout.take<double>(instance.columns)),
      tables_(instance.potential.has_rest() ? layout.take<const double *>(instance.columns)
                                            : nullptr),
      flat_(instance.potential.has_rest()
                ? layout.take<double>(std::int64_t{instance.members} + 1)
                : nullptr) {}

Instance ConcaveFlow::concave_form() noexcept {
  const CliquePotential &potential = instance_->potential;
  Instance in = *instance_;
  if (!potential.has_rest())
    return in;
  const double *rest = potential.tables[potential.rest];
  rises_ = rest[in.members] > rest[in.members - 1];
  if (!rises_)
    return in;
  std::copy(potential.tables, potential.tables + potential.columns, tables_);
  std::fill(flat_, flat_ + in.members + 1, 0.0);
  tables_[potential.rest] = flat_;
  in.potential.tables = tables_;
  return in;
}

std::int64_t ConcaveFlow::place_all(const Instance &in, Limits &limits) noexcept {
  if (const std::int32_t without = flow_.load(in.scores); without > 0 || in.interrupted())
    return without;
  flow_.begin(in.potential.tables);
  while (flow_.out_of_place() > 0 && limits.spend(in.columns) && flow_.augment())
    continue;
  return flow_.out_of_place();
}

void ConcaveFlow::take_optimum(const Instance &in, Solution &solution) noexcept {
  const std::int64_t n = instance_->members;
  const double score =
      instance_->member_score(flow_.assignment()) + in.clique_score(flow_.counts());
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

void ConcaveFlow::run(const SolveOptions &, Limits &limits, Solution &solution) noexcept {
  const Instance in = concave_form();
  const std::int64_t left_out = place_all(in, limits);
  solution.iterations += in.members;
  if (is_interrupted(limits))
    return;
  if (left_out > 0)
    solution.infeasible = true;
  else
    take_optimum(in, solution);
}

bool ConcaveFlow::messages(Limits &limits, Solution &solution, Matrix<double> messages) noexcept {
  const std::int64_t n = instance_->members;
  const std::int64_t K = instance_->columns;
  if (!clear_messages(*instance_, messages))
    return false;
  const Instance in = concave_form();
  const std::int64_t left_out = place_all(in, limits);
  solution.iterations += n;
  if (is_interrupted(limits))
    return false;

  if (left_out == 0) {
    take_optimum(in, solution);
    if (!flow_.find_residuals())
      return false;
    const double optimum =
        instance_->member_score(flow_.assignment()) + in.clique_score(flow_.counts());
    if (in.interrupted())
      return false;
    Pace pace(in, 8 + 4 * K, n);
    for (std::int64_t i = 0; i < n; ++i) {
      if (!pace.next())
        return false;
      const std::int32_t u = flow_.assignment().data()[i];
      const double others = optimum - instance_->score(i, u);
      double *to = messages.row(i).data();
      for (std::int32_t v = 0; v < K; ++v)
        to[v] = others - flow_.residual(v, u);
    }
    return !rises_ || raise_all_at_rest(in, messages);
  }

  solution.infeasible = true;
  // A message to member i leaves out its scores, so it may be finite if only i cannot be placed. Each
  // member in turn is allowed all columns, with score 0. Sets of members that can be placed together
  // are the independent sets of a matroid. So if the flow leaves out two members, no labelling becomes
  // feasible by allowing one member all columns.
  if (left_out > 1)
    return true;
  for (std::int32_t i = 0; i < n; ++i) {
    double *const row = in.scores + i * K;
    std::copy_n(row, K, own_row_);
    std::fill_n(row, K, 0.0);
    const std::int64_t without = place_all(in, limits);
    solution.iterations += n;
    const bool placed = without == 0 && flow_.find_residuals();
    const double optimum =
        placed ? in.member_score(flow_.assignment()) + in.clique_score(flow_.counts()) : kForbidden;
    std::copy_n(own_row_, K, row);
    if (is_interrupted(limits)) {
      for (std::int32_t j = 0; j < i; ++j)
        std::fill_n(messages.row(j).data(), K, kForbidden);
      return false;
    }
    double *to = messages.row(i).data();
    for (std::int32_t v = 0; placed && v < K; ++v)
      to[v] = optimum - flow_.residual(v, flow_.assignment().data()[i]);
  }
  return !rises_ || raise_all_at_rest(in, messages);
}

} // namespace chorale
