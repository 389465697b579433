/* Tables of mentions: against enumeration under the potential that table.h states; rows that stand for
 * several; ledgers against tables; what decides, estimated and learnt; answers; invalid calls. */
#include "fixture.h"

enum { ROWS = 40, KEYS = 6, LABELS = 4, MOST_OF_KEY = 7, REPEATED = 4 * ROWS };

typedef struct Table {
  chorale_mentions mentions;
  int32_t key[REPEATED], label[REPEATED], gold[REPEATED], answers[KEYS];
  double confidence[REPEATED], scores[REPEATED * LABELS];
  int64_t times[REPEATED];
} Table;

static void adopt(Table *table) {
  chorale_mentions *mentions = &table->mentions;
  mentions->key = table->key;
  mentions->label = table->label;
  mentions->confidence = table->confidence;
  mentions->times = table->times;
}

static void draw(Random *random, Table *table) {
  static const double shares[] = {0, 0.1, 0.25, 0.5, 0.6, 0.8, 0.95, 1};
  memset(table, 0, sizeof *table);
  chorale_mentions *mentions = &table->mentions;
  mentions->struct_size = sizeof *mentions;
  mentions->count = random_int(random, 1, ROWS);
  mentions->keys = random_int(random, 1, KEYS);
  mentions->labels = random_int(random, 1, LABELS);
  adopt(table);
  const int32_t last = (int32_t)mentions->labels - 1;
  const int has_scores = random_chance(random, 30);
  int of_key[KEYS] = {0};
  for (int64_t i = 0; i < mentions->count; ++i) {
    int32_t key = random_int(random, -1, (int32_t)mentions->keys - 1);
    if (key >= 0 && ++of_key[key] > MOST_OF_KEY)
      key = -1;
    table->key[i] = key;
    table->label[i] = random_int(random, random_chance(random, 10) ? -1 : 0, last);
    table->gold[i] = random_int(random, -1, last);
    table->confidence[i] =
        random_chance(random, 5) ? NAN : shares[random_int(random, 0, (int32_t)COUNT_OF(shares) - 1)];
    table->times[i] = random_int(random, 1, 3);
    for (int64_t v = 0; v <= last; ++v)
      table->scores[i * mentions->labels + v] =
          v > 0 && random_chance(random, 10) ? -INFINITY : -4 * random_unit(random);
  }
  if (has_scores)
    mentions->scores = table->scores;
}

static chorale_evidence drawn_evidence(Random *random) {
  chorale_evidence evidence = {.struct_size = sizeof evidence};
  evidence.most = 0.5 + 4 * random_unit(random);
  evidence.once = random_chance(random, 20) ? INFINITY : 3 * random_unit(random);
  evidence.per_mention = random_unit(random);
  return evidence;
}

/* ---- The definition ------------------------------------------------------------------------ */

/* Evidence of a mention for a label, as table.h says; 0 for what the mention says nothing of. */
static double evidence_of(const chorale_mentions *m, int64_t i, int64_t v, double most) {
  const double labels = (double)m->labels;
  if (m->label[i] < 0 || m->labels == 1)
    return 0;
  if (m->scores) {
    const double *row = m->scores + i * m->labels;
    double top = -INFINITY, least = INFINITY;
    for (int64_t u = 0; u < m->labels; ++u)
      top = fmax(top, row[u]);
    for (int64_t u = 0; u < m->labels; ++u)
      least = fmin(least, fmax(row[u] - top, -most));
    return fmax(row[v] - top, -most) - least;
  }
  if (isnan(m->confidence[i]) || fabs(m->confidence[i] * labels - 1) < 1e-6)
    return 0;
  const double sure = fmin(fmax(m->confidence[i], 1e-6), 1 - 1e-6);
  const double margin = fmin(fmax(log(sure / ((1 - sure) / (labels - 1))), -most), most);
  if (m->labels == 2 && margin < 0)
    return v == m->label[i] ? 0 : -margin;
  return v == m->label[i] ? margin : 0;
}

typedef struct Rows {
  int64_t row[MOST_OF_KEY];
  int count;
} Rows;

static Rows rows_of(const chorale_mentions *m, int32_t key, int silent_too) {
  Rows rows = {{0}, 0};
  for (int64_t i = 0; i < m->count; ++i) {
    const int silent = m->label[i] < 0 || (!m->scores && isnan(m->confidence[i]));
    if (m->key[i] == key && (silent_too || !silent))
      rows.row[rows.count++] = i;
  }
  return rows;
}

/* The score of labels of the mentions of a key, by the equation. */
static double score_of_labels(const chorale_mentions *m, const Rows *rows, const int32_t *labels,
                              const chorale_evidence *evidence) {
  double sum = 0, n = 0, counts[LABELS] = {0};
  for (int k = 0; k < rows->count; ++k) {
    const int64_t i = rows->row[k];
    const double times = (double)m->times[i];
    sum += times * evidence_of(m, i, labels[k], evidence->most);
    counts[labels[k]] += times;
    n += times;
  }
  double best = -INFINITY;
  for (int64_t v = 0; v < m->labels; ++v)
    best = fmax(best, fmax(-fmax(0, evidence->once + evidence->per_mention * n),
                           -evidence->most * (n - counts[v])));
  return sum + best;
}

static void labels_are_the_best(void **state) {
  (void)state;
  Random random = {test_seed()};
  chorale_error error;
  static Table table;
  int64_t settled_keys = 0, conflicts = 0;
  for (int64_t round = 0; round < test_rounds(300); ++round) {
    draw(&random, &table);
    const chorale_mentions *m = &table.mentions;
    chorale_evidence evidence = drawn_evidence(&random);
    chorale_settled_mention settled[ROWS];
    chorale_settled_key keys[KEYS];
    OK(chorale_settle(NULL, m, &evidence, settled, sizeof *settled, keys, sizeof *keys, &error));
    for (int32_t key = 0; key < m->keys; ++key) {
      const Rows rows = rows_of(m, key, 0), every = rows_of(m, key, 1);
      int32_t labels[MOST_OF_KEY] = {0}, found[MOST_OF_KEY];
      for (int k = 0; k < rows.count; ++k)
        found[k] = settled[rows.row[k]].label;
      int64_t before[LABELS] = {0}, now[LABELS] = {0}, mentions = 0;
      for (int k = 0; k < every.count; ++k) {
        const int64_t i = every.row[k];
        mentions += m->times[i];
        if (m->label[i] >= 0)
          before[m->label[i]] += m->times[i];
        if (settled[i].label >= 0)
          now[settled[i].label] += m->times[i];
      }
      assert_int_equal(keys[key].mentions, mentions);
      settled_keys += keys[key].label >= 0;
      conflicts += keys[key].conflict;
      for (int k = 0; k < every.count; ++k) {
        const int64_t i = every.row[k];
        const chorale_settled_mention *of = &settled[i];
        assert_int_equal(of->changed, of->label != m->label[i]);
        assert_int_equal(of->others, mentions - m->times[i]);
        if (of->label < 0)
          continue;
        if (keys[key].label >= 0)
          assert_int_equal(of->label, keys[key].label);
        assert_int_equal(of->agreeing, now[of->label] - m->times[i]);
        assert_int_equal(of->agreeing_before,
                         before[of->label] - (m->label[i] == of->label ? m->times[i] : 0));
        assert_true(of->probability >= 0 && of->probability <= 1 + 1e-12);
      }
      /* Keys whose best labels are tied keep theirs, and so do mentions with improbable labels. */
      int improbable = 0;
      double tops[2] = {-INFINITY, -INFINITY};
      for (int64_t v = 0; v < m->labels; ++v) {
        double sum = 0;
        for (int k = 0; k < rows.count; ++k) {
          const double says = evidence_of(m, rows.row[k], v, evidence.most);
          sum += (double)m->times[rows.row[k]] * says;
          improbable |= says < 0;
        }
        if (sum > tops[0]) {
          tops[1] = tops[0];
          tops[0] = sum;
        } else if (sum > tops[1]) {
          tops[1] = sum;
        }
      }
      if (rows.count == 0 || tops[0] - tops[1] < 1e-4 || (improbable && keys[key].label < 0))
        continue;
      double best = -INFINITY;
      for (;;) { /* all labellings */
        best = fmax(best, score_of_labels(m, &rows, labels, &evidence));
        int k = 0;
        while (k < rows.count && ++labels[k] == m->labels)
          labels[k++] = 0;
        if (k == rows.count)
          break;
      }
      const double score = score_of_labels(m, &rows, found, &evidence);
      if (!(fabs(best - score) < 1e-4 * fmax(1, fabs(best))))
        fail_msg("key %d: labels have the score %.9g, the best ones %.9g", key, score, best);
    }
  }
  assert_true(test_rounds(300) < 100 || (settled_keys > 0 && conflicts > 0));
}

static void merged_is_repeated(void **state) {
  (void)state;
  Random random = {test_seed()};
  chorale_error error;
  static Table merged, repeated;
  for (int64_t round = 0; round < test_rounds(300); ++round) {
    draw(&random, &merged);
    repeated = merged;
    adopt(&repeated);
    chorale_mentions *m = &merged.mentions, *r = &repeated.mentions;
    r->times = NULL;
    r->count = 0;
    const int has_scores = r->scores != NULL;
    int64_t first[ROWS];
    for (int64_t i = 0; i < m->count; ++i) {
      first[i] = r->count;
      for (int64_t k = 0; k < m->times[i]; ++k, ++r->count) {
        repeated.key[r->count] = m->key[i];
        repeated.label[r->count] = m->label[i];
        repeated.confidence[r->count] = m->confidence[i];
        repeated.gold[r->count] = merged.gold[i];
        memcpy(repeated.scores + r->count * m->labels, merged.scores + i * m->labels,
               sizeof(double) * (size_t)m->labels);
      }
    }
    r->scores = has_scores ? repeated.scores : NULL;
    chorale_evidence one = {.struct_size = sizeof one}, many = one;
    chorale_settled_mention of_merged[ROWS], of_repeated[REPEATED];
    chorale_settled_key merged_keys[KEYS], repeated_keys[KEYS];
    OK(chorale_settle(NULL, m, &one, of_merged, sizeof *of_merged, merged_keys,
                      sizeof *merged_keys, &error));
    OK(chorale_settle(NULL, r, &many, of_repeated, sizeof *of_repeated, repeated_keys,
                      sizeof *repeated_keys, &error));
    assert_memory_equal(&one, &many, sizeof one);
    assert_memory_equal(merged_keys, repeated_keys, sizeof *merged_keys * (size_t)m->keys);
    for (int64_t i = 0; i < m->count; ++i)
      for (int64_t k = 0; k < m->times[i]; ++k) {
        const chorale_settled_mention *copy = &of_repeated[first[i] + k];
        assert_int_equal(copy->label, of_merged[i].label);
        assert_true(copy->probability == of_merged[i].probability ||
                    (isnan(copy->probability) && isnan(of_merged[i].probability)));
      }
  }
}

/* ---- What decides -------------------------------------------------------------------------- */

/* Twenty keys of four mentions: of every fourth key one mention says something else. */
static void name_table(Table *table) {
  memset(table, 0, sizeof *table);
  table->mentions.struct_size = sizeof table->mentions;
  table->mentions.count = 80;
  table->mentions.keys = 20;
  table->mentions.labels = 2;
  adopt(table);
  for (int32_t i = 0; i < 80; ++i) {
    table->key[i] = i / 4;
    table->label[i] = i % 16 == 0;
    table->confidence[i] = i % 16 == 0 ? 0.7 : 0.8;
    table->times[i] = 1;
  }
}

static void what_decides_is_found(void **state) {
  (void)state;
  chorale_error error;
  static Table table;
  name_table(&table);
  chorale_mentions *m = &table.mentions;
  chorale_evidence evidence = {.struct_size = sizeof evidence};
  chorale_settled_mention settled[80];
  OK(chorale_settle(NULL, m, &evidence, settled, sizeof *settled, NULL, 0, &error));
  assert_int_equal(evidence.origin, CHORALE_EVIDENCE_ESTIMATED);
  assert_int_equal(evidence.mentions, 80);
  /* The surest mentions are never outvoted: (0 + 1) / (75 + 20) are wrong. */
  assert_true(fabs(evidence.most - log(94)) < 1e-5);
  assert_true(fabs(evidence.once - log(399)) < 1e-12);
  for (int i = 0; i < 80; ++i) {
    assert_int_equal(settled[i].label, 0);
    assert_int_equal(settled[i].changed, i % 16 == 0);
  }
  assert_true(settled[0].others == 3 && settled[0].agreeing_before == 3 && settled[0].agreeing == 3);
  assert_true(settled[0].probability > 0.9 && settled[0].probability_before < 0.1);

  /* Right labels say that the odd ones out are right, or that they are wrong. */
  m->gold = table.gold;
  for (int right = 0; right < 2; ++right) {
    memcpy(table.gold, table.label, sizeof table.gold);
    for (int i = 0; right && i < 80; ++i)
      table.gold[i] = 0;
    evidence = (chorale_evidence){.struct_size = sizeof evidence};
    OK(chorale_settle(NULL, m, &evidence, settled, sizeof *settled, NULL, 0, &error));
    assert_int_equal(evidence.origin, CHORALE_EVIDENCE_LEARNT);
    assert_int_equal(evidence.mentions, 80);
    assert_int_equal(evidence.right, right ? 5 : -5);
    for (int i = 0; i < 80; ++i)
      assert_int_equal(settled[i].label, table.gold[i]);
  }

  /* Answers. */
  chorale_settled_key keys[20];
  int32_t answers[20];
  for (int k = 0; k < 20; ++k)
    answers[k] = CHORALE_NO_ANSWER;
  m->gold = NULL;
  m->answers = answers;
  answers[0] = 1;
  answers[4] = CHORALE_ANSWER_DIFFERS;
  OK(chorale_settle(NULL, m, NULL, settled, sizeof *settled, keys, sizeof *keys, &error));
  for (int i = 0; i < 4; ++i) {
    assert_int_equal(settled[i].label, 1);
    assert_true(settled[i].probability == 1 && settled[i].probability_before == (i == 0));
    assert_int_equal(settled[16 + i].changed, 0);
  }
  assert_true(keys[0].label == 1 && keys[4].label == -1 && keys[0].expected == 0);
  assert_true(keys[8].label == 0 && keys[8].expected > 0 && keys[8].expected < 4);
}

/* ---- Ledgers ------------------------------------------------------------------------------- */

static chorale_ledger *fill(const Table *table, const int64_t *order, const chorale_evidence *evidence,
                            Random *random, int32_t *told) {
  chorale_error error;
  chorale_ledger *ledger = NULL;
  OK(chorale_ledger_create(NULL, table->mentions.labels, evidence, &ledger, &error));
  for (int64_t at = 0; at < table->mentions.count;) {
    static Table part;
    chorale_mentions *m = &part.mentions;
    *m = table->mentions;
    adopt(&part);
    m->count = 0;
    while (at < table->mentions.count && (m->count == 0 || random_chance(random, 50))) {
      const int64_t i = order[at++];
      part.key[m->count] = table->key[i];
      part.label[m->count] = table->label[i];
      part.confidence[m->count] = table->confidence[i];
      part.times[m->count++] = table->times[i];
    }
    OK(chorale_ledger_add(ledger, m, told + at - m->count, &error));
    if (random_chance(random, 50)) {
      chorale_ledger_change changes[ROWS];
      int64_t count = 0;
      OK(chorale_ledger_changes(ledger, 1, changes, sizeof *changes, ROWS, &count, &error));
      for (int64_t k = 0; k < count; ++k) {
        assert_int_equal(told[changes[k].row], changes[k].told);
        assert_true(k == 0 || changes[k].row > changes[k - 1].row);
        told[changes[k].row] = changes[k].label;
      }
    }
  }
  return ledger;
}

static void a_ledger_is_a_table(void **state) {
  (void)state;
  Random random = {test_seed()};
  chorale_error error;
  static Table table, again;
  for (int64_t round = 0; round < test_rounds(300); ++round) {
    draw(&random, &table);
    table.mentions.scores = NULL;
    const int64_t n = table.mentions.count;
    const size_t rows_size = (size_t)n;
    int64_t order[ROWS];
    int32_t told[ROWS];
    for (int64_t i = 0; i < n; ++i) {
      const int64_t k = random_int(&random, 0, (int32_t)i);
      order[i] = order[k];
      order[k] = i;
    }
    chorale_evidence evidence = drawn_evidence(&random);
    chorale_ledger *ledger = fill(&table, order, &evidence, &random, told);
    for (int refitted = 0; refitted < 2; ++refitted) {
      chorale_settled_mention settled[ROWS];
      chorale_settled_key keys[KEYS], of_ledger[KEYS];
      chorale_ledger_row rows[ROWS];
      OK(chorale_settle(NULL, &table.mentions, &evidence, settled, sizeof *settled, keys,
                        sizeof *keys, &error));
      OK(chorale_ledger_rows(ledger, rows, sizeof *rows, ROWS, NULL, &error));
      OK(chorale_ledger_keys(ledger, of_ledger, sizeof *keys, KEYS, NULL, &error));
      for (int64_t k = 0; k < table.mentions.keys; ++k) {
        assert_true(fabs(keys[k].expected - of_ledger[k].expected) < 1e-9);
        keys[k].expected = of_ledger[k].expected;
      }
      assert_memory_equal(keys, of_ledger, sizeof *keys * (size_t)table.mentions.keys);
      int64_t count = 0, differ = 0;
      OK(chorale_ledger_changes(ledger, 0, NULL, sizeof(chorale_ledger_change), 0, &count, &error));
      for (int64_t i = 0; i < n; ++i) {
        assert_int_equal(rows[i].label, settled[order[i]].label);
        assert_int_equal(rows[i].told, told[i]);
        differ += rows[i].label != told[i];
      }
      assert_int_equal(count, differ);

      /* Another ledger from the rows of this one. */
      again.mentions = table.mentions;
      adopt(&again);
      for (int64_t i = 0; i < n; ++i) {
        again.key[i] = rows[i].key;
        again.label[i] = rows[i].given;
        again.confidence[i] = rows[i].confidence;
        again.times[i] = rows[i].times;
      }
      again.mentions.told = told;
      chorale_ledger *copy = NULL;
      OK(chorale_ledger_create(NULL, table.mentions.labels, &evidence, &copy, &error));
      OK(chorale_ledger_add(copy, &again.mentions, NULL, &error));
      chorale_ledger_row copied[ROWS];
      chorale_ledger_change one[ROWS], other[ROWS];
      OK(chorale_ledger_rows(copy, copied, sizeof *copied, ROWS, NULL, &error));
      assert_memory_equal(rows, copied, sizeof *rows * rows_size);
      OK(chorale_ledger_changes(copy, 0, one, sizeof *one, ROWS, &count, &error));
      OK(chorale_ledger_changes(ledger, 0, other, sizeof *other, ROWS, &count, &error));
      assert_memory_equal(one, other, sizeof *one * (size_t)count);
      chorale_ledger_destroy(copy);

      /* What a table of all rows would estimate. */
      chorale_evidence of_table = {.struct_size = sizeof of_table};
      evidence = of_table;
      OK(chorale_settle(NULL, &table.mentions, &of_table, NULL, 0, NULL, 0, &error));
      OK(chorale_ledger_refit(ledger, &evidence, &error));
      assert_memory_equal(&evidence, &of_table, sizeof evidence);
    }
    chorale_ledger_destroy(ledger);
  }
}

/* ---- Invalid calls ------------------------------------------------------------------------- */

static chorale_status settle_with(chorale_mentions *m, chorale_evidence *evidence,
                                  chorale_error *error) {
  return chorale_settle(NULL, m, evidence, NULL, 0, NULL, 0, error);
}

static void mistakes_are_named(void **state) {
  (void)state;
  chorale_error error;
  static Table table;
  name_table(&table);
  chorale_mentions *m = &table.mentions;
  const chorale_mentions right = *m;
  FAILS(settle_with(NULL, NULL, &error), CHORALE_ERROR_NULL_ARGUMENT, "mentions is NULL");
  m->count = -1;
  FAILS(settle_with(m, NULL, &error), CHORALE_ERROR_SIZE, "mentions->count is -1");
  *m = right;
  m->labels = 0;
  FAILS(settle_with(m, NULL, &error), CHORALE_ERROR_SIZE, "mentions->labels is 0");
  *m = right;
  m->keys = 19;
  FAILS(settle_with(m, NULL, &error), CHORALE_ERROR_OUT_OF_RANGE, "mentions->key[76] is 19",
        "from -1 to 18");
  *m = right;
  m->key = NULL;
  FAILS(settle_with(m, NULL, &error), CHORALE_ERROR_NULL_ARGUMENT, "mentions->key");
  *m = right;
  m->label = NULL;
  FAILS(settle_with(m, NULL, &error), CHORALE_ERROR_NULL_ARGUMENT, "mentions->label");
  *m = right;
  table.label[3] = 2;
  FAILS(settle_with(m, NULL, &error), CHORALE_ERROR_OUT_OF_RANGE, "mentions->label[3] is 2");
  table.label[3] = 0;
  table.confidence[5] = 1.5;
  FAILS(settle_with(m, NULL, &error), CHORALE_ERROR_OUT_OF_RANGE, "mentions->confidence[5] is 1.5");
  table.confidence[5] = 0.8;
  table.times[6] = 0;
  FAILS(settle_with(m, NULL, &error), CHORALE_ERROR_OUT_OF_RANGE, "mentions->times[6] is 0");
  table.times[6] = 1;
  m->scores = table.scores;
  table.scores[3] = NAN;
  FAILS(settle_with(m, NULL, &error), CHORALE_ERROR_NOT_A_NUMBER, "mentions->scores[1][1] is NaN");
  table.scores[2] = table.scores[3] = -INFINITY;
  FAILS(settle_with(m, NULL, &error), CHORALE_ERROR_INFINITE, "mentions->scores[1]", "minus infinity");
  table.scores[2] = table.scores[3] = 0;
  OK(settle_with(m, NULL, &error));
  *m = right;
  chorale_evidence evidence = {.struct_size = sizeof evidence};
  evidence.most = -1;
  FAILS(settle_with(m, &evidence, &error), CHORALE_ERROR_OUT_OF_RANGE, "evidence->most is -1");
  evidence.most = 1;
  evidence.per_mention = -1;
  FAILS(settle_with(m, &evidence, &error), CHORALE_ERROR_OUT_OF_RANGE, "evidence->per_mention is -1");
  evidence.per_mention = NAN;
  FAILS(settle_with(m, &evidence, &error), CHORALE_ERROR_NOT_A_NUMBER, "evidence");
  evidence.per_mention = 1;

  chorale_ledger *ledger = NULL;
  FAILS(chorale_ledger_create(NULL, 2, NULL, &ledger, &error), CHORALE_ERROR_NULL_ARGUMENT,
        "evidence is NULL");
  FAILS(chorale_ledger_create(NULL, 0, &evidence, &ledger, &error), CHORALE_ERROR_SIZE, "labels");
  OK(chorale_ledger_create(NULL, 2, &evidence, &ledger, &error));
  OK(chorale_ledger_add(ledger, m, NULL, &error));
  m->labels = 3;
  FAILS(chorale_ledger_add(ledger, m, NULL, &error), CHORALE_ERROR_LABELS_MISMATCH,
        "mentions->labels is 3", "ledger, 2");
  *m = right;
  m->count = m->keys = 1;
  FAILS(chorale_ledger_add(ledger, m, NULL, &error), CHORALE_ERROR_SIZE, "mentions->keys is 1",
        "call before, 20");
  *m = right;
  m->gold = table.gold;
  FAILS(chorale_ledger_add(ledger, m, NULL, &error), CHORALE_ERROR_STATE, "mentions->gold");
  FAILS(chorale_ledger_changes(ledger, 2, NULL, sizeof(chorale_ledger_change), 0, NULL, &error),
        CHORALE_ERROR_OUT_OF_RANGE, "take is 2");
  chorale_ledger_row row;
  FAILS(chorale_ledger_rows(ledger, &row, sizeof row, 1, NULL, &error), CHORALE_ERROR_CAPACITY,
        "rows needs 80");
  chorale_ledger_destroy(ledger);
  chorale_ledger_destroy(NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(labels_are_the_best),
      cmocka_unit_test(merged_is_repeated),
      cmocka_unit_test(what_decides_is_found),
      cmocka_unit_test(a_ledger_is_a_table),
      cmocka_unit_test(mistakes_are_named),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
