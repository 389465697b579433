/* Every public struct that begins with its size, and the structs passed in arrays: in memory
 * exactly as large as the headers of this program state, and in memory as large as later headers
 * might state, with zeros and with nonzero bytes in fields unknown to the library.
 *
 * This program is kept with the records of releases (abi/) and compiled with their headers, so that
 * each struct is of an earlier version. It must not depend on anything that a later library may
 * change. */
#include "fixture.h"

enum { LENGTH = 3, LABELS = 2, BEYOND = 1024, MOST_STRUCTS = 64, MOST_NUMBERS = 512 };

typedef enum Way {
  AS_DECLARED,
  LONGER,        /* zeros after the declared fields */
  UNKNOWN_FIELD, /* the same, but for one struct, which ends in something else */
  TOO_SHORT      /* one struct says that it lacks its last field */
} Way;

/* ---- Structs in blocks of their own, so that a sanitizer sees what is read beyond them ------- */

typedef struct Block {
  char *bytes;
  size_t known, whole;
} Block;

static Way way;
static int spoilt; /* the number of the struct that is not as it should be */
static Block blocks[MOST_STRUCTS];
static int block_count;

static size_t beyond(void) { return way == LONGER || way == UNKNOWN_FIELD ? BEYOND : 0; }

static void *new_block(size_t known, int64_t count) {
  assert_true(block_count < MOST_STRUCTS);
  Block *made = &blocks[block_count];
  made->known = known;
  made->whole = known + beyond();
  made->bytes = malloc(made->whole * (size_t)count);
  assert_non_null(made->bytes);
  memset(made->bytes, 0xEE, made->whole * (size_t)count);
  return made->bytes;
}
/* Zeroes a struct and sets its size. first: the size in the first release that declared the
 * struct. */
static void declare(void *at, size_t known, size_t first) {
  size_t size = known + beyond();
  memset(at, 0, size);
  memcpy(at, &size, sizeof size);
  if (block_count++ != spoilt)
    return;
  if (way == UNKNOWN_FIELD)
    ((char *)at)[size - 1] = 1;
  if (way == TOO_SHORT) {
    size = first - 8;
    memcpy(at, &size, sizeof size);
  }
}
#define NEW(type, name) NEW_GROWN(type, name, sizeof(type))
#define NEW_GROWN(type, name, first)                                                               \
  type *name = (type *)new_block(sizeof(type), 1);                                                 \
  declare(name, sizeof(type), first)

/* ---- One thing of every kind --------------------------------------------------------------- */

typedef struct Things {
  CountingAllocator allocator;
  chorale_allocator hooks; /* its own */
  chorale_host *host;
  chorale_cancel *cancel;
  chorale_potential *potential;
  chorale_clique_solver *clique_solver;
  chorale_chain_solver *chain_solver;
  chorale_transitions *transitions;
  chorale_property *property, *ready_made;
  chorale_dictionary *dictionary;
  chorale_model_builder *builder;
  chorale_model *model;
  chorale_problem *problem;
  chorale_run *run;
  chorale_learnt *learnt;
  int64_t learning_runs; /* number of runs, from the progress callback */
  chorale_error error;
  double told[MOST_NUMBERS];
  int told_count;
} Things;

static void tell(Things *t, double number) {
  assert_true(t->told_count < MOST_NUMBERS);
  t->told[t->told_count++] = number;
}
static void tell_all(Things *t, const int32_t *numbers, int count) {
  for (int k = 0; k < count; ++k)
    tell(t, numbers[k]);
}

#define TRY(call)                                                                                  \
  do {                                                                                             \
    const chorale_status tried = (call);                                                           \
    assert_int_equal(tried, t->error.status);                                                      \
    if (tried != CHORALE_OK)                                                                       \
      return tried;                                                                                \
  } while (0)

static const double kUnary[] = {0.5, 1, 2, -1, 0.25, 0.75, 0, 0, 1, -2, 3, 0.5};
static const double kEdges[] = {1, -0.5, 0.25, 0.5};
static const int32_t kTokens[] = {1, 0, 1};
static const int32_t kClasses[] = {0, 1, 0};

static chorale_status make_shared(Things *t) {
  NEW(chorale_host, host);
  t->hooks = t->allocator.hooks;
  host->allocator = &t->hooks;
  t->host = host;
  TRY(chorale_cancel_create(host, &t->cancel, &t->error));

  NEW(chorale_potential_options, scaled);
  static const uint8_t counted[] = {1, 1};
  scaled->scale = CHORALE_SCALE_BY_MEMBERS;
  scaled->counted = counted;
  TRY(chorale_potential_create_potts(host, LABELS, 1.5, scaled, &t->potential, &t->error));
  static const int64_t counts[] = {3, 1};
  double score = 0;
  TRY(chorale_potential_score(t->potential, counts, LABELS, 4, &score, &t->error));
  assert_true(score == 1.5 * (9 + 1) / 4);

  NEW(chorale_transitions_options, options);
  options->start = kUnary;
  TRY(chorale_transitions_create(host, LABELS, kEdges, options, &t->transitions, &t->error));

  static const int32_t next[] = {0, 1, 1, 1, 1, 0, 0, 0};
  static const int32_t actions[] = {-1, 1, -1, 0, CHORALE_FIRE_LABEL, -1, 1, CHORALE_FIRE_TABLE};
  NEW(chorale_automaton, automaton);
  automaton->labels = LABELS;
  automaton->classes = automaton->states = automaton->values = 2;
  automaton->next = next;
  automaton->actions = actions;
  TRY(chorale_property_create(host, automaton, &t->property, &t->error));

  static const int32_t kinds[] = {1, 0};
  NEW(chorale_label_map, map);
  map->labels = map->kinds = LABELS;
  map->kind_of_label = kinds;
  TRY(chorale_property_create_first_label(host, map, NULL, &t->ready_made, &t->error));
  TRY(chorale_dictionary_create(host, kinds, 2, CHORALE_UNLISTED_AS_VALUE, &t->dictionary,
                                &t->error));
  return CHORALE_OK;
}

static chorale_status solve_clique(Things *t) {
  TRY(chorale_clique_solver_create(t->host, &t->clique_solver, &t->error));
  static const int32_t fixed[] = {-1, 1, -1, -1};
  NEW_GROWN(chorale_clique_problem, problem, 48);
  problem->members = 4;
  problem->values = problem->row_stride = LABELS;
  problem->scores = kUnary;
  problem->fixed = fixed;
  NEW(chorale_clique_options, options);
  options->algorithm = CHORALE_ALGORITHM_COUNT_BOXES;
  options->prove = 1;
  options->cancel = t->cancel;
  NEW(chorale_clique_result, result);
  int32_t values[4];
  TRY(chorale_clique_solve(t->clique_solver, t->potential, problem, options, values, result,
                           &t->error));
  assert_int_equal(result->algorithm, CHORALE_ALGORITHM_COUNT_BOXES);
  assert_int_equal(result->proven, 1);
  assert_int_equal(values[1], 1);
  tell_all(t, values, 4);
  tell(t, result->score);
  tell(t, result->upper_bound);
  return CHORALE_OK;
}

static chorale_status decode_chain(Things *t, const chorale_chain *chain) {
  TRY(chorale_chain_solver_create(t->host, &t->chain_solver, &t->error));
  int32_t labels[LENGTH], shown[2];
  NEW(chorale_chain_result, best);
  TRY(chorale_chain_solve(t->chain_solver, chain, labels, best, &t->error));
  tell_all(t, labels, LENGTH);
  tell(t, best->score);

  /* An array of structs, which are struct_size bytes apart. */
  static const double message[] = {0.5, 1, -1, 0, 0};
  const size_t stride = sizeof(chorale_attachment) + beyond();
  char *attachments = new_block(sizeof(chorale_attachment), 2);
  for (int k = 0; k < 2; ++k) {
    chorale_attachment *attachment = (chorale_attachment *)(attachments + (size_t)k * stride);
    if (k > 0)
      blocks[block_count].bytes = NULL; /* not a block of its own */
    declare(attachment, sizeof(chorale_attachment), sizeof(chorale_attachment));
    attachment->property = k == 0 ? t->property : t->ready_made;
    attachment->dictionary = k == 0 ? NULL : t->dictionary;
    attachment->classes = k == 0 ? kClasses : NULL;
    attachment->table = kTokens;
    attachment->message = message;
  }
  const chorale_attachment *given = (const chorale_attachment *)attachments;
  NEW_GROWN(chorale_run_options, options, 136);
  options->joint_mode = CHORALE_JOINT_EXACT;
  NEW(chorale_message_result, sent);
  NEW(chorale_message_result, decoded);
  double rows[2][5] = {{0}};
  double *outgoing[2];
  outgoing[0] = rows[0];
  outgoing[1] = rows[1];
  TRY(chorale_chain_messages(t->chain_solver, chain, given, 2, options, outgoing, sent,
                             &t->error));
  TRY(chorale_chain_decode(t->chain_solver, chain, given, 2, options, labels, shown, decoded,
                           &t->error));
  for (int k = 0; k < 2; ++k)
    for (int v = 0; v < 4; ++v)
      tell(t, rows[k][v]);
  tell_all(t, labels, LENGTH);
  tell_all(t, shown, 2);
  tell(t, decoded->score);
  assert_int_equal(sent->exact + decoded->exact, 2);
  int32_t value = 0;
  TRY(chorale_property_shown(given, LENGTH, labels, NULL, &value, NULL, 0, NULL, &t->error));
  assert_int_equal(value, shown[0]);
  return CHORALE_OK;
}

/* ---- An instance of one position and two labels: its value in every clique is its label ----- */

static double with_others(int64_t memberships, int64_t membership, const double *const *incoming,
                          int32_t y) {
  double sum = y == 1 ? 0.5 : 0;
  for (int64_t q = 0; q < memberships; ++q)
    sum += q == membership ? 0 : incoming[q][y];
  return sum;
}
static int32_t instance_messages(void *user, int64_t memberships, const int64_t *sizes,
                                 const double *const *incoming, double *const *outgoing) {
  (void)user;
  for (int64_t p = 0; p < memberships; ++p)
    for (int64_t v = 0; v < sizes[p]; ++v)
      outgoing[p][v] = v < 2 ? with_others(memberships, p, incoming, (int32_t)v) : -INFINITY;
  return 0;
}
static int32_t instance_decode(void *user, int64_t memberships, const int64_t *sizes,
                               const double *const *incoming, int32_t *labelling, int32_t *values,
                               double *score) {
  (void)sizes;
  ++*(int64_t *)user;
  const int32_t y =
      with_others(memberships, -1, incoming, 1) > with_others(memberships, -1, incoming, 0) ? 1 : 0;
  labelling[0] = y;
  for (int64_t p = 0; p < memberships; ++p)
    values[p] = y;
  *score = y == 1 ? 0.5 : 0;
  return 0;
}

/* Builds three chains, the last an instance; two cliques over them, and those of repeated words. */
static chorale_status build(Things *t, const chorale_chain *chain, int64_t *decodings) {
  TRY(chorale_model_builder_create(t->host, &t->builder, &t->error));
  for (int k = 0; k < 2; ++k) {
    NEW(chorale_chain_options, options);
    options->group = 7;
    options->tokens = kTokens;
    TRY(chorale_model_builder_add_chain(t->builder, chain, options, NULL, &t->error));
  }
  NEW(chorale_instance, instance);
  instance->length = 1;
  instance->labels = LABELS;
  instance->user = decodings;
  instance->messages = instance_messages;
  instance->decode = instance_decode;
  TRY(chorale_model_builder_add_instance(t->builder, instance, NULL, &t->error));

  static const int64_t one[] = {0, 1}, chain_of[] = {0, 1};
  static const int32_t *const classes = kClasses, *const tokens = kTokens;
  NEW(chorale_clique_setup, shown);
  shown->property = t->property;
  shown->potential = t->potential;
  TRY(chorale_model_builder_add_cliques(t->builder, shown, 1, NULL, &t->error));
  for (int k = 0; k < 2; ++k) {
    NEW(chorale_members, members);
    members->cliques = 1;
    members->offsets = one;
    members->chains = &chain_of[k];
    members->classes = &classes;
    members->tables = &tokens;
    TRY(chorale_model_builder_add_members(t->builder, members, &t->error));
  }
  NEW(chorale_clique_setup, positions);
  positions->values = LABELS;
  positions->potential = t->potential;
  TRY(chorale_model_builder_add_cliques(t->builder, positions, 1, NULL, &t->error));
  TRY(put_chain(t->builder, 1, 2, NULL, &t->error));
  TRY(put_position(t->builder, 1, 0, 2, &t->error));

  NEW(chorale_clique_setup, of_words);
  of_words->potential = t->potential;
  NEW_GROWN(chorale_agreement, words, 96);
  static const int32_t stop[] = {0};
  words->stop = stop;
  words->stop_count = 1;
  int64_t first = 0, count = 0;
  TRY(chorale_model_builder_add_repeated_words(t->builder, of_words, words, &first, &count,
                                               &t->error));
  assert_int_equal(first, 2);
  assert_int_equal(count, 1);
  TRY(chorale_model_builder_freeze(t->builder, &t->model, &t->error));

  NEW(chorale_chain, scores);
  NEW(chorale_chain_options, options);
  TRY(chorale_model_get_chain(t->model, 1, scores, options, &t->error));
  assert_int_equal(scores->length, LENGTH);
  assert_int_equal(options->group, 7);
  tell_all(t, options->tokens, LENGTH);
  return CHORALE_OK;
}

/* Labels the chains so that no label 0 is in the first, and that all are in the second. */
static chorale_status decode_with_rules(Things *t, const chorale_corpus *corpus) {
  static const int64_t first[] = {0}, second[] = {1};
  const size_t stride = sizeof(chorale_rule) + beyond();
  char *each = new_block(sizeof(chorale_rule), 3);
  for (int k = 0; k < 3; ++k) {
    chorale_rule *rule = (chorale_rule *)(each + (size_t)k * stride);
    if (k > 0)
      blocks[block_count].bytes = NULL; /* not a block of its own */
    declare(rule, sizeof *rule, sizeof *rule);
    rule->kind = CHORALE_RULE_NEVER;
    rule->a = k == 2;
    rule->chains = k == 0 ? first : second;
    rule->chain_count = 1;
  }
  NEW(chorale_rules, rules);
  rules->rules = (const chorale_rule *)each;
  rules->count = 3;
  chorale_decoded *decoded = NULL;
  NEW_GROWN(chorale_run_options, options, 136);
  options->rules = rules;
  TRY(chorale_decode(t->host, corpus, NULL, 0, options, &decoded, &t->error));
  chorale_ruled_chain ruled[2];
  chorale_rule_conflict conflicts[2];
  chorale_rule_reason reasons[2 * LENGTH];
  int64_t chains = 0, against = 0, count = 0;
  chorale_status status = chorale_decoded_ruled_chains(decoded, ruled, sizeof(chorale_ruled_chain),
                                                       2, &chains, &t->error);
  if (status == CHORALE_OK)
    status = chorale_decoded_rule_conflicts(decoded, conflicts, sizeof(chorale_rule_conflict), 2,
                                            &against, &t->error);
  if (status == CHORALE_OK)
    status = chorale_decoded_rule_reasons(decoded, reasons, sizeof(chorale_rule_reason), 2 * LENGTH,
                                          &count, &t->error);
  chorale_decoded_destroy(decoded);
  TRY(status);
  assert_int_equal(chains, 2);
  assert_int_equal(against, 2);
  assert_int_equal(ruled[1].state, CHORALE_RULES_IMPOSSIBLE);
  assert_int_equal(conflicts[0].rule + conflicts[1].rule, 1 + 2);
  tell(t, ruled[0].cost);
  for (int64_t k = 0; k < count; ++k)
    tell(t, (double)reasons[k].position + reasons[k].cost);
  return CHORALE_OK;
}

/* Calls chorale_decode on the same two chains. */
static chorale_status decode(Things *t) {
  static const int64_t offsets[] = {0, LENGTH, 2 * LENGTH}, groups[] = {1, 1};
  static const int32_t tokens[] = {1, 0, 1, 2, 0, 1};
  NEW_GROWN(chorale_corpus, corpus, offsetof(chorale_corpus, uncounted));
  corpus->chains = 2;
  corpus->offsets = offsets;
  corpus->labels = LABELS;
  corpus->unary = kUnary;
  corpus->tokens = tokens;
  corpus->groups = groups;
  NEW_GROWN(chorale_agreement, words, 96);
  words->strength = 9;
  chorale_decoded *decoded = NULL;
  TRY(chorale_decode(t->host, corpus, words, 1, NULL, &decoded, &t->error));
  chorale_reason reasons[2 * LENGTH];
  int64_t count = 0;
  const chorale_status status = chorale_decoded_reasons(decoded, reasons, sizeof(chorale_reason),
                                                        2 * LENGTH, &count, &t->error);
  for (int64_t k = 0; k < count; ++k)
    tell(t, (double)reasons[k].clique + reasons[k].amount);
  chorale_decoded_destroy(decoded);
  TRY(status);
  return decode_with_rules(t, corpus);
}

/* Learns from eight items in four groups; tokens of a group agree. */
static int32_t watch_learning(void *user, const chorale_learn_progress *progress) {
  Things *t = user;
  if (progress->struct_size >= sizeof *progress && progress->runs <= progress->runs_most)
    t->learning_runs = progress->runs;
  return 0;
}

static chorale_status learn(Things *t) {
  static const double scores[] = {1, 0, 0, 0.5, 0, 1, 0.5, 0, 1, 0, 0, 0.5, 0, 1, 0.5, 0};
  static const int64_t groups[] = {0, 0, 1, 1, 2, 2, 3, 3};
  static const int32_t tokens[] = {1, 1, 1, 1, 1, 1, 1, 1}, gold[] = {0, 0, 1, 1, 0, 0, 1, 1};
  NEW_GROWN(chorale_corpus, corpus, offsetof(chorale_corpus, uncounted));
  corpus->chains = 8;
  corpus->labels = LABELS;
  corpus->unary = scores;
  corpus->tokens = tokens;
  corpus->groups = groups;
  NEW_GROWN(chorale_agreement, words, 96);
  chorale_problem *problem = NULL;
  TRY(chorale_problem_create_agreeing(t->host, corpus, words, 1, gold, &problem, &t->error));
  NEW(chorale_learn_options, options);
  chorale_learnt *learnt = NULL;
  const chorale_problem *given[1];
  given[0] = problem;
  options->progress = watch_learning;
  options->progress_user = t;
  t->learning_runs = 0;
  const chorale_status status = chorale_learn(t->host, given, 1, options, &learnt, &t->error);
  chorale_problem_destroy(problem);
  TRY(status);
  t->learnt = learnt;
  NEW(chorale_learnt_report, report);
  TRY(chorale_learnt_get_report(learnt, report, &t->error));
  assert_int_equal(report->groups, 4);
  assert_int_equal(report->runs, t->learning_runs);
  tell(t, report->tagger_cost);
  tell(t, report->temperature);
  chorale_learnt_kind kind;
  TRY(chorale_learnt_kinds(learnt, &kind, sizeof kind, 1, NULL, &t->error));
  assert_int_equal(kind.cliques, 4);
  tell(t, kind.strength);
  return CHORALE_OK;
}

static int32_t watch(void *user, const chorale_progress *progress) {
  Things *t = user;
  if (progress->struct_size >= sizeof *progress)
    tell(t, (double)progress->round + progress->best_score);
  return 0;
}

/* Settles a table, and puts its mentions into a ledger. */
static chorale_status settle(Things *t) {
  static const int32_t key[] = {0, 0, 0}, label[] = {0, 0, 1};
  static const double confidence[] = {0.6, 0.6, 0.95};
  NEW(chorale_mentions, mentions);
  mentions->count = 3;
  mentions->keys = 1;
  mentions->labels = LABELS;
  mentions->key = key;
  mentions->label = label;
  mentions->confidence = confidence;
  NEW(chorale_evidence, evidence);
  chorale_settled_mention settled[3];
  chorale_settled_key settled_key;
  TRY(chorale_settle(t->host, mentions, evidence, settled, sizeof *settled, &settled_key,
                     sizeof settled_key, &t->error));
  tell(t, evidence->most + settled_key.expected);
  for (int k = 0; k < 3; ++k)
    tell(t, settled[k].label + settled[k].probability);
  chorale_ledger *ledger = NULL;
  TRY(chorale_ledger_create(t->host, LABELS, evidence, &ledger, &t->error));
  chorale_ledger_row rows[3];
  chorale_ledger_change change;
  chorale_status status = chorale_ledger_add(ledger, mentions, NULL, &t->error);
  if (status == CHORALE_OK)
    status = chorale_ledger_rows(ledger, rows, sizeof *rows, 3, NULL, &t->error);
  if (status == CHORALE_OK)
    status = chorale_ledger_keys(ledger, &settled_key, sizeof settled_key, 1, NULL, &t->error);
  if (status == CHORALE_OK)
    status = chorale_ledger_changes(ledger, 0, &change, sizeof change, 1, NULL, &t->error);
  chorale_ledger_destroy(ledger);
  TRY(status);
  tell(t, rows[0].label + settled_key.expected);
  return CHORALE_OK;
}

/* Divides three records into groups. */
static chorale_status divide(Things *t) {
  static const int32_t first[] = {0, 1, 0}, second[] = {1, 2, 2};
  static const double score[] = {2, 1, -1.5};
  NEW(chorale_scored_pairs, pairs);
  pairs->records = pairs->count = 3;
  pairs->first = first;
  pairs->second = second;
  pairs->score = score;
  pairs->cancel = t->cancel;
  NEW(chorale_partition_result, result);
  int32_t groups[3];
  TRY(chorale_partition(t->host, pairs, groups, NULL, NULL, result, &t->error));
  tell(t, groups[1] + groups[2] + result->score + result->upper_bound);
  return CHORALE_OK;
}

static chorale_status run(Things *t) {
  NEW_GROWN(chorale_run_options, options, offsetof(chorale_run_options, edits));
  options->rounds = 3;
  options->bound_steps = 4;
  options->cancel = t->cancel;
  options->progress = watch;
  options->progress_user = t;
  NEW(chorale_run_cost, cost);
  TRY(chorale_run_estimate(t->model, options, cost, &t->error));
  assert_true(cost->run_bytes > 0 && cost->score_bytes > 0);
  TRY(chorale_run_create(t->host, t->model, options, NULL, &t->run, &t->error));
  NEW_GROWN(chorale_run_result, result, 136);
  const int told_before = t->told_count;
  TRY(chorale_run_solve(t->run, result, &t->error));
  assert_true(t->told_count > told_before + 1); /* counted by the progress callback */
  tell(t, result->score);
  tell(t, result->own_score);
  tell(t, result->upper_bound);
  tell(t, result->outcome);
  NEW_GROWN(chorale_run_result, again, 136);
  TRY(chorale_run_get_result(t->run, again, &t->error));
  assert_true(again->score == result->score);
  assert_true(again->upper_bound == result->upper_bound);

  int32_t labels[2 * LENGTH + 1];
  TRY(chorale_run_labels(t->run, CHORALE_ALL_CHAINS, CHORALE_TOGETHER, labels, 2 * LENGTH + 1, NULL,
                         &t->error));
  tell_all(t, labels, 2 * LENGTH + 1);
  for (int64_t chain = 0; chain < 3; ++chain) {
    int64_t count = 0;
    TRY(chorale_run_reasons(t->run, chain, NULL, sizeof(chorale_reason), 0, &count, &t->error));
    tell(t, (double)count);
    chorale_reason *reasons = malloc((size_t)(count + 1) * sizeof *reasons);
    assert_non_null(reasons);
    const chorale_status status =
        chorale_run_reasons(t->run, chain, reasons, sizeof(chorale_reason), count, &count,
                            &t->error);
    for (int64_t p = 0; p < count; ++p)
      tell(t, (double)reasons[p].clique + reasons[p].amount);
    free(reasons);
    TRY(status);
  }
  chorale_left_out left_out[3];
  int64_t left_out_count = 0;
  TRY(chorale_run_left_out(t->run, left_out, sizeof(chorale_left_out), 3, &left_out_count,
                           &t->error));
  assert_int_equal(left_out_count, result->left_out);
  return CHORALE_OK;
}

static chorale_status name(Things *t) {
  static const chorale_text names[] = {{"no", 2}, {"yes", 3}};
  TRY(chorale_problem_create(t->host, t->model, &t->problem, &t->error));
  TRY(chorale_problem_set_texts(t->problem, CHORALE_TEXTS_LABELS, names, sizeof(chorale_text),
                                LABELS, &t->error));
  const chorale_text second = text_in(t->problem, CHORALE_TEXTS_LABELS, 1);
  assert_int_equal(second.length, 3);
  assert_memory_equal(second.bytes, "yes", 3);
  return CHORALE_OK;
}

static chorale_status use_all(Things *t, int64_t *decodings) {
  TRY(make_shared(t));
  TRY(solve_clique(t));
  NEW(chorale_chain, chain);
  chain->length = LENGTH;
  chain->labels = LABELS;
  chain->unary = kUnary;
  chain->transitions = t->transitions;
  TRY(decode_chain(t, chain));
  TRY(build(t, chain, decodings));
  TRY(run(t));
  TRY(decode(t));
  TRY(learn(t));
  TRY(settle(t));
  TRY(divide(t));
  TRY(name(t));
  assert_true(*decodings > 0);
  return CHORALE_OK;
}

/* Frees everything. */
static chorale_status play(Things *t, Way how, int which) {
  memset(t, 0, sizeof *t);
  counting_allocator_init(&t->allocator);
  way = how;
  spoilt = which;
  block_count = 0;
  int64_t decodings = 0;
  const chorale_status status = use_all(t, &decodings);
  chorale_learnt_destroy(t->learnt);
  chorale_run_destroy(t->run);
  chorale_problem_destroy(t->problem);
  chorale_model_release(t->model);
  chorale_model_builder_destroy(t->builder);
  chorale_dictionary_release(t->dictionary);
  chorale_property_release(t->property);
  chorale_property_release(t->ready_made);
  chorale_transitions_release(t->transitions);
  chorale_chain_solver_destroy(t->chain_solver);
  chorale_clique_solver_destroy(t->clique_solver);
  chorale_potential_release(t->potential);
  chorale_cancel_destroy(t->cancel);
  assert_int_equal(t->allocator.live, 0);
  assert_int_equal(t->allocator.mistakes, 0);
  for (int k = 0; k < block_count; ++k) {
    /* Checks that the library wrote no bytes beyond what this program knows. */
    for (size_t b = blocks[k].known; blocks[k].bytes && b < blocks[k].whole && how == LONGER; ++b)
      assert_int_equal(blocks[k].bytes[b], 0);
    free(blocks[k].bytes);
  }
  return status;
}

/* ---- The tests ------------------------------------------------------------------------------ */

static Things plain, other;

static void structs_of_this_header_are_served(void **state) {
  (void)state;
  const chorale_status status = play(&plain, AS_DECLARED, -1);
  if (status != CHORALE_OK)
    fail_msg("%s: %s", chorale_status_name(status), plain.error.message);
  assert_true(plain.told_count > 50);
}

static void fields_of_a_later_header_may_be_zero(void **state) {
  (void)state;
  assert_int_equal(play(&plain, AS_DECLARED, -1), CHORALE_OK);
  const chorale_status status = play(&other, LONGER, -1);
  if (status != CHORALE_OK)
    fail_msg("%s: %s", chorale_status_name(status), other.error.message);
  assert_int_equal(other.told_count, plain.told_count);
  for (int k = 0; k < plain.told_count; ++k)
    assert_true(plain.told[k] == other.told[k]);
}

static void each_is_refused(Way how) {
  assert_int_equal(play(&plain, AS_DECLARED, -1), CHORALE_OK);
  const int structs = block_count;
  for (int k = 0; k < structs; ++k) {
    const chorale_status status = play(&other, how, k);
    if (status != CHORALE_ERROR_STRUCT_SIZE)
      fail_msg("struct %d: %s: %s", k, chorale_status_name(status), other.error.message);
  }
}
static void a_field_that_the_library_does_not_know_is_refused(void **state) {
  (void)state;
  each_is_refused(UNKNOWN_FIELD);
}
static void a_struct_shorter_than_any_that_was_released_is_refused(void **state) {
  (void)state;
  each_is_refused(TOO_SHORT);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(structs_of_this_header_are_served),
      cmocka_unit_test(fields_of_a_later_header_may_be_zero),
      cmocka_unit_test(a_field_that_the_library_does_not_know_is_refused),
      cmocka_unit_test(a_struct_shorter_than_any_that_was_released_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
