// SUM potentials with concave tables: the optimum, by one shortest augmenting path a member.
//
// A labelling in which no member counts scores 0, though the tables may add up to less at counts of
// 0. The rest column's table then rises at its last entry and is not concave. In that case the flow
// uses a table of zeros for the rest column, and the one labelling with all members in the rest
// column is compared separately.
#pragma once

#include "clique/flows/column_flow.hpp"

namespace chorale {

class ConcaveFlow {
public:
  // `messages`: takes the memory for messages(), more than that of run(); O(n K) either way.
  ConcaveFlow(Layout &layout, const Instance &instance, bool messages = true) noexcept;

  // O(n (K^2 + n K)) at worst; a path usually touches a few columns.
  void run(const SolveOptions &options, Limits &limits, Solution &solution) noexcept;

  // Writes messages[i * K + v], the best F with x_i = v, member i's own score counted as 0; minus
  // infinity if there is no such labelling. Also leaves the best labelling in `solution`. One flow
  // and O(m^3 + n K) for m = min(n, K); n flows if no labelling is feasible, but one would be if
  // one member had no forbidden entries. False if interrupted: then every entry is minus infinity.
  bool messages(Limits &limits, Solution &solution, double *messages) noexcept;

private:
  // Places all members and returns the number of members that cannot be placed. Stops as soon as
  // that number exceeds `tolerated`, or if interrupted.
  std::int32_t place_all(const SumView &view, std::int32_t tolerated, Limits &limits) noexcept;
  // Copies the flow's labelling, or that with all members in the rest column, to `solution`.
  void take_optimum(const SumView &view, Solution &solution) noexcept;
  // Returns the scores and the concave tables for the flow. Sets rises_.
  SumView concave_view() noexcept;
  // Raises each message at the rest column to the score of the labelling with all members in that
  // column.
  void add_nothing_counts(double *messages) const noexcept;

  const Instance *instance_;
  ColumnFlow flow_;
  double *free_row_;      // K zeros: the row of a member whose own score is left out
  const double **tables_; // K: tables with flat_ for the rest column; NULL without a rest column
  double *flat_;          // n + 1 zeros
  bool rises_ = false;    // the rest column's own table rises at its last entry
};

} // namespace chorale
