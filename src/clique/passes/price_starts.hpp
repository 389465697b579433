// Finds labellings in which two or three columns have many members (*large* columns), as starts for
// single-member moves in convex sums. The tables are replaced by lines: the *price* p_v of column v
// is the slope of its table at an assumed count k_v.
//
// A convex f_v lies above its tangents. So with the prices p_v every labelling scores at least
//
//     sum_i (psi_i,x_i + p_x_i) + sum_v (f_v(k_v) - p_v k_v)
//
// This sum is greatest if each member takes the column of greatest psi_iv + p_v. Let columns a, b
// and perhaps c be large and all others small, and let w_i be the score of member i at its best
// column plus the price that this column has if it is small. Then the *estimate* of the greatest
// sum is
//
//     sum_i max(w_i, psi_ia + p_a, psi_ib + p_b, ...)
//         + sum over v = a, b, ... of (f_v(k_v) - p_v k_v)
//
// Let r_iv = max(psi_iv + p_v - w_i, 0). Since max(r_ia, r_ib) <= r_ia + r_ib, the rise of the
// estimate by a pair of large columns is at most the sum of the rises by each of the two columns
// alone. This bound rules out most pairs.
//
// Each k_v is first taken from a few counts. A count k_v fits if k_v members choose column v at the
// price for k_v. So a start is then *refined*: each k_v moves towards the number of members that
// choose v, if that raises the estimate.
//
// Numbers called "scaled" are multiplied by factor_, so that they can be stored as floats. A
// *place* is a candidate for a large column together with one of the counts that may be assumed for
// it.
//
// Notation (instance.hpp): n members, K columns; psi_iv is the score of member i at column v, f_v
// the table of column v.
#pragma once

#include "clique/passes/pass_bounds.hpp"

#include <cmath>

namespace chorale {

class PriceStarts {
public:
  PriceStarts(Layout &layout, const Instance &instance) noexcept;

  // True if the starts are worth their time. With fewer members, single-member moves from many
  // labellings are fast anyway. With more members, many estimates are close to each other and moves
  // from each start take longer.
  static bool pay_for(const Instance &instance) noexcept {
    return instance.members >= 64 && instance.members < 256;
  }

  // Finds and stores up to kStarts starts with the highest estimates. The candidates for large
  // columns are the kColumns columns whose passes have the highest upper bounds in `bounds`. Tries
  // all pairs of candidates, and adds a third candidate to a pair if that raises the estimate.
  // Drops starts whose estimate does not exceed `level`, the best score known, by the margin in
  // kPromising and kRefined. O(n) for each column and each pair. run() and write() use AVX2 if the
  // processor has it; the results have the same bits without it.
  void run(PassBounds &bounds, double level) noexcept;

  // Returns the number of starts found. They have the ranks 0 .. count() - 1, by descending
  // estimate.
  std::int32_t count() const noexcept { return count_; }
  // Writes the labelling of the start of `rank` to `assignment`, the column of each member. Members
  // choose their columns under the prices of the start, then once more under the prices at the
  // counts that result. Returns the labelling's score in single precision, or minus infinity if
  // interrupted. O(n + K).
  double write(std::int32_t rank, gsl::span<std::int32_t> assignment) noexcept;
  // True if the estimate of the start of `rank` exceeds `level` by so much that its labelling may
  // exceed `level` too. (Estimates are too high; see kRefined.)
  bool is_promising(std::int32_t rank, double level) const noexcept {
    return base_ + starts_[rank].estimate / factor_ > level + kRefined * magnitude_;
  }
  // True if single-member moves from a labelling of `score` have a fair chance to exceed `level`.
  bool is_near(double score, double level) const noexcept {
    return score > level - kNear * magnitude_;
  }
  // True if `score` and `level` differ by no more than rounding. A labelling of `score` is then
  // taken to be the one that scores `level`.
  bool is_same(double score, double level) const noexcept {
    return std::fabs(score - level) < kRounding * magnitude_;
  }

  static constexpr std::int32_t kStarts = 16; // greatest number of starts

private:
  static constexpr std::int32_t kColumns = 10; // greatest number of candidates for large columns
  // The counts that may be assumed for a large column, as fractions of n.
  static constexpr double kAssumed[] = {0.13, 0.21, 0.31, 0.43, 0.63};
  static constexpr std::int32_t kCounts = 5;
  // Greatest number of large columns of a start. The counts assumed for them add up to at most four
  // fifths of n.
  static constexpr std::int32_t kLarge = 3;
  // Refining adds kRelaxation * (chosen - k_v) to each assumed count k_v, where `chosen` is the
  // number of members that choose column v at the prices for all counts assumed in the start.
  static constexpr double kRelaxation = 1.5;
  static constexpr int kChoices = 2; // how often members choose their columns in write()
  // Fractions of magnitude_. An estimate must exceed the best known score by kPromising before the
  // start is refined, and by kRefined afterwards: estimates are too high, since small columns lose
  // members. The score of a start's labelling may lie below the best known score by kNear, since
  // single-member moves raise it. Scores that differ by less than kRounding count as equal.
  static constexpr double kPromising = 0.0027;
  static constexpr double kRefined = 0.0043;
  static constexpr double kNear = 0.0013;
  static constexpr double kRounding = 1e-7;
  // The price of a small column is kChord times the slope of the chord of its table from 0 to the
  // number of members whose best column it is.
  static constexpr double kChord = 1.3;
  // A start with `count` large columns. place: a large column and its assumed count, coded as c *
  // kCounts + x, for column column_[c] and count assumed_[x]. members: the counts after refining.
  struct Start {
    double estimate;
    std::int32_t count;
    std::int32_t place[kLarge];
    std::int32_t members[kLarge];
  };

  void set_prices(PassBounds &bounds) noexcept;
  // Computes gains_, reach_, single_ and most_. False if interrupted.
  bool reach() noexcept;
  void order_columns() noexcept;
  bool combine() noexcept;
  // Return the estimate for two or three places, minus base_, scaled.
  double sum(std::int32_t p, std::int32_t q) const noexcept;
  double sum(std::int32_t p, std::int32_t q, std::int32_t r) const noexcept;
  // Returns the estimate for the counts in start.members, minus base_, scaled. Writes the number of
  // members that choose each large column to `chosen`.
  template <int kCount>
  double estimate(const Start &start, std::int32_t (&chosen)[kCount]) const noexcept;
  template <int kCount> void refine(Start &start) const noexcept;
  void refine_all() noexcept;
  // Returns the price of column v at count k, 0 < k < n, scaled.
  double price(std::int32_t v, std::int32_t k) const noexcept {
    const double *f = instance_->potential.tables[v] + k;
    return (f[1] - f[-1]) / 2 * factor_;
  }
  // Returns f_v(k) - p k - f_v(0), scaled, where p is the price of column v at count k.
  double constant(std::int32_t v, std::int32_t k) const noexcept {
    const double *f = instance_->potential.tables[v];
    return (f[k] - f[0]) * factor_ - price(v, k) * k;
  }
  // Sets the current price of column v to `price`, which is scaled.
  void set_price(std::int32_t v, double price) noexcept {
    price_of_[v] = static_cast<float>(price);
    rise_[v] = static_cast<float>(price - own_price_[v] * factor_);
  }
  // Writes the labelling in which each member takes the column v of greatest psi_iv + price_of_[v],
  // among its best column, its second-best column and the large columns of the start. Sets counts_
  // and returns the score, as write() does. Requires n >= 8.
  double choose(const Start &start, gsl::span<std::int32_t> assignment) noexcept;
  double choose_repeatedly(const Start &start, gsl::span<std::int32_t> assignment) noexcept;
  void keep(const Start &start) noexcept;
  const float *reach_of(std::int32_t place) const noexcept { return reach_ + place * width_; }
  const float *gains_of(std::int32_t place) const noexcept {
    return gains_ + place / kCounts * width_;
  }
  std::int32_t assumed(std::int32_t place) const noexcept { return assumed_[place % kCounts]; }
  std::int32_t column(std::int32_t place) const noexcept { return column_[place / kCounts]; }

  const Instance *instance_;
  std::int64_t width_;     // n rounded up to a multiple of kStride (price_starts.cpp)
  double factor_ = 1;      // a power of two that scales scores into the range of floats
  double *others_;         // n: w_i
  float *gains_;           // candidates x width_: psi_iv - w_i, scaled
  float *reach_;           // candidates x kCounts x width_: r_iv, scaled
  float *second_;          // n: the score at the second-best column - w_i, scaled
  double *own_price_;      // K: price of each column if it is small, not scaled
  float *price_of_;        // K: current prices, scaled
  float *rise_;            // K: price_of_ minus own_price_, scaled
  std::int32_t *defaults_; // K: number of members whose best column is v
  std::int32_t *counts_;   // K: number of members by column in the labelling of choose()
  std::int32_t column_[kColumns] = {};       // columns of the candidates c for large columns
  std::int32_t ranked_[kColumns] = {};       // candidates c in descending order of most_
  std::int32_t assumed_[kCounts] = {};       // kAssumed times n
  float price_[kColumns * kCounts] = {};     // p_v by place, scaled
  double constant_[kColumns * kCounts] = {}; // f_v(k_v) - p_v k_v - f_v(0) by place, scaled
  double single_[kColumns * kCounts] = {};   // constant_ + sum_i r_iv by place, scaled
  double most_[kColumns] = {};               // greatest single_ of each candidate, scaled
  double needed_ = 0;                        // least estimate of a start, minus base_, scaled
  double base_ = 0;                          // sum_i w_i + sum_v f_v(0), not scaled
  double magnitude_ = 0;                     // n x (highest - lowest table step), not scaled
  Start starts_[kStarts] = {};               // the starts, by descending estimate
  std::int32_t count_ = 0;                   // number of starts
  std::int32_t columns_ = 0;                 // number of candidates for large columns
};

} // namespace chorale
