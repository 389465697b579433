// Yardstick: exact linear MAJORITY, plainly. For each majority value a, best bound first, the
// concave G_a(k) is searched: each k is a flow over the values and one node for slack, built up by
// shortest paths (Bellman-Ford) from the unconstrained choice; the distances at its end are prices,
// whose sum is a slope of G_a and so a bound on every other k.
#pragma once

#include "instances.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace bench {

class PlainMajority {
public:
  explicit PlainMajority(const Instance &clique)
      : clique_(clique), n_(clique.members), R_(clique.values) {}

  std::int64_t solve() {
    struct Candidate {
      std::int64_t bound;
      int value;
    };
    std::vector<Candidate> order;
    for (int a = 0; a < R_; ++a) {
      choose_freely(a);
      order.push_back({member_sum(), a});
      best_ = std::max(best_, true_score());
    }
    std::stable_sort(order.begin(), order.end(),
                     [](const Candidate &x, const Candidate &y) { return x.bound > y.bound; });
    for (const Candidate &candidate : order) {
      if (candidate.bound <= best_)
        break;
      search(candidate.value, candidate.bound);
    }
    return best_;
  }

private:
  struct Line { // G_a(k), and a slope there
    int k;
    std::int64_t score, slope;
  };

  static constexpr std::int64_t kFar = std::numeric_limits<std::int64_t>::max() / 4;

  std::int64_t &theta(int i, int v) { return theta_[std::size_t(i * R_ + v)]; }
  int &value(int i) { return value_[std::size_t(i)]; }
  int &count(int v) { return count_[std::size_t(v)]; }

  // Scores under majority value a, and every member's best.
  void choose_freely(int a) {
    theta_.resize(std::size_t(n_ * R_));
    value_.assign(std::size_t(n_), 0);
    count_.assign(std::size_t(R_), 0);
    for (int i = 0; i < n_; ++i) {
      for (int v = 0; v < R_; ++v) {
        theta(i, v) = std::int64_t{clique_.row(i)[v]} + clique_.weights[std::size_t(a * R_ + v)];
        if (theta(i, v) > theta(i, value(i)))
          value(i) = v;
      }
      ++count(value(i));
    }
  }

  std::int64_t member_sum() {
    std::int64_t sum = 0;
    for (int i = 0; i < n_; ++i)
      sum += theta(i, value(i));
    return sum;
  }

  std::int64_t true_score() {
    std::int64_t psi = 0;
    for (int i = 0; i < n_; ++i)
      psi += clique_.row(i)[value(i)];
    const int most = *std::max_element(count_.begin(), count_.end());
    std::int64_t clique = -kFar;
    for (int a = 0; a < R_; ++a) {
      if (count(a) != most)
        continue;
      std::int64_t sum = 0;
      for (int v = 0; v < R_; ++v)
        sum += std::int64_t{clique_.weights[std::size_t(a * R_ + v)]} * count(v);
      clique = std::max(clique, sum);
    }
    return psi + clique;
  }

  void search(int a, std::int64_t unconstrained) {
    choose_freely(a);
    const std::vector<int> free_values = value_;
    const std::vector<int> free_counts = count_;
    const int most = *std::max_element(count_.begin(), count_.end());
    if (count(a) == most) {
      best_ = std::max(best_, unconstrained);
      return;
    }
    std::vector<Line> lines;
    const auto bound = [&](int k) {
      std::int64_t least = unconstrained;
      for (const Line &line : lines)
        least = std::min(least, line.score + line.slope * (k - line.k));
      return least;
    };
    int low = (n_ + R_ - 1) / R_;
    int high = n_;
    int k = std::clamp((count(a) + most + 1) / 2, low, high);
    while (low <= high) {
      value_ = free_values;
      count_ = free_counts;
      const Line line = flow(a, k);
      best_ = std::max(best_, line.score);
      lines.push_back(line);
      if (line.slope == 0)
        return;
      (line.slope > 0 ? low : high) = line.slope > 0 ? k + 1 : k - 1;
      while (low <= high && bound(low) <= best_)
        ++low;
      while (low <= high && bound(high) <= best_)
        --high;
      k = low;
      for (int other = low; other <= high; ++other)
        if (bound(other) > bound(k))
          k = other;
    }
  }

  // The cheapest member to move from u to every other value.
  void refresh_row(int u) {
    std::fill_n(cost_.begin() + u * R_, R_, kFar);
    for (int i = 0; i < n_; ++i)
      if (value(i) == u)
        for (int v = 0; v < R_; ++v) {
          const std::int64_t loss = theta(i, u) - theta(i, v);
          if (v != u && loss < cost_[std::size_t(u * R_ + v)]) {
            cost_[std::size_t(u * R_ + v)] = loss;
            mover_[std::size_t(u * R_ + v)] = i;
          }
        }
  }

  std::int64_t arc(int u, int v, int a, int k) {
    const int slack = R_;
    if (u == slack) // some member of v may go elsewhere
      return v != a && v != slack ? 0 : kFar;
    if (v == slack) // v may hold one more
      return u != a && count(u) < k ? 0 : kFar;
    return u == v ? kFar : cost_[std::size_t(u * R_ + v)];
  }

  // Shortest distances from where `distance` is 0.
  void bellman_ford(int a, int k) {
    before_.assign(std::size_t(R_ + 1), -1);
    for (bool changed = true; changed;) {
      changed = false;
      for (int u = 0; u <= R_; ++u) {
        if (distance_[std::size_t(u)] >= kFar)
          continue;
        for (int v = 0; v <= R_; ++v) {
          const std::int64_t cost = arc(u, v, a, k);
          if (cost < kFar && distance_[std::size_t(u)] + cost < distance_[std::size_t(v)]) {
            distance_[std::size_t(v)] = distance_[std::size_t(u)] + cost;
            before_[std::size_t(v)] = u;
            changed = true;
          }
        }
      }
    }
  }

  // From the choice that stands.
  Line flow(int a, int k) {
    cost_.resize(std::size_t(R_ * R_));
    mover_.resize(std::size_t(R_ * R_));
    for (int u = 0; u < R_; ++u)
      refresh_row(u);
    for (;;) {
      int net = count(a) - k; // members too many, less members wanted
      bool balanced = count(a) == k;
      for (int v = 0; v < R_; ++v)
        if (v != a && count(v) > k) {
          net += count(v) - k;
          balanced = false;
        }
      if (balanced)
        break;
      distance_.assign(std::size_t(R_ + 1), kFar);
      for (int v = 0; v < R_; ++v)
        if (count(v) > k)
          distance_[std::size_t(v)] = 0;
      if (net < 0)
        distance_[std::size_t(R_)] = 0;
      bellman_ford(a, k);
      int end = count(a) < k ? a : -1;
      if (net > 0 && (end < 0 || distance_[std::size_t(R_)] < distance_[std::size_t(end)]))
        end = R_;
      std::vector<int> path{end};
      while (before_[std::size_t(path.back())] >= 0)
        path.push_back(before_[std::size_t(path.back())]);
      std::vector<std::pair<int, int>> moves;
      for (std::size_t step = path.size() - 1; step > 0; --step)
        if (path[step] < R_ && path[step - 1] < R_)
          moves.push_back({mover_[std::size_t(path[step] * R_ + path[step - 1])], path[step - 1]});
      for (const auto &[member, to] : moves) {
        --count(value(member));
        ++count(to);
        value(member) = to;
      }
      for (int u : path)
        if (u < R_)
          refresh_row(u);
    }
    // Prices: any distances that no residual arc improves.
    distance_.assign(std::size_t(R_ + 1), 0);
    bellman_ford(a, k);
    std::int64_t slope = 0;
    for (int v = 0; v < R_; ++v)
      slope += distance_[std::size_t(R_)] - distance_[std::size_t(v)];
    return {k, member_sum(), slope};
  }

  const Instance &clique_;
  int n_, R_;
  std::int64_t best_ = std::numeric_limits<std::int64_t>::min();
  std::vector<std::int64_t> theta_, cost_, distance_;
  std::vector<int> value_, count_, mover_, before_;
};

} // namespace bench
