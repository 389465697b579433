/* Creates a made-up text, and collects all results of a run over it. */
#include "fixture_text.h"

static void *room(int64_t count, size_t size) {
  void *memory = calloc((size_t)(count > 0 ? count : 1), size);
  assert_non_null(memory);
  return memory;
}

static void make_up(Text *text) {
  const TextShape *shape = &text->shape;
  Random random = {shape->seed};
  text->first = room(shape->chains + 1, sizeof *text->first);
  for (int64_t i = 0; i < shape->chains; ++i)
    text->first[i + 1] = text->first[i] + random_int(&random, 1, (int32_t)shape->longest);
  text->positions = text->first[shape->chains];
  const int64_t m = shape->labels;
  text->scores = room(text->positions * m, sizeof *text->scores);
  text->tokens = room(text->positions, sizeof *text->tokens);
  for (int64_t t = 0; t < text->positions; ++t) {
    /* Low word numbers are frequent; each word prefers one label. */
    const double u = random_unit(&random);
    const int32_t word = (int32_t)(u * u * (double)shape->words);
    text->tokens[t] = word;
    for (int64_t y = 0; y < m; ++y)
      text->scores[t * m + y] = 2 * random_unit(&random) + (y == word % m ? 0.4 : 0);
  }
}

void describe_sentence(const Text *text, int64_t chain, chorale_chain *described) {
  *described = (chorale_chain){.struct_size = sizeof *described};
  described->length = text->first[chain + 1] - text->first[chain];
  described->labels = text->shape.labels;
  described->unary = text->scores + text->first[chain] * text->shape.labels;
  described->transitions = text->transitions;
}

static void share(Text *text) {
  chorale_error error;
  const int32_t m = (int32_t)text->shape.labels;
  double *matrix = room((int64_t)m * m, sizeof *matrix);
  Random random = {text->shape.seed + 1};
  for (int32_t e = 0; e < m * m; ++e)
    matrix[e] = random_unit(&random) - 0.5;
  OK(chorale_transitions_create(NULL, m, matrix, NULL, &text->transitions, &error));
  chorale_potential_options options = {.struct_size = sizeof options};
  options.scale = CHORALE_SCALE_BY_MEMBERS;
  OK(chorale_potential_create_potts(NULL, m, text->shape.lambda, &options, &text->potts, &error));
  for (int32_t v = 0; v < m; ++v)
    matrix[v * m + v] += 1;
  OK(chorale_potential_create_majority(NULL, m, matrix, m, NULL, NULL, &text->majority, &error));
  chorale_label_map map = {.struct_size = sizeof map};
  map.labels = map.kinds = m;
  OK(chorale_property_create_first_label(NULL, &map, NULL, &text->property, &error));
  free(matrix);
}

static void add_properties(Text *text, chorale_model_builder *builder) {
  chorale_error error;
  const int64_t size = text->shape.in_group;
  for (int64_t first = 0; size > 0 && first < text->shape.chains; first += size) {
    chorale_clique_setup setup = {.struct_size = sizeof setup};
    setup.property = text->property;
    setup.potential = text->majority;
    int64_t clique = -1;
    OK(chorale_model_builder_add_cliques(builder, &setup, 1, &clique, &error));
    for (int64_t i = first; i < first + size && i < text->shape.chains; ++i)
      OK(put_chain(builder, clique, i, NULL, &error));
  }
}

void open_text(const TextShape *shape, const chorale_host *host, Text *text) {
  chorale_error error;
  memset(text, 0, sizeof *text);
  text->shape = *shape;
  make_up(text);
  share(text);
  chorale_model_builder *builder = NULL;
  OK(chorale_model_builder_create(host, &builder, &error));
  for (int64_t i = 0; i < shape->chains; ++i) {
    chorale_chain chain;
    describe_sentence(text, i, &chain);
    chorale_chain_options options = {.struct_size = sizeof options};
    options.borrow = shape->is_borrowed;
    options.tokens = text->tokens + text->first[i];
    OK(chorale_model_builder_add_chain(builder, &chain, &options, NULL, &error));
  }
  chorale_agreement words = {.struct_size = sizeof words};
  OK(put_words(builder, text->potts, &words, NULL, NULL, &error));
  add_properties(text, builder);
  OK(chorale_model_builder_freeze(builder, &text->model, &error));
  chorale_model_builder_destroy(builder);
}

void close_text(Text *text) {
  chorale_model_release(text->model);
  chorale_property_release(text->property);
  chorale_potential_release(text->potts);
  chorale_potential_release(text->majority);
  chorale_transitions_release(text->transitions);
  free(text->first);
  free(text->scores);
  free(text->tokens);
}

void tell(const Text *text, const chorale_run *run, Story *story) {
  chorale_error error;
  memset(story, 0, sizeof *story);
  story->result = (chorale_run_result){.struct_size = sizeof story->result};
  OK(chorale_run_get_result(run, &story->result, &error));
  story->labels = room(text->positions, sizeof *story->labels);
  story->own = room(text->positions, sizeof *story->own);
  OK(chorale_run_labels(run, CHORALE_ALL_CHAINS, CHORALE_TOGETHER, story->labels, text->positions,
                        NULL, &error));
  OK(chorale_run_labels(run, CHORALE_ALL_CHAINS, CHORALE_ALONE, story->own, text->positions, NULL,
                        &error));
  size_t needed = 0;
  OK(chorale_run_json(run, NULL, 0, &needed, &error));
  story->json = room((int64_t)needed, 1);
  OK(chorale_run_json(run, story->json, needed, &needed, &error));
}

void forget(Story *story) {
  free(story->labels);
  free(story->own);
  free(story->json);
}

const char *compare_stories(const Text *text, const Story *a, const Story *b) {
  if (memcmp(&a->result, &b->result, sizeof a->result) != 0)
    return complain("results differ: outcome %d and %d, score %.17g and %.17g, bound %.17g and "
                    "%.17g, rounds %lld and %lld, updates %lld %lld and %lld %lld",
                    a->result.outcome, b->result.outcome, a->result.score, b->result.score,
                    a->result.upper_bound, b->result.upper_bound, (long long)a->result.rounds,
                    (long long)b->result.rounds, (long long)a->result.chain_updates,
                    (long long)a->result.clique_updates, (long long)b->result.chain_updates,
                    (long long)b->result.clique_updates);
  const size_t labels = sizeof(int32_t) * (size_t)text->positions;
  if (memcmp(a->labels, b->labels, labels) != 0 || memcmp(a->own, b->own, labels) != 0)
    return complain("labels differ");
  return strcmp(a->json, b->json) == 0 ? NULL : complain("JSON differs");
}
