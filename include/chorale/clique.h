/* Clique inference: finds the values x_1 .. x_n of the members of one clique that maximise
 *
 *     F(x) = sum_i psi[i][x_i] + C(n_0, .., n_{R-1})      (Definition 5.1 of the paper, see below)
 *
 * psi[i][v] is the score of member i for value v. C is a symmetric potential, n_v the number of
 * members with value v. Clique inference also computes the max-marginals m(i, v), the maximum of
 * F(x) over all x with x_i = v.
 *
 * A solver is a reusable workspace for one thread. The workspace grows when a problem needs more
 * memory; a problem that needs no more than those before it allocates nothing.
 * Results have the same bits whatever the solver was used for before.
 *
 * Complexities below are for n members and R values. The paper is that of Gupta, Sarawagi and Diwan
 * (potential.h); names in [brackets] are its sections.
 */
#ifndef CHORALE_CLIQUE_H
#define CHORALE_CLIQUE_H

#include "chorale/base.h"
#include "chorale/potential.h"

CHORALE_BEGIN_DECLS

/* ---- The problem -------------------------------------------------------------------------- */

typedef struct chorale_clique_problem {
  size_t struct_size; /* sizeof(chorale_clique_problem) */
  int64_t members;    /* n >= 1, at most 2^31 - 1 */
  int64_t values;     /* R >= 1, the number of values of the potential */
  /* psi: n rows of R doubles. Row i is at scores + i * row_stride. Minus infinity forbids a value;
   * NaN, plus infinity and magnitudes above 1e280, whose sums might overflow, are errors. Borrowed
   * for the duration of a call, never written. */
  const double *scores;
  int64_t row_stride; /* in doubles; 0: R, rows without gaps; otherwise at least R */
  /* n entries: the value that member i must take, or -1 if free. NULL: all free. Borrowed. */
  const int32_t *fixed;
  /* n weights >= 1 whose sum is at most 2^31 - 1: member i counts weights[i] times ("Weights"
   * below). NULL: 1 for all. Borrowed for the duration of a call. */
  const int64_t *weights;
} chorale_clique_problem;

/* ---- Weights ------------------------------------------------------------------------------
 *
 * With weights w_i, n_v is the sum of the weights of the members with value v. The sum of all
 * weights takes the place of n in the scale of the potential and in the lengths of its tables. psi
 * is not multiplied: F adds psi[i][x_i] once. Examples of weights: how often a row of a table is
 * repeated, the length of a span, how long a speaker speaks. If all weights are 1, results are
 * those of a call without weights, bit for bit.
 *
 * Weights need a SUM whose tables are convex and forbid no count; if some value is uncounted, the
 * tables f_v of the counted values must also add up to at most 0 at counts of 0, sum_v f_v(0) <= 0.
 * (If the caller declares a table convex, this is not checked.) The guarantees of ALPHA_PASS hold: at
 * least 13/15 of the optimum for Potts with lambda > 0 and non-negative finite psi; exact for two
 * values and for one member. Every score is that of a labelling, and upper bounds are never below
 * the optimum.
 *
 * These calls and algorithms take weights; others fail with WEIGHTS:
 *
 *     chorale_clique_solve           AUTO, ALPHA_PASS, LOCAL_SEARCH, ICM, DUAL_BOUND
 *     chorale_clique_max_marginals   AUTO, ALPHA_PASS: lower bounds, each the score of a labelling
 *     chorale_clique_score           any potential */

/* ---- Algorithms --------------------------------------------------------------------------- */

typedef int32_t chorale_algorithm;
enum {
  /* Chooses an algorithm by the potential; the result names the choice. Exact for MAX, MAJORITY, SUM
   * concave, one member, and at most two values (all uncounted values together are one). Otherwise
   * the result never scores below that of ALPHA_PASS, and moves of single members do not improve
   * it; a SUM goes on to COUNT_BOXES if a gap is requested. PAIRS that equals a SUM (potential.h)
   * is solved as one. */
  CHORALE_ALGORITHM_AUTO = 0,

  /* For every value alpha and every k from 0 to n, tries the labelling in which the k members that
   * lose least by taking alpha take alpha, and every other member takes its best value other than
   * alpha. Returns the best of these labellings. Any family. Exact for MAX, for two values and for
   * one member; at least 13/15 of the optimum for Potts with lambda > 0 and non-negative finite
   * psi. O(R n log n) for SUM and MAX, O(R^2 n) more for MAJORITY and PAIRS, O(R n) calls for a
   * callback. [alpha-pass; in the paper k begins at 1] */
  CHORALE_ALGORITHM_ALPHA_PASS = 10,

  /* ALPHA_PASS with a set of up to q = `subset_size` values in place of alpha. For q >= 2 at least
   * 8/9 of the optimum for Potts with lambda > 0 and non-negative finite psi. O(n R + L^q n (L +
   * log n)) for SUM, where L is the number of values that some member allows: too slow for L above
   * a few hundred. Any family. [Generalized alpha-pass] */
  CHORALE_ALGORITHM_GENERALISED_ALPHA_PASS = 20,

  /* For one value alpha after another, moves a set of members to alpha at once: the set by which
   * the score rises most, found by dynamic programming over the number of members moved. Ends when
   * no move to any alpha raises the score. SUM. No guarantee better than 1/2 of the optimum, even
   * for Potts. O(R n^2) a round over all alphas, memory O(n min(n, R)). Starts from `start`.
   * [alpha-expansion] */
  CHORALE_ALGORITHM_ALPHA_EXPANSION = 30,

  /* In each step every member takes the value v that maximises psi_iv plus the slope of f_v at the
   * current count n_v; ends when no member changes. The score never decreases. SUM with convex
   * tables. O(n R) a step. Starts from `start`. */
  CHORALE_ALGORITHM_LOCAL_SEARCH = 40,

  /* Iterated conditional modes: moves one member at a time while a move raises the score. Ends at a
   * labelling that no single move improves. Any family. Evaluates O(n R) moves in a sweep over the
   * members. Starts from `start`. */
  CHORALE_ALGORITHM_ICM = 50,

  /* MAJORITY: ALPHA_PASS on the scores psi_iv + w_alpha,v (w: the weights of the potential). Keeps
   * only those labellings of a pass in which no value has a higher count than alpha. No guarantee
   * better than 1/2 of the optimum. O(R^2 n + R n log n). [Modified alpha-pass] */
  CHORALE_ALGORITHM_MODIFIED_ALPHA_PASS = 60,

  /* MAJORITY: Lagrangian relaxation of the constraint that alpha has the highest count, for one
   * majority value alpha after another. The three algorithms differ in the rule by which they
   * change the multipliers. Gives an upper bound as well; no guarantee on the score. O(R n) for
   * each iteration and each alpha. [Lagrangian Relaxation; Subgradient Optimization, Golden Search,
   * Conservative Coordinate Descent] */
  CHORALE_ALGORITHM_LAGRANGIAN_SUBGRADIENT = 70,
  CHORALE_ALGORITHM_LAGRANGIAN_GOLDEN_SECTION = 71,
  CHORALE_ALGORITHM_LAGRANGIAN_CONSERVATIVE = 72,

  /* MAJORITY: the optimum. For each majority value, searches for its best count k: the best score
   * is a concave function of k, computed for a given k by a minimum-cost flow over the R values.
   * Bounds rule out most majority values and counts. At worst O(R log n) flows of O(n)
   * augmentations of O(R^2 + n R). [Exact Algorithm] */
  CHORALE_ALGORITHM_EXACT_MAJORITY = 80,

  /* SUM with concave tables: the optimum, by n shortest augmenting paths over the R values.
   * O(n (R^2 + n R)) at worst, memory O(n R), also for max-marginals. [Additive potentials,
   * negative lambda] */
  CHORALE_ALGORITHM_CONCAVE_FLOW = 81,

  /* SUM, any tables: the optimum, by branch and bound. A node restricts the count of each value to
   * a range; its upper bound is computed as in DUAL_BOUND. A node with all counts fixed is solved
   * as a transportation problem. Exponential at worst; stops at the requested gap, the node limit
   * and the deadline. */
  CHORALE_ALGORITHM_COUNT_BOXES = 82,

  /* SUM: an upper bound by Lagrangian relaxation. Members choose values and values choose members
   * independently; the multipliers mu are changed so that the two choices agree. The bound is
   *   sum_i max_v (psi_iv - mu_iv) + sum_v max_k (f_v(k) + sum of the k largest mu_iv over i).
   * Returns the best labelling found on the way. O(R n log n) an iteration. */
  CHORALE_ALGORITHM_DUAL_BOUND = 90
};

/* Returns the name of an algorithm in lower case, such as "alpha-pass"; "unknown algorithm" for any
 * other number. Static storage. Any thread. */
CHORALE_API const char *chorale_algorithm_name(chorale_algorithm algorithm);

/* Start labelling of ALPHA_EXPANSION, LOCAL_SEARCH and ICM. */
typedef int32_t chorale_start;
enum {
  CHORALE_START_INDEPENDENT = 0, /* the best value of each member; the lowest if several are best */
  CHORALE_START_VALUE = 1,       /* start_value for members that may take it; others: their best */
  CHORALE_START_ASSIGNMENT = 2,  /* start_assignment */
  CHORALE_START_ALPHA_PASS = 3   /* the result of ALPHA_PASS */
};

typedef struct chorale_clique_options {
  size_t struct_size; /* sizeof(chorale_clique_options) */
  chorale_algorithm algorithm; /* one that does not fit the potential is refused with
                                  ALGORITHM_MISMATCH */
  chorale_start start;         /* where ALPHA_EXPANSION, LOCAL_SEARCH and ICM start */
  int32_t start_value;             /* read where `start` is START_VALUE: 0 .. R-1 */
  int32_t subset_size;             /* GENERALISED_ALPHA_PASS: greatest size of a set of values; 0: 2 */
  const int32_t *start_assignment; /* read where `start` is START_ASSIGNMENT: n values, none forbidden.
                                      Borrowed. */
  /* Greatest number of iterations; 0: the default of the algorithm. An iteration is a sweep over
   * the members (ICM, LOCAL_SEARCH), a round (ALPHA_EXPANSION), a step of the multipliers
   * (DUAL_BOUND; LAGRANGIAN, counted for each majority value; COUNT_BOXES, counted for each
   * node), a majority value (MODIFIED_ALPHA_PASS) or a flow (EXACT_MAJORITY, which checks the limit
   * before each majority value). */
  int64_t iteration_limit;
  int64_t node_limit; /* COUNT_BOXES: greatest number of nodes; 0: no limit */
  /* COUNT_BOXES: greatest number of open nodes; when it is reached the search continues depth first.
   * Memory for this number of nodes is allocated before the search: about 8 n + 8 R bytes each, at
   * most 1 GiB together. 0: as many as fit in 16 MiB, but at least 16 and at most 8192. */
  int64_t node_pool;
  /* The LAGRANGIAN algorithms: the relaxation for a majority value alpha ends when no count exceeds that of
   * alpha, and complementary slackness is violated by at most this fraction of the largest useful
   * multiplier (a greater multiplier would change the value of no member). 0: 1e-3. */
  double tolerance;
  /* Requested gap: stop when upper bound - score <= gap * |score|, or when the difference is within
   * rounding: at most 1e-12 (sum_i |psi[i][x_i]| + |C|). 0 (default): no gap is requested, and AUTO
   * computes no bound that its algorithms do not need. */
  double gap;
  /* Time limit in seconds from the start of the call; 0 (default): none; negative: it has passed. Every
   * algorithm ends within milliseconds of a limit or a cancel, but for the check of the arguments,
   * which is one pass over the scores, and the score of the result, one pass over the members. After
   * a limit the result is the best labelling so far; it scores at least as much as the labelling in
   * which each member has its best value. After a limit, the callback of a CALLBACK potential is
   * called only to score the result. In large cliques, a limit that comes before all scores are read
   * gives score minus infinity and leaves `assignment` unchanged; `marginals` is unchanged after any
   * limit. */
  double time_limit;
  const chorale_cancel *cancel; /* ends the call when raised; may be NULL. Borrowed. */
  /* 1: max-marginals must be exact: NOT_EXACT if the potential has no exact solver. Default 0. */
  int32_t exact_marginals;
  /* 1: requests a proof of optimality, a gap of nothing but rounding; of max-marginals together with
   * exact_marginals. Default 0 */
  int32_t prove;
} chorale_clique_options;

/* ---- Results ------------------------------------------------------------------------------ */

typedef struct chorale_clique_result {
  size_t struct_size; /* sizeof(chorale_clique_result) */
  chorale_outcome outcome;     /* how the call ended */
  chorale_algorithm algorithm; /* the algorithm used; AUTO (0) only from chorale_clique_score */
  int32_t proven;          /* 1: upper_bound - score <= 1e-9 |score|, or within the rounding that
                              the option `gap` describes */
  int32_t marginals_exact; /* 1: the max-marginals are exact; 0: each is the score of some
                              labelling, so a lower bound. 0 after calls that compute none */
  double score;            /* member_score + clique_score */
  double member_score;     /* sum_i psi[i][x_i], added in the order of i */
  double clique_score;     /* C of the counts */
  double upper_bound;      /* upper bound on max F; plus infinity if none was computed */
  int64_t iterations;      /* total number of iterations, see `iteration_limit` */
  int64_t nodes;           /* COUNT_BOXES: number of nodes whose bound was computed */
} chorale_clique_result;

/* ---- The solver --------------------------------------------------------------------------- */

typedef struct chorale_clique_solver chorale_clique_solver;

/* Creates a solver with an empty workspace. Errors: NULL_ARGUMENT (solver), STRUCT_SIZE,
 * OUT_OF_MEMORY. */
CHORALE_API chorale_status chorale_clique_solver_create(const chorale_host *host,
                                                        chorale_clique_solver **solver,
                                                        chorale_error *error);

/* Destroys a solver; NULL is ignored. */
CHORALE_API void chorale_clique_solver_destroy(chorale_clique_solver *solver);

/* Finds the values x of the members that maximise F, exactly or approximately (options->algorithm).
 *
 * options: NULL for defaults.
 * assignment: receives the n values x; may be NULL. Not written if no feasible labelling was found.
 * result: receives score, bound and outcome; may be NULL. struct_size must be set.
 * Errors: NULL_ARGUMENT (solver, potential, problem, scores, start_assignment), STRUCT_SIZE, SIZE,
 *   SIZE_OVERFLOW, STRIDE, VALUES_MISMATCH, NOT_A_NUMBER, INFINITE, OUT_OF_RANGE, FORBIDDEN_VALUE,
 *   TABLE_TOO_SHORT, UNKNOWN_CONSTANT, ALGORITHM_MISMATCH, NOT_CONVEX, NOT_CONCAVE, WEIGHTS,
 *   CALLBACK_VALUE, CALLBACK_STOPPED, OUT_OF_MEMORY.
 * No allocation once the workspace is large enough. Cost: that of the algorithm. */
CHORALE_API chorale_status chorale_clique_solve(chorale_clique_solver *solver,
                                                const chorale_potential *potential,
                                                const chorale_clique_problem *problem,
                                                const chorale_clique_options *options,
                                                int32_t *assignment, chorale_clique_result *result,
                                                chorale_error *error);

/* Computes all max-marginals m(i, v): the best F with x_i = v. m(i, v) - psi_iv is the message of the
 * clique to member i in a run (run.h, equation 7).
 *
 * They are exact for MAX, for at most two values (see CHORALE_ALGORITHM_AUTO) and for one member.
 * By AUTO, EXACT_MAJORITY or CONCAVE_FLOW they are also exact for MAJORITY and concave SUM, and by
 * COUNT_BOXES for every SUM. Otherwise m(i, v) is the best F of the labellings that ALPHA_PASS
 * tries with x_i fixed to v: the score of a labelling, and so a lower bound.
 *
 * options->exact_marginals = 1 requests exact max-marginals. AUTO then computes those of a SUM that
 * is not concave by COUNT_BOXES (slow; after a limit they may be lower bounds, see marginals_exact
 * of the result). The call fails with NOT_EXACT if the algorithm cannot give exact max-marginals;
 * so it does under AUTO for CALLBACK, and for PAIRS that equals no SUM, with more than two values
 * and more than one member.
 * options->algorithm: AUTO, ALPHA_PASS, EXACT_MAJORITY, CONCAVE_FLOW or COUNT_BOXES.
 *
 * marginals: n rows of R doubles, row i at marginals + i * row_stride (0: R, rows without gaps),
 *   written by the call; must not overlap `scores`. m(i, v) is minus infinity where no labelling
 *   with x_i = v was found.
 * assignment, result: as in chorale_clique_solve; the labelling is the best one found, and the
 *   max-marginals of its values are at least its score.
 * Errors: as in chorale_clique_solve; NULL_ARGUMENT (marginals), STRIDE, NOT_EXACT.
 * Cost:
 *   MAX               O(R n (R + log n))
 *   SUM by ALPHA_PASS O(R n min(R, n)) if no count is forbidden and f_v(0) = 0 for all v; O(R z)
 *                     more if f_v(0) != 0 for z of the values v
 *   concave SUM       one solve, and O(m^3 + n R) for m = min(n, R)
 *   MAJORITY          one solve, and O(R^3 + n R) for each flow computed
 *   PAIRS, CALLBACK   O(R^3 n) evaluations of the potential, also for SUM by ALPHA_PASS if counts
 *                     are forbidden: seconds above a few hundred values
 * Memory: O(n R) for MAX, SUM and CALLBACK; O(R^2) more for MAJORITY and PAIRS. */
CHORALE_API chorale_status chorale_clique_max_marginals(
    chorale_clique_solver *solver, const chorale_potential *potential,
    const chorale_clique_problem *problem, const chorale_clique_options *options,
    double *marginals, int64_t row_stride, int32_t *assignment, chorale_clique_result *result,
    chorale_error *error);

/* Computes the score of an assignment (n values). In *result, sets score, member_score and
 * clique_score as chorale_clique_solve does, upper_bound to plus infinity, and other fields to 0.
 * If a member has a forbidden value, member_score and score are minus infinity. Ignores `fixed`.
 * Errors: as in chorale_clique_solve; NULL_ARGUMENT (assignment, result), OUT_OF_RANGE
 * (assignment).
 * O(n R) to check the scores, for MAJORITY and PAIRS O(R^2) more. */
CHORALE_API chorale_status chorale_clique_score(chorale_clique_solver *solver,
                                                   const chorale_potential *potential,
                                                   const chorale_clique_problem *problem,
                                                   const int32_t *assignment,
                                                   chorale_clique_result *result,
                                                   chorale_error *error);

CHORALE_END_DECLS

#endif
