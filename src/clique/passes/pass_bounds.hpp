// Upper bounds on the score of each pass of alpha-pass in a convex sum, computed without sorting.
//
// The pass of column alpha visits labellings that give alpha to k members and to each other member
// its default column, the best one other than alpha. Let default_i be the score of member i at its
// default column, and c_v the number of members whose default column is v. From 0 to c_v, a convex
// f_v lies below its chord, whose slope is (f_v(c_v) - f_v(0)) / c_v. Let w_i be default_i plus
// this slope for the default column v of member i. Then a labelling that gives alpha to k members
// scores at most
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

#include "base/lanes.hpp"
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
  // kThresholds rounded up to whole vectors.
  static constexpr int kPadded = (kThresholds + kLanes - 1) / kLanes * kLanes;

  bool bound_all() noexcept;
  // State of add_seconds() for a column v. This function visits the members grouped by best column,
  // and lets each member join its second-best column.
  struct Moved {
    std::int32_t alpha; // best column of the member that joined last; -1 before the first
    std::int32_t count; // count(v) plus the number of members with best column `alpha` that joined
  };

  bool prepare_members() noexcept;
  bool place_thresholds() noexcept;
  bool add_seconds() noexcept;
  double bound_of(std::int32_t alpha) const noexcept;
  // Returns an upper bound on the maximum, over k = 0 .. most, of f(k) plus the lowest of the lines
  // at k. `excess`: kPadded entries, the value of the line of each threshold at k = 0; minus
  // infinity in the padding.
  double highest(const Lanes *excess, const double *f, std::int32_t most) const noexcept;

  const Instance *instance_;
  double *weights_;                     // n: w_i; add_seconds() uses it as scratch
  double *slopes_;                      // K: chord slopes (f_v(c_v) - f_v(0)) / c_v
  double *excess_;                      // K x kPadded: sum_i max(psi_i,alpha - w_i - t, 0)
  double *bounds_;                      // K: bound by alpha
  std::int32_t *counts_;                // K: number of members by best column
  std::int32_t *order_;                 // K: alphas by descending bound
  double *bases_;                       // K: sum_i default_i + sum_{v != alpha} f_v(c_v), by alpha
  std::int32_t *forced_;                // K: by alpha, number of members that have no other column
  Moved *moved_to_;                     // K: by second-best column, state of add_seconds()
  std::int32_t *by_best_;               // n: members grouped by best column
  double thresholds_[kPadded] = {};     // the thresholds t, descending
  double per_spacing_ = 0;              // 1 / distance of neighbouring thresholds; 0 if it is 0
  double defaults_ = 0;                 // sum of the best scores
  double potential_ = 0;                // sum_v f_v(c_v)
  double slack_ = 0;                    // upper bound on the rounding error, added to bounds
};

} // namespace chorale
