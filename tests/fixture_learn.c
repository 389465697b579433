#include "fixture_learn.h"

chorale_learnt *learn(const chorale_problem *problem, const chorale_learn_options *options) {
  chorale_error error;
  chorale_learnt *learnt = NULL;
  OK(chorale_learn(NULL, &problem, 1, options, &learnt, &error));
  return learnt;
}

chorale_learnt_report report_of(const chorale_learnt *learnt) {
  chorale_error error;
  chorale_learnt_report report = {.struct_size = sizeof report};
  OK(chorale_learnt_get_report(learnt, &report, &error));
  return report;
}

char *text_of(const chorale_learnt *learnt, chorale_text_form form) {
  chorale_error error;
  size_t needed = 0;
  OK(chorale_learnt_text(learnt, form, NULL, 0, &needed, &error));
  char *text = malloc(needed);
  OK(chorale_learnt_text(learnt, form, text, needed, NULL, &error));
  assert_int_equal(needed, strlen(text) + 1);
  return text;
}

void label_under(const chorale_learnt *learnt, const chorale_problem *problem, int64_t positions,
                 int32_t *together, int32_t *alone) {
  chorale_error error;
  chorale_model *model = NULL;
  chorale_run *run = NULL;
  OK(chorale_learnt_apply(NULL, learnt, problem, &model, &error));
  OK(chorale_run_create(NULL, model, NULL, NULL, &run, &error));
  OK(chorale_run_solve(run, NULL, &error));
  OK(chorale_run_labels(run, CHORALE_ALL_CHAINS, CHORALE_TOGETHER, together, positions, NULL,
                        &error));
  if (alone)
    OK(chorale_run_labels(run, CHORALE_ALL_CHAINS, CHORALE_ALONE, alone, positions, NULL, &error));
  chorale_run_destroy(run);
  chorale_model_release(model);
}
