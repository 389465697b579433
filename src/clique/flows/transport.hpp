// The best labelling with given counts: a transportation problem.
#pragma once

#include "clique/flows/column_flow.hpp"

namespace chorale {

class Transport {
public:
  Transport(Layout &layout, std::int32_t members, std::int32_t columns) noexcept
      : flow_(layout, members, columns) {}

  // Returns the best sum of scores over labellings with counts[v] members in column v (n in all);
  // minus infinity if none exists or if interrupted. O(n (K^2 + n K)) at worst.
  double solve(const SumView &view, const std::int32_t *counts, Limits &limits) noexcept;
  // n: the labelling that solve() found.
  const std::int32_t *assignment() const noexcept { return flow_.assignment(); }

private:
  ColumnFlow flow_;
};

} // namespace chorale
