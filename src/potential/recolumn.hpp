// A potential over other values: some left out, some added that do not count.
#pragma once

#include "potential/potential.hpp"

namespace chorale {

// Whether values of the potential may be left out; adding values is always possible.
inline bool may_leave_out(const Potential &potential) noexcept {
  return potential.family != CHORALE_FAMILY_CALLBACK &&
         potential.source != TableSource::cardinality;
}

// The potential whose value v is value from[v] of `source`, or does not count where from[v] is -1;
// `from` ascends but for those. Equal to `source` where the values left out have count 0, up to
// what such counts add. It holds a reference on `source`. NULL where memory ran out.
Potential *recolumn(const Memory &memory, const Potential &source, const std::int32_t *from,
                    std::int32_t values) noexcept;

} // namespace chorale
