// Start labellings for single-member moves in convex sums, with two or three large columns. They
// are found by linearising the tables: the price of a column is the slope of its table.
//
// A convex f_v lies above its tangents. With prices p_v, the slopes of f_v at counts k_v, every
// labelling scores at least
//
//     sum_i (psi_i,x_i + p_x_i) + sum_v (f_v(k_v) - p_v k_v)
//
// and this sum is greatest if each member takes the column of greatest psi_iv + p_v. If columns a,
// b, ... (two or three) are large and all others small, let w_i be the score of member i at its
// best column plus the price of this column as a small one. The greatest sum is then estimated by
//
//     sum_i max(w_i, psi_ia + p_a, psi_ib + p_b, ...) + the sum of f_v(k_v) - p_v k_v over a, b,
//     ...
//
// With r_iv = max(psi_iv + p_v - w_i, 0), the estimate of a pair is at most the sum of those of its
// columns, since max(r_ia, r_ib) <= r_ia + r_ib. This bound rules out most pairs.
#pragma once

#include "clique/passes/pass_bounds.hpp"

namespace chorale {

class PriceStarts {
public:
  PriceStarts(Layout &layout, const Instance &instance) noexcept;

  // True if the starts are worth their time: with fewer members single-member moves are fast
  // anyway; with more, many estimates are close to each other and the moves from each take longer.
  static bool pay_for(const Instance &instance) noexcept {
    return instance.members >= 64 && instance.members < 256;
  }

  // Finds the starts of highest estimate among the columns with the highest bounds. `level`: the
  // best score known. O(n) a column and a pair. Selects an AVX2 variant at run time if the
  // processor has AVX2, as does write(); both variants give the same bits.
  void run(PassBounds &bounds, double level) noexcept;

  std::int32_t count() const noexcept { return count_; }
  // Writes the labelling (n) of the `rank`-th best estimate. Returns its score in single precision;
  // minus infinity if interrupted. O(n).
  double write(std::int32_t rank, std::int32_t *assignment) noexcept;
  // True if single-member moves from a labelling of `score` have a fair chance to exceed `level`.
  bool is_near(double score, double level) const noexcept {
    return score > level - kNear * magnitude_;
  }

private:
  static constexpr std::int32_t kColumns = 10; // greatest number of candidates for large columns
  // Counts assumed for a large column, as fractions of n.
  static constexpr double kAssumed[] = {0.13, 0.21, 0.31, 0.43, 0.63};
  static constexpr std::int32_t kCounts = 5;
  // Greatest number of large columns of a start; together they have at most 4/5 of the members.
  static constexpr std::int32_t kLarge = 3;
  static constexpr std::int32_t kStarts = 16; // greatest number of starts
  // Fractions of magnitude_. kPromising: how far an estimate must exceed the best known score,
  // since estimates are too high where small columns lose members. kNear: how far the score of a
  // start may lie below the best known score, since single-member moves raise it.
  static constexpr double kPromising = 0.003;
  static constexpr double kNear = 0.002;
  // The price of a small column, as a multiple of the slope of the chord to its default count.
  static constexpr double kChord = 1.3;
  // A start labelling. place: pairs of a large column and an assumed count, coded as c * kCounts +
  // x (indices into column_ and assumed_); -1 for none.
  struct Start {
    double estimate;
    std::int32_t place[kLarge];
  };

  void set_prices(PassBounds &bounds) noexcept;
  // Computes gains_, reach_, single_ and most_. False if interrupted.
  bool reach() noexcept;
  void order_columns() noexcept;
  bool combine() noexcept;
  // Estimate for two or three places, without base_, scaled.
  double sum(std::int32_t p, std::int32_t q) const noexcept;
  double sum(std::int32_t p, std::int32_t q, std::int32_t r) const noexcept;
  double choose(const Start &start, std::int32_t *assignment) noexcept; // requires n >= 8
  void keep(const Start &start) noexcept;
  const float *reach_of(std::int32_t place) const noexcept { return reach_ + place * width_; }
  std::int32_t assumed(std::int32_t place) const noexcept { return assumed_[place % kCounts]; }

  const Instance *instance_;
  std::int64_t width_;     // n rounded up to whole loops of kStride floats
  double factor_ = 1;      // a power of two that scales scores into the range of floats
  double *others_;         // n: w_i
  float *gains_;           // columns x width: psi_iv - w_i, scaled
  float *reach_;           // columns x counts x width: r_iv, scaled
  float *second_;          // n: the score at the second-best column - w_i, scaled
  double *own_price_;      // K: price of each column as a small one, as in w_i
  float *price_of_;        // K: prices of the current start, scaled
  float *rise_;            // K: price_of_ - own_price_, scaled
  std::int32_t *defaults_; // K: number of members by best column
  std::int32_t *counts_;   // K: members by column
  std::int32_t column_[kColumns] = {};       // columns of the candidates c
  std::int32_t ranked_[kColumns] = {};       // candidates in descending order of most_
  std::int32_t assumed_[kCounts] = {};       // kAssumed times n
  float price_[kColumns * kCounts] = {};     // p_v by place, scaled
  double constant_[kColumns * kCounts] = {}; // f_v(k_v) - p_v k_v - f_v(0) by place, scaled
  double single_[kColumns * kCounts] = {};   // constant_ + sum_i r_iv by place, scaled
  double most_[kColumns] = {};               // greatest single_ of each candidate, scaled
  double needed_ = 0;                        // least estimate of a start, without base_, scaled
  double base_ = 0;                          // sum_i w_i + sum_v f_v(0), not scaled
  double magnitude_ = 0;                     // n x (highest - lowest table step), not scaled
  Start starts_[kStarts] = {};
  std::int32_t count_ = 0;
  std::int32_t columns_ = 0;
};

} // namespace chorale
