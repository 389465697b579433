/* The library in a program that asks for a signal at invalid floating-point operations, divisions by
 * zero and overflows: the same results as without, and the program's setting and flags as before. */
#define _GNU_SOURCE
#include "fixture_cluster.h"

#include <fenv.h>
#include <pthread.h>

#if defined(__GLIBC__) && defined(__x86_64__)

enum { TRAPS = FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW, MOST_RESULTS = 64 };

/* The steps of a loop, for a thread of the program on which floating-point exceptions trap. */
typedef struct Loop {
  int traps;
  int64_t count, workers;
  chorale_parallel_body body;
  void *body_user;
} Loop;

static void *run_loop(void *user) {
  const Loop *loop = user;
  (void)feenableexcept(loop->traps);
  for (int64_t i = 0; i < loop->count; ++i)
    loop->body(loop->body_user, i, i % loop->workers);
  return NULL;
}

static void on_another_thread(void *user, int64_t count, int64_t workers,
                              chorale_parallel_body body, void *body_user) {
  Loop loop = {*(const int *)user, count, workers, body, body_user};
  pthread_t thread;
  if (pthread_create(&thread, NULL, run_loop, &loop) == 0)
    pthread_join(thread, NULL);
}

typedef struct Found {
  double numbers[MOST_RESULTS];
  int32_t count;
} Found;

static void keep(Found *found, double number) {
  assert_true(found->count < MOST_RESULTS);
  found->numbers[found->count++] = number;
}

/* Solves cliques and a model in which some scores and counts are forbidden, and others so small or
 * large that sums and products leave the range of numbers. */
static void solve_all(int traps, Found *found) {
  chorale_error error;
  found->count = 0;
  chorale_clique_solver *solver = new_solver();
  for (Kind kind = 0; kind < KIND_COUNT; ++kind) {
    Random random = {(uint64_t)kind + 1};
    Problem problem;
    random_problem(&random, kind, &problem);
    chorale_potential *potential = NULL;
    OK(make_potential(&problem, NULL, &potential, &error));
    chorale_clique_options options;
    options_of(CHORALE_ALGORITHM_AUTO, &options);
    Solved solved;
    solve(solver, potential, &problem, &options, &solved);
    keep(found, solved.status == CHORALE_OK ? solved.result.score : -1);
    chorale_potential_release(potential);
  }
  chorale_clique_solver_destroy(solver);

  enum { LABELS = 3, CHAINS = 20 };
  const double kNever = -INFINITY;
  static double scores[CHAINS][2 * LABELS];
  const double edges[LABELS * LABELS] = {0, 1, kNever, kNever, 0, 1, -1e270, kNever, 1e-300};
  chorale_transitions *transitions = NULL;
  OK(chorale_transitions_create(NULL, LABELS, edges, NULL, &transitions, &error));
  double tables[CHAINS + 1];
  for (int32_t k = 0; k <= CHAINS; ++k)
    tables[k] = k % 3 == 1 ? kNever : k;
  chorale_potential *potential = NULL;
  OK(chorale_potential_create_sum(NULL, LABELS, tables, 1, CHAINS + 1, 0, NULL, &potential,
                                  &error));
  chorale_model_builder *builder = NULL;
  OK(chorale_model_builder_create(NULL, &builder, &error));
  for (int64_t c = 0; c < 2; ++c) {
    chorale_clique_setup setup = {.struct_size = sizeof setup};
    setup.values = LABELS;
    setup.potential = potential;
    OK(chorale_model_builder_add_cliques(builder, &setup, 1, NULL, &error));
  }
  for (int64_t i = 0; i < CHAINS; ++i) {
    chorale_chain chain = {.struct_size = sizeof chain};
    chain.length = 2;
    chain.labels = LABELS;
    const double of_chain[] = {1, kNever, (double)i / 4, kNever, 1e270, 1e-300};
    memcpy(scores[i], of_chain, sizeof of_chain);
    chain.unary = scores[i];
    chain.transitions = transitions;
    OK(chorale_model_builder_add_chain(builder, &chain, NULL, NULL, &error));
    for (int64_t c = 0; c < 2; ++c)
      OK(put_position(builder, c, i, c, &error));
  }
  chorale_model *model = NULL;
  OK(chorale_model_builder_freeze(builder, &model, &error));
  for (int executes = 0; executes < 2; ++executes) {
    chorale_run_options options = {.struct_size = sizeof options};
    options.bound_steps = 5;
    options.threads = 3;
    options.executor = executes ? on_another_thread : NULL;
    options.executor_user = &traps;
    chorale_run *run = NULL;
    OK(chorale_run_create(NULL, model, &options, NULL, &run, &error));
    chorale_run_result result = {.struct_size = sizeof result};
    OK(chorale_run_solve(run, &result, &error));
    keep(found, result.score);
    keep(found, result.upper_bound);
    double probabilities[2 * LABELS];
    OK(chorale_run_probabilities(run, 0, 1, probabilities, 0, NULL, &error));
    keep(found, probabilities[0]);
    chorale_run_destroy(run);
  }
  chorale_model_release(model);
  chorale_model_builder_destroy(builder);
  chorale_potential_release(potential);
  chorale_transitions_release(transitions);
}

static void results_are_the_same(void **state) {
  (void)state;
  static Found expected, found;
  solve_all(0, &expected);
  assert_true(expected.count > KIND_COUNT);
  (void)feclearexcept(FE_ALL_EXCEPT);
  (void)feenableexcept(TRAPS);
  solve_all(TRAPS, &found);
  const int traps = fegetexcept();
  const int flags = fetestexcept(FE_ALL_EXCEPT & ~FE_INEXACT);
  (void)fedisableexcept(TRAPS);
  assert_int_equal(traps, TRAPS);
  assert_int_equal(flags, 0);
  assert_int_equal(found.count, expected.count);
  for (int32_t k = 0; k < found.count; ++k)
    assert_true(found.numbers[k] == expected.numbers[k]);
}

/* Divides by zero in the way of float and of long double, which are settings of their own on x86. */
static int32_t divide(void *user, const int64_t *counts, int64_t values, int64_t members,
                      double *score) {
  (void)user, (void)counts, (void)values, (void)members;
  volatile double zero = 0;
  volatile long double long_zero = 0;
  volatile long double long_infinity = 1 / long_zero;
  *score = 1 / zero - (double)long_infinity == 0 ? 2 : 1; /* also invalid: infinity - infinity */
  return 0;
}

static void callbacks_do_not_trap(void **state) {
  (void)state;
  chorale_error error;
  chorale_potential *potential = NULL;
  OK(chorale_potential_create_callback(NULL, 2, divide, NULL, NULL, NULL, &potential, &error));
  const int64_t counts[] = {1, 1};
  double score = 0;
  (void)feenableexcept(TRAPS);
  const chorale_status status = chorale_potential_score(potential, counts, 2, 2, &score, &error);
  volatile long double one = 1;
  one = one / 3; /* an operation of the x87: would trap if the flags were still set */
  const int traps = fegetexcept();
  (void)fedisableexcept(TRAPS);
  assert_int_equal(status, CHORALE_OK);
  assert_true(score == 1);
  assert_int_equal(traps, TRAPS);
  chorale_potential_release(potential);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(results_are_the_same),
                                     cmocka_unit_test(callbacks_do_not_trap)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void) {
  puts("skipped: no call that makes floating-point exceptions trap is known here");
  return 77;
}

#endif
