#include "shim.h"
#include "_cgo_export.h"

static int32_t count_score(void *user, const int64_t *counts, int64_t values, int64_t members,
                           double *score) {
  return choraleGoCount((uintptr_t)user, (int64_t *)counts, values, members, score);
}

static void drop(void *user) { choraleGoDrop((uintptr_t)user); }

chorale_status chorale_go_potential_create_callback(const chorale_host *host, int64_t values,
                                                    uintptr_t user,
                                                    const chorale_potential_options *options,
                                                    chorale_potential **potential,
                                                    chorale_error *error) {
  return chorale_potential_create_callback(host, values, count_score, (void *)user, drop, options,
                                           potential, error);
}

static int32_t run_progress(void *user, const chorale_progress *progress) {
  return choraleGoProgress((uintptr_t)user, (chorale_progress *)progress);
}

void chorale_go_run_callback(chorale_run_options *options, uintptr_t user) {
  options->progress = run_progress;
  options->progress_user = (void *)user;
}

static int32_t learn_progress(void *user, const chorale_learn_progress *progress) {
  return choraleGoLearnProgress((uintptr_t)user, (chorale_learn_progress *)progress);
}

void chorale_go_learn_callback(chorale_learn_options *options, uintptr_t user) {
  options->progress = learn_progress;
  options->progress_user = (void *)user;
}
