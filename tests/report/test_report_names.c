/* Names out of a problem file that nobody vouches for: whatever bytes they are made of, the
 * terminal of the command gets none that it would obey. */
#define _POSIX_C_SOURCE 200809L

#include "fixture.h"

#include <sys/wait.h>
#include <unistd.h>

static const char *const kinds[] = {"title\033]0;owned\007\x7f", "\302\233\062J\302\205\r\n\t",
                                    "na\303\257ve \302\240"};

static void save_problem(const char *path) {
  chorale_error error;
  chorale_model_builder *builder = NULL;
  chorale_model *model = NULL;
  chorale_problem *problem = NULL;
  const double unary[] = {0, 1};
  chorale_chain chain = {.struct_size = sizeof chain};
  chain.length = 1;
  chain.labels = 2;
  chain.unary = unary;
  chorale_text names[COUNT_OF(kinds)];
  for (size_t k = 0; k < COUNT_OF(kinds); ++k)
    names[k] = (chorale_text){kinds[k], strlen(kinds[k])};
  OK(chorale_model_builder_create(NULL, &builder, &error));
  OK(chorale_model_builder_add_chain(builder, &chain, NULL, NULL, &error));
  OK(chorale_model_builder_freeze(builder, &model, &error));
  OK(chorale_problem_create(NULL, model, &problem, &error));
  OK(chorale_problem_set_texts(problem, CHORALE_TEXTS_KINDS, names, sizeof(chorale_text),
                               COUNT_OF(kinds), &error));
  OK(chorale_problem_save(problem, path, &error));
  chorale_problem_destroy(problem);
  chorale_model_release(model);
  chorale_model_builder_destroy(builder);
}

static void unknown_properties_are_refused_without_control_characters(void **state) {
  (void)state;
  char path[] = "/tmp/report_namesXXXXXX", command[1000], said[2000];
  const int file = mkstemp(path);
  assert_true(file >= 0);
  save_problem(path);
  snprintf(command, sizeof command, "'%s' report --properties 'no\033[2Jne' --output '%s.html' '%s' 2>&1",
           COMMAND, path, path);
  FILE *program = popen(command, "r");
  assert_non_null(program);
  const size_t size = fread(said, 1, sizeof said - 1, program);
  said[size] = '\0';
  const int status = pclose(program);
  unlink(path);
  assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 2);
  assert_string_equal(said, "chorale: --properties is \"no?[2Jne\"; it must name kinds of cliques "
                            "of this file, which has \"title?]0;owned??\", \"?2J????\", "
                            "\"na\303\257ve \302\240\"\n");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(unknown_properties_are_refused_without_control_characters),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
