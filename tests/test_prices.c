/* Shared cliques: a model under prices against enumeration; prices as tangents, and the upper bound
 * over all counts; corpora in any number of parts; invalid calls. */
#include "fixture_cluster.h"

/* ---- A model under prices ------------------------------------------------------------------ */

typedef struct Tried {
  int64_t solved, exact;
} Tried;

typedef struct Answer {
  chorale_run_result result;
  double score;
  int64_t counts[MOST_PRICES];
  Labelling labels;
  int is_aside[MOST_CHAINS]; /* 1: left out, undecided; `labels` has -1 */
} Answer;

/* Solves under prices; returns 0 if no labelling was found. */
static int solve_under(chorale_prices *prices, const Cluster *cluster, const double *numbers,
                       int64_t count, Answer *answer) {
  chorale_error error;
  memset(answer, 0, sizeof *answer);
  answer->result = (chorale_run_result){.struct_size = sizeof answer->result};
  OK(chorale_prices_solve(prices, numbers, count, &answer->score, &answer->result, &error));
  int64_t needed = 0;
  OK(chorale_prices_counts(prices, NULL, 0, &needed, &error));
  assert_int_equal(needed, count);
  if (!isfinite(answer->score)) {
    FAILS(chorale_prices_counts(prices, answer->counts, MOST_PRICES, NULL, &error),
          CHORALE_ERROR_NO_LABELLING, "has no labelling");
    return 0;
  }
  OK(chorale_prices_counts(prices, answer->counts, MOST_PRICES, NULL, &error));
  for (int32_t i = 0; i < cluster->chain_count; ++i)
    OK(chorale_run_labels(chorale_prices_run(prices), i, CHORALE_TOGETHER, answer->labels[i],
                          MOST_POSITIONS, NULL, &error));
  chorale_left_out named[MOST_CHAINS];
  OK(chorale_run_left_out(chorale_prices_run(prices), named, sizeof named[0], MOST_CHAINS, &needed,
                          &error));
  for (int64_t k = 0; k < needed; ++k)
    if (named[k].obstacle == CHORALE_OBSTACLE_UNDECIDED) {
      const int64_t i = named[k].chain;
      answer->is_aside[i] = 1;
      for (int32_t t = 0; t < cluster->chains[i].length; ++t)
        answer->labels[i][t] = -1;
    }
  return 1;
}

static const char *check_under_prices(const Cluster *cluster, void *context) {
  Tried *tried = context;
  chorale_error error;
  Random random = {test_seed()};
  for (int32_t i = 0; i < cluster->chain_count; ++i) /* other choices for every model */
    random.state += (uint64_t)(int64_t)(cluster->chains[i].unary[0][0] * 1e6) * (uint64_t)(i + 7);
  static Built built;
  build(cluster, NULL, &built);
  int64_t shared[MOST_CLIQUES], count = 0, values = 0;
  double numbers[MOST_PRICES];
  Cluster priced = *cluster;
  int all = 1;
  for (int32_t c = cluster->clique_count - 1; c >= 0; --c) {
    if (cluster->cliques[c].centre_values > 0 || random_chance(&random, 20)) {
      all = 0;
      continue;
    }
    shared[count++] = c;
    Problem *potential = &priced.cliques[c].potentials[0];
    for (int32_t v = 0; v < potential->values; ++v)
      numbers[values + v] = 4 * random_unit(&random) - 2;
    make_linear(potential, numbers + values);
    values += potential->values;
  }
  const char *complaint = NULL;
  ClusterTruth truth;
  chorale_prices *prices = NULL;
  if (chorale_prices_create(NULL, built.model, shared, count, NULL, &prices, &error) !=
      CHORALE_OK) {
    close_built(cluster, &built);
    return complain("create: %s", error.message);
  }
  static Answer answer, again;
  if (solve_under(prices, cluster, numbers, values, &answer)) {
    ++tried->solved;
    memcpy(priced.is_aside, answer.is_aside, sizeof priced.is_aside);
    Parts parts, under;
    own_parts(cluster, answer.labels, &parts);
    own_parts(&priced, answer.labels, &under);
    int64_t counts[MOST_PRICES];
    const double rest = shared_counts(cluster, &parts, shared, count, counts);
    if (memcmp(counts, answer.counts, sizeof *counts * (size_t)values) != 0)
      complaint = complain("counts are not those of the labels");
    else if (isfinite(rest) && !is_close(rest, answer.score))
      complaint = complain("score is %.17g, not %.17g", answer.score, rest);
    else if (!is_close(under.total, answer.result.score))
      complaint = complain("under prices %.17g, not %.17g", answer.result.score, under.total);
    else if (enumerate_cluster(&priced, &truth)) {
      if (!is_at_most(answer.result.score, truth.best_any))
        complaint = complain("%.17g is above the optimum %.17g", answer.result.score,
                             truth.best_any);
      else if (all && !is_at_most(truth.best, answer.result.score))
        complaint = complain("%.17g is below the optimum %.17g", answer.result.score, truth.best);
      tried->exact += all;
    }
    /* Solving under other prices in between changes nothing. */
    double others[MOST_PRICES];
    for (int64_t v = 0; v < values; ++v)
      others[v] = -3 * numbers[v];
    OK(chorale_prices_solve(prices, others, values, NULL, NULL, &error));
    if (!complaint && (!solve_under(prices, cluster, numbers, values, &again) ||
                       memcmp(again.labels, answer.labels, sizeof again.labels) != 0 ||
                       again.score != answer.score))
      complaint = complain("the same prices give other labels the second time");
  }
  chorale_prices_destroy(prices);
  close_built(cluster, &built);
  return complaint;
}

static void models_under_prices(void **state) {
  (void)state;
  Tried tried = {0, 0};
  check_clusters("prices", test_rounds(600), random_cluster, check_under_prices, &tried);
  check_clusters("prices, crowded", test_rounds(200), random_crowded_cluster, check_under_prices,
                 &tried);
  check_clusters("prices, items", test_rounds(200), random_item_cluster, check_under_prices,
                 &tried);
  print_message("%lld models, %lld with all cliques shared and a known optimum\n",
                (long long)tried.solved, (long long)tried.exact);
  assert_true(tried.solved * 2 > test_rounds(1000));
  assert_true(tried.exact * 10 > test_rounds(1000));
}

/* ---- Prices of a potential ----------------------------------------------------------------- */

enum { FEW = 5 }; /* members */

/* Calls `visit` for all counts of `values` values with a sum of at most FEW. */
typedef void (*Visit)(const int64_t *counts, void *context);
static void each_counts(int64_t *counts, int32_t from, int32_t values, int64_t left, Visit visit,
                        void *context) {
  if (from == values) {
    visit(counts, context);
    return;
  }
  for (counts[from] = 0; counts[from] <= left; ++counts[from])
    each_counts(counts, from + 1, values, left - counts[from], visit, context);
}

typedef struct Tangent {
  const Problem *problem;
  const chorale_potential *potential;
  double prices[MAX_VALUES], score; /* at `at` */
  int64_t at[MAX_VALUES];
  double most; /* of C(m) - p m, over all counts */
  const char *complaint;
} Tangent;

static double score_at(const Tangent *tangent, const int64_t *counts) {
  double score = 0;
  chorale_error error;
  OK(chorale_potential_prices(tangent->potential, counts, tangent->problem->values, FEW, NULL,
                              &score, &error));
  return score;
}

static void compare_tangent(const int64_t *counts, void *context) {
  Tangent *tangent = context;
  const double score = score_at(tangent, counts);
  double line = tangent->score, paid = 0;
  int64_t counted = 0;
  for (int32_t v = 0; v < tangent->problem->values; ++v) {
    line += tangent->prices[v] * (double)(counts[v] - tangent->at[v]);
    paid += tangent->prices[v] * (double)counts[v];
    counted += counts_value(tangent->problem, v) ? counts[v] : 0;
  }
  tangent->most = fmax(tangent->most, score - paid);
  if (counted > 0 && !is_at_most(line, score))
    tangent->complaint = complain("the tangent is %.17g where C is %.17g", line, score);
}

static void begin_at(const int64_t *counts, void *context) {
  Tangent *tangent = context;
  const int32_t values = tangent->problem->values;
  chorale_error error;
  int64_t counted = 0, copy[MAX_VALUES], again[MAX_VALUES];
  memcpy(copy, counts, sizeof *copy * (size_t)values);
  for (int32_t v = 0; v < values; ++v)
    counted += counts_value(tangent->problem, v) ? counts[v] : 0;
  if (counted == 0)
    return;
  memcpy(tangent->at, copy, sizeof *copy * (size_t)values);
  OK(chorale_potential_prices(tangent->potential, copy, values, FEW, tangent->prices,
                              &tangent->score, &error));
  /* The score of the counts computed separately; the other members have no value of this
   * potential. */
  Problem whole = *tangent->problem;
  whole.members = FEW;
  if (!is_close(tangent->score, own_clique_score(&whole, copy)))
    tangent->complaint = complain("C is %.17g, not %.17g", tangent->score,
                                  own_clique_score(&whole, copy));
  tangent->most = -INFINITY;
  each_counts(again, 0, values, FEW, compare_tangent, tangent);
  double most = 0;
  OK(chorale_potential_most(tangent->potential, tangent->prices, values, FEW, &most, &error));
  if (!is_close(most, tangent->most))
    tangent->complaint = complain("C - p m is at most %.17g, not %.17g", tangent->most, most);
}

static const char *check_tangents(const Problem *problem, void *context) {
  int64_t *served = context;
  chorale_error error;
  Tangent tangent = {.problem = problem};
  chorale_potential *potential = NULL;
  if (problem->values > 3 || (problem->length > 0 && problem->length <= FEW))
    return NULL;
  OK(make_potential(problem, NULL, &potential, &error));
  tangent.potential = potential;
  int64_t counts[MAX_VALUES] = {FEW};
  const int is_served = chorale_potential_prices(potential, counts, problem->values, FEW,
                                                 tangent.prices, NULL, &error) == CHORALE_OK;
  if (is_served && problem->kind == KIND_MAJORITY) {
    tangent.complaint = complain("MAJORITY has prices");
  } else if (is_served) {
    ++*served;
    each_counts(counts, 0, problem->values, FEW, begin_at, &tangent);
  } else if (error.status != CHORALE_ERROR_KIND) {
    tangent.complaint = complain("%s", error.message);
  } else if (problem->kind == KIND_POTTS && problem->lambda >= 0) {
    tangent.complaint = complain("Potts has no prices: %s", error.message);
  }
  chorale_potential_release(potential);
  return tangent.complaint;
}

static void tangents_lie_below(void **state) {
  (void)state;
  int64_t served = 0;
  check_kinds("tangents", KIND_POTTS, KIND_PAIRS_SEPARABLE, test_rounds(200), check_tangents,
              &served);
  print_message("%lld potentials\n", (long long)served);
  assert_true(served * 2 > test_rounds(200));
}

static void potts_costs_two_lambda_n(void **state) {
  (void)state;
  chorale_error error;
  chorale_potential *potts = NULL;
  OK(chorale_potential_create_potts(NULL, 3, 0.5, NULL, &potts, &error));
  const int64_t counts[] = {3, 2, 0};
  double prices[3], score;
  OK(chorale_potential_prices(potts, counts, 3, 1000, prices, &score, &error));
  assert_true(prices[0] == 3 && prices[1] == 2 && prices[2] == 0.5 && score == 6.5);
  chorale_potential_release(potts);
}

/* ---- A corpus in parts --------------------------------------------------------------------- */

enum { DOCUMENTS = 24, TOKENS = 7, WORDS = 5, LABELS = 3, ROUNDS = 12 };

typedef struct Corpus {
  double scores[DOCUMENTS][TOKENS][LABELS];
  double transitions[LABELS * LABELS];
  int32_t words[DOCUMENTS][TOKENS];
  int64_t members[WORDS];
} Corpus;

static void random_corpus(Random *random, Corpus *corpus) {
  memset(corpus->members, 0, sizeof corpus->members);
  for (int k = 0; k < LABELS * LABELS; ++k)
    corpus->transitions[k] = random_unit(random);
  for (int d = 0; d < DOCUMENTS; ++d)
    for (int t = 0; t < TOKENS; ++t) {
      corpus->words[d][t] = random_int(random, -1, WORDS - 1);
      if (corpus->words[d][t] >= 0)
        ++corpus->members[corpus->words[d][t]];
      for (int y = 0; y < LABELS; ++y)
        corpus->scores[d][t][y] = 3 * random_unit(random);
    }
}

/* The documents order[from .. to-1]; words that occur in them are the shared cliques. */
typedef struct Part {
  chorale_prices *prices;
  int32_t words[WORDS];
  int64_t count;
} Part;

static void open_part(const Corpus *corpus, const chorale_potential *potential, const int *order,
                      int from, int to, Part *part) {
  chorale_error error;
  chorale_model_builder *builder = NULL;
  chorale_model *model = NULL;
  OK(chorale_model_builder_create(NULL, &builder, &error));
  chorale_transitions *transitions = NULL;
  OK(chorale_transitions_create(NULL, LABELS, corpus->transitions, NULL, &transitions, &error));
  for (int d = from; d < to; ++d) {
    chorale_chain chain = {.struct_size = sizeof chain};
    chain.length = TOKENS;
    chain.labels = LABELS;
    chain.unary = corpus->scores[order[d]];
    chain.transitions = transitions;
    OK(chorale_model_builder_add_chain(builder, &chain, NULL, NULL, &error));
  }
  int64_t cliques[WORDS];
  part->count = 0;
  for (int32_t w = 0; w < WORDS; ++w) {
    int64_t clique = -1;
    for (int d = from; d < to; ++d)
      for (int t = 0; t < TOKENS; ++t) {
        if (corpus->words[order[d]][t] != w)
          continue;
        if (clique < 0) {
          chorale_clique_setup setup = {.struct_size = sizeof setup};
          setup.values = LABELS;
          setup.potential = potential;
          OK(chorale_model_builder_add_cliques(builder, &setup, 1, &clique, &error));
          part->words[part->count] = w;
          cliques[part->count++] = clique;
        }
        OK(put_position(builder, clique, d - from, t, &error));
      }
  }
  OK(chorale_model_builder_freeze(builder, &model, &error));
  OK(chorale_prices_create(NULL, model, cliques, part->count, NULL, &part->prices, &error));
  chorale_model_release(model);
  chorale_transitions_release(transitions);
  chorale_model_builder_destroy(builder);
}

/* Labels the corpus in `parts` parts, starting from the counts of `seed` (NULL: from zero
 * prices). */
static void label_in(const Corpus *corpus, const chorale_potential *potential, const int *order,
                     int parts, const int64_t (*seed)[LABELS],
                     int32_t labels[DOCUMENTS][TOKENS], double scores[ROUNDS]) {
  chorale_error error;
  Part part[DOCUMENTS];
  double prices[WORDS][LABELS] = {{0}};
  for (int p = 0; p < parts; ++p)
    open_part(corpus, potential, order, p * DOCUMENTS / parts, (p + 1) * DOCUMENTS / parts,
              &part[p]);
  for (int w = 0; w < WORDS && seed; ++w)
    OK(chorale_potential_prices(potential, seed[w], LABELS, corpus->members[w], prices[w], NULL,
                                &error));
  for (int round = 0; round < ROUNDS; ++round) {
    int64_t counts[WORDS][LABELS] = {{0}};
    scores[round] = 0;
    for (int p = 0; p < parts; ++p) {
      double numbers[WORDS * LABELS], score;
      int64_t found[WORDS * LABELS];
      for (int64_t k = 0; k < part[p].count; ++k)
        memcpy(numbers + k * LABELS, prices[part[p].words[k]], sizeof prices[0]);
      OK(chorale_prices_solve(part[p].prices, numbers, part[p].count * LABELS, &score, NULL,
                              &error));
      OK(chorale_prices_counts(part[p].prices, found, WORDS * LABELS, NULL, &error));
      scores[round] += score;
      for (int64_t k = 0; k < part[p].count * LABELS; ++k)
        counts[part[p].words[k / LABELS]][k % LABELS] += found[k];
    }
    for (int w = 0; w < WORDS; ++w) {
      double score;
      OK(chorale_potential_prices(potential, counts[w], LABELS, corpus->members[w], prices[w],
                                  &score, &error));
      scores[round] += score;
    }
  }
  for (int p = 0; p < parts; ++p) {
    const int from = p * DOCUMENTS / parts;
    for (int d = from; d < (p + 1) * DOCUMENTS / parts; ++d)
      OK(chorale_run_labels(chorale_prices_run(part[p].prices), d - from, CHORALE_TOGETHER,
                            labels[order[d]], TOKENS, NULL, &error));
    chorale_prices_destroy(part[p].prices);
  }
}

static void a_corpus_has_the_same_labels_in_any_parts(void **state) {
  (void)state;
  chorale_error error;
  for (int64_t k = 0; k < test_rounds(40); ++k) {
    Random random = {test_seed() + (uint64_t)k};
    static Corpus corpus;
    random_corpus(&random, &corpus);
    chorale_potential_options options = {.struct_size = sizeof options};
    options.scale = CHORALE_SCALE_BY_MEMBERS;
    chorale_potential *potts = NULL;
    OK(chorale_potential_create_potts(NULL, LABELS, 1.5, &options, &potts, &error));
    int64_t seed[WORDS][LABELS] = {{0}};
    for (int w = 0; w < WORDS; ++w)
      seed[w][random_int(&random, 0, LABELS - 1)] = corpus.members[w];
    int order[DOCUMENTS];
    for (int d = 0; d < DOCUMENTS; ++d)
      order[d] = d;
    int32_t whole[DOCUMENTS][TOKENS], parts[DOCUMENTS][TOKENS];
    double scores[ROUNDS], others[ROUNDS];
    label_in(&corpus, potts, order, 1, (const int64_t(*)[LABELS])seed, whole, scores);
    for (int round = 1; round < ROUNDS; ++round)
      if (!is_at_most(scores[round - 1], scores[round]))
        fail_msg("seed %llu: round %d falls from %.17g to %.17g",
                 (unsigned long long)(test_seed() + (uint64_t)k), round, scores[round - 1],
                 scores[round]);
    static const int kParts[] = {2, 3, 8, DOCUMENTS};
    for (size_t p = 0; p < COUNT_OF(kParts); ++p) {
      for (int d = DOCUMENTS - 1; d > 0; --d) {
        const int other = random_int(&random, 0, d), held = order[d];
        order[d] = order[other];
        order[other] = held;
      }
      label_in(&corpus, potts, order, kParts[p], (const int64_t(*)[LABELS])seed, parts, others);
      if (memcmp(whole, parts, sizeof whole) != 0)
        fail_msg("seed %llu: other labels in %d parts",
                 (unsigned long long)(test_seed() + (uint64_t)k), kParts[p]);
      assert_true(is_close(scores[ROUNDS - 1], others[ROUNDS - 1]));
    }
    chorale_potential_release(potts);
  }
}

/* ---- What cannot be ------------------------------------------------------------------------ */

static chorale_model *small_model(chorale_potential *potential) {
  chorale_error error;
  static const double unary[] = {1, 0, 0, 1};
  static const int64_t offsets[] = {0, 2, 2}, chains[] = {0, 1};
  chorale_model_builder *builder = NULL;
  chorale_model *model = NULL;
  chorale_corpus corpus = {.struct_size = sizeof corpus};
  corpus.chains = 2;
  corpus.labels = 2;
  corpus.unary = unary;
  chorale_clique_setup setup = {.struct_size = sizeof setup};
  setup.values = 2;
  setup.potential = potential;
  OK(chorale_model_builder_create(NULL, &builder, &error));
  OK(chorale_model_builder_add_corpus(builder, &corpus, NULL, &error));
  OK(chorale_model_builder_add_cliques(builder, &setup, 2, NULL, &error));
  OK(put_ragged(builder, 0, 2, offsets, chains, NULL, NULL, &error));
  const chorale_potential *const centres[] = {potential, potential};
  setup.potential = NULL;
  setup.centre_potentials = centres;
  setup.centre_values = 2;
  int64_t centred;
  OK(chorale_model_builder_add_cliques(builder, &setup, 1, &centred, &error));
  OK(put_centre(builder, centred, 0, 0, &error));
  OK(chorale_model_builder_freeze(builder, &model, &error));
  chorale_model_builder_destroy(builder);
  return model;
}

static void what_cannot_be(void **state) {
  (void)state;
  chorale_error error;
  chorale_potential *potts = NULL, *concave = NULL;
  OK(chorale_potential_create_potts(NULL, 2, 1, NULL, &potts, &error));
  OK(chorale_potential_create_potts(NULL, 2, -1, NULL, &concave, &error));
  chorale_model *model = small_model(potts);
  chorale_prices *prices = NULL;
  const int64_t both[] = {0, 1}, twice[] = {0, 0}, beyond[] = {3}, centred[] = {2};
  FAILS(chorale_prices_create(NULL, NULL, both, 2, NULL, &prices, &error),
        CHORALE_ERROR_NULL_ARGUMENT, "model is NULL");
  FAILS(chorale_prices_create(NULL, model, both, 2, NULL, NULL, &error),
        CHORALE_ERROR_NULL_ARGUMENT, "prices is NULL");
  FAILS(chorale_prices_create(NULL, model, NULL, 1, NULL, &prices, &error),
        CHORALE_ERROR_NULL_ARGUMENT, "cliques is NULL");
  FAILS(chorale_prices_create(NULL, model, both, -1, NULL, &prices, &error), CHORALE_ERROR_SIZE,
        "count is -1");
  FAILS(chorale_prices_create(NULL, model, twice, 2, NULL, &prices, &error),
        CHORALE_ERROR_DUPLICATE_MEMBER, "cliques[1] is clique 0");
  FAILS(chorale_prices_create(NULL, model, beyond, 1, NULL, &prices, &error),
        CHORALE_ERROR_OUT_OF_RANGE, "cliques[0] is 3", "from 0 to 2");
  FAILS(chorale_prices_create(NULL, model, centred, 1, NULL, &prices, &error), CHORALE_ERROR_KIND,
        "clique 2", "centred");
  chorale_run_options options = {.struct_size = sizeof options};
  options.rounds = -2;
  FAILS(chorale_prices_create(NULL, model, both, 2, &options, &prices, &error),
        CHORALE_ERROR_SIZE, "options->rounds is -2");
  assert_null(prices);

  OK(chorale_prices_create(NULL, model, both, 2, NULL, &prices, &error));
  chorale_model_release(model); /* kept alive */
  int64_t counts[4] = {-1, -1, -1, -1}, needed = 0;
  FAILS(chorale_prices_counts(prices, counts, 4, &needed, &error), CHORALE_ERROR_NO_LABELLING,
        "has not been solved");
  double numbers[] = {0, 2, 5, 5}, score = 0;
  FAILS(chorale_prices_solve(prices, numbers, 3, &score, NULL, &error), CHORALE_ERROR_SHAPE,
        "count is 3", "values of the shared cliques, 4");
  FAILS(chorale_prices_solve(prices, NULL, 4, &score, NULL, &error), CHORALE_ERROR_NULL_ARGUMENT,
        "numbers is NULL");
  FAILS(chorale_prices_solve(NULL, numbers, 4, &score, NULL, &error),
        CHORALE_ERROR_NULL_ARGUMENT, "prices is NULL");
  OK(chorale_prices_solve(prices, numbers, 4, &score, NULL, &error));
  OK(chorale_prices_counts(prices, counts, 4, &needed, &error));
  assert_true(score == 1 && counts[0] == 0 && counts[1] == 2 && counts[2] == 0 && needed == 4);
  const double kBad[] = {(double)NAN, (double)INFINITY, -(double)INFINITY, 1e300};
  static const chorale_status statuses[] = {CHORALE_ERROR_NOT_A_NUMBER, CHORALE_ERROR_INFINITE,
                                            CHORALE_ERROR_INFINITE, CHORALE_ERROR_OUT_OF_RANGE};
  for (int k = 0; k < 4; ++k) {
    numbers[2] = kBad[k];
    FAILS(chorale_prices_solve(prices, numbers, 4, &score, NULL, &error), statuses[k],
          "numbers[2]");
    FAILS(chorale_potential_most(potts, numbers + 2, 2, 5, &score, &error), statuses[k],
          "prices[0]");
  }
  chorale_run_result result = {.struct_size = sizeof result};
  result.struct_size = 3;
  numbers[2] = 5;
  FAILS(chorale_prices_solve(prices, numbers, 4, &score, &result, &error),
        CHORALE_ERROR_STRUCT_SIZE, "result");
  FAILS(chorale_prices_counts(prices, counts, 3, &needed, &error), CHORALE_ERROR_CAPACITY,
        "capacity is 3", "4");
  FAILS(chorale_prices_counts(prices, counts, -1, &needed, &error), CHORALE_ERROR_SIZE,
        "capacity is -1");
  counts[1] = 0;
  OK(chorale_prices_counts(prices, counts, 4, &needed, &error));
  assert_int_equal(counts[1], 2); /* the last labelling is still there */
  /* All prices 0: every chain is labelled by itself. */
  OK(chorale_prices_solve(prices, NULL, 0, &score, NULL, &error));
  OK(chorale_prices_counts(prices, counts, 4, &needed, &error));
  assert_true(score == 2 && counts[0] == 1 && counts[1] == 1);
  chorale_prices_destroy(prices);
  chorale_prices_destroy(NULL);
  assert_null(chorale_prices_run(NULL));

  double found[2] = {0, 0};
  const int64_t some[] = {2, 1}, many[] = {2, 4}, negative[] = {-1, 2};
  FAILS(chorale_potential_prices(potts, some, 3, 5, found, NULL, &error),
        CHORALE_ERROR_VALUES_MISMATCH, "values is 3");
  FAILS(chorale_potential_prices(potts, many, 2, 5, found, NULL, &error),
        CHORALE_ERROR_OUT_OF_RANGE, "counts[1] is 4", "members = 5");
  FAILS(chorale_potential_prices(potts, negative, 2, 5, found, NULL, &error),
        CHORALE_ERROR_OUT_OF_RANGE, "counts[0] is -1");
  FAILS(chorale_potential_prices(potts, some, 2, -5, found, NULL, &error), CHORALE_ERROR_SIZE,
        "members is -5");
  const double table[] = {0, 1, 3};
  chorale_potential *short_one = NULL;
  OK(chorale_potential_create_sum(NULL, 2, table, 1, 3, 0, NULL, &short_one, &error));
  FAILS(chorale_potential_prices(short_one, some, 2, INT64_MAX, found, NULL, &error),
        CHORALE_ERROR_TABLE_TOO_SHORT, "9223372036854775807", "9223372036854775808");
  chorale_potential_release(short_one);
  FAILS(chorale_potential_prices(concave, some, 2, 5, found, NULL, &error), CHORALE_ERROR_KIND,
        "sum", "convex");
  OK(chorale_potential_prices(concave, some, 2, 5, NULL, found, &error));
  assert_true(found[0] == -5);
  FAILS(chorale_potential_most(concave, found, 2, 5, &score, &error), CHORALE_ERROR_KIND,
        "convex");
  chorale_potential_release(concave);
  chorale_potential_release(potts);
}

/* A solve allocates nothing: all memory is allocated at creation. */
static void a_solve_allocates_nothing(void **state) {
  (void)state;
  chorale_error error;
  CountingAllocator allocator;
  counting_allocator_init(&allocator);
  chorale_host host = {.struct_size = sizeof host};
  host.allocator = &allocator.hooks;
  chorale_potential *potts = NULL;
  OK(chorale_potential_create_potts(NULL, 2, 1, NULL, &potts, &error));
  chorale_model *model = small_model(potts);
  const int64_t first[] = {0};
  chorale_prices *prices = NULL;
  OK(chorale_prices_create(&host, model, first, 1, NULL, &prices, &error));
  const int64_t before = allocator.allocations;
  assert_true(before > 0);
  for (int k = 0; k < 5; ++k) {
    const double numbers[] = {k, 2};
    double score;
    OK(chorale_prices_solve(prices, numbers, 2, &score, NULL, &error));
  }
  assert_int_equal(allocator.allocations, before);
  chorale_prices_destroy(prices);
  assert_int_equal(allocator.live, 0);
  chorale_model_release(model);
  chorale_potential_release(potts);
}

int main(void) {
  print_message("seed %llu\n", (unsigned long long)test_seed());
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(models_under_prices),
      cmocka_unit_test(tangents_lie_below),
      cmocka_unit_test(potts_costs_two_lambda_n),
      cmocka_unit_test(a_corpus_has_the_same_labels_in_any_parts),
      cmocka_unit_test(what_cannot_be),
      cmocka_unit_test(a_solve_allocates_nothing),
  };
  return cmocka_run_group_tests_name("prices", tests, NULL, NULL);
}
