/* A host allocator that checks the blocks it gets back, can refuse memory and can ignore
 * alignment. */
#include "fixture.h"

enum { MISALIGNED_BY = 16 }; /* as malloc's blocks are */

static void *allocate(void *user, size_t bytes, size_t alignment) {
  CountingAllocator *self = user;
  if (bytes == 0 || alignment == 0 || alignment > 64 || (alignment & (alignment - 1)) != 0)
    ++self->mistakes;
  if (self->is_dry || (self->fail_at > 0 && --self->fail_at == 0)) {
    ++self->refusals;
    return NULL;
  }
  size_t shift = 0;
  if (self->misaligns_from == 1) {
    ++self->refusals;
    shift = MISALIGNED_BY;
  } else if (self->misaligns_from > 1) {
    --self->misaligns_from;
  }
  void *block = NULL;
  /* A header of 64 bytes stores the requested size. */
  if (posix_memalign(&block, 64, bytes + 64 + shift) != 0)
    return NULL;
  size_t asked[2];
  asked[0] = bytes;
  asked[1] = alignment;
  memcpy(block, asked, sizeof asked);
  memset((char *)block + 64, 0xA5, bytes + shift); /* nothing may rely on zeros */
  ++self->allocations;
  ++self->live;
  self->live_bytes += (int64_t)bytes;
  return (char *)block + 64 + shift;
}

static void deallocate(void *user, void *memory, size_t bytes, size_t alignment) {
  CountingAllocator *self = user;
  if (!memory) {
    ++self->mistakes;
    return;
  }
  char *block = (char *)memory - (uintptr_t)memory % 64 - 64;
  size_t asked[2];
  memcpy(asked, block, sizeof asked);
  if (asked[0] != bytes || asked[1] != alignment)
    ++self->mistakes;
  --self->live;
  self->live_bytes -= (int64_t)bytes;
  free(block);
}

void counting_allocator_init(CountingAllocator *allocator) {
  memset(allocator, 0, sizeof *allocator);
  allocator->hooks.user = allocator;
  allocator->hooks.allocate = allocate;
  allocator->hooks.deallocate = deallocate;
}
