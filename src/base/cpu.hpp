// CPU features as reported by the C library, without a global variable or a static initialiser.
#pragma once

#if defined(__x86_64__) && defined(__GNUC__) && !defined(CHORALE_NO_DISPATCH) &&                    \
    __has_include(<sys/platform/x86.h>)
#define CHORALE_HAS_AVX2_VARIANTS 1
#if defined(__clang__)
#define _Bool bool // the header uses C's _Bool
#endif
#include <sys/platform/x86.h>
#if defined(__clang__)
#undef _Bool
#endif
#else
#define CHORALE_HAS_AVX2_VARIANTS 0
#endif

namespace chorale {

inline bool has_avx2() noexcept {
#if CHORALE_HAS_AVX2_VARIANTS
  return CPU_FEATURE_ACTIVE(AVX2);
#else
  return false;
#endif
}

inline bool has_fma() noexcept {
#if CHORALE_HAS_AVX2_VARIANTS
  return CPU_FEATURE_ACTIVE(FMA);
#else
  return false;
#endif
}

} // namespace chorale
