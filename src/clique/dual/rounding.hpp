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

  // Builds a labelling, improves it, and makes it the incumbent if it scores more. Let s_v be the
  // step of column v's table to the count (or sum of weights) that v chose in the dual, or the step
  // to 1 if that is 0; a step from or to a forbidden count is replaced by 0. Each member i takes
  // the column of greatest psi_iv + s_v, or psi_iv + w s_v if it has weight w. Then single members
  // are moved as long as a move raises the score. O(n K) for each sweep.
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
  double *steps_;            // K: see round()
};

} // namespace chorale
