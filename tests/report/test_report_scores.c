/* Token scores of the reports, against counts made by hand. */
#include "fixture.h"
#include "scores.h"

#include <string.h>

static const int32_t gold[] = {0, 0, 1, 2, 2, -1};
static const int32_t own[] = {0, 1, 1, 0, 2, 0};
static const int32_t together[] = {0, 0, 1, 1, 2, 1};

static void assert_counts(counts of, int64_t of_gold, int64_t said, int64_t right) {
  assert_int_equal(of.gold, of_gold);
  assert_int_equal(of.said, said);
  assert_int_equal(of.right, right);
}

static void counts_by_label(void **state) {
  (void)state;
  tally all;
  counts by_own[3], by_label[3];
  memset(&all, 0, sizeof all);
  memset(by_own, 0, sizeof by_own);
  memset(by_label, 0, sizeof by_label);
  count_tokens(&all, by_own, by_label, gold, own, together, 6);
  assert_int_equal(all.tokens, 6);
  assert_int_equal(all.changed, 3);
  assert_int_equal(all.known, 5);
  assert_int_equal(all.own_errors, 2);
  assert_int_equal(all.errors, 1);
  assert_counts(by_own[0], 2, 2, 1);
  assert_counts(by_own[1], 1, 2, 1);
  assert_counts(by_own[2], 2, 1, 1);
  assert_counts(by_label[0], 2, 2, 2);
  assert_counts(by_label[1], 1, 2, 1);
  assert_counts(by_label[2], 2, 1, 1);
  assert_counts(sum_counts(by_label, 3, -1), 5, 5, 4);
  assert_counts(sum_counts(by_label, 3, 2), 3, 4, 3);

  /* A second time: added, not set. */
  count_tokens(&all, by_own, by_label, gold, own, together, 6);
  assert_int_equal(all.errors, 2);
  assert_counts(by_label[0], 4, 4, 4);
}

static void counts_without_gold(void **state) {
  (void)state;
  tally all;
  memset(&all, 0, sizeof all);
  count_tokens(&all, NULL, NULL, NULL, own, together, 6);
  assert_int_equal(all.tokens, 6);
  assert_int_equal(all.changed, 3);
  assert_int_equal(all.known, 0);
  assert_int_equal(all.errors, 0);
}

static void harmonic_mean(void **state) {
  (void)state;
  const counts some = {4, 6, 3}; /* precision 1/2, recall 3/4 */
  const counts none = {0, 0, 0};
  const counts missed = {3, 0, 0};
  assert_true(f1(some) == 0.6);
  assert_true(f1(none) == 1.0);
  assert_true(f1(missed) == 0.0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(counts_by_label),
      cmocka_unit_test(counts_without_gold),
      cmocka_unit_test(harmonic_mean),
  };
  return cmocka_run_group_tests_name("report scores", tests, NULL, NULL);
}
