// The public builder: an automaton that grows state by state.
#pragma once

#include "property/tables.hpp"

struct chorale_property_builder {
  using Report = chorale::Report;
  chorale_property_builder(const chorale::Memory &from, std::int64_t labels, std::int64_t classes,
                           std::int64_t values) noexcept
      : memory(from), tables(from, labels, classes, values) {}

  // Checks the sizes and creates a builder with one state.
  static chorale_status create(const Report &report, const chorale::Memory &memory,
                               std::int64_t labels, std::int64_t classes, std::int64_t values,
                               chorale_property_builder *&made) noexcept;
  // The functions below check their arguments and change nothing if a check fails.
  chorale_status add_state(const Report &report, std::int32_t &state) noexcept;
  chorale_status rule(const Report &report, std::int32_t state, std::int32_t position_class,
                      std::int32_t label, std::int32_t next, std::int32_t action) noexcept;
  chorale_status end_rule(const Report &report, std::int32_t state, std::int32_t action) noexcept;
  chorale_status table(const Report &report, std::int32_t offset, std::int32_t outside) noexcept;
  // `label_values`: the value that FIRE_LABEL fires, for each label; empty: the label itself.
  chorale_status finish(const Report &report, gsl::span<const std::int32_t> label_values,
                        chorale::Property *&made) const noexcept;

  std::int64_t label_count() const noexcept { return tables.source.labels; }

  chorale::Memory memory;

private:
  chorale::AutomatonTables tables;
};

namespace chorale {
using PropertyBuilder = ::chorale_property_builder;
}
