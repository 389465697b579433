/* Documents that no clique connects, solved in one run and each by itself: the labelling of a
 * document does not depend on the others, in any order of the chains. */
#include "fixture.h"

enum { MOST_DOCUMENTS = 12, MOST_SENTENCES = 5, MOST_LENGTH = 6, MOST_LABELS = 4, WORDS = 5 };

typedef struct Sentence {
  int32_t length, document;
  double unary[MOST_LENGTH * MOST_LABELS];
  int32_t tokens[MOST_LENGTH];
} Sentence;

typedef struct Corpus {
  int32_t labels, documents, sentences;
  double edges[MOST_LABELS * MOST_LABELS], strength;
  Sentence sentence[MOST_DOCUMENTS * MOST_SENTENCES];
} Corpus;

static void random_corpus(Random *random, Corpus *corpus) {
  corpus->labels = random_int(random, 2, MOST_LABELS);
  corpus->documents = random_int(random, 2, MOST_DOCUMENTS);
  corpus->sentences = 0;
  corpus->strength = 0.5 + 3 * random_unit(random);
  for (int32_t e = 0; e < MOST_LABELS * MOST_LABELS; ++e)
    corpus->edges[e] = 2 * random_unit(random) - 1;
  for (int32_t d = 0; d < corpus->documents; ++d)
    for (int32_t left = random_int(random, 1, MOST_SENTENCES); left > 0; --left) {
      Sentence *to = &corpus->sentence[corpus->sentences++];
      to->document = d;
      to->length = random_int(random, 1, MOST_LENGTH);
      for (int32_t t = 0; t < to->length; ++t) {
        to->tokens[t] = random_int(random, 0, WORDS - 1);
        for (int32_t y = 0; y < corpus->labels; ++y)
          to->unary[t * corpus->labels + y] = 4 * random_unit(random);
      }
    }
  /* In half of the rounds the sentences of documents are interleaved. */
  for (int32_t i = corpus->sentences - 1; i > 0 && corpus->documents % 2 == 0; --i) {
    const int32_t j = random_int(random, 0, i);
    const Sentence moved = corpus->sentence[i];
    corpus->sentence[i] = corpus->sentence[j];
    corpus->sentence[j] = moved;
  }
}

/* Solves the documents `first` to `last`. Returns the score and stores labels by sentence. */
static double solve_some(const Corpus *corpus, int32_t first, int32_t last,
                         int32_t (*labels)[MOST_LENGTH]) {
  chorale_error error;
  chorale_transitions *transitions = NULL;
  OK(chorale_transitions_create(NULL, corpus->labels, corpus->edges, NULL, &transitions, &error));
  chorale_potential_options scaled = {.struct_size = sizeof scaled};
  scaled.scale = CHORALE_SCALE_BY_MEMBERS;
  chorale_potential *potts = NULL;
  OK(chorale_potential_create_potts(NULL, corpus->labels, corpus->strength, &scaled, &potts,
                                    &error));
  chorale_model_builder *builder = NULL;
  OK(chorale_model_builder_create(NULL, &builder, &error));
  for (int32_t i = 0; i < corpus->sentences; ++i) {
    const Sentence *from = &corpus->sentence[i];
    if (from->document < first || from->document > last)
      continue;
    chorale_chain chain = {.struct_size = sizeof chain};
    chain.length = from->length;
    chain.labels = corpus->labels;
    chain.unary = from->unary;
    chain.transitions = transitions;
    chorale_chain_options options = {.struct_size = sizeof options};
    options.group = from->document;
    options.tokens = from->tokens;
    OK(chorale_model_builder_add_chain(builder, &chain, &options, NULL, &error));
  }
  OK(put_words(builder, potts, NULL, NULL, NULL, &error));
  chorale_model *model = NULL;
  OK(chorale_model_builder_freeze(builder, &model, &error));
  chorale_run_options options = {.struct_size = sizeof options};
  options.message_element = CHORALE_MESSAGES_FLOAT64;
  options.no_local_search = 1; /* the polish processes chains in batches */
  chorale_run *run = NULL;
  OK(chorale_run_create(NULL, model, &options, NULL, &run, &error));
  chorale_run_result result = {.struct_size = sizeof result};
  OK(chorale_run_solve(run, &result, &error));
  int64_t chain = 0;
  for (int32_t i = 0; i < corpus->sentences; ++i)
    if (corpus->sentence[i].document >= first && corpus->sentence[i].document <= last)
      OK(chorale_run_labels(run, chain++, CHORALE_TOGETHER, labels[i], MOST_LENGTH, NULL, &error));
  chorale_run_destroy(run);
  chorale_model_release(model);
  chorale_model_builder_destroy(builder);
  chorale_potential_release(potts);
  chorale_transitions_release(transitions);
  return result.score;
}

/* Rounds end if the labelling of all documents alternates between two; that of a single document
 * may alternate earlier or later. So exceptions are allowed. */
static void a_document_is_labelled_as_by_itself(void **state) {
  (void)state;
  Random random = {test_seed() + 61};
  static Corpus corpus;
  static int32_t together[MOST_DOCUMENTS * MOST_SENTENCES][MOST_LENGTH];
  static int32_t alone[MOST_DOCUMENTS * MOST_SENTENCES][MOST_LENGTH];
  int32_t documents = 0;
  int32_t same = 0;
  double together_sum = 0;
  double apart_sum = 0;
  for (int64_t round = 0; round < test_rounds(300); ++round) {
    random_corpus(&random, &corpus);
    const double score = solve_some(&corpus, 0, corpus.documents - 1, together);
    double sum = 0;
    for (int32_t d = 0; d < corpus.documents; ++d) {
      sum += solve_some(&corpus, d, d, alone);
      int32_t equal = 1;
      for (int32_t i = 0; i < corpus.sentences; ++i)
        for (int32_t t = 0; t < corpus.sentence[i].length; ++t)
          equal = equal && (corpus.sentence[i].document != d || alone[i][t] == together[i][t]);
      ++documents;
      same += equal;
    }
    together_sum += score;
    apart_sum += sum;
  }
  print_message("seed %llu: %d of %d documents labelled as by themselves; score %.9g, apart %.9g\n",
                (unsigned long long)test_seed(), same, documents, together_sum, apart_sum);
  assert_true(same >= documents - documents / 50);
  assert_true(together_sum >= apart_sum * (1 - 1e-5));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_document_is_labelled_as_by_itself)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
