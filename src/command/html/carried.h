/* What a report carries so that it can be corrected where it is read: the library and the problem. */
#ifndef CHORALE_COMMAND_CARRIED_H
#define CHORALE_COMMAND_CARRIED_H

#include "inference.h"
#include "options.h"

#include <stdio.h>

/* Bytes of a problem file that a report may carry. */
enum { PROBLEM_CARRIED = 64 << 20 };

/* The library for browsers, a script, from the file at `path`; the caller frees it. Ends the
 * program with EXIT_BAD_INPUT if that cannot be read or is not such a script. */
char *load_library(const char *path);

/* Size of the problem as a file, in bytes. */
size_t problem_size(const corpus *from);

/* Writes an element "problem" with an object of JSON: `problem`, the file in base64; `learnt`, the
 * text of --learnt, and `factors`, by clique, where they were given; `rounds` and `beam` of the run;
 * `left_out`, the label without colour; the labels `own` and `together`, by position; `pages`, the
 * chains of each; `training`, the numbers of those that are in no figure; `cliques`, their names; and
 * `words`, where the file has none. */
void put_problem(FILE *to, const settings *chosen, const corpus *from, const inference *done,
                 int64_t left_out);

#endif
