// SUM potentials with concave tables: the optimum, by one shortest augmenting path a member.
//
// "Nothing counts" scores 0. Where tables add up to less at a count of 0, that is one labelling
// above a concave sum: the flow runs without what the rest column makes up for, and the labelling
// with all members in the rest column is looked at besides.
#pragma once

#include "clique/flows/column_flow.hpp"

namespace chorale {

class ConcaveFlow {
public:
  // messages: whether they will be asked for, which takes more memory. O(n K) either way.
  ConcaveFlow(Layout &layout, const Instance &instance, bool messages = true) noexcept;

  // O(n (K^2 + n K)) at worst; a path usually touches a few columns.
  void run(const SolveOptions &options, Limits &limits, Solution &solution) noexcept;

  // messages[i * K + v]: the best F with x_i = v, member i's own score counted as 0; minus infinity
  // where there is none. One flow and O(m^3 + n K) for m = min(n, K); n flows in the one case where no labelling is
  // feasible but some would be if one member's forbidden entries were not. Also leaves the best
  // labelling in `solution`. False when interrupted: then every entry is minus infinity.
  bool messages(Limits &limits, Solution &solution, double *messages) noexcept;

private:
  // Places all members; the number that found no room. Stops at `tolerated` of those, and when
  // interrupted.
  std::int32_t place_all(const SumView &view, std::int32_t tolerated, Limits &limits) noexcept;
  void take_optimum(const SumView &view, Solution &solution) noexcept;
  // The scores and concave tables that the flow runs on.
  SumView concave_view() noexcept;
  // Raises the messages at the rest column to "and all others are there too".
  void add_nothing_counts(double *messages) const noexcept;

  const Instance *instance_;
  ColumnFlow flow_;
  double *free_row_;      // K zeros: the row of a member whose own score is left out
  const double **tables_; // K, without a rise at the end of the last; NULL without a rest column
  double *flat_;          // n + 1 zeros: the rest column's table in its place
  bool rises_ = false;    // whether "nothing counts" stands above the tables of the flow
};

} // namespace chorale
