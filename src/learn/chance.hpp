// Chance: a random number generator with fixed seeds, so that results are reproducible, and
// statistics of a list of differences, such as those between two costs, one for each group.
#pragma once

#include "base/limits.hpp"
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

// Returns the one-sided p-value of the sum of the differences: the share of choices of their signs
// for which the sum is at least as great as with the signs that they have. All choices are tried if
// at most 12 differences are not 0; otherwise 4096 random ones. Returns 1 if `limits` interrupt.
template <class Limits_>
double sign_flip_p(Limits_ &&limits, gsl::span<const double> differences) noexcept {
  constexpr std::int64_t kExact = 12;
  double total = 0;
  double magnitude = 0;
  std::int64_t flippable = 0;
  for (const double difference : differences) {
    total += difference;
    magnitude += std::fabs(difference);
    flippable += difference != 0 ? 1 : 0;
  }
  const bool exact = flippable <= kExact;
  const std::int64_t flips = exact ? std::int64_t{1} << flippable : 4096;
  Random random(1);
  std::int64_t as_great = 0;
  Pace pace(limits, 4 * static_cast<std::int64_t>(differences.size()), flips);
  for (std::int64_t f = 0; f < flips; ++f) {
    if (!pace.next())
      return 1;
    double sum = 0;
    std::uint64_t signs = static_cast<std::uint64_t>(f);
    std::int64_t left = exact ? kExact : 0;
    for (const double difference : differences) {
      if (difference == 0)
        continue;
      if (left-- == 0) {
        signs = random.next();
        left = 63;
      }
      sum += (signs & 1U) != 0 ? -difference : difference;
      signs >>= 1;
    }
    as_great += sum >= total - 1e-12 * magnitude ? 1 : 0;
  }
  return exact ? static_cast<double>(as_great) / static_cast<double>(flips)
               : static_cast<double>(as_great + 1) / static_cast<double>(flips + 1);
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
