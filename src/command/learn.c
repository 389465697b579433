#include "commands.h"
#include "support.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Progress callback: prints the number of runs, on a terminal by overwriting one line, otherwise in
 * a line of its own. */
static int32_t tell_progress(void *user, const chorale_learn_progress *progress) {
  (void)user;
  const int terminal = isatty(STDERR_FILENO);
  fprintf(stderr, "%s  run %" PRId64 " of at most %" PRId64 "%s", terminal ? "\r\033[K" : "",
          progress->runs, progress->runs_most, terminal ? "" : "\n");
  return 0;
}

/* Ends the program if `status` is an error. A message of the library that names problems[k] is about
 * file k; others are about all files. */
static void check_files(chorale_status status, const chorale_error *error,
                        const settings *chosen) {
  const char *named = strstr(error->message, "problems[");
  const int64_t k = named != NULL ? strtoll(named + strlen("problems["), NULL, 10) : 0;
  const int is_one = k < chosen->file_count && (named != NULL || chosen->file_count == 1);
  check_input(status, error, "FILE", is_one ? chosen->files[k] : NULL);
}

static chorale_learnt *learn(chorale_problem *const *problems, const settings *chosen) {
  chorale_learn_options options = {.struct_size = sizeof options};
  options.without_gold = chosen->without_gold;
  options.threads = chosen->threads;
  options.time_limit = time_limit_of(chosen);
  if (chosen->progress)
    options.progress = tell_progress;
  chorale_learnt *learnt = NULL;
  chorale_error error;
  const chorale_status status =
      chorale_learn(NULL, (const chorale_problem *const *)problems, chosen->file_count, &options,
                    &learnt, &error);
  if (chosen->progress && isatty(STDERR_FILENO))
    fputs("\r\033[K", stderr);
  check_files(status, &error, chosen);
  return learnt;
}

/* Returns the learnt result as text, in lines or as JSON; the caller frees it. */
static char *text_in_form(const chorale_learnt *learnt, chorale_text_form form) {
  size_t needed = 0;
  chorale_error error;
  check(chorale_learnt_text(learnt, form, NULL, 0, &needed, &error), &error);
  char *text = allocate((int64_t)needed, 1);
  check(chorale_learnt_text(learnt, form, text, needed, NULL, &error), &error);
  return text;
}

/* Prints lines through print_name, since names of kinds come from files and may hold control
 * characters. */
static void print_lines(const char *text) {
  while (*text != '\0') {
    const chorale_text line = {text, strcspn(text, "\n")};
    print_name(stdout, line, 0);
    putchar('\n');
    text += line.length + (text[line.length] == '\n');
  }
}

int command_learn(const settings *chosen) {
  chorale_problem **problems = allocate(chosen->file_count, sizeof(chorale_problem *));
  for (int64_t i = 0; i < chosen->file_count; ++i) {
    if (chosen->output != NULL)
      check_writable(chosen->output, chosen->files[i]);
    problems[i] = load(chosen->files[i]);
  }
  chorale_learnt *learnt = learn(problems, chosen);
  char *json = text_in_form(learnt, CHORALE_TEXT_JSON);
  char *lines = text_in_form(learnt, CHORALE_TEXT_LINES);
  if (chosen->output != NULL) {
    FILE *file = open_output(chosen->output);
    fprintf(file, "%s\n", json);
    close_output(file, chosen->output);
  }
  if (chosen->json)
    puts(json);
  else
    print_lines(lines);
  free(json);
  free(lines);
  chorale_learnt_destroy(learnt);
  for (int64_t i = 0; i < chosen->file_count; ++i)
    chorale_problem_destroy(problems[i]);
  free(problems);
  return 0;
}
