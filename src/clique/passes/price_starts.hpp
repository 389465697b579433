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
//
// The counts k_v are first chosen among a few. They are right if as many members choose column v as
// its price assumes. So a start is refined: each k_v moves towards the number of members that
// choose v, if that raises the estimate.
#pragma once

#include "clique/passes/pass_bounds.hpp"

#include <cmath>

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
  // Writes the labelling (n) of the `rank`-th best estimate, in which members have chosen once more
  // under the prices of the counts that it has. Returns its score in single precision; minus
  // infinity if interrupted. O(n + K).
  double write(std::int32_t rank, std::int32_t *assignment) noexcept;
  // True if the `rank`-th best estimate exceeds `level` by so much that its labelling may.
  bool is_promising(std::int32_t rank, double level) const noexcept {
    return base_ + starts_[rank].estimate / factor_ > level + kRefined * magnitude_;
  }
  // True if single-member moves from a labelling of `score` have a fair chance to exceed `level`.
  bool is_near(double score, double level) const noexcept {
    return score > level - kNear * magnitude_;
  }
  // True if a labelling of `score` is, but for rounding, one that scores `level`.
  bool is_same(double score, double level) const noexcept {
    return std::fabs(score - level) < kRounding * magnitude_;
  }

  static constexpr std::int32_t kStarts = 16; // greatest number of starts

private:
  static constexpr std::int32_t kColumns = 10; // greatest number of candidates for large columns
  // Counts assumed for a large column, as fractions of n.
  static constexpr double kAssumed[] = {0.13, 0.21, 0.31, 0.43, 0.63};
  static constexpr std::int32_t kCounts = 5;
  // Greatest number of large columns of a start; together they have at most 4/5 of the members.
  static constexpr std::int32_t kLarge = 3;
  // By how much of the difference a count moves towards the number of members that choose it.
  static constexpr double kRelaxation = 1.5;
  static constexpr int kChoices = 2; // how often members choose in write()
  // Fractions of magnitude_. kPromising, kRefined: how far an estimate must exceed the best known
  // score before and after it is refined, since estimates are too high where small columns lose
  // members. kNear: how far the score of a start may lie below the best known score, since
  // single-member moves raise it.
  static constexpr double kPromising = 0.0027;
  static constexpr double kRefined = 0.0043;
  static constexpr double kNear = 0.0013;
  static constexpr double kRounding = 1e-7;
  // The price of a small column, as a multiple of the slope of the chord to its default count.
  static constexpr double kChord = 1.3;
  // A start labelling with `count` large columns. place: pairs of a large column and an assumed
  // count, coded as c * kCounts + x (indices into column_ and assumed_). members: refined counts.
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
  // Estimate for two or three places, without base_, scaled.
  double sum(std::int32_t p, std::int32_t q) const noexcept;
  double sum(std::int32_t p, std::int32_t q, std::int32_t r) const noexcept;
  // Estimate for a start's counts, without base_, scaled, and how many members choose each of its
  // columns.
  template <int kCount> double estimate(const Start &start, std::int32_t *chosen) const noexcept;
  template <int kCount> void refine(Start &start) const noexcept;
  void refine_all() noexcept;
  // The price of column v at count k, 0 < k < n, scaled.
  double price(std::int32_t v, std::int32_t k) const noexcept {
    const double *f = instance_->potential.tables[v] + k;
    return (f[1] - f[-1]) / 2 * factor_;
  }
  // f_v(k_v) - p_v k_v - f_v(0), scaled.
  double constant(std::int32_t v, std::int32_t k) const noexcept {
    const double *f = instance_->potential.tables[v];
    return (f[k] - f[0]) * factor_ - price(v, k) * k;
  }
  void set_price(std::int32_t v, double price) noexcept {
    price_of_[v] = static_cast<float>(price);
    rise_[v] = static_cast<float>(price - own_price_[v] * factor_);
  }
  // The labelling in which each member takes its best column under price_of_ among its two best and
  // the start's. Sets counts_; returns the score as write() does. Requires n >= 8.
  double choose(const Start &start, std::int32_t *assignment) noexcept;
  double choose_repeatedly(const Start &start, std::int32_t *assignment) noexcept;
  void keep(const Start &start) noexcept;
  const float *reach_of(std::int32_t place) const noexcept { return reach_ + place * width_; }
  const float *gains_of(std::int32_t place) const noexcept {
    return gains_ + place / kCounts * width_;
  }
  std::int32_t assumed(std::int32_t place) const noexcept { return assumed_[place % kCounts]; }
  std::int32_t column(std::int32_t place) const noexcept { return column_[place / kCounts]; }

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
