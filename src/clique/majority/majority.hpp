// Functions shared by all algorithms for MAJORITY: feasibility, and exact scores of labellings.
// They obey the limits of the instance.
#pragma once

#include "clique/instance.hpp"

namespace chorale {

// Returns the number of columns that can be the majority: all except the last if it is the rest
// column (the uncounted values).
inline std::int32_t counted_columns(const CliquePotential &potential) noexcept {
  return potential.columns - (potential.has_rest() ? 1 : 0);
}

// True if every member has an admissible column, so that some labelling scores above minus
// infinity. If not, marks `solution` infeasible. False if interrupted, without marking it.
bool is_feasible(const Instance &instance, Solution &solution) noexcept;

// Returns the potential of `counts` (K): the best total over the columns that tie for the highest
// count; 0 if no member has a counted column. O(K) for each tied column.
double majority_total(const CliquePotential &potential,
                      gsl::span<const std::int32_t> counts) noexcept;

// Returns the exact score of `assignment` (n) with `counts` (K): the member scores plus the
// potential; minus infinity if interrupted.
double majority_score(const Instance &instance, gsl::span<const std::int32_t> assignment,
                      gsl::span<const std::int32_t> counts) noexcept;

// Copies the labelling to `solution` if it scores higher. Returns the labelling's score.
double offer(const Instance &instance, gsl::span<const std::int32_t> assignment,
             gsl::span<const std::int32_t> counts, Solution &solution) noexcept;

// Calls offer() for the labelling with every member in the rest column. This labelling has no
// majority column, so searches over majority columns do not find it. True if the rest column exists
// and every member may take it. `assignment` (n) and `counts` (K) are scratch.
bool offer_all_in_rest(const Instance &instance, gsl::span<std::int32_t> assignment,
                       gsl::span<std::int32_t> counts, Solution &solution) noexcept;

// Returns a number whose negative may replace minus infinity in forbidden entries: it is at least
// four times the greatest score difference between labellings without forbidden entries, so a
// labelling with fewer forbidden entries always scores higher. The number is a power of two, to
// reduce rounding; infinite on overflow.
double forbidding_penalty(const Instance &instance) noexcept;

} // namespace chorale
