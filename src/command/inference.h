/* One run over a corpus, and its results. */
#ifndef CHORALE_COMMAND_INFERENCE_H
#define CHORALE_COMMAND_INFERENCE_H

#include "corpus.h"
#include "options.h"

/* Progress of the run after a round or a step of the bound. */
typedef struct moment {
  int64_t round;
  double score, best_score, upper_bound; /* upper_bound: plus infinity until a bound is known */
} moment;

typedef struct inference {
  chorale_model *model; /* the corpus's model with the learnt potentials and strengths asked for */
  double *factors; /* factor of each clique's potential; NULL: all 1 */
  chorale_run *run;
  chorale_run_result result;
  double seconds; /* duration of the run, without loading the file */
  chorale_learnt_report learnt; /* of the learnt result; zeros if there is none */
  int32_t *own;   /* by position: the label if every chain is labelled without its cliques */
  int32_t *together; /* by position: the label that the run found */
  int tell;       /* 1: progress is printed to stderr */
  moment *moments;
  int64_t moment_count, moment_room;
} inference;

inference infer(const corpus *from, const settings *chosen);
void inference_free(inference *done);

/* Returns the temperature of changed labels by the learnt result; 1 if it is unknown. */
double temperature_of(const inference *done);

/* Returns the result as the JSON of chorale_run_json; the caller frees it. */
char *json_of(const inference *done);

/* Returns a phrase for the outcome of the run, such as "messages converged". */
const char *outcome_name(chorale_outcome outcome);

#endif
