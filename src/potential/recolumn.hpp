// Potentials over other values: some values omitted, some that do not count added.
#pragma once

#include "potential/potential.hpp"

namespace chorale {

// True if values of the potential may be omitted; values can always be added.
inline bool may_leave_out(const Potential &potential) noexcept {
  return potential.family != CHORALE_FAMILY_CALLBACK &&
         potential.source != TableSource::cardinality;
}

// Omitted values have count 0, but f_v(0) may be nonzero. If so, one omitted value is retained to
// stand in for all: in a SUM its table is constant, the sum of f_v(0) over the omitted values; in a
// MAX it is the omitted value with the greatest f_v(0). `value`: this value, or -1.
struct StandIn {
  std::int32_t value = -1;
  double sum = 0; // SUM
};

// `kept`: values that are not omitted, ascending, possibly with -1 in between. O(R) with tables by
// value.
StandIn stand_in(const Potential &source, const std::int32_t *kept, std::int64_t count) noexcept;

// Returns the potential whose value v is value from[v] of `source`, or does not count if from[v] is
// -1; the other entries of `from` ascend. Equal to `source` for counts of 0 of the omitted values,
// up to the constant of stand_in(), which is included if from[] contains the stand-in. Holds a
// reference on `source`. NULL if memory runs out.
Potential *recolumn(const Memory &memory, const Potential &source, const std::int32_t *from,
                    std::int32_t values, const StandIn &stand_in = {}) noexcept;

} // namespace chorale
