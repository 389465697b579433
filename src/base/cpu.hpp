// Dispatch to vector units at run time: how the library uses instructions that not all machines of
// an architecture have.
//
// A loop is written once, as an always-inlined function over the vectors of lanes.hpp or over plain
// numbers. It is compiled into two functions: one for any machine, and one for AVX2 with FMA. Both
// do the same operations in the same order, so their results have the same bits. The right one is
// called in one of two ways:
// - on_best_units() chooses at each call, for loops that run for microseconds at least;
// - where calls are too short for that, a file puts its loops into two tables of functions: one
//   with Compiled<loop>::anywhere of each loop, one with Compiled<loop>::avx2. Callers take one of
//   the two tables, chosen by has_avx2(), and call its functions many times (see rows.cpp).
// The loops of chain/max_plus_loops.hpp use vectors as wide as registers and call FMA themselves,
// so that file is compiled twice. It gives two tables, which are chosen in the same way.
#pragma once

#if defined(__x86_64__) && defined(__GNUC__) && !defined(CHORALE_NO_DISPATCH) &&                   \
    __has_include(<sys/platform/x86.h>)
#define CHORALE_HAS_AVX2_VARIANTS 1
#define CHORALE_TARGET_AVX2 [[gnu::target("avx2,fma")]]
#if defined(__clang__)
#define _Bool bool // the header uses C's _Bool
#endif
// The function declared here exists in glibc from 2.33 on. The declaration is weak, so that a
// program built with new headers also loads on an older glibc; the address is then null.
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
// Marks small functions that inner loops call. Without the attribute, g++ does not inline them if
// the whole library is one file (amalgamate.py). For WebAssembly the attribute is omitted: such
// programs are loaded over networks, so small code matters more there.
#if defined(__wasm__)
#define CHORALE_INLINE_NATIVE inline
#else
#define CHORALE_INLINE_NATIVE CHORALE_INLINE
#endif
// Makes a lambda always inlined; written after the lambda's parameters.
#define CHORALE_INLINE_LAMBDA __attribute__((always_inline))

namespace chorale {

// True if the library contains loops compiled for AVX2 and they can run here: the machine has AVX2
// and FMA, and the system lets programs use them. Needs no global variable and no static
// initialiser.
inline bool has_avx2() noexcept {
#if CHORALE_HAS_AVX2_VARIANTS
  return __x86_get_cpuid_feature_leaf && CPU_FEATURE_ACTIVE(AVX2) && CPU_FEATURE_ACTIVE(FMA);
#else
  return false;
#endif
}

// Compiles the always-inlined function kLoop for each kind of vector unit: anywhere() runs on every
// machine of the architecture, avx2() only where has_avx2() is true.
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

// Runs `loop` as compiled for the best vector unit of this machine, and returns its result. `loop`
// is a CHORALE_INLINE_LAMBDA without parameters.
template <class Loop> auto on_best_units(const Loop &loop) noexcept {
  using Variants = Compiled<&call_loop<Loop>>;
  return has_avx2() ? Variants::avx2(loop) : Variants::anywhere(loop);
}

} // namespace chorale
