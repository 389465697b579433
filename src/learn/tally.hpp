// What is counted of a labelling beside its gold labels, and what it costs (chorale/learn.h).
#pragma once

#include "base/span.hpp"

namespace chorale {

struct LabelCounts {
  double gold = 0;    // tokens or spans of gold labels that count for F1
  double found = 0;   // of the labels given
  double right = 0;   // in both
  double correct = 0; // positions with the right label
  double known = 0;   // positions with a gold label
  double paid = 0;    // sum of the caller's costs

  LabelCounts &operator+=(const LabelCounts &other) noexcept {
    gold += other.gold;
    found += other.found;
    right += other.right;
    correct += other.correct;
    known += other.known;
    paid += other.paid;
    return *this;
  }
  double f1() const noexcept { return gold + found > 0 ? 2 * right / (gold + found) : 0; }
};

// What is maximised. All may be absent: then each wrong label costs 1.
struct Measure {
  gsl::span<const std::int32_t> classes; // by label; -1: does not count
  gsl::span<const std::int32_t> begins;  // by label: 1 if it begins a span
  Matrix<const double> costs;            // labels x labels
  double f1 = 0;                         // of the tagger's labels

  bool is_f1() const noexcept { return !classes.empty(); }
  double cost(const LabelCounts &tally) const noexcept {
    return is_f1()  ? f1 * (tally.gold + tally.found) - 2 * tally.right
           : costs  ? tally.paid
                    : tally.known - tally.correct;
  }
  // Adds one chain. gold: -1 where unknown; the labels found there do not count either.
  void add(gsl::span<const std::int32_t> gold, gsl::span<const std::int32_t> found,
           LabelCounts &to) const noexcept;
};

} // namespace chorale
