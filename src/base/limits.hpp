// When a computation must end before its own end: deadline, cancel flag.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

struct chorale_cancel;

namespace chorale {

enum class Interruption : std::int32_t { none, deadline, cancelled };

// The state of a run against its limits. Asking is cheap: the clock is read every kStride-th time.
class Limits {
public:
  Limits() noexcept = default;
  // A negative time limit is none.
  Limits(double seconds, const chorale_cancel *cancel) noexcept;

  // Whether to stop now; stays at the first answer other than none.
  Interruption check() noexcept {
    if (interruption_ == Interruption::none && ++asked_ % kStride == 1)
      look();
    return interruption_;
  }
  // The same without the stride, for callers whose steps are long.
  Interruption check_now() noexcept {
    if (interruption_ == Interruption::none)
      look();
    return interruption_;
  }
  Interruption interruption() const noexcept { return interruption_; }

private:
  static constexpr std::uint32_t kStride = 16;
  void look() noexcept;

  std::chrono::steady_clock::time_point deadline_{};
  const chorale_cancel *cancel_ = nullptr;
  bool has_deadline_ = false;
  std::uint32_t asked_ = 0;
  Interruption interruption_ = Interruption::none;
};

} // namespace chorale
