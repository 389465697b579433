/* Problems: saving and loading preserves everything bit for bit, including the results of a run;
 * names; files; refused memory. Invalid input and damage are tested in test_problem_input.c. */
#include "fixture_saved.h"
#include "fixture_held.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Round trips -------------------------------------------------------------------------- */

static void solve_model(const Cluster *cluster, const chorale_model *model, Said *said) {
  chorale_error error;
  chorale_run *run = NULL;
  OK(chorale_run_create(NULL, model, &cluster->options, NULL, &run, &error));
  OK(chorale_run_solve(run, NULL, &error));
  listen_to(cluster, run, said);
  chorale_run_destroy(run);
}

/* Checks that the model returns every chain as it was added. */
static void check_chains(const Cluster *cluster, const chorale_model *model) {
  for (int32_t i = 0; i < cluster->chain_count; ++i) {
    const Sample *sample = &cluster->chains[i];
    chorale_chain chain;
    chorale_chain_options options;
    chorale_error error;
    chain = (chorale_chain){.struct_size = sizeof chain};
    options = (chorale_chain_options){.struct_size = sizeof options};
    OK(chorale_model_get_chain(model, i, &chain, &options, &error));
    assert_int_equal(chain.length, sample->length);
    assert_int_equal(chain.labels, sample->labels);
    if (cluster->is_instance[i]) { /* keeps its own scores */
      assert_null(chain.unary);
      continue;
    }
    assert_int_equal(options.tokens != NULL, cluster->has_tokens[i]);
    for (int32_t t = 0; options.tokens && t < sample->length; ++t)
      assert_int_equal(options.tokens[t], cluster->tokens[i][t]);
    for (int32_t index = 0; index < labelling_count(sample); ++index) {
      int32_t labelling[MOST_POSITIONS] = {0};
      double score = NAN;
      labelling_at(sample, index, labelling);
      OK(chorale_chain_score(&chain, labelling, &score, &error));
      assert_true(score == own_phi(sample, labelling));
    }
  }
}

static void check_round_trip(const Cluster *cluster, const chorale_problem *problem, int borrow) {
  static Said said, again;
  chorale_error error;
  Saved first = save(problem);
  chorale_problem *loaded = NULL;
  OK(read_saved(NULL, &first, borrow, &loaded, &error));
  const chorale_model *model = chorale_problem_model(loaded);
  assert_int_equal(all_member_count(model), all_member_count(chorale_problem_model(problem)));
  check_chains(cluster, model);
  const char *why = compare_names(problem, loaded);
  if (why)
    fail_msg("%s", why);
  Saved second = save(loaded);
  if (!same_saved(&first, &second)) {
    dump_cluster(stderr, cluster);
    fail_msg("saved again it is other bytes");
  }
  solve_model(cluster, chorale_problem_model(problem), &said);
  solve_model(cluster, model, &again);
  why = compare_said(cluster, &said, &again);
  if (why) {
    dump_cluster(stderr, cluster);
    fail_msg("the run of the loaded model: %s", why);
  }
  chorale_problem_destroy(loaded);
  drop_saved(&first);
  drop_saved(&second);
}

static void random_models_come_back(void **state) {
  (void)state;
  static Cluster cluster;
  static Built built;
  Random random = {test_seed() + 31};
  int64_t saved = 0, refused = 0;
  for (int64_t round = 0; round < test_rounds(1500); ++round) {
    random_cluster(&random, &cluster);
    build(&cluster, NULL, &built);
    chorale_error error;
    chorale_problem *problem = NULL;
    OK(chorale_problem_create(NULL, built.model, &problem, &error));
    check_chains(&cluster, built.model);
    if (can_be_saved(&cluster)) {
      name_at_random(&random, problem);
      check_round_trip(&cluster, problem, random_chance(&random, 50));
      ++saved;
    } else {
      size_t needed = 77;
      const chorale_status status = chorale_problem_write(problem, NULL, 0, &needed, &error);
      /* A centred clique may have a callback potential for a value that its centre never has. */
      assert_int_equal(status, CHORALE_ERROR_NOT_SAVABLE);
      assert_int_equal(needed, 77);
      assert_non_null(strstr(error.message, "no file can hold"));
      ++refused;
    }
    chorale_problem_destroy(problem);
    close_built(&cluster, &built);
  }
  print_message("%lld models came back, %lld can not be saved\n", (long long)saved,
                (long long)refused);
  assert_true(saved > 0);
}

static void everything_comes_back(void **state) {
  (void)state;
  chorale_error error;
  chorale_problem *problem = NULL, *loaded = NULL;
  OK(build_everything(NULL, &problem, &error));
  Saved saved = save(problem);
  const uint64_t sum = own_checksum(saved.bytes, saved.size);
  print_message("everything is %lld bytes, checksum %016llx\n", (long long)saved.size,
                (unsigned long long)sum);
  /* The bytes are the same on every machine: the checksum is that of the bytes on x86-64. */
  assert_true(sum == UINT64_C(0xa698b84306fad56f));
  OK(read_saved(NULL, &saved, 1, &loaded, &error));
  const chorale_model *models[] = {chorale_problem_model(problem), chorale_problem_model(loaded)};
  const int64_t groups[] = {0, 7, -2, 0, 0, 0};
  chorale_run_result results[2];
  for (int k = 0; k < 2; ++k) {
    chorale_chain chain, tree, other;
    chorale_chain_options options;
    chain = (chorale_chain){.struct_size = sizeof chain};
    other = (chorale_chain){.struct_size = sizeof other};
    tree = (chorale_chain){.struct_size = sizeof tree};
    options = (chorale_chain_options){.struct_size = sizeof options};
    for (int32_t i = 0; i < 6; ++i) {
      OK(chorale_model_get_chain(models[k], i, NULL, &options, &error));
      assert_int_equal(options.group, groups[i]);
    }
    /* Objects shared in the original are shared in the loaded model. */
    OK(chorale_model_get_chain(models[k], 0, &chain, NULL, &error));
    OK(chorale_model_get_chain(models[k], 4, &other, NULL, &error));
    OK(chorale_model_get_chain(models[k], 2, &tree, NULL, &error));
    assert_true(chain.transitions && chain.transitions == other.transitions);
    assert_true(tree.transitions && tree.transitions != chain.transitions);
    assert_int_equal(tree.parents[2], 0);
    OK(chorale_model_get_chain(models[k], 3, &other, NULL, &error));
    assert_int_equal(other.edge_matrices, 3);
    assert_int_equal(other.forced[1], 1);
    assert_int_equal(other.allowed[2 * other.allowed_row_stride + 1], 0);
    OK(chorale_model_get_chain(models[k], 1, &other, NULL, &error));
    assert_int_equal(other.element, CHORALE_FLOAT32);
    if (k == 1)
      assert_int_equal((uintptr_t)other.unary % 64, 0); /* in place */
    assert_int_equal(setup_of(models[k], 0).values, 4);
    assert_int_equal(setup_of(models[k], 0).centre_values, 0);
    const int64_t last = chorale_model_clique_count(models[k]) - 1;
    assert_int_equal(setup_of(models[k], last).centre_values, 3);
    assert_int_equal(setup_of(models[k], last).values, 2);
    assert_int_equal(setup_of(models[k], last + 1).values, 0);
    chorale_run *run = NULL;
    results[k] = (chorale_run_result){.struct_size = sizeof results[k]};
    OK(chorale_run_create(NULL, models[k], NULL, NULL, &run, &error));
    OK(chorale_run_solve(run, &results[k], &error));
    chorale_run_destroy(run);
  }
  assert_memory_equal(&results[0], &results[1], sizeof results[0]);
  assert_true(results[0].score > -INFINITY);
  assert_true(is_text(name_of_value(loaded, 3, 1), "caf\xc3\xa9"));
  assert_null(compare_names(problem, loaded));
  /* The file holds each array of scores once: as many bytes as the copies of the first model. */
  assert_int_equal(cost_of_model(models[0]).score_bytes, cost_of_model(models[1]).score_bytes);
  Saved again = save(loaded);
  assert_true(same_saved(&saved, &again));
  chorale_problem_destroy(problem);
  chorale_problem_destroy(loaded);
  drop_saved(&saved);
  drop_saved(&again);
}

/* ---- Sharing ------------------------------------------------------------------------------ */

enum { SENTENCES = 2000, WORDS = 12, SENTENCE_LABELS = 5 };

static void add_sentences(chorale_model_builder *builder, const double *scores,
                          const int32_t *tokens, const chorale_transitions *transitions) {
  chorale_error error;
  for (int32_t i = 0; i < SENTENCES; ++i) {
    chorale_chain chain;
    chorale_chain_options options;
    chain = (chorale_chain){.struct_size = sizeof chain};
    options = (chorale_chain_options){.struct_size = sizeof options};
    chain.length = WORDS;
    chain.labels = SENTENCE_LABELS;
    chain.unary = scores + i * WORDS * SENTENCE_LABELS;
    chain.transitions = transitions;
    options.tokens = tokens + i * WORDS;
    options.group = i / 10;
    OK(chorale_model_builder_add_chain(builder, &chain, &options, NULL, &error));
  }
}

/* Repeated words: hundreds of cliques share one potential, one map and one matrix, which are
 * written once. */
static void what_is_shared_is_written_once(void **state) {
  (void)state;
  static double scores[SENTENCES * WORDS * SENTENCE_LABELS];
  static int32_t tokens[SENTENCES * WORDS];
  Random random = {test_seed() + 33};
  for (size_t k = 0; k < COUNT_OF(scores); ++k)
    scores[k] = random_unit(&random);
  for (size_t k = 0; k < COUNT_OF(tokens); ++k)
    tokens[k] = random_int(&random, 0, 60);
  chorale_error error;
  chorale_transitions *transitions = NULL;
  chorale_potential *potential = NULL;
  chorale_model_builder *builder = NULL;
  chorale_model *model = NULL;
  chorale_problem *problem = NULL, *loaded = NULL;
  OK(chorale_transitions_create(NULL, SENTENCE_LABELS, scores, NULL, &transitions, &error));
  OK(chorale_potential_create_potts(NULL, 3, 0.4, NULL, &potential, &error));
  OK(chorale_model_builder_create(NULL, &builder, &error));
  add_sentences(builder, scores, tokens, transitions);
  chorale_clique_setup words = {.struct_size = sizeof words};
  static const int32_t map[SENTENCE_LABELS] = {-1, 0, 0, 1, 2};
  words.label_values = map;
  words.labels = SENTENCE_LABELS;
  words.values = 3;
  words.potential = potential;
  int64_t cliques = 0;
  OK(chorale_model_builder_add_repeated_words(builder, &words, NULL, NULL, &cliques, &error));
  OK(chorale_model_builder_freeze(builder, &model, &error));
  OK(chorale_problem_create(NULL, model, &problem, &error));
  Saved saved = save(problem);
  uint64_t length = 0;
  assert_true(find_section(&saved, 4, &length) > 0); /* POTENTIALS: one Potts */
  assert_int_equal(length, 8 + 48);
  assert_true(find_section(&saved, 7, &length) > 0); /* CLIQUES: one map */
  assert_int_equal(length, 8 + 40 * (uint64_t)cliques + 4 * SENTENCE_LABELS);
  assert_true(find_section(&saved, 1, &length) > 0); /* TRANSITIONS: one matrix */
  assert_int_equal(length, 8 + 8 + 8 * SENTENCE_LABELS * SENTENCE_LABELS);
  OK(read_saved(NULL, &saved, 1, &loaded, &error));
  /* A loaded model borrows what the original copied (in blocks of 256 KiB): from the bytes here. */
  const size_t copied = sizeof scores + sizeof tokens;
  assert_true(cost_of_model(chorale_problem_model(loaded)).model_bytes + copied <=
              cost_of_model(model).model_bytes + (size_t)(1 << 19));
  Saved again = save(loaded);
  assert_true(same_saved(&saved, &again));
  print_message("%lld cliques in %lld bytes, %lld of them scores and tokens\n", (long long)cliques,
                (long long)saved.size, (long long)copied);
  chorale_problem_destroy(problem);
  chorale_problem_destroy(loaded);
  drop_saved(&saved);
  drop_saved(&again);
  chorale_model_release(model);
  chorale_model_builder_destroy(builder);
  chorale_potential_release(potential);
  chorale_transitions_release(transitions);
}

/* ---- Names -------------------------------------------------------------------------------- */

static void names_are_set_replaced_and_removed(void **state) {
  (void)state;
  chorale_error error;
  chorale_problem *p = NULL;
  OK(build_everything(NULL, &p, &error));
  assert_int_equal(chorale_problem_text_count(p, CHORALE_TEXTS_LABELS), 3);
  assert_true(is_text(text_in(p, CHORALE_TEXTS_LABELS, 1), "caf\xc3\xa9"));
  assert_null(text_in(p, CHORALE_TEXTS_LABELS, 3).bytes);
  assert_null(text_in(p, CHORALE_TEXTS_LABELS, -1).bytes);
  assert_null(text_in(p, CHORALE_TEXTS_WORDS, 0).bytes);
  const chorale_text names[] = {text_of("a"), text_of("b"), text_of("c"), text_of("d")};
  OK(chorale_problem_set_texts(p, CHORALE_TEXTS_LABELS, names, sizeof(chorale_text), 4, &error));
  assert_int_equal(chorale_problem_text_count(p, CHORALE_TEXTS_LABELS), 4);
  assert_true(is_text(text_in(p, CHORALE_TEXTS_LABELS, 3), "d"));
  /* A list may be set from its own texts. */
  chorale_text own[4];
  for (int32_t k = 0; k < 4; ++k)
    own[k] = text_in(p, CHORALE_TEXTS_LABELS, 3 - k);
  OK(chorale_problem_set_texts(p, CHORALE_TEXTS_LABELS, own, sizeof(chorale_text), 4, &error));
  assert_true(is_text(text_in(p, CHORALE_TEXTS_LABELS, 0), "d"));
  OK(chorale_problem_set_texts(p, CHORALE_TEXTS_LABELS, NULL, sizeof(chorale_text), 0, &error));
  assert_int_equal(chorale_problem_text_count(p, CHORALE_TEXTS_LABELS), 0);
  OK(chorale_problem_set_texts(p, CHORALE_TEXTS_LABELS, names, sizeof(chorale_text), 3, &error));
  /* A list of value names without texts remains a list. */
  OK(chorale_problem_set_texts(p, CHORALE_TEXTS_VALUES, NULL, sizeof(chorale_text), 0, &error));
  OK(chorale_problem_set_texts(p, CHORALE_TEXTS_VALUES + 1, names, sizeof(chorale_text), 4,
                               &error));
  assert_int_equal(chorale_problem_text_count(p, CHORALE_TEXTS_VALUES), 0);
  assert_int_equal(chorale_problem_text_count(p, CHORALE_TEXTS_VALUES + 1), 4);
  /* Names through a dictionary of 0, 2 and UNLISTED; EMPTY, CONFLICT and UNLISTED have no name. */
  chorale_text_list lists[32];
  for (int32_t c = 0; c < 32; ++c)
    lists[c] = CHORALE_TEXTS_VALUES + 1;
  OK(chorale_problem_set_cliques(p, NULL, lists, &error));
  assert_true(is_text(name_of_value(p, 5, 0), "a"));
  assert_true(is_text(name_of_value(p, 5, 1), "c"));
  assert_null(name_of_value(p, 5, 2).bytes);
  assert_true(is_text(name_of_value(p, 0, 3), "d"));
  assert_null(name_of_value(p, 0, 4).bytes);
  assert_null(name_of_value(p, 0, 5).bytes);
  assert_null(name_of_value(p, 0, -1).bytes);
  assert_null(name_of_value(p, 99, 0).bytes);
  assert_int_equal(chorale_problem_clique_kind(p, 2), 1); /* as before */
  assert_int_equal(chorale_problem_clique_kind(p, 99), -1);
  assert_int_equal(chorale_problem_gold(p)[3], 2);
  OK(chorale_problem_set_gold(p, NULL, &error));
  assert_null(chorale_problem_gold(p));
  /* Notes keep their order; an empty text removes one. */
  assert_int_equal(chorale_problem_text_count(p, CHORALE_TEXTS_NOTES), 2);
  OK(put_note(p, text_of("Other"), text_of("new"), &error));
  assert_true(is_text(text_in(p, CHORALE_TEXTS_NOTE_NAMES, 0), "Other"));
  assert_true(is_text(text_in(p, CHORALE_TEXTS_NOTES, 0), "new"));
  OK(put_note(p, text_of("Other"), text_of(""), &error));
  OK(put_note(p, text_of("nobody"), text_of(""), &error));
  assert_int_equal(chorale_problem_text_count(p, CHORALE_TEXTS_NOTES), 1);
  assert_true(is_text(text_in(p, CHORALE_TEXTS_NOTE_NAMES, 0), "caf\xc3\xa9"));
  assert_null(text_in(p, CHORALE_TEXTS_NOTES, 1).bytes);
  assert_null(text_in(p, CHORALE_TEXTS_NOTE_NAMES, -1).bytes);
  chorale_problem_destroy(p);
  chorale_problem_destroy(NULL);
  assert_null(chorale_problem_model(NULL));
  assert_int_equal(chorale_problem_text_count(NULL, 0), 0);
  assert_int_equal(chorale_problem_text_count(NULL, CHORALE_TEXTS_NOTES), 0);
  assert_int_equal(chorale_problem_clique_kind(NULL, 0), -1);
  assert_null(chorale_problem_gold(NULL));
}

/* ---- Files -------------------------------------------------------------------------------- */

static char scratch[] = "/tmp/chorale-test-XXXXXX";

static int make_scratch(void **state) {
  (void)state;
  return mkdtemp(scratch) ? 0 : -1;
}

static int remove_scratch(void **state) {
  (void)state;
  char path[600];
  DIR *directory = opendir(scratch);
  for (struct dirent *entry; directory && (entry = readdir(directory)) != NULL;) {
    snprintf(path, sizeof path, "%s/%s", scratch, entry->d_name);
    if (entry->d_name[0] != '.')
      (void)remove(path);
  }
  if (directory)
    closedir(directory);
  return rmdir(scratch);
}

static int64_t files_in_scratch(void) {
  int64_t count = 0;
  DIR *directory = opendir(scratch);
  assert_non_null(directory);
  for (struct dirent *entry; (entry = readdir(directory)) != NULL;)
    count += entry->d_name[0] != '.';
  closedir(directory);
  return count;
}

static void files_are_the_bytes(void **state) {
  (void)state;
  chorale_error error;
  char path[64], elsewhere[128];
  snprintf(path, sizeof path, "%s/problem", scratch);
  chorale_problem *problem = NULL, *loaded = NULL;
  OK(build_everything(NULL, &problem, &error));
  OK(chorale_problem_save(problem, path, &error));
  OK(chorale_problem_save(problem, path, &error)); /* takes the place of the first */
  assert_int_equal(files_in_scratch(), 1);
  struct stat about;
  assert_int_equal(chmod(path, 0600), 0);
  OK(chorale_problem_save(problem, path, &error)); /* and keeps its permissions */
  assert_int_equal(stat(path, &about), 0);
  assert_int_equal(about.st_mode & 0777, 0600);
  Saved saved = save(problem);
  expect_file(path, &saved);
  OK(chorale_problem_load(NULL, path, &loaded, &error));
  /* The model remains valid after the problem is destroyed and the file is renamed. */
  chorale_model *model = chorale_model_retain(chorale_problem_model(loaded));
  assert_null(compare_names(problem, loaded));
  chorale_problem_destroy(loaded);
  assert_int_equal(unlink(path), 0);
  chorale_problem *around = NULL;
  OK(chorale_problem_create(NULL, model, &around, &error));
  chorale_model_release(model);
  Saved bare = save(around);
  uint64_t length = 0, other = 0;
  const uint64_t place = find_section(&bare, 6, &length);
  const uint64_t before = find_section(&saved, 6, &other);
  assert_int_equal(length, other);
  assert_memory_equal(bare.bytes + place, saved.bytes + before, (size_t)length);
  chorale_problem_destroy(around);
  drop_saved(&bare);
  drop_saved(&saved);

  /* A failed load returns no problem and leaks nothing. */
  loaded = NULL;
  FAILS(chorale_problem_load(NULL, path, &loaded, &error), CHORALE_ERROR_INPUT_OUTPUT, path,
        "opened", "error");
  FAILS(chorale_problem_load(NULL, scratch, &loaded, &error), CHORALE_ERROR_INPUT_OUTPUT, "read");
  assert_null(loaded);
  snprintf(elsewhere, sizeof elsewhere, "%s/nowhere/problem", scratch);
  FAILS(chorale_problem_save(problem, elsewhere, &error), CHORALE_ERROR_INPUT_OUTPUT, elsewhere,
        "created");
  snprintf(elsewhere, sizeof elsewhere, "%s/directory", scratch);
  assert_int_equal(mkdir(elsewhere, 0777), 0);
  FAILS(chorale_problem_save(problem, elsewhere, &error), CHORALE_ERROR_INPUT_OUTPUT, elsewhere,
        "put in its place");
  assert_int_equal(files_in_scratch(), 1);
  assert_int_equal(rmdir(elsewhere), 0);
  /* An empty file cannot be mapped. */
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  fclose(file);
  FAILS(chorale_problem_load(NULL, path, &loaded, &error), CHORALE_ERROR_FILE_TRUNCATED, "0 bytes");
  chorale_problem_destroy(problem);
}

/* Files that cannot be mapped are read: a pipe has no size. */
static void pipes_are_read(void **state) {
  (void)state;
  chorale_error error;
  chorale_problem *problem = NULL, *loaded = NULL;
  OK(build_everything(NULL, &problem, &error));
  Saved saved = save(problem);
  int ends[2];
  assert_int_equal(pipe(ends), 0);
  const ssize_t put = write(ends[1], saved.bytes, saved.size); /* fits into a pipe */
  assert_int_equal(put, saved.size);
  close(ends[1]);
  char path[64];
  snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
  OK(chorale_problem_load(NULL, path, &loaded, &error));
  close(ends[0]);
  Saved again = save(loaded);
  assert_true(same_saved(&saved, &again));
  chorale_problem_destroy(loaded);
  chorale_problem_destroy(problem);
  drop_saved(&saved);
  drop_saved(&again);
}

/* ---- Memory ------------------------------------------------------------------------------- */

typedef chorale_status (*Act)(const chorale_host *host, chorale_problem *problem,
                              const Saved *saved, chorale_error *error);

static chorale_status act_build(const chorale_host *host, chorale_problem *problem,
                                const Saved *saved, chorale_error *error) {
  (void)problem;
  (void)saved;
  chorale_problem *made = NULL;
  const chorale_status status = build_everything(host, &made, error);
  chorale_problem_destroy(made);
  return status;
}

static chorale_status act_read(const chorale_host *host, const Saved *saved, int32_t borrow,
                               chorale_error *error) {
  chorale_problem *made = NULL;
  const chorale_status status = read_saved(host, saved, borrow, &made, error);
  assert_int_equal(made != NULL, status == CHORALE_OK);
  chorale_problem_destroy(made);
  return status;
}

static chorale_status act_read_copied(const chorale_host *host, chorale_problem *problem,
                                      const Saved *saved, chorale_error *error) {
  (void)problem;
  return act_read(host, saved, 0, error);
}

static chorale_status act_read_borrowed(const chorale_host *host, chorale_problem *problem,
                                        const Saved *saved, chorale_error *error) {
  (void)problem;
  return act_read(host, saved, 1, error);
}

static chorale_status act_write(const chorale_host *host, chorale_problem *problem,
                                const Saved *saved, chorale_error *error) {
  (void)host;
  Saved written = copy_saved(saved);
  memset(written.bytes, 0, written.size);
  const chorale_status status =
      chorale_problem_write(problem, written.bytes, written.size, NULL, error);
  if (status == CHORALE_OK)
    assert_true(same_saved(saved, &written));
  drop_saved(&written);
  return status;
}

static chorale_status act_save_and_load(const chorale_host *host, chorale_problem *problem,
                                        const Saved *saved, chorale_error *error) {
  (void)saved;
  char path[64];
  snprintf(path, sizeof path, "%s/swept", scratch);
  const chorale_status status = chorale_problem_save(problem, path, error);
  if (status != CHORALE_OK)
    return status;
  chorale_problem *made = NULL;
  const chorale_status loaded = chorale_problem_load(host, path, &made, error);
  chorale_problem_destroy(made);
  return loaded;
}

static chorale_status act_names(const chorale_host *host, chorale_problem *problem,
                                const Saved *saved, chorale_error *error) {
  (void)host;
  (void)saved;
  const int32_t kinds[32] = {0}, values[32] = {0};
  const chorale_text texts[] = {text_of("x"), text_of("y"), text_of("z")};
  chorale_status status = chorale_problem_set_texts(problem, CHORALE_TEXTS_LABELS, texts,
                                                    sizeof(chorale_text), 3, error);
  if (status == CHORALE_OK)
    status = chorale_problem_set_texts(problem, CHORALE_TEXTS_TOKENS, texts, sizeof(chorale_text),
                                       1, error);
  if (status == CHORALE_OK)
    status = put_note(problem, text_of("Other"), text_of("x"), error);
  if (status == CHORALE_OK)
    status = put_note(problem, text_of("new"), text_of("x"), error);
  if (status == CHORALE_OK)
    status = chorale_problem_set_cliques(problem, kinds, values, error);
  if (status != CHORALE_OK)
    return status;
  for (int32_t k = 0; k < 3; ++k)
    assert_int_equal(text_in(problem, CHORALE_TEXTS_LABELS, k).length, 1);
  return CHORALE_OK;
}

static void nothing_is_lost_when_memory_runs_out(void **state) {
  (void)state;
  static const Act acts[] = {act_build, act_read_copied,   act_read_borrowed,
                             act_write, act_save_and_load, act_names};
  chorale_error error;
  for (size_t k = 0; k < COUNT_OF(acts); ++k) {
    CountingAllocator allocator;
    counting_allocator_init(&allocator);
    chorale_host host = {.struct_size = sizeof host};
    host.allocator = &allocator.hooks;
    chorale_problem *problem = NULL;
    OK(build_everything(&host, &problem, &error));
    Saved saved = save(problem);
    const int64_t live = allocator.live;
    chorale_status status = CHORALE_ERROR_OUT_OF_MEMORY;
    int64_t number = 0;
    while (status != CHORALE_OK) {
      allocator.fail_at = ++number;
      status = acts[k](&host, problem, &saved, &error);
      allocator.fail_at = 0;
      if (status == CHORALE_OK)
        break;
      assert_int_equal(status, CHORALE_ERROR_OUT_OF_MEMORY);
      if (acts[k] != act_names) {
        assert_int_equal(allocator.live, live);
        Saved again = save(problem);
        assert_true(same_saved(&saved, &again));
        drop_saved(&again);
      }
    }
    assert_true(number > 1);
    chorale_problem_destroy(problem);
    assert_int_equal(allocator.live, 0);
    assert_int_equal(allocator.live_bytes, 0);
    assert_int_equal(allocator.mistakes, 0);
    drop_saved(&saved);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(everything_comes_back),
      cmocka_unit_test(random_models_come_back),
      cmocka_unit_test(what_is_shared_is_written_once),
      cmocka_unit_test(names_are_set_replaced_and_removed),
      cmocka_unit_test(files_are_the_bytes),
      cmocka_unit_test(pipes_are_read),
      cmocka_unit_test(nothing_is_lost_when_memory_runs_out),
  };
  print_message("CHORALE_TEST_SEED=%llu\n", (unsigned long long)test_seed());
  return cmocka_run_group_tests_name("problem", tests, make_scratch, remove_scratch);
}
