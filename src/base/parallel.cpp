// parallel.hpp explains the words used here.
#include "base/parallel.hpp"

#include "base/untrapped.hpp"

#include <atomic>
#include <pthread.h>

namespace chorale {
namespace {

struct Loop {
  std::int64_t count;
  Executor::Body body;
  void *user;
  std::atomic<std::int64_t> next{0};

  void work(std::int64_t worker) noexcept {
    for (std::int64_t i = next.fetch_add(1, std::memory_order_relaxed); i < count;
         i = next.fetch_add(1, std::memory_order_relaxed))
      body(user, i, worker);
  }
};

struct WorkerThread {
  Loop *loop;
  std::int64_t number;
};

// Checks the calls of an external executor, for i = 0 .. count - 1. Bit i % 64 of taken[i / 64] is
// set when the executor makes the call for i, so that a second call for the same i is noticed.
struct Claims {
  std::int64_t count;
  std::int32_t workers;
  Executor::Body body;
  void *user;
  std::atomic<bool> broken{false};
  std::atomic<std::int64_t> run_so_far{0};
  std::atomic<std::uint64_t> taken[kMostStretches / 64];

  Claims(std::int64_t steps, std::int32_t on, Executor::Body step, void *step_user) noexcept
      : count(steps), workers(on), body(step), user(step_user) {
    for (std::int64_t word = 0; word * 64 < count; ++word)
      taken[word].store(0, std::memory_order_relaxed);
  }
  void run(std::int64_t i, std::int64_t worker) noexcept {
    const std::uint64_t bit = std::uint64_t{1} << (i & 63);
    if (i < 0 || i >= count || worker < 0 || worker >= workers ||
        (taken[i / 64].fetch_or(bit, std::memory_order_relaxed) & bit) != 0) {
      broken.store(true, std::memory_order_relaxed);
      return;
    }
    body(user, i, worker);
    run_so_far.fetch_add(1, std::memory_order_relaxed);
  }
  bool complete() const noexcept {
    return run_so_far.load(std::memory_order_relaxed) == count &&
           !broken.load(std::memory_order_relaxed);
  }
};

} // namespace

bool Executor::run(std::int64_t count, Body body, void *body_user) const noexcept {
  if (external) {
    Claims claims(count, workers, body, body_user);
    external(user, count, workers,
             [](void *at, std::int64_t i, std::int64_t worker) {
               const Untrapped untrapped; // since traps may be enabled on the executor's threads
               static_cast<Claims *>(at)->run(i, worker);
             },
             &claims);
    return claims.complete();
  }
  Loop loop{count, body, body_user};
  pthread_t threads[kMostWorkers];
  WorkerThread places[kMostWorkers];
  std::int32_t started = 0;
  // If a thread cannot be created, the threads that exist do its share of the loop.
  for (; started + 1 < workers && started + 1 < count; ++started) {
    places[started] = {&loop, started + 1};
    const auto entry = [](void *place) -> void * {
      const auto &worker = *static_cast<WorkerThread *>(place);
      worker.loop->work(worker.number);
      return nullptr;
    };
    if (pthread_create(&threads[started], nullptr, entry, &places[started]) != 0)
      break;
  }
  loop.work(0);
  for (std::int32_t k = 0; k < started; ++k)
    pthread_join(threads[k], nullptr);
  return true;
}

} // namespace chorale
