// Contracts of inner loops. An Expects that every element would pass costs time, so that
//     Expects(!kContracts || index < size);
// checks only where CHORALE_CONTRACTS is defined, as CMake does in debug builds, and under the
// address sanitizer. All other contracts are Expects alone.
#pragma once

#include "base/redzone.hpp"

#include <gsl/assert>

namespace chorale {

#if defined(CHORALE_CONTRACTS)
inline constexpr bool kContracts = true;
#else
inline constexpr bool kContracts = CHORALE_REDZONES;
#endif

} // namespace chorale
