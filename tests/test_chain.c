/* Chains against enumeration: best labelling, max-marginals, margins, k best, masks. */
#include "fixture_chain.h"

enum { MOST_K = 40 };

static chorale_chain_solver *new_chain_solver(void) {
  chorale_error error;
  chorale_chain_solver *solver = NULL;
  OK(chorale_chain_solver_create(NULL, &solver, &error));
  return solver;
}

static void fail_sample(const Sample *sample, const char *wrong, int64_t round) {
  fprintf(stderr, "round %lld: %s\n", (long long)round, wrong);
  print_sample(sample);
  fail();
}

typedef const char *(*SampleCheck)(chorale_chain_solver *solver, const Sample *sample,
                                   const Given *given);

static void check_samples(int is_tree, int64_t rounds, SampleCheck check) {
  Random random = {test_seed()};
  chorale_chain_solver *solver = new_chain_solver();
  for (int64_t round = 0; round < test_rounds(rounds); ++round) {
    Sample sample;
    Given given;
    random_sample(&random, is_tree, &sample);
    give(&sample, &given);
    const char *wrong = check(solver, &sample, &given);
    if (wrong)
      fail_sample(&sample, wrong, round);
    take_back(&given);
  }
  chorale_chain_solver_destroy(solver);
}

/* True if the library prefers `a` to `b` of equal score: a chain compares labels at the last
 * difference, a tree at the first. */
static int goes_first(const Sample *sample, const int32_t *a, const int32_t *b) {
  for (int32_t i = 0; i < sample->length; ++i) {
    const int32_t t = sample->is_tree ? i : sample->length - 1 - i;
    if (a[t] != b[t])
      return a[t] < b[t];
  }
  return 0;
}

static const char *scores_and_best(chorale_chain_solver *solver, const Sample *sample,
                                   const Given *given) {
  chorale_error error;
  double best = -INFINITY;
  int32_t truth[MOST_POSITIONS], labelling[MOST_POSITIONS];
  for (int32_t i = 0; i < labelling_count(sample); ++i) {
    labelling_at(sample, i, labelling);
    const double phi = own_phi(sample, labelling);
    double score = UNTOUCHED;
    OK(chorale_chain_score(&given->chain, labelling, &score, &error));
    if (score != phi)
      return complain("score %.17g, by definition %.17g", score, phi);
    if (phi > best || (phi == best && phi > -INFINITY && goes_first(sample, labelling, truth))) {
      best = phi;
      memcpy(truth, labelling, sizeof truth);
    }
  }
  for (int32_t t = 0; t < MOST_POSITIONS; ++t)
    labelling[t] = UNTOUCHED;
  chorale_chain_result result = {.struct_size = sizeof result};
  OK(chorale_chain_solve(solver, &given->chain, labelling, &result, &error));
  if (best == -INFINITY) {
    if (result.outcome != CHORALE_OUTCOME_INFEASIBLE || result.score != -INFINITY)
      return complain("outcome %d, score %g of an infeasible chain", result.outcome, result.score);
    for (int32_t t = 0; t < sample->length; ++t)
      if (labelling[t] != UNTOUCHED)
        return complain("wrote a labelling of an infeasible chain");
    return NULL;
  }
  if (result.outcome != CHORALE_OUTCOME_COMPLETE)
    return complain("outcome %d", result.outcome);
  if (sample->is_real ? !is_close(result.score, best) : result.score != best)
    return complain("best %.17g, by enumeration %.17g", result.score, best);
  if (own_phi(sample, labelling) != result.score)
    return complain("the labelling does not have its score");
  for (int32_t t = 0; t < sample->length && !sample->is_real; ++t)
    if (labelling[t] != truth[t])
      return complain("position %d: label %d of a tie, expected %d", t, labelling[t], truth[t]);
  return NULL;
}

static void best_of_chains(void **state) {
  (void)state;
  check_samples(0, 8000, scores_and_best);
}

static void best_of_trees(void **state) {
  (void)state;
  check_samples(1, 8000, scores_and_best);
}

static const char *marginals(chorale_chain_solver *solver, const Sample *sample,
                             const Given *given) {
  chorale_error error;
  const int32_t T = sample->length;
  const int32_t m = sample->labels;
  double truth[MOST_POSITIONS][MOST_LABELS], edge_truth[MOST_POSITIONS][MOST_LABELS][MOST_LABELS];
  for (int32_t t = 0; t < T; ++t)
    for (int32_t y = 0; y < m; ++y) {
      truth[t][y] = -INFINITY;
      for (int32_t x = 0; x < m; ++x)
        edge_truth[t][x][y] = -INFINITY;
    }
  int32_t labelling[MOST_POSITIONS] = {0};
  double best = -INFINITY;
  for (int32_t i = 0; i < labelling_count(sample); ++i) {
    labelling_at(sample, i, labelling);
    const double phi = own_phi(sample, labelling);
    best = fmax(best, phi);
    for (int32_t t = 0; t < T; ++t) {
      const int32_t parent = sample->is_tree ? sample->parents[t] : t - 1;
      double *to = &truth[t][labelling[t]];
      *to = fmax(*to, phi);
      if (parent >= 0) {
        to = &edge_truth[t][labelling[parent]][labelling[t]];
        *to = fmax(*to, phi);
      }
    }
  }
  double found[MOST_POSITIONS * (MOST_LABELS + 1)], margins[MOST_POSITIONS];
  double edges[MOST_POSITIONS * MOST_LABELS * MOST_LABELS];
  chorale_chain_result result = {.struct_size = sizeof result};
  OK(chorale_chain_max_marginals(solver, &given->chain, found, m + 1, edges, margins, labelling,
                                 &result, &error));
  if (!is_close(result.score, best))
    return complain("score %.17g beside max-marginals, by enumeration %.17g", result.score, best);
  for (int32_t t = 0; t < T; ++t) {
    double first = -INFINITY, second = -INFINITY;
    for (int32_t y = 0; y < m; ++y) {
      if (!is_close(found[t * (m + 1) + y], truth[t][y]))
        return complain("position %d label %d: %.17g, by enumeration %.17g", t, y,
                        found[t * (m + 1) + y], truth[t][y]);
      for (int32_t x = 0; t > 0 && x < m; ++x)
        if (!is_close(edges[((t - 1) * m + x) * m + y], edge_truth[t][x][y]))
          return complain("edge to %d, labels %d %d: %.17g, by enumeration %.17g", t, x, y,
                          edges[((t - 1) * m + x) * m + y], edge_truth[t][x][y]);
      if (truth[t][y] > first) {
        second = first;
        first = truth[t][y];
      } else if (truth[t][y] > second) {
        second = truth[t][y];
      }
    }
    const double margin = first == -INFINITY ? 0 : first - second;
    if (fabs(margins[t] - margin) > 1e-9 && margins[t] != margin)
      return complain("margin of %d: %.17g, by enumeration %.17g", t, margins[t], margin);
  }
  return NULL;
}

static void marginals_of_chains(void **state) {
  (void)state;
  check_samples(0, 6000, marginals);
}

static void marginals_of_trees(void **state) {
  (void)state;
  check_samples(1, 6000, marginals);
}

static int by_score_down(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return x < y ? 1 : x > y ? -1 : 0;
}

static const char *k_best(chorale_chain_solver *solver, const Sample *sample, const Given *given) {
  chorale_error error;
  const int32_t T = sample->length;
  double truth[MOST_SEQUENCES];
  int64_t count = 0;
  int32_t labelling[MOST_POSITIONS] = {0};
  for (int32_t i = 0; i < labelling_count(sample); ++i) {
    labelling_at(sample, i, labelling);
    truth[count] = own_phi(sample, labelling);
    count += truth[count] > -INFINITY;
  }
  qsort(truth, (size_t)count, sizeof truth[0], by_score_down);
  for (int64_t k = 1; k <= MOST_K; k = 3 * k + 1) {
    int32_t rows[MOST_K][MOST_POSITIONS + 1];
    double scores[MOST_K];
    int64_t found = -1;
    OK(chorale_chain_k_best(solver, &given->chain, k, rows[0], MOST_POSITIONS + 1, scores, &found,
                            &error));
    if (found != (count < k ? count : k))
      return complain("found %d of the %d best of %d", (int)found, (int)k, (int)count);
    for (int64_t j = 0; j < found; ++j) {
      if (!is_close(scores[j], truth[j]))
        return complain("place %d: %.17g, by enumeration %.17g", (int)j, scores[j], truth[j]);
      if (own_phi(sample, rows[j]) != scores[j])
        return complain("place %d: the labelling does not have its score", (int)j);
      for (int64_t i = 0; i < j; ++i)
        if (memcmp(rows[i], rows[j], sizeof(int32_t) * (size_t)T) == 0)
          return complain("places %d and %d are the same labelling", (int)i, (int)j);
      if (j > 0 && scores[j] > scores[j - 1])
        return complain("place %d is better than the one before", (int)j);
    }
    if (k == 1 && found == 1) {
      OK(chorale_chain_solve(solver, &given->chain, labelling, NULL, &error));
      if (memcmp(labelling, rows[0], sizeof(int32_t) * (size_t)T) != 0)
        return complain("the first of the k best is another labelling than the best");
    }
  }
  return NULL;
}

static void k_best_of_chains(void **state) {
  (void)state;
  check_samples(0, 3000, k_best);
}

/* ---- Masks -------------------------------------------------------------------------------- */

/* True if a sequence of label names is well formed, by the definition of the schemes. */
static int is_well_formed(chorale_scheme scheme, const char *const *names, int32_t length) {
  char open = 0; /* the kind of the segment that is open, if any */
  for (int32_t t = 0; t < length; ++t) {
    const char part = names[t][0] == 'O' ? 'O' : names[t][0];
    const char kind = part == 'O' ? 0 : names[t][2];
    const int is_last = part == 'E' || part == 'L', is_single = part == 'S' || part == 'U';
    if (part == 'I' || is_last) {
      if (open != kind)
        return 0;
    } else if (open && scheme != CHORALE_SCHEME_BIO) {
      return 0;
    }
    open = part == 'O' || is_last || is_single ? 0 : kind;
  }
  return scheme == CHORALE_SCHEME_BIO || !open;
}

static void masks(void **state) {
  (void)state;
  static const char *const bio[] = {"O", "B-x", "I-x", "B-y", "I-y"};
  static const char *const bioes[] = {"O", "B-x", "I-x", "E-x", "S-x", "B_y", "E_y"};
  static const char *const bilou[] = {"O", "B-x", "I-x", "L-x", "U-x", "I-y", "L-y"};
  static const struct {
    chorale_scheme scheme;
    const char *const *names;
    int32_t count;
  } schemes[] = {{CHORALE_SCHEME_BIO, bio, COUNT_OF(bio)},
                 {CHORALE_SCHEME_BIOES, bioes, COUNT_OF(bioes)},
                 {CHORALE_SCHEME_BILOU, bilou, COUNT_OF(bilou)}};
  chorale_error error;
  for (size_t i = 0; i < COUNT_OF(schemes); ++i) {
    const int32_t m = schemes[i].count;
    uint8_t mask[64], start[8], end[8];
    OK(chorale_scheme_mask(schemes[i].scheme, schemes[i].names, NULL, m, mask, start, end, &error));
    chorale_transitions_options options = {.struct_size = sizeof options};
    options.mask = mask;
    options.start_mask = start;
    options.end_mask = end;
    chorale_transitions *transitions = NULL;
    OK(chorale_transitions_create(NULL, m, NULL, &options, &transitions, &error));
    assert_int_equal(chorale_transitions_labels(transitions), m);
    const double zeros[4 * 8] = {0};
    chorale_chain chain = {.struct_size = sizeof chain};
    chain.labels = m;
    chain.unary = zeros;
    chain.transitions = transitions;
    for (int32_t length = 1; length <= 4; ++length) {
      chain.length = length;
      int32_t count = 1;
      for (int32_t t = 0; t < length; ++t)
        count *= m;
      for (int32_t n = 0; n < count; ++n) {
        const char *names[4];
        int32_t labelling[4], rest = n;
        for (int32_t t = 0; t < length; ++t, rest /= m) {
          labelling[t] = rest % m;
          names[t] = schemes[i].names[labelling[t]];
        }
        double score = UNTOUCHED;
        OK(chorale_chain_score(&chain, labelling, &score, &error));
        assert_true(score == (is_well_formed(schemes[i].scheme, names, length) ? 0 : -INFINITY));
      }
    }
    chorale_transitions_release(transitions);
  }
}

static void names_of_schemes(void **state) {
  (void)state;
  chorale_error error;
  static const char *const wrong[] = {"O", "B-x", "E-x"};
  uint8_t mask[9];
  FAILS(chorale_scheme_mask(CHORALE_SCHEME_BIO, wrong, NULL, 3, mask, NULL, NULL, &error),
        CHORALE_ERROR_LABEL_NAME, "names[2]", "E-x");
  FAILS(chorale_scheme_mask(9, wrong, NULL, 3, mask, NULL, NULL, &error),
        CHORALE_ERROR_UNKNOWN_CONSTANT, "scheme", "9");
  FAILS(chorale_scheme_mask(CHORALE_SCHEME_BIO, NULL, NULL, 3, mask, NULL, NULL, &error),
        CHORALE_ERROR_NULL_ARGUMENT, "names");
  FAILS(chorale_scheme_mask(CHORALE_SCHEME_BIO, wrong, NULL, 0, mask, NULL, NULL, &error),
        CHORALE_ERROR_SIZE, "labels", "0");
  static const char *const hole[] = {"O", NULL};
  FAILS(chorale_scheme_mask(CHORALE_SCHEME_BIO, hole, NULL, 2, mask, NULL, NULL, &error),
        CHORALE_ERROR_NULL_ARGUMENT, "names[1]");
  /* Names given by lengths need no NUL. */
  static const char *const run_on[] = {"OO", "B-xyz"};
  static const size_t lengths[] = {1, 3};
  int32_t kinds[2];
  uint8_t begins[2];
  int64_t count = 0;
  OK(chorale_label_map_from_names(CHORALE_SCHEME_BIO, run_on, lengths, 2, kinds, begins, &count,
                                  &error));
  assert_int_equal(count, 2);
  assert_int_equal(kinds[0], 0);
  assert_int_equal(kinds[1], 1);
  assert_int_equal(begins[0], 0);
  assert_int_equal(begins[1], 1);
  /* In the plain scheme, where names are kinds, any label may follow any. */
  OK(chorale_scheme_mask(CHORALE_SCHEME_PLAIN, wrong, NULL, 3, mask, NULL, NULL, &error));
  for (int i = 0; i < 9; ++i)
    assert_int_equal(mask[i], 1);
}

/* ---- Long rows ---------------------------------------------------------------------------- */

/* Compares the vector code for every number of labels with the plain recursion, bit for bit. */
static void all_widths(void **state) {
  (void)state;
  enum { WIDEST = 75, LENGTH = 4 };
  static double unary[LENGTH][WIDEST], edges[WIDEST * WIDEST], rows[LENGTH][WIDEST];
  Random random = {test_seed()};
  chorale_error error;
  chorale_chain_solver *solver = new_chain_solver();
  for (int32_t m = 1; m <= WIDEST; ++m) {
    for (int32_t t = 0; t < LENGTH; ++t)
      for (int32_t y = 0; y < m; ++y)
        unary[t][y] = random_chance(&random, 10) ? -INFINITY : random_unit(&random);
    for (int32_t i = 0; i < m * m; ++i)
      edges[i] = random_chance(&random, 10) ? -INFINITY : random_unit(&random);
    double best = -INFINITY;
    for (int32_t t = 0; t < LENGTH; ++t)
      for (int32_t y = 0; y < m; ++y) {
        rows[t][y] = t == 0 ? 0 : -INFINITY;
        for (int32_t x = 0; t > 0 && x < m; ++x)
          rows[t][y] = fmax(rows[t][y], rows[t - 1][x] + edges[x * m + y]);
        rows[t][y] += unary[t][y];
        if (t == LENGTH - 1)
          best = fmax(best, rows[t][y]);
      }
    chorale_chain chain = {.struct_size = sizeof chain};
    chain.length = LENGTH;
    chain.labels = m;
    chain.unary = unary;
    chain.unary_row_stride = WIDEST;
    chain.edges = edges;
    chain.edge_matrices = 1;
    chorale_chain_result result = {.struct_size = sizeof result};
    OK(chorale_chain_solve(solver, &chain, NULL, &result, &error));
    assert_true(result.score == best);
    static double marginals_found[LENGTH][WIDEST];
    OK(chorale_chain_max_marginals(solver, &chain, marginals_found[0], WIDEST, NULL, NULL, NULL,
                                   NULL, &error));
    for (int32_t t = 0; t < LENGTH; ++t) {
      double top = -INFINITY;
      for (int32_t y = 0; y < m; ++y)
        top = fmax(top, marginals_found[t][y]);
      assert_true(is_close(top, best));
    }
  }
  chorale_chain_solver_destroy(solver);
}

static void empty_chain(void **state) {
  (void)state;
  chorale_error error;
  chorale_chain_solver *solver = new_chain_solver();
  chorale_chain chain = {.struct_size = sizeof chain};
  chain.labels = 3;
  const double start[3] = {5, 5, 5};
  chain.start = chain.end = start;
  double score = UNTOUCHED;
  OK(chorale_chain_score(&chain, NULL, &score, &error));
  assert_true(score == 0);
  chorale_chain_result result = {.struct_size = sizeof result};
  OK(chorale_chain_solve(solver, &chain, NULL, &result, &error));
  assert_true(result.outcome == CHORALE_OUTCOME_COMPLETE && result.score == 0);
  OK(chorale_chain_max_marginals(solver, &chain, NULL, 0, NULL, NULL, NULL, &result, &error));
  assert_true(result.score == 0);
  int64_t found = 0;
  double scores[5];
  OK(chorale_chain_k_best(solver, &chain, 5, NULL, 0, scores, &found, &error));
  assert_int_equal(found, 1);
  assert_true(scores[0] == 0);
  chorale_chain_solver_destroy(solver);
}

/* A matrix whose rows lie apart ends with the last number of its last row, as a column slice of an
 * array does. No number behind it is read (the sanitizers and valgrind see that), and results equal
 * those of a matrix without gaps. */
static void matrices_end_with_their_last_number(void **state) {
  (void)state;
  enum { LENGTH = 9, MOST = 9 };
  Random random = {test_seed() + 77};
  chorale_error error;
  for (int32_t m = 1; m <= MOST; ++m)
    for (int32_t gap = 0; gap <= 4; ++gap) {
      double unary[LENGTH * MOST], whole[MOST * MOST];
      const size_t stride = (size_t)(m + gap), count = stride * (size_t)(m - 1) + (size_t)m;
      double *apart = malloc(count * sizeof *apart);
      assert_non_null(apart);
      for (size_t i = 0; i < count; ++i)
        apart[i] = random_unit(&random);
      for (int32_t i = 0; i < m * m; ++i)
        whole[i] = apart[(size_t)(i / m) * stride + (size_t)(i % m)];
      for (int32_t i = 0; i < LENGTH * m; ++i)
        unary[i] = random_unit(&random);
      chorale_transitions_options options = {.struct_size = sizeof options};
      options.row_stride = (int64_t)stride;
      options.borrow = 1;
      chorale_transitions *transitions = NULL;
      OK(chorale_transitions_create(NULL, m, apart, &options, &transitions, &error));
      double score[3];
      int32_t labels[3][LENGTH];
      for (int32_t way = 0; way < 3; ++way) {
        chorale_chain chain = {.struct_size = sizeof chain};
        chain.length = LENGTH;
        chain.labels = m;
        chain.unary = unary;
        if (way == 1) {
          chain.transitions = transitions;
        } else {
          chain.edges = way == 0 ? whole : apart;
          chain.edge_matrices = 1;
          chain.edge_row_stride = way == 0 ? 0 : (int64_t)stride;
        }
        chorale_chain_solver *solver = NULL;
        OK(chorale_chain_solver_create(NULL, &solver, &error));
        chorale_chain_result result = {.struct_size = sizeof result};
        OK(chorale_chain_solve(solver, &chain, labels[way], &result, &error));
        score[way] = result.score;
        chorale_chain_solver_destroy(solver);
      }
      for (int32_t way = 1; way < 3; ++way) {
        assert_memory_equal(score, score + way, sizeof *score);
        assert_memory_equal(labels[0], labels[way], sizeof *labels);
      }
      chorale_transitions_release(transitions);
      free(apart);
    }
}

/* Scores of large trees by definition: stars, paths, and random trees of several shapes. The scores
 * are whole numbers, so every order of summation gives the same bits. */
static void scores_of_large_trees(void **state) {
  (void)state;
  enum { LENGTH = 150000, TREE_LABELS = 2 };
  Random random = {test_seed()};
  double *unary = malloc(LENGTH * TREE_LABELS * sizeof *unary);
  int32_t *parents = malloc(LENGTH * sizeof *parents), *labels = malloc(LENGTH * sizeof *labels);
  uint8_t *has_child = malloc(LENGTH);
  assert_true(unary && parents && labels && has_child);
  const double end[TREE_LABELS] = {3, 5};
  static const int32_t reach[] = {INT32_MAX, 1, 2, 1000, 70000}; /* parents are at most so far back */
  for (size_t shape = 0; shape <= COUNT_OF(reach); ++shape) {
    memset(has_child, 0, LENGTH);
    for (int32_t t = 0; t < LENGTH; ++t) {
      const int32_t back = shape < COUNT_OF(reach) && reach[shape] < t ? reach[shape] : t;
      parents[t] = t == 0 ? -1 : shape == COUNT_OF(reach) ? 0 : t - random_int(&random, 1, back);
      if (t > 0)
        has_child[parents[t]] = 1;
      labels[t] = random_int(&random, 0, TREE_LABELS - 1);
      for (int32_t y = 0; y < TREE_LABELS; ++y)
        unary[t * TREE_LABELS + y] = random_int(&random, 0, 9);
    }
    double expected = 0;
    for (int32_t t = 0; t < LENGTH; ++t)
      expected += unary[t * TREE_LABELS + labels[t]] + (has_child[t] ? 0 : end[labels[t]]);
    chorale_chain chain = {.struct_size = sizeof chain};
    chain.length = LENGTH;
    chain.labels = TREE_LABELS;
    chain.unary = unary;
    chain.end = end;
    chain.parents = parents;
    chorale_error error;
    double score = UNTOUCHED;
    OK(chorale_chain_score(&chain, labels, &score, &error));
    assert_true(score == expected);
  }
  free(unary);
  free(parents);
  free(labels);
  free(has_child);
}

/* Without transition scores, time and memory are linear in the number of labels. A matrix of these
 * labels would have 80 GB. */
static void many_labels_without_transitions(void **state) {
  (void)state;
  enum { LENGTH = 3, MANY_LABELS = 100000 };
  Random random = {test_seed()};
  double *unary = malloc(LENGTH * MANY_LABELS * sizeof *unary);
  double *marginals = malloc(LENGTH * MANY_LABELS * sizeof *marginals);
  assert_true(unary && marginals);
  int32_t best[LENGTH] = {0}, labels[LENGTH];
  for (int32_t k = 0; k < LENGTH * MANY_LABELS; ++k) {
    unary[k] = random_int(&random, 0, 1 << 30); /* whole numbers: exact sums */
    const int32_t t = k / MANY_LABELS;
    if (unary[k] > unary[t * MANY_LABELS + best[t]])
      best[t] = k % MANY_LABELS;
  }
  double total = 0;
  for (int32_t t = 0; t < LENGTH; ++t)
    total += unary[t * MANY_LABELS + best[t]];
  chorale_chain chain = {.struct_size = sizeof chain};
  chain.length = LENGTH;
  chain.labels = MANY_LABELS;
  chain.unary = unary;
  chorale_error error;
  chorale_chain_solver *solver = NULL;
  OK(chorale_chain_solver_create(NULL, &solver, &error));
  chorale_chain_result result = {.struct_size = sizeof result};
  OK(chorale_chain_solve(solver, &chain, labels, &result, &error));
  assert_memory_equal(labels, best, sizeof best);
  assert_true(result.score == total);
  OK(chorale_chain_max_marginals(solver, &chain, marginals, 0, NULL, NULL, labels, &result,
                                 &error));
  for (int32_t k = 0; k < LENGTH * MANY_LABELS; ++k) {
    const int32_t first = k / MANY_LABELS * MANY_LABELS; /* of the row */
    assert_true(marginals[k] == total - unary[first + best[k / MANY_LABELS]] + unary[k]);
  }
  chorale_chain_solver_destroy(solver);
  free(unary);
  free(marginals);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(many_labels_without_transitions),
      cmocka_unit_test(best_of_chains),      cmocka_unit_test(best_of_trees),
      cmocka_unit_test(marginals_of_chains), cmocka_unit_test(marginals_of_trees),
      cmocka_unit_test(k_best_of_chains),    cmocka_unit_test(masks),
      cmocka_unit_test(names_of_schemes),    cmocka_unit_test(all_widths),
      cmocka_unit_test(empty_chain),         cmocka_unit_test(matrices_end_with_their_last_number),
      cmocka_unit_test(scores_of_large_trees),
  };
  return cmocka_run_group_tests_name("chain", tests, NULL, NULL);
}
