/* Counts, indices and strides near 2^31 and 2^63, and negative ones (hostile_sizes.def): a definite
 * status, no overflow (checked by a sanitizer), no read beyond the arrays, and no request for more
 * memory than the host would allow. */
#include "fixture_scene.h"

#include <time.h>

static Scene scene;

/* ---- A host that gives no large blocks ---------------------------------------------------- */

enum { MOST_BYTES = 1 << 26 };

typedef struct Miser {
  chorale_allocator hooks;
  int64_t refused;
} Miser;

static void *give_little(void *user, size_t bytes, size_t alignment) {
  Miser *self = user;
  void *block = NULL;
  if (bytes > MOST_BYTES) {
    ++self->refused;
    return NULL;
  }
  return posix_memalign(&block, alignment, bytes) == 0 ? block : NULL;
}
static void take_back_block(void *user, void *memory, size_t bytes, size_t alignment) {
  (void)user;
  (void)bytes;
  (void)alignment;
  free(memory);
}

static Miser miser;
static chorale_host host;

static void be_miserly(void) {
  miser.hooks.user = &miser;
  miser.hooks.allocate = give_little;
  miser.hooks.deallocate = take_back_block;
  miser.refused = 0;
  host = (chorale_host){.struct_size = sizeof host};
  host.allocator = &miser.hooks;
}

/* ---- Arguments ---------------------------------------------------------------------------- */

static const char *const names[] = {"O", "B-X", "I-X"};
static const chorale_text texts[] = {{"a", 1}, {"b", 1}, {"c", 1}, {"d", 1}};

static int32_t never_called(void *user, const int64_t *counts, int64_t values, int64_t members,
                            double *score) {
  (void)user;
  (void)counts;
  (void)values;
  (void)members;
  (void)score;
  return 1;
}
static chorale_clique_result *clique_result(Scene *s) {
  chorale_clique_result *result = (chorale_clique_result *)s->text;
  *result = (chorale_clique_result){.struct_size = sizeof *result};
  return result;
}
static const chorale_clique_problem *two_by_two(Scene *s) {
  s->clique.members = s->clique.values = s->clique.row_stride = 2;
  return &s->clique;
}
static const chorale_clique_options *limits(chorale_algorithm algorithm, int64_t iterations,
                                            int64_t nodes, int64_t pool) {
  static chorale_clique_options options;
  options = (chorale_clique_options){.struct_size = sizeof options};
  options.algorithm = algorithm;
  options.iteration_limit = iterations;
  options.node_limit = nodes;
  options.node_pool = pool;
  return &options;
}
static const chorale_transitions_options *strides(int64_t row, int64_t column) {
  static chorale_transitions_options options;
  options = (chorale_transitions_options){.struct_size = sizeof options};
  options.row_stride = row;
  options.column_stride = column;
  return &options;
}
static const chorale_run_options *joint(chorale_joint_mode mode, int64_t beam,
                                            int64_t budget) {
  static chorale_run_options options;
  options = (chorale_run_options){.struct_size = sizeof options};
  options.joint_mode = mode;
  options.beam_width = beam;
  options.max_states = budget;
  return &options;
}
static chorale_status run_it(Scene *s) {
  const chorale_status status = chorale_run_create(s->host, s->has.model, &s->run_options, NULL,
                                                   &s->made.run, &s->error);
  return status == CHORALE_OK ? chorale_run_solve(s->made.run, NULL, &s->error) : status;
}

static chorale_status decode_it(Scene *s) {
  return chorale_decode(s->host, &s->corpus, s->agreements, 1, NULL, &s->made.decoded, &s->error);
}

/* ---- The table ---------------------------------------------------------------------------- */

typedef enum Expected { IS_REFUSED, IS_TOO_FAR, IS_FINE, IS_BOUNDED } Expected;

typedef struct Case {
  const char *name;
  Expected expected;
  chorale_status (*call)(Scene *s, int64_t n);
} Case;

#define REFUSED(name, ...)                                                                         \
  static chorale_status do_##name(Scene *s, int64_t n) { return (__VA_ARGS__); }
#define TOO_FAR REFUSED
#define FINE REFUSED
#define BOUNDED REFUSED
#define IS(name, answer, ...)                                                                      \
  static chorale_status do_##name(Scene *s, int64_t n) {                                           \
    return (__VA_ARGS__) == (answer) ? CHORALE_OK : CHORALE_ERROR_INTERNAL;                        \
  }
#include "hostile_sizes.def"
#undef REFUSED
#undef TOO_FAR
#undef FINE
#undef BOUNDED
#undef IS

static const Case kCases[] = {
#define REFUSED(name, ...) {#name, IS_REFUSED, do_##name},
#define TOO_FAR(name, ...) {#name, IS_TOO_FAR, do_##name},
#define FINE(name, ...) {#name, IS_FINE, do_##name},
#define BOUNDED(name, ...) {#name, IS_BOUNDED, do_##name},
#define IS(name, answer, ...) {#name, IS_FINE, do_##name},
#include "hostile_sizes.def"
#undef REFUSED
#undef TOO_FAR
#undef FINE
#undef BOUNDED
#undef IS
};

static const int64_t kNegative[] = {-1,         -2,         INT32_MIN,      -INT64_C(4294967294),
                                    INT64_MIN / 8, INT64_MIN + 1, INT64_MIN};
/* Truncated to 32 bits these numbers are 0, negative, or 2. */
static const int64_t kBeyond[] = {INT64_C(1) << 31,
                                  (INT64_C(1) << 31) + 2,
                                  (INT64_C(1) << 32) - 1,
                                  INT64_C(1) << 32,
                                  (INT64_C(1) << 32) + 2,
                                  INT64_C(1) << 53,
                                  INT64_C(1) << 60,
                                  INT64_MAX / 8,
                                  INT64_MAX / 8 + 1,
                                  INT64_MAX / 2 + 1,
                                  INT64_MAX - 1,
                                  INT64_MAX};

static double now(void) {
  struct timespec time;
  (void)clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void drop_made(Scene *s) {
  chorale_potential_release(s->made.potential);
  chorale_transitions_release(s->made.transitions);
  chorale_property_release(s->made.property);
  chorale_dictionary_release(s->made.dictionary);
  chorale_run_destroy(s->made.run);
}

/* Makes a call on a scene, restores the scene, and returns the status; checks what must hold for
 * any status. */
static chorale_status try_size(const Case *one, int64_t n) {
  static Scene before;
  before = scene;
  const int64_t refused = miser.refused;
  const double start = now();
  const chorale_status status = one->call(&scene, n);
  const double seconds = now() - start;
  chorale_error error = scene.error;
  drop_made(&scene);
  scene = before;
  if (status != CHORALE_OK && one->expected != IS_FINE &&
      (error.status != status || error.message[0] == '\0'))
    fail_msg("%s(%lld): %s, and the error says %s, \"%s\"", one->name, (long long)n,
             chorale_status_name(status), chorale_status_name(error.status), error.message);
  if (status == CHORALE_ERROR_INTERNAL)
    fail_msg("%s(%lld): a wrong answer, or \"%s\"", one->name, (long long)n, error.message);
  if (status == CHORALE_ERROR_OUT_OF_MEMORY && miser.refused == refused)
    fail_msg("%s(%lld): out of memory that nobody refused", one->name, (long long)n);
  if (status == CHORALE_OK && miser.refused != refused)
    fail_msg("%s(%lld): needs memory that was refused, and says nothing", one->name, (long long)n);
  if (seconds > 30)
    fail_msg("%s(%lld) took %.0f seconds", one->name, (long long)n, seconds);
  return status;
}

static void expect_refused(const Case *one, int64_t n, chorale_status status) {
  if (status == CHORALE_OK)
    fail_msg("%s(%lld) is not refused", one->name, (long long)n);
  if (status == CHORALE_ERROR_OUT_OF_MEMORY)
    fail_msg("%s(%lld): asks for memory before it looks at the size", one->name, (long long)n);
}

static void sizes_that_no_array_has(void **state) {
  (void)state;
  be_miserly();
  open_scene(&host, &scene);
  for (size_t k = 0; k < COUNT_OF(kCases); ++k) {
    const Case *one = &kCases[k];
    for (size_t i = 0; i < COUNT_OF(kNegative) && one->expected != IS_FINE; ++i)
      expect_refused(one, kNegative[i], try_size(one, kNegative[i]));
    for (size_t i = 0; i < COUNT_OF(kBeyond); ++i) {
      if (one->expected == IS_TOO_FAR && kBeyond[i] < INT64_C(1) << 60)
        continue; /* the caller may have such an array */
      const chorale_status status = try_size(one, kBeyond[i]);
      if (one->expected == IS_REFUSED || one->expected == IS_TOO_FAR)
        expect_refused(one, kBeyond[i], status);
      else if (one->expected == IS_FINE && status != CHORALE_OK)
        fail_msg("%s(%lld): %s", one->name, (long long)kBeyond[i], chorale_status_name(status));
    }
  }
  print_message("%d counts, indices and strides\n", (int)COUNT_OF(kCases));
  close_scene(&scene);
}

/* ---- Sizes that are allowed, and what they would take ------------------------------------- */

/* A pool of nodes is no larger than a search can use, whatever size is asked for; beyond it the
 * search goes depth first, with the same optimum. */
static void pools_take_no_more_than_they_can_use(void **state) {
  (void)state;
  be_miserly();
  enum { MEMBERS = 3, VALUES = 2 };
  static const double scores[] = {1, 0, 0, 0.5, 0.25, 0.5};
  chorale_error error;
  chorale_potential *small = NULL;
  OK(chorale_potential_create_potts(&host, VALUES, 0.3, NULL, &small, &error));
  chorale_clique_options options = {.struct_size = sizeof options};
  options.algorithm = CHORALE_ALGORITHM_COUNT_BOXES;
  options.prove = 1;
  static const int64_t pools[] = {1, 16, INT64_C(1) << 31, INT64_MAX};
  double best = 0;
  for (size_t p = 0; p < COUNT_OF(pools); ++p) {
    options.node_pool = pools[p];
    chorale_clique_solver *solver = NULL;
    OK(chorale_clique_solver_create(&host, &solver, &error));
    chorale_clique_problem problem = {.struct_size = sizeof problem};
    problem.members = MEMBERS;
    problem.values = problem.row_stride = VALUES;
    problem.scores = scores;
    chorale_clique_result result = {.struct_size = sizeof result};
    OK(chorale_clique_solve(solver, small, &problem, &options, NULL, &result, &error));
    assert_int_equal(result.proven, 1);
    best = p == 0 ? result.score : best;
    assert_true(result.score == best);
    chorale_clique_solver_destroy(solver);
  }
  assert_int_equal(miser.refused, 0);
  chorale_potential_release(small);
}

/* Handles created with the largest allowed numbers allocate no memory for them, or ask the host and
 * get an error. */
static void the_largest_sizes_take_what_they_say(void **state) {
  (void)state;
  be_miserly();
  chorale_error error;
  chorale_label_map map = {.struct_size = sizeof map};
  map.labels = map.kinds = INT32_MAX / 6; /* times 3 states and 2 classes */
  chorale_property *property = NULL;
  FAILS(chorale_property_create_first_label(&host, &map, NULL, &property, &error),
        CHORALE_ERROR_OUT_OF_MEMORY, "memory");
  chorale_transitions *transitions = NULL;
  const chorale_status refused =
      chorale_transitions_create(&host, 1 << 28, NULL, NULL, &transitions, &error);
  if (sizeof(void *) < 8)
    FAILS(refused, CHORALE_ERROR_SIZE_OVERFLOW, "scores", "exceed the address space");
  else
    FAILS(refused, CHORALE_ERROR_OUT_OF_MEMORY, "memory");
  assert_null(property);
  assert_null(transitions);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sizes_that_no_array_has),
      cmocka_unit_test(pools_take_no_more_than_they_can_use),
      cmocka_unit_test(the_largest_sizes_take_what_they_say),
  };
  return cmocka_run_group_tests_name("hostile sizes", tests, NULL, NULL);
}
