/* Every function of the library (calls.def) without memory. Functions that may allocate are called
 * with their first, second, third .. allocation refused until they succeed: each time the status
 * says so, nothing leaks, all objects are unchanged and the next call works. Functions that never
 * allocate must succeed with all memory refused. Refusals come from the hooks of a host, which
 * return NULL or misaligned blocks, and from malloc itself. */
#include "fixture_scene.h"

static Scene scene;

/* ---- Arguments that calls.def makes of a scene -------------------------------------------- */

static const double *table_of(Scene *s) {
  static const double table[] = {0, 1, 0.5, 2, 1, -1, 0.25, 3, 0, 2, 1, 1, 0, 0, 1, 2};
  (void)s;
  return table;
}
static const int64_t *counts_of(Scene *s) {
  s->counts[2] = 1;
  s->counts[3] = 2;
  return s->counts + 2;
}
static const chorale_potential_options *counted_options(Scene *s) {
  static chorale_potential_options options;
  options = (chorale_potential_options){.struct_size = sizeof options};
  s->bytes[0] = s->bytes[2] = 1;
  s->bytes[1] = 0;
  options.counted = s->bytes;
  return &options;
}
static int32_t score_of_counts(void *user, const int64_t *counts, int64_t values, int64_t members,
                               double *score) {
  (void)user;
  (void)values;
  *score = (double)(counts[0] * members);
  return 0;
}
static chorale_clique_result *clique_result_of(Scene *s) {
  chorale_clique_result *result = (chorale_clique_result *)s->text;
  *result = (chorale_clique_result){.struct_size = sizeof *result};
  return result;
}
static const chorale_transitions_options *transitions_options(void) {
  static chorale_transitions_options options;
  options = (chorale_transitions_options){.struct_size = sizeof options};
  return &options;
}
static const chorale_transitions_options *borrowed_transitions(Scene *s) {
  chorale_transitions_options *options = (chorale_transitions_options *)transitions_options();
  options->borrow = 1;
  options->start = table_of(s);
  return options;
}
static const chorale_transitions_options *masked_transitions(Scene *s) {
  static const uint8_t mask[] = {1, 1, 0, 1};
  chorale_transitions_options *options = (chorale_transitions_options *)transitions_options();
  options->mask = mask;
  options->end = table_of(s);
  return options;
}
static const char *const *label_names(Scene *s) {
  static const char *const names[] = {"O", "B-X", "I-X"};
  (void)s;
  return names;
}
static const int32_t *local_actions(Scene *s) {
  static const int32_t actions[] = {-1, 1, 0, 0, CHORALE_FIRE_LABEL, -1};
  (void)s;
  return actions;
}
static const chorale_chain_options *borrowed_chain(Scene *s) {
  s->chain_options.borrow = 1;
  return &s->chain_options;
}
static const chorale_chain *tree_of(Scene *s) {
  static const int32_t parents[] = {-1, 0, 0};
  static const uint8_t allowed[] = {1, 1, 1, 0, 1, 1};
  static chorale_chain tree;
  tree = s->chain;
  tree.parents = parents;
  tree.allowed = allowed;
  return &tree;
}
static chorale_learnt_report *report_of(void) {
  static chorale_learnt_report report;
  report = (chorale_learnt_report){.struct_size = sizeof report};
  return &report;
}
static const char *json_of(Scene *s) {
  chorale_error error;
  OK(chorale_learnt_text(s->has.learnt, CHORALE_TEXT_JSON, s->text, sizeof s->text, NULL, &error));
  return s->text;
}
static const chorale_corpus *borrowed_corpus(Scene *s) {
  s->corpus.borrow = 1;
  s->corpus.unary_row_stride = 3; /* every chain is kept as a view */
  return &s->corpus;
}
static const chorale_corpus *counted_corpus(Scene *s) {
  static const int64_t counts[] = {2, 3};
  s->corpus.counts = counts;
  return &s->corpus;
}
/* Returns one member of a clique: a position of a chain, or the whole chain (-1). */
static const chorale_members *one_member(Scene *s, int64_t clique, int64_t chain,
                                         int64_t position) {
  static const int64_t offsets[] = {0, 1};
  static chorale_members members;
  s->counts[2] = chain;
  s->counts[3] = position;
  members = (chorale_members){.struct_size = sizeof members, .first = clique, .cliques = 1};
  members.offsets = offsets;
  members.chains = s->counts + 2;
  members.positions = s->counts + 3;
  members.classes = &s->member_arrays.classes;
  return &members;
}
static const chorale_members *one_centre(Scene *s) {
  static const int64_t none[] = {0, 0};
  static chorale_members members;
  members = *one_member(s, 2, 0, 1);
  members.offsets = none;
  members.centre_chains = members.chains;
  members.centre_positions = members.positions;
  return &members;
}
/* So many mentions that a ledger with a few rows needs memory. */
static const chorale_mentions *more_mentions(Scene *s) {
  static int32_t zeros[200];
  static chorale_mentions more;
  more = s->mentions;
  more.count = 200;
  more.keys = 150;
  more.key = more.label = zeros;
  more.confidence = NULL;
  return &more;
}
static chorale_run_cost *cost_of(Scene *s) {
  chorale_run_cost *cost = (chorale_run_cost *)s->text;
  *cost = (chorale_run_cost){.struct_size = sizeof *cost};
  return cost;
}
static chorale_run_result *run_result_of(Scene *s) {
  chorale_run_result *result = (chorale_run_result *)s->text;
  *result = (chorale_run_result){.struct_size = sizeof *result};
  return result;
}
static const chorale_text *texts_of(Scene *s) {
  static chorale_text texts[4];
  (void)s;
  for (int k = 0; k < 4; ++k)
    texts[k] = text_of(k % 2 ? "a" : "caf\xc3\xa9");
  return texts;
}

/* ---- The table ---------------------------------------------------------------------------- */

typedef struct Row {
  const char *function, *variant;
  int may;
  chorale_status (*call)(Scene *s);
} Row;

#define NEVER(function, arguments)                                                                 \
  static chorale_status never_##function(Scene *s) {                                               \
    (void)s;                                                                                       \
    (void)function arguments;                                                                      \
    return CHORALE_OK;                                                                             \
  }
#define NEVER_STATUS(function, arguments)                                                          \
  static chorale_status never_##function(Scene *s) { return function arguments; }
#define MAY(function, variant, arguments)                                                          \
  static chorale_status may_##function##_##variant(Scene *s) { return function arguments; }
#define DESTROYS(function, handle)                                                                 \
  static chorale_status never_##function(Scene *s) {                                               \
    function(s->handle);                                                                           \
    s->handle = NULL;                                                                              \
    return CHORALE_OK;                                                                             \
  }
#define RETAINS(retain, release, handle)                                                           \
  static chorale_status never_##retain(Scene *s) {                                                 \
    release(retain(s->handle));                                                                    \
    return CHORALE_OK;                                                                             \
  }
#include "calls.def"
#undef NEVER
#undef NEVER_STATUS
#undef MAY
#undef DESTROYS
#undef RETAINS

static const Row kRows[] = {
#define NEVER(function, arguments) {#function, "", 0, never_##function},
#define NEVER_STATUS NEVER
#define MAY(function, variant, arguments) {#function, #variant, 1, may_##function##_##variant},
#define DESTROYS(function, handle) {#function, "", 0, never_##function},
#define RETAINS(retain, release, handle)                                                           \
  {#retain, "", 0, never_##retain}, {#release, "", 0, never_##retain},
#include "calls.def"
#undef NEVER
#undef NEVER_STATUS
#undef MAY
#undef DESTROYS
#undef RETAINS
};

/* ---- Refusing ----------------------------------------------------------------------------- */

typedef enum Way {
  BY_HOOKS,
  BY_MISALIGNED_HOOKS, /* this and all later blocks are misaligned */
  BY_MALLOC,
  BY_MALLOC_FROM_THERE_ON, /* this and all later ones: reporting has no memory either */
  WAYS
} Way;

static Way way;
static uint64_t untouched; /* digest of such a scene before any call */
static CountingAllocator allocator;
static chorale_host host;

/* Opens a new scene; returns the number of blocks before. */
static int64_t begin(void) {
  counting_allocator_init(&allocator);
  host = (chorale_host){.struct_size = sizeof host};
  host.allocator = &allocator.hooks;
  const int64_t before = memory_live_blocks();
  open_scene(way < BY_MALLOC ? &host : NULL, &scene);
  return before;
}

static void finish(const Row *row, int64_t before) {
  close_scene(&scene);
  if (allocator.live != 0 || allocator.live_bytes != 0 || allocator.mistakes != 0)
    fail_msg("%s %s: %lld blocks of the host, %lld bytes, are left; %lld mistakes", row->function,
             row->variant, (long long)allocator.live, (long long)allocator.live_bytes,
             (long long)allocator.mistakes);
  if (memory_live_blocks() != before)
    fail_msg("%s %s: %lld blocks of malloc are left", row->function, row->variant,
             (long long)(memory_live_blocks() - before));
  assert_int_equal(scene_files(), 0);
}

static chorale_status call_refused(const Row *row, int64_t number) {
  allocator.fail_at = way == BY_HOOKS ? number : 0;
  allocator.misaligns_from = way == BY_MISALIGNED_HOOKS ? number : 0;
  if (way >= BY_MALLOC && number > 0)
    memory_refuse(number, way == BY_MALLOC ? number : INT64_MAX);
  const chorale_status status = row->call(&scene);
  memory_refuse(0, 0);
  allocator.fail_at = allocator.misaligns_from = 0;
  if (status != CHORALE_OK && status != CHORALE_ERROR_OUT_OF_MEMORY)
    fail_msg("%s %s without allocation %lld: %s, \"%s\"", row->function, row->variant,
             (long long)number, chorale_status_name(status), scene.error.message);
  if (status != scene.error.status ||
      (scene.error.message[0] == '\0') != (status == CHORALE_OK))
    fail_msg("%s %s without allocation %lld: %s, but the error says %s, \"%s\"", row->function,
             row->variant, (long long)number, chorale_status_name(status),
             chorale_status_name(scene.error.status), scene.error.message);
  return status;
}

/* Returns a digest of the visible state after a call; if row->call is NULL, of a fresh scene. */
static uint64_t told_after(const Row *row) {
  const int64_t before = begin();
  if (row->call)
    assert_int_equal(row->call(&scene), CHORALE_OK);
  const uint64_t told = tell_scene(&scene);
  finish(row, before);
  return told;
}

static void expect_told(const Row *row, int64_t number, uint64_t expected, const char *when) {
  if (tell_scene(&scene) != expected)
    fail_msg("%s %s without allocation %lld: things are not as %s", row->function, row->variant,
             (long long)number, when);
}

/* Returns the number of refused allocations of both kinds. */
static int64_t refusals(void) { return allocator.refusals + memory_refusals(); }

/* Repeats a call with refused allocations. Returns the number of calls that failed. With fewer
 * rounds some allocation numbers are skipped. */
static int64_t sweep(const Row *row) {
  const uint64_t done = told_after(row);
  const int64_t step = 100 / test_rounds(100) > 1 ? 100 / test_rounds(100) : 1;
  const int only_first = way == BY_MALLOC_FROM_THERE_ON;
  int64_t failed = 0;
  for (int64_t number = 1, is_refused = 1; is_refused; number += step) {
    assert_true(number < 1000);
    const int64_t before = begin(), refused = refusals();
    const int succeeds = call_refused(row, number) == CHORALE_OK; /* it may do with less memory */
    is_refused = refusals() != refused && !only_first;
    failed += !succeeds;
    expect_told(row, number, succeeds ? done : untouched,
                succeeds ? "after a call that had memory" : "before");
    finish(row, before);
  }
  /* Then repeats the call on the same handles. */
  const int64_t before = begin();
  for (int64_t number = 1; call_refused(row, only_first && number > 1 ? 0 : number) != CHORALE_OK;
       number += step)
    assert_true(number < 1000);
  expect_told(row, 0, done, "after a call that was never refused memory");
  finish(row, before);
  return failed;
}

static void each_row(int64_t (*visit)(const Row *row), int may) {
  for (way = BY_HOOKS; way < WAYS; way = (Way)(way + 1)) {
    if (way >= BY_MALLOC && !memory_is_counted())
      break;
    const Row none = {"no call", "", 0, NULL};
    untouched = told_after(&none);
    int64_t rows = 0, failed = 0;
    /* Fewer rounds: each row in one way; far fewer: a fourth of the rows. */
    const size_t ways = memory_is_counted() ? WAYS : BY_MALLOC, rounds = (size_t)test_rounds(100);
    const size_t one_of = rounds >= 100 ? 1 : rounds >= 10 ? ways : 4 * ways;
    for (size_t k = 0; k < COUNT_OF(kRows); ++k)
      if (kRows[k].may == may && (k + test_seed()) % one_of == (size_t)way % one_of) {
        failed += visit(&kRows[k]);
        ++rows;
      }
    static const char *const names[] = {"hooks", "misaligned hooks", "malloc",
                                        "malloc, from there on"};
    print_message("%s: %lld rows, %lld calls failed\n", names[way], (long long)rows,
                  (long long)failed);
  }
}

static int64_t refuse_each(const Row *row) {
  const int64_t failed = sweep(row);
  if (failed < 1)
    fail_msg("%s %s needs no memory, and is said to", row->function, row->variant);
  return failed;
}

static void what_may_allocate_says_so_and_loses_nothing(void **state) {
  (void)state;
  if (memory_is_counted())
    memory_canary();
  each_row(refuse_each, 1);
}

static int64_t refuse_all(const Row *row) {
  const int64_t before = begin();
  allocator.is_dry = 1;
  const int64_t refused = refusals(), allocations = memory_allocations();
  if (way >= BY_MALLOC)
    memory_refuse(1, INT64_MAX);
  const chorale_status status = row->call(&scene);
  memory_refuse(0, 0);
  allocator.is_dry = 0;
  if (status != CHORALE_OK)
    fail_msg("%s: %s, \"%s\"", row->function, chorale_status_name(status), scene.error.message);
  if (refusals() != refused || memory_allocations() != allocations)
    fail_msg("%s asks for memory, and is said not to", row->function);
  finish(row, before);
  return 0;
}

static void what_never_allocates_needs_no_memory(void **state) {
  (void)state;
  each_row(refuse_all, 0);
}

/* ---- The table is whole ------------------------------------------------------------------- */

static int has_row(const char *function) {
  for (size_t k = 0; k < COUNT_OF(kRows); ++k)
    if (strcmp(kRows[k].function, function) == 0)
      return 1;
  return 0;
}

/* The converse, that every row is an exported function, is checked by the linker. */
static void each_of_a_list_has_a_row(const char *path) {
  FILE *list = fopen(path, "r");
  assert_non_null(list);
  char line[128];
  int64_t symbols = 0;
  for (; fgets(line, sizeof line, list); ++symbols) {
    line[strcspn(line, "\n")] = '\0';
    if (!has_row(line))
      fail_msg("%s has no row in calls.def", line);
  }
  fclose(list);
  assert_true(symbols > 50);
}
static void every_exported_function_has_a_row(void **state) {
  (void)state;
  each_of_a_list_has_a_row(SYMBOLS);
  each_of_a_list_has_a_row(SYMBOLS_EXPERIMENTAL);
}

/* ---- Threads ------------------------------------------------------------------------------ */

/* The work of a thread that the system cannot start is done by the others. */
static void a_run_without_memory_for_threads_ends_the_same(void **state) {
  (void)state;
  if (!memory_is_counted())
    skip();
  way = BY_MALLOC;
  uint64_t told[2];
  for (int refuses = 0; refuses < 2; ++refuses) {
    (void)begin(); /* the system keeps memory of threads */
    chorale_error error;
    scene.run_options.threads = 4;
    OK(chorale_run_create(NULL, scene.has.model, &scene.run_options, NULL, &scene.made.run,
                          &error));
    if (refuses)
      memory_refuse(1, INT64_MAX);
    const chorale_status status = chorale_run_solve(scene.made.run, NULL, &scene.error);
    memory_refuse(0, 0);
    assert_int_equal(status, CHORALE_OK);
    scene.run_options.threads = 1;
    told[refuses] = tell_scene(&scene);
    close_scene(&scene);
  }
  assert_true(told[0] == told[1]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_exported_function_has_a_row),
      cmocka_unit_test(what_may_allocate_says_so_and_loses_nothing),
      cmocka_unit_test(what_never_allocates_needs_no_memory),
      cmocka_unit_test(a_run_without_memory_for_threads_ends_the_same),
  };
  return cmocka_run_group_tests_name("out of memory", tests, make_scene_directory,
                                     remove_scene_directory);
}
