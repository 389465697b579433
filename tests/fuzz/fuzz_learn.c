/* Learning from small corpora with hostile numbers: what is learnt has figures within their bounds,
 * is applied, and is the same text after it was written and read. The reader of that text gets
 * changed texts. */
#include "fuzz.h"

enum {
  MOST_CHAINS = 8,
  MOST_POSITIONS = 24,
  MOST_LABELS = 3,
  MOST_AGREEMENTS = 2,
  PROBLEMS = 2
};

/* ---- Problems ----------------------------------------------------------------------------- */

typedef struct Corpus {
  int64_t chains, labels;
  int64_t offsets[MOST_CHAINS + 1], groups[MOST_CHAINS];
  int32_t tokens[MOST_POSITIONS], keys[MOST_POSITIONS], gold[MOST_POSITIONS];
  double scores[MOST_POSITIONS * MOST_LABELS];
} Corpus;

static void draw_corpus(Random *random, int64_t labels, Corpus *to) {
  const int32_t hostile = random_chance(random, 30) ? 20 : 0;
  to->chains = random_int(random, 1, MOST_CHAINS);
  to->labels = labels;
  to->offsets[0] = 0;
  for (int64_t i = 0; i < to->chains; ++i) {
    to->groups[i] = random_chance(random, 70) ? i : random_int(random, 0, 5);
    to->offsets[i + 1] = to->offsets[i] + random_int(random, 1, MOST_POSITIONS / MOST_CHAINS);
  }
  for (int64_t t = 0; t < to->offsets[to->chains]; ++t) {
    to->tokens[t] = random_int(random, 0, 2);
    to->keys[t] = random_int(random, -1, 2);
    to->gold[t] = random_int(random, random_chance(random, 90) ? 0 : -1, (int32_t)labels - 1);
    for (int64_t v = 0; v < labels; ++v)
      to->scores[t * labels + v] = random_chance(random, hostile)
                                       ? hostile_score(random)
                                       : random_int(random, -4, 4) / 2.0 + (v == to->gold[t]);
  }
}

static void draw_agreement(Random *random, const chorale_property *property,
                           chorale_agreement *to) {
  static const int32_t kinds[] = {CHORALE_AGREE_WORDS, CHORALE_AGREE_KEYS, CHORALE_AGREE_PROPERTY};
  *to = (chorale_agreement){.struct_size = sizeof *to};
  to->kind = kinds[random_int(random, 0, 2)];
  to->property = property;
  to->across = random_chance(random, 20);
  to->minimum = random_int(random, 1, 2);
}

/* Returns NULL where the corpus cannot be a problem. */
static chorale_problem *make_problem(Supply *supply, const Corpus *corpus,
                                     const chorale_agreement *agreements, int64_t count) {
  chorale_corpus given = {.struct_size = sizeof given};
  given.chains = corpus->chains;
  given.offsets = corpus->offsets;
  given.labels = corpus->labels;
  given.unary = corpus->scores;
  given.tokens = corpus->tokens;
  given.groups = corpus->groups;
  chorale_problem *problem = NULL;
  chorale_status status;
  chorale_error error;
  FED(supply, status,
      chorale_problem_create_agreeing(&supply->host, &given, agreements, count, corpus->gold,
                                      &problem, &error),
      &error);
  REQUIRE((status == CHORALE_OK) == (problem != NULL), "status %d", status);
  return problem;
}

/* ---- Options ------------------------------------------------------------------------------ */

typedef struct Options {
  chorale_learn_options given;
  double costs[MOST_LABELS * MOST_LABELS];
  int32_t classes[MOST_LABELS], begins[MOST_LABELS];
} Options;

static double draw_number(Random *random, double usual) {
  return random_chance(random, 90) ? usual : hostile_double(random);
}

static void draw_options(Random *random, int64_t labels, Options *to) {
  chorale_learn_options *given = &to->given;
  *given = (chorale_learn_options){.struct_size = sizeof *given};
  given->labels = random_chance(random, 95) ? labels : hostile_size(random);
  given->may_lower_accuracy = random_chance(random, 30);
  given->without_gold = random_chance(random, 20);
  if (random_chance(random, 20)) {
    for (int64_t k = 0; k < labels * labels; ++k)
      to->costs[k] = k % (labels + 1) == 0 ? 0 : draw_number(random, random_int(random, 0, 3));
    given->costs = to->costs;
  }
  if (random_chance(random, given->costs ? 3 : 30)) {
    for (int64_t v = 0; v < labels; ++v) {
      to->classes[v] = random_int(random, -1, 1);
      to->begins[v] = random_int(random, 0, 1);
    }
    given->classes = to->classes;
  }
  if (random_chance(random, given->classes ? 50 : 3))
    given->begins = to->begins;
}

/* ---- What was learnt ---------------------------------------------------------------------- */

/* Returns the text of the result; the caller frees it. */
static char *write_text(const chorale_learnt *learnt, chorale_text_form form) {
  chorale_error error;
  size_t needed = 0;
  REQUIRE(chorale_learnt_text(learnt, form, NULL, 0, &needed, &error) == CHORALE_OK, "%s",
          error.message);
  char *text = malloc(needed);
  REQUIRE(text && chorale_learnt_text(learnt, form, text, needed, NULL, &error) == CHORALE_OK,
          "no text");
  REQUIRE(strlen(text) + 1 == needed, "a text of %zu bytes, not %zu", strlen(text) + 1, needed);
  return text;
}

static void check_report(const chorale_learnt *learnt) {
  enum { ROOM = MOST_AGREEMENTS };
  chorale_error error;
  chorale_learnt_report report;
  chorale_learnt_kind kinds[ROOM];
  int64_t count = 0;
  report = (chorale_learnt_report){.struct_size = sizeof report};
  REQUIRE(chorale_learnt_get_report(learnt, &report, &error) == CHORALE_OK, "%s", error.message);
  REQUIRE(report.gain_p <= 1 && report.agreement_p <= 1, "p of %g and %g", report.gain_p,
          report.agreement_p);
  const double shares[] = {report.tagger_f1, report.control_precision, report.agreeing_recall,
                           report.agreeing_accuracy};
  for (size_t k = 0; k < COUNT_OF(shares); ++k)
    REQUIRE(shares[k] >= 0 && shares[k] <= 1, "share %zu is %g", k, shares[k]);
  REQUIRE(isfinite(report.tagger_cost) && isfinite(report.agreeing_cost) &&
              report.temperature >= 0 && report.temperature <= 16,
          "costs %g and %g, temperature %g", report.tagger_cost, report.agreeing_cost,
          report.temperature);
  REQUIRE(report.changed >= report.changed_right_before &&
              report.changed >= report.changed_right_after,
          "%lld changed", (long long)report.changed);
  REQUIRE(report.applied == (report.verdict < CHORALE_VERDICT_NO_AGREEMENT), "verdict %d applied",
          (int)report.verdict);
  REQUIRE(chorale_learnt_kinds(learnt, kinds, sizeof *kinds, ROOM, &count, &error) == CHORALE_OK &&
              count == report.kinds,
          "%lld kinds of %lld", (long long)count, (long long)report.kinds);
  for (int64_t k = 0; k < count; ++k)
    REQUIRE(kinds[k].strength >= 0 && kinds[k].strength <= (report.applied ? 3 : 0),
            "strength %g, applied %d", kinds[k].strength, (int)report.applied);
}

/* Reads a text with some bytes changed: an error, or a result that can be asked. */
static void read_changed(Supply *supply, Random *random, const char *json) {
  static const char letters[] = "0123456789-+.eE\"{}[],:ntfINx\\ ";
  const size_t length = strlen(json);
  char *text = malloc(length + 1);
  REQUIRE(text, "no memory");
  memcpy(text, json, length + 1);
  for (int32_t k = random_int(random, 1, 3); k > 0; --k)
    text[(size_t)random_int(random, 0, 65535) % length] =
        letters[random_int(random, 0, (int32_t)sizeof letters - 2)];
  const size_t end = random_chance(random, 80) ? length : (size_t)random_int(random, 0, 65535) % length;
  chorale_learnt *learnt = NULL;
  chorale_status status;
  chorale_error error;
  FED(supply, status, chorale_learnt_read(&supply->host, text, end, &learnt, &error), &error);
  REQUIRE((status == CHORALE_OK) == (learnt != NULL), "status %d", status);
  if (learnt) {
    char *lines = write_text(learnt, CHORALE_TEXT_LINES);
    char *again = write_text(learnt, CHORALE_TEXT_JSON);
    REQUIRE(is_json(again), "not JSON: %.400s", again);
    free(lines);
    free(again);
  }
  chorale_learnt_destroy(learnt);
  free(text);
}

static void use_learnt(Supply *supply, Random *random, const chorale_learnt *learnt,
                       const chorale_problem *problem) {
  chorale_status status;
  chorale_error error;
  check_report(learnt);
  char *lines = write_text(learnt, CHORALE_TEXT_LINES);
  char *json = write_text(learnt, CHORALE_TEXT_JSON);
  REQUIRE(is_json(json), "not JSON: %.400s", json);
  chorale_learnt *read = NULL;
  FED(supply, status, chorale_learnt_read(&supply->host, json, strlen(json), &read, &error),
      &error);
  REQUIRE(status == CHORALE_OK, "its own text is not read: %s\n%s", error.message, json);
  char *again = write_text(read, CHORALE_TEXT_JSON);
  REQUIRE(strcmp(json, again) == 0, "read and written it is another text:\n%s\n%s", json, again);
  chorale_model *model = NULL;
  FED(supply, status, chorale_learnt_apply(&supply->host, read, problem, &model, &error), &error);
  REQUIRE(status == CHORALE_OK, "not applied to what it was learnt from: %s", error.message);
  chorale_model_release(model);
  read_changed(supply, random, json);
  chorale_learnt_destroy(read);
  free(lines);
  free(json);
  free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Random random = open_input(data, size);
  draw_from(&random, data, size);
  Supply supply;
  open_supply(&supply, &random, 0);
  const int64_t labels = random_int(&random, 2, MOST_LABELS);
  chorale_property *property = NULL;
  chorale_error error;
  chorale_label_map map = {.struct_size = sizeof map};
  map.labels = map.kinds = labels;
  REQUIRE(chorale_property_create_first_label(NULL, &map, NULL, &property, &error) == CHORALE_OK,
          "%s", error.message);

  const int32_t count = random_int(&random, 1, PROBLEMS);
  const int32_t kinds = random_int(&random, 1, MOST_AGREEMENTS);
  chorale_agreement agreements[MOST_AGREEMENTS];
  for (int32_t k = 0; k < kinds; ++k)
    draw_agreement(&random, property, &agreements[k]);
  chorale_problem *problems[PROBLEMS] = {NULL};
  int made = 0;
  for (; made < count; ++made) {
    Corpus corpus;
    draw_corpus(&random, labels, &corpus);
    for (int32_t k = 0; k < kinds; ++k) {
      agreements[k].keys = corpus.keys;
      if (random_chance(&random, 5)) /* cliques of one kind that are unlike */
        draw_agreement(&random, property, &agreements[k]);
    }
    problems[made] = make_problem(&supply, &corpus, agreements, kinds);
    if (!problems[made])
      break;
  }
  Options options;
  draw_options(&random, labels, &options);
  if (made == count) {
    chorale_learnt *learnt = NULL;
    chorale_status status;
    FED(&supply, status,
        chorale_learn(&supply.host, (const chorale_problem *const *)problems, count,
                      &options.given, &learnt, &error),
        &error);
    REQUIRE((status == CHORALE_OK) == (learnt != NULL), "status %d", status);
    if (learnt)
      use_learnt(&supply, &random, learnt, problems[0]);
    chorale_learnt_destroy(learnt);
  }
  for (int k = 0; k < PROBLEMS; ++k)
    chorale_problem_destroy(problems[k]);
  chorale_property_release(property);
  close_supply(&supply);
  draw_from(NULL, NULL, 0);
  return 0;
}
