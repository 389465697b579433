// Writes records and arrays of properties, from which the reader creates the same properties again.
//
// A compiled property is itself an automaton, and its states already have the numbers that
// compile() (property.hpp) gives, so compiling it again changes nothing. A record needs three more
// facts, which are derived here from the compiled property: whether the caller gave a local
// property; whether the property was made by create_position_label() or create_token_label()
// (ready_made.hpp); and which end actions were FIRE_LABEL before they were compiled to constants.
#include "problem/writer.hpp"

namespace chorale {
namespace {

using WrittenRecord = file::PropertyRecord;

// True if the property is local and its automaton, apart from the dead state (property.hpp), has
// one state, which it never leaves. The property is then written as an automaton, from which
// compile() makes the same local property again.
bool is_memoryless(const Property &p) noexcept {
  if (!p.is_local() || p.states > 2 || p.start != 0)
    return false;
  const std::int64_t width = std::int64_t{p.classes} * p.labels;
  return std::all_of(p.next, p.next + width, [](std::int32_t next) { return next == 0; });
}

std::int32_t kind_of_property(const Property &p) noexcept {
  if (p.position >= 0)
    return WrittenRecord::kPositionLabel;
  if (p.token >= 0)
    return WrittenRecord::kTokenLabel;
  return p.is_local() && !is_memoryless(p) ? WrittenRecord::kLocal : WrittenRecord::kAutomaton;
}

std::int32_t action_of(const Property &p, std::int32_t compiled) noexcept {
  return compiled >= 0 ? p.constants.data()[compiled] : compiled;
}

// Returns the end action that the caller gave to `state`, derived from the compiled ones: row[y]
// for each last label y, and row[m] for the empty chain. On the empty chain only a constant fires,
// so if row[m] fires, the caller gave this constant. If constants fire for some labels y, but not
// on the empty chain, the caller gave FIRE_LABEL.
std::int32_t end_action(const Property &p, std::int32_t state) noexcept {
  const std::int32_t m = p.labels;
  const std::int32_t *row = p.end_actions + std::int64_t{state} * (m + 1);
  if (row[m] >= 0)
    return action_of(p, row[m]);
  bool fires = false;
  for (std::int32_t y = 0; y < m; ++y) {
    if (row[y] == CHORALE_FIRE_TABLE)
      return CHORALE_FIRE_TABLE;
    fires = fires || row[y] >= 0;
  }
  return fires ? CHORALE_FIRE_LABEL : CHORALE_FIRE_NOTHING;
}

// Returns the first state whose end action is FIRE_LABEL; -1 if there is none.
std::int32_t labelled_end(const Property &p) noexcept {
  for (std::int32_t s = 0; s < p.states; ++s)
    if (end_action(p, s) == CHORALE_FIRE_LABEL)
      return s;
  return -1;
}

} // namespace

WrittenRecord record_of(const Property &p) noexcept {
  WrittenRecord record{};
  record.kind = kind_of_property(p);
  record.labels = p.labels;
  record.values = p.values;
  record.outside_value = -1;
  switch (record.kind) {
  case WrittenRecord::kPositionLabel:
  case WrittenRecord::kTokenLabel:
    record.at = record.kind == WrittenRecord::kPositionLabel ? p.position : p.token;
    break;
  case WrittenRecord::kLocal:
    record.classes = p.classes;
    break;
  default:
    record.classes = p.classes;
    record.table_offset = p.table_offset;
    record.outside_value = p.outside_value;
    if (is_memoryless(p)) {
      record.states = 1;
      break;
    }
    record.states = p.states;
    record.start = p.start;
    record.flags = WrittenRecord::kEndActions |
                   (labelled_end(p) >= 0 ? WrittenRecord::kLabelValues : 0u);
  }
  return record;
}

void write_arrays(Output &out, const Property &p) noexcept {
  const WrittenRecord record = record_of(p);
  const std::int64_t m = p.labels;
  switch (record.kind) {
  case WrittenRecord::kPositionLabel:
  case WrittenRecord::kTokenLabel:
    for (std::int64_t y = 0; y < m; ++y) // the kind of label y, which fires at class 1
      out.put(action_of(p, p.actions[m + y]));
    break;
  case WrittenRecord::kLocal:
    for (std::int64_t i = 0; i < p.classes * m * (m + 1); ++i)
      out.put(action_of(p, p.local_actions[i]));
    break;
  default: {
    const std::int64_t cells = std::int64_t{record.states} * p.classes * m;
    for (std::int64_t i = 0; i < cells; ++i)
      out.put(p.next[i]);
    for (std::int64_t i = 0; i < cells; ++i)
      out.put(action_of(p, p.actions[i]));
    if ((record.flags & WrittenRecord::kEndActions) != 0)
      for (std::int32_t s = 0; s < p.states; ++s)
        out.put(end_action(p, s));
    if ((record.flags & WrittenRecord::kLabelValues) != 0) {
      const std::int32_t *row = p.end_actions + labelled_end(p) * (m + 1);
      for (std::int64_t y = 0; y < m; ++y)
        out.put(action_of(p, row[y]));
    }
  }
  }
}

} // namespace chorale
