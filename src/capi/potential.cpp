// extern "C" of potential.h.
#include "potential/potential.hpp"

#include "capi/potential_checks.hpp"

#include <gsl/gsl>

namespace chorale {
namespace {

constexpr chorale_potential_options kDefaults{sizeof(chorale_potential_options), CHORALE_SCALE_NONE,
                                              CHORALE_SHAPE_DETECT, nullptr};

// A matrix argument: names for messages, shape, place, and what of it matters.
struct MatrixArgument {
  const char *name;
  const double *data;
  std::int64_t rows;
  std::int64_t columns;
  std::int64_t row_stride;
  bool forbidden_allowed;
  const std::uint8_t *counted_rows = nullptr; // NULL: all
  const std::uint8_t *counted_columns = nullptr;
};

chorale_status check_entries(const Report &report, const MatrixArgument &matrix) noexcept {
  for (std::int64_t r = 0; r < matrix.rows; ++r) {
    if (matrix.counted_rows && !matrix.counted_rows[r])
      continue;
    const double *row = matrix.data + r * matrix.row_stride;
    for (std::int64_t c = 0; c < matrix.columns; ++c) {
      if (matrix.counted_columns && !matrix.counted_columns[c])
        continue;
      if (is_finite_score(row[c]) || (matrix.forbidden_allowed && row[c] == kForbidden))
        continue;
      return fail_number(report, row[c], matrix.forbidden_allowed, [&](MessageWriter &place) {
        place << matrix.name;
        if (matrix.rows > 1)
          place << "[" << r << "]";
        place << "[" << c << "]";
      });
    }
  }
  return CHORALE_OK;
}

// One potential under construction: released unless it is handed over.
class Draft {
public:
  Draft(const Report &report, const chorale_host *host, std::int64_t values,
        const chorale_potential_options *options, chorale_potential **out) noexcept
      : report_(report), host_(host), values_(values), caller_options_(options), out_(out) {}
  ~Draft() {
    if (made_)
      Memory::destroy(made_, made_->memory);
  }
  Draft(const Draft &) = delete;
  Draft &operator=(const Draft &) = delete;

  // The checks that every family shares.
  chorale_status check() noexcept {
    if (!out_)
      return report_.null_argument("potential");
    CHORALE_CHECK(check_size(report_, "values", values_));
    CHORALE_CHECK(read_host(report_, host_, lent_));
    if (caller_options_)
      CHORALE_CHECK(read_struct(report_, "options", caller_options_, options_));
    if (options_.scale < CHORALE_SCALE_NONE || options_.scale > CHORALE_SCALE_BY_LOG_MEMBERS)
      return report_.unknown_constant("options->scale", options_.scale,
                                      "a CHORALE_SCALE_ constant");
    if (options_.shape < CHORALE_SHAPE_DETECT || options_.shape > CHORALE_SHAPE_CONCAVE)
      return report_.unknown_constant("options->shape", options_.shape,
                                      "a CHORALE_SHAPE_ constant");
    return CHORALE_OK;
  }

  const std::uint8_t *counted() const noexcept { return options_.counted; }
  std::int64_t counted_values() const noexcept {
    if (!options_.counted)
      return values_;
    std::int64_t counted = 0;
    for (std::int64_t v = 0; v < values_; ++v)
      counted += options_.counted[v] != 0;
    return counted;
  }

  // Allocates the potential with room for `numbers` doubles and returns it, or NULL.
  chorale_potential *make(chorale_family family, TableSource source, std::size_t numbers) noexcept {
    const Memory memory(&lent_);
    made_ = memory.create<chorale_potential>(memory);
    if (!made_)
      return nullptr;
    const auto count = static_cast<std::size_t>(values_);
    const std::size_t bytes =
        saturating_sum(saturating_product(numbers, sizeof(double)), options_.counted ? count : 0);
    made_->storage = Block(memory, bytes);
    if (!made_->storage)
      return nullptr;
    made_->family = family;
    made_->source = source;
    made_->scale = options_.scale;
    made_->shape = options_.shape;
    made_->values = gsl::narrow_cast<std::int32_t>(values_);
    made_->numbers = reinterpret_cast<double *>(made_->storage.data());
    if (options_.counted) {
      auto *mask =
          reinterpret_cast<std::uint8_t *>(made_->storage.data() + numbers * sizeof(double));
      std::copy(options_.counted, options_.counted + count, mask);
      made_->mask = mask;
    }
    return made_;
  }

  double *numbers() const noexcept { return reinterpret_cast<double *>(made_->storage.data()); }

  static void copy_rows(const MatrixArgument &from, double *to) noexcept {
    for (std::int64_t r = 0; r < from.rows; ++r)
      to = std::copy(from.data + r * from.row_stride,
                     from.data + r * from.row_stride + from.columns, to);
  }

  chorale_status hand_over(double *split = nullptr) noexcept {
    derive_potential(*made_, split);
    *out_ = std::exchange(made_, nullptr);
    return CHORALE_OK;
  }
  chorale_status no_memory() const noexcept {
    return report_.out_of_memory(sizeof(chorale_potential));
  }

private:
  const Report &report_;
  const chorale_host *host_;
  chorale_host lent_{};
  std::int64_t values_;
  const chorale_potential_options *caller_options_;
  chorale_potential **out_;
  chorale_potential_options options_ = kDefaults;
  chorale_potential *made_ = nullptr;
};

chorale_status create_with_lambda(chorale_family family, TableSource source,
                                  const chorale_host *host, std::int64_t values, double lambda,
                                  const chorale_potential_options *options,
                                  chorale_potential **potential, chorale_error *error) noexcept {
  return guarded(error, [&](Report &report) -> chorale_status {
    Draft draft(report, host, values, options, potential);
    CHORALE_CHECK(draft.check());
    CHORALE_CHECK(check_finite(report, "lambda", lambda));
    chorale_potential *made = draft.make(family, source, 0);
    if (!made)
      return draft.no_memory();
    made->lambda = lambda;
    return draft.hand_over();
  });
}

chorale_status create_with_tables(chorale_family family, const chorale_host *host,
                                  std::int64_t values, const double *tables,
                                  std::int64_t table_count, std::int64_t length,
                                  std::int64_t row_stride, const chorale_potential_options *options,
                                  chorale_potential **potential, chorale_error *error) noexcept {
  return guarded(error, [&](Report &report) -> chorale_status {
    Draft draft(report, host, values, options, potential);
    CHORALE_CHECK(draft.check());
    if (!tables)
      return report.null_argument("tables");
    if (table_count != 1 && table_count != values)
      return report.fail(CHORALE_ERROR_SHAPE, "table_count is ", table_count,
                         "; it must be 1 or values = ", values);
    CHORALE_CHECK(check_size(report, "length", length));
    const std::int64_t stride = table_count == 1 ? length : row_stride;
    CHORALE_CHECK(
        check_matrix(report, "table_count", table_count, "length", length, "row_stride", stride));
    const MatrixArgument matrix{"tables",
                                tables,
                                table_count,
                                length,
                                stride,
                                true,
                                table_count > 1 ? draft.counted() : nullptr};
    CHORALE_CHECK(check_entries(report, matrix));
    chorale_potential *made =
        draft.make(family, TableSource::stored,
                   saturating_product(gsl::narrow_cast<std::size_t>(table_count),
                                      gsl::narrow_cast<std::size_t>(length)));
    if (!made)
      return draft.no_memory();
    made->table_count = table_count;
    made->table_length = length;
    Draft::copy_rows(matrix, draft.numbers());
    return draft.hand_over();
  });
}

// MAJORITY and PAIRS: values x values numbers, then `values` more (biases, or the split of PAIRS).
chorale_status create_with_square(chorale_family family, const char *name, const chorale_host *host,
                                  std::int64_t values, const double *entries, std::int64_t rows,
                                  std::int64_t columns, std::int64_t row_stride, const double *bias,
                                  const chorale_potential_options *options,
                                  chorale_potential **potential, chorale_error *error) noexcept {
  return guarded(error, [&](Report &report) -> chorale_status {
    Draft draft(report, host, values, options, potential);
    CHORALE_CHECK(draft.check());
    if (!entries)
      return report.null_argument(name);
    if (rows != values || columns != values)
      return report.fail(CHORALE_ERROR_SHAPE, name, " is ", rows, " x ", columns,
                         "; it must be values x values = ", values, " x ", values);
    CHORALE_CHECK(check_matrix(report, "rows", rows, "columns", columns, "row_stride", row_stride));
    const MatrixArgument matrix{name,  entries,         rows,           columns, row_stride,
                                false, draft.counted(), draft.counted()};
    CHORALE_CHECK(check_entries(report, matrix));
    if (bias)
      for (std::int64_t v = 0; v < values; ++v)
        if ((!draft.counted() || draft.counted()[v]) && !is_finite_score(bias[v]))
          return fail_number(report, bias[v], false,
                             [&](MessageWriter &place) { place << "bias[" << v << "]"; });
    const auto count = gsl::narrow_cast<std::size_t>(values);
    chorale_potential *made = draft.make(family, TableSource::none,
                                         saturating_sum(saturating_product(count, count), count));
    if (!made)
      return draft.no_memory();
    Draft::copy_rows(matrix, draft.numbers());
    double *extra = draft.numbers() + count * count;
    std::fill(extra, extra + count, 0.0);
    if (bias)
      std::copy(bias, bias + count, extra);
    return draft.hand_over(extra);
  });
}

} // namespace
} // namespace chorale

using namespace chorale;

extern "C" {

void chorale_potential_options_init(chorale_potential_options *options, size_t struct_size) {
  init_struct(options, struct_size, kDefaults);
}

chorale_status chorale_potential_create_potts(const chorale_host *host, int64_t values,
                                              double lambda,
                                              const chorale_potential_options *options,
                                              chorale_potential **potential, chorale_error *error) {
  return create_with_lambda(CHORALE_FAMILY_SUM, TableSource::square, host, values, lambda, options,
                            potential, error);
}

chorale_status chorale_potential_create_entropy(const chorale_host *host, int64_t values,
                                                double lambda,
                                                const chorale_potential_options *options,
                                                chorale_potential **potential,
                                                chorale_error *error) {
  return create_with_lambda(CHORALE_FAMILY_SUM, TableSource::entropy, host, values, lambda, options,
                            potential, error);
}

chorale_status chorale_potential_create_makespan(const chorale_host *host, int64_t values,
                                                 double lambda,
                                                 const chorale_potential_options *options,
                                                 chorale_potential **potential,
                                                 chorale_error *error) {
  return create_with_lambda(CHORALE_FAMILY_MAX, TableSource::linear, host, values, lambda, options,
                            potential, error);
}

chorale_status chorale_potential_create_square_makespan(const chorale_host *host, int64_t values,
                                                        double lambda,
                                                        const chorale_potential_options *options,
                                                        chorale_potential **potential,
                                                        chorale_error *error) {
  return create_with_lambda(CHORALE_FAMILY_MAX, TableSource::square, host, values, lambda, options,
                            potential, error);
}

chorale_status chorale_potential_create_sum(const chorale_host *host, int64_t values,
                                            const double *tables, int64_t table_count,
                                            int64_t length, int64_t row_stride,
                                            const chorale_potential_options *options,
                                            chorale_potential **potential, chorale_error *error) {
  return create_with_tables(CHORALE_FAMILY_SUM, host, values, tables, table_count, length,
                            row_stride, options, potential, error);
}

chorale_status chorale_potential_create_max(const chorale_host *host, int64_t values,
                                            const double *tables, int64_t table_count,
                                            int64_t length, int64_t row_stride,
                                            const chorale_potential_options *options,
                                            chorale_potential **potential, chorale_error *error) {
  return create_with_tables(CHORALE_FAMILY_MAX, host, values, tables, table_count, length,
                            row_stride, options, potential, error);
}

chorale_status chorale_potential_create_cardinality(const chorale_host *host, int64_t values,
                                                    const double *table, int64_t length,
                                                    const chorale_potential_options *options,
                                                    chorale_potential **potential,
                                                    chorale_error *error) {
  return guarded(error, [&](Report &report) -> chorale_status {
    Draft draft(report, host, values, options, potential);
    CHORALE_CHECK(draft.check());
    if (!table)
      return report.null_argument("table");
    if (const std::int64_t counted = draft.counted_values(); counted != 2)
      return report.fail(CHORALE_ERROR_SHAPE, counted,
                         " values count; a cardinality table needs exactly 2 that do");
    CHORALE_CHECK(check_size(report, "length", length));
    const MatrixArgument matrix{"table", table, 1, length, length, true};
    CHORALE_CHECK(check_entries(report, matrix));
    chorale_potential *made = draft.make(CHORALE_FAMILY_SUM, TableSource::cardinality,
                                         gsl::narrow_cast<std::size_t>(length));
    if (!made)
      return draft.no_memory();
    made->table_count = 1;
    made->table_length = length;
    Draft::copy_rows(matrix, draft.numbers());
    return draft.hand_over();
  });
}

chorale_status
chorale_potential_create_majority(const chorale_host *host, int64_t values, const double *weights,
                                  int64_t rows, int64_t columns, int64_t row_stride,
                                  const double *bias, const chorale_potential_options *options,
                                  chorale_potential **potential, chorale_error *error) {
  return create_with_square(CHORALE_FAMILY_MAJORITY, "weights", host, values, weights, rows,
                            columns, row_stride, bias, options, potential, error);
}

chorale_status chorale_potential_create_pairs(const chorale_host *host, int64_t values,
                                              const double *scores, int64_t rows, int64_t columns,
                                              int64_t row_stride,
                                              const chorale_potential_options *options,
                                              chorale_potential **potential, chorale_error *error) {
  return create_with_square(CHORALE_FAMILY_PAIRS, "scores", host, values, scores, rows, columns,
                            row_stride, nullptr, options, potential, error);
}

chorale_status chorale_potential_create_callback(const chorale_host *host, int64_t values,
                                                 chorale_count_function function, void *user,
                                                 void (*release)(void *user),
                                                 const chorale_potential_options *options,
                                                 chorale_potential **potential,
                                                 chorale_error *error) {
  return guarded(error, [&](Report &report) -> chorale_status {
    Draft draft(report, host, values, options, potential);
    CHORALE_CHECK(draft.check());
    if (!function)
      return report.null_argument("function");
    chorale_potential *made = draft.make(CHORALE_FAMILY_CALLBACK, TableSource::none, 0);
    if (!made)
      return draft.no_memory();
    made->callback = function;
    made->callback_values = made->values;
    made->callback_user = user;
    made->release = release;
    return draft.hand_over();
  });
}

chorale_status chorale_potential_create_scaled(const chorale_host *host,
                                               const chorale_potential *potential, double factor,
                                               chorale_potential **scaled, chorale_error *error) {
  return guarded(error, [&](Report &report) -> chorale_status {
    if (!potential)
      return report.null_argument("potential");
    if (!scaled)
      return report.null_argument("scaled");
    chorale_host lent{};
    CHORALE_CHECK(read_host(report, host, lent));
    CHORALE_CHECK(check_factor(report, "factor", factor, *potential));
    chorale_potential *made = rescale(Memory(&lent), *potential, factor);
    if (!made)
      return report.out_of_memory(sizeof(chorale_potential));
    *scaled = made;
    return CHORALE_OK;
  });
}

chorale_potential *chorale_potential_retain(const chorale_potential *potential) {
  return retain(potential);
}

void chorale_potential_release(const chorale_potential *potential) { release(potential); }

int64_t chorale_potential_values(const chorale_potential *potential) {
  return potential ? potential->values : 0;
}

chorale_family chorale_potential_family(const chorale_potential *potential) {
  return potential ? potential->family : 0;
}

chorale_status chorale_potential_evaluate(const chorale_potential *potential, const int64_t *counts,
                                          int64_t values, int64_t members, double *score,
                                          chorale_error *error) {
  return guarded(error, [&](Report &report) -> chorale_status {
    if (!potential)
      return report.null_argument("potential");
    if (!counts)
      return report.null_argument("counts");
    if (!score)
      return report.null_argument("score");
    if (values != potential->values)
      return report.fail(CHORALE_ERROR_VALUES_MISMATCH, "values is ", values,
                         "; it must be that of the potential, ", potential->values);
    CHORALE_CHECK(check_size(report, "members", members, 0));
    std::int64_t total = 0;
    for (std::int64_t v = 0; v < values; ++v) {
      if (counts[v] < 0 || counts[v] > members)
        return report.fail(CHORALE_ERROR_OUT_OF_RANGE, "counts[", v, "] is ", counts[v],
                           "; it must be from 0 to members = ", members);
      total += counts[v];
    }
    if (total != members)
      return report.fail(CHORALE_ERROR_OUT_OF_RANGE, "counts sum to ", total,
                         "; they must sum to members = ", members);
    CHORALE_CHECK(check_tables_serve(report, *potential, members));
    // A callback sees zeros for the values that do not count.
    Block copy;
    const std::int64_t *shown = counts;
    if (potential->callback && potential->mask) {
      const auto bytes = gsl::narrow_cast<std::size_t>(values) * sizeof(std::int64_t);
      report.takes_from(potential->memory);
      copy = Block(potential->memory, bytes);
      if (!copy)
        return report.out_of_memory(bytes);
      auto *masked = reinterpret_cast<std::int64_t *>(copy.data());
      for (std::int32_t v = 0; v < potential->values; ++v)
        masked[v] = potential->counts(v) ? counts[v] : 0;
      shown = masked;
    }
    CallbackFailure failure = CallbackFailure::none;
    const double found = potential->evaluate(shown, members, &failure);
    CHORALE_CHECK(callback_status(report, failure));
    *score = found;
    return CHORALE_OK;
  });
}

} // extern "C"
