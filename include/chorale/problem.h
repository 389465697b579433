/* Problems: a model with everything around it, in memory and as a file.
 *
 * A *problem* is a frozen model and the names a person needs to read it: label names, token texts,
 * the words of every position, gold labels where they are known, names of chains, groups, cliques
 * and of the values that cliques agree on, and notes (title, licence, how it was made). Training in
 * one language hands over to inference in another through it; a failing case is attached to a
 * report as one; benchmarks and fuzzers eat them.
 *
 * The file format is little-endian, versioned, made of sections with lengths and checksums, and is
 * read in place: scores of a loaded model lie in the file's bytes, which a load by path maps into
 * memory. A big-endian machine reads and writes the same bytes; there a file is never mapped or
 * borrowed but copied, into memory from the host's hooks. src/problem/FORMAT.md describes the
 * format byte by byte. Nothing in a file is trusted: everything that a model built by hand is
 * checked for is checked again, and each kind of damage has a status of its own (FILE_*).
 *
 * A problem under construction belongs to one thread; a const problem may be used by any number.
 */
#ifndef CHORALE_PROBLEM_H
#define CHORALE_PROBLEM_H

#include "chorale/model.h"

CHORALE_BEGIN_DECLS

typedef struct chorale_problem chorale_problem;

/* A problem around `model`, of which it holds a reference; everything else is absent.
 * Errors: NULL_ARGUMENT, STRUCT_SIZE, OUT_OF_MEMORY. */
CHORALE_API chorale_status chorale_problem_create(const chorale_host *host,
                                                  const chorale_model *model,
                                                  chorale_problem **problem, chorale_error *error);
/* NULL is ignored. A model taken from a loaded problem lives on, and the file's bytes with it. */
CHORALE_API void chorale_problem_destroy(chorale_problem *problem);
/* The model: borrowed, chorale_model_retain makes it the caller's. NULL for NULL. Any thread. */
CHORALE_API const chorale_model *chorale_problem_model(const chorale_problem *problem);

/* ---- Texts -------------------------------------------------------------------------------- */

/* UTF-8, NUL allowed inside, none needed at the end. */
typedef struct chorale_text {
  const char *bytes; /* may be NULL if length is 0 */
  size_t length;
} chorale_text;

/* Lists of texts. Pinned numbers; lists of value names follow from VALUES on. */
typedef int32_t chorale_text_list;
enum {
  CHORALE_TEXTS_NONE = -1,
  CHORALE_TEXTS_LABELS = 0,  /* by label; at least as many as any chain has labels */
  CHORALE_TEXTS_TOKENS = 1,  /* by token id; any number */
  CHORALE_TEXTS_WORDS = 2,   /* by position, of all chains end to end */
  CHORALE_TEXTS_SPACES = 3,  /* likewise: what stands before each word; absent: one blank */
  CHORALE_TEXTS_CHAINS = 4,  /* by chain */
  CHORALE_TEXTS_GROUPS = 5,  /* by group, for groups 0 .. count-1 */
  CHORALE_TEXTS_CLIQUES = 6, /* by clique */
  CHORALE_TEXTS_KINDS = 7,   /* by kind of clique; any number (chorale_problem_set_cliques) */
  CHORALE_TEXTS_VALUES = 100 /* the first list of value names */
};

/* Sets a list, replacing what was there; texts are copied. count 0 removes it (not lists of value
 * names). To make a new list of value names, pass as `list` VALUES plus the number of such lists so
 * far. text_size: sizeof(chorale_text); texts lie so many bytes apart.
 * Errors: NULL_ARGUMENT, STRUCT_SIZE (text_size), UNKNOWN_CONSTANT (list), SHAPE (a count that does
 * not fit the model), TEXT (not UTF-8), SIZE_OVERFLOW, OUT_OF_MEMORY. O(bytes). */
CHORALE_API chorale_status chorale_problem_set_texts(chorale_problem *problem,
                                                     chorale_text_list list,
                                                     const chorale_text *texts, size_t text_size,
                                                     int64_t count, chorale_error *error);
/* How many texts a list has; 0 for one that is absent, and for NULL. Any thread. */
CHORALE_API int64_t chorale_problem_text_count(const chorale_problem *problem,
                                               chorale_text_list list);
/* One text, borrowed until the problem changes or is destroyed; NULL where there is none. Not
 * closed by NUL. *length: its bytes, 0 where there is none; may be NULL. Any thread. O(1). */
CHORALE_API const char *chorale_problem_text(const chorale_problem *problem,
                                             chorale_text_list list, int64_t index,
                                             size_t *length);

/* ---- What cliques are about --------------------------------------------------------------- */

/* kinds: by clique, an index into CHORALE_TEXTS_KINDS, or -1: cliques of one kind (one property,
 *   say) share a strength and are switched on and off together.
 * values: by clique, the list that names its values 0 .. R-1 (LABELS, TOKENS, VALUES + k), or NONE.
 * Each may be NULL: leaves it as it is. Copied. Lists are looked at when a name is asked for, so
 * they may be set later. Errors: NULL_ARGUMENT (problem), OUT_OF_RANGE, OUT_OF_MEMORY. */
CHORALE_API chorale_status chorale_problem_set_cliques(chorale_problem *problem,
                                                       const int32_t *kinds,
                                                       const chorale_text_list *values,
                                                       chorale_error *error);
/* The kind of a clique; -1 where it has none. Any thread. */
CHORALE_API int32_t chorale_problem_clique_kind(const chorale_problem *problem, int64_t clique);
/* The name of a value of a clique: from its list (through its dictionary, where it has one); NULL
 * where there is no name, for EMPTY and CONFLICT too. As for a text. */
CHORALE_API const char *chorale_problem_value_name(const chorale_problem *problem, int64_t clique,
                                                   int32_t value, size_t *length);

/* ---- Gold labels -------------------------------------------------------------------------- */

/* gold: by position, of all chains end to end; -1: not known. NULL removes them. Copied.
 * Errors: NULL_ARGUMENT (problem), OUT_OF_RANGE (not a label of its chain), OUT_OF_MEMORY. */
CHORALE_API chorale_status chorale_problem_set_gold(chorale_problem *problem, const int32_t *gold,
                                                    chorale_error *error);
/* All of them, borrowed until the problem changes or is destroyed; NULL: none. Any thread. */
CHORALE_API const int32_t *chorale_problem_gold(const chorale_problem *problem);

/* ---- Notes -------------------------------------------------------------------------------- */

/* Any text of text_length bytes under any name of name_length bytes (at least 1). An empty text
 * removes the note, and may be NULL. Copied. Errors: NULL_ARGUMENT, SIZE (name_length), TEXT,
 * OUT_OF_MEMORY. */
CHORALE_API chorale_status chorale_problem_set_note(chorale_problem *problem, const char *name,
                                                    size_t name_length, const char *text,
                                                    size_t text_length, chorale_error *error);
/* Notes in the order of setting; NULL out of range. As for a text. */
CHORALE_API int64_t chorale_problem_note_count(const chorale_problem *problem);
CHORALE_API const char *chorale_problem_note_name(const chorale_problem *problem, int64_t index,
                                                  size_t *length);
CHORALE_API const char *chorale_problem_note(const chorale_problem *problem, int64_t index,
                                             size_t *length);

/* ---- Files -------------------------------------------------------------------------------- */

/* Writes the file into the caller's memory: `bytes` is a buffer of `capacity` bytes (chorale.h).
 * Errors: NULL_ARGUMENT, CAPACITY, NOT_SAVABLE (an oracle instance, a callback potential),
 * OUT_OF_MEMORY (shared things are numbered). The same problem is always the same bytes, on every
 * machine. O(bytes). Any thread. */
CHORALE_API chorale_status chorale_problem_write(const chorale_problem *problem, void *bytes,
                                                 size_t capacity, size_t *needed,
                                                 chorale_error *error);
/* Writes a file at `path` (ends in NUL, in the encoding of the system), through a file beside it
 * that takes its place when complete, with its permissions: a crash leaves the old one or the new
 * one. A symbolic link is replaced, not followed; where `path` is or leads to a device, a pipe or a
 * socket, that stays and the call fails. Errors: as for writing but CAPACITY; INPUT_OUTPUT. */
CHORALE_API chorale_status chorale_problem_save(const chorale_problem *problem, const char *path,
                                                chorale_error *error);

/* A problem from bytes in memory. borrow 1: they are read in place, and must be aligned to 64 and
 * live, unchanged, until the problem is destroyed and its model released; 0: copied.
 * Errors: NULL_ARGUMENT, STRUCT_SIZE, OUT_OF_MEMORY, ALIGNMENT (borrow), and of what is damaged
 *   FILE_FORMAT      not a problem file (its first bytes)
 *   FILE_BYTE_ORDER  not little-endian, by its mark: this library writes no such file
 *   FILE_VERSION     of a version that this library does not know; the message tells both
 *   FILE_TRUNCATED   shorter than it says
 *   FILE_CHECKSUM    the bytes of a section are not those written; the message names the section
 *   FILE_SECTION     sections missing, doubled, unknown, overlapping, out of bounds or of the wrong
 *                    length, indices and offsets that lead nowhere
 *   and everything that building the model by hand can answer, with the place in the message.
 * O(bytes). */
CHORALE_API chorale_status chorale_problem_read(const chorale_host *host, const void *bytes,
                                                size_t size, int32_t borrow,
                                                chorale_problem **problem, chorale_error *error);
/* The same from a file, mapped into memory where the system can, read otherwise. While the problem
 * or its model lives, nobody may write to a file that is mapped or cut it off (the process might be
 * killed); renaming another file to its name, as chorale_problem_save does, is fine. What cannot be
 * kept from changing is read by the caller and given to chorale_problem_read.
 *
 * Header and table of sections are checked before anything else is read, and no more memory is
 * taken than the file is seen to fill. A pipe is read as its bytes come, to the length that its
 * header tells, and waited for as long as a writer holds it open; a FIFO without a writer is an
 * empty file. Directories, devices and sockets are refused. Errors: also INPUT_OUTPUT. */
CHORALE_API chorale_status chorale_problem_load(const chorale_host *host, const char *path,
                                                chorale_problem **problem, chorale_error *error);

CHORALE_END_DECLS

#endif
