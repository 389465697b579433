// Labellings from what the columns of the dual choose, polished by single moves.
#pragma once

#include "clique/count_dual.hpp"
#include "clique/moves.hpp"
#include "clique/sum_moves.hpp"

namespace chorale {

// The best labelling met so far, in somebody's memory.
struct Incumbent {
  std::int32_t *assignment;
  double score = kForbidden;
  double magnitude = 0; // of the score

  bool found() const noexcept { return score > kForbidden; }
};

inline Incumbent incumbent_of(const Solution &solution) noexcept {
  return {solution.assignment, solution.score, solution.found() ? solution.magnitude() : 0.0};
}

class Rounding {
public:
  Rounding(Layout &layout, const Instance &instance) noexcept;

  // A member takes the best of the columns that choose it, or of all where none does, by score
  // and price of the next place; then single moves while one helps. O(n K) a sweep.
  void round(const SumView &view, const CountDual &dual, Limits &limits,
             Incumbent &incumbent) noexcept;
  // Keeps `assignment` if it is better, by its true score.
  void offer(const SumView &view, const std::int32_t *assignment, Incumbent &incumbent) noexcept;

private:
  const Instance *instance_;
  SumMoves finite_moves_;
  SingleMoves<SumScore> moves_;
  std::int32_t *assignment_; // n
  std::int32_t *counts_;     // K
  double *best_choice_;      // n: score of the best column that chooses the member
};

} // namespace chorale
