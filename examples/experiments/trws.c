/* Sequential tree-reweighted message passing (Kolmogorov, "Convergent tree-reweighted message
 * passing for energy minimization", 2006), maximising
 *
 *     sum_s unary_s(x_s) + sum_(s,t) theta_st(x_s, x_t)
 *
 * over a graph of nodes that share one label set. theta_st is a table, or Potts: `weight` where the
 * labels are equal (weight >= 0), which makes a message O(labels). A message is kept once an edge,
 * in the direction of the last pass.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  int32_t other; /* the node at the other end */
  int32_t edge;
} arc;

typedef struct {
  int64_t nodes;
  int64_t labels;
  int64_t edges;
  const double *unary;   /* nodes x labels, the caller's */
  const int32_t *tables; /* of each edge, the number of its table, or -1: Potts. The caller's */
  const double *weights; /* of each edge, the Potts weight. The caller's */
  const double *scores;  /* tables of labels x labels, row the lower node. The caller's */
  int64_t *start;        /* nodes + 1: the arcs of a node; those to lower nodes first */
  int64_t *middle;       /* nodes: the first arc to a higher node */
  arc *arcs;             /* 2 x edges */
  double *messages;      /* edges x labels */
  double *belief;        /* labels */
  double *rest;          /* labels */
} trws;

void trws_destroy(trws *t) {
  if (!t)
    return;
  free(t->start);
  free(t->middle);
  free(t->arcs);
  free(t->messages);
  free(t->belief);
  free(t->rest);
  free(t);
}

/* Edge e joins from[e] < to[e]. NULL where memory runs out. The arrays must outlive the handle. */
trws *trws_create(int64_t nodes, int64_t labels, const double *unary, int64_t edges,
                  const int32_t *from, const int32_t *to, const int32_t *tables,
                  const double *weights, const double *scores) {
  trws *t = calloc(1, sizeof *t);
  if (!t)
    return NULL;
  t->nodes = nodes;
  t->labels = labels;
  t->edges = edges;
  t->unary = unary;
  t->tables = tables;
  t->weights = weights;
  t->scores = scores;
  t->start = calloc((size_t)nodes + 1, sizeof *t->start);
  t->middle = calloc((size_t)nodes, sizeof *t->middle);
  t->arcs = calloc(2 * (size_t)edges + 1, sizeof *t->arcs);
  t->messages = calloc((size_t)edges * (size_t)labels + 1, sizeof *t->messages);
  t->belief = calloc((size_t)labels, sizeof *t->belief);
  t->rest = calloc((size_t)labels, sizeof *t->rest);
  int64_t *next = calloc((size_t)nodes + 1, sizeof *next);
  if (!t->start || !t->middle || !t->arcs || !t->messages || !t->belief || !t->rest || !next) {
    free(next);
    trws_destroy(t);
    return NULL;
  }
  for (int64_t e = 0; e < edges; ++e) {
    ++t->start[from[e] + 1];
    ++t->start[to[e] + 1];
    ++t->middle[to[e]];
  }
  for (int64_t s = 0; s < nodes; ++s) {
    t->start[s + 1] += t->start[s];
    t->middle[s] += t->start[s];
    next[s] = t->start[s];
  }
  for (int64_t e = 0; e < edges; ++e)
    t->arcs[next[to[e]]++] = (arc){from[e], (int32_t)e};
  for (int64_t e = 0; e < edges; ++e)
    t->arcs[next[from[e]]++] = (arc){to[e], (int32_t)e};
  free(next);
  return t;
}

static double take_highest(double *values, int64_t labels) {
  double highest = values[0];
  for (int64_t v = 1; v < labels; ++v)
    highest = values[v] > highest ? values[v] : highest;
  for (int64_t v = 0; v < labels; ++v)
    values[v] -= highest;
  return highest;
}

/* Turns the message of an edge around: from the node whose belief is given to its other end.
 * Returns what it was normalised by. */
static double send(trws *t, int64_t e, double share, int upwards) {
  const int64_t m = t->labels;
  double *message = t->messages + e * m;
  double *rest = t->rest;
  for (int64_t v = 0; v < m; ++v)
    rest[v] = share * t->belief[v] - message[v];
  if (t->tables[e] < 0) {
    const double weight = t->weights[e];
    double highest = rest[0];
    for (int64_t v = 1; v < m; ++v)
      highest = rest[v] > highest ? rest[v] : highest;
    for (int64_t v = 0; v < m; ++v)
      message[v] = rest[v] + weight > highest ? rest[v] + weight : highest;
  } else {
    const double *table = t->scores + (int64_t)t->tables[e] * m * m;
    for (int64_t v = 0; v < m; ++v) {
      double highest = rest[0] + (upwards ? table[v] : table[v * m]);
      for (int64_t u = 1; u < m; ++u) {
        const double score = rest[u] + (upwards ? table[u * m + v] : table[v * m + u]);
        highest = score > highest ? score : highest;
      }
      message[v] = highest;
    }
  }
  return take_highest(message, m);
}

static void gather(trws *t, int64_t s) {
  const int64_t m = t->labels;
  memcpy(t->belief, t->unary + s * m, (size_t)m * sizeof *t->belief);
  for (int64_t j = t->start[s]; j < t->start[s + 1]; ++j) {
    const double *message = t->messages + t->arcs[j].edge * m;
    for (int64_t v = 0; v < m; ++v)
      t->belief[v] += message[v];
  }
}

static double share_of(const trws *t, int64_t s) {
  const int64_t below = t->middle[s] - t->start[s];
  const int64_t above = t->start[s + 1] - t->middle[s];
  const int64_t most = below > above ? below : above;
  return most ? 1.0 / (double)most : 1.0;
}

/* The best label of a node given those of the lower ones and the messages of the higher ones. */
static int32_t decide(trws *t, int64_t s, const int32_t *x) {
  const int64_t m = t->labels;
  double *score = t->rest;
  memcpy(score, t->unary + s * m, (size_t)m * sizeof *score);
  for (int64_t j = t->start[s]; j < t->middle[s]; ++j) {
    const int64_t e = t->arcs[j].edge;
    const int32_t u = x[t->arcs[j].other];
    if (t->tables[e] < 0) {
      score[u] += t->weights[e];
      continue;
    }
    const double *row = t->scores + ((int64_t)t->tables[e] * m + u) * m;
    for (int64_t v = 0; v < m; ++v)
      score[v] += row[v];
  }
  for (int64_t j = t->middle[s]; j < t->start[s + 1]; ++j) {
    const double *message = t->messages + t->arcs[j].edge * m;
    for (int64_t v = 0; v < m; ++v)
      score[v] += message[v];
  }
  int32_t best = 0;
  for (int32_t v = 1; v < m; ++v)
    best = score[v] > score[best] ? v : best;
  return best;
}

/* One iteration: a pass upwards, in which a labelling x (nodes) is decided, and one downwards.
 * Returns an upper bound on the score of any labelling. O((edges + nodes) labels), and
 * O(labels^2) for each edge with a table. */
double trws_iterate(trws *t, int32_t *x) {
  for (int64_t s = 0; s < t->nodes; ++s) {
    x[s] = decide(t, s, x);
    gather(t, s);
    take_highest(t->belief, t->labels);
    for (int64_t j = t->middle[s]; j < t->start[s + 1]; ++j)
      send(t, t->arcs[j].edge, share_of(t, s), 1);
  }
  double bound = 0;
  for (int64_t s = t->nodes - 1; s >= 0; --s) {
    gather(t, s);
    bound += take_highest(t->belief, t->labels);
    for (int64_t j = t->start[s]; j < t->middle[s]; ++j)
      bound += send(t, t->arcs[j].edge, share_of(t, s), 0);
  }
  return bound;
}
