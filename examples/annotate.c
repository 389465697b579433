/* An annotator corrects one label of a tagger, and labels that depend on it change at once.
 *
 * Four sentences name Jordan. The tagger takes Jordan for a person in three of them, in two of
 * these without much confidence. The annotator says that Jordan is a place in the second sentence.
 * Only this edit is solved; in the other sentences the label of Jordan changes as far as their own
 * scores allow. Then the annotator undoes the edit. */
#include <chorale/chorale.h>

#include <stdio.h>
#include <stdlib.h>

enum { SENTENCES = 4, WORDS = 3, LABELS = 3 };
enum { OTHER, PERSON, PLACE };

static const char *const names[LABELS] = {"other", "person", "place"};

static const char *const words[SENTENCES][WORDS] = {
    {"Jordan", "signed", "it"}, {"from", "Jordan", "came"},
    {"Jordan", "was", "dry"}, {"Mr", "Jordan", "spoke"},
};
static const int64_t where[SENTENCES] = {0, 1, 0, 1}; /* the position of Jordan */

/* The log-scores of the tagger, by sentence, word and label. */
static const double scores[SENTENCES][WORDS][LABELS] = {
    {{0.0, 1.0, 0.8}, {2.0, 0.0, 0.0}, {2.0, 0.0, 0.0}},
    {{2.0, 0.0, 0.0}, {0.0, 0.9, 0.8}, {2.0, 0.0, 0.0}},
    {{0.0, 0.7, 1.2}, {2.0, 0.0, 0.0}, {2.0, 0.0, 0.0}},
    {{1.0, 0.5, 0.0}, {0.0, 6.0, 0.5}, {2.0, 0.0, 0.0}},
};

static void check(chorale_status status, const chorale_error *error) {
  if (status == CHORALE_OK)
    return;
  fprintf(stderr, "annotate: %s: %s\n", chorale_status_name(status), error->message);
  exit(EXIT_FAILURE);
}

static chorale_model *build(void) {
  chorale_error error;
  chorale_model_builder *builder = NULL;
  check(chorale_model_builder_create(NULL, &builder, &error), &error);
  for (int i = 0; i < SENTENCES; ++i) {
    chorale_chain chain = {.struct_size = sizeof chain};
    chain.length = WORDS;
    chain.labels = LABELS;
    chain.unary = scores[i];
    check(chorale_model_builder_add_chain(builder, &chain, NULL, NULL, &error), &error);
  }
  chorale_potential *agreement = NULL; /* (2 / n) sum_v n_v^2 */
  chorale_potential_options scaled = {.struct_size = sizeof scaled};
  scaled.scale = CHORALE_SCALE_BY_MEMBERS;
  check(chorale_potential_create_potts(NULL, LABELS, 2.0, &scaled, &agreement, &error), &error);
  chorale_clique_setup setup = {.struct_size = sizeof setup};
  setup.values = LABELS;
  setup.potential = agreement;
  int64_t clique = 0;
  check(chorale_model_builder_add_cliques(builder, &setup, 1, &clique, &error), &error);
  static const int64_t offsets[] = {0, SENTENCES}, sentences[SENTENCES] = {0, 1, 2, 3};
  chorale_members members = {.struct_size = sizeof members};
  members.first = clique;
  members.cliques = 1;
  members.offsets = offsets;
  members.chains = sentences;
  members.positions = where;
  check(chorale_model_builder_add_members(builder, &members, &error), &error);
  chorale_model *model = NULL;
  check(chorale_model_builder_freeze(builder, &model, &error), &error);
  chorale_model_builder_destroy(builder);
  chorale_potential_release(agreement);
  return model;
}

/* Solves the run, and prints the labels of Jordan in all sentences. */
static void solve(chorale_run *run, const char *title) {
  chorale_error error;
  chorale_run_result result = {.struct_size = sizeof result};
  check(chorale_run_solve(run, &result, &error), &error);
  printf("%s:", title);
  for (int i = 0; i < SENTENCES; ++i) {
    int32_t labels[WORDS];
    check(chorale_run_labels(run, i, CHORALE_TOGETHER, labels, WORDS, NULL, &error), &error);
    printf(" %s", names[labels[where[i]]]);
  }
  printf(", score %.2f\n", result.score);
}

int main(void) {
  for (int i = 0; i < SENTENCES; ++i)
    for (int t = 0; t < WORDS; ++t)
      printf("%s%s", words[i][t], t + 1 < WORDS ? " " : "\n");

  chorale_error error;
  chorale_model *model = build();
  chorale_run_options options = {.struct_size = sizeof options};
  options.edits = 1; /* so that labels can be forced, and a solve costs only what this changes */
  chorale_run *run = NULL;
  check(chorale_run_create(NULL, model, &options, NULL, &run, &error), &error);
  solve(run, "labelled");

  uint8_t only[LABELS] = {0};
  only[PLACE] = 1;
  check(chorale_run_set_allowed(run, 1, where[1], only, &error), &error);
  solve(run, "corrected");

  check(chorale_run_set_allowed(run, 1, where[1], NULL, &error), &error);
  solve(run, "undone");

  chorale_run_destroy(run);
  chorale_model_release(model);
  return EXIT_SUCCESS;
}
