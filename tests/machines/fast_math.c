/* fast_math PROBLEM_FILE...: whether this process flushes denormals, then what comes out of a run over
 * each problem file, by its bits, so that nothing here computes with it. */
#include <chorale/experimental.h>

#include "../fixture_held.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void tell(const char *what, long long number, const double *value) {
  unsigned long long bits;
  memcpy(&bits, value, sizeof bits);
  printf("%s %lld %016llx\n", what, number, bits);
}

static int run_over(const char *path, int threads) {
  chorale_error error;
  chorale_problem *problem = NULL;
  chorale_run *run = NULL;
  chorale_run_options options = {.struct_size = sizeof options};
  options.bound_steps = 8;
  options.threads = threads;
  chorale_run_result result = {.struct_size = sizeof result};
  int32_t *labels = NULL;
  double *scores = NULL;
  int failed = chorale_problem_load(NULL, path, &problem, &error);
  const chorale_model *model = failed ? NULL : chorale_problem_model(problem);
  failed = failed || chorale_run_create(NULL, model, &options, NULL, &run, &error) ||
           chorale_run_solve(run, &result, &error);
  if (!failed) {
    printf("%s\n", strrchr(path, '/') ? strrchr(path, '/') + 1 : path);
    tell("score", 0, &result.score);
    tell("own score", 0, &result.own_score);
    tell("bound", 0, &result.upper_bound);
  }
  int64_t positions = 0;
  failed = failed || chorale_run_labels(run, CHORALE_ALL_CHAINS, CHORALE_TOGETHER, NULL, 0,
                                        &positions, &error);
  if (!failed) {
    labels = malloc(((size_t)positions + 1) * sizeof *labels);
    scores = malloc(((size_t)chorale_model_chain_count(model) + 1) * sizeof *scores);
    failed = chorale_run_labels(run, CHORALE_ALL_CHAINS, CHORALE_TOGETHER, labels, positions, NULL,
                                &error) ||
             chorale_model_score(NULL, model, labels, positions, NULL, scores, NULL, &error);
  }
  const int32_t *label = labels;
  for (int64_t i = 0; !failed && i < chorale_model_chain_count(model); ++i) {
    tell("chain", (long long)i, &scores[i]);
    for (int64_t t = 0; t < chain_length_of(model, i); ++t)
      printf("%d ", (int)*label++);
    printf("\n");
  }
  if (failed)
    fprintf(stderr, "%s: %s\n", path, error.message);
  free(labels);
  free(scores);
  chorale_run_destroy(run);
  chorale_problem_destroy(problem);
  return failed;
}

int main(int count, char **paths) {
  volatile double small = 2.2250738585072014e-308; /* the least normal number */
  volatile double half = 0.5;
  volatile double product = small * half;
  uint64_t bits;
  memcpy(&bits, (const void *)&product, sizeof bits);
  printf("denormals are %s\n", bits == 0 ? "flushed" : "kept");
  for (int k = 1; k < count; ++k)
    if (run_over(paths[k], 1) || run_over(paths[k], 3))
      return 1;
  return count > 1 ? 0 : 2;
}
