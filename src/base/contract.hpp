// Contracts of inner loops. A check for every element costs time, so inner loops write
//     Expects(!kContracts || index < size);
// which checks only under the address sanitizer and where CHORALE_CONTRACTS is defined (CMake
// defines it in debug builds). All other contracts are plain Expects, which always check.
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
