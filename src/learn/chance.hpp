// Statistics over groups: paired sign-flip tests, bootstrap intervals, standard errors. Seeds are
// fixed, so results are reproducible.
#pragma once

#include "base/array.hpp"

namespace chorale {

// The generator splitmix64.
class Random {
public:
  explicit Random(std::uint64_t seed) noexcept : state_(seed) {}
  std::uint64_t next() noexcept {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15U;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9U;
    z = (z ^ z >> 27) * 0x94d049bb133111ebU;
    return z ^ z >> 31;
  }
  std::int64_t below(std::int64_t count) noexcept {
    return static_cast<std::int64_t>(next() % static_cast<std::uint64_t>(count));
  }

private:
  std::uint64_t state_;
};

// Returns the one-sided p-value of the sum of `count` differences under random signs: the share of
// sign choices with a sum at least as great. Exact for up to 12 differences other than 0, otherwise
// from `flips` random choices.
inline constexpr std::int64_t kFlips = 4096;
double sign_flip_p(const double *differences, std::int64_t count,
                   std::int64_t flips = kFlips) noexcept;
// Returns the number of flips that can resolve p-values well below level / tests: at least kFlips,
// at most 2^20.
std::int64_t flips_for(double level, std::int64_t tests) noexcept;

struct Interval {
  double lower = 0;
  double upper = 0;
};
// Returns the 95 % bootstrap interval of the sum of `count` differences: percentiles over 2000
// samples of `count` groups with replacement. sums: scratch, kBootstraps numbers.
inline constexpr std::int64_t kBootstraps = 2000;
Interval bootstrap(const double *differences, std::int64_t count, double *sums) noexcept;

// Returns the standard error of the sum of `count` differences.
double standard_error(const double *differences, std::int64_t count) noexcept;

// Returns the 97.5 % quantile of Student's t distribution, within 0.4 %.
double student_t(std::int64_t degrees) noexcept;

} // namespace chorale
