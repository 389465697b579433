// The public builder: an automaton that grows state by state.
#pragma once

#include "property/property.hpp"

struct chorale_property_builder {
  using Report = chorale::Report;
  explicit chorale_property_builder(const chorale::Memory &from) noexcept : memory(from) {}

  // Checks the sizes and creates a builder with one state.
  static chorale_status create(const Report &report, const chorale::Memory &memory,
                               std::int64_t labels, std::int64_t classes, std::int64_t values,
                               chorale_property_builder *&made) noexcept;
  // The functions below check their arguments and change nothing if a check fails. A new state has
  // transitions to itself alone and fires nothing.
  chorale_status add_state(const Report &report, std::int32_t &state) noexcept;
  chorale_status rule(const Report &report, std::int32_t state, std::int32_t position_class,
                      std::int32_t label, std::int32_t next, std::int32_t action) noexcept;
  chorale_status end_rule(const Report &report, std::int32_t state, std::int32_t action) noexcept;
  chorale_status table(const Report &report, std::int32_t offset, std::int32_t outside) noexcept;
  // `label_values`: the value that FIRE_LABEL fires, for each label; empty: the label itself.
  chorale_status finish(const Report &report, gsl::span<const std::int32_t> label_values,
                        chorale::Property *&made) const noexcept;

  std::int32_t label_count() const noexcept { return labels; }

  chorale::Memory memory;

private:
  // Adds a state. False, with nothing changed, if memory runs out.
  bool grow() noexcept;
  std::int32_t *cells(std::int32_t state) const noexcept { return tables() + state * state_size(); }
  // cells(state) has state_size() numbers: half() = classes x labels next states, half() actions,
  // and the action at the end of a sequence.
  std::int64_t half() const noexcept { return std::int64_t{classes} * labels; }
  std::int64_t state_size() const noexcept { return 2 * half() + 1; }
  std::int32_t *tables() const noexcept { return reinterpret_cast<std::int32_t *>(storage.data()); }

  chorale::Block storage;
  std::int64_t capacity = 0; // in states
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
