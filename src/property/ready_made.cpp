#include "property/ready_made.hpp"

#include "property/checks.hpp"
#include "property/tables.hpp"

#include <algorithm>

namespace chorale {

chorale_status check_kinds(const Report &report, const LabelKinds &kinds) noexcept {
  CHORALE_CHECK(check_size(report, "map->labels", kinds.labels));
  CHORALE_CHECK(check_values(report, kinds.kinds, "map->kinds"));
  constexpr std::int64_t most = kLargestSize / 6; // no automaton below has more than 6 cells
  if (kinds.labels > most)
    return report.fail(CHORALE_ERROR_SIZE_OVERFLOW, "map->labels is ", kinds.labels,
                       "; it must be at most ", most);
  if (!kinds.kind_of_label && kinds.kinds != kinds.labels)
    return report.fail(CHORALE_ERROR_SHAPE, "map->kinds is ", kinds.kinds,
                       "; without kind_of_label it must be map->labels = ", kinds.labels);
  return check_entries(report, kinds.kind_of_label, kinds.labels, 0, kinds.kinds - 1,
                       "map->kind_of_label");
}

namespace {

chorale_status check_anchor(const Report &report, const LabelKinds &kinds, std::int32_t anchor,
                            chorale_segment_rule rule) noexcept {
  if (anchor < 0 || anchor >= kinds.kinds)
    return report.fail(CHORALE_ERROR_OUT_OF_RANGE, "anchor is ", anchor,
                       "; it must be a kind, 0 to ", kinds.kinds - 1);
  if (rule != CHORALE_SEGMENT_SPANS_IGNORED && rule != CHORALE_SEGMENT_ENDS_AT_IGNORED)
    return report.unknown_constant("rule", rule, "a CHORALE_SEGMENT_ constant");
  return CHORALE_OK;
}

// Creates a property that fires the kind of the label at the positions of class 1: at `position`,
// or where the table holds `token`.
chorale_status create_class_label(const Report &report, const Memory &memory,
                                  const LabelKinds &kinds, std::int32_t position,
                                  std::int32_t token, Property *&made) noexcept {
  AutomatonTables tables(memory, kinds.labels, 2, kinds.kinds);
  if (!tables.add_states(1))
    return hand_over(report, nullptr, made);
  for (std::int32_t y = 0; y < kinds.labels; ++y)
    tables.set(0, 1, y, 0, kinds.kind(y));
  Property *property = tables.compile();
  if (property) {
    property->position = position;
    property->token = token;
  }
  return hand_over(report, property, made);
}

} // namespace

chorale_status create_position_label(const Report &report, const Memory &memory,
                                     const LabelKinds &kinds, std::int64_t position,
                                     Property *&made) noexcept {
  CHORALE_CHECK(check_kinds(report, kinds));
  CHORALE_CHECK(check_size(report, "position", position, 0));
  return create_class_label(report, memory, kinds, gsl::narrow_cast<std::int32_t>(position), -1,
                            made);
}

chorale_status create_token_label(const Report &report, const Memory &memory,
                                  const LabelKinds &kinds, std::int32_t token,
                                  Property *&made) noexcept {
  CHORALE_CHECK(check_kinds(report, kinds));
  if (token < 0)
    return report.fail(CHORALE_ERROR_OUT_OF_RANGE, "token is ", token, "; it must be at least 0");
  return create_class_label(report, memory, kinds, -1, token, made);
}

chorale_status create_first_label(const Report &report, const Memory &memory,
                                  const LabelKinds &kinds, Property *&made) noexcept {
  CHORALE_CHECK(check_kinds(report, kinds));
  AutomatonTables tables(memory, kinds.labels, 1, kinds.kinds);
  if (!tables.add_states(2))
    return hand_over(report, nullptr, made);
  for (std::int32_t y = 0; y < kinds.labels; ++y)
    if (!kinds.ignores(y))
      tables.set(0, 0, y, 1, kinds.kind(y));
  return hand_over(report, tables.compile(), made);
}

// States: 0: there was no segment of kind `anchor` yet, or the label after the most recent one has
// been found; 1: in a segment of this kind, or at ignored labels after it that do not end it; 2:
// after a segment of this kind that an ignored label has ended, before the next label that is not
// ignored.
chorale_status create_next_label(const Report &report, const Memory &memory,
                                 const LabelKinds &kinds, std::int32_t anchor,
                                 chorale_segment_rule rule, std::int32_t end_value,
                                 Property *&made) noexcept {
  CHORALE_CHECK(check_kinds(report, kinds));
  CHORALE_CHECK(check_anchor(report, kinds, anchor, rule));
  if (end_value < -1 || end_value >= kMostValues)
    return report.fail(CHORALE_ERROR_OUT_OF_RANGE, "end_value is ", end_value,
                       "; it must be from -1 to ", kMostValues - 1);
  const bool ends = rule == CHORALE_SEGMENT_ENDS_AT_IGNORED;
  AutomatonTables tables(memory, kinds.labels, 1,
                         std::max<std::int64_t>(kinds.kinds, end_value + 1));
  if (!tables.add_states(ends ? 3 : 2))
    return hand_over(report, nullptr, made);
  for (std::int32_t y = 0; y < kinds.labels; ++y) {
    const std::int32_t kind = kinds.kind(y);
    if (kind == anchor) {
      tables.set(0, 0, y, 1, CHORALE_FIRE_NOTHING);
      // If another segment of kind `anchor` begins here, its first label is also the label after
      // the previous segment. So `anchor` fires, the kind of this label.
      tables.set(1, 0, y, 1, kinds.begins(y) ? kind : CHORALE_FIRE_NOTHING);
      if (ends)
        tables.set(2, 0, y, 1, kind);
    } else if (kinds.ignores(y)) {
      if (ends)
        tables.set(1, 0, y, 2, CHORALE_FIRE_NOTHING);
    } else {
      tables.set(1, 0, y, 0, kind);
      if (ends)
        tables.set(2, 0, y, 0, kind);
    }
  }
  for (std::int32_t s = 1; s < tables.source.states && end_value >= 0; ++s)
    tables.set_end(s, end_value);
  return hand_over(report, tables.compile(), made);
}

// States: 0: outside segments of kind `anchor`; 1: in one, or at ignored labels after it that do
// not end it. The first label of a segment fires the table entry of the position before
// (table_offset is -1), or start_value at the first position.
chorale_status create_token_before(const Report &report, const Memory &memory,
                                   const LabelKinds &kinds, std::int32_t anchor,
                                   chorale_segment_rule rule, std::int64_t values,
                                   std::int32_t start_value, Property *&made) noexcept {
  CHORALE_CHECK(check_kinds(report, kinds));
  CHORALE_CHECK(check_anchor(report, kinds, anchor, rule));
  CHORALE_CHECK(check_values(report, values));
  if (start_value < -1 || start_value >= values)
    return report.fail(CHORALE_ERROR_VALUE_OUTSIDE_RANGE, "start_value is ", start_value,
                       "; it must be -1 or a value, 0 to ", values - 1);
  AutomatonTables tables(memory, kinds.labels, 1, values);
  if (!tables.add_states(2))
    return hand_over(report, nullptr, made);
  for (std::int32_t y = 0; y < kinds.labels; ++y) {
    if (kinds.kind(y) == anchor) {
      tables.set(0, 0, y, 1, CHORALE_FIRE_TABLE);
      tables.set(1, 0, y, 1, kinds.begins(y) ? CHORALE_FIRE_TABLE : CHORALE_FIRE_NOTHING);
    } else if (!kinds.ignores(y) || rule == CHORALE_SEGMENT_ENDS_AT_IGNORED) {
      tables.set(1, 0, y, 0, CHORALE_FIRE_NOTHING);
    }
  }
  tables.source.table_offset = -1;
  tables.source.outside_value = start_value;
  return hand_over(report, tables.compile(), made);
}

} // namespace chorale
