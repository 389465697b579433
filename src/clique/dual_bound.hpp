// The dual bound of a SUM clique by itself, with the labellings its ascent meets.
#pragma once

#include "clique/dual_ascent.hpp"

namespace chorale {

class DualBound {
public:
  DualBound(Layout &layout, const Instance &instance) noexcept;

  // Starts from the labelling in `solution`, if any. At most iteration_limit steps of O(n K) once
  // prices settle, O(n K log n) before. Solution.infeasible where the dual proves it.
  void run(const SolveOptions &options, Limits &limits, Solution &solution) noexcept;

private:
  const Instance *instance_;
  CountDual dual_;
  DualAscent ascent_;
  double *prices_; // n
};

} // namespace chorale
