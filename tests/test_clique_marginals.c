/* Max-marginals: exact ones against enumeration, those of alpha-pass against n R restricted
 * passes. */
#include "fixture.h"

typedef struct Marginals {
  chorale_status status;
  chorale_error error;
  chorale_clique_result result;
  int32_t assignment[MAX_MEMBERS];
  double values[MAX_MEMBERS * MAX_STRIDE];
} Marginals;

enum { GAP_MARK = 12345 }; /* value of entries between rows, which stay unchanged */

static void max_marginals(chorale_clique_solver *solver, const chorale_potential *potential,
                          const Problem *problem, const chorale_clique_options *options,
                          Marginals *out) {
  chorale_clique_problem described;
  describe_problem(problem, &described);
  memset(out, 0, sizeof *out);
  for (size_t e = 0; e < COUNT_OF(out->values); ++e)
    out->values[e] = GAP_MARK;
  for (int32_t i = 0; i < MAX_MEMBERS; ++i)
    out->assignment[i] = UNTOUCHED;
  out->result = (chorale_clique_result){.struct_size = sizeof out->result};
  out->status =
      chorale_clique_max_marginals(solver, potential, &described, options, out->values, MAX_STRIDE,
                                   out->assignment, &out->result, &out->error);
}

static double at(const Marginals *marginals, int32_t member, int32_t value) {
  return marginals->values[member * MAX_STRIDE + value];
}

/* ---- The naive restricted alpha-pass ------------------------------------------------------ */

typedef struct Restricted {
  int32_t member, value; /* whose value is set, and to which */
} Restricted;

static double restricted_score(const Problem *problem, const Restricted *r, int32_t i, int32_t v) {
  if (i == r->member && v != r->value)
    return -INFINITY;
  return admits(problem, i, v) ? score_of(problem, i, v) : -INFINITY;
}

/* Returns the column of a value: the value itself, or, for all uncounted values, one common column
 * with the number R. */
static int32_t column_of(const Problem *problem, int32_t value) {
  return counts_value(problem, value) ? value : problem->values;
}
static int32_t best_value(const Problem *problem, const Restricted *r, int32_t i, int32_t column,
                          int inside) {
  int32_t best = -1;
  for (int32_t v = 0; v < problem->values; ++v)
    if ((column_of(problem, v) == column) == inside &&
        restricted_score(problem, r, i, v) > -INFINITY &&
        (best < 0 || restricted_score(problem, r, i, v) > restricted_score(problem, r, i, best)))
      best = v;
  return best;
}

static double restricted_alpha_pass(const Problem *problem, const Restricted *r) {
  const int32_t n = problem->members;
  double best = -INFINITY;
  for (int32_t alpha = 0; alpha <= problem->values; ++alpha) {
    int exists = 0;
    for (int32_t v = 0; v < problem->values; ++v)
      exists = exists || column_of(problem, v) == alpha;
    if (!exists)
      continue;
    int32_t in[MAX_MEMBERS], out[MAX_MEMBERS], order[MAX_MEMBERS];
    double gain[MAX_MEMBERS];
    int possible = 1;
    for (int32_t i = 0; i < n; ++i) {
      in[i] = best_value(problem, r, i, alpha, 1);
      out[i] = best_value(problem, r, i, alpha, 0);
      possible = possible && (in[i] >= 0 || out[i] >= 0);
      gain[i] = in[i] < 0    ? -INFINITY
                : out[i] < 0 ? INFINITY
                             : restricted_score(problem, r, i, in[i]) -
                                   restricted_score(problem, r, i, out[i]);
      int32_t place = i;
      while (place > 0 && gain[order[place - 1]] < gain[i]) {
        order[place] = order[place - 1];
        --place;
      }
      order[place] = i;
    }
    if (!possible)
      continue;
    for (int32_t k = 0; k <= n; ++k) {
      if ((k > 0 && in[order[k - 1]] < 0))
        break;
      if (k < n && out[order[k]] < 0)
        continue;
      int64_t counts[MAX_VALUES] = {0};
      double score = 0;
      for (int32_t place = 0; place < n; ++place) {
        const int32_t i = order[place];
        const int32_t v = place < k ? in[i] : out[i];
        ++counts[v];
        score += restricted_score(problem, r, i, v);
      }
      best = fmax(best, score + own_clique_score(problem, counts));
    }
  }
  return best;
}

/* ---- What holds for all ------------------------------------------------------------------- */

static int is_exact_family(const Problem *problem) {
  return (problem->kind >= KIND_MAX_SHARED && problem->kind <= KIND_MAJORITY) ||
         is_pass_exact(problem) || is_concave_sum(problem) == YES;
}

static const char *check_marginals(const Problem *problem, const Oracle *oracle, const Marginals *m,
                                   int exact) {
  const int32_t n = problem->members;
  const int32_t R = problem->values;
  if (m->status != CHORALE_OK)
    return complain("%s: \"%s\"", chorale_status_name(m->status), m->error.message);
  if (exact && !m->result.marginals_exact)
    return complain("not said to be exact");
  if (m->result.algorithm == CHORALE_ALGORITHM_AUTO)
    return complain("the result says AUTO");
  const int said_exact = m->result.marginals_exact;
  for (int32_t i = 0; i < n; ++i)
    for (int32_t v = 0; v < MAX_STRIDE; ++v) {
      const double found = m->values[i * MAX_STRIDE + v];
      if (v >= R) {
        if (found != GAP_MARK)
          return complain("the gap after row %d was written", i);
        continue;
      }
      const double truth = oracle->marginals[i * R + v];
      if (isnan(found) || found == INFINITY)
        return complain("m(%d, %d) is %g", i, v, found);
      if (said_exact ? !is_close(found, truth) : !is_at_most(found, truth))
        return complain("m(%d, %d) = %.17g, enumeration %.17g, exact %d, %s", i, v, found, truth,
                        said_exact, chorale_algorithm_name(m->result.algorithm));
    }
  for (int32_t i = n; i < MAX_MEMBERS; ++i)
    for (int32_t v = 0; v < MAX_STRIDE; ++v)
      if (m->values[i * MAX_STRIDE + v] != GAP_MARK)
        return complain("row %d was written", i);

  Solved solved;
  memset(&solved, 0, sizeof solved);
  solved.result = m->result;
  memcpy(solved.assignment, m->assignment, sizeof solved.assignment);
  const char *why = check_result(problem, oracle, NULL, &solved, 0);
  if (why || m->assignment[0] == UNTOUCHED)
    return why;
  if (exact && !is_close(m->result.score, oracle->best))
    return complain("exact marginals, yet the best labelling met scores %.17g of %.17g",
                    m->result.score, oracle->best);
  for (int32_t i = 0; i < n; ++i) {
    const int32_t v = m->assignment[i];
    if (!is_at_most(m->result.score, at(m, i, v)))
      return complain("m(%d, %d) = %.17g below the score %.17g", i, v, at(m, i, v),
                      m->result.score);
  }
  return NULL;
}

static const char *check_default(const Problem *problem, void *user) {
  chorale_error error;
  chorale_potential *potential = NULL;
  if (make_potential(problem, NULL, &potential, &error) != CHORALE_OK)
    return complain("no potential: \"%s\"", error.message);
  Oracle oracle;
  enumerate(problem, &oracle);
  Marginals m;
  max_marginals(user, potential, problem, NULL, &m);
  const char *why = check_marginals(problem, &oracle, &m, is_exact_family(problem));
  chorale_potential_release(potential);
  return why;
}

static void marginals_agree_with_enumeration(void **state) {
  check_kinds("marginals", KIND_POTTS, KIND_CALLBACK, test_rounds(4000), check_default, *state);
}

/* ---- Exact on request --------------------------------------------------------------------- */

static const char *check_exact_on_request(const Problem *problem, void *user) {
  chorale_error error;
  chorale_potential *potential = NULL;
  if (make_potential(problem, NULL, &potential, &error) != CHORALE_OK)
    return complain("no potential: \"%s\"", error.message);
  Oracle oracle;
  enumerate(problem, &oracle);
  const Truth can = is_exact_family(problem) ? YES : is_sum(problem);
  chorale_clique_options options;
  options_of(CHORALE_ALGORITHM_AUTO, &options);
  options.exact_marginals = 1;
  const char *why = NULL;
  Marginals m;
  max_marginals(user, potential, problem, &options, &m);
  if (m.status == CHORALE_ERROR_NOT_EXACT)
    why = can == YES ? complain("refused: \"%s\"", m.error.message) : NULL;
  else
    why = can == NO ? complain("not refused but %s", chorale_status_name(m.status))
                    : check_marginals(problem, &oracle, &m, 1);
  chorale_potential_release(potential);
  return why;
}

static void exact_marginals_on_request(void **state) {
  check_kinds("exact marginals", KIND_POTTS, KIND_CALLBACK, test_rounds(1000),
              check_exact_on_request, *state);
}

/* ---- Beyond enumeration ------------------------------------------------------------------- */

/* Exact marginals equal the scores of n R solves, each with one member fixed. */
static const char *check_against_solves(const Problem *problem, void *user) {
  if (!is_exact_family(problem))
    return NULL;
  chorale_error error;
  chorale_potential *potential = NULL;
  if (make_potential(problem, NULL, &potential, &error) != CHORALE_OK)
    return complain("no potential: \"%s\"", error.message);
  Marginals m;
  max_marginals(user, potential, problem, NULL, &m);
  const char *why = NULL;
  if (m.status != CHORALE_OK || !m.result.marginals_exact)
    why = complain("not exact: \"%s\"", m.error.message);
  for (int32_t i = 0; i < problem->members && !why; ++i)
    for (int32_t v = 0; v < problem->values && !why; ++v) {
      Problem restricted = *problem;
      if (!restricted.has_fixed)
        for (int32_t j = 0; j < restricted.members; ++j)
          restricted.fixed[j] = -1;
      restricted.has_fixed = 1;
      restricted.fixed[i] = v;
      Solved solved;
      solve(user, potential, &restricted, NULL, &solved);
      const double truth = admits(problem, i, v) && solved.assignment[0] != UNTOUCHED
                               ? solved.result.score
                               : -INFINITY;
      if (solved.status != CHORALE_OK || !is_close(at(&m, i, v), truth))
        why = complain("m(%d, %d) = %.17g, solving again %.17g", i, v, at(&m, i, v), truth);
    }
  chorale_potential_release(potential);
  return why;
}

static void larger_marginals_agree_with_solving_again(void **state) {
  for (Kind kind = KIND_POTTS; kind <= KIND_PAIRS_SEPARABLE; kind = (Kind)(kind + 1))
    for (int64_t round = 0; round < test_rounds(60); ++round) {
      Random random = {test_seed() ^ ((uint64_t)kind << 40) ^ ((uint64_t)round << 8)};
      Problem problem;
      random_problem_of(&random, kind, random_int(&random, 7, MAX_MEMBERS),
                        random_int(&random, 2, MAX_VALUES), &problem);
      char where[128];
      (void)snprintf(where, sizeof where, "larger, %s, round %lld", kind_name(kind),
                     (long long)round);
      check_one(&problem, check_against_solves, *state, where);
    }
}

/* Requests the marginals by the name of each exact algorithm. */
static const char *check_insisting(const Problem *problem, void *user) {
  static const chorale_algorithm algorithms[] = {
      CHORALE_ALGORITHM_ALPHA_PASS, CHORALE_ALGORITHM_EXACT_MAJORITY,
      CHORALE_ALGORITHM_CONCAVE_FLOW, CHORALE_ALGORITHM_COUNT_BOXES};
  chorale_error error;
  chorale_potential *potential = NULL;
  if (make_potential(problem, NULL, &potential, &error) != CHORALE_OK)
    return complain("no potential: \"%s\"", error.message);
  Oracle oracle;
  enumerate(problem, &oracle);
  const int exact_by_alpha = is_pass_exact(problem) || (problem->kind >= KIND_MAX_SHARED &&
                                                            problem->kind <= KIND_SQUARE_MAKESPAN);
  const Truth applies[] = {YES, problem->kind == KIND_MAJORITY ? YES : NO, is_concave_sum(problem),
                           is_sum(problem)};
  const int exact[] = {exact_by_alpha, 1, 1, 1};
  const char *why = NULL;
  for (size_t a = 0; a < COUNT_OF(algorithms) && !why; ++a) {
    chorale_clique_options options;
    options_of(algorithms[a], &options);
    Marginals m;
    max_marginals(user, potential, problem, &options, &m);
    const int refused =
        m.status == CHORALE_ERROR_ALGORITHM_MISMATCH || m.status == CHORALE_ERROR_NOT_CONCAVE;
    if (refused && applies[a] != YES)
      continue;
    why = applies[a] == NO ? complain("not refused but %s", chorale_status_name(m.status))
                           : check_marginals(problem, &oracle, &m, exact[a]);
    if (!why && m.result.algorithm != algorithms[a])
      why = complain("ran %s instead", chorale_algorithm_name(m.result.algorithm));
    if (why) {
      char copy[512];
      (void)snprintf(copy, sizeof copy, "%s", why);
      why = complain("%s: %s", chorale_algorithm_name(algorithms[a]), copy);
    }
  }
  chorale_potential_release(potential);
  return why;
}

static void insisting_on_an_algorithm(void **state) {
  check_kinds("insisting", KIND_POTTS, KIND_CALLBACK, test_rounds(1000), check_insisting, *state);
}

static void no_marginals_by_other_algorithms(void **state) {
  static const chorale_algorithm algorithms[] = {
      CHORALE_ALGORITHM_GENERALISED_ALPHA_PASS, CHORALE_ALGORITHM_ALPHA_EXPANSION,
      CHORALE_ALGORITHM_LOCAL_SEARCH, CHORALE_ALGORITHM_ICM, CHORALE_ALGORITHM_DUAL_BOUND};
  Random random = {test_seed()};
  Problem problem;
  random_problem(&random, KIND_POTTS, &problem);
  chorale_potential *potential = NULL;
  chorale_error error;
  OK(make_potential(&problem, NULL, &potential, &error));
  for (size_t a = 0; a < COUNT_OF(algorithms); ++a) {
    chorale_clique_options options;
    options_of(algorithms[a], &options);
    Marginals m;
    max_marginals(*state, potential, &problem, &options, &m);
    assert_int_equal(m.status, CHORALE_ERROR_ALGORITHM_MISMATCH);
    assert_non_null(strstr(m.error.message, "alpha-pass"));
  }
  chorale_potential_release(potential);
}

/* ---- Restricted alpha-pass ---------------------------------------------------------------- */

static const char *check_restricted(const Problem *tied, void *user) {
  Problem problem = *tied;
  Random random = {tied->salt};
  break_ties(&random, &problem);
  chorale_error error;
  chorale_potential *potential = NULL;
  if (make_potential(&problem, NULL, &potential, &error) != CHORALE_OK)
    return complain("no potential: \"%s\"", error.message);
  chorale_clique_options options;
  options_of(CHORALE_ALGORITHM_ALPHA_PASS, &options);
  const char *why = NULL;
  const int exact = is_pass_exact(&problem) ||
                    (problem.kind >= KIND_MAX_SHARED && problem.kind <= KIND_SQUARE_MAKESPAN);
  const int compares = !exact && !some_member_is_stuck(&problem);
  if (compares) {
    Marginals m;
    max_marginals(user, potential, &problem, &options, &m);
    if (m.status != CHORALE_OK)
      why = complain("\"%s\"", m.error.message);
    for (int32_t i = 0; i < problem.members && !why; ++i)
      for (int32_t v = 0; v < problem.values && !why; ++v) {
        const Restricted r = {i, v};
        const double naive = restricted_alpha_pass(&problem, &r);
        const double found = at(&m, i, v);
        /* The best labelling found, if any, is a lower bound for the marginals of its own
         * columns. */
        const int32_t x = m.assignment[i];
        int on_best = 0;
        if (m.result.score > -INFINITY && column_of(&problem, x) == column_of(&problem, v)) {
          const double lifted =
              m.result.score - score_of(&problem, i, x) + restricted_score(&problem, &r, i, v);
          on_best = found >= naive && is_close(found, lifted);
        }
        if (!is_close(found, naive) && !on_best)
          why = complain("m(%d, %d) = %.17g, the restricted alpha-pass gives %.17g", i, v, found,
                         naive);
      }
  }
  chorale_potential_release(potential);
  return why;
}

static void lower_bounds_are_restricted_alpha_passes(void **state) {
  check_kinds("restricted", KIND_POTTS, KIND_SUM_CONVEX, test_rounds(2000), check_restricted,
              *state);
  check_kinds("restricted", KIND_MAJORITY, KIND_CALLBACK, test_rounds(2000), check_restricted,
              *state);
  for (int64_t round = 0; round < test_rounds(200); ++round) {
    Random random = {test_seed() ^ ((uint64_t)round << 8)};
    Problem problem;
    random_problem_of(&random, (Kind)random_int(&random, 0, KIND_COUNT - 1),
                      random_int(&random, 7, MAX_MEMBERS), random_int(&random, 3, MAX_VALUES),
                      &problem);
    check_one(&problem, check_restricted, *state, "restricted, larger");
  }
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
      cmocka_unit_test(marginals_agree_with_enumeration),
      cmocka_unit_test(exact_marginals_on_request),
      cmocka_unit_test(larger_marginals_agree_with_solving_again),
      cmocka_unit_test(insisting_on_an_algorithm),
      cmocka_unit_test(no_marginals_by_other_algorithms),
      cmocka_unit_test(lower_bounds_are_restricted_alpha_passes),
  };
  return cmocka_run_group_tests_name("clique marginals", tests, set_up, tear_down);
}
