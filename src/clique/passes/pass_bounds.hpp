// Upper bounds on the score of each pass of alpha-pass in a convex sum, computed without sorting.
//
// The pass of column alpha visits labellings that give alpha to k members and to each other member
// its default column, the best one other than alpha. Let default_i be the score of member i at its
// default column, and c_v the number of members whose default column is v. From 0 to c_v, a convex
// f_v lies below its chord, whose slope is (f_v(c_v) - f_v(0)) / c_v. Let w_i be default_i plus
// this slope for the default column v of member i. (w_i is not a weight: here members have none.)
// Then a labelling that gives alpha to k members scores at most
//
//     sum_i default_i + sum_{v != alpha} f_v(c_v) + f_alpha(k)
//         + (the sum of the k greatest psi_i,alpha - w_i)
//
// The k greatest of any numbers d_i add up to at most k t + sum_i max(d_i - t, 0) for every
// threshold t. As a function of k this is a line. The bound uses the lower envelope of the lines of
// a few thresholds. Between two crossings of lines, the convex f_alpha plus a line is greatest at
// one of the ends, so only the crossings, k = 0 and k = n are evaluated.
//
// Notation (instance.hpp): n members, K columns; psi_iv is the score of member i at column v, f_v
// the table of column v.
#pragma once

#include "clique/instance.hpp"

namespace chorale {

class PassBounds {
public:
  PassBounds(Layout &layout, const Instance &instance) noexcept;

  // Computes the bounds of all passes. O(n K). False if interrupted.
  bool run() noexcept;
  // Returns the alpha of the pass with the `rank`-th highest bound (0: the highest).
  std::int32_t alpha(std::int32_t rank) const noexcept { return order_[rank]; }
  // Returns an upper bound on the score of the pass of `alpha`.
  double bound(std::int32_t alpha) const noexcept { return bounds_[alpha]; }

private:
  static constexpr int kThresholds = 6;

  bool bound_all() noexcept;
  bool add_members(double *magnitude) noexcept;
  double bound_of(std::int32_t alpha) noexcept;

  const Instance *instance_;
  double *slopes_; // K: chord slopes (f_v(c) - f_v(0)) / c with c = max(counts_[v], 1)
  double *excess_; // kThresholds x K: sum_i max(psi_i,alpha - w_i - t, 0), by threshold t and alpha
  double *above_;  // K: psi_i,alpha - w_i of one member, by alpha
  double *bounds_; // K: bound by alpha
  gsl::span<std::int32_t> counts_; // K: number of members by best column
  std::int32_t *order_;            // K: alphas by descending bound
  std::int32_t *first_;            // K: first member of each best column, or -1
  std::int32_t *next_;             // n: next member of the same best column, or -1
  double thresholds_[kThresholds] = {}; // the thresholds t, descending
  double per_spacing_ = 0;              // 1 / distance of neighbouring thresholds; 0 if that is 0
  double defaults_ = 0;                 // sum of the best scores
  double potential_ = 0;                // sum_v f_v(c_v)
  double slack_ = 0;                    // upper bound on the rounding error, added to bounds
};

} // namespace chorale
