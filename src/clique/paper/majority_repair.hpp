// Turns a labelling found by a relaxation into a labelling in which alpha is the majority: no
// counted column has more members than column alpha.
//
// At the end of a Lagrangian relaxation (lagrangian.hpp), few columns have more members than alpha.
// Members are moved out of these columns, each time the member that loses least, until alpha has
// the highest count. Then the labelling is improved by chains of moves, in which each member takes
// the column that the next member leaves, as long as some chain raises the score and keeps alpha
// the majority. In the end no labelling with the same counts scores more, and no chain from one
// column to another raises the score and keeps alpha the majority.
//
// Notation (instance.hpp): n members, K columns; psi_iv is the score of member i at column v.
// w_alpha,v are the weights of the potential.
#pragma once

#include "clique/instance.hpp"

namespace chorale {

class MajorityRepair {
public:
  MajorityRepair(Layout &layout, const Instance &instance) noexcept;

  // Repairs labelling x (n) and its `counts` (K) in place. `levels` (K): the term that the
  // relaxation adds to psi_iv, by column v. False if alpha cannot become the majority, or if
  // interrupted. O(n K + K^3) for each chain of moves.
  bool run(std::int32_t alpha, gsl::span<const double> levels, gsl::span<std::int32_t> x,
           gsl::span<std::int32_t> counts, Limits &limits) noexcept;

private:
  // Moves members until alpha is the majority.
  bool restore(gsl::span<const double> levels, Limits &limits) noexcept;
  // Fills gains_ and movers_.
  void collect_gains() noexcept;
  bool climb(Limits &limits) noexcept;
  std::int32_t link(double least, std::int32_t *over, Limits &limits) noexcept;
  void walk(std::int32_t from, std::int32_t to) noexcept;
  bool follow(double least) noexcept;
  bool may_shift(std::int32_t from, std::int32_t to, std::int32_t fullest) const noexcept;
  void move(std::int32_t i, std::int32_t v) noexcept {
    --counts_[x_[i]];
    ++counts_[v];
    x_[i] = v;
  }

  const Instance *instance_;
  double *gains_;        // K x K: the greatest gain of a member of column u by moving to v
  std::int32_t *movers_; // K x K: the member with the gain in gains_
  double *chains_;       // K x K: the greatest gain of a chain of moves from column u to v
  std::int32_t *next_;   // K x K: the column after u in the chain whose gain is in chains_
  std::int32_t *walk_;   // 2 K + 1: columns of the moves to make; a rotation is two joined chains
  std::int32_t *place_;  // K: position of a column in walk_ or -1
  std::int32_t length_;  // number of columns in walk_
  std::int32_t counted_; // number of counted columns
  std::int32_t alpha_;
  const double *weights_; // K: w_alpha,v
  std::int32_t *x_;       // n: the caller's labelling
  std::int32_t *counts_;  // K: its counts
};

} // namespace chorale
