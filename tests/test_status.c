/* Statuses: fixed numbers, names, the fixed layout of the error struct. */
#include "fixture.h"

static void numbers_are_pinned_and_named(void **state) {
  (void)state;
#define ENTRY(name, number)                                                                        \
  { name, number, #name }
  static const struct {
    chorale_status status;
    int32_t number;
    const char *name;
  } known[] = {
      ENTRY(CHORALE_OK, 0),
      ENTRY(CHORALE_ERROR_NULL_ARGUMENT, 10),
      ENTRY(CHORALE_ERROR_SIZE, 20),
      ENTRY(CHORALE_ERROR_SIZE_OVERFLOW, 21),
      ENTRY(CHORALE_ERROR_STRIDE, 22),
      ENTRY(CHORALE_ERROR_TABLE_TOO_SHORT, 23),
      ENTRY(CHORALE_ERROR_SHAPE, 24),
      ENTRY(CHORALE_ERROR_VALUES_MISMATCH, 25),
      ENTRY(CHORALE_ERROR_STRUCT_SIZE, 26),
      ENTRY(CHORALE_ERROR_CAPACITY, 27),
      ENTRY(CHORALE_ERROR_NOT_A_NUMBER, 30),
      ENTRY(CHORALE_ERROR_INFINITE, 31),
      ENTRY(CHORALE_ERROR_OUT_OF_RANGE, 32),
      ENTRY(CHORALE_ERROR_UNKNOWN_CONSTANT, 33),
      ENTRY(CHORALE_ERROR_FORBIDDEN_VALUE, 34),
      ENTRY(CHORALE_ERROR_ALGORITHM_MISMATCH, 40),
      ENTRY(CHORALE_ERROR_NOT_CONVEX, 41),
      ENTRY(CHORALE_ERROR_NOT_CONCAVE, 42),
      ENTRY(CHORALE_ERROR_NOT_EXACT, 43),
      ENTRY(CHORALE_ERROR_WEIGHTS, 44),
      ENTRY(CHORALE_ERROR_CALLBACK_VALUE, 50),
      ENTRY(CHORALE_ERROR_CALLBACK_STOPPED, 51),
      ENTRY(CHORALE_ERROR_EXECUTOR, 53),
      ENTRY(CHORALE_ERROR_OUT_OF_MEMORY, 60),
      ENTRY(CHORALE_ERROR_ALIGNMENT, 62),
      ENTRY(CHORALE_ERROR_LABELS_MISMATCH, 70),
      ENTRY(CHORALE_ERROR_PARENT_ORDER, 71),
      ENTRY(CHORALE_ERROR_PARENT_CYCLE, 72),
      ENTRY(CHORALE_ERROR_NOT_A_CHAIN, 73),
      ENTRY(CHORALE_ERROR_AUTOMATON_ON_TREE, 74),
      ENTRY(CHORALE_ERROR_VALUE_OUTSIDE_RANGE, 75),
      ENTRY(CHORALE_ERROR_STATE_SPACE, 76),
      ENTRY(CHORALE_ERROR_LABEL_NAME, 77),
      ENTRY(CHORALE_ERROR_DUPLICATE_MEMBER, 80),
      ENTRY(CHORALE_ERROR_FROZEN, 81),
      ENTRY(CHORALE_ERROR_TOKENS_MISSING, 82),
      ENTRY(CHORALE_ERROR_MODEL_MISMATCH, 83),
      ENTRY(CHORALE_ERROR_NO_LABELLING, 84),
      ENTRY(CHORALE_ERROR_KIND, 85),
      ENTRY(CHORALE_ERROR_BUSY, 86),
      ENTRY(CHORALE_ERROR_STATE, 87),
      ENTRY(CHORALE_ERROR_INTERNAL, 90),
      ENTRY(CHORALE_ERROR_FILE_FORMAT, 100),
      ENTRY(CHORALE_ERROR_FILE_BYTE_ORDER, 101),
      ENTRY(CHORALE_ERROR_FILE_VERSION, 102),
      ENTRY(CHORALE_ERROR_FILE_TRUNCATED, 103),
      ENTRY(CHORALE_ERROR_FILE_CHECKSUM, 104),
      ENTRY(CHORALE_ERROR_FILE_SECTION, 105),
      ENTRY(CHORALE_ERROR_INPUT_OUTPUT, 106),
      ENTRY(CHORALE_ERROR_NOT_SAVABLE, 107),
      ENTRY(CHORALE_ERROR_TEXT, 108),
  };
  for (size_t s = 0; s < COUNT_OF(known); ++s) {
    assert_int_equal(known[s].status, known[s].number);
    assert_string_equal(chorale_status_name(known[s].status), known[s].name);
  }
  assert_string_equal(chorale_status_name(11), "unknown status");
  assert_string_equal(chorale_status_name(-1), "unknown status");
  assert_string_equal(chorale_status_name(INT32_MAX), "unknown status");
}

/* Numbers and names of outcomes are distinct; numbers in between have no name. */
static void outcomes_have_names(void **state) {
  (void)state;
  static const struct {
    chorale_outcome outcome;
    int32_t number;
    const char *name;
  } outcomes[] = {
      {CHORALE_OUTCOME_COMPLETE, 0, "complete"},
      {CHORALE_OUTCOME_GAP_REACHED, 10, "gap-reached"},
      {CHORALE_OUTCOME_ITERATION_LIMIT, 20, "iteration-limit"},
      {CHORALE_OUTCOME_NODE_LIMIT, 21, "node-limit"},
      {CHORALE_OUTCOME_DEADLINE, 30, "deadline"},
      {CHORALE_OUTCOME_CANCELLED, 31, "cancelled"},
      {CHORALE_OUTCOME_INFEASIBLE, 40, "infeasible"},
      {CHORALE_OUTCOME_NOTHING_FOUND, 41, "nothing-found"},
  };
  size_t named_outcomes = 0;
  for (int32_t number = -2; number < 200; ++number)
    named_outcomes += strcmp(chorale_outcome_name(number), "unknown outcome") != 0;
  assert_int_equal(named_outcomes, COUNT_OF(outcomes));
  for (size_t k = 0; k < COUNT_OF(outcomes); ++k) {
    assert_int_equal(outcomes[k].outcome, outcomes[k].number);
    assert_string_equal(chorale_outcome_name(outcomes[k].outcome), outcomes[k].name);
  }
  assert_string_equal(chorale_outcome_name(INT32_MAX), "unknown outcome");
}

static void the_error_is_512_bytes(void **state) {
  (void)state;
  assert_int_equal(sizeof(chorale_error), 512);
  assert_int_equal(offsetof(chorale_error, status), 0);
  assert_int_equal(offsetof(chorale_error, message), 8);
  assert_int_equal(sizeof(((chorale_error *)NULL)->message), CHORALE_ERROR_MESSAGE_SIZE);
}

/* The error struct need not be initialised, and may be NULL. */
static void the_error_may_hold_anything_before(void **state) {
  (void)state;
  chorale_error error;
  memset(&error, 0xEE, sizeof error);
  chorale_potential *potential = NULL;
  OK(chorale_potential_create_potts(NULL, 3, 1, NULL, &potential, &error));
  chorale_potential_release(potential);
  memset(&error, 0xEE, sizeof error);
  potential = NULL;
  FAILS(chorale_potential_create_potts(NULL, 0, 1, NULL, &potential, &error), CHORALE_ERROR_SIZE,
        "values", "0");
  assert_null(potential);
  assert_int_equal(chorale_potential_create_potts(NULL, 0, 1, NULL, &potential, NULL),
                   CHORALE_ERROR_SIZE);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(numbers_are_pinned_and_named),
      cmocka_unit_test(outcomes_have_names),
      cmocka_unit_test(the_error_is_512_bytes),
      cmocka_unit_test(the_error_may_hold_anything_before),
  };
  return cmocka_run_group_tests_name("status", tests, NULL, NULL);
}
