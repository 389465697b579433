// Columns of property cliques with many values.
//
// A property may have millions of values of which the chains of a clique can fire a handful. The
// counts of all other values are always 0, yet message rows, counts and workspaces over all values
// would be as long as the range. So a clique of many values has columns only for the values that
// some member can fire, as if the caller had given a dictionary of these; Clique::value_of converts
// columns to the caller's values. Values left out still add f_v(0) to a potential; one more column,
// which no member shows, adds that (`stand_in` of potential/recolumn.hpp).
#pragma once

#include "cluster/model/model.hpp"

namespace chorale {

// Cliques of at most this many columns have a column for every value.
inline constexpr std::int64_t kFewColumns = 64;

// Returns `potential` over `columns` values: its own first, then values that do not count. The
// model owns the reference. NULL if memory runs out.
const Potential *widen(Model &model, const Potential *potential, std::int32_t columns) noexcept;

// Sets the columns of every property clique of more than kFewColumns values: the values that can
// fire, or all values if more than half of them can, if an instance is a member, or if a callback
// counts them. O(T states labels) a chain and clique, and O(R) for potentials with a table for each
// value. False if memory runs out.
bool number_fired(Model &model) noexcept;

} // namespace chorale
