// A potential made ready for one clique: scaled for its n members, over the *columns* of the
// problem instead of its values.
//
// Columns are the counted values in their order, and after them, if any value does not count, one
// more: `rest`. Members that take a value that does not count all look alike to the potential, so
// the best such value of each member stands for all of them.
#pragma once

#include "base/limits.hpp"
#include "base/workspace.hpp"
#include "potential/potential.hpp"

#include <algorithm>

namespace chorale {

enum class Form : std::int32_t { sum, max, majority, pairs, callback };

struct CliquePotential {
  // Takes the memory for `members` members; `prepare` then fills it. False where the limits (NULL:
  // none) ended it. What is computed with the potential goes by the same limits.
  CliquePotential(Layout &layout, const Potential &potential, std::int32_t members) noexcept;
  bool prepare(Limits *limits = nullptr) noexcept;

  // Whether to go on with `work` more steps, see Limits; and whether it was ever no.
  bool spend(std::int64_t work) const noexcept { return !limits || limits->spend(work); }
  bool interrupted() const noexcept {
    return limits && limits->interruption() != Interruption::none;
  }

  bool has_rest() const noexcept { return rest >= 0; }
  // What a column gains by another member, at least and at most, and never to the far side of 0, in
  // a convex sum: there tables are steepest at their ends.
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
  const Potential *source;
  Form form;
  std::int32_t members;
  std::int32_t columns; // K: counted values, and one for the rest if there is one
  std::int32_t rest;    // the last column, or -1

  // sum, max: tables[column][k], k = 0 .. members. Of a sum, the rest column has a table too: zero,
  // but for what makes the total 0 when nothing counts. Of a max it has none (NULL).
  const double **tables = nullptr;
  // sum: no count is forbidden; known before prepare().
  bool finite = false;
  // sum: every table, that of the rest included.
  bool convex = false;
  // sum: every table, but for a rise of the rest's to its last entry, "nothing counts".
  bool concave = false;

  // majority: columns x columns scaled weights, row the majority column, zero for the rest; biases.
  double *weights = nullptr;
  double *bias = nullptr;

  // pairs: C = sum_{u,v} pair[u][v] n_u n_v - sum_v pair[v][v] n_v, symmetric, scaled, zero for the
  // rest.
  double *pair = nullptr;

  // callback: counts by value for the call, and each column's value (rest: -1).
  std::int64_t *value_counts = nullptr;
  std::int32_t *value_of_column = nullptr;

private:
  double *owned_tables = nullptr; // tables that had to be written out
  std::int32_t owned_count = 0;
};

// Whether the tables of a SUM are convex (concave) for cliques of n members, in the sense above,
// without preparing one.
bool is_convex(const Potential &potential, std::int64_t members) noexcept;
bool is_concave(const Potential &potential, std::int64_t members) noexcept;
// The form in which a clique of this potential is solved.
Form form_of(const Potential &potential) noexcept;
// K of CliquePotential.
std::int32_t columns_of(const Potential &potential) noexcept;

} // namespace chorale
