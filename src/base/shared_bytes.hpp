// Bytes with several owners: copied, memory-mapped or borrowed; freed or unmapped with the last
// reference.
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
  Block owned; // the memory of `data` if copied
  void (*unmap)(const std::byte *data, std::size_t size) noexcept = nullptr; // set if mapped
};

} // namespace chorale
