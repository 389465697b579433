// The best counts with sum n for the column values H_v of a dual (count_dual.hpp) at its last
// prices, by a dynamic program over the columns, which also proves if no such counts exist.
//
// Useful where tables forbid counts: the counts that the columns choose independently then rarely
// add up to n, and no single-member move leads from one feasible labelling to another.
#pragma once

#include "clique/dual/count_dual.hpp"

namespace chorale {

class CountPlan {
public:
  CountPlan(Layout &layout, std::int32_t members, std::int32_t columns) noexcept;

  // True if the program is cheap enough to run in every node of a search.
  bool is_cheap(const CountDual &dual) const noexcept;
  // Returns the highest sum_v H_v(n_v) over counts in the dual's box that add up to n; minus
  // infinity if none exist. Plus the sum of the prices, this is an upper bound for the box, at
  // least as tight as the dual's. O(n sum_v (hi_v - lo_v + 1)).
  double solve(const CountDual &dual) noexcept;
  // K: the counts that solve() found.
  const std::int32_t *counts() const noexcept { return counts_; }

private:
  std::int64_t members_;
  std::int64_t columns_;
  double *best_;         // 2 x (n + 1): best value of columns 0 .. v by the sum of their counts
  std::int32_t *choice_; // K x (n + 1): count of column v in this best value, by sum of counts
  std::int32_t *counts_; // K: see counts()
};

} // namespace chorale
