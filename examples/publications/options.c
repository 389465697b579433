#include "options.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "Usage: publications [options] PROBLEM_FILE\n"
    "\n"
    "Labels all chains of a problem file together, compares the result with what every chain\n"
    "says alone, and writes a report in HTML that needs no network.\n"
    "\n"
    "  --strength F       multiply the potential of every clique by F >= 0 (default 1)\n"
    "  --properties LIST  only cliques of these kinds, by name, separated by commas\n"
    "                     (default: all; an unknown name lists the kinds of the file)\n"
    "  --rounds N         message rounds at most (default 10)\n"
    "  --threads N        threads (default 1); the result is the same for any number\n"
    "  --beam N           what decoding a chain keeps of its joint states, 0: all that the "
    "library\n"
    "                     has room for, which takes ten times as long (default 30)\n"
    "  --bound STEPS      steps of the upper bound, 0 for none (default 50)\n"
    "  --output PATH      where the report goes (default publications.html)\n"
    "  --help             this text\n"
    "\n"
    "Figures go to stdout, progress to stderr.\n";

static void refuse(const char *what, const char *argument) {
  fprintf(stderr, "publications: %s %s (see --help)\n", what, argument);
  exit(2);
}

/* More than anybody waits for, and few enough to keep a record of each. */
static const int64_t most = 1000000;

static int64_t whole(const char *name, const char *text, int64_t least) {
  char *end = NULL;
  errno = 0;
  const long long value = strtoll(text, &end, 10);
  if (end == text || *end != '\0' || errno != 0 || value < least || value > most) {
    fprintf(stderr, "publications: %s is %s; it must be a whole number from %d to %d\n", name, text,
            (int)least, (int)most);
    exit(2);
  }
  return value;
}

static double real(const char *name, const char *text) {
  char *end = NULL;
  const double value = strtod(text, &end);
  if (end == text || *end != '\0' || !isfinite(value) || value < 0) {
    fprintf(stderr, "publications: %s is %s; it must be a number that is not negative\n", name,
            text);
    exit(2);
  }
  return value;
}

settings settings_from(int count, char **arguments) {
  settings chosen = {NULL, "publications.html", NULL, 1.0, 10, 1, 30, 50};
  for (int i = 1; i < count; ++i) {
    const char *name = arguments[i];
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
      fputs(help, stdout);
      exit(EXIT_SUCCESS);
    }
    if (strncmp(name, "--", 2) != 0) {
      if (chosen.problem != NULL)
        refuse("one problem file at a time, not also", name);
      chosen.problem = name;
      continue;
    }
    const char *value = i + 1 < count ? arguments[++i] : NULL;
    if (value == NULL)
      refuse("a value is missing, or no such option:", name);
    else if (strcmp(name, "--strength") == 0)
      chosen.strength = real(name, value);
    else if (strcmp(name, "--properties") == 0)
      chosen.properties = value;
    else if (strcmp(name, "--rounds") == 0)
      chosen.rounds = whole(name, value, 0);
    else if (strcmp(name, "--threads") == 0)
      chosen.threads = whole(name, value, 1);
    else if (strcmp(name, "--beam") == 0)
      chosen.beam = whole(name, value, 0);
    else if (strcmp(name, "--bound") == 0)
      chosen.bound_steps = whole(name, value, 0);
    else if (strcmp(name, "--output") == 0)
      chosen.output = value;
    else
      refuse("no such option:", name);
  }
  if (chosen.problem == NULL)
    refuse("which", "problem file?");
  return chosen;
}
