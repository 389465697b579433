// The best labelling with given counts: a transportation problem.
#pragma once

#include "clique/column_flow.hpp"

namespace chorale {

class Transport {
public:
  Transport(Layout &layout, std::int32_t members, std::int32_t columns) noexcept
      : flow_(layout, members, columns) {}

  // The best sum of scores over labellings in which column v has counts[v] members (the counts add
  // up to n); minus infinity when there is none, or when interrupted. O(n (K^2 + n K)) at worst.
  double solve(const SumView &view, const std::int32_t *counts, Limits &limits) noexcept;
  const std::int32_t *assignment() const noexcept { return flow_.assignment(); }

private:
  ColumnFlow flow_;
};

} // namespace chorale
