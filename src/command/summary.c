#include "summary.h"

#include "json.h"
#include "support.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int64_t label_of_nothing(const corpus *from) {
  static const char *const names[] = {"Other", "O", "None"};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
    for (int64_t label = 0; label < from->labels; ++label) {
      char space[NAME_SPACE];
      if (same_text(label_name(from, label, space), text_of(names[i])))
        return label;
    }
  return -1;
}

static void add_tally(tally *to, const tally *more) {
  to->tokens += more->tokens;
  to->changed += more->changed;
  to->known += more->known;
  to->own_errors += more->own_errors;
  to->errors += more->errors;
  to->chains += more->chains;
  to->changed_chains += more->changed_chains;
  to->records += more->records;
  to->own_right += more->own_right;
  to->right += more->right;
}

summary summarise(const corpus *from, const inference *done) {
  summary made;
  memset(&made, 0, sizeof made);
  made.pages = allocate(from->page_count, sizeof *made.pages);
  made.own = allocate(from->labels, sizeof *made.own);
  made.together = allocate(from->labels, sizeof *made.together);
  made.left_out = label_of_nothing(from);
  for (int64_t p = 0; p < from->page_count; ++p) {
    const page *here = &from->pages[p];
    tally *counted = &made.pages[p];
    for (int64_t r = here->first; r < here->first + here->records; ++r) {
      const int64_t begin = from->offsets[from->chains[r]];
      const int64_t length = from->offsets[from->chains[r] + 1] - begin;
      const tally before = *counted;
      count_tokens(counted, here->training ? NULL : made.own, here->training ? NULL : made.together,
                   from->gold != NULL ? from->gold + begin : NULL, done->own + begin,
                   done->together + begin, length);
      const int known = counted->known > before.known;
      counted->chains += 1;
      counted->changed_chains += counted->changed > before.changed;
      counted->records += known;
      counted->own_right += known && counted->own_errors == before.own_errors;
      counted->right += known && counted->errors == before.errors;
    }
    if (here->training) {
      ++made.training_pages;
      continue;
    }
    ++made.test_pages;
    add_tally(&made.all, counted);
    if (counted->known > 0) {
      made.better += counted->errors < counted->own_errors;
      made.equal += counted->errors == counted->own_errors;
      made.worse += counted->errors > counted->own_errors;
    }
  }
  made.own_sum = sum_counts(made.own, from->labels, made.left_out);
  made.together_sum = sum_counts(made.together, from->labels, made.left_out);
  return made;
}

void summary_free(summary *of) {
  free(of->pages);
  free(of->own);
  free(of->together);
}

double error_reduction(const tally *of) {
  if (of->own_errors == 0)
    return 0.0;
  return (double)(of->own_errors - of->errors) / (double)of->own_errors;
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
  printf("\nToken errors   %" PRId64 " -> %" PRId64 " of %" PRId64 ", %.1f %% fewer\n",
         of->all.own_errors, of->all.errors, of->all.known, 100 * error_reduction(&of->all));
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
  printf("Rounds         %" PRId64 ", %s\n", result->rounds, outcome_name(result->outcome));
  printf("Time           %.2f s for %" PRId64 " chains, %" PRId64 " tokens, %" PRId64 " cliques\n",
         done->seconds, from->chain_count, from->positions, from->clique_count);
  const chorale_text tagging = note(from, "tagging"); /* text on how long the tagger took */
  if (tagging.length > 0) {
    fputs("Tagging        ", stdout);
    print_name(stdout, tagging, 0);
    putchar('\n');
  }
}

static void print_label_json(const corpus *from, const summary *of, int64_t label, int first) {
  const chorale_text name = text_in(from->problem, CHORALE_TEXTS_LABELS, label);
  fputs(first ? "{" : ",{", stdout);
  put_json_whole(stdout, "label", label, 1);
  if (name.length > 0)
    put_json_string(stdout, "name", name, 0);
  put_json_whole(stdout, "tokens", of->together[label].gold, 0);
  put_json_real(stdout, "own_f1", f1(of->own[label]), 0);
  put_json_real(stdout, "f1", f1(of->together[label]), 0);
  putchar('}');
}

/* Prints the fields for token F1 and for numbers of errors. Needs gold labels. */
static void print_scores_json(const corpus *from, const summary *of) {
  put_json_whole(stdout, "own_errors", of->all.own_errors, 0);
  put_json_whole(stdout, "errors", of->all.errors, 0);
  put_json_whole(stdout, "records", of->all.records, 0);
  put_json_whole(stdout, "own_right", of->all.own_right, 0);
  put_json_whole(stdout, "right", of->all.right, 0);
  put_json_real(stdout, "own_f1", f1(of->own_sum), 0);
  put_json_real(stdout, "f1", f1(of->together_sum), 0);
  put_json_whole(stdout, "left_out_label", of->left_out, 0);
  put_json_whole(stdout, "better", of->better, 0);
  put_json_whole(stdout, "equal", of->equal, 0);
  put_json_whole(stdout, "worse", of->worse, 0);
  put_json_key(stdout, "labels", 0);
  putchar('[');
  int first = 1;
  for (int64_t label = 0; label < from->labels; ++label)
    if (of->together[label].gold + of->together[label].said + of->own[label].said > 0) {
      print_label_json(from, of, label, first);
      first = 0;
    }
  putchar(']');
}

void print_summary_json(const corpus *from, const inference *done, const summary *of) {
  const chorale_run_result *result = &done->result;
  putchar('{');
  put_json_string(stdout, "outcome", text_of(chorale_outcome_name(result->outcome)), 1);
  put_json_key(stdout, "proven", 0);
  fputs(result->proven ? "true" : "false", stdout);
  put_json_whole(stdout, "rounds", result->rounds, 0);
  put_json_real(stdout, "score", result->score, 0);
  put_json_real(stdout, "own_score", result->own_score, 0);
  put_json_real(stdout, "upper_bound", result->upper_bound, 0);
  put_json_real(stdout, "gap", result->gap, 0);
  put_json_real(stdout, "seconds", done->seconds, 0);
  put_json_whole(stdout, "chains", from->chain_count, 0);
  put_json_whole(stdout, "changed_chains", result->changed_chains, 0);
  put_json_whole(stdout, "cliques", from->clique_count, 0);
  put_json_whole(stdout, "groups", of->test_pages, 0);
  put_json_whole(stdout, "training_groups", of->training_pages, 0);
  put_json_whole(stdout, "tokens", of->all.tokens, 0);
  put_json_whole(stdout, "changed", of->all.changed, 0);
  put_json_whole(stdout, "known", of->all.known, 0);
  if (of->all.known > 0)
    print_scores_json(from, of);
  puts("}");
}
