/* Experimental: calls for special needs, outside the promise of a stable interface.
 *
 * What this header and those of experimental/ declare may change or go in any version; the library
 * exports them under a version node of its own (CHORALE_EXPERIMENTAL). chorale.h does not include it,
 * and no stable call needs it (only a dictionary of a clique must be made here). The rules of chorale.h hold here too.
 *
 *   objects      references, names, sizes and flags of stable objects
 *   models       instances, the model of repeated words, what a model holds
 *   runs         rounds step by step, formats of messages, cost, single results
 *   properties   dictionaries of their values, chains under them: messages, decoding
 *   problems     notes, what was set, files as bytes in memory
 *   prices       cliques with members in several models
 *   experimental/table.h      one label for all mentions of a key; ledgers of mentions
 *   experimental/partition.h  groups of records from scored pairs, with a certificate
 */
#ifndef CHORALE_EXPERIMENTAL_H
#define CHORALE_EXPERIMENTAL_H

#include "chorale/chorale.h"
#include "chorale/experimental/partition.h"
#include "chorale/experimental/table.h"

CHORALE_BEGIN_DECLS

/* ---- Objects: references, names, sizes and flags --------------------------------------------- */

/* Lowers the flag; otherwise as chorale_cancel_raise. */
CHORALE_API void chorale_cancel_lower(chorale_cancel *cancel);
/* Returns 1 if the flag is raised, else 0. Any thread. */
CHORALE_API int32_t chorale_cancel_is_raised(const chorale_cancel *cancel);

/* Add a reference and return their argument; NULL stays NULL. Atomic: any thread. */
CHORALE_API chorale_model *chorale_model_retain(const chorale_model *model);
CHORALE_API chorale_potential *chorale_potential_retain(const chorale_potential *potential);
CHORALE_API chorale_property *chorale_property_retain(const chorale_property *property);
CHORALE_API chorale_transitions *chorale_transitions_retain(const chorale_transitions *transitions);

/* Returns the number of labels m; 0 for NULL. Any thread. */
CHORALE_API int64_t chorale_transitions_labels(const chorale_transitions *transitions);
/* chorale_property_values returns R, chorale_property_labels returns m; both 0 for NULL. Any
 * thread. */
CHORALE_API int64_t chorale_property_values(const chorale_property *property);
CHORALE_API int64_t chorale_property_labels(const chorale_property *property);

/* Returns the number of values R; 0 for NULL. Any thread. */
CHORALE_API int64_t chorale_potential_values(const chorale_potential *potential);
/* Returns the family in lower case: "sum", "max", "majority", "pairs" or "callback" (potential.h);
 * Potts, entropy and cardinality are SUM, both makespans MAX. NULL for NULL. Static storage. Any
 * thread. */
CHORALE_API const char *chorale_potential_family(const chorale_potential *potential);

/* ---- Instances ------------------------------------------------------------------------------- */

/* An *instance* is a model of the caller that computes messages and decodes by two callbacks,
 * for instance a semi-Markov model, a clique tree, or a chain on another machine. Its memberships
 * in cliques are numbered from 0 in the order of adding. sizes[p] is the number of scores in a
 * message of membership p: R + 2, with EMPTY and CONFLICT last, if a member of its clique can be
 * EMPTY or CONFLICT or if the potential is over R + 2 values; otherwise R. phi(y) is the score of a
 * labelling y by the caller's model alone.
 *
 * incoming: for each membership a pointer to sizes[p] scores, which may be minus infinity. The two
 * functions return 0, or non-zero to end the run's call with CALLBACK_STOPPED. NaN, plus infinity
 * and magnitudes above 1e290 in their results end the call with CALLBACK_VALUE. The functions are
 * called on the thread that calls the run, or on a worker thread if the run has several threads.
 * They must not unwind (leave by an exception or longjmp). A run makes at most one call at a time
 * on an instance; several runs of the model may call the same instance at the same time. Calls on
 * the run from within the functions fail with BUSY. */
typedef struct chorale_instance {
  size_t struct_size; /* sizeof(chorale_instance) */
  int64_t length;     /* number of labels of a decoded labelling, >= 0 */
  int64_t labels;     /* >= 1: each of these labels is in 0 .. labels - 1 */
  void *user;
  /* Writes outgoing[p][v] = max { phi(y) + sum_{q != p} incoming[q][value of q on y] : p has value
   * v on y }, for all p and v; minus infinity if no such y exists. */
  int32_t (*messages)(void *user, int64_t memberships, const int64_t *sizes,
                      const double *const *incoming, double *const *outgoing);
  /* Finds the y that maximises phi(y) + sum_p incoming[p][value of p on y]. Writes its `length`
   * labels to labelling, the value of each membership on y to values, and phi(y) to *score. If
   * every y is forbidden, writes minus infinity to *score; the other outputs are then ignored. */
  int32_t (*decode)(void *user, int64_t memberships, const int64_t *sizes,
                    const double *const *incoming, int32_t *labelling, int32_t *values,
                    double *score);
} chorale_instance;

/* Adds an instance. *index: receives the number of the instance; may be NULL. The struct is
 * copied; `user` is borrowed until the last reference to the model is released. Errors:
 * STRUCT_SIZE, SIZE. */
CHORALE_API chorale_status chorale_model_builder_add_instance(chorale_model_builder *builder,
                                                              const chorale_instance *instance,
                                                              int64_t *index, chorale_error *error);

/* ---- Repeated words -------------------------------------------------------------------------- */

/* Adds the cliques of the classical model of repeated words: a position clique for every token id
 * that occurs at least words->minimum times in a group (with `across`: in all chains). Only chains
 * added so far count. The members are all these occurrences. Cliques are numbered by group (unless
 * `across`), then by token id.
 * setup: of each clique, as for chorale_model_builder_add_cliques, without a property and a centre.
 *   values 0 without label_values: R is the number of labels of the chains.
 * words: only kind, which must be WORDS, across, minimum, stop and stop_count are read (decode.h).
 *   NULL: their defaults.
 * *first, *count: receive the number of the first clique and the number of cliques; may be NULL.
 * Errors: STRUCT_SIZE, KIND, SIZE, SIZE_OVERFLOW, VALUES_MISMATCH, LABELS_MISMATCH, OUT_OF_RANGE,
 * TOKENS_MISSING (no chain has tokens). O(N log N) in the number N of tokens. [Sharing labels of
 * repeated words] */
CHORALE_API chorale_status chorale_model_builder_add_repeated_words(
    chorale_model_builder *builder, const chorale_clique_setup *setup,
    const chorale_agreement *words, int64_t *first, int64_t *count, chorale_error *error);

/* ---- What a model holds ---------------------------------------------------------------------- */

/* Writes what a clique was added with to *setup, in the form that chorale_model_builder_add_cliques
 * takes; chorale_model_get_members (model.h) has the members. `values` is R for every clique,
 * without EMPTY and CONFLICT. All pointers are borrowed while the model exists. If the potentials
 * of a centred clique are over R values, and a member can be EMPTY, those written are over R + 2
 * values, with EMPTY and CONFLICT uncounted. Errors: NULL_ARGUMENT, STRUCT_SIZE, OUT_OF_RANGE. Any
 * thread. */
CHORALE_API chorale_status chorale_model_get_clique(const chorale_model *model, int64_t clique,
                                                    chorale_clique_setup *setup,
                                                    chorale_error *error);

/* Returns the model of the run that labelled the corpus, borrowed until `decoded` is destroyed. NULL
 * for NULL. */
CHORALE_API const chorale_model *chorale_decoded_model(const chorale_decoded *decoded);

/* ---- Formats of stored messages -------------------------------------------------------------- */

/* The number format in which messages are stored. A membership has two rows of R (or R + 2)
 * numbers, one for each direction. A new row that differs from the stored one by no more than
 * rounding counts as unchanged. Computation is in double precision, and equation 1 is always
 * evaluated from the scores. Differences and limits below are multiples of the run's *unit*. The
 * unit is a power of two near the lower quartile, over positions, of the difference between the
 * best and the second-best score. So results do not depend on the scale of the scores.
 *
 * CHORALE_MESSAGES_AUTO: FLOAT64 if all messages take less than 256 KB, or if model, run (one thread,
 * no bound) and scores (copied or borrowed) together then take at most twice the bytes of the
 * scores; otherwise MAGNITUDE16. If only instances have scores: FLOAT64.
 *
 * For cliques of repeated words, model, run and scores then take at most twice the bytes of the scores
 * if chains have at least m labels:
 *   m = 5    float64 scores, cliques within documents or the 10 commonest words left out
 *   m = 9    float64 scores
 *   m = 10   float32 scores, cliques within documents and the 10 commonest words left out, or the 100
 *            commonest words left out
 *   m = 20   float32 scores, the 10 commonest words left out
 * and else up to 3.5 times. Sizes: scores take 8 m bytes for each position (float32: 4 m). Model and
 * run add, with two bytes a number, 4 m + 8 bytes for each membership (4 m + 5 in small corpora),
 * about 6 for each position (10 with a copied token), 26 for each clique, 90 for each chain, and
 * scratch memory of 16 m + 80 bytes for each member of the largest clique. If cliques go across a
 * corpus, this clique is large, since the commonest word makes up about a twentieth of a text. */
enum {
  /* 16 bytes for each value of a membership (both directions). A difference counts as 0 if it is at
   * most 1e-12, or at most 1e-12 times the number */
  CHORALE_MESSAGES_FLOAT64 = 10,
  /* 4 bytes for each value of a membership. Stores distances from the greatest entry of the row,
   * rounded to 11 bits (0.05 %), from 1e-12 to 8e9 (greater finite distances become 8e9). Minus
   * infinity is kept, and no finite number becomes minus infinity. Values whose messages differ by
   * less than the rounding can tie */
  CHORALE_MESSAGES_MAGNITUDE16 = 30
};

/* ---- Cost ------------------------------------------------------------------------------------ */

typedef struct chorale_run_cost {
  size_t struct_size;   /* sizeof(chorale_run_cost) */
  size_t run_bytes;     /* bytes that chorale_run_create allocates */
  size_t model_bytes;   /* bytes that the model has allocated, including copied scores */
  size_t score_bytes;   /* bytes of all scores, copied or borrowed, except those of transitions */
  double chain_steps;   /* additions in the chains in one round: sum over the chains of T m^2 x
                           configurations */
  double clique_scores; /* numbers read by the cliques in one round: sum over the cliques of n R */
} chorale_run_cost;

/* Computes the size and cost of a run without creating it. Errors: as for create, except
 * STATE_SPACE. Any thread. */
CHORALE_API chorale_status chorale_run_estimate(const chorale_model *model,
                                                const chorale_run_options *options,
                                                chorale_run_cost *cost, chorale_error *error);

/* ---- Step by step ---------------------------------------------------------------------------- */

/* Does one round (the first call: the start). When messages have converged, or rounds alternate
 * between two labellings, a step does nothing and reports 0 messages_changed, until scores change
 * or a solve does more rounds. result: may be NULL.
 * Errors: as for chorale_run_solve. */
CHORALE_API chorale_status chorale_run_step(chorale_run *run, chorale_run_result *result,
                                            chorale_error *error);
/* chorale_run_local_search does only the local search (and the repair, if no labelling has been
 * found). chorale_run_bound does only `steps` more steps of the bound. Errors: as for a step; of
 * chorale_run_bound also SIZE (steps < 0) and STATE (the run was created with bound_steps 0). */
CHORALE_API chorale_status chorale_run_local_search(chorale_run *run, chorale_run_result *result,
                                                    chorale_error *error);
CHORALE_API chorale_status chorale_run_bound(chorale_run *run, int64_t steps,
                                             chorale_run_result *result, chorale_error *error);

/* Sets the time limit (seconds for each call of step, solve, local search or bound; 0: no limit;
 * negative: it has passed) and the cancel flag (may be NULL, borrowed until the run is destroyed).
 * Errors: NULL_ARGUMENT (run), NOT_A_NUMBER, BUSY. */
CHORALE_API chorale_status chorale_run_set_limits(chorale_run *run, double time_limit,
                                                  const chorale_cancel *cancel,
                                                  chorale_error *error);

/* Discards messages, labellings, edits and replaced scores: the run is then as if newly created
 * without `earlier`, but keeps the limits of chorale_run_set_limits. NULL is ignored. */
CHORALE_API void chorale_run_reset(chorale_run *run);

/* Replaces the scores of chain `chain` in this run. `scores`: a chain of the same length, number of
 * labels and shape (both chains, or both trees with the same parents), whose arrays and transitions
 * are borrowed until the run is destroyed or reset, or the scores of this chain are replaced again.
 * Messages are kept. The next step or solve decodes the chain without its cliques and evaluates
 * equation 1 of the best labelling again.
 * Errors: those of a chain, OUT_OF_RANGE, KIND (an instance), SHAPE (another length, number of
 * labels or shape), STATE_SPACE, BUSY, OUT_OF_MEMORY. */
CHORALE_API chorale_status chorale_run_set_chain(chorale_run *run, int64_t chain,
                                                 const chorale_chain *scores, chorale_error *error);

/* ---- Results --------------------------------------------------------------------------------- */

/* Errors of all calls below: those of the results of run.h. */

/* Writes the value of each member of a clique, in the order of members: 0 .. R-1, R for EMPTY, R +
 * 1 for CONFLICT, -1 for a value outside a dictionary without UNLISTED, and for a member that is
 * left out. A centre is the last member; its entry is the value of the centre. */
CHORALE_API chorale_status chorale_run_values(const chorale_run *run, int64_t clique,
                                              chorale_labelling labelling, int32_t *values,
                                              int64_t capacity, int64_t *needed,
                                              chorale_error *error);

/* Writes the whole result as JSON (UTF-8, RFC 8259; numbers that are not finite as null), an object
 * with
 *
 *   outcome, proven, rounds, best_round, score, chain_score, clique_score, own_score, upper_bound,
 *   gap, changed_chains   as in chorale_run_result; outcome is "complete", "iteration-limit",
 *             "deadline", "cancelled", "infeasible" or "nothing-found" (without a labelling the
 *             call fails with NO_LABELLING)
 *   chains    an array of { score, labels, changed } and, where a chain changed, own_score,
 *             own_labels, reasons: an array of { clique, member, position, own_value, value,
 *             amount, others, agreeing_before, agreeing }
 *   cliques   an array of { score, values }
 *   left_out  an array of { chain, position, obstacle, clique }: the chains that are left out, whose
 *             score is null; obstacle is "scores", "transitions", "cliques" or "unknown"
 *
 * buffer: a buffer of `capacity` bytes. The text ends in NUL, which `needed` includes. */
CHORALE_API chorale_status chorale_run_json(const chorale_run *run, char *buffer, size_t capacity,
                                            size_t *needed, chorale_error *error);

/* ---- Dictionaries ---------------------------------------------------------------------------- */

/* A dictionary: the subset of a property's values that a clique uses, numbered from 0 in ascending
 * order. After them may come one more value, UNLISTED, which represents all values outside the
 * subset.
 *
 * With UNLISTED, all values outside the subset are the one value UNLISTED: a labelling that fires
 * two of them shows UNLISTED, and a labelling that fires one of them and a value of the subset
 * shows CONFLICT. Without UNLISTED, a labelling that fires one value outside the subset, and no
 * other value, shows -1; a labelling that fires two different values shows CONFLICT, whether they
 * are in the subset or not. */

/* Treatment of the values of a property that are not in a dictionary. */
typedef int32_t chorale_unlisted;
enum {
  CHORALE_UNLISTED_FORBIDDEN = 0, /* no UNLISTED. Messages and decoding exclude every labelling that
                                     fires such a value, even if the labelling shows CONFLICT */
  CHORALE_UNLISTED_AS_VALUE = 1   /* with UNLISTED, which stands for all such values */
};

/* Creates a dictionary, of R distinct values with UNLISTED, or without. values: `count` values >= 0
 * in any order, repetitions allowed; copied.
 * Errors: NULL_ARGUMENT, SIZE (count < 0, or no value and no UNLISTED), SIZE_OVERFLOW,
 * OUT_OF_RANGE, UNKNOWN_CONSTANT (unlisted), OUT_OF_MEMORY. O(count log count). */
CHORALE_API chorale_status chorale_dictionary_create(const chorale_host *host,
                                                     const int32_t *values, int64_t count,
                                                     chorale_unlisted unlisted,
                                                     chorale_dictionary **dictionary,
                                                     chorale_error *error);

/* Drops a reference; dropping the last one destroys the dictionary. NULL is ignored. Any thread. */
CHORALE_API void chorale_dictionary_release(const chorale_dictionary *dictionary);

/* ---- Chains under properties ----------------------------------------------------------------- */

/* Chains and trees under properties: property-aware messages, and decoding under messages.
 *
 * Properties (property.h) are attached to a chain. For each property p the chain is a member of
 * one clique, from which it has received a message m_p: a score for each value of p. With
 *
 *     Phi(y) = phi(y) + sum_p m_p(value of p on y)          (phi: the score of the chain, chain.h)
 *
 * chorale_chain_decode finds the labelling y that maximises Phi. chorale_chain_messages computes,
 * for each property p and each of its values v, including EMPTY and CONFLICT, the message of the
 * chain to the clique of p,
 *
 *     max { Phi(y) - m_p(v) : p has value v on y }   (equation 6 of run.h; subtracting m_p(v)
 *                                                     leaves out the incoming message of p)
 *
 * With one property, messages are always exact. With several, joint_mode, beam_width and max_states
 * of the options of a run (run.h) choose the method. No other field of the options is read; NULL:
 * defaults. Decoding allocates T x m x 4 bytes for each configuration that can be alive.
 */

/* A property on a chain with its inputs and incoming message. All pointers are borrowed for the
 * duration of a call. */
typedef struct chorale_attachment {
  size_t struct_size; /* sizeof(chorale_attachment) */
  const chorale_property *property;
  const chorale_dictionary *dictionary; /* NULL: the property's own values */
  const int32_t *classes; /* T entries: the class of each position. NULL: all 0. Not read by
                             properties of create_position_label and create_token_label */
  const int32_t *table;   /* T entries: for FIRE_TABLE, the value to fire, or -1 for none; for a
                             property of create_token_label, any numbers, such as token ids. May be
                             NULL if the property reads no table */
  /* Message of a clique to this chain: R + 2 scores, one for each value, EMPTY and CONFLICT; minus
   * infinity forbids. R is that of the dictionary if there is one. NULL: zeros. */
  const double *message;
} chorale_attachment;

/* Computes the value that a labelling (`length` labels) shows, and the values that it fires.
 * parents: of a tree, as in chorale_chain; NULL: a chain.
 * value: receives the value shown: 0 .. R-1, R (EMPTY) or R + 1 (CONFLICT), in the numbers of the
 *   dictionary if there is one; -1 if the labelling fires one value, which is outside a dictionary
 *   without UNLISTED. May be NULL.
 * fired: a buffer (chorale.h) for all values fired, in order of positions, with repetitions, even if
 *   the labelling shows CONFLICT, in the property's own numbers even with a dictionary. They serve,
 *   for instance, to create a dictionary of the values that occur (the paper's first approximation).
 *   Capacity length + 1 always suffices.
 * Errors: NULL_ARGUMENT, STRUCT_SIZE, SIZE, SIZE_OVERFLOW, CAPACITY, OUT_OF_RANGE (labels, classes,
 * parents), VALUE_OUTSIDE_RANGE (table), PARENT_ORDER, PARENT_CYCLE, AUTOMATON_ON_TREE. If the call
 * fails, *value is unchanged. O(T). Any thread. */
CHORALE_API chorale_status chorale_property_shown(const chorale_attachment *attachment,
                                                  int64_t length, const int32_t *labelling,
                                                  const int32_t *parents, int32_t *value,
                                                  int32_t *fired, int64_t capacity,
                                                  int64_t *needed, chorale_error *error);

typedef struct chorale_message_result {
  size_t struct_size;      /* sizeof(chorale_message_result) */
  chorale_outcome outcome; /* COMPLETE; INFEASIBLE: every labelling is proven to be forbidden;
                              NOTHING_FOUND: no allowed labelling was found by a beam or
                              local scores, which does not prove that there is none */
  int32_t pruned;          /* 1: a beam dropped configurations */
  int32_t exact;           /* 1: messages or labelling are exact, up to rounding */
  int64_t configurations; /* greatest number of configurations alive at one position */
  /* After decoding: Phi (score), phi (chain_score) and the sum of the messages' entries
   * (message_score, added in the order of the properties) of the labelling found. score =
   * chain_score + message_score. Computing messages sets all three to 0. */
  double score;
  double chain_score;
  double message_score;
} chorale_message_result;

/* Errors of both calls below: those of a chain (chain.h); NULL_ARGUMENT, STRUCT_SIZE, SIZE,
 * SIZE_OVERFLOW, UNKNOWN_CONSTANT, LABELS_MISMATCH (property), OUT_OF_RANGE (classes, messages),
 * VALUE_OUTSIDE_RANGE (table), NOT_A_NUMBER, INFINITE (messages), AUTOMATON_ON_TREE, STATE_SPACE,
 * OUT_OF_MEMORY. No allocation once the workspace is large enough. */

/* Computes the messages of the chain to its cliques.
 *
 * attachments: `count` (>= 1) structs, with the incoming messages.
 * outgoing: `count` pointers. outgoing[p] receives the message to the clique of property p: R_p + 2
 *   scores, minus infinity for values that no labelling has. If outgoing[p] is NULL, this message
 *   is not computed. Must not overlap incoming messages.
 * result: may be NULL.
 * Cost of one message: at most T x m^2 x configurations; on a tree also T x m x configurations^2,
 * to combine the subtrees of a position. With several properties on a chain, a pass with a narrow
 * beam comes first, except in LOCAL_SCORES. Its scores are lower bounds, by which the main pass
 * drops partial labellings without changing the result. */
CHORALE_API chorale_status chorale_chain_messages(
    chorale_chain_solver *solver, const chorale_chain *chain, const chorale_attachment *attachments,
    int64_t count, const chorale_run_options *options, double *const *outgoing,
    chorale_message_result *result, chorale_error *error);

/* Finds the labelling that maximises Phi (exactly or not: see `exact` of the result). count may be
 * 0. labelling: receives T labels; may be NULL. values: receives the value of each of the `count`
 * properties on the labelling; may be NULL. If no labelling was found, neither array is written.
 * result: may be NULL. */
CHORALE_API chorale_status chorale_chain_decode(
    chorale_chain_solver *solver, const chorale_chain *chain, const chorale_attachment *attachments,
    int64_t count, const chorale_run_options *options, int32_t *labelling, int32_t *values,
    chorale_message_result *result, chorale_error *error);

/* ---- Problems: what was set ------------------------------------------------------------------ */

/* Returns the number of texts of a list; 0 for an absent list and for NULL. Any thread. */
CHORALE_API int64_t chorale_problem_text_count(const chorale_problem *problem,
                                               chorale_text_list list);
/* Returns the kind of a clique; -1 if it has none. Any thread. */
CHORALE_API int32_t chorale_problem_clique_kind(const chorale_problem *problem, int64_t clique);
/* Returns the name of a value of a clique, from the list that chorale_problem_set_cliques gave to
 * the clique. If the clique has a dictionary, `value` is a number in the dictionary; the index in
 * the list is then the value of the property that has this number. NULL if there is no name, and
 * for EMPTY and CONFLICT. Borrowing, length and threads as in chorale_problem_text. */
CHORALE_API const char *chorale_problem_value_name(const chorale_problem *problem, int64_t clique,
                                                   int32_t value, size_t *length);

/* ---- Problems: notes ------------------------------------------------------------------------- */

/* Sets or replaces a note: a text of text_length bytes under a name of name_length bytes (at least
 * 1). An empty text, which may be NULL, removes the note. Name and text are copied. The lists
 * CHORALE_TEXTS_NOTE_NAMES and CHORALE_TEXTS_NOTES have all notes. Errors: NULL_ARGUMENT, SIZE
 * (name_length), TEXT, OUT_OF_MEMORY. */
CHORALE_API chorale_status chorale_problem_set_note(chorale_problem *problem, const char *name,
                                                    size_t name_length, const char *text,
                                                    size_t text_length, chorale_error *error);

/* ---- Problems: files as bytes in memory ------------------------------------------------------ */

/* Writes the problem in the file format to `bytes`, a buffer of `capacity` bytes (chorale.h). The
 * bytes are the same on every little-endian machine. Errors: NULL_ARGUMENT, CAPACITY, NOT_SAVABLE
 * (a callback potential), OUT_OF_MEMORY (scratch memory). O(bytes). Any thread. */
CHORALE_API chorale_status chorale_problem_write(const chorale_problem *problem, void *bytes,
                                                 size_t capacity, size_t *needed,
                                                 chorale_error *error);

/* Creates a problem from the bytes of a problem file in memory. borrow 1: the bytes are not copied;
 * they must be aligned to 64, and stay valid and unchanged until the problem is destroyed and its
 * model released. borrow 0: the bytes are copied.
 * Errors: as for chorale_problem_load, without INPUT_OUTPUT; ALIGNMENT (borrow).
 * O(bytes). */
CHORALE_API chorale_status chorale_problem_read(const chorale_host *host, const void *bytes,
                                                size_t size, int32_t borrow,
                                                chorale_problem **problem, chorale_error *error);

/* ---- Prices ---------------------------------------------------------------------------------- */

/* Prices: inference for cliques whose members are divided over several models.
 *
 * A word of a corpus or an entity of a knowledge graph may have more members than one machine can
 * label together. The corpus is then divided into parts, each with a model of its own. A *shared
 * clique* has members in several parts; the model of each part has a clique with the members in
 * this part. For each shared clique, the parts send *counts*, the number of their members with each
 * value, and receive *prices*, the score that each value adds to a member.
 *
 * A convex function lies above its tangents. Let C be the potential of a shared clique, a sum over
 * the values v of a convex table f_v of the count n_v. Let n and m be two vectors of counts of the
 * clique, and p_v the slope of f_v at n_v: the price of v. Then
 *
 *     C(m)  >=  C(n) + sum_v p_v (m_v - n_v).
 *
 * This holds for all n and m if f_v(0) = 0 for all v. Otherwise it holds if some member has a
 * counted value in n, and some member has one in m: where no member has one, C is 0 by definition
 * (potential.h).
 *
 * So let n be the present counts, and let every part maximise its own scores plus the prices of its
 * members. Then equation 1 (model.h) of the whole corpus never decreases, for any number of shared
 * cliques. A round over the corpus:
 *
 *     for each shared clique:  add the counts of all parts; chorale_potential_prices
 *     for each part:           chorale_prices_solve, then chorale_prices_counts
 *
 * Labels depend only on the prices, not on earlier calls nor on how the parts are distributed over
 * machines. Counts are integers, whose sums are exact in any order. A round may also solve each
 * part under several alternative prices and keep the best result. Under any prices p,
 *
 *     sum over parts of max (scores + prices)
 *       + sum over shared cliques of max_m [ C(m) - sum_v p_v m_v ]
 *
 * is an upper bound on equation 1; chorale_potential_most computes the maximum over m.
 *
 * [Not in the paper (potential.h). The paper's alpha-pass, section "Clique inference for ADDITIVE
 * potentials", sorts all members of a clique, and so needs all of them on one machine.] */

/* A model in which prices replace the potentials of some cliques (the shared ones), and a run of
 * this model. One thread at a time. */
typedef struct chorale_prices chorale_prices;

/* Creates a run of `model` in which the cliques `cliques[0 .. count-1]` are shared. The model is
 * kept alive; its other cliques are solved as in any run.
 *
 * cliques: numbers of cliques of the model, each once; not centred. Their potentials in the model
 *   only say how many prices a clique has, one for each value of the potential (R or R + 2,
 *   model.h); their families and numbers are not used.
 * options: as for chorale_run_create; NULL for defaults. The option `edits` is ignored;
 *   message_element AUTO means FLOAT64 here, since other formats would round the prices.
 * Errors: those of chorale_run_create; NULL_ARGUMENT, SIZE (count), OUT_OF_RANGE (cliques), KIND (a
 *   centred clique), DUPLICATE_MEMBER (a clique twice). O(chains + members + prices). */
CHORALE_API chorale_status chorale_prices_create(const chorale_host *host,
                                                 const chorale_model *model,
                                                 const int64_t *cliques, int64_t count,
                                                 const chorale_run_options *options,
                                                 chorale_prices **prices, chorale_error *error);
/* Destroys the run; NULL is ignored. */
CHORALE_API void chorale_prices_destroy(chorale_prices *prices);

/* Labels the model under prices, always from a new start: the same prices give the same labels,
 * whatever was solved before. Allocates nothing, except memory that callbacks allocate.
 *
 * numbers: `count` finite doubles, the prices: for each shared clique, in the order in which
 *   `cliques` names them, one price for each value of its potential. A potential over R + 2 values
 *   has them in the order 0 .. R-1, EMPTY, CONFLICT. Under a potential over R values, the price of
 *   EMPTY and CONFLICT is 0. NULL with count 0: all prices are 0.
 * result: as from chorale_run_solve, but clique_score includes the prices of the members of shared
 *   cliques; may be NULL. The `score` of the result is the maximum of scores plus prices, up to
 *   rounding, if no clique that is not shared has two members, and chains are decoded exactly
 *   ("Chains under properties"). With 0 rounds and no local search the prices are not used, and the labelling is
 *   that of the chains without cliques.
 * *score: receives equation 1 of the labelling found, without shared cliques and without prices:
 *   what this part adds to equation 1 of the corpus, before the potentials of the shared cliques.
 *   Minus infinity if there is no labelling. May be NULL.
 * Errors: those of chorale_run_solve; SHAPE (count), NOT_A_NUMBER, INFINITE, OUT_OF_RANGE (a
 *   magnitude above 1e280). After an error in the arguments the last labelling is kept. */
CHORALE_API chorale_status chorale_prices_solve(chorale_prices *prices, const double *numbers,
                                                int64_t count, double *score,
                                                chorale_run_result *result, chorale_error *error);

/* Writes the counts of the labelling of the last solve: for each shared clique and each value of
 * its potential the number of members with this value (with weights: the sum of their weights), in
 * the same order as the prices in `numbers`. Not counted: members with a value outside a dictionary
 * that has no UNLISTED, and, if the potential has R values, members with EMPTY or CONFLICT.
 *
 * counts: a buffer with `capacity` and `needed` (chorale.h). `needed` is also the `count` that
 *   chorale_prices_solve requires.
 * Errors: NULL_ARGUMENT, SIZE (a negative capacity), CAPACITY, NO_LABELLING (with a buffer),
 *   BUSY. */
CHORALE_API chorale_status chorale_prices_counts(const chorale_prices *prices, int64_t *counts,
                                                 int64_t capacity, int64_t *needed,
                                                 chorale_error *error);

/* Returns the run, for the results of run.h such as labels; borrowed until `prices` is destroyed.
 * The run's model has the cliques of the model passed to create, with prices in place of the
 * potentials of shared cliques. NULL for NULL. */
CHORALE_API const chorale_run *chorale_prices_run(const chorale_prices *prices);

/* Computes the prices and the score of a shared clique from its counts in all parts. The price of a
 * value is the slope of its table.
 *
 * counts: `values` counts >= 0, summed over all parts. Their sum may be below `members`, if some
 *   members have EMPTY or CONFLICT and the potential does not have these values.
 * members: n, the number of members in all parts (with weights: the sum of their weights).
 * prices: receives `values` numbers; 0 for uncounted values. The slope of a table f at a count k is
 *   taken as (f(k + 1) - f(k - 1)) / 2, or as f(1) - f(0) at k = 0 and f(n) - f(n - 1) at k = n.
 *   For Potts this is 2 lambda n_v if 0 < n_v < n. With these slopes the inequality at the top of
 *   this section holds for a convex SUM whose tables begin with 0, for all counts m. If the tables do
 *   not begin with 0, it holds if some count of a counted value is above 0, both in `counts` and in
 *   m. May be NULL.
 * *score: receives C of the counts. May be NULL.
 * Errors: NULL_ARGUMENT (potential, counts), VALUES_MISMATCH, SIZE, OUT_OF_RANGE, TABLE_TOO_SHORT,
 *   KIND (prices: not a SUM that is convex and without forbidden counts),
 *   CALLBACK_VALUE, CALLBACK_STOPPED, OUT_OF_MEMORY (a callback with uncounted values). Any thread.
 *   O(R); the score of a MAJORITY or of PAIRS O(R^2). */
CHORALE_API chorale_status chorale_potential_prices(const chorale_potential *potential,
                                                    const int64_t *counts, int64_t values,
                                                    int64_t members, double *prices, double *score,
                                                    chorale_error *error);

/* Computes max over m of [ C(m) - sum_v p_v m_v ], where C is the potential and m stands for all
 * counts whose sum is at most `members`.
 *
 * prices: `values` finite doubles p_v. *most: receives the maximum.
 * Errors: NULL_ARGUMENT, VALUES_MISMATCH, SIZE, NOT_A_NUMBER, INFINITE, OUT_OF_RANGE (a price of
 *   magnitude above 1e280), TABLE_TOO_SHORT, KIND (as in chorale_potential_prices). Any thread.
 *   O(R). */
CHORALE_API chorale_status chorale_potential_most(const chorale_potential *potential,
                                                  const double *prices, int64_t values,
                                                  int64_t members, double *most,
                                                  chorale_error *error);

CHORALE_END_DECLS

#endif
