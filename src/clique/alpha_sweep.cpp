#include "clique/alpha_sweep.hpp"

#include <algorithm>

namespace chorale {
namespace {

// Fewer members than this are sorted as they come, and buckets fuller by comparison.
constexpr std::int32_t kFullBucket = 24;

// Puts a member into its place among the `count` first, behind those of equal gain.
void insert(const AlphaSweep::Ranked moving, AlphaSweep::Ranked *to, std::int32_t count) noexcept {
  for (; count > 0 && to[count - 1].gain < moving.gain; --count)
    to[count] = to[count - 1];
  to[count] = moving;
}

bool comes_before(const AlphaSweep::Ranked &a, const AlphaSweep::Ranked &b) noexcept {
  return a.gain > b.gain || (a.gain == b.gain && a.member < b.member);
}

} // namespace

void AlphaSweep::order_by(std::int32_t alpha, double reach) noexcept {
  const Instance &in = *instance_;
  std::fill(counts_, counts_ + in.columns, 0);
  alpha_ = alpha;
  forced_ = 0;
  base_ = 0;
  std::int32_t free = 0;
  std::int32_t excluded = in.members;
  const double *at_alpha = in.scores + alpha;
  for (std::int32_t i = 0; i < in.members; ++i, at_alpha += in.columns) {
    const bool is_best = in.best[i] == alpha;
    const std::int32_t other = is_best ? in.second[i] : in.best[i];
    const double at_other = is_best ? in.second_score[i] : in.best_score[i];
    const double gain = other < 0 ? kInfinity : *at_alpha - at_other;
    if (other < 0 || gain > reach) {
      ++counts_[alpha];
      base_ += *at_alpha;
      order_[forced_++] = {gain, i, other};
      continue;
    }
    ++counts_[other];
    base_ += at_other;
    if (*at_alpha == kForbidden || gain < -reach)
      order_[--excluded] = {gain, i, other};
    else
      unordered_[free++] = {gain, i, other};
  }
  allowed_ = forced_ + free;
  sort_free(free);
}

// Spreads the free members over as many buckets as there are members, by gain, and mends what is
// out of order within a bucket. Gains that crowd into few buckets are sorted by comparison instead.
void AlphaSweep::sort_free(std::int32_t count) noexcept {
  Ranked *to = order_ + forced_;
  if (count <= kFullBucket) {
    for (std::int32_t j = 0; j < count; ++j)
      insert(unordered_[j], to, j);
    return;
  }
  double low = unordered_[0].gain;
  double high = low;
  for (std::int32_t j = 1; j < count; ++j) {
    low = std::min(low, unordered_[j].gain);
    high = std::max(high, unordered_[j].gain);
  }
  const double scale = (count - 1) / (high - low);
  // Equal gains are in order already; a spread too wide or too narrow for the scale is rare.
  if (!(scale > 0 && scale < kInfinity)) {
    std::copy(unordered_, unordered_ + count, to);
    std::sort(to, to + count, comes_before);
    return;
  }
  std::fill(bucket_, bucket_ + count + 1, 0);
  for (std::int32_t j = 0; j < count; ++j)
    ++bucket_[static_cast<std::int32_t>((high - unordered_[j].gain) * scale)];
  std::int32_t start = 0;
  std::int32_t fullest = 0;
  for (std::int32_t b = 0; b < count; ++b) {
    const std::int32_t size = bucket_[b];
    fullest = std::max(fullest, size);
    bucket_[b] = start;
    start += size;
  }
  if (fullest > kFullBucket) {
    std::copy(unordered_, unordered_ + count, to);
    std::sort(to, to + count, comes_before);
    return;
  }
  for (std::int32_t j = 0; j < count; ++j)
    to[bucket_[static_cast<std::int32_t>((high - unordered_[j].gain) * scale)]++] = unordered_[j];
  // Buckets keep the order of the members, so equal gains stay as they are.
  for (std::int32_t j = 1; j < count; ++j)
    insert(to[j], to, j);
}

} // namespace chorale
