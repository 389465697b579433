// Derives potentials of another strength. The derived potential and its source share their numbers
// in memory.
#pragma once

#include "potential/potential.hpp"

namespace chorale {

// True if `factor` and all numbers of factor * `source` are in the range of scores. O(1) if the
// resulting strength is at most 1, otherwise linear in the size of the tables or matrices.
bool may_rescale(const Potential &source, double factor) noexcept;

// Returns the greatest factor that may_rescale() accepts. Linear in the size of the tables or
// matrices.
double greatest_factor(const Potential &source) noexcept;

// Returns factor * `source`, for factor >= 0. The result holds a reference on the potential that
// owns the numbers: `source`, or the potential from which `source` was derived. NULL if out of
// memory.
Potential *rescale(const Memory &memory, const Potential &source, double factor) noexcept;

} // namespace chorale
