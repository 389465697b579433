// Linear functions of the counts that lie below a potential (tangents), and the greatest difference
// between a potential and a linear function.
#pragma once

#include "potential/potential.hpp"

namespace chorale {

// True if write_tangent() and most_above() may be used for a clique of `members` members: if the
// potential is a MAJORITY, or a convex SUM that forbids no count.
bool has_tangents(const Potential &potential, std::int64_t members) noexcept;

// Writes to prices[v] (R entries) the slope of the potential C in the count of value v, at
// `counts`; 0 for uncounted values. For a SUM, C(m) >= C(counts) + sum_v prices[v] (m_v -
// counts[v]) for all counts m. For MAJORITY the slopes are the weights w_av of the value a of
// highest count; then C(m) = b_a + sum_v prices[v] m_v as long as a has the highest count.
void write_tangent(const Potential &potential, gsl::span<const std::int64_t> counts,
                   std::int64_t members, gsl::span<double> prices) noexcept;

// Returns an upper bound on C(m) - sum_v prices[v] m_v over all counts m with a sum of at most
// `members`. For a SUM this is the maximum; for MAJORITY it is the maximum if counts may be
// fractions. order: scratch for MAJORITY (R), empty for a SUM.
double most_above(const Potential &potential, gsl::span<const double> prices,
                  std::int64_t members, gsl::span<std::int32_t> order) noexcept;

} // namespace chorale
