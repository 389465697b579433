#include "cluster/run/call.hpp"

#include <cmath>

namespace chorale {
namespace {

// The first step of a call gets at least this time, in seconds, even if the call's limit is shorter
// (unless the limit is 0). The time doubles after each call that completed no step, so repeated
// calls always make progress.
constexpr double kLeastFirstLimit = 0.04;
constexpr int kMostDoublings = 40;

} // namespace

void Call::begin(const RunOptions &options, gsl::span<Worker> workers) noexcept {
  const bool was_fruitless =
      stopped() == Interruption::deadline && !has_worked_.load(std::memory_order_relaxed);
  fruitless_calls_ = was_fruitless ? std::min(fruitless_calls_ + 1, kMostDoublings) : 0;
  forget();
  has_worked_.store(false, std::memory_order_relaxed);
  if (options.within) {
    limits_ = *options.within;
    for (Worker &worker : workers)
      worker.limits = limits_;
    return;
  }
  limits_ = Limits(options.time_limit, options.cancel);
  const double first_step =
      options.time_limit > 0
          ? std::ldexp(std::max(options.time_limit, kLeastFirstLimit), fruitless_calls_)
          : options.time_limit;
  const Limits first(first_step, options.cancel);
  for (Worker &worker : workers)
    worker.limits = first;
}

bool Call::check(Worker &worker) noexcept {
  if (must_end())
    return false;
  if (has_worked_.load(std::memory_order_relaxed))
    worker.limits.shorten(limits_);
  const Interruption interruption = worker.limits.check_now();
  if (interruption == Interruption::none)
    return true;
  stop_.store(interruption, std::memory_order_relaxed);
  return false;
}

} // namespace chorale
