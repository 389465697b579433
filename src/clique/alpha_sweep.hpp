// One pass of alpha-pass: the members in the order in which they take alpha.
//
// With count k of alpha fixed, the best member score is reached when the k members that lose least
// by alpha take it and all others their best other column (Claim 5.1 of the paper). So a pass is an
// order, and labelling k gives alpha to its first k members. Members that have no other column
// come first and always have alpha; those to whom alpha is forbidden come last and never do. So
// do those who gain or lose more by alpha than any potential can make up for, where the caller
// knows how much that is.
#pragma once

#include "clique/instance.hpp"

namespace chorale {

class AlphaSweep {
public:
  struct Ranked {
    double gain; // score at alpha less score at the default column
    std::int32_t member;
    std::int32_t from; // the default column, or -1
  };

  AlphaSweep(Layout &layout, const Instance &instance) noexcept
      : instance_(&instance), order_(layout.take<Ranked>(instance.members)),
        unordered_(layout.take<Ranked>(instance.members)),
        bucket_(layout.take<std::int32_t>(std::int64_t{instance.members} + 1)),
        counts_(layout.take<std::int32_t>(instance.columns)) {}

  // Members who gain more than `reach` by alpha, or lose more, always or never have it. O(n) where
  // the gains are spread evenly, O(n log n) at worst. False where the limits ended it.
  bool order_by(std::int32_t alpha, double reach = kInfinity) noexcept;

  std::int32_t alpha() const noexcept { return alpha_; }
  // k runs from forced() to allowed().
  std::int32_t forced() const noexcept { return forced_; }
  std::int32_t allowed() const noexcept { return allowed_; }
  const Ranked &at(std::int64_t rank) const noexcept { return order_[rank]; }
  // Member score and counts of labelling forced().
  double base() const noexcept { return base_; }
  const std::int32_t *counts() const noexcept { return counts_; }

  // Writes labelling k; where the limits end that it is false, and `assignment` as it was.
  bool write(std::int32_t k, std::int32_t *assignment) noexcept;

private:
  bool sort_free(std::int32_t count) noexcept;
  void clear_counts() noexcept;

  const Instance *instance_;
  Ranked *order_;
  Ranked *unordered_;
  std::int32_t *bucket_;
  std::int32_t *counts_;
  std::int32_t alpha_ = 0;
  std::int32_t forced_ = 0;
  std::int32_t allowed_ = 0;
  double base_ = 0;
  bool is_ordered_ = false;
};

} // namespace chorale
