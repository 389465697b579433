/* Scores at the ends of the allowed range next to ordinary ones, against enumeration. Comparisons
 * allow rounding errors of the greatest terms after they cancel, but a feasible problem must not be
 * reported as infeasible. Also a million values of which members prefer, or allow, few. */
#include "fixture.h"

static void fill(Problem *problem, const double *tables, const double *scores) {
  for (int32_t v = 0; v < problem->values; ++v)
    for (int32_t k = 0; k < problem->length; ++k)
      problem->tables[v * MAX_LENGTH + k] = tables[v * problem->length + k];
  for (int32_t i = 0; i < problem->members * problem->values; ++i)
    problem->scores[i] = scores[i];
}

/* The lower bound with which a search starts must lie below its rounded bounds: here every
 * labelling in which member 1 has value 1 lacks the one large score. */
static void a_labelling_far_below_the_best_is_possible(void **state) {
  (void)state;
  static const double tables[] = {-INFINITY, 2, -3,        -4,        -3,   -2,        -2,
                                  0,         3, -INFINITY, -INFINITY, -0.0, -3,        0,
                                  -1,        1, 2,         4,         0,    -INFINITY, -INFINITY};
  static const double scores[] = {-2, 1e280, -INFINITY, -INFINITY, 3,         2,
                                  0,  -1,    -INFINITY, -1,        3,         -INFINITY,
                                  0,  -2,    0,         -INFINITY, -INFINITY, -1};
  static Problem problem;
  static Oracle oracle;
  memset(&problem, 0, sizeof problem);
  problem.kind = KIND_SUM_PER_VALUE;
  problem.members = 6;
  problem.values = problem.row_stride = problem.table_count = 3;
  problem.length = 7;
  fill(&problem, tables, scores);
  problem.has_fixed = 1;
  for (int32_t i = 0; i < problem.members; ++i)
    problem.fixed[i] = i == 2 || i == 4 ? 0 : -1;
  enumerate(&problem, &oracle);
  assert_true(oracle.messages[1 * 3 + 1] == -3);

  chorale_error error;
  chorale_potential *potential = NULL;
  OK(make_potential(&problem, NULL, &potential, &error));
  chorale_clique_solver *solver = new_solver();
  chorale_clique_problem described;
  chorale_clique_options options;
  chorale_clique_result result;
  double marginals[18];
  describe_problem(&problem, &described);
  options_of(CHORALE_ALGORITHM_AUTO, &options);
  options.exact_marginals = 1;
  result = (chorale_clique_result){.struct_size = sizeof result};
  OK(chorale_clique_max_marginals(solver, potential, &described, &options, marginals, 3, NULL,
                                  &result, &error));
  assert_true(result.marginals_exact);
  for (int32_t e = 0; e < 18; ++e)
    assert_int_equal(marginals[e] == -INFINITY, oracle.marginals[e] == -INFINITY);

  /* The same problem with member 1 fixed to value 1: feasible, though far below the best. */
  problem.fixed[1] = 1;
  enumerate(&problem, &oracle);
  Solved solved;
  options_of(CHORALE_ALGORITHM_COUNT_BOXES, &options);
  solve(solver, potential, &problem, &options, &solved);
  assert_int_equal(solved.status, CHORALE_OK);
  assert_int_not_equal(solved.result.outcome, CHORALE_OUTCOME_INFEASIBLE);
  assert_true(solved.result.score == oracle.best);
  chorale_clique_solver_destroy(solver);
  chorale_potential_release(potential);
}

/* Members score about 1 for the first values and about -9 for all others, a difference that the
 * potential cannot outweigh. So all members except a fixed one take one of the first values, and
 * these labellings are enumerated. Memory and time must not grow with the square of a million. */
enum { MILLION = 1000000, LIKED = 4, LIKING = 5 };

typedef struct Liking {
  double *scores;
  double lambda;
} Liking;

/* Returns the best F where member `fixed` (-1: none) has value v and all others one of the first
 * values. */
static double best_liked(const Liking *liking, int32_t fixed, int32_t v) {
  double best = -INFINITY;
  int32_t x[LIKING] = {0};
  for (int32_t at = 0; at < LIKING;) {
    double score = 0;
    int32_t counts[LIKED + 1] = {0};
    for (int32_t i = 0; i < LIKING; ++i) {
      const int32_t value = i == fixed ? v : x[i];
      score += liking->scores[(int64_t)i * MILLION + value];
      ++counts[value < LIKED ? value : LIKED];
    }
    for (int32_t u = 0; u <= LIKED; ++u)
      score += liking->lambda * counts[u] * counts[u];
    best = fmax(best, score);
    for (at = 0; at < LIKING && ++x[at] == LIKED; ++at)
      x[at] = 0;
  }
  return best;
}

static void a_million_values_cost_what_members_can_use(void **state) {
  (void)state;
  Random random = {test_seed()};
  Liking liking = {malloc(sizeof(double) * LIKING * MILLION), 0};
  double *marginals = malloc(sizeof(double) * LIKING * MILLION);
  assert_true(liking.scores && marginals);
  for (int64_t e = 0; e < LIKING * (int64_t)MILLION; ++e)
    liking.scores[e] = random_unit(&random) + (e % MILLION < LIKED ? 1 : -9);
  chorale_clique_solver *solver = new_solver();
  chorale_clique_problem problem = {.struct_size = sizeof problem};
  problem.members = LIKING;
  problem.values = MILLION;
  problem.scores = liking.scores;
  for (int32_t is_concave = 0; is_concave < 2; ++is_concave) {
    chorale_error error;
    chorale_potential *potential = NULL;
    liking.lambda = is_concave ? -0.1 : 0.1;
    OK(chorale_potential_create_potts(NULL, MILLION, liking.lambda, NULL, &potential, &error));
    chorale_clique_options options;
    options_of(is_concave ? CHORALE_ALGORITHM_CONCAVE_FLOW : CHORALE_ALGORITHM_ALPHA_EXPANSION,
               &options);
    options.time_limit = 60;
    chorale_clique_result result = {.struct_size = sizeof result};
    const double best = best_liked(&liking, -1, -1);
    OK(chorale_clique_solve(solver, potential, &problem, &options, NULL, &result, &error));
    assert_int_equal(result.outcome, CHORALE_OUTCOME_COMPLETE);
    assert_true(is_concave ? fabs(result.score - best) <= 1e-9 : result.score <= best + 1e-9);
    if (is_concave) {
      OK(chorale_clique_max_marginals(solver, potential, &problem, &options, marginals, 0, NULL,
                                      &result, &error));
      assert_int_equal(result.outcome, CHORALE_OUTCOME_COMPLETE);
      assert_true(result.marginals_exact);
      for (int32_t i = 0; i < LIKING; ++i)
        for (int32_t k = 0; k < 2 * LIKED; ++k) {
          const int32_t v = k < LIKED ? k : random_int(&random, LIKED, MILLION - 1);
          assert_true(fabs(marginals[(int64_t)i * MILLION + v] - best_liked(&liking, i, v)) <=
                      1e-9);
        }
    } else {
      assert_true(result.score >= 0.5 * best); /* the guarantee of ALPHA_EXPANSION */
    }
    chorale_potential_release(potential);
  }
  chorale_clique_solver_destroy(solver);
  free(marginals);
  free(liking.scores);
}

/* GENERALISED_ALPHA_PASS where members allow few of the values: sets are made of these alone, so
 * that their number, the labelling and the score are those of a problem over these values. Tables
 * of the others may begin above 0. */
enum { SETS_OF = 12, SETTING = 6, DULL = 3 };

static void sets_are_made_of_values_that_members_allow(void **state) {
  (void)state;
  Random random = {test_seed()};
  static const int64_t kValues[] = {SETS_OF + 1, 40, MILLION};
  for (int32_t round = 0; round < 30; ++round) {
    const int64_t R = kValues[round == 0 ? 2 : round % 2];
    const int64_t length = SETTING + 1;
    double *tables = malloc(sizeof(double) * (size_t)(R * length));
    double *scores = malloc(sizeof(double) * (size_t)(R * SETTING));
    assert_true(tables && scores);
    double few_tables[(SETS_OF + 1) * (SETTING + 1)], few_scores[(SETS_OF + 1) * SETTING];
    for (int64_t e = 0; e < R * SETTING; ++e)
      scores[e] = -INFINITY;
    for (int64_t e = 0; e < R * length; ++e)
      tables[e] = e % length != 0 || e / length % DULL == 0 ? random_unit(&random) : 0;
    /* The values that members allow are spread over the range. The small problem has one more,
     * which stands for all others: with their tables' sum at count 0. */
    for (int32_t k = 0; k <= SETTING; ++k)
      few_tables[SETS_OF * length + k] = 0;
    for (int64_t v = 0; v < R; ++v) {
      const int64_t among = v * SETS_OF / R;
      const int is_allowed = (among * R + SETS_OF - 1) / SETS_OF == v;
      if (!is_allowed)
        few_tables[SETS_OF * length] += tables[v * length];
      for (int32_t k = 0; is_allowed && k <= SETTING; ++k)
        few_tables[among * length + k] = tables[v * length + k];
      for (int32_t i = 0; i < SETTING; ++i) {
        const double score = random_chance(&random, 20) && i % SETS_OF != among
                                 ? -INFINITY
                                 : 2 * random_unit(&random);
        if (is_allowed)
          scores[i * R + v] = few_scores[i * (SETS_OF + 1) + among] = score;
        few_scores[i * (SETS_OF + 1) + SETS_OF] = -INFINITY;
      }
    }
    chorale_clique_solver *solver = new_solver();
    chorale_clique_result results[2];
    int32_t assignment[2][SETTING];
    for (int32_t few = 0; few < 2; ++few) {
      chorale_error error;
      const int64_t values = few ? SETS_OF + 1 : R;
      chorale_potential *potential = NULL;
      OK(chorale_potential_create_sum(NULL, values, few ? few_tables : tables, values, length,
                                      length, NULL, &potential, &error));
      chorale_clique_problem problem = {.struct_size = sizeof problem};
      problem.members = SETTING;
      problem.values = values;
      problem.scores = few ? few_scores : scores;
      chorale_clique_options options;
      options_of(CHORALE_ALGORITHM_GENERALISED_ALPHA_PASS, &options);
      options.subset_size = 3;
      results[few] = (chorale_clique_result){.struct_size = sizeof results[few]};
      OK(chorale_clique_solve(solver, potential, &problem, &options, assignment[few],
                              &results[few], &error));
      chorale_potential_release(potential);
    }
    assert_int_equal(results[0].outcome, CHORALE_OUTCOME_COMPLETE);
    assert_int_equal(results[0].iterations,
                     SETS_OF + SETS_OF * (SETS_OF - 1) / 2 +
                         SETS_OF * (SETS_OF - 1) * (SETS_OF - 2) / 6);
    assert_int_equal(results[1].iterations, results[0].iterations);
    assert_true(fabs(results[0].score - results[1].score) <= 1e-9 * fabs(results[1].score));
    for (int32_t i = 0; i < SETTING; ++i)
      assert_int_equal(assignment[0][i] * (int64_t)SETS_OF / R, assignment[1][i]);
    chorale_clique_solver_destroy(solver);
    free(tables);
    free(scores);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_labelling_far_below_the_best_is_possible),
      cmocka_unit_test(a_million_values_cost_what_members_can_use),
      cmocka_unit_test(sets_are_made_of_values_that_members_allow),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
