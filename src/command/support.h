/* Memory, files and errors of a program that ends when something fails. */
#ifndef CHORALE_COMMAND_SUPPORT_H
#define CHORALE_COMMAND_SUPPORT_H

#include <chorale/experimental.h>

#include <stddef.h>
#include <stdio.h>

/* Exit codes other than 0, as chorale.1 describes them. */
enum {
  EXIT_NO = 1,        /* the answer is no: a file is invalid, or no labelling is allowed */
  EXIT_BAD_INPUT = 2, /* an argument is wrong, or a file that it names */
  EXIT_SYSTEM = 3     /* there is no memory, or output cannot be written */
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

/* Ends the program with the library's message and EXIT_NO (EXIT_SYSTEM if memory ran out) if
 * `status` is an error. In the message, names of arguments of the library are replaced by what the
 * command calls them. */
void check(chorale_status status, const chorale_error *error);

/* Ends the program with EXIT_BAD_INPUT if `status` is an error (EXIT_SYSTEM if memory ran out). The
 * message names `argument` and its value, unless `value` is NULL, and contains the library's
 * message as check() does. */
void check_input(chorale_status status, const chorale_error *error, const char *argument,
                 const char *value);

/* Loads a problem file; ends the program, as check_input() does, if that fails. */
chorale_problem *load(const char *path);

/* Returns the bytes of the file at `path`, followed by a NUL, and writes their number to *length;
 * the caller frees the bytes. Ends the program with EXIT_BAD_INPUT if the file cannot be read or has
 * 2^28 bytes or more. argument: the option whose value is `path`, for the error message. */
char *read_file(const char *argument, const char *path, size_t *length);

/* Loads a file written by "chorale learn"; ends the program with EXIT_BAD_INPUT if the file is
 * invalid. */
chorale_learnt *load_learnt(const char *path);

/* Ends the program if no file can be written at `path`, or if `path` leads to the same file as
 * `read`, the path of an input file (writing would change this file while the program reads it).
 * Does not change an existing file. */
void check_writable(const char *path, const char *read);

/* Opens the file of --output for writing; ends the program if that fails. */
FILE *open_output(const char *path);
/* Closes the file of --output; ends the program unless all of it was written. */
void close_output(FILE *file, const char *path);

/* Ends the program if output to stdout failed. */
void check_printed(void);

/* Prints a text from an untrusted source and pads it with blanks to `width` columns. Prints "?" for
 * control characters, since a terminal would obey them. */
void print_name(FILE *to, chorale_text name, int width);

/* Returns the seconds of a monotonic clock. */
double now(void);

/* True if two texts are equal except for the case of ASCII letters. */
int same_text(chorale_text a, chorale_text b);
chorale_text text_of(const char *string);
/* Writes the next name of a list with commas between its names to *name, without blanks around it,
 * and removes it from *list; skips empty names. Returns 0 if there are no more names. */
int next_name(chorale_text *list, chorale_text *name);

/* Return a text of a list, the name of a value of a clique, and the name and the text of a note;
 * {NULL, 0} if the problem has no such text. */
chorale_text text_in(const chorale_problem *problem, chorale_text_list list, int64_t index);
chorale_text name_of_value(const chorale_problem *problem, int64_t clique, int32_t value);

#endif
