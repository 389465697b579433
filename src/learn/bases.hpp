// Bases of potentials (chorale_basis in learn.h): functions of the counts of a clique. A learnt
// potential is the sum of the bases of a kind of cliques, each times its weight theta.
#pragma once

#include "cluster/model/model.hpp"
#include "learn/learnt.hpp"

namespace chorale {

// Evaluates the bases of a kind on the counts of one clique, and adds the results to `to`. weights
// and to: one entry for each weight of the kind.
// counts: the number of members in each column of the clique (values, then EMPTY and CONFLICT if it
// has them). centre: the value of the clique's centre; not used if the kind is not centred. If
// several values have the highest count, the lowest is the majority.
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

// Returns a kind for cliques that are like this one in the number of values and in whether they are
// property cliques and have EMPTY, OUT and a centre. The kind has no weights yet.
Kind kind_of(const Clique &clique) noexcept;
// Adds a clique to a kind that has cliques already. Returns false if the clique differs from the
// kind in being a property clique, in having EMPTY or OUT, or in its centre. If only the number of
// values differs, sets kind.values to 0.
bool join(Kind &kind, const Clique &clique) noexcept;

} // namespace chorale
