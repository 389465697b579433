// idle_passes.hpp explains the words used here.
#include "clique/passes/idle_passes.hpp"

#include "base/lanes.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace chorale {
namespace {

// Allowance for rounding errors, relative to the magnitudes of the terms. Covers the errors made in
// this file and those made in the passes.
constexpr double kIdleSlack = 1e-12;

} // namespace

IdlePasses::IdlePasses(Layout &layout, const Instance &instance) noexcept
    : instance_(&instance),
      idle_(fits(instance) ? layout.take<std::uint8_t>(std::int64_t{instance.columns}) : nullptr) {}

bool IdlePasses::fits(const Instance &instance) noexcept {
  return instance.members <= kMostMembers && instance.columns >= kLanes &&
         instance.potential.form == Form::sum && instance.potential.finite &&
         instance.potential.convex;
}

CHORALE_INLINE void IdlePasses::find_all() noexcept {
  const Instance &in = *instance_;
  const double *const *tables = in.potential.tables;
  const std::int32_t n = in.members;
  double slack = 0;           // allowance for the terms that all passes have in common
  double least_left = kInfinity; // least f_v(1) - f_v(0) over the members' best columns v
  for (std::int32_t i = 0; i < n; ++i) {
    const double *f = tables[in.best[i]];
    slack += std::fabs(in.best_score[i]) + std::fabs(f[0]) + std::fabs(f[n]);
    least_left = std::min(least_left, f[1] - f[0]);
  }
  slack *= kIdleSlack;
  const auto look_at = [&](std::int64_t begin, std::int64_t end) CHORALE_INLINE_LAMBDA {
    for (std::int64_t group = begin; group < end; ++group) {
      // The last group is moved back to end at the last column, so it may overlap the group before.
      const std::int64_t first = std::min<std::int64_t>(group * kLanes, in.columns - kLanes);
      Lanes gain[kMostMembers]; // the members' gains, sorted by insertion, greatest first
      for (std::int32_t i = 0; i < n; ++i) {
        Lanes moving;
        std::memcpy(&moving, in.row(i) + first, sizeof moving);
        moving -= in.best_score[i];
        for (std::int32_t rank = 0; rank < i; ++rank) {
          const Lanes ahead = gain[rank];
          gain[rank] = ahead > moving ? ahead : moving;
          moving = ahead > moving ? moving : ahead;
        }
        gain[i] = moving;
      }
      const double *f[kLanes];
      for (std::int32_t lane = 0; lane < kLanes; ++lane)
        f[lane] = tables[first + lane];
      const Lanes none = {f[0][0], f[1][0], f[2][0], f[3][0]};
      Lanes gains = {};
      Lanes most = Lanes{} + kForbidden;
      for (std::int32_t k = 1; k <= n; ++k) {
        gains += gain[k - 1];
        const Lanes joined = {f[0][k], f[1][k], f[2][k], f[3][k]};
        const Lanes size = (joined > Lanes{} ? joined : -joined) + (none > Lanes{} ? none : -none);
        const Lanes bound =
            gains * (1 - kIdleSlack) + (joined - none - k * least_left) + kIdleSlack * size;
        most = bound > most ? bound : most;
      }
      for (std::int32_t lane = 0; lane < kLanes; ++lane)
        idle_[first + lane] = most[lane] < -slack ? 1 : 0;
    }
  };
  // The result is ignored: if the limits interrupt this loop, they interrupt the first pass too.
  in_stretches(in, (std::int64_t{in.columns} + kLanes - 1) / kLanes, 4 * n * n, look_at);
  for (std::int32_t i = 0; i < n; ++i)
    idle_[in.best[i]] = 0;
}

void IdlePasses::find() noexcept {
  if (idle_)
    on_best_units([this]() CHORALE_INLINE_LAMBDA { find_all(); });
}

} // namespace chorale
