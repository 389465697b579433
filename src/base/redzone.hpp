// Bounds of arrays that share a block of memory, checked under the address sanitizer: bytes between
// two arrays are marked, and an access to marked bytes ends the program. Elsewhere nothing here
// does anything.
#pragma once

#include <cstddef>

#if defined(__SANITIZE_ADDRESS__)
#define CHORALE_REDZONES 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define CHORALE_REDZONES 1
#endif
#endif
#if !defined(CHORALE_REDZONES)
#define CHORALE_REDZONES 0
#endif

#if CHORALE_REDZONES
#include <sanitizer/asan_interface.h>
#endif

namespace chorale {

// Least number of bytes to leave behind each array.
inline constexpr std::size_t kRedzone = CHORALE_REDZONES ? 8 : 0;

// mark_unused: reports accesses to the bytes from now on. mark_used: allows them again. `begin` is
// a multiple of 8, or behind an array that begins at one.
inline void mark_unused([[maybe_unused]] const void *begin,
                        [[maybe_unused]] std::size_t bytes) noexcept {
#if CHORALE_REDZONES
  __asan_poison_memory_region(begin, bytes);
#endif
}
inline void mark_used([[maybe_unused]] const void *begin,
                      [[maybe_unused]] std::size_t bytes) noexcept {
#if CHORALE_REDZONES
  __asan_unpoison_memory_region(begin, bytes);
#endif
}

} // namespace chorale
