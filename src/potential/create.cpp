#include "potential/create.hpp"

#include "potential/checks.hpp"

#include <algorithm>

namespace chorale {
namespace {

// How the entries of a matrix are checked: the name of the matrix in error messages, whether minus
// infinity is allowed, and which rows and columns are used.
struct Entries {
  std::string_view name;
  bool may_forbid = false;
  const std::uint8_t *counted_rows = nullptr; // 0: the row is not used; NULL: all rows are used
  const std::uint8_t *counted_columns = nullptr;
};

chorale_status check_entries(const Report &report, const MatrixSpec &matrix,
                             const Entries &entries) noexcept {
  for (std::int64_t r = 0; r < matrix.rows; ++r) {
    if (entries.counted_rows && !entries.counted_rows[r])
      continue;
    const double *row = matrix.data + r * matrix.row_stride;
    for (std::int64_t c = 0; c < matrix.columns; ++c) {
      if (entries.counted_columns && !entries.counted_columns[c])
        continue;
      if (is_finite_score(row[c]) || (entries.may_forbid && row[c] == kForbidden))
        continue;
      if (matrix.rows > 1)
        return fail_number(report, row[c], entries.may_forbid, entries.name, "[", r, "][", c, "]");
      return fail_number(report, row[c], entries.may_forbid, entries.name, "[", c, "]");
    }
  }
  return CHORALE_OK;
}

double *copy_rows(const MatrixSpec &from, double *to) noexcept {
  for (std::int64_t r = 0; r < from.rows; ++r)
    to = std::copy_n(from.data + r * from.row_stride, from.columns, to);
  return to;
}

chorale_status check_spec(const Report &report, const PotentialSpec &spec) noexcept {
  CHORALE_CHECK(check_size(report, "values", spec.values));
  if (spec.scale < CHORALE_SCALE_NONE || spec.scale > CHORALE_SCALE_BY_LOG_MEMBERS)
    return report.unknown_constant("options->scale", spec.scale, "a CHORALE_SCALE_ constant");
  if (spec.shape < CHORALE_SHAPE_DETECT || spec.shape > CHORALE_SHAPE_CONCAVE)
    return report.unknown_constant("options->shape", spec.shape, "a CHORALE_SHAPE_ constant");
  return CHORALE_OK;
}

std::int64_t count_counted(const PotentialSpec &spec) noexcept {
  return spec.counted ? spec.values - std::count(spec.counted, spec.counted + spec.values, 0)
                      : spec.values;
}

// Creates a potential from a checked specification, with space for `numbers` doubles at
// numbers_of(). NULL if out of memory.
Potential *make(const Memory &memory, const PotentialSpec &spec, Form family,
                TableSource source, std::size_t numbers) noexcept {
  Held<Potential> made(memory.create<Potential>(memory));
  if (!made)
    return nullptr;
  const std::size_t mask_bytes = spec.counted ? to_size(spec.values) : 0;
  made->storage =
      Block(memory, saturating_sum(saturating_product(numbers, sizeof(double)), mask_bytes));
  if (!made->storage)
    return nullptr;
  made->family = family;
  made->source = source;
  made->scale = spec.scale;
  made->shape = spec.shape;
  made->values = gsl::narrow_cast<std::int32_t>(spec.values);
  made->numbers = reinterpret_cast<double *>(made->storage.data());
  if (spec.counted) {
    auto *mask = reinterpret_cast<std::uint8_t *>(made->storage.data() + numbers * sizeof(double));
    std::copy_n(spec.counted, mask_bytes, mask);
    made->mask = mask;
  }
  return made.give();
}

double *numbers_of(Potential &potential) noexcept {
  return reinterpret_cast<double *>(potential.storage.data());
}

chorale_status no_memory(const Report &report) noexcept {
  return report.out_of_memory(sizeof(Potential));
}

// Creates a SUM or MAX from checked tables.
chorale_status copy_tables(const Report &report, const Memory &memory, const PotentialSpec &spec,
                           Form family, TableSource source, const MatrixSpec &tables,
                           Potential *&made) noexcept {
  Potential *draft = make(memory, spec, family, source,
                          saturating_product(to_size(tables.rows), to_size(tables.columns)));
  if (!draft)
    return no_memory(report);
  draft->table_count = tables.rows;
  draft->table_length = tables.columns;
  copy_rows(tables, numbers_of(*draft));
  derive_potential(*draft);
  if (!find_nearest_allowed(*draft)) {
    release(draft);
    return no_memory(report);
  }
  made = draft;
  return CHORALE_OK;
}

} // namespace

chorale_status create_by_formula(const Report &report, const Memory &memory,
                                 const PotentialSpec &spec, Form family,
                                 TableSource source, double lambda, Potential *&made) noexcept {
  CHORALE_CHECK(check_spec(report, spec));
  CHORALE_CHECK(check_finite(report, "lambda", lambda));
  Potential *draft = make(memory, spec, family, source, 0);
  if (!draft)
    return no_memory(report);
  draft->lambda = lambda;
  derive_potential(*draft);
  made = draft;
  return CHORALE_OK;
}

chorale_status create_by_tables(const Report &report, const Memory &memory,
                                const PotentialSpec &spec, Form family,
                                MatrixSpec tables, Potential *&made) noexcept {
  CHORALE_CHECK(check_spec(report, spec));
  CHORALE_CHECK(check_given(report, "tables", tables.data));
  if (tables.rows != 1 && tables.rows != spec.values)
    return report.fail(CHORALE_ERROR_SHAPE, "table_count is ", tables.rows,
                       "; it must be 1 or values = ", spec.values);
  CHORALE_CHECK(check_size(report, "length", tables.columns));
  if (tables.rows == 1)
    tables.row_stride = 0;
  CHORALE_CHECK(take_row_stride(report, "table_count", tables.rows, "length", tables.columns,
                                "row_stride", tables.row_stride));
  CHORALE_CHECK(
      check_entries(report, tables, {"tables", true, tables.rows > 1 ? spec.counted : nullptr}));
  return copy_tables(report, memory, spec, family, TableSource::stored, tables, made);
}

chorale_status create_cardinality(const Report &report, const Memory &memory,
                                  const PotentialSpec &spec, MatrixSpec table,
                                  Potential *&made) noexcept {
  CHORALE_CHECK(check_spec(report, spec));
  CHORALE_CHECK(check_given(report, "table", table.data));
  if (const std::int64_t counted = count_counted(spec); counted != 2)
    return report.fail(CHORALE_ERROR_SHAPE, counted,
                       " values count; a cardinality table needs exactly 2 that do");
  CHORALE_CHECK(check_size(report, "length", table.columns));
  CHORALE_CHECK(check_entries(report, table, {"table", true}));
  return copy_tables(report, memory, spec, Form::sum, TableSource::cardinality, table,
                     made);
}

// Creates a MAJORITY or PAIRS. Stores values x values numbers, then `values` more: the biases of
// MAJORITY, or the numbers c_v of separable PAIRS.
chorale_status create_by_square(const Report &report, const Memory &memory,
                                const PotentialSpec &spec, Form family,
                                MatrixSpec matrix, MatrixSpec bias,
                                Potential *&made) noexcept {
  const std::string_view name = family == Form::majority ? "weights" : "scores";
  CHORALE_CHECK(check_spec(report, spec));
  CHORALE_CHECK(check_given(report, name, matrix.data));
  CHORALE_CHECK(take_row_stride(report, "values", spec.values, "values", spec.values, "row_stride",
                                matrix.row_stride));
  CHORALE_CHECK(check_entries(report, matrix, {name, false, spec.counted, spec.counted}));
  if (bias.data)
    CHORALE_CHECK(check_entries(report, bias, {"bias", false, nullptr, spec.counted}));
  const std::size_t count = to_size(spec.values);
  Potential *draft = make(memory, spec, family, TableSource::none,
                          saturating_sum(saturating_product(count, count), count));
  if (!draft)
    return no_memory(report);
  double *extra = copy_rows(matrix, numbers_of(*draft));
  if (bias.data)
    copy_rows(bias, extra);
  else
    std::fill_n(extra, count, 0.0);
  derive_potential(*draft, {extra, count});
  made = draft;
  return CHORALE_OK;
}

chorale_status create_mixture(const Report &report, const Memory &memory,
                              gsl::span<const std::uint8_t> masks,
                              gsl::span<const double> weights, gsl::span<const double> linear,
                              Potential *&made) noexcept {
  Expects(weights.size() == kMixtureHead);
  Expects(masks.empty() || masks.size() == linear.size());
  const std::uint8_t *mask = masks.data();
  const auto values = static_cast<std::int64_t>(linear.size());
  PotentialSpec spec{values};
  spec.counted = mask;
  CHORALE_CHECK(check_spec(report, spec));
  const MatrixSpec head{weights.data(), 1, kMixtureHead, kMixtureHead};
  const MatrixSpec tail{linear.data(), 1, values, values};
  CHORALE_CHECK(check_entries(report, head, {"weights"}));
  CHORALE_CHECK(check_entries(report, tail, {"linear", false, nullptr, mask}));
  for (std::int64_t v = 0; mask && v < values; ++v)
    if (mask[v] > kLinearOnly)
      return report.fail(CHORALE_ERROR_OUT_OF_RANGE, "mask[", v, "] is ", int{mask[v]},
                         "; it must be from 0 to ", int{kLinearOnly});
  Potential *draft = make(memory, spec, Form::sum, TableSource::mixture,
                          saturating_sum(to_size(values), kMixtureHead));
  if (!draft)
    return no_memory(report);
  draft->table_count = 1;
  draft->table_length = kMixtureHead + values;
  double *to = copy_rows(head, numbers_of(*draft));
  for (std::int64_t v = 0; v < values; ++v)
    to[v] = !mask || mask[v] != 0 ? tail.data[v] : 0.0;
  derive_potential(*draft);
  made = draft;
  return CHORALE_OK;
}

chorale_status create_by_callback(const Report &report, const Memory &memory,
                                  const PotentialSpec &spec, chorale_count_function function,
                                  void *user, void (*release)(void *user),
                                  Potential *&made) noexcept {
  CHORALE_CHECK(check_spec(report, spec));
  CHORALE_CHECK(check_given(report, "function", function));
  Potential *draft = make(memory, spec, Form::callback, TableSource::none, 0);
  if (!draft)
    return no_memory(report);
  draft->callback = function;
  draft->callback_values = draft->values;
  draft->callback_user = user;
  draft->release = release;
  derive_potential(*draft);
  made = draft;
  return CHORALE_OK;
}

chorale_status create_scaled(const Report &report, const Memory &memory, const Potential &source,
                             double factor, Potential *&made) noexcept {
  CHORALE_CHECK(check_factor(report, "factor", factor, source));
  Potential *draft = rescale(memory, source, factor);
  if (!draft)
    return no_memory(report);
  made = draft;
  return CHORALE_OK;
}

} // namespace chorale
