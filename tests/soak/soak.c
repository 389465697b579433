/* Models made, run, cancelled and given back from many threads, for as long as one likes: see
 * README.md. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include "../fixture_members.h"
#include "../fixture_sanitizer.h"

#include <chorale/experimental.h>

#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { RECIPES = 32, MOST_CHAINS = 24, MOST_LENGTH = 9, MOST_LABELS = 5, MOST_THREADS = 64 };

#define CHECK(condition, ...)                                                                      \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      fprintf(stderr, "soak.c:%d: %s: ", __LINE__, #condition);                                    \
      fprintf(stderr, __VA_ARGS__);                                                                \
      fprintf(stderr, "\n");                                                                       \
      exit(1);                                                                                     \
    }                                                                                              \
  } while (0)
#define OK(call)                                                                                   \
  do {                                                                                             \
    const chorale_status ok_status = (call);                                                       \
    CHECK(ok_status == CHORALE_OK, "%s: %s", #call, error.message);                                \
  } while (0)

/* ---- Numbers, time, memory ---------------------------------------------------------------- */

static uint64_t next_bits(uint64_t *state) {
  uint64_t z = (*state += UINT64_C(0x9E3779B97F4A7C15));
  z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
  return z ^ (z >> 31);
}
static int32_t below(uint64_t *state, int32_t limit) {
  return (int32_t)(next_bits(state) % (uint64_t)limit);
}
static double unit(uint64_t *state) { return (double)(next_bits(state) >> 11) * 0x1p-53; }

static double now(void) {
  struct timespec time;
  (void)clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static int64_t live_blocks, live_bytes;

static void *allocate(void *user, size_t bytes, size_t alignment) {
  void *block = NULL;
  (void)user;
  if (posix_memalign(&block, alignment, bytes) != 0)
    return NULL;
  memset(block, 0xA5, bytes);
  __atomic_fetch_add(&live_blocks, 1, __ATOMIC_RELAXED);
  __atomic_fetch_add(&live_bytes, (int64_t)bytes, __ATOMIC_RELAXED);
  return block;
}
static void deallocate(void *user, void *memory, size_t bytes, size_t alignment) {
  (void)user;
  (void)alignment;
  __atomic_fetch_sub(&live_blocks, 1, __ATOMIC_RELAXED);
  __atomic_fetch_sub(&live_bytes, (int64_t)bytes, __ATOMIC_RELAXED);
  free(memory);
}
static const chorale_allocator kHooks = {NULL, allocate, deallocate};
static chorale_host host;

/* Bytes that the process has in memory, and that malloc has given out; 0 where nobody says. What an
 * emulator has in memory is its own. A sanitizer's malloc keeps what is freed for a while, and tells
 * nobody. */
static int64_t resident(void) {
  if (HAS_SANITIZER || getenv("CHORALE_TEST_EMULATED"))
    return 0;
  FILE *file = fopen("/proc/self/statm", "r");
  long long pages = 0, all = 0;
  if (!file)
    return 0;
  if (fscanf(file, "%lld %lld", &all, &pages) != 2)
    pages = 0;
  fclose(file);
  return pages * sysconf(_SC_PAGESIZE);
}
static int64_t given_out(void) {
#if !HAS_SANITIZER && defined(__GLIBC__) && __GLIBC_PREREQ(2, 33)
  const struct mallinfo2 all = mallinfo2();
  return (int64_t)(all.uordblks + all.hblkhd);
#else
  return 0;
#endif
}

/* ---- Recipes ------------------------------------------------------------------------------ */

typedef struct Recipe {
  uint64_t seed;
  int32_t labels, chains, lengths[MOST_CHAINS];
  double scores[MOST_CHAINS][MOST_LENGTH * MOST_LABELS];
  int32_t tokens[MOST_CHAINS][MOST_LENGTH], parents[MOST_LENGTH];
  chorale_transitions *transitions;
  chorale_potential *words, *group;
  chorale_property *property;
  chorale_run_options options;
  chorale_model *shared;
  void *bytes; /* the model as a problem file */
  size_t size;
  uint64_t expected;
} Recipe;

static Recipe recipes[RECIPES];

static chorale_status make_group(Recipe *recipe, uint64_t *state, chorale_error *error) {
  double square[MOST_LABELS * MOST_LABELS];
  const int32_t m = recipe->labels;
  for (int32_t k = 0; k < m * m; ++k)
    square[k] = unit(state) - 0.3 + (k % (m + 1) == 0);
  switch (below(state, 5)) {
  case 0:
    return chorale_potential_create_majority(&host, m, square, m, square, NULL, &recipe->group,
                                             error);
  case 1:
    return chorale_potential_create_pairs(&host, m, square, m, NULL, &recipe->group, error);
  case 2:
    return chorale_potential_create_entropy(&host, m, -0.5, NULL, &recipe->group, error);
  case 3:
    return chorale_potential_create_makespan(&host, m, 0.7, NULL, &recipe->group, error);
  default:
    return chorale_potential_create_potts(&host, m, 0.3, NULL, &recipe->group, error);
  }
}

static void open_recipe(Recipe *recipe, uint64_t seed) {
  chorale_error error;
  uint64_t state = recipe->seed = seed;
  const int32_t m = recipe->labels = 2 + below(&state, MOST_LABELS - 1);
  recipe->chains = 1 + below(&state, MOST_CHAINS);
  for (int32_t i = 0; i < recipe->chains; ++i) {
    recipe->lengths[i] = below(&state, MOST_LENGTH + 1);
    for (int32_t k = 0; k < recipe->lengths[i] * m; ++k)
      recipe->scores[i][k] = 2 * unit(&state);
    for (int32_t t = 0; t < MOST_LENGTH; ++t)
      recipe->tokens[i][t] = below(&state, 12);
  }
  for (int32_t t = 0; t < MOST_LENGTH; ++t)
    recipe->parents[t] = t - 1 < 0 ? -1 : below(&state, t);
  double edges[MOST_LABELS * MOST_LABELS];
  for (int32_t k = 0; k < m * m; ++k)
    edges[k] = unit(&state) - 0.5;
  OK(chorale_transitions_create(&host, m, edges, NULL, &recipe->transitions, &error));
  chorale_potential_options by_members = {.struct_size = sizeof by_members};
  by_members.scale = CHORALE_SCALE_BY_MEMBERS;
  OK(chorale_potential_create_potts(&host, m, 2 * unit(&state) - 0.5, &by_members, &recipe->words,
                                    &error));
  OK(make_group(recipe, &state, &error));
  chorale_label_map map = {.struct_size = sizeof map};
  map.labels = map.kinds = m;
  OK(chorale_property_create_first_label(&host, &map, NULL, &recipe->property, &error));
  recipe->options = (chorale_run_options){.struct_size = sizeof recipe->options};
  recipe->options.rounds = 1 + below(&state, 12);
  recipe->options.bound_steps = below(&state, 2) * 4;
  recipe->options.damping = below(&state, 2) * 0.25;
}

static void close_recipe(Recipe *recipe) {
  chorale_transitions_release(recipe->transitions);
  chorale_potential_release(recipe->words);
  chorale_potential_release(recipe->group);
  chorale_property_release(recipe->property);
  chorale_model_release(recipe->shared);
  free(recipe->bytes);
}

/* By the thread that calls; what models share is shared by all threads. */
static chorale_model *build(const Recipe *recipe) {
  chorale_error error;
  chorale_model_builder *builder = NULL;
  chorale_model *model = NULL;
  OK(chorale_model_builder_create(&host, &builder, &error));
  for (int32_t i = 0; i < recipe->chains; ++i) {
    chorale_chain chain;
    chorale_chain_options options;
    chain = (chorale_chain){.struct_size = sizeof chain};
    options = (chorale_chain_options){.struct_size = sizeof options};
    chain.length = recipe->lengths[i];
    chain.labels = recipe->labels;
    chain.unary = recipe->scores[i];
    chain.transitions = recipe->transitions;
    chain.parents = i % 5 == 4 ? recipe->parents : NULL;
    options.tokens = recipe->tokens[i];
    options.borrow = i % 2;
    options.group = i / 8;
    OK(chorale_model_builder_add_chain(builder, &chain, &options, NULL, &error));
  }
  OK(put_words(builder, recipe->words, NULL, NULL, NULL, &error));
  chorale_clique_setup setup = {.struct_size = sizeof setup};
  setup.property = recipe->property;
  setup.potential = recipe->group;
  int64_t clique = -1;
  OK(chorale_model_builder_add_cliques(builder, &setup, 1, &clique, &error));
  for (int32_t i = 0; i < recipe->chains; ++i)
    if (i % 5 != 4)
      OK(put_chain(builder, clique, i, NULL, &error));
  OK(chorale_model_builder_freeze(builder, &model, &error));
  chorale_model_builder_destroy(builder);
  return model;
}

static uint64_t add_bytes(uint64_t sum, const void *bytes, size_t size) {
  const unsigned char *at = bytes;
  for (size_t k = 0; k < size; ++k)
    sum = (sum ^ at[k]) * UINT64_C(0x100000001B3);
  return sum;
}

/* All that a run says. */
static uint64_t digest(const chorale_run *run) {
  static const size_t room = 1 << 17;
  chorale_error error;
  chorale_run_result result = {.struct_size = sizeof result};
  OK(chorale_run_get_result(run, &result, &error));
  uint64_t sum = add_bytes(UINT64_C(0xCBF29CE484222325), &result, sizeof result);
  char *json = malloc(room);
  size_t needed = 0;
  CHECK(json, "no memory");
  OK(chorale_run_json(run, json, room, &needed, &error));
  CHECK(needed <= room, "%zu bytes of JSON", needed);
  sum = add_bytes(sum, json, needed);
  free(json);
  return sum;
}

/* The single thread's answer, the shared model, and its file. */
static void solve_recipe(Recipe *recipe) {
  chorale_error error;
  chorale_run *run = NULL;
  chorale_problem *problem = NULL;
  recipe->shared = build(recipe);
  OK(chorale_run_create(&host, recipe->shared, &recipe->options, NULL, &run, &error));
  OK(chorale_run_solve(run, NULL, &error));
  recipe->expected = digest(run);
  chorale_run_destroy(run);
  OK(chorale_problem_create(&host, recipe->shared, &problem, &error));
  OK(chorale_problem_write(problem, NULL, 0, &recipe->size, &error));
  CHECK(posix_memalign(&recipe->bytes, 64, recipe->size) == 0, "no memory");
  OK(chorale_problem_write(problem, recipe->bytes, recipe->size, NULL, &error));
  chorale_problem_destroy(problem);
}

/* ---- Threads ------------------------------------------------------------------------------ */

typedef enum Plant { NO_FAULT, A_LEAK, OTHER_BITS } Plant;

typedef struct Worker {
  pthread_t thread;
  uint64_t random;
  double end;
  chorale_cancel *cancel;
  int32_t stop_after; /* progress reports until the run is stopped; negative: never */
  Plant plant;
  int64_t models, runs, cut_short;
} Worker;

static int32_t on_progress(void *user, const chorale_progress *progress) {
  Worker *worker = user;
  (void)progress;
  return worker->stop_after >= 0 && worker->stop_after-- == 0;
}

static chorale_model *take_model(Worker *worker, const Recipe *recipe) {
  chorale_error error;
  chorale_problem *problem = NULL;
  chorale_model *model;
  switch (below(&worker->random, 3)) {
  case 0:
    return chorale_model_retain(recipe->shared);
  case 1:
    OK(chorale_problem_read(&host, recipe->bytes, recipe->size, below(&worker->random, 2),
                            &problem, &error));
    model = chorale_model_retain(chorale_problem_model(problem));
    chorale_problem_destroy(problem);
    return model;
  default:
    return build(recipe);
  }
}

/* Solves until nothing has cut the run short. */
static void run_to_the_end(Worker *worker, const Recipe *recipe, chorale_run *run) {
  chorale_error error;
  chorale_run_result result = {.struct_size = sizeof result};
  for (int attempt = 0;; ++attempt) {
    worker->stop_after = attempt < 3 && below(&worker->random, 3) == 0
                             ? below(&worker->random, 8)
                             : -1;
    if (attempt == 6) /* the canceller does not tire */
      OK(chorale_run_set_limits(run, 0, NULL, &error));
    OK(chorale_run_solve(run, &result, &error));
    ++worker->runs;
    if (result.outcome != CHORALE_OUTCOME_CANCELLED)
      break;
    ++worker->cut_short;
    CHECK(!(result.score < result.own_score), "%g below the chains' own %g", result.score,
          result.own_score);
    chorale_cancel_lower(worker->cancel);
    if (below(&worker->random, 2)) { /* goes on where it was */
      OK(chorale_run_step(run, &result, &error));
      CHECK(!(result.score < result.own_score), "%g below the chains' own %g", result.score,
            result.own_score);
      chorale_cancel_lower(worker->cancel);
    }
    chorale_run_reset(run);
  }
  const uint64_t found = digest(run);
  CHECK(found == recipe->expected, "recipe %llx: other bits than those of a single thread",
        (unsigned long long)recipe->seed);
}

static void *work(void *argument) {
  Worker *worker = argument;
  chorale_error error;
  while (now() < worker->end) {
    const Recipe *recipe = &recipes[below(&worker->random, RECIPES)];
    chorale_model *model = take_model(worker, recipe);
    chorale_run_options options = recipe->options;
    chorale_run *run = NULL;
    options.threads = 1 + below(&worker->random, 3);
    options.cancel = worker->cancel;
    options.progress = on_progress;
    options.progress_user = worker;
    if (worker->plant == OTHER_BITS)
      options.rounds += 1;
    OK(chorale_run_create(&host, model, &options, NULL, &run, &error));
    ++worker->models;
    const int first = below(&worker->random, 2);
    if (first)
      chorale_model_release(model);
    run_to_the_end(worker, recipe, run);
    chorale_run_destroy(run);
    if (!first && worker->plant != A_LEAK)
      chorale_model_release(model);
  }
  return NULL;
}

typedef struct Canceller {
  pthread_t thread;
  uint64_t random;
  double end;
  Worker *workers;
  int32_t count;
} Canceller;

static void *cancel_at_random(void *argument) {
  Canceller *self = argument;
  while (now() < self->end) {
    const struct timespec pause = {0, 50000 + below(&self->random, 1500000)};
    (void)nanosleep(&pause, NULL);
    chorale_cancel_raise(self->workers[below(&self->random, self->count)].cancel);
  }
  return NULL;
}

static void work_together(double seconds, int32_t count, uint64_t seed, Plant plant) {
  static Worker workers[MOST_THREADS];
  chorale_error error;
  Canceller canceller = {0, seed, now() + seconds, workers, count};
  memset(workers, 0, sizeof workers);
  for (int32_t w = 0; w < count; ++w) {
    workers[w].random = seed * 1000 + (uint64_t)w;
    workers[w].end = canceller.end;
    workers[w].plant = plant;
    OK(chorale_cancel_create(&host, &workers[w].cancel, &error));
  }
  for (int32_t w = 0; w < count; ++w)
    CHECK(pthread_create(&workers[w].thread, NULL, work, &workers[w]) == 0, "no thread");
  CHECK(pthread_create(&canceller.thread, NULL, cancel_at_random, &canceller) == 0, "no thread");
  int64_t models = 0, runs = 0, cut_short = 0;
  pthread_join(canceller.thread, NULL);
  for (int32_t w = 0; w < count; ++w) {
    pthread_join(workers[w].thread, NULL);
    chorale_cancel_destroy(workers[w].cancel);
    models += workers[w].models;
    runs += workers[w].runs;
    cut_short += workers[w].cut_short;
  }
  printf("%lld models, %lld runs, %lld of them cut short\n", (long long)models, (long long)runs,
         (long long)cut_short);
  CHECK(models > 0 && runs > models / 2, "hardly any work was done");
  CHECK(seconds < 1 || cut_short > 0, "nothing was ever cut short");
}

/* ---- The whole ---------------------------------------------------------------------------- */

static int usage(void) {
  fprintf(stderr, "Usage: soak SECONDS [--threads N] [--seed N] [--plant leak|bits]\n");
  return 2;
}

int main(int argc, char **argv) {
  uint64_t seed = 1;
  int32_t threads = 8;
  Plant plant = NO_FAULT;
  const double seconds = argc > 1 ? strtod(argv[1], NULL) : 0;
  if (!(seconds > 0) || argc % 2 != 0)
    return usage();
  for (int k = 2; k < argc; k += 2)
    if (strcmp(argv[k], "--threads") == 0)
      threads = (int32_t)strtol(argv[k + 1], NULL, 10);
    else if (strcmp(argv[k], "--seed") == 0)
      seed = strtoull(argv[k + 1], NULL, 10);
    else if (strcmp(argv[k], "--plant") == 0 && strcmp(argv[k + 1], "leak") == 0)
      plant = A_LEAK;
    else if (strcmp(argv[k], "--plant") == 0 && strcmp(argv[k + 1], "bits") == 0)
      plant = OTHER_BITS;
    else
      return usage();
  if (threads < 1 || threads > MOST_THREADS)
    return usage();
  printf("%g seconds, %d threads, --seed %llu\n", seconds, threads, (unsigned long long)seed);
  host = (chorale_host){.struct_size = sizeof host};
  host.allocator = &kHooks;
  for (int r = 0; r < RECIPES; ++r) {
    open_recipe(&recipes[r], seed * RECIPES + (uint64_t)r);
    solve_recipe(&recipes[r]);
  }
  /* What malloc and the system keep for threads is there after a first time. */
  const double warm_up = seconds / 10 < 5 ? seconds / 10 : 5;
  work_together(warm_up, threads, seed + 1, NO_FAULT);
  (void)malloc_trim(0);
  const int64_t blocks = live_blocks, bytes = live_bytes, given = given_out(), pages = resident();
  work_together(seconds, threads, seed + 2, plant);
  (void)malloc_trim(0);
  printf("blocks of the host %lld, then %lld; bytes %lld, %lld; malloc %lld, %lld; resident %lld, "
         "%lld\n",
         (long long)blocks, (long long)live_blocks, (long long)bytes, (long long)live_bytes,
         (long long)given, (long long)given_out(), (long long)pages, (long long)resident());
  CHECK(live_blocks == blocks && live_bytes == bytes, "memory of the host is left");
  CHECK(given_out() - given < 1 << 16, "memory of malloc is left");
  CHECK(resident() - pages < 64 << 20, "the process has grown");
  for (int r = 0; r < RECIPES; ++r)
    close_recipe(&recipes[r]);
  CHECK(live_blocks == 0 && live_bytes == 0, "%lld blocks are never given back",
        (long long)live_blocks);
  return 0;
}
