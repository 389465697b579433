#include "summary.h"

#include "json.h"
#include "support.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns the label named Other, O or None, which F1 leaves out; -1: none. */
static int64_t label_of_nothing(const corpus *from) {
  static const char *const names[] = {"Other", "O", "None"};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
    for (int64_t label = 0; label < from->labels; ++label)
      if (same_text(text_in(from->problem, CHORALE_TEXTS_LABELS, label), text_of(names[i])))
        return label;
  return -1;
}

summary summarise(const corpus *from, const inference *done) {
  summary made;
  memset(&made, 0, sizeof made);
  made.changed = allocate(from->page_count, sizeof *made.changed);
  made.removed = allocate(from->page_count, sizeof *made.removed);
  made.own = allocate(from->labels, sizeof *made.own);
  made.together = allocate(from->labels, sizeof *made.together);
  made.left_out = label_of_nothing(from);
  tally *all = &made.all;
  for (int64_t p = 0; p < from->page_count; ++p) {
    const page *here = &from->pages[p];
    const tally others = *all;
    if (here->training) {
      ++made.training_pages;
      continue;
    }
    ++made.test_pages;
    for (int64_t r = here->first; r < here->first + here->records; ++r) {
      const int64_t begin = from->offsets[from->chains[r]];
      const int64_t length = from->offsets[from->chains[r] + 1] - begin;
      const tally before = *all;
      count_tokens(all, made.own, made.together, from->gold != NULL ? from->gold + begin : NULL,
                   done->own + begin, done->together + begin, length);
      const int known = all->known > before.known;
      all->chains += 1;
      all->changed_chains += all->changed > before.changed;
      all->records += known;
      all->own_right += known && all->own_errors == before.own_errors;
      all->right += known && all->errors == before.errors;
    }
    const int64_t removed = (all->own_errors - all->errors) - (others.own_errors - others.errors);
    made.changed[p] = all->changed - others.changed;
    made.removed[p] = removed;
    if (all->known > others.known) {
      made.better += removed > 0;
      made.equal += removed == 0;
      made.worse += removed < 0;
    }
  }
  made.own_sum = sum_counts(made.own, from->labels, made.left_out);
  made.together_sum = sum_counts(made.together, from->labels, made.left_out);
  return made;
}

void summary_free(summary *of) {
  free(of->changed);
  free(of->removed);
  free(of->own);
  free(of->together);
}

/* ---- Printing ----------------------------------------------------------------------------- */

static void print_f1(chorale_text name, counts own, counts together) {
  fputs("  ", stdout);
  print_name(stdout, name, 16);
  printf(" %8" PRId64 "   %6.2f   %6.2f   %+6.2f\n", together.gold, 100 * f1(own),
         100 * f1(together), 100 * (f1(together) - f1(own)));
}

static void print_scores(const corpus *from, const summary *of) {
  char space[NAME_SPACE];
  printf("Token F1           tokens     base together     gain\n");
  for (int64_t label = 0; label < from->labels; ++label)
    if (of->together[label].gold + of->together[label].said + of->own[label].said > 0)
      print_f1(label_name(from, label, space), of->own[label], of->together[label]);
  print_f1(text_of("all"), of->own_sum, of->together_sum);
  if (of->left_out >= 0) {
    fputs("  (micro average, without ", stdout);
    print_name(stdout, label_name(from, of->left_out, space), 0);
    fputs(")\n", stdout);
  }
  const double errors = of->all.own_errors > 0 ? (double)of->all.own_errors : 1.0;
  printf("\nToken errors   %" PRId64 " -> %" PRId64 " of %" PRId64 ", %.1f %% fewer\n",
         of->all.own_errors, of->all.errors, of->all.known,
         100 * (double)(of->all.own_errors - of->all.errors) / errors);
  printf("Entirely right %" PRId64 " -> %" PRId64 " of %" PRId64 " records\n", of->all.own_right,
         of->all.right, of->all.records);
  printf("Pages          %" PRId64 " better, %" PRId64 " equal, %" PRId64 " worse\n", of->better,
         of->equal, of->worse);
}

void print_summary(const corpus *from, const inference *done, const summary *of) {
  const chorale_run_result *result = &done->result;
  if (of->all.known > 0)
    print_scores(from, of);
  else
    printf("No gold labels%s.\n", of->training_pages > 0 ? " beyond the training pages" : "");
  if (of->training_pages > 0)
    printf("Left out       %" PRId64 " pages that the base was trained on\n", of->training_pages);
  printf("Changed        %" PRId64 " of %" PRId64 " tokens\n", of->all.changed, of->all.tokens);
  printf("Joint score    %.4f -> %.4f\n", result->own_score, result->score);
  if (isfinite(result->upper_bound))
    printf("Upper bound    %.4f, gap %.4f (%.3f %%)%s\n", result->upper_bound, result->gap,
           100 * result->gap / fmax(1.0, fabs(result->score)),
           result->proven ? ", proven optimal" : "");
  printf("Rounds         %" PRId64 ", %s\n", result->rounds, chorale_outcome_name(result->outcome));
  printf("Time           %.2f s for %" PRId64 " chains, %" PRId64 " tokens, %" PRId64 " cliques\n",
         done->seconds, from->chain_count, from->positions, from->clique_count);
}

/* Prints the fields for token F1 and for numbers of errors. Needs gold labels. */
static void print_scores_json(const corpus *from, const summary *of) {
  const tally *all = &of->all;
  put_json(stdout,
           ",\"own_errors\":%i,\"errors\":%i,\"records\":%i,\"own_right\":%i,\"right\":%i,"
           "\"own_f1\":%r,\"f1\":%r,\"left_out_label\":%i,\"better\":%i,\"equal\":%i,"
           "\"worse\":%i,\"labels\":[",
           all->own_errors, all->errors, all->records, all->own_right, all->right, f1(of->own_sum),
           f1(of->together_sum), of->left_out, of->better, of->equal, of->worse);
  for (int64_t label = 0, before = 0; label < from->labels; ++label) {
    const chorale_text name = text_in(from->problem, CHORALE_TEXTS_LABELS, label);
    const counts own = of->own[label], together = of->together[label];
    if (together.gold + together.said + own.said == 0)
      continue;
    put_json(stdout, "%,{\"label\":%i,", before++ > 0, label);
    if (name.length > 0)
      put_json(stdout, "\"name\":%t,", name);
    put_json(stdout, "\"tokens\":%i,\"own_f1\":%r,\"f1\":%r}", together.gold, f1(own),
             f1(together));
  }
  putchar(']');
}

void print_summary_json(const corpus *from, const inference *done, const summary *of) {
  const chorale_run_result *result = &done->result;
  put_json(stdout,
           "{\"outcome\":%t,\"proven\":%b,\"rounds\":%i,\"score\":%r,\"own_score\":%r,"
           "\"upper_bound\":%r,\"gap\":%r,\"seconds\":%r,\"chains\":%i,\"changed_chains\":%i,"
           "\"cliques\":%i,\"groups\":%i,\"training_groups\":%i,\"tokens\":%i,\"changed\":%i,"
           "\"known\":%i",
           text_of(chorale_outcome_name(result->outcome)), result->proven, result->rounds,
           result->score, result->own_score, result->upper_bound, result->gap, done->seconds,
           from->chain_count, result->changed_chains, from->clique_count, of->test_pages,
           of->training_pages, of->all.tokens, of->all.changed, of->all.known);
  if (of->all.known > 0)
    print_scores_json(from, of);
  puts("}");
}
