// Finds the counts n_v that maximise sum_v H_v(n_v) among all counts that add up to n, by a dynamic
// program over the columns. H_v(k) is the value of column v with k members in the dual of
// count_dual.hpp, at the prices of its latest CountDual::evaluate(). Also detects that there are no
// such counts.
//
// Useful where tables forbid counts: the counts that the columns choose independently then rarely
// add up to n, and no single-member move leads from one feasible labelling to another.
//
// Notation (instance.hpp): n members, K columns.
#pragma once

#include "clique/dual/count_dual.hpp"

namespace chorale {

class CountPlan {
public:
  CountPlan(Layout &layout, std::int32_t members, std::int32_t columns) noexcept;

  // True if solve() is cheap enough to be called in every node of a search.
  bool is_cheap(const CountDual &dual) const noexcept;
  // Returns the greatest sum_v H_v(n_v) over counts in the dual's box that add up to n, or minus
  // infinity if there are none. This sum plus the sum of the prices is an upper bound on the scores
  // in the box, and at least as tight as the bound of the dual. O(n sum_v (hi_v - lo_v + 1)). If
  // interrupted, minus infinity.
  double solve(const CountDual &dual, Limits &limits) noexcept;
  // Returns the counts that solve() found, by column.
  gsl::span<const std::int32_t> counts() const noexcept { return {counts_, to_size(columns_)}; }

private:
  std::int64_t members_;
  std::int64_t columns_;
  // 2 x (n + 1): by s, best value of columns 0 .. v whose counts sum to s; one row for the last column
  // added and one for the next.
  double *best_;
  std::int32_t *choice_; // K x (n + 1): by v and s, the count of column v in that best value
  std::int32_t *counts_; // K: see counts()
};

} // namespace chorale
