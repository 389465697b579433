/* Texts of problems as values of type chorale_text, which tests can compare and pass to
 * functions. */
#ifndef CHORALE_TESTS_FIXTURE_NAMES_H
#define CHORALE_TESTS_FIXTURE_NAMES_H

#include <chorale/experimental.h>

static inline chorale_text text_in(const chorale_problem *problem, chorale_text_list list,
                                   int64_t index) {
  chorale_text text = {NULL, 0};
  text.bytes = chorale_problem_text(problem, list, index, &text.length);
  return text;
}
static inline chorale_text name_of_value(const chorale_problem *problem, int64_t clique,
                                         int32_t value) {
  chorale_text text = {NULL, 0};
  text.bytes = chorale_problem_value_name(problem, clique, value, &text.length);
  return text;
}
static inline chorale_status put_note(chorale_problem *problem, chorale_text name,
                                      chorale_text text, chorale_error *error) {
  return chorale_problem_set_note(problem, name.bytes, name.length, text.bytes, text.length, error);
}

#endif
