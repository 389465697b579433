// The natural logarithm and the exponential function, computed by additions, multiplications and
// divisions alone. IEEE 754 rounds these correctly, so results that use the two functions have the
// same bits with every C library.
#pragma once

namespace chorale {

// Returns the natural logarithm of a positive normal number. The error is below 0.51 units in the
// last place.
double natural_log(double x) noexcept;

// Returns e^x for any x but NaN. The error is below 0.52 units in the last place if the exact
// result is a normal number, and below one unit if it is subnormal. Returns 0 below -745.14 and
// infinity above 709.79, where the exact result would round to these.
double natural_exp(double x) noexcept;

} // namespace chorale
