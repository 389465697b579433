// Log-sums: at a temperature H, a score s stands for the weight exp(s / H), and the *log-sum* of
// scores is H log(sum of their weights). With log-sums in the place of maxima, the dynamic programs
// add up the weights of all labellings instead of finding the best one.
//
// Programs store scores, not weights, since weights could overflow; minus infinity is the weight 0.
// Terms are added up in a fixed order, with the library's own exponential, so results have the same
// bits on all machines.
#pragma once

#include "base/logarithm.hpp"
#include "base/numeric.hpp"
#include "base/span.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace chorale {

// A matrix of scores, with weights that are computed once, for many calls of LogSums::step(): the
// score of entry (x, y) is most[y] + H log(weights[x * columns + y]). The greatest weight of a
// column is 1, unless all its scores are minus infinity.
struct WeighedMatrix {
  const double *matrix; // borrowed
  std::ptrdiff_t stride;
  double *weights; // rows x columns
  double *most;    // columns: greatest score of each column
  double *from;    // rows: scratch of LogSums::step()
};

class LogSums {
public:
  // The work of one addition of log-sums, in the elementary steps that Limits counts.
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
  // Writes to out[y], for y < columns, the log-sum over x < rows of from[x] + matrix[x * stride +
  // y], plus add[y]. `add` may be NULL. `out` must not overlap the inputs.
  void step(const double *from, std::int32_t rows, const double *matrix, std::ptrdiff_t stride,
            std::int32_t columns, const double *add, double *out) const noexcept {
    if (stride == 0) { // all rows are one
      const double all = total(rows, [=](std::int32_t x) { return from[x]; });
      for (std::int32_t y = 0; y < columns; ++y)
        out[y] = all + matrix[y] + (add ? add[y] : 0.0);
      return;
    }
    for (std::int32_t y = 0; y < columns; ++y)
      out[y] = total(rows, [=](std::int32_t x) { return from[x] + matrix[x * stride + y]; }) +
               (add ? add[y] : 0.0);
  }
  // Fills to.weights and to.most from to.matrix, which has rows x columns scores.
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
  // Computes the same as step() above, up to rounding, from weights: with one exponential for each
  // entry of `from` and one logarithm for each entry of `out`. An entry of `out` whose weights are
  // too small to be added up accurately is computed from the scores.
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
  // Returns the log-sum of score(0) .. score(count - 1). Weights are computed relative to the
  // greatest one, so that their sum is between 1 and count.
  template <class Score> double total(std::int32_t count, Score &&score) const noexcept {
    const double most = greatest_of(count, score);
    if (most == kForbidden)
      return kForbidden;
    double sum = 0;
    for (std::int32_t i = 0; i < count; ++i)
      sum += weight(score(i) - most);
    return most + temperature_ * natural_log(sum);
  }
  // Replaces each score of a row by its weight divided by the sum of all weights. False, with the
  // row unchanged, if all scores are minus infinity.
  bool to_probabilities(gsl::span<double> scores) const noexcept {
    double *row = scores.data();
    const auto columns = static_cast<std::int32_t>(scores.size());
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
  // A sum of weights above this is accurate. Weights below the least normal number, 2e-308, may
  // count as 0, but they are too small to change such a sum.
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

// Subtracts the greatest score from all scores, so that rounding errors of long chains do not add
// up. Minus infinity stays. Returns the number subtracted; 0 if all scores are minus infinity.
inline double lower_to_zero(gsl::span<double> scores) noexcept {
  double *row = scores.data();
  const auto count = static_cast<std::int64_t>(scores.size());
  double most = kForbidden;
  for (std::int64_t i = 0; i < count; ++i)
    most = std::max(most, row[i]);
  for (std::int64_t i = 0; i < count && most > kForbidden; ++i)
    row[i] -= most;
  return most > kForbidden ? most : 0.0;
}

} // namespace chorale
