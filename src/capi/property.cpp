// extern "C" of property.h: properties from tables, and their builder. Ready-made ones are in
// ready_made.cpp; dictionaries, and what a labelling shows, in dictionary.cpp.
#include "capi/property_checks.hpp"
#include "property/builder.hpp"

#include <gsl/gsl>

namespace chorale {
namespace {

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

chorale_automaton default_automaton() noexcept {
  chorale_automaton automaton{};
  automaton.outside_value = -1;
  return automaton;
}

} // namespace
} // namespace chorale

using namespace chorale;

extern "C" {

void chorale_automaton_init(chorale_automaton *automaton, size_t struct_size) {
  init_struct(automaton, struct_size, default_automaton());
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
    chorale_automaton given = default_automaton();
    CHORALE_CHECK(read_struct(report, "automaton", automaton, given));
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
  return retain(property);
}

void chorale_property_release(const chorale_property *property) { release(property); }

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
    report.takes_from(builder->memory);
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
    report.takes_from(builder->memory);
    return hand_over(report, builder->compile(label_values), property);
  });
}

} // extern "C"
