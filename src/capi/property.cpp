// Exported C functions of property.h and experimental.h on properties: from tables, references and
// sizes. The ready-made properties are in ready_made.cpp; dictionaries and the values of labellings
// in dictionary.cpp.
#include "property/property.hpp"
#include "capi/firewall.hpp"

using namespace chorale;

extern "C" {

chorale_status chorale_property_create(const chorale_host *host, const chorale_automaton *automaton,
                                       chorale_property **property, chorale_error *error) {
  return creating(error, host, "property", property, [&](Report &report, const Memory &memory) {
    chorale_automaton given{};
    CHORALE_CHECK(take_struct(report, "automaton", automaton, given));
    AutomatonSpec spec{given.labels, given.classes, given.states, given.values};
    spec.start = given.start;
    spec.table_offset = given.table_offset;
    CHORALE_CHECK(check_flag(report, given.fires_outside, "automaton->fires_outside"));
    if (given.fires_outside != 0)
      spec.outside_value = given.outside_value;
    spec.next = given.next;
    spec.actions = given.actions;
    spec.end_actions = given.end_actions;
    spec.label_values = given.label_values;
    return create_property(report, memory, spec, *property);
  });
}

chorale_status chorale_property_create_local(const chorale_host *host, int64_t labels,
                                             int64_t classes, int64_t values,
                                             const int32_t *actions, const int32_t *label_values,
                                             chorale_property **property, chorale_error *error) {
  return creating(error, host, "property", property, [&](Report &report, const Memory &memory) {
    AutomatonSpec spec{labels, classes, 1, values};
    spec.local_actions = actions;
    spec.label_values = label_values;
    return create_local_property(report, memory, spec, *property);
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

} // extern "C"
