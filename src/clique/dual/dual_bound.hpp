// Computes an upper bound on the score of a SUM clique by its Lagrangian dual (count_dual.hpp), and
// labellings by rounding the dual's choices.
//
// Notation (instance.hpp): n members, K columns.
#pragma once

#include "clique/dual/dual_ascent.hpp"

namespace chorale {

class DualBound {
public:
  DualBound(Layout &layout, const Instance &instance) noexcept;

  // Lowers solution.bound, and improves the labelling in `solution` or finds a first one. Makes at
  // most options.iteration_limit steps (0: kSteps in dual_bound.cpp). A step takes O(n K log n) at
  // first, and O(n K) once prices change little. Sets solution.infeasible if the dual proves that
  // no labelling exists.
  void run(const SolveOptions &options, Limits &limits, Solution &solution) noexcept;

private:
  const Instance *instance_;
  CountDual dual_;
  DualAscent ascent_;
  gsl::span<double> prices_; // n: prices of the dual
};

} // namespace chorale
