// Loops whose steps may run on several threads.
//
// A step must not write to memory that another step reads or writes, so that results do not depend
// on the number of threads.
#pragma once

#include <algorithm>
#include <cstdint>

namespace chorale {

inline constexpr std::int32_t kMostWorkers = 256;
inline constexpr std::int64_t kLongStretch = 32;
// A stretch is a group of consecutive steps of a loop, which one thread runs. parallel_for()
// divides a loop into about kStretches stretches for each worker. It makes fewer if these would be
// shorter than `grain` steps (a parameter), and more if they would be longer than kLongStretch *
// grain steps. But a loop never has more than kMostStretches stretches.
inline constexpr std::int64_t kStretches = 64;
inline constexpr std::int64_t kMostStretches = kStretches * kMostWorkers;

// Runs loops: on the calling thread alone; on this thread and others that are created for the loop;
// or on an executor of the caller (`external`).
struct Executor {
  using Body = void (*)(void *body_user, std::int64_t i, std::int64_t worker);
  using External = void (*)(void *user, std::int64_t count, std::int64_t workers, Body body,
                            void *body_user);

  std::int32_t workers = 1; // at most kMostWorkers
  External external = nullptr;
  void *user = nullptr;

  // Calls body(body_user, i, worker) for i = 0 .. count - 1, where `worker` is a number below
  // `workers`. `count` must be at most kMostStretches. False if an external executor did not make
  // exactly one call for each i, or passed an invalid worker number. If the executor repeats a call
  // or makes an invalid one, this call does not reach `body`.
  bool run(std::int64_t count, Body body, void *body_user) const noexcept;
};

// Calls step(i, worker) for i = 0 .. count - 1; `step` must be noexcept. A thread runs stretches of
// consecutive steps. Each stretch but the last has at least `grain` steps (>= 1), since a single
// step may be too short for a thread. In long loops a stretch has up to kLongStretch * grain steps,
// since neighbouring steps write to neighbouring memory. It is even longer if the loop would
// otherwise have more than kMostStretches stretches. False if an external executor left out or
// repeated a stretch, or passed an invalid worker number.
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
