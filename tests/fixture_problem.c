/* Random problems, and their form for the library. */
#include "fixture.h"

#include <locale.h>

uint64_t random_bits(Random *random) { /* splitmix64 */
  uint64_t z = (random->state += UINT64_C(0x9E3779B97F4A7C15));
  z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
  return z ^ (z >> 31);
}

static struct {
  const Random *reader;
  const uint8_t *bytes;
  size_t left;
} source;

void draw_from(const Random *random, const uint8_t *bytes, size_t size) {
  source.reader = random;
  source.bytes = bytes;
  source.left = size;
}

/* Draws a number below `span`, at most 2^32, from the bytes; 0 if none are left. */
static int draw(const Random *random, uint64_t span, uint64_t *number) {
  if (!random || random != source.reader || source.left == 0)
    return 0;
  *number = 0;
  for (uint64_t reach = 1; reach < span && source.left > 0; reach <<= 8, --source.left)
    *number = *number << 8 | *source.bytes++;
  *number %= span;
  return 1;
}

int32_t random_int(Random *random, int32_t low, int32_t high) {
  const uint64_t span = (uint64_t)((int64_t)high - low + 1);
  uint64_t number;
  if (!draw(random, span, &number))
    number = random_bits(random) % span;
  return (int32_t)(low + (int64_t)number);
}

double random_unit(Random *random) {
  uint64_t number;
  if (draw(random, 1 << 16, &number))
    return (double)number * 0x1p-16;
  return (double)(random_bits(random) >> 11) * 0x1p-53;
}

int random_chance(Random *random, int32_t percent) { return random_int(random, 0, 99) < percent; }

uint64_t test_seed(void) {
  const char *text = getenv("CHORALE_TEST_SEED");
  return text ? strtoull(text, NULL, 0) : UINT64_C(20240607);
}

double plain_number(const char *text) {
  const locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  const locale_t before = uselocale(plain);
  const double number = strtod(text, NULL);
  uselocale(before);
  freelocale(plain);
  return number;
}

int64_t test_rounds(int64_t usual) {
  const char *text = getenv("CHORALE_TEST_ROUNDS");
  const double factor = text ? plain_number(text) : 1.0;
  const double rounds = (double)usual * factor;
  return rounds < 1 ? 1 : (int64_t)rounds;
}

static const char *const kKindNames[KIND_COUNT] = {
    "potts",           "entropy",     "sum, one table", "sum, a table a value", "convex sum",
    "concave sum",     "cardinality", "max, one table", "max, a table a value", "makespan",
    "square makespan", "majority",    "pairs",          "separable pairs",      "callback"};

const char *kind_name(Kind kind) { return kKindNames[kind]; }

int counts_value(const Problem *problem, int32_t value) {
  return !problem->has_counted || problem->counted[value] != 0;
}

static int32_t counted_values(const Problem *problem) {
  int32_t counted = 0;
  for (int32_t v = 0; v < problem->values; ++v)
    counted += counts_value(problem, v);
  return counted;
}

int32_t column_count(const Problem *problem) {
  const int32_t counted = counted_values(problem);
  return counted + (counted < problem->values);
}

int is_pass_exact(const Problem *problem) {
  return column_count(problem) <= 2 || problem->members == 1;
}

double score_of(const Problem *problem, int32_t member, int32_t value) {
  return problem->scores[member * problem->row_stride + value];
}

int admits(const Problem *problem, int32_t member, int32_t value) {
  if (problem->has_fixed && problem->fixed[member] >= 0 && problem->fixed[member] != value)
    return 0;
  return score_of(problem, member, value) > -INFINITY;
}

int some_member_is_stuck(const Problem *problem) {
  for (int32_t i = 0; i < problem->members; ++i) {
    int free_values = 0;
    for (int32_t v = 0; v < problem->values; ++v)
      free_values += admits(problem, i, v);
    if (free_values == 0)
      return 1;
  }
  return 0;
}

/* ---- Random problems ---------------------------------------------------------------------- */

static double random_number(Random *random, int whole, int32_t low, int32_t high) {
  return whole ? (double)random_int(random, low, high)
               : low + (double)(high - low) * random_unit(random);
}

static void random_tables(Random *random, int whole, Problem *problem) {
  const int forbids = random_chance(random, 25);
  for (int32_t v = 0; v < problem->table_count; ++v) {
    double *table = problem->tables + v * MAX_LENGTH;
    double slope = random_number(random, whole, -3, 3);
    table[0] = random_chance(random, 50) ? 0 : random_number(random, whole, -2, 2);
    for (int32_t k = 1; k < problem->length; ++k) {
      if (problem->kind == KIND_SUM_CONVEX || problem->kind == KIND_SUM_CONCAVE) {
        table[k] = table[k - 1] + slope;
        const double bend = random_number(random, whole, 0, 2);
        slope += problem->kind == KIND_SUM_CONVEX ? bend : -bend;
      } else {
        table[k] = random_number(random, whole, -4, 4);
      }
    }
    if (!forbids)
      continue;
    if (problem->kind == KIND_SUM_CONCAVE) { /* a capacity */
      for (int32_t k = random_int(random, 1, problem->length); k < problem->length; ++k)
        table[k] = -INFINITY;
    } else if (problem->kind != KIND_SUM_CONVEX) {
      for (int32_t k = 0; k < problem->length; ++k)
        if (random_chance(random, 15))
          table[k] = -INFINITY;
    }
  }
}

static void random_matrix(Random *random, int whole, Problem *problem) {
  const int32_t R = problem->values;
  const int symmetric = random_chance(random, 30);
  const int sparse = random_chance(random, 30);
  double common[MAX_VALUES];
  for (int32_t v = 0; v < R; ++v)
    common[v] = random_number(random, whole, -2, 2);
  for (int32_t v = 0; v < R; ++v) {
    problem->bias[v] = random_number(random, whole, -2, 2);
    for (int32_t w = 0; w < R; ++w) {
      double *entry = problem->matrix + v * MAX_VALUES + w;
      *entry = sparse && random_chance(random, 60) ? 0 : random_number(random, whole, -2, 3);
      if (symmetric && w < v)
        *entry = problem->matrix[w * MAX_VALUES + v];
      if (problem->kind == KIND_PAIRS_SEPARABLE && w < v)
        *entry = (problem->has_counted ? 0 : common[v] + common[w]) -
                 problem->matrix[w * MAX_VALUES + v];
    }
  }
  problem->has_bias = random_chance(random, 50);
}

static void random_sizes(Random *random, Problem *problem) {
  int64_t labellings;
  do {
    problem->members = random_chance(random, 8) ? 1 : random_int(random, 1, 6);
    problem->values = random_chance(random, 5) ? 1 : random_int(random, 2, 5);
    labellings = 1;
    for (int32_t i = 0; i < problem->members; ++i)
      labellings *= problem->values;
  } while (labellings > MAX_LABELLINGS);
}

static void random_mask(Random *random, Problem *problem) {
  const int32_t R = problem->values;
  if (problem->kind == KIND_CARDINALITY) {
    if (R < 2)
      problem->values = 2;
    problem->has_counted = problem->values > 2;
    const int32_t a = random_int(random, 0, problem->values - 1);
    int32_t b;
    do
      b = random_int(random, 0, problem->values - 1);
    while (b == a);
    problem->counted[a] = problem->counted[b] = 1;
    return;
  }
  problem->has_counted = random_chance(random, 35);
  if (problem->has_counted)
    for (int32_t v = 0; v < R; ++v) {
      /* Two statements, since compilers differ in the order in which they evaluate factors. */
      const int counts = random_chance(random, 65);
      problem->counted[v] = (uint8_t)(counts * random_int(random, 1, 255));
    }
}

static void fill_problem(Random *random, Problem *problem) {
  const Kind kind = problem->kind;
  random_mask(random, problem);
  const int32_t n = problem->members;
  const int32_t R = problem->values;
  const int whole = random_chance(random, 60);

  problem->scale = random_chance(random, 50)   ? CHORALE_SCALE_NONE
                   : random_chance(random, 50) ? CHORALE_SCALE_BY_MEMBERS
                                               : CHORALE_SCALE_BY_LOG_MEMBERS;
  problem->lambda = random_chance(random, 5) ? 0 : random_number(random, whole, -2, 3);
  problem->length = n + 1 + random_int(random, 0, 2);
  problem->table_count =
      kind == KIND_SUM_PER_VALUE || kind == KIND_MAX_PER_VALUE ||
              ((kind == KIND_SUM_CONVEX || kind == KIND_SUM_CONCAVE) && random_chance(random, 50))
          ? R
          : 1;
  random_tables(random, whole, problem);
  random_matrix(random, whole, problem);
  problem->salt = random_bits(random);
  if (random_chance(random, 25)) {
    if (kind == KIND_SUM_CONVEX)
      problem->shape = CHORALE_SHAPE_CONVEX;
    if (kind == KIND_SUM_CONCAVE)
      problem->shape = CHORALE_SHAPE_CONCAVE;
  }

  problem->row_stride = R + (random_chance(random, 40) ? random_int(random, 1, 3) : 0);
  const int32_t forbidden = random_chance(random, 50) ? 0 : random_chance(random, 70) ? 15 : 50;
  for (int32_t i = 0; i < n; ++i) {
    double *row = problem->scores + i * problem->row_stride;
    for (int32_t v = 0; v < problem->row_stride; ++v)
      row[v] = v >= R                             ? NAN
               : random_chance(random, forbidden) ? -INFINITY
                                                  : random_number(random, whole, -2, 4);
    /* Members without allowed values are made rare, so that most problems have a labelling. */
    if (!random_chance(random, 3))
      row[random_int(random, 0, R - 1)] = random_number(random, whole, -2, 4);
  }
  problem->has_fixed = random_chance(random, 25);
  for (int32_t i = 0; i < n; ++i) {
    problem->fixed[i] = random_chance(random, 40) ? random_int(random, 0, R - 1) : -1;
    if (problem->has_fixed && problem->fixed[i] >= 0 && !admits(problem, i, problem->fixed[i]) &&
        !random_chance(random, 10))
      problem->fixed[i] = -1;
  }
}

void random_problem(Random *random, Kind kind, Problem *problem) {
  memset(problem, 0, sizeof *problem);
  problem->kind = kind;
  random_sizes(random, problem);
  fill_problem(random, problem);
}

void random_problem_of(Random *random, Kind kind, int32_t members, int32_t values,
                       Problem *problem) {
  memset(problem, 0, sizeof *problem);
  problem->kind = kind;
  problem->members = members;
  problem->values = values;
  fill_problem(random, problem);
}

void break_ties(Random *random, Problem *problem) {
  for (int32_t i = 0; i < problem->members; ++i)
    for (int32_t v = 0; v < problem->values; ++v)
      if (score_of(problem, i, v) > -INFINITY)
        problem->scores[i * problem->row_stride + v] += random_unit(random);
}

void scale_numbers(double *numbers, size_t count, double factor) {
  for (size_t i = 0; i < count; ++i)
    if (isfinite(numbers[i])) /* where subnormal factors count as 0, infinite ones become NaN */
      numbers[i] *= factor;
}

void scale_problem(Problem *problem, double factor) {
  problem->lambda *= factor;
  scale_numbers(problem->tables, COUNT_OF(problem->tables), factor);
  scale_numbers(problem->matrix, COUNT_OF(problem->matrix), factor);
  scale_numbers(problem->bias, COUNT_OF(problem->bias), factor);
  scale_numbers(problem->scores, COUNT_OF(problem->scores), factor);
}

void dump_problem(FILE *to, const Problem *problem) {
  const int32_t n = problem->members;
  const int32_t R = problem->values;
  fprintf(to, "  %s, n = %d, R = %d, scale %d, shape %d\n", kind_name(problem->kind), n, R,
          problem->scale, problem->shape);
  if (problem->kind == KIND_POTTS || problem->kind == KIND_ENTROPY ||
      problem->kind == KIND_MAKESPAN || problem->kind == KIND_SQUARE_MAKESPAN)
    fprintf(to, "  lambda %.17g\n", problem->lambda);
  if (problem->kind >= KIND_SUM_SHARED && problem->kind <= KIND_MAX_PER_VALUE)
    for (int32_t v = 0; v < problem->table_count; ++v) {
      fprintf(to, "  table %d:", v);
      for (int32_t k = 0; k < problem->length; ++k)
        fprintf(to, " %.17g", problem->tables[v * MAX_LENGTH + k]);
      fprintf(to, "\n");
    }
  if (problem->kind >= KIND_MAJORITY && problem->kind <= KIND_PAIRS_SEPARABLE)
    for (int32_t v = 0; v < R; ++v) {
      fprintf(to, "  matrix %d:", v);
      for (int32_t w = 0; w < R; ++w)
        fprintf(to, " %.17g", problem->matrix[v * MAX_VALUES + w]);
      if (problem->kind == KIND_MAJORITY && problem->has_bias)
        fprintf(to, "  bias %.17g", problem->bias[v]);
      fprintf(to, "\n");
    }
  if (problem->has_counted) {
    fprintf(to, "  counted:");
    for (int32_t v = 0; v < R; ++v)
      fprintf(to, " %d", problem->counted[v]);
    fprintf(to, "\n");
  }
  for (int32_t i = 0; i < n; ++i) {
    fprintf(to, "  member %d:", i);
    for (int32_t v = 0; v < R; ++v)
      fprintf(to, " %.17g", score_of(problem, i, v));
    if (problem->has_fixed && problem->fixed[i] >= 0)
      fprintf(to, "  fixed to %d", problem->fixed[i]);
    fprintf(to, "\n");
  }
  if (problem->row_stride != R)
    fprintf(to, "  row stride %d\n", problem->row_stride);
}

/* ---- The library's view ------------------------------------------------------------------- */

static int32_t call_problem(void *user, const int64_t *counts, int64_t values, int64_t members,
                            double *score) {
  const Problem *problem = user;
  uint64_t hash = problem->salt;
  for (int64_t v = 0; v < values; ++v)
    hash = (hash ^ (uint64_t)counts[v]) * UINT64_C(0xD6E8FEB86659FD93) + (uint64_t)members;
  Random random = {hash};
  *score = problem->salt % 4 == 0 && random_chance(&random, 20)
               ? -INFINITY
               : (double)random_int(&random, -4, 4);
  return 0;
}

double own_callback(const Problem *problem, const int64_t *counts);
double own_callback(const Problem *problem, const int64_t *counts) {
  double score = 0;
  Problem copy = *problem;
  (void)call_problem(&copy, counts, problem->values, problem->members, &score);
  return score;
}

chorale_status make_potential(const Problem *problem, const chorale_host *host,
                              chorale_potential **potential, chorale_error *error) {
  chorale_potential_options options = {.struct_size = sizeof options};
  options.scale = problem->scale;
  options.shape = problem->shape;
  options.counted = problem->has_counted ? problem->counted : NULL;
  const int32_t R = problem->values;
  switch (problem->kind) {
  case KIND_POTTS:
    return chorale_potential_create_potts(host, R, problem->lambda, &options, potential, error);
  case KIND_ENTROPY:
    return chorale_potential_create_entropy(host, R, problem->lambda, &options, potential, error);
  case KIND_SUM_SHARED:
  case KIND_SUM_PER_VALUE:
  case KIND_SUM_CONVEX:
  case KIND_SUM_CONCAVE:
    return chorale_potential_create_sum(host, R, problem->tables, problem->table_count,
                                        problem->length, MAX_LENGTH, &options, potential, error);
  case KIND_CARDINALITY:
    return chorale_potential_create_cardinality(host, R, problem->tables, problem->length, &options,
                                                potential, error);
  case KIND_MAX_SHARED:
  case KIND_MAX_PER_VALUE:
    return chorale_potential_create_max(host, R, problem->tables, problem->table_count,
                                        problem->length, MAX_LENGTH, &options, potential, error);
  case KIND_MAKESPAN:
    return chorale_potential_create_makespan(host, R, problem->lambda, &options, potential, error);
  case KIND_SQUARE_MAKESPAN:
    return chorale_potential_create_square_makespan(host, R, problem->lambda, &options, potential,
                                                    error);
  case KIND_MAJORITY:
    return chorale_potential_create_majority(host, R, problem->matrix, MAX_VALUES,
                                             problem->has_bias ? problem->bias : NULL, &options,
                                             potential, error);
  case KIND_PAIRS:
  case KIND_PAIRS_SEPARABLE:
    return chorale_potential_create_pairs(host, R, problem->matrix, MAX_VALUES, &options, potential,
                                          error);
  case KIND_CALLBACK:
  default: {
    /* `user` is the problem, which outlives the potential in every test. */
    void *user;
    memcpy(&user, &problem, sizeof user);
    return chorale_potential_create_callback(host, R, call_problem, user, NULL, &options, potential,
                                             error);
  }
  }
}

void describe_problem(const Problem *problem, chorale_clique_problem *described) {
  *described = (chorale_clique_problem){.struct_size = sizeof *described};
  described->members = problem->members;
  described->values = problem->values;
  described->scores = problem->scores;
  described->row_stride = problem->row_stride;
  described->fixed = problem->has_fixed ? problem->fixed : NULL;
}
