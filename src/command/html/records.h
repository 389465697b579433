/* Writes the records of a page before and after inference, and the reasons for changes. */
#ifndef CHORALE_COMMAND_RECORDS_H
#define CHORALE_COMMAND_RECORDS_H

#include "inference.h"
#include "scores.h"

#include <stdio.h>

/* The corpus and the run to write about, and the number of tokens that may still be written. */
typedef struct account {
  const corpus *from;
  const inference *done;
  int64_t left_out; /* the label that is not coloured, or -1 */
  int64_t room;     /* how many tokens may still be written; browsers are slow with very many */
} account;

/* Writes some changed records of a page in two columns: labelled without cliques ("alone") and by
 * the run ("together"). */
void put_example(FILE *to, account *of, int64_t page_index);

/* Writes the records of a page, as long as there is `room`: changed records in full, all others
 * folded. Subtracts the tokens written from `room`. */
void put_records(FILE *to, account *of, int64_t page_index);

#endif
