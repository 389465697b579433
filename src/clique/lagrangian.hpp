// Lagrangian relaxation for MAJORITY: "alpha has the highest count" moves into the objective, with
// a multiplier for every other counted column. [Lagrangian Relaxation based Algorithm]
//
//     L_alpha(lambda) = b_alpha + sum_i max_v (psi_iv + w_alpha,v - lambda_v + [v = alpha] sum
//     lambda)
//
// bounds every labelling with majority alpha from above, for any lambda >= 0, and the labellings
// that attain it are candidates. Multipliers of alpha itself and of the rest have no constraint to
// go with and stay 0.
#pragma once

#include "clique/instance.hpp"
#include "clique/majority_repair.hpp"
#include "potential/count_score.hpp"

namespace chorale {

// How the next multipliers are chosen.
enum class StepRule : std::int32_t {
  subgradient,    // all at once, along the violations
  golden_section, // the one most violated, to its best value by line search
  conservative    // the one most violated, as far as no more than one member need change
};

class Lagrangian {
public:
  Lagrangian(Layout &layout, const Instance &instance, StepRule rule) noexcept;

  // One relaxation after the other, each until complementary slackness is violated by no more than
  // tolerance x the largest useful multiplier, no rule can go on, its bound falls to the score of
  // the best labelling, or after iteration_limit steps. The labelling at its end is repaired
  // (majority_repair.hpp) where alpha may still win. Leaves the best labelling by true score and
  // the largest of the final L_alpha as the bound.
  void run(const SolveOptions &options, Limits &limits, Solution &solution) noexcept;

private:
  enum class Progress : std::int32_t { stepped, stuck, unbounded };
  struct Violation {
    std::int32_t column; // -1: none
    bool above;          // more members than alpha; otherwise fewer, at a positive multiplier
  };

  double relax(std::int32_t alpha, std::int64_t limit, double tolerance, Limits &limits,
               Solution &solution) noexcept;
  void take(std::int32_t alpha) noexcept;
  void offer_all(Solution &solution) noexcept;
  void set_levels() noexcept;
  // Plus infinity where the limits ended it.
  double choose() noexcept;
  double largest_multiplier() const noexcept;
  bool is_constrained(std::int32_t v) const noexcept { return v != alpha_ && v < counted_; }
  double level(std::int64_t i, std::int32_t v) const noexcept {
    return instance_->score(i, v) + level_[v];
  }
  Violation worst(double tolerated) const noexcept;

  Progress step_conservative(const Violation &violation, Solution &solution) noexcept;
  Progress step_golden(const Violation &violation, double *relaxed, Solution &solution) noexcept;
  Progress step_subgradient(double *relaxed, Solution &solution) noexcept;
  double along(std::int32_t v, double change) const noexcept;

  const Instance *instance_;
  StepRule rule_;
  std::int32_t counted_;
  std::int32_t alpha_;
  double *weights_;    // K: w_alpha,v
  double *multiplier_; // K: lambda
  double *level_;      // K: what a column adds to psi
  double *direction_;  // K: subgradient
  double *best_other_; // n: golden section, the best level outside alpha and the column searched
  std::int32_t *x_;    // n: a labelling that attains L
  std::int32_t *counts_;
  std::uint8_t *changed_; // n: conservative, whether a member has changed at these multipliers
  std::uint8_t *stuck_;   // K: columns whose multiplier a step could not change
  double *bounds_;        // K: the lowest L of each alpha
  std::int32_t *order_;   // counted columns, by falling L at multipliers 0
  MajorityScore score_;
  MajorityRepair repair_;
  double member_score_;
  double magnitude_; // of L at the last choice
  double largest_;   // largest useful multiplier
  double step_size_; // subgradient
  double least_;     // subgradient: lowest L so far
  std::int32_t failures_;
};

} // namespace chorale
