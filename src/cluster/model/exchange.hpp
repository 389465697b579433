// Derives a model with the same chains, members and cliques, but other potentials or unary scores.
#pragma once

#include "cluster/model/model.hpp"

namespace chorale {

// New potentials of one clique. potential: of a clique without a centre; NULL keeps the old one.
// centre: of a centred clique, one for each value of the centre; NULL keeps the old ones.
// Potentials are over R or R + 2 values, as in a clique setup. They must be mixtures or MAJORITY,
// since these need no column for values that no member can fire.
struct Exchange {
  const Potential *potential = nullptr;
  const Potential *const *centre = nullptr;
};

// Returns the derived model with one reference; it holds a reference on `model`. NULL if memory
// runs out. exchanges: by clique. unary: by chain, T x m numbers of the chain's element type,
// without gaps, or NULL to keep the scores of this chain; the arrays are borrowed as long as the
// result lives. `unary` itself may be empty to keep all scores.
Model *exchange(const Memory &memory, const Log &log, const Model &model,
                gsl::span<const Exchange> exchanges, gsl::span<const void *const> unary) noexcept;

} // namespace chorale
