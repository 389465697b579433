/* Clique inference: the values x_1 .. x_n of the members of one clique that maximise
 *
 *     F(x) = sum_i psi[i][x_i] + C(n_0, .., n_{R-1})                       (Definition 5.1)
 *
 * where C is a symmetric potential of the counts n_v of the values, and the max-marginals
 * m(i, v) = max { F(x) : x_i = v }.
 *
 * A solver is a reusable workspace: one a thread. It grows when a problem needs more than it has,
 * so that solving problems of known sizes after chorale_clique_solver_reserve allocates nothing.
 * A reused solver gives the same bits as a fresh one.
 *
 * Complexities below use n members, R values, and the "section" of Gupta, Sarawagi and Diwan.
 */
#ifndef CHORALE_CLIQUE_H
#define CHORALE_CLIQUE_H

#include "chorale/outcome.h"
#include "chorale/potential.h"

CHORALE_BEGIN_DECLS

/* ---- The problem -------------------------------------------------------------------------- */

typedef struct chorale_clique_problem {
  size_t struct_size; /* sizeof(chorale_clique_problem); set by init */
  int64_t members;    /* n >= 1, at most 2^31 - 1 */
  int64_t values;     /* R >= 1, equal to that of the potential */
  /* psi: n rows of R doubles, row i at scores + i * row_stride. Minus infinity forbids a value;
   * NaN, plus infinity and magnitudes above 1e280, whose sums might overflow, are errors. Borrowed
   * for the length of a call, never written. */
  const double *scores;
  int64_t row_stride; /* in doubles; 0: R, rows without gaps; otherwise at least R */
  /* n entries: the value member i must take, or -1 where it is free. NULL: all free. Borrowed. */
  const int32_t *fixed;
} chorale_clique_problem;

/* Fills `problem` with zeros; pass sizeof(chorale_clique_problem). NULL is ignored. */
CHORALE_API void chorale_clique_problem_init(chorale_clique_problem *problem, size_t struct_size);

/* ---- Algorithms --------------------------------------------------------------------------- */

typedef int32_t chorale_algorithm;
enum {
  /* Chooses by family; the result says what it chose.
   *   MAX, one member, or at most two distinct columns (values that do not count are one):
   *     ALPHA_PASS, exact.
   *   SUM convex: ALPHA_PASS, then ICM from the best labellings of its best alphas (four up to 250
   *     members, fewer beyond) or, for 64 to 255 members, of the best one and from labellings with
   *     two or three large columns; for 16 to 500 members then ICM from where several members have
   *     moved at once. Never below ALPHA_PASS. With a requested gap: COUNT_BOXES from there.
   *   SUM concave: CONCAVE_FLOW, exact, whatever values do not count.
   *   SUM otherwise: as convex, then ALPHA_EXPANSION and ICM again. With a requested gap:
   *     COUNT_BOXES from there.
   *   MAJORITY: EXACT_MAJORITY, exact.
   *   PAIRS, CALLBACK: ALPHA_PASS, then ICM. (PAIRS that is a SUM: as SUM.) */
  CHORALE_ALGORITHM_AUTO = 0,

  /* For every value alpha and every k, the k members that lose least by alpha take it and the
   * others their best other value; the best of these. Any family. Exact for MAX, for two values
   * and for one member; at least 13/15 of the optimum for Potts with lambda > 0 and non-negative
   * finite psi.
   * O(R n log n) for SUM and MAX, O(R^2 n) more for MAJORITY and PAIRS, O(R n) calls for a
   * callback. [alpha-pass; k runs from 0 here] */
  CHORALE_ALGORITHM_ALPHA_PASS = 10,

  /* The same with a set of up to `subset_size` values in the place of alpha. At least 8/9 for
   * Potts as above from subset_size 2 on. O(R^q n (R + log n)) for SUM, whatever members can use:
   * not for R above some hundred. Any family.
   * [Generalized alpha-pass] */
  CHORALE_ALGORITHM_GENERALISED_ALPHA_PASS = 20,

  /* Optimal moves of any set of members to one value, by dynamic programming over the counts moved,
   * until a round over all values finds none. SUM. No guarantee better than 1/2 even for Potts.
   * O(R n^2) a round, memory O(n min(n, R)). Starts from `start`. [alpha-expansion] */
  CHORALE_ALGORITHM_ALPHA_EXPANSION = 30,

  /* Every member takes argmax_v psi_iv + f'_v(n_v) at the counts of the labelling so far, until
   * nothing changes; the score never falls. SUM with convex tables. O(n R) a step. From `start`. */
  CHORALE_ALGORITHM_POLISH = 40,

  /* Moves of one member at a time while one raises the score (iterated conditional modes). Any
   * family. O(n R) scores a sweep. Ends at a labelling no single move improves. From `start`. */
  CHORALE_ALGORITHM_ICM = 50,

  /* MAJORITY: alpha-pass on psi_iv + w_alpha,v that keeps only labellings in which alpha is the
   * majority. No guarantee better than 1/2. O(R^2 n + R n log n). [Modified alpha-pass] */
  CHORALE_ALGORITHM_MODIFIED_ALPHA_PASS = 60,

  /* MAJORITY: Lagrangian relaxation of "alpha has the highest count", one alpha after the other,
   * with three rules for the multipliers. Gives an upper bound as well; no guarantee on the score.
   * O(R n) an iteration and alpha. [Lagrangian Relaxation; Subgradient Optimization, Golden
   * Search, Conservative Coordinate Descent] */
  CHORALE_ALGORITHM_LAGRANGIAN_SUBGRADIENT = 70,
  CHORALE_ALGORITHM_LAGRANGIAN_GOLDEN_SECTION = 71,
  CHORALE_ALGORITHM_LAGRANGIAN_CONSERVATIVE = 72,

  /* MAJORITY: the optimum, by a search over the count k of the majority value, in which the best
   * score is concave, with flows over the R values; bounds drop most majority values and counts.
   * At worst O(R log n) flows of O(n) augmentations of O(R^2 + n R). [Exact Algorithm] */
  CHORALE_ALGORITHM_EXACT_MAJORITY = 80,

  /* SUM with concave tables: the optimum, by n shortest augmenting paths over the R values.
   * O(n (R^2 + n R)) at worst, memory O(n R), also for max-marginals. [Additive potentials,
   * negative lambda] */
  CHORALE_ALGORITHM_CONCAVE_FLOW = 81,

  /* SUM, any tables: the optimum, by branch and bound on the counts of the values with the bound of
   * DUAL_BOUND, a transportation problem where all counts are fixed. Exponential at worst; stops at
   * the requested gap, the node limit, the deadline. */
  CHORALE_ALGORITHM_COUNT_BOXES = 82,

  /* SUM: an upper bound from Lagrange multipliers between the members' choices and one cardinality
   * problem a value, sum_i max_v (psi_iv - mu_iv) + sum_v max_k (k largest mu_iv + f_v(k)), and the
   * best labelling found on the way. O(R n log n) an iteration. */
  CHORALE_ALGORITHM_DUAL_BOUND = 90
};

/* The name of an algorithm in lower case, "alpha-pass" say; "unknown algorithm" for any other
 * number. Static storage. Any thread. */
CHORALE_API const char *chorale_algorithm_name(chorale_algorithm algorithm);
/* The algorithm of that name in `length` bytes, or -1. Any thread. */
CHORALE_API chorale_algorithm chorale_algorithm_from_name(const char *name, size_t length);

/* Where ALPHA_EXPANSION, POLISH and ICM start. */
typedef int32_t chorale_start;
enum {
  CHORALE_START_INDEPENDENT = 0, /* every member's best value (the lowest of equals) */
  CHORALE_START_VALUE = 1,       /* every member that may takes start_value, others their best */
  CHORALE_START_ASSIGNMENT = 2,  /* start_assignment */
  CHORALE_START_ALPHA_PASS = 3   /* what ALPHA_PASS finds */
};

typedef struct chorale_clique_options {
  size_t struct_size; /* sizeof(chorale_clique_options); set by init */
  chorale_algorithm algorithm;
  chorale_start start;
  int32_t start_value;             /* START_VALUE: 0 .. R-1 */
  int32_t subset_size;             /* GENERALISED_ALPHA_PASS: q >= 1, default 2 */
  const int32_t *start_assignment; /* START_ASSIGNMENT: n values, none forbidden. Borrowed. */
  /* Sweeps, rounds, multiplier steps (a majority value or node); 0: the algorithm's own limit. */
  int64_t iteration_limit;
  int64_t node_limit; /* COUNT_BOXES: nodes in all; 0: none */
  /* COUNT_BOXES: nodes kept at once, after which the search goes depth first. All their memory is
   * taken before the search: about 8 n + 8 R bytes a node and a bit for each of the n R scores, but
   * no more than 1 GiB in all (then fewer nodes, at least one), nor for more than the (n + 1)^R
   * boxes of counts there can be. 0: as many as fit in 16 MB, at least 16, at most 8192. */
  int64_t node_pool;
  /* LAGRANGIAN_*: violation of complementary slackness that ends a relaxation, as a fraction of the
   * largest useful multiplier; >= 0, default 1e-3. */
  double tolerance;
  /* Requested gap: stop when upper bound - score <= gap * |score|, or within rounding: 1e-12
   * (sum_i |psi[i][x_i]| + |C(n)|). Negative (default -1): none requested, AUTO looks for no bound
   * it need not compute. 0 asks for a proof. */
  double gap;
  /* Seconds from the start of the call; negative (default): none. Every algorithm looks at clock
   * and flag within milliseconds of work, however large the clique; arguments are checked whatever
   * the time, which takes one walk over the scores, and a labelling is copied to `assignment`. The
   * answer is the best labelling so far, that of each member's best value at least. Of more than a
   * million scores (n R) all must have been read before there is one: a limit that comes earlier
   * leaves no labelling (score minus infinity, `assignment` as it was), and any limit leaves
   * `marginals` as they were. To score so many takes long too: labellings are scored on the way,
   * which takes at most a fifth of the time, a cancel answers with the best of those, and of a time
   * limit an eighth at most is kept back for the last one. A callback is not called again once a
   * limit is seen, but to score the answer. */
  double time_limit;
  const chorale_cancel *cancel; /* may be NULL. Borrowed. */
  int32_t exact_marginals;      /* 1: max-marginals must be exact; see there. Default 0. */
  int32_t reserved;             /* 0 */
} chorale_clique_options;

/* Fills `options` with the defaults; pass sizeof(chorale_clique_options). NULL is ignored. */
CHORALE_API void chorale_clique_options_init(chorale_clique_options *options, size_t struct_size);

/* ---- Results ------------------------------------------------------------------------------ */

typedef struct chorale_clique_result {
  size_t struct_size; /* sizeof(chorale_clique_result); set by init */
  chorale_outcome outcome;
  chorale_algorithm algorithm; /* what ran; AUTO (0) only from chorale_clique_score */
  int32_t proven;          /* 1: upper_bound - score <= 1e-9 |score|, or within rounding (gap) */
  int32_t marginals_exact; /* max-marginals: 1 exact, 0 lower bounds that labellings attain */
  double score;            /* member_score + clique_score */
  double member_score;     /* sum_i psi[i][x_i], added in the order of i */
  double clique_score;     /* C(n) */
  double upper_bound;      /* on F over all labellings; plus infinity where none was computed */
  int64_t iterations;      /* sweeps, rounds, multiplier steps or flows, summed */
  int64_t nodes;           /* COUNT_BOXES: nodes bounded */
} chorale_clique_result;

/* Fills `result` with zeros; pass sizeof(chorale_clique_result). NULL is ignored. */
CHORALE_API void chorale_clique_result_init(chorale_clique_result *result, size_t struct_size);

/* ---- The solver --------------------------------------------------------------------------- */

typedef struct chorale_clique_solver chorale_clique_solver;

/* What a workspace is sized for. */
typedef int32_t chorale_clique_task;
enum { CHORALE_CLIQUE_SOLVE = 0, CHORALE_CLIQUE_MAX_MARGINALS = 1 };

/* Creates a solver with an empty workspace. Errors: NULL_ARGUMENT (solver), STRUCT_SIZE,
 * OUT_OF_MEMORY. */
CHORALE_API chorale_status chorale_clique_solver_create(const chorale_host *host,
                                                        chorale_clique_solver **solver,
                                                        chorale_error *error);

/* Creates a solver inside the caller's memory: `bytes` at `memory`, aligned to 64, which must
 * outlive it. It never allocates; a problem that does not fit is WORKSPACE_TOO_SMALL. The log of
 * `host` is used, its allocator is not. Errors: NULL_ARGUMENT (memory, solver), STRUCT_SIZE,
 * ALIGNMENT, WORKSPACE_TOO_SMALL. */
CHORALE_API chorale_status chorale_clique_solver_create_in(const chorale_host *host, void *memory,
                                                           size_t bytes,
                                                           chorale_clique_solver **solver,
                                                           chorale_error *error);

/* NULL is ignored. Memory given to create_in is the caller's again. */
CHORALE_API void chorale_clique_solver_destroy(chorale_clique_solver *solver);

/* The bytes that create_in needs for any problem of at most `members` members with this potential
 * and options (NULL: defaults) under `task`, stored in *bytes. Errors: as for the task itself.
 * Any thread. */
CHORALE_API chorale_status chorale_clique_solver_bytes(const chorale_potential *potential,
                                                       int64_t members,
                                                       const chorale_clique_options *options,
                                                       chorale_clique_task task, size_t *bytes,
                                                       chorale_error *error);

/* Grows the workspace so that no such problem allocates. On failure the solver is as before.
 * Errors: as for the task itself; WORKSPACE_TOO_SMALL in the caller's memory. */
CHORALE_API chorale_status chorale_clique_solver_reserve(chorale_clique_solver *solver,
                                                         const chorale_potential *potential,
                                                         int64_t members,
                                                         const chorale_clique_options *options,
                                                         chorale_clique_task task,
                                                         chorale_error *error);

/* Finds the best values.
 *
 * options: NULL for defaults.
 * assignment: n entries, receives x; may be NULL. Left untouched when nothing feasible was found.
 * result: receives the rest; may be NULL. struct_size must be set.
 * Errors: NULL_ARGUMENT (solver, potential, problem, scores, start_assignment), STRUCT_SIZE, SIZE,
 *   SIZE_OVERFLOW, STRIDE, VALUES_MISMATCH, NOT_A_NUMBER, INFINITE, OUT_OF_RANGE, FORBIDDEN_VALUE,
 *   TABLE_TOO_SHORT, UNKNOWN_CONSTANT, ALGORITHM_MISMATCH, NOT_CONVEX, NOT_CONCAVE,
 *   CALLBACK_VALUE, CALLBACK_STOPPED, OUT_OF_MEMORY, WORKSPACE_TOO_SMALL.
 * No allocation once the workspace is large enough. Cost: that of the algorithm. */
CHORALE_API chorale_status chorale_clique_solve(chorale_clique_solver *solver,
                                                const chorale_potential *potential,
                                                const chorale_clique_problem *problem,
                                                const chorale_clique_options *options,
                                                int32_t *assignment, chorale_clique_result *result,
                                                chorale_error *error);

typedef int32_t chorale_marginal_form;
enum {
  CHORALE_MARGINAL_SCORE = 0,  /* m(i, v): the best F with x_i = v */
  CHORALE_MARGINAL_MESSAGE = 1 /* m(i, v) - psi_iv: what the others and the potential say of
                                  x_i = v, defined where psi_iv is minus infinity too (member i's
                                  own score, and its `fixed`, left out). Message clique -> instance
                                  of equation 7. */
};

/* All max-marginals in one call.
 *
 * Exact for MAX, MAJORITY, concave SUM, two columns and one member, by the exact algorithm;
 * otherwise the restricted alpha-pass: lower bounds, each attained by a labelling.
 * options->exact_marginals = 1 asks for exact ones: free where they are exact anyway, by
 * COUNT_BOXES for every other SUM (slow; under a limit they may end as lower bounds, which the
 * result says), NOT_EXACT for other PAIRS and CALLBACK. options->algorithm: AUTO, or ALPHA_PASS,
 * EXACT_MAJORITY, CONCAVE_FLOW, COUNT_BOXES to insist.
 *
 * marginals: n rows of R doubles, row i at marginals + i * row_stride (0: R, rows without gaps),
 *   written by the call; must not overlap `scores`. m(i, v) is minus infinity where no labelling
 *   with x_i = v was found.
 * assignment, result: as in chorale_clique_solve; the labelling is the best one met, and no
 *   marginal of its values lies below its score.
 * Errors: as in chorale_clique_solve; NULL_ARGUMENT (marginals), STRIDE, NOT_EXACT.
 * Cost: MAX O(R n (R + log n)); SUM alpha-pass O(R n min(R, n)) where no count is forbidden and
 *   tables start at 0 (f_v(0) other than 0: a sum of those values for each value more; more than 64
 *   different f_v(1) - f_v(0) among more than 512 values, and more than 2 n: the last digit may
 *   round otherwise); concave SUM one solve and O(m^3 + n R) for m = min(n, R); MAJORITY one solve
 *   and O(R^3 + n R) a flow kept; PAIRS, CALLBACK and SUM that forbids counts O(R^3 n) scores:
 *   above some hundred values these take seconds. Memory: O(n R) for MAX, SUM and CALLBACK; O(R^2)
 *   more for MAJORITY and PAIRS, as for their weights. */
CHORALE_API chorale_status chorale_clique_max_marginals(
    chorale_clique_solver *solver, const chorale_potential *potential,
    const chorale_clique_problem *problem, const chorale_clique_options *options,
    chorale_marginal_form form, double *marginals, int64_t row_stride, int32_t *assignment,
    chorale_clique_result *result, chorale_error *error);

/* The score of a given assignment (n values): score, member_score and clique_score of *result, as
 * chorale_clique_solve would report them; the other fields are 0, upper_bound plus infinity. A
 * forbidden value makes member_score and score minus infinity, and `fixed` is not
 * looked at. Errors: as in chorale_clique_solve; NULL_ARGUMENT (assignment, result), OUT_OF_RANGE
 * (assignment). O(n R) to check the scores, for MAJORITY and PAIRS O(R^2) more. */
CHORALE_API chorale_status chorale_clique_score(chorale_clique_solver *solver,
                                                   const chorale_potential *potential,
                                                   const chorale_clique_problem *problem,
                                                   const int32_t *assignment,
                                                   chorale_clique_result *result,
                                                   chorale_error *error);

CHORALE_END_DECLS

#endif
