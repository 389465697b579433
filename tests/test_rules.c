/* Rules that hold in every call (chorale.h), call by call. */
#include "fixture_scene.h"

static Scene scene;

static int open_it(void **state) {
  (void)state;
  open_scene(NULL, &scene);
  return 0;
}
static int close_it(void **state) {
  (void)state;
  close_scene(&scene);
  return 0;
}

/* ---- Strides ------------------------------------------------------------------------------ */

enum { SIDE = 3, GAPLESS_ROWS = 4 };
static const double kRows[] = {0.5, 1, 2, -1, 0.25, 0.75, 3, 0, 1, -2, 3, 0.5};

/* Creates a potential over three values from rows of three numbers, by family. */
static chorale_status create_with_stride(int family, int64_t stride, chorale_potential **made,
                                         chorale_error *error) {
  switch (family) {
  case 0:
    return chorale_potential_create_sum(NULL, SIDE, kRows, SIDE, SIDE, stride, NULL, made, error);
  case 1:
    return chorale_potential_create_max(NULL, SIDE, kRows, SIDE, SIDE, stride, NULL, made, error);
  case 2:
    return chorale_potential_create_majority(NULL, SIDE, kRows, stride, NULL, NULL, made, error);
  default:
    return chorale_potential_create_pairs(NULL, SIDE, kRows, stride, NULL, made, error);
  }
}

static double score_with_stride(int family, int64_t stride) {
  chorale_error error;
  chorale_potential *potential = NULL;
  OK(create_with_stride(family, stride, &potential, &error));
  static const int64_t counts[SIDE] = {0, 0, 2};
  double score = UNTOUCHED;
  OK(chorale_potential_score(potential, counts, SIDE, 2, &score, &error));
  chorale_potential_release(potential);
  return score;
}

static void a_stride_of_0_is_rows_without_gaps_in_potentials(void **state) {
  (void)state;
  chorale_error error;
  for (int family = 0; family < 4; ++family) {
    assert_true(score_with_stride(family, 0) == score_with_stride(family, SIDE));
    assert_true(score_with_stride(family, 0) != score_with_stride(family, SIDE + 1));
    chorale_potential *potential = NULL;
    FAILS(create_with_stride(family, SIDE - 1, &potential, &error), CHORALE_ERROR_STRIDE,
          "row_stride is 2", "0", "3");
    FAILS(create_with_stride(family, -1, &potential, &error), CHORALE_ERROR_STRIDE, "-1");
    assert_null(potential);
  }
}

static void a_stride_of_0_is_rows_without_gaps_in_cliques(void **state) {
  (void)state;
  chorale_error error;
  double expected[GAPLESS_ROWS * SIDE], found[GAPLESS_ROWS * SIDE];
  int32_t best[GAPLESS_ROWS], again[GAPLESS_ROWS];
  chorale_clique_problem problem = scene.clique;
  problem.row_stride = SIDE;
  OK(chorale_clique_max_marginals(scene.has.clique_solver, scene.majority, &problem, NULL, expected,
                                  SIDE, best, NULL, &error));
  problem.row_stride = 0;
  OK(chorale_clique_max_marginals(scene.has.clique_solver, scene.majority, &problem, NULL, found, 0,
                                  again, NULL, &error));
  assert_memory_equal(found, expected, sizeof expected);
  assert_memory_equal(again, best, sizeof best);
  OK(chorale_clique_solve(scene.has.clique_solver, scene.majority, &problem, NULL, again, NULL,
                          &error));
  assert_memory_equal(again, best, sizeof best);
  double scores[2];
  for (int gapless = 0; gapless < 2; ++gapless) {
    chorale_clique_result result = {.struct_size = sizeof result};
    problem.row_stride = gapless ? 0 : SIDE;
    OK(chorale_clique_score(scene.has.clique_solver, scene.majority, &problem, best, &result,
                            &error));
    scores[gapless] = result.score;
  }
  assert_true(scores[0] == scores[1]);
}

static void a_stride_of_0_is_rows_without_gaps_in_chains(void **state) {
  (void)state;
  chorale_error error;
  chorale_chain chain = scene.chain;
  static const uint8_t allowed[] = {1, 1, 0, 1, 1, 1};
  chain.allowed = allowed;
  chain.edges = kRows;
  chain.edge_matrices = SCENE_LENGTH - 1;
  double marginals[2][SCENE_LENGTH * 2], scores[2][3];
  int32_t ranked[2][3 * SCENE_LENGTH];
  memset(ranked, 0, sizeof ranked);
  for (int gapless = 0; gapless < 2; ++gapless) {
    chain.unary_row_stride = chain.edge_row_stride = chain.allowed_row_stride = gapless ? 0 : 2;
    chain.unary_column_stride = chain.edge_column_stride = gapless ? 0 : 1;
    chain.edge_matrix_stride = gapless ? 0 : 4;
    OK(chorale_chain_max_marginals(scene.has.chain_solver, &chain, marginals[gapless],
                                   gapless ? 0 : 2, NULL, NULL, NULL, NULL, &error));
    int64_t found = 0;
    OK(chorale_chain_k_best(scene.has.chain_solver, &chain, 3, ranked[gapless],
                            gapless ? 0 : SCENE_LENGTH, scores[gapless], &found, &error));
    assert_int_equal(found, 3);
  }
  assert_memory_equal(marginals[0], marginals[1], sizeof marginals[0]);
  assert_memory_equal(scores[0], scores[1], sizeof scores[0]);
  assert_memory_equal(ranked[0], ranked[1], sizeof ranked[0]);

  for (int gapless = 0; gapless < 2; ++gapless) {
    chorale_transitions_options options = {.struct_size = sizeof options};
    options.row_stride = gapless ? 0 : 2;
    options.column_stride = gapless ? 0 : 1;
    chorale_transitions *transitions = NULL;
    OK(chorale_transitions_create(NULL, 2, kRows, &options, &transitions, &error));
    chain.edges = NULL;
    chain.transitions = transitions;
    OK(chorale_chain_score(&chain, ranked[0], &scores[gapless][0], &error));
    chorale_transitions_release(transitions);
  }
  assert_true(scores[0][0] == scores[1][0]);
}

static void a_stride_of_0_is_rows_without_gaps_in_runs(void **state) {
  (void)state;
  chorale_error error;
  chorale_chain chain = {.struct_size = sizeof chain};
  OK(chorale_model_get_chain(scene.has.model, 0, &chain, NULL, &error));
  const int64_t entries = chain.length * chain.labels;
  double marginals[2][64];
  assert_in_range(entries, 2, 64);
  for (int gapless = 0; gapless < 2; ++gapless)
    OK(chorale_run_max_marginals(scene.has.run, 0, marginals[gapless], gapless ? 0 : chain.labels,
                                 NULL, &error));
  assert_memory_equal(marginals[0], marginals[1], (size_t)entries * sizeof(double));
  FAILS(chorale_run_max_marginals(scene.has.run, 0, marginals[0], -1, NULL, &error),
        CHORALE_ERROR_STRIDE, "row_stride is -1");
}

/* ---- Buffers ------------------------------------------------------------------------------ */

enum { MOST_ENTRIES = 1 << 14 };

/* A call that fills a buffer, with entries of `size` bytes (text: 1). */
typedef struct Filler {
  const char *name;
  size_t size;
  chorale_status (*fill)(void *buffer, int64_t capacity, int64_t *needed, chorale_error *error);
} Filler;

static chorale_status fill_labels(void *to, int64_t capacity, int64_t *needed, chorale_error *e) {
  return chorale_run_labels(scene.has.run, 0, CHORALE_TOGETHER, to, capacity, needed, e);
}
static chorale_status fill_all(void *to, int64_t capacity, int64_t *needed, chorale_error *e) {
  return chorale_run_labels(scene.has.run, CHORALE_ALL_CHAINS, CHORALE_ALONE, to, capacity, needed,
                            e);
}
static chorale_status fill_values(void *to, int64_t capacity, int64_t *needed, chorale_error *e) {
  return chorale_run_values(scene.has.run, 0, CHORALE_TOGETHER, to, capacity, needed, e);
}
/* Fills reasons of the chain whose item follows the other one. */
static chorale_status fill_reasons(void *to, int64_t capacity, int64_t *needed, chorale_error *e) {
  int64_t first = 0;
  chorale_status status = chorale_run_reasons(scene.wide_run, 0, NULL, sizeof(chorale_reason), 0,
                                              &first, e);
  return status != CHORALE_OK
             ? status
             : chorale_run_reasons(scene.wide_run, first > 0 ? 0 : 1, to, sizeof(chorale_reason),
                                   capacity, needed, e);
}
static chorale_status fill_fired(void *to, int64_t capacity, int64_t *needed, chorale_error *e) {
  static const int32_t labelling[SCENE_LENGTH] = {1, 1, 1};
  return chorale_property_shown(&scene.attachments[0], SCENE_LENGTH, labelling, NULL, NULL, to,
                                capacity, needed, e);
}
/* Fills the JSON; here bytes are counted by size_t. */
static chorale_status fill_json(void *to, int64_t capacity, int64_t *needed, chorale_error *e) {
  size_t bytes = needed ? (size_t)*needed : 0;
  const chorale_status status =
      chorale_run_json(scene.has.run, to, (size_t)capacity, needed ? &bytes : NULL, e);
  if (needed)
    *needed = (int64_t)bytes;
  return status;
}
static chorale_status fill_file(void *to, int64_t capacity, int64_t *needed, chorale_error *e) {
  size_t bytes = needed ? (size_t)*needed : 0;
  const chorale_status status = chorale_problem_write(scene.has.problem, to, (size_t)capacity,
                                                      needed ? &bytes : NULL, e);
  if (needed)
    *needed = (int64_t)bytes;
  return status;
}

static const Filler kFillers[] = {
    {"labels", sizeof(int32_t), fill_labels},
    {"all labels", sizeof(int32_t), fill_all},
    {"values", sizeof(int32_t), fill_values},
    {"reasons", sizeof(chorale_reason), fill_reasons},
    {"fired", sizeof(int32_t), fill_fired},
    {"json", 1, fill_json},
    {"file", 1, fill_file},
};

/* Tries each call with every capacity that makes a difference: all entries are written, or none. */
static void a_buffer_is_filled_or_left_alone(void **state) {
  (void)state;
  chorale_error error;
  for (size_t f = 0; f < COUNT_OF(kFillers); ++f) {
    const Filler *filler = &kFillers[f];
    int64_t needed = UNTOUCHED;
    OK(filler->fill(NULL, 0, &needed, &error));
    assert_in_range(needed, 1, MOST_ENTRIES);
    OK(filler->fill(NULL, 0, NULL, &error));
    const size_t bytes = (size_t)(needed + 1) * filler->size;
    unsigned char *whole = malloc(bytes), *some = malloc(bytes);
    assert_true(whole && some);
    memset(whole, '#', bytes);
    OK(filler->fill(whole, needed, NULL, &error));
    for (size_t b = (size_t)needed * filler->size; b < bytes; ++b)
      assert_int_equal(whole[b], '#');
    for (int64_t capacity = 0; capacity <= needed + 1;
         capacity += capacity == 1 && needed > 4 ? needed - 3 : 1) {
      memset(some, '#', bytes);
      int64_t told = UNTOUCHED;
      if (capacity >= needed) {
        OK(filler->fill(some, capacity, &told, &error));
        assert_memory_equal(some, whole, bytes);
      } else {
        char had[48], wants[48];
        (void)snprintf(had, sizeof had, "capacity is %lld;", (long long)capacity);
        (void)snprintf(wants, sizeof wants, "needs %lld", (long long)needed);
        FAILS(filler->fill(some, capacity, &told, &error), CHORALE_ERROR_CAPACITY, had, wants);
        for (size_t b = 0; b < bytes; ++b)
          assert_int_equal(some[b], '#');
      }
      assert_int_equal(told, needed);
    }
    FAILS(filler->fill(NULL, 1, NULL, &error), CHORALE_ERROR_NULL_ARGUMENT, "NULL");
    if (filler->size > 1) /* bytes have no sign */
      FAILS(filler->fill(some, -1, NULL, &error), CHORALE_ERROR_SIZE, "capacity is -1");
    free(whole);
    free(some);
  }
}

/* Reasons in the struct, and in a longer struct of a later version. */
static void reasons_lie_as_far_apart_as_they_are_large(void **state) {
  (void)state;
  chorale_error error;
  const size_t size = sizeof(chorale_reason), larger = size + 16;
  const int64_t chain = 0;
  chorale_run *run = scene.has.run;
  int64_t count = 0;
  chorale_reason expected[16];
  unsigned char spread[16 * (sizeof(chorale_reason) + 16)];
  assert_int_equal(size, 80);
  OK(chorale_run_reasons(run, chain, expected, size, 16, &count, &error));
  if (count == 0) {
    run = scene.wide_run;
    OK(chorale_run_reasons(run, chain, expected, size, 16, &count, &error));
    assert_true(count > 0);
  }
  memset(spread, '#', sizeof spread);
  OK(chorale_run_reasons(run, chain, (chorale_reason *)(void *)spread, larger, 16, NULL, &error));
  for (int64_t k = 0; k < 16; ++k) {
    const unsigned char *at = spread + (size_t)k * larger;
    if (k < count)
      assert_memory_equal(at, &expected[k], size);
    for (size_t b = k < count ? size : 0; b < larger; ++b)
      assert_int_equal(at[b], k < count ? 0 : '#');
  }
  static const size_t none[] = {0, 8, 71, 73, 76, 64, 4104, SIZE_MAX - 7};
  for (size_t k = 0; k < COUNT_OF(none); ++k) {
    memset(spread, '#', sizeof spread);
    FAILS(chorale_run_reasons(run, chain, (chorale_reason *)(void *)spread, none[k], 16, NULL,
                              &error),
          CHORALE_ERROR_STRUCT_SIZE, "reason_size is", "72");
    for (size_t b = 0; b < sizeof spread; ++b)
      assert_int_equal(spread[b], '#');
  }
}

/* Texts in a longer struct of a later version, whose further fields must be 0. */
static void texts_lie_as_far_apart_as_they_are_large(void **state) {
  (void)state;
  chorale_error error;
  chorale_problem *problem = scene.has.problem;
  struct {
    chorale_text text;
    int64_t newer[2];
  } wide[4] = {{{"a", 1}, {0, 0}}, {{"bc", 2}, {0, 0}}, {{NULL, 0}, {0, 0}}, {{"d", 1}, {0, 0}}};
  OK(chorale_problem_set_texts(problem, CHORALE_TEXTS_TOKENS, &wide[0].text, sizeof wide[0], 4,
                               &error));
  static const char *const expected[] = {"a", "bc", "", "d"};
  for (int64_t k = 0; k < 4; ++k) {
    size_t length = 99;
    const char *bytes = chorale_problem_text(problem, CHORALE_TEXTS_TOKENS, k, &length);
    assert_int_equal(length, strlen(expected[k]));
    assert_non_null(bytes);
    assert_memory_equal(bytes, expected[k], length);
    assert_ptr_equal(chorale_problem_text(problem, CHORALE_TEXTS_TOKENS, k, NULL), bytes);
  }
  size_t length = 99;
  assert_null(chorale_problem_text(problem, CHORALE_TEXTS_TOKENS, 4, &length));
  assert_int_equal(length, 0);
  assert_null(chorale_problem_text(problem, CHORALE_TEXTS_NOTES, -1, NULL));
  wide[1].newer[1] = 1;
  FAILS(chorale_problem_set_texts(problem, CHORALE_TEXTS_TOKENS, &wide[0].text, sizeof wide[0], 4,
                                  &error),
        CHORALE_ERROR_STRUCT_SIZE, "texts[1]");
  static const size_t none[] = {0, 8, 15, 20, 4104};
  for (size_t k = 0; k < COUNT_OF(none); ++k)
    FAILS(chorale_problem_set_texts(problem, CHORALE_TEXTS_TOKENS, &wide[0].text, none[k], 4,
                                    &error),
          CHORALE_ERROR_STRUCT_SIZE, "text_size is", "16");
  FAILS(chorale_problem_set_note(problem, NULL, 1, "x", 1, &error), CHORALE_ERROR_NULL_ARGUMENT,
        "name");
  FAILS(chorale_problem_set_note(problem, "x", 1, NULL, 1, &error), CHORALE_ERROR_NULL_ARGUMENT,
        "text");
}

/* ---- Constants ---------------------------------------------------------------------------- */

static void a_labelling_that_is_none_is_refused(void **state) {
  (void)state;
  chorale_error error;
  const chorale_run *run = scene.has.run;
  static const int32_t none[] = {-1, 2, INT32_MAX, INT32_MIN};
  assert_int_equal(CHORALE_TOGETHER, 0);
  assert_int_equal(CHORALE_ALONE, 1);
  for (size_t k = 0; k < COUNT_OF(none); ++k) {
    char text[16];
    (void)snprintf(text, sizeof text, "%d", none[k]);
    scene.labels[0] = UNTOUCHED;
    FAILS(chorale_run_labels(run, 0, none[k], scene.labels, 99, NULL, &error),
          CHORALE_ERROR_UNKNOWN_CONSTANT, "labelling is", text, "CHORALE_ALONE");
    FAILS(chorale_run_labels(run, CHORALE_ALL_CHAINS, none[k], scene.labels, 99, NULL, &error),
          CHORALE_ERROR_UNKNOWN_CONSTANT, "labelling is", text);
    FAILS(chorale_run_values(run, 0, none[k], scene.labels, 99, NULL, &error),
          CHORALE_ERROR_UNKNOWN_CONSTANT, "labelling is", text);
    assert_int_equal(scene.labels[0], UNTOUCHED);
  }
}

static void outside_that_is_no_constant_is_refused(void **state) {
  (void)state;
  chorale_error error;
  static const int32_t values[] = {0, 2};
  chorale_dictionary *dictionary = NULL;
  assert_int_equal(CHORALE_UNLISTED_FORBIDDEN, 0);
  assert_int_equal(CHORALE_UNLISTED_AS_VALUE, 1);
  for (int32_t none = -1; none <= 2; none += 3)
    FAILS(chorale_dictionary_create(NULL, values, 2, none, &dictionary, &error),
          CHORALE_ERROR_UNKNOWN_CONSTANT, "unlisted is", "CHORALE_UNLISTED_");
  assert_null(dictionary);
}

/* ---- What a clique was added with -------------------------------------------------------- */

static void a_model_tells_what_its_cliques_were_added_with(void **state) {
  (void)state;
  chorale_error error;
  chorale_model *model = NULL;
  OK(chorale_model_builder_freeze(scene.has.builder, &model, &error));
  const chorale_clique_setup *given[] = {&scene.property_setup, &scene.position_setup,
                                         &scene.centred_setup};
  chorale_clique_setup found[3];
  for (int64_t c = 0; c < 3; ++c) {
    found[c] = (chorale_clique_setup){.struct_size = sizeof found[c]};
    OK(chorale_model_get_clique(model, c, &found[c], &error));
    assert_ptr_equal(found[c].property, given[c]->property);
    assert_null(found[c].dictionary);
    assert_int_equal(found[c].values, 2);
    assert_ptr_equal(found[c].potential, given[c]->potential);
    assert_int_equal(found[c].labels, given[c]->labels);
    assert_int_equal(found[c].label_values != NULL, given[c]->label_values != NULL);
    for (int64_t y = 0; y < found[c].labels; ++y)
      assert_int_equal(found[c].label_values[y], given[c]->label_values[y]);
    assert_int_equal(found[c].centre_values, given[c]->centre_values);
    assert_int_equal(found[c].centre_labels, given[c]->centre_labels);
    assert_int_equal(found[c].centre_label_values != NULL, given[c]->centre_label_values != NULL);
    for (int64_t y = 0; y < found[c].centre_labels; ++y)
      assert_int_equal(found[c].centre_label_values[y], given[c]->centre_label_values[y]);
    assert_int_equal(found[c].centre_potentials != NULL, found[c].centre_values > 0);
  }
  static const int64_t counts[] = {2, 1, 0, 0};
  for (int64_t k = 0; k < found[2].centre_values; ++k) {
    const int64_t values = chorale_potential_values(found[2].centre_potentials[k]);
    assert_true(values == 2 || values == 4);
    double score = UNTOUCHED;
    OK(chorale_potential_score(found[2].centre_potentials[k], counts, values, 3, &score, &error));
    assert_true(score == 0.5 * 5);
  }
  /* What is told can be added again, and is then told again. */
  chorale_model_builder *builder = NULL;
  chorale_model *again = NULL;
  OK(chorale_model_builder_create(NULL, &builder, &error));
  chorale_chain chain = {.struct_size = sizeof chain};
  OK(chorale_model_get_chain(model, 0, &chain, NULL, &error));
  OK(chorale_model_builder_add_chain(builder, &chain, NULL, NULL, &error));
  for (int64_t c = 0; c < 3; ++c)
    OK(chorale_model_builder_add_cliques(builder, &found[c], 1, NULL, &error));
  OK(put_centre(builder, 2, 0, 0, &error));
  OK(chorale_model_builder_freeze(builder, &again, &error));
  for (int64_t c = 0; c < 3; ++c) {
    chorale_clique_setup told = {.struct_size = sizeof told};
    OK(chorale_model_get_clique(again, c, &told, &error));
    assert_ptr_equal(told.property, found[c].property);
    assert_ptr_equal(told.potential, found[c].potential);
    assert_int_equal(told.values, found[c].values);
    assert_int_equal(told.centre_values, found[c].centre_values);
    assert_int_equal(told.labels, found[c].labels);
  }
  chorale_model_release(again);
  chorale_model_builder_destroy(builder);
  chorale_model_release(model);
}

/* Counts the log lines of a chain solver, which logs as the clique solver does. */
static void count_lines(void *user, chorale_log_level level, const char *message) {
  *(int *)user += level == CHORALE_LOG_DEBUG && strstr(message, "chain of 3 positions") != NULL;
}

static void the_chain_solver_uses_the_log(void **state) {
  (void)state;
  chorale_error error;
  int lines = 0;
  chorale_host host = {.struct_size = sizeof host};
  host.log = count_lines;
  host.log_user = &lines;
  chorale_chain_solver *solver = NULL;
  OK(chorale_chain_solver_create(&host, &solver, &error));
  int32_t labels[SCENE_LENGTH];
  OK(chorale_chain_solve(solver, &scene.chain, labels, NULL, &error));
  assert_int_equal(lines, 1);
  OK(chorale_chain_decode(solver, &scene.chain, scene.attachments, 1, NULL, labels, NULL, NULL,
                          &error));
  assert_int_equal(lines, 2);
  chorale_chain_solver_destroy(solver);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_stride_of_0_is_rows_without_gaps_in_potentials),
      cmocka_unit_test_setup_teardown(a_stride_of_0_is_rows_without_gaps_in_cliques, open_it,
                                      close_it),
      cmocka_unit_test_setup_teardown(a_stride_of_0_is_rows_without_gaps_in_chains, open_it,
                                      close_it),
      cmocka_unit_test_setup_teardown(a_stride_of_0_is_rows_without_gaps_in_runs, open_it,
                                      close_it),
      cmocka_unit_test_setup_teardown(a_buffer_is_filled_or_left_alone, open_it, close_it),
      cmocka_unit_test_setup_teardown(reasons_lie_as_far_apart_as_they_are_large, open_it,
                                      close_it),
      cmocka_unit_test_setup_teardown(texts_lie_as_far_apart_as_they_are_large, open_it, close_it),
      cmocka_unit_test_setup_teardown(a_model_tells_what_its_cliques_were_added_with, open_it,
                                      close_it),
      cmocka_unit_test_setup_teardown(the_chain_solver_uses_the_log, open_it, close_it),
      cmocka_unit_test_setup_teardown(a_labelling_that_is_none_is_refused, open_it, close_it),
      cmocka_unit_test(outside_that_is_no_constant_is_refused),
  };
  return cmocka_run_group_tests_name("rules", tests, NULL, NULL);
}
