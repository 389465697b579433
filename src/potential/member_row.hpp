// What a potential says of each value of one member while all other members stay as they are.
#pragma once

#include "potential/potential.hpp"

namespace chorale {

// Fills row[v], one for each value, with C of the counts and one more member at v; less a constant
// where the potential is a SUM. `counts`: of the other members; `varied`: scratch, one number a
// value. NaN-free but for a callback that fails, which *failure tells.
void fill_member_row(const Potential &potential, const std::int64_t *counts, std::int64_t members,
                     std::int64_t *varied, double *row, CallbackFailure *failure) noexcept;

// The same linearised, for several members at once: row[v] is what one more member at v adds to the
// counts of all members. Where C is a convex SUM, moving any members changes C by no less than the
// sum of what the rows say. False, and nothing filled, where C is not.
bool fill_linear_row(const Potential &potential, const std::int64_t *counts, std::int64_t members,
                     double *row) noexcept;

// No move of one of `members` members to another value raises C by more, whatever the others show.
// Plus infinity where that is not known.
double most_of_a_move(const Potential &potential, std::int64_t members) noexcept;

// C of counts over the potential's values. A callback sees zeros where a value does not count;
// `counts` is changed for that.
double evaluate_counted(const Potential &potential, std::int64_t *counts, std::int64_t members,
                        CallbackFailure *failure) noexcept;

// How far counts are from counts that C allows; 0 where C is above minus infinity. For a SUM the
// sum over its values of the distance to the nearest entry of the table that is allowed, for a MAX
// the least of them, for other families 1. Counts of a SUM may lack a member. `counts` may be
// changed.
std::int64_t violation_of_counts(const Potential &potential, std::int64_t *counts,
                                 std::int64_t members, CallbackFailure *failure) noexcept;

// Of a SUM or MAX: how many counts of value v lie between k and the nearest that its table allows.
std::int64_t distance_to_allowed(const Potential &potential, std::int32_t v, std::int64_t k,
                                 std::int64_t members) noexcept;

} // namespace chorale
