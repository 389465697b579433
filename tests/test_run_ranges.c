/* Properties with many values of which the members of a clique can fire few: results equal
 * enumeration, in the caller's own values, and equal those with a dictionary of these few
 * values. */
#include "fixture.h"
#include "fixture_held.h"

enum {
  CHAINS = 4,
  CLIQUES = 2,
  POSITIONS = 3,
  LABELS = 3,
  LABELLINGS = 27,
  COMBINATIONS = 3000,
  TOKENS = 4, /* that occur */
  LENGTH = CHAINS + 2
};

typedef enum Which { OF_TOKENS_BEFORE, OF_TABLE, OF_CONSTANTS, OF_CLASSES, OF_TREES, RULES } Which;

typedef enum Family {
  POTTS,
  ENTROPY,
  SUM_SHARED,
  SUM_TABLES,
  MAX_TABLES,
  MAX_SHARED,
  MAKESPAN,
  MAJORITY,
  PAIRS,
  CARDINALITY,
  CALLBACK,
  FAMILIES
} Family;

typedef struct Over {
  Which rule;
  Family family;
  int64_t range;  /* of the property */
  int64_t values; /* R: of the dictionary, if there is one */
  int32_t token[TOKENS];
  int32_t members; /* the first chains */
  chorale_property *property;
  chorale_dictionary *dictionary;
  chorale_potential *potential; /* over R or R + 2 values */
  chorale_potential *judge; /* also over EMPTY, CONFLICT and a value for those outside */
  int32_t table[CHAINS][POSITIONS], classes[CHAINS][POSITIONS];
} Over;

typedef struct Ranged {
  int32_t chains, cliques, labels, is_tree;
  int32_t length[CHAINS];
  double unary[CHAINS][POSITIONS * LABELS], edges[LABELS * LABELS];
  int32_t parents[POSITIONS];
  Over over[CLIQUES];
  chorale_model *model;
} Ranged;

/* A callback that depends on the number of values with members, and on the highest such value. */
static int32_t spread(void *user, const int64_t *counts, int64_t values, int64_t members,
                      double *score) {
  (void)user;
  *score = 0;
  for (int64_t v = 0; v < values; ++v)
    if (counts[v] > 0)
      *score += 0.25 * (double)(counts[v] * counts[v]) + 1e-3 * (double)v / (double)members;
  return 0;
}

static double number(Random *random) { return 4 * random_unit(random) - 2; }

static double *numbers(Random *random, int64_t count, int32_t zeros) {
  double *made = malloc((size_t)(count + 1) * sizeof *made);
  assert_non_null(made);
  for (int64_t i = 0; i < count; ++i)
    made[i] = random_chance(random, zeros) ? 0 : number(random);
  return made;
}

static void make_rule(Random *random, const Ranged *ranged, Over *over) {
  chorale_error error;
  const int32_t m = ranged->labels;
  chorale_label_map map = {.struct_size = sizeof map};
  map.labels = map.kinds = m;
  int32_t actions[2 * 2 * LABELS * (LABELS + 1)], next[2 * 2 * LABELS], end[2];
  if (over->rule == OF_TREES) {
    for (int32_t i = 0; i < 2 * m * (m + 1); ++i)
      actions[i] = random_chance(random, 40)   ? CHORALE_FIRE_NOTHING
                   : random_chance(random, 50) ? CHORALE_FIRE_TABLE
                                               : over->token[random_int(random, 0, TOKENS - 1)];
    OK(chorale_property_create_local(NULL, m, 2, over->range, actions, NULL, &over->property,
                                     &error));
    return;
  }
  if (over->rule == OF_TOKENS_BEFORE) {
    OK(chorale_property_create_token_before(NULL, &map, 0, NULL, CHORALE_SEGMENT_SPANS_IGNORED,
                                            over->range, random_chance(random, 50) ? 7 : -1,
                                            &over->property, &error));
    return;
  }
  chorale_automaton automaton = {.struct_size = sizeof automaton};
  automaton.labels = m;
  automaton.classes = automaton.states = 2;
  automaton.values = over->range;
  automaton.next = next;
  automaton.actions = actions;
  automaton.end_actions = random_chance(random, 50) ? end : NULL;
  automaton.table_offset = over->rule == OF_TABLE ? random_int(random, -1, 1) : 0;
  automaton.outside_value = 9;
  automaton.fires_outside = over->rule == OF_TABLE && random_chance(random, 50);
  for (int32_t i = 0; i < 4 * m; ++i) {
    next[i] = random_int(random, 0, 1);
    const int32_t constant =
        over->rule == OF_CLASSES ? (int32_t)over->range - 1 - i : over->token[i % TOKENS];
    actions[i] = random_chance(random, 50)  ? CHORALE_FIRE_NOTHING
                 : over->rule == OF_TABLE   ? CHORALE_FIRE_TABLE
                 : random_chance(random, 15) ? CHORALE_FIRE_LABEL
                                             : constant;
  }
  for (int32_t s = 0; s < 2; ++s)
    end[s] = random_chance(random, 50) ? CHORALE_FIRE_NOTHING : over->token[s];
  OK(chorale_property_create(NULL, &automaton, &over->property, &error));
}

/* Creates a potential over the first `values` values of the tables and the mask. */
static chorale_potential *potential_over(const Over *over, int64_t values, double lambda,
                                         const double *all, int64_t stride,
                                         chorale_potential_options options) {
  chorale_error error;
  chorale_potential *made = NULL;
  const int32_t shares = over->family == SUM_SHARED || over->family == MAX_SHARED;
  switch (over->family) {
  case POTTS:
    OK(chorale_potential_create_potts(NULL, values, lambda, &options, &made, &error));
    break;
  case ENTROPY:
    OK(chorale_potential_create_entropy(NULL, values, lambda, &options, &made, &error));
    break;
  case SUM_SHARED:
  case SUM_TABLES:
    OK(chorale_potential_create_sum(NULL, values, all, shares ? 1 : values, LENGTH, LENGTH,
                                    &options, &made, &error));
    break;
  case MAX_SHARED:
  case MAX_TABLES:
    OK(chorale_potential_create_max(NULL, values, all, shares ? 1 : values, LENGTH, LENGTH,
                                    &options, &made, &error));
    break;
  case MAKESPAN:
    OK(chorale_potential_create_makespan(NULL, values, lambda, &options, &made, &error));
    break;
  case MAJORITY:
    OK(chorale_potential_create_majority(NULL, values, all, stride, NULL, &options, &made, &error));
    break;
  case PAIRS:
    OK(chorale_potential_create_pairs(NULL, values, all, stride, &options, &made, &error));
    break;
  case CARDINALITY:
    OK(chorale_potential_create_cardinality(NULL, values, all, LENGTH, &options, &made, &error));
    break;
  default:
    OK(chorale_potential_create_callback(NULL, values, spread, NULL, NULL, &options, &made,
                                         &error));
  }
  return made;
}

static void make_potentials(Random *random, Over *over) {
  const int64_t all_values = over->values + 3;
  const int32_t is_wide = random_chance(random, 40);
  const int32_t is_masked = random_chance(random, 40);
  const int64_t given = over->values + (is_wide ? 2 : 0);
  uint8_t *counted = calloc((size_t)all_values, 1);
  assert_non_null(counted);
  for (int64_t v = 0; v < given; ++v)
    counted[v] = over->family != CARDINALITY &&
                 (v < over->values && !is_masked ? 1 : !random_chance(random, 25));
  for (int32_t left = 2; over->family == CARDINALITY && left > 0;) {
    const int32_t token = over->token[random_int(random, 0, TOKENS - 1)];
    const int32_t v = random_chance(random, 60) && token < over->values
                          ? token
                          : random_int(random, 0, (int32_t)given - 1);
    left -= counted[v] == 0;
    counted[v] = 1;
  }
  const int32_t is_square = over->family == MAJORITY || over->family == PAIRS;
  const int32_t zeros = random_chance(random, 50) ? 0 : 90;
  double *all = numbers(random, all_values * (is_square ? all_values : LENGTH), 0);
  for (int64_t v = 0; !is_square && v < all_values; ++v)
    if (random_chance(random, zeros))
      all[v * LENGTH] = 0;
  if (over->family == SUM_TABLES && random_chance(random, 5))
    all[random_int(random, 0, (int32_t)given - 1) * LENGTH] = -INFINITY;
  const double lambda = number(random);
  chorale_potential_options options = {.struct_size = sizeof options};
  options.scale = (chorale_scale)random_int(random, 0, 2);
  options.counted = counted;
  over->judge = potential_over(over, all_values, lambda, all, all_values, options);
  if (!is_masked && !is_wide && over->family != CARDINALITY)
    options.counted = NULL;
  over->potential = potential_over(over, given, lambda, all, all_values, options);
  free(all);
  free(counted);
}

static void random_over(Random *random, const Ranged *ranged, Over *over) {
  chorale_error error;
  memset(over, 0, sizeof *over);
  over->rule = ranged->is_tree ? OF_TREES : (Which)random_int(random, 0, RULES - 2);
  over->family = (Family)random_int(random, 0, FAMILIES - 1);
  const int32_t is_square = over->family == MAJORITY || over->family == PAIRS;
  over->range = is_square ? random_int(random, 63, 90)
                : random_chance(random, 5) && over->family != CALLBACK
                    ? random_int(random, 1000, 3000)
                    : random_int(random, 60, 400);
  for (int32_t k = 0; k < TOKENS; ++k)
    over->token[k] = random_int(random, 0, (int32_t)over->range - 1);
  over->members = random_int(random, 0, 9) == 0 ? 0 : ranged->chains;
  for (int32_t i = 0; i < CHAINS; ++i)
    for (int32_t t = 0; t < POSITIONS; ++t) {
      over->table[i][t] =
          random_chance(random, 20) ? -1 : over->token[random_int(random, 0, TOKENS - 1)];
      over->classes[i][t] = random_int(random, 0, 1);
    }
  make_rule(random, ranged, over);
  over->values = over->range;
  if (random_chance(random, 30)) {
    int32_t *known = malloc((size_t)over->range * sizeof *known);
    assert_non_null(known);
    int64_t count = 0;
    const int32_t percent = random_chance(random, 50) ? 85 : 98;
    for (int32_t v = 0; v < over->range; ++v)
      if (random_chance(random, percent))
        known[count++] = v;
    const chorale_unlisted unlisted = random_chance(random, 50);
    OK(chorale_dictionary_create(NULL, known, count, unlisted, &over->dictionary, &error));
    free(known);
    over->values = count + (unlisted == CHORALE_UNLISTED_AS_VALUE);
  }
  make_potentials(random, over);
}

static chorale_model *build_model(const Ranged *ranged, const chorale_dictionary *twin,
                                  const chorale_potential *twin_potential) {
  chorale_error error;
  chorale_model_builder *builder = NULL;
  OK(chorale_model_builder_create(NULL, &builder, &error));
  for (int32_t i = 0; i < ranged->chains; ++i) {
    chorale_chain chain = {.struct_size = sizeof chain};
    chain.length = ranged->length[i];
    chain.labels = ranged->labels;
    chain.unary = ranged->unary[i];
    if (ranged->is_tree) {
      chain.parents = ranged->parents;
    } else {
      chain.edges = ranged->edges;
      chain.edge_matrices = 1;
    }
    OK(chorale_model_builder_add_chain(builder, &chain, NULL, NULL, &error));
  }
  for (int32_t c = 0; c < ranged->cliques; ++c) {
    const Over *over = &ranged->over[c];
    chorale_clique_setup setup = {.struct_size = sizeof setup};
    setup.property = over->property;
    setup.dictionary = twin ? twin : over->dictionary;
    setup.potential = twin ? twin_potential : over->potential;
    OK(chorale_model_builder_add_cliques(builder, &setup, 1, NULL, &error));
    for (int32_t i = 0; i < over->members; ++i) {
      MemberArrays options = {0};
      options.classes = over->rule == OF_TOKENS_BEFORE ? NULL : over->classes[i];
      options.table = over->table[i];
      OK(put_chain(builder, c, i, &options, &error));
    }
  }
  chorale_model *model = NULL;
  OK(chorale_model_builder_freeze(builder, &model, &error));
  chorale_model_builder_destroy(builder);
  return model;
}

static void random_ranged(Random *random, int32_t cliques, Ranged *ranged) {
  memset(ranged, 0, sizeof *ranged);
  ranged->chains = random_int(random, 1, CHAINS);
  ranged->cliques = cliques;
  ranged->labels = random_int(random, 2, LABELS);
  ranged->is_tree = random_chance(random, 15);
  int64_t combinations;
  do {
    combinations = 1;
    for (int32_t i = 0; i < ranged->chains; ++i) {
      ranged->length[i] = ranged->is_tree ? POSITIONS : random_int(random, 1, POSITIONS);
      for (int32_t t = 0; t < ranged->length[i]; ++t)
        combinations *= ranged->labels;
    }
    if (combinations > COMBINATIONS && ranged->is_tree)
      --ranged->chains;
  } while (combinations > COMBINATIONS);
  for (int32_t t = 0; t < POSITIONS; ++t)
    ranged->parents[t] = t == 0 ? -1 : random_int(random, 0, t - 1);
  for (int32_t i = 0; i < ranged->chains; ++i)
    for (int32_t e = 0; e < ranged->length[i] * ranged->labels; ++e)
      ranged->unary[i][e] = number(random);
  for (int32_t e = 0; e < ranged->labels * ranged->labels; ++e)
    ranged->edges[e] = number(random);
  for (int32_t c = 0; c < cliques; ++c)
    random_over(random, ranged, &ranged->over[c]);
}

static void close_ranged(Ranged *ranged) {
  chorale_model_release(ranged->model);
  for (int32_t c = 0; c < ranged->cliques; ++c) {
    chorale_property_release(ranged->over[c].property);
    chorale_dictionary_release(ranged->over[c].dictionary);
    chorale_potential_release(ranged->over[c].potential);
    chorale_potential_release(ranged->over[c].judge);
  }
}

/* ---- Equation 1 --------------------------------------------------------------------------- */

static double own_chain_score(const Ranged *ranged, int32_t i, const int32_t *labels) {
  double score = 0;
  for (int32_t t = 0; t < ranged->length[i]; ++t) {
    score += ranged->unary[i][t * ranged->labels + labels[t]];
    if (!ranged->is_tree && t > 0)
      score += ranged->edges[labels[t - 1] * ranged->labels + labels[t]];
  }
  return score;
}

static int32_t own_value(const Ranged *ranged, int32_t c, int32_t i, const int32_t *labels) {
  chorale_error error;
  const Over *over = &ranged->over[c];
  chorale_attachment attachment = {.struct_size = sizeof attachment};
  attachment.property = over->property;
  attachment.dictionary = over->dictionary;
  attachment.classes = over->rule == OF_TOKENS_BEFORE ? NULL : over->classes[i];
  attachment.table = over->table[i];
  int32_t value = -2;
  OK(chorale_property_shown(&attachment, ranged->length[i], labels,
                            ranged->is_tree ? ranged->parents : NULL, &value, NULL, 0, NULL,
                            &error));
  return value;
}

/* Returns C of the members' values; -1 is in no count. */
static double own_clique_part(const Over *over, const int32_t *values) {
  chorale_error error;
  if (over->members == 0)
    return 0;
  int64_t *counts = calloc((size_t)over->values + 3, sizeof *counts);
  assert_non_null(counts);
  for (int32_t i = 0; i < over->members; ++i)
    ++counts[values[i] >= 0 ? values[i] : over->values + 2];
  double score = 0;
  OK(chorale_potential_score(over->judge, counts, over->values + 3, over->members, &score,
                                &error));
  free(counts);
  return score;
}

/* ---- Checks ------------------------------------------------------------------------------- */

static void check_values(const Ranged *ranged, const chorale_run *run, int32_t own, double *total) {
  chorale_error error;
  int32_t shown[CLIQUES][CHAINS], all[CHAINS * POSITIONS];
  int64_t positions = 0;
  double scores[CLIQUES];
  OK(chorale_run_labels(run, CHORALE_ALL_CHAINS, own, all, COUNT_OF(all), &positions, &error));
  OK(chorale_model_score(NULL, ranged->model, all, positions, NULL, NULL, scores, &error));
  *total = 0;
  for (int32_t i = 0; i < ranged->chains; ++i) {
    int32_t labels[POSITIONS];
    OK(chorale_run_labels(run, i, own, labels, POSITIONS, NULL, &error));
    *total += own_chain_score(ranged, i, labels);
    for (int32_t c = 0; c < ranged->cliques; ++c)
      shown[c][i] = own_value(ranged, c, i, labels);
  }
  for (int32_t c = 0; c < ranged->cliques; ++c) {
    const Over *over = &ranged->over[c];
    int32_t values[CHAINS];
    OK(chorale_run_values(run, c, own, values, CHAINS, NULL, &error));
    for (int32_t i = 0; i < over->members; ++i)
      assert_int_equal(values[i], shown[c][i]);
    const double score = scores[c], part = own_clique_part(over, values);
    if (score != part && !(fabs(score - part) <= 1e-9 * (1 + fabs(part))))
      fail_msg("clique %d scores %.17g, by definition %.17g", c, score, part);
    *total += part;
  }
}

/* Checks that the values in the JSON equal those of chorale_run_values. */
static void check_json(const Ranged *ranged, const chorale_run *run) {
  chorale_error error;
  static char json[1 << 16];
  size_t needed = 0;
  OK(chorale_run_json(run, json, sizeof json, &needed, &error));
  assert_true(needed <= sizeof json);
  const char *at = strstr(json, "\"cliques\"");
  for (int32_t c = 0; c < ranged->cliques; ++c) {
    int32_t values[CHAINS];
    OK(chorale_run_values(run, c, CHORALE_TOGETHER, values, CHAINS, NULL, &error));
    at = strstr(at, "\"values\":[");
    assert_non_null(at);
    at += strlen("\"values\":[");
    for (int32_t i = 0; i < ranged->over[c].members; ++i) {
      char *end = NULL;
      assert_int_equal(strtol(at, &end, 10), values[i]);
      at = end + 1;
    }
  }
  for (int32_t i = 0; i < ranged->chains; ++i) {
    chorale_reason reasons[CLIQUES];
    int64_t count = 0;
    OK(chorale_run_reasons(run, i, reasons, sizeof(chorale_reason), CLIQUES, &count, &error));
    for (int64_t k = 0; k < count; ++k) {
      int32_t own[CHAINS], now[CHAINS];
      OK(chorale_run_values(run, reasons[k].clique, CHORALE_ALONE, own, CHAINS, NULL, &error));
      OK(chorale_run_values(run, reasons[k].clique, CHORALE_TOGETHER, now, CHAINS, NULL, &error));
      assert_int_equal(reasons[k].own_value, own[reasons[k].member]);
      assert_int_equal(reasons[k].value, now[reasons[k].member]);
    }
  }
}

typedef struct Best {
  double any;       /* over all labellings */
  double decodable; /* over those that show nothing outside a dictionary without UNLISTED */
} Best;

static Best enumerate_ranged(const Ranged *ranged) {
  Best best = {-INFINITY, -INFINITY};
  int32_t sizes[CHAINS], choice[CHAINS] = {0};
  static double scores[CHAINS][LABELLINGS];
  static int32_t values[CLIQUES][CHAINS][LABELLINGS];
  for (int32_t i = 0; i < ranged->chains; ++i) {
    sizes[i] = 1;
    for (int32_t t = 0; t < ranged->length[i]; ++t)
      sizes[i] *= ranged->labels;
    for (int32_t k = 0; k < sizes[i]; ++k) {
      int32_t labels[POSITIONS], rest = k;
      for (int32_t t = 0; t < ranged->length[i]; ++t, rest /= ranged->labels)
        labels[t] = rest % ranged->labels;
      scores[i][k] = own_chain_score(ranged, i, labels);
      for (int32_t c = 0; c < ranged->cliques; ++c)
        values[c][i][k] = own_value(ranged, c, i, labels);
    }
  }
  for (;;) {
    double total = 0;
    int32_t is_decodable = 1;
    for (int32_t i = 0; i < ranged->chains; ++i)
      total += scores[i][choice[i]];
    for (int32_t c = 0; c < ranged->cliques; ++c) {
      int32_t shown[CHAINS];
      const Over *over = &ranged->over[c];
      for (int32_t i = 0; i < over->members; ++i) {
        shown[i] = values[c][i][choice[i]];
        is_decodable = is_decodable && shown[i] >= 0;
      }
      total += own_clique_part(over, shown);
    }
    best.any = fmax(best.any, total);
    if (is_decodable)
      best.decodable = fmax(best.decodable, total);
    int32_t i = 0;
    while (i < ranged->chains && ++choice[i] == sizes[i])
      choice[i++] = 0;
    if (i == ranged->chains)
      return best;
  }
}

static void check_bounds(const Ranged *ranged, const Best *best, const chorale_run_result *result) {
  const double slack = 1e-7 * (1 + fabs(best->any));
  assert_true(best->any == -INFINITY ? result->score == -INFINITY
                                     : result->score <= best->any + slack);
  /* A single clique is a star, on which messages are exact if its max-marginals are. */
  const Over *over = &ranged->over[0];
  const int32_t is_exact = ranged->cliques == 1 && over->family != PAIRS &&
                           over->family != CALLBACK && best->any == best->decodable;
  if (is_exact && best->any > -INFINITY && !(result->score >= best->any - slack))
    fail_msg("rule %d, family %d: score %.17g, best %.17g", (int)over->rule, (int)over->family,
             result->score, best->any);
  assert_true(result->upper_bound >= best->any - slack);
}

static void plain_options(chorale_run_options *options) {
  *options = (chorale_run_options){.struct_size = sizeof *options};
  options->exact_marginals = 1;
  options->joint_mode = CHORALE_JOINT_EXACT;
  options->max_states = 1 << 16;
}

/* Saves and loads a model: results must be equal, and saving again must give the same bytes. */
static void check_saved(const chorale_model *model, const chorale_run_options *options,
                        const char *json) {
  chorale_error error;
  chorale_problem *problem = NULL, *again = NULL;
  OK(chorale_problem_create(NULL, model, &problem, &error));
  size_t bytes = 0, needed = 0;
  OK(chorale_problem_write(problem, NULL, 0, &bytes, &error));
  char *first = malloc(bytes), *second = malloc(bytes);
  assert_true(first && second);
  OK(chorale_problem_write(problem, first, bytes, &bytes, &error));
  OK(chorale_problem_read(NULL, first, bytes, 0, &again, &error));
  OK(chorale_problem_write(again, second, bytes, &needed, &error));
  assert_int_equal(needed, bytes);
  assert_memory_equal(first, second, bytes);
  static char read[1 << 16];
  chorale_run *run = NULL;
  OK(chorale_run_create(NULL, chorale_problem_model(again), options, NULL, &run, &error));
  OK(chorale_run_solve(run, NULL, &error));
  OK(chorale_run_json(run, read, sizeof read, &needed, &error));
  assert_string_equal(read, json);
  chorale_run_destroy(run);
  chorale_problem_destroy(again);
  chorale_problem_destroy(problem);
  free(first);
  free(second);
}

static void enumerated(void **state) {
  (void)state;
  Random random = {test_seed()};
  chorale_error error;
  int64_t narrow = 0;
  for (int64_t round = 0; round < test_rounds(600); ++round) {
    Ranged ranged;
    random_ranged(&random, random_int(&random, 1, CLIQUES), &ranged);
    ranged.model = build_model(&ranged, NULL, NULL);
    int32_t has_callback = 0;
    for (int32_t c = 0; c < ranged.cliques; ++c) {
      assert_int_equal(setup_of(ranged.model, c).values, ranged.over[c].values);
      has_callback = has_callback || ranged.over[c].family == CALLBACK;
    }
    const Best best = enumerate_ranged(&ranged);
    chorale_run_options options;
    plain_options(&options);
    options.exact_marginals = !has_callback && random_chance(&random, 80);
    options.bound_steps = 3;
    options.restrict_range = random_chance(&random, 10);
    chorale_run *run = NULL;
    OK(chorale_run_create(NULL, ranged.model, &options, NULL, &run, &error));
    chorale_run_result result = {.struct_size = sizeof result};
    OK(chorale_run_solve(run, &result, &error));
    Best allowed = best;
    if (options.exact_marginals == 0 || options.restrict_range)
      allowed.decodable = NAN;
    check_bounds(&ranged, &allowed, &result);
    if (result.score > -INFINITY) {
      double total = 0;
      check_values(&ranged, run, 1, &total);
      check_values(&ranged, run, 0, &total);
      assert_true(fabs(total - result.score) <= 1e-9 * (1 + fabs(total)));
      check_json(&ranged, run);
      static char json[1 << 16];
      size_t needed = 0;
      OK(chorale_run_json(run, json, sizeof json, &needed, &error));
      if (!has_callback && round % 10 == 0)
        check_saved(ranged.model, &options, json);
      ++narrow;
    }
    chorale_run_destroy(run);
    close_ranged(&ranged);
  }
  assert_true(narrow > 0);
}

/* Sorts numbers, removes repeated ones and returns how many are left. */
static int64_t sort_distinct(int32_t *numbers, int64_t count) {
  int64_t kept = 0;
  for (int64_t i = 0; i < count; ++i) {
    const int32_t number = numbers[i];
    int64_t at = 0;
    while (at < kept && numbers[at] < number)
      ++at;
    if (at < kept && numbers[at] == number)
      continue;
    memmove(numbers + at + 1, numbers + at, (size_t)(kept - at) * sizeof *numbers);
    numbers[at] = number;
    ++kept;
  }
  return kept;
}

/* Potts and entropy give the same results over only the values that occur. */
static void like_a_dictionary(void **state) {
  (void)state;
  Random random = {test_seed()};
  chorale_error error;
  for (int64_t round = 0; round < test_rounds(150); ++round) {
    Ranged ranged;
    do {
      random_ranged(&random, 1, &ranged);
      if (ranged.over[0].family <= ENTROPY && !ranged.over[0].dictionary &&
          chorale_potential_values(ranged.over[0].potential) == ranged.over[0].values &&
          ranged.over[0].members > 0)
        break;
      close_ranged(&ranged);
    } while (1);
    Over *over = &ranged.over[0];
    ranged.model = build_model(&ranged, NULL, NULL);
    int32_t known[TOKENS + LABELS + 2 + 4 * LABELS];
    int64_t count = 0;
    for (int32_t k = 0; k < TOKENS; ++k)
      known[count++] = over->token[k];
    for (int32_t k = 0; k < LABELS; ++k)
      known[count++] = k;
    known[count++] = 7;
    known[count++] = 9;
    for (int32_t k = 0; k < 4 * LABELS; ++k)
      known[count++] = (int32_t)over->range - 1 - k;
    chorale_dictionary *twin = NULL;
    OK(chorale_dictionary_create(NULL, known, count, CHORALE_UNLISTED_FORBIDDEN, &twin, &error));
    const int64_t few = sort_distinct(known, count);
    const double lambda = number(&random);
    chorale_potential *wide = NULL, *narrow = NULL;
    if (over->family == POTTS) {
      OK(chorale_potential_create_potts(NULL, over->values, lambda, NULL, &wide, &error));
      OK(chorale_potential_create_potts(NULL, few, lambda, NULL, &narrow, &error));
    } else {
      OK(chorale_potential_create_entropy(NULL, over->values, lambda, NULL, &wide, &error));
      OK(chorale_potential_create_entropy(NULL, few, lambda, NULL, &narrow, &error));
    }
    chorale_potential_release(over->potential);
    over->potential = wide;
    chorale_model_release(ranged.model);
    ranged.model = build_model(&ranged, NULL, NULL);
    chorale_model *other = build_model(&ranged, twin, narrow);
    chorale_run_options options;
    plain_options(&options);
    options.exact_marginals = round % 2 == 0;
    chorale_run *runs[2];
    chorale_run_result results[2];
    for (int32_t k = 0; k < 2; ++k) {
      OK(chorale_run_create(NULL, k == 0 ? ranged.model : other, &options, NULL, &runs[k],
                            &error));
      results[k] = (chorale_run_result){.struct_size = sizeof results[k]};
      OK(chorale_run_solve(runs[k], &results[k], &error));
    }
    assert_true(fabs(results[0].score - results[1].score) <= 1e-9);
    int32_t values[2][CHAINS];
    for (int32_t k = 0; k < 2; ++k)
      OK(chorale_run_values(runs[k], 0, CHORALE_TOGETHER, values[k], CHAINS, NULL, &error));
    for (int32_t i = 0; i < over->members; ++i)
      assert_int_equal(values[0][i], values[1][i] >= few
                                         ? over->values + values[1][i] - few
                                         : known[values[1][i]]);
    for (int32_t k = 0; k < 2; ++k)
      chorale_run_destroy(runs[k]);
    chorale_model_release(other);
    chorale_potential_release(narrow);
    chorale_dictionary_release(twin);
    close_ranged(&ranged);
  }
}

/* Position cliques, in which a chain may have several members, over thousands of values that only
 * few labels map to. */
static void positions_of_many_values(void **state) {
  (void)state;
  enum { ALL = CHAINS * POSITIONS };
  Random random = {test_seed()};
  chorale_error error;
  int64_t best_found = 0;
  for (int64_t round = 0; round < test_rounds(40); ++round) {
    Ranged ranged;
    random_ranged(&random, 0, &ranged);
    ranged.is_tree = 0;
    const int32_t values = random_int(&random, 1000, 1500);
    int32_t shown_by[LABELS];
    for (int32_t l = 0; l < ranged.labels; ++l)
      shown_by[l] = random_chance(&random, 10) ? -1 : random_int(&random, 0, values - 1);
    static const Family kFamilies[] = {POTTS, ENTROPY, MAX_SHARED, MAKESPAN};
    Over over;
    memset(&over, 0, sizeof over);
    over.family = kFamilies[(size_t)round % COUNT_OF(kFamilies)];
    double table[ALL + 1];
    for (int32_t k = 0; k <= ALL; ++k)
      table[k] = number(&random);
    chorale_potential_options scaled = {.struct_size = sizeof scaled};
    uint8_t *counted = malloc((size_t)values + 1); /* EMPTY is last and uncounted */
    assert_non_null(counted);
    memset(counted, 1, (size_t)values);
    counted[values] = 0;
    if (over.family == MAX_SHARED)
      for (int32_t with_empty = 0; with_empty < 2; ++with_empty) {
        scaled.counted = with_empty ? counted : NULL;
        OK(chorale_potential_create_max(NULL, values + with_empty, table, 1, ALL + 1, ALL + 1,
                                        &scaled, with_empty ? &over.judge : &over.potential,
                                        &error));
      }
    else {
      const double lambda = number(&random);
      over.potential = potential_over(&over, values, lambda, NULL, values, scaled);
      scaled.counted = counted;
      over.judge = potential_over(&over, values + 1, lambda, NULL, values, scaled);
    }
    free(counted);

    chorale_model_builder *builder = NULL;
    OK(chorale_model_builder_create(NULL, &builder, &error));
    for (int32_t i = 0; i < ranged.chains; ++i) {
      chorale_chain chain = {.struct_size = sizeof chain};
      chain.length = ranged.length[i];
      chain.labels = ranged.labels;
      chain.unary = ranged.unary[i];
      chain.edges = ranged.edges;
      chain.edge_matrices = 1;
      OK(chorale_model_builder_add_chain(builder, &chain, NULL, NULL, &error));
    }
    chorale_clique_setup setup = {.struct_size = sizeof setup};
    setup.values = values;
    setup.label_values = shown_by;
    setup.labels = ranged.labels;
    setup.potential = over.potential;
    OK(chorale_model_builder_add_cliques(builder, &setup, 1, NULL, &error));
    int32_t chain_of[ALL], position_of[ALL], members = 0;
    for (int32_t i = 0; i < ranged.chains; ++i)
      for (int32_t t = 0; t < ranged.length[i]; ++t)
        if (members == 0 || random_chance(&random, 70)) {
          chain_of[members] = i;
          position_of[members++] = t;
          OK(put_position(builder, 0, i, t, &error));
        }
    OK(chorale_model_builder_freeze(builder, &ranged.model, &error));
    chorale_model_builder_destroy(builder);

    chorale_run_options options;
    plain_options(&options);
    options.exact_marginals = 0;
    options.bound_steps = 3;
    chorale_run *run = NULL;
    OK(chorale_run_create(NULL, ranged.model, &options, NULL, &run, &error));
    chorale_run_result result = {.struct_size = sizeof result};
    OK(chorale_run_solve(run, &result, &error));

    int64_t *counts = calloc((size_t)values + 1, sizeof *counts);
    assert_non_null(counts);
    double best = -INFINITY;
    int32_t labels[CHAINS][POSITIONS] = {{0}};
    for (int32_t is_own = 1, i = 0; i < ranged.chains; is_own = 0) {
      if (is_own)
        for (int32_t c = 0; c < ranged.chains; ++c)
          OK(chorale_run_labels(run, c, CHORALE_TOGETHER, labels[c], POSITIONS, NULL, &error));
      double total = 0, part = 0;
      for (int32_t c = 0; c < ranged.chains; ++c)
        total += own_chain_score(&ranged, c, labels[c]);
      for (int32_t p = 0; p < members; ++p) {
        const int32_t value = shown_by[labels[chain_of[p]][position_of[p]]];
        ++counts[value >= 0 ? value : values];
      }
      OK(chorale_potential_score(over.judge, counts, values + 1, members, &part, &error));
      counts[values] = 0;
      for (int32_t l = 0; l < ranged.labels; ++l)
        if (shown_by[l] >= 0)
          counts[shown_by[l]] = 0;
      if (is_own) {
        /* First the run's own labelling: its score must be the reported one. */
        assert_true(fabs(total + part - result.score) <= 1e-9 * (1 + fabs(total)));
        int32_t values_of_members[ALL];
        OK(chorale_run_values(run, 0, CHORALE_TOGETHER, values_of_members, ALL, NULL, &error));
        for (int32_t p = 0; p < members; ++p) {
          const int32_t value = shown_by[labels[chain_of[p]][position_of[p]]];
          assert_int_equal(values_of_members[p], value >= 0 ? value : values);
        }
        memset(labels, 0, sizeof labels);
        continue;
      }
      best = fmax(best, total + part);
      int32_t t = 0;
      for (i = 0; i < ranged.chains;) {
        if (++labels[i][t] < ranged.labels)
          break;
        labels[i][t] = 0;
        if (++t == ranged.length[i]) {
          t = 0;
          ++i;
        }
      }
    }
    free(counts);
    const double slack = 1e-9 * (1 + fabs(best));
    assert_true(result.score <= best + slack);
    assert_true(result.upper_bound >= best - slack);
    best_found += result.score >= best - slack;
    chorale_run_destroy(run);
    chorale_potential_release(over.potential);
    chorale_potential_release(over.judge);
    close_ranged(&ranged);
  }
  assert_true(best_found > test_rounds(40) / 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(enumerated),
      cmocka_unit_test(like_a_dictionary),
      cmocka_unit_test(positions_of_many_values),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
