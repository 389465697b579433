// majority_flow.hpp explains the words used here.
#include "clique/majority/majority_flow.hpp"

#include <gsl/gsl>

#include <algorithm>
#include <cstdlib>

namespace chorale {
namespace {

// Returns the excess of a column with `count` members: count - k if the column must have exactly k
// members; otherwise the greater of 0 and count - k.
std::int64_t misplaced(std::int64_t count, std::int64_t k, bool exactly) noexcept {
  return exactly ? count - k : std::max<std::int64_t>(0, count - k);
}

} // namespace

MajorityFlow::MajorityFlow(Layout &layout, const Instance &instance) noexcept
    : instance_(&instance), members_(instance.members), columns_(instance.columns),
      rest_(instance.potential.rest),
      theta_(layout.take<double>(product_of_counts(members_, columns_))),
      x_(layout.take<std::int32_t>(members_)),
      next_(layout.take<std::int32_t>(members_)), previous_(layout.take<std::int32_t>(members_)),
      first_(layout.take<std::int32_t>(columns_)), counts_(layout.take<std::int32_t>(columns_)),
      cost_(layout.take<double>(
          product_of_counts(std::int64_t{columns_} + 1, std::int64_t{columns_} + 1))),
      potential_(layout.take<double>(columns_ + 1)), distance_(layout.take<double>(columns_ + 1)),
      closed_(layout.take<double>(columns_ + 1)), excess_(layout.take<std::int64_t>(columns_ + 1)),
      slack_(layout.take<std::int64_t>(columns_)),
      settled_(layout.take<std::int32_t>(columns_ + 1)),
      path_(layout.take<std::int32_t>(columns_ + 1)),
      moved_(layout.take<std::int32_t>(columns_ + 1)), settled_count_(0), a_(-1), k_(0),
      out_of_place_(0), total_(0) {}

bool MajorityFlow::load(std::int32_t a, double forbidden) noexcept {
  Expects(a != rest_);
  a_ = a;
  const double *w = instance_->potential.weights + std::int64_t{a} * columns_;
  std::fill(counts_, counts_ + columns_, 0);
  bool feasible = true;
  Pace pace(*instance_, 8 + 4 * std::int64_t{columns_}, members_);
  for (std::int64_t i = 0; i < members_; ++i) {
    if (!pace.next())
      return false;
    const double *psi = instance_->row(i);
    double *to = theta_ + i * columns_;
    for (std::int32_t v = 0; v < columns_; ++v)
      to[v] = (psi[v] == kForbidden ? forbidden : psi[v]) + w[v];
    std::int32_t best = 0;
    double highest = to[0];
    for (std::int32_t v = 1; v < columns_; ++v) {
      best = to[v] > highest ? v : best;
      highest = to[v] > highest ? to[v] : highest;
    }
    x_[i] = best;
    ++counts_[best];
    feasible = feasible && highest > kForbidden;
  }
  if (feasible)
    begin();
  return feasible;
}

void MajorityFlow::begin() noexcept {
  std::fill(potential_, potential_ + nodes(), 0.0);
  std::fill(first_, first_ + columns_, -1);
  in_stretches(*instance_, std::int64_t{nodes()} * nodes(), 1,
               [&](std::int64_t begin, std::int64_t end) {
                 std::fill(cost_ + begin, cost_ + end, kInfinity);
               });
  Pace pace(*instance_, 16 + 4 * std::int64_t{columns_}, members_);
  for (std::int32_t i = members_ - 1; i >= 0 && pace.next(); --i) {
    link(i, x_[i]);
    add_to_row(x_[i], i);
  }
  total_ = score_of_members();
  for (std::int32_t v = 0; v < columns_; ++v)
    if (v != a_)
      row(slack_node())[v] = 0;
}

void MajorityFlow::unlink(std::int32_t i) noexcept {
  const std::int32_t before = previous_[i];
  const std::int32_t after = next_[i];
  (before < 0 ? first_[x_[i]] : next_[before]) = after;
  if (after >= 0)
    previous_[after] = before;
}

void MajorityFlow::link(std::int32_t i, std::int32_t v) noexcept {
  x_[i] = v;
  previous_[i] = -1;
  next_[i] = first_[v];
  if (first_[v] >= 0)
    previous_[first_[v]] = i;
  first_[v] = i;
}

void MajorityFlow::add_to_row(std::int32_t u, std::int32_t i) noexcept {
  const double *scores = theta(i);
  const double own = scores[u];
  double *arcs = row(u);
  for (std::int32_t v = 0; v < columns_; ++v) {
    const double loss = own - scores[v];
    arcs[v] = loss < arcs[v] ? loss : arcs[v];
  }
}

// Calls body(i) for each member i in column u. Each call costs `work` steps. Ends early if
// interrupted.
template <class Body>
void MajorityFlow::for_members(std::int32_t u, std::int64_t work, Body &&body) noexcept {
  std::int32_t i = first_[u];
  in_stretches(*instance_, counts_[u], work, [&](std::int64_t begin, std::int64_t end) {
    for (; begin < end; ++begin, i = next_[i])
      body(i);
  });
}

void MajorityFlow::rebuild_row(std::int32_t u) noexcept {
  std::fill(row(u), row(u) + columns_, kInfinity);
  for_members(u, 16 + 2 * std::int64_t{columns_}, [&](std::int32_t i) { add_to_row(u, i); });
}

void MajorityFlow::open_slack(std::int32_t v) noexcept {
  row(v)[slack_node()] = v == rest_ || slack_[v] > 0 ? 0.0 : kInfinity;
}

void MajorityFlow::turn_to(std::int64_t k) noexcept {
  k_ = k;
  // A column with price 0 may have fewer than k members; a column with a positive price must have
  // k.
  std::int64_t paths = 0;
  std::int64_t sum = 0;
  for (std::int32_t v = 0; v < columns_; ++v) {
    excess_[v] = v == rest_ ? 0 : misplaced(counts_[v], k, v == a_ || price(v) > 0);
    slack_[v] = has_room_limit(v) ? k + excess_[v] - counts_[v] : 0;
    sum += excess_[v];
    paths += std::abs(excess_[v]);
    open_slack(v);
  }
  excess_[slack_node()] = -sum;
  out_of_place_ = (paths + std::abs(sum)) / 2;
}

std::int32_t MajorityFlow::settle() noexcept {
  const std::int32_t N = nodes();
  for (std::int32_t v = 0; v < N; ++v) {
    distance_[v] = excess_[v] > 0 ? 0.0 : kInfinity;
    closed_[v] = 0;
  }
  settled_count_ = 0;
  for (;;) {
    if (!instance_->spend(4 * std::int64_t{N}))
      return -1;
    std::int32_t u = -1;
    double least = kInfinity;
    for (std::int32_t v = 0; v < N; ++v) {
      const double d = distance_[v] + closed_[v];
      u = d < least ? v : u;
      least = d < least ? d : least;
    }
    if (u < 0)
      return -1;
    settled_[settled_count_++] = u;
    if (excess_[u] < 0)
      return u;
    closed_[u] = kInfinity;
    // A reduced cost that is slightly negative by rounding counts as 0, so that the distances of
    // settled nodes are final.
    const double *arcs = row(u);
    const double from = potential_[u];
    for (std::int32_t v = 0; v < N; ++v) {
      const double reduced = (arcs[v] + from) - potential_[v];
      const double d = least + (reduced > 0 ? reduced : 0);
      distance_[v] = d < distance_[v] ? d : distance_[v];
    }
  }
}

// Reconstructs the path to the sink from the distances, and the member that moves on each arc.
// Writes them to path_ and moved_, and returns the number of nodes of the path.
std::int32_t MajorityFlow::trace(std::int32_t sink) noexcept {
  std::int32_t length = 0;
  std::int32_t position = settled_count_ - 1;
  std::int32_t v = sink;
  path_[length++] = v;
  while (excess_[v] <= 0 && instance_->spend(Limits::kScattered * std::int64_t{position})) {
    std::int32_t from = 0;
    double least = kInfinity;
    for (std::int32_t j = 0; j < position; ++j) {
      const std::int32_t u = settled_[j];
      const double reduced = (row(u)[v] + potential_[u]) - potential_[v];
      const double d = distance_[u] + (reduced > 0 ? reduced : 0);
      from = d < least ? j : from;
      least = d < least ? d : least;
    }
    position = from;
    v = settled_[position];
    path_[length++] = v;
  }
  std::reverse(path_, path_ + length);
  for (std::int32_t j = 0; j + 1 < length; ++j) {
    const std::int32_t u = path_[j];
    const std::int32_t w = path_[j + 1];
    moved_[j] = -1;
    if (u == slack_node() || w == slack_node())
      continue;
    double least = kInfinity;
    std::int32_t best = -1;
    for_members(u, 16, [&](std::int32_t i) {
      const double loss = theta(i)[u] - theta(i)[w];
      best = loss < least ? i : best;
      least = loss < least ? loss : least;
    });
    moved_[j] = best;
    total_ -= least;
  }
  return length;
}

void MajorityFlow::shift(std::int32_t length) noexcept {
  for (std::int32_t j = 0; j + 1 < length; ++j) {
    const std::int32_t u = path_[j];
    const std::int32_t w = path_[j + 1];
    if (moved_[j] >= 0) {
      unlink(moved_[j]);
      link(moved_[j], w);
      --counts_[u];
      ++counts_[w];
    } else if (u == slack_node()) {
      ++slack_[w];
      open_slack(w);
    } else {
      --slack_[u];
      open_slack(u);
    }
  }
  for (std::int32_t j = 0; j < length; ++j) {
    if (path_[j] == slack_node())
      continue;
    if (j + 1 < length && moved_[j] >= 0)
      rebuild_row(path_[j]);
    else if (j > 0 && moved_[j - 1] >= 0)
      add_to_row(path_[j], moved_[j - 1]);
  }
}

bool MajorityFlow::augment() noexcept {
  if (!instance_->spend(64 + 8 * std::int64_t{columns_}))
    return false;
  const std::int32_t sink = settle();
  if (sink < 0)
    return false;
  const std::int32_t length = trace(sink);
  if (instance_->interrupted()) // moved_ may then be wrong
    return false;
  const double reach = distance_[sink];
  for (std::int32_t v = 0; v < nodes(); ++v)
    potential_[v] += (distance_[v] < reach ? distance_[v] : reach) - reach;
  // Sets the price of columns with slack to 0 exactly; with a rounding error, turn_to() would
  // require these columns to be full.
  for (std::int32_t j = 0; j < length; ++j)
    if ((j > 0 && path_[j - 1] == slack_node()) || (j + 1 < length && path_[j + 1] == slack_node()))
      potential_[path_[j]] = potential_[slack_node()];
  --excess_[path_[0]];
  ++excess_[sink];
  --out_of_place_;
  shift(length);
  return true;
}

CountLine MajorityFlow::line() const noexcept {
  double paid = 0;
  double slope = 0;
  for (std::int32_t v = 0; v < columns_; ++v) {
    if (v == rest_)
      continue;
    const double p = v == a_ ? price(v) : std::max(0.0, price(v));
    slope += p;
    paid += p * counts_[v];
  }
  return {instance_->potential.bias[a_] + total_ - paid, slope};
}

double MajorityFlow::score() const noexcept {
  return score_of_members() + instance_->potential.bias[a_];
}

double MajorityFlow::score_of_members() const noexcept {
  double total = 0;
  in_stretches(*instance_, members_, 8, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i)
      total += theta(i)[x_[i]];
  });
  return total;
}

bool MajorityFlow::distances_to(gsl::span<double> all, Limits &limits) const noexcept {
  double *distances = all.data();
  // Floyd-Warshall on reduced costs, which are non-negative. A row has the distances to one node.
  const std::int64_t N = nodes();
  for (std::int32_t u = 0; u < N; ++u) {
    if (!limits.spend(Limits::kScattered * N))
      return false;
    for (std::int32_t v = 0; v < N; ++v)
      distances[v * N + u] =
          u == v ? 0.0 : std::max(0.0, (row(u)[v] + potential_[u]) - potential_[v]);
  }
  for (std::int64_t middle = 0; middle < N; ++middle) {
    const double *through = distances + middle * N;
    const auto relax = [=](std::int64_t begin, std::int64_t end) {
      for (std::int64_t to = begin; to < end; ++to) {
        double *best = distances + to * N;
        const double onward = best[middle];
        if (onward == kInfinity || to == middle)
          continue;
        for (std::int64_t from = 0; from < N; ++from) {
          const double d = onward + through[from];
          best[from] = d < best[from] ? d : best[from];
        }
      }
    };
    if (!in_stretches(limits, N, N + 8, relax))
      return false;
  }
  return in_stretches(limits, N, N + 8, [=, this](std::int64_t begin, std::int64_t end) {
    for (std::int64_t to = begin; to < end; ++to)
      for (std::int64_t from = 0; from < N; ++from)
        distances[to * N + from] += potential_[to] - potential_[from];
  });
}

} // namespace chorale
