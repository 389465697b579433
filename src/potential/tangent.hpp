// Linear functions of the counts that have the slopes of a convex SUM at given counts, and lie
// below it (tangents); their slopes are called prices. Also the greatest difference between a
// convex SUM and a linear function.
#pragma once

#include "potential/potential.hpp"

namespace chorale {

// True if write_tangent() and most_above() may be used for a clique of `members` members: if the
// potential is a convex SUM that forbids no count.
bool has_tangents(const Potential &potential, std::int64_t members) noexcept;

// Writes to prices[v] (R entries) the slope of the potential C in the count of value v, at
// `counts`: the mean of the steps of its table before and after this count, or the only step at
// count 0 or `members`; 0 for uncounted values. If the tables begin with 0, then
//     C(m) >= C(counts) + sum_v prices[v] (m_v - counts[v])
// for all counts m. Otherwise this holds if some count of a counted value is above 0 in `counts`,
// and also in m.
void write_tangent(const Potential &potential, gsl::span<const std::int64_t> counts,
                   std::int64_t members, gsl::span<double> prices) noexcept;

// Returns the maximum of C(m) - sum_v prices[v] m_v over all counts m with sum_v m_v <= members. If
// the sum is less, the other members have values that the potential does not have.
double most_above(const Potential &potential, gsl::span<const double> prices,
                  std::int64_t members) noexcept;

} // namespace chorale
