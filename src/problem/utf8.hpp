// Validation of UTF-8.
#pragma once

#include <cstddef>
#include <cstdint>

namespace chorale {

// Returns the offset of the first byte that is not part of a valid character; `size` if all are
// valid. Overlong forms, surrogates and code points above U+10FFFF are invalid.
inline std::size_t first_not_utf8(const char *text, std::size_t size) noexcept {
  const auto *at = reinterpret_cast<const unsigned char *>(text);
  std::size_t i = 0;
  while (i < size) {
    const unsigned char lead = at[i];
    if (lead < 0x80) {
      ++i;
      continue;
    }
    const std::size_t more = lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : 1;
    if (lead < 0xc2 || lead > 0xf4 || more >= size - i)
      return i;
    // These limits exclude overlong forms, surrogates and code points above U+10FFFF.
    const unsigned char low = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
    const unsigned char high = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
    if (at[i + 1] < low || at[i + 1] > high)
      return i;
    for (std::size_t k = 2; k <= more; ++k)
      if ((at[i + k] & 0xc0) != 0x80)
        return i;
    i += more + 1;
  }
  return size;
}

} // namespace chorale
