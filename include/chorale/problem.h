/* Problems: a model with its names, gold labels and notes, in memory and as a file.
 *
 * A *problem* is a frozen model with the texts that make it readable: label names, token texts, the
 * word at every position, gold labels if known, names of chains, groups, cliques and clique values,
 * and notes (title, licence, origin). Problem files pass a model from training in one language to
 * inference in another, document failing cases, and are inputs of benchmarks and fuzzers.
 *
 * The file format is versioned, and made of sections with lengths and checksums. Its numbers are
 * little-endian; only a big-endian machine, which the library is not tested on, writes files in its
 * own byte order. The scores of a loaded model are used where they are in the file's bytes.
 * src/problem/FORMAT.md describes every byte. No content of a file is trusted: a load makes all
 * checks that building the model by calls makes, and each kind of damage has its own status
 * (FILE_*).
 *
 * A problem under construction may be used by one thread; a const problem by any number.
 */
#ifndef CHORALE_PROBLEM_H
#define CHORALE_PROBLEM_H

#include "chorale/model.h"

CHORALE_BEGIN_DECLS

typedef struct chorale_problem chorale_problem;

/* Creates a problem that holds a reference on `model`. It has no texts, gold labels or notes yet.
 * Errors: NULL_ARGUMENT, STRUCT_SIZE, OUT_OF_MEMORY. */
CHORALE_API chorale_status chorale_problem_create(const chorale_host *host,
                                                  const chorale_model *model,
                                                  chorale_problem **problem, chorale_error *error);
/* Destroys a problem; NULL is ignored. A model retained from a loaded problem stays valid, and
 * keeps the file's bytes. */
CHORALE_API void chorale_problem_destroy(chorale_problem *problem);
/* Returns the model, borrowed until the problem is destroyed; chorale_model_retain
 * (experimental.h) adds a reference for the caller. NULL for NULL. Any thread. */
CHORALE_API const chorale_model *chorale_problem_model(const chorale_problem *problem);

/* ---- Texts -------------------------------------------------------------------------------- */

/* A text in UTF-8. It may contain NUL bytes, and need not end in NUL. */
typedef struct chorale_text {
  const char *bytes; /* may be NULL if length is 0 */
  size_t length;
} chorale_text;

/* Lists of texts. "By label" means that text i of the list belongs to label i; "by token id" and so
 * on are meant in the same way. The numbers of lists never change. There may be any number of lists
 * that name the values of cliques; they have the numbers VALUES, VALUES + 1, ... */
typedef int32_t chorale_text_list;
enum {
  CHORALE_TEXTS_NONE = -1,   /* no list */
  CHORALE_TEXTS_LABELS = 0,  /* by label; at least as many as any chain has labels */
  CHORALE_TEXTS_TOKENS = 1,  /* by token id; any number */
  CHORALE_TEXTS_WORDS = 2,   /* by position, chain by chain */
  CHORALE_TEXTS_SPACES = 3,  /* by position: the white space before each word. Without this list,
                                one blank is before each word */
  CHORALE_TEXTS_CHAINS = 4,  /* by chain */
  CHORALE_TEXTS_GROUPS = 5,  /* by group, for groups 0 .. count-1 */
  CHORALE_TEXTS_CLIQUES = 6, /* by clique */
  CHORALE_TEXTS_KINDS = 7,   /* by kind of clique; any number (chorale_problem_set_cliques) */
  /* Names and texts of notes, in the order in which they were first set: entry i of both belongs to
   * one note. Only chorale_problem_set_note (experimental.h) changes them */
  CHORALE_TEXTS_NOTE_NAMES = 8,
  CHORALE_TEXTS_NOTES = 9,
  CHORALE_TEXTS_VALUES = 100 /* the first list of value names */
};

/* Sets or replaces a list; texts are copied. count 0 removes the list, except that a list of value
 * names becomes empty but keeps its number. To add a list of value names, pass as `list` VALUES
 * plus the number of such lists so far.
 * text_size: sizeof(chorale_text), the distance of texts in bytes.
 * Errors: NULL_ARGUMENT, STRUCT_SIZE (text_size), UNKNOWN_CONSTANT (list), KIND (a list of notes),
 * SHAPE (a count that does not fit the model), TEXT (not UTF-8), SIZE_OVERFLOW, OUT_OF_MEMORY. O(bytes). */
CHORALE_API chorale_status chorale_problem_set_texts(chorale_problem *problem,
                                                     chorale_text_list list,
                                                     const chorale_text *texts, size_t text_size,
                                                     int64_t count, chorale_error *error);
/* Returns a text, borrowed until the problem changes or is destroyed; NULL if there is none. Does
 * not end in NUL. *length: number of bytes, 0 if there is no text; may be NULL. Any thread.
 * O(1). */
CHORALE_API const char *chorale_problem_text(const chorale_problem *problem,
                                             chorale_text_list list, int64_t index,
                                             size_t *length);

/* ---- Kinds and value names of cliques ------------------------------------------------------ */

/* Sets the kinds and value names of all cliques.
 *
 * kinds: by clique, an index into CHORALE_TEXTS_KINDS, or -1. Cliques of a kind (for instance, of
 *   one property) are meant to share a strength and to be switched on and off together.
 * values: by clique, the list that names its values 0 .. R-1 (LABELS, TOKENS, VALUES + k), or NONE.
 * Each array is copied. If `kinds` or `values` is NULL, what was set before stays. The lists
 * themselves may be set later.
 * Errors: NULL_ARGUMENT (problem), OUT_OF_RANGE, OUT_OF_MEMORY. */
CHORALE_API chorale_status chorale_problem_set_cliques(chorale_problem *problem,
                                                       const int32_t *kinds,
                                                       const chorale_text_list *values,
                                                       chorale_error *error);

/* ---- Gold labels -------------------------------------------------------------------------- */

/* Sets the gold labels: one for each position, chain by chain; -1: unknown. Copied. NULL removes
 * all gold labels.
 * Errors: NULL_ARGUMENT (problem), OUT_OF_RANGE (not a label of its chain), OUT_OF_MEMORY. */
CHORALE_API chorale_status chorale_problem_set_gold(chorale_problem *problem, const int32_t *gold,
                                                    chorale_error *error);
/* Returns all gold labels, borrowed until the problem changes or is destroyed; NULL if there are
 * none. Any thread. */
CHORALE_API const int32_t *chorale_problem_gold(const chorale_problem *problem);

/* ---- Files -------------------------------------------------------------------------------- */

/* Writes a file at `path` (ends in NUL, in the encoding of the system). Writes a temporary file in
 * the same directory first and then renames it, so that after a crash either the old or the new
 * file is there. The new file gets the permissions of a file that it replaces. A symbolic link is
 * replaced, not followed. If `path` is or leads to a device, pipe or socket, the call fails and
 * changes nothing. The bytes are the same on every little-endian machine. Errors: NULL_ARGUMENT,
 * NOT_SAVABLE (a callback potential), OUT_OF_MEMORY (scratch memory), INPUT_OUTPUT. O(bytes).
 * Any thread. */
CHORALE_API chorale_status chorale_problem_save(const chorale_problem *problem, const char *path,
                                                chorale_error *error);

/* Creates a problem from a file, which is read into memory of the host's allocator: the file may be
 * changed or removed afterwards.
 *
 * Header and table of sections are checked before anything else is read, and no more memory is
 * allocated than the file has bytes. A pipe is read up to the length in its header, and the call
 * waits for its writer. Directories, devices and sockets fail.
 * Errors: NULL_ARGUMENT, STRUCT_SIZE, OUT_OF_MEMORY, INPUT_OUTPUT; for damaged bytes
 *   FILE_FORMAT      the first bytes are not those of a problem file
 *   FILE_BYTE_ORDER  the file is in the other byte order than that of this machine
 *   FILE_VERSION     unknown version of the format; the message names the version of the file and
 *                    that of the library
 *   FILE_TRUNCATED   shorter than the length in the header
 *   FILE_CHECKSUM    a section does not match its checksum; the message names the section
 *   FILE_SECTION     sections missing, repeated, unknown, overlapping, out of bounds or of wrong
 *                    length; indices and offsets out of range
 *   and the errors of building the model by calls; the message says where in the file
 * O(bytes). */
CHORALE_API chorale_status chorale_problem_load(const chorale_host *host, const char *path,
                                                chorale_problem **problem, chorale_error *error);

CHORALE_END_DECLS

#endif
