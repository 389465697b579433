/* What a model holds, one number at a time, for tests and measurements. */
#ifndef CHORALE_TESTS_FIXTURE_HELD_H
#define CHORALE_TESTS_FIXTURE_HELD_H

#include <chorale/experimental.h>

#include <string.h>

/* Returns the number of positions of a chain or instance; 0 if there is no such chain. */
static inline int64_t chain_length_of(const chorale_model *model, int64_t chain) {
  chorale_chain scores;
  memset(&scores, 0, sizeof scores);
  scores.struct_size = sizeof scores;
  return chorale_model_get_chain(model, chain, &scores, NULL, NULL) == CHORALE_OK ? scores.length
                                                                                   : 0;
}

/* Returns the number of members of a clique, its centre included; 0 if there is no such clique. */
static inline int64_t member_count_of(const chorale_model *model, int64_t clique) {
  int64_t needed = 0;
  (void)chorale_model_get_members(model, clique, NULL, NULL, NULL, 0, &needed, NULL);
  return needed;
}
static inline int64_t all_member_count(const chorale_model *model) {
  int64_t sum = 0;
  for (int64_t c = 0; c < chorale_model_clique_count(model); ++c)
    sum += member_count_of(model, c);
  return sum;
}

/* Returns what a clique was added with; zeros if there is no such clique. */
static inline chorale_clique_setup setup_of(const chorale_model *model, int64_t clique) {
  chorale_clique_setup setup;
  memset(&setup, 0, sizeof setup);
  setup.struct_size = sizeof setup;
  (void)chorale_model_get_clique(model, clique, &setup, NULL);
  return setup;
}

/* Returns the bytes of the model and of its scores, as of a run with default options. */
static inline chorale_run_cost cost_of_model(const chorale_model *model) {
  chorale_run_cost cost;
  memset(&cost, 0, sizeof cost);
  cost.struct_size = sizeof cost;
  (void)chorale_run_estimate(model, NULL, &cost, NULL);
  return cost;
}

#endif
