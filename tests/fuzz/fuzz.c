#include "fuzz.h"

#include <ctype.h>

void broken(const char *file, int line, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fprintf(stderr, "%s:%d: ", file, line);
  vfprintf(stderr, format, arguments);
  fprintf(stderr, "\n");
  va_end(arguments);
  abort();
}

Random open_input(const uint8_t *data, size_t size) {
  (void)data;
  const Random random = {UINT64_C(0x43484F52) + size % 16};
  /* A failed assertion of the fixture aborts: there is no test here to end. */
  (void)setenv("CMOCKA_TEST_ABORT", "1", 1);
  set_magnitude(1);
  return random;
}

/* ---- Hostile numbers ---------------------------------------------------------------------- */

static const double kHostile[] = {
    0.0,    -0.0,         4.9e-324,  -4.9e-324, 2.2e-308, -1e-310,
    1e-300, -1e-300,      1e-17,     1e280,     -1e280,   9.9e279,
    1e300,  -1e300,       1.7e308,   1e17,      -1e17,    9007199254740993.0,
    1e154,  4294967296.0, 1.0 / 3.0, -INFINITY, INFINITY, NAN};
enum { HOSTILE_SCORES = 12 }; /* so many of them may stand in a score */

double hostile_double(Random *random) {
  return kHostile[random_int(random, 0, (int32_t)COUNT_OF(kHostile) - 1)];
}

double hostile_score(Random *random) {
  const double score = kHostile[random_int(random, 0, (int32_t)COUNT_OF(kHostile) - 1)];
  return isnan(score) || score > 1e280 || (score < -1e280 && score > -INFINITY)
             ? kHostile[random_int(random, 0, HOSTILE_SCORES - 1)]
             : score;
}

int64_t hostile_size(Random *random) {
  static const int64_t sizes[] = {0,
                                  -1,
                                  INT64_MIN,
                                  INT32_MIN,
                                  (int64_t)INT32_MAX + 1,
                                  (int64_t)UINT32_MAX,
                                  (int64_t)UINT32_MAX + 1,
                                  (int64_t)1 << 40,
                                  ((int64_t)1 << 61) - 1,
                                  (int64_t)1 << 62,
                                  INT64_MAX - 1,
                                  INT64_MAX};
  return sizes[random_int(random, 0, (int32_t)COUNT_OF(sizes) - 1)];
}

double hostile_power(Random *random) {
  /* Far from the ends: 1e280 is refused, and products of tiny numbers must not be rounded. */
  static const int32_t exponents[] = {-900, -300, -60, -20, 20, 60, 300, 860};
  return ldexp(1, exponents[random_int(random, 0, (int32_t)COUNT_OF(exponents) - 1)]);
}

double mixed_power(Random *random) {
  static const int32_t exponents[] = {-50, -50, -23, 0, 17};
  return ldexp(1, exponents[random_int(random, 0, (int32_t)COUNT_OF(exponents) - 1)]);
}

/* ---- Many values, few of which matter ----------------------------------------------------- */

void spread_values(Random *random, int32_t few, int32_t many, int32_t *column) {
  int32_t least = 0;
  for (int32_t v = 0; v < few; ++v) {
    column[v] = random_int(random, least, many - few + v);
    least = column[v] + 1;
  }
}

int numbers_grow(const Problem *problem) {
  return problem->table_count > 1 || problem->kind >= KIND_MAJORITY;
}

/* Whether a value that nobody takes changes nothing, with zeros for its numbers. */
static int others_may_count(const Problem *problem) {
  switch (problem->kind) {
  case KIND_CARDINALITY:
  case KIND_MAX_SHARED:
  case KIND_MAX_PER_VALUE:
    return 0;
  case KIND_MAKESPAN:
  case KIND_SQUARE_MAKESPAN:
    return problem->lambda >= 0;
  default: /* a sum adds the count 0 of every value */
    return problem->kind < KIND_SUM_SHARED || problem->kind > KIND_SUM_CONCAVE ||
           problem->table_count > 1 || problem->tables[0] == 0;
  }
}

static int32_t call_wide(void *user, const int64_t *counts, int64_t values, int64_t members,
                         double *score) {
  const Wide *wide = user;
  int64_t own[MAX_VALUES] = {0};
  REQUIRE(values == wide->values, "called for %lld values", (long long)values);
  for (int32_t v = 0; v < wide->problem->values; ++v)
    own[v] = counts[wide->column[v]];
  Problem problem = *wide->problem;
  problem.members = (int32_t)members;
  *score = own_callback(&problem, own);
  return 0;
}

chorale_status make_wide_potential(const Wide *wide, const chorale_host *host,
                                   chorale_potential **potential, chorale_error *error) {
  const Problem *p = wide->problem;
  const int64_t R = wide->values;
  const int64_t rows = p->table_count > 1 ? R : 1;
  const int64_t square = p->kind >= KIND_MAJORITY && p->kind <= KIND_PAIRS_SEPARABLE ? R : 0;
  uint8_t *counted = calloc((size_t)R, 1);
  double *tables = calloc((size_t)(rows * MAX_LENGTH), sizeof *tables);
  double *matrix = calloc((size_t)(square * square + 1), sizeof *matrix);
  double *bias = calloc((size_t)square + 1, sizeof *bias);
  REQUIRE(counted && tables && matrix && bias, "no memory");
  memset(counted, !wide->is_masked && others_may_count(p), (size_t)R);
  for (int32_t v = 0; v < p->values; ++v)
    counted[wide->column[v]] = counts_value(p, v) != 0;
  for (int32_t v = 0; v < p->table_count; ++v)
    memcpy(tables + (rows > 1 ? wide->column[v] : v) * MAX_LENGTH, p->tables + v * MAX_LENGTH,
           MAX_LENGTH * sizeof *tables);
  for (int32_t v = 0; square > 0 && v < p->values; ++v) {
    bias[wide->column[v]] = p->bias[v];
    for (int32_t w = 0; w < p->values; ++w)
      matrix[wide->column[v] * R + wide->column[w]] = p->matrix[v * MAX_VALUES + w];
  }
  chorale_potential_options options = {.struct_size = sizeof options};
  options.scale = p->scale;
  options.shape = p->shape;
  options.counted = memchr(counted, 0, (size_t)R) ? counted : NULL;
  chorale_status status;
  switch (p->kind) {
  case KIND_POTTS:
    status = chorale_potential_create_potts(host, R, p->lambda, &options, potential, error);
    break;
  case KIND_ENTROPY:
    status = chorale_potential_create_entropy(host, R, p->lambda, &options, potential, error);
    break;
  case KIND_SUM_SHARED:
  case KIND_SUM_PER_VALUE:
  case KIND_SUM_CONVEX:
  case KIND_SUM_CONCAVE:
    status = chorale_potential_create_sum(host, R, tables, rows, p->length, MAX_LENGTH, &options,
                                          potential, error);
    break;
  case KIND_CARDINALITY:
    status = chorale_potential_create_cardinality(host, R, tables, p->length, &options, potential,
                                                  error);
    break;
  case KIND_MAX_SHARED:
  case KIND_MAX_PER_VALUE:
    status = chorale_potential_create_max(host, R, tables, rows, p->length, MAX_LENGTH, &options,
                                          potential, error);
    break;
  case KIND_MAKESPAN:
    status = chorale_potential_create_makespan(host, R, p->lambda, &options, potential, error);
    break;
  case KIND_SQUARE_MAKESPAN:
    status =
        chorale_potential_create_square_makespan(host, R, p->lambda, &options, potential, error);
    break;
  case KIND_MAJORITY:
    status = chorale_potential_create_majority(host, R, matrix, R, p->has_bias ? bias : NULL,
                                               &options, potential, error);
    break;
  case KIND_PAIRS:
  case KIND_PAIRS_SEPARABLE:
    status = chorale_potential_create_pairs(host, R, matrix, R, &options, potential, error);
    break;
  default: {
    void *user;
    memcpy(&user, &wide, sizeof user);
    status = chorale_potential_create_callback(host, R, call_wide, user, NULL, &options, potential,
                                               error);
  }
  }
  free(counted);
  free(tables);
  free(matrix);
  free(bias);
  return status;
}

/* ---- Memory ------------------------------------------------------------------------------- */

enum { LARGEST_BLOCK = 1 << 26 };

static void *supply_some(void *user, size_t bytes, size_t alignment) {
  Supply *supply = user;
  if (bytes > LARGEST_BLOCK) {
    ++supply->too_large;
    return NULL;
  }
  if (supply->attempts < 2 && ((supply->countdown > 0 && --supply->countdown == 0) ||
                               random_chance(&supply->luck, supply->refuses))) {
    ++supply->refused;
    return NULL;
  }
  return supply->memory.hooks.allocate(supply->memory.hooks.user, bytes, alignment);
}

static void take_some(void *user, void *memory, size_t bytes, size_t alignment) {
  Supply *supply = user;
  supply->memory.hooks.deallocate(supply->memory.hooks.user, memory, bytes, alignment);
}

void open_supply(Supply *supply, Random *random, int is_strict) {
  memset(supply, 0, sizeof *supply);
  counting_allocator_init(&supply->memory);
  supply->hooks.user = supply;
  supply->hooks.allocate = supply_some;
  supply->hooks.deallocate = take_some;
  supply->host = (chorale_host){.struct_size = sizeof supply->host};
  supply->host.allocator = &supply->hooks;
  const int32_t how = random_int(random, 0, 9);
  supply->luck.state = (uint64_t)random_int(random, 0, 255);
  if (is_strict || how < 6)
    return;
  if (how < 8)
    supply->countdown = random_int(random, 1, 60);
  else
    supply->refuses = random_int(random, 1, 60);
}

void close_supply(Supply *supply) {
  REQUIRE(supply->memory.live == 0, "%lld blocks of %lld bytes were never given back",
          (long long)supply->memory.live, (long long)supply->memory.live_bytes);
  REQUIRE(supply->memory.mistakes == 0, "memory went back as what it was not");
}

void begin_call(Supply *supply) {
  supply->refused = supply->too_large = 0;
  supply->attempts = 0;
  supply->live = supply->memory.live;
}

int call_again(Supply *supply, chorale_status status, const chorale_error *error) {
  REQUIRE(supply->memory.mistakes == 0, "memory went back as what it was not");
  REQUIRE(!error || error->status == status, "status %d, in the error %d", status, error->status);
  REQUIRE(!error || memchr(error->message, 0, sizeof error->message), "a message without an end");
  REQUIRE(!error || (status == CHORALE_OK) == (error->message[0] == 0), "status %d says \"%.99s\"",
          status, error->message);
  REQUIRE(status != CHORALE_ERROR_INTERNAL, "a fault of the library: \"%.400s\"",
          error ? error->message : "");
  /* A call that is refused a generous block may still succeed with a smaller one. */
  if (status != CHORALE_ERROR_OUT_OF_MEMORY)
    return 0;
  REQUIRE(supply->refused + supply->too_large > 0, "out of memory without having been refused any");
  if (supply->too_large > 0)
    return 0;
  REQUIRE(++supply->attempts < 3, "out of memory with all it asks for");
  supply->refused = 0;
  return 1;
}

/* ---- JSON --------------------------------------------------------------------------------- */

static const char *json_value(const char *at, int depth);

static const char *json_digits(const char *at) {
  if (!at || !isdigit((unsigned char)*at))
    return NULL;
  while (isdigit((unsigned char)*at))
    ++at;
  return at;
}

static const char *json_number(const char *at) {
  at += *at == '-';
  at = *at == '0' ? at + 1 : json_digits(at);
  if (at && *at == '.')
    at = json_digits(at + 1);
  if (at && (*at == 'e' || *at == 'E')) {
    ++at;
    at = json_digits(at + (*at == '+' || *at == '-'));
  }
  return at;
}

static const char *json_string(const char *at) {
  if (!at || *at++ != '"')
    return NULL;
  for (; *at != '"'; ++at)
    if ((unsigned char)*at < 0x20 || *at == '\\')
      return NULL; /* a run says nothing that needs an escape */
  return at + 1;
}

static const char *json_members(const char *at, char end, int is_object, int depth) {
  if (*++at == end)
    return at + 1;
  for (;; ++at) {
    if (is_object) {
      at = json_string(at);
      if (!at || *at++ != ':')
        return NULL;
    }
    at = json_value(at, depth + 1);
    if (!at || *at != ',')
      return at && *at == end ? at + 1 : NULL;
  }
}

/* A run writes no blanks. */
static const char *json_value(const char *at, int depth) {
  static const char *const words[] = {"null", "true", "false"};
  if (depth > 8)
    return NULL;
  for (size_t k = 0; k < COUNT_OF(words); ++k)
    if (strncmp(at, words[k], strlen(words[k])) == 0)
      return at + strlen(words[k]);
  if (*at == '{' || *at == '[')
    return json_members(at, *at == '{' ? '}' : ']', *at == '{', depth);
  return *at == '"' ? json_string(at) : json_number(at);
}

int is_json(const char *text) {
  const char *end = json_value(text, 0);
  return end && *end == '\0';
}
