// Minimises the dual of a SUM clique (count_dual.hpp) over one box of counts by subgradient steps.
//
// Step lengths follow Polyak's rule: the length at which a linear dual would equal the target. The
// target is the best known score or, while no labelling is known, a level below the best bound; its
// distance grows after steps that lower the bound and shrinks after series that do not. After each
// improvement, counts and entries that no better labelling has are dropped, which lowers the dual
// further and makes steps cheaper.
#pragma once

#include "clique/dual/count_dual.hpp"
#include "clique/dual/rounding.hpp"

namespace chorale {

// The score that labellings must exceed. A box whose bound is at most `level` is finished.
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
  // entries. Stops when the bound is at most the cutoff or closes `gap` (negative: none), when the
  // bound falls too slowly (sooner unless `patient`), after `limit` steps, and on interruption.
  double run(CountDual &dual, const SumView &view, double *prices, Incumbent &incumbent,
             Cutoff &cutoff, double gap, std::int64_t limit, bool patient, Limits &limits,
             double *dropped) noexcept;

  // Returns the column v to branch on, into counts <= *at and counts > *at; -1 if all counts are
  // fixed. v has the greatest excess: the average of f_v at the counts chosen in the steps of the
  // last run, minus f_v (linearly interpolated) at the average count. *at: this average, rounded
  // down.
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
  double *average_score_; // K: such averages of f_v at the chosen counts
};

// Returns the cutoff for the incumbent's score; without an incumbent, a cutoff below the score of
// every labelling that is not forbidden.
Cutoff cutoff_for(const SumView &view, const Incumbent &incumbent) noexcept;

// Writes start prices (n): each member's best score, or 0 if all its columns are forbidden.
void start_prices(const SumView &view, double *prices) noexcept;

} // namespace chorale
