#define _POSIX_C_SOURCE 200809L

#include "support.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

void *allocate(int64_t count, size_t size) {
  if (count < 0)
    stop("out of memory");
  void *memory = calloc(count > 0 ? (size_t)count : 1, size);
  if (memory == NULL)
    stop("out of memory");
  return memory;
}

void stop(const char *format, ...) {
  va_list arguments;
  fputs("publications: ", stderr);
  va_start(arguments, format);
  vfprintf(stderr, format, arguments);
  va_end(arguments);
  fputc('\n', stderr);
  exit(EXIT_FAILURE);
}

void check(chorale_status status, const chorale_error *error) {
  if (status != CHORALE_OK)
    stop("%s: %s", chorale_status_name(status), error->message);
}

void check_writable(const char *path) {
  struct stat about;
  const int is_there = stat(path, &about) == 0;
  FILE *file = fopen(path, "ab");
  if (file == NULL)
    stop("%s: %s", path, strerror(errno));
  fclose(file);
  if (!is_there)
    remove(path);
}

void print_name(FILE *to, chorale_text name, int width) {
  int columns = 0;
  for (size_t i = 0; i < name.length; ++i) {
    const unsigned char byte = (unsigned char)name.bytes[i];
    const unsigned char next = i + 1 < name.length ? (unsigned char)name.bytes[i + 1] : 0;
    /* Control characters, and those of 128 to 159, which are two bytes in UTF-8. */
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

static int lower(char c) { return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c; }

int same_text(chorale_text a, chorale_text b) {
  if (a.length != b.length)
    return 0;
  for (size_t i = 0; i < a.length; ++i)
    if (lower(a.bytes[i]) != lower(b.bytes[i]))
      return 0;
  return 1;
}

chorale_text text_of(const char *string) {
  const chorale_text text = {string, strlen(string)};
  return text;
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

chorale_text name_of_note(const chorale_problem *problem, int64_t index) {
  chorale_text text = {NULL, 0};
  text.bytes = chorale_problem_note_name(problem, index, &text.length);
  return text;
}

chorale_text text_of_note(const chorale_problem *problem, int64_t index) {
  chorale_text text = {NULL, 0};
  text.bytes = chorale_problem_note(problem, index, &text.length);
  return text;
}
