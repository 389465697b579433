// Linear functions of the counts with the slopes of a potential at given counts (tangents; the
// slopes are called prices), and the greatest difference between a potential and a linear function.
// The tangents of a convex SUM lie below it.
#pragma once

#include "potential/potential.hpp"

namespace chorale {

// True if write_tangent() and most_above() may be used for a clique of `members` members: if the
// potential is a MAJORITY, or a convex SUM that forbids no count.
bool has_tangents(const Potential &potential, std::int64_t members) noexcept;

// Writes to prices[v] (R entries) the slope of the potential C in the count of value v, at
// `counts`; 0 for uncounted values.
// For a SUM whose tables begin with 0, C(m) >= C(counts) + sum_v prices[v] (m_v - counts[v]) for
// all counts m. For other SUMs this holds if some member has a counted value both in `counts` and
// in m.
// For MAJORITY let a be the value of highest count in `counts`. The slopes are the scaled weights
// w_av. So C(m) = b_a + sum_v prices[v] m_v, with the scaled bias b_a, for all counts m in which a
// alone has the highest count.
void write_tangent(const Potential &potential, gsl::span<const std::int64_t> counts,
                   std::int64_t members, gsl::span<double> prices) noexcept;

// Returns an upper bound on the maximum of C(m) - sum_v prices[v] m_v over all counts m with sum_v
// m_v <= members. For a SUM the bound is this maximum; for MAJORITY it is the maximum over
// fractional counts. order: scratch for MAJORITY (R), empty for a SUM.
double most_above(const Potential &potential, gsl::span<const double> prices,
                  std::int64_t members, gsl::span<std::int32_t> order) noexcept;

} // namespace chorale
