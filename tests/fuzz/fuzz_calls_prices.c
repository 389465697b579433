/* Steps of the fuzzer of call sequences: weights of members, prices. */
#include "fuzz_calls.h"

/* ---- Weights ------------------------------------------------------------------------------ */

void tell_weights(World *w) {
  const chorale_model *model = PICK(models);
  enum { MOST_HELD = 64 };
  int64_t weights[MOST_HELD], needed = 0;
  CALL(chorale_model_get_members(model, number(w), NULL, NULL, weights, MOST_HELD, &needed,
                                 &w->error));
  for (int64_t i = 0; w->status == CHORALE_OK && i < needed; ++i)
    REQUIRE(weights[i] >= 1, "member %lld counts %lld times", (long long)i, (long long)weights[i]);
}

/* ---- Prices ------------------------------------------------------------------------------- */

enum { MOST_SHARED = 3, MOST_NUMBERS = 128 };

static void make_prices(World *w) {
  chorale_run_options o = {.struct_size = sizeof o};
  restruct(w, &o.struct_size);
  o.rounds = number(w);
  o.no_local_search = !chance(w, 80);
  o.joint_mode = constant(w, chance(w, 80) ? 0 : 10 * upto(w, 3));
  o.message_element = constant(w, CHORALE_MESSAGES_AUTO);
  o.max_states = chance(w, 80) ? 64 : number(w);
  o.time_limit = chance(w, 90) ? 0 : hostile_double(w->random);
  o.cancel = PICK(cancels);
  o.bound_steps = chance(w, 60) ? 0 : number(w);
  o.edits = constant(w, upto(w, 1));
  int64_t cliques[MOST_SHARED];
  for (int32_t k = 0; k < MOST_SHARED; ++k)
    cliques[k] = chance(w, 90) ? k : number(w);
  const int64_t count = chance(w, 95) ? upto(w, MOST_SHARED) : chance(w, 50) ? -1 : INT64_MAX;
  chorale_prices *prices = NULL;
  CALL(chorale_prices_create(w->host, PICK(models), OFTEN(cliques), count, SELDOM(&o), &prices,
                             &w->error));
  REQUIRE((w->status == CHORALE_OK) == (prices != NULL), "status %d", w->status);
  if (prices)
    *SLOT(price) = prices;
}

static void use_prices_of(World *w, chorale_prices *prices) {
  int64_t needed = 0, counts[MOST_NUMBERS];
  double numbers_of[MOST_NUMBERS], score = NAN;
  chorale_run_result result = {.struct_size = sizeof result};
  restruct(w, &result.struct_size);
  CALL(chorale_prices_counts(prices, NULL, 0, &needed, &w->error));
  if (needed > MOST_NUMBERS)
    return;
  for (int32_t k = 0; k < MOST_NUMBERS; ++k)
    numbers_of[k] = chance(w, 99) ? upto(w, 16) / 4.0 - 2 : hostile_double(w->random);
  const int64_t count = chance(w, 95) ? needed : number(w) == needed ? needed : needed + 1;
  CALL(chorale_prices_solve(prices, OFTEN(numbers_of), count, SELDOM(&score), SELDOM(&result),
                            &w->error));
  const int is_solved = w->status == CHORALE_OK;
  CALL(chorale_prices_counts(prices, counts, chance(w, 95) ? MOST_NUMBERS : upto(w, 3), &needed,
                             &w->error));
  REQUIRE((chorale_prices_run(prices) != NULL) == (prices != NULL), "no run");
  if (!is_solved || w->status != CHORALE_OK)
    return;
  for (int64_t k = 0; k < needed; ++k)
    REQUIRE(counts[k] >= 0, "count %lld", (long long)counts[k]);
}

static void ask_potential(World *w) {
  const chorale_potential *potential = PICK(potentials);
  const int64_t own = chorale_potential_values(potential);
  const int64_t values = chance(w, 90) ? own : number(w);
  if (values == own && own > MOST_SIDE)
    return; /* no pool has so many */
  double prices[MOST_SIDE], score = NAN, most = NAN;
  const int64_t members = chance(w, 80) ? upto(w, 30) : hostile_size(w->random);
  if (chance(w, 50)) {
    CALL(chorale_potential_prices(potential, OFTEN(w->wholes + upto(w, 9)), values, members,
                                  SELDOM(prices), SELDOM(&score), &w->error));
    if (w->status == CHORALE_OK)
      REQUIRE(isnan(score) || score < INFINITY, "score %g", score);
  } else {
    CALL(chorale_potential_most(potential, numbers(w), values, members, OFTEN(&most), &w->error));
    if (w->status == CHORALE_OK)
      REQUIRE(!isnan(most), "no bound");
  }
}

void use_prices(World *w) {
  switch (upto(w, 4)) {
  case 0:
  case 1:
    make_prices(w);
    break;
  case 2:
  case 3:
    use_prices_of(w, PICK(prices));
    break;
  default:
    ask_potential(w);
  }
}
