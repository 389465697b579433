// Rules (chorale/rules.h) as properties: automata that fire the value 0 where a labelling breaks
// the rule, and nothing if it keeps the rule.
#pragma once

#include "property/ready_made.hpp"

#include <chorale/rules.h>

#include <string_view>

namespace chorale {

struct RuleKind {
  chorale_rule_kind kind;
  std::string_view name; // as in error messages
  bool takes_b; // rules of this kind read the field b (a second kind of labels) of chorale_rule
  // Rules that read the field k (a number of segments or positions) of chorale_rule have automata
  // of states_for_each * k + 1 states. 0: rules of this kind do not read k, and have three states.
  // One more state, for a rule that is broken, is not counted.
  std::int64_t states_for_each;

  bool takes_k() const noexcept { return states_for_each > 0; }
  std::int64_t states(std::int64_t k) const noexcept {
    return takes_k() ? states_for_each * k + 1 : 3;
  }
};
// Returns the entry for a kind; NULL if there is no such kind.
const RuleKind *find_rule_kind(chorale_rule_kind kind) noexcept;

// Greatest number of transitions of the automaton of a rule that reads k; the caller of make_rule()
// checks it.
inline constexpr std::int64_t kMostRuleCells = std::int64_t{1} << 26;

// Makes the property of a checked rule of any kind but PROPERTY. `rule.k` is at least 1: the caller
// of this function has replaced 0, the default, by 1. NULL if memory runs out.
Property *make_rule(const Memory &memory, const LabelKinds &kinds, const RuleKind &kind,
                    const chorale_rule &rule) noexcept;

} // namespace chorale
