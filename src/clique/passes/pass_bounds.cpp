// pass_bounds.hpp explains the words used here.
#include "clique/passes/pass_bounds.hpp"

#include "base/cpu.hpp"
#include "base/lanes.hpp"
#include "base/sort.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace chorale {
namespace {

// Number of vectors of columns in one loop over the members. The sums of two vectors fit in the
// registers.
constexpr int kPassVectors = 2;

// Steps announced to the limits for each column, in loops that read several arrays and a table.
constexpr std::int64_t kColumnWork = 2 * Limits::kScattered;

// Writes sum_i max(d_i - t, 0) to `excess` for every column v and threshold t, with d_i = psi_iv -
// weights[i]. Computes it as sum_i max(d_i, t) - n t, which saves one operation. `excess`: K rows
// of kPadded entries, by threshold. False if interrupted.
template <int kThresholds, int kPadded>
CHORALE_INLINE bool add_excesses(const Instance &in, const double *weights,
                                 const double *thresholds, double *excess) noexcept {
  const std::int64_t columns = in.columns;
  std::int64_t v = 0;
  for (; v + kPassVectors * kLanes <= columns; v += kPassVectors * kLanes) {
    Lanes sums[kPassVectors][kThresholds] = {};
    Lanes at[kThresholds] = {};
    for (int j = 0; j < kThresholds; ++j)
      at[j] = Lanes{} + thresholds[j];
    const auto add = [&](std::int64_t begin, std::int64_t end) CHORALE_INLINE_LAMBDA {
      const double *row = in.row(begin) + v;
      for (std::int64_t i = begin; i < end; ++i, row += columns) {
        const double w = weights[i];
        for (int b = 0; b < kPassVectors; ++b) {
          Lanes score;
          std::memcpy(&score, row + b * kLanes, sizeof score);
          score -= Lanes{w, w, w, w};
          for (int j = 0; j < kThresholds; ++j)
            sums[b][j] += score > at[j] ? score : at[j];
        }
      }
    };
    if (!in_stretches(in, in.members, 4 * kPassVectors * kThresholds, add))
      return false;
    for (int j = 0; j < kThresholds; ++j) {
      const double common = static_cast<double>(in.members) * thresholds[j];
      for (int b = 0; b < kPassVectors; ++b) {
        const Lanes sum = sums[b][j] - common;
        for (int lane = 0; lane < kLanes; ++lane)
          excess[(v + b * kLanes + lane) * kPadded + j] = sum[lane];
      }
    }
  }
  for (; v < columns; ++v) {
    double sums[kThresholds] = {};
    const auto add = [&](std::int64_t begin, std::int64_t end) CHORALE_INLINE_LAMBDA {
      const double *row = in.row(begin) + v;
      for (std::int64_t i = begin; i < end; ++i, row += columns)
        for (int j = 0; j < kThresholds; ++j)
          sums[j] += std::max(*row - weights[i], thresholds[j]);
    };
    if (!in_stretches(in, in.members, 2 * kThresholds, add))
      return false;
    for (int j = 0; j < kThresholds; ++j)
      excess[v * kPadded + j] = sums[j] - static_cast<double>(in.members) * thresholds[j];
  }
  return true;
}

} // namespace

PassBounds::PassBounds(Layout &layout, const Instance &instance) noexcept
    : instance_(&instance), weights_(layout.take<double>(instance.members)),
      slopes_(layout.take<double>(instance.columns)),
      excess_(layout.take<double>(std::int64_t{instance.columns} * kPadded)),
      bounds_(layout.take<double>(instance.columns)),
      counts_(layout.take<std::int32_t>(instance.columns)),
      order_(layout.take<std::int32_t>(instance.columns)),
      bases_(layout.take<double>(instance.columns)),
      forced_(layout.take<std::int32_t>(instance.columns)),
      moved_to_(layout.take<Moved>(instance.columns)),
      by_best_(layout.take<std::int32_t>(instance.members)) {}

// Line j is k thresholds_[j] + excess[j]. Since the thresholds are evenly spaced, lines j and j + 1
// cross at k = (excess[j + 1] - excess[j]) / spacing. Between its crossings with line j - 1 and
// with line j + 1, line j is the lowest; f plus line j is evaluated at both ends of this range.
// Crossings that are wrong by rounding do no harm, since every line is an upper bound at every k.
CHORALE_INLINE double PassBounds::highest(const Lanes *excess, const double *f,
                                          std::int32_t most) const noexcept {
  using Counts = std::int32_t __attribute__((vector_size(kLanes * sizeof(std::int32_t))));
  static_assert(kThresholds == 6 && kPadded == 8);
  const Lanes end = Lanes{} + static_cast<double>(most);
  const Lanes next[] = {__builtin_shufflevector(excess[0], excess[1], 1, 2, 3, 4),
                        __builtin_shufflevector(excess[1], excess[1], 1, 1, 1, 1)};
  std::int32_t last[kPadded];  // the last k at which each line is evaluated
  std::int32_t first[kPadded]; // the first k at which line j + 1 is evaluated
  for (int b = 0; b < 2; ++b) {
    Lanes crossing = (next[b] - excess[b]) * per_spacing_;
    crossing = crossing > Lanes{} ? crossing : Lanes{};
    crossing = crossing < end ? crossing : end;
    const Counts whole = __builtin_convertvector(crossing, Counts);
    const Counts after = whole < most ? whole + 1 : whole;
    std::memcpy(last + b * kLanes, &whole, sizeof whole);
    std::memcpy(first + b * kLanes, &after, sizeof after);
  }
  last[kThresholds - 1] = most;
  Lanes best = Lanes{} + kForbidden;
  const auto raise = [&](int b, std::int32_t k0, std::int32_t k1, std::int32_t k2,
                         std::int32_t k3) CHORALE_INLINE_LAMBDA {
    Lanes threshold;
    std::memcpy(&threshold, thresholds_ + b * kLanes, sizeof threshold);
    const Counts k = {k0, k1, k2, k3};
    const Lanes reached = Lanes{f[k0], f[k1], f[k2], f[k3]} +
                          __builtin_convertvector(k, Lanes) * threshold + excess[b];
    best = best > reached ? best : reached;
  };
  raise(0, 0, first[0], first[1], first[2]);
  raise(0, last[0], last[1], last[2], last[3]);
  raise(1, first[3], first[4], first[3], first[4]);
  raise(1, last[4], last[5], last[4], last[5]);
  const double even = best[0] > best[2] ? best[0] : best[2];
  const double odd = best[1] > best[3] ? best[1] : best[3];
  return even > odd ? even : odd;
}

// Corrects the sums of add_excesses() for members whose best column is alpha. In the pass of alpha,
// their default column is their second-best column, if any, but add_excesses() has taken the best.
// Also computes bases_ and forced_. False if interrupted.
CHORALE_INLINE bool PassBounds::add_seconds() noexcept {
  const Instance &in = *instance_;
  constexpr int vectors = kPadded / kLanes;
  const Lanes zero{};
  Lanes at[vectors];
  std::memcpy(at, thresholds_, sizeof at);
  const auto begin_columns = [&](std::int64_t begin, std::int64_t end) CHORALE_INLINE_LAMBDA {
    for (std::int64_t v = begin; v < end; ++v) {
      bases_[v] = defaults_ + (potential_ - in.potential.tables[v][counts_[v]]);
      forced_[v] = 0;
      moved_to_[v] = {-1, 0};
      // Removes the terms of the counts_[v] members whose best column is v: for them d_i = -slope.
      for (int b = 0; b < vectors; ++b) {
        double *excess = excess_ + v * kPadded + b * kLanes;
        const Lanes above = -slopes_[v] - at[b];
        Lanes sum;
        std::memcpy(&sum, excess, sizeof sum);
        sum -= (above > zero ? above : zero) * static_cast<double>(counts_[v]);
        std::memcpy(excess, &sum, sizeof sum);
      }
    }
  };
  // Writes to rises[i] how much the table of the second-best column rises when member i joins it
  // after the earlier members with the same best column; by_best_ groups these members.
  double *rises = weights_;
  const auto note_rises = [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t p = begin; p < end; ++p) {
      const std::int32_t i = by_best_[p];
      const std::int32_t alpha = in.best[i];
      const std::int32_t other = in.second[i];
      if (other < 0)
        continue;
      Moved &moved = moved_to_[other];
      const std::int32_t before = counts_[other];
      moved.count = 1 + (moved.alpha == alpha ? moved.count : before);
      moved.alpha = alpha;
      const double *f = in.potential.tables[other] + moved.count;
      rises[i] = f[0] - f[-1];
    }
  };
  const auto add = [&](std::int64_t begin, std::int64_t end) CHORALE_INLINE_LAMBDA {
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t alpha = in.best[i];
      const std::int32_t other = in.second[i];
      if (other < 0) {
        ++forced_[alpha];
        continue;
      }
      const double gain = in.best_score[i] - in.second_score[i];
      bases_[alpha] += rises[i] - gain;
      const double above_slope = gain - slopes_[other];
      for (int b = 0; b < vectors; ++b) {
        double *excess = excess_ + alpha * kPadded + b * kLanes;
        const Lanes above = above_slope - at[b];
        Lanes sum;
        std::memcpy(&sum, excess, sizeof sum);
        sum += above > zero ? above : zero;
        std::memcpy(excess, &sum, sizeof sum);
      }
    }
  };
  return in_stretches(in, in.columns, kColumnWork, begin_columns) &&
         in_stretches(in, in.members, 16, note_rises) &&
         in_stretches(in, in.members, 8 * kThresholds, add);
}

CHORALE_INLINE double PassBounds::bound_of(std::int32_t alpha) const noexcept {
  const Instance &in = *instance_;
  Lanes excess[kPadded / kLanes];
  std::memcpy(excess, excess_ + std::int64_t{alpha} * kPadded, sizeof excess);
  excess[1] = __builtin_shufflevector(excess[1], Lanes{} + kForbidden, 0, 1, 6, 7);
  return bases_[alpha] + slack_ +
         highest(excess, in.potential.tables[alpha] + forced_[alpha],
                 in.members - forced_[alpha]);
}

CHORALE_INLINE bool PassBounds::prepare_members() noexcept {
  const Instance &in = *instance_;
  if (!in.count(in.by_member(in.best), in.by_column(counts_)))
    return false;
  std::int32_t *at = forced_; // K: index in by_best_ of the next member of each column
  std::int32_t begin_of = 0;
  if (!in_stretches(in, in.columns, 2, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t v = begin; v < end; ++v) {
          at[v] = begin_of;
          begin_of += counts_[v];
        }
      }))
    return false;
  Lanes sums{};
  Lanes magnitudes{};
  defaults_ = 0;
  double magnitude = 0;
  if (!in_stretches(in, in.members, 8, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i)
          by_best_[at[in.best[i]]++] = static_cast<std::int32_t>(i);
        std::int64_t i = begin;
        for (; i + kLanes <= end; i += kLanes) {
          Lanes score;
          std::memcpy(&score, in.best_score + i, sizeof score);
          sums += score;
          magnitudes += score > Lanes{} ? score : -score;
        }
        for (; i < end; ++i) {
          defaults_ += in.best_score[i];
          magnitude += std::fabs(in.best_score[i]);
        }
      }))
    return false;
  potential_ = 0;
  for (int lane = 0; lane < kLanes; ++lane) {
    defaults_ += sums[lane];
    magnitude += magnitudes[lane];
  }
  if (!in_stretches(in, in.columns, kColumnWork, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t v = begin; v < end; ++v) {
          const double *f = in.potential.tables[v];
          const std::int32_t c = counts_[v];
          // With c_v = 0 the slope is the table's first step: v may still be the default column of
          // members whose best column is alpha.
          slopes_[v] = c > 0 ? (f[c] - f[0]) / c : f[1] - f[0];
          potential_ += f[c];
          magnitude += std::fabs(f[0]) + std::fabs(f[c]) + std::fabs(f[in.members]);
        }
      }))
    return false;
  slack_ = 1e-15 * (16 + in.members) * magnitude;
  return in_stretches(in, in.members, 4, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i)
      weights_[i] = in.best_score[i] + slopes_[in.best[i]];
  });
}

CHORALE_INLINE bool PassBounds::bound_all() noexcept {
  const Instance &in = *instance_;
  if (!prepare_members())
    return false;
  if (!place_thresholds() ||
      !add_excesses<kThresholds, kPadded>(in, weights_, thresholds_, excess_) || !add_seconds())
    return false;
  return in_stretches(in, in.columns, kColumnWork,
                      [&](std::int64_t begin, std::int64_t end) CHORALE_INLINE_LAMBDA {
                        for (std::int64_t alpha = begin; alpha < end; ++alpha) {
                          order_[alpha] = static_cast<std::int32_t>(alpha);
                          bounds_[alpha] = bound_of(order_[alpha]);
                        }
                      });
}

bool PassBounds::run() noexcept {
  return on_best_units([this]() CHORALE_INLINE_LAMBDA { return bound_all(); }) &&
         sort_within(*instance_, order_, instance_->columns,
                     [bounds = bounds_](std::int32_t a, std::int32_t b) {
                       return bounds[a] > bounds[b] || (bounds[a] == bounds[b] && a < b);
                     });
}

// Places the thresholds evenly between `low` and `high`, the range of d_i = psi_i,alpha - w_i that
// matters for any alpha, and computes per_spacing_. Let s = f_alpha(n) - f_alpha(n - 1), the
// greatest step of the table f_alpha. The best labelling of the pass does not give alpha to a
// member with d_i < -s: this gives `low`. Unless alpha is the best column of member i, d_i is at
// most minus the slope that w_i contains: this gives `high`. False if interrupted.
bool PassBounds::place_thresholds() noexcept {
  const Instance &in = *instance_;
  double low = 0;
  double high = 0;
  if (!in_stretches(in, in.columns, kColumnWork, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t v = begin; v < end; ++v) {
          const double *f = in.potential.tables[v];
          low = std::min(low, f[in.members - 1] - f[in.members]);
          high = std::max(high, -slopes_[v]);
        }
      }))
    return false;
  for (int j = 0; j < kThresholds; ++j)
    thresholds_[j] = high - (high - low) * (j + 0.5) / kThresholds;
  const double spacing = (high - low) / kThresholds;
  per_spacing_ = spacing > 0 ? 1 / spacing : 0.0;
  slack_ += 1e-15 * (16 + in.members) * in.members * (high - low);
  return true;
}

} // namespace chorale
