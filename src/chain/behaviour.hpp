// What a property does at one position of a chain, by automaton state and label.
#pragma once

#include "chain/bound_property.hpp"

namespace chorale {

class Behaviour {
public:
  // Of one state. Arrays have m entries.
  struct State {
    std::int32_t *leads; // next state; the dead state if nothing can fire any more
    std::int32_t *fires; // local value, -1, or BoundProperty::kOutside
    // Most labels that fire nothing lead to one state, and most of those that fire to one.
    std::int32_t quiet_next;
    std::int32_t paid_next;
    double *keeps;        // 0 where nothing fires and quiet_next follows, or minus infinity
    double *pays;         // 0 where a value fires and paid_next follows, or minus infinity
    std::int32_t *others; // all other labels, without those that fire kOutside
    std::int32_t *payers; // labels that fire, ascending by value
    std::int32_t other_count;
    std::int32_t payer_count;
    std::int32_t keeper_count; // labels with keeps 0
    bool pays_elsewhere;       // some label of `others` fires
    bool meets_dead;           // some label leads to the dead state
  };

  // `values`: a number above every local value.
  Behaviour(Layout &layout, const Property &automaton, std::int32_t length,
            std::int64_t values) noexcept;

  void begin(const BoundProperty &property) noexcept;
  // True if the property behaves at position t as at the position last passed to read().
  bool is_like(std::int32_t t) const noexcept { return groups_[t] == group_; }
  // Fills the states from which something may fire at t or later.
  void read(std::int32_t t) noexcept;

  const State &operator[](std::int32_t state) const noexcept { return states_[state]; }
  // True if, at this position, each value is fired by one label only, and each label fires one
  // value only, whatever the state.
  bool has_owners() const noexcept { return has_owners_; }

private:
  void read_state(std::int32_t t, std::int32_t s) noexcept;
  bool find_owners() noexcept;

  std::int32_t labels_;
  std::int32_t dead_;
  State *states_;
  std::int32_t *groups_; // T: first of the consecutive positions that are alike
  std::int32_t *owners_; // values: label that fires it, or -1
  std::int32_t *owned_;  // m: value that a label fires, or -1
  std::int32_t group_ = -1;
  bool has_owners_ = false;
  const BoundProperty *property_ = nullptr;
};

} // namespace chorale
