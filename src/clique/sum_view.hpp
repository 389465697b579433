// A SUM clique as the exact solvers see it: the scores and tables of an instance, where one
// member's row can stand replaced (by "only v" or "anything", for max-marginals).
#pragma once

#include "clique/instance.hpp"

#include <algorithm>

namespace chorale {

struct SumView {
  explicit SumView(const Instance &instance) noexcept
      : members(instance.members), columns(instance.columns), scores(instance.scores),
        tables(instance.potential.tables) {}

  const double *row(std::int64_t i) const noexcept {
    return i == replaced ? replacement : scores + i * columns;
  }
  void count(const std::int32_t *assignment, std::int32_t *counts) const noexcept {
    std::fill(counts, counts + columns, 0);
    for (std::int64_t i = 0; i < members; ++i)
      ++counts[assignment[i]];
  }
  // The scores of an assignment, in the order of the members.
  double member_score(const std::int32_t *assignment) const noexcept {
    double total = 0;
    for (std::int64_t i = 0; i < members; ++i)
      total += row(i)[assignment[i]];
    return total;
  }
  // sum_v f_v(n_v).
  double clique_score(const std::int32_t *counts) const noexcept {
    double total = 0;
    for (std::int64_t v = 0; v < columns; ++v)
      total += tables[v][counts[v]];
    return total;
  }

  std::int32_t members; // n
  std::int32_t columns; // K
  const double *scores; // n x K
  const double *const *tables;
  std::int32_t replaced = -1;
  const double *replacement = nullptr; // K
};

} // namespace chorale
