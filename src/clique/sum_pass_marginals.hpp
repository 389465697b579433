// What AlphaPassMarginals finds, for sums whose counts are all allowed: the same labellings, with
// far fewer looks.
//
// In a sum, moving a member from column b to v adds leave[b] + join[v]. So what labelling k offers
// a member at b is one row, its score + join[v] over v, plus leave[b], and leave[b] changes only
// when a member of b takes alpha, which is when that member reads its row. Each row of labelling k
// is written once, and a column folds in the rows since its last reading all at once, whole blocks
// of them by their maximum. O(n K^2) in all while K is not above a hundred or so, against O(n K^3).
//
// Rows are kept for a window of labellings, which all columns fold in before the next one; on the
// way back, from the last labelling to the first, those of several windows are made again from the
// labellings' scores.
//
// In a convex sum most labellings of a pass need no look. A member who gains more by alpha, or
// loses more, than any move of one member is worth to the potential has it, or not, in every
// labelling that can be best, whatever another member is fixed to. And where all members lose more
// by alpha than the potential gives them for it, each its share, they had better stay at their best
// columns all together; that labelling is in every other pass.
//
// Compiled for the machine at hand at run time (AVX2 or not), with the same bits.
#pragma once

#include "clique/alpha_sweep.hpp"
#include "potential/count_score.hpp"

namespace chorale {

class SumPassMarginals {
public:
  SumPassMarginals(Layout &layout, const Instance &instance) noexcept;

  // As AlphaPassMarginals::run.
  void run(Limits &limits, Solution &solution, double *messages) noexcept;

private:
  void run_passes(Limits &limits, Solution &solution, double *messages) noexcept;
  // How far below its best a column is for the member that loses least by it.
  bool find_nearest() noexcept;
  // In a convex sum: whether somebody may gain by the pass.
  bool may_pay(std::int32_t alpha, double lowest_step) const noexcept;
  // The sweep is ordered by alpha. False where the limits ended it.
  bool pass(std::int32_t alpha, double *messages) noexcept;
  // Writes the row of labelling k, and the maximum of its block when that is complete.
  void write_state(std::int32_t k, double score) noexcept;
  // Brings the row of default column b up to labelling k, of the window at hand.
  void fold(std::int32_t b, std::int32_t k) noexcept;
  template <int kVectors>
  void fold_columns(std::int64_t v, std::int32_t from, std::int32_t to) noexcept;
  void read_before(std::int32_t rank, double *messages) noexcept;
  bool read_after(std::int32_t alpha, double *messages) noexcept;

  // The place of labelling k in its window.
  std::int32_t place(std::int32_t k) const noexcept;
  double *state(std::int32_t k) const noexcept { return states_ + place(k) * width_; }

  struct Variants;

  const Instance *instance_;
  AlphaSweep sweep_;
  FiniteSumScore score_;
  std::int64_t width_; // a column each, the labelling's own score, and up to whole vectors
  std::int32_t *next_; // K: the first labelling not folded into the column's row
  double *before_;     // K x width: row the default column, column the fixed one
  double *states_;     // a window of rows: width each
  double *blocks_;     // its blocks of rows: width each
  double *scores_;     // n + 1: of the labellings
  double *range_;      // width
  double *nearest_;    // K: the greatest score less the member's best
};

} // namespace chorale
