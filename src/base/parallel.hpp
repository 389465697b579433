// A loop whose steps may run on several threads.
//
// Steps write to memory of their own, so that nothing depends on which thread runs which step.
#pragma once

#include <algorithm>
#include <cstdint>

namespace chorale {

inline constexpr std::int32_t kMostWorkers = 256;
inline constexpr std::int64_t kLongStretch = 32;
inline constexpr std::int64_t kStretches = 64; // a worker has so many before they are lengthened
inline constexpr std::int64_t kMostStretches = kStretches * kMostWorkers; // of a loop

// Who runs a loop: the calling thread; it and threads that live as long as the loop; or the
// caller's own.
struct Executor {
  using Body = void (*)(void *body_user, std::int64_t i, std::int64_t worker);
  using External = void (*)(void *user, std::int64_t count, std::int64_t workers, Body body,
                            void *body_user);

  std::int32_t workers = 1; // at most kMostWorkers
  External external = nullptr;
  void *user = nullptr;

  // body(body_user, i, worker) for i = 0 .. count - 1; count at most kMostStretches. False where an
  // external executor did not call it once for each i, with a worker that there is: what it asked
  // for a second time was not run again.
  bool run(std::int64_t count, Body body, void *body_user) const noexcept;
};

// step(i, worker), noexcept, for every i; in stretches of `grain`, since a step may be short, and in
// long loops of up to kLongStretch times as many: steps near each other write near each other, and
// are best on one thread. False where an external executor left steps out, or asked for some twice.
template <class Step>
bool parallel_for(const Executor &executor, std::int64_t count, std::int64_t grain,
                  Step &&step) noexcept {
  if (executor.workers == 1 || count <= grain) {
    for (std::int64_t i = 0; i < count; ++i)
      step(i, std::int32_t{0});
    return true;
  }
  grain = std::clamp(count / (kStretches * executor.workers), grain, kLongStretch * grain);
  grain = std::max(grain, count / kMostStretches + 1);
  struct Stretch {
    Step *step;
    std::int64_t count;
    std::int64_t grain;
  } stretch{&step, count, grain};
  return executor.run((count + grain - 1) / grain,
               [](void *user, std::int64_t i, std::int64_t worker) {
                 const auto &of = *static_cast<Stretch *>(user);
                 const std::int64_t begin = i * of.grain;
                 const std::int64_t end = begin + of.grain < of.count ? begin + of.grain : of.count;
                 for (std::int64_t k = begin; k < end; ++k)
                   (*of.step)(k, static_cast<std::int32_t>(worker));
               },
               &stretch);
}

} // namespace chorale
