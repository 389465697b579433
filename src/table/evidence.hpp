// The evidence of the mentions of one key, and the decision whether they have one label. The
// equation is in chorale/experimental/table.h.
#pragma once

#include "base/array.hpp"
#include "base/logarithm.hpp"
#include "base/span.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace chorale {

// Evidence is rounded to multiples of 2^-20: then sums are exact, and do not depend on the order.
inline double rounded(double x) noexcept { return std::nearbyint(x * 0x1p20) * 0x1p-20; }

// The numbers of chorale_evidence. A key has several labels if the evidence against its best label
// exceeds the greater of 0 and once + per_mention * n. n is the number of its mentions that are
// evidence (Vote); the evidence of a mention is at most `most`. decide() says what ties do.
struct Evidence {
  double most;
  double once;
  double per_mention;
};

// own: the label of a mention without regard to its key; -1: the mention is no evidence. margin:
// log-odds of this label against each other one, or against the second best if there are scores;
// negative (without scores only): it is less probable than each other one.
struct Vote {
  std::int32_t own;
  double margin;
};

struct LabelScore {
  std::int32_t label;
  double score;
};

// Sums of evidence over the mentions of a key, each of which counts as often as `times` says. n:
// number of mentions that are evidence; total: the sum if each has its own best label; scores: the
// sums if all have one label. The sum of a label without an entry is 0.
struct Sums {
  std::int64_t n = 0;
  double total = 0;
  gsl::span<const LabelScore> scores;
};

struct KeyDecision {
  std::int32_t label; // of all mentions; -1: each has its own
  bool conflict;
  double against; // `total` minus the score of the best label
  double price;   // greatest `against` with which the key still has one label
};

// Returns the vote of a mention. label: -1: none; confidence: the label's probability, NaN: unknown.
inline Vote vote_of(std::int32_t label, double confidence, std::int64_t labels) noexcept {
  constexpr double kLeast = 1e-6; // probabilities are from here to 1 - kLeast
  if (label < 0 || std::isnan(confidence))
    return {-1, 0};
  // With one label there are no odds; a confidence of 1 / labels, up to rounding, says nothing.
  if (labels == 1 || std::fabs(confidence * static_cast<double>(labels) - 1) < 1e-6)
    return {label, 0};
  const double sure = std::clamp(confidence, kLeast, 1 - kLeast);
  const double margin =
      natural_log(sure) - natural_log((1 - sure) / static_cast<double>(labels - 1));
  if (labels == 2 && margin < 0) // the other label is the better one
    return {1 - label, -margin};
  return {label, margin};
}

// Decides whether the mentions of a key have one label, and which. If labels tie for the best, they
// have none, which is a conflict if there is evidence against these labels.
inline KeyDecision decide(const Sums &sums, std::int64_t labels, const Evidence &evidence) noexcept {
  double top = kForbidden;
  std::int64_t best = -1, ties = 0, sum = 0;
  for (const LabelScore &at : sums.scores) {
    sum += at.label;
    if (at.score > top) {
      top = at.score;
      best = at.label;
      ties = 0;
    }
    ties += at.score == top;
  }
  const std::int64_t rest = labels - static_cast<std::int64_t>(sums.scores.size());
  if (rest > 0 && top <= 0) { // labels without an entry, whose score is 0, are among the best
    if (top < 0) {
      top = 0;
      ties = 0;
      best = labels * (labels - 1) / 2 - sum; // the label without an entry, if there is only one
    }
    ties += rest;
  }
  KeyDecision found{};
  found.against = sums.total - top;
  found.price = std::max(0.0, evidence.once + evidence.per_mention * static_cast<double>(sums.n));
  found.conflict = found.against > 0 && (ties > 1 || found.against > found.price);
  found.label = ties > 1 || found.conflict ? -1 : static_cast<std::int32_t>(best);
  return found;
}

} // namespace chorale
