/* Models: what a builder makes of its arguments, copies and borrowed arrays, repeated words,
 * refused memory while building. Invalid input is tested in test_model_input.c. */
#include "fixture_cluster.h"
#include "fixture_held.h"

static void count_parts(void **state) {
  (void)state;
  static Cluster cluster;
  static Built built;
  Random random = {test_seed() + 21};
  for (int64_t round = 0; round < test_rounds(300); ++round) {
    random_cluster(&random, &cluster);
    build(&cluster, NULL, &built);
    const chorale_model *model = built.model;
    chorale_error error;
    int64_t members = 0;
    assert_int_equal(chorale_model_chain_count(model), cluster.chain_count);
    assert_int_equal(chorale_model_clique_count(model), cluster.clique_count);
    size_t scores = 0, copied = 0;
    for (int32_t i = 0; i < cluster.chain_count; ++i) {
      const Sample *sample = &cluster.chains[i];
      assert_int_equal(chain_length_of(model, i), sample->length);
      if (cluster.is_instance[i])
        continue;
      const size_t bytes = (size_t)(sample->length * sample->labels) *
                           (sample->element == CHORALE_FLOAT32 ? sizeof(float) : sizeof(double));
      scores += bytes;
      copied += cluster.is_borrowed[i] ? 0 : bytes;
    }
    assert_true(cost_of_model(model).score_bytes >= scores);
    assert_true(cost_of_model(model).model_bytes > copied);
    for (int32_t c = 0; c < cluster.clique_count; ++c) {
      const Group *group = &cluster.cliques[c];
      members += group->member_count;
      assert_int_equal(member_count_of(model, c), group->member_count);
      int64_t *all = malloc((size_t)(3 * group->member_count + 1) * sizeof *all), needed = -1;
      int64_t *at = all + group->member_count, *weights = at + group->member_count;
      assert_non_null(all);
      OK(chorale_model_get_members(model, c, all, at, weights, group->member_count, &needed,
                                   &error));
      assert_int_equal(needed, group->member_count);
      for (int32_t k = 0; k < group->member_count; ++k) {
        assert_int_equal(all[k], group->members[k].chain);
        assert_int_equal(at[k], group->members[k].position);
        assert_int_equal(weights[k], 1);
      }
      free(all);
    }
    assert_int_equal(all_member_count(model), members);
    close_built(&cluster, &built);
  }
  assert_int_equal(chorale_model_chain_count(NULL), 0);
  assert_int_equal(chorale_model_clique_count(NULL), 0);
  assert_int_equal(chain_length_of(NULL, 0), 0);
}

/* ---- Copies and references ---------------------------------------------------------------- */

static void solve_model(const Cluster *cluster, const chorale_model *model, Said *said) {
  chorale_error error;
  chorale_run *run = NULL;
  OK(chorale_run_create(NULL, model, &cluster->options, NULL, &run, &error));
  OK(chorale_run_solve(run, NULL, &error));
  listen_to(cluster, run, said);
  chorale_run_destroy(run);
}

/* Overwrites all arrays passed to the builder. */
static void scribble(Cluster *lent, Built *built) {
  for (int32_t i = 0; i < lent->chain_count; ++i) {
    Given *given = &built->given[i];
    chorale_transitions *transitions = given->transitions;
    memset(given, 0x7F, sizeof *given);
    given->transitions = transitions;
  }
  memset(lent->tokens, 0x7F, sizeof lent->tokens);
  for (int32_t c = 0; c < lent->clique_count; ++c)
    for (int32_t k = 0; k < MOST_TOGETHER; ++k) {
      memset(lent->cliques[c].members[k].table, 0x7F, sizeof lent->cliques[c].members[k].table);
      memset(lent->cliques[c].members[k].classes, 0x7F, sizeof lent->cliques[c].members[k].classes);
    }
}

/* Models with copied and with borrowed scores give the same bits. Before the run, all handles
 * passed to the builder are released and all copied arrays overwritten. */
static void copies_and_loans_give_the_same_bits(void **state) {
  (void)state;
  static Cluster cluster, lent;
  static Built built;
  static Said said[2];
  Random random = {test_seed() + 22};
  for (int64_t round = 0; round < test_rounds(300); ++round) {
    random_cluster(&random, &cluster);
    memset(cluster.is_instance, 0, sizeof cluster.is_instance);
    for (int way = 0; way < 2; ++way) {
      for (int32_t i = 0; i < cluster.chain_count; ++i) {
        cluster.is_borrowed[i] = way;
        cluster.chains[i].is_borrowed = 0; /* the transitions' own loan */
      }
      lent = cluster;
      build(&lent, NULL, &built);
      chorale_model *model = built.model;
      built.model = NULL;
      if (way == 0)
        scribble(&lent, &built);
      close_built(&cluster, &built);
      solve_model(&cluster, model, &said[way]);
      chorale_model_release(model);
    }
    const char *why = compare_said(&cluster, &said[0], &said[1]);
    if (why) {
      dump_cluster(stderr, &cluster);
      fail_msg("CHORALE_TEST_SEED=%llu, round %lld: copied and borrowed: %s",
               (unsigned long long)test_seed(), (long long)round, why);
    }
  }
}

static void a_run_keeps_its_model(void **state) {
  (void)state;
  static Cluster cluster;
  static Built built;
  static Said kept, plain;
  Random random = {test_seed() + 23};
  for (int64_t round = 0; round < test_rounds(50); ++round) {
    random_cluster(&random, &cluster);
    CountingAllocator allocator;
    counting_allocator_init(&allocator);
    chorale_host host = {.struct_size = sizeof host};
    host.allocator = &allocator.hooks;
    build(&cluster, &host, &built);
    chorale_error error;
    solve_model(&cluster, built.model, &plain);
    chorale_run *run = NULL;
    OK(chorale_run_create(&host, built.model, &cluster.options, NULL, &run, &error));
    assert_ptr_equal(chorale_model_retain(built.model), built.model);
    chorale_model_release(built.model);
    chorale_model_release(built.model);
    built.model = NULL;
    OK(chorale_run_solve(run, NULL, &error));
    listen_to(&cluster, run, &kept);
    chorale_run_destroy(run);
    assert_null(compare_said(&cluster, &kept, &plain));
    close_built(&cluster, &built);
    assert_int_equal(allocator.live, 0);
    assert_int_equal(allocator.live_bytes, 0);
    assert_int_equal(allocator.mistakes, 0);
  }
  assert_null(chorale_model_retain(NULL));
  chorale_model_release(NULL);
  chorale_model_builder_destroy(NULL);
  chorale_run_destroy(NULL);
  chorale_run_reset(NULL);
}

/* ---- Running out of memory ---------------------------------------------------------------- */

/* Repeats every call with its first, second, third .. allocation refused until it succeeds; the
 * model must equal one built without refusals. */
typedef struct Sweep {
  CountingAllocator allocator;
  int64_t failures;
} Sweep;

static int again(Sweep *sweep, chorale_status status, const chorale_error *error, int64_t *at) {
  sweep->allocator.fail_at = 0;
  if (status == CHORALE_OK)
    return 0;
  if (status != CHORALE_ERROR_OUT_OF_MEMORY || error->message[0] == '\0')
    fail_msg("%s: \"%s\" where memory was refused", chorale_status_name(status), error->message);
  ++sweep->failures;
  sweep->allocator.fail_at = ++*at;
  return 1;
}

/* Repeats a call until it succeeds. */
#define SWEEP(call)                                                                                \
  do {                                                                                             \
    int64_t at = 1;                                                                                \
    sweep.allocator.fail_at = at;                                                                  \
    while (again(&sweep, (call), &error, &at))                                                     \
      ;                                                                                            \
  } while (0)

static void nothing_is_lost_when_memory_runs_out(void **state) {
  (void)state;
  static Cluster cluster;
  static Built built, swept;
  static Said plain, said;
  Random random = {test_seed() + 24};
  int64_t failures = 0;
  for (int64_t round = 0; round < test_rounds(40); ++round) {
    random_cluster(&random, &cluster);
    memset(cluster.is_instance, 0, sizeof cluster.is_instance);
    cluster.options.threads = 1;
    build(&cluster, NULL, &built);
    solve_model(&cluster, built.model, &plain);
    Sweep sweep;
    memset(&sweep, 0, sizeof sweep);
    counting_allocator_init(&sweep.allocator);
    chorale_host host = {.struct_size = sizeof host};
    host.allocator = &sweep.allocator.hooks;
    chorale_error error;
    open_parts(&cluster, NULL, &swept);
    chorale_model_builder *builder = NULL;
    SWEEP(chorale_model_builder_create(&host, &builder, &error));
    for (int32_t i = 0; i < cluster.chain_count; ++i) {
      chorale_chain_options options = {.struct_size = sizeof options};
      options.borrow = cluster.is_borrowed[i];
      options.tokens = cluster.has_tokens[i] ? cluster.tokens[i] : NULL;
      SWEEP(
          chorale_model_builder_add_chain(builder, &swept.given[i].chain, &options, NULL, &error));
    }
    for (int32_t c = 0; c < cluster.clique_count; ++c) {
      const Group *group = &cluster.cliques[c];
      chorale_clique_setup setup;
      const chorale_potential *centre[MOST_CENTRES];
      for (int32_t k = 0; k < MOST_CENTRES; ++k)
        centre[k] = swept.potentials[c][k];
      describe_group(group, &swept.uses[c], centre, &setup);
      SWEEP(chorale_model_builder_add_cliques(builder, &setup, 1, NULL, &error));
      for (int32_t k = 0; k < group->member_count; ++k)
        SWEEP(add_one_member(&cluster, &swept, builder, c, k, &error));
    }
    SWEEP(chorale_model_builder_freeze(builder, &swept.model, &error));
    chorale_model_builder_destroy(builder);
    chorale_run *run = NULL;
    SWEEP(chorale_run_create(&host, swept.model, &cluster.options, NULL, &run, &error));
    OK(chorale_run_solve(run, NULL, &error));
    listen_to(&cluster, run, &said);
    chorale_run_destroy(run);
    const char *why = compare_said(&cluster, &plain, &said);
    if (why) {
      dump_cluster(stderr, &cluster);
      fail_msg("after refusals: %s", why);
    }
    close_built(&cluster, &swept);
    assert_int_equal(sweep.allocator.live, 0);
    assert_int_equal(sweep.allocator.live_bytes, 0);
    assert_int_equal(sweep.allocator.mistakes, 0);
    failures += sweep.failures;
    close_built(&cluster, &built);
  }
  assert_true(failures > 0);
}

/* A builder that is destroyed before freezing, with or without refused memory, leaks nothing. */
static void an_unfinished_builder_leaves_nothing(void **state) {
  (void)state;
  static Cluster cluster;
  static Built built;
  Random random = {test_seed() + 25};
  for (int64_t round = 0; round < test_rounds(100); ++round) {
    random_cluster(&random, &cluster);
    CountingAllocator allocator;
    counting_allocator_init(&allocator);
    chorale_host host = {.struct_size = sizeof host};
    host.allocator = &allocator.hooks;
    chorale_error error;
    open_parts(&cluster, NULL, &built);
    chorale_model_builder *builder = NULL;
    OK(chorale_model_builder_create(&host, &builder, &error));
    allocator.fail_at = random_int(&random, 0, 40);
    if (add_chains(&cluster, &built, builder, &error) == CHORALE_OK)
      (void)add_cliques(&cluster, &built, builder, &error);
    chorale_model_builder_destroy(builder);
    close_built(&cluster, &built);
    assert_int_equal(allocator.live, 0);
    assert_int_equal(allocator.live_bytes, 0);
    assert_int_equal(allocator.mistakes, 0);
  }
}

/* ---- Repeated words ----------------------------------------------------------------------- */

enum { WORD_CHAINS = 9, WORD_LENGTH = 7, WORDS = 8, WORD_LABELS = 3 };

typedef struct Corpus {
  int32_t lengths[WORD_CHAINS];
  int64_t groups[WORD_CHAINS];
  int has_tokens[WORD_CHAINS];
  int32_t tokens[WORD_CHAINS][WORD_LENGTH];
  double scores[WORD_CHAINS][WORD_LENGTH * WORD_LABELS];
} Corpus;

static void random_corpus(Random *random, Corpus *corpus) {
  for (int32_t i = 0; i < WORD_CHAINS; ++i) {
    corpus->lengths[i] = random_int(random, 0, WORD_LENGTH);
    corpus->groups[i] = random_int(random, -1, 1) * INT64_C(5000000000);
    corpus->has_tokens[i] = random_chance(random, 90);
    for (int32_t t = 0; t < WORD_LENGTH; ++t) {
      corpus->tokens[i][t] = random_int(random, -1, WORDS - 1);
      for (int32_t y = 0; y < WORD_LABELS; ++y)
        corpus->scores[i][t * WORD_LABELS + y] = random_unit(random);
    }
  }
  corpus->has_tokens[0] = 1;
}

static chorale_model_builder *corpus_builder(const Corpus *corpus) {
  chorale_error error;
  chorale_model_builder *builder = NULL;
  OK(chorale_model_builder_create(NULL, &builder, &error));
  for (int32_t i = 0; i < WORD_CHAINS; ++i) {
    chorale_chain chain = {.struct_size = sizeof chain};
    chain.length = corpus->lengths[i];
    chain.labels = WORD_LABELS;
    chain.unary = corpus->scores[i];
    chorale_chain_options options = {.struct_size = sizeof options};
    options.group = corpus->groups[i];
    options.tokens = corpus->has_tokens[i] ? corpus->tokens[i] : NULL;
    OK(chorale_model_builder_add_chain(builder, &chain, &options, NULL, &error));
  }
  return builder;
}

static int is_stopped(const chorale_agreement *words, int32_t token) {
  for (int64_t k = 0; k < words->stop_count; ++k)
    if (words->stop[k] == token)
      return 1;
  return 0;
}

/* Adds the cliques of repeated words one by one: by group in ascending order, then by token. */
static int64_t add_words(const Corpus *corpus, const chorale_agreement *words,
                         chorale_clique_setup setup, chorale_model_builder *builder) {
  chorale_error error;
  int64_t made = 0;
  for (int32_t g = -1; g <= 1; ++g)
    for (int32_t token = 0; token < WORDS; ++token) {
      if (is_stopped(words, token) || (words->across && g > -1))
        continue;
      int64_t occurrences = 0;
      int64_t clique = -1;
      for (int pass = 0; pass < 2; ++pass) {
        if (pass == 1) {
          if (occurrences < words->minimum || occurrences == 0)
            break;
          OK(chorale_model_builder_add_cliques(builder, &setup, 1, &clique, &error));
          ++made;
        }
        for (int32_t i = 0; i < WORD_CHAINS; ++i)
          for (int32_t t = 0; t < corpus->lengths[i]; ++t)
            if (corpus->has_tokens[i] && corpus->tokens[i][t] == token &&
                (words->across || corpus->groups[i] == g * INT64_C(5000000000))) {
              if (pass == 0)
                ++occurrences;
              else
                OK(put_position(builder, clique, i, t, &error));
            }
      }
    }
  return made;
}

static void expect_same_models(const chorale_model *a, const chorale_model *b) {
  chorale_error error;
  assert_int_equal(chorale_model_clique_count(a), chorale_model_clique_count(b));
  assert_int_equal(all_member_count(a), all_member_count(b));
  for (int64_t c = 0; c < chorale_model_clique_count(a); ++c) {
    enum { MOST_WORDS = 256 };
    int64_t chains[2][MOST_WORDS], positions[2][MOST_WORDS], counts[2];
    for (int m = 0; m < 2; ++m)
      OK(chorale_model_get_members(m ? b : a, c, chains[m], positions[m], NULL, MOST_WORDS,
                                   &counts[m], &error));
    assert_int_equal(counts[0], counts[1]);
    assert_memory_equal(chains[0], chains[1], (size_t)counts[0] * sizeof chains[0][0]);
    assert_memory_equal(positions[0], positions[1], (size_t)counts[0] * sizeof positions[0][0]);
  }
  chorale_run_result results[2];
  for (int way = 0; way < 2; ++way) {
    chorale_run *run = NULL;
    results[way] = (chorale_run_result){.struct_size = sizeof results[way]};
    OK(chorale_run_create(NULL, way == 0 ? a : b, NULL, NULL, &run, &error));
    OK(chorale_run_solve(run, &results[way], &error));
    chorale_run_destroy(run);
  }
  assert_memory_equal(&results[0], &results[1], sizeof results[0]);
}

static void repeated_words_are_cliques_of_positions(void **state) {
  (void)state;
  Random random = {test_seed() + 26};
  for (int64_t round = 0; round < test_rounds(200); ++round) {
    static Corpus corpus;
    random_corpus(&random, &corpus);
    const int32_t stop[] = {6, 2, 6, 99};
    const int32_t label_values[] = {1, -1, 0};
    chorale_agreement words = {.struct_size = sizeof words};
    chorale_clique_setup setup = {.struct_size = sizeof setup};
    assert_int_equal(words.across, 0);
    words.minimum = random_int(&random, 1, 6);
    words.across = random_chance(&random, 50);
    if (random_chance(&random, 50)) {
      words.stop = stop;
      words.stop_count = (int64_t)COUNT_OF(stop);
    }
    if (random_chance(&random, 40)) {
      setup.label_values = label_values;
      setup.labels = WORD_LABELS;
      setup.values = 2;
    }
    chorale_error error;
    chorale_potential *potential = NULL;
    chorale_potential_options scaled = {.struct_size = sizeof scaled};
    scaled.scale = CHORALE_SCALE_BY_MEMBERS;
    OK(chorale_potential_create_potts(NULL, setup.label_values ? 2 : WORD_LABELS, 0.8, &scaled,
                                      &potential, &error));
    setup.potential = potential;
    chorale_model_builder *builder = corpus_builder(&corpus);
    chorale_model_builder *other = corpus_builder(&corpus);
    int64_t first = -1, count = -1;
    OK(chorale_model_builder_add_repeated_words(builder, &setup, &words, &first, &count, &error));
    assert_int_equal(first, 0);
    assert_int_equal(count, add_words(&corpus, &words, setup, other));
    chorale_model *model = NULL, *own = NULL;
    OK(chorale_model_builder_freeze(builder, &model, &error));
    OK(chorale_model_builder_freeze(other, &own, &error));
    expect_same_models(model, own);
    chorale_model_release(model);
    chorale_model_release(own);
    chorale_model_builder_destroy(builder);
    chorale_model_builder_destroy(other);
    chorale_potential_release(potential);
  }
}

/* ---- Cliques without members -------------------------------------------------------------- */

typedef struct Heard {
  int64_t warnings, others;
  char last[256];
} Heard;

static void hear(void *user, chorale_log_level level, const char *message) {
  Heard *heard = user;
  *(level == CHORALE_LOG_WARNING ? &heard->warnings : &heard->others) += 1;
  (void)snprintf(heard->last, sizeof heard->last, "%s", message);
}

static void an_empty_clique_is_warned_of(void **state) {
  (void)state;
  chorale_error error;
  Heard heard = {0};
  chorale_host host = {.struct_size = sizeof host};
  host.log = hear;
  host.log_user = &heard;
  chorale_potential *potential = NULL;
  OK(chorale_potential_create_potts(NULL, 2, 1, NULL, &potential, &error));
  chorale_model_builder *builder = NULL;
  OK(chorale_model_builder_create(&host, &builder, &error));
  const double scores[2] = {0, 1};
  chorale_chain chain = {.struct_size = sizeof chain};
  chain.length = 1;
  chain.labels = 2;
  chain.unary = scores;
  OK(chorale_model_builder_add_chain(builder, &chain, NULL, NULL, &error));
  chorale_clique_setup setup = {.struct_size = sizeof setup};
  setup.values = 2;
  setup.potential = potential;
  for (int64_t c = 0; c < 3; ++c)
    OK(chorale_model_builder_add_cliques(builder, &setup, 1, NULL, &error));
  OK(put_position(builder, 0, 0, 0, &error));
  OK(put_position(builder, 2, 0, 0, &error));
  chorale_model *model = NULL;
  OK(chorale_model_builder_freeze(builder, &model, &error));
  assert_int_equal(heard.warnings, 1);
  assert_non_null(strstr(heard.last, "clique 1"));
  chorale_run *run = NULL;
  OK(chorale_run_create(NULL, model, NULL, NULL, &run, &error));
  chorale_run_result result = {.struct_size = sizeof result};
  OK(chorale_run_solve(run, &result, &error));
  assert_true(result.score == 3);
  static const int32_t labelling[] = {0};
  double of_cliques[3] = {NAN, NAN, NAN};
  OK(chorale_model_score(NULL, model, labelling, 1, NULL, NULL, of_cliques, &error));
  assert_true(of_cliques[1] == 0);
  OK(chorale_run_values(run, 1, CHORALE_TOGETHER, NULL, 0, NULL, &error));
  chorale_run_destroy(run);
  chorale_model_release(model);
  chorale_model_builder_destroy(builder);
  chorale_potential_release(potential);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(count_parts),
      cmocka_unit_test(copies_and_loans_give_the_same_bits),
      cmocka_unit_test(a_run_keeps_its_model),
      cmocka_unit_test(nothing_is_lost_when_memory_runs_out),
      cmocka_unit_test(an_unfinished_builder_leaves_nothing),
      cmocka_unit_test(repeated_words_are_cliques_of_positions),
      cmocka_unit_test(an_empty_clique_is_warned_of),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
