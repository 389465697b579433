/* Learning: planted agreement is found, and no other; figures are those of a direct count; results
 * are the same bits for any number of threads, and are applied, saved and read; invalid input is
 * refused with its name. */
#include "fixture_learn.h"

enum { LABELS = 3, MEMBERS = 4, CLIQUES_OF_GROUP = 4, WAYS = 81 };

/* A planted problem: single items in cliques of MEMBERS, CLIQUES_OF_GROUP cliques in each group;
 * gold labels are drawn exactly from the distribution exp(scores + strength * sum n_v^2 / n). */
typedef struct Planted {
  int64_t groups, items;
  double *scores;
  int32_t *keys, *gold;
  int64_t *group;
} Planted;

static void plant(Random *random, Planted *to, int64_t groups, double strength) {
  to->groups = groups;
  to->items = groups * CLIQUES_OF_GROUP * MEMBERS;
  to->scores = calloc((size_t)to->items * LABELS, sizeof *to->scores);
  to->keys = calloc((size_t)to->items, sizeof *to->keys);
  to->gold = calloc((size_t)to->items, sizeof *to->gold);
  to->group = calloc((size_t)to->items, sizeof *to->group);
  for (int64_t first = 0; first < to->items; first += MEMBERS) {
    for (int64_t i = first; i < first + MEMBERS; ++i) {
      to->keys[i] = (int32_t)(first / MEMBERS % CLIQUES_OF_GROUP);
      to->group[i] = first / MEMBERS / CLIQUES_OF_GROUP;
      for (int32_t v = 0; v < LABELS; ++v)
        to->scores[i * LABELS + v] = 3 * (random_unit(random) + random_unit(random) - 1);
    }
    double mass[WAYS], total = 0;
    for (int32_t w = 0; w < WAYS; ++w) {
      int32_t count[LABELS] = {0}, rest = w;
      double score = 0;
      for (int64_t i = first; i < first + MEMBERS; ++i, rest /= LABELS) {
        score += to->scores[i * LABELS + rest % LABELS];
        ++count[rest % LABELS];
      }
      for (int32_t v = 0; v < LABELS; ++v)
        score += strength * count[v] * count[v] / MEMBERS;
      total += mass[w] = exp(score);
    }
    double drawn = random_unit(random) * total;
    int32_t way = 0;
    while (way < WAYS - 1 && (drawn -= mass[way]) > 0)
      ++way;
    for (int64_t i = first; i < first + MEMBERS; ++i, way /= LABELS)
      to->gold[i] = way % LABELS;
  }
}

static void uproot(Planted *planted) {
  free(planted->scores);
  free(planted->keys);
  free(planted->gold);
  free(planted->group);
}

/* A problem of the items, whose cliques are those with equal keys in a group. */
static chorale_problem *problem_with(const Planted *planted, const int32_t *keys,
                                     const chorale_transitions *transitions) {
  chorale_error error;
  chorale_corpus corpus = {.struct_size = sizeof corpus};
  corpus.chains = planted->items;
  corpus.labels = LABELS;
  corpus.unary = planted->scores;
  corpus.groups = planted->group;
  corpus.transitions = transitions;
  chorale_agreement agreement = {.struct_size = sizeof agreement};
  agreement.kind = CHORALE_AGREE_KEYS;
  agreement.keys = keys;
  chorale_problem *problem = NULL;
  OK(chorale_problem_create_agreeing(NULL, &corpus, &agreement, 1, planted->gold, &problem,
                                     &error));
  return problem;
}

static chorale_problem *problem_of(const Planted *planted) {
  return problem_with(planted, planted->keys, NULL);
}

/* Returns the text of a result; the caller frees it. */
static chorale_learnt_kind kind_of(const chorale_learnt *learnt) {
  chorale_error error;
  chorale_learnt_kind kind;
  OK(chorale_learnt_kinds(learnt, &kind, sizeof kind, 1, NULL, &error));
  return kind;
}

/* Returns the number of rounds of a statistical test; fewer rounds, as under valgrind, would be
 * meaningless. */
static int64_t many_rounds(int64_t usual) {
  const int64_t rounds = test_rounds(usual);
  if (rounds * 2 < usual)
    skip();
  return rounds;
}

/* Returns the label with the highest score. */
static int32_t own_label(const Planted *planted, int64_t item) {
  int32_t best = 0;
  for (int32_t v = 1; v < LABELS; ++v)
    if (planted->scores[item * LABELS + v] > planted->scores[item * LABELS + best])
      best = v;
  return best;
}

static int64_t errors_under(const chorale_learnt *learnt, const Planted *planted) {
  chorale_problem *problem = problem_of(planted);
  int32_t *labels = malloc((size_t)planted->items * sizeof *labels);
  int64_t wrong = 0;
  label_under(learnt, problem, planted->items, labels, NULL);
  for (int64_t i = 0; i < planted->items; ++i)
    wrong += labels[i] != planted->gold[i];
  free(labels);
  chorale_problem_destroy(problem);
  return wrong;
}

/* ---- Chance --------------------------------------------------------------------------------- */

/* Strong agreement is found, and mends errors of other groups. */
static void planted_agreement_is_found(void **state) {
  (void)state;
  Random random = {test_seed()};
  int64_t applied = 0, alone = 0, together = 0;
  const int64_t rounds = many_rounds(12);
  for (int64_t round = 0; round < rounds; ++round) {
    Planted planted, other;
    const double strength = 1.5 + random_unit(&random);
    plant(&random, &planted, 60, strength);
    plant(&random, &other, 200, strength);
    chorale_problem *problem = problem_of(&planted);
    chorale_learnt *learnt = learn(problem, NULL);
    const chorale_learnt_report report = report_of(learnt);
    assert_true(report.runs <= 5 + 3);
    assert_true(report.agreement_p <= 0.01);
    assert_int_equal(report.applied, report.verdict == CHORALE_VERDICT_GAIN);
    assert_true((kind_of(learnt).strength > 0) == report.applied);
    applied += report.applied;
    for (int64_t i = 0; i < other.items; ++i)
      alone += own_label(&other, i) != other.gold[i];
    together += errors_under(learnt, &other);
    chorale_learnt_destroy(learnt);
    chorale_problem_destroy(problem);
    uproot(&planted);
    uproot(&other);
  }
  printf("seed %llu: %d of %d applied; of %d errors %d are left\n",
         (unsigned long long)test_seed(), (int)applied, (int)rounds, (int)alone, (int)together);
  assert_true(applied * 10 >= rounds * 9);
  assert_true((double)together < 0.85 * (double)alone);
}

/* Where members do not agree (gold labels are drawn without agreement, keys are dealt at random, or
 * gold labels are permuted) p-values of agreement are uniform, and few strengths are applied: none if p
 * is above 0.01. */
static void no_harm(void **state) {
  (void)state;
  Random random = {test_seed()};
  int64_t applied[2] = {0}, alike[2] = {0};
  const int64_t rounds = many_rounds(200);
  for (int64_t round = 0; round < 2 * rounds; ++round) {
    const int is_permuted = round % 2 == 1;
    Planted planted;
    plant(&random, &planted, 16, is_permuted ? 1 : 0);
    int32_t *dealt = malloc((size_t)planted.items * sizeof *dealt);
    for (int64_t i = 0; i < planted.items; ++i)
      dealt[i] = is_permuted ? planted.keys[i] : random_int(&random, 0, CLIQUES_OF_GROUP - 1);
    for (int64_t i = planted.items - 1; is_permuted && i > 0; --i) {
      const int64_t j = random_int(&random, 0, (int32_t)i);
      const int32_t gold = planted.gold[i];
      planted.gold[i] = planted.gold[j];
      planted.gold[j] = gold;
    }
    chorale_problem *problem = problem_with(&planted, dealt, NULL);
    chorale_learnt *learnt = learn(problem, NULL);
    const chorale_learnt_report report = report_of(learnt);
    assert_true(!report.applied || report.agreement_p <= 0.01);
    applied[is_permuted] += report.applied;
    alike[is_permuted] += report.agreement_p <= 0.05;
    chorale_learnt_destroy(learnt);
    chorale_problem_destroy(problem);
    free(dealt);
    uproot(&planted);
  }
  printf("seed %llu: of %d, members dealt at random: alike %d, applied %d; gold permuted: alike %d, "
         "applied %d\n",
         (unsigned long long)test_seed(), (int)rounds, (int)alike[0], (int)applied[0],
         (int)alike[1], (int)applied[1]);
  for (int k = 0; k < 2; ++k) { /* alike: 4 standard deviations above the 5 % expected */
    assert_true((double)alike[k] <= 0.05 * (double)rounds + 4 * sqrt(0.0475 * (double)rounds));
    assert_true(applied[k] <= 1 + rounds / 20);
  }
}

/* Gold labels of a clique agree because the tagger's labels do, and for no other reason: that is no
 * sign of agreement. */
static void what_the_tagger_knows_is_no_agreement(void **state) {
  (void)state;
  Random random = {test_seed()};
  int64_t alike = 0;
  const int64_t rounds = many_rounds(40);
  for (int64_t round = 0; round < rounds; ++round) {
    Planted planted;
    plant(&random, &planted, 16, 0);
    int32_t usual = 0;
    for (int64_t i = 0; i < planted.items; ++i) {
      usual = i % MEMBERS == 0 ? random_int(&random, 0, LABELS - 1) : usual;
      const int32_t said = random_chance(&random, 80) ? usual : random_int(&random, 0, LABELS - 1);
      planted.gold[i] = random_chance(&random, 70) ? said : random_int(&random, 0, LABELS - 1);
      for (int32_t v = 0; v < LABELS; ++v)
        planted.scores[i * LABELS + v] = v == said ? 1.5 : 0;
    }
    chorale_problem *problem = problem_of(&planted);
    chorale_learnt *learnt = learn(problem, NULL);
    alike += report_of(learnt).agreement_p <= 0.05;
    chorale_learnt_destroy(learnt);
    chorale_problem_destroy(problem);
    uproot(&planted);
  }
  printf("seed %llu: of %d, alike %d\n", (unsigned long long)test_seed(), (int)rounds, (int)alike);
  assert_true(alike <= rounds / 4);
}

/* With fewer than eight groups, strengths are applied only if the gain is credible. */
static void few_groups_need_a_credible_gain(void **state) {
  (void)state;
  Random random = {test_seed()};
  int64_t applied = 0, refused = 0;
  const int64_t rounds = many_rounds(60);
  for (int64_t round = 0; round < rounds; ++round) {
    Planted planted;
    plant(&random, &planted, random_int(&random, 2, 7), 2 + 2 * random_unit(&random));
    chorale_problem *problem = problem_of(&planted);
    chorale_learnt *learnt = learn(problem, NULL);
    const chorale_learnt_report report = report_of(learnt);
    assert_true(report.warnings & CHORALE_WARNING_FEW_GROUPS);
    assert_true(!report.applied || (report.gain_p >= 0 && report.gain_p <= 0.05));
    assert_true(report.verdict != CHORALE_VERDICT_MAY_BE_CHANCE || report.gain_p > 0.05);
    applied += report.applied;
    refused += report.verdict == CHORALE_VERDICT_MAY_BE_CHANCE;
    chorale_learnt_destroy(learnt);
    chorale_problem_destroy(problem);
    uproot(&planted);
  }
  printf("seed %llu: of %d, applied %d, may be chance %d\n", (unsigned long long)test_seed(),
         (int)rounds, (int)applied, (int)refused);
  assert_true(applied > 0 && refused > 0);
}

/* ---- What is maximised ---------------------------------------------------------------------- */

static const int32_t without_0[LABELS] = {-1, 0, 1};

/* Of three cliques of a group, the tagger misses label 1 once in the first; in the second, one member
 * really has label 0, and the tagger is right; in the third, all have label 0. With free mistakes for
 * gold label 0, agreement costs less, but more labels are wrong. */
static void lost_accuracy_is_refused(void **state) {
  (void)state;
  enum { GROUPS = 24 };
  Random random = {test_seed()};
  Planted planted;
  plant(&random, &planted, GROUPS, 0);
  for (int64_t i = 0; i < planted.items; ++i) {
    const int32_t clique = planted.keys[i];
    const int is_odd = i % MEMBERS == 0 && clique < 3;
    const int32_t said = clique == 3 || is_odd ? 0 : 1;
    planted.gold[i] = clique == 0 ? 1 : said;
    for (int32_t v = 0; v < LABELS; ++v)
      planted.scores[i * LABELS + v] = (v == said ? (is_odd ? 0.5 : 3) : 0) - 3 * (v == 2) +
                                       0.1 * random_unit(&random);
  }
  chorale_problem *problem = problem_of(&planted);
  const double costs[LABELS * LABELS] = {0, 0, 1, 1, 0, 1, 1, 1, 0};
  chorale_learn_options options = {.struct_size = sizeof options};
  options.costs = costs;
  options.labels = LABELS;
  chorale_learnt *learnt = learn(problem, &options);
  assert_int_equal(report_of(learnt).verdict, CHORALE_VERDICT_LOWERS_ACCURACY);
  assert_int_equal(report_of(learnt).applied, 0);
  chorale_learnt_destroy(learnt);
  options.may_lower_accuracy = 1;
  learnt = learn(problem, &options);
  const chorale_learnt_report report = report_of(learnt);
  assert_int_equal(report.verdict, CHORALE_VERDICT_GAIN);
  assert_true(report.agreeing_accuracy < report.tagger_accuracy);
  assert_true(report.tagger_cost == GROUPS && report.agreeing_cost == 0);
  assert_int_equal(report.changed, 3 * GROUPS);
  assert_int_equal(report.changed_right_before, 2 * GROUPS);
  assert_int_equal(report.changed_right_after, GROUPS);
  chorale_learnt_destroy(learnt);
  chorale_problem_destroy(problem);
  uproot(&planted);
}

/* Of two cliques of a group the tagger misses label 1 once, by 1.2. A bonus of 1 and a strength of 0.25,
 * which adds 0.25 (16 - 9) / 4, mend it as well as a strength of 1 alone: then there is no bonus. */
static void a_bonus_must_be_needed(void **state) {
  (void)state;
  Random random = {test_seed()};
  Planted planted;
  plant(&random, &planted, 24, 0);
  for (int64_t i = 0; i < planted.items; ++i) {
    planted.gold[i] = planted.keys[i] < 2 ? 1 : 0;
    for (int32_t v = 0; v < LABELS; ++v)
      planted.scores[i * LABELS + v] = v == planted.gold[i] ? 3 : 0;
    if (planted.gold[i] == 1 && i % MEMBERS == 0)
      planted.scores[i * LABELS] = 4.2;
  }
  chorale_problem *problem = problem_of(&planted);
  chorale_learn_options options = {.struct_size = sizeof options};
  options.classes = without_0;
  options.labels = LABELS;
  chorale_learnt *learnt = learn(problem, &options);
  const chorale_learnt_kind kind = kind_of(learnt);
  assert_true(kind.strength == 1 && kind.bonus == 0);
  chorale_learnt_destroy(learnt);
  chorale_problem_destroy(problem);
  uproot(&planted);
}

enum { TAGS = 5, LENGTH = 8 }; /* O, B-X, I-X, B-Y, I-Y */
static const int32_t tag_class[TAGS] = {-1, 0, 0, 1, 1};
static const int32_t tag_begins[TAGS] = {0, 1, 0, 1, 0};

/* Returns the end of the span that begins at t; t if none does, or if `labels` end. */
static int span_from(const int32_t *labels, int t) {
  const int32_t of = tag_class[labels[t]];
  const int is_inside = t > 0 && tag_class[labels[t - 1]] == of && !tag_begins[labels[t]];
  int end = t;
  if (of < 0 || is_inside)
    return t;
  for (++end; end < LENGTH && tag_class[labels[end]] == of && !tag_begins[labels[end]];)
    ++end;
  return end;
}

/* The figures of the tagger's labels are those of a direct count of tokens or spans. */
static void figures_are_those_of_a_count(void **state) {
  (void)state;
  enum { CHAINS = 40 };
  Random random = {test_seed()};
  for (int spans = 0; spans < 2; ++spans) {
    chorale_error error;
    static double scores[CHAINS * LENGTH * TAGS];
    int32_t gold[CHAINS * LENGTH], own[CHAINS * LENGTH], tokens[CHAINS * LENGTH];
    int64_t offsets[CHAINS + 1] = {0}, groups[CHAINS];
    double gold_count = 0, found = 0, right = 0, correct = 0;
    for (int i = 0; i < CHAINS; ++i) {
      offsets[i + 1] = offsets[i] + LENGTH;
      groups[i] = i / 2;
      for (int t = 0; t < LENGTH; ++t) {
        const int p = i * LENGTH + t;
        tokens[p] = random_int(&random, 0, 9);
        gold[p] = random_int(&random, 0, TAGS - 1);
        own[p] = random_chance(&random, 60) ? gold[p] : random_int(&random, 0, TAGS - 1);
        for (int y = 0; y < TAGS; ++y)
          scores[p * TAGS + y] = y == own[p];
        const int32_t a = tag_class[gold[p]], b = tag_class[own[p]];
        correct += gold[p] == own[p];
        gold_count += !spans && a >= 0;
        found += !spans && b >= 0;
        right += !spans && a >= 0 && a == b;
      }
      for (int t = 0; spans && t < LENGTH; ++t) {
        const int a = span_from(gold + i * LENGTH, t), b = span_from(own + i * LENGTH, t);
        gold_count += a > t;
        found += b > t;
        right += a > t && a == b && tag_class[gold[i * LENGTH + t]] == tag_class[own[i * LENGTH + t]];
      }
    }
    chorale_corpus corpus = {.struct_size = sizeof corpus};
    corpus.chains = CHAINS;
    corpus.offsets = offsets;
    corpus.labels = TAGS;
    corpus.unary = scores;
    corpus.tokens = tokens;
    corpus.groups = groups;
    chorale_agreement words = {.struct_size = sizeof words};
    chorale_problem *problem = NULL;
    OK(chorale_problem_create_agreeing(NULL, &corpus, &words, 1, gold, &problem, &error));
    chorale_learn_options options = {.struct_size = sizeof options};
    options.labels = TAGS;
    options.classes = tag_class;
    options.begins = spans ? tag_begins : NULL;
    chorale_learnt *learnt = learn(problem, &options);
    const chorale_learnt_report report = report_of(learnt);
    assert_true(fabs(report.tagger_precision - right / found) < 1e-12);
    assert_true(fabs(report.tagger_recall - right / gold_count) < 1e-12);
    assert_true(fabs(report.tagger_f1 - 2 * right / (found + gold_count)) < 1e-12);
    assert_true(fabs(report.tagger_accuracy - correct / (CHAINS * LENGTH)) < 1e-12);
    assert_true(fabs(report.tagger_cost) < 1e-9); /* F1 is the tagger's own */
    chorale_learnt_destroy(learnt);
    chorale_problem_destroy(problem);
  }
}

/* Label 0 does not count: agreement and bonus leave it out. */
static void labels_that_do_not_count_are_left_out(void **state) {
  (void)state;
  Random random = {test_seed()};
  chorale_error error;
  Planted planted;
  plant(&random, &planted, 60, 3);
  chorale_problem *problem = problem_of(&planted);
  chorale_learn_options options = {.struct_size = sizeof options};
  options.classes = without_0;
  options.labels = LABELS;
  options.may_lower_accuracy = 1;
  chorale_learnt *learnt = learn(problem, &options);
  const chorale_learnt_kind kind = kind_of(learnt);
  assert_int_equal(report_of(learnt).applied, 1);
  chorale_potential *potential = NULL;
  OK(chorale_learnt_potential(NULL, learnt, 0, LABELS, -1, &potential, &error));
  const int64_t counts[LABELS] = {2, 3, 1};
  double score = 0;
  OK(chorale_potential_score(potential, counts, LABELS, 6, &score, &error));
  assert_true(fabs(score - (kind.strength * (9 + 1) / 6 + kind.bonus * 4)) < 1e-12);
  FAILS(chorale_learnt_potential(NULL, learnt, 0, 5, -1, &potential, &error),
        CHORALE_ERROR_VALUES_MISMATCH, "cliques have 5 values; they must have 3");
  chorale_potential_release(potential);
  chorale_learnt_destroy(learnt);
  chorale_problem_destroy(problem);
  uproot(&planted);
}

/* ---- Probabilities -------------------------------------------------------------------------- */

/* Returns the mean probability of the given labels at a temperature, minus the share that is right:
 * over items whose label changed, or over the others with a probability below 0.95. */
static double excess_of(const Planted *planted, const double *probabilities, const int32_t *labels,
                        int changed, double temperature, int64_t *count) {
  double excess = 0;
  *count = 0;
  for (int64_t i = 0; i < planted->items; ++i) {
    double sum = 0;
    for (int32_t v = 0; v < LABELS; ++v)
      sum += pow(probabilities[i * LABELS + v], 1 / temperature);
    const double p = pow(probabilities[i * LABELS + labels[i]], 1 / temperature) / sum;
    if ((own_label(planted, i) != labels[i]) != changed || (!changed && p >= 0.95))
      continue;
    ++*count;
    excess += p - (labels[i] == planted->gold[i]);
  }
  return *count > 0 ? excess / (double)*count : 0;
}

/* At the temperatures, labels are as often right as their probabilities say. Positions of which the
 * tagger is sure do not count, though it may be wrong. Changed labels are never surer than under the
 * run. */
static void temperatures_end_the_excess(void **state) {
  (void)state;
  Random random = {test_seed()};
  chorale_error error;
  int64_t applied = 0;
  for (int64_t round = 0; round < test_rounds(36); ++round) {
    Planted planted;
    plant(&random, &planted, 8, round % 2 == 0 ? 0 : 3);
    for (int64_t k = 0; k < planted.items * LABELS; ++k)
      planted.scores[k] *= round % 3 == 2 ? 0.4 : 1.5; /* too unsure, too sure */
    for (int64_t i = 0; i < planted.items && round % 2 == 0; i += 8)
      planted.scores[i * LABELS + (planted.gold[i] + 1) % LABELS] += 20; /* surely wrong */
    chorale_problem *problem = problem_of(&planted);
    chorale_learnt *learnt = learn(problem, NULL);
    const chorale_learnt_report report = report_of(learnt);
    chorale_model *model = NULL;
    chorale_run *run = NULL;
    OK(chorale_learnt_apply(NULL, learnt, problem, &model, &error));
    OK(chorale_run_create(NULL, model, NULL, NULL, &run, &error));
    OK(chorale_run_solve(run, NULL, &error));
    int32_t *labels = malloc((size_t)planted.items * sizeof *labels);
    double *rows = malloc((size_t)planted.items * LABELS * sizeof *rows);
    OK(chorale_run_labels(run, CHORALE_ALL_CHAINS, CHORALE_TOGETHER, labels, planted.items, NULL,
                          &error));
    for (int64_t i = 0; i < planted.items; ++i)
      OK(chorale_run_probabilities(run, i, 1, rows + i * LABELS, 0, NULL, &error));
    int64_t count = 0, differing = 0, right_before = 0, right_after = 0;
    for (int64_t i = 0; i < planted.items; ++i)
      if (labels[i] != own_label(&planted, i)) {
        ++differing;
        right_before += own_label(&planted, i) == planted.gold[i];
        right_after += labels[i] == planted.gold[i];
      }
    /* Held-out labels are those of the model only if each fold chose the same strength. */
    if (differing == report.changed && right_before == report.changed_right_before &&
        right_after == report.changed_right_after) {
      const double excess = excess_of(&planted, rows, labels, 0, report.temperature, &count);
      assert_true(count == 0 || report.temperature > 15 || report.temperature < 0.51 ||
                  fabs(excess) < 0.01 + 1.0 / (double)count);
      if (report.applied && differing > 0) {
        const double of_changed =
            excess_of(&planted, rows, labels, 1, report.changed_temperature, &count);
        assert_true(report.changed_temperature > 15 || report.changed_temperature < 1.01 ||
                    fabs(of_changed) < 0.01);
        ++applied;
      }
    }
    assert_true(report.changed_temperature >= 1 || report.changed_temperature == 0);
    assert_true(report.changed > 0 || report.changed_temperature == 0);
    free(rows);
    free(labels);
    chorale_run_destroy(run);
    chorale_model_release(model);
    chorale_learnt_destroy(learnt);
    chorale_problem_destroy(problem);
    uproot(&planted);
  }
  assert_true(applied > 0 || test_rounds(36) < 36);
}

/* ---- Without gold labels -------------------------------------------------------------------- */

/* The strength is the largest of the grid under which no more labels change than two fifths of the
 * errors that the tagger expects, rounded up. */
static void strength_without_gold_keeps_the_budget(void **state) {
  (void)state;
  static const double grid[] = {0.25, 0.5, 0.75, 1, 1.25, 1.5, 2};
  Random random = {test_seed()};
  chorale_error error;
  for (int64_t round = 0; round < test_rounds(6); ++round) {
    Planted planted;
    plant(&random, &planted, 20, 2);
    for (int64_t k = 0; k < planted.items * LABELS; ++k)
      planted.scores[k] *= 1 + (double)round;
    double expected = 0;
    for (int64_t i = 0; i < planted.items; ++i) {
      double total = 0;
      for (int32_t v = 0; v < LABELS; ++v)
        total += exp(planted.scores[i * LABELS + v] -
                     planted.scores[i * LABELS + own_label(&planted, i)]);
      expected += 1 - 1 / total;
    }
    chorale_problem *problem = problem_of(&planted);
    OK(chorale_problem_set_gold(problem, NULL, &error));
    chorale_learn_options options = {.struct_size = sizeof options};
    options.without_gold = 1;
    chorale_learnt *learnt = learn(problem, &options);
    const chorale_learnt_report report = report_of(learnt);
    assert_int_equal(report.verdict, CHORALE_VERDICT_WITHOUT_GOLD);
    assert_int_equal(report.applied, 1);
    assert_true(fabs(report.expected_errors - expected) < 1e-9 * expected);
    const double strength = kind_of(learnt).strength;
    assert_true((double)report.changed <= ceil(0.4 * expected));
    for (size_t k = 0; k < COUNT_OF(grid); ++k)
      if (grid[k] > strength) { /* the next strength would change too many */
        char json[200];
        snprintf(json, sizeof json,
                 "{\"learnt\":2,\"applied\":1,\"kinds\":[{\"cliques\":1,\"values\":3,\"weights\":1,"
                 "\"name\":\"\"}],\"weights\":[{\"kind\":0,\"basis\":\"agreement\",\"weight\":%de-2}]}",
                 (int)(100 * grid[k])); /* no decimal point, which depends on the locale */
        chorale_learnt *more = NULL;
        OK(chorale_learnt_read(NULL, json, strlen(json), &more, &error));
        int32_t *labels = malloc((size_t)planted.items * sizeof *labels);
        label_under(more, problem, planted.items, labels, NULL);
        int64_t changed = 0;
        for (int64_t i = 0; i < planted.items; ++i)
          changed += labels[i] != own_label(&planted, i);
        assert_true((double)changed > ceil(0.4 * expected));
        free(labels);
        chorale_learnt_destroy(more);
        break;
      }
    chorale_learnt_destroy(learnt);
    chorale_problem_destroy(problem);
    uproot(&planted);
  }
}

/* A warning tells that the tagger gives nearly all members of cliques one label. */
static void warns_of_one_label(void **state) {
  (void)state;
  Random random = {test_seed()};
  for (int32_t is_one = 0; is_one <= 1; ++is_one) {
    Planted planted;
    plant(&random, &planted, 20, 2);
    for (int64_t i = 0; i < planted.items && is_one; ++i)
      planted.scores[i * LABELS + 1] += 20;
    chorale_error error;
    chorale_problem *problem = problem_of(&planted);
    OK(chorale_problem_set_gold(problem, NULL, &error));
    chorale_learn_options options = {.struct_size = sizeof options};
    options.without_gold = 1;
    chorale_learnt *learnt = learn(problem, &options);
    assert_int_equal(report_of(learnt).warnings, is_one ? CHORALE_WARNING_ONE_LABEL : 0);
    chorale_learnt_destroy(learnt);
    chorale_problem_destroy(problem);
    uproot(&planted);
  }
}

/* ---- Results -------------------------------------------------------------------------------- */

static void same_bits_for_any_threads(void **state) {
  (void)state;
  Random random = {test_seed()};
  Planted planted;
  plant(&random, &planted, 12, 2.5);
  chorale_problem *problem = problem_of(&planted);
  char *first = NULL;
  static const int64_t threads[] = {1, 4, INT64_MAX}; /* above 256 as 256 */
  for (size_t k = 0; k < COUNT_OF(threads); ++k) {
    chorale_learn_options options = {.struct_size = sizeof options};
    options.threads = threads[k];
    chorale_learnt *learnt = learn(problem, &options);
    char *text = text_of(learnt, CHORALE_TEXT_JSON);
    if (first) {
      assert_string_equal(first, text);
      free(text);
    } else {
      first = text;
    }
    chorale_learnt_destroy(learnt);
  }
  free(first);
  chorale_problem_destroy(problem);
  uproot(&planted);
}

static void applied_saved_and_read(void **state) {
  (void)state;
  Random random = {test_seed()};
  chorale_error error;
  Planted planted;
  plant(&random, &planted, 60, 3);
  chorale_problem *problem = problem_of(&planted);
  const chorale_text name = {"words \"\n", 8};
  OK(chorale_problem_set_texts(problem, CHORALE_TEXTS_KINDS, &name, sizeof name, 1, &error));
  chorale_learnt *learnt = learn(problem, NULL);
  const chorale_learnt_report report = report_of(learnt);
  assert_int_equal(report.applied, 1);
  char *lines = text_of(learnt, CHORALE_TEXT_LINES);
  assert_non_null(strstr(lines, "Agreement is applied: held-out groups gain by it."));
  assert_non_null(strstr(lines, "words \"\n: strength "));
  char *text = text_of(learnt, CHORALE_TEXT_JSON);
  chorale_learnt *again = NULL;
  OK(chorale_learnt_read(NULL, text, strlen(text), &again, &error));
  char *written = text_of(again, CHORALE_TEXT_JSON);
  assert_string_equal(text, written);
  const chorale_learnt_report read = report_of(again);
  assert_int_equal(read.verdict, report.verdict);
  assert_true(fabs(read.agreeing_accuracy - report.agreeing_accuracy) < 1e-13);
  /* Every truncated text is refused. */
  for (size_t length = 0; length < strlen(text); ++length) {
    chorale_learnt *none = NULL;
    assert_int_equal(CHORALE_ERROR_TEXT, chorale_learnt_read(NULL, text, length, &none, &error));
    assert_null(none);
  }
  /* The potential of a kind is the one that is applied. */
  chorale_potential *potential = NULL;
  OK(chorale_learnt_potential(NULL, again, 0, LABELS, -1, &potential, &error));
  const int64_t counts[LABELS] = {2, 3, 1};
  double score = 0;
  OK(chorale_potential_score(potential, counts, LABELS, 6, &score, &error));
  assert_true(fabs(score - kind_of(again).strength * (4 + 9 + 1) / 6) < 1e-12);
  int64_t alone = 0;
  for (int64_t i = 0; i < planted.items; ++i)
    alone += own_label(&planted, i) != planted.gold[i];
  assert_true(errors_under(again, &planted) < alone);
  assert_int_equal(errors_under(again, &planted), errors_under(learnt, &planted));
  chorale_potential_release(potential);
  chorale_learnt_destroy(again);
  chorale_learnt_destroy(learnt);
  free(written);
  free(text);
  free(lines);
  chorale_problem_destroy(problem);
  uproot(&planted);
}

/* Numbers of any magnitude are read. */
static void hostile_figures_are_read(void **state) {
  (void)state;
  chorale_error error;
  const char *text = "{\"learnt\":2,\"tagger_cost\":2.3e-308,\"gain_p\":-1.5e300,"
                     "\"temperature\":0e999,\"kinds\":[],\"weights\":[]}";
  chorale_learnt *learnt = NULL;
  OK(chorale_learnt_read(NULL, text, strlen(text), &learnt, &error));
  const chorale_learnt_report report = report_of(learnt);
  assert_true(fabs(report.tagger_cost / 2.3e-308 - 1) < 1e-13);
  assert_true(fabs(report.gain_p / -1.5e300 - 1) < 1e-13);
  assert_true(report.temperature == 0);
  chorale_learnt_destroy(learnt);
}

/* Written by 0.2: a strength, a bonus, and one for each label. */
static void a_result_of_0_2_is_read(void **state) {
  (void)state;
  chorale_error error;
  static const char json[] =
      "{\"learnt\":1,\"outcome\":0,\"applied\":2,\"warnings\":0,\"groups\":16,\"folds\":10,"
      "\"positions\":7905,\"runs\":51,\"unit\":2.454594158530292,\"regularisation\":30,\"f1\":0,"
      "\"temperature\":1.25,\"kinds\":[{\"name\":\"words\",\"verdict\":0,\"cliques\":16,\"members\":210,"
      "\"screening_p\":0.15625,\"gain\":76,\"gain_lower\":0,\"gain_upper\":196.0000000000001,\"p\":0.25,"
      "\"values\":3,\"centre_values\":0,\"is_property\":false,\"has_empty\":false,\"has_out\":false,"
      "\"is_centred\":false,\"majority\":false,\"left_out\":1,\"weights\":3}],\"weights\":["
      "{\"basis\":\"agreement\",\"kind\":0,\"index\":0,\"weight\":1.5,\"lower\":1,\"upper\":2,"
      "\"least\":0,\"most\":null},{\"basis\":\"single\",\"kind\":0,\"index\":0,\"weight\":-0.25,"
      "\"lower\":-1,\"upper\":2,\"least\":null,\"most\":null},{\"basis\":\"value\",\"kind\":0,"
      "\"index\":2,\"weight\":1e-1,\"lower\":-1,\"upper\":2,\"least\":null,\"most\":null}]}";
  chorale_learnt *learnt = NULL;
  OK(chorale_learnt_read(NULL, json, sizeof json - 1, &learnt, &error));
  assert_int_equal(report_of(learnt).applied, 1);
  assert_true(report_of(learnt).temperature == 1.25);
  chorale_potential *potential = NULL;
  OK(chorale_learnt_potential(NULL, learnt, 0, LABELS, -1, &potential, &error));
  const int64_t counts[LABELS] = {2, 3, 1};
  double score = 0;
  OK(chorale_potential_score(potential, counts, LABELS, 6, &score, &error));
  assert_true(fabs(score - (1.5 * 10 / 6 - 0.25 * 4 + 0.1)) < 1e-12);
  chorale_potential_release(potential);
  chorale_learnt_destroy(learnt);
  /* n_v of the value v with the highest count, and half as much of the value 0. */
  static const char majority[] =
      "{\"learnt\":1,\"applied\":2,\"kinds\":[{\"name\":\"\",\"cliques\":1,\"members\":2,\"values\":3,"
      "\"majority\":true,\"weights\":4}],\"weights\":["
      "{\"basis\":\"majority\",\"kind\":0,\"index\":0,\"weight\":1},"
      "{\"basis\":\"majority\",\"kind\":0,\"index\":3,\"weight\":0.5},"
      "{\"basis\":\"majority\",\"kind\":0,\"index\":4,\"weight\":1},"
      "{\"basis\":\"majority\",\"kind\":0,\"index\":8,\"weight\":1}]}";
  OK(chorale_learnt_read(NULL, majority, sizeof majority - 1, &learnt, &error));
  OK(chorale_learnt_potential(NULL, learnt, 0, LABELS, -1, &potential, &error));
  OK(chorale_potential_score(potential, counts, LABELS, 6, &score, &error));
  assert_true(score == 3 + 0.5 * 2);
  chorale_potential_release(potential);
  chorale_learnt_destroy(learnt);
  /* Changed so that kinds and weights contradict each other, or that something is unknown. */
  static const struct {
    const char *from, *to, *says;
  } changes[] = {{"\"index\":2", "\"index\":3", "contradict each other"},
                 {"\"single\"", "\"sangle\"", "is no learnt result from byte"},
                 {"\"single\"", "\"empty\" ", "contradict each other"},
                 {"\"kind\":0", "\"kind\":1", "contradict each other"},
                 {"\"words\"", " words ", "is no learnt result from byte"},
                 {"\"outcome\"", " outcome ", "is no learnt result from byte"},
                 {"\"learnt\":1", "\"learnt\":3", "is no learnt result"},
                 {"\"applied\":2", "\"applied\":x", "is no learnt result from byte 34"},
                 {"\"applied\":2", "\"applied\":,", "is no learnt result from byte 34"}};
  for (size_t k = 0; k < COUNT_OF(changes); ++k) {
    char text[sizeof json];
    memcpy(text, json, sizeof json);
    char *at = strstr(text, changes[k].from);
    assert_non_null(at);
    memcpy(at, changes[k].to, strlen(changes[k].to));
    FAILS(chorale_learnt_read(NULL, text, strlen(text), &learnt, &error), CHORALE_ERROR_TEXT,
          changes[k].says);
  }
}

static int32_t stop_at_once(void *user, const chorale_learn_progress *progress) {
  *(int64_t *)user = progress->runs;
  return 1;
}

typedef struct Told {
  int64_t runs, least, most; /* the last number of runs; bounds on it */
} Told;

static int32_t tell(void *user, const chorale_learn_progress *progress) {
  Told *told = user;
  if (told->runs == 0)
    told->least = progress->runs_most;
  told->runs = progress->runs;
  told->most = progress->runs_most;
  return 0;
}

/* The bound on the number of runs is the same from the first run on. */
static void progress_has_one_bound(void **state) {
  (void)state;
  Random random = {test_seed()};
  Planted planted;
  plant(&random, &planted, 16, 3);
  chorale_problem *problem = problem_of(&planted);
  Told told = {0};
  chorale_learn_options options = {.struct_size = sizeof options};
  options.progress = tell;
  options.progress_user = &told;
  chorale_learnt *learnt = learn(problem, &options);
  assert_int_equal(told.runs, report_of(learnt).runs);
  assert_true(told.least == told.most && told.runs <= told.most);
  chorale_learnt_destroy(learnt);
  chorale_problem_destroy(problem);
  uproot(&planted);
}

static void limits_end_it(void **state) {
  (void)state;
  Random random = {test_seed()};
  chorale_error error;
  Planted planted;
  plant(&random, &planted, 8, 1);
  chorale_problem *problem = problem_of(&planted);
  chorale_learn_options options = {.struct_size = sizeof options};
  int64_t runs = 0;
  options.progress = stop_at_once;
  options.progress_user = &runs;
  chorale_learnt *learnt = learn(problem, &options);
  assert_int_equal(runs, 1);
  assert_int_equal(report_of(learnt).outcome, CHORALE_OUTCOME_CANCELLED);
  assert_int_equal(report_of(learnt).verdict, CHORALE_VERDICT_INTERRUPTED);
  assert_int_equal(report_of(learnt).applied, 0);
  chorale_learnt_destroy(learnt);
  options = (chorale_learn_options){.struct_size = sizeof options};
  options.time_limit = -1;
  learnt = learn(problem, &options);
  assert_int_equal(report_of(learnt).outcome, CHORALE_OUTCOME_DEADLINE);
  assert_int_equal(report_of(learnt).verdict, CHORALE_VERDICT_INTERRUPTED);
  chorale_learnt_destroy(learnt);
  options = (chorale_learn_options){.struct_size = sizeof options};
  chorale_cancel *cancel = NULL;
  OK(chorale_cancel_create(NULL, &cancel, &error));
  chorale_cancel_raise(cancel);
  options.cancel = cancel;
  learnt = learn(problem, &options);
  assert_int_equal(report_of(learnt).outcome, CHORALE_OUTCOME_CANCELLED);
  chorale_learnt_destroy(learnt);
  chorale_cancel_destroy(cancel);
  chorale_problem_destroy(problem);
  uproot(&planted);
}

static void refuse(const chorale_problem *problem, const chorale_learn_options *options,
                   chorale_status status, const char *words) {
  chorale_error error;
  chorale_learnt *learnt = NULL;
  const chorale_problem *problems[] = {problem};
  assert_int_equal(status, chorale_learn(NULL, problems, 1, options, &learnt, &error));
  assert_null(learnt);
  if (!strstr(error.message, words))
    fail_msg("'%s' does not say '%s'", error.message, words);
}

static void bad_input(void **state) {
  (void)state;
  Random random = {test_seed()};
  chorale_error error;
  Planted planted;
  plant(&random, &planted, 4, 1);
  chorale_problem *problem = problem_of(&planted);
  chorale_learn_options options;
#define WITH(set, status, words)                                                                   \
  do {                                                                                             \
    options = (chorale_learn_options){.struct_size = sizeof options};                              \
    set;                                                                                           \
    refuse(problem, &options, status, words);                                                      \
  } while (0)
  WITH(options.time_limit = NAN, CHORALE_ERROR_NOT_A_NUMBER, "options->time_limit is NaN");
  WITH(options.threads = -1, CHORALE_ERROR_SIZE, "options->threads is -1");
  const double costs[] = {0, 1, 1, -1, 0, 1, 1, 1, 0};
  WITH((options.costs = costs, options.labels = 3), CHORALE_ERROR_OUT_OF_RANGE,
       "costs[1][0] is -1");
  const double few[] = {0, 1, 1, 0};
  WITH((options.costs = few, options.labels = 2), CHORALE_ERROR_LABELS_MISMATCH,
       "chain 0 of problems[0] has 3 labels; it must have options->labels = 2");
  const double ones[] = {0, 1, 1, 1, 0, 1, 1, 1, 0};
  WITH((options.costs = ones, options.classes = without_0, options.labels = 3), CHORALE_ERROR_KIND,
       "both given");
  const int32_t low[] = {-1, -2, 0}, none[] = {-1, -1, -1};
  WITH((options.classes = low, options.labels = 3), CHORALE_ERROR_OUT_OF_RANGE, "classes[1] is -2");
  WITH((options.classes = none, options.labels = 3), CHORALE_ERROR_OUT_OF_RANGE, "all -1");
  WITH((options.classes = without_0, options.labels = 2), CHORALE_ERROR_LABELS_MISMATCH,
       "has 3 labels");
  const int32_t begins[] = {0, 1, 2};
  WITH((options.begins = begins, options.labels = 3), CHORALE_ERROR_KIND,
       "options->begins is given without options->classes");
  WITH((options.begins = begins, options.classes = without_0, options.labels = 3),
       CHORALE_ERROR_OUT_OF_RANGE, "options->begins[2] is 2; it must be from 0 to 1");
  WITH(options.struct_size = 3, CHORALE_ERROR_STRUCT_SIZE, "struct_size is 3");

  OK(chorale_problem_set_gold(problem, NULL, &error));
  refuse(problem, NULL, CHORALE_ERROR_NO_GOLD, "no gold label");
  /* Gold labels in only one group are refused. */
  int32_t *gold = malloc((size_t)planted.items * sizeof *gold);
  for (int64_t i = 0; i < planted.items; ++i)
    gold[i] = planted.group[i] == 2 ? planted.gold[i] : -1;
  OK(chorale_problem_set_gold(problem, gold, &error));
  refuse(problem, NULL, CHORALE_ERROR_ONE_GROUP, "one group");
  OK(chorale_problem_set_gold(problem, planted.gold, &error));
  int32_t *kinds = malloc((size_t)planted.items * sizeof *kinds);
  for (int64_t i = 0; i < planted.items; ++i)
    kinds[i] = -1;
  OK(chorale_problem_set_cliques(problem, kinds, NULL, &error));
  refuse(problem, NULL, CHORALE_ERROR_KIND, "no clique has a kind");
  kinds[0] = INT32_MAX;
  OK(chorale_problem_set_cliques(problem, kinds, NULL, &error));
  refuse(problem, NULL, CHORALE_ERROR_OUT_OF_RANGE, "is of kind 2147483647");
  kinds[0] = 0;
  OK(chorale_problem_set_cliques(problem, kinds, NULL, &error));
  /* A problem with other names of kinds is refused. */
  chorale_problem *other = problem_of(&planted);
  const chorale_text names[] = {{"words", 5}, {"titles", 6}};
  OK(chorale_problem_set_texts(problem, CHORALE_TEXTS_KINDS, names, sizeof *names, 1, &error));
  OK(chorale_problem_set_texts(other, CHORALE_TEXTS_KINDS, names + 1, sizeof *names, 1, &error));
  const chorale_problem *both[] = {problem, other};
  chorale_learnt *learnt = NULL;
  assert_int_equal(CHORALE_ERROR_MODEL_MISMATCH,
                   chorale_learn(NULL, both, 2, NULL, &learnt, &error));
  assert_non_null(strstr(error.message, "a problem is named 'titles'; it must be 'words'"));
  assert_int_equal(CHORALE_ERROR_NULL_ARGUMENT,
                   chorale_learn(NULL, NULL, 1, NULL, &learnt, &error));
  assert_int_equal(CHORALE_ERROR_SIZE, chorale_learn(NULL, both, 0, NULL, &learnt, &error));
  /* Applying to another kind, or to kinds with other names, is refused. */
  learnt = learn(problem, NULL);
  chorale_model *model = NULL;
  assert_int_equal(CHORALE_ERROR_MODEL_MISMATCH,
                   chorale_learnt_apply(NULL, learnt, other, &model, &error));
  kinds[1] = 1;
  OK(chorale_problem_set_cliques(problem, kinds, NULL, &error));
  assert_int_equal(CHORALE_ERROR_KIND, chorale_learnt_apply(NULL, learnt, problem, &model, &error));
  assert_non_null(strstr(error.message, "clique 1 is of kind 1; it must be of a kind that"));
  chorale_potential *potential = NULL;
  assert_int_equal(CHORALE_ERROR_OUT_OF_RANGE,
                   chorale_learnt_potential(NULL, learnt, 1, 3, -1, &potential, &error));
  assert_int_equal(CHORALE_ERROR_OUT_OF_RANGE,
                   chorale_learnt_potential(NULL, learnt, 0, 3, 0, &potential, &error));
  assert_string_equal(error.message,
                      "centre_value is 0; it must be -1, since kind 0 has no centre");
  chorale_learnt_destroy(learnt);
  chorale_problem_destroy(other);
  /* Warnings: a tagger that is nearly always right, and gold labels that the scores forbid. */
  for (int64_t i = 0; i < planted.items; ++i)
    for (int32_t v = 0; v < LABELS; ++v)
      planted.scores[i * LABELS + v] = v == planted.gold[i] ? 2 : random_unit(&random);
  planted.scores[planted.gold[0]] = -INFINITY;
  other = problem_of(&planted);
  learnt = learn(other, NULL);
  assert_true(report_of(learnt).warnings & CHORALE_WARNING_BASE_KNOWS);
  assert_true(report_of(learnt).warnings & CHORALE_WARNING_GOLD_FORBIDDEN);
  assert_int_equal(report_of(learnt).applied, 0);
  assert_int_equal(report_of(learnt).positions, planted.items - 1);
  int64_t count = 0;
  chorale_learnt_kind told[1];
  OK(chorale_learnt_kinds(learnt, told, sizeof *told, 1, &count, &error));
  assert_true(told[0].strength == 0);
  assert_int_equal(told[0].members, planted.items);
  /* Buffers: absent, too small, and with too small elements. */
  count = 0;
  assert_int_equal(CHORALE_ERROR_CAPACITY,
                   chorale_learnt_kinds(learnt, told, sizeof *told, 0, &count, &error));
  assert_int_equal(count, 1);
  assert_int_equal(CHORALE_ERROR_STRUCT_SIZE,
                   chorale_learnt_kinds(learnt, told, 4, 1, &count, &error));
  char text[8] = "unharmed";
  size_t bytes = 0;
  assert_int_equal(CHORALE_ERROR_CAPACITY, chorale_learnt_text(learnt, CHORALE_TEXT_JSON, text,
                                                               sizeof text, &bytes, &error));
  assert_true(bytes > sizeof text);
  assert_memory_equal(text, "unharmed", sizeof text);
  assert_int_equal(CHORALE_ERROR_UNKNOWN_CONSTANT,
                   chorale_learnt_text(learnt, 7, NULL, 0, NULL, &error));
  chorale_learnt_destroy(learnt);
  chorale_problem_destroy(other);
  /* So does an end score: each chain has one position, at which it ends. (Item 0 is forbidden by its
   * own score.) */
  const double edges[LABELS * LABELS] = {0};
  const double end[LABELS] = {-INFINITY};
  const chorale_transitions_options ends = {.struct_size = sizeof ends, .end = end};
  chorale_transitions *transitions = NULL;
  OK(chorale_transitions_create(NULL, LABELS, edges, &ends, &transitions, &error));
  other = problem_with(&planted, planted.keys, transitions);
  int64_t allowed = 0;
  for (int64_t i = 1; i < planted.items; ++i)
    allowed += planted.gold[i] != 0;
  learnt = learn(other, NULL);
  assert_true(report_of(learnt).warnings & CHORALE_WARNING_GOLD_FORBIDDEN);
  assert_int_equal(report_of(learnt).positions, allowed);
  chorale_learnt_destroy(learnt);
  chorale_problem_destroy(other);
  chorale_transitions_release(transitions);
  /* A gold label that no score allows gives a warning. */
  for (int64_t i = 0; i < planted.items; ++i)
    planted.scores[i * LABELS + planted.gold[0]] = -INFINITY;
  other = problem_of(&planted);
  learnt = learn(other, NULL);
  assert_true(report_of(learnt).warnings & CHORALE_WARNING_GOLD_FORBIDDEN);
  chorale_learnt_destroy(learnt);
  chorale_problem_destroy(other);
  free(kinds);
  free(gold);
  chorale_problem_destroy(problem);
  uproot(&planted);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(planted_agreement_is_found),
      cmocka_unit_test(no_harm),
      cmocka_unit_test(what_the_tagger_knows_is_no_agreement),
      cmocka_unit_test(few_groups_need_a_credible_gain),
      cmocka_unit_test(lost_accuracy_is_refused),
      cmocka_unit_test(a_bonus_must_be_needed),
      cmocka_unit_test(figures_are_those_of_a_count),
      cmocka_unit_test(labels_that_do_not_count_are_left_out),
      cmocka_unit_test(temperatures_end_the_excess),
      cmocka_unit_test(strength_without_gold_keeps_the_budget),
      cmocka_unit_test(warns_of_one_label),
      cmocka_unit_test(same_bits_for_any_threads),
      cmocka_unit_test(applied_saved_and_read),
      cmocka_unit_test(hostile_figures_are_read),
      cmocka_unit_test(a_result_of_0_2_is_read),
      cmocka_unit_test(progress_has_one_bound),
      cmocka_unit_test(limits_end_it),
      cmocka_unit_test(bad_input),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
