// Bytes with several owners. They are a copy, or borrowed from the caller. The last owner's
// release() frees a copy.
#pragma once

#include "base/counted.hpp"

namespace chorale {

struct SharedBytes : Counted {
  explicit SharedBytes(const Memory &from) noexcept : Counted(from) {}

  const std::byte *data = nullptr; // aligned to kAlignment
  std::size_t size = 0;
  Block owned; // the memory of `data` if it is a copy
};

} // namespace chorale
