#include "potential/rescale.hpp"

#include "base/numeric.hpp"

#include <algorithm>
#include <cmath>

namespace chorale {
namespace {

bool has_lambda(const Potential &p) noexcept {
  return p.source == TableSource::square || p.source == TableSource::entropy ||
         p.source == TableSource::linear;
}

// Returns the greatest magnitude among the numbers of counted values.
double largest_number(const Potential &p) noexcept {
  double largest = 0;
  const auto look = [&](double number) {
    if (number != kForbidden)
      largest = std::max(largest, std::fabs(number));
  };
  const std::int64_t R = p.values;
  if (is_square(p)) {
    for (std::int32_t v = 0; v < p.values; ++v)
      for (std::int32_t w = 0; p.counts(v) && w < p.values; ++w)
        if (p.counts(w))
          look(p.numbers[v * R + w]);
    for (std::int32_t v = 0; v < p.values; ++v)
      if (p.counts(v))
        look(p.numbers[R * R + v]);
    return largest;
  }
  for (std::int64_t r = 0; r < p.table_count; ++r)
    if (p.table_count == 1 || p.counts(static_cast<std::int32_t>(r)))
      for (std::int64_t k = 0; k < p.table_length; ++k)
        look(p.numbers[r * p.table_length + k]);
  return largest;
}

} // namespace

bool may_rescale(const Potential &p, double factor) noexcept {
  if (!has_lambda(p) && p.strength * factor <= 1)
    return is_finite_score(factor);
  return factor <= greatest_factor(p);
}

double greatest_factor(const Potential &p) noexcept {
  // The factor must keep the greatest magnitude in the range of scores: that of lambda, or of the
  // numbers times the strength. The scores that a callback will return are unknown, so for a
  // callback only the strength is kept in this range. For stored numbers the strength is kept in it
  // too, hence the 1.0.
  const double greatest = has_lambda(p) ? std::fabs(p.lambda)
                          : p.callback  ? p.strength
                                        : std::max(1.0, largest_number(p)) * p.strength;
  return greatest <= 1 ? kLargestScore : kLargestScore / greatest;
}

Potential *rescale(const Memory &memory, const Potential &p, double factor) noexcept {
  Potential *made = memory.create<Potential>(memory);
  if (!made)
    return nullptr;
  made->base = retain(p.shares_numbers() ? p.base : &p);
  static_cast<PotentialData &>(*made) = p;
  if (has_lambda(p)) {
    made->lambda = p.lambda * factor;
    derive_potential(*made); // the shape may change: lambda = 0 is convex and concave
  } else {
    made->strength = p.strength * factor;
  }
  return made;
}

} // namespace chorale
