/* Edits of a run: changed allowed labels, strengths and scores, checked by enumeration and against
 * fresh runs with the same inputs. */
#include "fixture_cluster.h"

/* A model with the edits applied, which the oracle enumerates. */
typedef struct Edited {
  const Cluster *cluster;
  Cluster changed;
  uint8_t allowed[MOST_CHAINS][MOST_POSITIONS][MOST_LABELS];
  double strengths[MOST_CLIQUES];
  Sample scores[MOST_CHAINS]; /* as set last, without allowed labels */
} Edited;

static void begin_edits(const Cluster *cluster, Edited *edited) {
  edited->cluster = cluster;
  edited->changed = *cluster;
  memset(edited->allowed, 1, sizeof edited->allowed);
  for (int32_t c = 0; c < MOST_CLIQUES; ++c)
    edited->strengths[c] = 1;
  memcpy(edited->scores, cluster->chains, sizeof edited->scores);
}

/* Applies the edits to the oracle's model. */
static void apply_edits(Edited *edited) {
  const Cluster *cluster = edited->cluster;
  for (int32_t i = 0; i < cluster->chain_count; ++i) {
    Sample *sample = &edited->changed.chains[i];
    *sample = edited->scores[i];
    int masks = 0;
    for (int32_t t = 0; t < sample->length; ++t)
      for (int32_t y = 0; y < sample->labels; ++y)
        masks |= !edited->allowed[i][t][y];
    if (!masks)
      continue;
    for (int32_t t = 0; t < sample->length; ++t)
      for (int32_t y = 0; y < sample->labels; ++y)
        sample->allowed[t][y] =
            (!sample->has_allowed || edited->scores[i].allowed[t][y]) && edited->allowed[i][t][y];
    sample->has_allowed = 1;
  }
  for (int32_t c = 0; c < cluster->clique_count; ++c)
    for (int32_t k = 0; k < MOST_CENTRES; ++k) {
      edited->changed.cliques[c].potentials[k] = cluster->cliques[c].potentials[k];
      Problem *potential = &edited->changed.cliques[c].potentials[k];
      if (edited->strengths[c] != 1)
        scale_problem(potential, edited->strengths[c]);
      for (size_t e = 0; e < COUNT_OF(potential->tables) && edited->strengths[c] == 0; ++e)
        if (isnan(potential->tables[e]))
          potential->tables[e] = -INFINITY; /* forbidden counts stay forbidden */
      for (size_t e = 0; e < COUNT_OF(potential->matrix) && edited->strengths[c] == 0; ++e)
        if (isnan(potential->matrix[e]))
          potential->matrix[e] = -INFINITY;
    }
}

static int has_callback(const Group *group) {
  for (int32_t k = 0; k < MOST_CENTRES; ++k)
    if (group->potentials[k].kind == KIND_CALLBACK)
      return 1;
  return 0;
}

static int leaves_any(const Sample *sample, int32_t t, const uint8_t *allowed) {
  for (int32_t y = 0; y < sample->labels; ++y)
    if (allowed[y] && (!sample->has_forced || sample->forced[t] < 0 || sample->forced[t] == y) &&
        (!sample->has_allowed || sample->allowed[t][y]) && sample->unary[t][y] > -INFINITY)
      return 1;
  return 0;
}

/* Makes one random edit of the run. Returns NULL, or an error if the call returned a wrong
 * status. */
static const char *edit(Random *random, chorale_run *run, Edited *edited, Given *given) {
  const Cluster *cluster = edited->cluster;
  chorale_error error;
  const int32_t i = random_int(random, 0, cluster->chain_count - 1);
  Sample *sample = &edited->scores[i];
  const int32_t what = random_int(random, 0, 9);
  if (what < 3 && cluster->clique_count > 0) {
    const int32_t c = random_int(random, 0, cluster->clique_count - 1);
    static const double kFactors[] = {0, 0.25, 0.5, 1, 2, 4};
    const double factor = kFactors[random_int(random, 0, 5)];
    if (has_callback(&cluster->cliques[c])) /* whose numbers the oracle cannot scale */
      return NULL;
    if (chorale_run_set_strength(run, c, factor, &error) != CHORALE_OK)
      return complain("strength of clique %d: \"%s\"", c, error.message);
    edited->strengths[c] = factor;
    return NULL;
  }
  if (cluster->is_instance[i])
    return NULL;
  if (what < 5) {
    *sample = cluster->chains[i];
    for (int32_t t = 0; t < sample->length && random_chance(random, 80); ++t)
      for (int32_t y = 0; y < sample->labels; ++y)
        if (sample->unary[t][y] > -INFINITY)
          sample->unary[t][y] += random_int(random, -8, 8) / 4.0;
    take_back(&given[i]);
    give(sample, &given[i]);
    if (chorale_run_set_chain(run, i, &given[i].chain, &error) != CHORALE_OK)
      return complain("scores of chain %d: \"%s\"", i, error.message);
    return NULL;
  }
  if (sample->length == 0)
    return NULL;
  const int32_t t = random_int(random, 0, sample->length - 1);
  if (what < 7) {
    if (chorale_run_set_allowed(run, i, t, NULL, &error) != CHORALE_OK)
      return complain("lifting labels of chain %d: \"%s\"", i, error.message);
    memset(edited->allowed[i][t], 1, MOST_LABELS);
    return NULL;
  }
  uint8_t allowed[MOST_LABELS] = {0};
  const int32_t forced = random_int(random, 0, sample->labels - 1);
  for (int32_t y = 0; y < sample->labels; ++y)
    allowed[y] = (uint8_t)(what == 9 ? random_chance(random, 50) : y == forced);
  const int fits = leaves_any(sample, t, allowed);
  const chorale_status status = chorale_run_set_allowed(run, i, t, allowed, &error);
  if (status != (fits ? CHORALE_OK : CHORALE_ERROR_FORBIDDEN_VALUE))
    return complain("labels of chain %d, position %d: status %d, %d labels left", i, t, status,
                    fits);
  if (fits)
    memcpy(edited->allowed[i][t], allowed, MOST_LABELS);
  return NULL;
}

static chorale_status solve_all(chorale_run *run, chorale_run_result *result,
                                chorale_error *error) {
  chorale_status status;
  int64_t left = 10000000;
  do {
    status = chorale_run_solve(run, result, error);
  } while (status == CHORALE_OK && result->outcome == CHORALE_OUTCOME_DEADLINE && --left > 0);
  return status;
}

typedef struct Editing {
  int must_be_optimal;
  int64_t solves, judged, above, below, gained, lacking, infeasible, forbidden, polished;
  double gain, fresh_gain;
} Editing;

/* Edits and solves several times, then lifts all edits, then resets. */
static const char *edit_and_solve(const Cluster *cluster, void *context) {
  Editing *editing = context;
  static Built built;
  static Edited edited;
  static Given given[MOST_CHAINS];
  static Said said[2];
  ClusterTruth truth;
  chorale_error error;
  chorale_run_result result, fresh_result;
  result = (chorale_run_result){.struct_size = sizeof result};
  fresh_result = (chorale_run_result){.struct_size = sizeof fresh_result};
  chorale_run_options plain = {.struct_size = sizeof plain};
  Cluster with = *cluster;
  with.options.edits = 1;
  with.options.bound_steps = 0;
  if (editing->must_be_optimal)
    with.options.rounds = 2 * cluster->clique_count + 2;
  if (with.options.joint_mode == CHORALE_JOINT_EXACT ||
      with.options.joint_mode == CHORALE_JOINT_LOCAL_SCORES)
    with.options.max_states = 1 << 16;
  const int is_polished = !with.options.no_local_search && with.options.joint_mode == plain.joint_mode &&
                          with.options.max_states >= 1024; /* the default */
  if (!enumerate_cluster(&with, &truth))
    return NULL;
  memset(given, 0, sizeof given);
  build(&with, NULL, &built);
  begin_edits(&with, &edited);
  Random random = {test_seed() + (uint64_t)(1000 * cluster->chains[0].unary[0][0]) +
                   (uint64_t)cluster->clique_count};
  const char *why = NULL;
  chorale_run *run = NULL;
  if (chorale_run_create(NULL, built.model, &with.options, NULL, &run, &error) != CHORALE_OK ||
      chorale_run_solve(run, &result, &error) != CHORALE_OK) {
    why = error.status == CHORALE_ERROR_STATE_SPACE ? NULL : complain("\"%s\"", error.message);
    chorale_run_destroy(run);
    close_built(&with, &built);
    return why;
  }
  listen_to(&with, run, &said[0]);
  for (int32_t turn = 0; turn < 7 && !why; ++turn) {
    Labelling old;
    memset(old, 0, sizeof old);
    int has_old = 1;
    for (int32_t i = 0; i < with.chain_count; ++i)
      has_old = has_old &&
                chorale_run_labels(run, i, CHORALE_TOGETHER, old[i], MOST_POSITIONS, NULL,
                                   &error) == CHORALE_OK &&
                old[i][0] >= 0; /* -1: left out */
    for (int32_t k = random_int(&random, 1, 3); k > 0 && !why && turn < 6; --k)
      why = edit(&random, run, &edited, given);
    if (turn == 6) {
      for (int32_t i = 0; i < with.chain_count; ++i) {
        if (with.is_instance[i])
          continue;
        for (int32_t t = 0; t < with.chains[i].length; ++t)
          OK(chorale_run_set_allowed(run, i, t, NULL, &error));
        OK(chorale_run_set_chain(run, i, &built.given[i].chain, &error));
      }
      for (int32_t c = 0; c < with.clique_count; ++c)
        OK(chorale_run_set_strength(run, c, 1, &error));
      begin_edits(&with, &edited);
    }
    if (why)
      break;
    apply_edits(&edited);
    if (solve_all(run, &result, &error) != CHORALE_OK) {
      why = error.status == CHORALE_ERROR_STATE_SPACE ? NULL
                                                      : complain("solve: \"%s\"", error.message);
      break;
    }
    if (!enumerate_cluster(&edited.changed, &truth))
      break;
    ++editing->solves;
    editing->infeasible += truth.is_stuck;
    editing->forbidden += result.score == -INFINITY && !truth.is_stuck;
    Cluster judged = edited.changed;
    judged.options.rounds = 1000;
    why = check_run(&judged, &truth, run, &result);
    if (why || truth.is_stuck)
      continue;
    Parts parts;
    own_parts(&edited.changed, old, &parts);
    if (has_old && !is_at_most(parts.total, result.score))
      why = complain("turn %d: the earlier labelling scores %.17g now, the run ends at %.17g", turn,
                     parts.total, result.score);
    if (!why && editing->must_be_optimal && truth.is_unique && truth.own_is_decodable &&
        !is_at_most(truth.best, result.score))
      why = complain("turn %d: score %.17g, the optimum is %.17g", turn, result.score, truth.best);
    if (!why && is_polished && result.score > -INFINITY)
      why = check_polished(&edited.changed, run, &editing->polished);
    /* Creates a fresh run of the same inputs. */
    static Built other;
    build(&edited.changed, NULL, &other);
    chorale_run *fresh = NULL;
    if (chorale_run_create(NULL, other.model, &edited.changed.options, NULL, &fresh, &error) ==
            CHORALE_OK &&
        chorale_run_solve(fresh, &fresh_result, &error) == CHORALE_OK && !why) {
      ++editing->judged;
      editing->above += result.score > fresh_result.score + 1e-9;
      editing->below += result.score < fresh_result.score - 1e-9;
      if (has_old && parts.total > -INFINITY && result.score > -INFINITY) {
        const double gain = result.score - parts.total;
        const double fresh_gain = fresh_result.score - parts.total;
        ++editing->gained;
        editing->lacking += gain < 0.99 * fresh_gain - 1e-9;
        editing->gain += gain;
        editing->fresh_gain += fresh_gain;
      }
    }
    chorale_run_destroy(fresh);
    close_built(&edited.changed, &other);
  }
  if (!why) {
    chorale_run_reset(run);
    if (solve_all(run, &result, &error) != CHORALE_OK)
      why = complain("after reset: \"%s\"", error.message);
    listen_to(&with, run, &said[1]);
    if (!why)
      why = compare_said(&with, &said[0], &said[1]);
  }
  chorale_run_destroy(run);
  close_built(&with, &built);
  for (int32_t i = 0; i < MOST_CHAINS; ++i)
    take_back(&given[i]);
  return why;
}

static void edits_are_judged_by_enumeration(void **state) {
  (void)state;
  static const struct {
    const char *name;
    void (*make)(Random *random, Cluster *cluster);
    int must_be_optimal;
  } kinds[] = {{"random", random_cluster, 0},   {"forbidding", random_forbidding_cluster, 0},
               {"crowded", random_crowded_cluster, 0}, {"items", random_item_cluster, 0},
               {"outside", random_outside_cluster, 0}, {"exact", random_exact_cluster, 1}};
  for (size_t k = 0; k < COUNT_OF(kinds); ++k) {
    Editing editing = {.must_be_optimal = kinds[k].must_be_optimal};
    check_clusters(kinds[k].name, test_rounds(300), kinds[k].make, edit_and_solve, &editing);
    print_message("%s: %lld solves after edits (%lld infeasible, %lld forbidden); of %lld %lld "
                  "above and %lld below a fresh run; gain %.6g, of fresh runs %.6g; %lld of %lld "
                  "below 99 percent of it\n",
                  kinds[k].name, (long long)editing.solves, (long long)editing.infeasible,
                  (long long)editing.forbidden, (long long)editing.judged,
                  (long long)editing.above, (long long)editing.below, editing.gain,
                  editing.fresh_gain, (long long)editing.lacking, (long long)editing.gained);
    print_message("  %lld chains have no better labelling\n", (long long)editing.polished);
    assert_true(editing.judged > 0);
    if (test_rounds(300) < 300)
      continue;
    assert_true(20 * editing.below <= editing.judged);
    assert_true(25 * editing.lacking <= editing.gained);
  }
}

/* ---- The same bits ------------------------------------------------------------------------ */

static const char *edit_in_a_way(const Cluster *cluster, const Built *built, int way, Said *said) {
  static Edited edited;
  static Given given[MOST_CHAINS];
  chorale_error error;
  chorale_run_result result = {.struct_size = sizeof result};
  Cluster with = *cluster;
  with.options.threads = way == 1 ? 3 : 1;
  memset(given, 0, sizeof given);
  begin_edits(&with, &edited);
  Random random = {test_seed() + 5};
  chorale_run *run = NULL;
  chorale_status status =
      chorale_run_create(NULL, built->model, &with.options, NULL, &run, &error);
  if (status == CHORALE_OK && way == 2)
    status = chorale_run_set_limits(run, 1e-9, NULL, &error);
  const char *why = NULL;
  if (status == CHORALE_OK)
    status = solve_all(run, &result, &error);
  for (int32_t turn = 0; turn < 5 && status == CHORALE_OK && !why; ++turn) {
    /* An interrupted call also reports INFEASIBLE if the bound proves it, and the remaining work
     * depends on the time. */
    if (with.options.bound_steps > 0 && result.outcome == CHORALE_OUTCOME_INFEASIBLE)
      why = "";
    for (int k = 0; k < 2 && turn < 4 && !why; ++k)
      why = edit(&random, run, &edited, given);
    if (!why) /* the last one, without edits, is a solve of the whole model */
      status = solve_all(run, &result, &error);
  }
  if (status == CHORALE_OK && !why)
    listen_to(&with, run, said);
  chorale_run_destroy(run);
  for (int32_t i = 0; i < MOST_CHAINS; ++i)
    take_back(&given[i]);
  if (status == CHORALE_ERROR_STATE_SPACE)
    return "";
  return status == CHORALE_OK ? why : complain("way %d: \"%s\"", way, error.message);
}

static const char *compare_edits(const Cluster *cluster, void *context) {
  (void)context;
  static Built built;
  static Said said[3];
  Cluster with = *cluster;
  with.options.edits = 1;
  build(&with, NULL, &built);
  const char *why = NULL;
  for (int way = 0; way < 3 && !why; ++way) {
    why = edit_in_a_way(&with, &built, way, &said[way]);
    if (!why && way > 0)
      why = compare_said(&with, &said[0], &said[way]);
  }
  close_built(&with, &built);
  return why && *why ? why : NULL;
}

static void edits_give_the_same_bits(void **state) {
  (void)state;
  check_clusters("random", test_rounds(300), random_cluster, compare_edits, NULL);
  check_clusters("items", test_rounds(100), random_item_cluster, compare_edits, NULL);
  check_clusters("forbidding", test_rounds(100), random_forbidding_cluster, compare_edits, NULL);
}

/* ---- A corpus ----------------------------------------------------------------------------- */

enum { SENTENCES = 600, WORDS = 8, TAGS = 4, KINDS_OF_WORDS = 200 };

/* A corpus of sentences in documents of 20, with a clique for each word that a document repeats,
 * and one for a word that occurs everywhere. */
typedef struct Corpus {
  double unary[SENTENCES][WORDS][TAGS];
  double edges[TAGS][TAGS];
  int32_t words[SENTENCES][WORDS];
  chorale_potential *potts;
  chorale_model *model;
} Corpus;

static void open_corpus(Random *random, Corpus *corpus) {
  chorale_error error;
  chorale_potential_options scaled = {.struct_size = sizeof scaled};
  scaled.scale = CHORALE_SCALE_BY_MEMBERS;
  OK(chorale_potential_create_potts(NULL, TAGS, 1, &scaled, &corpus->potts, &error));
  for (int32_t x = 0; x < TAGS; ++x)
    for (int32_t y = 0; y < TAGS; ++y)
      corpus->edges[x][y] = random_unit(random);
  chorale_model_builder *builder = NULL;
  OK(chorale_model_builder_create(NULL, &builder, &error));
  for (int32_t i = 0; i < SENTENCES; ++i) {
    for (int32_t t = 0; t < WORDS; ++t) {
      corpus->words[i][t] =
          random_chance(random, 8) ? -1 : random_int(random, 0, KINDS_OF_WORDS - 1);
      for (int32_t y = 0; y < TAGS; ++y)
        corpus->unary[i][t][y] = 3 * random_unit(random);
    }
    chorale_chain chain = {.struct_size = sizeof chain};
    chain.length = WORDS;
    chain.labels = TAGS;
    chain.unary = corpus->unary[i];
    chain.edges = corpus->edges;
    chain.edge_matrices = 1;
    OK(chorale_model_builder_add_chain(builder, &chain, NULL, NULL, &error));
  }
  for (int32_t document = -1; document < SENTENCES / 20; ++document)
    for (int32_t word = document < 0 ? -1 : 0; word < (document < 0 ? 0 : KINDS_OF_WORDS); ++word) {
      const int32_t first = document < 0 ? 0 : 20 * document;
      const int32_t end = document < 0 ? SENTENCES : first + 20;
      int32_t count = 0;
      for (int32_t i = first; i < end; ++i)
        for (int32_t t = 0; t < WORDS; ++t)
          count += corpus->words[i][t] == word;
      if (count < 2)
        continue;
      chorale_clique_setup setup = {.struct_size = sizeof setup};
      setup.values = TAGS;
      setup.potential = corpus->potts;
      int64_t clique = 0;
      OK(chorale_model_builder_add_cliques(builder, &setup, 1, &clique, &error));
      for (int32_t i = first; i < end; ++i)
        for (int32_t t = 0; t < WORDS; ++t)
          if (corpus->words[i][t] == word)
            OK(put_position(builder, clique, i, t, &error));
    }
  OK(chorale_model_builder_freeze(builder, &corpus->model, &error));
  chorale_model_builder_destroy(builder);
}

static double score_of_run(const Corpus *corpus, chorale_run *run) {
  chorale_error error;
  static int32_t labels[SENTENCES * WORDS];
  double score = 0;
  OK(chorale_run_labels(run, CHORALE_ALL_CHAINS, CHORALE_TOGETHER, labels, SENTENCES * WORDS, NULL,
                        &error));
  OK(chorale_model_score(NULL, corpus->model, labels, SENTENCES * WORDS, &score, NULL, NULL,
                         &error));
  return score;
}

static void an_edit_costs_what_it_changes(void **state) {
  (void)state;
  static Corpus corpus;
  chorale_error error;
  Random random = {test_seed() + 81};
  open_corpus(&random, &corpus);
  CountingAllocator counting;
  counting_allocator_init(&counting);
  chorale_host host = {.struct_size = sizeof host};
  host.allocator = &counting.hooks;
  chorale_run_options options = {.struct_size = sizeof options};
  options.edits = 1;
  chorale_run *run = NULL;
  OK(chorale_run_create(&host, corpus.model, &options, NULL, &run, &error));
  const int64_t allocations = counting.allocations;
  chorale_run_result result, first;
  result = (chorale_run_result){.struct_size = sizeof result};
  first = (chorale_run_result){.struct_size = sizeof first};
  OK(chorale_run_solve(run, &first, &error));
  assert_true(first.score == score_of_run(&corpus, run));
  int64_t chains = first.chain_updates, most = 0, sum = 0;
  const int64_t turns = test_rounds(100) > 300 ? 300 : test_rounds(100);
  for (int64_t turn = 0; turn < turns; ++turn) {
    const int32_t i = random_int(&random, 0, SENTENCES - 1), t = random_int(&random, 0, WORDS - 1);
    int32_t labels[WORDS];
    OK(chorale_run_labels(run, i, CHORALE_TOGETHER, labels, WORDS, NULL, &error));
    uint8_t only[TAGS] = {0};
    only[(labels[t] + 1 + random_int(&random, 0, TAGS - 2)) % TAGS] = 1;
    OK(chorale_run_set_allowed(run, i, t, only, &error));
    OK(chorale_run_solve(run, &result, &error));
    most = result.chain_updates - chains > most ? result.chain_updates - chains : most;
    sum += result.chain_updates - chains;
    chains = result.chain_updates;
    OK(chorale_run_labels(run, i, CHORALE_TOGETHER, labels, WORDS, NULL, &error));
    assert_int_equal(only[labels[t]], 1);
    /* The score has the same bits as one that is summed again. */
    assert_true(result.score == score_of_run(&corpus, run));
    if (turn % 2 == 0) {
      const double before = result.score;
      OK(chorale_run_set_allowed(run, i, t, NULL, &error));
      OK(chorale_run_solve(run, &result, &error));
      assert_true(result.score >= before - 1e-9);
      chains = result.chain_updates;
      continue;
    }
  }
  print_message("%lld chains at most, %.3g on average, updated by an edit of one of %d\n",
                (long long)most, (double)sum / (double)(turns > 0 ? turns : 1), SENTENCES);
  assert_int_equal(counting.allocations, allocations);
  assert_true(most < SENTENCES || turns < 100);
  assert_true(sum < turns * 200);
  /* Edits strengths, also that of the clique over the whole corpus, which affects many chains at
   * once. */
  double before = result.score;
  const int64_t cliques = chorale_model_clique_count(corpus.model);
  ToldChain *told = malloc(SENTENCES * sizeof *told);
  double *of_cliques = malloc((size_t)cliques * sizeof *of_cliques);
  for (int64_t clique = 0; clique < 8; ++clique) {
    OK(chorale_run_set_strength(run, clique, clique % 2 == 0 ? 2 : 0.5, &error));
    OK(chorale_run_solve(run, &result, &error));
    double sum_of = 0;
    const int64_t without_json = counting.allocations;
    assert_null(told_scores(run, SENTENCES, told, cliques, of_cliques));
    counting.allocations = without_json;
    for (int64_t c = 0; c < cliques; ++c)
      sum_of += of_cliques[c];
    for (int64_t i = 0; i < SENTENCES; ++i)
      sum_of += told[i].score;
    assert_true(fabs(sum_of - result.score) <= 1e-9 * fabs(sum_of));
    if (clique % 2 == 0)
      assert_true(result.score >= before - 1e-9);
    before = result.score;
  }
  free(told);
  free(of_cliques);
  chorale_run_reset(run);
  OK(chorale_run_solve(run, &result, &error));
  assert_true(result.score == first.score);
  assert_int_equal(counting.allocations, allocations);
  chorale_run_destroy(run);
  assert_int_equal(counting.live, 0);
  chorale_model_release(corpus.model);
  chorale_potential_release(corpus.potts);
}

/* ---- Items and large cliques -------------------------------------------------------------- */

enum { ITEMS = 60, NAMES = 12 };

/* Returns a model of items; those of a name agree. With two labels, cliques are solved exactly. */
static chorale_model *model_of_items(Random *random, double scores[ITEMS][2],
                                     const chorale_potential *agree) {
  chorale_error error;
  chorale_model_builder *builder = NULL;
  chorale_model *model = NULL;
  int32_t names[ITEMS];
  for (int32_t i = 0; i < ITEMS; ++i) {
    names[i] = random_int(random, 0, NAMES - 1);
    for (int32_t y = 0; y < 2; ++y)
      scores[i][y] = random_unit(random);
  }
  chorale_corpus corpus = {.struct_size = sizeof corpus};
  corpus.chains = ITEMS;
  corpus.labels = 2;
  corpus.unary = scores[0];
  corpus.tokens = names;
  OK(chorale_model_builder_create(NULL, &builder, &error));
  OK(chorale_model_builder_add_corpus(builder, &corpus, NULL, &error));
  OK(put_words(builder, agree, NULL, NULL, NULL, &error));
  OK(chorale_model_builder_freeze(builder, &model, &error));
  chorale_model_builder_destroy(builder);
  return model;
}

/* The items of a name, which no message reaches, have the labels of a fresh run after edits. */
static void items_follow_the_edits_of_their_fellows(void **state) {
  (void)state;
  Random random = {test_seed() + 31};
  chorale_error error;
  chorale_potential *agree = NULL;
  OK(chorale_potential_create_potts(NULL, 2, 0.2, NULL, &agree, &error));
  int64_t followed = 0;
  for (int64_t k = 0; k < test_rounds(40); ++k) {
    double scores[ITEMS][2], strengths[ITEMS];
    uint8_t allowed[ITEMS][2];
    int32_t labels[ITEMS], fresh_labels[ITEMS], before[ITEMS];
    chorale_model *model = model_of_items(&random, scores, agree);
    const int64_t cliques = chorale_model_clique_count(model);
    memset(allowed, 1, sizeof allowed);
    for (int32_t c = 0; c < ITEMS; ++c)
      strengths[c] = 1;
    chorale_run_options options = {.struct_size = sizeof options};
    options.edits = 1;
    chorale_run_result result, fresh_result;
    result = (chorale_run_result){.struct_size = sizeof result};
    fresh_result = (chorale_run_result){.struct_size = sizeof fresh_result};
    chorale_run *run = NULL;
    OK(chorale_run_create(NULL, model, &options, NULL, &run, &error));
    OK(chorale_run_solve(run, &result, &error));
    OK(chorale_run_labels(run, CHORALE_ALL_CHAINS, CHORALE_TOGETHER, before, ITEMS, NULL, &error));
    chorale_chain item = {.struct_size = sizeof item};
    item.length = 1;
    item.labels = 2;
    for (int32_t turn = 0; turn < 8; ++turn) {
      const int32_t i = random_int(&random, 0, ITEMS - 1), what = random_int(&random, 0, 2);
      if (what == 0) {
        scores[i][0] = 3 * random_unit(&random);
        item.unary = scores[i];
        OK(chorale_run_set_chain(run, i, &item, &error));
      } else if (what == 1) {
        const int32_t y = random_int(&random, 0, 2);
        allowed[i][0] = y != 0;
        allowed[i][1] = y != 1;
        OK(chorale_run_set_allowed(run, i, 0, allowed[i], &error));
      } else {
        const int32_t c = random_int(&random, 0, (int32_t)cliques - 1);
        strengths[c] = random_chance(&random, 30) ? 0 : 2 * random_unit(&random);
        OK(chorale_run_set_strength(run, c, strengths[c], &error));
      }
      OK(chorale_run_solve(run, &result, &error));
      OK(chorale_run_labels(run, CHORALE_ALL_CHAINS, CHORALE_TOGETHER, labels, ITEMS, NULL,
                            &error));
      for (int32_t j = 0; j < ITEMS; ++j)
        followed += j != i && labels[j] != before[j];
      memcpy(before, labels, sizeof before);
      chorale_run *fresh = NULL;
      OK(chorale_run_create(NULL, model, &options, NULL, &fresh, &error));
      for (int32_t j = 0; j < ITEMS; ++j) {
        item.unary = scores[j];
        OK(chorale_run_set_chain(fresh, j, &item, &error));
        OK(chorale_run_set_allowed(fresh, j, 0, allowed[j], &error));
      }
      for (int64_t c = 0; c < cliques; ++c)
        OK(chorale_run_set_strength(fresh, c, strengths[c], &error));
      OK(chorale_run_solve(fresh, &fresh_result, &error));
      OK(chorale_run_labels(fresh, CHORALE_ALL_CHAINS, CHORALE_TOGETHER, fresh_labels, ITEMS, NULL,
                            &error));
      for (int32_t j = 0; j < ITEMS; ++j)
        if (labels[j] != fresh_labels[j])
          fail_msg("seed %llu, model %lld, turn %d: item %d has label %d, in a fresh run %d",
                   (unsigned long long)test_seed(), (long long)k, turn, j, labels[j],
                   fresh_labels[j]);
      chorale_run_destroy(fresh);
    }
    chorale_run_destroy(run);
    chorale_model_release(model);
  }
  print_message("%lld labels followed an edit of another item or a strength\n",
                (long long)followed);
  assert_true(followed > 0);
  chorale_potential_release(agree);
}

/* A clique so large that it computes no messages after an edit of one member. Every member that
 * takes label 1 makes it the better label of the next one. */
/* Solves a clique of 300 members in which all take label 0, forces the first to label 1 and solves
 * again. `drawn`: the members below 100 are drawn to label 1, one after the other, by those who take
 * it; otherwise nobody else ever is. Returns the outcome of the solve after the edit. */
static chorale_outcome edit_in_a_large_clique(int drawn) {
  enum { CHAINS = 300, MOVING = 100 };
  static double unary[CHAINS][2][2];
  int32_t labels[2 * CHAINS];
  chorale_error error;
  chorale_model_builder *builder = NULL;
  chorale_potential *agree = NULL;
  chorale_model *model = NULL;
  const double step = 1.0 / 16; /* what label 1 gains where another member takes it */
  OK(chorale_potential_create_potts(NULL, 2, step / 2, NULL, &agree, &error));
  OK(chorale_model_builder_create(NULL, &builder, &error));
  chorale_clique_setup setup = {.struct_size = sizeof setup};
  setup.values = 2;
  setup.potential = agree;
  int64_t clique = 0;
  OK(chorale_model_builder_add_cliques(builder, &setup, 1, &clique, &error));
  for (int32_t i = 0; i < CHAINS; ++i) {
    /* With k others at label 1, the clique gives step * (CHAINS - 1 - 2 k) more for label 0. Member
     * i gains by label 1 from k = i on; the first and the last members never do. */
    unary[i][0][1] = !drawn || i == 0 || i >= MOVING ? -2 * step * CHAINS
                                           : step * (CHAINS - 1 - 2 * i) + step / 2;
    chorale_chain chain = {.struct_size = sizeof chain};
    chain.length = 2;
    chain.labels = 2;
    chain.unary = unary[i][0];
    OK(chorale_model_builder_add_chain(builder, &chain, NULL, NULL, &error));
    OK(put_position(builder, clique, i, 0, &error));
  }
  OK(chorale_model_builder_freeze(builder, &model, &error));
  chorale_model_builder_destroy(builder);
  chorale_potential_release(agree);
  chorale_run_options options = {.struct_size = sizeof options};
  options.edits = 1;
  chorale_run *run = NULL;
  chorale_run_result result = {.struct_size = sizeof result};
  OK(chorale_run_create(NULL, model, &options, NULL, &run, &error));
  OK(chorale_run_solve(run, &result, &error));
  assert_int_equal(result.outcome, CHORALE_OUTCOME_COMPLETE);
  OK(chorale_run_labels(run, CHORALE_ALL_CHAINS, CHORALE_TOGETHER, labels, 2 * CHAINS, NULL,
                        &error));
  for (int32_t i = 0; i < CHAINS; ++i)
    assert_int_equal(labels[2 * i], 0);
  const uint8_t only[2] = {0, 1};
  OK(chorale_run_set_allowed(run, 0, 0, only, &error));
  OK(chorale_run_solve(run, &result, &error));
  OK(chorale_run_labels(run, CHORALE_ALL_CHAINS, CHORALE_TOGETHER, labels, 2 * CHAINS, NULL,
                        &error));
  for (int32_t i = 0; i < CHAINS; ++i)
    assert_int_equal(labels[2 * i], drawn ? i < MOVING : i == 0);
  const chorale_outcome outcome = result.outcome;
  OK(chorale_run_solve(run, &result, &error));
  assert_int_equal(result.outcome, CHORALE_OUTCOME_COMPLETE);
  chorale_run_destroy(run);
  chorale_model_release(model);
  return outcome;
}

static void an_edit_spreads_in_a_large_clique(void **state) {
  (void)state;
  assert_int_equal(edit_in_a_large_clique(1), CHORALE_OUTCOME_COMPLETE);
}

static void a_large_clique_is_left_to_the_next_solve(void **state) {
  (void)state;
  assert_int_equal(edit_in_a_large_clique(0), CHORALE_OUTCOME_ITERATION_LIMIT);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(edits_are_judged_by_enumeration),
                                     cmocka_unit_test(edits_give_the_same_bits),
                                     cmocka_unit_test(items_follow_the_edits_of_their_fellows),
                                     cmocka_unit_test(an_edit_spreads_in_a_large_clique),
                                     cmocka_unit_test(a_large_clique_is_left_to_the_next_solve),
                                     cmocka_unit_test(an_edit_costs_what_it_changes)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
