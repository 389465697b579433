// Linear functions of the counts that lie below a potential, and how far it rises above others.
#pragma once

#include "potential/potential.hpp"

namespace chorale {

// True if write_tangent() and most_above() serve a clique of `members` members: a MAJORITY, or a
// convex SUM that forbids no count.
bool has_tangents(const Potential &potential, std::int64_t members) noexcept;

// Writes to prices[v] (R) the slope of the potential at counts[v], 0 for values that do not count:
// C(m) >= C(counts) + sum_v prices[v] (m_v - counts[v]) for a SUM. For MAJORITY the weights of the
// value of highest count, which give C as long as that value has the highest count.
void write_tangent(const Potential &potential, const std::int64_t *counts, std::int64_t members,
                   double *prices) noexcept;

// Returns an upper bound on C(m) - sum_v prices[v] m_v over all counts m with a sum of at most
// `members`. Exact for a SUM; for MAJORITY over fractions. order: R, scratch of MAJORITY.
double most_above(const Potential &potential, const double *prices, std::int64_t members,
                  std::int32_t *order) noexcept;

} // namespace chorale
