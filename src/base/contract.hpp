// Contracts of inner loops. An Expects that every element would pass costs time, so that
//     Expects(!kContracts || index < size);
// checks in debug builds and under the address sanitizer only. All other contracts are Expects
// alone.
#pragma once

#include "base/redzone.hpp"

#include <gsl/assert>

namespace chorale {

#if defined(NDEBUG)
inline constexpr bool kContracts = CHORALE_REDZONES;
#else
inline constexpr bool kContracts = true;
#endif

} // namespace chorale
