// count_plan.hpp explains the words used here.
#include "clique/dual/count_plan.hpp"

#include <algorithm>

namespace chorale {
namespace {

constexpr std::int64_t kCheap = 1 << 20; // steps: about a millisecond

} // namespace

CountPlan::CountPlan(Layout &layout, std::int32_t members, std::int32_t columns) noexcept
    : members_(members), columns_(columns),
      best_(layout.take<double>(2 * (std::int64_t{members} + 1))),
      choice_(layout.take<std::int32_t>(product_of_counts(std::int64_t{members} + 1, columns))),
      counts_(layout.take<std::int32_t>(columns)) {}

bool CountPlan::is_cheap(const CountDual &dual) const noexcept {
  std::int64_t counts = 0;
  for (std::int64_t v = 0; v < columns_; ++v)
    counts += dual.hi()[v] - dual.lo()[v] + 1;
  return counts * members_ <= kCheap;
}

double CountPlan::solve(const CountDual &dual, Limits &limits) noexcept {
  const std::int64_t N = members_ + 1;
  double *before = best_;
  double *after = best_ + N;
  std::fill(before, before + N, kForbidden);
  before[0] = 0.0;
  std::int64_t least = 0; // sums of counts reached so far lie in least .. most
  std::int64_t most = 0;
  for (std::int32_t v = 0; v < columns_; ++v) {
    const double *value = dual.values_of_counts(v);
    std::int32_t *choice = choice_ + v * N;
    std::fill(after, after + N, kForbidden);
    for (std::int32_t k = dual.lo()[v]; k <= dual.hi()[v]; ++k) {
      if (!limits.spend(N))
        return kForbidden;
      if (value[k] == kForbidden)
        continue;
      const std::int64_t last = std::min(most, members_ - k);
      for (std::int64_t sum = least; sum <= last; ++sum)
        if (before[sum] + value[k] > after[sum + k]) {
          after[sum + k] = before[sum] + value[k];
          choice[sum + k] = k;
        }
    }
    least = std::min(least + dual.lo()[v], members_);
    most = std::min(most + dual.hi()[v], members_);
    std::swap(before, after);
  }
  if (before[members_] == kForbidden)
    return kForbidden;
  std::int64_t left = members_;
  for (std::int64_t v = columns_ - 1; v >= 0; --v) {
    counts_[v] = choice_[v * N + left];
    left -= counts_[v];
  }
  return before[members_];
}

} // namespace chorale
