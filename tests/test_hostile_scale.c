/* Multiplying all scores by a power of two changes nothing else: labellings, outcomes and counts of
 * work are equal, and every returned number is multiplied by that power, to the bit, from 1e-280 to
 * 1e270. */
#include "fixture_cluster.h"

/* Exponents of powers of two. Absolute tolerances would fail at the small ones, number ranges
 * narrower than double precision at the others. */
static const int kExponents[] = {-920, -200, -60, -33, -20, 20, 40, 200, 880};

static int is_scaled(double one, double other, int exponent) {
  return ldexp(one, exponent) == other || (isnan(one) && isnan(other));
}

static void fail_scaled(int64_t round, int exponent, const char *what) {
  fail_msg("CHORALE_TEST_SEED=%llu, round %lld, times 2^%d: %s", (unsigned long long)test_seed(),
           (long long)round, exponent, what);
}

/* ---- Cliques ------------------------------------------------------------------------------ */

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

static const char *compare_results(const chorale_clique_result *a, const chorale_clique_result *b,
                                   int exponent) {
  if (a->outcome != b->outcome || a->algorithm != b->algorithm || a->proven != b->proven ||
      a->marginals_exact != b->marginals_exact || a->iterations != b->iterations ||
      a->nodes != b->nodes)
    return complain("outcome %d and %d, proven %d and %d, exact %d and %d, iterations %lld and "
                    "%lld, nodes %lld and %lld",
                    a->outcome, b->outcome, a->proven, b->proven, a->marginals_exact,
                    b->marginals_exact, (long long)a->iterations, (long long)b->iterations,
                    (long long)a->nodes, (long long)b->nodes);
  if (!is_scaled(a->score, b->score, exponent) ||
      !is_scaled(a->member_score, b->member_score, exponent) ||
      !is_scaled(a->clique_score, b->clique_score, exponent) ||
      !is_scaled(a->upper_bound, b->upper_bound, exponent))
    return complain("score %.17g and %.17g, bound %.17g and %.17g", a->score, b->score,
                    a->upper_bound, b->upper_bound);
  return NULL;
}

static const char *does_not_fit(chorale_status status) {
  return status == CHORALE_ERROR_ALGORITHM_MISMATCH || status == CHORALE_ERROR_NOT_CONVEX ||
                 status == CHORALE_ERROR_NOT_CONCAVE || status == CHORALE_ERROR_NOT_EXACT
             ? NULL
             : complain("%s", chorale_status_name(status));
}

/* A clique at two scales: its matrix, and the potential at both factors. */
typedef struct Pair {
  chorale_clique_problem problems[2];
  chorale_potential *potentials[2];
  int exponent;
} Pair;

enum { MOST_ENTRIES = 2600 * 6 };

/* Compares both cliques by one algorithm. `fits` counts the algorithms that apply. */
static const char *compare_pair(chorale_clique_solver *solver, const Pair *pair,
                                const chorale_clique_options *options, int64_t *fits) {
  static int32_t assignments[2][MOST_ENTRIES];
  chorale_clique_result results[2];
  chorale_status status[2];
  const int64_t n = pair->problems[0].members;
  for (int k = 0; k < 2; ++k) {
    chorale_error error;
    for (int64_t i = 0; i < n; ++i)
      assignments[k][i] = UNTOUCHED;
    results[k] = (chorale_clique_result){.struct_size = sizeof results[k]};
    status[k] = chorale_clique_solve(solver, pair->potentials[k], &pair->problems[k], options,
                                     assignments[k], &results[k], &error);
  }
  if (status[0] != status[1])
    return complain("%s and %s", chorale_status_name(status[0]), chorale_status_name(status[1]));
  if (status[0] != CHORALE_OK)
    return does_not_fit(status[0]);
  ++*fits;
  if (memcmp(assignments[0], assignments[1], (size_t)n * sizeof(int32_t)) != 0)
    return complain("other values; score %.17g and %.17g", results[0].score, results[1].score);
  return compare_results(&results[0], &results[1], pair->exponent);
}

static const char *compare_marginals(chorale_clique_solver *solver, const Pair *pair,
                                     const chorale_clique_options *options, int64_t *fits) {
  static double marginals[2][MOST_ENTRIES];
  chorale_clique_result results[2];
  chorale_status status[2];
  const int64_t entries = pair->problems[0].members * pair->problems[0].values;
  for (int k = 0; k < 2; ++k) {
    chorale_error error;
    results[k] = (chorale_clique_result){.struct_size = sizeof results[k]};
    status[k] = chorale_clique_max_marginals(solver, pair->potentials[k], &pair->problems[k],
                                             options, marginals[k], pair->problems[k].values, NULL,
                                             &results[k], &error);
  }
  if (status[0] != status[1])
    return complain("%s and %s", chorale_status_name(status[0]), chorale_status_name(status[1]));
  if (status[0] != CHORALE_OK)
    return does_not_fit(status[0]);
  ++*fits;
  for (int64_t e = 0; e < entries; ++e)
    if (!is_scaled(marginals[0][e], marginals[1][e], pair->exponent))
      return complain("marginal %lld is %.17g and %.17g", (long long)e, marginals[0][e],
                      marginals[1][e]);
  return compare_results(&results[0], &results[1], pair->exponent);
}

/* Compares every algorithm and gap, and max-marginals. */
static const char *compare_all(chorale_clique_solver *solver, const Pair *pair, int64_t node_limit,
                               int has_marginals, int64_t *fits) {
  static const double gaps[] = {-1, 0, 0.01};
  char name[512];
  const char *why = NULL;
  chorale_clique_options options;
  for (size_t k = 0; k < COUNT_OF(kAlgorithms) && !why; ++k)
    for (size_t g = 0; g < COUNT_OF(gaps) && !why; ++g) {
      options_of(kAlgorithms[k], &options);
      ask_gap(&options, gaps[g]);
      options.node_limit = node_limit;
      options.start = g == 1 ? CHORALE_START_ALPHA_PASS : CHORALE_START_INDEPENDENT;
      why = compare_pair(solver, pair, &options, fits);
      (void)snprintf(name, sizeof name, "%s, gap %g: %s", chorale_algorithm_name(kAlgorithms[k]),
                     gaps[g], why ? why : "");
    }
  static const chorale_algorithm answering[] = {
      CHORALE_ALGORITHM_AUTO, CHORALE_ALGORITHM_ALPHA_PASS, CHORALE_ALGORITHM_EXACT_MAJORITY,
      CHORALE_ALGORITHM_CONCAVE_FLOW, CHORALE_ALGORITHM_COUNT_BOXES};
  for (size_t k = 0; has_marginals && k < COUNT_OF(answering) && !why; ++k)
    for (int32_t exact = 0; exact < 2 && !why; ++exact) {
      options_of(answering[k], &options);
      options.exact_marginals = exact;
      options.node_limit = node_limit;
      why = compare_marginals(solver, pair, &options, fits);
      (void)snprintf(name, sizeof name, "marginals, %s, exact %d: %s",
                     chorale_algorithm_name(answering[k]), exact, why ? why : "");
    }
  return why ? complain("%s", name) : NULL;
}

static void small_cliques(void **state) {
  (void)state;
  Random random = {test_seed() + 181};
  chorale_clique_solver *solver = new_solver();
  int64_t fits = 0;
  for (Kind kind = KIND_POTTS; kind < KIND_CALLBACK; kind = (Kind)(kind + 1))
    for (int64_t round = 0; round < test_rounds(60); ++round) {
      Problem problem;
      random_problem(&random, kind, &problem);
      if (round % 3)
        break_ties(&random, &problem);
      for (size_t k = 0; k < COUNT_OF(kExponents); ++k) {
        chorale_error error;
        Pair pair = {.exponent = kExponents[k]};
        Problem scaled = problem;
        scale_problem(&scaled, ldexp(1, pair.exponent));
        OK(make_potential(&problem, NULL, &pair.potentials[0], &error));
        OK(make_potential(&scaled, NULL, &pair.potentials[1], &error));
        describe_problem(&problem, &pair.problems[0]);
        describe_problem(&scaled, &pair.problems[1]);
        const char *why = compare_all(solver, &pair, 0, 1, &fits);
        if (why) {
          dump_problem(stderr, &problem);
          fail_scaled(round, pair.exponent, why);
        }
        chorale_potential_release(pair.potentials[0]);
        chorale_potential_release(pair.potentials[1]);
      }
    }
  chorale_clique_solver_destroy(solver);
  print_message("%lld answers\n", (long long)fits);
  assert_true(fits > 100);
}

/* Large enough for all parts of the search: bounds on passes, epochs of moves and branching. */
typedef enum Family { POTTS, ENTROPY, TABLES, LARGEST, MAJORITY, PAIRS, CALLBACK, FAMILIES } Family;

static int32_t call_counts(void *user, const int64_t *counts, int64_t values, int64_t members,
                           double *score) {
  double sum = 0;
  for (int64_t v = 0; v < values; ++v)
    sum += (double)(counts[v] * counts[v] % (7 + v)) - (double)v;
  *score = ldexp(sum, *(const int *)user) / (double)members;
  return 0;
}

static chorale_potential *large_potential(Family family, int32_t members, int32_t values,
                                          uint64_t seed, int *exponent) {
  static double numbers[MOST_ENTRIES];
  Random random = {seed};
  const int32_t length = members + 1;
  for (int32_t k = 0; k < MOST_ENTRIES; ++k)
    numbers[k] = ldexp(random_unit(&random) - 0.25, *exponent);
  const double lambda = ldexp(0.8 + 0.2 * random_unit(&random), *exponent);
  chorale_potential_options options = {.struct_size = sizeof options};
  chorale_error error;
  chorale_potential *made = NULL;
  switch (family) {
  case POTTS:
    options.scale = CHORALE_SCALE_BY_MEMBERS;
    OK(chorale_potential_create_potts(NULL, values, lambda, &options, &made, &error));
    break;
  case ENTROPY:
    options.scale = CHORALE_SCALE_BY_LOG_MEMBERS;
    OK(chorale_potential_create_entropy(NULL, values, lambda, &options, &made, &error));
    break;
  case TABLES:
    OK(chorale_potential_create_sum(NULL, values, numbers, values, length, length, NULL, &made,
                                    &error));
    break;
  case LARGEST:
    OK(chorale_potential_create_max(NULL, values, numbers, values, length, length, NULL, &made,
                                    &error));
    break;
  case MAJORITY:
    OK(chorale_potential_create_majority(NULL, values, numbers, values, numbers + values * values,
                                         NULL, &made, &error));
    break;
  case PAIRS:
    options.scale = CHORALE_SCALE_BY_MEMBERS;
    OK(chorale_potential_create_pairs(NULL, values, numbers, values, &options, &made, &error));
    break;
  default:
    OK(chorale_potential_create_callback(NULL, values, call_counts, exponent, NULL, NULL, &made,
                                         &error));
    break;
  }
  return made;
}

static void large_cliques(void **state) {
  (void)state;
  static const int32_t sizes[][2] = {{20, 6}, {40, 5}, {300, 6}, {2600, 4}};
  static double scores[2][MOST_ENTRIES];
  Random random = {test_seed() + 182};
  chorale_clique_solver *solver = new_solver();
  int64_t fits = 0;
  for (size_t s = 0; s < COUNT_OF(sizes); ++s)
    for (Family family = POTTS; family < FAMILIES; family = (Family)(family + 1))
      for (int64_t round = 0; round < test_rounds(3); ++round) {
        const int32_t n = sizes[s][0], R = sizes[s][1];
        if (n > 1000 && family != POTTS && family != ENTROPY && family != MAJORITY)
          continue;
        const uint64_t seed = random_bits(&random);
        for (int32_t e = 0; e < n * R; ++e)
          scores[0][e] = random_chance(&random, 2) && e % R ? -INFINITY : 2 * random_unit(&random);
        for (size_t k = (size_t)round % 2; k < COUNT_OF(kExponents); k += 2) {
          Pair pair = {.exponent = kExponents[k]};
          int exponents[2] = {0, pair.exponent};
          for (int32_t e = 0; e < n * R; ++e)
            scores[1][e] = ldexp(scores[0][e], pair.exponent);
          for (int j = 0; j < 2; ++j) {
            pair.potentials[j] = large_potential(family, n, R, seed, &exponents[j]);
            pair.problems[j] = (chorale_clique_problem){.struct_size = sizeof pair.problems[j]};
            pair.problems[j].members = n;
            pair.problems[j].values = R;
            pair.problems[j].scores = scores[j];
            pair.problems[j].row_stride = R;
          }
          /* Marginals by exact search take one search for each entry. */
          const char *why = NULL;
          if (n <= 300)
            why = compare_all(solver, &pair, 10, n <= 20, &fits);
          else
            why = compare_pair(solver, &pair, NULL, &fits);
          if (!why && n > 20)
            why = compare_marginals(solver, &pair, NULL, &fits);
          if (why) {
            print_message("%d members, %d values, family %d\n", n, R, family);
            fail_scaled(round, pair.exponent, why);
          }
          chorale_potential_release(pair.potentials[0]);
          chorale_potential_release(pair.potentials[1]);
        }
      }
  chorale_clique_solver_destroy(solver);
  print_message("%lld answers\n", (long long)fits);
  assert_true(fits > 100);
}

/* ---- Chains and trees --------------------------------------------------------------------- */

enum { K_BEST = 4 };

typedef struct ChainSaid {
  double score, marginals[SPACE], edges[SPACE], margins[MOST_POSITIONS], scores[K_BEST];
  int32_t labelling[MOST_POSITIONS], labellings[K_BEST * MOST_POSITIONS];
  int64_t found;
  double outgoing[MOST_PROPERTIES][MOST_RANGE + 2];
  int32_t decoded[MOST_POSITIONS], values[MOST_PROPERTIES];
  chorale_message_result messages, decoding;
} ChainSaid;

static void listen_to_chain(chorale_chain_solver *solver, const Sample *sample, Use *uses,
                            int32_t count, const chorale_run_options *options,
                            ChainSaid *said) {
  static Given given;
  chorale_error error;
  chorale_chain_result result;
  memset(said, 0, sizeof *said);
  give(sample, &given);
  result = (chorale_chain_result){.struct_size = sizeof result};
  OK(chorale_chain_solve(solver, &given.chain, said->labelling, &result, &error));
  said->score = result.score;
  OK(chorale_chain_max_marginals(solver, &given.chain, said->marginals, 0, said->edges,
                                 said->margins, NULL, NULL, &error));
  if (!sample->is_tree)
    OK(chorale_chain_k_best(solver, &given.chain, K_BEST, said->labellings, MOST_POSITIONS,
                            said->scores, &said->found, &error));
  chorale_attachment attachments[MOST_PROPERTIES];
  double *outgoing[MOST_PROPERTIES];
  for (int32_t k = 0; k < count; ++k) {
    open_use(&uses[k]);
    attachments[k] = uses[k].attachment;
    outgoing[k] = said->outgoing[k];
  }
  said->messages = (chorale_message_result){.struct_size = sizeof said->messages};
  said->decoding = (chorale_message_result){.struct_size = sizeof said->decoding};
  OK(chorale_chain_messages(solver, &given.chain, attachments, count, options, outgoing,
                            &said->messages, &error));
  OK(chorale_chain_decode(solver, &given.chain, attachments, count, options, said->decoded,
                          said->values, &said->decoding, &error));
  for (int32_t k = 0; k < count; ++k)
    close_use(&uses[k]);
  take_back(&given);
}

static const char *compare_rows(const char *what, const double *a, const double *b, size_t count,
                                int exponent) {
  for (size_t e = 0; e < count; ++e)
    if (!is_scaled(a[e], b[e], exponent))
      return complain("%s %zu: %.17g and %.17g", what, e, a[e], b[e]);
  return NULL;
}

static const char *compare_chains(const ChainSaid *a, const ChainSaid *b, int exponent) {
  if (memcmp(a->labelling, b->labelling, sizeof a->labelling) != 0 ||
      memcmp(a->labellings, b->labellings, sizeof a->labellings) != 0 || a->found != b->found ||
      memcmp(a->decoded, b->decoded, sizeof a->decoded) != 0 ||
      memcmp(a->values, b->values, sizeof a->values) != 0)
    return complain("labellings differ");
  if (!is_scaled(a->score, b->score, exponent))
    return complain("score %.17g and %.17g", a->score, b->score);
  const chorale_message_result *results[2][2] = {{&a->messages, &b->messages},
                                                 {&a->decoding, &b->decoding}};
  for (int k = 0; k < 2; ++k) {
    const chorale_message_result *one = results[k][0], *other = results[k][1];
    if (one->outcome != other->outcome || one->pruned != other->pruned ||
        one->exact != other->exact || one->configurations != other->configurations ||
        !is_scaled(one->score, other->score, exponent) ||
        !is_scaled(one->chain_score, other->chain_score, exponent) ||
        !is_scaled(one->message_score, other->message_score, exponent))
      return complain("under properties: score %.17g and %.17g, configurations %lld and %lld",
                      one->score, other->score, (long long)one->configurations,
                      (long long)other->configurations);
  }
  const char *why = compare_rows("marginal", a->marginals, b->marginals, SPACE, exponent);
  if (!why)
    why = compare_rows("marginal of edges", a->edges, b->edges, SPACE, exponent);
  if (!why)
    why = compare_rows("margin", a->margins, b->margins, MOST_POSITIONS, exponent);
  if (!why)
    why = compare_rows("of the best", a->scores, b->scores, K_BEST, exponent);
  for (int32_t k = 0; k < MOST_PROPERTIES && !why; ++k)
    why = compare_rows("message", a->outgoing[k], b->outgoing[k], MOST_RANGE + 2, exponent);
  return why;
}

static void chains_and_messages(void **state) {
  (void)state;
  static const chorale_joint_mode modes[] = {CHORALE_JOINT_AUTO, CHORALE_JOINT_EXACT,
                                             CHORALE_JOINT_LOCAL_SCORES, CHORALE_JOINT_BEAM};
  Random random = {test_seed() + 183};
  chorale_error error;
  chorale_chain_solver *solver = NULL;
  OK(chorale_chain_solver_create(NULL, &solver, &error));
  for (int64_t round = 0; round < test_rounds(600); ++round) {
    static Sample sample, scaled;
    static Use uses[MOST_PROPERTIES], scaled_uses[MOST_PROPERTIES];
    static ChainSaid one, other;
    random_sample(&random, round % 3 == 0, &sample);
    scale_sample(&sample, 1); /* in double precision, as the other one */
    const int32_t count = random_int(&random, 1, MOST_PROPERTIES);
    for (int32_t k = 0; k < count; ++k)
      random_use(&random, &sample, &uses[k]);
    chorale_run_options options = {.struct_size = sizeof options};
    options.joint_mode = modes[round % 4];
    options.max_states = options.joint_mode == CHORALE_JOINT_AUTO ? random_int(&random, 1, 40) : 1 << 16;
    options.beam_width = random_int(&random, 1, 5);
    listen_to_chain(solver, &sample, uses, count, &options, &one);
    for (size_t k = 0; k < COUNT_OF(kExponents); ++k) {
      scaled = sample;
      scale_sample(&scaled, ldexp(1, kExponents[k]));
      for (int32_t p = 0; p < count; ++p) {
        scaled_uses[p] = uses[p];
        scale_numbers(scaled_uses[p].message, COUNT_OF(uses[p].message), ldexp(1, kExponents[k]));
      }
      listen_to_chain(solver, &scaled, scaled_uses, count, &options, &other);
      const char *why = compare_chains(&one, &other, kExponents[k]);
      if (why) {
        print_sample(&sample);
        fail_scaled(round, kExponents[k], why);
      }
    }
  }
  chorale_chain_solver_destroy(solver);
}

/* ---- Runs --------------------------------------------------------------------------------- */

static void scale_result(chorale_run_result *r, double factor) {
  double *numbers[] = {&r->score,       &r->chain_score,  &r->clique_score,
                       &r->own_score,   &r->rounds_score, &r->local_search_score,
                       &r->upper_bound, &r->gap,          &r->local_search_own_score};
  for (size_t k = 0; k < COUNT_OF(numbers); ++k)
    scale_numbers(numbers[k], 1, factor);
}

/* Multiplies all results of a run by a factor; those in its JSON too. */
static void scale_said(Said *said, double factor) {
  scale_result(&said->result, factor);
  scale_numbers(said->chain_scores, MOST_CHAINS, factor);
  scale_numbers(said->clique_scores, MOST_CLIQUES, factor);
  for (int32_t i = 0; i < MOST_CHAINS; ++i) {
    for (int32_t s = 0; s < MOST_SLOTS; ++s)
      scale_numbers(&said->reasons[i][s].amount, 1, factor);
    scale_numbers(said->marginals[i], MOST_POSITIONS * MOST_LABELS, factor);
  }
  memset(said->json, 0, sizeof said->json);
}

static void listen_to_run(const Cluster *cluster, Said *said) {
  static Built built;
  chorale_error error;
  chorale_run *run = NULL;
  build(cluster, NULL, &built);
  OK(chorale_run_create(NULL, built.model, &cluster->options, NULL, &run, &error));
  OK(chorale_run_solve(run, NULL, &error));
  listen_to(cluster, run, said);
  chorale_run_destroy(run);
  close_built(cluster, &built);
}

static const char *compare_runs(const Cluster *cluster, void *context) {
  int64_t *tried = context;
  static const chorale_message_element numbers[] = {
      CHORALE_MESSAGES_FLOAT64, CHORALE_MESSAGES_MAGNITUDE16, CHORALE_MESSAGES_AUTO};
  static Cluster one, other;
  static Said said, scaled;
  one = *cluster;
  if (!scale_cluster(&one, 1))
    return NULL;
  one.options.message_element = numbers[*tried / 3 % 3];
  one.options.bound_steps = *tried % 3 ? 20 : 0;
  listen_to_run(&one, &said);
  memset(said.json, 0, sizeof said.json);
  for (size_t k = 0; k < COUNT_OF(kExponents); ++k) {
    other = one;
    (void)scale_cluster(&other, ldexp(1, kExponents[k]));
    listen_to_run(&other, &scaled);
    scale_said(&scaled, ldexp(1, -kExponents[k]));
    const char *why = compare_said(&one, &said, &scaled);
    if (why) {
      char copy[512];
      (void)snprintf(copy, sizeof copy, "%s", why);
      return complain("times 2^%d: %s", kExponents[k], copy);
    }
  }
  ++*tried;
  return NULL;
}

static void whole_runs(void **state) {
  (void)state;
  int64_t tried = 0;
  check_clusters("whole runs", test_rounds(400), random_cluster, compare_runs, &tried);
  check_clusters("exact runs", test_rounds(100), random_exact_cluster, compare_runs, &tried);
  print_message("%lld models\n", (long long)tried);
  assert_true(tried > 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(small_cliques),
      cmocka_unit_test(large_cliques),
      cmocka_unit_test(chains_and_messages),
      cmocka_unit_test(whole_runs),
  };
  print_message("CHORALE_TEST_SEED=%llu\n", (unsigned long long)test_seed());
  return cmocka_run_group_tests_name("hostile scale", tests, NULL, NULL);
}
