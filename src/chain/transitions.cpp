#include "chain/transitions.hpp"

#include "base/workspace.hpp"
#include "chain/checks.hpp"
#include "chain/max_plus.hpp"

#include <gsl/gsl>

namespace chorale {
namespace {

// Returns a view through which the matrix `scores` and the start and end scores in `options` can be
// read.
ChainView matrix_view(const chorale_transitions_options &options, std::int64_t labels,
                      const void *scores) noexcept {
  ChainView view;
  view.labels = gsl::narrow_cast<std::int32_t>(labels);
  view.single = options.element == CHORALE_FLOAT32;
  view.edges = scores;
  view.set_edge_strides(options.orientation, options.row_stride, options.column_stride);
  view.start = options.start;
  view.end = options.end;
  return view;
}

chorale_status check_matrix_numbers(const Report &report, const ChainView &view) noexcept {
  for (std::int32_t x = 0; x < view.labels; ++x) {
    for (std::int32_t y = 0; view.edges && y < view.labels; ++y)
      if (const double score = view.edge_at(1, x, y); !is_score(score))
        return fail_number(report, score, true, "scores, from ", x, " to ", y, ",");
    if (view.start && !is_score(view.start_at(x)))
      return fail_number(report, view.start_at(x), true, "options->start[", x, "]");
    if (view.end && !is_score(view.end_at(x)))
      return fail_number(report, view.end_at(x), true, "options->end[", x, "]");
  }
  return CHORALE_OK;
}

void fill_transitions(Transitions &to, const chorale_transitions_options &options,
                      const ChainView &from, double *matrix, double *transposed, double *start,
                      double *end) noexcept {
  const std::int64_t m = to.labels;
  const std::int64_t padded = padded_labels(to.labels);
  if (matrix)
    std::fill_n(matrix, m * padded, kForbidden);
  std::fill_n(transposed, m * padded, kForbidden);
  for (std::int32_t x = 0; x < m; ++x)
    for (std::int32_t y = 0; y < m; ++y) {
      const bool allowed = !options.mask || options.mask[x * m + y] != 0;
      const double score = allowed ? from.edge_at(1, x, y) : kForbidden;
      if (matrix)
        matrix[x * padded + y] = score;
      transposed[y * padded + x] = score;
    }
  for (std::int32_t y = 0; y < m; ++y) {
    if (start)
      start[y] = options.start_mask && options.start_mask[y] == 0 ? kForbidden : from.start_at(y);
    if (end)
      end[y] = options.end_mask && options.end_mask[y] == 0 ? kForbidden : from.end_at(y);
  }
  to.matrix = matrix ? matrix : static_cast<const double *>(from.edges);
  to.row_stride = matrix ? static_cast<std::ptrdiff_t>(padded) : from.edge_from;
  to.is_padded = matrix || ends_padded(to.row_stride, to.labels);
  to.transposed = transposed;
  to.start = start;
  to.end = end;
}

} // namespace

chorale_status create_transitions(const Report &report, const Memory &memory, std::int64_t labels,
                                  const void *scores, chorale_transitions_options options,
                                  Transitions *&made) noexcept {
  CHORALE_CHECK(check_size(report, "labels", labels));
  CHORALE_CHECK(check_number_constants(report, "options", options.element, options.orientation));
  CHORALE_CHECK(
      take_strides(report, "scores", labels, labels, options.row_stride, options.column_stride));
  const ChainView from = matrix_view(options, labels, scores);
  if (options.borrow != 0 && (!scores || from.single || from.edge_to != 1 || options.mask ||
                              options.orientation != CHORALE_ROWS_FROM))
    return report.fail(CHORALE_ERROR_SHAPE, "options->borrow is ", options.borrow,
                       "; scores can only be borrowed as FLOAT64, ROWS_FROM, with column_stride "
                       "1 and without a mask");
  CHORALE_CHECK(check_matrix_numbers(report, from));

  Held<Transitions> draft(memory.create<Transitions>(memory));
  if (!draft)
    return report.out_of_memory(sizeof(Transitions));
  draft->labels = gsl::narrow_cast<std::int32_t>(labels);
  const auto m = gsl::narrow_cast<std::size_t>(labels);
  std::size_t bytes = 0;
  for (const bool placing : {false, true}) {
    Layout layout(placing ? draft->storage.data() : nullptr);
    const std::size_t square =
        saturating_product(m, static_cast<std::size_t>(padded_labels(draft->labels)));
    double *matrix = options.borrow != 0 ? nullptr : layout.take<double>(square);
    double *transposed = layout.take<double>(square);
    const bool starts = options.start || options.start_mask;
    const bool ends = options.end || options.end_mask;
    double *start = starts ? layout.take<double>(m) : nullptr;
    double *end = ends ? layout.take<double>(m) : nullptr;
    if (placing) {
      fill_transitions(*draft, options, from, matrix, transposed, start, end);
      continue;
    }
    bytes = layout.bytes();
    if (bytes == SIZE_MAX)
      return report.fail(CHORALE_ERROR_SIZE_OVERFLOW, "labels is ", labels,
                         "; a matrix of so many exceeds the address space");
    draft->storage = Block(memory, bytes);
    if (!draft->storage)
      return report.out_of_memory(bytes);
  }
  made = draft.give();
  return CHORALE_OK;
}

} // namespace chorale
