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

// |score|, and 0 of what is forbidden.
inline double magnitude_of(double score) noexcept {
  return score == kForbidden ? 0.0 : std::fabs(score);
}

// A sum, and the sum of the magnitudes of what is added up. Rounding goes by the latter, and so
// does every tolerance of the library: a power of two on all scores then changes no decision.
struct MeasuredSum {
  double total = 0;
  double magnitude = 0;

  void add(double score) noexcept {
    total += score;
    magnitude += magnitude_of(score);
  }
  void operator+=(const MeasuredSum &other) noexcept {
    total += other.total;
    magnitude += other.magnitude;
  }
};

// A bound is as good as met within this part of the score, or what rounding may hide: this part of
// the magnitude of everything that adds up to the score.
inline constexpr double kProvenGap = 1e-9;
inline constexpr double kRoundingGap = 1e-12;

inline double tolerated_gap(double score, double magnitude, double gap = kProvenGap) noexcept {
  return std::fmax(gap * std::fabs(score), kRoundingGap * magnitude);
}
// Whether `bound` is within the part `gap` (negative: none) of the score, or within rounding.
inline bool closes_gap(double score, double magnitude, double bound,
                       double gap = kProvenGap) noexcept {
  return gap >= 0 && bound - score <= tolerated_gap(score, magnitude, gap);
}

} // namespace chorale
