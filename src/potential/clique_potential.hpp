// A potential prepared for one clique: scaled for its n members, over K *columns* instead of R
// values.
//
// Columns are the counted values in ascending order and, if some value is uncounted, one more
// column, the *rest column*. It stands for all uncounted values, since the potential does not
// distinguish them.
#pragma once

#include "base/limits.hpp"
#include "base/workspace.hpp"
#include "potential/potential.hpp"

#include <algorithm>

namespace chorale {

// True if the tables of all counted values have this shape (CONVEX or CONCAVE) for counts from 0 to
// `members`, by their numbers or by the caller's declaration. Always false for PAIRS and for
// families without tables.
bool are_tables_of_shape(const Potential &potential, std::int64_t members,
                         chorale_shape shape) noexcept;

// Facts about a clique that do not depend on its scores and that decide which algorithms can solve
// the clique. The constructor takes O(R).
struct CliqueKind {
  CliqueKind() = default;
  CliqueKind(const Potential &potential, std::int32_t members) noexcept;

  bool has_rest() const noexcept { return rest >= 0; }
  // Returns the column of a value. `value_of_column`: as in CliquePotential.
  std::int32_t column_of(std::int32_t value,
                         gsl::span<const std::int32_t> value_of_column) const noexcept;

  const Potential *source = nullptr;
  Form form = Form::sum;    // the family; but separable PAIRS have the form `sum`
  std::int32_t members = 0; // n
  std::int32_t columns = 0; // K: number of columns, with the rest column if it exists
  std::int32_t rest = -1;   // index of the rest column, which is the last; -1 if there is none
  // SUM: no count is forbidden.
  bool finite = false;
  // SUM: all tables are convex, also the rest column's table. A table is convex by its numbers or
  // by the caller's declaration.
  bool convex = false;
  // SUM: all tables are concave, except that the rest column's table may rise at entry `members`.
  bool concave = false;
  // Members have weights: a member of weight w counts w times. `members` is then the sum of the
  // weights. The constructor leaves this false; its caller sets it.
  bool weighted = false;

  // True if members may have weights: if the family is SUM, and all tables are convex and forbid no
  // count. some_uncounted: true if members may also take values that the potential does not have;
  // these are uncounted, so the table of their rest column must be convex, too.
  bool takes_weights(bool some_uncounted = false) const noexcept;
};

struct CliquePotential : CliqueKind {
  // Takes all arrays for a clique of `kind` from `layout`; list_columns() and prepare() fill them.
  CliquePotential(Layout &layout, const CliqueKind &kind) noexcept;
  // Computes value_of_column. O(R).
  void list_columns() noexcept;
  // Computes all other arrays. False if interrupted. `limits` (NULL: none) also apply to all later
  // computations with this potential. Requires that list_columns() has been called.
  bool prepare(Limits *limits = nullptr) noexcept;
  // Returns how many numbers prepare() computes at most, without the biases of MAJORITY.
  std::int64_t size() const noexcept {
    return form == Form::majority || form == Form::pairs
               ? std::int64_t{columns} * columns
               : owned_count * (std::int64_t{members} + 1);
  }

  // Counts `work` elementary steps. False if the limits interrupt the computation.
  bool spend(std::int64_t work) const noexcept { return !limits || limits->spend(work); }
  // True if the limits have interrupted the computation.
  bool interrupted() const noexcept {
    return limits && limits->interruption() != Interruption::none;
  }

  // The least and the greatest of 0 and all steps f_v(k + 1) - f_v(k) of the tables of a convex SUM
  // whose members have no weights. In a convex table the first step is the least and the last step
  // the greatest.
  struct Steps {
    double lowest = 0;
    double highest = 0;
    double range() const noexcept { return highest - lowest; }
  };
  Steps convex_steps() const noexcept {
    Steps steps;
    for (std::int32_t v = 0; v < columns; ++v) {
      steps.lowest = std::min(steps.lowest, tables[v][1] - tables[v][0]);
      steps.highest = std::max(steps.highest, tables[v][members] - tables[v][members - 1]);
    }
    return steps;
  }

  // SUM: returns f_v(k) of column v, scaled. If members have weights, the entry is computed in this
  // call, not stored, since a table has as many entries as the sum of the weights.
  double entry(std::int64_t v, std::int64_t k) const noexcept {
    return weighted ? computed_entry(v, k) : tables[v][k];
  }

  Limits *limits = nullptr;

  // SUM and MAX: tables[column][k] = f_v(k), scaled, for the value v of the column and k = 0 ..
  // members. The rest column's table: in a SUM, 0 except for entry `members`, which makes the total
  // 0 if all members are in the rest column (or minus infinity if some table forbids a count of 0);
  // in separable PAIRS, a parabola; in a MAX, NULL. If members have weights, `tables` itself is
  // NULL (see entry()).
  const double **tables = nullptr;

  // MAJORITY: K x K scaled weights and K scaled biases. Row a of the weights, and bias a, apply if
  // column a has the highest count. Both are 0 for the rest column.
  double *weights = nullptr;
  double *bias = nullptr;

  // PAIRS: K x K scaled scores of pairs of columns, symmetric, 0 for the rest column. With the
  // counts n_v of the columns, C is sum_{u,v} pair[u][v] n_u n_v - sum_v pair[v][v] n_v.
  double *pair = nullptr;

  // value_counts: CALLBACK only; the counts by value (R) that are passed to the callback.
  // value_of_column: all forms; the value of each column (K), -1 for the rest column.
  std::int64_t *value_counts = nullptr;
  std::int32_t *value_of_column = nullptr;

private:
  double computed_entry(std::int64_t v, std::int64_t k) const noexcept;

  // For members with weights, whose tables are not stored: the factor by which entries are scaled,
  // and the last entry of the rest column's table, whose other entries are 0.
  double factor_ = 1;
  double all_at_rest_ = 0;
  double *owned_tables = nullptr; // owned_count x (n + 1): the tables that prepare() computes
  std::int32_t owned_count = 0;
};

} // namespace chorale
