#define _POSIX_C_SOURCE 200809L

#include "inference.h"

#include "support.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- Strengths ---------------------------------------------------------------------------- */

/* Returns the problem's model; if --learnt is given, with the learnt potentials. Writes to *told the
 * report of the learnt result in the file of --learnt. Without --learnt, writes that of the result in
 * the note "learnt.json" of the problem file; zeros if there is no such note or it cannot be read. */
static chorale_model *with_learnt(const corpus *from, const settings *chosen,
                                  chorale_learnt_report *told) {
  const chorale_text text = note(from, "learnt.json");
  chorale_learnt *learnt = NULL;
  chorale_model *model = NULL;
  chorale_error error;
  if (chosen->learnt != NULL) {
    learnt = load_learnt(chosen->learnt);
    check_input(chorale_learnt_apply(NULL, learnt, from->problem, &model, &error), &error,
                "--learnt", chosen->learnt);
  } else {
    model = chorale_model_retain(from->model);
    if (text.length > 0)
      chorale_learnt_read(NULL, text.bytes, text.length, &learnt, NULL);
  }
  *told = (chorale_learnt_report){.struct_size = sizeof *told};
  if (learnt != NULL)
    check(chorale_learnt_get_report(learnt, told, &error), &error);
  chorale_learnt_destroy(learnt);
  return model;
}

/* Returns the factor of each clique; NULL if all factors are 1. Ends the program if --properties has
 * a name that is not that of a kind of some clique. */
static double *factors_of(const corpus *from, const settings *chosen) {
  if (chosen->properties == NULL && chosen->strength == 1.0)
    return NULL;
  double *factors = allocate(from->clique_count, sizeof *factors);
  for (int64_t c = 0; c < from->clique_count; ++c)
    factors[c] = chosen->properties == NULL ? chosen->strength : 0.0;
  chorale_text names = text_of(chosen->properties != NULL ? chosen->properties : ""), asked;
  while (next_name(&names, &asked)) {
    int found = 0;
    for (int64_t c = 0; c < from->clique_count; ++c) {
      const int32_t kind = chorale_problem_clique_kind(from->problem, c);
      if (!same_text(asked, text_in(from->problem, CHORALE_TEXTS_KINDS, kind)))
        continue;
      factors[c] = chosen->strength;
      found = 1;
    }
    if (!found)
      stop(EXIT_BAD_INPUT, "--properties is \"%.*s\"; it must name kinds of cliques of this file, "
           "which \"chorale info\" lists", (int)asked.length, asked.bytes);
  }
  return factors;
}

/* Multiplies the potential of each clique by its factor, in the run alone. */
static void set_strengths(const inference *done, const corpus *from, const settings *chosen) {
  char strength[40];
  snprintf(strength, sizeof strength, "%g", chosen->strength);
  for (int64_t c = 0; done->factors != NULL && c < from->clique_count; ++c) {
    chorale_error error;
    check_input(chorale_run_set_strength(done->run, c, done->factors[c], &error), &error,
                "--strength", strength);
  }
}

/* ---- Progress ----------------------------------------------------------------------------- */

/* Progress callback: prints the progress, on a terminal by overwriting one line, otherwise in a line
 * of its own. */
static int32_t tell_round(void *user, const chorale_progress *progress) {
  (void)user;
  const int terminal = isatty(STDERR_FILENO);
  fputs(terminal ? "\r\033[K  " : "  ", stderr);
  if (isfinite(progress->upper_bound))
    fprintf(stderr, "bound %.4f, best score %.4f", progress->upper_bound, progress->best_score);
  else
    fprintf(stderr, "round %" PRId64 ": score %.4f, %" PRId64 " messages changed", progress->round,
            progress->score, progress->messages_changed);
  if (!terminal)
    putc('\n', stderr);
  return 0;
}

/* ---- Chains that are left out -------------------------------------------------------------- */

/* Prints to stderr how many chains are left out, and what forbids the labellings of the first. */
static void tell_left_out(const inference *done) {
  chorale_error error;
  int64_t count = 0;
  check(chorale_run_left_out(done->run, NULL, sizeof(chorale_left_out), 0, &count, &error), &error);
  if (count == 0)
    return;
  chorale_left_out *all = allocate(count, sizeof *all);
  check(chorale_run_left_out(done->run, all, sizeof *all, count, NULL, &error), &error);
  fprintf(stderr, "%" PRId64 " of %" PRId64 " chains %s left out, since every labelling met is "
          "forbidden: chain %" PRId64,
          count, chorale_model_chain_count(done->model), count == 1 ? "is" : "are", all[0].chain);
  if (all[0].obstacle == CHORALE_OBSTACLE_SCORES)
    fprintf(stderr, " by the scores of position %" PRId64, all[0].position);
  else if (all[0].obstacle == CHORALE_OBSTACLE_TRANSITIONS)
    fprintf(stderr, " by the transitions of position %" PRId64, all[0].position);
  else if (all[0].clique >= 0)
    fprintf(stderr, " by clique %" PRId64, all[0].clique);
  fputs(count > 1 ? ", and others\n" : "\n", stderr);
  free(all);
}

/* ---- The run ------------------------------------------------------------------------------ */

inference infer(const corpus *from, const settings *chosen) {
  inference done;
  memset(&done, 0, sizeof done);
  done.factors = factors_of(from, chosen);
  done.model = with_learnt(from, chosen, &done.learnt);

  chorale_error error;
  chorale_run_options options = {.struct_size = sizeof options};
  options.rounds = chosen->rounds == 0 ? CHORALE_NO_ROUNDS : chosen->rounds;
  options.threads = chosen->threads;
  if (chosen->beam > 0) {
    options.joint_mode = CHORALE_JOINT_BEAM;
    options.beam_width = chosen->beam;
  }
  options.bound_steps = chosen->bound_steps;
  options.time_limit = time_limit_of(chosen);
  options.progress = chosen->progress ? tell_round : NULL;
  options.edits = done.factors != NULL;
  done.result = (chorale_run_result){.struct_size = sizeof done.result};

  if (chosen->progress)
    fprintf(stderr,
            "Labelling %" PRId64 " chains in %" PRId64 " groups together, %" PRId64 " cliques\n",
            from->chain_count, from->page_count, from->clique_count);
  const double begin = now();
  check(chorale_run_create(NULL, done.model, &options, NULL, &done.run, &error), &error);
  set_strengths(&done, from, chosen);
  check(chorale_run_solve(done.run, &done.result, &error), &error);
  done.seconds = now() - begin;
  if (chosen->progress && isatty(STDERR_FILENO))
    fputs("\r\033[K", stderr);
  tell_left_out(&done);
  if (done.result.left_out > 0 && done.result.left_out == from->chain_count)
    stop(EXIT_NO, "no labelling was found: %s", chorale_outcome_name(done.result.outcome));
  if (!isfinite(done.result.score))
    fprintf(stderr, "some clique forbids the labels (score -inf): %s\n",
            chorale_outcome_name(done.result.outcome));

  done.own = allocate(from->positions, sizeof *done.own);
  done.together = allocate(from->positions, sizeof *done.together);
  check(chorale_run_labels(done.run, CHORALE_ALL_CHAINS, CHORALE_ALONE, done.own, from->positions,
                           NULL, &error), &error);
  check(chorale_run_labels(done.run, CHORALE_ALL_CHAINS, CHORALE_TOGETHER, done.together,
                           from->positions, NULL, &error), &error);
  return done;
}

void inference_free(inference *done) {
  chorale_run_destroy(done->run);
  chorale_model_release(done->model);
  free(done->factors);
  free(done->own);
  free(done->together);
}

double temperature_of(const inference *done) {
  const chorale_learnt_report *learnt = &done->learnt;
  return learnt->changed_temperature > 0.0 ? learnt->changed_temperature
         : learnt->temperature > 0.0       ? learnt->temperature
                                           : 1.0;
}

char *json_of(const inference *done) {
  chorale_error error;
  size_t needed = 0;
  check(chorale_run_json(done->run, NULL, 0, &needed, &error), &error);
  char *text = allocate((int64_t)needed, 1);
  check(chorale_run_json(done->run, text, needed, NULL, &error), &error);
  return text;
}
