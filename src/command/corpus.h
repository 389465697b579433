/* A problem file as the report shows it: pages, which contain records, which contain words.
 *
 * A page is a group of chains, a record is a chain, a word is a position of the chain. Pages are in
 * the order of their group numbers, and the records of a page in the order of their chains. If the
 * file lacks a name, the functions below make one up, such as "Group 3". */
#ifndef CHORALE_COMMAND_CORPUS_H
#define CHORALE_COMMAND_CORPUS_H

#include <chorale/experimental.h>

typedef struct page {
  int64_t group;
  int64_t first, records; /* records: corpus.chains[first .. first + records - 1] */
  int training;           /* 1: a page that the tagger, which gave the scores, was trained on */
} page;

typedef struct corpus {
  chorale_problem *problem;
  const chorale_model *model;
  int64_t chain_count, clique_count, positions, labels;
  int64_t *chains;  /* chain numbers, page by page */
  int64_t *offsets; /* chain_count + 1 entries: the first position of each chain, counted over all
                       chains; then the number of positions */
  int64_t *page_of; /* by chain: its page */
  page *pages;
  int64_t page_count;
  const int32_t *gold;  /* by position, -1: unknown; NULL: no gold labels */
} corpus;

/* Loads a problem file, as load() does, with its pages, records and gold labels. */
corpus corpus_of(const char *path);
void corpus_free(corpus *from);

/* Return the texts to be printed for pages, labels, words, the space before a word, and cliques.
 * Names that the file lacks are made up and written to the buffer `space`. */
enum { NAME_SPACE = 48 };
chorale_text page_name(const corpus *from, int64_t page_index, char space[NAME_SPACE]);
chorale_text label_name(const corpus *from, int64_t label, char space[NAME_SPACE]);
chorale_text word(const corpus *from, int64_t chain, int64_t position, char space[NAME_SPACE]);
chorale_text space_before(const corpus *from, int64_t chain, int64_t position);
chorale_text clique_name(const corpus *from, int64_t clique, char space[NAME_SPACE]);

/* Returns the text of the note `name`; {NULL, 0} if there is none. */
chorale_text note(const corpus *from, const char *name);

#endif
