/* Invalid numbers in every argument that takes a number: each has its status. Also models without
 * content. */
#include "fixture_scene.h"

#include <float.h>

/* ---- Numbers that are not let in ---------------------------------------------------------- */

static Scene scene;

static int32_t score_is(void *user, const int64_t *counts, int64_t values, int64_t members,
                        double *score) {
  (void)counts;
  (void)values;
  (void)members;
  *score = *(const double *)user;
  return 0;
}

static chorale_status callback_is(Scene *s, double x, chorale_scale scale) {
  const int64_t counts[] = {1, 1};
  chorale_error error;
  chorale_potential_options options = {.struct_size = sizeof options};
  options.scale = scale;
  OK(chorale_potential_create_callback(NULL, 2, score_is, &x, NULL, &options, &s->made.potential,
                                       &error));
  return chorale_potential_score(s->made.potential, counts, 2, 2, s->numbers, &s->error);
}

static double instance_score, instance_message;

static int32_t messages_are(void *user, int64_t memberships, const int64_t *sizes,
                            const double *const *incoming, double *const *outgoing) {
  (void)user;
  (void)incoming;
  for (int64_t p = 0; p < memberships; ++p)
    for (int64_t v = 0; v < sizes[p]; ++v)
      outgoing[p][v] = v == 1 ? instance_message : 0;
  return 0;
}
static int32_t decode_is(void *user, int64_t memberships, const int64_t *sizes,
                         const double *const *incoming, int32_t *labelling, int32_t *values,
                         double *score) {
  (void)user;
  (void)sizes;
  (void)incoming;
  labelling[0] = 0;
  for (int64_t p = 0; p < memberships; ++p)
    values[p] = 0;
  *score = instance_score;
  return 0;
}

static chorale_status instance_is(Scene *s, double score, double message) {
  instance_score = score;
  instance_message = message;
  chorale_model_builder *builder = NULL;
  chorale_model *model = NULL;
  chorale_error error;
  OK(chorale_model_builder_create(NULL, &builder, &error));
  s->instance.messages = messages_are;
  s->instance.decode = decode_is;
  OK(chorale_model_builder_add_instance(builder, &s->instance, NULL, &error));
  OK(chorale_model_builder_add_chain(builder, &s->chain, NULL, NULL, &error));
  OK(chorale_model_builder_add_cliques(builder, &s->property_setup, 1, NULL, &error));
  OK(put_chain(builder, 0, 0, NULL, &error));
  OK(put_chain(builder, 0, 1, NULL, &error));
  OK(chorale_model_builder_freeze(builder, &model, &error));
  OK(chorale_run_create(NULL, model, NULL, NULL, &s->made.run, &error));
  chorale_model_builder_destroy(builder);
  chorale_model_release(model);
  return chorale_run_solve(s->made.run, NULL, &s->error);
}

static chorale_status table_with(Scene *s, double x, int is_max) {
  s->numbers[5] = x;
  return (is_max ? chorale_potential_create_max : chorale_potential_create_sum)(
      NULL, 2, s->numbers, 2, 4, 4, NULL, &s->made.potential, &s->error);
}
static chorale_status square_with(Scene *s, double x, int place) {
  s->numbers[place] = x;
  return place < 4 ? chorale_potential_create_pairs(NULL, 2, s->numbers, 2, NULL,
                                                    &s->made.potential, &s->error)
                   : chorale_potential_create_majority(NULL, 2, s->numbers, 2, s->numbers + 4, NULL,
                                                       &s->made.potential, &s->error);
}
static chorale_status transitions_with(Scene *s, double x, int place) {
  chorale_transitions_options options = {.struct_size = sizeof options};
  s->numbers[place] = x;
  options.start = s->numbers + 4;
  options.end = s->numbers + 6;
  return chorale_transitions_create(NULL, 2, s->numbers, &options, &s->made.transitions, &s->error);
}
static chorale_status chain_with(Scene *s, double x, int place) {
  s->numbers[place] = x;
  s->chain.unary = s->numbers;
  s->chain.edges = s->numbers + 6;
  s->chain.edge_matrices = 1;
  s->chain.start = s->numbers + 10;
  s->chain.end = s->numbers + 12;
  return chorale_chain_solve(s->has.chain_solver, &s->chain, s->labels, NULL, &s->error);
}
static chorale_status message_with(Scene *s, double x) {
  s->numbers[3] = x;
  s->attachments[0].message = s->numbers;
  return chorale_chain_decode(s->has.chain_solver, &s->chain, s->attachments, 1, NULL, s->labels,
                              NULL, NULL, &s->error);
}
static chorale_status clique_with(Scene *s, double x) {
  s->numbers[7] = x;
  s->clique.scores = s->numbers;
  return chorale_clique_solve(s->has.clique_solver, s->majority, &s->clique, NULL, s->labels, NULL,
                              &s->error);
}

/* What minus infinity means in an argument: invalid, forbids, or is a valid result. */
enum { NOWHERE, FORBIDS, ANSWERS };
#define EACH_NUMBER(VISIT)                                                                         \
  VISIT(potts, NOWHERE,                                                                            \
        chorale_potential_create_potts(NULL, 2, x, NULL, &s->made.potential, &s->error))           \
  VISIT(entropy, NOWHERE,                                                                          \
        chorale_potential_create_entropy(NULL, 2, x, NULL, &s->made.potential, &s->error))         \
  VISIT(makespan, NOWHERE,                                                                         \
        chorale_potential_create_makespan(NULL, 2, x, NULL, &s->made.potential, &s->error))        \
  VISIT(square_makespan, NOWHERE,                                                                  \
        chorale_potential_create_square_makespan(NULL, 2, x, NULL, &s->made.potential, &s->error)) \
  VISIT(sum, FORBIDS, table_with(s, x, 0))                                                         \
  VISIT(max, FORBIDS, table_with(s, x, 1))                                                         \
  VISIT(pairs, NOWHERE, square_with(s, x, 3))                                                      \
  VISIT(bias, NOWHERE, square_with(s, x, 5))                                                       \
  VISIT(transitions, FORBIDS, transitions_with(s, x, 2))                                           \
  VISIT(transitions_start, FORBIDS, transitions_with(s, x, 5))                                     \
  VISIT(transitions_end, FORBIDS, transitions_with(s, x, 6))                                       \
  VISIT(unary, FORBIDS, chain_with(s, x, 4))                                                       \
  VISIT(edges, FORBIDS, chain_with(s, x, 8))                                                       \
  VISIT(start, FORBIDS, chain_with(s, x, 10))                                                      \
  VISIT(end, FORBIDS, chain_with(s, x, 13))                                                        \
  VISIT(message, FORBIDS, message_with(s, x))                                                      \
  VISIT(clique, FORBIDS, clique_with(s, x))                                                        \
  VISIT(callback, ANSWERS, callback_is(s, x, CHORALE_SCALE_NONE))                                  \
  VISIT(callback_by_log, ANSWERS, callback_is(s, x, CHORALE_SCALE_BY_LOG_MEMBERS))                 \
  VISIT(instance_decode, ANSWERS, instance_is(s, x, 0))                                            \
  VISIT(instance_message, ANSWERS, instance_is(s, 0, x))

#define DEFINE(name, kind, call)                                                                   \
  static chorale_status put_##name(Scene *s, double x) { return call; }
EACH_NUMBER(DEFINE)
#undef DEFINE

static const struct {
  const char *name;
  int kind;
  chorale_status (*put)(Scene *s, double x);
} kPlaces[] = {
#define ROW(name, kind, call) {#name, kind, put_##name},
    EACH_NUMBER(ROW)
#undef ROW
};

static chorale_status put(size_t place, double x) {
  static Scene before;
  before = scene;
  const chorale_status status = kPlaces[place].put(&scene, x);
  if (status != CHORALE_OK && scene.error.message[0] == '\0')
    fail_msg("%s(%g): %s without a message", kPlaces[place].name, x, chorale_status_name(status));
  chorale_potential_release(scene.made.potential);
  chorale_transitions_release(scene.made.transitions);
  chorale_dictionary_release(scene.made.dictionary);
  chorale_run_destroy(scene.made.run);
  chorale_model_release(scene.made.model);
  scene = before;
  return status;
}

static void numbers_beyond_the_limit_have_a_status(void **state) {
  (void)state;
  open_scene(NULL, &scene);
  for (size_t k = 0; k < COUNT_OF(kPlaces); ++k) {
    const int answers = kPlaces[k].kind == ANSWERS;
    static const double small[] = {0, 1, 0x1p-1074, 1e-300, 1e200};
    for (size_t i = 0; i < COUNT_OF(small); ++i)
      if (put(k, small[i]) != CHORALE_OK)
        fail_msg("%s(%g) is refused", kPlaces[k].name, small[i]);
    static const double large[] = {1e300, -1e300, DBL_MAX, -DBL_MAX};
    for (size_t i = 0; i < COUNT_OF(large); ++i) {
      const chorale_status status = put(k, large[i]);
      if (status != (answers ? CHORALE_ERROR_CALLBACK_VALUE : CHORALE_ERROR_OUT_OF_RANGE))
        fail_msg("%s(%g): %s", kPlaces[k].name, large[i], chorale_status_name(status));
    }
    const chorale_status of_nan = put(k, NAN), of_infinity = put(k, INFINITY);
    if (of_nan != (answers ? CHORALE_ERROR_CALLBACK_VALUE : CHORALE_ERROR_NOT_A_NUMBER) ||
        of_infinity != (answers ? CHORALE_ERROR_CALLBACK_VALUE : CHORALE_ERROR_INFINITE))
      fail_msg("%s: %s of NaN, %s of infinity", kPlaces[k].name, chorale_status_name(of_nan),
               chorale_status_name(of_infinity));
    const chorale_status forbidden = put(k, -INFINITY);
    if (forbidden != (kPlaces[k].kind == NOWHERE ? CHORALE_ERROR_INFINITE : CHORALE_OK))
      fail_msg("%s: %s of minus infinity", kPlaces[k].name, chorale_status_name(forbidden));
  }
  print_message("%d places\n", (int)COUNT_OF(kPlaces));
  close_scene(&scene);
}

/* ---- Nothing at all ----------------------------------------------------------------------- */

/* Models without chains, without cliques, of empty chains, of cliques without members. */
static void empty_models_are_models(void **state) {
  (void)state;
  for (int way = 0; way < 8; ++way) {
    chorale_error error;
    chorale_potential *potential = NULL;
    chorale_model_builder *builder = NULL;
    chorale_model *model = NULL;
    chorale_problem *problem = NULL, *read = NULL;
    chorale_run *run = NULL;
    OK(chorale_potential_create_potts(NULL, 1, 1, NULL, &potential, &error));
    OK(chorale_model_builder_create(NULL, &builder, &error));
    chorale_chain chain = {.struct_size = sizeof chain};
    chain.labels = 1;
    const double one = 0.5;
    chain.unary = &one;
    if (way & 1)
      OK(chorale_model_builder_add_chain(builder, &chain, NULL, NULL, &error));
    chain.length = 1;
    if (way & 2)
      OK(chorale_model_builder_add_chain(builder, &chain, NULL, NULL, &error));
    chorale_clique_setup setup = {.struct_size = sizeof setup};
    setup.potential = potential;
    if (way & 4)
      OK(chorale_model_builder_add_cliques(builder, &setup, 1, NULL, &error));
    OK(chorale_model_builder_freeze(builder, &model, &error));
    OK(chorale_problem_create(NULL, model, &problem, &error));
    Saved saved = save(problem);
    OK(read_saved(NULL, &saved, 0, &read, &error));
    chorale_run_options options = {.struct_size = sizeof options};
    options.bound_steps = 2;
    OK(chorale_run_create(NULL, chorale_problem_model(read), &options, NULL, &run, &error));
    chorale_run_result result = {.struct_size = sizeof result};
    OK(chorale_run_solve(run, &result, &error));
    assert_int_equal(result.outcome, CHORALE_OUTCOME_COMPLETE);
    assert_true(result.score == (way & 2 ? 0.5 : 0));
    assert_true(result.proven && result.upper_bound == result.score);
    int32_t labels[1] = {UNTOUCHED};
    OK(chorale_run_labels(run, CHORALE_ALL_CHAINS, CHORALE_TOGETHER, labels, 1, NULL, &error));
    assert_int_equal(labels[0], way & 2 ? 0 : UNTOUCHED);
    char json[512];
    size_t needed = 0;
    OK(chorale_run_json(run, json, sizeof json, &needed, &error));
    assert_true(needed <= sizeof json && strstr(json, "\"complete\""));
    chorale_run_destroy(run);
    chorale_problem_destroy(read);
    chorale_problem_destroy(problem);
    drop_saved(&saved);
    chorale_model_release(model);
    chorale_model_builder_destroy(builder);
    chorale_potential_release(potential);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(numbers_beyond_the_limit_have_a_status),
      cmocka_unit_test(empty_models_are_models),
  };
  return cmocka_run_group_tests_name("hostile scores", tests, NULL, NULL);
}
