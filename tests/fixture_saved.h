/* What the tests of problem files share: problems as bytes, names for everything, one small problem
 * that has something of every kind, and the checksum of the format written out by itself. */
#ifndef CHORALE_TESTS_FIXTURE_SAVED_H
#define CHORALE_TESTS_FIXTURE_SAVED_H

#include "fixture_cluster.h"

typedef struct Saved {
  unsigned char *bytes; /* aligned to 64, each in an allocation of its own */
  size_t size;
} Saved;

/* Whether a model is without callbacks, which no file can hold. */
int can_be_saved(const Cluster *cluster);
/* What chorale_problem_write writes; fails the test where it cannot. */
Saved save(const chorale_problem *problem);
Saved copy_saved(const Saved *saved);
void drop_saved(Saved *saved);
int same_saved(const Saved *a, const Saved *b);
/* The file is these bytes, no more and no fewer. */
void expect_file(const char *path, const Saved *saved);
/* The status of reading a copy of its own, which is then dropped if nothing was read. */
chorale_status read_saved(const chorale_host *host, const Saved *saved, int borrow,
                          chorale_problem **problem, chorale_error *error);

/* A number over `size` bytes of a file, which is little-endian on every machine. */
void put_number(unsigned char *bytes, uint64_t number, size_t size);
/* The checksum of FORMAT.md, a word at a time. */
uint64_t own_checksum(const unsigned char *bytes, size_t size);
/* Makes the checksums right that can be found: sections, table, header. */
void repair(Saved *saved);
/* The place of a section, or 0. */
uint64_t find_section(const Saved *saved, uint32_t id, uint64_t *length);

chorale_text text_of(const char *text);
int is_text(chorale_text text, const char *expected);
/* Random names for some or all that has names, gold labels and notes. */
void name_at_random(Random *random, chorale_problem *problem);
/* NULL, or what differs: the names, gold labels and notes of two problems. */
const char *compare_names(const chorale_problem *a, const chorale_problem *b);

/* A problem with every kind of chain, property, potential and clique that a file can hold. The
 * status is that of the first call that fails; nothing is left then. */
chorale_status build_everything(const chorale_host *host, chorale_problem **problem,
                                chorale_error *error);

#endif
