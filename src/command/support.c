#define _POSIX_C_SOURCE 200809L

#include "support.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <time.h>

void *allocate(int64_t count, size_t size) {
  void *memory = count < 0 ? NULL : calloc(count > 0 ? (size_t)count : 1, size);
  if (memory == NULL)
    stop(EXIT_SYSTEM, "the program ran out of memory");
  return memory;
}

void stop(int code, const char *format, ...) {
  char message[2000];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  fputs("chorale: ", stderr);
  print_name(stderr, text_of(message), 0);
  putc('\n', stderr);
  exit(code);
}

/* What messages of the library call its arguments, and what the command writes instead. A phrase that
 * ends in "[" stands for the text up to the next "]". */
static const struct {
  const char *library, *command;
} phrases[] = {
    {"problems[", "FILE"},
    {"json is", "the file is"},
    {"json has", "the file has"},
    {"set kinds with chorale_problem_set_cliques", "FILE must give cliques kinds"},
    {"set some with chorale_problem_set_gold", "FILE must have some"},
};

/* Returns the library's message in the phrases of the command. The next call overwrites the
 * returned text. */
static const char *in_own_words(const char *message) {
  static char made[4 * CHORALE_ERROR_MESSAGE_SIZE];
  size_t length = 0;
  while (*message != '\0' && length + CHORALE_ERROR_MESSAGE_SIZE < sizeof made) {
    size_t k = 0, bytes = 0;
    while (k < sizeof phrases / sizeof *phrases &&
           strncmp(message, phrases[k].library, bytes = strlen(phrases[k].library)) != 0)
      ++k;
    if (k == sizeof phrases / sizeof *phrases) {
      made[length++] = *message++;
      continue;
    }
    message += bytes;
    if (message[-1] == '[' && strchr(message, ']') != NULL)
      message = strchr(message, ']') + 1;
    length += (size_t)sprintf(made + length, "%s", phrases[k].command);
  }
  made[length] = '\0';
  return made;
}

void check(chorale_status status, const chorale_error *error) {
  if (status != CHORALE_OK)
    stop(status == CHORALE_ERROR_OUT_OF_MEMORY ? EXIT_SYSTEM : EXIT_NO, "%s: %s",
         chorale_status_name(status), in_own_words(error->message));
}

void check_input(chorale_status status, const chorale_error *error, const char *argument,
                 const char *value) {
  if (status == CHORALE_OK)
    return;
  const int code = status == CHORALE_ERROR_OUT_OF_MEMORY ? EXIT_SYSTEM : EXIT_BAD_INPUT;
  const char *name = chorale_status_name(status), *message = in_own_words(error->message);
  if (value == NULL)
    stop(code, "%s: %s", name, message);
  stop(code, "%s is \"%s\": %s: %s", argument, value, name, message);
}

chorale_problem *load(const char *path) {
  chorale_problem *problem = NULL;
  chorale_error error;
  check_input(chorale_problem_load(NULL, path, &problem, &error), &error, "FILE", path);
  return problem;
}

char *read_file(const char *argument, const char *path, size_t *length) {
  /* Far above the size of any learnt result and of the library for browsers. */
  enum { MOST_BYTES = 1 << 28 };
  FILE *file = fopen(path, "rb");
  size_t room = 1 << 16;
  char *text = allocate((int64_t)room, 1);
  *length = 0;
  while (file != NULL && *length < MOST_BYTES) {
    const size_t more = fread(text + *length, 1, room - 1 - *length, file);
    *length += more;
    if (more == 0)
      break;
    if (*length == room - 1) {
      text = realloc(text, room *= 2);
      if (text == NULL)
        stop(EXIT_SYSTEM, "the program ran out of memory");
    }
  }
  if (file == NULL || ferror(file))
    stop(EXIT_BAD_INPUT, "%s is \"%s\"; it must be a file that can be read: %s", argument, path,
         strerror(errno));
  if (*length >= MOST_BYTES)
    stop(EXIT_BAD_INPUT, "%s is \"%s\"; it must be a file of less than %d bytes", argument, path,
         MOST_BYTES);
  fclose(file);
  text[*length] = '\0';
  return text;
}

chorale_learnt *load_learnt(const char *path) {
  size_t length = 0;
  char *text = read_file("--learnt", path, &length);
  chorale_learnt *learnt = NULL;
  chorale_error error;
  check_input(chorale_learnt_read(NULL, text, length, &learnt, &error), &error, "--learnt", path);
  free(text);
  return learnt;
}

void check_writable(const char *path, const char *read) {
  struct stat about, of_read;
  const int is_there = stat(path, &about) == 0;
  if (is_there && stat(read, &of_read) == 0 && about.st_ino != 0 &&
      about.st_ino == of_read.st_ino && about.st_dev == of_read.st_dev)
    stop(EXIT_BAD_INPUT, "--output is \"%s\"; it must not be FILE itself", path);
  FILE *file = fopen(path, "ab");
  if (file == NULL)
    stop(EXIT_BAD_INPUT, "--output is \"%s\"; it must be a file that can be written: %s", path,
         strerror(errno));
  fclose(file);
  if (!is_there)
    remove(path);
}

FILE *open_output(const char *path) {
  FILE *file = fopen(path, "wb");
  if (file == NULL)
    stop(EXIT_SYSTEM, "--output is \"%s\", which cannot be written: %s", path, strerror(errno));
  return file;
}

void close_output(FILE *file, const char *path) {
  const int failed = ferror(file);
  if (fclose(file) != 0 || failed)
    stop(EXIT_SYSTEM, "--output is \"%s\", which could not be written to its end", path);
}

void check_printed(void) {
  if (fflush(stdout) != 0 || ferror(stdout))
    stop(EXIT_SYSTEM, "the standard output could not be written: %s", strerror(errno));
}

void print_name(FILE *to, chorale_text name, int width) {
  int columns = 0;
  for (size_t i = 0; i < name.length; ++i) {
    const unsigned char byte = (unsigned char)name.bytes[i];
    const unsigned char next = i + 1 < name.length ? (unsigned char)name.bytes[i + 1] : 0;
    /* Control characters are U+0000 to U+001F, U+007F, and U+0080 to U+009F, which take two bytes
     * in UTF-8. */
    const int is_second = byte == 0xc2 && next >= 0x80 && next < 0xa0;
    putc(byte < 0x20 || byte == 0x7f || is_second ? '?' : byte, to);
    i += (size_t)is_second;
    columns += (byte & 0xc0) != 0x80; /* bytes that continue a character take no column */
  }
  for (; columns < width; ++columns)
    putc(' ', to);
}

double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

int same_text(chorale_text a, chorale_text b) {
  return a.length == b.length && (a.length == 0 || strncasecmp(a.bytes, b.bytes, a.length) == 0);
}

chorale_text text_of(const char *string) {
  const chorale_text text = {string, strlen(string)};
  return text;
}

static int is_between(char c) { return c == ',' || c == ' ' || c == '\t'; }

int next_name(chorale_text *list, chorale_text *name) {
  for (; list->length > 0 && is_between(*list->bytes); --list->length)
    ++list->bytes;
  const char *comma = list->length > 0 ? memchr(list->bytes, ',', list->length) : NULL;
  *name = *list;
  if (comma != NULL)
    name->length = (size_t)(comma - list->bytes);
  list->bytes += name->length;
  list->length -= name->length;
  while (name->length > 0 && is_between(name->bytes[name->length - 1]))
    --name->length;
  return name->length > 0;
}

chorale_text text_in(const chorale_problem *problem, chorale_text_list list, int64_t index) {
  chorale_text text = {NULL, 0};
  text.bytes = chorale_problem_text(problem, list, index, &text.length);
  return text;
}

chorale_text name_of_value(const chorale_problem *problem, int64_t clique, int32_t value) {
  chorale_text text = {NULL, 0};
  text.bytes = chorale_problem_value_name(problem, clique, value, &text.length);
  return text;
}
