// How much each pass of alpha-pass can reach in a convex sum of many members, found without
// sorting: tighter than PassBounds, at a cost that pays in large cliques.
//
// Labelling k of a pass gives alpha to the k members that gain most by it. For a threshold t, those
// who gain more than t are such a set. How many they are, of which default columns, and what they
// gain together is counted for all alphas at once, and gives the score of that labelling. Between
// two thresholds, each further member gains no more than the upper one and no less than the lower
// one, and the columns they leave change by no less than their lowest step on the way and no more
// than their highest. So the score lies below two lines, one from each end, plus the convex
// f_alpha, and is greatest at an end or where the lines cross.
//
// Gains are counted in single precision, and bounds are raised by more than that can cost. While
// many passes can still beat the first one, thresholds are placed anew, closer, where they can.
#pragma once

#include "clique/instance.hpp"

namespace chorale {

class ThresholdBounds {
public:
  ThresholdBounds(Layout &layout, const Instance &instance) noexcept;

  // Whether they are worth their time and memory.
  static bool pay_for(const Instance &instance) noexcept {
    return instance.members >= 256 && instance.members / 8 >= instance.columns;
  }

  // As PassBounds. O(n K) while n is above K or so.
  void run() noexcept;
  void tighten(double level) noexcept;
  std::int32_t alpha(std::int32_t rank) const noexcept { return order_[rank]; }
  double bound(std::int32_t alpha) const noexcept { return bounds_[alpha]; }

private:
  static constexpr int kThresholds = 16;
  static constexpr int kVector = 8;     // gains counted at a time
  static constexpr int kBlockRows = 128; // members at a time, so that what is counted stays near
  struct Variants;
  // The members whose best column is alpha.
  struct Own {
    double gains = 0; // what they gain by alpha together
    double most = 0;  // and at most
    std::int32_t forced = 0; // how many have no other column
  };
  // A labelling of a pass.
  struct State {
    double score; // but for f_alpha
    double slack; // on the score
    std::int32_t count;
    double gain; // of those who take alpha next at most; at state 0, of all
  };

  void note_defaults() noexcept;
  // False where scores and tables are beyond what single precision can tell apart.
  bool place_thresholds() noexcept;
  // Around what can still win; false where that is hardly less than before.
  bool place_closer() noexcept;
  void count_gains() noexcept;
  void count_block(std::int32_t first, std::int32_t rows) noexcept;
  // Those whose best column is alpha have another default.
  void count_own() noexcept;
  void note_states(std::int32_t alpha) noexcept;
  // whole: what lies beyond the outermost thresholds can matter too.
  void bound_buckets(std::int32_t alpha, bool whole) noexcept;
  double bound_between(std::int32_t alpha, const State &from, const State &to, double lowest,
                       double highest) const noexcept;
  void bound_passes(bool whole) noexcept;
  void sort_passes(std::int32_t from) noexcept;

  const Instance *instance_;
  std::int64_t vectors_;  // that hold a row of gains
  float *gains_;          // block rows x vectors x vector
  std::int32_t *counted_; // default column x vectors x thresholds x vector: who gains more
  double *excess_;        // vectors x thresholds x vector: sum of max(gain, threshold)
  std::int32_t *own_;     // alpha x default column x thresholds: of those whose best is alpha
  double *own_excess_;    // alpha x thresholds: sum of max(gain - threshold, 0)
  Own *own_by_alpha_;     // K
  std::int32_t *best_at_; // K: members by their best column
  std::int32_t *start_;   // alpha x K: members by their default column
  std::int32_t *left_;    // K x states x K: those that are left there
  State *states_;         // K x states
  double *highest_;       // K: the highest step of a pass's default columns
  double *buckets_;       // K x (thresholds + 1): bounds on what lies between thresholds
  double *bounds_;        // K
  std::int32_t *order_;   // K

  float thresholds_[kThresholds] = {}; // descending
  bool placed_ = false;
  double most_ = 0;         // the greatest gain of all members
  double gains_of_own_ = 0; // of all members to their best column
  double lowest_step_ = 0;  // of any table, or 0
  double level_ = 0;        // what some labelling reaches
  double defaults_ = 0;     // sum of the best scores
  double slack_ = 0;        // more than rounding in double precision can add up to
};

} // namespace chorale
