// Interruptible sorting of long arrays.
//
// Short arrays are sorted by the standard library. Longer ones are first partitioned until the
// parts are short, and the limits are checked in between. Elements that compare equal must be
// identical, so that the result does not depend on the partitions. `limits` is any object with
// spend(), such as Limits.
#pragma once

#include "base/limits.hpp"
#include "base/random.hpp"

#include <algorithm>
#include <cstdint>

namespace chorale {

inline constexpr std::int64_t kSortedAtOnce = 1 << 15;

// Partitions a long array around an element near its median.
class Partition {
public:
  // Moves the elements less than a pivot to the front and returns their number. If there are none,
  // moves the elements not greater than the pivot, which are then equal to it, returns their number
  // and sets *equal to true. So the result is never 0; it is -1 if interrupted.
  template <class Limits_, class T, class Before>
  std::int64_t split(Limits_ &limits, T *data, std::int64_t count, Before &&before,
                     bool *equal) noexcept {
    T samples[kSamples];
    for (T &sample : samples)
      sample = data[next(count)];
    std::nth_element(samples, samples + kSamples / 2, samples + kSamples, before);
    const T pivot = samples[kSamples / 2];
    *equal = false;
    std::int64_t first = gather(limits, data, count, [&](const T &x) { return before(x, pivot); });
    if (first == 0) {
      *equal = true;
      first = gather(limits, data, count, [&](const T &x) { return !before(pivot, x); });
    }
    return first;
  }

private:
  static constexpr std::int64_t kSamples = 63;

  // Moves the elements for which `is` holds to the front and returns their number; -1 if
  // interrupted.
  template <class Limits_, class T, class Is>
  static std::int64_t gather(Limits_ &limits, T *data, std::int64_t count, Is &&is) noexcept {
    std::int64_t first = 0;
    const bool whole = in_stretches(limits, count, 4, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t j = begin; j < end; ++j) { // no branch on is(), which would be mispredicted
        const T moving = data[j];
        data[j] = data[first];
        data[first] = moving;
        first += is(moving) ? 1 : 0;
      }
    });
    return whole ? first : -1;
  }

  // Returns a pseudorandom index, so that regular inputs do not lead to bad pivots.
  std::int64_t next(std::int64_t count) noexcept { return draw_below(state_, count); }
  std::uint64_t state_ = 0;
};

// Sorts like std::sort. False if interrupted; the order of the elements is then unspecified.
template <class Limits_, class T, class Before>
bool sort_within(Limits_ &limits, T *data, std::int64_t count, Before &&before) noexcept {
  struct Part {
    T *data;
    std::int64_t count;
  } waiting[64]; // the longer part waits, so at most one part waits for each halving of the length
  int parts = 0;
  Partition partition;
  for (;;) {
    while (count > kSortedAtOnce) {
      bool equal = false;
      const std::int64_t below = partition.split(limits, data, count, before, &equal);
      if (below < 0)
        return false;
      if (equal) {
        data += below;
        count -= below;
      } else if (below < count - below) {
        waiting[parts++] = {data + below, count - below};
        count = below;
      } else {
        waiting[parts++] = {data, below};
        data += below;
        count -= below;
      }
    }
    if (!limits.spend(16 * count))
      return false;
    std::sort(data, data + count, before);
    if (parts == 0)
      return true;
    data = waiting[--parts].data;
    count = waiting[parts].count;
  }
}

} // namespace chorale
