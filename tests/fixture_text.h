/* A made-up text: many chains of words, with cliques of repeated words and of a property. It is
 * large enough to divide the work among threads and to measure memory. */
#ifndef CHORALE_TESTS_FIXTURE_TEXT_H
#define CHORALE_TESTS_FIXTURE_TEXT_H

#include "fixture.h"

typedef struct TextShape {
  int64_t chains, longest, labels, words;
  int64_t in_group; /* number of chains in each property clique; 0: no property cliques */
  int32_t is_borrowed;
  double lambda; /* of the Potts potential over words, divided by the number of members */
  uint64_t seed;
} TextShape;

typedef struct Text {
  TextShape shape;
  int64_t positions; /* of all chains */
  int64_t *first;    /* chains + 1: the first position of each chain */
  double *scores;    /* positions x labels */
  int32_t *tokens;   /* positions */
  chorale_transitions *transitions;
  chorale_potential *potts, *majority;
  chorale_property *property;
  chorale_model *model;
} Text;

void open_text(const TextShape *shape, const chorale_host *host, Text *text);
void close_text(Text *text);
void describe_sentence(const Text *text, int64_t chain, chorale_chain *described);

/* All results of a run over a text. */
typedef struct Story {
  chorale_run_result result;
  int32_t *labels, *own;
  char *json; /* has the scores of chains and cliques too */
} Story;
void tell(const Text *text, const chorale_run *run, Story *story);
void forget(Story *story);
/* Returns NULL if equal, otherwise a description of the difference. */
const char *compare_stories(const Text *text, const Story *a, const Story *b);

#endif
