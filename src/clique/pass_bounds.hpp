// How much each pass of alpha-pass can reach in a convex sum, found without sorting anything.
//
// Let c_v count the default columns, and w_i be the default score of member i plus the slope
// (f_v(c_v) - f_v(0)) / c_v of its default column v. A convex f_v lies below its chords, so giving
// alpha to k members scores at most
//
//     sum_i default_i + sum_{v != alpha} f_v(c_v) + f_alpha(k) + (the k greatest of psi_i,alpha -
//     w_i)
//
// and the k greatest of any numbers d_i add up to at most k t + sum_i max(d_i - t, 0) for every
// threshold t. A few thresholds serve all k: between the points where two of these lines cross, a
// convex f_alpha plus a line is greatest at one of the ends.
#pragma once

#include "clique/instance.hpp"

namespace chorale {

class PassBounds {
public:
  PassBounds(Layout &layout, const Instance &instance) noexcept;

  // O(n K). Passes are then ordered by what they can reach. False where the limits ended it.
  bool run() noexcept;
  // Once the first pass is made and a labelling of that score is known: the bounds of the others.
  // False where the limits ended it.
  bool tighten(double) noexcept { return true; }
  // The alpha of the pass with the `rank`-th highest bound, and that bound.
  std::int32_t alpha(std::int32_t rank) const noexcept { return order_[rank]; }
  double bound(std::int32_t alpha) const noexcept { return bounds_[alpha]; }

private:
  static constexpr int kThresholds = 6;

  struct Variants;

  bool prepare_members() noexcept;
  void place_thresholds() noexcept;
  double bound_of(std::int32_t alpha) noexcept;

  const Instance *instance_;
  double *weights_;                     // n: w_i
  double *slopes_;                      // K
  double *excess_;                      // K x thresholds: sum_i max(psi_i,alpha - w_i - t, 0)
  double *bounds_;                      // K
  std::int32_t *counts_;                // K: c_v
  std::int32_t *order_;                 // K
  std::int32_t *first_;                 // K: the first member whose best column it is, or -1
  std::int32_t *next_;                  // n: the next such member, or -1
  double thresholds_[kThresholds] = {}; // descending
  double defaults_ = 0;                 // sum of the best scores
  double potential_ = 0;                // sum_v f_v(c_v)
  double slack_ = 0;                    // more than rounding can add up to
};

} // namespace chorale
