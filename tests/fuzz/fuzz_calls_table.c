/* Steps of the fuzzer of call sequences: tables of mentions, ledgers, partitions. */
#include "fuzz_calls.h"

enum { MOST_MENTIONS = 12, MOST_ROWS = 256, MOST_KEYS = 6 };

static chorale_mentions some_mentions(World *w, double *confidence) {
  chorale_mentions m = {.struct_size = sizeof m};
  restruct(w, &m.struct_size);
  m.count = chance(w, 95) ? upto(w, MOST_MENTIONS) : chance(w, 50) ? -1 : INT64_MAX;
  m.keys = chance(w, 97) ? MOST_KEYS : -1;
  m.labels = chance(w, 97) ? 4 : upto(w, 1) - 1;
  m.key = indices(w);
  m.label = indices(w);
  for (int32_t k = 0; k < MOST_MENTIONS; ++k)
    confidence[k] = chance(w, 99) ? upto(w, 16) / 16.0 : hostile_double(w->random);
  m.confidence = SELDOM(confidence);
  m.times = chance(w, 20) ? w->wholes + upto(w, 9) : NULL;
  return m;
}

static void settle_table(World *w) {
  double confidence[MOST_MENTIONS];
  chorale_mentions m = some_mentions(w, confidence);
  m.scores = chance(w, 20) ? w->doubles + upto(w, 32) : NULL;
  m.gold = chance(w, 20) ? w->small + upto(w, 9) : NULL;
  m.answers = chance(w, 20) ? w->small + upto(w, 9) : NULL;
  chorale_evidence evidence = {.struct_size = sizeof evidence};
  restruct(w, &evidence.struct_size);
  if (chance(w, 50)) {
    evidence.most = chance(w, 95) ? 1 + upto(w, 8) / 4.0 : hostile_double(w->random);
    evidence.once = chance(w, 95) ? upto(w, 8) : hostile_double(w->random);
    evidence.per_mention = chance(w, 95) ? upto(w, 8) / 8.0 : hostile_double(w->random);
  }
  chorale_settled_mention settled[MOST_MENTIONS];
  chorale_settled_key keys[MOST_KEYS];
  CALL(chorale_settle(w->host, OFTEN(&m), OFTEN(&evidence), OFTEN(settled), sizeof *settled,
                      OFTEN(keys), sizeof *keys, &w->error));
}

static void make_ledger(World *w) {
  chorale_evidence evidence = {.struct_size = sizeof evidence};
  restruct(w, &evidence.struct_size);
  evidence.most = chance(w, 95) ? 1 + upto(w, 8) / 4.0 : hostile_double(w->random);
  evidence.per_mention = upto(w, 8) / 8.0;
  chorale_ledger *ledger = NULL;
  CALL(chorale_ledger_create(w->host, chance(w, 95) ? 4 : upto(w, 1) - 1, OFTEN(&evidence), &ledger,
                             &w->error));
  REQUIRE((w->status == CHORALE_OK) == (ledger != NULL), "status %d", w->status);
  if (ledger)
    *SLOT(ledger) = ledger;
}

static void use_ledger(World *w, chorale_ledger *ledger) {
  double confidence[MOST_MENTIONS];
  chorale_mentions m = some_mentions(w, confidence);
  int32_t labels[MOST_MENTIONS];
  CALL(chorale_ledger_add(ledger, OFTEN(&m), SELDOM(labels), &w->error));
  int64_t count = 0, before = 0;
  CALL(chorale_ledger_rows(ledger, NULL, sizeof(chorale_ledger_row), 0, &count, &w->error));
  if (w->status != CHORALE_OK || count > MOST_ROWS)
    return;
  chorale_ledger_row rows[MOST_ROWS];
  chorale_ledger_change changes[MOST_ROWS];
  chorale_settled_key keys[MOST_KEYS];
  CALL(chorale_ledger_keys(ledger, keys, sizeof *keys, MOST_KEYS, NULL, &w->error));
  if (chance(w, 30))
    CALL(chorale_ledger_refit(ledger, NULL, &w->error));
  CALL(chorale_ledger_changes(ledger, constant(w, upto(w, 1)), changes, sizeof *changes, MOST_ROWS,
                              &before, &w->error));
  CALL(chorale_ledger_rows(ledger, rows, sizeof *rows, MOST_ROWS, &count, &w->error));
  for (int64_t i = 0; w->status == CHORALE_OK && i < count; ++i)
    REQUIRE(rows[i].label >= -1 && rows[i].label < 4 && rows[i].times >= 1, "row %lld",
            (long long)i);
}

static void divide(World *w) {
  double score[MOST_MENTIONS], others[MOST_MENTIONS];
  chorale_overruling overruled[MOST_MENTIONS];
  int32_t groups[MOST_KEYS];
  chorale_scored_pairs pairs = {.struct_size = sizeof pairs};
  restruct(w, &pairs.struct_size);
  pairs.records = chance(w, 97) ? MOST_KEYS : upto(w, 1) - 1;
  pairs.count = chance(w, 95) ? upto(w, MOST_MENTIONS) : chance(w, 50) ? -1 : INT64_MAX;
  pairs.first = indices(w);
  pairs.second = indices(w);
  for (int32_t k = 0; k < MOST_MENTIONS; ++k)
    score[k] = chance(w, 5)    ? (chance(w, 50) ? INFINITY : -INFINITY)
               : chance(w, 98) ? upto(w, 32) / 4.0 - 4
                               : hostile_double(w->random);
  pairs.score = OFTEN(score);
  pairs.source = chance(w, 20) ? w->small + upto(w, 9) : NULL;
  pairs.greatest_size = chance(w, 30) ? number(w) : 0;
  pairs.effort = chance(w, 95) ? upto(w, 8) / 800.0 : fmin(hostile_double(w->random), 1);
  pairs.time_limit = chance(w, 10) ? hostile_double(w->random) : 0;
  pairs.cancel = chance(w, 20) ? PICK(cancels) : NULL;
  chorale_partition_result result = {.struct_size = sizeof result};
  restruct(w, &result.struct_size);
  const int is_whole = result.struct_size == sizeof result;
  CALL(chorale_partition(w->host, OFTEN(&pairs), OFTEN(groups), SELDOM(overruled), SELDOM(others),
                         &result, &w->error));
  if (w->status == CHORALE_OK && is_whole)
    REQUIRE(result.upper_bound >= result.score && result.groups <= MOST_KEYS, "bound %g of %g",
            result.upper_bound, result.score);
}

void use_table(World *w) {
  switch (upto(w, 4)) {
  case 4:
    divide(w);
    break;
  case 0:
    settle_table(w);
    break;
  case 1:
    make_ledger(w);
    break;
  default:
    use_ledger(w, PICK(ledgers));
  }
}
