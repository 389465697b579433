// Bases of potentials: their values on counts, and potentials made of weights.
#pragma once

#include "cluster/model/model.hpp"
#include "learn/learnt.hpp"

namespace chorale {

// Adds the bases of a kind, evaluated on the counts of one clique, to `to` (one entry for each
// weight of the kind).
// counts: by column of the clique; centre: the value of its centre. Of several values with the
// highest count, the lowest is the majority.
void add_bases(const Kind &kind, const chorale_learnt_weight *weights, const Clique &clique,
               const std::int64_t *counts, std::int32_t centre, double *to) noexcept;

// Creates the potential of a kind over `values` values, plus EMPTY and CONFLICT if the kind has
// them. centre_value: for a centred kind, the value of the centre that the potential belongs to;
// otherwise -1. theta: by weight of the kind.
chorale_status create_learnt(const Report &report, const Memory &memory, const Kind &kind,
                             const chorale_learnt_weight *weights, const double *theta,
                             std::int64_t values, std::int64_t centre_value,
                             Potential *&made) noexcept;

// Returns the kind that a clique belongs to, without weights.
Kind kind_of(const Clique &clique) noexcept;
// Adds a clique to a kind that has cliques already. False if the clique has another property, range
// of values or centre than the kind.
bool join(Kind &kind, const Clique &clique) noexcept;

} // namespace chorale
