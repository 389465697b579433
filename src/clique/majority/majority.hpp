// Functions shared by all algorithms for MAJORITY: exact scores of labellings, and a penalty.
// They obey the limits of the instance.
//
// Notation (instance.hpp): n members, K columns; psi_iv is the score of member i at column v. w_av
// and b_a are the weights and biases of the potential.
#pragma once

#include "clique/instance.hpp"

namespace chorale {

// Returns the number of columns that can be the majority: all except the last if it is the rest
// column (the uncounted values).
inline std::int32_t counted_columns(const CliquePotential &potential) noexcept {
  return potential.columns - (potential.has_rest() ? 1 : 0);
}

// Copies the labelling to `solution` if it scores more than the solution. Returns the labelling's
// exact score, which is the sum of its member scores plus the potential; minus infinity if
// interrupted. `assignment`: the column of each member. `counts` (K): the number of members at each
// column.
double offer(const Instance &instance, gsl::span<const std::int32_t> assignment,
             gsl::span<const std::int32_t> counts, Solution &solution) noexcept;

// Calls offer() for the labelling with every member in the rest column. This labelling has no
// majority column, so searches over majority columns do not find it. True if the rest column exists
// and every member may take it; false also if interrupted. `assignment` (n) and `counts` (K) are
// scratch.
bool offer_all_in_rest(const Instance &instance, gsl::span<std::int32_t> assignment,
                       gsl::span<std::int32_t> counts, Solution &solution) noexcept;

// Returns a number P such that -P may replace minus infinity in forbidden entries. P is at least
// four times the greatest score difference between labellings without forbidden entries, so a
// labelling with fewer forbidden entries always scores higher. P is a power of two, to reduce
// rounding, or infinite on overflow.
double forbidding_penalty(const Instance &instance) noexcept;

} // namespace chorale
