// Lowers the dual of a SUM clique over one box by steps along subgradients.
//
// The step is Polyak's: as long as would bring a linear dual down to the target. The target is the
// score to beat; while no labelling is known, a level below the best bound that moves with success.
// After each improvement, counts and entries that no better labelling can have are dropped, which
// lowers the dual further and makes each step cheaper.
#pragma once

#include "clique/count_dual.hpp"
#include "clique/rounding.hpp"

namespace chorale {

// What a score must be above to matter; bounds up to it are as good as closed.
struct Cutoff {
  double target; // the score known, or what every finite labelling reaches
  double level;  // target plus what rounding may hide
  bool known;    // whether target is a labelling's score
};

class DualAscent {
public:
  DualAscent(Layout &layout, const Instance &instance) noexcept;

  // Lowers D over the box and entries `dual` has, starting from `prices` and leaving the best ones
  // there. Rounds labellings into `incumbent`, which raises the cutoff. The result is the least
  // bound found on labellings above the cutoff, minus infinity when there are none; *dropped is
  // raised to the highest bound among what was left out. Stops when the bound is at most the
  // cutoff or reaches `gap` (negative: none), when progress fades (sooner unless `patient`), at
  // `limit` steps, and on interruption.
  double run(CountDual &dual, const SumView &view, double *prices, Incumbent &incumbent,
             Cutoff &cutoff, double gap, std::int64_t limit, bool patient, Limits &limits,
             double *dropped) noexcept;

  // Over the last run: the column in which the counts chosen scatter so that their average score
  // is farthest above the table at their average, and that average; -1 when all counts are fixed.
  std::int32_t branch_column(const CountDual &dual, std::int32_t *at) const noexcept;

  // Keeps a labelling found elsewhere, if it is better.
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
  double *price_;         // n: of the present step
  double *average_count_; // K: exponentially fading averages over the steps
  double *average_score_; // K: of f_v at the counts chosen
};

// The cutoff for a score; below every finite labelling when there is none.
Cutoff cutoff_for(const SumView &view, const Incumbent &incumbent) noexcept;

// Prices to start from: each member's best score (0 where all are forbidden). Starting from the
// shares of a known labelling takes more steps.
void start_prices(const SumView &view, double *prices) noexcept;

} // namespace chorale
