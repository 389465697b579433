/* The command: every subcommand prints the results of the C interface, every error is one line that
 * names argument, value and rule, and nothing else is printed. */
#define _POSIX_C_SOURCE 200809L

#include "fixture.h"
#include "fixture_held.h"

#include <inttypes.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FILES = 12 };

static char folder[] = "/tmp/test_commandXXXXXX";
static char small_path[200]; /* of the small problem below */

/* ---- Running it --------------------------------------------------------------------------- */

typedef struct Said {
  int status; /* exit code */
  char *out, *err;
} Said;

static char *contents(const char *path) {
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  fseek(file, 0, SEEK_END);
  const long size = ftell(file);
  rewind(file);
  char *text = calloc((size_t)size + 1, 1);
  assert_non_null(text);
  assert_int_equal(fread(text, 1, (size_t)size, file), size);
  fclose(file);
  return text;
}

/* Runs the command with arguments in the syntax of a shell. */
static Said say(const char *format, ...) {
  char arguments[1500], line[2500], out[100], err[100];
  va_list list;
  va_start(list, format);
  vsnprintf(arguments, sizeof arguments, format, list);
  va_end(list);
  snprintf(out, sizeof out, "%s/out", folder);
  snprintf(err, sizeof err, "%s/err", folder);
  snprintf(line, sizeof line, "'%s' %s >%s 2>%s </dev/null", COMMAND, arguments, out, err);
  const int status = system(line);
  assert_true(WIFEXITED(status));
  return (Said){WEXITSTATUS(status), contents(out), contents(err)};
}

static void forget(Said *said) {
  free(said->out);
  free(said->err);
}

/* Checks that the command succeeded and wrote nothing to stderr. */
static void expect_done(const Said *said) {
  assert_string_equal(said->err, "");
  assert_int_equal(said->status, 0);
}

static const char *model_path(int i) {
  static char path[500];
  snprintf(path, sizeof path, "%s/model-%02d.chorale", PROBLEM_FILES, i);
  return path;
}

/* ---- JSON --------------------------------------------------------------------------------- */

/* Returns the text after a JSON value; NULL if there is no valid value. */
static const char *behind_value(const char *at);

static const char *behind_string(const char *at) {
  if (*at++ != '"')
    return NULL;
  for (; *at != '"'; ++at) {
    if ((unsigned char)*at < 0x20)
      return NULL;
    if (*at == '\\' && strchr("\"\\/bfnrtu", *++at) == NULL)
      return NULL;
  }
  return at + 1;
}

static const char *behind_list(const char *at, char end) {
  at += 1 + strspn(at + 1, " \n");
  if (*at == end)
    return at + 1;
  for (;;) {
    at += strspn(at, " \n");
    if (end == '}') {
      at = behind_string(at);
      if (at == NULL || *at++ != ':')
        return NULL;
    }
    at = behind_value(at);
    if (at == NULL)
      return NULL;
    at += strspn(at, " \n");
    if (*at == end)
      return at + 1;
    if (*at++ != ',')
      return NULL;
  }
}

static const char *behind_value(const char *at) {
  at += strspn(at, " \n");
  if (*at == '{' || *at == '[')
    return behind_list(at, *at == '{' ? '}' : ']');
  if (*at == '"')
    return behind_string(at);
  static const char *const names[] = {"null", "true", "false"};
  for (size_t i = 0; i < COUNT_OF(names); ++i)
    if (strncmp(at, names[i], strlen(names[i])) == 0)
      return at + strlen(names[i]);
  const size_t digits = strspn(at, "-+.e0123456789");
  return digits > 0 ? at + digits : NULL;
}

static void expect_json(const char *text) {
  const char *end = behind_value(text);
  if (end == NULL || strcmp(end, "\n") != 0)
    fail_msg("not a line of JSON: %s", text);
}

static const char *member(const char *text, const char *key) {
  char quoted[100];
  snprintf(quoted, sizeof quoted, "\"%s\":", key);
  const char *found = strstr(text, quoted);
  if (found == NULL)
    fail_msg("no \"%s\" in %s", key, text);
  return found + strlen(quoted);
}
static void expect_whole(const char *text, const char *key, int64_t expected) {
  assert_int_equal(strtoll(member(text, key), NULL, 10), expected);
}
/* Checks that a number is equal to the bit. */
static void expect_real(const char *text, const char *key, double expected) {
  if (!isfinite(expected))
    assert_memory_equal(member(text, key), "null", 4);
  else
    assert_true(plain_number(member(text, key)) == expected);
}

/* ---- A small problem ---------------------------------------------------------------------- */

/* Three chains of two words: all share the second word, the first two share the first. Some names
 * must not reach a terminal unchanged, and one label has no name. The last chain is in a second
 * group. */
enum { CHAINS = 3, WORDS = 2, LABELS = 3 };
static const double scores[CHAINS][WORDS][LABELS] = {{{2.0, 0.1, 0.2}, {0.1, 2.2, 0.4}},
                                                     {{1.8, 0.3, 0.1}, {0.2, 1.9, 0.5}},
                                                     {{0.9, 0.2, 0.7}, {0.1, 1.0, 1.3}}};
static const char *const words[CHAINS * WORDS] = {"in",   "Washington", "ne\tar",
                                                  "Wash", "says\033[2J", "W\302\233"};
static const char *const labels[LABELS] = {"Other", "Pl\nace", ""};
static const int32_t gold[CHAINS * WORDS] = {0, 1, 0, 1, 0, 1};

/* One byte, then characters of two bytes: a cut at 60 bytes would split a character. */
#define FORTY_BYTES "ääääääääääääääääääää"
#define LONG_LINE                                                                                  \
  "a" FORTY_BYTES FORTY_BYTES FORTY_BYTES FORTY_BYTES FORTY_BYTES FORTY_BYTES FORTY_BYTES          \
      FORTY_BYTES FORTY_BYTES FORTY_BYTES

typedef enum Small { PLAIN, INFEASIBLE, FORBIDDEN, WEIGHTED, TRAINED } Small;

static void save_small(const char *path, Small form) {
  chorale_error error;
  chorale_model_builder *builder = NULL;
  chorale_model *model = NULL;
  chorale_potential *potts = NULL;
  chorale_problem *problem = NULL;
  chorale_clique_setup setup;
  chorale_text texts[CHAINS * WORDS], names[2] = {{"second word", 11}, {"first word", 10}};
  const int32_t kinds[] = {0, 1};
  OK(chorale_model_builder_create(NULL, &builder, &error));
  for (int i = 0; i < CHAINS; ++i) {
    static const double never[LABELS] = {-INFINITY, -INFINITY, -INFINITY};
    double unary[WORDS][LABELS];
    chorale_chain chain;
    chorale_chain_options options;
    chain = (chorale_chain){.struct_size = sizeof chain};
    options = (chorale_chain_options){.struct_size = sizeof options};
    memcpy(unary, scores[i], sizeof unary);
    if (form == INFEASIBLE && i == 1)
      memcpy(unary[0], never, sizeof never);
    chain.length = WORDS;
    chain.labels = LABELS;
    chain.unary = unary[0];
    options.group = i == 2;
    OK(chorale_model_builder_add_chain(builder, &chain, &options, NULL, &error));
  }
  double forbidden[CHAINS * WORDS + 1];
  for (size_t k = 0; k < COUNT_OF(forbidden); ++k)
    forbidden[k] = -INFINITY;
  if (form == FORBIDDEN)
    OK(chorale_potential_create_sum(NULL, LABELS, forbidden, 1, COUNT_OF(forbidden),
                                    CHORALE_SCALE_NONE, NULL, &potts, &error));
  else
    OK(chorale_potential_create_potts(NULL, LABELS, 0.5, NULL, &potts, &error));
  setup = (chorale_clique_setup){.struct_size = sizeof setup};
  setup.potential = potts;
  setup.values = LABELS;
  for (int k = 0; k < 2; ++k) {
    int64_t clique = 0;
    OK(chorale_model_builder_add_cliques(builder, &setup, 1, &clique, &error));
    static const int64_t chains[CHAINS] = {0, 1, 2}, weights[CHAINS] = {7, 1, 4};
    const int64_t positions[CHAINS] = {1 - k, 1 - k, 1 - k};
    OK(put_members(builder, clique, CHAINS - k, chains, positions,
                   form == WEIGHTED && k == 0 ? weights : NULL, &error));
  }
  OK(chorale_model_builder_freeze(builder, &model, &error));
  OK(chorale_problem_create(NULL, model, &problem, &error));
  for (int i = 0; i < CHAINS * WORDS; ++i)
    texts[i] = (chorale_text){words[i], strlen(words[i])};
  OK(chorale_problem_set_texts(problem, CHORALE_TEXTS_WORDS, texts, sizeof *texts, CHAINS * WORDS,
                               &error));
  for (int i = 0; i < LABELS; ++i)
    texts[i] = (chorale_text){labels[i], strlen(labels[i])};
  OK(chorale_problem_set_texts(problem, CHORALE_TEXTS_LABELS, texts, sizeof *texts, LABELS,
                               &error));
  OK(chorale_problem_set_texts(problem, CHORALE_TEXTS_KINDS, names, sizeof *names, 2, &error));
  OK(chorale_problem_set_cliques(problem, kinds, NULL, &error));
  if (form == TRAINED)
    OK(chorale_problem_set_note(problem, "training_groups", 15, "1", 1, &error));
  else
    OK(chorale_problem_set_gold(problem, gold, &error));
  char note[] = "a\\b\nc\n" LONG_LINE;
  OK(chorale_problem_set_note(problem, "ti\"tle", 6, note, sizeof note - 1, &error));
  OK(chorale_problem_save(problem, path, &error));
  chorale_problem_destroy(problem);
  chorale_model_release(model);
  chorale_potential_release(potts);
  chorale_model_builder_destroy(builder);
}

static int open_folder(void **state) {
  (void)state;
  assert_non_null(mkdtemp(folder));
  snprintf(small_path, sizeof small_path, "%s/small.chorale", folder);
  save_small(small_path, PLAIN);
  return 0;
}

static int close_folder(void **state) {
  char line[200];
  (void)state;
  snprintf(line, sizeof line, "rm -r '%s'", folder);
  return system(line);
}

/* ---- What a run says ---------------------------------------------------------------------- */

typedef struct Answer {
  chorale_problem *problem;
  chorale_model *model;
  chorale_run *run;
  chorale_run_result result;
} Answer;

static Answer answer_of(const char *path, double strength, const chorale_run_options *options) {
  Answer made;
  chorale_error error;
  memset(&made, 0, sizeof made);
  OK(chorale_problem_load(NULL, path, &made.problem, &error));
  made.model = chorale_model_retain(chorale_problem_model(made.problem));
  chorale_run_options with_edits = {.struct_size = sizeof with_edits};
  if (options)
    with_edits = *options;
  with_edits.edits = strength != 1;
  made.result = (chorale_run_result){.struct_size = sizeof made.result};
  OK(chorale_run_create(NULL, made.model, &with_edits, NULL, &made.run, &error));
  for (int64_t c = 0; strength != 1 && c < chorale_model_clique_count(made.model); ++c)
    OK(chorale_run_set_strength(made.run, c, strength, &error));
  OK(chorale_run_solve(made.run, &made.result, &error));
  return made;
}

static void close_answer(Answer *solved) {
  chorale_run_destroy(solved->run);
  chorale_model_release(solved->model);
  chorale_problem_destroy(solved->problem);
}

static char *json_of(const Answer *solved) {
  chorale_error error;
  size_t needed = 0;
  OK(chorale_run_json(solved->run, NULL, 0, &needed, &error));
  char *text = malloc(needed + 1);
  assert_non_null(text);
  OK(chorale_run_json(solved->run, text, needed, NULL, &error));
  return strcat(text, "\n");
}

/* ---- Tests -------------------------------------------------------------------------------- */

static void labels_as_json_are_those_of_the_library(void **state) {
  static const struct {
    double strength;
    int64_t rounds, beam, bound;
    const char *arguments;
  } cases[] = {
      {1.0, 10, 0, 0, ""},
      {0.25, 0, 0, 4, "--strength=0.25 --rounds 0 --bound 4 --threads 2 --seconds 1000"},
      {4.0, 2, 1, 0, "--strength 4 --rounds=2 --beam 1"},
  };
  (void)state;
  for (int i = 0; i < FILES; ++i)
    for (size_t k = 0; k < COUNT_OF(cases); ++k) {
      chorale_run_options options = {.struct_size = sizeof options};
      options.rounds = cases[k].rounds == 0 ? CHORALE_NO_ROUNDS : cases[k].rounds;
      options.bound_steps = cases[k].bound;
      if (cases[k].beam > 0) {
        options.joint_mode = CHORALE_JOINT_BEAM;
        options.beam_width = cases[k].beam;
      }
      Answer solved = answer_of(model_path(i), cases[k].strength, &options);
      char *expected = json_of(&solved);
      Said said = say("label %s --json %s", cases[k].arguments, model_path(i));
      expect_done(&said);
      expect_json(said.out);
      assert_string_equal(said.out, expected);
      free(expected);
      forget(&said);
      close_answer(&solved);
    }
}

/* Writes a label as the command prints it: its name without control characters, or its number.
 * Returns the length. */
static size_t printed_label(const chorale_problem *problem, int32_t label, char to[100]) {
  const chorale_text name = text_in(problem, CHORALE_TEXTS_LABELS, label);
  size_t size = 0;
  if (name.length == 0)
    return (size_t)snprintf(to, 100, "%d", (int)label);
  assert_true(name.length < 100);
  for (size_t i = 0; i < name.length; ++i) {
    const unsigned char byte = (unsigned char)name.bytes[i];
    const int is_c1 = byte == 0xc2 && (unsigned char)name.bytes[i + 1] < 0xa0;
    to[size++] = byte < 0x20 || byte == 0x7f || is_c1 ? '?' : name.bytes[i];
    i += (size_t)is_c1;
  }
  return size;
}

/* One line is printed for each position. */
static void labels_as_lines_are_those_of_the_library(void **state) {
  int64_t different = 0, positions = 0;
  (void)state;
  for (int i = 0; i < FILES; ++i) {
    chorale_error error;
    Answer solved = answer_of(model_path(i), 1.0, NULL);
    Said said = say("label -- %s", model_path(i));
    expect_done(&said);
    const char *at = said.out;
    for (int64_t c = 0; c < chorale_model_chain_count(solved.model); ++c) {
      int32_t together[100], own[100];
      const int64_t length = chain_length_of(solved.model, c);
      OK(chorale_run_labels(solved.run, c, CHORALE_TOGETHER, together, 100, NULL, &error));
      OK(chorale_run_labels(solved.run, c, CHORALE_ALONE, own, 100, NULL, &error));
      for (int64_t t = 0; t < length; ++t) {
        const int32_t both[] = {together[t], own[t]};
        at += strcspn(at, "\t\n");
        for (int k = 0; k < 2; ++k) {
          char expected[100];
          const size_t size = printed_label(solved.problem, both[k], expected);
          assert_int_equal(*at++, '\t');
          assert_memory_equal(at, expected, size);
          at += size;
        }
        assert_int_equal(*at++, '\n');
        different += together[t] != own[t];
        ++positions;
      }
      assert_int_equal(*at++, '\n');
    }
    assert_int_equal(*at, '\0');
    forget(&said);
    close_answer(&solved);
  }
  assert_true(different > 0 && different < positions);
}

/* Saves a problem to learn from: mentions in groups of three; the tagger is slightly wrong on the
 * last of each. */
static chorale_problem *save_lesson(const char *path) {
  enum { MENTIONS = 90 };
  static double unary[MENTIONS][2];
  static int32_t mention_gold[MENTIONS], keys[MENTIONS];
  static int64_t groups[MENTIONS];
  for (int i = 0; i < MENTIONS; ++i) {
    mention_gold[i] = i / 3 % 2;
    unary[i][0] = 0;
    unary[i][1] = (mention_gold[i] == 1) == (i % 3 < 2) ? 1 : -1;
    unary[i][1] *= i % 3 < 2 ? 1.25 : 0.25;
    keys[i] = i / 3;
    groups[i] = i / 3;
  }
  chorale_corpus corpus = {.struct_size = sizeof corpus};
  corpus.chains = MENTIONS;
  corpus.labels = 2;
  corpus.unary = unary;
  corpus.groups = groups;
  chorale_agreement agreement = {.struct_size = sizeof agreement};
  agreement.kind = CHORALE_AGREE_KEYS;
  agreement.keys = keys;
  chorale_problem *problem = NULL;
  chorale_error error;
  OK(chorale_problem_create_agreeing(NULL, &corpus, &agreement, 1, mention_gold, &problem, &error));
  OK(chorale_problem_save(problem, path, &error));
  return problem;
}

static char *text_in_form(const chorale_learnt *learnt, chorale_text_form form, const char *end) {
  chorale_error error;
  size_t needed = 0;
  OK(chorale_learnt_text(learnt, form, NULL, 0, &needed, &error));
  char *text = malloc(needed + strlen(end));
  assert_non_null(text);
  OK(chorale_learnt_text(learnt, form, text, needed, NULL, &error));
  return strcat(text, end);
}

static void what_is_learnt_is_that_of_the_library_and_is_applied(void **state) {
  (void)state;
  char path[300], learnt_path[300];
  snprintf(path, sizeof path, "%s/lesson", folder);
  snprintf(learnt_path, sizeof learnt_path, "%s/learnt.json", folder);
  chorale_problem *problem = save_lesson(path);
  const chorale_problem *problems[] = {problem};
  chorale_learnt *learnt = NULL;
  chorale_error error;
  chorale_learn_options options = {.struct_size = sizeof options};
  options.without_gold = 1;
  OK(chorale_learn(NULL, problems, 1, &options, &learnt, &error));
  char *guessed = text_in_form(learnt, CHORALE_TEXT_JSON, "\n");
  chorale_learnt_destroy(learnt);
  OK(chorale_learn(NULL, problems, 1, NULL, &learnt, &error));
  char *json = text_in_form(learnt, CHORALE_TEXT_JSON, "\n");
  char *lines = text_in_form(learnt, CHORALE_TEXT_LINES, "");
  assert_non_null(strstr(lines, "Agreement is applied: held-out groups gain by it."));

  Said said = say("learn --threads 2 --output %s %s", learnt_path, path);
  expect_done(&said);
  assert_string_equal(said.out, lines);
  char *written = contents(learnt_path);
  assert_string_equal(written, json);
  forget(&said);
  said = say("learn --auto --json %s", path);
  expect_done(&said);
  assert_string_equal(said.out, guessed);
  expect_json(said.out);
  forget(&said);
  said = say("learn --seconds 0 --progress %s", path);
  assert_int_equal(said.status, 0);
  assert_non_null(strstr(said.out, "Nothing is applied"));
  forget(&said);
  said = say("learn --progress %s", path);
  assert_memory_equal(said.err, "  run 1 of at most ", 19);
  forget(&said);

  Answer expected;
  memset(&expected, 0, sizeof expected);
  OK(chorale_learnt_apply(NULL, learnt, problem, &expected.model, &error));
  OK(chorale_run_create(NULL, expected.model, NULL, NULL, &expected.run, &error));
  OK(chorale_run_solve(expected.run, NULL, &error));
  char *answer = json_of(&expected);
  said = say("label --json --learnt %s %s", learnt_path, path);
  expect_done(&said);
  assert_string_equal(said.out, answer);
  forget(&said);
  said = say("report --json --learnt %s %s", learnt_path, path);
  expect_done(&said);
  expect_whole(said.out, "own_errors", 30);
  expect_whole(said.out, "errors", 0);
  forget(&said);
  /* A result learnt from other kinds of cliques is refused. */
  said = say("label --learnt %s %s", learnt_path, small_path);
  assert_int_equal(said.status, 2);
  assert_non_null(strstr(said.err, ": CHORALE_ERROR_"));
  assert_string_equal(said.out, "");
  forget(&said);
  free(answer);
  free(written);
  free(json);
  free(guessed);
  free(lines);
  close_answer(&expected);
  chorale_learnt_destroy(learnt);
  chorale_problem_destroy(problem);
}

static void names_are_printed_without_control_characters(void **state) {
  (void)state;
  Said said = say("label %s", small_path);
  expect_done(&said);
  assert_string_equal(said.out, "in\tOther\tOther\nWashington\tPl?ace\tPl?ace\n\n"
                                "ne?ar\tOther\tOther\nWash\tPl?ace\tPl?ace\n\n"
                                "says?[2J\tOther\tOther\nW?\tPl?ace\t2\n\n");
  forget(&said);
  said = say("label --properties none-such,\\ Second\\ WORD --strength 0 %s", small_path);
  assert_int_equal(said.status, 2);
  forget(&said);
  static const char *const without[] = {"--properties ' Second WORD ,' --strength 0",
                                        "--properties 'first word'", "--properties ,"};
  for (size_t i = 0; i < COUNT_OF(without); ++i) {
    said = say("label %s %s", without[i], small_path);
    expect_done(&said);
    assert_non_null(strstr(said.out, "W?\t2\t2\n"));
    forget(&said);
  }
}

/* Returns the JSON data of the report NAME.html of the folder. */
static char *data_of(const char *name) {
  char path[200];
  snprintf(path, sizeof path, "%s/%s.html", folder, name);
  char *html = contents(path);
  const char *begin = strstr(html, "id=\"data\">\n");
  assert_non_null(begin);
  begin += strlen("id=\"data\">\n");
  const char *end = strstr(begin, "</script>");
  assert_non_null(end);
  char *data = calloc((size_t)(end - begin) + 2, 1);
  assert_non_null(data);
  memcpy(data, begin, (size_t)(end - begin));
  free(html);
  return strcat(data, "\n");
}

static void a_report_has_the_figures_of_the_library(void **state) {
  (void)state;
  chorale_run_options options = {.struct_size = sizeof options};
  options.bound_steps = 20;
  Answer solved = answer_of(small_path, 1.0, &options);
  Said said = say("report --bound 20 --json %s", small_path);
  expect_done(&said);
  expect_json(said.out);
  assert_true(solved.result.proven == (strncmp(member(said.out, "proven"), "true", 4) == 0));
  expect_real(said.out, "score", solved.result.score);
  expect_real(said.out, "own_score", solved.result.own_score);
  expect_real(said.out, "upper_bound", solved.result.upper_bound);
  expect_real(said.out, "gap", solved.result.gap);
  expect_whole(said.out, "changed_chains", 1);
  expect_whole(said.out, "changed", 1);
  expect_whole(said.out, "groups", 2);
  expect_whole(said.out, "known", 6);
  expect_whole(said.out, "own_errors", 1);
  expect_whole(said.out, "errors", 0);
  expect_whole(said.out, "better", 1);
  expect_whole(said.out, "equal", 1);
  expect_real(said.out, "f1", 1.0);
  expect_real(said.out, "own_f1", 2.0 * 2 / (3 + 3)); /* without Other: gold 3, said 3, right 2 */
  forget(&said);
  close_answer(&solved);

  solved = answer_of(small_path, 1.0, NULL);
  said = say("report --output %s/report.html %s", folder, small_path);
  expect_done(&said);
  static const char joint[] = "\nJoint score    ";
  const char *at = strstr(said.out, joint);
  assert_non_null(at);
  assert_true(fabs(plain_number(at + strlen(joint)) - solved.result.own_score) < 1e-4);
  at = strstr(at, " -> ");
  assert_non_null(at);
  assert_true(fabs(plain_number(at + 4) - solved.result.score) < 1e-4);
  assert_non_null(strstr(said.out, "\nToken errors   1 -> 0 of 6, 100.0 % fewer\n"));
  forget(&said);
  close_answer(&solved);
  char path[200];
  snprintf(path, sizeof path, "%s/report.html", folder);
  char *html = contents(path);
  assert_memory_equal(html, "<!DOCTYPE html>", 15);
  free(html);

  /* The data of the report holds the result as the library writes it. */
  solved = answer_of(small_path, 1.0, NULL);
  char *data = data_of("report"), *expected = json_of(&solved);
  expect_json(data);
  assert_memory_equal(member(data, "run"), expected, strlen(expected) - 1);
  free(expected);
  free(data);
  close_answer(&solved);
}

/* Everything of a file that a report shows is text, whatever it is made of: neither of the data nor
 * of what is read without scripts can a name end the element that it is in. */
static void names_in_a_report_are_only_text(void **state) {
  static const char hostile[] = "</script></noscript><img src=x onerror=fail()><!-- <script> & "
                                "\342\200\250\033\001\r\n\t\"\\\302\233";
  (void)state;
  char path[200];
  chorale_error error;
  chorale_problem *problem = NULL;
  chorale_text texts[CHAINS * WORDS];
  for (int i = 0; i < CHAINS * WORDS; ++i)
    texts[i] = (chorale_text){hostile, sizeof hostile - 1};
  OK(chorale_problem_load(NULL, small_path, &problem, &error));
  static const struct {
    chorale_text_list list;
    int64_t count;
  } lists[] = {{CHORALE_TEXTS_LABELS, LABELS},  {CHORALE_TEXTS_WORDS, CHAINS * WORDS},
               {CHORALE_TEXTS_SPACES, CHAINS * WORDS}, {CHORALE_TEXTS_CHAINS, CHAINS},
               {CHORALE_TEXTS_GROUPS, 2},       {CHORALE_TEXTS_KINDS, 2}};
  for (size_t k = 0; k < COUNT_OF(lists); ++k)
    OK(chorale_problem_set_texts(problem, lists[k].list, texts, sizeof *texts, lists[k].count,
                                 &error));
  static const char *const notes[] = {"title", "control", hostile};
  for (size_t k = 0; k < COUNT_OF(notes); ++k)
    OK(chorale_problem_set_note(problem, notes[k], strlen(notes[k]), hostile, sizeof hostile - 1,
                                &error));
  snprintf(path, sizeof path, "%s/hostile.chorale", folder);
  OK(chorale_problem_save(problem, path, &error));
  chorale_problem_destroy(problem);
  Said said = say("report --output %s/hostile.html %s", folder, path);
  expect_done(&said);
  forget(&said);
  char *data = data_of("hostile");
  expect_json(data);
  assert_null(strchr(data, '<'));
  free(data);
  snprintf(path, sizeof path, "%s/hostile.html", folder);
  char *html = contents(path);
  assert_null(strstr(html, "<img"));
  assert_null(strstr(html, "<!--"));
  int ends = 0;
  for (const char *at = html; (at = strstr(at, "</noscript")) != NULL; ++at)
    ++ends;
  assert_int_equal(ends, 1);
  assert_non_null(strstr(html, "&lt;/script&gt;&lt;/noscript&gt;&lt;img src=x onerror=fail()&gt;"));
  free(html);
}

/* Without scripts the labels are there as text, and what was changed; also where a chain has none. */
static void a_report_can_be_read_without_scripts(void **state) {
  static const char *const records[] = {"<li>ne ar [Other] Wash [Pl ace]</li>",
                                        "<li>ne ar [left out, gold: Other] Wash [left out, gold: Pl ace]</li>"};
  (void)state;
  for (int i = 0; i < 2; ++i) {
    char path[200];
    snprintf(path, sizeof path, "%s/plain.chorale", folder);
    save_small(path, i == 0 ? PLAIN : INFEASIBLE);
    Said said = say("report --output %s/plain.html %s", folder, path);
    assert_int_equal(said.status, 0);
    forget(&said);
    snprintf(path, sizeof path, "%s/plain.html", folder);
    char *html = contents(path);
    char *end = strstr(html, "</noscript>"), *begin = strstr(html, "<noscript>");
    assert_true(begin != NULL && begin < end);
    *end = '\0';
    assert_non_null(strstr(begin, "<h2>Group 0</h2>"));
    assert_non_null(strstr(begin, "<li>in [Other] Washington [Pl ace]</li>"));
    assert_non_null(strstr(begin, records[i]));
    assert_non_null(strstr(begin, " \342\206\222 Pl ace]</li>"));
    free(html);
  }
}

/* The only chain that changes is on a training page. */
static void a_report_without_gold_leaves_out_training_pages(void **state) {
  (void)state;
  char path[200];
  snprintf(path, sizeof path, "%s/trained.chorale", folder);
  save_small(path, TRAINED);
  Said said = say("report --output %s/trained.html %s", folder, path);
  expect_done(&said);
  forget(&said);
  char *data = data_of("trained");
  expect_json(data);
  assert_non_null(strstr(data, "\"gold\":[]"));
  assert_non_null(strstr(data, "\"training\":true,\"chains\":[2]}"));
  assert_memory_equal(member(data, "records"), "[\n{\"chain\":0,", 13);
  free(data);
}

/* Chains of two labels, which agree at their second positions, beside one of three labels. */
static void save_mixed(const char *path) {
  static const double sure[2][2] = {{0, 1}, {4, 0}}, doubtful[2][2] = {{1, 0}, {0, 0.5}};
  static const double alone[3] = {0, 0, 1};
  chorale_error error;
  chorale_model_builder *builder = NULL;
  chorale_model *model = NULL;
  chorale_potential *potts = NULL;
  chorale_problem *problem = NULL;
  chorale_clique_setup setup;
  OK(chorale_model_builder_create(NULL, &builder, &error));
  for (int i = 0; i < 3; ++i) {
    chorale_chain chain = {.struct_size = sizeof chain};
    chain.length = i < 2 ? 2 : 1;
    chain.labels = i < 2 ? 2 : 3;
    chain.unary = i == 0 ? sure[0] : i == 1 ? doubtful[0] : alone;
    OK(chorale_model_builder_add_chain(builder, &chain, NULL, NULL, &error));
  }
  OK(chorale_potential_create_potts(NULL, 2, 0.5, NULL, &potts, &error));
  setup = (chorale_clique_setup){.struct_size = sizeof setup};
  setup.potential = potts;
  setup.values = 2;
  OK(chorale_model_builder_add_cliques(builder, &setup, 1, NULL, &error));
  for (int i = 0; i < 2; ++i)
    OK(put_position(builder, 0, i, 1, &error));
  OK(chorale_model_builder_freeze(builder, &model, &error));
  OK(chorale_problem_create(NULL, model, &problem, &error));
  OK(chorale_problem_save(problem, path, &error));
  chorale_problem_destroy(problem);
  chorale_model_release(model);
  chorale_potential_release(potts);
  chorale_model_builder_destroy(builder);
}

static void a_report_says_how_sure_labels_are_among_chains_of_more_labels(void **state) {
  (void)state;
  char path[200];
  double probabilities[2][2];
  chorale_error error;
  snprintf(path, sizeof path, "%s/mixed.chorale", folder);
  save_mixed(path);
  Answer solved = answer_of(path, 1.0, NULL);
  OK(chorale_run_probabilities(solved.run, 1, 1.0, probabilities[0], 0, NULL, &error));
  close_answer(&solved);
  Said said = say("report --output %s/mixed.html %s", folder, path);
  expect_done(&said);
  forget(&said);
  char *data = data_of("mixed");
  expect_json(data);
  const char *sure = member(data, "sure");
  assert_memory_equal(sure, "{\"1\":", 5);
  assert_true(fabs(plain_number(sure + 5) - probabilities[1][0]) < 1e-4);
  free(data);
}

static void files_are_described_as_the_library_does(void **state) {
  (void)state;
  for (int i = 0; i < FILES; ++i) {
    chorale_error error;
    chorale_run_cost cost;
    Answer solved = answer_of(model_path(i), 1.0, NULL);
    Said said = say("info --json %s", model_path(i));
    expect_done(&said);
    expect_json(said.out);
    const chorale_model *model = chorale_problem_model(solved.problem);
    expect_whole(said.out, "chains", chorale_model_chain_count(model));
    expect_whole(said.out, "cliques", chorale_model_clique_count(model));
    expect_whole(said.out, "members", all_member_count(model));
    int64_t positions = 0, longest = 0;
    for (int64_t c = 0; c < chorale_model_chain_count(model); ++c) {
      const int64_t length = chain_length_of(model, c);
      positions += length;
      longest = length > longest ? length : longest;
    }
    expect_whole(said.out, "positions", positions);
    expect_whole(said.out, "longest", longest);
    cost = (chorale_run_cost){.struct_size = sizeof cost};
    OK(chorale_run_estimate(model, NULL, &cost, &error));
    expect_whole(said.out, "score_bytes", (int64_t)cost.score_bytes);
    expect_whole(said.out, "run_bytes", (int64_t)cost.run_bytes);
    expect_whole(member(said.out, "texts"), "tokens",
                 chorale_problem_text_count(solved.problem, CHORALE_TEXTS_TOKENS));
    /* The numbers of cliques of all kinds add up to the number of cliques. */
    int64_t cliques = 0, members = 0;
    const char *end = strstr(said.out, "\"texts\":");
    for (const char *at = strstr(said.out, "\"kinds\":[");
         (at = strstr(at, "\"cliques\":")) != NULL && at < end; ++at) {
      cliques += strtoll(member(at, "cliques"), NULL, 10);
      members += strtoll(member(at, "members"), NULL, 10);
    }
    assert_int_equal(cliques, chorale_model_clique_count(model));
    assert_int_equal(members, all_member_count(model));
    forget(&said);
    close_answer(&solved);
  }
  Said said = say("info %s", small_path);
  expect_done(&said);
  assert_non_null(strstr(said.out, "\nChains         3 in 2 groups\n"));
  assert_non_null(strstr(said.out, "\nLabels         3: Other, Pl?ace, Label 2\n"));
  assert_non_null(strstr(said.out, "\nGold labels    6\n"));
  assert_non_null(strstr(said.out, "  second word                         1         3  position "
                                   "        3  sum\n"));
  assert_non_null(strstr(said.out, "\nNotes          ti\"tle: a\\b\n                 c\n"
                                   "                 a" FORTY_BYTES
                                   "äääääääää ... (401 bytes)\n"));
  forget(&said);
  said = say("info --json %s", small_path);
  expect_json(said.out);
  assert_non_null(strstr(said.out, "{\"name\":\"ti\\\"tle\",\"text\":\"a\\\\b\\u000ac\\u000aa"));
  assert_non_null(strstr(said.out, "\"label_names\":[\"Other\",\"Pl\\u000aace\",\"\"]"));
  expect_whole(said.out, "weight", CHAINS);
  forget(&said);
  char path[200];
  snprintf(path, sizeof path, "%s/weighted.chorale", folder);
  save_small(path, WEIGHTED);
  said = say("info %s", path);
  expect_done(&said);
  assert_non_null(strstr(said.out, "  second word                         1         3  position "
                                   "        3  sum, by weight: 12 in all\n"));
  assert_non_null(strstr(said.out, "  first word                          1         2  position "
                                   "        3  sum\n"));
  forget(&said);
  said = say("info --json %s", path);
  expect_json(said.out);
  expect_whole(said.out, "weight", 12);
  forget(&said);
}

static void files_are_checked(void **state) {
  (void)state;
  char damaged[300], expected[2000];
  char *bytes = contents(small_path);
  FILE *file = fopen(small_path, "rb");
  fseek(file, 0, SEEK_END);
  const long size = ftell(file);
  fclose(file);
  snprintf(damaged, sizeof damaged, "%s/damaged", folder);
  file = fopen(damaged, "wb");
  bytes[size - 1] ^= 1;
  assert_int_equal(fwrite(bytes, 1, (size_t)size, file), size);
  fclose(file);
  free(bytes);
  chorale_problem *problem = NULL;
  chorale_error error;
  const chorale_status status = chorale_problem_load(NULL, damaged, &problem, &error);
  assert_int_not_equal(status, CHORALE_OK);

  Said said = say("check %s %s", small_path, model_path(0));
  expect_done(&said);
  snprintf(expected, sizeof expected, "%s: ok\n%s: ok\n", small_path, model_path(0));
  assert_string_equal(said.out, expected);
  forget(&said);

  said = say("check %s %s %s/none", damaged, small_path, folder);
  assert_int_equal(said.status, 1);
  assert_string_equal(said.err, "");
  snprintf(expected, sizeof expected,
           "%s: %s: %s\n%s: ok\n%s/none: CHORALE_ERROR_INPUT_OUTPUT: path \"%s/none\" could not be "
           "opened: no such file or directory (error 2 of the system)\n",
           damaged, chorale_status_name(status), error.message, small_path, folder, folder);
  assert_string_equal(said.out, expected);
  forget(&said);

  said = say("check --json %s %s '\xff\"'", damaged, small_path);
  assert_int_equal(said.status, 1);
  expect_json(said.out);
  snprintf(expected, sizeof expected, "\"file\":\"%s\",\"status\":\"%s\",\"message\":", damaged,
           chorale_status_name(status));
  assert_non_null(strstr(said.out, expected));
  assert_non_null(strstr(said.out, "\"status\":\"ok\",\"message\":\"\"}"));
  assert_non_null(strstr(said.out, "\"file\":\"\xef\xbf\xbd\\\"\""));
  forget(&said);

  /* The other subcommands refuse the file with the same message. */
  static const char *const others[] = {"label", "report", "info"};
  for (size_t i = 0; i < COUNT_OF(others); ++i) {
    said = say("%s %s", others[i], damaged);
    assert_int_equal(said.status, 2);
    assert_string_equal(said.out, "");
    snprintf(expected, sizeof expected, "chorale: FILE is \"%s\": %s: %s\n", damaged,
             chorale_status_name(status), error.message);
    assert_string_equal(said.err, expected);
    forget(&said);
  }
}

static void mistakes_name_argument_value_and_rule(void **state) {
  (void)state;
  static const struct {
    const char *arguments; /* @: the small problem; %: the folder */
    const char *says;      /* beginning of the line */
  } mistakes[] = {
      {"", "COMMAND is missing; it must be label, report, learn, info or check"},
      {"lable @", "COMMAND is \"lable\"; it must be label, report, learn, info or check\n"},
      {"--json @", "COMMAND is \"--json\"; it must be"},
      {"'a\033[2Jb'", "COMMAND is \"a?[2Jb\"; it must be"},
      {"label", "FILE is missing; \"chorale label\" needs"},
      {"check --json", "FILE is missing; \"chorale check\" needs"},
      {"label @ %", "FILE is \"@\", and again \"%\"; there must be one\n"},
      {"report @ @", "FILE is \"@\", and again \"@\"; there must be one\n"},
      {"info @ @", "FILE is \"@\", and again \"@\"; there must be one\n"},
      {"label %/none", "FILE is \"%/none\": CHORALE_ERROR_INPUT_OUTPUT: "},
      {"label %", "FILE is \"%\": CHORALE_ERROR_INPUT_OUTPUT: "},
      {"info /dev/null", "FILE is \"/dev/null\": CHORALE_ERROR_"},
      {"info ''", "FILE is \"\": CHORALE_ERROR_INPUT_OUTPUT: "},
      {"label -- --json", "FILE is \"--json\": CHORALE_ERROR_INPUT_OUTPUT: "},
      {"label --strength -1 @", "--strength is \"-1\"; it must be a number that is not negative\n"},
      {"label --strength nan @", "--strength is \"nan\"; it must be a number"},
      {"label --strength=inf @", "--strength is \"inf\"; it must be a number"},
      {"label --strength= @", "--strength is \"\"; it must be a number"},
      {"label --strength 1x @", "--strength is \"1x\"; it must be a number"},
      {"label --seconds -1 @", "--seconds is \"-1\"; it must be a number that is not negative\n"},
      {"label --rounds -1 @", "--rounds is \"-1\"; it must be a whole number from 0 to 1000000\n"},
      {"label --rounds 1.5 @", "--rounds is \"1.5\"; it must be a whole number"},
      {"label --rounds 1000001 @", "--rounds is \"1000001\"; it must be a whole number"},
      {"label --rounds 99999999999999999999 @", "--rounds is \"99999999999999999999\"; it must"},
      {"label --threads 0 @", "--threads is \"0\"; it must be a whole number from 1 to 1000000\n"},
      {"label --strength 1e7 @", "--strength is \"1e+07\": CHORALE_ERROR_OUT_OF_RANGE: factor is "
                                 "1e+07; it must be 0 or from 1e-6 to 1e6"},
      {"report --beam x @", "--beam is \"x\"; it must be a whole number from 0 to 1000000\n"},
      {"report --bound '' @", "--bound is \"\"; it must be a whole number"},
      {"label @ --bound", "--bound is the last argument; a value must follow it\n"},
      {"label --json=1 @", "--json is \"1\"; it takes no value\n"},
      {"label --progress=no @", "--progress is \"no\"; it takes no value\n"},
      {"label --jsonx @", "the option is \"--jsonx\"; \"chorale label --help\" lists"},
      {"label -x @", "the option is \"-x\"; \"chorale label --help\" lists"},
      {"label --output=%/x @", "the option is \"--output\"; \"chorale label --help\" lists"},
      {"info --rounds 1 @", "the option is \"--rounds\"; \"chorale info --help\" lists"},
      {"check --bound 1 @", "the option is \"--bound\"; \"chorale check --help\" lists"},
      {"report --properties 'n\033o\302\233\302\240ne' @",
       "--properties is \"n?o?\302\240ne\"; it must name kinds of cliques of this file, which \"chorale "
       "info\" lists\n"},
      {"report --output %/no/x @",
       "--output is \"%/no/x\"; it must be a file that can be written: "},
      {"report --output % @", "--output is \"%\"; it must be a file that can be written: "},
      {"learn @", "FILE is \"@\": CHORALE_ERROR_ONE_GROUP: all chains with gold labels are of "},
      {"learn @ %/infeasible", "FILE is \"%/infeasible\": CHORALE_ERROR_NO_LABELLING: chain 1 of "
                               "FILE forbids every labelling; it must allow one\n"},
      {"learn", "FILE is missing; \"chorale learn\" needs"},
      {"learn --auto=1 @", "--auto is \"1\"; it takes no value\n"},
      {"learn --threads 0 @", "--threads is \"0\"; it must be a whole number from 1 to 1000000\n"},
      {"learn --strength 1 @", "the option is \"--strength\"; \"chorale learn --help\" lists"},
      {"learn --output @ @", "--output is \"@\"; it must not be FILE itself\n"},
      {"label --learnt %/none @", "--learnt is \"%/none\"; it must be a file that can be read: "},
      {"label --learnt % @", "--learnt is \"%\"; it must be a file that can be read: "},
      {"label --learnt @ @", "--learnt is \"@\": CHORALE_ERROR_TEXT: the file is no learnt result "
                             "from byte 0 on; it must be the JSON of a learnt result"},
      {"report --learnt /dev/null @", "--learnt is \"/dev/null\": CHORALE_ERROR_TEXT: "},
      {"report --output @ @", "--output is \"@\"; it must not be FILE itself\n"},
  };
  char *before = contents(small_path);
  char infeasible[300];
  snprintf(infeasible, sizeof infeasible, "%s/infeasible", folder);
  save_small(infeasible, INFEASIBLE);
  for (size_t i = 0; i < COUNT_OF(mistakes); ++i) {
    char texts[2][1000];
    const char *from[] = {mistakes[i].arguments, mistakes[i].says};
    for (int k = 0; k < 2; ++k) {
      char *to = texts[k];
      for (const char *at = from[k]; *at != '\0'; ++at) {
        const char *path = *at == '@' ? small_path : *at == '%' ? folder : NULL;
        if (path != NULL)
          to += sprintf(to, "%s", path);
        else
          *to++ = *at;
      }
      *to = '\0';
    }
    Said said = say("%s", texts[0]);
    if (said.status != 2 || strncmp(said.err, "chorale: ", 9) != 0 ||
        strncmp(said.err + 9, texts[1], strlen(texts[1])) != 0 || *said.out != '\0' ||
        strchr(said.err, '\n') != said.err + strlen(said.err) - 1)
      fail_msg("chorale %s\nstatus %d\nstdout: %s\nstderr: %s\nexpected: %s", texts[0], said.status,
               said.out, said.err, texts[1]);
    forget(&said);
  }
  char *after = contents(small_path);
  assert_string_equal(before, after);
  free(before);
  free(after);
}

/* The subcommands that label give labels, and warn of something beside them. */
static void assert_labelled_with(const char *path, const char *warning) {
  static const char *const subcommands[] = {"label", "label --json", "report"};
  for (size_t i = 0; i < COUNT_OF(subcommands); ++i) {
    Said said = say("%s %s", subcommands[i], path);
    assert_int_equal(said.status, 0);
    assert_true(strlen(said.out) > 0);
    assert_non_null(strstr(said.err, warning));
    forget(&said);
  }
}

/* One of the chains forbids every labelling: it is named, and the others are labelled. */
static void a_chain_without_labelling_is_named(void **state) {
  (void)state;
  char path[300];
  snprintf(path, sizeof path, "%s/infeasible", folder);
  save_small(path, INFEASIBLE);
  assert_labelled_with(path, " of 3 chains is left out, since every labelling met is forbidden: "
                             "chain 1 by the ");
}

/* A clique forbids every labelling of its chains together: there are labels all the same, and the
 * command says what they are. */
static void labels_that_a_clique_forbids_are_told(void **state) {
  (void)state;
  char path[300];
  snprintf(path, sizeof path, "%s/forbidden", folder);
  save_small(path, FORBIDDEN);
  assert_labelled_with(path, "some clique forbids the labels (score -inf)");
}

static void a_time_limit_of_zero_leaves_labels(void **state) {
  (void)state;
  Said said = say("label --seconds 0 %s", small_path);
  expect_done(&said);
  assert_true(strlen(said.out) > 0);
  forget(&said);
}

static void progress_is_told_when_asked_for(void **state) {
  (void)state;
  Said quiet = say("label %s", small_path), told = say("label --progress --bound 2 %s", small_path);
  expect_done(&quiet);
  assert_int_equal(told.status, 0);
  assert_string_equal(told.out, quiet.out);
  static const char expected[] =
      "Labelling 3 chains in 2 groups together, 2 cliques\n  round 0: score ";
  assert_memory_equal(told.err, expected, sizeof expected - 1);
  assert_non_null(strstr(told.err, "\n  bound "));
  assert_null(strchr(told.err, '\033'));
  forget(&quiet);
  forget(&told);
}

static void output_that_is_lost_is_an_error(void **state) {
  (void)state;
  if (access("/dev/full", W_OK) != 0)
    skip();
  static const char *const subcommands[] = {"label", "label --json", "report", "info", "check",
                                            "check $(yes /dev/null | head -n 9999)"};
  for (size_t i = 0; i < COUNT_OF(subcommands); ++i) {
    char line[1000], err[200];
    snprintf(err, sizeof err, "%s/err", folder);
    snprintf(line, sizeof line, "'%s' %s %s >/dev/full 2>%s", COMMAND, subcommands[i], small_path,
             err);
    const int status = system(line);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 3);
    char *text = contents(err);
    assert_memory_equal(text, "chorale: the standard output could not be written: ", 51);
    free(text);
  }
}

/* Checks that --help names every option, and that the manual page names everything that --help
 * does. */
static void help_and_manual_are_complete(void **state) {
  (void)state;
  Said said = say("--version");
  char expected[100];
  expect_done(&said);
  snprintf(expected, sizeof expected, "chorale %s\n", chorale_version());
  assert_string_equal(said.out, expected);
  forget(&said);

  char *manual = contents(MANUAL);
  static const char *const subcommands[] = {"", "label", "report", "learn", "info", "check"};
  int options = 0;
  for (size_t i = 0; i < COUNT_OF(subcommands); ++i) {
    said = say("%s --help", subcommands[i]);
    expect_done(&said);
    if (i > 0)
      assert_memory_equal(said.out, "Usage: chorale ", 15);
    for (const char *at = said.out; (at = strstr(at, "  --")) != NULL; ++options) {
      char in_roff[100] = "\\-\\-";
      at += 4;
      const size_t length = strspn(at, "abcdefghijklmnopqrstuvwxyz");
      memcpy(in_roff + 4, at, length);
      if (strstr(manual, in_roff) == NULL)
        fail_msg("the manual lacks --%.*s", (int)length, at);
      /* The option is known to the subcommand, so the error must be another one. */
      char mistake[200];
      snprintf(mistake, sizeof mistake, "%s --%.*s", subcommands[i], (int)length, at);
      Said other = say("%s", mistake);
      if (strstr(other.err, "the option is") != NULL)
        fail_msg("chorale %s: %s", mistake, other.err);
      forget(&other);
    }
    forget(&said);
    snprintf(expected, sizeof expected, ".B chorale %s\n", subcommands[i]);
    if (i > 0 && strstr(manual, expected) == NULL)
      fail_msg("the manual lacks the subcommand %s", subcommands[i]);
  }
  assert_int_equal(options, 11 + 13 + 7 + 2 + 2);
  free(manual);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(labels_as_json_are_those_of_the_library),
      cmocka_unit_test(labels_as_lines_are_those_of_the_library),
      cmocka_unit_test(what_is_learnt_is_that_of_the_library_and_is_applied),
      cmocka_unit_test(names_are_printed_without_control_characters),
      cmocka_unit_test(a_report_has_the_figures_of_the_library),
      cmocka_unit_test(names_in_a_report_are_only_text),
      cmocka_unit_test(a_report_can_be_read_without_scripts),
      cmocka_unit_test(a_report_without_gold_leaves_out_training_pages),
      cmocka_unit_test(a_report_says_how_sure_labels_are_among_chains_of_more_labels),
      cmocka_unit_test(files_are_described_as_the_library_does),
      cmocka_unit_test(files_are_checked),
      cmocka_unit_test(mistakes_name_argument_value_and_rule),
      cmocka_unit_test(a_chain_without_labelling_is_named),
      cmocka_unit_test(labels_that_a_clique_forbids_are_told),
      cmocka_unit_test(a_time_limit_of_zero_leaves_labels),
      cmocka_unit_test(progress_is_told_when_asked_for),
      cmocka_unit_test(output_that_is_lost_is_an_error),
      cmocka_unit_test(help_and_manual_are_complete),
  };
  return cmocka_run_group_tests(tests, open_folder, close_folder);
}
