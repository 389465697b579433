/* A scene: one handle of every kind, all created with one host and ready for any call, and a digest
 * of their visible state. Used by tests of refused memory, of threads and of hostile numbers. */
#ifndef CHORALE_TESTS_FIXTURE_SCENE_H
#define CHORALE_TESTS_FIXTURE_SCENE_H

#include "fixture_saved.h"

enum { WIDE_LABELS = 260, SCENE_LENGTH = 3, SCRATCH_BYTES = 1 << 16, SCENE_TEXT = 1 << 16 };

/* Handles that the calls under test create. */
typedef struct Handles {
  chorale_cancel *cancel;
  chorale_potential *potential;
  chorale_transitions *transitions;
  chorale_property *property;
  chorale_dictionary *dictionary;
  chorale_clique_solver *clique_solver;
  chorale_chain_solver *chain_solver;
  chorale_model_builder *builder;
  chorale_model *model;
  chorale_run *run;
  chorale_problem *problem;
  chorale_decoded *decoded;
  chorale_learnt *learnt;
  chorale_prices *prices;
  chorale_ledger *ledger; /* a row has another label than was told */
} Handles;

typedef struct Scene {
  const chorale_host *host; /* NULL: memory from malloc */
  chorale_error error;
  Handles has;  /* among them: solvers that have no memory yet, a builder with something of
                   everything, a run that has been solved */
  Handles made; /* handles made by the call under test; NULL before the call */
  chorale_potential *majority;
  chorale_clique_solver *ready_clique_solver; /* both have all the memory that the calls need */
  chorale_chain_solver *ready_chain_solver;
  chorale_model *wide; /* its clique has so many columns that calls allocate scratch memory */
  chorale_run *wide_run, *fresh_run, *edit_run;
  chorale_problem *plain_problem; /* without names */
  chorale_problem *lesson;        /* with gold labels in two groups */
  Saved saved;                    /* bytes of the problem has.problem */
  char path[128];                 /* path of the saved problem */
  char pipe_path[32];
  int pipe; /* reading end of a pipe that holds the saved problem; -1: none */

  /* Arguments of calls. */
  chorale_clique_problem clique;
  chorale_chain chain, strided;
  chorale_attachment attachments[2];
  chorale_chain_options chain_options;
  MemberArrays member_arrays;
  chorale_instance instance;
  chorale_clique_setup property_setup, position_setup, centred_setup, word_setup;
  chorale_automaton automaton;
  chorale_label_map map;
  chorale_run_options run_options, rich_options, ruled_options;
  chorale_agreement words;
  chorale_corpus corpus;           /* two chains, three positions */
  chorale_agreement agreements[2]; /* on words, and on keys */
  chorale_rule rule[3]; /* each label at one position, at a price; chain 1 has no label; chain 0 not label 0 */
  chorale_rules rules;
  chorale_corpus lesson_corpus;    /* four items, in two groups */
  chorale_agreement lesson_agreement;
  chorale_learn_options learn_options;
  chorale_mentions mentions; /* four, of two keys */
  chorale_evidence evidence;
  chorale_scored_pairs pairs; /* six, of five records */

  /* Results of calls. */
  double numbers[1024];
  double *rows[2];
  int32_t labels[1024];
  int64_t counts[4];
  uint8_t bytes[16];
  size_t size;
  chorale_clique_setup found_setup;
  chorale_reason reasons[16];
  chorale_left_out left_out[4];
  chorale_ruled_chain ruled[8];
  chorale_rule_conflict conflicts[8];
  chorale_rule_reason rule_reasons[8];
  chorale_learnt_kind kinds[4];
  chorale_settled_mention settled[4];
  chorale_settled_key settled_keys[8];
  chorale_ledger_change changes[8];
  chorale_ledger_row ledger_rows[16];
  char text[SCENE_TEXT];
  union {
    double aligned[SCRATCH_BYTES / 8];
    unsigned char bytes[SCRATCH_BYTES];
  } scratch;
} Scene;

/* Creates a temporary directory for the problem file. */
int make_scene_directory(void **state);
int remove_scene_directory(void **state);
int scene_files(void); /* number of files in the directory */

/* Returns the gold labels of the corpus to learn from. */
const int32_t *lesson_gold(void);
const chorale_problem *const *lesson_of(const Scene *s); /* one problem */
const int64_t *first_clique(void);                       /* 0 */
void open_scene(const chorale_host *host, Scene *scene);
/* Frees everything, including what a call created. */
void close_scene(Scene *scene);
/* Returns a digest of all visible state of the handles; freezes the builder and uses the
 * solvers. */
uint64_t tell_scene(Scene *scene);

/* Returns memory aligned to 64. */
/* Returns the path of a pipe that holds the saved problem, for one load. Allocates nothing. */
const char *pipe_of(Scene *scene);

#endif
