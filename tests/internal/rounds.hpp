// How often random tests repeat.
#pragma once

#include <algorithm>
#include <cstdlib>

// Returns `usual` times CHORALE_TEST_ROUNDS (fixture.h), at least 1. Factors such as 3e-1 have no
// decimal point, so every locale reads them.
inline unsigned rounds(unsigned usual) {
  const char *given = std::getenv("CHORALE_TEST_ROUNDS");
  const double factor = given ? std::strtod(given, nullptr) : 1;
  return std::max(1u, static_cast<unsigned>(usual * factor));
}
