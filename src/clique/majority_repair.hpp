// From a labelling that a relaxation found to one in which alpha is the majority.
//
// At the best multipliers the labelling in hand breaks "alpha has the highest count" by a few
// members. They are moved where that costs least; then the labelling climbs by chains of moves,
// each member to the column that the next one leaves, while there is one that adds to the score and
// keeps alpha the majority. What remains is best for its counts, and no single shift of counts
// gains.
#pragma once

#include "clique/instance.hpp"

namespace chorale {

class MajorityRepair {
public:
  MajorityRepair(Layout &layout, const Instance &instance) noexcept;

  // Repairs x, of which `counts` (K) are the counts; both are kept up to date. `levels` (K) is what
  // a column adds to psi in the relaxation. False where members that must leave cannot, or
  // interrupted before they have. O(n K + K^3) a move.
  bool run(std::int32_t alpha, const double *levels, std::int32_t *x, std::int32_t *counts,
           Limits &limits) noexcept;

private:
  bool restore(const double *levels, Limits &limits) noexcept;
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
  double *gains_;        // K x K: the most that a member of row u gains by moving to v
  std::int32_t *movers_; // K x K: that member
  double *chains_;       // K x K: the most that a chain of moves from row u to v gains
  std::int32_t *next_;   // K x K: the column after u of that chain
  std::int32_t *walk_;   // 2 K + 1: the columns of one chain
  std::int32_t *place_;  // K: where a column stands in it, -1 where it does not
  std::int32_t length_;  // of walk_
  std::int32_t counted_;
  std::int32_t alpha_;
  const double *weights_; // w_alpha
  std::int32_t *x_;
  std::int32_t *counts_;
};

} // namespace chorale
