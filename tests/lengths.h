/* The number of positions of a chain, for tests. */
#ifndef CHORALE_TESTS_LENGTHS_H
#define CHORALE_TESTS_LENGTHS_H

#include <chorale/model.h>

/* Returns the number of positions of a chain or instance; 0 if there is no such chain. */
static inline int64_t chain_length_of(const chorale_model *model, int64_t chain) {
  chorale_chain scores = {0};
  scores.struct_size = sizeof scores;
  return chorale_model_get_chain(model, chain, &scores, NULL, NULL) == CHORALE_OK ? scores.length
                                                                                   : 0;
}

#endif
