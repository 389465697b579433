/* Random models. */
#include "fixture_cluster.h"

int32_t plain_members(const Group *group) {
  return group->member_count - (group->shape == CENTRED ? 1 : 0);
}

int chain_in_cliques(const Cluster *cluster, int32_t chain) {
  int memberships = 0;
  for (int32_t c = 0; c < cluster->clique_count; ++c)
    for (int32_t i = 0; i < cluster->cliques[c].member_count; ++i)
      memberships += cluster->cliques[c].members[i].chain == chain;
  return memberships;
}

/* ---- Random models ------------------------------------------------------------------------ */

static void random_chain(Random *random, int32_t labels, int is_real, Sample *sample) {
  int32_t positions;
  do {
    random_sample(random, random_chance(random, 25), sample);
    positions = labelling_count(sample);
  } while (sample->labels != labels || sample->length > 4 || positions > MOST_LABELLINGS ||
           (sample->length == 0 && !random_chance(random, 20)) ||
           (is_real >= 0 && sample->is_real != is_real));
  /* Infeasible chains are made rare, so that most models have a labelling. */
  if (random_chance(random, 80)) {
    sample->has_forced = 0;
    if (random_chance(random, 50))
      sample->has_allowed = 0;
  }
}

static void random_property_group(Random *random, Cluster *cluster, Group *group) {
  Sample shape = cluster->chains[group->members[0].chain];
  for (int32_t i = 0; i < group->member_count; ++i)
    if (cluster->chains[group->members[i].chain].is_tree)
      shape = cluster->chains[group->members[i].chain];
  do
    random_use(random, &shape, &group->use);
  while (own_range(&group->use) > MOST_CLIQUE_VALUES);
  const Rule *rule = &group->use.rule;
  group->values = own_range(&group->use);
  for (int32_t i = 0; i < group->member_count; ++i) {
    Member *member = &group->members[i];
    member->position = -1;
    member->has_classes = random_chance(random, 60);
    member->reads_tokens = cluster->has_tokens[member->chain] && random_chance(random, 50);
    for (int32_t t = 0; t < MOST_POSITIONS; ++t) {
      member->classes[t] = random_int(random, 0, rule->classes - 1);
      member->table[t] =
          random_int(random, -1, rule->kind == PROPERTY_TOKEN ? 3 : rule->values - 1);
    }
  }
}

static void random_position_group(Random *random, Group *group) {
  group->values = group->labels;
  group->has_label_values = random_chance(random, 40);
  if (group->has_label_values) {
    group->values = random_int(random, 1, 3);
    for (int32_t y = 0; y < group->labels; ++y)
      group->label_values[y] = random_int(random, -1, group->values - 1);
  }
  if (group->shape != CENTRED)
    return;
  group->centre_values = group->labels;
  group->has_centre_map = group->labels > MOST_CENTRES || random_chance(random, 30);
  if (group->has_centre_map) {
    group->centre_values = random_int(random, 1, MOST_CENTRES);
    for (int32_t y = 0; y < group->labels; ++y)
      group->centre_map[y] = random_int(random, 0, group->centre_values - 1);
  }
}

/* Returns the problem over R + 2 values, in which EMPTY and CONFLICT are counted. */
static Problem widened(const Problem *problem) {
  Problem wide = *problem;
  if (problem->values + 2 > MAX_VALUES)
    return wide;
  for (int32_t v = 0; v < MAX_VALUES; ++v)
    wide.counted[v] = v < problem->values && counts_value(problem, v);
  wide.has_counted = 1;
  wide.values += 2;
  if (wide.table_count > 1)
    wide.table_count = wide.values;
  return wide;
}

int has_exact_messages(const Problem *problem) {
  if (problem->kind >= KIND_MAX_SHARED && problem->kind <= KIND_MAJORITY)
    return 1;
  const Problem wide = widened(problem);
  return is_sum(problem) == YES && is_sum(&wide) == YES;
}

static void random_group_potentials(Random *random, int exact, Group *group) {
  const int is_wide = random_chance(random, 30);
  const int32_t values = group->values + (is_wide ? 2 : 0);
  for (int32_t k = 0; k < (group->shape == CENTRED ? group->centre_values : 1); ++k)
    do
      random_problem_of(random, (Kind)random_int(random, 0, KIND_COUNT - 1),
                        plain_members(group) > 0 ? plain_members(group) : 1, values,
                        &group->potentials[k]);
    while (group->potentials[k].values != values ||
           (exact && !has_exact_messages(&group->potentials[k])));
  for (int32_t k = 0; k < MOST_CENTRES; ++k)
    group->potentials[k].members = plain_members(group);
}

static int has_member(const Group *group, int32_t chain, int32_t position) {
  for (int32_t i = 0; i < group->member_count; ++i)
    if (group->members[i].chain == chain && group->members[i].position == position)
      return 1;
  return 0;
}

static void random_group(Random *random, Cluster *cluster, Group *group) {
  memset(group, 0, sizeof *group);
  const int32_t what = random_int(random, 0, 9);
  group->shape = what < 5 ? OVER_PROPERTY : what < 8 ? OVER_POSITIONS : CENTRED;
  group->labels = cluster->chains[random_int(random, 0, cluster->chain_count - 1)].labels;
  const int32_t wanted = random_chance(random, 4) ? 0 : random_int(random, 1, MOST_TOGETHER);
  for (int32_t attempt = 0; attempt < 30 && group->member_count < wanted; ++attempt) {
    Member *member = &group->members[group->member_count];
    const int32_t chain = random_int(random, 0, cluster->chain_count - 1);
    const Sample *sample = &cluster->chains[chain];
    if (sample->labels != group->labels)
      continue;
    int32_t position = -1;
    if (group->shape != OVER_PROPERTY) {
      if (sample->length == 0 || cluster->is_instance[chain])
        continue;
      position = random_int(random, 0, sample->length - 1);
    }
    if (has_member(group, chain, position))
      continue;
    member->chain = chain;
    member->position = position;
    ++group->member_count;
  }
  /* A centre without neighbours is allowed. */
  if (group->shape == CENTRED && group->member_count < 2 &&
      (group->member_count == 0 || random_chance(random, 50)))
    group->shape = OVER_POSITIONS;
  if (group->shape == OVER_PROPERTY && group->member_count == 0)
    group->shape = OVER_POSITIONS;
  if (group->shape == OVER_PROPERTY)
    random_property_group(random, cluster, group);
  else
    random_position_group(random, group);
  random_group_potentials(random, 0, group);
}

static void random_options(Random *random, chorale_run_options *options) {
  static const chorale_algorithm algorithms[] = {
      CHORALE_ALGORITHM_ALPHA_PASS, CHORALE_ALGORITHM_EXACT_MAJORITY,
      CHORALE_ALGORITHM_CONCAVE_FLOW, CHORALE_ALGORITHM_COUNT_BOXES};
  *options = (chorale_run_options){.struct_size = sizeof *options};
  options->rounds = 10;
  options->beam_width = 300;
  options->max_states = 1024;
  if (random_chance(random, 40))
    options->rounds = random_rounds(random, 6);
  if (random_chance(random, 25))
    options->damping = random_chance(random, 50) ? 0.5 : 0.9 * random_unit(random);
  if (random_chance(random, 15))
    options->algorithm = algorithms[random_int(random, 0, (int32_t)COUNT_OF(algorithms) - 1)];
  options->exact_marginals = random_chance(random, 20);
  options->no_local_search = !random_chance(random, 85);
  options->restrict_range = random_chance(random, 15);
  if (random_chance(random, 15))
    options->joint_mode = random_chance(random, 50) ? CHORALE_JOINT_LOCAL_SCORES : CHORALE_JOINT_BEAM;
  if (options->joint_mode == CHORALE_JOINT_AUTO && random_chance(random, 10)) {
    options->joint_mode = CHORALE_JOINT_EXACT;
    options->max_states = 1 << 16;
  }
  if (random_chance(random, 20))
    options->beam_width = random_int(random, 1, 4);
  if (options->joint_mode == CHORALE_JOINT_AUTO && random_chance(random, 10))
    options->max_states = random_int(random, 1, 20);
  static const chorale_message_element numbers[] = {CHORALE_MESSAGES_FLOAT64,
                                                   CHORALE_MESSAGES_MAGNITUDE16};
  if (random_chance(random, 30))
    options->message_element = numbers[random_int(random, 0, (int32_t)COUNT_OF(numbers) - 1)];
  options->threads = random_chance(random, 3) ? 2 : 1;
  options->bound_steps = random_chance(random, 50) ? random_int(random, 1, 12) : 0;
  /* Moves of several chains take most of the time of a run of a small model. */
  options->effort = random_chance(random, 90) ? -1 : random_chance(random, 50) ? 0.02 : 0;
}

static void random_chains(Random *random, int32_t count, int is_real, Cluster *cluster) {
  cluster->chain_count = count;
  const int32_t common = random_int(random, 2, 3);
  const int is_mixed = random_chance(random, 15);
  for (int32_t i = 0; i < count; ++i) {
    const int32_t labels = is_mixed ? random_int(random, 1, MOST_LABELS) : common;
    random_chain(random, labels, is_real, &cluster->chains[i]);
    cluster->has_tokens[i] = random_chance(random, 60);
    cluster->is_borrowed[i] = random_chance(random, 30);
    for (int32_t t = 0; t < MOST_POSITIONS; ++t)
      cluster->tokens[i][t] = random_int(random, -1, labels - 1);
  }
}

static void random_instances(Random *random, Cluster *cluster) {
  if (!random_chance(random, 12))
    return;
  const int32_t chain = random_int(random, 0, cluster->chain_count - 1);
  cluster->is_instance[chain] = 1;
}

static void forbid_lost_values(Cluster *cluster) {
  /* Replaces instances in cliques that have a dictionary without UNLISTED by chains. An instance
   * decodes under zero messages even without its cliques, and so excludes values outside the
   * dictionary; a chain does not. */
  for (int32_t c = 0; c < cluster->clique_count; ++c)
    for (int32_t i = 0; i < cluster->cliques[c].member_count; ++i) {
      Group *group = &cluster->cliques[c];
      if (cluster->is_instance[group->members[i].chain] && group->use.has_dictionary &&
          !group->use.has_unlisted)
        cluster->is_instance[group->members[i].chain] = 0;
    }
}

static void random_parts(Random *random, Cluster *cluster) {
  memset(cluster, 0, sizeof *cluster);
  random_chains(random, random_int(random, 2, MOST_CHAINS), -1, cluster);
  random_instances(random, cluster);
  cluster->clique_count = random_chance(random, 5) ? 0 : random_int(random, 1, MOST_CLIQUES);
  for (int32_t c = 0; c < cluster->clique_count; ++c)
    random_group(random, cluster, &cluster->cliques[c]);
  forbid_lost_values(cluster);
  random_options(random, &cluster->options);
}

void random_cluster(Random *random, Cluster *cluster) {
  ClusterTruth truth;
  do
    random_parts(random, cluster);
  while (!enumerate_cluster(cluster, &truth) || (truth.left_out > 0 && !random_chance(random, 20)) ||
         (truth.left_out == 0 && !truth.own_is_decodable));
}

void random_outside_cluster(Random *random, Cluster *cluster) {
  ClusterTruth truth;
  do
    random_parts(random, cluster);
  while (!enumerate_cluster(cluster, &truth) || truth.left_out > 0 || truth.own_is_decodable);
}

/* Forbids some counts of the values of a potential with tables. */
static void forbid_counts(Random *random, Problem *problem) {
  const int has_tables = (problem->kind >= KIND_SUM_SHARED && problem->kind <= KIND_CARDINALITY) ||
                         problem->kind == KIND_MAX_SHARED || problem->kind == KIND_MAX_PER_VALUE;
  if (!has_tables)
    return;
  problem->shape = CHORALE_SHAPE_DETECT;
  const int32_t share = random_int(random, 10, 50);
  for (int32_t v = 0; v < problem->table_count; ++v)
    for (int32_t k = 0; k < problem->length; ++k)
      if (random_chance(random, share))
        problem->tables[v * MAX_LENGTH + k] = -INFINITY;
}

void random_forbidding_cluster(Random *random, Cluster *cluster) {
  ClusterTruth truth;
  do {
    random_parts(random, cluster);
    for (int32_t c = 0; c < cluster->clique_count; ++c)
      for (int32_t k = 0; k < MOST_CENTRES; ++k)
        if (cluster->cliques[c].potentials[k].values > 0)
          forbid_counts(random, &cluster->cliques[c].potentials[k]);
  } while (!enumerate_cluster(cluster, &truth) || truth.left_out > 0 || !truth.own_is_decodable ||
           truth.own_score > -INFINITY);
}

/* ---- Models of long chains ---------------------------------------------------------------- */

static void random_crowd(Random *random, Cluster *cluster, Group *group) {
  memset(group, 0, sizeof *group);
  group->shape = random_chance(random, 30) ? CENTRED : OVER_POSITIONS;
  group->labels = cluster->chains[0].labels;
  const int32_t wanted = random_int(random, 3, MOST_TOGETHER);
  const int32_t chain = random_int(random, 0, cluster->chain_count - 1);
  const int32_t first = random_int(random, 0, MOST_POSITIONS - 1);
  for (int32_t k = 0; k < 2 * MOST_POSITIONS && group->member_count < wanted; ++k) {
    Member *member = &group->members[group->member_count];
    member->chain = (chain + k / MOST_POSITIONS) % cluster->chain_count;
    member->position = (first + k) % MOST_POSITIONS;
    if (member->position < cluster->chains[member->chain].length &&
        !has_member(group, member->chain, member->position) && !random_chance(random, 10))
      ++group->member_count;
  }
  if (group->member_count < 2)
    group->shape = OVER_POSITIONS;
  random_position_group(random, group);
  random_group_potentials(random, 0, group);
}

static void random_long_chain(Random *random, int32_t labels, Sample *sample) {
  do
    random_sample(random, random_chance(random, 25), sample);
  while (sample->labels != labels || sample->length != MOST_POSITIONS);
  sample->has_forced = 0;
}

void random_crowded_cluster(Random *random, Cluster *cluster) {
  ClusterTruth truth;
  do {
    memset(cluster, 0, sizeof *cluster);
    cluster->chain_count = random_int(random, 1, 2);
    const int32_t labels = cluster->chain_count == 1 ? random_int(random, 2, 3) : 2;
    for (int32_t i = 0; i < cluster->chain_count; ++i) {
      random_long_chain(random, labels, &cluster->chains[i]);
      cluster->has_tokens[i] = random_chance(random, 60);
      cluster->is_borrowed[i] = random_chance(random, 30);
      for (int32_t t = 0; t < MOST_POSITIONS; ++t)
        cluster->tokens[i][t] = random_int(random, -1, labels - 1);
    }
    cluster->clique_count = random_int(random, 1, MOST_CLIQUES);
    for (int32_t c = 0; c < cluster->clique_count; ++c)
      if (random_chance(random, 75))
        random_crowd(random, cluster, &cluster->cliques[c]);
      else
        random_group(random, cluster, &cluster->cliques[c]);
    random_options(random, &cluster->options);
  } while (!enumerate_cluster(cluster, &truth) || truth.left_out > 0 || !truth.own_is_decodable);
}

/* ---- Models of items ---------------------------------------------------------------------- */

static void random_item(Random *random, int32_t labels, Sample *sample) {
  do
    random_sample(random, random_chance(random, 25), sample);
  while (sample->labels != labels || sample->length != 1);
}

static void random_item_group(Random *random, const Cluster *cluster, int32_t first, int32_t last,
                              Group *group) {
  memset(group, 0, sizeof *group);
  group->shape = OVER_POSITIONS;
  group->labels = cluster->chains[0].labels;
  for (int32_t chain = first; chain < last; ++chain)
    group->members[group->member_count++].chain = chain;
  random_position_group(random, group);
  random_group_potentials(random, 0, group);
}

void random_item_cluster(Random *random, Cluster *cluster) {
  ClusterTruth truth;
  do {
    memset(cluster, 0, sizeof *cluster);
    cluster->chain_count = random_int(random, 2, MOST_CHAINS);
    const int32_t labels = random_int(random, 2, MOST_LABELS);
    for (int32_t i = 0; i < cluster->chain_count; ++i) {
      random_item(random, labels, &cluster->chains[i]);
      cluster->is_borrowed[i] = random_chance(random, 30);
    }
    const int32_t cut = random_int(random, 1, cluster->chain_count);
    cluster->clique_count = cut < cluster->chain_count ? 2 : 1;
    random_item_group(random, cluster, 0, cut, &cluster->cliques[0]);
    if (cluster->clique_count > 1)
      random_item_group(random, cluster, cut, cluster->chain_count, &cluster->cliques[1]);
    if (random_chance(random, 20)) /* then some are in two */
      random_item_group(random, cluster, random_int(random, 0, cut - 1), cut,
                        &cluster->cliques[cluster->clique_count++]);
    random_options(random, &cluster->options);
  } while (!enumerate_cluster(cluster, &truth) || (truth.left_out > 0 && !random_chance(random, 20)));
}

/* ---- Models of exact message passing ------------------------------------------------------ */

static void random_forest(Random *random, Cluster *cluster) {
  int32_t tree_of[MOST_CHAINS];
  for (int32_t i = 0; i < cluster->chain_count; ++i)
    tree_of[i] = i;
  cluster->clique_count = random_int(random, 1, MOST_CLIQUES);
  for (int32_t c = 0; c < cluster->clique_count; ++c) {
    Group *group = &cluster->cliques[c];
    memset(group, 0, sizeof *group);
    const int32_t what = random_int(random, 0, 9);
    group->shape = what < 5 ? OVER_PROPERTY : what < 7 ? OVER_POSITIONS : CENTRED;
    group->labels = cluster->chains[random_int(random, 0, cluster->chain_count - 1)].labels;
    int32_t joined = -1;
    const int32_t first = random_int(random, 0, cluster->chain_count - 1);
    for (int32_t k = 0; k < cluster->chain_count; ++k) {
      const int32_t i = (first + k) % cluster->chain_count;
      const Sample *sample = &cluster->chains[i];
      if (sample->labels != group->labels || tree_of[i] == joined || random_chance(random, 15) ||
          (group->shape != OVER_PROPERTY && sample->length == 0))
        continue;
      Member *member = &group->members[group->member_count++];
      member->chain = i;
      member->position =
          group->shape == OVER_PROPERTY ? -1 : random_int(random, 0, sample->length - 1);
      const int32_t old = tree_of[i];
      joined = joined < 0 ? old : joined;
      for (int32_t j = 0; j < cluster->chain_count; ++j)
        if (tree_of[j] == old)
          tree_of[j] = joined;
    }
    if (group->member_count == 0 ||
        (group->shape == CENTRED && group->member_count < 2 && random_chance(random, 50)))
      group->shape = OVER_POSITIONS;
    if (group->shape == OVER_PROPERTY)
      random_property_group(random, cluster, group);
    else
      random_position_group(random, group);
    random_group_potentials(random, 1, group);
  }
}

void random_exact_cluster(Random *random, Cluster *cluster) {
  ClusterTruth truth;
  int found;
  do {
    memset(cluster, 0, sizeof *cluster);
    random_chains(random, random_int(random, 2, MOST_CHAINS), 1, cluster);
    random_forest(random, cluster);
    cluster->options = (chorale_run_options){.struct_size = sizeof cluster->options};
    cluster->options.rounds = cluster->clique_count + 1;
    cluster->options.exact_marginals = 1;
    cluster->options.joint_mode = CHORALE_JOINT_EXACT;
    cluster->options.max_states = 1 << 16;
    cluster->options.no_local_search = 1;
    found = enumerate_cluster(cluster, &truth);
  } while (!found || truth.left_out > 0 || !truth.is_unique || !truth.own_is_decodable);
}

int scale_cluster(Cluster *cluster, double factor) {
  for (int32_t i = 0; i < cluster->chain_count; ++i)
    scale_sample(&cluster->chains[i], factor);
  for (int32_t c = 0; c < cluster->clique_count; ++c)
    for (int32_t k = 0; k < MOST_CENTRES; ++k) {
      scale_problem(&cluster->cliques[c].potentials[k], factor);
      if (cluster->cliques[c].potentials[k].kind == KIND_CALLBACK)
        return 0;
    }
  return 1;
}
