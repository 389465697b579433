/* Loaded before a test program starts: its process becomes a host that has chosen a locale with a
 * decimal comma (CHORALE_TEST_HOST=locale), or that flushes denormals to zero (flush), as programs
 * built with fast math do. Of other programs, such as ctest itself, nothing changes. */
#define _GNU_SOURCE
#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

__attribute__((constructor)) static void become(void) {
  const char *kind = getenv("CHORALE_TEST_HOST");
  if (!kind || strncmp(program_invocation_short_name, "test_", 5) != 0)
    return;
  if (strcmp(kind, "locale") == 0) {
    if (setlocale(LC_ALL, "de_DE.UTF-8") && strcmp(localeconv()->decimal_point, ",") == 0)
      return;
  } else if (strcmp(kind, "flush") == 0) {
#if defined(__SSE2__)
    _mm_setcsr(_mm_getcsr() | 0x8040); /* flush to zero, denormals are zero */
    return;
#endif
  }
  fprintf(stderr, "the host cannot be made: %s\n", kind);
  _exit(97);
}
