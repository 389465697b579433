#include "learn/chance.hpp"

#include <algorithm>
#include <cmath>

namespace chorale {
namespace {

constexpr std::int64_t kExact = 12;

} // namespace

double sign_flip_p(const double *differences, std::int64_t count,
                   std::int64_t flips) noexcept {
  double total = 0;
  double magnitude = 0;
  std::int64_t flippable = 0;
  for (std::int64_t g = 0; g < count; ++g) {
    total += differences[g];
    magnitude += std::fabs(differences[g]);
    flippable += differences[g] != 0 ? 1 : 0;
  }
  if (flippable == 0)
    return 1;
  const double reached = total - 1e-12 * magnitude;
  const bool exact = flippable <= kExact;
  if (exact)
    flips = std::int64_t{1} << flippable;
  Random random(1);
  std::int64_t as_great = 0;
  for (std::int64_t f = 0; f < flips; ++f) {
    double sum = 0;
    std::uint64_t signs = static_cast<std::uint64_t>(f);
    std::int64_t left = exact ? flippable : 0;
    for (std::int64_t g = 0; g < count; ++g) {
      if (differences[g] == 0)
        continue;
      if (left == 0) {
        signs = random.next();
        left = 64;
      }
      sum += (signs & 1U) != 0 ? -differences[g] : differences[g];
      signs >>= 1;
      --left;
    }
    as_great += sum >= reached ? 1 : 0;
  }
  return exact ? static_cast<double>(as_great) / static_cast<double>(flips)
               : static_cast<double>(as_great + 1) / static_cast<double>(flips + 1);
}

std::int64_t flips_for(double level, std::int64_t tests) noexcept {
  constexpr double kMost = 1 << 20;
  const double wanted = std::min(32 * static_cast<double>(tests) / level, kMost);
  return std::max(kFlips, static_cast<std::int64_t>(wanted));
}

Interval bootstrap(const double *differences, std::int64_t count, double *sums) noexcept {
  Random random(2);
  for (std::int64_t b = 0; b < kBootstraps; ++b) {
    double sum = 0;
    for (std::int64_t k = 0; k < count; ++k)
      sum += differences[random.below(count)];
    sums[b] = sum;
  }
  std::sort(sums, sums + kBootstraps);
  return {sums[kBootstraps / 40], sums[kBootstraps - 1 - kBootstraps / 40]};
}

double standard_error(const double *differences, std::int64_t count) noexcept {
  if (count < 2)
    return 0;
  const double n = static_cast<double>(count);
  double mean = 0;
  for (std::int64_t g = 0; g < count; ++g)
    mean += differences[g] / n;
  double squares = 0;
  for (std::int64_t g = 0; g < count; ++g)
    squares += (differences[g] - mean) * (differences[g] - mean);
  return std::sqrt(n * squares / (n - 1));
}

double student_t(std::int64_t degrees) noexcept {
  constexpr double kFew[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262};
  if (degrees < 1)
    return 0;
  if (degrees <= 9)
    return kFew[degrees - 1];
  const double v = static_cast<double>(degrees);
  return 1.95996 + 2.3723 / v + 2.8225 / (v * v); // Cornish-Fisher
}

} // namespace chorale
