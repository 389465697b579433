/* Chains of which every labelling is forbidden, by themselves or by a clique without members in other
 * chains: they are left out, and named with what forbids them; everything else is labelled as if they
 * were not there. Where the run has no proof, the chain keeps its own labels. */
#include "fixture_cluster.h"
#include "fixture_held.h"

/* ---- Random models ------------------------------------------------------------------------ */

/* Forbids every labelling of one to all chains of a model: by the scores of a position or, if the
 * chain has several positions, by the transitions to one. */
static int32_t spoil(Random *random, Cluster *cluster) {
  int32_t spoilt = 0;
  for (int32_t i = 0; i < cluster->chain_count; ++i) {
    Sample *sample = &cluster->chains[i];
    if (cluster->is_instance[i] || sample->length == 0 || random_chance(random, 50))
      continue;
    ++spoilt;
    const int32_t t = random_int(random, 0, sample->length - 1);
    const int by_transitions = t > 0 && sample->source != EDGES_NONE &&
                               (!sample->is_tree || sample->parents[t] >= 0) &&
                               random_chance(random, 50);
    for (int32_t y = 0; y < sample->labels; ++y) {
      if (!by_transitions)
        sample->unary[t][y] = -INFINITY;
      for (int32_t e = 0; e < sample->length && by_transitions; ++e)
        for (int32_t x = 0; x < sample->labels; ++x)
          sample->edges[e][x][y] = -INFINITY; /* of all edges, as they may share one matrix */
    }
  }
  return spoilt;
}

/* Leaves some cliques one member, or the members in one chain, and forbids most counts of its values.
 * Returns the number of these cliques. */
static int32_t shut(Random *random, Cluster *cluster) {
  int32_t count = 0;
  for (int32_t c = 0; c < cluster->clique_count; ++c) {
    Group *group = &cluster->cliques[c];
    Problem *potential = &group->potentials[0];
    const int has_tables =
        (potential->kind >= KIND_SUM_SHARED && potential->kind <= KIND_CARDINALITY) ||
        potential->kind == KIND_MAX_SHARED || potential->kind == KIND_MAX_PER_VALUE;
    if (group->shape == CENTRED || group->member_count == 0 || !has_tables ||
        random_chance(random, 50))
      continue;
    const Member kept = group->members[random_int(random, 0, group->member_count - 1)];
    int32_t members = 0;
    if (random_chance(random, 50))
      group->members[members++] = kept;
    else
      for (int32_t i = 0; i < group->member_count; ++i)
        if (group->members[i].chain == kept.chain)
          group->members[members++] = group->members[i];
    group->member_count = potential->members = members;
    potential->shape = CHORALE_SHAPE_DETECT;
    const int32_t share = random_int(random, 60, 100);
    for (int32_t v = 0; v < potential->table_count; ++v)
      for (int32_t k = 0; k < members; ++k)
        if (random_chance(random, share))
          potential->tables[v * MAX_LENGTH + k + random_int(random, 0, 9) / 9] = -INFINITY;
    ++count;
  }
  return count;
}

/* True if some label of a position is allowed by scores, `forced` and `allowed`. */
static int allows_some(const Sample *sample, int32_t t) {
  for (int32_t y = 0; y < sample->labels; ++y)
    if (sample->unary[t][y] > -INFINITY && (!sample->has_allowed || sample->allowed[t][y]) &&
        (!sample->has_forced || sample->forced[t] < 0 || sample->forced[t] == y))
      return 1;
  return 0;
}

typedef struct Found {
  int64_t by_scores, by_transitions, by_cliques, unknown, undecided, alone;
} Found;

/* True if no clique holds members of the chain alone. */
static int has_company(const Cluster *cluster, int32_t chain) {
  for (int32_t c = 0; c < cluster->clique_count; ++c)
    if (is_only_chain(&cluster->cliques[c], chain))
      return 0;
  return 1;
}

static const char *check_named(const Cluster *cluster, const ClusterTruth *truth,
                               const chorale_run *run, Found *found) {
  chorale_error error;
  chorale_left_out named[MOST_CHAINS];
  int64_t count = 0, next = 0;
  OK(chorale_run_left_out(run, named, sizeof named[0], MOST_CHAINS, &count, &error));
  int32_t with_company = 0;
  for (int32_t i = 0; i < cluster->chain_count; ++i)
    with_company += !truth->is_out[i] && has_company(cluster, i);
  for (int32_t i = 0; i < cluster->chain_count; ++i) {
    const int is_named = next < count && named[next].chain == i;
    if (is_named && named[next].obstacle == CHORALE_OBSTACLE_UNDECIDED && !truth->is_out[i]) {
      ++found->undecided;
      ++next; /* check_run judges it */
      continue;
    }
    if (!truth->is_out[i]) {
      if (truth->is_hopeless[i] && with_company > 0)
        return complain("chain %d is not named, and cliques of its own forbid every labelling", i);
      continue;
    }
    if (!is_named)
      return complain("chain %d is not named", i);
    const chorale_left_out *one = &named[next++];
    if (one->obstacle == CHORALE_OBSTACLE_UNKNOWN) {
      if (!cluster->is_instance[i] || one->position != -1)
        return complain("chain %d: the obstacle is unknown", i);
      ++found->unknown;
      continue;
    }
    if (one->obstacle == CHORALE_OBSTACLE_CLIQUES) {
      if (one->position != -1 || one->clique < 0 || one->clique >= cluster->clique_count ||
          cluster->cliques[one->clique].member_count != 1 ||
          cluster->cliques[one->clique].members[0].chain != i)
        return complain("chain %d: the obstacle is clique %lld, position %lld", i,
                        (long long)one->clique, (long long)one->position);
      for (int32_t t = 0; t < cluster->chains[i].length; ++t)
        if (!allows_some(&cluster->chains[i], t))
          return complain("chain %d: its scores forbid every labelling, not a clique", i);
      ++found->by_cliques;
      continue;
    }
    if (one->clique != -1)
      return complain("chain %d: clique %lld is no obstacle", i, (long long)one->clique);
    if (one->position < 0 || one->position >= cluster->chains[i].length)
      return complain("chain %d: the obstacle is at position %lld", i, (long long)one->position);
    const int is_open = allows_some(&cluster->chains[i], (int32_t)one->position);
    if (is_open != (one->obstacle == CHORALE_OBSTACLE_TRANSITIONS))
      return complain("chain %d: obstacle %d at position %lld", i, one->obstacle,
                      (long long)one->position);
    ++*(is_open ? &found->by_transitions : &found->by_scores);
  }
  return next == count ? NULL : complain("chain %lld is named", (long long)named[next].chain);
}

static const char *must_label_the_rest(const Cluster *cluster, void *context) {
  Found *found = context;
  static Built built;
  static Cluster shut_out, spoilt;
  ClusterTruth truth, before;
  chorale_error error;
  chorale_run_result result = {.struct_size = sizeof result};
  Random random = {test_seed() + (uint64_t)cluster->clique_count};
  shut_out = *cluster;
  const int32_t closed = random_chance(&random, 50) ? shut(&random, &shut_out) : 0;
  cluster = &shut_out;
  spoilt = *cluster;
  if (spoil(&random, &spoilt) + closed == 0 || !enumerate_cluster(&spoilt, &truth) ||
      !enumerate_cluster(cluster, &before))
    return NULL;
  chorale_run_options options = spoilt.options;
  options.edits = random_chance(&random, 50);
  options.rounds = cluster->options.rounds;
  chorale_run *run = NULL;
  const char *why = NULL;
  build(&spoilt, NULL, &built);
  chorale_status status = chorale_run_create(NULL, built.model, &options, NULL, &run, &error);
  if (status == CHORALE_OK)
    status = chorale_run_solve(run, &result, &error);
  if (status == CHORALE_OK) {
    why = check_run(&spoilt, &truth, run, &result);
    if (!why)
      why = check_named(&spoilt, &truth, run, found);
    found->alone += truth.is_stuck;
  }
  chorale_run_destroy(run);
  close_built(&spoilt, &built);

  /* Scores that come and go: the run begins with the scores of `cluster`. */
  build(cluster, NULL, &built);
  run = NULL;
  if (!why && chorale_run_create(NULL, built.model, &options, NULL, &run, &error) == CHORALE_OK &&
      chorale_run_solve(run, &result, &error) == CHORALE_OK) {
    static Given given[MOST_CHAINS];
    Cluster judged = spoilt;
    judged.options.rounds = 1000;
    memset(given, 0, sizeof given);
    for (int turn = 0; turn < 4 && !why; ++turn) {
      const Cluster *now = turn % 2 == 0 ? &spoilt : cluster;
      for (int32_t i = 0; i < cluster->chain_count; ++i) {
        if (cluster->is_instance[i])
          continue;
        take_back(&given[i]);
        give(&now->chains[i], &given[i]);
        OK(chorale_run_set_chain(run, i, &given[i].chain, &error));
      }
      if (turn == 1) { /* labels with -1 can be given back */
        int32_t labels[MOST_CHAINS * MOST_POSITIONS];
        int64_t count = 0;
        if (chorale_run_labels(run, CHORALE_ALL_CHAINS, CHORALE_TOGETHER, labels,
                               (int64_t)COUNT_OF(labels), &count, &error) == CHORALE_OK)
          OK(chorale_run_set_labels(run, labels, count, &error));
      }
      status = chorale_run_solve(run, &result, &error);
      if (status != CHORALE_OK)
        break;
      Cluster changed = *now;
      changed.options = judged.options;
      why = check_run(&changed, turn % 2 == 0 ? &truth : &before, run, &result);
      if (!why)
        why = check_named(&changed, turn % 2 == 0 ? &truth : &before, run, found);
      if (why) {
        static char reason[1024];
        (void)snprintf(reason, sizeof reason, "%s", why);
        why = complain("turn %d: %s", turn, reason);
      }
    }
    for (int32_t i = 0; i < cluster->chain_count; ++i)
      take_back(&given[i]);
  }
  chorale_run_destroy(run);
  close_built(cluster, &built);
  return why;
}

static void the_rest_is_labelled(void **state) {
  (void)state;
  Found found = {0};
  check_clusters("random", test_rounds(3000), random_cluster, must_label_the_rest, &found);
  check_clusters("items", test_rounds(1500), random_item_cluster, must_label_the_rest, &found);
  check_clusters("crowded", test_rounds(500), random_crowded_cluster, must_label_the_rest, &found);
  check_clusters("forbidding", test_rounds(1000), random_forbidding_cluster, must_label_the_rest,
                 &found);
  check_clusters("outside", test_rounds(300), random_outside_cluster, must_label_the_rest, &found);
  print_message("%lld by scores, %lld by transitions, %lld by cliques, %lld undecided, %lld unknown; "
                "%lld times all\n",
                (long long)found.by_scores, (long long)found.by_transitions,
                (long long)found.by_cliques, (long long)found.undecided, (long long)found.unknown,
                (long long)found.alone);
  assert_true(found.by_scores >= test_rounds(100) && found.by_transitions >= test_rounds(20) &&
              found.by_cliques >= test_rounds(100) && found.undecided >= test_rounds(100) - 2 &&
              found.alone >= test_rounds(10) - 1);
}

/* ---- A corpus ----------------------------------------------------------------------------- */

enum { CHAINS = 200, LENGTH = 6, LABELS = 3, POSITIONS = CHAINS * LENGTH };

/* One sequence of two hundred forbids every labelling. The result is that of all others. */
static void one_bad_sequence_costs_no_other(void **state) {
  (void)state;
  static double unary[POSITIONS * LABELS], rest[POSITIONS * LABELS];
  static int32_t tokens[POSITIONS], rest_tokens[POSITIONS], labels[POSITIONS], others[POSITIONS];
  static int64_t offsets[CHAINS + 1];
  chorale_error error;
  for (int64_t round = 0; round < test_rounds(20); ++round) {
    Random random = {test_seed() + (uint64_t)round};
    const int64_t bad = random_int(&random, 0, CHAINS - 1);
    const int64_t place = random_int(&random, 0, LENGTH - 1);
    for (int64_t k = 0; k < POSITIONS * LABELS; ++k)
      unary[k] = random_unit(&random);
    for (int64_t t = 0; t < POSITIONS; ++t)
      tokens[t] = random_int(&random, 0, 99);
    for (int64_t i = 0; i <= CHAINS; ++i)
      offsets[i] = i * LENGTH;
    for (int64_t y = 0; y < LABELS; ++y)
      unary[(bad * LENGTH + place) * LABELS + y] = -INFINITY;
    const size_t before = (size_t)(bad * LENGTH), after = POSITIONS - before - LENGTH;
    memcpy(rest, unary, before * LABELS * sizeof *unary);
    memcpy(rest + before * LABELS, unary + (before + LENGTH) * LABELS,
           after * LABELS * sizeof *unary);
    memcpy(rest_tokens, tokens, before * sizeof *tokens);
    memcpy(rest_tokens + before, tokens + before + LENGTH, after * sizeof *tokens);

    chorale_agreement words = {.struct_size = sizeof words};
    words.across = 1;
    words.minimum = 1;
    chorale_run_options options = {.struct_size = sizeof options};
    options.message_element = CHORALE_MESSAGES_FLOAT64; /* for both corpora */
    options.bound_steps = 3;
    double score[2], bound[2];
    for (int k = 0; k < 2; ++k) {
      chorale_corpus corpus = {.struct_size = sizeof corpus};
      corpus.chains = k == 0 ? CHAINS : CHAINS - 1;
      corpus.labels = LABELS;
      corpus.offsets = offsets;
      corpus.unary = k == 0 ? unary : rest;
      corpus.tokens = k == 0 ? tokens : rest_tokens;
      chorale_decoded *decoded = NULL;
      OK(chorale_decode(NULL, &corpus, &words, 1, &options, &decoded, &error));
      chorale_run_result result = {.struct_size = sizeof result};
      OK(chorale_decoded_get_result(decoded, &result, &error));
      assert_int_equal(result.left_out, k == 0 ? 1 : 0);
      OK(chorale_decoded_labels(decoded, CHORALE_TOGETHER, k == 0 ? labels : others, POSITIONS,
                                NULL, &error));
      score[k] = result.score;
      bound[k] = result.upper_bound;
      chorale_left_out named;
      int64_t count = -1;
      OK(chorale_run_left_out(chorale_decoded_run(decoded), &named, sizeof named, 1, &count,
                              &error));
      assert_int_equal(count, k == 0 ? 1 : 0);
      if (k == 0) {
        assert_int_equal(named.chain, bad);
        assert_int_equal(named.position, place);
        assert_int_equal(named.obstacle, CHORALE_OBSTACLE_SCORES);
        FAILS(chorale_run_left_out(chorale_decoded_run(decoded), &named, sizeof named, 0, NULL,
                                   &error),
              CHORALE_ERROR_CAPACITY, "capacity");
        double again = 0;
        OK(chorale_model_score(NULL, chorale_decoded_model(decoded), labels, POSITIONS, &again,
                               NULL, NULL, &error));
        assert_true(again == result.score);
        double row[LENGTH * LABELS];
        FAILS(chorale_run_probabilities(chorale_decoded_run(decoded), bad, 1, row, 0, NULL, &error),
              CHORALE_ERROR_NO_LABELLING, "left out");
      }
      chorale_decoded_destroy(decoded);
    }
    for (int64_t t = 0; t < LENGTH; ++t)
      assert_int_equal(labels[bad * LENGTH + t], -1);
    assert_memory_equal(labels, others, before * sizeof *labels);
    assert_memory_equal(labels + before + LENGTH, others + before, after * sizeof *labels);
    assert_true(is_close(score[0], score[1]) && is_close(bound[0], bound[1]));
  }
}

/* ---- Chains that no labelling can help ------------------------------------------------------- */

enum { LONG = 3000, SHORT = 4, IN_ALL = LONG + SHORT };

static chorale_model_builder *start_model(int64_t chains, const int64_t *lengths) {
  static double unary[IN_ALL * LABELS];
  chorale_error error;
  chorale_model_builder *builder = NULL;
  OK(chorale_model_builder_create(NULL, &builder, &error));
  for (int64_t k = 0; k < IN_ALL * LABELS; ++k)
    unary[k] = (double)(k % 7);
  for (int64_t i = 0; i < chains; ++i) {
    chorale_chain chain = {.struct_size = sizeof chain};
    chain.length = lengths[i];
    chain.labels = LABELS;
    chain.unary = unary;
    OK(chorale_model_builder_add_chain(builder, &chain, NULL, NULL, &error));
  }
  return builder;
}

/* Adds a clique of the first `members` positions of the first chain whose tables forbid every
 * count. */
static void add_forbidding(chorale_model_builder *builder, int64_t members) {
  static double table[IN_ALL];
  chorale_error error;
  chorale_potential *potential = NULL;
  for (int64_t k = 0; k < IN_ALL; ++k)
    table[k] = -INFINITY;
  OK(chorale_potential_create_sum(NULL, LABELS, table, 1, IN_ALL, IN_ALL, NULL,
                                  &potential, &error));
  chorale_clique_setup setup = {.struct_size = sizeof setup};
  setup.values = LABELS;
  setup.potential = potential;
  OK(chorale_model_builder_add_cliques(builder, &setup, 1, NULL, &error));
  for (int64_t t = 0; t < members; ++t)
    OK(put_position(builder, 0, 0, t, &error));
  chorale_potential_release(potential);
}

/* Solves a model, and takes it. Checks that the first chain is left out as `expected` says, or, if
 * this is -1, that the outcome is INFEASIBLE. */
static void check_solved(chorale_model_builder *builder, int64_t budget, chorale_obstacle expected) {
  chorale_error error;
  chorale_model *model = NULL;
  chorale_run *run = NULL;
  OK(chorale_model_builder_freeze(builder, &model, &error));
  chorale_model_builder_destroy(builder);
  chorale_run_options options = {.struct_size = sizeof options};
  options.joint_mode = CHORALE_JOINT_BEAM;
  options.max_states = budget;
  OK(chorale_run_create(NULL, model, &options, NULL, &run, &error));
  chorale_run_result result = {.struct_size = sizeof result};
  OK(chorale_run_solve(run, &result, &error));
  if (expected == -1) {
    assert_int_equal(result.outcome, CHORALE_OUTCOME_INFEASIBLE);
    assert_int_equal(result.left_out, 0);
  } else {
    chorale_left_out named;
    int64_t count = 0;
    assert_true(result.score > -INFINITY);
    assert_int_equal(result.left_out, 1);
    OK(chorale_run_left_out(run, &named, sizeof named, 1, &count, &error));
    assert_int_equal(named.chain, 0);
    assert_int_equal(named.obstacle, expected);
  }
  static int32_t labels[IN_ALL], own[IN_ALL];
  const int64_t length = chain_length_of(model, 0);
  OK(chorale_run_labels(run, 0, CHORALE_TOGETHER, labels, length, NULL, &error));
  if (expected == CHORALE_OBSTACLE_CLIQUES) {
    assert_int_equal(labels[0], -1);
  } else {
    OK(chorale_run_labels(run, 0, CHORALE_ALONE, own, length, NULL, &error));
    assert_memory_equal(labels, own, (size_t)length * sizeof *labels);
  }
  chorale_run_destroy(run);
  chorale_model_release(model);
}

/* A search for an allowed labelling would take a minute. */
static void cliques_that_forbid_every_count_are_seen_at_once(void **state) {
  (void)state;
  const int64_t lengths[] = {LONG, SHORT};
  chorale_model_builder *builder = start_model(2, lengths);
  add_forbidding(builder, LONG);
  check_solved(builder, 0, CHORALE_OBSTACLE_UNDECIDED);
  builder = start_model(1, lengths);
  add_forbidding(builder, LONG);
  check_solved(builder, 0, -1);
}

/* Of two cliques of one potential, one has a single member, whose count the potential forbids: its
 * chain is left out, whichever of them comes first. */
static void a_member_that_may_not_be_alone_is_left_out(void **state) {
  (void)state;
  for (int64_t alone = 0; alone < 2; ++alone) {
    chorale_error error;
    const int64_t lengths[] = {1, 1, 1};
    chorale_model_builder *builder = start_model(3, lengths);
    const double table[] = {0, -INFINITY, 1};
    chorale_potential *potential = NULL;
    OK(chorale_potential_create_sum(NULL, LABELS, table, 1, 3, 0, NULL, &potential, &error));
    chorale_clique_setup setup = {.struct_size = sizeof setup};
    setup.values = LABELS;
    setup.potential = potential;
    OK(chorale_model_builder_add_cliques(builder, &setup, 2, NULL, &error));
    OK(put_position(builder, alone, 0, 0, &error));
    OK(put_position(builder, 1 - alone, 1, 0, &error));
    OK(put_position(builder, 1 - alone, 2, 0, &error));
    chorale_potential_release(potential);
    check_solved(builder, 0, CHORALE_OBSTACLE_CLIQUES);
  }
}

/* Two rules that contradict each other are found by an exact decode, if its states are within the
 * budget. Otherwise the chain is undecided. A third rule adds states. */
static void states_beyond_the_budget_leave_a_chain_undecided(void **state) {
  (void)state;
  const int64_t lengths[] = {SHORT, SHORT};
  for (int k = 0; k < 2; ++k) {
    chorale_error error;
    chorale_model_builder *builder = start_model(2, lengths);
    for (int32_t wanted = 0; wanted < 3; ++wanted) {
      chorale_property *property = NULL;
      chorale_potential *potential = NULL;
      chorale_label_map map = {.struct_size = sizeof map};
      map.labels = map.kinds = LABELS;
      OK(chorale_property_create_next_label(NULL, &map, wanted < 2 ? 2 : 1, NULL,
                                            CHORALE_SEGMENT_SPANS_IGNORED, -1, &property, &error));
      double tables[LABELS][2] = {{0}};
      tables[wanted][wanted < 2 ? 0 : 1] = -INFINITY; /* the member must (not) show this value */
      OK(chorale_potential_create_sum(NULL, LABELS, tables[0], LABELS, 2, 2, NULL, &potential,
                                      &error));
      chorale_clique_setup setup = {.struct_size = sizeof setup};
      setup.property = property;
      setup.potential = potential;
      OK(chorale_model_builder_add_cliques(builder, &setup, 1, NULL, &error));
      OK(put_chain(builder, wanted, 0, NULL, &error));
      chorale_potential_release(potential);
      chorale_property_release(property);
    }
    check_solved(builder, k == 0 ? 0 : 1, k == 0 ? CHORALE_OBSTACLE_CLIQUES : CHORALE_OBSTACLE_UNDECIDED);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_rest_is_labelled),
                                     cmocka_unit_test(cliques_that_forbid_every_count_are_seen_at_once),
                                     cmocka_unit_test(a_member_that_may_not_be_alone_is_left_out),
                                     cmocka_unit_test(states_beyond_the_budget_leave_a_chain_undecided),
                                     cmocka_unit_test(one_bad_sequence_costs_no_other)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
