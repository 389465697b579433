/* The reader of problem files. The first byte says how: the rest is a file, or changes to a file
 * with something of every kind; as it is, or with its checksums made right, behind which the rest
 * of the format lies; read in place or copied; with memory that runs out. What is read is asked
 * everything, run, and written again. The same bytes are then loaded from a file, from a pipe, or
 * from a file that is longer by a terabyte of nothing. */
#define _FILE_OFFSET_BITS 64 /* a terabyte, where a pointer has 32 bits too */

#include "fuzz.h"

#include "fixture_saved.h"
#include "fixture_held.h"

#include <unistd.h>

enum { MOST_BYTES = 1 << 16 };
/* Of the first byte. */
enum {
  REPAIRED = 1,
  IN_PLACE = 2,
  GENEROUS = 12,
  CHANGES = 16,
  FROM_FILE = 32,
  PIPED = 64,
  LONGER = 128
};

/* ---- Changes to a whole file -------------------------------------------------------------- */

/* Four bytes each: where (two of them), what, and with what. */
static Saved changed_file(const uint8_t *data, size_t size) {
  static const uint32_t numbers[] = {0,          1,          2,          3,         0xFFFFFFFF,
                                     0xFFFFFFFE, 0x7FFFFFFF, 0x80000000, 0xFFFFFFF, 64};
  static Saved whole; /* made once, kept for all inputs */
  if (!whole.bytes) {
    chorale_problem *problem = NULL;
    chorale_error error;
    REQUIRE(build_everything(NULL, &problem, &error) == CHORALE_OK, "%s", error.message);
    whole = save(problem);
    chorale_problem_destroy(problem);
  }
  Saved file = copy_saved(&whole);
  for (size_t at = 0; at + 4 <= size && file.size > 0; at += 4) {
    const size_t where = (data[at] | (size_t)data[at + 1] << 8) % file.size;
    const uint8_t with = data[at + 3];
    switch (data[at + 2] % 5) {
    case 0:
      file.bytes[where] = with;
      break;
    case 1:
      file.bytes[where] = (unsigned char)(file.bytes[where] + with);
      break;
    case 2:
    case 3:
      put_number(file.bytes + where / 4 * 4, numbers[with % COUNT_OF(numbers)],
                 file.size - where / 4 * 4 < 4 ? file.size - where / 4 * 4 : 4);
      break;
    default:
      if (with == 0)
        file.size = where;
    }
  }
  return file;
}

static Saved given_file(const uint8_t *data, size_t size) {
  Saved file = {NULL, size};
  void *bytes = NULL;
  REQUIRE(posix_memalign(&bytes, 64, size > 0 ? size : 1) == 0, "no memory");
  file.bytes = bytes;
  if (size > 0)
    memcpy(file.bytes, data, size);
  return file;
}

/* ---- What is read ------------------------------------------------------------------------- */

static void ask_everything(const chorale_problem *problem) {
  const chorale_model *model = chorale_problem_model(problem);
  chorale_error error;
  size_t letters = 0;
  for (chorale_text_list list = -2; list < CHORALE_TEXTS_VALUES + 40; ++list)
    for (int64_t k = -1; k <= chorale_problem_text_count(problem, list); ++k) {
      const chorale_text text = text_in(problem, list, k);
      for (size_t c = 0; c < text.length; ++c)
        letters += (unsigned char)text.bytes[c];
    }
  int64_t positions = 0, members = 0;
  const int32_t *gold = chorale_problem_gold(problem);
  for (int64_t i = 0; i < chorale_model_chain_count(model); ++i) {
    chorale_chain chain;
    chorale_chain_options options;
    chain = (chorale_chain){.struct_size = sizeof chain};
    options = (chorale_chain_options){.struct_size = sizeof options};
    REQUIRE(chorale_model_get_chain(model, i, &chain, &options, &error) == CHORALE_OK, "%s",
            error.message);
    for (int64_t t = 0; gold && t < chain.length; ++t)
      REQUIRE(gold[positions + t] >= -1 && gold[positions + t] < chain.labels, "gold label %d",
              gold[positions + t]);
    positions += chain.length;
  }
  for (int64_t c = 0; c < chorale_model_clique_count(model); ++c) {
    const int64_t values = setup_of(model, c).values;
    for (int64_t v = -1; v < values + 3 && v < 64; ++v)
      letters += name_of_value(problem, c, (int32_t)v).length;
    (void)chorale_problem_clique_kind(problem, c);
    const int64_t count = member_count_of(model, c);
    int64_t *chains = malloc((size_t)(2 * count + 1) * sizeof *chains), *places = chains + count;
    REQUIRE(chains != NULL, "no memory");
    REQUIRE(chorale_model_get_members(model, c, chains, places, NULL, count, NULL, &error) ==
                CHORALE_OK,
            "%s", error.message);
    for (int64_t i = 0; i < count; ++i, ++members)
      REQUIRE(chains[i] >= 0 && chains[i] < chorale_model_chain_count(model) &&
                  places[i] >= -1 && places[i] < chain_length_of(model, chains[i]),
              "member %lld of clique %lld", (long long)i, (long long)c);
    free(chains);
  }
  REQUIRE(letters < SIZE_MAX, "never");
}

static void run_it(const chorale_model *model) {
  chorale_run_options options;
  chorale_run_cost cost;
  chorale_error error;
  options = (chorale_run_options){.struct_size = sizeof options};
  cost = (chorale_run_cost){.struct_size = sizeof cost};
  options.rounds = 2;
  options.bound_steps = 1;
  options.max_states = 64;
  if (chorale_run_estimate(model, &options, &cost, &error) != CHORALE_OK ||
      cost.run_bytes > 1 << 24 || cost.chain_steps > 1e5 || cost.clique_scores > 1e4)
    return;
  chorale_run *run = NULL;
  chorale_run_result result;
  if (chorale_run_create(NULL, model, &options, NULL, &run, &error) != CHORALE_OK)
    return;
  result = (chorale_run_result){.struct_size = sizeof result};
  REQUIRE(chorale_run_solve(run, &result, &error) == CHORALE_OK, "%s", error.message);
  REQUIRE(!isnan(result.score) && result.score < INFINITY && result.score >= result.own_score,
          "score %.17g, the chains' own %.17g", result.score, result.own_score);
  size_t needed = 0;
  if (result.score > -INFINITY) {
    REQUIRE(chorale_run_json(run, NULL, 0, &needed, &error) == CHORALE_OK, "%s", error.message);
    char *text = malloc(needed);
    REQUIRE(text && chorale_run_json(run, text, needed, NULL, &error) == CHORALE_OK, "no JSON");
    REQUIRE(is_json(text), "not JSON: %.400s", text);
    free(text);
  }
  chorale_run_destroy(run);
}

/* What has been read can be written, and what is written is read as the same. */
static void write_it(const chorale_problem *problem) {
  Saved first = save(problem);
  chorale_problem *again = NULL;
  chorale_error error;
  REQUIRE(read_saved(NULL, &first, 1, &again, &error) == CHORALE_OK,
          "what was written is not read: %s", error.message);
  PASSES(compare_names(problem, again));
  Saved second = save(again);
  REQUIRE(same_saved(&first, &second), "saved again it is other bytes");
  chorale_problem_destroy(again);
  drop_saved(&first);
  drop_saved(&second);
}

/* ---- The same by a path --------------------------------------------------------------------- */

static chorale_status load_from(int file, chorale_error *error) {
  char path[32];
  chorale_problem *problem = NULL;
  (void)snprintf(path, sizeof path, "/dev/fd/%d", file);
  const chorale_status status = chorale_problem_load(NULL, path, &problem, error);
  REQUIRE((status == CHORALE_OK) == (problem != NULL), "status %d", status);
  if (problem)
    write_it(problem);
  chorale_problem_destroy(problem);
  return status;
}

static void load_by_path(const Saved *saved, uint8_t how) {
  chorale_problem *problem = NULL;
  chorale_error error;
  const chorale_status read = read_saved(NULL, saved, 0, &problem, &error);
  chorale_problem_destroy(problem);
  if (how & PIPED) {
    int ends[2];
    REQUIRE(pipe(ends) == 0, "no pipe");
    /* It fits into a pipe. */
    REQUIRE(write(ends[1], saved->bytes, saved->size) == (ssize_t)saved->size, "no room in a pipe");
    close(ends[1]);
    /* How long a pipe is, nobody knows before its end: the table is looked at first, and what
     * follows the file is not. */
    const chorale_status piped = load_from(ends[0], &error);
    REQUIRE((piped == CHORALE_OK) == (read == CHORALE_OK) || read == CHORALE_ERROR_FILE_SECTION,
            "%d piped, %d read: %s", piped, read, error.message);
    close(ends[0]);
  }
  if (how & (FROM_FILE | LONGER)) {
    FILE *file = tmpfile();
    REQUIRE(file && fwrite(saved->bytes, 1, saved->size, file) == saved->size &&
                fflush(file) == 0,
            "no file");
    if (how & FROM_FILE) {
      const chorale_status loaded = load_from(fileno(file), &error);
      REQUIRE(loaded == read, "%d loaded, %d read: %s", loaded, read, error.message);
    }
    if (how & LONGER && ftruncate(fileno(file), (off_t)1 << 40) == 0)
      REQUIRE(load_from(fileno(file), &error) != CHORALE_OK, "a terabyte was loaded");
    (void)fclose(file);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < 1 || size > MOST_BYTES)
    return 0;
  Random random = open_input(data, size);
  const uint8_t how = data[0];
  draw_from(&random, data, 1);
  Supply supply;
  open_supply(&supply, &random, (how & GENEROUS) != 0);
  Saved saved = how & CHANGES ? changed_file(data + 1, size - 1) : given_file(data + 1, size - 1);
  if (how & REPAIRED)
    repair(&saved);
  chorale_problem *problem = NULL;
  chorale_error error;
  chorale_status status;
  FED(&supply, status, read_saved(&supply.host, &saved, (how & IN_PLACE) != 0, &problem, &error),
      &error);
  REQUIRE((status == CHORALE_OK) == (problem != NULL), "status %d", status);
  if (problem) {
    ask_everything(problem);
    run_it(chorale_problem_model(problem));
    write_it(problem);
    /* The model may outlive it. */
    chorale_model *model = chorale_model_retain(chorale_problem_model(problem));
    chorale_problem_destroy(problem);
    run_it(model);
    chorale_model_release(model);
  }
  if (how & (FROM_FILE | PIPED | LONGER))
    load_by_path(&saved, how);
  drop_saved(&saved);
  close_supply(&supply);
  draw_from(NULL, NULL, 0);
  return 0;
}
