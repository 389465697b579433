/* Runs many problems, shrinks those that fail, and checks errors. */
#include "fixture.h"

static char complaint[1024];

const char *complain(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(complaint, sizeof complaint, format, arguments);
  va_end(arguments);
  return complaint;
}

/* ---- Shrinking ---------------------------------------------------------------------------- */

/* True if the tables have their declared shape; a false declaration voids all guarantees. */
static int is_true_to_its_word(const Problem *problem) {
  const int sign = problem->shape == CHORALE_SHAPE_CONVEX ? 1 : -1;
  for (int32_t r = 0; problem->shape && r < problem->table_count; ++r) {
    const double *f = problem->tables + r * MAX_LENGTH;
    for (int32_t k = 2; k < problem->length; ++k)
      if (f[k - 1] == -INFINITY ? f[k] > -INFINITY
                                : sign * ((f[k] - f[k - 1]) - (f[k - 1] - f[k - 2])) < -1e-9)
        return 0;
  }
  return 1;
}

static int is_wellformed(const Problem *problem) {
  int32_t counted = 0;
  for (int32_t v = 0; v < problem->values; ++v)
    counted += counts_value(problem, v);
  return problem->members >= 1 && problem->values >= 1 &&
         (problem->kind != KIND_CARDINALITY || counted == 2) && is_true_to_its_word(problem);
}

static void drop_member(Problem *problem, int32_t member) {
  const int32_t stride = problem->row_stride;
  const int32_t after = problem->members - member - 1;
  memmove(problem->scores + member * stride, problem->scores + (member + 1) * stride,
          sizeof(double) * (size_t)(after * stride));
  memmove(problem->fixed + member, problem->fixed + member + 1, sizeof(int32_t) * (size_t)after);
  --problem->members;
}

static void drop_value(Problem *problem, int32_t value) {
  const int32_t R = problem->values;
  for (int32_t i = 0; i < problem->members; ++i) {
    double *row = problem->scores + i * problem->row_stride;
    for (int32_t v = value; v + 1 < R; ++v)
      row[v] = row[v + 1];
    row[R - 1] = NAN;
    if (problem->fixed[i] == value)
      problem->fixed[i] = -1;
    else if (problem->fixed[i] > value)
      --problem->fixed[i];
  }
  for (int32_t v = value; v + 1 < R; ++v) {
    problem->bias[v] = problem->bias[v + 1];
    problem->counted[v] = problem->counted[v + 1];
    memcpy(problem->matrix + v * MAX_VALUES, problem->matrix + (v + 1) * MAX_VALUES,
           sizeof(double) * MAX_VALUES);
    if (problem->table_count > 1)
      memcpy(problem->tables + v * MAX_LENGTH, problem->tables + (v + 1) * MAX_LENGTH,
             sizeof(double) * MAX_LENGTH);
  }
  for (int32_t a = 0; a < R; ++a)
    for (int32_t v = value; v + 1 < R; ++v)
      problem->matrix[a * MAX_VALUES + v] = problem->matrix[a * MAX_VALUES + v + 1];
  --problem->values;
  if (problem->table_count > 1)
    problem->table_count = problem->values;
}

typedef struct Shrinker {
  Problem *problem;
  ProblemCheck check;
  void *context;
  int progress;
} Shrinker;

static void attempt(Shrinker *shrinker, const Problem *candidate) {
  if (is_wellformed(candidate) && shrinker->check(candidate, shrinker->context)) {
    *shrinker->problem = *candidate;
    shrinker->progress = 1;
  }
}

static void attempt_zeros(Shrinker *shrinker, size_t offset, int32_t rows, int32_t columns,
                          int32_t stride) {
  for (int32_t r = 0; r < rows; ++r)
    for (int32_t c = 0; c < columns; ++c) {
      Problem candidate = *shrinker->problem;
      double *number = (double *)(void *)((char *)&candidate + offset) + r * stride + c;
      if (*number == 0)
        continue;
      *number = 0;
      attempt(shrinker, &candidate);
    }
}

static void shrink(Problem *problem, ProblemCheck check, void *context) {
  Shrinker shrinker = {problem, check, context, 1};
  for (int round = 0; shrinker.progress && round < 50; ++round) {
    shrinker.progress = 0;
    for (int32_t i = problem->members - 1; i >= 0; --i)
      if (problem->members > 1) {
        Problem candidate = *problem;
        drop_member(&candidate, i);
        attempt(&shrinker, &candidate);
      }
    for (int32_t v = problem->values - 1; v >= 0; --v)
      if (problem->values > 1) {
        Problem candidate = *problem;
        drop_value(&candidate, v);
        attempt(&shrinker, &candidate);
      }
    Problem plain = *problem;
    plain.row_stride = plain.values;
    for (int32_t i = 0; i < plain.members; ++i)
      for (int32_t v = 0; v < plain.values; ++v)
        plain.scores[i * plain.row_stride + v] = score_of(problem, i, v);
    if (problem->row_stride != problem->values)
      attempt(&shrinker, &plain);
    for (int32_t field = 0; field < 5; ++field) {
      Problem candidate = *problem;
      int32_t *const number = field == 0   ? &candidate.has_fixed
                              : field == 1 ? &candidate.has_counted
                              : field == 2 ? &candidate.scale
                              : field == 3 ? &candidate.has_bias
                                           : &candidate.shape;
      if (*number == 0)
        continue;
      *number = 0;
      attempt(&shrinker, &candidate);
    }
    for (int32_t i = 0; problem->has_fixed && i < problem->members; ++i)
      if (problem->fixed[i] >= 0) {
        Problem candidate = *problem;
        candidate.fixed[i] = -1;
        attempt(&shrinker, &candidate);
      }
    attempt_zeros(&shrinker, offsetof(Problem, scores), problem->members, problem->values,
                  problem->row_stride);
    attempt_zeros(&shrinker, offsetof(Problem, matrix), problem->values, problem->values,
                  MAX_VALUES);
    attempt_zeros(&shrinker, offsetof(Problem, tables), problem->table_count, problem->members + 1,
                  MAX_LENGTH);
    attempt_zeros(&shrinker, offsetof(Problem, bias), 1, problem->values, MAX_VALUES);
    attempt_zeros(&shrinker, offsetof(Problem, lambda), 1, 1, 1);
  }
}

void check_one(const Problem *problem, ProblemCheck check, void *context, const char *where) {
  if (!check(problem, context))
    return;
  char first[sizeof complaint];
  memcpy(first, complaint, sizeof first);
  Problem smallest = *problem;
  shrink(&smallest, check, context);
  const char *why = check(&smallest, context);
  fprintf(stderr, "%s (CHORALE_TEST_SEED=%llu)\n  first: %s\n  smallest: %s\n", where,
          (unsigned long long)test_seed(), first, why ? why : "(passes when run again)");
  dump_problem(stderr, &smallest);
  fail_msg("%s: %s", where, why ? why : first);
}

void check_kinds(const char *name, Kind low, Kind high, int64_t rounds, ProblemCheck check,
                 void *context) {
  uint64_t hash = test_seed();
  for (const char *c = name; *c; ++c)
    hash = (hash ^ (uint64_t)*c) * UINT64_C(0x100000001B3);
  for (Kind kind = low; kind <= high; kind = (Kind)(kind + 1))
    for (int64_t round = 0; round < rounds; ++round) {
      Random random = {hash ^ ((uint64_t)kind << 56) ^ ((uint64_t)round << 8)};
      Problem problem;
      random_problem(&random, kind, &problem);
      char where[128];
      (void)snprintf(where, sizeof where, "%s, %s, round %lld", name, kind_name(kind),
                     (long long)round);
      check_one(&problem, check, context, where);
    }
}

/* ---- Errors ------------------------------------------------------------------------------- */

void expect_ok(chorale_status status, const chorale_error *error, const char *call, int line) {
  if (status != CHORALE_OK)
    fail_msg("line %d: %s gives %s: \"%s\"", line, call, chorale_status_name(status),
             error->message);
  if (error->status != CHORALE_OK || error->message[0] != '\0')
    fail_msg("line %d: %s succeeds and leaves the error \"%s\"", line, call, error->message);
}

void expect_error(chorale_status status, const chorale_error *error, chorale_status expected,
                  const char *call, int line, ...) {
  if (status != expected)
    fail_msg("line %d: %s gives %s \"%s\" instead of %s", line, call, chorale_status_name(status),
             status ? error->message : "", chorale_status_name(expected));
  if (error->status != expected)
    fail_msg("line %d: %s says %s in its error", line, call, chorale_status_name(error->status));
  if (!memchr(error->message, '\0', sizeof error->message))
    fail_msg("line %d: %s leaves a message without an end", line, call);
  va_list pieces;
  va_start(pieces, line);
  const char *piece;
  while ((piece = va_arg(pieces, const char *)) != NULL)
    if (!strstr(error->message, piece))
      fail_msg("line %d: %s: \"%s\" does not say \"%s\"", line, call, error->message, piece);
  va_end(pieces);
}

/* ---- What a run tells --------------------------------------------------------------------- */

/* Reads a number, or null. */
static double told_number(const char *text) {
  return strncmp(text, "null", 4) == 0 ? -INFINITY : plain_number(text);
}

const char *told_scores(const chorale_run *run, int64_t chains, ToldChain *of_chains,
                        int64_t cliques, double *of_cliques) {
  /* Only the objects of chains, then those of cliques, begin with their score. */
  static const char score[] = "{\"score\":", own[] = "\"own_score\":";
  static const char changed[] = "\"changed\":true";
  chorale_error error;
  size_t needed = 0;
  if (chorale_run_json(run, NULL, 0, &needed, &error) != CHORALE_OK)
    return complain("the size of the JSON: \"%s\"", error.message);
  char *json = malloc(needed);
  if (chorale_run_json(run, json, needed, NULL, &error) != CHORALE_OK) {
    free(json);
    return complain("the JSON: \"%s\"", error.message);
  }
  const char *at = strstr(json, score);
  for (int64_t k = 0; k < chains + cliques; ++k) {
    if (!at) {
      free(json);
      return complain("the JSON has %lld scores", (long long)k);
    }
    at += strlen(score);
    char *next = strstr(at, score);
    if (next)
      *next = '\0';
    if (k < chains) {
      const char *own_score = strstr(at, own);
      of_chains[k].score = told_number(at);
      of_chains[k].own_score = own_score ? told_number(own_score + strlen(own)) : told_number(at);
      of_chains[k].changed = strstr(at, changed) != NULL;
    } else {
      of_cliques[k - chains] = told_number(at);
    }
    at = next;
  }
  free(json);
  return NULL;
}
