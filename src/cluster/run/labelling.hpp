// Checks labellings given by the caller, and computes their scores (phi of each chain, C of each
// clique, and the sum of all) without a run.
#pragma once

#include "base/report.hpp"
#include "cluster/run/assignment.hpp"

namespace chorale {

// Checks `count` labels, of all positions of a model, chain by chain. They come from the caller, so
// `labels` may be NULL. Ignores the labels of instances.
chorale_status check_labels(const Report &report, const Model &model, const std::int32_t *labels,
                            std::int64_t count) noexcept;

// Where score_labels() writes scores; `total` may be NULL, each array may be empty.
struct ScoresOfLabelling {
  double *total;
  gsl::span<double> chains;  // phi of each chain
  gsl::span<double> cliques; // C of each clique
};

// Checks labels like check_labels() and writes their scores. Sums terms in the same order as a run,
// so that the bits agree. Allocates scratch from `memory`.
chorale_status score_labels(const Report &report, const Memory &memory, const Model &model,
                            const std::int32_t *labels, std::int64_t count,
                            const ScoresOfLabelling &to) noexcept;

} // namespace chorale
