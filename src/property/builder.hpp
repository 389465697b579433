// The public builder: an automaton that grows state by state.
#pragma once

#include "property/property.hpp"

struct chorale_property_builder {
  explicit chorale_property_builder(const chorale::Memory &from) noexcept : memory(from) {}

  // Makes room for one state and fills it: it stays where it is and fires nothing. False, and
  // unchanged, where there is no memory.
  bool add_state() noexcept;

  std::int32_t *cells(std::int32_t state) const noexcept { return tables() + state * state_size(); }
  // A state's numbers: classes x labels next states, as many actions, the action at the end.
  std::int64_t half() const noexcept { return std::int64_t{classes} * labels; }
  std::int64_t state_size() const noexcept { return 2 * half() + 1; }
  std::int32_t *tables() const noexcept { return reinterpret_cast<std::int32_t *>(storage.data()); }

  // NULL where memory ran out.
  chorale_property *compile(const std::int32_t *label_values) const noexcept;

  chorale::Memory memory;
  chorale::Block storage;
  std::int64_t capacity = 0; // states
  std::int32_t labels = 0;
  std::int32_t classes = 0;
  std::int32_t states = 0;
  std::int32_t values = 0;
  std::int32_t table_offset = 0;
  std::int32_t outside_value = -1;
};

namespace chorale {
using PropertyBuilder = ::chorale_property_builder;
}
