// One call on a run: its limits, and why it must end.
#pragma once

#include "base/limits.hpp"
#include "base/workspace.hpp"
#include "cluster/run/options.hpp"
#include "potential/potential.hpp"

#include <atomic>

namespace chorale {

// What a run is in the middle of, as its callbacks see it.
enum class Activity : std::int32_t {
  none,
  working, // labellings and messages are being changed
  telling  // progress is being reported; labellings and messages are at rest and may be read
};

// What one worker of a loop has for itself.
struct alignas(kAlignment) Worker {
  Limits limits;
  std::byte *room = nullptr; // of the program that the worker runs
  // Added up when the loop is over.
  std::int64_t chain_updates = 0;
  std::int64_t clique_updates = 0;
  std::int64_t messages_changed = 0;
};

// Any worker may end the call: all fields that workers write are atomic.
class Call {
public:
  // Starts the limits of a call anew, of `workers` as well.
  void begin(const RunOptions &options, Worker *workers) noexcept;
  // Forgets how the last call ended.
  void forget() noexcept {
    stop_.store(Interruption::none, std::memory_order_relaxed);
    failure_.store(RunFailure::none, std::memory_order_relaxed);
  }

  // True if the worker may go on.
  bool check(Worker &worker) noexcept;
  // After each whole step. A call does one step before its deadline counts.
  void finish_step() noexcept { has_worked_.store(true, std::memory_order_relaxed); }
  void fail(RunFailure why) noexcept {
    if (why != RunFailure::none)
      failure_.store(why, std::memory_order_relaxed);
  }
  void fail(CallbackFailure why) noexcept {
    fail(failure_of(why));
  }
  // Notes why a program has not done what it was asked for: it failed, or the limits ended it.
  template <class Program> void give_up(const Program &program, Worker &worker) noexcept {
    fail(program.failure);
    if (program.interrupted())
      check(worker);
  }
  void cancel() noexcept { stop_.store(Interruption::cancelled, std::memory_order_relaxed); }

  Interruption stopped() const noexcept { return stop_.load(std::memory_order_relaxed); }
  RunFailure failure() const noexcept { return failure_.load(std::memory_order_relaxed); }
  bool failed() const noexcept { return failure() != RunFailure::none; }
  bool must_end() const noexcept { return stopped() != Interruption::none || failed(); }

  std::atomic<Activity> activity{Activity::none};

private:
  Limits limits_; // from the end of the first step on
  std::atomic<bool> has_worked_{false};
  int fruitless_calls_ = 0; // calls in a row that met their deadline before the end of a step
  std::atomic<Interruption> stop_{Interruption::none};
  std::atomic<RunFailure> failure_{RunFailure::none};
};

} // namespace chorale
