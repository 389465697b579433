// A property attached to one chain or tree: finds the values that a labelling fires.
//
// A property is an automaton (property.hpp). At some positions, or at the end of a chain, it
// *fires* a value: a constant, or the entry of a table. Its value on a labelling is EMPTY if
// nothing fires, v if every fired value is v, and CONFLICT if two fired values differ. A clique may
// number the values by a dictionary (dictionary.hpp).
#pragma once

#include "base/span.hpp"
#include "property/dictionary.hpp"
#include "property/property.hpp"

namespace chorale {

// A property with its arrays for a chain or tree of `length` positions. The arrays have been
// checked: they are present and in range wherever the property reads them. `classes` (position
// classes) and `table` (values to fire, or tokens) have `length` entries. `message` has values() +
// 2 entries: a score for each value, EMPTY and CONFLICT.
struct Attached {
  const Property *property;
  const Dictionary *dictionary; // or NULL
  const std::int32_t *classes;  // or NULL
  const std::int32_t *table;    // or NULL
  const double *message;        // or NULL
  std::int32_t length;

  std::int32_t values() const noexcept {
    return dictionary ? dictionary->size() : property->values;
  }
  std::int32_t class_at(std::int32_t t) const noexcept {
    if (property->position >= 0)
      return t == property->position ? 1 : 0;
    if (property->token >= 0)
      return table[t] == property->token ? 1 : 0;
    return classes ? classes[t] : 0;
  }
  // Returns the value that the action FIRE_TABLE fires at position t, or -1 for none.
  std::int32_t table_value(std::int32_t t) const noexcept {
    const std::int64_t at = std::int64_t{t} + property->table_offset;
    return at >= 0 && at < length ? table[at] : property->outside_value;
  }
  // Returns the number that the clique gives to a value of the property. If the dictionary lacks
  // the value: the number of UNLISTED, or -1 without UNLISTED.
  std::int32_t number(std::int32_t value) const noexcept {
    return dictionary ? dictionary->find(value) : value;
  }
  // Returns the value that `action`, an entry of the property's tables, fires at position t, or -1
  // for none.
  std::int32_t fired(std::int32_t action, std::int32_t t) const noexcept {
    if (action >= 0)
      return property->constants.data()[action]; // data(), since a check at each position is slow
    return action == CHORALE_FIRE_TABLE ? table_value(t) : -1;
  }

  // Calls `visit` with each value that `labelling` fires, in order. `parents`: empty for a chain.
  template <class Visit>
  void each_firing(gsl::span<const std::int32_t> labelling, gsl::span<const std::int32_t> parents,
                   Visit &&visit) const noexcept {
    Expects(labelling.size() >= to_size(length));
    Expects(!parents.data() || parents.size() >= to_size(length));
    const std::int32_t *labels = labelling.data();
    const std::int32_t *tree = parents.data();
    const std::int32_t m = property->labels;
    std::int32_t state = property->start;
    for (std::int32_t t = 0; t < length; ++t) {
      const std::int32_t y = labels[t];
      std::int32_t action;
      if (tree) {
        const std::int32_t above = tree[t] >= 0 ? labels[tree[t]] : m;
        action = property->local_actions[(std::int64_t{class_at(t)} * m + y) * (m + 1) + above];
      } else {
        const std::int64_t at = property->cell(state, class_at(t)) * m + y;
        action = property->actions[at];
        state = property->next[at];
      }
      if (const std::int32_t value = fired(action, t); value >= 0)
        visit(value);
    }
    if (tree)
      return;
    const std::int32_t last = length > 0 ? labels[length - 1] : m;
    const std::int32_t action = property->end_actions[std::int64_t{state} * (m + 1) + last];
    if (const std::int32_t value = fired(action, length - 1); value >= 0)
      visit(value);
  }

  // Calls `visit` with every value that any labelling may fire, some of them more than once.
  // Includes values that the automaton fires only in states that it cannot reach.
  template <class Visit> void each_possible(bool tree, Visit &&visit) const noexcept {
    const std::int64_t m = property->labels;
    const auto visit_all = [&](gsl::span<const std::int32_t> actions, std::int32_t t) {
      for (const std::int32_t action : actions)
        if (const std::int32_t value = fired(action, t); value >= 0)
          visit(value);
    };
    for (std::int32_t t = 0; t < length; ++t) {
      const std::int32_t position_class = class_at(t);
      if (tree)
        visit_all(span_of(property->local_actions + position_class * m * (m + 1), m * (m + 1)), t);
      for (std::int32_t s = 0; !tree && s < property->states; ++s)
        visit_all(span_of(property->actions + property->cell(s, position_class) * m, m), t);
    }
    if (!tree && property->fires_at_end)
      visit_all(span_of(property->end_actions, property->states * (m + 1)), length - 1);
  }

  // True if `labelling` fires a value for which the dictionary has no number: the dictionary lacks
  // the value and has no UNLISTED.
  bool fires_outside(gsl::span<const std::int32_t> labelling,
                     gsl::span<const std::int32_t> parents) const noexcept {
    if (!dictionary || dictionary->has_unlisted || dictionary->covers_firings)
      return false;
    bool outside = false;
    each_firing(labelling, parents,
                [&](std::int32_t value) { outside = outside || number(value) < 0; });
    return outside;
  }

  // Returns the number that the clique gives to the value of the property on `labelling`: values()
  // for EMPTY, values() + 1 for CONFLICT; -1 if only one value fires and the clique has no number
  // for it. Different values that all have the number of UNLISTED are no conflict.
  std::int32_t evaluate(gsl::span<const std::int32_t> labelling,
                        gsl::span<const std::int32_t> parents) const noexcept {
    std::int32_t first = -1;
    std::int32_t shown = values();
    each_firing(labelling, parents, [&](std::int32_t value) {
      const std::int32_t now = number(value);
      if (first < 0) {
        first = value;
        shown = now;
      } else if (now != shown || (now < 0 && value != first)) {
        shown = values() + 1;
      }
    });
    return shown;
  }
};

} // namespace chorale
