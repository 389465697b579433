// The same chains, members and cliques with other potentials, and with other unary scores.
#pragma once

#include "cluster/model/model.hpp"

namespace chorale {

// What a clique gets: one potential, or for a centred clique one for each value of its centre; NULLs
// keep what it has. Over R or R + 2 values, as clique setups take them; mixtures or MAJORITY, which
// need no column for values that no member can fire.
struct Exchange {
  const Potential *potential = nullptr;
  const Potential *const *centre = nullptr;
};

// exchanges: by clique. unary: by chain, T x m numbers without gaps of the chain's element type, or
// NULL to keep those it has; borrowed as long as the result lives. NULL: keeps all. Returns a model
// with one reference, which holds one on `model`; NULL if memory runs out.
Model *exchange(const Memory &memory, const Log &log, const Model &model,
                const Exchange *exchanges, const void *const *unary) noexcept;

} // namespace chorale
