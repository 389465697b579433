// The public dictionary: a clique's values among those of a property, numbered in ascending order.
#pragma once

#include "base/counted.hpp"

#include <chorale/property.h>

#include <algorithm>
#include <cstdint>

struct chorale_dictionary : chorale::Counted {
  explicit chorale_dictionary(const chorale::Memory &from) noexcept : Counted(from) {}

  std::int32_t size() const noexcept { return count + (has_out ? 1 : 0); }
  // OUT, or -1 without it, for a value that is not among them.
  std::int32_t find(std::int32_t value) const noexcept {
    const std::int32_t *end = values + count;
    const std::int32_t *at = std::lower_bound(values, end, value);
    if (at != end && *at == value)
      return static_cast<std::int32_t>(at - values);
    return has_out ? count : -1;
  }
  // Whether it has a place for each value below `most`.
  bool holds_all(std::int32_t most) const noexcept {
    return has_out || std::lower_bound(values, values + count, most) - values == most;
  }

  chorale::Block storage;
  const std::int32_t *values = nullptr; // ascending, distinct
  std::int32_t count = 0;
  bool has_out = false;
  // Nothing outside it is ever fired where it is used: one that a model made for a clique of many
  // values.
  bool covers_firings = false;
};

namespace chorale {
using Dictionary = ::chorale_dictionary;
}
