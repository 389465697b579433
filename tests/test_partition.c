/* Partitions: score, bound, proof and reasons against all partitions of up to eight records; planted
 * groups; complete graphs against local search and the value of the linear program; effort, limits,
 * invalid calls. */
#include "fixture.h"

enum { MOST = 8, MOST_PAIRS = MOST * (MOST - 1), COMPLETE = 20, COMPLETE_PAIRS = COMPLETE * (COMPLETE - 1) / 2 };

typedef struct Graph {
  chorale_scored_pairs pairs;
  int32_t first[MOST_PAIRS], second[MOST_PAIRS], source[MOST];
  double score[MOST_PAIRS];
} Graph;

static void draw(Random *random, Graph *graph) {
  memset(graph, 0, sizeof *graph);
  chorale_scored_pairs *pairs = &graph->pairs;
  pairs->struct_size = sizeof *pairs;
  pairs->records = random_int(random, 1, MOST);
  pairs->first = graph->first;
  pairs->second = graph->second;
  pairs->score = graph->score;
  const int32_t last = (int32_t)pairs->records - 1;
  const double spread = random_chance(random, 10) ? 1e9 : 4;
  for (int32_t a = 0; a <= last; ++a)
    for (int32_t b = 0; b < a; ++b)
      for (int32_t k = random_chance(random, 70) ? random_chance(random, 5) : 2; k < 2; ++k) {
        const int64_t at = pairs->count++;
        const int turned = random_chance(random, 50);
        graph->first[at] = turned ? a : b;
        graph->second[at] = turned ? b : a;
        const double drawn = spread * (random_unit(random) + random_unit(random) - 1);
        graph->score[at] = random_chance(random, 5)   ? INFINITY
                           : random_chance(random, 5) ? -INFINITY
                           : random_chance(random, 5) ? round(drawn)
                                                      : drawn;
      }
  pairs->effort = 0.05;
  if (random_chance(random, 30)) {
    pairs->source = graph->source;
    for (int32_t i = 0; i <= last; ++i)
      graph->source[i] = random_int(random, -1, last);
  }
  if (random_chance(random, 30))
    pairs->greatest_size = random_int(random, 1, last + 1);
}

/* ---- The definition ------------------------------------------------------------------------ */

static double score_of_groups(const chorale_scored_pairs *pairs, const int32_t *groups) {
  double sum = 0;
  for (int64_t k = 0; k < pairs->count; ++k)
    if (groups[pairs->first[k]] == groups[pairs->second[k]] && isfinite(pairs->score[k]))
      sum += pairs->score[k];
  return sum;
}

static int are_allowed(const chorale_scored_pairs *pairs, const int32_t *groups) {
  for (int64_t k = 0; k < pairs->count; ++k) {
    const int together = groups[pairs->first[k]] == groups[pairs->second[k]];
    if (isinf(pairs->score[k]) && together != (pairs->score[k] > 0))
      return 0;
  }
  for (int64_t i = 0; i < pairs->records; ++i) {
    int64_t size = 0;
    for (int64_t j = 0; j < pairs->records; ++j) {
      size += groups[i] == groups[j];
      if (i != j && groups[i] == groups[j] && pairs->source && pairs->source[i] >= 0 &&
          pairs->source[i] == pairs->source[j])
        return 0;
    }
    if (pairs->greatest_size > 0 && size > pairs->greatest_size)
      return 0;
  }
  return 1;
}

/* Groups are numbered in the order of their first records, so each partition comes once. Returns the
 * greatest score; minus infinity: no partition is allowed. */
static double best_score(const chorale_scored_pairs *pairs, int32_t *groups, int32_t at,
                         int32_t count) {
  if (at == pairs->records)
    return are_allowed(pairs, groups) ? score_of_groups(pairs, groups) : -INFINITY;
  double best = -INFINITY;
  for (groups[at] = 0; groups[at] <= count; ++groups[at])
    best = fmax(best, best_score(pairs, groups, at + 1, count + (groups[at] == count)));
  return best;
}

/* ---- Small graphs -------------------------------------------------------------------------- */

static void check_reasons(const chorale_scored_pairs *pairs, const int32_t *groups,
                          const chorale_overruling *overruled, const double *others) {
  for (int64_t k = 0; k < pairs->count; ++k) {
    const int32_t a = pairs->first[k], b = pairs->second[k];
    const int together = groups[a] == groups[b];
    const double score = pairs->score[k];
    const int against = isfinite(score) && (together ? score < 0 : score > 0);
    assert_int_equal(overruled[k] != CHORALE_NOT_OVERRULED, against);
    double between = 0, within[2] = {0, 0};
    for (int64_t j = 0; j < pairs->count; ++j) {
      if (!isfinite(pairs->score[j]) || j == k)
        continue;
      const int32_t c = pairs->first[j], d = pairs->second[j];
      if ((groups[c] == groups[a] && groups[d] == groups[b]) ||
          (groups[c] == groups[b] && groups[d] == groups[a]))
        between += pairs->score[j];
      for (int side = 0; side < 2; ++side)
        if (groups[c] == groups[d] && (c == (side ? b : a) || d == (side ? b : a)))
          within[side] += pairs->score[j];
    }
    const double wanted = !against ? 0 : together ? fmin(within[0], within[1]) : between;
    assert_true(is_close(others[k], wanted));
    if (overruled[k] == CHORALE_OVERRULED_BY_OTHERS)
      assert_true(is_at_most(together ? -score : score, together ? others[k] : -others[k]));
  }
}

static void answers_keep_what_they_promise(void **state) {
  (void)state;
  Random random = {test_seed()};
  chorale_error error;
  int64_t allowed = 0, best = 0, proven = 0;
  for (int64_t round = 0; round < test_rounds(150); ++round) {
    Graph graph;
    draw(&random, &graph);
    const chorale_scored_pairs *pairs = &graph.pairs;
    int32_t groups[MOST];
    const double optimum = best_score(pairs, groups, 0, 0);
    chorale_overruling overruled[MOST_PAIRS];
    double others[MOST_PAIRS], magnitude = 1;
    chorale_partition_result result = {.struct_size = sizeof result};
    const chorale_status status =
        chorale_partition(NULL, pairs, groups, overruled, others, &result, &error);
    if (optimum == -INFINITY) {
      assert_int_equal(status, CHORALE_ERROR_STATE);
      continue;
    }
    OK(status);
    for (int64_t k = 0; k < pairs->count; ++k)
      magnitude += isfinite(graph.score[k]) ? fabs(graph.score[k]) : 0;
    set_magnitude(magnitude);
    assert_true(are_allowed(pairs, groups));
    assert_int_equal(result.outcome, CHORALE_OUTCOME_COMPLETE);
    int32_t last = -1;
    for (int64_t i = 0; i < pairs->records; ++i) {
      assert_in_range(groups[i], 0, last + 1);
      last = groups[i] > last ? groups[i] : last;
    }
    assert_int_equal(result.groups, last + 1);
    assert_true(is_close(result.score, score_of_groups(pairs, groups)));
    assert_true(is_at_most(result.score, optimum) && is_at_most(optimum, result.upper_bound));
    if (result.proven)
      assert_true(is_close(result.score, optimum));
    check_reasons(pairs, groups, overruled, others);
    ++allowed;
    best += is_close(result.score, optimum);
    proven += result.proven;
  }
  set_magnitude(1);
  print_message("%lld of %lld optimal, %lld proven\n", (long long)best, (long long)allowed,
                (long long)proven);
  assert_true(best * 10 >= allowed * 9 && proven * 2 >= allowed);
}

static chorale_partition_result divide_listed(int32_t records, int32_t count, const int32_t *first,
                                              const int32_t *second, const double *score,
                                              int32_t *groups) {
  chorale_scored_pairs pairs = {.struct_size = sizeof pairs, .records = records, .count = count};
  pairs.first = first;
  pairs.second = second;
  pairs.score = score;
  chorale_partition_result result = {.struct_size = sizeof result};
  chorale_error error;
  OK(chorale_partition(NULL, &pairs, groups, NULL, NULL, &result, &error));
  return result;
}

/* The bound is that of the linear program, 70, and proves the partition. */
static void eight_records_are_proven(void **state) {
  (void)state;
  static const int32_t first[] = {0, 0, 0, 1, 1, 2, 2, 4, 6, 3, 4, 5, 4};
  static const int32_t second[] = {1, 2, 4, 2, 3, 3, 4, 7, 7, 5, 6, 6, 5};
  static const double score[] = {5, 5, 5, 5, 5, 5, 5, 5, 5, 10, 10, 10, -5};
  int32_t groups[8];
  const chorale_partition_result result = divide_listed(8, 13, first, second, score, groups);
  assert_true(result.score == 70 && result.proven);
}

/* Scores that only forbid, as of -1e9, do not hide what the others say. */
static void huge_scores_hide_nothing(void **state) {
  (void)state;
  static const int32_t first[] = {0, 1, 0, 3, 4}, second[] = {1, 2, 2, 4, 5};
  static const double score[] = {3e-5, 2e-5, -1e9, 1e-5, 1e-5};
  int32_t groups[6];
  const chorale_partition_result result = divide_listed(6, 5, first, second, score, groups);
  assert_true(is_close(1e5 * result.score, 5) && result.proven && groups[4] == groups[5]);
}

/* ---- Larger graphs ------------------------------------------------------------------------- */

/* 300 records in groups of five, with wrong pairs between them, by which most of them are one
 * connected component. */
static void planted_groups_are_found(void **state) {
  (void)state;
  enum { RECORDS = 300, SIZE = 5, WITHIN = RECORDS / SIZE * 10, PAIRS = WITHIN + 400 };
  Random random = {1};
  static int32_t first[PAIRS], second[PAIRS];
  static double score[PAIRS];
  int64_t count = 0;
  double planted = 0;
  for (int32_t a = 0; a < RECORDS; ++a)
    for (int32_t b = a / SIZE * SIZE; b < a; ++b) {
      first[count] = a;
      second[count] = b;
      planted += score[count++] = 2 + 4 * random_unit(&random);
    }
  assert_int_equal(count, WITHIN);
  while (count < PAIRS) {
    first[count] = random_int(&random, 0, RECORDS - 1);
    second[count] = random_int(&random, 0, RECORDS - 1);
    score[count] = 1.9 - 6 * random_unit(&random);
    count += first[count] / SIZE != second[count] / SIZE;
  }
  chorale_scored_pairs pairs = {.struct_size = sizeof pairs, .records = RECORDS, .count = PAIRS};
  pairs.first = first;
  pairs.second = second;
  pairs.score = score;
  pairs.effort = 0.1;
  chorale_partition_result result = {.struct_size = sizeof result};
  int32_t groups[RECORDS];
  chorale_error error;
  OK(chorale_partition(NULL, &pairs, groups, NULL, NULL, &result, &error));
  assert_true(result.score >= planted - 1e-9);
  assert_true(result.upper_bound - result.score <= 0.01 * result.score);
  int64_t missed = 0;
  for (int64_t k = 0; k < WITHIN; ++k)
    missed += groups[first[k]] != groups[second[k]];
  assert_in_range(missed, 0, WITHIN / 50);
}

typedef struct Complete {
  chorale_scored_pairs pairs;
  int32_t first[COMPLETE_PAIRS], second[COMPLETE_PAIRS];
  double score[COMPLETE_PAIRS];
} Complete;

/* A complete graph with nearly normal scores. */
static void draw_complete(Random *random, int32_t records, Complete *graph) {
  graph->pairs = (chorale_scored_pairs){.struct_size = sizeof graph->pairs};
  graph->pairs.records = records;
  graph->pairs.first = graph->first;
  graph->pairs.second = graph->second;
  graph->pairs.score = graph->score;
  int64_t *count = &graph->pairs.count;
  for (int32_t a = 0; a < records; ++a)
    for (int32_t b = 0; b < a; ++b, ++*count) {
      graph->first[*count] = a;
      graph->second[*count] = b;
      graph->score[*count] = -6;
      for (int k = 0; k < 12; ++k)
        graph->score[*count] += random_unit(random);
    }
}

/* Moves single records while that gains, from a random start. */
static double local_search(Random *random, const chorale_scored_pairs *pairs) {
  int32_t groups[COMPLETE];
  for (int i = 0; i < COMPLETE; ++i)
    groups[i] = random_int(random, 0, COMPLETE - 1);
  for (int moved = 1; moved;) {
    moved = 0;
    for (int32_t i = 0; i < COMPLETE; ++i) {
      double sums[COMPLETE + 1] = {0};
      for (int64_t k = 0; k < pairs->count; ++k)
        if (pairs->first[k] == i || pairs->second[k] == i)
          sums[groups[pairs->first[k] == i ? pairs->second[k] : pairs->first[k]]] += pairs->score[k];
      for (int32_t to = 0; to < COMPLETE; ++to)
        if (sums[to] > sums[groups[i]] + 1e-9) {
          groups[i] = to;
          moved = 1;
        }
    }
  }
  return score_of_groups(pairs, groups);
}

static void complete_graphs_are_searched_well(void **state) {
  (void)state;
  /* Of the linear program with all triangles, by an independent solver. */
  static const double kLinearProgram[] = {33.039795, 41.056088};
  chorale_error error;
  for (uint64_t seed = 1; seed <= COUNT_OF(kLinearProgram); ++seed) {
    Random random = {seed};
    Complete graph;
    draw_complete(&random, COMPLETE, &graph);
    double best = 0;
    for (int start = 0; start < 20; ++start)
      best = fmax(best, local_search(&random, &graph.pairs));
    int32_t groups[COMPLETE];
    chorale_partition_result result = {.struct_size = sizeof result};
    OK(chorale_partition(NULL, &graph.pairs, groups, NULL, NULL, &result, &error));
    print_message("score %.4f, local search %.4f, bound %.4f\n", result.score, best, result.upper_bound);
    assert_true(result.score >= best - 1e-9);
    assert_true(result.upper_bound >= kLinearProgram[seed - 1] - 1e-6);
    assert_true(result.upper_bound <= 1.01 * kLinearProgram[seed - 1]);
  }
}

/* ---- Effort and limits --------------------------------------------------------------------- */

static void more_effort_never_scores_less(void **state) {
  (void)state;
  static const double kEfforts[] = {-1, 0.01, 0, 1};
  Random random = {test_seed()};
  chorale_error error;
  for (int64_t round = 0; round < test_rounds(2); ++round) {
    Complete graph;
    draw_complete(&random, 9, &graph);
    graph.pairs.greatest_size = round % 2 ? 4 : 0;
    double before = -INFINITY;
    chorale_partition_result result = {.struct_size = sizeof result};
    for (size_t k = 0; k < COUNT_OF(kEfforts); ++k) {
      int32_t groups[COMPLETE];
      graph.pairs.effort = kEfforts[k];
      OK(chorale_partition(NULL, &graph.pairs, groups, NULL, NULL, &result, &error));
      assert_true(result.score >= before - 1e-9);
      if (k + 1 == COUNT_OF(kEfforts)) /* 0 stands for 1: the same bits */
        assert_true(result.score == before);
      before = result.score;
    }
  }
}

static void a_limit_leaves_an_answer(void **state) {
  (void)state;
  Random random = {test_seed()};
  chorale_error error;
  chorale_cancel *cancel = NULL;
  OK(chorale_cancel_create(NULL, &cancel, &error));
  Complete graph;
  draw_complete(&random, COMPLETE, &graph);
  static const double kLimits[] = {-1, 1e-7, 1e-4, 1e-3};
  for (size_t k = 0; k <= COUNT_OF(kLimits); ++k) {
    const int is_cancelled = k == COUNT_OF(kLimits);
    graph.pairs.time_limit = is_cancelled ? 0 : kLimits[k];
    graph.pairs.cancel = cancel;
    if (is_cancelled)
      chorale_cancel_raise(cancel);
    int32_t groups[COMPLETE];
    chorale_partition_result result = {.struct_size = sizeof result};
    OK(chorale_partition(NULL, &graph.pairs, groups, NULL, NULL, &result, &error));
    assert_true(is_close(result.score, score_of_groups(&graph.pairs, groups)));
    assert_true(result.upper_bound >= result.score);
    if (is_cancelled || kLimits[k] < 0)
      assert_int_equal(result.outcome,
                       is_cancelled ? CHORALE_OUTCOME_CANCELLED : CHORALE_OUTCOME_DEADLINE);
  }
  chorale_cancel_destroy(cancel);
}

/* ---- Mistakes ------------------------------------------------------------------------------ */

static void mistakes_are_named(void **state) {
  (void)state;
  int32_t first[] = {0, 1}, second[] = {1, 2}, source[] = {-1, 0, 0}, groups[3];
  double score[] = {1, 1};
  chorale_scored_pairs right = {.struct_size = sizeof right, .records = 3, .count = 2};
  right.first = first;
  right.second = second;
  right.score = score;
  chorale_scored_pairs pairs = right;
  chorale_error error;
#define DIVIDE chorale_partition(NULL, &pairs, groups, NULL, NULL, NULL, &error)
  OK(DIVIDE);
  FAILS(chorale_partition(NULL, NULL, groups, NULL, NULL, NULL, &error),
        CHORALE_ERROR_NULL_ARGUMENT, "pairs is NULL");
  FAILS(chorale_partition(NULL, &pairs, NULL, NULL, NULL, NULL, &error),
        CHORALE_ERROR_NULL_ARGUMENT, "groups is NULL");
  pairs.score = NULL;
  FAILS(DIVIDE, CHORALE_ERROR_NULL_ARGUMENT, "pairs->score is NULL");
  pairs = right;
  pairs.records = -1;
  FAILS(DIVIDE, CHORALE_ERROR_SIZE, "pairs->records is -1", "at least 0");
  pairs.records = 2;
  FAILS(DIVIDE, CHORALE_ERROR_OUT_OF_RANGE, "pairs->second[1] is 2", "from 0 to 1");
  pairs = right;
  pairs.effort = NAN;
  FAILS(DIVIDE, CHORALE_ERROR_NOT_A_NUMBER, "pairs->effort is NaN");
  pairs.effort = INFINITY;
  FAILS(DIVIDE, CHORALE_ERROR_INFINITE, "pairs->effort");
  pairs = right;
  pairs.time_limit = NAN;
  FAILS(DIVIDE, CHORALE_ERROR_NOT_A_NUMBER, "pairs->time_limit is NaN");
  pairs = right;
  second[1] = 1;
  FAILS(DIVIDE, CHORALE_ERROR_OUT_OF_RANGE, "pairs->second[1] is 1", "another record");
  second[1] = 2;
  score[1] = NAN;
  FAILS(DIVIDE, CHORALE_ERROR_NOT_A_NUMBER, "pairs->score[1] is NaN");
  score[1] = 1e300;
  FAILS(DIVIDE, CHORALE_ERROR_OUT_OF_RANGE, "pairs->score[1]");
  score[1] = INFINITY;
  pairs.source = source;
  FAILS(DIVIDE, CHORALE_ERROR_STATE, "two records of the source 0");
  source[2] = 3;
  FAILS(DIVIDE, CHORALE_ERROR_OUT_OF_RANGE, "pairs->source[2] is 3", "from -1 to 2");
  pairs.source = NULL;
  pairs.greatest_size = 1;
  FAILS(DIVIDE, CHORALE_ERROR_STATE, "join 2 records", "pairs->greatest_size is 1");
  pairs = right;
  first[0] = 2;
  score[0] = -INFINITY;
  FAILS(DIVIDE, CHORALE_ERROR_STATE, "pairs->score[0] is minus infinity", "records 2 and 1");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(answers_keep_what_they_promise),
      cmocka_unit_test(eight_records_are_proven),
      cmocka_unit_test(huge_scores_hide_nothing),
      cmocka_unit_test(planted_groups_are_found),
      cmocka_unit_test(complete_graphs_are_searched_well),
      cmocka_unit_test(more_effort_never_scores_less),
      cmocka_unit_test(a_limit_leaves_an_answer),
      cmocka_unit_test(mistakes_are_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
