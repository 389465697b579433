/* Chains and trees: finds the labelling y of T positions with m labels that maximises
 *
 *     phi(y) = start[y_0] + unary[0][y_0]
 *              + sum_{t >= 1} ( edge_t[y_{t-1}][y_t] + unary[t][y_t] ) + end[y_{T-1}]
 *
 * and, by the same dynamic program, max-marginals, margins and the k best labellings. On a tree,
 * y_{t-1} is the label of the parent of t; `start` is added at every root and `end` at every leaf.
 * A chain of one position is a single classified item. An empty chain has one labelling, the empty
 * one, with score 0.
 *
 * phi is always added in the same order: position by position from the first, and at each position
 * start, edge, unary and end, if present. All functions that report phi report this sum, with the
 * same bits. If two labellings have the same best score, the positions at which they differ decide.
 * On a chain, the labelling with the lower label at the last such position is returned; on a tree,
 * the labelling with the lower label at the first.
 *
 * A score of minus infinity forbids the label or the transition that has this score. If every
 * labelling is forbidden, the call succeeds with the outcome CHORALE_OUTCOME_INFEASIBLE.
 *
 * A solver is a reusable workspace for one thread. The workspace grows when a chain needs more
 * memory; a chain that needs no more than those before it allocates nothing.
 * Results have the same bits whatever the solver was used for before.
 */
#ifndef CHORALE_CHAIN_H
#define CHORALE_CHAIN_H

#include "chorale/base.h"

CHORALE_BEGIN_DECLS

/* The element type of score arrays. Sums are computed in double precision for both types. */
typedef int32_t chorale_element;
enum { CHORALE_FLOAT64 = 0, CHORALE_FLOAT32 = 1 };

/* Orientation of transition matrices. */
typedef int32_t chorale_orientation;
enum {
  CHORALE_ROWS_FROM = 0, /* entry [x][y]: from label x to label y */
  CHORALE_ROWS_TO = 1    /* entry [y][x]: from label x to label y */
};

/* ---- Transitions -------------------------------------------------------------------------- */

/* Transition scores for any number of chains. Immutable and reference-counted; may be used from any
 * thread. */
typedef struct chorale_transitions chorale_transitions;

typedef struct chorale_transitions_options {
  size_t struct_size;              /* sizeof(chorale_transitions_options) */
  chorale_element element;         /* of scores, start and end */
  chorale_orientation orientation; /* of scores */
  int64_t row_stride;              /* of scores, in elements; 0: rows without gaps */
  int64_t column_stride;           /* of scores, in elements; 0 means 1 */
  /* 1: `scores` is not copied, and must stay valid and unchanged until the last reference is
   * released. Then `scores` must be FLOAT64 and ROWS_FROM with column_stride 1, and `mask` must be
   * NULL. Default 0: copied. */
  int32_t borrow;
  const void *start; /* m scores, added at the first position; NULL: zeros. Copied */
  const void *end;   /* m scores, added at the last position; NULL: zeros. Copied */
  /* m x m bytes without gaps, in which 0 forbids: entry [x][y] is for label y directly after label x.
   * NULL: nothing is forbidden. chorale_scheme_mask fills this and the next two arrays. */
  const uint8_t *mask;
  const uint8_t *start_mask; /* by label: 0 forbids it at the first position. NULL: none is forbidden */
  const uint8_t *end_mask;   /* by label: 0 forbids it at the last position. NULL: none is forbidden */
} chorale_transitions_options;

/* Creates a handle with one reference. labels: m >= 1. scores: m x m, in the layout of `options`
 * (NULL: defaults); NULL: zeros. Errors: NULL_ARGUMENT (transitions), SIZE, SIZE_OVERFLOW, STRIDE,
 * SHAPE (scores that cannot be borrowed), STRUCT_SIZE, UNKNOWN_CONSTANT, NOT_A_NUMBER, INFINITE,
 * OUT_OF_RANGE (a magnitude above 1e280), OUT_OF_MEMORY. O(m^2). */
CHORALE_API chorale_status chorale_transitions_create(const chorale_host *host, int64_t labels,
                                                      const void *scores,
                                                      const chorale_transitions_options *options,
                                                      chorale_transitions **transitions,
                                                      chorale_error *error);
/* Drops a reference; dropping the last one destroys the transitions. NULL is ignored. Any thread. */
CHORALE_API void chorale_transitions_release(const chorale_transitions *transitions);

/* ---- Labelling schemes -------------------------------------------------------------------- */

/* Labelling schemes. A label name is "O" (outside all segments), or a prefix, then '-' or '_', then
 * the kind of a segment: "B-Title" begins a segment of the kind Title. */
typedef int32_t chorale_scheme;
enum {
  CHORALE_SCHEME_PLAIN = 0, /* a name is a kind; any label may follow any */
  CHORALE_SCHEME_BIO = 1,   /* B begins a segment, I continues it */
  CHORALE_SCHEME_BIOES = 2, /* as BIO; E ends a segment, S is a segment of one position */
  CHORALE_SCHEME_BILOU = 3  /* as BIOES, with L for E and U for S */
};

/* Computes which labels may follow which in a scheme, as bytes: 1 allowed, 0 forbidden.
 *
 * names, lengths: m label names in UTF-8, name y of lengths[y] bytes; lengths NULL: each name ends
 *   in NUL. PLAIN accepts every name. In the other schemes a name that is neither "O" nor a prefix
 *   of the scheme with a kind fails with LABEL_NAME.
 * mask: m x m without gaps, entry [x][y] for label y directly after label x. start, end: m entries,
 *   for the label of the first and of the last position. Each array may be NULL.
 * Errors: NULL_ARGUMENT (names), SIZE, SIZE_OVERFLOW, UNKNOWN_CONSTANT, LABEL_NAME. O(m^2). Any
 * thread. */
CHORALE_API chorale_status chorale_scheme_mask(chorale_scheme scheme, const char *const *names,
                                               const size_t *lengths, int64_t labels, uint8_t *mask,
                                               uint8_t *start, uint8_t *end, chorale_error *error);

/* ---- The chain ---------------------------------------------------------------------------- */

/* A chain or tree. All arrays are borrowed for the duration of a call and never written. */
typedef struct chorale_chain {
  size_t struct_size;              /* sizeof(chorale_chain) */
  int64_t length;                  /* T, the number of positions: 0 to 2^31 - 2 */
  int64_t labels;                  /* m, the number of labels, >= 1 */
  chorale_element element;         /* of unary, edges, start and end */
  chorale_orientation orientation; /* of `edges`: what their rows are */
  /* T x m scores; minus infinity forbids a label at a position. That of label y at position t is at
   * index t * unary_row_stride + y * unary_column_stride, in elements. Strides of 0: rows without gaps.
   * Entries whose strides are not 0 must not overlap. */
  const void *unary;
  int64_t unary_row_stride;
  int64_t unary_column_stride;
  /* Edge, start and end scores that chains can share, with the masks of the transitions. `edges`,
   * `start` and `end` below replace them, each together with its mask. NULL: all scores are 0. */
  const chorale_transitions *transitions;
  /* Edge scores of this chain alone, which replace those of `transitions`: one m x m matrix for all
   * edges, or T - 1, where matrix t - 1 is for the edge to position t. NULL: the edge scores of
   * `transitions`. Matrix t - 1 begins at (t - 1) * edge_matrix_stride. Strides are in elements; 0:
   * without gaps. */
  const void *edges;
  int64_t edge_matrices; /* 1 or T - 1 */
  int64_t edge_matrix_stride;
  int64_t edge_row_stride;
  int64_t edge_column_stride;
  const void *start; /* m start scores of this chain alone; NULL: those of `transitions` */
  const void *end;   /* m end scores of this chain alone; NULL: those of `transitions` */
  /* A tree: T parents, each an earlier position, or -1 for a root (position 0 and possibly others).
   * NULL: a chain. */
  const int32_t *parents;
  const int32_t *forced;      /* T labels that positions must take, -1: free. NULL: all free */
  const uint8_t *allowed;     /* T x m bytes: 0 forbids label y at position t. NULL: all allowed */
  int64_t allowed_row_stride; /* in bytes; 0: m, rows without gaps */
} chorale_chain;

/* Errors of every function below that takes a chain: NULL_ARGUMENT (chain, unary unless
 * length is 0), STRUCT_SIZE, SIZE, SIZE_OVERFLOW, SHAPE (edge_matrices), STRIDE, UNKNOWN_CONSTANT,
 * NOT_A_NUMBER, INFINITE, OUT_OF_RANGE (forced, a score of magnitude above 1e280), LABELS_MISMATCH
 * (transitions), PARENT_ORDER, PARENT_CYCLE. Further errors are named at each function. */

/* Writes phi of a labelling (T labels) to *score: minus infinity if scores, `forced` or `allowed`
 * forbid the labelling. Errors: NULL_ARGUMENT (labelling, score), OUT_OF_RANGE. O(T m), and O(m^2)
 * for each matrix of `edges`; on a tree with end scores O(T) more for every 65,536 positions. No
 * allocation. Any thread. */
CHORALE_API chorale_status chorale_chain_score(const chorale_chain *chain, const int32_t *labelling,
                                               double *score, chorale_error *error);

/* ---- The solver --------------------------------------------------------------------------- */

typedef struct chorale_chain_solver chorale_chain_solver;

typedef struct chorale_chain_result {
  size_t struct_size;      /* sizeof(chorale_chain_result) */
  chorale_outcome outcome; /* COMPLETE or INFEASIBLE */
  double score; /* phi of the best labelling; minus infinity when infeasible */
} chorale_chain_result;

/* Creates a solver with an empty workspace. Errors: NULL_ARGUMENT (solver), STRUCT_SIZE,
 * OUT_OF_MEMORY. */
CHORALE_API chorale_status chorale_chain_solver_create(const chorale_host *host,
                                                       chorale_chain_solver **solver,
                                                       chorale_error *error);
/* Destroys a solver; NULL is ignored. */
CHORALE_API void chorale_chain_solver_destroy(chorale_chain_solver *solver);

/* Errors of the calls below, besides those of the chain: NULL_ARGUMENT (solver), STRUCT_SIZE,
 * OUT_OF_MEMORY. No allocation once the workspace is large enough. */

/* Finds the best labelling. labelling: receives T labels; may be NULL; not written if infeasible.
 * result: may be NULL. O(T m^2). */
CHORALE_API chorale_status chorale_chain_solve(chorale_chain_solver *solver,
                                              const chorale_chain *chain, int32_t *labelling,
                                              chorale_chain_result *result, chorale_error *error);

/* Computes max-marginals. The max-marginal of a position and a label is the greatest phi of the
 * labellings that have this label at this position. The max-marginal of an edge and two labels is
 * the greatest phi of the labellings that have these labels at the ends of the edge. Max-marginals
 * are computed up to rounding.
 *
 * marginals: T x m doubles, row t at marginals + t * row_stride (0: m, rows without gaps). May be
 *   NULL.
 * edge_marginals: (T - 1) x m x m doubles without gaps. Matrix t - 1 is for the edge to position t.
 *   Its rows are for the labels of the parent of t (on a chain: of position t - 1), its columns for
 *   the labels of t. All entries are minus infinity if t is a root. May be NULL.
 * margins: T entries, the greatest max-marginal of each position minus its second greatest; plus
 *   infinity if only one label is possible at the position, 0 if no label is. May be NULL.
 * labelling, result: as in chorale_chain_solve.
 * Errors: STRIDE. O(T m^2). */
CHORALE_API chorale_status chorale_chain_max_marginals(
    chorale_chain_solver *solver, const chorale_chain *chain, double *marginals, int64_t row_stride,
    double *edge_marginals, double *margins, int32_t *labelling, chorale_chain_result *result,
    chorale_error *error);

/* Finds the k best labellings of a chain, best first.
 *
 * labellings: k x T, row j at labellings + j * row_stride (0: T, rows without gaps). May be NULL.
 * scores: k entries. May be NULL. found: receives the number of labellings found, fewer than k if
 *   fewer are allowed; the rows after them are not written.
 * Errors: NULL_ARGUMENT (found), SIZE (k < 1), STRIDE, NOT_A_CHAIN. O(T m (m + k log m)) time,
 * O(T m k) memory. */
CHORALE_API chorale_status chorale_chain_k_best(chorale_chain_solver *solver,
                                                const chorale_chain *chain, int64_t k,
                                                int32_t *labellings, int64_t row_stride,
                                                double *scores, int64_t *found,
                                                chorale_error *error);

CHORALE_END_DECLS

#endif
