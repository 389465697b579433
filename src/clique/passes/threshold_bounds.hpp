// Upper bounds on the score of each pass of alpha-pass in a convex sum of many members, computed
// without sorting. Tighter than PassBounds; faster over all in large cliques.
//
// Labelling k of a pass gives alpha to the k members with the greatest gain by alpha. So for a
// threshold t, the members with gain > t make up one of the labellings. Thresholds part the members
// by gain, as a histogram does: the number of members of each part by default column, and the sum
// of their gains, are counted for all alphas at once. These give the scores of the labellings
// between parts. Within a part, each further member gains at most the upper threshold and at least
// the lower one, and a default column changes by at least its lowest step and at most its highest
// step within the part. So the score lies below two lines in k, one from each end of the part, plus
// the convex f_alpha: its maximum is at an end or where the lines cross.
//
// While many passes can still beat the first, closer thresholds are placed where these can.
#pragma once

#include "clique/instance.hpp"

namespace chorale {

class ThresholdBounds {
public:
  ThresholdBounds(Layout &layout, const Instance &instance) noexcept;

  // True if the clique is large enough for these bounds to save time.
  static bool pay_for(const Instance &instance) noexcept {
    return instance.members >= 256 && instance.members / 8 >= instance.columns;
  }

  // As in PassBounds. O(n K) if n is at least about K.
  bool run() noexcept;
  bool tighten(double level) noexcept;
  std::int32_t alpha(std::int32_t rank) const noexcept { return order_[rank]; }
  double bound(std::int32_t alpha) const noexcept { return bounds_[alpha]; }

private:
  static constexpr int kFew = 16;  // number of parts
  static constexpr int kMany = 64; // the same if members far outnumber columns
  static constexpr int kRows = 8;  // members assigned to parts at a time
  template <int parts> bool count_all() noexcept;
  // Of the members whose best column is alpha:
  struct Own {
    double gains = 0; // sum of their gains by alpha
    double most = 0;  // the greatest of these gains
  };
  // The labelling of a pass at the beginning of a part: members of all earlier parts have alpha.
  struct State {
    double score;       // without f_alpha
    std::int32_t count; // of alpha
  };

  // Computes the sums over the members' best columns.
  bool note_defaults() noexcept;
  // Both place thresholds. False if the scores' range is too wide or narrow for single precision.
  bool place_thresholds() noexcept;
  // Around the parts that can reach level_; false if their range is more than half the old one.
  bool place_closer() noexcept;
  // Places thresholds_ from `high` down to `low`; `closer`: almost evenly.
  bool place(double high, double low, bool closer) noexcept;
  // Returns the part of a place (see top_).
  std::int32_t part_of(double place) const noexcept;
  // Fills left_ and sums_ for the alphas whose bounds are wanted: the first `open_` of `wanted_`.
  template <int parts, bool scaled> bool count_members() noexcept;
  bool bound_passes(bool whole) noexcept;
  // Turns left_ of alpha into suffix sums, computes its states, and raises level_.
  void note_states(std::int32_t alpha) noexcept;
  // Fills part_bounds_ of alpha. `whole`: includes the parts beyond the outermost thresholds.
  void bound_parts(std::int32_t alpha, bool whole) noexcept;
  // Upper bound within a part, with `lowest` and `highest` steps of the columns left.
  double bound_between(std::int32_t alpha, const State *states, int part, double lowest,
                       double highest) const noexcept;
  void sort_passes(std::int32_t from) noexcept;

  const Instance *instance_;
  int parts_;             // number of parts; members of the last gain too little to take alpha
  double *places_;        // rows x K, padded: top_ - gain, by member and alpha
  std::int32_t *part_;    // rows x K, padded: part, by member and alpha
  std::int32_t *left_;    // default column x alpha x parts: number of members; then suffix sums
  double *sums_;          // alpha x parts: sum of places
  Own *own_by_alpha_;     // K
  std::int32_t *best_at_; // K: number of members by best column
  State *states_;         // alpha x parts: labelling at the beginning of each part
  double *others_;        // parts: score of the columns other than the current alpha
  double *highest_;       // K: by alpha, highest step of the default columns of its pass
  double *part_bounds_;   // alpha x parts: upper bound on the labellings within
  double *bounds_;        // K: by alpha
  std::int32_t *order_;   // K: alphas by descending bound
  std::int32_t *wanted_;  // K: see open_

  double thresholds_[kMany] = {}; // descending; part j: thresholds_[j] > gain >= thresholds_[j + 1]
  std::int32_t open_ = 0;         // the first so many alphas of wanted_ are bounded again
  double top_ = 0;                // the place of a gain is top_ - gain, which is positive
  double factor_ = 1;             // a power of two that scales places into the range of floats
  std::int32_t first_bits_ = 0;   // float bits of the place at which part 0 begins
  int shift_ = 0;                 // each part spans 2^shift of these bits
  double margin_ = 0;             // upper bound on the rounding of places against thresholds
  bool placed_ = false;           // thresholds were placed; otherwise all bounds are infinite
  double most_ = 0;               // greatest gain of a member by its best column
  double gains_of_own_ = 0;       // sum of the members' gains by their best columns
  double lowest_step_ = 0;        // the lowest step of any table, at most 0
  double level_ = 0;              // score that some labelling is known to reach
  double defaults_ = 0;           // sum of the best scores
  double magnitude_ = 0;          // sum of the magnitudes of the terms
  double slack_ = 0;              // upper bound on rounding errors in double precision
};

} // namespace chorale
