// Checks labellings given by the caller, and computes their scores (phi of each chain, C of each
// clique, and the sum of all) without a run.
#pragma once

#include "base/report.hpp"
#include "cluster/run/assignment.hpp"

namespace chorale {

// Checks `count` labels of the caller and makes `to` a span over them, without a copy. labels: the
// label of every position of the model, chain after chain, or -1 for none; NULL is an error unless
// there are no positions. Does not check the labels of instances.
chorale_status take_labels(const Report &report, const Model &model, const std::int32_t *labels,
                           std::int64_t count,
                           gsl::span<const std::int32_t> &to) noexcept;

// Where score_labels() writes scores. `total`, for equation 1, may be NULL; each array may be
// empty.
struct ScoresOfLabelling {
  double *total;
  gsl::span<double> chains;  // phi of each chain
  gsl::span<double> cliques; // C of each clique
};

// Writes the scores of labels that take_labels() has checked. A chain with a position without label
// is left out: its phi is minus infinity, and it adds nothing to the total or to counts of cliques.
// Fails for a model with an instance, which can score only the labellings that it decodes. Sums
// terms in the same order as a run, so that the bits agree. Allocates scratch from `memory`.
chorale_status score_labels(const Report &report, const Memory &memory, const Model &model,
                            gsl::span<const std::int32_t> labels,
                            const ScoresOfLabelling &to) noexcept;

} // namespace chorale
