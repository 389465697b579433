/* Strengths: a scaled potential is the factor times the original; a reweighed model equals one
 * built from scaled potentials, bit for bit; runs of either start from runs of the other. */
#include "fixture_cluster.h"

/* ---- Potentials --------------------------------------------------------------------------- */

static double random_factor(Random *random) {
  static const double some[] = {0, 1, 0.5, 2, 1e-3, 1e3};
  return random_chance(random, 60) ? some[random_int(random, 0, (int32_t)COUNT_OF(some) - 1)]
                                   : 3 * random_unit(random);
}

static double times(double factor, double score) {
  return score == -INFINITY ? score : factor * score;
}

static const char *check_scaled(const Problem *problem, void *user) {
  (void)user;
  chorale_error error;
  chorale_potential *potential = NULL, *scaled = NULL, *twice = NULL;
  Random random = {problem->salt + 3};
  const double factor = random_factor(&random), again = random_factor(&random);
  if (make_potential(problem, NULL, &potential, &error) != CHORALE_OK ||
      chorale_potential_create_scaled(NULL, potential, factor, &scaled, &error) != CHORALE_OK ||
      chorale_potential_create_scaled(NULL, scaled, again, &twice, &error) != CHORALE_OK)
    return complain("no potential: \"%s\"", error.message);
  const char *why = NULL;
  if (chorale_potential_family(scaled) != chorale_potential_family(potential) ||
      chorale_potential_values(scaled) != problem->values)
    why = complain("family %d of %d values", chorale_potential_family(scaled),
                   (int)chorale_potential_values(scaled));
  chorale_potential_release(potential); /* shared numbers remain valid */
  chorale_clique_solver *solver = new_solver();
  for (int round = 0; round < 6 && !why; ++round) {
    int64_t counts[MAX_VALUES] = {0};
    for (int32_t i = 0; i < problem->members; ++i)
      ++counts[random_int(&random, 0, problem->values - 1)];
    const double truth = own_clique_score(problem, counts);
    double once = NAN, more = NAN;
    if (chorale_potential_score(scaled, counts, problem->values, problem->members, &once,
                                   &error) != CHORALE_OK ||
        chorale_potential_score(twice, counts, problem->values, problem->members, &more,
                                   &error) != CHORALE_OK)
      why = complain("\"%s\"", error.message);
    else if (!is_close(once, times(factor, truth)) || !is_close(more, times(factor * again, truth)))
      why = complain("%.17g times %.17g is %.17g, and %.17g times that %.17g", factor, truth, once,
                     again, more);
  }
  /* Solvers treat both alike: results have their true scores, at most that of the optimum. */
  Solved solved;
  memset(&solved, 0, sizeof solved);
  solve(solver, scaled, problem, NULL, &solved);
  if (!why && solved.status != CHORALE_OK)
    why = complain("\"%s\"", solved.error.message);
  if (!why && solved.result.outcome == CHORALE_OUTCOME_COMPLETE &&
      solved.result.score > -INFINITY) {
    int64_t counts[MAX_VALUES];
    own_counts(problem, solved.assignment, counts);
    const double score = own_member_score(problem, solved.assignment) +
                         times(factor, own_clique_score(problem, counts));
    if (!is_close(score, solved.result.score))
      why = complain("factor %.17g: score %.17g, it is %.17g", factor, solved.result.score, score);
    if (factor == 0 && !why && problem->kind == KIND_POTTS) {
      double best = 0;
      for (int32_t i = 0; i < problem->members; ++i) {
        double own = -INFINITY;
        for (int32_t v = 0; v < problem->values; ++v)
          own = admits(problem, i, v) ? fmax(own, score_of(problem, i, v)) : own;
        best += own;
      }
      if (!is_close(best, solved.result.score))
        why =
            complain("without strength the score is %.17g, it is %.17g", solved.result.score, best);
    }
  }
  chorale_clique_solver_destroy(solver);
  chorale_potential_release(scaled);
  chorale_potential_release(twice);
  return why;
}

static void every_family_takes_a_factor(void **state) {
  (void)state;
  check_kinds("scaled", KIND_POTTS, KIND_CALLBACK, test_rounds(1000), check_scaled, NULL);
}

/* Counts that a table forbids stay forbidden with factor 0, by every algorithm. */
static void what_is_forbidden_stays_so(void **state) {
  (void)state;
  chorale_error error;
  const double tables[] = {0, 1, -INFINITY, -INFINITY};
  chorale_potential *sum = NULL, *max = NULL, *zero[2] = {NULL, NULL};
  OK(chorale_potential_create_sum(NULL, 3, tables, 1, 4, 0, NULL, &sum, &error));
  OK(chorale_potential_create_max(NULL, 3, tables, 1, 4, 0, NULL, &max, &error));
  OK(chorale_potential_create_scaled(NULL, sum, 0, &zero[0], &error));
  OK(chorale_potential_create_scaled(NULL, max, 0, &zero[1], &error));
  chorale_clique_solver *solver = new_solver();
  const double rows[] = {5, 0, 0, 5, 0, 0, 5, 0, 0};
  for (int k = 0; k < 2; ++k) {
    chorale_clique_problem problem;
    chorale_clique_result result;
    int32_t assignment[3];
    double marginals[9];
    problem = (chorale_clique_problem){.struct_size = sizeof problem};
    problem.members = problem.values = problem.row_stride = 3;
    problem.scores = rows;
    result = (chorale_clique_result){.struct_size = sizeof result};
    OK(chorale_clique_solve(solver, zero[k], &problem, NULL, assignment, &result, &error));
    int64_t counts[3] = {0};
    for (int i = 0; i < 3; ++i)
      ++counts[assignment[i]];
    double score = NAN;
    OK(chorale_potential_score(zero[k], counts, 3, 3, &score, &error));
    if (k == 0) { /* at most one member a value */
      assert_true(result.score == 5 && score == 0);
      OK(chorale_clique_max_marginals(solver, zero[k], &problem, NULL, CHORALE_MARGINAL_SCORE,
                                      marginals, 3, NULL, NULL, &error));
      for (int e = 0; e < 9; ++e)
        assert_true(marginals[e] == 5);
    } else { /* the highest of three tables is 0 * 1, or 0 * 0 where one value is empty */
      assert_true(result.score == 15 && score == 0);
    }
  }
  chorale_clique_solver_destroy(solver);
  chorale_potential_release(zero[0]);
  chorale_potential_release(zero[1]);
  chorale_potential_release(sum);
  chorale_potential_release(max);
}

static int32_t small_callback(void *user, const int64_t *counts, int64_t values, int64_t members,
                              double *score) {
  (void)user, (void)counts, (void)values, (void)members;
  *score = 1e-200;
  return 0;
}

/* A factor that is too large is refused with the greatest allowed one, which is accepted. */
static void assert_greatest_factor(const chorale_potential *potential, double factor) {
  chorale_error error;
  chorale_potential *made = NULL;
  FAILS(chorale_potential_create_scaled(NULL, potential, factor, &made, &error),
        CHORALE_ERROR_OUT_OF_RANGE, "factor is 1e+300", "at most ");
  const double greatest = plain_number(strstr(error.message, "at most ") + strlen("at most "));
  assert_true(greatest > 0 && greatest < factor);
  OK(chorale_potential_create_scaled(NULL, potential, greatest, &made, &error));
  chorale_potential_release(made);
  made = NULL;
  FAILS(chorale_potential_create_scaled(NULL, potential, nextafter(greatest, INFINITY), &made,
                                        &error),
        CHORALE_ERROR_OUT_OF_RANGE, "at most ");
}

static void bad_factors(void **state) {
  (void)state;
  chorale_error error;
  chorale_potential *potts = NULL, *sum = NULL, *made = NULL;
  const double table[] = {0, -1e270, 3};
  OK(chorale_potential_create_potts(NULL, 2, -1e200, NULL, &potts, &error));
  OK(chorale_potential_create_sum(NULL, 2, table, 1, 3, 0, NULL, &sum, &error));
  FAILS(chorale_potential_create_scaled(NULL, NULL, 1, &made, &error), CHORALE_ERROR_NULL_ARGUMENT,
        "potential");
  FAILS(chorale_potential_create_scaled(NULL, potts, 1, NULL, &error), CHORALE_ERROR_NULL_ARGUMENT,
        "scaled");
  FAILS(chorale_potential_create_scaled(NULL, potts, NAN, &made, &error),
        CHORALE_ERROR_NOT_A_NUMBER, "factor", "NaN");
  FAILS(chorale_potential_create_scaled(NULL, potts, INFINITY, &made, &error),
        CHORALE_ERROR_INFINITE, "factor");
  FAILS(chorale_potential_create_scaled(NULL, potts, -0.5, &made, &error),
        CHORALE_ERROR_OUT_OF_RANGE, "factor", "-0.5", "at least 0");
  FAILS(chorale_potential_create_scaled(NULL, potts, 1e100, &made, &error),
        CHORALE_ERROR_OUT_OF_RANGE, "factor", "1e+100", "at most");
  assert_greatest_factor(potts, 1e300);
  FAILS(chorale_potential_create_scaled(NULL, sum, 1e20, &made, &error), CHORALE_ERROR_OUT_OF_RANGE,
        "factor", "at most");
  assert_greatest_factor(sum, 1e300);
  chorale_potential *others[5] = {NULL};
  const double small[] = {0, 1e-200, -3e-200};
  OK(chorale_potential_create_sum(NULL, 2, small, 1, 3, 0, NULL, &others[0], &error));
  OK(chorale_potential_create_callback(NULL, 2, small_callback, NULL, NULL, NULL, &others[1],
                                       &error));
  OK(chorale_potential_create_scaled(NULL, others[0], 7e99, &others[2], &error));
  OK(chorale_potential_create_scaled(NULL, others[1], 3e-5, &others[3], &error));
  OK(chorale_potential_create_pairs(NULL, 1, &table[1], 1, NULL, &others[4], &error));
  for (int i = 0; i < 5; ++i) { /* even if the numbers themselves would allow more */
    assert_greatest_factor(others[i], 1e300);
    chorale_potential_release(others[i]);
  }
  chorale_host host = {.struct_size = sizeof host};
  host.struct_size = 0;
  FAILS(chorale_potential_create_scaled(&host, sum, 1, &made, &error), CHORALE_ERROR_STRUCT_SIZE,
        "host");
  CountingAllocator allocator;
  counting_allocator_init(&allocator);
  host = (chorale_host){.struct_size = sizeof host};
  host.allocator = &allocator.hooks;
  allocator.is_dry = 1;
  FAILS(chorale_potential_create_scaled(&host, sum, 1, &made, &error), CHORALE_ERROR_OUT_OF_MEMORY,
        "bytes");
  assert_null(made);
  OK(chorale_potential_create_scaled(NULL, sum, 1e10, &made, &error));
  chorale_potential_release(made);
  chorale_potential_release(sum);
  chorale_potential_release(potts);
}

/* ---- Models ------------------------------------------------------------------------------- */

static void solve_model(const Cluster *cluster, const chorale_model *model,
                        const chorale_run *earlier, chorale_run **run, Said *said) {
  chorale_error error;
  OK(chorale_run_create(NULL, model, &cluster->options, earlier, run, &error));
  OK(chorale_run_solve(*run, NULL, &error));
  listen_to(cluster, *run, said);
}

static void reweighed_is_built_of_scaled(void **state) {
  (void)state;
  static Cluster cluster;
  static Built built, other;
  static Said said, expected, warm;
  Random random = {test_seed() + 41};
  int64_t compared = 0;
  for (int64_t round = 0; round < test_rounds(1500); ++round) {
    random_cluster(&random, &cluster);
    chorale_error error;
    double factors[MOST_CLIQUES];
    for (int32_t c = 0; c < MOST_CLIQUES; ++c)
      factors[c] = random_factor(&random);
    /* A model built from scaled potentials. */
    open_parts(&cluster, NULL, &other);
    for (int32_t c = 0; c < cluster.clique_count; ++c)
      for (int32_t k = 0; k < MOST_CENTRES; ++k)
        if (other.potentials[c][k]) {
          chorale_potential *scaled = NULL;
          OK(chorale_potential_create_scaled(NULL, other.potentials[c][k], factors[c], &scaled,
                                             &error));
          chorale_potential_release(other.potentials[c][k]);
          other.potentials[c][k] = scaled;
        }
    chorale_model_builder *builder = NULL;
    OK(chorale_model_builder_create(NULL, &builder, &error));
    OK(add_chains(&cluster, &other, builder, &error));
    OK(add_cliques(&cluster, &other, builder, &error));
    OK(chorale_model_builder_freeze(builder, &other.model, &error));
    chorale_model_builder_destroy(builder);
    /* A model built from unscaled potentials, then reweighed; only the second model keeps the first
     * one alive. */
    build(&cluster, NULL, &built);
    chorale_run *before = NULL, *run = NULL, *same = NULL, *after = NULL;
    solve_model(&cluster, built.model, NULL, &before, &said);
    chorale_model *reweighed = NULL;
    OK(chorale_model_reweigh(NULL, built.model, factors, &reweighed, &error));
    assert_true(chorale_model_score_bytes(reweighed) == chorale_model_score_bytes(built.model));
    chorale_model_release(built.model);
    built.model = reweighed;
    solve_model(&cluster, reweighed, NULL, &run, &said);
    solve_model(&cluster, other.model, NULL, &same, &expected);
    const char *why = compare_said(&cluster, &said, &expected);
    /* Checks the score by its definition. */
    if (!why && said.result.score > -INFINITY) {
      Parts parts;
      own_parts(&cluster, said.labels, &parts);
      for (int32_t c = 0; c < cluster.clique_count && !why; ++c)
        if (!is_close(said.clique_scores[c], times(factors[c], parts.cliques[c])))
          why = complain("clique %d scores %.17g, it is %.17g times %.17g", c,
                         said.clique_scores[c], factors[c], parts.cliques[c]);
      ++compared;
    }
    /* Starts from a run with other strengths, and back. */
    solve_model(&cluster, reweighed, before, &after, &warm);
    if (!why && warm.result.score > -INFINITY) {
      Parts parts;
      own_parts(&cluster, warm.labels, &parts);
      double total = 0;
      int64_t left_out = 0;
      for (int32_t i = 0; i < cluster.chain_count; ++i)
        if (parts.chains[i] > -INFINITY)
          total += parts.chains[i];
        else
          ++left_out;
      for (int32_t c = 0; c < cluster.clique_count; ++c)
        total += times(factors[c], parts.cliques[c]);
      if (left_out != warm.result.left_out)
        why = complain("%lld chains are forbidden, %lld left out", (long long)left_out,
                       (long long)warm.result.left_out);
      if (!why && (!is_close(warm.result.score, total) || warm.result.score < warm.result.own_score))
        why = complain("from an earlier run: score %.17g, it is %.17g, the chains' own %.17g",
                       warm.result.score, total, warm.result.own_score);
    }
    if (why) {
      dump_cluster(stderr, &cluster);
      fail_msg("%s", why);
    }
    chorale_run_destroy(before);
    chorale_run_destroy(run);
    chorale_run_destroy(same);
    chorale_run_destroy(after);
    close_built(&cluster, &built);
    close_built(&cluster, &other);
  }
  print_message("%lld models\n", (long long)compared);
  assert_true(compared > 0);
}

static void bad_strengths(void **state) {
  (void)state;
  static Cluster cluster;
  static Built built;
  Random random = {test_seed() + 42};
  do
    random_cluster(&random, &cluster);
  while (cluster.clique_count < 2);
  CountingAllocator allocator;
  counting_allocator_init(&allocator);
  chorale_host host = {.struct_size = sizeof host};
  host.allocator = &allocator.hooks;
  build(&cluster, NULL, &built);
  chorale_error error;
  chorale_model *made = NULL;
  double factors[MOST_CLIQUES] = {1, 1, 1, 1};
  FAILS(chorale_model_reweigh(NULL, NULL, factors, &made, &error), CHORALE_ERROR_NULL_ARGUMENT,
        "model");
  FAILS(chorale_model_reweigh(NULL, built.model, NULL, &made, &error), CHORALE_ERROR_NULL_ARGUMENT,
        "factors");
  FAILS(chorale_model_reweigh(NULL, built.model, factors, NULL, &error),
        CHORALE_ERROR_NULL_ARGUMENT, "reweighed");
  factors[1] = -1;
  FAILS(chorale_model_reweigh(NULL, built.model, factors, &made, &error),
        CHORALE_ERROR_OUT_OF_RANGE, "factors[1]", "-1");
  factors[1] = NAN;
  FAILS(chorale_model_reweigh(NULL, built.model, factors, &made, &error),
        CHORALE_ERROR_NOT_A_NUMBER, "factors[1]");
  factors[1] = 1e300;
  FAILS(chorale_model_reweigh(NULL, built.model, factors, &made, &error),
        CHORALE_ERROR_OUT_OF_RANGE, "factors[1] is 1e+300", "at most");
  assert_null(strstr(error.message, "-"));
  factors[1] = INFINITY;
  FAILS(chorale_model_reweigh(NULL, built.model, factors, &made, &error), CHORALE_ERROR_INFINITE,
        "factors[1]");
  factors[1] = 0.5;
  host.struct_size = 1;
  FAILS(chorale_model_reweigh(&host, built.model, factors, &made, &error),
        CHORALE_ERROR_STRUCT_SIZE, "host");
  assert_null(made);
  host.struct_size = sizeof host;
  for (int64_t number = 1; !made; ++number) {
    allocator.fail_at = number;
    const chorale_status status = chorale_model_reweigh(&host, built.model, factors, &made, &error);
    assert_true(status == CHORALE_OK || status == CHORALE_ERROR_OUT_OF_MEMORY);
    assert_int_equal(made != NULL, status == CHORALE_OK);
    if (!made)
      assert_int_equal(allocator.live, 0);
  }
  chorale_model_release(made);
  assert_int_equal(allocator.live, 0);
  close_built(&cluster, &built);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_family_takes_a_factor),
      cmocka_unit_test(what_is_forbidden_stays_so),
      cmocka_unit_test(bad_factors),
      cmocka_unit_test(reweighed_is_built_of_scaled),
      cmocka_unit_test(bad_strengths),
  };
  print_message("CHORALE_TEST_SEED=%llu\n", (unsigned long long)test_seed());
  return cmocka_run_group_tests_name("strength", tests, NULL, NULL);
}
