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
  std::vector<int> first(std::size_t(n), 0), second(std::size_t(n), -1), rest(std::size_t(n), 0);
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
  assignment.assign(std::size_t(n), 0);

  // Members in the order in which they go over to alpha, and what they take until then.
  const auto line_up = [&](int alpha) {
    for (int i = 0; i < n; ++i) {
      const auto at = std::size_t(i);
      rest[at] = first[at] == alpha ? second[at] : first[at];
      gains[at] = {std::int64_t{clique.row(i)[alpha]} - clique.row(i)[rest[at]], i};
    }
    std::sort(gains.begin(), gains.end(),
              [](const Gain &a, const Gain &b) { return a.first > b.first; });
  };

  int best_alpha = 0;
  int best_count = 0;
  for (int alpha = 0; alpha < R; ++alpha) {
    line_up(alpha);
    std::fill(count.begin(), count.end(), 0);
    std::int64_t score = 0;
    for (int i = 0; i < n; ++i) {
      score += clique.row(i)[rest[std::size_t(i)]];
      ++count[std::size_t(rest[std::size_t(i)])];
    }
    for (std::int64_t c : count)
      score += C * c * c;
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
      std::int64_t &from = count[std::size_t(rest[std::size_t(member)])];
      score += gain + C * (2 * to + 1) - C * (2 * from - 1);
      ++to;
      --from;
    }
  }
  line_up(best_alpha);
  assignment = rest;
  for (int k = 0; k < best_count; ++k)
    assignment[std::size_t(gains[std::size_t(k)].second)] = best_alpha;
  return best;
}

} // namespace bench
