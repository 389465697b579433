// Starts for single moves in convex sums: labellings with two or three large columns, found from
// prices.
//
// A convex f_v lies above its tangents. With slopes p_v of f_v at counts k_v, every labelling
// scores at least
//
//     sum_i (psi_i,x_i + p_x_i) + sum_v (f_v(k_v) - p_v k_v)
//
// and the greatest such sum lets each member take the best psi_iv + p_v by itself. Where two or
// three columns are large and all others small, the prices of the large ones and one number w_i a
// member, its best score with the price of a small column, are enough to estimate what can be
// reached:
//
//     sum_i max(w_i, psi_ia + p_a, psi_ib + p_b, ...) + the sum of f_v(k_v) - p_v k_v over a, b, ...
//
// With r_iv = max(psi_iv + p_v - w_i, 0), a pair reaches no more than its columns do by themselves,
// since max(r_ia, r_ib) <= r_ia + r_ib. This leaves few pairs to look at.
#pragma once

#include "clique/passes/pass_bounds.hpp"

namespace chorale {

class PriceStarts {
public:
  PriceStarts(Layout &layout, const Instance &instance) noexcept;

  // Whether they are worth their time: few members are soon moved without them, and of many, more
  // estimates are close to each other and single moves take longer.
  static bool pay_for(const Instance &instance) noexcept {
    return instance.members >= 64 && instance.members < 256;
  }

  // Finds the most promising starts among the columns of the passes that can reach most, once a
  // labelling of score `level` is known. O(n) a column and a pair. Compiled for the machine at hand
  // at run time (AVX2 or not), with the same bits; so is write().
  void run(const PassBounds &bounds, double level) noexcept;

  std::int32_t count() const noexcept { return count_; }
  // Writes the labelling of the `rank`-th best estimate and returns its score to single precision.
  // O(n).
  double write(std::int32_t rank, std::int32_t *assignment) noexcept;
  // Whether single moves from a labelling of that score may pass `level`.
  bool is_near(double score, double level) const noexcept {
    return score > level - kNear * magnitude_;
  }

private:
  static constexpr std::int32_t kColumns = 10;
  // Counts assumed for a large column, in parts of n.
  static constexpr double kAssumed[] = {0.13, 0.21, 0.31, 0.43, 0.63};
  static constexpr std::int32_t kCounts = 5;
  static constexpr std::int32_t kLarge = 3; // columns at most; they hold four fifths of n at most
  static constexpr std::int32_t kStarts = 8;
  // Parts of n times the difference between the highest and the lowest step of the tables.
  // Estimates are too high for columns that thin out, so they must be so much above what is known;
  // the score of a start may be so much below, since single moves raise it.
  static constexpr double kPromising = 0.003;
  static constexpr double kNear = 0.002;
  // A small column's price, in slopes of the chord to its default count.
  static constexpr double kChord = 1.3;
  // Places are large columns with their counts, column * kCounts + count; -1 for none.
  struct Start {
    double estimate;
    std::int32_t place[kLarge];
  };

  void set_prices(const PassBounds &bounds) noexcept;
  bool reach() noexcept;
  void order_columns() noexcept;
  bool combine() noexcept;
  double sum(std::int32_t p, std::int32_t q) const noexcept;
  double sum(std::int32_t p, std::int32_t q, std::int32_t r) const noexcept;
  double choose(const Start &start, std::int32_t *assignment) noexcept; // at least 8 members
  void keep(const Start &start) noexcept;
  const float *reach_of(std::int32_t place) const noexcept { return reach_ + place * width_; }
  std::int32_t assumed(std::int32_t place) const noexcept { return assumed_[place % kCounts]; }

  const Instance *instance_;
  std::int64_t width_;     // n in whole vectors
  double factor_ = 1;      // a power of two that scales scores into the range of floats
  double *others_;         // n: w_i
  float *gains_;           // columns x width: psi_iv - w_i, scaled
  float *reach_;           // columns x counts x width: r_iv, scaled
  float *second_;          // n: the score at the second-best column - w_i, scaled
  double *own_price_;      // K: of a small column, as in w_i
  float *price_of_;        // K: of a start, scaled
  float *rise_;            // K: price_of_ - own_price_, scaled
  std::int32_t *defaults_; // K: how many members like the column best
  std::int32_t *counts_;   // K
  std::int32_t column_[kColumns] = {};
  std::int32_t ranked_[kColumns] = {}; // columns in descending order of most_
  std::int32_t assumed_[kCounts] = {};
  float price_[kColumns * kCounts] = {};     // by place, scaled like all that follow
  double constant_[kColumns * kCounts] = {}; // f_v(k_v) - p_v k_v - f_v(0)
  double single_[kColumns * kCounts] = {};   // the same and the sum of r_iv
  double most_[kColumns] = {};               // of single_, by column
  double needed_ = 0;                        // of an estimate, without base_
  double base_ = 0;                          // sum_i w_i + sum_v f_v(0), not scaled
  double magnitude_ = 0;                     // not scaled
  Start starts_[kStarts] = {};
  std::int32_t count_ = 0;
  std::int32_t columns_ = 0;
};

} // namespace chorale
