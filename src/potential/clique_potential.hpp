// A potential prepared for one clique: scaled for its n members, over *columns* instead of values.
//
// Columns are the counted values in ascending order and, if some value is uncounted, one more, the
// *rest column*. The potential does not distinguish uncounted values, so the rest column stands for
// each member's best uncounted value.
#pragma once

#include "base/limits.hpp"
#include "base/workspace.hpp"
#include "potential/potential.hpp"

#include <algorithm>

namespace chorale {

enum class Form : std::int32_t { sum, max, majority, pairs, callback };

// True if the tables of the counted values are convex (concave) up to `members`, by their numbers
// or by declaration. Of a SUM that is not made of pairs.
bool are_tables_of_shape(const Potential &potential, std::int64_t members,
                         chorale_shape shape) noexcept;

// Properties of a clique that do not depend on its scores; they decide which algorithms fit. The
// constructor takes O(R).
struct CliqueKind {
  CliqueKind() = default;
  CliqueKind(const Potential &potential, std::int32_t members) noexcept;

  bool has_rest() const noexcept { return rest >= 0; }
  // Returns the column of a value. `value_of_column`: the value of each column, in ascending order.
  std::int32_t column_of(std::int32_t value, const std::int32_t *value_of_column) const noexcept;

  const Potential *source = nullptr;
  Form form = Form::sum;    // the form of the potential that algorithms use
  std::int32_t members = 0; // n
  std::int32_t columns = 0; // K: number of columns, with the rest column if it exists
  std::int32_t rest = -1;   // index of the rest column, the last, or -1
  // SUM: no count is forbidden.
  bool finite = false;
  // SUM: all tables are convex, by their numbers or by declaration, including that of the rest
  // column.
  bool convex = false;
  // SUM: all tables are concave; the rest column's table may rise at entry `members`.
  bool concave = false;
  // Some member counts more than once. `members` is then the sum of the weights, and only
  // WeightedSearch takes the clique.
  bool weighted = false;

  // True if members may have weights: a SUM whose tables are convex and forbid no count.
  // some_uncounted: members may also show values beyond those of the potential, uncounted.
  bool takes_weights(bool some_uncounted = false) const noexcept;
};

struct CliquePotential : CliqueKind {
  // The constructor takes memory for a clique of `kind`; prepare() fills it, and returns false if
  // interrupted. `limits` (NULL: none) also apply to all computations with this potential.
  CliquePotential(Layout &layout, const CliqueKind &kind) noexcept;
  bool prepare(Limits *limits = nullptr) noexcept;

  // spend: true if a computation may go on with `work` more steps, see Limits. interrupted: true if
  // an earlier spend() returned false.
  bool spend(std::int64_t work) const noexcept { return !limits || limits->spend(work); }
  bool interrupted() const noexcept {
    return limits && limits->interruption() != Interruption::none;
  }

  // In a convex sum: least and greatest change of a column's table when a member joins, extended to
  // include 0. Tables of a convex sum are steepest at their ends.
  struct Steps {
    double lowest = 0;
    double highest = 0;
  };
  Steps convex_steps() const noexcept {
    Steps steps;
    for (std::int32_t v = 0; v < columns; ++v) {
      steps.lowest = std::min(steps.lowest, tables[v][1] - tables[v][0]);
      steps.highest = std::max(steps.highest, tables[v][members] - tables[v][members - 1]);
    }
    return steps;
  }

  Limits *limits = nullptr;

  // SUM and MAX: tables[column][k], k = 0 .. members. In a SUM the table of the rest column is 0
  // except for entry `members`, which makes the total 0 if all members are in the rest column; in
  // separable PAIRS this table is a parabola. In a MAX it is NULL.
  const double **tables = nullptr;

  // MAJORITY: K x K scaled weights, one row a majority column; K biases. 0 for the rest column.
  double *weights = nullptr;
  double *bias = nullptr;

  // PAIRS: K x K, symmetric, scaled, 0 for the rest column; the score is sum_{u,v} pair[u][v] n_u
  // n_v - sum_v pair[v][v] n_v.
  double *pair = nullptr;

  // Callback: the counts passed to it, R by value; value of each column (K), -1 for the rest
  // column.
  std::int64_t *value_counts = nullptr;
  std::int32_t *value_of_column = nullptr;

private:
  double *owned_tables = nullptr; // owned_count x (n + 1): tables that differ from the source's
  std::int32_t owned_count = 0;
};

} // namespace chorale
