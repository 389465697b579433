/* Outcomes of computations. An outcome is not an error: the call that reports it has succeeded. */
#ifndef CHORALE_OUTCOME_H
#define CHORALE_OUTCOME_H

#include "chorale/export.h"

CHORALE_BEGIN_DECLS

typedef int32_t chorale_outcome;
enum {
  /* The algorithm ran to its end; in a run, messages have converged. */
  CHORALE_OUTCOME_COMPLETE = 0,
  /* Ended early: the score is within the requested gap of the upper bound. */
  CHORALE_OUTCOME_GAP_REACHED = 10,
  /* All rounds, sweeps or steps that the call may do are done, or the rounds of a run alternate
   * between two labellings. An ordinary end: the labels are the best found. */
  CHORALE_OUTCOME_ITERATION_LIMIT = 20,
  /* All nodes of branch and bound that `node_limit` (clique.h) allows are done. The labels are the
   * best found. */
  CHORALE_OUTCOME_NODE_LIMIT = 21,
  /* The time limit was reached. The labels are the best found until then. */
  CHORALE_OUTCOME_DEADLINE = 30,
  /* A cancel or a progress callback ended the call. The labels are the best found until then. */
  CHORALE_OUTCOME_CANCELLED = 31,
  /* Every labelling is proven to score minus infinity. */
  CHORALE_OUTCOME_INFEASIBLE = 40,
  /* Every labelling tried scores minus infinity; labellings that were not tried may score more. */
  CHORALE_OUTCOME_NOTHING_FOUND = 41
};

/* What forbids every labelling of a chain. */
typedef int32_t chorale_obstacle;
enum {
  CHORALE_OBSTACLE_UNKNOWN = 0, /* an instance (experimental/model.h), which does not tell */
  /* Every label of the position is forbidden: by a score of minus infinity, by `forced` or
   * `allowed`, or by the edit chorale_run_set_allowed (run.h). */
  CHORALE_OBSTACLE_SCORES = 10,
  /* The position has allowed labels, but each is forbidden by its start or end score, or by the
   * transitions to all labels that are allowed at the positions after it (on a tree: below it). */
  CHORALE_OBSTACLE_TRANSITIONS = 20,
  /* Each labelling that the chain itself allows is forbidden by a clique of which the chain is the
   * only member, such as a rule. */
  CHORALE_OBSTACLE_CLIQUES = 30,
  /* No labelling was found that a clique allows, all of whose members are in the chain. There may be
   * one. */
  CHORALE_OBSTACLE_UNDECIDED = 40
};

/* Returns the name of an outcome in lower case, such as "iteration-limit"; "unknown outcome" for
 * any other number. Static storage. Any thread. */
CHORALE_API const char *chorale_outcome_name(chorale_outcome outcome);

CHORALE_END_DECLS

#endif
