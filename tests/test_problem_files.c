/* The problem files of tests/problems, which every binding reads too, and the results of runs on
 * them, compared bit for bit. Written again, the files have the same bytes on every machine.
 *
 * test_problem_files [FOLDER]        compares the results with expected.tsv
 * test_problem_files --make FOLDER   writes the files and expected.tsv
 * test_problem_files --tell          prints the results of random models without files, to compare
 * machines */
#include "fixture_saved.h"
#include "fixture_held.h"

enum { FILES = 13, MADE = 12, TOLD = 100, MOST_LINE = 4096 };

static const char *folder = PROBLEM_FILES;

static void path_of(const char *name, char *path) {
  snprintf(path, MOST_LINE, "%s/%s", folder, name);
}

/* ---- What comes out ----------------------------------------------------------------------- */

/* Called for one line of the table: file, name of the result, number, content. */
typedef void (*Line)(const char *file, const char *what, int64_t number, const char *content);

static void tell_number(Line line, const char *file, const char *what, int64_t number,
                        double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  char text[20];
  snprintf(text, sizeof text, "%016llx", (unsigned long long)bits);
  line(file, what, number, text);
}

static void tell_list(Line line, const char *file, const char *what, int64_t number,
                      const int32_t *list, int64_t count) {
  char text[MOST_LINE] = "";
  for (int64_t i = 0; i < count; ++i)
    snprintf(text + strlen(text), sizeof text - strlen(text), i ? " %d" : "%d", (int)list[i]);
  line(file, what, number, text);
}

/* Writes the results of a run with a bound of eight steps and default options otherwise. */
static void tell_run(Line line, const char *file, const chorale_model *model) {
  chorale_error error;
  chorale_run_options options = {.struct_size = sizeof options};
  options.bound_steps = 8;
  chorale_run *run = NULL;
  if (chorale_run_create(NULL, model, &options, NULL, &run, &error))
    fail_msg("%s: %s", file, error.message);
  chorale_run_result result = {.struct_size = sizeof result};
  if (chorale_run_solve(run, &result, &error))
    fail_msg("%s: %s", file, error.message);
  const int32_t outcome = result.outcome;
  tell_list(line, file, "outcome", 0, &outcome, 1);
  tell_number(line, file, "score", 0, result.score);
  tell_number(line, file, "own_score", 0, result.own_score);
  tell_number(line, file, "upper_bound", 0, result.upper_bound);
  enum { MOST_SCORES = 64 };
  ToldChain chains[MOST_SCORES];
  double of_cliques[MOST_SCORES];
  assert_in_range(chorale_model_chain_count(model), 0, MOST_SCORES);
  assert_in_range(chorale_model_clique_count(model), 0, MOST_SCORES);
  assert_null(told_scores(run, chorale_model_chain_count(model), chains,
                          chorale_model_clique_count(model), of_cliques));
  for (int64_t i = 0; i < chorale_model_chain_count(model); ++i) {
    int32_t labels[MOST_POSITIONS];
    for (int32_t own = 0; own < 2; ++own) {
      assert_int_equal(chorale_run_labels(run, i, own, labels, MOST_POSITIONS, NULL, &error), 0);
      tell_list(line, file, own ? "own_labels" : "labels", i, labels,
                chain_length_of(model, i));
    }
    tell_number(line, file, "chain_score", i, chains[i].score);
  }
  for (int64_t p = 0; p < chorale_model_clique_count(model); ++p) {
    int32_t values[MOST_TOGETHER];
    assert_int_equal(chorale_run_values(run, p, CHORALE_TOGETHER, values, MOST_TOGETHER, NULL,
                                        &error), 0);
    tell_list(line, file, "values", p, values, member_count_of(model, p));
    tell_number(line, file, "clique_score", p, of_cliques[p]);
  }
  chorale_run_destroy(run);
}

/* ---- Making the models -------------------------------------------------------------------- */

/* True if a model uses no logarithms. The files date from when logarithms were computed by the C
 * library, whose last bit may differ between machines. */
static int has_no_logarithm(const Cluster *cluster) {
  for (int32_t p = 0; p < cluster->clique_count; ++p) {
    const Group *group = &cluster->cliques[p];
    for (int32_t c = 0; c < (group->centre_values ? group->centre_values : 1); ++c) {
      const Problem *potential = &group->potentials[c];
      if (potential->kind == KIND_ENTROPY || potential->scale == CHORALE_SCALE_BY_LOG_MEMBERS)
        return 0;
    }
  }
  return 1;
}

/* True if the run changes some chain, so that the model is worth keeping. */
static int is_lively(const chorale_model *model) {
  chorale_error error;
  chorale_run *run = NULL;
  chorale_run_result result = {.struct_size = sizeof result};
  const int lively = chorale_run_create(NULL, model, NULL, NULL, &run, &error) == CHORALE_OK &&
                     chorale_run_solve(run, &result, &error) == CHORALE_OK &&
                     result.changed_chains > 0 && result.own_score > -INFINITY;
  chorale_run_destroy(run);
  return lively;
}

/* Calls `take` for each of `count` models, with its number. The models are the same on every
 * machine. */
typedef void (*Take)(int number, const Cluster *cluster, const chorale_problem *problem);

static void make_models(int count, int for_files, Take take) {
  static Cluster cluster;
  static Built built;
  Random random = {20261120};
  for (int k = 0; k < count;) {
    random_cluster(&random, &cluster);
    if (for_files && !has_no_logarithm(&cluster))
      continue;
    build(&cluster, NULL, &built);
    chorale_error error;
    chorale_problem *problem = NULL;
    assert_int_equal(chorale_problem_create(NULL, built.model, &problem, &error), 0);
    name_at_random(&random, problem);
    if (is_lively(built.model) && can_be_saved(&cluster))
      take(k++, &cluster, problem);
    chorale_problem_destroy(problem);
    close_built(&cluster, &built);
  }
}

/* ---- The test ----------------------------------------------------------------------------- */

static FILE *table;
static int64_t lines;

static void compare_line(const char *file, const char *what, int64_t number, const char *content) {
  char expected[MOST_LINE], found[MOST_LINE];
  assert_non_null(fgets(expected, sizeof expected, table));
  snprintf(found, sizeof found, "%s\t%s\t%lld\t%s\n", file, what, (long long)number, content);
  assert_string_equal(found, expected);
  ++lines;
}

/* Checks that writing the problem gives the bytes of the file. */
static void write_again(const char *path, const chorale_problem *problem) {
  Saved saved = save(problem);
  expect_file(path, &saved);
  drop_saved(&saved);
}

static void files_give_what_they_gave(void **state) {
  (void)state;
  char path[MOST_LINE];
  path_of("expected.tsv", path);
  table = fopen(path, "r");
  assert_non_null(table);
  char line[MOST_LINE];
  assert_non_null(fgets(line, sizeof line, table));
  assert_string_equal(line, "file\twhat\tnumber\tcontent\n");
  for (int k = 0; k < FILES; ++k) {
    char name[32];
    snprintf(name, sizeof name, "model-%02d.chorale", k);
    path_of(name, path);
    chorale_problem *problem = NULL;
    chorale_error error;
    if (chorale_problem_load(NULL, path, &problem, &error))
      fail_msg("%s: %s", name, error.message);
    tell_run(compare_line, name, chorale_problem_model(problem));
    write_again(path, problem);
    chorale_problem_destroy(problem);
  }
  assert_null(fgets(line, sizeof line, table));
  fclose(table);
  print_message("%lld lines\n", (long long)lines);
  assert_true(lines > 100);
}

/* ---- Making the files --------------------------------------------------------------------- */

static void write_line(const char *file, const char *what, int64_t number, const char *content) {
  fprintf(table, "%s\t%s\t%lld\t%s\n", file, what, (long long)number, content);
}

static void write_file(int number, const Cluster *cluster, const chorale_problem *problem) {
  chorale_error error;
  char name[32], path[MOST_LINE];
  snprintf(name, sizeof name, "model-%02d.chorale", number);
  path_of(name, path);
  if (chorale_problem_save(problem, path, &error))
    fail_msg("%s: %s", path, error.message);
  tell_run(write_line, name, chorale_problem_model(problem));
  print_message("%s: %d chains, %d cliques\n", name, (int)cluster->chain_count,
                (int)cluster->clique_count);
}

static void make_files(void **state) {
  (void)state;
  char path[MOST_LINE];
  path_of("expected.tsv", path);
  table = fopen(path, "w");
  assert_non_null(table);
  fprintf(table, "file\twhat\tnumber\tcontent\n");
  make_models(MADE, 1, write_file);
  assert_int_equal(fclose(table), 0);
}

/* ---- Telling ------------------------------------------------------------------------------ */

static void print_line(const char *file, const char *what, int64_t number, const char *content) {
  printf("%s\t%s\t%lld\t%s\n", file, what, (long long)number, content);
}

static void tell_made(int number, const Cluster *cluster, const chorale_problem *problem) {
  (void)cluster;
  char name[32];
  snprintf(name, sizeof name, "made-%03d", number);
  tell_run(print_line, name, chorale_problem_model(problem));
}

static void tell_models(void **state) {
  (void)state;
  make_models(TOLD, 0, tell_made);
}

int main(int count, char **arguments) {
  const struct CMUnitTest makes[] = {cmocka_unit_test(make_files)};
  const struct CMUnitTest tells[] = {cmocka_unit_test(tell_models)};
  const struct CMUnitTest tests[] = {cmocka_unit_test(files_give_what_they_gave)};
  if (count == 3 && strcmp(arguments[1], "--make") == 0) {
    folder = arguments[2];
    return cmocka_run_group_tests_name("problem files, made", makes, NULL, NULL);
  }
  if (count == 2 && strcmp(arguments[1], "--tell") == 0)
    return cmocka_run_group_tests_name("models, told", tells, NULL, NULL);
  if (count == 2)
    folder = arguments[1];
  return cmocka_run_group_tests_name("problem files", tests, NULL, NULL);
}
