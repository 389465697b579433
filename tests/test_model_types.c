/* Neighbouring cliques of a model share what they have in common: columns, potentials, places of
 * messages. Cliques of different kinds in turn give what each of them gives alone. Also items that
 * are edited, and the limits of what a clique counts. */
#include "fixture.h"

enum { VALUES = 100, MOST_CLIQUES = 6, MEMBERS = 3, LONGEST = 60 };

/* Wide cliques can fire more than half of the values, and narrow ones the same few. */
typedef enum PartKind { WIDE, NARROW, OTHER, LABELS_THEMSELVES, PART_KINDS } PartKind;

typedef struct Part {
  PartKind kind;
  int32_t length;
  int32_t tokens[MEMBERS][LONGEST];
  double unary[MEMBERS][LONGEST * 2];
} Part;

static void random_part(Random *random, Part *part) {
  part->kind = (PartKind)random_int(random, 0, PART_KINDS - 1);
  part->length = part->kind == WIDE ? LONGEST : 3;
  for (int32_t i = 0; i < MEMBERS; ++i)
    for (int32_t t = 0; t < part->length; ++t) {
      part->tokens[i][t] = part->kind == WIDE ? (t + 7 * i) % LONGEST
                                              : (part->kind == OTHER ? 50 : 10) + (t + i) % 3;
      part->unary[i][2 * t] = 0;
      part->unary[i][2 * t + 1] = 2 * random_unit(random) - 1.5;
    }
}

static void add_part(chorale_model_builder *builder, const Part *part,
                     const chorale_potential *potential, const chorale_property *property) {
  chorale_error error;
  static const int32_t kShown[2] = {3, 4};
  chorale_clique_setup setup = {.struct_size = sizeof setup};
  setup.potential = potential;
  if (part->kind == LABELS_THEMSELVES) {
    setup.values = VALUES;
    setup.label_values = kShown;
    setup.labels = 2;
  } else {
    setup.property = property;
  }
  int64_t clique = 0;
  OK(chorale_model_builder_add_cliques(builder, &setup, 1, &clique, &error));
  for (int32_t i = 0; i < MEMBERS; ++i) {
    chorale_chain chain = {.struct_size = sizeof chain};
    chain.length = part->length;
    chain.labels = 2;
    chain.unary = part->unary[i];
    chorale_chain_options with = {.struct_size = sizeof with};
    with.tokens = part->tokens[i];
    int64_t number = 0;
    OK(chorale_model_builder_add_chain(builder, &chain, &with, &number, &error));
    if (part->kind == LABELS_THEMSELVES)
      OK(put_position(builder, clique, number, 1, &error));
    else
      OK(put_chain(builder, clique, number, NULL, &error));
  }
}

/* Labels the parts in one model, writes the labels of all chains, and returns the score. */
static double label_parts(const Part *parts, int32_t count, const chorale_potential *potential,
                          const chorale_property *property, int32_t *labels, int64_t capacity) {
  chorale_error error;
  chorale_model_builder *builder = NULL;
  chorale_model *model = NULL;
  OK(chorale_model_builder_create(NULL, &builder, &error));
  for (int32_t k = 0; k < count; ++k)
    add_part(builder, parts + k, potential, property);
  OK(chorale_model_builder_freeze(builder, &model, &error));
  chorale_model_builder_destroy(builder);
  chorale_run *run = NULL;
  chorale_run_result result = {.struct_size = sizeof result};
  OK(chorale_run_create(NULL, model, NULL, NULL, &run, &error));
  OK(chorale_run_solve(run, &result, &error));
  OK(chorale_run_labels(run, CHORALE_ALL_CHAINS, CHORALE_TOGETHER, labels, capacity, NULL, &error));
  chorale_run_destroy(run);
  chorale_model_release(model);
  return result.score;
}

static void cliques_in_turn_are_as_alone(void **state) {
  (void)state;
  Random random = {test_seed()};
  chorale_error error;
  chorale_label_map map = {.struct_size = sizeof map};
  map.labels = map.kinds = 2;
  chorale_property *property = NULL;
  chorale_potential *potential = NULL;
  OK(chorale_property_create_token_before(NULL, &map, 1, NULL, CHORALE_SEGMENT_ENDS_AT_IGNORED,
                                          VALUES, -1, &property, &error));
  /* Over R + 2 values, as property cliques may have it; a position clique counts the first R. */
  OK(chorale_potential_create_potts(NULL, VALUES + 2, 1.0, NULL, &potential, &error));
  for (int64_t round = 0; round < test_rounds(60); ++round) {
    Part parts[MOST_CLIQUES];
    const int32_t count = random_int(&random, 2, MOST_CLIQUES);
    int32_t together[MOST_CLIQUES * MEMBERS * LONGEST], alone[MEMBERS * LONGEST];
    for (int32_t k = 0; k < count; ++k)
      random_part(&random, parts + k);
    const double score = label_parts(parts, count, potential, property, together,
                                     (int64_t)COUNT_OF(together));
    double sum = 0;
    const int32_t *of_part = together;
    for (int32_t k = 0; k < count; ++k) {
      sum += label_parts(parts + k, 1, potential, property, alone, (int64_t)COUNT_OF(alone));
      const size_t positions = (size_t)(MEMBERS * parts[k].length);
      assert_memory_equal(of_part, alone, positions * sizeof *alone);
      of_part += positions;
    }
    assert_true(fabs(score - sum) <= 1e-9 * (1 + fabs(sum)));
  }
  chorale_potential_release(potential);
  chorale_property_release(property);
}

/* Returns a builder with one clique over items, chains of one position. scores: `items` rows of
 * `labels` scores. label_values: as in chorale_clique_setup; NULL: the labels themselves. */
static chorale_model_builder *builder_of_items(const double *scores, int32_t items, int32_t labels,
                                               const chorale_potential *agree,
                                               const int32_t *label_values) {
  chorale_error error;
  chorale_model_builder *builder = NULL;
  chorale_clique_setup setup = {.struct_size = sizeof setup};
  setup.potential = agree;
  setup.values = 2;
  setup.label_values = label_values;
  setup.labels = label_values ? labels : 0;
  OK(chorale_model_builder_create(NULL, &builder, &error));
  OK(chorale_model_builder_add_cliques(builder, &setup, 1, NULL, &error));
  for (int32_t i = 0; i < items; ++i) {
    chorale_chain chain = {.struct_size = sizeof chain};
    chain.length = 1;
    chain.labels = labels;
    chain.unary = scores + i * labels;
    OK(chorale_model_builder_add_chain(builder, &chain, NULL, NULL, &error));
    OK(put_position(builder, 0, i, 0, &error));
  }
  return builder;
}

/* Freezes and destroys the builder, and returns a solved run that accepts edits. The run keeps the
 * model. */
static chorale_run *solved_run(chorale_model_builder *builder) {
  chorale_error error;
  chorale_model *model = NULL;
  chorale_run *run = NULL;
  OK(chorale_model_builder_freeze(builder, &model, &error));
  chorale_model_builder_destroy(builder);
  chorale_run_options options = {.struct_size = sizeof options};
  options.edits = 1;
  OK(chorale_run_create(NULL, model, &options, NULL, &run, &error));
  chorale_model_release(model);
  OK(chorale_run_solve(run, NULL, &error));
  return run;
}

/* Items of a clique in which several labels have the same value: after an edit each item has the
 * best of the labels with its value. */
static void edited_items_have_their_best_labels(void **state) {
  (void)state;
  enum { ITEMS = 3, LABELS = 4, LABELLINGS = 64 };
  static const int32_t kShown[LABELS] = {0, 1, 1, 0};
  Random random = {test_seed() + 1};
  chorale_error error;
  chorale_potential *agree = NULL;
  OK(chorale_potential_create_potts(NULL, 2, 1.0, NULL, &agree, &error));
  for (int64_t round = 0; round < test_rounds(100); ++round) {
    double scores[ITEMS][LABELS];
    for (int32_t i = 0; i < ITEMS; ++i)
      for (int32_t y = 0; y < LABELS; ++y)
        scores[i][y] = 3 * random_unit(&random);
    chorale_run *run = solved_run(builder_of_items(scores[0], ITEMS, LABELS, agree, kShown));
    chorale_run_result result = {.struct_size = sizeof result};
    chorale_chain chain = {.struct_size = sizeof chain};
    chain.length = 1;
    chain.labels = LABELS;
    for (int32_t edit = 0; edit < 4; ++edit) {
      const int32_t i = random_int(&random, 0, ITEMS - 1);
      for (int32_t y = 0; y < LABELS; ++y)
        scores[i][y] = 3 * random_unit(&random);
      chain.unary = scores[i];
      OK(chorale_run_set_chain(run, i, &chain, &error));
      OK(chorale_run_solve(run, &result, &error));
      double best = -INFINITY;
      for (int32_t number = 0; number < LABELLINGS; ++number) {
        const int32_t labels[ITEMS] = {number % LABELS, number / LABELS % LABELS,
                                       number / (LABELS * LABELS)};
        double total = 0, counts[2] = {0, 0};
        for (int32_t k = 0; k < ITEMS; ++k) {
          total += scores[k][labels[k]];
          ++counts[kShown[labels[k]]];
        }
        best = fmax(best, total + counts[0] * counts[0] + counts[1] * counts[1]);
      }
      assert_true(fabs(result.score - best) <= 1e-9 * best);
    }
    chorale_run_destroy(run);
  }
  chorale_potential_release(agree);
}

/* Returns the score after a solve and an edit of the strength, for members that count `most` times
 * in all. The potential is in proportion, so the score does not depend on `most`. */
static double count_up_to(int64_t most) {
  chorale_error error;
  chorale_model_builder *builder = NULL;
  chorale_potential *large = NULL, *small = NULL;
  const double lambda = 0.5 / (double)most / (double)most;
  OK(chorale_potential_create_potts(NULL, 2, lambda, NULL, &large, &error));
  OK(chorale_potential_create_potts(NULL, 2, 0.1, NULL, &small, &error));
  OK(chorale_model_builder_create(NULL, &builder, &error));
  for (int32_t q = 0; q < 2; ++q) {
    chorale_clique_setup setup = {.struct_size = sizeof setup};
    setup.potential = q == 0 ? large : small;
    setup.values = 2;
    OK(chorale_model_builder_add_cliques(builder, &setup, 1, NULL, &error));
  }
  static const double kScores[4] = {1, 0, 0, 1};
  chorale_chain chain = {.struct_size = sizeof chain};
  chain.length = chain.labels = 2;
  chain.unary = kScores;
  for (int32_t i = 0; i < 2; ++i) {
    OK(chorale_model_builder_add_chain(builder, &chain, NULL, NULL, &error));
    OK(put_position(builder, 1, i, 1 - i, &error));
  }
  static const int64_t kBoth[2] = {0, 1};
  const int64_t weights[2] = {most / 4 * 3, most - most / 4 * 3};
  OK(put_members(builder, 0, 2, kBoth, kBoth, weights, &error));
  chorale_run *run = solved_run(builder);
  chorale_run_result result = {.struct_size = sizeof result};
  OK(chorale_run_set_strength(run, 0, 0.5, &error));
  OK(chorale_run_solve(run, &result, &error));
  chorale_run_destroy(run);
  chorale_potential_release(large);
  chorale_potential_release(small);
  return result.score;
}

static void counts_may_be_the_greatest_int32(void **state) {
  (void)state;
  const double expected = count_up_to(1000);
  for (int64_t most = INT32_MAX - 1; most <= INT32_MAX; ++most) {
    const double score = count_up_to(most);
    assert_true(fabs(score - expected) <= 1e-6);
  }
}

/* Members of no clique change nothing, whatever `first` is. */
static void members_of_no_clique_need_no_memory(void **state) {
  (void)state;
  static const double kScores[4] = {0, 1, 0, 1};
  chorale_error error;
  chorale_potential *agree = NULL;
  OK(chorale_potential_create_potts(NULL, 2, 1.0, NULL, &agree, &error));
  chorale_model_builder *builder = builder_of_items(kScores, 2, 2, agree, NULL);
  OK(put_ragged(builder, INT64_MAX, 0, NULL, NULL, NULL, NULL, &error));
  chorale_model_builder_destroy(builder);
  chorale_potential_release(agree);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cliques_in_turn_are_as_alone),
      cmocka_unit_test(edited_items_have_their_best_labels),
      cmocka_unit_test(counts_may_be_the_greatest_int32),
      cmocka_unit_test(members_of_no_clique_need_no_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
