// Chance: a random number generator with fixed seeds, so that results are reproducible, and
// statistics of a list of differences, such as those between two costs, one for each group.
#pragma once

#include "base/span.hpp"

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

// Returns the one-sided p-value of the sum of the differences: the share of 4096 random choices of
// their signs for which the sum is at least as great as with the signs that they have. 1 if `limits`
// interrupt.
template <class Limits_>
double sign_flip_p(Limits_ &limits, gsl::span<const double> differences) noexcept {
  constexpr std::int32_t kFlips = 4096;
  double total = 0;
  double magnitude = 0;
  for (const double difference : differences) {
    total += difference;
    magnitude += std::fabs(difference);
  }
  Random random(1);
  std::int32_t as_great = 0;
  for (std::int32_t flip = 0; flip < kFlips; ++flip) {
    if (!limits.spend(4 * static_cast<std::int64_t>(differences.size())))
      return 1;
    double sum = 0;
    for (const double difference : differences)
      sum += random.below(2) == 1 ? -difference : difference;
    as_great += sum >= total - 1e-12 * magnitude ? 1 : 0;
  }
  return static_cast<double>(as_great + 1) / static_cast<double>(kFlips + 1);
}

// Returns the standard error of the sum of the differences, if they are independent; 0 for one.
inline double standard_error(gsl::span<const double> differences) noexcept {
  const double n = static_cast<double>(differences.size());
  double mean = 0;
  for (const double difference : differences)
    mean += difference / n;
  double squares = 0;
  for (const double difference : differences)
    squares += (difference - mean) * (difference - mean);
  return n < 2 ? 0 : std::sqrt(n * squares / (n - 1));
}

} // namespace chorale
