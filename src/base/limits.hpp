// When a computation must end before its own end: deadline, cancel flag.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>

struct chorale_cancel;

namespace chorale {

enum class Interruption : std::int32_t { none, deadline, cancelled };

// The state of a run against its limits. Loops say how much work they are about to do, which costs
// an addition and a comparison; clock and flag are looked at once enough of it has gathered.
class Limits {
public:
  // Work is counted in elementary steps, an addition or a comparison: about a nanosecond each.
  // So many lie between two looks: about a millisecond.
  static constexpr std::int64_t kBetweenLooks = 1 << 20;
  // The most that a loop should do without asking.
  static constexpr std::int64_t kStretch = 1 << 18;

  Limits() noexcept = default;
  // A negative time limit is none.
  Limits(double seconds, const chorale_cancel *cancel) noexcept;

  // Whether to go on with `work` more steps. The first call looks; once it was no, it stays no.
  bool spend(std::int64_t work) noexcept {
    left_ -= work;
    if (left_ < 0) [[unlikely]]
      look_again();
    return interruption_ == Interruption::none;
  }
  // Looks; stays at the first answer other than none.
  Interruption check_now() noexcept {
    if (interruption_ == Interruption::none)
      look();
    return interruption_;
  }
  Interruption interruption() const noexcept { return interruption_; }
  // Whether they can come at all; and how often they were looked at, about once a millisecond.
  bool can_come() const noexcept { return has_deadline_ || cancel_; }
  std::int64_t looks() const noexcept { return looks_; }
  // Keeps time back for what follows what these limits end: so much, but no more than an eighth of
  // what is left.
  void keep_back(std::chrono::steady_clock::duration time) noexcept {
    if (has_deadline_)
      deadline_ -= std::max(std::chrono::steady_clock::duration{},
                            std::min(time, (deadline_ - std::chrono::steady_clock::now()) / 8));
  }
  // From now on the deadline of `other`.
  void shorten(const Limits &other) noexcept {
    deadline_ = other.deadline_;
    has_deadline_ = other.has_deadline_;
  }

private:
  void look() noexcept;
  void look_again() noexcept;

  std::chrono::steady_clock::time_point deadline_{};
  const chorale_cancel *cancel_ = nullptr;
  bool has_deadline_ = false;
  Interruption interruption_ = Interruption::none;
  std::int64_t left_ = 0; // steps until the next look
  std::int64_t looks_ = 0;
};

// Limits that never come.
struct NoLimits {
  static constexpr std::int64_t kStretch = Limits::kStretch;
  bool spend(std::int64_t) const noexcept { return true; }
};

// body(begin, end) for stretches of 0 .. count - 1 in order, each index worth `work` steps. False
// where the limits ended the loop. Limits: anything with spend(). Always inlined, so that the body
// is compiled for the machine that its function is for.
template <class Limits_, class Body>
[[gnu::always_inline]] inline bool in_stretches(Limits_ &&limits, std::int64_t count, std::int64_t work, Body &&body) noexcept {
  // The usual loop is short: no division for it.
  const std::int64_t stretch = count * work <= Limits::kStretch
                                   ? count
                                   : std::max<std::int64_t>(Limits::kStretch / work, 1);
  for (std::int64_t begin = 0; begin < count;) {
    const std::int64_t end = std::min(count, begin + stretch);
    if (!limits.spend((end - begin) * work))
      return false;
    body(begin, end);
    begin = end;
  }
  return true;
}

// std::copy in stretches. False where the limits ended it.
template <class Limits_, class T>
bool copy_within(Limits_ &&limits, const T *from, std::int64_t count, T *to) noexcept {
  return in_stretches(limits, count, 1, [&](std::int64_t begin, std::int64_t end) {
    std::copy(from + begin, from + end, to + begin);
  });
}

// Asks once a stretch, for loops that cannot be cut: of about `count` rounds of `work` steps each.
template <class Limits_> class Pace {
public:
  Pace(Limits_ &limits, std::int64_t work, std::int64_t count) noexcept
      : limits_(limits), work_(work),
        stretch_(std::max<std::int64_t>(
            count * work <= Limits::kStretch ? count : Limits::kStretch / work, 1)) {}
  // Before each round: whether to go on.
  [[gnu::always_inline]] bool next() noexcept {
    if (--left_ >= 0) [[likely]]
      return true;
    left_ = stretch_ - 1;
    return limits_.spend(stretch_ * work_);
  }

private:
  Limits_ &limits_;
  std::int64_t work_;
  std::int64_t stretch_;
  std::int64_t left_ = 0;
};

} // namespace chorale
