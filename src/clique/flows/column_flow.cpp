// column_flow.hpp explains the words used here.
#include "clique/flows/column_flow.hpp"

#include <algorithm>
#include <cstdlib>

namespace chorale {
namespace {

// Number of bisections in the search for the price at which a flow with tables begins. Any price is
// correct; a better one leaves fewer paths to make.
constexpr int kHalvings = 40;

} // namespace

ColumnFlow::ColumnFlow(Layout &layout, const Instance &instance, bool residuals) noexcept
    : instance_(&instance), members_(instance.members), columns_(instance.columns),
      x_(layout.take<std::int32_t>(members_)), next_(layout.take<std::int32_t>(members_)),
      previous_(layout.take<std::int32_t>(members_)), first_(layout.take<std::int32_t>(columns_)),
      counts_(layout.take<std::int32_t>(columns_)), most_(layout.take<std::int32_t>(columns_)),
      is_exact_(layout.take<bool>(columns_)),
      cost_(layout.take<double>(product_of_counts(std::min(members_, columns_), columns_))),
      row_of_(layout.take<std::int32_t>(columns_)),
      unused_(layout.take<std::int32_t>(std::min(members_, columns_))),
      to_slack_(layout.take<double>(columns_)), from_slack_(layout.take<double>(columns_)),
      potential_(layout.take<double>(std::int64_t{columns_} + 1)),
      distance_(layout.take<double>(std::int64_t{columns_} + 1)),
      closed_(layout.take<double>(std::int64_t{columns_} + 1)),
      excess_(layout.take<std::int64_t>(std::int64_t{columns_} + 1)),
      settled_(layout.take<std::int32_t>(std::int64_t{columns_} + 1)),
      path_(layout.take<std::int32_t>(std::int64_t{columns_} + 1)),
      moved_(layout.take<std::int32_t>(std::int64_t{columns_} + 1)),
      residual_(residuals ? layout.take<double>(
                                product_of_counts(std::int64_t{std::min(members_, columns_)} + 1,
                                                  std::int64_t{std::min(members_, columns_)} + 1))
                          : nullptr),
      rows_(std::min(members_, columns_)) {}

std::int32_t ColumnFlow::load(const double *scores) noexcept {
  theta_ = scores;
  tables_ = nullptr;
  std::fill(counts_, counts_ + columns_, 0);
  std::fill(first_, first_ + columns_, -1);
  std::fill(row_of_, row_of_ + columns_, -1);
  std::fill(potential_, potential_ + nodes(), 0.0);
  unused_count_ = rows_;
  for (std::int32_t r = 0; r < rows_; ++r)
    unused_[r] = rows_ - 1 - r;
  std::int32_t without = 0;
  Pace pace(*instance_, 16 + 4 * std::int64_t{columns_}, members_);
  for (std::int32_t i = members_ - 1; i >= 0 && pace.next(); --i) {
    const double *from = theta(i);
    std::int32_t best = 0;
    double highest = from[0];
    for (std::int32_t v = 1; v < columns_; ++v) {
      best = from[v] > highest ? v : best;
      highest = from[v] > highest ? from[v] : highest;
    }
    without += highest == kForbidden ? 1 : 0;
    link(i, best);
    add_to_row(best, i);
  }
  total_ = score_of_members();
  return without;
}

void ColumnFlow::unlink(std::int32_t i) noexcept {
  const std::int32_t u = x_[i];
  const std::int32_t before = previous_[i];
  const std::int32_t after = next_[i];
  (before < 0 ? first_[u] : next_[before]) = after;
  if (after >= 0)
    previous_[after] = before;
  if (--counts_[u] == 0) {
    unused_[unused_count_++] = row_of_[u];
    row_of_[u] = -1;
  }
}

void ColumnFlow::link(std::int32_t i, std::int32_t v) noexcept {
  if (counts_[v]++ == 0) {
    row_of_[v] = unused_[--unused_count_];
    std::fill(row(v), row(v) + columns_, kInfinity);
  }
  x_[i] = v;
  previous_[i] = -1;
  next_[i] = first_[v];
  if (first_[v] >= 0)
    previous_[first_[v]] = i;
  first_[v] = i;
}

void ColumnFlow::add_to_row(std::int32_t u, std::int32_t i) noexcept {
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
void ColumnFlow::for_members(std::int32_t u, std::int64_t work, Body &&body) noexcept {
  std::int32_t i = first_[u];
  in_stretches(*instance_, counts_[u], work, [&](std::int64_t begin, std::int64_t end) {
    for (; begin < end; ++begin, i = next_[i])
      body(i);
  });
}

void ColumnFlow::rebuild_row(std::int32_t u) noexcept {
  if (counts_[u] == 0)
    return;
  std::fill(row(u), row(u) + columns_, kInfinity);
  for_members(u, 16 + 2 * std::int64_t{columns_}, [&](std::int32_t i) { add_to_row(u, i); });
}

// Computes the losses of the arcs between column v and the slack node. Without tables, a column whose
// demand is not exact always has the arc from the slack node, with loss 0: this keeps its price at
// least 0. So its demand may be negative until the flow is finished.
void ColumnFlow::open_slack(std::int32_t v) noexcept {
  const std::int64_t demand = counts_[v] - excess_[v];
  const bool rises = demand < most_[v] && !is_exact_[v];
  if (tables_) {
    const double *f = tables_[v] + demand;
    to_slack_[v] = rises ? f[0] - f[1] : kInfinity;
    from_slack_[v] = demand > 0 ? f[0] - f[-1] : kInfinity;
  } else {
    to_slack_[v] = rises ? 0.0 : kInfinity;
    from_slack_[v] = is_exact_[v] ? kInfinity : 0.0;
  }
}

// Sets the demands of all columns, to demand(v), and the excesses that follow.
template <class Demand> void ColumnFlow::set_demands(Demand &&demand) noexcept {
  std::int64_t paths = 0;
  std::int64_t sum = 0;
  for (std::int32_t v = 0; v < columns_; ++v) {
    excess_[v] = counts_[v] - demand(v);
    sum += excess_[v];
    paths += std::abs(excess_[v]);
    open_slack(v);
  }
  excess_[slack_node()] = -sum;
  out_of_place_ = (paths + std::abs(sum)) / 2;
}

void ColumnFlow::begin() noexcept {
  set_demands([this](std::int32_t v) noexcept {
    return is_exact_[v] || price(v) > 0 ? most_[v] : std::min(counts_[v], most_[v]);
  });
}

// Returns the number of steps of column v's table that are above `gain`.
std::int32_t ColumnFlow::steps_above(std::int32_t v, double gain) const noexcept {
  const double *f = tables_[v];
  std::int32_t least = 0;
  std::int32_t most = most_[v];
  while (least < most) {
    const std::int32_t k = least + (most - least) / 2;
    (f[k + 1] - f[k] > gain ? least : most) = f[k + 1] - f[k] > gain ? k + 1 : k;
  }
  return least;
}

// All columns begin with the same price p, about the highest at which at most n steps f_v(k + 1) -
// f_v(k) of all tables together are above -p. So about n paths are needed at most.
void ColumnFlow::begin(const double *const *tables) noexcept {
  tables_ = tables;
  double low = kInfinity;
  double high = kForbidden;
  for (std::int32_t v = 0; v < columns_ && instance_->spend(members_ + 16); ++v) {
    const double *f = tables[v];
    std::int32_t most = members_;
    while (f[most] == kForbidden)
      --most;
    limit(v, most, false);
    if (most > 0) {
      low = std::min(low, f[most] - f[most - 1]);
      high = std::max(high, f[1] - f[0]);
    }
  }
  for (int step = 0; step < kHalvings && instance_->spend(64 * std::int64_t{columns_}); ++step) {
    const double middle = low + (high - low) / 2;
    std::int64_t wanted = 0;
    for (std::int32_t v = 0; v < columns_; ++v)
      wanted += steps_above(v, middle);
    (wanted > members_ ? low : high) = middle;
  }
  if (instance_->interrupted())
    return;
  if (high > kForbidden)
    potential_[slack_node()] = -high;
  set_demands([=, this](std::int32_t v) noexcept {
    std::int32_t demand = steps_above(v, high);
    while (demand < std::min(counts_[v], most_[v]) &&
           tables[v][demand + 1] - tables[v][demand] >= high)
      ++demand;
    return demand;
  });
}

double ColumnFlow::cost(std::int32_t u, std::int32_t v) const noexcept {
  if (u == slack_node())
    return from_slack_[v];
  if (v == slack_node())
    return to_slack_[u];
  return row_of_[u] < 0 ? kInfinity : row(u)[v];
}

// Finds the shortest distances from `source` by Dijkstra's algorithm, up to the nearest node with
// negative excess, which it returns; -1 if there is none or if interrupted.
std::int32_t ColumnFlow::settle(std::int32_t source) noexcept {
  const std::int32_t N = nodes();
  std::fill(distance_, distance_ + N, kInfinity);
  std::fill(closed_, closed_ + N, 0.0);
  distance_[source] = 0;
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
    const double from = potential_[u];
    const auto reach = [&](std::int32_t v, double loss) {
      const double reduced = (loss + from) - potential_[v];
      const double d = least + (reduced > 0 ? reduced : 0);
      distance_[v] = d < distance_[v] ? d : distance_[v];
    };
    const double *arcs = u == slack_node() ? from_slack_ : row_of_[u] < 0 ? nullptr : row(u);
    for (std::int32_t v = 0; arcs && v < columns_; ++v)
      reach(v, arcs[v]);
    if (u != slack_node())
      reach(slack_node(), to_slack_[u]);
  }
}

// Reconstructs the path to the sink from the distances, and the member that moves on each arc.
// Writes them to path_ and moved_, subtracts the members' losses from total_, and returns the number
// of nodes of the path.
std::int32_t ColumnFlow::trace(std::int32_t sink) noexcept {
  std::int32_t length = 0;
  std::int32_t position = settled_count_ - 1;
  std::int32_t v = sink;
  path_[length++] = v;
  while (position > 0 && instance_->spend(Limits::kScattered * std::int64_t{position})) {
    std::int32_t from = 0;
    double least = kInfinity;
    for (std::int32_t j = 0; j < position; ++j) {
      const std::int32_t u = settled_[j];
      const double reduced = (cost(u, v) + potential_[u]) - potential_[v];
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

// Moves the members of moved_ along the path, and updates the arcs of its columns.
void ColumnFlow::shift(std::int32_t length) noexcept {
  for (std::int32_t j = 0; j + 1 < length; ++j)
    if (moved_[j] >= 0) {
      unlink(moved_[j]);
      link(moved_[j], path_[j + 1]);
    }
  for (std::int32_t j = 0; j < length; ++j) {
    if (path_[j] == slack_node())
      continue;
    open_slack(path_[j]);
    if (j + 1 < length && moved_[j] >= 0)
      rebuild_row(path_[j]);
    else if (j > 0 && moved_[j - 1] >= 0)
      add_to_row(path_[j], moved_[j - 1]);
  }
}

bool ColumnFlow::augment() noexcept {
  if (!instance_->spend(64 + 8 * std::int64_t{columns_}))
    return false;
  std::int32_t sink = -1;
  for (std::int32_t v = 0; v < nodes() && sink < 0; ++v)
    if (excess_[v] > 0)
      sink = settle(v);
  if (sink < 0)
    return false;
  const std::int32_t length = trace(sink);
  if (instance_->interrupted()) // moved_ may then be wrong
    return false;
  const double reach = distance_[sink];
  for (std::int32_t v = 0; v < nodes(); ++v)
    potential_[v] += (distance_[v] < reach ? distance_[v] : reach) - reach;
  // Without tables, the columns next to the slack node on the path have price 0. Sets it to 0
  // exactly, since with a rounding error begin() would require a column to be full.
  for (std::int32_t j = 0; j < length && !tables_; ++j)
    if ((j > 0 && path_[j - 1] == slack_node()) || (j + 1 < length && path_[j + 1] == slack_node()))
      potential_[path_[j]] = potential_[slack_node()];
  --excess_[path_[0]];
  ++excess_[sink];
  --out_of_place_;
  shift(length);
  return true;
}

double ColumnFlow::transport(const double *scores, gsl::span<const std::int32_t> counts,
                             Limits &limits) noexcept {
  Expects(counts.size() >= to_size(columns_));
  const std::int32_t without = load(scores);
  for (std::int32_t v = 0; v < columns_; ++v)
    limit(v, counts.data()[v], true);
  begin();
  bool possible = without == 0;
  while (possible && out_of_place_ > 0)
    possible = limits.spend(columns_) && augment();
  return possible && !instance_->interrupted() ? score_of_members() : kForbidden;
}

double ColumnFlow::score_of_members() const noexcept {
  double total = 0;
  in_stretches(*instance_, members_, 8, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i)
      total += theta(i)[x_[i]];
  });
  return total;
}

// Floyd-Warshall on reduced costs, which are non-negative. A row has the distances to one node. From a
// column without members the only arc leads to the slack node. So such a column needs no row: paths
// through it count as arcs to the slack node.
bool ColumnFlow::find_residuals() noexcept {
  const std::int64_t N = rows_ + 1;
  double *const distances = residual_;
  if (!in_stretches(*instance_, N, N, [=](std::int64_t begin, std::int64_t end) {
        std::fill(distances + begin * N, distances + end * N, kInfinity);
      }))
    return false;
  const auto reduced = [this](std::int32_t u, std::int32_t v, double loss) {
    return std::max(0.0, (loss + potential_[u]) - potential_[v]);
  };
  for (std::int32_t u = 0; u < columns_; ++u) {
    if (row_of_[u] < 0)
      continue;
    if (!instance_->spend(Limits::kScattered * std::int64_t{columns_}))
      return false;
    double out = to_slack_[u];
    for (std::int32_t v = 0; v < columns_; ++v)
      if (row_of_[v] < 0)
        out = std::min(out, row(u)[v] + to_slack_[v]);
      else
        distances[row_of_[v] * N + row_of_[u]] = u == v ? 0.0 : reduced(u, v, row(u)[v]);
    distances[rows_ * N + row_of_[u]] = reduced(u, slack_node(), out);
    distances[row_of_[u] * N + rows_] = reduced(slack_node(), u, from_slack_[u]);
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
    if (!in_stretches(*instance_, N, N + 8, relax))
      return false;
  }
  return true;
}

double ColumnFlow::residual(std::int32_t v, std::int32_t u) const noexcept {
  const std::int64_t N = rows_ + 1;
  const double *to_u = residual_ + row_of_[u] * N;
  return row_of_[v] >= 0 ? to_u[row_of_[v]] + (potential_[u] - potential_[v])
                         : to_slack_[v] + (to_u[rows_] + (potential_[u] - potential_[slack_node()]));
}

} // namespace chorale
