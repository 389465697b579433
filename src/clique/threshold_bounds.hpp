// How much each pass of alpha-pass can reach in a convex sum of many members, found without
// sorting: tighter than PassBounds, at a cost that pays in large cliques.
//
// Labelling k of a pass gives alpha to the k members that gain most by it. For a threshold t, those
// who gain more than t are such a set. So members are parted by what they gain, as in a histogram:
// how many of each part, of which default columns, and what they gain together is counted for all
// alphas at once, and gives the scores of the labellings between parts. Within a part, each further
// member gains no more than the upper threshold and no less than the lower one, and the columns
// they leave change by no less than their lowest step on the way and no more than their highest. So
// the score lies below two lines, one from each end, plus the convex f_alpha, and is greatest at an
// end or where the lines cross.
//
// While many passes can still beat the first one, thresholds are placed anew, closer, where they
// can.
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
  bool run() noexcept;
  bool tighten(double level) noexcept;
  std::int32_t alpha(std::int32_t rank) const noexcept { return order_[rank]; }
  double bound(std::int32_t alpha) const noexcept { return bounds_[alpha]; }

private:
  static constexpr int kFew = 16;  // parts
  static constexpr int kMany = 64; // where members outnumber columns by far
  static constexpr int kRows = 8;  // members put into parts at a time
  struct Variants;
  // The members whose best column is alpha.
  struct Own {
    double gains = 0; // what they gain by alpha together
    double most = 0;  // and at most
  };
  // A labelling of a pass: alpha for the parts before.
  struct State {
    double score; // but for f_alpha
    std::int32_t count;
  };

  bool note_defaults() noexcept;
  // False where scores and tables are beyond what single precision can tell apart.
  bool place_thresholds() noexcept;
  // Around what can still win; false where that is hardly less than before.
  bool place_closer() noexcept;
  bool place(double high, double low, bool closer) noexcept;
  std::int32_t part_of(double place) const noexcept;
  // Of the passes whose bounds are wanted: the first `open_` of `wanted_`.
  template <int parts, bool scaled> bool count_members() noexcept;
  bool bound_passes(bool whole) noexcept;
  void note_states(std::int32_t alpha) noexcept;
  // whole: what lies beyond the outermost thresholds can matter too.
  void bound_parts(std::int32_t alpha, bool whole) noexcept;
  double bound_between(std::int32_t alpha, const State *states, int part, double lowest,
                       double highest) const noexcept;
  void sort_passes(std::int32_t from) noexcept;

  const Instance *instance_;
  int parts_;             // the last one: who gains less than anybody needs
  double *places_;        // rows x K, padded: how far below the top the gains of a member are
  std::int32_t *part_;    // rows x K, padded: and in which part
  std::int32_t *left_;    // default column x alpha x parts: who is there, then who is left there
  double *sums_;          // alpha x parts: of places
  Own *own_by_alpha_;     // K
  std::int32_t *best_at_; // K: members by their best column
  State *states_;         // K x parts
  double *others_;        // parts: what the columns but alpha score, while states are noted
  double *highest_;       // K: the highest step of a pass's default columns
  double *part_bounds_;   // K x parts: bounds on what lies within
  double *bounds_;        // K
  std::int32_t *order_;   // K
  std::int32_t *wanted_;  // K

  double thresholds_[kMany] = {}; // descending; part j gains less than thresholds_[j], no less
                                  // than thresholds_[j + 1]
  std::int32_t open_ = 0;
  double top_ = 0;              // a gain's place is so much less that gain
  double factor_ = 1;           // a power of two: places times this are in reach of floats
  std::int32_t first_bits_ = 0; // of the places, in single precision, where part 0 begins
  int shift_ = 0;               // parts begin at multiples of 2^shift of these bits
  double margin_ = 0;           // more than gains can lie beyond thresholds by rounding
  bool placed_ = false;
  double most_ = 0;         // the greatest gain of all members
  double gains_of_own_ = 0; // of all members to their best column
  double lowest_step_ = 0;  // of any table, or 0
  double level_ = 0;        // what some labelling reaches
  double defaults_ = 0;     // sum of the best scores
  double magnitude_ = 0;    // of what is added up
  double slack_ = 0;        // more than rounding in double precision can add up to
};

} // namespace chorale
