// Upper bounds on the score of each pass of alpha-pass in a convex sum, computed without sorting.
//
// The default column of a member is its best column other than alpha; default_i is the score there.
// Let c_v be the number of members whose default is v, and w_i = default_i plus the slope
// (f_v(c_v) - f_v(0)) / c_v of member i's default column v. A convex f_v lies below its chords, so
// a labelling that gives alpha to k members scores at most
//
//     sum_i default_i + sum_{v != alpha} f_v(c_v) + f_alpha(k) + (the k greatest psi_i,alpha - w_i)
//
// The k greatest of any numbers d_i add up to at most k t + sum_i max(d_i - t, 0) for every
// threshold t, a line in k. The bound uses the lower envelope of the lines of a few thresholds.
// Between two crossings of lines, the convex f_alpha plus a line is greatest at one of the ends, so
// only the crossings, k = 0 and k = n are evaluated.
#pragma once

#include "base/lanes.hpp"
#include "clique/instance.hpp"

namespace chorale {

class PassBounds {
public:
  PassBounds(Layout &layout, const Instance &instance) noexcept;

  // Computes all bounds, by which alpha() sorts the passes. O(n K). False if interrupted.
  bool run() noexcept;
  // Does nothing; AlphaPass calls it in PassBounds and ThresholdBounds alike.
  bool tighten(double) noexcept { return true; }
  // The alpha of the pass with the `rank`-th highest bound; the upper bound on the pass of `alpha`.
  // O(log K) for each rank that is asked for the first time and for all before it.
  std::int32_t alpha(std::int32_t rank) noexcept;
  double bound(std::int32_t alpha) const noexcept { return bounds_[alpha]; }
  // The number of members whose best column is v; the chord slope (f_v(c) - f_v(0)) / c at this
  // count c (f_v(1) - f_v(0) if c = 0); the sum of the members' best scores.
  std::int32_t count(std::int32_t v) const noexcept { return counts_[v]; }
  double slope(std::int32_t v) const noexcept { return slopes_[v]; }
  double best_scores() const noexcept { return defaults_; }

private:
  static constexpr int kThresholds = 6;
  static constexpr std::int32_t kCounted = 64; // more passes are sorted as they are asked for
  static constexpr int kPadded = (kThresholds + kLanes - 1) / kLanes * kLanes; // whole vectors

  bool bound_all() noexcept;
  // State of add_seconds() for one second-best column.
  struct Moved {
    std::int32_t alpha; // best column of the last member handled; -1 before the first
    std::int32_t count; // count of the column with the members of that best column added
  };

  bool prepare_members() noexcept;
  bool place_thresholds() noexcept;
  bool add_seconds() noexcept;
  double bound_of(std::int32_t alpha) const noexcept;
  // Returns an upper bound on f(k) + the lowest line at k, for k = 0 .. most. excess: kPadded
  // entries by threshold, minus infinity in the padding.
  double highest(const Lanes *excess, const double *f, std::int32_t most) const noexcept;
  bool sort_passes() noexcept;
  // Compares passes: true if a comes after b.
  auto comes_after() const noexcept {
    return [bounds = bounds_](std::int32_t a, std::int32_t b) {
      return bounds[a] < bounds[b] || (bounds[a] == bounds[b] && a > b);
    };
  }

  const Instance *instance_;
  double *weights_;                     // n: w_i
  double *slopes_;                      // K: chord slopes (f_v(c_v) - f_v(0)) / c_v
  double *excess_;                      // K x padded: sum_i max(psi_i,alpha - w_i - t, 0)
  double *bounds_;                      // K: bound by alpha
  std::int32_t *counts_;                // K: number of members by best column
  std::int32_t *order_;                 // K: a heap of alphas, then the sorted ones, the first last
  double *bases_;                       // K: sum_i default_i + sum_{v != alpha} f_v(c_v), by alpha
  std::int32_t *forced_;                // K: number of members with no other column, by alpha
  Moved *moved_to_;                     // K: by second-best column
  std::int32_t *by_best_;               // n: members grouped by best column
  std::int32_t sorted_ = 0;             // number of alphas that are sorted
  double thresholds_[kPadded] = {};     // descending
  double per_spacing_ = 0;              // 1 / distance of neighbours in thresholds_; 0 if it is 0
  double defaults_ = 0;                 // sum of the best scores
  double potential_ = 0;                // sum_v f_v(c_v)
  double slack_ = 0;                    // upper bound on the rounding error, added to bounds
};

} // namespace chorale
