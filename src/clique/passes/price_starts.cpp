// price_starts.hpp explains the words used here.
#include "clique/passes/price_starts.hpp"

#include "base/cpu.hpp"
#include "base/lanes.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace chorale {
namespace {

// Vectors of eight floats. An operation on them is one instruction with AVX2, otherwise two.
constexpr std::int64_t kWide = 8;
using Wide = float __attribute__((vector_size(kWide * sizeof(float))));
using WideIndices = std::int32_t __attribute__((vector_size(kWide * sizeof(std::int32_t))));

// Floats that a loop adds at a time: two independent vectors, whose additions overlap in time.
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
  using Half = float __attribute__((vector_size(kWide / 2 * sizeof(float))));
  const Half half = __builtin_shufflevector(wide, wide, 0, 1, 2, 3) +
                    __builtin_shufflevector(wide, wide, 4, 5, 6, 7);
  return (half[0] + half[2]) + (half[1] + half[3]);
}

CHORALE_INLINE std::int32_t add_up(const WideIndices &wide) noexcept {
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

// Writes the candidates to ranked_ by descending most_, so that loops over pairs can end at the
// first candidate whose most_ is too low.
CHORALE_INLINE void PriceStarts::order_columns() noexcept {
  for (std::int32_t c = 0; c < columns_; ++c) {
    std::int32_t before = 0;
    for (std::int32_t d = 0; d < columns_; ++d)
      before += int{most_[d] > most_[c]} | (int{most_[d] == most_[c]} & int{d < c});
    ranked_[before] = c;
  }
}

// For each pair of candidates, finds the assumed counts with the highest estimate and adds a third
// candidate if that raises the estimate. Passes the result to keep() if its estimate exceeds
// needed_. False if interrupted.
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
      Start start{needed_, 0, {}, {}};
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
            start = {estimate, 2, {p, promising[k]}, {}};
        }
      }
      if (start.count == 0)
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
              start = {estimate, 3, {p, q, r}, {}};
          }
        }
      }
      keep(start);
    }
  return true;
}

// Inserts a start into starts_, which stays sorted by descending estimate; if there are kStarts
// already, the lowest is dropped. The three pairs of a triple may all lead to this triple. So a
// start with the same estimate as a stored one is taken to be the same start and is not inserted.
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

template <int kCount>
CHORALE_INLINE double PriceStarts::estimate(const Start &start,
                                            std::int32_t (&chosen)[kCount]) const noexcept {
  const float *gains[kCount];
  Wide prices[kCount];
  WideIndices counts[kCount] = {};
  double total = 0;
  for (int l = 0; l < kCount; ++l) {
    const std::int32_t v = column(start.place[l]);
    gains[l] = gains_of(start.place[l]);
    prices[l] = Wide{} + static_cast<float>(price(v, start.members[l]));
    total += constant(v, start.members[l]);
  }
  Wide sums{};
  for (std::int64_t i = 0; i < width_; i += kWide) {
    Wide scores[kCount];
    Wide most{};
    // Unrolled, since arrays that a loop indexes are not kept in registers.
#pragma GCC unroll 3
    for (int l = 0; l < kCount; ++l) {
      load(scores[l], gains[l] + i);
      scores[l] += prices[l];
      most = scores[l] > most ? scores[l] : most;
    }
#pragma GCC unroll 3
    for (int l = 0; l < kCount; ++l)
      counts[l] += scores[l] == most;
    sums += most;
  }
#pragma GCC unroll 3
  for (int l = 0; l < kCount; ++l)
    chosen[l] = -add_up(counts[l]);
  return total + add_up(sums);
}

// Computes the counts `members` of a start: first those assumed, then moved towards the numbers of
// members that choose the large columns, if that raises the estimate.
template <int kCount> CHORALE_INLINE void PriceStarts::refine(Start &start) const noexcept {
  for (int l = 0; l < kCount; ++l)
    start.members[l] = assumed(start.place[l]);
  std::int32_t chosen[kCount];
  start.estimate = estimate(start, chosen);
  Start next = start;
  for (int l = 0; l < kCount; ++l) {
    const std::int32_t from = start.members[l];
    const auto by = static_cast<std::int32_t>((chosen[l] - from) * kRelaxation);
    next.members[l] = std::clamp(from + by, 1, instance_->members - 1);
  }
  next.estimate = estimate(next, chosen);
  if (next.estimate > start.estimate)
    start = next;
}

// Refines the starts that combine() has kept and drops those whose estimate is then too low.
CHORALE_INLINE void PriceStarts::refine_all() noexcept {
  Start rough[kStarts];
  const std::int32_t count = count_;
  std::copy(starts_, starts_ + count, rough);
  const double needed = needed_ + (kRefined - kPromising) * magnitude_ * factor_;
  count_ = 0;
  for (std::int32_t k = 0; k < count; ++k) {
    rough[k].count == 2 ? refine<2>(rough[k]) : refine<3>(rough[k]);
    if (rough[k].estimate > needed)
      keep(rough[k]);
  }
}

CHORALE_INLINE double PriceStarts::choose(const Start &start,
                                          gsl::span<std::int32_t> assignment) noexcept {
  const Instance &in = *instance_;
  std::int32_t *const to = assignment.data();
  const float *gains[kLarge];
  Wide price_of_large[kLarge];
  std::int32_t large[kLarge];
  for (std::int32_t l = 0; l < start.count; ++l) {
    large[l] = column(start.place[l]);
    gains[l] = gains_of(start.place[l]);
    price_of_large[l] = Wide{} + price_of_[large[l]];
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
    for (std::int32_t l = 0; l < start.count; ++l) {
      load(score, gains[l] + i);
      score += price_of_large[l];
      x = score > most ? WideIndices{} + large[l] : x;
      most = score > most ? score : most;
    }
    std::memcpy(to + i, &x, sizeof x);
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
  if (!in.count(assignment, in.by_column(counts_)))
    return kForbidden;
  for (std::int32_t v = 0; v < in.columns; ++v)
    score += (in.potential.tables[v][counts_[v]] - in.potential.tables[v][0]) * factor_ -
             static_cast<double>(price_of_[v]) * counts_[v];
  return base_ + score / factor_;
}

// Writes the labelling of a start and returns its score. Members choose their columns twice. For
// the first choice, a large column has the price at its refined count; a small column has the price
// at the number of members whose best column it is, times the fraction of members outside the large
// columns. For the second choice, each column has the price at its count after the first choice.
CHORALE_INLINE double PriceStarts::choose_repeatedly(const Start &start,
                                                     gsl::span<std::int32_t> assignment) noexcept {
  const Instance &in = *instance_;
  if (!in.spend(kChoices * 8 * (std::int64_t{in.members} + in.columns)))
    return kForbidden;
  const auto slope = [&](std::int32_t v, std::int32_t k) {
    return price(v, std::clamp(k, 1, in.members - 1));
  };
  double stay = 1;
  for (std::int32_t l = 0; l < start.count; ++l)
    stay -= static_cast<double>(start.members[l]) / in.members;
  stay = std::max(stay, 0.0);
  for (std::int32_t v = 0; v < in.columns; ++v)
    set_price(v, slope(v, static_cast<std::int32_t>(defaults_[v] * stay + 0.5)));
  for (std::int32_t l = 0; l < start.count; ++l) {
    const std::int32_t v = column(start.place[l]);
    set_price(v, slope(v, start.members[l]));
  }
  double score = choose(start, assignment);
  for (int k = 1; k < kChoices && score > kForbidden; ++k) {
    for (std::int32_t v = 0; v < in.columns; ++v)
      set_price(v, slope(v, counts_[v]));
    score = choose(start, assignment);
  }
  return score;
}

double PriceStarts::write(std::int32_t rank, gsl::span<std::int32_t> assignment) noexcept {
  Expects(assignment.size() >= to_size(instance_->members));
  return on_best_units(
      [=, this]() CHORALE_INLINE_LAMBDA { return choose_repeatedly(starts_[rank], assignment); });
}

void PriceStarts::run(PassBounds &bounds, double level) noexcept {
  const Instance &in = *instance_;
  const CliquePotential::Steps steps = in.potential.convex_steps();
  const double range = steps.range();
  count_ = 0;
  // If all table steps are 0, all labellings have the same potential. Extreme ranges cannot be
  // scaled.
  if (!(range > 0x1p-1000 && range < 0x1p1000))
    return;
  magnitude_ = steps.magnitude(in.members);
  factor_ = std::scalbn(1.0, -std::ilogb(range));
  set_prices(bounds);
  needed_ = (level + kPromising * magnitude_ - base_) * factor_;
  const bool done = on_best_units([this]() CHORALE_INLINE_LAMBDA {
    if (!reach() || !combine())
      return false;
    refine_all();
    return true;
  });
  if (!done)
    count_ = 0;
}

// Sets the prices of small columns (own_price_) and of places (price_), and the other inputs of the
// estimates. The slope of the chord is what the table of a small column loses for each member that
// leaves, if all leave. kChord is above 1: if only some leave, the table loses more for each of
// them, since the last steps of a convex table are the steepest.
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
    price_[place] = static_cast<float>(price(column(place), assumed(place)));
    constant_[place] = constant(column(place), assumed(place));
  }
}

} // namespace chorale
