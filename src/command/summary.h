/* Numbers that summarise an inference, for the console and for the report. */
#ifndef CHORALE_COMMAND_SUMMARY_H
#define CHORALE_COMMAND_SUMMARY_H

#include "inference.h"
#include "scores.h"

typedef struct summary {
  tally *pages;           /* by page */
  tally all;              /* over the pages that are not training pages */
  counts *own, *together; /* by label, likewise */
  int64_t left_out;       /* the label that stands for "none of the others", or -1 */
  counts own_sum, together_sum;
  int64_t test_pages, training_pages; /* test_pages: those counted in `all` */
  int64_t better, equal, worse;       /* of the test pages with gold labels, by errors */
} summary;

summary summarise(const corpus *from, const inference *done);
void summary_free(summary *of);

/* Returns the share of the base model's errors that are corrected; 0 if it makes none. */
double error_reduction(const tally *of);

/* Prints the tables to stdout. */
void print_summary(const corpus *from, const inference *done, const summary *of);
/* Prints the same as a JSON object, which chorale.1 describes. */
void print_summary_json(const corpus *from, const inference *done, const summary *of);

#endif
