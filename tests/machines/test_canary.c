/* test_canary locale|flush: succeeds where the process is that kind of host, on every thread. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static int is_flushed(void) {
  volatile double small = 2.2250738585072014e-308; /* the least normal number */
  volatile double half = 0.5;
  const double product = small * half;
  return product == 0.0;
}

static void *on_thread(void *place) {
  *(int *)place = is_flushed();
  return NULL;
}

int main(int count, char **arguments) {
  if (count == 2 && strcmp(arguments[1], "locale") == 0) {
    char text[8];
    snprintf(text, sizeof text, "%.1f", 1.5);
    return strcmp(text, "1,5") != 0;
  }
  if (count == 2 && strcmp(arguments[1], "flush") == 0) {
    int flushed = 0;
    pthread_t thread;
    if (pthread_create(&thread, NULL, on_thread, &flushed) != 0)
      return 2;
    pthread_join(thread, NULL);
    return !(flushed && is_flushed());
  }
  return 2;
}
