/* Memory of models and runs: none is taken while a run goes, all of it comes from the host, what
 * was estimated holds, and the classical model of repeated words stays below twice its scores. */
#include "fixture_cluster.h"
#include "fixture_text.h"

static void one_after_another(void *user, int64_t count, int64_t workers,
                              chorale_parallel_body body, void *body_user) {
  (void)user;
  for (int64_t i = 0; i < count; ++i)
    body(body_user, i, i % workers);
}

static void use_the_run(const Cluster *cluster, chorale_run *run, Said *said) {
  chorale_error error;
  OK(chorale_run_step(run, NULL, &error));
  OK(chorale_run_step(run, NULL, &error));
  OK(chorale_run_polish(run, NULL, &error));
  OK(chorale_run_solve(run, NULL, &error));
  if (cluster->options.bound_steps > 0)
    OK(chorale_run_bound(run, 2, NULL, &error));
  listen_to(cluster, run, said);
  OK(chorale_run_set_limits(run, 10, NULL, &error));
}

static void a_run_allocates_nothing(void **state) {
  (void)state;
  if (!memory_is_counted())
    skip();
  memory_canary();
  static Cluster cluster;
  static Built built;
  static Said said;
  Random random = {test_seed() + 51};
  for (int64_t round = 0; round < test_rounds(500); ++round) {
    random_cluster(&random, &cluster);
    memset(cluster.is_instance, 0, sizeof cluster.is_instance); /* the tests' own ones allocate */
    cluster.options.threads = 1;
    if (round % 4 == 0) {
      cluster.options.threads = 3;
      cluster.options.executor = one_after_another;
    }
    build(&cluster, NULL, &built);
    chorale_error error;
    chorale_run *run = NULL;
    OK(chorale_run_create(NULL, built.model, &cluster.options, NULL, &run, &error));
    const int64_t before = memory_allocations();
    use_the_run(&cluster, run, &said);
    chorale_run_reset(run);
    use_the_run(&cluster, run, &said);
    const int64_t after = memory_allocations();
    if (after != before) {
      dump_cluster(stderr, &cluster);
      fail_msg("CHORALE_TEST_SEED=%llu, round %lld: %lld allocations",
               (unsigned long long)test_seed(), (long long)round, (long long)(after - before));
    }
    chorale_run_destroy(run);
    close_built(&cluster, &built);
  }
}

/* Nothing is left behind, and no block comes from elsewhere than the host. */
static void all_memory_comes_from_the_host(void **state) {
  (void)state;
  static Cluster cluster;
  static Built built;
  static Said said;
  Random random = {test_seed() + 52};
  for (int64_t round = 0; round < test_rounds(200); ++round) {
    random_cluster(&random, &cluster);
    memset(cluster.is_instance, 0, sizeof cluster.is_instance);
    cluster.options.threads = 1;
    CountingAllocator allocator;
    counting_allocator_init(&allocator);
    chorale_host host;
    chorale_host_init(&host, sizeof host);
    host.allocator = &allocator.hooks;
    chorale_error error;
    open_parts(&cluster, NULL, &built);
    const int64_t before = memory_allocations();
    chorale_model_builder *builder = NULL;
    OK(chorale_model_builder_create(&host, &builder, &error));
    OK(add_chains(&cluster, &built, builder, &error));
    OK(add_cliques(&cluster, &built, builder, &error));
    OK(chorale_model_builder_freeze(builder, &built.model, &error));
    chorale_model_builder_destroy(builder);
    const int64_t of_model = allocator.live_bytes;
    chorale_run *run = NULL;
    OK(chorale_run_create(&host, built.model, &cluster.options, NULL, &run, &error));
    use_the_run(&cluster, run, &said);
    const int64_t of_run = allocator.live_bytes - of_model;
    const int64_t after = memory_allocations();
    if (memory_is_counted())
      assert_int_equal(after - before, allocator.allocations);

    chorale_run_cost cost;
    chorale_run_cost_init(&cost, sizeof cost);
    OK(chorale_run_estimate(built.model, &cluster.options, &cost, &error));
    if (of_run > (int64_t)cost.run_bytes ||
        (!cluster.options.restrict_range && of_run != (int64_t)cost.run_bytes)) {
      dump_cluster(stderr, &cluster);
      fail_msg("a run of %lld bytes was estimated at %zu", (long long)of_run, cost.run_bytes);
    }
    if (of_model != (int64_t)chorale_model_bytes(built.model)) {
      dump_cluster(stderr, &cluster);
      fail_msg("a model of %lld bytes says it has %zu", (long long)of_model,
               chorale_model_bytes(built.model));
    }
    assert_int_equal(cost.model_bytes, chorale_model_bytes(built.model));
    assert_int_equal(cost.score_bytes, chorale_model_score_bytes(built.model));
    assert_true(cost.chain_steps >= 0 && isfinite(cost.chain_steps));
    double scores = 0;
    for (int32_t c = 0; c < cluster.clique_count; ++c)
      scores += plain_members(&cluster.cliques[c]) * cluster.cliques[c].values;
    assert_true(cost.clique_scores >= scores && isfinite(cost.clique_scores));
    chorale_run_destroy(run);
    close_built(&cluster, &built);
    assert_int_equal(allocator.live, 0);
    assert_int_equal(allocator.live_bytes, 0);
    assert_int_equal(allocator.mistakes, 0);
  }
}

/* ---- The classical model at size ---------------------------------------------------------- */

/* Words of a corpus in the format of the shared data; records are chains, domains groups. */
typedef struct Corpus {
  char *bytes;
  int64_t chains, positions, groups, words;
  int64_t *first, *group;
  const char **token;
  int32_t *word, *stop;
  int64_t stop_count;
  double *scores;
} Corpus;

enum { CORPUS_LABELS = 9, STOP_WORDS = 100, COPIES = 10 };

static void *room(int64_t count, size_t size) {
  void *memory = calloc((size_t)count + 1, size);
  assert_non_null(memory);
  return memory;
}

static int compare_texts(const void *a, const void *b) {
  const char **const *x = a;
  const char **const *y = b;
  return strcmp(**x, **y);
}

typedef struct Frequency {
  int64_t occurrences;
  int32_t word;
} Frequency;

static int compare_frequencies(const void *a, const void *b) {
  const Frequency *x = a, *y = b;
  if (x->occurrences != y->occurrences)
    return x->occurrences > y->occurrences ? -1 : 1;
  return x->word < y->word ? -1 : 1;
}

static int read_corpus(const char *path, Corpus *corpus) {
  memset(corpus, 0, sizeof *corpus);
  FILE *file = fopen(path, "rb");
  if (!file)
    return 0;
  (void)fseek(file, 0, SEEK_END);
  const long size = ftell(file);
  (void)fseek(file, 0, SEEK_SET);
  corpus->bytes = room(size, 1);
  const size_t got = fread(corpus->bytes, 1, (size_t)size, file);
  (void)fclose(file);
  int64_t lines = 1;
  for (size_t i = 0; i < got; ++i)
    lines += corpus->bytes[i] == '\n';
  corpus->first = room(lines, sizeof *corpus->first);
  corpus->group = room(lines, sizeof *corpus->group);
  corpus->token = room(lines, sizeof *corpus->token);
  for (char *line = corpus->bytes; line && *line;) {
    char *end = strchr(line, '\n');
    char *tab = strchr(line, '\t');
    if (end)
      *end = '\0';
    if (tab && (!end || tab < end)) {
      *tab = '\0';
      corpus->token[corpus->positions++] = line;
    } else if (strncmp(line, "# domain: ", 10) == 0) {
      ++corpus->groups;
    } else if (*line == '\0' && corpus->positions > corpus->first[corpus->chains]) {
      corpus->group[corpus->chains] = corpus->groups;
      corpus->first[++corpus->chains] = corpus->positions;
    }
    line = end ? end + 1 : NULL;
  }
  corpus->positions = corpus->first[corpus->chains];
  return corpus->chains > 0;
}

static void number_words(Corpus *corpus) {
  const int64_t n = corpus->positions;
  const char ***order = room(n, sizeof *order);
  corpus->word = room(n, sizeof *corpus->word);
  for (int64_t t = 0; t < n; ++t)
    order[t] = &corpus->token[t];
  qsort(order, (size_t)n, sizeof *order, compare_texts);
  Frequency *frequencies = room(n, sizeof *frequencies);
  for (int64_t k = 0; k < n; ++k) {
    if (k > 0 && strcmp(*order[k], *order[k - 1]) != 0)
      ++corpus->words;
    const int32_t word = (int32_t)corpus->words;
    corpus->word[order[k] - corpus->token] = word;
    frequencies[word].word = word;
    ++frequencies[word].occurrences;
  }
  ++corpus->words;
  qsort(frequencies, (size_t)corpus->words, sizeof *frequencies, compare_frequencies);
  corpus->stop = room(STOP_WORDS, sizeof *corpus->stop);
  for (; corpus->stop_count < STOP_WORDS && corpus->stop_count < corpus->words;
       ++corpus->stop_count)
    corpus->stop[corpus->stop_count] = frequencies[corpus->stop_count].word;
  free(frequencies);
  free((void *)order);
  corpus->scores = room(n * CORPUS_LABELS, sizeof *corpus->scores);
  Random random = {test_seed() + 53};
  for (int64_t e = 0; e < n * CORPUS_LABELS; ++e)
    corpus->scores[e] = 3 * random_unit(&random);
}

static void close_corpus(Corpus *corpus) {
  free(corpus->bytes);
  free(corpus->first);
  free(corpus->group);
  free((void *)corpus->token);
  free(corpus->word);
  free(corpus->stop);
  free(corpus->scores);
}

/* Bytes of model, run and scores over those of the scores. */
static double weigh(const Corpus *corpus, int32_t borrow, int32_t across, int32_t with_stop,
                    chorale_number number) {
  chorale_error error;
  CountingAllocator allocator;
  counting_allocator_init(&allocator);
  chorale_host host;
  chorale_host_init(&host, sizeof host);
  host.allocator = &allocator.hooks;
  chorale_transitions *transitions = NULL;
  double matrix[CORPUS_LABELS * CORPUS_LABELS];
  for (int32_t e = 0; e < CORPUS_LABELS * CORPUS_LABELS; ++e)
    matrix[e] = e % 7 * 0.1;
  OK(chorale_transitions_create(NULL, CORPUS_LABELS, matrix, NULL, &transitions, &error));
  chorale_potential *potential = NULL;
  chorale_potential_options scaled;
  chorale_potential_options_init(&scaled, sizeof scaled);
  scaled.scale = CHORALE_SCALE_BY_MEMBERS;
  OK(chorale_potential_create_potts(NULL, CORPUS_LABELS, 1.5, &scaled, &potential, &error));
  chorale_model_builder *builder = NULL;
  OK(chorale_model_builder_create(&host, &builder, &error));
  /* The documents several times over, or what a model takes at least would weigh too much. */
  for (int64_t k = 0; k < COPIES * corpus->chains; ++k) {
    const int64_t i = k % corpus->chains;
    chorale_chain chain;
    chorale_chain_init(&chain, sizeof chain);
    chain.length = corpus->first[i + 1] - corpus->first[i];
    chain.labels = CORPUS_LABELS;
    chain.unary = corpus->scores + corpus->first[i] * CORPUS_LABELS;
    chain.transitions = transitions;
    chorale_chain_options options;
    chorale_chain_options_init(&options, sizeof options);
    options.borrow = borrow;
    options.group = corpus->group[i] + k / corpus->chains * (corpus->groups + 1);
    options.tokens = corpus->word + corpus->first[i];
    OK(chorale_model_builder_add_chain(builder, &chain, &options, NULL, &error));
  }
  chorale_repeated_words_options words;
  chorale_repeated_words_options_init(&words, sizeof words);
  words.across = across;
  if (with_stop) {
    words.stop = corpus->stop;
    words.stop_count = corpus->stop_count;
  }
  int64_t cliques = 0;
  OK(chorale_model_builder_add_repeated_words(builder, potential, &words, NULL, &cliques, &error));
  chorale_model *model = NULL;
  OK(chorale_model_builder_freeze(builder, &model, &error));
  chorale_model_builder_destroy(builder);
  chorale_run_options options;
  chorale_run_options_init(&options, sizeof options);
  options.message_number = number;
  options.rounds = 2;
  chorale_run *run = NULL;
  OK(chorale_run_create(&host, model, &options, NULL, &run, &error));
  chorale_run_result result;
  chorale_run_result_init(&result, sizeof result);
  OK(chorale_run_solve(run, &result, &error));
  assert_true(result.score > result.own_score);
  const double scores = (double)(COPIES * corpus->positions * CORPUS_LABELS) * sizeof(double);
  assert_int_equal(chorale_model_score_bytes(model), (int64_t)scores);
  const double ratio = ((double)allocator.live_bytes + (borrow ? scores : 0)) / scores;
  print_message("%s, %s, %s, %s: %lld cliques of %lld members, %lld rounds, score %.6g from %.6g, "
                "bytes over scores %.3f\n",
                borrow ? "borrowed" : "copied", across ? "across" : "within documents",
                with_stop ? "stop words" : "all words",
                number == CHORALE_FLOAT32 ? "float32" : "float64", (long long)cliques,
                (long long)chorale_model_members(model), (long long)result.rounds, result.score,
                result.own_score, ratio);
  chorale_run_destroy(run);
  chorale_model_release(model);
  chorale_potential_release(potential);
  chorale_transitions_release(transitions);
  assert_int_equal(allocator.live_bytes, 0);
  return ratio;
}

static void the_classical_model_takes_twice_its_scores(void **state) {
  (void)state;
  Corpus corpus;
  if (!read_corpus(SHARED_DATA "/wikigold/data.conll", &corpus)) {
    print_message("no " SHARED_DATA "/wikigold\n");
    skip();
  }
  number_words(&corpus);
  print_message("%lld chains, %lld positions, %lld words, %lld documents\n",
                (long long)corpus.chains, (long long)corpus.positions, (long long)corpus.words,
                (long long)corpus.groups);
  /* Within documents; function words and punctuation make no cliques. */
  const double copied = weigh(&corpus, 0, 0, 1, CHORALE_FLOAT64);
  const double borrowed = weigh(&corpus, 1, 0, 1, CHORALE_FLOAT64);
  /* Where most positions are in cliques, messages are nearly as many as scores, both ways: told,
   * not demanded. */
  (void)weigh(&corpus, 1, 0, 0, CHORALE_FLOAT32);
  close_corpus(&corpus);
  assert_true(copied <= 2);
  assert_true(borrowed <= 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_run_allocates_nothing),
      cmocka_unit_test(all_memory_comes_from_the_host),
      cmocka_unit_test(the_classical_model_takes_twice_its_scores),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
