// Linear functions of the counts with the slopes of a convex SUM at given counts (tangents, which lie
// below it; the slopes are called prices), and the greatest difference between a convex SUM and a
// linear function.
#pragma once

#include "potential/potential.hpp"

namespace chorale {

// True if write_tangent() and most_above() may be used for a clique of `members` members: if the
// potential is a convex SUM that forbids no count.
bool has_tangents(const Potential &potential, std::int64_t members) noexcept;

// Writes to prices[v] (R entries) the slope of the potential C in the count of value v, at
// `counts`; 0 for uncounted values.
// If the tables begin with 0, C(m) >= C(counts) + sum_v prices[v] (m_v - counts[v]) for
// all counts m. Otherwise this holds if some member has a counted value both in `counts` and in m.
void write_tangent(const Potential &potential, gsl::span<const std::int64_t> counts,
                   std::int64_t members, gsl::span<double> prices) noexcept;

// Returns the maximum of C(m) - sum_v prices[v] m_v over all counts m with sum_v m_v <= members.
double most_above(const Potential &potential, gsl::span<const double> prices,
                  std::int64_t members) noexcept;

} // namespace chorale
