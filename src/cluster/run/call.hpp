// State of one call on a run: its limits, and the reason to end early. A call does its work in
// *steps*; if a step is interrupted, the next call does it again (course.hpp). Limits::spend()
// counts much smaller steps.
#pragma once

#include "base/limits.hpp"
#include "base/workspace.hpp"
#include "cluster/run/options.hpp"
#include "potential/potential.hpp"

#include <atomic>

namespace chorale {

// Current activity of a run. Determines which functions a callback may call on the run.
enum class Activity : std::int32_t {
  none,
  working, // labellings and messages are being changed
  telling  // the progress callback runs; labellings and messages may be read
};

// Limits, memory and counters of one worker thread.
struct alignas(kAlignment) Worker {
  Limits limits;
  // Scratch memory for the program (chain_program.hpp, clique_program.hpp) that the worker runs.
  std::byte *room = nullptr;
  // Counters. Tally::take() (state.hpp) adds them to those of the run and sets them to 0: after
  // parallel loops, and in solves after edits before each round of cliques and at the end.
  std::int64_t chain_updates = 0;
  std::int64_t clique_updates = 0;
  std::int64_t messages_changed = 0;
  // Not a counter: the worker found a chain that must be left out. Round 0 reads and clears it.
  bool met_infeasible = false;
};

// Limits of a call and why it ended. The fields that workers write are atomic, since any worker may
// end the call.
class Call {
public:
  // Begins a new call: sets its limits, here and in `workers`, and forgets why the last one ended.
  void begin(const RunOptions &options, gsl::span<Worker> workers) noexcept;
  // Clears the reason for which the last call ended early.
  void forget() noexcept {
    stop_.store(Interruption::none, std::memory_order_relaxed);
    failure_ = RunFailure::none;
    claims_failure_.store(false, std::memory_order_relaxed);
    failed_.store(false, std::memory_order_relaxed);
  }

  // True if the worker may start another step. False if the call must end; records the reason if a
  // limit has just been reached.
  bool check(Worker &worker) noexcept;
  // Records that a step was completed. The deadline of the call applies from then on; the first
  // step may have a later deadline (call.cpp).
  void finish_step() noexcept { has_worked_.store(true, std::memory_order_relaxed); }
  // Records the first failure of the call.
  void fail(const RunFailure &why) noexcept {
    if (why == RunFailure::none || claims_failure_.exchange(true, std::memory_order_relaxed))
      return;
    failure_ = why;
    failed_.store(true, std::memory_order_release);
  }
  // Must be called after limits, or a failure of the call, ended a function of the worker early. Records
  // why the call ends. Returns false.
  bool end(Worker &worker) noexcept {
    check(worker);
    return false;
  }
  // Must be called after a function of a chain or clique program returned false. Records the
  // failure or interruption, if it was one. Returns false.
  template <class Program> bool give_up(const Program &program, Worker &worker) noexcept {
    fail(program.failure);
    return program.interrupted() && end(worker);
  }
  void cancel() noexcept { stop_.store(Interruption::cancelled, std::memory_order_relaxed); }

  Interruption stopped() const noexcept { return stop_.load(std::memory_order_relaxed); }
  RunFailure failure() const noexcept { return failed() ? failure_ : RunFailure::none; }
  bool failed() const noexcept { return failed_.load(std::memory_order_acquire); }
  bool must_end() const noexcept { return stopped() != Interruption::none || failed(); }

  std::atomic<Activity> activity{Activity::none};

private:
  Limits limits_; // the limits of the call; the workers use them once a first step is complete
  std::atomic<bool> has_worked_{false};
  // Consecutive calls that reached their deadline before completing a step.
  int fruitless_calls_ = 0;
  std::atomic<Interruption> stop_{Interruption::none};
  RunFailure failure_; // written only by the first worker that fails; read once `failed_` is true
  std::atomic<bool> claims_failure_{false}; // a worker writes `failure_`, or has written it
  std::atomic<bool> failed_{false};         // `failure_` is complete
};

} // namespace chorale
