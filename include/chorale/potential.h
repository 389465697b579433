/* Symmetric potentials: functions of the counts of a clique, that is, of how many of its members
 * have each value.
 *
 * A potential scores the counts n_0 .. n_{R-1} of R values among the n members of a clique. It is
 * immutable and reference-counted; any number of cliques and threads may use it. Below, v is a
 * value, n_v its count, and `values` the number of values, R.
 *
 * Uncounted values. The option `counted` makes some values *uncounted*, for instance EMPTY and
 * CONFLICT of a property: such a value is never the majority and adds nothing to the potential.
 * Members with an uncounted value are included in the n of the scale (below). If no member has a
 * counted value, the potential of every family is 0; only a SUM with a table that forbids a count
 * of 0 is then minus infinity.
 *
 * Scale. Every family can be multiplied by 1/n or by 1/log n (natural logarithm), where n is the
 * number of members of the clique; for n <= 1 the factor 1/log n is 1.
 *
 * The create functions have this in common. `host` may be NULL. `options` may be NULL: then every value is counted, there is no scale, and the shape
 * is detected. Arrays are copied. On success *potential is a handle with one reference. Errors:
 * NULL_ARGUMENT, SIZE (values < 1), STRUCT_SIZE, UNKNOWN_CONSTANT, SIZE_OVERFLOW, NOT_A_NUMBER,
 * INFINITE, OUT_OF_RANGE (a number of magnitude above 1e280, since sums of such numbers might
 * overflow), OUT_OF_MEMORY; further errors are named at each function.
 * Names in [brackets] are sections of Gupta, Sarawagi and Diwan, "Generalized Collective Inference
 * with Symmetric Clique Potentials".
 */
#ifndef CHORALE_POTENTIAL_H
#define CHORALE_POTENTIAL_H

#include "chorale/base.h"

CHORALE_BEGIN_DECLS

typedef struct chorale_potential chorale_potential;

typedef int32_t chorale_scale;
enum {
  CHORALE_SCALE_NONE = 0,          /* the factor 1 */
  CHORALE_SCALE_BY_MEMBERS = 1,    /* the potential times 1 / n */
  CHORALE_SCALE_BY_LOG_MEMBERS = 2 /* the potential times 1 / log n */
};

/* Shape of the tables f_v of a SUM potential. DETECT: determined from second differences with a
 * tolerance of 1e-12 max|f|. CONVEX, CONCAVE: declared by the caller and not checked. If the
 * declaration is false, guarantees, bounds and proofs of infeasibility do not hold. */
typedef int32_t chorale_shape;
enum { CHORALE_SHAPE_DETECT = 0, CHORALE_SHAPE_CONVEX = 1, CHORALE_SHAPE_CONCAVE = 2 };

typedef struct chorale_potential_options {
  size_t struct_size; /* sizeof(chorale_potential_options) */
  chorale_scale scale; /* the factor by which the potential is multiplied */
  chorale_shape shape; /* of the tables of a SUM; other families ignore it */
  /* By value a byte; 0: the value is uncounted, that is, its members add nothing and it is never the
   * majority. NULL: every value is counted */
  const uint8_t *counted;
} chorale_potential_options;

/* Potts: lambda * sum_v n_v^2, lambda finite, any sign. [Additive potentials] */
CHORALE_API chorale_status chorale_potential_create_potts(const chorale_host *host, int64_t values,
                                                          double lambda,
                                                          const chorale_potential_options *options,
                                                          chorale_potential **potential,
                                                          chorale_error *error);

/* Entropy: lambda * sum_v n_v log n_v, natural logarithm, 0 log 0 = 0; lambda finite, any sign.
 * [Entropy potentials] */
CHORALE_API chorale_status chorale_potential_create_entropy(
    const chorale_host *host, int64_t values, double lambda,
    const chorale_potential_options *options, chorale_potential **potential, chorale_error *error);

/* SUM: sum_v f_v(n_v). [Additive potentials]
 *
 * tables: table_count rows of `length` doubles, row r at tables + r * row_stride. A row is a table
 *   f, and its entry k is f(k). table_count 1: one table for all values; table_count == values: row
 *   v is f_v (rows of uncounted values are ignored). Minus infinity forbids a count.
 * length: at least 1 + the number of members of the largest clique; use in a larger clique fails
 *   with TABLE_TOO_SHORT.
 * row_stride: in doubles; 0: length, rows without gaps; otherwise at least length. Ignored when
 *   table_count is 1.
 * Errors: SHAPE (table_count neither 1 nor values), SIZE (length < 1), STRIDE. */
CHORALE_API chorale_status chorale_potential_create_sum(const chorale_host *host, int64_t values,
                                                        const double *tables, int64_t table_count,
                                                        int64_t length, int64_t row_stride,
                                                        const chorale_potential_options *options,
                                                        chorale_potential **potential,
                                                        chorale_error *error);

/* Cardinality: g(n_b). Exactly two values must be counted; b is the higher of them. Entry k of
 * `table` is g(k). A special case of SUM; `length` and minus infinity as in SUM.
 * Errors: SHAPE (not exactly two counted values). [Cardinality potentials on binary labels] */
CHORALE_API chorale_status chorale_potential_create_cardinality(
    const chorale_host *host, int64_t values, const double *table, int64_t length,
    const chorale_potential_options *options, chorale_potential **potential, chorale_error *error);

/* MAX: max_v f_v(n_v) over the counted values, including those with n_v = 0. Tables, `length`,
 * strides and errors as in SUM. Tables may rise and fall, and f_v(0) need not be 0. [Max
 * potentials] */
CHORALE_API chorale_status chorale_potential_create_max(const chorale_host *host, int64_t values,
                                                        const double *tables, int64_t table_count,
                                                        int64_t length, int64_t row_stride,
                                                        const chorale_potential_options *options,
                                                        chorale_potential **potential,
                                                        chorale_error *error);

/* Makespan: max_v lambda n_v; square makespan: max_v lambda n_v^2; lambda finite. With a negative
 * lambda the maximum is at the value with the least count. [Max potentials] */
CHORALE_API chorale_status chorale_potential_create_makespan(
    const chorale_host *host, int64_t values, double lambda,
    const chorale_potential_options *options, chorale_potential **potential, chorale_error *error);
CHORALE_API chorale_status chorale_potential_create_square_makespan(
    const chorale_host *host, int64_t values, double lambda,
    const chorale_potential_options *options, chorale_potential **potential, chorale_error *error);

/* MAJORITY: b_a + sum_v w_av n_v, where a is the counted value of highest count. If several values
 * have this count, a is the one of them that gives the highest score. [Majority potentials]
 *
 * weights: `values` x `values` finite doubles: w_av is entry v of row a, which is at weights + a *
 *   row_stride (0: values, rows without gaps). Rows and columns of uncounted values are ignored.
 * bias: `values` finite doubles b_a, or NULL for zeros. If all weights are zero, the
 *   potential is a constant for each majority value (Lu and Getoor).
 * Errors: STRIDE. */
CHORALE_API chorale_status chorale_potential_create_majority(
    const chorale_host *host, int64_t values, const double *weights, int64_t row_stride,
    const double *bias, const chorale_potential_options *options, chorale_potential **potential,
    chorale_error *error);

/* PAIRS: sum_{v,v'} f(v, v') n_v n_v' - sum_v f(v, v) n_v: the sum of f(x_i, x_j) over all ordered
 * pairs of distinct members with counted values. The paper counts each unordered pair once: halve f
 * to match. f need not be symmetric. [Information extraction, the rewriting of equation 1]
 *
 * scores: `values` x `values` finite doubles: f(v, v') is entry v' of row v, which is at scores + v
 *   * row_stride (0: values, rows without gaps).
 * The potential is also a SUM, so that all algorithms for SUM apply, if there are numbers c_v with
 * f(v, v') + f(v', v) = c_v + c_v' for all v != v', and if every value is counted or all c_v are
 * equal.
 * Errors: STRIDE. */
CHORALE_API chorale_status chorale_potential_create_pairs(const chorale_host *host, int64_t values,
                                                          const double *scores, int64_t row_stride,
                                                          const chorale_potential_options *options,
                                                          chorale_potential **potential,
                                                          chorale_error *error);

/* A callback: computes the score of a clique from its counts and stores it in *score. `counts` has
 * `values` entries: the number of members with each value, 0 for uncounted values. `members` is the
 * number n of members. The scale is applied afterwards. Returns 0, or non-zero to end the
 * computation with CALLBACK_STOPPED. Minus infinity forbids the counts. NaN, plus infinity and
 * magnitudes above 1e290 (before or after scaling) end the computation with CALLBACK_VALUE, since
 * sums of such numbers might overflow. The score must depend only on the arguments. The callback
 * must not unwind (leave by an exception or longjmp). A call from within the callback on the run
 * (run.h) that needs the score fails with BUSY. The callback is called on the thread that needs the
 * score: on several threads at once if several use the potential. It is not called if no member has
 * a counted value. */
typedef int32_t (*chorale_count_function)(void *user, const int64_t *counts, int64_t values,
                                          int64_t members, double *score);

/* CALLBACK: any symmetric function. `release` (may be NULL) is called with `user` when the last
 * reference is released, on the thread that releases it; it is not called if creation fails. */
CHORALE_API chorale_status chorale_potential_create_callback(
    const chorale_host *host, int64_t values, chorale_count_function function, void *user,
    void (*release)(void *user), const chorale_potential_options *options,
    chorale_potential **potential, chorale_error *error);

/* Drops a reference; dropping the last one destroys the potential. NULL is ignored. Atomic: any
 * thread. */
CHORALE_API void chorale_potential_release(const chorale_potential *potential);

/* Computes the score of counts[0 .. values-1] among `members` members, including the scale. *score
 * may be minus infinity. All counts, also those of uncounted values, must sum to `members`.
 * Errors: NULL_ARGUMENT, VALUES_MISMATCH, SIZE, SIZE_OVERFLOW, OUT_OF_RANGE (a negative count,
 * counts that do not sum to `members`), TABLE_TOO_SHORT, OUT_OF_MEMORY, CALLBACK_VALUE,
 * CALLBACK_STOPPED.
 * Any thread. O(R), for MAJORITY and PAIRS O(R^2). */
CHORALE_API chorale_status chorale_potential_score(const chorale_potential *potential,
                                                      const int64_t *counts, int64_t values,
                                                      int64_t members, double *score,
                                                      chorale_error *error);

CHORALE_END_DECLS

#endif
