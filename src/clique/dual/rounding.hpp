// Makes labellings from the dual of a SUM clique (count_dual.hpp), in which each column chooses its
// members independently, and improves them by moves of single members.
//
// Notation (instance.hpp): n members, K columns.
#pragma once

#include "clique/dual/count_dual.hpp"
#include "clique/moves/moves.hpp"

namespace chorale {

// The best labelling found so far.
struct Incumbent {
  gsl::span<std::int32_t> assignment; // n: the column of each member, in the caller's memory
  double score = kForbidden;
  double magnitude = 0; // sum of the magnitudes of the terms of the score

  bool found() const noexcept { return score > kForbidden; }
};

inline Incumbent incumbent_of(const Solution &solution) noexcept {
  return {solution.assignment, solution.score, solution.found() ? solution.magnitude() : 0.0};
}

class Rounding {
public:
  Rounding(Layout &layout, const Instance &instance) noexcept;

  // Builds a labelling, improves it, and makes it the incumbent if it scores more. Let f_v be the
  // table of column v. Among the columns that chose it in the dual, each member i takes the column
  // v with the greatest psi_iv + f_v(k) - f_v(k - 1), where k is the count that v chose. A member
  // that no column chose then takes the column with the greatest psi_iv + f_v(k + 1) - f_v(k),
  // where k is the number of members that v has by now. For a member of weight w, k is a sum of
  // weights, and w times the step of f_v is added. Then single members are moved as long as a
  // move raises the score. O(n K) for each sweep over the members.
  void round(const Instance &in, const CountDual &dual, Limits &limits,
             Incumbent &incumbent) noexcept;
  // Replaces the incumbent by `assignment` if the exact score of `assignment` is higher.
  void offer(const Instance &in, gsl::span<const std::int32_t> assignment,
             Incumbent &incumbent) noexcept;

private:
  const Instance *instance_;
  SingleMoves<FiniteSumScore> finite_moves_;
  SingleMoves<SumScore> moves_;
  SingleMoves<WeightedSumScore> weighted_moves_;
  std::int32_t *assignment_; // n: scratch, a labelling
  std::int32_t *counts_;     // K: number of members by column
  double *best_choice_;      // n: psi_iv + f_v(k) - f_v(k - 1) of the best column v that chose i
};

} // namespace chorale
