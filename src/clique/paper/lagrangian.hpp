// The paper's Lagrangian relaxation for MAJORITY: the constraints "alpha has the highest count"
// move into the objective, with a multiplier lambda_v for every other counted column v.
//
//     L_alpha = b_alpha + sum_i max_v (psi_iv + w_alpha,v - lambda_v + [v = alpha] sum lambda)
//
// is, for any lambda >= 0, an upper bound on every labelling with majority alpha, and the
// labellings that attain the maxima are candidates. Alpha itself and the rest column (uncounted
// values) have no constraint; their multipliers stay 0.
#pragma once

#include "clique/instance.hpp"
#include "clique/paper/majority_repair.hpp"
#include "potential/count_score.hpp"

namespace chorale {

// How the next multipliers are found.
enum class StepRule : std::int32_t {
  subgradient,    // all multipliers at once, along the violations
  golden_section, // the most violated one, to its best value by line search
  conservative    // the most violated one, until one member must change
};

class Lagrangian {
public:
  Lagrangian(Layout &layout, const Instance &instance, StepRule rule) noexcept;

  // Relaxes each alpha in turn. A relaxation ends when complementary slackness is violated by at
  // most tolerance x the largest useful multiplier, when no step is possible, when its bound falls
  // to the score of the best labelling, or after iteration_limit steps. Its last labelling is
  // repaired (majority_repair.hpp) if alpha may still win. Leaves in `solution` the best labelling
  // by exact score, and the greatest of the final L_alpha as bound.
  void run(const SolveOptions &options, Limits &limits, Solution &solution) noexcept;

private:
  enum class Progress : std::int32_t { stepped, stuck, unbounded };
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
  double *level_;         // K: what the relaxation adds to psi, by column
  double *direction_;     // K: subgradient rule: smoothed violations
  double *best_other_;    // n: golden section: best level outside alpha and the searched column
  std::int32_t *x_;       // n: a labelling that attains L
  std::int32_t *counts_;  // K
  std::uint8_t *changed_; // n: conservative: 1 if a member has changed at these multipliers
  std::uint8_t *stuck_;   // K: 1 if a step could not change the column's multiplier
  double *bounds_;        // K: the lowest L by alpha
  std::int32_t *order_;   // counted columns by descending L at multipliers 0
  MajorityScore score_;
  MajorityRepair repair_;
  double member_score_;   // conservative: sum of member scores of the labelling
  double magnitude_;      // magnitude of L at the last choose()
  double largest_;        // the largest useful multiplier
  double step_size_;      // subgradient: factor on the step that would close the gap
  double least_;          // subgradient: the lowest L so far
  std::int32_t failures_; // subgradient: steps without a lower L
};

} // namespace chorale
