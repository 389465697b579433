#include "property/builder.hpp"

#include "property/checks.hpp"

using namespace chorale;

namespace {

// The states, classes or labels to which a rule applies: a single one, or all for CHORALE_ANY.
struct Range {
  std::int32_t begin;
  std::int32_t end;
};

chorale_status take_range(const Report &report, std::string_view name, std::int32_t given,
                          std::int64_t count, Range &range) noexcept {
  if (given != CHORALE_ANY && (given < 0 || given >= count))
    return report.fail(CHORALE_ERROR_OUT_OF_RANGE, name, " is ", given, "; it must be from 0 to ",
                       count - 1, ", or CHORALE_ANY = ", std::int32_t{CHORALE_ANY},
                       given == -1 ? ", which is not -1" : "");
  range = given == CHORALE_ANY ? Range{0, gsl::narrow_cast<std::int32_t>(count)}
                               : Range{given, given + 1};
  return CHORALE_OK;
}

} // namespace

chorale_status chorale_property_builder::create(const Report &report, const Memory &memory,
                                                std::int64_t labels, std::int64_t classes,
                                                std::int64_t values,
                                                PropertyBuilder *&made) noexcept {
  CHORALE_CHECK(check_table_size(report, 1, classes, labels));
  CHORALE_CHECK(check_values(report, values));
  auto *draft = memory.create<PropertyBuilder>(memory, labels, classes, values);
  if (!draft)
    return report.out_of_memory(sizeof(PropertyBuilder));
  if (!draft->tables.add_states(1)) {
    Memory::destroy(draft, memory);
    return report.out_of_memory();
  }
  made = draft;
  return CHORALE_OK;
}

chorale_status chorale_property_builder::add_state(const Report &report,
                                                   std::int32_t &state) noexcept {
  const AutomatonSpec &now = tables.source;
  CHORALE_CHECK(check_table_size(report, now.states + 1, now.classes, now.labels));
  if (!tables.add_states(1))
    return report.out_of_memory();
  state = gsl::narrow_cast<std::int32_t>(now.states - 1);
  return CHORALE_OK;
}

chorale_status chorale_property_builder::rule(const Report &report, std::int32_t state,
                                              std::int32_t position_class, std::int32_t label,
                                              std::int32_t next, std::int32_t action) noexcept {
  Range in_states{};
  Range in_classes{};
  Range in_labels{};
  Range to{};
  const AutomatonSpec &now = tables.source;
  CHORALE_CHECK(take_range(report, "state", state, now.states, in_states));
  CHORALE_CHECK(take_range(report, "position_class", position_class, now.classes, in_classes));
  CHORALE_CHECK(take_range(report, "label", label, now.labels, in_labels));
  CHORALE_CHECK(take_range(report, "next", next, now.states, to));
  CHORALE_CHECK(check_action(report, action, now.values, "action"));
  for (std::int32_t s = in_states.begin; s < in_states.end; ++s)
    for (std::int32_t c = in_classes.begin; c < in_classes.end; ++c)
      for (std::int32_t y = in_labels.begin; y < in_labels.end; ++y)
        tables.set(s, c, y, next == CHORALE_ANY ? s : next, action);
  return CHORALE_OK;
}

chorale_status chorale_property_builder::end_rule(const Report &report, std::int32_t state,
                                                  std::int32_t action) noexcept {
  Range in_states{};
  CHORALE_CHECK(take_range(report, "state", state, tables.source.states, in_states));
  CHORALE_CHECK(check_action(report, action, tables.source.values, "action"));
  for (std::int32_t s = in_states.begin; s < in_states.end; ++s)
    tables.set_end(s, action);
  return CHORALE_OK;
}

chorale_status chorale_property_builder::table(const Report &report, std::int32_t offset,
                                               std::int32_t outside) noexcept {
  CHORALE_CHECK(check_outside(report, outside, tables.source.values));
  tables.source.table_offset = offset;
  tables.source.outside_value = outside;
  return CHORALE_OK;
}

chorale_status chorale_property_builder::finish(const Report &report,
                                                gsl::span<const std::int32_t> label_values,
                                                Property *&made) const noexcept {
  CHORALE_CHECK(check_label_values(report, tables.fires(CHORALE_FIRE_LABEL), label_values,
                                   tables.source.labels, tables.source.values));
  return hand_over(report, tables.compile(label_values.data()), made);
}
