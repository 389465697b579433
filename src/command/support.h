/* Memory, files and errors of a program that ends when something fails. */
#ifndef CHORALE_COMMAND_SUPPORT_H
#define CHORALE_COMMAND_SUPPORT_H

#include <chorale/chorale.h>

#include <stddef.h>
#include <stdio.h>

/* Exit codes beside 0, as chorale.1 describes them. */
enum {
  EXIT_NO = 1,        /* the answer is no: an invalid file, no labelling that is allowed */
  EXIT_BAD_INPUT = 2, /* an argument, or a file that is named by one */
  EXIT_SYSTEM = 3     /* no memory; output that cannot be written */
};

/* Returns `count` zeroed elements of `size` bytes; ends the program if there is no memory. */
void *allocate(int64_t count, size_t size);

#if defined(__GNUC__)
#define ENDS_WITH_MESSAGE __attribute__((noreturn, format(printf, 2, 3)))
#else
#define ENDS_WITH_MESSAGE
#endif

/* Prints a line "chorale: ..." to stderr and ends the program with an exit code. Control characters
 * in the message are printed as "?". */
void stop(int code, const char *format, ...) ENDS_WITH_MESSAGE;

/* Ends the program with what the library says if `status` is an error. */
void check(chorale_status status, const chorale_error *error);

/* Ends the program with EXIT_BAD_INPUT and what the library says of a file that an argument names, if
 * `status` is an error. */
void check_input(chorale_status status, const chorale_error *error, const char *argument,
                 const char *path);

/* Loads a problem file; ends the program with EXIT_BAD_INPUT if it is not a valid one. */
chorale_problem *load(const char *path);

/* The bytes of the file that an option names, `length` of them and a NUL; the caller frees them. Ends
 * the program with EXIT_BAD_INPUT if it cannot be read. */
char *read_file(const char *argument, const char *path, size_t *length);

/* Loads what "chorale learn" has written; ends the program with EXIT_BAD_INPUT if it is not that. */
chorale_learnt *load_learnt(const char *path);

/* Ends the program if a file cannot be written at `path`, or if that is the file at `read`, which
 * is mapped into memory; leaves what is there as it is. */
void check_writable(const char *path, const char *read);

/* Ends the program if something printed to stdout has not arrived. */
void check_printed(void);

/* Prints a text that may come from anywhere: control characters as "?", which a terminal would
 * obey, and blanks behind it up to `width` columns. */
void print_name(FILE *to, chorale_text name, int width);

/* Seconds of a clock that never goes back. */
double now(void);

/* True if two texts are equal but for the case of ASCII letters. */
int same_text(chorale_text a, chorale_text b);
chorale_text text_of(const char *string);

/* Texts of a problem; {NULL, 0} if there is none. */
chorale_text text_in(const chorale_problem *problem, chorale_text_list list, int64_t index);
chorale_text name_of_value(const chorale_problem *problem, int64_t clique, int32_t value);
chorale_text name_of_note(const chorale_problem *problem, int64_t index);
chorale_text text_of_note(const chorale_problem *problem, int64_t index);

#endif
