// potential.hpp explains the words used here.
#include "potential/potential.hpp"

#include "base/logarithm.hpp"
#include "base/numeric.hpp"

#include <algorithm>
#include <cmath>

namespace chorale {
namespace {

constexpr double kShapeTolerance = 1e-12;

double largest_magnitude(gsl::span<const double> table) noexcept {
  double largest = 0;
  for (const double entry : table)
    if (entry != kForbidden)
      largest = std::max(largest, std::fabs(entry));
  return largest;
}

// True if the PAIRS are separable, that is, equal to a SUM. Let f(v, w) be the scores. There must
// be numbers c_v with f(v, w) + f(w, v) = c_v + c_w for all counted v != w, within a tolerance. If
// some value is uncounted, all c_v must also be equal. Writes c_v to split[v].
bool split_pairs(const Potential &potential, gsl::span<double> split) noexcept {
  const std::int32_t R = potential.values;
  Expects(split.size() >= to_size(R));
  double *c = split.data();
  const double *f = potential.numbers;
  const auto both = [&](std::int32_t v, std::int32_t w) {
    return f[std::int64_t{v} * R + w] + f[std::int64_t{w} * R + v];
  };
  // The scores of three counted values determine the c_v of each of them. If only two values v and
  // w are counted, their scores determine only c_v + c_w, so both are set to half of this sum.
  std::int32_t first[3] = {-1, -1, -1};
  std::int32_t found = 0;
  for (std::int32_t v = 0; v < R && found < 3; ++v)
    if (potential.counts(v))
      first[found++] = v;
  // This is a loop, since for std::fill some compilers warn that R may be negative.
  for (std::int32_t v = 0; v < R; ++v)
    c[v] = 0;
  if (found < 2)
    return true;
  c[first[0]] =
      found == 2
          ? both(first[0], first[1]) / 2
          : (both(first[0], first[1]) + both(first[0], first[2]) - both(first[1], first[2])) / 2;
  for (std::int32_t v = 0; v < R; ++v)
    if (potential.counts(v) && v != first[0])
      c[v] = both(first[0], v) - c[first[0]];

  // The largest score sets the tolerance. Rows and columns of uncounted values are ignored.
  double largest = 0;
  for (std::int32_t v = 0; v < R; ++v)
    for (std::int32_t w = 0; w < R; ++w)
      if (potential.counts(v) && potential.counts(w))
        largest = std::max(largest, std::fabs(f[std::int64_t{v} * R + w]));
  const double tolerance = kShapeTolerance * largest;
  for (std::int32_t v = 0; v < R; ++v)
    for (std::int32_t w = 0; w < v; ++w)
      if (potential.counts(v) && potential.counts(w) &&
          !(std::fabs(both(v, w) - c[v] - c[w]) <= tolerance))
        return false;
  // If some values are uncounted, the number N of members with counted values varies. PAIRS are
  // then separable only if all c_v are one number c. The score is then a sum of a term for each
  // counted value, which depends only on its count, and the term c N^2. N is the number of members
  // minus the count of the rest column (clique_potential.hpp), so c N^2 can be the table of this
  // column.
  if (potential.counted_values < R)
    for (std::int32_t v = 0; v < R; ++v)
      if (potential.counts(v) && !(std::fabs(c[v] - c[first[0]]) <= tolerance))
        return false;
  return true;
}

// Returns the length of the longest convex (bend 1) or concave (bend -1) prefix of f(0), f(1), ..,
// with a tolerance of 1e-12 max|f|. A convex prefix has no forbidden entry; a concave one may end
// in some.
std::int64_t shape_prefix(gsl::span<const double> given, double bend) noexcept {
  const double tolerance = kShapeTolerance * largest_magnitude(given);
  const double *table = given.data();
  const auto length = static_cast<std::int64_t>(given.size());
  std::int64_t k = 0;
  for (; k < length; ++k) {
    if (table[k] == kForbidden) {
      if (bend > 0 || k == 0)
        break;
      continue;
    }
    if (k >= 1 && table[k - 1] == kForbidden)
      break;
    if (k >= 2 && bend * (table[k] - table[k - 1]) <
                      bend * (table[k - 1] - table[k - 2]) - tolerance)
      break;
  }
  return k;
}

} // namespace

void derive_potential(Potential &p, gsl::span<double> split) noexcept {
  p.counted_values = p.mask ? 0 : p.values;
  p.highest_counted = p.mask ? -1 : p.values - 1;
  for (std::int32_t v = 0; p.mask && v < p.values; ++v)
    if (p.counts(v)) {
      ++p.counted_values;
      p.highest_counted = v;
    }
  const std::int64_t every = INT64_MAX;
  switch (p.source) {
  case TableSource::square:
  case TableSource::entropy:
    p.convex_length = p.lambda >= 0 ? every : 2;
    p.concave_length = p.lambda <= 0 ? every : 2;
    break;
  case TableSource::linear:
    p.convex_length = p.concave_length = every;
    break;
  case TableSource::stored:
  case TableSource::cardinality:
    p.convex_length = p.concave_length = p.table_length;
    for (std::int64_t r = 0; r < p.table_count; ++r) {
      if (p.table_count > 1 && !p.counts(static_cast<std::int32_t>(r)))
        continue;
      const gsl::span<const double> table(p.numbers + r * p.table_length, to_size(p.table_length));
      p.finite_tables =
          p.finite_tables && std::find(table.begin(), table.end(), kForbidden) == table.end();
      p.convex_length = std::min(p.convex_length, shape_prefix(table, 1));
      p.concave_length = std::min(p.concave_length, shape_prefix(table, -1));
    }
    break;
  case TableSource::mixture: {
    const double *end = p.numbers + kMixtureHead;
    const bool bends = std::any_of(p.numbers, end, [](double w) { return w != 0; });
    p.convex_length = std::all_of(p.numbers, end, [](double w) { return w >= 0; }) ? every : 2;
    p.concave_length = !bends || std::all_of(p.numbers, end, [](double w) { return w <= 0; })
                           ? every
                           : 2;
    break;
  }
  case TableSource::none:
  case TableSource::separable_pairs:
    break;
  }
  if (p.family == Form::pairs && split_pairs(p, split))
    p.source = TableSource::separable_pairs;
}

bool find_nearest_allowed(Potential &p) noexcept {
  if (p.finite_tables)
    return true;
  const std::int64_t count = p.table_count * p.table_length;
  p.nearest_storage =
      Block(p.memory, saturating_product(to_size(count), sizeof(NearestAllowed)));
  if (!p.nearest_storage)
    return false;
  auto *nearest = reinterpret_cast<NearestAllowed *>(p.nearest_storage.data());
  const auto length = static_cast<std::int32_t>(p.table_length);
  for (std::int64_t first = 0; first < count; first += length) {
    std::int32_t below = -1;
    std::int32_t above = length;
    for (std::int32_t k = 0; k < length; ++k)
      nearest[first + k].below = below = p.numbers[first + k] > kForbidden ? k : below;
    for (std::int32_t k = length - 1; k >= 0; --k)
      nearest[first + k].above = above = p.numbers[first + k] > kForbidden ? k : above;
  }
  p.nearest = nearest;
  return true;
}

} // namespace chorale

using chorale::kForbidden;
using chorale::natural_log;
using chorale::TableSource;

double chorale_potential::factor(std::int64_t members) const noexcept {
  switch (scale) {
  case CHORALE_SCALE_BY_MEMBERS:
    return strength / static_cast<double>(members);
  case CHORALE_SCALE_BY_LOG_MEMBERS:
    return members > 1 ? strength / natural_log(static_cast<double>(members)) : strength;
  default:
    return strength;
  }
}

double chorale_potential::table_entry(std::int32_t value, std::int64_t count,
                                      std::int64_t members) const noexcept {
  const double k = static_cast<double>(count);
  switch (source) {
  case TableSource::square:
    return square_entry(count);
  case TableSource::entropy:
    return count > 0 ? lambda * (k * natural_log(k)) : 0.0;
  case TableSource::linear:
    return lambda * k;
  case TableSource::stored:
    return numbers[(table_count == 1 ? 0 : value * table_length) + count];
  case TableSource::cardinality:
    return value == highest_counted ? numbers[count] : 0.0;
  case TableSource::separable_pairs: {
    const std::int64_t R = values;
    const double f = numbers[value * R + value];
    const double c = numbers[R * R + value];
    return f * (k * k - k) + c * (k * static_cast<double>(members - count));
  }
  case TableSource::mixture: {
    const double linear = numbers[chorale::kMixtureHead + value] * k;
    return mask && mask[value] == chorale::kLinearOnly ? linear
                                                       : linear + bent_part(count, members);
  }
  case TableSource::none:
    break;
  }
  return 0.0;
}

double chorale_potential::bent_part(std::int64_t count, std::int64_t members) const noexcept {
  const double k = static_cast<double>(count);
  const double n = static_cast<double>(members);
  double total = 0;
  if (numbers[0] != 0 && count > 0)
    total += numbers[0] * (k * k / n);
  if (numbers[1] != 0)
    total += numbers[1] * (members > 1 ? k * k / natural_log(n) : k * k);
  for (std::int32_t i = 1; i < chorale::kShares; ++i)
    if (numbers[1 + i] != 0)
      if (const double above = k - n * i / chorale::kShares; above > 0)
        total += numbers[1 + i] * above;
  return total;
}

chorale::CallbackFailure chorale::CallbackFailure::of(Kind kind, double score,
                                                      gsl::span<const std::int64_t> counts,
                                                      std::int64_t members) noexcept {
  CallbackFailure made;
  made.kind = kind;
  made.score = score;
  made.members = members;
  for (std::int32_t v = 0; v < static_cast<std::int32_t>(counts.size()) ; ++v) {
    if (counts.data()[v] == 0)
      continue;
    if (made.more = made.shown == kShown; made.more)
      break;
    made.counts[made.shown] = counts.data()[v];
    made.values[made.shown++] = v;
  }
  return made;
}

double chorale_potential::call(gsl::span<const std::int64_t> counts, std::int64_t members,
                               chorale::CallbackFailure *failure) const noexcept {
  Expects(counts.size() >= chorale::to_size(callback_values));
  using chorale::CallbackFailure;
  double score = std::numeric_limits<double>::quiet_NaN();
  const auto fails = [&](CallbackFailure::Kind kind) noexcept {
    *failure = CallbackFailure::of(
        kind, score, counts.first(chorale::to_size(callback_values)), members);
    return kForbidden;
  };
  if (callback(callback_user, counts.data(), callback_values, members, &score) != 0)
    return fails(CallbackFailure::Kind::stopped);
  const double scaled = chorale::scale_score(score, factor(members));
  if (!chorale::is_answer(score) || !chorale::is_answer(scaled))
    return fails(CallbackFailure::Kind::bad_value);
  return scaled;
}

// If no member has a counted value, C is minus infinity for a SUM that forbids a count of 0, and
// otherwise 0.
double chorale_potential::evaluate_empty(std::int64_t members) const noexcept {
  if (family == chorale::Form::sum)
    for (std::int32_t v = 0; v < values; ++v)
      if (counts(v) && table_entry(v, 0, members) == kForbidden)
        return kForbidden;
  return 0.0;
}

double chorale_potential::evaluate(gsl::span<const std::int64_t> by_value, std::int64_t members,
                                   chorale::CallbackFailure *failure) const noexcept {
  Expects(by_value.size() >= chorale::to_size(values));
  *failure = chorale::CallbackFailure::none;
  const std::int64_t *count = by_value.data();
  const std::int64_t R = values;
  std::int64_t counted = 0;
  std::int64_t most = 0;
  for (std::int32_t v = 0; v < values; ++v)
    if (counts(v)) {
      counted += count[v];
      most = std::max(most, count[v]);
    }
  if (counted == 0)
    return evaluate_empty(members);

  const double scaled_by = factor(members);
  switch (family) {
  case chorale::Form::sum: {
    const bool starts_at_zero = source == TableSource::square || source == TableSource::entropy ||
                                source == TableSource::linear || source == TableSource::mixture;
    double total = 0;
    for (std::int32_t v = 0; v < values; ++v)
      if (counts(v) && (count[v] > 0 || !starts_at_zero))
        total += chorale::scale_score(table_entry(v, count[v], members), scaled_by);
    return total;
  }
  case chorale::Form::max: {
    double best = kForbidden;
    for (std::int32_t v = 0; v < values; ++v)
      if (counts(v))
        best = std::max(best, chorale::scale_score(table_entry(v, count[v], members), scaled_by));
    return best;
  }
  case chorale::Form::majority: {
    double best = kForbidden;
    for (std::int32_t a = 0; a < values; ++a) {
      if (!counts(a) || count[a] != most)
        continue;
      double total = numbers[R * R + a];
      for (std::int32_t v = 0; v < values; ++v)
        if (counts(v))
          total += numbers[a * R + v] * static_cast<double>(count[v]);
      best = std::max(best, total);
    }
    return best * scaled_by;
  }
  case chorale::Form::pairs: {
    double total = 0;
    for (std::int32_t v = 0; v < values; ++v) {
      if (!counts(v) || count[v] == 0)
        continue;
      double row = -numbers[v * R + v];
      for (std::int32_t w = 0; w < values; ++w)
        if (counts(w))
          row += numbers[v * R + w] * static_cast<double>(count[w]);
      total += row * static_cast<double>(count[v]);
    }
    return total * scaled_by;
  }
  case chorale::Form::callback:
    break;
  }
  return call(by_value, members, failure);
}

std::int64_t chorale_potential::members_limit() const noexcept {
  return source == TableSource::stored || source == TableSource::cardinality ? table_length - 1
                                                                             : INT64_MAX;
}
