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

  // Adds the states. False if memory runs out.
  bool add_states(std::int32_t count) noexcept {
    const std::int64_t width = source.classes * source.labels; // of one state
    if (!next_.resize(count * width) || !actions_.resize(count * width) ||
        !end_actions_.resize(count))
      return false;
    for (std::int32_t s = 0; s < count; ++s)
      std::fill_n(next_.begin() + s * width, width, s);
    std::fill(actions_.begin(), actions_.end(), CHORALE_FIRE_NOTHING);
    std::fill(end_actions_.begin(), end_actions_.end(), CHORALE_FIRE_NOTHING);
    source.states = count;
    return true;
  }
  void set(std::int32_t state, std::int64_t position_class, std::int64_t label, std::int32_t next,
           std::int32_t action) noexcept {
    const std::int64_t at = (state * source.classes + position_class) * source.labels + label;
    next_[at] = next;
    actions_[at] = action;
  }
  void set_end(std::int32_t state, std::int32_t action) noexcept { end_actions_[state] = action; }
  // Compiles the automaton. NULL if memory runs out.
  Property *compile() const noexcept {
    AutomatonSpec given = source;
    given.next = next_.begin();
    given.actions = actions_.begin();
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
