// Checks labellings given by the caller, and evaluates equation 1 for them without a run.
#pragma once

#include "base/report.hpp"
#include "cluster/run/assignment.hpp"

namespace chorale {

// Checks `count` labels of all positions of a model, chain by chain. Ignores the entries of
// instances.
chorale_status check_labels(const Report &report, const Model &model, const std::int32_t *labels,
                            std::int64_t count) noexcept;

// Targets for the scores of a labelling; each pointer may be NULL.
struct ScoresOfLabelling {
  double *total;
  double *chains;  // phi, by chain
  double *cliques; // C, by clique
};

// Checks and scores labels as in check_labels(). Sums in the same order as a run. Allocates scratch
// memory from `memory`.
chorale_status score_labels(const Report &report, const Memory &memory, const Model &model,
                            const std::int32_t *labels, std::int64_t count,
                            const ScoresOfLabelling &to) noexcept;

} // namespace chorale
