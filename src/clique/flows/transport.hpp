// Finds the best labelling with given counts: a transportation problem.
#pragma once

#include "clique/flows/column_flow.hpp"

namespace chorale {

class Transport {
public:
  Transport(Layout &layout, std::int32_t members, std::int32_t columns) noexcept
      : flow_(layout, members, columns) {}

  // Returns the greatest sum of member scores of a labelling with counts[v] members in each column
  // v, or minus infinity if there is none or if interrupted. `counts`: K numbers that add up to n.
  // O(n (K^2 + n K)) at worst.
  double solve(const SumView &view, gsl::span<const std::int32_t> counts,
               Limits &limits) noexcept;
  // The labelling that solve() found (n columns).
  gsl::span<const std::int32_t> assignment() const noexcept { return flow_.assignment(); }

private:
  ColumnFlow flow_;
};

} // namespace chorale
