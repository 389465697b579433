// Loops whose steps may run on several threads.
//
// Each step writes to memory of its own, so results do not depend on the number of threads.
#pragma once

#include <algorithm>
#include <cstdint>

namespace chorale {

inline constexpr std::int32_t kMostWorkers = 256;
inline constexpr std::int64_t kLongStretch = 32;
inline constexpr std::int64_t kStretches = 64; // a worker; longer loops get longer stretches
inline constexpr std::int64_t kMostStretches = kStretches * kMostWorkers; // in one loop

// Runs a loop: on the calling thread; on this thread and others created for the loop; or on the
// caller's executor (`external`).
struct Executor {
  using Body = void (*)(void *body_user, std::int64_t i, std::int64_t worker);
  using External = void (*)(void *user, std::int64_t count, std::int64_t workers, Body body,
                            void *body_user);

  std::int32_t workers = 1; // at most kMostWorkers
  External external = nullptr;
  void *user = nullptr;

  // Calls body(body_user, i, worker) for i = 0 .. count - 1; count <= kMostStretches. False if an
  // external executor did not call the body exactly once for each i, or with a worker number out of
  // range; such calls are not passed on.
  bool run(std::int64_t count, Body body, void *body_user) const noexcept;
};

// Calls step(i, worker), which is noexcept, for i = 0 .. count - 1. Consecutive steps are grouped
// into stretches of `grain`, since a step may be short; in long loops up to kLongStretch times as
// many, since neighbouring steps write to neighbouring memory and are best run by one thread. False
// if an external executor left out or repeated steps.
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
