// Four numbers at a time, in the vectors of the compilers: one instruction where the machine has
// it, two or four where it has not.
//
// Loops over them are written once, always inlined, into a function for any machine and one for
// AVX2 (cpu.hpp), which do the same operations in the same order.
#pragma once

#include <cstdint>

#define CHORALE_INLINE [[gnu::always_inline]] inline

namespace chorale {

inline constexpr int kLanes = 4;
using Lanes = double __attribute__((vector_size(kLanes * sizeof(double))));
using Indices = std::int64_t __attribute__((vector_size(kLanes * sizeof(std::int64_t))));

} // namespace chorale
