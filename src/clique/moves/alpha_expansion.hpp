// alpha-expansion for SUM potentials. Each move is optimal, by dynamic programming over counts.
//
// A move to alpha lets any set of members leave their columns for alpha. If l members leave a
// column, they are best the l members with the greatest gain, so a move is a choice of how many
// members leave each column. Let D_j(k) be the best change of score, without alpha's own table,
// when k members of the first j columns leave. D_j is computed from D_{j-1} by trying all l for
// column j. The table of alpha is added once, at the end.
#pragma once

#include "clique/instance.hpp"

namespace chorale {

class AlphaExpansion {
public:
  AlphaExpansion(Layout &layout, const Instance &instance) noexcept;

  // Improves `labelling` (n columns) by expansion moves, in rounds over all alpha, until no alpha
  // raises the score. Returns the score of the result. `rounds`: number of rounds that may still be
  // made; each round decrements it. If interrupted, returns the score after the moves made so far,
  // or minus infinity if not even the given labelling was evaluated.
  double improve(gsl::span<std::int32_t> labelling, Limits &limits, std::int64_t &rounds) noexcept;

private:
  struct Ranked {
    double gain; // score at alpha minus score at the current column
    std::int32_t member;
  };
  // Fills occupied_ with the columns that have members.
  void note_occupied() noexcept;
  // Makes the best move to alpha if it raises the score. True if it did. `*members` is the sum of
  // member scores, before and then after the move. Makes no move if interrupted.
  bool expand(std::int32_t alpha, gsl::span<std::int32_t> labelling, Limits &limits,
              double *members) noexcept;
  // Returns sum_v f_v(counts_[v]).
  double score_of_columns() const noexcept;

  const Instance *instance_;
  std::int32_t *counts_;        // K: number of members by column
  std::int32_t *occupied_;      // min(n, K): columns that have members, ascending
  std::int32_t occupied_count_ = 0;
  std::int32_t *start_;         // K: by occupied column, index in order_ of its first member
  std::int32_t *movable_;       // K: by occupied column, number of its members that may take alpha
  std::int64_t *leaving_start_; // K: by occupied column, index in leaving_ of its first entry
  Ranked *order_; // n: members by column, then by descending gain; those who may not move are last
  double *best_;  // n + 1: D_j(k) for the columns so far
  double *next_;  // n + 1: the same with the column being added
  std::int32_t *leaving_; // for each column j and each k: number of members that leave j in D_j(k)
};

} // namespace chorale
