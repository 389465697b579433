// Names of outcomes, as chorale_outcome_name() and chorale_run_json() give them, and of obstacles,
// the reasons why a chain has no labelling (chorale_obstacle in base.h). Also outcomes of
// computations that limits interrupted.
#pragma once

#include "base/limits.hpp"
#include "base/names.hpp"

#include <chorale/base.h>

namespace chorale {

// Returns the outcome that stands for the interruption `by`; `otherwise` if `by` is none.
inline chorale_outcome outcome_of(Interruption by, chorale_outcome otherwise) noexcept {
  return by == Interruption::deadline    ? CHORALE_OUTCOME_DEADLINE
         : by == Interruption::cancelled ? CHORALE_OUTCOME_CANCELLED
                                         : otherwise;
}

inline const char *outcome_name(chorale_outcome outcome) noexcept {
  constexpr NamedConstant kNames[] = {{CHORALE_OUTCOME_COMPLETE, "complete"},
                                      {CHORALE_OUTCOME_GAP_REACHED, "gap-reached"},
                                      {CHORALE_OUTCOME_ITERATION_LIMIT, "iteration-limit"},
                                      {CHORALE_OUTCOME_NODE_LIMIT, "node-limit"},
                                      {CHORALE_OUTCOME_DEADLINE, "deadline"},
                                      {CHORALE_OUTCOME_CANCELLED, "cancelled"},
                                      {CHORALE_OUTCOME_INFEASIBLE, "infeasible"},
                                      {CHORALE_OUTCOME_NOTHING_FOUND, "nothing-found"}};
  return name_in(kNames, outcome, "unknown outcome");
}

inline const char *obstacle_name(chorale_obstacle obstacle) noexcept {
  constexpr NamedConstant kNames[] = {{CHORALE_OBSTACLE_SCORES, "scores"},
                                      {CHORALE_OBSTACLE_TRANSITIONS, "transitions"},
                                      {CHORALE_OBSTACLE_CLIQUES, "cliques"},
                                      {CHORALE_OBSTACLE_UNDECIDED, "undecided"}};
  return name_in(kNames, obstacle, "unknown");
}

} // namespace chorale
