// View of a chain or tree in the caller's arrays, which are read in place. Dynamic programs expect
// arrays that have been checked (checks.hpp).
#pragma once

#include "base/span.hpp"
#include "chain/transitions.hpp"

namespace chorale {

struct ChainView {
  std::int32_t length = 0;      // T
  std::int32_t labels = 0;      // m
  bool single = false;          // true: unary, edges, start and end are float32; false: double
  const void *unary = nullptr;  // T x m
  std::ptrdiff_t unary_row = 0; // strides in elements, here and below
  std::ptrdiff_t unary_column = 0;
  const Transitions *transitions = nullptr; // or NULL; `edges`, `start`, `end` override its parts
  const void *edges = nullptr;              // m x m matrices, or NULL
  bool edge_each = false;                   // true: one matrix for each edge; false: one for all
  std::ptrdiff_t edge_matrix = 0;           // stride from the matrix of one edge to the next
  std::ptrdiff_t edge_from = 0; // strides of the "from" and the "to" label in a matrix
  std::ptrdiff_t edge_to = 0;
  const void *start = nullptr;           // m, or NULL
  const void *end = nullptr;             // m, or NULL
  const std::int32_t *parents = nullptr; // T, -1 for roots; NULL: a chain
  const std::int32_t *forced = nullptr;  // T: the only label allowed, -1 for any; or NULL
  const std::uint8_t *allowed = nullptr; // T x m: 0 forbids a label; or NULL
  std::ptrdiff_t allowed_row = 0;
  const std::uint8_t *masked = nullptr; // T x m, no gaps: 0 if a run forbids the label; or NULL
  // T x m, without gaps, or NULL: messages of the cliques whose members are single positions of the
  // chain. Dynamic programs add them to the unary scores, but they are not part of phi, the score
  // of the chain alone.
  const double *added = nullptr;

  double number(const void *array, std::ptrdiff_t at) const noexcept {
    return single ? double{static_cast<const float *>(array)[at]}
                  : static_cast<const double *>(array)[at];
  }
  double unary_at(std::int32_t t, std::int32_t y) const noexcept {
    return number(unary, t * unary_row + y * unary_column);
  }
  bool allows(std::int32_t t, std::int32_t y) const noexcept {
    return (!forced || forced[t] < 0 || forced[t] == y) &&
           (!allowed || allowed[t * allowed_row + y] != 0) &&
           (!masked || masked[std::ptrdiff_t{t} * labels + y] != 0);
  }
  bool limits_labels() const noexcept { return forced || allowed || masked; }
  bool has_edges() const noexcept { return edges || transitions; }
  double edge_at(std::int32_t t, std::int32_t from, std::int32_t to) const noexcept {
    if (edges)
      return number(edges,
                    (edge_each ? (t - 1) * edge_matrix : 0) + from * edge_from + to * edge_to);
    return transitions ? transitions->matrix[from * transitions->row_stride + to] : 0;
  }
  // Sets edge_from and edge_to, from the strides of the caller's rows and columns.
  void set_edge_strides(chorale_orientation orientation, std::int64_t row,
                        std::int64_t column) noexcept {
    edge_from = static_cast<std::ptrdiff_t>(orientation == CHORALE_ROWS_FROM ? row : column);
    edge_to = static_cast<std::ptrdiff_t>(orientation == CHORALE_ROWS_FROM ? column : row);
  }
  bool has_end() const noexcept { return end || (transitions && transitions->end); }
  double start_at(std::int32_t y) const noexcept {
    return start ? number(start, y) : transitions && transitions->start ? transitions->start[y] : 0;
  }
  double end_at(std::int32_t y) const noexcept {
    return end ? number(end, y) : transitions && transitions->end ? transitions->end[y] : 0;
  }
  std::int32_t parent(std::int32_t t) const noexcept { return parents ? parents[t] : t - 1; }
  // Returns the parent of each position of a tree; an empty span for a chain.
  gsl::span<const std::int32_t> all_parents() const noexcept { return span_of(parents, length); }

  // Returns phi of a labelling, summed in the order given in chorale/chain.h; minus infinity if the
  // labelling is forbidden.
  double score(gsl::span<const std::int32_t> labelling) const noexcept;
  // Writes T flags: 1 for each leaf of the tree or chain, 0 for other positions.
  void mark_leaves(gsl::span<std::uint8_t> leaves) const noexcept;

private:
  // Adds up the terms of phi. If there are end scores, calls is_leaf(t) for t = 0, 1, .. in this
  // order.
  template <class IsLeaf>
  double add_up(const std::int32_t *labels_at, IsLeaf &&is_leaf) const noexcept;
};

} // namespace chorale
