/* Labels three mentions of one name together. By the tagger's scores two are places (label 0), and
 * the third is a person (label 1) by a small margin. Together, all three must be places. */
#include <chorale/chorale.h>

#include <stdio.h>

int main(void) {
  const double scores[3][2] = {{2.1, 0.3}, {1.9, 0.2}, {0.7, 0.9}};
  const int64_t offsets[] = {0, 1, 2, 3};
  const int32_t tokens[] = {5, 5, 5};
  int32_t labels[3];
  chorale_decoded *together = NULL;
  chorale_error error;

  chorale_corpus corpus = {.struct_size = sizeof corpus};
  corpus.chains = 3;
  corpus.offsets = offsets;
  corpus.labels = 2;
  corpus.unary = scores;
  corpus.tokens = tokens;
  chorale_agreement words = {.struct_size = sizeof words};

  if (chorale_decode(NULL, &corpus, &words, 1, NULL, &together, &error) ||
      chorale_decoded_labels(together, CHORALE_TOGETHER, labels, 3, NULL, &error)) {
    fprintf(stderr, "%s\n", error.message);
    return 1;
  }
  chorale_decoded_destroy(together);
  printf("Chorale %s: %d %d %d\n", chorale_version(), (int)labels[0], (int)labels[1], (int)labels[2]);
  return labels[0] || labels[1] || labels[2];
}
