#include "base/memory.hpp"

#include "base/redzone.hpp"

#include <cstdint>
#include <cstdlib>

#if defined(_WIN32)
#include <malloc.h>
#endif

namespace chorale {
namespace {

void *from_malloc(void *, std::size_t bytes, std::size_t alignment) {
  if (bytes > SIZE_MAX - alignment)
    return nullptr;
#if defined(_WIN32)
  return _aligned_malloc(bytes, alignment);
#else
  // aligned_alloc() needs a size that is a multiple of the alignment.
  return std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
#endif
}

void to_free(void *, void *memory, std::size_t, std::size_t) {
#if defined(_WIN32)
  _aligned_free(memory);
#else
  std::free(memory);
#endif
}

} // namespace

Memory::Memory(const chorale_host *host) noexcept
    : hooks_(host && host->allocator ? *host->allocator
                                     : chorale_allocator{nullptr, from_malloc, to_free}) {}

void *Memory::allocate(std::size_t bytes) const noexcept {
  if (!hooks_.allocate)
    return nullptr;
  void *memory = hooks_.allocate(hooks_.user, bytes ? bytes : 1, kAlignment);
  if (reinterpret_cast<std::uintptr_t>(memory) % kAlignment == 0)
    return memory;
  deallocate(memory, bytes);
  return nullptr;
}

void Memory::deallocate(void *memory, std::size_t bytes) const noexcept {
  if (!memory)
    return;
  mark_used(memory, bytes);
  hooks_.deallocate(hooks_.user, memory, bytes ? bytes : 1, kAlignment);
}

} // namespace chorale
