/* Workspaces: a reused solver gives the same bits as a fresh one, and no second solve allocates.
 * Deadlines, cancel flags and limits end a solve with a valid
 * result. */
#include "fixture.h"

#include <pthread.h>
#include <time.h>

static const chorale_algorithm kAlgorithms[] = {CHORALE_ALGORITHM_AUTO,
                                                CHORALE_ALGORITHM_ALPHA_PASS,
                                                CHORALE_ALGORITHM_GENERALISED_ALPHA_PASS,
                                                CHORALE_ALGORITHM_ALPHA_EXPANSION,
                                                CHORALE_ALGORITHM_LOCAL_SEARCH,
                                                CHORALE_ALGORITHM_ICM,
                                                CHORALE_ALGORITHM_MODIFIED_ALPHA_PASS,
                                                CHORALE_ALGORITHM_LAGRANGIAN_SUBGRADIENT,
                                                CHORALE_ALGORITHM_LAGRANGIAN_GOLDEN_SECTION,
                                                CHORALE_ALGORITHM_LAGRANGIAN_CONSERVATIVE,
                                                CHORALE_ALGORITHM_EXACT_MAJORITY,
                                                CHORALE_ALGORITHM_CONCAVE_FLOW,
                                                CHORALE_ALGORITHM_COUNT_BOXES,
                                                CHORALE_ALGORITHM_DUAL_BOUND};

/* All results of a call, as bytes that can be compared. */
typedef struct Everything {
  Solved solved;
  double marginals[MAX_MEMBERS * MAX_VALUES];
} Everything;

static void run_task(chorale_clique_solver *solver, const chorale_potential *potential,
                     const Problem *problem, const chorale_clique_options *options,
                     int wants_marginals, Everything *out) {
  memset(out, 0, sizeof *out);
  if (!wants_marginals) {
    solve(solver, potential, problem, options, &out->solved);
    return;
  }
  chorale_clique_problem described;
  describe_problem(problem, &described);
  out->solved.result = (chorale_clique_result){.struct_size = sizeof out->solved.result};
  out->solved.status = chorale_clique_max_marginals(
      solver, potential, &described, options, out->marginals, problem->values,
      out->solved.assignment, &out->solved.result, &out->solved.error);
}

/* Compares results. Errors are compared by text, since bytes after the text are undefined. */
static int is_same(const Everything *a, const Everything *b) {
  return a->solved.status == b->solved.status &&
         strcmp(a->solved.error.message, b->solved.error.message) == 0 &&
         memcmp(&a->solved.result, &b->solved.result, sizeof a->solved.result) == 0 &&
         memcmp(a->solved.assignment, b->solved.assignment, sizeof a->solved.assignment) == 0 &&
         memcmp(a->marginals, b->marginals, sizeof a->marginals) == 0;
}

static void random_task(Random *random, const Problem *problem, chorale_clique_options *options,
                        int *wants_marginals) {
  options_of(kAlgorithms[random_int(random, 0, (int32_t)COUNT_OF(kAlgorithms) - 1)], options);
  options->subset_size = random_int(random, 1, 3);
  options->start = random_int(random, 0, 1) * CHORALE_START_ALPHA_PASS;
  options->start_value = random_int(random, 0, problem->values - 1);
  options->prove = random_chance(random, 50);
  options->exact_marginals = random_chance(random, 10);
  *wants_marginals = !random_chance(random, 60);
}

static void a_reused_solver_gives_the_bits_of_a_fresh_one(void **state) {
  (void)state;
  chorale_clique_solver *reused = new_solver();
  Random random = {test_seed() + 11};
  for (int64_t round = 0; round < test_rounds(20000); ++round) {
    Problem problem;
    random_problem(&random, (Kind)random_int(&random, 0, KIND_COUNT - 1), &problem);
    chorale_potential *potential = NULL;
    chorale_error error;
    OK(make_potential(&problem, NULL, &potential, &error));
    chorale_clique_options options;
    int wants_marginals = 0;
    random_task(&random, &problem, &options, &wants_marginals);
    chorale_clique_solver *fresh = new_solver();
    Everything from_fresh, from_reused;
    run_task(fresh, potential, &problem, &options, wants_marginals, &from_fresh);
    run_task(reused, potential, &problem, &options, wants_marginals, &from_reused);
    if (!is_same(&from_fresh, &from_reused)) {
      dump_problem(stderr, &problem);
      fail_msg("CHORALE_TEST_SEED=%llu, round %lld: %s, task %d, gap %g, exact %d differs: fresh "
               "%.17g, reused %.17g",
               (unsigned long long)test_seed(), (long long)round,
               chorale_algorithm_name(options.algorithm), wants_marginals, options.gap,
               options.exact_marginals, from_fresh.solved.result.score,
               from_reused.solved.result.score);
    }
    chorale_clique_solver_destroy(fresh);
    chorale_potential_release(potential);
  }
  chorale_clique_solver_destroy(reused);
}

static void no_allocation_at_the_second_time(void **state) {
  (void)state;
  if (!memory_is_counted())
    skip();
  memory_canary();
  Random random = {test_seed() + 12};
  for (int64_t round = 0; round < test_rounds(10000); ++round) {
    Problem problem;
    random_problem(&random, (Kind)random_int(&random, 0, KIND_COUNT - 1), &problem);
    chorale_potential *potential = NULL;
    chorale_error error;
    OK(make_potential(&problem, NULL, &potential, &error));
    chorale_clique_options options;
    int wants_marginals = 0;
    random_task(&random, &problem, &options, &wants_marginals);
    chorale_clique_solver *solver = new_solver();
    Everything first, second;
    run_task(solver, potential, &problem, &options, wants_marginals, &first);
    const int64_t before = memory_allocations();
    run_task(solver, potential, &problem, &options, wants_marginals, &second);
    if (memory_allocations() != before) {
      dump_problem(stderr, &problem);
      fail_msg("%s, max-marginals %d: %lld allocations", chorale_algorithm_name(options.algorithm),
               wants_marginals, (long long)(memory_allocations() - before));
    }
    chorale_clique_solver_destroy(solver);
    chorale_potential_release(potential);
  }
}

/* ---- Ending early ------------------------------------------------------------------------- */

/* A contended Potts clique (or another SUM, or a majority) on which exact algorithms take a while.
 */
typedef struct Large {
  int64_t members, values;
  double *scores;
  int32_t *assignment;
  chorale_clique_problem problem;
  chorale_potential *potential;
} Large;

static Large new_large(uint64_t seed, int64_t members, int64_t values, int is_majority) {
  Large large;
  memset(&large, 0, sizeof large);
  Random random = {seed};
  large.members = members;
  large.values = values;
  large.scores = malloc(sizeof(double) * (size_t)(members * values));
  large.assignment = malloc(sizeof(int32_t) * (size_t)members);
  assert_non_null(large.scores);
  assert_non_null(large.assignment);
  for (int64_t e = 0; e < members * values; ++e)
    large.scores[e] = 2 * random_unit(&random);
  large.problem = (chorale_clique_problem){.struct_size = sizeof large.problem};
  large.problem.members = members;
  large.problem.values = values;
  large.problem.scores = large.scores;
  large.problem.row_stride = values;
  chorale_error error;
  if (is_majority) {
    double *weights = malloc(sizeof(double) * (size_t)(values * values));
    assert_non_null(weights);
    for (int64_t a = 0; a < values; ++a)
      for (int64_t v = 0; v < values; ++v)
        weights[a * values + v] = a == v ? 0 : 2 * random_unit(&random);
    OK(chorale_potential_create_majority(NULL, values, weights, values, NULL, NULL,
                                         &large.potential, &error));
    free(weights);
  } else {
    chorale_potential_options options = {.struct_size = sizeof options};
    options.scale = CHORALE_SCALE_BY_MEMBERS;
    OK(chorale_potential_create_potts(NULL, values, 0.85, &options, &large.potential, &error));
  }
  return large;
}

static void free_large(Large *large) {
  free(large->scores);
  free(large->assignment);
  chorale_potential_release(large->potential);
}

static double score_large(chorale_clique_solver *solver, const Large *large) {
  chorale_error error;
  chorale_clique_result result = {.struct_size = sizeof result};
  OK(chorale_clique_score(solver, large->potential, &large->problem, large->assignment, &result,
                             &error));
  return result.score;
}

/* Checks that the result is a labelling with its true score and a valid bound, whatever the
 * outcome. */
static void assert_good_order(chorale_clique_solver *solver, const Large *large,
                              const chorale_clique_result *result, chorale_outcome outcome) {
  assert_int_equal(result->outcome, outcome);
  assert_true(result->score > -INFINITY);
  assert_true(is_close(result->score, score_large(solver, large)));
  assert_true(result->upper_bound >= result->score);
}

static const chorale_algorithm kForSum[] = {CHORALE_ALGORITHM_AUTO,
                                            CHORALE_ALGORITHM_ALPHA_PASS,
                                            CHORALE_ALGORITHM_GENERALISED_ALPHA_PASS,
                                            CHORALE_ALGORITHM_ALPHA_EXPANSION,
                                            CHORALE_ALGORITHM_LOCAL_SEARCH,
                                            CHORALE_ALGORITHM_ICM,
                                            CHORALE_ALGORITHM_COUNT_BOXES,
                                            CHORALE_ALGORITHM_DUAL_BOUND};
static const chorale_algorithm kForMajority[] = {CHORALE_ALGORITHM_AUTO,
                                                 CHORALE_ALGORITHM_MODIFIED_ALPHA_PASS,
                                                 CHORALE_ALGORITHM_LAGRANGIAN_SUBGRADIENT,
                                                 CHORALE_ALGORITHM_LAGRANGIAN_GOLDEN_SECTION,
                                                 CHORALE_ALGORITHM_LAGRANGIAN_CONSERVATIVE,
                                                 CHORALE_ALGORITHM_EXACT_MAJORITY};

/* A deadline of 0 and a flag raised in advance end the call at once, and there is still a
 * labelling. */
static void stopped_before_it_began(void **state) {
  chorale_error error;
  chorale_cancel *cancel = NULL;
  OK(chorale_cancel_create(NULL, &cancel, &error));
  chorale_cancel_raise(cancel);
  for (int is_majority = 0; is_majority < 2; ++is_majority) {
    Large large = new_large(test_seed(), 60, 12, is_majority);
    const size_t count = is_majority ? COUNT_OF(kForMajority) : COUNT_OF(kForSum);
    for (size_t a = 0; a < count; ++a)
      for (int by_flag = 0; by_flag < 2; ++by_flag) {
        chorale_clique_options options;
        options_of(is_majority ? kForMajority[a] : kForSum[a], &options);
        if (by_flag)
          options.cancel = cancel;
        else
          options.time_limit = -1;
        chorale_clique_result result = {.struct_size = sizeof result};
        OK(chorale_clique_solve(*state, large.potential, &large.problem, &options, large.assignment,
                                &result, &error));
        if (result.outcome != (by_flag ? CHORALE_OUTCOME_CANCELLED : CHORALE_OUTCOME_DEADLINE))
          fail_msg("%s %s: outcome %d", chorale_algorithm_name(options.algorithm),
                   by_flag ? "cancelled" : "without time", result.outcome);
        assert_good_order(*state, &large, &result, result.outcome);
      }
    /* Max-marginals under the same limits: lower bounds, each the score of a labelling, or minus
     * infinity. */
    double *marginals = malloc(sizeof(double) * (size_t)(60 * 12));
    assert_non_null(marginals);
    chorale_clique_options options;
    options_of(CHORALE_ALGORITHM_AUTO, &options);
    options.cancel = cancel;
    chorale_clique_result result = {.struct_size = sizeof result};
    OK(chorale_clique_max_marginals(*state, large.potential, &large.problem, &options, marginals,
                                    12, large.assignment, &result, &error));
    assert_good_order(*state, &large, &result, CHORALE_OUTCOME_CANCELLED);
    assert_int_equal(result.marginals_exact, 0);
    for (int i = 0; i < 60; ++i) {
      if (!is_at_most(result.score, marginals[i * 12 + large.assignment[i]]))
        fail_msg("%s cancelled: m(%d, x) = %.17g below the score %.17g",
                 chorale_algorithm_name(result.algorithm), i,
                 marginals[i * 12 + large.assignment[i]], result.score);
      for (int v = 0; v < 12; ++v)
        assert_true(marginals[i * 12 + v] < INFINITY); /* NaN is not */
    }
    free(marginals);
    free_large(&large);
  }
  /* A lowered flag and a long time limit change nothing. */
  chorale_cancel_lower(cancel);
  Large large = new_large(test_seed(), 20, 4, 1);
  chorale_clique_options options;
  options_of(CHORALE_ALGORITHM_AUTO, &options);
  options.cancel = cancel;
  options.time_limit = 1e300;
  chorale_clique_result result = {.struct_size = sizeof result};
  OK(chorale_clique_solve(*state, large.potential, &large.problem, &options, large.assignment,
                          &result, &error));
  assert_good_order(*state, &large, &result, CHORALE_OUTCOME_COMPLETE);
  assert_int_equal(result.proven, 1);
  free_large(&large);
  chorale_cancel_destroy(cancel);
}

static void *raise_soon(void *user) {
  const struct timespec pause = {0, 30000000};
  nanosleep(&pause, NULL);
  chorale_cancel_raise(user);
  return NULL;
}

static double seconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Without a limit, branch and bound would take far longer on this clique. */
static void stopped_from_another_thread_or_by_the_clock(void **state) {
  chorale_error error;
  Large large = new_large(test_seed(), 2000, 40, 0);
  chorale_clique_solver *solver = *state;
  for (int by_flag = 0; by_flag < 2; ++by_flag) {
    chorale_cancel *cancel = NULL;
    OK(chorale_cancel_create(NULL, &cancel, &error));
    chorale_clique_options options;
    options_of(CHORALE_ALGORITHM_COUNT_BOXES, &options);
    if (by_flag)
      options.cancel = cancel;
    else
      options.time_limit = 0.03;
    chorale_clique_result result = {.struct_size = sizeof result};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, raise_soon, cancel), 0);
    const double start = seconds_now();
    OK(chorale_clique_solve(solver, large.potential, &large.problem, &options, large.assignment,
                            &result, &error));
    const double taken = seconds_now() - start;
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_good_order(solver, &large, &result,
                      by_flag ? CHORALE_OUTCOME_CANCELLED : CHORALE_OUTCOME_DEADLINE);
    assert_true(taken < 30); /* loose: sanitizers and busy machines */
    chorale_cancel_destroy(cancel);
  }
  free_large(&large);
}

static void limits_are_kept(void **state) {
  chorale_error error;
  chorale_clique_options options;
  chorale_clique_result result = {.struct_size = sizeof result};
  options_of(CHORALE_ALGORITHM_COUNT_BOXES, &options);
  /* Many cliques are proven at the first node: searches for one that is not. */
  Large large;
  for (uint64_t seed = test_seed();; ++seed) {
    large = new_large(seed, 100, 24, 0);
    OK(chorale_clique_solve(*state, large.potential, &large.problem, &options, large.assignment,
                            &result, &error));
    if (result.nodes >= 5)
      break;
    assert_true(seed < test_seed() + 50);
    free_large(&large);
  }
  options.node_limit = 2;
  OK(chorale_clique_solve(*state, large.potential, &large.problem, &options, large.assignment,
                          &result, &error));
  assert_good_order(*state, &large, &result, CHORALE_OUTCOME_NODE_LIMIT);
  assert_true(result.nodes <= 2);
  const double limited = result.upper_bound;

  options_of(CHORALE_ALGORITHM_COUNT_BOXES, &options);
  options.gap = 0.05; /* wider than the first bound is off */
  OK(chorale_clique_solve(*state, large.potential, &large.problem, &options, large.assignment,
                          &result, &error));
  assert_good_order(*state, &large, &result, CHORALE_OUTCOME_GAP_REACHED);
  assert_true(result.upper_bound - result.score <= 0.05 * fabs(result.score));

  /* With space for only a few nodes the search goes depth first and still proves the optimum. */
  options_of(CHORALE_ALGORITHM_COUNT_BOXES, &options);
  OK(chorale_clique_solve(*state, large.potential, &large.problem, &options, large.assignment,
                          &result, &error));
  assert_good_order(*state, &large, &result, CHORALE_OUTCOME_COMPLETE);
  assert_int_equal(result.proven, 1);
  assert_true(result.upper_bound <= limited + 1e-9 * fabs(limited));
  const double best = result.score;
  options.node_pool = 4;
  OK(chorale_clique_solve(*state, large.potential, &large.problem, &options, large.assignment,
                          &result, &error));
  assert_good_order(*state, &large, &result, CHORALE_OUTCOME_COMPLETE);
  assert_int_equal(result.proven, 1);
  assert_true(is_close(result.score, best));

  options_of(CHORALE_ALGORITHM_DUAL_BOUND, &options);
  options.iteration_limit = 3;
  OK(chorale_clique_solve(*state, large.potential, &large.problem, &options, large.assignment,
                          &result, &error));
  assert_good_order(*state, &large, &result, CHORALE_OUTCOME_ITERATION_LIMIT);
  assert_true(result.iterations >= 3); /* includes sweeps of polishing */
  assert_true(result.upper_bound >= best - 1e-9 * fabs(best));

  static const chorale_algorithm sweeping[] = {CHORALE_ALGORITHM_ICM, CHORALE_ALGORITHM_LOCAL_SEARCH,
                                               CHORALE_ALGORITHM_ALPHA_EXPANSION};
  for (size_t a = 0; a < COUNT_OF(sweeping); ++a) {
    options_of(sweeping[a], &options);
    options.start = CHORALE_START_VALUE; /* far from the end */
    options.iteration_limit = 1;
    OK(chorale_clique_solve(*state, large.potential, &large.problem, &options, large.assignment,
                            &result, &error));
    assert_good_order(*state, &large, &result, CHORALE_OUTCOME_ITERATION_LIMIT);
    assert_int_equal(result.iterations, 1);
  }
  free_large(&large);
}

static int32_t call_nothing(void *user, const int64_t *counts, int64_t values, int64_t members,
                            double *score) {
  (void)user;
  (void)counts;
  (void)values;
  (void)members;
  *score = 0;
  return 0;
}

/* Memory may grow at most tenfold with ten times as many values, as the scores do. Exceptions:
 * MAJORITY and PAIRS, which are given by R x R numbers, and concave flows. */
static void memory_is_linear_in_the_values(void **state) {
  (void)state;
  enum { FEW = 3000, MEMBERS = 10 };
  static const double forbidding[MEMBERS + 1] = {0, 1, 3, 6, 10, 15, -INFINITY, 1, 1, 1, 1};
  chorale_error error;
  double *scores = calloc((size_t)MEMBERS * 10 * FEW, sizeof *scores);
  double *marginals = malloc(sizeof *marginals * MEMBERS * 10 * FEW);
  assert_true(scores && marginals);
  /* The last two kinds are concave: solved by flows, and by COUNT_BOXES; their max-marginals take
   * O(R^2). */
  for (int32_t kind = 0; kind < 7; ++kind)
    for (int wants_marginals = 0; wants_marginals <= (kind < 5); ++wants_marginals) {
      chorale_clique_options options = {.struct_size = sizeof options};
      options.time_limit = -1; /* memory comes before the first step */
      if (kind == 6)
        options.algorithm = CHORALE_ALGORITHM_COUNT_BOXES;
      int64_t bytes[2];
      for (int32_t k = 0; k < 2; ++k) {
        const int64_t values = k == 0 ? FEW : 10 * FEW;
        chorale_potential *potential = NULL;
        if (kind == 0)
          OK(chorale_potential_create_potts(NULL, values, 1, NULL, &potential, &error));
        else if (kind == 1)
          OK(chorale_potential_create_makespan(NULL, values, 1, NULL, &potential, &error));
        else if (kind == 2)
          OK(chorale_potential_create_sum(NULL, values, forbidding, 1, MEMBERS + 1, MEMBERS + 1,
                                          NULL, &potential, &error));
        else if (kind == 3)
          OK(chorale_potential_create_entropy(NULL, values, 1, NULL, &potential, &error));
        else if (kind >= 5)
          OK(chorale_potential_create_potts(NULL, values, -1, NULL, &potential, &error));
        else
          OK(chorale_potential_create_callback(NULL, values, call_nothing, NULL, NULL, NULL,
                                               &potential, &error));
        CountingAllocator allocator;
        counting_allocator_init(&allocator);
        chorale_host host = {.struct_size = sizeof host};
        host.allocator = &allocator.hooks;
        chorale_clique_solver *solver = NULL;
        OK(chorale_clique_solver_create(&host, &solver, &error));
        chorale_clique_problem problem = {.struct_size = sizeof problem};
        problem.members = MEMBERS;
        problem.values = problem.row_stride = values;
        problem.scores = scores;
        if (wants_marginals)
          OK(chorale_clique_max_marginals(solver, potential, &problem, &options, marginals, values,
                                          NULL, NULL, &error));
        else
          OK(chorale_clique_solve(solver, potential, &problem, &options, NULL, NULL, &error));
        bytes[k] = allocator.live_bytes;
        chorale_clique_solver_destroy(solver);
        chorale_potential_release(potential);
      }
      if (bytes[1] > 11 * bytes[0])
        fail_msg("potential %d, max-marginals %d: %lld bytes for %d values, %lld for ten times as "
                 "many", kind, wants_marginals, (long long)bytes[0], (int)FEW,
                 (long long)bytes[1]);
    }
  free(scores);
  free(marginals);
}

static int set_up(void **state) {
  *state = new_solver();
  return 0;
}
static int tear_down(void **state) {
  chorale_clique_solver_destroy(*state);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_reused_solver_gives_the_bits_of_a_fresh_one),
      cmocka_unit_test(no_allocation_at_the_second_time),
      cmocka_unit_test(stopped_before_it_began),
      cmocka_unit_test(stopped_from_another_thread_or_by_the_clock),
      cmocka_unit_test(limits_are_kept),
      cmocka_unit_test(memory_is_linear_in_the_values),
  };
  return cmocka_run_group_tests_name("clique workspace", tests, set_up, tear_down);
}
