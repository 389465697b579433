// The public dictionary: the values of a property that a clique distinguishes, in ascending order.
#pragma once

#include "base/counted.hpp"
#include "base/report.hpp"

#include <chorale/property.h>

#include <algorithm>
#include <cstdint>

struct chorale_dictionary : chorale::Counted {
  explicit chorale_dictionary(const chorale::Memory &from) noexcept : Counted(from) {}

  std::int32_t size() const noexcept { return count + (has_out ? 1 : 0); }
  // Returns the number of `value`; for other values the number of OUT, or -1 without OUT.
  std::int32_t find(std::int32_t value) const noexcept {
    const std::int32_t *end = values + count;
    const std::int32_t *at = std::lower_bound(values, end, value);
    if (at != end && *at == value)
      return static_cast<std::int32_t>(at - values);
    return has_out ? count : -1;
  }
  // True if find() has a number for each value below `most`.
  bool holds_all(std::int32_t most) const noexcept {
    return has_out || std::lower_bound(values, values + count, most) - values == most;
  }

  chorale::Block storage;
  const std::int32_t *values = nullptr; // count values, ascending, distinct
  std::int32_t count = 0;
  bool has_out = false;
  // True if no chain of its clique can fire a value that the dictionary lacks: in dictionaries that
  // a model makes for cliques with many values.
  bool covers_firings = false;
};

namespace chorale {

using Dictionary = ::chorale_dictionary;

// Checks its arguments; on success `made` is a dictionary with one reference. `values`: `count`
// values in any order, possibly repeated.
chorale_status create_dictionary(const Report &report, const Memory &memory,
                                 const std::int32_t *values, std::int64_t count, bool with_out,
                                 Dictionary *&made) noexcept;
// Like create_dictionary(), with the `keep` best values by score. `scores`: `columns` scores, one
// for each value of `full` in order, or for the values 0, 1, .. if `full` is NULL.
chorale_status create_best_dictionary(const Report &report, const Memory &memory,
                                      const Dictionary *full, const double *scores,
                                      std::int64_t columns, std::int64_t keep, bool with_out,
                                      Dictionary *&made) noexcept;

} // namespace chorale
