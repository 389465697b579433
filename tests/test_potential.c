/* Every family against an independent formula; scales, uncounted values, references, threads. */
#include "fixture.h"

#include <pthread.h>

static const char *check_counts(const Problem *problem, void *user) {
  (void)user;
  chorale_error error;
  chorale_potential *potential = NULL;
  if (make_potential(problem, NULL, &potential, &error) != CHORALE_OK)
    return complain("no potential: \"%s\"", error.message);
  static const char *const families[KIND_COUNT] = {
      "sum", "sum", "sum", "sum", "sum",      "sum",   "sum",  "max",
      "max", "max", "max", "majority", "pairs", "pairs", "callback"};
  const char *why = NULL;
  if (strcmp(chorale_potential_family(potential), families[problem->kind]) != 0 ||
      chorale_potential_values(potential) != problem->values)
    why = complain("family %s of %d values", chorale_potential_family(potential),
                   (int)chorale_potential_values(potential));
  Random random = {problem->salt};
  for (int round = 0; round < 12 && !why; ++round) {
    int64_t counts[MAX_VALUES] = {0};
    int32_t start = 0;
    for (int32_t i = 0; i < problem->members; ++i) {
      /* Unequal counts, so that ties and values without members are frequent. */
      if (i == 0 || random_chance(&random, 60))
        start = random_int(&random, 0, problem->values - 1);
      ++counts[start];
    }
    double score = NAN;
    if (chorale_potential_score(potential, counts, problem->values, problem->members, &score,
                                   &error) != CHORALE_OK)
      why = complain("\"%s\"", error.message);
    else if (!is_close(score, own_clique_score(problem, counts)))
      why = complain("%.17g instead of %.17g", score, own_clique_score(problem, counts));
  }
  chorale_potential_release(potential);
  return why;
}

static void every_family_is_its_formula(void **state) {
  (void)state;
  check_kinds("potential", KIND_POTTS, KIND_CALLBACK, test_rounds(2000), check_counts, NULL);
}

static double evaluate(const chorale_potential *potential, int64_t a, int64_t b, int64_t c) {
  const int64_t counts[3] = {a, b, c};
  double score = NAN;
  chorale_error error;
  OK(chorale_potential_score(potential, counts, 3, a + b + c, &score, &error));
  return score;
}

static int is_near(double a, double b) { return fabs(a - b) <= 1e-12 * fmax(1, fabs(b)); }

/* Examples computed by hand, so that the formulas of the fixture are tested as well. */
static void examples_by_hand(void **state) {
  (void)state;
  chorale_error error;
  chorale_potential *p = NULL;
  OK(chorale_potential_create_potts(NULL, 3, 0.5, NULL, &p, &error));
  assert_true(is_near(evaluate(p, 3, 1, 0), 5));
  chorale_potential_release(p);
  OK(chorale_potential_create_entropy(NULL, 3, 2, NULL, &p, &error));
  assert_true(is_near(evaluate(p, 3, 1, 0), 6 * log(3)));
  assert_true(is_near(evaluate(p, 1, 1, 1), 0));
  chorale_potential_release(p);
  const double tables[9] = {1, 2, 4, 10, 20, 40, -1, -2, -INFINITY};
  OK(chorale_potential_create_sum(NULL, 3, tables, 3, 3, 3, NULL, &p, &error));
  assert_true(is_near(evaluate(p, 1, 1, 0), 2 + 20 - 1));
  assert_true(evaluate(p, 0, 0, 2) == -INFINITY);
  chorale_potential_release(p);
  OK(chorale_potential_create_sum(NULL, 3, tables, 1, 3, 0, NULL, &p, &error));
  assert_true(is_near(evaluate(p, 2, 0, 0), 4 + 1 + 1)); /* stride ignored */
  chorale_potential_release(p);
  OK(chorale_potential_create_max(NULL, 3, tables, 3, 3, 3, NULL, &p, &error));
  assert_true(is_near(evaluate(p, 2, 0, 0), 10)); /* the empty value counts */
  chorale_potential_release(p);
  OK(chorale_potential_create_makespan(NULL, 3, -2, NULL, &p, &error));
  assert_true(is_near(evaluate(p, 2, 1, 0), 0)); /* max over all values, of -2 n_v */
  chorale_potential_release(p);
  OK(chorale_potential_create_square_makespan(NULL, 3, 2, NULL, &p, &error));
  assert_true(is_near(evaluate(p, 2, 3, 0), 18));
  chorale_potential_release(p);
  const double weights[12] = {1, 2, 3, 0, 4, 5, 6, 0, 7, 8, 9, 0};
  const double bias[3] = {100, 200, 300};
  OK(chorale_potential_create_majority(NULL, 3, weights, 4, bias, NULL, &p, &error));
  assert_true(is_near(evaluate(p, 3, 1, 0), 100 + 3 + 2));
  assert_true(is_near(evaluate(p, 2, 2, 1), 200 + 8 + 10 + 6)); /* the better of two */
  chorale_potential_release(p);
  OK(chorale_potential_create_pairs(NULL, 3, weights, 4, NULL, &p, &error));
  assert_true(is_near(evaluate(p, 2, 1, 0), 1 * 2 + 2 * 2 + 4 * 2));
  chorale_potential_release(p);

  const uint8_t counted[3] = {1, 0, 1};
  chorale_potential_options options = {.struct_size = sizeof options};
  options.counted = counted;
  const double g[4] = {5, 6, 8, 11};
  OK(chorale_potential_create_cardinality(NULL, 3, g, 4, &options, &p, &error));
  assert_true(is_near(evaluate(p, 1, 0, 2), 8));
  assert_true(is_near(evaluate(p, 1, 2, 0), 5));
  assert_true(is_near(evaluate(p, 0, 3, 0), 0)); /* nothing counts */
  chorale_potential_release(p);
  OK(chorale_potential_create_majority(NULL, 3, weights, 4, bias, &options, &p, &error));
  assert_true(is_near(evaluate(p, 1, 5, 0), 100 + 1)); /* value 1 is never the majority */
  assert_true(is_near(evaluate(p, 0, 5, 0), 0));
  chorale_potential_release(p);
}

static void scales_are_of_all_members(void **state) {
  (void)state;
  chorale_error error;
  const uint8_t counted[3] = {1, 1, 0};
  const double factors[3][3] = {
      {1, 1, 1}, {1, 1.0 / 2, 1.0 / 5}, {1, 1 / 0.69314718055994530942, 1 / 1.6094379124341003746}};
  for (chorale_scale scale = 0; scale < 3; ++scale) {
    chorale_potential_options options = {.struct_size = sizeof options};
    options.scale = scale;
    options.counted = counted;
    chorale_potential *p = NULL;
    OK(chorale_potential_create_potts(NULL, 3, 3, &options, &p, &error));
    assert_true(is_near(evaluate(p, 1, 0, 0), 3 * factors[scale][0]));
    assert_true(is_near(evaluate(p, 1, 0, 1), 3 * factors[scale][1]));
    assert_true(is_near(evaluate(p, 1, 2, 2), 15 * factors[scale][2]));
    assert_true(evaluate(p, 0, 0, 4) == 0);
    chorale_potential_release(p);
  }
}

/* ---- References --------------------------------------------------------------------------- */

typedef struct Called {
  int64_t calls, releases, mistakes;
} Called;

static int32_t count_calls(void *user, const int64_t *counts, int64_t values, int64_t members,
                           double *score) {
  Called *called = user;
  __atomic_fetch_add(&called->calls, 1, __ATOMIC_RELAXED);
  int64_t sum = 0;
  for (int64_t v = 0; v < values; ++v)
    sum += counts[v];
  if (values != 3 || sum > members || counts[2] != 0)
    __atomic_fetch_add(&called->mistakes, 1, __ATOMIC_RELAXED);
  *score = (double)(counts[0] * counts[0] - counts[1]);
  return 0;
}
static void count_releases(void *user) { ++((Called *)user)->releases; }

static void a_callback_is_released_once(void **state) {
  (void)state;
  chorale_error error;
  Called called = {0, 0, 0};
  const uint8_t counted[3] = {1, 1, 0};
  chorale_potential_options options = {.struct_size = sizeof options};
  options.counted = counted;
  chorale_potential *p = NULL;
  OK(chorale_potential_create_callback(NULL, 3, count_calls, &called, count_releases, &options, &p,
                                       &error));
  assert_true(evaluate(p, 2, 1, 4) == 3);
  assert_int_equal(called.calls, 1);
  assert_true(evaluate(p, 0, 0, 4) == 0);
  assert_int_equal(called.calls, 1); /* not asked when nothing counts */
  assert_int_equal(called.mistakes, 0);
  assert_ptr_equal(chorale_potential_retain(p), p);
  chorale_potential_release(p);
  assert_int_equal(called.releases, 0);
  chorale_potential_release(p);
  assert_int_equal(called.releases, 1);

  p = NULL; /* never when creation fails */
  FAILS(chorale_potential_create_callback(NULL, 0, count_calls, &called, count_releases, NULL, &p,
                                          &error),
        CHORALE_ERROR_SIZE, "values");
  CountingAllocator allocator;
  counting_allocator_init(&allocator);
  allocator.fail_at = 1;
  chorale_host host = {.struct_size = sizeof host};
  host.allocator = &allocator.hooks;
  FAILS(chorale_potential_create_callback(&host, 3, count_calls, &called, count_releases, NULL, &p,
                                          &error),
        CHORALE_ERROR_OUT_OF_MEMORY, "memory");
  assert_int_equal(called.releases, 1);
  assert_null(p);
}

static void null_is_harmless(void **state) {
  (void)state;
  assert_null(chorale_potential_retain(NULL));
  chorale_potential_release(NULL);
  assert_int_equal(chorale_potential_values(NULL), 0);
  assert_null(chorale_potential_family(NULL));
}

/* Arrays passed by the caller are copied. */
static void arrays_are_copied(void **state) {
  (void)state;
  chorale_error error;
  double tables[4] = {0, 1, 3, 6};
  uint8_t counted[3] = {1, 1, 0};
  chorale_potential_options options = {.struct_size = sizeof options};
  options.counted = counted;
  chorale_potential *p = NULL;
  OK(chorale_potential_create_sum(NULL, 3, tables, 1, 4, 4, &options, &p, &error));
  memset(tables, 0xEE, sizeof tables);
  memset(counted, 1, sizeof counted);
  memset(&options, 0xEE, sizeof options);
  assert_true(evaluate(p, 2, 0, 1) == 3);
  chorale_potential_release(p);
}

/* Rows of uncounted values may hold any numbers. */
static void rows_that_do_not_count_are_ignored(void **state) {
  (void)state;
  chorale_error error;
  const uint8_t counted[3] = {1, 0, 1};
  chorale_potential_options options = {.struct_size = sizeof options};
  options.counted = counted;
  const double tables[9] = {0, 1, 4, NAN, INFINITY, NAN, 0, 2, 4};
  chorale_potential *p = NULL;
  OK(chorale_potential_create_sum(NULL, 3, tables, 3, 3, 3, &options, &p, &error));
  assert_true(evaluate(p, 1, 0, 1) == 3);
  chorale_potential_release(p);
  OK(chorale_potential_create_max(NULL, 3, tables, 3, 3, 3, &options, &p, &error));
  assert_true(evaluate(p, 1, 0, 1) == 2);
  chorale_potential_release(p);
  const double weights[9] = {1, NAN, 2, NAN, INFINITY, NAN, 3, -INFINITY, 4};
  const double bias[3] = {5, NAN, 6};
  OK(chorale_potential_create_majority(NULL, 3, weights, 3, bias, &options, &p, &error));
  assert_true(evaluate(p, 2, 5, 1) == 5 + 2 + 2);
  chorale_potential_release(p);
}

/* Entries of uncounted values decide neither whether a PAIRS is a SUM, nor its score. */
static void pairs_that_do_not_count_are_ignored(void **state) {
  (void)state;
  chorale_error error;
  const uint8_t counted[2][4] = {{1, 1, 1, 0}, {0, 0, 0, 0}};
  const double scores[16] = {0, 2, 0, INFINITY, 2, 0, 0, 1e9, 0, 0, 0, NAN, 1e9, NAN, 1e9, NAN};
  const double psi[8] = {1, 0, 0, 0, 0, 1, 0, 0};
  for (int c = 0; c < 2; ++c) {
    chorale_potential_options options = {.struct_size = sizeof options};
    options.counted = counted[c];
    chorale_potential *p = NULL;
    OK(chorale_potential_create_pairs(NULL, 4, scores, 4, &options, &p, &error));
    chorale_clique_problem problem = {.struct_size = sizeof problem};
    problem.members = 2;
    problem.values = 4;
    problem.scores = psi;
    problem.row_stride = 4;
    chorale_clique_result result = {.struct_size = sizeof result};
    chorale_clique_solver *solver = new_solver();
    OK(chorale_clique_solve(solver, p, &problem, NULL, NULL, &result, &error));
    assert_int_equal(result.outcome, CHORALE_OUTCOME_COMPLETE);
    /* The sum of all members' best scores, plus two ordered pairs if their value is counted. */
    assert_true(result.score == (c == 0 ? 6 : 2));
    chorale_clique_options boxes;
    options_of(CHORALE_ALGORITHM_COUNT_BOXES, &boxes);
    const chorale_status as_sum =
        chorale_clique_solve(solver, p, &problem, &boxes, NULL, &result, &error);
    assert_int_equal(as_sum, c == 0 ? CHORALE_ERROR_ALGORITHM_MISMATCH : CHORALE_OK);
    chorale_clique_solver_destroy(solver);
    chorale_potential_release(p);
  }
}

/* ---- Threads ------------------------------------------------------------------------------ */

typedef struct Shared {
  const chorale_potential *potential;
  const Problem *problem;
  Solved solved;
} Shared;

static void *work(void *user) {
  Shared *shared = user;
  chorale_clique_solver *solver = NULL;
  if (chorale_clique_solver_create(NULL, &solver, NULL) != CHORALE_OK)
    return NULL;
  for (int round = 0; round < 200; ++round) {
    chorale_potential *mine = chorale_potential_retain(shared->potential);
    solve(solver, mine, shared->problem, NULL, &shared->solved);
    chorale_potential_release(mine);
  }
  chorale_clique_solver_destroy(solver);
  return NULL;
}

static void threads_share_a_potential(void **state) {
  (void)state;
  enum { THREADS = 4 };
  Random random = {test_seed()};
  for (Kind kind = KIND_POTTS; kind < KIND_COUNT; kind = (Kind)(kind + 1)) {
    Problem problem;
    do
      random_problem(&random, kind, &problem);
    while (some_member_is_stuck(&problem));
    chorale_potential *potential = NULL;
    chorale_error error;
    OK(make_potential(&problem, NULL, &potential, &error));
    pthread_t threads[THREADS];
    Shared shared[THREADS];
    for (int t = 0; t < THREADS; ++t) {
      memset(&shared[t], 0, sizeof shared[t]);
      shared[t].potential = potential;
      shared[t].problem = &problem;
      assert_int_equal(pthread_create(&threads[t], NULL, work, &shared[t]), 0);
    }
    for (int t = 0; t < THREADS; ++t)
      assert_int_equal(pthread_join(threads[t], NULL), 0);
    for (int t = 0; t < THREADS; ++t) {
      assert_int_equal(shared[t].solved.status, CHORALE_OK);
      assert_memory_equal(&shared[t].solved, &shared[0].solved, sizeof shared[t].solved);
    }
    chorale_potential_release(potential);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_family_is_its_formula),
      cmocka_unit_test(examples_by_hand),
      cmocka_unit_test(scales_are_of_all_members),
      cmocka_unit_test(a_callback_is_released_once),
      cmocka_unit_test(null_is_harmless),
      cmocka_unit_test(arrays_are_copied),
      cmocka_unit_test(rows_that_do_not_count_are_ignored),
      cmocka_unit_test(pairs_that_do_not_count_are_ignored),
      cmocka_unit_test(threads_share_a_potential),
  };
  return cmocka_run_group_tests_name("potential", tests, NULL, NULL);
}
