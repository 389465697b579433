// Columns of property cliques with many values.
//
// A property may have millions of values, of which the chains of a clique can *fire* only a handful
// (chorale/property.h explains fire and show). A value that no member can fire always has count 0,
// yet arrays over all values (message rows, counts, workspaces) would have an entry for it. So a
// clique with many values has columns only for the values that some member can fire, as if the
// caller had given a dictionary of these values; Clique::value_of converts columns to the caller's
// values. Cliques whose potential reads values that no member has (reads_absent_values() in
// potential/recolumn.hpp) keep all columns.
#pragma once

#include "cluster/model/model.hpp"

namespace chorale {

// Cliques of at most this many columns have a column for every value.
inline constexpr std::int64_t kFewColumns = 64;

// Returns `potential` extended to `columns` values; the added values are uncounted
// (chorale/potential.h). The model holds the reference. NULL if memory runs out.
const Potential *widen(Model &model, const Potential *potential, std::int32_t columns) noexcept;

// Returns `given`, a potential over the `values` values of a property, over the columns of a clique:
// the values in `fired`, in ascending order, EMPTY and CONFLICT; these two are uncounted if `given`
// lacks them. The model holds the reference. NULL if memory runs out.
const Potential *narrow(Model &model, const Potential &given, std::int32_t values,
                        gsl::span<const std::int32_t> fired) noexcept;

// Sets the columns of every property clique with more than kFewColumns columns. A value has a
// column if a member can fire it; the value UNLISTED of a dictionary always has one. All values
// have columns if those of the values that can fire, with EMPTY and CONFLICT, would be more than
// half, if a member is an instance, or if the potential is a callback or reads values that no
// member has. Costs O(T * states * labels) for each chain of T positions of each clique (states:
// those of the property's automaton), and O(R) for potentials with a table for each of the R
// values. False if memory runs out.
bool number_fired(Model &model) noexcept;

} // namespace chorale
