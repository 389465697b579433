// Bytes with several owners: read, mapped or lent, and given back with the last reference.
#pragma once

#include "base/memory.hpp"

#include <atomic>
#include <cstdint>

namespace chorale {

struct SharedBytes {
  explicit SharedBytes(const Memory &from) noexcept : memory(from) {}
  ~SharedBytes() {
    if (unmap)
      unmap(data, size);
  }
  SharedBytes(const SharedBytes &) = delete;
  SharedBytes &operator=(const SharedBytes &) = delete;

  static const SharedBytes *retain(const SharedBytes *bytes) noexcept {
    if (bytes)
      bytes->references.fetch_add(1, std::memory_order_relaxed);
    return bytes;
  }
  static void release(const SharedBytes *bytes) noexcept {
    if (bytes && bytes->references.fetch_sub(1, std::memory_order_acq_rel) == 1)
      Memory::destroy(const_cast<SharedBytes *>(bytes), bytes->memory);
  }

  Memory memory;
  mutable std::atomic<std::int64_t> references{1};
  const std::byte *data = nullptr; // aligned to kAlignment
  std::size_t size = 0;
  Block owned; // where they were copied
  void (*unmap)(const std::byte *data, std::size_t size) noexcept = nullptr; // where mapped
};

} // namespace chorale
