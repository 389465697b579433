// Pseudorandom numbers, the same on every machine: a linear congruential generator.
#pragma once

#include <cstdint>

namespace chorale {

// Returns a number from 0 to `below` - 1 and advances `state`, which determines all later numbers.
inline std::int64_t draw_below(std::uint64_t &state, std::int64_t below) noexcept {
  state = state * 6364136223846793005U + 1442695040888963407U;
  return static_cast<std::int64_t>((state >> 33) % static_cast<std::uint64_t>(below));
}

} // namespace chorale
