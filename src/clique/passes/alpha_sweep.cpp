// alpha_sweep.hpp explains the words used here.
#include "clique/passes/alpha_sweep.hpp"

#include "base/sort.hpp"

#include <algorithm>

namespace chorale {
namespace {

// Greatest size of a bucket that is sorted by insertion. If any bucket is fuller, all members are
// sorted by comparison. At most this many members are sorted by insertion without buckets.
constexpr std::int32_t kFullBucket = 24;

// Inserts a member into the array `to` of `count` members, which is sorted by descending gain,
// after members of equal gain.
void insert(const AlphaSweep::Ranked moving, AlphaSweep::Ranked *to, std::int32_t count) noexcept {
  for (; count > 0 && to[count - 1].gain < moving.gain; --count)
    to[count] = to[count - 1];
  to[count] = moving;
}

bool comes_before(const AlphaSweep::Ranked &a, const AlphaSweep::Ranked &b) noexcept {
  return a.gain > b.gain || (a.gain == b.gain && a.member < b.member);
}

} // namespace

bool AlphaSweep::order_by(std::int32_t alpha, double reach) noexcept {
  const Instance &in = *instance_;
  clear_counts();
  alpha_ = alpha;
  forced_ = 0;
  base_ = 0;
  std::int32_t free = 0;
  std::int32_t excluded = in.members;
  double least = kInfinity;
  double greatest = kForbidden;
  const auto part = [&](std::int64_t begin, std::int64_t end) {
    const double *at_alpha = in.scores + begin * in.columns + alpha;
    for (auto i = static_cast<std::int32_t>(begin); i < end; ++i, at_alpha += in.columns) {
      const bool is_best = in.best[i] == alpha;
      const std::int32_t other = is_best ? in.second[i] : in.best[i];
      const double at_other = is_best ? in.second_score[i] : in.best_score[i];
      const auto weight = static_cast<std::int32_t>(in.weight(i));
      double gain = other < 0 ? kInfinity : *at_alpha - at_other;
      if (in.weights)
        gain /= weight;
      if (other < 0 || gain > reach) {
        counts_[alpha] += weight;
        base_ += *at_alpha;
        order_[forced_++] = {gain, i, other};
        continue;
      }
      counts_[other] += weight;
      base_ += at_other;
      if (*at_alpha == kForbidden || gain < -reach)
        order_[--excluded] = {gain, i, other};
      else {
        unordered_[free++] = {gain, i, other};
        least = std::min(least, gain);
        greatest = std::max(greatest, gain);
      }
    }
  };
  if (!in_stretches(in, in.members, Limits::kScattered, part))
    return false;
  allowed_ = forced_ + free;
  least_ = least;
  greatest_ = greatest;
  return sort_free(free);
}

// Sets counts_ to 0. With more columns than members, resets only the entries that may be nonzero:
// those of the previous alpha and of the default columns of the previous pass.
void AlphaSweep::clear_counts() noexcept {
  const Instance &in = *instance_;
  if (!is_ordered_ || in.columns <= in.members) {
    std::fill(counts_, counts_ + in.columns, 0);
  } else {
    counts_[alpha_] = 0;
    for (std::int32_t rank = 0; rank < in.members; ++rank)
      if (order_[rank].from >= 0)
        counts_[order_[rank].from] = 0;
  }
  is_ordered_ = true;
}

// Sorts the `count` members of unordered_ by descending gain into order_, from rank forced_ on:
// distributes them to `count` buckets, then sorts by insertion, which moves members within their
// bucket only. If a bucket is too full, sorts by comparison instead. False if interrupted.
bool AlphaSweep::sort_free(std::int32_t count) noexcept {
  const Instance &in = *instance_;
  Ranked *to = order_ + forced_;
  if (count <= kFullBucket) {
    for (std::int32_t j = 0; j < count; ++j)
      insert(unordered_[j], to, j);
    return true;
  }
  const auto sort_by_comparison = [&] {
    return in_stretches(in, count, 2,
                        [&](std::int64_t begin, std::int64_t end) {
                          std::copy(unordered_ + begin, unordered_ + end, to + begin);
                        }) &&
           sort_within(in, to, count, comes_before);
  };
  const double high = greatest_;
  const double scale = (count - 1) / (greatest_ - least_);
  // Rare: all gains are equal, or their range is so small or so large that the scale overflows or
  // is 0.
  if (!(scale > 0 && scale < kInfinity))
    return sort_by_comparison();
  const auto histogram = [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t j = begin; j < end; ++j) {
      const auto bucket = static_cast<std::int32_t>((high - unordered_[j].gain) * scale);
      bucket_of_[j] = bucket;
      ++bucket_[bucket];
    }
  };
  std::fill(bucket_, bucket_ + count + 1, 0);
  if (!in_stretches(in, count, Limits::kScattered, histogram))
    return false;
  std::int32_t start = 0;
  std::int32_t fullest = 0;
  if (!in_stretches(in, count, 2, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t b = begin; b < end; ++b) {
          const std::int32_t size = bucket_[b];
          fullest = std::max(fullest, size);
          bucket_[b] = start;
          start += size;
        }
      }))
    return false;
  if (fullest > kFullBucket)
    return sort_by_comparison();
  if (!in_stretches(in, count, Limits::kScattered, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t j = begin; j < end; ++j)
          to[bucket_[bucket_of_[j]]++] = unordered_[j];
      }))
    return false;
  // Buckets were filled by ascending member, and insertion keeps the order of equal gains, so
  // members of equal gain are in ascending order.
  return in_stretches(in, count, 4, [&](std::int64_t begin, std::int64_t end) {
    for (auto j = static_cast<std::int32_t>(begin); j < end; ++j)
      insert(to[j], to, j);
  });
}

// Writes to bucket_ first, and copies from there: an interrupted call must leave `assignment`
// unchanged.
bool AlphaSweep::write(std::int32_t k, gsl::span<std::int32_t> assignment) noexcept {
  const std::int64_t n = instance_->members;
  Expects(assignment.size() >= to_size(n));
  if (!in_stretches(*instance_, n, Limits::kScattered, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t rank = begin; rank < end; ++rank)
          bucket_[order_[rank].member] = rank < k ? alpha_ : order_[rank].from;
      }))
    return false;
  std::copy_n(bucket_, n, assignment.data());
  return true;
}

} // namespace chorale
