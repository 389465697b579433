// Bases of potentials: their values on counts, and potentials made of weights.
#pragma once

#include "cluster/model/model.hpp"
#include "learn/learnt.hpp"

namespace chorale {

// Adds the bases of a kind, evaluated on the counts of one clique, to `to` (by weight of the kind).
// counts: by column of the clique; centre: the value of its centre. Of several values of highest
// count the majority is the first.
void add_bases(const Kind &kind, const chorale_learnt_weight *weights, const Clique &clique,
               const std::int64_t *counts, std::int32_t centre, double *to) noexcept;

// The potential of a kind over `values` values (and EMPTY and CONFLICT where it has them), or of a
// value of its centre (otherwise -1). theta: by weight of the kind.
chorale_status create_learnt(const Report &report, const Memory &memory, const Kind &kind,
                             const chorale_learnt_weight *weights, const double *theta,
                             std::int64_t values, std::int64_t centre_value,
                             Potential *&made) noexcept;

// The kind of a clique, without weights.
Kind kind_of(const Clique &clique) noexcept;
// Takes another clique into a kind that has some. False: it is of another kind.
bool join(Kind &kind, const Clique &clique) noexcept;

} // namespace chorale
