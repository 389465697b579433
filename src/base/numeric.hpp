// Constants and sums that every floor uses.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace chorale {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
// A forbidden score. Scores are never NaN or plus infinity, so `score == kForbidden` and
// `score > kForbidden` are the only tests anybody needs.
inline constexpr double kForbidden = -kInfinity;

// The largest magnitude the C API lets in. Sums of 2^31 scores, and of n^2 of them in a potential,
// stay finite: so nothing below meets an infinity that forbids nothing, or the NaN it would end in.
inline constexpr double kLargestScore = 1e280;
inline bool is_finite_score(double value) noexcept { return std::fabs(value) <= kLargestScore; }
inline bool is_score(double value) noexcept {
  return is_finite_score(value) || value == kForbidden;
}

// The largest magnitude of what the host's callbacks answer: whole sums of scores.
inline constexpr double kLargestAnswer = 1e290;
inline bool is_answer(double value) noexcept {
  return std::fabs(value) <= kLargestAnswer || value == kForbidden;
}

// factor * score, where what is forbidden stays so at a factor of 0 too.
inline double scale_score(double score, double factor) noexcept {
  return score == kForbidden ? kForbidden : score * factor;
}

// How many things memory is asked for: SIZE_MAX where a machine of 32 bits cannot count them.
constexpr std::size_t to_size(std::int64_t count) noexcept {
  const auto number = static_cast<std::uint64_t>(count);
  return number > SIZE_MAX ? SIZE_MAX : static_cast<std::size_t>(number);
}
// The product, or SIZE_MAX where it does not fit: a size that no allocation grants.
constexpr std::size_t saturating_product(std::size_t a, std::size_t b) noexcept {
  std::size_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? SIZE_MAX : product; // without a division
}
constexpr std::size_t saturating_sum(std::size_t a, std::size_t b) noexcept {
  return b > SIZE_MAX - a ? SIZE_MAX : a + b;
}

// Whether `score` and `bound` on it are close enough to call the score optimal.
inline bool closes_gap(double score, double bound, double gap = 1e-9) noexcept {
  return bound - score <= gap * std::fmax(1.0, std::fabs(score));
}

} // namespace chorale
