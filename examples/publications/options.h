/* The command line. */
#ifndef PUBLICATIONS_OPTIONS_H
#define PUBLICATIONS_OPTIONS_H

#include <stdint.h>

typedef struct settings {
  const char *problem;    /* path of the problem file */
  const char *output;     /* path of the report */
  const char *properties; /* comma-separated kinds of cliques; NULL: all of them */
  double strength;        /* factor on every potential */
  int64_t rounds;
  int64_t threads;
  int64_t
      beam; /* configurations that decoding a chain keeps; 0: all, within the library's budget */
  int64_t bound_steps;
} settings;

/* Ends the program after --help, and with status 2 where it does not understand. */
settings settings_from(int count, char **arguments);

#endif
