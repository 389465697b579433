/* The problems that a report carries, so that its pages can be labelled again where it is read. */
#ifndef CHORALE_COMMAND_PARTS_H
#define CHORALE_COMMAND_PARTS_H

#include "inference.h"
#include "options.h"

#include <stdio.h>

/* The library for browsers, a script, from the file at `path`; the caller frees it. Ends the
 * program with EXIT_BAD_INPUT if that cannot be read or is not such a script. */
char *load_library(const char *path);

/* Writes the chains and cliques of one page as a problem of its own: an element "part" and the
 * page's number with an object of JSON: `problem` (a problem file in base64), `chains` (their
 * numbers in the corpus), `labels` (by position, together) and, by clique, `cliques` (names) and
 * `values` (names of what members show). Returns 0, and writes nothing, if a clique of the page has
 * members on other pages, or cannot be made from what the model says of it. */
int put_part(FILE *to, const corpus *from, const inference *done, int64_t page_index);

#endif
