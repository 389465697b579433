// The Lagrangian relaxation for MAJORITY of the paper named in chorale/potential.h. MAJORITY scores
// a labelling by b_alpha + sum_v w_alpha,v n_v, where alpha is the column with the most members.
// The constraints n_v <= n_alpha are added to the objective with a multiplier lambda_v for every
// counted column v other than alpha. The function
//
//     L_alpha = b_alpha + sum_i max_v (psi_iv + w_alpha,v - lambda_v + [v = alpha] sum lambda)
//
// is, for any lambda >= 0, an upper bound on the score of every labelling with majority alpha.
// ([v = alpha] is 1 if v is alpha, otherwise 0.) The labellings that attain the maxima are
// candidates for the result. Alpha and the rest column (the uncounted values) have no constraint;
// their multipliers are 0.
//
// Notation (instance.hpp): n members, K columns; psi_iv is the score of member i at column v.
// w_alpha,v and b_alpha are the weights and biases of the potential.
#pragma once

#include "clique/instance.hpp"
#include "clique/moves/moves.hpp"
#include "potential/count_score.hpp"

namespace chorale {

// How a step changes the multipliers.
enum class StepRule : std::int32_t {
  subgradient,    // changes all multipliers, along the violations of their constraints
  golden_section, // changes the multiplier of one column, by line search
  conservative    // changes the multiplier of one column, until a member changes its column
};

// Moves members of labelling x (n) until alpha is the majority: no counted column has more members
// than alpha. Each time takes the member that loses least out of the fullest column. `counts` (K):
// the counts of x, which are updated. `levels` (K): the term that a relaxation adds to psi_iv, by
// column v. False if alpha cannot become the majority, or if interrupted.
bool restore_majority(const Instance &instance, std::int32_t alpha, gsl::span<const double> levels,
                      gsl::span<std::int32_t> x, gsl::span<std::int32_t> counts,
                      Limits &limits) noexcept;

class Lagrangian {
public:
  Lagrangian(Layout &layout, const Instance &instance, StepRule rule) noexcept;

  // Runs the relaxation of each alpha whose L at multipliers 0 exceeds the best known score; those
  // with the greatest L come first. A relaxation ends when alpha is the majority and complementary
  // slackness is violated by at most options.tolerance times the largest useful multiplier, when no
  // step is possible, when its bound is at most the best known score, or after
  // options.iteration_limit steps. If its bound then exceeds the best known score, its last
  // labelling is repaired (restore_majority()) and improved by single moves. Writes the labelling
  // with the greatest exact score to `solution`, and, unless interrupted, the greatest of the final
  // L_alpha to solution.bound.
  void run(const SolveOptions &options, Limits &limits, Solution &solution) noexcept;

private:
  // Runs the relaxation of alpha. Returns the lowest L_alpha found: minus infinity if no labelling
  // has majority alpha, plus infinity if interrupted before one was computed.
  double relax(std::int32_t alpha, const SolveOptions &options, Limits &limits,
               Solution &solution) noexcept;
  // Assumes that alpha is the majority column: sets alpha_, all multipliers to 0, and level_. Moves
  // no member.
  void start(std::int32_t alpha) noexcept;
  // Offers the labelling with alpha for all members that may take alpha. Returns an upper bound on the
  // useful multipliers, for largest_.
  double offer_all(Solution &solution) noexcept;
  // Computes level_ from the multipliers.
  void set_levels() noexcept;
  // Gives every member its column of greatest level(), offers this labelling to `solution`, and
  // returns L at the current multipliers; plus infinity if interrupted.
  double choose(Solution &solution) noexcept;
  // Returns the score of member i at column v in the relaxation.
  double level(std::int64_t i, std::int32_t v) const noexcept {
    return instance_->score(i, v) + level_.data()[v];
  }
  // Returns by how much the constraint of column v is violated; negative if it is slack.
  std::int32_t excess(std::int32_t v) const noexcept {
    return counts_.data()[v] - counts_.data()[alpha_];
  }
  // Returns the column whose multiplier the next step changes, or -1 to end the relaxation. (A step
  // of the subgradient rule changes all multipliers.)
  std::int32_t worst(double tolerated) const noexcept;

  // Make one step: change the multiplier of column v, or all multipliers, and the labelling x_; then
  // offer x_ to `solution`. If the multiplier of v cannot be changed, mark v in stuck_ instead. False
  // if the relaxation ends.
  bool step_conservative(std::int32_t v, Solution &solution) noexcept;
  bool step_golden(std::int32_t v, Solution &solution) noexcept;
  bool step_subgradient(Solution &solution) noexcept;
  double along(std::int32_t v, double change) const noexcept;
  // Clears moved_ and stuck_, when multipliers have changed.
  void forget_stuck() noexcept;

  const Instance *instance_;
  StepRule rule_;
  std::int32_t counted_;
  std::int32_t alpha_ = 0;
  double *multiplier_;             // K: lambda
  gsl::span<double> level_;        // K: term that the relaxation adds to psi_iv, by column v
  // n: for the golden-section rule: the greatest level(i, w) over the columns w other than alpha
  // and the column whose multiplier is searched.
  double *best_other_;
  std::uint8_t *moved_; // n: conservative rule: 1 if moved since the multipliers last changed
  gsl::span<std::int32_t> x_;      // n: a labelling that attains L
  gsl::span<std::int32_t> counts_; // K: number of members by column
  std::uint8_t *stuck_;            // K: 1 if a step could not change the column's multiplier
  double *bounds_; // K: L at multipliers 0, by alpha; minus infinity after its relaxation
  SingleMoves<MajorityScore> moves_;
  double magnitude_ = 0; // sum of the magnitudes of the terms of L at the latest choose()
  double largest_ = 0;   // upper bound on useful multipliers: see offer_all()
  double least_ = 0;     // the lowest L of the current alpha so far
  double step_size_ = 0; // subgradient rule: factor on the step that would close the gap
  // Subgradient rule: number of steps since L last fell below least_, or since step_size_ was
  // halved.
  std::int32_t in_vain_ = 0;
};

} // namespace chorale
