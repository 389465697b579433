// One pass of alpha-pass: the members in descending order of their gain by column alpha.
//
// The *default column* of a member is its best column other than alpha; the member's gain is its
// score at alpha minus its score at the default column. Among labellings in which k members have
// alpha, the sum of member scores is greatest if the k members with the greatest gain have alpha
// and every other member its default column (Claim 5.1 of the paper named in chorale/potential.h).
// So a pass is an order of the members, and labelling k of the pass gives alpha to the first k.
// Members without a default column come first: they have alpha in every labelling. Members that may
// not take alpha come last: they have alpha in no labelling. A caller may pass a `reach` if it
// knows that moving one member never changes the potential by more than this. Members with gain >
// `reach` then also have alpha in every labelling, and members with gain < -`reach` in none. If
// members have weights, they are sorted by their gain for each unit of weight.
//
// Notation (instance.hpp): n members, K columns.
#pragma once

#include "clique/instance.hpp"

namespace chorale {

class AlphaSweep {
public:
  struct Ranked {
    // Score at alpha minus score at the default column, for each unit of weight; infinite without a
    // default column.
    double gain;
    std::int32_t member;
    std::int32_t from; // the default column, or -1
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
  // Return how many members have alpha in every labelling (forced) and how many in some labelling
  // (allowed). The pass has the labellings k = forced() .. allowed().
  std::int32_t forced() const noexcept { return forced_; }
  std::int32_t allowed() const noexcept { return allowed_; }
  // Returns the member of a rank, 0 .. n - 1, in the order of the pass.
  const Ranked &at(std::int64_t rank) const noexcept { return order_[rank]; }
  // Return the sum of member scores, and the counts by column (K), of labelling forced().
  double base() const noexcept { return base_; }
  gsl::span<const std::int32_t> counts() const noexcept {
    return span_of(counts_, instance_->columns);
  }

  // Calls visit(k, members) for each labelling k = forced() .. allowed() of the pass. `members` is the
  // sum of the member scores of labelling k, and `score` has its counts during the call. Before walk()
  // is called, `score` must have been set to counts(). False if interrupted, or if visit() returns
  // false, which ends the walk.
  template <class Score, class Visit> bool walk(Score &score, Visit &&visit) const noexcept {
    double members = base_;
    Pace pace(*instance_, score.work_of_move(), allowed_ - forced_ + 1);
    for (std::int32_t k = forced_;; ++k) {
      if (!pace.next() || !visit(k, members))
        return false;
      if (k == allowed_)
        return true;
      const auto [gain, member, from] = order_[k];
      const std::int64_t weight = instance_->weight(member);
      members += gain * static_cast<double>(weight);
      score.weigh(weight);
      score.move(from, alpha_);
    }
  }

  // Writes labelling k to `assignment`, the column of each member. If interrupted, returns false
  // and leaves `assignment` unchanged.
  bool write(std::int32_t k, gsl::span<std::int32_t> assignment) noexcept;

private:
  bool sort_free(std::int32_t count) noexcept;
  void clear_counts() noexcept;

  const Instance *instance_;
  Ranked *order_;           // n: members by rank
  Ranked *unordered_;       // n: members not yet sorted
  std::int32_t *bucket_;    // n + 1: size, later start, of each bucket; write() uses it as scratch
  std::int32_t *bucket_of_; // n: bucket of each entry of unordered_
  std::int32_t *counts_;    // K: see counts()
  std::int32_t alpha_ = 0;
  std::int32_t forced_ = 0;
  std::int32_t allowed_ = 0;
  double base_ = 0;
  double least_ = 0; // least and greatest gain in unordered_
  double greatest_ = 0;
  bool is_ordered_ = false; // order_by() has been called before
};

} // namespace chorale
