#include "clique/majority/majority.hpp"

#include <algorithm>
#include <cmath>

namespace chorale {
namespace {

// Returns the potential of the counts (K): the greatest b_a + sum_v w_av n_v over the columns a that
// have the highest count; 0 if no member has a counted column. O(K) for each of these columns. Minus
// infinity if interrupted.
double majority_total(const CliquePotential &potential,
                      gsl::span<const std::int32_t> by_column) noexcept {
  Expects(by_column.size() >= to_size(potential.columns));
  const std::int32_t *const counts = by_column.data();
  const std::int32_t counted = counted_columns(potential);
  const std::int32_t most = counted > 0 ? *std::max_element(counts, counts + counted) : 0;
  if (most == 0)
    return 0.0;
  double best = kForbidden;
  for (std::int32_t a = 0; a < counted; ++a) {
    if (counts[a] != most)
      continue;
    if (!potential.spend(2 * std::int64_t{counted}))
      return kForbidden;
    const double *w = potential.weights + std::int64_t{a} * potential.columns;
    double total = potential.bias[a];
    for (std::int32_t v = 0; v < counted; ++v)
      total += w[v] * counts[v];
    best = std::max(best, total);
  }
  return best;
}

} // namespace

double offer(const Instance &instance, gsl::span<const std::int32_t> assignment,
             gsl::span<const std::int32_t> counts, Solution &solution) noexcept {
  const double score =
      instance.member_score(assignment) + majority_total(instance.potential, counts);
  if (score > solution.score) {
    solution.score = score;
    std::copy_n(assignment.data(), instance.members, solution.assignment.data());
  }
  return score;
}

bool offer_all_in_rest(const Instance &instance, gsl::span<std::int32_t> assignment,
                       gsl::span<std::int32_t> counts, Solution &solution) noexcept {
  Expects(assignment.size() >= to_size(instance.members));
  const std::int32_t rest = instance.potential.rest;
  if (rest < 0)
    return false;
  Pace pace(instance, 8, instance.members);
  for (std::int64_t i = 0; i < instance.members; ++i) {
    if (!pace.next() || instance.score(i, rest) == kForbidden)
      return false;
    assignment.data()[i] = rest;
  }
  if (!instance.count(assignment, counts))
    return false;
  offer(instance, assignment, counts, solution);
  return true;
}

double forbidding_penalty(const Instance &instance) noexcept {
  const CliquePotential &potential = instance.potential;
  const std::int64_t K = instance.columns;
  double least_weight = potential.weights[0];
  double most_weight = potential.weights[0];
  in_stretches(instance, K * K, 2, [&](std::int64_t begin, std::int64_t end) {
    const auto [least, most] =
        std::minmax_element(potential.weights + begin, potential.weights + end);
    least_weight = std::min(least_weight, *least);
    most_weight = std::max(most_weight, *most);
  });
  const auto [least_bias, most_bias] = std::minmax_element(potential.bias, potential.bias + K);
  double range = static_cast<double>(instance.members) * (most_weight - least_weight) +
                 (*most_bias - *least_bias);
  double largest = std::max({std::fabs(least_weight), std::fabs(most_weight),
                             std::fabs(*least_bias), std::fabs(*most_bias)});
  Pace pace(instance, 2 * K, instance.members);
  for (std::int64_t i = 0; i < instance.members && pace.next(); ++i) {
    double low = kInfinity;
    double high = kForbidden;
    for (std::int32_t v = 0; v < K; ++v) {
      const double psi = instance.score(i, v);
      if (psi > kForbidden) {
        low = std::min(low, psi);
        high = std::max(high, psi);
      }
    }
    if (low <= high) {
      range += high - low;
      largest = std::max(largest, std::max(high, -low));
    }
  }
  const double reach = range + largest;
  return reach > 0 ? std::scalbn(1.0, std::ilogb(reach) + 3) : 1.0;
}

} // namespace chorale
