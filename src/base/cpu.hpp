// Dispatch to vector units at run time: how the library uses instructions that not all machines of
// an architecture have.
//
// A loop is written once, as an always-inlined function over the vectors of lanes.hpp, and compiled
// into two functions: for any machine, and for AVX2 with FMA. Both do the same operations in the
// same order, so the bits are the same. They are called in one of two ways:
// - on_best_units() chooses for one call, of a loop that runs for microseconds at least;
// - a table of Compiled<loop>::anywhere and one of ::avx2, of which a run chooses one by
//   has_avx2(), where calls are too short for that (rows.hpp).
// The vectors of chain/max_plus_loops.hpp are as wide as registers, and its loops call FMA
// themselves, so their text is compiled twice; the two tables are chosen in the same way.
#pragma once

#if defined(__x86_64__) && defined(__GNUC__) && !defined(CHORALE_NO_DISPATCH) &&                   \
    __has_include(<sys/platform/x86.h>)
#define CHORALE_HAS_AVX2_VARIANTS 1
#define CHORALE_TARGET_AVX2 [[gnu::target("avx2,fma")]]
#if defined(__clang__)
#define _Bool bool // the header uses C's _Bool
#endif
// glibc has this function from 2.33 on. Weak, so that what is built with such headers loads on an
// older glibc, where it is null.
#pragma weak __x86_get_cpuid_feature_leaf
#include <sys/platform/x86.h>
#if defined(__clang__)
#undef _Bool
#endif
#else
#define CHORALE_HAS_AVX2_VARIANTS 0
#define CHORALE_TARGET_AVX2
#endif

#define CHORALE_INLINE [[gnu::always_inline]] inline
// The same for a lambda, behind its parameters.
#define CHORALE_INLINE_LAMBDA __attribute__((always_inline))

namespace chorale {

// True if this machine has AVX2 and FMA and the C library lets programs use them. Needs no global
// variable and no static initialiser.
inline bool has_avx2() noexcept {
#if CHORALE_HAS_AVX2_VARIANTS
  return __x86_get_cpuid_feature_leaf && CPU_FEATURE_ACTIVE(AVX2) && CPU_FEATURE_ACTIVE(FMA);
#else
  return false;
#endif
}

// An always-inlined function compiled for each kind of vector unit.
template <auto kLoop> struct Compiled;
template <class Result, class... Arguments, Result (*kLoop)(Arguments...) noexcept>
struct Compiled<kLoop> {
  static Result anywhere(Arguments... arguments) noexcept { return kLoop(arguments...); }
#if CHORALE_HAS_AVX2_VARIANTS
  CHORALE_TARGET_AVX2 static Result avx2(Arguments... arguments) noexcept {
    return kLoop(arguments...);
  }
#else
  static constexpr auto *avx2 = anywhere;
#endif
};

template <class Loop> CHORALE_INLINE auto call_loop(const Loop &loop) noexcept { return loop(); }

// Returns loop(), compiled for the best units of this machine. `loop` is a CHORALE_INLINE_LAMBDA
// without parameters.
template <class Loop> auto on_best_units(const Loop &loop) noexcept {
  using Call = Compiled<&call_loop<Loop>>;
  return has_avx2() ? Call::avx2(loop) : Call::anywhere(loop);
}

} // namespace chorale
