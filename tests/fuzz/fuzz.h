/* What the fuzzers share: numbers from bytes, hostile ones among them, memory that runs out when
 * the input says so, and what to do when something is wrong.
 *
 * A fuzzer is one function from bytes to calls of the library. It draws everything through the
 * Random of the fixture, which reads the bytes first (draw_from), so the fixture's random problems,
 * definitions and enumerations serve here as well, and coverage guides what they make. */
#ifndef CHORALE_TESTS_FUZZ_H
#define CHORALE_TESTS_FUZZ_H

#include "fixture.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Aborts with the place and a message, which is how a fuzzer tells. */
void broken(const char *file, int line, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 3, 4), noreturn))
#endif
    ;
#define REQUIRE(condition, ...)                                                                    \
  do {                                                                                             \
    if (!(condition))                                                                              \
      broken(__FILE__, __LINE__, __VA_ARGS__);                                                     \
  } while (0)
/* NULL, or why not. */
#define PASSES(check)                                                                              \
  do {                                                                                             \
    const char *reason = (check);                                                                  \
    REQUIRE(!reason, "%s", reason);                                                                \
  } while (0)

/* The same for every input of the same bytes. */
Random open_input(const uint8_t *data, size_t size);

/* ---- Hostile numbers ---------------------------------------------------------------------- */

/* Zeros, denormals, huge and tiny ones, infinities, NaN. */
double hostile_double(Random *random);
/* One that may stand in an array of scores: minus infinity, or finite and at most 1e280. */
double hostile_score(Random *random);
/* Sizes that no array has, so that only the argument itself can be looked at: negative, 0, around
 * 2^31, 2^32, 2^62, 2^63. */
int64_t hostile_size(Random *random);
/* 2^e for every number of a problem, so that sums stay as exact as they were. */
double hostile_power(Random *random);
/* Factors for numbers side by side: from 1e-15 to 1e5, powers of two. */
double mixed_power(Random *random);
/* Numbers are compared as if they were no smaller: below, digits are lost. */
#define LEAST_MAGNITUDE 0x1p-1030

/* ---- Many values, few of which matter ----------------------------------------------------- */

double own_callback(const Problem *problem, const int64_t *counts);

/* A problem's values among many others: its value v is column[v], and the numbers of the others are
 * such that the potential says of the problem's counts what it said. */
typedef struct Wide {
  const Problem *problem;
  int64_t values;
  int32_t column[MAX_VALUES + 2];
  int is_masked; /* the others do not count; otherwise they do where that changes nothing */
} Wide;

/* A rising sequence of `few` numbers below `many`. */
void spread_values(Random *random, int32_t few, int32_t many, int32_t *column);
/* Whether there are numbers for every pair of values or every value, which a million is too many
 * for. */
int numbers_grow(const Problem *problem);
/* `wide` and its problem must outlive the potential. */
chorale_status make_wide_potential(const Wide *wide, const chorale_host *host,
                                   chorale_potential **potential, chorale_error *error);

/* ---- Memory that runs out ----------------------------------------------------------------- */

typedef struct Supply {
  chorale_host host;
  CountingAllocator memory; /* checks what comes back */
  chorale_allocator hooks;
  Random luck;
  int32_t refuses;   /* percent of allocations */
  int64_t countdown; /* the allocation that is refused, from 1; 0: none */
  int64_t refused, too_large;
  int32_t attempts;
  int64_t live;
} Supply;

/* `is_strict`: nothing is ever refused but what is too large for a fuzzer. */
void open_supply(Supply *supply, Random *random, int is_strict);
/* Everything has gone back. */
void close_supply(Supply *supply);
void begin_call(Supply *supply);
/* Whether the call ran out of memory and is to be made again, then with all it asks for. */
int call_again(Supply *supply, chorale_status status, const chorale_error *error);
/* Makes a call until memory suffices. A failure must be the status of it, leave nothing behind, and
 * the same call must work afterwards. */
#define FED(supply, status, call, error)                                                           \
  do {                                                                                             \
    begin_call(supply);                                                                            \
    do                                                                                             \
      (status) = (call);                                                                           \
    while (call_again((supply), (status), (error)));                                               \
  } while (0)

/* ---- What a run says ---------------------------------------------------------------------- */

/* Whether a text is one JSON value, by RFC 8259. */
int is_json(const char *text);

#endif
