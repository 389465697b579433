/* Numbers from one end of their range to the other, ties everywhere, no allowed labelling, a single
 * member or label: results must be right, by enumeration. */
#include "fixture_cluster.h"

/* ---- Problems of any magnitude ------------------------------------------------------------ */

/* Exponents of powers of two. They scale scores without rounding, except the lowest, at which
 * digits are lost. */
static const int kExponents[] = {-1060, -1000, -300, 0, 300, 900};

/* True if results are checked after dividing by the factor, since the tolerances of the tests are
 * for numbers around 1. Not if digits are lost. */
static int judged_without(int exponent) { return exponent >= -1000 ? exponent : 0; }

static const chorale_algorithm kAlgorithms[] = {
    CHORALE_ALGORITHM_AUTO,
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
    CHORALE_ALGORITHM_DUAL_BOUND,
};

static int is_exact(chorale_algorithm algorithm) {
  return algorithm == CHORALE_ALGORITHM_EXACT_MAJORITY ||
         algorithm == CHORALE_ALGORITHM_CONCAVE_FLOW || algorithm == CHORALE_ALGORITHM_COUNT_BOXES;
}

typedef struct Magnitude {
  int exponent; /* of the factor */
  int64_t tried;
} Magnitude;

static void take_out(int exponent, chorale_clique_result *result) {
  result->score = ldexp(result->score, -exponent);
  result->member_score = ldexp(result->member_score, -exponent);
  result->clique_score = ldexp(result->clique_score, -exponent);
  result->upper_bound = ldexp(result->upper_bound, -exponent);
}

/* Checks every algorithm that applies, and max-marginals, against enumeration. */
static const char *check_problem(const Problem *original, void *context) {
  Magnitude *magnitude = context;
  const int factor = judged_without(magnitude->exponent);
  Oracle oracle;
  static Problem scaled, judged;
  const Problem *problem = &scaled;
  scaled = judged = *original;
  scale_problem(&scaled, ldexp(1, magnitude->exponent));
  scale_problem(&judged, ldexp(1, magnitude->exponent - factor));
  enumerate(&judged, &oracle);
  chorale_error error;
  chorale_potential *potential = NULL;
  chorale_clique_solver *solver = new_solver();
  OK(make_potential(problem, NULL, &potential, &error));
  const char *why = NULL;
  Solved solved;
  for (size_t k = 0; k < COUNT_OF(kAlgorithms) && !why; ++k) {
    chorale_clique_options options;
    options_of(kAlgorithms[k], &options);
    solve(solver, potential, problem, &options, &solved);
    if (solved.status == CHORALE_ERROR_ALGORITHM_MISMATCH ||
        solved.status == CHORALE_ERROR_NOT_CONVEX || solved.status == CHORALE_ERROR_NOT_CONCAVE)
      continue;
    ++magnitude->tried;
    take_out(factor, &solved.result);
    /* Gaps are not checked for numbers that have lost digits. */
    why = check_result(&judged, &oracle, &options, &solved,
                       is_exact(kAlgorithms[k]) && magnitude->exponent >= -1000);
    if (why) {
      char copy[512];
      (void)snprintf(copy, sizeof copy, "%s", why);
      why = complain("%s: %s", chorale_algorithm_name(kAlgorithms[k]), copy);
    }
  }
  chorale_clique_problem described;
  describe_problem(problem, &described);
  double marginals[MAX_MEMBERS * MAX_VALUES];
  chorale_clique_result result = {.struct_size = sizeof result};
  if (!why)
    OK(chorale_clique_max_marginals(solver, potential, &described, NULL, marginals, problem->values,
                                    NULL, &result, &error));
  for (int32_t i = 0; i < problem->members * problem->values && !why; ++i) {
    const double truth = oracle.marginals[i], found = ldexp(marginals[i], -factor);
    if (isnan(found) || !is_at_most(found, truth) ||
        (result.marginals_exact && !is_close(found, truth)))
      why = complain("marginal %d is %.17g, it is %.17g (exact: %d)", i, found, truth,
                     result.marginals_exact);
  }
  chorale_clique_solver_destroy(solver);
  chorale_potential_release(potential);
  return why;
}

static void cliques_of_any_magnitude(void **state) {
  (void)state;
  Random random = {test_seed() + 81};
  Magnitude magnitude = {0, 0};
  for (Kind kind = KIND_POTTS; kind < KIND_CALLBACK; kind = (Kind)(kind + 1))
    for (int64_t round = 0; round < test_rounds(60); ++round) {
      Problem problem;
      random_problem(&random, kind, &problem);
      if (round % 2)
        break_ties(&random, &problem);
      for (size_t k = 0; k < COUNT_OF(kExponents); ++k) {
        char where[64];
        magnitude.exponent = kExponents[k];
        (void)snprintf(where, sizeof where, "round %lld, 2^%d", (long long)round, kExponents[k]);
        check_one(&problem, check_problem, &magnitude, where);
      }
    }
  print_message("%lld solved\n", (long long)magnitude.tried);
  assert_true(magnitude.tried > 100);
}

/* Scores of very different magnitudes: errors of exact algorithms are at most rounding errors of
 * the largest terms. */
static const char *check_mixed(const Problem *problem, void *context) {
  int64_t *tried = context;
  Oracle oracle;
  enumerate(problem, &oracle);
  if (oracle.best == -INFINITY)
    return NULL;
  double rounding = 0;
  for (int32_t i = 0; i < problem->members; ++i)
    for (int32_t v = 0; v < problem->values; ++v)
      if (admits(problem, i, v))
        rounding = fmax(rounding, fabs(score_of(problem, i, v)));
  rounding = fmax(rounding, fabs(problem->lambda));
  for (size_t k = 0; k < COUNT_OF(problem->matrix); ++k)
    rounding = fmax(rounding, fabs(problem->matrix[k]));
  for (size_t k = 0; k < COUNT_OF(problem->tables); ++k)
    if (isfinite(problem->tables[k]))
      rounding = fmax(rounding, fabs(problem->tables[k]));
  rounding *= 1e-13 * problem->members * problem->members;
  chorale_error error;
  chorale_potential *potential = NULL;
  chorale_clique_solver *solver = new_solver();
  OK(make_potential(problem, NULL, &potential, &error));
  const char *why = NULL;
  for (size_t k = 0; k < COUNT_OF(kAlgorithms) && !why; ++k) {
    chorale_clique_options options;
    Solved solved;
    options_of(kAlgorithms[k], &options);
    solve(solver, potential, problem, &options, &solved);
    if (solved.status != CHORALE_OK || solved.result.score == -INFINITY)
      continue;
    ++*tried;
    /* The tolerance of "proven" depends on the terms of the labelling found. */
    const double allowed =
        rounding + 1e-9 * own_magnitude(problem, solved.assignment, solved.result.clique_score);
    if (solved.result.upper_bound < oracle.best - allowed)
      why =
          complain("%s: bound %.17g, the optimum is %.17g", chorale_algorithm_name(kAlgorithms[k]),
                   solved.result.upper_bound, oracle.best);
    if ((solved.result.proven || is_exact(kAlgorithms[k])) &&
        !(solved.result.score >= oracle.best - allowed))
      why = complain("%s: score %.17g, the optimum is %.17g, proven %d",
                     chorale_algorithm_name(kAlgorithms[k]), solved.result.score, oracle.best,
                     solved.result.proven);
  }
  chorale_clique_solver_destroy(solver);
  chorale_potential_release(potential);
  return why;
}

static void cliques_of_mixed_magnitudes(void **state) {
  (void)state;
  static const double sizes[] = {1e-15, 1e-15, 1e-7, 1, 1e5};
  Random random = {test_seed() + 85};
  int64_t tried = 0;
  for (Kind kind = KIND_POTTS; kind < KIND_CALLBACK; kind = (Kind)(kind + 1))
    for (int64_t round = 0; round < test_rounds(200); ++round) {
      Problem problem;
      random_problem(&random, kind, &problem);
      break_ties(&random, &problem);
      const int32_t largest = random_int(&random, 0, COUNT_OF(sizes) - 1);
      const double of_potential = sizes[random_int(&random, 0, largest)];
      problem.lambda *= of_potential;
      for (size_t k = 0; k < COUNT_OF(problem.tables); ++k)
        problem.tables[k] *= of_potential;
      for (size_t k = 0; k < COUNT_OF(problem.matrix); ++k)
        problem.matrix[k] *= of_potential;
      for (size_t k = 0; k < COUNT_OF(problem.bias); ++k)
        problem.bias[k] *= of_potential;
      for (int32_t i = 0; i < problem.members; ++i) {
        const double of_member = sizes[random_int(&random, 0, largest)];
        const int is_mixed = random_chance(&random, 30);
        for (int32_t v = 0; v < problem.values; ++v)
          problem.scores[i * problem.row_stride + v] *=
              is_mixed ? sizes[random_int(&random, 0, largest)] : of_member;
      }
      char where[64];
      (void)snprintf(where, sizeof where, "round %lld", (long long)round);
      check_one(&problem, check_mixed, &tried, where);
    }
  assert_true(tried > 100);
}

/* ---- Ties, forbidden rows, one of everything ---------------------------------------------- */

static void degenerate_cliques(void **state) {
  (void)state;
  static const double everywhere[] = {0, 1, -1, 1e280, -1e280, 5e-324, -INFINITY};
  Random random = {test_seed() + 83};
  Magnitude magnitude = {0, 0};
  for (Kind kind = KIND_POTTS; kind < KIND_COUNT; kind = (Kind)(kind + 1))
    for (int32_t members = 1; members <= 4; ++members)
      for (int32_t values = kind == KIND_CARDINALITY ? 2 : 1; values <= 3; ++values)
        for (size_t e = 0; e <= COUNT_OF(everywhere); ++e) {
          Problem problem;
          random_problem_of(&random, kind, members, values, &problem);
          for (int32_t i = 0; i < problem.members * problem.row_stride; ++i)
            if (i % problem.row_stride < problem.values && e < COUNT_OF(everywhere))
              problem.scores[i] = everywhere[e];
          if (e == COUNT_OF(everywhere)) /* one row forbidden */
            for (int32_t v = 0; v < problem.values; ++v)
              problem.scores[v] = -INFINITY;
          char where[64];
          (void)snprintf(where, sizeof where, "%d members, %d values, %zu", members, values, e);
          check_one(&problem, check_problem, &magnitude, where);
        }
  assert_true(magnitude.tried > 100);
}

/* ---- Chains ------------------------------------------------------------------------------- */

/* Checks the best labelling, the k best and every marginal by enumeration: to the bit if scores are
 * multiples of 1/4 times a power of two. */
static const char *check_sample(const Sample *sample, chorale_chain_solver *solver,
                                int is_exact_sum) {
  enum { K = 3 };
  const int32_t T = sample->length, m = sample->labels;
  static Given given;
  chorale_error error;
  give(sample, &given);
  double best = -INFINITY, marginals[SPACE], truth[SPACE], scores[K] = {0};
  int32_t labelling[MOST_POSITIONS] = {0}, labellings[K * MOST_POSITIONS] = {0};
  for (int32_t i = 0; i < T * m; ++i)
    truth[i] = -INFINITY;
  for (int32_t index = 0; index < labelling_count(sample); ++index) {
    labelling_at(sample, index, labelling);
    const double phi = own_phi(sample, labelling);
    best = fmax(best, phi);
    for (int32_t t = 0; t < T; ++t)
      truth[t * m + labelling[t]] = fmax(truth[t * m + labelling[t]], phi);
  }
  int64_t found = 0;
  chorale_chain_result result = {.struct_size = sizeof result};
  OK(chorale_chain_solve(solver, &given.chain, labelling, &result, &error));
  OK(chorale_chain_max_marginals(solver, &given.chain, marginals, 0, NULL, NULL, NULL, NULL,
                                 &error));
  const char *why = NULL;
  if (is_exact_sum ? result.score != best : !is_close(result.score, best))
    why = complain("best %.17g, it is %.17g", result.score, best);
  else if (result.score > -INFINITY && own_phi(sample, labelling) != result.score)
    why = complain("a labelling of %.17g is said to score %.17g", own_phi(sample, labelling),
                   result.score);
  for (int32_t i = 0; i < T * m && !why; ++i)
    if (isnan(marginals[i]) ||
        (is_exact_sum ? marginals[i] != truth[i] : !is_close(marginals[i], truth[i])))
      why = complain("marginal %d is %.17g, it is %.17g", i, marginals[i], truth[i]);
  if (!why && !sample->is_tree) {
    OK(chorale_chain_k_best(solver, &given.chain, K, labellings, MOST_POSITIONS, scores, &found,
                            &error));
    if ((found > 0) != (best > -INFINITY) || (found > 0 && scores[0] != result.score))
      why = complain("%lld best, the first %.17g", (long long)found, scores[0]);
    for (int64_t k = 0; k < found && !why; ++k)
      if (own_phi(sample, labellings + k * MOST_POSITIONS) != scores[k] ||
          (k > 0 && scores[k] > scores[k - 1]))
        why = complain("labelling %lld of the best has %.17g", (long long)k, scores[k]);
  }
  take_back(&given);
  return why;
}

static void chains_of_any_magnitude(void **state) {
  (void)state;
  Random random = {test_seed() + 84};
  chorale_error error;
  chorale_chain_solver *solver = NULL;
  OK(chorale_chain_solver_create(NULL, &solver, &error));
  for (int64_t round = 0; round < test_rounds(1500); ++round) {
    static Sample sample;
    random_sample(&random, round % 3 == 0, &sample);
    const int way = random_int(&random, 0, 5); /* 1: ties, 2: a member without allowed value */
    for (int32_t t = 0; t < sample.length; ++t)
      for (int32_t y = 0; y < sample.labels; ++y)
        if (way == 1)
          sample.unary[t][y] = 0.25;
        else if (way == 2 && t == sample.length / 2)
          sample.unary[t][y] = -INFINITY;
    for (size_t k = 0; k < COUNT_OF(kExponents); ++k) {
      Sample scaled = sample;
      scale_sample(&scaled, ldexp(1, kExponents[k]));
      const char *why = check_sample(&scaled, solver, !sample.is_real);
      if (why) {
        print_sample(&scaled);
        fail_msg("CHORALE_TEST_SEED=%llu, round %lld, 2^%d: %s", (unsigned long long)test_seed(),
                 (long long)round, kExponents[k], why);
      }
    }
  }
  chorale_chain_solver_destroy(solver);
}

/* ---- Models ------------------------------------------------------------------------------- */

/* Checks equation 1 of the final result, divided by the factor. */
static const char *check_totals(const Cluster *judged, const ClusterTruth *truth, int factor,
                                chorale_run *run, const chorale_run_result *result) {
  const double score = ldexp(result->score, -factor), bound = ldexp(result->upper_bound, -factor);
  if (isnan(score) || isnan(bound) || result->score < result->own_score)
    return complain("score %.17g, bound %.17g, own %.17g", score, bound, result->own_score);
  if (!is_at_most(score, truth->best_any) || !is_at_most(truth->best, bound))
    return complain("score %.17g, bound %.17g, the optimum is %.17g", score, bound, truth->best);
  if (result->score == -INFINITY)
    return NULL;
  Labelling labels;
  Parts parts;
  chorale_error error;
  memset(labels, 0, sizeof labels);
  for (int32_t i = 0; i < judged->chain_count; ++i)
    OK(chorale_run_labels(run, i, CHORALE_TOGETHER, labels[i], MOST_POSITIONS, NULL, &error));
  own_parts(judged, labels, &parts);
  return is_close(parts.total, score)
             ? NULL
             : complain("a labelling of %.17g is said to score %.17g", parts.total, score);
}

/* Argument of a check: the factor, and whether message passing is exact on the model. */
typedef struct Scaled {
  Magnitude magnitude;
  int must_be_optimal;
} Scaled;

static const char *check_scaled(const Cluster *cluster, void *context) {
  Scaled *how = context;
  const int exponent = how->magnitude.exponent, factor = judged_without(exponent);
  static Cluster scaled, judged;
  static Built built;
  ClusterTruth truth;
  scaled = judged = *cluster;
  if (!scale_cluster(&scaled, ldexp(1, exponent)) ||
      !scale_cluster(&judged, ldexp(1, exponent - factor)) || !enumerate_cluster(&judged, &truth))
    return NULL;
  if (how->must_be_optimal && (!truth.is_unique || truth.left_out > 0 || !truth.own_is_decodable))
    return NULL;
  if (how->must_be_optimal)
    scaled.options.rounds = 2 * cluster->clique_count + 2;
  ++how->magnitude.tried;
  chorale_error error;
  chorale_run *run = NULL;
  chorale_run_result result = {.struct_size = sizeof result};
  build(&scaled, NULL, &built);
  OK(chorale_run_create(NULL, built.model, &scaled.options, NULL, &run, &error));
  OK(chorale_run_solve(run, &result, &error));
  static Said said;
  listen_to(&scaled, run, &said);
  const char *why = factor == 0         ? check_run(&scaled, &truth, run, &result)
                    : said.undecided > 0 ? NULL
                                        : check_totals(&judged, &truth, factor, run, &result);
  if (!why && how->must_be_optimal && !is_at_most(truth.best, ldexp(result.score, -factor)))
    why = complain("score %.17g, the optimum is %.17g", ldexp(result.score, -factor), truth.best);
  chorale_run_destroy(run);
  close_built(&scaled, &built);
  return why;
}

static void models_of_any_magnitude(void **state) {
  (void)state;
  for (size_t k = 0; k < COUNT_OF(kExponents); ++k) {
    Scaled how = {{kExponents[k], 0}, 0};
    char name[32];
    (void)snprintf(name, sizeof name, "times 2^%d", kExponents[k]);
    check_clusters(name, test_rounds(300), random_cluster, check_scaled, &how);
    print_message("%s: %lld models\n", name, (long long)how.magnitude.tried);
    assert_true(how.magnitude.tried > 0);
  }
}

/* Checks that the optimum is found on models on which message passing is exact. */
static void exact_models_of_any_magnitude(void **state) {
  (void)state;
  for (size_t k = 0; k < COUNT_OF(kExponents); ++k) {
    Scaled how = {{kExponents[k], 0}, 1};
    if (kExponents[k] < -1000) /* digits are lost: the optimum may differ */
      continue;
    check_clusters("exact", test_rounds(300), random_exact_cluster, check_scaled, &how);
    assert_true(how.magnitude.tried > 0);
  }
}

/* ---- Sums at the limit -------------------------------------------------------------------- */

/* Sums of many of the largest allowed scores, in chains, messages, potentials and bounds, must be
 * finite. */
static void sums_of_the_largest_scores_are_finite(void **state) {
  (void)state;
  enum { CHAINS = 40, LENGTH = 300, LABELS = 3 };
  static double scores[LENGTH * LABELS];
  for (int sign = -1; sign <= 1; sign += 2)
    for (int32_t number = 0; number < 2; ++number) {
      static const chorale_message_element numbers[] = {CHORALE_MESSAGES_FLOAT64,
                                                       CHORALE_MESSAGES_MAGNITUDE16};
      chorale_error error;
      chorale_potential *potential = NULL;
      chorale_model_builder *builder = NULL;
      chorale_model *model = NULL;
      chorale_run *run = NULL;
      OK(chorale_potential_create_potts(NULL, LABELS, sign * 1e280, NULL, &potential, &error));
      OK(chorale_model_builder_create(NULL, &builder, &error));
      chorale_clique_setup setup = {.struct_size = sizeof setup};
      setup.potential = potential;
      OK(chorale_model_builder_add_cliques(builder, &setup, 1, NULL, &error));
      OK(chorale_model_builder_add_cliques(builder, &setup, 1, NULL, &error));
      for (int32_t i = 0; i < CHAINS; ++i) {
        chorale_chain chain = {.struct_size = sizeof chain};
        chain.length = LENGTH;
        chain.labels = LABELS;
        chain.unary = scores;
        for (int32_t k = 0; k < LENGTH * LABELS; ++k)
          scores[k] = (k + i) % LABELS == 0 ? 1e280 : -1e280;
        OK(chorale_model_builder_add_chain(builder, &chain, NULL, NULL, &error));
        for (int32_t t = 0; t < 20; ++t)
          OK(put_position(builder, t % 2, i, t, &error));
      }
      OK(chorale_model_builder_freeze(builder, &model, &error));
      chorale_run_options options = {.struct_size = sizeof options};
      options.bound_steps = 3;
      options.message_element = numbers[number];
      OK(chorale_run_create(NULL, model, &options, NULL, &run, &error));
      chorale_run_result result = {.struct_size = sizeof result};
      OK(chorale_run_solve(run, &result, &error));
      assert_true(isfinite(result.score) && isfinite(result.upper_bound) &&
                  isfinite(result.own_score) && isfinite(result.gap));
      assert_true(result.own_score >= CHAINS * (LENGTH - 1) * 1e280 + (sign < 0 ? -1e286 : 0));
      assert_true(result.score >= result.own_score && result.upper_bound >= result.score);
      double marginals[LENGTH * LABELS];
      OK(chorale_run_max_marginals(run, 7, marginals, 0, NULL, &error));
      for (int32_t k = 0; k < LENGTH * LABELS; ++k)
        if (!isfinite(marginals[k]))
          fail_msg("messages %d, sign %d: marginal %d is %g", numbers[number], sign, k,
                   marginals[k]);
      OK(chorale_run_probabilities(run, 7, 1, marginals, 0, NULL, &error));
      for (int32_t k = 0; k < LENGTH * LABELS; ++k)
        assert_true(marginals[k] >= 0 && marginals[k] <= 1);
      chorale_run_destroy(run);
      chorale_model_release(model);
      chorale_model_builder_destroy(builder);
      chorale_potential_release(potential);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cliques_of_any_magnitude),
      cmocka_unit_test(cliques_of_mixed_magnitudes),
      cmocka_unit_test(degenerate_cliques),
      cmocka_unit_test(chains_of_any_magnitude),
      cmocka_unit_test(models_of_any_magnitude),
      cmocka_unit_test(exact_models_of_any_magnitude),
      cmocka_unit_test(sums_of_the_largest_scores_are_finite),
  };
  print_message("CHORALE_TEST_SEED=%llu\n", (unsigned long long)test_seed());
  return cmocka_run_group_tests_name("hostile numbers", tests, NULL, NULL);
}
