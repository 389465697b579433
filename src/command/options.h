/* The command line. */
#ifndef CHORALE_COMMAND_OPTIONS_H
#define CHORALE_COMMAND_OPTIONS_H

#include <stdint.h>

typedef struct settings {
  char **files; /* paths of problem files, `file_count` of them, at least 1 */
  int64_t file_count;
  const char *output;     /* path of the report or of the learnt result; NULL: none */
  const char *library;    /* path of the library for browsers, for the report; NULL: none */
  const char *learnt;     /* path of a learnt result to apply; NULL: none */
  const char *properties; /* comma-separated kinds of cliques; NULL: all of them */
  double strength;        /* factor on every potential */
  int64_t rounds;
  int64_t threads;
  int64_t beam; /* joint states that decoding a chain keeps; 0: all, within the library's budget */
  int64_t bound_steps;
  double seconds; /* of the run, or of learning; negative: no limit */
  int64_t folds;
  double seen; /* learning: share of the training data that the tagger had seen */
  int json;
  int progress; /* to stderr */
} settings;

/* Sets of options that a subcommand takes beside --json and --help. */
enum {
  TAKES_RUN = 1,
  TAKES_REPORT = 2,
  TAKES_FILES = 4, /* more than one file */
  TAKES_LEARN = 8
};

typedef struct command {
  const char *name;
  int (*run)(const settings *chosen);
  int takes;            /* sets of options */
  const char *synopsis; /* arguments after "chorale NAME" */
  const char *does;     /* for the list of subcommands: at most 60 columns */
  const char *help;     /* description, in lines of at most 80 columns */
} command;

/* Parses the arguments after the name of a subcommand. Ends the program after --help, and with
 * EXIT_BAD_INPUT on an error. */
settings settings_from(const command *chosen, int count, char **arguments);

#endif
