// Derives potentials over other values: some values are omitted, some uncounted values are added.
#pragma once

#include "potential/potential.hpp"

namespace chorale {

// True if no counted value may be omitted, even if no member has it: a MAX compares all of them, a
// cardinality potential knows its two counted values by their order, and tables of a SUM may not
// begin with 0. O(R) if tables differ by value.
bool reads_absent_values(const Potential &source) noexcept;

// Returns a potential of from.size() values, in which value v is value from[v] of `source`, or
// uncounted if from[v] is -1; the other entries of `from` ascend. The new potential equals `source`
// with counts of 0 at the omitted values, unless reads_absent_values(source). The new potential
// holds a reference on `source`. NULL if out of memory.
Potential *recolumn(const Memory &memory, const Potential &source,
                    gsl::span<const std::int32_t> from) noexcept;

} // namespace chorale
