// Lowers the dual of a SUM clique over one box of counts by subgradient steps.
//
// Step lengths are Polyak's: as long as would bring a linear dual down to the target. The target is
// the score to beat or, while no labelling is known, a level below the best bound, whose distance
// grows with success and shrinks with failure. After each improvement, counts and entries that no
// better labelling can have are dropped, which lowers the dual further and makes each step cheaper.
#pragma once

#include "clique/dual/count_dual.hpp"
#include "clique/dual/rounding.hpp"

namespace chorale {

// The score to beat. A box whose bound is at most `level` needs no more searching.
struct Cutoff {
  double target; // the best known score, or a score below every finite labelling
  double level;  // target plus a tolerance for rounding
  bool known;    // true if target is a labelling's score
};

class DualAscent {
public:
  DualAscent(Layout &layout, const Instance &instance) noexcept;

  // Lowers D over the box and entries of `dual`, starting from `prices` (n), which receives the
  // best prices found. Rounds the columns' choices to labellings and offers these to `incumbent`,
  // which raises the cutoff. Returns the least upper bound found on labellings above the cutoff,
  // minus infinity if none exist; raises *dropped to the highest bound among the dropped counts and
  // entries. Stops when the bound is at most the cutoff or closes `gap` (negative: none), when
  // progress fades (earlier unless `patient`), at `limit` steps, and on interruption.
  double run(CountDual &dual, const SumView &view, double *prices, Incumbent &incumbent,
             Cutoff &cutoff, double gap, std::int64_t limit, bool patient, Limits &limits,
             double *dropped) noexcept;

  // Returns the column to branch on and a count in *at: the column branches into counts <= *at and
  // > *at. Over the steps of the last run, f_v at the chosen counts averages farthest above f_v at
  // their average in this column, and *at is the average rounded down. -1 if all counts are fixed.
  std::int32_t branch_column(const CountDual &dual, std::int32_t *at) const noexcept;

  // Keeps the labelling of another method if its score is higher, and updates the cutoff.
  void offer(const SumView &view, const std::int32_t *assignment, Incumbent &incumbent,
             Cutoff &cutoff) noexcept;

  void reset_steps() noexcept { steps_ = 0; }
  std::int64_t steps() const noexcept { return steps_; }
  bool limit_hit() const noexcept { return limit_hit_; }

private:
  void average(const CountDual &dual) noexcept;

  Rounding rounding_;
  const double *const *tables_ = nullptr;
  std::int64_t members_;
  std::int64_t columns_;
  std::int64_t steps_ = 0;
  bool limit_hit_ = false;
  double *price_;         // n: prices of the current step
  double *average_count_; // K: exponentially fading averages of the chosen counts
  double *average_score_; // K: the same of f_v at the chosen counts
};

// Returns the cutoff for the incumbent's score; one below every finite labelling if none is known.
Cutoff cutoff_for(const SumView &view, const Incumbent &incumbent) noexcept;

// Writes start prices (n): each member's best score, or 0 if all its columns are forbidden. Prices
// taken from a known labelling need more steps.
void start_prices(const SumView &view, double *prices) noexcept;

} // namespace chorale
