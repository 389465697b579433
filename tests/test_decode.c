/* The simplest interface: the same labels, score and reasons as by building the model call by call;
 * errors name the agreement that they concern. */
#include "fixture_chain.h"

enum { DRAWN_CHAINS = 6, DRAWN_POSITIONS = 18, DRAWN_LABELS = 3, DRAWN_KEYS = 4, DRAWN_AGREEMENTS = 3 };

typedef struct Drawn {
  chorale_corpus corpus;
  int64_t offsets[DRAWN_CHAINS + 1];
  double scores[DRAWN_POSITIONS * DRAWN_LABELS];
  int32_t tokens[DRAWN_POSITIONS], keys[DRAWN_POSITIONS];
  int64_t groups[DRAWN_CHAINS];
  chorale_agreement agreements[DRAWN_AGREEMENTS];
  int64_t count;
  int64_t clique_offsets[3], members[DRAWN_POSITIONS];
  int32_t stop[1];
} Drawn;

typedef struct Handed {
  chorale_transitions *transitions;
  chorale_potential *potential;
  chorale_property *property;
} Handed;

static void open_handed(Handed *handed) {
  chorale_error error;
  static const double edges[DRAWN_LABELS * DRAWN_LABELS] = {0.5, -0.25, 0, 0, 0.25, 0.5, 0.125};
  OK(chorale_transitions_create(NULL, DRAWN_LABELS, edges, NULL, &handed->transitions, &error));
  OK(chorale_potential_create_entropy(NULL, DRAWN_LABELS, 0.75, NULL, &handed->potential, &error));
  chorale_label_map map = {.struct_size = sizeof map};
  map.labels = map.kinds = DRAWN_LABELS;
  OK(chorale_property_create_first_label(NULL, &map, NULL, &handed->property, &error));
}

static void close_handed(Handed *handed) {
  chorale_transitions_release(handed->transitions);
  chorale_potential_release(handed->potential);
  chorale_property_release(handed->property);
}

static void draw(Random *random, const Handed *handed, Drawn *drawn) {
  memset(drawn, 0, sizeof *drawn);
  drawn->corpus = (chorale_corpus){.struct_size = sizeof drawn->corpus};
  drawn->corpus.chains = random_int(random, 1, DRAWN_CHAINS);
  drawn->corpus.labels = DRAWN_LABELS;
  drawn->corpus.unary = drawn->scores;
  drawn->corpus.tokens = drawn->tokens;
  drawn->corpus.groups = random_chance(random, 70) ? drawn->groups : NULL;
  drawn->corpus.transitions = random_chance(random, 70) ? handed->transitions : NULL;
  drawn->corpus.offsets = random_chance(random, 80) ? drawn->offsets : NULL;
  for (int64_t i = 0; i < drawn->corpus.chains; ++i) {
    drawn->offsets[i + 1] = drawn->offsets[i] + random_int(random, 0, 3);
    drawn->groups[i] = random_int(random, 0, 1);
  }
  for (int p = 0; p < DRAWN_POSITIONS; ++p) {
    drawn->tokens[p] = random_int(random, -1, DRAWN_KEYS - 1);
    drawn->keys[p] = random_int(random, -1, DRAWN_KEYS - 1);
    for (int y = 0; y < DRAWN_LABELS; ++y)
      drawn->scores[p * DRAWN_LABELS + y] = random_int(random, 0, 32) / 16.0;
  }
  const int64_t positions =
      drawn->corpus.offsets ? drawn->offsets[drawn->corpus.chains] : drawn->corpus.chains;
  static const chorale_agreement_kind kinds[] = {CHORALE_AGREE_WORDS, CHORALE_AGREE_KEYS,
                                                 CHORALE_AGREE_PROPERTY, CHORALE_AGREE_CLIQUES};
  drawn->count = random_int(random, 0, DRAWN_AGREEMENTS);
  for (int64_t k = 0; k < drawn->count; ++k) {
    chorale_agreement *agreement = &drawn->agreements[k];
    *agreement = (chorale_agreement){.struct_size = sizeof *agreement};
    agreement->kind = kinds[random_int(random, 0, 3)];
    agreement->across = random_chance(random, 40);
    agreement->strength = random_int(random, -1, 4) / 2.0;
    if (agreement->strength == 0) /* would be found from the scores */
      agreement->strength = 0.25;
    agreement->minimum = random_int(random, 1, 3);
    agreement->potential = random_chance(random, 20) ? handed->potential : NULL;
    agreement->keys = drawn->keys;
    agreement->property = handed->property;
    drawn->stop[0] = random_int(random, 0, DRAWN_KEYS - 1);
    agreement->stop = drawn->stop;
    agreement->stop_count = random_chance(random, 30);
    agreement->cliques = 2;
    agreement->clique_offsets = drawn->clique_offsets;
    agreement->members = drawn->members;
  }
  /* Two cliques of positions without repetitions: the even positions, and the odd ones in
   * descending order. */
  int64_t end = 0;
  for (int64_t p = 0; p < positions; p += 2)
    drawn->members[end++] = p;
  drawn->clique_offsets[1] = end;
  for (int64_t p = positions - 1; p >= 0; --p)
    if (p % 2 == 1)
      drawn->members[end++] = p;
  drawn->clique_offsets[2] = end;
}

static int64_t begin_of(const Drawn *drawn, int64_t chain) {
  return drawn->corpus.offsets ? drawn->offsets[chain] : chain;
}

/* Adds a clique of the positions (or chains) that have the key, in order. Returns the number of
 * cliques added. */
static int64_t add_by_hand(chorale_model_builder *builder, const Drawn *drawn,
                           const chorale_agreement *agreement, const chorale_potential *potential,
                           int64_t group, int32_t key) {
  chorale_error error;
  int64_t chains[DRAWN_POSITIONS], positions[DRAWN_POSITIONS], count = 0, clique = 0;
  const int32_t *keys = agreement->kind == CHORALE_AGREE_WORDS ? drawn->tokens : drawn->keys;
  for (int64_t i = 0; i < drawn->corpus.chains; ++i) {
    if (group >= 0 && (drawn->corpus.groups ? drawn->groups[i] : 0) != group)
      continue;
    if (agreement->kind == CHORALE_AGREE_PROPERTY) {
      chains[count++] = i;
      continue;
    }
    for (int64_t p = begin_of(drawn, i); p < begin_of(drawn, i + 1); ++p)
      if (keys[p] == key) {
        chains[count] = i;
        positions[count++] = p - begin_of(drawn, i);
      }
  }
  if (count < agreement->minimum)
    return 0;
  chorale_clique_setup setup = {.struct_size = sizeof setup};
  setup.potential = potential;
  if (agreement->kind == CHORALE_AGREE_PROPERTY)
    setup.property = agreement->property;
  else
    setup.values = DRAWN_LABELS;
  OK(chorale_model_builder_add_cliques(builder, &setup, 1, &clique, &error));
  for (int64_t e = 0; e < count; ++e)
    if (agreement->kind == CHORALE_AGREE_PROPERTY)
      OK(put_chain(builder, clique, chains[e], NULL, &error));
    else
      OK(put_position(builder, clique, chains[e], positions[e], &error));
  return 1;
}

static int64_t add_given_by_hand(chorale_model_builder *builder, const Drawn *drawn,
                                 const chorale_agreement *agreement,
                                 const chorale_potential *potential) {
  chorale_error error;
  int64_t added = 0;
  for (int c = 0; c < 2; ++c) {
    if (drawn->clique_offsets[c + 1] - drawn->clique_offsets[c] < agreement->minimum)
      continue;
    chorale_clique_setup setup;
    int64_t clique = 0;
    setup = (chorale_clique_setup){.struct_size = sizeof setup};
    setup.potential = potential;
    setup.values = DRAWN_LABELS;
    OK(chorale_model_builder_add_cliques(builder, &setup, 1, &clique, &error));
    for (int64_t e = drawn->clique_offsets[c]; e < drawn->clique_offsets[c + 1]; ++e) {
      int64_t chain = 0;
      while (begin_of(drawn, chain + 1) <= drawn->members[e])
        ++chain;
      OK(put_position(builder, clique, chain, drawn->members[e] - begin_of(drawn, chain), &error));
    }
    ++added;
  }
  return added;
}

/* ends: receives for each agreement the number of the first clique after its own. */
static chorale_run *run_by_hand(const Drawn *drawn, const chorale_run_options *options,
                                int64_t ends[DRAWN_AGREEMENTS]) {
  chorale_error error;
  int64_t cliques = 0;
  chorale_model_builder *builder = NULL;
  chorale_model *model = NULL;
  chorale_run *run = NULL;
  OK(chorale_model_builder_create(NULL, &builder, &error));
  for (int64_t i = 0; i < drawn->corpus.chains; ++i) {
    chorale_chain chain;
    chorale_chain_options extra;
    chain = (chorale_chain){.struct_size = sizeof chain};
    extra = (chorale_chain_options){.struct_size = sizeof extra};
    chain.length = begin_of(drawn, i + 1) - begin_of(drawn, i);
    chain.labels = DRAWN_LABELS;
    chain.unary = drawn->scores + begin_of(drawn, i) * DRAWN_LABELS;
    chain.transitions = drawn->corpus.transitions;
    extra.tokens = drawn->tokens + begin_of(drawn, i);
    OK(chorale_model_builder_add_chain(builder, &chain, &extra, NULL, &error));
  }
  for (int64_t k = 0; k < drawn->count; ++k) {
    const chorale_agreement *agreement = &drawn->agreements[k];
    chorale_potential_options scaled;
    chorale_potential *potts = NULL;
    scaled = (chorale_potential_options){.struct_size = sizeof scaled};
    scaled.scale = CHORALE_SCALE_BY_MEMBERS;
    OK(chorale_potential_create_potts(NULL, DRAWN_LABELS, agreement->strength, &scaled, &potts,
                                      &error));
    const chorale_potential *potential = agreement->potential ? agreement->potential : potts;
    const int is_property = agreement->kind == CHORALE_AGREE_PROPERTY;
    if (agreement->kind == CHORALE_AGREE_CLIQUES)
      cliques += add_given_by_hand(builder, drawn, agreement, potential);
    else
      for (int64_t group = 0; group < (agreement->across ? 1 : 2); ++group)
        for (int32_t key = 0; key < (is_property ? 1 : DRAWN_KEYS); ++key)
          if (is_property || agreement->stop_count == 0 || drawn->stop[0] != key)
            cliques += add_by_hand(builder, drawn, agreement, potential,
                                   agreement->across ? -1 : group, key);
    ends[k] = cliques;
    chorale_potential_release(potts);
  }
  OK(chorale_model_builder_freeze(builder, &model, &error));
  OK(chorale_run_create(NULL, model, options, NULL, &run, &error));
  OK(chorale_run_solve(run, NULL, &error));
  chorale_model_release(model);
  chorale_model_builder_destroy(builder);
  return run;
}

/* Checks every reason against the results of the run for its clique. ends: as above. */
static int64_t check_reasons(chorale_decoded *decoded, const chorale_run *run,
                             const int64_t *ends) {
  chorale_error error;
  static chorale_reason reasons[256];
  int64_t count = 0;
  const chorale_model *model = chorale_decoded_model(decoded);
  OK(chorale_decoded_reasons(decoded, reasons, sizeof reasons[0], COUNT_OF(reasons), &count,
                             &error));
  int64_t at = 0;
  for (int64_t i = 0; i < chorale_model_chain_count(model); ++i) {
    chorale_reason of_chain[64];
    int64_t told = 0;
    OK(chorale_run_reasons(run, i, of_chain, sizeof of_chain[0], COUNT_OF(of_chain), &told,
                           &error));
    for (int64_t k = 0; k < told; ++k, ++at) {
      assert_true(at < count);
      const chorale_reason *reason = &reasons[at];
      int32_t values[DRAWN_POSITIONS];
      int64_t members = 0, before = 0, agreeing = 0;
      OK(chorale_run_values(run, reason->clique, CHORALE_TOGETHER, values, COUNT_OF(values),
                            &members, &error));
      for (int64_t e = 0; e < members; ++e)
        agreeing += values[e] == reason->value && e != reason->member;
      OK(chorale_run_values(run, reason->clique, CHORALE_ALONE, values, COUNT_OF(values),
                            &members, &error));
      for (int64_t e = 0; e < members; ++e)
        before += values[e] == reason->value && e != reason->member;
      assert_int_equal(reason->chain, i);
      assert_int_equal(of_chain[k].agreement, -1);
      of_chain[k].agreement = reason->agreement;
      assert_memory_equal(&of_chain[k], reason, sizeof *reason);
      assert_int_equal(reason->others, members - 1);
      assert_int_equal(reason->agreeing_before, before);
      assert_int_equal(reason->agreeing, agreeing);
      int64_t agreement = 0;
      while (ends[agreement] <= reason->clique)
        ++agreement;
      assert_int_equal(reason->agreement, agreement);
    }
  }
  assert_int_equal(at, count);
  if (count > 0) {
    reasons[0].clique = UNTOUCHED;
    FAILS(chorale_decoded_reasons(decoded, reasons, sizeof reasons[0], count - 1, NULL, &error),
          CHORALE_ERROR_CAPACITY, "capacity");
    assert_int_equal(reasons[0].clique, UNTOUCHED);
  }
  return count;
}

static void the_same_as_call_by_call(void **state) {
  (void)state;
  Handed handed;
  chorale_error error;
  open_handed(&handed);
  int64_t reasons = 0;
  for (int64_t round = 0; round < test_rounds(2000); ++round) {
    static Drawn drawn;
    Random random = {test_seed() + (uint64_t)round};
    draw(&random, &handed, &drawn);
    chorale_run_options options = {.struct_size = sizeof options};
    options.bound_steps = random_int(&random, 0, 3);
    chorale_decoded *decoded = NULL;
    OK(chorale_decode(NULL, &drawn.corpus, drawn.agreements, drawn.count, &options, &decoded,
                      &error));
    int64_t ends[DRAWN_AGREEMENTS];
    chorale_run *run = run_by_hand(&drawn, &options, ends);
    chorale_run_result one, other;
    one = (chorale_run_result){.struct_size = sizeof one};
    other = (chorale_run_result){.struct_size = sizeof other};
    OK(chorale_decoded_get_result(decoded, &one, &error));
    OK(chorale_run_get_result(run, &other, &error));
    if (memcmp(&one, &other, sizeof one) != 0)
      fail_msg("round %lld of seed %llu: score %.17g by the front door, %.17g call by call",
               (long long)round, (unsigned long long)test_seed(), one.score, other.score);
    for (chorale_labelling which = CHORALE_TOGETHER; which <= CHORALE_ALONE; ++which) {
      int32_t labels[DRAWN_POSITIONS], expected[DRAWN_POSITIONS];
      int64_t count = -1, positions = -1;
      OK(chorale_decoded_labels(decoded, which, labels, COUNT_OF(labels), &count, &error));
      OK(chorale_run_labels(run, CHORALE_ALL_CHAINS, which, expected, COUNT_OF(expected),
                            &positions, &error));
      assert_int_equal(count, positions);
      assert_memory_equal(labels, expected, (size_t)count * sizeof labels[0]);
    }
    reasons += check_reasons(decoded, run, ends);
    chorale_run_destroy(run);
    chorale_decoded_destroy(decoded);
  }
  assert_true(reasons > 0 || test_rounds(2000) < 100);
  close_handed(&handed);
}

/* The example of the README: three mentions of a name, one of which the tagger gets slightly
 * wrong. */
static void three_mentions(void **state) {
  (void)state;
  const double scores[3][2] = {{2.1, 0.3}, {1.9, 0.2}, {0.7, 0.9}};
  const int32_t names[3] = {5, 5, 5};
  chorale_corpus corpus;
  chorale_agreement agreement;
  chorale_decoded *decoded = NULL;
  chorale_error error;
  int32_t labels[3];
  chorale_reason reason;
  int64_t count = 0;
  corpus = (chorale_corpus){.struct_size = sizeof corpus};
  corpus.chains = 3;
  corpus.labels = 2;
  corpus.unary = scores;
  corpus.tokens = names;
  agreement = (chorale_agreement){.struct_size = sizeof agreement};
  agreement.strength = 1;
  OK(chorale_decode(NULL, &corpus, &agreement, 1, NULL, &decoded, &error));
  OK(chorale_decoded_labels(decoded, CHORALE_TOGETHER, labels, 3, NULL, &error));
  assert_int_equal(labels[0] + labels[1] + labels[2], 0);
  OK(chorale_decoded_reasons(decoded, &reason, sizeof reason, 1, &count, &error));
  assert_int_equal(count, 1);
  assert_int_equal(reason.chain, 2);
  assert_int_equal(reason.others, 2);
  assert_int_equal(reason.agreeing_before, 2);
  assert_int_equal(reason.agreeing, 2);
  assert_true(is_close(reason.amount, (9 - 5) / 3.0));
  chorale_decoded_destroy(decoded);
  chorale_decoded_destroy(NULL);
  assert_null(chorale_decoded_run(NULL));
  assert_null(chorale_decoded_model(NULL));
}

static void mistakes_are_named(void **state) {
  (void)state;
  Handed handed;
  chorale_error error;
  static Drawn drawn;
  Random random = {1};
  open_handed(&handed);
  do
    draw(&random, &handed, &drawn);
  while (!drawn.corpus.offsets || drawn.offsets[drawn.corpus.chains] < 4);
  chorale_agreement two[2];
  chorale_decoded *decoded = NULL;
  chorale_property *other = NULL;
  chorale_potential *wide = NULL;
  chorale_label_map map = {.struct_size = sizeof map};
  map.labels = map.kinds = DRAWN_LABELS + 1;
  OK(chorale_property_create_first_label(NULL, &map, NULL, &other, &error));
  OK(chorale_potential_create_potts(NULL, DRAWN_LABELS + 1, 1, NULL, &wide, &error));
  int32_t keys[DRAWN_POSITIONS] = {0, -2};
  int64_t members[2] = {0, DRAWN_POSITIONS + 1}, offsets[2] = {0, 2};
#define REFUSES(change, status, ...)                                                               \
  two[0] = (chorale_agreement){.struct_size = sizeof two[0]};                                      \
  two[1] = (chorale_agreement){.struct_size = sizeof two[1]};                                      \
  change;                                                                                          \
  FAILS(chorale_decode(NULL, &drawn.corpus, two, 2, NULL, &decoded, &error), status, __VA_ARGS__); \
  assert_null(decoded)
  REFUSES(two[1].kind = 7, CHORALE_ERROR_UNKNOWN_CONSTANT, "agreements[1].kind", "7");
  REFUSES(two[1].kind = CHORALE_AGREE_KEYS, CHORALE_ERROR_NULL_ARGUMENT, "agreements[1].keys");
  REFUSES((two[1].kind = CHORALE_AGREE_KEYS, two[1].keys = keys), CHORALE_ERROR_OUT_OF_RANGE,
          "agreements[1].keys[1] is -2");
  REFUSES(two[0].kind = CHORALE_AGREE_PROPERTY, CHORALE_ERROR_NULL_ARGUMENT,
          "agreements[0].property");
  REFUSES((two[1].kind = CHORALE_AGREE_PROPERTY, two[1].property = other),
          CHORALE_ERROR_LABELS_MISMATCH, "agreements[1].property", "4", "3");
  REFUSES(two[1].potential = wide, CHORALE_ERROR_VALUES_MISMATCH, "agreements[1].potential", "4");
  REFUSES(two[1].strength = NAN, CHORALE_ERROR_NOT_A_NUMBER, "agreements[1].strength");
  REFUSES(two[1].strength = INFINITY, CHORALE_ERROR_INFINITE, "agreements[1].strength");
  REFUSES(two[1].strength = 1e16, CHORALE_ERROR_OUT_OF_RANGE, "agreements[1].strength is 1e+16",
          "-1e9 to 1e9");
  REFUSES(two[1].minimum = -1, CHORALE_ERROR_SIZE, "agreements[1].minimum", "-1");
  REFUSES(two[1].across = 2, CHORALE_ERROR_OUT_OF_RANGE, "agreements[1].across", "2");
  REFUSES(two[1].stop_count = -1, CHORALE_ERROR_SIZE, "agreements[1].stop_count", "-1");
  REFUSES(two[1].stop_count = 1, CHORALE_ERROR_NULL_ARGUMENT, "agreements[1].stop");
  REFUSES((two[1].kind = CHORALE_AGREE_CLIQUES, two[1].cliques = -1), CHORALE_ERROR_SIZE,
          "agreements[1].cliques", "-1");
  REFUSES((two[1].kind = CHORALE_AGREE_CLIQUES, two[1].cliques = 1), CHORALE_ERROR_NULL_ARGUMENT,
          "agreements[1].clique_offsets");
  const int64_t far[] = {0, (int64_t)1 << 61};
  REFUSES((two[1].kind = CHORALE_AGREE_CLIQUES, two[1].cliques = 1, two[1].clique_offsets = far,
           two[1].members = far),
          CHORALE_ERROR_SIZE_OVERFLOW, "agreements[1].clique_offsets span 2305843009213693952");
  REFUSES((two[1].kind = CHORALE_AGREE_CLIQUES, two[1].cliques = 1, two[1].clique_offsets = offsets),
          CHORALE_ERROR_NULL_ARGUMENT, "agreements[1].members");
  REFUSES((two[1].kind = CHORALE_AGREE_CLIQUES, two[1].cliques = 1, two[1].clique_offsets = offsets,
           two[1].members = members),
          CHORALE_ERROR_OUT_OF_RANGE, "agreements[1].members[1]");
  members[1] = 0;
  REFUSES((two[1].kind = CHORALE_AGREE_CLIQUES, two[1].cliques = 1, two[1].clique_offsets = offsets,
           two[1].members = members),
          CHORALE_ERROR_DUPLICATE_MEMBER, "agreements[1]");
  offsets[1] = -1;
  REFUSES((two[1].kind = CHORALE_AGREE_CLIQUES, two[1].cliques = 1, two[1].clique_offsets = offsets,
           two[1].members = members),
          CHORALE_ERROR_OUT_OF_RANGE, "agreements[1].clique_offsets[1]");
  REFUSES(two[1].struct_size -= 8, CHORALE_ERROR_STRUCT_SIZE, "struct_size");
  /* Longer structs, of which the second sets a field that the library does not know. */
  struct {
    chorale_agreement known;
    int64_t later;
  } newer[2] = {{two[0], 0}, {two[1], 1}};
  newer[0].known.struct_size = newer[1].known.struct_size = sizeof newer[0];
  FAILS(chorale_decode(NULL, &drawn.corpus, &newer[0].known, 2, NULL, &decoded, &error),
        CHORALE_ERROR_STRUCT_SIZE, "agreements[1] sets a field");
  drawn.corpus.tokens = NULL;
  REFUSES((void)0, CHORALE_ERROR_TOKENS_MISSING, "agreements[0]", "tokens");
#undef REFUSES
  OK(chorale_decode(NULL, &drawn.corpus, NULL, 0, NULL, &decoded, &error)); /* nothing reads them */
  chorale_decoded_destroy(decoded);
  FAILS(chorale_decode(NULL, NULL, two, 2, NULL, &decoded, &error), CHORALE_ERROR_NULL_ARGUMENT,
        "corpus");
  FAILS(chorale_decode(NULL, &drawn.corpus, NULL, 1, NULL, &decoded, &error),
        CHORALE_ERROR_NULL_ARGUMENT, "agreements");
  FAILS(chorale_decode(NULL, &drawn.corpus, NULL, -1, NULL, &decoded, &error), CHORALE_ERROR_SIZE,
        "count", "-1");
  FAILS(chorale_decode(NULL, &drawn.corpus, NULL, 0, NULL, NULL, &error),
        CHORALE_ERROR_NULL_ARGUMENT, "decoded");
  chorale_potential_release(wide);
  chorale_property_release(other);
  close_handed(&handed);
}

enum { FOUND_ITEMS = 240, FOUND_LABELS = 3 };

static void labels_of(const chorale_corpus *corpus, const chorale_agreement *agreement,
                      double *strength, int32_t *labels) {
  chorale_error error;
  chorale_decoded *decoded = NULL;
  OK(chorale_decode(NULL, corpus, agreement, 1, NULL, &decoded, &error));
  *strength = chorale_decoded_strength(decoded, 0);
  assert_true(chorale_decoded_strength(decoded, 1) == 0);
  assert_true(chorale_decoded_strength(decoded, -1) == 0);
  OK(chorale_decoded_labels(decoded, CHORALE_TOGETHER, labels, FOUND_ITEMS, NULL, &error));
  chorale_decoded_destroy(decoded);
}

/* A strength of 0 is what chorale_learn finds without gold labels. Labels that the corpus does not
 * count take no part. */
static void strengths_are_found(void **state) {
  (void)state;
  Random random = {5};
  chorale_error error;
  static double scores[FOUND_ITEMS * FOUND_LABELS];
  static int32_t tokens[FOUND_ITEMS], found[FOUND_ITEMS], given[FOUND_ITEMS], more[FOUND_ITEMS];
  static int64_t weights[FOUND_ITEMS];
  for (int64_t i = 0; i < FOUND_ITEMS; ++i) {
    tokens[i] = (int32_t)(i / 6);
    weights[i] = 1;
    for (int64_t y = 0; y < FOUND_LABELS; ++y)
      scores[i * FOUND_LABELS + y] = 2 * random_unit(&random) + (y == i / 6 % FOUND_LABELS);
  }
  chorale_corpus corpus = {.struct_size = sizeof corpus};
  corpus.chains = FOUND_ITEMS;
  corpus.labels = FOUND_LABELS;
  corpus.unary = scores;
  corpus.tokens = tokens;
  const int32_t uncounted[] = {2};
  for (int64_t left_out = 0; left_out < 2; ++left_out) {
    corpus.uncounted = left_out ? uncounted : NULL;
    corpus.uncounted_count = left_out;
    chorale_agreement words = {.struct_size = sizeof words};
    double strength = 0, same = 0;
    labels_of(&corpus, &words, &strength, found);

    chorale_problem *problem = NULL;
    OK(chorale_problem_create_agreeing(NULL, &corpus, &words, 1, NULL, &problem, &error));
    const int32_t classes[] = {0, 1, left_out ? -1 : 2};
    chorale_learn_options options = {.struct_size = sizeof options};
    options.without_gold = 1;
    options.labels = FOUND_LABELS;
    options.classes = classes;
    chorale_learnt *learnt = NULL;
    OK(chorale_learn(NULL, (const chorale_problem *const *)&problem, 1, &options, &learnt, &error));
    chorale_learnt_kind kind;
    OK(chorale_learnt_kinds(learnt, &kind, sizeof kind, 1, NULL, &error));
    assert_true(strength > 0 && strength == kind.strength);
    chorale_learnt_destroy(learnt);
    chorale_problem_destroy(problem);

    words.strength = strength;
    labels_of(&corpus, &words, &same, given);
    assert_true(same == strength);
    assert_memory_equal(given, found, sizeof found);
    const uint8_t counted[] = {1, 1, left_out ? 0 : 1};
    chorale_potential_options scaled = {.struct_size = sizeof scaled};
    scaled.scale = CHORALE_SCALE_BY_MEMBERS;
    scaled.counted = counted;
    chorale_potential *potts = NULL;
    OK(chorale_potential_create_potts(NULL, FOUND_LABELS, strength, &scaled, &potts, &error));
    words.potential = potts;
    labels_of(&corpus, &words, &same, more);
    assert_true(same == 0);
    assert_memory_equal(more, found, sizeof found);
    words.potential = NULL;
    chorale_potential_release(potts);

    words.strength = 0;
    words.weights = weights;
    labels_of(&corpus, &words, &same, more);
    assert_true(same == strength);
    weights[7] = 2;
    labels_of(&corpus, &words, &same, more);
    assert_true(same == 1);
    weights[7] = 1;
  }
  const int32_t wrong[] = {1, 3};
  chorale_decoded *decoded = NULL;
  corpus.uncounted = wrong;
  corpus.uncounted_count = 2;
  FAILS(chorale_decode(NULL, &corpus, NULL, 0, NULL, &decoded, &error), CHORALE_ERROR_OUT_OF_RANGE,
        "corpus->uncounted[1] is 3");
  corpus.uncounted_count = 0;
  FAILS(chorale_decode(NULL, &corpus, NULL, 0, NULL, &decoded, &error), CHORALE_ERROR_SIZE,
        "corpus->uncounted_count is 0", "corpus->uncounted is given");
  corpus.uncounted_count = -1;
  FAILS(chorale_decode(NULL, &corpus, NULL, 0, NULL, &decoded, &error), CHORALE_ERROR_SIZE,
        "corpus->uncounted_count");
  corpus.uncounted = NULL;
  corpus.uncounted_count = 1;
  FAILS(chorale_decode(NULL, &corpus, NULL, 0, NULL, &decoded, &error), CHORALE_ERROR_NULL_ARGUMENT,
        "corpus->uncounted");
}

/* ---- Counts ------------------------------------------------------------------------------ */

enum { MOST_COPIES = 3 };

/* Writes the chains of `drawn` once for each that they stand for, and their agreements. */
static void repeat(const Drawn *drawn, const int64_t *counts, const int32_t *labels, Drawn *to,
                   double *edges, int32_t *to_labels) {
  const int64_t cells = DRAWN_LABELS * DRAWN_LABELS;
  memset(to, 0, sizeof *to);
  to->corpus = drawn->corpus;
  to->corpus.counts = NULL;
  to->corpus.chains = 0;
  int64_t position = 0;
  for (int64_t i = 0; i < drawn->corpus.chains; ++i)
    for (int64_t k = 0; k < counts[i]; ++k) {
      to->groups[to->corpus.chains] = drawn->groups[i];
      for (int64_t p = drawn->offsets[i]; p < drawn->offsets[i + 1]; ++p, ++position) {
        to->tokens[position] = drawn->tokens[p];
        to->keys[position] = drawn->keys[p];
        to_labels[position] = labels[p];
        memcpy(to->scores + position * DRAWN_LABELS, drawn->scores + p * DRAWN_LABELS,
               DRAWN_LABELS * sizeof *to->scores);
        if (drawn->corpus.edges)
          memcpy(edges + position * cells, (const double *)drawn->corpus.edges + p * cells,
                 (size_t)cells * sizeof *edges);
      }
      to->offsets[++to->corpus.chains] = position;
    }
  to->corpus.unary = to->scores;
  to->corpus.offsets = to->offsets;
  to->corpus.tokens = to->tokens;
  to->corpus.edges = drawn->corpus.edges ? edges : NULL;
  to->corpus.groups = drawn->corpus.groups ? to->groups : NULL;
  to->count = drawn->count;
  for (int64_t k = 0; k < drawn->count; ++k) {
    to->agreements[k] = drawn->agreements[k];
    to->agreements[k].keys = to->keys;
  }
}

static double drawn_score(const Drawn *drawn, const int32_t *labels) {
  chorale_error error;
  chorale_problem *problem = NULL;
  OK(chorale_problem_create_agreeing(NULL, &drawn->corpus, drawn->agreements, drawn->count, NULL,
                                     &problem, &error));
  double score = 0;
  OK(chorale_model_score(NULL, chorale_problem_model(problem), labels,
                         drawn->offsets[drawn->corpus.chains], &score, NULL, NULL, &error));
  chorale_problem_destroy(problem);
  return score;
}

/* A chain with a count has the score and the votes of that many equal chains. */
static void a_chain_stands_for_many(void **state) {
  (void)state;
  Random random = {test_seed()};
  chorale_error error;
  Handed handed;
  open_handed(&handed);
  const double matrix[DRAWN_LABELS * DRAWN_LABELS] = {0.5, -0.25, -INFINITY, 0, 0.25, 0.5, 0.125};
  const double start[] = {0.5, 0, -0.75}, end[] = {0, 0.25, 0.5};
  const chorale_transitions_options ends = {.struct_size = sizeof ends, .start = start, .end = end};
  chorale_transitions *transitions = NULL;
  OK(chorale_transitions_create(NULL, DRAWN_LABELS, matrix, &ends, &transitions, &error));
  for (int64_t round = 0; round < test_rounds(400); ++round) {
    static Drawn drawn, many;
    static double edges[DRAWN_POSITIONS * DRAWN_LABELS * DRAWN_LABELS];
    static double many_edges[DRAWN_POSITIONS * DRAWN_LABELS * DRAWN_LABELS];
    int64_t counts[DRAWN_CHAINS];
    int32_t labels[DRAWN_POSITIONS], many_labels[DRAWN_POSITIONS];
    draw(&random, &handed, &drawn);
    /* Few enough for the copies to find room. */
    const int32_t most = random_int(&random, 1, DRAWN_CHAINS / MOST_COPIES);
    drawn.corpus.chains = drawn.corpus.chains < most ? drawn.corpus.chains : most;
    drawn.corpus.offsets = drawn.offsets;
    for (int64_t i = 0; i < drawn.corpus.chains; ++i)
      counts[i] = random_int(&random, 1, MOST_COPIES);
    drawn.corpus.counts = counts;
    if (random_chance(&random, 50))
      drawn.corpus.transitions = transitions;
    drawn.corpus.borrow = random_chance(&random, 50);
    for (size_t e = 0; e < COUNT_OF(edges); ++e)
      edges[e] = random_unit(&random);
    drawn.corpus.edges = random_chance(&random, 30) ? edges : NULL;
    for (int64_t k = 0; k < drawn.count; ++k) {
      chorale_agreement *agreement = &drawn.agreements[k];
      agreement->potential = NULL;
      agreement->weights = NULL;
      agreement->strength = 0.5;
      agreement->minimum = 1;
      if (agreement->kind == CHORALE_AGREE_CLIQUES)
        agreement->kind = CHORALE_AGREE_WORDS;
    }
    for (int64_t p = 0; p < DRAWN_POSITIONS; ++p)
      labels[p] = random_int(&random, 0, DRAWN_LABELS - 1);
    repeat(&drawn, counts, labels, &many, many_edges, many_labels);
    const double score = drawn_score(&drawn, labels);
    const double sum = drawn_score(&many, many_labels);
    if (!(score == sum || fabs(score - sum) <= 1e-9 * (1 + fabs(sum))))
      fail_msg("seed %llu, round %lld: %.17g for chains with counts, %.17g for their copies",
               (unsigned long long)test_seed(), (long long)round, score, sum);
  }
  /* Floats too; the product is computed in double precision. */
  const float floats[] = {1.5f, 0.25f, 0};
  int64_t counts[] = {INT32_MAX};
  chorale_corpus corpus = {.struct_size = sizeof corpus, .chains = 1, .labels = DRAWN_LABELS};
  corpus.unary = floats;
  corpus.element = CHORALE_FLOAT32;
  corpus.counts = counts;
  chorale_decoded *decoded = NULL;
  OK(chorale_decode(NULL, &corpus, NULL, 0, NULL, &decoded, &error));
  chorale_run_result result = {.struct_size = sizeof result};
  OK(chorale_decoded_get_result(decoded, &result, &error));
  assert_true(result.score == 1.5 * INT32_MAX);
  chorale_decoded_destroy(decoded);
  decoded = NULL;
  counts[0] = 0;
  FAILS(chorale_decode(NULL, &corpus, NULL, 0, NULL, &decoded, &error), CHORALE_ERROR_OUT_OF_RANGE,
        "corpus->counts[0] is 0", "from 1 to 2147483647");
  const double large[] = {1e275, 0, 0};
  corpus.unary = large;
  corpus.element = CHORALE_FLOAT64;
  counts[0] = 1000000;
  FAILS(chorale_decode(NULL, &corpus, NULL, 0, NULL, &decoded, &error), CHORALE_ERROR_OUT_OF_RANGE,
        "corpus->counts[0] is 1000000", "at most 1e+280");
  chorale_transitions_release(transitions);
  close_handed(&handed);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_same_as_call_by_call),
      cmocka_unit_test(three_mentions),
      cmocka_unit_test(strengths_are_found),
      cmocka_unit_test(a_chain_stands_for_many),
      cmocka_unit_test(mistakes_are_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
