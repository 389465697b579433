// alpha-expansion for SUM potentials, each move optimal by dynamic programming over counts.
//
// A move to alpha lets any set of members leave their columns for alpha. Of the members of one
// column, those that leave are the first l in the order of what they gain, so a move is a choice of
// how many leave each column, and D_j(k), the best score when k members of the first j columns have
// left, satisfies the recursion of the paper; f_alpha enters once, at the end.
#pragma once

#include "clique/instance.hpp"

namespace chorale {

class AlphaExpansion {
public:
  AlphaExpansion(Layout &layout, const Instance &instance) noexcept;

  // Improves `assignment`, which scores `score`, by rounds over all alpha until one changes
  // nothing; returns its score. `rounds` is how many may still be made, and is counted down. Where
  // the limits end it, that of the moves made so far, or minus infinity.
  double improve(std::int32_t *assignment, Limits &limits, std::int64_t &rounds) noexcept;

private:
  struct Ranked {
    double gain;
    std::int32_t member;
  };
  // Makes the best move to alpha; whether it raised the score strictly, and to what the members'
  // scores then come. Interrupted, makes none.
  bool expand(std::int32_t alpha, std::int32_t *assignment, Limits &limits,
              double *members) noexcept;
  double score_of_columns() const noexcept;

  const Instance *instance_;
  std::int32_t *counts_;
  std::int32_t *start_;         // columns + 1: where the members of a column start in order_
  std::int32_t *movable_;       // columns: how many of them may take alpha; they come first
  std::int64_t *leaving_start_; // columns: where the choices of a column start in leaving_
  Ranked *order_;
  double *best_; // n + 1: D_j(k) for the columns so far
  double *next_;
  std::int32_t *leaving_; // for every column j and k: how many leave j in D_j(k)
};

} // namespace chorale
