// Columns of property cliques, which are not known before their members are.
//
// A property may have a range of millions of which the chains of a clique can fire a handful. Rows
// of messages, counts and rooms would each be as long as the range; no count of the others is ever
// anything but 0. So a clique of many values has columns for the values that some member can fire,
// as if the caller had given a dictionary of these, and only what the caller sees speaks of the
// others (Clique::value_of). What counts of 0 add to a potential is kept by one more column, which
// nobody shows (`stand_in` of potential/recolumn.hpp).
#pragma once

#include "cluster/model/model.hpp"

namespace chorale {

// Cliques of up to so many columns have them all.
inline constexpr std::int64_t kFewColumns = 64;

// The potential over so many columns, its own values first, the others uncounted; the model holds
// it. NULL where memory ran out.
const Potential *widen(Model &model, const Potential *potential, std::int32_t columns) noexcept;

// Gives every property clique of more than kFewColumns, whose potential is as given still, its
// columns: those that can fire, where these are at most half; all, where an instance may show any
// of them or a callback counts them. O(T states labels) a chain and clique, and O(R) where tables
// are stored by value. False where memory ran out.
bool number_fired(Model &model) noexcept;

} // namespace chorale
