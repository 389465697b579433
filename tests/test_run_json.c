/* The JSON of a run: a small independent parser (RFC 8259), agreement with the getters, buffers
 * that are too small. */
#include "fixture_cluster.h"

#include <locale.h>

/* ---- A parser ----------------------------------------------------------------------------- */

typedef enum JsonKind {
  JSON_NULL,
  JSON_BOOLEAN,
  JSON_NUMBER,
  JSON_STRING,
  JSON_LIST,
  JSON_OBJECT
} JsonKind;

typedef struct Json {
  JsonKind kind;
  double number;       /* or the boolean */
  char text[32];       /* of a string */
  char key[32];        /* in an object */
  int32_t first, next; /* child and sibling, 0: none */
} Json;

enum { MOST_NODES = 8192 };

typedef struct Parsed {
  Json nodes[MOST_NODES]; /* the first is not used */
  int32_t count;
  const char *at;
} Parsed;

static int32_t parse_value(Parsed *parsed, int depth);

static void skip_blanks(Parsed *parsed) {
  while (*parsed->at == ' ' || *parsed->at == '\n' || *parsed->at == '\t' || *parsed->at == '\r')
    ++parsed->at;
}

static int take(Parsed *parsed, const char *word) {
  skip_blanks(parsed);
  const size_t length = strlen(word);
  if (strncmp(parsed->at, word, length) != 0)
    return 0;
  parsed->at += length;
  return 1;
}

/* Parses a string; keys and texts of a run contain no escapes. */
static int parse_string(Parsed *parsed, char *to) {
  if (!take(parsed, "\""))
    return 0;
  size_t length = 0;
  while (*parsed->at != '"') {
    if ((unsigned char)*parsed->at < 0x20 || *parsed->at == '\\' || length == 31)
      return 0;
    to[length++] = *parsed->at++;
  }
  to[length] = '\0';
  ++parsed->at;
  return 1;
}

static int is_digit(char c) { return c >= '0' && c <= '9'; }

static int parse_number(Parsed *parsed, double *number) {
  const char *begin = parsed->at;
  const char *c = begin;
  if (*c == '-')
    ++c;
  if (!is_digit(*c) || (*c == '0' && is_digit(c[1])))
    return 0;
  while (is_digit(*c))
    ++c;
  if (*c == '.') {
    if (!is_digit(*++c))
      return 0;
    while (is_digit(*c))
      ++c;
  }
  if (*c == 'e' || *c == 'E') {
    ++c;
    if (*c == '+' || *c == '-')
      ++c;
    if (!is_digit(*c))
      return 0;
    while (is_digit(*c))
      ++c;
  }
  *number = plain_number(begin);
  parsed->at = c;
  return 1;
}

static int parse_children(Parsed *parsed, int32_t self, const char *end, int depth) {
  if (take(parsed, end))
    return 1;
  int32_t *link = &parsed->nodes[self].first;
  do {
    char key[32] = "";
    if (*end == '}' && (!parse_string(parsed, key) || !take(parsed, ":")))
      return 0;
    const int32_t child = parse_value(parsed, depth + 1);
    if (child == 0)
      return 0;
    memcpy(parsed->nodes[child].key, key, sizeof key);
    *link = child;
    link = &parsed->nodes[child].next;
  } while (take(parsed, ","));
  return take(parsed, end);
}

static int32_t parse_value(Parsed *parsed, int depth) {
  if (parsed->count + 1 >= MOST_NODES || depth > 8)
    return 0;
  const int32_t self = ++parsed->count;
  Json *json = &parsed->nodes[self];
  memset(json, 0, sizeof *json);
  skip_blanks(parsed);
  int fits;
  if (take(parsed, "{")) {
    json->kind = JSON_OBJECT;
    fits = parse_children(parsed, self, "}", depth);
  } else if (take(parsed, "[")) {
    json->kind = JSON_LIST;
    fits = parse_children(parsed, self, "]", depth);
  } else if (take(parsed, "null")) {
    fits = 1;
  } else if (take(parsed, "true")) {
    json->kind = JSON_BOOLEAN;
    json->number = 1;
    fits = 1;
  } else if (take(parsed, "false")) {
    json->kind = JSON_BOOLEAN;
    fits = 1;
  } else if (*parsed->at == '"') {
    json->kind = JSON_STRING;
    fits = parse_string(parsed, json->text);
  } else {
    json->kind = JSON_NUMBER;
    fits = parse_number(parsed, &json->number);
  }
  return fits ? self : 0;
}

/* Parses the whole text; NULL if it is not valid JSON. */
static const Json *parse(Parsed *parsed, const char *text) {
  parsed->count = 0;
  parsed->at = text;
  const int32_t root = parse_value(parsed, 0);
  skip_blanks(parsed);
  return root != 0 && *parsed->at == '\0' ? &parsed->nodes[root] : NULL;
}

static const Json *child_of(const Parsed *parsed, const Json *of, const char *key) {
  for (int32_t i = of ? of->first : 0; i != 0; i = parsed->nodes[i].next)
    if (strcmp(parsed->nodes[i].key, key) == 0)
      return &parsed->nodes[i];
  return NULL;
}

static const Json *item_of(const Parsed *parsed, const Json *of, int64_t index) {
  int32_t i = of ? of->first : 0;
  for (; i != 0 && index > 0; --index)
    i = parsed->nodes[i].next;
  return i != 0 ? &parsed->nodes[i] : NULL;
}

static int64_t length_of(const Parsed *parsed, const Json *of) {
  int64_t length = 0;
  for (int32_t i = of ? of->first : 0; i != 0; i = parsed->nodes[i].next)
    ++length;
  return of && of->kind == JSON_LIST ? length : -1;
}

static void the_parser_parses(void **state) {
  (void)state;
  static Parsed parsed;
  static const char *const good[] = {"0", "-0.5e+3", " [ 1 , [ ] , { } ] ",
                                     "{\"a\":null,\"b\":true}", "\"text\""};
  static const char *const bad[] = {"",    "01",   "1.",  "[1,]", "{\"a\"}", "{a:1}", "[1 2]",
                                    "nan", "[1]]", "\"a", "+1",   "1e",      "inf"};
  for (size_t i = 0; i < COUNT_OF(good); ++i)
    assert_non_null(parse(&parsed, good[i]));
  for (size_t i = 0; i < COUNT_OF(bad); ++i)
    assert_null(parse(&parsed, bad[i]));
  const Json *root = parse(&parsed, "{\"a\":[1,2.5],\"b\":\"x\"}");
  assert_true(item_of(&parsed, child_of(&parsed, root, "a"), 1)->number == 2.5);
  assert_int_equal(length_of(&parsed, child_of(&parsed, root, "a")), 2);
  assert_string_equal(child_of(&parsed, root, "b")->text, "x");
}

/* ---- Agreement ---------------------------------------------------------------------------- */

static const char *expect_number(const Parsed *parsed, const Json *of, const char *key,
                                 double number) {
  const Json *json = child_of(parsed, of, key);
  if (!json)
    return complain("no \"%s\"", key);
  if (!isfinite(number))
    return json->kind == JSON_NULL ? NULL : complain("\"%s\" is no null", key);
  /* Numbers must be written so that reading gives the same number. */
  if (json->kind != JSON_NUMBER || json->number != number)
    return complain("\"%s\" is %.17g, it is %.17g", key, json->number, number);
  return NULL;
}

static const char *expect_list(const Parsed *parsed, const Json *of, const char *key,
                               const int32_t *numbers, int64_t count) {
  const Json *json = child_of(parsed, of, key);
  if (length_of(parsed, json) != count)
    return complain("\"%s\" has %lld entries, it should be %lld", key,
                    (long long)length_of(parsed, json), (long long)count);
  for (int64_t i = 0; i < count; ++i)
    if (item_of(parsed, json, i)->kind != JSON_NUMBER ||
        item_of(parsed, json, i)->number != numbers[i])
      return complain("\"%s\"[%lld] is %.17g, it is %d", key, (long long)i,
                      item_of(parsed, json, i)->number, numbers[i]);
  return NULL;
}

static const char *expect_boolean(const Parsed *parsed, const Json *of, const char *key,
                                  int truth) {
  const Json *json = child_of(parsed, of, key);
  if (!json || json->kind != JSON_BOOLEAN || (json->number != 0) != (truth != 0))
    return complain("\"%s\" is not %d", key, truth);
  return NULL;
}

#define EXPECT(call)                                                                               \
  do {                                                                                             \
    const char *why_not = (call);                                                                  \
    if (why_not)                                                                                   \
      return why_not;                                                                              \
  } while (0)

/* told: what another reader makes of the same text. check_run compares it with the definition. */
static const char *check_chain(const Parsed *parsed, const Json *json, const Cluster *cluster,
                               chorale_run *run, const ToldChain *told, int32_t i) {
  chorale_error error;
  int32_t labels[MOST_POSITIONS], own[MOST_POSITIONS];
  const int32_t T = cluster->chains[i].length, changed = told->changed;
  OK(chorale_run_labels(run, i, CHORALE_TOGETHER, labels, T, NULL, &error));
  OK(chorale_run_labels(run, i, CHORALE_ALONE, own, T, NULL, &error));
  if (!cluster->is_instance[i] && told->score > -INFINITY &&
      changed != (memcmp(labels, own, (size_t)T * sizeof *labels) != 0))
    return complain("chain %d: changed is %d", i, changed);
  EXPECT(expect_number(parsed, json, "score", told->score));
  EXPECT(expect_list(parsed, json, "labels", labels, T));
  EXPECT(expect_boolean(parsed, json, "changed", changed));
  chorale_reason reasons[MOST_SLOTS];
  int64_t count = 0;
  OK(chorale_run_reasons(run, i, reasons, sizeof(chorale_reason), MOST_SLOTS, &count, &error));
  if (!changed)
    return count == 0 ? NULL : complain("chain %d is unchanged and has reasons", i);
  EXPECT(expect_number(parsed, json, "own_score", told->own_score));
  EXPECT(expect_list(parsed, json, "own_labels", own, T));
  const Json *list = child_of(parsed, json, "reasons");
  if (length_of(parsed, list) != count)
    return complain("chain %d: %lld reasons, it should be %lld", i,
                    (long long)length_of(parsed, list), (long long)count);
  for (int64_t k = 0; k < count; ++k) {
    const Json *reason = item_of(parsed, list, k);
    EXPECT(expect_number(parsed, reason, "clique", (double)reasons[k].clique));
    EXPECT(expect_number(parsed, reason, "member", (double)reasons[k].member));
    EXPECT(expect_number(parsed, reason, "position", (double)reasons[k].position));
    EXPECT(expect_number(parsed, reason, "own_value", reasons[k].own_value));
    EXPECT(expect_number(parsed, reason, "value", reasons[k].value));
    EXPECT(expect_number(parsed, reason, "amount", reasons[k].amount));
    EXPECT(expect_number(parsed, reason, "others", (double)reasons[k].others));
    EXPECT(expect_number(parsed, reason, "agreeing_before",
                         (double)reasons[k].agreeing_before));
    EXPECT(expect_number(parsed, reason, "agreeing", (double)reasons[k].agreeing));
  }
  return NULL;
}

static const char *check_json(const Cluster *cluster, chorale_run *run, const char *text) {
  static Parsed parsed;
  chorale_error error;
  const Json *root = parse(&parsed, text);
  if (!root || root->kind != JSON_OBJECT)
    return complain("not JSON at \"%.40s\"", parsed.at);
  chorale_run_result r = {.struct_size = sizeof r};
  OK(chorale_run_get_result(run, &r, &error));
  const Json *outcome = child_of(&parsed, root, "outcome");
  const char *expected = r.outcome == CHORALE_OUTCOME_COMPLETE          ? "complete"
                         : r.outcome == CHORALE_OUTCOME_ITERATION_LIMIT ? "iteration-limit"
                         : r.outcome == CHORALE_OUTCOME_DEADLINE        ? "deadline"
                         : r.outcome == CHORALE_OUTCOME_CANCELLED       ? "cancelled"
                         : r.outcome == CHORALE_OUTCOME_INFEASIBLE      ? "infeasible"
                         : r.outcome == CHORALE_OUTCOME_NOTHING_FOUND   ? "nothing-found"
                                                                        : "no JSON at all";
  if (!outcome || outcome->kind != JSON_STRING || strcmp(outcome->text, expected) != 0)
    return complain("outcome \"%s\", it is %s", outcome ? outcome->text : "", expected);
  EXPECT(expect_boolean(&parsed, root, "proven", r.proven));
  EXPECT(expect_number(&parsed, root, "rounds", (double)r.rounds));
  EXPECT(expect_number(&parsed, root, "best_round", (double)r.best_round));
  EXPECT(expect_number(&parsed, root, "score", r.score));
  EXPECT(expect_number(&parsed, root, "chain_score", r.chain_score));
  EXPECT(expect_number(&parsed, root, "clique_score", r.clique_score));
  EXPECT(expect_number(&parsed, root, "own_score", r.own_score));
  EXPECT(expect_number(&parsed, root, "upper_bound", r.upper_bound));
  EXPECT(expect_number(&parsed, root, "gap", r.gap));
  EXPECT(expect_number(&parsed, root, "changed_chains", (double)r.changed_chains));
  const Json *chains = child_of(&parsed, root, "chains");
  const Json *cliques = child_of(&parsed, root, "cliques");
  if (length_of(&parsed, chains) != cluster->chain_count ||
      length_of(&parsed, cliques) != cluster->clique_count)
    return complain("%lld chains, %lld cliques", (long long)length_of(&parsed, chains),
                    (long long)length_of(&parsed, cliques));
  ToldChain told[MOST_CHAINS];
  double clique_scores[MOST_CLIQUES];
  EXPECT(told_scores(run, cluster->chain_count, told, cluster->clique_count, clique_scores));
  for (int32_t i = 0; i < cluster->chain_count; ++i)
    EXPECT(check_chain(&parsed, item_of(&parsed, chains, i), cluster, run, &told[i], i));
  for (int32_t c = 0; c < cluster->clique_count; ++c) {
    const Json *clique = item_of(&parsed, cliques, c);
    int32_t values[MOST_TOGETHER];
    OK(chorale_run_values(run, c, CHORALE_TOGETHER, values, MOST_TOGETHER, NULL, &error));
    EXPECT(expect_number(&parsed, clique, "score", clique_scores[c]));
    EXPECT(expect_list(&parsed, clique, "values", values, cluster->cliques[c].member_count));
  }
  return NULL;
}

/* Tries every capacity from none to more than enough: the whole text is written, or nothing. */
static const char *check_buffers(const chorale_run *run, const char *text, size_t needed) {
  chorale_error error;
  char small[64];
  for (size_t capacity = 0; capacity <= sizeof small; ++capacity) {
    memset(small, '#', sizeof small);
    size_t asked = 0;
    const chorale_status status =
        chorale_run_json(run, capacity == 0 ? NULL : small, capacity, &asked, &error);
    if (status != (capacity == 0 || capacity >= needed ? CHORALE_OK : CHORALE_ERROR_CAPACITY))
      return complain("capacity %zu: \"%s\"", capacity, error.message);
    if (asked != needed)
      return complain("capacity %zu: %zu bytes are needed, it was %zu", capacity, asked, needed);
    const size_t written = capacity < needed ? 0 : needed;
    if (memcmp(small, text, written) != 0)
      return complain("capacity %zu holds something else", capacity);
    for (size_t k = written; k < sizeof small; ++k)
      if (small[k] != '#')
        return complain("capacity %zu: byte %zu was written", capacity, k);
  }
  return NULL;
}

static const char *write_and_read(const Cluster *cluster, void *context) {
  (void)context;
  static Built built;
  static char text[16384];
  chorale_error error;
  build(cluster, NULL, &built);
  chorale_run *run = NULL;
  chorale_run_result result = {.struct_size = sizeof result};
  OK(chorale_run_create(NULL, built.model, &cluster->options, NULL, &run, &error));
  OK(chorale_run_solve(run, &result, &error));
  const char *why = NULL;
  size_t needed = 0;
  const chorale_status status = chorale_run_json(run, text, sizeof text, &needed, &error);
  if (result.left_out == cluster->chain_count) {
    if (status != CHORALE_ERROR_NO_LABELLING)
      why = complain("no chain has a labelling, yet JSON says \"%.40s\"", text);
  } else if (status != CHORALE_OK || needed > sizeof text || strlen(text) + 1 != needed) {
    why = complain("\"%s\", %zu bytes needed, %zu written", error.message, needed, strlen(text));
  } else {
    why = check_json(cluster, run, text);
    if (!why)
      why = check_buffers(run, text, needed);
  }
  chorale_run_destroy(run);
  close_built(cluster, &built);
  return why;
}

static void json_agrees_with_the_getters(void **state) {
  (void)state;
  check_clusters("json", test_rounds(600), random_cluster, write_and_read, NULL);
}

/* Numbers are written in JSON syntax, whatever the host's locale. */
static void the_locale_does_not_matter(void **state) {
  (void)state;
  static const char *const locales[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "fr_FR"};
  int found = 0;
  for (size_t k = 0; k < COUNT_OF(locales) && !found; ++k)
    found = setlocale(LC_ALL, locales[k]) != NULL;
  if (!found)
    skip();
  static Cluster cluster;
  static Built built;
  static char text[16384];
  chorale_error error;
  Random random = {test_seed() + 41};
  do
    random_exact_cluster(&random, &cluster);
  while (cluster.chain_count < 2);
  build(&cluster, NULL, &built);
  chorale_run *run = NULL;
  OK(chorale_run_create(NULL, built.model, NULL, NULL, &run, &error));
  OK(chorale_run_solve(run, NULL, &error));
  size_t needed = 0;
  OK(chorale_run_json(run, text, sizeof text, &needed, &error));
  (void)setlocale(LC_ALL, "C");
  assert_null(check_json(&cluster, run, text));
  chorale_run_destroy(run);
  close_built(&cluster, &built);
}

static int32_t cancel_after_the_first(void *user, const chorale_progress *progress) {
  (void)user;
  return progress->round == 1;
}

static void every_outcome_has_its_name(void **state) {
  (void)state;
  static Cluster cluster;
  static Built built;
  static char text[16384];
  Random random = {test_seed() + 42};
  do
    random_exact_cluster(&random, &cluster);
  while (cluster.clique_count == 0);
  build(&cluster, NULL, &built);
  chorale_run_options options = {.struct_size = sizeof options};
  options.no_local_search = 1;
  options.progress = cancel_after_the_first;
  options.rounds = CHORALE_NO_ROUNDS;
  static const chorale_outcome outcomes[] = {CHORALE_OUTCOME_ITERATION_LIMIT,
                                             CHORALE_OUTCOME_DEADLINE, CHORALE_OUTCOME_CANCELLED,
                                             CHORALE_OUTCOME_COMPLETE};
  chorale_error error;
  chorale_run *run = NULL;
  OK(chorale_run_create(NULL, built.model, &options, NULL, &run, &error));
  for (size_t k = 0; k < COUNT_OF(outcomes); ++k) {
    chorale_run_result result = {.struct_size = sizeof result};
    OK(chorale_run_set_limits(run, k == 1 ? -1 : 0, NULL, &error));
    if (k == 0)
      OK(chorale_run_solve(run, &result, &error));
    do
      if (k > 0)
        OK(chorale_run_step(run, &result, &error));
    while (k == 3 && result.outcome != CHORALE_OUTCOME_COMPLETE && result.rounds < 1000);
    assert_int_equal(result.outcome, outcomes[k]);
    OK(chorale_run_json(run, text, sizeof text, NULL, &error));
    assert_null(check_json(&cluster, run, text));
  }
  chorale_run_destroy(run);
  close_built(&cluster, &built);
}

/* If a clique forbids every labelling, the run has no JSON that could be mistaken for a
 * labelling. */
/* All positions of many chains in one clique: reasons by their definition, computed from the
 * values alone. */
static void reasons_of_a_large_clique(void **state) {
  (void)state;
  enum { CHAINS = 30, LENGTH = 10, MEMBERS = CHAINS * LENGTH };
  const double lambda = 0.125;
  static double unary[CHAINS][LENGTH][2];
  Random random = {test_seed() + 77};
  chorale_error error;
  chorale_potential *potential = NULL;
  chorale_model_builder *builder = NULL;
  chorale_model *model = NULL;
  chorale_run *run = NULL;
  OK(chorale_potential_create_potts(NULL, 2, lambda, NULL, &potential, &error));
  OK(chorale_model_builder_create(NULL, &builder, &error));
  chorale_clique_setup setup = {.struct_size = sizeof setup};
  setup.values = 2;
  setup.potential = potential;
  OK(chorale_model_builder_add_cliques(builder, &setup, 1, NULL, &error));
  for (int64_t i = 0; i < CHAINS; ++i) {
    for (int32_t t = 0; t < LENGTH; ++t)
      for (int32_t y = 0; y < 2; ++y)
        unary[i][t][y] = random_unit(&random) + 0.25 * (y == 0);
    chorale_chain chain = {.struct_size = sizeof chain};
    chain.length = LENGTH;
    chain.labels = 2;
    chain.unary = &unary[i][0][0];
    OK(chorale_model_builder_add_chain(builder, &chain, NULL, NULL, &error));
    for (int64_t t = 0; t < LENGTH; ++t)
      OK(put_position(builder, 0, i, t, &error));
  }
  OK(chorale_model_builder_freeze(builder, &model, &error));
  OK(chorale_run_create(NULL, model, NULL, NULL, &run, &error));
  OK(chorale_run_solve(run, NULL, &error));
  int32_t now[MEMBERS], own[MEMBERS];
  double counts[2] = {0, 0};
  OK(chorale_run_values(run, 0, CHORALE_TOGETHER, now, MEMBERS, NULL, &error));
  OK(chorale_run_values(run, 0, CHORALE_ALONE, own, MEMBERS, NULL, &error));
  for (int32_t k = 0; k < MEMBERS; ++k)
    ++counts[now[k]];
  static char text[1 << 16];
  static Parsed parsed;
  size_t needed = 0;
  OK(chorale_run_json(run, text, sizeof text, &needed, &error));
  const Json *chains = child_of(&parsed, parse(&parsed, text), "chains");
  int64_t changed = 0;
  for (int64_t i = 0; i < CHAINS; ++i) {
    chorale_reason reasons[LENGTH];
    int64_t count = 0, next = 0;
    OK(chorale_run_reasons(run, i, reasons, sizeof *reasons, LENGTH, &count, &error));
    const Json *told = child_of(&parsed, item_of(&parsed, chains, i), "reasons");
    for (int64_t k = i * LENGTH; k < (i + 1) * LENGTH; ++k) {
      if (now[k] == own[k])
        continue;
      const double from = counts[now[k]], to = counts[own[k]];
      const double amount =
          lambda * (from * from + to * to - (from - 1) * (from - 1) - (to + 1) * (to + 1));
      const Json *json = child_of(&parsed, item_of(&parsed, told, next), "amount");
      assert_true(next < count && reasons[next].position == k % LENGTH);
      assert_int_equal(reasons[next].own_value, own[k]);
      assert_int_equal(reasons[next].value, now[k]);
      assert_true(reasons[next].amount == amount);
      assert_true(json && json->number == amount);
      ++next;
    }
    assert_int_equal(count, next);
    changed += count;
  }
  assert_true(changed > 10);
  chorale_run_destroy(run);
  chorale_model_release(model);
  chorale_model_builder_destroy(builder);
  chorale_potential_release(potential);
}

static void labels_that_a_clique_forbids_are_in_json(void **state) {
  (void)state;
  const double never[] = {-INFINITY, -INFINITY, -INFINITY};
  const double zero[] = {0, 1};
  chorale_error error;
  chorale_potential *potential = NULL;
  OK(chorale_potential_create_sum(NULL, 2, never, 1, 3, 0, NULL, &potential, &error));
  chorale_model_builder *builder = NULL;
  OK(chorale_model_builder_create(NULL, &builder, &error));
  chorale_clique_setup setup = {.struct_size = sizeof setup};
  setup.potential = potential;
  OK(chorale_model_builder_add_cliques(builder, &setup, 1, NULL, &error));
  for (int64_t i = 0; i < 2; ++i) {
    chorale_chain chain = {.struct_size = sizeof chain};
    chain.length = 1;
    chain.labels = 2;
    chain.unary = zero;
    OK(chorale_model_builder_add_chain(builder, &chain, NULL, NULL, &error));
    OK(put_position(builder, 0, i, 0, &error));
  }
  chorale_model *model = NULL;
  OK(chorale_model_builder_freeze(builder, &model, &error));
  chorale_run *run = NULL;
  OK(chorale_run_create(NULL, model, NULL, NULL, &run, &error));
  chorale_run_result result = {.struct_size = sizeof result};
  OK(chorale_run_solve(run, &result, &error));
  assert_int_equal(result.outcome, CHORALE_OUTCOME_NOTHING_FOUND);
  char text[1024];
  size_t needed = 0;
  OK(chorale_run_json(run, text, sizeof text, &needed, &error));
  assert_non_null(strstr(text, "\"outcome\":\"nothing-found\""));
  assert_non_null(strstr(text, "\"clique_score\":null"));
  assert_non_null(strstr(text, "\"labels\":[1]"));
  chorale_run_destroy(run);
  chorale_model_release(model);
  chorale_model_builder_destroy(builder);
  chorale_potential_release(potential);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_parser_parses),
      cmocka_unit_test(json_agrees_with_the_getters),
      cmocka_unit_test(the_locale_does_not_matter),
      cmocka_unit_test(every_outcome_has_its_name),
      cmocka_unit_test(reasons_of_a_large_clique),
      cmocka_unit_test(labels_that_a_clique_forbids_are_in_json),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
