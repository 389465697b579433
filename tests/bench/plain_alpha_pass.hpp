// Yardstick: alpha-pass on a Potts clique as the paper prints it, one std::sort a value, in whole
// numbers.
#pragma once

#include "instances.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace bench {

inline std::int64_t plain_alpha_pass(const Instance &clique, std::vector<int> &assignment) {
  const int n = clique.members;
  const int R = clique.values;
  const std::int64_t C = clique.coefficient;
  std::vector<int> first(std::size_t(n), 0), second(std::size_t(n), -1);
  for (int i = 0; i < n; ++i) {
    const std::int32_t *score = clique.row(i);
    int &best = first[std::size_t(i)];
    int &next = second[std::size_t(i)];
    for (int v = 1; v < R; ++v)
      if (score[v] > score[best]) {
        next = best;
        best = v;
      } else if (next < 0 || score[v] > score[next]) {
        next = v;
      }
  }
  using Gain = std::pair<std::int64_t, int>;
  std::vector<Gain> gains(std::size_t(n), Gain{});
  std::vector<std::int64_t> count(std::size_t(R), 0);
  std::int64_t best = std::numeric_limits<std::int64_t>::min();

  // What a member has until it takes alpha.
  const auto rest = [&](std::size_t i, int alpha) {
    return first[i] == alpha ? second[i] : first[i];
  };
  // Members in the order in which they go over to alpha; the score before the first one does.
  const auto line_up = [&](int alpha) {
    std::int64_t score = 0;
    std::fill(count.begin(), count.end(), 0);
    for (int i = 0; i < n; ++i) {
      const int v = rest(std::size_t(i), alpha);
      const std::int64_t mine = clique.row(i)[v];
      score += mine;
      ++count[std::size_t(v)];
      gains[std::size_t(i)] = {clique.row(i)[alpha] - mine, i};
    }
    std::sort(gains.begin(), gains.end(),
              [](const Gain &a, const Gain &b) { return a.first > b.first; });
    for (std::int64_t c : count)
      score += C * c * c;
    return score;
  };

  int best_alpha = 0;
  int best_count = 0;
  for (int alpha = 0; alpha < R; ++alpha) {
    std::int64_t score = line_up(alpha);
    for (int k = 0;; ++k) {
      if (score > best) {
        best = score;
        best_alpha = alpha;
        best_count = k;
      }
      if (k == n)
        break;
      const auto [gain, member] = gains[std::size_t(k)];
      std::int64_t &to = count[std::size_t(alpha)];
      std::int64_t &from = count[std::size_t(rest(std::size_t(member), alpha))];
      score += gain + 2 * C * (to - from + 1);
      ++to;
      --from;
    }
  }
  line_up(best_alpha);
  assignment.resize(std::size_t(n));
  for (int k = 0; k < n; ++k) {
    const auto member = std::size_t(gains[std::size_t(k)].second);
    assignment[member] = k < best_count ? best_alpha : rest(member, best_alpha);
  }
  return best;
}

// With member i fixed to value v: one max-marginal of the restricted passes.
inline std::int64_t plain_restricted_alpha_pass(Instance &clique, int i, int v,
                                                std::vector<int> &assignment) {
  constexpr std::int32_t forbidden = -2'000'000'000;
  const auto begin = clique.psi.begin() + std::ptrdiff_t(i) * clique.values;
  const std::vector<std::int32_t> row(begin, begin + clique.values);
  std::fill(begin, begin + clique.values, forbidden);
  begin[v] = row[std::size_t(v)];
  const std::int64_t best = plain_alpha_pass(clique, assignment);
  std::copy(row.begin(), row.end(), begin);
  return best;
}

} // namespace bench
