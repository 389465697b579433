// The ready-made properties of property.h, as automata.
#pragma once

#include "property/property.hpp"

namespace chorale {

// Maps labels to kinds: B-PER and I-PER are of the kind PER. Arrays have one entry for each label,
// as in chorale_label_map (property.h), and may be NULL: each label is its own kind, no label
// begins a segment after a label of its kind, no label is ignored.
struct LabelKinds {
  std::int64_t labels;
  std::int64_t kinds;
  const std::int32_t *kind_of_label;
  const std::uint8_t *label_begins;
  const std::uint8_t *ignored = nullptr; // other than 0: the property ignores the label

  std::int32_t kind(std::int32_t y) const noexcept { return kind_of_label ? kind_of_label[y] : y; }
  bool begins(std::int32_t y) const noexcept { return label_begins && label_begins[y] != 0; }
  bool ignores(std::int32_t y) const noexcept { return ignored && ignored[y] != 0; }
};

// Returns what a map of the caller says: 0 kinds are as many as labels if each label is its own.
inline LabelKinds kinds_of(const chorale_label_map &map,
                           const std::uint8_t *ignored = nullptr) noexcept {
  const bool each_its_own = map.kinds == 0 && !map.kind_of_label;
  return {map.labels, each_its_own ? map.labels : map.kinds, map.kind_of_label, map.begins, ignored};
}

// Checks a map of labels to kinds. In error messages it is called "map".
chorale_status check_kinds(const Report &report, const LabelKinds &kinds) noexcept;

// Each function checks its arguments and creates a property, which it writes to `made` with one
// reference.
chorale_status create_position_label(const Report &report, const Memory &memory,
                                     const LabelKinds &kinds, std::int64_t position,
                                     Property *&made) noexcept;
chorale_status create_token_label(const Report &report, const Memory &memory,
                                  const LabelKinds &kinds, std::int32_t token,
                                  Property *&made) noexcept;
chorale_status create_first_label(const Report &report, const Memory &memory,
                                  const LabelKinds &kinds, Property *&made) noexcept;
chorale_status create_next_label(const Report &report, const Memory &memory,
                                 const LabelKinds &kinds, std::int32_t anchor,
                                 chorale_segment_rule rule, std::int32_t end_value,
                                 Property *&made) noexcept;
chorale_status create_token_before(const Report &report, const Memory &memory,
                                   const LabelKinds &kinds, std::int32_t anchor,
                                   chorale_segment_rule rule, std::int64_t values,
                                   std::int32_t start_value, Property *&made) noexcept;

} // namespace chorale
