/* Rules (rules.h): labels, scores, costs, proofs, conflicts and reasons equal those of enumeration
 * over all labellings; errors name the rule that they concern. */
#include "fixture_chain.h"

#include <chorale/rules.h>

enum {
  MOST_CHAINS = 4,
  MOST_LENGTH = 5,
  SIDE_LABELS = 4,
  ALL_POSITIONS = MOST_CHAINS * MOST_LENGTH,
  MOST_RULES = 5,
  MOST_SINGLE = MOST_RULES * SIDE_LABELS /* rules after `each` is written out */
};

static void assert_close(double found, double expected, double tolerance) {
  if (!(fabs(found - expected) <= tolerance))
    fail_msg("%.17g is not %.17g", found, expected);
}

/* A rule for one kind a. */
typedef struct Single {
  chorale_rule rule;
  int64_t index;
} Single;

typedef struct Scene {
  chorale_corpus corpus;
  int64_t offsets[MOST_CHAINS + 1];
  double scores[ALL_POSITIONS * SIDE_LABELS];
  int32_t tokens[ALL_POSITIONS];
  int32_t uncounted[1];
  double edges[SIDE_LABELS * SIDE_LABELS];
  chorale_transitions *transitions;
  chorale_label_map map;
  int32_t kinds[SIDE_LABELS];
  uint8_t begins[SIDE_LABELS];
  chorale_property *property;
  chorale_rule given[MOST_RULES];
  int64_t limited[MOST_CHAINS];
  chorale_rules rules;
  Single singles[MOST_SINGLE];
  int64_t single_count;
} Scene;

static const chorale_rule_kind kKinds[] = {
    CHORALE_RULE_AT_MOST,        CHORALE_RULE_AT_LEAST,  CHORALE_RULE_EXACTLY,
    CHORALE_RULE_NEVER,          CHORALE_RULE_AT_MOST_TOKENS, CHORALE_RULE_NO_LONGER,
    CHORALE_RULE_BEFORE,         CHORALE_RULE_DIRECTLY_AFTER, CHORALE_RULE_NOT_TOGETHER,
    CHORALE_RULE_NEEDS,          CHORALE_RULE_PROPERTY};

static int takes_b(chorale_rule_kind kind) {
  return kind >= CHORALE_RULE_BEFORE && kind <= CHORALE_RULE_NEEDS;
}

/* A random automaton of three states that fires where it enters the last one, or at the end. */
static chorale_property *draw_property(Random *random, int64_t labels) {
  enum { STATES = 3 };
  chorale_error error;
  int32_t next[STATES * SIDE_LABELS], actions[STATES * SIDE_LABELS], end[STATES];
  for (int64_t at = 0; at < STATES * labels; ++at) {
    next[at] = random_int(random, 0, STATES - 1);
    actions[at] = random_chance(random, 15) ? random_int(random, 0, 1) : CHORALE_FIRE_NOTHING;
  }
  for (int s = 0; s < STATES; ++s)
    end[s] = random_chance(random, 15) ? 0 : CHORALE_FIRE_NOTHING;
  chorale_automaton automaton = {.struct_size = sizeof automaton};
  automaton.labels = labels;
  automaton.classes = 1;
  automaton.states = STATES;
  automaton.values = 2;
  automaton.next = next;
  automaton.actions = actions;
  automaton.end_actions = end;
  chorale_property *property = NULL;
  OK(chorale_property_create(NULL, &automaton, &property, &error));
  return property;
}

static void draw_rules(Random *random, Scene *scene) {
  const int64_t labels = scene->corpus.labels;
  int64_t kinds = labels;
  scene->map = (chorale_label_map){.struct_size = sizeof scene->map};
  if (random_chance(random, 50)) {
    kinds = random_int(random, 1, (int32_t)labels);
    for (int64_t y = 0; y < labels; ++y) {
      scene->kinds[y] = y < kinds ? (int32_t)y : random_int(random, 0, (int32_t)kinds - 1);
      scene->begins[y] = (uint8_t)random_chance(random, 40);
    }
    scene->map.labels = labels;
    scene->map.kinds = kinds;
    scene->map.kind_of_label = scene->kinds;
    scene->map.begins = scene->begins;
    scene->rules.map = &scene->map;
  } else {
    for (int64_t y = 0; y < labels; ++y) {
      scene->kinds[y] = (int32_t)y;
      scene->begins[y] = 0;
    }
  }
  int limited = 0;
  for (int64_t i = 0; i < scene->corpus.chains; ++i)
    if (random_chance(random, 60))
      scene->limited[limited++] = i;
  scene->rules.count = random_int(random, 1, MOST_RULES);
  for (int64_t k = 0; k < scene->rules.count; ++k) {
    chorale_rule *rule = &scene->given[k];
    *rule = (chorale_rule){.struct_size = sizeof *rule};
    rule->kind = kKinds[random_int(random, 0, COUNT_OF(kKinds) - 1)];
    if (takes_b(rule->kind) && kinds < 2)
      rule->kind = CHORALE_RULE_AT_MOST;
    rule->each = rule->kind != CHORALE_RULE_PROPERTY && random_chance(random, 30);
    rule->a = random_int(random, 0, (int32_t)kinds - 1);
    rule->b = random_int(random, 0, (int32_t)kinds - 1);
    if (takes_b(rule->kind) && rule->a == rule->b)
      rule->b = (rule->a + 1) % (int32_t)kinds;
    rule->k = random_int(random, 0, 2);
    rule->price = random_chance(random, 40) ? random_int(random, 1, 24) / 8.0 : 0;
    rule->property = scene->property;
    rule->chains = random_chance(random, 25) ? scene->limited : NULL;
    rule->chain_count = rule->chains ? limited : 0;
    for (int32_t a = 0; a < (rule->each ? kinds : 1); ++a) {
      if (rule->each && takes_b(rule->kind) && a == rule->b)
        continue;
      int counted = 0;
      for (int64_t y = 0; y < labels; ++y)
        counted = counted || (scene->kinds[y] == a && (scene->corpus.uncounted_count == 0 ||
                                                       scene->uncounted[0] != y));
      if (rule->each && !counted)
        continue;
      Single *single = &scene->singles[scene->single_count++];
      single->rule = *rule;
      single->index = k;
      if (rule->each)
        single->rule.a = a;
      if (rule->k == 0)
        single->rule.k = 1;
    }
  }
  scene->rules.rules = scene->given;
}

static void open_drawn(Random *random, int32_t most_chains, int32_t most_length,
                       int32_t most_labels, Scene *scene) {
  chorale_error error;
  memset(scene, 0, sizeof *scene);
  chorale_corpus *corpus = &scene->corpus;
  *corpus = (chorale_corpus){.struct_size = sizeof *corpus};
  scene->rules = (chorale_rules){.struct_size = sizeof scene->rules};
  corpus->chains = random_int(random, 1, most_chains);
  corpus->labels = random_int(random, 2, most_labels);
  corpus->offsets = scene->offsets;
  corpus->unary = scene->scores;
  corpus->tokens = scene->tokens;
  for (int64_t i = 0; i < corpus->chains; ++i)
    scene->offsets[i + 1] = scene->offsets[i] + random_int(random, i > 0 ? 0 : 1, most_length);
  for (int p = 0; p < ALL_POSITIONS; ++p)
    scene->tokens[p] = random_int(random, 0, 3);
  for (int64_t at = 0; at < scene->offsets[corpus->chains] * corpus->labels; ++at)
    scene->scores[at] =
        random_chance(random, 4) ? -INFINITY : random_unit(random) * 4 - 2;
  for (int64_t at = 0; at < corpus->labels * corpus->labels; ++at)
    scene->edges[at] = random_chance(random, 4) ? -INFINITY : random_unit(random) * 2 - 1;
  if (random_chance(random, 70)) {
    OK(chorale_transitions_create(NULL, corpus->labels, scene->edges, NULL, &scene->transitions,
                                  &error));
    corpus->transitions = scene->transitions;
  }
  if (random_chance(random, 30)) {
    scene->uncounted[0] = random_int(random, 0, (int32_t)corpus->labels - 1);
    corpus->uncounted = scene->uncounted;
    corpus->uncounted_count = 1;
  }
  scene->property = draw_property(random, corpus->labels);
  draw_rules(random, scene);
}

static void close_drawn(Scene *scene) {
  chorale_transitions_release(scene->transitions);
  chorale_property_release(scene->property);
}

static chorale_status decode_ruled(const chorale_corpus *corpus, const chorale_rules *rules,
                                   chorale_decoded **decoded, chorale_error *error) {
  chorale_run_options options = {.struct_size = sizeof options};
  options.rules = rules;
  return chorale_decode(NULL, corpus, NULL, 0, &options, decoded, error);
}

/* ---- Rules by their definition ------------------------------------------------------------ */

static int concerns(const Single *single, int64_t chain) {
  int found = single->rule.chains == NULL;
  for (int64_t c = 0; single->rule.chains && c < single->rule.chain_count; ++c)
    found = found || single->rule.chains[c] == chain;
  return found;
}

/* True if the labelling breaks the rule; counts segments, tokens and their order. */
static int breaks(const Scene *scene, const Single *single, const int32_t *labels, int64_t length) {
  chorale_error error;
  const chorale_rule *rule = &single->rule;
  int64_t segments = 0, tokens = 0, tokens_b = 0, longest = 0, current = 0;
  int after = 0, without = 0;
  for (int64_t t = 0; t < length; ++t) {
    const int32_t kind = scene->kinds[labels[t]];
    const int32_t before = t > 0 ? scene->kinds[labels[t - 1]] : -1;
    tokens_b += kind == rule->b;
    if (kind != rule->a)
      continue;
    ++tokens;
    after = after || tokens_b > 0;
    const int starts = before != kind || scene->begins[labels[t]];
    if (starts) {
      ++segments;
      current = 0;
      without = without || before != rule->b;
    }
    ++current;
    longest = current > longest ? current : longest;
  }
  switch (rule->kind) {
  case CHORALE_RULE_AT_MOST:
    return segments > rule->k;
  case CHORALE_RULE_AT_LEAST:
    return segments < rule->k;
  case CHORALE_RULE_EXACTLY:
    return segments != rule->k;
  case CHORALE_RULE_NEVER:
    return tokens > 0;
  case CHORALE_RULE_AT_MOST_TOKENS:
    return tokens > rule->k;
  case CHORALE_RULE_NO_LONGER:
    return longest > rule->k;
  case CHORALE_RULE_BEFORE:
    return after;
  case CHORALE_RULE_DIRECTLY_AFTER:
    return without;
  case CHORALE_RULE_NOT_TOGETHER:
    return tokens > 0 && tokens_b > 0;
  case CHORALE_RULE_NEEDS:
    return tokens > 0 && tokens_b == 0;
  default: {
    chorale_attachment attachment = {.struct_size = sizeof attachment};
    attachment.property = rule->property;
    int32_t shown = -1;
    OK(chorale_property_shown(&attachment, length, labels, NULL, &shown, NULL, 0, NULL, &error));
    return shown != chorale_property_values(rule->property);
  }
  }
}

static double phi(const Scene *scene, int64_t chain, const int32_t *labels) {
  const int64_t m = scene->corpus.labels, begin = scene->offsets[chain];
  double sum = 0;
  for (int64_t t = 0; t < scene->offsets[chain + 1] - begin; ++t) {
    sum += scene->scores[(begin + t) * m + labels[t]];
    if (t > 0 && scene->transitions)
      sum += scene->edges[labels[t - 1] * m + labels[t]];
  }
  return sum;
}

/* phi less the prices of broken rules; minus infinity if a rule without price is broken. Rules whose
 * bit in `without` is set do not count. */
static double worth(const Scene *scene, int64_t chain, const int32_t *labels, uint32_t without) {
  double sum = phi(scene, chain, labels);
  if (scene->offsets[chain] == scene->offsets[chain + 1])
    return 0; /* rules do not concern chains without positions */
  for (int64_t r = 0; r < scene->single_count; ++r) {
    const Single *single = &scene->singles[r];
    if ((without >> r & 1U) == 0 && concerns(single, chain) &&
        breaks(scene, single, labels, scene->offsets[chain + 1] - scene->offsets[chain]))
      sum -= single->rule.price > 0 ? single->rule.price : (double)INFINITY;
  }
  return sum;
}

/* Calls for each labelling of a chain; returns 0 after the last. */
static int next_labelling(const Scene *scene, int64_t chain, int32_t *labels) {
  for (int64_t t = 0; t < scene->offsets[chain + 1] - scene->offsets[chain]; ++t) {
    if (++labels[t] < scene->corpus.labels)
      return 1;
    labels[t] = 0;
  }
  return 0;
}

static double best_worth(const Scene *scene, int64_t chain, uint32_t without) {
  int32_t labels[MOST_LENGTH] = {0};
  double best = -INFINITY;
  do {
    const double now = worth(scene, chain, labels, without);
    best = now > best ? now : best;
  } while (next_labelling(scene, chain, labels));
  return best;
}

/* True if some labelling with a finite phi breaks none of the rules whose bits are set in `of`. */
static int is_possible(const Scene *scene, int64_t chain, uint32_t of) {
  int32_t labels[MOST_LENGTH] = {0};
  do {
    int keeps = phi(scene, chain, labels) > -INFINITY;
    for (int64_t r = 0; keeps && r < scene->single_count; ++r)
      keeps = (of >> r & 1U) == 0 ||
              !breaks(scene, &scene->singles[r], labels,
                      scene->offsets[chain + 1] - scene->offsets[chain]);
    if (keeps)
      return 1;
  } while (next_labelling(scene, chain, labels));
  return 0;
}

/* ---- Chains by themselves ----------------------------------------------------------------- */

typedef struct Result {
  int32_t labels[ALL_POSITIONS], own[ALL_POSITIONS];
  chorale_run_result run;
  chorale_ruled_chain ruled[MOST_CHAINS];
  int64_t ruled_count;
  chorale_rule_conflict conflicts[MOST_CHAINS * MOST_SINGLE];
  int64_t conflict_count;
  chorale_rule_reason reasons[ALL_POSITIONS];
  int64_t reason_count;
} Result;

static void read_result(const chorale_decoded *decoded, Result *result) {
  chorale_error error;
  OK(chorale_decoded_labels(decoded, CHORALE_TOGETHER, result->labels, ALL_POSITIONS, NULL, &error));
  OK(chorale_decoded_labels(decoded, CHORALE_ALONE, result->own, ALL_POSITIONS, NULL, &error));
  result->run = (chorale_run_result){.struct_size = sizeof result->run};
  OK(chorale_decoded_get_result(decoded, &result->run, &error));
  OK(chorale_decoded_ruled_chains(decoded, result->ruled, sizeof result->ruled[0], MOST_CHAINS,
                                  &result->ruled_count, &error));
  OK(chorale_decoded_rule_conflicts(decoded, result->conflicts, sizeof result->conflicts[0],
                                    COUNT_OF(result->conflicts), &result->conflict_count, &error));
  OK(chorale_decoded_rule_reasons(decoded, result->reasons, sizeof result->reasons[0],
                                  ALL_POSITIONS, &result->reason_count, &error));
}

static const chorale_ruled_chain *ruled_of(const Result *result, int64_t chain) {
  for (int64_t k = 0; k < result->ruled_count; ++k)
    if (result->ruled[k].chain == chain)
      return &result->ruled[k];
  return NULL;
}

static int64_t single_of(const Scene *scene, int64_t index, int32_t a) {
  for (int64_t r = 0; r < scene->single_count; ++r)
    if (scene->singles[r].index == index && scene->singles[r].rule.a == a)
      return r;
  fail_msg("no rule %lld for kind %d", (long long)index, a);
  return -1;
}

/* The rules of a conflict exclude each other, and none can be spared. */
static void check_conflict(const Scene *scene, const Result *result, int64_t chain) {
  uint32_t set = 0;
  for (int64_t k = 0; k < result->conflict_count; ++k)
    if (result->conflicts[k].chain == chain) {
      const int64_t r = single_of(scene, result->conflicts[k].rule, result->conflicts[k].a);
      assert_true(concerns(&scene->singles[r], chain) && scene->singles[r].rule.price == 0);
      set |= 1U << r;
    }
  assert_true(set != 0 && !is_possible(scene, chain, set));
  for (int64_t r = 0; r < scene->single_count; ++r)
    if (set >> r & 1U)
      assert_true(is_possible(scene, chain, set & ~(1U << r)));
}

static void check_reasons(const Scene *scene, const Result *result, int64_t chain, double best) {
  const int64_t begin = scene->offsets[chain];
  int64_t expected = 0, found = 0;
  for (int64_t p = begin; p < scene->offsets[chain + 1]; ++p)
    expected += result->labels[p] != result->own[p];
  for (int64_t k = 0; k < result->reason_count; ++k) {
    const chorale_rule_reason *reason = &result->reasons[k];
    if (reason->chain != chain)
      continue;
    ++found;
    assert_int_equal(reason->own_label, result->own[begin + reason->position]);
    assert_int_equal(reason->label, result->labels[begin + reason->position]);
    const int64_t r = single_of(scene, reason->rule, reason->a);
    assert_true(concerns(&scene->singles[r], chain));
    const double alone = best_worth(scene, chain, 1U << r) - best;
    const double whole = phi(scene, chain, result->own + begin) - best;
    if (fabs(reason->cost - alone) > 1e-9) { /* no single rule makes the change */
      assert_close(reason->cost, whole, 1e-9);
      assert_true(breaks(scene, &scene->singles[r], result->own + begin,
                         scene->offsets[chain + 1] - begin));
    }
  }
  assert_int_equal(found, expected);
}

static void chains_by_themselves_equal_enumeration(void **state) {
  (void)state;
  chorale_error error;
  Random random = {test_seed()};
  print_message("seed %llu\n", (unsigned long long)test_seed());
  int states[4] = {0, 0, 0, 0};
  const int64_t rounds = test_rounds(1500);
  for (int64_t round = 0; round < rounds; ++round) {
    Scene scene;
    open_drawn(&random, MOST_CHAINS, MOST_LENGTH, SIDE_LABELS, &scene);
    scene.rules.most_cost = random_chance(&random, 20) ? 0.5 : 0;
    chorale_decoded *decoded = NULL;
    OK(decode_ruled(&scene.corpus, &scene.rules, &decoded, &error));
    static Result result;
    memset(&result, 0, sizeof result);
    if (chorale_decoded_labels(decoded, CHORALE_ALONE, result.own, ALL_POSITIONS, NULL, &error) ==
        CHORALE_OK) {
      read_result(decoded, &result);
      double sum = 0;
      for (int64_t i = 0; i < scene.corpus.chains; ++i) {
        const int32_t *labels = result.labels + scene.offsets[i];
        const int32_t *own = result.own + scene.offsets[i];
        const int64_t length = scene.offsets[i + 1] - scene.offsets[i];
        if (length == 0 || own[0] < 0)
          continue;
        const chorale_ruled_chain *ruled = ruled_of(&result, i);
        const double own_phi = phi(&scene, i, own);
        assert_close(own_phi, best_worth(&scene, i, UINT32_MAX), 1e-9);
        const double best = best_worth(&scene, i, 0);
        if (!ruled) {
          assert_memory_equal(labels, own, (size_t)length * sizeof(int32_t));
          assert_close(worth(&scene, i, labels, 0), best, 1e-9);
          sum += own_phi;
          continue;
        }
        ++states[ruled->state / 10];
        assert_true(ruled->gap == 0);
        if (ruled->state == CHORALE_RULES_KEPT) {
          assert_close(worth(&scene, i, labels, 0), best, 1e-9);
          assert_close(ruled->cost, own_phi - best, 1e-9);
          assert_true(scene.rules.most_cost == 0 || ruled->cost <= scene.rules.most_cost);
          check_reasons(&scene, &result, i, best);
          sum += best;
          continue;
        }
        assert_memory_equal(labels, own, (size_t)length * sizeof(int32_t));
        sum += own_phi;
        if (ruled->state == CHORALE_RULES_TOO_DEAR) {
          assert_close(ruled->cost, own_phi - best, 1e-9);
          assert_true(ruled->cost > scene.rules.most_cost);
        } else {
          assert_int_equal(ruled->state, CHORALE_RULES_IMPOSSIBLE);
          assert_true(best == -INFINITY && ruled->cost == INFINITY);
          check_conflict(&scene, &result, i);
        }
      }
      assert_close(result.run.score, sum, 1e-9);
      assert_int_equal(result.run.proven, 1);
      assert_close(result.run.upper_bound, sum, 1e-9);
    }
    chorale_decoded_destroy(decoded);
    close_drawn(&scene);
  }
  assert_true(states[0] > rounds / 15 && states[1] >= rounds / 75 && states[2] >= rounds / 75);
  assert_int_equal(states[3], 0);
}

/* ---- Chains in cliques -------------------------------------------------------------------- */

/* Equation 1 with rules, of a labelling of all chains in which `keeps_own` chains have no rules. */
static double total(const Scene *scene, const int32_t *labels, double strength,
                    const Result *result) {
  double sum = 0;
  for (int64_t i = 0; i < scene->corpus.chains; ++i) {
    const chorale_ruled_chain *ruled = ruled_of(result, i);
    const int is_free = ruled && ruled->state != CHORALE_RULES_KEPT;
    sum += worth(scene, i, labels + scene->offsets[i], is_free ? UINT32_MAX : 0);
  }
  for (int32_t token = 0; token < 4; ++token) {
    int64_t counts[SIDE_LABELS] = {0}, n = 0;
    for (int64_t p = 0; p < scene->offsets[scene->corpus.chains]; ++p)
      if (scene->tokens[p] == token) {
        ++n;
        ++counts[labels[p]];
      }
    for (int64_t y = 0; n >= 2 && y < scene->corpus.labels; ++y)
      if (scene->corpus.uncounted_count == 0 || scene->uncounted[0] != y)
        sum += strength / (double)n * (double)(counts[y] * counts[y]);
  }
  return sum;
}

static void chains_in_cliques_keep_their_rules(void **state) {
  (void)state;
  chorale_error error;
  Random random = {test_seed() + 1};
  print_message("seed %llu\n", (unsigned long long)test_seed());
  int best_found = 0, solved = 0, proven = 0;
  const int64_t rounds = test_rounds(400);
  for (int64_t round = 0; round < rounds; ++round) {
    Scene scene;
    open_drawn(&random, 3, 3, 3, &scene);
    chorale_agreement words = {.struct_size = sizeof words};
    words.strength = random_unit(&random) * 2 + 0.1;
    chorale_run_options options = {.struct_size = sizeof options};
    options.bound_steps = 40;
    chorale_decoded *decoded = NULL;
    options.rules = &scene.rules;
    OK(chorale_decode(NULL, &scene.corpus, &words, 1, &options, &decoded, &error));
    static Result result;
    memset(&result, 0, sizeof result);
    const int64_t positions = scene.offsets[scene.corpus.chains];
    int is_labelled =
        chorale_decoded_labels(decoded, CHORALE_ALONE, result.own, ALL_POSITIONS, NULL, &error) ==
        CHORALE_OK;
    for (int64_t p = 0; p < positions; ++p)
      is_labelled = is_labelled && result.own[p] >= 0;
    if (is_labelled) {
      read_result(decoded, &result);
      const double score = total(&scene, result.labels, words.strength, &result);
      assert_close(score, result.run.score, 1e-9);
      int32_t labels[ALL_POSITIONS] = {0};
      double best = -INFINITY;
      int more = 1;
      while (more) {
        int is_allowed = 1; /* chains that keep their own labels have these */
        for (int64_t i = 0; i < scene.corpus.chains; ++i) {
          const chorale_ruled_chain *ruled = ruled_of(&result, i);
          if (ruled && ruled->state != CHORALE_RULES_KEPT)
            is_allowed = is_allowed && memcmp(labels + scene.offsets[i],
                                              result.own + scene.offsets[i],
                                              (size_t)(scene.offsets[i + 1] - scene.offsets[i]) *
                                                  sizeof(int32_t)) == 0;
        }
        const double now = is_allowed ? total(&scene, labels, words.strength, &result) : -INFINITY;
        best = now > best ? now : best;
        more = 0;
        for (int64_t p = 0; p < positions && !more; ++p) {
          more = ++labels[p] < scene.corpus.labels;
          if (!more)
            labels[p] = 0;
        }
      }
      assert_true(score > -INFINITY && score <= best + 1e-9);
      assert_true(result.run.upper_bound >= best - 1e-9);
      ++solved;
      best_found += score > best - 1e-9;
      proven += result.run.proven;
      if (result.run.proven)
        assert_close(score, best, 1e-6);
    }
    chorale_decoded_destroy(decoded);
    close_drawn(&scene);
  }
  print_message("best labelling in %d of %d, proven in %d\n", best_found, solved, proven);
  assert_true(solved > rounds / 2 && best_found >= solved * 95 / 100);
}

/* ---- Long chains -------------------------------------------------------------------------- */

enum { LONG = 150, LONG_LABELS = 5 };

/* The greatest score of a labelling in which each label has at most one segment, by a program over
 * the last label and the set of labels used. */
static double best_of_long(const double *scores, const double *edges) {
  static double now[1 << LONG_LABELS][LONG_LABELS], next[1 << LONG_LABELS][LONG_LABELS];
  for (int t = 0; t < LONG; ++t) {
    for (int set = 0; set < 1 << LONG_LABELS; ++set)
      for (int y = 0; y < LONG_LABELS; ++y) {
        next[set][y] = -INFINITY;
        if ((set >> y & 1) == 0)
          continue;
        double before = t == 0 && set == 1 << y ? 0 : -INFINITY;
        for (int x = 0; t > 0 && x < LONG_LABELS; ++x) {
          const double from = now[x == y ? set : set & ~(1 << y)][x] + edges[x * LONG_LABELS + y];
          before = from > before ? from : before;
        }
        next[set][y] = before + scores[t * LONG_LABELS + y];
      }
    memcpy(now, next, sizeof now);
  }
  double best = -INFINITY;
  for (int set = 0; set < 1 << LONG_LABELS; ++set)
    for (int y = 0; y < LONG_LABELS; ++y)
      best = now[set][y] > best ? now[set][y] : best;
  return best;
}

static void long_chains_have_true_bounds(void **state) {
  (void)state;
  chorale_error error;
  Random random = {test_seed() + 2};
  print_message("seed %llu\n", (unsigned long long)test_seed());
  int proven = 0;
  for (int round = 0; round < 6; ++round) {
    double scores[LONG * LONG_LABELS], edges[LONG_LABELS * LONG_LABELS];
    for (int at = 0; at < LONG * LONG_LABELS; ++at)
      scores[at] = random_unit(&random);
    for (int at = 0; at < LONG_LABELS * LONG_LABELS; ++at)
      edges[at] = random_unit(&random) / 2;
    chorale_transitions *transitions = NULL;
    OK(chorale_transitions_create(NULL, LONG_LABELS, edges, NULL, &transitions, &error));
    static const int64_t offsets[] = {0, LONG};
    chorale_corpus corpus = {.struct_size = sizeof corpus};
    corpus.chains = 1;
    corpus.offsets = offsets;
    corpus.labels = LONG_LABELS;
    corpus.unary = scores;
    corpus.transitions = transitions;
    chorale_rule once = {.struct_size = sizeof once};
    once.each = 1;
    chorale_rules rules = {.struct_size = sizeof rules};
    rules.rules = &once;
    rules.count = 1;
    chorale_decoded *decoded = NULL;
    OK(decode_ruled(&corpus, &rules, &decoded, &error));
    chorale_run_result result = {.struct_size = sizeof result};
    OK(chorale_decoded_get_result(decoded, &result, &error));
    const double best = best_of_long(scores, edges);
    assert_true(result.score <= best + 1e-9 && result.upper_bound >= best - 1e-9);
    assert_true(result.score > best - 0.01 * fabs(best)); /* near, where not proven */
    if (result.proven)
      assert_close(result.score, best, 1e-6);
    proven += result.proven;
    chorale_decoded_destroy(decoded);
    chorale_transitions_release(transitions);
  }
  print_message("proven: %d of 6\n", proven);
  assert_true(proven > 0);
}

/* ---- Bad input ---------------------------------------------------------------------------- */

static void errors_name_the_rule(void **state) {
  (void)state;
  chorale_error error;
  Random random = {7};
  Scene scene;
  open_drawn(&random, 1, 3, 3, &scene);
  chorale_rule rules[2];
  for (int k = 0; k < 2; ++k)
    rules[k] = (chorale_rule){.struct_size = sizeof rules[k]};
  scene.rules.map = NULL;
  scene.rules.rules = rules;
  scene.rules.count = 2;
  chorale_decoded *decoded = NULL;
  const int64_t beyond = scene.corpus.chains;
#define REFUSES(status, ...)                                                                       \
  do {                                                                                             \
    FAILS(decode_ruled(&scene.corpus, &scene.rules, &decoded, &error), status, __VA_ARGS__);       \
    assert_null(decoded);                                                                          \
    rules[1] = (chorale_rule){.struct_size = sizeof rules[1]};                                     \
  } while (0)
  rules[1].kind = 1;
  REFUSES(CHORALE_ERROR_UNKNOWN_CONSTANT, "rules[1].kind is 1", "CHORALE_RULE_");
  rules[1].kind = CHORALE_RULE_BEFORE;
  rules[1].a = 99;
  REFUSES(CHORALE_ERROR_OUT_OF_RANGE, "rules[1] (before).a is 99");
  rules[1].kind = CHORALE_RULE_NEEDS;
  REFUSES(CHORALE_ERROR_OUT_OF_RANGE, "rules[1] (needs).b is 0", "differ");
  rules[1].k = -1;
  REFUSES(CHORALE_ERROR_SIZE, "rules[1] (at most).k is -1");
  rules[1].k = INT64_MAX;
  REFUSES(CHORALE_ERROR_SIZE_OVERFLOW, "rules[1] (at most).k is");
  rules[1].price = -0.5;
  REFUSES(CHORALE_ERROR_OUT_OF_RANGE, "rules[1] (at most).price is -0.5");
  rules[1].price = NAN;
  REFUSES(CHORALE_ERROR_NOT_A_NUMBER, "rules[1] (at most).price");
  rules[1].each = 2;
  REFUSES(CHORALE_ERROR_OUT_OF_RANGE, "rules[1] (at most).each is 2");
  rules[1].kind = CHORALE_RULE_PROPERTY;
  REFUSES(CHORALE_ERROR_NULL_ARGUMENT, "rules[1] (property).property");
  rules[1].chain_count = 1;
  REFUSES(CHORALE_ERROR_NULL_ARGUMENT, "rules[1] (at most).chains");
  rules[1].chain_count = 1;
  rules[1].chains = &beyond;
  REFUSES(CHORALE_ERROR_OUT_OF_RANGE, "rules[1] (at most).chains[0] is");
  rules[1].struct_size = 8;
  REFUSES(CHORALE_ERROR_STRUCT_SIZE, "rules[1]");
  /* Rules keep numbers for all pairs of labels. */
  enum { MOST_RULED = 8192 };
  static const double zeros[MOST_RULED + 1];
  static const int64_t ends[] = {0, 1};
  const chorale_corpus own = scene.corpus;
  for (int64_t labels = MOST_RULED; labels <= MOST_RULED + 1; ++labels) {
    scene.corpus = (chorale_corpus){.struct_size = sizeof scene.corpus};
    scene.corpus.chains = 1;
    scene.corpus.offsets = ends;
    scene.corpus.labels = labels;
    scene.corpus.unary = zeros;
    if (labels > MOST_RULED) {
      REFUSES(CHORALE_ERROR_SIZE_OVERFLOW, "labels is 8193", "with rules", "8192");
    } else {
      OK(decode_ruled(&scene.corpus, &scene.rules, &decoded, &error));
      chorale_decoded_destroy(decoded);
      decoded = NULL;
    }
  }
  scene.corpus = own;
  /* Rules are checked before agreements. */
  chorale_agreement agreement = {.struct_size = sizeof agreement};
  agreement.strength = NAN;
  rules[1].k = -1;
  chorale_run_options options = {.struct_size = sizeof options};
  options.rules = &scene.rules;
  FAILS(chorale_decode(NULL, &scene.corpus, &agreement, 1, &options, &decoded, &error),
        CHORALE_ERROR_SIZE, "rules[1] (at most).k is -1");
  rules[1].k = 0;
  scene.rules.most_cost = -1;
  REFUSES(CHORALE_ERROR_OUT_OF_RANGE, "rules->most_cost is -1");
#undef REFUSES
  close_drawn(&scene);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(chains_by_themselves_equal_enumeration),
      cmocka_unit_test(chains_in_cliques_keep_their_rules),
      cmocka_unit_test(long_chains_have_true_bounds),
      cmocka_unit_test(errors_name_the_rule),
  };
  return cmocka_run_group_tests_name("rules of chains", tests, NULL, NULL);
}
