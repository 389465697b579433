#include "records.h"

#include "html.h"
#include "reasons.h"
#include "support.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct record {
  int64_t chain, length;
  const int32_t *own, *together;
  const int32_t *gold; /* NULL: none */
} record;

static record record_of(const account *of, int64_t place) {
  record made;
  made.chain = of->from->chains[place];
  const int64_t begin = of->from->offsets[made.chain];
  made.length = of->from->offsets[made.chain + 1] - begin;
  made.own = of->done->own + begin;
  made.together = of->done->together + begin;
  made.gold = of->from->gold != NULL ? of->from->gold + begin : NULL;
  return made;
}

static tally tally_of(const record *of) {
  tally counted;
  memset(&counted, 0, sizeof counted);
  count_tokens(&counted, NULL, NULL, of->gold, of->own, of->together, of->length);
  return counted;
}

static int32_t gold_of(const record *of, int64_t t) { return of->gold != NULL ? of->gold[t] : -1; }

static int is_wrong(const record *of, const int32_t *labels, int64_t t) {
  return gold_of(of, t) >= 0 && gold_of(of, t) != labels[t];
}

/* Returns 1 if the words t - 1 and t belong to the same *run of words*: a stretch of consecutive
 * words that are shown as one, since they have the same label and the same marks for changes and
 * errors. */
static int goes_on(const record *of, const int32_t *labels, int64_t t) {
  return labels[t] == labels[t - 1] && of->own[t] == of->own[t - 1] &&
         of->together[t] == of->together[t - 1] &&
         is_wrong(of, labels, t) == is_wrong(of, labels, t - 1) &&
         (gold_of(of, t) == gold_of(of, t - 1) || !is_wrong(of, labels, t));
}

/* Writes the start tag of the element that marks a run of words as changed or wrong, and returns
 * its end tag; writes nothing and returns "" if the run is neither. From the numbers in the
 * attributes, report.js composes the text that is shown when the reader points at the words. */
static const char *open_run(FILE *to, const record *of, const int32_t *labels, int64_t t) {
  const int wrong = is_wrong(of, labels, t);
  if (of->own[t] != of->together[t]) {
    int64_t last = t;
    while (last + 1 < of->length && goes_on(of, labels, last + 1))
      ++last;
    fprintf(to,
            "<mark%s%s data-own=\"%d\" data-now=\"%d\" data-chain=\"%" PRId64
            "\" data-first=\"%" PRId64 "\" data-last=\"%" PRId64 "\"",
            wrong ? " class=\"e\"" : "", labels == of->together ? " tabindex=\"0\"" : "",
            (int)of->own[t], (int)of->together[t], of->chain, t, last);
    if (gold_of(of, t) >= 0)
      fprintf(to, " data-gold=\"%d\"", (int)gold_of(of, t));
    fputc('>', to);
    return "</mark>";
  }
  if (wrong) {
    fprintf(to, "<i class=\"e\" data-now=\"%d\" data-gold=\"%d\">", (int)labels[t],
            (int)gold_of(of, t));
    return "</i>";
  }
  return "";
}

static void put_words(FILE *to, const account *of, const record *here, const int32_t *labels) {
  const char *close_run = "", *close_field = "";
  for (int64_t t = 0; t < here->length; ++t) {
    char space[NAME_SPACE];
    const int new_run = t == 0 || !goes_on(here, labels, t);
    const int new_field = t == 0 || labels[t] != labels[t - 1];
    if (new_run)
      fputs(close_run, to);
    if (new_field)
      fputs(close_field, to);
    put_text(to, space_before(of->from, here->chain, t));
    if (new_field) {
      close_field = "";
      if (labels[t] >= 0 && labels[t] != of->left_out) {
        fprintf(to, "<span class=\"f l%d\">", (int)labels[t]);
        close_field = "</span>";
      }
    }
    if (new_run)
      close_run = open_run(to, here, labels, t);
    put_text(to, word(of->from, here->chain, t, space));
  }
  fputs(close_run, to);
  fputs(close_field, to);
}

/* Writes one labelling of a record. side: "alone", "together", or NULL if both labellings are
 * equal. */
static void put_row(FILE *to, const account *of, const record *here, const int32_t *labels,
                    const char *side) {
  fprintf(to, "<p class=\"row %s\">", side != NULL ? side : "both");
  if (side != NULL)
    fprintf(to, "<span class=\"side\">%s</span>", side);
  fputs("<span class=\"words\">", to);
  put_words(to, of, here, labels);
  fputs("</span></p>\n", to);
}

static void put_record(FILE *to, account *of, int64_t place, int64_t number) {
  const record here = record_of(of, place);
  const tally counted = tally_of(&here);
  of->room -= here.length;
  const chorale_text name =
      text_in(of->from->problem, CHORALE_TEXTS_CHAINS, here.chain);
  fprintf(to, "<article class=\"record%s\" id=\"r%" PRId64 "\" data-name=\"",
          counted.changed > 0 ? " changed" : "", here.chain);
  put_text(to, name);
  fputs("\"><h4>", to);
  if (name.length > 0)
    put_readable(to, name);
  else
    fprintf(to, "Record %" PRId64, number + 1);
  if (counted.own_errors > 0 || counted.errors > 0) {
    fputs(" <span class=\"small\">", to);
    if (counted.changed > 0)
      fprintf(to, "%" PRId64 " \xe2\x86\x92 ", counted.own_errors);
    put_counted(to, counted.errors, "error", "errors");
    fputs("</span>", to);
  }
  fputs("</h4>\n", to);
  if (counted.changed > 0) {
    put_row(to, of, &here, here.own, "alone");
    put_row(to, of, &here, here.together, "together");
    put_reasons(to, of->from, of->done, here.chain);
  } else {
    put_row(to, of, &here, here.together, NULL);
  }
  fputs("</article>\n", to);
}

void put_example(FILE *to, account *of, int64_t page_index) {
  static const char *const sides[] = {"Every record alone", "All together"};
  enum { RECORDS_SHOWN = 5 };
  const page *on = &of->from->pages[page_index];
  fputs("<div class=\"pair example\">\n", to);
  for (int side = 0; side < 2; ++side) {
    fprintf(to, "<div><h3>%s</h3><ol>\n", sides[side]);
    int64_t shown = 0;
    for (int64_t k = 0; k < on->records && shown < RECORDS_SHOWN; ++k) {
      record here = record_of(of, on->first + k);
      if (tally_of(&here).changed == 0)
        continue;
      ++shown;
      fprintf(to, "<li class=\"words\" data-record=\"%" PRId64 "\">", here.chain);
      if (side == 0) /* changes are marked only on the side "together" */
        here.together = here.own;
      put_words(to, of, &here, here.together);
      fputs("</li>\n", to);
    }
    fputs("</ol></div>\n", to);
  }
  fputs("</div>\n", to);
}

void put_records(FILE *to, account *of, int64_t page_index) {
  const page *here = &of->from->pages[page_index];
  int64_t unchanged = 0, left = 0;
  for (int64_t k = 0; k < here->records; ++k) {
    const record one = record_of(of, here->first + k);
    if (tally_of(&one).changed == 0)
      ++unchanged;
    else if (of->room > 0)
      put_record(to, of, here->first + k, k);
    else
      ++left;
  }
  if (unchanged > 0 && of->room > 0) {
    fputs("<details class=\"unchanged\"><summary>", to);
    put_counted(to, unchanged, "record", "records");
    fputs(" without a change</summary>\n", to);
    for (int64_t k = 0; k < here->records; ++k) {
      const record one = record_of(of, here->first + k);
      if (tally_of(&one).changed > 0)
        continue;
      if (of->room > 0)
        put_record(to, of, here->first + k, k);
      else
        ++left;
    }
    fputs("</details>\n", to);
  } else {
    left += unchanged;
  }
  if (left > 0) {
    fputs("<p class=\"small\">", to);
    put_counted(to, left, "more record is", "more records are");
    fputs(" not shown: the report would grow too large.</p>\n", to);
  }
}
