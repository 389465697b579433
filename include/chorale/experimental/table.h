/* Tables of mentions: one label for all mentions of a key, unless the key is really two things.
 *
 * A table has rows, its *mentions*: a name (the *key*), the label that a tagger gave it, and how
 * probable the label is. Instead of a majority vote or "the last one wins":
 *
 *     chorale_mentions mentions = {.struct_size = sizeof mentions};
 *     mentions.count = 3; mentions.keys = 1; mentions.labels = 2;
 *     mentions.key = key; mentions.label = label; mentions.confidence = confidence;
 *     chorale_settled_mention settled[3];
 *     chorale_settle(NULL, &mentions, NULL, settled, sizeof *settled, NULL, 0, &error);
 *
 * A mention with log-odds w for its label is *evidence* of w for this label, of which at most `most`
 * counts. Let n be the number of mentions of a key, and n_v of them get label v. The labels of a key
 * maximise
 *
 *     sum_i w_i(y_i)  +  max_v max(-(once + per_mention * n), -most * (n - n_v)),
 *
 * a potential of the family MAX. No mention says more than `most`, so the best labelling is one of
 * these: all mentions have one label, or each has its own best label, for which the key pays
 * once + per_mention * n. So keys are solved exactly, in time linear in their mentions, and the sums of
 * evidence decide, whatever the order of the mentions. (Evidence is rounded to multiples of 2^-20,
 * so that sums are exact.) Labels with equal evidence settle nothing: each mention keeps its own. So
 * does, where the key has no single label, a mention whose label is less probable than by chance.
 */
#ifndef CHORALE_EXPERIMENTAL_TABLE_H
#define CHORALE_EXPERIMENTAL_TABLE_H

#include "chorale/base.h"

CHORALE_BEGIN_DECLS

/* ---- What decides ---------------------------------------------------------------------------- */

typedef int32_t chorale_evidence_origin;
enum {
  CHORALE_EVIDENCE_GIVEN = 0,      /* from the caller */
  CHORALE_EVIDENCE_ESTIMATED = 10, /* from how mentions of a key disagree */
  CHORALE_EVIDENCE_LEARNT = 20     /* from right labels of some mentions */
};

/* What decides whether the mentions of a key have one label. */
typedef struct chorale_evidence {
  size_t struct_size; /* sizeof(chorale_evidence) */
  /* The most that one mention can say: the log-odds above which confidences are not believed. 0
   * (default): all three numbers are found from the mentions. */
  double most;
  double once; /* may be infinite: every key is one thing */
  double per_mention;
  /* Written by the library, and not read. mentions: those that share keys, of which the numbers were
   * estimated; LEARNT: those with right labels. right: LEARNT: how many more labels are right than
   * before, on keys that were left out of learning; if at most 0, each mention keeps its label. */
  chorale_evidence_origin origin;
  int64_t mentions;
  int64_t right;
} chorale_evidence;

/* ---- Mentions -------------------------------------------------------------------------------- */

enum {
  CHORALE_NO_ANSWER = -1,
  CHORALE_ANSWER_DIFFERS = -2 /* the mentions differ: each has its own label */
};

/* Mentions, in arrays of the caller that are borrowed for the duration of a call. */
typedef struct chorale_mentions {
  size_t struct_size; /* sizeof(chorale_mentions) */
  int64_t count;      /* N */
  int64_t keys;       /* K */
  int64_t labels;     /* m */
  const int32_t *key; /* N: 0 .. K - 1; -1: none, the mention is alone */
  /* N: the label of each mention, 0 .. m - 1; -1: the mention says nothing, and gets the label of
   * its key. NULL: the label with the best score. */
  const int32_t *label;
  /* N: how probable the label is, from 0 to 1; NaN: the mention has a label and says nothing. NULL:
   * 0.8. Ignored if there are scores. */
  const double *confidence;
  /* N x m: log-probabilities of all labels; any number may be added to a row. NULL: all labels but
   * `label` are equally probable. */
  const double *scores;
  const int64_t *times;   /* N: for how many equal mentions each stands, at least 1. NULL: 1 */
  const int32_t *gold;    /* N: the right label, -1: unknown. NULL: all unknown */
  const int32_t *answers; /* K: the label that all mentions of a key have, or one of the
                           * other answers. NULL: no answers */
  const int32_t *told;    /* N: labels told before, when a ledger is filled from its rows */
} chorale_mentions;

/* What became of a mention, and why. */
typedef struct chorale_settled_mention {
  int32_t label;      /* -1: none, since neither the mention nor its key says anything */
  int32_t changed;    /* 1: it is another label than before */
  double probability; /* of the label; NaN: there is none */
  double probability_before; /* of the label that the mention had; NaN: it had none */
  int64_t others;          /* number of other mentions of the key */
  int64_t agreeing_before; /* how many of them had `label` before */
  int64_t agreeing;        /* how many of them have it now */
} chorale_settled_mention;

/* What became of a key. */
typedef struct chorale_settled_key {
  int32_t label;    /* of all mentions; -1: each has its own */
  int32_t conflict; /* 1: evidence does not settle the key: it is two things, or labels are tied */
  int64_t mentions; /* how many mentions it has */
  double against; /* what the mentions say against the best single label */
  double price;   /* what counts as too much: once + per_mention * n, at least 0 */
  /* How many mentions are expected to change if a person says what the key is: the keys with the
   * greatest numbers are those to ask about. If the key is in conflict, it counts as even whether it
   * is one thing or several. 0 after an answer. */
  double expected;
} chorale_settled_key;

/* Settles all keys of a table. Any thread.
 *
 * evidence: what decides; receives it if `most` is 0: then it is learnt from `gold` where there are
 *   right labels, and otherwise estimated. NULL: the same, without being told.
 * settled: N structs, settled_size bytes apart (sizeof(chorale_settled_mention)). NULL: not written
 * keys: K structs, keys_size bytes apart (sizeof(chorale_settled_key)). NULL: not written
 * Errors: NULL_ARGUMENT (mentions, key; label without scores), STRUCT_SIZE, SIZE (count, keys,
 * labels, times), SIZE_OVERFLOW, OUT_OF_RANGE (key, label, confidence, gold, answers; evidence),
 * NOT_A_NUMBER, INFINITE (scores, evidence), OUT_OF_MEMORY. */
CHORALE_API chorale_status chorale_settle(const chorale_host *host,
                                          const chorale_mentions *mentions,
                                          chorale_evidence *evidence,
                                          chorale_settled_mention *settled, size_t settled_size,
                                          chorale_settled_key *keys, size_t keys_size,
                                          chorale_error *error);

/* ---- Ledgers --------------------------------------------------------------------------------- */

/* Keeps the mentions of a stream. The labels are those that chorale_settle gives a table of all
 * mentions under the same evidence, whatever the order in which they came. */
typedef struct chorale_ledger chorale_ledger;

/* evidence: what decides until chorale_ledger_refit; its `most` must be above 0. Errors: NULL_ARGUMENT,
 * STRUCT_SIZE, SIZE (labels), OUT_OF_RANGE, NOT_A_NUMBER, INFINITE, OUT_OF_MEMORY. */
CHORALE_API chorale_status chorale_ledger_create(const chorale_host *host, int64_t labels,
                                                 const chorale_evidence *evidence,
                                                 chorale_ledger **ledger, chorale_error *error);
CHORALE_API void chorale_ledger_destroy(chorale_ledger *ledger);

/* Adds mentions, which are rows of the ledger: the first that is ever added is row 0. Time is that of
 * the new mentions, however many there are before.
 *
 * mentions: `keys` is the number of keys in all, at least that of the call before; `labels` that of
 *   the ledger. scores, gold and answers must be NULL. told: labels that the caller has already told
 *   of, when a ledger is filled from chorale_ledger_rows; NULL: those of this call.
 * labels: N: receives the labels of the new mentions. NULL: not written
 * Errors: those of chorale_settle; STATE (scores, gold, answers). */
CHORALE_API chorale_status chorale_ledger_add(chorale_ledger *ledger,
                                              const chorale_mentions *mentions, int32_t *labels,
                                              chorale_error *error);

/* A row whose label should now be another than the caller was told. */
typedef struct chorale_ledger_change {
  int64_t row;   /* number of the row: the first that was ever added is 0 */
  int32_t label; /* the label that it should now have; -1: none */
  int32_t told;  /* the label that the caller was told; -1: none */
} chorale_ledger_change;

/* Writes the rows whose labels have changed since the caller was told of them, in ascending order.
 * take: 1: from now on the caller has been told of those that are written; 0: nothing changes.
 * Looks only at keys whose label has changed. Errors: NULL_ARGUMENT, STRUCT_SIZE, SIZE, CAPACITY,
 * OUT_OF_RANGE (take), OUT_OF_MEMORY. */
CHORALE_API chorale_status chorale_ledger_changes(chorale_ledger *ledger, int32_t take,
                                                  chorale_ledger_change *changes,
                                                  size_t change_size, int64_t capacity,
                                                  int64_t *needed, chorale_error *error);

/* Decides anew by other evidence. evidence: what decides; if its `most` is 0 or it is NULL, it is
 * estimated from all mentions, and written there. Errors: those of chorale_ledger_create. */
CHORALE_API chorale_status chorale_ledger_refit(chorale_ledger *ledger, chorale_evidence *evidence,
                                                chorale_error *error);

/* A row as it was added, with its label. */
typedef struct chorale_ledger_row {
  int32_t key;       /* the key; -1: none */
  int32_t given;     /* the label that it came with, -1: none */
  double confidence; /* NaN: the mention says nothing */
  int64_t times;     /* for how many equal rows it stands */
  int32_t label;     /* the label that it has now; -1: none */
  int32_t told;      /* the label that the caller was told; -1: none */
} chorale_ledger_row;

/* Writes all rows: to read all labels, or to save the ledger. Errors: NULL_ARGUMENT, STRUCT_SIZE,
 * SIZE, CAPACITY. */
CHORALE_API chorale_status chorale_ledger_rows(const chorale_ledger *ledger,
                                               chorale_ledger_row *rows, size_t row_size,
                                               int64_t capacity, int64_t *needed,
                                               chorale_error *error);

/* Writes what became of all keys, as chorale_settle does. Errors: as for rows; OUT_OF_MEMORY. */
CHORALE_API chorale_status chorale_ledger_keys(const chorale_ledger *ledger,
                                               chorale_settled_key *keys, size_t keys_size,
                                               int64_t capacity, int64_t *needed,
                                               chorale_error *error);

CHORALE_END_DECLS

#endif
