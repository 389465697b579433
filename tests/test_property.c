/* Properties of labellings: automata against their definition, the examples of the paper, its
 * semantics as the library reads them, dictionaries. */
#include "fixture_chain.h"

/* ---- Random properties -------------------------------------------------------------------- */

static void values_of_labellings(void **state) {
  (void)state;
  Random random = {test_seed()};
  for (int64_t round = 0; round < test_rounds(8000); ++round) {
    Sample sample;
    Use use;
    random_sample(&random, round % 3 == 0, &sample);
    random_use(&random, &sample, &use);
    open_use(&use);
    const int32_t *parents = sample.is_tree ? sample.parents : NULL;
    int32_t labelling[MOST_POSITIONS] = {0};
    for (int32_t i = 0; i < labelling_count(&sample); i += 1 + random_int(&random, 0, 40)) {
      labelling_at(&sample, i, labelling);
      chorale_error error;
      int32_t value = UNTOUCHED, truth[MOST_FIRINGS], fired[MOST_FIRINGS];
      int64_t count = 0;
      int is_outside;
      OK(chorale_property_shown(&use.attachment, sample.length, labelling, parents, &value, fired,
                                sample.length + 1, &count, &error));
      const int32_t true_count = own_firings(&sample, &use, labelling, truth);
      if (value != own_value(&sample, &use, labelling, &is_outside) || count != true_count ||
          memcmp(fired, truth, sizeof(int32_t) * (size_t)count) != 0) {
        fprintf(stderr, "value %d, by definition %d; %d fired, by definition %d; labelling", value,
                own_value(&sample, &use, labelling, &is_outside), (int)count, true_count);
        for (int32_t t = 0; t < sample.length; ++t)
          fprintf(stderr, " %d", labelling[t]);
        fprintf(stderr, "\n");
        print_sample(&sample);
        print_use(&use);
        fail();
      }
    }
    close_use(&use);
  }
}

/* ---- Bibliography ------------------------------------------------------------------------- */

enum { OTHER, AUTHOR, TITLE, VENUE, DATE, FIELDS, AFTER_LAST = FIELDS };
static const uint8_t is_other[FIELDS] = {1, 0, 0, 0, 0};

static chorale_label_map fields_map(void) {
  chorale_label_map map = {.struct_size = sizeof map};
  map.labels = map.kinds = FIELDS;
  return map;
}

typedef chorale_property *(*Maker)(chorale_segment_rule rule);

static chorale_property *first_field(chorale_segment_rule rule) {
  (void)rule;
  chorale_error error;
  const chorale_label_map map = fields_map();
  chorale_property *property = NULL;
  OK(chorale_property_create_first_label(NULL, &map, is_other, &property, &error));
  return property;
}

static chorale_property *after(int32_t anchor, chorale_segment_rule rule) {
  chorale_error error;
  const chorale_label_map map = fields_map();
  chorale_property *property = NULL;
  OK(chorale_property_create_next_label(NULL, &map, anchor, is_other, rule, AFTER_LAST, &property,
                                        &error));
  return property;
}
static chorale_property *after_title(chorale_segment_rule rule) { return after(TITLE, rule); }
static chorale_property *after_venue(chorale_segment_rule rule) { return after(VENUE, rule); }

enum { WORD_START, WORD_COMMA, WORD_DOT, WORD_QUOTE, WORD_PAREN, WORD, WORDS };

static chorale_property *before_title(chorale_segment_rule rule) {
  chorale_error error;
  const chorale_label_map map = fields_map();
  chorale_property *property = NULL;
  OK(chorale_property_create_token_before(NULL, &map, TITLE, is_other, rule, WORDS, WORD_START,
                                          &property, &error));
  return property;
}

/* Reads one letter for each token: o(ther) a(uthor) t(itle) v(enue) d(ate). */
static int32_t read_fields(const char *text, int32_t *labels) {
  static const char letters[] = "oatvd";
  int32_t count = 0;
  for (; text[count]; ++count)
    labels[count] = (int32_t)(strchr(letters, text[count]) - letters);
  return count;
}

static int32_t read_words(const char *text, int32_t *table) {
  static const char letters[] = "^,.\"(";
  int32_t count = 0;
  for (; text[count]; ++count) {
    const char *at = strchr(letters, text[count]);
    table[count] = at ? (int32_t)(at - letters) : WORD;
  }
  return count;
}

static int32_t show(Maker maker, chorale_segment_rule rule, const char *fields, const char *words) {
  chorale_error error;
  int32_t labels[40], table[40], value = UNTOUCHED;
  chorale_attachment attachment = {.struct_size = sizeof attachment};
  chorale_property *property = maker(rule);
  attachment.property = property;
  const int32_t length = read_fields(fields, labels);
  if (words) {
    assert_int_equal(read_words(words, table), length);
    attachment.table = table;
  }
  OK(chorale_property_shown(&attachment, length, labels, NULL, &value, NULL, 0, NULL, &error));
  const int64_t R = chorale_property_values(property);
  chorale_property_release(property);
  /* Renumbers EMPTY and CONFLICT to -1 and -2, independent of R. */
  return value == R ? -1 : value == R + 1 ? -2 : value;
}

enum { SHOWS_EMPTY = -1, SHOWS_CONFLICT = -2 };
#define SPANS CHORALE_SEGMENT_SPANS_IGNORED
#define ENDS CHORALE_SEGMENT_ENDS_AT_IGNORED

/* A position that fires nothing causes no conflict; EMPTY and CONFLICT are different values. */
static void note_1_two_bottoms(void **state) {
  (void)state;
  assert_int_equal(show(after_title, SPANS, "aaood", NULL), SHOWS_EMPTY);
  assert_int_equal(show(after_title, SPANS, "aattovvod", NULL), VENUE);
  assert_int_equal(show(after_title, SPANS, "tvatv", NULL), VENUE);
  assert_int_equal(show(after_title, SPANS, "tvatd", NULL), SHOWS_CONFLICT);
  assert_int_equal(show(before_title, SPANS, "aoovv", "xx,xx"), SHOWS_EMPTY);
}

/* Properties of segments fire once for each segment. */
static void note_2_segments(void **state) {
  (void)state;
  assert_int_equal(show(before_title, SPANS, "aottt", "x.xxx"), WORD_DOT);
  assert_int_equal(show(after_title, SPANS, "tttv", NULL), VENUE);
  /* The labels Title, Other, Title. */
  assert_int_equal(show(before_title, SPANS, "otot", ".x,x"), WORD_DOT);
  assert_int_equal(show(before_title, ENDS, "otot", ".x,x"), SHOWS_CONFLICT);
  assert_int_equal(show(after_title, SPANS, "totv", NULL), VENUE);
  assert_int_equal(show(after_title, ENDS, "totv", NULL), SHOWS_CONFLICT);
  assert_int_equal(show(after_title, ENDS, "tot", NULL), SHOWS_CONFLICT);
  assert_int_equal(show(after_title, SPANS, "tot", NULL), AFTER_LAST);

  /* B- begins a segment even within one; I- and B- labels are of one kind. */
  static const char *const names[] = {"O", "B-Title", "I-Title", "B-Venue", "I-Venue"};
  int32_t kinds[5];
  uint8_t begins[5];
  const uint8_t ignored[5] = {1, 0, 0, 0, 0};
  chorale_label_map map = {.struct_size = sizeof map};
  map.labels = 5;
  map.kind_of_label = kinds;
  map.begins = begins;
  chorale_error error;
  OK(chorale_label_map_from_names(CHORALE_SCHEME_BIO, names, NULL, 5, kinds, begins, &map.kinds,
                                  &error));
  assert_int_equal(map.kinds, 3);
  chorale_property *property = NULL;
  OK(chorale_property_create_next_label(NULL, &map, 1, ignored, SPANS, 3, &property, &error));
  chorale_attachment attachment = {.struct_size = sizeof attachment};
  attachment.property = property;
  static const struct {
    int32_t length, labels[5], value;
  } rows[] = {
      {3, {1, 2, 3}, 2},       /* B-Title I-Title B-Venue: Venue */
      {5, {1, 2, 0, 3, 4}, 2}, /* across Other */
      {4, {1, 1, 2, 3}, 5},    /* the first Title is followed by a Title: CONFLICT */
      {2, {1, 1}, 5},          /* a Title, then the end: CONFLICT */
      {2, {1, 2}, 3},          /* the end */
      {4, {1, 0, 2, 3}, 2},    /* Title Other I-Title is one segment */
      {2, {3, 4}, 4},          /* EMPTY */
  };
  for (size_t i = 0; i < COUNT_OF(rows); ++i) {
    int32_t value = UNTOUCHED;
    OK(chorale_property_shown(&attachment, rows[i].length, rows[i].labels, NULL, &value, NULL, 0,
                              NULL, &error));
    assert_int_equal(value, rows[i].value);
  }
  chorale_property_release(property);
}

/* A clique may leave EMPTY and CONFLICT uncounted: they are the columns R and R + 1, add nothing to
 * the potential, are never the majority, and their members are still included in n. */
static void note_3_columns(void **state) {
  (void)state;
  chorale_error error;
  chorale_property *property = after_title(SPANS);
  const int64_t R = chorale_property_values(property);
  uint8_t counted[16] = {0};
  for (int64_t v = 0; v < R; ++v)
    counted[v] = 1;
  chorale_potential_options options = {.struct_size = sizeof options};
  options.scale = CHORALE_SCALE_BY_MEMBERS;
  options.counted = counted;
  chorale_potential *potential = NULL;
  OK(chorale_potential_create_potts(NULL, R + 2, 1, &options, &potential, &error));

  /* Messages of four records to the clique: two have the value Venue, one EMPTY, one CONFLICT. */
  static const char *const records[] = {"attvd", "ttvvd", "aaood", "tvatd"};
  double psi[4][16];
  chorale_chain_solver *solver = NULL;
  OK(chorale_chain_solver_create(NULL, &solver, &error));
  for (int i = 0; i < 4; ++i) {
    double unary[5][FIELDS] = {{0}};
    int32_t labels[8];
    for (int32_t t = 0; t < read_fields(records[i], labels); ++t)
      unary[t][labels[t]] = 50;
    chorale_chain chain = {.struct_size = sizeof chain};
    chain.length = 5;
    chain.labels = FIELDS;
    chain.unary = unary;
    chorale_attachment attachment = {.struct_size = sizeof attachment};
    attachment.property = property;
    double *const to = psi[i];
    OK(chorale_chain_messages(solver, &chain, &attachment, 1, NULL, &to, NULL, &error));
  }
  chorale_clique_problem problem = {.struct_size = sizeof problem};
  problem.members = 4;
  problem.values = R + 2;
  problem.scores = psi[0];
  problem.row_stride = 16;
  chorale_clique_solver *clique = NULL;
  OK(chorale_clique_solver_create(NULL, &clique, &error));
  int32_t values[4];
  chorale_clique_result result = {.struct_size = sizeof result};
  OK(chorale_clique_solve(clique, potential, &problem, NULL, values, &result, &error));
  assert_int_equal(values[0], VENUE);
  assert_int_equal(values[1], VENUE);
  assert_int_equal(values[2], R);
  assert_int_equal(values[3], R + 1);
  assert_true(result.clique_score == 4.0 / 4);
  chorale_clique_solver_destroy(clique);
  chorale_chain_solver_destroy(solver);
  chorale_potential_release(potential);
  chorale_property_release(property);
}

/* A word that occurs twice: its positions as separate members, or one member whose property has the
 * value of both. */
static void note_4_mentions(void **state) {
  (void)state;
  chorale_error error;
  const chorale_label_map map = fields_map();
  const int32_t labels[4] = {AUTHOR, TITLE, OTHER, VENUE};
  const int32_t words[4] = {7, 3, 8, 3};
  chorale_attachment attachment = {.struct_size = sizeof attachment};
  attachment.table = words;
  chorale_property *property = NULL;
  int32_t value = UNTOUCHED;
  for (int32_t t = 1; t <= 3; t += 2) {
    OK(chorale_property_create_position_label(NULL, &map, t, &property, &error));
    attachment.property = property;
    OK(chorale_property_shown(&attachment, 4, labels, NULL, &value, NULL, 0, NULL, &error));
    assert_int_equal(value, labels[t]);
    chorale_property_release(property);
  }
  const struct { int32_t token, value; } tokens[] = {{3, FIELDS + 1}, {7, AUTHOR}, {9, FIELDS}};
  for (size_t i = 0; i < COUNT_OF(tokens); ++i) {
    OK(chorale_property_create_token_label(NULL, &map, tokens[i].token, &property, &error));
    attachment.property = property;
    OK(chorale_property_shown(&attachment, 4, labels, NULL, &value, NULL, 0, NULL, &error));
    assert_int_equal(value, tokens[i].value);
    chorale_property_release(property);
  }
}

/* Examples 2 and 3 as listed in the paper; Example 1 is tested above. */
static void examples(void **state) {
  (void)state;
  assert_int_equal(show(after_title, SPANS, "aod", NULL), SHOWS_EMPTY); /* no Title */
  assert_int_equal(show(after_title, SPANS, "atod", NULL), DATE);       /* first non-Other */
  assert_int_equal(show(after_title, SPANS, "atoo", NULL), AFTER_LAST); /* the end */
  assert_int_equal(show(after_title, SPANS, "tvtod", NULL), SHOWS_CONFLICT);
  assert_int_equal(show(before_title, SPANS, "aod", "x,x"), SHOWS_EMPTY);
  assert_int_equal(show(before_title, SPANS, "ttv", "xxx"), WORD_START); /* at the beginning */
  assert_int_equal(show(before_title, SPANS, "aotvot", "x,xx,x"), WORD_COMMA); /* all the same */
  assert_int_equal(show(before_title, SPANS, "aotvot", "x.xx,x"), SHOWS_CONFLICT);
  assert_int_equal(show(before_title, SPANS, "tvot", "xx,x"), SHOWS_CONFLICT); /* Start and comma */
}

/* The four properties of the paper's experiment on records as found in reference lists. */
static void experiment(void **state) {
  (void)state;
  static const struct {
    const char *words, *fields;
    int32_t first, before, after_title, after_venue;
  } records[] = {
      /* Gupta R. , "Collective inference ." In ICML , 2007 . */
      {"xx,\"xx.xx,x.", "aaoottovvodo", AUTHOR, WORD_QUOTE, VENUE, DATE},
      /* 2006 : The Ethiopian election . Review of African Economy 105 . */
      {"x:xxx.xxxxx.", "dotttovvvvoo", DATE, WORD, VENUE, AFTER_LAST},
      /* Collective inference . R. Gupta . ICML 2007 . */
      {"xx.xx.xx.", "ttoaaovdo", TITLE, WORD_START, AUTHOR, DATE},
      /* ( 1998 ) R. Gupta , A note : and a reply . Venue one . Venue two , 1999 . */
      {"(x)xx,xx:xxx.xx.xx,x.", "odoaaottotttovvovvodo", DATE, WORD_COMMA, VENUE, DATE},
      /* Only notes . */
      {"xx.", "ooo", SHOWS_EMPTY, SHOWS_EMPTY, SHOWS_EMPTY, SHOWS_EMPTY},
      /* A title split by its year: R. Gupta . A note , 1999 , continued . ICML . */
      {"xx.xx,x,x.x.", "aaottodotovo", AUTHOR, SHOWS_CONFLICT, SHOWS_CONFLICT, AFTER_LAST},
  };
  for (size_t i = 0; i < COUNT_OF(records); ++i) {
    assert_int_equal(show(first_field, SPANS, records[i].fields, records[i].words),
                     records[i].first);
    assert_int_equal(show(before_title, SPANS, records[i].fields, records[i].words),
                     records[i].before);
    assert_int_equal(show(after_title, SPANS, records[i].fields, records[i].words),
                     records[i].after_title);
    assert_int_equal(show(after_venue, SPANS, records[i].fields, records[i].words),
                     records[i].after_venue);
  }
}

/* A local property: fires the label of the parent of every position with label 1 ("the parent
 * edge"). */
static void parent_label_on_trees(void **state) {
  (void)state;
  chorale_error error;
  int32_t actions[3 * 4];
  for (int32_t y = 0; y < 3; ++y)
    for (int32_t above = 0; above <= 3; ++above)
      actions[y * 4 + above] = y == 1 ? above : CHORALE_FIRE_NOTHING; /* 3: the root */
  chorale_property *property = NULL;
  OK(chorale_property_create_local(NULL, 3, 1, 4, actions, NULL, &property, &error));
  chorale_attachment attachment = {.struct_size = sizeof attachment};
  attachment.property = property;
  const int32_t parents[5] = {-1, 0, 0, 1, 2};
  static const struct {
    int32_t labels[5], value;
  } rows[] = {{{0, 2, 2, 2, 2}, 4},
              {{0, 1, 1, 2, 2}, 0},
              {{1, 0, 0, 0, 0}, 3},
              {{0, 2, 2, 1, 1}, 2},
              {{0, 1, 2, 1, 0}, 5}};
  for (size_t i = 0; i < COUNT_OF(rows); ++i) {
    int32_t value = UNTOUCHED;
    OK(chorale_property_shown(&attachment, 5, rows[i].labels, parents, &value, NULL, 0, NULL,
                              &error));
    assert_int_equal(value, rows[i].value);
  }
  chorale_property_release(property);
}

/* ---- Dictionaries ------------------------------------------------------------------------- */

/* Returns what a property that fires `value` shows under a dictionary; -1 fires nothing. */
static int32_t number_of(const chorale_dictionary *dictionary, int32_t value) {
  static const int32_t next[1], labelling[1], actions[] = {CHORALE_FIRE_TABLE};
  chorale_error error;
  chorale_automaton automaton = {.struct_size = sizeof automaton};
  automaton.labels = automaton.classes = automaton.states = 1;
  automaton.values = 701;
  automaton.next = next;
  automaton.actions = actions;
  chorale_property *property = NULL;
  OK(chorale_property_create(NULL, &automaton, &property, &error));
  chorale_attachment attachment = {.struct_size = sizeof attachment};
  attachment.property = property;
  attachment.dictionary = dictionary;
  attachment.table = &value;
  int32_t shown = UNTOUCHED;
  OK(chorale_property_shown(&attachment, 1, labelling, NULL, &shown, NULL, 0, NULL, &error));
  chorale_property_release(property);
  return shown;
}

static void dictionaries(void **state) {
  (void)state;
  chorale_error error;
  const int32_t values[] = {9, 4, 4, 700, 9};
  for (int32_t unlisted = 0; unlisted < 2; ++unlisted) {
    chorale_dictionary *dictionary = NULL;
    OK(chorale_dictionary_create(NULL, values, 5, unlisted, &dictionary, &error));
    assert_int_equal(number_of(dictionary, 4), 0);
    assert_int_equal(number_of(dictionary, 9), 1);
    assert_int_equal(number_of(dictionary, 700), 2);
    assert_int_equal(number_of(dictionary, 5), unlisted == CHORALE_UNLISTED_AS_VALUE ? 3 : -1);
    assert_int_equal(number_of(dictionary, -1), 3 + unlisted); /* R stands for EMPTY */
    chorale_dictionary_release(dictionary);
  }
  chorale_dictionary_release(NULL);
}

/* Restricting the range to values that best labellings fire, including those of a conflict; a
 * dropped value is still the value of a labelling. */
static void restriction(void **state) {
  (void)state;
  chorale_error error;
  chorale_property *property = before_title(SPANS);
  chorale_attachment attachment = {.struct_size = sizeof attachment};
  attachment.property = property;
  int32_t labels[8], table[8], fired[9];
  int64_t count = 0;
  attachment.table = table;
  assert_int_equal(read_fields("otvot", labels), read_words(".x(,x", table));
  OK(chorale_property_shown(&attachment, 5, labels, NULL, NULL, fired, 9, &count, &error));
  assert_int_equal(count, 2);
  assert_int_equal(fired[0], WORD_DOT);
  assert_int_equal(fired[1], WORD_COMMA);
  chorale_dictionary *dictionary = NULL;
  OK(chorale_dictionary_create(NULL, fired, 2, CHORALE_UNLISTED_FORBIDDEN, &dictionary, &error));
  attachment.dictionary = dictionary;
  int32_t value = UNTOUCHED;
  OK(chorale_property_shown(&attachment, 5, labels, NULL, &value, NULL, 0, NULL, &error));
  assert_int_equal(value, 3); /* CONFLICT of R = 2 */
  read_words("(xx,x", table);
  read_fields("otvoo", labels);
  OK(chorale_property_shown(&attachment, 5, labels, NULL, &value, NULL, 0, NULL, &error));
  assert_int_equal(value, -1);
  attachment.dictionary = NULL;
  OK(chorale_property_shown(&attachment, 5, labels, NULL, &value, NULL, 0, NULL, &error));
  assert_int_equal(value, WORD_PAREN);
  chorale_dictionary_release(dictionary);
  chorale_property_release(property);
}

/* Two different values outside a dictionary give UNLISTED, or without UNLISTED a CONFLICT; a clique
 * in a
 * model gets the same value. */
static void two_values_outside(void **state) {
  (void)state;
  enum { LABELS = 4, LENGTH = 3 };
  static const int32_t labellings[][LENGTH] = {{1, 1, 1}, {2, 2, 2}, {2, 3, 2}, {2, 1, 2}};
  static const int32_t with[] = {0, 1, 1, 3}, without[] = {0, -1, 2, 2};
  const int32_t kept[] = {1};
  int32_t actions[LABELS];
  for (int32_t y = 0; y < LABELS; ++y)
    actions[y] = y;
  const int32_t next[LABELS] = {0};
  chorale_error error;
  chorale_automaton automaton = {.struct_size = sizeof automaton};
  automaton.labels = automaton.values = LABELS;
  automaton.classes = automaton.states = 1;
  automaton.next = next;
  automaton.actions = actions;
  chorale_property *property = NULL;
  OK(chorale_property_create(NULL, &automaton, &property, &error));
  for (int32_t has_unlisted = 0; has_unlisted < 2; ++has_unlisted) {
    chorale_dictionary *dictionary = NULL;
    OK(chorale_dictionary_create(NULL, kept, 1, has_unlisted, &dictionary, &error));
    chorale_attachment attachment = {.struct_size = sizeof attachment};
    attachment.property = property;
    attachment.dictionary = dictionary;
    chorale_potential *potts = NULL;
    OK(chorale_potential_create_potts(NULL, 1 + has_unlisted, 1, NULL, &potts, &error));
    for (size_t k = 0; k < COUNT_OF(labellings); ++k) {
      const int32_t expected = has_unlisted ? with[k] : without[k];
      int32_t value = UNTOUCHED;
      OK(chorale_property_shown(&attachment, LENGTH, labellings[k], NULL, &value, NULL, 0, NULL,
                                &error));
      assert_int_equal(value, expected);
      /* A chain with this labelling as its best one. */
      double unary[LENGTH][LABELS] = {{0}};
      for (int32_t t = 0; t < LENGTH; ++t)
        unary[t][labellings[k][t]] = 1;
      chorale_chain chain = {.struct_size = sizeof chain};
      chain.length = LENGTH;
      chain.labels = LABELS;
      chain.unary = unary;
      chorale_model_builder *builder = NULL;
      OK(chorale_model_builder_create(NULL, &builder, &error));
      OK(chorale_model_builder_add_chain(builder, &chain, NULL, NULL, &error));
      chorale_clique_setup setup = {.struct_size = sizeof setup};
      setup.property = property;
      setup.dictionary = dictionary;
      setup.potential = potts;
      OK(chorale_model_builder_add_cliques(builder, &setup, 1, NULL, &error));
      OK(put_chain(builder, 0, 0, NULL, &error));
      chorale_model *model = NULL;
      chorale_run *run = NULL;
      OK(chorale_model_builder_freeze(builder, &model, &error));
      OK(chorale_run_create(NULL, model, NULL, NULL, &run, &error));
      OK(chorale_run_step(run, NULL, &error));
      OK(chorale_run_values(run, 0, CHORALE_ALONE, &value, 1, NULL, &error));
      assert_int_equal(value, expected);
      int32_t labels[LENGTH];
      double score = NAN;
      OK(chorale_run_labels(run, 0, CHORALE_ALONE, labels, LENGTH, NULL, &error));
      OK(chorale_model_score(NULL, model, labels, LENGTH, NULL, NULL, &score, &error));
      assert_true(score == (expected >= 0 && expected < 1 + has_unlisted)); /* CONFLICT is left out */
      chorale_run_destroy(run);
      chorale_model_release(model);
      chorale_model_builder_destroy(builder);
    }
    chorale_potential_release(potts);
    chorale_dictionary_release(dictionary);
  }
  chorale_property_release(property);
}

/* Restricting to the r values with the best max-marginals of the chain: its message over the full
 * range. */
static void restriction_by_max_marginals(void **state) {
  (void)state;
  Random random = {test_seed()};
  chorale_error error;
  chorale_property *property = before_title(SPANS);
  chorale_chain_solver *solver = NULL;
  OK(chorale_chain_solver_create(NULL, &solver, &error));
  for (int64_t round = 0; round < test_rounds(200); ++round) {
    double unary[6][FIELDS], full[WORDS + 2], cut[WORDS + 2];
    int32_t table[6];
    for (int32_t t = 0; t < 6; ++t) {
      table[t] = random_int(&random, 0, WORDS - 1);
      for (int32_t y = 0; y < FIELDS; ++y)
        unary[t][y] = random_unit(&random);
    }
    chorale_chain chain = {.struct_size = sizeof chain};
    chain.length = 6;
    chain.labels = FIELDS;
    chain.unary = unary;
    chorale_attachment attachment = {.struct_size = sizeof attachment};
    attachment.property = property;
    attachment.table = table;
    double *to = full;
    OK(chorale_chain_messages(solver, &chain, &attachment, 1, NULL, &to, NULL, &error));
    chorale_dictionary *dictionary = NULL;
    const int32_t words[2] = {random_int(&random, 0, WORDS - 1), random_int(&random, 0, WORDS - 1)};
    OK(chorale_dictionary_create(NULL, words, 2, CHORALE_UNLISTED_FORBIDDEN, &dictionary, &error));
    const int64_t kept = words[0] == words[1] ? 1 : 2;
    attachment.dictionary = dictionary;
    to = cut;
    OK(chorale_chain_messages(solver, &chain, &attachment, 1, NULL, &to, NULL, &error));
    for (int64_t v = 0; v < kept; ++v) { /* kept values have the same message */
      const double score = full[(v == 0) == (words[0] < words[1]) ? words[0] : words[1]];
      assert_true(isinf(score) ? cut[v] == score : is_close(cut[v], score));
    }
    assert_true(is_close(cut[kept], full[WORDS])); /* EMPTY fires nothing outside */
    chorale_dictionary_release(dictionary);
  }
  chorale_chain_solver_destroy(solver);
  chorale_property_release(property);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(values_of_labellings),
      cmocka_unit_test(note_1_two_bottoms),
      cmocka_unit_test(note_2_segments),
      cmocka_unit_test(note_3_columns),
      cmocka_unit_test(note_4_mentions),
      cmocka_unit_test(examples),
      cmocka_unit_test(experiment),
      cmocka_unit_test(parent_label_on_trees),
      cmocka_unit_test(dictionaries),
      cmocka_unit_test(restriction),
      cmocka_unit_test(two_values_outside),
      cmocka_unit_test(restriction_by_max_marginals),
  };
  return cmocka_run_group_tests_name("property", tests, NULL, NULL);
}
