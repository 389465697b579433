#include "base/parallel.hpp"

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

struct Worker {
  Loop *loop;
  std::int64_t number;
};

} // namespace

void Executor::run(std::int64_t count, Body body, void *body_user) const noexcept {
  if (external) {
    external(user, count, workers, body, body_user);
    return;
  }
  Loop loop{count, body, body_user};
  pthread_t threads[kMostWorkers];
  Worker places[kMostWorkers];
  std::int32_t started = 0;
  // A thread that cannot be had leaves its share to the others.
  for (; started + 1 < workers && started + 1 < count; ++started) {
    places[started] = {&loop, started + 1};
    const auto entry = [](void *place) -> void * {
      const auto &worker = *static_cast<Worker *>(place);
      worker.loop->work(worker.number);
      return nullptr;
    };
    if (pthread_create(&threads[started], nullptr, entry, &places[started]) != 0)
      break;
  }
  loop.work(0);
  for (std::int32_t k = 0; k < started; ++k)
    pthread_join(threads[k], nullptr);
}

} // namespace chorale
