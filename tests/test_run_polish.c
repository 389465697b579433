/* The polish: no chain gains by another labelling after it; of chains with several members in one
 * clique, its cost, and that no single move would gain. */
#include "fixture_cluster.h"

enum { LONGEST = 6000, LONG = 400, LABELS = 3, WORDS = 20, SHORTEST = 4, SHORT = 7 };

/* Shape of the models. */
typedef enum Shape { CHAIN, TREE, UNDER_A_PROPERTY, SHAPES } Shape;

static const char *const shape_names[SHAPES] = {"chain", "tree", "chain under a property"};

/* A chain whose repeated words agree, for equation 1. */
typedef struct Text {
  Shape shape;
  int32_t length, words;
  double unary[LONGEST * LABELS], edges[LABELS * LABELS];
  int32_t tokens[LONGEST], parents[LONGEST];
  double strength;
  int64_t calls; /* of the potential */
} Text;

static void random_text(Random *random, Shape shape, int32_t length, int32_t words, Text *text) {
  text->shape = shape;
  text->length = length;
  text->words = words;
  text->strength = 0.2 + random_unit(random);
  text->calls = 0;
  for (int32_t i = 0; i < LABELS * LABELS; ++i)
    text->edges[i] = 2 * random_unit(random) - 1;
  for (int32_t t = 0; t < length; ++t) {
    for (int32_t y = 0; y < LABELS; ++y)
      text->unary[t * LABELS + y] = 4 * random_unit(random);
    text->tokens[t] = random_int(random, 0, words - 1);
    text->parents[t] = t == 0 ? -1 : random_int(random, t > 4 ? t - 4 : 0, t - 1);
  }
}

/* A callback for agreement, sum_v n_v^2 / n, that counts its calls. */
static int32_t count_call(void *user, const int64_t *counts, int64_t values, int64_t members,
                          double *score) {
  Text *text = user;
  ++text->calls;
  double sum = 0;
  for (int64_t v = 0; v < values; ++v)
    sum += (double)(counts[v] * counts[v]);
  *score = text->strength * sum / (double)members;
  return 0;
}

static chorale_run *open_run(Text *text, int by_callback) {
  chorale_error error;
  chorale_potential *potential;
  if (by_callback) {
    OK(chorale_potential_create_callback(NULL, LABELS, count_call, text, NULL, NULL, &potential,
                                         &error));
  } else {
    chorale_potential_options options = {.struct_size = sizeof options};
    options.scale = CHORALE_SCALE_BY_MEMBERS;
    OK(chorale_potential_create_potts(NULL, LABELS, text->strength, &options, &potential, &error));
  }
  chorale_model_builder *builder;
  OK(chorale_model_builder_create(NULL, &builder, &error));
  chorale_chain chain = {.struct_size = sizeof chain};
  chain.length = text->length;
  chain.labels = LABELS;
  chain.unary = text->unary;
  chain.edges = text->edges;
  chain.edge_matrices = 1;
  if (text->shape == TREE)
    chain.parents = text->parents;
  chorale_chain_options options = {.struct_size = sizeof options};
  options.tokens = text->tokens;
  OK(chorale_model_builder_add_chain(builder, &chain, &options, NULL, &error));
  OK(put_words(builder, potential, NULL, NULL, NULL, &error));
  if (text->shape == UNDER_A_PROPERTY) {
    chorale_label_map kinds = {.struct_size = sizeof kinds};
    kinds.labels = kinds.kinds = LABELS;
    const uint8_t ignored[LABELS] = {1, 0, 0};
    chorale_property *property;
    OK(chorale_property_create_first_label(NULL, &kinds, ignored, &property, &error));
    chorale_potential *wide;
    OK(chorale_potential_create_potts(NULL, LABELS + 2, 0.5, NULL, &wide, &error));
    chorale_clique_setup setup = {.struct_size = sizeof setup};
    setup.property = property;
    setup.potential = wide;
    int64_t clique;
    OK(chorale_model_builder_add_cliques(builder, &setup, 1, &clique, &error));
    OK(put_chain(builder, clique, 0, NULL, &error));
    chorale_potential_release(wide);
    chorale_property_release(property);
  }
  chorale_model *model;
  OK(chorale_model_builder_freeze(builder, &model, &error));
  chorale_model_builder_destroy(builder);
  chorale_potential_release(potential);
  chorale_run *run;
  chorale_run_options run_options = {.struct_size = sizeof run_options};
  run_options.no_local_search = 1;
  OK(chorale_run_create(NULL, model, &run_options, NULL, &run, &error));
  chorale_model_release(model);
  return run;
}

/* The polish evaluates each position's values once in a pass, instead of all positions' values once
 * for each position. */
static void the_polish_of_a_long_chain_costs_a_few_rounds(void **state) {
  (void)state;
  Random random = {test_seed()};
  static Text text;
  for (Shape shape = 0; shape < SHAPES; ++shape) {
    random_text(&random, shape, LONG, WORDS, &text);
    chorale_run *run = open_run(&text, 1);
    chorale_error error;
    OK(chorale_run_solve(run, NULL, &error));
    const int64_t rounds = text.calls;
    OK(chorale_run_local_search(run, NULL, &error));
    const int64_t polish = text.calls - rounds;
    print_message("%s: %lld questions to the potential in rounds, %lld in the polish\n",
                  shape_names[shape], (long long)rounds, (long long)polish);
    assert_true(polish > 0);
    assert_true(polish < 10 * rounds);
    chorale_run_destroy(run);
  }
}

/* Computes equation 1 of the chain and its words independently of the library. */
static double text_score(const Text *text, const int32_t *labels) {
  double score = 0;
  for (int32_t t = 0; t < text->length; ++t) {
    score += text->unary[t * LABELS + labels[t]];
    const int32_t from = text->shape == TREE ? text->parents[t] : t - 1;
    if (from >= 0)
      score += text->edges[labels[from] * LABELS + labels[t]];
  }
  for (int32_t word = 0; word < text->words; ++word) {
    double counts[LABELS] = {0}, members = 0, sum = 0;
    for (int32_t t = 0; t < text->length; ++t)
      if (text->tokens[t] == word) {
        ++counts[labels[t]];
        ++members;
      }
    for (int32_t y = 0; y < LABELS; ++y)
      sum += counts[y] * counts[y];
    if (members > 1)
      score += text->strength * sum / members;
  }
  return score;
}

static int is_repeated(const Text *text, int32_t position) {
  for (int32_t t = 0; t < text->length; ++t)
    if (t != position && text->tokens[t] == text->tokens[position])
      return 1;
  return 0;
}

/* Returns the best equation 1 of all labellings that change at most one repeated word; words that
 * occur once are free. */
static double best_beside(const Text *text, const int32_t *labels) {
  int32_t other[SHORT];
  double best = -INFINITY;
  int32_t labellings = 1;
  for (int32_t t = 0; t < text->length; ++t)
    labellings *= LABELS;
  for (int32_t k = 0; k < labellings; ++k) {
    int32_t changes = 0;
    for (int32_t t = 0, rest = k; t < text->length; ++t, rest /= LABELS) {
      other[t] = rest % LABELS;
      changes += other[t] != labels[t] && is_repeated(text, t);
    }
    if (changes <= 1)
      best = fmax(best, text_score(text, other));
  }
  return best;
}

static void no_word_gains_by_a_move_of_its_own(void **state) {
  (void)state;
  Random random = {test_seed()};
  static Text text;
  int64_t moved = 0;
  for (int64_t k = 0; k < test_rounds(400); ++k) {
    const Shape shape = random_chance(&random, 50) ? TREE : CHAIN;
    random_text(&random, shape, random_int(&random, SHORTEST, SHORT), random_int(&random, 1, 3),
                &text);
    chorale_run *run = open_run(&text, random_chance(&random, 50));
    chorale_run_result result = {.struct_size = sizeof result};
    chorale_error error;
    int32_t labels[SHORT];
    OK(chorale_run_step(run, &result, &error)); /* the chain's own labelling */
    const double before = result.score;
    OK(chorale_run_local_search(run, &result, &error));
    OK(chorale_run_labels(run, 0, CHORALE_TOGETHER, labels, SHORT, NULL, &error));
    const double score = text_score(&text, labels);
    const double best = best_beside(&text, labels);
    if (fabs(score - result.score) > 1e-9 || best > score + 1e-9)
      fail_msg("seed %llu, model %lld, a %s of %d: score %.17g, by itself %.17g, beside it %.17g",
               (unsigned long long)test_seed(), (long long)k, shape_names[shape], text.length,
               result.score, score, best);
    moved += result.score > before;
    chorale_run_destroy(run);
  }
  print_message("%lld labellings were polished\n", (long long)moved);
  assert_true(moved > 0);
}

typedef struct Blocks {
  int64_t rounds; /* -1: as drawn */
  int64_t runs, changed, chains;
} Blocks;

static const char *solve_and_look(const Cluster *cluster, void *context) {
  Blocks *blocks = context;
  static Built built;
  Cluster with = *cluster;
  with.options.no_local_search = 0;
  if (blocks->rounds >= 0)
    with.options.rounds = option_of_rounds(blocks->rounds);
  chorale_run_options plain = {.struct_size = sizeof plain};
  with.options.joint_mode = plain.joint_mode; /* decodes are exact */
  with.options.max_states = plain.max_states;
  with.options.bound_steps = 0; /* the steps also find labellings, which nothing polishes */
  build(&with, NULL, &built);
  chorale_error error;
  chorale_run *run;
  chorale_run_result result = {.struct_size = sizeof result};
  OK(chorale_run_create(NULL, built.model, &with.options, NULL, &run, &error));
  OK(chorale_run_solve(run, &result, &error));
  const char *why = NULL;
  if (result.score > -INFINITY) {
    ++blocks->runs;
    blocks->changed += result.score > result.own_score;
    why = check_polished(&with, run, &blocks->chains);
  }
  chorale_run_destroy(run);
  close_built(&with, &built);
  return why;
}

/* The polish leaves out chains that are at their best already. */
static void no_chain_gains_by_another_labelling(void **state) {
  (void)state;
  static const struct {
    const char *name;
    void (*make)(Random *random, Cluster *cluster);
    int64_t models;
  } kinds[] = {{"random", random_cluster, 1500},
               {"forbidding", random_forbidding_cluster, 300},
               {"crowded", random_crowded_cluster, 100},
               {"items", random_item_cluster, 300},
               {"outside", random_outside_cluster, 200}};
  for (size_t k = 0; k < COUNT_OF(kinds); ++k)
    for (int64_t rounds = -1; rounds <= 0; ++rounds) {
      Blocks blocks = {.rounds = rounds};
      check_clusters(kinds[k].name, test_rounds(kinds[k].models), kinds[k].make, solve_and_look,
                     &blocks);
      print_message("%s, %s: %lld chains in %lld runs, of which %lld changed\n", kinds[k].name,
                    rounds < 0 ? "with messages" : "without messages", (long long)blocks.chains,
                    (long long)blocks.runs, (long long)blocks.changed);
      assert_true(blocks.chains > 0 || test_rounds(100) < 100);
    }
}

/* A limit ends the polish between two positions: improvements so far are kept. */
static void a_limit_ends_the_polish(void **state) {
  (void)state;
  Random random = {test_seed()};
  static Text text;
  random_text(&random, CHAIN, LONG, WORDS, &text);
  chorale_run *run = open_run(&text, 0);
  chorale_run_result before, after;
  before = (chorale_run_result){.struct_size = sizeof before};
  after = (chorale_run_result){.struct_size = sizeof after};
  chorale_error error;
  OK(chorale_run_solve(run, &before, &error));
  chorale_cancel *cancel;
  OK(chorale_cancel_create(NULL, &cancel, &error));
  chorale_cancel_raise(cancel);
  OK(chorale_run_set_limits(run, 0, cancel, &error));
  OK(chorale_run_local_search(run, &after, &error));
  assert_int_equal(after.outcome, CHORALE_OUTCOME_CANCELLED);
  assert_true(after.score == before.score);
  OK(chorale_run_set_limits(run, 0, NULL, &error));
  OK(chorale_run_local_search(run, &after, &error));
  assert_true(after.outcome != CHORALE_OUTCOME_CANCELLED);
  assert_true(after.score >= before.score);
  chorale_run_destroy(run);
  chorale_cancel_destroy(cancel);
}

/* Calls that end in the middle of a decode or a pass: the final bits are the same. */
static void a_long_chain_in_slices(void **state) {
  (void)state;
  enum { MANY_WORDS = 1000, MOST_CALLS = 100000 };
  Random random = {test_seed()};
  static Text text;
  static int32_t labels[LONGEST], others[LONGEST];
  for (int64_t k = 0; k < test_rounds(30); ++k) {
    const double limit = k == 0 ? 1e-9 : 1e-3 * random_unit(&random);
    random_text(&random, CHAIN, random_int(&random, 1000, LONGEST), MANY_WORDS, &text);
    text.strength = 1;
    chorale_run *whole = open_run(&text, 0), *sliced = open_run(&text, 0);
    chorale_run_result one, other;
    one = (chorale_run_result){.struct_size = sizeof one};
    other = (chorale_run_result){.struct_size = sizeof other};
    chorale_error error;
    OK(chorale_run_solve(whole, &one, &error));
    OK(chorale_run_local_search(whole, &one, &error));
    OK(chorale_run_solve(sliced, &other, &error));
    OK(chorale_run_set_limits(sliced, limit, NULL, &error));
    int32_t calls = 0;
    do {
      OK(chorale_run_local_search(sliced, &other, &error));
      assert_true(++calls < MOST_CALLS);
    } while (other.outcome == CHORALE_OUTCOME_DEADLINE);
    assert_true(one.score == other.score);
    assert_true(one.local_search_score == other.local_search_score);
    assert_true(one.local_search_own_score == other.local_search_own_score);
    OK(chorale_run_labels(whole, 0, CHORALE_TOGETHER, labels, LONGEST, NULL, &error));
    OK(chorale_run_labels(sliced, 0, CHORALE_TOGETHER, others, LONGEST, NULL, &error));
    assert_memory_equal(labels, others, (size_t)text.length * sizeof *labels);
    chorale_run_destroy(whole);
    chorale_run_destroy(sliced);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_polish_of_a_long_chain_costs_a_few_rounds),
      cmocka_unit_test(no_word_gains_by_a_move_of_its_own),
      cmocka_unit_test(no_chain_gains_by_another_labelling),
      cmocka_unit_test(a_limit_ends_the_polish),
      cmocka_unit_test(a_long_chain_in_slices),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
