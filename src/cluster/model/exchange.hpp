// Derives a model with the same chains, members and cliques, but other potentials.
#pragma once

#include "cluster/model/model.hpp"

namespace chorale {

// New potentials of one clique. potential: the potential of a clique without a centre; NULL keeps
// the old potential. centre: for a centred clique, the potential for each value of the centre; NULL
// keeps the old potentials. Potentials are over R values, or R + 2 with EMPTY and CONFLICT, as in
// chorale_clique_setup. They must be mixtures (potential.hpp) or MAJORITY, since these need no column
// for a value that no member can fire.
struct Exchange {
  const Potential *potential = nullptr;
  const Potential *const *centre = nullptr;
};

// Returns the derived model with one reference, or NULL if memory runs out. The derived model holds
// a reference on `model`. exchanges: one for each clique.
Model *exchange(const Memory &memory, const Log &log, const Model &model,
                gsl::span<const Exchange> exchanges) noexcept;

} // namespace chorale
