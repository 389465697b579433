#include "potential/member_row.hpp"

#include "base/numeric.hpp"
#include "potential/clique_potential.hpp"

#include <algorithm>
#include <cmath>

namespace chorale {
namespace {

// Returns f_v(k + weight) - f_v(k), scaled: the change of a SUM when value v, with count k, gains a
// member of this weight.
double step(const Potential &potential, std::int32_t v, std::int64_t k, std::int64_t members,
            double factor, std::int64_t weight) noexcept {
  return (potential.table_entry(v, k + weight, members) - potential.table_entry(v, k, members)) *
         factor;
}

// Does what fill_member_row() does, for MAX, but as if some other member had a counted value. The
// maximum over all values except v is the greatest entry, or the second-greatest if v has the
// greatest.
void fill_max_row(const Potential &potential, const std::int64_t *counts, std::int64_t members,
                  std::int64_t weight, double *row) noexcept {
  const double factor = potential.factor(members);
  const auto entry = [&](std::int32_t v, std::int64_t more) {
    return scale_score(potential.table_entry(v, counts[v] + more, members), factor);
  };
  TwoBest top;
  for (std::int32_t v = 0; v < potential.values; ++v)
    if (potential.counts(v))
      top.add(entry(v, 0));
  for (std::int32_t v = 0; v < potential.values; ++v)
    row[v] = potential.counts(v)
                 ? std::max(entry(v, weight), entry(v, 0) == top.first ? top.second : top.first)
                 : top.first;
}

// Does what fill_member_row() does, for a SUM with tables that forbid counts, or if no other member
// has a counted value. Keeps the sum of the finite terms and the number of forbidden terms (minus
// infinity), so that the term of one value can be replaced without subtracting an infinity.
void fill_sum_row(const Potential &potential, const std::int64_t *counts, std::int64_t members,
                  std::int64_t weight, bool others_count, double *row) noexcept {
  const double factor = potential.factor(members);
  const auto entry = [&](std::int32_t v, std::int64_t count) {
    return scale_score(potential.table_entry(v, count, members), factor);
  };
  double sum = 0;
  std::int64_t forbidden = 0;
  for (std::int32_t v = 0; v < potential.values; ++v) {
    const double score = potential.counts(v) ? entry(v, counts[v]) : 0.0;
    sum += score == kForbidden ? 0.0 : score;
    forbidden += score == kForbidden ? 1 : 0;
  }
  for (std::int32_t v = 0; v < potential.values; ++v) {
    if (!potential.counts(v)) {
      row[v] = forbidden > 0 ? kForbidden : others_count ? sum : 0.0;
      continue;
    }
    const double before = entry(v, counts[v]);
    const double after = entry(v, counts[v] + weight);
    const bool allowed = forbidden == (before == kForbidden ? 1 : 0) && after > kForbidden;
    row[v] = allowed ? sum - (before == kForbidden ? 0.0 : before) + after : kForbidden;
  }
}

std::int64_t counted_members(const Potential &potential, const std::int64_t *counts) noexcept {
  std::int64_t counted = 0;
  for (std::int32_t v = 0; v < potential.values; ++v)
    counted += potential.counts(v) ? counts[v] : 0;
  return counted;
}

} // namespace

double evaluate_counted(const Potential &potential, gsl::span<std::int64_t> counts,
                        std::int64_t members, CallbackFailure *failure) noexcept {
  Expects(counts.size() >= to_size(potential.values));
  if (potential.callback)
    for (std::int32_t v = 0; v < potential.values; ++v)
      if (!potential.counts(v))
        counts.data()[v] = 0;
  return potential.evaluate(counts, members, failure);
}

bool fill_member_row(const Potential &potential, gsl::span<const std::int64_t> by_value,
                     std::int64_t members, std::int64_t weight, gsl::span<std::int64_t> varied,
                     gsl::span<double> to, CallbackFailure *failure, Limits *limits) noexcept {
  const std::size_t R = to_size(potential.values);
  Expects(by_value.size() >= R && varied.size() >= R && to.size() >= R);
  const std::int64_t *counts = by_value.data();
  double *row = to.data();
  // If no other member has a counted value, C of the other members is 0 by definition and does not
  // follow from the tables.
  const bool others_count = counted_members(potential, counts) > 0;
  if (potential.family == Form::sum && potential.finite_tables && others_count) {
    const double factor = potential.factor(members);
    for (std::int32_t v = 0; v < potential.values; ++v)
      row[v] = potential.counts(v) ? step(potential, v, counts[v], members, factor, weight) : 0.0;
  } else if (potential.family == Form::sum) {
    fill_sum_row(potential, counts, members, weight, others_count, row);
  } else if (potential.family == Form::max) {
    fill_max_row(potential, counts, members, weight, row);
    for (std::int32_t v = 0; v < potential.values && !others_count; ++v)
      if (!potential.counts(v))
        row[v] = 0;
  } else {
    // An evaluation visits the R values. PAIRS also adds up R scores for each value that some
    // member has, and MAJORITY R weights for each value of highest count: both for at most
    // min(members, R) values.
    const std::int64_t work =
        4 * std::int64_t{potential.values} *
        (is_square(potential) ? std::min<std::int64_t>(members, potential.values) : 1);
    for (std::int32_t v = 0; v < potential.values; ++v) {
      if (limits && !limits->spend(work))
        return false;
      std::copy_n(counts, potential.values, varied.data());
      varied.data()[v] += weight;
      CallbackFailure failed = CallbackFailure::none;
      row[v] = evaluate_counted(potential, varied, members, &failed);
      if (failed != CallbackFailure::none)
        *failure = failed;
    }
  }
  return true;
}

// Let w be the weight of the member, and n the sum of all weights. If a table is convex, or one of
// the formulas tested below, the step f(k + w) - f(k) is monotone in k. So its extremes are at
// k = 0 and k = n - w. A change of C is a sum of steps only if all tables begin with 0, since C is
// 0 by definition if no member has a counted value.
MemberMoves::MemberMoves(const Potential &potential, std::int64_t members,
                         std::int64_t weight) noexcept
    : potential_(potential), members_(members), weight_(weight),
      factor_(potential.factor(members)) {
  if (potential.family != Form::sum || !potential.finite_tables || members == 0)
    return;
  known_ = potential.source == TableSource::square || potential.source == TableSource::entropy ||
           potential.source == TableSource::linear;
  if (known_ || !CliqueKind(potential, static_cast<std::int32_t>(members)).convex)
    return;
  known_ = true;
  for (std::int32_t v = 0; v < potential.values && known_; ++v)
    known_ = !potential.counts(v) || potential.table_entry(v, 0, members) == 0;
}

MemberMoves::Steps MemberMoves::of(std::int32_t v) const noexcept {
  if (!potential_.counts(v))
    return {};
  const double first = step(potential_, v, 0, members_, factor_, weight_);
  const double last = step(potential_, v, members_ - weight_, members_, factor_, weight_);
  return {0.5 * (first + last), 0.5 * std::fabs(last - first)};
}

std::int64_t distance_to_allowed(const Potential &potential, std::int32_t v, std::int64_t k,
                                 std::int64_t members) noexcept {
  if (!potential.nearest ||
      (potential.source == TableSource::cardinality && v != potential.highest_counted))
    return 0;
  Expects(k >= 0 && k < potential.table_length);
  const std::int64_t table = potential.table_count == 1 ? 0 : v * potential.table_length;
  const NearestAllowed nearest = potential.nearest[table + k];
  std::int64_t distance = members + 1;
  if (nearest.below >= 0)
    distance = k - nearest.below;
  if (nearest.above <= members)
    distance = std::min(distance, nearest.above - k);
  return distance;
}

std::int64_t distance_change(const Potential &potential, std::int32_t v, std::int64_t k,
                             std::int64_t weight, std::int64_t members) noexcept {
  return v >= potential.values || !potential.counts(v)
             ? 0
             : distance_to_allowed(potential, v, k + weight, members) -
                   distance_to_allowed(potential, v, k, members);
}

bool forbids_all_counts(const Potential &potential, std::int64_t members) noexcept {
  if (potential.family == Form::sum && potential.nearest)
    for (std::int32_t v = 0; v < potential.values; ++v)
      if (potential.counts(v) && distance_to_allowed(potential, v, 0, members) > members)
        return true;
  return false;
}

std::int64_t violation_of_counts(const Potential &potential, gsl::span<std::int64_t> by_value,
                                 std::int64_t members, CallbackFailure *failure) noexcept {
  Expects(by_value.size() >= to_size(potential.values));
  const std::int64_t *counts = by_value.data();
  if (!may_forbid(potential))
    return 0;
  if (potential.family == Form::sum) {
    std::int64_t sum = 0;
    for (std::int32_t v = 0; v < potential.values; ++v)
      sum += potential.counts(v) ? distance_to_allowed(potential, v, counts[v], members) : 0;
    return sum;
  }
  if (potential.family == Form::max && counted_members(potential, counts) > 0) {
    std::int64_t least = members + 1;
    for (std::int32_t v = 0; v < potential.values && least > 0; ++v)
      if (potential.counts(v))
        least = std::min(least, distance_to_allowed(potential, v, counts[v], members));
    return least;
  }
  return evaluate_counted(potential, by_value, members, failure) == kForbidden ? 1 : 0;
}

} // namespace chorale
