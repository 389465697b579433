#include "base/limits.hpp"

#include "base/cancel.hpp"

namespace chorale {

Limits::Limits(double seconds, const chorale_cancel *cancel) noexcept : cancel_(cancel) {
  // Limits of 3e9 seconds (about a century) and more could overflow the clock's arithmetic, so they
  // are treated as no limit.
  if (seconds >= 0 && seconds < 3e9) {
    has_deadline_ = true;
    deadline_ = std::chrono::steady_clock::now() +
                std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                    std::chrono::duration<double>(seconds));
  }
}

double Limits::seconds_left() const noexcept {
  if (!has_deadline_)
    return -1;
  return std::max(0.0, std::chrono::duration<double>(deadline_ - std::chrono::steady_clock::now())
                           .count());
}

void Limits::look() noexcept {
  if (cancel_ && cancel_->raised.load(std::memory_order_relaxed))
    interruption_ = Interruption::cancelled;
  else if (counts_steps_ && left_ < 0)
    interruption_ = Interruption::deadline;
  else if (has_deadline_ && std::chrono::steady_clock::now() >= deadline_)
    interruption_ = Interruption::deadline;
}

void Limits::look_again() noexcept {
  if (interruption_ == Interruption::none)
    look();
  left_ = kBetweenLooks;
}

} // namespace chorale
