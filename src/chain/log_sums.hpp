// Sums of weights in the logarithm: a score s at a temperature H stands for the weight exp(s / H),
// and a sum of weights for the score H log(sum), its *log-sum*. With log-sums in place of maxima the
// dynamic programs add up all labellings instead of finding the best one.
//
// Scores stay scores, so that minus infinity is the weight 0 and no weight overflows. Every sum is
// taken in the order of its terms, with the library's own exponential: same bits everywhere.
#pragma once

#include "base/logarithm.hpp"
#include "base/numeric.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace chorale {

// A matrix of scores as weights, for log-sums of many rows with it: entry (x, y) stands for the
// score most[y] + H log(weights[x * columns + y]), and every column has a weight 1 or is forbidden.
struct WeighedMatrix {
  const double *matrix; // borrowed
  std::ptrdiff_t stride;
  double *weights; // rows x columns
  double *most;    // columns: greatest score of each column
  double *from;    // rows: scratch of LogSums::step()
};

class LogSums {
public:
  // Elementary steps (Limits) of one addition, by which programs multiply theirs.
  static constexpr std::int64_t kWork = 16;

  // `temperature`: above 0.
  explicit LogSums(double temperature) noexcept : temperature_(temperature) {}

  // Returns the log-sum of two scores.
  double add(double a, double b) const noexcept {
    const double most = std::max(a, b);
    const double least = std::min(a, b);
    return least == kForbidden ? most
                               : most + temperature_ * natural_log(1 + weight(least - most));
  }
  // out[y] = log-sum over x of (from[x] + matrix[x * stride + y]), plus add[y]; x < rows, y <
  // columns. `add` may be NULL. `out` must not overlap the inputs.
  void step(const double *from, std::int32_t rows, const double *matrix, std::ptrdiff_t stride,
            std::int32_t columns, const double *add, double *out) const noexcept {
    for (std::int32_t y = 0; y < columns; ++y)
      out[y] = total(rows, [=](std::int32_t x) { return from[x] + matrix[x * stride + y]; }) +
               (add ? add[y] : 0.0);
  }
  // Fills the weights of `to`, whose matrix has `rows` rows at `to.stride`.
  void weigh(std::int32_t rows, std::int32_t columns, WeighedMatrix &to) const noexcept {
    std::fill_n(to.most, columns, kForbidden);
    for (std::int32_t x = 0; x < rows; ++x)
      for (std::int32_t y = 0; y < columns; ++y)
        to.most[y] = std::max(to.most[y], to.matrix[x * to.stride + y]);
    for (std::int32_t x = 0; x < rows; ++x)
      for (std::int32_t y = 0; y < columns; ++y)
        to.weights[std::int64_t{x} * columns + y] =
            to.most[y] > kForbidden ? weight(to.matrix[x * to.stride + y] - to.most[y]) : 0.0;
  }
  // As step() with a matrix of scores, up to rounding: one exponential for an entry of `from` and
  // one logarithm for an entry of `out`. Entries whose weights are too small for their sum go by
  // scores.
  void step(const double *from, std::int32_t rows, const WeighedMatrix &by, std::int32_t columns,
            const double *add, double *out) const noexcept {
    const double most = greatest_of(rows, [from](std::int32_t x) { return from[x]; });
    std::fill_n(out, columns, 0.0);
    for (std::int32_t x = 0; x < rows && most > kForbidden; ++x) {
      by.from[x] = weight(from[x] - most);
      if (by.from[x] == 0)
        continue;
      const double *weights = by.weights + std::int64_t{x} * columns;
      for (std::int32_t y = 0; y < columns; ++y)
        out[y] += by.from[x] * weights[y];
    }
    for (std::int32_t y = 0; y < columns; ++y) {
      if (most == kForbidden || by.most[y] == kForbidden)
        out[y] = kForbidden;
      else if (out[y] > kLeastSum)
        out[y] = most + by.most[y] + temperature_ * natural_log(out[y]);
      else
        out[y] = total(rows, [=, &by](std::int32_t x) {
          return from[x] + by.matrix[x * by.stride + y];
        });
      out[y] += add ? add[y] : 0.0;
    }
  }
  // to[y] = log-sum of to[y] and from[y].
  void add_into(const double *from, std::int32_t columns, double *to) const noexcept {
    for (std::int32_t y = 0; y < columns; ++y)
      to[y] = add(to[y], from[y]);
  }
  // Returns the log-sum of score(0) .. score(count - 1). The greatest weight is 1 in the sum, which
  // lies in 1 .. count.
  template <class Score> double total(std::int32_t count, Score &&score) const noexcept {
    const double most = greatest_of(count, score);
    if (most == kForbidden)
      return kForbidden;
    double sum = 0;
    for (std::int32_t i = 0; i < count; ++i)
      sum += weight(score(i) - most);
    return most + temperature_ * natural_log(sum);
  }
  // Returns the log-sum of a row.
  double total(const double *row, std::int32_t columns) const noexcept {
    return total(columns, [row](std::int32_t y) { return row[y]; });
  }
  // Replaces the scores of a row by their parts of the sum of all weights. False, without change,
  // if all are minus infinity.
  bool to_probabilities(double *row, std::int32_t columns) const noexcept {
    const double most = greatest_of(columns, [row](std::int32_t y) { return row[y]; });
    if (most == kForbidden)
      return false;
    double sum = 0;
    for (std::int32_t y = 0; y < columns; ++y) {
      row[y] = weight(row[y] - most);
      sum += row[y];
    }
    for (std::int32_t y = 0; y < columns; ++y)
      row[y] /= sum;
    return true;
  }

  double temperature() const noexcept { return temperature_; }
  // Returns the weight of a score.
  double weight(double score) const noexcept { return natural_exp(score / temperature_); }

private:
  // Weights below the least normal number, 2e-308, may count as 0: too little to matter in a sum
  // above this.
  static constexpr double kLeastSum = 1e-280;

  template <class Score>
  static double greatest_of(std::int32_t count, Score &&score) noexcept {
    double most = kForbidden;
    for (std::int32_t i = 0; i < count; ++i)
      most = std::max(most, score(i));
    return most;
  }

  double temperature_;
};

// Subtracts the greatest of `count` scores from all of them, so that rounding errors of long chains
// do not add up. Minus infinity stays. Returns what was subtracted.
inline double lower_to_zero(double *scores, std::int64_t count) noexcept {
  double most = kForbidden;
  for (std::int64_t i = 0; i < count; ++i)
    most = std::max(most, scores[i]);
  for (std::int64_t i = 0; i < count && most > kForbidden; ++i)
    scores[i] -= most;
  return most > kForbidden ? most : 0.0;
}

} // namespace chorale
