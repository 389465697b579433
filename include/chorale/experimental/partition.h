/* Partitions: divides records into groups by scored pairs, with a certificate.
 *
 * A pair of records has a score, the log-odds that the two are one: above 0 they are rather the same,
 * below 0 rather not. A pair without a score counts 0. The score of a partition is the sum of the
 * scores of all pairs inside its groups; chorale_partition looks for the partition with the greatest
 * score, and bounds the scores of all partitions from above:
 *
 *     chorale_scored_pairs pairs = {.struct_size = sizeof pairs};
 *     pairs.records = 3; pairs.count = 3;
 *     pairs.first = first; pairs.second = second; pairs.score = score;
 *     chorale_partition_result result = {.struct_size = sizeof result};
 *     chorale_partition(NULL, &pairs, groups, NULL, NULL, &result, &error);
 *
 * Connected components join all records that some path of likely pairs connects, so that one wrong
 * pair joins two groups. Here the pairs within and between groups are weighed against each other.
 *
 * The search moves single records and merges groups while that gains; then it dissolves a few
 * neighbouring groups at a time and forms them anew, and keeps what gains. The bound divides the
 * scores among triangles of records, of whose three pairs exactly two cannot be joined. Triangles are
 * added only where the present division breaks them.
 */
#ifndef CHORALE_EXPERIMENTAL_PARTITION_H
#define CHORALE_EXPERIMENTAL_PARTITION_H

#include "chorale/base.h"

CHORALE_BEGIN_DECLS

/* Records and their scored pairs, in arrays of the caller that are borrowed for the duration of a
 * call. */
typedef struct chorale_scored_pairs {
  size_t struct_size; /* sizeof(chorale_scored_pairs) */
  int64_t records;    /* n */
  int64_t count;      /* N */
  const int32_t *first; /* N: 0 .. n - 1 */
  const int32_t *second; /* N: 0 .. n - 1, not the same record as `first` */
  /* N: plus infinity: the two must be in one group; minus infinity: they must not. The scores of a
   * pair that is given several times add up. */
  const double *score;
  /* n: the source of each record, 0 .. n - 1; -1: none. A group has at most one record of each
   * source. NULL: no sources */
  const int32_t *source;
  int64_t greatest_size; /* of a group, in records; 0 (default): any */
  /* How long to search, as a multiple of the usual number of moves: 0 (default): 1; negative: only
   * as long as single moves and merges gain. More never scores less. */
  double effort;
  /* Seconds, of which the search takes at most half; 0 (default): no limit; negative: it has passed.
   * Groups and bound are valid whenever the call ends. Reading the pairs and writing the answer
   * ignores limits; it takes a time that is linear in the records, and in the pairs but for sorting
   * them. */
  double time_limit;
  const chorale_cancel *cancel; /* may be NULL; raised: as if the time had passed */
} chorale_scored_pairs;

/* Why a partition decides a pair against its own score: it is in different groups though its score
 * is above 0, or in one group though its score is below 0. */
typedef int32_t chorale_overruling;
enum {
  CHORALE_NOT_OVERRULED = 0,
  CHORALE_OVERRULED_BY_OTHERS = 10, /* the scores of other pairs outweigh it */
  /* The scores of other pairs do not outweigh it: infinite scores, sources or the greatest size allow
   * nothing else, or the search has ended too early to see what does. */
  CHORALE_OVERRULED_BY_LIMIT = 20
};

typedef struct chorale_partition_result {
  size_t struct_size; /* sizeof(chorale_partition_result) */
  int64_t groups;     /* how many */
  double score;       /* the sum of the finite scores of pairs within groups */
  double upper_bound; /* no allowed partition has a higher score */
  int32_t proven;     /* 1: upper_bound - score <= 1e-9 |score|, or within rounding */
  chorale_outcome outcome; /* COMPLETE; DEADLINE or CANCELLED: the search or the bound ended early */
} chorale_partition_result;

/* Divides records into groups. Any thread.
 *
 * groups: n: receives the group of each record. Groups are numbered in the order of their first
 *   records
 * overruled: N: receives whether and why each pair is decided against its score. NULL: not written
 * others: N: receives, for a pair above 0 that is overruled, the sum of the scores of all other pairs
 *   between the two groups; for a pair below 0, the sum of the other scores of one of the two records
 *   within the group, for the record where it is less; 0 for other pairs. NULL: not written
 * result: NULL: not written
 * Errors: NULL_ARGUMENT (pairs, first, second, score, groups), STRUCT_SIZE, SIZE (records, count,
 * greatest_size), SIZE_OVERFLOW, OUT_OF_RANGE (first, second, source, score), NOT_A_NUMBER (score,
 * effort, time_limit), INFINITE (effort), STATE (records that must be together exceed greatest_size, share a
 * source, or must not be together), OUT_OF_MEMORY. */
CHORALE_API chorale_status chorale_partition(const chorale_host *host,
                                             const chorale_scored_pairs *pairs, int32_t *groups,
                                             chorale_overruling *overruled, double *others,
                                             chorale_partition_result *result,
                                             chorale_error *error);

CHORALE_END_DECLS

#endif
