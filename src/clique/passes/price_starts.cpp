#include "clique/passes/price_starts.hpp"

#include "base/cpu.hpp"
#include "base/lanes.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace chorale {
namespace {

// Vectors of eight floats: one instruction each with AVX2, otherwise two.
constexpr std::int64_t kWide = 8;
using Wide = float __attribute__((vector_size(kWide * sizeof(float))));
using WideIndices = std::int32_t __attribute__((vector_size(kWide * sizeof(std::int32_t))));

// Floats per loop of a sum: two independent vectors, whose additions overlap.
constexpr std::int64_t kStride = 2 * kWide;

CHORALE_INLINE void load(Wide &wide, const float *from) noexcept {
  std::memcpy(&wide, from, sizeof wide);
}

CHORALE_INLINE void raise(Wide &wide, const float *from) noexcept {
  Wide other;
  load(other, from);
  wide = wide > other ? wide : other;
}

CHORALE_INLINE double add_up(const Wide &wide) noexcept {
  return ((wide[0] + wide[4]) + (wide[2] + wide[6])) + ((wide[1] + wide[5]) + (wide[3] + wide[7]));
}

CHORALE_INLINE void pick(Wide &wide, const float *from, const std::int32_t *at) noexcept {
  wide = Wide{from[at[0]], from[at[1]], from[at[2]], from[at[3]],
              from[at[4]], from[at[5]], from[at[6]], from[at[7]]};
}

} // namespace

PriceStarts::PriceStarts(Layout &layout, const Instance &instance) noexcept
    : instance_(&instance), width_((instance.members + kStride - 1) / kStride * kStride),
      others_(layout.take<double>(instance.members)), gains_(layout.take<float>(width_ * kColumns)),
      reach_(layout.take<float>(width_ * kColumns * kCounts)), second_(layout.take<float>(width_)),
      own_price_(layout.take<double>(instance.columns)),
      price_of_(layout.take<float>(instance.columns)), rise_(layout.take<float>(instance.columns)),
      defaults_(layout.take<std::int32_t>(instance.columns)),
      counts_(layout.take<std::int32_t>(instance.columns)) {}

CHORALE_INLINE bool PriceStarts::reach() noexcept {
  const Instance &in = *instance_;
  const std::int64_t n = in.members;
  const std::int64_t K = in.columns;
  const std::int64_t width = width_;
  for (std::int32_t c = 0; c < columns_; ++c) {
    if (!in.spend(8 * n))
      return false;
    const double *score = in.scores + column_[c];
    float *gains = gains_ + c * width;
    for (std::int64_t i = 0; i < n; ++i)
      gains[i] = static_cast<float>((score[i * K] - others_[i]) * factor_);
    std::fill(gains + n, gains + width, static_cast<float>(kForbidden));
    float *own = reach_ + c * kCounts * width;
    Wide price[kCounts];
    Wide sums[kCounts] = {};
    for (std::int32_t x = 0; x < kCounts; ++x)
      price[x] = Wide{} + price_[c * kCounts + x];
    for (std::int64_t i = 0; i < width; i += kWide, own += kWide) {
      Wide gain;
      load(gain, gains + i);
      for (std::int32_t x = 0; x < kCounts; ++x) {
        Wide reached = gain + price[x];
        reached = reached > Wide{} ? reached : Wide{};
        sums[x] += reached;
        std::memcpy(own + x * width, &reached, sizeof reached);
      }
    }
    for (std::int32_t x = 0; x < kCounts; ++x) {
      const std::int32_t place = c * kCounts + x;
      single_[place] = constant_[place] + add_up(sums[x]);
    }
    most_[c] = *std::max_element(single_ + c * kCounts, single_ + (c + 1) * kCounts);
  }
  return true;
}

CHORALE_INLINE double PriceStarts::sum(std::int32_t p, std::int32_t q) const noexcept {
  const float *a = reach_of(p);
  const float *b = reach_of(q);
  Wide even{};
  Wide odd{};
  for (std::int64_t i = 0; i < width_; i += kStride) {
    Wide first, second;
    load(first, a + i);
    load(second, a + i + kWide);
    raise(first, b + i);
    raise(second, b + i + kWide);
    even += first;
    odd += second;
  }
  return constant_[p] + constant_[q] + add_up(even + odd);
}

CHORALE_INLINE double PriceStarts::sum(std::int32_t p, std::int32_t q,
                                       std::int32_t r) const noexcept {
  const float *a = reach_of(p);
  const float *b = reach_of(q);
  const float *c = reach_of(r);
  Wide even{};
  Wide odd{};
  for (std::int64_t i = 0; i < width_; i += kStride) {
    Wide first, second;
    load(first, a + i);
    load(second, a + i + kWide);
    raise(first, b + i);
    raise(second, b + i + kWide);
    raise(first, c + i);
    raise(second, c + i + kWide);
    even += first;
    odd += second;
  }
  return constant_[p] + constant_[q] + constant_[r] + add_up(even + odd);
}

// Sorts the columns by descending most_, so that loops over pairs can end at the first column whose
// estimate is too low.
CHORALE_INLINE void PriceStarts::order_columns() noexcept {
  for (std::int32_t c = 0; c < columns_; ++c) {
    std::int32_t before = 0;
    for (std::int32_t d = 0; d < columns_; ++d)
      before += int{most_[d] > most_[c]} | (int{most_[d] == most_[c]} & int{d < c});
    ranked_[before] = c;
  }
}

// For each pair of columns, finds the counts with the highest estimate, adds a third column if it
// raises the estimate, and keeps the result. False if interrupted.
CHORALE_INLINE bool PriceStarts::combine() noexcept {
  const Instance &in = *instance_;
  order_columns();
  for (std::int32_t first = 0; first < columns_; ++first)
    for (std::int32_t second = first + 1; second < columns_; ++second) {
      const std::int32_t a = ranked_[first] * kCounts;
      const std::int32_t b = ranked_[second] * kCounts;
      const double most = most_[ranked_[second]];
      if (most_[ranked_[first]] + most < needed_)
        break;
      if (!in.spend(16 * width_))
        return false;
      Start start{needed_, {-1, -1, -1}};
      for (std::int32_t x = 0; x < kCounts; ++x) {
        const std::int32_t p = a + x;
        if (single_[p] + most < start.estimate)
          continue;
        // Lists the promising counts without a branch on each, which would be hard to predict.
        const std::int32_t left = in.members * 4 / 5 - assumed_[x];
        const double needed = start.estimate - single_[p];
        std::int32_t promising[kCounts];
        std::int32_t count = 0;
        for (std::int32_t y = 0; y < kCounts; ++y) {
          promising[count] = b + y;
          count += int{single_[b + y] >= needed} & int{assumed_[y] <= left};
        }
        for (std::int32_t k = 0; k < count; ++k) {
          const double estimate = sum(p, promising[k]);
          if (estimate > start.estimate)
            start = {estimate, {p, promising[k], -1}};
        }
      }
      if (start.place[0] < 0)
        continue;
      const Start pair = start;
      const std::int32_t p = pair.place[0];
      const std::int32_t q = pair.place[1];
      const std::int32_t left = in.members * 4 / 5 - assumed(p) - assumed(q);
      for (std::int32_t third = 0; third < columns_; ++third) {
        const std::int32_t c = ranked_[third];
        if (pair.estimate + most_[c] < start.estimate)
          break;
        if (third == first || third == second)
          continue;
        for (std::int32_t x = 0; x < kCounts; ++x) {
          const std::int32_t r = c * kCounts + x;
          if (pair.estimate + single_[r] >= start.estimate && assumed_[x] <= left) {
            const double estimate = sum(p, q, r);
            if (estimate > start.estimate)
              start = {estimate, {p, q, r}};
          }
        }
      }
      keep(start);
    }
  return true;
}

// Inserts a start into starts_, sorted by descending estimate; drops the last one beyond kStarts.
// Each pair of three columns may lead to the same start; starts of equal estimates are taken for
// the same.
void PriceStarts::keep(const Start &start) noexcept {
  for (std::int32_t at = 0; at < count_; ++at)
    if (starts_[at].estimate == start.estimate)
      return;
  std::int32_t at = count_;
  if (count_ < kStarts)
    ++count_;
  else if (!(start.estimate > starts_[--at].estimate))
    return;
  for (; at > 0 && starts_[at - 1].estimate < start.estimate; --at)
    starts_[at] = starts_[at - 1];
  starts_[at] = start;
}

// Writes the labelling of a start: each member takes the column of highest score plus price among
// the large columns and its two best columns. The price of a small column is its slope at its share
// of the members that the large columns leave. Returns the labelling's score.
CHORALE_INLINE double PriceStarts::choose(const Start &start, std::int32_t *assignment) noexcept {
  const Instance &in = *instance_;
  double stay = 1;
  for (const std::int32_t place : start.place)
    if (place >= 0)
      stay -= static_cast<double>(assumed(place)) / in.members;
  for (std::int32_t v = 0; v < in.columns; ++v) {
    const auto k = static_cast<std::int32_t>(defaults_[v] * stay + 0.5);
    const double *f = in.potential.tables[v] + std::clamp(k, 1, in.members - 1);
    const double price = (f[1] - f[-1]) / 2;
    price_of_[v] = static_cast<float>(price * factor_);
    rise_[v] = static_cast<float>((price - own_price_[v]) * factor_);
  }
  const float *gains[kLarge];
  Wide price_of_large[kLarge];
  std::int32_t large[kLarge];
  std::int32_t count = 0;
  for (const std::int32_t place : start.place)
    if (place >= 0) {
      const std::int32_t c = place / kCounts;
      const std::int32_t v = column_[c];
      gains[count] = gains_ + c * width_;
      large[count] = v;
      price_of_large[count++] = Wide{} + price_[place];
      rise_[v] += price_[place] - price_of_[v];
      price_of_[v] = price_[place];
    }
  const float *prices = price_of_;
  const float *rise = rise_;
  Wide sums{};
  const auto choose = [&](std::int32_t i, Wide &most) CHORALE_INLINE_LAMBDA {
    WideIndices x;
    WideIndices second;
    Wide score;
    Wide own;
    std::memcpy(&x, in.best + i, sizeof x);
    std::memcpy(&second, in.second + i, sizeof second);
    pick(most, rise, in.best + i);
    // Members without a second column (-1) read column 0; their second_ is minus infinity.
    std::int32_t column[kWide];
    const WideIndices valid = second > 0 ? second : WideIndices{};
    std::memcpy(column, &valid, sizeof column);
    pick(score, prices, column);
    load(own, second_ + i);
    score += own;
    x = score > most ? second : x;
    most = score > most ? score : most;
    for (std::int32_t l = 0; l < count; ++l) {
      load(score, gains[l] + i);
      score += price_of_large[l];
      x = score > most ? WideIndices{} + large[l] : x;
      most = score > most ? score : most;
    }
    std::memcpy(assignment + i, &x, sizeof x);
  };
  Wide most;
  const auto whole = static_cast<std::int32_t>(in.members / kWide * kWide);
  for (std::int32_t i = 0; i < whole; i += kWide) {
    choose(i, most);
    sums += most;
  }
  double score = add_up(sums);
  if (whole < in.members) {
    const auto i = static_cast<std::int32_t>(in.members - kWide);
    choose(i, most);
    for (int lane = whole - i; lane < kWide; ++lane)
      score += most[lane];
  }
  if (!in.count(assignment, counts_))
    return kForbidden;
  for (std::int32_t v = 0; v < in.columns; ++v)
    score += (in.potential.tables[v][counts_[v]] - in.potential.tables[v][0]) * factor_ -
             static_cast<double>(price_of_[v]) * counts_[v];
  return base_ + score / factor_;
}

double PriceStarts::write(std::int32_t rank, std::int32_t *assignment) noexcept {
  return on_best_units(
      [=, this]() CHORALE_INLINE_LAMBDA { return choose(starts_[rank], assignment); });
}

void PriceStarts::run(PassBounds &bounds, double level) noexcept {
  const Instance &in = *instance_;
  const CliquePotential::Steps steps = in.potential.convex_steps();
  const double range = steps.highest - steps.lowest;
  count_ = 0;
  // If all steps are equal, no labelling differs in the potential. Extreme ranges cannot be scaled.
  if (!(range > 0x1p-1000 && range < 0x1p1000))
    return;
  magnitude_ = in.members * range;
  factor_ = std::scalbn(1.0, -std::ilogb(range));
  set_prices(bounds);
  needed_ = (level + kPromising * magnitude_ - base_) * factor_;
  if (!on_best_units([this]() CHORALE_INLINE_LAMBDA { return reach() && combine(); }))
    count_ = 0;
}

// Prices each small column at kChord times the slope of the chord to its default count, and each
// large one at the slope at each assumed count. kChord is above 1 because the members that leave a
// small column are those that lose least.
void PriceStarts::set_prices(PassBounds &bounds) noexcept {
  const Instance &in = *instance_;
  const double *const *tables = in.potential.tables;
  base_ = bounds.best_scores();
  for (std::int32_t v = 0; v < in.columns; ++v) {
    defaults_[v] = bounds.count(v);
    own_price_[v] = defaults_[v] > 0 ? kChord * bounds.slope(v) : 0.0;
    base_ += tables[v][0] + defaults_[v] * own_price_[v];
  }
  for (std::int32_t i = 0; i < in.members; ++i) {
    others_[i] = in.best_score[i] + own_price_[in.best[i]];
    second_[i] = static_cast<float>((in.second_score[i] - others_[i]) * factor_);
  }
  columns_ = std::min(kColumns, in.columns);
  for (std::int32_t c = 0; c < columns_; ++c)
    column_[c] = bounds.alpha(c);
  for (std::int32_t x = 0; x < kCounts; ++x)
    assumed_[x] = static_cast<std::int32_t>(kAssumed[x] * in.members);
  for (std::int32_t place = 0; place < columns_ * kCounts; ++place) {
    const double *f = tables[column_[place / kCounts]];
    const std::int32_t k = assumed(place);
    const double price = (f[k + 1] - f[k - 1]) / 2;
    price_[place] = static_cast<float>(price * factor_);
    constant_[place] = (f[k] - f[0] - price * k) * factor_;
  }
}

} // namespace chorale
