/* More about problems: notes, what was set, and files as bytes in memory. */
#ifndef CHORALE_EXPERIMENTAL_PROBLEM_H
#define CHORALE_EXPERIMENTAL_PROBLEM_H

#include "chorale/problem.h"

CHORALE_BEGIN_DECLS

/* ---- What was set ------------------------------------------------------------------------ */

/* Returns the number of texts of a list; 0 for an absent list and for NULL. Any thread. */
CHORALE_API int64_t chorale_problem_text_count(const chorale_problem *problem,
                                               chorale_text_list list);
/* Returns the kind of a clique; -1 if it has none. Any thread. */
CHORALE_API int32_t chorale_problem_clique_kind(const chorale_problem *problem, int64_t clique);
/* Returns the name of a value of a clique, from the list that chorale_problem_set_cliques gave to
 * the clique. If the clique has a dictionary, `value` is a number in the dictionary; the index in
 * the list is then the value of the property that has this number. NULL if there is no name, and
 * for EMPTY and CONFLICT. Borrowing, length and threads as in chorale_problem_text. */
CHORALE_API const char *chorale_problem_value_name(const chorale_problem *problem, int64_t clique,
                                                   int32_t value, size_t *length);

/* ---- Notes -------------------------------------------------------------------------------- */

/* Sets or replaces a note: a text of text_length bytes under a name of name_length bytes (at least
 * 1). An empty text, which may be NULL, removes the note. Name and text are copied. Errors:
 * NULL_ARGUMENT, SIZE (name_length), TEXT, OUT_OF_MEMORY. */
CHORALE_API chorale_status chorale_problem_set_note(chorale_problem *problem, const char *name,
                                                    size_t name_length, const char *text,
                                                    size_t text_length, chorale_error *error);
/* Return the number of notes, and the name and the text of note `index`; NULL if `index` is out of
 * range. Notes are numbered from 0 in the order in which they were first set. Borrowing, length and
 * threads as in chorale_problem_text. */
CHORALE_API int64_t chorale_problem_note_count(const chorale_problem *problem);
CHORALE_API const char *chorale_problem_note_name(const chorale_problem *problem, int64_t index,
                                                  size_t *length);
CHORALE_API const char *chorale_problem_note(const chorale_problem *problem, int64_t index,
                                             size_t *length);

/* ---- Bytes ------------------------------------------------------------------------------- */

/* Writes the problem in the file format to `bytes`, a buffer of `capacity` bytes (chorale.h). The
 * bytes are the same on every little-endian machine. Errors: NULL_ARGUMENT, CAPACITY, NOT_SAVABLE
 * (a callback potential), OUT_OF_MEMORY (scratch memory). O(bytes). Any thread. */
CHORALE_API chorale_status chorale_problem_write(const chorale_problem *problem, void *bytes,
                                                 size_t capacity, size_t *needed,
                                                 chorale_error *error);

/* Creates a problem from the bytes of a problem file in memory. borrow 1: the bytes are not copied;
 * they must be aligned to 64, and stay valid and unchanged until the problem is destroyed and its
 * model released. borrow 0: the bytes are copied.
 * Errors: as for chorale_problem_load, without INPUT_OUTPUT; ALIGNMENT (borrow).
 * O(bytes). */
CHORALE_API chorale_status chorale_problem_read(const chorale_host *host, const void *bytes,
                                                size_t size, int32_t borrow,
                                                chorale_problem **problem, chorale_error *error);

CHORALE_END_DECLS

#endif
