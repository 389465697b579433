#include "clique/sum_pass_marginals.hpp"

#include <algorithm>

namespace chorale {
namespace {

constexpr std::int32_t kBlock = 8;
constexpr std::int32_t kWindow = 32 * kBlock;

void raise(double *to, const double *by, std::int64_t count) noexcept {
  for (std::int64_t v = 0; v < count; ++v)
    to[v] = by[v] > to[v] ? by[v] : to[v];
}

// to[v] = max(to[v], by[v] + add).
void raise_by_sum(double *to, const double *by, double add, std::int64_t count) noexcept {
  for (std::int64_t v = 0; v < count; ++v) {
    const double sum = by[v] + add;
    to[v] = sum > to[v] ? sum : to[v];
  }
}

} // namespace

SumPassMarginals::SumPassMarginals(Layout &layout, const Instance &instance) noexcept
    : instance_(&instance), sweep_(layout, instance), score_(layout, instance.potential),
      width_(std::int64_t{instance.columns} + 1),
      next_(layout.take<std::int32_t>(instance.columns)) {
  const auto K = static_cast<std::size_t>(instance.columns);
  const auto labellings = static_cast<std::size_t>(instance.members) + 1;
  const auto width = static_cast<std::size_t>(width_);
  const std::size_t rows = std::min<std::size_t>(labellings, kWindow);
  before_ = layout.take<double>(saturating_product(K, K));
  states_ = layout.take<double>(saturating_product(rows, width));
  blocks_ = layout.take<double>(saturating_product(rows / kBlock + 1, width));
  scores_ = layout.take<double>(labellings);
  range_ = layout.take<double>(width);
}

void SumPassMarginals::run(Limits &limits, Solution &solution, double *messages) noexcept {
  const Instance &in = *instance_;
  std::fill(messages, messages + std::int64_t{in.members} * in.columns, kForbidden);
  for (std::int32_t alpha = 0; alpha < in.columns; ++alpha) {
    if (limits.check_now() != Interruption::none)
      return;
    pass(alpha, messages);
    ++solution.iterations;
  }
}

void SumPassMarginals::pass(std::int32_t alpha, double *messages) noexcept {
  const std::int64_t K = instance_->columns;
  sweep_.order_by(alpha);
  score_.reset(sweep_.counts());
  std::fill(next_, next_ + K, sweep_.forced());
  std::fill(before_, before_ + K * K, kForbidden);

  double members = sweep_.base();
  for (std::int32_t k = sweep_.forced();; ++k) {
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
  for (std::int32_t rank = sweep_.allowed(); rank < instance_->members; ++rank) {
    fold(sweep_.at(rank).from, sweep_.allowed());
    read_before(rank, messages);
  }
  read_after(alpha, messages);
}

std::int32_t SumPassMarginals::place(std::int32_t k) const noexcept {
  return (k - sweep_.forced()) % kWindow;
}

void SumPassMarginals::write_state(std::int32_t k, double score) noexcept {
  const std::int64_t K = instance_->columns;
  scores_[k] = score;
  double *row = state(k);
  const double *join = score_.join();
  for (std::int64_t v = 0; v < K; ++v)
    row[v] = score + join[v];
  row[K] = score;

  double *block = blocks_ + place(k) / kBlock * width_;
  if (place(k) % kBlock == 0)
    std::copy(row, row + width_, block);
  else
    raise(block, row, width_);
}

void SumPassMarginals::fold(std::int32_t b, std::int32_t k) noexcept {
  const std::int32_t first = next_[b];
  if (first > k)
    return;
  next_[b] = k + 1;
  std::copy(state(first), state(first) + width_, range_);
  for (std::int32_t j = first + 1; j <= k;) {
    if (place(j) % kBlock == 0 && j + kBlock - 1 <= k) {
      raise(range_, blocks_ + place(j) / kBlock * width_, width_);
      j += kBlock;
    } else {
      raise(range_, state(j), width_);
      ++j;
    }
  }
  const std::int64_t K = instance_->columns;
  double *row = before_ + b * K;
  const double stays = std::max(row[b], range_[K]);
  raise_by_sum(row, range_, score_.leave()[b], K);
  row[b] = stays;
}

void SumPassMarginals::read_before(std::int32_t rank, double *messages) noexcept {
  const std::int64_t K = instance_->columns;
  const auto &[gain, member, from] = sweep_.at(rank);
  raise_by_sum(messages + member * K, before_ + from * K, -instance_->score(member, from), K);
}

// Labellings in which the member has alpha, from the last to the first it has it in. Members that
// had alpha from the start share the first labelling.
void SumPassMarginals::read_after(std::int32_t alpha, double *messages) noexcept {
  const std::int64_t K = instance_->columns;
  double *best = range_;
  const double *join = score_.join();
  const double *f = instance_->potential.tables[alpha];
  const bool has_rows = sweep_.allowed() - sweep_.forced() < kWindow;
  std::fill(best, best + width_, kForbidden);
  for (std::int32_t k = sweep_.allowed(); k > 0; --k) {
    if (k >= sweep_.forced()) {
      const double score = scores_[k];
      const double leave = f[k - 1] - f[k];
      const double stays = std::max(best[alpha], score);
      if (has_rows) {
        raise_by_sum(best, state(k), leave, K);
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
}

} // namespace chorale
