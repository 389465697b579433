/* Problems at paths without a regular file, or with one that changes: devices, sockets,
 * directories, pipes at any speed, files that grow or shrink while they are opened, files of a
 * terabyte. The library allocates no more memory than the bytes seen justify, waits only for the
 * writer of a pipe, and replaces nothing but regular files. */
#define _FILE_OFFSET_BITS 64 /* a terabyte, where a pointer has 32 bits too */

#include "fixture_saved.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

/* ---- A host that meters what it is asked for, and meddles ---------------------------------- */

typedef struct Meter {
  chorale_allocator hooks;
  chorale_host host;
  int64_t live, most; /* bytes: now, and the most there have been */
  int64_t allocations;
  int64_t meddle_at; /* before that allocation, from 1, `meddle` is called; 0: never */
  void (*meddle)(void);
} Meter;

static void *take(void *user, size_t bytes, size_t alignment) {
  Meter *self = user;
  void *block = NULL;
  if (bytes > (size_t)1 << 28) /* which no file in this test justifies */
    return NULL;
  if (++self->allocations == self->meddle_at)
    self->meddle();
  self->live += (int64_t)bytes;
  if (self->live > self->most)
    self->most = self->live;
  if (posix_memalign(&block, alignment, bytes) != 0) {
    self->live -= (int64_t)bytes;
    return NULL;
  }
  return block;
}
static void give_back(void *user, void *memory, size_t bytes, size_t alignment) {
  (void)alignment;
  ((Meter *)user)->live -= (int64_t)bytes;
  free(memory);
}
static Meter meter;

static const chorale_host *metered(void) {
  memset(&meter, 0, sizeof meter);
  meter.hooks.user = &meter;
  meter.hooks.allocate = take;
  meter.hooks.deallocate = give_back;
  meter.host = (chorale_host){.struct_size = sizeof meter.host};
  meter.host.allocator = &meter.hooks;
  return &meter.host;
}

/* ---- Files --------------------------------------------------------------------------------- */

enum { LITTLE = 4096 }; /* bytes that a load may take before it has seen anything of a file */

static char directory[64];
static char path[1200];
static Saved saved; /* of a problem with scores of 800 kB, more than a pipe holds */

static const char *in_directory(const char *name) {
  (void)snprintf(path, sizeof path, "%s/%s", directory, name);
  return path;
}

static int make_all(void **state) {
  (void)state;
  (void)signal(SIGPIPE, SIG_IGN);
  (void)snprintf(directory, sizeof directory, "/tmp/chorale-special-XXXXXX");
  if (!mkdtemp(directory))
    return 1;
  enum { LENGTH = 50000 };
  double *scores = malloc(2 * LENGTH * sizeof *scores);
  for (int k = 0; k < 2 * LENGTH; ++k)
    scores[k] = k % 7;
  chorale_error error;
  chorale_model_builder *builder = NULL;
  chorale_model *model = NULL;
  chorale_problem *problem = NULL;
  chorale_chain chain = {.struct_size = sizeof chain};
  chain.length = LENGTH;
  chain.labels = 2;
  chain.unary = scores;
  OK(chorale_model_builder_create(NULL, &builder, &error));
  OK(chorale_model_builder_add_chain(builder, &chain, NULL, NULL, &error));
  OK(chorale_model_builder_freeze(builder, &model, &error));
  OK(chorale_problem_create(NULL, model, &problem, &error));
  saved = save(problem);
  chorale_problem_destroy(problem);
  chorale_model_release(model);
  chorale_model_builder_destroy(builder);
  free(scores);
  return 0;
}
static int drop_all(void **state) {
  (void)state;
  drop_saved(&saved);
  return rmdir(directory);
}

static void write_file(const char *at, const void *bytes, size_t size) {
  FILE *file = fopen(at, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(bytes, 1, size, file), size);
  assert_int_equal(fclose(file), 0);
}

/* Loads the file at `at`; checks that a loaded problem is the saved one. */
static chorale_status load(const char *at, chorale_error *error) {
  chorale_problem *loaded = NULL;
  const chorale_status status = chorale_problem_load(&meter.host, at, &loaded, error);
  assert_int_equal(status == CHORALE_OK, loaded != NULL);
  if (loaded) {
    Saved again = save(loaded);
    assert_true(same_saved(&saved, &again));
    drop_saved(&again);
    chorale_problem_destroy(loaded);
  }
  assert_int_equal(meter.live, 0);
  return status;
}

/* ---- What is no file ----------------------------------------------------------------------- */

static chorale_problem *read_saved_problem(void) {
  chorale_error error;
  chorale_problem *problem = NULL;
  OK(read_saved(NULL, &saved, 0, &problem, &error));
  return problem;
}

static void devices_are_refused(void **state) {
  (void)state;
  static const char *const devices[] = {"/dev/zero", "/dev/full", "/dev/null", "/dev/urandom"};
  chorale_error error;
  chorale_problem *problem = read_saved_problem();
  for (size_t d = 0; d < COUNT_OF(devices); ++d) {
    struct stat about;
    if (stat(devices[d], &about) != 0)
      continue;
    metered();
    FAILS(load(devices[d], &error), CHORALE_ERROR_INPUT_OUTPUT, devices[d], "is a device");
    assert_int_equal(meter.most, 0);
    /* Saving through a link: refused, or only the link is replaced. */
    assert_int_equal(symlink(devices[d], in_directory("link")), 0);
    FAILS(chorale_problem_save(problem, path, &error), CHORALE_ERROR_INPUT_OUTPUT, "link",
          "is a device");
    assert_int_equal(lstat(path, &about), 0);
    assert_true(S_ISLNK(about.st_mode));
    assert_int_equal(unlink(path), 0);
  }
  chorale_problem_destroy(problem);
}

static void sockets_and_directories_are_refused(void **state) {
  (void)state;
  chorale_error error;
  chorale_problem *problem = read_saved_problem();
  metered();
  FAILS(load(directory, &error), CHORALE_ERROR_INPUT_OUTPUT, directory, "could not be read");
  assert_true(meter.most < LITTLE);
  struct sockaddr_un address;
  memset(&address, 0, sizeof address);
  address.sun_family = AF_UNIX;
  assert_true(strlen(in_directory("socket")) < sizeof address.sun_path);
  memcpy(address.sun_path, path, strlen(path));
  const int socket_file = socket(AF_UNIX, SOCK_STREAM, 0);
  assert_true(socket_file >= 0);
  assert_int_equal(bind(socket_file, (struct sockaddr *)&address, sizeof address), 0);
  FAILS(load(path, &error), CHORALE_ERROR_INPUT_OUTPUT, path);
  FAILS(chorale_problem_save(problem, path, &error), CHORALE_ERROR_INPUT_OUTPUT, path, "is a");
  struct stat about;
  assert_int_equal(stat(path, &about), 0);
  assert_true(S_ISSOCK(about.st_mode));
  close(socket_file);
  assert_int_equal(unlink(path), 0);
  chorale_problem_destroy(problem);
}

/* A name may be as long as the file system allows. (At the end the directory must be empty.) */
static void names_up_to_the_limit_are_saved(void **state) {
  (void)state;
  chorale_error error;
  chorale_problem *problem = read_saved_problem();
  const long limit = pathconf(directory, _PC_NAME_MAX);
  char name[1024];
  assert_true(limit > 8 && limit < (long)sizeof name);
  for (long length = limit - 8; length <= limit; ++length) {
    memset(name, 'x', (size_t)length);
    name[length] = '\0';
    for (long k = length % 2; k < length; k += 2)
      memcpy(name + k, "\xC3\xA9", 2); /* a character of two bytes */
    OK(chorale_problem_save(problem, in_directory(name), &error));
    assert_int_equal(load(path, &error), CHORALE_OK);
    assert_int_equal(unlink(path), 0);
  }
  chorale_problem_destroy(problem);
}

/* The message has the reason, and the name: of a very long one the end. */
static void longer_names_are_named(void **state) {
  (void)state;
  chorale_error error;
  chorale_problem *problem = read_saved_problem();
  const long limit = pathconf(directory, _PC_NAME_MAX);
  static char name[6000];
  for (long length = limit + 1; length < (long)sizeof name - 200; length += 1 + length / 50) {
    snprintf(name, sizeof name, "%s/first", directory);
    const size_t first = strlen(name);
    for (long k = 0; k < length; k += 2)
      memcpy(name + first + k, "\xC3\xA9", 2);
    memcpy(name + first + length + length % 2, "last", 5);
    FAILS(chorale_problem_save(problem, name, &error), CHORALE_ERROR_INPUT_OUTPUT,
          "the name is too long", "of the system", "last\" could");
    FAILS(load(name, &error), CHORALE_ERROR_INPUT_OUTPUT, "the name is too long", "of the system",
          "last\" could not be opened");
    for (const char *at = error.message; (at = strpbrk(at, "\xC3\xA9")); at += 2)
      assert_memory_equal(at, "\xC3\xA9", 2);
  }
  chorale_problem_destroy(problem);
}

/* ---- Pipes --------------------------------------------------------------------------------- */

typedef struct Writer {
  int to;
  const unsigned char *bytes;
  size_t size, piece;
  int pauses, then_zeros, stays_open;
} Writer;

static void *write_all(void *of) {
  Writer *self = of;
  const struct timespec pause = {0, 200000};
  size_t done = 0;
  while (done < self->size) {
    const size_t left = self->size - done;
    const ssize_t put =
        write(self->to, self->bytes + done, left < self->piece ? left : self->piece);
    if (put < 0)
      break; /* the reader has closed the pipe */
    done += (size_t)put;
    if (self->pauses)
      (void)nanosleep(&pause, NULL);
  }
  static const unsigned char zeros[65536];
  while (self->then_zeros && write(self->to, zeros, sizeof zeros) > 0)
    ;
  if (!self->stays_open)
    close(self->to);
  return NULL;
}

/* Returns the status of loading from a pipe that a thread fills as `writer` states. */
static chorale_status load_piped(Writer *writer, chorale_error *error) {
  int ends[2];
  pthread_t thread;
  char name[32];
  assert_int_equal(pipe(ends), 0);
  writer->to = ends[1];
  (void)snprintf(name, sizeof name, "/dev/fd/%d", ends[0]);
  assert_int_equal(pthread_create(&thread, NULL, write_all, writer), 0);
  metered();
  const chorale_status status = load(name, error);
  close(ends[0]);
  pthread_join(thread, NULL);
  if (writer->stays_open)
    close(ends[1]);
  return status;
}

static void pipes_are_read_as_they_come(void **state) {
  (void)state;
  chorale_error error;
  static const size_t pieces[] = {1 << 20, 60000, 4096};
  for (size_t p = 0; p < COUNT_OF(pieces); ++p) {
    Writer whole = {-1, saved.bytes, saved.size, pieces[p], p > 0, 0, 0};
    OK(load_piped(&whole, &error));
    assert_true(meter.most < 4 * (int64_t)saved.size);
  }
  Writer open = {-1, saved.bytes, saved.size, 65536, 0, 0, 1}; /* it is not waited for */
  OK(load_piped(&open, &error));
  Writer more = {-1, saved.bytes, saved.size, 65536, 0, 1, 0}; /* nor read to its end */
  OK(load_piped(&more, &error));
}

static void a_pipe_takes_no_more_memory_than_came_out_of_it(void **state) {
  (void)state;
  chorale_error error;
  Writer zeros = {-1, saved.bytes, 0, 1, 0, 1, 0};
  FAILS(load_piped(&zeros, &error), CHORALE_ERROR_FILE_FORMAT, "first bytes");
  assert_true(meter.most < LITTLE);
  Saved damaged = copy_saved(&saved);
  damaged.bytes[64 + 8] ^= 1; /* in the table */
  Writer table = {-1, damaged.bytes, damaged.size, 65536, 0, 1, 0};
  FAILS(load_piped(&table, &error), CHORALE_ERROR_FILE_CHECKSUM, "table of sections");
  assert_true(meter.most < LITTLE);
  drop_saved(&damaged);
  for (size_t size = 0; size < saved.size; size += size < 1000 ? 41 : 65000) {
    Writer cut = {-1, saved.bytes, size, 65536, 0, 0, 0};
    FAILS(load_piped(&cut, &error), CHORALE_ERROR_FILE_TRUNCATED, "bytes; it needs");
    assert_true(meter.most < LITTLE + 65536 + 3 * (int64_t)size);
  }
}

static void a_fifo_is_not_replaced(void **state) {
  (void)state;
  chorale_error error;
  chorale_problem *problem = read_saved_problem();
  assert_int_equal(mkfifo(in_directory("fifo"), 0600), 0);
  FAILS(chorale_problem_save(problem, path, &error), CHORALE_ERROR_INPUT_OUTPUT, "is a pipe");
  struct stat about;
  assert_int_equal(stat(path, &about), 0);
  assert_true(S_ISFIFO(about.st_mode));
  assert_int_equal(unlink(path), 0);
  chorale_problem_destroy(problem);
}

/* ---- Files that change, and files that are too long ---------------------------------------- */

static off_t new_length;
static void change_length(void) { assert_int_equal(truncate(path, new_length), 0); }

/* The file is truncated or extended after it has been opened. */
static void files_may_change_while_they_are_opened(void **state) {
  (void)state;
  chorale_error error;
  in_directory("changing");
  const off_t size = (off_t)saved.size;
  const off_t lengths[] = {0, 1, 63, 64, 100, 600, 4096, size - 4096, size - 1};
  for (size_t k = 0; k < COUNT_OF(lengths); ++k) {
    write_file(path, saved.bytes, saved.size);
    metered();
    meter.meddle_at = 1;
    meter.meddle = change_length;
    new_length = lengths[k];
    FAILS(load(path, &error), CHORALE_ERROR_FILE_TRUNCATED, "bytes; it needs");
    assert_true(meter.most < LITTLE + size);
  }
  for (int64_t at = 1; at <= 20; ++at) {
    write_file(path, saved.bytes, saved.size);
    metered();
    meter.meddle_at = at;
    meter.meddle = change_length;
    new_length = size + (at % 2 ? 1 : 1000000);
    OK(load(path, &error));
  }
  /* A file that was extended before. */
  new_length = size + 1;
  change_length();
  metered();
  FAILS(load(path, &error), CHORALE_ERROR_FILE_SECTION, "by its header it has");
  assert_true(meter.most < LITTLE);
  assert_int_equal(unlink(path), 0);
}

/* Makes a file of these bytes followed by a terabyte of zeros. */
static int make_sparse(const unsigned char *bytes, size_t size) {
  write_file(in_directory("sparse"), bytes, size);
  return truncate(path, (off_t)1 << 40) == 0;
}

static void a_terabyte_of_nothing_takes_no_memory(void **state) {
  (void)state;
  chorale_error error;
  Saved claimed = copy_saved(&saved);
  /* The file of the saved problem with a larger length in the header, then also in the last
   * section. */
  put_number(claimed.bytes + 16, (uint64_t)1 << 40, 8);
  put_number(claimed.bytes + 56, own_checksum(claimed.bytes, 56), 8);
  if (!make_sparse(claimed.bytes, 0)) {
    drop_saved(&claimed);
    (void)unlink(path);
    skip(); /* no such files here */
  }
  metered();
  FAILS(load(path, &error), CHORALE_ERROR_FILE_FORMAT, "first bytes");
  assert_true(meter.most < LITTLE);
  assert_true(make_sparse(saved.bytes, saved.size));
  FAILS(load(path, &error), CHORALE_ERROR_FILE_SECTION, "by its header it has");
  assert_true(meter.most < LITTLE);
  assert_true(make_sparse(claimed.bytes, claimed.size));
  FAILS(load(path, &error), CHORALE_ERROR_FILE_SECTION, "after the last section");
  assert_true(meter.most < LITTLE);
  const unsigned char *count = claimed.bytes + 24;
  unsigned char *last = claimed.bytes + 64 + 32 * (size_t)(count[0] - 1);
  uint64_t begin = 0;
  for (int b = 7; b >= 0; --b)
    begin = begin << 8 | last[8 + b];
  put_number(last + 16, ((uint64_t)1 << 40) - begin, 8);
  put_number(claimed.bytes + 32, own_checksum(claimed.bytes + 64, 32 * (size_t)count[0]), 8);
  put_number(claimed.bytes + 56, own_checksum(claimed.bytes, 56), 8);
  assert_true(make_sparse(claimed.bytes, claimed.size));
  metered();
  FAILS(load(path, &error), CHORALE_ERROR_OUT_OF_MEMORY, "memory"); /* the host refuses a terabyte */
  assert_true(meter.most < LITTLE);
  assert_int_equal(unlink(path), 0);
  drop_saved(&claimed);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(devices_are_refused),
      cmocka_unit_test(sockets_and_directories_are_refused),
      cmocka_unit_test(names_up_to_the_limit_are_saved),
      cmocka_unit_test(longer_names_are_named),
      cmocka_unit_test(pipes_are_read_as_they_come),
      cmocka_unit_test(a_pipe_takes_no_more_memory_than_came_out_of_it),
      cmocka_unit_test(a_fifo_is_not_replaced),
      cmocka_unit_test(files_may_change_while_they_are_opened),
      cmocka_unit_test(a_terabyte_of_nothing_takes_no_memory),
  };
  return cmocka_run_group_tests_name("problem_special", tests, make_all, drop_all);
}
