#include "clique/passes/pass_bounds.hpp"

#include "base/cpu.hpp"
#include "base/lanes.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace chorale {
namespace {

// Vectors of columns per loop over the members: two keep all their sums in registers.
constexpr int kVectors = 2;

// Computes sum_i max(d_i - t, 0) as sum_i max(d_i, t) - n t, one operation less. `excess`: K x t.
template <int kThresholds>
CHORALE_INLINE bool add_excesses(const Instance &in, const double *weights,
                                 const double *thresholds, double *excess) noexcept {
  const std::int64_t columns = in.columns;
  std::int64_t v = 0;
  for (; v + kVectors * kLanes <= columns; v += kVectors * kLanes) {
    Lanes sums[kVectors][kThresholds] = {};
    Lanes at[kThresholds] = {};
    for (int j = 0; j < kThresholds; ++j)
      at[j] = Lanes{} + thresholds[j];
    const auto add = [&](std::int64_t begin, std::int64_t end) __attribute__((always_inline)) {
      const double *row = in.row(begin) + v;
      for (std::int64_t i = begin; i < end; ++i, row += columns) {
        const double w = weights[i];
        for (int b = 0; b < kVectors; ++b) {
          Lanes score;
          std::memcpy(&score, row + b * kLanes, sizeof score);
          score -= Lanes{w, w, w, w};
          for (int j = 0; j < kThresholds; ++j)
            sums[b][j] += score > at[j] ? score : at[j];
        }
      }
    };
    if (!in_stretches(in, in.members, 4 * kVectors * kThresholds, add))
      return false;
    for (int b = 0; b < kVectors; ++b)
      for (int lane = 0; lane < kLanes; ++lane)
        for (int j = 0; j < kThresholds; ++j)
          excess[(v + b * kLanes + lane) * kThresholds + j] =
              sums[b][j][lane] - static_cast<double>(in.members) * thresholds[j];
  }
  for (; v < columns; ++v) {
    double sums[kThresholds] = {};
    const auto add = [&](std::int64_t begin, std::int64_t end) __attribute__((always_inline)) {
      const double *row = in.row(begin) + v;
      for (std::int64_t i = begin; i < end; ++i, row += columns)
        for (int j = 0; j < kThresholds; ++j)
          sums[j] += std::max(*row - weights[i], thresholds[j]);
    };
    if (!in_stretches(in, in.members, 2 * kThresholds, add))
      return false;
    for (int j = 0; j < kThresholds; ++j)
      excess[v * kThresholds + j] = sums[j] - static_cast<double>(in.members) * thresholds[j];
  }
  return true;
}

} // namespace

PassBounds::PassBounds(Layout &layout, const Instance &instance) noexcept
    : instance_(&instance), weights_(layout.take<double>(instance.members)),
      slopes_(layout.take<double>(instance.columns)),
      excess_(layout.take<double>(std::int64_t{instance.columns} * kThresholds)),
      bounds_(layout.take<double>(instance.columns)),
      counts_(layout.take<std::int32_t>(instance.columns)),
      order_(layout.take<std::int32_t>(instance.columns)),
      first_(layout.take<std::int32_t>(instance.columns)),
      next_(layout.take<std::int32_t>(instance.members)) {}

CHORALE_INLINE double PassBounds::bound_of(std::int32_t alpha) noexcept {
  const Instance &in = *instance_;
  double *excess = excess_ + std::int64_t{alpha} * kThresholds;
  double member_score = defaults_;
  double others = potential_ - in.potential.tables[alpha][counts_[alpha]];
  // The default of a member whose best column is alpha is its second-best column, if it has one.
  std::int32_t forced = 0;
  Pace pace(in, 8 * kThresholds, counts_[alpha]);
  for (std::int32_t i = first_[alpha]; i >= 0; i = next_[i]) {
    if (!pace.next())
      return kInfinity;
    const double own = in.best_score[i];
    for (int j = 0; j < kThresholds; ++j)
      excess[j] -= std::max(own - weights_[i] - thresholds_[j], 0.0);
    const std::int32_t other = in.second[i];
    if (other < 0) {
      ++forced;
      continue;
    }
    const double at_other = in.second_score[i];
    member_score += at_other - own;
    others +=
        in.potential.tables[other][counts_[other] + 1] - in.potential.tables[other][counts_[other]];
    ++counts_[other];
    for (int j = 0; j < kThresholds; ++j)
      excess[j] += std::max(own - at_other - slopes_[other] - thresholds_[j], 0.0);
  }
  Pace back(in, 8, counts_[alpha]);
  for (std::int32_t i = first_[alpha]; i >= 0; i = next_[i]) {
    if (!back.next())
      return kInfinity;
    if (in.second[i] >= 0)
      --counts_[in.second[i]];
  }

  const double *f = in.potential.tables[alpha] + forced;
  const double most = in.members - forced;
  double best = kForbidden;
  double begin = 0;
  for (int j = 0; j < kThresholds; ++j) {
    // `end`: the k from which the line of the next threshold is the lower one.
    const double end =
        j + 1 == kThresholds || !(thresholds_[j] > thresholds_[j + 1])
            ? most
            : std::clamp((excess[j + 1] - excess[j]) / (thresholds_[j] - thresholds_[j + 1]), begin,
                         most);
    for (const double k : {std::floor(begin), std::ceil(end)})
      best = std::max(best, f[static_cast<std::int64_t>(k)] + k * thresholds_[j] + excess[j]);
    begin = end;
  }
  return member_score + others + best + slack_;
}

struct PassBounds::Variants {
  CHORALE_INLINE static bool all(PassBounds &bounds) noexcept {
    const Instance &in = *bounds.instance_;
    if (!add_excesses<kThresholds>(in, bounds.weights_, bounds.thresholds_, bounds.excess_))
      return false;
    for (std::int32_t alpha = 0; alpha < in.columns; ++alpha)
      bounds.bounds_[alpha] = bounds.bound_of(alpha);
    return !in.interrupted();
  }
  static bool anywhere(PassBounds &bounds) noexcept { return all(bounds); }
#if CHORALE_HAS_AVX2_VARIANTS
  [[gnu::target("avx2")]] static bool avx2(PassBounds &bounds) noexcept { return all(bounds); }
#endif
};

bool PassBounds::run() noexcept {
  const Instance &in = *instance_;
  if (!prepare_members())
    return false;
  place_thresholds();
  auto all = Variants::anywhere;
#if CHORALE_HAS_AVX2_VARIANTS
  if (has_avx2())
    all = Variants::avx2;
#endif
  if (!all(*this))
    return false;
  for (std::int32_t alpha = 0; alpha < in.columns; ++alpha)
    order_[alpha] = alpha;
  std::sort(order_, order_ + in.columns, [&](std::int32_t a, std::int32_t b) {
    return bounds_[a] > bounds_[b] || (bounds_[a] == bounds_[b] && a < b);
  });
  return true;
}

bool PassBounds::prepare_members() noexcept {
  const Instance &in = *instance_;
  std::fill(counts_, counts_ + in.columns, 0);
  std::fill(first_, first_ + in.columns, -1);
  defaults_ = potential_ = 0;
  double magnitude = 0;
  Pace pace(in, 8, in.members);
  for (std::int32_t i = in.members - 1; i >= 0; --i) {
    if (!pace.next())
      return false;
    const std::int32_t v = in.best[i];
    ++counts_[v];
    next_[i] = first_[v];
    first_[v] = i;
    defaults_ += in.best_score[i];
    magnitude += std::fabs(in.best_score[i]);
  }
  for (std::int32_t v = 0; v < in.columns; ++v) {
    const double *f = in.potential.tables[v];
    const std::int32_t c = counts_[v];
    // A column with c_v = 0 can still become the default of members whose best column is alpha; the
    // slope is then the table's first step.
    slopes_[v] = c > 0 ? (f[c] - f[0]) / c : f[1] - f[0];
    potential_ += f[c];
    magnitude += std::fabs(f[0]) + std::fabs(f[c]) + std::fabs(f[in.members]);
  }
  slack_ = 1e-15 * (16 + in.members) * magnitude;
  return in_stretches(in, in.members, 4, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i)
      weights_[i] = in.best_score[i] + slopes_[in.best[i]];
  });
}

// Spreads the thresholds over the range of d_i = psi_i,alpha - w_i that can matter. low: at an
// optimal k no member with d_i below minus the steepest step of f_alpha takes alpha. high: d_i <=
// -slope unless alpha is member i's best column.
void PassBounds::place_thresholds() noexcept {
  const Instance &in = *instance_;
  double low = 0;
  double high = 0;
  for (std::int32_t v = 0; v < in.columns; ++v) {
    const double *f = in.potential.tables[v];
    low = std::min(low, f[in.members - 1] - f[in.members]);
    high = std::max(high, -slopes_[v]);
  }
  for (int j = 0; j < kThresholds; ++j)
    thresholds_[j] = high - (high - low) * (j + 0.5) / kThresholds;
  slack_ += 1e-15 * (16 + in.members) * in.members * (high - low);
}

} // namespace chorale
