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

  // Call the functions of the same names of the instance.
  bool spend(std::int64_t work) const noexcept { return instance->spend(work); }
  bool interrupted() const noexcept { return instance->interrupted(); }

  const double *row(std::int64_t i) const noexcept {
    return i == replaced ? replacement : scores + i * columns;
  }
  // Return `array`, which has one entry for each member or for each column, as a span.
  template <class T> gsl::span<T> by_member(T *array) const noexcept {
    return instance->by_member(array);
  }
  template <class T> gsl::span<T> by_column(T *array) const noexcept {
    return instance->by_column(array);
  }
  // Writes the number of members at each column to `counts`. False if interrupted.
  bool count(gsl::span<const std::int32_t> assignment,
             gsl::span<std::int32_t> counts) const noexcept {
    return instance->count(assignment, counts);
  }
  // Returns the sum of the members' scores at their columns in a labelling, added up in the order
  // of the members; minus infinity if interrupted.
  double member_score(gsl::span<const std::int32_t> assignment) const noexcept {
    return member_sum(assignment).total;
  }
  // Returns the sum that member_score() returns, and also the sum of the magnitudes of its terms.
  MeasuredSum member_sum(gsl::span<const std::int32_t> assignment) const noexcept {
    Expects(assignment.size() >= to_size(members));
    const std::int32_t *const x = assignment.data();
    MeasuredSum sum;
    if (!in_stretches(*this, members, 8, [&](std::int64_t begin, std::int64_t end) {
          for (std::int64_t i = begin; i < end; ++i)
            sum.add(row(i)[x[i]]);
        }))
      sum.total = kForbidden;
    return sum;
  }
  std::int64_t weight(std::int64_t i) const noexcept { return instance->weight(i); }
  bool weighted() const noexcept { return instance->weights != nullptr; }
  // Returns f_v(k).
  double entry(std::int64_t v, std::int64_t k) const noexcept {
    return tables ? tables[v][k] : instance->potential.entry(v, k);
  }
  // Returns the potential at `counts` (by column): the sum over v of f_v(counts[v]).
  double clique_score(gsl::span<const std::int32_t> counts) const noexcept {
    Expects(counts.size() >= to_size(columns));
    const std::int32_t *const n = counts.data();
    double total = 0;
    for (std::int64_t v = 0; v < columns; ++v)
      total += entry(v, n[v]);
    return total;
  }

  const Instance *instance;
  std::int32_t members; // n, the number of members
  std::int32_t columns; // K, the number of columns
  const double *scores; // members x columns
  const double *const *tables; // by column: its table, with an entry for each count 0 .. n;
                               // NULL if members have weights
  std::int32_t replaced = -1;  // the member whose scores are replaced, or -1
  const double *replacement = nullptr; // by column: the scores of the member `replaced`
};

} // namespace chorale
