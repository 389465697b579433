/* How good labellings are, against gold labels, token by token. */
#ifndef CHORALE_COMMAND_SCORES_H
#define CHORALE_COMMAND_SCORES_H

#include <stdint.h>

/* Of one label: how often it is true, said, and both. */
typedef struct counts {
  int64_t gold, said, right;
} counts;

/* 2 precision recall / (precision + recall) = 2 right / (gold + said), from 0 to 1; 1 where the
 * label is neither true nor said. */
double f1(counts of);

/* Of a set of positions. Positions without gold labels count in `tokens` and `changed` alone. */
typedef struct tally {
  int64_t tokens, changed;
  int64_t known; /* tokens with a gold label */
  int64_t own_errors, errors;
  int64_t records;          /* sequences with a gold label, counted by summarise */
  int64_t own_right, right; /* those without an error */
} tally;

/* Adds `length` positions. gold: may be NULL. own_by_label, by_label: counts by label, added to;
 * either may be NULL. */
void count_tokens(tally *to, counts *own_by_label, counts *by_label, const int32_t *gold,
                  const int32_t *own, const int32_t *together, int64_t length);

/* Sums over all labels but `left_out` (-1: none): their F1 is the micro average. */
counts sum_counts(const counts *by_label, int64_t labels, int64_t left_out);

#endif
