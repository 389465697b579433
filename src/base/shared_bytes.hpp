// Bytes with several owners. They are a copy, a memory map, or borrowed from the caller. The last
// owner's release() frees a copy or unmaps a map.
#pragma once

#include "base/counted.hpp"

namespace chorale {

struct SharedBytes : Counted {
  explicit SharedBytes(const Memory &from) noexcept : Counted(from) {}
  ~SharedBytes() {
    if (unmap)
      unmap(data, size);
  }

  const std::byte *data = nullptr; // aligned to kAlignment
  std::size_t size = 0;
  Block owned; // the memory of `data` if it is a copy
  // The function that unmaps `data`, if `data` is a memory map; otherwise NULL.
  void (*unmap)(const std::byte *data, std::size_t size) noexcept = nullptr;
};

} // namespace chorale
