/* Rules that hold in every call (chorale.h), call by call. */
#include "fixture_scene.h"

static Scene scene;

static int open_it(void **state) {
  (void)state;
  open_scene(NULL, &scene);
  return 0;
}
static int close_it(void **state) {
  (void)state;
  close_scene(&scene);
  return 0;
}

/* ---- Strides ------------------------------------------------------------------------------ */

enum { SIDE = 3, GAPLESS_ROWS = 4 };
static const double kRows[] = {0.5, 1, 2, -1, 0.25, 0.75, 3, 0, 1, -2, 3, 0.5};

/* A potential over three values whose rows have three numbers, by family. */
static chorale_status create_with_stride(int family, int64_t stride, chorale_potential **made,
                                         chorale_error *error) {
  switch (family) {
  case 0:
    return chorale_potential_create_sum(NULL, SIDE, kRows, SIDE, SIDE, stride, NULL, made, error);
  case 1:
    return chorale_potential_create_max(NULL, SIDE, kRows, SIDE, SIDE, stride, NULL, made, error);
  case 2:
    return chorale_potential_create_majority(NULL, SIDE, kRows, stride, NULL, NULL, made, error);
  default:
    return chorale_potential_create_pairs(NULL, SIDE, kRows, stride, NULL, made, error);
  }
}

static double score_with_stride(int family, int64_t stride) {
  chorale_error error;
  chorale_potential *potential = NULL;
  OK(create_with_stride(family, stride, &potential, &error));
  static const int64_t counts[SIDE] = {0, 0, 2};
  double score = UNTOUCHED;
  OK(chorale_potential_score(potential, counts, SIDE, 2, &score, &error));
  chorale_potential_release(potential);
  return score;
}

static void a_stride_of_0_is_rows_without_gaps_in_potentials(void **state) {
  (void)state;
  chorale_error error;
  for (int family = 0; family < 4; ++family) {
    assert_true(score_with_stride(family, 0) == score_with_stride(family, SIDE));
    assert_true(score_with_stride(family, 0) != score_with_stride(family, SIDE + 1));
    chorale_potential *potential = NULL;
    FAILS(create_with_stride(family, SIDE - 1, &potential, &error), CHORALE_ERROR_STRIDE,
          "row_stride is 2", "0", "3");
    FAILS(create_with_stride(family, -1, &potential, &error), CHORALE_ERROR_STRIDE, "-1");
    assert_null(potential);
  }
}

static void a_stride_of_0_is_rows_without_gaps_in_cliques(void **state) {
  (void)state;
  chorale_error error;
  double expected[GAPLESS_ROWS * SIDE], found[GAPLESS_ROWS * SIDE];
  int32_t best[GAPLESS_ROWS], again[GAPLESS_ROWS];
  chorale_clique_problem problem = scene.clique;
  problem.row_stride = SIDE;
  OK(chorale_clique_max_marginals(scene.has.clique_solver, scene.majority, &problem, NULL,
                                  CHORALE_MARGINAL_SCORE, expected, SIDE, best, NULL, &error));
  problem.row_stride = 0;
  OK(chorale_clique_max_marginals(scene.has.clique_solver, scene.majority, &problem, NULL,
                                  CHORALE_MARGINAL_SCORE, found, 0, again, NULL, &error));
  assert_memory_equal(found, expected, sizeof expected);
  assert_memory_equal(again, best, sizeof best);
  OK(chorale_clique_solve(scene.has.clique_solver, scene.majority, &problem, NULL, again, NULL,
                          &error));
  assert_memory_equal(again, best, sizeof best);
  double scores[2];
  for (int gapless = 0; gapless < 2; ++gapless) {
    chorale_clique_result result;
    chorale_clique_result_init(&result, sizeof result);
    problem.row_stride = gapless ? 0 : SIDE;
    OK(chorale_clique_score(scene.has.clique_solver, scene.majority, &problem, best, &result,
                            &error));
    scores[gapless] = result.score;
  }
  assert_true(scores[0] == scores[1]);
}

static void a_stride_of_0_is_rows_without_gaps_in_chains(void **state) {
  (void)state;
  chorale_error error;
  chorale_chain chain = scene.chain;
  static const uint8_t allowed[] = {1, 1, 0, 1, 1, 1};
  chain.allowed = allowed;
  chain.edges = kRows;
  chain.edge_matrices = SCENE_LENGTH - 1;
  double marginals[2][SCENE_LENGTH * 2], scores[2][3];
  int32_t ranked[2][3 * SCENE_LENGTH];
  memset(ranked, 0, sizeof ranked);
  for (int gapless = 0; gapless < 2; ++gapless) {
    chain.unary_row_stride = chain.edge_row_stride = chain.allowed_row_stride = gapless ? 0 : 2;
    chain.unary_column_stride = chain.edge_column_stride = gapless ? 0 : 1;
    chain.edge_matrix_stride = gapless ? 0 : 4;
    OK(chorale_chain_max_marginals(scene.has.chain_solver, &chain, marginals[gapless],
                                   gapless ? 0 : 2, NULL, NULL, NULL, NULL, &error));
    int64_t found = 0;
    OK(chorale_chain_k_best(scene.has.chain_solver, &chain, 3, ranked[gapless],
                            gapless ? 0 : SCENE_LENGTH, scores[gapless], &found, &error));
    assert_int_equal(found, 3);
  }
  assert_memory_equal(marginals[0], marginals[1], sizeof marginals[0]);
  assert_memory_equal(scores[0], scores[1], sizeof scores[0]);
  assert_memory_equal(ranked[0], ranked[1], sizeof ranked[0]);

  for (int gapless = 0; gapless < 2; ++gapless) {
    chorale_transitions_options options;
    chorale_transitions_options_init(&options, sizeof options);
    options.row_stride = gapless ? 0 : 2;
    options.column_stride = gapless ? 0 : 1;
    chorale_transitions *transitions = NULL;
    OK(chorale_transitions_create(NULL, 2, kRows, &options, &transitions, &error));
    chain.edges = NULL;
    chain.transitions = transitions;
    OK(chorale_chain_score(&chain, ranked[0], &scores[gapless][0], &error));
    chorale_transitions_release(transitions);
  }
  assert_true(scores[0][0] == scores[1][0]);
}

static void a_stride_of_0_is_rows_without_gaps_in_runs(void **state) {
  (void)state;
  chorale_error error;
  chorale_chain chain;
  chorale_chain_init(&chain, sizeof chain);
  OK(chorale_model_get_chain(scene.has.model, 0, &chain, NULL, &error));
  const int64_t entries = chain.length * chain.labels;
  double marginals[2][64];
  assert_in_range(entries, 2, 64);
  for (int gapless = 0; gapless < 2; ++gapless)
    OK(chorale_run_max_marginals(scene.has.run, 0, marginals[gapless], gapless ? 0 : chain.labels,
                                 NULL, &error));
  assert_memory_equal(marginals[0], marginals[1], (size_t)entries * sizeof(double));
  FAILS(chorale_run_max_marginals(scene.has.run, 0, marginals[0], -1, NULL, &error),
        CHORALE_ERROR_STRIDE, "row_stride is -1");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_stride_of_0_is_rows_without_gaps_in_potentials),
      cmocka_unit_test_setup_teardown(a_stride_of_0_is_rows_without_gaps_in_cliques, open_it,
                                      close_it),
      cmocka_unit_test_setup_teardown(a_stride_of_0_is_rows_without_gaps_in_chains, open_it,
                                      close_it),
      cmocka_unit_test_setup_teardown(a_stride_of_0_is_rows_without_gaps_in_runs, open_it,
                                      close_it),
  };
  return cmocka_run_group_tests_name("rules", tests, NULL, NULL);
}
