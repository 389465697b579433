#include "clique/dual/rounding.hpp"

#include <algorithm>
#include <cmath>

namespace chorale {
namespace {

constexpr std::int64_t kSweeps = 100; // greatest number of sweeps of single-member moves

} // namespace

Rounding::Rounding(Layout &layout, const Instance &instance) noexcept
    : instance_(&instance), finite_moves_(layout, instance), moves_(layout, instance),
      weighted_moves_(layout, instance), assignment_(layout.take<std::int32_t>(instance.members)),
      counts_(layout.take<std::int32_t>(instance.columns)),
      steps_(layout.take<double>(instance.columns)) {}

void Rounding::round(const Instance &in, const CountDual &dual, Limits &limits,
                     Incumbent &incumbent) noexcept {
  for (std::int32_t v = 0; v < in.columns; ++v) {
    const std::int32_t k = dual.chosen_weight(v);
    const double from = in.entry(v, k > 0 ? k - 1 : 0);
    const double to = in.entry(v, k > 0 ? k : 1);
    steps_[v] = from > kForbidden && to > kForbidden ? to - from : 0.0;
  }
  if (!in_stretches(in, in.members, 8 + 2 * std::int64_t{in.columns},
                    [&](std::int64_t begin, std::int64_t end) {
                      for (std::int64_t i = begin; i < end; ++i) {
                        const double *row = in.row(i);
                        const auto weight = static_cast<double>(in.weight(i));
                        std::int32_t best = 0;
                        for (std::int32_t v = 1; v < in.columns; ++v)
                          best = row[v] + weight * steps_[v] > row[best] + weight * steps_[best]
                                     ? v
                                     : best;
                        assignment_[i] = best;
                      }
                    }))
    return;
  std::int64_t sweeps = kSweeps;
  if (in.weights)
    weighted_moves_.improve(in, instance_->by_member(assignment_), limits, sweeps);
  else if (instance_->potential.finite)
    finite_moves_.improve(in, instance_->by_member(assignment_), limits, sweeps);
  else
    moves_.improve(in, instance_->by_member(assignment_), limits, sweeps);
  offer(in, in.by_member(assignment_), incumbent);
}

void Rounding::offer(const Instance &in, gsl::span<const std::int32_t> assignment,
                     Incumbent &incumbent) noexcept {
  const gsl::span<std::int32_t> counts = in.by_column(counts_);
  if (!in.count(assignment, counts))
    return;
  const MeasuredSum members = in.member_sum(assignment);
  const double clique = in.clique_score(counts);
  const double score = members.total + clique;
  if (score > incumbent.score) {
    incumbent.score = score;
    incumbent.magnitude = members.magnitude + std::fabs(clique);
    std::copy_n(assignment.data(), in.members, incumbent.assignment.data());
  }
}

} // namespace chorale
