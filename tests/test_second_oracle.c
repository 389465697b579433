/* MAJORITY against an independent solver: for every majority value a an integer program over z_iv,
 *
 *     max sum_iv (psi_iv + w_av) z_iv + b_a,   sum_v z_iv = 1,   sum_i z_iv <= sum_i z_ia,
 *
 * solved by GLPK, on problems beyond enumeration. */
#include "fixture.h"

#include <glpk.h>

enum { MOST_MEMBERS = 8, MOST_VALUES = 4 };

static double integer_program(const Problem *problem, int a) {
  const int n = problem->members;
  const int R = problem->values;
  const double factor = own_factor(problem);
  glp_prob *program = glp_create_prob();
  glp_set_obj_dir(program, GLP_MAX);
  glp_add_cols(program, n * R);
  glp_add_rows(program, n + R);
  int rows[MOST_MEMBERS * MOST_VALUES * 4 + 1], columns[COUNT_OF(rows)], entries = 0;
  double numbers[COUNT_OF(rows)];
#define ENTRY(row, column, number)                                                                 \
  (++entries, rows[entries] = (row), columns[entries] = (column), numbers[entries] = (number))
  for (int i = 0; i < n; ++i)
    for (int v = 0; v < R; ++v) {
      const int column = 1 + i * R + v;
      const int allowed = admits(problem, i, v);
      glp_set_col_kind(program, column, GLP_BV);
      if (!allowed)
        glp_set_col_bnds(program, column, GLP_FX, 0, 0);
      glp_set_obj_coef(
          program, column,
          allowed ? score_of(problem, i, v) + factor * problem->matrix[a * MAX_VALUES + v] : 0);
      ENTRY(1 + i, column, 1);
      if (v != a)
        ENTRY(1 + n + v, column, 1);
      else
        for (int w = 0; w < R; ++w)
          if (w != a)
            ENTRY(1 + n + w, column, -1);
    }
#undef ENTRY
  for (int i = 0; i < n; ++i)
    glp_set_row_bnds(program, 1 + i, GLP_FX, 1, 1);
  for (int v = 0; v < R; ++v)
    glp_set_row_bnds(program, 1 + n + v, v == a ? GLP_FR : GLP_UP, 0, 0);
  glp_load_matrix(program, entries, rows, columns, numbers);
  glp_iocp parameters;
  glp_init_iocp(&parameters);
  parameters.presolve = GLP_ON;
  parameters.msg_lev = GLP_MSG_OFF;
  const int failed = glp_intopt(program, &parameters);
  const double best =
      failed == 0 && glp_mip_status(program) == GLP_OPT
          ? glp_mip_obj_val(program) + (problem->has_bias ? factor * problem->bias[a] : 0)
          : -INFINITY;
  glp_delete_prob(program);
  return best;
}

static const char *check_majority(const Problem *problem, void *user) {
  chorale_error error;
  chorale_potential *potential = NULL;
  if (make_potential(problem, NULL, &potential, &error) != CHORALE_OK)
    return complain("no potential: \"%s\"", error.message);
  double best = -INFINITY;
  for (int a = 0; a < problem->values; ++a)
    best = fmax(best, integer_program(problem, a));
  chorale_clique_options options;
  options_of(CHORALE_ALGORITHM_EXACT_MAJORITY, &options);
  Solved solved;
  solve(user, potential, problem, &options, &solved);
  chorale_potential_release(potential);
  if (solved.status != CHORALE_OK)
    return complain("\"%s\"", solved.error.message);
  if (!is_close(solved.result.score, best))
    return complain("score %.17g, the integer programs give %.17g", solved.result.score, best);
  return best == -INFINITY || solved.result.proven ? NULL : complain("not proven");
}

static void random_majority(Random *random, Problem *problem) {
  random_problem(random, KIND_MAJORITY, problem);
  problem->has_counted = 0;
  problem->members = random_int(random, 1, MOST_MEMBERS);
  problem->values = random_int(random, 1, MOST_VALUES);
  problem->row_stride = problem->values;
  const int forbids = random_chance(random, 30);
  for (int32_t i = 0; i < problem->members; ++i) {
    problem->fixed[i] = random_chance(random, 20) ? random_int(random, 0, problem->values - 1) : -1;
    for (int32_t v = 0; v < problem->values; ++v)
      problem->scores[i * problem->row_stride + v] =
          forbids && random_chance(random, 20) ? -INFINITY : random_int(random, -20, 20) / 8.0;
  }
  for (int32_t a = 0; a < problem->values; ++a) {
    problem->bias[a] = random_int(random, -16, 16) / 8.0;
    for (int32_t v = 0; v < problem->values; ++v)
      problem->matrix[a * MAX_VALUES + v] = random_int(random, -8, 16) / 8.0;
  }
}

static void exact_majority_equals_integer_programs(void **state) {
  for (int64_t round = 0; round < test_rounds(4000); ++round) {
    Random random = {test_seed() ^ ((uint64_t)round << 8)};
    Problem problem;
    random_majority(&random, &problem);
    char where[64];
    (void)snprintf(where, sizeof where, "integer programs, round %lld", (long long)round);
    check_one(&problem, check_majority, *state, where);
  }
}

static int set_up(void **state) {
  glp_term_out(GLP_OFF);
  *state = new_solver();
  return 0;
}
static int tear_down(void **state) {
  chorale_clique_solver_destroy(*state);
  glp_free_env();
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(exact_majority_equals_integer_programs)};
  return cmocka_run_group_tests_name("second oracle", tests, set_up, tear_down);
}
