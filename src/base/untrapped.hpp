// Floating-point exceptions that do not trap.
#pragma once

#include <cfenv>
#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace chorale {

// While an object of this class exists, no floating-point operation of its thread traps, neither in
// the library nor in callbacks. The library needs this since it computes with minus infinity, and
// some operations on infinities are invalid by IEEE 754, so a program that has enabled traps would
// get a signal (SIGFPE). The destructor restores the program's traps and exception flags. If the
// constructor finds no traps enabled, the object does nothing. Without SSE2 and without glibc, it
// finds none.
class Untrapped {
public:
  Untrapped() noexcept : traps_(traps()) {
    if (!traps_)
      return;
    std::feholdexcept(&before_);
#if defined(__SSE2__) // feholdexcept() of musl leaves the traps as they are
    _mm_setcsr(_mm_getcsr() | _MM_MASK_MASK);
#endif
  }
  ~Untrapped() {
    if (traps_)
      std::fesetenv(&before_);
  }
  Untrapped(const Untrapped &) = delete;
  Untrapped &operator=(const Untrapped &) = delete;

private:
  static bool traps() noexcept {
    bool found = false;
#if defined(__SSE2__) // SSE has traps of its own; fegetexcept() reads only those of the x87
    found = (_mm_getcsr() & _MM_MASK_MASK) != _MM_MASK_MASK;
#endif
#if defined(__GLIBC__)
    found = found || fegetexcept() != 0;
#endif
    return found;
  }

  bool traps_;
  std::fenv_t before_;
};

} // namespace chorale
