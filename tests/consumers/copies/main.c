/* Two copies of the library in one process: two libraries indeed, each with its own memory, at work
 * at the same time, and they find the same. */
#include "copy.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { TIMES = 300 };

typedef struct Work {
  const Copy *copy;
  uint64_t bits[2];
  int failed;
} Work;

static void *work(void *place) {
  Work *own = place;
  for (int k = 0; k < TIMES && !own->failed; ++k) {
    void *state = NULL;
    uint64_t bits[2] = {0, 0};
    own->failed = own->copy->begin(&state) || own->copy->solve(state, bits) ||
                  (k > 0 && memcmp(bits, own->bits, sizeof bits) != 0) ||
                  own->copy->solve(state, own->bits) || memcmp(bits, own->bits, sizeof bits) != 0;
    own->copy->end(state);
  }
  return NULL;
}

int main(void) {
  if (first.version == second.version) {
    fprintf(stderr, "it is one library, not two\n");
    return 1;
  }
  if (strcmp(first.version(), second.version()) != 0)
    return 1;
  /* A state of one lives through all that the other does. */
  void *state = NULL;
  uint64_t before[2], after[2];
  if (first.begin(&state) || first.solve(state, before) || second.live() != 0) {
    fprintf(stderr, "the memory of one is that of the other\n");
    return 1;
  }
  Work works[2] = {{&first, {0, 0}, 0}, {&second, {0, 0}, 0}};
  pthread_t threads[2];
  for (int k = 0; k < 2; ++k)
    if (pthread_create(&threads[k], NULL, work, &works[k]) != 0)
      return 1;
  for (int k = 0; k < 2; ++k)
    pthread_join(threads[k], NULL);
  if (first.solve(state, after))
    return 1;
  first.end(state);
  const int same = !works[0].failed && !works[1].failed &&
                   memcmp(works[0].bits, works[1].bits, sizeof after) == 0 &&
                   memcmp(before, after, sizeof after) == 0 &&
                   memcmp(before, works[0].bits, sizeof after) == 0;
  printf("score %016llx, bound %016llx; %lld and %lld blocks left\n", (unsigned long long)after[0],
         (unsigned long long)after[1], (long long)first.live(), (long long)second.live());
  return same && first.live() == 0 && second.live() == 0 ? 0 : 1;
}
