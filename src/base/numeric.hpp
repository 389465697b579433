// Constants and checks for scores, size arithmetic that saturates, and sums with tolerances.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace chorale {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
// The score of a forbidden label, value or count. Scores are never NaN or plus infinity, so that
// `score == kForbidden` and `score > kForbidden` are the only tests needed.
inline constexpr double kForbidden = -kInfinity;

// Greatest absolute value of a score that the checks accept. It is so low that sums of 2^31 scores
// stay finite, and also sums of n^2 scores, one for each pair of n < 2^31 members of a clique. So
// minus infinity always means forbidden, and NaN cannot arise.
inline constexpr double kLargestScore = 1e280;
inline bool is_finite_score(double value) noexcept { return std::fabs(value) <= kLargestScore; }
inline bool is_score(double value) noexcept {
  return is_finite_score(value) || value == kForbidden;
}

// Greatest absolute value of a score that a callback may return. It is higher than kLargestScore,
// since such a score may be a sum of many scores.
inline constexpr double kLargestAnswer = 1e290;
inline bool is_answer(double value) noexcept {
  return std::fabs(value) <= kLargestAnswer || value == kForbidden;
}

// Returns factor * score. A forbidden score stays forbidden, even if the factor is 0.
inline double scale_score(double score, double factor) noexcept {
  return score == kForbidden ? kForbidden : score * factor;
}

// Keeps the two greatest of the scores passed to add().
struct TwoBest {
  void add(double score) noexcept {
    second = std::max(second, std::min(first, score));
    first = std::max(first, score);
  }
  // Returns first - second: plus infinity if all scores but one are forbidden; 0 if all are.
  double margin() const noexcept { return first == kForbidden ? 0.0 : first - second; }

  double first = kForbidden;
  double second = kForbidden;
};

// Converts a count to size_t; gives SIZE_MAX if it does not fit (on 32-bit machines).
constexpr std::size_t to_size(std::int64_t count) noexcept {
  const auto number = static_cast<std::uint64_t>(count);
  return number > SIZE_MAX ? SIZE_MAX : static_cast<std::size_t>(number);
}
// Returns a * b; on overflow SIZE_MAX, a size that no allocator grants.
constexpr std::size_t saturating_product(std::size_t a, std::size_t b) noexcept {
  std::size_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? SIZE_MAX : product; // needs no division
}
// Returns the product of counts as a size, or SIZE_MAX on overflow.
constexpr std::size_t product_of_counts(std::int64_t a, std::int64_t b,
                                        std::int64_t c = 1) noexcept {
  return saturating_product(saturating_product(to_size(a), to_size(b)), to_size(c));
}
constexpr std::size_t saturating_sum(std::size_t a, std::size_t b) noexcept {
  return b > SIZE_MAX - a ? SIZE_MAX : a + b;
}

// Returns |score|, or 0 for a forbidden score.
inline double magnitude_of(double score) noexcept {
  return score == kForbidden ? 0.0 : std::fabs(score);
}

// A sum together with its magnitude: the sum of the absolute values of its terms, without forbidden
// ones. Rounding errors are proportional to magnitudes, and so are all tolerances; so multiplying
// all scores by a power of two changes no decision.
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

// A sum of many terms in blocks of kBlock terms: the terms of a block are added in order, then the
// sums of the blocks in order. This helps a caller that stores the sum of each block: after a
// change of one term, it adds up only the block of this term again, and then the sums of the
// blocks. The total has the same bits as if all terms were added again.
class BlockedSum {
public:
  static constexpr std::int64_t kBlock = 1024;
  static constexpr std::int64_t blocks(std::int64_t terms) noexcept {
    return (terms + kBlock - 1) / kBlock;
  }

  void add(double score) noexcept {
    if (count_ == kBlock) {
      closed_ += block_;
      block_ = {};
      count_ = 0;
    }
    block_.add(score);
    ++count_;
  }
  MeasuredSum sum() const noexcept {
    MeasuredSum all = closed_;
    all += block_;
    return all;
  }

private:
  MeasuredSum closed_;
  MeasuredSum block_;
  std::int64_t count_ = 0; // how many terms are in block_
};

// A score counts as optimal if an upper bound exceeds it by at most kProvenGap * |score|, or by at
// most kRoundingGap times the sum of the absolute values of its terms (its magnitude).
inline constexpr double kProvenGap = 1e-9;
inline constexpr double kRoundingGap = 1e-12;

inline double tolerated_gap(double score, double magnitude, double gap = kProvenGap) noexcept {
  return std::fmax(gap * std::fabs(score), kRoundingGap * magnitude);
}
// True if `bound` exceeds the score by at most gap * |score|, or by at most kRoundingGap *
// magnitude. Always false if `gap` is negative.
inline bool closes_gap(double score, double magnitude, double bound,
                       double gap = kProvenGap) noexcept {
  return gap >= 0 && bound - score <= tolerated_gap(score, magnitude, gap);
}

} // namespace chorale
