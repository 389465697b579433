/* Chain solvers as workspaces: no allocation once they are large enough; reused and fresh solvers
 * give the same bits. */
#include "fixture_chain.h"

#include <pthread.h>

typedef struct Case {
  Sample sample;
  Given given;
  Use uses[MOST_PROPERTIES];
  chorale_attachment attachments[MOST_PROPERTIES];
  int32_t count;
  int64_t k;
  chorale_run_options options;
} Case;

static void open_case(Random *random, Case *one) {
  static const chorale_joint_mode modes[] = {CHORALE_JOINT_AUTO, CHORALE_JOINT_LOCAL_SCORES,
                                             CHORALE_JOINT_BEAM};
  random_sample(random, random_chance(random, 40), &one->sample);
  give(&one->sample, &one->given);
  one->count = random_int(random, 1, MOST_PROPERTIES);
  one->k = random_int(random, 1, 20);
  one->options = (chorale_run_options){.struct_size = sizeof one->options};
  one->options.joint_mode = modes[random_int(random, 0, 2)];
  one->options.beam_width = one->options.max_states = random_int(random, 1, 50);
  for (int32_t i = 0; i < one->count; ++i) {
    random_use(random, &one->sample, &one->uses[i]);
    open_use(&one->uses[i]);
    one->attachments[i] = one->uses[i].attachment;
  }
  /* Local scores fail if their configurations exceed the budget, so the budget is large. */
  if (one->options.joint_mode == CHORALE_JOINT_LOCAL_SCORES)
    one->options.max_states = 100000;
}

static void close_case(Case *one) {
  for (int32_t i = 0; i < one->count; ++i)
    close_use(&one->uses[i]);
  take_back(&one->given);
}

/* The bits of the results of all calls of a solver. */
typedef struct Answers {
  int32_t best[MOST_POSITIONS], decoded[MOST_POSITIONS], values[MOST_PROPERTIES];
  int32_t ranked[20][MOST_POSITIONS];
  double marginals[MOST_POSITIONS * MOST_LABELS], margins[MOST_POSITIONS], scores[20];
  double edges[MOST_POSITIONS * MOST_LABELS * MOST_LABELS];
  double outgoing[MOST_PROPERTIES][MOST_RANGE + 2];
  chorale_chain_result best_result, marginal_result;
  chorale_message_result message_result, decode_result;
  int64_t found;
} Answers;

static void init_answers(Answers *answers) {
  memset(answers, 0, sizeof *answers);
  answers->best_result = (chorale_chain_result){.struct_size = sizeof answers->best_result};
  answers->marginal_result = (chorale_chain_result){.struct_size = sizeof answers->marginal_result};
  answers->message_result = (chorale_message_result){.struct_size = sizeof answers->message_result};
  answers->decode_result = (chorale_message_result){.struct_size = sizeof answers->decode_result};
}

static void ask(chorale_chain_solver *solver, const Case *one, Answers *answers) {
  chorale_error error;
  const chorale_chain *chain = &one->given.chain;
  double *outgoing[MOST_PROPERTIES];
  init_answers(answers);
  for (int32_t i = 0; i < MOST_PROPERTIES; ++i)
    outgoing[i] = answers->outgoing[i];
  OK(chorale_chain_solve(solver, chain, answers->best, &answers->best_result, &error));
  OK(chorale_chain_max_marginals(solver, chain, answers->marginals, 0, answers->edges,
                                 answers->margins, NULL, &answers->marginal_result, &error));
  if (!one->sample.is_tree)
    OK(chorale_chain_k_best(solver, chain, one->k, answers->ranked[0], MOST_POSITIONS,
                            answers->scores, &answers->found, &error));
  OK(chorale_chain_messages(solver, chain, one->attachments, one->count, &one->options, outgoing,
                            &answers->message_result, &error));
  OK(chorale_chain_decode(solver, chain, one->attachments, one->count, &one->options,
                          answers->decoded, answers->values, &answers->decode_result, &error));
}

static void same_bits(void **state) {
  (void)state;
  Random random = {test_seed()};
  chorale_error error;
  chorale_chain_solver *reused = NULL;
  OK(chorale_chain_solver_create(NULL, &reused, &error));
  static Case one;
  static Answers first, other;
  for (int64_t round = 0; round < test_rounds(1500); ++round) {
    open_case(&random, &one);
    chorale_chain_solver *fresh = NULL;
    OK(chorale_chain_solver_create(NULL, &fresh, &error));
    ask(fresh, &one, &first);
    chorale_chain_solver_destroy(fresh);
    ask(reused, &one, &other);
    assert_memory_equal(&first, &other, sizeof first);
    close_case(&one);
  }
  chorale_chain_solver_destroy(reused);
}

static void nothing_is_allocated(void **state) {
  (void)state;
  if (!memory_is_counted())
    skip();
  memory_canary();
  Random random = {test_seed()};
  chorale_error error;
  static Case one;
  static Answers answers;
  for (int64_t round = 0; round < test_rounds(300); ++round) {
    open_case(&random, &one);
    chorale_chain_solver *solver = NULL;
    OK(chorale_chain_solver_create(NULL, &solver, &error));
    ask(solver, &one, &answers);
    const int64_t before = memory_allocations();
    ask(solver, &one, &answers);
    int32_t value, fired[MOST_FIRINGS];
    int64_t count;
    double score;
    const int32_t *parents = one.given.chain.parents;
    const int32_t labelling[MOST_POSITIONS] = {0};
    OK(chorale_chain_score(&one.given.chain, labelling, &score, &error));
    OK(chorale_property_shown(one.attachments, one.sample.length, labelling, parents, &value, fired,
                              MOST_FIRINGS, &count, &error));
    assert_int_equal(memory_allocations(), before);
    chorale_chain_solver_destroy(solver);
    close_case(&one);
  }
}

/* Refuses each allocation once: nothing leaks, and objects remain usable. */
static void out_of_memory(void **state) {
  (void)state;
  CountingAllocator allocator;
  counting_allocator_init(&allocator);
  chorale_host host = {.struct_size = sizeof host};
  host.allocator = &allocator.hooks;
  chorale_error error;
  const double scores[9] = {0};
  const int32_t values[3] = {4, 2, 4};
  chorale_label_map map = {.struct_size = sizeof map};
  map.labels = map.kinds = 3;
  for (int64_t fail_at = 1;; ++fail_at) {
    allocator.allocations = 0;
    allocator.fail_at = fail_at;
    chorale_transitions *transitions = NULL;
    chorale_property *property = NULL;
    chorale_dictionary *dictionary = NULL;
    chorale_chain_solver *solver = NULL;
    int32_t labelling[2];
    chorale_chain chain = {.struct_size = sizeof chain};
    chain.length = 2;
    chain.labels = 3;
    chain.unary = scores;
    chorale_status status =
        chorale_transitions_create(&host, 3, scores, NULL, &transitions, &error);
    if (status == CHORALE_OK)
      status = chorale_property_create_next_label(&host, &map, 1, NULL, 0, 3, &property, &error);
    if (status == CHORALE_OK)
      status = chorale_dictionary_create(&host, values, 3, CHORALE_UNLISTED_AS_VALUE, &dictionary,
                                         &error);
    if (status == CHORALE_OK)
      status = chorale_chain_solver_create(&host, &solver, &error);
    if (status == CHORALE_OK)
      status = chorale_chain_solve(solver, &chain, labelling, NULL, &error);
    const int done = status == CHORALE_OK;
    if (!done)
      assert_int_equal(status, CHORALE_ERROR_OUT_OF_MEMORY);
    chorale_transitions_release(transitions);
    chorale_property_release(property);
    chorale_dictionary_release(dictionary);
    chorale_chain_solver_destroy(solver);
    assert_int_equal(allocator.live, 0);
    assert_int_equal(allocator.mistakes, 0);
    if (done)
      break;
    assert_true(fail_at < 100);
  }
}

/* Handles shared by several threads with a solver each: const handles may be shared. */
typedef struct Sharer {
  pthread_t thread;
  const Case *one;
  chorale_chain_solver *solver;
  Answers answers;
} Sharer;

static void *share(void *context) {
  Sharer *sharer = context;
  const Case *one = sharer->one;
  for (int i = 0; i < 20; ++i) {
    chorale_property *property = chorale_property_retain(one->uses[0].property);
    chorale_transitions *transitions = chorale_transitions_retain(one->given.transitions);
    ask(sharer->solver, one, &sharer->answers);
    chorale_transitions_release(transitions);
    chorale_property_release(property);
  }
  return NULL;
}

static void threads_share_handles(void **state) {
  (void)state;
  Random random = {test_seed()};
  chorale_error error;
  static Case one;
  static Sharer sharers[4];
  for (int64_t round = 0; round < test_rounds(20); ++round) {
    open_case(&random, &one);
    for (size_t i = 0; i < COUNT_OF(sharers); ++i) {
      sharers[i].one = &one;
      OK(chorale_chain_solver_create(NULL, &sharers[i].solver, &error));
      assert_int_equal(pthread_create(&sharers[i].thread, NULL, share, &sharers[i]), 0);
    }
    for (size_t i = 0; i < COUNT_OF(sharers); ++i) {
      assert_int_equal(pthread_join(sharers[i].thread, NULL), 0);
      chorale_chain_solver_destroy(sharers[i].solver);
      assert_memory_equal(&sharers[i].answers, &sharers[0].answers, sizeof sharers[0].answers);
    }
    close_case(&one);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(same_bits),
      cmocka_unit_test(nothing_is_allocated),
      cmocka_unit_test(out_of_memory),
      cmocka_unit_test(threads_share_handles),
  };
  return cmocka_run_group_tests_name("chain workspace", tests, NULL, NULL);
}
