// Minimises the dual of a SUM clique (count_dual.hpp) over one box of counts by subgradient steps:
// ascent on minus the dual.
//
// Step lengths follow Polyak's rule: the length at which the dual would reach the target if it were
// linear, times a factor that shrinks after a series of steps that do not lower the bound. The
// target is the best known score. While no labelling is known, the target lies below the best bound
// by a distance that grows after each step that lowers the bound and shrinks after a series of
// steps that do not. After each improvement of the bound, counts that no better labelling has are
// dropped (CountDual::reduce()), unless members have weights. This lowers the dual further and
// makes steps cheaper. A step changes the price of a member of weight w by as much as it would
// change the prices of its w parts (instance.hpp) together; these would all have the same price.
//
// Notation (instance.hpp): n members, K columns; f_v is the table of column v.
#pragma once

#include "clique/dual/count_dual.hpp"
#include "clique/dual/rounding.hpp"

namespace chorale {

// The score that further labellings must exceed. A box whose bound is at most `level` is finished.
struct Cutoff {
  // The best known score; if none is known, a number below the scores of all labellings that are
  // not forbidden.
  double target;
  double level; // target plus a tolerance for rounding; equal to target if no score is known
  bool known;   // true if target is a labelling's score
};

class DualAscent {
public:
  DualAscent(Layout &layout, const Instance &instance) noexcept;

  // Lowers the dual over the box of `dual`. Starts from `prices` (n) and overwrites `prices` by the
  // best ones found. Rounds the columns' choices to labellings; a labelling that scores more than
  // `incumbent` replaces it and raises the cutoff. Returns the lowest upper bound found on the scores
  // of labellings above the cutoff, or minus infinity if there are no such labellings. Raises
  // *dropped to the highest bound on labellings with a dropped count.
  // Stops when the bound is at most cutoff.level or closes `gap` (negative: no gap), when the bound
  // falls too slowly (later if `patient`), when the columns' choices are a labelling, after `limit`
  // steps, and on interruption.
  double run(CountDual &dual, const Instance &in, gsl::span<double> prices, Incumbent &incumbent,
             Cutoff &cutoff, double gap, std::int64_t limit, bool patient, Limits &limits,
             double *dropped) noexcept;

  // Returns the column v at whose count to split the box, into counts <= *at and counts > *at, or
  // -1 if all counts are fixed. Chooses the column with the greatest *excess*. Let k be the counts
  // that column v has chosen in the steps of the latest run(). The excess is the average of f_v(k)
  // minus f_v(average of k), where f_v is interpolated linearly, and older steps have exponentially
  // smaller weights in the averages. *at is the average of k, rounded down and limited to lo_v ..
  // hi_v - 1. Must not be called if members have weights.
  std::int32_t branch_column(const CountDual &dual, std::int32_t *at) const noexcept;

  // Makes `assignment` the incumbent if it scores more, and then raises the cutoff.
  void offer(const Instance &in, gsl::span<const std::int32_t> assignment, Incumbent &incumbent,
             Cutoff &cutoff) noexcept;

  // Number of steps since reset_steps(), over all calls of run(). limit_hit(): the latest run()
  // ended because it had made `limit` steps.
  void reset_steps() noexcept { steps_ = 0; }
  std::int64_t steps() const noexcept { return steps_; }
  bool limit_hit() const noexcept { return limit_hit_; }

private:
  // Lets the newest step's counts enter the moving averages with the weight `fade`.
  void average(const CountDual &dual, double fade) noexcept;

  Rounding rounding_;
  const double *const *tables_ = nullptr; // K tables of the latest run(); NULL with weights
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
Cutoff cutoff_for(const Instance &in, const Incumbent &incumbent) noexcept;

// Writes start prices (n): each member's best score, or 0 if all its columns are forbidden.
void start_prices(const Instance &in, gsl::span<double> prices) noexcept;

} // namespace chorale
