/* Invalid arguments of potentials: each has its own status and a message that names argument, value
 * and rule; nothing changes and nothing leaks. */
#include "fixture.h"

static CountingAllocator allocator;
static chorale_host host;
static chorale_error error;
static chorale_potential *potential;
static int something;
#define MARK ((chorale_potential *)(void *)&something)

/* Checks that the output is unchanged and that nothing leaked. */
#define REFUSES(call, expected, ...)                                                               \
  do {                                                                                             \
    potential = MARK;                                                                              \
    FAILS(call, expected, __VA_ARGS__);                                                            \
    assert_ptr_equal(potential, MARK);                                                             \
    assert_int_equal(allocator.live, 0);                                                           \
    assert_int_equal(allocator.mistakes, 0);                                                       \
  } while (0)

#define POTTS(values, lambda, options)                                                             \
  chorale_potential_create_potts(&host, values, lambda, options, &potential, &error)

static int set_up(void **state) {
  (void)state;
  counting_allocator_init(&allocator);
  host = (chorale_host){.struct_size = sizeof host};
  host.allocator = &allocator.hooks;
  return 0;
}

static void values_must_be_positive(void **state) {
  (void)state;
  static const double numbers[9] = {0};
  static const int64_t sizes[] = {0, -1, INT64_MIN};
  for (size_t s = 0; s < COUNT_OF(sizes); ++s) {
    const int64_t R = sizes[s];
    char text[32];
    (void)snprintf(text, sizeof text, "%lld", (long long)R);
    REFUSES(POTTS(R, 1, NULL), CHORALE_ERROR_SIZE, "values", text, "1");
    REFUSES(chorale_potential_create_entropy(&host, R, 1, NULL, &potential, &error),
            CHORALE_ERROR_SIZE, "values", text);
    REFUSES(chorale_potential_create_sum(&host, R, numbers, 1, 3, 3, NULL, &potential, &error),
            CHORALE_ERROR_SIZE, "values", text);
    REFUSES(chorale_potential_create_cardinality(&host, R, numbers, 3, NULL, &potential, &error),
            CHORALE_ERROR_SIZE, "values", text);
    REFUSES(chorale_potential_create_max(&host, R, numbers, 1, 3, 3, NULL, &potential, &error),
            CHORALE_ERROR_SIZE, "values", text);
    REFUSES(chorale_potential_create_makespan(&host, R, 1, NULL, &potential, &error),
            CHORALE_ERROR_SIZE, "values", text);
    REFUSES(chorale_potential_create_square_makespan(&host, R, 1, NULL, &potential, &error),
            CHORALE_ERROR_SIZE, "values", text);
    REFUSES(chorale_potential_create_majority(&host, R, numbers, 3, NULL, NULL, &potential, &error),
            CHORALE_ERROR_SIZE, "values", text);
    REFUSES(chorale_potential_create_pairs(&host, R, numbers, 3, NULL, &potential, &error),
            CHORALE_ERROR_SIZE, "values", text);
  }
  REFUSES(POTTS(INT64_MAX, 1, NULL), CHORALE_ERROR_SIZE_OVERFLOW, "values", "9223372036854775807");
  REFUSES(POTTS(INT64_C(2147483648), 1, NULL), CHORALE_ERROR_SIZE_OVERFLOW, "values", "2147483648");
}

static void numbers_must_be_finite(void **state) {
  (void)state;
  static const struct {
    double number;
    chorale_status status;
    const char *text;
  } bad[] = {{NAN, CHORALE_ERROR_NOT_A_NUMBER, "NaN"},
             {INFINITY, CHORALE_ERROR_INFINITE, "inf"},
             {-INFINITY, CHORALE_ERROR_INFINITE, "-inf"},
             {1e281, CHORALE_ERROR_OUT_OF_RANGE, "1e+281"},
             {-1e281, CHORALE_ERROR_OUT_OF_RANGE, "-1e+281"}};
  for (size_t b = 0; b < COUNT_OF(bad); ++b) {
    const double x = bad[b].number;
    REFUSES(POTTS(3, x, NULL), bad[b].status, "lambda", bad[b].text);
    REFUSES(chorale_potential_create_entropy(&host, 3, x, NULL, &potential, &error), bad[b].status,
            "lambda", bad[b].text);
    REFUSES(chorale_potential_create_makespan(&host, 3, x, NULL, &potential, &error), bad[b].status,
            "lambda", bad[b].text);
    REFUSES(chorale_potential_create_square_makespan(&host, 3, x, NULL, &potential, &error),
            bad[b].status, "lambda", bad[b].text);
    double numbers[12] = {0}; /* 3 rows of 3, stride 4, the gap may hold anything */
    numbers[3] = NAN;
    numbers[6] = x;
    REFUSES(chorale_potential_create_majority(&host, 3, numbers, 4, NULL, NULL, &potential, &error),
            bad[b].status, "weights[1][2]", bad[b].text);
    REFUSES(chorale_potential_create_pairs(&host, 3, numbers, 4, NULL, &potential, &error),
            bad[b].status, "scores[1][2]", bad[b].text);
    numbers[6] = 0;
    const double bias[3] = {0, 0, x};
    REFUSES(chorale_potential_create_majority(&host, 3, numbers, 4, bias, NULL, &potential, &error),
            bad[b].status, "bias[2]", bad[b].text);
    if (x == -INFINITY)
      continue; /* a table may forbid a count */
    numbers[6] = x;
    REFUSES(chorale_potential_create_sum(&host, 3, numbers, 3, 3, 4, NULL, &potential, &error),
            bad[b].status, "tables[1][2]", bad[b].text);
    REFUSES(chorale_potential_create_max(&host, 3, numbers, 3, 3, 4, NULL, &potential, &error),
            bad[b].status, "tables[1][2]", bad[b].text);
    numbers[3] = 0;
    REFUSES(chorale_potential_create_cardinality(&host, 2, numbers, 8, NULL, &potential, &error),
            bad[b].status, "table", "6", bad[b].text);
  }
}

static void arrays_must_be_there(void **state) {
  (void)state;
  REFUSES(chorale_potential_create_sum(&host, 3, NULL, 1, 3, 3, NULL, &potential, &error),
          CHORALE_ERROR_NULL_ARGUMENT, "tables", "NULL");
  REFUSES(chorale_potential_create_max(&host, 3, NULL, 1, 3, 3, NULL, &potential, &error),
          CHORALE_ERROR_NULL_ARGUMENT, "tables", "NULL");
  REFUSES(chorale_potential_create_cardinality(&host, 2, NULL, 3, NULL, &potential, &error),
          CHORALE_ERROR_NULL_ARGUMENT, "table", "NULL");
  REFUSES(
      chorale_potential_create_majority(&host, 3, NULL, 3, NULL, NULL, &potential, &error),
      CHORALE_ERROR_NULL_ARGUMENT, "weights", "NULL");
  REFUSES(chorale_potential_create_pairs(&host, 3, NULL, 3, NULL, &potential, &error),
          CHORALE_ERROR_NULL_ARGUMENT, "scores", "NULL");
  REFUSES(chorale_potential_create_callback(&host, 3, NULL, NULL, NULL, NULL, &potential, &error),
          CHORALE_ERROR_NULL_ARGUMENT, "function", "NULL");
}

static int32_t zero_score(void *user, const int64_t *counts, int64_t values, int64_t members,
                          double *score) {
  (void)user;
  (void)counts;
  (void)values;
  (void)members;
  *score = 0;
  return 0;
}

static void the_output_must_be_there(void **state) {
  (void)state;
  static const double numbers[9] = {0};
  FAILS(chorale_potential_create_potts(&host, 3, 1, NULL, NULL, &error),
        CHORALE_ERROR_NULL_ARGUMENT, "potential", "NULL");
  FAILS(chorale_potential_create_entropy(&host, 3, 1, NULL, NULL, &error),
        CHORALE_ERROR_NULL_ARGUMENT, "potential");
  FAILS(chorale_potential_create_sum(&host, 3, numbers, 1, 3, 3, NULL, NULL, &error),
        CHORALE_ERROR_NULL_ARGUMENT, "potential");
  FAILS(chorale_potential_create_cardinality(&host, 2, numbers, 3, NULL, NULL, &error),
        CHORALE_ERROR_NULL_ARGUMENT, "potential");
  FAILS(chorale_potential_create_max(&host, 3, numbers, 1, 3, 3, NULL, NULL, &error),
        CHORALE_ERROR_NULL_ARGUMENT, "potential");
  FAILS(chorale_potential_create_makespan(&host, 3, 1, NULL, NULL, &error),
        CHORALE_ERROR_NULL_ARGUMENT, "potential");
  FAILS(chorale_potential_create_square_makespan(&host, 3, 1, NULL, NULL, &error),
        CHORALE_ERROR_NULL_ARGUMENT, "potential");
  FAILS(chorale_potential_create_majority(&host, 3, numbers, 3, NULL, NULL, NULL, &error),
        CHORALE_ERROR_NULL_ARGUMENT, "potential");
  FAILS(chorale_potential_create_pairs(&host, 3, numbers, 3, NULL, NULL, &error),
        CHORALE_ERROR_NULL_ARGUMENT, "potential");
  FAILS(chorale_potential_create_callback(&host, 3, zero_score, NULL, NULL, NULL, NULL, &error),
        CHORALE_ERROR_NULL_ARGUMENT, "potential");
  assert_int_equal(allocator.live, 0);
}

static void shapes_must_fit(void **state) {
  (void)state;
  static const double numbers[64] = {0};
  static const int64_t counts[] = {2, 4, 0, -1};
  for (size_t c = 0; c < COUNT_OF(counts); ++c) {
    char text[32];
    (void)snprintf(text, sizeof text, "%lld", (long long)counts[c]);
    REFUSES(
        chorale_potential_create_sum(&host, 3, numbers, counts[c], 3, 3, NULL, &potential, &error),
        CHORALE_ERROR_SHAPE, "table_count", text, "3");
    REFUSES(
        chorale_potential_create_max(&host, 3, numbers, counts[c], 3, 3, NULL, &potential, &error),
        CHORALE_ERROR_SHAPE, "table_count", text);
  }
  REFUSES(chorale_potential_create_cardinality(&host, 3, numbers, 3, NULL, &potential, &error),
          CHORALE_ERROR_SHAPE, "3 values", "2");
  const uint8_t one[2] = {1, 0};
  chorale_potential_options options = {.struct_size = sizeof options};
  options.counted = one;
  REFUSES(chorale_potential_create_cardinality(&host, 2, numbers, 3, &options, &potential, &error),
          CHORALE_ERROR_SHAPE, "1 value", "2");
}

static void lengths_and_strides(void **state) {
  (void)state;
  static const double numbers[64] = {0};
  REFUSES(chorale_potential_create_sum(&host, 3, numbers, 1, 0, 3, NULL, &potential, &error),
          CHORALE_ERROR_SIZE, "length", "0");
  REFUSES(chorale_potential_create_max(&host, 3, numbers, 3, -2, 3, NULL, &potential, &error),
          CHORALE_ERROR_SIZE, "length", "-2");
  REFUSES(chorale_potential_create_cardinality(&host, 2, numbers, 0, NULL, &potential, &error),
          CHORALE_ERROR_SIZE, "length", "0");
  REFUSES(chorale_potential_create_sum(&host, 3, numbers, 3, 5, 4, NULL, &potential, &error),
          CHORALE_ERROR_STRIDE, "row_stride", "4", "5");
  REFUSES(chorale_potential_create_max(&host, 3, numbers, 3, 5, -5, NULL, &potential, &error),
          CHORALE_ERROR_STRIDE, "row_stride", "-5", "5");
  REFUSES(
      chorale_potential_create_majority(&host, 3, numbers, 2, NULL, NULL, &potential, &error),
      CHORALE_ERROR_STRIDE, "row_stride", "2", "3");
  REFUSES(chorale_potential_create_pairs(&host, 3, numbers, 1, NULL, &potential, &error),
          CHORALE_ERROR_STRIDE, "row_stride", "1", "3");
  REFUSES(
      chorale_potential_create_sum(&host, 3, numbers, 3, 5, INT64_MAX, NULL, &potential, &error),
      CHORALE_ERROR_SIZE_OVERFLOW, "row_stride", "9223372036854775807");
  REFUSES(
      chorale_potential_create_sum(&host, 3, numbers, 1, INT64_MAX, 5, NULL, &potential, &error),
      CHORALE_ERROR_SIZE_OVERFLOW, "length", "9223372036854775807");
  const int64_t huge = INT32_MAX;
  REFUSES(chorale_potential_create_majority(&host, huge, numbers, huge, NULL, NULL, &potential,
                                            &error),
          CHORALE_ERROR_SIZE_OVERFLOW, "2147483647");
}

static void options_must_be_known(void **state) {
  (void)state;
  chorale_potential_options options = {.struct_size = sizeof options};
  options.scale = 3;
  REFUSES(POTTS(3, 1, &options), CHORALE_ERROR_UNKNOWN_CONSTANT, "scale", "3");
  options.scale = -1;
  REFUSES(POTTS(3, 1, &options), CHORALE_ERROR_UNKNOWN_CONSTANT, "scale", "-1");
  options.scale = 0;
  options.shape = 3;
  REFUSES(POTTS(3, 1, &options), CHORALE_ERROR_UNKNOWN_CONSTANT, "shape", "3");
  options.shape = 0;
  static const size_t sizes[] = {0, 8, sizeof options - 1, 5000};
  for (size_t s = 0; s < COUNT_OF(sizes); ++s) {
    options.struct_size = sizes[s];
    char text[32];
    (void)snprintf(text, sizeof text, "%zu", sizes[s]);
    REFUSES(POTTS(3, 1, &options), CHORALE_ERROR_STRUCT_SIZE, "options", text);
  }
}

/* ---- Evaluation --------------------------------------------------------------------------- */

static int32_t bad_score(void *user, const int64_t *counts, int64_t values, int64_t members,
                         double *score) {
  (void)counts;
  (void)values;
  (void)members;
  const int what = *(int *)user;
  if (what == 0)
    *score = NAN;
  if (what == 1)
    *score = INFINITY;
  if (what == 2)
    *score = 1;
  return what == 2 ? 17 : 0; /* 3: stores no score and returns 0 */
}

static void counts_must_make_sense(void **state) {
  (void)state;
  static const double tables[4] = {0, 1, 2, 3};
  chorale_potential *p = NULL;
  OK(chorale_potential_create_sum(NULL, 3, tables, 1, 4, 4, NULL, &p, &error));
  int64_t counts[3] = {1, 1, 1};
  double score = 99;
  FAILS(chorale_potential_score(NULL, counts, 3, 3, &score, &error), CHORALE_ERROR_NULL_ARGUMENT,
        "potential", "NULL");
  FAILS(chorale_potential_score(p, NULL, 3, 3, &score, &error), CHORALE_ERROR_NULL_ARGUMENT,
        "counts", "NULL");
  FAILS(chorale_potential_score(p, counts, 3, 3, NULL, &error), CHORALE_ERROR_NULL_ARGUMENT,
        "score", "NULL");
  FAILS(chorale_potential_score(p, counts, 2, 2, &score, &error), CHORALE_ERROR_VALUES_MISMATCH,
        "values", "2", "3");
  FAILS(chorale_potential_score(p, counts, 3, 4, &score, &error), CHORALE_ERROR_OUT_OF_RANGE,
        "counts", "3", "4");
  FAILS(chorale_potential_score(p, counts, 3, -1, &score, &error), CHORALE_ERROR_SIZE, "members",
        "-1");
  counts[0] = -1;
  counts[1] = 3;
  FAILS(chorale_potential_score(p, counts, 3, 3, &score, &error), CHORALE_ERROR_OUT_OF_RANGE,
        "counts[0]", "-1");
  counts[0] = INT64_MAX;
  counts[1] = INT64_MAX;
  counts[2] = 5; /* the sum must not wrap round to 3 */
  FAILS(chorale_potential_score(p, counts, 3, 3, &score, &error), CHORALE_ERROR_OUT_OF_RANGE,
        "counts");
  counts[0] = 4;
  counts[1] = counts[2] = 0;
  FAILS(chorale_potential_score(p, counts, 3, 4, &score, &error), CHORALE_ERROR_TABLE_TOO_SHORT,
        "table", "4", "5");
  assert_true(score == 99);
  counts[0] = 3;
  OK(chorale_potential_score(p, counts, 3, 3, &score, &error));
  assert_true(score == 3);
  chorale_potential_release(p);
}

static void callbacks_must_give_scores(void **state) {
  (void)state;
  int what = 0;
  chorale_potential *p = NULL;
  OK(chorale_potential_create_callback(NULL, 2, bad_score, &what, NULL, NULL, &p, &error));
  const int64_t counts[2] = {1, 2};
  double score = 99;
  FAILS(chorale_potential_score(p, counts, 2, 3, &score, &error), CHORALE_ERROR_CALLBACK_VALUE,
        "callback", "NaN");
  what = 1;
  FAILS(chorale_potential_score(p, counts, 2, 3, &score, &error), CHORALE_ERROR_CALLBACK_VALUE,
        "callback");
  what = 2;
  FAILS(chorale_potential_score(p, counts, 2, 3, &score, &error), CHORALE_ERROR_CALLBACK_STOPPED,
        "callback");
  what = 3; /* the callback stores no score */
  FAILS(chorale_potential_score(p, counts, 2, 3, &score, &error), CHORALE_ERROR_CALLBACK_VALUE,
        "callback");
  assert_true(score == 99);
  chorale_potential_release(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(values_must_be_positive, set_up),
      cmocka_unit_test_setup(numbers_must_be_finite, set_up),
      cmocka_unit_test_setup(arrays_must_be_there, set_up),
      cmocka_unit_test_setup(the_output_must_be_there, set_up),
      cmocka_unit_test_setup(shapes_must_fit, set_up),
      cmocka_unit_test_setup(lengths_and_strides, set_up),
      cmocka_unit_test_setup(options_must_be_known, set_up),
      cmocka_unit_test_setup(counts_must_make_sense, set_up),
      cmocka_unit_test_setup(callbacks_must_give_scores, set_up),
  };
  return cmocka_run_group_tests_name("potential input", tests, NULL, NULL);
}
