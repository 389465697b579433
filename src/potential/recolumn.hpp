// Derives potentials over other values: some values omitted, some uncounted values added.
#pragma once

#include "potential/potential.hpp"

namespace chorale {

// True if values of the potential may be omitted; values can always be added.
inline bool may_leave_out(const Potential &potential) noexcept {
  return potential.family != CHORALE_FAMILY_CALLBACK &&
         potential.source != TableSource::cardinality;
}

// One omitted value that represents all omitted values, needed if some f_v(0) is nonzero: omitted
// values have count 0, but f_v(0) still enters the potential. In a SUM its table is constant, the
// sum of f_v(0) over the omitted values; in a MAX it is the omitted value with the greatest f_v(0).
struct StandIn {
  std::int32_t value = -1; // -1: none
  double sum = 0;          // SUM: the constant
};

// Returns the stand-in. kept: `count` values that are not omitted, ascending; entries of -1 are
// ignored. O(R) if tables differ by value.
StandIn stand_in(const Potential &source, const std::int32_t *kept, std::int64_t count) noexcept;

// Returns the potential whose value v is value from[v] of `source`, or is uncounted if from[v] is
// -1; the other entries of `from` ascend. Equals `source` with counts of 0 at the omitted values,
// up to the constant of stand_in(), which is included if from[] contains the stand-in. Holds a
// reference on `source`. NULL if out of memory.
Potential *recolumn(const Memory &memory, const Potential &source, const std::int32_t *from,
                    std::int32_t values, const StandIn &stand_in = {}) noexcept;

} // namespace chorale
