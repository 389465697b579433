#define _POSIX_C_SOURCE 200809L

#include "options.h"

#include "support.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char run_help[] =
    "  --learnt PATH      take the potentials that \"chorale learn --output PATH\" found\n"
    "  --strength F       multiply the potential of every clique by F >= 0 (default 1)\n"
    "  --properties LIST  only cliques of these kinds, by name, separated by commas\n"
    "                     (default: all; \"chorale info\" lists the kinds of the file)\n"
    "  --rounds N         message rounds at most (default 10)\n"
    "  --threads N        threads (default 1); the result is the same for any number\n"
    "  --beam N           joint states that decoding a chain under several properties\n"
    "                     keeps; 0 (default): all, or the best 1024 if there are more\n"
    "  --bound N          steps of the upper bound; 0 (default): none\n"
    "  --seconds F        end the run after F seconds with the best labels found so far\n"
    "  --progress         progress to stderr even if that is no terminal\n";

static const char learn_help[] =
    "  --output PATH      write what was learnt there, as JSON, for --learnt\n"
    "  --auto             do not read gold labels: take a strength that changes no more\n"
    "                     labels than two fifths of the errors that the tagger expects\n"
    "  --threads N        threads (default 1); the result is the same for any number\n"
    "  --seconds F        end after F seconds (default 300); nothing may be applied then\n"
    "  --progress         progress to stderr even if that is no terminal\n";

static int64_t whole(const char *name, const char *text, int64_t least, int64_t most) {
  char *end = NULL;
  errno = 0;
  const long long value = strtoll(text, &end, 10);
  if (end == text || *end != '\0' || errno != 0 || value < least || value > most)
    stop(EXIT_BAD_INPUT, "%s is \"%s\"; it must be a whole number from %d to %d", name, text,
         (int)least, (int)most);
  return value;
}

static double real(const char *name, const char *text) {
  char *end = NULL;
  const double value = strtod(text, &end);
  if (end == text || *end != '\0' || !isfinite(value) || value < 0)
    stop(EXIT_BAD_INPUT, "%s is \"%s\"; it must be a number that is not negative", name, text);
  return value;
}

static void print_help(const command *chosen) {
  printf("Usage: chorale %s %s\n\n%s\n", chosen->name, chosen->synopsis, chosen->help);
  if (chosen->takes & TAKES_RUN)
    fputs(run_help, stdout);
  if (chosen->takes & TAKES_LEARN)
    fputs(learn_help, stdout);
  if (chosen->takes & TAKES_REPORT)
    fputs("  --output PATH      write a report in HTML there, which needs no network\n"
          "  --library PATH     put libchorale.embedded.js of bindings/js into the report, whose\n"
          "                     labels can then be corrected where it is read\n",
          stdout);
  fputs("  --json             JSON instead of text\n"
        "  --help             this text\n"
        "\n"
        "Exit codes: 0 done, 1 the answer is no, 2 bad input, 3 no memory or no room for\n"
        "output. See chorale(1).\n",
        stdout);
  check_printed();
  exit(EXIT_SUCCESS);
}

/* ---- Options ------------------------------------------------------------------------------ */

typedef enum form { FLAG, WHOLE, REAL, TEXT } form;

typedef struct option {
  const char *name;
  int takes; /* the sets (TAKES_...) that contain the option; 0: every subcommand takes it */
  form is;
  size_t at;     /* offset in `settings` of the int, int64_t, double or const char * to set */
  int64_t least, most; /* for a WHOLE option: the values allowed */
} option;

enum { TAKES_ANY_RUN = TAKES_RUN | TAKES_LEARN };

/* Upper limit of most whole-number options: above any useful number, but so low that an array with
 * an entry for each round fits in memory. */
enum { MOST = 1000000 };

static const option options[] = {
    {"--json", 0, FLAG, offsetof(settings, json), 0, 0},
    {"--progress", TAKES_ANY_RUN, FLAG, offsetof(settings, progress), 0, 0},
    {"--learnt", TAKES_RUN, TEXT, offsetof(settings, learnt), 0, 0},
    {"--strength", TAKES_RUN, REAL, offsetof(settings, strength), 0, 0},
    {"--properties", TAKES_RUN, TEXT, offsetof(settings, properties), 0, 0},
    {"--rounds", TAKES_RUN, WHOLE, offsetof(settings, rounds), 0, MOST},
    {"--threads", TAKES_ANY_RUN, WHOLE, offsetof(settings, threads), 1, MOST},
    {"--beam", TAKES_RUN, WHOLE, offsetof(settings, beam), 0, MOST},
    {"--bound", TAKES_RUN, WHOLE, offsetof(settings, bound_steps), 0, MOST},
    {"--seconds", TAKES_ANY_RUN, REAL, offsetof(settings, seconds), 0, 0},
    {"--auto", TAKES_LEARN, FLAG, offsetof(settings, without_gold), 0, 0},
    {"--library", TAKES_REPORT, TEXT, offsetof(settings, library), 0, 0},
    {"--output", TAKES_REPORT | TAKES_LEARN, TEXT, offsetof(settings, output), 0, 0},
};

/* Returns the option whose name is the `length` bytes at `name`. Ends the program if the subcommand
 * `chosen` has no such option. */
static const option *find(const command *chosen, const char *name, size_t length) {
  for (size_t i = 0; i < sizeof options / sizeof *options; ++i)
    if (strlen(options[i].name) == length && memcmp(options[i].name, name, length) == 0 &&
        (options[i].takes == 0 || (options[i].takes & chosen->takes) != 0))
      return &options[i];
  stop(EXIT_BAD_INPUT, "the option is \"%.*s\"; \"chorale %s --help\" lists those that there are",
       (int)length, name, chosen->name);
}

static void set(settings *to, const option *which, const char *value) {
  void *at = (char *)to + which->at;
  switch (which->is) {
  case FLAG:
    *(int *)at = 1;
    break;
  case WHOLE:
    *(int64_t *)at = whole(which->name, value, which->least, which->most);
    break;
  case REAL:
    *(double *)at = real(which->name, value);
    break;
  case TEXT:
    *(const char **)at = value;
  }
}

settings settings_from(const command *chosen, int count, char **arguments) {
  settings made = {.files = arguments,
                   .strength = 1,
                   .rounds = 10,
                   .threads = 1,
                   .seconds = -1};
  int all_files = 0; /* 1 after "--": all further arguments are files */
  made.progress = isatty(STDERR_FILENO);
  for (int i = 0; i < count; ++i) {
    char *argument = arguments[i];
    if (!all_files && (strcmp(argument, "--help") == 0 || strcmp(argument, "-h") == 0))
      print_help(chosen);
    if (!all_files && strcmp(argument, "--") == 0) {
      all_files = 1;
      continue;
    }
    if (all_files || argument[0] != '-' || argument[1] == '\0') {
      made.files[made.file_count++] = argument; /* moves files to the front of `arguments` */
      continue;
    }
    const char *equals = strchr(argument, '=');
    const size_t length = equals != NULL ? (size_t)(equals - argument) : strlen(argument);
    const option *which = find(chosen, argument, length);
    const char *value = equals != NULL ? equals + 1 : NULL;
    if (which->is == FLAG && value != NULL)
      stop(EXIT_BAD_INPUT, "%s is \"%s\"; it takes no value", which->name, value);
    if (which->is != FLAG && value == NULL) {
      if (i + 1 == count)
        stop(EXIT_BAD_INPUT, "%s is the last argument; a value must follow it", which->name);
      value = arguments[++i];
    }
    set(&made, which, value);
  }
  if (made.file_count == 0)
    stop(EXIT_BAD_INPUT, "FILE is missing; \"chorale %s\" needs the path of a problem file",
         chosen->name);
  if (made.file_count > 1 && !(chosen->takes & TAKES_FILES))
    stop(EXIT_BAD_INPUT, "FILE is \"%s\", and again \"%s\"; there must be one", made.files[0],
         made.files[1]);
  return made;
}

double time_limit_of(const settings *chosen) {
  return chosen->seconds < 0 ? 0 : chosen->seconds == 0 ? -1 : chosen->seconds;
}
