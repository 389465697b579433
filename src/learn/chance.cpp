#include "learn/chance.hpp"

#include <algorithm>
#include <cmath>

namespace chorale {
std::int64_t flips_for(double level, std::int64_t tests) noexcept {
  constexpr double kMost = 1 << 20;
  const double wanted = std::min(32 * static_cast<double>(tests) / level, kMost);
  return std::max(kFlips, static_cast<std::int64_t>(wanted));
}

double standard_error(gsl::span<const double> differences) noexcept {
  if (differences.size() < 2)
    return 0;
  const double n = static_cast<double>(differences.size());
  double mean = 0;
  for (const double difference : differences)
    mean += difference / n;
  double squares = 0;
  for (const double difference : differences)
    squares += (difference - mean) * (difference - mean);
  return std::sqrt(n * squares / (n - 1));
}

double student_t(std::int64_t degrees) noexcept {
  constexpr double kFew[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262};
  if (degrees < 1)
    return 0;
  if (degrees <= 9)
    return kFew[degrees - 1];
  const double v = static_cast<double>(degrees);
  return 1.95996 + 2.3723 / v + 2.8225 / (v * v); // Cornish-Fisher expansion
}

} // namespace chorale
