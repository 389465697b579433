// Names of outcomes, as chorale_outcome_name() and chorale_run_json() give them, and of obstacles,
// which forbid every labelling of a chain (outcome.h).
#pragma once

#include <chorale/outcome.h>

namespace chorale {

inline const char *outcome_name(chorale_outcome outcome) noexcept {
  switch (outcome) {
  case CHORALE_OUTCOME_COMPLETE:
    return "complete";
  case CHORALE_OUTCOME_GAP_REACHED:
    return "gap-reached";
  case CHORALE_OUTCOME_ITERATION_LIMIT:
    return "iteration-limit";
  case CHORALE_OUTCOME_NODE_LIMIT:
    return "node-limit";
  case CHORALE_OUTCOME_DEADLINE:
    return "deadline";
  case CHORALE_OUTCOME_CANCELLED:
    return "cancelled";
  case CHORALE_OUTCOME_INFEASIBLE:
    return "infeasible";
  case CHORALE_OUTCOME_NOTHING_FOUND:
    return "nothing-found";
  default:
    return "unknown outcome";
  }
}

inline const char *obstacle_name(chorale_obstacle obstacle) noexcept {
  switch (obstacle) {
  case CHORALE_OBSTACLE_SCORES:
    return "scores";
  case CHORALE_OBSTACLE_TRANSITIONS:
    return "transitions";
  case CHORALE_OBSTACLE_CLIQUES:
    return "cliques";
  case CHORALE_OBSTACLE_UNDECIDED:
    return "undecided";
  default:
    return "unknown";
  }
}

} // namespace chorale
