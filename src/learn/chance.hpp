// Statistics of a list of differences, such as those between two costs; the list has one difference
// for each group of chains (a document). There are paired sign-flip tests, bootstrap intervals and
// standard errors. The seeds of random numbers are fixed, so results are reproducible.
#pragma once

#include "base/array.hpp"
#include "base/limits.hpp"
#include "base/span.hpp"

#include <algorithm>
#include <cmath>

namespace chorale {

// The random number generator splitmix64.
class Random {
public:
  explicit Random(std::uint64_t seed) noexcept : state_(seed) {}
  std::uint64_t next() noexcept {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15U;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9U;
    z = (z ^ z >> 27) * 0x94d049bb133111ebU;
    return z ^ z >> 31;
  }
  // Returns a random number from 0 to count - 1.
  std::int64_t below(std::int64_t count) noexcept {
    return static_cast<std::int64_t>(next() % static_cast<std::uint64_t>(count));
  }

private:
  std::uint64_t state_;
};

// Default number of random choices of signs in sign_flip_p().
inline constexpr std::int64_t kFlips = 4096;
// Returns the one-sided p-value of the sum of the differences: the share of choices of their signs
// for which the sum is at least as great as with the signs that they have. All choices are tried if
// at most 12 differences are not 0; otherwise `flips` random choices. Returns 1 if `limits`
// interrupt the call.
template <class Limits_>
double sign_flip_p(Limits_ &&limits, gsl::span<const double> differences,
                   std::int64_t flips = kFlips) noexcept {
  constexpr std::int64_t kExact = 12;
  const double *difference = differences.data();
  const auto count = static_cast<std::int64_t>(differences.size());
  double total = 0;
  double magnitude = 0;
  std::int64_t flippable = 0;
  for (std::int64_t g = 0; g < count; ++g) {
    total += difference[g];
    magnitude += std::fabs(difference[g]);
    flippable += difference[g] != 0 ? 1 : 0;
  }
  if (flippable == 0)
    return 1;
  const double reached = total - 1e-12 * magnitude;
  const bool exact = flippable <= kExact;
  if (exact)
    flips = std::int64_t{1} << flippable;
  Random random(1);
  std::int64_t as_great = 0;
  Pace pace(limits, 4 * count, flips);
  for (std::int64_t f = 0; f < flips; ++f) {
    if (!pace.next())
      return 1;
    double sum = 0;
    std::uint64_t signs = static_cast<std::uint64_t>(f);
    std::int64_t left = exact ? flippable : 0;
    for (std::int64_t g = 0; g < count; ++g) {
      if (difference[g] == 0)
        continue;
      if (left == 0) {
        signs = random.next();
        left = 64;
      }
      sum += (signs & 1U) != 0 ? -difference[g] : difference[g];
      signs >>= 1;
      --left;
    }
    as_great += sum >= reached ? 1 : 0;
  }
  return exact ? static_cast<double>(as_great) / static_cast<double>(flips)
               : static_cast<double>(as_great + 1) / static_cast<double>(flips + 1);
}
// Returns how many random choices of signs sign_flip_p() needs for each of `tests` tests that share
// the significance level `level`: enough for p-values well below level / tests. At least kFlips, at
// most 2^20.
std::int64_t flips_for(double level, std::int64_t tests) noexcept;

struct Interval {
  double lower = 0;
  double upper = 0;
};
inline constexpr std::int64_t kBootstraps = 2000; // number of samples in bootstrap()
// Returns the 95 % bootstrap interval of the sum of the differences: percentiles of the sums of
// kBootstraps samples. A sample is drawn from the differences with replacement and is as large as
// the list. sums: scratch, kBootstraps numbers. If `limits` interrupt the call, both ends are 0.
template <class Limits_>
Interval bootstrap(Limits_ &&limits, gsl::span<const double> differences,
                   gsl::span<double> sums) noexcept {
  Expects(sums.size() >= kBootstraps);
  const double *difference = differences.data();
  const auto count = static_cast<std::int64_t>(differences.size());
  double *sample = sums.data();
  Random random(2);
  Pace pace(limits, 8 * count, kBootstraps);
  for (std::int64_t b = 0; b < kBootstraps; ++b) {
    if (!pace.next())
      return {};
    double sum = 0;
    for (std::int64_t k = 0; k < count; ++k)
      sum += difference[random.below(count)];
    sample[b] = sum;
  }
  std::sort(sample, sample + kBootstraps);
  return {sample[kBootstraps / 40], sample[kBootstraps - 1 - kBootstraps / 40]};
}

// Returns the standard error of the sum of the differences, if they are independent.
double standard_error(gsl::span<const double> differences) noexcept;

// Returns the 97.5 % quantile of Student's t distribution with `degrees` degrees of freedom, with a
// relative error of at most 0.4 %; 0 if `degrees` is below 1.
double student_t(std::int64_t degrees) noexcept;

} // namespace chorale
