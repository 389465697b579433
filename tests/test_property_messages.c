/* Messages and decoding under properties, against enumeration. */
#include "fixture_chain.h"

typedef struct Case {
  Sample sample;
  Use uses[MOST_PROPERTIES];
  int32_t count;
} Case;

static void random_case(Random *random, int is_tree, int32_t most, Case *one) {
  random_sample(random, is_tree, &one->sample);
  one->count = random_int(random, 1, most);
  for (int32_t k = 0; k < one->count; ++k)
    random_use(random, &one->sample, &one->uses[k]);
}

static const char *close_to(const char *what, int32_t k, int32_t v, double found, double truth) {
  return is_close(found, truth)
             ? NULL
             : complain("%s of property %d, value %d: %.17g, by enumeration %.17g", what, k, v,
                        found, truth);
}

typedef struct Run {
  chorale_message_result messages, decoded;
  double outgoing[MOST_PROPERTIES][MOST_RANGE + 2];
  int32_t labelling[MOST_POSITIONS], values[MOST_PROPERTIES];
} Run;

static void run_case(chorale_chain_solver *solver, Case *one,
                     const chorale_run_options *options, Run *run) {
  chorale_error error;
  Given given;
  give(&one->sample, &given);
  chorale_attachment attachments[MOST_PROPERTIES];
  double *outgoing[MOST_PROPERTIES];
  memset(run, 0, sizeof *run);
  for (int32_t k = 0; k < one->count; ++k) {
    open_use(&one->uses[k]);
    attachments[k] = one->uses[k].attachment;
    outgoing[k] = run->outgoing[k];
    for (int32_t v = 0; v < MOST_RANGE + 2; ++v)
      run->outgoing[k][v] = UNTOUCHED;
  }
  for (int32_t t = 0; t < MOST_POSITIONS; ++t)
    run->labelling[t] = UNTOUCHED;
  run->messages = (chorale_message_result){.struct_size = sizeof run->messages};
  run->decoded = (chorale_message_result){.struct_size = sizeof run->decoded};
  OK(chorale_chain_messages(solver, &given.chain, attachments, one->count, options, outgoing,
                            &run->messages, &error));
  OK(chorale_chain_decode(solver, &given.chain, attachments, one->count, options, run->labelling,
                          run->values, &run->decoded, &error));
  for (int32_t k = 0; k < one->count; ++k)
    close_use(&one->uses[k]);
  take_back(&given);
}

/* Checks properties that every decoded labelling must have, whatever the method. */
static const char *check_decoded(const Case *one, const Run *run) {
  if (run->decoded.outcome != CHORALE_OUTCOME_COMPLETE) {
    for (int32_t t = 0; t < one->sample.length; ++t)
      if (run->labelling[t] != UNTOUCHED)
        return complain("labelling written although nothing was found");
    return run->decoded.score == -INFINITY ? NULL
                                           : complain("score %g of nothing", run->decoded.score);
  }
  const double phi = own_phi(&one->sample, run->labelling);
  if (phi != run->decoded.chain_score)
    return complain("chain score %.17g, by definition %.17g", run->decoded.chain_score, phi);
  double messages = 0;
  for (int32_t k = 0; k < one->count; ++k) {
    int is_outside;
    const int32_t value = own_value(&one->sample, &one->uses[k], run->labelling, &is_outside);
    if (is_outside || value != run->values[k])
      return complain("value %d of property %d, by definition %d", run->values[k], k, value);
    messages += one->uses[k].message[value];
  }
  if (messages != run->decoded.message_score)
    return complain("message score %.17g, by definition %.17g", run->decoded.message_score,
                    messages);
  return run->decoded.score == phi + messages ? NULL : complain("score is not the sum");
}

static const char *check_exact(const Case *one, const Run *run) {
  Truths truths;
  enumerate_joint(&one->sample, one->uses, one->count, &truths);
  const char *wrong = check_decoded(one, run);
  double best_of_messages = -INFINITY;
  for (int32_t k = 0; k < one->count && !wrong; ++k)
    for (int32_t v = 0; v < own_range(&one->uses[k]) + 2 && !wrong; ++v) {
      wrong = close_to("message", k, v, run->outgoing[k][v], truths.messages[k][v]);
      best_of_messages = fmax(best_of_messages, truths.messages[k][v]);
    }
  if (!wrong && !is_close(run->decoded.score, truths.best))
    wrong = complain("decoded %.17g, by enumeration %.17g", run->decoded.score, truths.best);
  if (!wrong && (run->decoded.outcome !=
                 (truths.best > -INFINITY ? CHORALE_OUTCOME_COMPLETE : CHORALE_OUTCOME_INFEASIBLE)))
    wrong = complain("outcome of decoding is %d", run->decoded.outcome);
  if (!wrong &&
      (run->messages.outcome !=
       (best_of_messages > -INFINITY ? CHORALE_OUTCOME_COMPLETE : CHORALE_OUTCOME_INFEASIBLE)))
    wrong = complain("outcome of messages is %d", run->messages.outcome);
  if (!wrong &&
      (!run->decoded.exact || !run->messages.exact || run->decoded.pruned || run->messages.pruned))
    wrong = complain("not called exact");
  return wrong;
}

static void fail_case(const Case *one, const char *wrong, int64_t round) {
  fprintf(stderr, "round %lld: %s\n", (long long)round, wrong);
  print_sample(&one->sample);
  for (int32_t k = 0; k < one->count; ++k)
    print_use(&one->uses[k]);
  fail();
}

static chorale_chain_solver *new_chain_solver(void) {
  chorale_error error;
  chorale_chain_solver *solver = NULL;
  OK(chorale_chain_solver_create(NULL, &solver, &error));
  return solver;
}

typedef const char *(*CaseCheck)(const Case *one, const Run *run);

static void check_cases(int is_tree, int32_t most, int64_t rounds,
                        const chorale_run_options *options, CaseCheck check) {
  Random random = {test_seed()};
  chorale_chain_solver *solver = new_chain_solver();
  for (int64_t round = 0; round < test_rounds(rounds); ++round) {
    Case one;
    Run run;
    random_case(&random, is_tree, most, &one);
    run_case(solver, &one, options, &run);
    const char *wrong = check(&one, &run);
    if (wrong)
      fail_case(&one, wrong, round);
  }
  chorale_chain_solver_destroy(solver);
}

static chorale_run_options options_for(chorale_joint_mode mode, int64_t width) {
  chorale_run_options options = {.struct_size = sizeof options};
  options.joint_mode = mode;
  options.beam_width = width;
  options.max_states = width > 1024 ? width : 1024;
  return options;
}

static void exact_on_chains(void **state) {
  (void)state;
  const chorale_run_options options = options_for(CHORALE_JOINT_EXACT, 100000);
  check_cases(0, 1, 4000, NULL, check_exact);
  check_cases(0, MOST_PROPERTIES, 6000, &options, check_exact);
}

static void exact_on_trees(void **state) {
  (void)state;
  const chorale_run_options options = options_for(CHORALE_JOINT_EXACT, 100000);
  check_cases(1, 1, 4000, NULL, check_exact);
  check_cases(1, MOST_PROPERTIES, 3000, &options, check_exact);
}

/* Local scores are exact if nothing fires twice; otherwise the decoded labelling must still have
 * the reported scores and values. */
static const char *check_local_scores(const Case *one, const Run *run) {
  Truths truths;
  enumerate_joint(&one->sample, one->uses, one->count, &truths);
  const char *wrong = check_decoded(one, run);
  if (wrong)
    return wrong;
  if (one->count == 1)
    return check_exact(one, run);
  if (run->decoded.exact || run->messages.exact)
    return complain("called exact");
  if (truths.fires_twice)
    return NULL;
  for (int32_t k = 0; k < one->count && !wrong; ++k)
    for (int32_t v = 0; v < own_range(&one->uses[k]) + 2 && !wrong; ++v)
      wrong = close_to("local message", k, v, run->outgoing[k][v], truths.messages[k][v]);
  if (!wrong && !is_close(run->decoded.score, truths.best))
    wrong = complain("local %.17g, by enumeration %.17g", run->decoded.score, truths.best);
  return wrong;
}

static void local_scores(void **state) {
  (void)state;
  const chorale_run_options options = options_for(CHORALE_JOINT_LOCAL_SCORES, 100000);
  for (int is_tree = 0; is_tree < 2; ++is_tree)
    check_cases(is_tree, MOST_PROPERTIES, 6000, &options, check_local_scores);
}

/* Local scores add a message again at a repeated firing: its only error, demonstrated here. */
static void local_scores_pay_twice(void **state) {
  (void)state;
  chorale_error error;
  const double unary[2][2] = {{0, 0}, {0, 0}};
  const double message[4] = {0, 1, 0, 0};
  const int32_t table[2] = {0, 0};
  chorale_label_map map = {.struct_size = sizeof map};
  map.labels = map.kinds = 2;
  chorale_property *property = NULL;
  OK(chorale_property_create_token_label(NULL, &map, 0, &property, &error));
  chorale_chain chain = {.struct_size = sizeof chain};
  chain.length = chain.labels = 2;
  chain.unary = unary;
  chorale_attachment attachments[2];
  double outgoing[4];
  double *const both[2] = {NULL, outgoing};
  for (int k = 0; k < 2; ++k) {
    attachments[k] = (chorale_attachment){.struct_size = sizeof attachments[k]};
    attachments[k].property = property;
    attachments[k].table = table;
    attachments[k].message = message;
  }
  chorale_chain_solver *solver = new_chain_solver();
  chorale_run_options options = options_for(CHORALE_JOINT_LOCAL_SCORES, 1);
  OK(chorale_chain_messages(solver, &chain, attachments, 2, &options, both, NULL, &error));
  assert_true(outgoing[1] == 2); /* exact: 1 */
  options.joint_mode = CHORALE_JOINT_EXACT;
  OK(chorale_chain_messages(solver, &chain, attachments, 2, &options, both, NULL, &error));
  assert_true(outgoing[1] == 1);
  chorale_property_release(property);
  chorale_chain_solver_destroy(solver);
}

static void beam_as_wide_as_the_state_space(void **state) {
  (void)state;
  const chorale_run_options beam = options_for(CHORALE_JOINT_BEAM, 1000000);
  const chorale_run_options automatic = options_for(CHORALE_JOINT_AUTO, 1000000);
  for (int is_tree = 0; is_tree < 2; ++is_tree) {
    check_cases(is_tree, MOST_PROPERTIES, 1500, &beam, check_exact);
    check_cases(is_tree, MOST_PROPERTIES, 1500, &automatic, check_exact);
  }
}

/* A narrow beam finds labellings, never scores above the optimum, and reports when it dropped
 * configurations. */
static const char *check_beam(const Case *one, const Run *run) {
  Truths truths;
  enumerate_joint(&one->sample, one->uses, one->count, &truths);
  const char *wrong = check_decoded(one, run);
  if (wrong)
    return wrong;
  if (!run->decoded.pruned && !run->messages.pruned)
    return check_exact(one, run);
  if ((run->decoded.pruned && run->decoded.exact) || (run->messages.pruned && run->messages.exact))
    return complain("exact although pruned");
  if (!is_at_most(run->decoded.score, truths.best))
    return complain("decoded %.17g above %.17g", run->decoded.score, truths.best);
  for (int32_t k = 0; k < one->count; ++k)
    for (int32_t v = 0; v < own_range(&one->uses[k]) + 2; ++v)
      if (!is_at_most(run->outgoing[k][v], truths.messages[k][v]))
        return complain("message of property %d, value %d: %.17g above %.17g", k, v,
                        run->outgoing[k][v], truths.messages[k][v]);
  return NULL;
}

static void narrow_beams(void **state) {
  (void)state;
  for (int is_tree = 0; is_tree < 2; ++is_tree)
    for (int64_t width = 1; width <= 4; ++width) {
      const chorale_run_options options = options_for(CHORALE_JOINT_BEAM, width);
      check_cases(is_tree, MOST_PROPERTIES, 800, &options, check_beam);
      chorale_run_options automatic = options_for(CHORALE_JOINT_AUTO, 1);
      automatic.max_states = width;
      check_cases(is_tree, MOST_PROPERTIES, 400, &automatic, check_beam);
    }
}

/* Within the budget the joint state is exact; beyond it the call returns a status, never a wrong
 * result. */
static void budget(void **state) {
  (void)state;
  Random random = {test_seed()};
  chorale_chain_solver *solver = new_chain_solver();
  int64_t refused = 0;
  for (int64_t round = 0; round < test_rounds(2000); ++round) {
    Case one;
    random_case(&random, round % 2 == 0, MOST_PROPERTIES, &one);
    Given given;
    chorale_error error;
    give(&one.sample, &given);
    chorale_attachment attachments[MOST_PROPERTIES];
    for (int32_t k = 0; k < one.count; ++k) {
      open_use(&one.uses[k]);
      attachments[k] = one.uses[k].attachment;
    }
    chorale_run_options options = options_for(CHORALE_JOINT_EXACT, 1);
    options.max_states = random_int(&random, 1, 6);
    chorale_message_result result = {.struct_size = sizeof result};
    const chorale_status status = chorale_chain_decode(solver, &given.chain, attachments, one.count,
                                                       &options, NULL, NULL, &result, &error);
    Truths truths;
    enumerate_joint(&one.sample, one.uses, one.count, &truths);
    if (status == CHORALE_ERROR_STATE_SPACE) {
      ++refused;
      assert_non_null(strstr(error.message, "options->max_states"));
    } else {
      assert_int_equal(status, CHORALE_OK);
      if (!is_close(result.score, truths.best) || result.configurations > options.max_states)
        fail_case(&one, "wrong within the budget", round);
    }
    for (int32_t k = 0; k < one.count; ++k)
      close_use(&one.uses[k]);
    take_back(&given);
  }
  assert_true(refused > 0);
  chorale_chain_solver_destroy(solver);
}

/* Without attachments, decoding gives the best labelling of the chain. */
static void no_property(void **state) {
  (void)state;
  Random random = {test_seed()};
  chorale_chain_solver *solver = new_chain_solver();
  for (int64_t round = 0; round < test_rounds(500); ++round) {
    Sample sample;
    random_sample(&random, round % 2 == 0, &sample);
    Given given;
    chorale_error error;
    give(&sample, &given);
    int32_t labelling[MOST_POSITIONS];
    chorale_message_result result = {.struct_size = sizeof result};
    chorale_chain_result plain = {.struct_size = sizeof plain};
    OK(chorale_chain_decode(solver, &given.chain, NULL, 0, NULL, labelling, NULL, &result, &error));
    OK(chorale_chain_solve(solver, &given.chain, NULL, &plain, &error));
    assert_int_equal(result.outcome, plain.outcome);
    assert_true(is_close(result.score, plain.score));
    take_back(&given);
  }
  chorale_chain_solver_destroy(solver);
}

/* Large messages that cancel leave rounding errors larger than the labelling's score; the labelling
 * must still count as feasible. */
static void great_messages_that_cancel(void **state) {
  (void)state;
  static const double unary[] = {1.25, 1.25}, end[] = {-1};
  static const double up[] = {1e280, 0, 0}, down[] = {-1e280, 0, 0};
  chorale_error error;
  chorale_chain chain = {.struct_size = sizeof chain};
  chain.length = 2;
  chain.labels = 1;
  chain.unary = unary;
  chain.end = end;
  /* Fires at the first or at the second position and then nothing more, so that its message is
   * added early. */
  static const int32_t next[][3] = {{1, 1}, {1, 2, 2}}, actions[][3] = {{0, -1}, {-1, 0, -1}};
  chorale_attachment attachments[2];
  chorale_property *properties[2];
  for (int32_t k = 0; k < 2; ++k) {
    chorale_automaton automaton = {.struct_size = sizeof automaton};
    automaton.labels = automaton.classes = automaton.values = 1;
    automaton.states = k + 2;
    automaton.next = next[k];
    automaton.actions = actions[k];
    OK(chorale_property_create(NULL, &automaton, &properties[k], &error));
    attachments[k] = (chorale_attachment){.struct_size = sizeof attachments[k]};
    attachments[k].property = properties[k];
    attachments[k].message = k == 0 ? up : down;
  }
  chorale_chain_solver *solver = new_chain_solver();
  int32_t labelling[2] = {UNTOUCHED, UNTOUCHED}, values[2];
  chorale_message_result result = {.struct_size = sizeof result};
  OK(chorale_chain_decode(solver, &chain, attachments, 2, NULL, labelling, values, &result,
                          &error));
  assert_int_equal(result.outcome, CHORALE_OUTCOME_COMPLETE);
  assert_true(labelling[0] == 0 && labelling[1] == 0 && values[0] == 0 && values[1] == 0);
  assert_true(result.chain_score == 1.5 && result.message_score == 0 && result.score == 1.5);
  chorale_chain_solver_destroy(solver);
  for (int32_t k = 0; k < 2; ++k)
    chorale_property_release(properties[k]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(exact_on_chains),
      cmocka_unit_test(exact_on_trees),
      cmocka_unit_test(local_scores),
      cmocka_unit_test(local_scores_pay_twice),
      cmocka_unit_test(beam_as_wide_as_the_state_space),
      cmocka_unit_test(narrow_beams),
      cmocka_unit_test(budget),
      cmocka_unit_test(no_property),
      cmocka_unit_test(great_messages_that_cancel),
  };
  return cmocka_run_group_tests_name("property messages", tests, NULL, NULL);
}
