#include "base/memory.hpp"

#include "base/redzone.hpp"

#include <cstdint>
#include <cstdlib>
#include <iterator>

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

bool is_aligned(const void *memory) noexcept {
  return reinterpret_cast<std::uintptr_t>(memory) % kAlignment == 0;
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
  if (is_aligned(memory))
    return memory;
  deallocate(memory, bytes);
  return nullptr;
}

bool Memory::ignores_alignment() const noexcept {
  if (!hooks_.allocate || hooks_.allocate == from_malloc)
    return false;
  // Hooks that ignore the alignment may still return aligned blocks by chance. But several small
  // blocks that exist at once are rarely all aligned, unless the hooks round sizes up to multiples
  // of 64. Large blocks are rarely aligned, since allocators put a header before each of them.
  constexpr std::size_t sizes[] = {1, 9, 17, 25, 33, 65, 1000, 5000, 200000};
  void *blocks[std::size(sizes)];
  std::size_t held = 0;
  bool ignored = false;
  for (; held < std::size(sizes) && !ignored; ++held) {
    blocks[held] = hooks_.allocate(hooks_.user, sizes[held], kAlignment);
    ignored = !is_aligned(blocks[held]);
  }
  while (held > 0) {
    --held;
    deallocate(blocks[held], sizes[held]);
  }
  return ignored;
}

void Memory::deallocate(void *memory, std::size_t bytes) const noexcept {
  if (!memory)
    return;
  mark_used(memory, bytes);
  hooks_.deallocate(hooks_.user, memory, bytes ? bytes : 1, kAlignment);
}

} // namespace chorale
