// The max-marginals of AlphaPassMarginals for sums without forbidden counts: over the same
// labellings, with far fewer evaluations. Labelling k of the pass of alpha: the first k members of
// the pass have alpha, all others their default column, their best column other than alpha.
//
// In a sum, moving a member from column b to v adds leave[b] + join[v]. So what labelling k offers
// to a member at b is the row (score of labelling k + join[v]) over v, plus leave[b]. leave[b]
// changes only when a member of b takes alpha, and that member reads b's row first. So each
// labelling's row is written once, and a default column b folds the rows since its last reading
// into its own row (a maximum), whole blocks of rows by their maximum. O(n K^2) in all while K is
// at most about a hundred, instead of O(n K^3).
//
// Rows are stored for a window of labellings; all columns fold them before the next window begins.
// The suffix maxima, from the last labelling to the first, use the stored rows if there is one
// window; otherwise they recompute rows from the labellings' scores.
//
// In a convex sum many labellings are skipped. A member whose |gain| by alpha exceeds what any
// single move can change in the potential keeps or refuses alpha in every best labelling, whatever
// another member is fixed to. And a whole pass is skipped if each member loses more by alpha than
// its share of what the potential can gain: all members then do better at their best columns, a
// labelling of every other pass.
//
// With many columns, most are no member's best or second-best column. Such *cold* columns have
// count 0 in every labelling but those of their own pass, so what they offer depends on their step
// f(1) - f(0) alone: cold columns with the same step share a *lane*, while each column that is a
// default of some member has a lane of its own. A pass of a cold alpha has one more lane, for alpha
// itself; alpha's message from all other passes is the best its shared lane received outside
// alpha's own pass. With few different steps (Potts: one) this takes O(n K + n^2 K) time, and as
// many rows as members have default columns. With more than kMostSteps different steps, and too
// many columns for a lane each, cold columns share one lane and their steps are added at the end,
// which may round the last digit differently.
//
// Compiled for AVX2 and for any machine, chosen at run time; both give the same bits.
#pragma once

#include "clique/passes/alpha_sweep.hpp"
#include "clique/passes/pass_start.hpp"
#include "potential/count_score.hpp"

namespace chorale {

class SumPassMarginals {
public:
  SumPassMarginals(Layout &layout, const Instance &instance) noexcept;

  // As in AlphaPassMarginals: `messages` is n x K.
  void run(Limits &limits, Solution &solution, double *messages) noexcept;

private:
  void run_passes(Limits &limits, Solution &solution, double *messages) noexcept;
  // Computes nearest_. False if interrupted.
  bool find_nearest() noexcept;
  // In a convex sum: false if no member can gain by the pass of alpha.
  bool may_pay(std::int32_t alpha, double lowest_step) const noexcept;
  // Runs the pass of alpha, for which sweep_ is ordered. False if interrupted.
  bool pass(std::int32_t alpha, double *messages) noexcept;
  // Writes the row of labelling k and updates the maximum of its block.
  void write_state(std::int32_t k, double score) noexcept;
  // Folds the rows up to labelling k, of the current window, into the row of a default column.
  void fold(std::int32_t column, std::int32_t k) noexcept;
  // The same for all default columns.
  void fold_all(std::int32_t k) noexcept;
  // Writes the maximum of rows `from` .. `to` - 1 of the window to range_, at vectors from v on.
  template <int kVectors>
  void fold_columns(std::int64_t v, std::int32_t from, std::int32_t to) noexcept;
  // Raises the messages of a member by labellings before its turn, or after it.
  void read_before(std::int32_t rank, double *messages) noexcept;
  bool read_after(std::int32_t alpha, double *messages) noexcept;

  // Assigns lanes to the columns, as the comment above explains.
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
  // Raises what the member has received by a row of lanes plus `add`.
  void hear(std::int64_t member, const double *row, double add, double *messages) noexcept;
  // Copies what the lanes have received to the columns of `messages`.
  void write_lanes(double *messages) const noexcept;

  // Position of labelling k in its window.
  std::int32_t place(std::int32_t k) const noexcept;
  double *state(std::int32_t k) const noexcept { return states_ + place(k) * width_; }


  // What a cold lane has received for one member: the best, its pass, and the best of other passes.
  struct Heard {
    double best;
    double other;
    std::int32_t alpha;
  };

  const Instance *instance_;
  AlphaSweep sweep_;
  PassStart start_;
  FiniteSumScore score_;
  std::int64_t most_lanes_; // capacity
  bool may_have_lanes_;
  bool has_lanes_ = false;  // if false, every column is a lane
  bool adds_steps_ = false; // cold columns share one lane and their steps are added at the end
  std::int64_t lanes_ = 0;
  std::int32_t defaults_ = 0; // number of default columns, which have the first lanes
  std::int32_t steps_ = 0;    // cold columns' lanes, which follow; the last lane is a cold alpha's
  std::int32_t alpha_ = 0;    // of the current pass
  std::int64_t width_ = 0; // row length: the lanes, the labelling's score, padding to whole vectors
  std::int32_t *lane_of_ = nullptr;   // K: lane by column, the shared one for a cold alpha
  std::int32_t *column_of_ = nullptr; // defaults: column by lane
  double *lane_join_ = nullptr;       // lanes: join by lane
  double *heard_ = nullptr;           // n x defaults: best received
  Heard *heard_cold_ = nullptr;       // n x steps
  std::int32_t *next_;                // defaults: the first labelling not yet folded
  double *before_;  // defaults x width: prefix maxima, by default column and fixed column
  double *states_;  // rows of the current window
  double *blocks_;  // maxima of kBlock rows each
  double *scores_;  // n + 1: score by labelling
  double *range_;   // width: maximum of a range of rows
  double *nearest_; // K: max over members of score at v minus best score; at most 0
};

} // namespace chorale
