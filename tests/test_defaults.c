/* Every public struct of zeros, with only its size and what has no default set, means the documented
 * defaults: it gives what a struct gives in which each default is written out. abi/run.sh demands
 * that every public struct is named here.
 *
 * Without defaults, since the library writes them: chorale_error, chorale_progress,
 * chorale_learn_progress, chorale_chain_result, chorale_message_result, chorale_run_cost,
 * chorale_left_out, chorale_reason, chorale_ruled_chain, chorale_rule_conflict, chorale_rule_reason,
 * chorale_learnt_kind, chorale_partition_result, chorale_settled_mention, chorale_settled_key,
 * chorale_ledger_change, chorale_ledger_row.
 * Since a caller sets all of it: chorale_allocator; chorale_instance (but for `user`, which the
 * library passes on). */
#include "fixture.h"

enum { MEMBERS = 5, VALUES = 4, LENGTH = 6, LABELS = 3 };

static double scores[MEMBERS * VALUES + LENGTH * LABELS];
static chorale_error error;

static int set_up(void **state) {
  (void)state;
  Random random = {test_seed()};
  for (size_t e = 0; e < COUNT_OF(scores); ++e)
    scores[e] = random_unit(&random);
  return 0;
}

/* ---- Cliques ---------------------------------------------------------------------------------- */

static chorale_clique_result solved(const chorale_potential *potential,
                                    const chorale_clique_options *options, int32_t *values) {
  chorale_clique_problem problem = {.struct_size = sizeof problem};
  problem.members = MEMBERS;
  problem.values = VALUES;
  problem.scores = scores;
  chorale_clique_solver *solver = NULL;
  chorale_clique_result result = {.struct_size = sizeof result};
  OK(chorale_clique_solver_create(NULL, &solver, &error));
  OK(chorale_clique_solve(solver, potential, &problem, options, values, &result, &error));
  chorale_clique_solver_destroy(solver);
  return result;
}

static void zero_options_of_cliques(void **state) {
  (void)state;
  static const chorale_algorithm algorithms[] = {CHORALE_ALGORITHM_AUTO,
                                                 CHORALE_ALGORITHM_GENERALISED_ALPHA_PASS,
                                                 CHORALE_ALGORITHM_LAGRANGIAN_SUBGRADIENT};
  double weights[VALUES * VALUES];
  for (int k = 0; k < VALUES * VALUES; ++k)
    weights[k] = k % (VALUES + 1) == 0 ? 0.3 : 0.05 * k;
  const chorale_potential_options zero_potential = {.struct_size = sizeof zero_potential};
  static const uint8_t all[VALUES] = {1, 1, 1, 1};
  chorale_potential_options written = {.struct_size = sizeof written};
  written.scale = CHORALE_SCALE_NONE;
  written.shape = CHORALE_SHAPE_DETECT;
  written.counted = all;
  const chorale_host host = {.struct_size = sizeof host};
  for (size_t a = 0; a < COUNT_OF(algorithms); ++a) {
    chorale_potential *of_zero = NULL, *of_written = NULL;
    if (algorithms[a] == CHORALE_ALGORITHM_LAGRANGIAN_SUBGRADIENT) {
      OK(chorale_potential_create_majority(&host, VALUES, weights, 0, NULL, &zero_potential,
                                           &of_zero, &error));
      OK(chorale_potential_create_majority(NULL, VALUES, weights, VALUES, NULL, &written,
                                           &of_written, &error));
    } else {
      OK(chorale_potential_create_potts(&host, VALUES, 0.2, &zero_potential, &of_zero, &error));
      OK(chorale_potential_create_potts(NULL, VALUES, 0.2, &written, &of_written, &error));
    }
    chorale_clique_options zero = {.struct_size = sizeof zero};
    zero.algorithm = algorithms[a];
    chorale_clique_options explicitly = zero;
    explicitly.start = CHORALE_START_INDEPENDENT;
    explicitly.subset_size = 2;
    explicitly.tolerance = 1e-3;
    explicitly.time_limit = INFINITY;
    int32_t by_zero[MEMBERS], by_written[MEMBERS];
    const chorale_clique_result one = solved(of_zero, &zero, by_zero);
    const chorale_clique_result other = solved(of_written, &explicitly, by_written);
    assert_memory_equal(&one, &other, sizeof one);
    assert_memory_equal(by_zero, by_written, sizeof by_zero);
    assert_int_not_equal(one.outcome, CHORALE_OUTCOME_DEADLINE);
    if (algorithms[a] == CHORALE_ALGORITHM_AUTO)
      assert_true(isinf(one.upper_bound)); /* no proof unless it is asked for */
    zero.time_limit = -1;
    assert_int_equal(solved(of_zero, &zero, by_zero).outcome, CHORALE_OUTCOME_DEADLINE);
    chorale_potential_release(of_zero);
    chorale_potential_release(of_written);
  }
}

/* ---- Properties ------------------------------------------------------------------------------- */

static void a_zero_automaton_fires_nothing_outside_the_table(void **state) {
  (void)state;
  static const int32_t next[LABELS] = {0}, actions[LABELS] = {-3, -3, -3}, table[1] = {1};
  static const int32_t labels[1] = {2};
  for (int fires = 0; fires < 2; ++fires) {
    chorale_automaton automaton = {.struct_size = sizeof automaton};
    automaton.labels = LABELS;
    automaton.classes = automaton.states = 1;
    automaton.values = 2;
    automaton.table_offset = 1; /* outside, on a chain of one position */
    automaton.fires_outside = fires;
    automaton.next = next;
    automaton.actions = actions;
    chorale_property *property = NULL;
    OK(chorale_property_create(NULL, &automaton, &property, &error));
    chorale_attachment attachment = {.struct_size = sizeof attachment};
    attachment.property = property;
    attachment.table = table;
    int32_t value = -9;
    OK(chorale_property_shown(&attachment, 1, labels, NULL, &value, NULL, 0, NULL, &error));
    assert_int_equal(value, fires ? 0 : 2); /* 2: EMPTY */
    chorale_property_release(property);
  }
}

/* ---- Chains, corpora, agreements, runs -------------------------------------------------------- */

static void decode_all(const chorale_agreement *agreement, const chorale_run_options *options,
                       int32_t *labels, double *strength, chorale_run_result *result) {
  static const int32_t tokens[LENGTH] = {0, 1, 0, 2, 1, 3};
  chorale_corpus corpus = {.struct_size = sizeof corpus};
  corpus.chains = LENGTH;
  corpus.labels = LABELS;
  corpus.unary = scores;
  corpus.tokens = tokens;
  chorale_decoded *decoded = NULL;
  OK(chorale_decode(NULL, &corpus, agreement, 1, options, &decoded, &error));
  OK(chorale_decoded_labels(decoded, CHORALE_TOGETHER, labels, LENGTH, NULL, &error));
  *strength = chorale_decoded_strength(decoded, 0);
  *result = (chorale_run_result){.struct_size = sizeof *result};
  OK(chorale_decoded_get_result(decoded, result, &error));
  assert_int_equal(chorale_model_clique_count(chorale_decoded_model(decoded)),
                   agreement->minimum == 1 ? 4 : 2);
  chorale_decoded_destroy(decoded);
}

static void zero_agreements_and_options_of_runs(void **state) {
  (void)state;
  int32_t labels[LENGTH], others[LENGTH];
  double strength = 0, other = 0;
  chorale_run_result result, last;
  chorale_agreement zero = {.struct_size = sizeof zero};
  chorale_run_options options = {.struct_size = sizeof options};
  decode_all(&zero, &options, labels, &strength, &result);
  assert_true(strength > 0); /* found */
  assert_true(result.rounds > 0 && result.outcome != CHORALE_OUTCOME_DEADLINE);

  chorale_agreement written = zero;
  written.kind = CHORALE_AGREE_WORDS;
  written.minimum = 2;
  chorale_run_options explicitly = options;
  explicitly.rounds = 10;
  explicitly.algorithm = CHORALE_ALGORITHM_AUTO;
  explicitly.joint_mode = CHORALE_JOINT_AUTO;
  explicitly.message_element = CHORALE_MESSAGES_AUTO;
  explicitly.beam_width = 300;
  explicitly.max_states = 1024;
  explicitly.threads = 1;
  explicitly.time_limit = INFINITY;
  decode_all(&written, &explicitly, others, &other, &last);
  assert_memory_equal(labels, others, sizeof labels);
  assert_memory_equal(&result, &last, sizeof result);
  assert_true(strength == other);
  decode_all(&zero, NULL, others, &other, &last);
  assert_memory_equal(&result, &last, sizeof result);

  /* What a caller may want is not written as 0. */
  written.strength = CHORALE_NO_AGREEMENT;
  decode_all(&written, NULL, others, &other, &last);
  assert_true(other == 0 && last.clique_score == 0 && last.score == last.own_score);
  explicitly.rounds = CHORALE_NO_ROUNDS;
  decode_all(&zero, &explicitly, others, &other, &last);
  assert_int_equal(last.rounds, 0);
  written = zero;
  written.minimum = 1;
  decode_all(&written, NULL, others, &other, &last);
  explicitly.time_limit = -1;
  decode_all(&zero, &explicitly, others, &other, &last);
  assert_int_equal(last.outcome, CHORALE_OUTCOME_DEADLINE);
}

static void zero_options_of_models_and_messages(void **state) {
  (void)state;
  const chorale_transitions_options zero_transitions = {.struct_size = sizeof zero_transitions};
  const chorale_chain_options zero_chain = {.struct_size = sizeof zero_chain};
  const chorale_run_options zero_messages = {.struct_size = sizeof zero_messages};
  chorale_run_options written = zero_messages;
  written.joint_mode = CHORALE_JOINT_AUTO;
  written.beam_width = 300;
  written.max_states = 1024;
  chorale_label_map map = {.struct_size = sizeof map};
  map.labels = map.kinds = LABELS;
  chorale_property *property = NULL;
  OK(chorale_property_create_first_label(NULL, &map, NULL, &property, &error));
  double message[2][LABELS + 2], found[2] = {0, 0};
  for (int way = 0; way < 2; ++way) {
    chorale_transitions *transitions = NULL;
    OK(chorale_transitions_create(NULL, LABELS, scores, way == 0 ? &zero_transitions : NULL,
                                  &transitions, &error));
    chorale_chain chain = {.struct_size = sizeof chain};
    chain.length = LENGTH;
    chain.labels = LABELS;
    chain.unary = scores;
    chain.transitions = transitions;
    chorale_attachment attachment = {.struct_size = sizeof attachment};
    attachment.property = property;
    chorale_chain_solver *solver = NULL;
    OK(chorale_chain_solver_create(NULL, &solver, &error));
    double *outgoing[1];
    outgoing[0] = message[way];
    OK(chorale_chain_messages(solver, &chain, &attachment, 1, way == 0 ? &zero_messages : &written,
                              outgoing, NULL, &error));
    chorale_chain_result best = {.struct_size = sizeof best};
    OK(chorale_chain_solve(solver, &chain, NULL, &best, &error));
    chorale_model_builder *builder = NULL;
    OK(chorale_model_builder_create(NULL, &builder, &error));
    OK(chorale_model_builder_add_chain(builder, &chain, way == 0 ? &zero_chain : NULL, NULL,
                                       &error));
    chorale_model *model = NULL;
    OK(chorale_model_builder_freeze(builder, &model, &error));
    chorale_model_builder_destroy(builder);
    chorale_chain_options options = {.struct_size = sizeof options};
    OK(chorale_model_get_chain(model, 0, NULL, &options, &error));
    assert_int_equal(options.group, 0);
    assert_null(options.tokens);
    chorale_model_release(model);
    found[way] = best.score;
    chorale_chain_solver_destroy(solver);
    chorale_transitions_release(transitions);
  }
  assert_memory_equal(message[0], message[1], sizeof message[0]);
  assert_true(found[0] == found[1]);
  chorale_property_release(property);
}

static void a_zero_label_map_has_a_kind_for_each_label(void **state) {
  (void)state;
  chorale_label_map zero = {.struct_size = sizeof zero};
  zero.labels = LABELS;
  static const int32_t kinds[LABELS] = {0, 1, 2};
  static const uint8_t begins[LABELS] = {0, 0, 0};
  chorale_label_map written = zero;
  written.kinds = LABELS;
  written.kind_of_label = kinds;
  written.begins = begins;
  chorale_property *of_zero = NULL, *of_written = NULL;
  OK(chorale_property_create_next_label(NULL, &zero, 1, NULL, CHORALE_SEGMENT_SPANS_IGNORED, -1,
                                        &of_zero, &error));
  OK(chorale_property_create_next_label(NULL, &written, 1, NULL, CHORALE_SEGMENT_SPANS_IGNORED, -1,
                                        &of_written, &error));
  assert_int_equal(chorale_property_values(of_zero), LABELS);
  static const int32_t classes[4] = {0, 0, 0, 0}, table[4] = {-1, -1, -1, -1};
  chorale_attachment one = {.struct_size = sizeof one};
  one.property = of_zero;
  chorale_attachment other = one;
  other.property = of_written;
  other.classes = classes;
  other.table = table;
  int32_t shown[LABELS + 2] = {0};
  for (int32_t code = 0; code < 81; ++code) {
    const int32_t labels[4] = {code / 27, code / 9 % 3, code / 3 % 3, code % 3};
    int32_t by_zero = -9, by_written = -9;
    OK(chorale_property_shown(&one, 4, labels, NULL, &by_zero, NULL, 0, NULL, &error));
    OK(chorale_property_shown(&other, 4, labels, NULL, &by_written, NULL, 0, NULL, &error));
    assert_int_equal(by_zero, by_written);
    ++shown[by_zero];
  }
  for (int v = 0; v < LABELS + 2; ++v)
    assert_int_not_equal(shown[v], v == 1 ? 81 : 0);
  chorale_property_release(of_zero);
  chorale_property_release(of_written);
}

enum { ITEMS = 3, TOKEN = 7 };
static const int32_t item_tokens[ITEMS] = {TOKEN, 1, TOKEN};

/* A position clique over the first position of each of three chains, and a property clique over the
 * chains, solved. */
static chorale_run *run_of(const chorale_clique_setup *positions,
                           const chorale_clique_setup *wholes, chorale_members *members,
                           chorale_members *whole_members) {
  chorale_model_builder *builder = NULL;
  OK(chorale_model_builder_create(NULL, &builder, &error));
  for (int k = 0; k < ITEMS; ++k) {
    chorale_chain chain = {.struct_size = sizeof chain};
    chain.length = 2;
    chain.labels = LABELS;
    chain.unary = scores + 2 * k * LABELS;
    chorale_chain_options options = {.struct_size = sizeof options};
    options.tokens = item_tokens + k % 2;
    OK(chorale_model_builder_add_chain(builder, &chain, &options, NULL, &error));
  }
  OK(chorale_model_builder_add_cliques(builder, positions, 1, &members->first, &error));
  OK(chorale_model_builder_add_cliques(builder, wholes, 1, &whole_members->first, &error));
  OK(chorale_model_builder_add_members(builder, members, &error));
  OK(chorale_model_builder_add_members(builder, whole_members, &error));
  chorale_model *model = NULL;
  OK(chorale_model_builder_freeze(builder, &model, &error));
  chorale_model_builder_destroy(builder);
  chorale_run *run = NULL;
  OK(chorale_run_create(NULL, model, NULL, NULL, &run, &error));
  OK(chorale_run_solve(run, NULL, &error));
  chorale_model_release(model);
  return run;
}

static void zero_setups_and_members_of_cliques(void **state) {
  (void)state;
  chorale_label_map map = {.struct_size = sizeof map};
  map.labels = LABELS;
  chorale_property *property = NULL;
  chorale_potential *potential = NULL;
  OK(chorale_property_create_token_label(NULL, &map, TOKEN, &property, &error));
  OK(chorale_potential_create_potts(NULL, LABELS, 0.7, NULL, &potential, &error));

  chorale_clique_setup positions = {.struct_size = sizeof positions};
  positions.values = LABELS;
  positions.potential = potential;
  chorale_clique_setup wholes = {.struct_size = sizeof wholes};
  wholes.property = property;
  wholes.potential = potential;
  static const int64_t offsets[] = {0, ITEMS}, chains[ITEMS] = {0, 1, 2};
  chorale_members members = {.struct_size = sizeof members};
  members.cliques = 1;
  members.offsets = offsets;
  members.chains = chains;
  chorale_members whole_members = members;
  chorale_run *zero = run_of(&positions, &wholes, &members, &whole_members);

  static const int32_t itself[LABELS] = {0, 1, 2}, none[2] = {0, 0};
  static const int64_t first[ITEMS] = {0, 0, 0}, all[ITEMS] = {-1, -1, -1}, once[ITEMS] = {1, 1, 1};
  const int32_t *const classes[ITEMS] = {none, none, none};
  const int32_t *const tables[ITEMS] = {item_tokens, item_tokens + 1, item_tokens};
  positions.label_values = itself;
  positions.labels = LABELS;
  members.positions = first;
  whole_members.positions = all;
  whole_members.classes = classes;
  whole_members.tables = tables;
  members.weights = whole_members.weights = once;
  chorale_run *written = run_of(&positions, &wholes, &members, &whole_members);

  chorale_run_result one = {.struct_size = sizeof one}, other = {.struct_size = sizeof other};
  OK(chorale_run_get_result(zero, &one, &error));
  OK(chorale_run_get_result(written, &other, &error));
  assert_memory_equal(&one, &other, sizeof one);
  assert_true(one.clique_score != 0);
  int32_t labels[2][2 * ITEMS];
  OK(chorale_run_labels(zero, CHORALE_ALL_CHAINS, CHORALE_TOGETHER, labels[0], 2 * ITEMS, NULL,
                        &error));
  OK(chorale_run_labels(written, CHORALE_ALL_CHAINS, CHORALE_TOGETHER, labels[1], 2 * ITEMS, NULL,
                        &error));
  assert_memory_equal(labels[0], labels[1], sizeof labels[0]);
  for (int64_t clique = 0; clique < 2; ++clique) {
    int32_t values[2][ITEMS];
    OK(chorale_run_values(zero, clique, CHORALE_TOGETHER, values[0], ITEMS, NULL, &error));
    OK(chorale_run_values(written, clique, CHORALE_TOGETHER, values[1], ITEMS, NULL, &error));
    assert_memory_equal(values[0], values[1], sizeof values[0]);
  }
  chorale_run_destroy(zero);
  chorale_run_destroy(written);
  chorale_potential_release(potential);
  chorale_property_release(property);
}

static void a_zero_rule_allows_one_segment_of_label_0(void **state) {
  (void)state;
  static const double unary[] = {1, 0, 0, 0.25, 0.5, 0, 0, 1, 0.75, 0}; /* alone: 0 1 0 1 0 */
  static const int64_t offsets[] = {0, 5}, chains[] = {0};
  chorale_corpus corpus = {.struct_size = sizeof corpus};
  corpus.chains = 1;
  corpus.offsets = offsets;
  corpus.labels = 2;
  corpus.unary = unary;
  chorale_rule rule = {.struct_size = sizeof rule};
  chorale_rules rules = {.struct_size = sizeof rules};
  rules.rules = &rule;
  rules.count = 1;
  chorale_run_options options = {.struct_size = sizeof options};
  options.rules = &rules;
  static const int32_t kinds[] = {0, 1}, expected[] = {0, 0, 0, 1, 1};
  chorale_label_map map = {.struct_size = sizeof map};
  map.labels = map.kinds = 2;
  map.kind_of_label = kinds;
  for (int way = 0; way < 2; ++way) {
    if (way == 1) {
      rule.kind = CHORALE_RULE_AT_MOST;
      rule.k = 1;
      rule.chains = chains;
      rule.chain_count = 1;
      rules.map = &map;
      rules.most_cost = 1e9;
    }
    chorale_decoded *decoded = NULL;
    int32_t labels[5];
    OK(chorale_decode(NULL, &corpus, NULL, 0, &options, &decoded, &error));
    OK(chorale_decoded_labels(decoded, CHORALE_TOGETHER, labels, 5, NULL, &error));
    assert_memory_equal(labels, expected, sizeof labels);
    chorale_decoded_destroy(decoded);
  }
}

/* ---- Problems ------------------------------------------------------------------------------- */

static void a_zero_text_is_empty(void **state) {
  (void)state;
  chorale_corpus corpus = {.struct_size = sizeof corpus};
  corpus.chains = 1;
  corpus.labels = 2;
  corpus.unary = scores;
  chorale_problem *problem = NULL;
  OK(chorale_problem_create_agreeing(NULL, &corpus, NULL, 0, NULL, &problem, &error));
  chorale_text texts[2];
  memset(texts, 0, sizeof texts);
  texts[1].bytes = "";
  OK(chorale_problem_set_texts(problem, CHORALE_TEXTS_LABELS, texts, sizeof *texts, 2, &error));
  for (int64_t k = 0; k < 2; ++k) {
    size_t length = 9;
    assert_non_null(chorale_problem_text(problem, CHORALE_TEXTS_LABELS, k, &length));
    assert_int_equal(length, 0);
  }
  chorale_problem_destroy(problem);
}

/* ---- Partitions, tables ----------------------------------------------------------------------- */

static void zero_scored_pairs(void **state) {
  (void)state;
  enum { RECORDS = 6, PAIRS = RECORDS * (RECORDS - 1) / 2 };
  int32_t first[PAIRS], second[PAIRS], groups[2][RECORDS];
  double score[PAIRS];
  int pair = 0;
  for (int32_t a = 0; a < RECORDS; ++a)
    for (int32_t b = 0; b < a; ++b, ++pair) {
      first[pair] = a;
      second[pair] = b;
      score[pair] = scores[pair] - 0.5;
    }
  chorale_scored_pairs zero = {.struct_size = sizeof zero};
  zero.records = RECORDS;
  zero.count = PAIRS;
  zero.first = first;
  zero.second = second;
  zero.score = score;
  static const int32_t source[RECORDS] = {-1, -1, -1, -1, -1, -1};
  chorale_scored_pairs written = zero;
  written.source = source;
  written.greatest_size = RECORDS;
  written.effort = 1;
  written.time_limit = INFINITY;
  chorale_partition_result one = {.struct_size = sizeof one}, other = {.struct_size = sizeof other};
  OK(chorale_partition(NULL, &zero, groups[0], NULL, NULL, &one, &error));
  OK(chorale_partition(NULL, &written, groups[1], NULL, NULL, &other, &error));
  assert_memory_equal(groups[0], groups[1], sizeof groups[0]);
  assert_memory_equal(&one, &other, sizeof one);
  assert_int_equal(one.outcome, CHORALE_OUTCOME_COMPLETE);
}

static void zero_mentions_and_evidence(void **state) {
  (void)state;
  enum { MENTIONS = 6, KEYS = 2 };
  static const int32_t key[MENTIONS] = {0, 0, 0, 1, 1, -1}, label[MENTIONS] = {0, 0, 1, 2, 2, 1};
  static const double confidence[MENTIONS] = {0.8, 0.8, 0.8, 0.8, 0.8, 0.8};
  static const int64_t times[MENTIONS] = {1, 1, 1, 1, 1, 1};
  static const int32_t unknown[MENTIONS] = {-1, -1, -1, -1, -1, -1};
  static const int32_t answers[KEYS] = {CHORALE_NO_ANSWER, CHORALE_NO_ANSWER};
  chorale_mentions zero = {.struct_size = sizeof zero};
  zero.count = MENTIONS;
  zero.keys = KEYS;
  zero.labels = LABELS;
  zero.key = key;
  zero.label = label;
  chorale_mentions written = zero;
  written.confidence = confidence;
  written.times = times;
  written.gold = unknown;
  written.answers = answers;
  chorale_evidence evidence = {.struct_size = sizeof evidence};
  chorale_settled_mention settled[3][MENTIONS];
  chorale_settled_key keys[3][KEYS];
  memset(settled, 0, sizeof settled);
  memset(keys, 0, sizeof keys);
  OK(chorale_settle(NULL, &zero, &evidence, settled[0], sizeof **settled, keys[0],
                    sizeof **keys, &error));
  assert_true(evidence.most > 0); /* found, and told */
  assert_int_equal(evidence.origin, CHORALE_EVIDENCE_ESTIMATED);
  OK(chorale_settle(NULL, &written, NULL, settled[1], sizeof **settled, keys[1],
                    sizeof **keys, &error));
  OK(chorale_settle(NULL, &written, &evidence, settled[2], sizeof **settled, keys[2],
                    sizeof **keys, &error));
  for (int way = 1; way < 3; ++way) {
    assert_memory_equal(settled[0], settled[way], sizeof *settled);
    assert_memory_equal(keys[0], keys[way], sizeof *keys);
  }
}

/* ---- Learning --------------------------------------------------------------------------------- */

static void zero_options_of_learning(void **state) {
  (void)state;
  static const int32_t tokens[LENGTH] = {0, 0, 0, 0, 0, 0}, gold[LENGTH] = {0, 0, 1, 1, 2, 2};
  static const int64_t groups[LENGTH] = {0, 0, 1, 1, 2, 2};
  chorale_corpus corpus = {.struct_size = sizeof corpus};
  corpus.chains = LENGTH;
  corpus.labels = LABELS;
  corpus.unary = scores;
  corpus.tokens = tokens;
  corpus.groups = groups;
  const chorale_agreement words = {.struct_size = sizeof words};
  chorale_problem *problem = NULL;
  OK(chorale_problem_create_agreeing(NULL, &corpus, &words, 1, gold, &problem, &error));
  const chorale_problem *problems[1];
  problems[0] = problem;
  chorale_learn_options options = {.struct_size = sizeof options};
  static char texts[2][4096];
  for (int way = 0; way < 2; ++way) {
    if (way == 1) {
      options.threads = 1;
      options.time_limit = 300;
    }
    chorale_learnt *learnt = NULL;
    OK(chorale_learn(NULL, problems, 1, &options, &learnt, &error));
    chorale_learnt_report report = {.struct_size = sizeof report};
    OK(chorale_learnt_get_report(learnt, &report, &error));
    assert_int_equal(report.outcome, CHORALE_OUTCOME_COMPLETE);
    OK(chorale_learnt_text(learnt, CHORALE_TEXT_JSON, texts[way], sizeof texts[way], NULL, &error));
    chorale_learnt_destroy(learnt);
  }
  assert_string_equal(texts[0], texts[1]);
  chorale_problem_destroy(problem);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(zero_options_of_cliques),
      cmocka_unit_test(a_zero_automaton_fires_nothing_outside_the_table),
      cmocka_unit_test(zero_agreements_and_options_of_runs),
      cmocka_unit_test(zero_options_of_models_and_messages),
      cmocka_unit_test(a_zero_label_map_has_a_kind_for_each_label),
      cmocka_unit_test(zero_setups_and_members_of_cliques),
      cmocka_unit_test(a_zero_rule_allows_one_segment_of_label_0),
      cmocka_unit_test(a_zero_text_is_empty),
      cmocka_unit_test(zero_scored_pairs),
      cmocka_unit_test(zero_mentions_and_evidence),
      cmocka_unit_test(zero_options_of_learning),
  };
  return cmocka_run_group_tests(tests, set_up, NULL);
}
