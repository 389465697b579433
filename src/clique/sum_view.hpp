// A SUM clique as the exact solvers see it: the scores and tables of an instance. To compute
// max-marginals, the scores of one member may be replaced, for example by scores that allow one
// column only, or by zeros.
#pragma once

#include "clique/instance.hpp"

#include <algorithm>

namespace chorale {

struct SumView {
  explicit SumView(const Instance &of) noexcept
      : instance(&of), members(of.members), columns(of.columns), scores(of.scores),
        tables(of.potential.tables) {}

  // These two do what they do in Instance.
  bool spend(std::int64_t work) const noexcept { return instance->spend(work); }
  bool interrupted() const noexcept { return instance->interrupted(); }

  const double *row(std::int64_t i) const noexcept {
    return i == replaced ? replacement : scores + i * columns;
  }
  bool count(const std::int32_t *assignment, std::int32_t *counts) const noexcept {
    return instance->count(assignment, counts);
  }
  // Returns the sum of member scores of an assignment, added up in the order of the members.
  double member_score(const std::int32_t *assignment) const noexcept {
    return member_sum(assignment).total;
  }
  MeasuredSum member_sum(const std::int32_t *assignment) const noexcept {
    MeasuredSum sum;
    if (!in_stretches(*this, members, 8, [&](std::int64_t begin, std::int64_t end) {
          for (std::int64_t i = begin; i < end; ++i)
            sum.add(row(i)[assignment[i]]);
        }))
      sum.total = kForbidden;
    return sum;
  }
  // Returns sum_v f_v(n_v) of `counts` (K).
  double clique_score(const std::int32_t *counts) const noexcept {
    double total = 0;
    for (std::int64_t v = 0; v < columns; ++v)
      total += tables[v][counts[v]];
    return total;
  }

  const Instance *instance;
  std::int32_t members; // n
  std::int32_t columns; // K
  const double *scores; // n x K
  const double *const *tables; // K tables of n + 1 entries: f_v(k)
  std::int32_t replaced = -1;  // the member whose scores are replaced, or -1
  const double *replacement = nullptr; // K: the scores of this member
};

} // namespace chorale
