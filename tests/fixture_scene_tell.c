/* Computes a digest of all visible state of the handles of a scene. */
#include "fixture_scene.h"
#include "fixture_held.h"

static const int32_t kTable[] = {1, 0, 1};
static const int32_t kLabelling[] = {0, 1, 1};

typedef struct Digest {
  uint64_t sum;
} Digest;

static void add(Digest *digest, const void *bytes, size_t size) {
  digest->sum = (digest->sum ^ own_checksum(bytes, size)) * UINT64_C(0x100000001B3) + size;
}
static void add_number(Digest *digest, int64_t number) { add(digest, &number, sizeof number); }

static void tell_potential(Digest *digest, const chorale_potential *potential) {
  chorale_error error;
  const int64_t values = chorale_potential_values(potential);
  int64_t counts[8] = {0};
  double score = 0;
  add_number(digest, values);
  for (int64_t v = 0; v < values && v < 8; ++v) {
    counts[v] = 2;
    const chorale_status status =
        chorale_potential_score(potential, counts, values, 2 * (v + 1), &score, &error);
    add_number(digest, status);
    add(digest, &score, sizeof score);
  }
}

static void tell_property(Scene *s, Digest *digest, const chorale_property *property,
                          const chorale_dictionary *dictionary) {
  chorale_error error;
  chorale_attachment attachment = {.struct_size = sizeof attachment};
  attachment.property = property;
  attachment.dictionary = dictionary;
  attachment.table = kTable;
  add_number(digest, chorale_property_values(property));
  for (int32_t k = 0; property && k < 8; ++k) {
    const int32_t labelling[SCENE_LENGTH] = {k & 1, k >> 1 & 1, k >> 2 & 1};
    int32_t value = -9;
    int64_t count = -9;
    OK(chorale_property_shown(&attachment, SCENE_LENGTH, labelling, NULL, &value, s->labels, 8,
                              &count, &error));
    add_number(digest, value);
    add_number(digest, count);
  }
}

static void tell_solvers(Scene *s, Digest *digest, const Handles *h) {
  chorale_error error;
  if (h->clique_solver) {
    chorale_clique_result result = {.struct_size = sizeof result};
    OK(chorale_clique_solve(h->clique_solver, s->majority, &s->clique, NULL, s->labels, &result,
                            &error));
    add(digest, &result, sizeof result);
    add(digest, s->labels, sizeof(int32_t) * 4);
  }
  if (h->chain_solver) {
    double score = 0;
    OK(chorale_chain_solve(h->chain_solver, &s->chain, s->labels, NULL, &error));
    OK(chorale_chain_score(&s->chain, s->labels, &score, &error));
    add(digest, s->labels, sizeof(int32_t) * SCENE_LENGTH);
    add(digest, &score, sizeof score);
  }
}

static void tell_run(Scene *s, Digest *digest, chorale_run *run) {
  chorale_error error;
  chorale_run_result result = {.struct_size = sizeof result};
  if (!run)
    return;
  OK(chorale_run_get_result(run, &result, &error));
  add(digest, &result, sizeof result);
  OK(chorale_run_solve(run, &result, &error));
  add(digest, &result, sizeof result);
  OK(chorale_run_json(run, s->text, sizeof s->text, &s->size, &error));
  assert_true(s->size <= sizeof s->text);
  add(digest, s->text, s->size);
}

static void tell_model(Scene *s, Digest *digest, const chorale_model *model) {
  chorale_error error;
  if (!model)
    return;
  add_number(digest, all_member_count(model));
  add_number(digest, (int64_t)cost_of_model(model).score_bytes);
  chorale_run *run = NULL;
  OK(chorale_run_create(NULL, model, &s->run_options, NULL, &run, &error));
  tell_run(s, digest, run);
  chorale_run_destroy(run);
}

static void tell_builder(Scene *s, Digest *digest, chorale_model_builder *builder) {
  chorale_error error;
  chorale_model *model = NULL;
  if (!builder)
    return;
  /* Tests which members have been added, by the errors of adding them again. */
  for (int64_t chain = 2; chain >= 0; --chain) {
    add_number(digest, put_chain(builder, 0, chain, NULL, &error));
    for (int64_t t = SCENE_LENGTH - 1; t >= 0; --t)
      add_number(digest, put_position(builder, 1, chain, t, &error));
  }
  const chorale_status status = chorale_model_builder_freeze(builder, &model, &error);
  add_number(digest, status);
  tell_model(s, digest, model);
  chorale_model_release(model);
}

static void tell_problem(Digest *digest, const chorale_problem *problem) {
  if (!problem)
    return;
  Saved saved = save(problem);
  add(digest, saved.bytes, saved.size);
  drop_saved(&saved);
}

static void tell_prices(Scene *s, Digest *digest, chorale_prices *prices) {
  chorale_error error;
  double score = 0;
  int64_t *counts = (int64_t *)(void *)s->scratch.bytes, needed = 0;
  if (!prices)
    return;
  OK(chorale_prices_solve(prices, NULL, 0, &score, NULL, &error));
  OK(chorale_prices_counts(prices, counts, 64, &needed, &error));
  add(digest, &score, sizeof score);
  add(digest, counts, (size_t)needed * sizeof *counts);
}

static void tell_ledger(Digest *digest, chorale_ledger *ledger) {
  chorale_error error;
  chorale_ledger_row rows[1024];
  int64_t count = 0;
  if (!ledger)
    return;
  OK(chorale_ledger_rows(ledger, rows, sizeof *rows, 1024, &count, &error));
  for (int64_t i = 0; i < count; ++i) {
    add_number(digest, rows[i].label);
    add_number(digest, rows[i].told);
  }
  OK(chorale_ledger_changes(ledger, 0, NULL, sizeof(chorale_ledger_change), 0, &count, &error));
  add_number(digest, count);
}

static void tell_handles(Scene *s, Digest *digest, const Handles *h) {
  tell_potential(digest, h->potential);
  add_number(digest, chorale_transitions_labels(h->transitions));
  tell_property(s, digest, h->property, NULL);
  if (h->dictionary)
    tell_property(s, digest, s->has.property, h->dictionary);
  tell_solvers(s, digest, h);
  tell_builder(s, digest, h->builder);
  tell_model(s, digest, h->model);
  tell_run(s, digest, h->run);
  tell_problem(digest, h->problem);
  tell_run(s, digest, chorale_decoded_run(h->decoded));
  tell_prices(s, digest, h->prices);
  tell_ledger(digest, h->ledger);
}

uint64_t tell_scene(Scene *s) {
  Digest digest = {0};
  add_number(&digest, s->counts[0]);
  add_number(&digest, s->counts[1]);
  tell_handles(s, &digest, &s->has);
  tell_handles(s, &digest, &s->made);
  tell_run(s, &digest, s->wide_run);
  tell_run(s, &digest, s->fresh_run);
  tell_problem(&digest, s->plain_problem);
  if (s->made.transitions) {
    chorale_error error;
    double score = 0;
    s->chain.transitions = s->made.transitions;
    OK(chorale_chain_score(&s->chain, kLabelling, &score, &error));
    add(&digest, &score, sizeof score);
  }
  return digest.sum;
}
