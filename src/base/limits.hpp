// When a computation must end before its own end: deadline, cancel flag.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

struct chorale_cancel;

namespace chorale {

enum class Interruption : std::int32_t { none, deadline, cancelled };

// The state of a run against its limits. Loops say how much they are about to do, which costs an
// addition; the clock is read when enough has gathered.
class Limits {
public:
  Limits() noexcept = default;
  // A negative time limit is none.
  Limits(double seconds, const chorale_cancel *cancel) noexcept;

  // Adds `work` elementary steps (an addition, a comparison: about a nanosecond each) to the account
  // and looks at clock and flag once kStretch of them have gathered, the first time at once. Whether
  // to go on; no stretch of work between two calls should be longer than kStretch by much.
  bool spend(std::int64_t work) noexcept {
    left_ -= work;
    if (left_ < 0) [[unlikely]]
      look_again();
    return interruption_ == Interruption::none;
  }
  static constexpr std::int64_t kStretch = 1 << 20;

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
  // From now on the deadline of `other`.
  void shorten(const Limits &other) noexcept {
    deadline_ = other.deadline_;
    has_deadline_ = other.has_deadline_;
  }

private:
  static constexpr std::uint32_t kStride = 16;
  void look() noexcept;
  void look_again() noexcept;

  std::chrono::steady_clock::time_point deadline_{};
  const chorale_cancel *cancel_ = nullptr;
  bool has_deadline_ = false;
  std::uint32_t asked_ = 0;
  std::int64_t left_ = 0; // steps until the next look
  Interruption interruption_ = Interruption::none;
};

} // namespace chorale
