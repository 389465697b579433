/* Memory and errors of a program that ends when it lacks either. */
#ifndef PUBLICATIONS_SUPPORT_H
#define PUBLICATIONS_SUPPORT_H

#include <chorale/chorale.h>

#include <stddef.h>
#include <stdio.h>

/* `count` zeroed things of `size` bytes; ends the program where there is no memory. */
void *allocate(int64_t count, size_t size);

/* Prints "publications: ..." and ends the program with status 1. */
void stop(const char *format, ...);

/* stop with what the library says, if `status` is an error. */
void check(chorale_status status, const chorale_error *error);

/* Ends the program if a file could not be written at `path`; leaves what is there as it is. */
void check_writable(const char *path);

/* Prints a name of a file nobody vouches for: without what a terminal would obey, and filled up
 * with blanks to `width` columns. */
void print_name(FILE *to, chorale_text name, int width);

/* Seconds of a clock that only goes forward. */
double now(void);

/* Whether two texts are the same but for the case of ASCII letters. */
int same_text(chorale_text a, chorale_text b);
chorale_text text_of(const char *string);

/* Texts of a problem; {NULL, 0} where there is none. */
chorale_text text_in(const chorale_problem *problem, chorale_text_list list, int64_t index);
chorale_text name_of_value(const chorale_problem *problem, int64_t clique, int32_t value);
chorale_text name_of_note(const chorale_problem *problem, int64_t index);
chorale_text text_of_note(const chorale_problem *problem, int64_t index);

#endif
