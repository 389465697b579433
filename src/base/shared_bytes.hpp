// Bytes with several owners: a copy of the caller's bytes, a file that was read, or bytes borrowed
// from the caller. The last owner's release() frees the bytes unless they are borrowed.
#pragma once

#include "base/counted.hpp"

namespace chorale {

struct SharedBytes : Counted {
  explicit SharedBytes(const Memory &from) noexcept : Counted(from) {}

  const std::byte *data = nullptr; // aligned to kAlignment
  std::size_t size = 0;
  Block owned; // the memory of `data`; empty if the bytes are borrowed
};

} // namespace chorale
