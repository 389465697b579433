// The permutation test of agreement: do members of one clique agree beyond the tagger's labels?
#pragma once

#include "learn/lessons.hpp"

namespace chorale {

// Computes the p-value of 999 exchanges (fewer if 100 of them reach the statistic); -1 if nothing
// can be exchanged, or no exchange changes the statistic.
chorale_status test_agreement(const Report &report, const Memory &memory, Lessons &lessons,
                              double &p) noexcept;

} // namespace chorale
