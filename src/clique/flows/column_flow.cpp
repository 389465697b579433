// column_flow.hpp explains the words used here.
#include "clique/flows/column_flow.hpp"

#include <algorithm>

namespace chorale {

ColumnFlow::ColumnFlow(Layout &layout, std::int32_t members, std::int32_t columns,
                       bool residuals) noexcept
    : members_(members), columns_(columns), column_of_(layout.take<std::int32_t>(members)),
      next_(layout.take<std::int32_t>(members)), previous_(layout.take<std::int32_t>(members)),
      first_(layout.take<std::int32_t>(columns)), count_(layout.take<std::int32_t>(columns)),
      row_of_(layout.take<std::int32_t>(columns)),
      rows_left_(layout.take<std::int32_t>(std::min(members, columns))),
      rows_(std::min(members, columns)),
      arc_loss_(layout.take<double>(product_of_counts(rows_, columns))),
      arc_member_(layout.take<std::int32_t>(product_of_counts(rows_, columns))),
      stale_(layout.take<bool>(columns)), price_(layout.take<double>(columns)),
      distance_(layout.take<double>(columns)), parent_(layout.take<std::int32_t>(columns)),
      settled_(layout.take<bool>(columns)),
      residual_(residuals ? layout.take<double>(
                                product_of_counts(std::int64_t{rows_} + 1, std::int64_t{rows_} + 1))
                          : nullptr) {}

void ColumnFlow::reset(const Instance &in, gsl::span<const std::int32_t> capacities) noexcept {
  Expects(capacities.empty() || capacities.size() >= to_size(columns_));
  instance_ = &in;
  capacities_ = capacities.data();
  in_stretches(in, in.members, 1, [&](std::int64_t begin, std::int64_t end) {
    std::fill(column_of_ + begin, column_of_ + end, -1);
  });
  std::fill(first_, first_ + columns_, -1);
  std::fill(count_, count_ + columns_, 0);
  std::fill(row_of_, row_of_ + columns_, -1);
  for (std::int32_t r = 0; r < rows_; ++r)
    rows_left_[r] = rows_ - 1 - r;
  rows_left_count_ = rows_;
  std::fill(stale_, stale_ + columns_, false);
  for (std::int32_t v = 0; v < columns_; ++v) {
    const double gain = next_gain(v);
    price_[v] = gain > kForbidden ? gain : 0.0;
  }
}

double ColumnFlow::next_gain(std::int32_t v) const noexcept {
  if (capacities_)
    return count_[v] < capacities_[v] ? 0.0 : kForbidden;
  if (count_[v] == instance_->members)
    return kForbidden;
  const double *f = instance_->potential.tables[v] + count_[v];
  return f[1] - f[0];
}

double ColumnFlow::last_gain(std::int32_t v) const noexcept {
  if (capacities_)
    return 0.0;
  const double *f = instance_->potential.tables[v] + count_[v];
  return f[0] - f[-1];
}

void ColumnFlow::take_row(std::int32_t u) noexcept {
  if (row_of_[u] < 0)
    row_of_[u] = rows_left_[--rows_left_count_];
  const std::int64_t begin = row_of_[u] * columns_;
  std::fill(arc_loss_ + begin, arc_loss_ + begin + columns_, kInfinity);
  std::fill(arc_member_ + begin, arc_member_ + begin + columns_, -1);
}

void ColumnFlow::link(std::int32_t i, std::int32_t u) noexcept {
  column_of_[i] = u;
  previous_[i] = -1;
  next_[i] = first_[u];
  if (next_[i] >= 0)
    previous_[next_[i]] = i;
  first_[u] = i;
  ++count_[u];
  if (stale_[u])
    return;
  if (row_of_[u] < 0)
    take_row(u);
  const double *row = instance_->row(i);
  double *least = arc_loss_ + row_of_[u] * columns_;
  std::int32_t *member = arc_member_ + row_of_[u] * columns_;
  for (std::int64_t w = 0; w < columns_; ++w) {
    const double loss = row[u] - row[w];
    if (w != u && loss < least[w]) {
      least[w] = loss;
      member[w] = i;
    }
  }
}

void ColumnFlow::unlink(std::int32_t i, std::int32_t u) noexcept {
  if (previous_[i] >= 0)
    next_[previous_[i]] = next_[i];
  else
    first_[u] = next_[i];
  if (next_[i] >= 0)
    previous_[next_[i]] = previous_[i];
  stale_[u] = true;
  if (--count_[u] == 0 && row_of_[u] >= 0) {
    rows_left_[rows_left_count_++] = row_of_[u];
    row_of_[u] = -1;
  }
}

void ColumnFlow::refresh(std::int32_t u) noexcept {
  if (!stale_[u])
    return;
  stale_[u] = false;
  if (count_[u] == 0)
    return;
  take_row(u);
  double *loss = arc_loss_ + row_of_[u] * columns_;
  std::int32_t *member = arc_member_ + row_of_[u] * columns_;
  Pace pace(*instance_, 16 + 2 * columns_, count_[u]);
  for (std::int32_t i = first_[u]; i >= 0 && pace.next(); i = next_[i]) {
    const double *row = instance_->row(i);
    for (std::int64_t w = 0; w < columns_; ++w) {
      const double lost = row[u] - row[w];
      if (lost < loss[w]) {
        loss[w] = lost;
        member[w] = i;
      }
    }
  }
  loss[u] = kInfinity;
}

// Finds the shortest path by Dijkstra's algorithm, on losses that the prices make non-negative
// (price_). Losses that are below zero by rounding count as zero, so that the distance of a settled
// column is final.
bool ColumnFlow::place(std::int32_t i) noexcept {
  if (!instance_->spend(16 + 4 * columns_))
    return false;
  const double *row = instance_->row(i);
  double least = kInfinity;
  for (std::int64_t v = 0; v < columns_; ++v) {
    settled_[v] = false;
    parent_[v] = -1;
    distance_[v] = row[v] == kForbidden ? kInfinity : -row[v] - price_[v];
    least = std::min(least, distance_[v]);
  }
  if (least == kInfinity)
    return false;
  for (std::int64_t v = 0; v < columns_; ++v)
    distance_[v] -= least;

  double sink_distance = kInfinity;
  std::int32_t last = -1;
  for (;;) {
    std::int32_t u = -1;
    for (std::int32_t v = 0; v < columns_; ++v)
      if (!settled_[v] && distance_[v] < (u < 0 ? sink_distance : distance_[u]))
        u = v;
    if (u < 0)
      break;
    settled_[u] = true;
    const double gain = next_gain(u);
    if (gain > kForbidden) {
      const double through = distance_[u] + std::max(0.0, price_[u] - gain);
      if (through < sink_distance) {
        sink_distance = through;
        last = u;
      }
    }
    refresh(u);
    if (!instance_->spend(4 * columns_))
      return false;
    if (row_of_[u] < 0)
      continue;
    const double *loss = arc_loss_ + row_of_[u] * columns_;
    for (std::int32_t w = 0; w < columns_; ++w) {
      if (settled_[w] || loss[w] == kInfinity)
        continue;
      const double reduced = std::max(0.0, loss[w] + price_[u] - price_[w]);
      if (distance_[u] + reduced < distance_[w]) {
        distance_[w] = distance_[u] + reduced;
        parent_[w] = u;
      }
    }
  }
  if (last < 0)
    return false;

  for (std::int64_t v = 0; v < columns_; ++v)
    if (settled_[v])
      price_[v] += std::min(0.0, distance_[v] - sink_distance);
  for (std::int32_t w = last;;) {
    const std::int32_t u = parent_[w];
    if (u < 0) {
      link(i, w);
      return true;
    }
    const std::int32_t moved = arc_member_[row_of_[u] * columns_ + w];
    unlink(moved, u);
    link(moved, w);
    w = u;
  }
}

double ColumnFlow::transport(const Instance &in, gsl::span<const std::int32_t> counts,
                             Limits &limits) noexcept {
  reset(in, counts);
  for (std::int32_t i = 0; i < in.members; ++i)
    if (!limits.spend(in.columns) || !place(i))
      return kForbidden;
  return in.member_score(assignment());
}

// No member can leave a column without members, so a chain of moves that enters such a column ends
// there, which counts as ending at the sink. So the matrix has rows only for the columns with
// members and for the sink.
void ColumnFlow::find_residuals() noexcept {
  const std::int64_t N = rows_ + 1;
  const std::int64_t sink = rows_;
  double *d = residual_;
  for (std::int64_t u = 0; u < N; ++u)
    std::fill(d + u * N, d + (u + 1) * N, kInfinity);
  for (std::int32_t u = 0; u < columns_; ++u)
    refresh(u);
  for (std::int32_t u = 0; u < columns_; ++u) {
    if (row_of_[u] < 0)
      continue;
    if (!instance_->spend(4 * columns_))
      return;
    const double *loss = arc_loss_ + row_of_[u] * columns_;
    double *from = d + row_of_[u] * N;
    for (std::int32_t w = 0; w < columns_; ++w)
      if (const std::int32_t row = row_of_[w]; row >= 0)
        from[row] = loss[w];
      else
        from[sink] = std::min(from[sink], loss[w] + loss_at_end(w));
    from[sink] = std::min(from[sink], loss_at_end(u));
    d[sink * N + row_of_[u]] = last_gain(u);
  }
  for (std::int64_t u = 0; u < N; ++u)
    d[u * N + u] = 0.0;
  for (std::int64_t via = 0; via < N; ++via)
    for (std::int64_t u = 0; u < N; ++u) {
      const double start = d[u * N + via];
      if (start == kInfinity || u == via)
        continue;
      if (!instance_->spend(2 * N))
        return;
      for (std::int64_t w = 0; w < N; ++w)
        if (w != u && start + d[via * N + w] < d[u * N + w])
          d[u * N + w] = start + d[via * N + w];
    }
}

double ColumnFlow::residual(std::int32_t v, std::int32_t u) const noexcept {
  const std::int64_t N = rows_ + 1;
  if (row_of_[v] >= 0)
    return residual_[row_of_[v] * N + row_of_[u]];
  return loss_at_end(v) + residual_[rows_ * N + row_of_[u]];
}

// Returns the loss of column v's table if a chain of moves ends in v; plus infinity if v is full.
double ColumnFlow::loss_at_end(std::int32_t v) const noexcept {
  const double gain = next_gain(v);
  return gain > kForbidden ? -gain : kInfinity;
}

} // namespace chorale
