#include "property/builder.hpp"

#include "property/checks.hpp"

#include <algorithm>

using namespace chorale;

namespace {

// The states, classes or labels to which a rule applies: a single one, or all for CHORALE_ANY.
struct Range {
  std::int32_t begin;
  std::int32_t end;
};

chorale_status take_range(const Report &report, std::string_view name, std::int32_t given,
                          std::int32_t count, Range &range) noexcept {
  if (given != CHORALE_ANY && (given < 0 || given >= count))
    return report.fail(CHORALE_ERROR_OUT_OF_RANGE, name, " is ", given, "; it must be from 0 to ",
                       count - 1, ", or CHORALE_ANY = ", std::int32_t{CHORALE_ANY},
                       given == -1 ? ", which is not -1" : "");
  range = given == CHORALE_ANY ? Range{0, count} : Range{given, given + 1};
  return CHORALE_OK;
}

} // namespace

chorale_status chorale_property_builder::create(const Report &report, const Memory &memory,
                                                std::int64_t labels, std::int64_t classes,
                                                std::int64_t values,
                                                PropertyBuilder *&made) noexcept {
  CHORALE_CHECK(check_table_size(report, 1, classes, labels));
  CHORALE_CHECK(check_values(report, values));
  auto *draft = memory.create<PropertyBuilder>(memory);
  if (!draft)
    return report.out_of_memory(sizeof(PropertyBuilder));
  draft->labels = gsl::narrow_cast<std::int32_t>(labels);
  draft->classes = gsl::narrow_cast<std::int32_t>(classes);
  draft->values = gsl::narrow_cast<std::int32_t>(values);
  if (!draft->grow()) {
    Memory::destroy(draft, memory);
    return report.fail(CHORALE_ERROR_OUT_OF_MEMORY,
                       "the allocator gave no memory for the first state");
  }
  made = draft;
  return CHORALE_OK;
}

bool chorale_property_builder::grow() noexcept {
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

chorale_status chorale_property_builder::add_state(const Report &report,
                                                   std::int32_t &state) noexcept {
  CHORALE_CHECK(check_table_size(report, std::int64_t{states} + 1, classes, labels));
  report.takes_from(memory);
  if (!grow())
    return report.fail(CHORALE_ERROR_OUT_OF_MEMORY, "the allocator gave no memory for a state");
  state = states - 1;
  return CHORALE_OK;
}

chorale_status chorale_property_builder::rule(const Report &report, std::int32_t state,
                                              std::int32_t position_class, std::int32_t label,
                                              std::int32_t next, std::int32_t action) noexcept {
  Range in_states{};
  Range in_classes{};
  Range in_labels{};
  Range to{};
  CHORALE_CHECK(take_range(report, "state", state, states, in_states));
  CHORALE_CHECK(take_range(report, "position_class", position_class, classes, in_classes));
  CHORALE_CHECK(take_range(report, "label", label, labels, in_labels));
  CHORALE_CHECK(take_range(report, "next", next, states, to));
  CHORALE_CHECK(check_action(report, action, values, "action"));
  for (std::int32_t s = in_states.begin; s < in_states.end; ++s)
    for (std::int32_t c = in_classes.begin; c < in_classes.end; ++c)
      for (std::int32_t y = in_labels.begin; y < in_labels.end; ++y) {
        const std::int64_t at = std::int64_t{c} * labels + y;
        cells(s)[at] = next == CHORALE_ANY ? s : next;
        cells(s)[half() + at] = action;
      }
  return CHORALE_OK;
}

chorale_status chorale_property_builder::end_rule(const Report &report, std::int32_t state,
                                                  std::int32_t action) noexcept {
  Range in_states{};
  CHORALE_CHECK(take_range(report, "state", state, states, in_states));
  CHORALE_CHECK(check_action(report, action, values, "action"));
  for (std::int32_t s = in_states.begin; s < in_states.end; ++s)
    cells(s)[2 * half()] = action;
  return CHORALE_OK;
}

chorale_status chorale_property_builder::table(const Report &report, std::int32_t offset,
                                               std::int32_t outside) noexcept {
  CHORALE_CHECK(check_outside(report, outside, values));
  table_offset = offset;
  outside_value = outside;
  return CHORALE_OK;
}

chorale_status chorale_property_builder::finish(const Report &report,
                                                gsl::span<const std::int32_t> label_values,
                                                Property *&made) const noexcept {
  bool used = false;
  for (std::int32_t s = 0; s < states; ++s)
    used = used || fires_label({cells(s) + half(), to_size(half() + 1)});
  CHORALE_CHECK(check_label_values(report, used, label_values, labels, values));
  report.takes_from(memory);
  const std::size_t all = to_size(states) * to_size(half());
  const Block block(memory, (2 * all + to_size(states)) * sizeof(std::int32_t));
  if (!block)
    return hand_over(report, nullptr, made);
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
  AutomatonSpec source{labels, classes, states, values};
  source.table_offset = table_offset;
  source.outside_value = outside_value;
  source.next = next;
  source.actions = actions;
  source.end_actions = ends ? end_actions : nullptr;
  source.label_values = label_values.data();
  return hand_over(report, compile(memory, source), made);
}
