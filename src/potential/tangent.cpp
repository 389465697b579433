#include "potential/tangent.hpp"

#include "base/numeric.hpp"
#include "potential/clique_potential.hpp"

#include <algorithm>
#include <numeric>

namespace chorale {
namespace {

// Returns the majority value of `counts`: the counted value of highest count. If several values
// tie, returns the one with the highest score; if scores are equal too, the lowest value. -1 if no
// member has a counted value.
std::int32_t majority_of(const Potential &p, const std::int64_t *counts) noexcept {
  std::int64_t most = 0;
  for (std::int32_t v = 0; v < p.values; ++v)
    if (p.counts(v))
      most = std::max(most, counts[v]);
  std::int32_t majority = -1;
  double best = kForbidden;
  for (std::int32_t a = 0; a < p.values && most > 0; ++a) {
    if (!p.counts(a) || counts[a] != most)
      continue;
    const std::int64_t R = p.values;
    double score = p.numbers[R * R + a];
    for (std::int32_t v = 0; v < p.values; ++v)
      if (p.counts(v))
        score += p.numbers[a * R + v] * static_cast<double>(counts[v]);
    if (majority < 0 || score > best) {
      majority = a;
      best = score;
    }
  }
  return majority;
}

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

double most_above_majority(const Potential &p, const double *prices, std::int64_t members,
                           std::int32_t *order) noexcept {
  const std::int64_t R = p.values;
  const double factor = p.factor(members);
  const double n = static_cast<double>(members);
  const double uncounted = best_uncounted(p, prices);
  double most = uncounted * n;
  for (std::int32_t a = 0; a < p.values; ++a) {
    if (!p.counts(a))
      continue;
    const auto worth = [&](std::int32_t v) noexcept {
      return p.numbers[a * R + v] * factor - prices[v];
    };
    // worth(v) is what each member with value v adds if value a has the highest count, t. Counts
    // may be fractions. For a given t, the best total gives t members to a, and then t members to
    // each other value in descending order of worth, until no members are left. As a function of t
    // it is linear between the points t = n / (j + 1), at which a and the j best other values have
    // all members. So only these points are evaluated, and t = 0, at which all members have
    // uncounted values.
    std::int32_t others = 0;
    for (std::int32_t v = 0; v < p.values; ++v)
      if (p.counts(v) && v != a)
        order[others++] = v;
    std::sort(order, order + others, [&](std::int32_t v, std::int32_t w) {
      const double of_v = worth(v);
      const double of_w = worth(w);
      return of_v != of_w ? of_v > of_w : v < w;
    });
    const double bias = p.numbers[R * R + a] * factor;
    double total = worth(a);
    most = std::max(most, bias + std::max(total, uncounted) * n);
    for (std::int32_t k = 0; k < others; ++k) {
      total += worth(order[k]);
      most = std::max(most, bias + total * (n / (k + 2)));
    }
  }
  return most;
}

} // namespace

bool has_tangents(const Potential &p, std::int64_t members) noexcept {
  if (p.family == CHORALE_FAMILY_MAJORITY)
    return true;
  return p.family == CHORALE_FAMILY_SUM && p.finite_tables &&
         are_tables_of_shape(p, members, CHORALE_SHAPE_CONVEX);
}

void write_tangent(const Potential &p, gsl::span<const std::int64_t> by_value,
                   std::int64_t members, gsl::span<double> to) noexcept {
  Expects(by_value.size() >= to_size(p.values) && to.size() >= to_size(p.values));
  const std::int64_t *counts = by_value.data();
  double *prices = to.data();
  const double factor = members > 0 ? p.factor(members) : 0.0;
  if (p.family == CHORALE_FAMILY_MAJORITY) {
    const std::int32_t a = majority_of(p, counts);
    for (std::int32_t v = 0; v < p.values; ++v)
      prices[v] = a >= 0 && p.counts(v)
                      ? p.numbers[std::int64_t{a} * p.values + v] * factor
                      : 0.0;
    return;
  }
  for (std::int32_t v = 0; v < p.values; ++v) {
    const std::int64_t low = std::max<std::int64_t>(counts[v] - 1, 0);
    const std::int64_t high = std::min(counts[v] + 1, members);
    prices[v] = p.counts(v) && high > low
                    ? (p.table_entry(v, high, members) - p.table_entry(v, low, members)) /
                          static_cast<double>(high - low) * factor
                    : 0.0;
  }
}

// For a convex SUM: a convex function is greatest at a corner of its domain. If at least one member
// must have a counted value, there are two sorts of corners: one member has a counted value and all
// others have uncounted values; or all members have the same counted value. The case that no member
// has a counted value is compared separately: C is then 0 by definition, even if the tables do not
// begin with 0.
double most_above(const Potential &p, gsl::span<const double> by_value, std::int64_t members,
                  gsl::span<std::int32_t> order) noexcept {
  const bool is_majority = p.family == CHORALE_FAMILY_MAJORITY;
  Expects(by_value.size() >= to_size(p.values));
  Expects(!is_majority || order.size() >= to_size(p.values));
  const double *prices = by_value.data();
  if (members == 0)
    return p.evaluate_empty(0);
  if (is_majority)
    return most_above_majority(p, prices, members, order.data());
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
