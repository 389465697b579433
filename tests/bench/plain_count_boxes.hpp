// Yardstick: a Potts clique proven optimal by branch and bound on boxes of counts, plainly. The
// bound of a box is the Lagrangian sum_i max_v (psi_iv - mu_iv) + sum_v max_k (k largest mu_iv +
// C k^2) with lo_v <= k <= hi_v, lowered by Polyak steps; members' choices, polished by single
// moves, are incumbents; the box splits at the value whose count lies deepest inside it.
#pragma once

#include "plain_alpha_pass.hpp"

#include <cmath>
#include <functional>
#include <queue>

namespace bench {

class PlainCountBoxes {
public:
  explicit PlainCountBoxes(const Instance &clique)
      : clique_(clique), n_(clique.members), R_(clique.values) {}

  std::int64_t best() const { return best_; }

  // Whether the optimum was proven before `nodes` boxes were bounded.
  bool solve(std::int64_t nodes) {
    std::vector<int> assignment;
    plain_alpha_pass(clique_, assignment);
    offer(assignment);

    Box root;
    root.low.assign(std::size_t(R_), 0);
    root.high.assign(std::size_t(R_), n_);
    for (int i = 0; i < n_; ++i) {
      const std::int32_t *score = clique_.row(i);
      const std::int32_t highest = *std::max_element(score, score + R_);
      for (int v = 0; v < R_; ++v)
        root.mu.push_back(double(score[v]) - highest);
    }
    lower(root, 300);
    std::priority_queue<Box> open;
    if (!is_closed(root))
      open.push(std::move(root));
    while (!open.empty()) {
      const Box box = open.top();
      open.pop();
      if (is_closed(box))
        continue;
      if (box.split < 0 || nodes <= 0)
        return false;
      for (bool above : {false, true}) {
        Box child = box;
        (above ? child.low : child.high)[std::size_t(box.split)] = box.at + (above ? 1 : 0);
        if (!tighten(child))
          continue;
        lower(child, 80);
        --nodes;
        child.bound = std::min(child.bound, box.bound);
        if (!is_closed(child))
          open.push(std::move(child));
      }
    }
    return true;
  }

private:
  struct Box {
    double bound = 0;
    std::vector<int> low, high;
    std::vector<double> mu; // n x R
    int split = -1, at = 0; // the value to branch on, and its count
    bool operator<(const Box &other) const { return bound < other.bound; }
  };

  // Scores are whole numbers: a bound less than one above the incumbent leaves nothing to find.
  bool is_closed(const Box &box) const { return box.bound < double(best_) + 1; }

  // Counts add up to n.
  bool tighten(Box &box) const {
    int least = 0;
    int most = 0;
    for (int low : box.low)
      least += low;
    if (least > n_)
      return false;
    for (std::size_t v = 0; v < box.high.size(); ++v) {
      box.high[v] = std::min(box.high[v], n_ - (least - box.low[v]));
      most += box.high[v];
    }
    return most >= n_;
  }

  void offer(std::vector<int> x) {
    std::vector<std::int64_t> count(std::size_t(R_), 0);
    for (int v : x)
      ++count[std::size_t(v)];
    const auto worth = [&](int i, int v) {
      return clique_.row(i)[v] + clique_.coefficient * (2 * count[std::size_t(v)] + 1);
    };
    for (bool moved = true; moved;) {
      moved = false;
      for (int i = 0; i < n_; ++i) {
        int &mine = x[std::size_t(i)];
        --count[std::size_t(mine)];
        int to = mine;
        for (int v = 0; v < R_; ++v)
          if (worth(i, v) > worth(i, to))
            to = v;
        moved = moved || to != mine;
        mine = to;
        ++count[std::size_t(mine)];
      }
    }
    std::int64_t score = 0;
    for (int i = 0; i < n_; ++i)
      score += clique_.row(i)[x[std::size_t(i)]];
    for (std::int64_t c : count)
      score += clique_.coefficient * c * c;
    best_ = std::max(best_, score);
  }

  // One evaluation of the Lagrangian: its value, its subgradient, and both sides' counts.
  double evaluate(const Box &box, std::vector<int> &choice) {
    step_.assign(box.mu.size(), 0);
    chosen_.assign(std::size_t(R_), 0);
    wanted_.assign(std::size_t(R_), 0);
    double total = 0;
    for (int i = 0; i < n_; ++i) {
      double most = -INFINITY;
      for (int v = 0; v < R_; ++v) {
        const double left = clique_.row(i)[v] - box.mu[std::size_t(i * R_ + v)];
        if (box.high[std::size_t(v)] > 0 && left > most) {
          most = left;
          choice[std::size_t(i)] = v;
        }
      }
      total += most;
      ++chosen_[std::size_t(choice[std::size_t(i)])];
      step_[std::size_t(i * R_ + choice[std::size_t(i)])] -= 1;
    }
    for (int v = 0; v < R_; ++v) {
      const int high = box.high[std::size_t(v)];
      prices_.clear();
      for (int i = 0; i < n_; ++i)
        prices_.push_back({box.mu[std::size_t(i * R_ + v)], i});
      std::partial_sort(prices_.begin(), prices_.begin() + high, prices_.end(), std::greater<>());
      double sum = 0;
      double most = box.low[std::size_t(v)] == 0 ? 0 : -INFINITY;
      int count = 0;
      for (int k = 1; k <= high; ++k) {
        sum += prices_[std::size_t(k - 1)].first;
        const double worth = sum + double(clique_.coefficient) * k * k;
        if (k >= box.low[std::size_t(v)] && worth > most) {
          most = worth;
          count = k;
        }
      }
      total += most;
      wanted_[std::size_t(v)] = count;
      for (int k = 0; k < count; ++k)
        step_[std::size_t(prices_[std::size_t(k)].second * R_ + v)] += 1;
    }
    return total;
  }

  void lower(Box &box, int iterations) {
    std::vector<int> choice(std::size_t(n_), 0);
    std::vector<double> kept = box.mu;
    std::vector<double> average(std::size_t(R_), 0);
    double lowest = INFINITY;
    double theta = 1;
    int stalled = 0;
    for (int t = 0; t < iterations; ++t) {
      const double total = evaluate(box, choice);
      if (t % 10 == 0)
        offer(choice);
      for (std::size_t v = 0; v < average.size(); ++v)
        average[v] = 0.9 * average[v] + 0.05 * (chosen_[v] + wanted_[v]);
      if (total < lowest - 1e-9 * std::fabs(lowest) || lowest == INFINITY) {
        lowest = total;
        kept = box.mu;
        stalled = 0;
      } else if (++stalled > 10) {
        theta *= 0.6;
        box.mu = kept;
        stalled = 0;
      }
      double norm = 0;
      for (double g : step_)
        norm += g * g;
      const double length = norm > 0 ? theta * (total - double(best_)) / norm : 0;
      if (lowest < double(best_) + 1 || theta < 0.02 || length <= 0)
        break;
      for (std::size_t e = 0; e < step_.size(); ++e)
        box.mu[e] -= length * step_[e];
    }
    box.mu = kept;
    box.bound = lowest;
    box.split = -1;
    double deepest = -1;
    for (int v = 0; v < R_; ++v) {
      const int low = box.low[std::size_t(v)];
      const int high = box.high[std::size_t(v)];
      const double at = average[std::size_t(v)];
      if (low < high && std::min(at - low, high - at) > deepest) {
        deepest = std::min(at - low, high - at);
        box.split = v;
        box.at = std::clamp(int(std::floor(at)), low, high - 1);
      }
    }
  }

  const Instance &clique_;
  int n_, R_;
  std::int64_t best_ = std::numeric_limits<std::int64_t>::min();
  std::vector<double> step_;
  std::vector<int> chosen_, wanted_;
  std::vector<std::pair<double, int>> prices_;
};

} // namespace bench
