// alpha-expansion for SUM potentials. Each move is optimal, by dynamic programming over counts.
//
// A move to alpha lets any set of members leave their columns for alpha. The members that leave a
// column are the first l of that column in descending order of gain, so a move is a choice of how
// many members leave each column. D_j(k), the best score when k members of the first j columns have
// left, satisfies the recursion of the paper; f_alpha(k) is added once, at the end.
#pragma once

#include "clique/instance.hpp"

namespace chorale {

class AlphaExpansion {
public:
  AlphaExpansion(Layout &layout, const Instance &instance) noexcept;

  // Improves `labelling` (n) by expansion moves, in rounds over all alpha, until no alpha raises
  // the score; returns its score. `rounds`: number of rounds that may still be made, decremented by
  // each. If interrupted: returns the score after the moves made so far, or minus infinity if not
  // even the start was evaluated.
  double improve(gsl::span<std::int32_t> labelling, Limits &limits, std::int64_t &rounds) noexcept;

private:
  struct Ranked {
    double gain; // score at alpha minus score at the current column
    std::int32_t member;
  };
  // Lists the columns that have members.
  void note_occupied() noexcept;
  // Makes the best move to alpha. True if the move raised the score strictly. `*members` is the sum
  // of member scores and follows the move. Makes no move if interrupted.
  bool expand(std::int32_t alpha, std::int32_t *assignment, Limits &limits,
              double *members) noexcept;
  // Returns sum_v f_v(counts_[v]).
  double score_of_columns() const noexcept;

  const Instance *instance_;
  std::int32_t *counts_;        // K
  std::int32_t *occupied_;      // min(n, K): columns that have members, ascending
  std::int32_t occupied_count_ = 0;
  std::int32_t *start_;         // K: first place in order_ of the members of each occupied column
  std::int32_t *movable_;       // K: number of members that may take alpha; first in order_
  std::int64_t *leaving_start_; // K: first place in leaving_ of the choices of each column
  Ranked *order_;
  double *best_; // n + 1: D_j(k) for the columns so far
  double *next_;
  std::int32_t *leaving_; // for each column j and each k: number of members that leave j in D_j(k)
};

} // namespace chorale
