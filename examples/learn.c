/* Learns from labelled documents how strongly repeated words should agree, and labels another
 * document.
 *
 * Every document has ten words, each at three positions. A word has one of two kinds, the same at
 * all its positions in a document. The tagger gives the right kind at three of four positions. */
#include <chorale/chorale.h>

#include <stdio.h>
#include <stdlib.h>

enum { DOCUMENTS = 21, WORDS = 10, TIMES = 3, LENGTH = WORDS * TIMES, ALL = DOCUMENTS * LENGTH };

static double scores[ALL][2];
static int32_t tokens[ALL], gold[ALL];
static int64_t offsets[DOCUMENTS + 1], groups[DOCUMENTS];

static void check(chorale_status status, const chorale_error *error) {
  if (status == CHORALE_OK)
    return;
  fprintf(stderr, "learn: %s: %s\n", chorale_status_name(status), error->message);
  exit(1);
}

static uint32_t draw(void) {
  static uint64_t state = 1;
  state = state * 6364136223846793005U + 1442695040888963407U;
  return (uint32_t)(state >> 33);
}

static void write_documents(void) {
  for (int d = 0; d < DOCUMENTS; ++d) {
    offsets[d + 1] = offsets[d] + LENGTH;
    groups[d] = d;
    for (int w = 0; w < WORDS; ++w) {
      const int32_t kind = draw() % 2;
      for (int k = 0; k < TIMES; ++k) {
        const int p = d * LENGTH + k * WORDS + w;
        tokens[p] = w;
        gold[p] = kind;
        const int32_t said = draw() % 4 == 0 ? 1 - kind : kind;
        scores[p][said] = 1.1; /* log 3: the kind given is three times as probable as the other */
      }
    }
  }
}

int main(void) {
  chorale_error error;
  write_documents();
  chorale_corpus corpus; /* all documents but the last */
  corpus = (chorale_corpus){.struct_size = sizeof corpus};
  corpus.chains = DOCUMENTS - 1;
  corpus.offsets = offsets;
  corpus.labels = 2;
  corpus.unary = scores;
  corpus.tokens = tokens;
  corpus.groups = groups;
  chorale_agreement words; /* the labels of a word should agree within a document */
  words = (chorale_agreement){.struct_size = sizeof words};

  chorale_problem *problem = NULL;
  chorale_learnt *learnt = NULL;
  check(chorale_problem_create_agreeing(NULL, &corpus, &words, 1, gold, &problem, &error), &error);
  check(chorale_learn(NULL, (const chorale_problem *const *)&problem, 1, NULL, &learnt, &error),
        &error);
  char text[2000];
  check(chorale_learnt_text(learnt, CHORALE_TEXT_LINES, text, sizeof text, NULL, &error), &error);
  fputs(text, stdout);

  /* Labels the last document: the learnt potential takes the place of the strength. */
  chorale_potential *potential = NULL;
  chorale_decoded *decoded = NULL;
  check(chorale_learnt_potential(NULL, learnt, 0, 2, -1, &potential, &error), &error);
  words.potential = potential;
  corpus.offsets = offsets + DOCUMENTS - 1;
  corpus.chains = 1;
  check(chorale_decode(NULL, &corpus, &words, 1, NULL, &decoded, &error), &error);
  static const chorale_labelling labellings[] = {CHORALE_ALONE, CHORALE_TOGETHER};
  for (int k = 0; k < 2; ++k) {
    int32_t labels[LENGTH];
    int wrong = 0;
    check(chorale_decoded_labels(decoded, labellings[k], labels, LENGTH, NULL, &error), &error);
    for (int p = 0; p < LENGTH; ++p)
      wrong += labels[p] != gold[offsets[DOCUMENTS - 1] + p];
    printf("%s: %d of %d wrong\n", k == 0 ? "alone" : "together", wrong, LENGTH);
  }
  chorale_decoded_destroy(decoded);
  chorale_potential_release(potential);
  chorale_learnt_destroy(learnt);
  chorale_problem_destroy(problem);
  return 0;
}
