// Derives potentials over other values: some values are omitted, some uncounted values are added.
#pragma once

#include "potential/potential.hpp"

namespace chorale {

// One omitted value that represents all omitted counted values. It is needed because they have
// count 0, but their f_v(0) still enters the potential. In a SUM the stand-in's table is constant,
// the sum of these f_v(0); no stand-in is needed if this sum is 0. In a MAX the stand-in is the
// omitted value with the greatest f_v(0), and is always needed.
struct StandIn {
  std::int32_t value = -1; // -1: none
  double sum = 0;          // SUM: the constant; not used by a MAX
};

// Returns the stand-in of the values of `source` that are not in `kept`. `kept`: values in
// ascending order; entries of -1 are ignored. O(R) if tables differ by value.
StandIn stand_in(const Potential &source, gsl::span<const std::int32_t> kept) noexcept;

// Returns a potential of from.size() values, in which value v is value from[v] of `source`, or
// uncounted if from[v] is -1; the other entries of `from` ascend. The new potential equals `source`
// with counts of 0 at the omitted values. `stand_in`: the result of stand_in(); its value must be
// in `from`. Without a stand-in, the terms f_v(0) of omitted values are left out. The new potential
// holds a reference on `source`. NULL if out of memory.
Potential *recolumn(const Memory &memory, const Potential &source,
                    gsl::span<const std::int32_t> from, const StandIn &stand_in = {}) noexcept;

} // namespace chorale
