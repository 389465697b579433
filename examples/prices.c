/* One name is mentioned in three documents, which no process has to hold together. Each document
 * has a model of its own; only a price and a count for each label pass between the documents. A
 * round never lowers the score of all documents together, but the result depends on the start.
 * Three starts are tried: prices of 0, under which every document is labelled by itself; the prices
 * that hold if every mention is a person; and those that hold if every mention is a place. */
#include <chorale/experimental.h>

#include <stdio.h>

enum { DOCUMENTS = 3, PERSON = 0, PLACE = 1, LABELS = 2, MENTIONS = 3 };

static int failed(chorale_status status, const chorale_error *error) {
  if (status != CHORALE_OK)
    fprintf(stderr, "%s: %s\n", chorale_status_name(status), error->message);
  return status != CHORALE_OK;
}

/* Opens a document: its mentions are chains of one position, all in one clique. Returns NULL on
 * failure. */
static chorale_prices *open_document(const double *scores, const chorale_potential *potential) {
  static const int64_t zero[] = {0};
  static const int64_t offsets[] = {0, MENTIONS}, chains[] = {0, 1, 2};
  chorale_error error;
  chorale_model_builder *builder = NULL;
  chorale_model *model = NULL;
  chorale_prices *prices = NULL;
  chorale_corpus corpus;
  chorale_clique_setup setup;
  chorale_members members;
  corpus = (chorale_corpus){.struct_size = sizeof corpus};
  corpus.chains = MENTIONS;
  corpus.labels = LABELS;
  corpus.unary = scores;
  setup = (chorale_clique_setup){.struct_size = sizeof setup};
  setup.values = LABELS;
  setup.potential = potential;
  members = (chorale_members){.struct_size = sizeof members};
  members.cliques = 1;
  members.offsets = offsets;
  members.chains = chains;
  (void)(failed(chorale_model_builder_create(NULL, &builder, &error), &error) ||
         failed(chorale_model_builder_add_corpus(builder, &corpus, NULL, &error), &error) ||
         failed(chorale_model_builder_add_cliques(builder, &setup, 1, NULL, &error), &error) ||
         failed(chorale_model_builder_add_members(builder, &members, &error), &error) ||
         failed(chorale_model_builder_freeze(builder, &model, &error), &error) ||
         failed(chorale_prices_create(NULL, model, zero, 1, NULL, &prices, &error), &error));
  chorale_model_release(model);
  chorale_model_builder_destroy(builder);
  return prices;
}

/* Does one round: solves every document under `prices`, adds up their counts, sets `prices` to the
 * prices at these counts, and *score to the score of all documents together. Returns 0 on
 * failure. */
static int do_round(chorale_prices *const *documents, const chorale_potential *potential,
                    double *prices, int64_t *counts, double *score) {
  chorale_error error;
  double agreement = 0;
  *score = 0;
  counts[PERSON] = counts[PLACE] = 0;
  for (int d = 0; d < DOCUMENTS; ++d) {
    int64_t found[LABELS];
    double part = 0;
    if (failed(chorale_prices_solve(documents[d], prices, LABELS, &part, NULL, &error), &error) ||
        failed(chorale_prices_counts(documents[d], found, LABELS, NULL, &error), &error))
      return 0;
    *score += part;
    for (int v = 0; v < LABELS; ++v)
      counts[v] += found[v];
  }
  if (failed(chorale_potential_prices(potential, counts, LABELS, DOCUMENTS * MENTIONS, prices,
                                      &agreement, &error),
             &error))
    return 0;
  *score += agreement;
  return 1;
}

int main(void) {
  static const char *const begins[] = {"alone", "all person", "all place"};
  static const double scores[DOCUMENTS][MENTIONS][LABELS] = {
      {{2, 0}, {1, 0}, {0.5, 0}}, {{1.5, 0}, {1, 0}, {0, 0.25}}, {{0, 0.5}, {0, 0.75}, {0, 1}}};
  enum { ALL = DOCUMENTS * MENTIONS };
  static const int64_t all[][LABELS] = {{0, 0}, {ALL, 0}, {0, ALL}};
  chorale_error error;
  chorale_potential *potential = NULL;
  chorale_potential_options scaled = {.struct_size = sizeof scaled};
  scaled.scale = CHORALE_SCALE_BY_MEMBERS;
  if (failed(chorale_potential_create_potts(NULL, LABELS, 1.0, &scaled, &potential, &error),
             &error))
    return 1;
  chorale_prices *documents[DOCUMENTS];
  int good = 1;
  for (int d = 0; d < DOCUMENTS; ++d)
    good = (documents[d] = open_document(scores[d][0], potential)) != NULL && good;
  for (int begin = 0; begin < 3 && good; ++begin) {
    double prices[LABELS] = {0, 0}, score = 0;
    int64_t counts[LABELS];
    if (begin > 0)
      good = !failed(chorale_potential_prices(potential, all[begin], LABELS, ALL, prices, NULL,
                                              &error),
                     &error);
    for (int round = 0; round < 3 && good; ++round)
      good = do_round(documents, potential, prices, counts, &score);
    if (good)
      printf("from %-10s  %d person, %d place, score %.2f\n", begins[begin],
             (int)counts[PERSON], (int)counts[PLACE], score);
  }
  for (int d = 0; d < DOCUMENTS; ++d)
    chorale_prices_destroy(documents[d]);
  chorale_potential_release(potential);
  return good ? 0 : 1;
}
