// Max-marginals over the labellings of alpha-pass, in sums without forbidden counts: those of
// AlphaPassMarginals (alpha_pass.hpp), with far fewer evaluations.
//
// The pass of column alpha sorts the members by their gain from alpha. In labelling k the first k
// members have alpha, and each other member its default column, its best column other than alpha.
// For each member i and column v, the messages need the best score of a labelling of a pass after
// member i has been moved to v. This is a prefix maximum over the labellings in which i has its
// default column, or a suffix maximum over the labellings in which i has alpha.
//
// In a sum, moving a member from column b to v changes the potential by leave[b] + join[v], the
// changes of the tables of b and v. Let row k have an entry for each v: the score of labelling k
// plus join[v]. After a member of column b has moved to v in labelling k, the score is leave[b]
// plus this entry, plus the change of the member's own score. So one row serves all columns b.
//
// When a member reads the prefix maxima of its default column b, column b first *folds* the rows
// written since its last fold: row b of before_ is raised to the maximum of these rows plus
// leave[b]. The same leave[b] applies to all these rows, since it changes only when a member moves
// from b to alpha, and each such member reads its prefix maxima just before it moves. Stored maxima
// of whole blocks of rows make a fold fast. All passes take O(n K^2) for K up to about a hundred,
// instead of O(n K^3).
//
// Rows are stored for a window of labellings; all default columns fold them before the next window
// begins. The suffix maxima, from the last labelling to the first, use the stored rows if there is
// one window only; otherwise they recompute the rows from the scores of the labellings.
//
// In a convex sum many labellings are skipped. Let `reach` be the greatest change of the potential
// by a single move. In every best labelling of a pass, even if some other member is fixed to a
// column, a member with gain > reach has alpha, and a member with gain < -reach does not.
//
// With many columns, most are no member's best or second-best column. Such *cold* columns have
// count 0 in all labellings except those of their own pass, so the best score of another pass with
// a member at cold column v is a number that is the same for all of them, plus the step f_v(1) -
// f_v(0). A *lane* is an entry of a row. Each column that is some member's best or second-best one
// has a lane of its own; all cold columns share one lane, and their steps are added at the end. In
// the pass of a cold alpha, the count of alpha is not 0, so one more lane is for this alpha. So the
// message of a cold column v needs the greatest score of the shared lane in all passes but that of
// v. For this purpose the shared lane keeps two maxima: the greatest score, and the greatest score
// of the passes other than that of the first maximum. There are O(n) lanes, and before_ has rows
// only for the columns with a lane of their own. All passes then take O(n^2 K), for up to about a
// hundred lanes.
//
// An AVX2 variant is selected at run time; both variants give the same bits.
//
// Notation (instance.hpp): n members, K columns; f_v is the table of column v.
#pragma once

#include "clique/passes/alpha_sweep.hpp"
#include "clique/passes/pass_start.hpp"
#include "potential/count_score.hpp"

namespace chorale {

class SumPassMarginals {
public:
  SumPassMarginals(Layout &layout, const Instance &instance) noexcept;

  // Writes the messages (n x K): entry (i, v) is the best score found with x_i = v, minus the score
  // of member i at v; minus infinity if no labelling was found.
  void run(Limits &limits, Solution &solution, Matrix<double> messages) noexcept;

private:
  void run_passes(Limits &limits, Solution &solution, Matrix<double> messages) noexcept;
  // Runs the pass of alpha, for which sweep_ has sorted the members. False if interrupted.
  bool pass(std::int32_t alpha, Matrix<double> messages) noexcept;
  // Writes the row of labelling k, which has `score`, and updates the maximum of its block.
  void write_state(std::int32_t k, double score) noexcept;
  // Folds the rows of the current window up to labelling k into the row of a default column.
  void fold(std::int32_t column, std::int32_t k) noexcept;
  // Calls fold() for all default columns.
  void fold_all(std::int32_t k) noexcept;
  // Writes the maximum of rows `from` .. `to` - 1 of the window to range_, for kVectors vectors of
  // lanes from lane v on.
  template <int kVectors>
  void fold_columns(std::int64_t v, std::int32_t from, std::int32_t to) noexcept;
  // Raises the messages of the member of `rank` to the prefix maxima, over the labellings in which
  // it has its default column.
  void read_before(std::int32_t rank, Matrix<double> messages) noexcept;
  // Raises the messages of all members to the suffix maxima, over the labellings in which they have
  // alpha. False if interrupted.
  bool read_after(std::int32_t alpha, Matrix<double> messages) noexcept;

  // Assigns a lane to each column, or decides that lane v is column v.
  void place_lanes() noexcept;
  std::int32_t place_defaults() noexcept;
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
  // Raises the message of `member` in each lane to at least row[lane] + `add`. Messages are stored
  // in `messages` if each column has its own lane, otherwise in heard_ and heard_cold_.
  void hear(std::int64_t member, const double *row, double add, Matrix<double> messages) noexcept;
  // Writes to `messages` (n x K), by column, the messages that heard_ and heard_cold_ have by lane.
  void write_lanes(Matrix<double> messages) const noexcept;

  // Returns the position of labelling k in its window.
  std::int32_t place(std::int32_t k) const noexcept;
  double *state(std::int32_t k) const noexcept { return states_ + place(k) * width_; }


  // The message of one member in the lane shared by cold columns.
  struct Heard {
    double best;        // the greatest score found in any pass
    double other;       // the greatest score found in any pass except that of `alpha`
    std::int32_t alpha; // column of the pass that `best` comes from
  };

  const Instance *instance_;
  AlphaSweep sweep_;
  PassStart start_;
  FiniteSumScore score_;
  std::int64_t most_lanes_; // greatest number of lanes for which there is memory
  bool may_have_lanes_;     // K is large enough for shared lanes
  bool has_lanes_ = false;  // if false, lane v is column v
  std::int64_t lanes_ = 0;    // number of lanes
  // Number of columns with lanes of their own. These lanes come first, then the shared lane, then
  // the lane of a cold alpha.
  std::int32_t defaults_ = 0;
  std::int32_t alpha_ = 0;    // alpha of the current pass
  std::int64_t width_ = 0; // row length: the lanes, the labelling's score, padding to whole vectors
  std::int32_t *lane_of_ = nullptr;   // K: lane by column; the shared lane for cold columns
  std::int32_t *column_of_ = nullptr; // defaults_: column by lane
  double *lane_join_ = nullptr;       // lanes_: join by lane
  double *heard_ = nullptr;           // n x defaults_: messages by lane
  Heard *heard_cold_ = nullptr;       // n: messages in the lane of cold columns
  std::int32_t *next_;                // defaults_: first labelling not yet folded, by column
  double *before_;  // defaults_ x width_: prefix maxima, by default column and fixed column's lane
  double *states_;  // min(n + 1, kWindow) x width_: rows of the current window
  double *blocks_;  // blocks x width_: maximum of each block of kRowBlock rows
  double *scores_;  // n + 1: score by labelling
  double *range_;   // width_: maximum of a range of rows
};

} // namespace chorale
