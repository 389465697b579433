// Floating-point exceptions that do not trap.
#pragma once

#if defined(__SSE2__)
#include <immintrin.h>
#elif defined(__GLIBC__)
#include <cfenv>
#endif

namespace chorale {

// While an object of this class exists, no floating-point operation of its thread traps: the library
// computes with minus infinity, and some of these operations count as invalid. A program may have
// asked for a signal (SIGFPE) instead. The destructor restores the program's setting and flags.
class Untrapped {
public:
#if defined(__SSE2__) // all arithmetic is in SSE registers, whose setting is quick to read
  Untrapped() noexcept : before_(_mm_getcsr()) {
    if (traps())
      _mm_setcsr(before_ | _MM_MASK_MASK);
  }
  ~Untrapped() {
    if (traps())
      _mm_setcsr(before_);
  }

private:
  bool traps() const noexcept { return (before_ & _MM_MASK_MASK) != _MM_MASK_MASK; }
  unsigned before_;
#elif defined(__GLIBC__)
  Untrapped() noexcept : traps_(fegetexcept() != 0) {
    if (traps_)
      std::feholdexcept(&before_);
  }
  ~Untrapped() {
    if (traps_)
      std::fesetenv(&before_);
  }

private:
  bool traps_;
  std::fenv_t before_;
#else // no known way for a program to ask for traps
  Untrapped() noexcept {}
#endif

public:
  Untrapped(const Untrapped &) = delete;
  Untrapped &operator=(const Untrapped &) = delete;
};

} // namespace chorale
