// Derives potentials over other values: some values of the source are omitted, and some uncounted
// values are added.
#pragma once

#include "potential/potential.hpp"

namespace chorale {

// True if no counted value may be omitted, even if no member has it. True for a MAX, which is the
// maximum over all counted values; for a cardinality potential, whose two counted values are told
// apart by their order; and for a SUM with a stored table that does not begin with 0. O(R) if
// tables differ by value.
bool reads_absent_values(const Potential &source) noexcept;

// Returns a potential of from.size() values, in which value v is value from[v] of `source`, or
// uncounted if from[v] is -1; the other entries of `from` ascend. The new potential equals `source`
// with counts of 0 at the omitted values, unless reads_absent_values(source). If `source` is a
// callback, no value may be omitted. The new potential holds a reference on `source`. NULL if out
// of memory.
Potential *recolumn(const Memory &memory, const Potential &source,
                    gsl::span<const std::int32_t> from) noexcept;

} // namespace chorale
