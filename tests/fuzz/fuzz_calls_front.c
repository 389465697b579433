/* The fuzzer of call sequences: many chains, cliques and members at once, the front door, and
 * labellings of the caller's. */
#include "fuzz_calls.h"
#include "fixture_held.h"

enum { RAGGED = 7, ENTRIES = 16 };

/* Ascending offsets from a low number on; now and then one that descends, is negative or too far. */
static const int64_t *ragged_offsets(World *w, int64_t *offsets, int64_t count, int32_t step) {
  static const int64_t wrong[] = {-1, INT64_MIN, 0, (int64_t)1 << 61, INT64_MAX};
  offsets[0] = chance(w, 80) ? 0 : upto(w, 2);
  for (int64_t k = 1; k < RAGGED; ++k)
    offsets[k] = offsets[k - 1] + upto(w, step);
  if (chance(w, 4) && count > 0)
    offsets[upto(w, (int32_t)count)] = wrong[upto(w, (int32_t)COUNT_OF(wrong) - 1)];
  return offsets;
}

/* All arrays are in the pools, or `offsets` and `groups`, which have RAGGED entries. */
static void describe_corpus(World *w, chorale_corpus *corpus, int64_t *offsets, int64_t *groups) {
  *corpus = (chorale_corpus){.struct_size = sizeof *corpus};
  restruct(w, &corpus->struct_size);
  corpus->chains = chance(w, 96) ? upto(w, RAGGED - 1) : chance(w, 50) ? -1 : (int64_t)1 << 61;
  if (corpus->chains >= 0 && corpus->chains < RAGGED && chance(w, 75))
    corpus->offsets = ragged_offsets(w, offsets, corpus->chains, 2);
  corpus->labels = chance(w, 90) ? 3 : side(w);
  corpus->element = constant(w, CHORALE_FLOAT64);
  corpus->borrow = chance(w, 20);
  corpus->unary = numbers(w);
  corpus->unary_row_stride = stride(w);
  corpus->unary_column_stride = chance(w, 80) ? 0 : upto(w, 2);
  corpus->transitions = SELDOM(PICK(transitions));
  corpus->tokens = chance(w, 70) ? indices(w) : NULL;
  for (int64_t k = 0; k < RAGGED; ++k)
    groups[k] = upto(w, 1);
  corpus->groups = SELDOM(groups);
  if (chance(w, 15)) {
    corpus->uncounted = chance(w, 80) ? w->small + POOL / 2 : indices(w);
    corpus->uncounted_count = side(w);
  } else if (chance(w, 2)) {
    corpus->uncounted_count = hostile_size(w->random);
  }
  corpus->edges = chance(w, 15) ? w->doubles : NULL; /* up to 14 x 6 x 6 of them */
  corpus->forced = chance(w, 15) ? (chance(w, 80) ? w->small + POOL / 2 : indices(w)) : NULL;
  corpus->allowed = chance(w, 15) ? w->bits : NULL;
  corpus->counts = chance(w, 10) ? w->wholes + upto(w, 32) : NULL;
}

static void describe_setup(World *w, chorale_clique_setup *setup) {
  *setup = (chorale_clique_setup){.struct_size = sizeof *setup};
  restruct(w, &setup->struct_size);
  setup->property = SELDOM(PICK(properties));
  setup->values = chance(w, 80) ? 3 : number(w);
  setup->potential = PICK(potentials);
}

void add_in_bulk(World *w) {
  chorale_model_builder *b = PICK(builders);
  int64_t offsets[RAGGED], groups[RAGGED], chains[ENTRIES], positions[ENTRIES],
      weights[ENTRIES], first = -1;
  switch (upto(w, 3)) {
  case 0: {
    chorale_corpus corpus;
    describe_corpus(w, &corpus, offsets, groups);
    CALL(chorale_model_builder_add_corpus(b, OFTEN(&corpus), SELDOM(&first), &w->error));
    break;
  }
  case 1: {
    chorale_clique_setup setup;
    describe_setup(w, &setup);
    const int64_t count = chance(w, 95) ? upto(w, 4) : chance(w, 50) ? -1 : INT64_MAX;
    CALL(chorale_model_builder_add_cliques(b, OFTEN(&setup), count, SELDOM(&first), &w->error));
    break;
  }
  default: {
    const int64_t count = chance(w, 95) ? upto(w, RAGGED - 1) : chance(w, 50) ? -1 : INT64_MAX;
    const int64_t *parts = ragged_offsets(w, offsets, count < RAGGED ? count : 0, 2);
    for (int32_t k = 0; k < ENTRIES; ++k) {
      chains[k] = number(w);
      positions[k] = chance(w, 80) ? 0 : number(w);
      weights[k] = chance(w, 90) ? 1 + upto(w, 3) : hostile_size(w->random);
    }
    chorale_members members = {.struct_size = sizeof members};
    restruct(w, &members.struct_size);
    members.first = number(w);
    members.cliques = count;
    members.offsets = OFTEN(parts);
    members.chains = OFTEN(chains);
    members.positions = SELDOM(positions);
    members.weights = SELDOM(weights);
    members.centre_chains = chance(w, 20) ? chains : NULL;
    members.centre_positions = SELDOM(positions);
    CALL(chorale_model_builder_add_members(b, OFTEN(&members), &w->error));
  }
  }
}

/* ---- The front door ----------------------------------------------------------------------- */

static void describe_agreement(World *w, chorale_agreement *agreement, int64_t *offsets,
                               int64_t *members) {
  *agreement = (chorale_agreement){.struct_size = sizeof *agreement};
  agreement->kind = constant(w, 10 * upto(w, 3));
  agreement->across = chance(w, 95) ? upto(w, 1) : upto(w, 3) - 1;
  agreement->strength = chance(w, 90) ? upto(w, 8) / 4.0 - 0.5 : hostile_double(w->random);
  agreement->potential = chance(w, 20) ? PICK(potentials) : NULL;
  agreement->minimum = chance(w, 90) ? 1 + upto(w, 2) : number(w);
  agreement->keys = indices(w);
  agreement->stop = OFTEN(w->small + POOL / 2);
  agreement->stop_count = chance(w, 90) ? upto(w, 2) : chance(w, 50) ? -1 : INT64_MAX;
  agreement->property = PICK(properties);
  agreement->cliques = chance(w, 95) ? upto(w, RAGGED - 1) : -1;
  agreement->clique_offsets = OFTEN(ragged_offsets(w, offsets, agreement->cliques, 2));
  for (int32_t k = 0; k < ENTRIES; ++k)
    members[k] = chance(w, 90) ? k % 5 : number(w);
  agreement->members = OFTEN(members);
  agreement->weights = chance(w, 20) ? w->wholes + upto(w, 9) : NULL;
}

static void describe_rule(World *w, chorale_rule *rule, const int64_t *chains) {
  static const chorale_rule_kind kinds[] = {
      CHORALE_RULE_AT_MOST,        CHORALE_RULE_AT_LEAST,       CHORALE_RULE_EXACTLY,
      CHORALE_RULE_NEVER,          CHORALE_RULE_AT_MOST_TOKENS, CHORALE_RULE_NO_LONGER,
      CHORALE_RULE_BEFORE,         CHORALE_RULE_DIRECTLY_AFTER, CHORALE_RULE_NOT_TOGETHER,
      CHORALE_RULE_NEEDS,          CHORALE_RULE_PROPERTY};
  *rule = (chorale_rule){.struct_size = sizeof *rule};
  rule->kind = chance(w, 97) ? kinds[upto(w, 10)] : constant(w, 0);
  rule->each = rule->kind != CHORALE_RULE_PROPERTY && chance(w, 30);
  rule->a = constant(w, 0);
  rule->b = constant(w, 1);
  rule->k = chance(w, 95) ? upto(w, 3) : number(w) % 1000;
  rule->price = chance(w, 30) ? 0.5 : 0;
  rule->property = PICK(properties);
  rule->chains = chance(w, 30) ? chains : NULL;
  rule->chain_count = rule->chains ? upto(w, 4) : 0;
}

static void read_decoded(World *w, chorale_decoded *decoded) {
  int32_t labels[64];
  int64_t needed = 0;
  chorale_reason reasons[32];
  chorale_run_result result = {.struct_size = sizeof result};
  chorale_ruled_chain ruled[8];
  chorale_rule_conflict conflicts[32];
  chorale_rule_reason rule_reasons[32];
  int64_t has_rules = 0;
  CALL(chorale_decoded_ruled_chains(decoded, ruled, sizeof *ruled, 8, &has_rules, &w->error));
  for (int64_t k = 0; w->status == CHORALE_OK && k < has_rules; ++k)
    REQUIRE(ruled[k].cost >= 0 && ruled[k].gap >= 0 && ruled[k].gap <= ruled[k].cost,
            "cost %g, gap %g", ruled[k].cost, ruled[k].gap);
  CALL(chorale_decoded_rule_conflicts(decoded, conflicts, sizeof *conflicts, 32, &needed,
                                      &w->error));
  CALL(chorale_decoded_rule_reasons(decoded, rule_reasons, sizeof *rule_reasons, 32, &needed,
                                    &w->error));
  for (int64_t k = 0; w->status == CHORALE_OK && k < needed; ++k)
    REQUIRE(rule_reasons[k].own_label != rule_reasons[k].label && rule_reasons[k].cost >= 0,
            "a reason for label %d", rule_reasons[k].label);
  CALL(chorale_decoded_get_result(decoded, &result, &w->error));
  if (w->status == CHORALE_OK)
    REQUIRE(result.score >= result.own_score || result.score == -INFINITY || has_rules > 0,
            "score %g, own %g", result.score, result.own_score);
  CALL(chorale_decoded_labels(decoded, constant(w, upto(w, 1)), labels, 64, &needed, &w->error));
  const chorale_model *model = chorale_decoded_model(decoded);
  if (w->status == CHORALE_OK) {
    double score = NAN;
    CALL(chorale_model_score(w->host, model, labels, needed, &score, NULL, NULL, &w->error));
    REQUIRE(w->status != CHORALE_OK || score <= result.score ||
                score <= result.own_score || result.outcome == CHORALE_OUTCOME_INFEASIBLE,
            "labels of score %.17g, the result says %.17g", score, result.score);
  }
  CALL(chorale_decoded_reasons(decoded, reasons, sizeof *reasons, 32, &needed, &w->error));
  for (int64_t k = 0; w->status == CHORALE_OK && k < needed; ++k)
    REQUIRE(reasons[k].agreement >= 0 && reasons[k].agreeing_before >= 0 &&
                reasons[k].agreeing >= 0 && reasons[k].agreeing_before <= reasons[k].others &&
                reasons[k].agreeing <= reasons[k].others,
            "clique %lld of agreement %lld", (long long)reasons[k].clique,
            (long long)reasons[k].agreement);
  REQUIRE((chorale_decoded_run(decoded) != NULL) == (decoded != NULL), "no run");
}

void use_front(World *w) {
  if (chance(w, 30)) {
    read_decoded(w, PICK(decoded));
    return;
  }
  chorale_corpus corpus;
  chorale_agreement agreements[3];
  chorale_run_options options;
  int64_t offsets[RAGGED], groups[RAGGED], cliques[3][RAGGED], members[3][ENTRIES];
  describe_corpus(w, &corpus, offsets, groups);
  for (int32_t k = 0; k < 3; ++k)
    describe_agreement(w, &agreements[k], cliques[k], members[k]);
  restruct(w, &agreements[upto(w, 2)].struct_size);
  options = (chorale_run_options){.struct_size = sizeof options};
  options.rounds = upto(w, 4);
  options.bound_steps = chance(w, 30) ? 2 : 0;
  const int64_t count = chance(w, 95) ? upto(w, 3) : -1;
  chorale_decoded **to = SLOT(decoded);
  const int are_ruled = chance(w, 40);
  chorale_rule given[3];
  chorale_rules rules = {.struct_size = sizeof rules};
  int64_t chains[4];
  if (are_ruled) {
    for (int32_t k = 0; k < 4; ++k)
      chains[k] = chance(w, 95) ? upto(w, 2) : number(w);
    for (int32_t k = 0; k < 3; ++k)
      describe_rule(w, &given[k], chains);
    rules.rules = OFTEN(given);
    rules.count = chance(w, 95) ? upto(w, 3) : number(w) % 3;
    rules.most_cost = chance(w, 20) ? 0.5 : 0;
    options.rules = &rules;
  }
  CALL(chorale_decode(w->host, OFTEN(&corpus), OFTEN(agreements), count,
                      are_ruled ? &options : SELDOM(&options), to, &w->error));
  REQUIRE((w->status == CHORALE_OK) == (*to != NULL), "status %d", w->status);
  if (*to)
    read_decoded(w, *to);
}

/* ---- Labellings of the caller's ----------------------------------------------------------- */

static int64_t labels_of(World *w, const chorale_model *model, int32_t *labels, int64_t capacity) {
  int64_t count = 0;
  for (int64_t i = 0; i < chorale_model_chain_count(model); ++i)
    count += chain_length_of(model, i);
  if (count > capacity)
    return -1;
  for (int64_t p = 0; p < count; ++p)
    labels[p] = chance(w, 99) ? upto(w, 1) : (int32_t)hostile_size(w->random);
  return chance(w, 97) ? count : count + 1;
}

void use_labelling(World *w) {
  int32_t labels[64];
  double score = NAN, chains[64], cliques[64];
  const chorale_model *model = PICK(models);
  chorale_run *run = PICK(runs);
  if (chance(w, 50)) {
    if (chorale_model_chain_count(model) > 64 || chorale_model_clique_count(model) > 64)
      return;
    const int64_t count = labels_of(w, model, labels, 64);
    CALL(chorale_model_score(w->host, model, OFTEN(labels), count, &score, SELDOM(chains),
                             SELDOM(cliques), &w->error));
    if (w->status == CHORALE_OK)
      REQUIRE(!isnan(score) && score < INFINITY, "score %g", score);
    return;
  }
  /* A run does not tell its model: labels are as many as its labelling has. */
  int64_t needed = 0;
  CALL(chorale_run_labels(run, CHORALE_ALL_CHAINS, CHORALE_TOGETHER, NULL, 0, &needed, &w->error));
  if (w->status == CHORALE_OK && needed <= 64) {
    for (int64_t p = 0; p < needed; ++p)
      labels[p] = chance(w, 99) ? upto(w, 1) : (int32_t)hostile_size(w->random);
    CALL(chorale_run_set_labels(run, OFTEN(labels), needed, &w->error));
  } else if (needed <= 64) {
    CALL(chorale_run_set_labels(run, labels, chance(w, 50) ? 0 : -1, &w->error));
  }
}
