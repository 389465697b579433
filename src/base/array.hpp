// A growing array for trivially copyable types, and an arena, in memory from the host's allocator.
#pragma once

#include "base/contract.hpp"
#include "base/memory.hpp"
#include "base/numeric.hpp"

#include <gsl/span>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace chorale {

template <class T> class Array {
  static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= kAlignment);

public:
  explicit Array(const Memory &memory) noexcept : memory_(memory) {}

  std::int64_t size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }
  T *begin() noexcept { return reinterpret_cast<T *>(block_.data()); }
  const T *begin() const noexcept { return reinterpret_cast<const T *>(block_.data()); }
  T *end() noexcept { return begin() + size_; }
  const T *end() const noexcept { return begin() + size_; }
  // With data() and size(), an array converts to gsl::span.
  T *data() noexcept { return begin(); }
  const T *data() const noexcept { return begin(); }
  T &operator[](std::int64_t i) noexcept {
    Expects(!kContracts || (i >= 0 && i < size_));
    return begin()[i];
  }
  const T &operator[](std::int64_t i) const noexcept {
    Expects(!kContracts || (i >= 0 && i < size_));
    return begin()[i];
  }
  std::size_t bytes() const noexcept { return block_.bytes(); }

  // Makes the capacity at least `count`. False, with nothing changed, if memory runs out.
  bool reserve(std::int64_t count) noexcept {
    if (count <= capacity_)
      return true;
    return move_to(std::max(count, capacity_ + capacity_ / 2));
  }
  bool push(const T &item) noexcept {
    if (size_ == capacity_ && !reserve(std::max<std::int64_t>(size_ + 1, 8)))
      return false;
    begin()[size_++] = item;
    return true;
  }
  // Sets the size, without initialising new entries. False, with nothing changed, if memory runs
  // out.
  bool resize(std::int64_t count) noexcept {
    if (!reserve(count))
      return false;
    size_ = count;
    return true;
  }
  // Sets the size, and all entries to `item`. False, with nothing changed, if memory runs out.
  bool fill(std::int64_t count, const T &item) noexcept {
    if (!resize(count))
      return false;
    std::fill_n(begin(), count, item);
    return true;
  }
  // Adds entries that lie outside this array. False, with nothing changed, if memory runs out.
  bool append(gsl::span<const T> items) noexcept {
    const auto count = static_cast<std::int64_t>(items.size());
    if (!reserve(size_ + count))
      return false;
    std::copy_n(items.data(), count, end());
    size_ += count;
    return true;
  }
  // Replaces all entries by `items`, which lie outside this array. False, with nothing changed, if
  // memory runs out.
  bool assign(gsl::span<const T> items) noexcept {
    if (!reserve(static_cast<std::int64_t>(items.size())))
      return false;
    size_ = 0;
    return append(items);
  }
  bool copy(const Array &other) noexcept { return assign(other); }
  void truncate(std::int64_t count) noexcept { size_ = count; }
  // Gives unused memory back, if a smaller block can be allocated.
  void shrink() noexcept {
    if (size_ < capacity_)
      move_to(size_);
  }

private:
  bool move_to(std::int64_t capacity) noexcept {
    const std::size_t bytes = saturating_product(to_size(capacity), sizeof(T));
    if (bytes == SIZE_MAX)
      return false;
    Block grown(memory_, bytes);
    if (!grown)
      return false;
    if (size_ > 0)
      std::memcpy(grown.data(), block_.data(), static_cast<std::size_t>(size_) * sizeof(T));
    block_.swap(grown);
    capacity_ = capacity;
    return true;
  }

  Memory memory_;
  Block block_;
  std::int64_t size_ = 0;
  std::int64_t capacity_ = 0;
};

// Allocates many small pieces out of few blocks; all are freed together.
class Arena {
public:
  explicit Arena(const Memory &memory) noexcept : memory_(memory) {}
  Arena(const Arena &) = delete;
  Arena &operator=(const Arena &) = delete;
  ~Arena() {
    while (newest_) {
      Head *head = newest_;
      newest_ = head->older;
      memory_.deallocate(head, head->bytes);
    }
  }

  // Returns `bytes` bytes aligned to 8, or NULL if memory runs out.
  void *take(std::size_t bytes) noexcept {
    const std::size_t padded =
        saturating_sum(std::max<std::size_t>(bytes, 1), kRedzone + kStep - 1) / kStep * kStep;
    if (padded > left_) {
      // The size of a new shared block grows with the bytes of all blocks, so that its unused end
      // is a small part of them. In two cases the piece gets a block that it does not share: if it
      // would fill much of a shared block; or if much space is left in the current block, which
      // would be lost if a new block replaced the current one.
      const std::size_t block = std::clamp(bytes_ / kShare, kFirstBlock, kLastBlock);
      const bool is_large = padded > block / 4 || left_ > block / kShare;
      const std::size_t whole = is_large ? saturating_sum(padded, kHead) : block;
      if (whole == SIZE_MAX)
        return nullptr;
      auto *place = static_cast<std::byte *>(memory_.allocate(whole));
      if (!place)
        return nullptr;
      newest_ = new (place) Head{newest_, whole};
      bytes_ += whole;
      if (is_large)
        return bounded(place + kHead, bytes, padded);
      next_ = place + kHead;
      left_ = whole - kHead;
    }
    void *taken = bounded(next_, bytes, padded);
    next_ += padded;
    left_ -= padded;
    return taken;
  }
  template <class T> T *take_array(std::int64_t count) noexcept {
    return static_cast<T *>(take(saturating_product(to_size(count), sizeof(T))));
  }
  template <class T> const T *copy(const T *from, std::int64_t count) noexcept {
    T *to = take_array<T>(count);
    if (to && count > 0)
      std::memcpy(static_cast<void *>(to), from, static_cast<std::size_t>(count) * sizeof(T));
    return to;
  }
  std::size_t bytes() const noexcept { return bytes_; }

private:
  // Returns `place`, a piece of `padded` bytes, after marking all but its first `bytes` bytes as
  // unused (redzone.hpp).
  static void *bounded(std::byte *place, std::size_t bytes, std::size_t padded) noexcept {
    mark_unused(place + bytes, padded - bytes);
    return place;
  }

  struct Head {
    Head *older;
    std::size_t bytes;
  };
  static constexpr std::size_t kStep = 8;
  // A new shared block has 1 / kShare of the bytes of all blocks so far, but at least kFirstBlock
  // and at most kLastBlock bytes. It replaces the current block only if the unused end of the
  // current block is at most 1 / kShare of the size of the new block.
  static constexpr std::size_t kShare = 64;
  static constexpr std::size_t kHead = (sizeof(Head) + kStep - 1) / kStep * kStep;
  static constexpr std::size_t kFirstBlock = std::size_t{1} << 10;
  static constexpr std::size_t kLastBlock = std::size_t{1} << 18;

  Memory memory_;
  Head *newest_ = nullptr;
  std::byte *next_ = nullptr;
  std::size_t left_ = 0;
  std::size_t bytes_ = 0;
};

} // namespace chorale
