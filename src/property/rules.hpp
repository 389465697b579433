// Rules (chorale/rules.h) as properties: automata that fire the value 0 where a labelling breaks
// the rule, and nothing if it keeps the rule.
#pragma once

#include "property/ready_made.hpp"

#include <chorale/rules.h>

#include <string_view>

namespace chorale {

// Returns the name of a kind of rules, as in error messages; empty if there is no such kind.
std::string_view name_of(chorale_rule_kind kind) noexcept;
// True if rules of this kind have a second kind of labels, b, or a number k.
bool takes_b(chorale_rule_kind kind) noexcept;
bool takes_k(chorale_rule_kind kind) noexcept;

// Greatest number of transitions of an automaton that make_rule() makes.
inline constexpr std::int64_t kMostRuleCells = std::int64_t{1} << 26;
// Returns the number of states that make_rule() needs, for a checked rule of any kind but PROPERTY.
std::int64_t states_of(const chorale_rule &rule) noexcept;

// Makes the property of a checked rule of any kind but PROPERTY. Fields of `rule` that are 0 have
// been replaced by what they stand for. NULL if memory runs out.
Property *make_rule(const Memory &memory, const LabelKinds &kinds,
                    const chorale_rule &rule) noexcept;

} // namespace chorale
