/* Data embedded in a report so that its labels can be corrected in the browser: the library and the
 * problem. */
#ifndef CHORALE_COMMAND_CARRIED_H
#define CHORALE_COMMAND_CARRIED_H

#include "inference.h"
#include "options.h"

#include <stdio.h>

/* Greatest size of an embedded problem file, in bytes. */
enum { PROBLEM_CARRIED = 64 << 20 };

/* Returns the library for browsers, a script, from the file at `path`; the caller frees it. Ends
 * the program with EXIT_BAD_INPUT if the file cannot be read or is not such a script. */
char *load_library(const char *path);

/* Returns the size of the problem as a file, in bytes. */
size_t problem_size(const corpus *from);

/* Writes an HTML element "problem" with a JSON object of these fields:
 *   problem   the problem file in base64
 *   learnt    the text of the file of --learnt, if given
 *   factors   the factor of each clique; empty if all are 1
 *   rounds, beam   options of the run
 *   left_out  the label that has no colour
 *   temperature   that of changed labels (chorale_learnt_report)
 *   own, together   the label of each position: without cliques, and in the result
 *   pages     the chains of each page
 *   training  numbers of the training pages, which the counts of tokens and errors leave out
 *   cliques   names of the cliques
 *   words     made-up words, if the file has none */
void put_problem(FILE *to, const settings *chosen, const corpus *from, const inference *done,
                 int64_t left_out);

#endif
