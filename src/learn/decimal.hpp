// Reads numbers as std::from_chars does, which not every C++ library has for doubles.
#pragma once

#include <cstddef>
#include <string_view>

namespace chorale {

// Reads a decimal number at the beginning of `text`: an optional minus, digits, an optional
// fraction and exponent. Returns how many characters it has; 0 if there is none, or if it exceeds
// the largest double. `value`: the same bits where std::to_chars wrote the shortest digits of a
// double. Otherwise the greatest double whose shortest digits do not exceed the number (its first
// 40 digits count), or its negative: at most one unit in the last place away.
std::size_t read_decimal(std::string_view text, double &value) noexcept;

} // namespace chorale
