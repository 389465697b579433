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
static const chorale_message_options *joint(chorale_joint_mode mode, int64_t beam,
                                            int64_t budget) {
  static chorale_message_options options;
  options = (chorale_message_options){.struct_size = sizeof options};
  options.mode = mode;
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
  chorale_property_builder_destroy(s->made.rules);
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

static chorale_status any_potential(int32_t family, int64_t values, const chorale_host *from,
                                    chorale_potential **potential, chorale_error *error) {
  switch (family) {
  case 0:
    return chorale_potential_create_potts(from, values, 1, NULL, potential, error);
  case 1:
    return chorale_potential_create_entropy(from, values, -1, NULL, potential, error);
  case 2:
    return chorale_potential_create_makespan(from, values, 1, NULL, potential, error);
  case 3:
    return chorale_potential_create_square_makespan(from, values, -1, NULL, potential, error);
  default:
    return chorale_potential_create_callback(from, values, never_called, NULL, NULL, NULL,
                                             potential, error);
  }
}

/* Workspace sizes of huge cliques are either computed or reported as an overflow. */
static void workspaces_of_huge_cliques_are_measured(void **state) {
  (void)state;
  be_miserly();
  static const int64_t sizes[] = {1, 2, 3, 65536, INT64_C(1) << 30, INT32_MAX - 1, INT32_MAX};
  int64_t told = 0, refused = 0;
  for (int32_t family = 0; family < 5; ++family)
    for (size_t r = 0; r < COUNT_OF(sizes); ++r) {
      chorale_error error;
      chorale_potential *potential = NULL;
      chorale_clique_solver *solver = NULL;
      OK(any_potential(family, sizes[r], &host, &potential, &error));
      OK(chorale_clique_solver_create(&host, &solver, &error));
      for (size_t n = 0; n < COUNT_OF(sizes); ++n)
        for (chorale_algorithm algorithm = 0; algorithm <= CHORALE_ALGORITHM_DUAL_BOUND;
             algorithm += 10)
          for (chorale_clique_task task = 0; task < 2; ++task) {
            chorale_clique_options options = {.struct_size = sizeof options};
            options.algorithm = algorithm;
            options.subset_size = n % 2 ? INT32_MAX : 3;
            options.node_pool = n % 3 ? 0 : INT64_MAX / 64;
            size_t bytes = 0;
            const double start = now();
            const chorale_status status = chorale_clique_solver_bytes(
                potential, sizes[n], &options, task, &bytes, &error);
            if (now() - start > 10)
              fail_msg("family %d, %lld values, %lld members, algorithm %d: %.0f seconds", family,
                       (long long)sizes[r], (long long)sizes[n], algorithm, now() - start);
            if (status == CHORALE_OK) {
              ++told;
              /* Lower bound: the scores alone take this much, so a smaller size would be the result
               * of an overflow. */
              if (sizes[n] > 3 && bytes / 8 < (size_t)sizes[n])
                fail_msg("family %d, %lld values, %lld members, algorithm %d: %zu bytes", family,
                         (long long)sizes[r], (long long)sizes[n], algorithm, bytes);
              if (bytes > MOST_BYTES + 4096)
                FAILS(chorale_clique_solver_reserve(solver, potential, sizes[n], &options, task,
                                                    &error),
                      CHORALE_ERROR_OUT_OF_MEMORY, "memory");
            } else if (status == CHORALE_ERROR_SIZE_OVERFLOW) {
              ++refused;
            } else if (status != CHORALE_ERROR_ALGORITHM_MISMATCH &&
                       status != CHORALE_ERROR_NOT_CONVEX &&
                       status != CHORALE_ERROR_NOT_CONCAVE) {
              fail_msg("%s: \"%s\"", chorale_status_name(status), error.message);
            }
          }
      chorale_clique_solver_destroy(solver);
      chorale_potential_release(potential);
    }
  print_message("%lld told, %lld do not fit\n", (long long)told, (long long)refused);
  assert_true(told > 100 && refused > 0);
}

/* The pool of nodes has the requested size if a search can use it, and never more than 1 GiB;
 * beyond it the search goes depth first, with the same optimum. */
static void pools_take_no_more_than_they_can_use(void **state) {
  (void)state;
  be_miserly();
  enum { MEMBERS = 3, VALUES = 2, BOXES = 16 };
  static const double scores[] = {1, 0, 0, 0.5, 0.25, 0.5};
  chorale_error error;
  chorale_potential *small = NULL, *large = NULL;
  OK(chorale_potential_create_potts(&host, VALUES, 0.3, NULL, &small, &error));
  OK(chorale_potential_create_potts(&host, 24, 0.3, NULL, &large, &error));
  chorale_clique_options options = {.struct_size = sizeof options};
  options.algorithm = CHORALE_ALGORITHM_COUNT_BOXES;
  options.prove = 1;
  static const int64_t pools[] = {1, BOXES, INT64_C(1) << 31, INT64_MAX};
  double best = 0;
  size_t few = 0, most = 0, bytes[COUNT_OF(pools)];
  for (size_t p = 0; p < COUNT_OF(pools); ++p) {
    options.node_pool = pools[p];
    OK(chorale_clique_solver_bytes(small, MEMBERS, &options, CHORALE_CLIQUE_SOLVE, &bytes[p],
                                   &error));
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
  assert_true(bytes[0] < bytes[1]);
  assert_int_equal(bytes[1], bytes[2]);
  assert_int_equal(bytes[1], bytes[3]);

  const size_t limit = (size_t)1 << 30;
  for (int64_t members = 1; members < 10000000; members *= 10)
    for (int64_t pool = 1; pool < INT64_C(1) << 60; pool *= 8) {
      options.node_pool = pool;
      OK(chorale_clique_solver_bytes(large, members, &options, CHORALE_CLIQUE_SOLVE, &most,
                                     &error));
      if (pool == 1)
        few = most;
      assert_true(most >= few);
      if (most > few + limit)
        fail_msg("%lld members, a pool of %lld: %zu bytes beside %zu", (long long)members,
                 (long long)pool, most - few, few);
    }
  assert_true(most > few); /* the pool is not ignored */
  assert_int_equal(miser.refused, 0);
  chorale_potential_release(small);
  chorale_potential_release(large);
}

/* Chains with sizes only; their numbers are never read. */
static void workspaces_of_huge_chains_are_measured(void **state) {
  (void)state;
  be_miserly();
  static const int64_t sizes[] = {1, 2, 65536, INT64_C(1) << 30, INT32_MAX - 1, INT32_MAX};
  static const double nothing[1];
  int64_t told = 0, refused = 0;
  chorale_error error;
  chorale_chain_solver *solver = NULL;
  OK(chorale_chain_solver_create(&host, &solver, &error));
  for (size_t t = 0; t < COUNT_OF(sizes); ++t)
    for (size_t m = 0; m < COUNT_OF(sizes); ++m)
      for (int shape = 0; shape < 4; ++shape)
        for (chorale_chain_task task = 0; task < 3; ++task)
          for (size_t k = 0; k < COUNT_OF(sizes); ++k) {
            chorale_chain chain = {.struct_size = sizeof chain};
            chain.length = sizes[t];
            chain.labels = sizes[m];
            chain.unary = nothing;
            chain.element = shape & 1;
            if (shape & 2) {
              chain.edges = nothing;
              chain.edge_matrices = sizes[t] - 1;
              chain.orientation = shape & 1;
            }
            size_t bytes = 0;
            const chorale_status status =
                chorale_chain_solver_bytes(&chain, task, sizes[k], &bytes, &error);
            if (status == CHORALE_OK) {
              ++told;
              if (bytes < (size_t)sizes[t] || bytes < (size_t)sizes[m])
                fail_msg("%lld positions, %lld labels, k %lld, task %d: %zu bytes",
                         (long long)sizes[t], (long long)sizes[m], (long long)sizes[k], task,
                         bytes);
              if (bytes > MOST_BYTES + 4096)
                FAILS(chorale_chain_solver_reserve(solver, &chain, task, sizes[k], &error),
                      CHORALE_ERROR_OUT_OF_MEMORY, "memory");
            } else if (status == CHORALE_ERROR_SIZE_OVERFLOW) {
              ++refused;
            } else if (status != CHORALE_ERROR_SHAPE) { /* no edges in a single position */
              fail_msg("%s: \"%s\"", chorale_status_name(status), error.message);
            }
          }
  chorale_chain_solver_destroy(solver);
  print_message("%lld told, %lld do not fit\n", (long long)told, (long long)refused);
  assert_true(told > 100 && refused > 100);
}

/* Properties with the greatest number of values, on chains of the greatest length. */
static void workspaces_of_huge_messages_are_measured(void **state) {
  (void)state;
  be_miserly();
  open_scene(&host, &scene);
  static const int64_t sizes[] = {1, 3, INT64_C(1) << 30, INT32_MAX - 2, INT32_MAX - 1};
  static const double nothing[1];
  static const int32_t table[1];
  chorale_error error;
  chorale_property *property = NULL;
  OK(chorale_property_create_token_before(&host, &scene.map, 0, NULL, 0, INT32_MAX - 2, -1,
                                          &property, &error));
  int64_t told = 0, refused = 0;
  for (size_t t = 0; t < COUNT_OF(sizes); ++t)
    for (int64_t count = 1; count <= 9; ++count)
      for (size_t budget = 0; budget < COUNT_OF(sizes); ++budget)
        for (chorale_joint_mode mode = CHORALE_JOINT_AUTO; mode <= CHORALE_JOINT_BEAM; mode += 10)
          for (chorale_message_task task = 0; task < 2; ++task) {
            chorale_chain chain = {.struct_size = sizeof chain};
            chain.length = sizes[t];
            chain.labels = 2;
            chain.unary = nothing;
            chorale_attachment attachments[9];
            for (int k = 0; k < 9; ++k) {
              attachments[k] = (chorale_attachment){.struct_size = sizeof attachments[k]};
              attachments[k].property = property;
              attachments[k].table = table;
            }
            size_t bytes = 0;
            const chorale_status status =
                chorale_message_bytes(&chain, attachments, count, joint(mode, sizes[budget],
                                                                        sizes[budget]),
                                      task, &bytes, &error);
            if (status == CHORALE_OK) {
              ++told;
              if (bytes < (size_t)sizes[t])
                fail_msg("%lld positions, %lld properties: %zu bytes", (long long)sizes[t],
                         (long long)count, bytes);
            } else if (status == CHORALE_ERROR_SIZE_OVERFLOW) {
              ++refused;
            } else {
              fail_msg("%s: \"%s\"", chorale_status_name(status), error.message);
            }
          }
  chorale_property_release(property);
  close_scene(&scene);
  print_message("%lld told, %lld do not fit\n", (long long)told, (long long)refused);
  assert_true(told > 100 && refused > 0);
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
  chorale_property_builder *rules = NULL;
  FAILS(chorale_property_builder_create(&host, INT32_MAX, 1, 2, &rules, &error),
        CHORALE_ERROR_OUT_OF_MEMORY, "memory");
  chorale_transitions *transitions = NULL;
  const chorale_status refused =
      chorale_transitions_create(&host, 1 << 28, NULL, NULL, &transitions, &error);
  if (sizeof(void *) < 8)
    FAILS(refused, CHORALE_ERROR_SIZE_OVERFLOW, "scores", "exceed the address space");
  else
    FAILS(refused, CHORALE_ERROR_OUT_OF_MEMORY, "memory");
  assert_null(property);
  assert_null(rules);
  assert_null(transitions);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sizes_that_no_array_has),
      cmocka_unit_test(workspaces_of_huge_cliques_are_measured),
      cmocka_unit_test(pools_take_no_more_than_they_can_use),
      cmocka_unit_test(workspaces_of_huge_chains_are_measured),
      cmocka_unit_test(workspaces_of_huge_messages_are_measured),
      cmocka_unit_test(the_largest_sizes_take_what_they_say),
  };
  return cmocka_run_group_tests_name("hostile sizes", tests, NULL, NULL);
}
