// Generalised alpha-pass: alpha-pass with a set A of up to q columns in the place of the column
// alpha. The gain of a member is its score at its best column in A minus its score at its best
// column outside A. For every A and k, one labelling is scored: the k members with the greatest
// gain take their best column in A, and all other members take their best column outside A. Columns
// that no member may take are left out of the sets.
//
// Notation (instance.hpp): n members, K columns; f_v is the table of column v.
#pragma once

#include "base/sort.hpp"
#include "clique/instance.hpp"
#include "potential/count_score.hpp"

namespace chorale {

template <class Score> class GeneralisedAlphaPass {
public:
  GeneralisedAlphaPass(Layout &layout, const Instance &instance, std::int32_t subset_size) noexcept
      : instance_(&instance), score_(layout, instance.potential),
        subset_size_(std::min(subset_size, instance.columns)),
        usable_(layout.take<std::int32_t>(instance.columns)),
        subset_(layout.take<std::int32_t>(subset_size_)),
        counts_(layout.take_span<std::int32_t>(instance.columns)),
        is_in_(layout.take<std::uint8_t>(instance.columns)),
        order_(layout.take<Ranked>(instance.members)),
        written_(layout.take<std::int32_t>(instance.members)) {}

  // Replaces `solution` by the best labelling found, if this labelling scores more. Takes
  // O(L^q (n L + n log n)), where L is the number of columns that some member may take, and one
  // evaluation of the potential for every A and k.
  void run(Limits &limits, Solution &solution) noexcept {
    if (!list_columns())
      return;
    const std::int32_t largest = std::min(subset_size_, usable_count_);
    for (std::int32_t size = 1; size <= largest; ++size) {
      for (std::int32_t j = 0; j < size; ++j)
        subset_[j] = j;
      do {
        if (!limits.spend(usable_count_))
          return;
        const bool whole = pass(size, solution);
        if (solution.failure = score_.failure(); solution.failure != CallbackFailure::none)
          return;
        if (!whole)
          return;
        ++solution.iterations;
      } while (next_subset(size));
    }
  }

private:
  struct Ranked {
    // Score at `inside` minus score at `outside`; +inf without `outside`, -inf without `inside`.
    double gain;
    std::int32_t member;
    std::int32_t inside;  // best column in A, or -1
    std::int32_t outside; // best other column, or -1
  };

  // Fills usable_. False if interrupted.
  bool list_columns() noexcept {
    const Instance &in = *instance_;
    const std::int64_t K = in.columns;
    std::fill(is_in_, is_in_ + K, std::uint8_t{0});
    std::fill(counts_.begin(), counts_.end(), 0);
    Pace pace(in, K, in.members);
    for (std::int64_t i = 0; i < in.members; ++i) {
      if (!pace.next())
        return false;
      const double *row = in.row(i);
      for (std::int64_t v = 0; v < K; ++v)
        is_in_[v] |= row[v] > kForbidden;
    }
    usable_count_ = 0;
    for (std::int32_t v = 0; v < K; ++v)
      if (is_in_[v])
        usable_[usable_count_++] = v;
    return in.spend(8 * K);
  }

  // Scores the labellings of the current set A. The best of them replaces `solution` if it scores
  // more. False if interrupted.
  bool pass(std::int32_t size, Solution &solution) noexcept {
    double members = 0;
    if (!order(size, &members))
      return false;
    score_.reset(counts_);
    double best = solution.score;
    std::int32_t best_count = -1;
    Pace pace(*instance_, score_.work_of_move(), allowed_ - forced_ + 1);
    for (std::int32_t k = forced_;; ++k) {
      if (!pace.next())
        return false;
      if (members + score_.total() > best) {
        best = members + score_.total();
        best_count = k;
      }
      if (k == allowed_)
        break;
      members += order_[k].gain;
      score_.move(order_[k].outside, order_[k].inside);
    }
    // After a failed or interrupted callback the scores are not valid.
    if (best_count < 0 || instance_->interrupted() || score_.failure() != CallbackFailure::none)
      return !instance_->interrupted();
    const std::int64_t n = instance_->members;
    if (!in_stretches(*instance_, n, 16, [&](std::int64_t begin, std::int64_t end) {
          for (std::int64_t rank = begin; rank < end; ++rank)
            written_[order_[rank].member] =
                rank < best_count ? order_[rank].inside : order_[rank].outside;
        }))
      return false;
    std::copy(written_, written_ + instance_->members, solution.assignment.data());
    solution.score = best;
    return true;
  }

  // Sorts the members for the current A. Sets counts_ to the counts, and *score to the sum of
  // member scores, of labelling k = forced_. False if interrupted.
  bool order(std::int32_t size, double *score) noexcept {
    const Instance &in = *instance_;
    // Announces the work on columns. The loop over members and the sort announce their own.
    if (!in.spend(8 * std::int64_t{in.columns}))
      return false;
    std::int32_t *counts = counts_.data();
    for (std::int32_t j = 0; j < usable_count_; ++j)
      counts[usable_[j]] = is_in_[usable_[j]] = 0;
    for (std::int32_t j = 0; j < size; ++j)
      is_in_[usable_[subset_[j]]] = 1;
    double members = 0;
    forced_ = 0;
    allowed_ = in.members;
    Pace pace(in, 16 + 4 * usable_count_, in.members);
    for (std::int32_t i = 0; i < in.members; ++i) {
      if (!pace.next())
        return false;
      const double *row = in.row(i);
      Ranked entry{0, i, -1, -1};
      for (std::int32_t j = 0; j < usable_count_; ++j) {
        const std::int32_t v = usable_[j];
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
      ++counts[start];
      members += row[start];
      order_[i] = entry;
    }
    *score = members;
    return sort_within(in, order_, in.members, [](const Ranked &a, const Ranked &b) {
      return a.gain > b.gain || (a.gain == b.gain && a.member < b.member);
    });
  }

  // Advances subset_ to the next subset in lexicographic order; false after the last.
  bool next_subset(std::int32_t size) noexcept {
    std::int32_t j = size - 1;
    while (j >= 0 && subset_[j] == usable_count_ - size + j)
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
  std::int32_t subset_size_; // q, at most K
  std::int32_t *usable_;     // K: columns that some member may take, ascending
  std::int32_t *subset_;     // the current A, ascending, as indices into usable_
  gsl::span<std::int32_t> counts_; // K: number of members by column
  std::uint8_t *is_in_;      // K: 1 for columns in A
  Ranked *order_;            // n: members by descending gain
  std::int32_t *written_;    // n: scratch, the labelling to be copied to the solution
  std::int32_t usable_count_ = 0;
  std::int32_t forced_ = 0;  // number of members without a column outside A
  std::int32_t allowed_ = 0; // number of members with a column in A
};

} // namespace chorale
