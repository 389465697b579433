// Bounds of arrays that share a block of memory, checked under the address sanitizer: bytes between
// two arrays are marked, and an access to marked bytes ends the program. Without the sanitizer, the
// functions of this file do nothing.
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

// Least number of unused bytes between the end of an array and the next array.
inline constexpr std::size_t kRedzone = CHORALE_REDZONES ? 8 : 0;

// mark_unused: from now on, an access to these bytes is an error. mark_used: allows accesses again.
// `begin` must be a multiple of 8, or the end of an array that begins at a multiple of 8.
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
