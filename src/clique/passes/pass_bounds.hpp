// Upper bounds on the score of each pass of alpha-pass in a convex sum, computed without sorting.
//
// The default column of a member is its best column other than alpha. Let c_v be the number of
// members whose default is v, and w_i the score of member i at its default column v plus the slope
// (f_v(c_v) - f_v(0)) / c_v. A convex f_v lies below its chords, so giving alpha to k members
// scores at most
//
//     sum_i default_i + sum_{v != alpha} f_v(c_v) + f_alpha(k) + (the k greatest psi_i,alpha - w_i)
//
// The k greatest of any numbers d_i add up to at most k t + sum_i max(d_i - t, 0), for every
// threshold t: a line in k. The bound uses the lowest of the lines of a few thresholds. Between two
// crossings of these lines, the convex f_alpha plus a line is greatest at one of the ends, so only
// the crossings and the extreme k are evaluated.
#pragma once

#include "base/lanes.hpp"
#include "clique/instance.hpp"

namespace chorale {

class PassBounds {
public:
  PassBounds(Layout &layout, const Instance &instance) noexcept;

  // Computes all bounds and sorts the passes by descending bound. O(n K). False if interrupted.
  bool run() noexcept;
  // Does nothing: AlphaPass calls PassBounds and ThresholdBounds alike, and these bounds are final.
  bool tighten(double) noexcept { return true; }
  // The alpha of the pass with the `rank`-th highest bound; the upper bound on the pass of `alpha`.
  std::int32_t alpha(std::int32_t rank) const noexcept { return order_[rank]; }
  double bound(std::int32_t alpha) const noexcept { return bounds_[alpha]; }
  // c_v; the slope of the chord of f_v to c_v (of a column with c_v = 0, the first step of its
  // table); the sum of the members' best scores.
  std::int32_t count(std::int32_t v) const noexcept { return counts_[v]; }
  double slope(std::int32_t v) const noexcept { return slopes_[v]; }
  double best_scores() const noexcept { return defaults_; }

private:
  static constexpr int kThresholds = 6;
  static constexpr std::int32_t kCounted = 64; // more passes are sorted by comparison
  static constexpr int kPadded = (kThresholds + kLanes - 1) / kLanes * kLanes; // whole vectors

  bool bound_all() noexcept;
  struct Moved {
    std::int32_t alpha; // of the last one who came; -1 at first
    std::int32_t count; // with those who came from that column
  };

  bool prepare_members() noexcept;
  void place_thresholds() noexcept;
  bool add_seconds() noexcept;
  double bound_of(std::int32_t alpha) const noexcept;
  // Returns the greatest f(k) + the lowest line at k, for k = 0 .. most. excess: of all thresholds,
  // minus infinity beyond them.
  double highest(const Lanes *excess, const double *f, std::int32_t most) const noexcept;
  void sort_passes() noexcept;

  const Instance *instance_;
  double *weights_;                     // n: w_i
  double *slopes_;                      // K: chord slopes (f_v(c_v) - f_v(0)) / c_v
  double *excess_;                      // K x padded: sum_i max(psi_i,alpha - w_i - t, 0)
  double *bounds_;                      // K: bound by alpha
  std::int32_t *counts_;                // K: c_v
  std::int32_t *order_;                 // K: alphas by descending bound
  double *bases_;                       // K: sum_i default_i + sum_{v != alpha} f_v(c_v), by alpha
  std::int32_t *forced_;                // K: members with no other column, by alpha
  Moved *moved_to_;                     // K: members whose second-best column it is
  std::int32_t *by_best_;               // n: members in the order of their best columns
  double thresholds_[kPadded] = {};     // descending
  double per_spacing_ = 0;              // 1 / the distance of thresholds; 0 if they are all the same
  double defaults_ = 0;                 // sum of the best scores
  double potential_ = 0;                // sum_v f_v(c_v)
  double slack_ = 0;                    // upper bound on the rounding error, added to bounds
};

} // namespace chorale
