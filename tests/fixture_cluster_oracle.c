/* Equation 1 computed independently of the library, and its optimum by enumeration. */
#include "fixture_cluster.h"

int32_t own_shown(const Cluster *cluster, int32_t clique, int32_t number, const int32_t *labelling,
                  int *is_decodable) {
  const Group *group = &cluster->cliques[clique];
  const Member *member = &group->members[number];
  *is_decodable = 1;
  if (group->shape != OVER_PROPERTY) {
    const int32_t label = labelling[member->position];
    if (group->shape == CENTRED && number == group->member_count - 1)
      return group->has_centre_map ? group->centre_map[label] : label;
    if (!group->has_label_values)
      return label;
    return group->label_values[label] >= 0 ? group->label_values[label] : group->values;
  }
  Use use = group->use;
  use.has_classes = member->has_classes;
  memcpy(use.classes, member->classes, sizeof use.classes);
  memcpy(use.table, member->reads_tokens ? cluster->tokens[member->chain] : member->table,
         sizeof use.table);
  int is_outside;
  const int32_t value = own_value(&cluster->chains[member->chain], &use, labelling, &is_outside);
  *is_decodable = !is_outside;
  return value;
}

double own_group_score(const Group *group, const int32_t *values) {
  const int32_t n = plain_members(group);
  const int32_t centre = group->shape == CENTRED ? values[n] : 0;
  int32_t present = n;
  for (int32_t i = 0; i < n; ++i)
    present -= values[i] == ABSENT;
  if (centre == ABSENT || (present == 0 && group->shape != CENTRED))
    return 0;
  const Problem *problem = &group->potentials[centre];
  if (present < n) {
    static Problem fewer;
    fewer = *problem;
    fewer.members = present;
    problem = &fewer;
  }
  int64_t counts[MAX_VALUES] = {0};
  for (int32_t i = 0; i < n; ++i)
    if (values[i] >= 0 && values[i] < problem->values)
      ++counts[values[i]];
  return own_clique_score(problem, counts);
}

void own_parts(const Cluster *cluster, Labelling labelling, Parts *parts) {
  double chain_sum = 0, clique_sum = 0;
  for (int32_t i = 0; i < cluster->chain_count; ++i) {
    const int is_out = cluster->chains[i].length > 0 && labelling[i][0] < 0;
    parts->chains[i] = is_out ? -INFINITY : own_phi(&cluster->chains[i], labelling[i]);
    chain_sum += is_out ? 0 : parts->chains[i];
  }
  for (int32_t c = 0; c < cluster->clique_count; ++c) {
    const Group *group = &cluster->cliques[c];
    int is_decodable;
    for (int32_t i = 0; i < group->member_count; ++i) {
      const int32_t chain = group->members[i].chain;
      parts->values[c][i] = cluster->chains[chain].length > 0 && labelling[chain][0] < 0
                                ? ABSENT
                                : own_shown(cluster, c, i, labelling[chain], &is_decodable);
    }
    parts->cliques[c] = own_group_score(group, parts->values[c]);
    clique_sum += parts->cliques[c];
  }
  parts->total = chain_sum + clique_sum;
}

/* ---- Enumeration -------------------------------------------------------------------------- */

/* A combination of values that a chain can have in its cliques, and the best phi with these
 * values. */
typedef struct Show {
  int32_t values[MOST_SLOTS];
  double phi;
  int is_decodable, is_tied;
} Show;

typedef struct Shows {
  int32_t slots, count;
  int32_t clique[MOST_SLOTS], member[MOST_SLOTS];
  Show shows[MOST_LABELLINGS];
} Shows;

static void find_shows(const Cluster *cluster, int32_t chain, Shows *shows) {
  const Sample *sample = &cluster->chains[chain];
  shows->slots = shows->count = 0;
  for (int32_t c = 0; c < cluster->clique_count; ++c)
    for (int32_t i = 0; i < cluster->cliques[c].member_count; ++i)
      if (cluster->cliques[c].members[i].chain == chain) {
        shows->clique[shows->slots] = c;
        shows->member[shows->slots++] = i;
      }
  for (int32_t index = 0; index < labelling_count(sample); ++index) {
    int32_t labelling[MOST_POSITIONS] = {0};
    labelling_at(sample, index, labelling);
    Show show;
    memset(&show, 0, sizeof show);
    show.phi = own_phi(sample, labelling);
    show.is_decodable = 1;
    if (show.phi == -INFINITY)
      continue;
    for (int32_t s = 0; s < shows->slots; ++s) {
      int is_decodable;
      show.values[s] =
          own_shown(cluster, shows->clique[s], shows->member[s], labelling, &is_decodable);
      show.is_decodable = show.is_decodable && is_decodable;
    }
    Show *same = NULL;
    for (int32_t k = 0; k < shows->count && !same; ++k)
      if (shows->shows[k].is_decodable == show.is_decodable &&
          memcmp(shows->shows[k].values, show.values, sizeof show.values) == 0)
        same = &shows->shows[k];
    if (!same) {
      shows->shows[shows->count++] = show;
    } else {
      same->is_tied = fabs(same->phi - show.phi) < 1e-6 || (same->is_tied && same->phi > show.phi);
      same->phi = fmax(same->phi, show.phi);
    }
  }
}

/* True if cliques without other members forbid every labelling that the chain itself allows, and no
 * property may show a value outside its dictionary. */
static int is_shut_out(const Cluster *cluster, const Shows *shows) {
  int32_t forbidden = 0;
  for (int32_t k = 0; k < shows->count; ++k) {
    int is_broken = 0;
    for (int32_t s = 0; s < shows->slots; ++s) {
      const Group *group = &cluster->cliques[shows->clique[s]];
      if (group->shape == OVER_PROPERTY && group->use.has_dictionary && !group->use.has_unlisted)
        return 0;
      is_broken = is_broken || (group->member_count == 1 &&
                                own_group_score(group, &shows->shows[k].values[s]) == -INFINITY);
    }
    forbidden += is_broken;
  }
  return forbidden == shows->count;
}

int is_only_chain(const Group *group, int32_t chain) {
  for (int32_t i = 0; i < group->member_count; ++i)
    if (group->members[i].chain != chain)
      return 0;
  return group->member_count > 0;
}

static int is_hopeless(const Cluster *cluster, int32_t chain, const Shows *shows) {
  int32_t forbidden = 0;
  for (int32_t k = 0; k < shows->count; ++k) {
    int is_broken = 0;
    for (int32_t c = 0; c < cluster->clique_count && !is_broken; ++c) {
      int32_t values[MOST_TOGETHER] = {0};
      if (!is_only_chain(&cluster->cliques[c], chain))
        continue;
      for (int32_t s = 0; s < shows->slots; ++s)
        if (shows->clique[s] == c)
          values[shows->member[s]] = shows->shows[k].values[s];
      is_broken = own_group_score(&cluster->cliques[c], values) == -INFINITY;
    }
    forbidden += is_broken;
  }
  return forbidden == shows->count;
}

/* Finds a chain's best labelling without cliques. Ties: for chains the lowest label at the last
 * position that differs, which is the order of labelling_at; for trees at the first. Returns 1 if
 * there are several. */
static int find_own(const Sample *sample, int32_t *own) {
  double best = -INFINITY;
  int is_tied = 0;
  int32_t labelling[MOST_POSITIONS] = {0};
  memset(own, 0, sizeof(int32_t) * MOST_POSITIONS);
  for (int32_t index = 0; index < labelling_count(sample); ++index) {
    labelling_at(sample, index, labelling);
    const double phi = own_phi(sample, labelling);
    int is_better = phi > best;
    is_tied = (is_tied && phi < best + 1e-9) || (fabs(phi - best) < 1e-9);
    if (phi == best && phi > -INFINITY && sample->is_tree)
      for (int32_t t = 0; t < sample->length; ++t)
        if (labelling[t] != own[t]) {
          is_better = labelling[t] < own[t];
          break;
        }
    if (!is_better)
      continue;
    best = phi;
    memcpy(own, labelling, sizeof labelling);
  }
  return is_tied;
}

typedef struct Search {
  const Cluster *cluster;
  const Shows *shows;
  ClusterTruth *truth;
  double second; /* the next best joint labelling */
  int32_t values[MOST_CLIQUES][MOST_TOGETHER];
} Search;

static void judge(Search *search, double phi, int is_decodable, int is_tied) {
  const Cluster *cluster = search->cluster;
  double total = phi;
  for (int32_t c = 0; c < cluster->clique_count; ++c)
    total += own_group_score(&cluster->cliques[c], search->values[c]);
  ClusterTruth *truth = search->truth;
  truth->best_any = fmax(truth->best_any, total);
  if (!is_decodable)
    return;
  if (total > truth->best) {
    search->second = truth->best;
    truth->best = total;
  } else {
    search->second = fmax(search->second, total);
  }
  if (is_tied && total == truth->best)
    search->second = total;
}

static void search_from(Search *search, int32_t chain, double phi, int is_decodable, int is_tied) {
  if (chain == search->cluster->chain_count) {
    judge(search, phi, is_decodable, is_tied);
    return;
  }
  const Shows *shows = &search->shows[chain];
  if (shows->count == 0) {
    for (int32_t s = 0; s < shows->slots; ++s)
      search->values[shows->clique[s]][shows->member[s]] = ABSENT;
    search_from(search, chain + 1, phi, is_decodable, is_tied);
  }
  for (int32_t k = 0; k < shows->count; ++k) {
    const Show *show = &shows->shows[k];
    for (int32_t s = 0; s < shows->slots; ++s)
      search->values[shows->clique[s]][shows->member[s]] = show->values[s];
    search_from(search, chain + 1, phi + show->phi, is_decodable && show->is_decodable,
                is_tied || show->is_tied);
  }
}

int enumerate_cluster(const Cluster *cluster, ClusterTruth *truth) {
  static Shows shows[MOST_CHAINS];
  memset(truth, 0, sizeof *truth);
  truth->best = truth->best_any = truth->own_score = -INFINITY;
  double combinations = 1;
  for (int32_t i = 0; i < cluster->chain_count; ++i) {
    find_shows(cluster, i, &shows[i]);
    const int is_tied = find_own(&cluster->chains[i], truth->own[i]);
    truth->has_tied_instance = truth->has_tied_instance || (is_tied && cluster->is_instance[i]);
    memcpy(truth->alone[i], truth->own[i], sizeof truth->own[i]);
    truth->is_hopeless[i] = is_hopeless(cluster, i, &shows[i]);
    if (cluster->is_aside[i]) {
      if (cluster->chains[i].length == 0)
        return 0; /* no labels could tell */
      shows[i].count = 0;
    } else if (is_shut_out(cluster, &shows[i])) {
      /* Without positions, no labels could tell that the chain is left out. Beyond a small budget, the
       * run may find no proof. */
      if (shows[i].count > 0 &&
          (cluster->chains[i].length == 0 || cluster->options.max_states < 1024))
        return 0;
      shows[i].count = 0;
    }
    truth->is_out[i] = shows[i].count == 0;
    truth->left_out += truth->is_out[i];
    for (int32_t t = 0; truth->is_out[i] && t < cluster->chains[i].length; ++t)
      truth->own[i][t] = -1;
    combinations *= truth->is_out[i] ? 1 : shows[i].count;
  }
  truth->is_stuck = truth->left_out > 0 && truth->left_out == cluster->chain_count;
  if (combinations > MOST_COMBINATIONS)
    return 0;
  if (truth->is_stuck)
    return 1;
  Parts parts;
  own_parts(cluster, truth->own, &parts);
  truth->own_score = parts.total;
  truth->own_is_decodable = 1;
  for (int32_t c = 0; c < cluster->clique_count; ++c)
    for (int32_t i = 0; i < cluster->cliques[c].member_count; ++i) {
      const int32_t chain = cluster->cliques[c].members[i].chain;
      int is_decodable = 1;
      if (!truth->is_out[chain])
        (void)own_shown(cluster, c, i, truth->own[chain], &is_decodable);
      truth->own_is_decodable = truth->own_is_decodable && is_decodable;
    }
  Search search;
  memset(&search, 0, sizeof search);
  search.cluster = cluster;
  search.shows = shows;
  search.truth = truth;
  search.second = -INFINITY;
  search_from(&search, 0, 0, 1, 0);
  truth->is_unique = truth->best > -INFINITY && truth->best - search.second > 1e-6;
  return 1;
}

/* ---- Prices -------------------------------------------------------------------------------- */

void make_linear(Problem *potential, const double *prices) {
  potential->kind = KIND_SUM_PER_VALUE;
  potential->scale = CHORALE_SCALE_NONE;
  potential->shape = CHORALE_SHAPE_DETECT;
  potential->has_counted = 0;
  potential->table_count = potential->values;
  potential->length = MOST_TOGETHER + 1;
  for (int32_t v = 0; v < potential->values; ++v)
    for (int32_t k = 0; k < potential->length; ++k)
      potential->tables[v * MAX_LENGTH + k] = prices[v] * k;
}

double shared_counts(const Cluster *cluster, const Parts *parts, const int64_t *shared, int64_t count,
                     int64_t *counts) {
  double rest = 0;
  int is_shared[MOST_CLIQUES] = {0};
  int64_t first = 0;
  for (int64_t k = 0; k < count; ++k) {
    const Group *group = &cluster->cliques[shared[k]];
    const int32_t values = group->potentials[0].values;
    is_shared[shared[k]] = 1;
    for (int32_t v = 0; v < values; ++v)
      counts[first + v] = 0;
    for (int32_t i = 0; i < group->member_count; ++i) {
      const int32_t v = parts->values[shared[k]][i];
      if (v >= 0 && v < values)
        ++counts[first + v];
    }
    first += values;
  }
  for (int32_t i = 0; i < cluster->chain_count; ++i)
    rest += parts->chains[i];
  for (int32_t c = 0; c < cluster->clique_count; ++c)
    rest += is_shared[c] ? 0 : parts->cliques[c];
  return rest;
}
