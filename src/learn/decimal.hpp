// Reads numbers as std::from_chars does, which not every C++ library has for doubles.
#pragma once

#include <cstddef>
#include <string_view>

namespace chorale {

// Reads a decimal number at the beginning of `text`: an optional minus, digits, an optional
// fraction and exponent. Returns how many characters the number has; 0 if there is no number, or if
// its magnitude exceeds the largest double.
// value: receives the number. If the text is what std::to_chars writes for a double (its shortest
// digits), `value` is that double, bit for bit. For other texts the magnitude of `value` is the
// greatest double whose shortest digits do not exceed the magnitude of the number. It differs from
// the number by at most one unit in the last place. Only the first 40 significant digits count.
std::size_t read_decimal(std::string_view text, double &value) noexcept;

} // namespace chorale
