/* Members that count more than once, in models: runs, evaluation, reasons, edits, prices and files
 * against enumeration of all labellings. */
#include "fixture.h"
#include "fixture_held.h"

enum { CHAINS = 3, LONGEST = 2, LABELS = 3, MEMBERS = 5, CLIQUES = 3, MOST = 6 };

typedef struct Clique {
  int32_t over_chains; /* members are whole chains, by the label of their first position */
  int32_t members;
  int64_t chain[MEMBERS], position[MEMBERS], weights[MEMBERS];
  int64_t total;
  double lambda;
  int32_t by_members;
} Clique;

typedef struct Case {
  int32_t chains, cliques, positions;
  int32_t length[CHAINS], first[CHAINS];
  double unary[MOST][LABELS];
  double transitions[LABELS][LABELS];
  Clique clique[CLIQUES];
} Case;

static int32_t count_of(const Case *c) {
  int32_t all = 1;
  for (int32_t p = 0; p < c->positions; ++p)
    all *= LABELS;
  return all;
}

/* The labelling of a number from 0 to count_of() - 1. */
static void labelling_of(const Case *c, int32_t number, int32_t *labels) {
  for (int32_t p = 0; p < c->positions; ++p, number /= LABELS)
    labels[p] = number % LABELS;
}

/* C, with the value of member `varied` replaced unless that is -1. */
static double clique_of(const Clique *q, const Case *c, const int32_t *labels, int32_t varied,
                        int32_t value) {
  double counts[LABELS] = {0};
  for (int32_t i = 0; i < q->members; ++i) {
    const int32_t shown = labels[c->first[q->chain[i]] + q->position[i]];
    counts[i == varied ? value : shown] += (double)q->weights[i];
  }
  double sum = 0;
  for (int32_t v = 0; v < LABELS; ++v)
    sum += counts[v] * counts[v];
  return q->members == 0 ? 0 : q->lambda * sum / (q->by_members ? (double)q->total : 1);
}

static double chains_of(const Case *c, const int32_t *labels) {
  double score = 0;
  for (int32_t i = 0; i < c->chains; ++i)
    for (int32_t t = 0; t < c->length[i]; ++t) {
      const int32_t p = c->first[i] + t;
      score += c->unary[p][labels[p]];
      score += t > 0 ? c->transitions[labels[p - 1]][labels[p]] : 0;
    }
  return score;
}

static double equation_1(const Case *c, const int32_t *labels) {
  double score = chains_of(c, labels);
  for (int32_t q = 0; q < c->cliques; ++q)
    score += clique_of(&c->clique[q], c, labels, -1, 0);
  return score;
}

static double best_of(const Case *c) {
  double best = -INFINITY;
  int32_t labels[MOST] = {0};
  for (int32_t k = 0; k < count_of(c); ++k) {
    labelling_of(c, k, labels);
    best = fmax(best, equation_1(c, labels));
  }
  return best;
}

static Case draw(Random *random, int closed) {
  Case c;
  memset(&c, 0, sizeof c);
  c.chains = random_int(random, 1, CHAINS);
  for (int32_t i = 0; i < c.chains; ++i) {
    c.length[i] = closed ? 1 : random_int(random, 1, LONGEST);
    c.first[i] = c.positions;
    c.positions += c.length[i];
  }
  for (int32_t p = 0; p < c.positions; ++p)
    for (int32_t y = 0; y < LABELS; ++y)
      c.unary[p][y] = 6 * random_unit(random);
  for (int32_t a = 0; a < LABELS; ++a)
    for (int32_t b = 0; b < LABELS; ++b)
      c.transitions[a][b] = random_unit(random);
  c.cliques = closed ? 1 : random_int(random, 1, CLIQUES);
  for (int32_t k = 0; k < c.cliques; ++k) {
    Clique *q = &c.clique[k];
    q->over_chains = !closed && random_chance(random, 40);
    q->by_members = random_chance(random, 50);
    q->lambda = random_unit(random) * (q->by_members ? 4 : 0.4);
    for (int32_t i = 0; i < c.chains; ++i)
      for (int32_t t = 0; t < (q->over_chains ? 1 : c.length[i]); ++t)
        if (q->members < MEMBERS && (closed || random_chance(random, 75))) {
          q->chain[q->members] = i;
          q->position[q->members] = t;
          q->weights[q->members] = random_int(random, 1, 4);
          q->total += q->weights[q->members++];
        }
  }
  return c;
}

static chorale_error error;

static chorale_potential *potts_of(const Clique *q) {
  chorale_potential_options options = {.struct_size = sizeof options};
  options.scale = q->by_members ? CHORALE_SCALE_BY_MEMBERS : CHORALE_SCALE_NONE;
  chorale_potential *potts = NULL;
  OK(chorale_potential_create_potts(NULL, LABELS, q->lambda, &options, &potts, &error));
  return potts;
}

static chorale_property *first_label(void) {
  chorale_label_map map = {.struct_size = sizeof map};
  map.labels = map.kinds = LABELS;
  chorale_property *property = NULL;
  OK(chorale_property_create_position_label(NULL, &map, 0, &property, &error));
  return property;
}

/* weighted: 0: without weights; 1: a call for each clique; 2: one call for all. */
static chorale_model_builder *builder_of(const Case *c, int weighted) {
  chorale_model_builder *builder = NULL;
  OK(chorale_model_builder_create(NULL, &builder, &error));
  chorale_transitions *transitions = NULL;
  OK(chorale_transitions_create(NULL, LABELS, c->transitions[0], NULL, &transitions, &error));
  for (int32_t i = 0; i < c->chains; ++i) {
    chorale_chain chain = {.struct_size = sizeof chain};
    chain.length = c->length[i];
    chain.labels = LABELS;
    chain.unary = c->unary[c->first[i]];
    chain.transitions = transitions;
    OK(chorale_model_builder_add_chain(builder, &chain, NULL, NULL, &error));
  }
  chorale_transitions_release(transitions);
  int64_t all[CLIQUES * MEMBERS], chains[CLIQUES * MEMBERS], positions[CLIQUES * MEMBERS];
  int64_t offsets[CLIQUES + 1], count = 0;
  for (int32_t k = 0; k < c->cliques; ++k) {
    const Clique *q = &c->clique[k];
    chorale_clique_setup setup = {.struct_size = sizeof setup};
    chorale_potential *potts = potts_of(q);
    chorale_property *property = q->over_chains ? first_label() : NULL;
    setup.potential = potts;
    setup.property = property;
    OK(chorale_model_builder_add_cliques(builder, &setup, 1, NULL, &error));
    chorale_potential_release(potts);
    chorale_property_release(property);
    offsets[k] = count;
    for (int32_t i = 0; i < q->members; ++i, ++count) {
      chains[count] = q->chain[i];
      positions[count] = q->over_chains ? -1 : q->position[i];
      all[count] = q->weights[i];
    }
    const int64_t at = offsets[k];
    if (weighted < 2)
      OK(put_members(builder, k, q->members, chains + at, positions + at,
                     weighted ? all + at : NULL, &error));
  }
  offsets[c->cliques] = count;
  if (weighted == 2)
    OK(put_ragged(builder, 0, c->cliques, offsets, chains, positions, all, &error));
  return builder;
}

static chorale_model *model_of(const Case *c, int weighted) {
  chorale_model_builder *builder = builder_of(c, weighted);
  chorale_model *model = NULL;
  OK(chorale_model_builder_freeze(builder, &model, &error));
  chorale_model_builder_destroy(builder);
  return model;
}

static chorale_run *run_of(const chorale_model *model, int64_t bound_steps, int32_t edits,
                           chorale_run_result *result) {
  chorale_run_options options = {.struct_size = sizeof options};
  options.bound_steps = bound_steps;
  options.edits = edits;
  chorale_run *run = NULL;
  OK(chorale_run_create(NULL, model, &options, NULL, &run, &error));
  *result = (chorale_run_result){.struct_size = sizeof *result};
  OK(chorale_run_solve(run, result, &error));
  return run;
}

static void read_labels(const chorale_run *run, int32_t *labels) {
  OK(chorale_run_labels(run, CHORALE_ALL_CHAINS, CHORALE_TOGETHER, labels, MOST, NULL, &error));
}

#define assert_close(a, b) assert_true(fabs((a) - (b)) <= 1e-9 * (1 + fabs(a) + fabs(b)))

static void check_reasons(const Case *c, const chorale_run *run, const int32_t *labels) {
  for (int32_t i = 0; i < c->chains; ++i) {
    chorale_reason reasons[CLIQUES * MEMBERS];
    int64_t count = 0;
    OK(chorale_run_reasons(run, i, reasons, sizeof reasons[0], COUNT_OF(reasons), &count,
                           &error));
    for (int64_t k = 0; k < count; ++k) {
      const Clique *q = &c->clique[reasons[k].clique];
      const double now = clique_of(q, c, labels, -1, 0);
      const double alone = clique_of(q, c, labels, (int32_t)reasons[k].member,
                                     reasons[k].own_value);
      assert_close(reasons[k].amount, now - alone);
    }
  }
}

static void runs_label_weighted_models(void **state) {
  (void)state;
  Random random = {test_seed() + 11};
  int64_t optimal = 0;
  int64_t proven = 0;
  const int64_t rounds = test_rounds(400);
  for (int64_t round = 0; round < rounds; ++round) {
    const Case c = draw(&random, round % 4 == 0);
    chorale_model *model = model_of(&c, 1 + (int)(round % 2));
    for (int32_t k = 0; k < c.cliques; ++k) {
      const int32_t members = c.clique[k].members;
      int64_t weights[MOST], needed = -1;
      OK(chorale_model_get_members(model, k, NULL, NULL, weights, MOST, &needed, &error));
      assert_int_equal(needed, members);
      for (int32_t i = 0; i < members; ++i)
        assert_int_equal(weights[i], c.clique[k].weights[i]);
    }
    chorale_run_result result;
    chorale_run *run = run_of(model, 60, 0, &result);
    int32_t labels[MOST] = {0};
    read_labels(run, labels);
    const double best = best_of(&c);
    assert_close(result.score, equation_1(&c, labels));
    assert_true(result.score <= best + 1e-9 * (1 + fabs(best)));
    assert_true(result.upper_bound >= best - 1e-9 * (1 + fabs(best)));
    if (result.proven)
      assert_close(result.score, best);
    optimal += best - result.score <= 1e-9 * (1 + fabs(best));
    proven += result.proven;
    check_reasons(&c, run, labels);
    double scored = 0;
    double by_clique[CLIQUES];
    OK(chorale_model_score(NULL, model, labels, c.positions, &scored, NULL, by_clique, &error));
    assert_close(scored, result.score);
    for (int32_t k = 0; k < c.cliques; ++k)
      assert_close(by_clique[k], clique_of(&c.clique[k], &c, labels, -1, 0));
    /* Every label is allowed, so every max-marginal is finite. */
    double marginals[LONGEST][LABELS];
    OK(chorale_run_max_marginals(run, 0, marginals[0], LABELS, NULL, &error));
    for (int32_t y = 0; y < LABELS; ++y)
      assert_true(isfinite(marginals[0][y]));
    chorale_run_destroy(run);
    chorale_model_release(model);
  }
  print_message("%lld of %lld runs end at the optimum, %lld with a proof\n", (long long)optimal,
                (long long)rounds, (long long)proven);
  assert_true(optimal * 100 >= rounds * 95);
  assert_true(proven * 100 >= rounds * 20);
}

static void edits_keep_weights(void **state) {
  (void)state;
  Random random = {test_seed() + 12};
  for (int64_t round = 0; round < test_rounds(200); ++round) {
    Case c = draw(&random, round % 4 == 0);
    chorale_model *model = model_of(&c, 1);
    chorale_run_result result;
    chorale_run *run = run_of(model, 0, 1, &result);
    int32_t labels[MOST] = {0};
    for (int32_t turn = 0; turn < 3; ++turn) {
      const int32_t q = random_int(&random, 0, c.cliques - 1);
      const double factor = 0.1 + random_unit(&random);
      OK(chorale_run_set_strength(run, q, factor, &error));
      const uint8_t allowed[LABELS] = {turn != 1, 1, turn != 2};
      OK(chorale_run_set_allowed(run, 0, 0, allowed, &error));
      OK(chorale_run_solve(run, &result, &error));
      read_labels(run, labels);
      Case edited = c;
      edited.clique[q].lambda *= factor;
      assert_true(allowed[labels[0]]);
      assert_close(result.score, equation_1(&edited, labels));
      OK(chorale_run_set_strength(run, q, 1, &error));
    }
    chorale_run_destroy(run);
    chorale_model_release(model);
  }
}

/* Weights of 1 give the bits of no weights. */
static void ones_change_nothing(void **state) {
  (void)state;
  Random random = {test_seed() + 13};
  for (int64_t round = 0; round < test_rounds(100); ++round) {
    Case c = draw(&random, round % 4 == 0);
    for (int32_t k = 0; k < c.cliques; ++k)
      for (int32_t i = 0; i < c.clique[k].members; ++i)
        c.clique[k].weights[i] = 1;
    chorale_run_result results[2];
    size_t bytes[2];
    int32_t labels[2][MOST];
    for (int with = 0; with < 2; ++with) {
      chorale_model *model = model_of(&c, with);
      bytes[with] = cost_of_model(model).model_bytes;
      chorale_run *run = run_of(model, 20, 0, &results[with]);
      read_labels(run, labels[with]);
      chorale_run_destroy(run);
      chorale_model_release(model);
    }
    assert_memory_equal(&results[0], &results[1], sizeof results[0]);
    assert_memory_equal(labels[0], labels[1], sizeof(int32_t) * (size_t)c.positions);
    assert_int_equal(bytes[0], bytes[1]);
  }
}

/* Parts under prices send sums of weights, and their maximum is exact. */
static void prices_count_weights(void **state) {
  (void)state;
  Random random = {test_seed() + 14};
  for (int64_t round = 0; round < test_rounds(150); ++round) {
    Case c = draw(&random, round % 4 == 0);
    c.cliques = 1;
    Clique *q = &c.clique[0];
    chorale_model *model = model_of(&c, 1);
    const int64_t shared = 0;
    chorale_prices *prices = NULL;
    OK(chorale_prices_create(NULL, model, &shared, 1, NULL, &prices, &error));
    double numbers[LABELS];
    for (int32_t v = 0; v < LABELS; ++v)
      numbers[v] = 2 * random_unit(&random);
    double score = 0;
    chorale_run_result result = {.struct_size = sizeof result};
    OK(chorale_prices_solve(prices, numbers, LABELS, &score, &result, &error));
    int64_t counts[LABELS];
    OK(chorale_prices_counts(prices, counts, LABELS, NULL, &error));
    double best = -INFINITY;
    int32_t labels[MOST] = {0};
    for (int32_t k = 0; k < count_of(&c); ++k) {
      labelling_of(&c, k, labels);
      double with = chains_of(&c, labels);
      for (int32_t i = 0; i < q->members; ++i)
        with += (double)q->weights[i] * numbers[labels[c.first[q->chain[i]] + q->position[i]]];
      best = fmax(best, with);
    }
    assert_close(result.score, best);
    int64_t total = 0;
    double paid = 0;
    for (int32_t v = 0; v < LABELS; ++v) {
      total += counts[v];
      paid += (double)counts[v] * numbers[v];
    }
    assert_int_equal(total, q->total);
    assert_close(score + paid, best);
    chorale_prices_destroy(prices);
    chorale_model_release(model);
  }
}

/* A problem file keeps weights; without any it has no section of them. */
static void files_keep_weights(void **state) {
  (void)state;
  Random random = {test_seed() + 15};
  for (int64_t round = 0; round < test_rounds(60); ++round) {
    const Case c = draw(&random, round % 4 == 0);
    chorale_model *model = model_of(&c, 1);
    chorale_problem *problem = NULL;
    OK(chorale_problem_create(NULL, model, &problem, &error));
    static char bytes[1 << 16];
    size_t size = 0;
    OK(chorale_problem_write(problem, bytes, sizeof bytes, &size, &error));
    chorale_problem_destroy(problem);
    chorale_problem *loaded = NULL;
    OK(chorale_problem_read(NULL, bytes, size, 0, &loaded, &error));
    const chorale_model *again = chorale_problem_model(loaded);
    for (int32_t k = 0; k < c.cliques; ++k) {
      int64_t weights[MOST];
      OK(chorale_model_get_members(again, k, NULL, NULL, weights, MOST, NULL, &error));
      for (int32_t i = 0; i < c.clique[k].members; ++i)
        assert_int_equal(weights[i], c.clique[k].weights[i]);
    }
    chorale_run_result results[2];
    chorale_run_destroy(run_of(model, 20, 0, &results[0]));
    chorale_run_destroy(run_of(again, 20, 0, &results[1]));
    assert_memory_equal(&results[0], &results[1], sizeof results[0]);
    static char twice[1 << 16];
    size_t size_twice = 0;
    OK(chorale_problem_write(loaded, twice, sizeof twice, &size_twice, &error));
    assert_int_equal(size, size_twice);
    assert_memory_equal(bytes, twice, size);
    chorale_problem_destroy(loaded);
    chorale_model_release(model);
  }
}

/* Keys of items whose positions have weights, through the front door. */
static void decode_takes_weights(void **state) {
  (void)state;
  Random random = {test_seed() + 17};
  for (int64_t round = 0; round < test_rounds(200); ++round) {
    Case c = draw(&random, 1);
    Clique *q = &c.clique[0];
    q->by_members = 1;
    chorale_corpus corpus = {.struct_size = sizeof corpus};
    corpus.chains = c.chains;
    corpus.labels = LABELS;
    corpus.unary = c.unary[0];
    const int32_t keys[CHAINS] = {5, 5, 5};
    chorale_agreement agreement = {.struct_size = sizeof agreement};
    agreement.kind = CHORALE_AGREE_KEYS;
    agreement.keys = keys;
    agreement.minimum = 1;
    agreement.strength = q->lambda;
    agreement.weights = q->weights;
    chorale_decoded *decoded = NULL;
    OK(chorale_decode(NULL, &corpus, &agreement, 1, NULL, &decoded, &error));
    int32_t labels[MOST] = {0}, own[MOST] = {0};
    OK(chorale_decoded_labels(decoded, CHORALE_TOGETHER, labels, MOST, NULL, &error));
    OK(chorale_decoded_labels(decoded, CHORALE_ALONE, own, MOST, NULL, &error));
    chorale_run_result result = {.struct_size = sizeof result};
    OK(chorale_decoded_get_result(decoded, &result, &error));
    assert_close(result.score, equation_1(&c, labels));
    assert_close(result.score, best_of(&c));
    chorale_reason reasons[MOST];
    int64_t count = 0;
    OK(chorale_decoded_reasons(decoded, reasons, sizeof reasons[0], MOST, &count, &error));
    for (int64_t k = 0; k < count; ++k) {
      int64_t before = 0, agreeing = 0;
      for (int32_t i = 0; i < c.chains; ++i) {
        if (i == reasons[k].chain)
          continue;
        before += own[i] == reasons[k].value ? q->weights[i] : 0;
        agreeing += labels[i] == reasons[k].value ? q->weights[i] : 0;
      }
      assert_int_equal(reasons[k].others, q->total - q->weights[reasons[k].chain]);
      assert_int_equal(reasons[k].agreeing_before, before);
      assert_int_equal(reasons[k].agreeing, agreeing);
    }
    chorale_decoded_destroy(decoded);

    q->weights[c.chains - 1] = 0;
    FAILS(chorale_decode(NULL, &corpus, &agreement, 1, NULL, &decoded, &error),
          CHORALE_ERROR_OUT_OF_RANGE, "agreements[0].weights", "is 0", "at least 1");
    q->weights[c.chains - 1] = INT64_MIN;
    FAILS(chorale_decode(NULL, &corpus, &agreement, 1, NULL, &decoded, &error),
          CHORALE_ERROR_OUT_OF_RANGE, "agreements[0].weights", "-9223372036854775808");
    for (int32_t k = 0; k < 2; ++k) {
      q->weights[c.chains - 1] = k == 0 ? INT64_MAX : (int64_t)INT32_MAX + 1;
      FAILS(chorale_decode(NULL, &corpus, &agreement, 1, NULL, &decoded, &error),
            CHORALE_ERROR_SIZE_OVERFLOW, "agreements[0]", "2147483647");
    }
    q->weights[c.chains - 1] = 3;
    agreement.strength = -1;
    FAILS(chorale_decode(NULL, &corpus, &agreement, 1, NULL, &decoded, &error),
          CHORALE_ERROR_WEIGHTS, "agreements[0]", "SUM");
  }
}

/* Strengths are learnt from members that count once. */
static void learning_refuses_weights(void **state) {
  (void)state;
  const double unary[4][2] = {{1, 0}, {0, 1}, {1, 0}, {0, 1}};
  const int32_t keys[] = {0, 0, 1, 1};
  const int64_t groups[] = {0, 0, 1, 1};
  const int64_t weights[] = {1, 2, 1, 1};
  const int32_t gold[] = {0, 0, 1, 1};
  chorale_corpus corpus = {.struct_size = sizeof corpus};
  corpus.chains = 4;
  corpus.labels = 2;
  corpus.unary = unary;
  corpus.groups = groups;
  chorale_agreement agreement = {.struct_size = sizeof agreement};
  agreement.kind = CHORALE_AGREE_KEYS;
  agreement.keys = keys;
  chorale_problem *problems[2] = {NULL, NULL};
  for (int weighted = 0; weighted < 2; ++weighted) {
    agreement.weights = weighted ? weights : NULL;
    OK(chorale_problem_create_agreeing(NULL, &corpus, &agreement, 1, gold, &problems[weighted],
                                       &error));
  }
  const chorale_problem *given = problems[1];
  chorale_learnt *learnt = NULL;
  FAILS(chorale_learn(NULL, &given, 1, NULL, &learnt, &error), CHORALE_ERROR_WEIGHTS, "clique 0",
        "problems[0]", "weights");
  assert_null(learnt);
  given = problems[0];
  OK(chorale_learn(NULL, &given, 1, NULL, &learnt, &error));
  chorale_model *model = NULL;
  FAILS(chorale_learnt_apply(NULL, learnt, problems[1], &model, &error), CHORALE_ERROR_WEIGHTS,
        "clique 0", "weights");
  chorale_learnt_destroy(learnt);
  chorale_problem_destroy(problems[0]);
  chorale_problem_destroy(problems[1]);
}

/* ---- Refusals ----------------------------------------------------------------------------- */

static void bad_weights_are_refused(void **state) {
  (void)state;
  Random random = {test_seed() + 16};
  Case c = draw(&random, 1);
  c.chains = c.positions = 3;
  for (int32_t i = 0; i < 3; ++i) {
    c.length[i] = 1;
    c.first[i] = i;
  }
  Clique *q = &c.clique[0];
  q->members = 3;
  for (int32_t i = 0; i < 3; ++i) {
    q->chain[i] = i;
    q->position[i] = 0;
    q->weights[i] = 2;
  }
  chorale_model_builder *builder = builder_of(&c, 0);
  /* A second clique like the first, without members. */
  chorale_clique_setup setup = {.struct_size = sizeof setup};
  chorale_potential *potts = potts_of(q);
  setup.potential = potts;
  int64_t clique = 0;
  OK(chorale_model_builder_add_cliques(builder, &setup, 1, &clique, &error));
  const int64_t chains[] = {0, 1, 2};
#define PUT(clique, n, weights) put_members(builder, clique, n, chains, NULL, weights, &error)
  int64_t weights[] = {1, 2, 3};
  weights[2] = 0;
  FAILS(PUT(clique, 3, weights), CHORALE_ERROR_OUT_OF_RANGE, "members->weights[2] is 0",
        "at least 1");
  weights[2] = INT32_MAX;
  FAILS(PUT(clique, 3, weights), CHORALE_ERROR_SIZE_OVERFLOW, "members->weights[2]", "2147483647");
  weights[2] = 3;
  /* Weights are for all members of a clique at once. */
  FAILS(PUT(0, 1, weights + 1), CHORALE_ERROR_STATE, "clique 0", "3 members already");
  /* A failed call adds nothing, even if it fails at the last of several cliques. */
  const int64_t offsets[] = {0, 3, 4}, of_both[] = {0, 1, 2, 0};
  const int64_t four[] = {1, 2, 3, 1};
  setup.potential = potts;
  OK(chorale_model_builder_add_cliques(builder, &setup, 1, NULL, &error));
  OK(put_position(builder, clique + 1, 0, 0, &error));
  FAILS(put_ragged(builder, clique, 2, offsets, of_both, NULL, four, &error),
        CHORALE_ERROR_DUPLICATE_MEMBER, "members->chains[3]", "already");
  /* Other potentials: nothing has changed, so members may still be added. */
  chorale_potential *potentials[4] = {NULL};
  const double table[] = {0, 1, 4, 9};
  const double W[LABELS][LABELS] = {{1}};
  OK(chorale_potential_create_potts(NULL, LABELS, -1, NULL, &potentials[0], &error));
  OK(chorale_potential_create_makespan(NULL, LABELS, 1, NULL, &potentials[1], &error));
  OK(chorale_potential_create_majority(NULL, LABELS, W[0], LABELS, NULL, NULL, &potentials[2],
                                       &error));
  OK(chorale_potential_create_sum(NULL, LABELS, table, 1, 4, 4, NULL, &potentials[3], &error));
  static const char *const families[] = {"SUM", "MAX", "MAJORITY", "4 entries"};
  for (int32_t k = 0; k < 4; ++k) {
    setup.potential = potentials[k];
    int64_t other = 0;
    OK(chorale_model_builder_add_cliques(builder, &setup, 1, &other, &error));
    FAILS(PUT(other, 2, weights + 1),
          k < 3 ? CHORALE_ERROR_WEIGHTS : CHORALE_ERROR_TABLE_TOO_SHORT, families[k]);
    const int64_t ones[] = {1, 1};
    OK(PUT(other, 2, ones));
    OK(put_position(builder, other, 2, 0, &error));
  }
  const int64_t two[] = {2};
  const chorale_potential *both[LABELS] = {potts, potts, potts};
  setup.centre_potentials = both;
  setup.values = setup.centre_values = LABELS;
  int64_t centred = 0;
  OK(chorale_model_builder_add_cliques(builder, &setup, 1, &centred, &error));
  FAILS(PUT(centred, 1, two), CHORALE_ERROR_WEIGHTS, "centred");
  OK(put_position(builder, centred, 0, 0, &error));
  OK(put_centre(builder, centred, 1, 0, &error));

  OK(PUT(clique, 3, weights));
  FAILS(put_position(builder, clique, 0, 0, &error), CHORALE_ERROR_STATE, "has weights");
  chorale_model *model = NULL;
  OK(chorale_model_builder_freeze(builder, &model, &error));
  FAILS(PUT(clique, 3, weights), CHORALE_ERROR_FROZEN, "builder");
  int64_t held[3] = {0};
  OK(chorale_model_get_members(model, clique, NULL, NULL, held, 3, NULL, &error));
  assert_memory_equal(held, weights, sizeof held);
  OK(chorale_model_get_members(model, 0, NULL, NULL, held, 3, NULL, &error));
  assert_int_equal(held[0], 1);
  OK(chorale_model_get_members(model, centred, NULL, NULL, held, 2, NULL, &error));
  assert_int_equal(held[1], 1); /* the centre */
  chorale_model_release(model);
  chorale_model_builder_destroy(builder);
  for (int32_t k = 0; k < 4; ++k)
    chorale_potential_release(potentials[k]);
  chorale_potential_release(potts);
}

/* Every allocation of a call with weights is refused in turn; a call that fails adds nothing. */
static void weights_may_lack_memory(void **state) {
  (void)state;
  CountingAllocator allocator;
  counting_allocator_init(&allocator);
  chorale_host host = {.struct_size = sizeof host, .allocator = &allocator.hooks};
  chorale_potential *potts = NULL;
  chorale_model_builder *builder = NULL;
  const double unary[4][2] = {{1}, {0, 1}, {1}, {0, 1}};
  const chorale_corpus corpus = {
      .struct_size = sizeof corpus, .chains = 4, .labels = 2, .unary = unary};
  OK(chorale_potential_create_potts(NULL, 2, 1, NULL, &potts, &error));
  const chorale_clique_setup setup = {.struct_size = sizeof setup, .potential = potts};
  OK(chorale_model_builder_create(&host, &builder, &error));
  OK(chorale_model_builder_add_corpus(builder, &corpus, NULL, &error));
  OK(chorale_model_builder_add_cliques(builder, &setup, 2, NULL, &error));
  const int64_t offsets[] = {0, 2, 4}, chains[] = {0, 1, 2, 3}, weights[] = {1, 3, 2, 5};
  int64_t failed = 0;
  for (chorale_status status = -1; status != CHORALE_OK; failed += status != CHORALE_OK) {
    allocator.fail_at = failed + 1;
    status = put_ragged(builder, 0, 2, offsets, chains, NULL, weights, &error);
    assert_true(status == CHORALE_OK || status == CHORALE_ERROR_OUT_OF_MEMORY);
  }
  assert_true(failed > 1);
  allocator.fail_at = 0;
  chorale_model *model = NULL;
  OK(chorale_model_builder_freeze(builder, &model, &error));
  for (int64_t c = 0; c < 2; ++c) {
    int64_t held[2], members = 0;
    OK(chorale_model_get_members(model, c, NULL, NULL, held, 2, &members, &error));
    assert_int_equal(members, 2);
    assert_memory_equal(held, weights + 2 * c, sizeof held);
  }
  chorale_model_builder_destroy(builder);
  chorale_model_release(model);
  chorale_potential_release(potts);
  assert_int_equal(allocator.live, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(runs_label_weighted_models),
      cmocka_unit_test(edits_keep_weights),
      cmocka_unit_test(ones_change_nothing),
      cmocka_unit_test(prices_count_weights),
      cmocka_unit_test(files_keep_weights),
      cmocka_unit_test(decode_takes_weights),
      cmocka_unit_test(learning_refuses_weights),
      cmocka_unit_test(bad_weights_are_refused),
      cmocka_unit_test(weights_may_lack_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
