/* An allocator for the host that checks what it gets back and can run dry. */
#include "fixture.h"

static void *allocate(void *user, size_t bytes, size_t alignment) {
  CountingAllocator *self = user;
  if (bytes == 0 || alignment == 0 || alignment > 64 || (alignment & (alignment - 1)) != 0)
    ++self->mistakes;
  if (self->is_dry || (self->fail_at > 0 && --self->fail_at == 0)) {
    ++self->refusals;
    return NULL;
  }
  void *block = NULL;
  /* A head of 64 bytes keeps what was asked for. */
  if (posix_memalign(&block, 64, bytes + 64) != 0)
    return NULL;
  size_t asked[2];
  asked[0] = bytes;
  asked[1] = alignment;
  memcpy(block, asked, sizeof asked);
  memset((char *)block + 64, 0xA5, bytes); /* nothing may rely on zeros */
  ++self->allocations;
  ++self->live;
  self->live_bytes += (int64_t)bytes;
  return (char *)block + 64;
}

static void deallocate(void *user, void *memory, size_t bytes, size_t alignment) {
  CountingAllocator *self = user;
  if (!memory) {
    ++self->mistakes;
    return;
  }
  char *block = (char *)memory - 64;
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
