/* One run over a corpus, and its results. */
#ifndef CHORALE_COMMAND_INFERENCE_H
#define CHORALE_COMMAND_INFERENCE_H

#include "corpus.h"
#include "options.h"

typedef struct inference {
  chorale_model *model; /* the corpus's model; with --learnt, with the learnt potentials */
  double *factors; /* by clique: factor of its potential in the run; NULL: all 1 */
  chorale_run *run;
  chorale_run_result result;
  double seconds; /* duration of the run, without loading the file */
  chorale_learnt_report learnt; /* report of the learnt result; zeros if there is none */
  int32_t *own;   /* by position: the label if every chain is labelled without its cliques; -1 here
                     and below: the chain is left out, since every labelling met is forbidden */
  int32_t *together; /* by position: the label that the run found */
} inference;

/* Runs the inference that the options ask for. Ends the program with EXIT_NO if all chains are left
 * out. */
inference infer(const corpus *from, const settings *chosen);
void inference_free(inference *done);

/* Returns the temperature of changed labels by the learnt result: changed_temperature of its report;
 * if this is unknown, `temperature`; if both are, 1. */
double temperature_of(const inference *done);

/* Returns the result as the JSON of chorale_run_json; the caller frees it. */
char *json_of(const inference *done);

#endif
