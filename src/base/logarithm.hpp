// The natural logarithm, of additions, multiplications and divisions alone, which IEEE 754 rounds
// correctly: scores that contain one are the same bits whatever the C library.
#pragma once

namespace chorale {

// Returns the natural logarithm of a positive normal number, less than 0.51 units in the last place
// from the exact one.
double natural_log(double x) noexcept;

} // namespace chorale
