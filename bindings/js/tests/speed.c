// Measures the processor time in which the native library solves problem files in one thread.
//
//     speed PROBLEM...        prints the milliseconds for all together, and the score of each
#include <chorale/experimental.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return 1e3 * (double)time.tv_sec + 1e-6 * (double)time.tv_nsec;
}

static void check(chorale_status status, const chorale_error *error) {
  if (status == CHORALE_OK)
    return;
  fprintf(stderr, "%s: %s\n", chorale_status_name(status), error->message);
  exit(1);
}

int main(int count, char **paths) {
  const int problems = count - 1;
  chorale_problem **problem = calloc((size_t)count, sizeof *problem);
  chorale_run **run = calloc((size_t)count, sizeof *run);
  chorale_error error;
  chorale_run_options options = {.struct_size = sizeof options};
  options.message_element = CHORALE_MESSAGES_FLOAT64; // AUTO depends on the size of addresses
  for (int i = 0; i < problems; ++i) {
    check(chorale_problem_load(NULL, paths[i + 1], &problem[i], &error), &error);
    const chorale_model *model = chorale_problem_model(problem[i]);
    check(chorale_run_create(NULL, model, &options, NULL, &run[i], &error), &error);
  }
  chorale_run_result result = {.struct_size = sizeof result};
  // The least time of several rounds: at least three, and as many as fill a quarter of a second.
  double least = 1e300, all = 0;
  for (int n = 0; n < 3 || all < 250; ++n) {
    for (int i = 0; i < problems; ++i)
      chorale_run_reset(run[i]);
    const double begin = now();
    for (int i = 0; i < problems; ++i)
      check(chorale_run_solve(run[i], &result, &error), &error);
    const double taken = now() - begin;
    least = taken < least ? taken : least;
    all += taken;
  }
  printf("%.6f", least);
  for (int i = 0; i < problems; ++i) {
    check(chorale_run_get_result(run[i], &result, &error), &error);
    printf(" %.17g", result.score);
    chorale_run_destroy(run[i]);
    chorale_problem_destroy(problem[i]);
  }
  printf("\n");
  free(run);
  free(problem);
  return 0;
}
