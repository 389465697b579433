// Members placed one by one into columns whose gains shrink as they fill: a minimum-cost flow with
// the columns and a sink as its only nodes.
//
// An arc u -> w is the member of u that loses least by going to w; it stands for all members of u.
// An arc v -> sink is the next step of column v's table, or free room up to a capacity.
#pragma once

#include "clique/sum_view.hpp"

namespace chorale {

// All of it goes by the limits of the view: where these end it, the flow is of no use.
class ColumnFlow {
public:
  // residuals: whether they will be looked for, which takes memory for min(n, K) + 1 squared numbers.
  ColumnFlow(Layout &layout, std::int32_t members, std::int32_t columns,
             bool residuals = false) noexcept;

  // Starts afresh with no member placed. Without capacities, column v gives tables[v][k] for k
  // members (concave, minus infinity at most at its end); with them it gives nothing and takes at
  // most capacities[v].
  void reset(const SumView &view, const std::int32_t *capacities) noexcept;

  // Places member i so that the placement of all members placed so far is optimal. False, and
  // nothing changed, when there is no room that it can reach. O(K^2), and O(K) more for every
  // member of a column whose members changed.
  bool place(std::int32_t i) noexcept;

  const std::int32_t *assignment() const noexcept { return column_of_; }
  const std::int32_t *counts() const noexcept { return count_; }

  // Finds residual(v, u), for columns u with members: the least loss of passing one member too many
  // in v on to u, by members that move and columns that take or give back room; plus infinity where
  // there is no way, 0 from a column to itself. Needs tables, not capacities. O(m K + m^3) for m =
  // min(n, K).
  void find_residuals() noexcept;
  double residual(std::int32_t v, std::int32_t u) const noexcept;

private:
  double next_gain(std::int32_t v) const noexcept;
  double loss_at_end(std::int32_t v) const noexcept;
  double last_gain(std::int32_t v) const noexcept;
  void refresh(std::int32_t u) noexcept;
  void unlink(std::int32_t i, std::int32_t u) noexcept;
  void link(std::int32_t i, std::int32_t u) noexcept;
  // What column u takes as its row of arcs.
  void take_row(std::int32_t u) noexcept;

  std::int64_t columns_;
  const SumView *view_ = nullptr;
  const std::int32_t *capacities_ = nullptr;
  std::int32_t *column_of_; // n
  std::int32_t *next_;      // n: members of one column, doubly linked
  std::int32_t *previous_;  // n
  std::int32_t *first_;     // K
  std::int32_t *count_;     // K
  // Arcs out of the columns that have members, min(n, K) at most: a row each.
  std::int32_t *row_of_;     // K: -1 where the column has none, and no arcs
  std::int32_t *rows_left_;  // min(n, K): rows that no column has
  std::int32_t rows_left_count_ = 0;
  std::int32_t rows_;        // min(n, K)
  double *arc_loss_;         // min(n, K) x K
  std::int32_t *arc_member_; // min(n, K) x K
  bool *stale_;      // K: arcs out of the column must be found again
  double *price_;    // K: potentials that keep all arc losses non-negative; the sink's is 0
  double *distance_; // K
  std::int32_t *parent_;
  bool *settled_;
  double *residual_; // min(n, K) + 1 squared, by row, the sink last; NULL where not looked for
};

} // namespace chorale
