#include "clique/majority_repair.hpp"

#include "clique/majority.hpp"

#include <algorithm>
#include <cmath>

namespace chorale {
namespace {

// What adds less than this fraction of the largest gain at stake is rounding.
constexpr double kRounding = 1e-12;

} // namespace

MajorityRepair::MajorityRepair(Layout &layout, const Instance &instance) noexcept
    : instance_(&instance),
      gains_(layout.take<double>(saturating_product(static_cast<std::size_t>(instance.columns),
                                                    static_cast<std::size_t>(instance.columns)))),
      movers_(layout.take<std::int32_t>(saturating_product(
          static_cast<std::size_t>(instance.columns), static_cast<std::size_t>(instance.columns)))),
      counted_(counted_columns(instance.potential)), alpha_(0), weights_(nullptr), x_(nullptr),
      counts_(nullptr) {}

bool MajorityRepair::restore(const double *levels, Limits &limits) noexcept {
  for (;;) {
    std::int32_t fullest = alpha_;
    for (std::int32_t v = 0; v < counted_; ++v)
      fullest = counts_[v] > counts_[fullest] ? v : fullest;
    if (fullest == alpha_)
      return true;
    if (limits.check() != Interruption::none)
      return false;
    double least = kInfinity;
    std::int32_t who = -1;
    std::int32_t where = -1;
    for (std::int32_t i = 0; i < instance_->members; ++i) {
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
  std::fill(gains_, gains_ + K * K, kForbidden);
  for (std::int32_t i = 0; i < instance_->members; ++i) {
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

// Whether alpha stays the majority when one member leaves `from` and one comes to `to`; `fullest`
// is the highest count of the other counted columns.
bool MajorityRepair::may_shift(std::int32_t from, std::int32_t to,
                               std::int32_t fullest) const noexcept {
  if (from == to || to == alpha_)
    return true;
  const std::int32_t limit = counts_[alpha_] - (from == alpha_ ? 1 : 0);
  return fullest <= limit && (to >= counted_ || counts_[to] < limit) && limit > 0;
}

// Makes the best move; false where none adds to the score.
bool MajorityRepair::climb(Limits &limits) noexcept {
  const std::int64_t K = instance_->columns;
  collect_gains();
  std::int32_t fullest = 0;
  for (std::int32_t v = 0; v < counted_; ++v)
    if (v != alpha_)
      fullest = std::max(fullest, counts_[v]);
  double best = 0;
  for (std::int64_t j = 0; j < K * K; ++j)
    if (gains_[j] > kForbidden)
      best = std::max(best, kRounding * std::fabs(gains_[j]));
  std::int32_t from = -1;
  std::int32_t over = -1; // -1: one member moves
  std::int32_t to = -1;
  for (std::int32_t u = 0; u < K; ++u) {
    if (limits.check() != Interruption::none)
      return false;
    for (std::int32_t v = 0; v < K; ++v) {
      if (!may_shift(u, v, fullest))
        continue;
      for (std::int32_t w = 0; w < K; ++w) {
        // A member stays in its column at no gain, so w = u is the move of one member.
        if (w == v)
          continue;
        const double gain = w == u ? gains_[u * K + v] : gains_[u * K + w] + gains_[w * K + v];
        if (gain > best) {
          best = gain;
          from = u;
          over = w == u ? -1 : w;
          to = v;
        }
      }
    }
  }
  if (from < 0)
    return false;
  if (over < 0) {
    move(movers_[from * K + to], to);
  } else {
    const std::int32_t second = movers_[over * K + to];
    move(movers_[from * K + over], over);
    move(second, to);
  }
  return true;
}

bool MajorityRepair::run(std::int32_t alpha, const double *levels, std::int32_t *x,
                         std::int32_t *counts, Limits &limits) noexcept {
  alpha_ = alpha;
  weights_ = instance_->potential.weights + std::int64_t{alpha} * instance_->columns;
  x_ = x;
  counts_ = counts;
  if (!restore(levels, limits))
    return false;
  while (climb(limits)) {
  }
  return true;
}

} // namespace chorale
