/* What the host program lends the library: memory, a log, a way to cancel. */
#ifndef CHORALE_HOST_H
#define CHORALE_HOST_H

#include "chorale/status.h"

CHORALE_BEGIN_DECLS

/* Memory. `allocate` returns `bytes` (> 0) aligned to `alignment` (a power of two, at most 64), or
 * NULL; `deallocate` gets back exactly what `allocate` was asked for. Memory that is not aligned is
 * given back unused, and the call fails as it would without memory, but with ALLOCATOR_ALIGNMENT;
 * to tell the two apart, a call that fails asks for a few more blocks and gives them back. Both are
 * called on the thread that makes the call into the library (the last release of a shared handle:
 * the releasing thread) and must not unwind. */
typedef struct chorale_allocator {
  void *user;
  void *(*allocate)(void *user, size_t bytes, size_t alignment);
  void (*deallocate)(void *user, void *memory, size_t bytes, size_t alignment);
} chorale_allocator;

typedef int32_t chorale_log_level;
enum {
  CHORALE_LOG_DEBUG = 10,
  CHORALE_LOG_INFO = 20,
  CHORALE_LOG_WARNING = 30
};

/* `message` is UTF-8, ends in NUL and lives as long as the call. Called on the thread that makes
 * the call into the library; must not unwind and must not call back into the same handle. */
typedef void (*chorale_log_function)(void *user, chorale_log_level level, const char *message);

/* Given to the functions that create handles; copied by them. A NULL host, a NULL allocator or a
 * NULL log means: memory from malloc, no log. */
typedef struct chorale_host {
  size_t struct_size; /* sizeof(chorale_host); set by chorale_host_init */
  const chorale_allocator *allocator;
  chorale_log_function log;
  void *log_user;
} chorale_host;

/* Fills `host` with the defaults; pass sizeof(chorale_host). NULL is ignored. */
CHORALE_API void chorale_host_init(chorale_host *host, size_t struct_size);

/* A flag by which any thread asks a computation to end early. */
typedef struct chorale_cancel chorale_cancel;

/* Creates a lowered flag. Errors: NULL_ARGUMENT (cancel), STRUCT_SIZE, OUT_OF_MEMORY. */
CHORALE_API chorale_status chorale_cancel_create(const chorale_host *host, chorale_cancel **cancel,
                                                 chorale_error *error);
/* NULL is ignored. No computation may still be using the flag. */
CHORALE_API void chorale_cancel_destroy(chorale_cancel *cancel);
/* Raise and lower the flag; NULL is ignored. Atomic: from any thread, at any time, also from a
 * signal handler. */
CHORALE_API void chorale_cancel_raise(chorale_cancel *cancel);
CHORALE_API void chorale_cancel_lower(chorale_cancel *cancel);
/* 1 if raised, else 0. Any thread. */
CHORALE_API int32_t chorale_cancel_is_raised(const chorale_cancel *cancel);

CHORALE_END_DECLS

#endif
