/* Labellings given by the caller: their scores under a model, and runs that start from them. */
#include "fixture_cluster.h"

enum { MOST_ALL = MOST_CHAINS * MOST_POSITIONS };

/* Draws labels for every chain, by chain and as one array of all. Returns the number of labels. */
static int64_t draw_labels(Random *random, const Cluster *cluster, Labelling labelling,
                           int32_t *all) {
  int64_t count = 0;
  memset(labelling, 0, sizeof(Labelling));
  for (int32_t i = 0; i < cluster->chain_count; ++i)
    for (int32_t t = 0; t < cluster->chains[i].length; ++t)
      all[count++] = labelling[i][t] = random_int(random, 0, cluster->chains[i].labels - 1);
  return count;
}

static int64_t flatten(const Cluster *cluster, int32_t labelling[][MOST_POSITIONS],
                       int32_t *all) {
  int64_t count = 0;
  for (int32_t i = 0; i < cluster->chain_count; ++i)
    for (int32_t t = 0; t < cluster->chains[i].length; ++t)
      all[count++] = labelling[i][t];
  return count;
}

static int first_instance(const Cluster *cluster) {
  for (int32_t i = 0; i < cluster->chain_count; ++i)
    if (cluster->is_instance[i])
      return i;
  return -1;
}

/* ---- Scores ------------------------------------------------------------------------------- */

static const char *check_scores(const Cluster *cluster, void *context) {
  Random *random = context;
  static Built built;
  build(cluster, NULL, &built);
  const char *why = NULL;
  chorale_error error;
  for (int trial = 0; trial < 4 && !why; ++trial) {
    Labelling labelling;
    int32_t all[MOST_ALL];
    Parts parts;
    double score = NAN, chains[MOST_CHAINS], cliques[MOST_CLIQUES];
    const int64_t count = draw_labels(random, cluster, labelling, all);
    const chorale_status status =
        chorale_model_score(NULL, built.model, all, count, &score, chains, cliques, &error);
    if (first_instance(cluster) >= 0) {
      if (status != CHORALE_ERROR_KIND)
        why = complain("with an instance the status is %d", status);
      continue;
    }
    if (status != CHORALE_OK) {
      why = complain("\"%s\"", error.message);
      continue;
    }
    own_parts(cluster, labelling, &parts);
    for (int32_t i = 0; i < cluster->chain_count && !why; ++i)
      if (chains[i] != parts.chains[i])
        why = complain("chain %d scores %.17g, it is %.17g", i, chains[i], parts.chains[i]);
    for (int32_t c = 0; c < cluster->clique_count && !why; ++c)
      if (!is_close(cliques[c], parts.cliques[c]))
        why = complain("clique %d scores %.17g, it is %.17g", c, cliques[c], parts.cliques[c]);
    if (!why && !is_close(score, parts.total))
      why = complain("the score is %.17g, it is %.17g", score, parts.total);
    if (!why && chorale_model_score(NULL, built.model, all, count, NULL, NULL, NULL, &error))
      why = complain("without results: \"%s\"", error.message);
  }
  close_built(cluster, &built);
  return why;
}

static void any_labelling_scores_as_enumeration_says(void **state) {
  (void)state;
  Random random = {test_seed() + 71};
  check_clusters("scores", test_rounds(1500), random_cluster, check_scores, &random);
  check_clusters("scores, outside", test_rounds(300), random_outside_cluster, check_scores,
                 &random);
  check_clusters("scores, forbidding", test_rounds(300), random_forbidding_cluster, check_scores,
                 &random);
}

/* Sets the labels of chains that the run leaves out to -1: a chain that is left out since no labelling
 * was found that its cliques allow keeps the labels that were tried. False if such a chain is empty,
 * which no labels can tell. */
static int take_out_left_out(const Cluster *cluster, chorale_run *run, int32_t *all) {
  chorale_error error;
  chorale_left_out out[MOST_CHAINS];
  int64_t count = 0;
  OK(chorale_run_left_out(run, out, sizeof *out, MOST_CHAINS, &count, &error));
  for (int32_t i = 0, k = 0; i < cluster->chain_count; all += cluster->chains[i++].length)
    if (k < count && out[k].chain == i) {
      ++k;
      if (cluster->chains[i].length == 0)
        return 0;
      for (int32_t t = 0; t < cluster->chains[i].length; ++t)
        all[t] = -1;
    }
  return 1;
}

/* Scores of labellings by the run equal those by the model, bit for bit. */
static const char *check_run_scores(const Cluster *cluster, void *context) {
  (void)context;
  if (first_instance(cluster) >= 0)
    return NULL;
  static Built built;
  build(cluster, NULL, &built);
  const char *why = NULL;
  chorale_error error;
  chorale_run *run = NULL;
  chorale_run_result result = {.struct_size = sizeof result};
  if (chorale_run_create(NULL, built.model, &cluster->options, NULL, &run, &error) ||
      chorale_run_solve(run, &result, &error))
    why = complain("\"%s\"", error.message);
  int32_t all[MOST_ALL];
  int64_t count = 0;
  for (chorale_labelling of = CHORALE_TOGETHER; !why && of <= CHORALE_ALONE; ++of) {
    double score = NAN;
    if (chorale_run_labels(run, CHORALE_ALL_CHAINS, of, all, MOST_ALL, &count, &error))
      break; /* nothing found */
    if (!take_out_left_out(cluster, run, all))
      break;
    if (chorale_model_score(NULL, built.model, all, count, &score, NULL, NULL, &error))
      why = complain("\"%s\"", error.message);
    else if (score != (of == CHORALE_TOGETHER ? result.score : result.own_score))
      why = complain("labelling %d scores %.17g, the run says %.17g", of, score,
                     of == CHORALE_TOGETHER ? result.score : result.own_score);
  }
  chorale_run_destroy(run);
  close_built(cluster, &built);
  return why;
}

static void a_run_and_its_model_say_the_same(void **state) {
  (void)state;
  check_clusters("results", test_rounds(1000), random_cluster, check_run_scores, NULL);
}

/* ---- Starts ------------------------------------------------------------------------------- */

/* Solves from `all`: the result scores at least as much, and is checked by enumeration in a fresh
 * run. */
static const char *solve_from(const Cluster *cluster, const ClusterTruth *truth,
                              const Built *built, chorale_run *run, int is_new,
                              const int32_t *all, int64_t count) {
  chorale_error error;
  chorale_run_result result = {.struct_size = sizeof result};
  double start = -INFINITY;
  int32_t labels[MOST_ALL];
  if (chorale_run_set_labels(run, all, count, &error))
    return complain("\"%s\"", error.message);
  if (chorale_run_labels(run, CHORALE_ALL_CHAINS, CHORALE_TOGETHER, labels, MOST_ALL, NULL,
                         &error) !=
      CHORALE_ERROR_NO_LABELLING)
    return complain("labels can be asked for before the next call");
  if (chorale_run_solve(run, &result, &error))
    return complain("\"%s\"", error.message);
  if (first_instance(cluster) < 0 &&
      chorale_model_score(NULL, built->model, all, count, &start, NULL, NULL, &error))
    return complain("\"%s\"", error.message);
  if (result.score < start && !truth->is_stuck)
    return complain("the score is %.17g, that of the start %.17g", result.score, start);
  /* The optimum is that of all chains but those that have no labelling. */
  if (result.left_out <= truth->left_out && !is_at_most(result.score, truth->best_any))
    return complain("the score is %.17g, the optimum %.17g", result.score, truth->best_any);
  return is_new ? check_run(cluster, truth, run, &result) : NULL;
}

static const char *check_start(const Cluster *cluster, void *context) {
  Random *random = context;
  static ClusterTruth truth;
  static Built built;
  if (!enumerate_cluster(cluster, &truth))
    return NULL;
  build(cluster, NULL, &built);
  chorale_error error;
  chorale_run *run = NULL;
  Labelling labelling;
  int32_t all[MOST_ALL];
  const char *why = NULL;
  if (chorale_run_create(NULL, built.model, &cluster->options, NULL, &run, &error))
    why = complain("\"%s\"", error.message);
  /* Uses a new run, a run that was solved, and a run that was reset. */
  for (int trial = 0; trial < 3 && !why; ++trial) {
    if (trial == 2)
      chorale_run_reset(run);
    const int64_t count = random_chance(random, 70)
                              ? draw_labels(random, cluster, labelling, all)
                              : flatten(cluster, truth.own, all);
    why = solve_from(cluster, &truth, &built, run, trial != 1, all, count);
  }
  chorale_run_destroy(run);
  close_built(cluster, &built);
  return why;
}

static void runs_go_on_from_any_labelling(void **state) {
  (void)state;
  Random random = {test_seed() + 72};
  check_clusters("starts", test_rounds(700), random_cluster, check_start, &random);
  check_clusters("starts, forbidding", test_rounds(200), random_forbidding_cluster, check_start,
                 &random);
}

/* Without rounds and polish, the result is the better one of the start and the labelling of round
 * 0. */
static const char *check_choice(const Cluster *cluster, void *context) {
  Random *random = context;
  if (first_instance(cluster) >= 0)
    return NULL;
  static Built built;
  build(cluster, NULL, &built);
  chorale_error error;
  chorale_run_options options = cluster->options;
  options.rounds = CHORALE_NO_ROUNDS;
  options.no_local_search = 1;
  chorale_run *run = NULL;
  chorale_run_result result = {.struct_size = sizeof result};
  Labelling labelling;
  int32_t all[MOST_ALL], found[MOST_ALL];
  double score = NAN, chains[MOST_CHAINS];
  const int64_t count = draw_labels(random, cluster, labelling, all);
  const char *why = NULL;
  if (chorale_run_create(NULL, built.model, &options, NULL, &run, &error) ||
      chorale_run_set_labels(run, all, count, &error) ||
      chorale_run_solve(run, &result, &error) ||
      chorale_model_score(NULL, built.model, all, count, &score, chains, NULL, &error))
    why = complain("\"%s\"", error.message);
  else if (score > result.own_score && score > -INFINITY &&
           (chorale_run_labels(run, CHORALE_ALL_CHAINS, CHORALE_TOGETHER, found, MOST_ALL, NULL,
                               &error) ||
            result.score < score ||
            (result.score == score && memcmp(found, all, (size_t)count * sizeof *all) != 0)))
    why = complain("from %.17g, above the chains' own %.17g, to %.17g", score, result.own_score,
                   result.score);
  chorale_run_destroy(run);
  close_built(cluster, &built);
  return why;
}

static void the_better_start_is_kept(void **state) {
  (void)state;
  Random random = {test_seed() + 73};
  check_clusters("choice", test_rounds(1000), random_cluster, check_choice, &random);
}

/* The scores of chains may be replaced between set_labels and the next call. */
static void scores_may_change_before_the_next_call(void **state) {
  (void)state;
  static Cluster cluster;
  static Built built;
  Random random = {test_seed() + 74};
  for (int64_t round = 0; round < test_rounds(200); ++round) {
    random_cluster(&random, &cluster);
    cluster.options.time_limit = 0;
    build(&cluster, NULL, &built);
    chorale_error error;
    chorale_run *run = NULL, *plain = NULL;
    chorale_run_result result, expected;
    result = (chorale_run_result){.struct_size = sizeof result};
    expected = (chorale_run_result){.struct_size = sizeof expected};
    Labelling labelling;
    int32_t all[MOST_ALL];
    const int64_t count = draw_labels(&random, &cluster, labelling, all);
    OK(chorale_run_create(NULL, built.model, &cluster.options, NULL, &run, &error));
    OK(chorale_run_create(NULL, built.model, &cluster.options, NULL, &plain, &error));
    OK(chorale_run_set_labels(run, all, count, &error));
    OK(chorale_run_set_labels(plain, all, count, &error));
    for (int32_t i = 0; i < cluster.chain_count; ++i)
      if (!cluster.is_instance[i])
        OK(chorale_run_set_chain(run, i, &built.given[i].chain, &error));
    OK(chorale_run_solve(run, &result, &error));
    OK(chorale_run_solve(plain, &expected, &error));
    if (result.score != expected.score)
      fail_msg("CHORALE_TEST_SEED=%llu, round %lld: %.17g, with the same scores set anew %.17g",
               (unsigned long long)test_seed(), (long long)round, expected.score, result.score);
    chorale_run_destroy(run);
    chorale_run_destroy(plain);
    close_built(&cluster, &built);
  }
}

/* ---- Bad input ---------------------------------------------------------------------------- */

static int32_t refuse(void *user, const int64_t *counts, int64_t values, int64_t members,
                      double *score) {
  (void)counts;
  (void)values;
  (void)members;
  *score = NAN;
  return *(int32_t *)user;
}

static void bad_input_is_refused(void **state) {
  (void)state;
  chorale_error error;
  static const double scores[6] = {0, 1, 2, 3, 4, 5};
  chorale_corpus corpus = {.struct_size = sizeof corpus};
  corpus.chains = 3;
  corpus.labels = 2;
  corpus.unary = scores;
  chorale_clique_setup setup = {.struct_size = sizeof setup};
  setup.values = 2;
  chorale_potential *potential = NULL;
  int32_t answer = 0;
  OK(chorale_potential_create_callback(NULL, 2, refuse, &answer, NULL, NULL, &potential, &error));
  setup.potential = potential;
  chorale_model_builder *builder = NULL;
  chorale_model *model = NULL;
  OK(chorale_model_builder_create(NULL, &builder, &error));
  OK(chorale_model_builder_add_corpus(builder, &corpus, NULL, &error));
  OK(chorale_model_builder_add_cliques(builder, &setup, 1, NULL, &error));
  OK(put_position(builder, 0, 1, 0, &error));
  OK(chorale_model_builder_freeze(builder, &model, &error));
  chorale_model_builder_destroy(builder);
  chorale_run *run = NULL;
  OK(chorale_run_create(NULL, model, NULL, NULL, &run, &error));

  int32_t labels[3] = {1, 0, 1};
  double score = 7;
#define SCORE(of, at, count) chorale_model_score(NULL, of, at, count, &score, NULL, NULL, &error)
  FAILS(SCORE(NULL, labels, 3), CHORALE_ERROR_NULL_ARGUMENT, "model");
  FAILS(SCORE(model, NULL, 3), CHORALE_ERROR_NULL_ARGUMENT, "labels");
  FAILS(SCORE(model, labels, 2), CHORALE_ERROR_SHAPE, "count is 2", "3");
  FAILS(SCORE(model, labels, -1), CHORALE_ERROR_SHAPE, "count is -1", "3");
  FAILS(SCORE(model, labels, 3), CHORALE_ERROR_CALLBACK_VALUE, "callback");
  answer = 1;
  FAILS(SCORE(model, labels, 3), CHORALE_ERROR_CALLBACK_STOPPED, "callback");
  FAILS(chorale_run_set_labels(NULL, labels, 3, &error), CHORALE_ERROR_NULL_ARGUMENT, "run");
  FAILS(chorale_run_set_labels(run, NULL, 3, &error), CHORALE_ERROR_NULL_ARGUMENT, "labels");
  FAILS(chorale_run_set_labels(run, labels, 4, &error), CHORALE_ERROR_SHAPE, "count is 4", "3");
  for (int32_t bad = -2; bad <= 2; bad += 4) {
    labels[1] = bad;
    FAILS(SCORE(model, labels, 3), CHORALE_ERROR_OUT_OF_RANGE, "labels[1]", "0 to 1", "chain 1");
    FAILS(chorale_run_set_labels(run, labels, 3, &error), CHORALE_ERROR_OUT_OF_RANGE, "labels[1]",
          "0 to 1");
  }
  assert_true(score == 7);
  chorale_run_destroy(run);
  chorale_model_release(model);
  chorale_potential_release(potential);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(any_labelling_scores_as_enumeration_says),
      cmocka_unit_test(a_run_and_its_model_say_the_same),
      cmocka_unit_test(runs_go_on_from_any_labelling),
      cmocka_unit_test(the_better_start_is_kept),
      cmocka_unit_test(scores_may_change_before_the_next_call),
      cmocka_unit_test(bad_input_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
