/* Limits the work done after a deadline, counted in comparisons of the library, not in seconds.
 *
 * In the preset counting the compiler calls a function of this program before every
 * comparison of integers, and so in every iteration of a loop; and the library calls this program's
 * clock_gettime. This counts the work between two calls of the clock without any support by the
 * library. The clock passes the deadline at a chosen call; from the call before it until the
 * return, only so many comparisons may be made. In builds that do not count comparisons the test is
 * skipped.
 *
 * How many are allowed: a solve of 1,000 members and six values takes 54 microseconds of processor
 * time in a release build. This program counts its comparisons at the start, and allows those of a
 * hundred solves, about five milliseconds; of fifty for huge cliques. Scoring and writing the answer
 * adds comparisons for each member. A run decodes and scores all its chains once whatever the limit, and may add twice the
 * comparisons of decoding them. Copies of whole arrays make few comparisons and are not detected; here they are no larger
 * than the answer itself. */
#include "fixture.h"
#include "fixture_held.h"

#include <time.h>

enum { LARGE = 200000, HUGE_CLIQUE = 1500000 };

static int64_t small_solve; /* comparisons of a solve of 1,000 members and six values */

/* ---- What is counted ------------------------------------------------------------------------ */

static int64_t comparisons, at_look, at_last_look_in_time, widest;
static int64_t looks, looks_in_time;

#define COUNTS(name, type)                                                                         \
  void __sanitizer_cov_trace_##name(type a, type b);                                               \
  void __sanitizer_cov_trace_##name(type a, type b) {                                              \
    (void)a;                                                                                       \
    (void)b;                                                                                       \
    ++comparisons;                                                                                 \
  }
COUNTS(cmp1, uint8_t)
COUNTS(cmp2, uint16_t)
COUNTS(cmp4, uint32_t)
COUNTS(cmp8, uint64_t)
COUNTS(const_cmp1, uint8_t)
COUNTS(const_cmp2, uint16_t)
COUNTS(const_cmp4, uint32_t)
COUNTS(const_cmp8, uint64_t)

/* Comparisons of numbers and branches of a switch are not counted. gcc calls functions for them too,
 * which no library defines. */
void __sanitizer_cov_trace_cmpf(float a, float b);
void __sanitizer_cov_trace_cmpf(float a, float b) {
  (void)a;
  (void)b;
}
void __sanitizer_cov_trace_cmpd(double a, double b);
void __sanitizer_cov_trace_cmpd(double a, double b) {
  (void)a;
  (void)b;
}
void __sanitizer_cov_trace_switch(uint64_t value, void *cases);
void __sanitizer_cov_trace_switch(uint64_t value, void *cases) {
  (void)value;
  (void)cases;
}

/* The clock: stands still for a given number of calls, and is then past every deadline. */
int clock_gettime(clockid_t clock, struct timespec *time);
int clock_gettime(clockid_t clock, struct timespec *time) {
  (void)clock;
  if (comparisons - at_look > widest)
    widest = comparisons - at_look;
  at_look = comparisons;
  if (++looks <= looks_in_time)
    at_last_look_in_time = comparisons;
  time->tv_sec = looks <= looks_in_time ? 1000 : 3000;
  time->tv_nsec = 0;
  return 0;
}
static const double kTimeLimit = 1000;

static void start_clock(int64_t in_time) {
  looks = 0;
  looks_in_time = in_time;
  at_look = at_last_look_in_time = comparisons;
  widest = 0;
}

/* ---- Problems ------------------------------------------------------------------------------- */

static uint64_t random_state;
static double number(void) {
  uint64_t z = (random_state += UINT64_C(0x9E3779B97F4A7C15));
  z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
  return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}
static double *numbers(int64_t count) {
  double *all = malloc((size_t)count * sizeof *all);
  assert_non_null(all);
  for (int64_t i = 0; i < count; ++i)
    all[i] = number();
  return all;
}

static int64_t *ones_to_three(int64_t count) {
  int64_t *all = malloc((size_t)count * sizeof *all);
  assert_non_null(all);
  for (int64_t i = 0; i < count; ++i)
    all[i] = 1 + i % 3;
  return all;
}

enum { VALUES = 6 };

typedef enum Family {
  POTTS,
  ENTROPY,
  CONCAVE,
  BENT,      /* tables of no shape */
  FORBIDDING, /* tables that forbid some counts */
  UNREACHABLE, /* tables that allow one count each, which not all values can have */
  MAKESPAN,
  MAJORITY,
  PAIRS,
  CALLBACK,
  WEIGHTED /* a convex sum whose members have weights */
} Family;

static int32_t score_counts(void *user, const int64_t *counts, int64_t values, int64_t members,
                            double *score) {
  (void)user;
  *score = 0;
  for (int64_t v = 0; v < values; ++v)
    *score += (double)counts[v] * (double)counts[v] / (double)members;
  return 0;
}

static chorale_potential *make_symmetric(Family family, int64_t members, int64_t values) {
  chorale_error error;
  chorale_potential *potential = NULL;
  chorale_potential_options scaled = {.struct_size = sizeof scaled};
  scaled.scale = CHORALE_SCALE_BY_MEMBERS;
  double *square = NULL;
  if (family == MAJORITY || family == PAIRS) {
    square = numbers(values * values);
    for (int64_t v = 0; v < values; ++v)
      square[v * (values + 1)] += 1;
  }
  const int64_t length = members + 1;
  double *tables = NULL;
  if (family == BENT || family == FORBIDDING || family == UNREACHABLE) {
    tables = numbers(values * length);
    for (int64_t k = 0; k < values * length; ++k)
      if (family == UNREACHABLE && k % length != members / 2)
        tables[k] = -INFINITY;
    for (int64_t k = 0; k < values * length; ++k)
      if (family == FORBIDDING && k % length % 7 == 3)
        tables[k] = -INFINITY;
  }
  chorale_status status = CHORALE_OK;
  switch (family) {
  case POTTS:
  case WEIGHTED:
    status = chorale_potential_create_potts(NULL, values, 0.9, &scaled, &potential, &error);
    break;
  case ENTROPY:
    status = chorale_potential_create_entropy(NULL, values, 0.1, NULL, &potential, &error);
    break;
  case CONCAVE:
    status = chorale_potential_create_potts(NULL, values, -0.9, &scaled, &potential, &error);
    break;
  case BENT:
  case FORBIDDING:
  case UNREACHABLE:
    status = chorale_potential_create_sum(NULL, values, tables, values, length, length, NULL,
                                          &potential, &error);
    break;
  case MAKESPAN:
    status = chorale_potential_create_makespan(NULL, values, 0.5, NULL, &potential, &error);
    break;
  case MAJORITY:
    status = chorale_potential_create_majority(NULL, values, square, values, square, NULL,
                                               &potential, &error);
    break;
  case PAIRS:
    status = chorale_potential_create_pairs(NULL, values, square, values, &scaled, &potential,
                                            &error);
    break;
  case CALLBACK:
    status = chorale_potential_create_callback(NULL, values, score_counts, NULL, NULL, NULL,
                                               &potential, &error);
    break;
  }
  assert_int_equal(status, CHORALE_OK);
  free(tables);
  free(square);
  return potential;
}

/* ---- What is done past the limit ------------------------------------------------------------- */

/* Solves under a limit. Returns the number of members or positions that the answer has, and whether
 * the computation completed. */
typedef struct Case {
  const char *name;
  int64_t size;
  Family family;
  chorale_algorithm algorithm;
  int marginals; /* 1: max-marginals by default; 2: exact ones */
  int skewed;    /* scores crowd at 0 */
  int joint;     /* runs: chorale_joint_mode */
  int64_t values; /* cliques of the Potts family: number of values; 0: VALUES */
} Case;

static int failures;
static int64_t answer; /* runs: comparisons that labels may take whatever the limits */

static int64_t values_of(const Case *of) {
  return of->values > 0 ? of->values : VALUES;
}

/* True if the computation already had a labelling: for a large clique from when all scores are
 * read. */
static int is_under_way;

/* Repeats the computation, each time with the deadline at a later call of the clock, until it
 * completes or enough runs were stopped. For a large clique at least two runs must be stopped after
 * all scores were read, with many values one; checking and reading the scores takes up to three
 * hundred calls of the clock. */
static void check_case(const Case *of, int is_large, void *problem,
                       chorale_outcome (*compute)(const Case *of, void *problem)) {
  /* Numbers of clock calls before the deadline. The first three end calls that check many arguments
   * before they start. */
  static const int64_t kInTime[] = {4, 5, 7, 11, 20, 30, 40, 60, 150, 200, 300, 400, 500};
  const size_t few = 5;
  const int64_t a_member = small_solve / 10000;
  const int64_t allowed =
      (of->size >= HUGE_CLIQUE ? 50 : 100) * small_solve + a_member * of->size + answer;
  const int64_t widest_allowed = 100 * small_solve + answer;
  int64_t most = 0;
  int stopped = 0, under_way = 0;
  const int wanted = of->values > 0 ? 1 : 2; /* the fewest runs to stop under way */
  for (size_t k = 0; k < (is_large ? COUNT_OF(kInTime) : few) && (stopped < 3 || under_way < 2);
       ++k) {
    start_clock(kInTime[k]);
    is_under_way = 0;
    const chorale_outcome outcome = compute(of, problem);
    const int64_t past = comparisons - at_last_look_in_time;
    if (outcome != CHORALE_OUTCOME_DEADLINE)
      break;
    ++stopped;
    under_way += is_under_way && is_large;
    if (past > most)
      most = past;
    if (past > allowed || widest > widest_allowed) {
      print_error("%s: %lld comparisons past the look before the limit, %lld between two looks at "
                  "most, where %lld and %lld are allowed (%lld looks in time)\n",
                  of->name, (long long)past, (long long)widest, (long long)allowed,
                  (long long)widest_allowed, (long long)kInTime[k]);
      ++failures;
    }
  }
  if (getenv("CHORALE_TEST_TELL"))
    printf("%-44s %10lld past the limit, of %lld; stopped %d times, %d under way\n", of->name,
           (long long)most, (long long)allowed, stopped, under_way);
  /* A problem that is solved before the first call of the clock tests nothing. */
  if (stopped < 3) {
    print_error("%s: stopped %d times alone\n", of->name, stopped);
    ++failures;
  }
  if (is_large && under_way < wanted) {
    print_error("%s: under way %d times alone\n", of->name, under_way);
    ++failures;
  }
}

/* ---- Cliques -------------------------------------------------------------------------------- */

typedef struct CliqueProblem {
  chorale_clique_solver *solver;
  chorale_potential *potential;
  double *scores;
  double *marginals;
  int32_t *assignment;
  int64_t *weights; /* or NULL */
} CliqueProblem;

static chorale_outcome solve_clique(const Case *of, void *given) {
  const CliqueProblem *problem = given;
  chorale_error error;
  chorale_clique_problem clique = {.struct_size = sizeof clique};
  clique.members = of->size;
  clique.values = values_of(of);
  clique.scores = problem->scores;
  clique.row_stride = clique.values;
  clique.weights = problem->weights;
  chorale_clique_options options = {.struct_size = sizeof options};
  options.algorithm = of->algorithm;
  options.time_limit = kTimeLimit;
  options.exact_marginals = of->marginals == 2;
  chorale_clique_result result = {.struct_size = sizeof result};
  const chorale_status status =
      of->marginals ? chorale_clique_max_marginals(problem->solver, problem->potential, &clique,
                                                   &options, problem->marginals, clique.values,
                                                   problem->assignment, &result, &error)
                    : chorale_clique_solve(problem->solver, problem->potential, &clique, &options,
                                           problem->assignment, &result, &error);
  if (status != CHORALE_OK)
    fail_msg("%s: %s", of->name, error.message);
  is_under_way = result.score > -INFINITY;
  return result.outcome;
}

static void check_clique(const Case *of) {
  chorale_error error;
  random_state = test_seed();
  const int64_t scores = values_of(of) * of->size;
  CliqueProblem problem = {NULL, make_symmetric(of->family, of->size, values_of(of)),
                           numbers(scores), NULL, malloc((size_t)of->size * sizeof(int32_t)),
                           of->family == WEIGHTED ? ones_to_three(of->size) : NULL};
  problem.marginals = of->marginals ? malloc((size_t)scores * sizeof(double)) : NULL;
  for (int64_t k = 0; of->skewed && k < scores; ++k)
    problem.scores[k] = pow(problem.scores[k], 40);
  assert_int_equal(chorale_clique_solver_create(NULL, &problem.solver, &error), CHORALE_OK);
  check_case(of, of->size > LARGE || of->values > 0, &problem, solve_clique);
  chorale_clique_solver_destroy(problem.solver);
  chorale_potential_release(problem.potential);
  free(problem.scores);
  free(problem.marginals);
  free(problem.assignment);
  free(problem.weights);
}

/* Sizes large enough that a loop which does not check the clock is detected. */
enum { VARIOUS = 400000, MANY = 300000, SOME = 60000, SOME_VALUES = 40000, FEW = 4000 };
/* Values of cliques whose potential has a number for each pair of values. */
enum { SQUARED = 2500 };

static void cliques_stop_in_time(void **state) {
  (void)state;
  failures = 0;
  static const Case kCases[] = {
      {"convex sum, AUTO", MANY, POTTS, CHORALE_ALGORITHM_AUTO, 0, 0, 0, 0},
      {"convex sum, crowded scores, AUTO", MANY, POTTS, CHORALE_ALGORITHM_AUTO, 0, 1, 0, 0},
      {"entropy, ALPHA_PASS", MANY, ENTROPY, CHORALE_ALGORITHM_ALPHA_PASS, 0, 1, 0, 0},
      {"convex sum, GENERALISED_ALPHA_PASS", MANY, POTTS, CHORALE_ALGORITHM_GENERALISED_ALPHA_PASS,
       0, 0, 0, 0},
      {"convex sum, ALPHA_EXPANSION", SOME, POTTS, CHORALE_ALGORITHM_ALPHA_EXPANSION, 0, 0, 0, 0},
      {"convex sum, POLISH", MANY, POTTS, CHORALE_ALGORITHM_LOCAL_SEARCH, 0, 0, 0, 0},
      {"convex sum, ICM", MANY, POTTS, CHORALE_ALGORITHM_ICM, 0, 0, 0, 0},
      {"convex sum, DUAL_BOUND", MANY, POTTS, CHORALE_ALGORITHM_DUAL_BOUND, 0, 0, 0, 0},
      {"convex sum, COUNT_BOXES", SOME, POTTS, CHORALE_ALGORITHM_COUNT_BOXES, 0, 0, 0, 0},
      {"convex sum, max-marginals", MANY, POTTS, CHORALE_ALGORITHM_AUTO, 1, 0, 0, 0},
      {"convex sum, exact max-marginals", FEW, POTTS, CHORALE_ALGORITHM_AUTO, 2, 0, 0, 0},
      {"bent sum, AUTO", SOME, BENT, CHORALE_ALGORITHM_AUTO, 0, 0, 0, 0},
      {"bent sum, max-marginals", SOME, BENT, CHORALE_ALGORITHM_AUTO, 1, 0, 0, 0},
      {"forbidding sum, ALPHA_PASS", MANY, FORBIDDING, CHORALE_ALGORITHM_ALPHA_PASS, 0, 0, 0, 0},
      {"forbidding sum, max-marginals", SOME, FORBIDDING, CHORALE_ALGORITHM_AUTO, 1, 0, 0, 0},
      {"concave sum, CONCAVE_FLOW", SOME, CONCAVE, CHORALE_ALGORITHM_CONCAVE_FLOW, 0, 0, 0, 0},
      {"concave sum, max-marginals", SOME, CONCAVE, CHORALE_ALGORITHM_AUTO, 1, 0, 0, 0},
      {"MAX, AUTO", MANY, MAKESPAN, CHORALE_ALGORITHM_AUTO, 0, 0, 0, 0},
      {"MAX, max-marginals", MANY, MAKESPAN, CHORALE_ALGORITHM_AUTO, 1, 1, 0, 0},
      {"MAJORITY, AUTO", MANY, MAJORITY, CHORALE_ALGORITHM_AUTO, 0, 0, 0, 0},
      {"MAJORITY, max-marginals", SOME, MAJORITY, CHORALE_ALGORITHM_AUTO, 1, 0, 0, 0},
      {"MAJORITY, MODIFIED_ALPHA_PASS", MANY, MAJORITY, CHORALE_ALGORITHM_MODIFIED_ALPHA_PASS, 0, 0,
       0, 0},
      {"MAJORITY, LAGRANGIAN_SUBGRADIENT", MANY, MAJORITY, CHORALE_ALGORITHM_LAGRANGIAN_SUBGRADIENT,
       0, 0, 0, 0},
      {"MAJORITY, LAGRANGIAN_GOLDEN_SECTION", MANY, MAJORITY,
       CHORALE_ALGORITHM_LAGRANGIAN_GOLDEN_SECTION, 0, 0, 0, 0},
      {"MAJORITY, LAGRANGIAN_CONSERVATIVE", MANY, MAJORITY,
       CHORALE_ALGORITHM_LAGRANGIAN_CONSERVATIVE, 0, 0, 0, 0},
      {"PAIRS, AUTO", MANY, PAIRS, CHORALE_ALGORITHM_AUTO, 0, 0, 0, 0},
      {"PAIRS, max-marginals", SOME, PAIRS, CHORALE_ALGORITHM_AUTO, 1, 0, 0, 0},
      {"convex sum, huge, AUTO", HUGE_CLIQUE, POTTS, CHORALE_ALGORITHM_AUTO, 0, 0, 0, 0},
      {"convex sum, huge, ICM", HUGE_CLIQUE, POTTS, CHORALE_ALGORITHM_ICM, 0, 0, 0, 0},
      {"convex sum, huge, COUNT_BOXES", HUGE_CLIQUE, POTTS, CHORALE_ALGORITHM_COUNT_BOXES, 0, 0, 0,
       0},
      {"bent sum, huge, COUNT_BOXES", HUGE_CLIQUE, BENT, CHORALE_ALGORITHM_COUNT_BOXES, 0, 0, 0, 0},
      {"convex sum, huge, max-marginals", HUGE_CLIQUE, POTTS, CHORALE_ALGORITHM_AUTO, 1, 0, 0, 0},
      {"MAX, huge, AUTO", HUGE_CLIQUE, MAKESPAN, CHORALE_ALGORITHM_AUTO, 0, 0, 0, 0},
      {"MAJORITY, huge, LAGRANGIAN_SUBGRADIENT", HUGE_CLIQUE, MAJORITY,
       CHORALE_ALGORITHM_LAGRANGIAN_SUBGRADIENT, 0, 0, 0, 0},
      {"callback, huge, AUTO", HUGE_CLIQUE, CALLBACK, CHORALE_ALGORITHM_AUTO, 0, 0, 0, 0},
      {"weighted, AUTO", MANY, WEIGHTED, CHORALE_ALGORITHM_AUTO, 0, 0, 0, 0},
      {"weighted, ICM", MANY, WEIGHTED, CHORALE_ALGORITHM_ICM, 0, 0, 0, 0},
      {"weighted, POLISH", MANY, WEIGHTED, CHORALE_ALGORITHM_LOCAL_SEARCH, 0, 0, 0, 0},
      {"weighted, DUAL_BOUND", MANY, WEIGHTED, CHORALE_ALGORITHM_DUAL_BOUND, 0, 0, 0, 0},
      {"weighted, max-marginals", MANY, WEIGHTED, CHORALE_ALGORITHM_AUTO, 1, 0, 0, 0},
      {"callback, AUTO", FEW, CALLBACK, CHORALE_ALGORITHM_AUTO, 0, 0, 0, 0},
      {"callback, max-marginals", FEW, CALLBACK, CHORALE_ALGORITHM_AUTO, 1, 0, 0, 0},
      {"many values, AUTO", 12, POTTS, CHORALE_ALGORITHM_AUTO, 0, 0, 0, VARIOUS},
      {"many values, many members, AUTO", 40, POTTS, CHORALE_ALGORITHM_AUTO, 0, 0, 0, VARIOUS},
      {"many values, ALPHA_EXPANSION", 12, POTTS, CHORALE_ALGORITHM_ALPHA_EXPANSION, 0, 0, 0,
       VARIOUS},
      {"many values, GENERALISED_ALPHA_PASS", 12, POTTS, CHORALE_ALGORITHM_GENERALISED_ALPHA_PASS,
       0, 0, 0, VARIOUS},
      {"many values, COUNT_BOXES", 12, POTTS, CHORALE_ALGORITHM_COUNT_BOXES, 0, 0, 0, VARIOUS},
      {"many values, DUAL_BOUND", 12, POTTS, CHORALE_ALGORITHM_DUAL_BOUND, 0, 0, 0, VARIOUS},
      {"many values, POLISH", 12, POTTS, CHORALE_ALGORITHM_LOCAL_SEARCH, 0, 0, 0, VARIOUS},
      {"many values, ICM", 12, POTTS, CHORALE_ALGORITHM_ICM, 0, 0, 0, VARIOUS},
      {"many values, max-marginals", 12, POTTS, CHORALE_ALGORITHM_AUTO, 1, 0, 0, VARIOUS},
      {"many values, exact max-marginals", 12, POTTS, CHORALE_ALGORITHM_AUTO, 2, 0, 0, VARIOUS},
      {"many values, entropy, AUTO", 12, ENTROPY, CHORALE_ALGORITHM_AUTO, 0, 0, 0, VARIOUS},
      {"many values, concave sum, AUTO", 12, CONCAVE, CHORALE_ALGORITHM_AUTO, 0, 0, 0, SOME_VALUES},
      {"many values, concave sum, max-marginals", 12, CONCAVE, CHORALE_ALGORITHM_AUTO, 1, 0, 0,
       SOME_VALUES},
      {"many values, bent sum, AUTO", 12, BENT, CHORALE_ALGORITHM_AUTO, 0, 0, 0, VARIOUS},
      {"many values, bent sum, max-marginals", 12, BENT, CHORALE_ALGORITHM_AUTO, 1, 0, 0, VARIOUS},
      {"many values, forbidding sum, AUTO", 12, FORBIDDING, CHORALE_ALGORITHM_AUTO, 0, 0, 0,
       VARIOUS},
      {"many values, forbidding sum, ICM", 12, FORBIDDING, CHORALE_ALGORITHM_ICM, 0, 0, 0, VARIOUS},
      {"many values, forbidding sum, max-marginals", 12, FORBIDDING, CHORALE_ALGORITHM_AUTO, 1, 0,
       0, VARIOUS},
      {"many values, MAX, AUTO", 12, MAKESPAN, CHORALE_ALGORITHM_AUTO, 0, 0, 0, VARIOUS},
      {"many values, MAX, ICM", 12, MAKESPAN, CHORALE_ALGORITHM_ICM, 0, 0, 0, VARIOUS},
      {"many values, MAX, max-marginals", 12, MAKESPAN, CHORALE_ALGORITHM_AUTO, 1, 0, 0, VARIOUS},
      {"many values, callback, AUTO", 12, CALLBACK, CHORALE_ALGORITHM_AUTO, 0, 0, 0, SOME_VALUES},
      {"many values, callback, ICM", 12, CALLBACK, CHORALE_ALGORITHM_ICM, 0, 0, 0, SOME_VALUES},
      {"many values, callback, max-marginals", 12, CALLBACK, CHORALE_ALGORITHM_AUTO, 1, 0, 0,
       SOME_VALUES},
      {"many values, weighted, AUTO", 12, WEIGHTED, CHORALE_ALGORITHM_AUTO, 0, 0, 0, VARIOUS},
      {"many values, weighted, max-marginals", 12, WEIGHTED, CHORALE_ALGORITHM_AUTO, 1, 0, 0,
       VARIOUS},
      {"many values, PAIRS, AUTO", 20, PAIRS, CHORALE_ALGORITHM_AUTO, 0, 0, 0, SQUARED},
      {"many values, PAIRS, ICM", 20, PAIRS, CHORALE_ALGORITHM_ICM, 0, 0, 0, SQUARED},
      {"many values, PAIRS, max-marginals", 20, PAIRS, CHORALE_ALGORITHM_AUTO, 1, 0, 0, SQUARED},
      {"many values, MAJORITY, AUTO", 20, MAJORITY, CHORALE_ALGORITHM_AUTO, 0, 0, 0, SQUARED},
      {"many values, MAJORITY, ICM", 20, MAJORITY, CHORALE_ALGORITHM_ICM, 0, 0, 0, SQUARED},
      {"many values, MAJORITY, max-marginals", 20, MAJORITY, CHORALE_ALGORITHM_AUTO, 1, 0, 0,
       SQUARED},
      {"many values, MAJORITY, MODIFIED_ALPHA_PASS", 20, MAJORITY,
       CHORALE_ALGORITHM_MODIFIED_ALPHA_PASS, 0, 0, 0, SQUARED},
      {"many values, MAJORITY, LAGRANGIAN_SUBGRADIENT", 20, MAJORITY,
       CHORALE_ALGORITHM_LAGRANGIAN_SUBGRADIENT, 0, 0, 0, SQUARED},
      {"many values, MAJORITY, LAGRANGIAN_CONSERVATIVE", 20, MAJORITY,
       CHORALE_ALGORITHM_LAGRANGIAN_CONSERVATIVE, 0, 0, 0, SQUARED},
      {"many members and values, PAIRS, AUTO", 2000, PAIRS, CHORALE_ALGORITHM_AUTO, 0, 0, 0,
       SQUARED},
      {"many members and values, MAJORITY, AUTO", 2000, MAJORITY, CHORALE_ALGORITHM_AUTO, 0, 0, 0,
       SQUARED},
      {"many members and values, MAJORITY, max-marginals", 2000, MAJORITY, CHORALE_ALGORITHM_AUTO,
       1, 0, 0, SQUARED},
  };
  const char *only = getenv("CHORALE_TEST_ONLY");
  for (size_t k = 0; k < COUNT_OF(kCases); ++k)
    if (!only || strstr(kCases[k].name, only))
      check_clique(&kCases[k]);
  assert_int_equal(failures, 0);
}

/* ---- Runs ----------------------------------------------------------------------------------- */

enum { LABELS = 5, PROPERTIES = 5 };

typedef enum Shape { PROPERTY_CHAINS, PROPERTY_TREES, POSITIONS, PLAIN } Shape;

static chorale_transitions *make_transitions(void) {
  chorale_error error;
  chorale_transitions *transitions = NULL;
  double edges[LABELS * LABELS];
  for (int32_t k = 0; k < LABELS * LABELS; ++k)
    edges[k] = number();
  assert_int_equal(chorale_transitions_create(NULL, LABELS, edges, NULL, &transitions, &error),
                   CHORALE_OK);
  return transitions;
}

static chorale_property *make_property(Shape shape, int32_t which) {
  chorale_error error;
  chorale_property *property = NULL;
  chorale_label_map map = {.struct_size = sizeof map};
  map.labels = map.kinds = LABELS;
  const chorale_status status =
      shape == PROPERTY_TREES
          ? chorale_property_create_token_label(NULL, &map, which, &property, &error)
          : chorale_property_create_next_label(NULL, &map, which, NULL, CHORALE_SEGMENT_SPANS_IGNORED,
                                               -1, &property, &error);
  assert_int_equal(status, CHORALE_OK);
  return property;
}

/* Creates a model of two chains or trees under several properties, or of one chain, with or without
 * repeated words. */
static chorale_model *make_model(Shape shape, int64_t length) {
  chorale_error error;
  chorale_model_builder *builder = NULL;
  chorale_model *model = NULL;
  chorale_transitions *transitions = make_transitions();
  chorale_potential_options scaled = {.struct_size = sizeof scaled};
  scaled.scale = CHORALE_SCALE_BY_MEMBERS;
  chorale_potential *potts = NULL;
  assert_int_equal(
      chorale_potential_create_potts(NULL, LABELS, 0.9, &scaled, &potts, &error), CHORALE_OK);
  assert_int_equal(chorale_model_builder_create(NULL, &builder, &error), CHORALE_OK);
  double *unary = numbers(length * LABELS);
  int32_t *tokens = malloc((size_t)length * sizeof *tokens);
  int32_t *parents = malloc((size_t)length * sizeof *parents);
  assert_non_null(tokens);
  assert_non_null(parents);
  for (int64_t t = 0; t < length; ++t) {
    tokens[t] = (int32_t)(number() * (shape == POSITIONS ? (double)length / 8 : 100));
    parents[t] = t == 0 ? -1 : (int32_t)(number() * (double)t);
  }
  const int chains = shape == PROPERTY_CHAINS || shape == PROPERTY_TREES ? 2 : 1;
  for (int i = 0; i < chains; ++i) {
    chorale_chain chain = {.struct_size = sizeof chain};
    chain.length = length;
    chain.labels = LABELS;
    chain.unary = unary;
    chain.transitions = transitions;
    chain.parents = shape == PROPERTY_TREES ? parents : NULL;
    chorale_chain_options options = {.struct_size = sizeof options};
    options.tokens = tokens;
    assert_int_equal(chorale_model_builder_add_chain(builder, &chain, &options, NULL, &error),
                     CHORALE_OK);
  }
  for (int32_t k = 0; chains == 2 && k < PROPERTIES; ++k) {
    chorale_property *property = make_property(shape, k);
    chorale_clique_setup setup = {.struct_size = sizeof setup};
    setup.property = property;
    setup.potential = potts;
    assert_int_equal(chorale_model_builder_add_cliques(builder, &setup, 1, NULL, &error), CHORALE_OK);
    for (int i = 0; i < chains; ++i)
      assert_int_equal(put_chain(builder, k, i, NULL, &error), CHORALE_OK);
    chorale_property_release(property);
  }
  if (shape == POSITIONS)
    assert_int_equal(put_words(builder, potts, NULL, NULL, NULL, &error), CHORALE_OK);
  if (chorale_model_builder_freeze(builder, &model, &error) != CHORALE_OK)
    fail_msg("%s", error.message);
  chorale_model_builder_destroy(builder);
  chorale_potential_release(potts);
  chorale_transitions_release(transitions);
  free(unary);
  free(tokens);
  free(parents);
  return model;
}

static chorale_outcome solve_run(const Case *of, void *given) {
  chorale_run *run = given;
  chorale_error error;
  chorale_run_result result = {.struct_size = sizeof result};
  chorale_run_reset(run);
  start_clock(looks_in_time);
  if (chorale_run_solve(run, &result, &error) != CHORALE_OK)
    fail_msg("%s: %s", of->name, error.message);
  return result.outcome;
}

/* Decodes every chain by itself. Returns the number of comparisons. */
static int64_t decode_chains(const chorale_model *model) {
  chorale_error error;
  chorale_chain_solver *solver = NULL;
  if (chorale_chain_solver_create(NULL, &solver, &error) != CHORALE_OK)
    fail_msg("%s", error.message);
  const int64_t before = comparisons;
  for (int64_t i = 0; i < chorale_model_chain_count(model); ++i) {
    chorale_chain chain = {.struct_size = sizeof chain};
    if (chorale_model_get_chain(model, i, &chain, NULL, &error) != CHORALE_OK)
      fail_msg("%s", error.message);
    if (!chain.unary)
      continue; /* an instance */
    int32_t *labels = malloc((size_t)chain.length * sizeof *labels);
    assert_non_null(labels);
    if (chorale_chain_solve(solver, &chain, labels, NULL, &error) != CHORALE_OK)
      fail_msg("%s", error.message);
    free(labels);
  }
  const int64_t made = comparisons - before;
  chorale_chain_solver_destroy(solver);
  return made;
}

static void check_run(const Case *of, Shape shape) {
  chorale_error error;
  random_state = test_seed();
  chorale_model *model = make_model(shape, of->size);
  chorale_run_options options = {.struct_size = sizeof options};
  options.time_limit = kTimeLimit;
  options.joint_mode = of->joint;
  options.bound_steps = 2;
  chorale_run *run = NULL;
  if (chorale_run_create(NULL, model, &options, NULL, &run, &error) != CHORALE_OK)
    fail_msg("%s: %s", of->name, error.message);
  answer = 2 * decode_chains(model);
  check_case(of, 0, run, solve_run);
  answer = 0;
  chorale_run_destroy(run);
  chorale_model_release(model);
}

static void runs_stop_in_time(void **state) {
  (void)state;
  failures = 0;
  static const struct {
    Case of;
    Shape shape;
  } kCases[] = {
      {{"five properties, AUTO", 20000, 0, 0, 0, 0, CHORALE_JOINT_AUTO, 0}, PROPERTY_CHAINS},
      {{"five properties, BEAM", 20000, 0, 0, 0, 0, CHORALE_JOINT_BEAM, 0}, PROPERTY_CHAINS},
      {{"five properties, LOCAL_SCORES", 4000, 0, 0, 0, 0, CHORALE_JOINT_LOCAL_SCORES, 0},
       PROPERTY_CHAINS},
      {{"five properties of trees, AUTO", 5000, 0, 0, 0, 0, CHORALE_JOINT_AUTO, 0}, PROPERTY_TREES},
      {{"five properties of trees, BEAM", 5000, 0, 0, 0, 0, CHORALE_JOINT_BEAM, 0}, PROPERTY_TREES},
      {{"one chain of repeated words", 100000, 0, 0, 0, 0, CHORALE_JOINT_AUTO, 0}, POSITIONS},
      {{"one long chain", 1000000, 0, 0, 0, 0, CHORALE_JOINT_AUTO, 0}, PLAIN},
  };
  for (size_t k = 0; k < COUNT_OF(kCases); ++k)
    check_run(&kCases[k].of, kCases[k].shape);
  assert_int_equal(failures, 0);
}

/* ---- Runs of every shape -------------------------------------------------------------------- */

/* SETTLE: a solve that prepares the run for edits. SOLVE_FROM: a solve from given labels. */
typedef enum Call { SOLVE, SETTLE, SOLVE_EDITED, SOLVE_FROM, POLISH, BOUND } Call;
typedef enum Tie { BY_POSITIONS, BY_CENTRES, BY_PROPERTIES, BY_DICTIONARY, BY_INSTANCES } Tie;

/* A model of `chains` chains (or stars) of `length` positions and `labels` labels. Position p of all
 * positions is in clique p % cliques. By centres: position c is the centre of clique c + 1, and each
 * of its labels has the same potential. By properties: chain i is in clique i % cliques, and shows
 * the token, one of `values`, before its first position with label 0; by a dictionary: of the even values. By
 * instances: instances of one membership with `labels` values stand in for the chains. */
typedef struct Extent {
  const char *name;
  int64_t chains, length, labels, cliques;
  Family family;
  int is_star;
  Call call;
  Tie tie;
  int64_t values; /* by properties */
} Extent;

/* An instance whose columns have scores of their own. */
static int32_t tell_instance(void *user, int64_t memberships, const int64_t *sizes,
                             const double *const *incoming, double *const *outgoing) {
  const double *scores = user;
  (void)incoming;
  for (int64_t v = 0; memberships > 0 && v < sizes[0]; ++v)
    outgoing[0][v] = scores[v];
  return 0;
}
static int32_t decode_instance(void *user, int64_t memberships, const int64_t *sizes,
                               const double *const *incoming, int32_t *labelling, int32_t *values,
                               double *score) {
  const double *scores = user;
  int32_t best = 0;
  for (int32_t v = 1; memberships > 0 && v < sizes[0]; ++v)
    if (scores[v] + incoming[0][v] > scores[best] + incoming[0][best])
      best = v;
  labelling[0] = values[0] = best;
  *score = scores[best];
  return 0;
}

static chorale_model *make_extent(const Extent *of, double **lent) {
  chorale_error error;
  chorale_model_builder *builder = NULL;
  chorale_model *model = NULL;
  const int64_t positions = of->chains * of->length;
  double *scores = numbers(positions * of->labels);
  int32_t *parents = malloc((size_t)of->length * sizeof *parents);
  int32_t *tokens = malloc((size_t)of->length * sizeof *tokens);
  assert_true(parents && tokens);
  for (int64_t t = 0; t < of->length; ++t) {
    parents[t] = t == 0 ? -1 : 0;
    tokens[t] = (int32_t)(number() * (double)of->values);
  }
  int status = chorale_model_builder_create(NULL, &builder, &error);
  for (int64_t i = 0; i < of->chains && status == CHORALE_OK; ++i) {
    if (of->tie == BY_INSTANCES) {
      const chorale_instance instance = {sizeof instance, 1, of->labels, scores + i * of->labels,
                                         tell_instance, decode_instance};
      status = chorale_model_builder_add_instance(builder, &instance, NULL, &error);
      continue;
    }
    chorale_chain chain = {.struct_size = sizeof chain};
    chain.length = of->length;
    chain.labels = of->labels;
    chain.unary = scores + i * of->length * of->labels;
    chain.parents = of->is_star ? parents : NULL;
    chorale_chain_options options = {.struct_size = sizeof options};
    options.tokens = tokens;
    status = chorale_model_builder_add_chain(builder, &chain, of->values > 0 ? &options : NULL, NULL,
                                             &error);
  }
  const int64_t members = of->cliques > 0 ? (positions + of->cliques - 1) / of->cliques : 0;
  chorale_potential *potential =
      make_symmetric(of->family, of->family == WEIGHTED ? 3 * members : members,
                     of->tie == BY_DICTIONARY ? of->values / 2
                     : of->values > 0         ? of->values
                                              : of->labels);
  const chorale_potential **of_centres = calloc((size_t)of->labels, sizeof(void *));
  assert_non_null(of_centres);
  for (int64_t y = 0; y < of->labels; ++y)
    of_centres[y] = potential;
  chorale_property *property = NULL;
  chorale_dictionary *dictionary = NULL;
  if (of->tie == BY_DICTIONARY && status == CHORALE_OK) {
    int32_t *even = malloc((size_t)of->values * sizeof *even);
    assert_non_null(even);
    for (int32_t v = 0; v < of->values / 2; ++v)
      even[v] = 2 * v;
    status = chorale_dictionary_create(NULL, even, of->values / 2 - 1, CHORALE_UNLISTED_AS_VALUE,
                                       &dictionary, &error);
    free(even);
  }
  if ((of->tie == BY_PROPERTIES || of->tie == BY_DICTIONARY) && status == CHORALE_OK) {
    chorale_label_map map = {.struct_size = sizeof map};
    map.labels = map.kinds = of->labels;
    status = chorale_property_create_token_before(NULL, &map, 0, NULL, CHORALE_SEGMENT_SPANS_IGNORED,
                                                  of->values, -1, &property, &error);
  }
  for (int64_t c = 0; c < of->cliques && status == CHORALE_OK; ++c) {
    chorale_clique_setup setup = {.struct_size = sizeof setup};
    setup.values = of->labels;
    setup.potential = of->tie == BY_CENTRES ? NULL : potential;
    setup.centre_potentials = of->tie == BY_CENTRES ? of_centres : NULL;
    setup.centre_values = of->tie == BY_CENTRES ? of->labels : 0;
    setup.property = property;
    setup.dictionary = dictionary;
    status = chorale_model_builder_add_cliques(builder, &setup, 1, NULL, &error);
  }
  const int is_whole = property || of->tie == BY_INSTANCES; /* members are whole chains */
  int64_t *weights = ones_to_three(members), *chains = ones_to_three(members),
          *places = ones_to_three(members);
  for (int64_t c = 0; !is_whole && c < of->cliques && status == CHORALE_OK; ++c) {
    int64_t count = 0;
    for (int64_t p = c; p < positions; p += of->cliques, ++count) {
      chains[count] = p / of->length;
      places[count] = p % of->length;
    }
    status = put_members(builder, c, count, chains, places,
                         of->family == WEIGHTED ? weights : NULL, &error);
  }
  free(chains);
  free(places);
  free(weights);
  for (int64_t p = 0; is_whole && of->cliques > 0 && p < positions && status == CHORALE_OK; ++p)
    if (p % of->length == 0)
      status = put_chain(builder, p / of->length % of->cliques, p / of->length, NULL, &error);
  for (int64_t c = 0; of->tie == BY_CENTRES && c < of->cliques && status == CHORALE_OK; ++c)
    status = put_centre(builder, (c + 1) % of->cliques, c / of->length, c % of->length, &error);
  chorale_property_release(property);
  chorale_dictionary_release(dictionary);
  free((void *)of_centres);
  if (status == CHORALE_OK)
    status = chorale_model_builder_freeze(builder, &model, &error);
  if (status != CHORALE_OK)
    fail_msg("%s: %s", of->name, error.message);
  chorale_model_builder_destroy(builder);
  chorale_potential_release(potential);
  *lent = scores;
  free(parents);
  free(tokens);
  return model;
}

/* Makes the call under a limit. */
static chorale_outcome call_run(const Extent *of, chorale_run *run, int64_t in_time) {
  chorale_error error;
  chorale_run_result result = {.struct_size = sizeof result};
  chorale_run_reset(run);
  int status = CHORALE_OK;
  if (of->call != SOLVE && of->call != SETTLE && of->call != SOLVE_FROM) {
    start_clock(INT64_MAX);
    status = of->call == POLISH ? chorale_run_step(run, &result, &error)
                                : chorale_run_solve(run, &result, &error);
  }
  if (of->call == SOLVE_FROM && status == CHORALE_OK) {
    int32_t *labels = calloc((size_t)(of->chains * of->length), sizeof *labels);
    assert_non_null(labels);
    status = chorale_run_set_labels(run, labels, of->chains * of->length, &error);
    free(labels);
  }
  uint8_t *allowed = malloc((size_t)of->labels);
  assert_non_null(allowed);
  for (int64_t i = 0; of->call == SOLVE_EDITED && i < of->chains && status == CHORALE_OK; i += 7) {
    for (int64_t y = 0; y < of->labels; ++y)
      allowed[y] = y != i % of->labels;
    status = chorale_run_set_allowed(run, i, i % of->length, allowed, &error);
  }
  free(allowed);
  start_clock(in_time);
  if (status == CHORALE_OK)
    status = of->call == POLISH  ? chorale_run_local_search(run, &result, &error)
             : of->call == BOUND ? chorale_run_bound(run, 2, &result, &error)
                                 : chorale_run_solve(run, &result, &error);
  if (status != CHORALE_OK)
    fail_msg("%s: %s", of->name, error.message);
  return result.outcome;
}

/* Solves once to the end, and then with the deadline after 1, 3, .. of PARTS parts of the looks. */
enum { PARTS = 4 };
static void check_extent(const Extent *of) {
  chorale_error error;
  random_state = test_seed();
  double *lent = NULL; /* what instances use */
  chorale_model *model = make_extent(of, &lent);
  chorale_run_options options = {.struct_size = sizeof options};
  options.time_limit = kTimeLimit;
  options.bound_steps = of->call == BOUND ? 2 : 0;
  options.rounds = 2;
  options.edits = of->call == SOLVE_EDITED || of->call == SETTLE;
  chorale_run *run = NULL;
  if (chorale_run_create(NULL, model, &options, NULL, &run, &error) != CHORALE_OK)
    fail_msg("%s: %s", of->name, error.message);
  /* Whatever the limit, chains are decoded by themselves; edited ones are decoded again, and given
   * labels are compared with the chains' own. */
  const int owes_more = of->call == SOLVE_EDITED || of->call == SOLVE_FROM;
  const int64_t allowed = 100 * small_solve + (owes_more ? 2 : 1) * decode_chains(model);
  (void)call_run(of, run, INT64_MAX);
  const int64_t all_looks = looks;
  const int64_t between = widest;
  int64_t most = 0;
  int stopped = 0;
  for (int64_t part = 1; part < PARTS; part += 2) {
    const chorale_outcome outcome = call_run(of, run, 1 + all_looks * part / PARTS);
    const int64_t past = comparisons - at_last_look_in_time;
    if (past > most)
      most = past;
    stopped += outcome == CHORALE_OUTCOME_DEADLINE;
  }
  if (getenv("CHORALE_TEST_TELL"))
    printf("%-44s %10lld past the limit, %10lld between two looks, of %lld; stopped %d times\n",
           of->name, (long long)most, (long long)between, (long long)allowed, stopped);
  if (most > allowed || between > allowed) {
    print_error("%s: %lld comparisons past the look before the limit, %lld between two looks, "
                "where %lld are allowed\n",
                of->name, (long long)most, (long long)between, (long long)allowed);
    ++failures;
  }
  if (stopped == 0) {
    print_error("%s: never stopped\n", of->name);
    ++failures;
  }
  chorale_run_destroy(run);
  chorale_model_release(model);
  free(lent);
}

static void runs_of_every_shape_stop_in_time(void **state) {
  (void)state;
  failures = 0;
  static const Extent kExtents[] = {
      {"chain in many cliques", 1, 100000, 5, 30000, POTTS, 0, SOLVE, BY_POSITIONS, 0},
      {"chain in many cliques, polish", 1, 100000, 5, 30000, POTTS, 0, POLISH, BY_POSITIONS, 0},
      {"star in many cliques", 1, 100000, 5, 30000, POTTS, 1, SOLVE, BY_POSITIONS, 0},
      {"chains in many cliques, bound", 30000, 2, 5, 20000, POTTS, 0, BOUND, BY_POSITIONS, 0},
      {"chains in one clique, edited", 30000, 2, 5, 1, POTTS, 0, SOLVE_EDITED, BY_POSITIONS, 0},
      {"chains in no clique", 100000, 1, 5, 0, POTTS, 0, SOLVE, BY_POSITIONS, 0},
      {"items in many cliques, edited", 100000, 1, 5, 30000, POTTS, 0, SOLVE_EDITED, BY_POSITIONS, 0},
      {"items in one clique", 100000, 1, 5, 1, POTTS, 0, SOLVE, BY_POSITIONS, 0},
      {"weighted items, one clique", 100000, 1, 5, 1, WEIGHTED, 0, SOLVE, BY_POSITIONS, 0},
      {"forbidden counts, many cliques", 10000, 2, 5, 2000, FORBIDDING, 0, SOLVE, BY_POSITIONS, 0},
      {"many labels, items", 20, 1, 1000, 1, PAIRS, 0, SOLVE, BY_POSITIONS, 0},
      {"many labels, MAX, polish", 4, 2, 1000, 1, MAKESPAN, 0, POLISH, BY_POSITIONS, 0},
      {"many labels, chains", 4, 2, 2000, 1, POTTS, 0, SOLVE, BY_POSITIONS, 0},
      {"many labels, PAIRS", 4, 2, 1000, 1, PAIRS, 0, SOLVE, BY_POSITIONS, 0},
      {"many labels, PAIRS, polish", 4, 2, 1000, 1, PAIRS, 0, POLISH, BY_POSITIONS, 0},
      {"many labels, MAJORITY, polish", 4, 2, 1000, 1, MAJORITY, 0, POLISH, BY_POSITIONS, 0},
      {"chain in many cliques, settled", 1, 100000, 5, 30000, POTTS, 0, SETTLE, BY_POSITIONS, 0},
      {"items in one clique, settled", 100000, 1, 5, 1, POTTS, 0, SETTLE, BY_POSITIONS, 0},
      {"chain in centred cliques", 1, 50000, 5, 10000, POTTS, 0, SOLVE, BY_CENTRES, 0},
      {"chains in centred cliques, polish", 50000, 1, 5, 5, POTTS, 0, POLISH, BY_CENTRES, 0},
      {"chains of many tokens", 4, 1000, 3, 1, POTTS, 0, SOLVE, BY_PROPERTIES, 100000},
      {"chains of many tokens, polish", 4, 1000, 3, 1, POTTS, 0, POLISH, BY_PROPERTIES, 100000},
      {"chains of many tokens, PAIRS", 4, 1000, 3, 1, PAIRS, 0, SOLVE, BY_PROPERTIES, 1000},
      {"many labels without transitions", 4, 2, 100000, 1, POTTS, 0, SOLVE, BY_POSITIONS, 0},
      {"chain in a clique that forbids all", 1, 3000, 5, 1, UNREACHABLE, 0, SOLVE, BY_POSITIONS, 0},
      {"pairs of many columns", 20000, 1, 100, 10000, POTTS, 0, SOLVE, BY_POSITIONS, 0},
      {"pairs of many columns, edited", 20000, 1, 100, 10000, BENT, 0, SOLVE_EDITED, BY_POSITIONS, 0},
      {"many labels, MAJORITY, items", 20, 1, 1000, 1, MAJORITY, 0, SOLVE, BY_POSITIONS, 0},
      {"many labels, PAIRS, edited", 20, 1, 1000, 1, PAIRS, 0, SOLVE_EDITED, BY_POSITIONS, 0},
      {"chain in many cliques, from labels", 1, 30000, 5, 9000, POTTS, 0, SOLVE_FROM, BY_POSITIONS, 0},
      {"items in one clique, from labels", 100000, 1, 5, 1, POTTS, 0, SOLVE_FROM, BY_POSITIONS, 0},
      {"large dictionary", 4, 1000, 3, 1, POTTS, 0, SOLVE, BY_DICTIONARY, 200000},
      {"large dictionary, polish", 4, 1000, 3, 1, POTTS, 0, POLISH, BY_DICTIONARY, 200000},
      {"instances in one clique", 100000, 1, 5, 1, POTTS, 0, SOLVE, BY_INSTANCES, 0},
      {"instances in many cliques, polish", 100000, 1, 5, 30000, POTTS, 0, POLISH, BY_INSTANCES, 0},
      {"instances of many columns", 4, 1, 100000, 1, POTTS, 0, SOLVE, BY_INSTANCES, 0},
      {"chains in cliques that forbid some", 10, 1000, 5, 2, FORBIDDING, 0, SOLVE, BY_POSITIONS, 0},
  };
  const char *only = getenv("CHORALE_TEST_ONLY");
  for (size_t k = 0; k < COUNT_OF(kExtents); ++k)
    if (!only || strstr(kExtents[k].name, only))
      check_extent(&kExtents[k]);
  assert_int_equal(failures, 0);
}

/* ---- Learning ------------------------------------------------------------------------------- */

enum { SENTENCE = 10, SENTENCES = 5, WORDS = 1000 };

static chorale_outcome learn(const Case *of, void *problem) {
  chorale_error error;
  const chorale_problem *const problems[] = {problem};
  chorale_learn_options options = {.struct_size = sizeof options};
  options.time_limit = kTimeLimit;
  chorale_learnt *learnt = NULL;
  if (chorale_learn(NULL, problems, 1, &options, &learnt, &error) != CHORALE_OK)
    fail_msg("%s: %s", of->name, error.message);
  chorale_learnt_report report = {.struct_size = sizeof report};
  assert_int_equal(chorale_learnt_get_report(learnt, &report, &error), CHORALE_OK);
  assert_int_equal(report.applied, 0);
  chorale_learnt_destroy(learnt);
  return report.outcome;
}

/* Documents of SENTENCES sentences, in which words have a label of their own in most places. */
static void learning_stops_in_time(void **state) {
  (void)state;
  failures = 0;
  random_state = test_seed();
  const Case of = {"learning, repeated words", 20000, POTTS, CHORALE_ALGORITHM_AUTO, 0, 0, 0, 0};
  const int64_t positions = of.size * SENTENCE;
  int64_t *offsets = malloc((size_t)(of.size + 1) * sizeof *offsets);
  int64_t *groups = malloc((size_t)of.size * sizeof *groups);
  int32_t *tokens = malloc((size_t)positions * sizeof *tokens);
  int32_t *gold = malloc((size_t)positions * sizeof *gold);
  double *scores = numbers(positions * LABELS);
  assert_true(offsets && groups && tokens && gold);
  for (int64_t i = 0; i <= of.size; ++i)
    offsets[i] = i * SENTENCE;
  for (int64_t i = 0; i < of.size; ++i)
    groups[i] = i / SENTENCES;
  for (int64_t p = 0; p < positions; ++p) {
    tokens[p] = (int32_t)(WORDS * number());
    gold[p] = number() < 0.9 ? (int32_t)((tokens[p] + p / (SENTENCES * SENTENCE)) % LABELS)
                             : (int32_t)(LABELS * number());
    scores[p * LABELS + gold[p]] += 0.4;
  }
  chorale_corpus corpus = {.struct_size = sizeof corpus};
  corpus.chains = of.size;
  corpus.labels = LABELS;
  corpus.offsets = offsets;
  corpus.unary = scores;
  corpus.tokens = tokens;
  corpus.groups = groups;
  chorale_agreement words = {.struct_size = sizeof words};
  chorale_error error;
  chorale_problem *problem = NULL;
  if (chorale_problem_create_agreeing(NULL, &corpus, &words, 1, gold, &problem, &error) !=
      CHORALE_OK)
    fail_msg("%s: %s", of.name, error.message);
  check_case(&of, 0, problem, learn);
  chorale_problem_destroy(problem);
  free(offsets);
  free(groups);
  free(tokens);
  free(gold);
  free(scores);
  assert_int_equal(failures, 0);
}

/* ---- Partitions ---------------------------------------------------------------------------- */

typedef struct Divided {
  chorale_scored_pairs pairs;
  int32_t *groups;
} Divided;

static chorale_outcome divide(const Case *of, void *given) {
  const Divided *divided = given;
  chorale_error error;
  chorale_partition_result result = {.struct_size = sizeof result};
  if (chorale_partition(NULL, &divided->pairs, divided->groups, NULL, NULL, &result, &error) !=
      CHORALE_OK)
    fail_msg("%s: %s", of->name, error.message);
  return result.outcome;
}

/* Records with five pairs each; and one record with a pair with each of the others, between which are
 * as many negative pairs. With sources that few records share. */
static void partitions_stop_in_time(void **state) {
  (void)state;
  failures = 0;
  static const Case kCases[] = {
      {"a partition of random pairs", 20000, POTTS, CHORALE_ALGORITHM_AUTO, 0, 0, 0, 0},
      {"a partition of a star", 50000, POTTS, CHORALE_ALGORITHM_AUTO, 0, 0, 0, 0},
  };
  for (size_t k = 0; k < COUNT_OF(kCases); ++k) {
    const int is_star = k == 1;
    const int64_t records = kCases[k].size, count = is_star ? 2 * records - 2 : 5 * records;
    random_state = test_seed();
    double *scores = numbers(count);
    int32_t *ends = malloc((size_t)(2 * count + 2 * records) * sizeof *ends);
    assert_non_null(ends);
    for (int64_t i = 0; i < count; ++i) {
      const int is_ray = is_star && i < records - 1;
      ends[i] = is_ray ? 0 : (int32_t)(number() * (double)(records - 1));
      const int32_t away = is_ray ? (int32_t)i + 1 : 1 + (int32_t)(number() * 30);
      ends[count + i] = (ends[i] + away) % (int32_t)records;
      scores[i] -= is_ray ? 0 : is_star ? 1 : 0.6;
    }
    int32_t *source = ends + 2 * count;
    for (int64_t i = 0; i < records; ++i)
      source[i] = (int32_t)(number() * (double)records);
    Divided divided = {{.struct_size = sizeof divided.pairs}, source + records};
    divided.pairs.records = records;
    divided.pairs.count = count;
    divided.pairs.first = ends;
    divided.pairs.second = ends + count;
    divided.pairs.score = scores;
    divided.pairs.source = source;
    divided.pairs.time_limit = -1;
    answer = -comparisons;
    divide(&kCases[k], &divided); /* reads the pairs and writes the answer */
    answer += comparisons;
    divided.pairs.time_limit = kTimeLimit;
    check_case(&kCases[k], 0, &divided, divide);
    answer = 0;
    free(scores);
    free(ends);
  }
  assert_int_equal(failures, 0);
}

/* ---- Calls without limits ------------------------------------------------------------------ */

/* Scoring a labelling of a star with end scores, whose positions are all leaves but one, takes time
 * linear in its length. */
static void scoring_a_star_is_linear(void **state) {
  (void)state;
  /* Builds count between 40 and 75 for a position; a walk over all positions for each would make
   * hundreds of thousands. */
  enum { STAR = 300000, A_POSITION = 200 };
  chorale_error error;
  random_state = test_seed();
  int32_t *parents = malloc(STAR * sizeof *parents), *labels = malloc(STAR * sizeof *labels);
  assert_true(parents && labels);
  for (int64_t t = 0; t < STAR; ++t) {
    parents[t] = t == 0 ? -1 : 0;
    labels[t] = (int32_t)(LABELS * number());
  }
  double *scores = numbers(LABELS * STAR);
  chorale_chain chain = {.struct_size = sizeof chain};
  chain.length = STAR;
  chain.labels = LABELS;
  chain.unary = scores;
  chain.end = scores;
  chain.parents = parents;
  comparisons = 0;
  double score = 0;
  if (chorale_chain_score(&chain, labels, &score, &error) != CHORALE_OK)
    fail_msg("%s", error.message);
  if (comparisons > (int64_t)A_POSITION * STAR)
    fail_msg("%lld comparisons for a star of %d positions", (long long)comparisons, STAR);
  free(parents);
  free(labels);
  free(scores);
}

/* Looking for a labelling that a clique allows takes time linear in its members. Here there is none:
 * every label would have to stand at half of the positions. */
static void repairing_is_linear(void **state) {
  (void)state;
  enum { POSITIONS_OF_CHAIN = 3000, A_MEMBER = 1000000 };
  const Extent of = {"a clique that forbids all", 1, POSITIONS_OF_CHAIN, LABELS, 1, UNREACHABLE, 0,
                     SOLVE, BY_POSITIONS, 0};
  chorale_error error;
  double *lent = NULL;
  random_state = test_seed();
  chorale_model *model = make_extent(&of, &lent);
  chorale_run *run = NULL;
  chorale_run_result result = {.struct_size = sizeof result};
  if (chorale_run_create(NULL, model, NULL, NULL, &run, &error) != CHORALE_OK)
    fail_msg("%s", error.message);
  comparisons = 0;
  if (chorale_run_solve(run, &result, &error) != CHORALE_OK)
    fail_msg("%s", error.message);
  assert_int_equal(result.outcome, CHORALE_OUTCOME_NOTHING_FOUND);
  if (getenv("CHORALE_TEST_TELL"))
    printf("%-44s %10lld in all\n", of.name, (long long)comparisons);
  if (comparisons > (int64_t)A_MEMBER * POSITIONS_OF_CHAIN)
    fail_msg("%lld comparisons for %d members", (long long)comparisons, POSITIONS_OF_CHAIN);
  chorale_run_destroy(run);
  chorale_model_release(model);
  free(lent);
}

/* Comparisons of making a run, which no limit ends. */
static int64_t comparisons_of_making(const Extent *of) {
  chorale_error error;
  double *lent = NULL;
  random_state = test_seed();
  chorale_model *model = make_extent(of, &lent);
  chorale_run_options options = {.struct_size = sizeof options};
  options.edits = 1;
  chorale_run *run = NULL;
  const int64_t before = comparisons;
  if (chorale_run_create(NULL, model, &options, NULL, &run, &error) != CHORALE_OK)
    fail_msg("%s: %s", of->name, error.message);
  const int64_t made = comparisons - before;
  chorale_run_destroy(run);
  chorale_model_release(model);
  free(lent);
  return made;
}

static void making_a_run_is_linear(void **state) {
  (void)state;
  static const Extent kExtents[] = {
      {"items in many cliques", 20000, 1, 5, 6000, POTTS, 0, SOLVE, BY_POSITIONS, 0},
      {"chains in many cliques", 10000, 2, 5, 7000, POTTS, 0, SOLVE, BY_POSITIONS, 0},
      {"chain in many cliques", 1, 20000, 5, 6000, POTTS, 0, SOLVE, BY_POSITIONS, 0},
      {"many labels", 20, 1, 1000, 1, POTTS, 0, SOLVE, BY_POSITIONS, 0},
      {"chains of properties", 1000, 5, 3, 500, POTTS, 0, SOLVE, BY_PROPERTIES, 500},
  };
  for (size_t k = 0; k < COUNT_OF(kExtents); ++k) {
    Extent of = kExtents[k];
    const int64_t once = comparisons_of_making(&of);
    *(of.labels > 5 ? &of.labels : of.chains > 1 ? &of.chains : &of.length) *= 2;
    of.cliques = of.cliques > 1 ? 2 * of.cliques : 1;
    of.values *= 2;
    const int64_t twice = comparisons_of_making(&of);
    if (getenv("CHORALE_TEST_TELL"))
      printf("%-44s %10lld to make, %10lld of twice the size\n", of.name, (long long)once,
             (long long)twice);
    if (twice > 2 * once + once / 4 + 1000)
      fail_msg("%s: %lld comparisons to make a run, %lld to make one of twice the size", of.name,
               (long long)once, (long long)twice);
  }
}

/* True if the library was built with counted comparisons. */
static int counts_comparisons(void) {
  const Case plain = {"a small clique", 1000, POTTS, CHORALE_ALGORITHM_AUTO, 0, 0, 0, 0};
  chorale_error error;
  CliqueProblem problem = {NULL, make_symmetric(POTTS, plain.size, VALUES),
                           numbers(VALUES * plain.size),
                           NULL, NULL, NULL};
  assert_int_equal(chorale_clique_solver_create(NULL, &problem.solver, &error), CHORALE_OK);
  start_clock(INT64_MAX);
  small_solve = -comparisons;
  (void)solve_clique(&plain, &problem);
  small_solve += comparisons;
  chorale_clique_solver_destroy(problem.solver);
  chorale_potential_release(problem.potential);
  free(problem.scores);
  if (getenv("CHORALE_TEST_TELL"))
    printf("%-44s %10lld in all\n", plain.name, (long long)small_solve);
  return small_solve > 10 * plain.size && looks > 0;
}

int main(void) {
  if (!counts_comparisons()) {
    puts("skipped: comparisons are counted in the preset counting alone");
    return 77;
  }
  if (getenv("CHORALE_TEST_FILTER"))
    cmocka_set_test_filter(getenv("CHORALE_TEST_FILTER"));
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cliques_stop_in_time),
      cmocka_unit_test(runs_stop_in_time),
      cmocka_unit_test(runs_of_every_shape_stop_in_time),
      cmocka_unit_test(learning_stops_in_time),
      cmocka_unit_test(partitions_stop_in_time),
      cmocka_unit_test(scoring_a_star_is_linear),
      cmocka_unit_test(repairing_is_linear),
      cmocka_unit_test(making_a_run_is_linear),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
