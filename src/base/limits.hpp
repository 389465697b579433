// Limits that can interrupt a computation: deadline and cancel flag.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>

struct chorale_cancel;

namespace chorale {

enum class Interruption : std::int32_t { none, deadline, cancelled };

// Converts a time limit in seconds of the public interface (0 or plus infinity: no limit; negative:
// already over) to one of the class Limits (negative: no limit; 0: already over).
inline double seconds_of(double given) noexcept {
  return given == 0 || given == std::numeric_limits<double>::infinity() ? -1 : std::max(given, 0.0);
}

// Decides when a deadline or a cancel flag interrupts a computation. Before each piece of work, a
// loop calls spend() with the number of steps of this piece. The clock and the flag are read only
// once in kBetweenLooks steps, so most calls cost only a subtraction and a comparison.
class Limits {
public:
  // Steps between two readings of the clock. A step is an addition or a comparison, about a
  // nanosecond, so the interval is about a millisecond.
  static constexpr std::int64_t kBetweenLooks = 1 << 20;
  // Greatest number of steps that a loop should do between two calls of spend().
  static constexpr std::int64_t kStretch = 1 << 18;
  // Number of steps that a memory access in random order counts as, because of cache misses.
  static constexpr std::int64_t kScattered = 16;

  Limits() noexcept = default;
  // `seconds`: time limit; negative for none. `cancel`: may be NULL.
  Limits(double seconds, const chorale_cancel *cancel) noexcept;
  // Returns limits that interrupt (Interruption::deadline) when more than `steps` steps have been
  // announced: on every machine at the same place, which a deadline does not ensure.
  static Limits of_steps(std::int64_t steps) noexcept {
    Limits made;
    made.left_ = steps;
    made.counts_steps_ = true;
    return made;
  }

  // Announces `work` steps. True if the computation may go on. Once false has been returned, all
  // later calls return false. The first call with work > 0 reads the clock and the flag, unless
  // of_steps() made this object.
  bool spend(std::int64_t work) noexcept {
    left_ -= work;
    if (left_ < 0) [[unlikely]]
      look_again();
    return interruption_ == Interruption::none;
  }
  // Reads the clock and the flag now, unless the computation is interrupted already. Returns the
  // first interruption seen, or Interruption::none.
  Interruption check_now() noexcept {
    if (interruption_ == Interruption::none)
      look();
    return interruption_;
  }
  Interruption interruption() const noexcept { return interruption_; }
  // Returns the seconds until the deadline, at least 0; negative if there is no deadline.
  double seconds_left() const noexcept;
  // Replaces the deadline by the deadline of `other`, or by none if `other` has none.
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
  bool counts_steps_ = false; // made by of_steps(): interrupts when left_ becomes negative
  Interruption interruption_ = Interruption::none;
  std::int64_t left_ = 0; // steps until the clock and the flag are read again
};

// Limits that never interrupt.
struct NoLimits {
  static constexpr std::int64_t kStretch = Limits::kStretch;
  bool spend(std::int64_t) const noexcept { return true; }
};

// Calls body(begin, end) for consecutive ranges [begin, end) that together are 0 .. count - 1. Each
// index costs `work` steps. A range costs at most Limits::kStretch steps, unless it is a single
// index. False if interrupted. `limits`: any object with spend(). Always inlined, so that the body
// is compiled for the caller's instruction set.
template <class Limits_, class Body>
[[gnu::always_inline]] inline bool in_stretches(Limits_ &&limits, std::int64_t count,
                                                std::int64_t work, Body &&body) noexcept {
  // A short loop, the usual case, needs no division.
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

// Copies `count` elements, range by range. False if interrupted.
template <class Limits_, class T>
bool copy_within(Limits_ &&limits, const T *from, std::int64_t count, T *to) noexcept {
  return in_stretches(limits, count, 1, [&](std::int64_t begin, std::int64_t end) {
    std::copy(from + begin, from + end, to + begin);
  });
}

// Checks the limits in a loop that cannot be split into ranges: next() calls spend() once for many
// rounds of the loop. `work`: steps of a round. `count`: approximate number of rounds.
template <class Limits_> class Pace {
public:
  Pace(Limits_ &limits, std::int64_t work, std::int64_t count) noexcept
      : limits_(limits), work_(work),
        stretch_(std::max<std::int64_t>(
            count * work <= Limits::kStretch ? count : Limits::kStretch / work, 1)) {}
  // Must be called before each round. True if the loop may go on.
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
