// Max-marginals of convex sums whose members have weights. The max-marginal of member i and column
// v is the best score of the labellings that result from moving i to v in the solution (if one was
// found) and in the best labellings of each pass of alpha-pass. It is a lower bound on the exact
// max-marginal.
//
// (The prefix and suffix maxima of AlphaPassMarginals serve all members at a column at once, since
// all of them change its count by 1. Members of different weights would need maxima of their own.)
//
// Notation (instance.hpp): n members, K columns.
#pragma once

#include "clique/passes/alpha_sweep.hpp"
#include "potential/count_score.hpp"

#include <algorithm>

namespace chorale {

class WeightedMarginals {
public:
  WeightedMarginals(Layout &layout, const Instance &instance) noexcept
      : instance_(&instance), sweep_(layout, instance), score_(layout, instance.potential),
        counts_(layout.take_span<std::int32_t>(instance.columns)),
        most_(std::max<std::int64_t>(kSpread / instance.members, 2)),
        visited_(layout.take<Visited>(std::int64_t{instance.members} + 1)) {}

  // Writes the messages (n x K): entry (i, v) is the best score found with x_i = v, minus the score
  // of member i at v. If interrupted, entries may be lower, down to minus infinity.
  void run(Limits &limits, Solution &solution, Matrix<double> messages) noexcept {
    const Instance &in = *instance_;
    if (!clear_messages(in, messages))
      return;
    for (std::int32_t alpha = 0; alpha < in.columns; ++alpha) {
      if (!limits.spend(in.columns) || !pass(alpha, messages))
        return;
      ++solution.iterations;
    }
    if (!solution.found() || !in.count(solution.assignment, counts_))
      return;
    const double members = in.member_score(solution.assignment);
    score_.reset(counts_);
    Pace pace(in, work_of_member(), in.members);
    for (std::int32_t i = 0; i < in.members && pace.next(); ++i)
      raise(i, solution.assignment.data()[i], members, messages);
  }

private:
  // Of each pass the best kSpread / n labellings are used, but at least two. With up to 15 members
  // these are all labellings of the pass.
  static constexpr std::int64_t kSpread = 256;

  struct Visited {
    double score;
    std::int32_t k; // labelling k of the pass
  };

  std::int64_t work_of_member() const noexcept {
    return instance_->columns * score_.work_of_after();
  }

  // Walks the pass of alpha twice: first to find its best labellings, then to raise the messages to
  // the scores of these after each move of one member. False if interrupted.
  bool pass(std::int32_t alpha, Matrix<double> messages) noexcept {
    const Instance &in = *instance_;
    if (!sweep_.order_by(alpha))
      return false;
    std::int64_t used = 0;
    score_.reset(sweep_.counts());
    if (!sweep_.walk(score_, [&](std::int32_t k, double members) {
          const Visited visited{members + score_.total(), k};
          if (used == most_ && !(visited.score > visited_[used - 1].score))
            return true;
          std::int64_t at = used < most_ ? used++ : used - 1;
          for (; at > 0 && visited_[at - 1].score < visited.score; --at)
            visited_[at] = visited_[at - 1];
          visited_[at] = visited;
          return true;
        }))
      return false;
    std::sort(visited_, visited_ + used,
              [](const Visited &a, const Visited &b) { return a.k < b.k; });
    const Visited *next = visited_;
    score_.reset(sweep_.counts());
    return sweep_.walk(score_, [&](std::int32_t k, double members) {
      if (next == visited_ + used || next->k != k)
        return true;
      ++next;
      Pace pace(in, work_of_member(), in.members);
      for (std::int32_t rank = 0; rank < in.members; ++rank) {
        if (!pace.next())
          return false;
        const auto &[gain, member, from] = sweep_.at(rank);
        raise(member, rank < k ? alpha : from, members, messages);
      }
      return true;
    });
  }

  // Raises the messages of a member, which is at column u, to the scores of the labelling after the
  // member has moved to each column, without its own score. score_ has the counts of the labelling;
  // `members` is the sum of its member scores.
  void raise(std::int32_t member, std::int32_t u, double members,
             Matrix<double> messages) noexcept {
    const double others = members - instance_->score(member, u);
    double *to = messages.row(member).data();
    score_.weigh(instance_->weight(member));
    for (std::int32_t v = 0; v < instance_->columns; ++v)
      to[v] = std::max(to[v], others + (v == u ? score_.total() : score_.after(u, v)));
  }

  const Instance *instance_;
  AlphaSweep sweep_;
  WeightedSumScore score_;
  gsl::span<std::int32_t> counts_; // K: sum of the weights of the members by column
  std::int64_t most_; // greatest number of labellings of a pass that are used
  Visited *visited_;  // n + 1: the labellings that are used
};

} // namespace chorale
