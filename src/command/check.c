#include "commands.h"
#include "json.h"
#include "support.h"

#include <stdio.h>

int command_check(const settings *chosen) {
  int code = 0;
  if (chosen->json)
    putchar('[');
  for (int64_t i = 0; i < chosen->file_count; ++i) {
    const char *path = chosen->files[i];
    chorale_problem *problem = NULL;
    chorale_error error;
    const chorale_status status = chorale_problem_load(NULL, path, &problem, &error);
    chorale_problem_destroy(problem);
    if (status == CHORALE_ERROR_OUT_OF_MEMORY)
      check_input(status, &error, "FILE", path);
    if (status != CHORALE_OK)
      code = EXIT_NO;
    const char *name = status == CHORALE_OK ? "ok" : chorale_status_name(status);
    if (chosen->json) {
      put_json(stdout, "%,\n {\"file\":%t,\"status\":%t,\"message\":%t}", i > 0, text_of(path),
               text_of(name), text_of(error.message));
    } else {
      print_name(stdout, text_of(path), 0);
      printf(": %s%s", name, status == CHORALE_OK ? "" : ": ");
      print_name(stdout, text_of(error.message), 0);
      putchar('\n');
    }
  }
  if (chosen->json)
    puts("\n]");
  return code;
}
