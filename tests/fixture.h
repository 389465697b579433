/* Shared by the public tests: seeded random problems, the definition of F (clique.h) computed
 * independently of the library, enumeration, shrinking of failing problems, and counts of
 * allocations.
 *
 * CHORALE_TEST_SEED sets the seed of every random problem; CHORALE_TEST_ROUNDS multiplies the
 * number of problems tried. A failure prints the smallest problem that still fails. */
#ifndef CHORALE_TESTS_FIXTURE_H
#define CHORALE_TESTS_FIXTURE_H

#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fixture_members.h"
#include "fixture_names.h"

#include <chorale/experimental.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* ---- Random numbers ----------------------------------------------------------------------- */

typedef struct Random {
  uint64_t state;
} Random;

uint64_t random_bits(Random *random);
/* Uniform in low .. high, both included. */
int32_t random_int(Random *random, int32_t low, int32_t high);
/* Uniform in [0, 1). */
double random_unit(Random *random);
int random_chance(Random *random, int32_t percent);
/* Makes `random` draw from these bytes while there are any, as few bytes as suffice for each draw,
 * and afterwards from its state. Fuzzers choose problems in this way. Only one Random at a time can
 * do this; `random` NULL: none does. */
void draw_from(const Random *random, const uint8_t *bytes, size_t size);

/* Reads a number like strtod, whatever the host's locale. */
double plain_number(const char *text);
uint64_t test_seed(void);
int64_t test_rounds(int64_t usual);

/* ---- Problems ----------------------------------------------------------------------------- */

enum {
  MAX_MEMBERS = 24,
  MAX_VALUES = 6,
  MAX_STRIDE = MAX_VALUES + 3,
  MAX_LENGTH = MAX_MEMBERS + 3,
  MAX_LABELLINGS = 800
};

typedef enum Kind {
  KIND_POTTS,
  KIND_ENTROPY,
  KIND_SUM_SHARED,
  KIND_SUM_PER_VALUE,
  KIND_SUM_CONVEX,
  KIND_SUM_CONCAVE,
  KIND_CARDINALITY,
  KIND_MAX_SHARED,
  KIND_MAX_PER_VALUE,
  KIND_MAKESPAN,
  KIND_SQUARE_MAKESPAN,
  KIND_MAJORITY,
  KIND_PAIRS,
  KIND_PAIRS_SEPARABLE,
  KIND_CALLBACK,
  KIND_COUNT
} Kind;

typedef struct Problem {
  Kind kind;
  chorale_scale scale;
  chorale_shape shape;
  int32_t members, values, row_stride;
  double lambda;
  int32_t table_count, length;
  double tables[MAX_VALUES * MAX_LENGTH]; /* row v at tables + v * MAX_LENGTH */
  double matrix[MAX_VALUES * MAX_VALUES]; /* weights or pairs, row a at matrix + a * MAX_VALUES */
  double bias[MAX_VALUES];
  int has_bias;
  uint64_t salt; /* a number that determines the function of the callback */
  int has_counted;
  uint8_t counted[MAX_VALUES];
  int has_fixed;
  int32_t fixed[MAX_MEMBERS];
  double scores[MAX_MEMBERS * MAX_STRIDE]; /* gaps hold NaN */
} Problem;

const char *kind_name(Kind kind);
/* Draws a problem small enough to enumerate. */
void random_problem(Random *random, Kind kind, Problem *problem);
/* Draws a problem of `members` members and up to `values` values. */
void random_problem_of(Random *random, Kind kind, int32_t members, int32_t values,
                       Problem *problem);
/* Makes every score a different real number, so that no result depends on ties. */
void break_ties(Random *random, Problem *problem);
void dump_problem(FILE *to, const Problem *problem);
void scale_numbers(double *numbers, size_t count, double factor);
/* Multiplies every score, including those of the potential. */
void scale_problem(Problem *problem, double factor);

int counts_value(const Problem *problem, int32_t value);
int32_t column_count(const Problem *problem);
/* True if alpha-pass is exact: with at most two columns, or one member, it visits a best labelling
 * of every count vector. */
int is_pass_exact(const Problem *problem);
double score_of(const Problem *problem, int32_t member, int32_t value);
/* True if the member may take the value: it is not forbidden, and the member is not fixed to
 * another value. */
int admits(const Problem *problem, int32_t member, int32_t value);
int some_member_is_stuck(const Problem *problem);

/* Create the potential, the structs and other arguments that the library takes for a problem. */
chorale_status make_potential(const Problem *problem, const chorale_host *host,
                              chorale_potential **potential, chorale_error *error);
void describe_problem(const Problem *problem, chorale_clique_problem *described);

/* ---- The definition ----------------------------------------------------------------------- */

/* Returns f_v(k) of the SUM and MAX families, unscaled. */
double own_table(const Problem *problem, int32_t value, int32_t count);
double own_factor(const Problem *problem);
double own_clique_score(const Problem *problem, const int64_t *counts);
double own_member_score(const Problem *problem, const int32_t *assignment);
double own_score(const Problem *problem, const int32_t *assignment);
/* Returns sum_i |psi_i,x_i| + |clique_score|. */
double own_magnitude(const Problem *problem, const int32_t *assignment, double clique_score);
/* True if bound - score is at most gap * |score|, or within rounding: at most 1e-12 of the
 * magnitude. */
int closes(double score, double magnitude, double bound, double gap);
void own_counts(const Problem *problem, const int32_t *assignment, int64_t *counts);

/* Asks for a gap; 0: for a proof; negative: for neither. */
static inline void ask_gap(chorale_clique_options *options, double gap) {
  options->prove = gap == 0;
  options->gap = gap > 0 ? gap : 0;
}

typedef enum Truth { NO, YES, UNCLEAR } Truth;
/* Determine whether a potential is a SUM, and the shape of the tables of a SUM (or of a PAIRS that
 * is a SUM). */
Truth is_sum(const Problem *problem);
Truth is_convex_sum(const Problem *problem);
Truth is_concave_sum(const Problem *problem);

typedef struct Oracle {
  double best; /* minus infinity: infeasible */
  int32_t assignment[MAX_MEMBERS];
  double marginals[MAX_MEMBERS * MAX_VALUES]; /* n x R */
  double messages[MAX_MEMBERS * MAX_VALUES];  /* n x R, without member i's own score and fixing */
} Oracle;
void enumerate(const Problem *problem, Oracle *oracle);

/* ---- Solving ------------------------------------------------------------------------------ */

enum { UNTOUCHED = -77 };

typedef struct Solved {
  chorale_status status;
  chorale_error error;
  chorale_clique_result result;
  int32_t assignment[MAX_MEMBERS];
} Solved;

chorale_clique_solver *new_solver(void);
void options_of(chorale_algorithm algorithm, chorale_clique_options *options);
void solve(chorale_clique_solver *solver, const chorale_potential *potential,
           const Problem *problem, const chorale_clique_options *options, Solved *solved);
/* Checks properties that every result must have. Returns NULL, or a description of the
 * violation. */
const char *check_result(const Problem *problem, const Oracle *oracle,
                         const chorale_clique_options *options, const Solved *solved, int exact);

/* True if two numbers are equal within 1e-9 relative, infinities included. Numbers below
 * `magnitude` (1 unless it is set) are compared as if they were as large as `magnitude`: if terms
 * of this size have cancelled, their rounding errors remain. */
int is_close(double a, double b);
void set_magnitude(double magnitude);
/* True if a <= b within the same tolerance. */
int is_at_most(double a, double b);

/* ---- Running many problems ---------------------------------------------------------------- */

/* Returns NULL when the problem passes, otherwise complain(...). Must not assert. */
typedef const char *(*ProblemCheck)(const Problem *problem, void *context);
const char *complain(const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 1, 2)))
#endif
    ;
void check_one(const Problem *problem, ProblemCheck check, void *context, const char *where);
/* Checks `rounds` random problems of each kind in low .. high. */
void check_kinds(const char *name, Kind low, Kind high, int64_t rounds, ProblemCheck check,
                 void *context);

/* ---- Calls and their errors --------------------------------------------------------------- */

void expect_ok(chorale_status status, const chorale_error *error, const char *call, int line);
/* Checks the status, the same status in the error, and that the message contains every piece. The
 * list of pieces ends in NULL. */
void expect_error(chorale_status status, const chorale_error *error, chorale_status expected,
                  const char *call, int line, ...);
#define OK(call) expect_ok((call), &error, #call, __LINE__)
#define FAILS(call, expected, ...)                                                                 \
  expect_error((call), &error, (expected), #call, __LINE__, __VA_ARGS__, (const char *)NULL)

/* ---- What a run tells --------------------------------------------------------------------- */

/* What the JSON of a run (chorale_run_json) tells of a chain: its score together and alone, minus
 * infinity if it is left out, and whether it changed. */
typedef struct ToldChain {
  double score, own_score;
  int changed;
} ToldChain;
/* Reads the JSON of a run: what it tells of each chain, and the score of each clique (cliques 0: of
 * none). Returns NULL, or complain(...). */
const char *told_scores(const chorale_run *run, int64_t chains, ToldChain *of_chains,
                        int64_t cliques, double *of_cliques);

/* ---- Memory ------------------------------------------------------------------------------- */

/* Count the calls of malloc and its family in the whole process, and the blocks not yet freed. This
 * needs glibc, and is not possible under sanitizers and valgrind, which have their own malloc;
 * tests that count are then skipped. */
int memory_is_counted(void);
int64_t memory_allocations(void);
int64_t memory_live_blocks(void);
/* Fails unless an allocation is counted. Every test that counts calls it, to show that counting
 * works. */
void memory_canary(void);
/* Refuses the allocations number `from` to `to`, counted from 1 from now on; 0, 0: refuses none. */
void memory_refuse(int64_t from, int64_t to);
int64_t memory_refusals(void); /* number of allocations refused so far */

/* A chorale_allocator that checks the blocks that are returned to it, and that can refuse memory
 * and ignore alignment. */
typedef struct CountingAllocator {
  chorale_allocator hooks;
  int64_t allocations, live, live_bytes, mistakes;
  int64_t refusals;
  int64_t fail_at; /* the number of the allocation that fails, from 1; 0: none */
  int is_dry;      /* every allocation fails */
  /* Number of the first allocation that is misaligned, as are all later ones; 0: none. */
  int64_t misaligns_from;
} CountingAllocator;
void counting_allocator_init(CountingAllocator *allocator);

#endif
