// Minimises the dual of a SUM clique (count_dual.hpp) over one box of counts by subgradient steps.
//
// Step lengths follow Polyak's rule: the length at which the dual would reach the target if it were
// linear. The target is the best known score. While no labelling is known, it is a level below the
// best bound, whose distance from the bound grows after each step that lowers the bound and shrinks
// after a series of steps that do not. After each improvement of the bound, counts and entries that
// no better labelling has are dropped (CountDual::reduce()), which lowers the dual further and
// makes steps cheaper.
#pragma once

#include "clique/dual/count_dual.hpp"
#include "clique/dual/rounding.hpp"

namespace chorale {

// The score that further labellings must exceed. A box whose bound is at most `level` is finished.
struct Cutoff {
  double target; // the best known score, or a score below every finite labelling
  double level;  // target plus a tolerance for rounding
  bool known;    // true if target is a labelling's score
};

class DualAscent {
public:
  DualAscent(Layout &layout, const Instance &instance) noexcept;

  // Lowers the dual over the box and entries of `dual`, starting from `prices` (n), to which it
  // writes the best prices found. Rounds the columns' choices to labellings; if one scores more
  // than `incumbent`, replaces it and raises the cutoff. Returns the least upper bound found on the
  // scores of labellings above the cutoff, or minus infinity if there are none. Raises *dropped to
  // the highest bound on labellings with a dropped count or entry. Stops when the bound is at most
  // cutoff.level or closes `gap` (negative: no gap), when the bound falls too slowly (later if
  // `patient`), after `limit` steps, and on interruption.
  double run(CountDual &dual, const SumView &view, gsl::span<double> prices, Incumbent &incumbent,
             Cutoff &cutoff, double gap, std::int64_t limit, bool patient, Limits &limits,
             double *dropped) noexcept;

  // Returns the column v at whose count to split the box, into counts <= *at and counts > *at, or
  // -1 if all counts are fixed. Chooses the column with the greatest *excess*: the average of f_v
  // over the counts chosen in the steps of the last run, minus f_v, linearly interpolated, at the
  // average of these counts. *at is this average count, rounded down.
  std::int32_t branch_column(const CountDual &dual, std::int32_t *at) const noexcept;

  // Makes `assignment` the incumbent if it scores more, and then raises the cutoff.
  void offer(const SumView &view, gsl::span<const std::int32_t> assignment, Incumbent &incumbent,
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
  gsl::span<double> price_; // n: prices of the current step
  double *average_count_; // K: exponentially fading averages of the chosen counts
  double *average_score_; // K: exponentially fading averages of f_v at the chosen counts
};

// Returns the cutoff for the incumbent's score; without an incumbent, a cutoff below the score of
// every labelling that is not forbidden.
Cutoff cutoff_for(const SumView &view, const Incumbent &incumbent) noexcept;

// Writes start prices (n): each member's best score, or 0 if all its columns are forbidden.
void start_prices(const SumView &view, gsl::span<double> prices) noexcept;

} // namespace chorale
