/* Every function that takes const handles, called from several threads at once on the same handles:
 * each thread gets the results that a single thread gets. Reference counts are right whichever
 * thread releases last. Data races are detected by the thread sanitizer. */
#include "fixture_scene.h"
#include "fixture_held.h"

#include <pthread.h>

enum { THREADS = 6 };

static Scene scene;

/* Results that a thread got, and the line of a call that failed. */
typedef struct Heard {
  uint64_t sum;
  int line;
} Heard;

static void hear(Heard *heard, const void *bytes, size_t size) {
  heard->sum = (heard->sum ^ own_checksum(bytes, size)) * UINT64_C(0x100000001B3) + size;
}
static void hear_number(Heard *heard, int64_t number) { hear(heard, &number, sizeof number); }

/* Records a failure instead of asserting, since assertions must not leave a thread. */
#define DO(call)                                                                                   \
  do {                                                                                             \
    if ((call) != CHORALE_OK && heard->line == 0)                                                  \
      heard->line = __LINE__;                                                                      \
  } while (0)

static void use_potential(Heard *heard) {
  const int64_t counts[3] = {2, 1, 1};
  double score = 0;
  DO(chorale_potential_score(scene.majority, counts, 3, 4, &score, NULL));
  hear(heard, &score, sizeof score);
}

static void use_chain(Heard *heard) {
  int32_t labels[SCENE_LENGTH] = {0}, value = 0;
  double numbers[32] = {0}, *rows[2] = {numbers, numbers + 8};
  chorale_chain_solver *solver = NULL;
  DO(chorale_chain_solver_create(NULL, &solver, NULL));
  DO(chorale_chain_solve(solver, &scene.chain, labels, NULL, NULL));
  hear(heard, labels, sizeof labels);
  DO(chorale_chain_messages(solver, &scene.chain, scene.attachments, 2, NULL, rows, NULL, NULL));
  chorale_chain_solver_destroy(solver);
  DO(chorale_chain_score(&scene.chain, labels, numbers + 20, NULL));
  hear(heard, numbers, sizeof numbers);
  DO(chorale_property_shown(&scene.attachments[1], SCENE_LENGTH, labels, NULL, &value, NULL, 0,
                            NULL, NULL));
  hear_number(heard, value);
}

static void use_model(Heard *heard) {
  chorale_run *run = NULL, *warm = NULL;
  chorale_run_cost cost = {.struct_size = sizeof cost};
  chorale_run_result result = {.struct_size = sizeof result};
  DO(chorale_run_estimate(scene.has.model, &scene.run_options, &cost, NULL));
  hear(heard, &cost, sizeof cost);
  DO(chorale_run_create(NULL, scene.has.model, &scene.run_options, NULL, &run, NULL));
  DO(chorale_run_solve(run, &result, NULL));
  hear(heard, &result, sizeof result);
  chorale_run_destroy(run);
  DO(chorale_run_create(NULL, scene.has.model, &scene.run_options, scene.has.run, &warm, NULL));
  DO(chorale_run_solve(warm, &result, NULL));
  hear(heard, &result, sizeof result);
  chorale_run_destroy(warm);
}

/* Reads the results of a run that no call changes. */
static void use_run(Heard *heard) {
  static const size_t room = SCENE_TEXT;
  char *json = malloc(room);
  size_t needed = 0;
  int64_t count = 0;
  chorale_reason reasons[8];
  DO(chorale_run_json(scene.has.run, json, room, &needed, NULL));
  hear(heard, json, needed < room ? needed : room);
  DO(chorale_run_reasons(scene.wide_run, 1, reasons, sizeof(chorale_reason), 8, &count, NULL));
  hear_number(heard, count);
  free(json);
}

static void use_problem(Heard *heard) {
  void *bytes = malloc(scene.saved.size);
  chorale_problem *problem = NULL, *read = NULL;
  size_t needed = 0;
  DO(chorale_problem_write(scene.has.problem, bytes, scene.saved.size, &needed, NULL));
  hear(heard, bytes, scene.saved.size);
  free(bytes);
  const chorale_text name = name_of_value(scene.has.problem, 0, 0);
  hear(heard, name.bytes, name.length);
  DO(chorale_problem_create(NULL, scene.has.model, &problem, NULL));
  hear_number(heard, chorale_problem_text_count(problem, CHORALE_TEXTS_LABELS));
  chorale_problem_destroy(problem);
  DO(chorale_problem_read(NULL, scene.saved.bytes, scene.saved.size, 1, &read, NULL));
  hear_number(heard, chorale_problem_text_count(read, CHORALE_TEXTS_NOTES));
  chorale_problem_destroy(read);
}

static void use_references(void) {
  chorale_model_release(chorale_model_retain(scene.has.model));
  chorale_potential_release(chorale_potential_retain(scene.has.potential));
  chorale_property_release(chorale_property_retain(scene.has.property));
  chorale_transitions_release(chorale_transitions_retain(scene.has.transitions));
}

static void use_everything(Heard *heard) {
  memset(heard, 0, sizeof *heard);
  use_potential(heard);
  use_chain(heard);
  use_references();
  use_model(heard);
  use_run(heard);
  use_problem(heard);
  chorale_cancel_raise(scene.has.cancel);
  (void)chorale_cancel_is_raised(scene.has.cancel);
  chorale_cancel_lower(scene.has.cancel);
}

static int64_t rounds;
static Heard alone;

static void *use_many_times(void *argument) {
  Heard *worst = argument;
  for (int64_t round = 0; round < rounds; ++round) {
    Heard heard;
    use_everything(&heard);
    if (heard.line != 0 || heard.sum != alone.sum)
      *worst = heard;
  }
  return NULL;
}

static void const_handles_serve_all_threads(void **state) {
  (void)state;
  open_scene(NULL, &scene);
  use_everything(&alone);
  assert_int_equal(alone.line, 0);
  rounds = test_rounds(50);
  pthread_t threads[THREADS];
  Heard worst[THREADS];
  for (int t = 0; t < THREADS; ++t) {
    worst[t] = alone;
    assert_int_equal(pthread_create(&threads[t], NULL, use_many_times, &worst[t]), 0);
  }
  for (int t = 0; t < THREADS; ++t)
    assert_int_equal(pthread_join(threads[t], NULL), 0);
  for (int t = 0; t < THREADS; ++t) {
    assert_int_equal(worst[t].line, 0);
    assert_true(worst[t].sum == alone.sum);
  }
  close_scene(&scene);
}

/* ---- The last reference ------------------------------------------------------------------- */

static int64_t released; /* of a potential's callback */

static void note_release(void *user) {
  (void)user;
  __atomic_fetch_add(&released, 1, __ATOMIC_SEQ_CST);
}

static int32_t constant_score(void *user, const int64_t *counts, int64_t values, int64_t members,
                              double *score) {
  (void)user;
  (void)counts;
  (void)values;
  (void)members;
  *score = 0.5;
  return 0;
}

/* Reads through its own reference and releases it; the last release frees. */
static void *read_and_release(void *argument) {
  chorale_model *model = argument;
  int64_t *sum = malloc(sizeof *sum);
  *sum = 0;
  for (int64_t c = 0; c < chorale_model_clique_count(model); ++c)
    *sum += member_count_of(model, c);
  chorale_model_release(model);
  return sum;
}

static void whoever_gives_back_the_last_reference(void **state) {
  (void)state;
  const int64_t models = test_rounds(300);
  released = 0;
  for (int64_t k = 0; k < models; ++k) {
    chorale_error error;
    chorale_potential *potential = NULL;
    chorale_model_builder *builder = NULL;
    chorale_model *model = NULL;
    OK(chorale_potential_create_callback(NULL, 2, constant_score, NULL, note_release, NULL,
                                         &potential, &error));
    OK(chorale_model_builder_create(NULL, &builder, &error));
    chorale_clique_setup setup = {.struct_size = sizeof setup};
    setup.potential = potential;
    OK(chorale_model_builder_add_cliques(builder, &setup, 1, NULL, &error));
    chorale_potential_release(potential);
    chorale_chain chain = {.struct_size = sizeof chain};
    const double scores[] = {0, 1, 1, 0};
    chain.length = chain.labels = 2;
    chain.unary = scores;
    OK(chorale_model_builder_add_chain(builder, &chain, NULL, NULL, &error));
    for (int64_t t = 0; t < 2; ++t)
      OK(put_position(builder, 0, 0, t, &error));
    OK(chorale_model_builder_freeze(builder, &model, &error));
    chorale_model_builder_destroy(builder);
    pthread_t threads[THREADS];
    for (int t = 0; t < THREADS; ++t)
      assert_int_equal(
          pthread_create(&threads[t], NULL, read_and_release, chorale_model_retain(model)), 0);
    chorale_model_release(model);
    for (int t = 0; t < THREADS; ++t) {
      void *sum = NULL;
      assert_int_equal(pthread_join(threads[t], &sum), 0);
      assert_int_equal(*(int64_t *)sum, 2);
      free(sum);
    }
  }
  assert_int_equal(released, models);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(const_handles_serve_all_threads),
      cmocka_unit_test(whoever_gives_back_the_last_reference),
  };
  return cmocka_run_group_tests_name("threads", tests, make_scene_directory,
                                     remove_scene_directory);
}
