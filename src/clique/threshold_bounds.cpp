#include "clique/threshold_bounds.hpp"

#include "base/cpu.hpp"
#include "base/lanes.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace chorale {
namespace {

using Gains = float __attribute__((vector_size(8 * sizeof(float))));
using Counts = std::int32_t __attribute__((vector_size(8 * sizeof(std::int32_t))));

constexpr int kStages = 3;
// So many passes cost less than placing thresholds again.
constexpr std::int32_t kFewPasses = 3;
// Thresholds at a time: their sums stay in registers.
constexpr int kAtOnce = 8;
// Gains of so many members are added up in single precision, and those sums in double precision.
constexpr std::int32_t kSummedRows = 32;
// Of that, what rounding can add up to, as a part of the magnitude.
constexpr double kRounding = 3e-6;

std::size_t product(std::int64_t a, std::int64_t b) noexcept {
  return saturating_product(to_size(a), to_size(b));
}

} // namespace

ThresholdBounds::ThresholdBounds(Layout &layout, const Instance &instance) noexcept
    : instance_(&instance), vectors_((std::int64_t{instance.columns} + kVector - 1) / kVector),
      gains_(layout.take<float>(product(kBlockRows, vectors_ * kVector))),
      counted_(layout.take<std::int32_t>(
          product(instance.columns, vectors_ * kThresholds * kVector))),
      excess_(layout.take<double>(product(vectors_, kThresholds * kVector))),
      own_(layout.take<std::int32_t>(
          product(instance.columns, std::int64_t{instance.columns} * kThresholds))),
      own_excess_(layout.take<double>(product(instance.columns, kThresholds))),
      own_by_alpha_(layout.take<Own>(instance.columns)),
      best_at_(layout.take<std::int32_t>(instance.columns)),
      start_(layout.take<std::int32_t>(product(instance.columns, instance.columns))),
      left_(layout.take<std::int32_t>(
          product(instance.columns, std::int64_t{instance.columns} * (kThresholds + 1)))),
      states_(layout.take<State>(product(instance.columns, kThresholds + 1))),
      highest_(layout.take<double>(instance.columns)),
      buckets_(layout.take<double>(product(instance.columns, kThresholds + 1))),
      bounds_(layout.take<double>(instance.columns)),
      order_(layout.take<std::int32_t>(instance.columns)) {}

void ThresholdBounds::run() noexcept {
  const Instance &in = *instance_;
  level_ = kForbidden;
  std::fill(bounds_, bounds_ + in.columns, kInfinity);
  note_defaults();
  placed_ = place_thresholds();
  if (placed_)
    bound_passes(true);
  for (std::int32_t alpha = 0; alpha < in.columns; ++alpha)
    order_[alpha] = alpha;
  sort_passes(0);
}

void ThresholdBounds::tighten(double level) noexcept {
  if (!placed_)
    return;
  level_ = std::max(level_, level);
  for (int stage = 1; stage < kStages; ++stage) {
    // The first pass has been made.
    std::int32_t open = 0;
    for (std::int32_t rank = 1; rank < instance_->columns; ++rank)
      open += bounds_[order_[rank]] >= level_ ? 1 : 0;
    if (open <= kFewPasses || !place_closer())
      break;
    bound_passes(false);
  }
  sort_passes(1);
}

void ThresholdBounds::bound_passes(bool whole) noexcept {
  // What is left out when not all is looked at was below the level.
  const double left_out = whole ? kForbidden : std::nextafter(level_, kForbidden);
  count_gains();
  for (std::int32_t alpha = 0; alpha < instance_->columns; ++alpha) {
    bound_buckets(alpha, whole);
    const double *bucket = buckets_ + alpha * (kThresholds + 1);
    bounds_[alpha] = std::max(left_out, *std::max_element(bucket, bucket + kThresholds + 1));
  }
}

void ThresholdBounds::sort_passes(std::int32_t from) noexcept {
  std::sort(order_ + from, order_ + instance_->columns, [&](std::int32_t a, std::int32_t b) {
    return bounds_[a] > bounds_[b] || (bounds_[a] == bounds_[b] && a < b);
  });
}

void ThresholdBounds::note_defaults() noexcept {
  const Instance &in = *instance_;
  const std::int64_t K = in.columns;
  std::fill(start_, start_ + K * K, 0);
  std::fill(best_at_, best_at_ + K, 0);
  std::fill(own_by_alpha_, own_by_alpha_ + K, Own{});
  defaults_ = 0;
  double magnitude = 0;
  for (std::int32_t i = 0; i < in.members; ++i) {
    const std::int64_t v = in.best[i];
    Own &own = own_by_alpha_[v];
    ++best_at_[v];
    defaults_ += in.best_score[i];
    magnitude += std::fabs(in.best_score[i]);
    if (in.second[i] < 0) {
      ++own.forced;
      continue;
    }
    const double gain = in.best_score[i] - in.second_score[i];
    ++start_[v * K + in.second[i]];
    own.gains += gain;
    own.most = std::max(own.most, gain);
  }
  most_ = gains_of_own_ = 0;
  for (std::int64_t v = 0; v < K; ++v) {
    const double *f = in.potential.tables[v];
    magnitude += std::fabs(f[0]) + std::fabs(f[best_at_[v]]) + std::fabs(f[in.members]);
    most_ = std::max(most_, own_by_alpha_[v].most);
    gains_of_own_ += own_by_alpha_[v].gains;
    for (std::int64_t u = 0; u < K; ++u)
      start_[v * K + u] += u == v ? 0 : best_at_[u];
  }
  slack_ = 1e-15 * (16 + in.members) * (magnitude + in.members * most_);
}

// Nobody is given alpha for less than the greatest step of its table takes back, so the lowest
// threshold is there. The highest is well among the gains of those whose best column is alpha.
// Labellings between are closer to each other at the upper end, where default columns are left in
// turn, and so are thresholds.
bool ThresholdBounds::place_thresholds() noexcept {
  const Instance &in = *instance_;
  double highest_step = 0;
  lowest_step_ = 0;
  for (std::int32_t v = 0; v < in.columns; ++v) {
    const double *f = in.potential.tables[v];
    highest_step = std::max(highest_step, f[in.members] - f[in.members - 1]);
    lowest_step_ = std::min(lowest_step_, f[1] - f[0]);
  }
  const double high = 2 * gains_of_own_ / in.members;
  const double low = lowest_step_ - highest_step;
  constexpr double farthest = 1e30;
  if (!(high > low && high < farthest && low > -farthest && most_ < farthest))
    return false;
  for (int j = 0; j < kThresholds; ++j) {
    const double part = static_cast<double>(j) / (kThresholds - 1);
    thresholds_[j] = static_cast<float>(high - (high - low) * part * std::sqrt(part));
  }
  return true;
}

bool ThresholdBounds::place_closer() noexcept {
  const Instance &in = *instance_;
  int from = kThresholds;
  int to = 0;
  for (std::int32_t alpha = 0; alpha < in.columns; ++alpha)
    for (int j = 0; j <= kThresholds; ++j)
      if (buckets_[alpha * (kThresholds + 1) + j] >= level_) {
        from = std::min(from, j);
        to = std::max(to, j);
      }
  const double before = std::max<double>(most_, thresholds_[0]) - thresholds_[kThresholds - 1];
  // No gain is above that, rounded to single precision or not.
  const double high = from > 0 ? thresholds_[from - 1] : std::max(most_, 0.0) * (1 + 1e-6);
  if (to == kThresholds || high - thresholds_[to] > before / 2)
    return false;
  const double low = thresholds_[to];
  for (int j = 0; j < kThresholds; ++j)
    thresholds_[j] = static_cast<float>(high - (high - low) * j / (kThresholds - 1));
  return true;
}

CHORALE_INLINE void ThresholdBounds::count_block(std::int32_t first, std::int32_t rows) noexcept {
  using Half = float __attribute__((vector_size(kLanes * sizeof(float))));
  const Instance &in = *instance_;
  const std::int64_t width = vectors_ * kVector;
  for (std::int32_t r = 0; r < rows; ++r) {
    const double *row = in.row(first + r);
    const double best = in.best_score[first + r];
    float *gains = gains_ + r * width;
    std::int64_t v = 0;
    for (; v + kLanes <= in.columns; v += kLanes) {
      Lanes gain;
      std::memcpy(&gain, row + v, sizeof gain);
      gain -= best;
      const Half rounded = __builtin_convertvector(gain, Half);
      std::memcpy(gains + v, &rounded, sizeof rounded);
    }
    for (; v < in.columns; ++v)
      gains[v] = static_cast<float>(row[v] - best);
    gains[in.best[first + r]] = static_cast<float>(kForbidden);
  }
  const std::int32_t *best = in.best + first;
  const std::int64_t column_step = vectors_ * kThresholds * kVector;
  for (std::int64_t c = 0; c < vectors_; ++c)
    for (int from = 0; from < kThresholds; from += kAtOnce) {
      Gains at[kAtOnce] = {};
      for (int j = 0; j < kAtOnce; ++j)
        at[j] = Gains{} + thresholds_[from + j];
      const float *gains = gains_ + c * kVector;
      std::int32_t *counted_here = counted_ + (c * kThresholds + from) * kVector;
      double *excess = excess_ + (c * kThresholds + from) * kVector;
      for (std::int32_t begin = 0; begin < rows; begin += kSummedRows) {
        Gains sums[kAtOnce] = {};
        const std::int32_t end = std::min(begin + kSummedRows, rows);
        for (std::int32_t r = begin; r < end; ++r, gains += width) {
          Gains gain;
          std::memcpy(&gain, gains, sizeof gain);
          std::int32_t *counted = counted_here + best[r] * column_step;
          for (int j = 0; j < kAtOnce; ++j) {
            Counts count;
            std::memcpy(&count, counted + j * kVector, sizeof count);
            count -= gain > at[j];
            std::memcpy(counted + j * kVector, &count, sizeof count);
            sums[j] += gain > at[j] ? gain : at[j];
          }
        }
        for (int j = 0; j < kAtOnce; ++j)
          for (int lane = 0; lane < kVector; ++lane)
            excess[j * kVector + lane] += static_cast<double>(sums[j][lane]);
      }
    }
}

CHORALE_INLINE void ThresholdBounds::count_own() noexcept {
  constexpr int halves = kThresholds / kVector;
  constexpr int quarters = kThresholds / kLanes;
  const Instance &in = *instance_;
  const std::int64_t K = in.columns;
  std::fill(own_, own_ + K * K * kThresholds, 0);
  std::fill(own_excess_, own_excess_ + K * kThresholds, 0.0);
  Gains at[halves];
  Lanes at_double[quarters];
  std::memcpy(at, thresholds_, sizeof at);
  for (int q = 0; q < quarters; ++q)
    for (int lane = 0; lane < kLanes; ++lane)
      at_double[q][lane] = static_cast<double>(thresholds_[q * kLanes + lane]);
  for (std::int32_t i = 0; i < in.members; ++i) {
    if (in.second[i] < 0)
      continue;
    const double gain = in.best_score[i] - in.second_score[i];
    const Gains rounded = Gains{} + static_cast<float>(gain);
    std::int32_t *own = own_ + (in.best[i] * K + in.second[i]) * kThresholds;
    for (int h = 0; h < halves; ++h, own += kVector) {
      Counts count;
      std::memcpy(&count, own, sizeof count);
      count -= rounded > at[h];
      std::memcpy(own, &count, sizeof count);
    }
    const Lanes whole = Lanes{} + gain;
    double *excess = own_excess_ + std::int64_t{in.best[i]} * kThresholds;
    for (int q = 0; q < quarters; ++q, excess += kLanes) {
      Lanes sum;
      std::memcpy(&sum, excess, sizeof sum);
      const Lanes above = whole - at_double[q];
      sum += above > 0 ? above : Lanes{};
      std::memcpy(excess, &sum, sizeof sum);
    }
  }
}

struct ThresholdBounds::Variants {
  static void block_anywhere(ThresholdBounds &bounds, std::int32_t first,
                             std::int32_t rows) noexcept {
    bounds.count_block(first, rows);
  }
  static void own_anywhere(ThresholdBounds &bounds) noexcept { bounds.count_own(); }
#if CHORALE_HAS_AVX2_VARIANTS
  [[gnu::target("avx2")]] static void block_avx2(ThresholdBounds &bounds, std::int32_t first,
                                                 std::int32_t rows) noexcept {
    bounds.count_block(first, rows);
  }
  [[gnu::target(CHORALE_TARGET_AVX512)]] static void
  block_avx512(ThresholdBounds &bounds, std::int32_t first, std::int32_t rows) noexcept {
    bounds.count_block(first, rows);
  }
  [[gnu::target("avx2")]] static void own_avx2(ThresholdBounds &bounds) noexcept {
    bounds.count_own();
  }
#endif
};

void ThresholdBounds::count_gains() noexcept {
  const Instance &in = *instance_;
  const std::int64_t width = vectors_ * kVector;
  for (int r = 0; r < kBlockRows; ++r)
    std::fill(gains_ + r * width + in.columns, gains_ + (r + 1) * width,
              static_cast<float>(kForbidden));
  std::fill(counted_, counted_ + in.columns * width * kThresholds, 0);
  std::fill(excess_, excess_ + width * kThresholds, 0.0);
  auto count_block = Variants::block_anywhere;
  auto count_own = Variants::own_anywhere;
#if CHORALE_HAS_AVX2_VARIANTS
  if (has_avx2()) {
    count_block = has_avx512() ? Variants::block_avx512 : Variants::block_avx2;
    count_own = Variants::own_avx2;
  }
#endif
  for (std::int32_t i = 0; i < in.members; i += kBlockRows)
    count_block(*this, i, std::min(kBlockRows, in.members - i));
  count_own(*this);
  for (std::int32_t alpha = 0; alpha < in.columns; ++alpha)
    note_states(alpha);
}

// The labellings at the thresholds. State 0 is the first labelling of the pass, state j + 1 that of
// threshold j.
void ThresholdBounds::note_states(std::int32_t alpha) noexcept {
  const Instance &in = *instance_;
  const double *const *tables = in.potential.tables;
  const double *f_alpha = tables[alpha];
  State *state = states_ + alpha * (kThresholds + 1);
  std::int32_t *left = left_ + std::int64_t{alpha} * (kThresholds + 1) * in.columns;
  const std::int64_t K = in.columns;
  const std::int32_t *start = start_ + alpha * K;
  const std::int32_t *own = own_ + alpha * K * kThresholds;
  const Own &mine = own_by_alpha_[alpha];
  double others = 0;
  highest_[alpha] = kForbidden;
  for (std::int32_t v = 0; v < in.columns; ++v) {
    left[v] = start[v];
    if (v == alpha)
      continue;
    const double *f = tables[v] + start[v];
    others += f[0];
    if (start[v] > 0)
      highest_[alpha] = std::max(highest_[alpha], f[0] - f[-1]);
  }
  const double members = defaults_ - mine.gains;
  state[0] = {members + others, slack_, mine.forced, mine.most};
  level_ = std::max(level_, state[0].score + f_alpha[mine.forced] - slack_);

  const std::int64_t vector = alpha / kVector;
  const std::int64_t lane = alpha % kVector;
  const std::int64_t step = vectors_ * kThresholds * kVector;
  for (int j = 0; j < kThresholds; ++j) {
    left += in.columns;
    const std::int64_t at = (vector * kThresholds + j) * kVector + lane;
    const std::int32_t *counted = counted_ + at;
    std::int32_t waiting = 0;
    others = 0;
    const auto add = [&](std::int32_t v) {
      left[v] = start[v] - counted[v * step] - own[v * kThresholds + j];
      waiting += left[v];
      others += tables[v][left[v]];
    };
    for (std::int32_t v = 0; v < alpha; ++v)
      add(v);
    left[alpha] = 0;
    for (std::int32_t v = alpha + 1; v < in.columns; ++v)
      add(v);
    const double t = thresholds_[j];
    const std::int32_t k = in.members - waiting;
    const double above = excess_[at] - in.members * t + own_excess_[alpha * kThresholds + j];
    const double slack = slack_ + kRounding * (std::fabs(above) + 2 * in.members * std::fabs(t));
    state[j + 1] = {members + above + (k - mine.forced) * t + others, slack, k, t};
    level_ = std::max(level_, state[j + 1].score + f_alpha[k] - slack);
  }
}

// Between two states whose members lose `lowest` to `highest` to the columns they leave.
double ThresholdBounds::bound_between(std::int32_t alpha, const State &from, const State &to,
                                      double lowest, double highest) const noexcept {
  const double *f = instance_->potential.tables[alpha] + from.count;
  const std::int32_t more = to.count - from.count;
  const double rise = from.gain - lowest;
  const double fall = to.gain - highest;
  double most = std::max(from.score + f[0], to.score + f[more]);
  if (rise > fall) {
    const double cross =
        std::clamp((to.score - from.score - more * fall) / (rise - fall), 0.0, double(more));
    const auto low = static_cast<std::int32_t>(cross);
    const std::int32_t high = low < cross ? low + 1 : low;
    most = std::max({most, from.score + low * rise + f[low],
                     to.score - (more - high) * fall + f[high]});
  }
  return most + std::max(from.slack, to.slack) + kRounding * more * std::fabs(from.gain);
}

void ThresholdBounds::bound_buckets(std::int32_t alpha, bool whole) noexcept {
  const Instance &in = *instance_;
  const double *const *tables = in.potential.tables;
  const State *state = states_ + alpha * (kThresholds + 1);
  const std::int32_t *left = left_ + std::int64_t{alpha} * (kThresholds + 1) * in.columns;
  double *bucket = buckets_ + alpha * (kThresholds + 1);
  for (int j = 0; j < kThresholds; ++j, ++state, left += in.columns) {
    if (state[1].count == state[0].count) {
      bucket[j] = state[0].score + tables[alpha][state[0].count] + state[0].slack;
      continue;
    }
    if (j == 0 && !whole) {
      bucket[j] = kForbidden;
      continue;
    }
    // Most buckets are out of the question whatever columns are left.
    bucket[j] = bound_between(alpha, state[0], state[1], lowest_step_, highest_[alpha]);
    if (bucket[j] < level_)
      continue;
    double lowest = kInfinity;
    double highest = kForbidden;
    for (std::int32_t v = 0; v < in.columns; ++v) {
      const std::int32_t before = left[v];
      const std::int32_t now = left[in.columns + v];
      if (now == before)
        continue;
      const double *f = tables[v];
      lowest = std::min(lowest, f[now + 1] - f[now]);
      highest = std::max(highest, f[before] - f[before - 1]);
    }
    bucket[j] = bound_between(alpha, state[0], state[1], lowest, highest);
  }
  bucket[kThresholds] = kForbidden;
  if (whole && state->count < in.members)
    bucket[kThresholds] =
        state->slack +
        std::max(state->score + tables[alpha][state->count],
                 state->score + (in.members - state->count) * (state->gain - lowest_step_) +
                     tables[alpha][in.members]);
}

} // namespace chorale
