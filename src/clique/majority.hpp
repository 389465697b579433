// What every algorithm for MAJORITY shares: the true score of a labelling.
#pragma once

#include "clique/instance.hpp"

namespace chorale {

// The columns that can be the majority: all but the rest, which is the last.
inline std::int32_t counted_columns(const CliquePotential &potential) noexcept {
  return potential.columns - (potential.has_rest() ? 1 : 0);
}

// Whether every member has an admissible column, so that some labelling is above minus infinity. If
// not, says so in `solution`. All of these go by the limits of the instance; where these end one, it
// is as if there were no labelling.
bool is_feasible(const Instance &instance, Solution &solution) noexcept;

// The potential of `counts`: the best of the columns that tie for the highest count; 0 when nothing
// counts. O(K) for each tied column.
double majority_total(const CliquePotential &potential, const std::int32_t *counts) noexcept;

// The score of a labelling without forbidden entries, whatever column it was made for.
double majority_score(const Instance &instance, const std::int32_t *assignment,
                      const std::int32_t *counts) noexcept;

// Keeps the labelling if it scores higher than the best so far. Returns its score.
double offer(const Instance &instance, const std::int32_t *assignment, const std::int32_t *counts,
             Solution &solution) noexcept;

// Offers everybody in the rest, where nothing counts: no column's majority covers it. Whether
// everybody may. `assignment` (n) and `counts` (K) are scratch.
bool offer_all_in_rest(const Instance &instance, std::int32_t *assignment, std::int32_t *counts,
                       Solution &solution) noexcept;

// More than any choice of finite entries makes up for, four times over: so the value of a labelling
// tells how many forbidden entries it contains. A power of two, so that it rounds nothing off that
// it need not; infinite where it would overflow.
double forbidding_penalty(const Instance &instance) noexcept;

} // namespace chorale
