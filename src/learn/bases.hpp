// Bases of potentials (chorale_basis in learn.h): functions of the counts of a clique. A learnt
// potential is the sum of the bases of a kind of cliques, each times its weight theta.
#pragma once

#include "cluster/model/model.hpp"
#include "learn/learnt.hpp"

namespace chorale {

// Evaluates the bases of a kind on the counts of one clique, and adds the results to `to`. weights
// and to: by weight of the kind.
// counts: by column (value) of the clique. centre: the value of its centre; not used if the kind is
// not centred. Of several values with the highest count, the lowest is the majority.
void add_bases(const Kind &kind, gsl::span<const chorale_learnt_weight> weights,
               const Clique &clique, gsl::span<const std::int64_t> counts, std::int32_t centre,
               gsl::span<double> to) noexcept;

// Creates the potential of a kind over `values` values, plus EMPTY and CONFLICT if the kind has
// them. centre_value: for a centred kind, the value of the centre that the potential belongs to;
// otherwise -1. theta: by weight of the kind.
chorale_status create_learnt(const Report &report, const Memory &memory, const Kind &kind,
                             gsl::span<const chorale_learnt_weight> weights,
                             gsl::span<const double> theta,
                             std::int64_t values, std::int64_t centre_value,
                             Potential *&made) noexcept;

// Returns the kind that a clique belongs to, without weights.
Kind kind_of(const Clique &clique) noexcept;
// Counts a clique in a kind that has cliques already. Returns false if the clique differs from the
// kind in its property, its values or its centre.
bool join(Kind &kind, const Clique &clique) noexcept;

} // namespace chorale
