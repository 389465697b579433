// A potential of another strength over the same numbers.
#pragma once

#include "potential/potential.hpp"

namespace chorale {

// Whether a factor is a score and factor * `source` keeps every number in the range of scores. O(1)
// where the factor does not raise it above what was checked already, else O(size).
bool may_rescale(const Potential &source, double factor) noexcept;

// The greatest factor that does; O(size).
double greatest_factor(const Potential &source) noexcept;

// factor * `source`; factor >= 0. It holds a reference on the potential whose numbers it reads.
// NULL where memory ran out.
Potential *rescale(const Memory &memory, const Potential &source, double factor) noexcept;

} // namespace chorale
