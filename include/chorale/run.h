/* Runs: one collective inference over a model.
 *
 * A run passes messages between chains and cliques and keeps the best labelling it has seen, judged
 * by equation 1 itself. [Collective inference as message passing on the cluster graph]
 *
 *   round 0   every chain is decoded by itself: the labelling no result is ever worse than.
 *   round r   every clique answers its members, every chain is decoded under the answers and sends
 *             new messages, and equation 1 is evaluated on the labelling. Messages whose inputs did
 *             not change are not computed again. A round without changes ends the rounds of a
 *             solve, and so do four that alternate between two labellings.
 *   polish    one chain at a time is decoded anew given what all others show, until none gains:
 *             from the best labelling of the rounds, and from the chains' own. Never lowers
 *             equation 1.
 *   repair    only where cliques forbid every labelling met so far: one chain at a time is decoded
 *             anew to bring counts nearer to what is allowed, in a limited search; what it finds is
 *             polished, if a polish is asked for.
 *   bound     on request, an upper bound of equation 1 by dual decomposition.
 *
 * Messages. Chain i to clique p: the best phi_i + sum_{q != p} m_{q -> i} of all labellings that
 * show v (equation 6). Clique p to chain i: the best sum_{j != i} m_{j -> p} + C_p with value v for
 * i (equation 7), from the max-marginals of clique.h. A chain with several positions in one clique
 * treats each as a separator of its own, whose message leaves out its own incoming one alone. The
 * centre of a centred clique hears, for each of its values c, the best score of the others under
 * the potential of c; the others hear the best over c of the centre's message and the max-marginals
 * under that potential.
 *
 * A run belongs to one thread at a time, and holds a reference on its model. All memory is taken
 * when it is created; nothing is allocated afterwards, except by chorale_run_set_chain, and by the
 * system when it starts threads. The result is the same, bit for bit, for any number of threads,
 * any executor, step by step or to the end, in a fresh or a used run (chorale_run_reset).
 *
 * Messages and counts are over the values that the members of a clique can fire, however many the
 * property has (model.h, Cost of large R): O(members x those) memory, and a round as long as with a
 * dictionary of them. `earlier` runs lend their messages of such a clique only where the same
 * values can fire.
 *
 * A deadline or a cancel is seen within milliseconds of work, inside the computations of chains,
 * trees and cliques too; only instances, and callbacks of the host, take the time they take. What
 * has been done until then stays, and the next call of the same function goes on from there, in the
 * middle of a round, a polish or a bound: however work is cut into calls, the last of them ends
 * with the bits of a single call without limits. A chain or clique that is cut short is begun
 * again. So that every call gets on, the first chain or clique of a call with a limit above 0 may
 * take 40 ms though the limit is shorter, and twice as long after each call in a row that has not
 * got through one; a limit of 0 does nothing. Before round 0 is done there is no labelling. Limits
 * are for step, solve, polish and bound: what makes a run, gives it new scores or tells its results
 * looks at neither clock nor flag.
 */
#ifndef CHORALE_RUN_H
#define CHORALE_RUN_H

#include "chorale/clique.h"
#include "chorale/model.h"

CHORALE_BEGIN_DECLS

typedef struct chorale_run chorale_run;

/* ---- Options ------------------------------------------------------------------------------ */

typedef int32_t chorale_schedule;
enum {
  CHORALE_SCHEDULE_ALL = 0, /* all cliques, then all chains */
  /* One clique at a time, those with the most members off their commonest value first; the chains
   * of its members answer before the next one's turn. */
  CHORALE_SCHEDULE_DISAGREEMENT = 10
};

/* What messages are stored as. A membership has a row of R (or R + 2) numbers each way, and rows
 * are compared with what is stored: one that has changed by no more than rounding counts as
 * converged. Computing is in double precision throughout, and equation 1 is always evaluated by the
 * scores. Limits below are multiples of the run's unit: a power of two of about the size by which a
 * position's best label is ahead of the next one, so that a factor on all scores changes nothing.
 */
typedef int32_t chorale_message_element;
enum {
  /* 16 bytes for both ways; differences of 1e-12 are told */
  CHORALE_MESSAGES_FLOAT64 = CHORALE_FLOAT64,
  /* 8 bytes; differences of 1e-6 */
  CHORALE_MESSAGES_FLOAT32 = CHORALE_FLOAT32,
  /* 4 bytes: a row's distances from its greatest entry, rounded to 11 bits (0.05 %), from 1e-12 to
   * 8e9 (greater ones become that); minus infinity stays what it is, and nothing else becomes it.
   * Values whose messages lie closer together than that can tie */
  CHORALE_MESSAGES_MAGNITUDE16 = 10,
  /* FLOAT64 while all messages take less than 256 KB; then the widest with which model, run (of one
   * thread, without a bound) and scores, borrowed or copied, take at most twice the bytes of the
   * scores. After MAGNITUDE16 comes a byte a number, and one a row: distances rounded to 6 bits
   * (1.6 %), in a unit of the row's own. MAGNITUDE16 where not even that is small enough, FLOAT64
   * where only instances have scores.
   *
   * Repeated words of a text, from 5 labels on, stay within twice the bytes of float64 scores, and
   * of float32 scores if the 100 commonest words make no cliques. If only the 10 commonest do not,
   * or all words do, but within documents: of float32 scores from 9 labels on, and from 5 on if
   * they are borrowed; if all do, across a corpus: from 20 on. What limits it: m labels have 8 m
   * bytes of scores a position (float32: 4 m). Against those stand 2 m + 8 for each membership (2 m
   * + 6 in small corpora), about 4 a position (8 if copied: its token), 10 a clique, 60 a chain,
   * and the room of the largest clique, 16 m + 80 a member: that is large across a corpus, where
   * one word in twenty is the same. */
  CHORALE_MESSAGES_AUTO = 20
};

/* What the caller's executor is to do: call body(body_user, i, worker) once for every i from 0 to
 * count - 1, in any order and on any threads, `worker` from 0 to workers - 1 being different for
 * calls that run at the same time, and return when all are done. If it leaves some out, calls some
 * twice or gives an i or a worker out of range, the run's call ends with EXECUTOR; what it called a
 * second time has not run again. */
typedef void (*chorale_parallel_body)(void *body_user, int64_t i, int64_t worker);
typedef void (*chorale_parallel_for)(void *user, int64_t count, int64_t workers,
                                     chorale_parallel_body body, void *body_user);

/* Told after every round and every step of the bound, on the thread that calls the run. Non-zero
 * ends the call as a cancel would. The callback may call what takes the run as const, which reads
 * the best labelling so far; see "The run" for the rest. */
typedef struct chorale_progress {
  size_t struct_size;
  int64_t round;            /* 0: the chains' own labellings */
  int64_t messages_changed; /* messages of cliques to members that changed in the round */
  double score;             /* equation 1 of the labelling of the round, or step */
  double best_score;
  double upper_bound; /* plus infinity before one has been computed */
} chorale_progress;
typedef int32_t (*chorale_progress_function)(void *user, const chorale_progress *progress);

typedef struct chorale_run_options {
  size_t struct_size;          /* sizeof(chorale_run_options); set by init */
  int64_t rounds;              /* at most; >= 0. Default 10 */
  double damping;              /* share of the old message of a clique in the new, 0 <= d < 1.
                                  Default 0 */
  chorale_schedule schedule;   /* default ALL */
  chorale_algorithm algorithm; /* of clique messages, as in chorale_clique_max_marginals: AUTO
                                  (default), or one to insist on where it fits; AUTO elsewhere */
  int32_t exact_marginals;     /* 1: clique messages exact wherever the family has an exact solver
                                  (slow for convex sums). Default 0 */
  int32_t polish;              /* 0: none. Default 1 */
  /* 1: of a property clique's values only those that fire in some member's own best labelling,
   * inside conflicts too, take part in messages (the paper's first approximation); all are scored
   * as what they are. The chains of property cliques are then decoded once more when the run is
   * created. Not applied to CALLBACK and cardinality potentials. Default 0 */
  int32_t restrict_range;
  int32_t reserved;
  /* How a chain under several properties is treated (message.h): mode, beam_width, budget. EXACT
   * or ABSORPTION beyond the budget is STATE_SPACE when the run is created, which tries every such
   * chain, or given other scores. What is left to the calls is this: absorption has more to
   * remember where messages forbid EMPTY, and drops what is beyond the budget as a beam does; and
   * EXACT leaves out what cannot win, which depends on messages, so that it may exceed the budget
   * under some and end the call with STATE_SPACE. A run
   * holds about T x (m + 1) x 8 bytes for each configuration that can be alive, once a thread. */
  chorale_joint_mode joint_mode;
  chorale_message_element message_element; /* default AUTO */
  int64_t beam_width;
  int64_t budget;
  /* Work is divided by chain and by clique. threads >= 1 (default 1): the calling thread and
   * threads - 1 more, which live only inside a call. With an executor, `threads` is the number of
   * its workers, and the library starts none. */
  int64_t threads;
  chorale_parallel_for executor;
  void *executor_user;
  double time_limit; /* seconds for each call of step or solve; negative (default): none */
  const chorale_cancel *cancel;       /* may be NULL. Borrowed until the run is destroyed */
  chorale_progress_function progress; /* may be NULL */
  void *progress_user;
  /* Steps of the dual ascent; 0 (default): no bound. Plus infinity where some clique's family has
   * none (PAIRS, CALLBACK) or a dictionary leaves values out without OUT. It stops early when the
   * bound meets the score. Each step decodes every chain and solves every clique. */
  int64_t bound_steps;
} chorale_run_options;

/* Fills `options` with the defaults; pass sizeof(chorale_run_options). NULL is ignored. */
CHORALE_API void chorale_run_options_init(chorale_run_options *options, size_t struct_size);

typedef struct chorale_run_cost {
  size_t struct_size;   /* sizeof(chorale_run_cost); set by init */
  size_t run_bytes;     /* what chorale_run_create allocates; restrict_range may need less */
  size_t model_bytes;   /* as chorale_model_bytes */
  size_t score_bytes;   /* as chorale_model_score_bytes */
  double chain_steps;   /* of a round: additions in chains, sum of T m^2 x configurations */
  double clique_scores; /* of a round: sum of n R over the cliques */
} chorale_run_cost;

/* Fills `cost` with zeros; pass sizeof(chorale_run_cost). NULL is ignored. */
CHORALE_API void chorale_run_cost_init(chorale_run_cost *cost, size_t struct_size);

/* The size and cost of a run, before it is made. Errors: as for create, but for what only trying
 * the chains shows (STATE_SPACE). Any thread. */
CHORALE_API chorale_status chorale_run_estimate(const chorale_model *model,
                                                const chorale_run_options *options,
                                                chorale_run_cost *cost, chorale_error *error);

/* ---- The run ------------------------------------------------------------------------------ */

/* In the middle of a call its callbacks cannot change the run: step, solve, polish, bound,
 * set_chain, set_labels, set_limits and max_marginals are BUSY, destroy and reset do nothing (the
 * host's log is told so), and nothing has changed. Calls that take a const run, and
 * chorale_run_create with it as `earlier`, are allowed to the progress callback; to potentials,
 * instances and executors, which are called while labellings change, they are BUSY too. Other runs
 * may be called from anywhere. */

/* Creates a run. host, options: may be NULL.
 * earlier: NULL, or a run whose messages and best labelling this one starts from: of the same
 *   model, where nothing is left to do then, or of one with as many chains and cliques, from which
 *   messages are taken for cliques of the same members and values and labellings for chains of the
 *   same shape. Its options may differ. Only read.
 * Errors: NULL_ARGUMENT, STRUCT_SIZE, SIZE, SIZE_OVERFLOW, OUT_OF_RANGE, NOT_A_NUMBER,
 *   UNKNOWN_CONSTANT, STATE_SPACE, MODEL_MISMATCH and BUSY (earlier), CALLBACK_STOPPED,
 *   CALLBACK_VALUE (an instance of a restricted clique), OUT_OF_MEMORY. */
CHORALE_API chorale_status chorale_run_create(const chorale_host *host, const chorale_model *model,
                                              const chorale_run_options *options,
                                              const chorale_run *earlier, chorale_run **run,
                                              chorale_error *error);
/* NULL is ignored. */
CHORALE_API void chorale_run_destroy(chorale_run *run);
/* Forgets messages and labellings: as if new, without an earlier run. NULL is ignored. */
CHORALE_API void chorale_run_reset(chorale_run *run);

/* From now on the run reads chain `chain` from `scores`, a chain of the same length, labels and
 * shape (both chains or both trees with the same parents), whose arrays and transitions are
 * borrowed until the run is destroyed, reset, or told again. Messages stay; the chain is decoded by
 * itself again, and the best labelling judged anew, by the next step or solve.
 * Errors: those of a chain, OUT_OF_RANGE, KIND (an instance), SHAPE (another length, number of
 * labels or shape), STATE_SPACE, BUSY, OUT_OF_MEMORY. */
CHORALE_API chorale_status chorale_run_set_chain(chorale_run *run, int64_t chain,
                                                 const chorale_chain *scores, chorale_error *error);

/* Has the run go on from a labelling of the caller's in the place of its best one: that of another
 * system, say, or of the last state of a text. The next step or solve scores it beside the chains'
 * own labellings; the better of the two is the best labelling until a better one is met, and the
 * polish starts from both, so that no result scores below it. Messages stay. Until that call the
 * run has no labelling to ask for (NO_LABELLING).
 *
 * labels: of all positions, chain by chain, as chorale_run_all_labels gives them; `count` of them.
 *   Instances, whose entries are not looked at, and chains whose scores forbid these labels go on
 *   from their own best labelling.
 * Errors: NULL_ARGUMENT, SHAPE (count), OUT_OF_RANGE (labels), BUSY. O(positions + members). */
CHORALE_API chorale_status chorale_run_set_labels(chorale_run *run, const int32_t *labels,
                                                  int64_t count, chorale_error *error);

/* How a call ended: COMPLETE (messages have converged), ITERATION_LIMIT (the rounds are used up, or
 * went to and fro between two labellings), DEADLINE, CANCELLED, INFEASIBLE (proven: some chain has
 * no labelling, or the bound on request is minus infinity), NOTHING_FOUND (every labelling met is
 * forbidden by some clique; there may be others: to decide that is NP-hard, so the search for one
 * is limited). */
typedef struct chorale_run_result {
  size_t struct_size; /* sizeof(chorale_run_result); set by init */
  chorale_outcome outcome;
  int32_t proven;        /* 1: upper_bound - score <= 1e-9 |score|, or within rounding: 1e-12
                            (sum_i |phi_i| + sum_p |C_p|) */
  int64_t rounds;        /* done so far, round 0 not counted */
  int64_t best_round;    /* whose labelling is the best, or was polished to it */
  double score;          /* equation 1 of the best labelling: chain_score + clique_score; minus
                            infinity where there is none */
  double chain_score;    /* sum of phi_i, in the order of the chains */
  double clique_score;   /* sum of C_p, in the order of the cliques */
  double own_score;      /* equation 1 of the chains' own best labellings (round 0) */
  double rounds_score;   /* of the best labelling of the rounds, before the polish */
  double polished_score; /* of the polished labelling of the rounds; and of the chains' own */
  double polished_own_score;
  double upper_bound;       /* on equation 1; plus infinity where none was computed */
  double gap;               /* upper_bound - score */
  int64_t changed_chains;   /* that differ from their own best labelling */
  int64_t messages_changed; /* in the last round */
  int64_t chain_updates;    /* chains that computed messages or were decoded, in all rounds */
  int64_t clique_updates;   /* cliques that computed messages, in all rounds */
} chorale_run_result;

/* Fills `result` with zeros; pass sizeof(chorale_run_result). NULL is ignored. */
CHORALE_API void chorale_run_result_init(chorale_run_result *result, size_t struct_size);

/* One round (the first call: round 0). result: may be NULL. Errors: NULL_ARGUMENT, STRUCT_SIZE,
 * CALLBACK_VALUE, CALLBACK_STOPPED, STATE_SPACE, EXECUTOR, BUSY. After an error the run is as after
 * a cancel. O(T m^2) a chain and one all-max-marginals call a clique. */
CHORALE_API chorale_status chorale_run_step(chorale_run *run, chorale_run_result *result,
                                            chorale_error *error);
/* To the end: the rounds that are left, polish, repair, bound. May be called again: `rounds` more.
 */
CHORALE_API chorale_status chorale_run_solve(chorale_run *run, chorale_run_result *result,
                                             chorale_error *error);
/* The polish alone (and the repair, if nothing has been found), and the bound alone, of `steps`
 * more steps (STATE if the run was created with bound_steps 0 and has no memory for the bound). */
CHORALE_API chorale_status chorale_run_polish(chorale_run *run, chorale_run_result *result,
                                              chorale_error *error);
CHORALE_API chorale_status chorale_run_bound(chorale_run *run, int64_t steps,
                                             chorale_run_result *result, chorale_error *error);

/* A new deadline (seconds a call; negative: none) and cancel flag (may be NULL). Errors:
 * NULL_ARGUMENT (run), NOT_A_NUMBER, BUSY. */
CHORALE_API chorale_status chorale_run_set_limits(chorale_run *run, double time_limit,
                                                  const chorale_cancel *cancel,
                                                  chorale_error *error);

/* ---- Results ------------------------------------------------------------------------------ */

/* Which labelling a result is asked of. */
typedef int32_t chorale_labelling;
enum {
  CHORALE_TOGETHER = 0, /* the best labelling found together, under all cliques */
  CHORALE_ALONE = 1     /* every chain's own best labelling, without any clique */
};

/* Everything below that takes no `labelling` speaks of the best labelling found together. Errors of
 * all: NULL_ARGUMENT, OUT_OF_RANGE (chain, clique), UNKNOWN_CONSTANT (labelling), NO_LABELLING
 * (there is none: round 0 has not been done, the run is infeasible, or cliques forbid every
 * labelling met),
 * SIZE (a negative capacity), CAPACITY, BUSY (from a callback of the run). Those that take a const
 * run may be called from several threads at once while none changes it. No allocation, but for
 * cliques of more than 256 columns and, in chorale_run_json, of more than 256 members, whose counts
 * need scratch memory (OUT_OF_MEMORY). */

/* The result as the last call returned it. */
CHORALE_API chorale_status chorale_run_get_result(const chorale_run *run,
                                                  chorale_run_result *result, chorale_error *error);
/* The labels of a chain, T of them. labels: a buffer (chorale.h), as are those below. */
CHORALE_API chorale_status chorale_run_labels(const chorale_run *run, int64_t chain,
                                              chorale_labelling labelling, int32_t *labels,
                                              int64_t capacity, int64_t *needed,
                                              chorale_error *error);
/* The labels of all chains, one after the other. */
CHORALE_API chorale_status chorale_run_all_labels(const chorale_run *run,
                                                  chorale_labelling labelling, int32_t *labels,
                                                  int64_t capacity, int64_t *needed,
                                                  chorale_error *error);
/* phi of a chain, in *score, and whether its labels differ from its own best, in *changed (either
 * may be NULL). */
CHORALE_API chorale_status chorale_run_chain_score(const chorale_run *run, int64_t chain,
                                                   chorale_labelling labelling, double *score,
                                                   int32_t *changed,
                                                   chorale_error *error);
/* C of a clique. */
CHORALE_API chorale_status chorale_run_clique_score(const chorale_run *run, int64_t clique,
                                                    chorale_labelling labelling, double *score,
                                                    chorale_error *error);
/* What the members of a clique show, in their order: 0 .. R-1, R for EMPTY, R + 1 for CONFLICT, -1
 * for a value outside a dictionary without OUT; of a centre, which is the last, its own value. */
CHORALE_API chorale_status chorale_run_values(const chorale_run *run, int64_t clique,
                                              chorale_labelling labelling, int32_t *values,
                                              int64_t capacity, int64_t *needed,
                                              chorale_error *error);

/* Why a chain changed: a membership whose value is not that of the chain's own best labelling. */
typedef struct chorale_payment {
  int64_t clique;
  int64_t member;    /* within the clique */
  int64_t position;  /* -1 for a whole chain or an instance */
  int32_t own_value; /* on the chain's own best labelling */
  int32_t value;     /* now */
  /* What the clique would lose if this member alone showed own_value again, all other members (its
   * own chain's too) as they are: C(now) - C(so). Plus infinity where that is forbidden. */
  double amount;
} chorale_payment;

/* Every payment to a chain, in the order of its positions (whole chains first), then of the
 * cliques. A position that changed without a payment was moved by its neighbours.
 *
 * payments: a buffer of `capacity` entries.
 * payment_size: sizeof(chorale_payment). Entries lie so many bytes apart; where a newer header has
 *   more fields, they are 0.
 * Errors: STRUCT_SIZE (payment_size). */
CHORALE_API chorale_status chorale_run_payments(const chorale_run *run, int64_t chain,
                                                chorale_payment *payments, size_t payment_size,
                                                int64_t capacity, int64_t *needed,
                                                chorale_error *error);

/* Max-marginals of the positions of a chain under the final messages, T x m, row t at marginals + t
 * * row_stride (0: m, rows without gaps), and margins, T, as in chorale_chain_max_marginals. Either
 * may be NULL. Exact for this chain under these messages if no property is on it; otherwise of the
 * joint program, with its mode: a beam may leave some too low, and a label that it loses altogether
 * is decoded for itself. No messages are stored for a clique whose members all are single items
 * (chains of one position) in no other clique. For such an item this call works out the messages of
 * its clique of n members, or, where n > 256, assumes the labels of the other members, O(n + R).
 * Computed in the run's workspace. Errors: also STRIDE, KIND. */
CHORALE_API chorale_status chorale_run_max_marginals(chorale_run *run, int64_t chain,
                                                     double *marginals, int64_t row_stride,
                                                     double *margins, chorale_error *error);

/* The whole of it as JSON (UTF-8, RFC 8259; numbers that are not finite as null), an object with
 *
 *   outcome, proven, rounds, best_round, score, chain_score, clique_score, own_score, upper_bound,
 *   gap, changed_chains   as in chorale_run_result; outcome is "complete", "iteration-limit",
 *             "deadline" or "cancelled" (where there is no labelling there is no JSON)
 *   chains    an array of { score, labels, changed } and, where a chain changed, own_score,
 *             own_labels, payments: an array of { clique, member, position, own_value, value,
 *             amount }
 *   cliques   an array of { score, values }
 *
 * buffer: a buffer of `capacity` bytes; NUL, which `needed` counts too, is at the end. */
CHORALE_API chorale_status chorale_run_json(const chorale_run *run, char *buffer, size_t capacity,
                                            size_t *needed, chorale_error *error);

CHORALE_END_DECLS

#endif
