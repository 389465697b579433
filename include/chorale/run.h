/* Runs: collective inference over one model.
 *
 * A run passes messages between chains and cliques and stores the labelling with the highest score
 * by equation 1 (model.h) among those that it meets. [Section "Collective inference as message
 * passing on the cluster graph" of the paper, see potential.h]
 *
 *   start     decodes every chain without its cliques (finds the labelling with the greatest score
 *             phi of the chain). No result scores below this labelling of all chains, the *own* one.
 *             A chain without an allowed labelling is *left out*: it takes no part in the run, as
 *             if the model had neither the chain nor its members of cliques (chorale_run_left_out).
 *   round r   computes the messages of every clique to its members, decodes every chain under these
 *             messages (finds the labelling with the greatest sum of score and messages), computes
 *             the messages of every chain to its cliques, and evaluates equation 1 of the
 *             labelling. Messages with unchanged inputs are not computed again. The rounds of a
 *             solve end when the messages have converged (none changes by more than rounding), or
 *             when rounds only alternate between two labellings.
 *   local search  starts from the best labelling of the rounds, and again from the own one. Decodes
 *             one chain at a time with all other chains fixed, until no chain gains. Never lowers
 *             equation 1.
 *   repair    runs only if some clique forbids every labelling met so far: decodes one chain at a
 *             time to bring the counts of cliques nearer to allowed counts, in a limited search. If
 *             an allowed labelling is found, a local search starts from it (unless the option
 *             `no_local_search` is 1).
 *   regroup   moves several chains at once: makes some members of a clique take another value, then
 *             decodes the chains around them one at a time, and keeps the move if equation 1 gains.
 *             Such moves are drawn, always in the same order, until they have not gained for a
 *             while (the option `effort`). By default they begin only in cliques that are likely to
 *             gain. Left out where the bound has met the score, in very large models and in large
 *             cliques.
 *   bound     on request, computes an upper bound of equation 1 by dual decomposition. This meets
 *             labellings, too, some of which a local search improves.
 *
 * Messages. The message of chain i to clique p has an entry for each value v,
 *
 *     m_{i -> p}(v) = max over labellings y of i that have value v in p of
 *                     phi_i(y) + sum_{q != p} m_{q -> i}(value of y in q)              (equation 6)
 *
 * where phi_i is the score of the chain. The message of clique p to chain i has an entry for each
 * value v,
 *
 *     m_{p -> i}(v) = max over values x of all members with x_i = v of
 *                     sum_{j != i} m_{j -> p}(x_j) + C_p(counts of x)                  (equation 7)
 *
 * computed as a max-marginal (clique.h). A chain with several positions in one clique has a message
 * for each position; the outgoing message of a position leaves out the incoming message of this
 * position alone. In a centred clique, let C_c be the potential for value c of the centre. The
 * centre receives, for each c, the maximum over values x of all other members of the sum of their
 * messages and C_c(counts of x). Any other member receives equation 7 with C_c in place of C_p,
 * plus the entry for c of the centre's message, maximised over c.
 *
 * A run may be used by one thread at a time, except that several threads may read results at once
 * (see "Results"). It holds a reference on its model. chorale_run_create allocates all memory.
 * Later only some calls under "Results" allocate; so does the system when
 * it starts threads. Results have the same bits for any number of threads and any executor. A
 * series of steps gives the same bits as one solve with an `effort` below 0, and a run after a
 * reset the same bits as a new run.
 *
 * Where R is large, messages and counts of a property clique cover only the values that its
 * members can fire (model.h, "Cost of large R"). They take O(members x number of these values)
 * memory, and a round takes as long as with a dictionary of these values. The messages of such a
 * clique are copied from another run (`earlier` of chorale_run_create) only if the same values can
 * fire in both runs.
 *
 * A deadline or a cancel ends a call within milliseconds, also inside the computation of a chain,
 * tree or clique; only instances and callbacks of the host are not interrupted. Finished work is
 * kept, and the next call of the same function continues in the middle of the round, local search
 * or bound: the final result has the same bits as that of a single call without limits (if scores
 * are so large that rounding swallows gains: the same score). A chain or clique whose computation
 * was interrupted is computed anew. So that every call makes progress, the
 * first chain or clique of a call with a limit above 0 may take 40 ms even if the limit is shorter.
 * This time doubles after each call that finished no chain or clique. The first call decodes every
 * chain without its cliques, whatever the limits. So after every call there is a labelling, at
 * worst the own one, unless no chain has any. If a clique forbids the labelling, its score is
 * minus infinity; all other sets of connected chains have their best labels all the same, and
 * chorale_model_score (model.h) of these labels tells which cliques forbid theirs; for a model with
 * an instance, chorale_run_json (experimental.h) does. Limits apply to solve, step, local search
 * and bound; all other calls ignore the clock and the cancel flag.
 */
#ifndef CHORALE_RUN_H
#define CHORALE_RUN_H

#include "chorale/clique.h"
#include "chorale/model.h"

CHORALE_BEGIN_DECLS

typedef struct chorale_run chorale_run;

/* ---- Options ------------------------------------------------------------------------------ */

/* Methods for several properties. The exact dynamic program extends its state, the label, by a
 * *configuration*, the joint state of all properties: for every property the state of its automaton
 * and, while the property may still fire, the value that it has fired so far. Once a property can
 * fire nothing more, the entry of m_p for its value is added to the score, and the value is dropped
 * from the configuration.
 * Each configuration at a position costs at most as much as a position of a chain without
 * properties, O(m^2). Only reachable configurations are computed; those stored at one position are
 * *alive*. */
typedef int32_t chorale_joint_mode;
enum {
  /* EXACT if no position has more than `max_states` alive configurations, otherwise BEAM of width
   * `max_states`. */
  CHORALE_JOINT_AUTO = 0,
  /* Exact. The call fails with STATE_SPACE if a position would have more than `max_states` alive
   * configurations. */
  CHORALE_JOINT_EXACT = 10,
  /* The paper's second approximation, local absorption (potential.h): the message m of a property
   * becomes local scores, which are those of positions. Every position where the property fires v
   * gets m(v) - m(EMPTY), or m(v) if m(EMPTY) is minus infinity. Configurations then hold only the
   * states of the automata. While the message of one property is computed, they also hold the value
   * that this property has fired. Exact if no property fires twice; if a property fires more often,
   * the scores of all its firings are added. `max_states` applies as in EXACT. */
  CHORALE_JOINT_LOCAL_SCORES = 20,
  /* The paper's third approximation: keeps the best `beam_width` configurations at each position.
   * They are ranked by their best score over all labels plus, for each property whose message has
   * not been added yet, the message entry of the value fired so far (EMPTY if none). */
  CHORALE_JOINT_BEAM = 30
};

/* The number format in which messages are stored; experimental.h has others. */
typedef int32_t chorale_message_element;
enum {
  /* Double precision where messages are few or memory stays small beside the scores; otherwise two
   * bytes for each value of a message */
  CHORALE_MESSAGES_AUTO = 0
};

/* The caller's executor. Calls body(body_user, i, worker) once for every i in 0 .. count - 1, in
 * any order and on any threads, and returns when all calls have returned. `worker` is in 0 ..
 * workers - 1 and differs between calls that run at the same time. If the executor leaves out an i,
 * repeats an i, or passes an i or worker out of range, the run's call fails with EXECUTOR. A call
 * of body with an i that it had before does nothing. */
typedef void (*chorale_parallel_body)(void *body_user, int64_t i, int64_t worker);
typedef void (*chorale_parallel_for)(void *user, int64_t count, int64_t workers,
                                     chorale_parallel_body body, void *body_user);

/* Progress, passed to a callback after every round and every step of the bound, on the thread that
 * calls the run. The callback returns 0, or non-zero to end the call like a cancel. The callback
 * may make calls that take the run as const, which read the best labelling so far; "The run" below
 * lists the calls that it may not make. */
typedef struct chorale_progress {
  size_t struct_size;
  int64_t round;            /* 0: each chain was decoded without its cliques */
  int64_t messages_changed; /* number of messages of cliques to members that the round changed */
  double score;             /* equation 1 of the labelling of this round or step of the bound */
  double best_score;        /* score of the best labelling so far */
  double upper_bound; /* plus infinity before one has been computed */
} chorale_progress;
typedef int32_t (*chorale_progress_function)(void *user, const chorale_progress *progress);

enum { CHORALE_NO_ROUNDS = -1 };

typedef struct chorale_run_options {
  size_t struct_size;          /* sizeof(chorale_run_options) */
  int64_t rounds;              /* greatest number of rounds of a solve; 0: 10; CHORALE_NO_ROUNDS:
                                  only the start */
  double damping;              /* 0 <= d < 1: a clique's new message is d * old message + (1 - d) *
                                  computed message. Default 0 */
  chorale_algorithm algorithm; /* for messages of cliques: one that finds max-marginals (clique.h).
                                  AUTO is used for cliques whose potential it does not fit. Default
                                  AUTO */
  int32_t exact_marginals;     /* 1: messages of cliques are exact wherever the family has an exact
                                  solver (slow for convex sums). Default 0 */
  int32_t no_local_search;     /* 1: a solve leaves out the local search, which decodes one chain
                                  at a time again while the score rises. Default 0 */
  /* 1: messages of a property clique cover only the values that some member chain fires in its best
   * labelling without cliques, even if this labelling shows CONFLICT (the paper's first
   * approximation). Equation 1 still scores all values. Creating a run then decodes the chains of
   * property cliques once more. Not applied to cliques with an instance. Default 0 */
  int32_t restrict_range;
  /* 1: the run takes chorale_run_set_allowed and chorale_run_set_strength ("Edits" below). This costs
   * m bytes for each position, 30 for each chain, 40 for each clique, and two counts for each value of
   * a clique. Does not affect the choice of a format by message_element AUTO. Default 0 */
  int32_t edits;
  /* How chains under several properties are decoded. In modes EXACT and LOCAL_SCORES, creating a run
   * decodes every such chain once, and fails with STATE_SPACE if a chain needs more configurations
   * than `max_states`. Later messages may need more configurations: LOCAL_SCORES stores more states
   * where messages forbid EMPTY, and then drops configurations beyond `max_states` like a beam; EXACT
   * prunes configurations by the messages, so under other messages it may need more and end the call
   * with STATE_SPACE.
   * For each thread, a run allocates about T x (m + 1) x 8 bytes for each configuration that can be
   * alive, where T is the length of the chain that needs most. */
  chorale_joint_mode joint_mode;
  chorale_message_element message_element; /* format in which messages are stored. Default AUTO */
  int64_t beam_width; /* configurations that BEAM keeps at a position; 0: 300 */
  int64_t max_states; /* greatest number of configurations alive at a position; 0: 1024 */
  /* Threads (0: 1), which share the work by chain and by clique. More than 256 count as
   * 256. Without an executor: the calling thread and threads - 1 more, which exist only inside a
   * call. With an executor: the number of workers of the executor; the library starts no thread. */
  int64_t threads;
  chorale_parallel_for executor;
  void *executor_user;
  double time_limit; /* time limit in seconds of each call that computes; 0 (default): none; negative: it
                        has passed */
  const chorale_cancel *cancel;       /* may be NULL. Borrowed until the run is destroyed */
  chorale_progress_function progress; /* called after every round and every step of the
                                         bound; may be NULL. If it returns other than 0, the call
                                         ends as after a cancel */
  void *progress_user;
  /* Greatest number of steps by which a solve lowers the upper bound; 0 (default): no bound. A step
   * decodes every chain and solves every clique. The steps end early when the bound meets the
   * score. The bound is plus infinity if the potential of some clique has no bound (PAIRS,
   * CALLBACK), or if a dictionary without UNLISTED omits values that can fire. */
  int64_t bound_steps;
  /* How long a solve looks for moves of several chains ("regroup" above): it ends after an amount
   * of work without a gain, which is a multiple of this number. 1: about ten times
   * the time of a run without moves, wherever they might gain. 0 (default): less than half of that,
   * only where they are likely to gain, and nowhere in runs with `edits`. Below 0: no moves, as with
   * no_local_search. More effort, if above 0, never scores less. */
  double effort;
  /* Rules that the labelling must keep (rules.h), read by chorale_decode alone: every other call fails
   * with KIND if rules are given. NULL: none. */
  const struct chorale_rules *rules;
} chorale_run_options;

/* ---- The run ------------------------------------------------------------------------------ */

/* Calls on a run from a callback of the same run. Step, solve, local search, bound, set_chain,
 * set_allowed, set_strength, set_labels, set_limits, max_marginals and probabilities return BUSY
 * and change nothing; destroy and reset do nothing and write a warning to the host's log. Calls
 * that take a const run, and chorale_run_create with the run as `earlier`, succeed in the progress
 * callback; in callbacks of potentials, instances and executors, which run while labellings change,
 * they return BUSY. Calls on other runs are allowed. */

/* Creates a run. host, options: may be NULL.
 * earlier: NULL, or a run whose messages and best labelling the new run starts from. If `earlier`
 *   is on another model, that model must have as many chains and as many cliques as `model`. A
 *   clique then starts from the messages of the clique with the same number if the two have as many
 *   members and values, and a chain from the labels of the chain with the same number if the two
 *   have as many positions and labels. The options of `earlier` may differ. `earlier` is not
 *   changed.
 * No limit ends the call: it ignores the clock and options->cancel. Its time is linear in the size
 * of the model and, for chains with several properties, in the configurations that it counts.
 * Errors: NULL_ARGUMENT, STRUCT_SIZE, SIZE, SIZE_OVERFLOW, OUT_OF_RANGE, NOT_A_NUMBER,
 *   UNKNOWN_CONSTANT, KIND (options->rules), STATE_SPACE, MODEL_MISMATCH and BUSY (earlier),
 *   OUT_OF_MEMORY. */
CHORALE_API chorale_status chorale_run_create(const chorale_host *host, const chorale_model *model,
                                              const chorale_run_options *options,
                                              const chorale_run *earlier, chorale_run **run,
                                              chorale_error *error);
/* Destroys a run; NULL is ignored. */
CHORALE_API void chorale_run_destroy(chorale_run *run);

/* Replaces the best labelling by one of the caller's, for instance that of another system. The next
 * step or solve scores this labelling and the own one; the better of the two becomes the best
 * labelling, and the local search starts from both, so that no result scores below either of the
 * two. Messages are kept. Until that step or solve the run has no labelling (NO_LABELLING).
 *
 * labels: `count` labels, one for each position, chain by chain; -1 for none. Entries of instances
 *   are ignored. Instances, chains with a position without label, and chains whose scores forbid the
 *   given labels use their own labels.
 * Errors: NULL_ARGUMENT, SHAPE (count), OUT_OF_RANGE (labels), BUSY. O(positions + members). */
CHORALE_API chorale_status chorale_run_set_labels(chorale_run *run, const int32_t *labels,
                                                  int64_t count, chorale_error *error);

/* Result of a call on a run. Outcomes: COMPLETE (messages have converged), ITERATION_LIMIT (all
 * rounds are done, or the rounds alternate between two labellings), DEADLINE, CANCELLED, INFEASIBLE
 * (proven: no chain has a labelling, or the requested bound is minus infinity), NOTHING_FOUND
 * (some clique forbids every labelling met). After NOTHING_FOUND other labellings may be allowed:
 * to find one is NP-hard, so the search is limited. Whatever the outcome, there are labels unless no
 * chain has a labelling; a score of minus infinity says that some clique forbids them. */
typedef struct chorale_run_result {
  size_t struct_size; /* sizeof(chorale_run_result) */
  chorale_outcome outcome; /* how the call ended */
  int32_t proven;        /* 1: upper_bound - score <= 1e-9 |score|, or within rounding: at most
                            1e-12 (sum_i |phi_i| + sum_p |C_p|) */
  int64_t rounds;        /* number of rounds done so far, without the start */
  int64_t best_round;    /* number of rounds done when the best labelling last changed, in whole or
                            in part; 0 if the local search of the own labelling changed it last */
  double score;          /* equation 1 of the best labelling: chain_score + clique_score; minus
                            infinity if a clique forbids it or there is none */
  double chain_score;    /* sum of phi_i over the chains. The chains are added in their order, in
                            blocks of 1024; then the sums of the blocks are added */
  double clique_score;   /* sum of C_p over the cliques, added in blocks in the same way */
  double own_score;      /* equation 1 of the own labelling, without rules (rules.h): with them it
                            may be above `score` */
  double rounds_score;   /* the greatest equation 1 of the labelling of a single round. The best
                            labelling may score more: it takes each set of connected chains from the
                            round in which this set scored most */
  /* Equation 1 after the local search from the best labelling of the rounds. */
  double local_search_score;
  double local_search_own_score; /* the same from the own labelling */
  double upper_bound;       /* on equation 1; plus infinity where none was computed */
  double gap;               /* upper_bound - score */
  int64_t changed_chains;   /* number of chains whose labels differ from their own */
  int64_t messages_changed; /* number of messages of cliques to members that changed in the last
                               round */
  int64_t chain_updates;    /* how often a chain computed messages or was decoded, in all rounds */
  int64_t clique_updates;   /* how often a clique computed messages, in all rounds */
  int64_t left_out;         /* number of chains that are left out, since they have no labelling.
                               Scores and bound are those of all other chains */
} chorale_run_result;

/* Does the remaining rounds, local search, repair and bound. A further call does `rounds` more
 * rounds. result: may be NULL. Errors: NULL_ARGUMENT, STRUCT_SIZE, CALLBACK_VALUE,
 * CALLBACK_STOPPED, STATE_SPACE, EXECUTOR, BUSY. After an error the run is as after a cancel. Cost
 * of a round: O(T m^2) for each chain, and one computation of all max-marginals
 * (chorale_clique_max_marginals) for each clique. */
CHORALE_API chorale_status chorale_run_solve(chorale_run *run, chorale_run_result *result,
                                             chorale_error *error);

/* ---- Edits --------------------------------------------------------------------------------
 *
 * Edits correct a run without a new model, for annotation tools and for results that people correct
 * by hand. A run created with options->edits = 1 accepts three kinds of edit at any time: which
 * labels of a position are allowed (chorale_run_set_allowed), the strength of a clique
 * (chorale_run_set_strength) and the scores of a chain (chorale_run_set_chain, experimental.h).
 * Each edit may be set and lifted any number of times. The next chorale_run_solve applies all
 * edits. If the rounds and the local search were complete before the edits, this solve works only
 * around the edits, and takes time in proportion to what they change, not to the size of the
 * corpus.
 *
 * The result never scores below the earlier best labelling by equation 1 under the new scores. (If
 * an edit forbids labels of the earlier labelling, the comparison is with the earlier labelling in
 * which the edited chains are decoded without cliques.) The result can differ from that of a new
 * run with the same inputs, whose messages start from zero: either may score higher. The local
 * search of such a solve visits chains around the edits: that no chain gains by itself is not
 * promised, though rarely untrue. A further solve visits all chains.
 *
 * A further solve, without edits in between, does rounds for the whole corpus as usual; so does one
 * after edits that reach a large part of it. The same calls in the same order give the same bits, for
 * any number of threads and any limits. In the result of a solve that works only around edits,
 * `rounds_score` and `local_search_score` equal `score`.
 *
 * Edits belong to one run. A run that is created with an edited run as `earlier` starts from its
 * labelling, but with the inputs of the model. */

/* Allows only some labels of a position, in addition to what the chain itself forbids.
 *
 * allowed: m bytes, 0 forbids the label; copied. NULL: lifts the restriction of an earlier call. If
 *   only one byte is not 0, its label is forced.
 * Errors: NULL_ARGUMENT (run), STATE (options->edits was 0), OUT_OF_RANGE (chain, position), KIND
 *   (an instance), FORBIDDEN_VALUE (no label remains: each is forbidden by `allowed`, by the
 *   chain's own `forced` or `allowed`, or has minus infinity as its unary score), BUSY. Nothing is
 *   changed on errors. If the labels that remain cannot follow each other, solves leave the chain
 *   out until the edit is lifted. O(T m). */
CHORALE_API chorale_status chorale_run_set_allowed(chorale_run *run, int64_t chain,
                                                   int64_t position, const uint8_t *allowed,
                                                   chorale_error *error);

/* Multiplies the potential of a clique (of a centred clique: all its potentials) in this run: it
 * becomes `factor` times the potential in the model. Factor 1 restores the potential of the model. The call allocates nothing.
 *
 * factor: 0, or from 1e-6 to 1e6, so that scores divided by the factor stay in range. Counts that
 *   the potential forbids stay forbidden, also with factor 0.
 * Errors: NULL_ARGUMENT (run), STATE (options->edits was 0), OUT_OF_RANGE (clique; factor, also if
 *   the numbers of the potential would leave the range of scores), NOT_A_NUMBER, BUSY. */
CHORALE_API chorale_status chorale_run_set_strength(chorale_run *run, int64_t clique,
                                                    double factor, chorale_error *error);

/* ---- Results ------------------------------------------------------------------------------ */

/* Selects the labelling that a result describes. */
typedef int32_t chorale_labelling;
enum {
  CHORALE_TOGETHER = 0, /* the labelling with the highest equation 1 found so far */
  CHORALE_ALONE = 1     /* every chain decoded without its cliques: the own labelling */
};

/* In place of the index of a chain: all chains. */
enum { CHORALE_ALL_CHAINS = -10 };

/* Calls below without an argument `labelling` describe CHORALE_TOGETHER. Errors of all calls below:
 * NULL_ARGUMENT, OUT_OF_RANGE (chain, clique), UNKNOWN_CONSTANT (labelling), NO_LABELLING (the start
 * is not complete, or no chain has a labelling; from chorale_run_max_marginals and
 * chorale_run_probabilities also if a clique forbids the labelling), SIZE (a
 * negative capacity), CAPACITY, BUSY (from a callback of the run, see "The run" above);
 * CALLBACK_STOPPED and CALLBACK_VALUE, if a potential's callback fails, from the calls that evaluate
 * cliques (chorale_run_reasons, chorale_run_json). Calls that take a
 * const run may be made from several threads at once while no call changes the run. They allocate
 * scratch memory (OUT_OF_MEMORY) only for the counts of cliques with many values, for chains that
 * are left out (chorale_run_left_out, chorale_run_json) and, in chorale_run_json, for large
 * cliques. */

/* Writes the result of the last step, solve, local search or bound to *result, even if the run has
 * no labelling. */
CHORALE_API chorale_status chorale_run_get_result(const chorale_run *run,
                                                  chorale_run_result *result, chorale_error *error);
/* A chain that is left out, since every labelling of it is forbidden: by its scores and transitions,
 * or by these together with the cliques that have no other member. The latter is tested by an exact
 * decode, unless there are more joint states than `max_states` or a property of the chain has a
 * dictionary without UNLISTED.
 *
 * Where this test cannot be made, as for a clique with several members that are all in the chain, a
 * solve or local search looks for an allowed labelling. If it finds none, or tables of such a
 * clique forbid every count, it leaves the chain out with OBSTACLE_UNDECIDED, and begins again from
 * the start with all others, unless no other chain is left (a solve does `rounds` rounds again, and
 * `rounds` of the result counts these). Such a chain keeps the labels that it has by itself, and
 * chorale_model_score() of all labels is then minus infinity. A clique of several chains leaves no
 * chain out. */
typedef struct chorale_left_out {
  int64_t chain;    /* number of the chain */
  int64_t position; /* of the obstacle; -1 if it is a clique or not known */
  chorale_obstacle obstacle; /* what forbids its labellings */
  int32_t reserved;
  int64_t clique; /* with OBSTACLE_CLIQUES: the first clique such that it and the chain's cliques
                     before it, in the order of their positions, suffice; with OBSTACLE_UNDECIDED: a
                     clique that allows no labelling met; otherwise -1 */
} chorale_left_out;

/* Writes the chains that are left out, in ascending order, even if no chain has a labelling. If
 * several positions forbid every labelling of a chain, names the last of them.
 *
 * left_out: a buffer of `capacity` entries.
 * left_out_size: sizeof(chorale_left_out), the distance of entries in bytes.
 * Errors: STRUCT_SIZE (left_out_size). O(T m^2) for each of these chains. */
CHORALE_API chorale_status chorale_run_left_out(const chorale_run *run, chorale_left_out *left_out,
                                                size_t left_out_size, int64_t capacity,
                                                int64_t *needed, chorale_error *error);

/* Writes the T labels of a chain, or those of CHORALE_ALL_CHAINS, chain after chain. -1 for each
 * position of a chain that is left out and not undecided (chorale_left_out). labels: a buffer with `capacity` and `needed` (chorale.h), like all buffers below. */
CHORALE_API chorale_status chorale_run_labels(const chorale_run *run, int64_t chain,
                                              chorale_labelling labelling, int32_t *labels,
                                              int64_t capacity, int64_t *needed,
                                              chorale_error *error);

/* One reason why a chain's labels differ from its own labelling: a clique in which one of its
 * positions, or the whole chain, has another value than under the own labelling. */
typedef struct chorale_reason {
  int64_t agreement; /* index of the agreement that was passed to chorale_decode; -1 in reasons of a
                      * run */
  int64_t clique;    /* number of the clique in the model */
  int64_t chain;     /* number of the chain */
  int64_t position;  /* within the chain; -1: the whole chain or instance */
  /* Evidence for `value`: counts of the other members of the clique, without its centre; with
   * weights, sums of their weights. "`agreeing_before` of `others` others had this value,
   * `agreeing` of `others` have it now." All three are 0 for a centre. */
  int64_t others;          /* all other members */
  int64_t agreeing_before; /* those whose value is `value` under CHORALE_ALONE: as the scores of
                              their own chains say */
  int64_t agreeing;        /* those whose value is `value` under CHORALE_TOGETHER */
  int32_t own_value; /* value under CHORALE_ALONE: a label, or a value of the property, R for EMPTY,
                        R + 1 for CONFLICT */
  int32_t value;     /* value under CHORALE_TOGETHER */
  /* How much the clique's score C would fall if this member alone had own_value, and every other
   * member, even of the same chain, the value that it has now. Plus infinity if the clique forbids
   * these values but not those now, minus infinity if it forbids only those now, 0 if it forbids
   * both. Where it is 0 or less, the clique does not explain the change. */
  double amount;
  int64_t member; /* index of the member in the clique */
} chorale_reason;

/* Writes the reasons of a chain, or of CHORALE_ALL_CHAINS, ordered by chain, then position (whole
 * chains first), then clique. If the label of a position changed and no reason names the position,
 * the label changed because labels of its neighbours did (chorale_decode: or because a rule forbids
 * its own label beside these).
 *
 * reasons: a buffer of `capacity` entries.
 * reason_size: sizeof(chorale_reason), the distance of entries in bytes. If the caller's header
 *   is newer than the library, fields that the library does not know are set to 0.
 * Errors: STRUCT_SIZE (reason_size). */
CHORALE_API chorale_status chorale_run_reasons(const chorale_run *run, int64_t chain,
                                               chorale_reason *reasons, size_t reason_size,
                                               int64_t capacity, int64_t *needed,
                                               chorale_error *error);

/* Writes max-marginals of the positions of a chain under the messages of its cliques.
 *
 * marginals: T x m doubles, row t at marginals + t * row_stride (0: m, rows without gaps).
 * margins: T doubles, the greatest max-marginal of each position minus its second greatest (as in
 *   chorale_chain_max_marginals). Either may be NULL.
 * The max-marginals are exact for this chain under these messages if the chain is in no property
 * clique. Otherwise they come from the dynamic program over configurations in the run's
 * joint mode, whose beam may leave some of them too low. This program gives none on trees and for
 * labels that the beam dropped: each of these max-marginals is the score of a separate decoding, in
 * which the label is forced.
 * A clique whose members are all single items (chains of one position) that are in no other clique
 * stores no messages. If it is small, this call computes its messages; if it is large, the call takes
 * the other members at their current labels, O(n + R).
 * Uses the run's workspace. Errors: also STRIDE, KIND. */
CHORALE_API chorale_status chorale_run_max_marginals(chorale_run *run, int64_t chain,
                                                     double *marginals, int64_t row_stride,
                                                     double *margins, chorale_error *error);

/* Writes the probability of each label at each position of a chain, given the messages of its
 * cliques: the sum of exp(s / temperature) over the labellings with this label, divided by the sum
 * over all labellings of the chain. s is the score of a labelling plus the current messages of the
 * cliques to the chain. [Sum-product on a chain or tree]
 *
 * temperature: above 0, in the unit in which the scores are given; 1 takes scores as log-odds.
 *   Higher temperatures give flatter probabilities; as the temperature falls to 0, the labels with
 *   the best max-marginals share all probability.
 * probabilities: T x m doubles, row t at probabilities + t * row_stride (0: m, rows without gaps).
 *   Each row adds up to 1, up to rounding.
 * exact: may be NULL. Receives 1 if the sums are exact for this chain under these messages, with
 *   all its property cliques. Receives 0 if they would need more configurations than
 *   `max_states`, whatever the joint mode. Then:
 *
 *   On a chain, the sums leave out labellings: no probability is wrong by more than a tenth, and
 *   usual errors are far smaller. On a tree, and on a chain where this cannot be said, messages
 *   become local scores (CHORALE_JOINT_LOCAL_SCORES): approximate, without a bound on the error.
 * Sums are in double precision: differences between labels are lost if all scores of a position are
 * more than about 1e15 times as large as the differences.
 * The messages of a clique are max-marginals: for each value, the best score of the other members,
 * not a sum over their labellings. For single items they are computed as in
 * chorale_run_max_marginals.
 * Uses the run's workspace. Errors: also NOT_A_NUMBER, INFINITE and OUT_OF_RANGE (temperature),
 *   STRIDE, KIND, STATE_SPACE (even with local scores there are more configurations than
 *   `max_states`), NO_LABELLING (also: every labelling of the chain is forbidden by the messages
 *   or, with local scores, because of what it fires), CALLBACK_VALUE and CALLBACK_STOPPED
 *   (single items). After an error, nothing has been written.
 *
 * O(T m^2 x configurations) exponentials; for a tree in property cliques T m times as many. */
CHORALE_API chorale_status chorale_run_probabilities(chorale_run *run, int64_t chain,
                                                     double temperature, double *probabilities,
                                                     int64_t row_stride, int32_t *exact,
                                                     chorale_error *error);

CHORALE_END_DECLS

#endif
