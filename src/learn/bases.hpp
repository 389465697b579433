// Bases of potentials (chorale_basis in learn.h): functions of the counts of a clique. A learnt
// potential is the sum of the bases of a kind of cliques, each times its weight theta.
#pragma once

#include "cluster/model/model.hpp"
#include "learn/learnt.hpp"

namespace chorale {

// Evaluates the bases of a kind on the counts of one clique, and adds the results to `to`. weights
// and to: one entry for each weight of the kind.
// counts: the number of members in each column of the clique (values, then EMPTY and CONFLICT if it
// has them). centre: the value of the clique's centre; not used if the kind is not centred. For the
// basis MAJORITY: if several columns have the highest count, the first of them is the majority.
void add_bases(const Kind &kind, gsl::span<const chorale_learnt_weight> weights,
               const Clique &clique, gsl::span<const std::int64_t> counts, std::int32_t centre,
               gsl::span<double> to) noexcept;

// Creates the potential of a kind over `values` values, plus EMPTY and CONFLICT if the kind has
// them. centre_value: for a centred kind, the value of the centre that the potential belongs to;
// otherwise -1. theta: one number for each weight of the kind.
chorale_status create_learnt(const Report &report, const Memory &memory, const Kind &kind,
                             gsl::span<const chorale_learnt_weight> weights,
                             gsl::span<const double> theta,
                             std::int64_t values, std::int64_t centre_value,
                             Potential *&made) noexcept;

// Returns a new kind that describes `clique`: its number of values, the number of values of its
// centre, whether it is a property clique, and whether it has EMPTY, OUT and a centre. The kind has
// no cliques and no weights yet.
Kind kind_of(const Clique &clique) noexcept;
// Checks whether a clique can be of a kind that has cliques already. Returns false if it differs
// from them in being a property clique, in having EMPTY or OUT, in having a centre, or in the
// number of values of the centre. If only its own number of values differs, sets kind.values to 0.
bool join(Kind &kind, const Clique &clique) noexcept;

} // namespace chorale
