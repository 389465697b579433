// What a property does at one position of a chain, by automaton state and label.
// bound_property.hpp explains firing, local values and the dead state.
#pragma once

#include "chain/bound_property.hpp"

namespace chorale {

class Behaviour {
public:
  // What the property does in one automaton state at the position last read. `leads`, `fires`,
  // `keeps` and `pays` have one entry for each of the m labels; `others` and `payers` are lists of
  // labels.
  struct State {
    std::int32_t *leads; // next state; the dead state if nothing can fire any more
    std::int32_t *fires; // local value that fires, -1 for none, or BoundProperty::kOutside
    // The state to which more than half of the labels that fire nothing lead; any state if there is
    // no such state. paid_next: the same for the labels that fire a local value.
    std::int32_t quiet_next;
    std::int32_t paid_next;
    double *keeps;        // 0 if the label fires nothing and leads to quiet_next, else -infinity
    double *pays;         // 0 if it fires a local value and leads to paid_next, else -infinity
    std::int32_t *others; // labels with keeps and pays -infinity, except those that fire kOutside
    std::int32_t *payers; // labels that fire a local value, ascending by this value
    std::int32_t other_count;
    std::int32_t payer_count;
    std::int32_t keeper_count; // labels with keeps 0
    bool pays_elsewhere;       // some label of `others` fires
    bool meets_dead;           // some label that does not fire kOutside leads to the dead state
  };

  // `values`: greater than every local value.
  Behaviour(Layout &layout, const Property &automaton, std::int32_t length,
            std::int64_t values) noexcept;

  void begin(const BoundProperty &property) noexcept;
  // True if the property behaves at position t as at the position last passed to read().
  bool is_like(std::int32_t t) const noexcept { return groups_[t] == group_; }
  // Reads the behaviour at position t, for all automaton states from which something may fire at t
  // or later. False if interrupted.
  bool read(std::int32_t t, Limits &limits) noexcept;

  const State &operator[](std::int32_t state) const noexcept { return states_[state]; }
  // True if, over all states at the position read last, no value is fired by two labels and no
  // label fires two values.
  bool has_owners() const noexcept { return has_owners_; }

private:
  void read_state(std::int32_t t, std::int32_t s) noexcept;
  bool find_owners() noexcept;

  std::int32_t labels_;
  std::int32_t dead_;
  State *states_;
  std::int32_t *groups_; // T: the first position of the stretch around t with the behaviour of t
  std::int32_t *owners_; // by local value: the label that fires the value, or -1
  std::int32_t *owned_;  // by label: the value that the label fires, or -1
  std::int32_t group_ = -1;
  bool has_owners_ = false;
  const BoundProperty *property_ = nullptr;
};

} // namespace chorale
