/* The data of a report, from which its scripts draw it. */
#ifndef CHORALE_COMMAND_DATA_H
#define CHORALE_COMMAND_DATA_H

#include "options.h"
#include "summary.h"

#include <stdio.h>

/* Greatest size in bytes of a problem file that a report carries. */
enum { PROBLEM_CARRIED = 64 << 20 };

/* The records that a report shows, page by page, without pages that the tagger was trained on. Pages
 * with most errors removed (without gold labels: most changed words) come first; in a page the records
 * with a changed label. Browsers are slow with very many words, so a report may not show all. */
typedef struct shown {
  int64_t *chains;
  int64_t count;
} shown;

/* Returns what is shown; the caller frees `chains`. */
shown shown_of(const corpus *from, const inference *done, const summary *of);

/* Returns the size of the problem as a file, in bytes. */
size_t problem_size(const corpus *from);

/* Writes a JSON object with these fields:
 *   version   of the library
 *   title, notes   title_of(); [name, text] of each note that the report prints
 *   strength, properties, threads   options
 *   seconds   duration of the run
 *   run       the result as chorale_run_json writes it
 *   labels    names of labels, empty where the file has none
 *   left_out  the label that F1 leaves out and that has no colour, or -1
 *   gold      by position, -1: unknown; empty: no gold labels
 *   pages     { name, training, chains } of each page; training: the tagger was trained on it
 *   records   { chain, name, words, spaces, sure, exact } of each record that is shown (shown_of);
 *             spaces: the text before each word, missing: a blank between words; sure: by position
 *             with a changed label, how probable its label is, missing: unknown; exact: false if
 *             these are estimates
 *   cliques   { name, values, names } of each clique; values: how many; names: if the run changed the
 *             value of a member, by value: the names of value 0 and of the values that members have
 *   control   from the learnt result, shares of right labels on held-out groups: of the tagger, of a
 *             control (bonuses alone, without agreement), with agreement; empty: unknown
 * and, if `carried`, with these:
 *   problem   the problem file in base64
 *   learnt    the text of the file of --learnt, or empty
 *   factors   the factor of each clique; empty: all are 1
 *   rounds, beam   options of the run
 *   temperature    that of changed labels (chorale_learnt_report) */
void put_data(FILE *to, const settings *chosen, const corpus *from, const inference *done,
              const summary *of, const shown *which, int carried);

/* Returns the title of the report: a note of the problem, or the name of the file. */
chorale_text title_of(const settings *chosen, const corpus *from);

#endif
