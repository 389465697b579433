// The natural logarithm and its inverse, of additions, multiplications and divisions alone, which
// IEEE 754 rounds correctly: what contains one is the same bits whatever the C library.
#pragma once

namespace chorale {

// Returns the natural logarithm of a positive normal number, less than 0.51 units in the last place
// from the exact one.
double natural_log(double x) noexcept;

// Returns e^x for any x but NaN, less than 0.52 units in the last place from the exact number where
// that is normal, and less than one unit where it is subnormal. 0 below -745.14 and infinity above
// 709.79, where the exact number would round to them.
double natural_exp(double x) noexcept;

} // namespace chorale
