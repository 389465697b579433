// alpha-expansion for SUM potentials. Each move is optimal, by dynamic programming over counts.
//
// A move to alpha takes any set of members from their columns to alpha. The gain of a member is its
// score at alpha minus its score at its column. If l members leave a column, the score is greatest
// if they are the l members with the greatest gains. So the best move is determined by the number
// of members that leave each column. Let D_j(k) be the greatest sum of the table entries of the
// first j columns and of the gains of the members that leave these columns, if k members leave. D_j
// is computed from D_{j-1} by trying all l for column j. The table of alpha is added once, at the
// end.
//
// Notation (instance.hpp): n members, K columns; f_v is the table of column v.
#pragma once

#include "clique/instance.hpp"

namespace chorale {

class AlphaExpansion {
public:
  AlphaExpansion(Layout &layout, const Instance &instance) noexcept;

  // Improves `labelling`, the column of each member, by expansion moves, in rounds over all alpha,
  // until no move raises the score. Returns the score of the result. `rounds`: number of rounds
  // that may still be made; each round that is completed decrements it. If interrupted, returns the
  // score after the moves made so far, or minus infinity if interrupted before the given labelling
  // was scored.
  double improve(const Instance &in, gsl::span<std::int32_t> labelling, Limits &limits,
                 std::int64_t &rounds) noexcept;

private:
  struct Ranked {
    double gain; // score at alpha minus score at the current column
    std::int32_t member;
  };
  // Fills occupied_ with the columns that have members.
  void note_occupied() noexcept;
  // Makes the best move to alpha if this raises the score, and returns true. Otherwise, or if
  // interrupted, moves no member and returns false. `*members`: the sum of the member scores, which
  // a move updates.
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
  Ranked *order_; // n: members by column; within a column by descending gain
  double *best_;  // n + 1: D_j(k) by k, for the columns so far
  double *next_;  // n + 1: D_j(k) with the column that is being added
  // For each occupied column v, from leaving_start_[v] on, and each k: number of members that leave v
  // in the choice that attains D(k) of the columns up to v.
  std::int32_t *leaving_;
};

} // namespace chorale
