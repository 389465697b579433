// majority_repair.hpp explains the words used here.
#include "clique/paper/majority_repair.hpp"

#include "clique/majority/majority.hpp"

#include <algorithm>
#include <cmath>

namespace chorale {
namespace {

// Gains below this fraction of an upper bound on the gain of a chain of moves count as rounding.
constexpr double kRepairRounding = 1e-12;

} // namespace

MajorityRepair::MajorityRepair(Layout &layout, const Instance &instance) noexcept
    : instance_(&instance),
      gains_(layout.take<double>(saturating_product(static_cast<std::size_t>(instance.columns),
                                                    static_cast<std::size_t>(instance.columns)))),
      movers_(layout.take<std::int32_t>(saturating_product(
          static_cast<std::size_t>(instance.columns), static_cast<std::size_t>(instance.columns)))),
      chains_(layout.take<double>(saturating_product(static_cast<std::size_t>(instance.columns),
                                                     static_cast<std::size_t>(instance.columns)))),
      next_(layout.take<std::int32_t>(saturating_product(
          static_cast<std::size_t>(instance.columns), static_cast<std::size_t>(instance.columns)))),
      walk_(layout.take<std::int32_t>(2 * static_cast<std::size_t>(instance.columns) + 1)),
      place_(layout.take<std::int32_t>(instance.columns)), length_(0),
      counted_(counted_columns(instance.potential)), alpha_(0), weights_(nullptr), x_(nullptr),
      counts_(nullptr) {}

bool MajorityRepair::restore(gsl::span<const double> level_of, Limits &limits) noexcept {
  const double *levels = level_of.data();
  for (;;) {
    std::int32_t fullest = alpha_;
    for (std::int32_t v = 0; v < counted_; ++v)
      fullest = counts_[v] > counts_[fullest] ? v : fullest;
    if (fullest == alpha_)
      return true;
    double least = kInfinity;
    std::int32_t who = -1;
    std::int32_t where = -1;
    Pace pace(limits, 4 + 4 * instance_->columns, instance_->members);
    for (std::int32_t i = 0; i < instance_->members; ++i) {
      if (!pace.next())
        return false;
      if (x_[i] != fullest)
        continue;
      const double own = instance_->score(i, fullest) + levels[fullest];
      for (std::int32_t v = 0; v < instance_->columns; ++v) {
        const bool has_room = v == alpha_ || v >= counted_ || counts_[v] < counts_[alpha_];
        const double loss = own - (instance_->score(i, v) + levels[v]);
        if (has_room && v != fullest && loss < least) {
          least = loss;
          who = i;
          where = v;
        }
      }
    }
    if (who < 0)
      return false;
    move(who, where);
  }
}

void MajorityRepair::collect_gains() noexcept {
  const std::int64_t K = instance_->columns;
  in_stretches(*instance_, K * K, 1, [&](std::int64_t begin, std::int64_t end) {
    std::fill(gains_ + begin, gains_ + end, kForbidden);
  });
  Pace pace(*instance_, 8 + 4 * K, instance_->members);
  for (std::int32_t i = 0; i < instance_->members && pace.next(); ++i) {
    const std::int32_t u = x_[i];
    const double own = instance_->score(i, u) + weights_[u];
    for (std::int32_t v = 0; v < K; ++v) {
      const double gain = (instance_->score(i, v) + weights_[v]) - own;
      if (gain > gains_[u * K + v]) {
        gains_[u * K + v] = gain;
        movers_[u * K + v] = i;
      }
    }
  }
}

// True if alpha remains the majority when column `from` loses a member and column `to` gains one.
// `fullest`: the highest count of the other counted columns.
bool MajorityRepair::may_shift(std::int32_t from, std::int32_t to,
                               std::int32_t fullest) const noexcept {
  if (from == to || to == alpha_)
    return true;
  const std::int32_t limit = counts_[alpha_] - (from == alpha_ ? 1 : 0);
  return fullest <= limit && (to >= counted_ || counts_[to] < limit) && limit > 0;
}

// Finds the best chain of moves from each column to each other one, by the Floyd-Warshall algorithm
// on gains_. A *rotation* is a chain that ends at its first column; it changes no counts. Stops at
// the first rotation that gains more than `least`. Then returns its first column u and sets *over
// to a column w such that the rotation consists of the best chains from u to w and from w to u.
// Returns -1 if there is no such rotation.
std::int32_t MajorityRepair::link(double least, std::int32_t *over, Limits &limits) noexcept {
  const std::int32_t K = instance_->columns;
  for (std::int64_t u = 0; u < K; ++u) {
    if (!limits.spend(2 * std::int64_t{K}))
      return -1;
    std::copy_n(gains_ + u * K, K, chains_ + u * K);
    for (std::int32_t v = 0; v < K; ++v)
      next_[u * K + v] = v;
  }
  for (std::int32_t w = 0; w < K; ++w) {
    for (std::int32_t u = 0; u < K; ++u) {
      if (!limits.spend(8 + 2 * std::int64_t{K}))
        return -1;
      double *row = chains_ + std::int64_t{u} * K;
      const double first = row[w];
      if (u == w || first == kForbidden)
        continue;
      if (first + chains_[std::int64_t{w} * K + u] > least) {
        *over = w;
        return u;
      }
      for (std::int32_t v = 0; v < K; ++v) {
        const double gain = first + chains_[std::int64_t{w} * K + v];
        if (v != u && v != w && gain > row[v] + least) {
          row[v] = gain;
          next_[std::int64_t{u} * K + v] = next_[std::int64_t{u} * K + w];
        }
      }
    }
  }
  return -1;
}

// Appends to walk_ the columns of the best chain from `from` to `to`, without the first column.
void MajorityRepair::walk(std::int32_t from, std::int32_t to) noexcept {
  const std::int64_t K = instance_->columns;
  for (std::int32_t steps = 0; from != to && steps < instance_->columns; ++steps) {
    from = next_[from * K + to];
    walk_[length_++] = from;
  }
}

// Makes the moves along walk_, a sequence of columns. If walk_ visits a column twice, the part
// between the visits is a rotation: if the rotation gains more than `least`, only its moves are
// made; otherwise it is left out. Returns false and makes no move if the moves that remain gain at
// most `least`.
bool MajorityRepair::follow(double least) noexcept {
  const std::int64_t K = instance_->columns;
  std::int32_t begin = 0;
  std::int32_t end = 0;
  std::fill(place_, place_ + K, -1);
  for (std::int32_t j = 0; j < length_; ++j) {
    const std::int32_t v = walk_[j];
    if (place_[v] >= 0 && !(place_[v] == 0 && j == length_ - 1)) {
      double gain = 0;
      for (std::int32_t k = place_[v]; k < end; ++k)
        gain += gains_[walk_[k] * K + (k + 1 < end ? walk_[k + 1] : v)];
      if (gain > least) {
        begin = place_[v];
        walk_[end++] = v;
        break;
      }
      for (std::int32_t k = place_[v] + 1; k < end; ++k)
        place_[walk_[k]] = -1;
      end = place_[v] + 1;
      continue;
    }
    place_[v] = place_[v] < 0 ? end : place_[v];
    walk_[end++] = v;
  }
  double gain = 0;
  for (std::int32_t k = begin; k + 1 < end; ++k)
    gain += gains_[walk_[k] * K + walk_[k + 1]];
  if (!(gain > least))
    return false;
  // movers_ was filled before these moves and stays valid, since each column loses only one member.
  for (std::int32_t k = begin; k + 1 < end; ++k)
    move(movers_[walk_[k] * K + walk_[k + 1]], walk_[k + 1]);
  return true;
}

// Makes a chain of moves that raises the score: the first rotation that link() finds, or else the
// best chain that keeps alpha the majority. False if there is no such chain, or if interrupted.
bool MajorityRepair::climb(Limits &limits) noexcept {
  const std::int32_t K = instance_->columns;
  collect_gains();
  std::int32_t fullest = 0;
  for (std::int32_t v = 0; v < counted_; ++v)
    if (v != alpha_)
      fullest = std::max(fullest, counts_[v]);
  // A chain leaves each column at most once, so no chain gains more than this sum.
  double most = 0;
  for (std::int64_t u = 0; u < K && limits.spend(K); ++u)
    most += std::max(0.0, *std::max_element(gains_ + u * K, gains_ + (u + 1) * K));
  const double least = kRepairRounding * most;
  std::int32_t over = -1;
  std::int32_t from = link(least, &over, limits);
  std::int32_t to = from;
  if (limits.interruption() != Interruption::none || instance_->interrupted())
    return false;
  double best = least;
  if (from < 0)
    for (std::int32_t u = 0; u < K; ++u) {
      if (!limits.spend(2 * std::int64_t{K}))
        return false;
      for (std::int32_t v = 0; v < K; ++v) {
        const double gain = chains_[std::int64_t{u} * K + v];
        if (u != v && gain > best && may_shift(u, v, fullest)) {
          best = gain;
          from = u;
          to = v;
        }
      }
    }
  if (from < 0)
    return false;
  walk_[0] = from;
  length_ = 1;
  if (over >= 0)
    walk(from, over);
  walk(over >= 0 ? over : from, to);
  return follow(least);
}

bool MajorityRepair::run(std::int32_t alpha, gsl::span<const double> levels,
                         gsl::span<std::int32_t> x, gsl::span<std::int32_t> counts,
                         Limits &limits) noexcept {
  alpha_ = alpha;
  weights_ = instance_->potential.weights + std::int64_t{alpha} * instance_->columns;
  x_ = x.data();
  counts_ = counts.data();
  if (!restore(levels, limits) || instance_->interrupted())
    return false;
  while (climb(limits)) {
  }
  return true;
}

} // namespace chorale
