/* What the tests of models and runs share: seeded random models small enough to enumerate, equation
 * 1 written out by itself, the optimum over all joint labellings, and what holds for every run. */
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
  MOST_COMBINATIONS = 6000 /* of what the chains show */
};

/* ---- Models ------------------------------------------------------------------------------- */

typedef enum CliqueShape { OVER_PROPERTY, OVER_POSITIONS, CENTRED } CliqueShape;

typedef struct Member {
  int32_t chain, position; /* position -1: the whole chain */
  int has_classes, reads_tokens;
  int32_t classes[MOST_POSITIONS], table[MOST_POSITIONS];
} Member;

typedef struct Group {
  CliqueShape shape;
  Use use;              /* property and dictionary; the rest is the members' */
  int32_t labels;       /* of the chains of its members */
  int32_t values;       /* R */
  int has_label_values; /* positions */
  int32_t label_values[MOST_LABELS];
  int has_centre_map;
  int32_t centre_map[MOST_LABELS];
  int32_t centre_values;            /* 0: not centred */
  Problem potentials[MOST_CENTRES]; /* over R values or R + 2; only the potential is looked at */
  int32_t member_count;
  Member members[MOST_TOGETHER]; /* a centre is the last */
} Group;

typedef struct Cluster {
  int32_t chain_count;
  Sample chains[MOST_CHAINS];
  int has_tokens[MOST_CHAINS];
  int32_t tokens[MOST_CHAINS][MOST_POSITIONS];
  int is_borrowed[MOST_CHAINS];
  int is_instance[MOST_CHAINS]; /* joins by callbacks that ask the library's own chain */
  int32_t clique_count;
  Group cliques[MOST_CLIQUES];
  chorale_run_options options;
} Cluster;

typedef int32_t Labelling[MOST_CHAINS][MOST_POSITIONS];

void random_cluster(Random *random, Cluster *cluster);
/* One whose chains by themselves show what some dictionary without OUT does not know. */
void random_outside_cluster(Random *random, Cluster *cluster);
/* One whose chains by themselves show what some clique forbids. */
void random_forbidding_cluster(Random *random, Cluster *cluster);
/* One or two chains, of as many positions as there may be, most of them in one clique. */
void random_crowded_cluster(Random *random, Cluster *cluster);
/* Chains of one position, dealt to cliques: most are in one clique alone. */
void random_item_cluster(Random *random, Cluster *cluster);
/* Whether the library has an exact solver of its family, counting R or R + 2 values. */
int has_exact_messages(const Problem *problem);
/* One on which message passing is exact: no cycles, one member a chain, every family exact. */
void random_exact_cluster(Random *random, Cluster *cluster);
void dump_cluster(FILE *to, const Cluster *cluster);
/* Multiplies every score; 0 where a callback gives scores of its own. */
int scale_cluster(Cluster *cluster, double factor);
int chain_in_cliques(const Cluster *cluster, int32_t chain);
/* Members that count: the centre is not one of them. */
int32_t plain_members(const Group *group);

/* ---- The library's view ------------------------------------------------------------------- */

typedef struct Wrapped {
  chorale_chain_solver *solver;
  const chorale_chain *chain;
  int32_t ports;
  chorale_attachment attachments[MOST_CLIQUES];
  const Use *uses[MOST_CLIQUES];
  chorale_message_options options;
  int64_t calls, stop_at; /* the call that answers non-zero, from 1; 0: none */
} Wrapped;

typedef struct Built {
  Given given[MOST_CHAINS];
  Use uses[MOST_CLIQUES]; /* hold the properties and dictionaries */
  chorale_potential *potentials[MOST_CLIQUES][MOST_CENTRES];
  Wrapped wrapped[MOST_CHAINS];
  chorale_model *model;
} Built;

/* Everything but freezing; the builder is the caller's. */
void open_parts(const Cluster *cluster, const chorale_host *host, Built *built);
chorale_status add_chains(const Cluster *cluster, Built *built, chorale_model_builder *builder,
                          chorale_error *error);
chorale_status add_cliques(const Cluster *cluster, Built *built, chorale_model_builder *builder,
                           chorale_error *error);
void describe_group(const Group *group, const Use *use, const chorale_potential *const *potentials,
                    chorale_clique_setup *setup);
chorale_status add_one_member(const Cluster *cluster, Built *built, chorale_model_builder *builder,
                              int32_t clique, int32_t member, chorale_error *error);
/* All of it. `built` must not move until it is closed. */
void build(const Cluster *cluster, const chorale_host *host, Built *built);
void close_built(const Cluster *cluster, Built *built);

/* ---- The definition ----------------------------------------------------------------------- */

/* What a member shows; *is_decodable 0 where something fires outside a dictionary without OUT. */
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

typedef struct ClusterTruth {
  double best;     /* over what can be decoded; minus infinity: nothing */
  double best_any; /* over everything */
  int is_unique;   /* no other labelling comes within 1e-6 of the best */
  int is_stuck;    /* some chain has no labelling */
  int own_is_decodable;
  int has_tied_instance; /* which of its best labellings is its own is not known */
  Labelling own;         /* each chain's best, ties as chain.h breaks them */
  double own_score;
} ClusterTruth;
/* 0 where there are too many combinations. */
int enumerate_cluster(const Cluster *cluster, ClusterTruth *truth);

/* ---- Runs --------------------------------------------------------------------------------- */

/* What holds for every result of a run: NULL, or what does not. */
const char *check_run(const Cluster *cluster, const ClusterTruth *truth, chorale_run *run,
                      const chorale_run_result *result);

typedef const char *(*ClusterCheck)(const Cluster *cluster, void *context);
/* Checks; a failure prints the smallest model that still fails. */
void check_cluster(const Cluster *cluster, ClusterCheck check, void *context, const char *where);
/* `rounds` random models. */
void check_clusters(const char *name, int64_t rounds,
                    void (*make)(Random *random, Cluster *cluster), ClusterCheck check,
                    void *context);

/* Everything a run says, bytes that can be compared. */
typedef struct Said {
  chorale_run_result result;
  Labelling labels, own;
  double chain_scores[MOST_CHAINS], clique_scores[MOST_CLIQUES];
  int32_t values[MOST_CLIQUES][MOST_TOGETHER];
  chorale_payment payments[MOST_CHAINS][MOST_SLOTS];
  double marginals[MOST_CHAINS][MOST_POSITIONS * MOST_LABELS];
  char json[16384];
} Said;
void listen_to(const Cluster *cluster, chorale_run *run, Said *said);
/* NULL, or what differs. */
const char *compare_said(const Cluster *cluster, const Said *a, const Said *b);

#endif
