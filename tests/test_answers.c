/* Every call that works leaves a labelling, whenever a deadline or a cancel ends it.
 *
 * The library calls this program's clock_gettime, in which a deadline passes at a chosen call. So a
 * solve is ended at each of the places where it reads the clock, and must then have labels: at
 * worst the best labels of every chain without its cliques. */
#include "fixture_cluster.h"

#include <time.h>

/* ---- The clock ---------------------------------------------------------------------------- */

static const double kTimeLimit = 1000;
static int64_t looks, looks_in_time;

/* Stands still for a given number of calls; each later call is past all earlier deadlines. */
int clock_gettime(clockid_t clock, struct timespec *time);
int clock_gettime(clockid_t clock, struct timespec *time) {
  (void)clock;
  time->tv_sec = ++looks <= looks_in_time ? 1000 : 1000 + 2000 * (looks - looks_in_time);
  time->tv_nsec = 0;
  return 0;
}
static void start_clock(int64_t in_time) {
  looks = 0;
  looks_in_time = in_time;
}

/* ---- Runs --------------------------------------------------------------------------------- */

/* How many calls ended: in time, by a deadline, by a cancel; with labels that a clique forbids. */
static int64_t ended[4];

/* Checks what a run says after a call that may have been ended early. `own`: a run of the same
 * model after its round 0. */
static const char *check_answer(const Cluster *cluster, const Built *built, chorale_run *run,
                                const chorale_run *own) {
  chorale_error error;
  chorale_run_result result, alone;
  result = (chorale_run_result){.struct_size = sizeof result};
  alone = (chorale_run_result){.struct_size = sizeof alone};
  OK(chorale_run_get_result(run, &result, &error));
  OK(chorale_run_get_result(own, &alone, &error));
  ++ended[result.outcome == CHORALE_OUTCOME_DEADLINE    ? 1
          : result.outcome == CHORALE_OUTCOME_CANCELLED ? 2
                                                        : 0];
  int32_t labels[MOST_CHAINS * MOST_POSITIONS], by_itself[MOST_CHAINS * MOST_POSITIONS];
  int64_t count = 0;
  if (result.left_out > alone.left_out) /* the edit leaves no label that a clique allows */
    return NULL;
  ended[3] += result.score == -INFINITY;
  if (chorale_run_labels(run, CHORALE_ALL_CHAINS, CHORALE_TOGETHER, labels,
                         (int64_t)COUNT_OF(labels), &count, &error) != CHORALE_OK)
    return complain("%s after %lld looks at the clock", error.message, (long long)looks_in_time);
  if (result.score < alone.score || result.own_score != alone.score)
    return complain("score %.17g, own score %.17g; it should be at least %.17g", result.score,
                    result.own_score, alone.score);
  int has_instance = 0;
  for (int32_t i = 0; i < cluster->chain_count; ++i)
    has_instance |= cluster->is_instance[i];
  double score = NAN;
  if (!has_instance) {
    OK(chorale_model_score(NULL, built->model, labels, count, &score, NULL, NULL, &error));
    if (score != result.score && !is_close(score, result.score))
      return complain("score %.17g of labels that score %.17g", result.score, score);
  }
  OK(chorale_run_labels(run, CHORALE_ALL_CHAINS, CHORALE_ALONE, labels, (int64_t)COUNT_OF(labels),
                        &count, &error));
  OK(chorale_run_labels(own, CHORALE_ALL_CHAINS, CHORALE_ALONE, by_itself,
                        (int64_t)COUNT_OF(labels), &count, &error));
  if (!has_instance && memcmp(labels, by_itself, sizeof labels[0] * (size_t)count) != 0)
    return complain("other labels without cliques after %lld looks", (long long)looks_in_time);
  return NULL;
}

static const char *ends_everywhere(const Cluster *cluster, void *context) {
  (void)context;
  Built built;
  ClusterTruth truth;
  chorale_error error;
  if (!enumerate_cluster(cluster, &truth) || truth.left_out > 0)
    return NULL;
  looks_in_time = INT64_MAX;
  build(cluster, NULL, &built);
  chorale_run_options options = cluster->options;
  options.time_limit = kTimeLimit;
  options.edits = 1;
  chorale_cancel *cancel = NULL;
  OK(chorale_cancel_create(NULL, &cancel, &error));
  chorale_run *own = NULL;
  const char *why = NULL;
  if (chorale_run_create(NULL, built.model, &options, NULL, &own, &error) == CHORALE_OK &&
      chorale_run_step(own, NULL, &error) == CHORALE_OK) {
    int goes_on = 1;
    for (int64_t in_time = 0; goes_on && !why; in_time += 1 + in_time / 8) {
      chorale_run *run = NULL;
      looks_in_time = INT64_MAX;
      OK(chorale_run_create(NULL, built.model, &options, NULL, &run, &error));
      start_clock(in_time);
      chorale_status status = chorale_run_solve(run, NULL, &error);
      goes_on = looks > looks_in_time;
      if (status == CHORALE_OK)
        why = check_answer(cluster, &built, run, own);
      /* An edit of a complete solution, ended as early. */
      looks_in_time = INT64_MAX;
      if (!why && status == CHORALE_OK && !cluster->is_instance[0] &&
          cluster->chains[0].length > 0 &&
          chorale_run_solve(run, NULL, &error) == CHORALE_OK) {
        uint8_t allowed[MOST_LABELS] = {0};
        allowed[truth.own[0][0]] = 1; /* so the labels without cliques remain as they are */
        OK(chorale_run_set_allowed(run, 0, 0, allowed, &error));
        start_clock(in_time);
        if (chorale_run_solve(run, NULL, &error) == CHORALE_OK)
          why = check_answer(cluster, &built, run, own);
      }
      chorale_run_destroy(run);
    }
    if (!why) {
      chorale_run *run = NULL;
      looks_in_time = INT64_MAX;
      options.cancel = cancel;
      chorale_cancel_raise(cancel);
      OK(chorale_run_create(NULL, built.model, &options, NULL, &run, &error));
      if (chorale_run_solve(run, NULL, &error) == CHORALE_OK)
        why = check_answer(cluster, &built, run, own);
      chorale_run_destroy(run);
    }
  }
  chorale_run_destroy(own);
  chorale_cancel_destroy(cancel);
  close_built(cluster, &built);
  return why;
}

static void an_ended_solve_has_labels(void **state) {
  (void)state;
  check_clusters("random", test_rounds(400), random_cluster, ends_everywhere, NULL);
  check_clusters("items", test_rounds(200), random_item_cluster, ends_everywhere, NULL);
  check_clusters("crowded", test_rounds(200), random_crowded_cluster, ends_everywhere, NULL);
  check_clusters("forbidding", test_rounds(50), random_forbidding_cluster, ends_everywhere, NULL);
  printf("%lld calls ended in time, %lld by a deadline, %lld by a cancel; %lld with labels that a "
         "clique forbids\n",
         (long long)ended[0], (long long)ended[1], (long long)ended[2], (long long)ended[3]);
  assert_true(ended[0] > 0 && ended[1] > ended[0] && ended[2] > 0 && ended[3] > 0);
}

/* ---- Decode ------------------------------------------------------------------------------- */

enum { CHAINS = 300, LENGTH = 20, LABELS = 3, POSITIONS = CHAINS * LENGTH };

static void an_ended_decode_has_labels(void **state) {
  (void)state;
  static double unary[POSITIONS * LABELS];
  static int32_t tokens[POSITIONS], labels[POSITIONS], own[POSITIONS];
  static int64_t offsets[CHAINS + 1];
  chorale_error error;
  Random random = {test_seed()};
  for (int64_t k = 0; k < POSITIONS * LABELS; ++k)
    unary[k] = random_unit(&random);
  for (int64_t t = 0; t < POSITIONS; ++t)
    tokens[t] = random_int(&random, 0, 399);
  for (int64_t i = 0; i <= CHAINS; ++i)
    offsets[i] = i * LENGTH;
  chorale_corpus corpus = {.struct_size = sizeof corpus};
  corpus.chains = CHAINS;
  corpus.labels = LABELS;
  corpus.offsets = offsets;
  corpus.unary = unary;
  corpus.tokens = tokens;
  chorale_agreement words = {.struct_size = sizeof words};
  words.across = 1;
  chorale_run_options options = {.struct_size = sizeof options};
  options.time_limit = kTimeLimit;
  /* The first look at the clock is at the entry; so with one look in time, the time has passed when
   * the model is built. */
  static const int64_t kInTime[] = {1, 2, 3, 5, 10, 50, 200, INT64_MAX};
  for (size_t k = 0; k < COUNT_OF(kInTime); ++k) {
    chorale_decoded *decoded = NULL;
    start_clock(kInTime[k]);
    OK(chorale_decode(NULL, &corpus, &words, 1, &options, &decoded, &error));
    chorale_run_result result = {.struct_size = sizeof result};
    OK(chorale_decoded_get_result(decoded, &result, &error));
    assert_int_equal(result.outcome == CHORALE_OUTCOME_DEADLINE, looks > looks_in_time);
    assert_true(result.score >= result.own_score && result.own_score > -INFINITY);
    OK(chorale_decoded_labels(decoded, CHORALE_TOGETHER, labels, POSITIONS, NULL, &error));
    OK(chorale_decoded_labels(decoded, CHORALE_ALONE, own, POSITIONS, NULL, &error));
    for (int64_t t = 0; t < POSITIONS; ++t) {
      const double *row = unary + t * LABELS;
      for (int32_t y = 0; y < LABELS; ++y)
        assert_true(row[y] <= row[own[t]]);
    }
    if (kInTime[k] == 1)
      assert_memory_equal(labels, own, sizeof own);
    chorale_decoded_destroy(decoded);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(an_ended_solve_has_labels),
                                     cmocka_unit_test(an_ended_decode_has_labels)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
