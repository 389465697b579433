// Bytes with several owners: read, mapped or lent, and given back with the last reference.
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
  Block owned; // where they were copied
  void (*unmap)(const std::byte *data, std::size_t size) noexcept = nullptr; // where mapped
};

} // namespace chorale
