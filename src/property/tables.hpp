// The tables of an automaton, filled transition by transition.
#pragma once

#include "base/array.hpp"
#include "property/property.hpp"

namespace chorale {

// A state leads to itself alone and fires nothing, until set() and set_end() change this.
class AutomatonTables {
public:
  AutomatonTables(const Memory &memory, std::int64_t labels, std::int64_t classes,
                  std::int64_t values) noexcept
      : source{labels, classes, 0, values}, memory_(memory), next_(memory), actions_(memory),
        end_actions_(memory) {}

  // Adds states. False, with no state added, if memory runs out.
  bool add_states(std::int32_t count) noexcept {
    const std::int64_t states = source.states + count;
    const std::int64_t width = source.classes * source.labels; // of one state
    if (!next_.resize(states * width) || !actions_.resize(states * width) ||
        !end_actions_.resize(states))
      return false;
    for (std::int64_t s = source.states; s < states; ++s)
      std::fill_n(next_.begin() + s * width, width, static_cast<std::int32_t>(s));
    std::fill(actions_.begin() + source.states * width, actions_.end(), CHORALE_FIRE_NOTHING);
    std::fill(end_actions_.begin() + source.states, end_actions_.end(), CHORALE_FIRE_NOTHING);
    source.states = states;
    return true;
  }
  void set(std::int32_t state, std::int64_t position_class, std::int64_t label, std::int32_t next,
           std::int32_t action) noexcept {
    const std::int64_t at = (state * source.classes + position_class) * source.labels + label;
    next_[at] = next;
    actions_[at] = action;
  }
  void set_end(std::int32_t state, std::int32_t action) noexcept { end_actions_[state] = action; }
  // True if `action` is the action of some transition, or of some state at the end.
  bool fires(std::int32_t action) const noexcept {
    return std::find(actions_.begin(), actions_.end(), action) != actions_.end() ||
           std::find(end_actions_.begin(), end_actions_.end(), action) != end_actions_.end();
  }
  // Compiles the automaton. `label_values`: as in AutomatonSpec. NULL if memory runs out.
  Property *compile(const std::int32_t *label_values = nullptr) const noexcept {
    AutomatonSpec given = source;
    given.next = next_.begin();
    given.actions = actions_.begin();
    given.label_values = label_values;
    if (std::any_of(end_actions_.begin(), end_actions_.end(),
                    [](std::int32_t action) { return action != CHORALE_FIRE_NOTHING; }))
      given.end_actions = end_actions_.begin();
    return chorale::compile(memory_, given);
  }

  AutomatonSpec source; // sizes, table_offset and outside_value; compile() adds the arrays

private:
  Memory memory_;
  Array<std::int32_t> next_;
  Array<std::int32_t> actions_;
  Array<std::int32_t> end_actions_;
};

} // namespace chorale
