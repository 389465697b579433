// Compiles the loops of max_plus_loops.hpp for each instruction set, and chooses among the variants
// at run time.
#include "chain/max_plus.hpp"

#include "base/lanes.hpp"
#include "base/numeric.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#if defined(__SSE2__)
#include <immintrin.h>
#elif defined(__wasm_simd128__)
#include <wasm_simd128.h>
#endif

// All functions that take or return vectors are inlined, so the warning about their ABI does not
// apply.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wpsabi"
#endif

namespace chorale {
namespace {

namespace anywhere {
#define CHORALE_AVX2 0
#define CHORALE_LOOP CHORALE_INLINE
#define CHORALE_ENTRY
#include "chain/max_plus_loops.hpp"
#undef CHORALE_AVX2
#undef CHORALE_LOOP
#undef CHORALE_ENTRY
} // namespace anywhere

#if CHORALE_HAS_AVX2_VARIANTS
namespace avx2 {
#define CHORALE_AVX2 1
#define CHORALE_LOOP CHORALE_TARGET_AVX2 CHORALE_INLINE
#define CHORALE_ENTRY CHORALE_TARGET_AVX2
#include "chain/max_plus_loops.hpp"
#undef CHORALE_AVX2
#undef CHORALE_LOOP
#undef CHORALE_ENTRY
} // namespace avx2
#endif

} // namespace

const MaxPlus &max_plus_here() noexcept {
#if CHORALE_HAS_AVX2_VARIANTS
  if (has_avx2())
    return avx2::kLoops;
#endif
  return anywhere::kLoops;
}

const MaxPlus &max_plus_anywhere() noexcept { return anywhere::kLoops; }

double greatest(gsl::span<const double> of) noexcept {
  const double *row = of.data();
  const auto columns = static_cast<std::int32_t>(of.size());
  double best = kForbidden;
  for (std::int32_t y = 0; y < columns; ++y)
    best = std::max(best, row[y]);
  return best;
}

} // namespace chorale
