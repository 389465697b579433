// The potential as a function of one member's value, with all other members fixed; distances of
// counts from allowed counts.
#pragma once

#include "potential/potential.hpp"

namespace chorale {

// Writes to row[v] (R) C of `counts` plus one member, which counts `weight` times, at value v; for
// a SUM up to a constant. counts: R, of the other members; members: n including this one; varied: R,
// scratch. If a callback fails, sets *failure, and entries of the row may be NaN.
void fill_member_row(const Potential &potential, const std::int64_t *counts, std::int64_t members,
                     std::int64_t weight, std::int64_t *varied, double *row,
                     CallbackFailure *failure) noexcept;

// Writes to row[v] (R) the change of C if one more member at v is added to `counts`, those of all
// members: a linearisation. If C is a convex SUM, moving any set of members changes C by at least
// the sum of the changes by the row. Returns false and writes nothing if C is not a convex SUM.
bool fill_linear_row(const Potential &potential, const std::int64_t *counts, std::int64_t members,
                     double *row) noexcept;

// What C changes by when one of n members, which counts `weight` times, changes its value. A member
// that joins v changes C by
// middle(v), give or take half(v), whatever the values of the others: a move from u to v changes C
// by middle(v) - middle(u), give or take half(u) + half(v).
class MemberMoves {
public:
  struct Steps {
    double middle = 0;
    double half = 0;
  };

  MemberMoves(const Potential &potential, std::int64_t members, std::int64_t weight) noexcept;
  // False: no bound is known.
  bool known() const noexcept { return known_; }
  Steps of(std::int32_t v) const noexcept;

private:
  const Potential &potential_;
  std::int64_t members_;
  std::int64_t weight_;
  double factor_;
  bool known_ = false;
};

// Returns C of `counts` (R). For a callback, sets the counts of uncounted values in `counts` to 0.
double evaluate_counted(const Potential &potential, std::int64_t *counts, std::int64_t members,
                        CallbackFailure *failure) noexcept;

// Returns the distance of `counts` from counts that C allows; 0 if C is above minus infinity. SUM:
// the sum over values of distance_to_allowed(); MAX: the least of these distances; other families:
// 1. Counts of a SUM may add up to members - 1. May change `counts`.
std::int64_t violation_of_counts(const Potential &potential, std::int64_t *counts,
                                 std::int64_t members, CallbackFailure *failure) noexcept;

// SUM and MAX: returns |k - k'| for the nearest count k' that the table of value v does not forbid;
// members + 1 if it forbids all.
std::int64_t distance_to_allowed(const Potential &potential, std::int32_t v, std::int64_t k,
                                 std::int64_t members) noexcept;

} // namespace chorale
