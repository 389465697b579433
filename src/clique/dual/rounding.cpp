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
      best_choice_(layout.take<double>(instance.members)) {}

void Rounding::round(const Instance &in, const CountDual &dual, Limits &limits,
                     Incumbent &incumbent) noexcept {
  const std::int64_t n = in.members;
  if (!in_stretches(in, n, 1, [&](std::int64_t begin, std::int64_t end) {
        std::fill(assignment_ + begin, assignment_ + end, -1);
      }))
    return;
  for (std::int32_t v = 0; v < in.columns; ++v) {
    const std::int32_t k = dual.chosen_count(v);
    const std::int32_t weight = dual.chosen_weight(v);
    const double below = k > 0 ? in.entry(v, weight - 1) : kForbidden;
    const double step = below > kForbidden ? in.entry(v, weight) - below : 0.0;
    Pace pace(in, 16, k);
    for (std::int64_t r = 0; r < k; ++r) {
      if (!pace.next())
        return;
      const std::int32_t i = dual.member(v, r);
      const double score = in.row(i)[v] + static_cast<double>(in.weight(i)) * step;
      if (assignment_[i] < 0 || score > best_choice_[i]) {
        assignment_[i] = v;
        best_choice_[i] = score;
      }
    }
  }
  std::fill(counts_, counts_ + in.columns, 0);
  if (!in_stretches(in, n, 4, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i)
          if (assignment_[i] >= 0)
            counts_[assignment_[i]] += static_cast<std::int32_t>(in.weight(i));
      }))
    return;
  Pace left(in, 4 + 4 * std::int64_t{in.columns}, n);
  for (std::int64_t i = 0; i < n; ++i) {
    if (!left.next())
      return;
    if (assignment_[i] >= 0)
      continue;
    const double *row = in.row(i);
    const std::int64_t weight = in.weight(i);
    double best = kForbidden;
    std::int32_t best_column = -1;
    for (std::int32_t v = 0; v < in.columns; ++v) {
      const double at = in.entry(v, counts_[v]);
      const double above = in.entry(v, counts_[v] + 1);
      const double step = at > kForbidden && above > kForbidden ? above - at : 0.0;
      const double offer = row[v] + static_cast<double>(weight) * step;
      if (row[v] > kForbidden && (best_column < 0 || offer > best)) {
        best = offer;
        best_column = v;
      }
    }
    if (best_column < 0)
      return;
    assignment_[i] = best_column;
    counts_[best_column] += static_cast<std::int32_t>(weight);
  }
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
