// pass_bounds.hpp explains the words used here.
#include "clique/passes/pass_bounds.hpp"

#include "base/cpu.hpp"
#include "base/sort.hpp"

#include <algorithm>
#include <cmath>

namespace chorale {
namespace {

// Steps announced to the limits for each column, in loops that read several arrays and a table.
constexpr std::int64_t kColumnWork = 4 * Limits::kScattered;

} // namespace

PassBounds::PassBounds(Layout &layout, const Instance &instance) noexcept
    : instance_(&instance), slopes_(layout.take<double>(instance.columns)),
      excess_(layout.take<double>(std::int64_t{instance.columns} * kThresholds)),
      above_(layout.take<double>(instance.columns)),
      bounds_(layout.take<double>(instance.columns)),
      counts_(layout.take_span<std::int32_t>(instance.columns)),
      order_(layout.take<std::int32_t>(instance.columns)),
      first_(layout.take<std::int32_t>(instance.columns)),
      next_(layout.take<std::int32_t>(instance.members)) {}

bool PassBounds::run() noexcept {
  return on_best_units([this]() CHORALE_INLINE_LAMBDA { return bound_all(); }) &&
         sort_within(*instance_, order_, instance_->columns,
                     [bounds = bounds_](std::int32_t a, std::int32_t b) {
                       return bounds[a] > bounds[b] || (bounds[a] == bounds[b] && a < b);
                     });
}

CHORALE_INLINE bool PassBounds::bound_all() noexcept {
  const Instance &in = *instance_;
  if (!in.count(in.by_member(in.best), counts_))
    return false;
  defaults_ = 0;
  potential_ = 0;
  double magnitude = 0;
  // The thresholds are placed evenly between `low` and `high`, the range of d_i = psi_i,alpha - w_i
  // that matters for any alpha. Let s = f_alpha(n) - f_alpha(n - 1), the greatest step of the
  // table. Giving alpha to a member with d_i < -s would only lower the bound: this gives `low`.
  // Unless alpha is the best column of member i, d_i is at most minus the slope that w_i contains:
  // this gives `high`.
  double low = 0;
  double high = 0;
  if (!in_stretches(in, in.columns, kColumnWork, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t v = begin; v < end; ++v) {
          const double *f = in.potential.tables[v];
          const std::int32_t c = counts_.data()[v];
          // With c_v = 0 the slope is the table's first step: v may still be the default column of
          // members whose best column is alpha.
          slopes_[v] = c > 0 ? (f[c] - f[0]) / c : f[1] - f[0];
          potential_ += f[c];
          magnitude += std::fabs(f[0]) + std::fabs(f[c]) + std::fabs(f[in.members]);
          low = std::min(low, f[in.members - 1] - f[in.members]);
          high = std::max(high, -slopes_[v]);
          first_[v] = -1;
          order_[v] = static_cast<std::int32_t>(v);
        }
      }))
    return false;
  const double spacing = (high - low) / kThresholds;
  per_spacing_ = spacing > 0 ? 1 / spacing : 0.0;
  for (int j = 0; j < kThresholds; ++j)
    thresholds_[j] = high - spacing * (j + 0.5);
  if (!add_members(&magnitude))
    return false;
  slack_ = 1e-15 * (16 + in.members) * (magnitude + in.members * (high - low));
  for (std::int32_t alpha = 0; alpha < in.columns; ++alpha) {
    if (!in.spend(kColumnWork + 8 * std::int64_t{counts_.data()[alpha]}))
      return false;
    bounds_[alpha] = bound_of(alpha);
  }
  return true;
}

// Computes excess_ (as sum_i max(d_i, t) - n t, which saves an operation), defaults_ and the lists
// of members by best column. Adds the magnitudes of the best scores to *magnitude. False if
// interrupted.
CHORALE_INLINE bool PassBounds::add_members(double *magnitude) noexcept {
  const Instance &in = *instance_;
  const std::int64_t K = in.columns;
  double *const above = above_;
  for (int j = 0; j < kThresholds; ++j)
    std::fill_n(excess_ + j * K, K, -static_cast<double>(in.members) * thresholds_[j]);
  const auto add = [&](std::int64_t begin, std::int64_t end) CHORALE_INLINE_LAMBDA {
    for (auto i = static_cast<std::int32_t>(end - 1); i >= begin; --i) {
      const std::int32_t best = in.best[i];
      const std::int32_t second = in.second[i];
      const double *row = in.row(i);
      const double w = in.best_score[i] + slopes_[best];
      for (std::int64_t v = 0; v < K; ++v)
        above[v] = row[v] - w;
      // In the pass of its best column, the member's default column is its second-best one. A member
      // without one has alpha in all labellings.
      above[best] = second < 0 ? kForbidden
                               : in.best_score[i] - (in.second_score[i] + slopes_[second]);
      for (int j = 0; j < kThresholds; ++j) {
        double *const excess = excess_ + j * K;
        const double t = thresholds_[j];
        for (std::int64_t v = 0; v < K; ++v)
          excess[v] += above[v] > t ? above[v] : t;
      }
      defaults_ += in.best_score[i];
      *magnitude += std::fabs(in.best_score[i]);
      next_[i] = first_[best];
      first_[best] = i;
    }
  };
  return in_stretches(in, in.members, kThresholds * K, add);
}

// Returns the bound of the pass of alpha. Line j is k thresholds_[j] plus its excess. Since the
// thresholds are evenly spaced, lines j and j + 1 cross at k = (excess of j + 1 - excess of j) /
// spacing. Between its crossings with line j - 1 and with line j + 1, line j is the lowest; f_alpha
// plus line j is evaluated at both ends of this range. Crossings that are wrong by rounding do no
// harm, since every line is an upper bound at every k.
CHORALE_INLINE double PassBounds::bound_of(std::int32_t alpha) noexcept {
  const Instance &in = *instance_;
  std::int32_t *const counts = counts_.data();
  // The terms of the bound (pass_bounds.hpp) that do not depend on k. They begin with all members at
  // their best column; those whose best column is alpha then go to their second-best one, or stay at
  // alpha (`forced`) if they have none.
  double base = defaults_ + (potential_ - in.potential.tables[alpha][counts[alpha]]);
  std::int32_t forced = 0;
  for (std::int32_t i = first_[alpha]; i >= 0; i = next_[i])
    if (const std::int32_t other = in.second[i]; other >= 0) {
      const double *f = in.potential.tables[other] + counts[other]++;
      base += (f[1] - f[0]) - (in.best_score[i] - in.second_score[i]);
    } else {
      ++forced;
    }
  for (std::int32_t i = first_[alpha]; i >= 0; i = next_[i])
    if (in.second[i] >= 0)
      --counts[in.second[i]];

  const double *f = in.potential.tables[alpha] + forced;
  const std::int32_t most = in.members - forced;
  const double *excess = excess_ + alpha;
  double best = kForbidden;
  std::int32_t from = 0;
  for (int j = 0; j < kThresholds; ++j, excess += in.columns) {
    std::int32_t to = most;
    if (j + 1 < kThresholds)
      to = static_cast<std::int32_t>(
          std::clamp((excess[in.columns] - excess[0]) * per_spacing_, 0.0, double(most)));
    best = std::max({best, excess[0] + from * thresholds_[j] + f[from],
                     excess[0] + to * thresholds_[j] + f[to]});
    from = std::min(to + 1, most);
  }
  return base + slack_ + best;
}

} // namespace chorale
