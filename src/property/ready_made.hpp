// The properties of the paper as automata.
#pragma once

#include "property/property.hpp"

namespace chorale {

// What labels count as; checked, arrays as in chorale_label_map.
struct LabelKinds {
  std::int32_t labels;
  std::int32_t kinds;
  const std::int32_t *kind_of_label; // or NULL
  const std::uint8_t *label_begins;  // or NULL
  const std::uint8_t *ignored;       // or NULL

  std::int32_t kind(std::int32_t y) const noexcept { return kind_of_label ? kind_of_label[y] : y; }
  bool begins(std::int32_t y) const noexcept { return label_begins && label_begins[y] != 0; }
  bool ignores(std::int32_t y) const noexcept { return ignored && ignored[y] != 0; }
};

// Each returns NULL where memory ran out.
Property *make_position_label(const Memory &memory, const LabelKinds &kinds,
                              std::int32_t position) noexcept;
Property *make_token_label(const Memory &memory, const LabelKinds &kinds,
                           std::int32_t token) noexcept;
Property *make_first_label(const Memory &memory, const LabelKinds &kinds) noexcept;
Property *make_next_label(const Memory &memory, const LabelKinds &kinds, std::int32_t anchor,
                          chorale_segment_rule rule, std::int32_t end_value) noexcept;
Property *make_token_before(const Memory &memory, const LabelKinds &kinds, std::int32_t anchor,
                            chorale_segment_rule rule, std::int32_t values,
                            std::int32_t start_value) noexcept;

} // namespace chorale
