// SUM potentials with concave tables: the optimum, by one shortest augmenting path a member.
#pragma once

#include "clique/column_flow.hpp"

namespace chorale {

class ConcaveFlow {
public:
  ConcaveFlow(Layout &layout, const Instance &instance) noexcept;

  // O(n (K^2 + n K)) at worst; a path usually touches a few columns.
  void run(const SolveOptions &options, Limits &limits, Solution &solution) noexcept;

  // messages[i * K + v]: the best F with x_i = v, member i's own score counted as 0; minus infinity
  // where there is none. One flow and O(K^3 + n K); n flows in the one case where no labelling is
  // feasible but some would be if one member's forbidden entries were not. Also leaves the best
  // labelling in `solution`. False when interrupted: then every entry is minus infinity.
  bool messages(Limits &limits, Solution &solution, double *messages) noexcept;

private:
  // Places all members; the number that found no room. Stops at `tolerated` of those, and when
  // interrupted.
  std::int32_t place_all(const SumView &view, std::int32_t tolerated, Limits &limits) noexcept;
  void take_optimum(Solution &solution) noexcept;

  const Instance *instance_;
  ColumnFlow flow_;
  double *free_row_; // K zeros: the row of a member whose own score is left out
};

} // namespace chorale
