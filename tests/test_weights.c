/* Members that count more than once, in cliques alone: against enumeration, and against the same
 * clique with members repeated. */
#include "fixture.h"

enum { N = 6, R = 4, REPEATED = 30, LABELLINGS = 4096 };

typedef enum Shape { POTTS, POTTS_BY_N, ENTROPY, ENTROPY_BY_LOG, CONVEX_TABLES, SHAPES } Shape;

/* A random weighted clique. */
typedef struct Weighted {
  int32_t members;
  int32_t values;
  int64_t weights[N];
  int64_t total;
  double scores[N][R];
  int32_t fixed[N];
  Shape shape;
  double lambda;
  uint8_t counted[R];
  double tables[R][REPEATED + 1];
} Weighted;

static double scale(const Weighted *w) {
  const double n = (double)w->total;
  return w->shape == POTTS_BY_N || w->shape == ENTROPY   ? 1 / n
         : w->shape == ENTROPY_BY_LOG && w->total > 1 ? 1 / log(n)
                                                         : 1;
}

/* f_v(k), by the definition in potential.h. */
static double entry(const Weighted *w, int32_t v, int64_t k) {
  const double n = (double)k;
  switch (w->shape) {
  case POTTS:
  case POTTS_BY_N:
    return scale(w) * w->lambda * n * n;
  case ENTROPY:
  case ENTROPY_BY_LOG:
    return k == 0 ? 0 : scale(w) * w->lambda * n * log(n);
  default:
    return w->tables[v][k];
  }
}

static double weighted_score(const Weighted *w, const int32_t *x) {
  int64_t counts[R] = {0};
  double total = 0;
  int64_t counted = 0;
  for (int32_t i = 0; i < w->members; ++i) {
    total += w->scores[i][x[i]];
    counts[x[i]] += w->weights[i];
    counted += w->counted[x[i]] ? w->weights[i] : 0;
  }
  for (int32_t v = 0; v < w->values && counted > 0; ++v)
    total += w->counted[v] ? entry(w, v, counts[v]) : 0;
  return total;
}

static int is_allowed(const Weighted *w, int32_t i, int32_t v) {
  return w->scores[i][v] > -INFINITY && (w->fixed[i] < 0 || w->fixed[i] == v);
}

/* Max-marginals by enumeration; returns the optimum. */
static double enumerate_weighted(const Weighted *w, double marginals[N][R]) {
  double best = -INFINITY;
  for (int32_t i = 0; i < w->members; ++i)
    for (int32_t v = 0; v < w->values; ++v)
      marginals[i][v] = -INFINITY;
  int32_t x[N] = {0};
  for (;;) {
    int allowed = 1;
    for (int32_t i = 0; i < w->members; ++i)
      allowed = allowed && is_allowed(w, i, x[i]);
    if (allowed) {
      const double score = weighted_score(w, x);
      best = fmax(best, score);
      for (int32_t i = 0; i < w->members; ++i)
        marginals[i][x[i]] = fmax(marginals[i][x[i]], score);
    }
    int32_t i = 0;
    while (i < w->members && ++x[i] == w->values)
      x[i++] = 0;
    if (i == w->members)
      return best;
  }
}

/* positive: no entry is forbidden, no score negative, every value counts, nothing is fixed. */
static Weighted draw(Random *random, Shape shape, int positive) {
  Weighted w;
  memset(&w, 0, sizeof w);
  w.shape = shape;
  w.members = random_int(random, 1, N);
  w.values = random_int(random, 1, R);
  w.lambda = random_unit(random) * (shape == POTTS_BY_N ? 3 : shape == POTTS ? 0.2 : 2);
  w.total = 0;
  for (int32_t i = 0; i < w.members; ++i) {
    w.weights[i] = random_int(random, 1, 5);
    w.total += w.weights[i];
    w.fixed[i] = -1;
    for (int32_t v = 0; v < w.values; ++v)
      w.scores[i][v] = positive ? 4 * random_unit(random) * (double)w.weights[i]
                       : random_chance(random, 10)
                           ? -INFINITY
                           : (random_unit(random) - 0.5) * 4 * (double)w.weights[i];
    /* Some value is always allowed. */
    const int32_t open = random_int(random, 0, w.values - 1);
    w.scores[i][open] = fmax(w.scores[i][open], -1);
    if (!positive && random_chance(random, 10))
      w.fixed[i] = open;
  }
  for (int32_t v = 0; v < w.values; ++v) {
    w.counted[v] = positive || random_chance(random, 80);
    double step = random_unit(random) - 0.5;
    w.tables[v][0] = random_chance(random, 50) ? 0 : -random_unit(random);
    for (int32_t k = 1; k <= REPEATED; ++k) {
      w.tables[v][k] = w.tables[v][k - 1] + step;
      step += random_unit(random) * 0.1;
    }
  }
  w.counted[0] = 1;
  return w;
}

static chorale_potential *potential_of(const Weighted *w) {
  chorale_potential_options options = {.struct_size = sizeof options};
  options.counted = w->counted;
  options.scale = w->shape == POTTS_BY_N || w->shape == ENTROPY ? CHORALE_SCALE_BY_MEMBERS
                  : w->shape == ENTROPY_BY_LOG                  ? CHORALE_SCALE_BY_LOG_MEMBERS
                                                                : CHORALE_SCALE_NONE;
  chorale_potential *made = NULL;
  chorale_error error;
  const chorale_status status =
      w->shape == POTTS || w->shape == POTTS_BY_N
          ? chorale_potential_create_potts(NULL, w->values, w->lambda, &options, &made, &error)
      : w->shape == ENTROPY || w->shape == ENTROPY_BY_LOG
          ? chorale_potential_create_entropy(NULL, w->values, w->lambda, &options, &made, &error)
          : chorale_potential_create_sum(NULL, w->values, w->tables[0], w->values, REPEATED + 1,
                                         REPEATED + 1, &options, &made, &error);
  if (status != CHORALE_OK)
    fail_msg("%s", error.message);
  return made;
}

static chorale_clique_problem problem_of(const Weighted *w) {
  chorale_clique_problem problem = {.struct_size = sizeof problem};
  problem.members = w->members;
  problem.values = w->values;
  problem.scores = w->scores[0];
  problem.row_stride = R;
  problem.fixed = w->fixed;
  problem.weights = w->weights;
  return problem;
}

static chorale_clique_options options_for(chorale_algorithm algorithm) {
  chorale_clique_options options = {.struct_size = sizeof options};
  options.algorithm = algorithm;
  return options;
}

static chorale_clique_result solve_by(chorale_clique_solver *solver,
                                      const chorale_potential *potential,
                                      const chorale_clique_problem *problem,
                                      const chorale_clique_options *options, int32_t *x) {
  chorale_clique_result result = {.struct_size = sizeof result};
  chorale_error error;
  if (chorale_clique_solve(solver, potential, problem, options, x, &result, &error) != CHORALE_OK)
    fail_msg("%s", error.message);
  return result;
}

#define assert_close(a, b) assert_true(fabs((a) - (b)) <= 1e-9 * (1 + fabs(a) + fabs(b)))

static chorale_clique_solver *made_solver(void) {
  chorale_clique_solver *solver = NULL;
  assert_int_equal(chorale_clique_solver_create(NULL, &solver, NULL), CHORALE_OK);
  return solver;
}

static void scores_are_true_and_bounds_above(void **state) {
  (void)state;
  static const chorale_algorithm algorithms[] = {
      CHORALE_ALGORITHM_AUTO, CHORALE_ALGORITHM_ALPHA_PASS, CHORALE_ALGORITHM_LOCAL_SEARCH,
      CHORALE_ALGORITHM_ICM, CHORALE_ALGORITHM_DUAL_BOUND};
  static const chorale_start starts[] = {CHORALE_START_INDEPENDENT, CHORALE_START_VALUE,
                                         CHORALE_START_ASSIGNMENT, CHORALE_START_ALPHA_PASS};
  Random random = {test_seed()};
  chorale_clique_solver *solver = made_solver();
  int64_t optimal = 0;
  int64_t proven = 0;
  int64_t rounds = test_rounds(1500);
  for (int64_t round = 0; round < rounds; ++round) {
    const Weighted w = draw(&random, (Shape)(round % SHAPES), 0);
    chorale_potential *potential = potential_of(&w);
    const chorale_clique_problem problem = problem_of(&w);
    double truth[N][R];
    const double best = enumerate_weighted(&w, truth);
    double pass_score = -INFINITY;
    for (size_t a = 0; a < COUNT_OF(algorithms); ++a) {
      chorale_clique_options options = options_for(algorithms[a]);
      int32_t start[N];
      for (int32_t i = 0; i < w.members; ++i)
        do
          start[i] = random_int(&random, 0, w.values - 1);
        while (!is_allowed(&w, i, start[i]));
      options.start = starts[random_int(&random, 0, 3)];
      options.start_assignment = start;
      if (algorithms[a] == CHORALE_ALGORITHM_AUTO && random_chance(&random, 50))
        options.prove = 1;
      int32_t x[N] = {0};
      const chorale_clique_result result = solve_by(solver, potential, &problem, &options, x);
      for (int32_t i = 0; i < w.members; ++i)
        assert_true(is_allowed(&w, i, x[i]));
      assert_close(result.score, weighted_score(&w, x));
      assert_true(result.score <= best + 1e-9 * (1 + fabs(best)));
      assert_true(result.upper_bound >= best - 1e-9 * (1 + fabs(best)));
      if (result.proven)
        assert_close(result.score, best);
      if ((algorithms[a] == CHORALE_ALGORITHM_ALPHA_PASS ||
           algorithms[a] == CHORALE_ALGORITHM_AUTO) &&
          (w.values <= 2 || w.members == 1)) {
        assert_close(result.score, best);
        assert_int_equal(result.proven, 1);
      }
      if (algorithms[a] == CHORALE_ALGORITHM_AUTO) {
        pass_score = result.score;
        optimal += best - result.score <= 1e-9 * (1 + fabs(best));
      }
      if (algorithms[a] == CHORALE_ALGORITHM_ALPHA_PASS)
        assert_true(pass_score >= result.score - 1e-9 * (1 + fabs(best)));
      if (algorithms[a] == CHORALE_ALGORITHM_DUAL_BOUND) {
        assert_true(isfinite(result.upper_bound));
        proven += result.proven;
      }
      chorale_clique_result scored = {.struct_size = sizeof scored};
      assert_int_equal(chorale_clique_score(solver, potential, &problem, x, &scored, NULL),
                       CHORALE_OK);
      assert_true(scored.score == result.score);
    }
    chorale_potential_release(potential);
  }
  chorale_clique_solver_destroy(solver);
  print_message("AUTO finds %lld of %lld optima; the dual proves %lld\n", (long long)optimal,
                (long long)rounds, (long long)proven);
  assert_true(optimal * 100 >= rounds * 97);
  assert_true(proven * 100 >= rounds * 50);
}

/* A member of weight w against w members of a w-th of its scores: the same optimum, the same score
 * of alpha-pass. */
static void a_member_is_as_good_as_its_parts(void **state) {
  (void)state;
  Random random = {test_seed() + 1};
  chorale_clique_solver *solver = made_solver();
  for (int64_t round = 0; round < test_rounds(1000); ++round) {
    const Weighted w = draw(&random, (Shape)(round % SHAPES), 0);
    chorale_potential *potential = potential_of(&w);
    static double scores[REPEATED * R];
    static int32_t fixed[REPEATED];
    int32_t parts = 0;
    for (int32_t i = 0; i < w.members; ++i)
      for (int64_t k = 0; k < w.weights[i]; ++k, ++parts) {
        fixed[parts] = w.fixed[i];
        for (int32_t v = 0; v < w.values; ++v)
          scores[parts * w.values + v] = w.scores[i][v] / (double)w.weights[i];
      }
    assert_true(parts == w.total);
    chorale_clique_problem repeated = {.struct_size = sizeof repeated};
    repeated.members = parts;
    repeated.values = w.values;
    repeated.scores = scores;
    repeated.fixed = fixed;
    const chorale_clique_problem whole = problem_of(&w);
    chorale_clique_options options = options_for(CHORALE_ALGORITHM_ALPHA_PASS);
    int32_t x[REPEATED];
    chorale_clique_result of_whole = solve_by(solver, potential, &whole, &options, x);
    chorale_clique_result of_parts = solve_by(solver, potential, &repeated, &options, x);
    assert_close(of_whole.score, of_parts.score);
    options = options_for(CHORALE_ALGORITHM_COUNT_BOXES);
    options.prove = 1;
    of_parts = solve_by(solver, potential, &repeated, &options, x);
    assert_int_equal(of_parts.proven, 1);
    double truth[N][R];
    assert_close(of_parts.score, enumerate_weighted(&w, truth));
    chorale_potential_release(potential);
  }
  chorale_clique_solver_destroy(solver);
}

static void alpha_pass_of_potts_keeps_its_ratio(void **state) {
  (void)state;
  Random random = {test_seed() + 2};
  chorale_clique_solver *solver = made_solver();
  double worst = 1;
  for (int64_t round = 0; round < test_rounds(3000); ++round) {
    const Weighted w = draw(&random, round % 2 == 0 ? POTTS : POTTS_BY_N, 1);
    chorale_potential *potential = potential_of(&w);
    const chorale_clique_problem problem = problem_of(&w);
    double truth[N][R];
    const double best = enumerate_weighted(&w, truth);
    const chorale_clique_options options = options_for(CHORALE_ALGORITHM_ALPHA_PASS);
    int32_t x[N];
    const chorale_clique_result result = solve_by(solver, potential, &problem, &options, x);
    assert_true(result.score >= 13.0 / 15 * best - 1e-9 * best);
    worst = fmin(worst, result.score / best);
    chorale_potential_release(potential);
  }
  print_message("worst ratio %.4f\n", worst);
  chorale_clique_solver_destroy(solver);
}

static void marginals_are_scores_of_labellings(void **state) {
  (void)state;
  Random random = {test_seed() + 3};
  chorale_clique_solver *solver = made_solver();
  int64_t exact = 0;
  int64_t all = 0;
  for (int64_t round = 0; round < test_rounds(1500); ++round) {
    const Weighted w = draw(&random, (Shape)(round % SHAPES), 0);
    chorale_potential *potential = potential_of(&w);
    const chorale_clique_problem problem = problem_of(&w);
    double truth[N][R];
    const double best = enumerate_weighted(&w, truth);
    double found[N][R];
    int32_t x[N];
    chorale_clique_result result = {.struct_size = sizeof result};
    assert_int_equal(chorale_clique_max_marginals(solver, potential, &problem, NULL, found[0], R, x,
                                                  &result, NULL),
                     CHORALE_OK);
    assert_close(result.score, weighted_score(&w, x));
    if (w.total > w.members)
      assert_int_equal(result.marginals_exact, 0);
    for (int32_t i = 0; i < w.members; ++i) {
      assert_true(found[i][x[i]] >= result.score - 1e-9 * (1 + fabs(best)));
      for (int32_t v = 0; v < w.values; ++v) {
        assert_true((found[i][v] == -INFINITY) == !is_allowed(&w, i, v));
        if (!is_allowed(&w, i, v))
          continue;
        assert_true(found[i][v] <= truth[i][v] + 1e-9 * (1 + fabs(best)));
        ++all;
        const int same = truth[i][v] - found[i][v] <= 1e-9 * (1 + fabs(best));
        exact += same;
        if (w.values <= 2)
          assert_true(same);
      }
    }
    chorale_potential_release(potential);
  }
  print_message("%lld of %lld max-marginals are exact\n", (long long)exact, (long long)all);
  assert_true(exact * 100 >= all * 95);
  chorale_clique_solver_destroy(solver);
}

/* The lowest of several best values is the start, also if it is uncounted and the others count.
 * Here no single move leads away from it, although all moves together would. */
static void the_start_is_the_lowest_of_the_best_values(void **state) {
  (void)state;
  static const double scores[2][3] = {{0, 0, -INFINITY}, {0, 0, -INFINITY}};
  static const double table[4] = {0, -1, -1, 3};
  static const uint8_t counted[3] = {0, 1, 1};
  static const int64_t weights[2] = {2, 1};
  chorale_potential_options uncounted = {.struct_size = sizeof uncounted};
  uncounted.counted = counted;
  chorale_potential *potential = NULL;
  assert_int_equal(
      chorale_potential_create_sum(NULL, 3, table, 1, 4, 4, &uncounted, &potential, NULL),
      CHORALE_OK);
  chorale_clique_problem problem = {.struct_size = sizeof problem};
  problem.members = 2;
  problem.values = 3;
  problem.scores = scores[0];
  problem.weights = weights;
  chorale_clique_solver *solver = made_solver();
  chorale_clique_options options = options_for(CHORALE_ALGORITHM_ICM);
  for (int turn = 0; turn < 2; ++turn) {
    options.start = turn == 0 ? CHORALE_START_INDEPENDENT : CHORALE_START_VALUE;
    options.start_value = 2; /* no member may take it */
    int32_t x[2];
    assert_true(solve_by(solver, potential, &problem, &options, x).score == 0);
    assert_true(x[0] == 0 && x[1] == 0);
  }
  chorale_clique_solver_destroy(solver);
  chorale_potential_release(potential);
}

/* Weights of 1 take no part, whatever the family and the algorithm. */
static const char *check_ones(const Problem *problem, void *user) {
  chorale_clique_solver *solver = user;
  chorale_error error;
  chorale_potential *potential = NULL;
  if (make_potential(problem, NULL, &potential, &error) != CHORALE_OK)
    return complain("no potential: \"%s\"", error.message);
  chorale_clique_problem given;
  describe_problem(problem, &given);
  int64_t ones[MAX_MEMBERS];
  for (int32_t i = 0; i < problem->members; ++i)
    ones[i] = 1;
  const char *why = NULL;
  for (int turn = 0; turn < 4 && !why; ++turn) {
    chorale_clique_result results[2];
    int32_t x[2][MAX_MEMBERS];
    static double marginals[2][MAX_MEMBERS * MAX_VALUES];
    memset(x, 0, sizeof x);
    memset(marginals, 0, sizeof marginals);
    chorale_clique_options options = options_for(CHORALE_ALGORITHM_AUTO);
    options.prove = turn == 1;
    for (int with = 0; with < 2; ++with) {
      given.weights = with ? ones : NULL;
      results[with] = (chorale_clique_result){.struct_size = sizeof results[with]};
      if (turn < 2)
        chorale_clique_solve(solver, potential, &given, &options, x[with], &results[with], &error);
      else if (turn == 2)
        chorale_clique_max_marginals(solver, potential, &given, NULL, marginals[with], 0, x[with],
                                     &results[with], &error);
      else
        chorale_clique_score(solver, potential, &given, x[0], &results[with], &error);
      if (error.status != CHORALE_OK)
        return complain("turn %d: \"%s\"", turn, error.message);
    }
    if (memcmp(&results[0], &results[1], sizeof results[0]) != 0 ||
        memcmp(x[0], x[1], sizeof x[0]) != 0 ||
        memcmp(marginals[0], marginals[1], sizeof marginals[0]) != 0)
      why = complain("weights of 1 change the answer");
  }
  chorale_potential_release(potential);
  return why;
}

static void weights_of_1_change_nothing(void **state) {
  (void)state;
  chorale_clique_solver *solver = made_solver();
  check_kinds("weights of 1", KIND_POTTS, KIND_COUNT - 1, 60, check_ones, solver);
  chorale_clique_solver_destroy(solver);
}

/* Large weights need no memory and no time of their own. */
static void weights_may_be_large(void **state) {
  (void)state;
  enum { MANY = 300 };
  static double scores[MANY][3];
  static int64_t weights[MANY];
  Random random = {test_seed() + 4};
  int64_t total = 0;
  for (int32_t i = 0; i < MANY; ++i) {
    weights[i] = random_int(&random, 1, 7000000);
    total += weights[i];
    for (int32_t v = 0; v < 3; ++v)
      scores[i][v] = random_unit(&random);
  }
  assert_true(total <= INT32_MAX);
  chorale_clique_problem problem = {.struct_size = sizeof problem};
  problem.members = MANY;
  problem.values = 3;
  problem.scores = scores[0];
  problem.weights = weights;
  chorale_potential_options by_members = {.struct_size = sizeof by_members};
  by_members.scale = CHORALE_SCALE_BY_MEMBERS;
  chorale_potential *potts = NULL;
  assert_int_equal(
      chorale_potential_create_potts(NULL, 3, 1e-7, &by_members, &potts, NULL), CHORALE_OK);
  chorale_clique_solver *solver = made_solver();
  const chorale_clique_options options = options_for(CHORALE_ALGORITHM_DUAL_BOUND);
  static int32_t x[MANY];
  const chorale_clique_result result = solve_by(solver, potts, &problem, &options, x);
  double member_score = 0;
  double counts[3] = {0};
  for (int32_t i = 0; i < MANY; ++i) {
    member_score += scores[i][x[i]];
    counts[x[i]] += (double)weights[i];
  }
  assert_close(result.member_score, member_score);
  assert_close(result.clique_score, 1e-7 / (double)total *
                                        (counts[0] * counts[0] + counts[1] * counts[1] +
                                         counts[2] * counts[2]));
  assert_true(result.upper_bound >= result.score);
  assert_true(result.upper_bound - result.score <= 0.01 * fabs(result.score));
  chorale_clique_solver_destroy(solver);
  chorale_potential_release(potts);
}

static void limits_leave_a_labelling(void **state) {
  (void)state;
  Random random = {test_seed() + 5};
  chorale_clique_solver *solver = made_solver();
  const Weighted w = draw(&random, POTTS, 0);
  chorale_potential *potential = potential_of(&w);
  const chorale_clique_problem problem = problem_of(&w);
  chorale_clique_options options = options_for(CHORALE_ALGORITHM_AUTO);
  options.time_limit = -1;
  int32_t x[N];
  const chorale_clique_result result = solve_by(solver, potential, &problem, &options, x);
  assert_int_equal(result.outcome, CHORALE_OUTCOME_DEADLINE);
  assert_close(result.score, weighted_score(&w, x));
  chorale_clique_solver_destroy(solver);
  chorale_potential_release(potential);
}

/* ---- Refusals ----------------------------------------------------------------------------- */

static chorale_error error;

static void bad_weights_are_refused(void **state) {
  (void)state;
  const double scores[2][2] = {{1, 0}, {0, 1}};
  int64_t weights[] = {2, 1};
  int32_t x[2] = {7, 7};
  chorale_clique_problem problem = {.struct_size = sizeof problem};
  problem.members = problem.values = 2;
  problem.scores = scores[0];
  problem.weights = weights;
  chorale_clique_solver *solver = made_solver();
  chorale_potential *potts = NULL;
  chorale_potential *repulsive = NULL;
  chorale_potential *short_table = NULL;
  chorale_potential *makespan = NULL;
  chorale_potential *majority = NULL;
  const double table[] = {0, 1, 4};
  const double W[2][2] = {{1, 0}, {0, 1}};
  assert_int_equal(chorale_potential_create_potts(NULL, 2, 1, NULL, &potts, NULL), CHORALE_OK);
  assert_int_equal(chorale_potential_create_potts(NULL, 2, -1, NULL, &repulsive, NULL), CHORALE_OK);
  assert_int_equal(
      chorale_potential_create_sum(NULL, 2, table, 1, 3, 3, NULL, &short_table, NULL), CHORALE_OK);
  assert_int_equal(chorale_potential_create_makespan(NULL, 2, 1, NULL, &makespan, NULL),
                   CHORALE_OK);
  assert_int_equal(
      chorale_potential_create_majority(NULL, 2, W[0], 2, NULL, NULL, &majority, NULL), CHORALE_OK);
#define SOLVE(potential, options)                                                                  \
  chorale_clique_solve(solver, potential, &problem, options, x, NULL, &error)

  weights[1] = 0;
  FAILS(SOLVE(potts, NULL), CHORALE_ERROR_OUT_OF_RANGE, "problem->weights[1]", " 0;", "at least 1");
  weights[1] = -4;
  FAILS(SOLVE(potts, NULL), CHORALE_ERROR_OUT_OF_RANGE, "problem->weights[1]", "-4");
  weights[1] = INT32_MAX - 1;
  FAILS(SOLVE(potts, NULL), CHORALE_ERROR_SIZE_OVERFLOW, "problem->weights[1]", "2147483647");
  weights[0] = INT64_MAX;
  FAILS(SOLVE(potts, NULL), CHORALE_ERROR_SIZE_OVERFLOW, "problem->weights[0]");
  weights[0] = 2;
  weights[1] = 1;
  FAILS(SOLVE(short_table, NULL), CHORALE_ERROR_TABLE_TOO_SHORT, "counts 0 to 3", "4");
  FAILS(SOLVE(repulsive, NULL), CHORALE_ERROR_WEIGHTS, "problem->weights", "3", "convex");
  FAILS(SOLVE(makespan, NULL), CHORALE_ERROR_WEIGHTS, "MAX", "convex");
  FAILS(SOLVE(majority, NULL), CHORALE_ERROR_WEIGHTS, "MAJORITY", "convex");
  /* Convex tables that begin above 0 are refused only if some value is uncounted. */
  static const uint8_t counted[] = {1, 0};
  static const double above[] = {1, 1, 2, 4};
  for (int uncounts = 0; uncounts < 2; ++uncounts) {
    chorale_potential_options some = {.struct_size = sizeof some};
    some.counted = uncounts ? counted : NULL;
    chorale_potential *convex = NULL;
    assert_int_equal(chorale_potential_create_sum(NULL, 2, above, 1, 4, 4, &some, &convex, NULL),
                     CHORALE_OK);
    int32_t y[2];
    const chorale_status status =
        chorale_clique_solve(solver, convex, &problem, NULL, y, NULL, &error);
    if (uncounts)
      FAILS(status, CHORALE_ERROR_WEIGHTS, "uncounted values", "at most 0 at counts of 0");
    else
      assert_int_equal(status, CHORALE_OK);
    chorale_potential_release(convex);
  }
  static const chorale_algorithm refused[] = {
      CHORALE_ALGORITHM_GENERALISED_ALPHA_PASS,    CHORALE_ALGORITHM_ALPHA_EXPANSION,
      CHORALE_ALGORITHM_MODIFIED_ALPHA_PASS,       CHORALE_ALGORITHM_LAGRANGIAN_SUBGRADIENT,
      CHORALE_ALGORITHM_LAGRANGIAN_GOLDEN_SECTION, CHORALE_ALGORITHM_LAGRANGIAN_CONSERVATIVE,
      CHORALE_ALGORITHM_EXACT_MAJORITY,            CHORALE_ALGORITHM_CONCAVE_FLOW,
      CHORALE_ALGORITHM_COUNT_BOXES};
  chorale_clique_options options = options_for(CHORALE_ALGORITHM_AUTO);
  for (size_t a = 0; a < COUNT_OF(refused); ++a) {
    options.algorithm = refused[a];
    FAILS(SOLVE(potts, &options), CHORALE_ERROR_WEIGHTS, chorale_algorithm_name(refused[a]),
            "auto, alpha-pass, local-search, icm or dual-bound");
  }
  assert_int_equal(x[0], 7);
  assert_int_equal(x[1], 7);
  double marginals[2][2] = {{7, 7}, {7, 7}};
#define MARGINALS()                                                                                \
  chorale_clique_max_marginals(solver, potts, &problem, &options, marginals[0], 0, NULL, NULL,     \
                               &error)
  options.algorithm = CHORALE_ALGORITHM_LOCAL_SEARCH;
  FAILS(MARGINALS(), CHORALE_ERROR_WEIGHTS, "local-search", "auto or alpha-pass");
  options.algorithm = CHORALE_ALGORITHM_AUTO;
  options.exact_marginals = 1;
  FAILS(MARGINALS(), CHORALE_ERROR_WEIGHTS, "exact_marginals");
  assert_true(marginals[0][0] == 7 && marginals[1][1] == 7);

  /* Any potential scores a weighted labelling: MAX of the sums of weights. */
  chorale_clique_result result = {.struct_size = sizeof result};
  const int32_t labelling[] = {0, 1};
  assert_int_equal(chorale_clique_score(solver, makespan, &problem, labelling, &result, &error),
                   CHORALE_OK);
  assert_close(result.clique_score, 2.0);
  chorale_clique_solver_destroy(solver);
  chorale_potential_release(potts);
  chorale_potential_release(repulsive);
  chorale_potential_release(short_table);
  chorale_potential_release(makespan);
  chorale_potential_release(majority);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(scores_are_true_and_bounds_above),
      cmocka_unit_test(a_member_is_as_good_as_its_parts),
      cmocka_unit_test(alpha_pass_of_potts_keeps_its_ratio),
      cmocka_unit_test(marginals_are_scores_of_labellings),
      cmocka_unit_test(the_start_is_the_lowest_of_the_best_values),
      cmocka_unit_test(weights_of_1_change_nothing),
      cmocka_unit_test(weights_may_be_large),
      cmocka_unit_test(limits_leave_a_labelling),
      cmocka_unit_test(bad_weights_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
