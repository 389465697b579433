// Members placed one by one into columns with concave tables or capacities: a minimum-cost flow
// whose only nodes are the columns and a sink.
//
// The arc u -> w has the least loss of any member of column u by moving to w. The arc v -> sink has
// minus the next step of column v's table as loss or, under capacities, 0 below the capacity.
#pragma once

#include "clique/sum_view.hpp"

namespace chorale {

// All functions obey the limits of the view; after an interruption the flow is not usable.
class ColumnFlow {
public:
  // `residuals`: takes the memory for find_residuals(), min(n, K) + 1 squared numbers.
  ColumnFlow(Layout &layout, std::int32_t members, std::int32_t columns,
             bool residuals = false) noexcept;

  // Begins a flow with no member placed. `capacities` NULL: column v with k members scores
  // tables[v][k], which must be concave and may be minus infinity only from some k on. Otherwise
  // (K) column v scores 0 and takes at most capacities[v] members.
  void reset(const SumView &view, const std::int32_t *capacities) noexcept;

  // Places member i, moving others, so that the placement of all members placed so far is optimal.
  // False, and nothing changed, if no placement with member i exists. O(K^2), and O(K) for every
  // member of each column visited that has lost a member since its arcs were computed.
  bool place(std::int32_t i) noexcept;

  const std::int32_t *assignment() const noexcept { return column_of_; }
  const std::int32_t *counts() const noexcept { return count_; }

  // Computes residual(v, u) for columns u with members: the least loss of passing one surplus
  // member of column v on to column u, along arcs between columns and through the sink, where one column
  // grows and another shrinks. Plus infinity if there is no path; 0 if u = v. For tables, not
  // capacities. O(m K + m^3) for m = min(n, K).
  void find_residuals() noexcept;
  double residual(std::int32_t v, std::int32_t u) const noexcept;

private:
  // Returns the step of column v's table to one member more; minus infinity if v is full.
  double next_gain(std::int32_t v) const noexcept;
  double loss_at_end(std::int32_t v) const noexcept;
  // Returns the step of column v's table to its present count, which must be positive.
  double last_gain(std::int32_t v) const noexcept;
  // Computes the arcs out of column u if they are stale.
  void refresh(std::int32_t u) noexcept;
  void unlink(std::int32_t i, std::int32_t u) noexcept;
  void link(std::int32_t i, std::int32_t u) noexcept;
  // Gives column u an empty row of arcs.
  void take_row(std::int32_t u) noexcept;

  std::int64_t columns_;
  const SumView *view_ = nullptr;
  const std::int32_t *capacities_ = nullptr;
  std::int32_t *column_of_; // n
  std::int32_t *next_;      // n: doubly linked lists of the members of each column
  std::int32_t *previous_;  // n
  std::int32_t *first_;     // K: first member of each list, or -1
  std::int32_t *count_;     // K: number of members
  // Arcs out of columns that have members: one row a column, so at most min(n, K) rows.
  std::int32_t *row_of_;     // K: the column's row, or -1
  std::int32_t *rows_left_;  // min(n, K): a stack of unused rows
  std::int32_t rows_left_count_ = 0;
  std::int32_t rows_;        // min(n, K)
  double *arc_loss_;         // min(n, K) x K: plus infinity if no member can move
  std::int32_t *arc_member_; // min(n, K) x K: the member that moves
  bool *stale_;      // K: true if the arcs out of the column must be computed again
  double *price_;    // K: node potentials that keep all arc losses non-negative; the sink's is 0
  double *distance_; // K: from the member that is being placed
  std::int32_t *parent_; // K: column before this one on the shortest path, or -1
  bool *settled_;        // K: true if the distance is final
  double *residual_; // min(n, K) + 1 squared, by row, the sink last; NULL if not computed
};

} // namespace chorale
