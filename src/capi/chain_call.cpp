#include "capi/chain_call.hpp"

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
    return fail("entries lie on one another");
  return CHORALE_OK;
}

chorale_status check_number_constants(const Report &report, std::string_view struct_name,
                                      chorale_number number,
                                      chorale_orientation orientation) noexcept {
  char place[64];
  if (number != CHORALE_FLOAT64 && number != CHORALE_FLOAT32) {
    MessageWriter(place, sizeof place) << struct_name << "->number";
    return report.unknown_constant(place, number, "CHORALE_FLOAT64 or CHORALE_FLOAT32");
  }
  if (orientation != CHORALE_ROWS_FROM && orientation != CHORALE_ROWS_TO) {
    MessageWriter(place, sizeof place) << struct_name << "->orientation";
    return report.unknown_constant(place, orientation, "CHORALE_ROWS_FROM or CHORALE_ROWS_TO");
  }
  return CHORALE_OK;
}

chorale_status ChainCall::take_chain(const chorale_chain *given) noexcept {
  if (!given)
    return report_.null_argument("chain");
  chorale_chain chain{};
  CHORALE_CHECK(read_struct(report_, "chain", given, chain));
  if (chain.length < 0)
    return report_.fail(CHORALE_ERROR_SIZE, "chain->length is ", chain.length,
                        "; it must be at least 0");
  if (chain.length > kLongest)
    return report_.fail(CHORALE_ERROR_SIZE_OVERFLOW, "chain->length is ", chain.length,
                        "; it must be at most ", kLongest);
  CHORALE_CHECK(check_size(report_, "chain->labels", chain.labels));
  CHORALE_CHECK(check_number_constants(report_, "chain", chain.number, chain.orientation));
  view.length = gsl::narrow_cast<std::int32_t>(chain.length);
  view.labels = gsl::narrow_cast<std::int32_t>(chain.labels);
  view.single = chain.number == CHORALE_FLOAT32;

  if (!chain.unary && chain.length > 0)
    return report_.null_argument("chain->unary");
  CHORALE_CHECK(take_strides(report_, "chain->unary", chain.length, chain.labels,
                             chain.unary_row_stride, chain.unary_column_stride));
  view.unary = chain.unary;
  view.unary_row = gsl::narrow_cast<std::ptrdiff_t>(chain.unary_row_stride);
  view.unary_column = gsl::narrow_cast<std::ptrdiff_t>(chain.unary_column_stride);

  view.transitions = chain.transitions;
  if (chain.transitions && chain.transitions->labels != chain.labels)
    return report_.fail(CHORALE_ERROR_LABELS_MISMATCH, "chain->labels is ", chain.labels,
                        "; it must be that of the transitions, ", chain.transitions->labels);
  if (chain.edges) {
    const std::int64_t each = chain.length - 1;
    if (chain.edge_matrices != 1 && chain.edge_matrices != each)
      return report_.fail(CHORALE_ERROR_SHAPE, "chain->edge_matrices is ", chain.edge_matrices,
                          "; it must be 1 or length - 1 = ", each);
    CHORALE_CHECK(take_strides(report_, "chain->edges", chain.labels, chain.labels,
                               chain.edge_row_stride, chain.edge_column_stride));
    const std::int64_t extent = (chain.labels - 1) * chain.edge_row_stride +
                                (chain.labels - 1) * chain.edge_column_stride + 1;
    if (chain.edge_matrix_stride == 0)
      chain.edge_matrix_stride = std::max(extent, chain.labels * chain.labels);
    if (chain.edge_matrices > 1) {
      if (chain.edge_matrix_stride < extent)
        return report_.fail(CHORALE_ERROR_STRIDE, "chain->edge_matrix_stride is ",
                            chain.edge_matrix_stride,
                            "; it must be at least the extent of a matrix, ", extent);
      constexpr std::int64_t limit = PTRDIFF_MAX / static_cast<std::int64_t>(sizeof(double));
      if (chain.edge_matrix_stride > limit / chain.edge_matrices)
        return report_.fail(CHORALE_ERROR_SIZE_OVERFLOW, "chain->edges has ", chain.edge_matrices,
                            " matrices of stride ", chain.edge_matrix_stride,
                            ", which exceed the address space");
    }
    view.edges = chain.edge_matrices > 0 ? chain.edges : nullptr;
    view.edge_each = chain.edge_matrices > 1;
    view.edge_matrix = gsl::narrow_cast<std::ptrdiff_t>(chain.edge_matrix_stride);
    const bool rows_from = chain.orientation == CHORALE_ROWS_FROM;
    const auto row = gsl::narrow_cast<std::ptrdiff_t>(chain.edge_row_stride);
    const auto column = gsl::narrow_cast<std::ptrdiff_t>(chain.edge_column_stride);
    view.edge_from = rows_from ? row : column;
    view.edge_to = rows_from ? column : row;
  }
  view.start = chain.start;
  view.end = chain.end;

  if (chain.allowed && chain.allowed_row_stride == 0)
    chain.allowed_row_stride = chain.labels;
  if (chain.allowed)
    CHORALE_CHECK(check_matrix(report_, "chain->length", std::max<std::int64_t>(chain.length, 1),
                               "chain->labels", chain.labels, "chain->allowed_row_stride",
                               chain.allowed_row_stride));
  view.allowed = chain.allowed;
  view.allowed_row = gsl::narrow_cast<std::ptrdiff_t>(chain.allowed_row_stride);
  view.forced = chain.forced;
  view.parents = chain.parents;
  return check_parents();
}

chorale_status ChainCall::check_parents() const noexcept {
  if (!view.parents)
    return CHORALE_OK;
  for (std::int32_t t = 0; t < view.length; ++t) {
    const std::int32_t parent = view.parents[t];
    if (parent < -1 || parent >= view.length)
      return report_.fail(CHORALE_ERROR_OUT_OF_RANGE, "chain->parents[", t, "] is ", parent,
                          "; it must be from -1 to ", view.length - 1);
    if (parent < t)
      continue;
    // Where a way up comes back here it is a circle.
    std::int32_t above = parent;
    for (std::int32_t steps = 0;
         steps < view.length && above >= 0 && above < view.length && above != t; ++steps)
      above = view.parents[above];
    if (above == t)
      return report_.fail(CHORALE_ERROR_PARENT_CYCLE, "chain->parents[", t, "] is ", parent,
                          ", from where parents lead back to ", t);
    return report_.fail(CHORALE_ERROR_PARENT_ORDER, "chain->parents[", t, "] is ", parent,
                        "; a parent must come before its children");
  }
  return CHORALE_OK;
}

chorale_status ChainCall::check_numbers() const noexcept {
  const std::int32_t T = view.length;
  const std::int32_t m = view.labels;
  const bool in_rows = !view.single && view.unary_column == 1;
  const RowScans &scans = row_scans_here();
  const bool all_fine =
      in_rows && view.unary_row == m &&
      scans.are_scores(static_cast<const double *>(view.unary), std::int64_t{T} * m);
  for (std::int32_t t = 0; t < T && !all_fine; ++t) {
    if (in_rows &&
        scans.are_scores(static_cast<const double *>(view.unary) + t * view.unary_row, m))
      continue;
    for (std::int32_t y = 0; y < m; ++y)
      if (!is_score(view.unary_at(t, y)))
        return fail_number(report_, view.unary_at(t, y), true, [&](MessageWriter &place) {
          place << "chain->unary[" << t << "][" << y << "]";
        });
  }
  if (view.edges)
    for (std::int32_t t = 1; t < (view.edge_each ? T : 2); ++t)
      for (std::int32_t from = 0; from < m; ++from)
        for (std::int32_t to = 0; to < m; ++to)
          if (const double score = view.edge_at(t, from, to); !is_score(score))
            return fail_number(report_, score, true, [&](MessageWriter &place) {
              place << "chain->edges[" << t - 1 << "], from " << from << " to " << to << ",";
            });
  for (std::int32_t y = 0; y < m && (view.start || view.end); ++y) {
    if (view.start && !is_score(view.start_at(y)))
      return fail_number(report_, view.start_at(y), true,
                         [&](MessageWriter &place) { place << "chain->start[" << y << "]"; });
    if (view.end && !is_score(view.end_at(y)))
      return fail_number(report_, view.end_at(y), true,
                         [&](MessageWriter &place) { place << "chain->end[" << y << "]"; });
  }
  if (view.forced)
    for (std::int32_t t = 0; t < T; ++t)
      if (view.forced[t] < -1 || view.forced[t] >= m)
        return report_.fail(CHORALE_ERROR_OUT_OF_RANGE, "chain->forced[", t, "] is ",
                            view.forced[t], "; it must be from -1 to ", m - 1);
  return CHORALE_OK;
}

chorale_status ChainCall::check_labelling(const std::int32_t *labelling) const noexcept {
  if (!labelling && view.length > 0)
    return report_.null_argument("labelling");
  for (std::int32_t t = 0; t < view.length; ++t)
    if (labelling[t] < 0 || labelling[t] >= view.labels)
      return report_.fail(CHORALE_ERROR_OUT_OF_RANGE, "labelling[", t, "] is ", labelling[t],
                          "; it must be from 0 to ", view.labels - 1);
  return CHORALE_OK;
}

chorale_status ChainCall::take_attachments(const chorale_attachment *given,
                                           std::int64_t count) noexcept {
  if (count < 0)
    return report_.fail(CHORALE_ERROR_SIZE, "count is ", count, "; it must be at least 0");
  if (count > 0 && !given)
    return report_.null_argument("attachments");
  if (count > kLargestSize)
    return report_.fail(CHORALE_ERROR_SIZE_OVERFLOW, "count is ", count, "; it must be at most ",
                        kLargestSize);
  attachments = {given, count > 0 ? given->struct_size : 0, gsl::narrow_cast<std::int32_t>(count),
                 view.length};
  for (std::int32_t k = 0; k < attachments.count; ++k) {
    chorale_attachment copy{};
    const auto *place = reinterpret_cast<const chorale_attachment *>(
        reinterpret_cast<const char *>(given) + static_cast<std::size_t>(k) * attachments.stride);
    CHORALE_CHECK(read_struct(report_, "attachments", place, copy));
    if (copy.struct_size != attachments.stride)
      return report_.fail(CHORALE_ERROR_STRUCT_SIZE, "attachments[", k, "].struct_size is ",
                          copy.struct_size, "; it must be that of the first, ", attachments.stride);
    if (!copy.property)
      return report_.fail(CHORALE_ERROR_NULL_ARGUMENT, "attachments[", k,
                          "].property is NULL; it must not be");
    if (copy.property->labels != view.labels)
      return report_.fail(CHORALE_ERROR_LABELS_MISMATCH, "attachments[", k, "].property has ",
                          copy.property->labels, " labels; it must have those of the chain, ",
                          view.labels);
    if (view.parents && !copy.property->is_local())
      return report_.fail(CHORALE_ERROR_AUTOMATON_ON_TREE, "attachments[", k,
                          "].property is an automaton, which reads a sequence; on a tree "
                          "properties must be local");
    if (copy.property->reads_table() && !copy.table && view.length > 0)
      return report_.fail(CHORALE_ERROR_NULL_ARGUMENT, "attachments[", k,
                          "].table is NULL; this property reads one");
  }
  return CHORALE_OK;
}

chorale_status ChainCall::check_attachments() const noexcept {
  for (std::int32_t k = 0; k < attachments.count; ++k)
    CHORALE_CHECK(check_attachment(k));
  return CHORALE_OK;
}

chorale_status ChainCall::check_attachment(std::int32_t k) const noexcept {
  const Attached attached = attachments.at(k);
  const Property &property = *attached.property;
  if (attached.classes && property.position < 0 && property.token < 0)
    for (std::int32_t t = 0; t < attached.length; ++t)
      if (attached.classes[t] < 0 || attached.classes[t] >= property.classes)
        return report_.fail(CHORALE_ERROR_OUT_OF_RANGE, "attachments[", k, "].classes[", t, "] is ",
                            attached.classes[t], "; it must be from 0 to ", property.classes - 1);
  if (property.fires_table)
    for (std::int32_t t = 0; t < attached.length; ++t)
      if (attached.table[t] < -1 || attached.table[t] >= property.values)
        return report_.fail(CHORALE_ERROR_VALUE_OUTSIDE_RANGE, "attachments[", k, "].table[", t,
                            "] is ", attached.table[t],
                            "; it must be -1 or a value of the property, 0 to ",
                            property.values - 1);
  if (attached.message)
    for (std::int64_t v = 0; v < std::int64_t{attached.values()} + 2; ++v)
      if (!is_score(attached.message[v]))
        return fail_number(report_, attached.message[v], true, [&](MessageWriter &place) {
          place << "attachments[" << k << "].message[" << v << "]";
        });
  return CHORALE_OK;
}

chorale_status ChainCall::take_attachment(const chorale_attachment *given,
                                          std::int64_t length) noexcept {
  if (!given)
    return report_.null_argument("attachment");
  if (length < 0)
    return report_.fail(CHORALE_ERROR_SIZE, "length is ", length, "; it must be at least 0");
  if (length > kLongest)
    return report_.fail(CHORALE_ERROR_SIZE_OVERFLOW, "length is ", length, "; it must be at most ",
                        kLongest);
  chorale_attachment copy{};
  CHORALE_CHECK(read_struct(report_, "attachment", given, copy));
  if (!copy.property)
    return report_.null_argument("attachment->property");
  view.length = gsl::narrow_cast<std::int32_t>(length);
  view.labels = copy.property->labels;
  CHORALE_CHECK(check_parents());
  CHORALE_CHECK(take_attachments(given, 1));
  return check_attachments();
}

chorale_status ChainCall::take_options(const chorale_message_options *given) noexcept {
  chorale_message_options read{};
  read.mode = options.mode;
  read.beam_width = options.beam_width;
  read.budget = options.budget;
  if (given)
    CHORALE_CHECK(read_struct(report_, "options", given, read));
  if (read.mode != CHORALE_JOINT_AUTO && read.mode != CHORALE_JOINT_EXACT &&
      read.mode != CHORALE_JOINT_ABSORPTION && read.mode != CHORALE_JOINT_BEAM)
    return report_.unknown_constant("options->mode", read.mode, "a CHORALE_JOINT_ constant");
  CHORALE_CHECK(check_size(report_, "options->beam_width", read.beam_width));
  CHORALE_CHECK(check_size(report_, "options->budget", read.budget));
  // Configurations and labels are noted together, in one number.
  const std::int64_t limit = INT32_MAX / (4 * std::int64_t{view.labels});
  options = {read.mode, gsl::narrow_cast<std::int32_t>(std::min(read.beam_width, limit)),
             gsl::narrow_cast<std::int32_t>(std::min(read.budget, limit))};
  if (limit < 1)
    return too_large();
  return CHORALE_OK;
}

chorale_status ChainCall::too_large() const noexcept {
  return report_.fail(CHORALE_ERROR_SIZE_OVERFLOW, "the workspace of ", view.length, " positions, ",
                      view.labels, " labels and ", attachments.count,
                      " properties exceeds the address space");
}

chorale_status ChainCall::reserve(chorale_chain_solver &solver, std::size_t bytes) const noexcept {
  if (solver.workspace.reserve(bytes))
    return CHORALE_OK;
  if (bytes == SIZE_MAX)
    return too_large();
  if (solver.workspace.is_borrowed())
    return report_.fail(CHORALE_ERROR_WORKSPACE_TOO_SMALL, "the workspace has ",
                        solver.workspace.capacity(), " bytes; this needs ", bytes, " and ",
                        kHandleBytes<chorale_chain_solver>, " for the solver, if there is one");
  report_.takes_from(solver.memory);
  return report_.out_of_memory(bytes);
}

} // namespace chorale
