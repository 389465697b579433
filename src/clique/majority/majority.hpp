// Functions that all algorithms for MAJORITY share: feasibility and the exact score of a labelling.
#pragma once

#include "clique/instance.hpp"

namespace chorale {

// Number of columns that can be the majority: all but the rest column (uncounted values), the last.
inline std::int32_t counted_columns(const CliquePotential &potential) noexcept {
  return potential.columns - (potential.has_rest() ? 1 : 0);
}

// True if every member has an admissible column, so that some labelling scores above minus
// infinity. Otherwise marks `solution` infeasible. All functions of this file obey the limits of
// the instance; an interrupted function returns as if no labelling existed.
bool is_feasible(const Instance &instance, Solution &solution) noexcept;

// Returns the potential of `counts` (K): the best total over the columns that tie for the highest
// count; 0 if no member has a counted column. O(K) for each tied column.
double majority_total(const CliquePotential &potential, const std::int32_t *counts) noexcept;

// Returns a labelling's exact score, member scores and potential; minus infinity if interrupted.
double majority_score(const Instance &instance, const std::int32_t *assignment,
                      const std::int32_t *counts) noexcept;

// Copies the labelling to `solution` if it scores higher. Returns the labelling's score.
double offer(const Instance &instance, const std::int32_t *assignment, const std::int32_t *counts,
             Solution &solution) noexcept;

// Offers the labelling with every member in the rest column, which has no majority value and so is
// covered by no search over majority values. True if every member may take the rest column.
// `assignment` (n) and `counts` (K) are scratch.
bool offer_all_in_rest(const Instance &instance, std::int32_t *assignment, std::int32_t *counts,
                       Solution &solution) noexcept;

// Returns a penalty for forbidden entries that exceeds the greatest score difference between
// labellings of finite entries at least fourfold. So the score of a labelling tells how many
// forbidden entries it contains. A power of two, so that adding it rounds as little as possible;
// infinite on overflow.
double forbidding_penalty(const Instance &instance) noexcept;

} // namespace chorale
