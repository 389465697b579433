/* Compiled once for each copy: COPY is its name, the include path has its headers. */
#define _POSIX_C_SOURCE 200809L
#include "copy.h"

#include <chorale/experimental.h>

#include <stdlib.h>
#include <string.h>

enum { CHAINS = 6, LENGTH = 5, LABELS = 4, WORDS = 3 };

static int64_t blocks;

static void *allocate(void *user, size_t bytes, size_t alignment) {
  void *memory = NULL;
  (void)user;
  if (posix_memalign(&memory, alignment, bytes) != 0)
    return NULL;
  __atomic_fetch_add(&blocks, 1, __ATOMIC_RELAXED);
  return memory;
}

static void deallocate(void *user, void *memory, size_t bytes, size_t alignment) {
  (void)user;
  (void)bytes;
  (void)alignment;
  __atomic_fetch_sub(&blocks, 1, __ATOMIC_RELAXED);
  free(memory);
}

static const chorale_allocator hooks = {NULL, allocate, deallocate};

static int64_t live(void) { return __atomic_load_n(&blocks, __ATOMIC_RELAXED); }

static int begin(void **state) {
  chorale_host host = {.struct_size = sizeof host};
  host.allocator = &hooks;
  chorale_model_builder *builder = NULL;
  chorale_potential *potts = NULL;
  chorale_model *model = NULL;
  chorale_run *run = NULL;
  chorale_run_options options = {.struct_size = sizeof options};
  options.bound_steps = 4;
  int failed = chorale_model_builder_create(&host, &builder, NULL) ||
               chorale_potential_create_potts(&host, LABELS, 0.3, NULL, &potts, NULL);
  uint32_t noise = 12345;
  for (int i = 0; i < CHAINS && !failed; ++i) {
    double unary[LENGTH][LABELS];
    int32_t tokens[LENGTH];
    for (int t = 0; t < LENGTH; ++t) {
      tokens[t] = (i + t) % WORDS;
      for (int v = 0; v < LABELS; ++v) {
        noise = noise * 1664525u + 1013904223u;
        unary[t][v] = (double)(noise >> 16) / 40000.0;
      }
    }
    chorale_chain chain = {.struct_size = sizeof chain};
    chain.length = LENGTH;
    chain.labels = LABELS;
    chain.unary = unary;
    chorale_chain_options of_chain = {.struct_size = sizeof of_chain};
    of_chain.tokens = tokens;
    failed = chorale_model_builder_add_chain(builder, &chain, &of_chain, NULL, NULL);
  }
  chorale_clique_setup setup = {.struct_size = sizeof setup};
  setup.potential = potts;
  failed = failed ||
           chorale_model_builder_add_repeated_words(builder, &setup, NULL, NULL, NULL, NULL) ||
           chorale_model_builder_freeze(builder, &model, NULL) ||
           chorale_run_create(&host, model, &options, NULL, &run, NULL);
  chorale_model_release(model);
  chorale_potential_release(potts);
  chorale_model_builder_destroy(builder);
  *state = run;
  return failed;
}

static int solve(void *state, uint64_t bits[2]) {
  chorale_run *run = state;
  chorale_run_result result = {.struct_size = sizeof result};
  chorale_run_reset(run);
  if (chorale_run_solve(run, &result, NULL))
    return 1;
  memcpy(&bits[0], &result.score, sizeof bits[0]);
  memcpy(&bits[1], &result.upper_bound, sizeof bits[1]);
  return 0;
}

static void end(void *state) { chorale_run_destroy(state); }

const Copy COPY = {chorale_version, begin, solve, end, live};
