// Processor time of a solve of problem files by the native library, in one thread.
//
//     speed PROBLEM...        prints for each: milliseconds, score
#include <chorale/chorale.h>

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
  for (int i = 1; i < count; ++i) {
    chorale_error error;
    chorale_problem *problem = NULL;
    check(chorale_problem_load(NULL, paths[i], &problem, &error), &error);
    chorale_run *run = NULL;
    chorale_run_options options;
    chorale_run_options_init(&options, sizeof options);
    options.message_element = CHORALE_MESSAGES_FLOAT32; // AUTO depends on the size of addresses
    check(chorale_run_create(NULL, chorale_problem_model(problem), &options, NULL, &run, &error), &error);
    chorale_run_result result;
    chorale_run_result_init(&result, sizeof result);
    // The least of several, of at least three and of a quarter of a second.
    double least = 1e300, all = 0;
    for (int n = 0; n < 3 || (all < 250 && n < 1000); ++n) {
      chorale_run_reset(run);
      const double begin = now();
      check(chorale_run_solve(run, &result, &error), &error);
      const double taken = now() - begin;
      least = taken < least ? taken : least;
      all += taken;
    }
    printf("%.6f %.17g\n", least, result.score);
    chorale_run_destroy(run);
    chorale_problem_destroy(problem);
  }
  return 0;
}
