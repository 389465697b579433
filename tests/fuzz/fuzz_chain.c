/* Chains and trees of every layout of scores, against enumeration: score, best labelling,
 * max-marginals, margins, k best; in a used and in a fresh solver; hostile numbers;
 * masks of labelling schemes; memory that runs out. */
#include "fuzz.h"

#include "fixture_chain.h"

enum { MOST_K = 12, MANY_LABELLINGS = 1024 };

typedef struct Trial {
  Sample sample;
  Given given;
  double truth[MANY_LABELLINGS]; /* phi of every labelling, best first */
  int32_t possible;              /* of them above minus infinity */
  int is_hostile;
} Trial;

/* ---- Numbers ------------------------------------------------------------------------------ */

static void spoil(Random *random, const Sample *sample, double *number) {
  const double score = hostile_score(random);
  *number = sample->element == CHORALE_FLOAT32 && fabs(score) > 1e30 && score > -INFINITY
                ? copysign(1e30, score)
                : score;
  if (sample->element == CHORALE_FLOAT32)
    *number = (double)(float)*number;
}

static void make_hostile(Random *random, Trial *trial) {
  Sample *s = &trial->sample;
  const int32_t how = random_int(random, 0, 9);
  if (how < 6 || s->length == 0)
    return;
  trial->is_hostile = 1;
  const int32_t times = random_int(random, 1, 8);
  for (int32_t k = 0; k < times; ++k) {
    const int32_t t = random_int(random, 0, s->length - 1);
    const int32_t y = random_int(random, 0, s->labels - 1);
    const int32_t x = random_int(random, 0, s->labels - 1);
    switch (random_int(random, 0, 3)) {
    case 0:
    case 1:
      spoil(random, s, &s->unary[t][y]);
      break;
    case 2:
      if (s->source == EDGES_NONE || (s->source != EDGES_EACH && s->length < 2))
        break;
      spoil(random, s, &s->edges[s->source == EDGES_EACH ? t : 1][x][y]);
      for (int32_t u = 2; s->source != EDGES_EACH && u < s->length; ++u)
        s->edges[u][x][y] = s->edges[1][x][y];
      break;
    default:
      if (s->has_start)
        spoil(random, s, &s->start[y]);
    }
  }
}

static double magnitude_of(const Sample *s) {
  double sum = 1;
  for (int32_t t = 0; t < s->length; ++t) {
    double most = 0;
    for (int32_t y = 0; y < s->labels; ++y) {
      const double numbers[] = {s->unary[t][y], s->start[y], s->end[y]};
      for (size_t k = 0; k < COUNT_OF(numbers); ++k)
        if (isfinite(numbers[k]))
          most = fmax(most, fabs(numbers[k]));
      for (int32_t x = 0; t > 0 && x < s->labels; ++x)
        if (isfinite(s->edges[t][x][y]))
          most = fmax(most, fabs(s->edges[t][x][y]));
    }
    sum += 4 * most;
  }
  return sum;
}

/* ---- What must hold ----------------------------------------------------------------------- */

static int descending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x < y) - (x > y);
}

static void enumerate_chain(Trial *trial) {
  const Sample *s = &trial->sample;
  trial->possible = 0;
  for (int32_t k = 0; k < labelling_count(s); ++k) {
    int32_t labelling[MOST_POSITIONS] = {0};
    labelling_at(s, k, labelling);
    trial->truth[k] = own_phi(s, labelling);
    trial->possible += trial->truth[k] > -INFINITY;
    double score = NAN;
    chorale_error error;
    REQUIRE(chorale_chain_score(&trial->given.chain, labelling, &score, &error) == CHORALE_OK &&
                score == trial->truth[k],
            "phi %.17g, by definition %.17g", score, trial->truth[k]);
  }
  qsort(trial->truth, (size_t)labelling_count(s), sizeof(double), descending);
}

static void check_result_of(const Trial *trial, const chorale_chain_result *result,
                            const int32_t *labelling) {
  const double best = trial->possible > 0 ? trial->truth[0] : -INFINITY;
  REQUIRE(result->outcome ==
              (trial->possible > 0 ? CHORALE_OUTCOME_COMPLETE : CHORALE_OUTCOME_INFEASIBLE),
          "outcome %d, %d labellings are possible", result->outcome, trial->possible);
  REQUIRE(is_close(result->score, best), "score %.17g, by enumeration %.17g", result->score, best);
  for (int32_t t = 0; trial->possible > 0 && t < trial->sample.length; ++t)
    REQUIRE(labelling[t] >= 0 && labelling[t] < trial->sample.labels, "label %d", labelling[t]);
  REQUIRE(trial->possible == 0 || own_phi(&trial->sample, labelling) == result->score,
          "the labelling does not have its score");
}

static void check_marginals(const Trial *trial, const double *found, int32_t stride,
                            const double *edges, const double *margins) {
  const Sample *s = &trial->sample;
  const int32_t m = s->labels;
  double truth[MOST_POSITIONS][MOST_LABELS], of_edges[MOST_POSITIONS][MOST_LABELS][MOST_LABELS];
  for (int32_t t = 0; t < s->length; ++t)
    for (int32_t y = 0; y < m; ++y) {
      truth[t][y] = -INFINITY;
      for (int32_t x = 0; x < m; ++x)
        of_edges[t][x][y] = -INFINITY;
    }
  for (int32_t k = 0; k < labelling_count(s); ++k) {
    int32_t y[MOST_POSITIONS] = {0};
    labelling_at(s, k, y);
    const double phi = own_phi(s, y);
    for (int32_t t = 0; t < s->length; ++t) {
      const int32_t parent = s->is_tree ? s->parents[t] : t - 1;
      truth[t][y[t]] = fmax(truth[t][y[t]], phi);
      if (parent >= 0)
        of_edges[t][y[parent]][y[t]] = fmax(of_edges[t][y[parent]][y[t]], phi);
    }
  }
  for (int32_t t = 0; t < s->length; ++t) {
    double first = -INFINITY, second = -INFINITY;
    for (int32_t y = 0; y < m; ++y) {
      REQUIRE(is_close(found[t * stride + y], truth[t][y]),
              "marginal [%d][%d] %.17g, by enumeration %.17g", t, y, found[t * stride + y],
              truth[t][y]);
      second = fmax(second, fmin(first, truth[t][y]));
      first = fmax(first, truth[t][y]);
      for (int32_t x = 0; t > 0 && x < m; ++x)
        REQUIRE(is_close(edges[((t - 1) * m + x) * m + y], of_edges[t][x][y]),
                "edge marginal [%d][%d][%d] %.17g, by enumeration %.17g", t, x, y,
                edges[((t - 1) * m + x) * m + y], of_edges[t][x][y]);
    }
    const double margin = first == -INFINITY ? 0 : second == -INFINITY ? INFINITY : first - second;
    REQUIRE(is_close(margins[t], margin), "margin %d %.17g, by enumeration %.17g", t, margins[t],
            margin);
  }
}

static void check_k_best(const Trial *trial, int64_t k, int64_t found, const int32_t *labellings,
                         const double *scores) {
  REQUIRE(found == (k < trial->possible ? k : trial->possible), "%lld of %d labellings, %lld asked",
          (long long)found, trial->possible, (long long)k);
  for (int64_t j = 0; j < found; ++j) {
    const int32_t *labelling = labellings + j * MOST_POSITIONS;
    REQUIRE(own_phi(&trial->sample, labelling) == scores[j], "labelling %lld: not its score",
            (long long)j);
    REQUIRE(is_close(scores[j], trial->truth[j]), "labelling %lld scores %.17g, it should be %.17g",
            (long long)j, scores[j], trial->truth[j]);
    for (int64_t i = 0; i < j; ++i)
      REQUIRE(memcmp(labelling, labellings + i * MOST_POSITIONS,
                     sizeof(int32_t) * (size_t)trial->sample.length) != 0,
              "labelling %lld twice", (long long)j);
  }
}

/* ---- Calls -------------------------------------------------------------------------------- */

typedef struct Place {
  Supply *supply;
  chorale_chain_solver *solver; /* NULL: each call has a solver of its own, with memory of malloc */
} Place;

static chorale_chain_solver *open_solver(void) {
  chorale_error error;
  chorale_chain_solver *solver = NULL;
  REQUIRE(chorale_chain_solver_create(NULL, &solver, &error) == CHORALE_OK, "%s", error.message);
  return solver;
}

static void try_best(const Trial *trial, Place *place) {
  int32_t labelling[MOST_POSITIONS];
  chorale_chain_result result;
  chorale_error error;
  chorale_status status;
  result = (chorale_chain_result){.struct_size = sizeof result};
  if (place->solver) {
    FED(place->supply, status,
        chorale_chain_solve(place->solver, &trial->given.chain, labelling, &result, &error), &error);
  } else {
    chorale_chain_solver *solver = open_solver();
    status = chorale_chain_solve(solver, &trial->given.chain, labelling, &result, &error);
    chorale_chain_solver_destroy(solver);
  }
  REQUIRE(status == CHORALE_OK, "%s", error.message);
  check_result_of(trial, &result, labelling);
}

static void try_marginals(const Trial *trial, Place *place, int32_t stride) {
  int32_t labelling[MOST_POSITIONS];
  double found[MOST_POSITIONS * (MOST_LABELS + 2)], margins[MOST_POSITIONS];
  double edges[MOST_POSITIONS * MOST_LABELS * MOST_LABELS];
  chorale_chain_result result;
  chorale_error error;
  chorale_status status;
  result = (chorale_chain_result){.struct_size = sizeof result};
  if (place->solver) {
    FED(place->supply, status,
        chorale_chain_max_marginals(place->solver, &trial->given.chain, found, stride, edges,
                                    margins, labelling, &result, &error),
        &error);
  } else {
    chorale_chain_solver *solver = open_solver();
    status = chorale_chain_max_marginals(solver, &trial->given.chain, found, stride, edges, margins,
                                         labelling, &result, &error);
    chorale_chain_solver_destroy(solver);
  }
  REQUIRE(status == CHORALE_OK, "%s", error.message);
  check_result_of(trial, &result, labelling);
  check_marginals(trial, found, stride, edges, margins);
}

static void try_k_best(const Trial *trial, Place *place, int64_t k) {
  int32_t labellings[MOST_K * MOST_POSITIONS];
  double scores[MOST_K];
  int64_t found = -1;
  chorale_error error;
  chorale_status status;
  if (place->solver) {
    FED(place->supply, status,
        chorale_chain_k_best(place->solver, &trial->given.chain, k, labellings, MOST_POSITIONS,
                             scores, &found, &error),
        &error);
  } else {
    if (trial->sample.is_tree)
      return;
    chorale_chain_solver *solver = open_solver();
    status = chorale_chain_k_best(solver, &trial->given.chain, k, labellings, MOST_POSITIONS, scores,
                                  &found, &error);
    chorale_chain_solver_destroy(solver);
  }
  if (trial->sample.is_tree)
    REQUIRE(status == CHORALE_ERROR_NOT_A_CHAIN, "k best of a tree: %d", status);
  else
    check_k_best(trial, k, status == CHORALE_OK ? found : -1, labellings, scores);
}

/* ---- Schemes ------------------------------------------------------------------------------ */

/* Names of any bytes: what a mask allows is closed under its own rules, or the name is refused. */
static void try_scheme(Random *random) {
  char names[MOST_LABELS][4];
  const char *pointers[MOST_LABELS];
  size_t lengths[MOST_LABELS];
  uint8_t mask[MOST_LABELS * MOST_LABELS], start[MOST_LABELS], end[MOST_LABELS];
  static const char letters[] = "OBIESLU-_XY\xc3\xa9";
  const int32_t labels = random_int(random, 1, MOST_LABELS);
  for (int32_t y = 0; y < labels; ++y) {
    lengths[y] = (size_t)random_int(random, 0, 4);
    for (size_t k = 0; k < lengths[y]; ++k)
      names[y][k] = letters[random_int(random, 0, (int32_t)sizeof letters - 1)];
    pointers[y] = names[y];
  }
  chorale_error error;
  const chorale_scheme scheme = random_int(random, -1, 4);
  const chorale_status status =
      chorale_scheme_mask(scheme, pointers, lengths, labels, mask, start, end, &error);
  int32_t kinds[MOST_LABELS];
  uint8_t begins[MOST_LABELS];
  int64_t count = -1;
  const chorale_status same = chorale_label_map_from_names(scheme, pointers, lengths, labels, kinds,
                                                           begins, &count, &error);
  REQUIRE(status == same, "a mask gives %d, a map %d", status, same);
  if (status != CHORALE_OK) {
    REQUIRE(status == CHORALE_ERROR_LABEL_NAME || scheme < 0 || scheme > 3, "status %d", status);
    return;
  }
  for (int32_t y = 0; y < labels; ++y)
    REQUIRE(start[y] <= 1 && end[y] <= 1 && kinds[y] >= 0 && kinds[y] < count && begins[y] <= 1,
            "label %d", y);
  for (int32_t k = 0; k < labels * labels; ++k)
    REQUIRE(mask[k] <= 1 && (scheme != CHORALE_SCHEME_PLAIN || mask[k] == 1), "mask %d", mask[k]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Random random = open_input(data, size);
  draw_from(&random, data, size);
  static Trial trial;
  memset(&trial, 0, sizeof trial);
  if (random_chance(&random, 10))
    try_scheme(&random);
  random_sample(&random, random_chance(&random, 40), &trial.sample);
  make_hostile(&random, &trial);
  set_magnitude(magnitude_of(&trial.sample));
  give(&trial.sample, &trial.given);
  enumerate_chain(&trial);
  Supply supply;
  open_supply(&supply, &random, 0);
  Place place = {&supply, NULL};
  chorale_error error;
  chorale_status status;
  if (random_chance(&random, 60))
    FED(&supply, status, chorale_chain_solver_create(&supply.host, &place.solver, &error), &error);
  const int32_t order = random_int(&random, 0, 2);
  for (int32_t k = 0; k < 3; ++k)
    switch ((order + k) % 3) {
    case 0:
      try_best(&trial, &place);
      break;
    case 1:
      try_marginals(&trial, &place, trial.sample.labels + random_int(&random, 0, 2));
      break;
    default:
      try_k_best(&trial, &place, random_int(&random, 1, MOST_K));
    }
  chorale_chain_solver_destroy(place.solver);
  close_supply(&supply);
  take_back(&trial.given);
  draw_from(NULL, NULL, 0);
  return 0;
}
