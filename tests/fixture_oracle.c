/* The definition of F computed independently of the library, enumeration, and checks that every
 * result must pass. */
#include "fixture.h"

double own_callback(const Problem *problem, const int64_t *counts);

static double least_magnitude = 1;

void set_magnitude(double magnitude) { least_magnitude = magnitude; }

int is_close(double a, double b) {
  if (a == b)
    return 1;
  if (isinf(a) || isinf(b) || isnan(a) || isnan(b))
    return 0;
  return fabs(a - b) <= 1e-9 * fmax(least_magnitude, fmax(fabs(a), fabs(b)));
}

int is_at_most(double a, double b) { return a <= b || is_close(a, b); }

double own_factor(const Problem *problem) {
  const double n = problem->members;
  switch (problem->scale) {
  case CHORALE_SCALE_BY_MEMBERS:
    return 1 / n;
  case CHORALE_SCALE_BY_LOG_MEMBERS:
    return problem->members <= 1 ? 1 : 1 / log(n);
  default:
    return 1;
  }
}

double own_table(const Problem *problem, int32_t value, int32_t count) {
  const double k = count;
  switch (problem->kind) {
  case KIND_POTTS:
  case KIND_SQUARE_MAKESPAN:
    return problem->lambda * k * k;
  case KIND_ENTROPY:
    return count == 0 ? 0 : problem->lambda * k * log(k);
  case KIND_MAKESPAN:
    return problem->lambda * k;
  case KIND_CARDINALITY: {
    int32_t highest = -1;
    for (int32_t v = 0; v < problem->values; ++v)
      if (counts_value(problem, v))
        highest = v;
    return value == highest ? problem->tables[count] : 0;
  }
  default:
    return problem->tables[(problem->table_count == 1 ? 0 : value) * MAX_LENGTH + count];
  }
}

static double own_majority(const Problem *problem, const int64_t *counts) {
  double best = -INFINITY;
  for (int32_t a = 0; a < problem->values; ++a) {
    if (!counts_value(problem, a))
      continue;
    int is_majority = 1;
    double score = problem->has_bias ? problem->bias[a] : 0;
    for (int32_t v = 0; v < problem->values; ++v)
      if (counts_value(problem, v)) {
        is_majority = is_majority && counts[v] <= counts[a];
        score += problem->matrix[a * MAX_VALUES + v] * (double)counts[v];
      }
    if (is_majority)
      best = fmax(best, score);
  }
  return best;
}

/* Returns the score of PAIRS over ordered pairs of values; a pair of equal values stands for n (n -
 * 1) pairs of members. */
static double own_pairs(const Problem *problem, const int64_t *counts) {
  double score = 0;
  for (int32_t v = 0; v < problem->values; ++v)
    for (int32_t w = 0; w < problem->values; ++w)
      if (counts_value(problem, v) && counts_value(problem, w))
        score += problem->matrix[v * MAX_VALUES + w] *
                 (double)(counts[v] * (v == w ? counts[w] - 1 : counts[w]));
  return score;
}

double own_clique_score(const Problem *problem, const int64_t *counts) {
  int64_t counted = 0;
  int64_t masked[MAX_VALUES] = {0};
  double sum = 0, highest = -INFINITY;
  const int has_tables = problem->kind <= KIND_SQUARE_MAKESPAN;
  for (int32_t v = 0; v < problem->values; ++v)
    if (counts_value(problem, v)) {
      counted += counts[v];
      masked[v] = counts[v];
      if (has_tables) {
        const double f = own_table(problem, v, (int32_t)counts[v]);
        sum += f;
        highest = fmax(highest, f);
      }
    }
  if (counted == 0) {
    /* If no member has a counted value the score is 0 by definition, unless a SUM forbids the count
     * 0. */
    const int forbidden = problem->kind <= KIND_CARDINALITY && sum == -INFINITY;
    return forbidden ? -INFINITY : 0;
  }
  const double factor = own_factor(problem);
  switch (problem->kind) {
  case KIND_MAX_SHARED:
  case KIND_MAX_PER_VALUE:
  case KIND_MAKESPAN:
  case KIND_SQUARE_MAKESPAN:
    return highest * factor;
  case KIND_MAJORITY:
    return own_majority(problem, counts) * factor;
  case KIND_PAIRS:
  case KIND_PAIRS_SEPARABLE:
    return own_pairs(problem, counts) * factor;
  case KIND_CALLBACK:
    return own_callback(problem, masked) * factor;
  default:
    return sum * factor;
  }
}

void own_counts(const Problem *problem, const int32_t *assignment, int64_t *counts) {
  memset(counts, 0, sizeof(int64_t) * (size_t)problem->values);
  for (int32_t i = 0; i < problem->members; ++i)
    ++counts[assignment[i]];
}

double own_member_score(const Problem *problem, const int32_t *assignment) {
  double sum = 0;
  for (int32_t i = 0; i < problem->members; ++i)
    sum += score_of(problem, i, assignment[i]);
  return sum;
}

double own_magnitude(const Problem *problem, const int32_t *assignment, double clique_score) {
  double sum = 0;
  for (int32_t i = 0; i < problem->members; ++i)
    sum += fabs(score_of(problem, i, assignment[i]));
  return sum + fabs(clique_score);
}

int closes(double score, double magnitude, double bound, double gap) {
  return bound - score <= fmax(gap * fabs(score), 1e-12 * magnitude);
}

double own_score(const Problem *problem, const int32_t *assignment) {
  int64_t counts[MAX_VALUES];
  own_counts(problem, assignment, counts);
  return own_member_score(problem, assignment) + own_clique_score(problem, counts);
}

/* ---- Shapes ------------------------------------------------------------------------------- */

/* Finds c with f(v, w) + f(w, v) = c_v + c_w for all counted v != w, if it exists. */
static Truth split_pairs(const Problem *problem, double *c) {
  int32_t counted[MAX_VALUES];
  int32_t count = 0;
  for (int32_t v = 0; v < problem->values; ++v) {
    c[v] = 0;
    if (counts_value(problem, v))
      counted[count++] = v;
  }
  int all_zero = 1;
  const double *f = problem->matrix;
#define BOTH(v, w) (f[(v)*MAX_VALUES + (w)] + f[(w)*MAX_VALUES + (v)])
  for (int32_t a = 0; a < count; ++a)
    for (int32_t b = 0; b < a; ++b)
      all_zero = all_zero && BOTH(counted[a], counted[b]) == 0;
  if (all_zero)
    return YES;
  if (count < problem->values)
    return UNCLEAR; /* when every c_v is 0 only, and a common c does as well */
  if (count == 2) {
    c[0] = c[1] = BOTH(0, 1) / 2;
    return YES;
  }
  c[0] = (BOTH(0, 1) + BOTH(0, 2) - BOTH(1, 2)) / 2;
  for (int32_t v = 1; v < count; ++v)
    c[v] = BOTH(0, v) - c[0];
  Truth truth = YES;
  for (int32_t v = 0; v < count; ++v)
    for (int32_t w = 0; w < v; ++w) {
      const double off = fabs(BOTH(v, w) - c[v] - c[w]);
      if (off > 1e-6)
        return NO;
      if (off > 1e-13)
        truth = UNCLEAR;
    }
#undef BOTH
  return truth;
}

Truth is_sum(const Problem *problem) {
  double c[MAX_VALUES];
  if (problem->kind <= KIND_CARDINALITY)
    return YES;
  return problem->kind == KIND_PAIRS || problem->kind == KIND_PAIRS_SEPARABLE
             ? split_pairs(problem, c)
             : NO;
}

/* Tests the tables for shape. sign 1: convex, -1: concave. */
static Truth bends(const Problem *problem, int sign) {
  const Truth sum = is_sum(problem);
  if (sum != YES)
    return sum;
  double c[MAX_VALUES] = {0};
  const int pairs = problem->kind > KIND_CARDINALITY;
  if (pairs)
    (void)split_pairs(problem, c);
  Truth truth = UNCLEAR; /* without counted values there are no tables */
  for (int32_t v = 0; v < problem->values; ++v)
    if (counts_value(problem, v))
      truth = YES;
  double nothing = 0;
  for (int32_t v = 0; v < problem->values; ++v) {
    if (!counts_value(problem, v))
      continue;
    double f[MAX_MEMBERS + 1] = {0};
    for (int32_t k = 0; k <= problem->members; ++k)
      f[k] = pairs ? problem->matrix[v * MAX_VALUES + v] * (k * k - k) +
                         c[v] * k * (problem->members - k)
                   : own_table(problem, v, k);
    nothing += f[0];
    int32_t end = problem->members;
    while (end >= 0 && f[end] == -INFINITY)
      --end;
    if (end < problem->members && sign > 0)
      return NO;
    if (f[0] == -INFINITY) /* a least count: concave, and yet not a capacity */
      truth = UNCLEAR;
    for (int32_t k = 0; k <= end; ++k)
      if (f[k] == -INFINITY)
        truth = sign > 0 ? NO : k == 0 || f[k - 1] == -INFINITY ? truth : NO;
    if (truth == NO)
      return NO;
    for (int32_t k = 2; k <= end; ++k) {
      if (f[k - 2] == -INFINITY)
        continue;
      const double bend = sign * (f[k] - 2 * f[k - 1] + f[k - 2]);
      if (bend < -1e-9)
        return NO;
      if (bend < 0)
        truth = UNCLEAR;
    }
  }
  /* If no value is counted the score is 0, whatever the tables give for counts of 0. So uncounted
   * values also have a table, flat except for its last step. In a convex sum this step must not
   * fall; in a concave sum it may rise, since only one labelling gains by it. */
  if (sign > 0 && problem->has_counted && problem->members >= 2 && truth == YES) {
    int rest = 0;
    for (int32_t v = 0; v < problem->values; ++v)
      rest = rest || !counts_value(problem, v);
    if (rest && nothing > 0)
      truth = UNCLEAR;
  }
  return truth;
}

Truth is_convex_sum(const Problem *problem) { return bends(problem, 1); }
Truth is_concave_sum(const Problem *problem) { return bends(problem, -1); }

/* ---- Enumeration -------------------------------------------------------------------------- */

void enumerate(const Problem *problem, Oracle *oracle) {
  const int32_t n = problem->members;
  const int32_t R = problem->values;
  oracle->best = -INFINITY;
  for (int32_t e = 0; e < n * R; ++e)
    oracle->marginals[e] = oracle->messages[e] = -INFINITY;
  int32_t x[MAX_MEMBERS] = {0};
  for (;;) {
    int64_t counts[MAX_VALUES];
    own_counts(problem, x, counts);
    /* Counts members whose value is forbidden, or differs from the fixed one. If there is only one,
     * its message is still defined, since the message leaves out the member's own scores. */
    int32_t barred = 0;
    int32_t barred_member = -1;
    double others = 0; /* sum of member scores, without the barred member */
    for (int32_t i = 0; i < n; ++i)
      if (admits(problem, i, x[i])) {
        others += score_of(problem, i, x[i]);
      } else {
        ++barred;
        barred_member = i;
      }
    if (barred <= 1) {
      const double clique = own_clique_score(problem, counts);
      if (barred == 0 && others + clique > oracle->best) {
        oracle->best = others + clique;
        memcpy(oracle->assignment, x, sizeof x);
      }
      for (int32_t i = 0; i < n; ++i) {
        if (barred == 1 && i != barred_member)
          continue;
        const double own = barred == 1 ? 0 : score_of(problem, i, x[i]);
        double *marginal = oracle->marginals + i * R + x[i];
        double *message = oracle->messages + i * R + x[i];
        if (barred == 0)
          *marginal = fmax(*marginal, others + clique);
        *message = fmax(*message, others - own + clique);
      }
    }
    int32_t i = 0;
    while (i < n && ++x[i] == R)
      x[i++] = 0;
    if (i == n)
      break;
  }
}

/* ---- Solving ------------------------------------------------------------------------------ */

chorale_clique_solver *new_solver(void) {
  chorale_clique_solver *solver = NULL;
  chorale_error error;
  OK(chorale_clique_solver_create(NULL, &solver, &error));
  assert_non_null(solver);
  return solver;
}

void options_of(chorale_algorithm algorithm, chorale_clique_options *options) {
  *options = (chorale_clique_options){.struct_size = sizeof *options};
  options->algorithm = algorithm;
}

void solve(chorale_clique_solver *solver, const chorale_potential *potential,
           const Problem *problem, const chorale_clique_options *options, Solved *solved) {
  chorale_clique_problem described;
  describe_problem(problem, &described);
  memset(solved, 0, sizeof *solved);
  for (int32_t i = 0; i < MAX_MEMBERS; ++i)
    solved->assignment[i] = UNTOUCHED;
  solved->result = (chorale_clique_result){.struct_size = sizeof solved->result};
  solved->status = chorale_clique_solve(solver, potential, &described, options, solved->assignment,
                                        &solved->result, &solved->error);
}

const char *check_result(const Problem *problem, const Oracle *oracle,
                         const chorale_clique_options *options, const Solved *solved, int exact) {
  const chorale_clique_result *r = &solved->result;
  if (solved->status != CHORALE_OK)
    return complain("%s: \"%s\"", chorale_status_name(solved->status), solved->error.message);
  if (solved->error.message[0] != '\0' || solved->error.status != CHORALE_OK)
    return complain("success left the error \"%s\"", solved->error.message);
  if (r->algorithm == CHORALE_ALGORITHM_AUTO ||
      (options && options->algorithm != CHORALE_ALGORITHM_AUTO &&
       r->algorithm != options->algorithm))
    return complain("the result says algorithm %s", chorale_algorithm_name(r->algorithm));
  if (some_member_is_stuck(problem) && r->outcome != CHORALE_OUTCOME_INFEASIBLE)
    return complain("a member has no value, yet the outcome is %d", r->outcome);
  if (r->outcome == CHORALE_OUTCOME_INFEASIBLE && oracle->best > -INFINITY)
    return complain("infeasible, yet a labelling scores %.17g", oracle->best);
  if (exact && oracle->best == -INFINITY && r->outcome != CHORALE_OUTCOME_INFEASIBLE)
    return complain("nothing is feasible, yet the outcome is %d", r->outcome);
  if (!is_at_most(oracle->best, r->upper_bound))
    return complain("upper bound %.17g below the optimum %.17g", r->upper_bound, oracle->best);

  const int found = solved->assignment[0] != UNTOUCHED;
  if (!found) {
    for (int32_t i = 0; i < MAX_MEMBERS; ++i)
      if (solved->assignment[i] != UNTOUCHED)
        return complain("the assignment was half written");
    if (r->outcome != CHORALE_OUTCOME_INFEASIBLE && r->outcome != CHORALE_OUTCOME_NOTHING_FOUND)
      return complain("outcome %d without an assignment", r->outcome);
    if (r->score != -INFINITY || r->proven)
      return complain("score %.17g, proven %d without an assignment", r->score, r->proven);
    if (exact && oracle->best > -INFINITY)
      return complain("nothing found, the optimum is %.17g", oracle->best);
    return NULL;
  }
  if (r->outcome == CHORALE_OUTCOME_INFEASIBLE || r->outcome == CHORALE_OUTCOME_NOTHING_FOUND)
    return complain("outcome %d with an assignment", r->outcome);
  for (int32_t i = 0; i < MAX_MEMBERS; ++i) {
    const int32_t v = solved->assignment[i];
    if (i >= problem->members ? v != UNTOUCHED : v < 0 || v >= problem->values)
      return complain("member %d was given value %d", i, v);
    if (i < problem->members && !admits(problem, i, v))
      return complain("member %d may not take value %d", i, v);
  }
  int64_t counts[MAX_VALUES];
  own_counts(problem, solved->assignment, counts);
  if (r->member_score != own_member_score(problem, solved->assignment))
    return complain("member score %.17g, it is %.17g", r->member_score,
                    own_member_score(problem, solved->assignment));
  if (!is_close(r->clique_score, own_clique_score(problem, counts)))
    return complain("clique score %.17g, it is %.17g", r->clique_score,
                    own_clique_score(problem, counts));
  if (r->score != r->member_score + r->clique_score)
    return complain("score %.17g is not the sum of its parts", r->score);
  if (!is_at_most(r->score, oracle->best))
    return complain("score %.17g above the optimum %.17g", r->score, oracle->best);
  const double magnitude = own_magnitude(problem, solved->assignment, r->clique_score);
  const int closed = closes(r->score, magnitude, r->upper_bound, 1e-9);
  if (r->proven != closed)
    return complain("proven is %d, bound %.17g, score %.17g", r->proven, r->upper_bound, r->score);
  if (exact && !is_close(r->score, oracle->best))
    return complain("%s scores %.17g, the optimum is %.17g", chorale_algorithm_name(r->algorithm),
                    r->score, oracle->best);
  if (exact && !r->proven)
    return complain("%s found the optimum %.17g, bound %.17g, outcome %d, but did not prove it",
                    chorale_algorithm_name(r->algorithm), r->score, r->upper_bound, r->outcome);
  return NULL;
}
