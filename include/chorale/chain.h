/* Chains and trees: the labelling y of T positions with m labels that maximises
 *
 *     phi(y) = start[y_0] + unary[0][y_0]
 *              + sum_{t >= 1} ( edge_t[y_{t-1}][y_t] + unary[t][y_t] ) + end[y_{T-1}]
 *
 * and everything that follows from the same dynamic program: max-marginals, margins, the k best
 * labellings. On a tree, y_{t-1} is the label of the parent of t, `start` belongs to every root and
 * `end` to every leaf. A chain of one position is a plain classified item; an empty chain has one,
 * empty, labelling of score 0.
 *
 * phi is always added in this order: position by position from the first, and at each position
 * start, edge, unary, end, whichever it has. The score reported for a labelling is that sum, the
 * same bits from every function. Of labellings of equal score a chain takes the one with the lowest
 * label at the last position at which they differ, a tree at the first.
 *
 * Minus infinity forbids. A chain whose every labelling is forbidden is an outcome
 * (CHORALE_OUTCOME_INFEASIBLE), not an error.
 *
 * A solver is a reusable workspace: one a thread. It grows when a chain needs more than it has, so
 * that chains of known sizes allocate nothing after chorale_chain_solver_reserve. A reused solver
 * gives the same bits as a fresh one.
 */
#ifndef CHORALE_CHAIN_H
#define CHORALE_CHAIN_H

#include "chorale/host.h"
#include "chorale/outcome.h"

CHORALE_BEGIN_DECLS

/* The element type of score arrays. Sums are always made in double. */
typedef int32_t chorale_element;
enum { CHORALE_FLOAT64 = 0, CHORALE_FLOAT32 = 1 };

/* What the rows of a transition matrix stand for. */
typedef int32_t chorale_orientation;
enum {
  CHORALE_ROWS_FROM = 0, /* entry [x][y]: from label x to label y */
  CHORALE_ROWS_TO = 1    /* entry [y][x]: from label x to label y */
};

/* ---- Transitions -------------------------------------------------------------------------- */

/* Transition scores that many chains share: immutable, reference-counted, any thread. */
typedef struct chorale_transitions chorale_transitions;

typedef struct chorale_transitions_options {
  size_t struct_size;              /* sizeof(chorale_transitions_options); set by init */
  chorale_element element;         /* of scores, start and end */
  chorale_orientation orientation; /* of scores */
  int64_t row_stride;              /* in elements; 0: rows without gaps */
  int64_t column_stride;           /* in elements; 0: 1 */
  /* 1: `scores` is not copied; it must stay unchanged until the last release, be FLOAT64 and
   * ROWS_FROM with column_stride 1, and there must be no mask. Default 0. */
  int32_t borrow;
  int32_t reserved;  /* 0 */
  const void *start; /* m scores, or NULL for none; copied */
  const void *end;   /* likewise */
  /* Bytes, 0 forbids: m x m in rows "from" without gaps, m, m; each may be NULL. They add minus
   * infinity to scores, start and end; chorale_scheme_mask makes them. */
  const uint8_t *mask;
  const uint8_t *start_mask;
  const uint8_t *end_mask;
} chorale_transitions_options;

/* Fills `options` with the defaults; pass sizeof(chorale_transitions_options). NULL is ignored. */
CHORALE_API void chorale_transitions_options_init(chorale_transitions_options *options,
                                                  size_t struct_size);

/* Creates a handle with one reference. labels: m >= 1. scores: m x m, as the options (NULL:
 * defaults) say; NULL: zeros. Errors: NULL_ARGUMENT (transitions), SIZE, SIZE_OVERFLOW, STRIDE,
 * SHAPE (scores that cannot be borrowed), STRUCT_SIZE, UNKNOWN_CONSTANT, NOT_A_NUMBER, INFINITE,
 * OUT_OF_RANGE (a magnitude above 1e280), OUT_OF_MEMORY. O(m^2). */
CHORALE_API chorale_status chorale_transitions_create(const chorale_host *host, int64_t labels,
                                                      const void *scores,
                                                      const chorale_transitions_options *options,
                                                      chorale_transitions **transitions,
                                                      chorale_error *error);
/* Another reference to the same object, and one reference less; NULL is ignored. Any thread. */
CHORALE_API chorale_transitions *chorale_transitions_retain(const chorale_transitions *transitions);
CHORALE_API void chorale_transitions_release(const chorale_transitions *transitions);
/* m; 0 for NULL. Any thread. */
CHORALE_API int64_t chorale_transitions_labels(const chorale_transitions *transitions);

/* ---- Labelling schemes -------------------------------------------------------------------- */

/* How label names spell segments: "O", and a prefix, '-' or '_', and a kind, such as "B-Title". */
typedef int32_t chorale_scheme;
enum {
  CHORALE_SCHEME_PLAIN = 0, /* a name is a kind; any label may follow any */
  CHORALE_SCHEME_BIO = 1,   /* B begins, I continues */
  CHORALE_SCHEME_BIOES = 2, /* and E ends, S is a segment of one position */
  CHORALE_SCHEME_BILOU = 3  /* L for E, U for S */
};

/* Which labels may follow which in a scheme, as bytes 1 (may) and 0.
 *
 * names, lengths: m label names in UTF-8, name y of lengths[y] bytes; lengths NULL: each ends in
 *   NUL. A name that fits no prefix of the scheme is LABEL_NAME.
 * mask: m x m, row "from", no gaps; start, end: m. Each may be NULL.
 * Errors: NULL_ARGUMENT (names), SIZE, SIZE_OVERFLOW, UNKNOWN_CONSTANT, LABEL_NAME. O(m^2). Any
 * thread. */
CHORALE_API chorale_status chorale_scheme_mask(chorale_scheme scheme, const char *const *names,
                                               const size_t *lengths, int64_t labels, uint8_t *mask,
                                               uint8_t *start, uint8_t *end, chorale_error *error);

/* ---- The chain ---------------------------------------------------------------------------- */

/* Everything is borrowed for the length of a call and never written. */
typedef struct chorale_chain {
  size_t struct_size;              /* sizeof(chorale_chain); set by init */
  int64_t length;                  /* T >= 0, at most 2^31 - 2 */
  int64_t labels;                  /* m >= 1 */
  chorale_element element;         /* of unary, edges, start and end */
  chorale_orientation orientation; /* of edges */
  /* T x m: entry [t][y] at t * unary_row_stride + y * unary_column_stride, in elements. Strides
   * of 0: rows without gaps. Entries must not lie on one another. */
  const void *unary;
  int64_t unary_row_stride;
  int64_t unary_column_stride;
  const chorale_transitions *transitions; /* NULL: none, or `edges` */
  /* The chain's own transitions, in the place of the handle's matrix: one m x m matrix for all
   * edges (edge_matrices 1) or one an edge (edge_matrices T - 1), edge t - 1 leading to position t,
   * matrix e at e * edge_matrix_stride. Strides of 0: without gaps. NULL: those of the handle, and
   * without one zero. */
  const void *edges;
  int64_t edge_matrices;
  int64_t edge_matrix_stride;
  int64_t edge_row_stride;
  int64_t edge_column_stride;
  const void *start; /* m scores; NULL: those of the handle, if any */
  const void *end;
  /* A tree: the parent of each position, which comes before it, or -1 for a root (position 0 is
   * one; there may be more). NULL: a chain. */
  const int32_t *parents;
  const int32_t *forced;      /* T: the label position t must take, or -1. NULL: all free */
  const uint8_t *allowed;     /* T x m bytes, 0 forbids label y at t. NULL: all allowed */
  int64_t allowed_row_stride; /* in bytes; 0: m, rows without gaps */
} chorale_chain;

/* Fills `chain` with zeros; pass sizeof(chorale_chain). NULL is ignored. */
CHORALE_API void chorale_chain_init(chorale_chain *chain, size_t struct_size);

/* Every function below that takes a chain has these errors: NULL_ARGUMENT (chain, unary unless
 * length is 0), STRUCT_SIZE, SIZE, SIZE_OVERFLOW, SHAPE (edge_matrices), STRIDE, UNKNOWN_CONSTANT,
 * NOT_A_NUMBER, INFINITE, OUT_OF_RANGE (forced, a score of magnitude above 1e280), LABELS_MISMATCH
 * (transitions), PARENT_ORDER, PARENT_CYCLE; each names more. */

/* phi of a labelling (T labels), stored in *score: minus infinity if it is forbidden, by scores,
 * `forced` or `allowed`. Errors: NULL_ARGUMENT (labelling, score), OUT_OF_RANGE. O(T m). No
 * allocation. Any thread. */
CHORALE_API chorale_status chorale_chain_score(const chorale_chain *chain, const int32_t *labelling,
                                               double *score, chorale_error *error);

/* ---- The solver --------------------------------------------------------------------------- */

typedef struct chorale_chain_solver chorale_chain_solver;

/* What a workspace is sized for; messages and decoding have their own functions in message.h. */
typedef int32_t chorale_chain_task;
enum { CHORALE_CHAIN_SOLVE = 0, CHORALE_CHAIN_MAX_MARGINALS = 1, CHORALE_CHAIN_K_BEST = 2 };

typedef struct chorale_chain_result {
  size_t struct_size;      /* sizeof(chorale_chain_result); set by init */
  chorale_outcome outcome; /* COMPLETE or INFEASIBLE */
  int32_t reserved;
  double score; /* phi of the best labelling; minus infinity when infeasible */
} chorale_chain_result;

/* Fills `result` with zeros; pass sizeof(chorale_chain_result). NULL is ignored. */
CHORALE_API void chorale_chain_result_init(chorale_chain_result *result, size_t struct_size);

/* As for the clique solver: create with an empty workspace that grows; create_in in the caller's
 * memory (aligned to 64), which never allocates and refuses what does not fit. Errors:
 * NULL_ARGUMENT, STRUCT_SIZE, OUT_OF_MEMORY; ALIGNMENT, WORKSPACE_TOO_SMALL. */
CHORALE_API chorale_status chorale_chain_solver_create(const chorale_host *host,
                                                       chorale_chain_solver **solver,
                                                       chorale_error *error);
CHORALE_API chorale_status chorale_chain_solver_create_in(const chorale_host *host, void *memory,
                                                          size_t bytes,
                                                          chorale_chain_solver **solver,
                                                          chorale_error *error);
/* NULL is ignored. Memory given to create_in is the caller's again. */
CHORALE_API void chorale_chain_solver_destroy(chorale_chain_solver *solver);

/* The bytes that create_in needs for `task` on this chain and on any that differs from it in
 * numbers only; k: labellings of K_BEST, ignored otherwise. Any thread. */
CHORALE_API chorale_status chorale_chain_solver_bytes(const chorale_chain *chain,
                                                      chorale_chain_task task, int64_t k,
                                                      size_t *bytes, chorale_error *error);
/* Grows the workspace so that no such call allocates. On failure the solver is as before. */
CHORALE_API chorale_status chorale_chain_solver_reserve(chorale_chain_solver *solver,
                                                        const chorale_chain *chain,
                                                        chorale_chain_task task, int64_t k,
                                                        chorale_error *error);

/* Errors of the calls below, besides those of the chain: NULL_ARGUMENT (solver), STRUCT_SIZE,
 * OUT_OF_MEMORY, WORKSPACE_TOO_SMALL. No allocation once the workspace is large enough. */

/* The best labelling. labelling: T entries, may be NULL; untouched when infeasible. result: may be
 * NULL. O(T m^2). */
CHORALE_API chorale_status chorale_chain_solve(chorale_chain_solver *solver,
                                              const chorale_chain *chain, int32_t *labelling,
                                              chorale_chain_result *result, chorale_error *error);

/* Max-marginals: the best phi with one label, or both labels of one edge, given.
 *
 * marginals: T x m doubles, row t at marginals + t * row_stride (0: m, rows without gaps). May be
 *   NULL.
 * edge_marginals: (T - 1) x m x m without gaps, matrix t - 1 that of the edge to position t, rows
 *   "from"; minus infinity throughout where t is another root. May be NULL.
 * margins: T: the greatest marginal of the position minus that of its second-best label; plus
 *   infinity where only one label is possible, 0 where none is. May be NULL.
 * labelling, result: as for the best labelling.
 * They agree with phi up to rounding. Errors: STRIDE. O(T m^2). */
CHORALE_API chorale_status chorale_chain_max_marginals(
    chorale_chain_solver *solver, const chorale_chain *chain, double *marginals, int64_t row_stride,
    double *edge_marginals, double *margins, int32_t *labelling, chorale_chain_result *result,
    chorale_error *error);

/* The k best labellings of a chain, best first.
 *
 * labellings: k x T, row j at labellings + j * row_stride (0: T, rows without gaps). May be NULL.
 * scores: k entries. May be NULL. found: how many there are, fewer than k when no more are allowed;
 *   rows beyond are untouched.
 * Errors: NULL_ARGUMENT (found), SIZE (k < 1), STRIDE, NOT_A_CHAIN. O(T m (m + k log m)) time,
 * O(T m k) memory. */
CHORALE_API chorale_status chorale_chain_k_best(chorale_chain_solver *solver,
                                                const chorale_chain *chain, int64_t k,
                                                int32_t *labellings, int64_t row_stride,
                                                double *scores, int64_t *found,
                                                chorale_error *error);

CHORALE_END_DECLS

#endif
