// clique_potential.hpp explains the words used here.
#include "potential/clique_potential.hpp"

#include <algorithm>

namespace chorale {
namespace {

bool is_stored_per_value(const Potential &p) noexcept {
  return p.source == TableSource::stored && p.table_count > 1;
}

bool is_one_table_for_all(const Potential &p) noexcept {
  switch (p.source) {
  case TableSource::square:
  case TableSource::entropy:
  case TableSource::linear:
    return true;
  case TableSource::stored:
    return p.table_count == 1;
  default:
    return false;
  }
}

// True if two values of a mixture have the same table.
bool same_table(const Potential &p, std::int32_t v, std::int32_t w) noexcept {
  return p.numbers[kMixtureHead + v] == p.numbers[kMixtureHead + w] &&
         (!p.mask || p.mask[v] == p.mask[w]);
}

// True if the potential's stored arrays can be used as tables, since they need no scaling.
bool is_borrowable(const Potential &p) noexcept {
  return p.source == TableSource::stored && p.scale == CHORALE_SCALE_NONE && p.strength == 1;
}

// Returns entry k of the rest column's table before scaling, where n = `members`. For separable
// PAIRS this is the difference between the score of the pairs and the sum of the other tables. For
// other SUMs it is 0, except for entry n, which makes the total 0 if all members have uncounted
// values (unless some table forbids a count of 0: the total is then minus infinity).
double rest_entry(const Potential &p, std::int64_t k, std::int64_t members) noexcept {
  if (p.source == TableSource::separable_pairs && p.counted_values > 0) {
    const double c = p.numbers[std::int64_t{p.values} * p.values + p.highest_counted];
    const double counted = static_cast<double>(members - k);
    // N = n - k members have counted values, and all c_v are one number c. The table of a counted
    // value with count n_v contains c n_v (n - n_v). Over all counted values this adds up to
    // c (n N - sum n_v^2). The score of the pairs contains c (N^2 - sum n_v^2) instead. So the rest
    // column's table must add the difference, c N (N - n).
    return c * counted * (counted - static_cast<double>(members));
  }
  if (k < members)
    return 0.0;
  double nothing = 0;
  for (std::int32_t v = 0; v < p.values; ++v)
    if (p.counts(v))
      nothing += p.table_entry(v, 0, members);
  return nothing == kForbidden ? 0.0 : -nothing;
}

// True if all columns have tables of this shape. A step is the difference between two consecutive
// entries. If `shape` is CONCAVE and the potential is not PAIRS, the last step of the rest column's
// table is not tested. bends(a, b): true if step a may follow step b, that is, if a >= b for convex
// and a <= b for concave tables.
bool has_shape(const Potential &p, std::int64_t members, chorale_shape shape,
               bool (*bends)(double, double)) noexcept {
  if (p.source == TableSource::separable_pairs) {
    // Separable PAIRS: the table of v is f (k^2 - k) + c k (n - k), with f = f(v, v) and c = c_v.
    // Its second difference is 2 (f - c).
    const std::int64_t R = p.values;
    for (std::int32_t v = 0; v < p.values; ++v)
      if (p.counts(v) && members >= 2 && !bends(p.numbers[v * R + v], p.numbers[R * R + v]))
        return false;
  } else if (!are_tables_of_shape(p, members, shape)) {
    return false;
  }
  // A shape that the caller declares says nothing about the rest column's table, so this table is
  // tested too. But except in PAIRS, its last step may break concavity, since the algorithm for
  // concave tables (clique/flows/concave_flow.hpp) handles this case.
  if (p.counted_values == p.values || members < 2 ||
      (shape == CHORALE_SHAPE_CONCAVE && p.source != TableSource::separable_pairs))
    return true;
  // The rest column's table is constant before its last step (for PAIRS it is a parabola), so its
  // last two steps decide whether it has the shape.
  const double last = rest_entry(p, members, members) - rest_entry(p, members - 1, members);
  const double before = rest_entry(p, members - 1, members) - rest_entry(p, members - 2, members);
  return bends(last, before);
}

Form form_of(const Potential &p) noexcept {
  return p.source == TableSource::separable_pairs ? Form::sum : p.family;
}

} // namespace

bool are_tables_of_shape(const Potential &p, std::int64_t members, chorale_shape shape) noexcept {
  const std::int64_t known =
      shape == CHORALE_SHAPE_CONVEX ? p.convex_length : p.concave_length;
  // A declared shape is trusted, except if a count of 0 is forbidden: the first step is then
  // undefined.
  return known > members || (known > 0 && p.shape == shape);
}

CliqueKind::CliqueKind(const Potential &p, std::int32_t member_count) noexcept
    : source(&p), form(form_of(p)), members(member_count),
      columns(p.counted_values + (p.counted_values < p.values ? 1 : 0)),
      rest(p.counted_values < p.values ? p.counted_values : -1) {
  if (form != Form::sum)
    return;
  finite = p.finite_tables;
  convex = has_shape(p, members, CHORALE_SHAPE_CONVEX,
                     [](double a, double b) { return a >= b; });
  concave = has_shape(p, members, CHORALE_SHAPE_CONCAVE,
                      [](double a, double b) { return a <= b; });
}

std::int32_t CliqueKind::column_of(std::int32_t value,
                                   gsl::span<const std::int32_t> value_of_column) const noexcept {
  Expects(!kContracts || value_of_column.size() >= to_size(columns));
  if (!source->counts(value))
    return rest;
  const std::int32_t *first = value_of_column.data();
  return static_cast<std::int32_t>(
      std::lower_bound(first, first + source->counted_values, value) - first);
}

bool CliqueKind::takes_weights(bool some_uncounted) const noexcept {
  if (source->family != Form::sum || !convex || !finite)
    return false;
  // If there is a rest column, `convex` says that its table is convex too. If there is none, every
  // value of the potential is counted. But if `some_uncounted`, members may also have values that
  // the potential does not have (such as EMPTY, property.h), and a rest column is added for them.
  // Its table is 0 except for the last entry, so it is convex if the last entry is not below 0.
  return has_rest() || !some_uncounted || rest_entry(*source, members, members) >= 0;
}

CliquePotential::CliquePotential(Layout &layout, const CliqueKind &kind) noexcept
    : CliqueKind(kind) {
  const Potential &p = *source;
  const std::size_t K = static_cast<std::size_t>(columns);
  const std::size_t entries = static_cast<std::size_t>(members) + 1;
  value_of_column = layout.take<std::int32_t>(columns);
  if (weighted)
    return;
  switch (form) {
  case Form::sum:
  case Form::max: {
    tables = layout.take<const double *>(columns);
    if (!is_borrowable(p))
      owned_count = is_one_table_for_all(p) ? 1 : p.counted_values;
    if (has_rest() && form == Form::sum)
      ++owned_count;
    owned_tables =
        layout.take<double>(saturating_product(static_cast<std::size_t>(owned_count), entries));
    break;
  }
  case Form::majority:
    weights = layout.take<double>(saturating_product(K, K));
    bias = layout.take<double>(columns);
    break;
  case Form::pairs:
    pair = layout.take<double>(saturating_product(K, K));
    break;
  case Form::callback:
    value_counts = layout.take<std::int64_t>(p.values);
    break;
  }
}

void CliquePotential::list_columns() noexcept {
  std::int32_t column = 0;
  for (std::int32_t v = 0; v < source->values; ++v)
    if (source->counts(v))
      value_of_column[column++] = v;
  if (has_rest())
    value_of_column[rest] = -1;
}

double CliquePotential::computed_entry(std::int64_t v, std::int64_t k) const noexcept {
  if (v == rest)
    return k == members ? all_at_rest_ : 0.0;
  return scale_score(source->table_entry(value_of_column[v], k, members), factor_);
}

bool CliquePotential::prepare(Limits *under) noexcept {
  limits = under;
  const Potential &p = *source;
  const double factor = p.factor(members);
  const std::int64_t R = p.values;
  const std::int64_t K = columns;
  const std::int64_t entries = std::int64_t{members} + 1;
  if (!spend(4 * R))
    return false;
  if (weighted) {
    factor_ = factor;
    all_at_rest_ = has_rest() ? scale_score(rest_entry(p, members, members), factor) : 0.0;
    return true;
  }

  switch (form) {
  case Form::sum:
  case Form::max: {
    double *next = owned_tables;
    bool written = true;
    const auto write_table = [&](auto entry) {
      constexpr std::int64_t kEntry = 32; // steps of an entry, which takes at most one logarithm
      double *table = next;
      next += entries;
      written = written && in_stretches(*this, entries, kEntry,
                                        [&](std::int64_t begin, std::int64_t end) {
                                          for (std::int64_t k = begin; k < end; ++k)
                                            table[k] = scale_score(entry(k), factor);
                                        });
      return table;
    };
    const double *shared = nullptr;
    for (std::int32_t u = 0; u < p.counted_values; ++u) {
      const std::int32_t v = value_of_column[u];
      if (is_borrowable(p)) {
        tables[u] = p.numbers + (is_stored_per_value(p) ? v * p.table_length : 0);
      } else if (is_one_table_for_all(p)) {
        if (!shared && p.source == TableSource::square)
          shared = write_table([&](std::int64_t k) { return p.square_entry(k); });
        else if (!shared)
          shared = write_table([&](std::int64_t k) { return p.table_entry(v, k, members); });
        tables[u] = shared;
      } else if (u > 0 && p.source == TableSource::mixture &&
                 same_table(p, value_of_column[u - 1], v)) {
        tables[u] = tables[u - 1];
      } else {
        tables[u] = write_table([&](std::int64_t k) { return p.table_entry(v, k, members); });
      }
    }
    if (has_rest())
      tables[rest] = form == Form::sum
                         ? write_table([&](std::int64_t k) { return rest_entry(p, k, members); })
                         : nullptr;
    return written;
  }
  case Form::majority:
  case Form::pairs:
    for (std::int32_t a = 0; a < columns; ++a) {
      if (!spend(8 * K))
        return false;
      const std::int32_t va = value_of_column[a];
      if (bias)
        bias[a] = va < 0 ? 0.0 : p.numbers[R * R + va] * factor;
      for (std::int32_t u = 0; u < columns; ++u) {
        const std::int32_t vu = value_of_column[u];
        double number = 0;
        if (va >= 0 && vu >= 0)
          number = pair ? (p.numbers[va * R + vu] + p.numbers[vu * R + va]) / 2
                        : p.numbers[va * R + vu];
        (pair ? pair : weights)[a * K + u] = number * factor;
      }
    }
    break;
  case Form::callback:
    std::fill(value_counts, value_counts + R, 0);
    break;
  }
  return true;
}

} // namespace chorale
