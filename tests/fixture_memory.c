/* Counts allocations: malloc and its family are defined in the test executable, so that every call
 * of the shared library and of the C++ runtime reaches these functions. */
#include "fixture.h"
#include "fixture_sanitizer.h"

#if defined(__GLIBC__) && !HAS_SANITIZER
#define MEMORY_IS_COUNTED 1
#else
#define MEMORY_IS_COUNTED 0
#endif

static int64_t allocations;
static int64_t live_blocks;
static int64_t refuse_from, refuse_to; /* numbers of allocations, counted from the call; 0: none */
static int64_t refusals;

int memory_is_counted(void) {
  /* valgrind replaces malloc by its own; the variable is then set. */
  return MEMORY_IS_COUNTED && !getenv("CHORALE_TEST_UNCOUNTED");
}
void memory_refuse(int64_t from, int64_t to) {
  __atomic_store_n(&refuse_from, from, __ATOMIC_SEQ_CST);
  __atomic_store_n(&refuse_to, to, __ATOMIC_SEQ_CST);
}
int64_t memory_refusals(void) { return __atomic_load_n(&refusals, __ATOMIC_SEQ_CST); }
int64_t memory_allocations(void) { return __atomic_load_n(&allocations, __ATOMIC_RELAXED); }
int64_t memory_live_blocks(void) { return __atomic_load_n(&live_blocks, __ATOMIC_RELAXED); }

#if MEMORY_IS_COUNTED
#include <errno.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

#define SEEN __attribute__((visibility("default")))
SEEN void *malloc(size_t bytes);
SEEN void *calloc(size_t count, size_t bytes);
SEEN void *realloc(void *memory, size_t bytes);
SEEN void *memalign(size_t alignment, size_t bytes);
SEEN void *aligned_alloc(size_t alignment, size_t bytes);
SEEN int posix_memalign(void **memory, size_t alignment, size_t bytes);
SEEN void free(void *memory);

static void *counted(void *memory) {
  if (memory) {
    __atomic_fetch_add(&allocations, 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&live_blocks, 1, __ATOMIC_RELAXED);
  }
  return memory;
}

static int is_refused(void) {
  if (__atomic_load_n(&refuse_to, __ATOMIC_SEQ_CST) <= 0)
    return 0;
  const int64_t from = __atomic_sub_fetch(&refuse_from, 1, __ATOMIC_SEQ_CST);
  const int64_t to = __atomic_fetch_sub(&refuse_to, 1, __ATOMIC_SEQ_CST);
  if (from > 0 || to <= 0)
    return 0;
  __atomic_fetch_add(&refusals, 1, __ATOMIC_SEQ_CST);
  errno = ENOMEM;
  return 1;
}

void *malloc(size_t bytes) { return is_refused() ? NULL : counted(__libc_malloc(bytes)); }
void *calloc(size_t count, size_t bytes) {
  return is_refused() ? NULL : counted(__libc_calloc(count, bytes));
}
void *memalign(size_t alignment, size_t bytes) {
  return is_refused() ? NULL : counted(__libc_memalign(alignment, bytes));
}
void *aligned_alloc(size_t alignment, size_t bytes) { return memalign(alignment, bytes); }
int posix_memalign(void **memory, size_t alignment, size_t bytes) {
  void *block = memalign(alignment, bytes);
  if (!block)
    return ENOMEM;
  *memory = block;
  return 0;
}
void *realloc(void *memory, size_t bytes) {
  if (is_refused())
    return NULL;
  void *moved = __libc_realloc(memory, bytes);
  if (memory)
    __atomic_fetch_sub(&live_blocks, moved || bytes == 0 ? 1 : 0, __ATOMIC_RELAXED);
  return counted(moved);
}
void free(void *memory) {
  if (memory)
    __atomic_fetch_sub(&live_blocks, 1, __ATOMIC_RELAXED);
  __libc_free(memory);
}
#endif

void memory_canary(void) {
  const int64_t before = memory_allocations();
  chorale_cancel *cancel = NULL;
  chorale_error error;
  OK(chorale_cancel_create(NULL, &cancel, &error));
  chorale_cancel_destroy(cancel);
  assert_true(memory_allocations() > before);
}
