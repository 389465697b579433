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
// Of many columns most are nobody's best or second-best, so their count is 0 in every labelling of a
// pass but their own. What such *cold* columns offer depends on f(1) - f(0) alone: those with the
// same step share a *lane*, and only columns that are a default of some member have one each. A
// pass of a cold alpha has a lane for it besides, and what its column hears from all other passes is
// the best that its lane heard but for that pass. So with few different steps (Potts: one) this
// takes O(n K + n^2 K) time, in as many rows as members have defaults. With more different steps
// than kMostSteps, and more columns than kAllColumns and members leave room for, steps are added
// at the end, which may round the last digit otherwise.
//
// Compiled for the machine at hand at run time (AVX2 or not), with the same bits.
#pragma once

#include "clique/alpha_sweep.hpp"
#include "clique/pass_start.hpp"
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
  // Brings the row of a default column up to labelling k, of the window at hand.
  void fold(std::int32_t column, std::int32_t k) noexcept;
  void fold_all(std::int32_t k) noexcept;
  template <int kVectors>
  void fold_columns(std::int64_t v, std::int32_t from, std::int32_t to) noexcept;
  void read_before(std::int32_t rank, double *messages) noexcept;
  bool read_after(std::int32_t alpha, double *messages) noexcept;

  // Gives columns their lanes.
  void place_lanes() noexcept;
  std::int32_t place_defaults() noexcept;
  std::int32_t place_steps(std::int32_t first) noexcept;
  double step_of(std::int64_t v) const noexcept {
    return instance_->potential.tables[v][1] - instance_->potential.tables[v][0];
  }
  std::int32_t lane_of(std::int32_t column) const noexcept {
    return has_lanes_ ? lane_of_[column] : column;
  }
  const double *joins() noexcept { return has_lanes_ ? lane_join_ : score_.join(); }
  void note_join(std::int32_t column) noexcept;
  void move(std::int32_t from, std::int32_t to) noexcept;
  // Raises what the member hears by a row of lanes.
  void hear(std::int64_t member, const double *row, double add, double *messages) noexcept;
  // What was heard in lanes, in columns.
  void write_lanes(double *messages) const noexcept;

  // The place of labelling k in its window.
  std::int32_t place(std::int32_t k) const noexcept;
  double *state(std::int32_t k) const noexcept { return states_ + place(k) * width_; }

  struct Variants;

  // The best that a cold lane has heard, the pass that said it, and the best of all others.
  struct Heard {
    double best;
    double other;
    std::int32_t alpha;
  };

  const Instance *instance_;
  AlphaSweep sweep_;
  PassStart start_;
  FiniteSumScore score_;
  std::int64_t most_lanes_; // room for so many
  bool may_have_lanes_;
  bool has_lanes_ = false;  // else every column is a lane
  bool adds_steps_ = false; // cold columns share one lane whatever their steps
  std::int64_t lanes_ = 0;
  std::int32_t defaults_ = 0; // the first lanes: columns that are a default
  std::int32_t steps_ = 0;    // the next ones: cold columns; then that of a cold alpha
  std::int32_t alpha_ = 0;    // of the pass
  std::int64_t width_ = 0; // a lane each, the labelling's own score, and up to whole vectors
  std::int32_t *lane_of_ = nullptr;   // K: not that of a cold alpha
  std::int32_t *column_of_ = nullptr; // defaults
  double *lane_join_ = nullptr;       // lanes
  double *heard_ = nullptr;           // n x defaults
  Heard *heard_cold_ = nullptr;       // n x steps
  std::int32_t *next_; // defaults: the first labelling not folded into the row
  double *before_;     // defaults x width: row the default column, column the fixed one
  double *states_;     // a window of rows: width each
  double *blocks_;     // its blocks of rows: width each
  double *scores_;     // n + 1: of the labellings
  double *range_;      // width
  double *nearest_;    // K: the greatest score less the member's best
};

} // namespace chorale
