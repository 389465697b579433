/* One copy of the library, as the program sees it that holds two. */
#ifndef COPIES_COPY_H
#define COPIES_COPY_H

#include <stdint.h>

typedef struct Copy {
  const char *(*version)(void);
  /* A model, and a run over it; 0: done. */
  int (*begin)(void **state);
  /* The run from the start; the bits of its score and of its bound. 0: done. */
  int (*solve)(void *state, uint64_t bits[2]);
  void (*end)(void *state);
  /* Blocks that the copy holds of its host's memory. */
  int64_t (*live)(void);
} Copy;

extern const Copy first, second;

#endif
