// Upper bounds on the score of each pass of alpha-pass in a convex sum of many members, computed
// without sorting. They are tighter than those of PassBounds (pass_bounds.hpp), and in large
// cliques the search as a whole is faster with them.
//
// The gain of a member by alpha is its score at alpha minus its score at its default column, the
// best other column. Labelling k of the pass of alpha gives alpha to the k members with the
// greatest gain. So for each threshold t, one of the labellings gives alpha to exactly the members
// with gain > t. Thresholds divide the members into the *parts* of a histogram by gain. For all
// alphas at once, the members of each part are counted by default column, and their gains are
// summed. These sums give the scores of the labellings at the ends of parts. Within a part, each
// further member with alpha gains at most the upper threshold and at least the lower one. The table
// of the default column that it leaves falls by at least its lowest step and at most its highest
// step within the part. So the score is at most the lower of two lines in k, one from each end of
// the part, plus the convex f_alpha.
//
// Gains are stored as *places*: the place of a gain is top_ - gain, which grows from part to part.
// (top_ is a little above thresholds_[1].) All gains above thresholds_[1] are in part 0; the
// greatest of them may have negative places.
//
// Notation (instance.hpp): n members, K columns; f_v is the table of column v.
#pragma once

#include "clique/instance.hpp"

namespace chorale {

class ThresholdBounds {
public:
  ThresholdBounds(Layout &layout, const Instance &instance) noexcept;

  // True if the clique is large enough for these bounds to save time.
  static bool pay_for(const Instance &instance) noexcept {
    return instance.members >= 192 && instance.members / 16 >= instance.columns;
  }

  // Computes all bounds and sorts the passes by descending bound. If no thresholds can be placed,
  // all bounds are infinite. O(n K) where pay_for() is true. False if interrupted.
  bool run() noexcept;
  // Returns the alpha of the pass with the `rank`-th highest bound (0: the highest).
  std::int32_t alpha(std::int32_t rank) const noexcept { return order_[rank]; }
  // Returns an upper bound on the score of the pass of `alpha`.
  double bound(std::int32_t alpha) const noexcept { return bounds_[alpha]; }

private:
  static constexpr int kFew = 16;  // number of parts, usually
  static constexpr int kMany = 64; // number of parts if members far outnumber columns
  // Calls count_members(), compiled for the vector units of the machine. False if interrupted.
  template <int parts> bool count_all() noexcept;
  // Sum and maximum over the members whose best column is alpha.
  struct Own {
    double gains = 0; // sum of their gains by alpha
    double most = 0;  // greatest of their gains by alpha
  };
  // The labelling of a pass at the beginning of a part: members of all earlier parts have alpha.
  struct State {
    double score;       // member scores plus potential, without f_alpha
    std::int32_t count; // number of members at alpha
  };

  // Computes best_at_, own_by_alpha_ and the sums over the members' best scores. False if
  // interrupted.
  bool note_defaults() noexcept;
  // Places thresholds_[1] at the upper end of the gains that matter and the later ones below it, the
  // last at about the lower end. thresholds_[0] becomes the greatest gain of a member by its best
  // column. False, with no threshold placed, if the upper end is not above the lower one, if their
  // difference is too small or too great to be scaled, or if some gain divided by this difference
  // is too great for single precision.
  bool place_thresholds() noexcept;
  // Returns the part to which a gain with this place belongs.
  std::int32_t part_of(double place) const noexcept;
  // Fills left_ and sums_. False if interrupted.
  template <int parts> bool count_members() noexcept;
  // Computes bounds_. False if interrupted.
  bool bound_passes() noexcept;
  // Adds up the entries of left_ for alpha and each default column from the last part back, so that
  // entry j becomes the number of members that still have this default column at the beginning of
  // part j. Fills states_ for alpha with the labellings at the beginnings of the parts.
  void note_states(std::int32_t alpha) noexcept;
  // Returns an upper bound on the score of the pass of alpha.
  double bound_parts(std::int32_t alpha) const noexcept;
  // Returns an upper bound on the scores of the labellings of the pass of `alpha` within `part`.
  // `states`: the states_ of alpha; `lowest`, `highest`: bounds on the table steps of the default
  // columns within the part.
  double bound_between(std::int32_t alpha, const State *states, int part, double lowest,
                       double highest) const noexcept;

  const Instance *instance_;
  int parts_;             // number of parts; members of the last part gain too little to take alpha
  double *places_;        // K: place of one member, by alpha
  std::int32_t *part_;    // K: part of one member, by alpha
  std::int32_t *left_;    // default column x alpha x parts: number of members; then suffix sums
  double *sums_;          // alpha x parts: sum of the places of the members
  Own *own_by_alpha_;     // K: sums over the members whose best column is alpha
  std::int32_t *best_at_; // K: number of members by best column
  State *states_;         // alpha x parts: labelling at the beginning of each part
  double *others_;        // parts: tables of the columns other than the current alpha, summed
  double *bounds_;        // K: upper bound on the pass of alpha
  std::int32_t *order_;   // K: alphas by descending bound

  // Descending from thresholds_[1] on. Part j has the gains with thresholds_[j] >= gain >
  // thresholds_[j + 1], up to margin_; part 0 has no upper end, the last part no lower end.
  double thresholds_[kMany] = {};
  double top_ = 0;                // above the gains that matter; the place of a gain is top_ - gain
  double factor_ = 1;             // a power of two that scales places into the range of floats
  // Float bits of scaled places from which parts are counted: part 0 ends at first_bits_ + 2^shift_
  // and has all lower places.
  std::int32_t first_bits_ = 0;
  int shift_ = 0;                 // each part spans 2^shift of these bits
  double margin_ = 0;             // how far a gain may lie outside its part, by rounding to floats
  double most_ = 0;               // greatest gain of a member by its best column
  double gains_of_own_ = 0;       // sum of the members' gains by their best columns
  double lowest_step_ = 0;        // the lowest step of any table, at most 0
  double defaults_ = 0;           // sum of the best scores
  double magnitude_ = 0;          // sum of the magnitudes of the terms
  double slack_ = 0;              // upper bound on rounding errors in double precision
};

} // namespace chorale
