// Properties as what creates the same again.
//
// A compiled property is an automaton whose states are numbered as compiling numbers them, so
// compiling it once more changes nothing. Three things are lost in it and found again here: which
// automata are local, which find their positions themselves, and that at the end a label fires what
// label_values makes of it.
#include "problem/writer.hpp"

namespace chorale {
namespace {

using Record = file::PropertyRecord;

// One state that stays where it is, local by itself: the only other state, if there is one, is
// dead.
bool is_memoryless(const Property &p) noexcept {
  if (!p.is_local() || p.states > 2 || p.start != 0)
    return false;
  const std::int64_t width = std::int64_t{p.classes} * p.labels;
  return std::all_of(p.next, p.next + width, [](std::int32_t next) { return next == 0; });
}

std::int32_t kind_of(const Property &p) noexcept {
  if (p.position >= 0)
    return Record::kPositionLabel;
  if (p.token >= 0)
    return Record::kTokenLabel;
  return p.is_local() && !is_memoryless(p) ? Record::kLocal : Record::kAutomaton;
}

std::int32_t action_of(const Property &p, std::int32_t compiled) noexcept {
  return compiled >= 0 ? p.constants[compiled] : compiled;
}

// At the end of a sequence in `state`, by what each last label fires: column m is the empty chain,
// where constants alone fire.
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

// The first state whose end fires by label, or -1.
std::int32_t labelled_end(const Property &p) noexcept {
  for (std::int32_t s = 0; s < p.states; ++s)
    if (end_action(p, s) == CHORALE_FIRE_LABEL)
      return s;
  return -1;
}

} // namespace

Record record_of(const Property &p) noexcept {
  Record record{};
  record.kind = kind_of(p);
  record.labels = p.labels;
  record.values = p.values;
  record.outside_value = -1;
  switch (record.kind) {
  case Record::kPositionLabel:
  case Record::kTokenLabel:
    record.at = record.kind == Record::kPositionLabel ? p.position : p.token;
    break;
  case Record::kLocal:
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
    record.flags = Record::kEndActions | (labelled_end(p) >= 0 ? Record::kLabelValues : 0u);
  }
  return record;
}

void write_arrays(Output &out, const Property &p) noexcept {
  const Record record = record_of(p);
  const std::int64_t m = p.labels;
  switch (record.kind) {
  case Record::kPositionLabel:
  case Record::kTokenLabel:
    for (std::int64_t y = 0; y < m; ++y) // class 1 of the first state
      out.put(action_of(p, p.actions[m + y]));
    break;
  case Record::kLocal:
    for (std::int64_t i = 0; i < p.classes * m * (m + 1); ++i)
      out.put(action_of(p, p.local_actions[i]));
    break;
  default: {
    const std::int64_t cells = std::int64_t{record.states} * p.classes * m;
    for (std::int64_t i = 0; i < cells; ++i)
      out.put(p.next[i]);
    for (std::int64_t i = 0; i < cells; ++i)
      out.put(action_of(p, p.actions[i]));
    if ((record.flags & Record::kEndActions) != 0)
      for (std::int32_t s = 0; s < p.states; ++s)
        out.put(end_action(p, s));
    if ((record.flags & Record::kLabelValues) != 0) {
      const std::int32_t *row = p.end_actions + labelled_end(p) * (m + 1);
      for (std::int64_t y = 0; y < m; ++y)
        out.put(action_of(p, row[y]));
    }
  }
  }
}

} // namespace chorale
