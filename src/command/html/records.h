/* The records of a page, before and after, and why they changed. */
#ifndef CHORALE_COMMAND_RECORDS_H
#define CHORALE_COMMAND_RECORDS_H

#include "inference.h"
#include "scores.h"

#include <stdio.h>

/* What there is to write about, and how much more of it may be written. */
typedef struct account {
  const corpus *from;
  const inference *done;
  int64_t left_out; /* the label that is not coloured, or -1 */
  int64_t room;     /* tokens; a problem may be larger than a browser likes */
} account;

/* Some records of a page that changed, in two columns: alone and together. */
void put_example(FILE *to, account *of, int64_t page_index);

/* Records that changed one by one, the others folded away. Takes what it writes from `room`. */
void put_records(FILE *to, account *of, int64_t page_index);

#endif
