/* Runs against the enumeration of equation 1: reported scores are true, bounds hold, what is
 * reported as proven is optimal; exactness where message passing is exact; the polish; small
 * examples. */
#include "fixture_cluster.h"

typedef struct Tally {
  int64_t models, optima, proven, bounded, changed;
} Tally;

static void open_run(const Cluster *cluster, const Built *built, const chorale_run *earlier,
                     chorale_run **run) {
  chorale_error error;
  *run = NULL;
  OK(chorale_run_create(NULL, built->model, &cluster->options, earlier, run, &error));
}

/* Creates and solves a run; returns 0 if the options do not fit the model (STATE_SPACE). */
static int run_once(const Cluster *cluster, const Built *built, chorale_run **run,
                    chorale_run_result *result, const char **why) {
  chorale_error error;
  *run = NULL;
  *why = NULL;
  chorale_status status =
      chorale_run_create(NULL, built->model, &cluster->options, NULL, run, &error);
  if (status == CHORALE_ERROR_STATE_SPACE &&
      (cluster->options.joint_mode == CHORALE_JOINT_EXACT ||
       cluster->options.joint_mode == CHORALE_JOINT_LOCAL_SCORES))
    return 0;
  if (status == CHORALE_OK) {
    *result = (chorale_run_result){.struct_size = sizeof *result};
    status = chorale_run_solve(*run, result, &error);
  }
  if (status != CHORALE_OK)
    *why = complain("%s: \"%s\"", chorale_status_name(status), error.message);
  return status == CHORALE_OK;
}

static const char *solve_and_check(const Cluster *cluster, void *context) {
  Tally *tally = context;
  static Built built;
  ClusterTruth truth;
  (void)enumerate_cluster(cluster, &truth);
  build(cluster, NULL, &built);
  chorale_run *run;
  chorale_run_result result;
  const char *why;
  if (run_once(cluster, &built, &run, &result, &why)) {
    why = check_run(cluster, &truth, run, &result);
    if (!why && truth.best > -INFINITY) {
      ++tally->models;
      tally->optima += is_at_most(truth.best, result.score);
      tally->proven += result.proven;
      tally->bounded += result.upper_bound < INFINITY;
      tally->changed += result.changed_chains > 0;
    }
  }
  chorale_run_destroy(run);
  close_built(cluster, &built);
  return why;
}

static void every_result_is_what_it_says(void **state) {
  (void)state;
  Tally tally = {0};
  check_clusters("runs", test_rounds(3000), random_cluster, solve_and_check, &tally);
  print_message("optima found: %lld of %lld (%.1f %%); %lld bounded, %lld proven, %lld changed\n",
                (long long)tally.optima, (long long)tally.models,
                100.0 * (double)tally.optima / (double)(tally.models ? tally.models : 1),
                (long long)tally.bounded, (long long)tally.proven, (long long)tally.changed);
  assert_true(tally.optima * 2 > tally.models);
}

/* Many positions of one chain in one clique, and again in other cliques. */
static void long_chains_in_many_cliques(void **state) {
  (void)state;
  Tally tally = {0};
  check_clusters("crowded", test_rounds(500), random_crowded_cluster, solve_and_check, &tally);
  assert_true(tally.optima * 2 > tally.models);
}

static void items_dealt_to_cliques(void **state) {
  (void)state;
  Tally tally = {0};
  check_clusters("items", test_rounds(2000), random_item_cluster, solve_and_check, &tally);
  print_message("optima found: %lld of %lld\n", (long long)tally.optima, (long long)tally.models);
  assert_true(tally.optima * 10 > tally.models * 9);
}

enum { ITEMS = 600, NAMES = 40, KINDS = 5 };

static chorale_model *model_of_items(const double *unary, const int32_t *names,
                                     const chorale_potential *agree,
                                     const chorale_potential *nothing) {
  chorale_error error;
  chorale_model_builder *builder;
  chorale_model *model;
  OK(chorale_model_builder_create(NULL, &builder, &error));
  chorale_corpus corpus = {.struct_size = sizeof corpus};
  corpus.chains = ITEMS;
  corpus.labels = KINDS;
  corpus.unary = unary;
  corpus.tokens = names;
  OK(chorale_model_builder_add_corpus(builder, &corpus, NULL, &error));
  OK(put_words(builder, agree, NULL, NULL, NULL, &error));
  chorale_clique_setup setup = {.struct_size = sizeof setup};
  setup.potential = nothing;
  for (int64_t i = 0; nothing && i < ITEMS; ++i) {
    int64_t clique;
    OK(chorale_model_builder_add_cliques(builder, &setup, 1, &clique, &error));
    OK(put_position(builder, clique, i, 0, &error));
  }
  OK(chorale_model_builder_freeze(builder, &model, &error));
  chorale_model_builder_destroy(builder);
  return model;
}

/* Returns C of the clique of a name, where item `but` has the label `as`. */
static double score_of_name(const int32_t *names, int32_t name, const int32_t *labels, int32_t but,
                            int32_t as, const chorale_potential *agree) {
  int64_t counts[KINDS] = {0}, members = 0;
  for (int32_t i = 0; i < ITEMS; ++i)
    if (names[i] == name) {
      ++counts[i == but ? as : labels[i]];
      ++members;
    }
  double score;
  chorale_error error;
  OK(chorale_potential_score(agree, counts, KINDS, members, &score, &error));
  return score;
}

/* The same where both ways are exact, with random scores, so that no two labellings are equally
 * good: labels and scores must be the same. A potential that is solved approximately may have
 * better labels clique by clique, since messages only try one entry at a time. */
static void items_by_name_exactly(void **state) {
  (void)state;
  Random random = {test_seed()};
  static double unary[ITEMS * KINDS];
  static int32_t names[ITEMS], labels[2][ITEMS];
  int32_t changed = 0;
  for (int64_t round = 0; round < test_rounds(20); ++round) {
    for (int32_t i = 0; i < ITEMS; ++i) {
      names[i] = random_chance(&random, 30) ? 0 : random_int(&random, 1, NAMES - 1);
      for (int32_t y = 0; y < KINDS; ++y)
        unary[i * KINDS + y] = random_unit(&random) + (y == names[i] % KINDS ? 0.2 : 0);
    }
    chorale_error error;
    chorale_potential *agree, *nothing;
    chorale_potential_options by_members = {.struct_size = sizeof by_members};
    by_members.scale = CHORALE_SCALE_BY_MEMBERS;
    OK(chorale_potential_create_square_makespan(NULL, KINDS, 0.5, &by_members, &agree, &error));
    OK(chorale_potential_create_potts(NULL, KINDS, 0, NULL, &nothing, &error));
    chorale_model *models[2] = {model_of_items(unary, names, agree, NULL),
                                model_of_items(unary, names, agree, nothing)};
    chorale_run_result results[2];
    for (int k = 0; k < 2; ++k) {
      chorale_run *run;
      OK(chorale_run_create(NULL, models[k], NULL, NULL, &run, &error));
      results[k] = (chorale_run_result){.struct_size = sizeof results[k]};
      OK(chorale_run_solve(run, &results[k], &error));
      OK(chorale_run_labels(run, CHORALE_ALL_CHAINS, CHORALE_TOGETHER, labels[k], ITEMS, NULL,
                            &error));
      static ToldChain told[ITEMS];
      assert_null(told_scores(run, ITEMS, told, 0, NULL));
      for (int32_t i = 0; i < ITEMS; ++i)
        assert_true(told[i].score == unary[i * KINDS + labels[k][i]]);
      chorale_run_destroy(run);
    }
    assert_int_equal(results[0].changed_chains, results[1].changed_chains);
    for (int32_t i = 0; i < ITEMS; ++i)
      assert_int_equal(labels[0][i], labels[1][i]);
    double score;
    OK(chorale_model_score(NULL, models[0], labels[1], ITEMS, &score, NULL, NULL, &error));
    assert_true(results[0].score == score);
    assert_true(results[0].chain_score == results[1].chain_score);
    assert_true(results[0].rounds == 1);
    changed += results[0].changed_chains > 0 ? 1 : 0;
    for (int k = 0; k < 2; ++k)
      chorale_model_release(models[k]);
    chorale_potential_release(agree);
    chorale_potential_release(nothing);
  }
  assert_true(changed > 0);
}

/* Items in one clique each are solved clique by clique. With an additional clique for each item,
 * whose potential is 0, they are solved by messages. Both must give the same results. */
static void items_by_name(void **state) {
  (void)state;
  Random random = {test_seed()};
  static double unary[ITEMS * KINDS];
  static int32_t names[ITEMS], labels[ITEMS];
  for (int64_t round = 0; round < test_rounds(10); ++round) {
    int32_t most = 0, occurrences[NAMES] = {0};
    for (int32_t i = 0; i < ITEMS; ++i) {
      names[i] = random_chance(&random, 50) ? 0 : random_int(&random, 1, NAMES - 1);
      most = ++occurrences[names[i]] > most ? occurrences[names[i]] : most;
      for (int32_t y = 0; y < KINDS; ++y)
        unary[i * KINDS + y] = random_unit(&random) + (y == names[i] % KINDS ? 0.2 : 0);
    }
    assert_true(most > 256);
    chorale_error error;
    chorale_potential *agree, *nothing;
    chorale_potential_options by_members = {.struct_size = sizeof by_members};
    by_members.scale = CHORALE_SCALE_BY_MEMBERS;
    OK(chorale_potential_create_potts(NULL, KINDS, 0.5, &by_members, &agree, &error));
    OK(chorale_potential_create_potts(NULL, KINDS, 0, NULL, &nothing, &error));
    chorale_model *models[2] = {model_of_items(unary, names, agree, NULL),
                                model_of_items(unary, names, agree, nothing)};
    chorale_run *runs[2];
    chorale_run_result results[2];
    for (int k = 0; k < 2; ++k) {
      chorale_run_options options = {.struct_size = sizeof options};
      options.bound_steps = 2;
      OK(chorale_run_create(NULL, models[k], &options, NULL, &runs[k], &error));
      results[k] = (chorale_run_result){.struct_size = sizeof results[k]};
      OK(chorale_run_solve(runs[k], &results[k], &error));
    }
    assert_true(results[0].score >= results[1].score - 1e-9);
    assert_true(results[0].upper_bound <= results[1].upper_bound + 1e-9);
    assert_true(results[0].upper_bound - results[0].score < 0.01 * results[0].score);
    for (int32_t i = 0; i < ITEMS; ++i)
      OK(chorale_run_labels(runs[0], i, CHORALE_TOGETHER, &labels[i], 1, NULL, &error));
    for (int32_t i = 0; i < ITEMS; ++i) {
      double closed[KINDS], open[KINDS], margin;
      OK(chorale_run_max_marginals(runs[0], i, closed, 0, &margin, &error));
      OK(chorale_run_max_marginals(runs[1], i, open, 0, NULL, &error));
      double first = -INFINITY, second = -INFINITY;
      for (int32_t y = 0; y < KINDS; ++y) {
        /* Messages are compared up to a constant, which has no effect. */
        const double here = closed[y] - closed[labels[i]];
        if (occurrences[names[i]] <= 256)
          assert_true(fabs(here - (open[y] - open[labels[i]])) < 1e-9);
        else
          assert_true(fabs(here - (unary[i * KINDS + y] - unary[i * KINDS + labels[i]] +
                                   score_of_name(names, names[i], labels, i, y, agree) -
                                   score_of_name(names, names[i], labels, i, labels[i], agree))) <
                      1e-9);
        second = fmax(second, fmin(first, closed[y]));
        first = fmax(first, closed[y]);
      }
      assert_true(margin == first - second);
    }
    for (int k = 0; k < 2; ++k) {
      chorale_run_destroy(runs[k]);
      chorale_model_release(models[k]);
    }
    chorale_potential_release(agree);
    chorale_potential_release(nothing);
  }
}

static void own_labellings_outside_a_dictionary(void **state) {
  (void)state;
  Tally tally = {0};
  check_clusters("outside", test_rounds(300), random_outside_cluster, solve_and_check, &tally);
}

/* The bound needs an entry for every value that a labelling may have, however many there are. */
static void a_bound_needs_a_place_for_every_value(void **state) {
  (void)state;
  enum { LABELS = 2 };
  const int32_t actions[LABELS * (LABELS + 1)] = {0, 0, 0, 1, 1, 1}, kept[1] = {0};
  const double unary[2][LABELS] = {{1, 0}, {0, 0.5}};
  for (int32_t has_unlisted = 0; has_unlisted < 2; ++has_unlisted) {
    chorale_error error;
    chorale_property *property;
    chorale_dictionary *dictionary;
    chorale_potential *potts;
    chorale_model_builder *builder;
    chorale_model *model;
    chorale_run *run;
    OK(chorale_property_create_local(NULL, LABELS, 1, INT32_MAX - 2, actions, NULL, &property,
                                     &error));
    OK(chorale_dictionary_create(NULL, kept, 1, has_unlisted, &dictionary, &error));
    OK(chorale_potential_create_potts(NULL, 1 + has_unlisted, 1, NULL, &potts, &error));
    OK(chorale_model_builder_create(NULL, &builder, &error));
    chorale_clique_setup setup = {.struct_size = sizeof setup};
    setup.property = property;
    setup.dictionary = dictionary;
    setup.potential = potts;
    int64_t clique;
    OK(chorale_model_builder_add_cliques(builder, &setup, 1, &clique, &error));
    for (int64_t i = 0; i < 2; ++i) {
      chorale_chain chain = {.struct_size = sizeof chain};
      chain.length = 1;
      chain.labels = LABELS;
      chain.unary = unary[i];
      OK(chorale_model_builder_add_chain(builder, &chain, NULL, NULL, &error));
      OK(put_chain(builder, clique, i, NULL, &error));
    }
    OK(chorale_model_builder_freeze(builder, &model, &error));
    chorale_run_options options = {.struct_size = sizeof options};
    options.bound_steps = 3;
    OK(chorale_run_create(NULL, model, &options, NULL, &run, &error));
    chorale_run_result result = {.struct_size = sizeof result};
    OK(chorale_run_solve(run, &result, &error));
    assert_true(result.score == 5);
    assert_true(isfinite(result.upper_bound) == has_unlisted);
    chorale_run_destroy(run);
    chorale_model_release(model);
    chorale_model_builder_destroy(builder);
    chorale_potential_release(potts);
    chorale_dictionary_release(dictionary);
    chorale_property_release(property);
  }
}

/* ---- What is told when a run is created -------------------------------------------------- */

/* Draws models that request local scores with a small budget; some chains have no choice. */
static void random_budget_cluster(Random *random, Cluster *cluster) {
  random_cluster(random, cluster);
  cluster->options.joint_mode = CHORALE_JOINT_LOCAL_SCORES;
  cluster->options.max_states = random_int(random, 1, 12);
  for (int32_t i = 0; i < cluster->chain_count; ++i)
    if (random_chance(random, 30))
      cluster->chains[i].has_forced = 1;
}

typedef struct Refusals {
  int64_t created, refused, replaced, kept;
} Refusals;

/* A joint state beyond the budget is reported when the run is created or a chain is replaced, never
 * during a solve. */
static const char *solve_within_the_budget(const Cluster *cluster, void *context) {
  Refusals *refusals = context;
  static Built built;
  ClusterTruth truth;
  if (!enumerate_cluster(cluster, &truth))
    return NULL;
  build(cluster, NULL, &built);
  chorale_run *run;
  chorale_run_result result;
  chorale_error error;
  const char *why;
  if (run_once(cluster, &built, &run, &result, &why)) {
    ++refusals->created;
    why = check_run(cluster, &truth, run, &result);
    for (int32_t i = 0; i < cluster->chain_count && !why; ++i) {
      if (cluster->is_instance[i])
        continue;
      Sample free_sample = cluster->chains[i];
      free_sample.has_forced = free_sample.has_allowed = 0;
      static Given given;
      give(&free_sample, &given);
      const chorale_status status = chorale_run_set_chain(run, i, &given.chain, &error);
      refusals->replaced += status == CHORALE_OK;
      refusals->kept += status == CHORALE_ERROR_STATE_SPACE;
      if (status != CHORALE_OK && status != CHORALE_ERROR_STATE_SPACE)
        why = complain("chain %d: \"%s\"", i, error.message);
      result = (chorale_run_result){.struct_size = sizeof result};
      if (!why && chorale_run_solve(run, &result, &error) != CHORALE_OK)
        why = complain("with another chain %d: \"%s\"", i, error.message);
      if (!why && status == CHORALE_OK &&
          chorale_run_set_chain(run, i, &built.given[i].chain, &error) != CHORALE_OK)
        why = complain("chain %d, which it was created with: \"%s\"", i, error.message);
      take_back(&given);
    }
  } else {
    ++refusals->refused;
  }
  chorale_run_destroy(run);
  close_built(cluster, &built);
  return why;
}

static void a_budget_is_judged_at_once(void **state) {
  (void)state;
  Refusals refusals = {0};
  check_clusters("budget", test_rounds(2000), random_budget_cluster, solve_within_the_budget,
                 &refusals);
  print_message("%lld runs, %lld refused; %lld chains replaced, %lld refused\n",
                (long long)refusals.created, (long long)refusals.refused,
                (long long)refusals.replaced, (long long)refusals.kept);
  assert_true(refusals.created > 0 && refusals.refused > 0 && refusals.replaced > 0);
  assert_true(refusals.kept > 0 || test_rounds(2000) < 2000);
}

/* ---- Forbidden counts --------------------------------------------------------------------- */

typedef struct Finds {
  int64_t feasible, found, infeasible, proven;
} Finds;

static const char *find_what_there_is(const Cluster *cluster, void *context) {
  Finds *finds = context;
  static Built built;
  ClusterTruth truth;
  (void)enumerate_cluster(cluster, &truth);
  build(cluster, NULL, &built);
  chorale_run *run;
  chorale_run_result result;
  const char *why;
  if (run_once(cluster, &built, &run, &result, &why)) {
    why = check_run(cluster, &truth, run, &result);
    if (!why && truth.best > -INFINITY) {
      ++finds->feasible;
      finds->found += result.score > -INFINITY;
    } else if (!why) {
      ++finds->infeasible;
      finds->proven += result.outcome == CHORALE_OUTCOME_INFEASIBLE;
    }
  }
  chorale_run_destroy(run);
  close_built(cluster, &built);
  return why;
}

static void what_is_allowed_is_found(void **state) {
  (void)state;
  Finds finds = {0};
  check_clusters("forbidding", test_rounds(3000), random_forbidding_cluster, find_what_there_is,
                 &finds);
  print_message("found in %lld of %lld models; %lld of %lld others proven to have none\n",
                (long long)finds.found, (long long)finds.feasible, (long long)finds.proven,
                (long long)finds.infeasible);
  assert_true(finds.found * 1000 >= finds.feasible * 995 - 1000);
  assert_true(finds.proven > 0);
}

/* Many overlapping cliques, each of which limits the count of every label, so that no clique can be
 * satisfied separately. */
static void capacities_of_many_cliques(void **state) {
  (void)state;
  enum { CHAINS = 300, CLIQUES = 100, TOGETHER = 20, LABELS = 5, MOST = TOGETHER / LABELS + 2 };
  Random random = {test_seed() + 91};
  chorale_error error;
  double table[TOGETHER + 1], unary[CHAINS][LABELS];
  for (int32_t k = 0; k <= TOGETHER; ++k)
    table[k] = k <= MOST ? k * k / 64.0 : -INFINITY;
  chorale_potential *potential = NULL;
  chorale_model_builder *builder = NULL;
  chorale_model *model = NULL;
  chorale_run *run = NULL;
  OK(chorale_potential_create_sum(NULL, LABELS, table, 1, TOGETHER + 1, TOGETHER + 1, NULL,
                                  &potential, &error));
  OK(chorale_model_builder_create(NULL, &builder, &error));
  for (int32_t i = 0; i < CHAINS; ++i) {
    for (int32_t y = 0; y < LABELS; ++y)
      unary[i][y] = random_unit(&random) + (y == 0);
    chorale_chain chain = {.struct_size = sizeof chain};
    chain.length = 1;
    chain.labels = LABELS;
    chain.unary = unary[i];
    OK(chorale_model_builder_add_chain(builder, &chain, NULL, NULL, &error));
  }
  chorale_clique_setup setup = {.struct_size = sizeof setup};
  setup.values = LABELS;
  setup.potential = potential;
  for (int64_t c = 0; c < CLIQUES; ++c) {
    OK(chorale_model_builder_add_cliques(builder, &setup, 1, NULL, &error));
    for (int32_t members = 0; members < TOGETHER;)
      members += put_position(builder, c, random_int(&random, 0, CHAINS - 1), 0, &error) == CHORALE_OK;
  }
  OK(chorale_model_builder_freeze(builder, &model, &error));
  OK(chorale_run_create(NULL, model, NULL, NULL, &run, &error));
  chorale_run_result result = {.struct_size = sizeof result};
  OK(chorale_run_solve(run, &result, &error));
  assert_true(result.own_score == -INFINITY);
  assert_true(result.score > -INFINITY);
  int32_t values[TOGETHER];
  for (int64_t c = 0; c < CLIQUES; ++c) {
    int32_t counts[LABELS] = {0};
    OK(chorale_run_values(run, c, CHORALE_TOGETHER, values, TOGETHER, NULL, &error));
    for (int32_t i = 0; i < TOGETHER; ++i)
      assert_true(++counts[values[i]] <= MOST);
  }
  chorale_run_destroy(run);
  chorale_model_release(model);
  chorale_model_builder_destroy(builder);
  chorale_potential_release(potential);
}

/* ---- Models of exact message passing ------------------------------------------------------ */

/* Other scores of one chain, after a solve: its messages then depend on those it has received. */
static const char *must_follow_new_scores(Cluster *exact, chorale_run *run) {
  chorale_error error;
  chorale_run_result result = {.struct_size = sizeof result};
  Random random = {test_seed() + (uint64_t)exact->clique_count};
  const int32_t chain = random_int(&random, 0, exact->chain_count - 1);
  Sample *sample = &exact->chains[chain];
  if (exact->is_instance[chain] || sample->length == 0)
    return NULL;
  for (int32_t t = 0; t < sample->length; ++t)
    for (int32_t y = 0; y < sample->labels; ++y)
      sample->unary[t][y] += random_unit(&random) - 0.5;
  static Given given;
  memset(&given, 0, sizeof given);
  give(sample, &given);
  OK(chorale_run_set_chain(run, chain, &given.chain, &error));
  OK(chorale_run_solve(run, &result, &error));
  take_back(&given);
  ClusterTruth truth;
  (void)enumerate_cluster(exact, &truth);
  if (truth.is_unique && !truth.is_stuck && truth.own_is_decodable &&
      !is_at_most(truth.best, result.score))
    return complain("with other scores of chain %d score %.17g, the optimum is %.17g", chain,
                    result.score, truth.best);
  return NULL;
}

static const char *must_find_the_optimum(const Cluster *cluster, void *context) {
  (void)context;
  static Built built;
  ClusterTruth truth;
  (void)enumerate_cluster(cluster, &truth);
  if (!truth.is_unique || truth.is_stuck || !truth.own_is_decodable)
    return NULL;
  Cluster exact = *cluster; /* whatever shrinking has made of the options */
  exact.options.rounds = exact.clique_count + 1;
  if (exact.options.damping > 0)
    exact.options.rounds = 300;
  exact.options.exact_marginals = 1;
  exact.options.joint_mode = CHORALE_JOINT_EXACT;
  exact.options.max_states = 1 << 16;
  exact.options.restrict_range = 0;
  if (exact.options.message_element == CHORALE_MESSAGES_MAGNITUDE16)
    exact.options.message_element = CHORALE_MESSAGES_AUTO; /* rounded messages tie */
  build(&exact, NULL, &built);
  chorale_run *run;
  chorale_run_result result;
  const char *why;
  if (run_once(&exact, &built, &run, &result, &why)) {
    why = check_run(&exact, &truth, run, &result);
    if (!why && !is_at_most(truth.best, result.score))
      why = complain("score %.17g, the optimum is %.17g; %lld rounds", result.score, truth.best,
                     (long long)result.rounds);
    if (!why)
      why = must_follow_new_scores(&exact, run);
  }
  chorale_run_destroy(run);
  close_built(&exact, &built);
  return why;
}

static void exact_where_message_passing_is(void **state) {
  (void)state;
  check_clusters("exact", test_rounds(1500), random_exact_cluster, must_find_the_optimum, NULL);
}

/* Draws models with damped messages, which converge to the same result more slowly. */
static void random_damped_cluster(Random *random, Cluster *cluster) {
  random_exact_cluster(random, cluster);
  cluster->options.damping = 0.5;
}

static void exact_under_damping(void **state) {
  (void)state;
  check_clusters("damping", test_rounds(200), random_damped_cluster, must_find_the_optimum, NULL);
}

/* ---- Polish and bound by themselves ------------------------------------------------------- */

static const char *polish_and_bound(const Cluster *cluster, void *context) {
  (void)context;
  static Built built;
  ClusterTruth truth;
  (void)enumerate_cluster(cluster, &truth);
  build(cluster, NULL, &built);
  chorale_run *run;
  chorale_run_result result;
  const char *why = NULL;
  Cluster plain = *cluster;
  plain.options.no_local_search = 1;
  plain.options.bound_steps = 1;
  chorale_error error;
  if (run_once(&plain, &built, &run, &result, &why) && !truth.is_stuck) {
    why = check_run(&plain, &truth, run, &result);
    const double before = result.score;
    if (!why && chorale_run_local_search(run, &result, &error) != CHORALE_OK)
      why = complain("polish: \"%s\"", error.message);
    if (!why && result.score < before)
      why = complain("the polish takes %.17g to %.17g", before, result.score);
    if (!why &&
        !(result.local_search_score >= result.rounds_score &&
          result.local_search_own_score >= result.own_score && result.score >= result.local_search_score &&
          result.score >= result.local_search_own_score))
      why = complain("score %.17g, polished %.17g from %.17g, own %.17g from %.17g", result.score,
                     result.local_search_score, result.rounds_score, result.local_search_own_score,
                     result.own_score);
    if (!why)
      why = check_run(&plain, &truth, run, &result);
    double bound = INFINITY;
    for (int64_t steps = 1; steps <= 8 && !why; steps *= 2) {
      if (chorale_run_bound(run, steps, &result, &error) != CHORALE_OK)
        why = complain("bound: \"%s\"", error.message);
      else if (result.upper_bound > bound)
        why = complain("%lld more steps raise the bound from %.17g to %.17g", (long long)steps,
                       bound, result.upper_bound);
      else
        why = check_run(&plain, &truth, run, &result);
      bound = result.upper_bound;
    }
  }
  chorale_run_destroy(run);
  close_built(cluster, &built);
  return why;
}

static void the_polish_never_lowers_and_the_bound_holds(void **state) {
  (void)state;
  check_clusters("polish", test_rounds(1000), random_cluster, polish_and_bound, NULL);
}

/* ---- Small examples ----------------------------------------------------------------------- */

/* Makes `count` items of one position and two labels; the first `for_one` prefer label 1 by
 * `margin`. */
static void items(Cluster *cluster, int32_t count, int32_t for_one, double margin) {
  memset(cluster, 0, sizeof *cluster);
  cluster->chain_count = count;
  for (int32_t i = 0; i < count; ++i) {
    Sample *sample = &cluster->chains[i];
    sample->length = 1;
    sample->labels = 2;
    sample->unary[0][i < for_one] = margin;
  }
  cluster->options = (chorale_run_options){.struct_size = sizeof cluster->options};
}

static Group *position_clique(Cluster *cluster, double lambda) {
  Group *group = &cluster->cliques[cluster->clique_count++];
  memset(group, 0, sizeof *group);
  group->shape = OVER_POSITIONS;
  group->labels = group->values = 2;
  for (int32_t i = 0; i < cluster->chain_count; ++i) {
    group->members[i].chain = i;
    ++group->member_count;
  }
  Problem *problem = &group->potentials[0];
  problem->kind = KIND_POTTS;
  problem->values = 2;
  problem->members = group->member_count;
  problem->lambda = lambda;
  return group;
}

static void a_clique_changes_a_mind(void **state) {
  (void)state;
  static Cluster cluster;
  static Built built;
  items(&cluster, 4, 1, 0.5);
  (void)position_clique(&cluster, 0.25);
  cluster.options.bound_steps = 1;
  build(&cluster, NULL, &built);
  chorale_run *run;
  open_run(&cluster, &built, NULL, &run);
  chorale_error error;
  chorale_run_result result = {.struct_size = sizeof result};
  OK(chorale_run_solve(run, &result, &error));
  assert_int_equal(result.outcome, CHORALE_OUTCOME_COMPLETE);
  assert_true(result.own_score == 2.0 + 0.25 * 10);
  assert_true(result.score == 1.5 + 0.25 * 16);
  assert_int_equal(result.changed_chains, 1);
  chorale_reason reason;
  int64_t count = -1;
  OK(chorale_run_reasons(run, 0, &reason, sizeof(chorale_reason), 1, &count, &error));
  assert_int_equal(count, 1);
  assert_int_equal(reason.clique, 0);
  assert_int_equal(reason.member, 0);
  assert_int_equal(reason.position, 0);
  assert_int_equal(reason.own_value, 1);
  assert_int_equal(reason.value, 0);
  assert_true(is_close(reason.amount, 0.25 * 6));
  OK(chorale_run_reasons(run, 0, NULL, sizeof(chorale_reason), 0, &count, &error));
  assert_int_equal(count, 1);
  OK(chorale_run_bound(run, 30, &result, &error));
  assert_true(result.upper_bound >= result.score - 1e-12);
  chorale_run_destroy(run);
  close_built(&cluster, &built);
}

/* A centre without neighbours has counts of 0, which a table may forbid: messages, polish, bound and
 * the test for chains to leave out must agree. */
static void a_centre_alone(void **state) {
  (void)state;
  static Cluster cluster;
  static Built built;
  for (int32_t how = 0; how < 8; ++how) {
    const int is_infeasible = how % 2 == 1;
    items(&cluster, 1, 0, 0.5);
    Group *group = &cluster.cliques[cluster.clique_count++];
    memset(group, 0, sizeof *group);
    group->shape = CENTRED;
    group->labels = group->values = group->centre_values = 2;
    group->member_count = 1;
    for (int32_t c = 0; c < 2; ++c) {
      Problem *problem = &group->potentials[c];
      problem->kind = KIND_SUM_SHARED;
      problem->values = 2;
      problem->table_count = problem->length = 1;
      problem->tables[0] = c == 0 || is_infeasible ? -INFINITY : 0;
    }
    cluster.options.rounds = how / 2 == 0 ? 1 : CHORALE_NO_ROUNDS;
    cluster.options.no_local_search = !(how / 2 == 1);
    cluster.options.bound_steps = how / 2 == 3 ? 4 : 0;
    build(&cluster, NULL, &built);
    chorale_run *run;
    open_run(&cluster, &built, NULL, &run);
    chorale_error error;
    chorale_run_result result = {.struct_size = sizeof result};
    OK(chorale_run_step(run, &result, &error));
    assert_true(result.own_score == -INFINITY);
    OK(chorale_run_solve(run, &result, &error));
    if (is_infeasible) {
      assert_true(result.score == -INFINITY);
      assert_int_equal(result.outcome, CHORALE_OUTCOME_INFEASIBLE);
      assert_int_equal(result.left_out, 1);
    } else {
      assert_true(result.score == 0);
      assert_int_equal(result.proven, cluster.options.bound_steps > 0);
      chorale_reason reason;
      int64_t count = 0;
      OK(chorale_run_reasons(run, 0, &reason, sizeof(chorale_reason), 1, &count, &error));
      assert_int_equal(count, 1);
      assert_true(reason.amount == INFINITY);
    }
    chorale_run_destroy(run);
    close_built(&cluster, &built);
  }
}

static void a_chain_outside_all_cliques_is_decoded_once(void **state) {
  (void)state;
  static Cluster cluster;
  static Built built;
  chorale_error error;
  items(&cluster, 3, 1, 0.5);
  build(&cluster, NULL, &built);
  chorale_run *run;
  open_run(&cluster, &built, NULL, &run);
  chorale_run_result result = {.struct_size = sizeof result};
  OK(chorale_run_solve(run, &result, &error));
  assert_int_equal(result.outcome, CHORALE_OUTCOME_COMPLETE);
  assert_true(result.score == 1.5);
  assert_int_equal(result.chain_updates, 3);
  assert_int_equal(result.clique_updates, 0);
  OK(chorale_run_solve(run, &result, &error));
  assert_int_equal(result.chain_updates, 3);
  chorale_run_destroy(run);
  close_built(&cluster, &built);
}

static void an_empty_model_has_an_empty_labelling(void **state) {
  (void)state;
  static Cluster cluster;
  static Built built;
  chorale_error error;
  memset(&cluster, 0, sizeof cluster);
  cluster.options = (chorale_run_options){.struct_size = sizeof cluster.options};
  build(&cluster, NULL, &built);
  chorale_run *run;
  open_run(&cluster, &built, NULL, &run);
  chorale_run_result result = {.struct_size = sizeof result};
  OK(chorale_run_solve(run, &result, &error));
  assert_int_equal(result.outcome, CHORALE_OUTCOME_COMPLETE);
  assert_true(result.score == 0);
  OK(chorale_run_labels(run, CHORALE_ALL_CHAINS, CHORALE_TOGETHER, NULL, 0, NULL, &error));
  chorale_run_destroy(run);
  close_built(&cluster, &built);
}

/* The polish from round 0 can score higher than the polish from the messages: the better result is
 * kept. */
static void the_better_of_both_starts_is_kept(void **state) {
  (void)state;
  static Cluster cluster;
  static Built built;
  Random random = {test_seed() + 5};
  int64_t own_is_better = 0, rounds_are_better = 0;
  for (int64_t round = 0; round < test_rounds(1500); ++round) {
    random_cluster(&random, &cluster);
    cluster.options.no_local_search = 0;
    cluster.options.damping = 0;
    cluster.options.joint_mode = CHORALE_JOINT_AUTO;
    cluster.options.bound_steps = 0;
    cluster.options.effort = -1;
    build(&cluster, NULL, &built);
    chorale_run *run;
    open_run(&cluster, &built, NULL, &run);
    chorale_error error;
    chorale_run_result r = {.struct_size = sizeof r};
    OK(chorale_run_solve(run, &r, &error));
    if (r.outcome != CHORALE_OUTCOME_INFEASIBLE &&
        r.score != fmax(r.local_search_score, r.local_search_own_score)) {
      dump_cluster(stderr, &cluster);
      fail_msg("score %.17g, polished %.17g, own polished %.17g", r.score, r.local_search_score,
               r.local_search_own_score);
    }
    own_is_better += r.local_search_own_score > r.local_search_score;
    rounds_are_better += r.local_search_score > r.local_search_own_score;
    chorale_run_destroy(run);
    close_built(&cluster, &built);
  }
  print_message("the rounds' start is the better in %lld models, the chains' own in %lld\n",
                (long long)rounds_are_better, (long long)own_is_better);
}

/* ---- Progress ----------------------------------------------------------------------------- */

typedef struct Watch {
  int64_t calls, rounds, stop_at;
  int is_bounded;
  double best;
  char mistake[256];
} Watch;

static int32_t watch(void *user, const chorale_progress *progress) {
  Watch *self = user;
  /* The bound reports the last round once more. */
  const int is_again =
      self->rounds > 0 && progress->round == self->rounds - 1 && progress->upper_bound < INFINITY;
  if (progress->struct_size != sizeof *progress || (!is_again && progress->round != self->rounds) ||
      progress->best_score < self->best || progress->best_score < progress->score ||
      progress->upper_bound < progress->best_score - 1e-9)
    (void)snprintf(self->mistake, sizeof self->mistake,
                   "call %lld is told of round %lld, score %.17g, best %.17g (before %.17g), "
                   "bound %.17g",
                   (long long)self->calls, (long long)progress->round, progress->score,
                   progress->best_score, self->best, progress->upper_bound);
  self->best = progress->best_score;
  self->rounds += !is_again;
  ++self->calls;
  return self->calls == self->stop_at;
}

static const char *follow_progress(const Cluster *cluster, void *context) {
  const int64_t *stop_at = context;
  static Built built;
  static Cluster watched;
  watched = *cluster;
  Watch told = {0, 0, *stop_at, cluster->options.bound_steps > 0, -INFINITY, ""};
  watched.options.progress = watch;
  watched.options.progress_user = &told;
  build(&watched, NULL, &built);
  ClusterTruth truth;
  (void)enumerate_cluster(cluster, &truth);
  chorale_run *run;
  chorale_run_result r;
  const char *why;
  if (run_once(&watched, &built, &run, &r, &why)) {
    const int is_stopped = told.stop_at > 0 && told.stop_at == told.calls;
    if (told.mistake[0] != '\0')
      why = complain("%s", told.mistake);
    else if (truth.is_stuck)
      why = told.calls == 0 ? NULL : complain("infeasible after %lld calls", (long long)told.calls);
    else if (told.rounds != r.rounds + 1)
      why = complain("told of %lld rounds, it is %lld", (long long)told.rounds,
                     (long long)r.rounds + 1);
    else if (r.outcome != CHORALE_OUTCOME_INFEASIBLE &&
             is_stopped != (r.outcome == CHORALE_OUTCOME_CANCELLED))
      why = complain("stopped: %d, outcome %d", is_stopped, r.outcome);
    else if (r.score < r.own_score)
      why = complain("score %.17g below the chains' own %.17g", r.score, r.own_score);
  }
  chorale_run_destroy(run);
  close_built(&watched, &built);
  return why;
}

static void progress_is_told_of_every_round(void **state) {
  (void)state;
  for (int64_t stop_at = 0; stop_at < 4; ++stop_at)
    check_clusters("progress", test_rounds(150), random_cluster, follow_progress, &stop_at);
}

/* ---- Instances ---------------------------------------------------------------------------- */

/* A chain as an oracle instance gives the same results as the chain itself, with real scores and
 * hence no ties. */
static const char *compare_instances(const Cluster *cluster, void *context) {
  (void)context;
  static Built built;
  static Cluster other;
  static Said said[2];
  const char *why = NULL;
  for (int way = 0; way < 2 && !why; ++way) {
    other = *cluster;
    for (int32_t i = 0; i < other.chain_count && way == 0; ++i)
      other.is_instance[i] = 0;
    build(&other, NULL, &built);
    chorale_run *run;
    chorale_run_result result;
    memset(&said[way], 0, sizeof said[way]);
    if (run_once(&other, &built, &run, &result, &why))
      listen_to(&other, run, &said[way]);
    chorale_run_destroy(run);
    close_built(&other, &built);
  }
  if (why)
    return why;
  const chorale_run_result *a = &said[0].result, *b = &said[1].result;
  /* A chain's messages are not computed once they cannot affect its cliques, so it may be complete
   * earlier than an instance. */
  const int alike = a->outcome == b->outcome && a->rounds == b->rounds;
  const int sooner = a->outcome == CHORALE_OUTCOME_COMPLETE && a->rounds <= b->rounds;
  if (!(alike || sooner) || !is_close(a->score, b->score) ||
      !is_close(a->rounds_score, b->rounds_score) || !is_close(a->own_score, b->own_score) ||
      !is_close(a->local_search_score, b->local_search_score))
    return complain("as a chain: outcome %d, %lld rounds, score %.17g (rounds %.17g, own %.17g); "
                    "as an instance: %d, %lld, %.17g (%.17g, %.17g)",
                    a->outcome, (long long)a->rounds, a->score, a->rounds_score, a->own_score,
                    b->outcome, (long long)b->rounds, b->score, b->rounds_score, b->own_score);
  if (memcmp(said[0].labels, said[1].labels, sizeof said[0].labels) != 0)
    return complain("labels differ");
  if (memcmp(said[0].values, said[1].values, sizeof said[0].values) != 0)
    return complain("values differ");
  return NULL;
}

static void random_instance_cluster(Random *random, Cluster *cluster) {
  for (;;) {
    random_exact_cluster(random, cluster);
    int fits = 0;
    for (int32_t i = 0; i < cluster->chain_count; ++i)
      cluster->is_instance[i] = random_chance(random, 60);
    for (int32_t c = 0; c < cluster->clique_count; ++c)
      for (int32_t k = 0; k < cluster->cliques[c].member_count; ++k) {
        const Group *group = &cluster->cliques[c];
        int *const is_instance = &cluster->is_instance[group->members[k].chain];
        if (group->shape != OVER_PROPERTY || (group->use.has_dictionary && !group->use.has_unlisted))
          *is_instance = 0;
      }
    for (int32_t i = 0; i < cluster->chain_count; ++i)
      fits = fits || (cluster->is_instance[i] && chain_in_cliques(cluster, i));
    cluster->options.no_local_search = !random_chance(random, 50);
    if (fits)
      return;
  }
}

static void an_instance_joins_like_a_chain(void **state) {
  (void)state;
  check_clusters("instances", test_rounds(400), random_instance_cluster, compare_instances, NULL);
}

static void a_callback_that_stops_ends_the_call(void **state) {
  (void)state;
  static Cluster cluster;
  static Built built;
  static Said before, after;
  Random random = {test_seed() + 8};
  int64_t stopped = 0;
  for (int64_t round = 0; round < test_rounds(100); ++round) {
    random_instance_cluster(&random, &cluster);
    build(&cluster, NULL, &built);
    Wrapped *wrapped = NULL;
    for (int32_t i = 0; i < cluster.chain_count; ++i)
      if (cluster.is_instance[i])
        wrapped = &built.wrapped[i];
    chorale_run *run;
    open_run(&cluster, &built, NULL, &run);
    chorale_error error;
    OK(chorale_run_solve(run, NULL, &error));
    listen_to(&cluster, run, &before);
    const int64_t calls = wrapped->calls;
    for (int64_t at = 1; at <= calls; ++at) {
      chorale_run_reset(run);
      wrapped->calls = 0;
      wrapped->stop_at = at;
      FAILS(chorale_run_solve(run, NULL, &error), CHORALE_ERROR_CALLBACK_STOPPED, "");
      assert_true(error.message[0] != '\0');
      assert_int_equal(wrapped->calls, at);
      wrapped->stop_at = 0;
      ++stopped;
      /* The run continues from where it stopped. */
      OK(chorale_run_solve(run, NULL, &error));
    }
    chorale_run_reset(run);
    OK(chorale_run_solve(run, NULL, &error));
    listen_to(&cluster, run, &after);
    const char *why = compare_said(&cluster, &before, &after);
    if (why) {
      dump_cluster(stderr, &cluster);
      fail_msg("after errors and a reset: %s", why);
    }
    chorale_run_destroy(run);
    close_built(&cluster, &built);
  }
  assert_true(stopped > 0);
}

static int32_t stop_counting(void *user, const int64_t *counts, int64_t values, int64_t members,
                             double *score) {
  const double *answer = user;
  (void)counts;
  (void)values;
  (void)members;
  *score = *answer;
  return isinf(*answer) && *answer < 0;
}

static void a_potential_that_fails_ends_the_call(void **state) {
  (void)state;
  static Cluster cluster;
  static Built built;
  static const double answers[] = {NAN, INFINITY, -INFINITY};
  static const chorale_status statuses[] = {
      CHORALE_ERROR_CALLBACK_VALUE, CHORALE_ERROR_CALLBACK_VALUE, CHORALE_ERROR_CALLBACK_STOPPED};
  for (int32_t way = 0; way < 3; ++way) {
    items(&cluster, 3, 1, 0.5);
    chorale_error error;
    double answer = answers[way];
    open_parts(&cluster, NULL, &built);
    chorale_potential *potential = NULL;
    OK(chorale_potential_create_callback(NULL, 2, stop_counting, &answer, NULL, NULL, &potential,
                                         &error));
    chorale_model_builder *builder = NULL;
    OK(chorale_model_builder_create(NULL, &builder, &error));
    OK(add_chains(&cluster, &built, builder, &error));
    chorale_clique_setup setup = {.struct_size = sizeof setup};
    setup.values = 2;
    setup.potential = potential;
    OK(chorale_model_builder_add_cliques(builder, &setup, 1, NULL, &error));
    for (int64_t i = 0; i < 3; ++i)
      OK(put_position(builder, 0, i, 0, &error));
    OK(chorale_model_builder_freeze(builder, &built.model, &error));
    chorale_model_builder_destroy(builder);
    chorale_potential_release(potential);
    chorale_run *run;
    open_run(&cluster, &built, NULL, &run);
    FAILS(chorale_run_solve(run, NULL, &error), statuses[way], "");
    assert_true(error.message[0] != '\0');
    answer = 1;
    chorale_run_reset(run);
    chorale_run_result result = {.struct_size = sizeof result};
    OK(chorale_run_solve(run, &result, &error));
    assert_true(result.score == 2.5);
    chorale_run_destroy(run);
    close_built(&cluster, &built);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(items_dealt_to_cliques),
      cmocka_unit_test(items_by_name),
      cmocka_unit_test(items_by_name_exactly),
      cmocka_unit_test(a_clique_changes_a_mind),
      cmocka_unit_test(a_centre_alone),
      cmocka_unit_test(a_chain_outside_all_cliques_is_decoded_once),
      cmocka_unit_test(an_empty_model_has_an_empty_labelling),
      cmocka_unit_test(every_result_is_what_it_says),
      cmocka_unit_test(long_chains_in_many_cliques),
      cmocka_unit_test(own_labellings_outside_a_dictionary),
      cmocka_unit_test(a_bound_needs_a_place_for_every_value),
      cmocka_unit_test(a_budget_is_judged_at_once),
      cmocka_unit_test(what_is_allowed_is_found),
      cmocka_unit_test(capacities_of_many_cliques),
      cmocka_unit_test(exact_where_message_passing_is),
      cmocka_unit_test(exact_under_damping),
      cmocka_unit_test(the_polish_never_lowers_and_the_bound_holds),
      cmocka_unit_test(the_better_of_both_starts_is_kept),
      cmocka_unit_test(progress_is_told_of_every_round),
      cmocka_unit_test(an_instance_joins_like_a_chain),
      cmocka_unit_test(a_callback_that_stops_ends_the_call),
      cmocka_unit_test(a_potential_that_fails_ends_the_call),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
