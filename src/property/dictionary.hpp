// The public dictionary: the values of a property that a clique distinguishes, numbered in
// ascending order. It may have one more number, UNLISTED, which stands for all other values of the
// property.
#pragma once

#include "base/counted.hpp"
#include "base/report.hpp"

#include <chorale/experimental.h>

#include <algorithm>
#include <cstdint>

struct chorale_dictionary : chorale::Counted {
  explicit chorale_dictionary(const chorale::Memory &from) noexcept : Counted(from) {}

  std::int32_t size() const noexcept { return count + (has_unlisted ? 1 : 0); }
  // Returns the number of `value`. For values that the dictionary does not list, the number of
  // UNLISTED, or -1 if it has no UNLISTED.
  std::int32_t find(std::int32_t value) const noexcept {
    const std::int32_t *end = values + count;
    const std::int32_t *at = std::lower_bound(values, end, value);
    if (at != end && *at == value)
      return static_cast<std::int32_t>(at - values);
    return has_unlisted ? count : -1;
  }
  // Returns the value that has a number of the dictionary; -1 for UNLISTED.
  std::int32_t value(std::int32_t number) const noexcept {
    return number < count ? values[number] : -1;
  }
  // True if find() returns a number, not -1, for every value from 0 to most - 1.
  bool holds_all(std::int32_t most) const noexcept {
    return has_unlisted || std::lower_bound(values, values + count, most) - values == most;
  }

  chorale::Block storage;
  const std::int32_t *values = nullptr; // count values, ascending, distinct
  std::int32_t count = 0;
  bool has_unlisted = false;
  // True if it is known that no chain of the clique fires a value that the dictionary lacks. Set in
  // dictionaries that a model makes for cliques with many values.
  bool covers_firings = false;
};

namespace chorale {

using Dictionary = ::chorale_dictionary;

// Checks its arguments and creates a dictionary, which it writes to `made` with one reference.
// `values`: in any order, possibly repeated; none only with UNLISTED (`has_unlisted`).
chorale_status create_dictionary(const Report &report, const Memory &memory,
                                 const std::int32_t *values, std::int64_t count, bool has_unlisted,
                                 Dictionary *&made) noexcept;
} // namespace chorale
