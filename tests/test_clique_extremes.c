/* Numbers at the ends of what is allowed beside ordinary ones: cliques by enumeration. Comparisons
 * allow what cancelling the greatest terms leaves, but what is possible must not be called
 * impossible. */
#include "fixture.h"

static void fill(Problem *problem, const double *tables, const double *scores) {
  for (int32_t v = 0; v < problem->values; ++v)
    for (int32_t k = 0; k < problem->length; ++k)
      problem->tables[v * MAX_LENGTH + k] = tables[v * problem->length + k];
  for (int32_t i = 0; i < problem->members * problem->values; ++i)
    problem->scores[i] = scores[i];
}

/* The floor of a search without a labelling must lie below what rounding makes of its bounds: here
 * every labelling in which member 1 takes value 1 leaves out the one great score. */
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
  chorale_clique_result_init(&result, sizeof result);
  OK(chorale_clique_max_marginals(solver, potential, &described, &options, CHORALE_MARGINAL_SCORE,
                                  marginals, 3, NULL, &result, &error));
  assert_true(result.marginals_exact);
  for (int32_t e = 0; e < 18; ++e)
    assert_int_equal(marginals[e] == -INFINITY, oracle.marginals[e] == -INFINITY);

  /* The same by itself: far from infeasible. */
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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_labelling_far_below_the_best_is_possible),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
