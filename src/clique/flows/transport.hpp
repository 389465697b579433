// Finds the best labelling with given counts: a transportation problem.
//
// Notation (instance.hpp): n members, K columns.
#pragma once

#include "clique/flows/column_flow.hpp"

namespace chorale {

class Transport {
public:
  Transport(Layout &layout, std::int32_t members, std::int32_t columns) noexcept
      : flow_(layout, members, columns) {}

  // Returns the greatest sum of member scores over the labellings with counts[v] members in each
  // column v. Returns minus infinity if there is no such labelling or if interrupted. `counts`: K
  // numbers that add up to n. O(n (K^2 + n K)) at worst.
  double solve(const SumView &view, gsl::span<const std::int32_t> counts,
               Limits &limits) noexcept;
  // Returns the labelling that solve() found: the column of each member.
  gsl::span<const std::int32_t> assignment() const noexcept { return flow_.assignment(); }

private:
  ColumnFlow flow_;
};

} // namespace chorale
