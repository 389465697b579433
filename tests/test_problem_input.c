/* Invalid input of problems, and damaged files: every byte flipped, with the old and with corrected
 * checksums; files truncated to every length; every rule of FORMAT.md violated. */
#include "fixture_saved.h"

/* ---- Arguments ---------------------------------------------------------------------------- */

static void bad_names(void **state) {
  (void)state;
  chorale_error error;
  chorale_problem *p = NULL, *none = NULL;
  OK(build_everything(NULL, &p, &error));
  const chorale_model *model = chorale_problem_model(p);
  chorale_host host = {.struct_size = sizeof host};
  host.struct_size = 3;
  FAILS(chorale_problem_create(NULL, NULL, &none, &error), CHORALE_ERROR_NULL_ARGUMENT, "model");
  FAILS(chorale_problem_create(NULL, model, NULL, &error), CHORALE_ERROR_NULL_ARGUMENT, "problem");
  FAILS(chorale_problem_create(&host, model, &none, &error), CHORALE_ERROR_STRUCT_SIZE, "host");
  assert_null(none);
  Saved before = save(p);

  chorale_text texts[] = {text_of("a"), text_of("b"), text_of("c")};
  FAILS(chorale_problem_set_texts(NULL, 0, texts, sizeof(chorale_text), 3,
                                  &error), CHORALE_ERROR_NULL_ARGUMENT,
        "problem");
  FAILS(chorale_problem_set_texts(p, 0, NULL, sizeof(chorale_text), 3,
                                  &error), CHORALE_ERROR_NULL_ARGUMENT, "texts");
  FAILS(chorale_problem_set_texts(p, 0, texts, sizeof(chorale_text), -1,
                                  &error), CHORALE_ERROR_SIZE, "count", "-1");
  FAILS(chorale_problem_set_texts(p, 1, texts, sizeof(chorale_text), (int64_t)1 << 40, &error),
        CHORALE_ERROR_SIZE_OVERFLOW, "count");
  FAILS(chorale_problem_set_texts(p, -1, texts, sizeof(chorale_text), 3,
                                  &error), CHORALE_ERROR_UNKNOWN_CONSTANT, "list",
        "-1");
  FAILS(chorale_problem_set_texts(p, 10, texts, sizeof(chorale_text), 3,
                                  &error), CHORALE_ERROR_UNKNOWN_CONSTANT, "list",
        "10");
  FAILS(chorale_problem_set_texts(p, CHORALE_TEXTS_VALUES + 2, texts, sizeof(chorale_text), 3,
                                  &error),
        CHORALE_ERROR_UNKNOWN_CONSTANT, "list", "102");
  for (chorale_text_list list = CHORALE_TEXTS_NOTE_NAMES; list <= CHORALE_TEXTS_NOTES; ++list)
    FAILS(chorale_problem_set_texts(p, list, texts, sizeof(chorale_text), 1, &error),
          CHORALE_ERROR_KIND, "chorale_problem_set_note");
  FAILS(chorale_problem_set_texts(p, CHORALE_TEXTS_LABELS, texts, sizeof(chorale_text), 2,
                                  &error), CHORALE_ERROR_SHAPE,
        "count is 2", "at least 3");
  FAILS(chorale_problem_set_texts(p, CHORALE_TEXTS_WORDS, texts, sizeof(chorale_text), 3,
                                  &error), CHORALE_ERROR_SHAPE,
        "count is 3", "must be 13", "positions");
  FAILS(chorale_problem_set_texts(p, CHORALE_TEXTS_SPACES, texts, sizeof(chorale_text), 3,
                                  &error), CHORALE_ERROR_SHAPE,
        "must be 13");
  FAILS(chorale_problem_set_texts(p, CHORALE_TEXTS_CHAINS, texts, sizeof(chorale_text), 3,
                                  &error), CHORALE_ERROR_SHAPE,
        "must be 6", "chains");
  FAILS(chorale_problem_set_texts(p, CHORALE_TEXTS_CLIQUES, texts, sizeof(chorale_text), 3,
                                  &error), CHORALE_ERROR_SHAPE,
        "cliques");
  /* Texts that are not UTF-8: a stray byte, a truncated character, overlong forms, surrogates, code
   * points above the end. */
  static const char *const wrong[] = {"\x80",
                                      "x\xc3",
                                      "\xe2\x82",
                                      "\xc0\xaf",
                                      "\xe0\x80\xaf",
                                      "\xf0\x80\x80\xaf",
                                      "\xed\xa0\x80",
                                      "\xf4\x90\x80\x80",
                                      "\xf8\x88\x80\x80\x80",
                                      "\xff"};
  for (size_t k = 0; k < COUNT_OF(wrong); ++k) {
    texts[1] = text_of(wrong[k]);
    FAILS(chorale_problem_set_texts(p, CHORALE_TEXTS_LABELS, texts, sizeof(chorale_text), 3,
                                    &error), CHORALE_ERROR_TEXT,
          "texts[1]", "UTF-8");
    FAILS(put_note(p, texts[1], texts[0], &error), CHORALE_ERROR_TEXT, "name");
    FAILS(put_note(p, texts[0], texts[1], &error), CHORALE_ERROR_TEXT, "text");
  }
  texts[1].bytes = NULL;
  FAILS(chorale_problem_set_texts(p, CHORALE_TEXTS_LABELS, texts, sizeof(chorale_text), 3, &error),
        CHORALE_ERROR_NULL_ARGUMENT, "texts[1]");
  texts[1].length = 0;
  FAILS(put_note(p, texts[1], texts[0], &error), CHORALE_ERROR_SIZE, "name");
  FAILS(put_note(NULL, texts[0], texts[0], &error), CHORALE_ERROR_NULL_ARGUMENT,
        "problem");

  int32_t kinds[32] = {0}, values[32] = {0}, gold[13] = {0};
  FAILS(chorale_problem_set_cliques(NULL, kinds, values, &error), CHORALE_ERROR_NULL_ARGUMENT,
        "problem");
  kinds[2] = -2;
  FAILS(chorale_problem_set_cliques(p, kinds, values, &error), CHORALE_ERROR_OUT_OF_RANGE,
        "kinds[2]", "-2");
  kinds[2] = 0;
  values[3] = CHORALE_TEXTS_WORDS;
  FAILS(chorale_problem_set_cliques(p, kinds, values, &error), CHORALE_ERROR_OUT_OF_RANGE,
        "values[3]", "2");
  FAILS(chorale_problem_set_gold(NULL, gold, &error), CHORALE_ERROR_NULL_ARGUMENT, "problem");
  gold[4] = 3; /* chain 1 has three labels */
  FAILS(chorale_problem_set_gold(p, gold, &error), CHORALE_ERROR_OUT_OF_RANGE, "gold[4]", "chain 1",
        "is 3");
  gold[4] = -2;
  FAILS(chorale_problem_set_gold(p, gold, &error), CHORALE_ERROR_OUT_OF_RANGE, "gold[4]", "is -2");

  Saved after = save(p);
  assert_true(same_saved(&before, &after));
  drop_saved(&before);
  drop_saved(&after);
  chorale_problem_destroy(p);
}

static void bad_bytes(void **state) {
  (void)state;
  chorale_error error;
  chorale_problem *p = NULL, *none = NULL;
  OK(build_everything(NULL, &p, &error));
  Saved saved = save(p);
  size_t needed = 0;
  unsigned char *byte = malloc(1);
  assert_non_null(byte);
  *byte = 0x11;
  FAILS(chorale_problem_write(NULL, byte, 1, &needed, &error), CHORALE_ERROR_NULL_ARGUMENT,
        "problem");
  FAILS(chorale_problem_write(p, NULL, 1, &needed, &error), CHORALE_ERROR_NULL_ARGUMENT, "bytes");
  FAILS(chorale_problem_write(p, byte, 1, &needed, &error), CHORALE_ERROR_CAPACITY,
        "capacity is 1");
  assert_int_equal(needed, saved.size);
  FAILS(chorale_problem_write(p, byte, 0, NULL, &error), CHORALE_ERROR_CAPACITY, "capacity is 0");
  assert_int_equal(*byte, 0x11);
  FAILS(chorale_problem_save(NULL, "x", &error), CHORALE_ERROR_NULL_ARGUMENT, "problem");
  FAILS(chorale_problem_save(p, NULL, &error), CHORALE_ERROR_NULL_ARGUMENT, "path");
  FAILS(chorale_problem_load(NULL, NULL, &none, &error), CHORALE_ERROR_NULL_ARGUMENT, "path");
  FAILS(chorale_problem_load(NULL, "x", NULL, &error), CHORALE_ERROR_NULL_ARGUMENT, "problem");
  FAILS(chorale_problem_read(NULL, NULL, 3, 1, &none, &error), CHORALE_ERROR_NULL_ARGUMENT,
        "bytes");
  FAILS(chorale_problem_read(NULL, saved.bytes, 3, 1, NULL, &error), CHORALE_ERROR_NULL_ARGUMENT,
        "problem");
  FAILS(chorale_problem_read(NULL, saved.bytes + 8, saved.size - 8, 1, &none, &error),
        CHORALE_ERROR_ALIGNMENT, "8", "64");
  /* Bytes that are copied need no alignment. */
  unsigned char *shifted = malloc(saved.size + 1);
  assert_non_null(shifted);
  memcpy(shifted + 1, saved.bytes, saved.size);
  OK(chorale_problem_read(NULL, shifted + 1, saved.size, 0, &none, &error));
  free(shifted);
  assert_null(compare_names(p, none));
  chorale_problem_destroy(none);
  none = NULL;
  chorale_host host = {.struct_size = sizeof host};
  host.struct_size = 3;
  FAILS(chorale_problem_read(&host, saved.bytes, saved.size, 1, &none, &error),
        CHORALE_ERROR_STRUCT_SIZE, "host");
  FAILS(chorale_problem_load(&host, "x", &none, &error), CHORALE_ERROR_STRUCT_SIZE, "host");
  assert_null(none);
  free(byte);
  drop_saved(&saved);
  chorale_problem_destroy(p);
}

/* Invalid arguments of calls that read a problem. */
static void bad_questions(void **state) {
  (void)state;
  chorale_error error;
  chorale_problem *p = NULL;
  OK(build_everything(NULL, &p, &error));
  const chorale_model *model = chorale_problem_model(p);
  chorale_chain chain;
  chorale_chain_options options;
  chain = (chorale_chain){.struct_size = sizeof chain};
  options = (chorale_chain_options){.struct_size = sizeof options};
  FAILS(chorale_model_get_chain(NULL, 0, &chain, &options, &error), CHORALE_ERROR_NULL_ARGUMENT,
        "model");
  FAILS(chorale_model_get_chain(model, -1, &chain, &options, &error), CHORALE_ERROR_OUT_OF_RANGE,
        "chain is -1", "0 to 5");
  FAILS(chorale_model_get_chain(model, 6, &chain, &options, &error), CHORALE_ERROR_OUT_OF_RANGE,
        "chain is 6");
  chain.struct_size = 1;
  FAILS(chorale_model_get_chain(model, 0, &chain, &options, &error), CHORALE_ERROR_STRUCT_SIZE,
        "scores");
  options.struct_size = 1;
  FAILS(chorale_model_get_chain(model, 0, NULL, &options, &error), CHORALE_ERROR_STRUCT_SIZE,
        "options");
  chorale_clique_setup setup = {.struct_size = sizeof setup, .values = UNTOUCHED};
  FAILS(chorale_model_get_clique(NULL, 0, &setup, &error), CHORALE_ERROR_NULL_ARGUMENT, "model");
  FAILS(chorale_model_get_clique(model, 0, NULL, &error), CHORALE_ERROR_NULL_ARGUMENT, "setup");
  FAILS(chorale_model_get_clique(model, -1, &setup, &error), CHORALE_ERROR_OUT_OF_RANGE,
        "clique is -1");
  FAILS(chorale_model_get_clique(model, 99, &setup, &error), CHORALE_ERROR_OUT_OF_RANGE,
        "clique is 99");
  assert_int_equal(setup.values, UNTOUCHED);
  setup.struct_size = 1;
  FAILS(chorale_model_get_clique(model, 0, &setup, &error), CHORALE_ERROR_STRUCT_SIZE, "setup");
  chorale_problem_destroy(p);
}

/* ---- Damage ------------------------------------------------------------------------------- */

typedef struct Counted {
  CountingAllocator allocator;
  chorale_host host;
} Counted;

static void count(Counted *counted) {
  counting_allocator_init(&counted->allocator);
  counted->host = (chorale_host){.struct_size = sizeof counted->host};
  counted->host.allocator = &counted->allocator.hooks;
}

static int is_damage(chorale_status status) {
  return status >= CHORALE_ERROR_FILE_FORMAT && status <= CHORALE_ERROR_FILE_SECTION;
}

/* Reads the bytes; if a problem results, runs it, writes it, and checks that reading and writing
 * again gives the same bytes. */
static chorale_status try_saved(Counted *counted, const Saved *saved, int borrow,
                                chorale_error *error) {
  chorale_problem *problem = NULL, *again = NULL;
  const chorale_status status = read_saved(&counted->host, saved, borrow, &problem, error);
  if (status != error->status || (status == CHORALE_OK) != (error->message[0] == '\0') ||
      (status == CHORALE_OK) != (problem != NULL) ||
      strcmp(chorale_status_name(status), "unknown status") == 0)
    fail_msg("status %d, message \"%s\"", status, error->message);
  if (problem) {
    chorale_error inner;
    chorale_run_options options;
    chorale_run *run = NULL;
    options = (chorale_run_options){.struct_size = sizeof options};
    options.rounds = 1;
    options.effort = -1;
    const chorale_model *model = chorale_problem_model(problem);
    if (chorale_run_create(&counted->host, model, &options, NULL, &run, &inner) == CHORALE_OK)
      expect_ok(chorale_run_solve(run, NULL, &inner), &inner, "chorale_run_solve", __LINE__);
    chorale_run_destroy(run);
    Saved first = save(problem);
    expect_ok(read_saved(NULL, &first, 1, &again, &inner), &inner, "chorale_problem_read",
              __LINE__);
    Saved second = save(again);
    assert_true(same_saved(&first, &second));
    chorale_problem_destroy(again);
    drop_saved(&first);
    drop_saved(&second);
  }
  chorale_problem_destroy(problem);
  if (counted->allocator.live != 0 || counted->allocator.mistakes != 0)
    fail_msg("%lld blocks lost", (long long)counted->allocator.live);
  return status;
}

static void every_byte_flipped(void **state) {
  (void)state;
  static const unsigned char flips[] = {0xFF, 0x01, 0x80};
  chorale_error error;
  chorale_problem *p = NULL;
  Counted counted;
  count(&counted);
  OK(build_everything(NULL, &p, &error));
  Saved saved = save(p);
  Saved damaged = copy_saved(&saved);
  const size_t step = (size_t)(100 / test_rounds(100) + (100 / test_rounds(100) == 0));
  int64_t accepted = 0, tried = 0, behind = 0;
  Random random = {test_seed() + 51};
  for (size_t b = (size_t)random_int(&random, 0, (int32_t)step - 1); b < saved.size; b += step)
    for (size_t k = 0; k < COUNT_OF(flips); ++k) {
      memcpy(damaged.bytes, saved.bytes, saved.size);
      damaged.bytes[b] ^= flips[k];
      /* Without corrected checksums every flipped byte is detected: by checksums, byte order,
       * version or first bytes. */
      if (!is_damage(try_saved(&counted, &damaged, 1, &error)))
        fail_msg("byte %zu: %s, \"%s\"", b, chorale_status_name(error.status), error.message);
      /* With corrected checksums all contents are checked. */
      repair(&damaged);
      const chorale_status status = try_saved(&counted, &damaged, k == 0 ? 0 : 1, &error);
      accepted += status == CHORALE_OK;
      behind += status != CHORALE_OK && status != CHORALE_ERROR_FILE_CHECKSUM;
      ++tried;
    }
  print_message("%lld flips behind right checksums: %lld are problems, %lld are not\n",
                (long long)tried, (long long)accepted, (long long)behind);
  assert_true(accepted > 0 && behind > 0);
  drop_saved(&damaged);
  drop_saved(&saved);
  chorale_problem_destroy(p);
}

static void every_length_cut(void **state) {
  (void)state;
  chorale_error error;
  chorale_problem *p = NULL;
  Counted counted;
  count(&counted);
  OK(build_everything(NULL, &p, &error));
  Saved saved = save(p);
  for (size_t size = 0; size < saved.size; ++size) {
    Saved cut = copy_saved(&saved);
    cut.bytes = realloc(cut.bytes, size > 0 ? size : 1); /* no byte to spare */
    cut.size = size;
    assert_non_null(cut.bytes);
    const chorale_status status = try_saved(&counted, &cut, 0, &error);
    if (status != CHORALE_ERROR_FILE_TRUNCATED)
      fail_msg("%zu bytes: %s, \"%s\"", size, chorale_status_name(status), error.message);
    drop_saved(&cut);
  }
  /* The file with one additional byte. */
  Saved more = {NULL, saved.size + 1};
  more.bytes = calloc(1, more.size);
  memcpy(more.bytes, saved.bytes, saved.size);
  chorale_problem *none = NULL;
  FAILS(chorale_problem_read(NULL, more.bytes, more.size, 0, &none, &error),
        CHORALE_ERROR_FILE_SECTION, "by its header it has");
  assert_null(none);
  free(more.bytes);
  drop_saved(&saved);
  chorale_problem_destroy(p);
}

/* Random numbers written over random places, with corrected checksums. */
static void random_numbers(void **state) {
  (void)state;
  static const int64_t numbers[] = {-1, 0, 1, 2, 3, 64, 255, 1000, INT32_MAX, INT32_MIN, INT64_MAX};
  chorale_error error;
  chorale_problem *p = NULL;
  Counted counted;
  count(&counted);
  OK(build_everything(NULL, &p, &error));
  Saved saved = save(p);
  Saved damaged = copy_saved(&saved);
  Random random = {test_seed() + 52};
  int64_t accepted = 0;
  for (int64_t round = 0; round < test_rounds(3000); ++round) {
    memcpy(damaged.bytes, saved.bytes, saved.size);
    for (int32_t k = random_int(&random, 1, 3); k > 0; --k) {
      const size_t width = random_chance(&random, 70) ? 4 : 8;
      const size_t place =
          (size_t)random_int(&random, 1, (int32_t)(saved.size / width) - 1) * width;
      const int64_t number = numbers[random_int(&random, 0, (int32_t)COUNT_OF(numbers) - 1)];
      put_number(damaged.bytes + place, (uint64_t)number, width);
    }
    repair(&damaged);
    accepted += try_saved(&counted, &damaged, 1, &error) == CHORALE_OK;
  }
  print_message("%lld of them are problems\n", (long long)accepted);
  drop_saved(&damaged);
  drop_saved(&saved);
  chorale_problem_destroy(p);
}

/* ---- Rule by rule ------------------------------------------------------------------------- */

enum { HEADER = 0, TABLE = 100 }; /* otherwise the number of a section */

typedef struct Breach {
  const char *name;
  int32_t where;
  uint64_t offset;
  uint64_t width, number;
  chorale_status status;
  const char *message;
} Breach;

static uint64_t place_of(const Saved *saved, const Breach *breach) {
  if (breach->where == HEADER)
    return breach->offset;
  if (breach->where == TABLE)
    return 64 + breach->offset;
  return find_section(saved, (uint32_t)breach->where, NULL) + breach->offset;
}

static uint64_t bits_of(double number) {
  uint64_t bits = 0;
  memcpy(&bits, &number, sizeof bits);
  return bits;
}

static void each_rule_has_its_answer(void **state) {
  (void)state;
  enum { ENTRY = 32 };
  const Breach breaches[] = {
      {"magic", HEADER, 0, 1, 0x88, CHORALE_ERROR_FILE_FORMAT, "first bytes"},
      {"line ends", HEADER, 5, 1, '\n', CHORALE_ERROR_FILE_FORMAT, "first bytes"},
      {"other order", HEADER, 8, 4, 0x04030201, CHORALE_ERROR_FILE_BYTE_ORDER, "other byte order"},
      {"no order", HEADER, 8, 4, 7, CHORALE_ERROR_FILE_FORMAT, "byte order mark"},
      {"version", HEADER, 12, 4, 2, CHORALE_ERROR_FILE_VERSION, "version 2; this library reads"},
      {"too long", HEADER, 16, 8, 1 << 20, CHORALE_ERROR_FILE_TRUNCATED, "needs 1048576"},
      {"too short", HEADER, 16, 8, 640, CHORALE_ERROR_FILE_SECTION, "by its header it has 640"},
      {"sections", HEADER, 24, 4, 99, CHORALE_ERROR_FILE_SECTION, "99 sections"},
      {"one missing", HEADER, 24, 4, 13, CHORALE_ERROR_FILE_SECTION, ""},
      {"reserved", HEADER, 28, 4, 1, CHORALE_ERROR_FILE_SECTION, "reserved"},
      {"zeros", HEADER, 40, 8, 1, CHORALE_ERROR_FILE_SECTION, "reserved"},
      {"unknown section", TABLE, 0, 4, 99, CHORALE_ERROR_FILE_SECTION, "section 99 is unknown"},
      {"twice", TABLE, ENTRY, 4, 1, CHORALE_ERROR_FILE_SECTION, "TRANSITIONS is there twice"},
      {"order", TABLE, ENTRY, 4, 3, CHORALE_ERROR_FILE_SECTION, "DICTIONARIES is there twice"},
      {"disorder", TABLE, ENTRY, 4, 4, CHORALE_ERROR_FILE_SECTION, "DICTIONARIES is out of order"},
      {"reserved", TABLE, 4, 4, 1, CHORALE_ERROR_FILE_SECTION, "reserved"},
      {"overlap", TABLE, ENTRY + 8, 8, 512, CHORALE_ERROR_FILE_SECTION, "begins at 512"},
      {"beyond", TABLE, 16, 8, UINT64_MAX, CHORALE_ERROR_FILE_SECTION, "exceeds the file"},
      {"no labels", 1, 8, 4, 0, CHORALE_ERROR_FILE_SECTION, "transitions 0: 0 labels"},
      {"many records", 1, 0, 8, UINT64_MAX, CHORALE_ERROR_FILE_SECTION, "TRANSITIONS tells of"},
      {"few records", 1, 0, 8, 1, CHORALE_ERROR_FILE_SECTION, "bytes more than"},
      {"NaN", 1, 24, 8, bits_of(NAN), CHORALE_ERROR_NOT_A_NUMBER,
       "section TRANSITIONS, transitions 0: scores, from 0 to 0"},
      {"kind", 2, 8, 4, 9, CHORALE_ERROR_FILE_SECTION, "property 0: kind 9"},
      {"states", 2, 24, 4, 1 << 30, CHORALE_ERROR_FILE_SECTION, "property 0: the section is too"},
      {"state", 2, 8 + 40 * 6, 4, 77, CHORALE_ERROR_OUT_OF_RANGE, "PROPERTIES, property 0"},
      {"values twice", 3, 20, 4, 0, CHORALE_ERROR_FILE_SECTION, "values 0 and 1 do not ascend"},
      {"potential", 4, 8, 4, 0, CHORALE_ERROR_FILE_SECTION, "potential 0: kind 0"},
      {"lambda", 4, 8 + 24, 8, bits_of(INFINITY), CHORALE_ERROR_INFINITE,
       "POTENTIALS, potential 0"},
      {"scale", 4, 8 + 8, 4, 44, CHORALE_ERROR_UNKNOWN_CONSTANT, "options->scale"},
      {"flags", 5, 8 + 8, 4, 1 << 20, CHORALE_ERROR_FILE_SECTION, "chain 0: 3 positions"},
      {"transitions", 5, 8 + 12, 4, 5, CHORALE_ERROR_FILE_SECTION, "chain 0: transitions 5"},
      {"offset", 5, 8 + 32 + 24, 8, 8, CHORALE_ERROR_FILE_SECTION, "chain 1: its scores are said"},
      {"length", 5, 8, 4, 1 << 30, CHORALE_ERROR_FILE_SECTION, "chain 0: section SCORES is too"},
      {"score", 6, 8 * 3, 8, bits_of(NAN), CHORALE_ERROR_NOT_A_NUMBER,
       "section CHAINS, chain 0: chain->unary[1][1] is NaN"},
      {"token", 6, 8 * 6 + 4, 4, (uint32_t)-9, CHORALE_ERROR_OUT_OF_RANGE, "tokens[1] is -9"},
      {"clique", 7, 8 + 12, 4, 40, CHORALE_ERROR_FILE_SECTION, "clique 0: potential 40"},
      {"two kinds", 7, 8 + 24, 4, 2, CHORALE_ERROR_FILE_SECTION, "contradict each other"},
      {"range", 7, 8 + 16, 4, 5, CHORALE_ERROR_FILE_SECTION, "its property has 4"},
      {"members", 7, 8 + 32, 4, 1 << 20, CHORALE_ERROR_FILE_SECTION, "members; the cliques have"},
      {"fewer members", 7, 8 + 32, 4, 2, CHORALE_ERROR_FILE_SECTION, "members; the cliques have"},
      {"twice", 8, 8 + 8, 4, 0, CHORALE_ERROR_DUPLICATE_MEMBER, "MEMBERS, member 1: chain 0"},
      {"chain", 8, 8, 4, 6, CHORALE_ERROR_FILE_SECTION, "member 0: chain 6"},
      {"position", 8, 8 + 4, 4, 0, CHORALE_ERROR_FILE_SECTION, "over a property"},
      {"attachment", 9, 8, 4, 9, CHORALE_ERROR_FILE_SECTION, "record 0: flags 9"},
      {"labels", 10, 8, 4, 2, CHORALE_ERROR_SHAPE, "TEXTS, record 0: count is"},
      {"no list", 10, 8, 4, 50, CHORALE_ERROR_UNKNOWN_CONSTANT, "TEXTS, record 0: list is 50"},
      {"list", 10, 8 + 24, 4, 0, CHORALE_ERROR_FILE_SECTION, "out of order"},
      {"texts", 10, 8 + 3 * 24 + 8, 8, 4000, CHORALE_ERROR_FILE_SECTION, "record 0: text"},
      {"text", 10, 8 + 3 * 24 + 4 * 8, 1, 0xC3, CHORALE_ERROR_TEXT, "record 0: text 0 is not UTF-8"},
      {"gold", 11, 0, 4, 2, CHORALE_ERROR_OUT_OF_RANGE, "section GOLD: gold[0]"},
      {"kinds", 12, 4, 4, (uint32_t)-5, CHORALE_ERROR_OUT_OF_RANGE, "CLIQUE_KINDS: kinds[1]"},
      {"values", 13, 4, 4, 3, CHORALE_ERROR_OUT_OF_RANGE, "CLIQUE_VALUES: values[1]"},
      {"note", 14, 8, 8, 0, CHORALE_ERROR_SIZE, "NOTES, note 0"},
      {"notes", 14, 8, 8, UINT64_MAX, CHORALE_ERROR_FILE_SECTION, "note 0: the section is too"},
  };
  chorale_error error;
  chorale_problem *p = NULL;
  Counted counted;
  count(&counted);
  OK(build_everything(NULL, &p, &error));
  Saved saved = save(p);
  /* The library's checksum equals the independent one. */
  Saved repaired = copy_saved(&saved);
  repair(&repaired);
  assert_true(same_saved(&saved, &repaired));
  drop_saved(&repaired);
  int failures = 0;
  for (size_t k = 0; k < COUNT_OF(breaches); ++k) {
    const Breach *breach = &breaches[k];
    Saved damaged = copy_saved(&saved);
    put_number(damaged.bytes + place_of(&saved, breach), breach->number, (size_t)breach->width);
    if (breach->status != CHORALE_ERROR_FILE_CHECKSUM)
      repair(&damaged);
    const chorale_status status = try_saved(&counted, &damaged, 1, &error);
    if (status != breach->status || !strstr(error.message, breach->message)) {
      ++failures;
      print_error("%s (%d + %d): %s, \"%s\"; expected %s, \"%s\"\n", breach->name, breach->where,
                  (int)breach->offset, chorale_status_name(status), error.message,
                  chorale_status_name(breach->status), breach->message);
    }
    drop_saved(&damaged);
  }
  /* Messages name the part whose checksum is wrong. */
  const struct {
    uint64_t place;
    const char *message;
  } sums[] = {{16, "header"},
              {64 + 24, "table"},
              {find_section(&saved, 6, NULL), "section SCORES"},
              {find_section(&saved, 14, NULL) + 1, "section NOTES"}};
  for (size_t k = 0; k < COUNT_OF(sums); ++k) {
    Saved damaged = copy_saved(&saved);
    damaged.bytes[sums[k].place] ^= 4;
    FAILS(try_saved(&counted, &damaged, 1, &error), CHORALE_ERROR_FILE_CHECKSUM, sums[k].message);
    drop_saved(&damaged);
  }
  drop_saved(&saved);
  chorale_problem_destroy(p);
  assert_int_equal(failures, 0);
}

/* Weights of a file are checked as those of a builder. */
static void weights_have_their_rules(void **state) {
  (void)state;
  enum { WEIGHTS = 15 };
  static const double unary[3][2] = {{1, 0}, {0, 1}, {1, 0}};
  static const int32_t keys[3] = {0, 0, 0};
  static const int64_t weights[3] = {2, 1, 3};
  static const Breach breaches[] = {
      {"zero", WEIGHTS, 4, 4, 0, CHORALE_ERROR_OUT_OF_RANGE, "section WEIGHTS, clique 0"},
      {"negative", WEIGHTS, 0, 4, (uint32_t)-7, CHORALE_ERROR_OUT_OF_RANGE, "weights[0] is -7"},
      {"least", WEIGHTS, 8, 4, (uint32_t)INT32_MIN, CHORALE_ERROR_OUT_OF_RANGE, "weights[2]"},
      {"overflow", WEIGHTS, 4, 4, INT32_MAX, CHORALE_ERROR_SIZE_OVERFLOW, "2147483647"},
      {"all are 1", WEIGHTS, 4, 8, 1 | (uint64_t)1 << 32, CHORALE_ERROR_FILE_SECTION,
       "no weight but 1"}};
  chorale_error error;
  chorale_corpus corpus;
  chorale_agreement agreement;
  chorale_problem *p = NULL;
  Counted counted;
  count(&counted);
  corpus = (chorale_corpus){.struct_size = sizeof corpus};
  corpus.chains = 3;
  corpus.labels = 2;
  corpus.unary = unary[0];
  agreement = (chorale_agreement){.struct_size = sizeof agreement};
  agreement.kind = CHORALE_AGREE_KEYS;
  agreement.keys = keys;
  agreement.weights = weights;
  OK(chorale_problem_create_agreeing(NULL, &corpus, &agreement, 1, NULL, &p, &error));
  Saved saved = save(p);
  for (size_t k = 0; k < COUNT_OF(breaches); ++k) {
    const Breach *breach = &breaches[k];
    Saved damaged = copy_saved(&saved);
    put_number(damaged.bytes + place_of(&saved, breach), breach->number, (size_t)breach->width);
    if (breach->status == CHORALE_ERROR_FILE_SECTION)
      put_number(damaged.bytes + find_section(&saved, WEIGHTS, NULL), 1, 4);
    repair(&damaged);
    FAILS(try_saved(&counted, &damaged, 1, &error), breach->status, breach->message);
    drop_saved(&damaged);
  }
  drop_saved(&saved);
  chorale_problem_destroy(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bad_names),          cmocka_unit_test(bad_bytes),
      cmocka_unit_test(bad_questions),      cmocka_unit_test(each_rule_has_its_answer),
      cmocka_unit_test(every_byte_flipped), cmocka_unit_test(every_length_cut),
      cmocka_unit_test(random_numbers),     cmocka_unit_test(weights_have_their_rules),
  };
  print_message("CHORALE_TEST_SEED=%llu\n", (unsigned long long)test_seed());
  return cmocka_run_group_tests_name("problem_input", tests, NULL, NULL);
}
