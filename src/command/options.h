/* Parses the command line: options and files. */
#ifndef CHORALE_COMMAND_OPTIONS_H
#define CHORALE_COMMAND_OPTIONS_H

#include <stdint.h>

typedef struct settings {
  char **files; /* paths of problem files, `file_count` of them, at least 1 */
  int64_t file_count;
  const char *output;     /* path of the report or of the learnt result; NULL: none */
  const char *library;    /* path of the library for browsers, for the report; NULL: none */
  const char *learnt;     /* path of a learnt result to apply; NULL: none */
  const char *properties; /* names of kinds of cliques, separated by commas; NULL: all kinds */
  double strength;        /* factor on the potential of each clique of `properties`; on others 0 */
  int64_t rounds; /* greatest number of message rounds */
  int64_t threads;
  int64_t beam; /* how many joint states the decoding of a chain keeps; 0: what the library does by
                   default: all of them, or the best 1024 */
  int64_t bound_steps; /* steps of the upper bound on the score; 0: no bound is computed */
  double seconds; /* time limit of the run, or of learning; 0: it has passed; negative: the default
                     of the library */
  int without_gold; /* for learn: 1: gold labels are not read */
  int json;
  int progress; /* 1: progress is printed to stderr */
} settings;

/* Sets of options, as flags. Every subcommand takes --json and --help, and some of these sets. */
enum {
  TAKES_RUN = 1,
  TAKES_REPORT = 2,
  TAKES_FILES = 4, /* more than one file */
  TAKES_LEARN = 8
};

typedef struct command {
  const char *name;
  int (*run)(const settings *chosen);
  int takes;            /* the sets of options that the subcommand takes */
  const char *synopsis; /* arguments after "chorale NAME" */
  const char *does;     /* short description for the list of subcommands, at most 60 columns */
  const char *help;     /* long description, in lines of at most 80 columns */
} command;

/* Parses the arguments after the name of a subcommand, and moves the paths of files to the front of
 * `arguments`, which settings.files then is. Ends the program after --help, and with EXIT_BAD_INPUT
 * on an error. */
settings settings_from(const command *chosen, int count, char **arguments);

/* Returns the time limit for the library, in its terms: 0: its default, if --seconds was not given;
 * negative: the limit has passed, for --seconds 0. */
double time_limit_of(const settings *chosen);

#endif
