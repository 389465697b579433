// Finds the best labelling for columns with concave tables, or with capacities, by placing members
// one by one: a minimum-cost flow whose only nodes are the columns and a sink.
//
// The arc u -> w moves a member from column u to column w. Its loss is the least that any member of
// column u loses in score by this move. The arc v -> sink ends a chain of moves in column v, which
// then has one member more. Its loss is minus the step of column v's table to one member more. With
// capacities this loss is 0, and the arc exists only while v has fewer members than its capacity.
//
// Notation (instance.hpp): n members, K columns.
#pragma once

#include "clique/instance.hpp"

namespace chorale {

// All functions obey the limits of the instance. After an interruption the flow is not usable.
class ColumnFlow {
public:
  // `residuals`: true to take the memory for find_residuals() as well, (min(n, K) + 1)^2 numbers.
  ColumnFlow(Layout &layout, std::int32_t members, std::int32_t columns,
             bool residuals = false) noexcept;

  // Begins a flow with no member placed. If `capacities` is empty, column v with k members scores
  // in.potential.tables[v][k]; the tables must be concave and may be minus infinity only from some
  // k on.
  // Otherwise `capacities` has K entries: column v takes at most capacities[v] members, and columns
  // score nothing.
  void reset(const Instance &in, gsl::span<const std::int32_t> capacities) noexcept;

  // Places member i and moves other members if needed, so that the placement of all members placed
  // so far is optimal. Returns false and moves no member if these members cannot all be placed, or
  // if interrupted. O(K^2), plus O(K) for each member of a visited column whose arcs are not up to
  // date (stale_).
  bool place(std::int32_t i) noexcept;

  // Returns the greatest sum of member scores over the labellings with counts[v] members in each
  // column v (a transportation problem); assignment() is then such a labelling. Minus infinity if
  // there is none or if interrupted. `counts`: K numbers that add up to n. At worst
  // O(n (K^2 + n K)).
  double transport(const Instance &in, gsl::span<const std::int32_t> counts,
                   Limits &limits) noexcept;

  // Return the column of each member (n), -1 if not placed, and the number of members of each
  // column (K).
  gsl::span<const std::int32_t> assignment() const noexcept {
    return {column_of_, to_size(members_)};
  }
  gsl::span<const std::int32_t> counts() const noexcept { return {count_, to_size(columns_)}; }

  // Computes residual(v, u) for all columns v and all columns u that have members: the least loss
  // of a series of moves that follows the move of one member from u to v. The series moves other
  // members; it takes one member out of v and brings one into u. It may lead through the sink,
  // where one column grows and another shrinks. Plus infinity if there is none; 0 if u = v.
  // Requires tables, not capacities. O(m K + m^3) for m = min(n, K).
  void find_residuals() noexcept;
  double residual(std::int32_t v, std::int32_t u) const noexcept;

private:
  // Returns the step of column v's table to one member more; minus infinity if v is full.
  double next_gain(std::int32_t v) const noexcept;
  // Returns the loss of column v by one member more: minus next_gain(v).
  double loss_at_end(std::int32_t v) const noexcept;
  // Returns the step of column v's table to its present count, which must be positive.
  double last_gain(std::int32_t v) const noexcept;
  // Computes the arcs out of column u anew if stale_[u].
  void refresh(std::int32_t u) noexcept;
  void unlink(std::int32_t i, std::int32_t u) noexcept;
  void link(std::int32_t i, std::int32_t u) noexcept;
  // Gives column u an empty row of arcs.
  void take_row(std::int32_t u) noexcept;

  std::int64_t members_;
  std::int64_t columns_;
  const Instance *instance_ = nullptr;
  const std::int32_t *capacities_ = nullptr; // K entries, or NULL
  std::int32_t *column_of_; // n: column of the member, or -1
  std::int32_t *next_;      // n: next member of the same column, or -1
  std::int32_t *previous_;  // n: previous member of the same column, or -1
  std::int32_t *first_;     // K: first member of the column, or -1
  std::int32_t *count_;     // K: number of members of the column
  // Arcs out of columns that have members: one row for each such column, so at most min(n, K) rows.
  std::int32_t *row_of_;     // K: the row of the column's arcs, or -1
  std::int32_t *rows_left_;  // min(n, K): a stack of unused rows
  std::int32_t rows_left_count_ = 0;
  std::int32_t rows_;        // min(n, K)
  double *arc_loss_;         // min(n, K) x K: loss of the arc; plus infinity if no member can move
  std::int32_t *arc_member_; // min(n, K) x K: the member that moves
  bool *stale_;      // K: true if the arcs out of the column must be computed again
  // K: node potentials such that the loss of every arc u -> w, plus price_[u] - price_[w], is at
  // least 0; the sink's price is 0.
  double *price_;
  double *distance_; // K: shortest distance from the member that is being placed
  std::int32_t *parent_; // K: column before this one on the shortest path, or -1
  bool *settled_;        // K: true if the distance is final
  double *residual_; // (min(n, K) + 1)^2: residuals by row of arcs, the sink last; or NULL
};

} // namespace chorale
