/* The host program's allocator, log and cancel flag. */
#ifndef CHORALE_HOST_H
#define CHORALE_HOST_H

#include "chorale/status.h"

CHORALE_BEGIN_DECLS

/* Memory functions. `allocate` returns `bytes` (> 0) bytes aligned to `alignment` (a power of two,
 * at most 64), or NULL if there is no memory. `deallocate` receives the same size and alignment
 * that `allocate` was given. If `allocate` returns a block that is not aligned, the library passes
 * it to `deallocate` unused, and the call fails with OUT_OF_MEMORY. Both functions are called on the
 * thread of the call into the library; memory of a shared handle is freed on the thread that
 * releases the last reference. They must not unwind (leave by an exception or longjmp). */
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

/* Receives log messages: UTF-8 ending in NUL, valid during the call. Called on the thread of the
 * call into the library. Must not unwind, and must not use the handle that this call uses. */
typedef void (*chorale_log_function)(void *user, chorale_log_level level, const char *message);

/* What the host program offers to the library. Functions that create handles take this struct and
 * copy it. allocator NULL: malloc and free. log NULL: messages are dropped. A NULL host: as if
 * allocator and log were NULL. */
typedef struct chorale_host {
  size_t struct_size; /* sizeof(chorale_host) */
  const chorale_allocator *allocator;
  chorale_log_function log;
  void *log_user;
} chorale_host;

/* A flag by which any thread asks a computation to end early. */
typedef struct chorale_cancel chorale_cancel;

/* Creates a lowered flag. Errors: NULL_ARGUMENT (cancel), STRUCT_SIZE, OUT_OF_MEMORY. */
CHORALE_API chorale_status chorale_cancel_create(const chorale_host *host, chorale_cancel **cancel,
                                                 chorale_error *error);
/* Destroys a flag, which no computation may still use. NULL is ignored. */
CHORALE_API void chorale_cancel_destroy(chorale_cancel *cancel);
/* Raises the flag; NULL is ignored. Atomic: from any thread, at any time, also from a
 * signal handler. */
CHORALE_API void chorale_cancel_raise(chorale_cancel *cancel);

CHORALE_END_DECLS

#endif
