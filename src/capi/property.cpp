// extern "C" of property.h: properties and their builder. Dictionaries and what a labelling shows
// are in dictionary.cpp.
#include "capi/label_names.hpp"
#include "property/builder.hpp"
#include "property/ready_made.hpp"

#include <gsl/gsl>

namespace chorale {
namespace {

constexpr std::int64_t kMostValues = INT32_MAX - 2;

chorale_status check_values(const Report &report, std::int64_t values) noexcept {
  CHORALE_CHECK(check_size(report, "values", values));
  if (values > kMostValues)
    return report.fail(CHORALE_ERROR_SIZE_OVERFLOW, "values is ", values, "; it must be at most ",
                       kMostValues);
  return CHORALE_OK;
}

// Tables are indexed by 32 bits.
chorale_status check_table_size(const Report &report, std::int64_t states, std::int64_t classes,
                                std::int64_t labels) noexcept {
  CHORALE_CHECK(check_size(report, "labels", labels));
  CHORALE_CHECK(check_size(report, "classes", classes));
  CHORALE_CHECK(check_size(report, "states", states));
  if (classes > kLargestSize / labels || states > kLargestSize / (classes * labels))
    return report.fail(CHORALE_ERROR_SIZE_OVERFLOW, "states x classes x labels = ", states, " x ",
                       classes, " x ", labels, "; it must be at most ", kLargestSize);
  return CHORALE_OK;
}

chorale_status check_fired(const Report &report, std::string_view name, std::int64_t at,
                           std::int32_t value, std::int64_t values) noexcept {
  if (value >= -1 && value < values)
    return CHORALE_OK;
  return report.fail(CHORALE_ERROR_VALUE_OUTSIDE_RANGE, name, "[", at, "] is ", value,
                     "; it must be -1 or a value, 0 to ", values - 1);
}

chorale_status check_action(const Report &report, std::string_view name, std::int64_t at,
                            std::int32_t action, std::int64_t values) noexcept {
  if (action < CHORALE_FIRE_TABLE)
    return report.fail(CHORALE_ERROR_UNKNOWN_CONSTANT, name, "[", at, "] is ", action,
                       "; it must be a value or a CHORALE_FIRE_ constant");
  return action < 0 ? CHORALE_OK : check_fired(report, name, at, action, values);
}

chorale_status check_actions(const Report &report, std::string_view name,
                             const std::int32_t *actions, std::int64_t count,
                             std::int64_t values) noexcept {
  for (std::int64_t i = 0; actions && i < count; ++i)
    CHORALE_CHECK(check_action(report, name, i, actions[i], values));
  return CHORALE_OK;
}

bool fires_label(const std::int32_t *actions, std::int64_t count) noexcept {
  return actions && std::find(actions, actions + count, CHORALE_FIRE_LABEL) != actions + count;
}

// What LABEL fires must be values, wherever it can fire.
chorale_status check_label_values(const Report &report, bool used, const std::int32_t *label_values,
                                  std::int64_t labels, std::int64_t values) noexcept {
  if (label_values)
    for (std::int64_t y = 0; y < labels; ++y)
      CHORALE_CHECK(check_fired(report, "label_values", y, label_values[y], values));
  else if (used && labels > values)
    return report.fail(CHORALE_ERROR_VALUE_OUTSIDE_RANGE, "FIRE_LABEL can fire the label ",
                       labels - 1, " without label_values; it must be a value, 0 to ", values - 1);
  return CHORALE_OK;
}

chorale_status check_outside(const Report &report, std::int32_t value,
                             std::int64_t values) noexcept {
  if (value >= -1 && value < values)
    return CHORALE_OK;
  return report.fail(CHORALE_ERROR_VALUE_OUTSIDE_RANGE, "outside_value is ", value,
                     "; it must be -1 or a value, 0 to ", values - 1);
}

chorale_status hand_over(const Report &report, chorale_property *made,
                         chorale_property **property) noexcept {
  if (!made)
    return report.fail(CHORALE_ERROR_OUT_OF_MEMORY, "the allocator gave no memory for a property");
  *property = made;
  return CHORALE_OK;
}

// What the ready-made properties share.
class ReadyMade {
public:
  ReadyMade(const Report &report, const chorale_host *host, const chorale_label_map *map,
            const std::uint8_t *ignored, chorale_property **property) noexcept
      : report_(report), host_(host), map_(map), ignored_(ignored), property_(property) {}

  LabelKinds kinds{};
  Memory memory;

  chorale_status take() noexcept {
    if (!property_)
      return report_.null_argument("property");
    chorale_host lent{};
    CHORALE_CHECK(read_host(report_, host_, lent));
    memory = Memory(&lent);
    if (!map_)
      return report_.null_argument("map");
    chorale_label_map map{};
    CHORALE_CHECK(read_struct(report_, "map", map_, sizeof map, map));
    CHORALE_CHECK(check_size(report_, "map->labels", map.labels));
    CHORALE_CHECK(check_values(report_, map.kinds));
    CHORALE_CHECK(check_table_size(report_, 3, 2, map.labels));
    if (!map.kind_of_label && map.kinds != map.labels)
      return report_.fail(CHORALE_ERROR_SHAPE, "map->kinds is ", map.kinds,
                          "; without kind_of_label it must be map->labels = ", map.labels);
    for (std::int64_t y = 0; map.kind_of_label && y < map.labels; ++y)
      if (map.kind_of_label[y] < 0 || map.kind_of_label[y] >= map.kinds)
        return report_.fail(CHORALE_ERROR_OUT_OF_RANGE, "map->kind_of_label[", y, "] is ",
                            map.kind_of_label[y], "; it must be from 0 to ", map.kinds - 1);
    kinds = {gsl::narrow_cast<std::int32_t>(map.labels), gsl::narrow_cast<std::int32_t>(map.kinds),
             map.kind_of_label, map.begins, ignored_};
    return CHORALE_OK;
  }
  chorale_status take_anchor(std::int32_t anchor, chorale_segment_rule rule) const noexcept {
    if (anchor < 0 || anchor >= kinds.kinds)
      return report_.fail(CHORALE_ERROR_OUT_OF_RANGE, "anchor is ", anchor,
                          "; it must be a kind, 0 to ", kinds.kinds - 1);
    if (rule != CHORALE_SEGMENT_SPANS_IGNORED && rule != CHORALE_SEGMENT_ENDS_AT_IGNORED)
      return report_.unknown_constant("rule", rule, "a CHORALE_SEGMENT_ constant");
    return CHORALE_OK;
  }
  chorale_status give(chorale_property *made) const noexcept {
    return hand_over(report_, made, property_);
  }

private:
  const Report &report_;
  const chorale_host *host_;
  const chorale_label_map *map_;
  const std::uint8_t *ignored_;
  chorale_property **property_;
};

// A rule's place: one index, or all of them.
struct Range {
  std::int32_t begin;
  std::int32_t end;
};

chorale_status take_range(const Report &report, std::string_view name, std::int32_t given,
                          std::int32_t count, Range &range) noexcept {
  if (given < CHORALE_ANY || given >= count)
    return report.fail(CHORALE_ERROR_OUT_OF_RANGE, name, " is ", given, "; it must be from 0 to ",
                       count - 1, ", or CHORALE_ANY");
  range = given == CHORALE_ANY ? Range{0, count} : Range{given, given + 1};
  return CHORALE_OK;
}

} // namespace
} // namespace chorale

using namespace chorale;

extern "C" {

void chorale_automaton_init(chorale_automaton *automaton, size_t struct_size) {
  chorale_automaton defaults{};
  defaults.outside_value = -1;
  init_struct(automaton, struct_size, defaults);
}

chorale_status chorale_property_create(const chorale_host *host, const chorale_automaton *automaton,
                                       chorale_property **property, chorale_error *error) {
  return guarded(error, [&](Report &report) -> chorale_status {
    if (!property)
      return report.null_argument("property");
    chorale_host lent{};
    CHORALE_CHECK(read_host(report, host, lent));
    if (!automaton)
      return report.null_argument("automaton");
    chorale_automaton given{};
    CHORALE_CHECK(read_struct(report, "automaton", automaton, sizeof given, given));
    CHORALE_CHECK(check_table_size(report, given.states, given.classes, given.labels));
    CHORALE_CHECK(check_values(report, given.values));
    if (!given.next)
      return report.null_argument("automaton->next");
    if (given.start < 0 || given.start >= given.states)
      return report.fail(CHORALE_ERROR_OUT_OF_RANGE, "automaton->start is ", given.start,
                         "; it must be a state, 0 to ", given.states - 1);
    const std::int64_t count = given.states * given.classes * given.labels;
    for (std::int64_t i = 0; i < count; ++i)
      if (given.next[i] < 0 || given.next[i] >= given.states)
        return report.fail(CHORALE_ERROR_OUT_OF_RANGE, "automaton->next[", i, "] is ",
                           given.next[i], "; it must be a state, 0 to ", given.states - 1);
    CHORALE_CHECK(check_actions(report, "automaton->actions", given.actions, count, given.values));
    CHORALE_CHECK(check_actions(report, "automaton->end_actions", given.end_actions, given.states,
                                given.values));
    CHORALE_CHECK(check_label_values(
        report, fires_label(given.actions, count) || fires_label(given.end_actions, given.states),
        given.label_values, given.labels, given.values));
    CHORALE_CHECK(check_outside(report, given.outside_value, given.values));

    AutomatonSource source{
        gsl::narrow_cast<std::int32_t>(given.labels), gsl::narrow_cast<std::int32_t>(given.classes),
        gsl::narrow_cast<std::int32_t>(given.states), gsl::narrow_cast<std::int32_t>(given.values)};
    source.start = given.start;
    source.table_offset = given.table_offset;
    source.outside_value = given.outside_value;
    source.next = given.next;
    source.actions = given.actions;
    source.end_actions = given.end_actions;
    source.label_values = given.label_values;
    return hand_over(report, compile(Memory(&lent), source), property);
  });
}

chorale_status chorale_property_create_local(const chorale_host *host, int64_t labels,
                                             int64_t classes, int64_t values,
                                             const int32_t *actions, const int32_t *label_values,
                                             chorale_property **property, chorale_error *error) {
  return guarded(error, [&](Report &report) -> chorale_status {
    if (!property)
      return report.null_argument("property");
    chorale_host lent{};
    CHORALE_CHECK(read_host(report, host, lent));
    CHORALE_CHECK(check_size(report, "labels", labels));
    if (labels == kLargestSize)
      return report.fail(CHORALE_ERROR_SIZE_OVERFLOW, "labels is ", labels,
                         "; it must be less than ", kLargestSize);
    CHORALE_CHECK(check_table_size(report, labels + 1, classes, labels));
    CHORALE_CHECK(check_values(report, values));
    if (!actions)
      return report.null_argument("actions");
    const std::int64_t count = classes * labels * (labels + 1);
    CHORALE_CHECK(check_actions(report, "actions", actions, count, values));
    CHORALE_CHECK(
        check_label_values(report, fires_label(actions, count), label_values, labels, values));
    AutomatonSource source{gsl::narrow_cast<std::int32_t>(labels),
                           gsl::narrow_cast<std::int32_t>(classes), 1,
                           gsl::narrow_cast<std::int32_t>(values)};
    source.local_actions = actions;
    source.label_values = label_values;
    return hand_over(report, compile_local(Memory(&lent), source), property);
  });
}

chorale_property *chorale_property_retain(const chorale_property *property) {
  if (!property)
    return nullptr;
  property->references.fetch_add(1, std::memory_order_relaxed);
  return const_cast<chorale_property *>(property);
}

void chorale_property_release(const chorale_property *property) {
  if (!property || property->references.fetch_sub(1, std::memory_order_acq_rel) != 1)
    return;
  Memory::destroy(const_cast<chorale_property *>(property), property->memory);
}

int64_t chorale_property_values(const chorale_property *property) {
  return property ? property->values : 0;
}

int64_t chorale_property_labels(const chorale_property *property) {
  return property ? property->labels : 0;
}

// ---- Builder -----------------------------------------------------------------------------------

chorale_status chorale_property_builder_create(const chorale_host *host, int64_t labels,
                                               int64_t classes, int64_t values,
                                               chorale_property_builder **builder,
                                               chorale_error *error) {
  return guarded(error, [&](Report &report) -> chorale_status {
    if (!builder)
      return report.null_argument("builder");
    chorale_host lent{};
    CHORALE_CHECK(read_host(report, host, lent));
    CHORALE_CHECK(check_table_size(report, 1, classes, labels));
    CHORALE_CHECK(check_values(report, values));
    const Memory memory(&lent);
    auto *made = memory.create<chorale_property_builder>(memory);
    if (!made)
      return report.out_of_memory(sizeof(chorale_property_builder));
    made->labels = gsl::narrow_cast<std::int32_t>(labels);
    made->classes = gsl::narrow_cast<std::int32_t>(classes);
    made->values = gsl::narrow_cast<std::int32_t>(values);
    if (!made->add_state()) {
      Memory::destroy(made, memory);
      return report.fail(CHORALE_ERROR_OUT_OF_MEMORY,
                         "the allocator gave no memory for the first state");
    }
    *builder = made;
    return CHORALE_OK;
  });
}

void chorale_property_builder_destroy(chorale_property_builder *builder) {
  if (builder)
    Memory::destroy(builder, builder->memory);
}

chorale_status chorale_property_builder_add_state(chorale_property_builder *builder, int32_t *state,
                                                  chorale_error *error) {
  return guarded(error, [&](Report &report) -> chorale_status {
    if (!builder)
      return report.null_argument("builder");
    if (!state)
      return report.null_argument("state");
    CHORALE_CHECK(check_table_size(report, std::int64_t{builder->states} + 1, builder->classes,
                                   builder->labels));
    if (!builder->add_state())
      return report.fail(CHORALE_ERROR_OUT_OF_MEMORY, "the allocator gave no memory for a state");
    *state = builder->states - 1;
    return CHORALE_OK;
  });
}

chorale_status chorale_property_builder_rule(chorale_property_builder *builder, int32_t state,
                                             int32_t position_class, int32_t label, int32_t next,
                                             chorale_action action, chorale_error *error) {
  return guarded(error, [&](Report &report) -> chorale_status {
    if (!builder)
      return report.null_argument("builder");
    Range states{};
    Range classes{};
    Range labels{};
    Range to{};
    CHORALE_CHECK(take_range(report, "state", state, builder->states, states));
    CHORALE_CHECK(take_range(report, "position_class", position_class, builder->classes, classes));
    CHORALE_CHECK(take_range(report, "label", label, builder->labels, labels));
    CHORALE_CHECK(take_range(report, "next", next, builder->states, to));
    CHORALE_CHECK(check_action(report, "action", 0, action, builder->values));
    for (std::int32_t s = states.begin; s < states.end; ++s)
      for (std::int32_t c = classes.begin; c < classes.end; ++c)
        for (std::int32_t y = labels.begin; y < labels.end; ++y) {
          const std::int64_t at = std::int64_t{c} * builder->labels + y;
          builder->cells(s)[at] = next == CHORALE_ANY ? s : next;
          builder->cells(s)[builder->half() + at] = action;
        }
    return CHORALE_OK;
  });
}

chorale_status chorale_property_builder_end_rule(chorale_property_builder *builder, int32_t state,
                                                 chorale_action action, chorale_error *error) {
  return guarded(error, [&](Report &report) -> chorale_status {
    if (!builder)
      return report.null_argument("builder");
    Range states{};
    CHORALE_CHECK(take_range(report, "state", state, builder->states, states));
    CHORALE_CHECK(check_action(report, "action", 0, action, builder->values));
    for (std::int32_t s = states.begin; s < states.end; ++s)
      builder->cells(s)[2 * builder->half()] = action;
    return CHORALE_OK;
  });
}

chorale_status chorale_property_builder_table(chorale_property_builder *builder,
                                              int32_t table_offset, int32_t outside_value,
                                              chorale_error *error) {
  return guarded(error, [&](Report &report) -> chorale_status {
    if (!builder)
      return report.null_argument("builder");
    CHORALE_CHECK(check_outside(report, outside_value, builder->values));
    builder->table_offset = table_offset;
    builder->outside_value = outside_value;
    return CHORALE_OK;
  });
}

chorale_status chorale_property_builder_finish(const chorale_property_builder *builder,
                                               const int32_t *label_values,
                                               chorale_property **property, chorale_error *error) {
  return guarded(error, [&](Report &report) -> chorale_status {
    if (!builder)
      return report.null_argument("builder");
    if (!property)
      return report.null_argument("property");
    bool used = false;
    for (std::int32_t s = 0; s < builder->states; ++s)
      used = used || fires_label(builder->cells(s) + builder->half(), builder->half() + 1);
    CHORALE_CHECK(check_label_values(report, used, label_values, builder->labels, builder->values));
    return hand_over(report, builder->compile(label_values), property);
  });
}

// ---- Ready-made --------------------------------------------------------------------------------

void chorale_label_map_init(chorale_label_map *map, size_t struct_size) {
  init_struct(map, struct_size, chorale_label_map{});
}

chorale_status chorale_label_map_from_names(chorale_scheme scheme, const char *const *names,
                                            const size_t *lengths, int64_t labels,
                                            int32_t *kind_of_label, uint8_t *begins, int64_t *kinds,
                                            chorale_error *error) {
  return guarded(error, [&](Report &report) -> chorale_status {
    const LabelNames given{scheme, names, lengths, labels};
    CHORALE_CHECK(check_names(report, given));
    if (!kind_of_label)
      return report.null_argument("kind_of_label");
    if (!begins)
      return report.null_argument("begins");
    if (!kinds)
      return report.null_argument("kinds");
    std::int32_t count = 0;
    for (std::int64_t y = 0; y < labels; ++y) {
      const LabelName name = given.at(y);
      begins[y] = always_begins(name) ? 1 : 0;
      kind_of_label[y] = -1;
      // "O" is a kind of its own, even beside a kind of that name.
      for (std::int64_t z = 0; z < y && kind_of_label[y] < 0; ++z)
        if (const LabelName other = given.at(z);
            other.kind == name.kind &&
            (other.part == Part::outside) == (name.part == Part::outside))
          kind_of_label[y] = kind_of_label[z];
      if (kind_of_label[y] < 0)
        kind_of_label[y] = count++;
    }
    *kinds = count;
    return CHORALE_OK;
  });
}

chorale_status chorale_property_create_position_label(const chorale_host *host,
                                                      const chorale_label_map *map,
                                                      int64_t position, chorale_property **property,
                                                      chorale_error *error) {
  return guarded(error, [&](Report &report) -> chorale_status {
    ReadyMade ready(report, host, map, nullptr, property);
    CHORALE_CHECK(ready.take());
    CHORALE_CHECK(check_size(report, "position", position, 0));
    return ready.give(
        make_position_label(ready.memory, ready.kinds, gsl::narrow_cast<std::int32_t>(position)));
  });
}

chorale_status chorale_property_create_token_label(const chorale_host *host,
                                                   const chorale_label_map *map, int32_t token,
                                                   chorale_property **property,
                                                   chorale_error *error) {
  return guarded(error, [&](Report &report) -> chorale_status {
    ReadyMade ready(report, host, map, nullptr, property);
    CHORALE_CHECK(ready.take());
    if (token < 0)
      return report.fail(CHORALE_ERROR_OUT_OF_RANGE, "token is ", token, "; it must be at least 0");
    return ready.give(make_token_label(ready.memory, ready.kinds, token));
  });
}

chorale_status chorale_property_create_first_label(const chorale_host *host,
                                                   const chorale_label_map *map,
                                                   const uint8_t *ignored,
                                                   chorale_property **property,
                                                   chorale_error *error) {
  return guarded(error, [&](Report &report) -> chorale_status {
    ReadyMade ready(report, host, map, ignored, property);
    CHORALE_CHECK(ready.take());
    return ready.give(make_first_label(ready.memory, ready.kinds));
  });
}

chorale_status chorale_property_create_next_label(const chorale_host *host,
                                                  const chorale_label_map *map, int32_t anchor,
                                                  const uint8_t *ignored, chorale_segment_rule rule,
                                                  int32_t end_value, chorale_property **property,
                                                  chorale_error *error) {
  return guarded(error, [&](Report &report) -> chorale_status {
    ReadyMade ready(report, host, map, ignored, property);
    CHORALE_CHECK(ready.take());
    CHORALE_CHECK(ready.take_anchor(anchor, rule));
    if (end_value < -1 || end_value >= kMostValues)
      return report.fail(CHORALE_ERROR_OUT_OF_RANGE, "end_value is ", end_value,
                         "; it must be from -1 to ", kMostValues - 1);
    return ready.give(make_next_label(ready.memory, ready.kinds, anchor, rule, end_value));
  });
}

chorale_status
chorale_property_create_token_before(const chorale_host *host, const chorale_label_map *map,
                                     int32_t anchor, const uint8_t *ignored,
                                     chorale_segment_rule rule, int64_t values, int32_t start_value,
                                     chorale_property **property, chorale_error *error) {
  return guarded(error, [&](Report &report) -> chorale_status {
    ReadyMade ready(report, host, map, ignored, property);
    CHORALE_CHECK(ready.take());
    CHORALE_CHECK(ready.take_anchor(anchor, rule));
    CHORALE_CHECK(check_values(report, values));
    if (start_value < -1 || start_value >= values)
      return report.fail(CHORALE_ERROR_VALUE_OUTSIDE_RANGE, "start_value is ", start_value,
                         "; it must be -1 or a value, 0 to ", values - 1);
    return ready.give(make_token_before(ready.memory, ready.kinds, anchor, rule,
                                        gsl::narrow_cast<std::int32_t>(values), start_value));
  });
}

} // extern "C"
