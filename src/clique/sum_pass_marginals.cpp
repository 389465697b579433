#include "clique/sum_pass_marginals.hpp"

#include "base/cpu.hpp"
#include "base/lanes.hpp"

#include <algorithm>
#include <cstring>

namespace chorale {
namespace {

constexpr std::int32_t kBlock = 8;
constexpr std::int32_t kWindow = 32 * kBlock;

CHORALE_INLINE void raise_vector(double *to, const double *by, double add) noexcept {
  Lanes old;
  Lanes sum;
  std::memcpy(&old, to, sizeof old);
  std::memcpy(&sum, by, sizeof sum);
  sum += add;
  old = sum > old ? sum : old;
  std::memcpy(to, &old, sizeof old);
}

// to[v] = max(to[v], by[v] + add).
CHORALE_INLINE void raise_by_sum(double *to, const double *by, double add,
                                 std::int64_t count) noexcept {
  std::int64_t v = 0;
  for (; v + kLanes <= count; v += kLanes)
    raise_vector(to + v, by + v, add);
  for (; v < count; ++v) {
    const double sum = by[v] + add;
    to[v] = sum > to[v] ? sum : to[v];
  }
}

// Raises vectors to the maximum of `count` rows.
template <int kVectors>
CHORALE_INLINE void raise_by_rows(Lanes *best, const double *row, std::int64_t count,
                                  std::int64_t width) noexcept {
  for (; count > 0; --count, row += width)
    for (int j = 0; j < kVectors; ++j) {
      Lanes by;
      std::memcpy(&by, row + j * kLanes, sizeof by);
      best[j] = by > best[j] ? by : best[j];
    }
}

} // namespace

SumPassMarginals::SumPassMarginals(Layout &layout, const Instance &instance) noexcept
    : instance_(&instance), sweep_(layout, instance), score_(layout, instance.potential),
      width_((std::int64_t{instance.columns} + kLanes) / kLanes * kLanes),
      next_(layout.take<std::int32_t>(instance.columns)),
      nearest_(layout.take<double>(instance.columns)) {
  const auto K = static_cast<std::size_t>(instance.columns);
  const auto labellings = static_cast<std::size_t>(instance.members) + 1;
  const auto width = static_cast<std::size_t>(width_);
  const std::size_t rows = std::min<std::size_t>(labellings, kWindow);
  before_ = layout.take<double>(saturating_product(K, width));
  states_ = layout.take<double>(saturating_product(rows, width));
  blocks_ = layout.take<double>(saturating_product(rows / kBlock + 1, width));
  scores_ = layout.take<double>(labellings);
  range_ = layout.take<double>(width);
}

CHORALE_INLINE std::int32_t SumPassMarginals::place(std::int32_t k) const noexcept {
  return (k - sweep_.forced()) % kWindow;
}

CHORALE_INLINE void SumPassMarginals::write_state(std::int32_t k, double score) noexcept {
  const std::int64_t K = instance_->columns;
  scores_[k] = score;
  double *row = state(k);
  const double *join = score_.join();
  std::int64_t v = 0;
  for (; v + kLanes <= K; v += kLanes) {
    Lanes joined;
    std::memcpy(&joined, join + v, sizeof joined);
    joined += score;
    std::memcpy(row + v, &joined, sizeof joined);
  }
  for (; v < K; ++v)
    row[v] = join[v] + score;
  row[v] = score;
  for (++v; v < width_; ++v)
    row[v] = kForbidden;

  double *block = blocks_ + place(k) / kBlock * width_;
  if (place(k) % kBlock == 0)
    std::copy(row, row + width_, block);
  else
    for (v = 0; v < width_; v += kLanes)
      raise_vector(block + v, row + v, 0);
}

// Folds rows of the window into the vectors of `range_` from column v on.
template <int kVectors>
CHORALE_INLINE void SumPassMarginals::fold_columns(std::int64_t v, std::int32_t from,
                                                   std::int32_t to) noexcept {
  Lanes best[kVectors];
  for (Lanes &lanes : best)
    lanes = Lanes{kForbidden, kForbidden, kForbidden, kForbidden};
  const std::int32_t first_block = (from + kBlock - 1) / kBlock;
  const std::int32_t last_block = to / kBlock;
  if (first_block < last_block) {
    raise_by_rows<kVectors>(best, states_ + from * width_ + v, first_block * kBlock - from, width_);
    raise_by_rows<kVectors>(best, blocks_ + first_block * width_ + v, last_block - first_block,
                            width_);
    from = last_block * kBlock;
  }
  raise_by_rows<kVectors>(best, states_ + from * width_ + v, to - from, width_);
  for (int j = 0; j < kVectors; ++j)
    std::memcpy(range_ + v + j * kLanes, &best[j], sizeof best[j]);
}

CHORALE_INLINE void SumPassMarginals::fold(std::int32_t b, std::int32_t k) noexcept {
  const std::int32_t first = next_[b];
  if (first > k)
    return;
  next_[b] = k + 1;
  const std::int32_t from = place(first);
  const std::int32_t to = place(k) + 1;
  std::int64_t v = 0;
  for (; v + 8 * kLanes <= width_; v += 8 * kLanes)
    fold_columns<8>(v, from, to);
  switch ((width_ - v) / kLanes) {
  case 7:
    fold_columns<7>(v, from, to);
    break;
  case 6:
    fold_columns<6>(v, from, to);
    break;
  case 5:
    fold_columns<5>(v, from, to);
    break;
  case 4:
    fold_columns<4>(v, from, to);
    break;
  case 3:
    fold_columns<3>(v, from, to);
    break;
  case 2:
    fold_columns<2>(v, from, to);
    break;
  case 1:
    fold_columns<1>(v, from, to);
    break;
  default:
    break;
  }
  double *row = before_ + b * width_;
  const double stays = std::max(row[b], range_[instance_->columns]);
  raise_by_sum(row, range_, score_.leave()[b], width_);
  row[b] = stays;
}

CHORALE_INLINE void SumPassMarginals::read_before(std::int32_t rank, double *messages) noexcept {
  const std::int64_t K = instance_->columns;
  const auto &[gain, member, from] = sweep_.at(rank);
  raise_by_sum(messages + member * K, before_ + from * width_, -instance_->score(member, from), K);
}

// Labellings in which the member has alpha, from the last to the first it has it in. Members that
// had alpha from the start share the first labelling.
CHORALE_INLINE bool SumPassMarginals::read_after(std::int32_t alpha, double *messages) noexcept {
  const std::int64_t K = instance_->columns;
  double *best = range_;
  const double *join = score_.join();
  const double *f = instance_->potential.tables[alpha];
  const bool has_rows = sweep_.allowed() - sweep_.forced() < kWindow;
  std::fill(best, best + width_, kForbidden);
  Pace pace(*instance_, 4 * K + 16, sweep_.allowed());
  for (std::int32_t k = sweep_.allowed(); k > 0; --k) {
    if (!pace.next())
      return false;
    if (k >= sweep_.forced()) {
      const double score = scores_[k];
      const double leave = f[k - 1] - f[k];
      const double stays = std::max(best[alpha], score);
      if (has_rows) {
        raise_by_sum(best, state(k), leave, width_);
      } else {
        if (k < sweep_.allowed())
          score_.move(alpha, sweep_.at(k).from);
        for (std::int64_t v = 0; v < K; ++v) {
          const double sum = score + join[v] + leave;
          best[v] = sum > best[v] ? sum : best[v];
        }
      }
      best[alpha] = stays;
    }
    const std::int64_t member = sweep_.at(k - 1).member;
    raise_by_sum(messages + member * K, best, -instance_->score(member, alpha), K);
  }
  return true;
}

CHORALE_INLINE bool SumPassMarginals::pass(std::int32_t alpha, double *messages) noexcept {
  const std::int64_t K = instance_->columns;
  score_.reset(sweep_.counts());
  std::fill(next_, next_ + K, sweep_.forced());
  std::fill(before_, before_ + K * width_, kForbidden);

  double members = sweep_.base();
  // A column folds in each labelling once, in blocks, and a member reads a row.
  Pace pace(*instance_, 8 * K + 16 + K * K / 4, sweep_.allowed() - sweep_.forced() + 1);
  for (std::int32_t k = sweep_.forced();; ++k) {
    if (!pace.next())
      return false;
    if (k > sweep_.forced() && place(k) == 0)
      for (std::int32_t b = 0; b < K; ++b)
        fold(b, k - 1);
    write_state(k, members + score_.total());
    if (k == sweep_.allowed())
      break;
    const std::int32_t from = sweep_.at(k).from;
    fold(from, k);
    read_before(k, messages);
    members += sweep_.at(k).gain;
    score_.move(from, alpha);
  }
  Pace others(*instance_, 4 * K + 16, instance_->members);
  for (std::int32_t rank = sweep_.allowed(); rank < instance_->members; ++rank) {
    if (!others.next())
      return false;
    fold(sweep_.at(rank).from, sweep_.allowed());
    read_before(rank, messages);
  }
  return read_after(alpha, messages);
}

CHORALE_INLINE bool SumPassMarginals::find_nearest() noexcept {
  const Instance &in = *instance_;
  std::fill(nearest_, nearest_ + in.columns, kForbidden);
  Pace pace(in, 2 * in.columns + 4, in.members);
  for (std::int64_t i = 0; i < in.members; ++i) {
    if (!pace.next())
      return false;
    raise_by_sum(nearest_, in.row(i), -in.best_score[i], in.columns);
  }
  return true;
}

// Each of the others who have alpha takes its share of what the table rises by all of them.
bool SumPassMarginals::may_pay(std::int32_t alpha, double lowest_step) const noexcept {
  const std::int32_t n = instance_->members;
  const double *f = instance_->potential.tables[alpha];
  return nearest_[alpha] == 0 || n < 2 ||
         (f[n] - f[1]) / (n - 1) - lowest_step >= -nearest_[alpha];
}

CHORALE_INLINE void SumPassMarginals::run_passes(Limits &limits, Solution &solution,
                                                 double *messages) noexcept {
  const Instance &in = *instance_;
  if (!in_stretches(in, in.members, in.columns, [&](std::int64_t begin, std::int64_t end) {
        std::fill(messages + begin * in.columns, messages + end * in.columns, kForbidden);
      }))
    return;
  const bool convex = in.potential.convex;
  CliquePotential::Steps steps;
  if (convex) {
    steps = in.potential.convex_steps();
    if (!find_nearest())
      return;
  }
  const double reach = convex ? steps.highest - steps.lowest : kInfinity;
  for (std::int32_t alpha = 0; alpha < in.columns; ++alpha) {
    if (convex && !may_pay(alpha, steps.lowest))
      continue;
    if (!limits.spend(in.columns * width_) || !sweep_.order_by(alpha, reach) ||
        !pass(alpha, messages))
      return;
    ++solution.iterations;
  }
}

struct SumPassMarginals::Variants {
  static void anywhere(SumPassMarginals &marginals, Limits &limits, Solution &solution,
                       double *messages) noexcept {
    marginals.run_passes(limits, solution, messages);
  }
#if CHORALE_HAS_AVX2_VARIANTS
  [[gnu::target("avx2")]] static void avx2(SumPassMarginals &marginals, Limits &limits,
                                           Solution &solution, double *messages) noexcept {
    marginals.run_passes(limits, solution, messages);
  }
#endif
};

void SumPassMarginals::run(Limits &limits, Solution &solution, double *messages) noexcept {
#if CHORALE_HAS_AVX2_VARIANTS
  if (has_avx2())
    return Variants::avx2(*this, limits, solution, messages);
#endif
  Variants::anywhere(*this, limits, solution, messages);
}

} // namespace chorale
