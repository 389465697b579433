/* The library on threads with stacks of 64 KiB, or the least that the machine allows, including its
 * own worker threads: the same results as on the main thread. Prints how much of the stack was
 * used. */
#define _GNU_SOURCE
#include "fixture.h"
#include "fixture_sanitizer.h"

#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SMALL_STACK = 64 << 10, FILES = 12, MOST_TEXT = 1 << 20, CLIQUES = 40, MOST_RESULTS = 4096 };

/* Results of one pass over all inputs; two passes must give equal ones. */
typedef struct Found {
  double numbers[MOST_RESULTS];
  int64_t count;
  char error[1024]; /* why it ended early */
} Found;

static Found expected, found;
static unsigned char *bytes;
static char *text;
static Problem cliques[CLIQUES];
static chorale_potential *potentials[CLIQUES];

static int keep(Found *to, double number) {
  if (to->count < MOST_RESULTS)
    to->numbers[to->count++] = number;
  return to->count < MOST_RESULTS;
}

static int stop(Found *to, const char *what, const chorale_error *error) {
  snprintf(to->error, sizeof to->error, "%.500s: %.300s", what, error->message);
  return 0;
}

/* Processes a file: loads, saves and reads it, runs with three threads, bounds, polishes, starts
 * from an earlier run, and writes JSON. */
static int do_file(Found *to, const char *path, const char *copy) {
  chorale_error error;
  chorale_problem *problem = NULL, *again = NULL;
  chorale_run *run = NULL, *later = NULL;
  chorale_run_options options = {.struct_size = sizeof options};
  options.bound_steps = 8;
  options.threads = 3;
  chorale_run_result result = {.struct_size = sizeof result};
  size_t size = 0, needed = 0;
  int done = chorale_problem_load(NULL, path, &problem, &error) == CHORALE_OK &&
             chorale_problem_save(problem, copy, &error) == CHORALE_OK &&
             chorale_problem_write(problem, bytes, MOST_TEXT, &size, &error) == CHORALE_OK &&
             chorale_problem_read(NULL, bytes, size, 0, &again, &error) == CHORALE_OK &&
             chorale_run_create(NULL, chorale_problem_model(again), &options, NULL, &run, &error) ==
                 CHORALE_OK &&
             chorale_run_solve(run, &result, &error) == CHORALE_OK && keep(to, result.score) &&
             keep(to, result.upper_bound) &&
             chorale_run_local_search(run, &result, &error) == CHORALE_OK &&
             chorale_run_bound(run, 2, &result, &error) == CHORALE_OK &&
             keep(to, result.upper_bound) &&
             chorale_run_create(NULL, chorale_problem_model(again), &options, run, &later,
                                &error) == CHORALE_OK &&
             chorale_run_solve(later, &result, &error) == CHORALE_OK && keep(to, result.score) &&
             chorale_run_json(later, text, MOST_TEXT, &needed, &error) == CHORALE_OK;
  if (!done)
    stop(to, path, &error);
  const int64_t chains = done ? chorale_model_chain_count(chorale_problem_model(again)) : 0;
  chorale_chain_solver *solver = NULL;
  for (int64_t i = 0; done && i < chains; ++i) {
    chorale_chain chain = {.struct_size = sizeof chain};
    chorale_chain_result own = {.struct_size = sizeof own};
    int32_t labelling[256];
    double margins[64];
    int64_t ranked = 0;
    done = (solver || chorale_chain_solver_create(NULL, &solver, &error) == CHORALE_OK) &&
           chorale_model_get_chain(chorale_problem_model(again), i, &chain, NULL, &error) ==
               CHORALE_OK &&
           chorale_chain_solve(solver, &chain, labelling, &own, &error) == CHORALE_OK &&
           keep(to, own.score) &&
           chorale_chain_max_marginals(solver, &chain, NULL, 0, NULL, margins, NULL, NULL,
                                       &error) == CHORALE_OK &&
           (chain.parents || chorale_chain_k_best(solver, &chain, 3, NULL, 0, margins, &ranked,
                                                  &error) == CHORALE_OK);
    if (!done)
      stop(to, path, &error);
  }
  chorale_chain_solver_destroy(solver);
  chorale_run_destroy(later);
  chorale_run_destroy(run);
  chorale_problem_destroy(again);
  chorale_problem_destroy(problem);
  return done;
}

/* Solves a clique by every algorithm that takes the potential, with all max-marginals. */
static int do_clique(Found *to, chorale_clique_solver *solver, int which) {
  static double marginals[MAX_MEMBERS * MAX_VALUES];
  chorale_error error;
  chorale_clique_problem described;
  describe_problem(&cliques[which], &described);
  for (chorale_algorithm algorithm = 0; algorithm < 256; ++algorithm) {
    if (strcmp(chorale_algorithm_name(algorithm), "unknown algorithm") == 0)
      continue;
    chorale_clique_options options = {.struct_size = sizeof options};
    options.algorithm = algorithm;
    int32_t assignment[MAX_MEMBERS];
    chorale_clique_result result = {.struct_size = sizeof result};
    const chorale_status status =
        chorale_clique_solve(solver, potentials[which], &described, &options, assignment, &result,
                             &error);
    /* A refusal is part of the results: the second pass must refuse too. */
    if (!keep(to, status) || (status == CHORALE_OK && !keep(to, result.score)))
      return stop(to, "too many results", &error);
  }
  const chorale_status status = chorale_clique_max_marginals(
      solver, potentials[which], &described, NULL, marginals, MAX_VALUES, NULL, NULL, &error);
  return status == CHORALE_OK ? keep(to, marginals[0]) : stop(to, "max-marginals", &error);
}

/* Decodes a corpus with reasons, scores its labels, and gives probabilities. */
static int do_corpus(Found *to) {
  enum { CHAINS = 40, LENGTH = 5, LABELS = 3 };
  static double scores[CHAINS * LENGTH * LABELS], probabilities[LENGTH * LABELS];
  static int64_t offsets[CHAINS + 1];
  static int32_t tokens[CHAINS * LENGTH], labels[CHAINS * LENGTH];
  static chorale_reason reasons[CHAINS * LENGTH];
  Random random = {test_seed()};
  for (int32_t i = 0; i <= CHAINS; ++i)
    offsets[i] = i * LENGTH;
  for (int32_t k = 0; k < CHAINS * LENGTH * LABELS; ++k)
    scores[k] = random_unit(&random);
  for (int32_t p = 0; p < CHAINS * LENGTH; ++p)
    tokens[p] = random_int(&random, 0, 9);
  chorale_corpus corpus = {.struct_size = sizeof corpus};
  corpus.chains = CHAINS;
  corpus.labels = LABELS;
  corpus.offsets = offsets;
  corpus.unary = scores;
  corpus.tokens = tokens;
  chorale_agreement words = {.struct_size = sizeof words};
  chorale_run_options options = {.struct_size = sizeof options};
  options.bound_steps = 3;
  options.threads = 256;
  chorale_error error;
  chorale_decoded *decoded = NULL;
  double score = 0;
  int64_t count = 0;
  const int done =
      chorale_decode(NULL, &corpus, &words, 1, &options, &decoded, &error) == CHORALE_OK &&
      chorale_decoded_labels(decoded, CHORALE_TOGETHER, labels, CHAINS * LENGTH, NULL, &error) ==
          CHORALE_OK &&
      chorale_decoded_reasons(decoded, reasons, sizeof reasons[0], CHAINS * LENGTH, &count,
                              &error) == CHORALE_OK &&
      keep(to, (double)count) &&
      chorale_model_score(NULL, chorale_decoded_model(decoded), labels, CHAINS * LENGTH, &score,
                          NULL, NULL, &error) == CHORALE_OK &&
      keep(to, score) &&
      chorale_run_probabilities(chorale_decoded_run(decoded), 0, 1, probabilities, 0, NULL,
                                &error) == CHORALE_OK &&
      keep(to, probabilities[0]);
  chorale_decoded_destroy(decoded);
  return done ? done : stop(to, "a corpus", &error);
}

static void do_all(Found *to) {
  char path[512], copy[64];
  snprintf(copy, sizeof copy, "/tmp/chorale-small-stack-%ld.chorale", (long)getpid());
  chorale_clique_solver *solver = NULL;
  chorale_error error;
  int done = chorale_clique_solver_create(NULL, &solver, &error) == CHORALE_OK;
  for (int k = 0; done && k < FILES; ++k) {
    snprintf(path, sizeof path, "%s/model-%02d.chorale", PROBLEM_FILES, k);
    done = do_file(to, path, copy);
  }
  for (int k = 0; done && k < CLIQUES; ++k)
    done = do_clique(to, solver, k);
  if (done)
    do_corpus(to);
  chorale_clique_solver_destroy(solver);
  unlink(copy);
}

static void *on_small_stack(void *unused) {
  do_all(&found);
  return unused;
}

static void a_small_stack_is_enough(void **state) {
  (void)state;
  if (HAS_SANITIZER) /* sanitizers take stack for themselves */
    skip();
  Random random = {test_seed()};
  bytes = aligned_alloc(64, MOST_TEXT);
  text = malloc(MOST_TEXT);
  assert_non_null(bytes);
  assert_non_null(text);
  chorale_error error;
  for (int k = 0; k < CLIQUES; ++k) {
    random_problem(&random, (Kind)(k % KIND_COUNT), &cliques[k]);
    assert_int_equal(make_potential(&cliques[k], NULL, &potentials[k], &error), CHORALE_OK);
  }
  do_all(&expected);
  if (expected.error[0])
    fail_msg("on the main thread: %s", expected.error);

  const long least = sysconf(_SC_THREAD_STACK_MIN);
  const size_t stack = least > SMALL_STACK ? (size_t)least : SMALL_STACK;
  /* An inaccessible page lies below the stack. */
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  unsigned char *place = mmap(NULL, page + stack, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  assert_true(place != MAP_FAILED);
  assert_int_equal(mprotect(place, page, PROT_NONE), 0);
  memset(place + page, 0xA5, stack);
  pthread_attr_t attributes;
  pthread_t thread;
  assert_int_equal(pthread_attr_init(&attributes), 0);
#if defined(__GLIBC__)
  /* Threads of runs get the default stack size of the process. */
  assert_int_equal(pthread_attr_setstacksize(&attributes, stack), 0);
  assert_int_equal(pthread_setattr_default_np(&attributes), 0);
#endif
  assert_int_equal(pthread_attr_setstack(&attributes, place + page, stack), 0);
  assert_int_equal(pthread_create(&thread, &attributes, on_small_stack, NULL), 0);
  assert_int_equal(pthread_join(thread, NULL), 0);
  size_t untouched = 0;
  while (untouched < stack && place[page + untouched] == 0xA5)
    ++untouched;
  print_message("%zu of %zu bytes of stack were used\n", stack - untouched, stack);
  if (found.error[0])
    fail_msg("on a small stack: %s", found.error);
  assert_true(found.count > 100);
  assert_int_equal(found.count, expected.count);
  assert_memory_equal(found.numbers, expected.numbers, sizeof(double) * (size_t)found.count);

  assert_int_equal(pthread_attr_destroy(&attributes), 0);
  munmap(place, page + stack);
  for (int k = 0; k < CLIQUES; ++k)
    chorale_potential_release(potentials[k]);
  free(bytes);
  free(text);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_small_stack_is_enough)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
