// Workspaces: all memory of a computation, laid out before it starts.
//
// Every algorithm lists its buffers once, in a struct whose constructor takes them from a Layout:
//
//     struct SweepBuffers {
//       SweepBuffers(Layout &layout, const Shape &shape)
//           : gains(layout.take<double>(shape.members)), order(layout.take<int32_t>(shape.members))
//           {}
//       double *gains;
//       int32_t *order;
//     };
//
// The constructor runs twice: first on a Layout without memory, which only adds up sizes, and then
// on a Layout over the workspace. So the size reserved and the size used cannot differ.
#pragma once

#include "base/memory.hpp"
#include "base/numeric.hpp"
#include "base/redzone.hpp"
#include "base/span.hpp"

#include <algorithm>
#include <cstdint>
#include <type_traits>

namespace chorale {

class Layout {
public:
  // Makes a layout without memory, which only adds up the sizes of the arrays taken.
  Layout() noexcept = default;
  explicit Layout(std::byte *memory) noexcept : memory_(memory) {}

  bool measuring() const noexcept { return memory_ == nullptr; }
  // Returns the bytes taken so far, without those that rewind() has given back; SIZE_MAX on
  // overflow.
  std::size_t bytes() const noexcept { return used_; }

  // Takes an uninitialised array of `count` objects, aligned to a cache line; NULL while measuring.
  // Under the address sanitizer, an access beyond the end of the array is an error (redzone.hpp).
  template <class T> T *take(std::size_t count) noexcept {
    static_assert(std::is_trivially_destructible_v<T> && alignof(T) <= kAlignment);
    std::byte *place = memory_ ? memory_ + used_ : nullptr;
    const std::size_t bytes = saturating_product(count, sizeof(T));
    const std::size_t rounded = saturating_sum(bytes, kRedzone + kAlignment - 1);
    const std::size_t padded = rounded / kAlignment * kAlignment;
    used_ = rounded == SIZE_MAX ? SIZE_MAX : saturating_sum(used_, padded);
    if (place) {
      mark_used(place, bytes);
      mark_unused(place + bytes, padded - bytes);
    }
    return reinterpret_cast<T *>(place);
  }
  template <class T> T *take(std::int64_t count) noexcept {
    return take<T>(to_size(count));
  }
  template <class T> T *take(std::int32_t count) noexcept {
    return take<T>(static_cast<std::size_t>(count));
  }
  // Like take(), but returns a span, which is empty while measuring.
  template <class T, class Count> gsl::span<T> take_span(Count count) noexcept {
    T *array = take<T>(count);
    return array ? gsl::span<T>(array, static_cast<std::size_t>(count)) : gsl::span<T>();
  }

  // Buffers of phases that do not overlap in time can share memory: call mark() before the first
  // phase and rewind(mark) between the phases. peak() returns the greatest number of bytes in use
  // at once.
  std::size_t mark() const noexcept { return used_; }
  void rewind(std::size_t mark) noexcept {
    peak_ = std::max(peak_, used_);
    used_ = mark;
  }
  std::size_t peak() const noexcept { return std::max(peak_, used_); }

private:
  std::byte *memory_ = nullptr;
  std::size_t used_ = 0;
  std::size_t peak_ = 0;
};

// Memory for a Layout, grown on demand.
class Workspace {
public:
  explicit Workspace(const Memory &memory) noexcept : memory_(memory) {}
  Workspace(const Workspace &) = delete;
  Workspace &operator=(const Workspace &) = delete;

  std::size_t capacity() const noexcept { return block_.bytes(); }
  std::byte *data() const noexcept { return block_.data(); }

  // Makes the capacity at least `bytes`. The contents are lost if the workspace grows. False, with
  // nothing changed, if memory runs out.
  bool reserve(std::size_t bytes) noexcept;

private:
  Memory memory_;
  Block block_;
};

} // namespace chorale
