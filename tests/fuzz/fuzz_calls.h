/* What the parts of the fuzzer of call sequences share: all handles, arguments, slots. */
#ifndef CHORALE_TESTS_FUZZ_CALLS_H
#define CHORALE_TESTS_FUZZ_CALLS_H

#include "fuzz.h"

enum { SLOTS = 4, POOL = 512, MOST_SIDE = 6 };

typedef struct World {
  Random *random;
  Supply supply;
  const chorale_host *host;
  chorale_error error;
  chorale_status status;
  int64_t calls_left; /* of callbacks, until one stops or lies; 0: never */
  int64_t reports_left;
  chorale_run *running; /* the run that is in the middle of a call, or NULL */
  double doubles[POOL];
  int32_t small[POOL]; /* -1 .. 3 */
  int64_t wholes[POOL]; /* weights and counts: 0 .. 3, mostly 1 or more */
  int32_t parents[POOL];
  uint8_t bits[POOL];
  chorale_potential *potentials[SLOTS];
  chorale_transitions *transitions[SLOTS];
  chorale_property *properties[SLOTS];
  chorale_dictionary *dictionaries[SLOTS];
  chorale_model_builder *builders[SLOTS];
  chorale_model *models[SLOTS];
  chorale_run *runs[SLOTS];
  chorale_problem *problems[SLOTS];
  chorale_decoded *decoded[SLOTS];
  chorale_cancel *cancels[SLOTS]; /* runs borrow them: destroyed last */
  chorale_clique_solver *clique_solvers[SLOTS];
  chorale_chain_solver *chain_solvers[SLOTS];
  chorale_prices *prices[SLOTS];
  chorale_ledger *ledgers[SLOTS];
} World;

#define CALL(call) FED(&w->supply, w->status, (call), &w->error)
#define PICK(handles) (w->handles[random_int(w->random, 0, SLOTS - 1)])

/* ---- Arguments ---------------------------------------------------------------------------- */

static inline int chance(World *w, int32_t percent) { return random_chance(w->random, percent); }
static inline int32_t upto(World *w, int32_t most) { return random_int(w->random, 0, most); }

/* A length of arrays. */
static inline int64_t side(World *w) {
  static const int64_t wrong[] = {0, -1, INT64_MIN, (int64_t)1 << 61, (int64_t)1 << 62, INT64_MAX};
  return chance(w, 4) ? wrong[upto(w, (int32_t)COUNT_OF(wrong) - 1)]
                      : random_int(w->random, 1, MOST_SIDE);
}

static inline int64_t stride(World *w) {
  return chance(w, 85) ? 0 : chance(w, 90) ? upto(w, 8) : chance(w, 50) ? -1 : INT64_MAX;
}

/* An index or a number of no array. */
static inline int64_t number(World *w) {
  return chance(w, 10) ? hostile_size(w->random) : upto(w, 5);
}

static inline int32_t constant(World *w, int32_t usual) {
  return chance(w, 95) ? usual : (int32_t)hostile_size(w->random);
}

/* An address in a pool, or now and then NULL. */
#define OFTEN(pointer) (chance(w, 97) ? (pointer) : NULL)
#define SELDOM(pointer) (chance(w, 30) ? (pointer) : NULL)

static inline const double *numbers(World *w) { return OFTEN(w->doubles + upto(w, 32)); }
static inline const int32_t *indices(World *w) { return OFTEN(w->small + upto(w, 32)); }

static inline void restruct(World *w, size_t *struct_size) {
  if (chance(w, 2))
    *struct_size = (size_t)upto(w, (int32_t)*struct_size);
}

/* A slot whose handle has been given back. */
#define SLOT(name) (name##_at(w, upto(w, SLOTS - 1)))
#define GIVE_BACK(name, kind, handles, call)                                                       \
  static inline kind **name##_at(World *w, int32_t k) {                                            \
    call(w->handles[k]);                                                                           \
    w->handles[k] = NULL;                                                                          \
    return &w->handles[k];                                                                         \
  }
GIVE_BACK(potential, chorale_potential, potentials, chorale_potential_release)
GIVE_BACK(transitions, chorale_transitions, transitions, chorale_transitions_release)
GIVE_BACK(property, chorale_property, properties, chorale_property_release)
GIVE_BACK(dictionary, chorale_dictionary, dictionaries, chorale_dictionary_release)
GIVE_BACK(builder, chorale_model_builder, builders, chorale_model_builder_destroy)
GIVE_BACK(model, chorale_model, models, chorale_model_release)
GIVE_BACK(run, chorale_run, runs, chorale_run_destroy)
GIVE_BACK(problem, chorale_problem, problems, chorale_problem_destroy)
GIVE_BACK(decoded, chorale_decoded, decoded, chorale_decoded_destroy)
GIVE_BACK(clique_solver, chorale_clique_solver, clique_solvers, chorale_clique_solver_destroy)
GIVE_BACK(chain_solver, chorale_chain_solver, chain_solvers, chorale_chain_solver_destroy)
GIVE_BACK(price, chorale_prices, prices, chorale_prices_destroy)
GIVE_BACK(ledger, chorale_ledger, ledgers, chorale_ledger_destroy)

/* ---- Steps: each makes one call or a few, with arguments as they come --------------------- */

void describe_chain(World *w, chorale_chain *chain);
int32_t report_progress(void *user, const chorale_progress *progress);

void make_potential_at_random(World *w);
void make_transitions(World *w);
void make_property(World *w);
void make_dictionary(World *w);
void add_to_builder(World *w);
void change_models(World *w);
void add_in_bulk(World *w);
void use_front(World *w);
void use_labelling(World *w);
void tell_weights(World *w);
void use_prices(World *w);
void use_table(World *w);

#endif
