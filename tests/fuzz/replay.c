/* A fuzzer as an ordinary program: runs the function on every file named, and on every file in a
 * directory named. What libFuzzer has in its place runs them too, and then makes new ones.
 *
 * --random COUNT runs it on that many random inputs (CHORALE_TEST_SEED), without guidance but a
 * hundred times faster; the one that ends the program is left in fuzz-failed. */
#include "fuzz.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

static int64_t replayed;

static int replay_file(const char *path) {
  FILE *file = fopen(path, "rb");
  if (!file) {
    perror(path);
    return 0;
  }
  size_t size = 0, room = 4096;
  uint8_t *bytes = malloc(room);
  for (size_t got; bytes && (got = fread(bytes + size, 1, room - size, file)) > 0;)
    if ((size += got) == room)
      bytes = realloc(bytes, room *= 2);
  (void)fclose(file);
  if (!bytes)
    return 0;
  /* Said before, so that it is known which one ended the program. */
  if (getenv("CHORALE_FUZZ_VERBOSE"))
    fprintf(stderr, "%s\n", path);
  (void)LLVMFuzzerTestOneInput(bytes, size);
  free(bytes);
  ++replayed;
  return 1;
}

static int replay(const char *path) {
  struct stat about;
  if (stat(path, &about) != 0) {
    perror(path);
    return 0;
  }
  if (!S_ISDIR(about.st_mode))
    return replay_file(path);
  DIR *directory = opendir(path);
  if (!directory) {
    perror(path);
    return 0;
  }
  int good = 1;
  for (struct dirent *entry; good && (entry = readdir(directory)) != NULL;) {
    char name[4096];
    if (entry->d_name[0] == '.')
      continue;
    const int length = snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
    good = length > 0 && (size_t)length < sizeof name && replay(name);
  }
  (void)closedir(directory);
  return good;
}

static uint8_t made[1024];
static size_t made_size;

static void keep_input(int signal_number) {
  const int file = open("fuzz-failed", O_WRONLY | O_CREAT | O_TRUNC, 0666);
  if (file >= 0 && write(file, made, made_size) == (ssize_t)made_size)
    (void)close(file);
  (void)signal(signal_number, SIG_DFL);
  (void)raise(signal_number);
}

static void run_random(int64_t count) {
  Random random = {test_seed()};
  (void)signal(SIGABRT, keep_input);
  (void)signal(SIGSEGV, keep_input);
  for (int64_t k = 0; k < count; ++k, ++replayed) {
    made_size = (size_t)random_int(&random, 0, (int32_t)sizeof made);
    /* Long runs of one byte are choices made alike, such as the first of everything. */
    const int is_rough = random_chance(&random, 70);
    uint8_t byte = 0;
    for (size_t b = 0; b < made_size; ++b)
      made[b] = byte =
          is_rough || random_chance(&random, 20) ? (uint8_t)random_bits(&random) : byte;
    (void)LLVMFuzzerTestOneInput(made, made_size);
  }
}

int main(int count, char **arguments) {
  for (int k = 1; k < count; ++k)
    if (strcmp(arguments[k], "--random") == 0 && k + 1 < count)
      run_random(strtoll(arguments[++k], NULL, 10));
    else if (!replay(arguments[k]))
      return 1;
  printf("%lld inputs replayed\n", (long long)replayed);
  return replayed == 0;
}
