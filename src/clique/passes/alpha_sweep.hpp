// One pass of alpha-pass: the members sorted by the order in which they take column alpha.
//
// With the count k of alpha fixed, the best total of member scores gives alpha to the k members
// that lose least by alpha, and every other member its best other column (Claim 5.1 of the paper).
// So a pass is an order of members, and labelling k gives alpha to the first k members. Members
// without another column come first and have alpha in every labelling; members that may not take
// alpha come last and have alpha in none. Members with |gain| > `reach` are fixed in the same two
// ways: no potential can outweigh their gain.
#pragma once

#include "clique/instance.hpp"

namespace chorale {

class AlphaSweep {
public:
  struct Ranked {
    double gain; // score at alpha minus score at the default column
    std::int32_t member;
    std::int32_t from; // the default column: the best column other than alpha; -1 if none
  };

  AlphaSweep(Layout &layout, const Instance &instance) noexcept
      : instance_(&instance), order_(layout.take<Ranked>(instance.members)),
        unordered_(layout.take<Ranked>(instance.members)),
        bucket_(layout.take<std::int32_t>(std::int64_t{instance.members} + 1)),
        bucket_of_(layout.take<std::int32_t>(instance.members)),
        counts_(layout.take<std::int32_t>(instance.columns)) {}

  // Sorts the members for `alpha`, best gain first. Members with gain > `reach` have alpha in every
  // labelling, members with gain < -`reach` in none; neither group is sorted. O(n) if the gains are
  // spread evenly, O(n log n) at worst. False if the limits interrupted the call.
  bool order_by(std::int32_t alpha, double reach = kInfinity) noexcept;

  std::int32_t alpha() const noexcept { return alpha_; }
  // Labelling k exists for k = forced() .. allowed().
  std::int32_t forced() const noexcept { return forced_; }
  std::int32_t allowed() const noexcept { return allowed_; }
  const Ranked &at(std::int64_t rank) const noexcept { return order_[rank]; }
  // Sum of member scores, and counts by column (K), of labelling forced().
  double base() const noexcept { return base_; }
  const std::int32_t *counts() const noexcept { return counts_; }

  // Writes labelling k to `assignment` (n). If interrupted: false, and `assignment` is unchanged.
  bool write(std::int32_t k, std::int32_t *assignment) noexcept;

private:
  bool sort_free(std::int32_t count) noexcept;
  void clear_counts() noexcept;

  const Instance *instance_;
  Ranked *order_;
  Ranked *unordered_;
  std::int32_t *bucket_;
  std::int32_t *bucket_of_; // by place in unordered_
  std::int32_t *counts_;
  std::int32_t alpha_ = 0;
  std::int32_t forced_ = 0;
  std::int32_t allowed_ = 0;
  double base_ = 0;
  double least_ = 0; // gain of the members that are sorted
  double greatest_ = 0;
  bool is_ordered_ = false;
};

} // namespace chorale
