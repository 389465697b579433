#include "reasons.h"

#include "html.h"
#include "support.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* ---- Values of a clique ------------------------------------------------------------------- */

/* Returns the value of each member of a clique; the caller frees the array. */
static int32_t *values_of(const inference *done, int64_t clique,
                          chorale_labelling labelling) {
  chorale_error error;
  const int64_t members = chorale_model_clique_member_count(done->model, clique);
  int32_t *values = allocate(members, sizeof *values);
  check(chorale_run_values(done->run, clique, labelling, values, members, NULL, &error), &error);
  return values;
}

static void put_value(FILE *to, const corpus *from, int64_t clique, int32_t value) {
  char space[NAME_SPACE];
  int made_up = 0;
  const chorale_text name = value_name(from, clique, value, &made_up, space);
  fputs(made_up ? "<em>" : "<q>", to);
  put_text(to, name);
  fputs(made_up ? "</em>" : "</q>", to);
}

/* ---- One record --------------------------------------------------------------------------- */

static int greatest_first(const void *a, const void *b) {
  const chorale_payment *left = a, *right = b;
  if (left->amount != right->amount)
    return left->amount > right->amount ? -1 : 1;
  return left->clique < right->clique ? -1 : left->clique > right->clique;
}

static void put_payment(FILE *to, const corpus *from, int64_t chain,
                        const chorale_payment *paid) {
  char space[NAME_SPACE];
  fputs("<li", to);
  if (paid->position >= 0)
    fprintf(to, " data-position=\"%" PRId64 "\"", paid->position);
  fputs("><b>", to);
  put_text(to, clique_name(from, paid->clique, space));
  fputs("</b>: ", to);
  if (paid->position >= 0) {
    put_text(to, word(from, chain, paid->position, space));
    fputs(", ", to);
  }
  put_value(to, from, paid->clique, paid->own_value);
  fputs(" \xe2\x86\x92 ", to);
  put_value(to, from, paid->clique, paid->value);
  if (paid->others > 0) /* not of a centre, or of a member that is alone */
    fprintf(to, ": %" PRId64 " of %" PRId64 " others were, %" PRId64 " of %" PRId64 " are now",
            paid->agreeing_before, paid->others, paid->agreeing, paid->others);
  fprintf(to, " <span class=\"amount%s\">", paid->amount < 0 ? " loss" : "");
  if (isfinite(paid->amount))
    put_number(to, paid->amount, 2, 1);
  else
    fputs("required", to);
  fputs("</span></li>\n", to);
}

/* Returns the last position of the stretch of consecutive words that begins at `first` and in which
 * all words have the same label without cliques and the same label in the result. */
static int64_t end_of_change(const int32_t *own, const int32_t *together, int64_t first,
                             int64_t length) {
  int64_t last = first;
  while (last + 1 < length && own[last + 1] == own[first] && together[last + 1] == together[first])
    ++last;
  return last;
}

/* Returns the probability of label `y` among the probabilities of `labels` labels, each raised to the
 * power 1 / temperature. */
static double at_temperature(const double *row, int64_t labels, int32_t y, double temperature) {
  double sum = 0.0;
  for (int64_t k = 0; k < labels; ++k)
    sum += pow(row[k], 1.0 / temperature);
  return pow(row[y], 1.0 / temperature) / sum;
}

/* Writes, for each stretch of words whose label changed (end_of_change), the least probability of
 * the new label over these words. A sign for "about" precedes a probability that is not exact.
 * Writes nothing if the library cannot compute the probabilities of the record. */
static void put_probabilities(FILE *to, const corpus *from, const inference *done, int64_t chain) {
  const int64_t begin = from->offsets[chain], length = from->offsets[chain + 1] - begin;
  const int32_t *own = done->own + begin, *together = done->together + begin;
  double *probabilities = allocate(length * from->labels, sizeof *probabilities);
  int32_t exact = 0;
  const chorale_status status = chorale_run_probabilities(
      done->run, chain, 1.0, probabilities, from->labels, &exact, NULL);
  for (int64_t first = 0, last; status == CHORALE_OK && first < length; first = last + 1) {
    char space[NAME_SPACE];
    last = end_of_change(own, together, first, length);
    if (own[first] == together[first])
      continue;
    double least = 1.0;
    for (int64_t t = first; t <= last; ++t)
      least = fmin(least, at_temperature(probabilities + t * from->labels, from->labels,
                                         together[t], done->temperature));
    fprintf(to, "<li data-position=\"%" PRId64 "\" data-last=\"%" PRId64 "\"><b>How sure</b>: ",
            first, last);
    put_text(to, word(from, chain, first, space));
    fputs(last > first ? " \xe2\x80\xa6, <q>" : ", <q>", to);
    put_text(to, label_name(from, together[first], space));
    fputs("</q> <span class=\"amount\">", to);
    fprintf(to, "%s%.0f&nbsp;%%</span></li>\n", exact ? "" : "\xe2\x89\x88&nbsp;", 100.0 * least);
  }
  free(probabilities);
}

void put_reasons(FILE *to, const corpus *from, const inference *done, int64_t chain) {
  chorale_error error;
  double own = 0.0, together = 0.0;
  check(chorale_run_chain_score(done->run, chain, CHORALE_ALONE, &own, NULL, &error), &error);
  check(chorale_run_chain_score(done->run, chain, CHORALE_TOGETHER, &together, NULL,
                                &error), &error);
  int64_t count = 0;
  check(chorale_run_payments(done->run, chain, NULL, sizeof(chorale_payment), 0, &count,
                             &error), &error);
  chorale_payment *payments = allocate(count, sizeof *payments);
  check(chorale_run_payments(done->run, chain, payments, sizeof(chorale_payment), count, &count,
                             &error), &error);
  qsort(payments, (size_t)count, sizeof *payments, greatest_first);

  fprintf(to, "<details class=\"why\"><summary>Why</summary><ul id=\"w%" PRId64 "\">\n", chain);
  for (int64_t k = 0; k < count; ++k)
    put_payment(to, from, chain, &payments[k]);
  put_probabilities(to, from, done, chain);
  fprintf(to, "<li><b>The record\xe2\x80\x99s own score</b> <span class=\"amount%s\">",
          together < own ? " loss" : "");
  put_number(to, together - own, 2, 1);
  fputs("</span></li></ul></details>\n", to);
  free(payments);
}

/* ---- A page ------------------------------------------------------------------------------- */

typedef struct shown {
  int32_t value;
  int64_t own, together; /* number of members with the value */
} shown;

static int by_number(const void *a, const void *b) {
  const int32_t left = *(const int32_t *)a, right = *(const int32_t *)b;
  return left < right ? -1 : left > right;
}

static int commonest_first(const void *a, const void *b) {
  const shown *left = a, *right = b;
  if (left->together != right->together)
    return left->together > right->together ? -1 : 1;
  if (left->own != right->own)
    return left->own > right->own ? -1 : 1;
  return left->value < right->value ? -1 : left->value > right->value;
}

/* Counts how many members have each value, without cliques and in the result. own, together: the
 * values of the `members` members, sorted. Writes an entry for each different value to `counted`,
 * which has room for 2 * members entries, and returns the number of entries. */
static int64_t count_values(const int32_t *own, const int32_t *together, int64_t members,
                            shown *counted) {
  int64_t count = 0, i = 0, j = 0;
  while (i < members || j < members) {
    shown *fresh = &counted[count++];
    fresh->value = j == members || (i < members && own[i] < together[j]) ? own[i] : together[j];
    fresh->own = fresh->together = 0;
    for (; i < members && own[i] == fresh->value; ++i)
      fresh->own += 1;
    for (; j < members && together[j] == fresh->value; ++j)
      fresh->together += 1;
  }
  return count;
}

enum { VALUES_SHOWN = 4, CLIQUES_SHOWN = 6 };

static void put_agreement(FILE *to, const corpus *from, int64_t clique, const shown *counted,
                          int64_t count, int64_t members) {
  char space[NAME_SPACE];
  fputs("<li><b>", to);
  put_text(to, clique_name(from, clique, space));
  fputs("</b>\n<svg class=\"shares\" width=\"100%\" height=\"14\" aria-hidden=\"true\">", to);
  double own = 0.0, together = 0.0;
  for (int64_t k = 0; k < count; ++k) { /* upper bar: alone; lower bar: together */
    const char *rank = k == 0 ? "first" : k % 2 == 1 ? "odd" : "even";
    const double own_width = 100.0 * (double)counted[k].own / (double)members;
    const double width = 100.0 * (double)counted[k].together / (double)members;
    fprintf(to, "<rect class=\"base %s\" x=\"%.2f%%\" width=\"%.2f%%\" y=\"0\" height=\"6\"/>",
            rank, own, own_width);
    fprintf(to, "<rect class=\"together %s\" x=\"%.2f%%\" width=\"%.2f%%\" y=\"8\" height=\"6\"/>",
            rank, together, width);
    own += own_width;
    together += width;
  }
  fputs("</svg>\n<span class=\"small\">", to);
  for (int64_t k = 0; k < count && k < VALUES_SHOWN; ++k) {
    fputs(k > 0 ? ", " : "", to);
    put_value(to, from, clique, counted[k].value);
    fprintf(to, "&nbsp;%" PRId64, counted[k].own);
    if (counted[k].own != counted[k].together)
      fprintf(to, "&nbsp;\xe2\x86\x92&nbsp;%" PRId64, counted[k].together);
  }
  if (count > VALUES_SHOWN) {
    fputs(" and ", to);
    put_counted(to, count - VALUES_SHOWN, "other", "others");
  }
  fputs("</span></li>\n", to);
}

void put_agreements(FILE *to, const corpus *from, const inference *done, int64_t page_index) {
  int64_t shown_cliques = 0, more = 0;
  for (int64_t c = 0; c < from->clique_count; ++c) {
    const int64_t members = chorale_model_clique_member_count(done->model, c);
    if (from->clique_page[c] != page_index || members == 0)
      continue;
    int32_t *own = values_of(done, c, 1), *together = values_of(done, c, 0);
    int changed = 0;
    for (int64_t k = 0; k < members; ++k)
      changed |= own[k] != together[k];
    if (changed && shown_cliques == CLIQUES_SHOWN)
      ++more;
    else if (changed) {
      shown *counted = allocate(2 * members, sizeof *counted);
      qsort(own, (size_t)members, sizeof *own, by_number);
      qsort(together, (size_t)members, sizeof *together, by_number);
      const int64_t count = count_values(own, together, members, counted);
      qsort(counted, (size_t)count, sizeof *counted, commonest_first);
      if (shown_cliques++ == 0)
        fputs("<ul class=\"agreements\" aria-label=\"What the page agrees on\">\n", to);
      put_agreement(to, from, c, counted, count, members);
      free(counted);
    }
    free(own);
    free(together);
  }
  if (more > 0) {
    fputs("<li class=\"small\">and ", to);
    put_counted(to, more, "clique", "cliques");
    fputs(" more</li>\n", to);
  }
  if (shown_cliques > 0)
    fputs("</ul>\n", to);
}
