/* Every invalid argument of calls on chains, properties and messages: its own status, and a message
 * that names argument, value and rule. */
#include "fixture_chain.h"

static chorale_error error;

static const double zeros[64] = {0};

static chorale_chain plain_chain(void) {
  chorale_chain chain = {.struct_size = sizeof chain};
  chain.length = 3;
  chain.labels = 2;
  chain.unary = zeros;
  return chain;
}

#define REFUSED(chain, status, ...)                                                                \
  do {                                                                                             \
    double ignored;                                                                                \
    const int32_t labelling[8] = {0};                                                              \
    FAILS(chorale_chain_score((chain), labelling, &ignored, &error), (status), __VA_ARGS__);       \
  } while (0)

static void chains(void **state) {
  (void)state;
  REFUSED(NULL, CHORALE_ERROR_NULL_ARGUMENT, "chain");
  chorale_chain chain = plain_chain();
  chain.struct_size = 3;
  REFUSED(&chain, CHORALE_ERROR_STRUCT_SIZE, "chain->struct_size", "3");
  chain = plain_chain();
  chain.length = -1;
  REFUSED(&chain, CHORALE_ERROR_SIZE, "chain->length", "-1");
  chain.length = INT64_C(1) << 31;
  REFUSED(&chain, CHORALE_ERROR_SIZE_OVERFLOW, "chain->length", "2147483648");
  chain = plain_chain();
  chain.labels = 0;
  REFUSED(&chain, CHORALE_ERROR_SIZE, "chain->labels", "0");
  chain.labels = INT64_C(1) << 40;
  REFUSED(&chain, CHORALE_ERROR_SIZE_OVERFLOW, "chain->labels");
  chain = plain_chain();
  chain.element = 7;
  REFUSED(&chain, CHORALE_ERROR_UNKNOWN_CONSTANT, "chain->element", "7");
  chain = plain_chain();
  chain.orientation = -2;
  REFUSED(&chain, CHORALE_ERROR_UNKNOWN_CONSTANT, "chain->orientation", "-2");
  chain = plain_chain();
  chain.unary = NULL;
  REFUSED(&chain, CHORALE_ERROR_NULL_ARGUMENT, "chain->unary");
  chain = plain_chain();
  chain.unary_row_stride = 1;
  REFUSED(&chain, CHORALE_ERROR_STRIDE, "chain->unary", "1");
  chain.unary_row_stride = -4;
  REFUSED(&chain, CHORALE_ERROR_STRIDE, "chain->unary", "-4");
  chain.unary_row_stride = INT64_MAX / 2;
  REFUSED(&chain, CHORALE_ERROR_SIZE_OVERFLOW, "chain->unary");
  chain = plain_chain();
  double scores[6] = {0, 0, 0, NAN, 0, 0};
  chain.unary = scores;
  REFUSED(&chain, CHORALE_ERROR_NOT_A_NUMBER, "chain->unary[1][1]");
  scores[3] = INFINITY;
  REFUSED(&chain, CHORALE_ERROR_INFINITE, "chain->unary[1][1]", "minus infinity");
  scores[3] = -1e300;
  REFUSED(&chain, CHORALE_ERROR_OUT_OF_RANGE, "chain->unary[1][1]", "-1e+300", "1e+280");
  chain.length = 1;
  chain.labels = 6; /* a row long enough to be looked at several numbers at a time */
  REFUSED(&chain, CHORALE_ERROR_OUT_OF_RANGE, "chain->unary[0][3]", "-1e+300", "1e+280");
  scores[3] = -INFINITY;
  double score;
  const int32_t all_first[1] = {0};
  OK(chorale_chain_score(&chain, all_first, &score, &error));
  chain = plain_chain();
  const double bad[2] = {0, NAN};
  chain.start = bad;
  REFUSED(&chain, CHORALE_ERROR_NOT_A_NUMBER, "chain->start[1]");
  chain = plain_chain();
  chain.end = bad;
  REFUSED(&chain, CHORALE_ERROR_NOT_A_NUMBER, "chain->end[1]");

  chain = plain_chain();
  chain.edges = zeros;
  REFUSED(&chain, CHORALE_ERROR_SHAPE, "chain->edge_matrices", "0", "2");
  chain.edge_matrices = 3;
  REFUSED(&chain, CHORALE_ERROR_SHAPE, "chain->edge_matrices", "3");
  chain.edge_matrices = 2;
  chain.edge_matrix_stride = 3;
  REFUSED(&chain, CHORALE_ERROR_STRIDE, "chain->edge_matrix_stride", "3", "4");
  chain.edge_matrix_stride = 0;
  chain.edge_row_stride = 1;
  REFUSED(&chain, CHORALE_ERROR_STRIDE, "chain->edges");
  chain.edge_row_stride = 0;
  double edges[8] = {0, 0, 0, 0, 0, 0, INFINITY, 0};
  chain.edges = edges;
  REFUSED(&chain, CHORALE_ERROR_INFINITE, "chain->edges[1]", "from 1 to 0");

  chain = plain_chain();
  const int32_t forced[3] = {-1, 2, 0};
  chain.forced = forced;
  REFUSED(&chain, CHORALE_ERROR_OUT_OF_RANGE, "chain->forced[1]", "2");
  chain = plain_chain();
  const uint8_t allowed[8] = {1, 1, 1, 1, 1, 1, 1, 1};
  chain.allowed = allowed;
  chain.allowed_row_stride = 1;
  REFUSED(&chain, CHORALE_ERROR_STRIDE, "chain->allowed_row_stride", "1");

  chorale_transitions *transitions = NULL;
  OK(chorale_transitions_create(NULL, 3, zeros, NULL, &transitions, &error));
  chain = plain_chain();
  chain.transitions = transitions;
  REFUSED(&chain, CHORALE_ERROR_LABELS_MISMATCH, "chain->labels", "2", "3");
  chorale_transitions_release(transitions);

  chain = plain_chain();
  const int32_t wrong[3] = {0, 5, 0};
  FAILS(chorale_chain_score(&chain, wrong, &score, &error), CHORALE_ERROR_OUT_OF_RANGE,
        "labelling[1]", "5");
  FAILS(chorale_chain_score(&chain, NULL, &score, &error), CHORALE_ERROR_NULL_ARGUMENT,
        "labelling");
  FAILS(chorale_chain_score(&chain, wrong, NULL, &error), CHORALE_ERROR_NULL_ARGUMENT, "score");
}

static void trees(void **state) {
  (void)state;
  chorale_chain chain = plain_chain();
  static const int32_t forward[3] = {-1, 2, 0}, self[3] = {-1, 1, 0}, circle[3] = {1, 2, 0},
                       far[3] = {-1, 0, 3}, low[3] = {-1, -2, 0};
  chain.parents = forward;
  REFUSED(&chain, CHORALE_ERROR_PARENT_ORDER, "chain->parents[1]", "2");
  chain.parents = self;
  REFUSED(&chain, CHORALE_ERROR_PARENT_CYCLE, "chain->parents[1]", "1");
  chain.parents = circle;
  REFUSED(&chain, CHORALE_ERROR_PARENT_CYCLE, "chain->parents[0]", "1");
  chain.parents = far;
  REFUSED(&chain, CHORALE_ERROR_OUT_OF_RANGE, "chain->parents[2]", "3");
  chain.parents = low;
  REFUSED(&chain, CHORALE_ERROR_OUT_OF_RANGE, "chain->parents[1]", "-2");
  static const int32_t parents[3] = {-1, 0, 0};
  chain.parents = parents;
  chorale_chain_solver *solver = NULL;
  OK(chorale_chain_solver_create(NULL, &solver, &error));
  int64_t found;
  FAILS(chorale_chain_k_best(solver, &chain, 2, NULL, 0, NULL, &found, &error),
        CHORALE_ERROR_NOT_A_CHAIN, "chain->parents");
  chorale_chain_solver_destroy(solver);
}

static void transitions(void **state) {
  (void)state;
  chorale_transitions *made = NULL;
  chorale_transitions_options options;
  FAILS(chorale_transitions_create(NULL, 2, zeros, NULL, NULL, &error), CHORALE_ERROR_NULL_ARGUMENT,
        "transitions");
  FAILS(chorale_transitions_create(NULL, 0, zeros, NULL, &made, &error), CHORALE_ERROR_SIZE,
        "labels");
  options = (chorale_transitions_options){.struct_size = sizeof options};
  options.element = 5;
  FAILS(chorale_transitions_create(NULL, 2, zeros, &options, &made, &error),
        CHORALE_ERROR_UNKNOWN_CONSTANT, "options->element");
  options = (chorale_transitions_options){.struct_size = sizeof options};
  options.row_stride = 1;
  FAILS(chorale_transitions_create(NULL, 2, zeros, &options, &made, &error), CHORALE_ERROR_STRIDE,
        "scores");
  options = (chorale_transitions_options){.struct_size = sizeof options};
  options.borrow = 1;
  options.orientation = CHORALE_ROWS_TO;
  FAILS(chorale_transitions_create(NULL, 2, zeros, &options, &made, &error), CHORALE_ERROR_SHAPE,
        "options->borrow");
  const double bad[4] = {0, 0, NAN, 0};
  FAILS(chorale_transitions_create(NULL, 2, bad, NULL, &made, &error), CHORALE_ERROR_NOT_A_NUMBER,
        "scores", "from 1 to 0");
  FAILS(chorale_transitions_create(NULL, INT64_C(1) << 31, zeros, NULL, &made, &error),
        CHORALE_ERROR_SIZE_OVERFLOW, "labels");
  assert_null(made);
  chorale_transitions_release(NULL);
  assert_null(chorale_transitions_retain(NULL));
}

static void solver_calls(void **state) {
  (void)state;
  chorale_chain chain = plain_chain();
  chorale_chain_solver *solver = NULL;
  FAILS(chorale_chain_solve(NULL, &chain, NULL, NULL, &error), CHORALE_ERROR_NULL_ARGUMENT,
        "solver");
  OK(chorale_chain_solver_create(NULL, &solver, &error));
  chorale_chain_result result;
  memset(&result, 0, sizeof result);
  FAILS(chorale_chain_solve(solver, &chain, NULL, &result, &error), CHORALE_ERROR_STRUCT_SIZE,
        "result->struct_size");
  double table[8];
  FAILS(chorale_chain_max_marginals(solver, &chain, table, 1, NULL, NULL, NULL, NULL, &error),
        CHORALE_ERROR_STRIDE, "row_stride", "1");
  int64_t found;
  FAILS(chorale_chain_k_best(solver, &chain, 0, NULL, 0, NULL, &found, &error), CHORALE_ERROR_SIZE,
        "k", "0");
  FAILS(chorale_chain_k_best(solver, &chain, 2, NULL, 0, NULL, NULL, &error),
        CHORALE_ERROR_NULL_ARGUMENT, "found");
  int32_t rows[8];
  FAILS(chorale_chain_k_best(solver, &chain, 2, rows, 2, NULL, &found, &error),
        CHORALE_ERROR_STRIDE, "row_stride", "2");
  chorale_chain_solver_destroy(solver);
  chorale_chain_solver_destroy(NULL);
}

/* ---- Properties --------------------------------------------------------------------------- */

static const int32_t next[4] = {0, 1, 1, 0}, bad_next[4] = {0, 1, 2, 0};

static chorale_automaton plain_automaton(void) {
  chorale_automaton automaton = {.struct_size = sizeof automaton};
  automaton.labels = automaton.states = 2;
  automaton.classes = 1;
  automaton.values = 3;
  automaton.next = next;
  return automaton;
}

static void automata(void **state) {
  (void)state;
  chorale_property *property = NULL;
#define NO_PROPERTY(status, ...)                                                                   \
  FAILS(chorale_property_create(NULL, &automaton, &property, &error), (status), __VA_ARGS__)
  chorale_automaton automaton = plain_automaton();
  FAILS(chorale_property_create(NULL, NULL, &property, &error), CHORALE_ERROR_NULL_ARGUMENT,
        "automaton");
  FAILS(chorale_property_create(NULL, &automaton, NULL, &error), CHORALE_ERROR_NULL_ARGUMENT,
        "property");
  automaton.next = NULL;
  NO_PROPERTY(CHORALE_ERROR_NULL_ARGUMENT, "automaton->next");
  automaton.next = bad_next;
  NO_PROPERTY(CHORALE_ERROR_OUT_OF_RANGE, "automaton->next[2]", "2");
  automaton = plain_automaton();
  automaton.start = 2;
  NO_PROPERTY(CHORALE_ERROR_OUT_OF_RANGE, "automaton->start", "2");
  automaton = plain_automaton();
  automaton.states = 0;
  NO_PROPERTY(CHORALE_ERROR_SIZE, "states", "0");
  automaton.states = INT64_C(1) << 31;
  NO_PROPERTY(CHORALE_ERROR_SIZE_OVERFLOW, "states");
  automaton = plain_automaton();
  automaton.values = 0;
  NO_PROPERTY(CHORALE_ERROR_SIZE, "values", "0");
  automaton.values = INT32_MAX;
  NO_PROPERTY(CHORALE_ERROR_SIZE_OVERFLOW, "values");
  automaton = plain_automaton();
  const int32_t high[4] = {0, 3, 0, 0}, unknown[4] = {0, -4, 0, 0}, label[4] = {-2, -2, -2, -2};
  automaton.actions = high;
  NO_PROPERTY(CHORALE_ERROR_VALUE_OUTSIDE_RANGE, "automaton->actions[1]", "3");
  automaton.actions = unknown;
  NO_PROPERTY(CHORALE_ERROR_UNKNOWN_CONSTANT, "automaton->actions[1]", "-4");
  automaton.actions = NULL;
  automaton.end_actions = high;
  NO_PROPERTY(CHORALE_ERROR_VALUE_OUTSIDE_RANGE, "automaton->end_actions[1]", "3");
  automaton = plain_automaton();
  automaton.actions = label;
  automaton.values = 1;
  NO_PROPERTY(CHORALE_ERROR_VALUE_OUTSIDE_RANGE, "FIRE_LABEL", "1");
  const int32_t values[2] = {0, 1};
  automaton.label_values = values;
  NO_PROPERTY(CHORALE_ERROR_VALUE_OUTSIDE_RANGE, "label_values[1]", "1");
  automaton = plain_automaton();
  automaton.outside_value = 3;
  automaton.fires_outside = 1;
  NO_PROPERTY(CHORALE_ERROR_VALUE_OUTSIDE_RANGE, "outside_value", "3");
  automaton.fires_outside = 2;
  NO_PROPERTY(CHORALE_ERROR_OUT_OF_RANGE, "automaton->fires_outside", "2");
#undef NO_PROPERTY
  FAILS(chorale_property_create_local(NULL, 2, 1, 2, NULL, NULL, &property, &error),
        CHORALE_ERROR_NULL_ARGUMENT, "actions");
  const int32_t local[6] = {-1, -1, -1, -1, 2, -1};
  FAILS(chorale_property_create_local(NULL, 2, 1, 2, local, NULL, &property, &error),
        CHORALE_ERROR_VALUE_OUTSIDE_RANGE, "actions[4]", "2");
  assert_null(property);
  chorale_property_release(NULL);
  assert_int_equal(chorale_property_values(NULL), 0);
}

static void ready_made(void **state) {
  (void)state;
  chorale_property *property = NULL;
  chorale_label_map map = {.struct_size = sizeof map};
  map.labels = 3;
  map.kinds = 2;
  FAILS(chorale_property_create_first_label(NULL, &map, NULL, &property, &error),
        CHORALE_ERROR_SHAPE, "map->kinds", "2", "3");
  const int32_t kinds[3] = {0, 1, 2};
  map.kind_of_label = kinds;
  map.kinds = 0;
  FAILS(chorale_property_create_first_label(NULL, &map, NULL, &property, &error),
        CHORALE_ERROR_SIZE, "map->kinds is 0");
  map.kinds = 2;
  FAILS(chorale_property_create_first_label(NULL, &map, NULL, &property, &error),
        CHORALE_ERROR_OUT_OF_RANGE, "map->kind_of_label[2]", "2");
  map.kinds = 3;
  FAILS(chorale_property_create_next_label(NULL, &map, 3, NULL, 0, -1, &property, &error),
        CHORALE_ERROR_OUT_OF_RANGE, "anchor", "3");
  FAILS(chorale_property_create_next_label(NULL, &map, 1, NULL, 5, -1, &property, &error),
        CHORALE_ERROR_UNKNOWN_CONSTANT, "rule", "5");
  FAILS(chorale_property_create_next_label(NULL, &map, 1, NULL, 0, -2, &property, &error),
        CHORALE_ERROR_OUT_OF_RANGE, "end_value", "-2");
  FAILS(chorale_property_create_token_before(NULL, &map, 1, NULL, 0, 5, 5, &property, &error),
        CHORALE_ERROR_VALUE_OUTSIDE_RANGE, "start_value", "5");
  FAILS(chorale_property_create_token_label(NULL, &map, -1, &property, &error),
        CHORALE_ERROR_OUT_OF_RANGE, "token", "-1");
  FAILS(chorale_property_create_position_label(NULL, &map, -1, &property, &error),
        CHORALE_ERROR_SIZE, "position", "-1");
  FAILS(chorale_property_create_position_label(NULL, NULL, 1, &property, &error),
        CHORALE_ERROR_NULL_ARGUMENT, "map");
  assert_null(property);
}

static void dictionaries(void **state) {
  (void)state;
  chorale_dictionary *dictionary = NULL;
  const int32_t values[2] = {3, -1};
  FAILS(chorale_dictionary_create(NULL, values, 0, CHORALE_UNLISTED_FORBIDDEN, &dictionary,
                                  &error), CHORALE_ERROR_SIZE,
        "count", "0");
  FAILS(chorale_dictionary_create(NULL, values, 2, CHORALE_UNLISTED_FORBIDDEN, &dictionary, &error),
        CHORALE_ERROR_OUT_OF_RANGE, "values[1]", "-1");
  FAILS(chorale_dictionary_create(NULL, NULL, 2, CHORALE_UNLISTED_FORBIDDEN, &dictionary, &error),
        CHORALE_ERROR_NULL_ARGUMENT, "values");
  FAILS(chorale_dictionary_create(NULL, values, INT32_MAX, CHORALE_UNLISTED_FORBIDDEN, &dictionary,
                                  &error),
        CHORALE_ERROR_SIZE_OVERFLOW, "count");
  assert_null(dictionary);
}

/* ---- Attachments and messages ------------------------------------------------------------- */

static void attachments(void **state) {
  (void)state;
  chorale_label_map map = {.struct_size = sizeof map};
  map.labels = map.kinds = 2;
  chorale_property *before = NULL, *narrow = NULL;
  OK(chorale_property_create_token_before(NULL, &map, 1, NULL, 0, 4, -1, &before, &error));
  map.labels = map.kinds = 3;
  OK(chorale_property_create_first_label(NULL, &map, NULL, &narrow, &error));
  chorale_chain_solver *solver = NULL;
  OK(chorale_chain_solver_create(NULL, &solver, &error));
  chorale_chain chain = plain_chain();
  const int32_t table[3] = {0, 1, 2}, high[3] = {0, 4, 2}, classes[3] = {0, 0, 1};
  chorale_attachment good = {.struct_size = sizeof good};
  good.property = before;
  good.table = table;
  chorale_attachment attached[2] = {good, good};
  double row[8];
  double *outgoing[2] = {row, NULL};
  chorale_run_options options = {.struct_size = sizeof options};
#define NO_MESSAGE(status, ...)                                                                    \
  do {                                                                                             \
    FAILS(chorale_chain_messages(solver, &chain, attached, 2, &options, outgoing, NULL, &error),   \
          (status), __VA_ARGS__);                                                                  \
    attached[0] = attached[1] = good;                                                              \
    options = (chorale_run_options){.struct_size = sizeof options};                            \
  } while (0)
  OK(chorale_chain_messages(solver, &chain, attached, 2, &options, outgoing, NULL, &error));
  attached[1].property = NULL;
  NO_MESSAGE(CHORALE_ERROR_NULL_ARGUMENT, "attachments[1].property");
  attached[1].property = narrow;
  NO_MESSAGE(CHORALE_ERROR_LABELS_MISMATCH, "attachments[1].property", "3", "2");
  attached[1].struct_size = 8;
  NO_MESSAGE(CHORALE_ERROR_STRUCT_SIZE, "struct_size");
  attached[0].struct_size = 0;
  NO_MESSAGE(CHORALE_ERROR_STRUCT_SIZE, "struct_size");
  attached[1].table = NULL;
  NO_MESSAGE(CHORALE_ERROR_NULL_ARGUMENT, "attachments[1].table");
  attached[1].table = high;
  NO_MESSAGE(CHORALE_ERROR_VALUE_OUTSIDE_RANGE, "attachments[1].table[1]", "4", "3");
  attached[1].classes = classes;
  NO_MESSAGE(CHORALE_ERROR_OUT_OF_RANGE, "attachments[1].classes[2]", "1");
  const double nan_message[6] = {0, 0, 0, 0, 0, NAN}, infinite[6] = {INFINITY};
  attached[1].message = nan_message;
  NO_MESSAGE(CHORALE_ERROR_NOT_A_NUMBER, "attachments[1].message[5]");
  attached[0].message = infinite;
  NO_MESSAGE(CHORALE_ERROR_INFINITE, "attachments[0].message[0]");
  options.joint_mode = 3;
  NO_MESSAGE(CHORALE_ERROR_UNKNOWN_CONSTANT, "options->joint_mode", "3");
  options.beam_width = -1;
  NO_MESSAGE(CHORALE_ERROR_SIZE, "options->beam_width", "-1");
  options.max_states = -5;
  NO_MESSAGE(CHORALE_ERROR_SIZE, "options->max_states", "-5");
  options.struct_size = 1;
  NO_MESSAGE(CHORALE_ERROR_STRUCT_SIZE, "options");
  options.joint_mode = CHORALE_JOINT_EXACT;
  options.max_states = 1;
  NO_MESSAGE(CHORALE_ERROR_STATE_SPACE, "options->max_states", "1");
  options.rounds = options.threads = -7; /* which are not read */
  OK(chorale_chain_messages(solver, &chain, attached, 2, &options, outgoing, NULL, &error));
  static const int32_t parents[3] = {-1, 0, 0};
  chain.parents = parents;
  NO_MESSAGE(CHORALE_ERROR_AUTOMATON_ON_TREE, "attachments[0]");
  chain.parents = NULL;
#undef NO_MESSAGE
  FAILS(chorale_chain_messages(solver, &chain, attached, 0, NULL, outgoing, NULL, &error),
        CHORALE_ERROR_SIZE, "count", "0");
  FAILS(chorale_chain_messages(solver, &chain, NULL, 1, NULL, outgoing, NULL, &error),
        CHORALE_ERROR_NULL_ARGUMENT, "attachments");
  FAILS(chorale_chain_messages(solver, &chain, attached, 1, NULL, NULL, NULL, &error),
        CHORALE_ERROR_NULL_ARGUMENT, "outgoing");
  FAILS(chorale_chain_decode(solver, &chain, attached, -1, NULL, NULL, NULL, NULL, &error),
        CHORALE_ERROR_SIZE, "count", "-1");

  /* A joint state holds any number of properties. */
  static chorale_attachment many[400];
  for (int i = 0; i < 400; ++i)
    many[i] = good;
  OK(chorale_chain_decode(solver, &chain, many, 400, NULL, NULL, NULL, NULL, &error));

  int32_t value;
  const int32_t labelling[3] = {0, 1, 2};
  FAILS(chorale_property_shown(&good, 3, labelling, NULL, &value, NULL, 0, NULL, &error),
        CHORALE_ERROR_OUT_OF_RANGE, "labelling[2]", "2");
  FAILS(chorale_property_shown(&good, 3, labelling, parents, &value, NULL, 0, NULL, &error),
        CHORALE_ERROR_AUTOMATON_ON_TREE, "attachment->property");
  FAILS(chorale_property_shown(&good, -3, labelling, NULL, &value, NULL, 0, NULL, &error),
        CHORALE_ERROR_SIZE, "length", "-3");
  FAILS(chorale_property_shown(NULL, 3, labelling, NULL, &value, NULL, 0, NULL, &error),
        CHORALE_ERROR_NULL_ARGUMENT, "attachment");
  const int32_t firsts[3] = {0};
  value = 77;
  FAILS(chorale_property_shown(&good, 3, firsts, NULL, &value, NULL, 3, NULL, &error),
        CHORALE_ERROR_NULL_ARGUMENT, "fired");
  FAILS(chorale_property_shown(&good, 3, firsts, NULL, &value, NULL, -1, NULL, &error),
        CHORALE_ERROR_SIZE, "capacity", "-1");
  assert_int_equal(value, 77);
  OK(chorale_property_shown(&good, 3, firsts, NULL, NULL, NULL, 0, NULL, &error));
  chorale_chain_solver_destroy(solver);
  chorale_property_release(before);
  chorale_property_release(narrow);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(chains),       cmocka_unit_test(trees),        cmocka_unit_test(transitions),
      cmocka_unit_test(solver_calls), cmocka_unit_test(automata),     cmocka_unit_test(ready_made),
      cmocka_unit_test(dictionaries), cmocka_unit_test(attachments),
  };
  return cmocka_run_group_tests_name("chain input", tests, NULL, NULL);
}
