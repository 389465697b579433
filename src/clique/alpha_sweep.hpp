// One pass of alpha-pass: the members in the order in which they take alpha.
//
// With count k of alpha fixed, the best member score is reached when the k members that lose least
// by alpha take it and all others their best other column (Claim 5.1 of the paper). So a pass is an
// order, and labelling k gives alpha to its first k members. Members that have no other column
// come first and always have alpha; those to whom alpha is forbidden come last and never do.
#pragma once

#include "clique/instance.hpp"

#include <algorithm>

namespace chorale {

class AlphaSweep {
public:
  struct Ranked {
    double gain; // score at alpha less score at the default column
    std::int32_t member;
  };

  AlphaSweep(Layout &layout, const Instance &instance) noexcept
      : instance_(&instance), order_(layout.take<Ranked>(instance.members)),
        counts_(layout.take<std::int32_t>(instance.columns)) {}

  // O(n log n).
  void order_by(std::int32_t alpha) noexcept {
    const Instance &in = *instance_;
    std::fill(counts_, counts_ + in.columns, 0);
    alpha_ = alpha;
    forced_ = 0;
    base_ = 0;
    std::int32_t free = 0;
    std::int32_t excluded = in.members;
    for (std::int32_t i = 0; i < in.members; ++i) {
      const std::int32_t other = default_of(i);
      const double at_alpha = in.score(i, alpha);
      if (other < 0) {
        ++counts_[alpha];
        base_ += at_alpha;
        // Room is made at the front by sending a free member to the end of the free ones.
        order_[free++] = order_[forced_];
        order_[forced_++] = {kInfinity, i};
        continue;
      }
      ++counts_[other];
      base_ += in.score(i, other);
      if (at_alpha == kForbidden)
        order_[--excluded] = {kForbidden, i};
      else
        order_[free++] = {at_alpha - in.score(i, other), i};
    }
    allowed_ = free;
    std::sort(order_ + forced_, order_ + allowed_, [](const Ranked &a, const Ranked &b) {
      return a.gain > b.gain || (a.gain == b.gain && a.member < b.member);
    });
  }

  std::int32_t alpha() const noexcept { return alpha_; }
  // k runs from forced() to allowed().
  std::int32_t forced() const noexcept { return forced_; }
  std::int32_t allowed() const noexcept { return allowed_; }
  const Ranked &at(std::int64_t rank) const noexcept { return order_[rank]; }
  // The column of a member that does not take alpha, or -1.
  std::int32_t default_of(std::int64_t i) const noexcept {
    return instance_->best[i] == alpha_ ? instance_->second[i] : instance_->best[i];
  }
  // Member score and counts of labelling forced().
  double base() const noexcept { return base_; }
  const std::int32_t *counts() const noexcept { return counts_; }

  // Writes labelling k.
  void write(std::int32_t k, std::int32_t *assignment) const noexcept {
    for (std::int32_t rank = 0; rank < instance_->members; ++rank) {
      const std::int32_t i = order_[rank].member;
      assignment[i] = rank < k ? alpha_ : default_of(i);
    }
  }

private:
  const Instance *instance_;
  Ranked *order_;
  std::int32_t *counts_;
  std::int32_t alpha_ = 0;
  std::int32_t forced_ = 0;
  std::int32_t allowed_ = 0;
  double base_ = 0;
};

} // namespace chorale
