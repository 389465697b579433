// threshold_bounds.hpp explains the words used here.
#include "clique/passes/threshold_bounds.hpp"

#include "base/cpu.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace chorale {

ThresholdBounds::ThresholdBounds(Layout &layout, const Instance &instance) noexcept
    : instance_(&instance), parts_(instance.members / 128 >= instance.columns ? kMany : kFew),
      places_(layout.take<double>(instance.columns)),
      part_(layout.take<std::int32_t>(instance.columns)),
      left_(layout.take<std::int32_t>(
          product_of_counts(instance.columns, std::int64_t{instance.columns} * parts_))),
      sums_(layout.take<double>(product_of_counts(instance.columns, parts_))),
      own_by_alpha_(layout.take<Own>(instance.columns)),
      best_at_(layout.take<std::int32_t>(instance.columns)),
      states_(layout.take<State>(product_of_counts(instance.columns, parts_))),
      others_(layout.take<double>(std::int64_t{parts_})),
      bounds_(layout.take<double>(instance.columns)),
      order_(layout.take<std::int32_t>(instance.columns)) {}

bool ThresholdBounds::run() noexcept {
  const Instance &in = *instance_;
  for (std::int32_t alpha = 0; alpha < in.columns; ++alpha) {
    bounds_[alpha] = kInfinity;
    order_[alpha] = alpha;
  }
  if (!note_defaults())
    return false;
  if (place_thresholds() && !bound_passes())
    return false;
  std::sort(order_, order_ + in.columns, [&](std::int32_t a, std::int32_t b) {
    return bounds_[a] > bounds_[b] || (bounds_[a] == bounds_[b] && a < b);
  });
  return true;
}

bool ThresholdBounds::note_defaults() noexcept {
  const Instance &in = *instance_;
  const std::int64_t K = in.columns;
  std::fill(best_at_, best_at_ + K, 0);
  std::fill(own_by_alpha_, own_by_alpha_ + K, Own{});
  defaults_ = magnitude_ = 0;
  Pace pace(in, 8, in.members);
  for (std::int32_t i = 0; i < in.members; ++i) {
    if (!pace.next())
      return false;
    const std::int64_t v = in.best[i];
    Own &own = own_by_alpha_[v];
    ++best_at_[v];
    defaults_ += in.best_score[i];
    magnitude_ += std::fabs(in.best_score[i]);
    const double gain = in.second[i] < 0 ? 0.0 : in.best_score[i] - in.second_score[i];
    own.gains += gain;
    own.most = std::max(own.most, gain);
  }
  most_ = gains_of_own_ = 0;
  for (std::int64_t v = 0; v < K; ++v) {
    const double *f = in.potential.tables[v];
    magnitude_ += std::fabs(f[0]) + std::fabs(f[best_at_[v]]) + std::fabs(f[in.members]);
    most_ = std::max(most_, own_by_alpha_[v].most);
    gains_of_own_ += own_by_alpha_[v].gains;
  }
  return true;
}

// The lower end of the thresholds is minus the range of table steps: in the best labelling of a
// pass no member with a lower gain has alpha, since no table step outweighs the loss. The upper end
// is twice the mean gain of the members by their best columns, an estimate: bounds are correct for
// any thresholds.
//
// A part is an interval of the bit patterns of places (top_ - gain) as floats. So parts are narrow
// at high gains, where places are small and the counts of default columns change most, and grow
// wider with the place.
bool ThresholdBounds::place_thresholds() noexcept {
  const Instance &in = *instance_;
  const CliquePotential::Steps steps = in.potential.convex_steps();
  lowest_step_ = steps.lowest;
  const double high = 2 * gains_of_own_ / in.members;
  const double low = -steps.range();
  // Largest allowed ratio of gains to the range of the thresholds, for single precision.
  constexpr double farthest = 1e30;
  const double width = high - low;
  if (!(width > 0 && std::fabs(high) < farthest * width && std::fabs(low) < farthest * width &&
        most_ < farthest * width))
    return false;
  const int exponent = std::ilogb(width);
  if (exponent < -1000 || exponent > 1000)
    return false;
  factor_ = std::scalbn(1.0, -exponent);
  const double unit = std::scalbn(1.0, exponent);
  const auto second = static_cast<float>(width / 9 * factor_); // scaled place of thresholds_[1]
  shift_ = parts_ == kMany ? 19 : 21;
  first_bits_ = std::bit_cast<std::int32_t>(second) - (1 << shift_);
  top_ = high + static_cast<double>(second) * unit;
  thresholds_[0] = std::max(most_, 0.0);
  double place = 0;
  for (int j = 1; j < parts_; ++j) {
    place = static_cast<double>(std::bit_cast<float>(first_bits_ + (j << shift_))) * unit;
    thresholds_[j] = top_ - place;
  }
  margin_ = 1e-6 * (place + std::fabs(top_));
  slack_ = 1e-15 * (16 + in.members) *
           (magnitude_ + 4.0 * in.members * (most_ + place + std::fabs(top_)));
  return true;
}

CHORALE_INLINE std::int32_t ThresholdBounds::part_of(double place) const noexcept {
  const auto bits = std::bit_cast<std::int32_t>(static_cast<float>(place * factor_));
  return std::min((std::max(bits, first_bits_) - first_bits_) >> shift_, parts_ - 1);
}

template <int parts> CHORALE_INLINE bool ThresholdBounds::count_members() noexcept {
  const Instance &in = *instance_;
  const std::int64_t K = in.columns;
  double *const places = places_;
  std::int32_t *const part = part_;
  return in_stretches(in, in.members, 4 * K, [&](std::int64_t begin, std::int64_t end)
                                                 CHORALE_INLINE_LAMBDA {
    for (std::int64_t i = begin; i < end; ++i) {
      const double *row = in.row(i);
      const double best = in.best_score[i];
      for (std::int64_t v = 0; v < K; ++v) {
        places[v] = (best - row[v]) + top_;
        part[v] = part_of(places[v]);
      }
      // The default column of a member whose best column is alpha is its second-best one.
      const std::int64_t own = in.best[i];
      const std::int64_t second = in.second[i];
      part[own] = parts - 1;
      std::int32_t *counted = left_ + own * K * parts;
      double *sum = sums_;
      for (std::int64_t alpha = 0; alpha < K; ++alpha, counted += parts, sum += parts) {
        ++counted[part[alpha]];
        sum[part[alpha]] += places[alpha];
      }
      if (second < 0)
        continue;
      const double place = (in.second_score[i] - best) + top_;
      ++left_[(second * K + own) * parts + part_of(place)];
      sums_[own * parts + part_of(place)] += place;
    }
  });
}

template <int parts> bool ThresholdBounds::count_all() noexcept {
  return on_best_units([this]() CHORALE_INLINE_LAMBDA { return count_members<parts>(); });
}

bool ThresholdBounds::bound_passes() noexcept {
  const Instance &in = *instance_;
  const std::int64_t all = std::int64_t{in.columns} * parts_;
  if (!in_stretches(in, in.columns, all, [&](std::int64_t begin, std::int64_t end) {
        std::fill(left_ + begin * all, left_ + end * all, 0);
      }))
    return false;
  std::fill(sums_, sums_ + all, 0.0);
  if (!(parts_ == kFew ? count_all<kFew>() : count_all<kMany>()))
    return false;
  for (std::int32_t alpha = 0; alpha < in.columns; ++alpha) {
    if (!in.spend(4 * all))
      return false;
    note_states(alpha);
  }
  for (std::int32_t alpha = 0; alpha < in.columns; ++alpha) {
    if (!in.spend(8 * all))
      return false;
    bounds_[alpha] = bound_parts(alpha);
  }
  return true;
}

void ThresholdBounds::note_states(std::int32_t alpha) noexcept {
  const Instance &in = *instance_;
  const std::int64_t step = std::int64_t{in.columns} * parts_;
  State *state = states_ + std::int64_t{alpha} * parts_;
  double *others = others_;
  for (int j = 0; j < parts_; ++j) {
    state[j].count = in.members;
    others[j] = 0;
  }
  for (std::int32_t v = 0; v < in.columns; ++v) {
    if (v == alpha)
      continue;
    const double *f = in.potential.tables[v];
    std::int32_t *left = left_ + v * step + std::int64_t{alpha} * parts_;
    std::int32_t waiting = 0;
    for (int j = parts_ - 1; j >= 0; --j) {
      waiting += left[j];
      left[j] = waiting;
      state[j].count -= waiting;
      others[j] += f[waiting];
    }
  }
  const double *sums = sums_ + std::int64_t{alpha} * parts_;
  double members = defaults_ - own_by_alpha_[alpha].gains;
  for (int j = 0;; ++j) {
    state[j].score = members + others[j];
    if (j + 1 == parts_)
      return;
    members += (state[j + 1].count - state[j].count) * top_ - sums[j];
  }
}

// At each count, the score is at most the lower of two lines in the count, plus the convex f_alpha.
// So the maximum of this bound is at an end of the part or where the lines cross.
double ThresholdBounds::bound_between(std::int32_t alpha, const State *states, int part,
                                      double lowest, double highest) const noexcept {
  const State &from = states[part];
  const State &to = states[part + 1];
  const double *f = instance_->potential.tables[alpha] + from.count;
  const std::int32_t more = to.count - from.count;
  const double upper = part == 0 ? own_by_alpha_[alpha].most : thresholds_[part];
  const double rise = upper - lowest;
  const double fall = thresholds_[part + 1] - highest;
  double most = std::max(from.score + f[0], to.score + f[more]);
  if (rise > fall) {
    const double cross =
        std::clamp((to.score - from.score - more * fall) / (rise - fall), 0.0, double(more));
    const auto low = static_cast<std::int32_t>(cross);
    const std::int32_t high = low < cross ? low + 1 : low;
    most = std::max(
        {most, from.score + low * rise + f[low], to.score - (more - high) * fall + f[high]});
  }
  return most + slack_ + more * margin_;
}

double ThresholdBounds::bound_parts(std::int32_t alpha) const noexcept {
  const Instance &in = *instance_;
  const double *const *tables = in.potential.tables;
  const double *f_alpha = tables[alpha];
  const std::int64_t first = std::int64_t{alpha} * parts_;
  const std::int64_t step = std::int64_t{in.columns} * parts_;
  const State *states = states_ + first;
  const int last = parts_ - 1;
  const State &end = states[last];
  double most = end.score + f_alpha[end.count];
  if (end.count < in.members)
    most = std::max(most, end.score + f_alpha[in.members] +
                              (in.members - end.count) *
                                  (thresholds_[last] + margin_ - lowest_step_));
  most += slack_;
  for (int j = 0; j < last; ++j) {
    if (states[j + 1].count == states[j].count) {
      most = std::max(most, states[j].score + f_alpha[states[j].count] + slack_);
      continue;
    }
    double lowest = kInfinity;
    double highest = kForbidden;
    for (std::int32_t v = 0; v < in.columns; ++v) {
      const std::int32_t *left = left_ + v * step + first + j;
      if (v == alpha || left[1] == left[0])
        continue;
      const double *f = tables[v];
      lowest = std::min(lowest, f[left[1] + 1] - f[left[1]]);
      highest = std::max(highest, f[left[0]] - f[left[0] - 1]);
    }
    most = std::max(most, bound_between(alpha, states, j, lowest, highest));
  }
  return most;
}

} // namespace chorale
