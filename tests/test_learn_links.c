/* Learning on graphs: nodes are centres of cliques of their neighbours. A dependence between
 * neighbours is found, be they alike or not; where there is none, nothing is applied; potentials
 * are of the log-odds of the gold labels. */
#include "fixture_learn.h"

enum { LABELS = 3, NODES = 12 };

typedef enum Relation { NONE, MANY, ALIKE, NEXT } Relation;

/* Groups of NODES nodes, each a random tree. The label of a node is drawn given that of its parent:
 * with probability 3/4 the same label (ALIKE) or the next one (NEXT), else any. MANY: nodes with three
 * neighbours or more have label 0, the others any. Scores are noisy. */
typedef struct Trees {
  int64_t groups, nodes;
  int32_t *parent, *gold; /* parent: -1 for a root */
  double *scores;
} Trees;

static Trees plant(Random *random, int64_t groups, Relation relation) {
  Trees trees = {groups, groups * NODES, NULL, NULL, NULL};
  trees.parent = calloc((size_t)trees.nodes, sizeof *trees.parent);
  trees.gold = calloc((size_t)trees.nodes, sizeof *trees.gold);
  trees.scores = calloc((size_t)(trees.nodes * LABELS), sizeof *trees.scores);
  for (int32_t i = 0; i < trees.nodes; ++i) {
    const int32_t place = i % NODES;
    trees.parent[i] = place == 0 ? -1 : i - random_int(random, 1, place);
    trees.gold[i] = random_int(random, 0, LABELS - 1);
    if (place > 0 && relation >= ALIKE && random_chance(random, 75))
      trees.gold[i] = (trees.gold[trees.parent[i]] + (relation == NEXT)) % LABELS;
  }
  for (int32_t i = 0; i < trees.nodes; ++i) {
    int32_t neighbours = trees.parent[i] >= 0;
    for (int32_t k = i + 1; k < i / NODES * NODES + NODES; ++k)
      neighbours += trees.parent[k] == i;
    if (relation == MANY && neighbours >= 3)
      trees.gold[i] = 0;
    for (int32_t v = 0; v < LABELS; ++v) /* a sum of three is near a normal distribution */
      trees.scores[i * LABELS + v] =
          (trees.gold[i] == v) +
          2 * (random_unit(random) + random_unit(random) + random_unit(random) - 1.5);
  }
  return trees;
}

static void uproot(Trees *trees) {
  free(trees->parent);
  free(trees->gold);
  free(trees->scores);
}

/* The cliques of kind 0: with NEXT, over the children of each node, so that the direction of a link
 * is known; otherwise over all its neighbours; with MANY, over these and the node, without a centre. */
static chorale_problem *problem_of(const Trees *trees, Relation relation) {
  chorale_error error;
  chorale_potential *potential = NULL;
  OK(chorale_potential_create_potts(NULL, LABELS, 1, NULL, &potential, &error));
  const chorale_potential *const potentials[LABELS] = {potential, potential, potential};
  chorale_clique_setup setup = {.struct_size = sizeof setup};
  setup.values = LABELS;
  if (relation == MANY) {
    setup.potential = potential;
  } else {
    setup.centre_values = LABELS;
    setup.centre_potentials = potentials;
  }
  chorale_model_builder *builder = NULL;
  OK(chorale_model_builder_create(NULL, &builder, &error));
  for (int64_t i = 0; i < trees->nodes; ++i) {
    chorale_chain chain = {.struct_size = sizeof chain};
    chain.length = 1;
    chain.labels = LABELS;
    chain.unary = trees->scores + i * LABELS;
    chorale_chain_options options = {.struct_size = sizeof options};
    options.group = i / NODES;
    OK(chorale_model_builder_add_chain(builder, &chain, &options, NULL, &error));
    OK(chorale_model_builder_add_cliques(builder, &setup, 1, NULL, &error));
    OK((relation == MANY ? put_position : put_centre)(builder, i, i, 0, &error));
  }
  for (int64_t i = 0; i < trees->nodes; ++i)
    if (trees->parent[i] >= 0) {
      OK(put_position(builder, trees->parent[i], i, 0, &error));
      if (relation != NEXT)
        OK(put_position(builder, i, trees->parent[i], 0, &error));
    }
  chorale_model *model = NULL;
  chorale_problem *problem = NULL;
  OK(chorale_model_builder_freeze(builder, &model, &error));
  OK(chorale_problem_create(NULL, model, &problem, &error));
  int32_t *kinds = calloc((size_t)trees->nodes, sizeof *kinds);
  OK(chorale_problem_set_cliques(problem, kinds, NULL, &error));
  OK(chorale_problem_set_gold(problem, trees->gold, &error));
  free(kinds);
  chorale_model_release(model);
  chorale_model_builder_destroy(builder);
  chorale_potential_release(potential);
  return problem;
}

/* Wrong labels of other trees, by the scores alone and under what was learnt. */
static void count_errors(const chorale_learnt *learnt, const Trees *trees, Relation relation,
                         int64_t *alone, int64_t *together) {
  chorale_problem *problem = problem_of(trees, relation);
  int32_t *labels = calloc(2 * (size_t)trees->nodes, sizeof *labels);
  label_under(learnt, problem, trees->nodes, labels, labels + trees->nodes);
  for (int64_t i = 0; i < trees->nodes; ++i) {
    *together += labels[i] != trees->gold[i];
    *alone += labels[trees->nodes + i] != trees->gold[i];
  }
  free(labels);
  chorale_problem_destroy(problem);
}

/* From 60 trees a dependence is always found, and mends a third of the errors of other trees. */
static void dependence_is_found(void **state) {
  (void)state;
  Random random = {test_seed()};
  for (Relation relation = ALIKE; relation <= NEXT; ++relation) {
    int64_t alone = 0, together = 0;
    for (int64_t round = 0; round < test_rounds(6); ++round) {
      Trees trees = plant(&random, 60, relation), other = plant(&random, 200, relation);
      for (int64_t i = random_int(&random, 0, 9); i < trees.nodes; i += 10)
        trees.gold[i] = -1; /* unknown */
      chorale_problem *problem = problem_of(&trees, relation);
      chorale_learnt *learnt = learn(problem, NULL);
      assert_int_equal(report_of(learnt).applied, 1);
      assert_true(report_of(learnt).agreement_p <= 0.01);
      count_errors(learnt, &other, relation, &alone, &together);
      chorale_learnt_destroy(learnt);
      chorale_problem_destroy(problem);
      uproot(&trees);
      uproot(&other);
    }
    assert_true((double)together < 0.75 * (double)alone);
  }
}

/* Where the gold labels of each group are all the same, exchanges change nothing. Then costs alone must
 * show that the members depend on their centre. */
static void equal_labels_are_judged_by_costs(void **state) {
  (void)state;
  Random random = {test_seed() + 4};
  Trees trees = plant(&random, 60, ALIKE);
  for (int64_t i = 0; i < trees.nodes; ++i) {
    const int32_t last = trees.gold[i];
    trees.gold[i] = trees.gold[i / NODES * NODES];
    for (int32_t v = 0; v < LABELS; ++v)
      trees.scores[i * LABELS + v] += (v == trees.gold[i]) - (v == last);
  }
  chorale_problem *problem = problem_of(&trees, ALIKE);
  chorale_learnt *learnt = learn(problem, NULL);
  assert_int_equal(report_of(learnt).applied, 1);
  assert_true(report_of(learnt).agreement_p < 0 && report_of(learnt).gain_p <= 0.05);
  chorale_learnt_destroy(learnt);
  chorale_problem_destroy(problem);
  uproot(&trees);
}

/* Where neighbours do not depend on each other, p is at most 0.05 by chance alone: in one round of
 * twenty; also if nodes with many neighbours have labels of their own. Above 0.01 nothing is applied. */
static void independence_is_left_alone(void **state) {
  (void)state;
  const int64_t rounds = test_rounds(80);
  if (rounds < 40)
    skip();
  Random random = {test_seed() + 1};
  for (Relation relation = NONE; relation <= MANY; ++relation) {
    int64_t applied = 0, credible = 0;
    for (int64_t round = 0; round < rounds; ++round) {
      Trees trees = plant(&random, 40, relation);
      chorale_problem *problem = problem_of(&trees, relation);
      chorale_learnt *learnt = learn(problem, NULL);
      const chorale_learnt_report report = report_of(learnt);
      assert_true(!report.applied || report.agreement_p <= 0.01);
      applied += report.applied;
      credible += report.agreement_p <= 0.05;
      chorale_learnt_destroy(learnt);
      chorale_problem_destroy(problem);
      uproot(&trees);
    }
    /* 4 of 80 are expected to be credible, and fewer to be applied. */
    assert_true(applied <= rounds / 10);
    assert_true(credible <= 3 * rounds / 20);
  }
}

/* The potential of a centre is the strength times the sum of the log-odds of the gold labels,
 * log(p(v | c) / p(v)), where 1 is added to each count. A result that is written and read has the same
 * potential, bit by bit. */
static void potentials_are_as_stated(void **state) {
  (void)state;
  Random random = {test_seed() + 2};
  chorale_error error;
  for (int64_t round = 0; round < test_rounds(6); ++round) {
    const Relation relation = round % 2 == 0 ? NEXT : ALIKE;
    Trees trees = plant(&random, 60, relation);
    double count[LABELS][LABELS], row[LABELS] = {0}, column[LABELS] = {0}, all = 0;
    for (int32_t c = 0; c < LABELS; ++c)
      for (int32_t v = 0; v < LABELS; ++v)
        count[c][v] = 1;
    for (int64_t i = 0; i < trees.nodes; ++i)
      if (trees.parent[i] >= 0) {
        const int32_t child = trees.gold[i], parent = trees.gold[trees.parent[i]];
        ++count[parent][child];
        count[child][parent] += relation != NEXT;
      }
    for (int32_t c = 0; c < LABELS; ++c)
      for (int32_t v = 0; v < LABELS; ++v) {
        row[c] += count[c][v];
        column[v] += count[c][v];
        all += count[c][v];
      }
    chorale_problem *problem = problem_of(&trees, relation);
    chorale_learnt *learnt = learn(problem, NULL);
    assert_int_equal(report_of(learnt).applied, 1);
    chorale_learnt_kind kind;
    OK(chorale_learnt_kinds(learnt, &kind, sizeof kind, 1, NULL, &error));
    assert_int_equal(kind.uses_log_odds, 1);
    char *text = text_of(learnt, CHORALE_TEXT_JSON);
    chorale_learnt *again = NULL;
    OK(chorale_learnt_read(NULL, text, strlen(text), &again, &error));
    for (int32_t c = 0; c < LABELS; ++c) {
      chorale_potential *potential = NULL, *read = NULL;
      OK(chorale_learnt_potential(NULL, learnt, 0, LABELS, c, &potential, &error));
      OK(chorale_learnt_potential(NULL, again, 0, LABELS, c, &read, &error));
      for (int32_t v = 0; v < LABELS; ++v) {
        const double odds = log(count[c][v] * all / (row[c] * column[v]));
        int64_t counts[LABELS] = {0};
        double score = 0, score_read = 0;
        counts[v] = 2;
        OK(chorale_potential_score(potential, counts, LABELS, 2, &score, &error));
        OK(chorale_potential_score(read, counts, LABELS, 2, &score_read, &error));
        assert_true(fabs(score - 2 * kind.strength * odds) < 2e-9);
        assert_true(score == score_read);
      }
      chorale_potential_release(read);
      chorale_potential_release(potential);
    }
    free(text);
    chorale_learnt_destroy(again);
    chorale_learnt_destroy(learnt);
    chorale_problem_destroy(problem);
    uproot(&trees);
  }
}

/* Scores that are four times too sure ask for a greater strength, but no neighbour counts more than
 * once. */
static void neighbours_count_at_most_once(void **state) {
  (void)state;
  Random random = {test_seed() + 3};
  chorale_error error;
  Trees trees = plant(&random, 60, ALIKE);
  for (int64_t k = 0; k < trees.nodes * LABELS; ++k)
    trees.scores[k] *= 4;
  chorale_problem *problem = problem_of(&trees, ALIKE);
  chorale_learnt *learnt = learn(problem, NULL);
  chorale_learnt_kind kind;
  OK(chorale_learnt_kinds(learnt, &kind, sizeof kind, 1, NULL, &error));
  assert_true(kind.strength == 1);
  chorale_learnt_destroy(learnt);
  chorale_problem_destroy(problem);
  uproot(&trees);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(dependence_is_found),
      cmocka_unit_test(equal_labels_are_judged_by_costs),
      cmocka_unit_test(independence_is_left_alone),
      cmocka_unit_test(potentials_are_as_stated),
      cmocka_unit_test(neighbours_count_at_most_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
