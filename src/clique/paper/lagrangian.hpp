// The paper's Lagrangian relaxation for MAJORITY. The constraints n_v <= n_alpha are added to the
// objective with a multiplier lambda_v for every counted column v other than alpha. The function
//
//     L_alpha = b_alpha + sum_i max_v (psi_iv + w_alpha,v - lambda_v + [v = alpha] sum lambda)
//
// is, for any lambda >= 0, an upper bound on the score of every labelling with majority alpha. The
// labellings that attain the maxima are candidates for the result. Alpha and the rest column (the
// uncounted values) have no constraint; their multipliers are 0.
#pragma once

#include "clique/instance.hpp"
#include "clique/paper/majority_repair.hpp"
#include "potential/count_score.hpp"

namespace chorale {

// How a step changes the multipliers.
enum class StepRule : std::int32_t {
  subgradient,    // all multipliers at once, along the violations of their constraints
  golden_section, // that of the most violated constraint, to its best value by line search
  conservative    // that of the most violated constraint, until the first member changes column
};

class Lagrangian {
public:
  Lagrangian(Layout &layout, const Instance &instance, StepRule rule) noexcept;

  // Relaxes each alpha in turn. A relaxation ends when complementary slackness is violated by at
  // most tolerance x the largest useful multiplier, when no step is possible, when its bound is at
  // most the best known score, or after iteration_limit steps. If its bound is still above that
  // score, its last labelling is repaired (majority_repair.hpp). Writes to `solution` the best
  // labelling by exact score, and the greatest of the final L_alpha as bound.
  void run(const SolveOptions &options, Limits &limits, Solution &solution) noexcept;

private:
  // Result of a step: multipliers or labelling changed; no change possible; L has no lower bound,
  // so no labelling has majority alpha.
  enum class Progress : std::int32_t { stepped, stuck, unbounded };
  // A violated constraint, or violated complementary slackness.
  struct Violation {
    std::int32_t column; // -1: none
    bool above;          // more members than alpha; otherwise fewer, with a positive multiplier
  };

  // Runs the relaxation of alpha; returns the lowest L_alpha found.
  double relax(std::int32_t alpha, std::int64_t limit, double tolerance, Limits &limits,
               Solution &solution) noexcept;
  // Makes alpha the majority column, with all multipliers 0.
  void take(std::int32_t alpha) noexcept;
  void offer_all(Solution &solution) noexcept;
  // Computes level_ from the multipliers.
  void set_levels() noexcept;
  // Gives every member its best column and returns L; plus infinity if interrupted.
  double choose() noexcept;
  double largest_multiplier() const noexcept;
  bool is_constrained(std::int32_t v) const noexcept { return v != alpha_ && v < counted_; }
  // Score of member i at column v in the relaxation.
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
  double *weights_;       // K: w_alpha,v
  double *multiplier_;    // K: lambda
  double *level_;         // K: term that the relaxation adds to psi_iv, by column v
  double *direction_;     // K: subgradient rule: smoothed violations
  double *best_other_;    // n: golden section: best level except at alpha and the searched column
  std::int32_t *x_;       // n: a labelling that attains L
  std::int32_t *counts_;  // K: members by column
  std::uint8_t *changed_; // n: conservative rule: 1 if moved since the multipliers last changed
  std::uint8_t *stuck_;   // K: 1 if a step could not change the column's multiplier
  double *bounds_;        // K: the lowest L_alpha, by alpha
  std::int32_t *order_;   // counted columns by descending L at multipliers 0
  MajorityScore score_;
  MajorityRepair repair_;
  double member_score_;   // conservative rule: sum of member scores of x_
  double magnitude_;      // sum of the magnitudes of the terms of L at the last choose()
  double largest_;        // the largest useful multiplier
  double step_size_;      // subgradient rule: factor on the step that would close the gap
  double least_;          // subgradient rule: the lowest L so far
  std::int32_t failures_; // subgradient rule: number of steps since the last lower L
};

} // namespace chorale
