// A potential over other values: some left out, some added that do not count.
#pragma once

#include "potential/potential.hpp"

namespace chorale {

// Whether values of the potential may be left out; adding values is always possible.
inline bool may_leave_out(const Potential &potential) noexcept {
  return potential.family != CHORALE_FAMILY_CALLBACK &&
         potential.source != TableSource::cardinality;
}

// What the values left out add by their counts of 0, kept by one of them: the value, or -1 where
// they add nothing. Of a SUM its table becomes one number, that of all of them together; of a MAX it
// is the one that starts highest.
struct StandIn {
  std::int32_t value = -1;
  double sum = 0; // SUM
};

// kept: values that are not left out, ascending, and -1s anywhere. O(R) where tables are stored by
// value.
StandIn stand_in(const Potential &source, const std::int32_t *kept, std::int64_t count) noexcept;

// The potential whose value v is value from[v] of `source`, or does not count where from[v] is -1;
// `from` ascends but for those. Equal to `source` where the values left out have count 0, up to
// what such counts add; with them where there is a stand-in among the values. It holds a reference on `source`. NULL where memory ran out.
Potential *recolumn(const Memory &memory, const Potential &source, const std::int32_t *from,
                    std::int32_t values, const StandIn &stand_in = {}) noexcept;

} // namespace chorale
