#include "property/builder.hpp"

#include <algorithm>

using chorale::Block;

bool chorale_property_builder::add_state() noexcept {
  if (states == capacity) {
    const std::int64_t wider = std::max<std::int64_t>(4, 2 * capacity);
    Block grown(memory, chorale::saturating_product(
                            chorale::saturating_product(chorale::to_size(wider),
                                                        chorale::to_size(state_size())),
                            sizeof(std::int32_t)));
    if (!grown)
      return false;
    std::copy_n(tables(), states * state_size(), reinterpret_cast<std::int32_t *>(grown.data()));
    storage = std::move(grown);
    capacity = wider;
  }
  std::int32_t *at = cells(states);
  std::fill_n(at, half(), states);
  std::fill_n(at + half(), half() + 1, CHORALE_FIRE_NOTHING);
  ++states;
  return true;
}

chorale_property *
chorale_property_builder::compile(const std::int32_t *label_values) const noexcept {
  const std::size_t all = static_cast<std::size_t>(states) * static_cast<std::size_t>(half());
  const Block block(memory, (2 * all + static_cast<std::size_t>(states)) * sizeof(std::int32_t));
  if (!block)
    return nullptr;
  auto *next = reinterpret_cast<std::int32_t *>(block.data());
  std::int32_t *actions = next + all;
  std::int32_t *end_actions = actions + all;
  bool ends = false;
  for (std::int32_t s = 0; s < states; ++s) {
    const std::int32_t *at = cells(s);
    std::copy_n(at, half(), next + s * half());
    std::copy_n(at + half(), half(), actions + s * half());
    end_actions[s] = at[2 * half()];
    ends = ends || end_actions[s] != CHORALE_FIRE_NOTHING;
  }
  chorale::AutomatonSource source{labels, classes, states, values};
  source.table_offset = table_offset;
  source.outside_value = outside_value;
  source.next = next;
  source.actions = actions;
  source.end_actions = ends ? end_actions : nullptr;
  source.label_values = label_values;
  return chorale::compile(memory, source);
}
