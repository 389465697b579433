// Loops whose steps may run on several threads.
//
// Each step must write only to memory of its own, so that results do not depend on the number of
// threads.
#pragma once

#include <algorithm>
#include <cstdint>

namespace chorale {

inline constexpr std::int32_t kMostWorkers = 256;
inline constexpr std::int64_t kLongStretch = 32;
// A stretch is a group of consecutive steps of a loop, which one thread runs. parallel_for()
// divides a loop into about kStretches stretches for each worker: into fewer if stretches would be
// shorter than `grain` steps, into more if they would be longer than kLongStretch * grain steps.
// But a loop never has more than kMostStretches stretches.
inline constexpr std::int64_t kStretches = 64;
inline constexpr std::int64_t kMostStretches = kStretches * kMostWorkers; // in one loop

// Runs loops: on the calling thread alone; on this thread and others that are created for the loop;
// or on an executor of the caller (`external`).
struct Executor {
  using Body = void (*)(void *body_user, std::int64_t i, std::int64_t worker);
  using External = void (*)(void *user, std::int64_t count, std::int64_t workers, Body body,
                            void *body_user);

  std::int32_t workers = 1; // at most kMostWorkers
  External external = nullptr;
  void *user = nullptr;

  // Calls body(body_user, i, worker) for i = 0 .. count - 1; count <= kMostStretches. False if an
  // external executor did not make exactly one call for each i, or passed an invalid worker number.
  // A repeated or invalid call of the executor does not reach `body`.
  bool run(std::int64_t count, Body body, void *body_user) const noexcept;
};

// Calls step(i, worker) for i = 0 .. count - 1; `step` must be noexcept. A thread runs a stretch of
// consecutive steps: at least `grain` steps, since a single step may be too short for a thread; in
// long loops up to kLongStretch * grain steps, since neighbouring steps write to neighbouring
// memory; and more only if there would be more than kMostStretches stretches. False if an external
// executor left out or repeated a step, or passed an invalid worker number.
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
