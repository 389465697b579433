/* Numbers that summarise an inference, for the console and for the report. */
#ifndef CHORALE_COMMAND_SUMMARY_H
#define CHORALE_COMMAND_SUMMARY_H

#include "inference.h"
#include "scores.h"

typedef struct summary {
  int64_t *changed, *removed; /* by page, 0 for training pages: changed tokens, and how many errors
                                 the run removes */
  tally all;              /* over the pages that are not training pages */
  counts *own, *together; /* by label, over the pages of `all`: counts, at positions with gold
                             labels, of the labels without cliques and of those that the run found */
  int64_t left_out;       /* the label named Other, O or None, which F1 leaves out; -1: none */
  counts own_sum, together_sum;
  int64_t test_pages, training_pages; /* test_pages: number of pages counted in `all` */
  int64_t better, equal, worse;       /* numbers of test pages with gold labels on which the run
                                         made fewer, equally many or more errors than the labels
                                         without cliques */
} summary;

summary summarise(const corpus *from, const inference *done);
void summary_free(summary *of);

/* Prints the summary to stdout as lines of text. */
void print_summary(const corpus *from, const inference *done, const summary *of);
/* Prints the summary as a JSON object, which chorale.1 describes. */
void print_summary_json(const corpus *from, const inference *done, const summary *of);

#endif
