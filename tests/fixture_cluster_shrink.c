/* Printing and shrinking models that fail. */
#include "fixture_cluster.h"

/* ---- Printing ----------------------------------------------------------------------------- */

void dump_cluster(FILE *to, const Cluster *cluster) {
  const chorale_run_options *o = &cluster->options;
  fprintf(to,
          "rounds %lld, damping %g, algorithm %d, exact %d, no polish %d, range %d, "
          "joint %d, beam %lld, budget %lld, number %d, threads %lld, bound steps %lld, "
          "effort %g\n",
          (long long)o->rounds, o->damping, o->algorithm, o->exact_marginals,
          o->no_local_search, o->restrict_range, o->joint_mode, (long long)o->beam_width,
          (long long)o->max_states, o->message_element, (long long)o->threads,
          (long long)o->bound_steps, o->effort);
  for (int32_t i = 0; i < cluster->chain_count; ++i) {
    fprintf(to, "chain %d%s: ", i, cluster->is_instance[i] ? ", as an instance" : "");
    print_sample(&cluster->chains[i]);
    if (cluster->has_tokens[i]) {
      fprintf(to, "  tokens");
      for (int32_t t = 0; t < cluster->chains[i].length; ++t)
        fprintf(to, " %d", cluster->tokens[i][t]);
      fprintf(to, "\n");
    }
  }
  static const char *const shapes[] = {"property", "positions", "centred"};
  for (int32_t c = 0; c < cluster->clique_count; ++c) {
    const Group *group = &cluster->cliques[c];
    fprintf(to, "clique %d: %s, R = %d\n", c, shapes[group->shape], group->values);
    if (group->shape == OVER_PROPERTY)
      print_use(&group->use);
    for (int32_t y = 0; y < group->labels && group->shape != OVER_PROPERTY; ++y) {
      if (group->has_label_values)
        fprintf(to, "  label %d is value %d\n", y, group->label_values[y]);
      if (group->has_centre_map)
        fprintf(to, "  label %d of the centre is value %d\n", y, group->centre_map[y]);
    }
    for (int32_t k = 0; k < (group->shape == CENTRED ? group->centre_values : 1); ++k) {
      Problem bare = group->potentials[k];
      bare.members = 0;
      dump_problem(to, &bare);
    }
    for (int32_t i = 0; i < group->member_count; ++i) {
      const Member *member = &group->members[i];
      fprintf(to, "  member %d: chain %d position %d", i, member->chain, member->position);
      for (int32_t t = 0; t < cluster->chains[member->chain].length && member->position < 0; ++t)
        fprintf(to, " (class %d, table %d)", member->has_classes ? member->classes[t] : 0,
                member->reads_tokens ? cluster->tokens[member->chain][t] : member->table[t]);
      fprintf(to, "\n");
    }
  }
}

/* ---- Shrinking ---------------------------------------------------------------------------- */

typedef struct Shrinker {
  Cluster *cluster;
  ClusterCheck check;
  void *context;
  int progress;
} Shrinker;

static int attempt(Shrinker *shrinker, const Cluster *candidate) {
  ClusterTruth truth;
  if (!enumerate_cluster(candidate, &truth) || !shrinker->check(candidate, shrinker->context))
    return 0;
  *shrinker->cluster = *candidate;
  shrinker->progress = 1;
  return 1;
}

static void drop_clique(Cluster *cluster, int32_t c) {
  memmove(&cluster->cliques[c], &cluster->cliques[c + 1],
          sizeof(Group) * (size_t)(cluster->clique_count - c - 1));
  --cluster->clique_count;
}

static void drop_group_member(Group *group, int32_t i) {
  memmove(&group->members[i], &group->members[i + 1],
          sizeof(Member) * (size_t)(group->member_count - i - 1));
  --group->member_count;
  for (int32_t k = 0; k < MOST_CENTRES; ++k)
    group->potentials[k].members = plain_members(group);
}

static void drop_chain(Cluster *cluster, int32_t chain) {
  for (int32_t i = chain; i + 1 < cluster->chain_count; ++i) {
    cluster->chains[i] = cluster->chains[i + 1];
    cluster->has_tokens[i] = cluster->has_tokens[i + 1];
    memcpy(cluster->tokens[i], cluster->tokens[i + 1], sizeof cluster->tokens[i]);
    cluster->is_borrowed[i] = cluster->is_borrowed[i + 1];
    cluster->is_instance[i] = cluster->is_instance[i + 1];
  }
  --cluster->chain_count;
  for (int32_t c = 0; c < cluster->clique_count; ++c)
    for (int32_t i = 0; i < cluster->cliques[c].member_count; ++i)
      cluster->cliques[c].members[i].chain -= cluster->cliques[c].members[i].chain > chain;
}

static void shrink_parts(Shrinker *shrinker) {
  Cluster *cluster = shrinker->cluster;
  static Cluster candidate;
  for (int32_t c = cluster->clique_count - 1; c >= 0; --c) {
    candidate = *cluster;
    drop_clique(&candidate, c);
    (void)attempt(shrinker, &candidate);
  }
  for (int32_t c = 0; c < cluster->clique_count; ++c)
    for (int32_t i = cluster->cliques[c].member_count - 1; i >= 0; --i) {
      const Group *group = &cluster->cliques[c];
      if (group->shape == CENTRED && (i >= plain_members(group) || plain_members(group) == 1))
        continue;
      candidate = *cluster;
      drop_group_member(&candidate.cliques[c], i);
      (void)attempt(shrinker, &candidate);
    }
  for (int32_t i = cluster->chain_count - 1; i >= 0; --i)
    if (!chain_in_cliques(cluster, i) && cluster->chain_count > 1) {
      candidate = *cluster;
      drop_chain(&candidate, i);
      (void)attempt(shrinker, &candidate);
    }
  for (int32_t i = 0; i < cluster->chain_count; ++i)
    for (int32_t field = 0; field < 6; ++field) {
      candidate = *cluster;
      Sample *sample = &candidate.chains[i];
      int *const flag = field == 0   ? &sample->has_forced
                        : field == 1 ? &sample->has_allowed
                        : field == 2 ? &candidate.is_instance[i]
                        : field == 3 ? &candidate.is_borrowed[i]
                        : field == 4 ? &sample->is_transposed_unary
                                     : &sample->element;
      if (*flag == 0)
        continue;
      *flag = 0;
      (void)attempt(shrinker, &candidate);
    }
}

static void shrink_options(Shrinker *shrinker) {
  Cluster *cluster = shrinker->cluster;
  static Cluster candidate;
  chorale_run_options usual = {.struct_size = sizeof usual};
#define TRY(field)                                                                                 \
  do {                                                                                             \
    candidate = *cluster;                                                                          \
    candidate.options.field = usual.field;                                                         \
    if (memcmp(&candidate.options, &cluster->options, sizeof usual) != 0)                          \
      (void)attempt(shrinker, &candidate);                                                         \
  } while (0)
  TRY(damping);
  TRY(algorithm);
  TRY(exact_marginals);
  TRY(restrict_range);
  TRY(joint_mode);
  TRY(beam_width);
  TRY(max_states);
  TRY(message_element);
  TRY(threads);
  TRY(bound_steps);
  TRY(effort);
#undef TRY
  candidate = *cluster;
  candidate.options.no_local_search = 1;
  if (!cluster->options.no_local_search)
    (void)attempt(shrinker, &candidate);
  for (int64_t rounds = 0; rounds < rounds_of(&cluster->options); ++rounds) {
    candidate = *cluster;
    candidate.options.rounds = option_of_rounds(rounds);
    if (attempt(shrinker, &candidate))
      break;
  }
}

static void shrink_numbers(Shrinker *shrinker) {
  Cluster *cluster = shrinker->cluster;
  static Cluster candidate;
  for (int32_t i = 0; i < cluster->chain_count; ++i) {
    const Sample *sample = &cluster->chains[i];
    for (int32_t t = 0; t < sample->length; ++t) {
      for (int32_t y = 0; y < sample->labels; ++y) {
        candidate = *cluster;
        candidate.chains[i].unary[t][y] = 0;
        if (sample->unary[t][y] != 0)
          (void)attempt(shrinker, &candidate);
      }
    }
    if (sample->source != EDGES_NONE) {
      candidate = *cluster;
      candidate.chains[i].source = EDGES_NONE;
      memset(candidate.chains[i].edges, 0, sizeof candidate.chains[i].edges);
      (void)attempt(shrinker, &candidate);
    }
    if (sample->has_start || sample->has_end) {
      candidate = *cluster;
      candidate.chains[i].has_start = candidate.chains[i].has_end = 0;
      memset(candidate.chains[i].start, 0, sizeof candidate.chains[i].start);
      memset(candidate.chains[i].end, 0, sizeof candidate.chains[i].end);
      (void)attempt(shrinker, &candidate);
    }
  }
  for (int32_t c = 0; c < cluster->clique_count; ++c)
    for (int32_t k = 0; k < MOST_CENTRES; ++k) {
      const Problem *old = &cluster->cliques[c].potentials[k];
      if (old->values == 0 || (old->kind == KIND_POTTS && old->lambda == 1 && old->scale == 0))
        continue;
      candidate = *cluster;
      Problem *problem = &candidate.cliques[c].potentials[k];
      problem->scale = CHORALE_SCALE_NONE;
      if (old->scale != CHORALE_SCALE_NONE && attempt(shrinker, &candidate))
        continue;
      candidate = *cluster;
      problem->kind = KIND_POTTS;
      problem->shape = CHORALE_SHAPE_DETECT;
      problem->lambda = 1;
      (void)attempt(shrinker, &candidate);
    }
}

void check_cluster(const Cluster *cluster, ClusterCheck check, void *context, const char *where) {
  const char *why = check(cluster, context);
  if (!why)
    return;
  char first[512];
  (void)snprintf(first, sizeof first, "%s", why);
  static Cluster smallest;
  smallest = *cluster;
  Shrinker shrinker = {&smallest, check, context, 1};
  for (int round = 0; shrinker.progress && round < 30; ++round) {
    shrinker.progress = 0;
    shrink_parts(&shrinker);
    shrink_options(&shrinker);
    shrink_numbers(&shrinker);
  }
  why = check(&smallest, context);
  fprintf(stderr, "%s (CHORALE_TEST_SEED=%llu)\n  first: %s\n  smallest: %s\n", where,
          (unsigned long long)test_seed(), first, why ? why : "(passes when run again)");
  dump_cluster(stderr, &smallest);
  fail_msg("%s: %s", where, why ? why : first);
}

void check_clusters(const char *name, int64_t rounds,
                    void (*make)(Random *random, Cluster *cluster), ClusterCheck check,
                    void *context) {
  static Cluster cluster;
  uint64_t hash = test_seed();
  for (const char *c = name; *c; ++c)
    hash = (hash ^ (uint64_t)*c) * UINT64_C(0x100000001B3);
  for (int64_t round = 0; round < rounds; ++round) {
    Random random = {hash ^ ((uint64_t)round << 8)};
    make(&random, &cluster);
    char where[128];
    (void)snprintf(where, sizeof where, "%s, round %lld", name, (long long)round);
    check_cluster(&cluster, check, context, where);
  }
}
