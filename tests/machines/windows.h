/* Read before every C file of the tests where they are built for Windows: what they use of POSIX. */
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Aligned memory is given back by a function of its own, which is then that of all memory. No test
 * asks for more than 64. */
static inline void *windows_allocate(size_t bytes) {
  return _aligned_malloc(bytes > 0 ? bytes : 1, 64);
}
static inline void *windows_allocate_zeros(size_t count, size_t bytes) {
  void *memory = bytes > 0 && count > SIZE_MAX / bytes ? NULL : windows_allocate(count * bytes);
  return memory ? memset(memory, 0, count * bytes) : NULL;
}
static inline void *windows_grow(void *memory, size_t bytes) {
  return _aligned_realloc(memory, bytes > 0 ? bytes : 1, 64);
}
static inline void windows_free(void *memory) { _aligned_free(memory); }
static inline int posix_memalign(void **to, size_t alignment, size_t bytes) {
  return (*to = alignment <= 64 ? windows_allocate(bytes) : NULL) == NULL;
}
#define malloc(bytes) windows_allocate(bytes)
#define calloc(count, bytes) windows_allocate_zeros(count, bytes)
#define realloc(memory, bytes) windows_grow(memory, bytes)
#define free(memory) windows_free(memory)

/* Numbers are read in the C locale, which is that of every program until it asks for another. */
typedef int locale_t;
enum { LC_ALL_MASK = 0 };
static inline locale_t newlocale(int mask, const char *name, locale_t base) {
  (void)mask;
  (void)name;
  return base;
}
static inline locale_t uselocale(locale_t locale) { return locale; }
static inline void freelocale(locale_t locale) { (void)locale; }
