#include "chain/checks.hpp"

#include "base/rows.hpp"

#include <gsl/gsl>

namespace chorale {

chorale_status take_strides(const Report &report, std::string_view name, std::int64_t rows,
                            std::int64_t columns, std::int64_t &row,
                            std::int64_t &column) noexcept {
  const auto fail = [&](std::string_view rule) noexcept {
    return report.fail(CHORALE_ERROR_STRIDE, name, " has a row stride of ", row,
                       " and a column stride of ", column, "; ", rule);
  };
  if (row < 0 || column < 0)
    return fail("neither may be negative");
  if (column == 0)
    column = 1;
  constexpr std::int64_t limit = PTRDIFF_MAX / static_cast<std::int64_t>(sizeof(double));
  const auto too_far = [&](std::int64_t count, std::int64_t stride) {
    return stride > limit / 2 / std::max<std::int64_t>(count, 1);
  };
  if (row == 0 && !too_far(columns, column))
    row = columns * column;
  if (too_far(columns, column) || too_far(rows, row))
    return report.fail(CHORALE_ERROR_SIZE_OVERFLOW, name, " has ", rows, " x ", columns,
                       " numbers, strides ", row, " and ", column,
                       ", which exceed the address space");
  if (row < (columns - 1) * column + 1 && column < (rows - 1) * row + 1)
    return fail("entries must not overlap");
  return CHORALE_OK;
}

chorale_status check_number_constants(const Report &report, std::string_view struct_name,
                                      chorale_element number,
                                      chorale_orientation orientation) noexcept {
  if (number != CHORALE_FLOAT64 && number != CHORALE_FLOAT32)
    return report.fail(CHORALE_ERROR_UNKNOWN_CONSTANT, struct_name, "->element is ", number,
                       "; it must be CHORALE_FLOAT64 or CHORALE_FLOAT32");
  if (orientation != CHORALE_ROWS_FROM && orientation != CHORALE_ROWS_TO)
    return report.fail(CHORALE_ERROR_UNKNOWN_CONSTANT, struct_name, "->orientation is ",
                       orientation, "; it must be CHORALE_ROWS_FROM or CHORALE_ROWS_TO");
  return CHORALE_OK;
}

chorale_status check_chain(const Report &report, chorale_chain chain, ChainView &view) noexcept {
  CHORALE_CHECK(check_least(report, chain.length, 0, "chain->length"));
  if (chain.length > kLongest)
    return report.fail(CHORALE_ERROR_SIZE_OVERFLOW, "chain->length is ", chain.length,
                       "; it must be at most ", kLongest);
  CHORALE_CHECK(check_size(report, "chain->labels", chain.labels));
  CHORALE_CHECK(check_number_constants(report, "chain", chain.element, chain.orientation));
  view.length = gsl::narrow_cast<std::int32_t>(chain.length);
  view.labels = gsl::narrow_cast<std::int32_t>(chain.labels);
  view.single = chain.element == CHORALE_FLOAT32;

  CHORALE_CHECK(check_array(report, chain.unary, chain.length, "chain->unary"));
  CHORALE_CHECK(take_strides(report, "chain->unary", chain.length, chain.labels,
                             chain.unary_row_stride, chain.unary_column_stride));
  view.unary = chain.unary;
  view.unary_row = gsl::narrow_cast<std::ptrdiff_t>(chain.unary_row_stride);
  view.unary_column = gsl::narrow_cast<std::ptrdiff_t>(chain.unary_column_stride);

  view.transitions = chain.transitions;
  if (chain.transitions && chain.transitions->labels != chain.labels)
    return report.fail(CHORALE_ERROR_LABELS_MISMATCH, "chain->labels is ", chain.labels,
                       "; it must be that of the transitions, ", chain.transitions->labels);
  if (chain.edges) {
    const std::int64_t each = chain.length - 1;
    if (chain.edge_matrices != 1 && chain.edge_matrices != each)
      return report.fail(CHORALE_ERROR_SHAPE, "chain->edge_matrices is ", chain.edge_matrices,
                         "; it must be 1 or length - 1 = ", each);
    CHORALE_CHECK(take_strides(report, "chain->edges", chain.labels, chain.labels,
                               chain.edge_row_stride, chain.edge_column_stride));
    const std::int64_t extent = (chain.labels - 1) * chain.edge_row_stride +
                                (chain.labels - 1) * chain.edge_column_stride + 1;
    if (chain.edge_matrix_stride == 0)
      chain.edge_matrix_stride = std::max(extent, chain.labels * chain.labels);
    if (chain.edge_matrices > 1) {
      if (chain.edge_matrix_stride < extent)
        return report.fail(CHORALE_ERROR_STRIDE, "chain->edge_matrix_stride is ",
                           chain.edge_matrix_stride,
                           "; it must be at least the extent of a matrix, ", extent);
      constexpr std::int64_t limit = PTRDIFF_MAX / static_cast<std::int64_t>(sizeof(double));
      if (chain.edge_matrix_stride > limit / chain.edge_matrices)
        return report.fail(CHORALE_ERROR_SIZE_OVERFLOW, "chain->edges has ", chain.edge_matrices,
                           " matrices of stride ", chain.edge_matrix_stride,
                           ", which exceed the address space");
    }
    view.edges = chain.edge_matrices > 0 ? chain.edges : nullptr;
    view.edge_each = chain.edge_matrices > 1;
    view.edge_matrix = gsl::narrow_cast<std::ptrdiff_t>(chain.edge_matrix_stride);
    view.set_edge_strides(chain.orientation, chain.edge_row_stride, chain.edge_column_stride);
  }
  view.start = chain.start;
  view.end = chain.end;

  if (chain.allowed)
    CHORALE_CHECK(take_row_stride(report, "chain->length", std::max<std::int64_t>(chain.length, 1),
                                  "chain->labels", chain.labels, "chain->allowed_row_stride",
                                  chain.allowed_row_stride));
  view.allowed = chain.allowed;
  view.allowed_row = gsl::narrow_cast<std::ptrdiff_t>(chain.allowed_row_stride);
  view.forced = chain.forced;
  view.parents = chain.parents;
  return check_parents(report, view);
}

chorale_status check_parents(const Report &report, const ChainView &view) noexcept {
  if (!view.parents)
    return CHORALE_OK;
  for (std::int32_t t = 0; t < view.length; ++t) {
    const std::int32_t parent = view.parents[t];
    if (parent < -1 || parent >= view.length)
      return report.fail(CHORALE_ERROR_OUT_OF_RANGE, "chain->parents[", t, "] is ", parent,
                         "; it must be from -1 to ", view.length - 1);
    if (parent < t)
      continue;
    // A path of parents from t that returns to t is a cycle; otherwise the order is wrong.
    std::int32_t above = parent;
    for (std::int32_t steps = 0;
         steps < view.length && above >= 0 && above < view.length && above != t; ++steps)
      above = view.parents[above];
    if (above == t)
      return report.fail(CHORALE_ERROR_PARENT_CYCLE, "chain->parents[", t, "] is ", parent,
                         "; a parent must come before its child, and from ", parent,
                         " parents lead back to ", t);
    return report.fail(CHORALE_ERROR_PARENT_ORDER, "chain->parents[", t, "] is ", parent,
                       "; a parent must come before its children");
  }
  return CHORALE_OK;
}

chorale_status check_unary(const Report &report, std::string_view name, const ChainView &view,
                           std::int64_t first) noexcept {
  const std::int32_t T = view.length;
  const std::int32_t m = view.labels;
  const bool in_rows = !view.single && view.unary_column == 1;
  const RowScans &scans = row_scans_here();
  const bool all_fine =
      in_rows && view.unary_row == m &&
      scans.are_scores({static_cast<const double *>(view.unary),
                        static_cast<std::size_t>(T) * static_cast<std::size_t>(m)});
  for (std::int32_t t = 0; t < T && !all_fine; ++t) {
    if (in_rows &&
        scans.are_scores({static_cast<const double *>(view.unary) + t * view.unary_row,
                          static_cast<std::size_t>(m)}))
      continue;
    for (std::int32_t y = 0; y < m; ++y)
      if (!is_score(view.unary_at(t, y)))
        return fail_number(report, view.unary_at(t, y), true, name, "[", first + t, "][", y, "]");
  }
  return CHORALE_OK;
}

chorale_status check_edges(const Report &report, std::string_view name, const ChainView &view,
                           std::int32_t t, std::int64_t number) noexcept {
  for (std::int32_t from = 0; from < view.labels; ++from)
    for (std::int32_t to = 0; to < view.labels; ++to)
      if (const double score = view.edge_at(t, from, to); !is_score(score))
        return fail_number(report, score, true, name, "[", number, "], from ", from, " to ", to,
                           ",");
  return CHORALE_OK;
}

chorale_status check_forced(const Report &report, std::string_view name, const ChainView &view,
                            std::int64_t first) noexcept {
  for (std::int32_t t = 0; view.forced && t < view.length; ++t)
    if (view.forced[t] < -1 || view.forced[t] >= view.labels)
      return report.fail(CHORALE_ERROR_OUT_OF_RANGE, name, "[", first + t, "] is ", view.forced[t],
                         "; it must be from -1 to ", view.labels - 1);
  return CHORALE_OK;
}

chorale_status check_numbers(const Report &report, const ChainView &view) noexcept {
  CHORALE_CHECK(check_unary(report, "chain->unary", view, 0));
  const std::int32_t matrices = !view.edges ? 0 : view.edge_each ? view.length - 1 : 1;
  for (std::int32_t k = 0; k < matrices; ++k)
    CHORALE_CHECK(check_edges(report, "chain->edges", view, k + 1, k));
  for (std::int32_t y = 0; y < view.labels && (view.start || view.end); ++y) {
    if (view.start && !is_score(view.start_at(y)))
      return fail_number(report, view.start_at(y), true, "chain->start[", y, "]");
    if (view.end && !is_score(view.end_at(y)))
      return fail_number(report, view.end_at(y), true, "chain->end[", y, "]");
  }
  return check_forced(report, "chain->forced", view, 0);
}

chorale_status check_tokens(const Report &report, std::string_view name,
                            gsl::span<const std::int32_t> tokens, std::int64_t first) noexcept {
  const auto count = static_cast<std::int64_t>(tokens.size());
  const std::int32_t *at = tokens.data();
  for (std::int64_t t = 0; t < count; ++t)
    if (at[t] < -1)
      return report.fail(CHORALE_ERROR_OUT_OF_RANGE, name, "[", first + t, "] is ", at[t],
                         "; it must be a token id, or -1 for none");
  return CHORALE_OK;
}

chorale_status check_labelling(const Report &report, const ChainView &view,
                               gsl::span<const std::int32_t> labelling) noexcept {
  CHORALE_CHECK(check_array(report, labelling.data(), view.length, "labelling"));
  Expects(labelling.size() >= to_size(view.length));
  return check_entries(report, labelling.data(), view.length, 0, view.labels - 1, "labelling");
}

} // namespace chorale
