// Vectors of four doubles, as a compiler extension. An operation on a vector is one instruction
// with AVX2, and several without. They are used in loops that are compiled for each kind of vector
// unit (cpu.hpp).
#pragma once

#include "base/cpu.hpp"

#include <cstdint>

namespace chorale {

inline constexpr int kLanes = 4;
using Lanes = double __attribute__((vector_size(kLanes * sizeof(double))));
using Indices = std::int64_t __attribute__((vector_size(kLanes * sizeof(std::int64_t))));

// Transposes a 4 x 4 matrix given as four rows.
CHORALE_INLINE void transpose(Lanes &a, Lanes &b, Lanes &c, Lanes &d) noexcept {
  const Lanes ab_even = __builtin_shufflevector(a, b, 0, 4, 2, 6);
  const Lanes ab_odd = __builtin_shufflevector(a, b, 1, 5, 3, 7);
  const Lanes cd_even = __builtin_shufflevector(c, d, 0, 4, 2, 6);
  const Lanes cd_odd = __builtin_shufflevector(c, d, 1, 5, 3, 7);
  a = __builtin_shufflevector(ab_even, cd_even, 0, 1, 4, 5);
  b = __builtin_shufflevector(ab_odd, cd_odd, 0, 1, 4, 5);
  c = __builtin_shufflevector(ab_even, cd_even, 2, 3, 6, 7);
  d = __builtin_shufflevector(ab_odd, cd_odd, 2, 3, 6, 7);
}

} // namespace chorale
