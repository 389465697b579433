/* Checks that every run must pass, and collection of all results of a run. */
#include "fixture_cluster.h"

/* ---- One run ------------------------------------------------------------------------------ */

static const char *check_totals(const Cluster *cluster, const ClusterTruth *truth,
                                const chorale_run_result *r) {
  if (truth->is_stuck && r->outcome != CHORALE_OUTCOME_INFEASIBLE)
    return complain("outcome %d, and no chain has a labelling", r->outcome);
  if (r->left_out != truth->left_out)
    return complain("%lld chains are left out, it should be %d", (long long)r->left_out,
                    truth->left_out);
  if (r->outcome == CHORALE_OUTCOME_INFEASIBLE) {
    if (!truth->is_stuck && truth->best_any > -INFINITY)
      return complain("infeasible, and %.17g can be had", truth->best_any);
    if (r->score != -INFINITY || r->proven < 0)
      return complain("infeasible with score %.17g", r->score);
    return NULL;
  }
  if (r->outcome != CHORALE_OUTCOME_COMPLETE && r->outcome != CHORALE_OUTCOME_ITERATION_LIMIT &&
      r->outcome != CHORALE_OUTCOME_NOTHING_FOUND)
    return complain("outcome %d", r->outcome);
  if ((r->score == -INFINITY) != (r->outcome == CHORALE_OUTCOME_NOTHING_FOUND))
    return complain("outcome %d, score %.17g", r->outcome, r->score);
  if (!truth->has_tied_instance && !is_close(r->own_score, truth->own_score))
    return complain("own score %.17g, it is %.17g", r->own_score, truth->own_score);
  if (r->score != -INFINITY && r->score != r->chain_score + r->clique_score)
    return complain("score %.17g is not %.17g + %.17g", r->score, r->chain_score, r->clique_score);
  if (r->score < r->own_score)
    return complain("score %.17g below the chains' own %.17g", r->score, r->own_score);
  if (r->rounds_score < r->own_score)
    return complain("rounds score %.17g below the chains' own %.17g", r->rounds_score,
                    r->own_score);
  if (r->score < r->rounds_score)
    return complain("score %.17g below that of the rounds %.17g", r->score, r->rounds_score);
  if (!cluster->options.no_local_search &&
      (r->score < r->local_search_score || r->score < r->local_search_own_score ||
       r->local_search_score < r->rounds_score || r->local_search_own_score < r->own_score))
    return complain("score %.17g, rounds %.17g polished to %.17g, own %.17g polished to %.17g",
                    r->score, r->rounds_score, r->local_search_score, r->own_score,
                    r->local_search_own_score);
  if (!is_at_most(r->score, truth->best_any))
    return complain("score %.17g above the optimum %.17g", r->score, truth->best_any);
  if (isnan(r->upper_bound) || !is_at_most(truth->best, r->upper_bound) ||
      !is_at_most(r->score, r->upper_bound))
    return complain("upper bound %.17g, the optimum is %.17g, the score %.17g", r->upper_bound,
                    truth->best, r->score);
  if (r->score > -INFINITY && r->gap != r->upper_bound - r->score)
    return complain("gap %.17g, bound %.17g, score %.17g", r->gap, r->upper_bound, r->score);
  if (r->rounds < 0 || r->rounds > rounds_of(&cluster->options) || r->best_round < 0 ||
      r->best_round > r->rounds)
    return complain("best round %lld of %lld, the limit is %lld", (long long)r->best_round,
                    (long long)r->rounds, (long long)rounds_of(&cluster->options));
  return NULL;
}

static double amount_of(const Group *group, const int32_t *values, int32_t member, int32_t value) {
  int32_t other[MOST_TOGETHER];
  memcpy(other, values, sizeof(int32_t) * (size_t)group->member_count);
  other[member] = value;
  const double so = own_group_score(group, other), now = own_group_score(group, values);
  return now == so ? 0 : so == -INFINITY ? INFINITY : now - so;
}

/* Checks the reasons of a chain and their order: whole chains first, then positions, each by
 * clique. */
static const char *check_reasons(const Cluster *cluster, chorale_run *run, int32_t chain,
                                 const Parts *now, const Parts *own) {
  chorale_reason reasons[MOST_SLOTS];
  chorale_error error;
  int64_t count = -1;
  if (chorale_run_reasons(run, chain, reasons, sizeof(chorale_reason), MOST_SLOTS, &count,
                          &error) != CHORALE_OK)
    return complain("reasons of chain %d: \"%s\"", chain, error.message);
  int64_t expected = 0;
  for (int32_t position = -1; position < MOST_POSITIONS; ++position)
    for (int32_t c = 0; c < cluster->clique_count; ++c)
      for (int32_t i = 0; i < cluster->cliques[c].member_count; ++i) {
        const Group *group = &cluster->cliques[c];
        if (group->members[i].chain != chain || group->members[i].position != position ||
            now->values[c][i] == own->values[c][i])
          continue;
        const double amount = amount_of(group, now->values[c], i, own->values[c][i]);
        const chorale_reason *p = &reasons[expected];
        if (expected >= count)
          return complain("chain %d: reason of clique %d, member %d is missing", chain, c, i);
        if (p->clique != c || p->member != i || p->position != position ||
            p->own_value != own->values[c][i] || p->value != now->values[c][i])
          return complain("chain %d, reason %lld: clique %lld, member %lld, position %lld, from "
                          "%d to %d; it should be clique %d, member %d, position %d, from %d to %d",
                          chain, (long long)expected, (long long)p->clique, (long long)p->member,
                          (long long)p->position, p->own_value, p->value, c, i, position,
                          own->values[c][i], now->values[c][i]);
        if (!is_close(p->amount, amount))
          return complain("chain %d, clique %d pays %.17g, it is %.17g", chain, c, p->amount,
                          amount);
        ++expected;
      }
  if (count != expected)
    return complain("chain %d has %lld reasons, it should be %lld", chain, (long long)count,
                    (long long)expected);
  return NULL;
}

/* is_forbidden: some clique forbids the labelling of the run. */
static const char *check_marginals(const Cluster *cluster, chorale_run *run, int32_t chain,
                                   int is_forbidden) {
  const Sample *sample = &cluster->chains[chain];
  const int32_t m = sample->labels;
  double marginals[MOST_POSITIONS * MOST_LABELS], margins[MOST_POSITIONS];
  chorale_error error;
  const chorale_status status =
      chorale_run_max_marginals(run, chain, marginals, 0, margins, &error);
  if (cluster->is_instance[chain])
    return status == CHORALE_ERROR_KIND ? NULL : complain("marginals of an instance: %d", status);
  if (is_forbidden)
    return status == CHORALE_ERROR_NO_LABELLING ? NULL : complain("marginals: status %d", status);
  if (status != CHORALE_OK)
    return complain("marginals of chain %d: \"%s\"", chain, error.message);
  double truth[MOST_POSITIONS][MOST_LABELS];
  for (int32_t t = 0; t < sample->length; ++t)
    for (int32_t y = 0; y < m; ++y)
      truth[t][y] = -INFINITY;
  for (int32_t index = 0; index < labelling_count(sample); ++index) {
    int32_t labelling[MOST_POSITIONS] = {0};
    labelling_at(sample, index, labelling);
    const double phi = own_phi(sample, labelling);
    for (int32_t t = 0; t < sample->length; ++t)
      truth[t][labelling[t]] = fmax(truth[t][labelling[t]], phi);
  }
  const int is_free = !chain_in_cliques(cluster, chain);
  for (int32_t t = 0; t < sample->length; ++t) {
    double best = -INFINITY, second = -INFINITY;
    for (int32_t y = 0; y < m; ++y) {
      const double x = marginals[t * m + y];
      if (isnan(x) || x == INFINITY || (truth[t][y] == -INFINITY && x > -INFINITY) ||
          (is_free && !is_close(x, truth[t][y])))
        return complain("chain %d, position %d, label %d: marginal %.17g, without cliques it is "
                        "%.17g",
                        chain, t, y, x, truth[t][y]);
      second = fmax(second, fmin(best, x));
      best = fmax(best, x);
    }
    const double margin = best == -INFINITY ? 0 : second == -INFINITY ? INFINITY : best - second;
    if (!is_close(margins[t], margin))
      return complain("chain %d, position %d: margin %.17g, it is %.17g", chain, t, margins[t],
                      margin);
  }
  return NULL;
}

/* told, clique_scores: what the run says of chains and cliques; of cliques under CHORALE_ALONE it
 * says nothing. */
static const char *check_labelling(const Cluster *cluster, const ClusterTruth *truth,
                                   chorale_run *run, int own, const ToldChain *told,
                                   const double *clique_scores, Labelling labelling,
                                   Parts *parts) {
  chorale_error error;
  memset(labelling, 0, sizeof(Labelling));
  int32_t all[MOST_CHAINS * MOST_POSITIONS];
  int64_t at = 0;
  if (chorale_run_labels(run, CHORALE_ALL_CHAINS, own, all, (int64_t)COUNT_OF(all), NULL,
                         &error) != CHORALE_OK)
    return complain("all labels: \"%s\"", error.message);
  for (int32_t i = 0; i < cluster->chain_count; ++i) {
    const Sample *sample = &cluster->chains[i];
    if (chorale_run_labels(run, i, own, labelling[i], sample->length, NULL, &error) != CHORALE_OK)
      return complain("labels of chain %d: \"%s\"", i, error.message);
    for (int32_t t = 0; t < sample->length; ++t) {
      const int32_t out = cluster->is_aside[i] ? truth->alone[i][t] : -1;
      if (truth->is_out[i] ? labelling[i][t] != out && !cluster->is_instance[i]
                           : labelling[i][t] < 0 || labelling[i][t] >= sample->labels)
        return complain("chain %d, position %d has label %d", i, t, labelling[i][t]);
      if (all[at++] != labelling[i][t])
        return complain("chain %d: all labels say other than its own", i);
      if (truth->is_out[i])
        labelling[i][t] = -1;
    }
  }
  own_parts(cluster, labelling, parts);
  for (int32_t i = 0; i < cluster->chain_count; ++i) {
    const double score = own ? told[i].own_score : told[i].score;
    const int changed = told[i].changed;
    if (cluster->is_instance[i] ? !is_close(score, parts->chains[i]) : score != parts->chains[i])
      return complain("chain %d scores %.17g, it is %.17g", i, score, parts->chains[i]);
    const int differs = memcmp(labelling[i], truth->own[i], sizeof labelling[i]) != 0;
    if (own && differs && !cluster->is_instance[i])
      return complain("chain %d: not its own best labelling", i);
    if (!own && !cluster->is_instance[i] && changed != differs)
      return complain("chain %d: changed is %d, it is %d", i, changed, differs);
  }
  for (int32_t c = 0; c < cluster->clique_count; ++c) {
    const Group *group = &cluster->cliques[c];
    int32_t values[MOST_TOGETHER];
    if (chorale_run_values(run, c, own, values, MOST_TOGETHER, NULL, &error) != CHORALE_OK)
      return complain("clique %d: \"%s\"", c, error.message);
    if (!own && !is_close(clique_scores[c], parts->cliques[c]))
      return complain("clique %d scores %.17g, it is %.17g", c, clique_scores[c],
                      parts->cliques[c]);
    for (int32_t i = 0; i < group->member_count; ++i)
      if (values[i] != (parts->values[c][i] == ABSENT ? -1 : parts->values[c][i]))
        return complain("clique %d, member %d shows %d, it is %d", c, i, values[i],
                        parts->values[c][i]);
  }
  return NULL;
}

/* Marks the chains that the run has set aside in `cluster`. Returns their number. */
static int32_t find_aside(Cluster *cluster, const chorale_run *run, const char **why) {
  chorale_error error;
  chorale_left_out named[MOST_CHAINS];
  int64_t count = 0;
  int32_t aside = 0;
  OK(chorale_run_left_out(run, named, sizeof named[0], MOST_CHAINS, &count, &error));
  for (int64_t k = 0; k < count; ++k)
    if (named[k].obstacle == CHORALE_OBSTACLE_UNDECIDED) {
      const int32_t chain = (int32_t)named[k].chain;
      cluster->is_aside[chain] = 1;
      ++aside;
      if (named[k].position != -1 || named[k].clique < 0 ||
          named[k].clique >= cluster->clique_count ||
          !is_only_chain(&cluster->cliques[named[k].clique], chain))
        *why = complain("chain %d is undecided by clique %lld, position %lld", chain,
                        (long long)named[k].clique, (long long)named[k].position);
    }
  return aside;
}

const char *check_run(const Cluster *cluster, const ClusterTruth *truth, chorale_run *run,
                      const chorale_run_result *result) {
  const char *why = NULL;
  chorale_error error;
  Cluster judged = *cluster;
  ClusterTruth without;
  if (result->left_out > 0 && find_aside(&judged, run, &why) > 0) {
    if (why || !enumerate_cluster(&judged, &without))
      return why;
    if (without.is_stuck)
      return complain("all chains are left out, some of them undecided");
    cluster = &judged;
    truth = &without;
  }
  why = check_totals(cluster, truth, result);
  if (why)
    return why;
  chorale_run_result again = {.struct_size = sizeof again};
  if (chorale_run_get_result(run, &again, &error) != CHORALE_OK ||
      memcmp(&again, result, sizeof again) != 0)
    return complain("the result is not what the last call said");
  if (truth->is_stuck) {
    int32_t labels[MOST_CHAINS * MOST_POSITIONS];
    if (chorale_run_labels(run, CHORALE_ALL_CHAINS, CHORALE_TOGETHER, labels,
                           (int64_t)COUNT_OF(labels), NULL, &error) !=
        CHORALE_ERROR_NO_LABELLING)
      return complain("labels of an infeasible run: \"%s\"", error.message);
    return NULL;
  }
  Labelling own_labels, labels;
  Parts own, parts;
  ToldChain told[MOST_CHAINS];
  double clique_scores[MOST_CLIQUES];
  if ((why = told_scores(run, cluster->chain_count, told, cluster->clique_count,
                         clique_scores)) != NULL)
    return why;
  if ((why = check_labelling(cluster, truth, run, 1, told, NULL, own_labels, &own)) != NULL)
    return why;
  if ((why = check_labelling(cluster, truth, run, 0, told, clique_scores, labels, &parts)) != NULL)
    return why;
  if (!is_close(result->own_score, own.total))
    return complain("own score %.17g, it is %.17g", result->own_score, own.total);
  if (!is_close(result->score, parts.total))
    return complain("score %.17g, it is %.17g", result->score, parts.total);
  double chain_sum = 0, clique_sum = 0, chain_magnitude = 0, clique_magnitude = 0;
  int64_t changed = 0;
  for (int32_t i = 0; i < cluster->chain_count; ++i) {
    const double score = told[i].score;
    const int differs = told[i].changed;
    if (truth->is_out[i]) {
      if (score != -INFINITY || differs)
        return complain("chain %d is left out, and scores %.17g", i, score);
      continue;
    }
    chain_sum += score;
    chain_magnitude += fabs(score);
    changed += differs;
    if (differs != (memcmp(labels[i], own_labels[i], sizeof labels[i]) != 0))
      return complain("chain %d: changed is %d", i, differs);
    if ((why = check_reasons(cluster, run, i, &parts, &own)) != NULL)
      return why;
    if ((why = check_marginals(cluster, run, i, result->score == -INFINITY)) != NULL)
      return why;
  }
  for (int32_t c = 0; c < cluster->clique_count; ++c) {
    clique_sum += clique_scores[c];
    clique_magnitude += fabs(clique_scores[c]);
  }
  const int closed =
      closes(result->score, chain_magnitude + clique_magnitude, result->upper_bound, 1e-9);
  if (result->score > -INFINITY && result->proven != closed)
    return complain("proven is %d, bound %.17g, score %.17g", result->proven, result->upper_bound,
                    result->score);
  if (chain_sum != result->chain_score || clique_sum != result->clique_score)
    return complain("chain score %.17g, clique score %.17g; the parts sum to %.17g and %.17g",
                    result->chain_score, result->clique_score, chain_sum, clique_sum);
  if (changed != result->changed_chains)
    return complain("%lld chains changed, it is %lld", (long long)result->changed_chains,
                    (long long)changed);
  return NULL;
}

/* ---- Polished labellings ------------------------------------------------------------------ */

/* True if the polish finds the best labelling of a chain under the labels of all others: no clique
 * has two members of the chain, and the chain is not an item that its only clique labels. */
static int is_block(const Cluster *cluster, int32_t chain) {
  int32_t joined = 0;
  int is_closed = cluster->chains[chain].length == 1 && !cluster->is_instance[chain];
  for (int32_t c = 0; c < cluster->clique_count; ++c) {
    const Group *group = &cluster->cliques[c];
    int32_t members = 0;
    for (int32_t i = 0; i < group->member_count; ++i)
      members += group->members[i].chain == chain;
    joined += members > 0;
    is_closed = is_closed && (members == 0 || group->shape == OVER_POSITIONS);
    if (members > 1)
      return 0;
  }
  return joined > (is_closed ? 1 : 0);
}

const char *check_polished(const Cluster *cluster, chorale_run *run, int64_t *chains) {
  chorale_error error;
  Labelling labels;
  Parts parts;
  memset(labels, 0, sizeof labels);
  for (int32_t i = 0; i < cluster->chain_count; ++i)
    if (chorale_run_labels(run, i, CHORALE_TOGETHER, labels[i], MOST_POSITIONS, NULL, &error) !=
        CHORALE_OK)
      return complain("labels of chain %d: \"%s\"", i, error.message);
  own_parts(cluster, labels, &parts);
  const double score = parts.total;
  for (int32_t i = 0; i < cluster->chain_count && score > -INFINITY; ++i) {
    if (!is_block(cluster, i) || (cluster->chains[i].length > 0 && labels[i][0] < 0))
      continue;
    ++*chains;
    int32_t kept[MOST_POSITIONS];
    memcpy(kept, labels[i], sizeof kept);
    for (int32_t index = 0; index < labelling_count(&cluster->chains[i]); ++index) {
      int is_decodable = 1;
      labelling_at(&cluster->chains[i], index, labels[i]);
      for (int32_t c = 0; c < cluster->clique_count && is_decodable; ++c)
        for (int32_t k = 0; k < cluster->cliques[c].member_count && is_decodable; ++k)
          if (cluster->cliques[c].members[k].chain == i)
            own_shown(cluster, c, k, labels[i], &is_decodable);
      own_parts(cluster, labels, &parts);
      if (is_decodable && !is_at_most(parts.total, score))
        return complain("score %.17g, and %.17g with labelling %d of chain %d", score, parts.total,
                        index, i);
    }
    memcpy(labels[i], kept, sizeof kept);
  }
  return NULL;
}

/* ---- Everything a run says ---------------------------------------------------------------- */

void listen_to(const Cluster *cluster, chorale_run *run, Said *said) {
  listen_without_json(cluster, run, said);
  if (said->result.left_out == cluster->chain_count)
    return;
  chorale_error error;
  size_t needed = 0;
  OK(chorale_run_json(run, said->json, sizeof said->json, &needed, &error));
  assert_true(needed <= sizeof said->json);
  ToldChain told[MOST_CHAINS];
  assert_null(told_scores(run, cluster->chain_count, told, cluster->clique_count,
                          said->clique_scores));
  for (int32_t i = 0; i < cluster->chain_count; ++i)
    said->chain_scores[i] = told[i].score;
}

void listen_without_json(const Cluster *cluster, chorale_run *run, Said *said) {
  memset(said, 0, sizeof *said);
  chorale_error error;
  said->result = (chorale_run_result){.struct_size = sizeof said->result};
  OK(chorale_run_get_result(run, &said->result, &error));
  if (said->result.left_out == cluster->chain_count)
    return;
  Cluster judged = *cluster;
  const char *why = NULL;
  said->undecided = said->result.left_out > 0 ? find_aside(&judged, run, &why) : 0;
  int is_out[MOST_CHAINS] = {0};
  chorale_left_out out[MOST_CHAINS];
  if (said->result.left_out > 0)
    OK(chorale_run_left_out(run, out, sizeof out[0], MOST_CHAINS, NULL, &error));
  for (int64_t k = 0; k < said->result.left_out; ++k)
    is_out[out[k].chain] = 1;
  for (int32_t i = 0; i < cluster->chain_count; ++i) {
    int64_t count = 0;
    OK(chorale_run_labels(run, i, CHORALE_TOGETHER, said->labels[i], MOST_POSITIONS, NULL, &error));
    for (int32_t t = 0; judged.is_aside[i] && t < cluster->chains[i].length; ++t)
      said->labels[i][t] = -1;
    OK(chorale_run_labels(run, i, CHORALE_ALONE, said->own[i], MOST_POSITIONS, NULL, &error));
    OK(chorale_run_reasons(run, i, said->reasons[i], sizeof(chorale_reason), MOST_SLOTS, &count,
                           &error));
    if (!cluster->is_instance[i] && !is_out[i] && said->result.score > -INFINITY)
      OK(chorale_run_max_marginals(run, i, said->marginals[i], 0, NULL, &error));
  }
  for (int32_t c = 0; c < cluster->clique_count; ++c)
    OK(chorale_run_values(run, c, CHORALE_TOGETHER, said->values[c], MOST_TOGETHER, NULL, &error));
}

/* Compares numbers, not bits: NaN never occurs, so equal numbers have equal bits except for the
 * sign of zero. */
const char *compare_said(const Cluster *cluster, const Said *a, const Said *b) {
  if (memcmp(&a->result, &b->result, sizeof a->result) != 0)
    return complain("results differ: outcome %d and %d, score %.17g and %.17g, bound %.17g and "
                    "%.17g, rounds %lld and %lld, updates %lld %lld and %lld %lld",
                    a->result.outcome, b->result.outcome, a->result.score, b->result.score,
                    a->result.upper_bound, b->result.upper_bound, (long long)a->result.rounds,
                    (long long)b->result.rounds, (long long)a->result.chain_updates,
                    (long long)a->result.clique_updates, (long long)b->result.chain_updates,
                    (long long)b->result.clique_updates);
  if (memcmp(a->labels, b->labels, sizeof a->labels) != 0 ||
      memcmp(a->own, b->own, sizeof a->own) != 0)
    return complain("labels differ");
  if (memcmp(a->chain_scores, b->chain_scores, sizeof a->chain_scores) != 0 ||
      memcmp(a->clique_scores, b->clique_scores, sizeof a->clique_scores) != 0)
    return complain("scores of parts differ");
  if (memcmp(a->values, b->values, sizeof a->values) != 0)
    return complain("values differ");
  if (memcmp(a->reasons, b->reasons, sizeof a->reasons) != 0)
    return complain("reasons differ");
  for (int32_t i = 0; i < cluster->chain_count; ++i)
    for (int32_t e = 0; e < MOST_POSITIONS * MOST_LABELS; ++e)
      if (a->marginals[i][e] != b->marginals[i][e])
        return complain("marginals of chain %d differ", i);
  if (strcmp(a->json, b->json) != 0)
    return complain("JSON differs");
  return NULL;
}
