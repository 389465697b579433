// Counts that add up to n, the best for the columns of a dual at its last prices.
//
// Where tables forbid counts, the counts that columns choose by themselves rarely add up, nor do
// single moves lead from one feasible labelling to the next. A dynamic program over the columns
// finds counts that do, or that there are none.
#pragma once

#include "clique/count_dual.hpp"

namespace chorale {

class CountPlan {
public:
  CountPlan(Layout &layout, std::int32_t members, std::int32_t columns) noexcept;

  // Whether the program is small enough for a node of a search.
  bool is_cheap(const CountDual &dual) const noexcept;
  // The highest sum_v H_v(n_v) over counts in the dual's box that add up to n; minus infinity when
  // there are none. With the sum of the prices it bounds the box, and never less tightly than the
  // dual. O(n sum_v (hi_v - lo_v + 1)).
  double solve(const CountDual &dual) noexcept;
  // Those counts.
  const std::int32_t *counts() const noexcept { return counts_; }

private:
  std::int64_t members_;
  std::int64_t columns_;
  double *best_;         // 2 x (n + 1): over the columns so far, by the sum of their counts
  std::int32_t *choice_; // K x (n + 1): the last column's count in it
  std::int32_t *counts_; // K
};

} // namespace chorale
