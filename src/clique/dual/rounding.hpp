// Rounds the columns' choices in the dual to a labelling, improved by single-member moves.
#pragma once

#include "clique/dual/count_dual.hpp"
#include "clique/moves/moves.hpp"
#include "clique/moves/sum_moves.hpp"

namespace chorale {

// The best labelling found so far. `assignment` (n) is the caller's memory.
struct Incumbent {
  std::int32_t *assignment;
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

  // Builds a labelling and offers it to `incumbent`. Each member takes, by score and slope of the
  // column's table, the best of the columns that chose it in the dual, or of all columns if none
  // chose the member. Then makes single-member moves while one raises the score. O(n K) a sweep.
  void round(const SumView &view, const CountDual &dual, Limits &limits,
             Incumbent &incumbent) noexcept;
  // Replaces the incumbent by `assignment` if the exact score of `assignment` is higher.
  void offer(const SumView &view, const std::int32_t *assignment, Incumbent &incumbent) noexcept;

private:
  const Instance *instance_;
  SumMoves finite_moves_;
  SingleMoves<SumScore> moves_;
  std::int32_t *assignment_; // n: scratch, a labelling
  std::int32_t *counts_;     // K: members by column
  double *best_choice_;      // n: score of the best column that chooses the member
};

} // namespace chorale
