/* More about runs: formats of stored messages, cost in advance, rounds and bound step by step,
 * changes of scores and limits, and single results. */
#ifndef CHORALE_EXPERIMENTAL_RUN_H
#define CHORALE_EXPERIMENTAL_RUN_H

#include "chorale/experimental/model.h"

CHORALE_BEGIN_DECLS

/* ---- Formats of stored messages ---------------------------------------------------------- */

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

/* ---- Cost -------------------------------------------------------------------------------- */

typedef struct chorale_run_cost {
  size_t struct_size;   /* sizeof(chorale_run_cost) */
  size_t run_bytes;     /* bytes that chorale_run_create allocates */
  size_t model_bytes;   /* as chorale_model_bytes */
  size_t score_bytes;   /* as chorale_model_score_bytes */
  double chain_steps;   /* additions in the chains in one round: sum over the chains of T m^2 x
                           configurations (message.h) */
  double clique_scores; /* numbers read by the cliques in one round: sum over the cliques of n R */
} chorale_run_cost;

/* Computes the size and cost of a run without creating it. Errors: as for create, except
 * STATE_SPACE. Any thread. */
CHORALE_API chorale_status chorale_run_estimate(const chorale_model *model,
                                                const chorale_run_options *options,
                                                chorale_run_cost *cost, chorale_error *error);

/* ---- Step by step ------------------------------------------------------------------------ */

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

/* ---- Results ----------------------------------------------------------------------------- */

/* Errors of all calls below: those of the results of run.h. */

/* Writes phi of a chain under `labelling` to *score, minus infinity if the chain is left out.
 * Writes 1 to *changed if the labels of the chain under CHORALE_TOGETHER and CHORALE_ALONE differ,
 * else 0, whatever `labelling` is. Either may be NULL. */
CHORALE_API chorale_status chorale_run_chain_score(const chorale_run *run, int64_t chain,
                                                   chorale_labelling labelling, double *score,
                                                   int32_t *changed,
                                                   chorale_error *error);
/* Writes the score C of a clique, its potential, to *score. */
CHORALE_API chorale_status chorale_run_clique_score(const chorale_run *run, int64_t clique,
                                                    chorale_labelling labelling, double *score,
                                                    chorale_error *error);
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

CHORALE_END_DECLS

#endif
