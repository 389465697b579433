/* Shared by the tests of problem files: problems as bytes, random names, a small problem with an
 * object of every kind, and the checksum of the file format, computed independently of the
 * library. */
#ifndef CHORALE_TESTS_FIXTURE_SAVED_H
#define CHORALE_TESTS_FIXTURE_SAVED_H

#include "fixture_cluster.h"

typedef struct Saved {
  unsigned char *bytes; /* aligned to 64, in an allocation of their own */
  size_t size;
} Saved;

/* True if a model has no callbacks (instances, callback potentials), which no file can hold. */
int can_be_saved(const Cluster *cluster);
/* Returns the bytes that chorale_problem_write writes; fails the test on an error. */
Saved save(const chorale_problem *problem);
Saved copy_saved(const Saved *saved);
void drop_saved(Saved *saved);
int same_saved(const Saved *a, const Saved *b);
/* Checks that the file consists of exactly these bytes. */
void expect_file(const char *path, const Saved *saved);
/* Returns the status of reading a copy of the bytes; the copy is freed if reading fails. */
chorale_status read_saved(const chorale_host *host, const Saved *saved, int borrow,
                          chorale_problem **problem, chorale_error *error);

/* Writes a number over `size` bytes of a file, little-endian on every machine. */
void put_number(unsigned char *bytes, uint64_t number, size_t size);
/* Returns the checksum of FORMAT.md, computed word by word. */
uint64_t own_checksum(const unsigned char *bytes, size_t size);
/* Corrects all checksums whose place can be found: of sections, table and header. */
void repair(Saved *saved);
/* Returns the offset of a section in the file, or 0 if there is none. */
uint64_t find_section(const Saved *saved, uint32_t id, uint64_t *length);

chorale_text text_of(const char *text);
int is_text(chorale_text text, const char *expected);
/* Sets random names, gold labels and notes; some kinds of them may be left out. */
void name_at_random(Random *random, chorale_problem *problem);
/* Compares the names, gold labels and notes of two problems. Returns NULL if equal, otherwise the
 * difference. */
const char *compare_names(const chorale_problem *a, const chorale_problem *b);

/* Builds a problem with every kind of chain, property, potential and clique that a file can hold.
 * Returns the status of the first call that fails; then nothing is left allocated. */
chorale_status build_everything(const chorale_host *host, chorale_problem **problem,
                                chorale_error *error);

#endif
