/* Properties on chains and trees: automata, local and ready-made ones; what a labelling shows and
 * fires, messages and decoding in every mode, against enumeration; hostile messages; memory that
 * runs out. */
#include "fuzz.h"

#include "fixture_chain.h"

typedef struct Trial {
  Sample sample;
  Given given;
  Use uses[MOST_PROPERTIES];
  int32_t count;
  chorale_attachment attachments[MOST_PROPERTIES];
  chorale_run_options options;
  Truths truths;
} Trial;

static void make_hostile(Random *random, Trial *trial) {
  double magnitude = 16;
  const int32_t times = random_chance(random, 40) ? random_int(random, 1, 5) : 0;
  for (int32_t k = 0; k < times; ++k) {
    Use *use = &trial->uses[random_int(random, 0, trial->count - 1)];
    double *number = &use->message[random_int(random, 0, own_range(use) + 1)];
    if (use->has_message)
      *number = hostile_score(random);
    if (isfinite(*number))
      magnitude += fabs(*number);
  }
  set_magnitude(magnitude);
}

/* ---- Values ------------------------------------------------------------------------------- */

static void check_values(const Trial *trial) {
  const int32_t *parents = trial->sample.is_tree ? trial->sample.parents : NULL;
  for (int32_t index = 0; index < labelling_count(&trial->sample); ++index) {
    int32_t labelling[MOST_POSITIONS] = {0};
    labelling_at(&trial->sample, index, labelling);
    for (int32_t k = 0; k < trial->count; ++k) {
      int32_t fired[MOST_FIRINGS], truth[MOST_FIRINGS], value = UNTOUCHED;
      int64_t count = -1;
      int is_outside;
      chorale_error error;
      const int32_t shown = own_value(&trial->sample, &trial->uses[k], labelling, &is_outside);
      const int32_t expected = own_firings(&trial->sample, &trial->uses[k], labelling, truth);
      REQUIRE(chorale_property_shown(&trial->attachments[k], trial->sample.length, labelling,
                                     parents, &value, fired, MOST_FIRINGS, &count,
                                     &error) == CHORALE_OK,
              "%s", error.message);
      REQUIRE(value == shown, "shows %d, by definition %d", value, shown);
      REQUIRE(count == expected && memcmp(fired, truth, sizeof(int32_t) * (size_t)expected) == 0,
              "fires %lld values, by definition %d", (long long)count, expected);
    }
  }
}

/* ---- Messages and decoding ---------------------------------------------------------------- */

static int is_heuristic(const Trial *trial, const chorale_message_result *result) {
  return !result->exact && trial->options.joint_mode != CHORALE_JOINT_EXACT;
}

static void check_messages(Trial *trial, Supply *supply, chorale_chain_solver *solver) {
  double rows[MOST_PROPERTIES][MOST_RANGE + 2];
  double *outgoing[MOST_PROPERTIES];
  for (int32_t k = 0; k < trial->count; ++k)
    outgoing[k] = rows[k];
  chorale_message_result result;
  chorale_error error;
  chorale_status status;
  result = (chorale_message_result){.struct_size = sizeof result};
  FED(supply, status,
      chorale_chain_messages(solver, &trial->given.chain, trial->attachments, trial->count,
                             &trial->options, outgoing, &result, &error),
      &error);
  if (status == CHORALE_ERROR_STATE_SPACE) {
    REQUIRE(trial->options.joint_mode == CHORALE_JOINT_EXACT ||
                trial->options.joint_mode == CHORALE_JOINT_LOCAL_SCORES,
            "%s", error.message);
    return;
  }
  REQUIRE(status == CHORALE_OK, "%s", error.message);
  const int may_exceed = trial->options.joint_mode == CHORALE_JOINT_LOCAL_SCORES && !result.exact;
  for (int32_t k = 0; k < trial->count; ++k)
    for (int32_t v = 0; v < own_range(&trial->uses[k]) + 2; ++v) {
      const double found = rows[k][v], truth = trial->truths.messages[k][v];
      REQUIRE(!isnan(found) && found < INFINITY, "message %g", found);
      REQUIRE(may_exceed || is_at_most(found, truth),
              "message of property %d, value %d: %.17g, by enumeration %.17g", k, v, found, truth);
      REQUIRE(is_heuristic(trial, &result) || is_close(found, truth),
              "exact message of property %d, value %d: %.17g, by enumeration %.17g", k, v, found,
              truth);
    }
}

static void check_decoding(Trial *trial, Supply *supply, chorale_chain_solver *solver) {
  int32_t labelling[MOST_POSITIONS], values[MOST_PROPERTIES];
  chorale_message_result result;
  chorale_error error;
  chorale_status status;
  result = (chorale_message_result){.struct_size = sizeof result};
  FED(supply, status,
      chorale_chain_decode(solver, &trial->given.chain, trial->attachments, trial->count,
                           &trial->options, labelling, values, &result, &error),
      &error);
  if (status == CHORALE_ERROR_STATE_SPACE)
    return;
  REQUIRE(status == CHORALE_OK, "%s", error.message);
  const double best = trial->truths.best;
  if (result.outcome != CHORALE_OUTCOME_COMPLETE) {
    REQUIRE(result.score == -INFINITY, "score %.17g of nothing", result.score);
    REQUIRE(result.outcome != CHORALE_OUTCOME_INFEASIBLE || best == -INFINITY,
            "infeasible, by enumeration %.17g", best);
    return;
  }
  double sum = 0;
  for (int32_t k = 0; k < trial->count; ++k) {
    int is_outside;
    const int32_t value = own_value(&trial->sample, &trial->uses[k], labelling, &is_outside);
    REQUIRE(!is_outside && value == values[k], "shows %d, by definition %d", values[k], value);
    sum += trial->uses[k].message[value];
  }
  REQUIRE(result.chain_score == own_phi(&trial->sample, labelling), "chain score %.17g",
          result.chain_score);
  REQUIRE(result.message_score == sum && result.score == result.chain_score + sum,
          "message score %.17g, by definition %.17g", result.message_score, sum);
  REQUIRE(is_at_most(result.score, best), "%.17g above the best %.17g", result.score, best);
  REQUIRE(is_heuristic(trial, &result) || is_at_most(best, result.score),
          "exact decoding %.17g, by enumeration %.17g", result.score, best);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Random random = open_input(data, size);
  draw_from(&random, data, size);
  static Trial trial;
  memset(&trial, 0, sizeof trial);
  trial.options = (chorale_run_options){.struct_size = sizeof trial.options};
  static const chorale_joint_mode modes[] = {CHORALE_JOINT_AUTO, CHORALE_JOINT_EXACT,
                                             CHORALE_JOINT_LOCAL_SCORES, CHORALE_JOINT_BEAM};
  trial.options.joint_mode = modes[random_int(&random, 0, 3)];
  trial.options.max_states = random_chance(&random, 60) ? 1 << 16 : random_int(&random, 1, 12);
  if (random_chance(&random, 50))
    trial.options.beam_width = random_int(&random, 1, 6);
  trial.count = random_int(&random, 1, MOST_PROPERTIES);
  random_sample(&random, random_chance(&random, 40), &trial.sample);
  for (int32_t k = 0; k < trial.count; ++k)
    random_use(&random, &trial.sample, &trial.uses[k]);
  make_hostile(&random, &trial);
  give(&trial.sample, &trial.given);
  for (int32_t k = 0; k < trial.count; ++k) {
    open_use(&trial.uses[k]);
    trial.attachments[k] = trial.uses[k].attachment;
  }
  enumerate_joint(&trial.sample, trial.uses, trial.count, &trial.truths);
  Supply supply;
  open_supply(&supply, &random, 0);
  check_values(&trial);
  chorale_chain_solver *solver = NULL;
  chorale_error error;
  chorale_status status;
  FED(&supply, status, chorale_chain_solver_create(&supply.host, &solver, &error), &error);
  if (random_chance(&random, 50))
    check_messages(&trial, &supply, solver);
  check_decoding(&trial, &supply, solver);
  check_messages(&trial, &supply, solver);
  chorale_chain_solver_destroy(solver);
  for (int32_t k = 0; k < trial.count; ++k)
    close_use(&trial.uses[k]);
  take_back(&trial.given);
  close_supply(&supply);
  draw_from(NULL, NULL, 0);
  return 0;
}
