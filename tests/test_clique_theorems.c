/* The theorems of the paper, each on an instance that demonstrates it. */
#include "fixture.h"

/* A problem of any size with its potential. */
typedef struct Instance {
  int64_t members, values;
  double *scores;
  int32_t *assignment;
  chorale_clique_result result;
} Instance;

static Instance new_instance(int64_t members, int64_t values) {
  Instance instance;
  memset(&instance, 0, sizeof instance);
  instance.members = members;
  instance.values = values;
  instance.scores = calloc((size_t)(members * values), sizeof(double));
  instance.assignment = calloc((size_t)members, sizeof(int32_t));
  assert_non_null(instance.scores);
  assert_non_null(instance.assignment);
  return instance;
}

static void free_instance(Instance *instance) {
  free(instance->scores);
  free(instance->assignment);
}

static double *score_at(Instance *instance, int64_t member, int64_t value) {
  return instance->scores + member * instance->values + value;
}

static chorale_clique_problem describe(const Instance *instance) {
  chorale_clique_problem problem = {.struct_size = sizeof problem};
  problem.members = instance->members;
  problem.values = instance->values;
  problem.scores = instance->scores;
  problem.row_stride = instance->values;
  return problem;
}

static double run(chorale_clique_solver *solver, const chorale_potential *potential,
                  Instance *instance, const chorale_clique_options *options) {
  const chorale_clique_problem problem = describe(instance);
  chorale_error error;
  instance->result = (chorale_clique_result){.struct_size = sizeof instance->result};
  OK(chorale_clique_solve(solver, potential, &problem, options, instance->assignment,
                          &instance->result, &error));
  return instance->result.score;
}

static double run_named(chorale_clique_solver *solver, const chorale_potential *potential,
                        Instance *instance, chorale_algorithm algorithm) {
  chorale_clique_options options;
  options_of(algorithm, &options);
  const double score = run(solver, potential, instance, &options);
  assert_int_equal(instance->result.algorithm, algorithm);
  return score;
}

static double evaluate(chorale_clique_solver *solver, const chorale_potential *potential,
                       Instance *instance) {
  const chorale_clique_problem problem = describe(instance);
  chorale_error error;
  instance->result = (chorale_clique_result){.struct_size = sizeof instance->result};
  OK(chorale_clique_score(solver, potential, &problem, instance->assignment, &instance->result,
                             &error));
  return instance->result.score;
}

static chorale_potential *potts(int64_t values, double lambda) {
  chorale_potential *potential = NULL;
  chorale_error error;
  OK(chorale_potential_create_potts(NULL, values, lambda, NULL, &potential, &error));
  return potential;
}

static chorale_potential *majority(int64_t values, const double *weights, const double *bias) {
  chorale_potential *potential = NULL;
  chorale_error error;
  OK(chorale_potential_create_majority(NULL, values, weights, values, bias, NULL, &potential,
                                       &error));
  return potential;
}

static void assert_score(double found, double expected) {
  if (!(fabs(found - expected) <= 1e-9 * fmax(1, fabs(expected))))
    fail_msg("score %.17g, expected %.17g", found, expected);
}

/* ---- Alpha-pass --------------------------------------------------------------------------- */

static const char *check_alpha_pass_is_exact(const Problem *problem, void *user) {
  chorale_error error;
  chorale_potential *potential = NULL;
  if (make_potential(problem, NULL, &potential, &error) != CHORALE_OK)
    return complain("no potential: \"%s\"", error.message);
  Oracle oracle;
  enumerate(problem, &oracle);
  chorale_clique_options options;
  options_of(CHORALE_ALGORITHM_ALPHA_PASS, &options);
  Solved solved;
  solve(user, potential, problem, &options, &solved);
  const char *why = check_result(problem, &oracle, &options, &solved, 1);
  chorale_potential_release(potential);
  return why;
}

static void alpha_pass_is_exact_for_max(void **state) {
  check_kinds("max", KIND_MAX_SHARED, KIND_SQUARE_MAKESPAN, test_rounds(4000),
              check_alpha_pass_is_exact, *state);
}

static const char *check_two_values(const Problem *problem, void *user) {
  return column_count(problem) <= 2 ? check_alpha_pass_is_exact(problem, user) : NULL;
}

static void alpha_pass_is_exact_for_two_values(void **state) {
  check_kinds("two values", KIND_POTTS, KIND_CALLBACK, test_rounds(4000), check_two_values, *state);
}

static void alpha_pass_of_potts_is_tight_at_13_15(void **state) {
  static const int64_t sizes[] = {6, 30, 90, 300};
  double last = 1;
  for (size_t s = 0; s < COUNT_OF(sizes); ++s) {
    const int64_t n = sizes[s];
    const double size = (double)n;
    const double private_gain = 1e-7;
    Instance instance = new_instance(n, n + 3);
    for (int64_t i = 0; i < n; ++i) {
      *score_at(&instance, i, i / (n / 3)) = 4 * size / 3;
      *score_at(&instance, i, i + 3) = 4 * size / 3 + private_gain;
    }
    chorale_potential *potential = potts(n + 3, 1);
    const double found = run_named(*state, potential, &instance, CHORALE_ALGORITHM_ALPHA_PASS);
    assert_score(found, 13 * size * size / 9 + 2 * size / 3 + private_gain * 2 * size / 3);
    for (int64_t i = 0; i < n; ++i)
      instance.assignment[i] = (int32_t)(i / (n / 3));
    const double best = evaluate(*state, potential, &instance);
    assert_score(best, 5 * size * size / 3);
    if (n == 6) {
      chorale_clique_options options;
      options_of(CHORALE_ALGORITHM_COUNT_BOXES, &options);
      assert_score(run(*state, potential, &instance, &options), best);
      assert_int_equal(instance.result.proven, 1);
    }
    assert_true(found / best >= 13.0 / 15);
    assert_true(found / best < last);
    last = found / best;
    chorale_potential_release(potential);
    free_instance(&instance);
  }
  assert_true(last < 13.0 / 15 + 0.002);
}

typedef struct Ratio {
  chorale_clique_solver *solver;
  double worst_one, worst_two;
} Ratio;

/* Shifts scores to be non-negative and finite, as the guarantees assume. */
static const char *check_ratio(const Problem *drawn, void *user) {
  Ratio *ratio = user;
  Problem problem = *drawn;
  problem.lambda = fabs(problem.lambda);
  problem.has_fixed = 0;
  problem.has_counted = 0;
  for (int32_t i = 0; i < problem.members; ++i)
    for (int32_t v = 0; v < problem.values; ++v) {
      double *score = problem.scores + i * problem.row_stride + v;
      *score = *score == -INFINITY ? 0 : *score + 2;
    }
  chorale_error error;
  chorale_potential *potential = NULL;
  if (make_potential(&problem, NULL, &potential, &error) != CHORALE_OK)
    return complain("no potential: \"%s\"", error.message);
  Oracle oracle;
  enumerate(&problem, &oracle);
  const char *why = NULL;
  for (int32_t q = 1; q <= 2 && !why; ++q) {
    chorale_clique_options options;
    options_of(CHORALE_ALGORITHM_GENERALISED_ALPHA_PASS, &options);
    options.subset_size = q;
    Solved solved;
    solve(ratio->solver, potential, &problem, &options, &solved);
    why = check_result(&problem, &oracle, &options, &solved, 0);
    double *worst = q == 1 ? &ratio->worst_one : &ratio->worst_two;
    const double bound = q == 1 ? 13.0 / 15 : 8.0 / 9;
    if (!why && oracle.best > 0) {
      *worst = fmin(*worst, solved.result.score / oracle.best);
      if (!(solved.result.score >= bound * oracle.best - 1e-9))
        why = complain("q = %d: %.17g of %.17g", q, solved.result.score, oracle.best);
    }
  }
  chorale_potential_release(potential);
  return why;
}

static void generalised_alpha_pass_of_potts_gives_8_9(void **state) {
  Ratio ratio = {*state, 1, 1};
  check_kinds("ratio", KIND_POTTS, KIND_POTTS, test_rounds(20000), check_ratio, &ratio);
  assert_true(ratio.worst_one < 1); /* or nothing was tried that could fail */
}

static void alpha_pass_of_entropy_drifts_to_1_2(void **state) {
  static const int64_t sizes[] = {25, 100, 400};
  double last = 1;
  for (size_t s = 0; s < COUNT_OF(sizes); ++s) {
    const int64_t n = sizes[s];
    const double logarithm = log((double)n);
    const int64_t groups = (int64_t)floor(logarithm + 0.5);
    Instance instance = new_instance(n, n + groups);
    for (int64_t i = 0; i < n; ++i) {
      *score_at(&instance, i, i * groups / n) = logarithm;
      *score_at(&instance, i, groups + i) = logarithm + 1e-7;
    }
    chorale_potential *potential = NULL;
    chorale_error error;
    OK(chorale_potential_create_entropy(NULL, n + groups, 1, NULL, &potential, &error));
    const double found = run_named(*state, potential, &instance, CHORALE_ALGORITHM_ALPHA_PASS);
    for (int64_t i = 0; i < n; ++i)
      instance.assignment[i] = (int32_t)(i * groups / n);
    const double best = evaluate(*state, potential, &instance);
    assert_true(found / best < last);
    last = found / best;
    chorale_potential_release(potential);
    free_instance(&instance);
  }
  assert_true(last < 0.70);
}

/* ---- Alpha-expansion ---------------------------------------------------------------------- */

static void alpha_expansion_stops_at_1_2(void **state) {
  static const int64_t groups[] = {4, 10, 25};
  for (size_t s = 0; s < COUNT_OF(groups); ++s) {
    const int64_t k = groups[s];
    const int64_t n = 4 * k;
    const double size = (double)n;
    Instance instance = new_instance(n, k + 1);
    for (int64_t i = 0; i < n; ++i) {
      *score_at(&instance, i, 0) = 8; /* 2 n / k */
      *score_at(&instance, i, 1 + i / 4) = 2 * size;
    }
    chorale_potential *potential = potts(k + 1, 1);
    chorale_clique_options options;
    options_of(CHORALE_ALGORITHM_ALPHA_EXPANSION, &options);
    options.start = CHORALE_START_VALUE;
    options.start_value = 0;
    assert_score(run(*state, potential, &instance, &options), size * size * (1 + 2 / (double)k));
    for (int64_t i = 0; i < n; ++i)
      instance.assignment[i] = (int32_t)(1 + i / 4);
    const double best = evaluate(*state, potential, &instance);
    assert_score(best, size * size * (2 + 1 / (double)k));
    assert_score(run_named(*state, potential, &instance, CHORALE_ALGORITHM_COUNT_BOXES), best);
    assert_int_equal(instance.result.proven, 1);
    chorale_potential_release(potential);
    free_instance(&instance);
  }
}

/* ---- Majority ----------------------------------------------------------------------------- */

static void modified_alpha_pass_is_no_better_than_1_2(void **state) {
  enum { R = 20, N = 40 };
  const double large = 100, little = 1;
  double weights[R * R] = {0};
  const int beta = 3, gamma = 7;
  for (int v = 0; v < R; ++v)
    weights[beta * R + v] = v == beta ? 0 : v == gamma ? large + little : large;
  Instance instance = new_instance(N, R);
  chorale_potential *potential = majority(R, weights, NULL);
  assert_score(run_named(*state, potential, &instance, CHORALE_ALGORITHM_MODIFIED_ALPHA_PASS),
               (large + little) * N / 2);
  const double best = run_named(*state, potential, &instance, CHORALE_ALGORITHM_EXACT_MAJORITY);
  assert_score(best, (R - 1) * large * N / R + little * N / R);
  assert_int_equal(instance.result.proven, 1);
  chorale_potential_release(potential);
  free_instance(&instance);
}

/* A diagonally dominant matrix with equal row sums: the entry for v in A and beta is n - k. */
static void modified_alpha_pass_is_no_better_than_2_3(void **state) {
  enum { K = 10, N = K * K };
  double *weights = calloc(N * N, sizeof(double));
  assert_non_null(weights);
  const int beta = 0; /* the lowest of B; A is 1 .. K, B the rest */
  for (int v = 0; v < N; ++v) {
    double sum = 0;
    for (int w = 0; w < N; ++w) {
      const int v_in_a = v >= 1 && v <= K;
      const int w_in_a = w >= 1 && w <= K;
      double *entry = weights + v * N + w;
      if (v_in_a)
        *entry = w_in_a || w == beta ? N - K : 0;
      else
        *entry = w_in_a ? 0 : K + 1;
      sum += *entry;
    }
    assert_true(sum == (N - K) * (K + 1));
  }
  Instance instance = new_instance(N, N);
  for (int i = 0; i < N; ++i) {
    *score_at(&instance, i, 1 + i % K) = 2 * (N - K);
    *score_at(&instance, i, beta) = 2 * (N - K) + 1e-7;
  }
  chorale_potential *potential = majority(N, weights, NULL);
  const double modified =
      run_named(*state, potential, &instance, CHORALE_ALGORITHM_MODIFIED_ALPHA_PASS);
  const double best = run_named(*state, potential, &instance, CHORALE_ALGORITHM_EXACT_MAJORITY);
  assert_int_equal(instance.result.proven, 1);
  assert_true(fabs(best - 3.0 * N * (N - K)) < 1e-4);
  assert_true(fabs(modified - (2.0 * N * (N - K) + 2.0 * N * (N - K) / K)) < 1e-4);
  chorale_potential_release(potential);
  free_instance(&instance);
  free(weights);
}

/* A bias makes value 0 the majority; no multipliers bring the upper bound below the value of the
 * relaxation. */
static void relaxation_with_free_count_is_not_tight(void **state) {
  static const double rows[9] = {1, 4, 0, 4, 0, 4, 3, 4, 0};
  static const double zeros[9] = {0};
  static const double bias[3] = {100, 0, 0};
  static const chorale_algorithm rules[] = {CHORALE_ALGORITHM_LAGRANGIAN_SUBGRADIENT,
                                            CHORALE_ALGORITHM_LAGRANGIAN_GOLDEN_SECTION,
                                            CHORALE_ALGORITHM_LAGRANGIAN_CONSERVATIVE};
  Instance instance = new_instance(3, 3);
  memcpy(instance.scores, rows, sizeof rows);
  chorale_potential *potential = majority(3, zeros, bias);
  assert_score(run_named(*state, potential, &instance, CHORALE_ALGORITHM_EXACT_MAJORITY), 111);
  assert_int_equal(instance.result.proven, 1);
  assert_score(instance.result.upper_bound, 111);
  for (size_t r = 0; r < COUNT_OF(rules); ++r) {
    assert_true(run_named(*state, potential, &instance, rules[r]) <= 111 + 1e-9);
    assert_true(instance.result.upper_bound >= 111.5 - 1e-9);
    assert_int_equal(instance.result.proven, 0);
  }
  chorale_potential_release(potential);
  free_instance(&instance);
}

static void lagrangian_ends_where_it_would_oscillate(void **state) {
  static const chorale_algorithm rules[] = {CHORALE_ALGORITHM_LAGRANGIAN_SUBGRADIENT,
                                            CHORALE_ALGORITHM_LAGRANGIAN_GOLDEN_SECTION,
                                            CHORALE_ALGORITHM_LAGRANGIAN_CONSERVATIVE};
  static const double zeros[4] = {0};
  Instance instance = new_instance(3, 2);
  for (int i = 0; i < 3; ++i) {
    *score_at(&instance, i, 0) = 2 + i;
    *score_at(&instance, i, 1) = 1;
  }
  const double one_favoured[2] = {0, 50}; /* so that value 1 should be the majority */
  for (int favour = 0; favour < 2; ++favour) {
    chorale_potential *potential = majority(2, zeros, favour ? one_favoured : NULL);
    for (size_t r = 0; r < COUNT_OF(rules); ++r) {
      const double score = run_named(*state, potential, &instance, rules[r]);
      assert_true(score <= (favour ? 56 : 9) + 1e-9);
      assert_true(score > -INFINITY);
      assert_true(instance.result.upper_bound >= (favour ? 56 : 9) - 1e-9);
      assert_true(instance.result.iterations < 1000000);
      assert_true(instance.result.outcome == CHORALE_OUTCOME_COMPLETE ||
                  instance.result.outcome == CHORALE_OUTCOME_ITERATION_LIMIT);
    }
    chorale_potential_release(potential);
  }
  free_instance(&instance);
}

/* ---- Hardness ----------------------------------------------------------------------------- */

static double exact_cover(chorale_clique_solver *solver, int64_t elements, int64_t sets,
                          int32_t (*set)[3], double lambda) {
  Instance instance = new_instance(elements, sets);
  for (int64_t v = 0; v < sets; ++v)
    for (int e = 0; e < 3; ++e)
      *score_at(&instance, set[v][e], v) = 2 * (double)elements * lambda;
  chorale_potential *potential = potts(sets, lambda);
  const double score = run_named(solver, potential, &instance, CHORALE_ALGORITHM_COUNT_BOXES);
  assert_int_equal(instance.result.proven, 1);
  chorale_potential_release(potential);
  free_instance(&instance);
  return score;
}

static void potts_decides_exact_cover_by_3_sets(void **state) {
  Random random = {test_seed()};
  for (int round = 0; round < 20; ++round) {
    enum { SETS = 12 };
    const int32_t n = 3 * random_int(&random, 2, 5);
    int32_t set[SETS][3];
    int32_t order[15];
    for (int32_t i = 0; i < n; ++i) {
      const int32_t j = random_int(&random, 0, i);
      order[i] = order[j];
      order[j] = i;
    }
    for (int32_t v = 0; v < SETS; ++v)
      for (int e = 0; e < 3; ++e) {
        if (v < n / 3) { /* the planted cover */
          set[v][e] = order[3 * v + e];
          continue;
        }
        do
          set[v][e] = random_int(&random, 0, n - 1);
        while ((e > 0 && set[v][e] == set[v][0]) || (e > 1 && set[v][e] == set[v][1]));
      }
    const double size = (double)n;
    const double lambda = 1.5;
    assert_score(exact_cover(*state, n, SETS, set, lambda), (2 * size * size + 3 * size) * lambda);
  }
  int32_t no_cover[3][3] = {{0, 1, 2}, {2, 3, 4}, {4, 5, 0}};
  assert_true(exact_cover(*state, 6, 3, no_cover, 1) < 2 * 36 + 3 * 6 - 0.5);
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
      cmocka_unit_test(alpha_pass_is_exact_for_max),
      cmocka_unit_test(alpha_pass_is_exact_for_two_values),
      cmocka_unit_test(alpha_pass_of_potts_is_tight_at_13_15),
      cmocka_unit_test(generalised_alpha_pass_of_potts_gives_8_9),
      cmocka_unit_test(alpha_pass_of_entropy_drifts_to_1_2),
      cmocka_unit_test(alpha_expansion_stops_at_1_2),
      cmocka_unit_test(modified_alpha_pass_is_no_better_than_1_2),
      cmocka_unit_test(modified_alpha_pass_is_no_better_than_2_3),
      cmocka_unit_test(relaxation_with_free_count_is_not_tight),
      cmocka_unit_test(lagrangian_ends_where_it_would_oscillate),
      cmocka_unit_test(potts_decides_exact_cover_by_3_sets),
  };
  return cmocka_run_group_tests_name("clique theorems", tests, set_up, tear_down);
}
