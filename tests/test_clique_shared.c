/* The instances in ../shared/cliques beside the repository, whose optima are proven elsewhere:
 * exact majority and exact Potts must find and prove every one. CHORALE_SHARED_CLIQUES names
 * another folder; without the instances the tests are skipped. */
#include "fixture.h"

#ifndef SHARED_CLIQUES
#define SHARED_CLIQUES "../shared/cliques"
#endif

typedef struct Shared {
  int32_t members, values, kind; /* 0: Potts, 1: majority */
  int64_t coefficient;           /* of n_v^2, in whole units */
  double *scores, *weights;
} Shared;

static const char *folder(void) {
  const char *named = getenv("CHORALE_SHARED_CLIQUES");
  return named ? named : SHARED_CLIQUES;
}

/* Reads a little-endian number, on any machine. */
static uint64_t read_number(FILE *file, size_t size) {
  unsigned char bytes[8];
  uint64_t number = 0;
  assert_int_equal(fread(bytes, 1, size, file), size);
  for (size_t b = 0; b < size; ++b)
    number |= (uint64_t)bytes[b] << (8 * b);
  return number;
}

static int32_t read_integer(FILE *file) { return (int32_t)(uint32_t)read_number(file, 4); }

static double *read_numbers(FILE *file, size_t count) {
  double *numbers = malloc(count * sizeof *numbers);
  assert_non_null(numbers);
  /* Scores are multiples of 1e-6; counted in these units they and all their sums are exact in
   * doubles. */
  for (size_t i = 0; i < count; ++i)
    numbers[i] = read_integer(file);
  return numbers;
}

static Shared load(const char *name) {
  char path[1024];
  (void)snprintf(path, sizeof path, "%s/%s", folder(), name);
  FILE *file = fopen(path, "rb");
  if (!file)
    fail_msg("%s is missing", path);
  Shared shared;
  memset(&shared, 0, sizeof shared);
  assert_int_equal(read_integer(file), 0x43494731);
  shared.members = read_integer(file);
  shared.values = read_integer(file);
  shared.kind = read_integer(file);
  (void)read_number(file, 8); /* the unit of the whole-numbered coefficient */
  shared.coefficient = (int64_t)read_number(file, 8);
  const size_t R = (size_t)shared.values;
  shared.scores = read_numbers(file, (size_t)shared.members * R);
  if (shared.kind == 1)
    shared.weights = read_numbers(file, R * R);
  fclose(file);
  return shared;
}

static chorale_potential *potential_of(const Shared *shared) {
  chorale_potential *potential = NULL;
  chorale_error error;
  if (shared->kind == 1)
    OK(chorale_potential_create_majority(NULL, shared->values, shared->weights, shared->values,
                                         NULL, NULL, &potential, &error));
  else
    OK(chorale_potential_create_potts(NULL, shared->values, (double)shared->coefficient, NULL,
                                      &potential, &error));
  return potential;
}

static FILE *open_list(void) {
  char path[1024];
  (void)snprintf(path, sizeof path, "%s/best_known.tsv", folder());
  return fopen(path, "r");
}

static void check_instances(const char *prefix, int64_t expected, chorale_algorithm algorithm) {
  FILE *list = open_list();
  assert_non_null(list);
  chorale_clique_solver *solver = new_solver();
  char line[512];
  int64_t seen = 0;
  while (fgets(line, sizeof line, list)) {
    char name[256];
    long long best;
    if (strncmp(line, prefix, strlen(prefix)) != 0 || sscanf(line, "%255s %lld", name, &best) != 2)
      continue;
    ++seen;
    Shared shared = load(name);
    chorale_potential *potential = potential_of(&shared);
    chorale_clique_problem problem = {.struct_size = sizeof problem};
    problem.members = shared.members;
    problem.values = problem.row_stride = shared.values;
    problem.scores = shared.scores;
    chorale_clique_options options;
    options_of(algorithm, &options);
    chorale_clique_result result = {.struct_size = sizeof result};
    chorale_error error;
    OK(chorale_clique_solve(solver, potential, &problem, &options, NULL, &result, &error));
    if (!result.proven || result.score != (double)best)
      fail_msg("%s: score %.3f, bound %.3f, best known %lld", name, result.score,
               result.upper_bound, best);
    chorale_potential_release(potential);
    free(shared.scores);
    free(shared.weights);
  }
  fclose(list);
  chorale_clique_solver_destroy(solver);
  assert_int_equal(seen, expected);
}

static void exact_majority_meets_all_30(void **state) {
  (void)state;
  check_instances("majority/", 30, CHORALE_ALGORITHM_EXACT_MAJORITY);
}

static void exact_potts_proves_all_100(void **state) {
  (void)state;
  check_instances("potts/", 100, CHORALE_ALGORITHM_COUNT_BOXES);
}

int main(void) {
  FILE *list = open_list();
  if (!list) {
    printf("skipped: there is no best_known.tsv in %s\n", folder());
    return 77; /* the exit code that ctest counts as skipped */
  }
  fclose(list);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(exact_majority_meets_all_30),
      cmocka_unit_test(exact_potts_proves_all_100),
  };
  return cmocka_run_group_tests_name("shared cliques", tests, NULL, NULL);
}
