/* Results are the same bits for any number of threads, any executor, fresh and used runs, single
 * steps and one solve; runs that start from earlier runs; runs that end early. */
#include "fixture_cluster.h"
#include "fixture_text.h"

#include <pthread.h>
#include <time.h>

/* ---- Executors ---------------------------------------------------------------------------- */

static void backwards(void *user, int64_t count, int64_t workers, chorale_parallel_body body,
                      void *body_user) {
  int64_t *calls = user;
  ++*calls;
  for (int64_t i = count - 1; i >= 0; --i)
    body(body_user, i, i % workers);
}

typedef struct Team {
  pthread_mutex_t lock;
  int64_t next, count, calls;
  chorale_parallel_body body;
  void *body_user;
} Team;

typedef struct TeamWorker {
  Team *team;
  int64_t worker;
  pthread_t thread;
} TeamWorker;

static void *work(void *argument) {
  TeamWorker *self = argument;
  Team *team = self->team;
  for (;;) {
    pthread_mutex_lock(&team->lock);
    const int64_t i = team->next < team->count ? team->next++ : -1;
    pthread_mutex_unlock(&team->lock);
    if (i < 0)
      return NULL;
    team->body(team->body_user, i, self->worker);
  }
}

static void with_threads(void *user, int64_t count, int64_t workers, chorale_parallel_body body,
                         void *body_user) {
  Team *team = user;
  ++team->calls;
  team->next = 0;
  team->count = count;
  team->body = body;
  team->body_user = body_user;
  TeamWorker crew[8];
  for (int64_t w = 0; w < workers && w < 8; ++w) {
    crew[w].team = team;
    crew[w].worker = w;
    if (pthread_create(&crew[w].thread, NULL, work, &crew[w]) != 0)
      abort();
  }
  for (int64_t w = 0; w < workers && w < 8; ++w)
    (void)pthread_join(crew[w].thread, NULL);
}

/* ---- The same bits ------------------------------------------------------------------------ */

static const TextShape kText = {400, 9, 4, 300, 25, 0, 1.5, 11};

/* Returns a text whose number of chains grows with the rounds: under valgrind, which does few
 * rounds, more would take minutes. */
static TextShape text_of_rounds(void) {
  TextShape shape = kText;
  const int64_t chains = test_rounds(1000);
  shape.chains = chains < 60 ? 60 : chains < kText.chains ? chains : kText.chains;
  return shape;
}

static void random_text_options(Random *random, chorale_run_options *options) {
  *options = (chorale_run_options){.struct_size = sizeof *options};
  options->rounds = random_int(random, 1, 5);
  options->damping = random_chance(random, 40) ? 0.3 : 0;
  options->bound_steps = random_chance(random, 50) ? 3 : 0;
  options->restrict_range = random_chance(random, 30);
  options->effort = random_chance(random, 80) ? -1 : 0.01;
  static const chorale_message_element numbers[] = {CHORALE_MESSAGES_AUTO, CHORALE_MESSAGES_FLOAT64,
                                                   CHORALE_MESSAGES_MAGNITUDE16};
  options->message_element = numbers[random_int(random, 0, (int32_t)COUNT_OF(numbers) - 1)];
}

static void solve_text(const Text *text, const chorale_run_options *options, Story *story) {
  chorale_error error;
  chorale_run *run = NULL;
  OK(chorale_run_create(NULL, text->model, options, NULL, &run, &error));
  OK(chorale_run_solve(run, NULL, &error));
  tell(text, run, story);
  chorale_run_destroy(run);
}

static void expect_same_story(const Text *text, const Story *a, const Story *b, const char *what,
                              int64_t round) {
  const char *why = compare_stories(text, a, b);
  if (why)
    fail_msg("CHORALE_TEST_SEED=%llu, round %lld, %s: %s", (unsigned long long)test_seed(),
             (long long)round, what, why);
}

static void any_number_of_threads(void **state) {
  (void)state;
  Random random = {test_seed() + 31};
  for (int64_t round = 0; round < test_rounds(6); ++round) {
    TextShape shape = text_of_rounds();
    shape.seed = random_bits(&random);
    Text text;
    open_text(&shape, NULL, &text);
    chorale_run_options options;
    random_text_options(&random, &options);
    Story one, other;
    solve_text(&text, &options, &one);
    static const int64_t threads[] = {2, 4, 8};
    for (size_t k = 0; k < COUNT_OF(threads); ++k) {
      char what[32];
      (void)snprintf(what, sizeof what, "%lld threads", (long long)threads[k]);
      options.threads = threads[k];
      solve_text(&text, &options, &other);
      expect_same_story(&text, &one, &other, what, round);
      forget(&other);
    }
    int64_t calls = 0;
    options.executor = backwards;
    options.executor_user = &calls;
    options.threads = 3;
    solve_text(&text, &options, &other);
    expect_same_story(&text, &one, &other, "an executor that goes backwards", round);
    assert_true(calls > 0);
    forget(&other);
    Team team;
    memset(&team, 0, sizeof team);
    (void)pthread_mutex_init(&team.lock, NULL);
    options.executor = with_threads;
    options.executor_user = &team;
    options.threads = 4;
    solve_text(&text, &options, &other);
    expect_same_story(&text, &one, &other, "an executor with threads", round);
    assert_true(team.calls > 0);
    (void)pthread_mutex_destroy(&team.lock);
    forget(&other);
    forget(&one);
    close_text(&text);
  }
}

/* ---- Executors that are broken ------------------------------------------------------------ */

typedef enum Fault {
  RUNS_NOTHING,
  LEAVES_OUT_THE_LAST,
  RUNS_TWICE,
  RUNS_ONE_TOO_MANY,
  RUNS_ONE_BELOW,
  HAS_A_WORKER_TOO_MANY,
  HAS_A_WORKER_BELOW,
  FAULTS
} Fault;

typedef struct Saboteur {
  Fault fault;
  int64_t calls, breaks_at; /* the call that is not as it should be, from 1 */
} Saboteur;

static void sabotage(void *user, int64_t count, int64_t workers, chorale_parallel_body body,
                     void *body_user) {
  Saboteur *self = user;
  if (++self->calls != self->breaks_at) {
    for (int64_t i = 0; i < count; ++i)
      body(body_user, i, i % workers);
    return;
  }
  if (self->fault == RUNS_NOTHING)
    return;
  for (int64_t i = 0; i < count - (self->fault == LEAVES_OUT_THE_LAST); ++i) {
    const int is_last = i == count - 1;
    body(body_user, i,
         is_last && self->fault == HAS_A_WORKER_TOO_MANY ? workers
         : is_last && self->fault == HAS_A_WORKER_BELOW  ? -1
                                                         : 0);
    if (self->fault == RUNS_TWICE)
      body(body_user, i, 1);
  }
  if (self->fault == RUNS_ONE_TOO_MANY)
    body(body_user, count, 0);
  if (self->fault == RUNS_ONE_BELOW)
    body(body_user, -1, 0);
}

/* A faulty executor, in whatever loop, ends the call; the results of the run are then valid, and
 * the run can continue. */
static void an_executor_that_is_broken_is_noticed(void **state) {
  (void)state;
  Random random = {test_seed() + 57};
  TextShape shape = text_of_rounds();
  shape.seed = random_bits(&random);
  Text text;
  open_text(&shape, NULL, &text);
  for (int64_t round = 0; round < test_rounds(3); ++round) {
    chorale_run_options options;
    random_text_options(&random, &options);
    options.bound_steps = 2;
    Story whole, other;
    solve_text(&text, &options, &whole);
    Saboteur saboteur = {RUNS_NOTHING, 0, 0};
    options.threads = 3;
    options.executor = sabotage;
    options.executor_user = &saboteur;
    solve_text(&text, &options, &other);
    expect_same_story(&text, &whole, &other, "an executor that is not broken", round);
    forget(&other);
    const int64_t loops = saboteur.calls;
    assert_true(loops > 10);
    /* Each fault in the first loop, and then in random loops. */
    for (int64_t k = 0; k < FAULTS + test_rounds(3 * FAULTS); ++k) {
      saboteur.fault = (Fault)(k % FAULTS);
      saboteur.calls = 0;
      saboteur.breaks_at = k < FAULTS ? 1 : 1 + (int64_t)(random_bits(&random) % (uint64_t)loops);
      chorale_error error;
      chorale_run *run = NULL;
      OK(chorale_run_create(NULL, text.model, &options, NULL, &run, &error));
      FAILS(chorale_run_solve(run, NULL, &error), CHORALE_ERROR_EXECUTOR, "executor");
      assert_true(saboteur.calls >= saboteur.breaks_at);
      chorale_run_result result = {.struct_size = sizeof result};
      OK(chorale_run_get_result(run, &result, &error));
      assert_int_equal(result.proven, 0);
      assert_true(result.score <= whole.result.upper_bound);
      OK(chorale_run_solve(run, &result, &error));
      assert_true(result.score >= whole.result.own_score);
      assert_true(result.own_score == whole.result.own_score);
      chorale_run_reset(run);
      OK(chorale_run_solve(run, NULL, &error));
      tell(&text, run, &other);
      expect_same_story(&text, &whole, &other, "after an executor was broken", round);
      forget(&other);
      chorale_run_destroy(run);
    }
    forget(&whole);
  }
  close_text(&text);
}

/* One model shared by several threads with a run each. */
typedef struct Reader {
  const Text *text;
  chorale_run_options options;
  Story story;
  pthread_t thread;
} Reader;

static void *read_along(void *argument) {
  Reader *self = argument;
  solve_text(self->text, &self->options, &self->story);
  return NULL;
}

static void runs_share_a_model(void **state) {
  (void)state;
  Text text;
  open_text(&kText, NULL, &text);
  Reader readers[3];
  for (size_t k = 0; k < COUNT_OF(readers); ++k) {
    readers[k].text = &text;
    readers[k].options = (chorale_run_options){.struct_size = sizeof readers[k].options};
    readers[k].options.threads = 2;
    assert_int_equal(pthread_create(&readers[k].thread, NULL, read_along, &readers[k]), 0);
  }
  for (size_t k = 0; k < COUNT_OF(readers); ++k)
    assert_int_equal(pthread_join(readers[k].thread, NULL), 0);
  for (size_t k = 1; k < COUNT_OF(readers); ++k)
    expect_same_story(&text, &readers[0].story, &readers[k].story, "a run a thread", (int64_t)k);
  for (size_t k = 0; k < COUNT_OF(readers); ++k)
    forget(&readers[k].story);
  close_text(&text);
}

/* Reading results changes nothing, so several threads may read. */
typedef struct Listener {
  const Text *text;
  const chorale_run *run;
  Story story;
  pthread_t thread;
} Listener;

static void *listen_along(void *argument) {
  Listener *self = argument;
  tell(self->text, self->run, &self->story);
  return NULL;
}

static void a_run_may_be_read_from_several_threads(void **state) {
  (void)state;
  chorale_error error;
  Text text;
  open_text(&kText, NULL, &text);
  chorale_run *run = NULL;
  OK(chorale_run_create(NULL, text.model, NULL, NULL, &run, &error));
  OK(chorale_run_solve(run, NULL, &error));
  Story alone;
  tell(&text, run, &alone);
  Listener listeners[3];
  for (int64_t round = 0; round < test_rounds(10); ++round) {
    for (size_t k = 0; k < COUNT_OF(listeners); ++k) {
      listeners[k].text = &text;
      listeners[k].run = run;
      assert_int_equal(pthread_create(&listeners[k].thread, NULL, listen_along, &listeners[k]), 0);
    }
    for (size_t k = 0; k < COUNT_OF(listeners); ++k)
      assert_int_equal(pthread_join(listeners[k].thread, NULL), 0);
    for (size_t k = 0; k < COUNT_OF(listeners); ++k) {
      expect_same_story(&text, &alone, &listeners[k].story, "read by several threads", round);
      forget(&listeners[k].story);
    }
  }
  forget(&alone);
  chorale_run_destroy(run);
  close_text(&text);
}

/* ---- Ways of running the same model ------------------------------------------------------- */

typedef enum Way {
  WAY_PLAIN,
  WAY_OTHER_MEMORY,
  WAY_RESET,
  WAY_RESET_AFTER_ANOTHER_CHAIN,
  WAY_STEPS,
  WAY_LISTENING,
  WAY_SLICES,
  WAY_SLICED_STEPS,
  WAYS
} Way;
static const char *const kWays[WAYS] = {"plain",
                                        "memory of noise",
                                        "reset",
                                        "reset after other scores",
                                        "step by step",
                                        "asked between steps",
                                        "in slices",
                                        "step by step in slices"};

/* Repeats calls that end as soon as some work is done, until one completes. */
typedef chorale_status (*Call)(chorale_run *run, int64_t steps, chorale_run_result *result,
                               chorale_error *error);
static chorale_status call_step(chorale_run *run, int64_t steps, chorale_run_result *result,
                                chorale_error *error) {
  (void)steps;
  return chorale_run_step(run, result, error);
}
static chorale_status call_solve(chorale_run *run, int64_t steps, chorale_run_result *result,
                                 chorale_error *error) {
  (void)steps;
  return chorale_run_solve(run, result, error);
}
static chorale_status call_polish(chorale_run *run, int64_t steps, chorale_run_result *result,
                                  chorale_error *error) {
  (void)steps;
  return chorale_run_local_search(run, result, error);
}
static chorale_status in_slices(chorale_run *run, Call call, int64_t steps, int64_t *slices,
                                chorale_error *error) {
  enum { MOST_SLICES = 10000000 }; /* for a slice that does nothing */
  chorale_run_result result = {.struct_size = sizeof result};
  chorale_status status;
  int64_t left = MOST_SLICES;
  do {
    status = call(run, steps, &result, error);
    ++*slices;
  } while (status == CHORALE_OK && result.outcome == CHORALE_OUTCOME_DEADLINE && --left > 0);
  return status;
}
static int64_t slices_of_all;

static const char *run_in_a_way(const Cluster *cluster, const Built *built, Way way, Said *said) {
  static CountingAllocator noise;
  static Said between;
  chorale_host host = {.struct_size = sizeof host};
  counting_allocator_init(&noise);
  if (way == WAY_OTHER_MEMORY)
    host.allocator = &noise.hooks;
  chorale_error error;
  chorale_run *run = NULL;
  chorale_status status =
      chorale_run_create(&host, built->model, &cluster->options, NULL, &run, &error);
  if (way == WAY_RESET || way == WAY_RESET_AFTER_ANOTHER_CHAIN) {
    Sample other = cluster->chains[0];
    Given given;
    memset(&given, 0, sizeof given);
    if (way == WAY_RESET_AFTER_ANOTHER_CHAIN && !cluster->is_instance[0]) {
      for (int32_t t = 0; t < other.length; ++t)
        other.unary[t][0] += 1;
      give(&other, &given);
      if (status == CHORALE_OK)
        status = chorale_run_set_chain(run, 0, &given.chain, &error);
    }
    if (status == CHORALE_OK)
      status = chorale_run_solve(run, NULL, &error);
    chorale_run_reset(run);
    take_back(&given);
  }
  const int is_sliced = way == WAY_SLICES || way == WAY_SLICED_STEPS;
  if (is_sliced && status == CHORALE_OK)
    status = chorale_run_set_limits(run, 1e-9, NULL, &error);
  if (way == WAY_SLICED_STEPS) {
    for (int64_t round = 0; round <= rounds_of(&cluster->options) && status == CHORALE_OK; ++round)
      status = in_slices(run, call_step, 0, &slices_of_all, &error);
    if (!cluster->options.no_local_search && status == CHORALE_OK)
      status = in_slices(run, call_polish, 0, &slices_of_all, &error);
    if (cluster->options.bound_steps > 0 && status == CHORALE_OK)
      status = in_slices(run, chorale_run_bound, cluster->options.bound_steps, &slices_of_all,
                         &error);
  } else if (way == WAY_SLICES && status == CHORALE_OK) {
    status = in_slices(run, call_solve, 0, &slices_of_all, &error);
  } else if (way == WAY_STEPS || way == WAY_LISTENING) {
    for (int64_t round = 0; round <= rounds_of(&cluster->options) && status == CHORALE_OK; ++round) {
      status = chorale_run_step(run, NULL, &error);
      if (way == WAY_LISTENING && status == CHORALE_OK)
        listen_to(cluster, run, &between);
    }
    if (!cluster->options.no_local_search && status == CHORALE_OK)
      status = chorale_run_local_search(run, NULL, &error);
    if (cluster->options.bound_steps > 0 && status == CHORALE_OK)
      status = chorale_run_bound(run, cluster->options.bound_steps, NULL, &error);
  } else if (status == CHORALE_OK) {
    status = chorale_run_solve(run, NULL, &error);
  }
  if (status == CHORALE_OK)
    listen_to(cluster, run, said);
  chorale_run_destroy(run);
  return status == CHORALE_OK ? NULL : complain("%s: \"%s\"", kWays[way], error.message);
}

static const char *compare_ways(const Cluster *cluster, void *context) {
  (void)context;
  static Built built;
  static Said plain, other;
  build(cluster, NULL, &built);
  const char *why = run_in_a_way(cluster, &built, WAY_PLAIN, &plain);
  for (Way way = WAY_OTHER_MEMORY; way < WAYS && !why; way = (Way)(way + 1)) {
    /* After it has set chains aside, a solve does rounds again. Steps move no group of chains. */
    if ((plain.undecided > 0 || cluster->options.effort >= 0) &&
        (way == WAY_STEPS || way == WAY_LISTENING || way == WAY_SLICED_STEPS))
      continue;
    why = run_in_a_way(cluster, &built, way, &other);
    if (!why && (why = compare_said(cluster, &plain, &other)) != NULL) {
      char what[256];
      (void)snprintf(what, sizeof what, "%s", why);
      why = complain("%s: %s", kWays[way], what);
    }
  }
  close_built(cluster, &built);
  return why;
}

static void any_way_of_running(void **state) {
  (void)state;
  slices_of_all = 0;
  check_clusters("ways", test_rounds(400), random_cluster, compare_ways, NULL);
  check_clusters("crowded", test_rounds(100), random_crowded_cluster, compare_ways, NULL);
  check_clusters("items", test_rounds(100), random_item_cluster, compare_ways, NULL);
  print_message("%lld slices\n", (long long)slices_of_all);
  assert_true(slices_of_all > test_rounds(400));
}

/* ---- A step longer than any slice --------------------------------------------------------- */

enum { VOTERS = 200, CHOICES = 6 };

/* A slow callback potential of agreement: messages of a clique of VOTERS members take longer than a
 * time slice. */
typedef struct Thoughts {
  volatile int64_t done;
  int64_t at_a_time;
} Thoughts;

static int32_t think(void *user, const int64_t *counts, int64_t values, int64_t members,
                     double *score) {
  Thoughts *thoughts = user;
  for (int64_t k = 0; k < thoughts->at_a_time; ++k)
    ++thoughts->done;
  double sum = 0;
  for (int64_t v = 0; v < values; ++v)
    sum += (double)(counts[v] * counts[v]);
  *score = sum / (double)members;
  return 0;
}

static void a_long_step_gets_done_in_short_calls(void **state) {
  (void)state;
  Random random = {test_seed() + 33};
  static double scores[VOTERS * CHOICES];
  for (size_t k = 0; k < COUNT_OF(scores); ++k)
    scores[k] = random_unit(&random);
  chorale_error error;
  Thoughts thoughts = {0, test_rounds(20000)};
  int64_t clique = 0;
  chorale_potential *potential = NULL;
  OK(chorale_potential_create_callback(NULL, CHOICES, think, &thoughts, NULL, NULL, &potential,
                                       &error));
  chorale_model_builder *builder = NULL;
  OK(chorale_model_builder_create(NULL, &builder, &error));
  chorale_clique_setup setup = {.struct_size = sizeof setup};
  setup.values = CHOICES;
  setup.potential = potential;
  OK(chorale_model_builder_add_cliques(builder, &setup, 1, &clique, &error));
  for (int64_t i = 0; i < VOTERS; ++i) {
    chorale_chain chain = {.struct_size = sizeof chain};
    chain.length = 1;
    chain.labels = CHOICES;
    chain.unary = scores + i * CHOICES;
    OK(chorale_model_builder_add_chain(builder, &chain, NULL, NULL, &error));
    OK(put_position(builder, clique, i, 0, &error));
  }
  chorale_model *model = NULL;
  OK(chorale_model_builder_freeze(builder, &model, &error));
  chorale_model_builder_destroy(builder);
  chorale_run_options options = {.struct_size = sizeof options};
  options.rounds = 1;
  options.no_local_search = 1;
  chorale_run *whole = NULL, *sliced = NULL;
  OK(chorale_run_create(NULL, model, &options, NULL, &whole, &error));
  options.time_limit = 2e-4;
  OK(chorale_run_create(NULL, model, &options, NULL, &sliced, &error));
  chorale_run_result one, other;
  one = (chorale_run_result){.struct_size = sizeof one};
  other = (chorale_run_result){.struct_size = sizeof other};
  OK(chorale_run_solve(whole, &one, &error));
  int calls = 0;
  do {
    OK(chorale_run_solve(sliced, &other, &error));
    assert_true(++calls < 3 * VOTERS);
  } while (other.outcome == CHORALE_OUTCOME_DEADLINE);
  print_message("%d calls\n", calls);
  assert_true(one.score == other.score);
  assert_int_equal(one.clique_updates, other.clique_updates);
  int32_t labels[VOTERS], others[VOTERS];
  OK(chorale_run_labels(whole, CHORALE_ALL_CHAINS, CHORALE_TOGETHER, labels, VOTERS, NULL, &error));
  OK(chorale_run_labels(sliced, CHORALE_ALL_CHAINS, CHORALE_TOGETHER, others, VOTERS, NULL,
                        &error));
  assert_memory_equal(labels, others, sizeof labels);
  chorale_run_destroy(whole);
  chorale_run_destroy(sliced);
  chorale_model_release(model);
  chorale_potential_release(potential);
}

/* ---- Another worker sees the limit first ---------------------------------------------------- */

enum { LINES = 120, WORDS = 4, TAGS = 3, SHARED = 3 }; /* so that the polish has batches of 7 */

/* An executor and a callback potential that cooperate: in call `meddles_at` of the potential, a
 * second worker starts the next index of the loop while the cancel flag is raised, so that the call
 * must end while the first worker is within its step. */
typedef struct Meddler {
  chorale_cancel *cancel;
  chorale_parallel_body body;
  void *body_user;
  int64_t next;  /* index that the second worker may start; -1: none */
  int64_t ahead; /* index that it has started */
  int64_t calls; /* while a second worker has something to start */
  int64_t meddles_at;
} Meddler;

static void one_by_one(void *user, int64_t count, int64_t workers, chorale_parallel_body body,
                       void *body_user) {
  Meddler *self = user;
  (void)workers;
  self->body = body;
  self->body_user = body_user;
  self->ahead = -1;
  for (int64_t i = 0; i < count; ++i) {
    self->next = i + 1 < count ? i + 1 : -1;
    if (i != self->ahead)
      body(body_user, i, 0);
  }
  self->next = -1;
}

static int32_t count_and_meddle(void *user, const int64_t *counts, int64_t values, int64_t members,
                                double *score) {
  Meddler *self = user;
  double sum = 0;
  for (int64_t v = 0; v < values; ++v)
    sum += (double)(counts[v] * counts[v]);
  *score = -2 * sum / (double)members;
  if (self->next >= 0 && ++self->calls == self->meddles_at) {
    self->ahead = self->next;
    chorale_cancel_raise(self->cancel);
    self->body(self->body_user, self->next, 1);
    chorale_cancel_lower(self->cancel);
  }
  return 0;
}

static void another_worker_ends_the_call(void **state) {
  (void)state;
  Random random = {test_seed() + 34};
  static double scores[LINES][WORDS * TAGS];
  chorale_error error;
  Meddler meddler = {.next = -1, .meddles_at = INT64_MAX};
  OK(chorale_cancel_create(NULL, &meddler.cancel, &error));
  chorale_potential *potential = NULL;
  OK(chorale_potential_create_callback(NULL, TAGS, count_and_meddle, &meddler, NULL, NULL,
                                       &potential, &error));
  chorale_model_builder *builder = NULL;
  OK(chorale_model_builder_create(NULL, &builder, &error));
  for (int64_t g = 0; g < LINES / SHARED; ++g) {
    chorale_clique_setup setup = {.struct_size = sizeof setup};
    setup.values = TAGS;
    setup.potential = potential;
    OK(chorale_model_builder_add_cliques(builder, &setup, 1, NULL, &error));
  }
  for (int64_t i = 0; i < LINES; ++i) {
    chorale_chain chain = {.struct_size = sizeof chain};
    chain.length = WORDS;
    chain.labels = TAGS;
    chain.unary = scores[i];
    for (int64_t e = 0; e < WORDS * TAGS; ++e)
      scores[i][e] = 1 * random_unit(&random);
    OK(chorale_model_builder_add_chain(builder, &chain, NULL, NULL, &error));
    for (int64_t t = 0; t < WORDS; ++t)
      OK(put_position(builder, i / SHARED, i, t, &error));
  }
  chorale_model *model = NULL;
  OK(chorale_model_builder_freeze(builder, &model, &error));
  chorale_model_builder_destroy(builder);
  chorale_run_options options = {.struct_size = sizeof options};
  options.rounds = CHORALE_NO_ROUNDS; /* much is left to the polish */
  options.threads = 2;
  options.executor = one_by_one;
  options.executor_user = &meddler;
  options.cancel = meddler.cancel;
  double score = 0;
  int32_t labels[LINES * WORDS], others[LINES * WORDS];
  int64_t calls = 0, ended = 0;
  const int64_t tries = test_rounds(300);
  for (int64_t k = -1; k < tries; ++k) {
    chorale_run *run = NULL;
    chorale_run_result result = {.struct_size = sizeof result};
    OK(chorale_run_create(NULL, model, &options, NULL, &run, &error));
    meddler.calls = 0;
    meddler.meddles_at = k < 0 ? INT64_MAX : 1 + k * calls / tries;
    do {
      OK(chorale_run_solve(run, &result, &error));
      ended += result.outcome == CHORALE_OUTCOME_CANCELLED;
    } while (result.outcome == CHORALE_OUTCOME_CANCELLED);
    OK(chorale_run_labels(run, CHORALE_ALL_CHAINS, CHORALE_TOGETHER, k < 0 ? labels : others,
                          LINES * WORDS, NULL, &error));
    if (k < 0) {
      score = result.score;
      calls = meddler.calls;
    } else if (result.score != score || memcmp(labels, others, sizeof labels) != 0) {
      fail_msg("CHORALE_TEST_SEED=%llu, meddling in call %lld of %lld: score %.17g, not %.17g",
               (unsigned long long)test_seed(), (long long)meddler.meddles_at, (long long)calls,
               result.score, score);
    }
    chorale_run_destroy(run);
  }
  print_message("%lld of %lld runs were cancelled\n", (long long)ended, (long long)tries);
  assert_true(ended > tries * 3 / 4); /* scores of cliques are added up without looking */
  chorale_model_release(model);
  chorale_potential_release(potential);
  chorale_cancel_destroy(meddler.cancel);
}

/* Solving a text in time slices, on one thread and on two, gives the same bits as one call. */
static void any_slicing_of_a_text(void **state) {
  (void)state;
  Random random = {test_seed() + 32};
  for (int64_t round = 0; round < test_rounds(4); ++round) {
    TextShape shape = text_of_rounds();
    shape.seed = random_bits(&random);
    shape.chains = 40 + test_rounds(shape.chains - 40);
    Text text;
    open_text(&shape, NULL, &text);
    chorale_run_options options;
    random_text_options(&random, &options);
    Story whole, sliced;
    solve_text(&text, &options, &whole);
    static const double limits[] = {1e-9, 2e-4};
    for (size_t k = 0; k < COUNT_OF(limits); ++k)
      for (options.threads = 1; options.threads <= 2; ++options.threads) {
        chorale_error error;
        chorale_run *run = NULL;
        int64_t slices = 0;
        options.time_limit = limits[k];
        OK(chorale_run_create(NULL, text.model, &options, NULL, &run, &error));
        OK(in_slices(run, call_solve, 0, &slices, &error));
        tell(&text, run, &sliced);
        char what[64];
        (void)snprintf(what, sizeof what, "%lld slices on %lld threads", (long long)slices,
                       (long long)options.threads);
        expect_same_story(&text, &whole, &sliced, what, round);
        if (k == 0)
          assert_true(slices > shape.chains / 2);
        forget(&sliced);
        chorale_run_destroy(run);
      }
    forget(&whole);
    close_text(&text);
  }
}

/* ---- Starting from an earlier run --------------------------------------------------------- */

static const char *start_from_the_same(const Cluster *cluster, void *context) {
  int64_t *converged = context;
  static Built built;
  static Said said[2];
  Cluster patient = *cluster;
  patient.options.rounds = 50;
  chorale_error error;
  build(&patient, NULL, &built);
  chorale_run *run = NULL, *again = NULL;
  OK(chorale_run_create(NULL, built.model, &patient.options, NULL, &run, &error));
  OK(chorale_run_solve(run, NULL, &error));
  listen_to(&patient, run, &said[0]);
  OK(chorale_run_create(NULL, built.model, &patient.options, run, &again, &error));
  chorale_run_destroy(run); /* it is only read when the other is created */
  OK(chorale_run_solve(again, NULL, &error));
  listen_to(&patient, again, &said[1]);
  const chorale_run_result *a = &said[0].result, *b = &said[1].result;
  const char *why = NULL;
  if (a->outcome == CHORALE_OUTCOME_COMPLETE) {
    ++*converged;
    /* The steps of the bound depend on the best known score, and may find a better labelling. */
    const int gains = patient.options.bound_steps > 0 && b->score > a->score;
    if (b->chain_updates != 0 || b->clique_updates != 0)
      why = complain("nothing has changed, yet there are %lld and %lld updates",
                     (long long)b->chain_updates, (long long)b->clique_updates);
    else if (!gains && (a->score != b->score || a->outcome != b->outcome))
      why = complain("score %.17g, from there %.17g; outcome %d", a->score, b->score, b->outcome);
    else if (!gains &&
             (memcmp(said[0].labels, said[1].labels, sizeof said[0].labels) != 0 ||
              memcmp(said[0].own, said[1].own, sizeof said[0].own) != 0 ||
              memcmp(said[0].marginals, said[1].marginals, sizeof said[0].marginals) != 0))
      why = complain("labels or marginals differ");
  } else if (b->score < a->score) {
    why = complain("score %.17g, from there %.17g", a->score, b->score);
  }
  chorale_run_destroy(again);
  close_built(&patient, &built);
  return why;
}

static void an_unchanged_model_needs_no_work(void **state) {
  (void)state;
  int64_t converged = 0;
  check_clusters("warm", test_rounds(500), random_cluster, start_from_the_same, &converged);
  print_message("%lld runs had converged\n", (long long)converged);
  assert_true(converged > 0);
}

/* Two items in a closed clique, one of which has no labelling. */
static void an_unchanged_model_with_a_chain_left_out_needs_no_work(void **state) {
  (void)state;
  chorale_error error;
  static const double scores[2][2] = {{0, 1}, {-INFINITY, -INFINITY}};
  chorale_potential *potts = NULL;
  OK(chorale_potential_create_potts(NULL, 2, 1, NULL, &potts, &error));
  chorale_model_builder *builder = NULL;
  OK(chorale_model_builder_create(NULL, &builder, &error));
  chorale_clique_setup setup = {.struct_size = sizeof setup};
  setup.values = 2;
  setup.potential = potts;
  OK(chorale_model_builder_add_cliques(builder, &setup, 1, NULL, &error));
  for (int64_t i = 0; i < 2; ++i) {
    chorale_chain chain = {.struct_size = sizeof chain};
    chain.length = 1;
    chain.labels = 2;
    chain.unary = scores[i];
    OK(chorale_model_builder_add_chain(builder, &chain, NULL, NULL, &error));
    OK(put_position(builder, 0, i, 0, &error));
  }
  chorale_model *model = NULL;
  OK(chorale_model_builder_freeze(builder, &model, &error));
  chorale_model_builder_destroy(builder);
  chorale_run *run = NULL, *again = NULL;
  chorale_run_result first = {.struct_size = sizeof first}, second = {.struct_size = sizeof second};
  OK(chorale_run_create(NULL, model, NULL, NULL, &run, &error));
  OK(chorale_run_solve(run, &first, &error));
  assert_int_equal(first.left_out, 1);
  assert_int_equal(first.clique_updates, 1);
  OK(chorale_run_create(NULL, model, NULL, run, &again, &error));
  OK(chorale_run_solve(again, &second, &error));
  assert_int_equal(second.left_out, 1);
  assert_int_equal(second.chain_updates, 0);
  assert_int_equal(second.clique_updates, 0);
  assert_true(first.score == second.score);
  chorale_run_destroy(again);
  chorale_run_destroy(run);
  chorale_model_release(model);
  chorale_potential_release(potts);
}

/* Replaces the scores of one chain by others of the same shape. */
static void change_scores(const Cluster *cluster, int32_t chain, uint64_t seed, Cluster *changed) {
  *changed = *cluster;
  Random random = {seed};
  Sample *sample = &changed->chains[chain];
  for (int32_t t = 0; t < sample->length; ++t)
    for (int32_t y = 0; y < sample->labels; ++y)
      if (sample->unary[t][y] > -INFINITY)
        sample->unary[t][y] +=
            sample->is_real ? 2 * random_unit(&random) - 1 : random_int(&random, -4, 4) / 4.0;
}

typedef enum Change { CHANGE_MODEL, CHANGE_CHAIN, CHANGE_CHAIN_BEFORE_START } Change;

typedef struct Changing {
  Change change;
  int must_be_optimal;
} Changing;

static const char *go_on_after_a_change(const Cluster *cluster, void *context) {
  const Changing *changing = context;
  static Built built, other;
  static Cluster changed;
  static Given given;
  ClusterTruth before, truth;
  int32_t chain = 0;
  while (chain < cluster->chain_count - 1 && cluster->is_instance[chain])
    ++chain;
  if (cluster->is_instance[chain])
    return NULL;
  change_scores(cluster, chain, 77, &changed);
  if (changing->must_be_optimal)
    changed.options.rounds = 2 * cluster->clique_count + 2;
  if (!enumerate_cluster(cluster, &before) || !enumerate_cluster(&changed, &truth) ||
      before.left_out > 0 || truth.left_out > 0 || !truth.own_is_decodable || !before.own_is_decodable ||
      (changing->must_be_optimal && !truth.is_unique))
    return NULL;
  chorale_error error;
  memset(&other, 0, sizeof other);
  memset(&given, 0, sizeof given);
  build(cluster, NULL, &built);
  chorale_run *run = NULL;
  OK(chorale_run_create(NULL, built.model, &changed.options, NULL, &run, &error));
  Labelling old;
  memset(old, 0, sizeof old);
  chorale_run_result result = {.struct_size = sizeof result};
  if (changing->change != CHANGE_CHAIN_BEFORE_START)
    OK(chorale_run_solve(run, &result, &error));
  const int has_old = changing->change != CHANGE_CHAIN_BEFORE_START && result.score > -INFINITY;
  for (int32_t i = 0; i < cluster->chain_count && has_old; ++i)
    OK(chorale_run_labels(run, i, CHORALE_TOGETHER, old[i], MOST_POSITIONS, NULL, &error));
  if (changing->change == CHANGE_MODEL) {
    build(&changed, NULL, &other);
    chorale_run *warm = NULL;
    OK(chorale_run_create(NULL, other.model, &changed.options, run, &warm, &error));
    chorale_run_destroy(run);
    run = warm;
  } else {
    give(&changed.chains[chain], &given);
    OK(chorale_run_set_chain(run, chain, &given.chain, &error));
  }
  OK(chorale_run_solve(run, &result, &error));
  Cluster judged = changed;
  if (judged.options.rounds != CHORALE_NO_ROUNDS)
    judged.options.rounds = 2 * rounds_of(&judged.options); /* those of both calls */
  const char *why = check_run(&judged, &truth, run, &result);
  Parts parts;
  own_parts(&changed, old, &parts);
  if (!why && has_old && !is_at_most(parts.total, result.score))
    why = complain("the earlier labelling scores %.17g now, the run ends at %.17g", parts.total,
                   result.score);
  if (!why && changing->must_be_optimal && !is_at_most(truth.best, result.score))
    why = complain("score %.17g, the optimum is %.17g", result.score, truth.best);
  chorale_run_destroy(run);
  close_built(&changed, &other);
  take_back(&given);
  close_built(cluster, &built);
  return why;
}

static void a_changed_model_goes_on(void **state) {
  (void)state;
  for (Change change = CHANGE_MODEL; change <= CHANGE_CHAIN_BEFORE_START;
       change = (Change)(change + 1)) {
    Changing changing = {change, 0};
    check_clusters("changed", test_rounds(300), random_cluster, go_on_after_a_change, &changing);
    changing.must_be_optimal = 1;
    check_clusters("changed, exact", test_rounds(300), random_exact_cluster, go_on_after_a_change,
                   &changing);
  }
}

static void little_work_for_a_little_change(void **state) {
  (void)state;
  chorale_error error;
  Text text;
  TextShape shape = kText; /* messages converge */
  shape.lambda = 0.2;
  open_text(&shape, NULL, &text);
  chorale_run_options options = {.struct_size = sizeof options};
  options.rounds = 200;
  chorale_run *run = NULL;
  OK(chorale_run_create(NULL, text.model, &options, NULL, &run, &error));
  chorale_run_result first, second;
  first = (chorale_run_result){.struct_size = sizeof first};
  second = (chorale_run_result){.struct_size = sizeof second};
  OK(chorale_run_solve(run, &first, &error));
  chorale_chain chain;
  describe_sentence(&text, 3, &chain);
  double scores[9 * 4];
  memcpy(scores, chain.unary, sizeof(double) * (size_t)(chain.length * chain.labels));
  scores[0] += 0.5;
  chain.unary = scores;
  OK(chorale_run_set_chain(run, 3, &chain, &error));
  OK(chorale_run_solve(run, &second, &error));
  print_message("fresh: outcome %d, %lld chain and %lld clique updates; after a change %d, %lld "
                "and %lld more\n",
                first.outcome, (long long)first.chain_updates, (long long)first.clique_updates,
                second.outcome, (long long)(second.chain_updates - first.chain_updates),
                (long long)(second.clique_updates - first.clique_updates));
  assert_int_equal(first.outcome, CHORALE_OUTCOME_COMPLETE);
  assert_int_equal(second.outcome, CHORALE_OUTCOME_COMPLETE);
  assert_true(2 * (second.chain_updates - first.chain_updates) < first.chain_updates);
  chorale_run_destroy(run);
  close_text(&text);
}

/* ---- Ending early ------------------------------------------------------------------------- */

static double now(void) {
  struct timespec time;
  (void)clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

typedef struct Canceller {
  chorale_cancel *cancel;
  double wait, raised_at;
  pthread_t thread;
} Canceller;

static void *raise_later(void *argument) {
  Canceller *self = argument;
  const struct timespec pause = {0, (long)(1e9 * self->wait)};
  (void)nanosleep(&pause, NULL);
  self->raised_at = now();
  chorale_cancel_raise(self->cancel);
  return NULL;
}

/* A text on which messages do not converge. */
static const TextShape kRestless = {1500, 12, 6, 150, 50, 1, -6, 13};

static void expect_good_order(const Text *text, chorale_run *run,
                              const chorale_run_result *result) {
  chorale_error error;
  int32_t *labels = malloc(sizeof(int32_t) * (size_t)text->positions);
  assert_non_null(labels);
  const chorale_status status = chorale_run_labels(run, CHORALE_ALL_CHAINS, CHORALE_TOGETHER,
                                                   labels, text->positions, NULL, &error);
  assert_int_equal(status, CHORALE_OK);
  if (result->score > -INFINITY) {
    assert_true(result->score >= result->own_score);
    double sum = 0, block = 0; /* sums of 1024 chains each, summed */
    for (int64_t i = 0; i < text->shape.chains; ++i) {
      if (i > 0 && i % 1024 == 0) {
        sum += block;
        block = 0;
      }
      chorale_chain chain;
      describe_sentence(text, i, &chain);
      double score = NAN;
      OK(chorale_chain_score(&chain, labels + text->first[i], &score, &error));
      block += score;
    }
    assert_true(sum + block == result->chain_score);
  }
  free(labels);
}

static void a_cancel_from_another_thread_ends_it(void **state) {
  (void)state;
  chorale_error error;
  Text text;
  open_text(&kRestless, NULL, &text);
  Canceller canceller;
  memset(&canceller, 0, sizeof canceller);
  OK(chorale_cancel_create(NULL, &canceller.cancel, &error));
  chorale_run_options options = {.struct_size = sizeof options};
  options.rounds = 100000;
  options.cancel = canceller.cancel;
  options.bound_steps = 100000;
  Random random = {test_seed() + 33};
  int64_t cancelled = 0;
  double slowest = 0;
  for (int64_t round = 0; round < test_rounds(16); ++round) {
    options.threads = round % 2 == 0 ? 1 : 2;
    chorale_run *run = NULL;
    OK(chorale_run_create(NULL, text.model, &options, NULL, &run, &error));
    canceller.wait = 0.1 * random_unit(&random) * random_unit(&random);
    assert_int_equal(pthread_create(&canceller.thread, NULL, raise_later, &canceller), 0);
    chorale_run_result result = {.struct_size = sizeof result};
    OK(chorale_run_solve(run, &result, &error));
    const double ended = now();
    assert_int_equal(pthread_join(canceller.thread, NULL), 0);
    if (result.outcome == CHORALE_OUTCOME_CANCELLED) {
      ++cancelled;
      slowest = fmax(slowest, ended - canceller.raised_at);
    }
    expect_good_order(&text, run, &result);
    /* The run continues from where it was. */
    chorale_cancel_lower(canceller.cancel);
    const double before = result.score;
    OK(chorale_run_step(run, &result, &error));
    OK(chorale_run_step(run, &result, &error));
    assert_true(result.score >= before && result.score >= result.own_score);
    expect_good_order(&text, run, &result);
    chorale_run_destroy(run);
  }
  print_message("%lld cancelled, at most %.1f ms late\n", (long long)cancelled, 1e3 * slowest);
  assert_true(cancelled > 0);
  assert_true(slowest < 20); /* loose: sanitizers and busy machines */
  chorale_cancel_destroy(canceller.cancel);
  close_text(&text);
}

static void a_deadline_ends_it(void **state) {
  (void)state;
  chorale_error error;
  Text text;
  open_text(&kRestless, NULL, &text);
  chorale_run_options options = {.struct_size = sizeof options};
  options.rounds = 100000;
  options.bound_steps = 100000;
  double slowest = 0;
  static const double limits[] = {-1, 0.001, 0.01, 0.05, 0.1};
  for (int64_t round = 0; round < test_rounds(2 * (int64_t)COUNT_OF(limits)); ++round) {
    options.threads = 1 + round % 2;
    options.time_limit = limits[round / 2 % (int64_t)COUNT_OF(limits)];
    chorale_run *run = NULL;
    OK(chorale_run_create(NULL, text.model, &options, NULL, &run, &error));
    chorale_run_result result = {.struct_size = sizeof result};
    const double start = now();
    OK(chorale_run_solve(run, &result, &error));
    slowest = fmax(slowest, now() - start - fmax(options.time_limit, 0));
    assert_int_equal(result.outcome, CHORALE_OUTCOME_DEADLINE);
    if (options.time_limit < 0)
      assert_int_equal(result.chain_updates, 0);
    expect_good_order(&text, run, &result);
    OK(chorale_run_set_limits(run, 0, NULL, &error));
    OK(chorale_run_step(run, &result, &error));
    OK(chorale_run_step(run, &result, &error));
    expect_good_order(&text, run, &result);
    assert_true(result.score > -INFINITY);
    chorale_run_destroy(run);
  }
  print_message("at most %.1f ms late\n", 1e3 * slowest);
  assert_true(slowest < 20); /* loose: sanitizers and busy machines */
  close_text(&text);
}

/* A run that is stopped after any number of rounds, and continued, ends with valid results. */
static int32_t stop_now_and_then(void *user, const chorale_progress *progress) {
  int64_t *left = user;
  (void)progress;
  return --*left == 0;
}

static const char *stop_and_go(const Cluster *cluster, void *context) {
  (void)context;
  static Built built;
  static Cluster stopping;
  stopping = *cluster;
  ClusterTruth truth;
  (void)enumerate_cluster(cluster, &truth);
  int64_t left = 2;
  stopping.options.progress = stop_now_and_then;
  stopping.options.progress_user = &left;
  build(&stopping, NULL, &built);
  chorale_error error;
  chorale_run *run = NULL;
  OK(chorale_run_create(NULL, built.model, &stopping.options, NULL, &run, &error));
  chorale_run_result result = {.struct_size = sizeof result};
  const char *why = NULL;
  double before = -INFINITY;
  for (int call = 0; call < 4 && !why; ++call) {
    left = call < 3 ? 2 : INT64_MAX;
    OK(chorale_run_solve(run, &result, &error));
    if (result.score < before)
      why = complain("call %d: score %.17g after %.17g", call, result.score, before);
    before = result.score;
  }
  stopping.options.rounds = 4 * rounds_of(&stopping.options) + 4;
  if (!why)
    why = check_run(&stopping, &truth, run, &result);
  chorale_run_destroy(run);
  close_built(&stopping, &built);
  return why;
}

static void stopping_and_going_on(void **state) {
  (void)state;
  check_clusters("stop and go", test_rounds(300), random_cluster, stop_and_go, NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(any_number_of_threads),
      cmocka_unit_test(an_executor_that_is_broken_is_noticed),
      cmocka_unit_test(runs_share_a_model),
      cmocka_unit_test(a_run_may_be_read_from_several_threads),
      cmocka_unit_test(any_way_of_running),
      cmocka_unit_test(any_slicing_of_a_text),
      cmocka_unit_test(a_long_step_gets_done_in_short_calls),
      cmocka_unit_test(another_worker_ends_the_call),
      cmocka_unit_test(an_unchanged_model_needs_no_work),
      cmocka_unit_test(an_unchanged_model_with_a_chain_left_out_needs_no_work),
      cmocka_unit_test(a_changed_model_goes_on),
      cmocka_unit_test(little_work_for_a_little_change),
      cmocka_unit_test(a_cancel_from_another_thread_ends_it),
      cmocka_unit_test(a_deadline_ends_it),
      cmocka_unit_test(stopping_and_going_on),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
