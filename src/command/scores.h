/* Scores of labellings against gold labels, counted by token. */
#ifndef CHORALE_COMMAND_SCORES_H
#define CHORALE_COMMAND_SCORES_H

#include <stdint.h>

/* Counts of one label: the numbers of positions where it is the gold label, where it was assigned,
 * and where both hold. */
typedef struct counts {
  int64_t gold, said, right;
} counts;

/* Returns F1: 2 precision recall / (precision + recall) = 2 right / (gold + said), from 0 to 1; 1
 * if the label is neither gold nor assigned anywhere. */
double f1(counts of);

/* Counts over a set of positions, and of their chains. Positions without a gold label count only in
 * `tokens` and `changed`. Fields own_... are for the labels without cliques. */
typedef struct tally {
  int64_t tokens, changed;
  int64_t known; /* tokens with a gold label */
  int64_t own_errors, errors;
  /* Numbers of chains, which summarise() counts. */
  int64_t chains, changed_chains; /* all; those with a changed token */
  int64_t records;                /* those with a gold label */
  int64_t own_right, right;       /* those with a gold label and without an error */
} tally;

/* Adds `length` positions to the counts in *to. gold, own, together: by position, the gold label
 * (-1: unknown; NULL: no gold labels), the label without cliques and the label found by the run.
 * own_by_label, by_label: arrays with an entry for each label, in which the labels `own` and
 * `together` are counted; unused without gold labels. */
void count_tokens(tally *to, counts *own_by_label, counts *by_label, const int32_t *gold,
                  const int32_t *own, const int32_t *together, int64_t length);

/* Returns the sums over all labels except `left_out` (-1: none). Their F1 is the micro average. */
counts sum_counts(const counts *by_label, int64_t labels, int64_t left_out);

#endif
