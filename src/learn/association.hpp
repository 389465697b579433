// How the values of the members of centred cliques depend on the value of the centre.
#pragma once

#include "base/span.hpp"

namespace chorale {

// Computes log-odds, centre_values x columns: entry (c, v) is
//     log(p(v | c) / p(v)),
// where p is a share among the members of centred cliques, and c the value of the centre. It is
// positive if v is more frequent beside c than elsewhere. It is higher for a rare value beside
// itself than for a common one, which members often have by chance.
//
// counts: centre_values x columns, the number of members with value v in cliques whose centre has
// value c. 1 is added to each.
void find_log_odds(gsl::span<const double> counts, std::int32_t columns,
                   gsl::span<double> log_odds) noexcept;

} // namespace chorale
