// property.hpp explains the words used here.
#include "property/property.hpp"

#include "base/workspace.hpp"
#include "property/checks.hpp"

#include <algorithm>

namespace chorale {
namespace {

constexpr std::size_t size(std::int64_t n) noexcept { return static_cast<std::size_t>(n); }
constexpr std::int32_t narrow(std::int64_t n) noexcept { return static_cast<std::int32_t>(n); }

// Returns `action` or, if it is FIRE_LABEL, the constant that `label` fires.
std::int32_t resolve(const AutomatonSpec &source, std::int32_t action,
                     std::int32_t label) noexcept {
  if (action != CHORALE_FIRE_LABEL)
    return action;
  return source.label_values ? source.label_values[label] : label;
}

std::int32_t action_at(const AutomatonSpec &source, std::int64_t cell,
                       std::int32_t label) noexcept {
  return source.actions ? resolve(source, source.actions[cell * source.labels + label], label)
                        : CHORALE_FIRE_NOTHING;
}

// Returns the action of `state` at the end of a chain whose last label is `label`. Label -1 stands
// for the empty chain, which has no last position, so that only constants fire there.
std::int32_t end_action_at(const AutomatonSpec &source, std::int32_t state,
                           std::int32_t label) noexcept {
  const std::int32_t action = source.end_actions ? source.end_actions[state] : CHORALE_FIRE_NOTHING;
  if (label < 0 && action < 0)
    return CHORALE_FIRE_NOTHING;
  return resolve(source, action, label);
}

bool fires_anything(const AutomatonSpec &source, std::int32_t state) noexcept {
  for (std::int64_t c = 0; c < source.classes; ++c)
    for (std::int32_t y = 0; y < source.labels; ++y)
      if (action_at(source, std::int64_t{state} * source.classes + c, y) != CHORALE_FIRE_NOTHING)
        return true;
  for (std::int32_t y = -1; y < source.labels; ++y)
    if (end_action_at(source, state, y) != CHORALE_FIRE_NOTHING)
      return true;
  return false;
}

// Writes to number[s] the new number of state s. States from which something can still fire get the
// numbers 0, 1, .. in their old order. All other states get the number after these, which is the
// number of the dead state. Returns the number of the dead state.
std::int32_t number_states(const AutomatonSpec &source, std::int32_t *number) noexcept {
  const std::int64_t width = std::int64_t{source.classes} * source.labels;
  for (std::int32_t s = 0; s < source.states; ++s)
    number[s] = fires_anything(source, s) ? 1 : 0;
  for (bool grown = true; grown;) {
    grown = false;
    for (std::int32_t s = 0; s < source.states; ++s)
      for (std::int64_t i = 0; number[s] == 0 && i < width; ++i)
        if (number[source.next[s * width + i]] != 0) {
          number[s] = 1;
          grown = true;
        }
  }
  std::int32_t live = 0;
  for (std::int32_t s = 0; s < source.states; ++s)
    live += number[s];
  std::int32_t count = 0;
  for (std::int32_t s = 0; s < source.states; ++s)
    number[s] = number[s] != 0 ? count++ : live;
  return live;
}

// True if compile() derives local_actions: if there is one state, so that actions do not depend on
// the labels before, and nothing that a local property cannot have (an end action, a table offset).
bool is_memoryless(const AutomatonSpec &source) noexcept {
  return source.states == 1 && source.table_offset == 0 && !source.end_actions;
}

// The tables of a property, which a Compiler fills.
struct Tables {
  std::int32_t *next;
  std::int32_t *actions;
  std::int32_t *end_actions;
  std::int32_t *local_actions;
};

// Writes an automaton to a property: numbers its states anew, copies its tables, and replaces the
// values that actions fire by indices into Property::constants.
class Compiler {
public:
  Compiler(Property &property, const AutomatonSpec &source) noexcept
      : property_(property), source_(source) {}

  bool run() noexcept {
    const Block numbering(property_.memory, size(source_.states) * sizeof(std::int32_t));
    if (!numbering)
      return false;
    number_ = reinterpret_cast<std::int32_t *>(numbering.data());
    property_.labels = narrow(source_.labels);
    property_.classes = narrow(source_.classes);
    property_.values = narrow(source_.values);
    property_.table_offset = source_.table_offset;
    property_.outside_value = source_.outside_value;
    property_.states = number_states(source_, number_) + 1;
    property_.start = number_[source_.start];

    Layout measure;
    place(measure);
    if (measure.bytes() == SIZE_MAX)
      return false;
    property_.storage = Block(property_.memory, measure.bytes());
    if (!property_.storage)
      return false;
    Layout layout(property_.storage.data());
    place(layout);
    write_actions();
    collect_constants();
    return true;
  }

private:
  void place(Layout &layout) noexcept {
    const std::size_t m = size(source_.labels);
    const std::size_t states = size(property_.states);
    const bool local = source_.local_actions || is_memoryless(source_);
    local_count_ = local ? saturating_product(size(source_.classes) * m, m + 1) : 0;
    table_count_ = saturating_product(states * size(source_.classes), m);
    end_count_ = states * (m + 1);
    tables_.next = layout.take<std::int32_t>(table_count_);
    tables_.actions = layout.take<std::int32_t>(table_count_);
    tables_.end_actions = layout.take<std::int32_t>(end_count_);
    tables_.local_actions = local ? layout.take<std::int32_t>(local_count_) : nullptr;
    constants_ = layout.take<std::int32_t>(
        saturating_sum(saturating_sum(table_count_, end_count_), local_count_));
    property_.next = tables_.next;
    property_.actions = tables_.actions;
    property_.end_actions = tables_.end_actions;
    property_.local_actions = tables_.local_actions;
  }

  // Fills the tables, with the new numbers of states. An action that fires a constant is still
  // the constant itself, not its index (see collect_constants()).
  void write_actions() noexcept {
    const std::int32_t m = property_.labels;
    const std::int64_t width = std::int64_t{source_.classes} * m;
    const std::int32_t dead = property_.dead();
    std::fill_n(tables_.next, table_count_, dead);
    std::fill_n(tables_.actions, table_count_, CHORALE_FIRE_NOTHING);
    std::fill_n(tables_.end_actions, end_count_, CHORALE_FIRE_NOTHING);
    for (std::int32_t s = 0; s < source_.states; ++s) {
      const std::int32_t to = number_[s];
      if (to == dead)
        continue;
      for (std::int64_t c = 0; c < source_.classes; ++c)
        for (std::int32_t y = 0; y < m; ++y) {
          tables_.next[to * width + c * m + y] = number_[source_.next[s * width + c * m + y]];
          tables_.actions[to * width + c * m + y] =
              action_at(source_, std::int64_t{s} * source_.classes + c, y);
        }
      for (std::int32_t y = 0; y < m; ++y)
        tables_.end_actions[std::int64_t{to} * (m + 1) + y] = end_action_at(source_, s, y);
      tables_.end_actions[std::int64_t{to} * (m + 1) + m] = end_action_at(source_, s, -1);
    }
    if (!tables_.local_actions)
      return;
    std::int32_t *out = tables_.local_actions;
    const std::int32_t *from = source_.local_actions;
    for (std::int64_t c = 0; c < source_.classes; ++c)
      for (std::int32_t y = 0; y < m; ++y)
        for (std::int32_t parent = 0; parent <= m; ++parent)
          *out++ = from ? resolve(source_, *from++, y) : action_at(source_, c, y);
  }

  // Collects the distinct constants, sorted, and replaces them in the tables by their indices. Also
  // sets fires_table and fires_at_end.
  void collect_constants() noexcept {
    std::int32_t *end = constants_;
    const auto gather = [&](const std::int32_t *from, std::size_t count) {
      for (std::size_t i = 0; i < count; ++i) {
        if (from[i] >= 0)
          *end++ = from[i];
        property_.fires_table = property_.fires_table || from[i] == CHORALE_FIRE_TABLE;
      }
    };
    gather(tables_.actions, table_count_);
    gather(tables_.end_actions, end_count_);
    gather(tables_.local_actions, local_count_);
    std::sort(constants_, end);
    end = std::unique(constants_, end);
    property_.constants = {constants_, size(end - constants_)};
    property_.fires_at_end = std::any_of(tables_.end_actions, tables_.end_actions + end_count_,
                                         [](std::int32_t action) {
                                           return action != CHORALE_FIRE_NOTHING;
                                         });
    const auto index = [&](std::int32_t *actions, std::size_t count) {
      for (std::size_t i = 0; i < count; ++i)
        if (actions[i] >= 0)
          actions[i] =
              static_cast<std::int32_t>(std::lower_bound(constants_, end, actions[i]) - constants_);
    };
    index(tables_.actions, table_count_);
    index(tables_.end_actions, end_count_);
    index(tables_.local_actions, local_count_);
  }

  Property &property_;
  const AutomatonSpec &source_;
  std::int32_t *number_ = nullptr;
  Tables tables_{};
  std::size_t table_count_ = 0;
  std::size_t end_count_ = 0;
  std::size_t local_count_ = 0;
  std::int32_t *constants_ = nullptr;
};

} // namespace

Property *compile(const Memory &memory, const AutomatonSpec &automaton) noexcept {
  Held<Property> property(memory.create<Property>(memory));
  return property && Compiler(*property, automaton).run() ? property.give() : nullptr;
}

chorale_status create_property(const Report &report, const Memory &memory,
                               const AutomatonSpec &automaton, Property *&made) noexcept {
  const auto fail_state = [&](const auto &...place) {
    return report.fail(CHORALE_ERROR_OUT_OF_RANGE, place..., "; it must be a state, 0 to ",
                       automaton.states - 1);
  };
  const std::int64_t values = automaton.values;
  CHORALE_CHECK(check_table_size(report, automaton.states, automaton.classes, automaton.labels));
  CHORALE_CHECK(check_values(report, values));
  CHORALE_CHECK(check_given(report, "automaton->next", automaton.next));
  if (automaton.start < 0 || automaton.start >= automaton.states)
    return fail_state("automaton->start is ", automaton.start);
  const std::size_t count = size(automaton.states * automaton.classes * automaton.labels);
  for (std::size_t i = 0; i < count; ++i)
    if (automaton.next[i] < 0 || automaton.next[i] >= automaton.states)
      return fail_state("automaton->next[", i, "] is ", automaton.next[i]);
  const auto actions = span_of(automaton.actions, static_cast<std::int64_t>(count));
  const auto end_actions = span_of(automaton.end_actions, automaton.states);
  CHORALE_CHECK(check_actions(report, "automaton->actions", actions, values));
  CHORALE_CHECK(check_actions(report, "automaton->end_actions", end_actions, values));
  CHORALE_CHECK(check_label_values(report, fires_label(actions) || fires_label(end_actions),
                                   span_of(automaton.label_values, automaton.labels),
                                   automaton.labels, values));
  CHORALE_CHECK(check_fired(report, automaton.outside_value, values, "outside_value"));
  return hand_over(report, compile(memory, automaton), made);
}

chorale_status create_local_property(const Report &report, const Memory &memory,
                                     AutomatonSpec local, Property *&made) noexcept {
  CHORALE_CHECK(check_size(report, "labels", local.labels));
  if (local.labels == kLargestSize)
    return report.fail(CHORALE_ERROR_SIZE_OVERFLOW, "labels is ", local.labels,
                       "; it must be less than ", kLargestSize);
  CHORALE_CHECK(check_table_size(report, local.labels + 1, local.classes, local.labels));
  CHORALE_CHECK(check_values(report, local.values));
  CHORALE_CHECK(check_given(report, "actions", local.local_actions));
  const std::int32_t m = narrow(local.labels);
  const std::size_t count = size(local.classes * m) * (size(m) + 1);
  const gsl::span given(local.local_actions, count);
  CHORALE_CHECK(check_actions(report, "actions", given, local.values));
  CHORALE_CHECK(check_label_values(report, fires_label(given), span_of(local.label_values, m), m,
                                   local.values));
  const Block block(memory, saturating_product(count, 2 * sizeof(std::int32_t)));
  if (!block)
    return hand_over(report, nullptr, made);
  auto *next = reinterpret_cast<std::int32_t *>(block.data());
  std::int32_t *actions = next + count;
  for (std::int32_t before = 0; before <= m; ++before)
    for (std::int64_t c = 0; c < local.classes; ++c)
      for (std::int32_t y = 0; y < m; ++y) {
        const std::int64_t to = (before * local.classes + c) * m + y;
        next[to] = y;
        actions[to] = local.local_actions[(c * m + y) * (m + 1) + before];
      }
  local.states = m + 1;
  local.start = m;
  local.next = next;
  local.actions = actions;
  return hand_over(report, compile(memory, local), made);
}

} // namespace chorale
