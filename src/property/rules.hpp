// Rules (chorale/rules.h) as properties: automata that fire the value 0 where a labelling breaks
// the rule, and nothing if it keeps the rule.
#pragma once

#include "property/ready_made.hpp"

#include <chorale/rules.h>

#include <string_view>

namespace chorale {

// Returns the name of a kind of rules, as in error messages; empty if there is no such kind.
std::string_view name_of(chorale_rule_kind kind) noexcept;
// True if rules of this kind read the field b (a second kind of labels) of chorale_rule.
bool takes_b(chorale_rule_kind kind) noexcept;
// True if they read the field k (a number of segments or positions).
bool takes_k(chorale_rule_kind kind) noexcept;

// Greatest number of transitions of an automaton that make_rule() makes.
inline constexpr std::int64_t kMostRuleCells = std::int64_t{1} << 26;
// Returns the number of states that make_rule() needs, for a checked rule of any kind but PROPERTY.
std::int64_t states_of(const chorale_rule &rule) noexcept;

// Makes the property of a checked rule of any kind but PROPERTY. `rule.k` is at least 1: the caller
// of this function has replaced 0, the default, by 1. NULL if memory runs out.
Property *make_rule(const Memory &memory, const LabelKinds &kinds,
                    const chorale_rule &rule) noexcept;

} // namespace chorale
