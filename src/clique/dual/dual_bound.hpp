// The dual bound of a SUM clique (count_dual.hpp), with labellings rounded from it on the way.
#pragma once

#include "clique/dual/dual_ascent.hpp"

namespace chorale {

class DualBound {
public:
  DualBound(Layout &layout, const Instance &instance) noexcept;

  // Lowers solution.bound, and improves the labelling in `solution`, if any. Makes at most
  // iteration_limit steps (0: the default), each O(n K) once prices settle, O(n K log n) before.
  // Sets solution.infeasible if the dual proves that no labelling exists.
  void run(const SolveOptions &options, Limits &limits, Solution &solution) noexcept;

private:
  const Instance *instance_;
  CountDual dual_;
  DualAscent ascent_;
  double *prices_; // n: see CountDual
};

} // namespace chorale
