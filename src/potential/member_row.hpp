// The potential C as a function of one member's value, with the values of all other members fixed;
// bounds on its changes; and the distance of counts from counts that C allows. R: number of values.
#pragma once

#include "base/limits.hpp"
#include "potential/potential.hpp"

namespace chorale {

// Writes to row[v] (R entries) the value of C if a member of weight `weight` takes value v and the
// other members have `counts` (R). For a SUM, row[v] may differ from C by a constant that is the
// same for all v. members: the sum of the weights of all members, including this member. varied:
// scratch (R). If a callback fails for v, sets *failure, and row[v] is minus infinity. False if
// `limits` (NULL: none) interrupted the call. O(R) for a SUM or MAX; otherwise R evaluations of C.
bool fill_member_row(const Potential &potential, gsl::span<const std::int64_t> counts,
                     std::int64_t members, std::int64_t weight, gsl::span<std::int64_t> varied,
                     gsl::span<double> row, CallbackFailure *failure,
                     Limits *limits = nullptr) noexcept;

// Bounds on the change of C when one member changes its value, whatever values the other members
// have. Let middle(v) and half(v) be the two numbers that of(v) returns. A member that joins v
// changes C by a number from middle(v) - half(v) to middle(v) + half(v). So a move from u to v
// changes C by middle(v) - middle(u), plus or minus at most half(u) + half(v). `members`: the sum
// of the weights of all members; `weight`: the weight of the member that moves.
class MemberMoves {
public:
  struct Steps {
    double middle = 0;
    double half = 0;
  };

  MemberMoves(const Potential &potential, std::int64_t members, std::int64_t weight) noexcept;
  // False if no bounds are known; of() must then not be called.
  bool known() const noexcept { return known_; }
  Steps of(std::int32_t v) const noexcept;

private:
  const Potential &potential_;
  std::int64_t members_;
  std::int64_t weight_;
  double factor_;
  bool known_ = false;
};

// Does what Potential::evaluate() does with `counts` (R). For a callback, first sets the counts of
// uncounted values in `counts` to 0.
double evaluate_counted(const Potential &potential, gsl::span<std::int64_t> counts,
                        std::int64_t members, CallbackFailure *failure) noexcept;

// Returns how far `counts` are from counts that C allows; 0 if C of `counts` is above minus
// infinity. If C is minus infinity: for a SUM, the sum over the counted values of
// distance_to_allowed(); for a MAX, the least of these distances; for other families 1. For a SUM,
// `counts` may also be the counts of all members but one. For a callback, sets the counts of
// uncounted values in `counts` to 0, and *failure as Potential::evaluate() does.
std::int64_t violation_of_counts(const Potential &potential, gsl::span<std::int64_t> counts,
                                 std::int64_t members, CallbackFailure *failure) noexcept;

// SUM and MAX: returns |k - k'| for the nearest count k' from 0 to `members` that the table of
// value v does not forbid; members + 1 if the table forbids all of these.
std::int64_t distance_to_allowed(const Potential &potential, std::int32_t v, std::int64_t k,
                                 std::int64_t members) noexcept;

// Returns what `weight` more members with value v, of which k have it, add to the violation of a SUM.
std::int64_t distance_change(const Potential &potential, std::int32_t v, std::int64_t k,
                             std::int64_t weight, std::int64_t members) noexcept;

// True if C is a SUM and the table of some counted value forbids every count from 0 to `members`.
bool forbids_all_counts(const Potential &potential, std::int64_t members) noexcept;

} // namespace chorale
