// alpha-pass with a set A of up to q columns in the place of alpha: for every A and every k, the k
// members that lose least by a column of A take their best one in A, the others their best outside.
#pragma once

#include "clique/instance.hpp"
#include "potential/count_score.hpp"

namespace chorale {

template <class Score> class GeneralisedAlphaPass {
public:
  GeneralisedAlphaPass(Layout &layout, const Instance &instance, std::int32_t subset_size) noexcept
      : instance_(&instance), score_(layout, instance.potential),
        largest_(std::min(subset_size, instance.columns)),
        subset_(layout.take<std::int32_t>(largest_)),
        best_subset_(layout.take<std::int32_t>(largest_)),
        counts_(layout.take<std::int32_t>(instance.columns)),
        is_in_(layout.take<std::uint8_t>(instance.columns)),
        order_(layout.take<Ranked>(instance.members)) {}

  // O(K^q (n K + n log n)) and one look at the potential for every A and k.
  void run(Limits &limits, Solution &solution) noexcept {
    best_ = solution.score;
    best_size_ = 0;
    for (std::int32_t size = 1; size <= largest_ && limits.interruption() == Interruption::none;
         ++size) {
      for (std::int32_t j = 0; j < size; ++j)
        subset_[j] = j;
      do {
        if (limits.check() != Interruption::none)
          break;
        pass(size);
        ++solution.iterations;
        if (solution.failure = score_.failure(); solution.failure != CallbackFailure::none)
          return;
      } while (next_subset(size));
    }
    if (best_size_ > 0) {
      order(best_subset_, best_size_);
      for (std::int32_t rank = 0; rank < instance_->members; ++rank)
        solution.assignment[order_[rank].member] =
            rank < best_count_ ? order_[rank].inside : order_[rank].outside;
      solution.score = best_;
    }
  }

private:
  struct Ranked {
    double gain;
    std::int32_t member;
    std::int32_t inside;  // best column in A, or -1
    std::int32_t outside; // best other column, or -1
  };

  void pass(std::int32_t size) noexcept {
    double members = order(subset_, size);
    score_.reset(counts_);
    for (std::int32_t k = forced_;; ++k) {
      if (members + score_.total() > best_) {
        best_ = members + score_.total();
        best_size_ = size;
        best_count_ = k;
        std::copy(subset_, subset_ + size, best_subset_);
      }
      if (k == allowed_)
        break;
      members += order_[k].gain;
      score_.move(order_[k].outside, order_[k].inside);
    }
  }

  // Orders the members for A and counts labelling forced_; returns its member score.
  double order(const std::int32_t *subset, std::int32_t size) noexcept {
    const Instance &in = *instance_;
    std::fill(counts_, counts_ + in.columns, 0);
    std::fill(is_in_, is_in_ + in.columns, std::uint8_t{0});
    for (std::int32_t j = 0; j < size; ++j)
      is_in_[subset[j]] = 1;
    double members = 0;
    forced_ = 0;
    allowed_ = in.members;
    for (std::int32_t i = 0; i < in.members; ++i) {
      const double *row = in.row(i);
      Ranked entry{0, i, -1, -1};
      for (std::int32_t v = 0; v < in.columns; ++v) {
        if (row[v] == kForbidden)
          continue;
        std::int32_t &side = is_in_[v] ? entry.inside : entry.outside;
        if (side < 0 || row[v] > row[side])
          side = v;
      }
      const std::int32_t start = entry.outside < 0 ? entry.inside : entry.outside;
      if (entry.outside < 0) {
        entry.gain = kInfinity;
        ++forced_;
      } else if (entry.inside < 0) {
        entry.gain = kForbidden;
        --allowed_;
      } else {
        entry.gain = row[entry.inside] - row[entry.outside];
      }
      ++counts_[start];
      members += row[start];
      order_[i] = entry;
    }
    std::sort(order_, order_ + in.members, [](const Ranked &a, const Ranked &b) {
      return a.gain > b.gain || (a.gain == b.gain && a.member < b.member);
    });
    return members;
  }

  // The next subset in lexicographic order.
  bool next_subset(std::int32_t size) noexcept {
    std::int32_t j = size - 1;
    while (j >= 0 && subset_[j] == instance_->columns - size + j)
      --j;
    if (j < 0)
      return false;
    ++subset_[j];
    for (++j; j < size; ++j)
      subset_[j] = subset_[j - 1] + 1;
    return true;
  }

  const Instance *instance_;
  Score score_;
  std::int32_t largest_;
  std::int32_t *subset_;
  std::int32_t *best_subset_;
  std::int32_t *counts_;
  std::uint8_t *is_in_;
  Ranked *order_;
  std::int32_t forced_ = 0;
  std::int32_t allowed_ = 0;
  double best_ = kForbidden;
  std::int32_t best_size_ = 0;
  std::int32_t best_count_ = 0;
};

} // namespace chorale
