/* Invalid arguments of clique inference: each has its own status and a message that names argument,
 * value and rule; nothing changes and nothing leaks. */
#include "fixture.h"

enum { N = 4, R = 3 };

static CountingAllocator allocator;
static chorale_error error;
static chorale_potential *potential;
static chorale_clique_solver *solver;
static double scores[N * R];
static chorale_clique_problem problem;
static chorale_clique_options options;
static chorale_clique_result result;
static int32_t assignment[N];
static double marginals[N * R];

static int set_up(void **state) {
  (void)state;
  counting_allocator_init(&allocator);
  chorale_host host = {.struct_size = sizeof host};
  host.allocator = &allocator.hooks;
  OK(chorale_potential_create_potts(&host, R, 0.5, NULL, &potential, &error));
  OK(chorale_clique_solver_create(&host, &solver, &error));
  for (int e = 0; e < N * R; ++e)
    scores[e] = e % 5;
  problem = (chorale_clique_problem){.struct_size = sizeof problem};
  problem.members = N;
  problem.values = R;
  problem.scores = scores;
  problem.row_stride = R;
  options = (chorale_clique_options){.struct_size = sizeof options};
  result = (chorale_clique_result){.struct_size = sizeof result};
  result.score = 99;
  for (int i = 0; i < N; ++i)
    assignment[i] = UNTOUCHED;
  return 0;
}

static int tear_down(void **state) {
  (void)state;
  chorale_clique_solver_destroy(solver);
  chorale_potential_release(potential);
  return allocator.live != 0 || allocator.mistakes != 0;
}

static void use_potential(chorale_potential *other) {
  chorale_potential_release(potential);
  potential = other;
}

static chorale_status solve_it(void) {
  return chorale_clique_solve(solver, potential, &problem, &options, assignment, &result, &error);
}
static chorale_status marginals_of_it(void) {
  return chorale_clique_max_marginals(solver, potential, &problem, &options, marginals, R,
                                      assignment, &result, &error);
}

static void assert_unchanged(void) {
  assert_true(result.score == 99);
  for (int i = 0; i < N; ++i)
    assert_int_equal(assignment[i], UNTOUCHED);
}

/* Checks that solving and max-marginals both refuse the arguments and leave their outputs
 * unchanged. */
#define BOTH_REFUSE(expected, ...)                                                                 \
  do {                                                                                             \
    FAILS(solve_it(), expected, __VA_ARGS__);                                                      \
    assert_unchanged();                                                                            \
    FAILS(marginals_of_it(), expected, __VA_ARGS__);                                               \
    assert_unchanged();                                                                            \
  } while (0)

static chorale_status evaluate_it(const int32_t *x) {
  return chorale_clique_score(solver, potential, &problem, x, &result, &error);
}

#define PROBLEM_REFUSED(expected, ...)                                                             \
  do {                                                                                             \
    static const int32_t zeros[N] = {0};                                                           \
    BOTH_REFUSE(expected, __VA_ARGS__);                                                            \
    FAILS(evaluate_it(zeros), expected, __VA_ARGS__);                                              \
    assert_unchanged();                                                                            \
  } while (0)

static void pointers_must_be_there(void **state) {
  (void)state;
  FAILS(chorale_clique_solve(NULL, potential, &problem, NULL, assignment, &result, &error),
        CHORALE_ERROR_NULL_ARGUMENT, "solver", "NULL");
  FAILS(chorale_clique_solve(solver, NULL, &problem, NULL, assignment, &result, &error),
        CHORALE_ERROR_NULL_ARGUMENT, "potential", "NULL");
  FAILS(chorale_clique_solve(solver, potential, NULL, NULL, assignment, &result, &error),
        CHORALE_ERROR_NULL_ARGUMENT, "problem", "NULL");
  FAILS(chorale_clique_max_marginals(NULL, potential, &problem, NULL, marginals, R, NULL, NULL,
                                     &error),
        CHORALE_ERROR_NULL_ARGUMENT, "solver", "NULL");
  FAILS(
      chorale_clique_max_marginals(solver, NULL, &problem, NULL, marginals, R, NULL, NULL, &error),
      CHORALE_ERROR_NULL_ARGUMENT, "potential", "NULL");
  FAILS(
      chorale_clique_max_marginals(solver, potential, NULL, NULL, marginals, R, NULL, NULL, &error),
      CHORALE_ERROR_NULL_ARGUMENT, "problem", "NULL");
  FAILS(
      chorale_clique_max_marginals(solver, potential, &problem, NULL, NULL, R, NULL, NULL, &error),
      CHORALE_ERROR_NULL_ARGUMENT, "marginals", "NULL");
  FAILS(chorale_clique_score(NULL, potential, &problem, assignment, &result, &error),
        CHORALE_ERROR_NULL_ARGUMENT, "solver", "NULL");
  FAILS(chorale_clique_score(solver, NULL, &problem, assignment, &result, &error),
        CHORALE_ERROR_NULL_ARGUMENT, "potential", "NULL");
  FAILS(chorale_clique_score(solver, potential, NULL, assignment, &result, &error),
        CHORALE_ERROR_NULL_ARGUMENT, "problem", "NULL");
  FAILS(evaluate_it(NULL), CHORALE_ERROR_NULL_ARGUMENT, "assignment", "NULL");
  FAILS(chorale_clique_solver_create(NULL, NULL, &error), CHORALE_ERROR_NULL_ARGUMENT, "solver",
        "NULL");
  chorale_clique_solver_destroy(NULL);
  problem.scores = NULL;
  PROBLEM_REFUSED(CHORALE_ERROR_NULL_ARGUMENT, "scores", "NULL");
  problem.scores = scores;
  options.start = CHORALE_START_ASSIGNMENT;
  options.algorithm = CHORALE_ALGORITHM_ICM;
  FAILS(solve_it(), CHORALE_ERROR_NULL_ARGUMENT, "start_assignment", "NULL");
  assert_unchanged();
}

static void sizes_must_make_sense(void **state) {
  (void)state;
  problem.members = 0;
  PROBLEM_REFUSED(CHORALE_ERROR_SIZE, "members", "0", "1");
  problem.members = -7;
  PROBLEM_REFUSED(CHORALE_ERROR_SIZE, "members", "-7");
  problem.members = INT64_MAX;
  PROBLEM_REFUSED(CHORALE_ERROR_SIZE_OVERFLOW, "members", "9223372036854775807");
  problem.members = INT64_C(2147483648);
  PROBLEM_REFUSED(CHORALE_ERROR_SIZE_OVERFLOW, "members", "2147483648");
  problem.members = N;
  problem.values = 0;
  PROBLEM_REFUSED(CHORALE_ERROR_SIZE, "values", "0");
  problem.values = -1;
  PROBLEM_REFUSED(CHORALE_ERROR_SIZE, "values", "-1");
  problem.values = R - 1;
  PROBLEM_REFUSED(CHORALE_ERROR_VALUES_MISMATCH, "values", "2", "3");
  problem.values = R;
  problem.row_stride = R - 1;
  PROBLEM_REFUSED(CHORALE_ERROR_STRIDE, "row_stride", "2", "3");
  problem.row_stride = -R;
  PROBLEM_REFUSED(CHORALE_ERROR_STRIDE, "row_stride", "-3");
  problem.row_stride = INT64_MAX / 8;
  PROBLEM_REFUSED(CHORALE_ERROR_SIZE_OVERFLOW, "row_stride", "1152921504606846975");
  problem.row_stride = R;
  FAILS(chorale_clique_max_marginals(solver, potential, &problem, NULL, marginals, R - 1,
                                     assignment, &result, &error),
        CHORALE_ERROR_STRIDE, "row_stride", "2", "3");
  FAILS(chorale_clique_max_marginals(solver, potential, &problem, NULL, marginals, INT64_MAX / 2,
                                     assignment, &result, &error),
        CHORALE_ERROR_SIZE_OVERFLOW, "row_stride");
  assert_unchanged();
}

static void structs_must_say_their_size(void **state) {
  (void)state;
  static const size_t sizes[] = {0, 1, 5000};
  for (size_t s = 0; s < COUNT_OF(sizes); ++s) {
    char text[32];
    (void)snprintf(text, sizeof text, "%zu", sizes[s]);
    problem.struct_size = sizes[s];
    PROBLEM_REFUSED(CHORALE_ERROR_STRUCT_SIZE, "problem", text);
    problem.struct_size = sizeof problem;
    options.struct_size = sizes[s];
    BOTH_REFUSE(CHORALE_ERROR_STRUCT_SIZE, "options", text);
    options.struct_size = sizeof options;
    result.struct_size = sizes[s];
    PROBLEM_REFUSED(CHORALE_ERROR_STRUCT_SIZE, "result", text);
    result.struct_size = sizeof result;
  }
}

static void scores_must_be_numbers(void **state) {
  (void)state;
  scores[2 * R + 1] = NAN;
  PROBLEM_REFUSED(CHORALE_ERROR_NOT_A_NUMBER, "scores[2][1]", "NaN");
  scores[2 * R + 1] = INFINITY;
  PROBLEM_REFUSED(CHORALE_ERROR_INFINITE, "scores[2][1]", "inf");
  scores[2 * R + 1] = -1e300;
  PROBLEM_REFUSED(CHORALE_ERROR_OUT_OF_RANGE, "scores[2][1]", "-1e+300", "1e+280");
  scores[2 * R + 1] = -INFINITY;
  OK(solve_it());
}

static void values_must_be_in_range(void **state) {
  (void)state;
  int32_t fixed[N] = {-1, 0, 3, -1};
  problem.fixed = fixed;
  PROBLEM_REFUSED(CHORALE_ERROR_OUT_OF_RANGE, "fixed[2]", "3");
  fixed[2] = -2;
  PROBLEM_REFUSED(CHORALE_ERROR_OUT_OF_RANGE, "fixed[2]", "-2");
  problem.fixed = NULL;
  int32_t x[N] = {0, 1, 2, 3};
  FAILS(evaluate_it(x), CHORALE_ERROR_OUT_OF_RANGE, "assignment[3]", "3");
  x[3] = -1;
  FAILS(evaluate_it(x), CHORALE_ERROR_OUT_OF_RANGE, "assignment[3]", "-1");
  options.algorithm = CHORALE_ALGORITHM_ICM;
  options.start = CHORALE_START_ASSIGNMENT;
  options.start_assignment = x;
  FAILS(solve_it(), CHORALE_ERROR_OUT_OF_RANGE, "start_assignment[3]", "-1");
  options.start = CHORALE_START_VALUE;
  options.start_value = 3;
  FAILS(solve_it(), CHORALE_ERROR_OUT_OF_RANGE, "start_value", "3");
  options.start_value = -1;
  FAILS(solve_it(), CHORALE_ERROR_OUT_OF_RANGE, "start_value", "-1");
  assert_unchanged();
}

static void a_start_must_not_be_forbidden(void **state) {
  (void)state;
  const int32_t x[N] = {0, 1, 2, 0};
  scores[1 * R + 1] = -INFINITY;
  options.algorithm = CHORALE_ALGORITHM_ICM;
  options.start = CHORALE_START_ASSIGNMENT;
  options.start_assignment = x;
  FAILS(solve_it(), CHORALE_ERROR_FORBIDDEN_VALUE, "start_assignment[1]", "1");
  assert_unchanged();
  scores[1 * R + 1] = 0;
  const int32_t fixed[N] = {-1, -1, -1, 2};
  problem.fixed = fixed;
  FAILS(solve_it(), CHORALE_ERROR_FORBIDDEN_VALUE, "start_assignment[3]", "0");
  assert_unchanged();
}

static void constants_must_be_known(void **state) {
  (void)state;
  options.algorithm = 11;
  BOTH_REFUSE(CHORALE_ERROR_UNKNOWN_CONSTANT, "algorithm", "11");
  options.algorithm = -1;
  BOTH_REFUSE(CHORALE_ERROR_UNKNOWN_CONSTANT, "algorithm", "-1");
  options.algorithm = 0;
  options.start = 4;
  BOTH_REFUSE(CHORALE_ERROR_UNKNOWN_CONSTANT, "start", "4");
  options.start = 0;
  assert_unchanged();
}

static void limits_must_make_sense(void **state) {
  (void)state;
  static const double not_numbers[] = {NAN};
  options.subset_size = -1;
  BOTH_REFUSE(CHORALE_ERROR_SIZE, "subset_size", "-1");
  options.subset_size = 0;
  options.iteration_limit = -1;
  BOTH_REFUSE(CHORALE_ERROR_SIZE, "iteration_limit", "-1");
  options.iteration_limit = 0;
  options.node_limit = -2;
  BOTH_REFUSE(CHORALE_ERROR_SIZE, "node_limit", "-2");
  options.node_limit = 0;
  options.node_pool = -3;
  BOTH_REFUSE(CHORALE_ERROR_SIZE, "node_pool", "-3");
  options.node_pool = 0;
  options.tolerance = -0.5;
  BOTH_REFUSE(CHORALE_ERROR_OUT_OF_RANGE, "tolerance", "-0.5");
  options.tolerance = not_numbers[0];
  BOTH_REFUSE(CHORALE_ERROR_NOT_A_NUMBER, "tolerance", "NaN");
  options.tolerance = INFINITY;
  BOTH_REFUSE(CHORALE_ERROR_INFINITE, "tolerance", "inf");
  options.tolerance = 0;
  options.gap = not_numbers[0];
  BOTH_REFUSE(CHORALE_ERROR_NOT_A_NUMBER, "gap", "NaN");
  options.gap = -0.1;
  BOTH_REFUSE(CHORALE_ERROR_OUT_OF_RANGE, "gap", "-0.1");
  options.gap = 0;
  options.prove = 2;
  BOTH_REFUSE(CHORALE_ERROR_OUT_OF_RANGE, "prove", "2");
  options.prove = 0;
  options.time_limit = not_numbers[0];
  BOTH_REFUSE(CHORALE_ERROR_NOT_A_NUMBER, "time_limit", "NaN");
  options.time_limit = 0;
  options.exact_marginals = 2;
  BOTH_REFUSE(CHORALE_ERROR_OUT_OF_RANGE, "exact_marginals", "2");
}

/* ---- Algorithms that do not fit ------------------------------------------------------------ */

static int32_t sum_of_squares(void *user, const int64_t *counts, int64_t values, int64_t members,
                              double *score) {
  const int what = user ? *(int *)user : 0;
  (void)members;
  double sum = 0;
  for (int64_t v = 0; v < values; ++v)
    sum += (double)(counts[v] * counts[v]);
  *score = what == 1 ? NAN : what == 2 ? INFINITY : sum;
  return what == 3;
}

static void algorithms_must_fit_the_family(void **state) {
  (void)state;
  static const chorale_algorithm for_sums[] = {
      CHORALE_ALGORITHM_ALPHA_EXPANSION, CHORALE_ALGORITHM_LOCAL_SEARCH, CHORALE_ALGORITHM_CONCAVE_FLOW,
      CHORALE_ALGORITHM_COUNT_BOXES, CHORALE_ALGORITHM_DUAL_BOUND};
  static const chorale_algorithm for_majority[] = {
      CHORALE_ALGORITHM_MODIFIED_ALPHA_PASS, CHORALE_ALGORITHM_LAGRANGIAN_SUBGRADIENT,
      CHORALE_ALGORITHM_LAGRANGIAN_GOLDEN_SECTION, CHORALE_ALGORITHM_LAGRANGIAN_CONSERVATIVE,
      CHORALE_ALGORITHM_EXACT_MAJORITY};
  static const double matrix[9] = {0, 1, 2, 3, 4, 5, 6, 7, 9};
  for (size_t a = 0; a < COUNT_OF(for_majority); ++a) {
    options.algorithm = for_majority[a];
    FAILS(solve_it(), CHORALE_ERROR_ALGORITHM_MISMATCH, "algorithm",
          chorale_algorithm_name(for_majority[a]), "SUM", "alpha-pass", "count-boxes");
    FAILS(marginals_of_it(), CHORALE_ERROR_ALGORITHM_MISMATCH, "algorithm",
          chorale_algorithm_name(for_majority[a]), "alpha-pass");
  }
  for (int family = 0; family < 3; ++family) { /* PAIRS of three values is always a SUM */
    static const char *const names[] = {"MAX", "MAJORITY", "CALLBACK"};
    chorale_potential *other = NULL;
    if (family == 0)
      OK(chorale_potential_create_makespan(NULL, R, 1, NULL, &other, &error));
    else if (family == 1)
      OK(chorale_potential_create_majority(NULL, R, matrix, R, NULL, NULL, &other, &error));
    else
      OK(chorale_potential_create_callback(NULL, R, sum_of_squares, NULL, NULL, NULL, &other,
                                           &error));
    use_potential(other);
    for (size_t a = 0; a < COUNT_OF(for_sums); ++a) {
      options.algorithm = for_sums[a];
      FAILS(solve_it(), CHORALE_ERROR_ALGORITHM_MISMATCH, "algorithm",
            chorale_algorithm_name(for_sums[a]), names[family], "alpha-pass");
      FAILS(marginals_of_it(), CHORALE_ERROR_ALGORITHM_MISMATCH, "algorithm",
            chorale_algorithm_name(for_sums[a]), names[family], "alpha-pass");
    }
  }
  assert_unchanged();
}

/* The shape is that declared by the caller, or detected from second differences with a tolerance of
 * 1e-12 max|f|. */
static void shapes_must_fit_the_algorithm(void **state) {
  (void)state;
  double tenths[N + 1];
  for (int k = 0; k <= N; ++k)
    tenths[k] = 0.1 * k; /* second differences of either sign, of some 1e-17 */
  chorale_potential *other = NULL;
  OK(chorale_potential_create_sum(NULL, R, tenths, 1, N + 1, N + 1, NULL, &other, &error));
  use_potential(other);
  options.algorithm = CHORALE_ALGORITHM_LOCAL_SEARCH;
  OK(solve_it());
  options.algorithm = CHORALE_ALGORITHM_CONCAVE_FLOW;
  OK(solve_it());

  result.score = 99;
  for (int i = 0; i < N; ++i)
    assignment[i] = UNTOUCHED;
  const double bent[N + 1] = {0, 1, 3, 4, 9};
  OK(chorale_potential_create_sum(NULL, R, bent, 1, N + 1, N + 1, NULL, &other, &error));
  use_potential(other);
  options.algorithm = CHORALE_ALGORITHM_LOCAL_SEARCH;
  FAILS(solve_it(), CHORALE_ERROR_NOT_CONVEX, "local-search", "convex");
  options.algorithm = CHORALE_ALGORITHM_CONCAVE_FLOW;
  FAILS(solve_it(), CHORALE_ERROR_NOT_CONCAVE, "concave-flow", "concave");
  FAILS(marginals_of_it(), CHORALE_ERROR_NOT_CONCAVE, "concave-flow", "concave");
  assert_unchanged();

  const double nearly[N + 1] = {0, 1, 2, 3 - 1e-9, 4};
  chorale_potential_options declared = {.struct_size = sizeof declared};
  OK(chorale_potential_create_sum(NULL, R, nearly, 1, N + 1, N + 1, &declared, &other, &error));
  use_potential(other);
  options.algorithm = CHORALE_ALGORITHM_LOCAL_SEARCH;
  FAILS(solve_it(), CHORALE_ERROR_NOT_CONVEX, "local-search", "convex");
  declared.shape = CHORALE_SHAPE_CONVEX;
  OK(chorale_potential_create_sum(NULL, R, nearly, 1, N + 1, N + 1, &declared, &other, &error));
  use_potential(other);
  OK(solve_it());

  /* Concave, as declared, but with f(0) forbidden there is no first difference for the algorithm to
   * use. */
  const double at_least_one[N + 1] = {-INFINITY, 0, 0, 0, 0};
  declared.shape = CHORALE_SHAPE_CONCAVE;
  OK(chorale_potential_create_sum(NULL, R, at_least_one, 1, N + 1, N + 1, &declared, &other,
                                  &error));
  use_potential(other);
  options.algorithm = CHORALE_ALGORITHM_CONCAVE_FLOW;
  FAILS(solve_it(), CHORALE_ERROR_NOT_CONCAVE, "concave-flow", "count of 0");
  options.algorithm = CHORALE_ALGORITHM_AUTO;
  options.prove = 1;
  OK(solve_it());
  assert_int_equal(result.outcome, CHORALE_OUTCOME_COMPLETE);
  assert_true(result.proven && result.score > -INFINITY);
}

static void exact_marginals_must_exist(void **state) {
  (void)state;
  chorale_potential *other = NULL;
  OK(chorale_potential_create_callback(NULL, R, sum_of_squares, NULL, NULL, NULL, &other, &error));
  use_potential(other);
  options.exact_marginals = 1;
  FAILS(marginals_of_it(), CHORALE_ERROR_NOT_EXACT, "exact_marginals", "CALLBACK");
  static const double pairs[16] = {0, 1, 2, 3, 0, 4, 5, 6, 0, 0, 7, 9, 0, 0, 0, 8};
  OK(chorale_potential_create_pairs(NULL, 4, pairs, 4, NULL, &other, &error));
  use_potential(other);
  static const double zeros[16] = {0};
  problem.scores = zeros;
  problem.values = problem.row_stride = 4;
  double wide[16];
  FAILS(chorale_clique_max_marginals(solver, potential, &problem, &options, wide, 4, assignment,
                                     &result, &error),
        CHORALE_ERROR_NOT_EXACT, "exact_marginals", "PAIRS");
  assert_unchanged();
}

static void tables_must_be_long_enough(void **state) {
  (void)state;
  static const double table[N] = {0, 1, 2, 3};
  chorale_potential *other = NULL;
  OK(chorale_potential_create_sum(NULL, R, table, 1, N, N, NULL, &other, &error));
  use_potential(other);
  PROBLEM_REFUSED(CHORALE_ERROR_TABLE_TOO_SHORT, "table", "4", "5");
  problem.members = N - 1;
  OK(solve_it());
}

static void callbacks_must_behave(void **state) {
  (void)state;
  int what = 0;
  chorale_potential *other = NULL;
  OK(chorale_potential_create_callback(NULL, R, sum_of_squares, &what, NULL, NULL, &other, &error));
  use_potential(other);
  static const chorale_algorithm algorithms[] = {
      CHORALE_ALGORITHM_AUTO, CHORALE_ALGORITHM_ALPHA_PASS,
      CHORALE_ALGORITHM_GENERALISED_ALPHA_PASS, CHORALE_ALGORITHM_ICM};
  for (size_t a = 0; a < COUNT_OF(algorithms); ++a) {
    options.algorithm = algorithms[a];
    for (what = 1; what <= 3; ++what) {
      const chorale_status expected =
          what == 3 ? CHORALE_ERROR_CALLBACK_STOPPED : CHORALE_ERROR_CALLBACK_VALUE;
      FAILS(solve_it(), expected, "callback");
      assert_unchanged();
    }
  }
  options.algorithm = CHORALE_ALGORITHM_AUTO;
  for (what = 1; what <= 3; ++what) {
    const chorale_status expected =
        what == 3 ? CHORALE_ERROR_CALLBACK_STOPPED : CHORALE_ERROR_CALLBACK_VALUE;
    static const int32_t x[N] = {0};
    FAILS(marginals_of_it(), expected, "callback");
    FAILS(evaluate_it(x), expected, "callback");
    assert_unchanged();
  }
  what = 0;
  OK(solve_it()); /* the solver is none the worse */
}

/* A callback that returns a wrong value at one call only: the status is returned, and no further
 * call follows. */
typedef struct FailingOnce {
  int64_t calls, fail_at;
} FailingOnce;

static int32_t fail_once(void *user, const int64_t *counts, int64_t values, int64_t members,
                         double *score) {
  FailingOnce *once = user;
  int right = 0;
  (void)members;
  if (++once->calls == once->fail_at)
    return 1;
  return sum_of_squares(&right, counts, values, members, score);
}

static void a_failed_callback_is_not_called_again(void **state) {
  (void)state;
  FailingOnce once = {0, 0};
  chorale_potential *other = NULL;
  OK(chorale_potential_create_callback(NULL, R, fail_once, &once, NULL, NULL, &other, &error));
  use_potential(other);
  static const chorale_algorithm algorithms[] = {
      CHORALE_ALGORITHM_AUTO, CHORALE_ALGORITHM_ALPHA_PASS,
      CHORALE_ALGORITHM_GENERALISED_ALPHA_PASS, CHORALE_ALGORITHM_ICM};
  for (size_t a = 0; a < COUNT_OF(algorithms); ++a)
    for (int wants_marginals = 0; wants_marginals < (a < 2 ? 2 : 1); ++wants_marginals) {
      options.algorithm = algorithms[a];
      once.calls = once.fail_at = 0;
      OK(wants_marginals ? marginals_of_it() : solve_it());
      const int64_t calls = once.calls;
      assert_true(calls > 1);
      result.score = 99;
      for (int i = 0; i < N; ++i)
        assignment[i] = UNTOUCHED;
      for (int64_t k = 1; k <= calls; ++k) {
        once.calls = 0;
        once.fail_at = k;
        FAILS(wants_marginals ? marginals_of_it() : solve_it(), CHORALE_ERROR_CALLBACK_STOPPED,
              "callback");
        assert_int_equal(once.calls, k);
        assert_unchanged();
      }
    }
}

/* A member without an allowed value gives the outcome INFEASIBLE, not an error. */
static void infeasible_is_an_outcome(void **state) {
  (void)state;
  for (int v = 0; v < R; ++v)
    scores[1 * R + v] = -INFINITY;
  static const chorale_algorithm algorithms[] = {CHORALE_ALGORITHM_AUTO,
                                                 CHORALE_ALGORITHM_ALPHA_PASS,
                                                 CHORALE_ALGORITHM_GENERALISED_ALPHA_PASS,
                                                 CHORALE_ALGORITHM_ALPHA_EXPANSION,
                                                 CHORALE_ALGORITHM_LOCAL_SEARCH,
                                                 CHORALE_ALGORITHM_ICM,
                                                 CHORALE_ALGORITHM_COUNT_BOXES,
                                                 CHORALE_ALGORITHM_DUAL_BOUND};
  for (size_t a = 0; a < COUNT_OF(algorithms); ++a) {
    options.algorithm = algorithms[a];
    OK(solve_it());
    assert_int_equal(result.outcome, CHORALE_OUTCOME_INFEASIBLE);
    assert_true(result.score == -INFINITY);
    for (int i = 0; i < N; ++i)
      assert_int_equal(assignment[i], UNTOUCHED);
  }
  options.algorithm = CHORALE_ALGORITHM_AUTO;
  OK(marginals_of_it());
  assert_int_equal(result.outcome, CHORALE_OUTCOME_INFEASIBLE);
  for (int e = 0; e < N * R; ++e)
    assert_true(marginals[e] == -INFINITY);
  const int32_t fixed[N] = {-1, 1, -1, -1}; /* fixed to a forbidden value */
  scores[1 * R + 0] = 1;
  problem.fixed = fixed;
  OK(solve_it());
  assert_int_equal(result.outcome, CHORALE_OUTCOME_INFEASIBLE);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
  const struct CMUnitTest tests[] = {
      TEST(pointers_must_be_there),
      TEST(sizes_must_make_sense),
      TEST(structs_must_say_their_size),
      TEST(scores_must_be_numbers),
      TEST(values_must_be_in_range),
      TEST(a_start_must_not_be_forbidden),
      TEST(constants_must_be_known),
      TEST(limits_must_make_sense),
      TEST(algorithms_must_fit_the_family),
      TEST(shapes_must_fit_the_algorithm),
      TEST(exact_marginals_must_exist),
      TEST(tables_must_be_long_enough),
      TEST(callbacks_must_behave),
      TEST(a_failed_callback_is_not_called_again),
      TEST(infeasible_is_an_outcome),
  };
  return cmocka_run_group_tests_name("clique input", tests, NULL, NULL);
}
