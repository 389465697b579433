/* Symmetric potentials: functions of how many members of a clique show each value.
 *
 * A potential scores the counts n_0 .. n_{R-1} of R values among the n members of a clique. It is
 * immutable and reference-counted: one potential serves any number of cliques and threads.
 *
 * Values that do not count. `counted` in the options may leave values out (a property's EMPTY and
 * CONFLICT, say): such a value has no count of its own, is never the majority, and adds nothing.
 * Members that take it still belong to the n of a scale. When no member takes a counted value the
 * potential is 0, in every family (unless a table of a SUM forbids a count of 0: it does so here
 * too).
 *
 * Scale. Every family can be multiplied by 1/n or by 1/log n (natural logarithm), n the number of
 * members of the clique; 1/log n is 1 where it is undefined (n <= 1).
 *
 * Every create function: takes `host` (may be NULL) and `options` (may be NULL: every value counts,
 * no scale, shape detected), copies the arrays it is given, and on success stores in *potential a
 * handle with one reference. Errors common to all: NULL_ARGUMENT, SIZE (values < 1), STRUCT_SIZE,
 * UNKNOWN_CONSTANT, SIZE_OVERFLOW, NOT_A_NUMBER, INFINITE, OUT_OF_RANGE (a magnitude above 1e280,
 * whose sums might overflow), OUT_OF_MEMORY; each says more below.
 * The section in brackets is that of Gupta, Sarawagi and Diwan, "Generalized Collective Inference
 * with Symmetric Clique Potentials".
 */
#ifndef CHORALE_POTENTIAL_H
#define CHORALE_POTENTIAL_H

#include "chorale/host.h"

CHORALE_BEGIN_DECLS

typedef struct chorale_potential chorale_potential;

typedef int32_t chorale_scale;
enum {
  CHORALE_SCALE_NONE = 0,
  CHORALE_SCALE_BY_MEMBERS = 1,    /* times 1 / n */
  CHORALE_SCALE_BY_LOG_MEMBERS = 2 /* times 1 / log n */
};

/* What is known of the tables f_v of a SUM potential. DETECT looks at second differences with a
 * tolerance of 1e-12 max|f|; CONVEX and CONCAVE are the caller's word and are not checked (an
 * untrue word voids guarantees, bounds and proofs of infeasibility, nothing else). */
typedef int32_t chorale_shape;
enum { CHORALE_SHAPE_DETECT = 0, CHORALE_SHAPE_CONVEX = 1, CHORALE_SHAPE_CONCAVE = 2 };

typedef int32_t chorale_family;
enum {
  CHORALE_FAMILY_SUM = 10,      /* sum_v f_v(n_v); Potts, entropy, cardinality tables */
  CHORALE_FAMILY_MAX = 20,      /* max_v f_v(n_v); makespan, square makespan */
  CHORALE_FAMILY_MAJORITY = 30, /* f_a(n), a the value of highest count */
  CHORALE_FAMILY_PAIRS = 40,    /* sum over pairs of members */
  CHORALE_FAMILY_CALLBACK = 50  /* any function of the counts */
};

/* The name of a family in lower case, "majority" say; "unknown family" for any other number. Static
 * storage. Any thread. */
CHORALE_API const char *chorale_family_name(chorale_family family);

typedef struct chorale_potential_options {
  size_t struct_size; /* sizeof(chorale_potential_options); set by init */
  chorale_scale scale;
  chorale_shape shape; /* SUM families only; others ignore it */
  const uint8_t
      *counted; /* `values` bytes, 0: the value does not count; NULL: every value counts */
} chorale_potential_options;

/* Fills `options` with the defaults; pass sizeof(chorale_potential_options). NULL is ignored. */
CHORALE_API void chorale_potential_options_init(chorale_potential_options *options,
                                                size_t struct_size);

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
 * tables: table_count rows of `length` doubles, row r at tables + r * row_stride, entry k = f(k).
 *   table_count 1: one table for every value; table_count == values: row v is f_v (rows of values
 *   that do not count are ignored). Minus infinity forbids a count.
 * length: serves cliques of up to length - 1 members; a larger clique is TABLE_TOO_SHORT when used.
 * row_stride: in doubles; 0: length, rows without gaps; otherwise at least length. Ignored when
 *   table_count is 1.
 * Errors: SHAPE (table_count neither 1 nor values), SIZE (length < 1), STRIDE. */
CHORALE_API chorale_status chorale_potential_create_sum(const chorale_host *host, int64_t values,
                                                        const double *tables, int64_t table_count,
                                                        int64_t length, int64_t row_stride,
                                                        const chorale_potential_options *options,
                                                        chorale_potential **potential,
                                                        chorale_error *error);

/* A table on the count of one of two values: g(n_b), where exactly two values count and b is the
 * higher of them; `length` and minus infinity as in SUM, whose special case it is.
 * Errors: SHAPE unless exactly two values count. [Cardinality potentials on binary labels] */
CHORALE_API chorale_status chorale_potential_create_cardinality(
    const chorale_host *host, int64_t values, const double *table, int64_t length,
    const chorale_potential_options *options, chorale_potential **potential, chorale_error *error);

/* MAX: max_v f_v(n_v) over the values that count, those with n_v = 0 included. Tables, `length`,
 * strides and errors as in SUM; they need be neither monotone nor zero at zero. [Max potentials] */
CHORALE_API chorale_status chorale_potential_create_max(const chorale_host *host, int64_t values,
                                                        const double *tables, int64_t table_count,
                                                        int64_t length, int64_t row_stride,
                                                        const chorale_potential_options *options,
                                                        chorale_potential **potential,
                                                        chorale_error *error);

/* Makespan: max_v lambda n_v, and its square: max_v lambda n_v^2; lambda finite. A negative lambda
 * makes it the least count that counts. [Max potentials] */
CHORALE_API chorale_status chorale_potential_create_makespan(
    const chorale_host *host, int64_t values, double lambda,
    const chorale_potential_options *options, chorale_potential **potential, chorale_error *error);
CHORALE_API chorale_status chorale_potential_create_square_makespan(
    const chorale_host *host, int64_t values, double lambda,
    const chorale_potential_options *options, chorale_potential **potential, chorale_error *error);

/* MAJORITY: b_a + sum_v w_av n_v, where a is a counted value of highest count; of several such
 * values the one that scores highest. [Majority potentials]
 *
 * weights: `values` x `values` finite doubles, row a (the majority value) at weights + a *
 *   row_stride (0: values, rows without gaps). Row and column of a value that does not count are
 *   ignored.
 * bias: `values` finite doubles b_a, or NULL for zeros. With zero weights this is Lu and Getoor's
 *   constant for each majority value.
 * Errors: STRIDE. */
CHORALE_API chorale_status chorale_potential_create_majority(
    const chorale_host *host, int64_t values, const double *weights, int64_t row_stride,
    const double *bias, const chorale_potential_options *options, chorale_potential **potential,
    chorale_error *error);

/* PAIRS: sum_{v,v'} f(v, v') n_v n_v' - sum_v f(v, v) n_v: the sum of f(x_i, x_j) over all ordered
 * pairs of distinct members that take counted values. The paper counts a pair once: halve f for
 * that. f need not be symmetric. [Information extraction, the rewriting of equation 1]
 *
 * scores: `values` x `values` finite doubles, row v at scores + v * row_stride (0: values, rows
 *   without gaps). Where every f(v, v') + f(v', v), v != v', splits into c_v + c_v' and every value
 *   counts (or all c_v are equal), the potential is a SUM and gets all that SUM gets.
 * Errors: STRIDE. */
CHORALE_API chorale_status chorale_potential_create_pairs(const chorale_host *host, int64_t values,
                                                          const double *scores, int64_t row_stride,
                                                          const chorale_potential_options *options,
                                                          chorale_potential **potential,
                                                          chorale_error *error);

/* The score of a count vector: counts[v], v < values, of `members` members (entries of values that
 * do not count are 0), stored in *score; the scale is applied afterwards. Returns 0, or non-zero to
 * stop the computation (CALLBACK_STOPPED). NaN, plus infinity and magnitudes above 1e290 (scaled or
 * not), whose sums might overflow, are CALLBACK_VALUE; minus infinity forbids the counts. It must
 * be a function of its arguments alone, must not unwind, must not call into the run that needs the
 * score (BUSY while that is solved), and is called on the thread of the call that needs it; a
 * potential used from several threads calls it from all of them. It is not called when nothing
 * counts. */
typedef int32_t (*chorale_count_function)(void *user, const int64_t *counts, int64_t values,
                                          int64_t members, double *score);

/* CALLBACK: any symmetric function. `release` (may be NULL) gets `user` when the last reference is
 * released, on that thread, or never if creation fails. */
CHORALE_API chorale_status chorale_potential_create_callback(
    const chorale_host *host, int64_t values, chorale_count_function function, void *user,
    void (*release)(void *user), const chorale_potential_options *options,
    chorale_potential **potential, chorale_error *error);

/* factor * C: another potential over the same numbers, which are shared, not copied. What C forbids
 * stays forbidden at factor 0 too. factor: finite, >= 0.
 * Errors: NULL_ARGUMENT, NOT_A_NUMBER, INFINITE, OUT_OF_RANGE (a negative factor; one that takes a
 * magnitude above 1e280), OUT_OF_MEMORY. O(1), for factors above 1 the size of its numbers. */
CHORALE_API chorale_status chorale_potential_create_scaled(const chorale_host *host,
                                                           const chorale_potential *potential,
                                                           double factor,
                                                           chorale_potential **scaled,
                                                           chorale_error *error);

/* Adds a reference and returns its argument; NULL stays NULL. Atomic: any thread. */
CHORALE_API chorale_potential *chorale_potential_retain(const chorale_potential *potential);
/* Drops a reference, and the potential with the last one; NULL is ignored. Atomic: any thread. */
CHORALE_API void chorale_potential_release(const chorale_potential *potential);

/* The number of values R; 0 for NULL. Any thread. */
CHORALE_API int64_t chorale_potential_values(const chorale_potential *potential);
/* The family; 0 for NULL. Any thread. */
CHORALE_API chorale_family chorale_potential_family(const chorale_potential *potential);

/* The score of counts[0 .. values-1] among `members` members, scale included; *score may become
 * minus infinity. Counts of values that do not count belong to the sum of all counts.
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
