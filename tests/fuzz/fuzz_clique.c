/* Clique problems of every family under every algorithm, by themselves and all max-marginals,
 * against enumeration: ordinary numbers, scaled ones and hostile ones, a callback that stops or
 * lies, limits, a raised flag, memory of the caller and memory that runs out. */
#include "fuzz.h"

typedef struct Caller {
  const Problem *problem;
  int64_t calls, stop_at; /* the call that misbehaves, from 1; 0: none */
  int32_t how;
  int misbehaved;
} Caller;

static int32_t call_back(void *user, const int64_t *counts, int64_t values, int64_t members,
                         double *score) {
  Caller *caller = user;
  REQUIRE(values == caller->problem->values && members == caller->problem->members,
          "called for %lld values and %lld members", (long long)values, (long long)members);
  if (++caller->calls == caller->stop_at) {
    caller->misbehaved = 1;
    if (caller->how == 0)
      return 5;
    *score = caller->how == 1 ? NAN : INFINITY;
    return 0;
  }
  Problem unscaled = *caller->problem;
  *score = own_callback(&unscaled, counts);
  return 0;
}

static const chorale_algorithm kAlgorithms[] = {CHORALE_ALGORITHM_AUTO,
                                                CHORALE_ALGORITHM_ALPHA_PASS,
                                                CHORALE_ALGORITHM_GENERALISED_ALPHA_PASS,
                                                CHORALE_ALGORITHM_ALPHA_EXPANSION,
                                                CHORALE_ALGORITHM_LOCAL_SEARCH,
                                                CHORALE_ALGORITHM_ICM,
                                                CHORALE_ALGORITHM_MODIFIED_ALPHA_PASS,
                                                CHORALE_ALGORITHM_LAGRANGIAN_SUBGRADIENT,
                                                CHORALE_ALGORITHM_LAGRANGIAN_GOLDEN_SECTION,
                                                CHORALE_ALGORITHM_LAGRANGIAN_CONSERVATIVE,
                                                CHORALE_ALGORITHM_EXACT_MAJORITY,
                                                CHORALE_ALGORITHM_CONCAVE_FLOW,
                                                CHORALE_ALGORITHM_COUNT_BOXES,
                                                CHORALE_ALGORITHM_DUAL_BOUND};

typedef struct Trial {
  Problem problem;
  Oracle oracle;
  chorale_clique_options options;
  int32_t start[MAX_MEMBERS];
  double magnitude;
  int is_hostile, is_limited;
  Caller caller;
} Trial;

/* ---- Problems ----------------------------------------------------------------------------- */

static double largest(const double *numbers, size_t count) {
  double most = 0;
  for (size_t k = 0; k < count; ++k)
    if (isfinite(numbers[k]))
      most = fmax(most, fabs(numbers[k]));
  return most;
}

/* What the terms of any score may come to. */
static double magnitude_of(const Problem *problem) {
  const double n = problem->members, R = problem->values;
  double scores = 0;
  for (int32_t i = 0; i < problem->members; ++i)
    scores += largest(problem->scores + i * problem->row_stride, (size_t)problem->values);
  const double potential =
      fabs(problem->lambda) * n * n + R * largest(problem->tables, COUNT_OF(problem->tables)) +
      n * n * R * largest(problem->matrix, COUNT_OF(problem->matrix)) +
      largest(problem->bias, COUNT_OF(problem->bias)) + (problem->kind == KIND_CALLBACK ? 4 : 0);
  return fmax(LEAST_MAGNITUDE, scores + potential);
}

static void make_hostile(Random *random, Trial *trial) {
  Problem *p = &trial->problem;
  const int32_t how = random_int(random, 0, 9);
  if (how < 5)
    return;
  trial->is_hostile = 1;
  p->shape = CHORALE_SHAPE_DETECT; /* an untrue word voids guarantees */
  if (how < 6) {
    if (p->kind != KIND_CALLBACK)
      scale_problem(p, mixed_power(random));
    for (int32_t i = 0; i < p->members * p->row_stride; ++i)
      p->scores[i] *= mixed_power(random);
    return;
  }
  if (how < 8 && p->kind != KIND_CALLBACK) {
    scale_problem(p, hostile_power(random));
    return;
  }
  const int32_t times = random_int(random, 1, 6);
  for (int32_t k = 0; k < times; ++k) {
    const double number = hostile_score(random);
    const int32_t row = random_int(random, 0, p->members - 1);
    const int32_t column = random_int(random, 0, p->values - 1);
    switch (random_int(random, 0, 4)) {
    case 0:
    case 1:
      p->scores[row * p->row_stride + column] = number;
      break;
    case 2:
      p->tables[(p->table_count == 1 ? 0 : column) * MAX_LENGTH + row] = number;
      break;
    case 3:
      if (number > -INFINITY)
        p->matrix[column * MAX_VALUES + random_int(random, 0, p->values - 1)] = number;
      break;
    default:
      if (number > -INFINITY)
        p->lambda = p->bias[column] = number;
    }
  }
  /* A fixed value that has become forbidden is an infeasible problem, which is what is wanted. */
}

/* A member's admissible value for each, or 0. */
static int random_start(Random *random, const Problem *problem, int32_t *start) {
  if (some_member_is_stuck(problem))
    return 0;
  for (int32_t i = 0; i < problem->members; ++i) {
    start[i] = random_int(random, 0, problem->values - 1);
    while (!admits(problem, i, start[i]))
      start[i] = (start[i] + 1) % problem->values;
  }
  return 1;
}

static void make_options(Random *random, Trial *trial, const chorale_cancel *cancel) {
  chorale_clique_options *o = &trial->options;
  options_of(kAlgorithms[random_int(random, 0, (int32_t)COUNT_OF(kAlgorithms) - 1)], o);
  o->start = random_int(random, 0, 3);
  o->start_value = random_int(random, 0, trial->problem.values - 1);
  o->start_assignment = trial->start;
  if (!random_start(random, &trial->problem, trial->start) && o->start == CHORALE_START_ASSIGNMENT)
    o->start = CHORALE_START_INDEPENDENT;
  o->subset_size = random_int(random, 1, 4);
  if (random_chance(random, 40))
    ask_gap(o, random_chance(random, 70) ? 0 : fabs(hostile_double(random)));
  o->exact_marginals = random_chance(random, 30);
  if (random_chance(random, 20)) {
    trial->is_limited = 1;
    o->iteration_limit = random_int(random, 0, 6);
    o->node_limit = random_int(random, 0, 6);
    if (random_chance(random, 30))
      o->cancel = cancel;
  }
  if (random_chance(random, 30))
    o->node_pool = random_int(random, 1, 5);
  if (random_chance(random, 20))
    o->tolerance = fabs(hostile_double(random));
}

static chorale_status open_potential(Trial *trial, const chorale_host *host,
                                     chorale_potential **potential, chorale_error *error) {
  Problem *p = &trial->problem;
  if (p->kind != KIND_CALLBACK)
    return make_potential(p, host, potential, error);
  chorale_potential_options options = {.struct_size = sizeof options};
  options.scale = p->scale;
  options.counted = p->has_counted ? p->counted : NULL;
  return chorale_potential_create_callback(host, p->values, call_back, &trial->caller, NULL,
                                           &options, potential, error);
}

/* ---- What must hold ----------------------------------------------------------------------- */

static int is_exact_family(const Problem *p) {
  return (p->kind >= KIND_MAX_SHARED && p->kind <= KIND_MAJORITY) || is_pass_exact(p);
}

/* Whether the options leave nothing but the optimum, in numbers of an ordinary size. */
static int must_be_exact(const Trial *trial) {
  const chorale_algorithm algorithm = trial->options.algorithm;
  if (trial->is_limited || trial->options.gap > 0)
    return 0;
  return algorithm == CHORALE_ALGORITHM_EXACT_MAJORITY ||
         algorithm == CHORALE_ALGORITHM_CONCAVE_FLOW ||
         algorithm == CHORALE_ALGORITHM_COUNT_BOXES ||
         (algorithm == CHORALE_ALGORITHM_AUTO && is_exact_family(&trial->problem)) ||
         (algorithm == CHORALE_ALGORITHM_ALPHA_PASS && trial->problem.kind != KIND_MAJORITY &&
          is_exact_family(&trial->problem));
}

static void check_legal(const Trial *trial, const Solved *solved, int exact) {
  const Problem *p = &trial->problem;
  const chorale_clique_result *r = &solved->result;
  const double best = trial->oracle.best;
  REQUIRE(is_at_most(best, r->upper_bound), "bound %.17g below the optimum %.17g", r->upper_bound,
          best);
  REQUIRE(r->outcome != CHORALE_OUTCOME_INFEASIBLE || best == -INFINITY,
          "infeasible, yet a labelling scores %.17g", best);
  if (solved->assignment[0] == UNTOUCHED) {
    REQUIRE(r->score == -INFINITY && !r->proven, "score %.17g of nothing", r->score);
    REQUIRE(!exact || best == -INFINITY, "nothing found, the optimum is %.17g", best);
    return;
  }
  int64_t counts[MAX_VALUES];
  for (int32_t i = 0; i < p->members; ++i) {
    const int32_t v = solved->assignment[i];
    REQUIRE(v >= 0 && v < p->values && admits(p, i, v), "member %d may not take %d", i, v);
  }
  own_counts(p, solved->assignment, counts);
  REQUIRE(r->member_score == own_member_score(p, solved->assignment), "member score %.17g",
          r->member_score);
  REQUIRE(is_close(r->clique_score, own_clique_score(p, counts)), "clique score %.17g, it is %.17g",
          r->clique_score, own_clique_score(p, counts));
  REQUIRE(r->score == r->member_score + r->clique_score, "score %.17g is not the sum", r->score);
  REQUIRE(is_at_most(r->score, best), "score %.17g above the optimum %.17g", r->score, best);
  REQUIRE(!exact || is_at_most(best, r->score), "%s scores %.17g, the optimum is %.17g",
          chorale_algorithm_name(r->algorithm), r->score, best);
  const int closed = closes(
      r->score, own_magnitude(p, solved->assignment, r->clique_score), r->upper_bound, 1e-9);
  REQUIRE(r->proven == closed, "proven is %d, bound %.17g, score %.17g", r->proven, r->upper_bound,
          r->score);
}

static int is_refused(chorale_status status) {
  return status == CHORALE_ERROR_ALGORITHM_MISMATCH || status == CHORALE_ERROR_NOT_CONVEX ||
         status == CHORALE_ERROR_NOT_CONCAVE || status == CHORALE_ERROR_NOT_EXACT;
}

/* A call that ended by the callback must work when made again. */
static int was_stopped(Trial *trial, chorale_status status) {
  const int stopped = trial->caller.misbehaved;
  const chorale_status expected =
      trial->caller.how == 0 ? CHORALE_ERROR_CALLBACK_STOPPED : CHORALE_ERROR_CALLBACK_VALUE;
  REQUIRE(!stopped || status == expected, "the callback misbehaved, the status is %d", status);
  trial->caller.misbehaved = 0;
  return stopped;
}

static void check_solve(Trial *trial, Supply *supply, chorale_clique_solver *solver,
                        const chorale_potential *potential) {
  Solved solved;
  do
    FED(supply, solved.status,
        (solve(solver, potential, &trial->problem, &trial->options, &solved), solved.status),
        &solved.error);
  while (was_stopped(trial, solved.status));
  if (is_refused(solved.status))
    return;
  const double gap = trial->options.gap, tolerance = trial->options.tolerance;
  if (solved.status == CHORALE_ERROR_NOT_A_NUMBER || solved.status == CHORALE_ERROR_INFINITE ||
      solved.status == CHORALE_ERROR_OUT_OF_RANGE) {
    REQUIRE(!(fabs(gap) <= 1e280) || !(fabs(tolerance) <= 1e280), "%s", solved.error.message);
    return;
  }
  REQUIRE(solved.status == CHORALE_OK, "status %d: %s", solved.status, solved.error.message);
  check_legal(trial, &solved, must_be_exact(trial));
  if (!trial->is_hostile && !trial->is_limited && trial->options.gap <= 0)
    PASSES(check_result(&trial->problem, &trial->oracle, &trial->options, &solved,
                        must_be_exact(trial)));
  if (solved.assignment[0] == UNTOUCHED)
    return;
  chorale_clique_problem described;
  chorale_clique_result again;
  chorale_error error;
  describe_problem(&trial->problem, &described);
  again = (chorale_clique_result){.struct_size = sizeof again};
  chorale_status status;
  trial->caller.stop_at = 0;
  FED(supply, status,
      chorale_clique_score(solver, potential, &described, solved.assignment, &again, &error),
      &error);
  REQUIRE(status == CHORALE_OK && again.score == solved.result.score,
          "evaluated to %.17g, solved to %.17g", again.score, solved.result.score);
}

static void check_marginals(Trial *trial, Random *random, Supply *supply,
                            chorale_clique_solver *solver, const chorale_potential *potential) {
  const Problem *p = &trial->problem;
  const int32_t stride = p->values + random_int(random, 0, 2);
  double marginals[MAX_MEMBERS * MAX_STRIDE];
  Solved solved;
  chorale_clique_problem described;
  describe_problem(p, &described);
  chorale_clique_options options = trial->options;
  if (random_chance(random, 60))
    options.algorithm = CHORALE_ALGORITHM_AUTO;
  for (size_t k = 0; k < COUNT_OF(solved.assignment); ++k)
    solved.assignment[k] = UNTOUCHED;
  solved.result = (chorale_clique_result){.struct_size = sizeof solved.result};
  do
    FED(supply, solved.status,
        chorale_clique_max_marginals(solver, potential, &described, &options, marginals, stride,
                                     solved.assignment, &solved.result, &solved.error),
        &solved.error);
  while (was_stopped(trial, solved.status));
  if (solved.status != CHORALE_OK)
    return;
  check_legal(trial, &solved, 0);
  for (int32_t i = 0; i < p->members; ++i)
    for (int32_t v = 0; v < p->values; ++v) {
      const double found = marginals[i * stride + v];
      const double truth = trial->oracle.marginals[i * p->values + v];
      REQUIRE(is_at_most(found, truth), "marginal [%d][%d] %.17g, by enumeration %.17g", i, v,
              found, truth);
      REQUIRE(!solved.result.marginals_exact || is_close(found, truth),
              "exact marginal [%d][%d] %.17g, by enumeration %.17g", i, v, found, truth);
      if (solved.assignment[i] == v)
        REQUIRE(is_at_most(solved.result.score, found), "marginal [%d][%d] %.17g below %.17g", i, v,
                found, solved.result.score);
    }
}

/* ---- Many columns that nobody prefers ------------------------------------------------------ */

enum { MOST_COLUMNS = 300, MOST_SLOW = 60, COLUMN_STRIDE = MOST_COLUMNS + 2 };

/* Whether no count is forbidden, so that nobody has to take what is far worse. */
static int allows_all(const Problem *problem) {
  if (problem->kind == KIND_CALLBACK)
    return problem->salt % 4 != 0;
  for (int32_t v = 0; v < problem->table_count; ++v)
    for (int32_t k = 0; k < problem->length; ++k)
      if (problem->tables[v * MAX_LENGTH + k] == -INFINITY)
        return 0;
  return 1;
}

/* The same problem among columns that are forbidden or far worse: optimum and max-marginals are
 * those of the problem alone. */
static void check_wide(const Trial *trial, Random *random) {
  const Problem *p = &trial->problem;
  const Oracle *oracle = &trial->oracle;
  const int is_slow = p->kind >= KIND_MAJORITY; /* looks at all columns again and again */
  Wide wide = {p,
               random_int(random, is_slow ? 20 : 60, is_slow ? MOST_SLOW : MOST_COLUMNS),
               {0},
               random_chance(random, 50)};
  spread_values(random, p->values, (int32_t)wide.values, wide.column);
  const int may_be_worse = allows_all(p) && !some_member_is_stuck(p) && oracle->best > -INFINITY;
  const int32_t forbidden = may_be_worse ? random_int(random, 0, 2) * 50 : 100;
  const double worse = -16 * trial->magnitude;
  const int asks_marginals = random_chance(random, 25);
  static double scores[MAX_MEMBERS * COLUMN_STRIDE], marginals[MAX_MEMBERS * COLUMN_STRIDE];
  int32_t fixed[MAX_MEMBERS], start[MAX_MEMBERS];
  const int64_t stride = wide.values + random_int(random, 0, 2);
  Random noise = {(uint64_t)random_int(random, 0, 255)};
  for (int32_t i = 0; i < p->members; ++i) {
    for (int64_t v = 0; v < stride; ++v)
      scores[i * stride + v] = v >= wide.values ? NAN
                               : random_chance(&noise, forbidden)
                                   ? -INFINITY
                                   : worse * (1 + random_unit(&noise));
    for (int32_t v = 0; v < p->values; ++v)
      scores[i * stride + wide.column[v]] = score_of(p, i, v);
    fixed[i] = p->fixed[i] >= 0 ? wide.column[p->fixed[i]] : -1;
    start[i] = wide.column[trial->start[i]];
  }
  set_magnitude(64 * trial->magnitude);
  chorale_clique_options options = trial->options;
  options.start_value = wide.column[options.start_value];
  options.start_assignment = start;
  /* Of that many columns at once, all subsets are looked at. */
  options.subset_size = 1;
  chorale_clique_problem described;
  describe_problem(p, &described);
  described.values = wide.values;
  described.scores = scores;
  described.row_stride = stride;
  described.fixed = p->has_fixed ? fixed : NULL;
  chorale_error error;
  chorale_potential *potential = NULL;
  REQUIRE(make_wide_potential(&wide, NULL, &potential, &error) == CHORALE_OK, "%s", error.message);
  chorale_clique_solver *solver = new_solver();
  int32_t assignment[MAX_MEMBERS];
  chorale_clique_result result = {.struct_size = sizeof result};
  chorale_status status =
      chorale_clique_solve(solver, potential, &described, &options, assignment, &result, &error);
  const chorale_algorithm algorithm = options.algorithm;
  const int is_family = p->kind >= KIND_MAX_SHARED && p->kind <= KIND_MAJORITY;
  const int is_exact =
      !trial->is_limited && options.gap <= 0 &&
      (algorithm == CHORALE_ALGORITHM_EXACT_MAJORITY ||
       algorithm == CHORALE_ALGORITHM_CONCAVE_FLOW || algorithm == CHORALE_ALGORITHM_COUNT_BOXES ||
       (algorithm == CHORALE_ALGORITHM_AUTO && is_family));
  for (int32_t k = 0; k < 2; ++k) {
    REQUIRE(status == CHORALE_OK || is_refused(status) || status == CHORALE_ERROR_OUT_OF_RANGE ||
                status == CHORALE_ERROR_NOT_A_NUMBER || status == CHORALE_ERROR_INFINITE,
            "status %d: %s", status, error.message);
    if (status == CHORALE_OK) {
      REQUIRE(is_at_most(result.score, oracle->best) &&
                  is_at_most(oracle->best, result.upper_bound) &&
                  (!result.proven || is_close(result.score, oracle->best)),
              "among %lld columns score %.17g, bound %.17g, the optimum is %.17g",
              (long long)wide.values, result.score, result.upper_bound, oracle->best);
      REQUIRE(k == 1 || !is_exact || is_close(result.score, oracle->best),
              "among %lld columns %s scores %.17g, the optimum is %.17g", (long long)wide.values,
              chorale_algorithm_name(result.algorithm), result.score, oracle->best);
      REQUIRE(result.outcome != CHORALE_OUTCOME_INFEASIBLE || oracle->best == -INFINITY,
              "infeasible, yet a labelling scores %.17g", oracle->best);
    }
    /* Max-marginals of so many columns take as long as ten other inputs. */
    if (k == 1 || asks_marginals == 0)
      break;
    options.algorithm = CHORALE_ALGORITHM_AUTO;
    status = chorale_clique_max_marginals(solver, potential, &described, &options, marginals,
                                          COLUMN_STRIDE, assignment, &result, &error);
  }
  for (int32_t i = 0; asks_marginals && status == CHORALE_OK && i < p->members; ++i)
    for (int32_t v = 0; v < p->values; ++v) {
      const double found = marginals[i * COLUMN_STRIDE + wide.column[v]];
      const double truth = oracle->marginals[i * p->values + v];
      REQUIRE(is_at_most(found, truth) && (!result.marginals_exact || is_close(found, truth)),
              "among %lld columns marginal [%d][%d] %.17g, by enumeration %.17g, exact %d",
              (long long)wide.values, i, v, found, truth, result.marginals_exact);
    }
  chorale_clique_solver_destroy(solver);
  chorale_potential_release(potential);
}

/* ---- Members that count several times ------------------------------------------------------ */

enum { MOST_WEIGHTED = 4096 }; /* labellings */

/* Fewer members, whose weights sum to the number of members that the potential was drawn for. */
typedef struct Weighing {
  int32_t members;
  int64_t weights[MAX_MEMBERS];
  double best, marginals[MAX_MEMBERS * MAX_VALUES];
} Weighing;

static void draw_weights(Random *random, const Problem *p, Weighing *w) {
  int32_t labellings = p->values;
  w->members = 1;
  while (w->members < p->members && labellings * p->values <= MOST_WEIGHTED &&
         random_chance(random, 80)) {
    ++w->members;
    labellings *= p->values;
  }
  for (int32_t i = 0; i < w->members; ++i)
    w->weights[i] = 1;
  for (int32_t left = p->members - w->members; left > 0;) {
    const int32_t more = random_int(random, 1, left);
    w->weights[random_int(random, 0, w->members - 1)] += more;
    left -= more;
  }
}

/* Returns the score of a labelling, minus infinity if some member may not take its value. */
static double weighted_score(const Problem *p, const Weighing *w, const int32_t *assignment) {
  int64_t counts[MAX_VALUES] = {0};
  double sum = 0;
  for (int32_t i = 0; i < w->members; ++i) {
    if (!admits(p, i, assignment[i]))
      return -INFINITY;
    sum += score_of(p, i, assignment[i]);
    counts[assignment[i]] += w->weights[i];
  }
  return sum + own_clique_score(p, counts);
}

static void enumerate_weighted(const Problem *p, Weighing *w) {
  int32_t x[MAX_MEMBERS] = {0};
  w->best = -INFINITY;
  for (int32_t k = 0; k < w->members * MAX_VALUES; ++k)
    w->marginals[k] = -INFINITY;
  for (int32_t i = 0; i < w->members;) {
    const double score = weighted_score(p, w, x);
    w->best = fmax(w->best, score);
    for (i = 0; i < w->members; ++i)
      w->marginals[i * MAX_VALUES + x[i]] = fmax(w->marginals[i * MAX_VALUES + x[i]], score);
    for (i = 0; i < w->members && ++x[i] == p->values; ++i)
      x[i] = 0;
  }
}

static void check_weighted(Trial *trial, Random *random, Supply *supply,
                           chorale_clique_solver *solver, const chorale_potential *potential) {
  const Problem *p = &trial->problem;
  static Weighing w;
  draw_weights(random, p, &w);
  chorale_clique_problem described;
  describe_problem(p, &described);
  described.members = w.members;
  described.weights = w.weights;
  chorale_clique_options options = trial->options;
  if (random_chance(random, 50))
    options.algorithm = CHORALE_ALGORITHM_AUTO;
  const int is_spoiled = random_chance(random, 10);
  if (is_spoiled) {
    static const int64_t wrong[] = {0, -1, INT64_MIN, INT64_MAX, INT32_MAX, (int64_t)1 << 31};
    w.weights[random_int(random, 0, w.members - 1)] =
        wrong[random_int(random, 0, (int32_t)COUNT_OF(wrong) - 1)];
  }
  const int asks_marginals = random_chance(random, 50);
  double marginals[MAX_MEMBERS * MAX_VALUES];
  int32_t assignment[MAX_MEMBERS];
  chorale_clique_result result;
  chorale_error error;
  chorale_status status;
  result = (chorale_clique_result){.struct_size = sizeof result};
  for (size_t k = 0; k < COUNT_OF(marginals); ++k)
    marginals[k] = -INFINITY; /* limits leave them alone */
  trial->caller.stop_at = 0;
  FED(supply, status,
      asks_marginals
          ? chorale_clique_max_marginals(solver, potential, &described, &options, marginals,
                                         MAX_VALUES, assignment, &result, &error)
          : chorale_clique_solve(solver, potential, &described, &options, assignment, &result,
                                 &error),
      &error);
  if (is_spoiled) {
    REQUIRE(status != CHORALE_OK || w.members == 1, "weights that are none are taken");
    return;
  }
  const int is_served = (p->kind == KIND_POTTS || p->kind == KIND_ENTROPY) && p->lambda >= 0 &&
                        options.algorithm == CHORALE_ALGORITHM_AUTO && !options.exact_marginals;
  REQUIRE(status == CHORALE_OK || is_refused(status) || status == CHORALE_ERROR_NOT_A_NUMBER ||
              status == CHORALE_ERROR_INFINITE || status == CHORALE_ERROR_OUT_OF_RANGE ||
              (status == CHORALE_ERROR_WEIGHTS && !is_served),
          "status %d: %s", status, error.message);
  if (status != CHORALE_OK)
    return;
  enumerate_weighted(p, &w);
  REQUIRE(is_at_most(result.score, w.best) && is_at_most(w.best, result.upper_bound) &&
              (!result.proven || is_close(result.score, w.best)),
          "with weights score %.17g, bound %.17g, proven %d, the optimum is %.17g", result.score,
          result.upper_bound, result.proven, w.best);
  REQUIRE(result.outcome != CHORALE_OUTCOME_INFEASIBLE || w.best == -INFINITY,
          "infeasible, yet a labelling scores %.17g", w.best);
  REQUIRE(result.score == -INFINITY ||
              is_close(result.score, weighted_score(p, &w, assignment)),
          "with weights score %.17g, it is %.17g", result.score,
          weighted_score(p, &w, assignment));
  REQUIRE(options.algorithm != CHORALE_ALGORITHM_COUNT_BOXES || trial->is_limited ||
              options.gap > 0 || is_close(result.score, w.best),
          "with weights %.17g, the optimum is %.17g", result.score, w.best);
  for (int32_t i = 0; asks_marginals && i < w.members; ++i)
    for (int32_t v = 0; v < p->values; ++v) {
      const double found = marginals[i * MAX_VALUES + v], truth = w.marginals[i * MAX_VALUES + v];
      REQUIRE(is_at_most(found, truth) && (!result.marginals_exact || is_close(found, truth)),
              "with weights marginal [%d][%d] %.17g, by enumeration %.17g, exact %d", i, v, found,
              truth, result.marginals_exact);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Random random = open_input(data, size);
  draw_from(&random, data, size);
  static Trial trial;
  memset(&trial, 0, sizeof trial);
  const int32_t first = random_int(&random, 0, 17 * KIND_COUNT - 1);
  random_problem(&random, (Kind)(first % KIND_COUNT), &trial.problem);
  trial.problem.salt = (uint64_t)random_int(&random, 0, 1023);
  make_hostile(&random, &trial);
  trial.magnitude = magnitude_of(&trial.problem);
  set_magnitude(trial.magnitude);
  Supply supply;
  open_supply(&supply, &random, 0);
  chorale_error error;
  chorale_cancel *cancel = NULL;
  chorale_status status;
  FED(&supply, status, chorale_cancel_create(&supply.host, &cancel, &error), &error);
  chorale_cancel_raise(cancel);
  make_options(&random, &trial, cancel);
  if (getenv("CHORALE_FUZZ_VERBOSE")) {
    dump_problem(stderr, &trial.problem);
    fprintf(stderr, "  %s, start %d, gap %g, exact %d, limits %lld %lld\n",
            chorale_algorithm_name(trial.options.algorithm), trial.options.start, trial.options.gap,
            trial.options.exact_marginals, (long long)trial.options.iteration_limit,
            (long long)trial.options.node_limit);
  }
  trial.caller.problem = &trial.problem;
  trial.caller.stop_at = random_chance(&random, 30) ? random_int(&random, 1, 40) : 0;
  trial.caller.how = random_int(&random, 0, 2);
  chorale_potential *potential = NULL;
  FED(&supply, status, open_potential(&trial, &supply.host, &potential, &error), &error);
  if (status != CHORALE_OK)
    REQUIRE(trial.is_hostile && status == CHORALE_ERROR_OUT_OF_RANGE && !potential, "%s",
            error.message);
  if (potential) {
    enumerate(&trial.problem, &trial.oracle);
    chorale_clique_solver *solver = NULL;
    FED(&supply, status, chorale_clique_solver_create(&supply.host, &solver, &error), &error);
    check_solve(&trial, &supply, solver, potential);
    check_marginals(&trial, &random, &supply, solver, potential);
    if (trial.problem.kind != KIND_CALLBACK)
    if (first / KIND_COUNT >= 15 && !trial.is_hostile)
      check_wide(&trial, &random);
    set_magnitude(trial.magnitude);
    if (trial.problem.members > 0)
      check_weighted(&trial, &random, &supply, solver, potential);
    chorale_clique_solver_destroy(solver);
  }
  chorale_potential_release(potential);
  chorale_cancel_destroy(cancel);
  close_supply(&supply);
  draw_from(NULL, NULL, 0);
  return 0;
}
