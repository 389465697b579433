#include "potential/tangent.hpp"

#include "base/numeric.hpp"
#include "potential/clique_potential.hpp"

#include <algorithm>

namespace chorale {
namespace {

// Returns the most that a member with an uncounted value can add to C - sum_v prices[v] n_v, where
// n_v is the count of value v: the greatest -prices[v] of an uncounted value v, but at least 0.
// A member adds 0 if its value is one that the potential does not have, since such a value has no
// price.
double best_uncounted(const Potential &p, const double *prices) noexcept {
  double best = 0;
  for (std::int32_t v = 0; v < p.values; ++v)
    if (!p.counts(v))
      best = std::max(best, -prices[v]);
  return best;
}

} // namespace

bool has_tangents(const Potential &p, std::int64_t members) noexcept {
  return p.family == Form::sum && p.finite_tables &&
         are_tables_of_shape(p, members, CHORALE_SHAPE_CONVEX);
}

void write_tangent(const Potential &p, gsl::span<const std::int64_t> by_value,
                   std::int64_t members, gsl::span<double> to) noexcept {
  Expects(by_value.size() >= to_size(p.values) && to.size() >= to_size(p.values));
  const std::int64_t *counts = by_value.data();
  double *prices = to.data();
  const double factor = members > 0 ? p.factor(members) : 0.0;
  for (std::int32_t v = 0; v < p.values; ++v) {
    const std::int64_t low = std::max<std::int64_t>(counts[v] - 1, 0);
    const std::int64_t high = std::min(counts[v] + 1, members);
    prices[v] = p.counts(v) && high > low
                    ? (p.table_entry(v, high, members) - p.table_entry(v, low, members)) /
                          static_cast<double>(high - low) * factor
                    : 0.0;
  }
}

// A convex function is greatest at a corner of its domain. If at least one member must have a
// counted value, there are two sorts of corners: one member has a counted value and all others have
// uncounted values; or all members have the same counted value. The case that no member has a
// counted value is compared separately: C is then 0 by definition, even if the tables do not begin
// with 0.
double most_above(const Potential &p, gsl::span<const double> by_value,
                  std::int64_t members) noexcept {
  Expects(by_value.size() >= to_size(p.values));
  const double *prices = by_value.data();
  if (members == 0)
    return p.evaluate_empty(0);
  const double factor = p.factor(members);
  const double n = static_cast<double>(members);
  const double uncounted = best_uncounted(p, prices);
  double empty = 0; // sum of f_v(0) over the counted values v, scaled
  for (std::int32_t v = 0; v < p.values; ++v)
    if (p.counts(v))
      empty += p.table_entry(v, 0, members) * factor;
  double most = uncounted * n;
  for (std::int32_t v = 0; v < p.values; ++v) {
    if (!p.counts(v))
      continue;
    const auto with = [&](std::int64_t count) noexcept {
      return empty +
             (p.table_entry(v, count, members) - p.table_entry(v, 0, members)) * factor -
             prices[v] * static_cast<double>(count);
    };
    most = std::max({most, with(1) + uncounted * (n - 1), with(members)});
  }
  return most;
}

} // namespace chorale
