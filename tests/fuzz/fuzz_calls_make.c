/* The first half of the fuzzer of call sequences: callbacks, and everything that is made. */
#include "fuzz_calls.h"

/* ---- Callbacks ---------------------------------------------------------------------------- */

static int misbehaves(World *w) { return w->calls_left > 0 && --w->calls_left == 0; }

/* A run in the middle of a call is not changed by its callbacks, and read by one of them alone. */
static void disturb(const World *w, int may_read) {
  if (!w->running)
    return;
  chorale_error error;
  chorale_run_result result = {.struct_size = sizeof result};
  REQUIRE(chorale_run_step(w->running, NULL, &error) == CHORALE_ERROR_BUSY, "a step in a call");
  chorale_run_reset(w->running);
  chorale_run_destroy(w->running);
  REQUIRE(chorale_run_get_result(w->running, &result, &error) ==
              (may_read ? CHORALE_OK : CHORALE_ERROR_BUSY),
          "%s", error.message);
}

static int32_t count_function(void *user, const int64_t *counts, int64_t values, int64_t members,
                              double *score) {
  World *w = user;
  disturb(w, 0);
  if (misbehaves(w)) {
    *score = NAN;
    return (int32_t)(members % 2);
  }
  *score = 0;
  for (int64_t v = 0; v < values; ++v)
    *score += (double)(counts[v] * counts[v]);
  return 0;
}

/* An instance of one label a position, whose value is 0 everywhere. */
static int32_t send_messages(void *user, int64_t memberships, const int64_t *sizes,
                             const double *const *incoming, double *const *outgoing) {
  (void)incoming;
  disturb(user, 0);
  for (int64_t p = 0; p < memberships; ++p)
    for (int64_t v = 0; v < sizes[p]; ++v)
      outgoing[p][v] = misbehaves(user) ? NAN : v == 0 ? 1 : -INFINITY;
  return misbehaves(user);
}

static int32_t decode(void *user, int64_t memberships, const int64_t *sizes,
                      const double *const *incoming, int32_t *labelling, int32_t *values,
                      double *score) {
  (void)sizes, (void)incoming;
  labelling[0] = misbehaves(user) ? 7 : 0;
  labelling[1] = 0;
  for (int64_t p = 0; p < memberships; ++p)
    values[p] = misbehaves(user) ? -9 : 0;
  *score = misbehaves(user) ? NAN : 1;
  return misbehaves(user);
}

int32_t report_progress(void *user, const chorale_progress *progress) {
  World *w = user;
  REQUIRE(progress->struct_size == sizeof *progress, "progress of %zu bytes",
          progress->struct_size);
  disturb(w, 1);
  return --w->reports_left <= 0;
}


/* ---- Making things ------------------------------------------------------------------------ */

void make_potential_at_random(World *w) {
  chorale_potential_options o = {.struct_size = sizeof o};
  restruct(w, &o.struct_size);
  o.scale = constant(w, upto(w, 2));
  o.shape = constant(w, chance(w, 80) ? 0 : upto(w, 2));
  const int64_t values = side(w), rows = chance(w, 90) ? values : side(w);
  o.counted =
      values >= 1 && values <= MOST_SIDE && rows == values ? SELDOM(w->bits + upto(w, 9)) : NULL;
  const chorale_potential_options *options = SELDOM(&o);
  const double lambda = chance(w, 80) ? upto(w, 8) / 4.0 - 1 : hostile_double(w->random);
  const int64_t length = chance(w, 90) ? MOST_SIDE * MOST_SIDE : side(w);
  const int64_t step = chance(w, 90) ? length : stride(w);
  const double *first = numbers(w);
  const double *second = SELDOM(w->doubles + 3);
  chorale_potential **to = SLOT(potential);
  const int64_t free_size = chance(w, 90) ? values : hostile_size(w->random);
  if (free_size != values)
    o.counted = NULL;
  switch (upto(w, 9)) {
  case 0:
    CALL(chorale_potential_create_potts(w->host, free_size, lambda, options, to, &w->error));
    break;
  case 1:
    CALL(chorale_potential_create_entropy(w->host, free_size, lambda, options, to, &w->error));
    break;
  case 2:
    CALL(chorale_potential_create_sum(w->host, values, first, chance(w, 70) ? 1 : rows, length,
                                      step, options, to, &w->error));
    break;
  case 3:
    CALL(chorale_potential_create_max(w->host, values, first, chance(w, 70) ? 1 : rows, length,
                                      step, options, to, &w->error));
    break;
  case 4:
    CALL(chorale_potential_create_cardinality(w->host, values, first, length, options, to,
                                              &w->error));
    break;
  case 5:
    CALL(chorale_potential_create_makespan(w->host, free_size, lambda, options, to, &w->error));
    break;
  case 6:
    CALL(chorale_potential_create_square_makespan(w->host, free_size, lambda, options, to,
                                                  &w->error));
    break;
  case 7:
    CALL(chorale_potential_create_majority(w->host, values, first,
                                           chance(w, 90) ? values : stride(w), second, options, to,
                                           &w->error));
    break;
  case 8:
    CALL(chorale_potential_create_pairs(w->host, values, first, chance(w, 90) ? values : stride(w),
                                        options, to, &w->error));
    break;
  default:
    CALL(chorale_potential_create_callback(w->host, values, OFTEN(count_function), w, NULL, options,
                                           to, &w->error));
    break;
  }
  REQUIRE((w->status == CHORALE_OK) == (*to != NULL), "status %d", w->status);
}

void make_transitions(World *w) {
  chorale_transitions_options o = {.struct_size = sizeof o};
  restruct(w, &o.struct_size);
  o.orientation = constant(w, upto(w, 1));
  o.row_stride = stride(w);
  o.column_stride = o.row_stride ? upto(w, 2) : 0;
  o.start = SELDOM(w->doubles);
  o.end = SELDOM(w->doubles + 5);
  o.borrow = chance(w, 10);
  o.mask = SELDOM(w->bits);
  o.start_mask = SELDOM(w->bits + 2);
  const double *scores = numbers(w);
  const int64_t labels = chance(w, 70) ? 3 : side(w);
  chorale_transitions **to = SLOT(transitions);
  CALL(chorale_transitions_create(w->host, labels, scores, SELDOM(&o), to, &w->error));
  REQUIRE((w->status == CHORALE_OK) == (*to != NULL), "status %d", w->status);
}

void describe_chain(World *w, chorale_chain *chain) {
  *chain = (chorale_chain){.struct_size = sizeof *chain};
  restruct(w, &chain->struct_size);
  chain->length = chance(w, 10) ? 0 : side(w);
  chain->labels = chance(w, 80) ? 3 : side(w);
  chain->element = constant(w, CHORALE_FLOAT64);
  if (chain->element == CHORALE_FLOAT32)
    chain->element = CHORALE_FLOAT64; /* the pool is of doubles */
  chain->orientation = constant(w, upto(w, 1));
  chain->unary = numbers(w);
  chain->unary_row_stride = stride(w);
  if (chance(w, 50))
    chain->transitions = PICK(transitions);
  if (chance(w, 20)) {
    chain->edges = numbers(w);
    chain->edge_matrices = chance(w, 90) ? 1 : side(w);
    if (chain->edge_matrices > MOST_SIDE && chain->labels < 1)
      chain->edge_matrices = 1;
  }
  chain->start = SELDOM(w->doubles + 1);
  chain->parents = chance(w, 20) ? w->parents + (chance(w, 90) ? 0 : 1) : NULL;
  chain->forced = chance(w, 10) ? w->small : NULL;
  chain->allowed = chance(w, 10) ? w->bits : NULL;
}

void make_property(World *w) {
  chorale_automaton a;
  chorale_label_map map = {.struct_size = sizeof map};
  map.labels = chance(w, 80) ? 3 : side(w);
  map.kinds = chance(w, 90) ? map.labels : number(w);
  map.kind_of_label = SELDOM(w->small + upto(w, 9));
  map.begins = SELDOM(w->bits);
  restruct(w, &map.struct_size);
  const uint8_t *ignored = SELDOM(w->bits + 4);
  chorale_property **to = SLOT(property);
  const int32_t small = (int32_t)number(w);
  switch (upto(w, 6)) {
  case 0:
    a = (chorale_automaton){.struct_size = sizeof a};
    restruct(w, &a.struct_size);
    a.labels = chance(w, 80) ? 3 : side(w);
    a.classes = chance(w, 80) ? 1 : side(w);
    a.states = chance(w, 50) ? 1 : side(w);
    a.values = chance(w, 90) ? 4 : number(w);
    a.table_offset = small;
    a.outside_value = upto(w, 4) - 1;
    a.fires_outside = upto(w, 1);
    a.next = chance(w, 60) ? w->small + POOL / 2 : indices(w); /* zeros */
    a.actions = SELDOM(w->small + upto(w, 9));
    a.end_actions = SELDOM(w->small + upto(w, 9));
    a.label_values = SELDOM(w->small);
    CALL(chorale_property_create(w->host, &a, to, &w->error));
    break;
  case 1:
    CALL(chorale_property_create_local(w->host, chance(w, 80) ? 3 : side(w),
                                       chance(w, 80) ? 1 : side(w), chance(w, 80) ? 4 : number(w),
                                       indices(w), SELDOM(w->small), to, &w->error));
    break;
  case 2:
    CALL(chorale_property_create_position_label(w->host, &map, number(w), to, &w->error));
    break;
  case 3:
    CALL(chorale_property_create_token_label(w->host, &map, small, to, &w->error));
    break;
  case 4:
    CALL(chorale_property_create_first_label(w->host, &map, ignored, to, &w->error));
    break;
  case 5:
    CALL(chorale_property_create_next_label(w->host, &map, upto(w, 3), ignored,
                                            constant(w, upto(w, 1)), small, to, &w->error));
    break;
  default:
    CALL(chorale_property_create_token_before(w->host, &map, upto(w, 3), ignored,
                                              constant(w, upto(w, 1)),
                                              chance(w, 80) ? 5 : number(w), small, to, &w->error));
  }
  REQUIRE((w->status == CHORALE_OK) == (*to != NULL), "status %d", w->status);
}

void make_dictionary(World *w) {
  chorale_dictionary **to = SLOT(dictionary);
  CALL(chorale_dictionary_create(w->host, indices(w), chance(w, 90) ? upto(w, 6) : -1,
                                 chance(w, 50), to, &w->error));
}

/* ---- Models ------------------------------------------------------------------------------- */

void add_to_builder(World *w) {
  chorale_model_builder *b = PICK(builders);
  int64_t index = -1;
  switch (upto(w, 9)) {
  case 0: {
    chorale_model_builder **to = SLOT(builder);
    CALL(chorale_model_builder_create(w->host, to, &w->error));
    break;
  }
  case 1:
  case 2: {
    chorale_chain chain;
    chorale_chain_options o;
    describe_chain(w, &chain);
    o = (chorale_chain_options){.struct_size = sizeof o};
    restruct(w, &o.struct_size);
    o.tokens = SELDOM(w->small + upto(w, 9));
    o.group = number(w);
    o.borrow = chance(w, 20);
    CALL(chorale_model_builder_add_chain(b, OFTEN(&chain), SELDOM(&o), SELDOM(&index), &w->error));
    break;
  }
  case 3: {
    chorale_instance instance = {.struct_size = sizeof instance};
    instance.length = chance(w, 90) ? 2 : -1;
    instance.labels = chance(w, 90) ? 1 : 0;
    instance.user = w;
    instance.messages = OFTEN(send_messages);
    instance.decode = OFTEN(decode);
    CALL(chorale_model_builder_add_instance(b, &instance, &index, &w->error));
    break;
  }
  case 4:
  case 5: {
    chorale_clique_setup setup;
    const chorale_potential *centre[3];
    setup = (chorale_clique_setup){.struct_size = sizeof setup};
    restruct(w, &setup.struct_size);
    if (chance(w, 50)) {
      setup.property = PICK(properties);
      setup.dictionary = chance(w, 30) ? PICK(dictionaries) : NULL;
    }
    setup.values = chance(w, 80) ? 3 : number(w);
    setup.label_values = SELDOM(w->small + upto(w, 9));
    setup.labels = setup.label_values ? 3 : 0;
    if (chance(w, 80)) {
      setup.potential = PICK(potentials);
    } else {
      for (int32_t k = 0; k < 3; ++k)
        centre[k] = PICK(potentials);
      setup.centre_potentials = centre;
      setup.centre_values = 3;
    }
    CALL(chorale_model_builder_add_cliques(b, OFTEN(&setup), 1, &index, &w->error));
    break;
  }
  case 6: {
    MemberArrays o = {0};
    o.classes = SELDOM(w->small + POOL / 2);
    o.table = SELDOM(w->small + upto(w, 9));
    CALL(put_chain(b, number(w), number(w), SELDOM(&o), &w->error));
    break;
  }
  case 7:
    CALL(put_position(b, number(w), number(w), number(w), &w->error));
    break;
  case 8:
    CALL(put_centre(b, number(w), number(w), number(w), &w->error));
    break;
  default: {
    chorale_agreement o = {.struct_size = sizeof o};
    o.minimum = number(w);
    o.across = chance(w, 50);
    o.stop = w->small;
    o.stop_count = upto(w, 4);
    CALL(put_words(b, PICK(potentials), SELDOM(&o), &index, NULL, &w->error));
  }
  }
}

void change_models(World *w) {
  const chorale_model *m = PICK(models);
  switch (upto(w, 3)) {
  case 0:
  case 1: {
    chorale_model_builder *b = PICK(builders);
    chorale_model **to = SLOT(model);
    CALL(chorale_model_builder_freeze(b, to, &w->error));
    REQUIRE((w->status == CHORALE_OK) == (*to != NULL), "status %d", w->status);
    break;
  }
  case 2: {
    /* Another reference to the same. */
    chorale_model *same = chorale_model_retain(m);
    *SLOT(model) = same;
    break;
  }
  default: {
    int64_t needed = -1;
    int64_t chains[4], weights[4];
    CALL(chorale_model_get_members(m, number(w), OFTEN(chains), NULL, SELDOM(weights),
                                   chance(w, 90) ? 4 : number(w) % 5, &needed, &w->error));
    chorale_chain seen = {.struct_size = sizeof seen};
    CALL(chorale_model_get_chain(m, number(w), &seen, NULL, &w->error));
    if (w->status == CHORALE_OK)
      REQUIRE(seen.labels >= 1, "a chain of %lld labels", (long long)seen.labels);
    chorale_clique_setup held = {.struct_size = sizeof held};
    CALL(chorale_model_get_clique(m, number(w), &held, &w->error));
    if (w->status == CHORALE_OK)
      REQUIRE(held.values >= 1 && (held.potential == NULL) == (held.centre_values > 0),
              "a clique of %lld values", (long long)held.values);
  }
  }
}
