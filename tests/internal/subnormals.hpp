// Whether the process has numbers below the least normal one, or counts them as 0.
#pragma once

#include <cfloat>

inline bool has_subnormals() {
  volatile double least = DBL_MIN; // so that the processor divides, not the compiler
  return least / 2 > 0;
}
