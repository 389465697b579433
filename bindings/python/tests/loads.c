/* Usage: loads LIBRARY FOLDER
 *
 * Loads the library of a wheel by its path, runs the problem files of FOLDER (such as
 * tests/problems), and compares the results, bit for bit, with the table FOLDER/expected.tsv. For
 * platforms for which the testing machine has no Python. Needs only a C compiler and the headers of
 * the project. */
#define CHORALE_STATIC
#include <chorale/experimental.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(_WIN32)
#include <windows.h>
static void *open_library(const char *path) { return (void *)LoadLibraryA(path); }
static void *find(void *library, const char *name) {
  return (void *)GetProcAddress((HMODULE)library, name);
}
static const char *loading_error(void) { return "LoadLibrary failed"; }
#else
#include <dlfcn.h>
static void *open_library(const char *path) { return dlopen(path, RTLD_NOW | RTLD_LOCAL); }
static void *find(void *library, const char *name) { return dlsym(library, name); }
static const char *loading_error(void) { return dlerror(); }
#endif

#define FUNCTIONS(X)                                                                               \
  X(version) X(problem_load) X(problem_model) X(problem_destroy) X(run_create) X(run_solve)        \
  X(run_destroy) X(run_labels) X(run_values) X(model_score)

#define DECLARE(name) static __typeof__(chorale_##name) *name;
FUNCTIONS(DECLARE)

enum { LINE = 1 << 16, MOST = 1 << 12 };

static void fail(const char *where, const char *why) {
  fprintf(stderr, "%s: %s\n", where, why);
  exit(1);
}

static void load(const char *path) {
  void *library = open_library(path);
  if (!library)
    fail(path, loading_error());
#define FIND(name)                                                                                 \
  *(void **)&name = find(library, "chorale_" #name);                                               \
  if (!name)                                                                                       \
    fail(path, "has no chorale_" #name);
  FUNCTIONS(FIND)
}

static void write_bits(char *text, double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  sprintf(text, "%016" PRIx64, bits);
}

static void write_list(char *text, const int32_t *list, int64_t count) {
  *text = 0;
  for (int64_t i = 0; i < count; ++i)
    text += sprintf(text, i ? " %" PRId32 : "%" PRId32, list[i]);
}

static chorale_problem *problem;
static chorale_run *run;
static chorale_run_result result;

/* Loads a problem file and runs it, with eight bound steps, as for the table. Stores the problem,
 * the run and its result in the variables above. */
static void run_file(const char *path) {
  chorale_error error;
  chorale_run_options options = {.struct_size = sizeof options};
  run_destroy(run);
  problem_destroy(problem);
  run = NULL;
  problem = NULL;
  options.bound_steps = 8;
  options.threads = 2;
  result = (chorale_run_result){.struct_size = sizeof result};
  if (problem_load(NULL, path, &problem, &error) ||
      run_create(NULL, problem_model(problem), &options, NULL, &run, &error) ||
      run_solve(run, &result, &error))
    fail(path, error.message);
}

/* Writes to `text` what the content (the last field) of a line of the table should be, by the
 * present run. what, number: the second and the third field of the line. */
static void tell(const char *what, int64_t number, char *text) {
  const chorale_model *model = problem_model(problem);
  chorale_error error = {0};
  int32_t list[MOST];
  chorale_status status = 0;
  if (strcmp(what, "outcome") == 0) {
    sprintf(text, "%d", (int)result.outcome);
  } else if (strcmp(what, "score") == 0) {
    write_bits(text, result.score);
  } else if (strcmp(what, "own_score") == 0) {
    write_bits(text, result.own_score);
  } else if (strcmp(what, "upper_bound") == 0) {
    write_bits(text, result.upper_bound);
  } else if (strcmp(what, "chain_score") == 0 || strcmp(what, "clique_score") == 0) {
    static double chains[MOST], cliques[MOST];
    int64_t positions = 0;
    status = run_labels(run, CHORALE_ALL_CHAINS, CHORALE_TOGETHER, list, MOST, &positions, &error);
    if (status == CHORALE_OK)
      status = model_score(NULL, model, list, positions, NULL, chains, cliques, &error);
    write_bits(text, what[1] == 'h' ? chains[number] : cliques[number]);
  } else if (strcmp(what, "values") == 0) {
    int64_t members = 0;
    status = run_values(run, number, CHORALE_TOGETHER, list, MOST, &members, &error);
    write_list(text, list, members);
  } else if (strcmp(what, "labels") == 0 || strcmp(what, "own_labels") == 0) {
    const chorale_labelling which = *what == 'o' ? CHORALE_ALONE : CHORALE_TOGETHER;
    int64_t positions = 0;
    status = run_labels(run, number, which, list, MOST, &positions, &error);
    write_list(text, list, positions);
  } else {
    fail(what, "is in the table and not known here");
  }
  if (status)
    fail(what, error.message);
}

int main(int count, char **arguments) {
  static char line[LINE], found[LINE], path[LINE];
  if (count != 3)
    fail(arguments[0], "LIBRARY FOLDER");
  load(arguments[1]);
  snprintf(path, sizeof path, "%s/expected.tsv", arguments[2]);
  FILE *table = fopen(path, "r");
  if (!table || !fgets(line, sizeof line, table))
    fail(path, "cannot be read");
  char last[256] = "";
  int64_t lines = 0;
  for (; fgets(line, sizeof line, table); ++lines) {
    char file[256], what[32];
    int64_t number;
    int content = 0;
    line[strcspn(line, "\r\n")] = 0;
    if (sscanf(line, "%255[^\t]\t%31[^\t]\t%" SCNd64 "\t%n", file, what, &number, &content) != 3 ||
        content == 0)
      fail(line, "is no line of the table");
    if (strcmp(file, last) != 0) {
      snprintf(path, sizeof path, "%s/%s", arguments[2], file);
      run_file(path);
      strcpy(last, file);
    }
    tell(what, number, found);
    if (strcmp(found, line + content) != 0)
      fail(line, found);
  }
  if (lines < 100)
    fail(path, "has too few lines");
  printf("%s: %" PRId64 " lines of results are the same\n", version(), lines);
  return 0;
}
