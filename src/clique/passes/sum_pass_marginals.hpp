// The max-marginals of AlphaPassMarginals for sums without forbidden counts, over the same
// labellings with far fewer evaluations. Labelling k of the pass of alpha: the first k members of
// the pass have alpha, and each other member its default column, its best column other than alpha.
//
// In a sum, moving a member from column b to v changes the total by leave[b] + join[v]. So the
// scores of labelling k with one member moved from b are leave[b] + row k, where row k holds score
// of labelling k + join[v] for each v. leave[b] changes only when a member moves from b to alpha;
// just before, that member reads the maximum over all rows so far. So each row is written once, and
// default column b takes the maximum of the rows written since its last reading ("folds" them) into
// row b of before_, using stored maxima of whole blocks of rows. O(n K^2) in all for K up to about
// a hundred, instead of O(n K^3).
//
// Rows are stored for a window of labellings; all columns fold them before the next window begins.
// The suffix maxima, from the last labelling to the first, use the stored rows if there is one
// window; otherwise they recompute rows from the labellings' scores.
//
// In a convex sum many labellings are skipped. Let `reach` be the greatest change of the potential
// by a single move. In every best labelling, whatever another member is fixed to, a member with
// gain by alpha > reach has alpha, and one with gain < -reach does not. A whole pass is skipped if
// each member loses more by alpha than its share of what the potential can gain: then all members
// score better at their best columns, a labelling that every other pass visits too.
//
// With many columns, most are no member's best or second-best column. Such *cold* columns have
// count 0 in all labellings except those of their own pass, so their entries in a row depend only
// on their step f(1) - f(0). A *lane* is an entry of a row: cold columns with the same step share a
// lane, and each default column has a lane of its own. A pass of a cold alpha has one more lane,
// for alpha; the message of alpha from all other passes is the best that its shared lane received
// in them. With few different steps (Potts: one) this takes O(n K + n^2 K) time, and as many rows
// of before_ as there are default columns. With more than kMostSteps different steps, and too many
// columns for one lane each, all cold columns share one lane and their steps are added at the end,
// which may round the last digit differently.
//
// An AVX2 variant is selected at run time; both variants give the same bits.
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
  // False if, in a convex sum, the pass of alpha cannot raise a message (see above).
  bool may_pay(std::int32_t alpha, double lowest_step) const noexcept;
  // Runs the pass of alpha, for which sweep_ is ordered. False if interrupted.
  bool pass(std::int32_t alpha, double *messages) noexcept;
  // Writes the row of labelling k and updates the maximum of its block.
  void write_state(std::int32_t k, double score) noexcept;
  // Folds the rows up to labelling k, of the current window, into the row of a default column.
  void fold(std::int32_t column, std::int32_t k) noexcept;
  // Calls fold() for all default columns.
  void fold_all(std::int32_t k) noexcept;
  // Writes the maximum of rows `from` .. `to` - 1 of the window to range_, for kVectors vectors of
  // lanes from lane v on.
  template <int kVectors>
  void fold_columns(std::int64_t v, std::int32_t from, std::int32_t to) noexcept;
  // Raises the messages of the member of `rank` by the labellings in which it has its default
  // column.
  void read_before(std::int32_t rank, double *messages) noexcept;
  // Raises the messages of all members by the labellings in which they have alpha.
  bool read_after(std::int32_t alpha, double *messages) noexcept;

  // Assigns lanes to the columns, as explained above.
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
  // Moves a member between columns in score_ and lane_join_.
  void move(std::int32_t from, std::int32_t to) noexcept;
  // Raises the member's received maxima to `row` (by lane) + `add`.
  void hear(std::int64_t member, const double *row, double add, double *messages) noexcept;
  // Copies the received maxima from lanes to the columns of `messages` (n x K).
  void write_lanes(double *messages) const noexcept;

  // Position of labelling k in its window.
  std::int32_t place(std::int32_t k) const noexcept;
  double *state(std::int32_t k) const noexcept { return states_ + place(k) * width_; }


  // Received maxima of one member in one cold lane.
  struct Heard {
    double best;        // over all passes
    double other;       // over all passes except that of `alpha`
    std::int32_t alpha; // the pass of `best`
  };

  const Instance *instance_;
  AlphaSweep sweep_;
  PassStart start_;
  FiniteSumScore score_;
  std::int64_t most_lanes_; // capacity
  bool may_have_lanes_;     // K is large enough for shared lanes
  bool has_lanes_ = false;  // if false, lane v is column v
  bool adds_steps_ = false; // cold columns share one lane and their steps are added at the end
  std::int64_t lanes_ = 0;
  std::int32_t defaults_ = 0; // number of default columns, which have the first lanes
  std::int32_t steps_ = 0;    // cold columns' lanes, which follow; the last lane is a cold alpha's
  std::int32_t alpha_ = 0;    // of the current pass
  std::int64_t width_ = 0; // row length: the lanes, the labelling's score, padding to whole vectors
  std::int32_t *lane_of_ = nullptr;   // K: lane by column; shared lanes for cold columns
  std::int32_t *column_of_ = nullptr; // defaults: column by lane
  double *lane_join_ = nullptr;       // lanes: join by lane
  double *heard_ = nullptr;           // n x defaults: received maxima
  Heard *heard_cold_ = nullptr;       // n x steps: received maxima of cold lanes
  std::int32_t *next_;                // defaults: the first labelling not yet folded
  double *before_;  // defaults x width: prefix maxima, by default column and fixed column
  double *states_;  // min(n + 1, kWindow) x width: rows of the current window
  double *blocks_;  // x width: maximum of each block of kBlock rows
  double *scores_;  // n + 1: score by labelling
  double *range_;   // width: maximum of a range of rows
  double *nearest_; // K: max over members of score at v minus best score; at most 0
};

} // namespace chorale
