/* Shared by the tests of models and runs: seeded random models small enough to enumerate, equation
 * 1 computed independently of the library, the optimum over all joint labellings, and checks that
 * every run must pass. */
#ifndef CHORALE_TESTS_FIXTURE_CLUSTER_H
#define CHORALE_TESTS_FIXTURE_CLUSTER_H

#include "fixture_chain.h"

enum {
  MOST_CHAINS = 4,
  MOST_CLIQUES = 4,
  MOST_TOGETHER = 6, /* members of a clique, a centre included */
  MOST_SLOTS = MOST_CLIQUES * MOST_TOGETHER,
  MOST_CLIQUE_VALUES = MAX_VALUES - 2,
  MOST_CENTRES = 3,
  MOST_LABELLINGS = 256,   /* of a chain */
  MOST_COMBINATIONS = 6000 /* of the values that the chains have in their cliques */
};

/* ---- Models ------------------------------------------------------------------------------- */

/* The rounds that options ask for; what options say for a number of rounds; and for one drawn, from
 * 0 to `most`. */
static inline int64_t rounds_of(const chorale_run_options *options) {
  return options->rounds == CHORALE_NO_ROUNDS ? 0 : options->rounds == 0 ? 10 : options->rounds;
}
static inline int64_t option_of_rounds(int64_t rounds) {
  return rounds == 0 ? CHORALE_NO_ROUNDS : rounds;
}
static inline int64_t random_rounds(Random *random, int32_t most) {
  return option_of_rounds(random_int(random, 0, most));
}

typedef enum CliqueShape { OVER_PROPERTY, OVER_POSITIONS, CENTRED } CliqueShape;

typedef struct Member {
  int32_t chain, position; /* position -1: the whole chain */
  int has_classes, reads_tokens;
  int32_t classes[MOST_POSITIONS], table[MOST_POSITIONS];
} Member;

typedef struct Group {
  CliqueShape shape;
  Use use;              /* the property and dictionary; the other fields are set for each member */
  int32_t labels;       /* of the chains of its members */
  int32_t values;       /* R */
  int has_label_values; /* positions */
  int32_t label_values[MOST_LABELS];
  int has_centre_map;
  int32_t centre_map[MOST_LABELS];
  int32_t centre_values;            /* 0: not centred */
  Problem potentials[MOST_CENTRES]; /* over R or R + 2 values; only the potential is used */
  int32_t member_count;
  Member members[MOST_TOGETHER]; /* a centre is the last */
} Group;

typedef struct Cluster {
  int32_t chain_count;
  Sample chains[MOST_CHAINS];
  int has_tokens[MOST_CHAINS];
  int32_t tokens[MOST_CHAINS][MOST_POSITIONS];
  int is_borrowed[MOST_CHAINS];
  int is_instance[MOST_CHAINS]; /* 1: an instance whose callbacks ask the library's chain solver */
  int is_aside[MOST_CHAINS];    /* 1: left out, undecided, by a run that keeps the chain's labels */
  int32_t clique_count;
  Group cliques[MOST_CLIQUES];
  chorale_run_options options;
} Cluster;

/* The labels of a chain that is left out, since it has no labelling, are -1. */
typedef int32_t Labelling[MOST_CHAINS][MOST_POSITIONS];
/* In Parts: the value of a member that is left out. The library says -1. */
enum { ABSENT = -2 };

void random_cluster(Random *random, Cluster *cluster);
/* Draws a model in which some chain's best labelling without cliques fires a value outside a
 * dictionary without UNLISTED. */
void random_outside_cluster(Random *random, Cluster *cluster);
/* Draws a model in which some clique forbids the labelling that consists of the chains' best
 * labellings without cliques. */
void random_forbidding_cluster(Random *random, Cluster *cluster);
/* Draws one or two chains of maximal length, with most positions in one clique. */
void random_crowded_cluster(Random *random, Cluster *cluster);
/* Draws chains of one position in cliques; most are in one clique only. */
void random_item_cluster(Random *random, Cluster *cluster);
/* True if the library has an exact solver for the potential, both over its own values and with two
 * uncounted values more, EMPTY and CONFLICT. */
int has_exact_messages(const Problem *problem);
/* Draws a model on which message passing is exact: no cycles, one member for each chain, only
 * families with exact solvers. */
void random_exact_cluster(Random *random, Cluster *cluster);
void dump_cluster(FILE *to, const Cluster *cluster);
/* Multiplies every score. Returns 0 if a callback computes scores, which cannot be multiplied; some
 * other scores may then have been. */
int scale_cluster(Cluster *cluster, double factor);
int chain_in_cliques(const Cluster *cluster, int32_t chain);
/* Returns the number of members that are counted: all except the centre. */
int32_t plain_members(const Group *group);

/* ---- The library's view ------------------------------------------------------------------- */

typedef struct Wrapped {
  chorale_chain_solver *solver;
  const chorale_chain *chain;
  int32_t memberships;
  chorale_attachment attachments[MOST_CLIQUES];
  const Use *uses[MOST_CLIQUES];
  chorale_run_options options;
  int64_t calls, stop_at; /* stop_at: the call that returns non-zero, counted from 1; 0: none */
} Wrapped;

typedef struct Built {
  Given given[MOST_CHAINS];
  Use uses[MOST_CLIQUES]; /* hold the properties and dictionaries */
  chorale_potential *potentials[MOST_CLIQUES][MOST_CENTRES];
  Wrapped wrapped[MOST_CHAINS];
  chorale_model *model;
} Built;

/* Three functions that together build everything without freezing; the caller owns the builder.
 * open_parts makes what needs no builder: scores of chains, properties and potentials. */
void open_parts(const Cluster *cluster, const chorale_host *host, Built *built);
chorale_status add_chains(const Cluster *cluster, Built *built, chorale_model_builder *builder,
                          chorale_error *error);
chorale_status add_cliques(const Cluster *cluster, Built *built, chorale_model_builder *builder,
                           chorale_error *error);
void describe_group(const Group *group, const Use *use, const chorale_potential *const *potentials,
                    chorale_clique_setup *setup);
chorale_status add_one_member(const Cluster *cluster, Built *built, chorale_model_builder *builder,
                              int32_t clique, int32_t member, chorale_error *error);
/* Builds and freezes the model. `built` must not move until it is closed. */
void build(const Cluster *cluster, const chorale_host *host, Built *built);
void close_built(const Cluster *cluster, Built *built);

/* ---- The definition ----------------------------------------------------------------------- */

/* Returns the value of a member under a labelling. *is_decodable: 0 if the labelling fires a value
 * outside a dictionary without UNLISTED, else 1. */
int32_t own_shown(const Cluster *cluster, int32_t clique, int32_t member, const int32_t *labelling,
                  int *is_decodable);
double own_group_score(const Group *group, const int32_t *values);

typedef struct Parts {
  double total;
  double chains[MOST_CHAINS];
  double cliques[MOST_CLIQUES];
  int32_t values[MOST_CLIQUES][MOST_TOGETHER];
} Parts;
void own_parts(const Cluster *cluster, Labelling labelling, Parts *parts);

/* ---- Prices -------------------------------------------------------------------------------- */

enum { MOST_PRICES = MOST_CLIQUES * MAX_VALUES };

/* Makes the linear potential of a shared clique under prices: the sum of the prices of its members'
 * values. */
void make_linear(Problem *potential, const double *prices);
/* Writes the counts of shared cliques, clique by clique: how many members have each value. Returns
 * equation 1 without these cliques. */
double shared_counts(const Cluster *cluster, const Parts *parts, const int64_t *shared, int64_t count,
                     int64_t *counts);

typedef struct ClusterTruth {
  double best;     /* best equation 1 of all decodable labellings; minus infinity: there is none */
  double best_any; /* best equation 1 of all labellings */
  int is_unique;   /* 1: no other labelling comes within 1e-6 of the best one */
  int32_t left_out; /* number of chains that have no labelling, or none that the cliques without other
                       members allow; all of the above is without them */
  int is_out[MOST_CHAINS];
  /* 1: each labelling is forbidden by some clique all members of which are in the chain. */
  int is_hopeless[MOST_CHAINS];
  int is_stuck;    /* 1: there are chains, and none has a labelling */
  int own_is_decodable;
  int has_tied_instance; /* 1: an instance has several best labellings and may return any of them */
  Labelling own;         /* each chain's best labelling, ties broken as in chain.h; -1: left out */
  Labelling alone;       /* the same, also of chains that are left out */
  double own_score;
} ClusterTruth;
/* Enumerates all joint labellings; returns 0 if there are too many, or if it is not
 * plain whether the run leaves out some chain. */
int enumerate_cluster(const Cluster *cluster, ClusterTruth *truth);
/* True if all members of a clique are in the chain. */
int is_only_chain(const Group *group, int32_t chain);

/* ---- Runs --------------------------------------------------------------------------------- */

/* Checks properties that every result of a run must have. Returns NULL, or a description of the
 * violation. If the run sets chains aside, the truth is enumerated again without them. */
const char *check_run(const Cluster *cluster, const ClusterTruth *truth, chorale_run *run,
                      const chorale_run_result *result);

/* Checks that no chain has a labelling that scores more while the labels of all other chains stay.
 * This holds after a polish with exact decodes. Leaves out chains with several members in one
 * clique, and items that a clique labels by itself; adds the number of chains checked to
 * *chains. */
const char *check_polished(const Cluster *cluster, chorale_run *run, int64_t *chains);

typedef const char *(*ClusterCheck)(const Cluster *cluster, void *context);
/* Runs a check; a failure prints the smallest model that still fails. */
void check_cluster(const Cluster *cluster, ClusterCheck check, void *context, const char *where);
/* Checks `rounds` random models. */
void check_clusters(const char *name, int64_t rounds,
                    void (*make)(Random *random, Cluster *cluster), ClusterCheck check,
                    void *context);

/* All results of a run, as bytes that can be compared. */
typedef struct Said {
  int64_t undecided; /* chains that are left out and keep labels of their own; `labels` has -1 */
  chorale_run_result result;
  Labelling labels, own;
  double chain_scores[MOST_CHAINS], clique_scores[MOST_CLIQUES];
  int32_t values[MOST_CLIQUES][MOST_TOGETHER];
  chorale_reason reasons[MOST_CHAINS][MOST_SLOTS];
  double marginals[MOST_CHAINS][MOST_POSITIONS * MOST_LABELS];
  char json[16384];
} Said;
void listen_to(const Cluster *cluster, chorale_run *run, Said *said);
/* Leaves out what only the JSON tells: it and the scores of chains and cliques stay zeros. */
void listen_without_json(const Cluster *cluster, chorale_run *run, Said *said);
/* Returns NULL if equal, otherwise a description of the difference. */
const char *compare_said(const Cluster *cluster, const Said *a, const Said *b);

#endif
