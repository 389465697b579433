// Labellings that the caller brings: their check, and equation 1 of them without a run.
#pragma once

#include "base/report.hpp"
#include "cluster/run/assignment.hpp"

namespace chorale {

// Checks `count` labels of all positions of a model, chain by chain. Entries of instances are not
// looked at.
chorale_status check_labels(const Report &report, const Model &model, const std::int32_t *labels,
                            std::int64_t count) noexcept;

// Where scores of a labelling are stored; each pointer may be NULL.
struct ScoresOfLabelling {
  double *total;
  double *chains;  // of each chain
  double *cliques; // of each clique
};

// Checks and scores such labels; adds up in the order of a run. Scratch is allocated from `memory`.
chorale_status score_labels(const Report &report, const Memory &memory, const Model &model,
                            const std::int32_t *labels, std::int64_t count,
                            const ScoresOfLabelling &to) noexcept;

} // namespace chorale
