// What the mentions of one key say, and what follows from it; the equation is in
// chorale/experimental/table.h.
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

struct Evidence {
  double most;
  double once;
  double per_mention;
};

// A mention's best label, -1: it says nothing; and its log-odds, below 0 if others are more probable.
struct Vote {
  std::int32_t own;
  double margin;
};

struct LabelScore {
  std::int32_t label;
  double score;
};

// Evidence for labels, if all mentions of a key have the same one. Labels without an entry have 0.
// `n`: the mentions with evidence; `total`: the evidence if each has its own best label.
struct Sums {
  std::int64_t n = 0;
  double total = 0;
  gsl::span<const LabelScore> scores;
};

struct KeyDecision {
  std::int32_t label; // of all mentions; -1: each has its own
  bool conflict;
  double against; // the evidence against the best label
  double price;
};

// Returns the vote of a mention with a label (-1: none) and its probability, NaN: unknown.
inline Vote vote_of(std::int32_t label, double confidence, std::int64_t labels) noexcept {
  constexpr double kLeast = 1e-6; // probabilities are from here to 1 - kLeast
  if (label < 0 || std::isnan(confidence))
    return {-1, 0};
  // With one label there are no odds; 1 / labels, up to rounding, says nothing.
  if (labels == 1 || std::fabs(confidence * static_cast<double>(labels) - 1) < 1e-6)
    return {label, 0};
  const double sure = std::clamp(confidence, kLeast, 1 - kLeast);
  const double margin =
      natural_log(sure) - natural_log((1 - sure) / static_cast<double>(labels - 1));
  if (labels == 2 && margin < 0) // the other label is the better one
    return {1 - label, -margin};
  return {label, margin};
}

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
  if (rest > 0 && top <= 0) { // of the other labels, each of which has 0
    if (top < 0) {
      top = 0;
      ties = 0;
      best = labels * (labels - 1) / 2 - sum; // if there is one
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
