// The public dictionary: a clique's values among those of a property, numbered in ascending order.
#pragma once

#include "base/counted.hpp"
#include "base/report.hpp"

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

// Both check everything; on success `made` is a dictionary with one reference. Of `count` values, in
// any order and more than once:
chorale_status create_dictionary(const Report &report, const Memory &memory,
                                 const std::int32_t *values, std::int64_t count, bool with_out,
                                 Dictionary *&made) noexcept;
// Of the `keep` best by `columns` scores, one for each value of `full`, or for 0, 1, .. without it.
chorale_status create_best_dictionary(const Report &report, const Memory &memory,
                                      const Dictionary *full, const double *scores,
                                      std::int64_t columns, std::int64_t keep, bool with_out,
                                      Dictionary *&made) noexcept;

} // namespace chorale
