#include "scores.h"

#include <stddef.h>

double f1(counts of) {
  const int64_t both = of.gold + of.said;
  return both > 0 ? 2.0 * (double)of.right / (double)both : 1.0;
}

static void count_one(counts *by_label, int32_t gold, int32_t said) {
  by_label[gold].gold += 1;
  if (said < 0)
    return; /* the chain is left out */
  by_label[said].said += 1;
  by_label[said].right += said == gold;
}

void count_tokens(tally *to, counts *own_by_label, counts *by_label, const int32_t *gold,
                  const int32_t *own, const int32_t *together, int64_t length) {
  to->tokens += length;
  for (int64_t t = 0; t < length; ++t) {
    to->changed += own[t] != together[t];
    if (gold == NULL || gold[t] < 0)
      continue;
    to->known += 1;
    to->own_errors += own[t] != gold[t];
    to->errors += together[t] != gold[t];
    count_one(own_by_label, gold[t], own[t]);
    count_one(by_label, gold[t], together[t]);
  }
}

counts sum_counts(const counts *by_label, int64_t labels, int64_t left_out) {
  counts sum = {0, 0, 0};
  for (int64_t label = 0; label < labels; ++label) {
    if (label == left_out)
      continue;
    sum.gold += by_label[label].gold;
    sum.said += by_label[label].said;
    sum.right += by_label[label].right;
  }
  return sum;
}
