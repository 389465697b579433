/* What the host provides: memory, a log, cancel flags. */
#include "fixture.h"

#include <signal.h>
#include <unistd.h>

static chorale_host host_with(CountingAllocator *allocator) {
  chorale_host host = {.struct_size = sizeof host};
  host.allocator = &allocator->hooks;
  return host;
}

/* Makes all calls on a problem; returns the last status. */
static chorale_status use_everything(const chorale_host *host, const Problem *problem,
                                     chorale_error *error) {
  chorale_potential *potential = NULL;
  chorale_clique_solver *solver = NULL;
  chorale_clique_problem described;
  describe_problem(problem, &described);
  chorale_status status = make_potential(problem, host, &potential, error);
  if (status == CHORALE_OK)
    status = chorale_clique_solver_create(host, &solver, error);
  if (status == CHORALE_OK)
    status = chorale_clique_solve(solver, potential, &described, NULL, NULL, NULL, error);
  double marginals[MAX_MEMBERS * MAX_VALUES];
  if (status == CHORALE_OK)
    status = chorale_clique_max_marginals(solver, potential, &described, NULL, marginals,
                                          problem->values, NULL, NULL, error);
  if (status == CHORALE_OK) {
    const int32_t x[MAX_MEMBERS] = {0};
    chorale_clique_result result = {.struct_size = sizeof result};
    status = chorale_clique_score(solver, potential, &described, x, &result, error);
  }
  chorale_clique_solver_destroy(solver);
  chorale_potential_release(potential);
  return status;
}

static void all_memory_comes_from_the_allocator(void **state) {
  (void)state;
  Random random = {test_seed()};
  for (Kind kind = KIND_POTTS; kind < KIND_COUNT; kind = (Kind)(kind + 1))
    for (int round = 0; round < 5; ++round) {
      Problem problem;
      random_problem(&random, kind, &problem);
      CountingAllocator allocator;
      counting_allocator_init(&allocator);
      const chorale_host host = host_with(&allocator);
      chorale_error error;
      const int64_t before = memory_allocations();
      OK(use_everything(&host, &problem, &error));
      chorale_cancel *cancel = NULL;
      OK(chorale_cancel_create(&host, &cancel, &error));
      chorale_cancel_destroy(cancel);
      const int64_t after = memory_allocations();
      assert_true(allocator.allocations > 2);
      assert_int_equal(allocator.live, 0);
      assert_int_equal(allocator.live_bytes, 0);
      assert_int_equal(allocator.mistakes, 0);
      if (memory_is_counted())
        assert_int_equal(after - before, allocator.allocations);
    }
}

static void the_host_is_copied(void **state) {
  (void)state;
  CountingAllocator allocator;
  counting_allocator_init(&allocator);
  chorale_allocator hooks = allocator.hooks;
  chorale_host host = host_with(&allocator);
  host.allocator = &hooks;
  chorale_error error;
  chorale_potential *potential = NULL;
  chorale_clique_solver *solver = NULL;
  chorale_cancel *cancel = NULL;
  OK(chorale_potential_create_potts(&host, 3, 1, NULL, &potential, &error));
  OK(chorale_clique_solver_create(&host, &solver, &error));
  OK(chorale_cancel_create(&host, &cancel, &error));
  memset(&host, 0xEE, sizeof host);
  memset(&hooks, 0xEE, sizeof hooks);
  static const double scores[150] = {0};
  chorale_clique_problem many = {.struct_size = sizeof many};
  many.members = 50;
  many.values = many.row_stride = 3;
  many.scores = scores;
  OK(chorale_clique_solve(solver, potential, &many, NULL, NULL, NULL, &error));
  chorale_clique_solver_destroy(solver);
  chorale_potential_release(potential);
  chorale_cancel_destroy(cancel);
  assert_int_equal(allocator.live, 0);
  assert_int_equal(allocator.mistakes, 0);
}

/* Refuses allocation 1, 2, 3 ... until all calls succeed. */
static void running_out_of_memory_leaks_nothing(void **state) {
  (void)state;
  Random random = {test_seed() + 1};
  for (Kind kind = KIND_POTTS; kind < KIND_COUNT; kind = (Kind)(kind + 1)) {
    Problem problem;
    random_problem(&random, kind, &problem);
    int64_t fail_at = 1;
    for (;; ++fail_at) {
      assert_true(fail_at < 100);
      CountingAllocator allocator;
      counting_allocator_init(&allocator);
      allocator.fail_at = fail_at;
      const chorale_host host = host_with(&allocator);
      chorale_error error;
      const chorale_status status = use_everything(&host, &problem, &error);
      assert_int_equal(allocator.live, 0);
      assert_int_equal(allocator.mistakes, 0);
      if (status == CHORALE_OK)
        break;
      assert_int_equal(status, CHORALE_ERROR_OUT_OF_MEMORY);
      assert_int_equal(error.status, CHORALE_ERROR_OUT_OF_MEMORY);
      assert_true(error.message[0] != '\0');
    }
    assert_true(fail_at > 2);
  }
}

/* Hooks that call malloc directly, which ignores the alignment and satisfies it only by chance. */
typedef struct PlainAllocator {
  chorale_allocator hooks;
  int64_t live, mistakes;
} PlainAllocator;

static void *allocate_plainly(void *user, size_t bytes, size_t alignment) {
  (void)alignment;
  ++((PlainAllocator *)user)->live;
  return malloc(bytes);
}
static void deallocate_plainly(void *user, void *memory, size_t bytes, size_t alignment) {
  PlainAllocator *self = user;
  --self->live;
  self->mistakes += !memory || bytes == 0 || alignment != 64;
  free(memory);
}

static void an_allocator_that_ignores_alignment_is_told(void **state) {
  (void)state;
  Random random = {test_seed() + 3};
  PlainAllocator plain = {{NULL, allocate_plainly, deallocate_plainly}, 0, 0};
  plain.hooks.user = &plain;
  chorale_host host = {.struct_size = sizeof host};
  host.allocator = &plain.hooks;
  int64_t told = 0;
  for (int round = 0; round < 50; ++round) {
    Problem problem;
    random_problem(&random, (Kind)(round % KIND_COUNT), &problem);
    chorale_error error;
    const chorale_status status = use_everything(&host, &problem, &error);
    assert_int_equal(plain.live, 0);
    assert_int_equal(plain.mistakes, 0);
    if (status == CHORALE_OK)
      continue;
    FAILS(status, CHORALE_ERROR_OUT_OF_MEMORY, "the allocator gave no memory, aligned to 64");
    ++told;
  }
  assert_true(told > 25);
}

/* A solver whose growth failed is unchanged: it still solves smaller problems. */
static void a_failed_growth_changes_nothing(void **state) {
  (void)state;
  CountingAllocator allocator;
  counting_allocator_init(&allocator);
  const chorale_host host = host_with(&allocator);
  chorale_error error;
  chorale_potential *potential = NULL;
  chorale_clique_solver *solver = NULL;
  OK(chorale_potential_create_potts(&host, 3, 0.5, NULL, &potential, &error));
  OK(chorale_clique_solver_create(&host, &solver, &error));
  Random random = {test_seed() + 2};
  Problem problem;
  do
    random_problem(&random, KIND_POTTS, &problem);
  while (problem.values != 3 || problem.members < 3 || some_member_is_stuck(&problem));
  Solved first, second;
  solve(solver, potential, &problem, NULL, &first);
  assert_int_equal(first.status, CHORALE_OK);
  const int64_t bytes = allocator.live_bytes;
  allocator.is_dry = 1;
  enum { MANY = 10000 };
  static const double scores[3 * MANY] = {0};
  chorale_clique_problem many = {.struct_size = sizeof many};
  many.members = MANY;
  many.values = many.row_stride = 3;
  many.scores = scores;
  FAILS(chorale_clique_solve(solver, potential, &many, NULL, NULL, NULL, &error),
        CHORALE_ERROR_OUT_OF_MEMORY, "memory");
  assert_int_equal(allocator.live_bytes, bytes);
  solve(solver, potential, &problem, NULL, &second);
  assert_memory_equal(&first, &second, sizeof first);
  chorale_clique_solver_destroy(solver);
  chorale_potential_release(potential);
  assert_int_equal(allocator.live, 0);
}

static void failed_creation_leaves_the_output(void **state) {
  (void)state;
  CountingAllocator allocator;
  counting_allocator_init(&allocator);
  const chorale_host host = host_with(&allocator);
  chorale_error error;
  int anything;
  void *const mark = &anything;
  chorale_potential *potential = mark;
  chorale_clique_solver *solver = mark;
  chorale_cancel *cancel = mark;
  allocator.fail_at = 1;
  FAILS(chorale_potential_create_potts(&host, 3, 1, NULL, &potential, &error),
        CHORALE_ERROR_OUT_OF_MEMORY, "memory");
  allocator.fail_at = 1;
  FAILS(chorale_clique_solver_create(&host, &solver, &error), CHORALE_ERROR_OUT_OF_MEMORY,
        "memory");
  allocator.fail_at = 1;
  FAILS(chorale_cancel_create(&host, &cancel, &error), CHORALE_ERROR_OUT_OF_MEMORY, "memory");
  assert_ptr_equal(potential, mark);
  assert_ptr_equal(solver, mark);
  assert_ptr_equal(cancel, mark);
  assert_int_equal(allocator.live, 0);
}

/* ---- Structs ------------------------------------------------------------------------------ */

static void a_host_of_unknown_size_is_refused(void **state) {
  (void)state;
  static const size_t sizes[] = {0, 1, sizeof(chorale_host) - 1, 5000};
  for (size_t s = 0; s < COUNT_OF(sizes); ++s) {
    chorale_host host = {.struct_size = sizeof host};
    host.struct_size = sizes[s];
    char text[32];
    (void)snprintf(text, sizeof text, "%zu", sizes[s]);
    chorale_error error;
    chorale_cancel *cancel = NULL;
    chorale_potential *potential = NULL;
    chorale_clique_solver *solver = NULL;
    FAILS(chorale_cancel_create(&host, &cancel, &error), CHORALE_ERROR_STRUCT_SIZE, "host", text);
    FAILS(chorale_potential_create_potts(&host, 3, 1, NULL, &potential, &error),
          CHORALE_ERROR_STRUCT_SIZE, "host", text);
    FAILS(chorale_clique_solver_create(&host, &solver, &error), CHORALE_ERROR_STRUCT_SIZE, "host",
          text);
    assert_null(cancel);
    assert_null(potential);
    assert_null(solver);
  }
}

static void an_allocator_needs_both_functions(void **state) {
  (void)state;
  for (int missing = 0; missing < 2; ++missing) {
    CountingAllocator allocator;
    counting_allocator_init(&allocator);
    if (missing == 0)
      allocator.hooks.allocate = NULL;
    else
      allocator.hooks.deallocate = NULL;
    const chorale_host host = host_with(&allocator);
    chorale_error error;
    chorale_cancel *cancel = NULL;
    FAILS(chorale_cancel_create(&host, &cancel, &error), CHORALE_ERROR_NULL_ARGUMENT,
          missing == 0 ? "allocate" : "deallocate");
    assert_null(cancel);
  }
}

/* ---- Log ---------------------------------------------------------------------------------- */

typedef struct Log {
  int64_t messages, mistakes;
} Log;

static void take_message(void *user, chorale_log_level level, const char *message) {
  Log *log = user;
  ++log->messages;
  if (level != CHORALE_LOG_DEBUG && level != CHORALE_LOG_WARNING)
    ++log->mistakes;
  if (!message || message[0] == '\0' || message[strlen(message) - 1] == '\n')
    ++log->mistakes;
}

static void the_log_gets_level_and_message(void **state) {
  (void)state;
  Log log = {0, 0};
  chorale_host host = {.struct_size = sizeof host};
  host.log = take_message;
  host.log_user = &log;
  Random random = {test_seed()};
  for (Kind kind = KIND_POTTS; kind < KIND_COUNT; kind = (Kind)(kind + 1)) {
    Problem problem;
    random_problem(&random, kind, &problem);
    chorale_error error;
    OK(use_everything(&host, &problem, &error));
  }
  assert_true(log.messages > 0); /* at least the choice of AUTO is logged */
  assert_int_equal(log.mistakes, 0);
}

/* Redirects both standard streams to a file while the library works. */
static void nothing_is_printed(void **state) {
  (void)state;
  FILE *file = tmpfile();
  assert_non_null(file);
  fflush(stdout);
  fflush(stderr);
  const int out = dup(1);
  const int err = dup(2);
  dup2(fileno(file), 1);
  dup2(fileno(file), 2);
  Random random = {test_seed()};
  chorale_status worst = CHORALE_OK;
  for (Kind kind = KIND_POTTS; kind < KIND_COUNT; kind = (Kind)(kind + 1)) {
    Problem problem;
    random_problem(&random, kind, &problem);
    chorale_error error;
    const chorale_status status = use_everything(NULL, &problem, &error);
    worst = status > worst ? status : worst;
    problem.members = 0; /* an error prints nothing either */
    (void)use_everything(NULL, &problem, &error);
  }
  fflush(stdout);
  fflush(stderr);
  dup2(out, 1);
  dup2(err, 2);
  close(out);
  close(err);
  const off_t size = lseek(fileno(file), 0, SEEK_END);
  fclose(file);
  assert_int_equal(worst, CHORALE_OK);
  assert_int_equal(size, 0);
}

/* ---- Cancel ------------------------------------------------------------------------------- */

static chorale_cancel *raised_by_signal;
static void on_signal(int number) {
  (void)number;
  chorale_cancel_raise(raised_by_signal);
}

static void a_flag_is_raised_and_lowered(void **state) {
  (void)state;
  chorale_error error;
  chorale_cancel *cancel = NULL;
  OK(chorale_cancel_create(NULL, &cancel, &error));
  assert_int_equal(chorale_cancel_is_raised(cancel), 0);
  chorale_cancel_raise(cancel);
  chorale_cancel_raise(cancel);
  assert_int_equal(chorale_cancel_is_raised(cancel), 1);
  chorale_cancel_lower(cancel);
  assert_int_equal(chorale_cancel_is_raised(cancel), 0);
  raised_by_signal = cancel;
  void (*before)(int) = signal(SIGUSR1, on_signal);
  assert_int_equal(raise(SIGUSR1), 0);
  (void)signal(SIGUSR1, before);
  assert_int_equal(chorale_cancel_is_raised(cancel), 1);
  chorale_cancel_destroy(cancel);
  chorale_cancel_destroy(NULL);
  FAILS(chorale_cancel_create(NULL, NULL, &error), CHORALE_ERROR_NULL_ARGUMENT, "cancel", "NULL");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_memory_comes_from_the_allocator),
      cmocka_unit_test(the_host_is_copied),
      cmocka_unit_test(running_out_of_memory_leaks_nothing),
      cmocka_unit_test(an_allocator_that_ignores_alignment_is_told),
      cmocka_unit_test(a_failed_growth_changes_nothing),
      cmocka_unit_test(failed_creation_leaves_the_output),
      cmocka_unit_test(a_host_of_unknown_size_is_refused),
      cmocka_unit_test(an_allocator_needs_both_functions),
      cmocka_unit_test(the_log_gets_level_and_message),
      cmocka_unit_test(nothing_is_printed),
      cmocka_unit_test(a_flag_is_raised_and_lowered),
  };
  return cmocka_run_group_tests_name("host", tests, NULL, NULL);
}
