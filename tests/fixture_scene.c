/* Creates one handle of every kind. */
#include "fixture_scene.h"

#include <dirent.h>
#include <unistd.h>

static const double kUnary[] = {0.5, 1, 2, -1, 0.25, 0.75, 0, 0, 1, -2, 3, 0.5};
static const double kEdges[] = {1, -0.5, 0.25, 0.5};
static const int32_t kTokens[] = {1, 0, 1};

static char directory[64];

int make_scene_directory(void **state) {
  (void)state;
  (void)snprintf(directory, sizeof directory, "/tmp/chorale-scene-XXXXXX");
  return mkdtemp(directory) ? 0 : 1;
}

int remove_scene_directory(void **state) {
  (void)state;
  return rmdir(directory);
}

int scene_files(void) {
  DIR *all = opendir(directory);
  assert_non_null(all);
  int count = 0;
  for (const struct dirent *entry; (entry = readdir(all)) != NULL;)
    count += entry->d_name[0] != '.';
  closedir(all);
  return count;
}

const char *pipe_of(Scene *scene) {
  int ends[2];
  if (scene->pipe >= 0)
    close(scene->pipe);
  assert_int_equal(pipe(ends), 0);
  assert_true(write(ends[1], scene->saved.bytes, scene->saved.size) ==
              (ssize_t)scene->saved.size); /* fits into a pipe */
  close(ends[1]);
  scene->pipe = ends[0];
  (void)snprintf(scene->pipe_path, sizeof scene->pipe_path, "/dev/fd/%d", ends[0]);
  return scene->pipe_path;
}

/* ---- An instance of one position and two labels: its value in every clique is its label --- */

static double with_others(int64_t memberships, int64_t membership, const double *const *incoming,
                          int32_t y) {
  double sum = y == 1 ? 0.5 : 0;
  for (int64_t q = 0; q < memberships; ++q)
    sum += q == membership ? 0 : incoming[q][y];
  return sum;
}

static int32_t instance_messages(void *user, int64_t memberships, const int64_t *sizes,
                                 const double *const *incoming, double *const *outgoing) {
  (void)user;
  for (int64_t p = 0; p < memberships; ++p)
    for (int64_t v = 0; v < sizes[p]; ++v)
      outgoing[p][v] = v < 2 ? with_others(memberships, p, incoming, (int32_t)v) : -INFINITY;
  return 0;
}

static int32_t instance_decode(void *user, int64_t memberships, const int64_t *sizes,
                               const double *const *incoming, int32_t *labelling, int32_t *values,
                               double *score) {
  (void)user;
  (void)sizes;
  const int32_t y =
      with_others(memberships, -1, incoming, 1) > with_others(memberships, -1, incoming, 0) ? 1 : 0;
  labelling[0] = y;
  for (int64_t p = 0; p < memberships; ++p)
    values[p] = y;
  *score = y == 1 ? 0.5 : 0;
  return 0;
}

/* ---- Arguments ---------------------------------------------------------------------------- */

static void describe(Scene *s) {
  s->clique = (chorale_clique_problem){.struct_size = sizeof s->clique};
  s->clique.members = 4;
  s->clique.values = 3;
  s->clique.scores = kUnary;
  s->clique.row_stride = 3;

  s->chain = (chorale_chain){.struct_size = sizeof s->chain};
  s->chain.length = SCENE_LENGTH;
  s->chain.labels = 2;
  s->chain.unary = kUnary;
  s->strided = s->chain; /* must be copied to be read, and has matrices of its own */
  s->strided.unary_row_stride = 1;
  s->strided.unary_column_stride = SCENE_LENGTH;
  s->strided.edges = kUnary;
  s->strided.edge_matrices = SCENE_LENGTH - 1;
  s->strided.orientation = CHORALE_ROWS_TO;
  s->chain_options = (chorale_chain_options){.struct_size = sizeof s->chain_options};
  s->chain_options.tokens = kTokens;

  s->instance = (chorale_instance){.struct_size = sizeof s->instance};
  s->instance.length = 1;
  s->instance.labels = 2;
  s->instance.messages = instance_messages;
  s->instance.decode = instance_decode;

  static const int32_t next[] = {0, 1, 1, 1}, actions[] = {-1, 1, -1, 0};
  s->automaton = (chorale_automaton){.struct_size = sizeof s->automaton};
  s->automaton.labels = 2;
  s->automaton.classes = 1;
  s->automaton.states = 2;
  s->automaton.values = 2;
  s->automaton.next = next;
  s->automaton.actions = actions;

  static const int32_t kinds[] = {1, 0};
  s->map = (chorale_label_map){.struct_size = sizeof s->map};
  s->map.labels = s->map.kinds = 2;
  s->map.kind_of_label = kinds;

  static const int32_t classes[] = {0, 0, 0};
  s->member_arrays = (MemberArrays){classes, kTokens, 0};

  s->words = (chorale_agreement){.struct_size = sizeof s->words};
  static const int32_t stop[] = {7, 5};
  s->words.stop = stop;
  s->words.stop_count = 2;

  s->corpus = (chorale_corpus){.struct_size = sizeof s->corpus};
  static const int64_t offsets[] = {0, 2, 3}, groups[] = {4, 4};
  s->corpus.chains = 2;
  s->corpus.offsets = offsets;
  s->corpus.labels = 2;
  s->corpus.unary = kUnary;
  s->corpus.tokens = kTokens;
  s->corpus.groups = groups;
  static const int32_t uncounted[] = {1}, forced[] = {-1, -1, 0};
  static const uint8_t allowed[] = {1, 1, 1, 1, 1, 0};
  s->corpus.uncounted = uncounted;
  s->corpus.uncounted_count = 1;
  s->corpus.edges = kUnary; /* a matrix for each position */
  s->corpus.forced = forced;
  s->corpus.allowed = allowed;
  for (int k = 0; k < 2; ++k)
    s->agreements[k] = (chorale_agreement){.struct_size = sizeof s->agreements[k]};
  static const int32_t keys[] = {3, 3, 3};
  s->agreements[1].kind = CHORALE_AGREE_KEYS;
  s->agreements[1].strength = 20; /* all three positions take one label: one changes */
  s->agreements[1].keys = keys;
  s->agreements[1].stop = stop;
  s->agreements[1].stop_count = 2;

  static const int64_t both[] = {0, 1};
  for (int k = 0; k < 3; ++k) {
    s->rule[k] = (chorale_rule){.struct_size = sizeof s->rule[k]};
    s->rule[k].each = k < 2;
  }
  s->rule[0].kind = CHORALE_RULE_AT_MOST_TOKENS;
  s->rule[0].price = 0.125;
  s->rule[1].kind = CHORALE_RULE_NEVER;
  s->rule[1].chains = both + 1; /* excludes the only label that chain 1 may have */
  s->rule[1].chain_count = 1;
  s->rule[2].kind = CHORALE_RULE_NEVER; /* changes a label of chain 0 */
  s->rule[2].chains = both;
  s->rule[2].chain_count = 1;
  s->rules = (chorale_rules){.struct_size = sizeof s->rules};
  s->rules.rules = s->rule;
  s->rules.count = 3;

  s->run_options = (chorale_run_options){.struct_size = sizeof s->run_options};
  s->run_options.rounds = 3;
  s->run_options.bound_steps = 2;
  s->run_options.max_states = 16;
  s->run_options.effort = 0.01; /* a call is made hundreds of times, once for each allocation */
  s->rich_options = s->run_options;
  s->ruled_options = s->run_options;
  s->ruled_options.rules = &s->rules;
  s->rich_options.restrict_range = 1;
  s->rich_options.exact_marginals = 1;
  s->rich_options.message_element = CHORALE_MESSAGES_MAGNITUDE16;

  s->counts[0] = s->counts[1] = UNTOUCHED;
  s->rows[0] = s->numbers;
  s->rows[1] = s->numbers + 8;
}

static void describe_handles(Scene *s) {
  s->chain.transitions = s->has.transitions;
  for (int k = 0; k < 2; ++k) {
    s->attachments[k] = (chorale_attachment){.struct_size = sizeof s->attachments[k]};
    s->attachments[k].property = s->has.property;
  }
  s->attachments[1].dictionary = s->has.dictionary;
  s->found_setup = (chorale_clique_setup){.struct_size = sizeof s->found_setup};
  s->property_setup = (chorale_clique_setup){.struct_size = sizeof s->property_setup};
  s->property_setup.property = s->has.property;
  s->property_setup.potential = s->has.potential;
  s->position_setup = (chorale_clique_setup){.struct_size = sizeof s->position_setup};
  static const int32_t to_values[] = {1, 0};
  s->position_setup.values = 2;
  s->position_setup.label_values = to_values;
  s->position_setup.labels = 2;
  s->position_setup.potential = s->has.potential;
  s->word_setup = (chorale_clique_setup){.struct_size = sizeof s->word_setup};
  s->word_setup.potential = s->has.potential;
  s->centred_setup = (chorale_clique_setup){.struct_size = sizeof s->centred_setup};
  static const chorale_potential *centre[2];
  centre[0] = s->has.potential;
  centre[1] = s->has.potential;
  s->centred_setup.values = 2;
  s->centred_setup.centre_potentials = centre;
  s->centred_setup.centre_values = 2;
  s->centred_setup.centre_label_values = to_values;
  s->centred_setup.centre_labels = 2;
}

/* ---- Handles ------------------------------------------------------------------------------ */

/* Opens a builder. Cliques 0, 1, 2: over the property, over positions, centred; chains 0, 1, 2 and
 * an instance. There are eight members, for which builders allocate memory at first, so the next
 * one allocates. */
static void open_builder(Scene *s) {
  chorale_error error;
  OK(chorale_model_builder_create(s->host, &s->has.builder, &error));
  chorale_model_builder *builder = s->has.builder;
  for (int k = 0; k < 3; ++k)
    OK(chorale_model_builder_add_chain(builder, k == 1 ? &s->strided : &s->chain,
                                       &s->chain_options, NULL, &error));
  OK(chorale_model_builder_add_instance(builder, &s->instance, NULL, &error));
  OK(chorale_model_builder_add_cliques(builder, &s->property_setup, 1, NULL, &error));
  OK(chorale_model_builder_add_cliques(builder, &s->position_setup, 1, NULL, &error));
  OK(chorale_model_builder_add_cliques(builder, &s->centred_setup, 1, NULL, &error));
  OK(put_chain(builder, 0, 0, &s->member_arrays, &error));
  OK(put_chain(builder, 0, 3, NULL, &error));
  for (int t = 0; t < 3; ++t)
    OK(put_position(builder, 1, 0, t, &error));
  for (int t = 0; t < 3; ++t)
    OK(put_position(builder, 2, 1, t, &error));
  OK(put_centre(builder, 2, 0, 0, &error));
}

/* Opens a model of two items connected by a clique. */
static void open_wide(Scene *s) {
  chorale_error error;
  chorale_model_builder *builder = NULL;
  chorale_potential *together = NULL;
  double scores[WIDE_LABELS] = {0};
  OK(chorale_potential_create_square_makespan(s->host, WIDE_LABELS, 2, NULL, &together, &error));
  OK(chorale_model_builder_create(s->host, &builder, &error));
  chorale_clique_setup setup = {.struct_size = sizeof setup};
  setup.potential = together;
  OK(chorale_model_builder_add_cliques(builder, &setup, 1, NULL, &error));
  for (int k = 0; k < 2; ++k) {
    chorale_chain chain = {.struct_size = sizeof chain};
    chain.length = 1;
    chain.labels = WIDE_LABELS;
    chain.unary = scores;
    scores[3] = k == 0 ? 3 : 0;
    scores[200] = k == 0 ? 0 : 1;
    OK(chorale_model_builder_add_chain(builder, &chain, NULL, NULL, &error));
    OK(put_position(builder, 0, k, 0, &error));
  }
  OK(chorale_model_builder_freeze(builder, &s->wide, &error));
  chorale_model_builder_destroy(builder);
  chorale_potential_release(together);
  chorale_run_options quick = s->run_options;
  quick.rounds = 1;
  quick.bound_steps = 0;
  OK(chorale_run_create(s->host, s->wide, &quick, NULL, &s->wide_run, &error));
  OK(chorale_run_solve(s->wide_run, NULL, &error));
  quick.edits = 1;
  OK(chorale_run_create(s->host, s->wide, &quick, NULL, &s->edit_run, &error));
  OK(chorale_run_solve(s->edit_run, NULL, &error));
}

/* Calls each solver that is to be ready once, so that it has all its memory. */
static void open_solvers(Scene *s) {
  chorale_error error;
  int32_t labels[32];
  double numbers[64], *rows[2] = {numbers, numbers + 32};
  int64_t found;
  OK(chorale_clique_solver_create(s->host, &s->has.clique_solver, &error));
  OK(chorale_clique_solver_create(s->host, &s->ready_clique_solver, &error));
  OK(chorale_clique_solve(s->ready_clique_solver, s->majority, &s->clique, NULL, NULL, NULL,
                          &error));
  OK(chorale_clique_max_marginals(s->ready_clique_solver, s->majority, &s->clique, NULL, numbers, 3,
                                  NULL, NULL, &error));
  OK(chorale_chain_solver_create(s->host, &s->has.chain_solver, &error));
  OK(chorale_chain_solver_create(s->host, &s->ready_chain_solver, &error));
  OK(chorale_chain_max_marginals(s->ready_chain_solver, &s->chain, numbers, 0, NULL, NULL, labels,
                                 NULL, &error));
  OK(chorale_chain_k_best(s->ready_chain_solver, &s->chain, 3, labels, 0, numbers, &found, &error));
  OK(chorale_chain_messages(s->ready_chain_solver, &s->chain, s->attachments, 2, NULL, rows, NULL,
                            &error));
  OK(chorale_chain_decode(s->ready_chain_solver, &s->chain, s->attachments, 2, NULL, NULL, NULL,
                          NULL, &error));
}

const int32_t *lesson_gold(void) {
  static const int32_t gold[] = {0, 1, 1, 1};
  return gold;
}

const chorale_problem *const *lesson_of(const Scene *s) {
  static const chorale_problem *lessons[1];
  lessons[0] = s->lesson;
  return lessons;
}

const int64_t *first_clique(void) {
  static const int64_t first[] = {0};
  return first;
}

static void open_lesson(Scene *s) {
  static const double unary[] = {1, 0, 0.5, 0, -1, 0, 0.25, 0};
  static const int64_t groups[] = {0, 0, 1, 1};
  static const int32_t keys[] = {3, 3, 3, 3};
  chorale_error error;
  s->lesson_corpus = (chorale_corpus){.struct_size = sizeof s->lesson_corpus};
  s->lesson_corpus.chains = 4;
  s->lesson_corpus.labels = 2;
  s->lesson_corpus.unary = unary;
  s->lesson_corpus.groups = groups;
  s->lesson_agreement = (chorale_agreement){.struct_size = sizeof s->lesson_agreement};
  s->lesson_agreement.kind = CHORALE_AGREE_KEYS;
  s->lesson_agreement.keys = keys;
  OK(chorale_problem_create_agreeing(s->host, &s->lesson_corpus, &s->lesson_agreement, 1,
                                     lesson_gold(), &s->lesson, &error));
  const chorale_problem *lesson = s->lesson;
  s->learn_options = (chorale_learn_options){.struct_size = sizeof s->learn_options};
  static char json[2048]; /* learnt from the first scene, reused to save time */
  if (json[0] == '\0') {
    OK(chorale_learn(NULL, &lesson, 1, &s->learn_options, &s->has.learnt, &error));
    OK(chorale_learnt_text(s->has.learnt, CHORALE_TEXT_JSON, json, sizeof json, NULL, &error));
    chorale_learnt_destroy(s->has.learnt);
  }
  OK(chorale_learnt_read(s->host, json, strlen(json), &s->has.learnt, &error));
}

/* Three mentions that are added one after the other, the last of which outvotes the first two. */
static void open_table(Scene *s) {
  static const int32_t key[] = {0, 0, 0, 1}, label[] = {0, 0, 1, 0};
  static const double confidence[] = {0.6, 0.6, 0.95, 0.8};
  chorale_error error;
  s->evidence = (chorale_evidence){.struct_size = sizeof s->evidence};
  s->evidence.most = 4;
  s->evidence.once = 6;
  s->mentions = (chorale_mentions){.struct_size = sizeof s->mentions};
  s->mentions.count = 4;
  s->mentions.keys = s->mentions.labels = 2;
  s->mentions.key = key;
  s->mentions.label = label;
  s->mentions.confidence = confidence;
  OK(chorale_ledger_create(s->host, 2, &s->evidence, &s->has.ledger, &error));
  chorale_mentions one = s->mentions;
  one.count = 1;
  for (int i = 0; i < 4; ++i) {
    one.key = key + i;
    one.label = label + i;
    one.confidence = confidence + i;
    OK(chorale_ledger_add(s->has.ledger, &one, NULL, &error));
  }
}

/* Two records must be together; a third has the source of the first. */
static void describe_pairs(chorale_scored_pairs *pairs) {
  static const int32_t first[] = {0, 1, 0, 2, 3, 1}, second[] = {1, 2, 2, 3, 4, 4};
  static const double score[] = {2, 3, -1.5, 1, INFINITY, -1};
  static const int32_t source[] = {0, 1, -1, 0, -1};
  *pairs = (chorale_scored_pairs){.struct_size = sizeof *pairs, .records = 5, .count = 6};
  pairs->first = first;
  pairs->second = second;
  pairs->score = score;
  pairs->source = source;
  pairs->greatest_size = 4;
}

void open_scene(const chorale_host *host, Scene *s) {
  chorale_error error;
  memset(s, 0, sizeof *s);
  s->host = host;
  s->pipe = -1;
  describe_pairs(&s->pairs);
  describe(s);
  Handles *has = &s->has;
  OK(chorale_cancel_create(host, &has->cancel, &error));
  OK(chorale_potential_create_potts(host, 2, 0.5, NULL, &has->potential, &error));
  OK(chorale_potential_create_majority(host, 3, kUnary, 3, NULL, NULL, &s->majority, &error));
  chorale_transitions_options options = {.struct_size = sizeof options};
  options.start = kUnary;
  OK(chorale_transitions_create(host, 2, kEdges, &options, &has->transitions, &error));
  OK(chorale_property_create(host, &s->automaton, &has->property, &error));
  OK(chorale_dictionary_create(host, kTokens, 3, CHORALE_UNLISTED_AS_VALUE, &has->dictionary,
                               &error));
  describe_handles(s);
  open_solvers(s);
  open_builder(s);
  open_wide(s);
  OK(build_everything(host, &has->problem, &error));
  has->model = chorale_model_retain(chorale_problem_model(has->problem));
  OK(chorale_run_create(host, has->model, &s->run_options, NULL, &has->run, &error));
  OK(chorale_run_solve(has->run, NULL, &error));
  OK(chorale_run_create(host, has->model, &s->run_options, NULL, &s->fresh_run, &error));
  OK(chorale_decode(host, &s->corpus, s->agreements, 2, &s->ruled_options, &has->decoded, &error));
  OK(chorale_problem_create(host, has->model, &s->plain_problem, &error));
  open_lesson(s);
  OK(chorale_prices_create(host, has->model, first_clique(), 1, &s->run_options, &has->prices,
                           &error));
  OK(chorale_prices_solve(has->prices, NULL, 0, NULL, NULL, &error));
  open_table(s);
  s->saved = save(has->problem);
  (void)snprintf(s->path, sizeof s->path, "%s/problem", directory);
  if (directory[0] == '\0')
    return;
  FILE *file = fopen(s->path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(s->saved.bytes, 1, s->saved.size, file), s->saved.size);
  fclose(file);
}

static void drop_handles(Handles *h) {
  chorale_learnt_destroy(h->learnt);
  chorale_prices_destroy(h->prices);
  chorale_ledger_destroy(h->ledger);
  chorale_decoded_destroy(h->decoded);
  chorale_run_destroy(h->run);
  chorale_problem_destroy(h->problem);
  chorale_model_release(h->model);
  chorale_model_builder_destroy(h->builder);
  chorale_chain_solver_destroy(h->chain_solver);
  chorale_clique_solver_destroy(h->clique_solver);
  chorale_dictionary_release(h->dictionary);
  chorale_property_release(h->property);
  chorale_transitions_release(h->transitions);
  chorale_potential_release(h->potential);
  chorale_cancel_destroy(h->cancel);
}

void close_scene(Scene *s) {
  drop_handles(&s->made);
  chorale_run_destroy(s->wide_run);
  chorale_run_destroy(s->edit_run);
  chorale_run_destroy(s->fresh_run);
  chorale_model_release(s->wide);
  chorale_problem_destroy(s->plain_problem);
  chorale_problem_destroy(s->lesson);
  chorale_chain_solver_destroy(s->ready_chain_solver);
  chorale_clique_solver_destroy(s->ready_clique_solver);
  chorale_potential_release(s->majority);
  drop_handles(&s->has);
  drop_saved(&s->saved);
  if (s->pipe >= 0)
    close(s->pipe);
  if (directory[0] != '\0')
    (void)unlink(s->path);
}
