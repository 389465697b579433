// The public property: an immutable, reference-counted automaton, compiled for dynamic programs.
//
// The automaton reads a labelling from left to right. At each position, the state of the automaton,
// the class of the position (a number that the caller gives to it) and the label determine a
// transition: the next state and an *action*, which may *fire* a value. All states from which
// nothing can ever fire are merged into one, the dead state, which has the highest number. A
// *cell* is a pair (state, class).
#pragma once

#include "base/counted.hpp"
#include "base/numeric.hpp"
#include "base/report.hpp"

#include <chorale/experimental.h>

#include <gsl/span>

#include <cstdint>

struct chorale_property : chorale::Counted {
  explicit chorale_property(const chorale::Memory &from) noexcept : Counted(from) {}

  std::int64_t cell(std::int32_t state, std::int32_t position_class) const noexcept {
    return std::int64_t{state} * classes + position_class;
  }

  chorale::Block storage;

  std::int32_t labels = 0;
  std::int32_t classes = 0;
  std::int32_t states = 0; // including the dead state
  std::int32_t values = 0; // R; values are numbered 0 .. R - 1
  std::int32_t start = 0;
  // The action FIRE_TABLE at position t fires entry t + table_offset of the caller's table, or
  // outside_value (-1: nothing) if there is no such entry.
  std::int32_t table_offset = 0;
  std::int32_t outside_value = -1;
  // Two ready-made properties (ready_made.hpp) do not read the position classes of the caller.
  // create_position_label() sets `position`: the class is 1 at this position, elsewhere 0.
  // create_token_label() sets `token`: the class is 1 where the entry of the caller's table is
  // `token`, elsewhere 0. -1: not used.
  std::int32_t position = -1;
  std::int32_t token = -1;
  bool fires_table = false; // some action is FIRE_TABLE
  bool fires_at_end = false;

  bool reads_table() const noexcept { return fires_table || token >= 0; }
  bool is_local() const noexcept { return local_actions != nullptr; }
  std::int32_t dead() const noexcept { return states - 1; }

  // The values that actions other than FIRE_TABLE can fire, distinct and ascending. The actions
  // below are FIRE_NOTHING, FIRE_TABLE, or an index into `constants`.
  gsl::span<const std::int32_t> constants;

  const std::int32_t *next = nullptr;        // states x classes x labels
  const std::int32_t *actions = nullptr;     // the same shape
  const std::int32_t *end_actions = nullptr; // states x (labels + 1), by the last label; the last
                                             // column for the empty chain
  // Actions by class, label and parent's label: classes x labels x (labels + 1), with the last
  // column for positions without a parent. NULL if the property is not local (AutomatonSpec).
  const std::int32_t *local_actions = nullptr;
};

namespace chorale {

using Property = ::chorale_property;

// An automaton as the caller states it (chorale_automaton). `next`, `actions`: states x classes x
// labels; without `actions`, no transition fires. `end_actions`: the action of each state at the
// end of the chain; NULL: none. `label_values`: the value of each label, which the action
// FIRE_LABEL fires; NULL: the label itself.
struct AutomatonSpec {
  std::int64_t labels;
  std::int64_t classes;
  std::int64_t states;
  std::int64_t values;
  std::int32_t start = 0;
  std::int32_t table_offset = 0;
  std::int32_t outside_value = -1;
  const std::int32_t *next = nullptr;
  const std::int32_t *actions = nullptr;
  const std::int32_t *end_actions = nullptr;
  const std::int32_t *label_values = nullptr;
  // A property is *local* if its action at a position depends only on the class of the position,
  // its label and the label of its parent. local_actions: these actions, classes x labels x (labels
  // + 1), with the last column for positions without a parent; NULL if the property is not local.
  // May also be NULL if there is one state, no end action and table_offset 0: compile() then
  // derives them.
  const std::int32_t *local_actions = nullptr;
};

// Checks the automaton and creates a property, which it writes to `made` with one reference.
chorale_status create_property(const Report &report, const Memory &memory,
                               const AutomatonSpec &automaton, Property *&made) noexcept;
// Like create_property(), for a property that is given by its local actions alone. For chains,
// makes an automaton whose state is the previous label.
chorale_status create_local_property(const Report &report, const Memory &memory,
                                     AutomatonSpec local, Property *&made) noexcept;

// Compiles a checked automaton; NULL if memory runs out.
Property *compile(const Memory &memory, const AutomatonSpec &automaton) noexcept;

} // namespace chorale
