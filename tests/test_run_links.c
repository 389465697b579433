/* Link-based classification: papers that cite each other, each the centre of a clique of its
 * neighbours, which gains by the share of neighbours with the centre's label. The classifier's
 * scores are made up: the true label plus noise. */
#include "fixture.h"

enum { TOPICS = 7, MOST_PAPERS = 4096, MOST_LINKS = 16384 };

typedef struct Papers {
  int64_t count, links;
  char name[MOST_PAPERS][24];
  int32_t topic[MOST_PAPERS];
  int32_t from[MOST_LINKS], to[MOST_LINKS];
  int64_t degree[MOST_PAPERS];
  double scores[MOST_PAPERS][TOPICS];
} Papers;

static int32_t paper_of(const Papers *papers, const char *name) {
  for (int64_t i = 0; i < papers->count; ++i) /* few enough for a plain search */
    if (strcmp(papers->name[i], name) == 0)
      return (int32_t)i;
  return -1;
}

static int read_papers(Papers *papers) {
  static char line[1 << 16];
  static char topics[TOPICS][32];
  int32_t known = 0;
  char topic[32], other[24];
  FILE *nodes = fopen(SHARED_DATA "/cora_links/nodes.tsv", "r");
  FILE *edges = fopen(SHARED_DATA "/cora_links/edges.tsv", "r");
  memset(papers, 0, sizeof *papers);
  while (nodes && edges && fgets(line, sizeof line, nodes)) {
    assert_true(papers->count < MOST_PAPERS);
    assert_int_equal(sscanf(line, "%23s %31s", papers->name[papers->count], topic), 2);
    int32_t k = 0;
    while (k < known && strcmp(topics[k], topic) != 0)
      ++k;
    if (k == known) {
      assert_true(known < TOPICS);
      strcpy(topics[known++], topic);
    }
    papers->topic[papers->count++] = k;
  }
  while (nodes && edges && fgets(line, sizeof line, edges)) {
    char name[24];
    assert_true(papers->links < MOST_LINKS);
    assert_int_equal(sscanf(line, "%23s %23s", name, other), 2);
    const int32_t a = papers->from[papers->links] = paper_of(papers, name);
    const int32_t b = papers->to[papers->links++] = paper_of(papers, other);
    assert_true(a >= 0 && b >= 0);
    ++papers->degree[a];
    ++papers->degree[b];
  }
  if (nodes)
    (void)fclose(nodes);
  if (edges)
    (void)fclose(edges);
  Random random = {test_seed() + 61};
  for (int64_t i = 0; i < papers->count; ++i)
    for (int32_t y = 0; y < TOPICS; ++y)
      papers->scores[i][y] = 3 * random_unit(&random) + (y == papers->topic[i] ? 1.2 : 0);
  return papers->count > 0;
}

/* Cliques are numbered in the order of the papers that have neighbours. */
static chorale_model *link_papers(const Papers *papers, double lambda, int64_t longest) {
  chorale_error error;
  chorale_potential *potentials[TOPICS];
  chorale_potential_options scaled = {.struct_size = sizeof scaled};
  scaled.scale = CHORALE_SCALE_BY_MEMBERS;
  double *tables = calloc((size_t)(TOPICS * longest), sizeof *tables);
  assert_non_null(tables);
  for (int32_t c = 0; c < TOPICS; ++c) {
    for (int32_t v = 0; v < TOPICS; ++v)
      for (int64_t k = 0; k < longest; ++k)
        tables[v * longest + k] = v == c ? lambda * (double)k : 0;
    OK(chorale_potential_create_sum(NULL, TOPICS, tables, TOPICS, longest, longest, &scaled,
                                    &potentials[c], &error));
  }
  free(tables);
  chorale_model_builder *builder = NULL;
  OK(chorale_model_builder_create(NULL, &builder, &error));
  chorale_clique_setup setup = {.struct_size = sizeof setup};
  setup.values = TOPICS;
  setup.centre_values = TOPICS;
  setup.centre_potentials = (const chorale_potential *const *)potentials;
  int64_t *clique = calloc((size_t)papers->count, sizeof *clique);
  assert_non_null(clique);
  for (int64_t i = 0; i < papers->count; ++i) {
    chorale_chain chain = {.struct_size = sizeof chain};
    chain.length = 1;
    chain.labels = TOPICS;
    chain.unary = papers->scores[i];
    OK(chorale_model_builder_add_chain(builder, &chain, NULL, NULL, &error));
    if (papers->degree[i] == 0)
      continue;
    OK(chorale_model_builder_add_cliques(builder, &setup, 1, &clique[i], &error));
    OK(put_centre(builder, clique[i], i, 0, &error));
  }
  for (int64_t e = 0; e < papers->links; ++e) {
    const int32_t a = papers->from[e], b = papers->to[e];
    OK(put_position(builder, clique[a], b, 0, &error));
    OK(put_position(builder, clique[b], a, 0, &error));
  }
  free(clique);
  chorale_model *model = NULL;
  OK(chorale_model_builder_freeze(builder, &model, &error));
  chorale_model_builder_destroy(builder);
  for (int32_t c = 0; c < TOPICS; ++c)
    chorale_potential_release(potentials[c]);
  return model;
}

/* Computes equation 1 from the list of links: each link adds to both its ends if their labels
 * agree. */
static double evaluate(const Papers *papers, double lambda, const int32_t *labels) {
  double score = 0;
  for (int64_t i = 0; i < papers->count; ++i)
    score += papers->scores[i][labels[i]];
  for (int64_t e = 0; e < papers->links; ++e) {
    const int32_t a = papers->from[e], b = papers->to[e];
    if (labels[a] == labels[b])
      score += lambda / (double)papers->degree[a] + lambda / (double)papers->degree[b];
  }
  return score;
}

static double accuracy(const Papers *papers, const int32_t *labels) {
  int64_t right = 0;
  for (int64_t i = 0; i < papers->count; ++i)
    right += labels[i] == papers->topic[i];
  return (double)right / (double)papers->count;
}

static void papers_that_cite_each_other(void **state) {
  (void)state;
  static Papers papers;
  if (!read_papers(&papers)) {
    print_message("skipped: no " SHARED_DATA "/cora_links\n");
    skip();
  }
  const double lambda = 2;
  int64_t longest = 0;
  for (int64_t i = 0; i < papers.count; ++i)
    longest = papers.degree[i] > longest ? papers.degree[i] : longest;
  chorale_model *model = link_papers(&papers, lambda, longest + 1);
  static int32_t labels[MOST_PAPERS], own[MOST_PAPERS], again[MOST_PAPERS];
  for (int32_t round = 0; round < 3; ++round) {
    chorale_error error;
    chorale_run_options options = {.struct_size = sizeof options};
    options.threads = round == 1 ? 2 : 1;
    options.rounds = 5;
    options.effort = -1;
    chorale_run *run = NULL;
    OK(chorale_run_create(NULL, model, &options, NULL, &run, &error));
    chorale_run_result result = {.struct_size = sizeof result};
    for (int32_t step = 0; round == 2 && step < 6; ++step)
      OK(chorale_run_step(run, &result, &error));
    OK(round == 2 ? chorale_run_local_search(run, &result, &error)
                  : chorale_run_solve(run, &result, &error));
    OK(chorale_run_labels(run, CHORALE_ALL_CHAINS, CHORALE_TOGETHER, round == 0 ? labels : again,
                          MOST_PAPERS, NULL, &error));
    OK(chorale_run_labels(run, CHORALE_ALL_CHAINS, CHORALE_ALONE, own, MOST_PAPERS, NULL, &error));
    if (round > 0)
      assert_memory_equal(labels, again, sizeof *labels * (size_t)papers.count);
    assert_true(fabs(result.score - evaluate(&papers, lambda, labels)) < 1e-9 * result.score);
    assert_true(fabs(result.own_score - evaluate(&papers, lambda, own)) < 1e-9 * result.score);
    assert_true(result.score >= result.own_score);
    if (round == 0)
      print_message("%lld papers, %lld links: score %.6g from %.6g, accuracy %.3f from %.3f\n",
                    (long long)papers.count, (long long)papers.links, result.score,
                    result.own_score, accuracy(&papers, labels), accuracy(&papers, own));
    chorale_run_destroy(run);
  }
  /* Four of five links connect papers of one topic. */
  assert_true(accuracy(&papers, labels) > accuracy(&papers, own) + 0.05);
  chorale_model_release(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(papers_that_cite_each_other)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
